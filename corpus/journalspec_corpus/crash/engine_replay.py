"""A flat trace replayed in compiled code: what files hold, the versions of granules, and their lanes.

The same as :class:`.blocks.Timeline` does, for all files in one buffer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from journalspec_corpus.crash.compiled import copied, copied_row, copied_rows, file_pair, page_pair, part
from journalspec_corpus.crash.engine_layout import (
    DATA,
    FILE,
    FILL,
    GROW,
    KIND,
    LENGTH,
    LEVEL,
    NAMED,
    OFF,
    SYNC,
    SYNC_DIR,
    TRUNCATE,
    UNWRITTEN,
    WRITE,
    Bytes,
    FlatTrace,
    Hashes,
    Ints,
)
from journalspec_corpus.crash.pages import PAGE

_PAGE = PAGE


class Image(NamedTuple):
    """What a process sees of the files: bytes, sizes, the lanes of each page and their sum for each file.

    `changed` has a flag for each page that a kernel has not been shown as it is now. `now` is (row of names).
    """

    bytes: Bytes
    sizes: Ints
    pages: Hashes
    sums: Hashes
    changed: Bytes
    now: Ints


class Versions(NamedTuple):
    """The versions of all granules of one size, and what makes them.

    A row of `cells`: how many versions, the durable one, whether it was written to since, and the slot of the
    last version, -1 if that is what the image holds. A row of `slots`: the slot before, and the place in the
    pool. `grown` has the sizes of each file, `sized` how many and the durable one. A row of `reached`:
    operation, what it reached (see :func:`point`), level. `unwritten` are (file, from, to). `used` counts:
    slots, reached, unwritten, durable names, names.
    """

    first: Ints
    cells: Ints
    slots: Ints
    grown: Ints
    sized: Ints
    reached: Ints
    unwritten: Ints
    used: Ints


CELL_COUNT, CELL_LOW, CELL_DIRTY, CELL_LAST = range(4)
SLOTS, REACHED, INTERVALS, NAMES_LOW, NAMES_NOW = range(5)


@part
def new_image(t: FlatTrace) -> Image:
    """Return the image before the trace."""
    count, pages = len(t.files), len(t.base) // _PAGE
    image = Image(
        t.base.copy(),
        t.files[:, 2].copy(),
        np.zeros((pages, 2), np.uint64),
        np.zeros((count, 2), np.uint64),
        np.zeros(pages, np.uint8),
        np.zeros(1, np.int64),
    )
    for file in range(count):
        _rehash(t, image, file, 0, t.files[file, 2])
    image.changed[:] = 0
    return image


@part
def another(image: Image) -> Image:
    """Return a copy of `image`."""
    return Image(
        image.bytes.copy(),
        image.sizes.copy(),
        image.pages.copy(),
        image.sums.copy(),
        image.changed.copy(),
        image.now.copy(),
    )


@part
def restart(t: FlatTrace, image: Image, first: Image) -> None:
    """Make `image` what `first` is, and note what that changes."""
    for page in range(len(image.pages)):
        if image.pages[page, 0] != first.pages[page, 0] or image.pages[page, 1] != first.pages[page, 1]:
            image.changed[page] = 1
            copied(image.bytes, page * _PAGE, first.bytes, page * _PAGE, _PAGE)
            copied_row(image.pages, page, first.pages, page)
    copied_rows(image.sums, first.sums, len(first.sums))
    copied(image.sizes, 0, first.sizes, 0, len(first.sizes))
    image.now[0] = 0


@part
def _rehash(t: FlatTrace, image: Image, file: int, start: int, end: int) -> None:
    """Work out the lanes of the pages of a file between two offsets once more."""
    begin = t.files[file, 0]
    for page in range((begin + start) // _PAGE, -(-(begin + end) // _PAGE)):
        a, b = page_pair(image.bytes, page * _PAGE, page * _PAGE + _PAGE, page - begin // _PAGE)
        image.sums[file, 0] += a - image.pages[page, 0]
        image.sums[file, 1] += b - image.pages[page, 1]
        image.pages[page, 0], image.pages[page, 1] = a, b
        image.changed[page] = 1


@part
def content(t: FlatTrace, names: int, sizes: Ints, sums: Hashes) -> Any:
    """Return the two lanes of a directory with these names (a row), sizes and sums of pages."""
    a, b = np.uint64(0), np.uint64(0)
    for name in range(t.names.shape[1]):
        file = t.names[names, name]
        if file >= 0:
            x, y = file_pair(t.words[name], sizes[file], sums[file, 0], sums[file, 1])
            a += x
            b += y
    return a, b


@part
def step(t: FlatTrace, image: Image, index: int) -> bool:
    """Do operation `index` to the image; tell whether it is one that changes something."""
    op = t.ops[index]
    kind, file, off = op[KIND], op[FILE], op[OFF]
    if kind == NAMED:
        image.now[0] = op[LEVEL]
        return True
    if kind > UNWRITTEN:
        return False
    end, size = off + op[LENGTH], image.sizes[file]
    if kind == WRITE or kind == FILL:
        start = t.files[file, 0]
        copied(image.bytes, start + off, t.data, op[DATA], op[LENGTH])
        image.sizes[file] = max(size, end)
        if end > off:
            _rehash(t, image, file, off, end)
    elif kind == TRUNCATE:
        start = t.files[file, 0]
        if off < size:
            image.bytes[start + off : start + size] = 0
            _rehash(t, image, file, off, size)
        image.sizes[file] = off
    else:
        image.sizes[file] = max(size, end)
    return True


@part
def new_versions(t: FlatTrace, image: Image, granule: int) -> Versions:
    """Return the versions of granules of a size before the trace."""
    count, ops = len(t.files), len(t.ops)
    first = np.zeros(count + 1, np.int64)
    for file in range(count):
        first[file + 1] = first[file] + t.files[file, 1] // granule
    spans = 0
    for index in range(ops):
        op = t.ops[index]
        if op[KIND] == WRITE or op[KIND] == FILL:
            spans += op[LENGTH] // granule + 2
        elif op[KIND] <= UNWRITTEN:
            spans += t.files[op[FILE], 1] // granule + 1
    cells = np.zeros((first[count], 4), np.int64)
    cells[:, CELL_LAST] = -1
    grown = np.zeros((count, ops + 1), np.int64)
    for file in range(count):
        grown[file, 0] = image.sizes[file]
    sized = np.zeros((count, 2), np.int64)
    sized[:, 0] = 1
    return Versions(
        first,
        cells,
        np.empty((2 * spans, 2), np.int64),
        grown,
        sized,
        np.empty((spans + 2 * ops, 3), np.int64),
        np.empty((ops, 3), np.int64),
        np.zeros(5, np.int64),
    )


@part
def room_needed(t: FlatTrace, granule: int) -> int:
    """Return how many bytes of the pool versions of a granule size take at most."""
    spans = 0
    for index in range(len(t.ops)):
        op = t.ops[index]
        if op[KIND] == WRITE or op[KIND] == FILL:
            spans += op[LENGTH] // granule + 2
        elif op[KIND] == TRUNCATE:
            spans += t.files[op[FILE], 1] // granule + 1
    return 2 * spans * granule


@part
def _keep(v: Versions, image: Image, place: int, cell: int, granule: int, pool: Bytes, used: int) -> int:
    """Put the bytes that a cell has now into the pool as its last version; return how much is used."""
    slot = v.used[SLOTS]
    v.used[SLOTS] += 1
    v.slots[slot, 0], v.slots[slot, 1] = v.cells[cell, CELL_LAST], used
    v.cells[cell, CELL_LAST] = slot
    copied(pool, used, image.bytes, place, granule)
    return used + granule


@part
def _reach(v: Versions, index: int, key: int, level: int) -> None:
    at = v.used[REACHED]
    v.used[REACHED] += 1
    v.reached[at, 0], v.reached[at, 1], v.reached[at, 2] = index, key, level


@part
def version_step(
    t: FlatTrace, image: Image, v: Versions, granule: int, index: int, pool: Bytes, used: int
) -> int:
    """Do operation `index` to the image and to versions; return how much of the pool is used then."""
    op = t.ops[index]
    kind, file, off = op[KIND], op[FILE], op[OFF]
    if kind == SYNC:
        v.sized[file, 1] = v.sized[file, 0] - 1
        for cell in range(v.first[file], v.first[file + 1]):
            v.cells[cell, CELL_LOW] = max(0, v.cells[cell, CELL_COUNT] - 1)
            v.cells[cell, CELL_DIRTY] = 0
        return used
    if kind == SYNC_DIR:
        v.used[NAMES_LOW] = v.used[NAMES_NOW]
        return used
    if kind == NAMED:
        v.used[NAMES_NOW] = op[LEVEL]
        _reach(v, index, 0, op[LEVEL])
        step(t, image, index)
        return used
    if kind > UNWRITTEN:
        return used
    begin, end, size = off, off + op[LENGTH], image.sizes[file]
    if kind == TRUNCATE:
        begin, end = min(off, size), max(off, size)
    elif kind == GROW or kind == UNWRITTEN:
        begin = size
        if kind == UNWRITTEN:
            at = v.used[INTERVALS]
            v.used[INTERVALS] += 1
            v.unwritten[at, 0], v.unwritten[at, 1], v.unwritten[at, 2] = file, off, end
    start, data = t.files[file, 0], op[DATA]
    first = begin // granule
    last = -(-end // granule) if end > begin else first
    # What was there is kept before the operation is done.
    for number in range(first, last):
        cell, place = v.first[file] + number, start + number * granule
        v.cells[cell, CELL_DIRTY] = 1
        v.cells[cell, CELL_COUNT] = max(1, v.cells[cell, CELL_COUNT])
        differs = False
        for at in range(max(begin, number * granule), min(end, number * granule + granule)):
            byte = image.bytes[start + at]
            if kind == WRITE or kind == FILL:
                differs |= byte != t.data[data + at - off]
            elif kind == TRUNCATE:
                differs |= byte != 0
        if differs:
            if v.cells[cell, CELL_LAST] < 0:
                used = _keep(v, image, place, cell, granule, pool, used)
            v.cells[cell, CELL_DIRTY] = 2
    step(t, image, index)
    for number in range(first, last):
        cell = v.first[file] + number
        if v.cells[cell, CELL_DIRTY] == 2:
            v.cells[cell, CELL_DIRTY] = 1
            used = _keep(v, image, start + number * granule, cell, granule, pool, used)
            _reach(v, index, 1 + len(t.files) + cell, v.cells[cell, CELL_COUNT])
            v.cells[cell, CELL_COUNT] += 1
    if image.sizes[file] != size:
        v.grown[file, v.sized[file, 0]] = image.sizes[file]
        _reach(v, index, 1 + file, v.sized[file, 0])
        v.sized[file, 0] += 1
    return used
