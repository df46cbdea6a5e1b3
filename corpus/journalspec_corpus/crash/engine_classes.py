"""Which category a state is of, and in which field it tears, as columns, in compiled code.

The same as :mod:`.facts` says of states, function by function under the same names, on a flat trace.
"""

from __future__ import annotations

import numpy as np

from journalspec_corpus.crash.compiled import part
from journalspec_corpus.crash.engine_facts import (
    B_FILE,
    B_FIRST,
    B_INDEX,
    B_KIND,
    CRASH,
    DURABLE,
    IS_DATA,
    IS_NAMES,
    IS_SIZE,
    STEP,
    TORN,
    Column,
    Group,
    Labels,
    Memo,
    arrived,
    intact,
    issued,
    or_touched,
    published,
)
from journalspec_corpus.crash.engine_layout import (
    COMPACT,
    CREATE,
    CREATED,
    DURING,
    FIELD_COUNT,
    FIELDS,
    INDEX,
    LIFE,
    MARK_LENGTH,
    MARK_OFF,
    NOISE,
    OFF,
    OPENED,
    RECORD,
    RECOVERY,
    REUSED,
    ROTATE,
    SPACE,
    STALE_AS,
    STALE_SPACE,
    FlatTrace,
)
from journalspec_corpus.crash.facts import HEAD
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.verdict import CATEGORIES

_HOLE, _ZERO_TAIL, _BEHIND, _AHEAD, _STRADDLE, _REORDER, _SPLIT, _TORN = (
    CATEGORIES.index(name)
    for name in (
        "sector-hole",
        "zero-tail",
        "pointer-behind",
        "pointer-ahead",
        "header-straddle",
        "epoch-reorder",
        "tx-split",
        "prefix-torn",
    )
)
_COMPACT, _CREATE, _ROTATE, _SIZE_FIRST, _FOREIGN, _TRASH, _CLEAN, _RECOVERY, _SECOND = (
    CATEGORIES.index(name)
    for name in (
        "compact",
        "create",
        "rotate",
        "size-before-data",
        "stale-foreign",
        "sector-trash",
        "clean",
        "recovery-crash",
        "second-crash",
    )
)
_SHOWS_FOREIGN = np.asarray([preset.fresh == "foreign" for preset in PRESETS])
_HEAD = HEAD


@part
def _take(out: Labels, rows: Column, code: int) -> None:
    for row in range(len(out)):
        if rows[row]:
            out[row] = code


@part
def categories(t: FlatTrace, g: Group, memo: Memo, killed: Column, trash: Column) -> Labels:
    """Return for each row the index of its category; later rules take a state over."""
    rows = len(g.codes)
    out = np.full(rows, _HOLE, np.uint8)
    crash, torn, during = g.here[CRASH], g.here[TORN], t.flags[DURING]
    if t.flags[LIFE] > 1 or during == RECOVERY:
        # Nothing that comes before makes a difference then.
        opening = during == RECOVERY or crash < t.flags[OPENED]
        out[:] = _RECOVERY if opening else _SECOND
        return out
    ahead_of_data = _ahead_of_data(t, g)
    settled = during in (COMPACT, CREATE, ROTATE) or t.flags[CREATED] <= crash or t.flags[REUSED] <= crash
    if during == COMPACT:
        out[:] = _COMPACT
    elif during == CREATE or t.flags[CREATED] <= crash:
        out[:] = _CREATE
    elif during == ROTATE or t.flags[REUSED] <= crash:
        out[:] = _ROTATE
    elif torn >= 0:
        out[:] = _TORN
    if not settled and torn < 0:
        many = issued(t, g)
        if t.flags[SPACE] not in (STALE_SPACE, NOISE) and many:
            _take(out, _bare_tail(g, t.marks[many - 1, INDEX]), _ZERO_TAIL)
        ahead, behind, split = _pointers(t, g, memo, killed, many)
        _take(out, behind, _BEHIND)
        _take(out, ahead, _AHEAD)
        lacking, reordered = _order(t, g, memo, many)
        if t.flags[SPACE] == STALE_SPACE:
            _take(out, lacking, t.flags[STALE_AS])
        _take(out, _straddling(t, g, many), _STRADDLE)
        _take(out, reordered, _REORDER)
        _take(out, split, _SPLIT)
    _take(out, ahead_of_data, _SIZE_FIRST)
    for row in range(rows):
        if _SHOWS_FOREIGN[g.preset[row]]:
            out[row] = _FOREIGN
        if trash[row] and not ahead_of_data[row]:
            out[row] = _TRASH
        if killed[row] and not trash[row]:
            out[row] = _CLEAN
    return out


@part
def _bare_tail(g: Group, last: int) -> Column:
    """Return the rows in which nothing of the last record arrived while something before it did."""
    some, tail = np.zeros(len(g.codes), np.bool_), np.zeros(len(g.codes), np.bool_)
    for index in range(last):
        if g.span[index, 0] >= 0:
            or_touched(g, some, index)
    or_touched(g, tail, last)
    for row in range(len(some)):
        some[row] &= not tail[row]
    return some


@part
def _straddling(t: FlatTrace, g: Group, many: int) -> Column:
    """Return the rows in which one field of a record's header arrived and another did not."""
    out = np.zeros(len(g.codes), np.bool_)
    step = g.here[STEP]
    for number in range(many):
        mark = t.marks[number]
        place = -(-(mark[MARK_OFF] + 1) // step)
        if place * step - mark[MARK_OFF] >= min(_HEAD, mark[MARK_LENGTH]):
            continue
        before, behind = -1, -1
        for entry in range(g.span[mark[INDEX], 0], g.span[mark[INDEX], 1]):
            block = g.blocks[g.reach[entry, 1]]
            if block[B_KIND] == IS_DATA and block[B_INDEX] == place - 1:
                before = entry
            if block[B_KIND] == IS_DATA and block[B_INDEX] == place:
                behind = entry
        if before >= 0 and behind >= 0:
            one, two = g.levels[g.reach[before, 1]], g.levels[g.reach[behind, 1]]
            for row in range(len(out)):
                out[row] |= (one[row] >= g.reach[before, 2]) != (two[row] >= g.reach[behind, 2])
    return out


@part
def _ahead_of_data(t: FlatTrace, g: Group) -> Column:
    """Return the rows in which a file has grown over blocks in which nothing arrived."""
    out = np.zeros(len(g.codes), np.bool_)
    if g.here[TORN] >= 0:
        return out
    for at in range(len(g.blocks)):
        if not g.fresh[at]:
            continue
        file, start = g.blocks[at, B_FILE], g.blocks[at, B_INDEX] * g.here[STEP]
        for other in range(len(g.blocks)):
            if g.blocks[other, B_KIND] == IS_SIZE and g.blocks[other, B_FILE] == file:
                for row in range(len(out)):
                    grown = g.values[g.blocks[other, B_FIRST] + g.codes[row, other]] > start
                    if grown and g.levels[at, row] <= 0 and _named(t, g, row, file):
                        out[row] = True
    return out


@part
def _named(t: FlatTrace, g: Group, row: int, file: int) -> bool:
    """Tell whether file number `file` has a name in a row."""
    names = g.here[DURABLE]
    if len(g.blocks) and g.blocks[0, B_KIND] == IS_NAMES:
        names = g.values[g.blocks[0, B_FIRST] + g.codes[row, 0]]
    for name in range(t.names.shape[1]):
        if t.names[names, name] == file:
            return True
    return False


@part
def _order(t: FlatTrace, g: Group, memo: Memo, many: int) -> tuple[Column, Column]:
    """Return the rows in which a record in flight lacks something, and in which a later one is whole."""
    lost, reordered = np.zeros(len(g.codes), np.bool_), np.zeros(len(g.codes), np.bool_)
    last = -1
    # Marks stand in the order of their writes.
    for number in range(many):
        index = t.marks[number, INDEX]
        if index == last or g.span[index, 0] < 0:
            continue
        last = index
        there = arrived(t, g, memo, index)
        for row in range(len(lost)):
            reordered[row] |= there[row] and lost[row]
            lost[row] |= not there[row]
    return lost, reordered


@part
def _pointers(t: FlatTrace, g: Group, memo: Memo, killed: Column, many: int) -> tuple[Column, Column, Column]:
    """Return the rows in which a pointer is ahead of its record, behind it, or splits a transaction."""
    rows = len(g.codes)
    ahead, behind, split = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
    for number in range(many):
        record = t.marks[number, RECORD]
        whole = intact(t, g, memo, number)
        counted = published(t, g, memo, record)
        member = t.members[record] > 0
        for row in range(rows):
            early = counted[row] and not whole[row]
            late = not counted[row] and whole[row] and not killed[row]
            if member:
                split[row] |= early or late
            else:
                ahead[row] |= early
                behind[row] |= late
    return ahead, behind, split


@part
def torn_fields(t: FlatTrace, g: Group, memo: Memo) -> Labels:
    """Return for each row the number of the field in which the first damaged record tears; 0 if none does."""
    rows = len(g.codes)
    out = np.zeros(rows, np.uint8)
    many = issued(t, g)
    torn = np.empty(rows, np.bool_)
    for number in range(many - 1, -1, -1):
        index, off = t.marks[number, INDEX], t.marks[number, MARK_OFF]
        if g.span[index, 0] < 0:
            continue
        torn[:] = False
        or_touched(g, torn, index)
        there = arrived(t, g, memo, index)
        for row in range(rows):
            torn[row] &= not there[row]
        if not torn.any():
            continue
        first = t.marks[number, FIELDS]
        end = first + t.marks[number, FIELD_COUNT]
        if index == g.here[TORN]:
            for row in range(rows):
                if torn[row]:
                    edge = t.ops[index, OFF] + g.tear[row] - off
                    for field in range(first, end):
                        if edge >= t.fields[field, 0]:
                            out[row] = t.fields[field, 1]
            continue
        _place(t, g, torn, out, index, off, first, end)
    return out


@part
def _place(
    t: FlatTrace, g: Group, torn: Column, out: Labels, index: int, off: int, first: int, end: int
) -> None:
    """Set the field in which a record tears: that at the first granule of its write that did not arrive."""
    # From the last block to the first.
    last = 1 << 30
    while True:
        best = -1
        for entry in range(g.span[index, 0], g.span[index, 1]):
            if g.reach[entry, 1] < last and (best < 0 or g.reach[entry, 1] > g.reach[best, 1]):
                best = entry
        if best < 0:
            return
        last, level = g.reach[best, 1], g.reach[best, 2]
        if g.blocks[last, B_KIND] != IS_DATA:
            continue
        edge = max(off, g.blocks[last, B_INDEX] * g.here[STEP]) - off
        name = 0
        for field in range(first, end):
            if t.fields[field, 0] <= edge:
                name = t.fields[field, 1]
        for row in range(len(out)):
            if torn[row] and not g.levels[last, row] >= level:
                out[row] = name
