"""What the kernels of the formats share: a crash point laid out flat, rows turned to in place, hashes.

A kernel recovers every row of a crash point in compiled code and says which rows get
the same answer. It never says which: that is for the plain reader, once per
signature. This module needs Numba; nothing else may import it at its top.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, Codes, CrashPoint
from journalspec_corpus.crash.compiled import (
    NOTHING_FOUND,
    WORD,
    Bytes,
    Hashes,
    Ints,
    byte_at,
    copied,
    file_pair,
    helper,
    mix,
    page_pair,
    start_hash,
    word_at,
)
from journalspec_corpus.crash.engine_layout import (
    G_BLOCKS,
    G_CODES,
    G_COUNT,
    G_FIRST,
    G_NAMES,
    G_ORDER,
    G_PATCH,
    G_PATCHES,
    G_TABLE,
)
from journalspec_corpus.crash.held import held, let_go
from journalspec_corpus.crash.pages import PAGE, Pages
from journalspec_corpus.crash.reading import keys_of
from journalspec_corpus.crash.trace import Trace

#: Blocks as the flat layout knows them.
_KINDS = {DATA: 0, SIZE: 1, NAMES: 2}
_IS_DATA, _IS_SIZE = 0, 1
#: Columns of a group of rows, all but the first of which begin somewhere: see :mod:`.engine_layout`.
_GROUP = G_ORDER + 1

#: Columns of `files` and `blocks` in a flat crash point, and of `numbers` of its pages.
START, ROOM, SIZE_NOW, USED, SPAN, STALE, FIRST_PAGE = range(7)
KIND, FILE, AT, LENGTH, FIRST, NOW = range(6)
ENTRY, UNDER, LIMIT, WHOLE, REACH, NEXT, FLAGS, HASHED = range(8)
#: A page that was read so many bytes beyond its entry, or more, is far: so many of a file are listed.
NEAR, FAR = 8 * PAGE, 32
#: So many numbers a kernel may remember of each file.
NOTES = 4
#: What one step of a walk tells: how far it looked, flags of the format, 1 if the limit had a say.
REACHED, FOUND, BOUND = range(3)


class Memory(NamedTuple):
    """What a walk remembers of each page: what it found from `ENTRY` on, having looked up to `REACH`.

    `ENTRY` is -1 where nothing is remembered. `NEXT` is where the walk goes on. The result is good
    `UNDER` that number of the format's alone, and under another `LIMIT` only if `WHOLE` is 1 and
    that is not below `REACH`. `FLAGS` are the format's. `hash` has shape (pages, 2). `lanes` are those
    of the first `HASHED` bytes of the page, 0 if they are not known.
    """

    numbers: Ints
    hash: Hashes
    lanes: Hashes


class Flat(NamedTuple):
    """A crash point as few arrays, which compiled code passes on quickly; :func:`turned` changes them.

    `scratch` is the bytes of all files, one file behind the other. A row of `files`
    says where a file's bytes start and how much room they have, how long it is, where it holds
    nothing but zeros from (`USED`), how far behind its entry a page that is not in `far` was ever read
    (`SPAN`), whether bytes or length changed since the kernel last looked (`STALE`) and which of the pages
    is its first. A row of `blocks`: the kind, the file, the place in `scratch`, the length in bytes, where
    in `values` its version 0 is, and which version is shown. `values` holds places in `pool`, or sizes.
    A row of `far`: how many pages are listed, and these; they were read farther than `NEAR`.

    `notes` (files, NOTES) and `found` (files, 2) are the kernel's own: what it remembers of each
    file from one state, and one crash point, to the next.
    """

    scratch: Bytes
    files: Ints
    blocks: Ints
    values: Ints
    pool: Bytes
    pages: Memory
    far: Ints
    notes: Ints
    found: Hashes


class Points(NamedTuple):
    """Rows of crash points of one trace, a group for each, as in :class:`.engine_states.TraceStates`.

    The blocks of a group are rows of `blocks` in :class:`Flat`; `codes` has its codes, row by row. A
    row of `patches` is a place in the bytes of all files and one in the pool, of a page that has changed
    since the group before. `sizes` has those of all files for each group, -1 for one in flight. A row of
    `orders` is how many files the format reads under a set of names, and their numbers in its order; -1 if a
    reader has to look. Of a group, set of names n has row `G_ORDER` + n. `names` and `words` are as in
    :class:`.engine_layout.FlatTrace`; `words` is empty if nobody asks what can be seen. `wanted` is not 0
    where somebody asks about a row: nothing is said of the others.
    """

    groups: Ints
    codes: Codes
    patches: Ints
    sizes: Ints
    orders: Ints
    names: Ints
    words: Hashes
    wanted: Bytes


class Signed(NamedTuple):
    """What a kernel says of rows: two numbers for each that is wanted; none at all if a reader has to look.

    ``cut[i]`` is -1 if recovery can look at everything in row i; else it names a row of `lanes`, which are
    those of what it can look at, and of `whole`: the row of the names, and the sizes of all files.
    """

    signatures: Hashes
    cut: Ints
    lanes: Hashes
    whole: Ints


@dataclass
class _Laid:
    """The files of the last crash point of a trace as they were laid out: the next one is nearly the same."""

    trace: Trace
    flat: Flat
    contents: tuple[Pages, ...]
    #: (file, from, to) of the blocks in flight, whose bytes :func:`turned` changes
    moving: list[tuple[int, int, int]] = field(default_factory=list)


_laid: list[_Laid] = []


def flatten(point: CrashPoint) -> Flat | None:
    """Return `point` laid out flat and showing version 0; None if a block's versions differ in length.

    Only what differs from the point of the same trace that was laid out before is done again.
    What a kernel has read of the former one is forgotten where bytes have changed.
    """
    step = point.granule
    room = [max(len(content), size) for content, size in zip(point.contents, point.sizes, strict=True)]
    rows: list[list[int]] = []
    values: list[int] = []
    pool: list[bytes] = []
    moving: list[tuple[int, int, int]] = []
    used = 0
    for block in point.blocks:
        length, versions = 0, block.versions
        rows.append([_KINDS[block.kind], block.file, block.index * step, 0, len(values), 0])
        if block.kind == DATA:
            length = len(versions[0])
            joined = b"".join(versions)
            if len(joined) != length * len(versions) or len(set(map(len, versions))) > 1:
                return None
            room[block.file] = max(room[block.file], block.index * step + length)
            moving.append((block.file, block.index * step, block.index * step + length))
            values += range(used, used + length * len(versions), length)
            pool.append(joined)
            used += len(joined)
            rows[-1][LENGTH] = length
        elif block.kind == SIZE:
            room[block.file] = max(room[block.file], *versions)
            values += versions
        else:
            values += range(len(versions))
    laid = _laid[0] if _laid and _laid[0].trace is point.trace else None
    if laid is None or len(room) != len(laid.contents) or (laid.flat.files[:, ROOM] < room).any():
        laid = _Laid(point.trace, _lay_out(point, room), point.contents)
        _laid[:] = [laid]
    else:
        _lay_over(laid, point)
    laid.contents, laid.moving = point.contents, moving
    start = laid.flat.files[:, START]
    for row in rows:
        row[AT] += int(start[row[FILE]])
    return laid.flat._replace(
        blocks=np.asarray(rows, np.int64).reshape(-1, 6),
        values=np.asarray(values, np.int64),
        pool=np.frombuffer(b"".join((*pool, b"\0")), np.uint8),  # never empty: a type of its own otherwise
    )


def _lay_out(point: CrashPoint, room: list[int]) -> Flat:
    """Return new arrays for the files of `point`, with so much room for each, of which nothing is known."""
    files, start, page = [], 0, 0
    for size, space in zip(point.sizes, room, strict=True):
        files.append([start, space, size, 0, NEAR, 1, page])
        start += space
        page += space // PAGE + 1
    scratch = np.zeros(start, np.uint8)
    for content, row in zip(point.contents, files, strict=True):
        for number in content.differing(Pages()):
            data = np.frombuffer(content[number * PAGE : number * PAGE + PAGE], np.uint8)
            place = row[START] + number * PAGE
            scratch[place : place + len(data)] = data
            row[USED] = number * PAGE + len(data)
    count = len(files)
    return Flat(
        scratch,
        np.asarray(files, np.int64).reshape(-1, 7),
        np.zeros((0, 6), np.int64),
        np.zeros(0, np.int64),
        np.zeros(0, np.uint8),
        _no_memory(page + 1),
        np.zeros((count, 1 + FAR), np.int64),
        np.full((count, NOTES), -1, np.int64),
        np.zeros((count, 2), np.uint64),
    )


def _no_memory(pages: int) -> Memory:
    """Return the memory of a walk that has been nowhere."""
    numbers = np.zeros((pages, 8), np.int64)
    numbers[:, ENTRY] = -1
    return Memory(numbers, np.zeros((pages, 2), np.uint64), np.zeros((pages, 2), np.uint64))


def _lay_over(laid: _Laid, point: CrashPoint) -> None:
    """Put the files of `point` where those of the point before are."""
    flat = laid.flat
    for file, (old, new) in enumerate(zip(laid.contents, point.contents, strict=True)):
        row = flat.files[file]
        spans = [(start, end) for number, start, end in laid.moving if number == file]
        if old is not new:
            spans += [(page * PAGE, page * PAGE + PAGE) for page in new.differing(old)]
        for start, until in spans:
            end = min(until, int(row[ROOM]))
            if start < end:
                place = int(row[START]) + start
                data = new[start:end].ljust(end - start, b"\0")
                flat.scratch[place : place + end - start] = np.frombuffer(data, np.uint8)
                row[USED], row[STALE] = max(row[USED], end), 1
                _forgetting(flat, file, start, end)
        if row[SIZE_NOW] != point.sizes[file]:
            row[SIZE_NOW], row[STALE] = point.sizes[file], 1


@dataclass(frozen=True)
class Kernel:
    """The kernel of a format: :data:`.adapter.Signatures`, by the format's compiled code.

    ``run(flat, points, known, *numbers(trace))`` returns what is said of all rows of `points`
    (:class:`Signed`); `order(point, names)` are the files' numbers as the format reads them, None if a
    reader has to look; `known` are the hashes, shape (n, 2), that `hash_of_key` gives for the keys of
    the trace's records (None: no hash will be that of the key). `control(trace)` names the file whose
    contents have a say in the order; empty if there is none. `says(trace, content)` is what that file says:
    contents that say the same lead to the same answers.
    """

    run: Callable[..., Signed]
    order: Callable[[CrashPoint, Mapping[str, int]], Ints | None]
    hash_of_key: Callable[[str], Hashes | None]
    numbers: Callable[[Trace], tuple[Any, ...]] = lambda trace: ()
    control: Callable[[Trace], str] = lambda trace: ""
    says: Callable[[Trace, bytes], Hashable] = lambda trace, content: content
    _latest: dict[str, tuple[Any, ...]] = field(default_factory=dict, init=False)

    def __call__(self, point: CrashPoint, codes: Codes) -> Hashes | None:
        """Return two numbers per row; None if a reader has to look at all of them."""
        flat = flatten(point)
        if flat is None:
            return None
        names = next((block.versions for block in point.blocks if block.kind == NAMES), [point.names])
        orders = order_table([self.order(point, each) for each in names], len(point.sizes))
        signed = self.run(flat, _one_group(flat, codes, orders), *self.given(point.trace))
        return signed.signatures if len(signed.signatures) == len(codes) else None

    def given(self, trace: Trace) -> tuple[Any, ...]:
        """Return what all crash points of `trace` have in common, worked out once."""
        if trace.id not in self._latest:
            hashes = [_hash(self.hash_of_key, key) for key in sorted(keys_of(trace))]
            found = [pair for pair in hashes if pair is not None]
            known = np.asarray(found, np.uint64).reshape(-1, 2)
            self._latest.clear()
            self._latest[trace.id] = (known, *self.numbers(trace))
        return self._latest[trace.id]


@lru_cache(1 << 12)
def _hash(of: Callable[[str], Hashes | None], key: str) -> Hashes | None:
    """Return the hash of a record's key: the same ones come in many traces."""
    return of(key)


def order_table(orders: Sequence[Ints | None], files: int) -> Ints:
    """Return `orders` as a table: how many files, and their numbers; -1 where there is none."""
    table = np.full((len(orders), files + 1), -1, np.int64)
    for row, order in zip(table, orders, strict=True):
        if order is not None:
            row[0], row[1 : 1 + len(order)] = len(order), order
    return table


def _one_group(flat: Flat, codes: Codes, orders: Ints) -> Points:
    """Return rows of the crash point that `flat` shows; what is to be seen is not asked."""
    group = np.zeros((1, _GROUP), np.int64)
    group[0, [G_BLOCKS, G_COUNT]] = len(flat.blocks), len(codes)
    # Compiled code is made for one layout in memory, and another one would be compiled anew.
    rows = np.ascontiguousarray(codes).reshape(-1)
    nothing = np.zeros((0, 2), np.int64)
    sizes = np.full((1, len(flat.files)), -1, np.int64)
    wanted = np.ones(len(codes), np.uint8)
    return Points(group, rows, nothing, sizes, orders, nothing, np.zeros((0, 2), np.uint64), wanted)


def trace_seed(trace: Trace) -> Hashes:
    """Return two numbers that stand for the trace."""
    return np.frombuffer(bytes.fromhex(trace.id), np.uint64)


@helper
def _turned(flat: Flat, points: Points, number: int, row: int) -> bool:
    """Show a row of a group, touching only what differs from what is shown; tell whether anything does."""
    group, moved = points.groups[number], False
    first = group[G_CODES] + row * group[G_BLOCKS]
    for at in range(group[G_BLOCKS]):
        block, code = flat.blocks[group[G_TABLE] + at], np.int64(points.codes[first + at])
        if code == block[NOW]:
            continue
        block[NOW] = code
        file, value = block[FILE], flat.values[block[FIRST] + code]
        if block[KIND] == _IS_DATA:
            moved |= _overlay(flat, file, block[AT], value, block[LENGTH])
        elif block[KIND] > _IS_SIZE:
            moved = True
        elif flat.files[file, SIZE_NOW] != value:
            flat.files[file, SIZE_NOW] = value
            flat.files[file, STALE] = 1
            moved = True
    return moved


@helper
def _names_now(flat: Flat, points: Points, number: int, row: int) -> Any:
    """Return the set of names of a row: those of a block, wherever that stands, or those of the group."""
    group = points.groups[number]
    first = group[G_CODES] + row * group[G_BLOCKS]
    for at in range(group[G_BLOCKS]):
        block = flat.blocks[group[G_TABLE] + at]
        if block[KIND] > _IS_SIZE:
            return flat.values[block[FIRST] + points.codes[first + at]]
    return group[G_NAMES]


@helper
def _shown(flat: Flat, points: Points, number: int) -> None:
    """Show what the crash point of a group has outside its blocks."""
    group = points.groups[number]
    for row in range(group[G_PATCH], group[G_PATCH] + group[G_PATCHES]):
        at, file = points.patches[row, 0], 0
        while at >= flat.files[file, START] + flat.files[file, ROOM]:
            file += 1
        _overlay(flat, file, at, points.patches[row, 1], PAGE)
    for file in range(len(flat.files)):
        size = points.sizes[number, file]
        if size >= 0 and size != flat.files[file, SIZE_NOW]:
            flat.files[file, SIZE_NOW], flat.files[file, STALE] = size, 1


@helper
def _overlay(flat: Flat, file: int, at: int, value: int, length: int) -> bool:
    """Put ``pool[value:value + length]`` to `at`, and note which bytes that changes."""
    scratch, pool, files = flat.scratch, flat.pool, flat.files
    first, last = 0, length
    # Most of it is the same: in words first.
    while last - first >= WORD and word_at(scratch, at + first) == word_at(pool, value + first):
        first += WORD
    while first < last and byte_at(scratch, at + first) == byte_at(pool, value + first):
        first += 1
    while last - first >= WORD and word_at(scratch, at + last - WORD) == word_at(pool, value + last - WORD):
        last -= WORD
    while last > first and byte_at(scratch, at + last - 1) == byte_at(pool, value + last - 1):
        last -= 1
    if first == last:
        return False
    copied(scratch, at + first, pool, value + first, last - first)
    inside = at - files[file, START]
    files[file, USED] = max(files[file, USED], inside + last)
    files[file, STALE] = 1
    _forgotten(flat, file, inside + first, inside + last)
    return True


def _forgetting(flat: Flat, file: int, low: int, high: int) -> None:
    """Forget what was found where the bytes from `low` to `high` of `file` were looked at.

    These pages are looked at, a few before them, and those that were read far: not the whole file.
    """
    numbers, far, start = flat.pages.numbers, flat.far, flat.files[file, FIRST_PAGE]
    for page in range(start + max(0, low - flat.files[file, SPAN]) // PAGE, start + (high - 1) // PAGE + 1):
        if numbers[page, ENTRY] < high and numbers[page, REACH] > low:
            numbers[page, ENTRY] = -1
    for at in range(1, far[file, 0] + 1):
        page = far[file, at]
        if numbers[page, ENTRY] < high and numbers[page, REACH] > low:
            numbers[page, ENTRY] = -1
    for page in range(start + low // PAGE, start + (high - 1) // PAGE + 1):
        numbers[page, HASHED] = 0


_forgotten = helper(_forgetting)


@helper
def refreshed(flat: Flat, file: int) -> bool:
    """Tell whether `file` has changed since this was asked last."""
    stale: bool = flat.files[file, STALE] != 0
    flat.files[file, STALE] = 0
    return stale


@helper
def _listed_far(flat: Flat, file: int, page: int) -> None:
    """List a page that was read far; where there are too many, all pages before a change are looked at."""
    far = flat.far
    for at in range(1, far[file, 0] + 1):
        if far[file, at] == page:
            return
    if far[file, 0] == FAR:
        flat.files[file, SPAN] = flat.files[file, ROOM]
        return
    far[file, 0] += 1
    far[file, far[file, 0]] = page


def walker(step: Any) -> Any:
    """Return a compiled walk through a file, `step` by step, that remembers what each page came to.

    ``step(data, at, edge, limit, tools, total)`` looks for something that begins before
    `edge` and ends before `limit` (places in `data`), takes what it finds into the hash `total`,
    and returns where to go on. It says more in ``tools.seen``: (`REACHED`, `FOUND`, `BOUND`).

    ``walk(flat, file, at, end, limit, under, tools, h)`` goes from offset `at` to `end`, takes what
    was found into `h`, and returns all flags. What else than bytes and limit decides is in `under`.
    """

    @helper
    def read_page(flat: Flat, file: int, page: int, at: int, limit: int, under: int, tools: Any) -> None:
        base, numbers, total, seen = (
            flat.files[file, START],
            flat.pages.numbers,
            flat.pages.hash[page],
            tools.seen,
        )
        behind = (at // PAGE + 1) * PAGE
        edge = min(behind, limit)
        numbers[page, ENTRY], numbers[page, UNDER], numbers[page, LIMIT] = at, under, limit
        seen[REACHED], seen[FOUND], seen[BOUND] = 0, 0, 0
        start_hash(total)
        while at < edge:
            at = step(flat.scratch, base + at, base + edge, base + limit, tools, total) - base
        reach = max(at, seen[REACHED] - base)
        # What would have looked beyond the limit may find more under another one.
        numbers[page, WHOLE] = behind <= at and reach <= limit and not seen[BOUND]
        numbers[page, REACH], numbers[page, NEXT], numbers[page, FLAGS] = reach, at, seen[FOUND]
        if reach - numbers[page, ENTRY] > NEAR:
            _listed_far(flat, file, page)

    @helper
    def walk(flat: Flat, file: int, at: int, end: int, limit: int, under: int, tools: Any, h: Hashes) -> int:
        numbers, hashes, first = flat.pages.numbers, flat.pages.hash, flat.files[file, FIRST_PAGE]
        flags = 0
        while at < end:
            page = first + at // PAGE
            fits = numbers[page, LIMIT] == limit or (numbers[page, WHOLE] and numbers[page, REACH] <= limit)
            if numbers[page, ENTRY] != at or numbers[page, UNDER] != under or not fits:
                read_page(flat, file, page, at, limit, under, tools)
            # How many pages there are in which there is nothing makes no difference.
            if hashes[page, 0] != NOTHING_FOUND:
                mix(h, hashes[page, 0])
                mix(h, hashes[page, 1])
            flags |= numbers[page, FLAGS]
            at = numbers[page, NEXT]
        return flags

    return walk


def blank(files: Ints, base: Bytes) -> Flat:
    """Return files laid out flat as they are in `base`; a row of `files`: where it starts, room, size."""
    count = len(files)
    rows = np.zeros((count, 7), np.int64)
    rows[:, [START, ROOM, SIZE_NOW]] = files
    rows[:, SPAN], rows[:, STALE] = NEAR, 1
    content = base.tobytes()
    rows[:, USED] = [len(content[start : start + size].rstrip(b"\0")) for start, _, size in files.tolist()]
    rows[1:, FIRST_PAGE] = np.cumsum(files[:-1, 1] // PAGE + 1)
    nothing = np.frombuffer(b"", np.uint8)
    return Flat(
        base.copy(),
        rows,
        np.zeros((0, 6), np.int64),
        np.zeros(0, np.int64),
        nothing,
        _no_memory(int((files[:, 1] // PAGE + 1).sum()) + 1),
        np.zeros((count, 1 + FAR), np.int64),
        np.full((count, NOTES), -1, np.int64),
        np.zeros((count, 2), np.uint64),
    )


def signer(recover: Any, look: Any) -> Any:
    """Return compiled code that signs all rows of crash points: ``sign(flat, points, tools)``.

    ``recover(flat, order, tools, h)`` sets `h` to the signature of what `flat` shows; `order` are the files
    in the format's order. Behind it, ``look(flat, order, ends)`` sets for each of these files how far
    recovery can look: what :attr:`.visible.Reach.ends` says.
    """

    @helper
    def sign(laid: Flat, given: Points, own: Any) -> Signed:
        flat, points, tools = held(laid), held(given), held(own)
        rows, files = 0, len(flat.files)
        for number in range(len(points.groups)):
            rows = max(rows, points.groups[number, G_FIRST] + points.groups[number, G_COUNT])
        out, cut = np.zeros((rows, 2), np.uint64), np.full(rows, -1, np.int64)
        asked = len(points.words) > 0
        table, many = np.full(4 * rows + 4 if asked else 0, -1, np.int64), 0
        lanes, whole = (
            np.empty((rows if asked else 0, 4), np.uint64),
            np.empty((len(cut) if asked else 0, files + 1), np.int64),
        )
        ends, found, unread = np.zeros(files, np.int64), np.zeros(4, np.uint64), False
        for number in range(len(points.groups)):
            _shown(flat, points, number)
            first, last = points.groups[number, G_FIRST], -1
            for row in range(points.groups[number, G_COUNT]):
                at = first + row
                if points.wanted[at] == 0:
                    continue
                moved = _turned(flat, points, number, row)
                if last >= 0 and not moved:
                    out[at, 0], out[at, 1], cut[at] = out[last, 0], out[last, 1], cut[last]
                    continue
                last = at
                names = _names_now(flat, points, number, row)
                order = points.orders[points.groups[number, G_ORDER] + names]
                if order[0] < 0:
                    unread = True
                    continue
                order = order[1 : 1 + order[0]]
                recover(flat, order, tools, out[at])
                if asked:
                    look(flat, order, ends)
                    if _seen(flat, points, names, ends, found):
                        cut[at] = _noted(flat, names, found, table, lanes, whole, many)
                        many = max(many, cut[at] + 1)
        let_go(flat)
        let_go(points)
        let_go(tools)
        if unread:
            out, cut, many = out[:0], cut[:0], 0
        return Signed(out, cut, lanes[:many, :2].copy(), whole[:many])

    return sign


@helper
def _noted(flat: Flat, names: int, found: Hashes, table: Ints, lanes: Hashes, whole: Ints, many: int) -> Any:
    """Return which of `many` rows is what recovery can look at: one more if it is new."""
    place = _place(table, lanes, found)
    if table[place] < 0:
        table[place] = many
        copied(lanes[many], 0, found, 0, len(found))
        whole[many, 0] = names
        for file in range(len(flat.files)):
            whole[many, 1 + file] = flat.files[file, SIZE_NOW]
    return table[place]


@helper
def _place(table: Ints, lanes: Hashes, wanted: Hashes) -> Any:
    """Return where in a hash table of rows of `lanes` the one that is `wanted` stands, or belongs."""
    place = np.int64(wanted[2] % np.uint64(len(table)))
    while table[place] >= 0:
        row, same = table[place], True
        for at in range(len(wanted)):
            same &= lanes[row, at] == wanted[at]
        if same:
            break
        place = (place + 1) % len(table)
    return place


@helper
def _seen(flat: Flat, points: Points, names: int, ends: Ints, out: Hashes) -> Any:
    """Tell whether files go on behind `ends`; then set `out` to the lanes of what is before, and of sizes."""
    cut: Any = False
    out[:] = 0
    for name in range(points.names.shape[1]):
        file = points.names[names, name]
        cut |= file >= 0 and ends[file] < flat.files[file, SIZE_NOW]
    if not cut:
        return False
    for name in range(points.names.shape[1]):
        file = points.names[names, name]
        if file >= 0:
            a, b = np.uint64(0), np.uint64(0)
            size = flat.files[file, SIZE_NOW]
            end = min(size, ends[file])
            for number in range(-(-end // PAGE)):
                page, start = flat.files[file, FIRST_PAGE] + number, flat.files[file, START] + number * PAGE
                length, kept = min(PAGE, end - number * PAGE), flat.pages.lanes[page]
                if flat.pages.numbers[page, HASHED] != length:
                    kept[0], kept[1] = page_pair(flat.scratch, start, start + length, number)
                    flat.pages.numbers[page, HASHED] = length
                a += kept[0]
                b += kept[1]
            x, y = file_pair(points.words[name], end, a, b)
            out[0] += x
            out[1] += y
            # Sizes alone, so that rows are told apart by them as well.
            x, y = file_pair(points.words[name], size, np.uint64(0), np.uint64(1))
            out[2] += x
            out[3] += y
    out[2] ^= out[0]
    return True


@helper
def looks_at_all(flat: Flat, order: Ints, ends: Ints) -> None:
    """Recovery may look anywhere: for formats that do not say how far it looks."""
    for file in order:
        ends[file] = flat.files[file, SIZE_NOW]
