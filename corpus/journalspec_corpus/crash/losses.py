"""States in which writes are torn or lost.

The *prefix* presets leave everything up to an operation, and that one up to some byte;
the *subset* presets any granule between two forces, or not. All presets with one granule
share the blocks of a crash point, and a row is put down to the strongest preset that
reaches it.

A lie about a force leaves more: what had been acknowledged may be gone. No format can
keep its promises then, so these states are counted apart (stratum L). A state that an
honest device leaves as well is not among them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import combinations
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import (
    BROKEN,
    DATA,
    NAMES,
    SIZE,
    Block,
    Codes,
    CrashPoint,
    States,
    Timeline,
    broken_point,
    distinct,
    foreign_point,
    samples,
    selected,
    stream_of,
    subsets,
)
from journalspec_corpus.crash.pages import Pages
from journalspec_corpus.crash.persistence import LYING, PRESETS, Preset
from journalspec_corpus.crash.trace import (
    Ack,
    Mark,
    Preallocate,
    Publish,
    Release,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Write,
)

#: Writes up to this many bytes are torn at each byte, longer ones so near their ends only.
EVERY_BYTE, FRONT = 600, 96
#: In traces with more writes than this that are of interest, only so many of the last are cut like that.
MANY, LAST = 8, 3


def prefix_states(trace: Trace, presets: tuple[Preset, ...]) -> Iterator[States]:
    """Yield the states of the prefix presets among `presets`, one crash point per operation."""
    allowed = [number for number, preset in enumerate(PRESETS) if preset in presets]
    allowed = [number for number in allowed if PRESETS[number].order == "prefix"]
    if not allowed:
        return
    line = Timeline(trace, 512)
    for index, op in enumerate(trace.ops):
        if index < trace.crash_from:
            continue
        line.advance(index)
        write = as_write(op)
        if write is not None:
            yield _torn(line.point(settled=True), index, write, allowed)
        elif not isinstance(op, (Mark, Publish, Reuse, Sync, SyncDir, Write)) and op != Release(()):
            yield _single(line.point(settled=True), allowed[0])
    if len(trace.ops) >= trace.crash_from:
        line.advance(len(trace.ops))
        yield _single(line.point(settled=True), allowed[0])


def as_write(op: object) -> Write | None:
    """Return `op` as a write of at least one byte; space that is filled when it is set aside is one."""
    if isinstance(op, Preallocate) and op.data:
        return Write(op.file, op.off, op.data)
    return op if isinstance(op, Write) and op.data else None


def _single(point: CrashPoint, preset: int) -> States:
    return States(point, np.zeros((1, 0), np.uint16), np.full(1, preset, np.uint8), np.zeros(1, np.int32))


def _torn(point: CrashPoint, index: int, op: Write, allowed: list[int]) -> States:
    """Return the states in which write `index` has arrived up to some byte."""
    number = point.names[op.file]
    size = point.sizes[number]
    end = op.off + len(op.data)
    granules = range(op.off // 512, (end - 1) // 512 + 1)
    blocks: list[Block] = []
    codes = np.zeros((len(op.data) + 1, len(granules) + (end > size)), np.uint16)
    wanted = cuts_of(point.trace, index)
    if op.off < size < end:
        wanted[size - op.off] = True
    for at, granule in enumerate(granules):
        block, column = _torn_cell(point.contents[number], number, granule, op, wanted)
        blocks.append(block)
        codes[:, at] = column
    if end > size:
        # The file grows with the bytes that arrive: together, never before them.
        sizes = sorted({max(size, op.off + arrived) for arrived in range(1, len(op.data) + 1)} | {size})
        level = [0] * (len(sizes) - 1) + [1]
        blocks.append(Block(SIZE, number, 0, tuple(sizes), tuple(level)))
        reached = np.maximum(size, op.off + np.arange(len(op.data) + 1))
        reached[0] = size
        codes[:, -1] = np.searchsorted(np.asarray(sizes), reached)
    tears = np.arange(len(op.data) + 1, dtype=np.int32)
    preset = np.full(len(tears), 255, np.uint8)
    for rank in reversed(allowed):
        preset[_edges(op.off + tears, PRESETS[rank], size)] = rank
    preset[~wanted] = 255
    keep = preset != 255  # the filler above
    full = tuple((at, max(block.levels)) for at, block in enumerate(blocks) if max(block.levels) > 0)
    torn = CrashPoint(
        trace=point.trace,
        crash_index=index,
        granule=512,
        blocks=tuple(blocks),
        contents=point.contents,
        sizes=point.sizes,
        names=point.names,
        reach={index: full} if full else {},
        kills=(tuple(0 for _ in blocks), tuple(max(block.levels) for block in blocks)),
    )
    return States(torn, codes[keep], preset[keep], tears[keep], index)


def cuts_of(trace: Trace, index: int) -> npt.NDArray[np.bool_]:
    """Return for each number of bytes of write `index` that arrived whether that cut is looked at.

    In a long trace all but the last writes are cut at the edges of sectors and fields
    only, and one byte beside them: what comes later does not make more of the others. So
    are writes of which recovery can look at no byte: all cuts of one look the same to it.
    """
    op = as_write(trace.ops[index])
    if op is None:
        raise ValueError(f"{trace.name}: operation {index} writes nothing")
    length = len(op.data)
    if index not in trace.unread and not _is_early(trace, index):
        return _worth_a_cut(op.off, length)
    out = np.zeros(length + 1, bool)
    _beside_sectors(out, op.off)
    edges = [0, length]
    for at, mark in trace.annotated:
        if at == index and isinstance(mark, Mark):
            edges += [mark.off - op.off + start for start, _ in mark.fields]
    for edge in edges:
        out[max(0, edge - 1) : max(0, edge + 2)] = True
    return out


def _is_early(trace: Trace, index: int) -> bool:
    """Tell whether write `index` is of interest, one of many, and none of the last."""
    writes = trace.writes
    of_interest = len(writes) - bisect_left(writes, trace.crash_from, key=itemgetter(0))
    last = writes[-LAST][0] if of_interest > MANY else 0
    # Space that is filled when it is set aside is no write here.
    return trace.crash_from <= index < last and isinstance(trace.ops[index], Write)


def _beside_sectors(out: npt.NDArray[np.bool_], off: int) -> None:
    """Set in `out`, by numbers of bytes that arrived at `off`, the edges of sectors and one byte beside."""
    for beside in (-1, 0, 1):
        out[(beside - off) % 512 :: 512] = True


def _worth_a_cut(off: int, length: int) -> npt.NDArray[np.bool_]:
    """Return for each number of bytes that arrived whether that cut is looked at.

    Writes of up to EVERY_BYTE bytes are cut everywhere. In longer ones, cuts
    inside a long run of payload all say the same: the front and the back are cut
    at every byte, the middle at sector edges and one byte beside them.
    """
    if length <= EVERY_BYTE:
        return np.ones(length + 1, bool)
    out = np.zeros(length + 1, bool)
    out[: FRONT + 1] = out[length - FRONT :] = True
    _beside_sectors(out, off)
    return out


def _torn_cell(
    content: Pages, number: int, granule: int, op: Write, wanted: npt.NDArray[np.bool_]
) -> tuple[Block, Codes]:
    """Return the block of one granule under a torn write, and its code for every tear in `wanted`."""
    start = granule * 512
    old = content[start : start + 512].ljust(512, b"\0")
    column = np.zeros(len(op.data) + 1, np.uint16)
    versions = [old]
    first, last = max(op.off, start), min(op.off + len(op.data), start + 512)
    cuts = np.flatnonzero(wanted[first - op.off + 1 : last - op.off + 1]) + first + 1
    if last not in cuts:
        cuts = np.append(cuts, last)
    # The granule is whole, up to the last byte of the write in it, from `last` on.
    for end in cuts.tolist():
        now = old[: first - start] + op.data[first - op.off : end - op.off] + old[end - start :]
        if now != versions[-1]:
            versions.append(now)
        column[end - op.off] = len(versions) - 1
    column[last - op.off + 1 :] = len(versions) - 1
    levels = (0,) * (len(versions) - 1) + (1,) if len(versions) > 1 else (0,)
    return Block(DATA, number, granule, tuple(versions), levels), column


def _edges(ends: npt.NDArray[np.int32], preset: Preset, size: int) -> npt.NDArray[np.bool_]:
    """Return which of the cuts at file offsets `ends` a preset allows; the first and the last are whole."""
    cut = ends % preset.granule == 0
    if preset.append == "whole":
        # What lies behind the old end is not seen before all of it is there.
        cut = (cut & (ends <= size)) | (ends == size)
    cut[[0, -1]] = True
    return np.asarray(cut)


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
        for point, loose in _epochs(trace, granule):
            states = _states(point, loose, ranks, seed, covered)
            if len(states):
                yield states


def _epochs(trace: Trace, granule: int) -> Iterator[tuple[CrashPoint, tuple[Mapping[str, int], ...]]]:
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
            point = line.point().with_idle()
            if point.blocks:
                yield point, line.loose_names()


def _states(
    point: CrashPoint, loose: tuple[Mapping[str, int], ...], ranks: list[int], seed: int, covered: bool
) -> States:
    """Return all states of one crash point under the presets `ranks`, strongest first."""
    if max(point.dims) + len(BROKEN) + len(loose) > MOST_VERSIONS:
        raise ValueError(f"{point.trace.name}: more than {MOST_VERSIONS} versions of one granule in flight")
    parts: list[tuple[Codes, npt.NDArray[np.uint8]]] = []
    shown = point
    granule = point.granule
    stream = stream_of(f"{seed}/{point.trace.id}/{point.crash_index}/{granule}")
    rows = subsets(point.dims, stream)
    # One block in flight: its versions are what the prefix presets leave anyway.
    alone = sum(size > 1 for size in point.dims) <= 1
    if not (covered and alone and _is_new(point)):
        parts.append(_plain(point, rows, [rank for rank in ranks if PRESETS[rank].plain]))
    for rank in ranks:
        preset = PRESETS[rank]
        if preset.plain:
            continue
        if shown is point:
            foreign = preset.fresh == "foreign"
            shown = foreign_point(point, seed) if foreign else broken_point(point, seed, loose)
        if preset.broken:
            special = _broken(point, stream)
        elif preset.trash:
            special = _trashed(point)
        else:
            special = _uncovered(point, rows)
            if preset.metadata == "any":
                special = np.concatenate([special, _loose(point, len(loose))])
        parts.append((special, np.full(len(special), rank, np.uint8)))
    codes = np.concatenate([part for part, _ in parts] or [np.zeros((0, len(point.blocks)), np.uint16)])
    labels = np.concatenate([part for _, part in parts] or [np.zeros(0, np.uint8)])
    if any(len(part) and PRESETS[part[0]].fresh == "garbage" for _, part in parts):
        # Garbage in one new granule is what broken sectors leave, too.
        codes, first = distinct(codes)
        labels = labels[first]
    return States(shown, codes, labels, np.zeros(len(codes), np.int32))


def _is_new(point: CrashPoint) -> bool:
    """Tell whether all in flight was issued since the first crash point, and nothing was released since."""
    first = min(point.reach, default=point.crash_index)
    released = any(isinstance(op, (Ack, Release)) for op in point.trace.ops[first : point.crash_index])
    return first >= point.trace.crash_from and not released


def _plain(point: CrashPoint, rows: Codes, ranks: list[int]) -> tuple[Codes, npt.NDArray[np.uint8]]:
    """Return the rows that a preset in `ranks` reaches, each put down to the first that does."""
    labels = np.full(len(rows), 255, np.uint8)
    for rank in reversed(ranks):
        labels[admitted(point, rows, PRESETS[rank])] = rank
    keep = labels != 255
    return rows[keep], labels[keep]


def admitted(point: CrashPoint, rows: Codes, preset: Preset) -> Mask:
    """Return which rows of plain versions the order of names, sizes and data in `preset` allows."""
    out = np.ones(len(rows), bool)
    events = [
        (index, block, level)
        for index in sorted(point.reach)
        for block, level in point.reach[index]
        if point.blocks[block].kind in (NAMES, SIZE)
    ]
    if preset.metadata == "journaled":
        done = point.trace.ops[: point.crash_index]
        forced = max((at for at, op in enumerate(done) if isinstance(op, (Sync, SyncDir))), default=-1)
        missing = ~out
        for index, block, level in events:
            arrived = rows[:, block] >= level
            out &= arrived if index < forced else ~(arrived & missing)
            missing = missing | ~arrived
    if preset.append in ("data-first", "own-data-first"):
        for index, block, level in events:
            if point.blocks[block].kind == SIZE:
                own = preset.append != "data-first"
                # A size that a later write has set waits for that one only, if each waits for its own.
                free = rows[:, block] != level if own else rows[:, block] < level
                for data, least in _data_before(point, index, point.blocks[block].file, own=own).items():
                    out &= free | (rows[:, data] >= least)
    return out


def _data_before(point: CrashPoint, index: int, file: int, *, own: bool) -> dict[int, int]:
    """Return the level that each new block of `file` had reached by operation `index` (or got from it)."""
    needed: dict[int, int] = {}
    write = as_write(point.trace.ops[index])
    start, end = (write.off, write.off + len(write.data)) if write is not None else (0, 0)
    for at in (at for at in sorted(point.reach) if at <= index):
        for block, level in point.reach[at]:
            start_of = point.blocks[block].index * point.granule
            # What writes the same once more writes the block as it is by then.
            touched = start_of < end and start < start_of + point.granule
            if point.fresh[block] and point.blocks[block].file == file and (touched or not own):
                needed[block] = level
    return needed


def _uncovered(point: CrashPoint, rows: Codes) -> Codes:
    """Return the rows in which new space can be seen that nothing arrived in, with its extra version there.

    The extra version is the first behind the block's own.
    """
    sizes = {block.file: at for at, block in enumerate(point.blocks) if block.kind == SIZE}
    out = rows.copy()
    seen = np.zeros(len(rows), bool)
    for at, block in enumerate(point.blocks):
        if not point.fresh[at] or block.file not in sizes:
            continue
        size = sizes[block.file]
        reached = np.asarray(point.blocks[size].versions)[rows[:, size]] > block.index * point.granule
        bare = reached & (rows[:, at] == 0)
        out[bare, at] = len(block.versions)
        seen |= bare
    return out[seen][:UNCOVERED]


def _loose(point: CrashPoint, count: int) -> Codes:
    """Return each choice of names that no order leaves, with the rest all there, all lost, or nearly so."""
    at = next((at for at, block in enumerate(point.blocks) if block.kind == NAMES), -1)
    if at < 0 or not count:
        return np.zeros((0, len(point.blocks)), np.uint16)
    rows = np.repeat(_nearly(point.dims), count, axis=0)
    rows[:, at] = point.dims[at] + np.tile(np.arange(count), len(rows) // count)
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


def _data(point: CrashPoint) -> npt.NDArray[np.intp]:
    return np.asarray([at for at, block in enumerate(point.blocks) if block.kind == DATA], np.intp)


def _trashed(point: CrashPoint) -> Codes:
    """Return rows with garbage in exactly one granule; the rest all arrived, all did not, or nearly so."""
    data = _data(point)
    if not len(data):
        return np.zeros((0, len(point.blocks)), np.uint16)
    near = _nearly(point.dims)
    rows = np.repeat(near, len(data), axis=0)
    places = np.tile(data, len(near))
    rows[np.arange(len(rows)), places] = np.asarray(point.dims)[places]
    return distinct(rows)[0]


def _broken(point: CrashPoint, stream: int) -> Codes:
    """Return rows with half granules, with two of garbage, and samples with any number of them."""
    data = _data(point)
    if not len(data):
        return np.zeros((0, len(point.blocks)), np.uint16)
    dims = np.asarray(point.dims, np.uint16)
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
    return np.concatenate([*parts, _broken_samples(point, data.tolist(), dims, stream)])


def _broken_samples(point: CrashPoint, data: list[int], dims: Codes, stream: int) -> Codes:
    """Return samples in which a granule is right or old (a quarter each) or broken, two at least."""
    drawn = samples((4,) * len(dims), stream, BROKEN_SAMPLES)
    kinds = samples((len(BROKEN),) * len(dims), stream ^ 1, BROKEN_SAMPLES)
    rows = samples(tuple(point.dims), stream ^ 2, BROKEN_SAMPLES)
    for at in data:
        rows[:, at] = np.where(
            drawn[:, at] == 0, dims[at] - 1, np.where(drawn[:, at] == 1, 0, dims[at] + kinds[:, at])
        )
    return np.asarray(rows[(rows >= dims).sum(axis=1) > 1])


#: So many acknowledgements of a trace are looked at: in a long one, the earlier ones say the same.
LAST_ACKS = 3


def lost_sync_states(
    trace: Trace, presets: tuple[Preset, ...], *, everywhere: bool = False
) -> Iterator[States]:
    """Yield, after each acknowledgement, what a device that lied may have left.

    Traces in which a granule has more versions than a descriptor can name are left out.
    """
    ranks = [
        number
        for number, preset in enumerate(PRESETS)
        if preset.order == "lied" and preset in presets and (everywhere or selected(trace.id, preset.share))
    ]
    if not ranks:
        return
    line = Timeline(trace, 512)
    for index in acknowledged_points(trace):
        line.advance(index)
        point = line.point(lying=True)
        if point.blocks and max(point.dims) <= MOST_VERSIONS:
            states = _lost_sync(point, ranks)
            if len(states):
                yield states


def acknowledged_points(trace: Trace) -> list[int]:
    """Return the last points of interest right after an acknowledgement; the trace's end if there is none."""
    points = [at + 1 for at, op in enumerate(trace.ops) if isinstance(op, Ack) and at >= trace.crash_from]
    return points[-LAST_ACKS:] or [len(trace.ops)]


def _lost_sync(point: CrashPoint, ranks: list[int]) -> States:
    parts, labels = [], []
    for rank in ranks:
        rows = _failed(point) if PRESETS[rank].force == "fails-clean" else _ignored(point)
        parts.append(rows)
        labels.append(np.full(len(rows), rank, np.uint8))
    codes, first = distinct(np.concatenate(parts))
    # What forces guarantee is there in every honest state, so one that lacks some of it is none.
    lied = (codes < np.asarray(point.forced, np.uint16)).any(axis=1)
    codes = codes[lied]
    label = np.concatenate(labels)[first][lied]
    return States(point, codes, label, np.zeros(len(codes), np.int32), stratum=LYING)


def _ignored(point: CrashPoint) -> Codes:
    """Return every prefix of the trace, cut between granules: nothing was forced."""
    levels = np.zeros(len(point.blocks), np.uint16)
    rows = [levels.copy()]
    for index in sorted(point.reach):
        for block, level in point.reach[index]:
            levels[block] = level
            rows.append(levels.copy())
    return np.stack(rows)


def _failed(point: CrashPoint) -> Codes:
    """Return the states in which the pages of one force, or one page of it, never arrived.

    A page that is written again later is dirty again, and arrives then.
    """
    last = np.asarray(point.dims, np.uint16) - 1
    before = np.zeros_like(last)
    rows = [last]
    for index, op in enumerate(point.trace.ops[: point.crash_index]):
        if not isinstance(op, (Sync, SyncDir)):
            continue
        now = _levels_at(point, index)
        covered = np.asarray([_covers(point, op, at) for at in range(len(last))])
        dropped = np.flatnonzero(covered & (now > before) & (now == last))
        for lost in ([dropped] if len(dropped) > 1 else []) + [
            dropped[at : at + 1] for at in range(len(dropped))
        ]:
            row = last.copy()
            row[lost] = before[lost]
            rows.append(row)
        before[covered] = now[covered]
    return np.stack(rows)


def _levels_at(point: CrashPoint, upto: int) -> Codes:
    """Return the levels of all blocks after ``ops[:upto]``."""
    levels = np.zeros(len(point.blocks), np.uint16)
    for index in sorted(point.reach):
        if index < upto:
            for block, level in point.reach[index]:
                levels[block] = level
    return levels


def _covers(point: CrashPoint, op: Sync | SyncDir, at: int) -> bool:
    """Tell whether force `op` is about block number `at`."""
    block = point.blocks[at]
    if isinstance(op, SyncDir) or block.kind == NAMES:
        return isinstance(op, SyncDir) and block.kind == NAMES
    bound = [point.names, *(names for each in point.blocks if each.kind == NAMES for names in each.versions)]
    return any(names.get(op.file) == block.file for names in bound)
