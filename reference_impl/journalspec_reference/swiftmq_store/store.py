"""Walks a store from page 0: queues and their messages; each page is claimed only once.

Only the places of messages are kept: memory grows with their number, not with their bodies.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, NamedTuple, TypeVar

from journalspec.observation import Note
from journalspec_reference.batches import source_of
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import INDEX_HEADER
from journalspec_reference.swiftmq_store.scan import ReplayedPages

T = TypeVar("T")
#: The files and directories of a store.
PAGES, LOG, SWAP, DURABLES = "db/page.db", "log/transaction.log", "swap/", "durables/"
#: The role of a page, by the reference to it. The last role: an index refers to the page as its own, but the
#: page is not an index page.
_ROOT, _QUEUE, _MESSAGE, _NO_INDEX = 1, 2, 3, 4
_USES = {_ROOT: "root_entry", _QUEUE: "queue_entry", _MESSAGE: "message_page"}
#: The beginning of a reason if a message is complete, but not the prepared branch in it.
BRANCH = "branch: "


_IN_USE = re.compile(rb"[^\0]")


class Entry(NamedTuple):
    """A message in a queue: its entry, digest and length; or `why` it cannot be read."""

    entry: codec.QueueEntry
    digest: bytes | None
    length: int
    why: str | None


#: The layout of an entry in memory, with the length and digest of its message; the layout of these two alone,
#: and their offset.
_ROW, _FOUND, _FOUND_AT = Struct(">iiqqiq32s"), Struct(">q32s"), 28
#: The layout of an entry without the digest.
_MEASURED = Struct(">iiqqiq").unpack_from
#: Values instead of a digest: not computed yet; the message cannot be read; the branch in it cannot be read.
_LATER, _BAD, _BAD_BRANCH = bytes(32), b"\xff" * 32, b"\xfe" * 32
#: At most this many reasons of a kind are kept; files of more pages than this use a table instead of arrays.
MOST_TOLD, MOST_COUNTED = 1000, 1 << 22


class Entries(Sequence[Entry]):
    """The entries of a queue, packed: there can be millions, and thousands of queues."""

    __slots__ = ("_pages", "_rows", "bad", "bad_branches", "whys")

    def __init__(self, pages: ReplayedPages) -> None:
        self._pages = pages
        self._rows = bytearray()
        #: Position of an entry -> why its message cannot be read; only for the first such entries, in order.
        self.whys: dict[int, str] = {}
        #: The number of unreadable messages, and of messages of which only the branch is unreadable.
        self.bad = self.bad_branches = 0

    def add(self, entries: Iterable[tuple[int, ...]]) -> None:
        """Append entries whose messages are not known yet."""
        self._rows += b"".join([_ROW.pack(*entry, 0, _LATER) for entry in entries])

    def know(self, at: int, digest: bytes | None, length: int, why: str | None = None) -> None:
        """Set the facts about an entry's message. A message without a digest has one page."""
        if why:
            digest = _BAD_BRANCH if why.startswith(BRANCH) else _BAD
            self.bad += digest == _BAD
            self.bad_branches += digest == _BAD_BRANCH
            if len(self.whys) < MOST_TOLD:
                self.whys[at] = why
        _FOUND.pack_into(self._rows, at * _ROW.size + _FOUND_AT, length, digest or _LATER)

    def entry(self, at: int) -> codec.QueueEntry:
        """Return an entry, whether its message is known or not."""
        return codec.QueueEntry(*_ROW.unpack_from(self._rows, at * _ROW.size)[:5])

    def first_pages(self) -> Iterator[int]:
        """Yield the first page of each message."""
        return (row[4] for row in _ROW.iter_unpack(self._rows))

    def whole(self) -> Entries:
        """Return the entries whose messages can be read."""
        found = Entries(self._pages)
        rows = (self._rows[at : at + _ROW.size] for at in range(0, len(self._rows), _ROW.size))
        found._rows += b"".join(row for row in rows if not row.endswith((_BAD, _BAD_BRANCH)))
        return found

    def __len__(self) -> int:
        return len(self._rows) // _ROW.size

    def listed(self, at: int) -> Entry:
        """Return an entry; for a message of one page, the digest may be missing."""
        *members, length, digest = _ROW.unpack_from(self._rows, at * _ROW.size)
        if digest in (_BAD, _BAD_BRANCH):
            why = self.whys.get(at) or (BRANCH if digest == _BAD_BRANCH else "") + "damaged"
            return Entry(codec.QueueEntry(*members), None, length, why)
        return Entry(codec.QueueEntry(*members), None if digest == _LATER else digest, length, None)

    def measured(self, at: int) -> tuple[int, ...]:
        """Return the members of an entry, and the length of its message."""
        return _MEASURED(self._rows, at * _ROW.size)

    def content(self, at: int, most: int | None = None) -> bytes:
        """Return the message of an entry, or its first `most` bytes; if damaged, the readable part.

        Raises BadStore if the file has changed.
        """
        entry, _, length, _ = self.listed(at)
        length = length if most is None else min(most, length)
        found = Chained.again(self._pages, entry.page, length)
        return b"".join(found.pieces(0, min(length, len(found))))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        found = self.listed(at)
        if found.why or found.digest:
            return found
        # The digest is computed once, because many entries can refer to the same message.
        page = self._pages[found.entry.page]
        digest = hashlib.sha256(page[codec.CHAIN_HEADER :][: found.length]).digest()
        self.know(at, digest, found.length)
        return found._replace(digest=digest)


class Chained:
    """The content of the pages of a message, read on demand."""

    def __init__(self, pages: ReplayedPages) -> None:
        self._pages = pages
        #: The pages with content, and the end of each page's content in the message.
        self._numbers, self._ends = array("q"), array("q")

    @classmethod
    def again(cls, pages: ReplayedPages, number: int, length: int) -> Chained:
        """Return `length` bytes of a message that was read before, from its first page on."""
        found = cls(pages)
        # Take at most as many steps as there are pages: the file can have changed since the walk.
        for _ in range(pages.count):
            if number == codec.NONE or len(found) >= length:
                break
            page = pages[number]
            header = codec.chain(page)
            found.add(number, min(header.length, len(page)) - codec.CHAIN_HEADER)
            number = header.next
        return found

    def add(self, number: int, length: int) -> None:
        """Append the content of a page."""
        if length:
            self._numbers.append(number)
            self._ends.append(len(self) + length)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes from `start` to `end`, page by page."""
        at = bisect_right(self._ends, start)
        while start < end:
            shift = codec.CHAIN_HEADER - (self._ends[at - 1] if at else 0)
            yield self._pages[self._numbers[at]][start + shift : min(end, self._ends[at]) + shift]
            start, at = self._ends[at], at + 1

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            start, end, _ = place.indices(len(self))
            return b"".join(self.pieces(start, end))
        return next(self.pieces(place, place + 1))[0]


@dataclass(slots=True)
class Queue:
    """A queue: its entries in the order of its index, and the fault of the index if it is damaged."""

    name: bytes
    head: int
    entries: Entries
    why: str | None = None

    @property
    def faults(self) -> list[str]:
        """The faults of the queue, damaged branches included."""
        return [self.why] if self.why else list(self.entries.whys.values())

    @property
    def fault(self) -> str:
        """Why a check drops the queue; empty if it does not. A check ignores damaged branches."""
        if not self.why and not self.entries.bad:
            return ""
        whys = (why for why in self.entries.whys.values() if not why.startswith(BRANCH))
        return self.why or next(whys, "damaged" if self.entries.bad else "")


class StoreNotes:
    """The notes on a store. The first notes of each code are kept; all are counted.

    `name` maps the store's own name of a file to its name here.
    """

    def __init__(self, page_size: int = 0, name: Callable[[str], str] = str) -> None:
        self._page_size, self._name = page_size, name
        self._kept: list[Note] = []
        self._counts: dict[str, int] = {}

    def add(self, code: str, file: str, text: str = "", off: int | None = None) -> None:
        """Add a note on a file; without a name, on the store."""
        self.more(code, 1)
        if self._counts[code] <= MOST_TOLD:
            self._kept.append(Note(code, self._name(file) if file else "", off, text))

    def page(self, code: str, number: int, text: str = "") -> None:
        """Add a note on a page."""
        self.add(code, PAGES, text, number * self._page_size)

    def more(self, code: str, number: int) -> None:
        """Count notes that are not kept."""
        self._counts[code] = self._counts.get(code, 0) + number

    def __len__(self) -> int:
        return sum(self._counts.values())

    def __iter__(self) -> Iterator[Note]:
        yield from self._kept
        for code, number in self._counts.items():
            if number > MOST_TOLD:
                yield Note(code, text=f"and {number - MOST_TOLD} more")


class _Few(dict[int, int]):
    """Page -> number, for files with too many pages for an array; absent pages map to `other`."""

    def __init__(self, other: int) -> None:
        super().__init__()
        self._other = other

    def __missing__(self, page: int) -> int:
        return self._other


class Walk:
    """One walk of a store. `why` is the root index's fault; `notes` collect faults that lose no message."""

    def __init__(self, pages: ReplayedPages, notes: StoreNotes | None = None) -> None:
        self._pages = pages
        few = pages.count > MOST_COUNTED
        self._roles: Any = _Few(0) if few else bytearray(pages.count)
        #: Page -> queue and position of the first entry that refers to it as the first page of a message.
        self._first: Any = _Few(codec.NONE) if few else array("q", [codec.NONE]) * pages.count
        #: First page of a message that both the queue of branches and another queue refer to -> the entry in
        #: the other queue.
        self._other: dict[int, Entry] = {}
        self.notes = StoreNotes() if notes is None else notes
        #: First page of a message -> number of further entries that refer to it, outside the queue of
        #: branches.
        self.shared: dict[int, int] = {}
        #: The lowest missing page with a reference, and the number of references to missing pages.
        self.absent: tuple[int, int] | None = None
        self.queues: list[Queue] = []
        #: First page of a message -> the part of a prepared branch in it.
        self.branches: dict[int, codec.Branch] = {}
        #: First pages of damaged messages: their pages can also belong to other messages, so they cannot be
        #: freed.
        self.damaged: set[int] = set()
        self.why: str | None = None
        #: Whether the root index was never written.
        self.unwritten = False
        self._reached: list[int] | None = None

    def use(self, number: int) -> str:
        """Return the use of a page, as a name of the format's tables; empty if nothing refers to the page."""
        return _USES.get(self._roles[number], "")

    def next_use(self, number: int) -> int:
        """Return the first page from this one on with a use; the number of pages if there is none."""
        if isinstance(self._roles, bytearray):
            found = _IN_USE.search(self._roles, number)
            return found.start() if found else self._pages.count
        if self._reached is None:
            self._reached = sorted(self._roles)
        at = bisect_right(self._reached, number - 1)
        return self._reached[at] if at < len(self._reached) else self._pages.count

    @property
    def references(self) -> Counter[int]:
        """First page of a message -> number of entries that refer to it."""
        return Counter(page for queue in self.queues for page in queue.entries.first_pages())

    @property
    def unreached(self) -> Iterator[int]:
        """Yield the used pages that nothing refers to."""
        return (
            number
            for number in range(1, self._pages.count)
            if not self._roles[number] and not codec.is_free(self._pages[number])
        )

    def _claim(self, number: int, role: int) -> bytes:
        # Check this before the page is built: as many references as entries can lead to one page.
        taken = self._roles[number] if 0 <= number < self._pages.count else 0
        if number >= self._pages.count:
            lowest, times = self.absent or (number, 0)
            self.absent = min(lowest, number), times + 1
        if taken and not (taken == _NO_INDEX and role == _MESSAGE):
            raise codec.BadStore(f"page {number} is referred to twice")
        page = self._pages[number]
        self._roles[number] = role
        # A page that was already claimed is not reported again.
        if not taken and codec.is_free(page) and (number or any(page[1:INDEX_HEADER])):
            self.notes.page("free-in-use", number)
        return page

    def _follows(self, number: int, before: int, said: int) -> None:
        if said != before:
            self.notes.page("wrong-link", number)

    def _index(self, head: int, role: int, decode: Callable[[bytes, int], list[T]]) -> Iterator[list[T]]:
        """Yield the valid entries of an index, page by page."""
        number, before = head, codec.NONE
        while True:
            page = self._claim(number, role)
            try:
                header = codec.index(page)
                entries = decode(page, header.slots)
            except codec.BadStore:
                self._roles[number] = _NO_INDEX
                raise
            if role == _ROOT and not number and not any(header):
                self.unwritten = True
                return  # a store that was never started; only the root index can have an unwritten first page
            if role == _ROOT and not header.slots and header.valid > 0:
                # In the index of a queue, this would lose only messages of that queue, and a note reports it.
                raise codec.BadStore(f"page {number} has no entry and says that {header.valid} are valid")
            self._follows(number, before, header.prev)
            if header.valid != len(entries):
                self.notes.page("wrong-valid-count", number)
            yield entries
            before, number = number, header.next
            if number == codec.NONE:
                return

    def run(self) -> Walk:  # noqa: C901, PLR0912  # three loops, one after the other
        """Walk the root index, then all queue indexes, then all messages; return the walk."""
        if not self._pages.count:
            return self
        # There can be millions of queues: all without messages share one empty list of entries.
        none = Entries(self._pages)
        try:
            for found in self._index(0, _ROOT, codec.root_entries):
                self.queues += (Queue(entry.name, entry.page, none) for entry in found)
        except codec.BadStore as bad:
            self.why = str(bad)
        damaged = 0
        # Walk all indexes first: if a message refers to a page of an index, the message is wrong, not the
        # index.
        for queue in self.queues:
            last = codec.NONE
            try:
                for rows in self._index(queue.head, _QUEUE, codec.queue_entries):
                    for _, _, _, key, _ in rows:
                        if key <= last:
                            self.notes.add("key-order", PAGES, f"key {key} follows key {last}")
                        last = key
                    if rows and queue.entries is none:
                        queue.entries = Entries(self._pages)
                    queue.entries.add(rows)
            except codec.BadStore as bad:
                damaged += 1
                queue.why = str(bad) if damaged <= MOST_TOLD else "damaged"
        for number, queue in enumerate(self.queues):
            prepared = queue.name == codec.PREPARED
            for at, page in enumerate(queue.entries.first_pages()):
                data = self._pages.alone(page)
                closely = prepared or data is None or self._roles[page]
                try:
                    length = None if closely else codec.message(data).end
                except codec.BadStore:
                    length = None
                if length is None:
                    queue.entries.know(at, *self._entry(number, at, prepared=prepared)[1:])
                else:
                    self._roles[page], self._first[page] = _MESSAGE, number << 32 | at
                    queue.entries.know(at, None, length)
        return self

    def _entry(self, queue: int, at: int, *, prepared: bool) -> Entry:
        entry = self.queues[queue].entries.entry(at)
        there = 0 <= entry.page < self._pages.count
        place = self._first[entry.page] if there else codec.NONE
        if place == codec.NONE:
            if there:
                self._first[entry.page] = queue << 32 | at
            return self._message(entry, prepared=prepared)
        first = self.queues[place >> 32]
        if not prepared and (first.name != codec.PREPARED or entry.page in self._other):
            self.shared[entry.page] = self.shared.get(entry.page, 0) + 1
        found: Entry = first.entries[place & 0xFFFFFFFF]
        if prepared != (first.name == codec.PREPARED):
            if entry.page not in self._other:
                if found.why is None or found.why.startswith(BRANCH):
                    # A message is decoded as a branch only in the queue of branches, so the result can differ
                    # by queue.
                    found = self._message(entry, prepared=prepared, again=found.length)
                self._other[entry.page] = found
            found = self._other[entry.page]
        return found._replace(entry=entry)

    def _message(self, entry: codec.QueueEntry, *, prepared: bool, again: int = 0) -> Entry:
        told = len(self.notes)
        if again:
            # The pages of the message were already claimed.
            data, fault = Chained.again(self._pages, entry.page, again), None
        else:
            data, fault = self._content(entry.page)
        if fault or len(self.notes) > told:
            self.damaged.add(entry.page)
        try:
            found = codec.message(data)
        except codec.BadStore as bad:
            return Entry(entry, None, len(data), fault or str(bad))
        if fault:
            self.notes.add("bad-chain", PAGES, fault)
        if prepared:
            try:
                self.branches[entry.page] = codec.branch(data)
            except codec.BadStore as bad:
                return Entry(entry, None, len(data), BRANCH + str(bad))
        digest = hashlib.sha256()
        for piece in data.pieces(0, found.end):
            digest.update(piece)
        return Entry(entry, digest.digest(), found.end, None)

    def _content(self, number: int) -> tuple[Chained, str | None]:
        """Return the content of a message's pages up to the first fault, and that fault."""
        found, before = Chained(self._pages), codec.NONE
        try:
            while number != codec.NONE:
                page = self._claim(number, _MESSAGE)
                header = codec.chain(page)
                found.add(number, min(header.length, len(page)) - codec.CHAIN_HEADER)
                if header.length > len(page):
                    raise codec.BadStore(f"a page of a message with {header.length} bytes")
                self._follows(number, before, header.prev)
                if header.next != codec.NONE and header.length != len(page):
                    self.notes.page("short-page", number)
                before, number = number, header.next
        except codec.BadStore as bad:
            return found, str(bad)
        return found, None


#: Page sizes that a store may have, and the number of queues that are checked to find the right size.
SIZES, _HEADS = range(2048, 32768 + 1, 2048), 64
#: The place of the number of entries in an index page.
_SLOTS = slice(9, 13)


def fitting_size(data: Any, given: int) -> int | None:
    """Return the page size, other than `given`, that fits a file of pages; None if no size fits.

    Page 0 is valid with several sizes. The first pages of the queues listed there, and their messages, fit
    only with the right size (SMQ-FIL-059). In a file of free pages, each page begins with 1, and all other
    bytes are zeros.
    """
    head = bytes(data[: SIZES[-1] + 1])
    # Without an entry on page 0, no size can be tested.
    if any(head[_SLOTS]):
        source = source_of(data)
        if _fits(ReplayedPages(source, given)):
            return None
        others = (size for size in SIZES if size != given and _fits(ReplayedPages(source, size)))
        if found := next(others, None):
            return found
    free = head[1:].find(1) + 1 if head[:1] == codec.FREE else 0
    return free if free != given and free in SIZES and not any(head[1:free]) else None


def _fits(pages: ReplayedPages) -> bool:
    try:
        heads = [entry.page for entry in codec.root_entries(pages[0], codec.index(pages[0]).slots)][:_HEADS]
        for head in heads:
            page = pages[head]
            header = codec.index(page)
            entries = codec.queue_entries(page, header.slots)
            if codec.is_free(page) or header.prev != codec.NONE or header.valid != len(entries):
                return False
            if entries and codec.chain(pages[entries[0][-1]]).prev != codec.NONE:
                return False
    except codec.BadStore:
        return False
    return bool(heads)
