"""Enumerates the checked states of a trace, and rebuilds any state from its descriptor.

Under a *prefix* preset, all operations before some operation arrive, and this operation arrives up to some
byte. Under a *subset* preset, each granule written since the last fsync arrives or is lost. All presets with
the same granule share the blocks of a crash point. Each state (row) is labelled with the strongest preset
that reaches it. All combinations of versions are checked if there are at most ``EXHAUSTIVE`` (12 granules
with two versions each). If there are more, the combinations with at most two deviations from "everything
arrived" or from "nothing arrived" are checked, because most faults need few lost writes. Samples are added.
Each sample depends only on the stream and on the number of the sample.

An fsync that the device did not perform leads to further states, in which acknowledged operations may be
missing. In these states no format can keep acknowledged data, so they are counted separately (class L). This
class contains no state that an honest device can also leave.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.corruption import corrupted_states
from journalspec_corpus.crash.disk import (
    DATA,
    FOREIGN,
    MIXED,
    NAMES,
    SECTOR,
    SIZE,
    TRASHED,
    Block,
    Codes,
    CrashPoint,
    States,
    Timeline,
    acknowledged_points,
    ranks_of,
    selected,
    stream_of,
)
from journalspec_corpus.crash.trace import (
    LYING,
    PRESETS,
    Ack,
    Mark,
    Op,
    Preset,
    Publish,
    Release,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Write,
    get_preset,
)

Mask = npt.NDArray[np.bool_]


#: The largest number of combinations that are all checked: twelve granules, each lost or kept.
EXHAUSTIVE = 4096
#: The number of samples at a crash point with more combinations than EXHAUSTIVE.
SAMPLES = EXHAUSTIVE


def subsets(dims: tuple[int, ...], stream: int = 0) -> Codes:
    """Return all combinations of block versions, or those with at most two deviations and samples.

    Each row is one combination; rows are distinct and in a fixed order. `stream` chooses the samples.
    """
    if prod(dims) > EXHAUSTIVE:
        return distinct(np.concatenate([_deviations(dims), samples(dims, stream)]))[0]
    rows = np.zeros((prod(dims), len(dims)), np.uint16)
    # A NumPy array has at most 64 dimensions, so blocks with only one version are not given a dimension.
    free = [at for at, size in enumerate(dims) if size > 1]
    if free:
        rows[:, free] = np.stack(np.unravel_index(np.arange(len(rows)), [dims[at] for at in free]), axis=1)
    return rows


def _deviations(dims: tuple[int, ...]) -> Codes:
    rows: dict[tuple[int, ...], None] = {}
    for base in _all_and_nothing(dims):
        for count in range(3):
            for where in combinations(range(len(dims)), count):
                for codes in product(*([*range(base[at]), *range(base[at] + 1, dims[at])] for at in where)):
                    row = base.copy()
                    row[[*where]] = codes
                    rows[tuple(row.tolist())] = None
    return np.asarray(list(rows), np.uint16)


def _all_and_nothing(dims: tuple[int, ...]) -> tuple[Codes, Codes]:
    """Return the row in which everything arrived, and the row in which nothing arrived."""
    return np.asarray(dims, np.uint16) - np.uint16(1), np.zeros(len(dims), np.uint16)


def samples(dims: tuple[int, ...], stream: int, number: int = SAMPLES) -> Codes:
    """Return `number` uniform random rows; row i depends only on `stream` and i."""
    sizes = np.asarray(dims, np.uint64)
    count = np.arange(number * len(dims), dtype=np.uint64).reshape(number, len(dims)) + np.uint64(1)
    value = np.uint64(stream) + count * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    # Only the upper 32 bits are used; for at most 255 versions the bias of the modulo is negligible.
    return (((value ^ (value >> np.uint64(31))) >> np.uint64(32)) % sizes).astype(np.uint16)


def distinct(rows: Codes) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Return the distinct rows in order of first appearance, and for each given row its index among the
    distinct rows.
    """
    raw, width = np.ascontiguousarray(rows).tobytes(), rows.shape[1] * rows.itemsize
    if not width:
        return rows[:1], np.arange(len(rows[:1]))
    # Rows are compared by their bytes, because numpy.unique sorts rows, which takes several times as long.
    where: dict[bytes, int] = {}
    for row, at in enumerate(range(0, len(raw), width)):
        where.setdefault(raw[at : at + width], row)
    first = np.fromiter(where.values(), np.int64, len(where))
    return np.asarray(rows[first]), first


# --- Writes that are torn ---

#: Writes of up to EVERY_BYTE bytes are cut at every byte. Longer writes are cut at every byte only within
#: FRONT bytes of each end.
EVERY_BYTE, FRONT = 600, 96
#: In traces with more than MANY writes of interest, only the last LAST writes are cut in this way.
MANY, LAST = 8, 3


def prefix_states(trace: Trace, presets: tuple[Preset, ...], at: int | None = None) -> Iterator[States]:
    """Yield the states of the prefix presets in `presets`: one crash point per operation, or only `at`."""
    ranks = ranks_of(presets, "prefix")
    line = Timeline(trace, SECTOR)
    for index, op in enumerate((*trace.ops, None)):
        write = as_write(op)
        says_nothing = isinstance(op, (Mark, Publish, Reuse, Sync, SyncDir, Write)) or op == Release(())
        wanted = index >= trace.crash_from and at in (None, index)
        if not ranks or not wanted or (says_nothing and write is None):
            continue
        point = line.advance(index).settled()
        if write is not None:
            yield _torn(point, write, ranks)
        else:
            one = np.zeros(1, np.int32)
            yield States(point, np.zeros((1, 0), np.uint16), np.full(1, ranks[0], np.uint8), one)


def as_write(op: Op | None) -> Write | None:
    """Return `op` if it is a write of at least one byte."""
    return op if isinstance(op, Write) and op.data else None


def _torn(point: CrashPoint, op: Write, ranks: list[int]) -> States:
    """Return the states in which `op`, a write and the next operation, arrived up to each checked byte."""
    index, number = point.crash_index, point.names[op.file]
    size, end = point.sizes[number], op.off + len(op.data)
    wanted = cuts_of(point.trace, index)
    if op.off < size < end:
        wanted[size - op.off] = True
    preset = np.full(len(wanted), 255, np.uint8)
    for rank in reversed(ranks):
        preset[allowed_cuts(op, PRESETS[rank], size)] = rank
    tears = np.flatnonzero(wanted & (preset != 255)).astype(np.int32)
    reached = op.off + tears
    blocks, columns = [], []
    for granule in range(op.off // SECTOR, (end - 1) // SECTOR + 1):
        start = granule * SECTOR
        old = point.contents[number][start : start + SECTOR].ljust(SECTOR, b"\0")
        first, last = max(op.off, start), min(end, start + SECTOR)

        def cut(until: int, old: bytes = old, start: int = start, first: int = first) -> bytes:
            return old[: first - start] + op.data[first - op.off : until - op.off] + old[until - start :]

        versions: dict[bytes, int] = {old: 0}
        column = np.zeros(len(tears), np.uint16)
        inside, behind = np.searchsorted(reached, [first, last], "right").tolist()
        for row in range(inside, behind):
            column[row] = versions.setdefault(cut(int(reached[row])), len(versions))
        column[behind:] = versions.setdefault(cut(last), len(versions))
        blocks.append(Block(DATA, number, granule, tuple(versions), _levels(len(versions))))
        columns.append(column)
    if end > size:
        # The file's size grows together with the bytes that arrive.
        grown = np.where(tears == 0, size, np.maximum(size, reached))
        sizes = np.unique([size, *grown.tolist()])
        blocks.append(Block(SIZE, number, 0, tuple(sizes.tolist()), _levels(len(sizes))))
        columns.append(np.searchsorted(sizes, grown).astype(np.uint16))
    most = tuple(max(block.levels) for block in blocks)
    moved = [(at, level) for at, level in enumerate(most) if level]
    kills = (tuple(0 for _ in blocks), most)
    torn = replace(point, blocks=tuple(blocks), reach={index: moved} if moved else {}, kills=kills)
    return States(torn, np.stack(columns, axis=1), preset[tears], tears, index)


def _levels(versions: int) -> tuple[int, ...]:
    """Return the levels of a block's versions under a torn write.

    The complete last version has level 1, all others have level 0.
    """
    return (*(0 for _ in range(versions - 1)), int(versions > 1))


def cuts_of(trace: Trace, index: int) -> Mask:
    """For each cut (the number of bytes of write `index` that arrived), return whether it is checked.

    Short writes are cut everywhere. Longer ones are cut at every byte near both ends. In the middle they are
    cut at sector boundaries and one byte beside them, because all other cuts inside a payload are alike. In a
    long trace, all writes except the last ones are cut only at the boundaries of sectors and fields, and one
    byte beside them. If recovery reads no byte of a write, the write is also cut only there, because recovery
    cannot distinguish the cuts.
    """
    op = as_write(trace.ops[index])
    if op is None:
        raise ValueError(f"{trace.name}: operation {index} writes nothing")
    length = len(op.data)
    few = index in trace.unread or _is_early(trace, index)
    if length <= EVERY_BYTE and not few:
        return np.ones(length + 1, bool)
    out = np.zeros(length + 1, bool)
    for beside in (-1, 0, 1):
        out[(beside - op.off) % SECTOR :: SECTOR] = True
    if not few:
        out[: FRONT + 1] = out[length - FRONT :] = True
        return out
    edges = [0, length]
    for at, mark in trace.annotated:
        if at == index and isinstance(mark, Mark):
            edges += [mark.off - op.off + start for start, _ in mark.fields]
    for edge in edges:
        out[max(0, edge - 1) : max(0, edge + 2)] = True
    return out


def _is_early(trace: Trace, index: int) -> bool:
    """Return whether there are more than MANY writes of interest and `index` is not among the last LAST of
    them.
    """
    writes = trace.writes
    of_interest = len(writes) - bisect_left(writes, trace.crash_from, key=itemgetter(0))
    last = writes[-LAST][0] if of_interest > MANY else 0
    return trace.crash_from <= index < last


def allowed_cuts(op: Write, preset: Preset, size: int) -> Mask:
    """Return for each number of bytes of `op` whether a crash may leave only so many of its first bytes.

    This is for presets under which a write persists from its first byte on.

    `size` is the previous size of the file. A cut before or after all bytes of `op` is always allowed.
    """
    ends = op.off + np.arange(len(op.data) + 1)
    cut = ends % preset.granule == 0
    if preset.append == "whole":
        # Under this preset, bytes after the file's old end become visible all at once.
        cut = (cut & (ends <= size)) | (ends == size)
    cut[[0, -1]] = True
    return np.asarray(cut)


# --- Granules that are lost, or broken ---

#: The largest number of checked rows per crash point in which new space has extra content.
UNCOVERED = 1024
#: The number of samples with random broken sectors; the largest number of sectors in flight for which all
#: pairs are broken.
BROKEN_SAMPLES, PAIRS = 16, 6
#: The mask of a descriptor has one byte per version code.
MOST_VERSIONS = 255
#: The extra versions of a granule on a disk that breaks sectors. In order, they are: garbage; the front half
#: of the last version, then garbage; the front half of the first version, then the rear half of the last
#: version.
BROKEN = ("garbage", "left", "right")


def subset_states(trace: Trace, presets: tuple[Preset, ...], seed: int) -> Iterator[States]:
    """Yield the states of the subset presets among `presets`, one set per granule and crash point.

    Crash points are just before each fsync, acknowledgement and release, and at the end. A release changes
    nothing on disk, but fewer records are required after it. If `presets` contains prefix presets, the states
    that they reach are omitted where that is cheap to determine.
    """
    covered = bool(ranks_of(presets, "prefix"))
    wanted = ranks_of(presets, "subset")
    for granule in dict.fromkeys(PRESETS[rank].granule for rank in wanted):
        ranks = [rank for rank in wanted if PRESETS[rank].granule == granule]
        line = Timeline(trace, granule)
        for index, op in enumerate((*trace.ops, None)):
            ends = op is None or (isinstance(op, (Sync, SyncDir, Ack, Release)) and op != Release(()))
            if not ends or index < trace.crash_from:
                continue
            point = line.advance(index).point(idle=True)
            if point.blocks:
                states = _lost(point, line.loose_names(), ranks, seed, covered)
                if len(states):
                    yield states


def _lost(
    point: CrashPoint, loose: Sequence[Mapping[str, int]], ranks: list[int], seed: int, covered: bool
) -> States:
    """Return all states of one crash point under the presets `ranks`, strongest first."""
    trace, dims, shown = point.trace, point.dims, point
    if max(dims) + len(BROKEN) + len(loose) > MOST_VERSIONS:
        raise ValueError(f"{trace.name}: more than {MOST_VERSIONS} versions of one granule in flight")
    stream = stream_of(f"{seed}/{trace.id}/{point.crash_index}/{point.granule}")
    rows = subsets(dims, stream)
    labels = np.full(len(rows), 255, np.uint8)
    # With at most one block in flight, the prefix presets reach all its versions.
    if not (covered and sum(size > 1 for size in dims) <= 1 and _is_new(point)):
        for rank in reversed(ranks):
            if PRESETS[rank].plain:
                labels[admitted(point, rows, PRESETS[rank])] = rank
    found = [(rows[labels != 255], labels[labels != 255])]
    data = [at for at, block in enumerate(point.blocks) if block.kind == DATA]
    for rank in ranks:
        preset = PRESETS[rank]
        if preset.plain:
            continue
        if shown is point:
            shown = extended(point, preset, seed, loose)
        if preset.broken:
            special = _broken(dims, data, stream)
        elif preset.trash:
            special = _each_with(_nearly(dims), [(at, dims[at]) for at in data])
        else:
            special = _uncovered(point, rows)
            if preset.metadata == "any" and point.blocks[0].kind == NAMES:
                changes = [(0, dims[0] + more) for more in range(len(loose))]
                special = np.concatenate([special, _each_with(_nearly(dims), changes)])
        found.append((special, np.full(len(special), rank, np.uint8)))
    codes = np.concatenate([part for part, _ in found])
    labels = np.concatenate([part for _, part in found])
    if any(len(part) and PRESETS[part[0]].fresh == "garbage" for _, part in found):
        # A preset with broken sectors also leaves garbage in one new granule. These duplicates are removed.
        codes, first = distinct(codes)
        labels = labels[first]
    return States(shown, codes, labels, np.zeros(len(codes), np.int32))


def _is_new(point: CrashPoint) -> bool:
    """Return whether everything in flight was issued from `crash_from` on, without an Ack or Release since
    then.
    """
    first = min(point.reach, default=point.crash_index)
    released = any(isinstance(op, (Ack, Release)) for op in point.trace.ops[first : point.crash_index])
    return first >= point.trace.crash_from and not released


def extended(point: CrashPoint, preset: Preset, seed: int, loose: Sequence[Mapping[str, int]]) -> CrashPoint:
    """Return `point` with extra versions that were never written.

    If `preset` shows foreign blocks in new space, each granule of new space gets another file's block.
    Otherwise every granule is given the versions of :data:`BROKEN`, and the names are given `loose`.
    """

    def more(block: Block) -> Block:
        if preset.fresh == "foreign":
            return block.with_more((foreign_bytes(seed, point, block),), FOREIGN) if block.fresh else block
        if block.kind != DATA:
            return block.with_more(loose, MIXED) if block.kind == NAMES else block
        garbage, half = garbage_bytes(seed, point, block), point.granule // 2
        first, last = block.versions[0], block.versions[-1]
        return block.with_more((garbage, last[:half] + garbage[half:], first[:half] + last[half:]), TRASHED)

    return replace(point, blocks=tuple(map(more, point.blocks)))


def garbage_bytes(seed: int, point: CrashPoint, block: Block) -> bytes:
    """Return a granule of garbage: a pure function of seed, trace, crash point and block."""
    text = f"{seed}/{point.trace.id}/{point.crash_index}/{block.file}/{block.index}"
    return hashlib.shake_128(text.encode()).digest(point.granule)


def foreign_bytes(seed: int, point: CrashPoint, block: Block) -> bytes:
    """Return a block of another file, or garbage if there was no other file.

    The block comes from the same offset in another file of the journal before the trace. If that block is
    absent or consists of zeros, the result is the first block of that file with other bytes.
    """
    step, base = point.granule, point.trace.base
    # Files with numbers below len(base) are those of the base, in the order of their names.
    for number, name in enumerate(sorted(base)):
        if number != block.file:
            pieces = [base[name][at : at + step].ljust(step, b"\0") for at in range(0, len(base[name]), step)]
            for piece in (*pieces[block.index : block.index + 1], *pieces):
                if any(piece):
                    return piece
    return garbage_bytes(seed, point, block)


def admitted(point: CrashPoint, rows: Codes, preset: Preset) -> Mask:
    """Return which rows of plain versions fit `preset`'s order of names, sizes and data."""
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
                # With ``own-data-first``, only the size that this operation set waits for its blocks; later
                # sizes do not wait.
                free = rows[:, block] != level if own else rows[:, block] < level
                for data, least in _data_before(point, index, point.blocks[block].file, own=own).items():
                    out &= free | (rows[:, data] >= least)
    return out


def _data_before(point: CrashPoint, index: int, file: int, *, own: bool) -> dict[int, int]:
    """Return the level of each new block of `file` after operation `index` (`own`: only of its blocks)."""
    needed: dict[int, int] = {}
    write = as_write(point.trace.ops[index])
    start, end = (write.off, write.off + len(write.data)) if write is not None else (0, 0)
    for at in (at for at in sorted(point.reach) if at <= index):
        for number, level in point.reach[at]:
            block = point.blocks[number]
            start_of = block.index * point.granule
            # A block is written with its current content, so the highest level so far is needed.
            touched = start_of < end and start < start_of + point.granule
            if block.fresh and block.file == file and (touched or not own):
                needed[number] = level
    return needed


def _uncovered(point: CrashPoint, rows: Codes) -> Codes:
    """Return the rows whose size covers new blocks that did not arrive. In these rows, the blocks have the
    extra version.

    The extra version is the first one after the block's own versions.
    """
    sizes = {block.file: at for at, block in enumerate(point.blocks) if block.kind == SIZE}
    out = rows.copy()
    seen = np.zeros(len(rows), bool)
    for at, block in enumerate(point.blocks):
        if block.fresh and block.file in sizes:
            size = sizes[block.file]
            reached = np.asarray(point.blocks[size].versions)[rows[:, size]] > block.index * point.granule
            bare = reached & (rows[:, at] == 0)
            out[bare, at] = len(block.versions)
            seen |= bare
    return out[seen][:UNCOVERED]


def _each_with(rows: Codes, changes: Sequence[tuple[int, int]]) -> Codes:
    """Return the distinct rows that differ from one of `rows` by one change, which is (block, version)."""
    if not changes:
        return rows[:0]
    blocks, codes = np.asarray(changes, np.int64).T
    out = np.repeat(rows, len(changes), axis=0)
    out[np.arange(len(out)), np.tile(blocks, len(rows))] = np.tile(codes, len(rows))
    return distinct(out)[0]


def _nearly(dims: tuple[int, ...]) -> Codes:
    """Return the rows "all arrived" and "all lost", and both rows with every single deviation."""
    parts = []
    for base in _all_and_nothing(dims):
        changes = [(at, code) for at, size in enumerate(dims) for code in range(size) if code != base[at]]
        parts += [base[None], _each_with(base[None], changes)]
    return np.concatenate(parts)


def _broken(dims: tuple[int, ...], data: list[int], stream: int) -> Codes:
    """Return rows with one half granule, with two granules of garbage, and samples with broken granules.

    In a sample a granule is new or old (a quarter each) or broken; at least two are broken.
    """
    if not data:
        return np.zeros((0, len(dims)), np.uint16)
    parts = []
    for base in _all_and_nothing(dims):
        parts.append(_each_with(base[None], [(at, dims[at] + kind) for at in data for kind in (1, 2)]))
        for one, two in combinations(data if len(data) <= PAIRS else (), 2):
            pair = base.copy()
            pair[[one, two]] = dims[one], dims[two]
            parts.append(pair[None])
    drawn = samples((4,) * len(dims), stream, BROKEN_SAMPLES)
    kinds = samples((len(BROKEN),) * len(dims), stream ^ 1, BROKEN_SAMPLES)
    rows = samples(dims, stream ^ 2, BROKEN_SAMPLES)
    for at in data:
        broken = np.where(drawn[:, at] == 1, 0, dims[at] + kinds[:, at])
        rows[:, at] = np.where(drawn[:, at] == 0, dims[at] - 1, broken)
    return np.concatenate([*parts, rows[(rows >= np.asarray(dims)).sum(axis=1) > 1]])


# --- Fsyncs that the device acknowledged and did not perform ---


def lied_states(trace: Trace, presets: tuple[Preset, ...]) -> Iterator[States]:
    """Yield the states that a lying device may have left after each of the last acknowledgements.

    Traces in which a granule has more versions than a descriptor can express are omitted.
    """
    line, ranks = Timeline(trace, SECTOR), ranks_of(presets, "lied")
    for index in acknowledged_points(trace) if ranks else ():
        point = line.advance(index).point(lying=True)
        if max(point.dims, default=0) > MOST_VERSIONS:
            continue
        rank_of: dict[tuple[int, ...], int] = {}
        for rank in ranks:
            for row in _failed(point) if PRESETS[rank].force == "fails-clean" else _ignored(point):
                # Every state of an honest device contains all data that was fsynced. So a state that lacks
                # some of this data comes from a lying device.
                if any(code < block.forced for code, block in zip(row, point.blocks, strict=True)):
                    rank_of.setdefault(row, rank)
        if rank_of:
            preset = np.asarray(list(rank_of.values()), np.uint8)
            tear = np.zeros(len(preset), np.int32)
            yield States(point, np.asarray(list(rank_of), np.uint16), preset, tear, stratum=LYING)


def _ignored(point: CrashPoint) -> Iterator[tuple[int, ...]]:
    """Yield every prefix of the trace, cut between granules, as if no fsync had an effect."""
    levels = [0] * len(point.blocks)
    yield tuple(levels)
    for index in sorted(point.reach):
        for block, level in point.reach[index]:
            levels[block] = level
            yield tuple(levels)


def _failed(point: CrashPoint) -> Iterator[tuple[int, ...]]:
    """Yield the states in which one fsync failed to write its pages, or one of them.

    A page that is written again later becomes dirty again, and arrives with a later fsync.
    """
    last = [size - 1 for size in point.dims]
    before, now = [0] * len(last), [0] * len(last)
    for index, op in enumerate(point.trace.ops[: point.crash_index]):
        if isinstance(op, (Sync, SyncDir)):
            covered = [at for at, block in enumerate(point.blocks) if _covers(point, op, block)]
            dropped = [at for at in covered if before[at] < now[at] == last[at]]
            for lost in ([dropped] if len(dropped) > 1 else []) + [[at] for at in dropped]:
                yield tuple(before[at] if at in lost else code for at, code in enumerate(last))
            for at in covered:
                before[at] = now[at]
        for at, level in point.reach.get(index, ()):
            now[at] = level


def _covers(point: CrashPoint, op: Sync | SyncDir, block: Block) -> bool:
    """Return whether fsync `op` covers `block`."""
    if isinstance(op, SyncDir) or block.kind == NAMES:
        return isinstance(op, SyncDir) and block.kind == NAMES
    bound = [point.names, *(names for each in point.blocks if each.kind == NAMES for names in each.versions)]
    return any(names.get(op.file) == block.file for names in bound)


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Identifies one state of a trace. It contains all values on which the state depends, except for the
    trace.

    `crash_index` is the number of operations that had been issued. In a prefix preset the operation at
    `crash_index` arrived up to `tear` bytes and `mask` is empty; in a subset or preset of a lying device
    ``mask[i]`` is the version of the i-th block in flight, one byte each. `background` is that of the trace,
    `seed` is the seed of garbage. `rot` is empty or the label of a corruption; then `mask` is empty.
    """

    trace: str
    preset: str
    crash_index: int
    mask: bytes
    tear: int
    background: str
    seed: int
    rot: str = ""


def descriptor_of(states: States, row: int, seed: int) -> Descriptor:
    """Return the descriptor of row `row`, from which :func:`state_at` rebuilds the state."""
    trace, rot = states.point.trace, states.rot[row] if states.rot else ""
    preset, index, mask = PRESETS[states.preset[row]].name, states.point.crash_index, states.masks[row]
    return Descriptor(trace.id, preset, index, mask, int(states.tear[row]), trace.background, seed, rot)


def crash_states(
    trace: Trace, presets: tuple[Preset, ...], seed: int, *, everywhere: bool = False
) -> Iterator[States]:
    """Yield the states of `trace` under `presets` in a fixed order, one class after the other.

    With `everywhere`, presets with a share are applied to this trace even if it is not in their sample.

    A state that a stronger preset reaches at the same crash point is omitted where that is cheap to
    determine. Other duplicates are removed later, by id.
    """
    chosen = tuple(preset for preset in presets if everywhere or selected(trace.id, preset.share))
    yield from prefix_states(trace, chosen)
    yield from subset_states(trace, chosen, seed)
    yield from lied_states(trace, chosen)
    yield from corrupted_states(trace, chosen, seed)


class NoSuchState(LookupError):
    """This error means that the trace has no state with this descriptor."""


def state_at(trace: Trace, descriptor: Descriptor) -> States:
    """Return the state that `descriptor` identifies; raises NoSuchState if `trace` has no such state."""
    preset, index, mask = get_preset(descriptor.preset), descriptor.crash_index, descriptor.mask
    if descriptor.trace != trace.id:
        raise NoSuchState(f"the descriptor is of trace {descriptor.trace}, not {trace.id}")
    if preset.order in ("prefix", "settled"):
        some = prefix_states(trace, (preset,), index)
        if preset.order == "settled":
            some = corrupted_states(trace, (preset,), descriptor.seed, index, descriptor.rot)
        for states in some:
            rows = np.flatnonzero(states.tear == descriptor.tear)
            rows = rows[[states.rot[row] == descriptor.rot for row in rows]] if states.rot else rows
            if len(rows):
                return states.take(rows[:1])
        raise NoSuchState(f"{trace.name} has no state {preset.name} after operation {index}")
    line = Timeline(trace, preset.granule).advance(index)
    point = line.point(lying=preset.order == "lied", idle=preset.order == "subset")
    if not preset.plain and preset.order == "subset":
        point = extended(point, preset, descriptor.seed, line.loose_names())
    if len(mask) != len(point.blocks):
        raise NoSuchState(f"the mask has {len(mask)} entries for {len(point.blocks)} cells")
    for code, size in zip(mask, point.dims, strict=True):
        if code >= size:
            raise NoSuchState(f"version {code} of a cell that has {size}")
    codes = np.frombuffer(mask, np.uint8).astype(np.uint16)[None]
    rank = np.full(1, PRESETS.index(preset), np.uint8)
    return States(point, codes, rank, np.zeros(1, np.int32), stratum=preset.stratum)
