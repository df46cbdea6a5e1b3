"""Converts bytes to columns. One loop finds the records of a file, checks each record, and reports damage
(JBM-RDR).

A record is found by its type and its file's id. A rejected candidate costs constant time, and the search
continues one byte after its start. So a scan takes linear time in the file's length for any input.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, islice, repeat
from operator import add, itemgetter, sub
from zlib import crc32

from journalspec_reference.batches import MOST_ODD, STRETCH, Batch, Source, Sums, zeros_end
from journalspec_reference.content import UNREADABLE
from journalspec_reference.jboss_journal.bodies import BodyColumns
from journalspec_reference.jboss_journal.codec import CHECK_SIZE, INT, PROLOGUE, Dialect

#: A function of bytes and an offset. It returns the offset of the next candidate from there on, negative if
#: there is none.
Finder = Callable[[bytes, int], int]
#: Maps type and stamp of a record to its minimum length, and to offset and unit of its size (0: none). Types
#: with two sizes are omitted.
Usual = Mapping[bytes, tuple[int, int, int]]
#: The reasons why a candidate is not a record, by number.
REASONS = ("truncated", "bad-size", "bad-check-size", "bad-hash", UNREADABLE)
#: A rejected candidate of unknown length is unreadable if one of its first 48 bytes is unreadable.
MOST_FIXED = 48
#: A search for a single record reads less at a time, because the record is usually near, or there is none.
SEARCH_STRETCH = 1 << 16
#: This is more than the length of the longest empty record together with the type and file id of the next
#: record.
NEED = 64
#: The check size or hash at the end of a record, then the type and file id of the next record.
NEXT = struct.Struct(">I5s")
#: The id, the size and the type of a body, which are stored directly before it.
BODY_HEAD = struct.Struct(">qiB")
#: The size is read as an unsigned number. A negative size then extends beyond any stretch.
LENGTH = struct.Struct(">I")
#: A scan sums at most this many bytes of rejected candidates one by one; after that, it uses prefix sums.
SUMMED = 8 << 20
#: The blocks of the kernel's asynchronous I/O: a sector, and the block size of common file systems (bytes).
BLOCKS = (512, 4096)
#: The bytes with which the various products fill new files.
FILLS = (b"\0", b"J")
#: Possible lengths of the header's block, which is the configured block size.
HEADER_BLOCKS = tuple(1 << bits for bits in range(9, 17))


def scan(  # noqa: C901, PLR0912, PLR0915 # one loop on purpose: a branch is a rule, beside its id
    source: Source,
    dialect: Dialect,
    stamp: int | None,
    start: int,
    limit: int,
    *,
    quiet: bool = False,
    stretch: int = STRETCH,
) -> Iterator[Batch]:
    """Yield the records with the file id `stamp` (None: any file id) from `start` to `limit`, and the damage.

    A damaged region reaches to the end that its candidate claims, or to the next record. Other candidates in
    it count as its content (JBM-RDR-017). A hole consists of bytes before a record that belong to no record,
    padding or region (JBM-RDR-024). With `quiet`, or without a stamp, no damage is reported. Records and
    damage do not depend on `stretch` (bytes).
    """
    shapes, hashed, quiet = dialect.shapes, dialect.hashed, quiet or stamp is None
    usual: Usual = {}
    if stamp is None:
        find = _of_any_file(dialect, min(limit >> 24, 0x7F))
    else:
        find, usual = _stamped(dialect, stamp)
    unpack_size = INT.unpack_from
    base, need, left, sums = start, 0, SUMMED, None
    # The end of the last record. Rejected candidates before `covered` are not reported.
    last, covered = start, 0
    # Offset, end and number of the reason of each torn candidate since the last record. There can be many.
    torn = array("q")
    while base < limit:
        # No record begins with a zero byte, so holes of a sparse file, which read as zeros, need not be read.
        if not need and (base := min(source.next_data(base), limit)) == limit:
            break
        data = source.read(base, min(max(stretch, need, 2 * NEED), limit - base))
        at, need, top, room = 0, 0, len(data), limit - base
        final, unreadable = top == room, source.unreadable
        readable = not (unreadable and source.gap(base, base + top))
        # The last possible offset of a candidate of this stretch.
        edge = top - PROLOGUE if final else top - NEED
        batch = Batch(base, data)
        add = batch.off.append
        while True:
            # A rejected candidate is summed in both functions, so `left` limits both.
            if base + at == last and readable and (left > 0 or not hashed):
                more = len(batch.off) + 1
                at = _followed(data, at, usual, hashed, add)
                if base + at > last:
                    batch.end.extend(batch.off[more:])
                    batch.end.append(at)
                    last = base + at
            # Every offset is considered; bytes that are not a type of the edition with the stamp are skipped
            # one by one (JBM-RDR-001, JBM-RDR-002, JBM-RDR-003, JBM-RDR-015).
            if (at := zeros_end(data, at, top)) > edge:
                break
            found = find(data, at)
            if not 0 <= found <= edge:
                # A longer candidate can begin between `edge` and the found one. It is found only with the
                # bytes of the next stretch.
                at = edge + 1
                break
            at = found
            least, sizes = shapes[data[at]]
            # The order of the checks decides which reason is reported (JBM-RDR-009).
            stop, reason = at + least, ""
            if stop > room:
                reason = "truncated"  # JBM-RDR-004
            else:
                for place, unit in sizes:
                    (size,) = unpack_size(data, at + place)
                    stop += unit * size
                    # No memory is allocated according to a claimed size (JBM-RDR-005, JBM-RDR-006,
                    # JBM-RDR-007, JBM-RDR-008).
                    if size < 0 or stop > room:
                        reason = "bad-size"
                        break
                else:
                    if stop <= top:
                        (check,) = unpack_size(data, stop - CHECK_SIZE)
                    else:
                        # Read only the check size at the record's end. It shows whether it is worth loading
                        # the complete record.
                        (check,) = unpack_size(source.read(base + stop - CHECK_SIZE, CHECK_SIZE))
                        unreadable = source.unreadable
                    if not hashed:
                        wanted = stop - at  # JBM-CHK-001
                    elif stop <= top and left > 0:
                        check, wanted = check & 0xFFFFFFFF, crc32(data[at : stop - CHECK_SIZE])  # JBM-CHK-004
                    else:
                        # Summing the claimed bytes of many candidates one by one would take quadratic time.
                        sums = sums or Sums(source)
                        check, wanted = check & 0xFFFFFFFF, sums(base + at, base + stop - CHECK_SIZE)
                    if check != wanted:  # JBM-CHK-002, JBM-CHK-005
                        reason = "bad-hash" if hashed else "bad-check-size"
                        left -= stop - at
                    elif stop > top and not (unreadable and source.gap(base + at, base + stop)):
                        need = stop - at + NEED
                        break
            if unreadable or reason:
                ends = reason not in ("truncated", "bad-size")
                if unreadable and source.gap(base + at, base + (stop if ends else at + MOST_FIXED)):
                    reason = UNREADABLE
                if reason:
                    # Advance by one byte only, because a record can begin inside (JBM-RDR-010, JBM-RDR-012).
                    if not quiet and base + at >= covered:
                        covered = base + stop if ends else limit
                        torn.extend((base + at, covered, REASONS.index(reason)))
                    at += 1
                    continue
            if not quiet and (torn or base + at > last):
                here = base + at
                for begin, end, why in chain(threes(torn), ((here, here, 0),)):
                    if begin > last and not _is_accounted_for(source, dialect, last, begin):
                        batch.damage.append((last, begin, "hole"))
                    last = min(end, here)
                    if last > begin:
                        batch.damage.append((begin, last, REASONS[why]))
                    if len(batch.damage) >= MOST_ODD:
                        batch.code = bytearray([data[off] for off in batch.off])
                        yield batch
                        batch = Batch(base, data)
                        add = batch.off.append
                del torn[:]
                covered = 0
            add(at)
            batch.end.append(stop)
            # The search continues after the record, so its bytes are not read again (JBM-RDR-011).
            at, last = stop, base + stop
        base += top if final else at
        batch.code = bytearray([data[off] for off in batch.off])
        yield batch
    if torn:
        # The bytes after the last record are not a hole; the regions there reach to their claimed ends.
        regions = _of_this_life(source, dialect, last, limit, torn)
        while damage := [*islice(regions, MOST_ODD)]:
            batch = Batch(limit, b"")
            batch.damage = damage
            yield batch


def _followed(
    data: bytes,
    at: int,
    usual: Usual,
    hashed: bool,
    add: Callable[[int], None],
) -> int:
    """Add the adjacent records from `at` on; return where the last of them ends.

    Almost all records are adjacent and pass every check. The scan handles other records, and those that end
    after `data`.
    """
    size_at, next_at, known = LENGTH.unpack_from, NEXT.unpack_from, usual.get
    head = data[at : at + PROLOGUE]
    try:
        while (shape := known(head)) is not None:
            least, place, unit = shape
            stop = at + least
            if place:
                (size,) = size_at(data, at + place)
                stop += unit * size
            check, head = next_at(data, stop - CHECK_SIZE)
            if check != (crc32(data[at : stop - CHECK_SIZE]) if hashed else stop - at):
                return at
            add(at)
            at = stop
    except struct.error:
        pass  # This is the end of the stretch.
    return at


@lru_cache(64)
def _lengths(dialect: Dialect) -> Sequence[tuple[bytes, tuple[int, int, int]]]:
    return [
        (bytes([code]), (least, *(sizes[0] if sizes else (0, 0))))
        for code, (least, sizes) in dialect.shapes.items()
        if len(sizes) < 2
    ]


def threes(numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers in groups of three."""
    each = iter(numbers)
    return zip(each, each, each, strict=True)


@lru_cache(256)
def _stamped(dialect: Dialect, stamp: int) -> tuple[Finder, Usual]:
    """Return a function that finds the next candidate, and the types of records that can be checked quickly.

    A candidate begins with a type and the file's stamp (JBM-REC-002).
    """
    own, kinds = stamp.to_bytes(4, "big"), dialect.kinds

    def find(data: bytes, at: int) -> int:
        # Compiling a pattern takes longer than reading a small file, and there can be 100,000 of them.
        place = data.find(own, at + 1) - 1
        if place < 0 or data[place] in kinds:
            return place
        match = _typed(dialect, own).search(data, place)
        return match.start() if match else -1

    return find, {code + own: shape for code, shape in _lengths(dialect)}


@lru_cache(256)
def _typed(dialect: Dialect, own: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[" + re.escape(bytes(sorted(dialect.kinds))) + b"]" + re.escape(own), re.DOTALL)


def _first(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    """Return the first offset of a pattern from `at` on. Return -1 if there is none."""
    found = pattern.search(data, at)
    return found.start() if found else -1


@lru_cache(64)
def _of_any_file(dialect: Dialect, most: int) -> Finder:
    """Return a function that finds the next record with any file id, and few false candidates.

    A size has at most `most` as its first byte. If the header of a record has no size, the last bytes of the
    record contain its length, unless records are hashed.
    """
    forms = []
    for kind in dialect.kinds.values():
        place, end = kind.least - CHECK_SIZE, re.escape(kind.least.to_bytes(CHECK_SIZE, "big"))
        if kind.sizes:
            (place, _), end = kind.sizes[0], b"[\0-" + re.escape(bytes([most])) + b"]"
        elif dialect.hashed:
            end = b".{4}"
        forms.append(re.escape(bytes([kind.code])) + b".{%d}" % (place - 1) + end)
    return partial(_first, re.compile(b"|".join(forms), re.DOTALL))


def _of_this_life(
    source: Source, dialect: Dialect, last: int, limit: int, torn: Iterable[int]
) -> Iterator[tuple[int, int, str]]:
    """Yield the regions after the last record that do not begin in the remains of an earlier generation.

    These remains can also contain candidates, because both file ids and lengths are small numbers.
    """
    older = (
        (batch.base + off, batch.base + end)
        for batch in scan(source, dialect, None, last, limit)
        for off, end in zip(batch.off, batch.end, strict=True)
    )
    # `off`, `stop`: the next intact record of an earlier generation. `place`: the offset where the remains of
    # an earlier record can begin. `rest`: the offset where that record began.
    off = stop = place = rest = last
    following = -1
    for begin, end, why in threes(torn):
        if begin != last and following < last:
            following = _following(source, dialect, last)
        if begin not in (last, following) and not source.gap(last, limit):
            while stop <= begin:
                place = _following(source, dialect, stop)
                off, stop = next(older, (limit, limit))
                rest = -1
            if off < begin:
                continue  # JBM-RDR-025
            if rest < 0:
                rest = _rest(source, dialect, place, off)
            if rest < place < begin:
                continue  # JBM-RDR-026, JBM-RDR-027
        yield begin, end, REASONS[why]
        last = end


def _following(source: Source, dialect: Dialect, at: int) -> int:
    """Return the offset of a possible next record. It is `at` itself, or the end of the padding there."""
    edges = [-(-at // block) * block for block in BLOCKS]
    edges += HEADER_BLOCKS if at == dialect.header_size else ()
    for edge in sorted(edges, reverse=True):
        if _is_padding(source, dialect, at, edge):
            return edge
    return at


def _rest(source: Source, dialect: Dialect, at: int, end: int) -> int:
    """Return the begin of a record whose last bytes, perhaps followed by fill, end at `end`. Return `end` if
    there is none.

    A rest ends with the length of its record. With hashes, the beginning cannot be found.
    """
    if dialect.hashed:
        return end
    top, left = end, 0
    last = source.read(end - 1, 1) if at < end else b""
    fill = last if last in FILLS else b""
    while fill and at < top and not left:
        part = source.read(max(at, top - SEARCH_STRETCH), min(top - at, SEARCH_STRETCH))
        left = len(part.rstrip(fill))
        top -= len(part) - left
    least, begins = min(kind.least for kind in dialect.kinds.values()), [end]
    # The last bytes of a length can look like fill, so both ends are tried.
    for stop in (top, end):
        (length,) = INT.unpack(source.read(stop - CHECK_SIZE, CHECK_SIZE))
        if least <= length <= stop - dialect.header_size:
            begins.append(stop - length)
    return min(begins)


def _is_accounted_for(source: Source, dialect: Dialect, at: int, off: int) -> bool:
    """Return whether the bytes from `at` to `off` are padding, or hold a record of an earlier generation.

    If there is such a record, no write of this generation has reached these bytes (JBM-RDR-032).
    """
    return _is_padding(source, dialect, at, off) or first_found(source, dialect, None, at, off) is not None


def _is_padding(source: Source, dialect: Dialect, at: int, off: int) -> bool:
    """Return whether the bytes from `at` to `off` are padding.

    Aligned writes leave padding (JBM-WRT-004): zeros, or fill if the journal was not aligned before. The
    header's block can have any usual size; later blocks have the size of a disk or file-system block.
    """
    blocks = (off,) if at == dialect.header_size and off in HEADER_BLOCKS else BLOCKS
    if not any(off % block == 0 and off - at < block for block in blocks):
        return False
    data = source.read(at, off - at)
    return any(data.count(fill) == off - at for fill in FILLS)


def earlier(
    source: Source, dialect: Dialect, batches: Iterable[Batch], start: int, limit: int
) -> Iterator[Batch]:
    """Yield the records of earlier generations between those of `batches`, which go from `start` to `limit`.

    This is a forensic extra: these records are protected only by the four bytes of the check size.
    """
    least = min(kind.least for kind in dialect.kinds.values())
    at = start
    for batch in batches:
        for off, end in zip(batch.off, batch.end, strict=True):
            if batch.base + off - at >= least:
                yield from scan(source, dialect, None, at, batch.base + off)
            at = batch.base + end
    yield from scan(source, dialect, None, at, limit)


def first_found(
    source: Source, dialect: Dialect, stamp: int | None, start: int, limit: int, stretch: int = SEARCH_STRETCH
) -> Batch | None:
    """Return the batch with the first record with the file id `stamp` (None: any).

    Return None if there is none.
    """
    for batch in scan(source, dialect, stamp, start, limit, quiet=True, stretch=stretch):
        if batch.off:
            return batch
    return None


def bodies_at(dialect: Dialect, data: bytes, places: Sequence[int]) -> tuple[BodyColumns | None, int]:
    """Return the records at `places`, and where the last of them ends; None if one of them is not there.

    `data` are the bytes from the first place on; they need not contain the bodies.
    """
    type_at = dialect.type_at
    offs = [*map(sub, places, repeat(min(places)))]
    codes = bytes(map(data.__getitem__, offs)) if max(offs) < len(data) else b"\0"
    if codes.translate(None, bytes(type_at)):
        return None, 0
    types = [*map(add, offs, map(type_at.__getitem__, codes))]
    if max(types) >= len(data):
        return None, 0
    # The body comes directly after its id, its size and its type.
    starts = [*map(add, types, repeat(1))]
    heads = [*map(BODY_HEAD.unpack_from, repeat(data), map(sub, starts, repeat(BODY_HEAD.size)))]
    sizes = [*map(itemgetter(1), heads)]
    end = max(map(add, starts, sizes)) + CHECK_SIZE
    return (BodyColumns(data, places, codes, heads, starts) if min(sizes) >= 0 else None), end
