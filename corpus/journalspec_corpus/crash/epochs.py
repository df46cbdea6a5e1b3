"""States of the subset presets: any granule between two forces may persist or not.

All presets with one granule share one group per crash point. A row is put down
to the strongest preset that reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, NAMES, SIZE, Codes, Group, Timeline
from journalspec_corpus.crash.combos import distinct, samples, stream_of, subsets
from journalspec_corpus.crash.extras import BROKEN, broken_group, foreign_group
from journalspec_corpus.crash.model import PRESETS, Preset
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.tearing import as_write
from journalspec_corpus.crash.trace import Ack, Release, Sync, SyncDir, Trace

#: Of the rows in which new space shows what it should not, so many are looked at per crash point.
UNCOVERED = 1024
#: Samples with any number of broken sectors, and the most sectors of which all pairs are broken.
BROKEN_SAMPLES, PAIRS = 16, 6
#: A descriptor says a version in one byte.
MOST_VERSIONS = 255
Mask = npt.NDArray[np.bool_]


def subset_states(trace: Trace, presets: tuple[Preset, ...], seed: int, covered: bool) -> Iterator[States]:
    """Yield the states of the subset presets among `presets`, one set per granule and crash point.

    With `covered`, what the prefix presets reach anyway is left out where that is easily seen.
    """
    wanted = [
        number for number, preset in enumerate(PRESETS) if preset.order == "subset" and preset in presets
    ]
    for granule in dict.fromkeys(PRESETS[number].granule for number in wanted):
        ranks = [number for number in wanted if PRESETS[number].granule == granule]
        for group, loose in _epochs(trace, granule):
            states = _states(group, loose, ranks, seed, covered)
            if len(states):
                yield states


def _epochs(trace: Trace, granule: int) -> Iterator[tuple[Group, tuple[Mapping[str, int], ...]]]:
    """Yield what is in flight just before each force and acknowledgement, and at the end.

    Before a release as well: the same may be on disk afterwards, but less is owed then.
    """
    line = Timeline(trace, granule)
    ends = [
        at
        for at, op in enumerate(trace.ops)
        if isinstance(op, (Sync, SyncDir, Ack, Release)) and op != Release(())
    ]
    for index in [*ends, len(trace.ops)]:
        if index >= trace.crash_from:
            line.advance(index)
            group = line.group().with_idle()
            if group.cells:
                yield group, line.loose_names()


def _states(
    group: Group, loose: tuple[Mapping[str, int], ...], ranks: list[int], seed: int, covered: bool
) -> States:
    """Return all states of one crash point under the presets `ranks`, strongest first."""
    if max(group.dims) + len(BROKEN) + len(loose) > MOST_VERSIONS:
        raise ValueError(f"{group.trace.name}: more than {MOST_VERSIONS} versions of one granule in flight")
    parts: list[tuple[Codes, npt.NDArray[np.uint8]]] = []
    shown = group
    granule = group.granule
    stream = stream_of(f"{seed}/{group.trace.id}/{group.crash_index}/{granule}")
    rows = subsets(group.dims, stream)
    # One cell in flight: its versions are what the prefix presets leave anyway.
    alone = sum(size > 1 for size in group.dims) <= 1
    if not (covered and alone and _is_new(group)):
        parts.append(_plain(group, rows, [rank for rank in ranks if _is_plain(PRESETS[rank])]))
    for rank in ranks:
        preset = PRESETS[rank]
        if _is_plain(preset):
            continue
        if shown is group:
            foreign = preset.fresh == "foreign"
            shown = foreign_group(group, seed) if foreign else broken_group(group, seed, loose)
        if preset.broken:
            special = _broken(group, stream)
        elif preset.trash:
            special = _trashed(group)
        else:
            special = _uncovered(group, rows)
            if preset.metadata == "any":
                special = np.concatenate([special, _loose(group, len(loose))])
        parts.append((special, np.full(len(special), rank, np.uint8)))
    codes = np.concatenate([part for part, _ in parts] or [np.zeros((0, len(group.cells)), np.uint16)])
    labels = np.concatenate([part for _, part in parts] or [np.zeros(0, np.uint8)])
    if any(len(part) and PRESETS[part[0]].fresh == "garbage" for _, part in parts):
        # Garbage in one new granule is what broken sectors leave, too.
        codes, first = distinct(codes)
        labels = labels[first]
    return States(shown, codes, labels, np.zeros(len(codes), np.int32))


def _is_new(group: Group) -> bool:
    """Tell whether all in flight was issued since the first crash point, and nothing was released since."""
    first = min(group.reach, default=group.crash_index)
    released = any(isinstance(op, (Ack, Release)) for op in group.trace.ops[first : group.crash_index])
    return first >= group.trace.crash_from and not released


def _is_plain(preset: Preset) -> bool:
    """Tell whether a preset leaves nothing but versions that were written."""
    return not preset.trash and preset.fresh == "zero" and preset.metadata != "any"


def _plain(group: Group, rows: Codes, ranks: list[int]) -> tuple[Codes, npt.NDArray[np.uint8]]:
    """Return the rows that a preset in `ranks` reaches, each put down to the first that does."""
    labels = np.full(len(rows), 255, np.uint8)
    for rank in reversed(ranks):
        labels[admitted(group, rows, PRESETS[rank])] = rank
    keep = labels != 255
    return rows[keep], labels[keep]


def admitted(group: Group, rows: Codes, preset: Preset) -> Mask:
    """Return which rows of plain versions the order of names, sizes and data in `preset` allows."""
    out = np.ones(len(rows), bool)
    events = [
        (index, cell, level)
        for index in sorted(group.reach)
        for cell, level in group.reach[index]
        if group.cells[cell].kind in (NAMES, SIZE)
    ]
    if preset.metadata == "journaled":
        done = group.trace.ops[: group.crash_index]
        forced = max((at for at, op in enumerate(done) if isinstance(op, (Sync, SyncDir))), default=-1)
        missing = ~out
        for index, cell, level in events:
            arrived = rows[:, cell] >= level
            out &= arrived if index < forced else ~(arrived & missing)
            missing = missing | ~arrived
    if preset.append in ("data-first", "own-data-first"):
        for index, cell, level in events:
            if group.cells[cell].kind == SIZE:
                own = preset.append != "data-first"
                # A size that a later write has set waits for that one only, if each waits for its own.
                free = rows[:, cell] != level if own else rows[:, cell] < level
                for data, least in _data_before(group, index, group.cells[cell].file, own=own).items():
                    out &= free | (rows[:, data] >= least)
    return out


def _data_before(group: Group, index: int, file: int, *, own: bool) -> dict[int, int]:
    """Return the level that each new block of `file` had reached by operation `index` (or got from it)."""
    needed: dict[int, int] = {}
    write = as_write(group.trace.ops[index])
    start, end = (write.off, write.off + len(write.data)) if write is not None else (0, 0)
    for at in (at for at in sorted(group.reach) if at <= index):
        for cell, level in group.reach[at]:
            block = group.cells[cell].index * group.granule
            # What writes the same once more writes the block as it is by then.
            touched = block < end and start < block + group.granule
            if group.fresh[cell] and group.cells[cell].file == file and (touched or not own):
                needed[cell] = level
    return needed


def _uncovered(group: Group, rows: Codes) -> Codes:
    """Return the rows in which new space can be seen that nothing arrived in, with its extra version there.

    The extra version is the first behind the cell's own.
    """
    sizes = {cell.file: at for at, cell in enumerate(group.cells) if cell.kind == SIZE}
    out = rows.copy()
    seen = np.zeros(len(rows), bool)
    for at, cell in enumerate(group.cells):
        if not group.fresh[at] or cell.file not in sizes:
            continue
        size = sizes[cell.file]
        reached = np.asarray(group.cells[size].versions)[rows[:, size]] > cell.index * group.granule
        bare = reached & (rows[:, at] == 0)
        out[bare, at] = len(cell.versions)
        seen |= bare
    return out[seen][:UNCOVERED]


def _loose(group: Group, count: int) -> Codes:
    """Return each choice of names that no order leaves, with the rest all there, all lost, or nearly so."""
    at = next((at for at, cell in enumerate(group.cells) if cell.kind == NAMES), -1)
    if at < 0 or not count:
        return np.zeros((0, len(group.cells)), np.uint16)
    rows = np.repeat(_nearly(group.dims), count, axis=0)
    rows[:, at] = group.dims[at] + np.tile(np.arange(count), len(rows) // count)
    return distinct(rows)[0]


def _nearly(dims: tuple[int, ...]) -> Codes:
    """Return all arrived and all lost, each also with every single deviation."""
    parts = []
    places = np.repeat(np.arange(len(dims)), np.asarray(dims) - 1)
    for base in (np.asarray(dims, np.uint16) - 1, np.zeros(len(dims), np.uint16)):
        rows = np.tile(base.astype(np.uint16), (1 + len(places), 1))
        others = [
            code for size, own in zip(dims, base.tolist(), strict=True) for code in range(size) if code != own
        ]
        rows[np.arange(1, len(rows)), places] = others
        parts.append(rows)
    return np.concatenate(parts)


def _data(group: Group) -> npt.NDArray[np.intp]:
    return np.asarray([at for at, cell in enumerate(group.cells) if cell.kind == DATA], np.intp)


def _trashed(group: Group) -> Codes:
    """Return rows with garbage in exactly one granule; the rest all arrived, all did not, or nearly so."""
    data = _data(group)
    if not len(data):
        return np.zeros((0, len(group.cells)), np.uint16)
    near = _nearly(group.dims)
    rows = np.repeat(near, len(data), axis=0)
    places = np.tile(data, len(near))
    rows[np.arange(len(rows)), places] = np.asarray(group.dims)[places]
    return distinct(rows)[0]


def _broken(group: Group, stream: int) -> Codes:
    """Return rows with half granules, with two of garbage, and samples with any number of them."""
    data = _data(group)
    if not len(data):
        return np.zeros((0, len(group.cells)), np.uint16)
    dims = np.asarray(group.dims, np.uint16)
    halves, kinds = np.repeat(data, 2), np.tile(np.asarray([1, 2], np.uint16), len(data))
    few = len(data) <= PAIRS
    pairs = np.asarray(list(combinations(data.tolist(), 2)) if few else [], np.intp).reshape(-1, 2)
    parts = []
    for base in (dims - 1, np.zeros_like(dims)):
        rows = np.tile(base.astype(np.uint16), (len(halves) + len(pairs), 1))
        rows[np.arange(len(halves)), halves] = dims[halves] + kinds
        for side in (0, 1):
            rows[np.arange(len(halves), len(rows)), pairs[:, side]] = dims[pairs[:, side]]
        parts.append(rows)
    return np.concatenate([*parts, _broken_samples(group, data.tolist(), dims, stream)])


def _broken_samples(group: Group, data: list[int], dims: Codes, stream: int) -> Codes:
    """Return samples in which a granule is right or old (a quarter each) or broken, two at least."""
    drawn = samples((4,) * len(dims), stream, BROKEN_SAMPLES)
    kinds = samples((len(BROKEN),) * len(dims), stream ^ 1, BROKEN_SAMPLES)
    rows = samples(tuple(group.dims), stream ^ 2, BROKEN_SAMPLES)
    for at in data:
        rows[:, at] = np.where(
            drawn[:, at] == 0, dims[at] - 1, np.where(drawn[:, at] == 1, 0, dims[at] + kinds[:, at])
        )
    return np.asarray(rows[(rows >= dims).sum(axis=1) > 1])
