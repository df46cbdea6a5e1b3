"""Converts bytes to columns. One loop finds the batches of a data file, checks them, and reports damage
(KHD-SCN).

The records of a stretch become columns, not objects. Every byte is summed and searched a bounded number of
times: after a batch with a wrong checksum or chain, the search continues at the end stated in the batch's
header.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from zlib import adler32

from journalspec.observation import Note
from journalspec_reference.batches import MOST_ODD, STRETCH, Batch, Source, zeros, zeros_end
from journalspec_reference.content import UNREADABLE
from journalspec_reference.kahadb_journal.codec import (
    BATCH,
    CONTROL,
    END_MARKER,
    HEAD,
    MARKER,
    MOST,
    OF_NOTHING,
    OTHER,
    USER,
    Dialect,
    batch_head,
    head,
    head_and_code,
    sums,
)

#: The possible ends of a log: an end marker, zeros, an empty batch, or the end of the file.
MARKED, ZEROS, EMPTY, FILE = "marker", "zeros", "empty-batch", "file"
#: A stretch ends after this many rows, because the data about each row must fit into memory.
MOST_ROWS = 1 << 14


def scan(  # noqa: C901, PLR0912, PLR0915  # one loop on purpose: a branch is a rule, beside its id
    source: Source,
    dialect: Dialect,
    name: str = "",
    start: int = 0,
    *,
    checked: bool = True,
    beyond: bool = False,
    stretch: int = STRETCH,
) -> Iterator[Batch]:
    """Yield the records of a log from `start` on, and its damage, in file order.

    The code of a record is the number of its command. ``more["first"]`` lists the rows of the first records
    of batches; a control record directly precedes each. ``more["end"]`` of the last stretch is the end of the
    log with its cause, unless damage reaches the end of the file. Without `checked`, no checksum is compared
    (KHD-SCN-012).

    With `beyond`, all sound batches from `start` on are searched for, and no damage is reported. This is for
    the bytes after the end of a log (KHD-END-011). A note contains the place of the first such batch.

    Records, damage and notes do not depend on `stretch` (bytes, at least 64).
    """
    begin, marked, bare, limit = dialect.start, dialect.marked, dialect.bare, source.size
    base = next_control(source, dialect, start, limit, stretch) if beyond else start
    piece = stretch >> 2
    # `verified` is the end of the last batch that was checked by pieces, `inside` is the same while the
    # records of that batch are read; `hurt` is where damage began and why, until a sound batch or the end of
    # the log ends it.
    need = verified = inside = 0
    hurt: tuple[int, str] | None = None
    ended, unverified, told = "", beyond, not beyond
    while not ended:
        data = source.read(base, min(max(stretch, need), limit - base))
        top, room, at, need = len(data), limit - base, 0, 0
        bad = bool(source.unreadable) and source.gap(base, base + top) is not None
        batch = Batch(base, data)
        off, end, code, first = batch.off, batch.end, batch.code, array("q")
        batch.more["first"] = first
        add, add_end, add_code, view = off.append, end.append, code.append, memoryview(data)
        # A batch that begins at or before `plain` can take the fast path. The value -1 sends all batches
        # through the careful checks.
        calm = -1 if bad or beyond else top - CONTROL - HEAD - 1
        plain = -1 if hurt or inside else calm
        body, stop, odd = 0, inside - base, 0
        while True:
            # The fast path for almost all batches. It accepts only batches that would pass all checks below.
            begun, batches = len(off), len(first)
            while at <= plain and (rows := len(off)) < MOST_ROWS:
                control, size, total, length, kind, number = batch_head(data, at)
                p = at + CONTROL
                stop = p + size
                if control != begin or not 0 < size <= piece or stop > top or not total:
                    break
                if checked and adler32(view[p:stop]) != total:
                    break
                last = stop - HEAD - 1
                while p <= last and kind == USER and length > HEAD:
                    add(p)
                    add_code(number)
                    p += length
                    if p <= last:
                        length, kind, number = head_and_code(data, p)
                if p != stop or len(off) > 2 * MOST_ROWS:
                    del off[rows:], code[rows:]
                    break
                first.append(rows)  # KHD-REC-006
                at = stop
            if len(off) > begun:
                # Each record ends where the next record, or the control record before it, begins.
                end.extend(off[begun + 1 :])
                add_end(at)
                for row in first[batches + 1 :]:
                    end[row - 1] -= CONTROL
            rows = len(off)
            if rows >= MOST_ROWS or odd >= MOST_ODD:
                break
            why, after = "", at + 1
            if inside:
                p = body = at
            else:
                left = room - at
                if top - at < CONTROL and top < room:
                    break  # The next stretch contains the complete batch.
                unread = bad and left >= CONTROL and source.gap(base + at, base + at + CONTROL) is not None
                if left >= CONTROL and data.startswith(begin, at) and not unread:  # KHD-BAT-012
                    size, total = sums(data, at)
                    p = body = at + CONTROL
                    stop = p + size
                    if not size and total in OF_NOTHING and not bare:
                        ended, after = EMPTY, body  # KHD-END-009, KHD-END-010
                    elif not 0 < size <= MOST:
                        why, after = "bad-size", body  # KHD-SCN-002
                    elif stop > room:
                        why, after = "out-of-bounds", body  # KHD-SCN-003
                    elif base + stop == verified:
                        inside = verified
                    elif size > piece or bad:
                        # These are checked by pieces: long batches (KHD-SCN-011), and batches that may be
                        # partly unreadable.
                        why = _problem(source, base + at, base + stop, total if checked else 0, stretch)
                        after = stop
                        inside = verified = base + stop if not why else 0
                    elif stop > top:
                        break
                    # Eight bytes, with a sign; 0 is not a checksum (KHD-BAT-008, KHD-SCN-004, KHD-SCN-005).
                    elif checked and total and adler32(data[body:stop]) != total:
                        why, after = "bad-checksum", stop  # KHD-SCN-001: This is checked before the chain.
                elif not left:
                    ended = FILE  # KHD-END-007
                elif marked and data.startswith(END_MARKER, at):
                    ended = MARKED  # KHD-END-005
                elif not bare and not data[at] and _only_zeros(source, data, base, at):
                    ended = ZEROS  # KHD-END-006
                elif left < CONTROL:
                    why, after = "truncated", room  # KHD-END-008
                else:
                    why = UNREADABLE if unread else "bad-header"
            if not why and not ended:
                edge = min(stop, top)
                last = min(edge - HEAD - 1, p + (stretch >> 4))
                while p <= last:
                    length, kind, number = head_and_code(data, p)
                    to = p + length
                    if kind != USER or length <= HEAD or to > edge:
                        break
                    add(p)
                    add_end(to)
                    add_code(number)
                    p = to
                plain = -1
                if p < stop and not inside:
                    # A record without payload or of another type, or a broken chain (KHD-REC-003).
                    why, after = _problem(source, base + at, base + stop, 0, stretch), stop
                    del off[rows:], end[rows:], code[rows:]
                    if not why:
                        verified = base + stop
                        continue
            if not why and not ended:
                length, kind = head(data, p) if top - p >= HEAD else (CONTROL, USER)
                if p == body < stop and kind == USER and p + length > top:
                    # The record is longer than the stretch; the next one begins with it, or with its batch.
                    need, inside = CONTROL + length, inside if body == at else 0
                    break
                if body > at:  # A sound batch begins here.
                    if hurt:
                        batch.damage.append((hurt[0], base + at, hurt[1]))
                        batch.notes.append(Note("resynchronised", name, base + at))  # KHD-SCN-007
                        hurt, odd = None, odd + 2
                    if not total and not unverified:
                        batch.notes.append(Note("unverified", name, base + at))  # KHD-BAT-008
                        unverified = True
                    if not told:
                        batch.notes.append(Note("beyond-end", name, base + at))  # KHD-END-011
                        told = True
                if p == body < stop:
                    if kind == USER:  # KHD-REC-002: without payload
                        add(p)
                        add_end(p + length)
                        add_code(OTHER)
                    elif not beyond:  # KHD-REC-004: of an unknown type
                        batch.notes.append(Note("unknown-type", name, base + p, str(kind)))
                        odd += 1
                    p += length
                if body > at and len(off) > rows and off[rows] == body:
                    first.append(rows)
                at = p
                if p < stop:
                    continue
                inside, plain, after = 0, calm, stop
                if not beyond:
                    continue
            elif why and not beyond:
                hurt, plain = hurt or (base + at, why), -1  # KHD-SCN-008: The first reason is kept.
            elif not beyond:
                if hurt:
                    batch.damage.append((hurt[0], base + at, hurt[1]))
                batch.more["end"] = base + at, ended
                break
            # KHD-SCN-006: search for the next control record, but not within bytes that were already
            # recognised.
            ended = ""
            at = data.find(begin, max(after, zeros_end(data, after, top) - len(begin)), top)
            if not 0 <= at <= top - CONTROL:
                ahead = base + max(after, top - CONTROL + 1)
                at = next_control(source, dialect, ahead, limit, stretch) - base
                if at == room:
                    ended = FILE
                    if hurt:
                        batch.damage.append((hurt[0], limit, hurt[1]))  # KHD-SCN-009
                break
        base += at
        yield batch


def next_control(source: Source, dialect: Dialect, start: int, limit: int, stretch: int = STRETCH) -> int:
    """Return the offset of the next control record from `start` on. Return `limit` if there is none."""
    begin, at = dialect.start, start
    zeros = len(begin) - len(begin.lstrip(b"\0"))
    while (at := max(at, source.next_data(at) - zeros)) + CONTROL <= limit:
        data = source.read(at, min(stretch, limit - at))
        top = len(data)
        found = data.find(begin, max(0, zeros_end(data, 0, top) - len(begin)))
        if 0 <= found <= top - CONTROL:
            return at + found
        at += top - CONTROL + 1
    return limit


def _problem(source: Source, at: int, end: int, total: int, stretch: int) -> str:
    """Check the batch from `at` to `end` piece by piece. Return its fault, or an empty text if there is none.

    `total` is the stored checksum, 0 if none is compared. A record of any type except a control record is
    accepted if it has at least five bytes and ends within the batch (KHD-REC-003).
    """
    value, broken, piece = 1, False, stretch >> 2
    p = at + CONTROL
    for start in range(p, end, piece):
        # Read HEAD more bytes, because a record can begin in the last bytes of the piece.
        data = source.read(start, min(piece + HEAD, end - start))
        if total:
            value = adler32(memoryview(data)[:piece], value)
        while not broken and p - start <= min(len(data) - HEAD, piece - 1):
            length, kind = head(data, p - start)
            broken = length < HEAD or kind == BATCH or p + length > end
            p += length
        if broken and not total:
            break
    if total and value != total:
        return "bad-checksum"
    if broken or p != end:
        return "bad-chain"
    return UNREADABLE if source.unreadable and source.gap(at, end) else ""


def _only_zeros(source: Source, data: bytes, base: int, at: int) -> bool:
    """Return whether there are only zeros from `at` on. `data` begins at `base`."""
    top = len(data)
    at = zeros_end(data, at, top)
    # The first few hundred bytes after the leading zeros show this, unless the stretch ends with the zeros.
    return not any(data[at : at + 256]) and zeros(source, base + top)


def walk(  # noqa: C901, PLR0912  # one loop, as above
    source: Source, dialect: Dialect, name: str = "", *, stretch: int = STRETCH
) -> Iterator[Batch]:
    """Yield the records of a file that is not scanned, by their lengths alone (KHD-RCV-016).

    The batches are those of :func:`scan`; ``more["first"]`` are the records directly after a control record.
    """
    limit, base, need, ended = source.size, 0, 0, ""
    while not ended:
        data = source.read(base, min(max(stretch, need), limit - base))
        top, room, at, need = len(data), limit - base, 0, 0
        batch = Batch(base, data)
        first = batch.more["first"] = array("q")
        # A control record is read in the same stretch as the record after it. Until then, its offset is
        # remembered.
        control = -1
        while len(batch.off) < MOST_ROWS and len(batch.notes) < MOST_ODD:
            if at == room:
                ended = FILE
            elif top - at < CONTROL and top < room:
                break
            elif not dialect.bare and data.startswith(END_MARKER, at):
                ended = MARKED  # KHD-RCV-017
            elif not dialect.bare and not any(data[at : at + MARKER]):
                ended = ZEROS
            if ended:
                batch.more["end"] = base + at, ended
                break
            length, kind = head(data, at) if room - at >= HEAD else (0, 0)
            if length < HEAD or at + length > room:
                to = min(room, at + HEAD) if room - at >= HEAD else room
                batch.damage.append((base + at, base + to, "bad-record"))
                ended = FILE
                break
            to = at + length
            if kind == BATCH and length == CONTROL:
                control, at = at, to
                continue
            if to > top and kind == USER:
                need = length + CONTROL
                break
            if kind == USER:
                if control == at - CONTROL and control >= 0:
                    first.append(len(batch.off))
                batch.off.append(at)
                batch.end.append(to)
                batch.code.append(data[at + HEAD] if length > HEAD else OTHER)
            else:
                batch.notes.append(Note("unknown-type", name, base + at, str(kind)))
            at = to
        base += control if 0 <= control == at - CONTROL and not ended else at
        yield batch
