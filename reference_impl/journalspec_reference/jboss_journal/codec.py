"""Bytes to records and back. All integers are signed and big-endian (JBM-REC)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from journalspec_reference.jboss_journal.dialect import PREPARE, Dialect, Kind

INT = struct.Struct(">i")
LONG = struct.Struct(">q")
PAIR = struct.Struct(">ii")
LONG_HEADER = struct.Struct(">iiq")
#: Type and file id: what every record begins with.
PROLOGUE = 5
CHECK_SIZE = 4

#: Given (data, start, end), the CRC-32 of those bytes. A scan passes one that is cheap on overlaps.
Hash = Callable[[Any, int, int], int]


class JournalRecord(NamedTuple):
    """One healthy record. Fields that its type does not have keep their defaults."""

    off: int
    end: int
    kind: Kind
    compact_count: int = 0
    tx: int = 0
    id: int = 0
    user_type: int = 0
    body: bytes = b""
    extra: bytes = b""
    tally: int = 0
    pairs: tuple[tuple[int, int], ...] = ()


class Fault(NamedTuple):
    """Why the candidate at `off` is no record; `end` is where it claims to end, 0 if nowhere sensible."""

    off: int
    reason: str
    end: int
    detail: str


class _Short(Exception):
    """The fixed part of a candidate is cut by the end of the file."""


class _Reader:
    """A cursor that knows the end of the file."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: Any, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def int32(self) -> int:
        """Return the next four bytes as a signed integer."""
        return self._take(INT)

    def int64(self) -> int:
        """Return the next eight bytes as a signed integer."""
        return self._take(LONG)

    def uint8(self) -> int:
        """Return the next byte, unsigned."""
        if self.at + 1 > self.end:
            raise _Short
        self.at += 1
        value: int = self.data[self.at - 1]
        return value

    def _take(self, form: struct.Struct) -> int:
        if self.at + form.size > self.end:
            raise _Short
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)


def decode_record(data: Any, off: int, end: int, dialect: Dialect, digest: Hash) -> JournalRecord | Fault:
    """Return the record that starts at `off`, or why there is none.

    The caller has seen a type of the edition and the right file id there. Takes
    constant time except for the body of a record that is accepted (and, in
    seed+hash, for `digest`); never raises, never reads at or beyond `end`.
    """
    kind = dialect.kinds[data[off]]
    cursor = _Reader(data, off + PROLOGUE, end)
    try:
        return _decode(cursor, off, kind, dialect, digest)
    except _Short:
        return Fault(off, "truncated", 0, f"{end - off} bytes left of a {kind.name}")


def _decode(cursor: _Reader, off: int, kind: Kind, dialect: Dialect, digest: Hash) -> JournalRecord | Fault:
    compact = _signed(cursor.uint8()) if dialect.compact else 0
    tx = cursor.int64() if kind.tx else 0
    ident = cursor.int64() if kind.id else 0
    size = count = user_type = listed = 0
    if kind.body:
        size = cursor.int32()
        user_type = cursor.uint8() if kind.body == "user" else 0
    elif kind.ends:
        size, count, listed = _ending(cursor, kind, dialect)
    if size < 0 or listed < 0:
        return Fault(off, "bad-size", 0, f"size {size}, {listed} files")
    start = cursor.at
    stop = start + size + PAIR.size * listed + CHECK_SIZE
    if stop > cursor.end:
        return Fault(off, "bad-size", 0, f"ends at {stop}, the file at {cursor.end}")
    problem = _check(cursor.data, off, stop, dialect, digest)
    if problem is not None:
        return problem
    payload = bytes(cursor.data[start : start + size])
    pairs = tuple(PAIR.unpack_from(cursor.data, start + size + PAIR.size * index) for index in range(listed))
    body, extra = (payload, b"") if kind.body else (b"", payload)
    return JournalRecord(off, stop, kind, compact, tx, ident, user_type, body, extra, count, pairs)


def _ending(cursor: _Reader, kind: Kind, dialect: Dialect) -> tuple[int, int, int]:
    """Return (extra size, count, number of pairs) of a PREPARE or COMMIT.

    With pairs both sizes come first, extra size before the number of pairs;
    with one count the extra size comes after it.
    """
    has_extra = kind.code == PREPARE and dialect.prepare_extra
    if dialect.pairs:
        extra = cursor.int32() if has_extra else 0
        return extra, 0, cursor.int32()
    count = cursor.int32()
    return (cursor.int32() if has_extra else 0), count, 0


def _check(data: Any, off: int, stop: int, dialect: Dialect, digest: Hash) -> Fault | None:
    (stored,) = INT.unpack_from(data, stop - CHECK_SIZE)
    if dialect.hashed:
        computed = digest(data, off, stop - CHECK_SIZE)
        if stored & 0xFFFFFFFF == computed:
            return None
        return Fault(off, "bad-hash", stop, f"stored 0x{stored & 0xFFFFFFFF:08x}, computed 0x{computed:08x}")
    if stored == stop - off:
        return None
    return Fault(off, "bad-check-size", stop, f"check size {stored}, length {stop - off}")


def encode_record(record: JournalRecord, dialect: Dialect, stamp: int, digest: Hash) -> bytes:
    """Return the bytes of `record` for the file whose records carry `stamp`; off and end are ignored."""
    kind = record.kind
    parts = [bytes([kind.code]), (stamp & 0xFFFFFFFF).to_bytes(4, "big")]
    if dialect.compact:
        parts.append(bytes([record.compact_count & 0xFF]))
    if kind.tx:
        parts.append(LONG.pack(record.tx))
    if kind.id:
        parts.append(LONG.pack(record.id))
    if kind.body:
        parts.append(INT.pack(len(record.body)))
        if kind.body == "user":
            parts.append(bytes([record.user_type]))
        parts.append(record.body)
    elif kind.ends:
        parts += _encode_ending(record, dialect)
    data = b"".join(parts)
    if dialect.hashed:
        return data + digest(data, 0, len(data)).to_bytes(4, "big")
    return data + INT.pack(len(data) + CHECK_SIZE)


def _encode_ending(record: JournalRecord, dialect: Dialect) -> list[bytes]:
    extra = [INT.pack(len(record.extra))] if record.kind.code == PREPARE and dialect.prepare_extra else []
    if dialect.pairs:
        pairs = [PAIR.pack(*pair) for pair in record.pairs]
        return [*extra, INT.pack(len(record.pairs)), record.extra, *pairs]
    return [INT.pack(record.tally), *extra, record.extra]


def _signed(value: int) -> int:
    return value - 256 if value > 127 else value
