"""Contents after tampering cause no internal error, reveal no hidden data, and send no terminal control
sequences.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from journals import CAPTURED
from journalspec_conformance.cli.query import _unique
from journalspec_conformance.cli.redaction import Redactor
from journalspec_corpus.kahadb_journal import author
from journalspec_reference.filesets import find_journals, load
from judged import call, flat, harmless
from situations import store

PAGE = 4096
#: The byte after the name of a property: the tag of its value.
TEXT, INT, DATA_TAG, DOUBLE, CHARACTER = 10, 6, 4, 9, 11
#: Properties that have their own columns, the new tag of each, and the first bytes of its value.
FORGED = {
    "a number": ("JMSType", INT, b"\0\0\x30\x39", "12345"),
    "half a character": ("_HQ_GROUP_ID", CHARACTER, b"\xd8\0", "\ufffd"),
    "bytes": ("JMSCorrelationID", DATA_TAG, b"\0\0\0\1", None),
    "no number": ("JMSReplyTo", DOUBLE, b"\x7f\xf8\0\0", None),
}
QUERY = "select type, group_id, correlation_id, reply_to, group_sequence from messages"


@pytest.fixture(params=FORGED)
def forged(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None]:
    """Return two values: a store of HornetQ in which properties have wrong types, and the value of one of
    these properties.
    """
    name, tag, value, told = FORGED[request.param]
    place = store("hornetq_contents", tmp_path)
    file = place / "journal" / "hornetq-data-1.hq"
    data, key = bytearray(file.read_bytes()), name.encode("utf-16-le") + bytes([TEXT])
    assert key in data
    at = data.find(key)
    while at >= 0:
        end = at + len(key)
        data[end - 1 : end + len(value)] = bytes([tag]) + value
        at = data.find(key, end)
    file.write_bytes(data)
    return place, told


def test_properties_of_unexpected_types_are_always_shown(
    forged: tuple[Path, str | None], tmp_path: Path
) -> None:
    place, told = forged
    out = tmp_path / "rows.parquet"
    for redact in ([], ["--redact"]):
        out.unlink(missing_ok=True)
        for asked in (
            ["inspect", place, "--contents", "messages"],
            ["inspect", place, "--contents", "messages", "--csv"],
            ["inspect", place, "--contents", "messages", "--ndjson"],
            ["inspect", place, "--contents", "messages", "--parquet", out],
            ["inspect", place, "--contents", "messages", "--count-by", "reply_to,correlation_id"],
            ["recover", place, "--level", "contents", "--json"],
            ["query", place, QUERY],
        ):
            done = call(*asked, *redact, status=0)
            harmless(done.stdout)
            if told is not None and redact and "query" in asked:
                assert told not in done.stdout
    rows = [*csv.DictReader(io.StringIO(call("query", place, QUERY).stdout))]
    assert rows
    if told is not None:
        assert any(told in row.values() for row in rows)


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (253_402_300_800_000, ""),
        (-62_135_596_800_001, ""),
        (253_402_300_799_999, "9999-12-31 23:59:59.999000+00:00"),
    ],
)
def test_time_outside_the_calendar_does_not_end_a_query(time: int, shown: str, tmp_path: Path) -> None:
    place = store("hornetq_contents", tmp_path)
    file = place / "journal" / "hornetq-data-1.hq"
    lines = call("inspect", place, "--contents", "messages", "--ndjson").stdout.splitlines()
    rows = [found["row"] for found in map(json.loads, lines) if "row" in found]
    stamped = [row for row in rows if row["timestamp"] and row["file"] == file.name]
    stored = round(datetime.fromisoformat(stamped[0]["timestamp"]).timestamp() * 1000).to_bytes(8, "big")
    data = file.read_bytes()
    assert stored in data
    file.write_bytes(data.replace(stored, (time & (1 << 64) - 1).to_bytes(8, "big")))
    done = call("query", place, "select min(timestamp), id from messages group by id", status=0)
    found = {row[1]: row[0] for row in csv.reader(io.StringIO(done.stdout))}
    assert found[stamped[0]["id"]] == shown
    assert len(found) == len({row["id"] for row in rows}) + 1


def test_redaction_marks_of_names_that_are_not_valid_utf8() -> None:
    redactor = Redactor(find_journals(load(CAPTURED / "kahadb_journal/activemq-5.11.4/in-doubt"))[0])
    # A file name that is not UTF-8, and half of a surrogate pair, which no name can contain.
    marks = {redactor.text(text) for text in ("\udcff", "\ud800", "a\udcff\ud800")}
    assert len(marks) == 3
    assert all(mark.startswith(("text(1)#", "text(3)#")) for mark in marks)


def test_names_of_sql_columns_do_not_control_a_terminal(tmp_path: Path) -> None:
    place = store("derby_contents", tmp_path)
    file = place / "seg0" / "c90.dat"
    data = bytearray(file.read_bytes())
    at = data.index(b"\0\3LVB") + 2
    data[at : at + 3] = b"\x1b]0"
    page = at // PAGE * PAGE
    data[page + PAGE - 8 : page + PAGE] = zlib.crc32(data[page : page + PAGE - 8]).to_bytes(8, "big")
    file.write_bytes(data)
    for asked in (
        ["inspect", place, "--table", "ALLT"],
        ["inspect", place, "--table", "ALLT", "--csv"],
        ["query", place, 'select * from "APP.ALLT"'],
        ["columns", place],
    ):
        done = call(*asked, columns=2000)
        assert done.exit_code in (0, 1), done.output
        assert "\\x1b]0" in harmless(done.stdout), asked
    # With --redact, the names are not shown.
    assert "]0" not in call("inspect", place, "--contents", "tables", "--csv", "--redact").stdout


def test_names_in_written_files_control_neither_terminals_nor_pages(tmp_path: Path) -> None:
    name = "a|<b>\\[x](y)\x9b2J\u202e"
    records = [[f"r1 q={name}"], [f"r2 q={name} tx={name}:7"]]
    for file, data in author.build({"batches": records}, "5.16").files.items():
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / file).write_bytes(data)
    asked = ["--format", "kahadb_journal", "--edition", "5.16"]
    done = call("export", "--as", "artemis-xml", tmp_path / "old", *asked)
    root = ElementTree.fromstring(harmless(done.stdout))  # noqa: S314  # written by this command
    assert {each.get("name") for each in root.iter("address-binding")} == {name}
    call("recover", "--to", tmp_path / "new", tmp_path / "old", *asked, status=1)
    page = harmless((tmp_path / "new.loss-report.md").read_text(encoding="utf-8"))
    (row,) = (line for line in page.splitlines() if "has no end" in line)
    assert r"a\|&lt;b>\\\[x](y)\\x9b2J\\u202e:7 has no end" in row
    assert len(re.findall(r"(?<!\\)\|", row)) == len(re.findall(r"\|", "| id | queue | place | reason |  |"))


def test_tables_whose_names_differ_only_by_case_are_distinct() -> None:
    assert _unique(["APP.T", "APP.t", "APP.T_1", "x"], str.casefold) == ["APP.T", "APP.t_1_1", "APP.T_1", "x"]
    assert _unique(["a", "A", "a"]) == ["a", "A", "a_2"]


def test_redaction_does_not_name_tables_that_the_user_did_not_name(tmp_path: Path) -> None:
    place = store("derby_contents", tmp_path)
    for name in ("LATER", "KEPT ROWS.", "nonsense"):
        done = call("inspect", place, "--table", name, "--redact", status=2)
        assert "APP." not in flat(done)
        assert "Other" not in done.output
