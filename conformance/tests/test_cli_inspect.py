"""``journalspec inspect``: what it shows, what it answers to programs, how it ends."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from judged import call

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real"
#: A committed record: gtrid "A", names db1 and jms1, written down by hand from the layout.
RECORD = bytes.fromhex(
    "00000008" "00000029" "0000001c" "0000000000000001" "00000001" "00000000" "01" "41"
    "00000002" "0003" "646231" "0004" "6a6d7331" "786e7442"
)  # fmt: skip


def with_checksum(record: bytes) -> bytes:

    crc = zlib.crc32(record[:24] + record[29:])
    return record[:24] + crc.to_bytes(4, "big") + record[28:]


def header(timestamp: int, tail: int) -> bytes:
    return b"Btnx" + timestamp.to_bytes(8, "big") + b"\0" + tail.to_bytes(8, "big")


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A pair with one record, another one broken behind it, and a stale one behind the tail."""
    good = with_checksum(RECORD)
    bad = good[:-8] + b"X" + good[-7:]
    first = header(2, 21 + 2 * len(good)) + good + bad + good
    (tmp_path / "btm1.tlog").write_bytes(first.ljust(400, b"\0"))
    (tmp_path / "btm2.tlog").write_bytes(header(1, 21).ljust(400, b"\0"))
    return tmp_path


def run(*arguments: object, columns: int = 80) -> Result:
    return call("inspect", *arguments, columns=columns)


def answer(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code in (0, 1, 3), result.output
    out: dict[str, Any] = json.loads(result.stdout)
    return out


def test_json_is_the_observation_with_format_edition_and_path(pair: Path) -> None:
    seen = answer(pair)
    assert (seen["format"], seen["edition"], seen["path"]) == ("bitronix_tlog", "2.1", str(pair))
    assert seen["verdict"] == "recovered"
    (record,) = seen["records"]
    assert (record["type"], record["gtrid"], record["names"]) == ("COMMITTING", "41", ["db1", "jms1"])
    assert record["at"] == {"file": "btm1.tlog", "off": "21", "len": "49"}
    assert seen["dropped"] == [{"file": "btm1.tlog", "off": "70", "len": "49", "reason": "bad-checksum"}]
    assert [item["at"]["off"] for item in seen["unanchored"]] == ["119"]
    assert seen["state"]["unfinished"] == [{"gtrid": "41", "names": ["db1", "jms1"]}]


@pytest.mark.parametrize(
    ("level", "members"),
    [
        ("verdict", set()),
        ("records", {"records"}),
        ("state", {"records", "state"}),
        ("layout", {"records", "state", "dropped", "files", "notes", "unanchored"}),
    ],
)
def test_levels(pair: Path, level: str, members: set[str]) -> None:
    always = {"verdict", "format", "edition", "edition_assumed", "path"}
    assert answer(pair, "--level", level).keys() == always | members
    assert run(pair, "--level", level).exit_code == 1


def test_the_map_for_people(pair: Path) -> None:
    result = run(pair)
    assert result.exit_code == 1
    text = " ".join(result.stdout.split())
    for expected in (
        "verdict recovered",
        "btm1.tlog: 400 bytes, active",
        "position 119",
        "COMMITTING status 8",
        "gtrid 41; names db1,jms1",
        "dropped 70..119 (49 bytes) bad-checksum: well formed, but the CRC does not match",
        "1 valid record(s) outside the log, not counted:",
        "unfinished: 1",
        "- gtrid 41 names db1,jms1",
        "unused 21..400 (379 bytes) all 00",
    ):
        assert expected in text, expected


@pytest.mark.parametrize("options", [(), ("--hex",)])
def test_output_fits_eighty_columns_and_carries_no_colour_in_a_pipe(
    pair: Path, options: tuple[str, ...]
) -> None:
    result = run(pair, *options)
    assert "\x1b" not in result.stdout
    for line in result.stdout.splitlines():
        assert len(line) <= 80 or "path" in line or not line.startswith(" "), line


def test_the_annotated_dump(pair: Path) -> None:
    result = run(pair, "--hex", columns=120)
    assert result.exit_code == 1
    assert "-- record[0] COMMITTING: 49 bytes at 21 (record)" in result.stdout
    row = next(line for line in result.stdout.splitlines() if line.startswith("00000015"))
    assert row.startswith("00000015  00 00 00 08 00 00 00 29 00 00 00 1c 00 00 00 00  status=8 COMMITTING")
    assert "-- dropped bad-checksum: 49 bytes at 70 (dropped)" in result.stdout


def test_several_journals_in_one_directory(pair: Path) -> None:
    for number in (1, 2):
        (pair / f"other{number}.tlog").write_bytes((pair / f"btm{number}.tlog").read_bytes())
    seen = answer(pair)
    assert list(seen) == ["journals"]
    files = [[entry["file"] for entry in journal["files"]] for journal in seen["journals"]]
    assert files == [["btm1.tlog", "btm2.tlog"], ["other1.tlog", "other2.tlog"]]
    one = answer(pair / "other2.tlog")
    assert [entry["file"] for entry in one["files"]] == ["other1.tlog", "other2.tlog"]


def test_a_journal_of_which_nothing_can_be_read_ends_with_three(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"btm{number}.tlog").write_bytes(b"garbage")
    result = run(tmp_path, "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["code"] == "short-file"
    text = run(tmp_path)
    assert text.exit_code == 3
    assert "verdict  refused" in text.stdout
    assert "why      header/short-file: the file is shorter than its header" in text.stdout


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    name = b"\x1b[31mred"
    record = with_checksum(
        RECORD[:4] + (29 + 1 + 2 + len(name)).to_bytes(4, "big") + RECORD[8:30] + bytes.fromhex("00000001")
        + len(name).to_bytes(2, "big") + name + b"xntB"
    )  # fmt: skip
    (tmp_path / "btm1.tlog").write_bytes((header(2, 21 + len(record)) + record).ljust(200, b"\0"))
    (tmp_path / "btm2.tlog").write_bytes(header(1, 21).ljust(200, b"\0"))
    for options in ((), ("--hex",)):
        result = run(tmp_path, *options)
        assert result.exit_code == 0
        assert "\x1b" not in result.stdout
        assert "\\x1b[31mred" in result.stdout


def test_help_documents_the_exit_status() -> None:
    assert "Exit status: 0" in " ".join(run("--help").stdout.split())


def test_gzip_and_large_files(tmp_path: Path) -> None:
    (tmp_path / "btm1.tlog.gz").write_bytes(gzip.compress(header(2, 21).ljust(2097173, b"\0")))
    (tmp_path / "btm2.tlog.gz").write_bytes(gzip.compress(header(1, 21).ljust(2097173, b"\0")))
    seen = answer(tmp_path)
    assert [(entry["file"], entry["len"]) for entry in seen["files"]] == [
        ("btm1.tlog.gz", "2097173"),
        ("btm2.tlog.gz", "2097173"),
    ]
    assert "00000015  00 * 2097152 bytes, up to 00200015" in run(tmp_path, "--hex").stdout


def test_nothing_is_written(pair: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in pair.iterdir()}
    for path in pair.iterdir():
        path.chmod(0o444)
    run(pair)
    run(pair, "--hex")
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in pair.iterdir()} == before


# The files of the real product: what an independent reader found in them stands in parsed.json.

ROOT = REAL / "bitronix_tlog"


def real_directories() -> list[str]:
    if not (ROOT / "parsed.json").is_file():
        return []
    return sorted({str(Path(name).parent) for name in json.loads((ROOT / "parsed.json").read_text())})


needs_real = pytest.mark.skipif(not real_directories(), reason=f"no files of real products in {REAL}")
STATUS = (
    *("ACTIVE", "MARKED_ROLLBACK", "PREPARED", "COMMITTED", "ROLLEDBACK"),
    *("UNKNOWN", "NO_TRANSACTION", "PREPARING", "COMMITTING", "ROLLING_BACK"),
)


@pytest.mark.real
@needs_real
@pytest.mark.parametrize("directory", real_directories() or [pytest.param("", marks=pytest.mark.skip)])
def test_the_product_s_records_are_all_there(directory: str) -> None:
    seen = answer(ROOT / directory)
    parsed = json.loads((ROOT / "parsed.json").read_text())
    expected = []
    compared = []
    for name, found in sorted(parsed.items()):
        if str(Path(name).parent) != directory or "records" not in found:
            continue
        compared.append(Path(name).name)
        (entry,) = (entry for entry in seen["files"] if entry["file"] == Path(name).name)
        assert entry["len"] == str(found["length"])
        assert int(entry["header"]["timestamp"]) == found["timestamp"]
        assert int(entry["header"]["state"]) == found["state"] % 256
        assert int(entry["header"]["position"]) == found["tail"]
        for record in found["records"]:
            expected.append(
                {
                    "type": STATUS[record["status"]],
                    "record_length": str(record["recordLength"]),
                    "time": str(record["time"]),
                    "sequence_number": str(record["seq"]),
                    "gtrid": record["gtrid"],
                    "names": record["names"],
                    "at": {
                        "file": Path(name).name,
                        "off": str(record["offset"]),
                        "len": str(record["recordLength"] + 8),
                    },
                }
            )
    keys = ("type", "record_length", "time", "sequence_number", "gtrid", "names", "at")
    got = [
        {key: record[key] for key in keys} for record in seen["records"] if record["at"]["file"] in compared
    ]
    assert got == expected


@pytest.mark.real
@needs_real
def test_every_nio_file_of_the_real_directory_is_a_journal() -> None:
    (directory,) = ROOT.glob("nio-*")
    seen = answer(directory)["journals"]
    files = {journal["files"][0]["file"]: journal for journal in seen}
    assert files.keys() == {path.name for path in directory.iterdir()}
    whole, head = files["nio-btm1.first-lap.tlog.gz"], files["nio-btm1.first-lap.head4096.bin"]
    # The head is the same file cut at 4096: the same records as far as it goes.
    at = [{**record, "at": record["at"]["off"]} for record in head["records"]]
    assert at == [{**record, "at": record["at"]["off"]} for record in whole["records"]][: len(at)]
    first = whole["records"][0]
    assert (first["at"]["off"], first["type"], first["gtrid"]) == (
        "1024",
        "ACTIVE",
        "73727631000001920000000000000001",
    )
