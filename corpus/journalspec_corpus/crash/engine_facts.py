"""What is true of the states of a crash point, as columns, in compiled code.

The same as :mod:`.facts` says of them, function by function under the same names, on a flat
trace. The tests hold the two against each other, and so does ``journalspec corpus agree``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import TRASHED
from journalspec_corpus.crash.compiled import copied, copied_rows, part
from journalspec_corpus.crash.engine_layout import (
    ACK,
    BASED,
    DATA,
    INDEX,
    ISSUED,
    KIND,
    LENGTH,
    MARK_LENGTH,
    MARK_NAME,
    MARK_OFF,
    NAME,
    OFF,
    RECORD,
    WRITE,
    Bytes,
    FlatTrace,
    Hashes,
    Ints,
)
from journalspec_corpus.crash.expected import ALLOWED, FORBIDDEN, REFUSALS, REQUIRED

Column = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.uint8]
#: Kinds of blocks, as in :mod:`.kernel`.
IS_DATA, IS_SIZE, IS_NAMES = range(3)
_ALLOWED, _REQUIRED, _FORBIDDEN = (REFUSALS.index(name) for name in (ALLOWED, REQUIRED, FORBIDDEN))
_TRASHED = TRASHED


class Group(NamedTuple):
    """The states of one crash point; `codes` has shape (rows, blocks), `levels` (blocks, rows).

    A row of `blocks`: kind, file, number of the granule, where its versions begin in `values` and
    `version_levels`, and how many there are. `values` holds places in `pool`, sizes, or rows of names.
    `reach` has rows (operation, block, level), of operation i those from ``span[i, 0]`` to ``span[i, 1]``;
    -1 if there are none. `kills` has shape (n, blocks). `here` is (granule, upto, torn, crash index, row
    of the durable names, whether images decide what a kill leaves).
    """

    codes: npt.NDArray[np.uint16]
    levels: npt.NDArray[np.int16]
    preset: Labels
    tear: Ints
    blocks: Ints
    values: Ints
    version_levels: Ints
    fresh: Column
    reach: Ints
    span: Ints
    kills: Ints
    pool: Bytes
    lanes: Hashes
    images: Hashes
    sizes: Ints
    here: Ints


B_KIND, B_FILE, B_INDEX, B_FIRST, B_COUNT = range(5)
STEP, UPTO, TORN, CRASH, DURABLE, IMAGES = range(6)


class Memo(NamedTuple):
    """Columns that were worked out before: of operations that arrived, of marks, of records; and scratch."""

    arrived: npt.NDArray[np.bool_]
    arrived_known: Column
    intact: npt.NDArray[np.bool_]
    intact_known: Column
    published: npt.NDArray[np.bool_]
    published_known: Column
    counts: npt.NDArray[np.bool_]
    counts_known: Column
    broken: Column


@part
def new_memo(t: FlatTrace, g: Group) -> Memo:
    """Return a memo of nothing."""
    rows, ops, marks, records = len(g.codes), len(t.ops), len(t.marks), len(t.members)
    broken = np.zeros(len(g.blocks), np.bool_)
    for at in range(len(g.blocks)):
        if g.blocks[at, B_KIND] == IS_DATA:
            for code in range(g.blocks[at, B_COUNT]):
                broken[at] |= g.version_levels[g.blocks[at, B_FIRST] + code] < 0
    return Memo(
        np.empty((ops, rows), np.bool_),
        np.zeros(ops, np.bool_),
        np.empty((marks, rows), np.bool_),
        np.zeros(marks, np.bool_),
        np.empty((records, rows), np.bool_),
        np.zeros(records, np.bool_),
        np.empty((ops, rows), np.bool_),
        np.zeros(ops, np.bool_),
        broken,
    )


@part
def _and_cell(g: Group, out: Column, block: int, level: int) -> None:
    levels = g.levels[block]
    for row in range(len(out)):
        out[row] &= levels[row] >= level


@part
def _or_cell(g: Group, out: Column, block: int, level: int) -> None:
    levels = g.levels[block]
    for row in range(len(out)):
        out[row] |= levels[row] >= level


@part
def _same(
    g: Group, at: int, code: int, start: int, end: int, data: Bytes, place: int, length: int, off: int
) -> bool:
    """Tell whether a version shows in [start, end) what `length` bytes put at `off` have there."""
    base = g.blocks[at, B_INDEX] * g.here[STEP]
    a, b = max(start, base), min(end, base + g.here[STEP])
    if b - off > length or a < off:
        return False
    version = g.values[g.blocks[at, B_FIRST] + code] - base
    for index in range(a, b):
        if g.pool[version + index] != data[place + index - off]:
            return False
    return True


@part
def _and_shows(
    t: FlatTrace, g: Group, memo: Memo, out: Column, at: int, level: int, op: int, start: int, end: int
) -> None:
    if not memo.broken[at]:
        _and_cell(g, out, at, level)
        return
    first, count = g.blocks[at, B_FIRST], g.blocks[at, B_COUNT]
    good = np.zeros(count, np.bool_)
    off, length, data = t.ops[op, OFF], t.ops[op, LENGTH], t.ops[op, DATA]
    for code in range(count):
        known = g.version_levels[first + code]
        good[code] = known >= level or (
            known < 0 and _same(g, at, code, start, end, t.data, data, length, off)
        )
    for row in range(len(out)):
        out[row] &= good[g.codes[row, at]]


@part
def arrived(t: FlatTrace, g: Group, memo: Memo, index: int) -> Column:
    """Return the rows in which operation `index` is on disk as a whole."""
    out: Column = memo.arrived[index]
    if not memo.arrived_known[index]:
        memo.arrived_known[index] = True
        out[:] = True
        off, end = t.ops[index, OFF], t.ops[index, OFF] + t.ops[index, LENGTH]
        for entry in range(g.span[index, 0], g.span[index, 1]):
            _and_shows(t, g, memo, out, g.reach[entry, 1], g.reach[entry, 2], index, off, end)
    return out


@part
def or_touched(g: Group, out: Column, index: int) -> None:
    """Set `out` where at least a part of operation `index` is on disk."""
    if g.span[index, 0] < 0:
        out[:] = True
        return
    for entry in range(g.span[index, 0], g.span[index, 1]):
        _or_cell(g, out, g.reach[entry, 1], g.reach[entry, 2])
    if index == g.here[TORN]:
        for row in range(len(out)):
            out[row] |= g.tear[row] > 0


@part
def _and_written(t: FlatTrace, g: Group, memo: Memo, out: Column, mark: int) -> None:
    """Leave `out` where the part of its operation that is this mark arrived."""
    index, off = t.marks[mark, INDEX], t.marks[mark, MARK_OFF]
    end, step = off + t.marks[mark, MARK_LENGTH], g.here[STEP]
    if off == t.ops[index, OFF] and end - off == t.ops[index, LENGTH]:
        there = arrived(t, g, memo, index)
        for row in range(len(out)):
            out[row] &= there[row]
        return
    for entry in range(g.span[index, 0], g.span[index, 1]):
        at, level = g.reach[entry, 1], g.reach[entry, 2]
        kind, start, first = g.blocks[at, B_KIND], g.blocks[at, B_INDEX] * step, g.blocks[at, B_FIRST]
        if kind == IS_DATA and start < end and off < start + step:
            if index == g.here[TORN]:
                good = np.zeros(g.blocks[at, B_COUNT], np.bool_)
                for code in range(len(good)):
                    good[code] = _same(
                        g,
                        at,
                        code,
                        off,
                        end,
                        t.data,
                        t.ops[index, DATA],
                        t.ops[index, LENGTH],
                        t.ops[index, OFF],
                    )
                for row in range(len(out)):
                    out[row] &= good[g.codes[row, at]]
            else:
                _and_shows(t, g, memo, out, at, level, index, off, end)
        elif kind == IS_SIZE:
            for row in range(len(out)):
                out[row] &= g.values[first + g.codes[row, at]] >= end


@part
def _or_overwritten(
    t: FlatTrace, g: Group, memo: Memo, out: Column, name: int, off: int, length: int, start: int
) -> None:
    """Set `out` where something that was written from operation `start` on shows in these bytes."""
    for index in range(start, g.here[UPTO]):
        op = t.ops[index]
        end = op[OFF] + op[LENGTH]
        if op[KIND] != WRITE or op[NAME] != name or op[OFF] >= off + length or off >= end:
            continue
        if g.span[index, 0] < 0:
            out[:] = True
        elif index == g.here[TORN]:
            for row in range(len(out)):
                out[row] |= g.tear[row] > max(0, off - op[OFF])
        else:
            for entry in range(g.span[index, 0], g.span[index, 1]):
                at = g.reach[entry, 1]
                begin = g.blocks[at, B_INDEX] * g.here[STEP]
                a, b = max(op[OFF], begin), min(end, begin + g.here[STEP])
                if a < off + length and off < b:
                    _or_cell(g, out, at, g.reach[entry, 2])
    for at in range(len(g.blocks)):
        if memo.broken[at]:
            _or_trash_over(t, g, out, at, name, off, off + length, start - 1)


@part
def _or_trash_over(
    t: FlatTrace, g: Group, out: Column, at: int, name: int, off: int, end: int, index: int
) -> None:
    """Set `out` where a version of block `at` that nobody wrote hides what `index` wrote, or older."""
    begin = g.blocks[at, B_INDEX] * g.here[STEP]
    if t.names[g.here[DURABLE], name] != g.blocks[at, B_FILE] or begin >= end or off >= begin + g.here[STEP]:
        return
    old = index < 0 or t.ops[index, KIND] != WRITE
    place, length, start = 0, 0, 0
    if old:
        file = t.names[0, name]
        if file >= 0:
            place, length = t.files[file, 0], t.files[file, 2]
    else:
        place, length, start = t.ops[index, DATA], t.ops[index, LENGTH], t.ops[index, OFF]
    first = g.blocks[at, B_FIRST]
    hides = np.zeros(g.blocks[at, B_COUNT], np.bool_)
    for code in range(len(hides)):
        if g.version_levels[first + code] < 0:
            data = t.base if old else t.data
            hides[code] = not _same(g, at, code, off, end, data, place, length, start)
    for row in range(len(out)):
        out[row] |= hides[g.codes[row, at]]


@part
def intact(t: FlatTrace, g: Group, memo: Memo, mark: int) -> Column:
    """Return the rows in which the bytes of a mark stand whole; one from before the trace (-1) as well."""
    out: Column = memo.intact[mark]
    if not memo.intact_known[mark]:
        memo.intact_known[mark] = True
        row_of = t.marks[mark]
        over = np.zeros(len(out), np.bool_)
        _or_overwritten(
            t, g, memo, over, row_of[MARK_NAME], row_of[MARK_OFF], row_of[MARK_LENGTH], row_of[INDEX] + 1
        )
        for row in range(len(out)):
            out[row] = not over[row]
        if row_of[INDEX] >= 0:
            _and_written(t, g, memo, out, mark)
    return out


@part
def _counts(t: FlatTrace, g: Group, memo: Memo, index: int) -> Column:
    """Return the rows in which operation `index` is on disk and nothing hides it."""
    out: Column = memo.counts[index]
    if not memo.counts_known[index]:
        memo.counts_known[index] = True
        op = t.ops[index]
        over = np.zeros(len(out), np.bool_)
        _or_overwritten(t, g, memo, over, op[NAME], op[OFF], op[LENGTH], index + 1)
        there = arrived(t, g, memo, index)
        for row in range(len(out)):
            out[row] = there[row] and not over[row]
    return out


@part
def published(t: FlatTrace, g: Group, memo: Memo, record: int) -> Column:
    """Return the rows in which something that makes `record` count is on disk."""
    out: Column = memo.published[record]
    if not memo.published_known[record]:
        memo.published_known[record] = True
        out[:] = False
        for entry in range(len(t.published)):
            index = t.published[entry, 0]
            if t.published[entry, 1] == record and index < g.here[UPTO]:
                counts = _counts(t, g, memo, index)
                for row in range(len(out)):
                    out[row] |= counts[row]
    return out


@part
def _or_whole(t: FlatTrace, g: Group, memo: Memo, out: Column, first: int, end: int) -> None:
    """Set `out` where one of the marks of an alternative stands whole."""
    for entry in range(first, end):
        mark = t.entries[entry]
        if t.marks[mark, INDEX] < g.here[UPTO]:
            stands = intact(t, g, memo, mark)
            for row in range(len(out)):
                out[row] |= stands[row]


@part
def issued(t: FlatTrace, g: Group) -> int:
    """Return how many marks have been issued: they stand in the order of their writes."""
    count = 0
    while count < t.flags[ISSUED] and t.marks[count, INDEX] < g.here[UPTO]:
        count += 1
    return count


@part
def damaged(t: FlatTrace, g: Group, memo: Memo) -> Column:
    """Return the rows in which a published record stands nowhere whole, and no old ones in its place."""
    rows = len(g.codes)
    out = np.zeros(rows, np.bool_)
    seen = np.zeros(len(t.members), np.bool_)
    count = issued(t, g)
    for entry in range(len(t.released)):
        if t.released[entry, 0] < g.here[UPTO]:
            seen[t.released[entry, 1]] = True
    spans, standing = _runs(t, g, memo, count)
    for number in range(count):
        record = t.marks[number, RECORD]
        if seen[record]:
            continue
        seen[record] = True
        counted = published(t, g, memo, record)
        if not counted.any():
            continue
        excused = np.zeros(rows, np.bool_)
        for other in range(number, count):
            if t.marks[other, RECORD] == record and t.unsure[other]:
                excused[:] = True
        for at in range(len(t.alternatives)):
            if t.alternatives[at, 0] == record:
                first, end = t.alternatives[at, 1], t.alternatives[at, 2]
                _or_whole(t, g, memo, excused, first, end)
                if len(spans):
                    _or_taken(t, g, memo, excused, first, end, spans, standing)
        for row in range(rows):
            out[row] |= counted[row] and not excused[row]
    return out


@part
def _or_taken(
    t: FlatTrace,
    g: Group,
    memo: Memo,
    out: Column,
    first: int,
    end: int,
    spans: Ints,
    standing: npt.NDArray[np.bool_],
) -> None:
    """Set `out` where old records take the place of one of these marks, and something leads there."""
    led = np.empty(len(out), np.bool_)
    for entry in range(first, end):
        mark = t.marks[t.entries[entry]]
        if mark[INDEX] < 0 or mark[INDEX] >= g.here[UPTO]:
            continue
        led[:] = False
        for other in range(len(t.published)):
            index = t.published[other, 0]
            if t.published[other, 1] == mark[RECORD] and mark[INDEX] <= index < g.here[UPTO]:
                counts = _counts(t, g, memo, index)
                for row in range(len(out)):
                    led[row] |= counts[row]
        for run in range(len(spans)):
            behind = mark[MARK_OFF] + mark[MARK_LENGTH]
            if (
                spans[run, 0] == mark[MARK_NAME]
                and spans[run, 1] <= mark[MARK_OFF]
                and behind <= spans[run, 2]
            ):
                for row in range(len(out)):
                    out[row] |= led[row] and standing[run, row]


@part
def _runs(t: FlatTrace, g: Group, memo: Memo, many: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return where whole old records stand from the start of a published record to the end of one.

    The first are rows of (name, start, end), the second the rows of states in which it is so.
    """
    rows = len(g.codes)
    spans, standing, count = np.empty((8, 3), np.int64), np.empty((8, rows), np.bool_), 0
    if not len(t.stale):
        return spans[:0], standing[:0]
    places, ways = np.empty(8, np.int64), np.empty((8, rows), np.bool_)
    now, so_far = np.empty(rows, np.bool_), np.empty(rows, np.bool_)
    for number in range(many):
        name, off = t.marks[number, MARK_NAME], t.marks[number, MARK_OFF]
        if _again(t, number, off, 0):
            continue
        places[0], first = off, published(t, g, memo, t.marks[number, RECORD])
        for row in range(rows):
            ways[0, row] = first[row]
        depth = 1
        while depth:
            depth -= 1
            at = places[depth]
            for row in range(rows):
                now[row] = ways[depth, row]
            for old in range(len(t.stale)):
                for entry in range(t.stale[old, 1], t.stale[old, 2]):
                    mark = t.marks[t.entries[entry]]
                    if mark[MARK_NAME] != name or mark[MARK_OFF] != at:
                        continue
                    so_far[:] = False
                    _or_whole(t, g, memo, so_far, t.stale[old, 1], t.stale[old, 2])
                    for row in range(rows):
                        so_far[row] &= now[row]
                    if not so_far.any():
                        continue
                    end = at + mark[MARK_LENGTH]
                    if depth == len(places):
                        places, ways = _doubled(places), _doubled_rows(ways)
                    places[depth] = end
                    for row in range(rows):
                        ways[depth, row] = so_far[row]
                    depth += 1
                    for other in range(many):
                        last = t.marks[other]
                        if last[MARK_NAME] != name or last[MARK_OFF] + last[MARK_LENGTH] != end:
                            continue
                        if _again(t, other, end, 1):
                            continue
                        if count == len(spans):
                            spans, standing = _doubled_ints(spans), _doubled_rows(standing)
                        spans[count, 0], spans[count, 1], spans[count, 2] = name, off, end
                        counted = published(t, g, memo, last[RECORD])
                        for row in range(rows):
                            standing[count, row] = so_far[row] and counted[row]
                        count += 1
    return spans[:count], standing[:count]


@part
def _again(t: FlatTrace, number: int, place: int, side: int) -> bool:
    """Tell whether an earlier mark of the same record and name begins (`side` 0) or ends (1) at `place`."""
    for other in range(number):
        one, two = t.marks[other], t.marks[number]
        edge = one[MARK_OFF] + side * one[MARK_LENGTH]
        if one[RECORD] == two[RECORD] and one[MARK_NAME] == two[MARK_NAME] and edge == place:
            return True
    return False


@part
def _doubled(data: Ints) -> Ints:
    out = np.empty(2 * len(data), np.int64)
    copied(out, 0, data, 0, len(data))
    return out


@part
def _doubled_ints(data: Ints) -> Ints:
    out = np.empty((2 * len(data), data.shape[1]), np.int64)
    copied_rows(out, data, len(data))
    return out


@part
def _doubled_rows(data: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    out = np.empty((2 * len(data), data.shape[1]), np.bool_)
    copied_rows(out, data, len(data))
    return out


@part
def trashed(g: Group) -> Column:
    """Return the rows in which a granule holds garbage."""
    out = np.zeros(len(g.codes), np.bool_)
    for at in range(len(g.blocks)):
        for row in range(len(out)):
            out[row] |= g.levels[at, row] == _TRASHED
    return out


@part
def kill(g: Group, trash: Column) -> Column:
    """Return the rows that a killed process leaves."""
    rows, count = len(g.codes), len(g.blocks)
    out = np.zeros(rows, np.bool_)
    same = np.empty(rows, np.bool_)
    for number in range(len(g.kills)):
        same[:] = True
        for at in range(count):
            level = g.kills[number, at]
            for row in range(rows):
                same[row] &= g.levels[at, row] == level
        for row in range(rows):
            out[row] |= same[row]
    if g.here[TORN] >= 0:
        for row in range(rows):
            zero, most = True, 0
            for at in range(count):
                zero &= g.codes[row, at] == 0
                most = max(most, g.levels[at, row])
            out[row] &= zero or most > 0
    elif g.here[IMAGES]:
        for row in range(rows):
            if not out[row] and not trash[row]:
                for upto in range(g.here[UPTO] + 1):
                    if g.images[upto, 0] == g.lanes[row, 0] and g.images[upto, 1] == g.lanes[row, 1]:
                        out[row] = True
                        break
    return out


@part
def refusals(t: FlatTrace, g: Group, memo: Memo, killed: Column, trash: Column) -> Labels:
    """Return for each row whether refusing it is allowed, as an index."""
    usable = t.flags[BASED] > 0
    for index in range(g.here[UPTO]):
        usable |= t.ops[index, KIND] == ACK
    lost = damaged(t, g, memo)
    out = np.full(len(lost), _ALLOWED, np.uint8)
    for row in range(len(out)):
        if usable and killed[row] and not trash[row]:
            out[row] = _FORBIDDEN
        elif lost[row] and not killed[row]:
            out[row] = _REQUIRED
    return out
