"""Corruption of whole files: cut at a record's edge, missing, doubled, swapped, an older copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from journalspec_corpus.crash.cells import NAMES, ROTTEN, SIZE, Cell, Group, Timeline
from journalspec_corpus.crash.model import CORRUPTED
from journalspec_corpus.crash.rot_places import Places
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.trace import Ack, Trace

SECTOR = 512
#: The most places at which a copy stops for a sector that cannot be read, per file.
STOPS = 64


def file_states(trace: Trace, group: Group, ranks: Mapping[str, int]) -> States:
    """Return the states in which the files of the settled `group` are not what they were, under `ranks`."""
    cuts = _cuts(group, ranks)
    contents = list(group.contents)
    names = list(_names(trace, group, contents)) if "file" in ranks else []
    numbers = sorted({number for _, _, number, _ in cuts})
    sizes = {number: [group.sizes[number]] for number in numbers}
    cells = []
    rows: list[tuple[int, str, int, int]] = []
    for rank, label, number, size in cuts:
        versions = sizes[number]
        if size not in versions:
            versions.append(size)
        rows.append((rank, label, numbers.index(number), versions.index(size)))
    cells = [_cell(SIZE, number, sizes[number]) for number in numbers]
    if names:
        cells.append(_cell(NAMES, 0, [dict(group.names), *(names_then for _, names_then in names)]))
        for at, (label, _) in enumerate(names, start=1):
            rows.append((ranks["file"], label, len(numbers), at))
    codes = np.zeros((len(rows), len(cells)), np.uint16)
    for row, (_, _, cell, code) in enumerate(rows):
        codes[row, cell] = code
    return States(
        Group(
            trace,
            group.crash_index,
            group.granule,
            tuple(cells),
            tuple(contents),
            (*group.sizes, *(len(content) for content in contents[len(group.sizes) :])),
            group.names,
            {},
            ((0,) * len(cells),),
            (False,) * len(cells),
            (0,) * len(cells),
        ),
        codes,
        np.asarray([rank for rank, _, _, _ in rows], np.uint8),
        np.zeros(len(rows), np.int32),
        stratum=CORRUPTED,
        rot=tuple(label for _, label, _, _ in rows),
    )


def _cell(kind: str, number: int, versions: Sequence[object]) -> Cell:
    return Cell(kind, number, 0, tuple(versions), (0, *(ROTTEN for _ in versions[1:])))


def _cuts(group: Group, ranks: Mapping[str, int]) -> list[tuple[int, str, int, int]]:
    """Return (rank, label, file number, length that is left)."""
    out = []
    places = Places(group, 0)
    if "lse" in ranks:
        for name, number in sorted(group.names.items()):
            for at in places.sectors(name, SECTOR, STOPS):
                out.append((ranks["lse"], f"eio:{name}:{at}", number, at * SECTOR))
    if "cut" in ranks:
        for name, edge in places.edges():
            number = group.names[name]
            if edge < group.sizes[number]:
                out.append((ranks["cut"], f"cut:{name}:{edge}", number, edge))
    return out


def _names(trace: Trace, group: Group, contents: list[bytes]) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield what may be wrong with whole files, and the names then.

    Older copies go to the end of `contents`.
    """
    names = dict(sorted(group.names.items()))
    for name in names:
        yield f"missing:{name}", {other: number for other, number in names.items() if other != name}
    for name, number in names.items():
        for other, its in names.items():
            if other != name:
                yield f"doubled:{name}:{other}", {**names, other: number}
                if name < other:
                    yield f"swapped:{name}:{other}", {**names, name: its, other: number}
    now = Timeline(trace, SECTOR)
    now.advance(group.crash_index)
    present = now.group(settled=True).materialise(b"")
    line = Timeline(trace, SECTOR)
    points = [at + 1 for at, op in enumerate(trace.ops[: group.crash_index - 1]) if isinstance(op, Ack)]
    for index in (0, *points):
        line.advance(index)
        then = line.group(settled=True).materialise(b"")
        for name in names:
            # An older copy that is the same is no damage.
            if name in then and then[name] != present[name]:
                contents.append(then[name])
                yield f"older:{name}:{index}", {**names, name: len(contents) - 1}
