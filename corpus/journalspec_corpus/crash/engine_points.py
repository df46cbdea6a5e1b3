"""What is in flight at a crash point, in compiled code: blocks, their versions, and the lanes of each row.

The same as :class:`.blocks.CrashPoint` has, and :func:`.losses.prefix_states` for a torn write.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import BROKEN as BROKEN_KINDS
from journalspec_corpus.crash.blocks import FOREIGN as FOREIGN_LEVEL
from journalspec_corpus.crash.blocks import MIXED, TRASHED
from journalspec_corpus.crash.compiled import copied, copied_row, copied_rows, page_pair, part
from journalspec_corpus.crash.engine_facts import (
    B_COUNT,
    B_FILE,
    B_FIRST,
    B_INDEX,
    B_KIND,
    IS_DATA,
    IS_NAMES,
    IS_SIZE,
    Column,
    Labels,
)
from journalspec_corpus.crash.engine_layout import (
    ACK,
    CUTS,
    DATA,
    FILE,
    FOREIGN,
    FROM,
    GRANULE,
    KIND,
    LENGTH,
    NOTHING,
    OFF,
    PLAIN,
    RELEASE,
    SYNC,
    SYNC_DIR,
    Bytes,
    FlatTrace,
    Hashes,
    Ints,
)
from journalspec_corpus.crash.engine_replay import (
    CELL_COUNT,
    CELL_DIRTY,
    CELL_LAST,
    CELL_LOW,
    INTERVALS,
    NAMES_LOW,
    NAMES_NOW,
    REACHED,
    Image,
    Versions,
    content,
)
from journalspec_corpus.crash.losses import MOST_VERSIONS
from journalspec_corpus.crash.pages import PAGE

_PAGE, _MOST, _KINDS = PAGE, MOST_VERSIONS, len(BROKEN_KINDS)
_TRASHED, _MIXED, _FOREIGN_LEVEL = TRASHED, MIXED, FOREIGN_LEVEL
_NONE = 255
Codes = npt.NDArray[np.uint16]


@part
def levels_of(blocks: Ints, version_levels: Ints, codes: Codes) -> Any:
    """Return the level of each block in each row, shape (blocks, rows)."""
    out = np.empty((len(blocks), len(codes)), np.int16)
    for at in range(len(blocks)):
        first = blocks[at, B_FIRST]
        for row in range(len(codes)):
            out[at, row] = version_levels[first + codes[row, at]]
    return out


@part
def lanes_of(
    t: FlatTrace,
    image: Image,
    blocks: Ints,
    values: Ints,
    codes: Codes,
    pool: Bytes,
    granule: int,
    base: Ints,
    names: int,
) -> Hashes:
    """Return the lanes of the content of each row; `base` are the sizes of files, `names` a row of names."""
    count, per = len(blocks), granule // _PAGE
    nothing, sums, sizes = image.sums.copy(), np.empty_like(image.sums), base.copy()
    moving = np.zeros(len(t.files), np.bool_)
    for at in range(count):
        if blocks[at, B_KIND] == IS_SIZE:
            moving[blocks[at, B_FILE]] = True
    terms = np.zeros((len(values) * per, 2), np.uint64)
    for at in range(count):
        if blocks[at, B_KIND] != IS_DATA:
            continue
        file, number = blocks[at, B_FILE], blocks[at, B_INDEX] * per
        page = t.files[file, 0] // _PAGE + number
        for index in range(per):
            nothing[file, 0] -= image.pages[page + index, 0]
            nothing[file, 1] -= image.pages[page + index, 1]
        for version in range(blocks[at, B_FIRST], blocks[at, B_FIRST] + blocks[at, B_COUNT]):
            for index in range(per):
                end = _PAGE if moving[file] else min(_PAGE, base[file] - (number + index) * _PAGE)
                if end > 0:
                    place = values[version] + index * _PAGE
                    a, b = page_pair(pool, place, place + end, number + index)
                    terms[version * per + index, 0], terms[version * per + index, 1] = a, b
    out = np.empty((len(codes), 2), np.uint64)
    for row in range(len(codes)):
        copied_rows(sums, nothing, len(nothing))
        for at in range(count):
            value = blocks[at, B_FIRST] + codes[row, at]
            if blocks[at, B_KIND] == IS_SIZE:
                sizes[blocks[at, B_FILE]] = values[value]
            elif blocks[at, B_KIND] == IS_NAMES:
                names = values[value]
        for at in range(count):
            if blocks[at, B_KIND] != IS_DATA:
                continue
            file, number = blocks[at, B_FILE], blocks[at, B_INDEX] * per
            value = blocks[at, B_FIRST] + codes[row, at]
            for index in range(per):
                left = sizes[file] - (number + index) * _PAGE
                if not moving[file] or left >= _PAGE:
                    sums[file, 0] += terms[value * per + index, 0]
                    sums[file, 1] += terms[value * per + index, 1]
                elif left > 0:
                    place = values[value] + index * _PAGE
                    a, b = page_pair(pool, place, place + left, number + index)
                    sums[file, 0] += a
                    sums[file, 1] += b
        out[row, 0], out[row, 1] = content(t, names, sizes, sums)
    return out


class Torn(NamedTuple):
    """A write in flight: its rows, blocks and versions, and how much of the pool is used."""

    codes: Codes
    labels: Labels
    tear: Ints
    blocks: Ints
    values: Ints
    levels: Ints
    used: int


@part
def torn_write(t: FlatTrace, image: Image, index: int, pool: Bytes, used: int) -> Torn:
    """Return the states in which write `index` has arrived up to some byte."""
    op = t.ops[index]
    file, off, length, data = op[FILE], op[OFF], op[LENGTH], op[DATA]
    start, size, end = t.files[file, 0], image.sizes[file], off + length
    wanted = t.cuts[op[CUTS] : op[CUTS] + length + 1].copy()
    if off < size < end:
        wanted[size - off] = 1
    labels = np.full(length + 1, _NONE, np.uint8)
    count = 0
    for arrived in range(length + 1):
        if not wanted[arrived]:
            continue
        at = off + arrived
        for number in range(len(t.prefixes)):
            cut = at % t.prefixes[number, 1] == 0
            if t.prefixes[number, 2]:
                cut = (cut and at <= size) or at == size
            if cut or arrived == 0 or arrived == length:
                labels[arrived] = t.prefixes[number, 0]
                break
        count += labels[arrived] != _NONE
    first, last = off // _PAGE, (end - 1) // _PAGE
    granules, grows = last - first + 1, end > size
    edge = max(off, size)
    codes = np.zeros((length + 1, granules + int(grows)), np.uint16)
    blocks = np.zeros((granules + int(grows), 5), np.int64)
    room = length + 2 * granules + (end - edge + 1 if grows else 0)
    values, levels = np.empty(room, np.int64), np.zeros(room, np.int64)
    many = 0
    for number in range(granules):
        begin = (first + number) * _PAGE
        a, b = max(off, begin), min(end, begin + _PAGE)
        row = blocks[number]
        row[B_KIND], row[B_FILE], row[B_INDEX], row[B_FIRST] = IS_DATA, file, first + number, many
        values[many] = used
        copied(pool, used, image.bytes, start + begin, _PAGE)
        used += _PAGE
        many += 1
        shown = a
        for at in range(a + 1, b + 1):
            if wanted[at - off] or at == b:
                differs = False
                for place in range(shown, at):
                    differs |= image.bytes[start + place] != t.data[data + place - off]
                if differs:
                    copied(pool, used, pool, used - _PAGE, _PAGE)
                    copied(pool, used + shown - begin, t.data, data + shown - off, at - shown)
                    values[many] = used
                    used += _PAGE
                    many += 1
                shown = at
            codes[at - off, number] = many - 1 - row[B_FIRST]
        codes[b - off :, number] = many - 1 - row[B_FIRST]
        row[B_COUNT] = many - row[B_FIRST]
        levels[many - 1] = 1 if row[B_COUNT] > 1 else 0
    if grows:
        row = blocks[granules]
        row[B_KIND], row[B_FILE], row[B_FIRST], row[B_COUNT] = IS_SIZE, file, many, end - edge + 1
        for number in range(row[B_COUNT]):
            values[many + number] = edge + number if number else size
        many += row[B_COUNT]
        levels[many - 1] = 1
        for arrived in range(1, length + 1):
            codes[arrived, granules] = max(0, off + arrived - edge)
    chosen, rank, tear = (
        np.empty((count, codes.shape[1]), np.uint16),
        np.empty(count, np.uint8),
        np.empty(count, np.int64),
    )
    to = 0
    for arrived in range(length + 1):
        if labels[arrived] != _NONE:
            chosen[to], rank[to], tear[to] = codes[arrived], labels[arrived], arrived
            to += 1
    return Torn(chosen, rank, tear, blocks, values[:many], levels[:many], used)


class Flight(NamedTuple):
    """What is in flight at a crash point; `dims` are the versions that somebody wrote.

    `fault` is 1 if there are more versions than a descriptor can name.
    """

    blocks: Ints
    values: Ints
    levels: Ints
    dims: Ints
    fresh: Column
    reach: Ints
    sizes: Ints
    used: int
    fault: int


@part
def flight_at(
    t: FlatTrace, image: Image, v: Versions, subsets: Ints, which: int, index: int, pool: Bytes, used: int
) -> Flight:
    """Return the blocks in flight at a crash point, with idle granules and with what nobody wrote."""
    granule, files = subsets[0, GRANULE], len(t.files)
    special, foreign = False, False
    for number in range(len(subsets)):
        if not special and subsets[number, PLAIN]:
            special, foreign = True, subsets[number, FOREIGN] > 0
    loose = t.loose[index, 1]
    low, now = v.used[NAMES_LOW], v.used[NAMES_NOW]
    count, many = 0, now - low + 1 + loose
    for file in range(files):
        many += v.sized[file, 0] - v.sized[file, 1]
        for cell in range(v.first[file], v.first[file + 1]):
            if v.cells[cell, CELL_DIRTY]:
                many += v.cells[cell, CELL_COUNT] - v.cells[cell, CELL_LOW] + _KINDS
                count += 1
    blocks = np.zeros((count + files + 1, 5), np.int64)
    values, levels = np.empty(many, np.int64), np.zeros(many, np.int64)
    dims, fresh = np.zeros(len(blocks), np.int64), np.zeros(len(blocks), np.bool_)
    block_of = np.full(1 + files + len(v.cells), -1, np.int64)
    low_of = np.zeros(1 + files + len(v.cells), np.int64)
    sizes = np.empty(files, np.int64)
    count, many, fault = 0, 0, 0
    if low < now:
        block_of[0], low_of[0] = count, low
        blocks[count, B_KIND], blocks[count, B_FIRST], dims[count] = IS_NAMES, many, now - low + 1
        for level in range(low, now + 1):
            values[many], levels[many] = level, level - low
            many += 1
        if special and not foreign:
            for number in range(loose):
                values[many], levels[many] = t.loose[index, 0] + number, _MIXED
                many += 1
        blocks[count, B_COUNT] = many - blocks[count, B_FIRST]
        count += 1
    for idle in range(2):
        nth = 0
        for file in range(files):
            durable = v.sized[file, 1]
            if not idle:
                sizes[file] = v.grown[file, durable]
                if durable < v.sized[file, 0] - 1:
                    block_of[1 + file], low_of[1 + file] = count, durable
                    row = blocks[count]
                    row[B_KIND], row[B_FILE], row[B_FIRST], dims[count] = (
                        IS_SIZE,
                        file,
                        many,
                        v.sized[file, 0] - durable,
                    )
                    row[B_COUNT] = dims[count]
                    for level in range(durable, v.sized[file, 0]):
                        values[many], levels[many] = v.grown[file, level], level - durable
                        many += 1
                    count += 1
            for cell in range(v.first[file], v.first[file + 1]):
                if not v.cells[cell, CELL_DIRTY]:
                    continue
                nth += 1
                number, versions = cell - v.first[file], v.cells[cell, CELL_COUNT] - v.cells[cell, CELL_LOW]
                if (versions <= 1) != (idle == 1):
                    continue
                row = blocks[count]
                row[B_KIND], row[B_FILE], row[B_INDEX], row[B_FIRST] = IS_DATA, file, number, many
                if idle:
                    versions = 1
                    place = t.files[file, 0] + number * granule
                    copied(pool, used, image.bytes, place, granule)
                    values[many] = used
                    used += granule
                else:
                    block_of[1 + files + cell], low_of[1 + files + cell] = count, v.cells[cell, CELL_LOW]
                    slot = v.cells[cell, CELL_LAST]
                    for level in range(versions - 1, -1, -1):
                        values[many + level], levels[many + level] = v.slots[slot, 1], level
                        slot = v.slots[slot, 0]
                    begin = number * granule
                    fresh[count] = begin >= v.grown[file, durable]
                    for at in range(v.used[INTERVALS]):
                        gap = v.unwritten[at]
                        if gap[0] == file and gap[1] <= begin and begin + granule <= gap[2]:
                            fresh[count] = False
                dims[count] = versions
                first, last = values[many], values[many + versions - 1]
                levels[many] = 0
                many += versions
                extra = t.extra_at[which, index] + (nth - 1) * granule
                if special and foreign and fresh[count]:
                    values[many], levels[many] = used, _FOREIGN_LEVEL
                    copied(pool, used, t.extra, extra, granule)
                    used += granule
                    many += 1
                elif special and not foreign:
                    half = granule // 2
                    for kind in range(_KINDS):
                        values[many], levels[many] = used, _TRASHED
                        front = extra if kind == 0 else last if kind == 1 else first
                        if kind == 0:
                            copied(pool, used, t.extra, extra, half)
                        else:
                            copied(pool, used, pool, front, half)
                        if kind == 2:
                            copied(pool, used + half, pool, last + half, half)
                        else:
                            copied(pool, used + half, t.extra, extra + half, half)
                        used += granule
                        many += 1
                row[B_COUNT] = many - row[B_FIRST]
                count += 1
    for at in range(count):
        if dims[at] + _KINDS + loose > _MOST:
            fault = 1
    reach = np.empty((v.used[REACHED], 3), np.int64)
    to = 0
    for at in range(v.used[REACHED]):
        key, level = v.reached[at, 1], v.reached[at, 2]
        if block_of[key] >= 0 and level > low_of[key]:
            reach[to, 0], reach[to, 1], reach[to, 2] = v.reached[at, 0], block_of[key], level - low_of[key]
            to += 1
    return Flight(
        blocks[:count],
        values[:many],
        levels[:many],
        dims[:count],
        fresh[:count],
        reach[:to],
        sizes,
        used,
        fault,
    )


@part
def kills_of(t: FlatTrace, reach: Ints, width: int, crash: int) -> Ints:
    """Return the levels of all blocks after each change; after a partial force those of the last."""
    steps = 0
    for at in range(len(reach)):
        steps += at == 0 or reach[at, 0] != reach[at - 1, 0]
    out = np.zeros((steps + 1, width), np.int64)
    number = 0
    for at in range(len(reach)):
        if at == 0 or reach[at, 0] != reach[at - 1, 0]:
            copied_row(out, number + 1, out, number)
            number += 1
        out[number, reach[at, 1]] = reach[at, 2]
    first = reach[0, 0] if len(reach) else crash
    for index in range(first, crash):
        if t.ops[index, KIND] == SYNC or t.ops[index, KIND] == SYNC_DIR:
            return out[number : number + 1]
    return out


@part
def is_new(t: FlatTrace, reach: Ints, crash: int) -> Any:
    """Tell whether all in flight was issued since the first crash point, and nothing was released since."""
    first = reach[0, 0] if len(reach) else crash
    for index in range(first, crash):
        kind = t.ops[index, KIND]
        if kind == ACK or kind == RELEASE or kind == NOTHING:
            return False
    return first >= t.flags[FROM]


@part
def spans_of(reach: Ints, count: int) -> Ints:
    """Return for each of `count` operations where its rows of `reach` begin and end, -1 if it has none."""
    out = np.full((count, 2), -1, np.int64)
    for at in range(len(reach)):
        index = reach[at, 0]
        if out[index, 0] < 0:
            out[index, 0] = at
        out[index, 1] = at + 1
    return out


@part
def is_names(blocks: Ints) -> Any:
    """Tell whether names are in flight: they are the first block."""
    return len(blocks) > 0 and blocks[0, B_KIND] == IS_NAMES
