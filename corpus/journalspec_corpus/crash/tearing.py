"""States of the prefix presets: everything up to an operation, and that one up to some byte."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, SIZE, Cell, Codes, Group, Timeline
from journalspec_corpus.crash.model import PRESETS, Preset
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.trace import (
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
    """Yield the states of the prefix presets among `presets`, one group per operation."""
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
            yield _torn(line.group(settled=True), index, write, allowed)
        elif not isinstance(op, (Mark, Publish, Reuse, Sync, SyncDir, Write)) and op != Release(()):
            yield _single(line.group(settled=True), allowed[0])
    if len(trace.ops) >= trace.crash_from:
        line.advance(len(trace.ops))
        yield _single(line.group(settled=True), allowed[0])


def as_write(op: object) -> Write | None:
    """Return `op` as a write of at least one byte; space that is filled when it is set aside is one."""
    if isinstance(op, Preallocate) and op.data:
        return Write(op.file, op.off, op.data)
    return op if isinstance(op, Write) and op.data else None


def _single(group: Group, preset: int) -> States:
    return States(group, np.zeros((1, 0), np.uint16), np.full(1, preset, np.uint8), np.zeros(1, np.int32))


def _torn(group: Group, index: int, op: Write, allowed: list[int]) -> States:
    """Return the states in which write `index` has arrived up to some byte."""
    number = group.names[op.file]
    size = group.sizes[number]
    end = op.off + len(op.data)
    granules = range(op.off // 512, (end - 1) // 512 + 1)
    cells: list[Cell] = []
    codes = np.zeros((len(op.data) + 1, len(granules) + (end > size)), np.uint16)
    wanted = cuts_of(group.trace, index)
    if op.off < size < end:
        wanted[size - op.off] = True
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
    for rank in reversed(allowed):
        preset[_edges(op.off + tears, PRESETS[rank], size)] = rank
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


def cuts_of(trace: Trace, index: int) -> npt.NDArray[np.bool_]:
    """Return for each number of bytes of write `index` that arrived whether that cut is looked at.

    In a long trace all but the last writes are cut at the edges of sectors and fields
    only, and one byte beside them: what comes later does not make more of the others.
    """
    op = as_write(trace.ops[index])
    if op is None:
        raise ValueError(f"{trace.name}: operation {index} writes nothing")
    length = len(op.data)
    writes = [at for at, _ in trace.writes if at >= trace.crash_from]
    if len(writes) <= MANY or index not in writes[:-LAST]:
        return _worth_a_cut(op.off, length)
    arrived = np.arange(length + 1)
    edges = [0, length]
    for at, mark in trace.annotated:
        if at == index and isinstance(mark, Mark):
            edges += [mark.off - op.off + start for start, _ in mark.fields]
    out = (op.off + arrived + 1) % 512 <= 2
    for edge in edges:
        out |= abs(arrived - edge) <= 1
    return np.asarray(out)


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


def _edges(ends: npt.NDArray[np.int32], preset: Preset, size: int) -> npt.NDArray[np.bool_]:
    """Return which of the cuts at file offsets `ends` a preset allows; the first and the last are whole."""
    cut = ends % preset.granule == 0
    if preset.append == "whole":
        # What lies behind the old end is not seen before all of it is there.
        cut = (cut & (ends <= size)) | (ends == size)
    cut[[0, -1]] = True
    return np.asarray(cut)
