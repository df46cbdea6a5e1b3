"""Contents of broker journals: equal to what brokers say of real stores, and to their rules on made ones."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from families_draw import draw

from artemis_store import (
    ARTEMIS_1,
    ARTEMIS_2,
    add,
    headers,
    made,
    message,
    old_message,
    paged,
    queue,
    simple,
    typed,
    update,
    with_pages,
    write,
    xid,
)
from broker_lists import ALL_KINDS, compare, plain
from journalspec.families import decode, families
from journalspec.jboss_journal import LAYOUT
from journalspec_reference import contents as shared
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.java_objects import class_name
from journalspec_reference.jboss_journal import contents as broker
from journalspec_reference.jboss_journal.beside import Room
from journalspec_reference.jboss_journal.contents import BrokerContents, core
from journalspec_reference.jboss_journal.contents.core import (
    HEADERS,
    Message,
    headers_at,
    message_of,
    uuid_text,
)
from journalspec_reference.jboss_journal.contents.paging import PageFile
from unpacked import copied, unpacked

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "contents" / "jboss_journal"
STORES = ("artemis-1.5.6", "artemis-2.44-core", "artemis-2.44-paging")
#: A 1.x broker takes this property out when it reads a message; it is in the record.
TAKEN_OUT = {"artemis-1.5.6": ("_AMQ_SCHED_DELIVERY", "_HQ_SCHED_DELIVERY")}


def asked(directory: Path) -> Answer:
    (journal,) = find_journals(load(directory))
    return ask(journal, SALVAGE)


def opened(directory: Path) -> BrokerContents:
    found = shared.contents(asked(directory))
    assert isinstance(found, BrokerContents)
    return found


def stored_bodies(found: BrokerContents) -> dict[int, bytes]:
    """Return the body of each message as stored, by its id."""
    live = [item for item in found.store.replay.live() if item.user_type in (31, 45)]
    out = {item.id: message_of(item.user_type, item.stored).body for item in live}
    for _, entry in found.store.entries():
        message = message_of(entry.kind, entry.data[entry.start : entry.end])
        out[message.id] = message.body
    return out


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason=f"no stores of real brokers in {REAL}")
@pytest.mark.parametrize("store", STORES)
def test_contents_equal_what_the_broker_said(store: str, tmp_path: Path) -> None:
    expected = json.loads((REAL / store / "expected.json").read_text(encoding="utf-8"))
    found = opened(copied(REAL / store, tmp_path / store) / "journal")
    bodies, queues = stored_bodies(found), {row["queue"]: row for row in found.rows("queues")}
    rows: dict[Any, list[Any]] = {name: [] for name in queues}
    for row in found.rows("messages"):
        rows[row["queue"]].append(row)
    assert set(queues) == set(expected["queues"])
    counts = {count.name: count for count in found.counts()}
    for name, told in expected["queues"].items():
        for column in ("id", "address", "filter"):
            assert queues[name][column] == told[column], (name, column)
        if "routing" in told:
            assert queues[name]["routing"] == told["routing"].lower()
        due = [row for row in rows[name] if not row["scheduled"]]
        due.sort(key=lambda row: (row["paged"], -row["priority"]))
        assert [row["id"] for row in due] == [each["id"] for each in told["messages"]], name
        wanted = {each["id"]: each for each in (*told["messages"], *told["scheduled_messages"])}
        assert {row["id"] for row in rows[name]} == set(wanted)
        assert len(rows[name]) == counts[name].rows == queues[name]["messages"] == len(wanted)
        for row in rows[name]:
            assert_same(row, wanted[row["id"]], bodies, TAKEN_OUT.get(store, ()))
    xids = [
        (row["state"], row["format_id"], row["global_id"], row["branch"])
        for row in found.rows("transactions")
    ]
    assert sorted(xid for xid in xids if xid[0] == "prepared") == sorted(
        ("prepared", each["format"], each["gtx"].encode(), each["branch"].encode())
        for each in expected["prepared"]
    )
    states = [xid[0] for xid in xids]
    assert states.count("heuristically committed") == expected["heuristic_committed"]
    assert not list(found.rows("dropped"))
    assert {remark.code for remark in found.remarks.kept} <= {"no-page-transaction"}


def test_contents_of_a_hornetq_store_equal_what_the_broker_listed(tmp_path: Path) -> None:
    unpacked(Path(__file__).parent / "data" / "hornetq_contents.tar.xz", tmp_path)
    found = opened(tmp_path / "journal")
    wanted = plain(json.loads((tmp_path / "expected.json").read_text(encoding="utf-8")))
    # HornetQ takes this property out when it reads a message.
    assert compare(found, wanted, {"_HQ_SCHED_DELIVERY"}) == ALL_KINDS
    (store,) = found.rows("store")
    assert store["product"] == "HornetQ 2"
    assert {remark.code for remark in found.remarks.kept} == {"no-page-transaction"}


def assert_same(
    row: Mapping[str, Any], wanted: Mapping[str, Any], bodies: Mapping[int, bytes], taken_out: tuple[str, ...]
) -> None:
    """Compare one message with the broker's output."""
    for column in ("address", "durable", "priority", "large", "paged", "delivery_count"):
        assert row[column] == wanted[column], column
    for column in ("timestamp", "expiration", "scheduled"):
        assert (row[column] or 0) == wanted[column], column
    assert row["message_id"] == (f"ID:{wanted['user_id']}" if wanted["user_id"] else None)
    assert core.KINDS[wanted["type"]] == row["kind"]
    properties = {
        name: f"hex:{value.hex()}" if isinstance(value, bytes) else value
        for name, value in row["properties"].items()
        if name not in taken_out
    }
    assert properties == wanted["properties"]
    if "text" in wanted:
        assert row["text"] == wanted["text"]
    if "text_sha256_utf8" in wanted:
        assert hashlib.sha256(row["text"].encode()).hexdigest() == wanted["text_sha256_utf8"]
    if row["large"]:
        text = row["text"]
        stored = simple(text, flag=True) if row["kind"] == "text" else row["data"]
    else:
        stored = bodies[row["id"]]
        if row["kind"] == "plain" and row["data"] is None:
            stored = b""
    if "body_hex" in wanted:
        assert stored.hex() == wanted["body_hex"]
    if "body_sha256" in wanted:
        assert hashlib.sha256(stored).hexdigest() == wanted["body_sha256"]
    if row["kind"] == "object":
        assert row["class_name"] == "java.util.ArrayList"


# Made stores.


def codes(found: BrokerContents) -> set[str]:
    for table in found.tables:
        list(found.rows(table))
    return {remark.code for remark in found.remarks.kept}


@pytest.mark.parametrize("prefix", ["", "messaging"])
def test_queues_have_names_in_either_layout_of_directories(tmp_path: Path, prefix: str) -> None:
    found = opened(made(tmp_path, [add(10), update(10, 32, 7)], {7: "orders", 8: "empty"}, prefix))
    assert [(count.name, count.rows) for count in found.counts()] == [("orders", 1), ("empty", 0)]
    assert [(row["queue"], row["text"], row["file"]) for row in found.rows("messages")] == [
        ("orders", "text 10", "activemq-data-1.amq")
    ]
    assert not codes(found)


def test_every_row_has_the_columns_of_its_table(tmp_path: Path) -> None:
    directory = made(tmp_path, [add(10), add(11), update(10, 32, 7), update(10, 32, 9)], {7: "orders"})
    found = opened(directory)
    for name, table in found.tables.items():
        for row in found.rows(name):
            assert list(row) == [column.name for column in table.columns]


def test_acknowledged_references_are_missing_and_the_others_keep_their_order(tmp_path: Path) -> None:
    records = [add(10), update(10, 32, 7), update(10, 32, 8), add(11), update(11, 32, 7), update(10, 33, 7)]
    found = opened(made(tmp_path, records, {7: "a", 8: "b"}))
    assert [(row["queue"], row["id"]) for row in found.rows("messages")] == [("b", 10), ("a", 11)]


def test_the_last_delivery_count_and_schedule_count(tmp_path: Path) -> None:
    counted = [("UPDATE", 10, 34, struct.pack(">qi", 7, count)) for count in (1, 3)]
    records = [add(10), update(10, 32, 7), *counted, update(10, 36, 7, 4_102_444_800_000)]
    (row,) = opened(made(tmp_path, records, {7: "a"})).rows("messages")
    assert (row["delivery_count"], row["redelivered"], row["scheduled"]) == (3, True, 4_102_444_800_000)


def test_messages_of_a_queue_without_a_binding_are_what_a_start_deletes(tmp_path: Path) -> None:
    found = opened(made(tmp_path, [add(10), update(10, 32, 7), add(11), update(11, 32, 9)], {7: "a"}))
    assert [row["id"] for row in found.rows("messages")] == [10]
    assert [(row["why"], row["queue"], row["id"]) for row in found.rows("dropped")] == [
        ("no-binding", "queue 9", 11)
    ]
    assert codes(found) == {"no-binding"}


def test_messages_that_no_queue_holds_are_what_a_start_deletes(tmp_path: Path) -> None:
    found = opened(made(tmp_path, [add(10), update(10, 32, 7), add(11)], {7: "a"}))
    assert [(row["why"], row["queue"], row["id"]) for row in found.rows("dropped")] == [
        ("no-reference", None, 11)
    ]


def test_without_bindings_nothing_is_dropped_and_queues_have_numbers(tmp_path: Path) -> None:
    found = opened(made(tmp_path, [add(10), update(10, 32, 7)]))
    assert [row["queue"] for row in found.rows("messages")] == ["queue 7"]
    assert [row["queue"] for row in found.rows("queues")] == ["queue 7"]
    assert not list(found.rows("dropped"))
    assert codes(found) == {"no-bindings"}


def test_a_link_to_other_bindings_is_not_followed(tmp_path: Path) -> None:
    directory = made(tmp_path / "one", [add(10), update(10, 32, 7)])
    made(tmp_path / "two", [], {7: "secret"})
    (tmp_path / "one" / "bindings").symlink_to(tmp_path / "two" / "bindings")
    assert [row["queue"] for row in opened(directory).rows("messages")] == ["queue 7"]


def test_a_link_to_another_file_is_not_a_large_message(tmp_path: Path) -> None:
    directory = made(tmp_path, [add(10, headers(10, 4), 30), update(10, 32, 7)], {7: "a"})
    (tmp_path / "large-messages").mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "large-messages" / "10.msg").symlink_to(tmp_path / "secret")
    found = opened(directory)
    (row,) = found.rows("messages")
    assert row["data"] == b""
    assert codes(found) == {"no-large-file"}


def test_changes_of_what_is_not_there_are_remarks(tmp_path: Path) -> None:
    records = [add(10), update(10, 32, 7), update(11, 32, 7), update(10, 33, 8), update(12, 33, 7)]
    found = opened(made(tmp_path, records, {7: "a", 8: "b"}))
    assert [row["id"] for row in found.rows("messages")] == [10]
    assert codes(found) == {"no-message", "no-reference"}


def test_a_record_of_the_old_type_beside_new_ones_is_a_remark(tmp_path: Path) -> None:
    records = [add(10), add(11, old_message(11), 31), update(10, 32, 7), update(11, 32, 7)]
    found = opened(made(tmp_path, records, {7: "a"}))
    assert [row["text"] for row in found.rows("messages")] == ["text 10", "text 11"]
    assert codes(found) == {"old-message"}


@pytest.mark.parametrize(
    ("extension", "kind", "tail", "product"),
    [
        ("hq", 31, b"", "HornetQ 2"),
        ("amq", 31, ARTEMIS_1, "ActiveMQ Artemis 1"),
        ("amq", 45, ARTEMIS_2, "ActiveMQ Artemis 2"),
    ],
)
def test_contents_show_the_product(
    tmp_path: Path, extension: str, kind: int, tail: bytes, product: str
) -> None:
    body = message(10) if kind == 45 else old_message(10)
    directory = made(tmp_path, [add(10, body, kind), update(10, 32, 7)], {}, extension=extension)
    write(tmp_path / "bindings" / "activemq-bindings-1.bindings", [("ADD", 7, 21, queue("a", tail))])
    (row,) = opened(directory).rows("store")
    assert row["product"] == product


def test_messages_and_acknowledgements_of_a_prepared_transaction_are_in_doubt(tmp_path: Path) -> None:
    directory = made(tmp_path, [], {7: "a"})
    plain = [add(10), update(10, 32, 7)]
    in_doubt = [
        ("ADD_TX", 11, 45, message(11)),
        ("UPDATE_TX", 11, 32, struct.pack(">q", 7)),
        ("UPDATE_TX", 10, 33, struct.pack(">q", 7)),
    ]
    write(directory / "activemq-data-1.amq", [*plain, *in_doubt], 50, xid())
    found = opened(directory)
    assert not list(found.rows("messages"))
    assert [count.rows for count in found.counts()] == [0]
    assert [(row["action"], row["id"], row["text"]) for row in found.rows("in_doubt")] == [
        ("send", 11, "text 11"),
        ("acknowledge", 10, "text 10"),
    ]
    (row,) = found.rows("transactions")
    assert (row["id"], row["xid"], row["sends"], row["acknowledges"]) == (50, "131077:g1:b1", 1, 1)


def test_paged_messages_are_pending_until_a_cursor_acknowledges_them(tmp_path: Path) -> None:
    page = paged(message(20), [7, 8]) + paged(message(21), [7], 5) + paged(message(22), [7], 6)
    records = [("ADD", 30, 39, struct.pack(">qqi", 7, 1, 0)), ("ADD", 31, 35, struct.pack(">qi", 5, 1))]
    found = opened(with_pages(tmp_path, records, page))
    rows = [(row["queue"], row["id"], row["paged"], row["file"]) for row in found.rows("messages")]
    assert rows == [("b", 20, True, "1f/000000001.page"), ("a", 21, True, "1f/000000001.page")]
    assert codes(found) == {"no-page-transaction"}
    assert [(row["id"], row["messages"]) for row in found.rows("page_transactions")] == [(5, 1)]


def test_a_completed_page_holds_nothing_for_its_queue(tmp_path: Path) -> None:
    records = [("ADD", 30, 42, struct.pack(">qqi", 7, 1, 1))]
    found = opened(with_pages(tmp_path, records, paged(message(20), [7, 8])))
    assert [row["queue"] for row in found.rows("messages")] == ["b"]


def test_an_address_file_that_is_empty_is_a_remark(tmp_path: Path) -> None:
    """A crash of HornetQ 2.4.9 left such a file, and the broker did not start again."""
    directory = made(tmp_path, [add(10), update(10, 32, 7)], {7: "a"})
    (tmp_path / "paging" / "0a").mkdir(parents=True)
    (tmp_path / "paging" / "0a" / "address.txt").touch()
    found = opened(directory)
    assert [count.rows for count in found.counts()] == [1]
    assert codes(found) == {"empty-address-file"}


def test_a_page_ends_where_an_entry_is_not_complete(tmp_path: Path) -> None:
    page = paged(message(20), [7]) + paged(message(21), [7])[:-1] + b"?"
    found = opened(with_pages(tmp_path, [], page + paged(message(22), [7])))
    assert [row["id"] for row in found.rows("messages")] == [20]
    assert codes(found) == {"page-damaged"}


def test_causes_of_a_failing_start_are_in_the_journal_not_in_pages_or_properties(tmp_path: Path) -> None:
    odd = message(12, 3, None, typed({"colour": b"\x63"}))
    found = opened(with_pages(tmp_path, [add(12, odd), update(12, 32, 7)], paged(bytes(3), [7])))
    assert len([*found.rows("messages")]) == 1
    assert codes(found) == {"undecodable"}
    assert found.judge() == set()
    cut = opened(made(tmp_path / "cut", [add(10), update(10, 32, 7), add(11, b"\x01" + bytes(9))], {7: "a"}))
    assert cut.judge() == {"undecodable"}
    assert codes(cut) == {"no-reference", "undecodable"}


def test_zeros_after_the_entries_of_a_page_are_not_damage(tmp_path: Path) -> None:
    found = opened(with_pages(tmp_path, [], paged(message(20), [7]) + bytes(100)))
    assert [row["id"] for row in found.rows("messages")] == [20]
    assert not codes(found)


def test_large_messages_have_their_bodies_from_files(tmp_path: Path) -> None:
    size = typed({"_AMQ_LARGE_SIZE": b"\x07" + struct.pack(">q", 5)})
    records = [add(ident, headers(ident, 4, size), 30) for ident in (10, 11, 12)]
    references = [update(ident, 32, 7) for ident in (10, 11, 12)]
    directory = made(tmp_path, [*records, *references], {7: "a"})
    room = tmp_path / "large-messages"
    room.mkdir()
    for name, data in (("10.msg", b"12345"), ("11.msg", b"12"), ("99.msg", b"")):
        (room / name).write_bytes(data)
    found = opened(directory)
    assert [row["data"] for row in found.rows("messages")] == [b"12345", b"12", b""]
    list(found.counts())
    assert {(remark.code, remark.key) for remark in found.remarks.kept} == {
        ("short-large-file", "11"),
        ("no-large-file", "12"),
        ("orphan-large-file", "99"),
    }


@pytest.mark.parametrize("kind", [0, 1, 200])
def test_a_journal_of_something_else_has_no_contents(tmp_path: Path, kind: int) -> None:
    write(tmp_path / "activemq-data-1.amq", [("ADD", 1, kind, b"body"), ("ADD", 2, kind, b"")])
    assert shared.contents(asked(tmp_path)) is None


def test_messages_alone_in_a_directory_have_contents(tmp_path: Path) -> None:
    write(tmp_path / "copy" / "activemq-data-1.amq", [add(10), update(10, 32, 7)])
    assert [row["queue"] for row in opened(tmp_path / "copy").rows("messages")] == ["queue 7"]


# Bodies.


def test_a_compressed_body_is_inflated_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = typed({"_AMQ_LARGE_COMPRESSED": b"\x02\xff"})
    stored = message_of(45, message(1, 4, zlib.compress(bytes(1000)), mark))
    assert core.body_of(stored).data == bytes(1000)
    assert core.body_of(stored).compressed
    monkeypatch.setattr(core, "MOST_BODY", 999)
    kept = core.body_of(stored)
    assert kept.data == stored.body
    assert "999" in kept.problem


VALUES = {
    "null": (b"\0", None),
    "true": (b"\x02\xff", True),
    "byte": (b"\x03\xfb", -5),
    "bytes": (b"\x04\0\0\0\x02ab", b"ab"),
    "short": (b"\x05\xff\xfe", -2),
    "int": (b"\x06" + struct.pack(">i", -7), -7),
    "long": (b"\x07" + struct.pack(">q", 1 << 40), 1 << 40),
    "float": (b"\x08" + struct.pack(">f", 1.5), 1.5),
    "double": (b"\x09" + struct.pack(">d", -2.25), -2.25),
    "text": (b"\x0a" + simple("h\u00e9\U0001f600"), "h\u00e9\U0001f600"),
    "char": (b"\x0b\0z", "z"),
}


def test_a_map_has_values_of_every_type() -> None:
    body = typed({name: stored for name, (stored, _) in VALUES.items()})
    found = core.body_of(message_of(45, message(1, 5, body)))
    assert found.content == {name: value for name, (_, value) in VALUES.items()}


def test_a_stream_has_strings_of_three_forms() -> None:
    middle, long = "m\u00fc" * 10, "x" * 5000
    parts = [b"\x0a\0", b"\x0a\x01\0\0\0\x02\0s\0t", b"\x06\0\0\0\x01"]
    raw = middle.encode()
    parts.append(b"\x0a\x01" + struct.pack(">iH", len(middle), len(raw)) + raw)
    parts.append(b"\x0a\x01" + struct.pack(">i", len(long)) + simple(long))
    found = core.body_of(message_of(45, message(1, 6, b"".join(parts))))
    assert found.content == [None, "st", 1, middle, long]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\xac\xed\0\x05sr\0\x13java.util.ArrayList\0", "java.util.ArrayList"),
        (b"\xac\xed\0\x05ur\0\x02[B", "[B"),
        (b"\xac\xed\0\x05t\0\x01x", "java.lang.String"),
        (b"\xac\xed\0\x05sr\0\xffjava", None),
        (b"no stream", None),
    ],
)
def test_the_class_of_an_object_is_read_from_its_first_bytes(data: bytes, name: str | None) -> None:
    assert class_name(data) == name


def test_damage_after_the_headers_leaves_what_comes_before() -> None:
    stored = message_of(45, message(1, 3, None, b"\x01\0\0\0\x01" + simple("k") + b"\x63"))
    assert (stored.address, stored.timestamp, core.body_of(stored).text) == ("orders", 1000, "text 1")
    assert "99" in stored.problem


@pytest.mark.parametrize("priority", [-1, 10])
def test_a_start_of_hornetq_fails_on_a_priority_that_is_none(priority: int, tmp_path: Path) -> None:
    data = bytearray(old_message(10))
    data[-2] = priority & 0xFF
    found = opened(made(tmp_path, [add(10, bytes(data), 31), update(10, 32, 7)], {7: "a"}))
    assert isinstance(found, BrokerContents)
    assert found.judge() == {"undecodable"}
    ((row,), (remark, *_)) = found.rows("messages"), found.remarks.kept
    assert (row["text"], row["priority"], remark.key) == ("text 10", priority, "10")
    assert f"a priority of {priority}" in remark.text


def test_an_unknown_protocol_is_a_remark_on_its_message(tmp_path: Path) -> None:
    found = opened(made(tmp_path, [add(10, b"\x09" + bytes(30)), update(10, 32, 7)], {7: "a"}))
    (row,) = found.rows("messages")
    assert (row["id"], row["protocol"], row["data"]) == (10, None, b"\x09" + bytes(30))
    assert codes(found) == {"undecodable"}


def test_damaged_stores_end_in_remarks_and_never_in_an_exception(tmp_path: Path) -> None:
    rng, remarks = Random(46), 0
    values = typed({name: stored for name, (stored, _) in VALUES.items()})
    records = [add(10), add(11, message(11, 5, values)), add(12, headers(12, 4), 30)]
    records += [update(ident, 32, 7) for ident in (10, 11, 12)]
    records += [("ADD", 30, 39, struct.pack(">qqi", 7, 1, 0)), ("ADD", 31, 35, struct.pack(">qi", 5, 1))]
    with_pages(tmp_path, records, b"".join(paged(message(ident), [7, 8]) for ident in range(20, 30)))
    (tmp_path / "large-messages").mkdir()
    (tmp_path / "large-messages" / "12.msg").write_bytes(b"body")
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for _ in range(150):
        path = rng.choice(list(files))
        data = bytearray(files[path])
        for _ in range(rng.randrange(1, 6)):
            # Not where a journal's header tells which file this is.
            used = len(data.rstrip(b"\0"))
            at = rng.randrange(16, used) if used > 16 else rng.randrange(len(data))
            data[at : at + 4] = rng.choice(
                (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", bytes(4), rng.randbytes(4))
            )
        path.write_bytes(data)
        found = opened(tmp_path / "journal")
        remarks += bool(codes(found))
        assert sum(count.rows for count in found.counts()) == len(list(found.rows("messages")))
        path.write_bytes(files[path])
    assert remarks > 50


def test_two_queues_of_one_name_are_counted_each(tmp_path: Path) -> None:
    found = opened(made(tmp_path, [add(10), update(10, 32, 7)], {7: "a", 8: "a"}))
    assert [(count.name, count.rows) for count in found.counts()] == [("a", 1), ("a", 0)]
    assert [(row["id"], row["messages"]) for row in found.rows("queues")] == [(7, 1), (8, 0)]
    assert codes(found) == {"same-name"}


def test_ids_of_messages_are_printed_as_brokers_print_them() -> None:
    assert uuid_text(bytes(range(16))) == "00010203-0405-0607-0809-0a0b0c0d0e0f"


def test_contents_of_the_bindings_journal_itself_are_its_queues(tmp_path: Path) -> None:
    made(tmp_path, [], {7: "a"})
    found = opened(tmp_path / "bindings")
    assert [(row["queue"], row["id"]) for row in found.rows("queues")] == [("a", 7)]
    assert not list(found.rows("messages"))


def test_an_amqp_message_that_cannot_be_decoded_is_bytes_with_a_remark(tmp_path: Path) -> None:
    body = b"\x05" + struct.pack(">qq", 10, 0) + b"\0" + bytes(20)
    found = opened(made(tmp_path, [add(10, body[:-19]), update(10, 32, 7)], {7: "a"}))
    (row,) = found.rows("messages")
    assert (row["id"], row["protocol"], row["kind"], row["data"]) == (10, "amqp", "unknown", body[:-19])
    assert codes(found) == {"undecodable"}


def test_an_amqp_message_has_the_columns_of_its_sections(tmp_path: Path) -> None:
    sections = b"\0\x53\x73\xc0\x06\x01\xa1\x03m-1" + b"\0\x53\x77\xa1\5hello"
    body = b"\2" + struct.pack(">qqxi", 10, 0, len(sections)) + sections
    found = opened(made(tmp_path, [add(10, body), update(10, 32, 7)], {7: "a"}))
    (row,) = found.rows("messages")
    assert (row["message_id"], row["kind"], row["text"], row["data"]) == ("m-1", "text", "hello", None)
    assert not codes(found)


# The naive decoder, which follows the tables.


def naive(shape: str, data: bytes, version: str = "") -> Any:
    return decode(families("jboss_journal")["core"], shape, data, version)


def text_in(found: Any) -> Any:
    """Return the text of a structure that may hold one."""
    if "present" in found:
        return text_in(found["string"]) if "string" in found else None
    value = next(found[name] for name in ("value", "units", "utf", "wide") if name in found)
    return value if isinstance(value, str) else text_in(value)


def value_in(found: Any) -> Any:
    """Return the value of a property or an element."""
    value = found.get("value")
    if found["tag"] == 10:
        value = text_in(value)
    elif found["tag"] == 4:
        value = value["value"]
    elif found["tag"] == 11:
        value = "\ufffd" if 0xD800 <= value < 0xE000 else chr(value)
    return value


def properties_in(found: Any) -> dict[str, Any]:
    return {entry["key"]["value"]: value_in(entry) for entry in found.get("entries", ())}


def same_as_naive(stored: core.Message, found: Any, ident: int | None, address: str | None) -> None:
    """Compare a message with what the naive decoder has of it."""
    head = found["headers"]
    assert stored.id == (head["ident"] if ident is None else ident)
    assert stored.address == (text_in(head["address"]) if address is None else address)
    assert stored.user_id == head.get("user_id")
    columns = ("kind", "durable", "expiration", "timestamp", "priority")
    wanted = [head[name] for name in columns]
    assert [stored.type, stored.durable, stored.expiration, stored.timestamp, stored.priority] == wanted
    assert repr(stored.properties) == repr(properties_in(head["properties"]))
    assert stored.body == found.get("body", b"")
    of_priority = f"a priority of {stored.priority}" if stored.priority not in range(10) else ""
    assert stored.problem == (fewer_than_none(head["properties"]) or of_priority)


def fewer_than_none(properties: Any) -> str:
    """Return what is wrong with the number of properties; empty: nothing."""
    number = properties.get("number", 0)
    return f"{number} properties" if number < 0 else ""


def check_message(kind: int, data: bytes) -> None:
    """Compare one body of a record of user type `kind`, and the body of its message."""
    stored = message_of(kind, data)
    if kind == 45:
        found = naive("message", data)
        if found["persister"] != core.CORE:
            assert (stored.protocol, stored.problem) == ("amqp", "")
            return
        inner = found["stored"]
        same_as_naive(stored, inner["core"], inner["ident"], text_in(inner["address"]))
    elif kind == 31:
        same_as_naive(stored, naive("old_message", data), None, None)
    else:
        same_as_naive(stored, {"headers": naive("large_message", data)["headers"]}, None, None)
    stamp, _ = core.glance(kind, b"12" + data, 2, 2 + len(data))
    assert stamp == stored.timestamp


def check_body(kind: int, data: bytes) -> None:
    """Compare the body of a message of a kind."""
    found = core.body_of(core.Message(type=kind, body=data))
    wrong = fewer_than_none(naive("map_body", data).get("map", {})) if kind == core.MAP else ""
    assert found.problem == wrong
    if wrong:
        return
    if kind == core.TEXT:
        wanted = naive("text_body", data)
        assert found.text == (text_in(wanted) if data else None)
    elif kind == core.MAP:
        assert repr(found.content) == repr(properties_in(naive("map_body", data).get("map", {})))
    elif kind == core.STREAM:
        assert repr(found.content) == repr(
            [value_in(each) for each in naive("stream_body", data)["elements"]]
        )
    elif kind == core.OBJECT:
        assert found.data == naive("object_body", data).get("object", {"value": b""})["value"]


def test_drawn_messages_are_the_same_to_the_naive_decoder() -> None:
    family, random = families("jboss_journal")["core"], Random(46)
    kinds = {"message": 45, "old_message": 31, "large_message": 30}
    for _ in range(300):
        for shape, kind in kinds.items():
            check_message(kind, draw(family, shape, "artemis-2", random))
        for shape, kind in (("map_body", 5), ("stream_body", 6), ("object_body", 2)):
            check_body(kind, draw(family, shape, "artemis-2", random))


@pytest.mark.parametrize("version", ["hornetq", "artemis-1", "artemis-2"])
def test_drawn_page_entries_are_the_same_to_the_naive_decoder(tmp_path: Path, version: str) -> None:
    family, random = families("jboss_journal")["core"], Random(46)
    entries: list[bytes] = []
    wanted = []
    while len(entries) < 200:
        data = draw(family, "page_entry", version, random)
        found = naive("page_entry", data, version)["paged"]
        # What ends a large AMQP message, or a message of the old form, is not drawn.
        of_amqp = found.get("message", {}).get("persister") == core.AMQP_LARGE
        if not of_amqp and "old_message" not in found and "routed" in found:
            queues = tuple(each["queue"] for each in found["routed"]["queues"])
            entries.append(data)
            wanted.append((found["transaction"], queues))
    (tmp_path / "1.page").write_bytes(b"".join(entries))
    content = Room(tmp_path).open("1.page")
    assert content is not None
    file = PageFile("orders", 1, "1.page", content, version != "artemis-2")
    reports: list[Any] = []
    found_entries = list(file.entries(lambda *report: reports.append(report)))
    assert [(entry.tx, entry.queues) for entry in found_entries] == wanted
    assert not reports


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason=f"no stores of real brokers in {REAL}")
@pytest.mark.parametrize("store", STORES)
def test_every_real_record_is_the_same_to_the_naive_decoder(store: str, tmp_path: Path) -> None:
    found = opened(copied(REAL / store, tmp_path / store) / "journal")
    seen = set()
    for item in found.store.replay.live():
        data = item.stored
        seen.add(item.user_type)
        if item.user_type in (30, 31, 45):
            check_message(item.user_type, data)
            stored = message_of(item.user_type, data)
            if not stored.large:
                check_body(stored.type, stored.body)
        else:
            family, shape = LAYOUT.held("body", data, {"user_type": item.user_type}) or ("", "")
            assert family == "records"
            row = decode(families("jboss_journal")[family], shape, data)
            assert "more" not in row
    for file, entry in found.store.entries():
        version = "artemis-1" if file.old else "artemis-2"
        whole = file.content.read(entry.off, 6 + len(entry.data))
        wanted = naive("page_entry", whole, version)["paged"]
        assert wanted["transaction"] == entry.tx
        assert tuple(each["queue"] for each in wanted["routed"]["queues"]) == entry.queues
        check_message(entry.kind, entry.data[entry.start : entry.end])
    assert {32, 33} <= seen
    bindings = find_journals(load(tmp_path / store / "bindings"))[0]
    queues = broker.contents(ask(bindings, SALVAGE))
    assert queues is not None
    assert {row["queue"] for row in queues.rows("queues")} == {row["queue"] for row in found.rows("queues")}
    assert not queues.remarks.kept


@pytest.mark.parametrize("marker", [0, 1, 2, 5, 255])
def test_a_message_has_a_user_id_only_after_a_byte_of_1(marker: int) -> None:
    """Bytes of HornetQ 2.4.9's and Artemis 2.44.0's decodeHeadersAndProperties, which compare with 1."""
    ident = bytes(range(16))
    rest = HEADERS.pack(3, True, 0, 77, 4, 0)
    stored = core.LONG.pack(9) + b"\0" + bytes([marker]) + (ident if marker == 1 else b"") + rest
    message = Message()
    assert headers_at(stored, 0, message) == len(stored)
    assert (message.id, message.user_id) == (9, ident if marker == 1 else None)
    assert (message.type, message.timestamp, message.priority) == (3, 77, 4)
