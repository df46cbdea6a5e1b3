"""Frames of the experimental NIO journal: bytes to records and back (BTM-NIO)."""

from __future__ import annotations

import struct
import zlib
from typing import Any, NamedTuple

from journalspec_reference.bitronix_tlog.codec import STATUS_NAMES

_TITLE = "--------- Bitronix Transaction Manager :: Nio Transaction Journal File ---------"
_PURPOSE = (
    "    This is a delimiter based rolling binary file format belonging to BTM.\r\n"
    "    The purpose of this file is to persist JTA transaction states for \r\n"
    "    providing crash recovery on broken commits and rollbacks."
)
#: Compared byte for byte when a file is opened.
BANNER = f"BTM-NTJ-[Version 1.0]\r\n\r\n{_TITLE}\r\n\r\n{_PURPOSE}\r\n\r\n{'-' * 80}\r\n\r\n".encode("ascii")
SEPARATOR = b"\r\n\r\n"
UUID_SIZE = 16
PREVIOUS_AT = len(BANNER)
CURRENT_AT = PREVIOUS_AT + UUID_SIZE
HEADER_USED = CURRENT_AT + UUID_SIZE + len(SEPARATOR)
#: Frames start here; what lies between is reserved.
HEADER_SIZE = 1024

FRAME_START = b"\r\nLR["
FRAME_MIDDLE = b"]["
FRAME_END = b"]-"
FRAME_HEAD = struct.Struct(f">5s{UUID_SIZE}siI2s")
FRAME_TAIL = struct.Struct(f">2s{UUID_SIZE}s")
MAX_PAYLOAD = 65536
MAX_FRAME = FRAME_HEAD.size + MAX_PAYLOAD + FRAME_TAIL.size

#: tag, status, recordLength, time, sequence, rolled-over flag, gtrid length
PAYLOAD = struct.Struct(">6siiqqbB")
SHORT = struct.Struct(">h")
#: A payload without gtrid and names.
MIN_PAYLOAD = PAYLOAD.size + SHORT.size
TAGS = {
    0: b"0-ACT:",
    1: b"1-MRB:",
    2: b"2-PRE:",
    3: b"3-CTD:",
    4: b"4-RBA:",
    5: b"5-UKN:",
    6: b"6-NTX:",
    7: b"7-PRI:",
    8: b"8-COM:",
    9: b"9-ROL:",
}
UNKNOWN_TAG = b"<unkn>"


class NioHeader(NamedTuple):
    """The two delimiters of a file: that of the lap before, and that of this lap."""

    previous: bytes
    current: bytes


class NioRecord(NamedTuple):
    """One valid frame and its payload."""

    off: int
    end: int
    delimiter: bytes
    crc32: int
    status: int
    record_length: int
    time: int
    sequence_number: int
    rolled_over: bool
    gtrid: bytes
    names: tuple[bytes, ...]
    padding: int = 0

    @property
    def type(self) -> str:
        """The spec's name of the status."""
        return STATUS_NAMES.get(self.status, "OTHER")


class NioFault(NamedTuple):
    """A frame start at `off` that is no valid frame; `end` is where the search goes on."""

    off: int
    end: int
    reason: str
    delimiter: bytes
    detail: str


def decode_header(data: Any) -> NioHeader | tuple[str, str]:
    """Return the header, or (reason, sentence) for the first thing wrong with it."""
    if len(data) < HEADER_USED:
        return "short-file", f"{len(data)} bytes, the header uses {HEADER_USED}"
    if bytes(data[:PREVIOUS_AT]) != BANNER:
        return "bad-banner", "the banner differs"
    if bytes(data[HEADER_USED - len(SEPARATOR) : HEADER_USED]) != SEPARATOR:
        return "bad-banner", f"no separator behind the delimiters at {HEADER_USED - len(SEPARATOR)}"
    return NioHeader(bytes(data[PREVIOUS_AT:CURRENT_AT]), bytes(data[CURRENT_AT : CURRENT_AT + UUID_SIZE]))


def encode_header(header: NioHeader) -> bytes:
    """Return the bytes of a header as far as they are written (442)."""
    return BANNER + header.previous + header.current + SEPARATOR


def decode_frame(data: Any, off: int, header: NioHeader) -> NioRecord | NioFault:
    """Return the frame of `data` at `off`, where FRAME_START stands; never raises.

    `data` ends where the file does, or not before MAX_FRAME bytes from `off` on.
    A frame that is not valid ends, for the search, just behind its start.
    """
    size = len(data)
    resume = off + len(FRAME_START)
    if off + FRAME_HEAD.size > size:
        return NioFault(off, size, "truncated", b"", "the file ends inside a frame header")
    _, delimiter, length, crc, middle = FRAME_HEAD.unpack_from(data, off)
    if delimiter not in header:
        return NioFault(off, resume, "foreign-delimiter", delimiter, f"delimiter {delimiter.hex()}")
    if not 0 <= length <= MAX_PAYLOAD:
        return NioFault(off, resume, "bad-length", delimiter, f"payload length {length}")
    if middle != FRAME_MIDDLE:
        return NioFault(off, resume, "bad-frame", delimiter, "no ']['  behind the checksum")
    at = off + FRAME_HEAD.size
    if at + length + FRAME_TAIL.size > size:
        return NioFault(off, size, "truncated", delimiter, f"payload length {length} reaches beyond the file")
    end_mark, trailer = FRAME_TAIL.unpack_from(data, at + length)
    if end_mark != FRAME_END or trailer != delimiter:
        return NioFault(off, resume, "bad-frame", delimiter, "the trailer does not repeat the delimiter")
    computed = zlib.crc32(data[at : at + length])
    if computed != crc:
        detail = f"stored 0x{crc:08x}, computed 0x{computed:08x}"
        return NioFault(off, at + length + FRAME_TAIL.size, "bad-checksum", delimiter, detail)
    return _decode_payload(data, off, at, length, delimiter, crc)


def _decode_payload(
    data: Any, off: int, at: int, length: int, delimiter: bytes, crc: int
) -> NioRecord | NioFault:
    end = at + length
    frame_end = end + FRAME_TAIL.size
    if length < MIN_PAYLOAD:
        return NioFault(off, frame_end, "malformed", delimiter, f"payload of {length} bytes")
    _, status, stored, time, sequence, rolled, gtrid_length = PAYLOAD.unpack_from(data, at)
    names_at = at + PAYLOAD.size + gtrid_length
    if names_at + SHORT.size > end:
        return NioFault(off, frame_end, "malformed", delimiter, f"gtrid of {gtrid_length} bytes")
    (count,) = SHORT.unpack_from(data, names_at)
    names: list[bytes] = []
    here = names_at + SHORT.size
    for _ in range(count):
        if here + SHORT.size > end:
            return NioFault(off, frame_end, "malformed", delimiter, f"{count} names do not fit")
        (size,) = SHORT.unpack_from(data, here)
        here += SHORT.size
        if size < 0 or here + size > end:
            return NioFault(off, frame_end, "malformed", delimiter, f"a name of {size} bytes")
        names.append(bytes(data[here : here + size]))
        here += size
    gtrid = bytes(data[at + PAYLOAD.size : names_at])
    return NioRecord(
        off,
        frame_end,
        delimiter,
        crc,
        status,
        stored,
        time,
        sequence,
        rolled == 1,
        gtrid,
        tuple(names),
        end - here,
    )


def encode_frame(record: NioRecord) -> bytes:
    """Return the bytes of a frame: payload padded as the record says, checksum computed."""
    parts = [
        PAYLOAD.pack(
            TAGS.get(record.status, UNKNOWN_TAG),
            record.status,
            record.record_length,
            record.time,
            record.sequence_number,
            int(record.rolled_over),
            len(record.gtrid),
        ),
        record.gtrid,
        SHORT.pack(len(record.names)),
    ]
    for name in record.names:
        parts += [SHORT.pack(len(name)), name]
    payload = b"".join(parts) + bytes(record.padding)
    head = FRAME_HEAD.pack(FRAME_START, record.delimiter, len(payload), zlib.crc32(payload), FRAME_MIDDLE)
    return head + payload + FRAME_TAIL.pack(FRAME_END, record.delimiter)
