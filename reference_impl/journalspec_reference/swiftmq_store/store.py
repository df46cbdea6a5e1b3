"""Walks a store from page 0: queues and their messages. Each page is used for only one purpose.

Only the positions of messages are kept, so memory grows with the number of messages, not with their bodies.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from struct import Struct
from typing import Any, NamedTuple, TypeVar

from journalspec.observation import Note
from journalspec.reread import Deferred
from journalspec_reference.batches import source_of
from journalspec_reference.swiftmq_store import codec
from journalspec_reference.swiftmq_store.codec import CHAIN_HEADER, INDEX_HEADER, NONE, PREPARED, BadStore
from journalspec_reference.swiftmq_store.scan import ReplayedPages

#: The stored form of an index entry. Its first member is 1 if the entry is valid.
T = TypeVar("T", bound=tuple[Any, ...])
#: The files and directories of a store.
PAGES, LOG, SWAP, DURABLES = "db/page.db", "log/transaction.log", "swap/", "durables/"
#: The role of a page, by the reference to it.
_ROOT, _QUEUE, _MESSAGE = 1, 2, 3
_USES = "", "root_entry", "queue_entry", "message_page"
_IN_USE = re.compile(rb"[^\0]")
#: The first words of a reason if a message is complete, but the prepared branch in it is not.
BRANCH = "branch: "
#: Digest and length of a message, and the reason why the message or its branch cannot be read. The digest of
#: a message of one page is computed later.
Facts = tuple[bytes | None, int, str | None]


class Entry(NamedTuple):
    """Represents a message in a queue: its entry, digest and length, or `why` it cannot be read."""

    entry: codec.QueueEntry
    digest: bytes | None
    length: int
    why: str | None


#: The layout of an entry in memory, with the length and digest of its message, and the layout of these two
#: alone, and their offset.
_ROW, _FOUND, _FOUND_AT = Struct(">iiqqiq32s"), Struct(">q32s"), 28
#: A row whose message is not known yet: its length and digest are zeros.
_NEW = Struct(">iiqqi40x")
#: The first page of the message in such a row.
_PAGE = Struct(">24xi40x")
#: Values in place of a digest: not computed yet; the message cannot be read; the branch in it cannot be read.
_LATER, _BAD, _BAD_BRANCH = bytes(32), b"\xff" * 32, b"\xfe" * 32
#: Messages up to this size are read at once (bytes).
_SHORT = 1 << 16
#: At most this many reasons of a kind are kept. Files with more pages than the second number use a table
#: instead of bytes.
MOST_TOLD, MOST_COUNTED = 1000, 1 << 22


class Entries(Sequence[Entry]):
    """The entries of a queue in packed form, because there can be millions of entries, and thousands of
    queues.
    """

    __slots__ = ("_pages", "_rows", "bad", "bad_branches", "whys")

    def __init__(self, pages: ReplayedPages) -> None:
        self._pages = pages
        self._rows = bytearray()
        #: Maps the position of an entry to the reason why its message cannot be read. Only the first such
        #: entries are included.
        self.whys: dict[int, str] = {}
        #: The number of unreadable messages, and of messages of which only the branch is unreadable.
        self.bad = self.bad_branches = 0

    def add(self, entries: Iterable[tuple[int, ...]]) -> None:
        """Append entries of an index whose messages are not known yet."""
        for entry in entries:
            self._rows += _NEW.pack(*entry[1:])

    def know(self, at: int, digest: bytes | None, length: int, why: str | None = None) -> None:
        """Set the facts about an entry's message. A message without a digest has one page."""
        if why:
            digest = _BAD_BRANCH if why.startswith(BRANCH) else _BAD
            self.bad += digest == _BAD
            self.bad_branches += digest == _BAD_BRANCH
            if len(self.whys) < MOST_TOLD:
                self.whys[at] = why
        _FOUND.pack_into(self._rows, at * _ROW.size + _FOUND_AT, length, digest or _LATER)

    def row(self, at: int) -> tuple[Any, ...]:
        """Return the members of an entry, then length and digest of its message (see `listed`)."""
        return _ROW.unpack_from(self._rows, at * _ROW.size)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield all rows."""
        return _ROW.iter_unpack(self._rows)

    def first_pages(self) -> Iterator[int]:
        """Yield the first page of each message."""
        return chain.from_iterable(_PAGE.iter_unpack(self._rows))

    def whole(self) -> Entries:
        """Return the entries whose messages can be read."""
        found = Entries(self._pages)
        found._rows += b"".join(_ROW.pack(*row) for row in self.rows() if row[6] not in (_BAD, _BAD_BRANCH))
        return found

    def __len__(self) -> int:
        return len(self._rows) // _ROW.size

    def listed(self, at: int) -> Entry:
        """Return an entry. For a message of one page, the digest may be missing."""
        *members, length, digest = self.row(at)
        why = None
        if digest in (_BAD, _BAD_BRANCH):
            why = self.whys.get(at) or (BRANCH if digest == _BAD_BRANCH else "") + "damaged"
        return Entry(codec.QueueEntry(*members), None if why or digest == _LATER else digest, length, why)

    def content(self, at: int, most: int | None = None) -> bytes:
        """Return the message of an entry, or its first `most` bytes. If it is damaged, return the readable
        part.

        Raises BadStore if the file has changed.
        """
        *_, page, length, _ = self.row(at)
        length = length if most is None else min(most, length)
        found = Chained(self._pages, page, length)
        return b"".join(found.pieces(0, min(length, len(found))))

    def digest(self, at: int) -> bytes | None:
        """Return the digest of an entry's message.

        Return None if the message or its branch cannot be read.
        """
        *_, page, length, digest = self.row(at)
        if digest == _LATER:
            # The digest is computed once, because many entries can refer to the same message.
            stored = self._pages[page][CHAIN_HEADER : CHAIN_HEADER + length]
            digest = hashlib.sha256(stored).digest()
            self.know(at, digest, length)
        return None if digest in (_BAD, _BAD_BRANCH) else digest

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        self.digest(at)
        return self.listed(at)


#: There can be millions of queues. All queues without messages share one empty list of entries.
_NO_ENTRIES = Entries(ReplayedPages(source_of(b""), codec.SMALLEST_PAGE))


class Chained:
    """The `length` bytes of a message that was read before, from its first page on.

    They are read again on demand.
    """

    def __init__(self, pages: ReplayedPages, number: int, length: int) -> None:
        self._pages = pages
        #: The pages with content, and the end of each page's content in the message.
        self._numbers, self._ends = array("q"), array("q")
        #: The position and the bytes of the page that was read last: a decoder reads few bytes at a time.
        self._last: tuple[int, bytes] = (-1, b"")
        end = 0
        # Take at most as many steps as there are pages: the file can have changed since the walk.
        for _ in range(pages.count):
            if number == NONE or end >= length:
                break
            page = pages[number]
            _, following, used = codec.chain(page)
            if used > CHAIN_HEADER:
                end += min(used, len(page)) - CHAIN_HEADER
                self._numbers.append(number)
                self._ends.append(end)
            number = following

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes from `start` to `end`, page by page."""
        at = bisect_right(self._ends, start)
        while start < end:
            if self._last[0] != at:
                self._last = at, self._pages[self._numbers[at]]
            shift = CHAIN_HEADER - (self._ends[at - 1] if at else 0)
            yield self._last[1][start + shift : min(end, self._ends[at]) + shift]
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
        """The reason why a check drops the queue.

        It is empty if the check does not. A check ignores damaged branches.
        """
        if not self.why and not self.entries.bad:
            return ""
        whys = (why for why in self.entries.whys.values() if not why.startswith(BRANCH))
        return self.why or next(whys, "damaged" if self.entries.bad else "")


class StoreNotes:
    """The notes on a store. The first notes of each code are kept, and all notes are counted."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, str, int | None, str]] = []
        self._counts: dict[str, int] = {}
        #: The number of notes.
        self.total = 0

    def add(self, code: str, file: str, text: str = "", off: int | None = None) -> None:
        """Add a note on a file; without a name, on the store."""
        self.total += 1
        number = self._counts[code] = self._counts.get(code, 0) + 1
        if number <= MOST_TOLD:
            self._kept.append((code, file, off, text))

    def more(self, code: str, number: int) -> None:
        """Count notes that are not kept."""
        self.total += number
        self._counts[code] = self._counts.get(code, 0) + number

    @property
    def codes(self) -> Collection[str]:
        """Return the codes of the notes."""
        return self._counts.keys()

    def named(self, name: Callable[[str], str]) -> Sequence[Note]:
        """Return the notes; `name` maps the store's own name of a file to its name here."""
        counts = self._counts.items() if self.total > MOST_TOLD else ()
        many = [(code, number - MOST_TOLD) for code, number in counts if number > MOST_TOLD]
        return Deferred(len(self._kept) + len(many), lambda: self._made(name, many))

    def _made(self, name: Callable[[str], str], many: Iterable[tuple[str, int]]) -> Iterator[Note]:
        for code, file, off, text in self._kept:
            yield Note(code, name(file) if file else "", off, text)
        for code, number in many:
            yield Note(code, text=f"and {number} more")


class Walk:
    """One walk of a store. `why` is the fault in the root index, `notes` are faults without lost messages."""

    why: str | None = None
    #: Whether the root index was never written.
    unwritten = False
    #: Whether the walk found queues, and no fault.
    sound = False
    #: The lowest missing page with a reference, and the number of references to missing pages.
    absent: tuple[int, int] | None = None
    #: Maps the first page of a message to the position of the first entry that refers to it, or NONE. It is
    #: created only if an entry refers to a page that is in use.
    _first: array[int] | dict[int, int] | None = None
    #: The damaged ones of the queues.
    bad: Sequence[Queue] = ()
    #: The pages with a use, in order. The list is created only for a large file.
    _reached: Sequence[int] = ()

    def __init__(self, pages: ReplayedPages, notes: StoreNotes | None = None) -> None:
        self._pages = pages
        self._few = pages.count <= MOST_COUNTED
        #: Maps a page to its use. The use is 0 if no reference leads to the page. A look-up adds no entry.
        self.roles: bytearray | Counter[int] = bytearray(pages.count) if self._few else Counter()
        #: Pages that an index uses as its own pages, but that are not index pages.
        self._no_index: set[int] = set()
        #: Maps the first page of a message to which both the queue of branches and another queue refer to the
        #: facts in the queue that is walked later.
        self._other: dict[int, Facts] = {}
        self.notes = StoreNotes() if notes is None else notes
        #: Maps the first page of a message to the number of further entries that refer to it, outside the
        #: queue of branches.
        self.shared: dict[int, int] = {}
        self.queues: list[Queue] = []
        #: Maps the first page of a message to the part of a prepared branch in it.
        self.branches: dict[int, codec.Branch] = {}
        #: First pages of damaged messages. Their pages can also belong to other messages, so they cannot be
        #: freed.
        self.damaged: set[int] = set()

    def use(self, number: int) -> str:
        """Return the use of a page, as a name of the format's tables.

        Return an empty text if no reference leads to the page.
        """
        return _USES[self.roles[number]]

    def next_use(self, number: int) -> int:
        """Return the first page from this one on with a use. Return the number of pages if there is none."""
        if isinstance(self.roles, bytearray):
            found = _IN_USE.search(self.roles, number)
            return found.start() if found else self._pages.count
        self._reached = self._reached or sorted(page for page, role in self.roles.items() if role)
        at = bisect_left(self._reached, number)
        return self._reached[at] if at < len(self._reached) else self._pages.count

    def _claim(self, number: int, role: int) -> bytes:
        """Return a page. Raises BadStore if the page does not exist, or if another reference already leads to
        it.
        """
        pages, known = self._pages, number in self._no_index
        # Check this before the page is built, because as many references as there are entries can lead to one
        # page.
        if number >= pages.count:
            lowest, times = self.absent or (number, 0)
            self.absent = min(lowest, number), times + 1
        elif number >= 0 and (self.roles[number] or (known and role != _MESSAGE)):
            raise BadStore(f"page {number} is referred to twice")
        page = pages[number]
        self.roles[number] = role
        # A page that is already in use is not reported again.
        if page[0] == 1 and not known and (number or any(page[1:INDEX_HEADER])):
            self.notes.add("free-in-use", PAGES, off=number * pages.page_size)
        return page

    def _index(
        self, number: int, role: int, decode: Callable[[bytes, int], Iterable[T]]
    ) -> Iterator[list[T]]:
        """Yield the valid entries of each page of the index that begins on a page."""
        before = NONE
        while True:
            page, entries = self._claim(number, role), []
            try:
                prev, following, slots, valid = codec.index(page)
                for entry in decode(page, slots):
                    if entry[0] == 1:
                        entries.append(entry)
            except BadStore:
                self.roles[number] = 0
                self._no_index.add(number)
                raise
            if role == _ROOT and not slots:
                if not (number or prev or following or valid):
                    # The store was never started. Only the root index can have an unwritten first page.
                    self.unwritten = True
                    return
                if valid > 0:
                    # In the index of a queue, this would lose only messages of that queue. A note reports it.
                    raise BadStore(f"page {number} has no entry and says that {valid} are valid")
            if prev != before:
                self.notes.add("wrong-link", PAGES, off=number * self._pages.page_size)
            if valid != len(entries):
                self.notes.add("wrong-valid-count", PAGES, off=number * self._pages.page_size)
            yield entries
            if following == NONE:
                return
            before, number = number, following

    def run(self) -> Walk:  # noqa: C901, PLR0912  # three loops, one after the other
        """Walk the root index, then all queue indexes, then all messages. Return the walk."""
        pages, roles, noted, count = self._pages, self.roles, self.notes.total, self._pages.count
        if not count:
            return self
        try:
            for roots in self._index(0, _ROOT, codec.root_slots):
                for _, name, head, _, _ in roots:
                    self.queues.append(Queue(name, head, _NO_ENTRIES))
        except BadStore as bad:
            self.why = str(bad)
        damaged = 0
        # Walk all indexes first. If a message refers to a page of an index, the message is wrong, not the
        # index.
        for queue in self.queues:
            last = NONE
            try:
                for rows in self._index(queue.head, _QUEUE, codec.queue_slots):
                    for _, _, _, _, key, _ in rows:
                        if key <= last:
                            self.notes.add("key-order", PAGES, f"key {key} follows key {last}")
                        last = key
                    if rows and queue.entries is _NO_ENTRIES:
                        queue.entries = Entries(pages)
                    queue.entries.add(rows)
            except BadStore as bad:
                damaged += 1
                queue.why = str(bad) if damaged <= MOST_TOLD else "damaged"
        for number, queue in enumerate(self.queues):
            if queue.entries is _NO_ENTRIES:
                continue
            know, plain = queue.entries.know, queue.name != PREPARED
            for at, page in enumerate(queue.entries.first_pages()):
                length = 0
                if 0 <= page < count:
                    if roles[page]:
                        know(at, *self._again(number << 32 | at, page, prepared=not plain))
                        continue
                    # Most messages have one page. Their digests are computed later.
                    if plain and (data := codec.alone(pages[page])):
                        try:
                            _, _, length = codec.message(data)
                        except BadStore:
                            length = 0
                if length:
                    roles[page] = _MESSAGE
                    know(at, None, length)
                else:
                    know(at, *self._message(page, prepared=not plain))
        self.bad = [queue for queue in self.queues if queue.why or queue.entries.whys]
        self.sound = bool(self.queues) and not (self.why or self.bad) and self.notes.total == noted
        return self

    def _again(self, place: int, page: int, *, prepared: bool) -> Facts:
        """Return the facts about a message on a page in use.

        `place` is the queue and position of its entry.
        """
        if self._first is None:
            self._first = self._places()
        known = self._first[page]
        if known == place:
            return self._message(page, prepared=prepared)
        of = self.queues[known >> 32]
        if not prepared and (of.name != PREPARED or page in self._other):
            self.shared[page] = self.shared.get(page, 0) + 1
        facts: Facts = of.entries[known & 0xFFFFFFFF][1:]
        if prepared == (of.name == PREPARED):
            return facts
        if page not in self._other:
            if facts[2] is None or facts[2].startswith(BRANCH):
                # A message is decoded as a branch only in the queue of branches, so the facts can differ by
                # queue.
                facts = self._message(page, prepared=prepared, again=facts[1])
            self._other[page] = facts
        return self._other[page]

    def _places(self) -> array[int] | dict[int, int]:
        """Map the first page of a message to the position of the first entry that refers to it."""
        pages = range(self._pages.count)
        table: dict[int, int] = {}
        places: array[int] | dict[int, int] = array("q", [NONE]) * len(pages) if self._few else table
        for number, queue in enumerate(self.queues):
            for at, page in enumerate(queue.entries.first_pages()):
                if not self._few:
                    table.setdefault(page, number << 32 | at)
                elif page in pages and places[page] == NONE:
                    places[page] = number << 32 | at
        return places

    def _message(  # noqa: C901, PLR0912  # the rules of a message, in their order
        self, page: int, *, prepared: bool, again: int = 0
    ) -> Facts:
        """Return the facts about the message that begins on a page.

        `again` is its length if it was read before.
        """
        told, fault = self.notes.total, None
        stored, size = bytearray(), 0
        number, before = NONE if again else page, NONE
        try:
            while number != NONE:
                content = self._claim(number, _MESSAGE)
                prev, following, length = codec.chain(content)
                size += min(length, len(content)) - CHAIN_HEADER
                if size <= _SHORT:
                    stored += content[CHAIN_HEADER:length]
                if length > len(content):
                    raise BadStore(f"a page of a message with {length} bytes")
                if prev != before:
                    self.notes.add("wrong-link", PAGES, off=number * self._pages.page_size)
                if following != NONE and length != len(content):
                    self.notes.add("short-page", PAGES, off=number * self._pages.page_size)
                before, number = number, following
        except BadStore as bad:
            fault = str(bad)
        if fault or self.notes.total > told:
            self.damaged.add(page)
        # A long message is never in memory as a whole.
        data: Any = bytes(stored)
        if again or size > len(data):
            data = Chained(self._pages, page, again or size)
            size = len(data)
        try:
            parsed = codec.message(data)
        except BadStore as bad:
            return None, size, fault or str(bad)
        if fault:
            self.notes.add("bad-chain", PAGES, fault)
        if prepared:
            try:
                self.branches[page] = codec.branch(data, parsed=parsed)
            except BadStore as bad:
                return None, size, BRANCH + str(bad)
        if before == page and not fault:
            return None, parsed[-1], None
        digest, end = hashlib.sha256(), parsed[-1]
        for piece in data.pieces(0, end) if isinstance(data, Chained) else [data[:end]]:
            digest.update(piece)
        return digest.digest(), end, None


#: Page sizes that a store may have, and the number of queues that are checked to find the right size.
SIZES, _HEADS = range(2048, 32768 + 1, 2048), 64
#: The offset of the number of entries in an index page.
_SLOTS = slice(9, 13)


def fitting_size(data: Any, given: int) -> int | None:
    """Return the page size, other than `given`, that fits a file of pages. Return None if no size fits.

    Page 0 is valid with several sizes. The first pages of the queues listed there, and their messages, fit
    only with the right size (SMQ-FIL-059). In a file of free pages, each page begins with 1, and all other
    bytes are zeros.
    """
    head = bytes(data[: SIZES[-1] + 1])
    # Without an entry on page 0, no size can be tested.
    if len(head) > INDEX_HEADER and any(head[_SLOTS]):
        try:
            roots = codec.root_slots(head, codec.index(head)[2])
        except BadStore:
            roots = []
        heads = [first for of, _, first, _, _ in roots if of == 1][:_HEADS]
        # All first pages of queues are in the file.
        most = min(len(data) // (max(heads) + 1), len(head)) if heads and min(heads) >= 0 else 0
        for size in dict.fromkeys((given, *SIZES[: most // SIZES.step])):
            if most >= size >= roots[-1][-1] and _fits(data, size, heads):
                return None if size == given else size
    free = head[1:].find(1) + 1 if head[:1] == codec.FREE else 0
    return free if free != given and free in SIZES and not any(head[1:free]) else None


def _fits(data: Any, size: int, heads: Sequence[int]) -> bool:
    """Return whether `heads` are first pages of queues if pages have this size, and begin with a message."""
    pages = ReplayedPages(source_of(data), size)
    try:
        for head in heads:
            page = pages[head]
            prev, _, slots, valid = codec.index(page)
            entries = [entry for entry in codec.queue_slots(page, slots) if entry[0] == 1]
            if codec.is_free(page) or prev != NONE or valid != len(entries):
                return False
            if entries and codec.chain(pages[entries[0][-1]])[0] != NONE:
                return False
    except BadStore:
        return False
    return True
