"""The experimental NIO journal (BTM-NIO): two laps in one file, found by search, told apart by delimiter.

There is no tail pointer. The insert position is the end of the last valid
frame of the current delimiter; behind it stand what is left of the lap before
(its first frame usually cut) and fill, neither of which is damage.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import At, Note, Record
from journalspec_reference.batches import MOST_ODD, STRETCH, Batch, Source, Stretch, late_columns
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES, STATUS_NAMES, remembered
from journalspec_reference.bitronix_tlog.scan import OTHER, TYPES
from journalspec_reference.content import UNREADABLE

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
#: From the start of a frame to the length of the gtrid, which follows.
GTRID_LENGTH_AT = FRAME_HEAD.size + PAYLOAD.size - 1
#: A payload without gtrid and names.
MIN_PAYLOAD = PAYLOAD.size + SHORT.size
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


class Names:
    """What the part of a payload from its names on means. Frames that store the same bytes share one.

    `stored` are the names, `texts` the set that recovery compares, `padding` the number of bytes behind them.
    `problem` says what is wrong with it; empty: nothing.
    """

    __slots__ = ("padding", "problem", "stored", "texts")

    def __init__(self, block: bytes) -> None:
        self.problem = ""
        names: list[bytes] = []
        (count,) = SHORT.unpack_from(block)
        if count < 0:
            self.problem = f"{count} names"
        here, end = SHORT.size, len(block)
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


#: What they mean depends on nothing but their bytes: all scans share what they found.
_KNOWN: dict[bytes, Names] = {}


def latin_text(name: bytes) -> str:
    """Return a name as text: the journal does not say in which encoding it is."""
    return name.decode("latin-1")


def encode_frame(record: NioRecord) -> bytes:
    """Return the bytes of a frame: payload padded as the record says, checksum computed."""
    names, padding = [{"name": name} for name in record.names], bytes(record.padding)
    own = {name: value for name, value in record._asdict().items() if name not in ("off", "end", "crc32")}
    return LAYOUT.build("record", "nio", **{**own, "names": names, "padding": padding})


def looks_like_nio(data: Any) -> bool:
    """Tell whether a file begins as such a journal does."""
    return bytes(data[: len(BANNER)]) == BANNER


def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: each branch is a rule, beside its id
    source: Source, header: NioHeader, insert: int = HEADER_SIZE, *, file: str = "", stretch: int = STRETCH
) -> Iterator[Batch]:
    """Yield the valid frames behind the header, the damage between them, and notes on `file`.

    Frames are found by how they begin. What is no valid frame is damage in this lap, which ends at the
    position `insert`; behind it only what begins as a frame is. Every frame start is looked at once, and
    costs at most one frame's length (64 KiB), so that time is linear in the file's length.

    The frames of a batch are all of one lap: of this one, if it is `current` in `more`, which has the
    :class:`Names` of each as ``names`` and the first damage in words as ``why``.
    """
    size = source.size
    base, need, at = HEADER_SIZE, 0, HEADER_SIZE
    # Since the valid frame that ended at `at`: in this lap the first frame start that is none, behind it the
    # last one that is not within the extent of the one before.
    broken: tuple[int, int, str, str] | None = None
    while base < size:
        data = source.read(base, min(max(stretch, need), size - base))
        top, need = len(data), 0
        final = base + top >= size
        batch = _batch(base, data)
        here = max(0, at - base)
        while (off := data.find(FRAME_START, here)) >= 0:
            # Framing, then checksum, then form (BTM-NIO-006); what is no frame may hold one.
            reason, why, end, framed, payload = "", "", off + len(FRAME_START), False, off + FRAME_HEAD.size
            if payload > top:
                if not final:
                    need = FRAME_HEAD.size
                    break
                reason, why, end, framed = "truncated", "the file ends inside a frame header", top, True
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
                    reason, why = "truncated", f"payload length {length} reaches beyond the file"
                    end, framed = top, True
                elif FRAME_TAIL.unpack_from(data, tail) != (FRAME_END, delimiter):
                    reason, why = "bad-frame", "the trailer does not repeat the delimiter"
                else:
                    end, framed = stop, True
                    computed = zlib.crc32(data[payload:tail])
                    if computed != crc:
                        reason, why = "bad-checksum", f"stored 0x{crc:08x}, computed 0x{computed:08x}"
                    elif length < MIN_PAYLOAD:
                        reason, why = "malformed", f"payload of {length} bytes"
                    else:
                        _, status, *_, gtrid_length = PAYLOAD.unpack_from(data, payload)
                        names_at = payload + PAYLOAD.size + gtrid_length
                        if names_at + SHORT.size > tail:
                            reason, why = "malformed", f"gtrid of {gtrid_length} bytes"
                        elif (named := remembered(_KNOWN, data[names_at:tail], Names)).problem:
                            reason, why = "malformed", named.problem
            if reason:
                if source.unreadable and (gap := source.gap(base + off, base + max(end, payload))):
                    reason, why, framed = UNREADABLE, gap.why, False
                start, end = base + off, base + end if framed else size
                if at < insert:
                    broken = broken or (start, end, reason, why)
                elif broken is None or start >= broken[1]:
                    _end_gap(batch, at, start, insert, broken)
                    broken = start, end, reason, why
                here = off + len(FRAME_START)
            else:
                current = delimiter == header.current
                if batch.off and batch.more["current"] != current:
                    yield batch
                    batch = _batch(base, data)
                batch.more["current"] = current
                _end_gap(batch, at, base + off, insert, broken)
                broken, at, here = None, base + stop, stop
                batch.off.append(off)
                batch.end.append(stop)
                batch.code.append(status if status in STATUS_NAMES else OTHER)
                batch.more["names"].append(named)
                if named.padding:  # BTM-NIO-012
                    batch.notes.append(Note("rolled-over-padding", file, base + off))
            if len(batch.damage) + len(batch.notes) >= MOST_ODD:
                yield batch
                batch = _batch(base, data)
        if batch.off or batch.damage:
            yield batch
        # The last bytes may be the beginning of a frame, and holes hold none.
        begin = max(here, top if final else top - len(FRAME_START) + 1)
        base = base + off if need else source.next_data(base + begin)
    batch = _batch(size, b"")
    _end_gap(batch, at, size, insert, broken)
    if batch.damage:
        yield batch


def _batch(base: int, data: bytes) -> Batch:
    batch = Batch(base, data)
    batch.more.update(names=[], current=False)
    return batch


def _end_gap(
    batch: Batch, at: int, start: int, insert: int, broken: tuple[int, int, str, str] | None
) -> None:
    """Tell what is lost between the valid frames that end at `at` and begin at `start` (BTM-NIO-010)."""
    if at < insert and start > at:
        end, reason, why = min(start, insert), "bad-frame", "no frame starts here"
        if broken is not None:
            why = broken[3]
            reason = broken[2] if broken[0] == at else reason
    elif at >= insert and broken is not None:
        at, end, reason, why = broken[0], min(broken[1], start), broken[2], broken[3]
    else:
        return
    batch.damage.append((at, end, reason))
    batch.more.setdefault("why", why)


def records(batch: Batch) -> Iterator[NioRecord]:
    """Yield the frames of a batch as objects."""
    data = batch.data
    for off, end, named in zip(batch.off, batch.end, batch.more["names"], strict=True):
        _, delimiter, _, crc, _ = FRAME_HEAD.unpack_from(data, off)
        payload = off + FRAME_HEAD.size
        _, status, stored, time, sequence, rolled, size = PAYLOAD.unpack_from(data, payload)
        at = payload + PAYLOAD.size
        yield NioRecord(
            batch.base + off, batch.base + end, status, stored, time, sequence, rolled == 1, crc, delimiter,
            data[at : at + size], named.stored, named.padding,
        )  # fmt: skip


def told(file: str, batch: Batch) -> Iterator[Record]:
    """Yield the frames of a batch under the spec's field names; where one stands is told apart."""
    for item, code in zip(records(batch), batch.code, strict=True):
        fields: dict[str, object] = item._asdict()
        del fields["off"], fields["end"], fields["padding"]
        fields["names"] = [*map(latin_text, item.names)]
        yield Record(TYPES[code], fields, At(file, item.off, item.end - item.off))


def laps(file: str, source: Source, header: NioHeader, insert: int) -> Stretch:
    """Return both laps of a file, of which this one ends at `insert`."""
    both = partial(scan, source, header, insert, file=file)
    return Stretch(file, both, partial(told, file), late_columns(__package__, "nio"))


def insert_of(source: Source, header: NioHeader, *, stretch: int = STRETCH) -> int:
    """Return the insert position: where the last frame of this lap ends (BTM-NIO-010)."""
    insert = HEADER_SIZE
    for batch in scan(source, header, stretch=stretch):
        if batch.more["current"]:
            insert = batch.base + batch.end[-1]
    return insert
