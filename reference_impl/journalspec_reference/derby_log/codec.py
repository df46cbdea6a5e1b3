"""The bytes of control files, of log file headers, and of instants."""

from __future__ import annotations

import zlib
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

from journalspec.observation import At
from journalspec_reference.batches import ReadingRefused

#: The format ids of control files and log files; all other format ids take two bytes.
FILE_FORMAT = 128
#: The lengths of a control file and of a log file header (bytes).
CONTROL, HEADER = 48, 24
#: The number of bytes around a record's body: the length and the instant before the body, and a second copy
#: of the length after it.
BEFORE, BEHIND = 12, 4
OVERHEAD = BEFORE + BEHIND
#: A position in an instant has 31 bits. The 32nd bit is ignored.
POSITION = 0x7FFFFFFF
_CONTROL = Struct(">iiIIiiiB11xq")
_HEADER = Struct(">iiqII")


class BadLog(ValueError):
    """This error means that bytes do not have the expected form.

    `reason` is the specification's code for the fault.
    """

    def __init__(self, message: str, reason: str = "bad-body") -> None:
        super().__init__(message)
        self.reason = reason


class Refusal(ReadingRefused):
    """A refusal of recovery.

    `phase` and `code` are those of the specification; `at` is the position of the fault.
    """

    def __init__(self, phase: str, code: str, message: str, at: At | None = None) -> None:
        super().__init__(message)
        self.phase, self.code, self.at = phase, code, at


class Instant(NamedTuple):
    """The position of a record: the number of its file, and the offset of its leading length."""

    number: int
    position: int

    @property
    def packed(self) -> int:
        """The instant as a 64-bit integer."""
        return self.number << 32 | self.position

    @classmethod
    def unpack(cls, packed: int) -> Instant:
        """Return the instant that a 64-bit integer represents."""
        return cls((packed >> 32) & 0xFFFFFFFF, packed & POSITION)


class Control(NamedTuple):
    """A control file whose checksum is right. `checkpoint` is None before the first checkpoint."""

    checkpoint: Instant | None
    major: int
    minor: int
    build: int
    flags: int

    @property
    def told(self) -> dict[str, int]:
        """The fields that a file map shows."""
        begin = self.checkpoint.packed if self.checkpoint else 0
        return {"checkpoint": begin, "major": self.major, "minor": self.minor, "flags": self.flags}


# Usually, both control files have the same bytes.
@lru_cache(16)
def control(data: bytes) -> Control:
    """Decode a control file. The obsolete version and spare bytes are ignored."""
    if len(data) != CONTROL:
        raise BadLog(f"a control file of {len(data)} bytes, not {CONTROL}", "bad-control")
    form, _, number, position, major, minor, build, flags, value = _CONTROL.unpack(data)
    if value != zlib.crc32(data[: CONTROL - 8]):
        raise BadLog("the checksum of the control file is wrong", "bad-control")
    if form != FILE_FORMAT:
        raise BadLog(f"a control file of format {form}")
    checkpoint = Instant(number, position & POSITION) if number or position else None
    return Control(checkpoint, major, minor, build, flags)


def header(data: bytes, number: int) -> Instant:
    """Decode the header of log file `number`.

    Return the end of the previous file, which is (0, 0) for the first file.
    """
    if len(data) < HEADER:
        raise BadLog(f"a log file header of {len(data)} bytes, not {HEADER}")
    form, _, found, before, position = _HEADER.unpack_from(data)
    if form != FILE_FORMAT:
        raise BadLog(f"a log file of format {form}")
    if found != number:
        raise BadLog(f"log file {number} says that it is log file {found}")
    return Instant(before, position & POSITION)
