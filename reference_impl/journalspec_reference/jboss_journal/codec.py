"""What the editions disagree on, as one table each; bytes to records and back; the CRC-32 of byte ranges.

All integers are signed and big-endian (JBM-REC). Only the edition with the calculated
hash needs checksums. A scan of hostile bytes may ask for as many overlapping ranges as
there are bytes; hashing each from its start would be quadratic. Checksums of prefixes at
fixed steps, and the algebra of CRCs (the checksum of a range follows from those of two
prefixes), make each range cost at most two partial steps.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from journalspec_reference.content import Window

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

_POLYNOMIAL = 0xEDB88320

#: The types that end a transaction, the same in every edition.
PREPARE, COMMIT, ROLLBACK = 17, 18, 19
EVENT, ADD, UPDATE, ADD_TX, UPDATE_TX = 10, 11, 12, 13, 14


@dataclass(frozen=True, slots=True)
class Kind:
    """One record type of an edition, as the fields that it has.

    `body` is "user" (size, user type, body), "plain" (size, body) or "" (none).
    `ends` marks PREPARE and COMMIT, which carry counts.
    """

    name: str
    code: int
    tx: bool = False
    id: bool = False
    body: str = ""
    ends: bool = False


@dataclass(frozen=True, eq=False)
class Dialect:
    """One edition (for v2 and v2e: one format version of it)."""

    name: str
    versions: tuple[int, ...] = ()
    delete: int = 16
    delete_tx: int = 15
    #: PREPARE and COMMIT hold (file id, count) pairs; otherwise one count.
    pairs: bool = False
    prepare_extra: bool = True
    delete_tx_body: bool = True
    compact: bool = False
    event: bool = False
    hashed: bool = False
    #: The length of a data file is part of the configuration.
    fixed_length: bool = False
    control_file: bool = True
    #: The file id that a control file's record carries.
    control_id: int = 0

    @property
    def header_size(self) -> int:
        """Bytes before the first record, padding aside: 16 with a format version, else 4."""
        return 16 if self.versions else 4

    @cached_property
    def kinds(self) -> dict[int, Kind]:
        """Record type number -> its kind."""
        found = [
            Kind("ADD", ADD, id=True, body="user"),
            Kind("UPDATE", UPDATE, id=True, body="user"),
            Kind("ADD_TX", ADD_TX, tx=True, id=True, body="user"),
            Kind("UPDATE_TX", UPDATE_TX, tx=True, id=True, body="user"),
            Kind("DELETE", self.delete, id=True),
            Kind("DELETE_TX", self.delete_tx, tx=True, id=True, body="plain" if self.delete_tx_body else ""),
            Kind("PREPARE", PREPARE, tx=True, ends=True),
            Kind("COMMIT", COMMIT, tx=True, ends=True),
            Kind("ROLLBACK", ROLLBACK, tx=True),
        ]
        if self.event:
            found.append(Kind("EVENT", EVENT, id=True, body="user"))
        return {kind.code: kind for kind in found}

    @cached_property
    def codes(self) -> dict[str, int]:
        """Record type name -> its number."""
        return {kind.name: code for code, kind in self.kinds.items()}

    def stamp(self, file_id: int) -> int:
        """Return the file id as records carry it: 31 bits where headers have a long."""
        return file_id & 0x7FFFFFFF if self.versions else file_id & 0xFFFFFFFF


_SEED = Dialect(
    "seed",
    delete=15,
    delete_tx=16,
    pairs=True,
    prepare_extra=False,
    delete_tx_body=False,
    fixed_length=True,
    control_file=False,
)
_V1 = Dialect("v1", versions=(1,))
_V2 = Dialect("v2", versions=(1, 2), compact=True)

DIALECTS = {
    "seed": _SEED,
    "seed+hash": replace(_SEED, name="seed+hash", hashed=True),
    "s1": Dialect("s1", pairs=True, fixed_length=True, control_file=False),
    "s2": Dialect("s2", control_id=-1),
    "v1": _V1,
    "v2": _V2,
    "v2e": replace(_V2, name="v2e", event=True),
}


def of_version(dialect: Dialect, version: int) -> Dialect:
    """Return what a file of format `version` is written in: v2 and v2e still read v1 files."""
    return _V1 if version == 1 and dialect.versions else dialect


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


def direct(data: Any, start: int, end: int) -> int:
    """Return the CRC-32 of ``data[start:end]``."""
    return zlib.crc32(memoryview(data)[start:end])


class Prefixes:
    """CRC-32 of the prefixes of one buffer, kept at every `STEP` bytes: four bytes of memory for each."""

    STEP = 1024

    def __init__(self, data: Any, limit: int | None = None) -> None:
        self._data = Window(data, limit)
        self._base, self._known = 0, array("I", [0])

    def _begin(self, start: int) -> None:
        """Be ready for ranges from `start` on."""
        if not self._base <= start <= self._base + self.STEP * len(self._known):
            # Of what lies between, which may be a hole, nothing is asked: the checksums begin anew.
            self._base, self._known = start // self.STEP * self.STEP, array("I", [0])

    def _prefix(self, at: int) -> int:
        """Return the checksum of the bytes from the base to `at`."""
        index = (at - self._base) // self.STEP
        known = self._known
        while len(known) <= index:
            base = self._base + (len(known) - 1) * self.STEP
            step = self._data.reach(base, base + self.STEP)[base : base + self.STEP]
            known.append(zlib.crc32(step, known[-1]))
        return zlib.crc32(self._data.peek(self._base + index * self.STEP, at), known[index])


class PrefixDigest(Prefixes):
    """CRC-32 of ranges of one buffer, in time independent of their length."""

    def __call__(self, data: Any, start: int, end: int) -> int:
        """Return the CRC-32 of the range; `data` is what was given at construction."""
        if end - start <= self.STEP:
            return zlib.crc32(self._data.reach(start, end)[start:end])
        self._begin(start)
        return self._prefix(end) ^ _shift(self._prefix(start), end - start)


def multiply(left: int, right: int) -> int:
    """Return the product of two polynomials modulo the CRC's, bit-reflected."""
    product = 0
    for bit in range(31, -1, -1):
        if left >> bit & 1:
            product ^= right
        right = right >> 1 ^ (_POLYNOMIAL if right & 1 else 0)
    return product


@cache
def power(exponent: int) -> int:
    """Return x to the power of 8 * 2**exponent modulo the polynomial."""
    if exponent == 0:
        return 0x00800000  # x**8, bit-reflected
    return multiply(power(exponent - 1), power(exponent - 1))


def _shift(crc: int, length: int) -> int:
    """Return what `crc` contributes to the checksum `length` bytes later."""
    exponent = 0
    while length:
        if length & 1:
            crc = multiply(crc, power(exponent))
        length >>= 1
        exponent += 1
    return crc
