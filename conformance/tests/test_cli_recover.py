"""``journalspec recover``: the state, the refusal that helps, and the exit status."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from journalspec_conformance.cli.recover import command

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
    return CliRunner(env={"COLUMNS": "80", "TERM": "dumb"}).invoke(command, [str(each) for each in arguments])


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
    assert result.exit_code == 1
    assert "verdict  refused" in result.stdout
    assert "where    file btm1.tlog, offset 64 (43 bytes from there)" in result.stdout
    assert "why      checksum/bad-checksum: well formed, but the CRC does not match" in result.stdout
    assert f"journalspec recover {damaged} --policy salvage" in result.stdout
    assert f"journalspec inspect {damaged} --hex" in result.stdout
    assert "Traceback" not in result.output


def test_the_refusal_as_json(damaged: Path) -> None:
    result = run(damaged, "--json")
    assert result.exit_code == 1
    seen = json.loads(result.stdout)
    assert (seen["verdict"], seen["phase"], seen["code"]) == ("refused", "checksum", "bad-checksum")
    assert seen["at"] == {"file": "btm1.tlog", "off": "64", "len": "43"}
    assert "state" not in seen


def test_salvage_reports_what_is_left_and_what_is_lost(damaged: Path) -> None:
    result = run(damaged, "--policy", "salvage")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "verdict recovered" in text
    assert "lost in btm1.tlog: dropped 64..107 (43 bytes) bad-checksum:" in text
    assert "- gtrid 41 names db1" in text
    assert "- gtrid 43 names db1" in text
    assert "gtrid 42" not in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--policy", "hope"), "no policy 'hope'"),
        (("--format", "x"), "no format 'x'"),
        (("--edition", "x"), "no edition 'x'"),
    ],
)
def test_usage_ends_with_two(clean: Path, options: tuple[str, ...], said: str) -> None:
    result = run(clean, *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_no_such_path(tmp_path: Path) -> None:
    result = run(tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "No such file" in result.stderr


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
