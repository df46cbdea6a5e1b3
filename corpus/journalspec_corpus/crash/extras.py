"""Versions that nobody wrote: garbage, halves, other files' blocks, names for themselves.

They stand behind a cell's own versions, always in the same order, so that a
descriptor's code means the same whatever else is looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from journalspec_corpus.crash.cells import DATA, FOREIGN, MIXED, NAMES, TRASHED, Cell, Group

#: What a granule of a disk that breaks sectors may hold next to its own versions, in this order:
#: garbage; the front half as in the last version and garbage behind it; the front half as in the
#: first version and the rear half as in the last.
BROKEN = ("garbage", "left", "right")


def broken_group(group: Group, seed: int, loose: tuple[Mapping[str, int], ...]) -> Group:
    """Return `group` with the versions of :data:`BROKEN` in each granule, and `loose` in its names."""
    cells = []
    for cell in group.cells:
        if cell.kind == DATA:
            cells.append(_with(cell, broken_versions(seed, group, cell), TRASHED))
        elif cell.kind == NAMES:
            cells.append(_with(cell, loose, MIXED))
        else:
            cells.append(cell)
    return replace(group, cells=tuple(cells))


def foreign_group(group: Group, seed: int) -> Group:
    """Return `group` with another file's block as a version of each granule that is new space."""
    cells = [
        _with(cell, (foreign_bytes(seed, group, cell),), FOREIGN) if fresh else cell
        for cell, fresh in zip(group.cells, group.fresh, strict=True)
    ]
    return replace(group, cells=tuple(cells))


def _with(cell: Cell, versions: tuple[object, ...], level: int) -> Cell:
    levels = (*cell.levels, *(level for _ in versions))
    return Cell(cell.kind, cell.file, cell.index, (*cell.versions, *versions), levels)


def broken_versions(seed: int, group: Group, cell: Cell) -> tuple[bytes, bytes, bytes]:
    """Return the three contents of :data:`BROKEN`, in that order."""
    garbage = garbage_bytes(seed, group, cell)
    half = group.granule // 2
    first, last = cell.versions[0], cell.versions[-1]
    return garbage, last[:half] + garbage[half:], first[:half] + last[half:]


def garbage_bytes(seed: int, group: Group, cell: Cell) -> bytes:
    """Return a granule of garbage: a pure function of seed, trace, crash point and cell."""
    text = f"{seed}/{group.trace.id}/{group.crash_index}/{cell.file}/{cell.index}"
    return hashlib.shake_128(text.encode()).digest(group.granule)


def foreign_bytes(seed: int, group: Group, cell: Cell) -> bytes:
    """Return a block that another file left behind; garbage if there was no other file.

    It is the block at the same place of another file of the journal, as it was before
    the trace, or else that file's first block that holds something.
    """
    step = group.granule
    base = [group.trace.base[name] for name in sorted(group.trace.base)]
    # Numbers below len(base) are the base's files, in the order of their names.
    others = [content for number, content in enumerate(base) if number != cell.file]
    for content in others:
        blocks = [content[at : at + step].ljust(step, b"\0") for at in range(0, len(content), step)]
        for block in (blocks[cell.index : cell.index + 1], *([block] for block in blocks)):
            if block and any(block[0]):
                return block[0]
    return garbage_bytes(seed, group, cell)
