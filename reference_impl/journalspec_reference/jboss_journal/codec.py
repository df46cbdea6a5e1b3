"""Bytes to records and back. All integers are signed and big-endian (JBM-REC)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from journalspec_reference.jboss_journal.dialect import PREPARE, Dialect, Kind

INT = struct.Struct(">i")
LONG = struct.Struct(">q")
PAIR = struct.Struct(">ii")
LONG_HEADER = struct.Struct(">iiq")
#: Type and file id: what every record begins with.
PROLOGUE = 5
CHECK_SIZE = 4

#: The longest fixed part that any type has in any edition, its check size included.
MOST_FIXED = 48
#: A record that reaches beyond what is loaded of the file, and is not decided yet.
NOT_LOADED = "not-loaded"

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


class Form(NamedTuple):
    """The fixed part of one record type in one edition: where each field is in what is unpacked.

    A type without a field has None in its place.
    """

    kind: Kind
    struct: struct.Struct
    size: int
    compact: int | None
    tx: int | None
    id: int | None
    length: int | None
    user_type: int | None
    tally: int | None
    listed: int | None


@cache
def forms(dialect: Dialect) -> dict[int, Form]:
    """Return record type number -> its form."""
    return {code: _form(kind, dialect) for code, kind in dialect.kinds.items()}


def _form(kind: Kind, dialect: Dialect) -> Form:
    fields = [("compact", "b")] if dialect.compact else []
    fields += [("tx", "q")] if kind.tx else []
    fields += [("id", "q")] if kind.id else []
    if kind.body:
        fields.append(("length", "i"))
        fields += [("user_type", "B")] if kind.body == "user" else []
    elif kind.ends:
        extra = [("length", "i")] if kind.code == PREPARE and dialect.prepare_extra else []
        # With pairs both sizes come first, extra size before the number of pairs; with one count after it.
        fields += [*extra, ("listed", "i")] if dialect.pairs else [("tally", "i"), *extra]
    layout = struct.Struct(">" + "".join(code for _, code in fields))
    at = {name: index for index, (name, _) in enumerate(fields)}
    names = ("compact", "tx", "id", "length", "user_type", "tally", "listed")
    return Form(kind, layout, PROLOGUE + layout.size, *(at.get(name) for name in names))


def decode_record(data: Any, off: int, end: int, dialect: Dialect, digest: Hash) -> JournalRecord | Fault:
    """Return the record that starts at `off`, or why there is none.

    The caller has seen a type of the edition and the right file id there. Takes
    constant time except for the body of a record that is accepted (and, in
    seed+hash, for `digest`); never raises, never reads at or beyond `end`.
    `data` may end before `end`, but not within the fixed part of a record: a
    record that goes on there is the fault NOT_LOADED.
    """
    form = forms(dialect)[data[off]]
    start = off + form.size
    if start + CHECK_SIZE > end:
        return Fault(off, "truncated", 0, f"{end - off} bytes left of a {form.kind.name}")
    values = form.struct.unpack_from(data, off + PROLOGUE)
    size = 0 if form.length is None else values[form.length]
    listed = 0 if form.listed is None else values[form.listed]
    if size < 0 or listed < 0:
        return Fault(off, "bad-size", 0, f"size {size}, {listed} files")
    stop = start + size + PAIR.size * listed + CHECK_SIZE
    if stop > end:
        return Fault(off, "bad-size", 0, f"ends at {stop}, the file at {end}")
    if stop > len(data):
        return Fault(off, NOT_LOADED, stop, "")
    problem = check(data[stop - CHECK_SIZE : stop], data, off, stop, dialect, digest)
    if problem is not None:
        return problem
    payload = bytes(data[start : start + size])
    body, extra = (payload, b"") if form.kind.body else (b"", payload)
    pairs_at = start + size
    pairs = tuple(PAIR.unpack_from(data, pairs_at + PAIR.size * index) for index in range(listed))

    def field(at: int | None) -> int:
        return 0 if at is None else int(values[at])

    return JournalRecord(
        off,
        stop,
        form.kind,
        compact_count=field(form.compact),
        tx=field(form.tx),
        id=field(form.id),
        user_type=field(form.user_type),
        body=body,
        extra=extra,
        tally=field(form.tally),
        pairs=pairs,
    )


def check(last: Any, data: Any, off: int, stop: int, dialect: Dialect, digest: Hash) -> Fault | None:
    """Return what is wrong with a record that ends at `stop` with the bytes `last`; None: it is healthy."""
    (stored,) = INT.unpack(last)
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
