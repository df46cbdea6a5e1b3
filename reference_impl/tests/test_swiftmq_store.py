"""SwiftMQ's file store: the bytes of its files, by hand and in what the real store wrote."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import BadStore, Chain, Index, QueueEntry, RootEntry
from journalspec_reference.swiftmq_store.durable import Durable, durable
from journalspec_reference.swiftmq_store.log import COMMIT, INSERT, PORTION, Action, Log

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "swiftmq_store"
real = pytest.mark.skipif(
    not REAL.is_dir(), reason="real files are missing beside the checkout (../shared/real)"
)
MAGIC = "000001a1faf7710c"
#: A log with the transaction that makes an empty root index.
LOG = bytes.fromhex(
    f"00000001 {MAGIC} 00000002 {MAGIC} 0000000000000000 00000003 00000001 00000000"
    "00000004 00000000 00000001 01 00000004 00000000 00000004 ffffffff"
    "00000004 00000000 00000005 01 00000004 00000000 00000004 ffffffff"
)
ENTRY = bytes.fromhex("01 00000004 00000001 0000000000000000 0000000000000004 0000000a 00000000")
BRANCH = (
    bytes.fromhex("01 000001a1faf7714f 00000001 0006 6f7264657273 00 00001234 01 00000002 4252")
    + bytes.fromhex("01 00000007 474c4f42414c31 00000001 00000021")
    + ENTRY
)
#: A durable subscriber file: the map up to its entries, and one entry.
MAP = (
    bytes.fromhex("aced0005 7372 0011")
    + b"java.util.HashMap"
    + bytes.fromhex(
        "0507dac1c31660d1 03 0002 46000a6c6f6164466163746f72 4900097468726573686f6c64 7870 3f400000 0000000c"
        "7708 00000010"
    )
)
TOPIC = bytes.fromhex("74 0009 746f7069634e616d65 74 0004 6e657773")


def files(directory: Path) -> dict[str, bytes]:
    """Return the files of a real store by their names below its directory."""
    found = {}
    for path in directory.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            name = path.relative_to(directory).as_posix()
            found[name.removesuffix(".gz")] = gzip.decompress(data) if path.suffix == ".gz" else data
    return found


def message(body: bytes, kind: int = 1) -> bytes:
    """Return a message with no optional field; `body` as its kind wants it."""
    return kind.to_bytes(4) + bytes(40) + body


def test_pages() -> None:
    name = b"orders"
    root = bytes.fromhex("00 ffffffff 0000002f 00000002 00000001") + (
        b"\0\0\0\0\1x" + bytes(8) + b"\1" + len(name).to_bytes(4) + name + bytes.fromhex("00000002 65640000")
    )
    page = root.ljust(2048, b"\x55")
    assert codec.index(page) == Index(-1, 47, 2, 1)
    assert list(codec.root_entries(page)) == [RootEntry(31, name, 2)]
    queue = (bytes.fromhex("00 ffffffff ffffffff 00000002 00000001") + b"\0" + ENTRY[1:] + ENTRY).ljust(
        2048, b"\x55"
    )
    assert list(codec.queue_entries(queue)) == [QueueEntry(4, 1, 0, 4, 10)]
    assert codec.chain(bytes.fromhex("00 ffffffff 00000005 00000800").ljust(2048, b"x")) == Chain(-1, 5, 2048)
    assert not codec.is_free(b"\2" + page[1:])


@pytest.mark.parametrize("slots", [-1, 62, 10**6, 2**31 - 1, -(2**31)])
def test_entries_that_do_not_fit(slots: int) -> None:
    page = (b"\0" + bytes(8) + slots.to_bytes(4, signed=True) + bytes(4)).ljust(2048, b"\0")
    with pytest.raises(BadStore):
        list(codec.queue_entries(page))
    if slots != 62:
        with pytest.raises(BadStore):
            list(codec.root_entries(page))


@pytest.mark.parametrize("length", [12, 2049, -1, 2**31 - 1])
def test_length_of_a_page_of_a_message(length: int) -> None:
    with pytest.raises(BadStore):
        codec.chain((bytes(9) + length.to_bytes(4, signed=True)).ljust(2048, b"\0"))


def test_message() -> None:
    data = message(b"\0\0\0\2hi") + b"behind"
    found = codec.message(data)
    assert (found.kind, found.body, found.end) == (1, 44, 50)
    assert found.fields["id"] is None
    for end in range(50):
        with pytest.raises(BadStore):
            codec.message(data[:end])


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (0, ""),
        (2, "01 00000004 00000000"),
        (3, "00"),
        (4, "00000003 00000000 00000007 00000009 0001 41 00000002 0000000000000000"),
        (5, "01 00000002 0001 41 0000"),
        (5, "00"),
    ],
)
def test_bodies(kind: int, body: str) -> None:
    data = message(bytes.fromhex(body), kind)
    assert codec.message(data + b"behind").end == len(data)
    if body:
        with pytest.raises(BadStore):
            codec.message(data[:-1])


@pytest.mark.parametrize("body", ["7fffffff", "ffffffff", "80000000"])
@pytest.mark.parametrize("kind", [1, 4, 6, -1])
def test_hostile_bodies(kind: int, body: str) -> None:
    with pytest.raises(BadStore):
        codec.message(kind.to_bytes(4, signed=True) + bytes(40) + bytes.fromhex(body))


def test_properties() -> None:
    blob = bytes.fromhex("00000002 0005 636f6c6f72 00000009 0003 726564 0001 6e 00000001 ffffffffffffffff")
    assert codec.properties(blob) == {b"color": b"red", b"n": -1}


def test_branch() -> None:
    data = message(len(BRANCH).to_bytes(4) + BRANCH)
    found = codec.branch(data)
    assert (found.writes, found.queue, found.routing, found.form) == (True, "orders", False, 0x1234)
    assert (found.branch, found.transaction) == (b"BR", b"GLOBAL1")
    assert found.entries == [QueueEntry(4, 1, 0, 4, 10)]
    for cut in range(len(BRANCH)):
        with pytest.raises(BadStore):
            codec.branch(message(cut.to_bytes(4) + BRANCH[:cut]))


def test_log() -> None:
    log = Log(LOG + bytes(512), 2048, 10)
    (record,) = log.records()
    assert (record.kind, record.off, record.end, record.transaction) == (COMMIT, 12, 102, 0)
    assert record.actions == [
        Action(INSERT, 0),
        Action(PORTION, 0, 1, (61, 65), (69, 73)),
        Action(PORTION, 0, 5, (90, 94), (98, 102)),
    ]
    assert (log.tagged, log.generation, log.end) == (True, int(MAGIC, 16), 102)


def test_log_without_generations() -> None:
    data = LOG[12:16] + LOG[24:]
    log = Log(data, 2048, 10)
    (record,) = log.records()
    assert (record.off, record.end, len(record.actions), log.why) == (0, 82, 3, "file")


@pytest.mark.parametrize("end", range(12, 102))
def test_a_log_cut_inside_a_record_ends_before_it(end: int) -> None:
    log = Log(LOG[:end], 2048, 10)
    assert not list(log.records())
    assert log.end == 12


@pytest.mark.parametrize(
    ("off", "value"),
    [
        (12, 4),  # no type of a record
        (32, -1),  # a count
        (32, 2**31 - 1),
        (32, 200_000_000),
        (36, 5),  # no type of an action
        (40, -1),  # a page
        (40, 2**31 - 1),
        (52, -1),  # an offset
        (52, 2045),
        (57, 2**31 - 1),  # the length of a before image
        (65, -1),  # the length of an after image
        (65, 2**31 - 1),
    ],
)
def test_a_record_is_possible_as_a_whole_or_is_none(off: int, value: int) -> None:
    data = LOG[:off] + value.to_bytes(4, signed=True) + LOG[off + 4 :]
    assert not list(Log(data + bytes(512), 2048, 10).records())


def test_other_generations_are_not_looked_at() -> None:
    data = bytearray(LOG)
    data[19] ^= 1
    data[32:36] = b"\x7f\xff\xff\xff"
    log = Log(bytes(data), 2048, 10)
    assert not list(log.records())
    assert log.why == "a record of another generation"


def test_generation_that_is_none() -> None:
    data = LOG.replace(bytes.fromhex(MAGIC), b"\xff" * 8)
    assert (list(Log(data, 2048, 10).records()), Log(data, 2048, 10).why) == ([], "start")


def test_durable() -> None:
    data = MAP + b"\0\0\0\1" + TOPIC + b"\x78"
    assert durable("c1$a$b.durable.durable", data) == Durable("c1", "a$b.durable", "news", None, False)
    for end in range(len(data)):
        with pytest.raises(BadStore):
            durable("c1$a.durable", data[:end])
    for name in ("c1.durable", ".durable", "c1$a"):
        with pytest.raises(BadStore):
            durable(name, data)


def test_durable_with_references() -> None:
    data = MAP + b"\0\0\0\2" + TOPIC + bytes.fromhex("74 0008 73656c6563746f72 71 007e0004 78")
    assert durable("c$a.durable", data).selector == "selector"
    with pytest.raises(BadStore):
        durable("c$a.durable", data.replace(b"\x7e\0\4", b"\x7e\0\5"))


@pytest.mark.parametrize("count", [-1, 2, 2**31 - 1])
def test_durable_count(count: int) -> None:
    with pytest.raises(BadStore):
        durable("c$a.durable", MAP + count.to_bytes(4, signed=True) + TOPIC + b"\x78")


@real
def test_real_durables() -> None:
    found = files(REAL / "15-durables" / "durables")
    assert [durable(name, found[name]) for name in sorted(found)] == [
        Durable("c1", "sub", "news.sport", None, False),
        Durable("c2", "sub", "news.sport", "color = 'red'", True),
    ]


@real
@pytest.mark.parametrize(
    ("store", "ends", "aborts"),
    [
        ("01-fresh-running", 2, 0),
        ("03-three-messages-committed", 4, 0),
        ("04-aborted-insert", 5, 1),
        ("11-after-checkpoint-log-reset", 0, 0),
        ("12-one-commit-after-checkpoint", 1, 0),
        ("ape-3-commits-group-written", 3, 0),
    ],
)
def test_real_logs(store: str, ends: int, aborts: int) -> None:
    found = files(REAL / store)
    log = Log(found["log/transaction.log"], 2048, len(found["db/page.db"]) // 2048)
    records = list(log.records())
    assert (len(records), sum(record.kind != COMMIT for record in records)) == (ends, aborts)
    assert log.tagged is not store.startswith("ap")


@real
def test_real_swap_files() -> None:
    data = files(REAL / "13-swap-two-entries")["swap/orders-0.swap"]
    found = list(codec.swapped(data))
    assert [(entry.off, entry.deliveries) for entry in found] == [(0, 1), (0x4B, 1)]
    for entry in found:
        assert codec.message(entry.message).end == len(entry.message)
    assert list(codec.swapped(data[:-1])) == found[:1]
    assert list(codec.swapped(b"\x7f\xff\xff\xff" + data[4:])) == []
