"""What the kernels of the formats share: a crash point laid out flat, rows turned to in place, hashes.

A kernel recovers every row of a crash point in compiled code and says which rows get
the same answer. It never says which: that is for the plain reader, once per
signature. This module needs Numba; nothing else may import it at its top.

Compiled code is kept on disk. Numba looks only at the file of the function that
it keeps, so that a kernel's entry function has to close over :func:`stamp`: a
change in any part of it is then another function.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, Codes, CrashPoint
from journalspec_corpus.crash.fingerprints import K as _KEYS
from journalspec_corpus.crash.fingerprints import mum as folded
from journalspec_corpus.crash.pages import PAGE, Pages
from journalspec_corpus.crash.reading import keys_of
from journalspec_corpus.crash.trace import Trace

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
F = TypeVar("F", bound=Callable[..., Any])

#: Blocks as the flat layout knows them.
_KINDS = {DATA: 0, SIZE: 1, NAMES: 2}
_IS_DATA, _IS_SIZE = 0, 1

# Multipliers of the two hashes, and how far they fold.
_M1, _M2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_S32, _S29 = np.uint64(32), np.uint64(29)
_U8 = np.uint64(8)
_WORD = 8


def helper(function: F) -> F:
    """Compile a function that kernels call; it is kept as a part of them."""
    return cast(F, numba.njit(nogil=True, forceinline=True)(function))


def entry(function: F) -> F:
    """Compile a kernel's entry function and keep it on disk; it has to close over a stamp."""
    return cast(F, numba.njit(nogil=True, cache=True)(function))


def stamp(names: Mapping[str, Any]) -> str:
    """Return a text that changes with this module, and with the one whose globals `names` are.

    That is with its source, and with its numbers, which may come from a table.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in (__file__, names["__file__"]):
        digest.update(Path(path).read_bytes())
    digest.update(
        repr(sorted((name, value) for name, value in names.items() if isinstance(value, int))).encode()
    )
    return digest.hexdigest()


#: Columns of `files` and `blocks` in a flat crash point, and of `numbers` of its pages.
START, ROOM, SIZE_NOW, USED, SPAN, STALE, FIRST_PAGE = range(7)
KIND, FILE, AT, LENGTH, FIRST, NOW = range(6)
ENTRY, UNDER, LIMIT, WHOLE, REACH, NEXT, FLAGS = range(7)
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
    that is not below `REACH`. `FLAGS` are the format's. `hash` has shape (pages, 2).
    """

    numbers: Ints
    hash: Hashes


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
    pages = Memory(np.zeros((page + 1, 7), np.int64), np.zeros((page + 1, 2), np.uint64))
    pages.numbers[:, ENTRY] = -1
    count = len(files)
    return Flat(
        scratch,
        np.asarray(files, np.int64).reshape(-1, 7),
        np.zeros((0, 6), np.int64),
        np.zeros(0, np.int64),
        np.zeros(0, np.uint8),
        pages,
        np.zeros((count, 1 + FAR), np.int64),
        np.full((count, NOTES), -1, np.int64),
        np.zeros((count, 2), np.uint64),
    )


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


def by_names(point: CrashPoint, codes: Codes) -> Iterator[tuple[Any, Codes, Mapping[str, int]]]:
    """Yield the rows that have the same names together: an index of them, their codes, the names."""
    at = next((at for at, block in enumerate(point.blocks) if block.kind == NAMES), None)
    if at is None:
        # Compiled code is made for one layout in memory, and another one would be compiled anew.
        yield slice(None), np.ascontiguousarray(codes), point.names
        return
    for code in np.unique(codes[:, at]).tolist():
        rows = np.flatnonzero(codes[:, at] == code)
        yield rows, np.ascontiguousarray(codes[rows]), point.blocks[at].versions[code]


@dataclass(frozen=True)
class Kernel:
    """The kernel of a format: :data:`.adapter.Signatures`, by the format's compiled code.

    ``run(flat, codes, order, known, *numbers(trace))`` returns the signatures of all rows of `codes`;
    `order(point, names)` are the files' numbers as the format reads them, None if a reader has
    to look; `known` are the hashes, shape (n, 2), that `hash_of_key` gives for the keys of
    the trace's records (None: no hash will be that of the key).
    """

    run: Callable[..., Hashes]
    order: Callable[[CrashPoint, Mapping[str, int]], Ints | None]
    hash_of_key: Callable[[str], Hashes | None]
    numbers: Callable[[Trace], tuple[Any, ...]] = lambda trace: ()
    _latest: dict[str, tuple[Any, ...]] = field(default_factory=dict, init=False)

    def __call__(self, point: CrashPoint, codes: Codes) -> Hashes | None:
        """Return two numbers per row; None if a reader has to look at all of them."""
        flat = flatten(point)
        if flat is None:
            return None
        given = self.given(point.trace)
        out = np.zeros((len(codes), 2), np.uint64)
        for rows, part, names in by_names(point, codes):
            order = self.order(point, names)
            if order is None:
                return None
            out[rows] = self.run(flat, part, order, *given)
        return out

    def given(self, trace: Trace) -> tuple[Any, ...]:
        """Return what all crash points of `trace` have in common, worked out once."""
        if trace.id not in self._latest:
            found = [pair for pair in map(self.hash_of_key, sorted(keys_of(trace))) if pair is not None]
            known = np.asarray(found, np.uint64).reshape(-1, 2)
            self._latest.clear()
            self._latest[trace.id] = (known, *self.numbers(trace))
        return self._latest[trace.id]


def trace_seed(trace: Trace) -> Hashes:
    """Return two numbers that stand for the trace."""
    return np.frombuffer(bytes.fromhex(trace.id), np.uint64)


@helper
def turned(flat: Flat, codes: Codes, row: int, out: Hashes) -> bool:
    """Show a row of `codes`, touching only what differs from the one before.

    Tells whether there is anything to look at; if not, the row has the result of the one before.
    """
    blocks, moved = flat.blocks, row == 0
    for block in range(len(blocks)):
        code = np.int64(codes[row, block])
        kind = blocks[block, KIND]
        if code == blocks[block, NOW] or kind > _IS_SIZE:
            continue
        blocks[block, NOW] = code
        file = blocks[block, FILE]
        value = flat.values[blocks[block, FIRST] + code]
        if kind == _IS_DATA:
            moved |= _overlay(flat, file, blocks[block, AT], value, blocks[block, LENGTH])
        elif flat.files[file, SIZE_NOW] != value:
            flat.files[file, SIZE_NOW] = value
            flat.files[file, STALE] = 1
            moved = True
    if not moved:
        out[row, 0], out[row, 1] = out[row - 1, 0], out[row - 1, 1]
    return moved


@helper
def _overlay(flat: Flat, file: int, at: int, value: int, length: int) -> bool:
    """Put ``pool[value:value + length]`` to `at`, and note which bytes that changes."""
    scratch, pool, files = flat.scratch, flat.pool, flat.files
    first, last = 0, length
    while first < last and scratch[at + first] == pool[value + first]:
        first += 1
    while last > first and scratch[at + last - 1] == pool[value + last - 1]:
        last -= 1
    if first == last:
        return False
    for index in range(first, last):
        scratch[at + index] = pool[value + index]
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
            if hashes[page, 0] != _M2:
                mix(h, hashes[page, 0])
                mix(h, hashes[page, 1])
            flags |= numbers[page, FLAGS]
            at = numbers[page, NEXT]
        return flags

    return walk


@helper
def start_hash(h: Hashes) -> None:
    """Make `h` (two numbers) the hash of nothing."""
    h[0] = _M2
    h[1] = _M1


@helper
def mix(h: Hashes, value: Any) -> None:
    """Take `value` into both hashes; each step can be undone, so that none loses anything."""
    word = np.uint64(value)
    one = (h[0] ^ word) * _M1
    h[0] = one ^ (one >> _S32)
    two = (h[1] + word) * _M2
    h[1] = two ^ (two >> _S29)


@helper
def _word(data: Bytes, at: int) -> Any:
    """Return eight bytes as one number, in a form that compilers make one load of."""
    return (
        np.uint64(data[at])
        | np.uint64(data[at + 1]) << np.uint64(8)
        | np.uint64(data[at + 2]) << np.uint64(16)
        | np.uint64(data[at + 3]) << np.uint64(24)
        | np.uint64(data[at + 4]) << np.uint64(32)
        | np.uint64(data[at + 5]) << np.uint64(40)
        | np.uint64(data[at + 6]) << np.uint64(48)
        | np.uint64(data[at + 7]) << np.uint64(56)
    )


@helper
def mix_bytes(h: Hashes, data: Bytes, start: int, end: int) -> None:
    """Take ``data[start:end]`` and its length into both hashes."""
    mix(h, end - start)
    one, two = h[0], h[1]
    at = start
    while end - at >= _WORD:
        word = _word(data, at)
        one = (one ^ word) * _M1
        one ^= one >> _S32
        two = (two + word) * _M2
        two ^= two >> _S29
        at += _WORD
    h[0], h[1] = one, two
    if at < end:
        word = np.uint64(0)
        for index in range(at, end):
            word = (word << _U8) | np.uint64(data[index])
        mix(h, word)


def _plain_mum(one: Any, two: Any) -> Any:
    """Return :func:`.fingerprints.mum` where nothing is compiled: with ``NUMBA_DISABLE_JIT=1``, in tests."""
    return np.uint64(folded(int(one), int(two)))


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _compiled_mum(typing: Any, one: Any, two: Any) -> Any:
    """Compile :func:`.fingerprints.mum`: Numba has no 128-bit integers, what it compiles to has them."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(arg, wide) for arg in args))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
        return builder.xor(builder.trunc(product, narrow), high)

    return types.uint64(types.uint64, types.uint64), codegen


mum: Any = _plain_mum if numba.config.DISABLE_JIT else _compiled_mum
# The constants of fingerprints, as compiled code knows them.
K = np.asarray(_KEYS, np.uint64)


@helper
def leaf(data: Bytes, start: int, end: int) -> Any:
    """Return :func:`.fingerprints.leaf` of ``data[start:end]``, at most a page, and 0 if all is zeros."""
    a, b, some = K[0], K[1], np.uint64(0)
    for at in range(start, start + PAGE, 2 * _WORD):
        x, y = np.uint64(0), np.uint64(0)
        if at + 2 * _WORD <= end:
            x, y = _word(data, at), _word(data, at + _WORD)
        else:
            for index in range(at, min(end, at + _WORD)):
                x |= np.uint64(data[index]) << np.uint64(8 * (index - at))
            for index in range(at + _WORD, end):
                y |= np.uint64(data[index]) << np.uint64(8 * (index - at - _WORD))
        some |= x | y
        a, b = mum(a ^ x, y ^ K[2]), mum(b ^ y, x ^ K[3])
    return a, b, some


@helper
def page_pair(data: Bytes, start: int, end: int, number: int) -> Any:
    """Return :func:`.fingerprints.placed` of ``data[start:end]``, page `number` of its file: two words."""
    a, b, some = leaf(data, start, end)
    if some == 0:
        return np.uint64(0), np.uint64(0)
    odd = np.uint64(2 * number + 1)
    return mum(a ^ K[4], odd * K[5]), mum(b ^ K[6], odd * K[7])


@helper
def file_pair(name: Hashes, size: int, a: Any, b: Any) -> Any:
    """Return :func:`.fingerprints.file_term` of a name's two words, a size and the sum of pages."""
    length = np.uint64(size)
    return (
        mum(a ^ name[0], name[1] ^ (length * K[8]) ^ K[9]),
        mum(b ^ name[1], name[0] ^ (length * K[10]) ^ K[11]),
    )


@helper
def promise_term(a: Any, b: Any) -> Any:
    """Return what a promise adds to a content's two words so that they are a state's."""
    return mum(a, K[12]), mum(b, K[13])


def blank(files: Ints, base: Bytes) -> Flat:
    """Return files laid out flat as they are in `base`; a row of `files`: where it starts, room, size."""
    count = len(files)
    rows = np.zeros((count, 7), np.int64)
    rows[:, [START, ROOM, SIZE_NOW]] = files
    rows[:, SPAN], rows[:, STALE] = NEAR, 1
    for row, (start, _, size) in zip(rows, files.tolist(), strict=True):
        row[USED] = len(base[start : start + size].tobytes().rstrip(b"\0"))
    rows[1:, FIRST_PAGE] = np.cumsum(files[:-1, 1] // PAGE + 1)
    pages = int((files[:, 1] // PAGE + 1).sum())
    memory = Memory(np.full((pages + 1, 7), -1, np.int64), np.zeros((pages + 1, 2), np.uint64))
    nothing = np.frombuffer(b"", np.uint8)
    return Flat(
        base.copy(),
        rows,
        np.zeros((0, 6), np.int64),
        np.zeros(0, np.int64),
        nothing,
        memory,
        np.zeros((count, 1 + FAR), np.int64),
        np.full((count, NOTES), -1, np.int64),
        np.zeros((count, 2), np.uint64),
    )


def _compiled_show(version: str) -> Any:
    """Return the entry function that shows another crash point, as below."""

    @entry
    def show(flat: Flat, patches: Ints, sizes: Ints) -> None:
        version  # noqa: B018  # see the module's docstring
        for row in range(len(patches)):
            at, file = patches[row, 0], 0
            while at >= flat.files[file, START] + flat.files[file, ROOM]:
                file += 1
            _overlay(flat, file, at, patches[row, 1], PAGE)
        for file in range(len(sizes)):
            if sizes[file] >= 0 and sizes[file] != flat.files[file, SIZE_NOW]:
                flat.files[file, SIZE_NOW], flat.files[file, STALE] = sizes[file], 1

    return show


def _compiled(version: str) -> Any:
    """Return the entry function; `version` is in it only to be a part of its name on disk."""

    @entry
    def hash_all(numbers: Ints, data: Bytes, lengths: Ints) -> Hashes:
        version  # noqa: B018  # see the module's docstring
        h = np.zeros(2, np.uint64)
        start_hash(h)
        for number in numbers:
            mix(h, number)
        at = 0
        for length in lengths:
            mix_bytes(h, data, at, at + length)
            at += length
        return h

    return hash_all


def _compiled_pages(version: str) -> Any:
    """Return the entry function of :func:`page_pairs`, as above."""

    @entry
    def pairs_of(data: Bytes, starts: Ints, numbers: Ints, out: Hashes) -> None:
        version  # noqa: B018  # see the module's docstring
        for row in range(len(numbers)):
            out[row] = page_pair(data, starts[row], starts[row + 1], numbers[row])

    return pairs_of


_hash_all = _compiled(stamp(globals()))
_pairs_of = _compiled_pages(stamp(globals()))
#: Puts pages of `flat.pool` to their places, one per row of patches (place, place in the pool), and sets
#: the sizes of files that are not in flight (-1 for those that are).
show = _compiled_show(stamp(globals()))


def page_pairs(pages: Sequence[bytes], numbers: Sequence[int]) -> Hashes:
    """Return :func:`.fingerprints.placed` of each page at its number, shape (n, 2)."""
    out = np.zeros((len(pages), 2), np.uint64)
    starts = np.cumsum([0, *map(len, pages)])
    data = np.frombuffer(b"".join((*pages, b"\0")), np.uint8)
    _pairs_of(data, starts, np.asarray(numbers, np.int64), out)
    return out


def hash_of(numbers: Sequence[int], *parts: bytes) -> Hashes:
    """Return the hash into which `numbers`, and the bytes of each of `parts`, were taken as kernels do."""
    lengths = np.asarray([len(part) for part in parts], np.int64)
    data = np.frombuffer(b"".join((*parts, b"\0")), np.uint8)
    return cast(Hashes, _hash_all(np.asarray(numbers, np.int64), data, lengths))


@helper
def is_known(h: Hashes, known: Hashes) -> bool:
    """Tell whether `h` is one of `known`."""
    found = False
    for index in range(len(known)):
        found |= known[index, 0] == h[0] and known[index, 1] == h[1]
    return found


@helper
def uint32(data: Bytes, at: int) -> Any:
    """Return the unsigned big-endian integer at `at`."""
    return (
        np.int64(data[at]) << 24
        | np.int64(data[at + 1]) << 16
        | np.int64(data[at + 2]) << 8
        | np.int64(data[at + 3])
    )


@helper
def int32(data: Bytes, at: int) -> Any:
    """Return the signed big-endian integer at `at`."""
    value = uint32(data, at)
    return value - (np.int64(1) << 32) if value >= np.int64(1) << 31 else value


@helper
def int64(data: Bytes, at: int) -> Any:
    """Return the signed big-endian long at `at`."""
    value = np.int64(0)
    for index in range(8):
        value = (value << 8) | np.int64(data[at + index])
    return value


def _crc_tables() -> npt.NDArray[np.uint64]:
    """Return the tables of a CRC-32 that takes eight bytes at a time, from the library's own CRC."""
    tables = np.zeros((8, 256), np.uint64)
    for byte in range(256):
        # The raw CRC (no inversions) of one byte, from the difference of two inverted ones.
        tables[0, byte] = zlib.crc32(bytes([byte])) ^ zlib.crc32(b"\0")
    for step in range(1, 8):
        before = tables[step - 1]
        tables[step] = (before >> np.uint64(8)) ^ tables[0][before & np.uint64(0xFF)]
    return tables


_TABLES = _crc_tables()
_LOW = np.uint64(0xFF)
_ONES = np.uint64(0xFFFFFFFF)


@helper
def crc32(data: Bytes, start: int, end: int, crc: Any) -> Any:
    """Return the CRC-32 of ``data[start:end]`` that continues `crc`, as zlib has it."""
    value = np.uint64(crc) ^ _ONES
    at = start
    while end - at >= _WORD:
        word = _word(data, at) ^ value
        value = (
            _TABLES[7, word & _LOW]
            ^ _TABLES[6, (word >> np.uint64(8)) & _LOW]
            ^ _TABLES[5, (word >> np.uint64(16)) & _LOW]
            ^ _TABLES[4, (word >> np.uint64(24)) & _LOW]
            ^ _TABLES[3, (word >> np.uint64(32)) & _LOW]
            ^ _TABLES[2, (word >> np.uint64(40)) & _LOW]
            ^ _TABLES[1, (word >> np.uint64(48)) & _LOW]
            ^ _TABLES[0, word >> np.uint64(56)]
        )
        at += _WORD
    while at < end:
        value = _TABLES[0, (value ^ np.uint64(data[at])) & _LOW] ^ (value >> np.uint64(8))
        at += 1
    return value ^ _ONES
