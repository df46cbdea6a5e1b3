"""The experimental NIO journal (BTM-NIO): two laps in one file, found by search, told apart by delimiter.

There is no tail pointer. The insert position is the end of the last valid
frame of the current delimiter; behind it stand what is left of the lap before
(its first frame usually cut) and fill, neither of which is damage.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES, Fault
from journalspec_reference.content import UNREADABLE, Window

#: Compared byte for byte when a file is opened.
BANNER = LAYOUT.structure("header", "nio").fields[0].constant
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
MAX_GTRID = 0xFF
MAX_PAYLOAD = 65536
MAX_FRAME = FRAME_HEAD.size + MAX_PAYLOAD + FRAME_TAIL.size

#: tag, status, recordLength, time, sequence, rolled-over flag, gtrid length
PAYLOAD = struct.Struct(">6siiqqbB")
SHORT = struct.Struct(">h")
#: A payload without gtrid and names.
MIN_PAYLOAD = PAYLOAD.size + SHORT.size
#: Status -> what its payload begins with; nobody reads it.
TAGS = {status: tag.encode("ascii") for status, tag in LAYOUT.column("tag").items()}
UNKNOWN_TAG = b"<unkn>"
#: UNKNOWN does not finish a transaction here, unlike in the disk journal.
FINISHED = frozenset({STATUS_CODES["COMMITTED"], STATUS_CODES["ROLLEDBACK"]})


class NioHeader(NamedTuple):
    """The two delimiters of a file: that of the lap before, and that of this lap."""

    previous: bytes
    current: bytes


class NioRecord(NamedTuple):
    """One valid frame and its payload; its fields as observed, without what is about places."""

    off: int
    end: int
    status: int
    record_length: int
    time: int
    sequence_number: int
    rolled_over: bool
    crc32: int
    delimiter: bytes
    gtrid: bytes
    names: tuple[bytes, ...]
    padding: int = 0


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
    return LAYOUT.build("header", "nio", previous_delimiter=header.previous, current_delimiter=header.current)


def decode_frame(data: Any, off: int, header: NioHeader) -> NioRecord | Fault:
    """Return the frame of `data` at `off`, where FRAME_START stands; never raises.

    `data` ends where the file does, or not before MAX_FRAME bytes from `off` on. For
    the search a frame that is not valid ends where it says, or just behind its start.
    """
    size = len(data)
    resume = off + len(FRAME_START)
    if off + FRAME_HEAD.size > size:
        return Fault(off, "truncated", True, size, "the file ends inside a frame header")
    _, delimiter, length, crc, middle = FRAME_HEAD.unpack_from(data, off)
    if delimiter not in header:
        return Fault(off, "foreign-delimiter", False, resume, f"delimiter {delimiter.hex()}")
    if not 0 <= length <= MAX_PAYLOAD:
        return Fault(off, "bad-length", False, resume, f"payload length {length}")
    if middle != FRAME_MIDDLE:
        return Fault(off, "bad-frame", False, resume, "no ']['  behind the checksum")
    at = off + FRAME_HEAD.size
    end = at + length + FRAME_TAIL.size
    if end > size:
        return Fault(off, "truncated", True, size, f"payload length {length} reaches beyond the file")
    end_mark, trailer = FRAME_TAIL.unpack_from(data, at + length)
    if end_mark != FRAME_END or trailer != delimiter:
        return Fault(off, "bad-frame", False, resume, "the trailer does not repeat the delimiter")
    computed = zlib.crc32(data[at : at + length])
    if computed != crc:
        return Fault(off, "bad-checksum", True, end, f"stored 0x{crc:08x}, computed 0x{computed:08x}")
    found = _decode_payload(data, at, length)
    if isinstance(found, str):
        return Fault(off, "malformed", True, end, found)
    return found._replace(off=off, end=end, delimiter=delimiter, crc32=crc)


def _decode_payload(data: Any, at: int, length: int) -> NioRecord | str:
    """Return what a payload says (its frame left out), or what is wrong with it."""
    end = at + length
    if length < MIN_PAYLOAD:
        return f"payload of {length} bytes"
    _, status, stored, time, sequence, rolled, gtrid_length = PAYLOAD.unpack_from(data, at)
    names_at = at + PAYLOAD.size + gtrid_length
    if names_at + SHORT.size > end:
        return f"gtrid of {gtrid_length} bytes"
    (count,) = SHORT.unpack_from(data, names_at)
    if count < 0:
        return f"{count} names"
    names: list[bytes] = []
    here = names_at + SHORT.size
    for _ in range(count):
        if here + SHORT.size > end:
            return f"{count} names do not fit"
        (size,) = SHORT.unpack_from(data, here)
        here += SHORT.size
        if size < 0 or here + size > end:
            return f"a name of {size} bytes"
        names.append(bytes(data[here : here + size]))
        here += size
    gtrid = bytes(data[at + PAYLOAD.size : names_at])
    return NioRecord(
        0, 0, status, stored, time, sequence, rolled == 1, 0, b"", gtrid, tuple(names), end - here
    )


def encode_frame(record: NioRecord) -> bytes:
    """Return the bytes of a frame: payload padded as the record says, checksum computed."""
    status, length, time, sequence = record.status, record.record_length, record.time, record.sequence_number
    rolled, gtrid = int(record.rolled_over), record.gtrid
    payload = PAYLOAD.pack(TAGS.get(status, UNKNOWN_TAG), status, length, time, sequence, rolled, len(gtrid))
    payload += gtrid + SHORT.pack(len(record.names))
    payload += b"".join(SHORT.pack(len(name)) + name for name in record.names) + bytes(record.padding)
    head = FRAME_HEAD.pack(FRAME_START, record.delimiter, len(payload), zlib.crc32(payload), FRAME_MIDDLE)
    return head + payload + FRAME_TAIL.pack(FRAME_END, record.delimiter)


def looks_like_nio(data: Any) -> bool:
    """Tell whether a file begins as such a journal does."""
    return bytes(data[: len(BANNER)]) == BANNER


@dataclass(frozen=True, slots=True)
class NioScan:
    """The valid frames in file order, the damaged regions, and the insert position."""

    header: NioHeader
    records: tuple[NioRecord, ...]
    faults: tuple[Fault, ...]
    insert: int


def scan(data: Any, header: NioHeader) -> NioScan:
    """Return what stands in the file behind the header.

    Every frame start is looked at once, and costs at most one frame's length
    (64 KiB), so that the time is linear in the file's length.
    """
    window = Window(data)
    records: list[NioRecord] = []
    broken: list[Fault] = []
    at = HEADER_SIZE
    for off in window.find(re.compile(re.escape(FRAME_START)), HEADER_SIZE, window.limit, len(FRAME_START)):
        if off < at:
            continue
        item = decode_frame(window.reach(off, off + MAX_FRAME), off, header)
        if isinstance(item, NioRecord):
            records.append(item)
            at = item.end
        else:
            why = window.why(off, max(item.end, off + FRAME_HEAD.size))
            item = item._replace(reason=UNREADABLE, framed=False, detail=why) if why else item
            broken.append(item)
    insert = max(
        (record.end for record in records if record.delimiter == header.current), default=HEADER_SIZE
    )
    return NioScan(header, tuple(records), tuple(_damage(data, records, broken, insert)), insert)


def _damage(data: Any, records: list[NioRecord], broken: list[Fault], insert: int) -> list[Fault]:
    """Return the regions that should have been frames: gaps in this lap, broken frames behind it."""
    faults: list[Fault] = []
    at = HEADER_SIZE
    behind = iter(broken)
    fault = next(behind, None)
    for start, end in [*((record.off, record.end) for record in records), (len(data), len(data))]:
        inside = []
        while fault is not None and fault.off < start:
            inside.append(fault)
            fault = next(behind, None)
        if at < insert and start > at:
            reason = inside[0].reason if inside and inside[0].off == at else "bad-frame"
            detail = inside[0].detail if inside else "no frame starts here"
            faults.append(Fault(at, reason, False, min(start, insert), detail))
        elif at >= insert:
            reach = at
            for item in inside:
                # A frame start within what is dropped already is no region of its own.
                if item.off >= reach:
                    reach = min(item.end, start) if item.framed else start
                    faults.append(item._replace(end=reach))
        at = end
    return faults
