"""The experimental NIO journal (BTM-NIO): two laps in one file, found by search, told apart by delimiter.

There is no tail pointer. The insert position is the end of the last valid
frame of the current delimiter; behind it stand what is left of the lap before
(its first frame usually cut) and fill, neither of which is damage.
"""

from __future__ import annotations

import re
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from journalspec.observation import CLEAN, RECOVERED, At, FileMap, Note, Observation, Record, refused
from journalspec_reference.api import Files, Params
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES, STATUS_NAMES, Fault
from journalspec_reference.bitronix_tlog.recover import dropped_of, outcome, refused_at
from journalspec_reference.content import UNREADABLE, Window

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
#: Status -> what its payload begins with; nobody reads it.
TAGS = {
    status: f"{status}-{short}:".encode("ascii")
    for status, short in enumerate(("ACT", "MRB", "PRE", "CTD", "RBA", "UKN", "NTX", "PRI", "COM", "ROL"))
}
UNKNOWN_TAG = b"<unkn>"
#: UNKNOWN does not finish a transaction here, unlike in the disk journal.
FINISHED = frozenset({STATUS_CODES["COMMITTED"], STATUS_CODES["ROLLEDBACK"]})


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
        0, 0, b"", 0, status, stored, time, sequence, rolled == 1, gtrid, tuple(names), end - here
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
            at = max(at, off + 1)
    insert = max(
        (record.end for record in records if record.delimiter == header.current), default=HEADER_SIZE
    )
    return NioScan(header, tuple(records), tuple(_damage(data, records, broken, insert)), insert)


def _damage(data: Any, records: list[NioRecord], broken: list[Fault], insert: int) -> list[Fault]:
    """Return the regions that should have been frames: gaps in this lap, broken frames behind it."""
    starts = [record.off for record in records]
    faults: list[Fault] = []
    at = HEADER_SIZE
    behind = iter(broken)
    fault = next(behind, None)
    for start, end in [*((record.off, record.end) for record in records), (len(data), len(data))]:
        gap_end = start if start <= insert else len(data)
        inside = []
        while fault is not None and fault.off < start:
            inside.append(fault)
            fault = next(behind, None)
        if at < insert and start > at:
            reason = inside[0].reason if inside and inside[0].off == at else "bad-frame"
            detail = inside[0].detail if inside else "no frame starts here"
            faults.append(Fault(at, reason, False, min(gap_end, insert), detail))
        elif at >= insert:
            reach = at
            for item in inside:
                # A frame start within what is dropped already is no region of its own.
                if item.off >= reach:
                    reach = min(_next_start(starts, item, len(data)), start)
                    faults.append(item._replace(end=reach))
        at = end
    return faults


def _next_start(starts: list[int], item: Fault, size: int) -> int:
    """Return where the region of a broken frame ends: its own end if known, else the next frame."""
    if item.framed:
        return item.end
    after = bisect_right(starts, item.off)
    return starts[after] if after < len(starts) else size


def name_text(name: bytes) -> str:
    """Return a name as text: this journal does not say in which encoding."""
    return name.decode("latin-1")


def record_of(item: NioRecord, file: str) -> Record:
    """Return `item` under the spec's field names."""
    fields: dict[str, object] = {
        "status": item.status,
        "record_length": item.record_length,
        "time": item.time,
        "sequence_number": item.sequence_number,
        "rolled_over": item.rolled_over,
        "crc32": item.crc32,
        "delimiter": item.delimiter,
        "gtrid": item.gtrid,
        "names": [name_text(name) for name in item.names],
    }
    return Record(item.type, fields, At(file, item.off, item.end - item.off))


def _in_order(found: NioScan) -> Iterator[NioRecord]:
    """Yield the records in the order of writing: the lap before first, then this lap (BTM-NIO)."""
    current = found.header.current
    yield from (record for record in found.records if record.delimiter != current)
    yield from (record for record in found.records if record.delimiter == current)


def recover(files: Files, policy: str, _: Params) -> Observation:
    """Return the logical state of the one file under `policy`."""
    if not files:
        return refused("fileset", "no-files", "there is no journal file")
    if len(files) > 1:
        return refused("fileset", "too-many-files", f"one file is a journal here, these are {len(files)}")
    name, data = next(iter(files.items()))
    header = decode_header(data)
    if not isinstance(header, NioHeader):
        return refused("header", header[0], f"{name}: {header[1]}", At(name, 0, len(data)))
    found = scan(data, header)
    if found.faults and policy == "strict":
        return refused_at(found.faults[0], name, "frame")
    delimiters = {"previous_delimiter": header.previous, "current_delimiter": header.current}
    return Observation(
        RECOVERED if found.faults else CLEAN,
        records=tuple(record_of(item, name) for item in found.records),
        dropped=tuple(dropped_of(fault, name) for fault in found.faults),
        state=outcome(_in_order(found), name, FINISHED, name_text),
        files=(FileMap(name, len(data), "active", delimiters),),
        notes=tuple(Note("rolled-over-padding", name, item.off) for item in found.records if item.padding),
    )
