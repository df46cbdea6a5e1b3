"""``journalspec inspect`` and ``recover``: their output on transaction logs, for people and programs.

Tests that need only a command and words of its output are in ``data/situations.toml``.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from judged import flat, in_full
from products import REAL
from situations import store


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """Write a log with a valid record, then a broken one, and a stale record after the tail."""
    return store("stale", tmp_path)


def answer(command: str, *arguments: object, status: int = 0) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(in_full(command, *arguments, "--json", status=status).stdout)
    return out


def test_json_answer_contains_observation_format_edition_and_path(stale: Path) -> None:
    seen = answer("inspect", stale, status=1)
    assert (seen["format"], seen["edition"], seen["path"]) == ("bitronix_tlog", "2.1", str(stale))
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
def test_level_selects_the_members_of_the_answer(stale: Path, level: str, members: set[str]) -> None:
    always = {"version", "verdict", "format", "edition", "path"}
    assert answer("inspect", stale, "--level", level, status=1).keys() == always | members
    in_full("inspect", stale, "--level", level, status=1)


@pytest.mark.parametrize("options", [(), ("--hex",)])
def test_output_fits_eighty_columns(stale: Path, options: tuple[str, ...]) -> None:
    for line in in_full("inspect", stale, *options).stdout.splitlines():
        assert len(line) <= 80 or "path" in line or not line.startswith(" "), line


def test_all_journals_of_a_directory_are_answered_and_a_file_selects_its_journal(stale: Path) -> None:
    for number in (1, 2):
        (stale / f"other{number}.tlog").write_bytes((stale / f"btm{number}.tlog").read_bytes())
    seen = answer("inspect", stale, status=1)
    assert list(seen) == ["journals"]
    files = [[entry["file"] for entry in journal["files"]] for journal in seen["journals"]]
    assert files == [["btm1.tlog", "btm2.tlog"], ["other1.tlog", "other2.tlog"]]
    one = answer("inspect", stale / "other2.tlog", status=1)
    assert [entry["file"] for entry in one["files"]] == ["other1.tlog", "other2.tlog"]


def test_large_gzip_files_are_read_and_their_hexdump_is_folded(stale: Path) -> None:
    for path in [*stale.iterdir()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes().ljust(2097173, b"\0")))
        path.unlink()
    assert [(entry["file"], entry["len"]) for entry in answer("inspect", stale, status=1)["files"]] == [
        ("btm1.tlog.gz", "2097173"),
        ("btm2.tlog.gz", "2097173"),
    ]
    assert "00000015  00 * 2097152 bytes, up to 00200015" in in_full("inspect", stale, "--hex").stdout


def test_compressed_files_that_are_left_out_have_their_names_on_the_disk(stale: Path) -> None:
    """One has a name like that of a journal's file, and the other one can be decompressed."""
    notes = gzip.compress(b"nothing of a journal")
    (stale / "backup-2024.tar.gz").write_bytes(notes[:-3])
    (stale / "notes.gz").write_bytes(notes)
    left_out = answer("inspect", stale, status=1)["left_out"]
    assert [(each["file"], each["why"]) for each in left_out] == [
        ("backup-2024.tar.gz", "the gzip data end early"),
        ("notes.gz", "not part of a journal shown here"),
    ]


def test_long_bytes_and_long_lists_are_printed_as_beginning_and_length(tmp_path: Path) -> None:
    def added(name: bytes) -> bytes:
        """Build an ADD_MESSAGE below 128 bytes: 2 destination (1 kind, 2 name), 3 id, 4 the message."""
        fields = b"\x12\x05\x08\x00\x12\x01q\x1a%c%s\x22\x64%s" % (len(name), name, b"\xab" * 100)
        return b"\x01%c%s" % (len(fields), fields)

    records = b"".join(
        (5 + len(payload)).to_bytes(4, "big") + b"\x01" + payload
        for payload in (added(b"m%d" % number) for number in range(50))
    )
    control = b"\x00\x00\x00\x1c\x02WRITE BATCH" + len(records).to_bytes(4, "big") + bytes(8)
    (tmp_path / "db-1.log").write_bytes(control + records)
    arguments = ("recover", "--format", "kahadb_journal", "--edition", "5.3", tmp_path)
    text = flat(in_full(*arguments))
    assert "destinations: 1" in text
    assert "name q messages 50" in text
    assert "messages: id m39 priority 4 message abababababababababababababababab... (100 bytes)" in text
    assert "messages: and 10 more, which --json lists" in text
    assert "id m40" not in text
    shown = answer(*arguments)["state"]["destinations"][0]["messages"]
    assert [message["id"] for message in shown] == [f"m{number}" for number in range(50)]
    assert {message["message"] for message in shown} == {"ab" * 100}


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason=f"no files of real products in {REAL}")
def test_every_nio_file_of_the_real_directory_is_recognised() -> None:
    (directory,) = (REAL / "bitronix_tlog").glob("nio-*")
    seen = json.loads(in_full("inspect", directory, "--json").stdout)["journals"]
    files = {journal["files"][0]["file"]: journal for journal in seen}
    assert files.keys() == {path.name for path in directory.iterdir()}
    whole, head = files["nio-btm1.first-lap.tlog.gz"], files["nio-btm1.first-lap.head4096.bin"]
    # The start is the same file, truncated at offset 4096, so it has the same records up to this offset.
    at = [{**record, "at": record["at"]["off"]} for record in head["records"]]
    assert at == [{**record, "at": record["at"]["off"]} for record in whole["records"]][: len(at)]
    first = whole["records"][0]
    found = (first["at"]["off"], first["type"], first["gtrid"])
    assert found == ("1024", "ACTIVE", "73727631000001920000000000000001")
