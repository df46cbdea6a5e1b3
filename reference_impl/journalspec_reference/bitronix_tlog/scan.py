"""Converts bytes to batches. One loop finds the records of a log, checks each record, and reports damage.

A record with a fault inside a known frame is skipped; any other fault ends the log, because nothing says
where the next record would start (BTM-RDR-005, BTM-RDR-006). The search of the omitted part of the log is a
forensic function with a bound of its own.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any
from zlib import crc32

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import At, Note, Record
from journalspec.reread import Changed
from journalspec_reference.batches import MOST_ODD, STRETCH, Batch, Memory, Source
from journalspec_reference.bitronix_tlog import codec
from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    END_RECORD,
    INT,
    LONG,
    PAYLOAD_AT,
    SEED,
    TIME_AT,
    UNCOUNTED,
)
from journalspec_reference.content import UNREADABLE

#: A record's type in a batch is its status; OTHER represents all statuses without a name (BTM-REC-022).
OTHER = 0xFF
TYPES = {**codec.STATUS_NAMES, OTHER: "OTHER"}
#: Maps a status below 256 to the number of its type.
_CODES = bytes(status if status in TYPES else OTHER for status in range(256))
COMMITTING = codec.STATUS_CODES["COMMITTING"]
#: The sequence numbers of the first record after a start of BTM: 0 up to BTM 2.1.2, 1 in later versions.
FIRST_OF_A_RUN = (0, 1)
#: The names of the fixed fields of a record, up to the checksum.
_FIXED = LAYOUT.structure("record", "2.1").names[:6]
#: The layout of the fixed fields, with an unsigned length. A negative length then extends beyond any stretch.
UNSIGNED = struct.Struct(codec.FIXED.format.replace("ii", "iI", 1))
#: Zeros after the tail, so that the fixed fields can be unpacked at each offset.
_PADDING, _HEAD = bytes(UNSIGNED.size), UNSIGNED.unpack_from
#: The layout of only three fields: the status, the length, and the length of the gtrid.
_BRIEF = struct.Struct(f">iI{PAYLOAD_AT - 2 * INT.size}xB").unpack_from
#: The reason of the region after a record whose length is unreadable.
UNREACHED = "unreached"
#: The search reads less at a time than a scan, because most candidates are not records.
SEARCH_STRETCH = 4096
#: On average, the search may read each byte of its region this often (BTM-RDR-007).
SEARCH_BUDGET = 8


def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: each branch is a rule, beside its id
    source: Source,
    start: int,
    limit: int,
    framing: codec.Framing = DISK,
    file: str = "",
    *,
    only_usual: bool = False,
    stretch: int = STRETCH,
) -> Iterator[Batch]:
    """Yield the records from `start` to the tail `limit`, the damage between them, and notes on `file`.

    Each record starts where the previous one ends, and the last one ends at the tail (BTM-RDR-001). Each step
    advances by at least the length of a record, so that time is linear in `limit` for all input
    (BTM-RDR-007). With `only_usual`, the first damage or unusual headerLength ends the scan without a report.

    In `more` of a batch, ``names`` contains the :class:`.Names` of each record, and ``why`` describes the
    first damage. ``moved`` maps the offset of a seed record with an extension to the length of that
    extension.
    """
    head, head_size, usual = _HEAD, len(_PADDING), framing.header_length
    fixed, uncounted, resumes, least = codec.CRC_AT, UNCOUNTED, codec.CRC_RESUMES_AT, codec.MIN_RECORD_LENGTH
    known: Callable[[bytes], Any] = codec.PLAIN_NAMES.get
    most, crc = codec.MAX_GTRID, crc32
    # The smallest time and sequence number of the run so far; numbers up to `watch` are compared with them.
    begun, oldest, lowest, watch = False, 1 << 63, 1 << 31, 1 << 31
    # A scan ends at the end of the file at the latest, whatever tail its caller passes.
    limit = min(limit, source.size)
    base, need, over = start, 0, False
    while base < limit and not over:
        room = limit - base
        data = source.read(base, min(max(stretch, need) + head_size, room))
        batch, final, at, need = Batch(base, data), len(data) == room, 0, 0
        names: list[codec.Names] = []
        batch.more["names"] = names
        # A record's fixed fields can be unpacked if it begins at or before `top`. Zeros replace the bytes
        # after the tail, because zeros contain no end marker.
        data, top = (data + _PADDING, room) if final else (data, len(data) - head_size)
        edge = top
        # If bytes of the stretch are unreadable, no record may take the fast path. All checks are made.
        most_gtrid = -1 if source.unreadable and source.gap(base, base + top) else most
        add, add_code, add_names = batch.off.append, batch.code.append, names.append
        while at < edge:
            status, length, header_length, time, sequence, stored, size = head(data, at)
            stop = at + uncounted + length
            rest = at + resumes
            named = known(data[rest + size : stop])
            # Almost all records skip this branch, because they would pass all its checks.
            if (
                named is None
                or crc(data[rest:stop], crc(data[at : at + fixed])) != stored
                or header_length != usual
                or size > most_gtrid
                or stop > top
            ):
                if len(batch.damage) + len(batch.notes) >= MOST_ODD:
                    break
                (length,) = INT.unpack_from(data, at + UNCOUNTED - INT.size)
                stop = at + UNCOUNTED + length
                # Framing, then form, then checksum: this order decides which reason is reported
                # (BTM-RDR-004).
                reason, framed, shift, end = "", False, 0, room
                if at + UNCOUNTED > room:  # BTM-RDR-003
                    reason, why = "out-of-bounds", f"{room - at} bytes left before the tail"
                elif length < least:  # BTM-REC-005
                    reason, why = "bad-length", f"recordLength {length} is below {least}"
                elif stop > room:  # BTM-RDR-003
                    reason, why = "out-of-bounds", f"recordLength {length} reaches beyond the tail at {limit}"
                elif (mark := data[stop - 4 : stop]) != END_RECORD and (
                    final or (mark := source.read(base + stop - 4, 4)) != END_RECORD
                ):  # BTM-REC-010
                    reason, why = "no-end-marker", f"0x{mark.hex()} where the end marker belongs"
                elif stop > top:
                    # There is an end marker, so the complete record is loaded. It can be as long as 2 GiB
                    # (BTM-REC-028).
                    need = stop - at
                    break
                else:
                    framed, end = True, stop
                    if framing.counted_from is not None:
                        # The seed locates the payload by headerLength; an extension precedes the payload.
                        shift = framing.counted_from + header_length - PAYLOAD_AT
                    payload = at + PAYLOAD_AT + shift
                    inside = 0 <= shift <= length - least
                    gtrid_length = data[payload] if inside else 0
                    names_at = payload + 1 + gtrid_length
                    if not inside:
                        reason = "malformed"
                        why = f"headerLength {header_length} puts the payload outside the record"
                    elif gtrid_length > most or names_at + 8 > stop:  # BTM-REC-014
                        reason, why = "malformed", f"gtridLength {gtrid_length}"
                    elif (
                        named := codec.NAMES[block := data[names_at : stop - 4]]
                    ).stored is None:  # BTM-REC-004
                        reason, why = "malformed", str(codec.split_names(block, base + names_at))
                    else:
                        # The checksum covers both lengths as stored (BTM-CRC-006), and the names as a set.
                        summed = crc(data[at + PAYLOAD_AT : payload], crc(data[at : at + fixed]))
                        summed = crc(data[at + shift + resumes : names_at], summed)
                        summed = crc(named.summed + END_RECORD, summed)
                        if summed != stored:  # BTM-CRC-007
                            reason, why = "bad-checksum", f"stored 0x{stored:08x}, computed 0x{summed:08x}"
                if source.unreadable and at + UNCOUNTED <= room:
                    # These zeros replaced unreadable bytes, so they are no evidence.
                    if gap := source.gap(base + at + UNCOUNTED - 4, base + at + UNCOUNTED):
                        # The length is unreadable, so the offset of the next record is unknown.
                        reason, why, framed, last = UNREADABLE, gap.why, False, gap.end
                        while last < limit and source.read(last, 1) and (gap := source.gap(last - 1, last)):
                            if gap.end == last:
                                break
                            last = gap.end
                        end = min(last, limit) - base
                    elif (framed or reason == "no-end-marker") and (
                        # A readable wrong end marker still contradicts the length; an unreadable one does
                        # not.
                        gap := source.gap(base + (at if framed else stop - 4), base + stop)
                    ):
                        reason, why, framed, end = UNREADABLE, gap.why, True, stop
                if only_usual and (reason or header_length != usual):
                    over = True
                    break
                if reason:
                    batch.more.setdefault("why", why)
                    batch.damage.append((base + at, base + end, reason))
                    _close(batch, at)
                    over = not framed
                    if over and end < room:
                        batch.damage.append((base + end, limit, UNREACHED))
                    at = end
                    if over:
                        break
                    continue
                if header_length != usual:  # BTM-REC-008
                    text = f"headerLength {header_length}"
                    batch.notes.append(Note("header-length", file, base + at, text))
                batch.notes += [Note(code, file, base + at) for code in named.notes]
                if shift:
                    batch.more.setdefault("moved", {})[at] = shift
                elif named.plain:
                    named = codec.PLAIN_NAMES[data[names_at:stop]]
            # COMMITTING records before a run are the copies of a swap, and older than the run.
            if (sequence <= watch or time < oldest) and (begun or status != COMMITTING):
                if not begun or sequence in FIRST_OF_A_RUN:
                    begun, oldest, lowest = True, time, sequence
                else:
                    if time < oldest and sequence < lowest:
                        # Because of concurrent threads, records can be out of order by a few places, so each
                        # record is compared with the complete run. Earlier content of a file is older than
                        # the complete run (BTM-RDR-011).
                        batch.notes.append(Note("stale-suspect", file, base + at))
                        if len(batch.damage) + len(batch.notes) >= MOST_ODD:
                            edge = top = stop  # The batch ends here.
                    oldest, lowest = min(oldest, time), min(lowest, sequence)
                watch = max(lowest, FIRST_OF_A_RUN[-1])
            add(at)
            try:
                add_code(status)
            except ValueError:
                add_code(OTHER)
            add_names(named)
            at = stop
        _close(batch, at)
        batch.code = batch.code.translate(_CODES)
        base += at
        if batch.off or batch.damage:
            yield batch


def _close(batch: Batch, at: int) -> None:
    """Set the ends of the records so far.

    Each record ends where the next one begins; the last one ends at `at`.
    """
    # Two calls for all records are cheaper than one call for each.
    batch.end.extend(batch.off[len(batch.end) + 1 :])
    if len(batch.end) < len(batch.off):
        batch.end.append(at)


#: Patterns that find candidates for records by the usual headerLength. A pattern matches the last byte of
#: headerLength, which is not zero and so never in a hole. The bytes before it, which can be in a hole, are
#: checked afterwards.
_PLACES = {
    framing: re.compile(b"%b(?<=%b)" % (re.escape(constant[-1:]), re.escape(constant)), re.DOTALL)
    for framing in (DISK, SEED)
    for constant in (INT.pack(framing.header_length),)
}
#: The distance from the start of a record to that byte.
_BACK = UNCOUNTED + INT.size - 1


def search(
    source: Source, start: int, end: int, framing: codec.Framing = DISK, file: str = ""
) -> Iterator[Batch]:
    """Yield the valid records anywhere from `start` to `end` that do not overlap (BTM-RDR-013).

    If `file` is not empty, each record gets a note. These records are evidence for people and never part of a
    result (BTM-RDR-014). Candidates are found by the usual headerLength. The work on false candidates is
    bounded by SEARCH_BUDGET times the region. Beyond that the search stops, so that crafted bytes cannot make
    it quadratic.
    """
    budget = SEARCH_BUDGET * (end - start)
    base = at = start
    while base + _BACK < end:
        data = source.read(base, min(STRETCH, end - base))
        for hit in _PLACES[framing].finditer(data, _BACK):
            off = base + hit.start() - _BACK
            if off < at:
                continue
            # Checking only the frame excludes almost every candidate, without the cost of a scan.
            (length,) = INT.unpack_from(data, off - base + UNCOUNTED - INT.size)
            stop = off + UNCOUNTED + length
            if length < codec.MIN_RECORD_LENGTH or stop > end or source.read(stop - 4, 4) != END_RECORD:
                continue
            # Records of an earlier log follow each other, so the scan continues from here.
            for batch in scan(source, off, end, framing, only_usual=True, stretch=SEARCH_STRETCH):
                batch.notes = [Note("unanchored", file, batch.base + at) for at in batch.off if file]
                yield batch
                at = batch.base + batch.end[-1]
            if at <= off:
                budget -= stop - off
                if budget < 0:
                    return
        # A record can begin just before the end of a stretch, or in the zeros of a hole.
        base = max(base + 1, at, source.next_data(min(base + len(data), end)) - _BACK)


def gtrids(batch: Batch, size_at: int = PAYLOAD_AT) -> list[bytes]:
    """Return the gtrid of each record of a batch.

    The gtrid's length is at the offset `size_at` in the record.
    """
    data, moved = batch.data, batch.more.get("moved", {})
    sizes = [at + size_at + moved.get(at, 0) for at in batch.off]
    return [data[here + 1 : here + 1 + data[here]] for here in sizes]


def rows(batches: Iterable[Batch]) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield offset, number of the type, gtrid and time of each record."""
    for batch in batches:
        data, moved = batch.data, batch.more.get("moved", {})
        for at, code in zip(batch.off, batch.code, strict=True):
            here = at + PAYLOAD_AT + moved.get(at, 0)
            gtrid = data[here + 1 : here + 1 + data[here]]
            yield batch.base + at, code, gtrid, LONG.unpack_from(data, at + TIME_AT)[0]


def of_gtrids(
    source: Source, start: int, limit: int, wanted: Container[bytes], file: str
) -> Iterator[tuple[bytes, int, int, int]]:
    """Yield gtrid, begin, end and status of the records of some transactions.

    A scan must have checked the log from `start` to `limit`: nothing is checked again. Raises Changed if the
    records no longer end at `limit`.
    """
    base, need = start, 0
    while base < limit:
        data = source.read(base, min(max(STRETCH, need), limit - base))
        at, top = 0, len(data)
        while at + UNSIGNED.size <= top:
            status, length, size = _BRIEF(data, at)
            stop = at + UNCOUNTED + length
            if stop > top:
                break
            gtrid = data[at + PAYLOAD_AT + 1 : at + PAYLOAD_AT + 1 + size]
            if gtrid in wanted:
                yield gtrid, base + at, base + stop, status
            at = stop
        need = UNCOUNTED + length if at + UNSIGNED.size <= top else UNSIGNED.size
        if base + at + need > limit and base + at < limit:
            raise Changed(file)
        base += at


def told(file: str, batch: Batch) -> Iterator[Record]:
    """Yield the records of a batch under the spec's field names."""
    data, moved = batch.data, batch.more.get("moved", {})
    for at, end, code, named in zip(batch.off, batch.end, batch.code, batch.more["names"], strict=True):
        fields: dict[str, object] = dict(zip(_FIXED, codec.FIXED.unpack_from(data, at), strict=False))
        payload = at + PAYLOAD_AT + moved.get(at, 0)
        fields["gtrid"] = data[payload + 1 : payload + 1 + data[payload]]
        fields["names"] = [*map(codec.name_text, named.stored)]
        if at in moved:
            fields["extension"] = data[at + PAYLOAD_AT : payload]
        if "name-not-recoverable" in named.notes:
            fields["names_raw"] = [*named.stored]
        yield Record(TYPES[code], fields, At(file, batch.base + at, end - at))


def record_of(data: bytes) -> Record | None:
    """Return the record at the start of `data`, if it is valid."""
    batches = scan(Memory(data), 0, len(data))
    return next((record for batch in batches for record in told("", batch) if not record.at.off), None)
