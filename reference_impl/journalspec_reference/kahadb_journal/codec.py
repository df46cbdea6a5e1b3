"""The bytes of batches and records, decoded at an offset; nothing is read or looked for here."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Any, NamedTuple

from journalspec.formats import get_format
from journalspec.kahadb_journal import LAYOUT

FORMAT = "kahadb_journal"
#: Bytes of a control record, of the length and type of a record, and of an end marker.
CONTROL, HEAD, MARKER = 28, 5, 5
END_MARKER = b"-qMa4"
#: A larger batch is damage (KHD-SCN-002).
MOST = 2147483614
USER, BATCH = 1, 2
#: What a batch of no bytes may have for a checksum: none, or that of nothing (KHD-END-009).
OF_NOTHING = (0, 1)
_SUMS = Struct(">iq")
_HEAD = Struct(">iB")


@dataclass(frozen=True)
class Dialect:
    """What is particular to an edition: how a batch begins, what ends a log, what payloads are."""

    edition: str

    @cached_property
    def start(self) -> bytes:
        """The first 16 bytes of a control record (KHD-BAT-012)."""
        return LAYOUT.build("header", self.edition)[: CONTROL - _SUMS.size]

    @cached_property
    def commands(self) -> Mapping[int, str]:
        """Number -> command; none in the seed's edition."""
        return {number: name for name, number in LAYOUT.types(self.edition).items()}

    @property
    def marked(self) -> bool:
        """Whether an end marker stands behind each batch (KHD-END-001)."""
        return "REWRITTEN_DATA_FILE" in self.commands.values()

    @property
    def bare(self) -> bool:
        """Whether nothing but the end of the file ends a log (KHD-SED-003)."""
        return not self.commands


DIALECTS = {edition: Dialect(edition) for edition in get_format(FORMAT).editions}


class SoundBatch(NamedTuple):
    """A batch whose checks hold: from `off` to `end`. `found`: it was looked for behind damage."""

    off: int
    end: int
    checksum: int
    found: bool = False

    @property
    def size(self) -> int:
        """The bytes of its records."""
        return self.end - self.off - CONTROL


class Damage(NamedTuple):
    """Bytes that hold no batch, and why (a reason of the specification)."""

    off: int
    end: int
    reason: str
    detail: str = ""


class StoredRecord(NamedTuple):
    """One record: from `off` to `end`, of what type, and the batch that it is the first of, if it is."""

    off: int
    end: int
    type: int
    payload: bytes
    first: SoundBatch | None = None


def sums(data: Any, off: int) -> tuple[int, int]:
    """Return the batch size and the checksum of the control record at `off`."""
    size, checksum = _SUMS.unpack_from(data, off + CONTROL - _SUMS.size)
    return int(size), int(checksum)


def head(data: Any, off: int) -> tuple[int, int]:
    """Return the length and the type of the record at `off`."""
    length, kind = _HEAD.unpack_from(data, off)
    return int(length), int(kind)


def adler(data: Any, value: int = 1) -> int:
    """Return the Adler-32 of `data` that continues `value`."""
    return zlib.adler32(data, value)
