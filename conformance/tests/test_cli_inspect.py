"""``journalspec inspect`` and ``recover``: what they show to people and to programs of a transaction log."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from journals import COMMITTED, COMMITTING, PARTIAL_COMMIT, PREPARED, add, decision, page, pair
from judged import flat, has, in_full
from tables import table

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real"
A = decision(COMMITTING, b"A", b"db1", b"jms1")


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A log with one record, another one broken after it, and a stale one after the tail."""
    return pair(tmp_path, A, decision(COMMITTING, b"A", b"db1", b"jms1", broken=True), behind=A)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Transaction A is decided for two resources and confirmed by one, B is only prepared."""
    return pair(tmp_path, A, decision(COMMITTED, b"A", b"db1"), decision(PREPARED, b"B", b"db1"))


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """The second of three records has a wrong checksum."""
    first, last = (decision(COMMITTING, gtrid, b"db1") for gtrid in (b"A", b"C"))
    return pair(tmp_path, first, decision(COMMITTING, b"B", b"db1", broken=True), last)


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """The active file has lost its header; an unconfirmed decision is whole in it."""
    path = pair(tmp_path, A, decision(PREPARED, b"B", b"db1")) / "btm1.tlog"
    path.write_bytes(bytes(21) + path.read_bytes()[21:])
    return tmp_path


def inspect(*arguments: object, columns: int = 80) -> Result:
    return in_full("inspect", *arguments, columns=columns)


def recover(*arguments: object) -> Result:
    return in_full("recover", *arguments)


def answer(*arguments: object, by: Callable[..., Result] = inspect, status: int = 0) -> dict[str, Any]:
    result = by(*arguments, "--json")
    assert result.exit_code == status, result.output
    out: dict[str, Any] = json.loads(result.stdout)
    return out


def test_json_is_the_observation_with_format_edition_and_path(stale: Path) -> None:
    seen = answer(stale, status=1)
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
def test_levels(stale: Path, level: str, members: set[str]) -> None:
    always = {"version", "verdict", "format", "edition", "path"}
    assert answer(stale, "--level", level, status=1).keys() == always | members
    assert inspect(stale, "--level", level).exit_code == 1


def test_the_state_as_json(clean: Path) -> None:
    seen = answer(clean, by=recover)
    assert (seen["verdict"], seen["policy"], seen["format"]) == ("clean", "strict", "bitronix_tlog")
    assert seen["state"] == {
        "active": "btm1.tlog",
        "unfinished": [{"gtrid": "41", "names": ["jms1"]}],
        "in_doubt": [{"gtrid": "42", "status": "PREPARED", "names": ["db1"]}],
    }


@pytest.mark.parametrize("row", table("shown")["shown"], ids=lambda row: f"{row['command']}-{row['journal']}")
def test_values_in_display_form(row: dict[str, Any], request: pytest.FixtureRequest) -> None:
    place = request.getfixturevalue(row["journal"])
    result = in_full(*row["command"].split(), place, columns=100)
    assert result.exit_code == row["status"]
    for words in row["there"]:
        assert words.format(place=place) in flat(result), words
    assert [words for words in row.get("absent", ()) if words in flat(result)] == []


@pytest.mark.parametrize("options", [(), ("--hex",)])
def test_output_fits_eighty_columns_and_has_no_colour_in_a_pipe(
    stale: Path, options: tuple[str, ...]
) -> None:
    result = inspect(stale, *options)
    assert "\x1b" not in result.stdout
    for line in result.stdout.splitlines():
        assert len(line) <= 80 or "path" in line or not line.startswith(" "), line


def test_the_annotated_dump(stale: Path) -> None:
    result = inspect(stale, "--hex", columns=120)
    assert result.exit_code == 1
    assert "-- record[0] COMMITTING: 49 bytes at 21 (record)" in result.stdout
    row = next(line for line in result.stdout.splitlines() if line.startswith("00000015"))
    assert row.startswith(
        "00000015  00 00 00 08 00 00 00 29 00 00 00 1c 00 00 00 00  .......)........  status=8 COMMITTING"
    )
    assert "-- dropped bad-checksum: 49 bytes at 70 (dropped)" in result.stdout


def test_several_journals_in_one_directory(stale: Path) -> None:
    for number in (1, 2):
        (stale / f"other{number}.tlog").write_bytes((stale / f"btm{number}.tlog").read_bytes())
    seen = answer(stale, status=1)
    assert list(seen) == ["journals"]
    files = [[entry["file"] for entry in journal["files"]] for journal in seen["journals"]]
    assert files == [["btm1.tlog", "btm2.tlog"], ["other1.tlog", "other2.tlog"]]
    one = answer(stale / "other2.tlog", status=1)
    assert [entry["file"] for entry in one["files"]] == ["other1.tlog", "other2.tlog"]


def test_a_journal_of_which_nothing_can_be_read_ends_with_three(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"btm{number}.tlog").write_bytes(b"garbage")
    assert answer(tmp_path, status=3)["code"] == "short-file"
    text = flat(inspect(tmp_path))
    has(text, "verdict refused", "why header/short-file: the file is shorter than its header")


def test_names_cannot_control_the_terminal(tmp_path: Path) -> None:
    pair(tmp_path, decision(COMMITTING, b"A", b"\x1b[31mred"))
    for options in ((), ("--hex",)):
        result = inspect(tmp_path, *options)
        assert result.exit_code == 0
        assert "\x1b" not in result.stdout
        assert "\\x1b[31mred" in result.stdout


def test_gzip_and_large_files(tmp_path: Path) -> None:
    pair(tmp_path, size=2097173)
    for path in tmp_path.iterdir():
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert [(entry["file"], entry["len"]) for entry in answer(tmp_path)["files"]] == [
        ("btm1.tlog.gz", "2097173"),
        ("btm2.tlog.gz", "2097173"),
    ]
    assert "00000015  00 * 2097152 bytes, up to 00200015" in inspect(tmp_path, "--hex").stdout


def test_the_refusal_as_json(damaged: Path) -> None:
    seen = answer(damaged, by=recover, status=3)
    assert (seen["verdict"], seen["phase"], seen["code"]) == ("refused", "checksum", "bad-checksum")
    assert seen["at"] == {"file": "btm1.tlog", "off": "64", "len": "43"}
    assert "state" not in seen


def test_the_json_of_salvage_carries_what_it_omits(hidden: Path) -> None:
    seen = answer(hidden, "--policy", "salvage", by=recover, status=1)
    assert (seen["records"], seen["state"]["unfinished"]) == ([], [])
    found = seen["unanchored"][0]
    assert (found["type"], found["gtrid"], found["names"]) == ("COMMITTING", "41", ["db1", "jms1"])
    assert (found["at"]["file"], found["at"]["off"]) == ("btm1.tlog", "21")
    assert {"code": "unanchored", "file": "btm1.tlog", "off": "21"} in seen["notes"]


def test_where_no_file_is_left_the_refusal_names_it(hidden: Path) -> None:
    (hidden / "btm2.tlog").write_bytes(bytes(500))
    text = flat(recover(hidden, "--policy", "salvage"))
    has(text, "verdict refused", "COMMITTING gtrid 41, names db1,jms1")


def test_records_after_the_tail_raise_no_alarm(tmp_path: Path) -> None:
    behind = decision(COMMITTED, b"A", b"db1") + decision(PREPARED, b"B", b"db1")
    text = flat(recover(pair(tmp_path, A, behind=behind)))
    assert "2 valid records are after the end of the log" in text
    assert "may be incomplete or wrong" not in text
    assert "verdict clean" in text
    assert len(answer(tmp_path, by=recover)["unanchored"]) == 2


def test_a_file_full_of_records_that_salvage_omits_is_named_in_the_other_format(tmp_path: Path) -> None:
    for number, version in ((1, 2), (2, 9)):
        path = tmp_path / f"activemq-data-{number}.amq"
        page(path, "v2", add("v2", number, number), file_id=number, format_version=version)
    text = flat(recover(tmp_path, "--edition", "v2", "--policy", "salvage"))
    assert "1 valid record is outside the log, in unusable files or regions: 1 ADD. It is not part of" in text
    assert "- ADD file_id 2, id 2 (file activemq-data-2.amq, offset 16)" in text


def test_state_after_a_loss_is_reported_as_uncertain(tmp_path: Path) -> None:
    (tmp_path / "btm2.tlog").write_bytes((PARTIAL_COMMIT / "btm2.tlog").read_bytes())
    doubt = "the state below may be incomplete or wrong"
    assert doubt in flat(recover("--policy", "salvage", tmp_path))
    assert doubt not in flat(recover("--policy", "salvage", PARTIAL_COMMIT))


def test_long_bytes_and_long_lists_are_reported_by_their_beginning_and_their_length(tmp_path: Path) -> None:
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
    arguments = ("--format", "kahadb_journal", "--edition", "5.3", tmp_path)
    text = flat(recover(*arguments))
    has(text, "destinations: 1", "name q messages 50")
    assert "messages: id m39 priority 4 message abababababababababababababababab... (100 bytes)" in text
    assert "messages: and 10 more, which --json lists" in text
    assert "id m40" not in text
    shown = answer(*arguments, by=recover)["state"]["destinations"][0]["messages"]
    assert [message["id"] for message in shown] == [f"m{number}" for number in range(50)]
    assert {message["message"] for message in shown} == {"ab" * 100}


# The files of the real product: an independent reader's results for them are in parsed.json.

ROOT = REAL / "bitronix_tlog"
PARSED = json.loads((ROOT / "parsed.json").read_text()) if (ROOT / "parsed.json").is_file() else {}
DIRECTORIES = sorted({str(Path(name).parent) for name in PARSED})
needs_real = pytest.mark.skipif(not DIRECTORIES, reason=f"no files of real products in {REAL}")


@pytest.mark.real
@needs_real
def test_every_nio_file_of_the_real_directory_is_a_journal() -> None:
    (directory,) = ROOT.glob("nio-*")
    seen = json.loads(inspect(directory, "--json").stdout)["journals"]
    files = {journal["files"][0]["file"]: journal for journal in seen}
    assert files.keys() == {path.name for path in directory.iterdir()}
    whole, head = files["nio-btm1.first-lap.tlog.gz"], files["nio-btm1.first-lap.head4096.bin"]
    # The head is the same file cut at 4096: the same records up to the cut.
    at = [{**record, "at": record["at"]["off"]} for record in head["records"]]
    assert at == [{**record, "at": record["at"]["off"]} for record in whole["records"]][: len(at)]
    first = whole["records"][0]
    found = (first["at"]["off"], first["type"], first["gtrid"])
    assert found == ("1024", "ACTIVE", "73727631000001920000000000000001")
