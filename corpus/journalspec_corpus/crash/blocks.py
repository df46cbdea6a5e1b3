"""From a trace to blocks: what is in flight at a crash point, and every content it may have.

A *block* is what persists as one: a granule of a file, a file's size, or the
directory's names. Its *versions* are its contents in program order; version 0 is
the durable one. Writes to one granule pass through one page, so that a granule on
disk is always one of its versions, never a mixture. Versions that nobody wrote (garbage,
halves, other files' blocks, names for themselves) stand behind a block's own, always in the
same order, so that a descriptor's code means the same whatever else is looked at.

A state is one version of each block. All combinations are looked at while they are
few: at most ``EXHAUSTIVE`` (12 granules with two versions each). Beyond that, those with
at most two deviations from "everything arrived" and from "nothing arrived" are taken:
most faults need few lost writes. To them come samples, each a function of the stream
and its own number; nothing is sampled that can be counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.pages import Pages
from journalspec_corpus.crash.trace import (
    Create,
    Op,
    Preallocate,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
)

Codes = npt.NDArray[np.uint16]
#: A name and the number of the file that it is bound to, None if it goes away.
Binding = tuple[str, int | None]

#: Cell kinds.
DATA, SIZE, NAMES = "data", "size", "names"
#: Levels of versions that hold nothing that was ever written there: garbage (or half
#: of a version), a choice of names that no prefix of the operations leaves, another file's block.
TRASHED, MIXED, FOREIGN = -1, -2, -3
#: The level of a version that corruption made.
ROTTEN = -4
#: All choices among up to so many bindings of names are looked at.
LOOSE = 6
#: Up to so many bytes a file is copied as a whole for each state: that costs less than a path of its tree.
FLAT = 1 << 20


@dataclass(frozen=True, slots=True)
class Block:
    """One thing that persists as a whole.

    `file` is the number of the file (its inode; names may change), `index` the
    granule. `versions` are bytes (data), int (size) or a mapping name -> file
    number (names). ``levels[code]`` says up to which write version `code` is.
    """

    kind: str
    file: int
    index: int
    versions: tuple[Any, ...]
    levels: tuple[int, ...]


@dataclass(frozen=True)
class CrashPoint:
    """All blocks in flight at one crash point, with everything else as it is on disk.

    `contents` and `sizes` are per file number, `names` maps names to numbers;
    they hold version 0 of every block. ``reach[i]`` lists, for the operation at
    index i of the trace, the (block, level) pairs that it takes to be on disk as a
    whole; an operation without an entry is on disk in every state.
    """

    trace: Trace
    crash_index: int
    granule: int
    blocks: tuple[Block, ...]
    contents: tuple[Pages, ...]
    sizes: tuple[int, ...]
    names: Mapping[str, int]
    reach: Mapping[int, tuple[tuple[int, int], ...]]
    #: Levels of all blocks after each operation that changed one: the states of a kill.
    kills: tuple[tuple[int, ...], ...]
    #: For each block whether it is new space: no byte of it was the file's before, or set aside as zeros.
    fresh: tuple[bool, ...] = ()
    #: For each block the level that a force made durable; 0 throughout where forces are honest.
    forced: tuple[int, ...] = ()
    #: Granules that writes in flight put the same bytes into: nothing can be lost, but they can be trashed.
    idle: tuple[Block, ...] = ()

    def with_idle(self) -> CrashPoint:
        """Return the crash point with its idle granules as blocks of one version each, behind the others."""
        if not self.idle:
            return self
        more = (0,) * len(self.idle)
        return replace(
            self,
            blocks=(*self.blocks, *self.idle),
            kills=tuple((*levels, *more) for levels in self.kills),
            fresh=(*self.fresh, *(False for _ in self.idle)),
            forced=(*self.forced, *more),
            idle=(),
        )

    @property
    def dims(self) -> tuple[int, ...]:
        """How many versions each block has."""
        return tuple(len(block.versions) for block in self.blocks)

    def materialise(self, codes: Codes | bytes) -> dict[str, bytes]:
        """Return the files of the state in which block i has version ``codes[i]``."""
        sizes = list(self.sizes)
        names = self.names
        moved: dict[int, list[tuple[int, bytes]]] = {}
        given = codes.tolist() if isinstance(codes, np.ndarray) else codes
        for block, code in zip(self.blocks, given, strict=True):
            if not code:
                # Contents, sizes and names have version 0 of every block.
                continue
            value = block.versions[code]
            if block.kind == NAMES:
                names = value
            elif block.kind == SIZE:
                sizes[block.file] = value
            else:
                moved.setdefault(block.file, []).append((block.index * self.granule, value))
        return {
            name: self._image(number, sizes[number], moved.get(number, []))
            for name, number in sorted(names.items())
        }

    @cached_property
    def _images(self) -> dict[int, tuple[tuple[int, list[tuple[int, bytes]]], bytes]]:
        """Of each file what it was last made of, and it: most states change one file of those before them."""
        return {}

    @cached_property
    def _flat(self) -> dict[int, bytes]:
        """The contents of small files in one piece."""
        return {}

    def _image(self, number: int, size: int, moved: list[tuple[int, bytes]]) -> bytes:
        """Return `size` bytes of a file, with what stands at other offsets in `moved`."""
        known = self._images.get(number)
        if known is not None and known[0] == (size, moved):
            return known[1]
        content = self.contents[number]
        if max(len(content), size) <= FLAT:
            if number not in self._flat:
                self._flat[number] = bytes(content)
            laid = bytearray(self._flat[number][:size].ljust(size, b"\0"))
            for start, value in moved:
                if start < size:
                    laid[start : start + len(value)] = value[: size - start]
            out = bytes(laid)
        else:
            for start, value in moved:
                content = content.put(start, value)
            out = bytes(content.resized(size))
        self._images[number] = (size, moved), out
        return out


@dataclass
class _File:
    """A file while a trace is replayed."""

    content: Pages
    sizes: list[int]
    size_low: int = 0
    #: ends of the space that reads as zeros until it is written
    unwritten: list[tuple[int, int]] = field(default_factory=list)
    granules: dict[int, list[bytes]] = field(default_factory=dict)
    low: dict[int, int] = field(default_factory=dict)
    #: granules written to since the last force
    dirty: set[int] = field(default_factory=set)


class Timeline:
    """A trace replayed operation by operation, remembering versions per block."""

    def __init__(self, trace: Trace, granule: int) -> None:
        self.trace = trace
        self.granule = granule
        self.at = 0
        self._files: list[_File] = []
        names = {}
        for name in sorted(trace.base):
            names[name] = self._new_file(trace.pages[name])
        self._names: list[dict[str, int]] = [names]
        self._names_low = 0
        #: what each operation on names does to single names
        self._bindings: list[tuple[Binding, ...]] = []
        #: operation index -> [(block key, level)], for operations that changed something
        self._reach: dict[int, list[tuple[tuple[str, int, int], int]]] = {}

    def _new_file(self, content: Pages) -> int:
        self._files.append(_File(content, [len(content)]))
        return len(self._files) - 1

    def advance(self, upto: int) -> None:
        """Replay up to, not including, operation `upto`."""
        while self.at < upto:
            self._step(self.at, self.trace.ops[self.at])
            self.at += 1

    def _step(self, index: int, op: Op) -> None:
        if isinstance(op, Write):
            self._write(index, self._names[-1][op.file], op.off, op.data)
        elif isinstance(op, Truncate):
            self._truncate(index, self._names[-1][op.file], op.size)
        elif isinstance(op, Preallocate):
            self._preallocate(index, self._names[-1][op.file], op)
        elif isinstance(op, Sync):
            self._sync(self._names[-1][op.file])
        elif isinstance(op, SyncDir):
            self._names_low = len(self._names) - 1
        elif isinstance(op, Create):
            number = self._new_file(Pages())
            self._rename_to(index, {**self._names[-1], op.file: number}, ((op.file, number),))
        elif isinstance(op, Rename):
            names = dict(self._names[-1])
            names[op.new] = names.pop(op.old)
            self._rename_to(index, names, ((op.new, names[op.new]), (op.old, None)))
        elif isinstance(op, Unlink):
            names = dict(self._names[-1])
            del names[op.file]
            self._rename_to(index, names, ((op.file, None),))

    def _rename_to(self, index: int, names: dict[str, int], steps: tuple[Binding, ...]) -> None:
        self._names.append(names)
        self._bindings.append(steps)
        self._reached(index, (NAMES, 0, 0), len(self._names) - 1)

    def _reached(self, index: int, key: tuple[str, int, int], level: int) -> None:
        self._reach.setdefault(index, []).append((key, level))

    def _write(self, index: int, number: int, off: int, data: bytes) -> None:
        file = self._files[number]
        before = self._granules_before(file, off, off + len(data))
        file.content = file.content.put(off, data)
        self._changed(index, number, before)

    def _truncate(self, index: int, number: int, size: int) -> None:
        file = self._files[number]
        before = self._granules_before(file, min(size, len(file.content)), max(size, len(file.content)))
        file.content = file.content.resized(size)
        self._changed(index, number, before)

    def _preallocate(self, index: int, number: int, op: Preallocate) -> None:
        file = self._files[number]
        data, end = op.data, op.off + op.length
        if data is not None:
            self._write(index, number, op.off, data)
            return
        if op.mode == "unwritten":
            file.unwritten.append((op.off, end))
        if end > len(file.content):
            self._truncate(index, number, end)

    def _granules_before(self, file: _File, start: int, end: int) -> dict[int, bytes]:
        touched = range(start // self.granule, -(-end // self.granule) if end > start else 0)
        return {granule: self._granule(file, granule) for granule in touched}

    def _granule(self, file: _File, granule: int) -> bytes:
        piece = file.content[granule * self.granule : (granule + 1) * self.granule]
        return piece.ljust(self.granule, b"\0")

    def _changed(self, index: int, number: int, before: dict[int, bytes]) -> None:
        file = self._files[number]
        file.dirty.update(before)
        for granule, old in before.items():
            new = self._granule(file, granule)
            versions = file.granules.setdefault(granule, [old])
            file.low.setdefault(granule, 0)
            if new != versions[-1]:
                versions.append(new)
                self._reached(index, (DATA, number, granule), len(versions) - 1)
        if len(file.content) != file.sizes[-1]:
            file.sizes.append(len(file.content))
            self._reached(index, (SIZE, number, 0), len(file.sizes) - 1)

    def _sync(self, number: int) -> None:
        file = self._files[number]
        file.size_low = len(file.sizes) - 1
        file.dirty.clear()
        for granule, versions in file.granules.items():
            file.low[granule] = len(versions) - 1

    def point(self, *, settled: bool = False, lying: bool = False) -> CrashPoint:
        """Return the blocks in flight now.

        With `settled`, everything issued is on disk; with `lying`, nothing of the
        trace need be, forced or not.
        """
        if settled:
            return self._settled()
        blocks: list[Block] = []
        keys: dict[tuple[str, int, int], tuple[int, int]] = {}
        forced: list[int] = []

        def add(key: tuple[str, int, int], versions: list[Any], durable: int) -> None:
            low = 0 if lying else durable
            if low < len(versions) - 1:
                keys[key] = (len(blocks), low)
                span = tuple(versions[low:])
                blocks.append(Block(*key, span, tuple(range(len(span)))))
                forced.append(durable - low)

        add((NAMES, 0, 0), self._names, self._names_low)
        for number, file in enumerate(self._files):
            add((SIZE, number, 0), file.sizes, file.size_low)
            for granule in sorted(file.granules):
                add((DATA, number, granule), file.granules[granule], file.low[granule])
        lows = [(0 if lying else file.size_low) for file in self._files]
        sizes = [file.sizes[low] for file, low in zip(self._files, lows, strict=True)]
        names = self._names[0 if lying else self._names_low]
        idle = [
            Block(DATA, number, granule, (file.granules[granule][-1],), (0,))
            for number, file in enumerate(self._files)
            for granule in sorted(file.dirty)
            if (DATA, number, granule) not in keys
        ]
        return self._freeze(tuple(blocks), tuple(idle), keys, sizes, names, tuple(forced))

    def _settled(self) -> CrashPoint:
        contents = tuple(file.content for file in self._files)
        sizes = tuple(file.sizes[-1] for file in self._files)
        return CrashPoint(self.trace, self.at, self.granule, (), contents, sizes, self._names[-1], {}, ((),))

    def loose_names(self) -> tuple[Mapping[str, int], ...]:
        """Return what names may be left when each binding in flight persists for itself, or not."""
        steps = [step for entry in self._bindings[self._names_low :] for step in entry]
        return loose_names(self._names[self._names_low :], steps)

    def _is_fresh(self, block: Block) -> bool:
        """Tell whether the block of `block` is new to its file and nobody cleared it."""
        if block.kind != DATA:
            return False
        file = self._files[block.file]
        start = block.index * self.granule
        cleared = any(off <= start and start + self.granule <= end for off, end in file.unwritten)
        return start >= file.sizes[file.size_low] and not cleared

    def _freeze(
        self,
        blocks: tuple[Block, ...],
        idle: tuple[Block, ...],
        keys: dict[tuple[str, int, int], tuple[int, int]],
        sizes: list[int],
        names: dict[str, int],
        forced: tuple[int, ...],
    ) -> CrashPoint:
        contents = [file.content for file in self._files]
        for block in blocks:
            if block.kind == DATA:
                start = block.index * self.granule
                contents[block.file] = contents[block.file].put(start, block.versions[0])
        reach: dict[int, tuple[tuple[int, int], ...]] = {}
        levels = [0] * len(blocks)
        kills = [tuple(levels)]
        for index in sorted(self._reach):
            entry = [
                (keys[key][0], level - keys[key][1])
                for key, level in self._reach[index]
                if key in keys and level > keys[key][1]
            ]
            if not entry:
                continue
            reach[index] = tuple(entry)
            for cell_at, level in entry:
                levels[cell_at] = level
            kills.append(tuple(levels))
        # The all-old state is a kill only if nothing else in flight had been forced meanwhile.
        first_lost = min(reach, default=self.at)
        partly = any(isinstance(op, Sync | SyncDir) for op in self.trace.ops[first_lost : self.at])
        return CrashPoint(
            trace=self.trace,
            crash_index=self.at,
            granule=self.granule,
            blocks=blocks,
            contents=tuple(contents),
            sizes=tuple(sizes),
            names=names,
            reach=reach,
            kills=_honest(kills, partly),
            fresh=tuple(self._is_fresh(block) for block in blocks),
            forced=forced,
            idle=idle,
        )


def loose_names(
    whole: Sequence[Mapping[str, int]], steps: Sequence[Binding]
) -> tuple[Mapping[str, int], ...]:
    """Return what is left of names when each of `steps` persists for itself, or not.

    Left out is what some number of whole operations leaves: `whole`, the durable names first. Beyond
    ``LOOSE`` bindings only one of them is missing, or only one is there.
    """
    if len(steps) <= LOOSE:
        chosen = [[at for at in range(len(steps)) if mask >> at & 1] for mask in range(1, 2 ** len(steps))]
    else:
        every = list(range(len(steps)))
        chosen = [[at] for at in every] + [[at for at in every if at != gone] for gone in every]
    out: list[Mapping[str, int]] = []
    for kept in chosen:
        names = dict(whole[0])
        for at in kept:
            name, number = steps[at]
            names.pop(name, None)
            if number is not None:
                names[name] = number
        if names not in whole and names not in out:
            out.append(names)
    return tuple(out)


def _honest(kills: list[tuple[int, ...]], forced: bool) -> tuple[tuple[int, ...], ...]:
    """Return the states that a kill leaves; after a partial force only the last one is sure."""
    return (kills[-1],) if forced else tuple(kills)


#: 2 to the 12th: twelve granules, each lost or kept.
EXHAUSTIVE = 4096
#: A crash point that is too large to be enumerated gets as many samples as the largest that is not.
SAMPLES = EXHAUSTIVE


def subsets(dims: tuple[int, ...], stream: int = 0) -> Codes:
    """Return all combinations of block versions, or those with at most two deviations and samples.

    Each row is one combination; rows are distinct and in a fixed order. `stream`
    chooses the samples.
    """
    total = 1
    for size in dims:
        total *= size
        if total > EXHAUSTIVE:
            return distinct(np.concatenate([_deviations(dims), samples(dims, stream)]))[0]
    rows = np.zeros((total, len(dims)), np.uint16)
    # An array has 64 dimensions at most: blocks with one version take none.
    free = [at for at, size in enumerate(dims) if size > 1]
    if free:
        rows[:, free] = np.stack(np.unravel_index(np.arange(total), [dims[at] for at in free]), axis=1)
    return rows


def _deviations(dims: tuple[int, ...]) -> Codes:
    rows: dict[bytes, Codes] = {}
    for base in (np.asarray(dims, np.uint16) - 1, np.zeros(len(dims), np.uint16)):
        for count in range(3):
            for where in combinations(range(len(dims)), count):
                for row in changed_at(base.astype(np.uint16), where, dims):
                    rows.setdefault(row.tobytes(), row)
    return np.stack(list(rows.values()))


def samples(dims: tuple[int, ...], stream: int, number: int = SAMPLES) -> Codes:
    """Return `number` uniform rows, drawn by counter: row i does not depend on the others."""
    sizes = np.asarray(dims, np.uint64)
    count = np.arange(number * len(dims), dtype=np.uint64).reshape(number, len(dims)) + np.uint64(1)
    value = np.uint64(stream) + count * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    # The upper half: with so few versions per block the bias is below one in a billion.
    return (((value ^ (value >> np.uint64(31))) >> np.uint64(32)) % sizes).astype(np.uint16)


def distinct(rows: Codes) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Return the rows without repetitions, in order of first appearance, and where each first was."""
    flat = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))
    _, first = np.unique(flat[:, 0], return_index=True)
    first = np.sort(first)
    return np.asarray(rows[first]), first


def changed_at(base: Codes, where: tuple[int, ...], dims: tuple[int, ...]) -> Iterator[Codes]:
    """Yield `base` with every other version at the places `where`."""
    if not where:
        yield base.copy()
        return
    for code in range(dims[where[0]]):
        if code != base[where[0]]:
            changed = base.copy()
            changed[where[0]] = code
            yield from changed_at(changed, where[1:], dims)


def stream_of(text: str) -> int:
    """Return a 64-bit number for the start of a stream of samples."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def selected(trace: str, share: int) -> bool:
    """Tell whether `trace` is among the about one in `share`, whatever the seed.

    Those chosen for 128 are among those for 32.
    """
    return stream_of(f"{trace}/selected") % share == 0


def draws(key: str, number: int, bound: int) -> list[int]:
    """Return `number` integers below `bound`, by counter."""
    return [stream_of(f"{key}/{at}") % bound for at in range(number)] if bound > 0 else []


@dataclass(frozen=True)
class States:
    """States of one crash point: row i is version ``codes[i, j]`` of each block j.

    ``preset[i]`` indexes :data:`PRESETS`; ``tear[i]`` is the number of bytes of
    operation `torn` that arrived (0 in subset presets). `stratum` is R (a crash
    under honest forces), L (a force was not honoured) or C (corruption); ``rot[i]``
    says what was corrupted, and is empty as a whole where nothing was.
    """

    point: CrashPoint
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


#: What a granule of a disk that breaks sectors may hold next to its own versions, in this order:
#: garbage; the front half as in the last version and garbage behind it; the front half as in the
#: first version and the rear half as in the last.
BROKEN = ("garbage", "left", "right")


def broken_point(point: CrashPoint, seed: int, loose: tuple[Mapping[str, int], ...]) -> CrashPoint:
    """Return `point` with the versions of :data:`BROKEN` in each granule, and `loose` in its names."""
    blocks = []
    for block in point.blocks:
        if block.kind == DATA:
            blocks.append(_with(block, broken_versions(seed, point, block), TRASHED))
        elif block.kind == NAMES:
            blocks.append(_with(block, loose, MIXED))
        else:
            blocks.append(block)
    return replace(point, blocks=tuple(blocks))


def foreign_point(point: CrashPoint, seed: int) -> CrashPoint:
    """Return `point` with another file's block as a version of each granule that is new space."""
    blocks = [
        _with(block, (foreign_bytes(seed, point, block),), FOREIGN) if fresh else block
        for block, fresh in zip(point.blocks, point.fresh, strict=True)
    ]
    return replace(point, blocks=tuple(blocks))


def _with(block: Block, versions: tuple[object, ...], level: int) -> Block:
    levels = (*block.levels, *(level for _ in versions))
    return Block(block.kind, block.file, block.index, (*block.versions, *versions), levels)


def broken_versions(seed: int, point: CrashPoint, block: Block) -> tuple[bytes, bytes, bytes]:
    """Return the three contents of :data:`BROKEN`, in that order."""
    garbage = garbage_bytes(seed, point, block)
    half = point.granule // 2
    first, last = block.versions[0], block.versions[-1]
    return garbage, last[:half] + garbage[half:], first[:half] + last[half:]


def garbage_bytes(seed: int, point: CrashPoint, block: Block) -> bytes:
    """Return a granule of garbage: a pure function of seed, trace, crash point and block."""
    return garbage_at(seed, point.trace, point.crash_index, point.granule, block.file, block.index)


def garbage_at(seed: int, trace: Trace, crash_index: int, granule: int, file: int, index: int) -> bytes:
    """Return :func:`garbage_bytes` of granule `index` of a file."""
    text = f"{seed}/{trace.id}/{crash_index}/{file}/{index}"
    return hashlib.shake_128(text.encode()).digest(granule)


def foreign_bytes(seed: int, point: CrashPoint, block: Block) -> bytes:
    """Return a block that another file left behind; garbage if there was no other file.

    It is the block at the same place of another file of the journal, as it was before
    the trace, or else that file's first block that holds something.
    """
    return foreign_at(seed, point.trace, point.crash_index, point.granule, block.file, block.index)


def foreign_at(seed: int, trace: Trace, crash_index: int, step: int, file: int, index: int) -> bytes:
    """Return :func:`foreign_bytes` of granule `index`, of `step` bytes, of a file."""
    base = [trace.base[name] for name in sorted(trace.base)]
    # Numbers below len(base) are the base's files, in the order of their names.
    others = [content for number, content in enumerate(base) if number != file]
    for content in others:
        pieces = [content[at : at + step].ljust(step, b"\0") for at in range(0, len(content), step)]
        for piece in (pieces[index : index + 1], *([piece] for piece in pieces)):
            if piece and any(piece[0]):
                return piece[0]
    return garbage_at(seed, trace, crash_index, step, file, index)
