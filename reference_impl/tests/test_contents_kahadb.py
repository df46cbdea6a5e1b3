"""The contents of KahaDB: objects that ActiveMQ's marshallers wrote, the tables, and hostile bytes.

conformance/tests/test_product_newstore_kahadb.py tests which messages brokers deliver.
"""

from __future__ import annotations

import random
import re
import tomllib
import zlib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from journalspec.contents import described
from journalspec.kahadb_journal.commands import build, framed
from journalspec_corpus.kahadb_journal import author
from journalspec_reference import answers, filesets
from journalspec_reference.contents import Count, contents
from journalspec_reference.kahadb_journal.contents import KahaContents, acks, openwire
from journalspec_reference.kahadb_journal.owners import Measured, Subscription
from journalspec_reference.kahadb_journal.store import Ranked, packed
from tables import literals
from work import LINEAR, Counted, Task, growth

ROWS = literals(__file__)
HERE = Path(__file__).resolve().parent
MADE = tomllib.loads((HERE / "data" / "openwire.toml").read_text(encoding="utf-8"))["object"]

#: The body of the test message named "text".
TEXT = "some text some text some text some text"
Made = Mapping[tuple[str, int], bytes]


@cache
def made() -> Made:
    """Return the objects that ActiveMQ's marshallers made, by name and version."""
    return {(each["name"], each["version"]): bytes.fromhex(each["hex"]) for each in MADE}


def opened(directory: Path) -> KahaContents:
    (journal,) = filesets.find_journals(filesets.load(directory), "kahadb_journal")
    found = contents(answers.ask(journal, "salvage"))
    assert isinstance(found, KahaContents)
    return found


def rows(found: KahaContents, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in found.rows(table)]


def columns(found: KahaContents, table: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in found.rows(table)]


# Objects that the marshallers wrote.


def decoded(fields: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"content": None}
    assert openwire.body(fields, row) == []
    return {name: value for name, value in row.items() if value is not None}


def test_acknowledgements_and_subscriptions_of_each_version_are_decoded() -> None:
    """The smoke tier (cases khd.contents) contains the messages of each version."""
    for version in (1, 2, 6, 9, 10, 12):
        found = openwire.read(made()["ack", version], version)
        assert (found.version, found.wrong) == (version, "")
        assert openwire.message_id_text(found.fields["first"]) == "ID:north-1:1:2:1"
        for name in ("ack", "subscription"):
            fields = openwire.read(made()[name, version], version).fields
            for field, value, since in ROWS[f"fields of {name}, and the first version that has them"]:
                assert fields.get(field) == (value if version >= since else None), field


@pytest.mark.parametrize(("name", "columns"), ROWS["bodies of all kinds"])
def test_bodies_of_all_kinds_are_decoded(name: str, columns: dict[str, Any]) -> None:
    found = decoded(openwire.read(made()[name, 11], 11).fields)
    if name.startswith("object"):
        found["data"] = found["data"][:4]
    assert found == columns


def test_object_of_a_learned_shape_has_the_same_fields_as_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[Any, Any] = {}
    monkeypatch.setattr(openwire, "_shapes", known)
    by_shape, named = 0, set[str]()
    names = {name for name, _ in made()}
    for (name, version), data in made().items():
        for place in range(4, len(data), 3):
            changed = bytearray(data)
            changed[place] ^= 1 << place % 8
            for each in (data, bytes(changed)):
                with monkeypatch.context() as alone:
                    alone.setattr(openwire, "_shapes", {})
                    alone.setattr(openwire, "_learn", lambda *_: None)
                    wanted = openwire.fields_of(each, version)
                by_shape += any(shape.fields(each, 4) for shape in known.get((version, each[4]), ()))
                assert openwire.fields_of(each, version) == wanted
        if any(shape.fields(data, 4) for shape in known.get((version, data[4]), ())):
            named.add(name)
    # The command inside an advisory has its own type; it is not an object of its own.
    assert names - named == {"structure"}
    assert by_shape > 1000


@pytest.mark.parametrize(
    ("version", "by_messages", "by_all"),
    [(1, 1, 1), (2, 2, 2), (6, 6, 6), (9, 6, 9), (10, 11, 10), (12, 11, 11)],
)
def test_openwire_version_is_derived_from_the_objects(version: int, by_messages: int, by_all: int) -> None:
    """Messages differ between versions 9 and 10, acknowledgements between 6 and 7, subscriptions between 10
    and 11.
    """
    fits = [[*openwire.fitting(made()[name, version])] for name in ("text-all", "ack", "subscription")]
    for expected, found in ((by_messages, fits[0]), (by_all, fits[0] + fits[1] + fits[2])):
        assert max(openwire.VERSIONS, key=found.count) == expected


# Journals made for these tests.

(ACK_MAP,) = ROWS["ACK_MAP"]


def written(base: Mapping[str, Any], to: Path, edition: str = "5.16") -> KahaContents:
    """Return the contents of a journal that an author describes."""
    to.mkdir(exist_ok=True)
    for name, data in author.build(base, edition).files.items():
        (to / name).write_bytes(data)
    return opened(to)


def lines(*records: str) -> list[str]:
    """Return records as authors write them; names are replaced by the bytes of the objects."""
    words = {
        "MESSAGE": made()["text", 11].hex(),
        "INFO": made()["subscription", 12].hex(),
        "ACK": made()["ack", 12].hex(),
    }
    names = re.compile("(?<=body=)MESSAGE|(?<=info=)INFO|(?<=ack=)ACK")
    return [names.sub(lambda word: words[word[0]], record) for record in records]


def test_journal_without_an_index_has_queues_topics_and_transactions(tmp_path: Path) -> None:
    found = written(
        {
            "batches": [
                lines(
                    "r1 q=A body=MESSAGE",
                    "r2 q=A body=MESSAGE prio=9",
                    "r3 SUBSCRIPTION t=T sub=client:1:sub:2 info=INFO",
                    "r4 t=T body=MESSAGE",
                    "r5 t=T body=MESSAGE",
                    "r6 REMOVE_MESSAGE t=T id=m4 sub=client:1:sub:2",
                    "r7 q=B body=MESSAGE xa=7:01:02",
                    "r8 REMOVE_MESSAGE q=A id=m1 xa=7:01:02 ack=ACK",
                    "r9 PREPARE xa=7:01:02",
                    "r10 q=B body=MESSAGE tx=c1:7",
                    "r11 UPDATE_MESSAGE q=A id=m1 body=MESSAGE",
                )
            ]
        },
        tmp_path,
    )
    key = "client:1:sub:2"
    assert columns(found, "messages", "queue", "subscription", "id", "state", "text") == [
        ("A", None, "m2", "pending", TEXT),
        ("A", None, "m1", "prepared-ack", TEXT),
        ("T", key, "m5", "pending", TEXT),
    ]
    (subscription,) = rows(found, "subscriptions")
    prepared, left = rows(found, "transactions")
    for row, name in ((subscription, "subscription"), (prepared, "prepared"), (left, "left")):
        for column, value in ROWS[f"columns of a row that is {name}"]:
            assert row[column] == value, column
    added, ack = prepared["changes"]
    assert (added["type"], added["queue"], added["id"]) == ("add", "B", "m7")
    assert (ack["type"], ack["queue"], ack["id"]) == ("remove", "A", "m1")
    assert (ack["ack_type"], ack["consumer"]) == ("poison", "ID:south-9:5:6")
    counts = [(count.name, count.rows, count.oldest, count.newest) for count in found.counts()]
    time = 1700000000050
    assert counts == [("A", 2, time, time), (f"T {key}", 1, time, time)]
    queues = columns(found, "queues", "name", "kind", "messages", "pending")
    assert queues == [("A", "queue", 2, 2), ("T", "topic", 1, 1)]
    assert [count.bytes for count in found.counts()] == [
        sum(row["size"] for row in rows(found, "messages") if row["queue"] == name) for name in ("A", "T")
    ]
    assert not found.remarks.kept


def test_row_has_every_header_of_its_message(tmp_path: Path) -> None:
    found = written({"batches": [[f"r1 q=A body={made()['text-all', 12].hex()}"]]}, tmp_path)
    (row,) = rows(found, "messages")
    for column, value in ROWS["columns of the row of text-all"]:
        assert row[column] == value, column


def test_every_row_has_the_columns_of_its_table(tmp_path: Path) -> None:
    records = lines(
        "r1 q=A body=MESSAGE", "r2 SUBSCRIPTION t=T sub=c:s info=INFO", "r3 q=A tx=c:1 body=MESSAGE"
    )
    found = written({"batches": [[*records, ack_map(4, bytes.fromhex(ACK_MAP))]]}, tmp_path)
    for name, table in found.tables.items():
        for row in found.rows(name):
            assert [column.name for column in table.columns] == list(row)
            assert name != "jobs"
    assert rows(found, "acks") == ROWS["acks"]


def ack_map(number: int, stored: bytes) -> str:
    """Return a record with a map of acknowledgements as authors write it."""
    return f"r{number} payload={framed(9, build('ACK_MESSAGE_FILE_MAP', {'file_map': stored})).hex()}"


def test_damaged_map_of_acknowledgements_is_a_remark(tmp_path: Path) -> None:
    stored = bytes.fromhex(ACK_MAP)
    drawn = random.Random(4)
    for _ in range(500):
        spoilt = bytearray(stored[: drawn.randrange(1, len(stored))])
        spoilt[drawn.randrange(len(spoilt))] = drawn.randrange(256)
        with pytest.raises(acks.AckMapError):
            acks.ack_map(bytes(spoilt))
    found = written({"batches": [[ack_map(1, stored[:-3])]]}, tmp_path)
    assert rows(found, "acks") == []
    assert [(remark.table, remark.code) for remark in found.remarks.kept] == [("acks", "bad-ack-map")]


def test_index_beside_the_journal_is_evidence_of_losses(tmp_path: Path) -> None:
    """The index lacks a message in its range (also for a subscription), and contains an additional
    subscription.
    """
    records = lines(
        "r1 q=A body=MESSAGE",
        "r2 q=A body=MESSAGE",
        "r3 SUBSCRIPTION t=T sub=c:s info=INFO",
        "r4 t=T body=MESSAGE",
        "r5 t=T body=MESSAGE",
        "r6 t=T body=MESSAGE",
    )
    index = {
        "messages": ["r2", "r4", "r5"],
        "last": "r5",
        "subscriptions": {"T:c:s": ["r5"], "T:only": ["r4"]},
    }
    found = written({"batches": [records], "index": index}, tmp_path)
    held = columns(found, "messages", "queue", "subscription", "id", "state")
    assert held == ROWS["messages with an index beside the journal"]
    assert columns(found, "queues", "name", "messages", "pending") == [("A", 2, 1), ("T", 4, 3)]
    assert columns(found, "subscriptions", "key", "messages", "pending", "index_only") == [
        ("c:s", 3, 2, False),
        ("only", 1, 1, True),
    ]


def test_version_that_openwire_lacks_is_derived_from_the_objects(tmp_path: Path) -> None:
    """One damaged number in the index would otherwise end the command with an error."""
    index = {"messages": ["r1"], "last": "r1", "version": 7}
    for stored, used in ((13, 11), (-1, 11), (9, 9)):
        base = {"batches": [lines("r1 q=A body=MESSAGE")], "index": {**index, "openwire": stored}}
        found = written(base, tmp_path / str(stored))
        assert (found.version, columns(found, "messages", "text")) == (used, [(TEXT,)])


def test_start_adds_an_updated_message_that_the_index_lacks(tmp_path: Path) -> None:
    """Subscriptions get the message too. A message that the index has or does not need is not changed."""
    records = lines(
        "r1 q=A body=MESSAGE",
        "r2 SUBSCRIPTION t=T sub=c:s info=INFO",
        "r3 t=T body=MESSAGE",
        "r4 t=T body=MESSAGE",
        "r5 t=T body=MESSAGE",
        "r6 UPDATE_MESSAGE q=A id=m1 body=MESSAGE",
        "r7 UPDATE_MESSAGE t=T id=m3 body=MESSAGE",
        "r8 UPDATE_MESSAGE t=T id=m4 body=MESSAGE",
    )
    index = {"messages": ["r4"], "last": "r5", "subscriptions": {"T:c:s": []}}
    found = written({"batches": [records], "index": index}, tmp_path)
    assert columns(found, "messages", "queue", "id", "state") == [
        ("A", "m1", "pending"),
        ("T", "m3", "pending"),
        ("T", "m4", "not-in-index"),
        ("T", "m5", "not-in-index"),
    ]


def test_jobs_are_derived_from_the_commands_of_a_scheduler(tmp_path: Path) -> None:
    def job(ident: str, after: int, **more: Any) -> bytes:
        fields = {"scheduler": "JMS", "job_id": ident, "next_execution_time": after, "start_time": 5, **more}
        return framed(11, build("ADD_SCHEDULED_JOB", {"job": made()["text", 11], **fields}))

    def other(number: int, name: str, **fields: Any) -> bytes:
        return framed(number, build(name, {"scheduler": "JMS", **fields}))

    commands = [
        job("a", 900, delay=7, period=8, repeat=9),
        job("b", 200, cron_entry="* * * * *"),
        job("c", 300),
        job("d", 400),
        other(12, "RESCHEDULE_JOB", job_id="a", next_execution_time=100, rescheduled_count=3),
        other(13, "REMOVE_SCHEDULED_JOB", job_id="c", next_execution_time=300),
        other(14, "REMOVE_SCHEDULED_JOBS", start_time=350, end_time=400),
        framed(11, build("ADD_SCHEDULED_JOB", {"scheduler": "X", "job_id": "e", "job": made()["map", 11]})),
        framed(15, build("DESTROY_SCHEDULER", {"scheduler": "X"})),
    ]
    records = [f"r{at} payload={data.hex()}" for at, data in enumerate(commands, start=1)]
    (tmp_path / "localhost").mkdir()
    scheduler = written({"batches": [records]}, tmp_path / "localhost" / "scheduler")
    beside = written({"batches": [lines("r1 q=A body=MESSAGE")]}, tmp_path / "kahadb")
    for found in (scheduler, beside):
        names = ("id", "next", "start", "cron", "delay", "period", "repeat", "count", "file", "queue", "text")
        assert columns(found, "jobs", *names) == ROWS["jobs that are left"]
        assert next(iter(found.counts())).table == ("jobs" if found is scheduler else "messages")
    link = tmp_path / "other" / "kahadb"
    link.parent.mkdir()
    written({"batches": [["r1 q=A"]]}, link)
    (link.parent / "scheduler").symlink_to(tmp_path / "localhost" / "scheduler")
    assert rows(opened(link), "jobs") == []


def test_jobs_without_commands_are_a_remark(tmp_path: Path) -> None:
    """ActiveMQ 5.10 and earlier stored only the messages."""
    (tmp_path / "localhost").mkdir()
    records = [f"r1 payload={made()['text', 11].hex()}"]
    written({"batches": [records]}, tmp_path / "localhost" / "scheduler", "5.3")
    found = written({"batches": [["r1 q=A"]]}, tmp_path / "kahadb")
    assert rows(found, "jobs") == []
    assert [(remark.table, remark.code) for remark in found.remarks.kept] == [("jobs", "unread-jobs")]


@pytest.mark.parametrize(
    ("decided", "outcome"),
    [
        ("r1 PREPARE xa=61616:63:31", "committed"),
        ("r1 PREPARE xa=61616:63:32", "rolled back"),
        ("", "unknown"),
    ],
)
def test_transaction_over_several_stores_has_the_outcome_in_the_transaction_store(
    decided: str, outcome: str, tmp_path: Path
) -> None:
    records = ["r1 q=A xa=61616:63:31", "r2 PREPARE xa=61616:63:31"]
    if decided:
        written({"batches": [[decided]]}, tmp_path / "txStore")
    found = written({"batches": [records]}, tmp_path / "queue#3a#2f#2fA")
    (row,) = rows(found, "transactions")
    assert (row["outcome"], row["state"]) == (outcome, "prepared")
    assert [remark.code for remark in found.remarks.kept] == ([] if decided else ["undecided"])


# Hostile bytes.


def test_bytes_that_are_not_a_message_are_a_remark_on_their_row(tmp_path: Path) -> None:
    """The rows before and after such bytes remain; the table of remarks states what ActiveMQ does."""
    good, text_of = made()["text", 11].hex(), made()["text", 11]
    cut = (len(text_of) - 24).to_bytes(4, "big") + text_of[4:-20]
    deep = b"\0\0\0\1\0\1x\x0b" * 2000
    records = [
        f"r1 q=A body={good}",
        "r2 q=A body=00",
        f"r3 q=A body={cut.hex()}",
        f"r4 q=A body={_with_content(text_of, 25, deep).hex()}",
        f"r5 q=A body={_with_content(text_of, 28, bytes.fromhex('00000003ff4142')).hex()}",
        f"r6 q=A body={_with_content(text_of, 28, b'xx', compressed=True).hex()}",
        f"r7 q=A body={made()['text-all', 6].hex()}",
        f"r8 q=A body={text_of.replace(b'ID:north-1', b'ID:n' + bytes([255]) + b'rth-1').hex()}",
        f"r9 q=A body={good}",
    ]
    found = written({"batches": [records]}, tmp_path)
    got = {row["id"]: row for row in rows(found, "messages")}
    wanted = [TEXT, None, TEXT, None, "\ufffdAB", None, "a \0 € 😀", TEXT, TEXT]
    assert [got[f"m{at}"]["text"] for at in range(1, 10)] == wanted
    codes = {(remark.key, remark.code) for remark in found.remarks.kept}
    assert codes == {*ROWS["remarks on bytes that are no message"]}
    assert got["m3"]["timestamp"] == 1700000000050
    assert got["m6"]["data"] == b"xx"
    assert {remark.code for remark in found.remarks.kept} <= set(described("kahadb_journal").remarks)  # type: ignore[union-attr]
    assert [(count.rows, count.oldest) for count in found.counts()] == [(9, 1700000000001)]


def _with_content(data: bytes, kind: int, content: bytes, *, compressed: bool = False) -> bytes:
    """Return a made message of version 11, with its kind and body replaced."""
    before, after = data[5:].split(b"\1\0\0\0\x2b", 1)
    rest = after[43:]
    if compressed:
        # The compression flag follows three bytes: no properties, no data structure, no consumer.
        rest = rest[:3] + b"\1" + rest[4:]
    made_of = bytes([kind]) + before + b"\1" + len(content).to_bytes(4, "big") + content + rest
    return len(made_of).to_bytes(4, "big") + made_of


def test_too_large_body_stays_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openwire, "INFLATED", 1 << 16)
    bomb = zlib.compress(bytes((1 << 16) + 1))
    for kind, content in ((28, bomb), (24, ((1 << 16) + 1).to_bytes(4, "big") + bomb)):
        row: dict[str, Any] = {"content": None}
        ((code, _),) = openwire.body({"kind": kind, "content": content, "compressed": True}, row)
        assert (code, row["data"]) == ("too-large", content)
    small = (12).to_bytes(4, "big") + zlib.compress(b"twelve bytes" + bytes(1000))
    row = {"content": None}
    assert openwire.body({"kind": 24, "content": small, "compressed": True}, row) == []
    assert row["data"] == b"twelve bytes"


def test_body_with_too_many_values_is_not_completely_decoded() -> None:
    """Each null takes one byte, so a small compressed body may contain millions."""
    many = zlib.compress(bytes(4 << 20))
    row: dict[str, Any] = {"content": None}
    ((code, _),) = openwire.body({"kind": 27, "content": many, "compressed": True}, row)
    assert (code, len(row["data"]), len(row["content"])) == ("too-large", 4 << 20, 1 << 19)
    nested = b"\0\0\0\1\0\1x" + b"\x0c" + (1 << 20).to_bytes(4, "big") + bytes(1 << 20)
    row = {"content": None}
    assert [code for code, _ in openwire.body({"kind": 25, "content": nested, "compressed": False}, row)] == [
        "too-large"
    ]


@pytest.mark.parametrize("each", [b"\0\1x\x0b\0\0\0\0", b"\0\0\x0c\0\0\0\0", b"\0\1n\x05\0\0\0\1"])
def test_time_for_bodies_is_proportional_to_their_bytes(each: bytes) -> None:
    def read(count: int) -> Task:
        return partial(openwire.properties, Counted(count.to_bytes(4, "big") + each * count))

    assert read(1000)()[1] == ""
    assert growth(read, 1000) < LINEAR


@given(
    st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(-(1 << 63), (1 << 63) - 1)), max_size=9),
    st.lists(st.tuples(st.integers(0, 12), st.sets(st.integers(0, 12))), max_size=4),
)
def test_sums_of_subscriptions_equal_the_sums_over_their_messages(
    messages: list[tuple[int, int | None]], subscriptions: list[tuple[int, set[int]]]
) -> None:
    # Numbers have gaps, because messages are removed.
    numbered = [(number + number // 3, *each) for number, each in enumerate(messages, start=1)]
    ranked = Ranked({str(number): packed(number, number % 3 + 3, 0) for number, *_ in numbered})
    known = {
        str(key): Subscription(above, {number for number in acknowledged if number > above})
        for key, (above, acknowledged) in enumerate(subscriptions)
    }
    measured = Measured()
    for each in numbered:
        measured.add(*each)
    found = measured.sums(known)
    assert found.keys() == known.keys()
    for key, here in known.items():
        wanted = Count("messages", "t k")
        for number, size, time in numbered:
            if number > here.above and number not in here.acknowledged:
                wanted.add(size, time)
        assert Count("messages", "t k", *found[key]) == wanted
        assert ranked.count(here) == len([*ranked.pending(here)]) == wanted.rows
