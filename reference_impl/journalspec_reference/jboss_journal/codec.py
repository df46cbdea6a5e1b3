"""What the editions disagree on, from the table of fields; bytes to records and back.

All integers are signed and big-endian (JBM-REC). Only the edition with the calculated hash
needs checksums.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from journalspec.formats import get_format
from journalspec.jboss_journal import LAYOUT
from journalspec_reference.signs import CHECK_SIZE, Shape, Signs

INT = struct.Struct(">i")
PAIR = struct.Struct(">ii")
LONG_HEADER = LAYOUT.structure("header", "v2").packed()
#: Type and file id: what every record begins with.
PROLOGUE = 5
#: The longest fixed part that any type has in any edition, its check size included.
MOST_FIXED = 48
#: A record that reaches beyond what is loaded of the file, and is not decided yet.
NOT_LOADED = "not-loaded"

#: Given (data, start, end), the CRC-32 of those bytes. A scan passes one that is cheap on overlaps.
Hash = Callable[[Any, int, int], int]

#: The types that end a transaction, the same in every edition.
PREPARE, COMMIT, ROLLBACK = 17, 18, 19
EVENT, ADD = 10, 11
#: Editions whose data files are as long as the configuration says.
FIXED_LENGTH = ("seed", "seed+hash", "s1")
#: Edition -> the file id that a control file's record carries, if it is not 0.
CONTROL_IDS = {"s2": -1}


#: Number of a record -> what an observation calls it, or that of which it is the size; in the order there.
_SHOWN = {
    "compact_count": "compact_count",
    "tx": "tx",
    "id": "id",
    "user_type": "user_type",
    "body_size": "body",
    "num_files": "pairs",
    "count": "count",
    "extra_size": "extra",
}
#: What :func:`decode_record` asks of the numbers, in this order.
_ASKED = ("compact_count", "tx", "id", "user_type", "count", "body_size", "extra_size", "num_files")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """One record type of an edition, as the numbers that it has behind type and file id.

    `numbers` gives their names in stored order, each with its letter for `struct`, which unpacks
    them. `pick` takes those of _ASKED out of them, behind which a 0 has been put for what the type
    does not have. `shape` is how long it is, `shown` the fields of an observation.
    """

    name: str
    code: int
    numbers: Mapping[str, str]
    struct: struct.Struct
    pick: Callable[[tuple[int, ...]], tuple[int, ...]]
    shape: Shape
    shown: tuple[str, ...]
    tx: bool
    id: bool

    @property
    def body(self) -> bool:
        """Whether it has a body."""
        return "body" in self.shown

    @property
    def ends(self) -> bool:
        """Whether it is a PREPARE or COMMIT, which carry counts."""
        return "count" in self.shown or "pairs" in self.shown


def _kind(edition: str, name: str, code: int) -> Kind:
    numbers = _numbers(edition, name)
    names, letters = [*numbers], [*numbers.values()]
    layout = struct.Struct(">" + "".join(numbers.values()))
    units = {"body_size": 1, "extra_size": 1, "num_files": PAIR.size}
    counts = [
        (PROLOGUE + struct.calcsize(">" + "".join(letters[:at])), units[number])
        for at, number in enumerate(names)
        if number in units
    ]
    return Kind(
        name,
        code,
        numbers,
        layout,
        itemgetter(*(names.index(number) if number in numbers else -1 for number in _ASKED)),
        Shape(code, PROLOGUE + layout.size, tuple(counts)),
        tuple(field for number, field in _SHOWN.items() if number in numbers),
        "tx" in numbers,
        "id" in numbers,
    )


def _numbers(edition: str, kind: str) -> dict[str, str]:
    form = LAYOUT.structure("record", edition, kind)
    around = ("type", "file_id", "check_size", "hash")
    return {item.name: item.letter for item in form.fields if item.is_int and item.name not in around}


@dataclass(frozen=True, eq=False)
class Dialect:
    """One edition (for v2 and v2e: one format version of it)."""

    name: str
    versions: tuple[int, ...]
    #: Bytes before the first record, padding aside.
    header_size: int
    #: Record type number -> its kind.
    kinds: Mapping[int, Kind]
    #: PREPARE and COMMIT hold (file id, count) pairs; otherwise one count.
    pairs: bool
    prepare_extra: bool
    hashed: bool
    #: The length of a data file is part of the configuration.
    fixed_length: bool
    control_file: bool
    #: The file id that a control file's record carries.
    control_id: int

    @property
    def codes(self) -> dict[str, int]:
        """Record type name -> its number."""
        return {kind.name: code for code, kind in self.kinds.items()}

    def stamp(self, file_id: int) -> int:
        """Return the file id as records carry it: 31 bits where headers have a long."""
        return file_id & 0x7FFFFFFF if self.versions else file_id & 0xFFFFFFFF

    def signs(self, stamp: int | None) -> Signs:
        """Return what the records of the file are found by that carry `stamp`; of any file, if it is None."""
        own = b"" if stamp is None else stamp.to_bytes(4, "big")
        return Signs(tuple(kind.shape for kind in self.kinds.values()), own, PROLOGUE, self.hashed)


def _dialect(name: str) -> Dialect:
    header = LAYOUT.structure("header", name)
    version = next((item for item in header.fields if item.name == "format_version"), None)
    kinds = {code: _kind(name, kind, code) for kind, code in LAYOUT.types(name).items()}
    prepare = kinds[PREPARE].shown
    return Dialect(
        name,
        versions=tuple(range(version.low or 0, (version.high or 0) + 1)) if version else (),
        header_size=header.size,
        kinds=kinds,
        pairs="pairs" in prepare,
        prepare_extra="extra" in prepare,
        hashed="hash" in LAYOUT.structure("record", name).names,
        fixed_length=name in FIXED_LENGTH,
        control_file=LAYOUT.has("control", name),
        control_id=CONTROL_IDS.get(name, 0),
    )


DIALECTS = {name: _dialect(name) for name in get_format(LAYOUT.format_id).editions}


def of_version(dialect: Dialect, version: int) -> Dialect:
    """Return what a file of format `version` is written in: v2 and v2e still read v1 files."""
    return DIALECTS[LAYOUT.behind(dialect.name, {"format_version": version})]


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


def decode_record(data: Any, off: int, end: int, dialect: Dialect, digest: Hash) -> JournalRecord | Fault:
    """Return the record that starts at `off`, or why there is none.

    The caller has seen a type of the edition and the right file id there. Takes
    constant time except for the body of a record that is accepted (and, in
    seed+hash, for `digest`); never raises, never reads at or beyond `end`.
    `data` may end before `end`, but not within the fixed part of a record: a
    record that goes on there is the fault NOT_LOADED.
    """
    kind = dialect.kinds[data[off]]
    start = off + kind.shape.size
    if start + CHECK_SIZE > end:
        return Fault(off, "truncated", 0, f"{end - off} bytes left of a {kind.name}")
    numbers = kind.struct.unpack_from(data, off + PROLOGUE)
    compact_count, tx, ident, user_type, tally, body_size, extra_size, listed = kind.pick((*numbers, 0))
    # No type has two sizes of bytes.
    size = body_size or extra_size
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
    body, extra = bytes(data[start : start + body_size]), bytes(data[start : start + extra_size])
    pairs_at = start + size
    pairs = tuple(PAIR.unpack_from(data, pairs_at + PAIR.size * index) for index in range(listed))
    return JournalRecord(off, stop, kind, compact_count, tx, ident, user_type, body, extra, tally, pairs)


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
    numbers = {
        "compact_count": record.compact_count,
        "tx": record.tx,
        "id": record.id,
        "body_size": len(record.body),
        "user_type": record.user_type,
        "count": record.tally,
        "extra_size": len(record.extra),
        "num_files": len(record.pairs),
    }
    parts = [bytes([kind.code]), (stamp & 0xFFFFFFFF).to_bytes(4, "big")]
    parts.append(kind.struct.pack(*(numbers[name] for name in kind.numbers)))
    parts += [record.body, record.extra]
    if "num_files" in kind.numbers:
        parts += [PAIR.pack(*pair) for pair in record.pairs]
    data = b"".join(parts)
    if dialect.hashed:
        return data + digest(data, 0, len(data)).to_bytes(4, "big")
    return data + INT.pack(len(data) + CHECK_SIZE)
