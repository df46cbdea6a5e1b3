"""``journalspec recover``: the state, the refusal that helps, and the exit status."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from click.testing import Result

from judged import call

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real"


def record(status: int, gtrid: bytes, *names: bytes) -> bytes:
    body = bytes([len(gtrid)]) + gtrid + len(names).to_bytes(4, "big")
    body += b"".join(len(name).to_bytes(2, "big") + name for name in names) + b"xntB"
    head = status.to_bytes(4, "big") + (20 + len(body)).to_bytes(4, "big") + (28).to_bytes(4, "big")
    head += (5).to_bytes(8, "big") + (1).to_bytes(4, "big")
    return head + zlib.crc32(head + body[1:]).to_bytes(4, "big") + body


def write_pair(directory: Path, log: bytes) -> Path:
    for name, timestamp, content in (("btm1.tlog", 2, log), ("btm2.tlog", 1, b"")):
        head = b"Btnx" + timestamp.to_bytes(8, "big") + b"\0" + (21 + len(content)).to_bytes(8, "big")
        (directory / name).write_bytes((head + content).ljust(500, b"\0"))
    return directory


def run(*arguments: object) -> Result:
    return call("recover", *arguments)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Transaction A is decided for two resources and confirmed by one, B is only prepared."""
    return write_pair(
        tmp_path, record(8, b"A", b"db1", b"jms1") + record(3, b"A", b"db1") + record(2, b"B", b"db1")
    )


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """The second of three records has a wrong checksum."""
    broken = bytearray(record(8, b"B", b"db1"))
    broken[20] ^= 1
    return write_pair(tmp_path, record(8, b"A", b"db1") + bytes(broken) + record(8, b"C", b"db1"))


def test_the_state_as_json(clean: Path) -> None:
    result = run(clean, "--json")
    assert result.exit_code == 0
    seen = json.loads(result.stdout)
    assert (seen["verdict"], seen["policy"], seen["format"]) == ("clean", "strict", "bitronix_tlog")
    assert seen["state"] == {
        "active": "btm1.tlog",
        "unfinished": [{"gtrid": "41", "names": ["jms1"]}],
        "in_doubt": [{"gtrid": "42", "status": "PREPARED", "names": ["db1"]}],
    }


def test_the_state_for_people(clean: Path) -> None:
    result = run(clean)
    assert result.exit_code == 0
    assert "records  3 counted" in result.stdout
    assert "- gtrid 41 names jms1" in result.stdout
    assert "- gtrid 42 status PREPARED names db1" in result.stdout


def test_a_refusal_says_what_where_why_and_what_next(damaged: Path) -> None:
    result = run(damaged)
    assert result.exit_code == 3
    assert "verdict  refused" in result.stdout
    assert "where    file btm1.tlog, offset 64 (43 bytes from there)" in result.stdout
    assert "why      checksum/bad-checksum: well formed, but the CRC does not match" in result.stdout
    assert f"journalspec recover {damaged} --policy salvage" in result.stdout
    assert f"journalspec inspect {damaged} --hex" in result.stdout
    assert "Traceback" not in result.output


def test_the_refusal_as_json(damaged: Path) -> None:
    result = run(damaged, "--json")
    assert result.exit_code == 3
    seen = json.loads(result.stdout)
    assert (seen["verdict"], seen["phase"], seen["code"]) == ("refused", "checksum", "bad-checksum")
    assert seen["at"] == {"file": "btm1.tlog", "off": "64", "len": "43"}
    assert "state" not in seen


def test_salvage_reports_what_is_left_and_what_is_lost(damaged: Path) -> None:
    result = run(damaged, "--policy", "salvage")
    assert result.exit_code == 1
    text = " ".join(result.stdout.split())
    assert "verdict recovered" in text
    assert "lost in btm1.tlog: dropped 64..107 (43 bytes) bad-checksum:" in text
    assert "- gtrid 41 names db1" in text
    assert "- gtrid 43 names db1" in text
    assert "gtrid 42" not in text


def test_nothing_is_written(damaged: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in damaged.iterdir()}
    run(damaged)
    run(damaged, "--policy", "salvage")
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in damaged.iterdir()} == before


def test_help_documents_the_exit_status() -> None:
    assert "Exit status: 0" in " ".join(run("--help").stdout.split())


@pytest.mark.real
@pytest.mark.skipif(not (REAL / "bitronix_tlog").is_dir(), reason=f"no files of real products in {REAL}")
def test_a_crash_between_two_commits_leaves_one_resource_to_do() -> None:
    for version in ("2.1.4", "3.0.0-mk1"):
        result = run(REAL / "bitronix_tlog" / version / "tm-2pc-crash-between-commits", "--json")
        assert result.exit_code == 0
        (left,) = json.loads(result.stdout)["state"]["unfinished"]
        assert left["names"] == ["db1", "jms1"]


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """The active file has lost its header; a decision that nobody confirmed stands whole in it."""
    write_pair(tmp_path, record(8, b"A", b"db1", b"jms1") + record(2, b"B", b"db1"))
    data = (tmp_path / "btm1.tlog").read_bytes()
    (tmp_path / "btm1.tlog").write_bytes(bytes(21) + data[21:])
    return tmp_path


def test_salvage_names_the_decision_that_it_leaves_out(hidden: Path) -> None:
    result = run(hidden, "--policy", "salvage")
    text = " ".join(result.stdout.split())
    assert "unfinished: 0" in text
    assert (
        "2 valid records stand outside the log, in what could not be used: 1 COMMITTING, 1 PREPARED." in text
    )
    assert "They do not count, and the state below may be incomplete or wrong:" in text
    assert "- COMMITTING gtrid 41, names db1,jms1 (file btm1.tlog, offset 21)" in text
    assert text.index("COMMITTING gtrid 41") < text.index("state after recovery")


def test_the_json_of_salvage_carries_it_too(hidden: Path) -> None:
    seen = json.loads(run(hidden, "--policy", "salvage", "--json").stdout)
    assert seen["records"] == []
    assert seen["state"]["unfinished"] == []
    found = seen["unanchored"][0]
    assert (found["type"], found["gtrid"], found["names"]) == ("COMMITTING", "41", ["db1", "jms1"])
    assert (found["at"]["file"], found["at"]["off"]) == ("btm1.tlog", "21")
    assert {"code": "unanchored", "file": "btm1.tlog", "off": "21"} in seen["notes"]


def test_where_no_file_is_left_the_refusal_names_it(hidden: Path) -> None:
    (hidden / "btm2.tlog").write_bytes(bytes(500))
    result = run(hidden, "--policy", "salvage")
    assert "verdict  refused" in result.stdout
    assert "COMMITTING gtrid 41, names db1,jms1" in " ".join(result.stdout.split())


def test_records_behind_the_tail_are_no_alarm(clean: Path) -> None:
    data = bytearray((clean / "btm1.tlog").read_bytes())
    first = len(record(8, b"A", b"db1", b"jms1"))
    data[13:21] = (21 + first).to_bytes(8, "big")
    (clean / "btm1.tlog").write_bytes(data)
    result = run(clean)
    text = " ".join(result.stdout.split())
    assert "2 valid records stand behind the end of the log" in text
    assert "may be incomplete or wrong" not in text
    assert "verdict clean" in text
    assert len(json.loads(run(clean, "--json").stdout)["unanchored"]) == 2


def test_a_file_full_of_records_that_salvage_leaves_out_is_named_in_the_other_format(tmp_path: Path) -> None:
    for number, version in ((1, 2), (2, 9)):
        size = (24).to_bytes(4, "big")
        add = (
            b"\x0b"
            + number.to_bytes(4, "big")
            + b"\0"
            + number.to_bytes(8, "big")
            + bytes([0, 0, 0, 1, 7, 0x61])
            + size
        )
        head = version.to_bytes(4, "big") + bytes(4) + number.to_bytes(8, "big")
        (tmp_path / f"activemq-data-{number}.amq").write_bytes((head + add).ljust(1024, b"\0"))
    text = " ".join(run(tmp_path, "--edition", "v2", "--policy", "salvage").stdout.split())
    assert (
        "1 valid record stands outside the log, in what could not be used: 1 ADD. It does not count" in text
    )
    assert "- ADD file_id 2, id 2 (file activemq-data-2.amq, offset 16)" in text
