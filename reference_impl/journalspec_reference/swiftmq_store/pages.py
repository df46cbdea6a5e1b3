"""This module changes pages: pages in memory, the logged actions, and indexes and messages on pages.

Every change goes through `patch`, `take` or `give_back`, which log the change. So a rollback can undo all
changes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from struct import pack
from typing import NamedTuple

from journalspec_reference.storage import Storage
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import FREE
from journalspec_reference.swiftmq_store.scan import DELETE, INSERT, PORTION
from journalspec_reference.swiftmq_store.store import PAGES

_PREV, _NEXT, _SLOTS, _VALID = 1, 5, 9, 13


class Change(NamedTuple):
    """Represents one logged action: bytes of a page before and after the change."""

    kind: int
    page: int
    off: int = 0
    before: bytes | None = None
    after: bytes | None = None

    def encode(self) -> bytes:
        """Return the bytes of the action."""
        head = pack(">ii", self.kind, self.page)
        if self.kind == INSERT:
            return head
        if self.kind == DELETE:
            return head + sized(self.before)
        before = b"\0" if self.before is None else b"\1" + sized(self.before)
        return head + pack(">i", self.off) + before + sized(self.after)


def sized(data: bytes | None) -> bytes:
    """Return bytes with their length in front."""
    return pack(">i", len(data or b"")) + (data or b"")


@dataclass
class Transaction:
    """Represents a transaction: its changes in order, and the messages that its commit will remove."""

    number: int
    changes: list[Change] = field(default_factory=list)
    queues: set[bytes] = field(default_factory=set)
    inserted: list[tuple[bytes, int]] = field(default_factory=list)
    removals: list[tuple[bytes, int]] = field(default_factory=list)


class Slot(NamedTuple):
    """Represents the position of an entry on its page. Entries are sorted by `key`."""

    off: int
    size: int
    valid: bool
    key: bytes | int
    page: int


class CachedPages:
    """The pages of a file, changed in memory.

    A page that has a reference but is marked free is not allocated.
    """

    def __init__(self, storage: Storage, count: int, size: int, roles: bytearray | Mapping[int, int]) -> None:
        self._storage, self._count, self.size = storage, count, size
        self._dirty: set[int] = set()
        self._pages: dict[int, bytearray] = {}
        self._free = [n for n in range(1, count) if codec.is_free(self._load(n)) and not roles[n]]

    def _load(self, number: int) -> bytes:
        return self._storage.read(PAGES, number * self.size, self.size)

    def __getitem__(self, number: int) -> bytearray:
        if number not in self._pages:
            self._pages[number] = bytearray(self._load(number))
        return self._pages[number]

    def write(self, numbers: set[int]) -> None:
        """Write pages in order of their numbers."""
        for number in sorted(numbers):
            self._storage.write(PAGES, number * self.size, bytes(self[number]))
        self._dirty -= numbers

    def flush(self) -> None:
        """Write all changed pages with an fsync, and drop all pages from memory."""
        self.write(self._dirty)
        self._storage.sync(PAGES)
        self._pages.clear()

    def empty(self, number: int) -> None:
        """Make a page free."""
        self._pages[number] = bytearray(FREE.ljust(self.size, b"\0"))
        self._dirty.add(number)
        heapq.heappush(self._free, number)

    def take(self, tx: Transaction, number: int | None = None) -> int:
        """Allocate a page: `number` if given, else the lowest free page, else a new page at the end."""
        if number is None:
            if not self._free:
                # The file grows immediately and outside of any transaction. No reference leads to the page
                # yet.
                free = FREE.ljust(self.size, b"\0")
                self._storage.write(PAGES, self._count * self.size, free)
                heapq.heappush(self._free, self._count)
                self._count += 1
            number = heapq.heappop(self._free)
        self._pages[number] = bytearray(self.size)
        self._dirty.add(number)
        tx.changes.append(Change(INSERT, number))
        return number

    def patch(self, tx: Transaction, number: int, off: int, data: bytes, *, new: bool = False) -> None:
        """Put bytes into a page. For a `new` page, the old bytes are not logged."""
        page = self[number]
        before = None if new else bytes(page[off : off + len(data)])
        page[off : off + len(data)] = data
        self._dirty.add(number)
        tx.changes.append(Change(PORTION, number, off, before, data))

    def link(self, tx: Transaction, number: int, off: int, value: int) -> None:
        """Put a number into the header of a page, if there is such a page."""
        if number != codec.NONE:
            self.patch(tx, number, off, pack(">i", value))

    def give_back(self, tx: Transaction, number: int, used: int) -> None:
        """Make a page free, and log its first `used` bytes."""
        tx.changes.append(Change(DELETE, number, 0, bytes(self[number][:used])))
        self.empty(number)

    def undo(self, tx: Transaction) -> None:
        """Undo a transaction's changes. All of these are insertions, because removals wait for the commit."""
        for change in reversed(tx.changes):
            if change.kind == INSERT:
                self.empty(change.page)
            elif change.before is not None:
                self[change.page][change.off : change.off + len(change.before)] = change.before

    def add_message(self, tx: Transaction, data: bytes) -> int:
        """Put a message on new pages. Return the number of the first page."""
        room = self.size - codec.CHAIN_HEADER
        first = number = self.take(tx)
        before = codec.NONE
        for off in range(0, max(1, len(data)), room):
            part = data[off : off + room]
            # Each page stores the number of the next page, so the next page is allocated first. Its actions
            # are logged after those of this page.
            following = Transaction(tx.number)
            after = self.take(following) if off + room < len(data) else codec.NONE
            head = pack(">xiii", before, after, codec.CHAIN_HEADER + len(part))
            self.patch(tx, number, 0, head + part, new=True)
            tx.changes += following.changes
            before, number = number, after
        return first

    def chain(self, number: int) -> Iterator[tuple[int, int]]:
        """Yield the pages of a message, and the length of the bytes in use on each."""
        while number != codec.NONE:
            _, following, length = codec.chain(bytes(self[number]))
            yield number, length
            number = following

    def message(self, number: int) -> bytes:
        """Return the content of the pages of a message."""
        return b"".join(bytes(self[at][codec.CHAIN_HEADER : length]) for at, length in self.chain(number))

    def remove_message(self, tx: Transaction, number: int) -> None:
        """Free the pages of a message."""
        for at, length in self.chain(number):
            self.give_back(tx, at, length)


class PagedIndex:
    """An index, given by its first page: the root index, whose pages are split, or a queue's index."""

    def __init__(self, pages: CachedPages, head: int, *, root: bool) -> None:
        self._pages, self._head, self._root = pages, head, root

    def _slots(self, number: int) -> list[Slot]:
        page, length = bytes(self._pages[number]), codec.QUEUE_ENTRY
        _, _, slots, _ = codec.index(page)
        if self._root:
            roots = codec.root_slots(page, slots)
            return [
                Slot(off, end - off, valid == 1, java_order(name), head)
                for valid, name, head, off, end in roots
            ]
        rows = enumerate(codec.queue_slots(page, slots))
        return [
            Slot(codec.INDEX_HEADER + at * length, length, valid == 1, key, page)
            for at, (valid, *_, key, page) in rows
        ]

    def _numbers(self) -> Iterator[int]:
        number = self._head
        while number != codec.NONE:
            yield number
            _, number, _, _ = codec.index(bytes(self._pages[number]))

    def _used(self, number: int) -> int:
        slots = self._slots(number)
        return slots[-1].off + slots[-1].size if slots else codec.INDEX_HEADER

    @staticmethod
    def make(pages: CachedPages, tx: Transaction, number: int | None = None) -> int:
        """Create an empty index. Return its first page."""
        number = pages.take(tx, number)
        pages.link(tx, number, _PREV, codec.NONE)
        pages.link(tx, number, _NEXT, codec.NONE)
        return number

    def valid(self) -> Iterator[tuple[int, Slot]]:
        """Yield the page and the position of every valid entry."""
        for number in self._numbers():
            yield from ((number, slot) for slot in self._slots(number) if slot.valid)

    def find(self, key: bytes | int) -> tuple[int, Slot] | None:
        """Return the page and the position of a valid entry. The key of a queue is its :func:`java_order`."""
        return next((found for found in self.valid() if found[1].key == key), None)

    def last_key(self) -> int:
        """Return the highest key of the last page of a queue's index, or -1."""
        *_, number = self._numbers()
        return max((int(slot.key) for slot in self._slots(number) if slot.valid), default=codec.NONE)

    def add(self, tx: Transaction, order: bytes | int, entry: bytes) -> None:
        """Put an entry at the position that its key determines."""
        number = self._head
        for number in self._numbers():
            valid = [slot.key for slot in self._slots(number) if slot.valid]
            if not valid or max(valid) > order:  # type: ignore[operator]  # of one kind in one index
                break
        if self._pages.size - self._used(number) < len(entry):
            number = self._room(tx, number, order, len(entry))
        self._insert(tx, number, order, entry)

    def _room(self, tx: Transaction, number: int, order: bytes | int, length: int) -> int:
        """Return the page for an entry that does not fit on its proper page (SMQ-IDX-106, SMQ-IDX-107)."""
        slots = [slot for slot in self._slots(number) if slot.valid]
        if not self._root or max(slot.key for slot in slots) < order:  # type: ignore[operator]
            return self._behind(tx, number, codec.NONE)
        if len(slots) < len(self._slots(number)):
            self._keep(tx, number, slots)
        if self._pages.size - self._used(number) >= length:
            return number
        slots = self._slots(number)
        half = len(slots) // 2
        page = bytes(self._pages[number])
        new = self._behind(tx, number, codec.index(page)[1])
        for slot in slots[half:]:
            self._insert(tx, new, slot.key, page[slot.off : slot.off + slot.size])
        self._keep(tx, number, slots[:half])
        return number if slots[half - 1].key > order else new  # type: ignore[operator]

    def _behind(self, tx: Transaction, number: int, following: int) -> int:
        """Insert a new page after another page of the chain."""
        new = self._pages.take(tx)
        self._pages.link(tx, number, _NEXT, new)
        self._pages.link(tx, new, _PREV, number)
        self._pages.link(tx, new, _NEXT, following)
        self._pages.link(tx, following, _PREV, new)
        return new

    def _keep(self, tx: Transaction, number: int, slots: list[Slot]) -> None:
        """Keep only the entries in `slots` on a page."""
        page = bytes(self._pages[number])
        kept = b"".join(page[slot.off : slot.off + slot.size] for slot in slots)
        head = page[_PREV:_SLOTS] + pack(">ii", len(slots), len(slots))
        self._pages.patch(tx, number, _PREV, head + kept)

    def _insert(self, tx: Transaction, number: int, order: bytes | int, entry: bytes) -> None:
        slots, used = self._slots(number), self._used(number)
        higher = (slot.off for slot in slots if slot.valid and slot.key > order)  # type: ignore[operator]
        off = next(higher, used)
        self._pages.patch(tx, number, off, entry + bytes(self._pages[number][off:used]))
        self._pages.link(tx, number, _SLOTS, len(slots) + 1)
        # Valid entries are counted, because the number stored on the page can be wrong (SMQ-IDX-014).
        self._pages.link(tx, number, _VALID, sum(slot.valid for slot in slots) + 1)

    def remove(self, tx: Transaction, number: int, slot: Slot) -> None:
        """Make an entry invalid; a page without valid entries is removed (SMQ-IDX-108, SMQ-IDX-109)."""
        pages, used = self._pages, self._used(number)
        entry = bytes(pages[number][slot.off : slot.off + slot.size])
        pages.patch(tx, number, slot.off, b"\0" + entry[1:])
        prev, following, _, _ = codec.index(bytes(pages[number]))
        valid = sum(one.valid for one in self._slots(number))
        pages.link(tx, number, _VALID, valid)
        if valid:
            return
        pages.link(tx, number, _SLOTS, 0)
        if number != self._head:
            pages.give_back(tx, number, codec.INDEX_HEADER)
            pages.link(tx, prev, _NEXT, following)
            pages.link(tx, following, _PREV, prev)
        elif following != codec.NONE:
            after = bytes(pages[following][: self._used(following)])
            behind = codec.index(after)[1]
            # The patch is as long as the longer of both pages, because a rollback must restore all bytes of
            # the first page.
            pages.patch(tx, number, 0, after + bytes(pages[number][len(after) : used]))
            pages.link(tx, number, _PREV, codec.NONE)
            pages.give_back(tx, following, len(after))
            pages.link(tx, behind, _PREV, number)


def java_order(name: bytes) -> bytes:
    """Return the sort key of a queue: its name in units of 16 bits."""
    return name.decode("utf-8", "surrogateescape").encode("utf-16-be", "surrogatepass")


def root_entry(name: bytes, head: int) -> bytes:
    """Return the entry of a queue."""
    return b"\1" + pack(">i", len(name)) + name + pack(">i4x", head)


def queue_entry(entry: codec.QueueEntry) -> bytes:
    """Return the entry of a message."""
    return pack(">Biiqqi4x", 1, *entry)
