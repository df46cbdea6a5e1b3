"""Contents of hostile stores: values whose types do not fit their columns, compression bombs, holes,
repetitions.
"""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from journalspec.kahadb_journal.commands import build, framed
from journalspec_corpus.kahadb_journal import author
from journalspec_reference.answers import ask
from journalspec_reference.contents import contents, filled
from journalspec_reference.derby_log.contents import _columns
from journalspec_reference.derby_log.contents.catalog import SqlTable
from journalspec_reference.derby_log.contents.values import TYPES, Typed
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.contents import amqp, core
from journalspec_reference.jboss_journal.contents.amqp_types import MOST_VALUES
from journalspec_reference.jboss_journal.contents.messages import LargeFiles, QueuedMessage, RowMaker
from journalspec_reference.jboss_journal.contents.paging import Paging
from journalspec_reference.jboss_journal.fileset import Room
from journalspec_reference.kahadb_journal.contents import KahaContents
from work import LINEAR, Task, growth, work

INTEGER = 19
#: Properties that have their own columns, and these columns.
TEXTS = {
    "JMSCorrelationID": "correlation_id",
    "JMSReplyTo": "reply_to",
    "_AMQ_GROUP_ID": "group_id",
    "JMSType": "type",
    "JMSXUserID": "user_id",
}


# Core messages and AMQP messages.


def test_row_has_the_columns_of_its_table_in_order() -> None:
    assert [*filled({"id": None, "text": None}, {"text": "a", "more": 1}).items()] == [
        ("id", None),
        ("text", "a"),
    ]


@pytest.mark.parametrize(
    ("value", "text"), [(7, "7"), (True, "True"), (1.5, "1.5"), (b"\xff", "ff"), (None, None), ("a", "a")]
)
def test_property_of_any_type_becomes_a_text_in_a_text_column(value: Any, text: str | None) -> None:
    maker = RowMaker(LargeFiles(None), lambda _: None)
    row = maker.row(QueuedMessage("q", 1, "f", 0, 0), core.Message(properties=dict.fromkeys(TEXTS, value)))
    assert {row[column] for column in TEXTS.values()} == {text}


@pytest.mark.parametrize(
    ("value", "number"),
    [("7", None), (b"7", None), (True, None), (1 << 63, None), (-(1 << 63), -(1 << 63)), (7, 7)],
)
def test_number_column_has_only_64_bit_integers(value: Any, number: int | None) -> None:
    maker = RowMaker(LargeFiles(None), lambda _: None)
    message = core.Message(properties={"_AMQ_GROUP_SEQUENCE": value})
    assert maker.row(QueuedMessage("q", 1, "f", 0, 0), message)["group_sequence"] == number
    assert amqp.whole(value) == number


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert core.elements(b"\x0b\xd8\x00\x0b\x00A\x0b\xdf\xff") == ["\ufffd", "A", "\ufffd"]


@pytest.mark.parametrize("kind", [core.STREAM, core.MAP])
def test_decompression_bomb_of_values_is_not_decoded(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "MOST_VALUES", 4096)
    values = bytes(core.MOST_BODY - 5)
    body = zlib.compress(values if kind == core.STREAM else struct.pack(">Bi", 1, 10_000_000) + values, 9)
    message = core.Message(type=kind, properties={"_AMQ_LARGE_COMPRESSED": True}, body=body)
    found = core.body_of(message)
    assert (found.content, found.problem) == (None, core._TOO_MANY)
    assert work(partial(core.body_of, message))[0] < 12 * core.MOST_VALUES


@pytest.mark.parametrize("item", [b"\x40", b"\x45", b"\xa1\x01a", b"\x00\x43\x43"])
def test_amqp_message_loads_a_limited_number_of_values(item: bytes) -> None:
    count = 2 * MOST_VALUES
    items = item * count
    sections = b"\0\x53\x77\xd0" + struct.pack(">II", len(items) + 4, count) + items
    record = struct.pack(">BQQB", 2, 1, 0, 0) + struct.pack(">I", len(sections)) + sections
    row, reasons = amqp.message(record)
    assert "there are more than 524288 values" in reasons[0]
    assert (row["kind"], row["content"], row["data"]) == ("unknown", None, record)


# Page files.


def _page(directory: Path, number: int) -> Path:
    (directory / "a").mkdir(exist_ok=True)
    (directory / "a" / "address.txt").write_text("a")
    return directory / "a" / f"{number:09}.page"


def test_page_entry_that_is_mostly_a_hole_is_not_loaded(tmp_path: Path) -> None:
    small = struct.pack(">qBB", 0, 0, 1) + struct.pack(">qBi", 5, 0, 0) + struct.pack(">iq", 1, 77)
    entry = b"{" + struct.pack(">i", len(small)) + small + b"}"
    size = 1 << 30
    with _page(tmp_path, 1).open("wb") as file:
        file.write(b"{" + struct.pack(">i", size))
        file.seek(5 + size)
        file.write(b"}" + entry)
        file.truncate(1 << 40)
    told: list[tuple[str, int | None]] = []
    tracemalloc.start()
    (page,) = Paging(Room(tmp_path), old=False).files(lambda *_: None)
    entries = [*page.entries(lambda code, _, off, __: told.append((code, off)))]
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
    assert work(lambda: [*page.entries(lambda *_: None)])[0] < 1000
    assert told == [("too-large", 0)]
    assert [(each.index, each.off, each.queues) for each in entries] == [(1, size + 6, (77,))]


# Derby databases.


def test_number_too_large_for_a_column_is_not_decoded() -> None:
    assert TYPES[INTEGER].decode(b"\xff\xff\xff\xfe") == -2
    with pytest.raises(ValueError, match="a number of 9 bytes"):
        TYPES[INTEGER].decode(bytes(9))
    # This number has more digits than Python converts to a text.
    with pytest.raises(ValueError, match="a number of 4096 bytes"):
        TYPES[INTEGER].decode(b"\x7f" * 4096)


def test_columns_with_one_name_take_linear_time() -> None:
    def columns(count: int) -> Task:
        listed = (("A", Typed(INTEGER, "INTEGER")),) * count
        return partial(_columns, SqlTable("S", "T", "user", 1, listed))

    assert growth(columns, 125) < LINEAR
    names = [each.name for each in columns(1012)()]
    assert len(set(names)) == 1012
    assert sum(map(len, names)) < 6 * 1012


# KahaDB journals.


def _kahadb(records: list[str], to: Path) -> KahaContents:
    for name, data in author.build({"batches": [records]}, "5.16").files.items():
        (to / name).write_bytes(data)
    (journal,) = find_journals(load(to))
    found = contents(ask(journal))
    assert isinstance(found, KahaContents)
    return found


def test_removal_of_jobs_by_time_does_not_check_all_jobs_each_time(tmp_path: Path) -> None:
    def counted(count: int) -> Task:
        fields = {"scheduler": "J", "job": b"\0\0\0\1\0"}
        commands = [
            framed(11, build("ADD_SCHEDULED_JOB", {**fields, "job_id": f"j{at}", "next_execution_time": at}))
            for at in range(10, 10 + count)
        ]
        none = framed(14, build("REMOVE_SCHEDULED_JOBS", {"scheduler": "J", "start_time": 1, "end_time": 2}))
        to = tmp_path / str(count)
        to.mkdir(exist_ok=True)
        records = [f"r{at} payload={data.hex()}" for at, data in enumerate([*commands, *[none] * count], 1)]
        found = _kahadb(records, to)
        return lambda: [each.rows for each in found.counts() if each.table == "jobs"]

    assert counted(40)() == [40]
    assert growth(counted, 40) < LINEAR
