"""SwiftMQ's file store: the bytes of its files, by hand and in what the real store wrote."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from journalspec.swiftmq_store.schema import CODEC, log_schema
from journalspec_reference.swiftmq_store import codec, log
from journalspec_reference.swiftmq_store.codec import BadStore, Chain, Index, QueueEntry, RootEntry
from journalspec_reference.swiftmq_store.durable import Durable, durable
from journalspec_reference.swiftmq_store.log import COMMIT, INSERT, PORTION, Log, LoggedAction, ReplayedPages
from journalspec_reference.swiftmq_store.recover import LOG as LOG_FILE
from journalspec_reference.swiftmq_store.recover import PAGES, Recovered, recover

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
    assert list(codec.root_entries(page)) == [RootEntry(name, 2)]
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


@pytest.mark.parametrize("length", [12, 0, -1, -(2**31)])
def test_length_of_a_page_of_a_message(length: int) -> None:
    with pytest.raises(BadStore):
        codec.chain((bytes(9) + length.to_bytes(4, signed=True)).ljust(2048, b"\0"))


def test_message() -> None:
    data = message(b"\0\0\0\2hi") + b"behind"
    found = codec.message(data)
    assert (found.kind, found.body, found.end) == (1, 44, 50)
    assert (found.priority, found.expiration) == (0, 0)
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


def test_branch() -> None:
    data = message(len(BRANCH).to_bytes(4) + BRANCH)
    found = codec.branch(data)
    assert (found.kind, found.queue, found.routing, found.format_id) == (1, "orders", False, 0x1234)
    assert (found.bqual, found.gtrid) == (b"BR", b"GLOBAL1")
    assert found.entries == [QueueEntry(4, 1, 0, 4, 10)]
    for cut in range(len(BRANCH)):
        with pytest.raises(BadStore):
            codec.branch(message(cut.to_bytes(4) + BRANCH[:cut]))


def test_log() -> None:
    log = Log(LOG + bytes(512), 2048, 10)
    (record,) = log.records()
    assert (record.kind, record.off, record.end, record.transaction) == (COMMIT, 12, 102, 0)
    assert record.actions == [
        LoggedAction(INSERT, 0, 0),
        LoggedAction(PORTION, 0, 0, 1, (61, 65), (69, 73)),
        LoggedAction(PORTION, 0, 0, 5, (90, 94), (98, 102)),
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
    assert [(off, int.from_bytes(data[off + 4 : off + 8])) for off, _ in found] == [(0, 1), (0x4B, 1)]
    for off, end in found:
        assert codec.message(data[off + 8 : end]).end == end - off - 8
    assert list(codec.swapped(data[:-1])) == found[:1]
    assert list(codec.swapped(b"\x7f\xff\xff\xff" + data[4:])) == []


@real
@pytest.mark.parametrize(
    "store", sorted(path.name for path in REAL.glob("*") if (path / "log").is_dir()) if REAL.is_dir() else []
)
def test_real_logs_as_the_schema_has_them(store: str) -> None:
    data = files(REAL / store)["log/transaction.log"]
    described = log_schema(CODEC, "13").parse(data)
    log = Log(data, 2048, 1000)
    records = list(log.records())
    assert len(described.rest) == len(data) - log.end
    assert [(record.kind, record.off, record.transaction) for record in records] == [
        (record.header.code, record.header.off, record.header.transaction) for record in described.records
    ]
    for record, other in zip(records, described.records, strict=True):
        assert [(action.kind, action.page) for action in record.actions] == [
            (action.kind, action.body.page) for action in other.actions
        ]
        for action, same in zip(record.actions, other.actions, strict=True):
            for name in ("before", "after"):
                place = getattr(action, name)
                assert (data[slice(*place)] if place else None) == same.body.get(name)


def keys(found: Recovered) -> dict[str, list[int]]:
    """Return the keys of the messages that can be read, by queue."""
    return {
        queue.name.decode(): [entry.entry.key for entry in queue.entries if entry.digest]
        for queue in found.queues
    }


def wiped(data: bytes, *numbers: int) -> bytes:
    """Return pages with some of them zero."""
    pages = bytearray(data)
    for number in numbers:
        pages[number * 2048 : (number + 1) * 2048] = bytes(2048)
    return bytes(pages)


ORDERS = {"orders": [1, 2, 4, 5], "c1$sub": [0], "c2$sub": [0], "sys$prepared": [0, 1]}
#: Three transactions of one group commit; before them 603 messages came, and the second one went.
GROUP = {"g0": [0], "g1": [0], "g2": [0], "orders": [0, *range(2, 603)], "sys$prepared": []}


@real
@pytest.mark.parametrize(
    ("store", "expected"),
    [
        ("01-fresh-running", {"sys$prepared": []}),
        ("03-three-messages-committed", {"orders": [0, 1, 2], "sys$prepared": []}),
        ("04-aborted-insert", {"orders": [0, 1, 2], "sys$prepared": []}),
        ("05-first-message-removed", {"orders": [1, 2], "sys$prepared": []}),
        ("07-shared-message", {"orders": [1, 2], "c1$sub": [0], "c2$sub": [0], "sys$prepared": []}),
        ("09-xa-prepared-read", ORDERS | {"orders": [1, 2, 4]}),
        ("11-after-checkpoint-log-reset", ORDERS | {"orders": [1, 2, 4]}),
        ("12-one-commit-after-checkpoint", ORDERS),
        ("17-clean-shutdown", ORDERS),
        ("g3b-removed-no-checkpoint", {"orders": [0, 2], "sys$prepared": []}),
        ("06-redelivered-bump", {"orders": [1, 2], "sys$prepared": []}),
        (
            "10-inside-checkpoint-after-pagedb-sync-before-log-reset",
            ORDERS | {"orders": [1, 2, 4]},
        ),
        ("g3a-3msgs-checkpointed", {"orders": [0, 1, 2], "sys$prepared": []}),
        ("g3e-3-commits-group-written", GROUP),
        ("ape-3-commits-group-written", GROUP),
        ("apb-removed-no-checkpoint", {"orders": [0, 2], "sys$prepared": []}),
        ("g4c-composite-remove-only", {"orders": [1, 2], "sys$prepared": []}),
    ],
)
def test_real_stores(store: str, expected: dict[str, list[int]]) -> None:
    found = recover(files(REAL / store))
    assert (found.refused, found.dropped, found.bad_files, list(found.notes)) == (None, {}, {}, [])
    assert keys(found) == expected
    assert [queue.name for queue in found.queues] == sorted(queue.name for queue in found.queues)
    assert len(found.branches) == len(expected["sys$prepared"])


@real
def test_real_indexes_of_several_pages() -> None:
    many = recover(files(REAL / "g2b-130-messages"))
    assert list(range(130)) in keys(many).values()
    fewer = recover(files(REAL / "g2c-61-removed"))
    assert list(range(61, 130)) in keys(fewer).values()
    split = recover(files(REAL / "g2f-clean"))
    assert (len(split.queues), list(split.notes), split.refused) == (61, [], None)


@real
def test_real_fields_at_the_end_of_a_page() -> None:
    found = recover(files(REAL / "edge-boundary-messages"))
    assert {name: read for name, read in keys(found).items() if name[0] == "q"} == {
        f"q{length}": [0] for length in range(1970, 2005)
    }


@real
def test_real_page_sizes() -> None:
    found = files(REAL / "r1-resized-4096")
    assert keys(recover(found, 4096)) == ORDERS
    assert recover(found, 2048).refused
    assert recover(found, 40).refused == ("bad-page-size", "40 bytes have no room for an index")


@real
def test_branches_whose_messages_got_other_keys() -> None:
    found = recover(files(REAL / "r3-compacted"))
    assert len(found.branches) == 2
    assert len([note for note in found.notes if note.text.startswith("a branch has key")]) == 2


@real
def test_a_message_that_names_an_index() -> None:
    sound = files(REAL / "17-clean-shutdown")
    data = bytearray(sound[PAGES])
    # The one entry of c1$sub, in page 3, says that its message begins with the index of c2$sub.
    data[3 * 2048 + 17 + 25 : 3 * 2048 + 17 + 29] = (8).to_bytes(4)
    found = recover(sound | {PAGES: bytes(data)})
    assert (found.refused, keys(found)) == (None, ORDERS | {"c1$sub": []})


@real
def test_redelivery_counts() -> None:
    counts = {
        store: [entry.entry.deliveries for queue in found.queues for entry in queue.entries]
        for store in ("g4a-bumped", "g4b-bumped-checkpointed")
        for found in (recover(files(REAL / store)),)
    }
    # The product forgets a count at the next checkpoint.
    assert (max(counts["g4a-bumped"]), max(counts["g4b-bumped-checkpointed"])) == (2, 1)


@real
def test_a_message_that_was_given_back() -> None:
    """Only key 1 was, by a transaction that was rolled back; key 2 came with a count of 2."""
    counts = [
        {one.entry.key: one.entry.deliveries for queue in found.queues for one in queue.entries}
        for found in (
            recover(files(REAL / store)) for store in ("05-first-message-removed", "06-redelivered-bump")
        )
    ]
    assert counts == [{1: 1, 2: 2}, {1: 2, 2: 2}]


@real
def test_a_swap_file_does_not_say_what_was_removed() -> None:
    stores = ("13-swap-two-entries", "14-swap-one-deleted")
    swaps = [files(REAL / store)["swap/orders-0.swap"] for store in stores]
    both, one = ([data[off:end] for off, end in codec.swapped(data)] for data in swaps)
    # The first entry was delivered four times more, and removed: only the former was written.
    assert one == [both[0][:4] + (5).to_bytes(4) + both[0][8:], both[1]]
    assert recover(files(REAL / "14-swap-one-deleted")).swaps == ["swap/orders-0.swap"]


@real
def test_a_backup_is_a_store_without_a_log() -> None:
    found = files(REAL / "16-backup" / "backup" / "saveset_20261120215803175_2048")
    assert ".completed" in found
    copy = {PAGES: found["page.db"]} | {
        f"durables/{name}": data for name, data in found.items() if name.endswith(".durable")
    }
    read = recover(copy)
    # It was taken inside the checkpoint behind the last commit of this store.
    assert keys(read) == keys(recover(files(REAL / "12-one-commit-after-checkpoint")))
    assert (len(read.branches), [one.client for one in read.durables]) == (2, ["c1", "c2"])


@real
@pytest.mark.parametrize("checked", [False, True])
def test_a_page_of_a_message_is_lost(checked: bool) -> None:
    found = files(REAL / "17-clean-shutdown")
    found[PAGES] = wiped(found[PAGES], 5)
    plain = recover(found, check=checked)
    assert plain.refused is None
    assert list(plain.dropped) == [b"orders"] * checked
    assert keys(plain).get("orders", []) == ([] if checked else [2, 4, 5])
    assert keys(recover(found, check=checked, salvage=True))["orders"] == [2, 4, 5]


@real
@pytest.mark.parametrize("page", [1, 2, 3])
def test_a_head_of_an_index_is_lost(page: int) -> None:
    found = files(REAL / "17-clean-shutdown")
    found[PAGES] = wiped(found[PAGES], page)
    part, why = recover(found).refused or ("", "")
    assert (part, why.partition(": ")[2]) == ("bad-queue", "page 0 is referred to twice")
    assert len(recover(found, check=True).dropped) == 1


@real
def test_a_root_index_that_says_it_is_new() -> None:
    found = files(REAL / "17-clean-shutdown")
    found[PAGES] = b"\0\0\0\0\0" + found[PAGES][5:]
    assert keys(recover(found)) == ORDERS
    assert [note.text for note in recover(found).notes] == ["page 0 follows -1 and says that it follows 0"]


@real
def test_a_root_index_without_entries_of_which_some_are_valid() -> None:
    """Four of them are, by the number behind; to take the store for empty would lose every queue."""
    found = files(REAL / "17-clean-shutdown")
    data = found[PAGES]
    found[PAGES] = data[:9] + bytes(4) + data[13:]
    assert recover(found).refused == ("bad-root", "page 0 has no entry and says that 4 are valid")


@real
def test_stolen_pages_of_an_aborted_transaction() -> None:
    found = files(REAL / "04-aborted-insert")
    log = Log(found[LOG_FILE], 2048, 10)
    pages = ReplayedPages(found[PAGES], 2048, found[LOG_FILE])
    before: list[bytes] = []
    for record in log.records():
        before = [pages[number] for number in range(pages.count)]
        pages.apply(record)
        if record.kind != COMMIT:
            assert [number for number, page in enumerate(before) if page != pages[number]] == []


def test_no_files() -> None:
    found = recover({})
    assert (found.refused, found.queues, found.checked) == (None, [], False)
    assert recover({LOG_FILE: LOG[:5]}).checked
    assert not recover({LOG_FILE: LOG[:12]}).checked


@pytest.mark.parametrize("store", ["12-one-commit-after-checkpoint", "09-xa-prepared-read", "g2c-61-removed"])
@real
def test_messages_that_have_one_page_are_as_if_looked_at_closely(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(2)
    sound = files(REAL / store)
    used = [at for at in range(0, len(sound[PAGES]), 2048) if any(sound[PAGES][at : at + 2048])]
    damaged = [sound]
    for _ in range(50):
        data = bytearray(sound[PAGES])
        data[rng.choice(used) + rng.randrange(70)] = rng.randrange(256)
        damaged.append({**sound, PAGES: bytes(data)})
    quick = [_said(recover(each, check=True, drop=False)) for each in damaged]
    monkeypatch.setattr(log, "alone", lambda data, off, size: None)
    assert quick == [_said(recover(each, check=True, drop=False)) for each in damaged]


def _said(found: Recovered) -> object:
    messages = [[(one[:3], one.digest) for one in queue.entries] for queue in found.queues]
    return messages, list(found.notes), found.branches, found.refused


def test_a_page_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many queues names page 1, which has many changes in the log."""
    slots = (2048 - 17) // 13
    root = b"\0" + b"\xff" * 8 + slots.to_bytes(4) * 2 + b"\1\0\0\0\0\0\0\0\1\0\0\0\0" * slots
    index = b"\0" + b"\xff" * 8 + bytes(8)
    change = bytes.fromhex("00000004 00000001 00000400 00 00000001 55")
    log = LOG[:24] + bytes(8) + (1000).to_bytes(4) + change * 1000
    made: list[int] = []
    make = ReplayedPages.__getitem__

    def counted(pages: ReplayedPages, number: int) -> bytes:
        made.append(number)
        return make(pages, number)

    monkeypatch.setattr(ReplayedPages, "__getitem__", counted)
    found = recover({PAGES: root.ljust(2048, b"\0") + index.ljust(2048, b"\0"), LOG_FILE: log})
    assert found.dropped == {b"": "page 1 is referred to twice"}
    assert made == [0, 1]


@real
@pytest.mark.parametrize("store", ["12-one-commit-after-checkpoint", "09-xa-prepared-read", "g2c-61-removed"])
def test_flipped_bytes(store: str) -> None:
    """Whatever the bytes say, there is an answer; queues that are whole have different pages."""
    sound, chance = files(REAL / store), random.Random(20261123)
    sound[LOG_FILE] = sound[LOG_FILE][:9000]
    for _ in range(150):
        found = {name: bytearray(data) for name, data in sound.items()}
        data = found[chance.choice([PAGES, LOG_FILE])]
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.choice([0, 1, 0x7F, 0xFF, chance.randrange(256)])
        read = recover(found, check=chance.random() < 0.5, salvage=chance.random() < 0.5)
        assert read.refused or all(queue.why is None for queue in read.queues)
        heads = [queue.head for queue in read.queues if queue.why is None]
        assert len(set(heads)) == len(heads)
