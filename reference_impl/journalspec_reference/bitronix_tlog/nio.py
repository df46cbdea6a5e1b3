"""The experimental NIO journal (BTM-NIO): one file with two generations, which differ by their delimiters.

There is no tail pointer. The insert position is the end of the last valid frame with the current delimiter.
After it, the remains of the previous generation and fill are stored. The first frame of the remains is
usually truncated. Neither is damage.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import At, Note, Observation, Record
from journalspec_reference.batches import MOST_ODD, STRETCH, Batch, Source, Stretch, late_columns, source_of
from journalspec_reference.bitronix_tlog.codec import BANNER, STATUS_CODES
from journalspec_reference.bitronix_tlog.scan import OTHER, TYPES
from journalspec_reference.content import UNREADABLE
from journalspec_reference.value_cache import ValueCache

_HEADER = LAYOUT.structure("header", "nio")
#: The bytes after the delimiters, and their offset.
SEPARATOR, SEPARATOR_AT = _HEADER.fields[-1].constant, _HEADER.off("separator")
HEADER_USED, UUID_SIZE = _HEADER.size, _HEADER.fields[1].width
_HEADER_FIELDS = _HEADER.packed()
#: Frames start at this offset. The bytes before it are reserved.
HEADER_SIZE = 1024

FRAME_START, FRAME_MIDDLE, FRAME_END = b"\r\nLR[", b"][", b"]-"
FRAME_HEAD = struct.Struct(">5s16siI2s")
FRAME_TAIL = struct.Struct(">2s16s")
MAX_GTRID, MAX_PAYLOAD = 0xFF, 65536

#: tag, status, recordLength, time, sequence, rolled-over flag, gtrid length
PAYLOAD = struct.Struct(">6siiqqbB")
SHORT = struct.Struct(">h")
#: The number of bytes from the start of a frame up to and including the length of the gtrid. The gtrid
#: follows.
GTRID_LENGTH_AT = FRAME_HEAD.size + PAYLOAD.size - 1
#: The length of a payload without gtrid and names.
MIN_PAYLOAD = PAYLOAD.size + SHORT.size
#: In this journal, UNKNOWN does not finish a transaction; in the disk journal, it does.
FINISHED = frozenset({STATUS_CODES["COMMITTED"], STATUS_CODES["ROLLEDBACK"]})


class NioHeader(NamedTuple):
    """Represents the two delimiters of a file: those of the previous generation and of this generation."""

    previous: bytes
    current: bytes


def decode_header(data: Any) -> NioHeader | tuple[str, str]:
    """Return the header, or (reason, sentence) for its first fault."""
    if len(data) < HEADER_USED:
        return "short-file", f"{len(data)} bytes, the header uses {HEADER_USED}"
    banner, previous, current, separator = _HEADER_FIELDS.unpack(source_of(data).read(0, HEADER_USED))
    if banner != BANNER:
        return "bad-banner", "the banner differs"
    if separator != SEPARATOR:
        return "bad-banner", f"no separator behind the delimiters at {SEPARATOR_AT}"
    return NioHeader(previous, current)


def encode_header(header: NioHeader) -> bytes:
    """Return the 442 bytes of a header that are written."""
    return LAYOUT.build("header", "nio", previous_delimiter=header.previous, current_delimiter=header.current)


class Names:
    """Represents the decoded end of a payload, from the names on. Frames with the same bytes share one
    object.

    `stored` are the names, `texts` the set that recovery compares, `padding` the number of bytes after them.
    `problem` describes the fault; empty if there is none.
    """

    __slots__ = ("padding", "problem", "stored", "texts")

    def __init__(self, block: bytes) -> None:
        names: list[bytes] = []
        here, end = SHORT.size, len(block)
        (count,) = SHORT.unpack_from(block)
        self.problem = f"{count} names" if count < 0 else ""
        for _ in range(count):
            if here + SHORT.size > end:
                self.problem = f"{count} names do not fit"
                break
            (size,) = SHORT.unpack_from(block, here)
            here += SHORT.size
            if size < 0 or here + size > end:  # BTM-NIO-015
                self.problem = f"a name of {size} bytes"
                break
            names.append(block[here : here + size])
            here += size
        self.stored, self.padding = tuple(names), end - here
        self.texts = frozenset(map(latin_text, names))


#: The decoded names depend only on the bytes, so all scans share the results.
_NAMES = ValueCache(Names)


def latin_text(name: bytes) -> str:
    """Return a name as text. The journal does not state the encoding."""
    return name.decode("latin-1")


def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: each branch is a rule, beside its id
    source: Source, header: NioHeader, insert: int = HEADER_SIZE, *, file: str = "", stretch: int = STRETCH
) -> Iterator[Batch]:
    """Yield the valid frames after the header, the damage between them, and notes on `file`.

    Frames are found by their first bytes. In this generation, which ends at the position `insert`, all bytes
    that are not a valid frame are damage. After this generation, only bytes that begin like a frame are
    damage. Every frame start is checked once, and costs at most one frame's length (64 KiB), so that time is
    linear in the file's length.

    All frames of a batch belong to one generation. In `more`, ``current`` says whether that is this
    generation, ``names`` contains the :class:`Names` of each frame, and ``why`` describes the first damage.
    """
    size = source.size
    base, need, at = HEADER_SIZE, 0, HEADER_SIZE
    # An invalid frame start after the valid frame that ended at `at`. In this generation, it is the first
    # such start; after the generation, it is the last such start outside the previous frame.
    broken: tuple[int, int, str, str] | None = None
    while base < size:
        data = source.read(base, min(max(stretch, need), size - base))
        top, need = len(data), 0
        final = base + top >= size
        batch, here = _batch(base, data), max(0, at - base)
        while (off := data.find(FRAME_START, here)) >= 0:
            # Check framing, then checksum, then form (BTM-NIO-006). Bytes that are not a frame can still
            # contain a frame. `end` is the end of the frame, 0 if that is unknown.
            reason, why, end, payload = "", "", 0, off + FRAME_HEAD.size
            if payload > top:
                if not final:
                    need = FRAME_HEAD.size
                    break
                reason, why, end = "truncated", "the file ends inside a frame header", top
            else:
                _, delimiter, length, crc, middle = FRAME_HEAD.unpack_from(data, off)
                tail = payload + length
                stop = tail + FRAME_TAIL.size
                if delimiter not in header:  # BTM-NIO-009
                    reason, why = "foreign-delimiter", f"delimiter {delimiter.hex()}"
                elif not 0 <= length <= MAX_PAYLOAD:
                    reason, why = "bad-length", f"payload length {length}"
                elif middle != FRAME_MIDDLE:
                    reason, why = "bad-frame", "no ']['  behind the checksum"
                elif stop > top and not final:
                    need = stop - off
                    break
                elif stop > top:
                    reason, why, end = "truncated", f"payload length {length} reaches beyond the file", top
                elif FRAME_TAIL.unpack_from(data, tail) != (FRAME_END, delimiter):
                    reason, why = "bad-frame", "the trailer does not repeat the delimiter"
                else:
                    end = stop
                    computed = zlib.crc32(data[payload:tail])
                    if computed != crc:
                        reason, why = "bad-checksum", f"stored 0x{crc:08x}, computed 0x{computed:08x}"
                    elif length < MIN_PAYLOAD:
                        reason, why = "malformed", f"payload of {length} bytes"
                    else:
                        _, status, _, _, _, _, gtrid_length = PAYLOAD.unpack_from(data, payload)
                        names_at = payload + PAYLOAD.size + gtrid_length
                        if names_at + SHORT.size > tail:
                            reason, why = "malformed", f"gtrid of {gtrid_length} bytes"
                        elif (named := _NAMES[data[names_at:tail]]).problem:
                            reason, why = "malformed", named.problem
            if reason:
                if source.unreadable and (gap := source.gap(base + off, base + max(end, payload))):
                    reason, why, end = UNREADABLE, gap.why, 0
                found = base + off, base + end if end else size, reason, why
                if broken is None or (at >= insert and found[0] >= broken[1]):
                    if at >= insert:
                        _end_gap(batch, at, found[0], insert, broken)
                    broken = found
                here = off + len(FRAME_START)
            else:
                current = delimiter == header.current
                if batch.off and batch.more["current"] != current:
                    yield batch
                    batch = _batch(base, data)
                batch.more["current"] = current
                if broken is not None or at < base + off:
                    _end_gap(batch, at, base + off, insert, broken)
                broken, at, here = None, base + stop, stop
                batch.off.append(off)
                batch.end.append(stop)
                batch.code.append(status if status in TYPES else OTHER)
                batch.more["names"].append(named)
                if named.padding:  # BTM-NIO-012
                    batch.notes.append(Note("rolled-over-padding", file, base + off))
            if len(batch.damage) + len(batch.notes) >= MOST_ODD:
                yield batch
                batch = _batch(base, data)
        if batch.off or batch.damage:
            yield batch
        # The last bytes can be the beginning of a frame, so they are kept. Holes contain no frame.
        begin = max(here, top if final else top - len(FRAME_START) + 1)
        base = base + off if need else source.next_data(base + begin)
    if broken is not None or at < insert:
        batch = _batch(size, b"")
        _end_gap(batch, at, size, insert, broken)
        yield batch


def _batch(base: int, data: bytes) -> Batch:
    batch = Batch(base, data)
    batch.more = {"names": [], "current": False}
    return batch


def _end_gap(
    batch: Batch, at: int, start: int, insert: int, broken: tuple[int, int, str, str] | None
) -> None:
    """Add the damage between the valid frames that end at `at` and begin at `start` (BTM-NIO-010)."""
    first, last, reason, why = broken or (-1, start, "bad-frame", "no frame starts here")
    if at < insert and start > at:
        batch.damage.append((at, min(start, insert), reason if first == at else "bad-frame"))
    elif at >= insert and broken is not None:
        batch.damage.append((first, min(last, start), reason))
    else:
        return
    batch.more.setdefault("why", why)


_FIELDS = (
    *("status", "record_length", "time", "sequence_number", "rolled_over"),
    *("crc32", "delimiter", "gtrid", "names"),
)


def told(file: str, batch: Batch) -> Iterator[Record]:
    """Yield the frames of a batch under the spec's field names."""
    data = batch.data
    for off, end, code, named in zip(batch.off, batch.end, batch.code, batch.more["names"], strict=True):
        _, delimiter, _, crc, _ = FRAME_HEAD.unpack_from(data, off)
        _, *fixed, rolled, size = PAYLOAD.unpack_from(data, off + FRAME_HEAD.size)
        at = off + GTRID_LENGTH_AT + 1
        names = [*map(latin_text, named.stored)]
        values = *fixed, rolled == 1, crc, delimiter, data[at : at + size], names
        yield Record(
            TYPES[code], dict(zip(_FIELDS, values, strict=True)), At(file, batch.base + off, end - off)
        )


def as_written(seen: Observation) -> Iterator[Record]:
    """Yield the records of an answer in the order of recovery (BTM-RDR-008, BTM-NIO-009).

    A file of this journal contains this generation before the rest of the previous one.
    """
    current = seen.files[0].header.get("current_delimiter") if seen.files else None
    if current is None:
        yield from seen.records
        return
    for wanted in (False, True):
        yield from (each for each in seen.records if (each.fields["delimiter"] == current) is wanted)


_COLUMNS = late_columns(__package__, "nio")


def laps(file: str, source: Source, header: NioHeader, insert: int = 0) -> Stretch:
    """Return both generations of a file.

    This generation ends at `insert`; by default, at the end of its last frame.
    """
    both = partial(scan, source, header, insert or insert_of(source, header), file=file)
    return Stretch(file, both, partial(told, file), _COLUMNS)


def insert_of(source: Source, header: NioHeader, *, stretch: int = STRETCH) -> int:
    """Return the insert position. It is the end of the last frame of this generation (BTM-NIO-010)."""
    own = (batch for batch in scan(source, header, stretch=stretch) if batch.more["current"])
    return max((batch.base + batch.end[-1] for batch in own), default=HEADER_SIZE)
