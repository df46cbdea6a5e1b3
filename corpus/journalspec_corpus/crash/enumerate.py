"""Which states of a crash point are looked at: all of them while they are few.

A group whose cells allow at most ``EXHAUSTIVE`` combinations is enumerated
whole (12 granules with two versions each). Beyond that, states with at most two
deviations from "everything arrived" and from "nothing arrived" are taken: most
faults need few lost writes. To them come samples, each a function of seed, trace,
crash point and its own number; nothing is sampled that can be counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, SIZE, TRASHED, Cell, Codes, Group, Timeline
from journalspec_corpus.crash.model import PRESETS, Preset
from journalspec_corpus.crash.trace import (
    Ack,
    Mark,
    Publish,
    Release,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Write,
)

#: 2 to the 12th: twelve granules, each lost or kept.
EXHAUSTIVE = 4096
#: A group that is too large to be enumerated gets as many samples as the largest that is not.
SAMPLES = EXHAUSTIVE
#: Writes up to this many bytes are torn at each byte, longer ones so near their ends only.
EVERY_BYTE, FRONT = 600, 96


@dataclass(frozen=True)
class States:
    """States of one group: row i is version ``codes[i, j]`` of each cell j.

    ``preset[i]`` indexes :data:`PRESETS`; ``tear[i]`` is the number of bytes of
    operation `torn` that arrived (0 in subset presets). `stratum` is R (a crash
    under honest forces), L (a force was not honoured) or C (corruption); ``rot[i]``
    says what was corrupted, and is empty as a whole where nothing was.
    """

    group: Group
    codes: Codes
    preset: npt.NDArray[np.uint8]
    tear: npt.NDArray[np.int32]
    #: index of the operation that is cut short, or -1
    torn: int = -1
    stratum: str = "R"
    rot: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: npt.NDArray[np.int64]) -> States:
        """Return the states of `rows` only."""
        rot = tuple([self.rot[row] for row in rows.tolist()]) if self.rot else ()
        return replace(self, codes=self.codes[rows], preset=self.preset[rows], tear=self.tear[rows], rot=rot)


def crash_states(trace: Trace, presets: tuple[Preset, ...], seed: int) -> Iterator[States]:
    """Yield the states of `trace` under `presets`, strongest preset first, in a fixed order.

    A state that a stronger preset already reaches at the same crash point is
    left out where that is cheap to see; the rest falls to the de-duplication by id.
    """
    yield from _prefix_states(trace, presets)
    covered = any(preset.order == "prefix" for preset in presets)
    groups: dict[int, list[Group]] = {}
    for number, preset in enumerate(PRESETS):
        if preset.order == "subset" and preset in presets:
            if preset.granule not in groups:
                groups[preset.granule] = list(_epochs(trace, preset.granule))
            yield from _subset_states(groups[preset.granule], preset, number, seed, covered)


def _prefix_states(trace: Trace, presets: tuple[Preset, ...]) -> Iterator[States]:
    allowed = [(number, preset.granule) for number, preset in enumerate(PRESETS) if preset in presets]
    allowed = [(number, granule) for number, granule in allowed if PRESETS[number].order == "prefix"]
    if not allowed:
        return
    line = Timeline(trace, 512)
    for index, op in enumerate(trace.ops):
        if index < trace.crash_from:
            continue
        line.advance(index)
        if isinstance(op, Write) and op.data:
            yield _torn(line.group(settled=True), index, op, allowed)
        elif not isinstance(op, (Mark, Publish, Reuse, Sync, SyncDir)) and op != Release(()):
            yield _single(line.group(settled=True), allowed[0][0])
    line.advance(len(trace.ops))
    yield _single(line.group(settled=True), allowed[0][0])


def _single(group: Group, preset: int) -> States:
    return States(group, np.zeros((1, 0), np.uint16), np.full(1, preset, np.uint8), np.zeros(1, np.int32))


def _torn(group: Group, index: int, op: Write, allowed: list[tuple[int, int]]) -> States:
    """Return the states in which write `index` has arrived up to some byte."""
    number = group.names[op.file]
    size = group.sizes[number]
    end = op.off + len(op.data)
    granules = range(op.off // 512, (end - 1) // 512 + 1)
    cells: list[Cell] = []
    codes = np.zeros((len(op.data) + 1, len(granules) + (end > size)), np.uint16)
    wanted = _worth_a_cut(op.off, len(op.data))
    for at, granule in enumerate(granules):
        cell, column = _torn_cell(group.contents[number], number, granule, op, wanted)
        cells.append(cell)
        codes[:, at] = column
    if end > size:
        # The file grows with the bytes that arrive: together, never before them.
        sizes = sorted({max(size, op.off + arrived) for arrived in range(1, len(op.data) + 1)} | {size})
        level = [0] * (len(sizes) - 1) + [1]
        cells.append(Cell(SIZE, number, 0, tuple(sizes), tuple(level)))
        reached = np.maximum(size, op.off + np.arange(len(op.data) + 1))
        reached[0] = size
        codes[:, -1] = np.searchsorted(np.asarray(sizes), reached)
    tears = np.arange(len(op.data) + 1, dtype=np.int32)
    preset = np.full(len(tears), 255, np.uint8)
    for rank, unit in reversed(allowed):
        cut = (op.off + tears) % unit == 0
        cut[[0, -1]] = True
        preset[cut] = rank
    preset[~wanted] = 255
    keep = preset != 255  # the filler above
    full = tuple((at, max(cell.levels)) for at, cell in enumerate(cells) if max(cell.levels) > 0)
    torn = Group(
        trace=group.trace,
        crash_index=index,
        granule=512,
        cells=tuple(cells),
        contents=group.contents,
        sizes=group.sizes,
        names=group.names,
        reach={index: full} if full else {},
        kills=(tuple(0 for _ in cells), tuple(max(cell.levels) for cell in cells)),
    )
    return States(torn, codes[keep], preset[keep], tears[keep], index)


def _worth_a_cut(off: int, length: int) -> npt.NDArray[np.bool_]:
    """Return for each number of bytes that arrived whether that cut is looked at.

    Writes of up to EVERY_BYTE bytes are cut everywhere. In longer ones, cuts
    inside a long run of payload all say the same: the front and the back are cut
    at every byte, the middle at sector edges and one byte beside them.
    """
    arrived = np.arange(length + 1)
    if length <= EVERY_BYTE:
        return np.ones(length + 1, bool)
    beside = (off + arrived + 1) % 512
    return np.asarray((arrived <= FRONT) | (arrived >= length - FRONT) | (beside <= 2))


def _torn_cell(
    content: bytes, number: int, granule: int, op: Write, wanted: npt.NDArray[np.bool_]
) -> tuple[Cell, Codes]:
    """Return the cell of one granule under a torn write, and its code for every tear in `wanted`."""
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
    return Cell(DATA, number, granule, tuple(versions), levels), column


def _epochs(trace: Trace, granule: int) -> Iterator[Group]:
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
            group = line.group()
            if group.cells or group.idle:
                yield group


def _subset_states(
    groups: list[Group], preset: Preset, number: int, seed: int, covered: bool
) -> Iterator[States]:
    for group in groups:
        if not group.cells and not preset.trash:
            continue
        if covered and len(group.cells) == 1 and not preset.trash and _is_fresh(group):
            # One cell in flight: its versions are what the prefix presets leave anyway.
            continue
        key = f"{seed}/{group.trace.id}/{group.crash_index}/{preset.name}"
        shown, codes = _trash(group, seed) if preset.trash else (group, subsets(group.dims, _stream(key)))
        ranks = np.full(len(codes), number, np.uint8)
        yield States(shown, codes, ranks, np.zeros(len(codes), np.int32))


def _is_fresh(group: Group) -> bool:
    """Tell whether all in flight was issued since the first crash point, and nothing was released since."""
    first = min(group.reach)
    released = any(isinstance(op, Release) for op in group.trace.ops[first : group.crash_index])
    return first >= group.trace.crash_from and not released


def subsets(dims: tuple[int, ...], stream: int = 0) -> Codes:
    """Return all combinations of cell versions, or those with at most two deviations and samples.

    Each row is one combination; rows are distinct and in a fixed order. `stream`
    chooses the samples.
    """
    total = 1
    for size in dims:
        total *= size
        if total > EXHAUSTIVE:
            return _distinct(np.concatenate([_deviations(dims), _samples(dims, stream)]))
    return np.stack(np.unravel_index(np.arange(total), dims), axis=1).astype(np.uint16)


def _deviations(dims: tuple[int, ...]) -> Codes:
    rows: dict[bytes, Codes] = {}
    for base in (np.asarray(dims, np.uint16) - 1, np.zeros(len(dims), np.uint16)):
        for count in range(3):
            for where in combinations(range(len(dims)), count):
                for row in _with(base.astype(np.uint16), where, dims):
                    rows.setdefault(row.tobytes(), row)
    return np.stack(list(rows.values()))


def _samples(dims: tuple[int, ...], stream: int) -> Codes:
    """Return SAMPLES uniform rows, drawn by counter: row i does not depend on the others."""
    sizes = np.asarray(dims, np.uint64)
    count = np.arange(SAMPLES * len(dims), dtype=np.uint64).reshape(SAMPLES, len(dims)) + np.uint64(1)
    value = np.uint64(stream) + count * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    # The upper half: with so few versions per cell the bias is below one in a billion.
    return (((value ^ (value >> np.uint64(31))) >> np.uint64(32)) % sizes).astype(np.uint16)


def _distinct(rows: Codes) -> Codes:
    """Return the rows without repetitions, in order of first appearance."""
    flat = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))
    _, first = np.unique(flat[:, 0], return_index=True)
    return np.asarray(rows[np.sort(first)])


def _with(base: Codes, where: tuple[int, ...], dims: tuple[int, ...]) -> Iterator[Codes]:
    """Yield `base` with every other version at the places `where`."""
    if not where:
        yield base.copy()
        return
    for code in range(dims[where[0]]):
        if code != base[where[0]]:
            changed = base.copy()
            changed[where[0]] = code
            yield from _with(changed, where[1:], dims)


def _trash(group: Group, seed: int) -> tuple[Group, Codes]:
    """Return the group with one garbage version per granule, and states with exactly one of them.

    The other cells all arrived, all did not, or deviate in one place. A granule
    that is written the same once more is being written, too.
    """
    group = group.with_idle()
    cells = tuple(
        Cell(cell.kind, cell.file, cell.index, (*cell.versions, garbage), (*cell.levels, TRASHED))
        if cell.kind == DATA
        else cell
        for cell in group.cells
        for garbage in [garbage_bytes(seed, group, cell)]
    )
    trashed = Group(
        group.trace,
        group.crash_index,
        group.granule,
        cells,
        group.contents,
        group.sizes,
        group.names,
        group.reach,
        group.kills,
    )
    dims = np.asarray(group.dims, np.uint16)
    rows: dict[bytes, Codes] = {}
    for base in (dims - 1, np.zeros_like(dims)):
        plain = [
            row
            for count in (0, 1)
            for place in combinations(range(len(dims)), count)
            for row in _with(base, place, group.dims)
        ]
        for row in plain:
            for at, cell in enumerate(cells):
                if cell.kind == DATA:
                    changed = row.copy()
                    changed[at] = group.dims[at]
                    rows.setdefault(changed.tobytes(), changed)
    if not rows:
        return trashed, np.zeros((0, len(cells)), np.uint16)
    return trashed, np.stack(list(rows.values()))


def garbage_bytes(seed: int, group: Group, cell: Cell) -> bytes:
    """Return a granule of garbage: a pure function of seed, trace, crash point and cell."""
    text = f"{seed}/{group.trace.id}/{group.crash_index}/{cell.file}/{cell.index}"
    return hashlib.shake_128(text.encode()).digest(group.granule)


def _stream(text: str) -> int:
    """Return a 64-bit number for the start of a stream of samples."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
