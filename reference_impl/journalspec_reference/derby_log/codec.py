"""The bytes of control files, log file headers, compressed numbers, and the wrappers of records."""

from __future__ import annotations

import zlib
from struct import Struct
from typing import Any, NamedTuple

from journalspec.observation import At

#: The format id of control files and log files, the only ids that take four bytes.
FILE_FORMAT = 128
#: What a control file and a log file header have; what a record has around its body.
CONTROL, HEADER, OVERHEAD = 48, 24, 16
#: A position has 31 bits in an instant; the bit above them is not looked at.
POSITION = 0x7FFFFFFF
_CONTROL = Struct(">iiqiiiB11xq")
_HEADER = Struct(">iiqq")
_WRAPPER = Struct(">iq")
_LENGTH = Struct(">i")


class BadLog(ValueError):
    """Bytes that are not what they should be; `reason` is the spec's word for how."""

    def __init__(self, message: str, reason: str = "bad-body") -> None:
        super().__init__(message)
        self.reason = reason


class Refusal(Exception):
    """There is no result: `phase` and `code` are the spec's, `at` is the place that is at fault, if any."""

    def __init__(self, phase: str, code: str, message: str, at: At | None = None) -> None:
        super().__init__(message)
        self.phase, self.code, self.at = phase, code, at


class Instant(NamedTuple):
    """Where a record is: the number of its file, and the offset of its leading length."""

    number: int
    position: int

    @property
    def packed(self) -> int:
        """The instant as a 64-bit integer."""
        return self.number << 32 | self.position

    @classmethod
    def unpack(cls, packed: int) -> Instant:
        """Return the instant that a 64-bit integer holds."""
        return cls((packed >> 32) & 0xFFFFFFFF, packed & POSITION)


class Control(NamedTuple):
    """A control file whose checksum is right; `checkpoint` is None before the first one."""

    checkpoint: Instant | None
    major: int
    minor: int
    build: int
    flags: int


class LoggedRecord(NamedTuple):
    """A record whose wrapper is right: its two lengths agree, and its instant is its place.

    `covers`: of a checksum record, how many bytes it vouches for.
    """

    off: int
    end: int
    body: bytes
    covers: int | None = None


def control(data: bytes) -> Control:
    """Decode a control file; the obsolete version and what is spare are not looked at."""
    if len(data) != CONTROL:
        raise BadLog(f"a control file of {len(data)} bytes, not {CONTROL}", "bad-control")
    form, _, packed, major, minor, build, flags, value = _CONTROL.unpack(data)
    if value != zlib.crc32(data[: CONTROL - 8]):
        raise BadLog("the checksum of the control file is wrong", "bad-control")
    if form != FILE_FORMAT:
        raise BadLog(f"a control file of format {form}")
    return Control(Instant.unpack(packed) if packed else None, major, minor, build, flags)


def header(data: bytes, number: int) -> Instant:
    """Decode the header of log file `number`: the end of the file before it, (0, 0) if it is the first."""
    if len(data) < HEADER:
        raise BadLog(f"a log file header of {len(data)} bytes, not {HEADER}")
    form, _, found, previous = _HEADER.unpack_from(data)
    if form != FILE_FORMAT:
        raise BadLog(f"a log file of format {form}")
    if found != number:
        raise BadLog(f"log file {number} says that it is log file {found}")
    return Instant.unpack(previous)


def record(data: Any, off: int, number: int) -> LoggedRecord | None:
    """Decode the wrapper at `off` of log file `number`; None at an end marker or the file's end."""
    end = extent(data, off, number)
    return None if end is None else LoggedRecord(off, end, data[off + _WRAPPER.size : end - _LENGTH.size])


def extent(data: Any, off: int, number: int) -> int | None:
    """Return where the record at `off` ends, of which but its first and last bytes are looked at; or None."""
    if off == len(data):
        return None
    if off + _LENGTH.size > len(data):
        raise BadLog("no room for the length of a record", "truncated")
    length: int = _LENGTH.unpack(data[off : off + _LENGTH.size])[0]
    if length == 0:
        return None
    end = off + length + OVERHEAD
    if length < 0:
        raise BadLog(f"the length of a record is {length}", "bad-length")
    if end > len(data):
        raise BadLog(f"a record of {length} bytes does not fit", "out-of-bounds")
    if _WRAPPER.unpack(data[off : off + _WRAPPER.size])[1] != number << 32 | off:
        raise BadLog("the instant of a record is not its place", "bad-instant")
    if _LENGTH.unpack(data[end - _LENGTH.size : end])[0] != length:
        raise BadLog("the two lengths of a record differ", "bad-trailer")
    return end
