"""Writes a store: transactions, their records in the log, and checkpoints, in the product's write order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from struct import pack
from typing import Any

from journalspec import mutf8
from journalspec.formats import get_format
from journalspec.swiftmq_store import LAYOUT
from journalspec_reference.api import Operation, Params, WriterRefused, perform
from journalspec_reference.storage import Storage, fill, whole
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import FREE, PREPARED, BadStore
from journalspec_reference.swiftmq_store.pages import (
    CachedPages,
    PagedIndex,
    Transaction,
    java_order,
    queue_entry,
    root_entry,
    sized,
)
from journalspec_reference.swiftmq_store.recover import recover
from journalspec_reference.swiftmq_store.scan import ABORT, COMMIT, START, START_SIZE, following
from journalspec_reference.swiftmq_store.store import LOG, PAGES, SWAP

#: The number of pages in a new page file, the size in bytes of the log at which a checkpoint is due, and the
#: size in bytes of a swap file at which the next one begins.
FIRST_PAGES, CHECKPOINT, ROLL_OVER = 10, 1048576, 1048576
#: The operations of a writer.
OPERATIONS = tuple(get_format(LAYOUT.format_id).vocabulary.operations)
#: A page size is a multiple of the first number, and at most the second.
SECTION, LARGEST = 2048, 32768
#: The bytes before the body of a message of kind "bytes" without optional parts.
_PLAIN = b"\0\0\0\1" + bytes(40)


class StoreWriter:
    """A store open for writing, under the parameters of ``fields.toml``."""

    def __init__(self, storage: Storage, _: str, params: Params) -> None:
        self._storage = storage
        self._size = int(params.get("page_size", "2048"))
        self._checkpoint_at = int(params.get("checkpoint_size", str(CHECKPOINT)))
        self._roll_over = int(params.get("roll_over_size", str(ROLL_OVER)))
        self._force = params.get("force_sync", "true") == "true"
        self._free_page = FREE.ljust(self._size, b"\0")
        self._is_open = False
        self._position = self._generation = 0
        self._numbers = count()
        self._running: dict[str, Transaction] = {}
        self._keys: dict[bytes, int] = {}
        self._references: Counter[int] = Counter()
        self._damaged: set[int] = set()
        #: Maps a queue to a map from its swap files to the number of remaining entries in each. New entries
        #: are added to the last file.
        self._swaps: dict[str, dict[str, int]] = {}

    def apply(self, op: Operation) -> dict[str, Any]:
        """Perform one operation of the table ``operations`` in ``fields.toml``."""
        handlers = {name: getattr(self, f"_{name}") for name in OPERATIONS}
        return {"durable": self._force} | perform(handlers, op, self._is_open)

    # Opening: recovery, and the writes that recovery requires.

    def _open(self, _: Operation) -> dict[str, Any]:
        storage = self._storage
        if self._size % SECTION or not 0 < self._size <= LARGEST:
            raise WriterRefused("bad-page-size", f"{self._size} bytes (SMQ-FIL-103)")
        files = {name: whole(storage, name) for name in storage.names()}
        found = recover(files, self._size)
        if found.refused or found.dropped:
            raise WriterRefused(*(found.refused or ("bad-queue", next(iter(found.dropped.values())))))
        for name in found.swaps:
            storage.unlink(name)
        fresh = len(files.get(PAGES, b"")) < self._size
        if fresh:
            if PAGES not in files:
                storage.create(PAGES)
            for number in range(FIRST_PAGES):
                storage.write(PAGES, number * self._size, self._free_page)
            storage.sync(PAGES)
            found = recover({**files, PAGES: whole(storage, PAGES)}, self._size)
        assert found.read
        log, pages, walk = found.read
        self._damaged = walk.damaged
        self._references = Counter(page for queue in walk.queues for page in queue.entries.first_pages())
        # The check frees pages without a reference.
        numbers = range(1, pages.count if found.checked and not fresh else 0)
        freed = {number for number in numbers if not walk.roles[number] and not codec.is_free(pages[number])}
        for number in sorted({*pages.changed, *freed}):
            page = self._free_page if number in freed else pages[number]
            storage.write(PAGES, number * self._size, page)
        storage.sync(PAGES)
        self._pages = CachedPages(storage, pages.count, self._size, walk.roles)
        self._create_log(log.unlike(max(0, log.generation)))
        self._is_open = True
        if not any(self._pages[0][1:17]):
            self._now(lambda tx: PagedIndex.make(self._pages, tx, 0))
        self._root = PagedIndex(self._pages, 0, root=True)
        self._keys = {
            bytes(queue.name): PagedIndex(self._pages, queue.head, root=False).last_key()
            for queue in walk.queues
        }
        self._index(PREPARED)
        return {}

    def _create_log(self, generation: int) -> None:
        """Write the log's full length and next generation, with an fsync even if `force_sync` is false."""
        storage, length = self._storage, self._checkpoint_at + self._checkpoint_at // 4
        if LOG not in storage.names():
            storage.create(LOG)
        if (there := storage.size(LOG)) < length:
            fill(storage, LOG, there, length)
        self._generation = generation
        self._reset(force=True)
        storage.sync_dir()

    # The log, and checkpoints.

    def _reset(self, *, force: bool) -> None:
        self._generation = following(self._generation)
        self._storage.write(LOG, 0, pack(">iq", START, self._generation))
        if force:
            self._storage.sync(LOG)
        self._position = START_SIZE

    def _write(self, *records: tuple[int, Transaction]) -> None:
        """Write records, then the pages that they freed. Take a checkpoint if the log is long."""
        data = b""
        for kind, tx in records:
            head = pack(">iqqi", kind, self._generation, tx.number, len(tx.changes))
            data += head + b"".join(change.encode() for change in tx.changes)
        self._storage.write(LOG, self._position, data)
        if self._force:
            self._storage.sync(LOG)
        self._position += len(data)
        changed = {change.page for _, tx in records for change in tx.changes}
        self._pages.write({number for number in changed if self._pages[number][0] == FREE[0]})
        if self._position >= self._checkpoint_at and not self._running:
            self._checkpoint()

    def _checkpoint(self, _: Operation | None = None) -> dict[str, Any]:
        if self._running:
            raise ValueError("a checkpoint waits for the transactions that are open")
        self._pages.flush()
        self._reset(force=self._force)
        return {}

    def _close(self, _: Operation) -> dict[str, Any]:
        for tx in list(self._running):
            self._rollback({"tx": tx})
        for files in self._swaps.values():
            for name in files:
                self._storage.unlink(name)
        self._swaps.clear()
        self._is_open = False
        return self._checkpoint()

    # Transactions.

    def _now(self, work: Callable[[Transaction], Any]) -> Any:
        """Run `work` as a separate transaction. Return its result."""
        tx = Transaction(next(self._numbers))
        made = work(tx)
        self._write((COMMIT, tx))
        return made

    def _transaction(self, op: Operation, queue: bytes) -> Transaction:
        """Return the transaction named in an operation; a new one is started.

        If the operation names no transaction, return one for this operation alone.
        """
        name = str(op["tx"]) if "tx" in op else None
        if name is not None and name not in self._running:
            if self._position >= self._checkpoint_at:
                raise ValueError("no transaction can begin before the checkpoint that is due")
            self._running[name] = Transaction(next(self._numbers))
        tx = self._running[name] if name is not None else None
        if any(queue in other.queues for other in self._running.values() if other is not tx):
            # A rollback restores old bytes. Therefore it would also undo the changes of another transaction
            # in the same queue.
            raise ValueError("another transaction has inserted into this queue")
        return tx or Transaction(next(self._numbers))

    def _done(self, op: Operation, tx: Transaction, **more: Any) -> dict[str, Any]:
        """Commit the transaction if it was started only for this operation, and return the answer."""
        if "tx" not in op:
            self._write((COMMIT, self._finish(tx)))
        return more

    def _end(self, name: str) -> Transaction:
        if name not in self._running:
            raise ValueError(f"there is no transaction {name!r}")
        return self._running.pop(name)

    def _index(self, queue: bytes) -> PagedIndex:
        """Return the index of a queue. A new queue is created in a separate transaction."""
        if found := self._root.find(java_order(queue)):
            return PagedIndex(self._pages, found[1].page, root=False)

        def make(tx: Transaction) -> int:
            head = PagedIndex.make(self._pages, tx)
            self._root.add(tx, java_order(queue), root_entry(queue, head))
            return head

        return PagedIndex(self._pages, self._now(make), root=False)

    def _add(self, tx: Transaction, queue: bytes, data: bytes) -> int:
        """Add a message. Return its key."""
        index = self._index(queue)
        key = self._keys.get(queue, index.last_key()) + 1
        self._keys[queue] = key
        page = self._pages.add_message(tx, data)
        _, expiration, priority, *_ = codec.FIXED.unpack_from(data)
        self._references[page] += 1
        entry = codec.QueueEntry(priority, 1, expiration, key, page)
        if queue == PREPARED:
            entry = codec.QueueEntry(0, 0, 0, key, page)
        index.add(tx, key, queue_entry(entry))
        tx.queues.add(queue)
        tx.inserted.append((queue, key))
        return key

    def _take_out(self, tx: Transaction, queue: bytes, key: int) -> None:
        index = self._index(queue)
        found = index.find(key)
        if not found:
            raise ValueError(f"the queue has no key {key}")
        index.remove(tx, *found)
        page = found[1].page
        self._references[page] -= 1
        if not self._references[page]:
            del self._references[page]
            if page not in self._damaged:
                self._pages.remove_message(tx, page)
            # A damaged page may belong to another message, or be unused. The next check frees it if it has no
            # reference.

    def _insert(self, op: Operation) -> dict[str, Any]:
        data, queue = bytes.fromhex(op["message"]), str(op["queue"]).encode()
        try:
            codec.message(data)
        except BadStore as bad:
            raise WriterRefused("unencodable", str(bad)) from None
        self._index(queue)
        tx = self._transaction(op, queue)
        return self._done(op, tx, key=self._add(tx, queue, data))

    def _remove(self, op: Operation) -> dict[str, Any]:
        queue, key = str(op["queue"]).encode(), int(op["key"])
        if not self._index(queue).find(key):
            raise ValueError(f"the queue has no key {key}")
        tx = self._transaction(op, queue)
        tx.removals.append((queue, key))
        return self._done(op, tx)

    def _finish(self, tx: Transaction) -> Transaction:
        for queue, key in tx.removals:
            self._take_out(tx, queue, key)
        return tx

    def _commit(self, op: Operation) -> dict[str, Any]:
        names = op["tx"] if isinstance(op["tx"], list) else [op["tx"]]
        self._write(*((COMMIT, self._finish(self._end(str(name)))) for name in names))
        return {}

    def _rollback(self, op: Operation) -> dict[str, Any]:
        tx = self._end(str(op["tx"]))
        self._pages.undo(tx)
        for change in tx.changes:
            self._references.pop(change.page, None)
        if tx.changes:
            self._write((ABORT, tx))
        return {}

    def _prepare(self, op: Operation) -> dict[str, Any]:
        """Store the insertions and pending removals of a transaction as a branch (SMQ-XAB-103)."""
        tx = self._end(str(op["tx"]))
        keys = tx.inserted or tx.removals
        if len({queue for queue, _ in keys}) != 1 or (tx.inserted and tx.removals):
            self._running[str(op["tx"])] = tx
            raise ValueError("a branch inserts into one queue, or removes from it")
        queue, index = keys[0][0], self._index(keys[0][0])
        xid = pack(">?i", False, int(op["format_id"]))
        for member in ("bqual", "gtrid"):
            xid += b"\1" + sized(bytes.fromhex(op[member]))
        entries = b""
        for _, key in keys:
            found = index.find(key)
            assert found
            slot = found[1]
            entries += sized(bytes(self._pages[found[0]][slot.off : slot.off + slot.size]))
        name = mutf8.encode(queue.decode())
        body = pack(">?qiH", True, 0, int(bool(tx.inserted)), len(name)) + name + xid
        body += pack(">i", len(keys)) + entries
        self._now(lambda record: self._add(record, PREPARED, _PLAIN + sized(body)))
        if tx.inserted:
            self._write((COMMIT, tx))
        return {}

    def _decide(self, op: Operation) -> dict[str, Any]:
        """End a branch. The branch's messages are removed first. Therefore a crash in between leaves the
        branch in doubt.
        """
        wanted = bytes.fromhex(op["bqual"]), bytes.fromhex(op["gtrid"])
        found = []
        for _, slot in self._index(PREPARED).valid():
            branch = codec.branch(self._pages.message(slot.page))
            if (branch.bqual, branch.gtrid) == wanted:
                found.append((int(slot.key), branch))
        if not found:
            raise ValueError("no such branch is in doubt")
        for key, branch in found:
            queue = branch.queue.encode()
            index, tx = self._index(queue), Transaction(next(self._numbers))
            for entry in branch.entries:
                place = index.find(entry.key)
                # If the key now belongs to another message, that message is not removed (SMQ-XAB-050).
                if not place or place[1].page != entry.page:
                    continue
                if op["commit"] == (branch.kind == 0):
                    self._take_out(tx, queue, entry.key)
                elif branch.kind == 0:
                    again = entry._replace(deliveries=entry.deliveries + 1)
                    self._pages.patch(tx, place[0], place[1].off, queue_entry(again))
            if tx.changes:
                self._write((COMMIT, tx))
            self._now(lambda record, key=key: self._take_out(record, PREPARED, key))  # type: ignore[misc]
        return {}

    # Swap files.

    def _swap(self, op: Operation) -> dict[str, Any]:
        queue, data = str(op["queue"]), bytes.fromhex(op["message"])
        files = self._swaps.setdefault(queue, {})
        name = next(reversed(files), "")
        if not name or self._storage.size(name) >= self._roll_over:
            number = int(name.rpartition("-")[2].partition(".")[0]) + 1 if name else 0
            if name and not files[name]:
                self._storage.unlink(name)
                del files[name]
            name = f"{SWAP}{queue}-{number}.swap"
            files[name] = 0
            self._storage.create(name)
        off = self._storage.size(name)
        self._storage.write(name, off, pack(">ii", len(data) + 4, 1) + data)
        files[name] += 1
        return {"durable": False, "file": name, "off": off}

    def _unswap(self, op: Operation) -> dict[str, Any]:
        """Remove an entry from the counts. A file without entries is deleted unless it is the last one."""
        files, name = self._swaps.get(str(op["queue"]), {}), str(op["file"])
        if not files.get(name):
            raise ValueError(f"{name} has no entry")
        files[name] -= 1
        if not files[name] and name != next(reversed(files)):
            self._storage.unlink(name)
            del files[name]
        return {"durable": False}
