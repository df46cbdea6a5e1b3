"""SwiftMQ's file store: what is written, held to the records of real SwiftMQ, and read back."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from journalspec_reference.batches import Memory
from journalspec_reference.storage import DirectoryStorage, MemoryStorage, whole
from journalspec_reference.swiftmq_store.recover import Recovered, recover
from journalspec_reference.swiftmq_store.replay import ReplayedPages
from journalspec_reference.swiftmq_store.scan import START, TRANSACTION, Log, actions
from journalspec_reference.swiftmq_store.store import LOG as LOG_FILE
from journalspec_reference.swiftmq_store.store import PAGES
from journalspec_reference.swiftmq_store.write import StoreWriter

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "swiftmq_store"
real = pytest.mark.skipif(
    not REAL.is_dir(), reason="real files are missing beside the checkout (../shared/real)"
)


def files(store: str) -> dict[str, bytes]:
    found = {}
    for name in (PAGES, LOG_FILE):
        path = REAL / store / name
        packed = path.with_name(f"{path.name}.gz")
        found[name] = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return found


def keys(found: Recovered) -> dict[str, list[int]]:
    return {
        queue.name.decode(): [entry.entry.key for entry in queue.entries if entry.digest]
        for queue in found.queues
    }


class Watched(MemoryStorage):
    """Remembers what was done, and the files as they were before each write."""

    def __init__(self, given: dict[str, bytes] | None = None) -> None:
        super().__init__(given)
        self.done: list[tuple[str, str, int, int]] = []
        self.states: list[dict[str, bytes]] = []

    def write(self, name: str, off: int, data: bytes) -> None:
        self.states.append(content(self))
        self.done.append(("write", name, off, len(data)))
        super().write(name, off, data)

    def sync(self, name: str) -> None:
        self.done.append(("sync", name, 0, 0))
        super().sync(name)


def content(storage: MemoryStorage) -> dict[str, bytes]:
    return {name: whole(storage, name) for name in storage.names()}


def opened(storage: MemoryStorage | None = None, **params: str) -> tuple[StoreWriter, Any]:
    """Return a writer with its store open, and a short way to give it operations."""
    storage = storage or MemoryStorage()
    writer = StoreWriter(storage, "13", {"checkpoint_size": "1048576", **params})
    writer.apply({"op": "open"})
    return writer, lambda op, **more: writer.apply({"op": op, **more})


def stored(storage: MemoryStorage, **options: Any) -> Recovered:
    found = recover(content(storage), **options)
    assert (found.refused, found.dropped, list(found.notes)) == (None, {}, [])
    return found


def body(length: int) -> str:
    return (b"\0\0\0\1" + bytes(40) + length.to_bytes(4) + bytes(length)).hex()


def shape(store: dict[str, bytes]) -> list[Any]:
    """Return the records of a log with all that is not left to a writer: not padding, not first bytes."""
    log = Log(Memory(store[LOG_FILE]), 2048, 100)
    found: list[Any] = []
    for batch in log.scan():
        for off, end, code in zip(batch.off, batch.end, batch.code, strict=True):
            if code != START:
                transaction, _ = TRANSACTION.unpack_from(batch.data, off + log.lead - TRANSACTION.size)
                each = [
                    (kind, page, at, *(image and image[1] for image in images))
                    for _, _, kind, page, _, at, *images in actions(batch.data, off + log.lead, end, 2048)
                ]
                found.append((code, transaction, each))
    return found


def real_messages(store: str, numbers: list[list[int]]) -> list[str]:
    """Return what is on pages of a real store, as its log leaves them."""
    found = files(store)
    source = Memory(found[LOG_FILE])
    pages = ReplayedPages(Memory(found[PAGES]), 2048, source)
    for batch in Log(source, 2048, 100).scan():
        for number in range(len(batch)):
            if batch.code[number] != 2:
                batch.end[number] = batch.off[number]
        pages.take(batch)
    parts = [[pages[number][13 : int.from_bytes(pages[number][9:13])] for number in each] for each in numbers]
    return [b"".join(each).hex() for each in parts]


@real
def test_the_records_are_those_of_the_product() -> None:
    """From a new store to a branch that inserts, transaction by transaction."""
    storage = MemoryStorage()
    _, do = opened(storage)
    for data in real_messages("03-three-messages-committed", [[3], [4, 5, 6], [7]]):
        do("insert", queue="orders", message=data, tx="a")
    do("commit", tx="a")
    assert shape(content(storage)) == shape(files("03-three-messages-committed"))
    do("insert", queue="orders", message=body(103 - 13 - 48), tx="b")
    do("rollback", tx="b")
    assert shape(content(storage)) == shape(files("04-aborted-insert"))
    do("remove", queue="orders", key=0)
    assert shape(content(storage)) == shape(files("05-first-message-removed"))
    assert keys(stored(storage)) == {"orders": [1, 2], "sys$prepared": []}
    (data,) = real_messages("03-three-messages-committed", [[7]])
    do("insert", queue="orders", message=data, tx="c")
    do("prepare", tx="c", format_id=4660, gtrid=b"GLOBAL1".hex(), bqual="4252")
    (branch,) = stored(storage).branches
    assert (branch.kind, branch.queue, branch.format_id, branch.gtrid) == (1, "orders", 4660, b"GLOBAL1")
    assert [entry.key for entry in branch.entries] == [4]
    # The record of the branch comes first, and is as long as that of the product with the same ids.
    *_, record, inserts = shape(content(storage))
    (image,) = (
        action[4]
        for action in shape(files("09-xa-prepared-read"))[10][2]
        if action[0] == 4 and action[2] == 0
    )
    assert (record[2][1][4], record[1] > inserts[1]) == (image, True)


@real
def test_an_index_of_several_pages_is_that_of_the_product() -> None:
    storage = MemoryStorage()
    _, do = opened(storage)
    for number in range(130):
        do("insert", queue="big", message=body(5), tx=f"{number // 10}")
        if number % 10 == 9:
            do("commit", tx=f"{number // 10}")
    for number in range(61):
        do("remove", queue="big", key=number, tx="z")
    do("commit", tx="z")
    assert keys(stored(storage)) == {"big": list(range(61, 130)), "sys$prepared": []}

    def pages(log: list[Any]) -> list[Any]:
        return [action[:3] for record in log[3:] for action in record[2]]

    assert pages(shape(content(storage))) == pages(shape(files("g2c-61-removed")))


def test_a_group_is_one_write_and_its_records_stand_alone() -> None:
    storage = Watched()
    _, do = opened(storage)
    for queue in "abc":
        do("insert", queue=queue, message=body(7), tx=queue)
    before = len(storage.done)
    do("commit", tx=["a", "b", "c"])
    assert [(what, name) for what, name, *_ in storage.done[before:]] == [
        ("write", LOG_FILE),
        ("sync", LOG_FILE),
    ]
    _, _, off, length = storage.done[before]
    state, seen = content(storage), list[dict[str, list[int]]]()
    for end in range(off, off + length + 1):
        state[LOG_FILE] = content(storage)[LOG_FILE][:end] + bytes(64)
        now = keys(recover(state))
        if not seen or seen[-1] != now:
            seen.append(now)
    assert [sum(map(len, each.values())) for each in seen] == [0, 1, 2, 3]


def test_a_checkpoint_writes_pages_forces_them_and_begins_the_log_again() -> None:
    storage = Watched()
    _, do = opened(storage)
    do("insert", queue="q", message=body(5000))
    before, held = len(storage.done), keys(stored(storage))
    do("checkpoint")
    done = storage.done[before:]
    pages = [off for what, name, off, _ in done if (what, name) == ("write", PAGES)]
    assert pages == sorted(pages)
    assert [each[:2] for each in done[len(pages) :]] == [
        ("sync", PAGES),
        ("write", LOG_FILE),
        ("sync", LOG_FILE),
    ]
    assert done[-2][2:] == (0, 12)
    for state in [*storage.states[-len(pages) - 1 :], content(storage)]:
        assert keys(recover(state)) == held
    # A record is forced before the page that it frees is written.
    before = len(storage.done)
    do("remove", queue="q", key=0)
    assert [each[:2] for each in storage.done[before:][:3]] == [
        ("write", LOG_FILE),
        ("sync", LOG_FILE),
        ("write", PAGES),
    ]


def test_a_checkpoint_waits_and_lets_nothing_begin() -> None:
    storage = MemoryStorage()
    _, do = opened(storage, checkpoint_size="2000")
    do("insert", queue="q", message=body(1), tx="a")
    do("insert", queue="r", message=body(3000))
    with pytest.raises(ValueError, match="checkpoint that is due"):
        do("insert", queue="s", message=body(1), tx="b")
    with pytest.raises(ValueError, match="waits"):
        do("checkpoint")
    do("commit", tx="a")
    assert Log(Memory(content(storage)[LOG_FILE]), 2048, 100).generation == 2
    assert keys(stored(storage)) == {"q": [0], "r": [0], "s": [], "sys$prepared": []}


def test_swap_files_roll_over_and_go() -> None:
    storage = MemoryStorage()
    _, do = opened(storage, roll_over_size="200")
    places = [do("swap", queue="q", message=body(100)) for _ in range(4)]
    assert [(each["file"], each["off"]) for each in places] == [
        ("swap/q-0.swap", 0),
        ("swap/q-0.swap", 156),
        ("swap/q-1.swap", 0),
        ("swap/q-1.swap", 156),
    ]
    do("unswap", queue="q", file="swap/q-0.swap")
    assert "swap/q-0.swap" in storage.names()
    do("unswap", queue="q", file="swap/q-0.swap")
    assert "swap/q-0.swap" not in storage.names()
    opened(storage)
    assert not [name for name in storage.names() if name.endswith(".swap")]


@real
def test_a_real_store_continues() -> None:
    storage = MemoryStorage(files("12-one-commit-after-checkpoint"))
    _, do = opened(storage)
    do("insert", queue="orders", message=body(9))
    do("remove", queue="c1$sub", key=0)
    do("close")
    found = stored(storage)
    # The other queue has the message still, whose page both named.
    assert keys(found)["c2$sub"] == [0]
    assert keys(found)["orders"] == [1, 2, 4, 5, 6]
    assert len(found.branches) == 2


#: A message of kind bytes with two of them.
SHORT = "00000001" + "00" * 43 + "026869"


def test_a_store_on_a_disk_is_that_in_memory(tmp_path: Path) -> None:
    memory, disk = MemoryStorage(), DirectoryStorage(tmp_path)
    for storage in (memory, disk):
        writer = StoreWriter(storage, "13", {"checkpoint_size": "65536"})
        for op in (
            {"op": "open"},
            {"op": "insert", "queue": "orders", "message": SHORT},
            {"op": "swap", "queue": "orders", "message": SHORT},
        ):
            writer.apply(op)
    assert disk.names() == memory.names() == [PAGES, LOG_FILE, "swap/orders-0.swap"]
    assert all((tmp_path / name).read_bytes() == memory.files[name] for name in memory.names())
    again = StoreWriter(disk, "13", {"checkpoint_size": "65536"})
    again.apply({"op": "open"})
    again.apply({"op": "close"})
    assert disk.names() == [PAGES, LOG_FILE]
