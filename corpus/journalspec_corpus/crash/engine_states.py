"""All honest states of a flat trace in compiled code: one call, one row per state.

The states, and their order, are those of :mod:`.losses`; what is true of them is what :mod:`.facts` says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash import (
    engine_classes,
    engine_facts,
    engine_points,
    engine_replay,
    engine_rows,
    fingerprints,
)
from journalspec_corpus.crash.blocks import BROKEN as BROKEN_KINDS
from journalspec_corpus.crash.blocks import FOREIGN as FOREIGN_LEVEL
from journalspec_corpus.crash.blocks import MIXED, TRASHED
from journalspec_corpus.crash.compiled import (
    copied,
    copied_row,
    copied_rows,
    entry,
    part,
    promise_term,
    stamp,
)
from journalspec_corpus.crash.engine_classes import categories, torn_fields
from journalspec_corpus.crash.engine_facts import (
    B_COUNT,
    B_FILE,
    B_FIRST,
    B_INDEX,
    B_KIND,
    IS_DATA,
    IS_SIZE,
    Group,
    kill,
    new_memo,
    refusals,
    trashed,
)
from journalspec_corpus.crash.engine_layout import (
    ACK,
    COVERED,
    CUTS,
    FILL,
    FROM,
    GRANULE,
    GROW,
    KIND,
    LENGTH,
    NAMED,
    RELEASE,
    SYNC,
    SYNC_DIR,
    TRUNCATE,
    UNWRITTEN,
    Bytes,
    FlatTrace,
    Hashes,
    Ints,
)
from journalspec_corpus.crash.engine_points import (
    flight_at,
    is_names,
    is_new,
    kills_of,
    lanes_of,
    levels_of,
    spans_of,
    torn_write,
)
from journalspec_corpus.crash.engine_replay import (
    CELL_DIRTY,
    NAMES_LOW,
    another,
    content,
    new_image,
    new_versions,
    restart,
    room_needed,
    step,
    version_step,
)
from journalspec_corpus.crash.engine_rows import most_rows, subset_rows
from journalspec_corpus.crash.held import held, let_go
from journalspec_corpus.crash.losses import MOST_VERSIONS
from journalspec_corpus.crash.pages import PAGE
from journalspec_corpus.crash.persistence import PRESETS

_PAGE, _MOST, _KINDS = PAGE, MOST_VERSIONS, len(BROKEN_KINDS)
_TRASHED, _MIXED, _FOREIGN_LEVEL = TRASHED, MIXED, FOREIGN_LEVEL
_NONE = 255
Codes = npt.NDArray[np.uint16]


class TraceStates(NamedTuple):
    """All honest states of a trace; see the columns above.

    `contents` and `states` are lanes, shape (rows, 2). `blocks` and `values` are as in :class:`.kernel.Flat`,
    for all groups one behind the other. A row of `patches` is a place in the buffer of all files,
    and one in `pool`: a page that has changed since the group before. `sizes` has those of all files for each
    group, -1 for one in flight. `keys` and `owners` are the table of the shard's states, `filled` its rows.
    """

    rows: Ints
    contents: Hashes
    states: Hashes
    codes: Codes
    groups: Ints
    blocks: Ints
    values: Ints
    patches: Ints
    sizes: Ints
    pool: Bytes
    keys: Hashes
    owners: Ints
    filled: int
    fault: int


@part
def _more_ints(rows: Ints, used: int, more: int) -> Ints:
    """Return rows with room for so many more."""
    if used + more <= len(rows):
        return rows
    out = np.empty((2 * (used + more), rows.shape[1]), np.int64)
    copied_rows(out, rows, used)
    return out


@part
def _more_hashes(rows: Hashes, used: int, more: int) -> Hashes:
    if used + more <= len(rows):
        return rows
    out = np.empty((2 * (used + more), rows.shape[1]), np.uint64)
    copied_rows(out, rows, used)
    return out


@part
def _more_bytes(data: Bytes, used: int, more: int) -> Bytes:
    if used + more <= len(data):
        return data
    out = np.empty(2 * (used + more), np.uint8)
    copied(out, 0, data, 0, used)
    return out


@part
def _more_codes(data: Codes, used: int, more: int) -> Codes:
    if used + more <= len(data):
        return data
    out = np.empty(2 * (used + more), np.uint16)
    copied(out, 0, data, 0, used)
    return out


@part
def _more_room(keys: Hashes, owners: Ints, filled: int, more: int) -> tuple[Hashes, Ints]:
    """Return the table of states with room for so many more: never more than half of it is used."""
    if 2 * (filled + more) <= len(owners):
        return keys, owners
    size = len(owners)
    while size < 4 * (filled + more):
        size *= 2
    new_keys, new_owners = np.empty((size, 2), np.uint64), np.full(size, -1, np.int64)
    for old in range(len(owners)):
        if owners[old] >= 0:
            place = np.int64(keys[old, 0] & np.uint64(size - 1))
            while new_owners[place] >= 0:
                place = (place + 1) & (size - 1)
            copied_row(new_keys, place, keys, old)
            new_owners[place] = owners[old]
    return new_keys, new_owners


@part
def owner_of(keys: Hashes, owners: Ints, a: Any, b: Any, row: int) -> Any:
    """Return the row that has the state of these lanes; `row`, which is noted, if there was none."""
    mask = len(owners) - 1
    place = np.int64(a & np.uint64(mask))
    while owners[place] >= 0:
        if keys[place, 0] == a and keys[place, 1] == b:
            return owners[place]
        place = (place + 1) & mask
    keys[place, 0], keys[place, 1], owners[place] = a, b, row
    return row


def _compiled(version: str) -> Any:
    """Return the entry function; `version` is in it only to be a part of its name on disk."""

    @entry
    def states_of(trace: FlatTrace, keys: Hashes, owners: Ints, filled: int, pool: Bytes) -> TraceStates:
        version  # noqa: B018  # see crash.compiled
        t: Any = held(trace)
        count, files = len(t.ops), len(t.files)
        before = held(new_image(t))
        image = held(another(before))
        images = np.zeros((count + 1, 2), np.uint64)
        rows, codes = np.empty((1024, 8), np.int64), np.empty(4096, np.uint16)
        contents, states = np.empty((1024, 2), np.uint64), np.empty((1024, 2), np.uint64)
        groups, blocks, values = (
            np.empty((64, 13), np.int64),
            np.empty((256, 6), np.int64),
            np.empty((4096, 1), np.int64),
        )
        patches, sizes = np.empty((256, 2), np.int64), np.empty((64, files), np.int64)
        n_rows, n_codes, n_groups, n_blocks, n_values, n_patches, used, fault = 0, 0, 0, 0, 0, 0, 0, 0
        n_subsets, which, turn, first_of = len(t.subsets), -1, 0, 0
        # Turn 0 is the prefix presets, each further one the subset presets of one granule.
        while turn == 0 or first_of < n_subsets:
            granule, end_of = _PAGE, first_of
            if turn:
                granule = t.subsets[first_of, GRANULE]
                while end_of < n_subsets and t.subsets[end_of, GRANULE] == granule:
                    end_of += 1
                which += 1
                restart(t, image, before)
                pool = _more_bytes(pool, used, room_needed(t, granule))
            subsets = t.subsets[first_of:end_of]
            versions = held(new_versions(t, before, granule))
            for index in range(count + 1):
                kind = t.ops[index, KIND] if index < count else -1
                if turn == 0:
                    images[index, 0], images[index, 1] = content(t, image.now[0], image.sizes, image.sums)
                wanted = index >= t.flags[FROM]
                is_torn = (
                    wanted and turn == 0 and index < count and t.ops[index, CUTS] >= 0 and len(t.prefixes) > 0
                )
                if turn == 0:
                    single = (
                        kind < 0 or kind == TRUNCATE or kind == GROW or kind == UNWRITTEN or kind == NAMED
                    )
                    single = single or kind == ACK or kind == RELEASE or (kind == FILL and not is_torn)
                    wanted = wanted and len(t.prefixes) > 0 and (is_torn or single)
                else:
                    wanted = wanted and (
                        kind < 0 or kind == SYNC or kind == SYNC_DIR or kind == ACK or kind == RELEASE
                    )
                    if wanted:
                        room = 0
                        for cell in range(len(versions.cells)):
                            if versions.cells[cell, CELL_DIRTY]:
                                room += (_KINDS + 1) * granule
                        pool = _more_bytes(pool, used, room)
                        flight = flight_at(t, image, versions, subsets, which, index, pool, used)
                        fault |= flight.fault
                        wanted = len(flight.blocks) > 0 and not flight.fault
                if wanted:
                    names = image.now[0]
                    written = 1
                    if is_torn:
                        length = t.ops[index, LENGTH]
                        pool = _more_bytes(pool, used, (length + 3 * (length // _PAGE + 2)) * _PAGE)
                        write = torn_write(t, image, index, pool, used)
                        used = write.used
                        g_codes, g_labels, g_tear = write.codes, write.labels, write.tear
                        g_blocks, g_values, g_levels, g_sizes = (
                            write.blocks,
                            write.values,
                            write.levels,
                            image.sizes.copy(),
                        )
                        g_fresh = np.zeros(len(g_blocks), np.bool_)
                        g_reach = np.empty((len(g_blocks), 3), np.int64)
                        kills = np.zeros((2, len(g_blocks)), np.int64)
                        reached = 0
                        for at in range(len(g_blocks)):
                            level = g_levels[g_blocks[at, B_FIRST] + g_blocks[at, B_COUNT] - 1]
                            kills[1, at] = level
                            if level > 0:
                                g_reach[reached, 0], g_reach[reached, 1], g_reach[reached, 2] = (
                                    index,
                                    at,
                                    level,
                                )
                                reached += 1
                        g_reach = g_reach[:reached]
                        upto, torn_at, by_image = index + 1, index, 0
                    elif turn == 0:
                        g_codes, g_labels = (
                            np.zeros((1, 0), np.uint16),
                            np.full(1, t.prefixes[0, 0], np.uint8),
                        )
                        g_tear, g_blocks = np.zeros(1, np.int64), np.zeros((0, 5), np.int64)
                        g_values, g_levels, g_sizes = (
                            np.zeros(0, np.int64),
                            np.zeros(0, np.int64),
                            image.sizes.copy(),
                        )
                        g_fresh, g_reach = np.zeros(0, np.bool_), np.empty((0, 3), np.int64)
                        kills = np.zeros((1, 0), np.int64)
                        upto, torn_at, by_image = index, -1, 0
                    else:
                        used = flight.used
                        names = versions.used[NAMES_LOW]
                        loose = t.loose[index, 1] if is_names(flight.blocks) else 0
                        most = most_rows(flight.dims, flight.blocks, subsets, loose)
                        g_codes, g_labels = (
                            np.empty((most, len(flight.blocks)), np.uint16),
                            np.empty(most, np.uint8),
                        )
                        moving = 0
                        for at in range(len(flight.dims)):
                            moving += flight.dims[at] > 1
                            written = min(written * flight.dims[at], 1 << 40)
                        alone = t.flags[COVERED] and moving <= 1 and is_new(t, flight.reach, index)
                        made = subset_rows(
                            t,
                            subsets,
                            flight.blocks,
                            flight.dims,
                            flight.values,
                            flight.fresh,
                            flight.reach,
                            index,
                            granule,
                            t.streams[which, index],
                            not alone,
                            loose,
                            g_codes,
                            g_labels,
                        )
                        g_codes, g_labels, g_tear = g_codes[:made], g_labels[:made], np.zeros(made, np.int64)
                        g_blocks, g_values, g_levels = flight.blocks, flight.values, flight.levels
                        g_sizes, g_fresh, g_reach = flight.sizes, flight.fresh, flight.reach
                        kills = kills_of(t, g_reach, len(g_blocks), index)
                        upto, torn_at = index, -1
                        by_image = 1 if len(kills) == 1 or is_names(g_blocks) else 0
                    many = len(g_codes)
                    if many:
                        lanes = lanes_of(t, image, g_blocks, g_values, g_codes, pool, granule, g_sizes, names)
                        here = np.empty(6, np.int64)
                        here[0], here[1], here[2], here[3], here[4], here[5] = (
                            granule,
                            upto,
                            torn_at,
                            index,
                            names,
                            by_image,
                        )
                        now = Group(
                            g_codes,
                            levels_of(g_blocks, g_levels, g_codes),
                            g_labels,
                            g_tear,
                            g_blocks,
                            g_values,
                            g_levels,
                            g_fresh,
                            g_reach,
                            spans_of(g_reach, count),
                            kills,
                            pool,
                            lanes,
                            images,
                            g_sizes,
                            here,
                        )
                        g = held(now)
                        memo = held(new_memo(t, g))
                        trash = trashed(g)
                        killed = kill(g, trash)
                        refusal = refusals(t, g, memo, killed, trash)
                        category = categories(t, g, memo, killed, trash)
                        field = torn_fields(t, g, memo)
                        let_go(memo)
                        let_go(g)
                        rows, codes = (
                            _more_ints(rows, n_rows, many),
                            _more_codes(codes, n_codes, g_codes.size),
                        )
                        contents, states = (
                            _more_hashes(contents, n_rows, many),
                            _more_hashes(states, n_rows, many),
                        )
                        keys, owners = _more_room(keys, owners, filled, many)
                        owed = 2 * index + (1 if is_torn else 0)
                        pa, pb = promise_term(t.promises[owed, 0], t.promises[owed, 1])
                        for row in range(many):
                            at = n_rows + row
                            copied_row(contents, at, lanes, row)
                            a, b = lanes[row, 0] + pa, lanes[row, 1] + pb
                            states[at, 0], states[at, 1] = a, b
                            owner = owner_of(keys, owners, a, b, filled)
                            out = rows[at]
                            out[0], out[1], out[2], out[3] = (
                                n_groups,
                                g_labels[row],
                                g_tear[row],
                                refusal[row],
                            )
                            out[4], out[5], out[6], out[7] = category[row], field[row], owner, owner == filled
                            filled += owner == filled
                        # How a kernel comes to see this group.
                        per = granule // _PAGE
                        patches = _more_ints(patches, n_patches, len(image.changed))
                        pool = _more_bytes(pool, used, len(image.changed) * _PAGE)
                        for at in range(len(g_blocks)):
                            if g_blocks[at, B_KIND] == IS_DATA:
                                page = t.files[g_blocks[at, B_FILE], 0] // _PAGE + g_blocks[at, B_INDEX] * per
                                for inside in range(page, page + per):
                                    image.changed[inside] |= 2
                        first_patch = n_patches
                        for page in range(len(image.changed)):
                            if image.changed[page] == 1:
                                patches[n_patches, 0], patches[n_patches, 1] = page * _PAGE, used
                                copied(pool, used, image.bytes, page * _PAGE, _PAGE)
                                used += _PAGE
                                n_patches += 1
                            # Blocks are left as the last row has them.
                            image.changed[page] = 1 if image.changed[page] >= 2 else 0
                        groups, sizes = _more_ints(groups, n_groups, 1), _more_ints(sizes, n_groups, 1)
                        copied(sizes[n_groups], 0, g_sizes, 0, files)
                        blocks = _more_ints(blocks, n_blocks, len(g_blocks))
                        values = _more_ints(values, n_values, len(g_values))
                        copied(values[:, 0], n_values, g_values, 0, len(g_values))
                        for at in range(len(g_blocks)):
                            b_row, kind_of, file = (
                                blocks[n_blocks + at],
                                g_blocks[at, B_KIND],
                                g_blocks[at, B_FILE],
                            )
                            b_row[0], b_row[1] = kind_of, file
                            b_row[2] = t.files[file, 0] + g_blocks[at, B_INDEX] * granule
                            b_row[3] = granule if kind_of == IS_DATA else 0
                            b_row[4], b_row[5] = n_values + g_blocks[at, B_FIRST], -1
                            if kind_of == IS_SIZE:
                                sizes[n_groups, file] = -1
                        width = len(g_blocks)
                        for row in range(many):
                            for at in range(width):
                                codes[n_codes + row * width + at] = g_codes[row, at]
                        group = groups[n_groups]
                        group[0], group[1], group[2], group[3] = index, torn_at, granule, width
                        group[4], group[5], group[6], group[7] = n_rows, many, n_codes, n_blocks
                        group[8], group[9], group[10], group[11], group[12] = (
                            first_patch,
                            n_patches - first_patch,
                            written,
                            names,
                            0,
                        )
                        n_rows += many
                        n_codes += many * width
                        n_blocks += width
                        n_values += len(g_values)
                        n_groups += 1
                if index < count:
                    if turn == 0:
                        step(t, image, index)
                    else:
                        used = version_step(t, image, versions, granule, index, pool, used)
            let_go(versions)
            turn += 1
            first_of = end_of
        let_go(before)
        let_go(image)
        let_go(t)
        return TraceStates(
            rows[:n_rows],
            contents[:n_rows],
            states[:n_rows],
            codes[:n_codes],
            groups[:n_groups],
            blocks[:n_blocks],
            values[:n_values, 0].copy(),
            patches[:n_patches],
            sizes[:n_groups],
            pool,
            keys,
            owners,
            filled,
            fault,
        )

    return states_of


def _compiled_note(version: str) -> Any:
    """Return the entry function of :func:`owner_of` for many states, as above."""

    @entry
    def noted(keys: Hashes, owners: Ints, filled: int, lanes: Hashes) -> tuple[Hashes, Ints, Ints]:
        version  # noqa: B018  # see crash.compiled
        keys, owners = _more_room(keys, owners, filled, len(lanes))
        out = np.empty(len(lanes), np.int64)
        for row in range(len(lanes)):
            out[row] = owner_of(keys, owners, lanes[row, 0], lanes[row, 1], filled)
            filled += out[row] == filled
        return keys, owners, out

    return noted


_PARTS = (engine_classes, engine_facts, engine_points, engine_replay, engine_rows, fingerprints)
_STAMP = "".join([*(stamp(vars(module)) for module in _PARTS), stamp(globals()), repr(PRESETS)])
#: The states of a flat trace, given the table of a shard's states, and a pool to use:
#: ``(t, keys, owners, filled, pool)``.
states_of = _compiled(_STAMP)
#: The rows that states of these lanes are: ``(keys, owners, filled, lanes)``; the table comes back as well.
noted = _compiled_note(_STAMP)
