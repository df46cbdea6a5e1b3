"""The transaction log: its two dialects, its records, and what they do to pages.

Nothing says how long a record is, and no checksum tells whether it is whole. So the log ends at the first
bytes that make no record, and a record counts only if all of its actions are possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from journalspec_reference.swiftmq_store.codec import NONE, BadStore, Cursor

START, COMMIT, ABORT = 1, 2, 3
INSERT, UPDATE, DELETE, PORTION = 1, 2, 3, 4
#: What a START record takes, and the least that an action takes.
START_SIZE, LEAST_ACTION = 12, 8

#: Bytes of the log: where they begin and end. Images stay there until they are wanted.
Bytes = tuple[int, int]


class NoRecord(BadStore):
    """Where the log ends as every log does; `reason` is the specification's."""

    def __init__(self, why: str, reason: str) -> None:
        super().__init__(why)
        self.reason = reason


class LoggedAction(NamedTuple):
    """What one action says of a page: `after` takes the place of `before` at `off`.

    An UPDATE is two of them: what the page was (`undo`, without `after`), and what it becomes.
    A page of it without an image is free.
    """

    kind: int
    page: int
    off: int = 0
    before: Bytes | None = None
    after: Bytes | None = None
    undo: bool = False


class LoggedRecord(NamedTuple):
    """A COMMIT or an ABORT; the id of its transaction says nothing, and may be that of another one."""

    kind: int
    off: int
    end: int
    transaction: int
    actions: list[LoggedAction]


class Log:
    """The records of a log. `tagged`: it begins with START, and each record repeats the generation of that.

    What is known when all records were asked for: `end`, `why` and `reason`, where and why the log ends, and
    `starts`, where START stands.
    """

    def __init__(self, data: Any, page_size: int, pages: int) -> None:
        self._data = data
        self._page_size = page_size
        # Between two checkpoints a file grows by no more pages than there are actions.
        self._most = pages + len(data) // LEAST_ACTION
        self.tagged = False
        self.generation = NONE
        self.end = 0
        self.starts: list[int] = []
        self.why = self.reason = "" if len(data) else "empty"
        cursor = Cursor(data, 0)
        if len(data) >= 4 and cursor.s4() == START:
            self.tagged = True
            if len(data) < START_SIZE or (generation := cursor.s8()) == NONE:
                self.why, self.reason = "start", "bad-start"
                return
            self.generation = generation
            self.end = START_SIZE
            self.starts.append(0)

    def records(self) -> Iterator[LoggedRecord]:
        """Yield the records up to the first bytes that are none."""
        while not self.why:
            if self.end == len(self._data):
                self.why = "file"
                return
            cursor = Cursor(self._data, self.end)
            try:
                record = self._record(cursor)
            except BadStore as bad:
                self.why, self.reason = str(bad), getattr(bad, "reason", "bad-record")
                return
            if record:
                yield record
            else:
                self.starts.append(self.end)
            self.end = cursor.off

    def _record(self, cursor: Cursor) -> LoggedRecord | None:
        off, kind = cursor.off, cursor.s4()
        if kind not in {START, COMMIT, ABORT} or (kind == START and not self.tagged):
            raise NoRecord(f"no record is of type {kind}", "not-a-record")
        # The generation first: behind the end are records of older ones, which may say anything.
        if self.tagged and cursor.s8() != self.generation:
            raise NoRecord("a record of another generation", "other-generation")
        if kind == START:
            return None
        transaction, number = cursor.s8(), cursor.s4()
        if not 0 <= number * LEAST_ACTION <= len(self._data) - cursor.off:
            raise BadStore(f"{number} actions do not fit")
        actions = []
        for _ in range(number):
            actions += self._action(cursor)
        return LoggedRecord(kind, off, cursor.off, transaction, actions)

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

    def _whole(self, cursor: Cursor, *, undo: bool) -> LoggedAction:
        page = self._page(cursor)
        cursor.u1()  # whether it was changed, which it is
        image = None if cursor.u1() else self._image(cursor, 0, self._page_size)
        return LoggedAction(UPDATE, page, 0, image if undo else None, None if undo else image, undo)

    def _action(self, cursor: Cursor) -> list[LoggedAction]:
        kind = cursor.s4()
        if kind == UPDATE:
            return [self._whole(cursor, undo=True), self._whole(cursor, undo=False)]
        if kind not in {INSERT, DELETE, PORTION}:
            raise BadStore(f"no action is of type {kind}")
        page = self._page(cursor)
        if kind == INSERT:
            return [LoggedAction(INSERT, page)]
        if kind == DELETE:
            return [LoggedAction(DELETE, page, 0, self._image(cursor))]
        off = cursor.s4()
        before = self._image(cursor, off) if cursor.u1() == 1 else None
        return [LoggedAction(PORTION, page, off, before, self._image(cursor, off))]


class _Changes:
    """What the log makes of a page: of what (None: of what the file has), and what it puts there."""

    __slots__ = ("base", "free", "portions")

    def __init__(self) -> None:
        self.base: bytes | None = None
        self.free = False
        self.portions: list[tuple[int, Bytes]] = []

    def anew(self, *, free: bool) -> None:
        """Make a page of zeros, used or free."""
        self.base, self.free, self.portions = b"", free, []

    def put(self, off: int, image: Bytes) -> None:
        """Put bytes of the log there."""
        self.free = False
        self.portions.append((off, image))


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

    def __getitem__(self, number: int) -> bytes:
        if not 0 <= number < self.count:
            raise BadStore(f"page {number} of {self.count}")
        changes = self._changes.get(number)
        if changes is None or changes.base is None:
            off = number * self.page_size
            # A page that only the log knows of, but says nothing about, is free.
            page = bytes(self._data[off : off + self.page_size]) if number < self.in_file else b"\1"
        else:
            page = b""
        if changes is None:
            return page.ljust(self.page_size, b"\0")
        made = bytearray(page.ljust(self.page_size, b"\0"))
        for off, (start, end) in changes.portions:
            made[off : off + end - start] = self._log[start:end]
        # What an image has as its first byte is not what the page is: what was done to it tells.
        made[0] = changes.free
        return bytes(made)

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

    def _of(self, page: int) -> _Changes:
        self.count = max(self.count, page + 1)
        return self._changes.setdefault(page, _Changes())

    def _redo(self, action: LoggedAction) -> None:
        page = self._of(action.page)
        if action.kind in {INSERT, DELETE}:
            page.anew(free=action.kind == DELETE)
        elif action.kind == UPDATE and not action.undo:
            page.anew(free=action.after is None)
        if action.after:
            page.put(action.off, action.after)

    def _undo(self, action: LoggedAction) -> None:
        page = self._of(action.page)
        if action.kind != PORTION and (action.kind != UPDATE or action.undo):
            page.anew(free=action.before is None)
        if action.before:
            page.put(action.off, action.before)
