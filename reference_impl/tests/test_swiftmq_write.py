"""SwiftMQ's file store: the writes for a group of transactions, and calls to the disk.

Cases smq.write test the rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from journalspec_reference.storage import DirectoryStorage, MemoryStorage, whole
from journalspec_reference.swiftmq_store.recover import Recovered, recover
from journalspec_reference.swiftmq_store.store import LOG as LOG_FILE
from journalspec_reference.swiftmq_store.store import PAGES
from journalspec_reference.swiftmq_store.write import StoreWriter


def keys(found: Recovered) -> dict[str, list[int]]:
    return {
        queue.name.decode(): [entry.entry.key for entry in queue.entries if entry.digest]
        for queue in found.queues
    }


class Watched(MemoryStorage):
    """Records the calls."""

    def __init__(self, given: dict[str, bytes] | None = None) -> None:
        super().__init__(given)
        self.done: list[tuple[str, str, int, int]] = []

    def write(self, name: str, off: int, data: bytes) -> None:
        self.done.append(("write", name, off, len(data)))
        super().write(name, off, data)

    def sync(self, name: str) -> None:
        self.done.append(("sync", name, 0, 0))
        super().sync(name)


def content(storage: MemoryStorage) -> dict[str, bytes]:
    return {name: whole(storage, name) for name in storage.names()}


def opened(storage: MemoryStorage | None = None, **params: str) -> tuple[StoreWriter, Any]:
    """Return two values: a writer with an open store, and a function that passes an operation to the
    writer.
    """
    storage = storage or MemoryStorage()
    writer = StoreWriter(storage, "13", {"checkpoint_size": "1048576", **params})
    writer.apply({"op": "open"})
    return writer, lambda op, **more: writer.apply({"op": op, **more})


def body(length: int) -> str:
    return (b"\0\0\0\1" + bytes(40) + length.to_bytes(4) + bytes(length)).hex()


def test_group_is_one_write_and_each_of_its_records_is_valid_alone() -> None:
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


#: A message of kind bytes, which has two bytes.
SHORT = "00000001" + "00" * 43 + "026869"


def test_writer_leaves_equal_stores_on_disk_and_in_memory(tmp_path: Path) -> None:
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
