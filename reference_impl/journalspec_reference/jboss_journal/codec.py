"""Encodes and decodes healthy records. The table of fields defines the differences between editions.

All integers are signed and big-endian (JBM-REC). Only the edition with the calculated hash
needs checksums. :mod:`.scan` decides whether a record is healthy.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from journalspec.formats import get_format
from journalspec.jboss_journal import LAYOUT

INT = struct.Struct(">i")
PAIR = struct.Struct(">ii")
LONG_HEADER = LAYOUT.structure("header", "v2").packed()
#: The type and the file id, which are the first bytes of every record.
PROLOGUE = 5
#: The bytes at the end of a record: its length or its checksum.
CHECK_SIZE = 4

#: The types that end a transaction, the same in every edition.
PREPARE, COMMIT, ROLLBACK = 17, 18, 19
EVENT, ADD, UPDATE, ADD_TX, UPDATE_TX = 10, 11, 12, 13, 14
#: Editions whose data files have the configured length.
FIXED_LENGTH = ("seed", "seed+hash", "s1")
#: Maps an edition to the file id in the record of a control file, if it is not 0.
CONTROL_IDS = {"s2": -1}


#: Maps a numeric field of a record to its name in an observation. A size maps to the name of the sized field.
#: The order is that of observations.
SHOWN = {
    "compact_count": "compact_count",
    "tx": "tx",
    "id": "id",
    "user_type": "user_type",
    "body_size": "body",
    "num_files": "pairs",
    "count": "count",
    "extra_size": "extra",
}
#: The numbers that :func:`decode_record` needs, in this order.
_ASKED = ("compact_count", "tx", "id", "user_type", "count", "body_size", "extra_size", "num_files")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Represents one record type of an edition, described by its numbers after type and file id.

    `numbers` maps the names of these numbers, in stored order, to format letters; `struct` unpacks them.
    `pick` selects the numbers in _ASKED from a 0, for the fields that the type lacks, followed by the
    unpacked numbers. `least` is the length of an empty record, check included. `sizes` lists the offset of
    each variable size, with the number of bytes per unit. `places` maps each number to its offset in the
    record. `shown` contains the fields of an observation.
    """

    name: str
    code: int
    numbers: Mapping[str, str]
    struct: struct.Struct
    pick: Callable[[tuple[int, ...]], tuple[int, ...]]
    least: int
    sizes: tuple[tuple[int, int], ...]
    places: Mapping[str, int]
    shown: tuple[str, ...]
    tx: bool
    id: bool

    @property
    def body(self) -> bool:
        """Whether the type has a body."""
        return "body" in self.shown

    @property
    def ends(self) -> bool:
        """Whether the type is PREPARE or COMMIT: only these contain counts."""
        return "count" in self.shown or "pairs" in self.shown


def _kind(edition: str, name: str, code: int) -> Kind:
    numbers = _numbers(edition, name)
    names = [*numbers]
    layout = struct.Struct(">" + "".join(numbers.values()))
    places = {
        number: PROLOGUE + struct.calcsize(">" + "".join(numbers[before] for before in names[:at]))
        for at, number in enumerate(names)
    }
    units = {"body_size": 1, "extra_size": 1, "num_files": PAIR.size}
    return Kind(
        name,
        code,
        numbers,
        layout,
        itemgetter(*(names.index(number) if number in numbers else -1 for number in _ASKED)),
        PROLOGUE + layout.size + CHECK_SIZE,
        tuple((places[number], units[number]) for number in names if number in units),
        places,
        tuple(field for number, field in SHOWN.items() if number in numbers),
        "tx" in numbers,
        "id" in numbers,
    )


def _numbers(edition: str, kind: str) -> dict[str, str]:
    form = LAYOUT.structure("record", edition, kind)
    around = ("type", "file_id", "check_size", "hash")
    return {item.name: item.letter for item in form.fields if item.is_int and item.name not in around}


@dataclass(frozen=True, eq=False)
class Dialect:
    """Represents one edition. For v2 and v2e, it represents one format version of the edition."""

    name: str
    versions: tuple[int, ...]
    #: The number of bytes before the first record, without padding.
    header_size: int
    #: Maps a record type number to its kind.
    kinds: Mapping[int, Kind]
    #: Whether PREPARE and COMMIT contain (file id, count) pairs instead of a single count.
    pairs: bool
    prepare_extra: bool
    hashed: bool
    #: Whether the length of a data file is part of the configuration.
    fixed_length: bool
    control_file: bool
    #: The file id in the record of a control file.
    control_id: int

    @cached_property
    def codes(self) -> dict[str, int]:
        """Maps a record type name to its number."""
        return {kind.name: code for code, kind in self.kinds.items()}

    @cached_property
    def shapes(self) -> dict[int, tuple[int, tuple[tuple[int, int], ...]]]:
        """Maps a record type number to its minimum length, and to offset and bytes per unit of each variable
        size.
        """
        return {code: (kind.least, kind.sizes) for code, kind in self.kinds.items()}

    @cached_property
    def id_at(self) -> dict[int, int]:
        """Maps the type of a record with an id to the offset of the id in the record."""
        return {code: kind.places["id"] for code, kind in self.kinds.items() if kind.id}

    @cached_property
    def tx_at(self) -> dict[int, int]:
        """Maps the type of a transaction's record to the offset of the transaction's id in the record."""
        return {code: kind.places["tx"] for code, kind in self.kinds.items() if kind.tx}

    @cached_property
    def type_at(self) -> dict[int, int]:
        """Maps the type of a record with a user type to the offset of the user type, which directly precedes
        the body.
        """
        return {code: at for code, kind in self.kinds.items() if (at := kind.places.get("user_type"))}

    def stamp(self, file_id: int) -> int:
        """Return the file id as stored in records: 31 bits if headers have a long, else 32."""
        return file_id & 0x7FFFFFFF if self.versions else file_id & 0xFFFFFFFF


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


@lru_cache(64)
def of_version(dialect: Dialect, version: int) -> Dialect:
    """Return the dialect of a file with format `version`: editions v2 and v2e also read v1 files."""
    return DIALECTS[LAYOUT.behind(dialect.name, {"format_version": version})]


class JournalRecord(NamedTuple):
    """Represents one healthy record. Fields that its type lacks keep their defaults."""

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


def decode_record(data: bytes, off: int, dialect: Dialect, base: int = 0) -> JournalRecord:
    """Return the healthy record at `off` in `data`. `data` begins at offset `base` of its file."""
    kind = dialect.kinds[data[off]]
    start = off + kind.least - CHECK_SIZE
    numbers = kind.struct.unpack_from(data, off + PROLOGUE)
    compact_count, tx, ident, user_type, tally, body_size, extra_size, listed = kind.pick((*numbers, 0))
    body, extra = data[start : start + body_size], data[start : start + extra_size]
    # No record type has both a body and extra data, so both can begin at `start`.
    pairs_at = start + body_size + extra_size
    pairs_end = pairs_at + PAIR.size * listed
    pairs = tuple(PAIR.iter_unpack(data[pairs_at:pairs_end]))
    end = pairs_end + CHECK_SIZE
    return JournalRecord(
        base + off, base + end, kind, compact_count, tx, ident, user_type, body, extra, tally, pairs
    )


def stamp_at(data: bytes, off: int, dialect: Dialect) -> int:
    """Return the file id in the record at `off`."""
    return int.from_bytes(data[off + 1 : off + PROLOGUE], "big", signed=not dialect.versions)


def fields_of(record: JournalRecord) -> dict[str, Any]:
    """Return the fields that the type of a record has, by the names of an observation."""
    fields: dict[str, Any] = {}
    for name in record.kind.shown:
        if name == "pairs":
            fields[name] = [{"file_id": listed, "count": count} for listed, count in record.pairs]
        else:
            fields[name] = getattr(record, "tally" if name == "count" else name)
    return fields


def encode_record(record: JournalRecord, dialect: Dialect, stamp: int) -> bytes:
    """Return the bytes of `record` for the file whose records have `stamp`. `off` and `end` are ignored."""
    return LAYOUT.build("record", dialect.name, record.kind.name, file_id=stamp, **fields_of(record))
