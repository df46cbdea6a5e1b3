"""What the editions disagree on, from the table of fields; bytes to records and back.

All integers are signed and big-endian (JBM-REC). Only the edition with the calculated hash
needs checksums.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from journalspec.formats import get_format
from journalspec.jboss_journal import LAYOUT

INT = struct.Struct(">i")
LONG = struct.Struct(">q")
PAIR = struct.Struct(">ii")
LONG_HEADER = LAYOUT.structure("header", "v2").packed()
#: Type and file id: what every record begins with.
PROLOGUE = 5
CHECK_SIZE = 4

#: The longest fixed part that any type has in any edition, its check size included.
MOST_FIXED = 48
#: A record that reaches beyond what is loaded of the file, and is not decided yet.
NOT_LOADED = "not-loaded"

#: Given (data, start, end), the CRC-32 of those bytes. A scan passes one that is cheap on overlaps.
Hash = Callable[[Any, int, int], int]

#: The types that end a transaction, the same in every edition.
PREPARE, COMMIT, ROLLBACK = 17, 18, 19
EVENT, ADD, UPDATE, ADD_TX, UPDATE_TX = 10, 11, 12, 13, 14
#: Editions whose data files are as long as the configuration says.
FIXED_LENGTH = ("seed", "seed+hash", "s1")
#: Edition -> the file id that a control file's record carries, if it is not 0.
CONTROL_IDS = {"s2": -1}


@dataclass(frozen=True, slots=True)
class Kind:
    """One record type of an edition, as the numbers that it has behind type and file id.

    `numbers` gives their names in stored order, each with its letter for struct.
    `body` is "user" (size, user type, body), "plain" (size, body) or "" (none).
    `ends` marks PREPARE and COMMIT, which carry counts.
    """

    name: str
    code: int
    numbers: Mapping[str, str] = field(compare=False)
    tx: bool
    id: bool
    body: str
    ends: bool


def _kind(edition: str, name: str, code: int) -> Kind:
    numbers = _numbers(edition, name)
    body = "user" if "user_type" in numbers else "plain" if "body_size" in numbers else ""
    ends = "count" in numbers or "num_files" in numbers
    return Kind(name, code, numbers, "tx" in numbers, "id" in numbers, body, ends)


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
    compact: bool
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


def _dialect(name: str) -> Dialect:
    header = LAYOUT.structure("header", name)
    version = next((item for item in header.fields if item.name == "format_version"), None)
    kinds = {code: _kind(name, kind, code) for kind, code in LAYOUT.types(name).items()}
    prepare = kinds[PREPARE].numbers
    return Dialect(
        name,
        versions=tuple(range(version.low or 0, (version.high or 0) + 1)) if version else (),
        header_size=header.size,
        kinds=kinds,
        pairs="num_files" in prepare,
        prepare_extra="extra_size" in prepare,
        compact="compact_count" in prepare,
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
    return {code: _form(kind) for code, kind in dialect.kinds.items()}


def _form(kind: Kind) -> Form:
    layout = struct.Struct(">" + "".join(kind.numbers.values()))
    # No type has two sizes of bytes: that of its body or of its extra data is its length.
    words = {"compact_count": "compact", "body_size": "length", "extra_size": "length"}
    words |= {"count": "tally", "num_files": "listed"}
    at = {words.get(name, name): index for index, name in enumerate(kind.numbers)}
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

    def number(at: int | None) -> int:
        return 0 if at is None else int(values[at])

    return JournalRecord(
        off,
        stop,
        form.kind,
        compact_count=number(form.compact),
        tx=number(form.tx),
        id=number(form.id),
        user_type=number(form.user_type),
        body=body,
        extra=extra,
        tally=number(form.tally),
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
    numbers = {
        "compact_count": (record.compact_count + 128) % 256 - 128,
        "tx": record.tx,
        "id": record.id,
        "body_size": len(record.body),
        "user_type": record.user_type,
        "count": record.tally,
        "extra_size": len(record.extra),
        "num_files": len(record.pairs),
    }
    form = forms(dialect)[kind.code]
    parts = [bytes([kind.code]), (stamp & 0xFFFFFFFF).to_bytes(4, "big")]
    parts.append(form.struct.pack(*[numbers[name] for name in kind.numbers]))
    if kind.body:
        parts.append(record.body)
    elif kind.ends:
        parts.append(record.extra)
        parts += [PAIR.pack(*pair) for pair in record.pairs if dialect.pairs]
    data = b"".join(parts)
    if dialect.hashed:
        return data + digest(data, 0, len(data)).to_bytes(4, "big")
    return data + INT.pack(len(data) + CHECK_SIZE)
