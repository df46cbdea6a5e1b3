"""Contents of broker journals: real stores equal the broker's output, and made stores test the rules."""

from __future__ import annotations

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
from journalspec_reference import contents as shared
from journalspec_reference.answers import SALVAGE, Answer, ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.contents import BrokerContents, core
from journalspec_reference.jboss_journal.contents.core import (
    HEADERS,
    Message,
    headers_at,
    message_of,
)
from journalspec_reference.jboss_journal.contents.paging import PageFile
from journalspec_reference.jboss_journal.fileset import Room
from unpacked import unpacked


def asked(directory: Path) -> Answer:
    (journal,) = find_journals(load(directory))
    return ask(journal, SALVAGE)


def opened(directory: Path) -> BrokerContents:
    found = shared.contents(asked(directory))
    assert isinstance(found, BrokerContents)
    return found


def test_contents_of_a_hornetq_store_have_the_messages_that_the_broker_lists(tmp_path: Path) -> None:
    unpacked(Path(__file__).parent / "data" / "hornetq_contents.tar.xz", tmp_path)
    found = opened(tmp_path / "journal")
    wanted = plain(json.loads((tmp_path / "expected.json").read_text(encoding="utf-8")))
    # HornetQ removes this property when it reads a message.
    assert compare(found, wanted, {"_HQ_SCHED_DELIVERY"}) == ALL_KINDS
    (store,) = found.rows("store")
    assert store["product"] == "HornetQ 2"
    assert {remark.code for remark in found.remarks.kept} == {"no-page-transaction"}


# Made stores.


def codes(found: BrokerContents) -> set[str]:
    for table in found.tables:
        list(found.rows(table))
    return {remark.code for remark in found.remarks.kept}


@pytest.mark.parametrize("prefix", ["", "messaging"])
def test_queues_have_names_in_both_layouts_of_directories(tmp_path: Path, prefix: str) -> None:
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


#: Records and bindings of a store; its messages as queue and id; the messages that a start deletes, with
#: reasons; remarks. Stores without bindings are in the smoke tier, cases jbm.contents.
HELD: Mapping[str, tuple[list[Any], dict[int, str] | None, list[Any], list[Any], set[str]]] = {
    "a queue without a binding": (
        [add(10), update(10, 32, 7), add(11), update(11, 32, 9)],
        {7: "a"}, [("a", 10)], [("no-binding", "queue 9", 11)], {"no-binding"},
    ),
    "a message that no queue holds": (
        [add(10), update(10, 32, 7), add(11)],
        {7: "a"}, [("a", 10)], [("no-reference", None, 11)], {"no-reference"},
    ),
    "changes of what is not there": (
        [add(10), update(10, 32, 7), update(11, 32, 7), update(10, 33, 8), update(12, 33, 7)],
        {7: "a", 8: "b"}, [("a", 10)], [], {"no-message", "no-reference"},
    ),
    "a record of the old type beside new ones": (
        [add(10), add(11, old_message(11), 31), update(10, 32, 7), update(11, 32, 7)],
        {7: "a"}, [("a", 10), ("a", 11)], [], {"old-message"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HELD)
def test_contents_list_only_messages_that_a_queue_holds(name: str, tmp_path: Path) -> None:
    records, queues, messages, dropped, remarks = HELD[name]
    found = opened(made(tmp_path, records, queues))
    rows = [(row["queue"], row["id"], row["text"]) for row in found.rows("messages")]
    assert rows == [(queue, ident, f"text {ident}") for queue, ident in messages]
    assert [(row["why"], row["queue"], row["id"]) for row in found.rows("dropped")] == dropped
    assert codes(found) == remarks


def test_link_to_other_bindings_is_not_followed(tmp_path: Path) -> None:
    directory = made(tmp_path / "one", [add(10), update(10, 32, 7)])
    made(tmp_path / "two", [], {7: "secret"})
    (tmp_path / "one" / "bindings").symlink_to(tmp_path / "two" / "bindings")
    assert [row["queue"] for row in opened(directory).rows("messages")] == ["queue 7"]


def test_link_to_another_file_is_not_a_large_message(tmp_path: Path) -> None:
    directory = made(tmp_path, [add(10, headers(10, 4), 30), update(10, 32, 7)], {7: "a"})
    (tmp_path / "large-messages").mkdir()
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "large-messages" / "10.msg").symlink_to(tmp_path / "secret")
    found = opened(directory)
    (row,) = found.rows("messages")
    assert row["data"] == b""
    assert codes(found) == {"no-large-file"}


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


@pytest.mark.parametrize(
    ("records", "page", "held", "remarks"),
    [
        ([("ADD", 30, 42, struct.pack(">qqi", 7, 1, 1))], paged(message(20), [7, 8]), [("b", 20)], set()),
        ([], paged(message(20), [7]) + bytes(100), [("a", 20)], set()),
        ([], paged(message(20), [7, 8, 7, 7]), [("a", 20), ("b", 20)], set()),
        (
            [],
            paged(message(20), [7]) + paged(message(21), [7])[:-1] + b"?" + paged(message(22), [7]),
            [("a", 20)],
            {"page-damaged"},
        ),
    ],
    ids=["complete for its queue", "zeros after it", "a queue several times", "an incomplete entry"],
)
def test_entries_of_a_page_end_with_the_last_complete_one(
    records: list[Any], page: bytes, held: list[Any], remarks: set[str], tmp_path: Path
) -> None:
    found = opened(with_pages(tmp_path, records, page))
    assert [(row["queue"], row["id"]) for row in found.rows("messages")] == held
    assert codes(found) == remarks


def test_empty_address_file_is_a_remark(tmp_path: Path) -> None:
    """A crash of HornetQ 2.4.9 left such a file, and the broker did not start again."""
    directory = made(tmp_path, [add(10), update(10, 32, 7)], {7: "a"})
    (tmp_path / "paging" / "0a").mkdir(parents=True)
    (tmp_path / "paging" / "0a" / "address.txt").touch()
    found = opened(directory)
    assert [count.rows for count in found.counts()] == [1]
    assert codes(found) == {"empty-address-file"}


def test_causes_of_a_failing_start_are_listed(tmp_path: Path) -> None:
    odd = message(12, 3, None, typed({"colour": b"\x63"}))
    found = opened(with_pages(tmp_path, [add(12, odd), update(12, 32, 7)], paged(bytes(3), [7])))
    assert len([*found.rows("messages")]) == 1
    assert codes(found) == {"undecodable"}
    assert found.judge() == set()
    cut = opened(made(tmp_path / "cut", [add(10), update(10, 32, 7), add(11, b"\x01" + bytes(9))], {7: "a"}))
    assert cut.judge() == {"undecodable"}
    assert codes(cut) == {"no-reference", "undecodable"}


def test_bodies_of_large_messages_are_read_from_files(tmp_path: Path) -> None:
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
def test_journal_of_another_product_has_no_contents(tmp_path: Path, kind: int) -> None:
    write(tmp_path / "activemq-data-1.amq", [("ADD", 1, kind, b"body"), ("ADD", 2, kind, b"")])
    assert shared.contents(asked(tmp_path)) is None


# Bodies.


def test_compressed_body_is_inflated_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = typed({"_AMQ_LARGE_COMPRESSED": b"\x02\xff"})
    stored = message_of(45, message(1, 4, zlib.compress(bytes(1000)), mark))
    assert core.body_of(stored).data == bytes(1000)
    assert core.body_of(stored).compressed
    monkeypatch.setattr(core, "MOST_BODY", 999)
    kept = core.body_of(stored)
    assert kept.data == stored.body
    assert "999" in kept.problem


@pytest.mark.parametrize("priority", [-1, 10])
def test_start_of_hornetq_fails_on_an_invalid_priority(priority: int, tmp_path: Path) -> None:
    data = bytearray(old_message(10))
    data[-2] = priority & 0xFF
    found = opened(made(tmp_path, [add(10, bytes(data), 31), update(10, 32, 7)], {7: "a"}))
    assert isinstance(found, BrokerContents)
    assert found.judge() == {"undecodable"}
    ((row,), (remark, *_)) = found.rows("messages"), found.remarks.kept
    assert (row["text"], row["priority"], remark.key) == ("text 10", priority, "10")
    assert f"a priority of {priority}" in remark.text


def test_damaged_stores_end_in_remarks_and_never_in_an_exception(tmp_path: Path) -> None:
    rng, remarks = Random(46), 0
    values = typed({"long": b"\x07" + bytes(8), "text": b"\x0a" + simple("h\u00e9")})
    records = [add(10), add(11, message(11, 5, values)), add(12, headers(12, 4), 30)]
    records += [update(ident, 32, 7) for ident in (10, 11, 12)]
    records += [("ADD", 30, 39, struct.pack(">qqi", 7, 1, 0)), ("ADD", 31, 35, struct.pack(">qi", 5, 1))]
    with_pages(tmp_path, records, b"".join(paged(message(ident), [7, 8]) for ident in range(20, 30)))
    (tmp_path / "large-messages").mkdir()
    (tmp_path / "large-messages" / "12.msg").write_bytes(b"body")
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for _ in range(70):
        path = rng.choice(list(files))
        data = bytearray(files[path])
        for _ in range(rng.randrange(1, 6)):
            # The first 16 bytes, the header of a journal file, stay unchanged.
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
    assert remarks > 20


def test_two_queues_with_one_name_are_counted_separately(tmp_path: Path) -> None:
    found = opened(made(tmp_path, [add(10), update(10, 32, 7)], {7: "a", 8: "a"}))
    assert [(count.name, count.rows) for count in found.counts()] == [("a", 1), ("a", 0)]
    assert [(row["id"], row["messages"]) for row in found.rows("queues")] == [(7, 1), (8, 0)]
    assert codes(found) == {"same-name"}


def test_contents_of_a_bindings_journal_are_its_queues(tmp_path: Path) -> None:
    made(tmp_path, [], {7: "a"})
    found = opened(tmp_path / "bindings")
    assert [(row["queue"], row["id"]) for row in found.rows("queues")] == [("a", 7)]
    assert not list(found.rows("messages"))


def test_undecodable_amqp_message_is_reported_as_bytes_with_a_remark(tmp_path: Path) -> None:
    body = b"\x05" + struct.pack(">qq", 10, 0) + b"\0" + bytes(20)
    found = opened(made(tmp_path, [add(10, body[:-19]), update(10, 32, 7)], {7: "a"}))
    (row,) = found.rows("messages")
    assert (row["id"], row["protocol"], row["kind"], row["data"]) == (10, "amqp", "unknown", body[:-19])
    assert codes(found) == {"undecodable"}


def test_amqp_message_has_the_columns_of_its_sections(tmp_path: Path) -> None:
    sections = b"\0\x53\x73\xc0\x06\x01\xa1\x03m-1" + b"\0\x53\x77\xa1\5hello"
    body = b"\2" + struct.pack(">qqxi", 10, 0, len(sections)) + sections
    found = opened(made(tmp_path, [add(10, body), update(10, 32, 7)], {7: "a"}))
    (row,) = found.rows("messages")
    assert (row["message_id"], row["kind"], row["text"], row["data"]) == ("m-1", "text", "hello", None)
    assert not codes(found)


# The table of page entries, read by the naive decoder, is compared with the hand-written decoder.


def naive(shape: str, data: bytes, version: str = "") -> Any:
    return decode(families("jboss_journal")["core"], shape, data, version)


@pytest.mark.parametrize("version", ["hornetq", "artemis-1", "artemis-2"])
def test_naive_decoder_reads_random_page_entries_alike(tmp_path: Path, version: str) -> None:
    family, random = families("jboss_journal")["core"], Random(46)
    entries: list[bytes] = []
    wanted = []
    while len(entries) < 80:
        data = draw(family, "page_entry", version, random)
        found = naive("page_entry", data, version)["paged"]
        # The last fields of a large AMQP message, and of a message of the old form, are not drawn.
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


@pytest.mark.parametrize("marker", [0, 1, 2, 5, 255])
def test_message_has_a_user_id_only_after_a_byte_of_1(marker: int) -> None:
    """The bytes are for HornetQ 2.4.9 and Artemis 2.44.0: decodeHeadersAndProperties compares with 1."""
    ident = bytes(range(16))
    rest = HEADERS.pack(3, True, 0, 77, 4, 0)
    stored = core.LONG.pack(9) + b"\0" + bytes([marker]) + (ident if marker == 1 else b"") + rest
    message = Message()
    assert headers_at(stored, 0, message) == len(stored)
    assert (message.id, message.user_id) == (9, ident if marker == 1 else None)
    assert (message.type, message.timestamp, message.priority) == (3, 77, 4)
