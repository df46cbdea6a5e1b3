"""The rows of a crash point in compiled code: which version of each block, under which preset.

The same rows as :mod:`.losses` makes of a crash point, in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import BROKEN as BROKEN_KINDS
from journalspec_corpus.crash.blocks import EXHAUSTIVE, SAMPLES
from journalspec_corpus.crash.compiled import copied_row, part
from journalspec_corpus.crash.engine_facts import (
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
    ANY_NAMES,
    APPEND,
    DATA_FIRST,
    FILL,
    GARBAGE,
    JOURNALED,
    KIND,
    LENGTH,
    OFF,
    OWN_DATA_FIRST,
    PLAIN,
    RANK,
    SYNC,
    SYNC_DIR,
    WRITE,
    FlatTrace,
    Ints,
)
from journalspec_corpus.crash.losses import BROKEN_SAMPLES, PAIRS, UNCOVERED

Codes = npt.NDArray[np.uint16]
_EXHAUSTIVE, _SAMPLES, _UNCOVERED = EXHAUSTIVE, SAMPLES, UNCOVERED
_BROKEN_SAMPLES, _PAIRS, _KINDS = BROKEN_SAMPLES, PAIRS, len(BROKEN_KINDS)
#: Kinds of presets in the column PLAIN: versions that were written; garbage in one granule; any number of
#: broken ones; new space.
ALL_WRITTEN, TRASH, BROKEN_MANY, NEW_SPACE = range(4)
_NONE = 255
_C, _M1, _M2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@part
def _drawn(stream: Any, number: int, bound: int) -> Any:
    """Return draw `number` of a stream, below `bound`."""
    value = stream + np.uint64(number + 1) * _C
    value = (value ^ (value >> np.uint64(30))) * _M1
    value = (value ^ (value >> np.uint64(27))) * _M2
    return np.int64(((value ^ (value >> np.uint64(31))) >> np.uint64(32)) % np.uint64(bound))


@part
def distinct(codes: Codes, labels: Labels, first: int, end: int) -> int:
    """Take out rows of ``codes[first:end]`` that were there already; return where those that are left end."""
    width = codes.shape[1]
    size = 16
    while size < 2 * (end - first):
        size *= 2
    table = np.full(size, -1, np.int64)
    to = first
    for row in range(first, end):
        h = np.uint64(0)
        for at in range(width):
            h = (h ^ np.uint64(codes[row, at])) * _C
            h ^= h >> np.uint64(29)
        place = np.int64(h & np.uint64(size - 1))
        known = False
        while table[place] >= 0 and not known:
            known = True
            for at in range(width):
                if codes[table[place], at] != codes[row, at]:
                    known = False
                    break
            if not known:
                place = (place + 1) & (size - 1)
        if not known:
            table[place] = to
            if to != row:
                copied_row(codes, to, codes, row)
                labels[to] = labels[row]
            to += 1
    return to


@part
def _base(dims: Ints, side: int, out: Any) -> None:
    """Set a row to all arrived (`side` 0) or all lost (1)."""
    for at in range(len(dims)):
        out[at] = dims[at] - 1 if side == 0 else 0


@part
def _plain(dims: Ints, stream: Any, codes: Codes, labels: Labels) -> Any:
    """Put all combinations of versions into `codes`, or few deviations and samples; return how many."""
    total, count = 1, 0
    for at in range(len(dims)):
        total *= dims[at]
        if total > _EXHAUSTIVE:
            break
    if total <= _EXHAUSTIVE:
        for row in range(total):
            rest = row
            for at in range(len(dims) - 1, -1, -1):
                codes[row, at] = rest % dims[at]
                rest //= dims[at]
        return total
    for side in range(2):
        _base(dims, side, codes[count])
        count += 1
        for one in range(len(dims)):
            own = dims[one] - 1 if side == 0 else 0
            for code in range(dims[one]):
                if code != own:
                    _base(dims, side, codes[count])
                    codes[count, one] = code
                    count += 1
        for one in range(len(dims)):
            own = dims[one] - 1 if side == 0 else 0
            for two in range(one + 1, len(dims)):
                its = dims[two] - 1 if side == 0 else 0
                for code in range(dims[one]):
                    for other in range(dims[two]):
                        if code != own and other != its:
                            _base(dims, side, codes[count])
                            codes[count, one], codes[count, two] = code, other
                            count += 1
    for row in range(_SAMPLES):
        for at in range(len(dims)):
            codes[count, at] = _drawn(stream, row * len(dims) + at, dims[at])
        count += 1
    return distinct(codes, labels, 0, count)


@part
def most_rows(dims: Ints, blocks: Ints, subsets: Ints, loose: int) -> Any:
    """Return how many rows there may be at most, repetitions included."""
    total, single, pairs, data = 1, 0, 0, 0
    for at in range(len(dims)):
        total = min(total * dims[at], _EXHAUSTIVE + 1)
        pairs += single * (dims[at] - 1)
        single += dims[at] - 1
        data += blocks[at, B_KIND] == IS_DATA
    if total > _EXHAUSTIVE:
        total = 2 * (1 + single + pairs) + _SAMPLES
    near = 2 * (1 + single)
    out = total
    for number in range(len(subsets)):
        kind = subsets[number, PLAIN]
        if kind == TRASH:
            out += near * data
        elif kind == BROKEN_MANY:
            out += 2 * (2 * data + _PAIRS * _PAIRS) + _BROKEN_SAMPLES
        elif kind == NEW_SPACE:
            out += min(total, _UNCOVERED) + near * loose
    return out + 1


@part
def subset_rows(
    t: FlatTrace,
    subsets: Ints,
    blocks: Ints,
    dims: Ints,
    values: Ints,
    fresh: Column,
    reach: Ints,
    crash: int,
    granule: int,
    stream: Any,
    plain_too: bool,
    loose: int,
    codes: Codes,
    labels: Labels,
) -> int:
    """Put all rows of a crash point into `codes`, their presets into `labels`; return how many."""
    plain = _plain(dims, stream, codes, labels)
    rows = codes[:plain].copy()
    count, garbage = 0, False
    if plain_too:
        labels[:plain] = _NONE
        good = np.empty(plain, np.bool_)
        for number in range(len(subsets) - 1, -1, -1):
            if subsets[number, PLAIN] == ALL_WRITTEN:
                _admitted(t, subsets[number], blocks, values, fresh, reach, crash, granule, rows, good)
                for row in range(plain):
                    if good[row]:
                        labels[row] = subsets[number, RANK]
        for row in range(plain):
            if labels[row] != _NONE:
                copied_row(codes, count, rows, row)
                labels[count] = labels[row]
                count += 1
    for number in range(len(subsets)):
        kind, first = subsets[number, PLAIN], count
        if kind == ALL_WRITTEN:
            continue
        if kind == BROKEN_MANY:
            count = _broken(blocks, dims, stream, codes, count)
        elif kind == TRASH:
            count = distinct(codes, labels, first, _trashed(blocks, dims, codes, count))
        else:
            count = _uncovered(blocks, dims, values, fresh, granule, rows, codes, count)
            if subsets[number, ANY_NAMES] and loose and blocks[0, B_KIND] == IS_NAMES:
                begin = count
                count = distinct(codes, labels, begin, _loose(dims, loose, codes, count))
        labels[first:count] = subsets[number, RANK]
        garbage |= subsets[number, GARBAGE] and count > first
    if garbage:
        count = distinct(codes, labels, 0, count)
    return count


@part
def _admitted(
    t: FlatTrace,
    preset: Ints,
    blocks: Ints,
    values: Ints,
    fresh: Column,
    reach: Ints,
    crash: int,
    granule: int,
    rows: Codes,
    out: Column,
) -> None:
    """Set `out` to the rows that the order of names, sizes and data in a preset allows."""
    out[:] = True
    if preset[JOURNALED]:
        forced = -1
        for index in range(crash):
            if t.ops[index, KIND] == SYNC or t.ops[index, KIND] == SYNC_DIR:
                forced = index
        missing = np.zeros(len(rows), np.bool_)
        for event in range(len(reach)):
            index, block, level = reach[event, 0], reach[event, 1], reach[event, 2]
            if blocks[block, B_KIND] == IS_DATA:
                continue
            for row in range(len(rows)):
                arrived = rows[row, block] >= level
                if index < forced:
                    out[row] &= arrived
                else:
                    out[row] &= not (arrived and missing[row])
                missing[row] |= not arrived
    if preset[APPEND] == DATA_FIRST or preset[APPEND] == OWN_DATA_FIRST:
        own = preset[APPEND] == OWN_DATA_FIRST
        needed = np.empty(len(blocks), np.int64)
        for event in range(len(reach)):
            index, block, level = reach[event, 0], reach[event, 1], reach[event, 2]
            if blocks[block, B_KIND] != IS_SIZE:
                continue
            op = t.ops[index]
            start, end = 0, 0
            if op[KIND] == WRITE or op[KIND] == FILL:
                start, end = op[OFF], op[OFF] + op[LENGTH]
            needed[:] = -1
            for entry in range(len(reach)):
                other = reach[entry, 1]
                if (
                    reach[entry, 0] > index
                    or not fresh[other]
                    or blocks[other, B_FILE] != blocks[block, B_FILE]
                ):
                    continue
                begin = blocks[other, B_INDEX] * granule
                if not own or (begin < end and start < begin + granule):
                    needed[other] = reach[entry, 2]
            for other in range(len(blocks)):
                if needed[other] >= 0:
                    for row in range(len(rows)):
                        free = rows[row, block] != level if own else rows[row, block] < level
                        out[row] &= free or rows[row, other] >= needed[other]


@part
def _uncovered(
    blocks: Ints,
    dims: Ints,
    values: Ints,
    fresh: Column,
    granule: int,
    rows: Codes,
    codes: Codes,
    count: int,
) -> int:
    """Put the rows in which new space can be seen that nothing arrived in, with its extra version there."""
    taken = 0
    for row in range(len(rows)):
        seen = False
        copied_row(codes, count, rows, row)
        for at in range(len(blocks)):
            if not fresh[at]:
                continue
            for size in range(len(blocks)):
                if blocks[size, B_KIND] == IS_SIZE and blocks[size, B_FILE] == blocks[at, B_FILE]:
                    reached = values[blocks[size, B_FIRST] + rows[row, size]] > blocks[at, B_INDEX] * granule
                    if reached and rows[row, at] == 0:
                        codes[count, at] = dims[at]
                        seen = True
        if seen:
            count += 1
            taken += 1
            if taken == _UNCOVERED:
                break
    return count


@part
def _nearly(dims: Ints, number: int, out: Any) -> None:
    """Set a row to all arrived or all lost, or to that with a single deviation: the `number`-th of them."""
    single = 0
    for at in range(len(dims)):
        single += dims[at] - 1
    side, rest = number // (1 + single), number % (1 + single) - 1
    _base(dims, side, out)
    if rest < 0:
        return
    for at in range(len(dims)):
        if rest < dims[at] - 1:
            out[at] = rest if side == 0 else rest + 1
            return
        rest -= dims[at] - 1


@part
def _near_rows(dims: Ints) -> int:
    single = 0
    for at in range(len(dims)):
        single += dims[at] - 1
    return 2 * (1 + single)


@part
def _loose(dims: Ints, loose: int, codes: Codes, count: int) -> int:
    """Put each choice of names that no order leaves, with the rest all there, all lost, or nearly so."""
    for number in range(_near_rows(dims)):
        for choice in range(loose):
            _nearly(dims, number, codes[count])
            codes[count, 0] = dims[0] + choice
            count += 1
    return count


@part
def _trashed(blocks: Ints, dims: Ints, codes: Codes, count: int) -> int:
    """Put rows with garbage in exactly one granule; the rest all arrived, all did not, or nearly so."""
    for number in range(_near_rows(dims)):
        for at in range(len(dims)):
            if blocks[at, B_KIND] == IS_DATA:
                _nearly(dims, number, codes[count])
                codes[count, at] = dims[at]
                count += 1
    return count


@part
def _broken(blocks: Ints, dims: Ints, stream: Any, codes: Codes, count: int) -> int:
    """Put rows with half granules, with two of garbage, and samples with any number of them."""
    data = 0
    for at in range(len(dims)):
        data += blocks[at, B_KIND] == IS_DATA
    if not data:
        return count
    for side in range(2):
        for at in range(len(dims)):
            if blocks[at, B_KIND] == IS_DATA:
                for kind in range(1, 3):
                    _base(dims, side, codes[count])
                    codes[count, at] = dims[at] + kind
                    count += 1
        if data > _PAIRS:
            continue
        for one in range(len(dims)):
            for two in range(one + 1, len(dims)):
                if blocks[one, B_KIND] == IS_DATA and blocks[two, B_KIND] == IS_DATA:
                    _base(dims, side, codes[count])
                    codes[count, one], codes[count, two] = dims[one], dims[two]
                    count += 1
    for row in range(_BROKEN_SAMPLES):
        broken = 0
        for at in range(len(dims)):
            number = row * len(dims) + at
            codes[count, at] = _drawn(stream ^ np.uint64(2), number, dims[at])
            if blocks[at, B_KIND] == IS_DATA:
                kind = _drawn(stream, number, 4)
                if kind == 0:
                    codes[count, at] = dims[at] - 1
                elif kind == 1:
                    codes[count, at] = 0
                else:
                    codes[count, at] = dims[at] + _drawn(stream ^ np.uint64(1), number, _KINDS)
            broken += codes[count, at] >= dims[at]
        count += broken > 1
    return count
