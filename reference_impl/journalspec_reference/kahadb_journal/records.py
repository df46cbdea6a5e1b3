"""Records as objects, built from the rows of a batch on demand, and records by position.

A position consists of the turn of a file (its rank in the journal) and an offset in the file. The fields
around a message are skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from typing import Any

from journalspec.kahadb_journal.commands import SIZED, VARINT, as_varint, messages
from journalspec.observation import At, Record
from journalspec.reread import Changed
from journalspec_reference.batches import Batch, Source, source_of
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    HEAD,
    USER,
    CommandError,
    Dialect,
    Parsed,
    frame,
    head,
    parse,
    parsed,
    places,
    sums,
    varint,
)
from journalspec_reference.kahadb_journal.fileset import DataFile
from journalspec_reference.kahadb_journal.store import PLACE, destination_of, transaction_of


def told(batch: Batch, file: str, dialect: Dialect) -> Iterator[Record]:
    """Yield the records of a batch under the names of the specification (KHD-CMD)."""
    data, first = batch.data, frozenset(batch.more.get("first", ()))
    known = batch.more.get("parsed")
    for row, (off, end) in enumerate(zip(batch.off, batch.end, strict=True)):
        fields: dict[str, object] = {"length": end - off}
        if row in first:
            fields["batch_size"], fields["checksum"] = sums(data, off - CONTROL)
        item: Parsed = ""
        if isinstance(known, list):
            item = known[row]
        elif not dialect.bare:
            item = parsed(data[off + HEAD : end], dialect)
        if isinstance(item, str):
            name, fields["payload"] = "OTHER", data[off + HEAD : end]
        else:
            name = item[0]
            fields |= shown(*item)
        yield Record(name, fields, At(file, batch.base + off, end - off))


_EMPTY: Mapping[str, Any] = {"s4": 0, "s8": 0, "bool": False, "str": "", "bytes": b""}
#: Fields that are omitted if they are not stored.
_OPTIONAL = frozenset(["transaction", "ack", "subscription_info", "text"])


def is_optional(command: str, field: str) -> bool:
    """Return whether a field that has no stored value is omitted. Otherwise it gets its default."""
    return field in _OPTIONAL or (command, field) == ("REMOVE_MESSAGE", "subscription_key")


def shown(command: str, fields: Mapping[str, Any]) -> dict[str, object]:
    """Return the fields of a command in the form of an observation (KHD-CMD-007)."""
    if command == "UPDATE_MESSAGE":
        command, fields = "ADD_MESSAGE", {**fields.get("add", {}), "transaction": None}
    out: dict[str, object] = {}
    for slot in messages()[command].values():
        if slot.name == "destination":
            kind, name = destination_of(fields)
            out["destination"] = {"kind": kind, "name": name}
        elif slot.name == "transaction":
            if (tx := transaction_of(fields)) is not None:
                out["transaction"] = dict(zip(TX_MEMBERS[tx[0]], tx, strict=True))
        elif slot.name in fields:
            out[slot.name] = fields[slot.name]
        elif not is_optional(command, slot.name):
            out[slot.name] = _EMPTY[slot.holds] if slot.default is None else slot.default
    return out


#: The members of a transaction, by its kind.
TX_MEMBERS = {"LOCAL": ("kind", "connection", "number"), "XA": ("kind", "format_id", "gtrid", "bqual")}


#: The numbers of ADD_MESSAGE and UPDATE_MESSAGE.
_ADD, UPDATE = 1, 10
#: The keys of three fields: transaction and message in ADD_MESSAGE, and the nested ADD_MESSAGE in
#: UPDATE_MESSAGE.
TRANSACTION, _MESSAGE, _ADDED = 1 << 3 | SIZED, 4 << 3 | SIZED, 1 << 3 | SIZED
#: How many bytes are read at a time, if records follow one another, and if they do not.
_WINDOW, _SINGLE = 1 << 18, 2048
#: The first bytes of a record, which contain the time of almost every message.
FIRST = 1024
#: The bits of a position that contain the offset.
_OFFSET = (1 << PLACE) - 1


def message_in(record: bytes) -> tuple[int, int]:
    """Return offset and size (bytes) of the message in a record; the record's first bytes are enough.

    Both are 0 if no message is in these bytes. Raises CommandError for a record that adds no message.
    """
    if len(record) <= HEAD or record[HEAD] not in (_ADD, UPDATE):
        raise CommandError("no message is added")
    size, at = varint(record, HEAD + 1)
    end, found = min(len(record), at + size), (0, 0)
    with suppress(CommandError):
        if record[HEAD] == UPDATE:
            for key, start, after in places(record, at, end):
                if key == _ADDED:
                    at, end = start, min(end, after)
                    break
            else:
                return found
        usual = _at_once(_MESSAGE, record, at, end)
        if usual:
            return usual[-1][0], usual[-1][1] - usual[-1][0]
        for key, start, after in places(record, at, end):
            if key == _MESSAGE:
                found = start, after - start
    return found


def transaction_in(record: bytes) -> bytes | None:
    """Return the stored transaction of an ADD_MESSAGE. Return None if it has none, or for another command."""
    if record[HEAD] != _ADD:
        return None
    size, at = varint(record, HEAD + 1)
    end = min(len(record), at + size)
    found = _at_once(TRANSACTION, record, at, end)
    if found is None:
        found = [(start, stop) for key, start, stop in places(record, at, end) if key == TRANSACTION]
    # Repeated entries are merged.
    return b"".join([record[start:stop] for start, stop in found]) if found else None


def _at_once(field: int, record: bytes, at: int, end: int) -> list[tuple[int, int]] | None:
    """Return the places of a field's values in a message, or None if it is damaged or unusual.

    Usual fields consist of a one-byte key, and a length of up to two bytes or a number below 128.
    """
    found = []
    try:
        while at < end:
            key, size = record[at], record[at + 1]
            at += 2
            if key > 0x7F:
                return None
            if key & 7 == SIZED:
                if size > 0x7F:
                    if record[at] > 0x7F:
                        return None
                    size += (record[at] - 1) << 7
                    at += 1
                if key == field:
                    found.append((at, at + size))
                at += size
            elif key & 7 != VARINT or size > 0x7F:
                return None
    except IndexError:
        return None
    return found if at == end else None


class RecordPlaces:
    """The records of a journal by position. Adjacent records are read a window at a time."""

    def __init__(self, files: Sequence[DataFile], dialect: Dialect) -> None:
        self._files, self._dialect = files, dialect
        self._sources: list[Source] = [source_of(file.data) for file in files]
        self._turn, self._base, self._data = -1, 0, b""

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of a position."""
        return self._files[place >> PLACE].name, place & _OFFSET

    def length(self, place: int) -> int:
        """Return the length of the record at a position.

        Raises Changed if the record does not exist any more.
        """
        return int(head(self.record(place, HEAD), 0)[0])

    def measured(self, places: Iterable[int]) -> tuple[int, int]:
        """Return the number of records at these positions, and the sum of their lengths.

        Raises Changed if a record does not exist any more.
        """
        rows = size = 0
        for place in places:
            start = (place & _OFFSET) - self._base
            length = kind = 0
            if place >> PLACE == self._turn and 0 <= start <= len(self._data) - HEAD:
                length, kind = head(self._data, start)
            # `length` loads a record that is not in the window, and raises Changed for an invalid one.
            size += length if kind == USER and length > HEAD else self.length(place)
            rows += 1
        return rows, size

    def record(self, place: int, most: int | None = None) -> bytes:
        """Return the record at a position, or its first bytes.

        Raises Changed if the record does not exist any more.
        """
        turn, off = place >> PLACE, place & _OFFSET
        start = off - self._base
        if turn != self._turn or not 0 <= start <= len(self._data) - HEAD:
            follows = turn == self._turn and 0 <= start - len(self._data) + HEAD <= _WINDOW
            self._data = self._sources[turn].read(off, _WINDOW if follows else _SINGLE)
            self._turn, self._base, start = turn, off, 0
        length, kind = head(self._data, start) if len(self._data) - start >= HEAD else (0, 0)
        size = length if most is None or length < most else most
        if start + size > len(self._data) and kind == USER:
            self._data = self._sources[turn].read(off, max(size, _WINDOW if start else size))
            self._base, start = off, 0
        if kind != USER or length <= HEAD or size > len(self._data):
            raise Changed(self._files[turn].name)
        return self._data[start : start + size]

    def message(self, place: int) -> tuple[bytes, int]:
        """Return the message of a record, and the record's length.

        Raises Changed if either does not exist any more.
        """
        record = self.record(place)
        try:
            start, size = message_in(record)
        except CommandError:
            raise Changed(self.where(place)[0]) from None
        return record[start : start + size], len(record)

    def command(self, place: int) -> tuple[str, Mapping[str, Any], int]:
        """Return the command at a position, its fields, and the length of its record (bytes).

        For an UPDATE_MESSAGE, the fields are those of its ADD_MESSAGE. Raises Changed if the command does not
        exist any more.
        """
        record = self.record(place)
        try:
            name, message, _ = frame(record[HEAD:], self._dialect.commands)
            fields = parse(name, message)
        except CommandError:
            raise Changed(self.where(place)[0]) from None
        return name, fields.get("add", {}) if name == "UPDATE_MESSAGE" else fields, len(record)


_as_varint = lru_cache(1 << 12)(as_varint)
#: How many forms of records are known at a time.
_FORMS = 8


class SeenHead:
    """The form of an ADD_MESSAGE up to the time of its message.

    `start` are the first bytes of its record, and `length` is that of the record. `message` is the place and
    size of the message, `marks` are the places of the bytes that determine where the time is (`time`).
    Raises ValueError if the command is unusual, IndexError if `start` ends too early.
    """

    def __init__(
        self, start: bytes, length: int, message: tuple[int, int], marks: Sequence[int], time: int
    ) -> None:
        size, self._first = varint(start, HEAD + 1)
        at, end, fields = self._first, self._first, [HEAD]
        while end < message[0]:
            key = start[at]
            value, end = varint(start, at + 1)
            if key > 0x7F or key & 7 not in (VARINT, SIZED):
                raise ValueError(f"the field at {at} is unusual")
            self._sized = at + 1
            fields += range(at, end)
            at = end + value if key & 7 == SIZED else end
        self._message, self._rest = end, length - end - value
        #: The bytes after the message, or None if `start` does not contain them.
        self._tail = start[at:] if len(start) == length else None
        if message != (end, value) or size != length - self._first or not self._fits(start, length):
            raise ValueError("the sizes contradict each other")
        places = bytearray(b"x" * time)
        for mark in (*fields[: self._sized - end], *marks):
            places[mark] = ord("s")
        form = "".join(f"{len([*group])}{kind}" for kind, group in groupby(places.decode()))
        self._unpack, self._size = struct.Struct(f">{form}q").unpack_from, time + 8
        *self._values, _ = self._unpack(start)

    def _fits(self, start: bytes, length: int) -> bool:
        """Return whether the sizes in a record and the bytes after its message are as expected."""
        if len(start) < length:
            if length - self._rest < len(start):
                return False
        elif self._tail is None or not start.endswith(self._tail):
            return False
        size, of_message = _as_varint(length - self._first), _as_varint(length - self._message - self._rest)
        return start[HEAD + 1 : self._first] == size and start[self._sized : self._message] == of_message

    def time(self, start: bytes, length: int) -> int | None:
        """Return the time of a message from the first bytes of its record, or None for another form."""
        if len(start) < self._size or not self._fits(start, length):
            return None
        *values, time = self._unpack(start)
        return time if values == self._values else None


class HeadTimes:
    """Reads the times of messages from the first bytes of their records. It remembers the forms of earlier
    records.

    `walk` returns the place of the time, given the first bytes of a record and the place of its message, and
    adds the places of all bytes that determine this to a list. It returns 0 at an unusual field. It can raise
    ValueError, IndexError and struct.error.
    """

    def __init__(self, walk: Callable[[bytes, int, list[int]], int]) -> None:
        self._walk, self._known = walk, list[SeenHead]()

    def of(self, start: bytes, length: int) -> int | None:
        """Return the time of the message in a record of `length` bytes that begins with `start`.

        None if these bytes end before the time, or if a field before it is unusual.
        """
        for known in self._known:
            if (time := known.time(start, length)) is not None:
                if known is not self._known[0]:
                    self._known.remove(known)
                    self._known.insert(0, known)
                return time
        marks: list[int] = []
        try:
            message = message_in(start)
            place = self._walk(start, message[0], marks) if message[0] else 0
            found: int | None = struct.unpack_from(">q", start, place)[0] if place else None
        except (ValueError, IndexError, struct.error):
            return None
        if place:
            with suppress(ValueError, IndexError):
                self._known = [SeenHead(start, length, message, marks, place), *self._known[: _FORMS - 1]]
        return found
