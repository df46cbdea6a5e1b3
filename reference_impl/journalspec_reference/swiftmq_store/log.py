"""The transaction log: its two dialects, its records, and what they do to pages.

Nothing says how long a record is, and no checksum tells whether it is whole. So the log ends at the first
bytes that make no record, and a record counts only if all of its actions are possible.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from struct import pack
from typing import Any, NamedTuple

from journalspec.swiftmq_store import ACTIONS
from journalspec_reference.content import BUDGET, Window, hole_end
from journalspec_reference.swiftmq_store.codec import FREE, NONE, BadStore, Cursor, alone

START, COMMIT, ABORT = 1, 2, 3
INSERT, UPDATE, DELETE, PORTION = 1, 2, 3, 4
#: What a START record takes, and the least that an action takes.
START_SIZE, LEAST_ACTION = 12, 8

#: So many actions of a record are kept once they are decoded; of more, only where they stand.
KEPT_ACTIONS = 4096
#: A page so near to those that are held is read together with its neighbours: so many bytes at a time.
#: Pages of an index stand farther from each other, with the messages between them that they name.
NEAR, BLOCK = 8, 1 << 16
#: Once the images of a page, counted with so many bytes each, are longer than the page, it is made.
LEAST_IMAGE = 32

#: Bytes of the log: where they begin and end. Images stay there until they are wanted.
Bytes = tuple[int, int]


class LoggedAction(NamedTuple):
    """What one action says of a page: `after` takes the place of `before` at `off`.

    An UPDATE has whole pages; without an image the page is free. `before` is of the page `undone`, which may
    be another one (SMQ-RCV-112).
    """

    kind: int
    page: int
    undone: int
    off: int = 0
    before: Bytes | None = None
    after: Bytes | None = None


class LoggedRecord(NamedTuple):
    """A COMMIT or an ABORT; the id of its transaction says nothing, and may be that of another one.

    Or a START, which has no transaction and no actions.
    """

    kind: int
    off: int
    end: int
    transaction: int
    actions: Sequence[LoggedAction]


class _Standing(Sequence[LoggedAction]):
    """Actions that stand at these places of a log, decoded when they are wanted."""

    def __init__(self, log: Log, places: Sequence[int]) -> None:
        self._log, self._places = log, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return self._log.action(Cursor(self._log.data, self._places[index]))


def zeros(data: Any, off: int) -> bool:
    """Tell whether there are only zeros from `off` on; holes are not read."""
    while off < len(data):
        if (end := hole_end(data, off)) == off:
            end = min(len(data), off + _LOOK)
            if any(bytes(data[off:end])):
                return False
        off = end
    return True


def following(generation: int) -> int:
    """Return the generation after this one (SMQ-WRT-038)."""
    return 1 if generation == (1 << 63) - 1 else generation + 1


#: So many bytes are compared with zero at a time.
_LOOK = 1 << 16
#: So many places are looked at before a writer begins a generation.
_LIKELY = 16
#: From this number on a start of the product, which makes room for that many, is likely to end there.
ALARMING = 1 << 27
#: The forensic search may look at each byte of its region this often on average.
SEARCH_BUDGET = 8
#: How a COMMIT or an ABORT begins; no match begins with a zero, and zeros are passed over.
_CANDIDATE = re.compile(b"[\2\3](?<=\0\0\0.)", re.DOTALL)


class Log:
    """The records of a log. `tagged`: it begins with START, and each record repeats the generation of that.

    What is known when all records were asked for: `end`, `why` and `reason`, where and why the log ends.
    """

    def __init__(self, data: Any, page_size: int, pages: int) -> None:
        self.data = data
        self._page_size = page_size
        # Between two checkpoints a file grows by no more pages than there are actions.
        self._most = pages + len(data) // LEAST_ACTION
        self.tagged = False
        self.generation = NONE
        self.end = 0
        self.why = self.reason = "" if len(data) else "empty"
        cursor = Cursor(data, 0)
        if len(data) >= 4 and cursor.s4() == START:
            self.tagged = True
            if len(data) < START_SIZE or (generation := cursor.s8()) == NONE:
                self.why, self.reason = "start", "bad-start"
                return
            self.generation = generation

    def records(self, *, starts: bool = False) -> Iterator[LoggedRecord]:
        """Yield the records up to the first bytes that are none; of START only if it is asked for."""
        while not self.why:
            if self.end == len(self.data):
                self.why = "file"
                return
            cursor = Cursor(self.data, self.end)
            try:
                record = self._record(cursor)
            except BadStore as bad:
                self.why, self.reason = str(bad), bad.reason
                return
            self.end = cursor.off
            if starts or record.kind != START:
                yield record

    def unlike(self, generation: int) -> int:
        """Return a generation from this one on of whose successor there is no whole record (SMQ-WRT-040).

        The bytes of a log stay until they are written over: those of a higher generation, of an untagged log.
        """
        probe = Log(bytes(self.data), self._page_size, 0)
        probe._most, probe.tagged = self._most, True
        places: dict[bytes, list[int]] = {}
        for found in _CANDIDATE.finditer(probe.data):
            at = found.start() - 3
            if len(of := places.setdefault(probe.data[at + 4 : at + 12], [])) <= _LIKELY:
                of.append(at)
        budget = SEARCH_BUDGET * len(probe.data)
        while True:
            probe.generation = following(generation)
            of = places.get(pack(">q", probe.generation), [])
            # Of more places, or once that has taken long, nobody looks.
            if not of or (len(of) <= _LIKELY and budget > 0):
                ends = [probe._record_end(at) for at in of]
                budget -= sum(end - at for at, (end, _) in zip(of, ends, strict=True))
                if not any(whole for _, whole in ends):
                    return generation
            generation = probe.generation

    @property
    def alarming(self) -> int:
        """The count or length behind the end for which a start of the product has no memory; 0: none.

        It reads a record to its end before it compares the generation (SMQ-LOG-138).
        """
        cursor = Cursor(self.data, self.end)
        try:
            if cursor.s4() not in {COMMIT, ABORT}:
                return 0
            cursor.room(16 if self.tagged else 8)
            if (number := cursor.s4()) >= ALARMING:
                return number
            for _ in range(number):
                if (kind := cursor.s4()) not in ACTIONS:
                    return 0
                cursor.s4()
                if kind == UPDATE:
                    self._picture(cursor)
                    cursor.s4()
                    self._picture(cursor)
                    continue
                if kind == PORTION:
                    cursor.s4()
                lengths = (0, 1, 1, 1 + (kind == PORTION and cursor.u1() == 1))[kind - 1]
                for _ in range(lengths):
                    if (length := cursor.s4()) >= ALARMING:
                        return length
                    cursor.room(length)
        except BadStore:
            pass
        return 0

    def beyond(self, start: int, end: int) -> Iterator[LoggedRecord]:
        """Yield the records, of whatever generation, that stand whole between two offsets of a tagged log.

        A forensic extra: nothing but their form vouches for them. What candidates say that come to nothing
        may be looked at SEARCH_BUDGET times as long as the bytes are; then the search stops.
        """
        if not self.tagged:
            return
        probe, budget = Log(b"", self._page_size, 0), SEARCH_BUDGET * (end - start)
        probe.data, probe._most, probe.tagged = self.data, self._most, True
        at = start
        for off in Window(self.data, end).find(_CANDIDATE, start + 3, end, 1, 3):
            if off - 3 < at or off + 21 > end:
                continue
            cursor = Cursor(self.data, off - 3, end)
            probe.generation = int.from_bytes(bytes(self.data[off + 1 : off + 9]), signed=True)
            if probe.generation == NONE:
                continue
            try:
                record = probe._record(cursor)
            except BadStore:
                budget -= cursor.off - off
                if budget < 0:
                    return
                continue
            if record.actions:
                yield record
                at = record.end

    def _record_end(self, at: int) -> tuple[int, bool]:
        """Return how far a record at `at` can be read, and whether it is whole."""
        cursor = Cursor(self.data, at)
        try:
            self._record(cursor)
        except BadStore:
            return cursor.off, False
        return cursor.off, True

    def _record(self, cursor: Cursor) -> LoggedRecord:
        off, kind = cursor.off, cursor.s4()
        if kind not in {START, COMMIT, ABORT} or (kind == START and not self.tagged):
            raise BadStore(f"no record is of type {kind}", "not-a-record")
        # The generation first: behind the end are records of older ones, which may say anything.
        if self.tagged and cursor.s8() != self.generation:
            raise BadStore("a record of another generation", "other-generation")
        if kind == START:
            return LoggedRecord(kind, off, cursor.off, NONE, [])
        transaction, number = cursor.s8(), cursor.s4()
        if not 0 <= number * LEAST_ACTION <= len(self.data) - cursor.off:
            raise BadStore(f"{number} actions do not fit")
        actions: Sequence[LoggedAction]
        if number > KEPT_ACTIONS:
            actions = _Standing(self, array("q", (self._passed(cursor) for _ in range(number))))
        else:
            actions = [self.action(cursor) for _ in range(number)]
        return LoggedRecord(kind, off, cursor.off, transaction, actions)

    def _passed(self, cursor: Cursor) -> int:
        off = cursor.off
        self.action(cursor)
        return off

    def _page(self, cursor: Cursor) -> int:
        if not 0 <= (page := cursor.s4()) < self._most:
            raise BadStore(f"page {page} of at most {self._most}")
        return page

    def _image(self, cursor: Cursor, off: int = 0, size: int | None = None) -> Bytes:
        length = cursor.s4() if size is None else size
        if off < 0 or not 0 <= length <= self._page_size - off:
            raise BadStore(f"an image of {length} bytes at {off} of a page")
        start = cursor.room(length)
        return start, start + length

    def _picture(self, cursor: Cursor) -> Bytes | None:
        cursor.u1()  # whether it was changed, which it is
        return None if cursor.u1() else self._image(cursor, 0, self._page_size)

    def action(self, cursor: Cursor) -> LoggedAction:
        """Decode an action; raises BadStore."""
        kind = cursor.s4()
        if kind not in ACTIONS:
            raise BadStore(f"no action is of type {kind}")
        page = undone = self._page(cursor)
        off, before, after = 0, None, None
        if kind == DELETE:
            before = self._image(cursor)
        elif kind == PORTION:
            off = cursor.s4()
            before = self._image(cursor, off) if cursor.u1() == 1 else None
            after = self._image(cursor, off)
        elif kind == UPDATE:
            before, page, after = self._picture(cursor), self._page(cursor), self._picture(cursor)
        return LoggedAction(kind, page, undone, off, before, after)


class _Changes:
    """What the log makes of a page: of what (None: of what the file has), and what it puts there.

    `made`: the log has made the page, as one of zeros or of an image of all of it.
    """

    __slots__ = ("base", "free", "made", "portions")

    def __init__(self, base: bytes | None = None, *, free: bool = False) -> None:
        self.base, self.free, self.made = base, free, base is not None
        self.portions: list[tuple[int, Bytes]] = []

    def settle(self, page: bytes) -> None:
        """Keep the page as it is by now, in place of what led to it."""
        self.base = page
        self.portions.clear()


#: Pages of zeros that nothing was put into: millions may be, in eight bytes of the log each.
_USED_PAGE, _FREE_PAGE = _Changes(b""), _Changes(b"", free=True)
#: The fields of a page's header that an index changes alone: where they are, and how long.
_FIELDS, _FIELD = range(1, 17, 4), 4


class ReplayedPages:
    """The pages of a file as the log leaves them; each is made when it is asked for.

    `count` is what the file has, an incomplete last page left out, or more if the log knows of more.
    """

    def __init__(self, data: Any, page_size: int, log: Any = b"") -> None:
        self._data = data
        self._log = log
        self.page_size = page_size
        self.in_file = self.count = len(data) // page_size
        self._changes: dict[int, _Changes] = {}
        #: Of pages the fields that were compared, as bits, and what the file has of those that differ.
        self._seen: dict[int, int] = {}
        self._unlike: dict[int, dict[int, bytes]] = {}
        #: What reads some bytes and nothing around them; bytes in memory are looked at as they are.
        self._peek: Any = getattr(data, "peek", None)
        #: The pages that were read last, and their bytes.
        self._held, self._block = range(0 if self._peek else self.in_file), data
        #: The page that was made last: who reads a message comes back to it for every few bytes.
        self._last: tuple[int, bytes] = (-1, b"")

    def _hold(self, number: int) -> int:
        """Have a page of the file among those that are held; return where it begins in their bytes.

        Pages that follow each other are read in one go, others alone.
        """
        if number not in self._held:
            near = self._held.start - NEAR <= number < self._held.stop + NEAR
            some = max(1, BLOCK // self.page_size) if near else 1
            first = number // some * some
            self._held = range(first, min(first + some, self.in_file))
            start, end = first * self.page_size, self._held.stop * self.page_size
            # A file that fits into memory stays there: it is looked at for digests too.
            kept = near and len(self._data) <= BUDGET
            self._block = self._data[start:end] if kept else self._peek(start, end)
        return (number - self._held.start) * self.page_size

    def alone(self, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Yield each number, and what that page has of a message that has no other one; None: look closely.

        So are most messages. A page that the log changes is looked at closely.
        """
        for number in numbers:
            if 0 <= number < self.in_file and number not in self._changes:
                off = self._hold(number)
                yield number, alone(self._block, off, self.page_size)
            else:
                yield number, None

    def __getitem__(self, number: int) -> bytes:
        if not 0 <= number < self.count:
            raise BadStore(f"page {number} of {self.count}")
        if self._last[0] != number:
            self._last = number, self._made(number)
        return self._last[1]

    def _of_file(self, number: int) -> bytes:
        off = self._hold(number)
        return bytes(self._block[off : off + self.page_size])

    def _made(self, number: int) -> bytes:
        changes = self._changes.get(number)
        if changes is None or changes.base is None:
            # A page that only the log knows of, but says nothing about, is free.
            page = self._of_file(number) if number < self.in_file else b"\1"
        else:
            page = changes.base
        if changes is None:
            return page.ljust(self.page_size, b"\0")
        made = bytearray(page.ljust(self.page_size, b"\0"))
        for off, (start, end) in changes.portions:
            made[off : off + end - start] = self._log[start:end]
        # What an image has as its first byte is not what the page is: what was done to it tells.
        made[0] = changes.free
        return bytes(made)

    def used(self) -> Iterator[int]:
        """Yield the pages but 0 that are in use and have something in them; holes are passed over."""
        number = 1
        while number < self.count:
            page = self[number]
            if any(page):
                if page[0] != 1:
                    yield number
                number += 1
            else:
                number = max(number + 1, self.hole_end(number))

    def hole_end(self, number: int) -> int:
        """Return the first page from this one on that is not all in a hole of the file, or is changed."""
        if number >= self.in_file:
            return number
        off = self._data.next_data(number * self.page_size) if hasattr(self._data, "next_data") else 0
        end = max(number, min(off // self.page_size, self.in_file))
        if end <= number + 1:
            return end
        return min((page for page in self._changes if number <= page < end), default=end)

    def made(self, page: int) -> bool:
        """Tell whether the log makes a page."""
        return page in self._changes and self._changes[page].made

    @property
    def gone(self) -> list[int]:
        """Return the pages in use behind the end of the file that the log changes and has not made."""
        return sorted(
            page for page, changes in self._changes.items() if page >= self.in_file and not changes.made
        )

    @property
    def changed(self) -> set[int]:
        """Return the pages that the log has changed."""
        return set(self._changes)

    def apply(self, record: LoggedRecord) -> None:
        """Do what a record says; an ABORT is done, then undone."""
        for action in record.actions:
            self._redo(action)
        if record.kind == ABORT:
            for action in reversed(record.actions):
                self._undo(action)

    def _touch(self, page: int) -> None:
        self.count = max(self.count, page + 1)
        self._last = (-1, b"")

    def _anew(self, page: int, *, free: bool) -> None:
        """Make a page of zeros, used or free."""
        self._touch(page)
        self._changes[page] = _FREE_PAGE if free else _USED_PAGE
        self._unlike.pop(page, None)

    def _redo(self, action: LoggedAction) -> None:
        if action.kind == PORTION:
            self._compare(action)
        else:
            self._anew(action.page, free=action.kind != INSERT and action.after is None)
        if action.after:
            self._put(action.page, action.off, action.after)

    def _put(self, number: int, off: int, image: Bytes) -> None:
        self._touch(number)
        page = self._changes.get(number)
        if page is None or page is _USED_PAGE or page is _FREE_PAGE:
            page = self._changes[number] = _Changes(None if page is None else page.base)
        page.portions.append((off, image))
        if len(page.portions) * LEAST_IMAGE > self.page_size:
            page.settle(self._made(number))

    def _undo(self, action: LoggedAction) -> None:
        if action.kind != PORTION:
            self._anew(action.undone, free=action.before is None)
        if action.before:
            self._put(action.undone, action.off, action.before)

    def _compare(self, action: LoggedAction) -> None:
        """Compare the fields of a page of the file with what the log has of them (SMQ-RCV-111).

        The file may have any state that the log led through, and none that it did not. A page that the log
        makes, and one that is free in the file, are not compared.
        """
        page, changes = action.page, self._changes.get(action.page)
        if action.off >= _FIELDS.stop or page >= self.in_file or (changes and changes.made):
            return
        images = [image for image in (action.before, action.after) if image]
        ends = [action.off + end - start for start, end in images]
        seen, unlike = self._seen.get(page, 0), self._unlike.get(page, {})
        for off in _FIELDS:
            if action.off >= off + _FIELD or max(ends) <= off:
                continue
            shift = max(0, off - action.off)
            known, seen = seen >> off & 1, seen | 1 << off
            values = [bytes(self._log[at + shift : at + shift + _FIELD]) for at, _ in images]
            if known and (action.off > off or min(ends) < off + _FIELD or unlike.get(off) in values):
                unlike.pop(off, None)
            elif not known and action.off == off and ends == [off + _FIELD] * 2:
                at = self._hold(page)
                stored = bytes(self._block[at + off : at + off + _FIELD])
                if self._block[at] != FREE[0] and stored not in values:
                    self._unlike.setdefault(page, unlike)[off] = stored
        self._seen[page] = seen
        if not unlike:
            self._unlike.pop(page, None)

    @property
    def unlike(self) -> list[int]:
        """Return the pages of which the file has a state that the log did not lead through."""
        return sorted(self._unlike)
