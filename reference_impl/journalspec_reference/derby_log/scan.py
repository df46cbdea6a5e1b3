"""Scans a log file for its records and its end (DRB-END), and for complete records and groups after the end.

:func:`scan` is the only loop that finds records. It yields one batch per stretch of a file, not an object per
record. Lengths are compared with the file's length before anything is read. Every byte is summed once: if
several checksum records cover the same bytes, prefix sums are combined. Therefore the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

from journalspec_reference.batches import (
    STRETCH,
    Batch,
    Source,
    Sums,
    columns_module,
    zeros_end,
    zeros_start,
)
from journalspec_reference.content import UNREADABLE
from journalspec_reference.derby_log.bodies import MANY, coverage
from journalspec_reference.derby_log.codec import HEADER, OVERHEAD, BadLog

#: The editions without checksum records.
UNSUMMED = ("seed", "10.0")
#: Editions in which a reader ignores the header field about the end of the previous file.
UNLINKED = (*UNSUMMED, "10.1")
#: The code of checksum records in a batch. All other records have code 0, and their bodies contain the
#: operation.
SUM = 1
#: A batch contains at most this many records, because each record can cause a note, and notes take memory.
MOST_ROWS = 1 << 14
#: Two layouts: a record's length and instant; a single length.
_HEAD, _LENGTH = Struct(">iq"), Struct(">i")
#: Padding after the end of a file. It is never read as a record. It is longer than the fields of any
#: operation without its data, because columns read fields before they compare the ends of fields and record.
_PAD = b"\xff" * 256
#: The bytes at the start of a checksum record's body, as all writers write it, and the layout of the covered
#: length and the sum after them.
SUM_START, _COVERS = b"\0\x81\x49\0\0\0\x01\xc5\x01", Struct(">iq")
_SUM_BODY = len(SUM_START) + _COVERS.size
#: A mask for the first byte of the group, and a limit. Only a masked value above the limit can have the group
#: bit CHECKSUM. Bodies with other values are not decoded.
FORM_AND_CHECKSUM, NEITHER = 0xC8, 0x40
#: A checksum record as writers produce it, without the first three bytes of its length.
_GROUP = rb"\x15(?<=\0\0\0\x15)%b[\0-\x7f].{3}\0\x81\x49\0\0\0\x01\xc5\x01[\0-\x7f].{3}\0\0\0\0.{4}\0\0\0\x15"
#: The size of a checksum record. A writer puts this record before the bytes that it covers (DRB-CHK-037).
SUM_SIZE = 37
#: The number of bytes that are read to examine one record.
FEW = 1 << 12


class End(NamedTuple):
    """The end of a file's records.

    An empty `reason` means that the end is regular. `marked` means that a length of 0 ends the records.
    """

    off: int
    reason: str = ""
    marked: bool = False


class Groups(NamedTuple):
    """Represents the groups after the end of the log: the position of the first group, and the number of
    groups.
    """

    first: int
    number: int


def scan(  # noqa: C901, PLR0912, PLR0915  # one loop: each branch is a rule
    source: Source,
    number: int,
    start: int = HEADER,
    limit: int | None = None,
    *,
    summed: bool = True,
    until: int | None = None,
    stretch: int = STRETCH,
) -> Iterator[Batch]:
    """Yield the records of log file `number` from `start` on. `more` of the last batch contains the ``end``.

    The file ends at `limit`. `summed` means that the file has readable checksum records. Records that begin
    at or after `until` are not read. In that case, there may be no ``end``. `more` of each batch contains
    ``sums``: the row of each checksum record, and the number of bytes that the record covers. The result is
    the same for any `stretch`.
    """
    limit = source.size if limit is None else limit
    high, digest, unreadable = number << 32, Sums(source), source.unreadable
    head, length_at = _HEAD.unpack_from, _LENGTH.unpack_from
    until = limit + 1 if until is None else until
    base, need, end = start, 0, None
    while True:
        room = limit - base
        data = source.read(base, max(0, min(max(stretch, need), room)))
        top, at, need = len(data), 0, 0
        final = top >= room
        if final:
            # In the last stretch, padding makes it possible to read the first fields of a record beyond the
            # end of the file.
            data += _PAD
        ready, edge = room if final else top - len(_PAD), min(room, until - base)
        batch = Batch(base, data)
        add, soon = batch.off.append, min(ready, edge)
        # First the lengths are followed, then all other fields are checked. NumPy checks the records of a
        # long batch together.
        for _ in range(MOST_ROWS):
            if at >= soon:
                break
            (length,) = length_at(data, at)
            if length <= 0:
                break
            add(at)
            at += length + OVERHEAD
        if at > ready and batch.off:
            at = batch.off.pop()
        batch.end = batch.off[1:]
        if batch.off:
            batch.end.append(at)
        rows: Sequence[int] = range(len(batch.off))
        sums: list[tuple[int, int]] = []
        reason, module = "", columns_module(__package__) if len(rows) >= MANY and not unreadable else None
        if module is not None:
            rows, sums = module.doubtful(batch, top, high, digest if summed else None)
        for row in rows:
            off, stop = batch.off[row], batch.end[row]
            length, instant = head(data, off)
            # The order of these checks decides which reason is reported (DRB-END-158).
            if instant != high | base + off:
                reason = "bad-instant"  # DRB-REC-016
            elif length_at(data, stop - _LENGTH.size)[0] != length:
                reason = "bad-trailer"  # DRB-REC-017
            elif unreadable and source.gap(base + off, base + stop):
                reason = UNREADABLE
            elif summed and data[off + 14] & FORM_AND_CHECKSUM > NEITHER:
                try:
                    body, covers = off + _HEAD.size, None
                    if length >= _SUM_BODY and data.startswith(SUM_START, body):
                        covers = _COVERS.unpack_from(data, body + len(SUM_START))
                    if covers is None or covers[0] < 0:
                        covers = coverage(data[body : stop - _LENGTH.size])
                    if covers is not None:
                        behind, known = base + stop + covers[0], b""
                        # Copies of overlapping ranges would take quadratic time.
                        if digest.summed <= base + stop:
                            known = data[stop : stop + covers[0]]
                        # DRB-REC-018, DRB-CHK-032
                        if behind > limit or digest(base + stop, behind, known) != covers[1]:
                            raise BadLog("a checksum is wrong", "bad-checksum")
                        sums.append((row, covers[0]))
                except BadLog as error:
                    reason = error.reason
            if reason or (unreadable and len(rows) < len(batch.off)):
                # The checksum of later bytes can have shown that some are unreadable. In that case, the next
                # records are read again, and each of them is checked here.
                at, kept = (off, row) if reason else (stop, row + 1)
                del batch.off[kept:], batch.end[kept:]
                sums = [found for found in sums if found[0] <= row]
                break
        if not reason and at < edge and len(batch.off) < MOST_ROWS:
            length, instant = head(data, at)
            stop = at + length + OVERHEAD
            if at + _LENGTH.size > room:
                reason = "truncated"
            elif length == 0:
                end = End(base + at, marked=True)  # DRB-END-040
            elif length < 0:
                reason = "bad-length"  # DRB-REC-015
            elif stop > room:
                reason = "out-of-bounds"
            elif instant != high | base + at:
                reason = "bad-instant"
            # Load a record only if its two lengths are equal, because a wrong length can be 2 GiB.
            elif _LENGTH.unpack(source.read(base + stop - _LENGTH.size, _LENGTH.size))[0] == length:
                need = stop - at + len(_PAD)
            else:
                reason = "bad-trailer"
        elif not reason and at >= room:
            end = End(base + at, "" if at == room else "truncated")
        if reason:
            # If bytes are unreadable, zeros replace them here. Such zeros are no evidence.
            if unreadable and source.gap(base + at, base + min(at + OVERHEAD, room)):
                reason = UNREADABLE
            end = End(base + at, reason)
        base += at
        sums.sort()
        batch.more["sums"], batch.code = sums, bytearray(len(batch.off))
        for row, _ in sums:
            batch.code[row] = SUM
        if end is not None:
            batch.more["end"] = end
        if batch.off or end is not None:
            yield batch
        if end is not None or base >= until:
            return


def record_at(source: Source, number: int, off: int, *, summed: bool) -> bytes | None:
    """Return the body of the record at an offset. Return None if :func:`scan` would find no record there."""
    room = source.size - off
    if off < HEADER or room < OVERHEAD:
        return None
    data = source.read(off, min(FEW, room))
    length, instant = _HEAD.unpack_from(data)
    size, end = length + OVERHEAD, off + length + OVERHEAD
    if length <= 0 or size > room or instant != number << 32 | off:
        return None
    if size > len(data):
        # A wrong length can be 2 GiB, so the second length is compared first.
        if source.read(end - _LENGTH.size, _LENGTH.size) != data[: _LENGTH.size]:
            return None
        data = source.read(off, size)
    body, again = data[_HEAD.size : size - _LENGTH.size], data[size - _LENGTH.size : size]
    if again != data[: _LENGTH.size] or (source.unreadable and source.gap(off, end)):
        return None
    with suppress(BadLog):
        covers = coverage(body) if summed else None
        if covers is None:
            return body
        behind = end + covers[0]
        return body if behind <= source.size and Sums(source)(end, behind) == covers[1] else None
    return None


def places(
    source: Source, pattern: re.Pattern[bytes], first: bytes, start: int, end: int, before: int
) -> Iterator[tuple[int, bytes, int]]:
    """Yield each offset from `start` to `end` where `pattern` matches, some bytes, and the offset of these
    bytes.

    Each match has at most :data:`SUM_SIZE` bytes and begins with the byte `first`. The bytes include the
    match and `before` bytes before it. Holes are skipped.
    """
    at = max(0, start)
    while (at := source.next_data(at)) < end:
        low = max(0, at - before)
        data = source.read(low, min(at + STRETCH + SUM_SIZE, end) - low)
        # The search for a byte takes much less time than the search for a pattern, and nearly all bytes here
        # are zeros.
        stop = data.rfind(first) + SUM_SIZE
        found = pattern.search(data, at - low, stop)
        while found is not None and low + found.start() < at + STRETCH:
            yield low + found.start(), data, low
            found = pattern.search(data, found.start() + 1, stop)
        at += STRETCH


@lru_cache(16)
def _group_of(number: int) -> re.Pattern[bytes]:
    return re.compile(_GROUP % re.escape(number.to_bytes(4, "big")), re.DOTALL)


def groups_after(source: Source, number: int, start: int) -> Groups | None:
    """Return the intact groups from `start` on, even if an instant in a group does not match the group's
    offset (DRB-END-183).

    If bytes before a group were removed, the moved group still contains its file number and a correct
    checksum.
    """
    first, count, at, digest = -1, 0, start, Sums(source)
    pattern = _group_of(number)
    # The first three bytes of the length are zeros, so the pattern begins with the fourth byte. The search
    # skips zeros.
    for place, data, low in places(source, pattern, b"\x15", start + 3, source.size, 3):
        off, end = place - 3, place - 3 + SUM_SIZE
        stood = int.from_bytes(data[off + 8 - low : off + 12 - low], "big")
        covered, value = _COVERS.unpack_from(data, off + 21 - low)
        if off < at or stood < start or end + covered > source.size:
            continue
        if covered > 0 and digest(end, end + covered) == value:
            first, count, at = (off if count == 0 else first), count + 1, end + covered
    return Groups(first, count) if count else None


@lru_cache(16)
def _stamp_of(number: int) -> tuple[bytes, re.Pattern[bytes]]:
    """Return a file's stored number without zeros at its end, and a pattern that matches its last byte."""
    # The search skips zeros, so the pattern ends with the last nonzero byte of the number.
    stamp = number.to_bytes(4, "big").rstrip(b"\0")
    return stamp, re.compile(re.escape(stamp[-1:]) + b"(?<=" + re.escape(stamp) + b")", re.DOTALL)


def search(source: Source, number: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of complete, disjoint records of file `number` between `start` and `end`.

    A record's instant must match its offset. Only for such a record is the second length read, and no other
    bytes. Therefore the search takes linear time for any content.
    """
    stamp, pattern = _stamp_of(number)
    behind, at = _LENGTH.size + len(stamp) - 1, start
    for place, data, low in places(
        source, pattern, stamp[-1:], start + behind, min(end, source.size), behind
    ):
        off = place - behind
        if off < at or off + OVERHEAD > end:
            continue
        begin = data[off - low : off - low + _HEAD.size]
        length, instant = _HEAD.unpack(begin if len(begin) == _HEAD.size else source.read(off, _HEAD.size))
        stop = off + length + OVERHEAD
        if length <= 0 or stop > end or instant != number << 32 | off:
            continue
        if _LENGTH.unpack(source.read(stop - _LENGTH.size, _LENGTH.size))[0] == length:
            yield off, stop
            at = stop


def garbage(source: Source, start: int) -> tuple[int, int] | None:
    """Return the offset of the first nonzero byte from `start` on, and the end of the last one."""
    at, first, end = start, -1, -1
    while (at := source.next_data(at)) < source.size:
        part = source.read(at, STRETCH)
        if part != bytes(len(part)):
            low, high = zeros_end(part, 0, len(part)), zeros_start(part, len(part))
            used = part[low:high]
            first = first if first >= 0 else at + high - len(used.lstrip(b"\0"))
            end = at + low + len(used.rstrip(b"\0"))
        at += len(part)
    return None if first < 0 else (first, end)
