"""Pages of rows. This module implements how rows are stored on pages and in a log, and the effect of a
change.

A field is a value, or a pointer to a long value (:class:`Pointer`). The column determines the meaning of a
value.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from struct import Struct
from typing import Any, NamedTuple

from journalspec_reference.batches import source_of
from journalspec_reference.derby_log.bodies import SHORTEST, Body
from journalspec_reference.derby_log.codec import BadLog

#: The header of a page, and a slot. The slots are stored before the checksum at the end of the page, the
#: first slot last.
PAGE_HEADER, SLOT = Struct(">HxxBBqHi"), Struct(">HHH")
ROWS_PAGE, ALLOCATION_PAGE, VALID, PAGE_TAIL = 117, 118, 1, 8
_DELETED, _OVERFLOW, _HAS_FIRST = 1, 2, 4
#: The status bits of a field: it is null, it is a pointer to a long value, it is absent here, its length is
#: stored in two plain bytes.
_NULL, _LONG, _ABSENT, _FIXED = 1, 2, 5, 32
#: Maps the first two bits of a compressed int to its size in bytes.
_SIZES = (1, 2, 4, 4)
#: The operations that change their page row by row.
BY_ROW = ("PURGE", "COPY_ROWS")
#: A value of a row: bytes, a :class:`Pointer`, None for null, or `...` if the row's bytes do not contain it.
Value = Any
#: A function that adds a row to a page, at a slot, under a record id.
Put = Callable[[int, int, "HeapRow"], None]


class Pointer(bytes):
    """Represents the position of a long value: its page (a compressed long) and its record id (a compressed
    int).
    """

    __slots__ = ()


class HeapRow(NamedTuple):
    """Represents a row, or the first part of a row. In a row with several parts, `rest` is the page and
    record id of the next part.

    `had` is the largest size in bytes that the row has had. This space remains reserved when the row becomes
    shorter.
    """

    values: list[Value]
    first: int = 0
    rest: tuple[int, int] | None = None
    deleted: bool = False
    had: int = 0

    @property
    def room(self) -> int:
        """The approximate number of bytes that the row takes on its page."""
        return max(self.had, sum(len(value) + 4 for value in self.values if isinstance(value, bytes)))


@dataclass
class HeapPage:
    """Represents a page: its version, its rows by record id, and the order of their slots.

    An `overflow` page contains only later parts of rows; no row begins there. A page that is not `valid` is
    unused.
    """

    version: int
    rows: dict[int, HeapRow] = field(default_factory=dict)
    #: The record id that the next row gets.
    next: int = 0
    overflow: bool = False
    valid: bool = True
    _slots: list[int] = field(default_factory=list)
    #: The pending changes of the order of rows: (slot, record id). For a removed row, the slot is None.
    _moves: list[tuple[int | None, int]] = field(default_factory=list)

    @property
    def slots(self) -> list[int]:
        """The record ids in slot order.

        Pending changes are applied only here, because each change takes linear time.
        """
        for gone, moves in groupby(self._moves, lambda move: move[0] is None):
            if gone:
                # A record can remove thousands of rows, so they are removed together.
                removed = {ident for _, ident in moves}
                self._slots[:] = [ident for ident in self._slots if ident not in removed]
            else:
                for slot, ident in moves:
                    self._slots.insert(slot or 0, ident)
        self._moves.clear()
        return self._slots

    def put(self, slot: int, ident: int, row: HeapRow) -> None:
        """Add a row at a slot."""
        if ident not in self.rows:
            self._moves.append((slot, ident))
        self.rows[ident] = row
        self.next = max(self.next, ident + 1)

    def clear(self) -> None:
        """Remove all rows."""
        for kept in (self.rows, self._slots, self._moves):
            kept.clear()

    def drop(self, ident: int) -> None:
        """Remove a row."""
        if self.rows.pop(ident, None) is not None:
            self._moves.append((None, ident))


def number(data: bytes, at: int, *, wide: bool) -> tuple[int, int]:
    """Return the compressed int, or (`wide`) compressed long, at an offset, and the offset after it.

    Raises IndexError if there is no byte, BadLog if the number is incomplete.
    """
    if not wide and data[at] < SHORTEST:
        return data[at], at + 1
    form = data[at] >> 6
    size = 1 << min(form, 2) + wide
    end = at + size
    if end > len(data):
        raise BadLog(f"{size} bytes do not fit into the row")
    bits = 8 * size - (1 if form > 1 else 2 if form or wide else 0)
    return int.from_bytes(data[at:end], "big") & (1 << bits) - 1, end


def image(data: bytes, at: int = 0) -> tuple[int, HeapRow, int]:
    """Decode a row stored in a log or on a page. Return its record id, the row, and its end.

    Raises BadLog if the row does not fit into `data`.
    """
    rest, first, count = None, 0, 0
    try:
        status = data[at]
        ident, at = number(data, at + 1, wide=False)
        if status & _OVERFLOW:
            page, at = number(data, at, wide=True)
            record, at = number(data, at, wide=False)
            rest = page, record
        if status & _HAS_FIRST:
            first, at = number(data, at, wide=False)
        # If this part only points to the next part of the row, it ends here.
        if at < len(data) or status & (_OVERFLOW | _HAS_FIRST) != _OVERFLOW:
            count, at = number(data, at, wide=False)
        # Each field takes at least a byte. Therefore a count larger than the number of remaining bytes soon
        # raises an error.
        values: list[Value] = []
        for _ in range(count):
            if data[at] & (_NULL | _LONG | _FIXED) or data[at + 1] >= SHORTEST:
                value, at = logged_field(data, at)
            else:
                value, at = data[at + 2 : at + 2 + data[at + 1]], at + 2 + data[at + 1]
            values.append(value)
        if at > len(data):
            raise IndexError
    except IndexError:
        raise BadLog("a row ends too soon") from None
    return ident, HeapRow(values, first, rest, bool(status & _DELETED)), at


def logged_field(data: bytes, at: int) -> tuple[Value, int]:
    """Return the value of the field at an offset, and the offset after the field.

    Raises BadLog, IndexError.
    """
    status = data[at]
    at += 1
    if status & _NULL:
        return (... if status & _ABSENT == _ABSENT else None), at
    size = data[at]
    if status & _FIXED:
        size = size << 8 | data[at + 1]
        at += 2
    elif size < 0x40:
        at += 1
    else:
        size, at = number(data, at, wide=False)
    end = at + size
    if end > len(data):
        raise BadLog(f"{size} bytes do not fit into the row")
    return (Pointer(data[at:end]) if status & _LONG else data[at:end]), end


def numbers_of(data: Any, size: int, count: int) -> array[int]:
    """Return the numbers of the pages after the first page that are not in a hole of the file."""
    source, at, found = source_of(data), size, array("q")
    while count and (at := source.next_data(at)) < count * size:
        found.append(at // size)
        at += size - at % size
    return found


def rows_of(data: bytes, *, parted: bool = False) -> Iterator[tuple[int, int, HeapRow]]:
    """Yield slot, record id and content of each row on a page. Raises BadLog if a row is invalid or overlaps
    another.

    With `parted`, a caller needs only the rows with parts elsewhere. Other rows may be omitted.
    """
    size, taken = len(data), 0
    count = min(PAGE_HEADER.unpack_from(data)[4], size // SLOT.size - 1)
    for slot in range(count):
        offset, length, _ = SLOT.unpack_from(data, size - PAGE_TAIL - SLOT.size * (slot + 1))
        taken += length
        if taken > size:
            raise BadLog("rows overlap")
        if parted and offset + length <= size and length > 2 and _all_there(data, offset, offset + length):
            continue
        ident, row, _ = image(data[offset : offset + length])
        yield slot, ident, row


def _all_there(data: bytes, at: int, end: int) -> bool:
    """Return whether a quick check proves that a row is valid and lies completely on this page."""
    if data[at] & (_OVERFLOW | _HAS_FIRST):
        return False
    at += 1 + _SIZES[data[at + 1] >> 6]
    fields = data[at]
    at += 1
    for _ in range(fields):
        if at + 2 >= end:
            return False
        status, size = data[at], data[at + 1]
        if status & _FIXED:
            at, size = at + 3, size << 8 | data[at + 2]
        elif size < SHORTEST:
            at += 2
        elif size < 2 * SHORTEST:
            at, size = at + 3, (size & 0x3F) << 8 | data[at + 2]
        else:
            return False
        if status & (_NULL | _LONG):
            return False
        at += size
    return fields < SHORTEST and at <= end


def page_of(data: bytes) -> HeapPage:
    """Decode a page of rows from `data`. Raises BadLog if it is not such a page, or if rows overlap."""
    form, overflow, status, version, _, following = PAGE_HEADER.unpack_from(data)
    if form != ROWS_PAGE:
        raise BadLog(f"a page of format {form}")
    page = HeapPage(version, next=following, overflow=bool(overflow), valid=status == VALID)
    for slot, ident, row in rows_of(data):
        page.put(slot, ident, row)
    return page


def changed(old: HeapRow | None, new: HeapRow) -> HeapRow:
    """Merge a logged image into an old row. Values that are missing in the image keep their old content."""
    known = {} if old is None else dict(enumerate(old.values, start=old.first))
    given = enumerate(new.values, start=new.first)
    values = [known.get(at, ...) if value is ... else value for at, value in given]
    return new._replace(values=values, had=0 if old is None else old.room)


def apply(page: HeapPage, body: Body, by: Body, put: Put, *, undo: bool = False) -> None:
    """Apply the change of the record `body` to the rows of `page`, or undo this change. Raises BadLog.

    `by` identifies the row: it is `body`, or the record that undoes `body`. `put` stores a row on the page.
    """
    fields, name, data = body.fields, body.operation.name, body.data
    ident = by.fields.get("record_id", fields.get("record_id", 0))
    if name == "INSERT" and not undo:
        put(fields["slot"], ident, image(data)[1])
    elif name in ("INSERT", "DELETE"):
        if ident in page.rows:
            gone = page.rows[ident]._replace(deleted=name == "INSERT" or bool(fields["deleted"]) != undo)
            page.rows[ident] = gone
        if name == "INSERT" and fields["insert_flags"] & 2:
            page.drop(ident)
    elif name == "UPDATE":
        # In the body, the old row follows the new row.
        row, end = image(data)[1:]
        put(fields["slot"], ident, changed(page.rows.get(ident), image(data, end)[1] if undo else row))
    elif name == "UPDATE_FIELD":
        _field(page, ident, fields["column"], data, undo=undo)
    elif name in BY_ROW and (name == "PURGE") == undo:
        at = 0
        for slot, entry in enumerate(fields["rows"], start=fields["slot"]):
            stored, row, at = image(data, at)
            put(slot, stored if undo else entry["record_id"], row)
    elif name in BY_ROW:
        for entry in fields["rows"]:
            page.drop(entry["record_id"])
    else:
        _reset(page, body, undo=undo)


def _reset(page: HeapPage, body: Body, *, undo: bool) -> None:
    name, fields = body.operation.name, body.fields
    if name not in ("INIT_PAGE", "INVALIDATE_PAGE"):
        return
    page.valid = undo != (name == "INIT_PAGE")
    if name == "INIT_PAGE" or not undo:
        page.clear()
    if name == "INIT_PAGE" and not undo:
        page.next, page.overflow = fields["next_record_id"], bool(fields["init_flags"] & 2)


def _field(page: HeapPage, ident: int, column: int, data: bytes, *, undo: bool) -> None:
    try:
        value, end = logged_field(data, 0)
        if undo:
            value = logged_field(data, end)[0]
    except IndexError:
        raise BadLog("a field ends too soon") from None
    row = page.rows.get(ident)
    if row is not None and 0 <= (at := column - row.first) < len(row.values):
        row.values[at] = value
