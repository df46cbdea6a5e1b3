"""From a trace to cells: what is in flight at a crash, and every content it may have.

A *cell* is what persists as one: a granule of a file, a file's size, or the
directory's names. Its *versions* are its contents in program order; version 0 of
a group's cell is the durable one. Writes to one granule pass through one page,
so that a granule on disk is always one of its versions, never a mixture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

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


@dataclass(frozen=True, slots=True)
class Cell:
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
class Group:
    """All cells in flight at one crash point, with everything else as it is on disk.

    `contents` and `sizes` are per file number, `names` maps names to numbers;
    they hold version 0 of every cell. ``reach[i]`` lists, for the operation at
    index i of the trace, the (cell, level) pairs that it takes to be on disk as a
    whole; an operation without an entry is on disk in every state.
    """

    trace: Trace
    crash_index: int
    granule: int
    cells: tuple[Cell, ...]
    contents: tuple[bytes, ...]
    sizes: tuple[int, ...]
    names: Mapping[str, int]
    reach: Mapping[int, tuple[tuple[int, int], ...]]
    #: Levels of all cells after each operation that changed one: the states of a kill.
    kills: tuple[tuple[int, ...], ...]
    #: For each cell whether it is new space: no byte of it was the file's before, or set aside as zeros.
    fresh: tuple[bool, ...] = ()
    #: For each cell the level that a force made durable; 0 throughout where forces are honest.
    forced: tuple[int, ...] = ()
    #: Granules that writes in flight put the same bytes into: nothing can be lost, but they can be trashed.
    idle: tuple[Cell, ...] = ()

    def with_idle(self) -> Group:
        """Return the group with its idle granules as cells of one version each, behind the others."""
        if not self.idle:
            return self
        more = (0,) * len(self.idle)
        return replace(
            self,
            cells=(*self.cells, *self.idle),
            kills=tuple((*levels, *more) for levels in self.kills),
            fresh=(*self.fresh, *(False for _ in self.idle)),
            forced=(*self.forced, *more),
            idle=(),
        )

    @property
    def dims(self) -> tuple[int, ...]:
        """How many versions each cell has."""
        return tuple(len(cell.versions) for cell in self.cells)

    def materialise(self, codes: Codes | bytes) -> dict[str, bytes]:
        """Return the files of the state in which cell i has version ``codes[i]``."""
        contents = [bytearray(content) for content in self.contents]
        sizes = list(self.sizes)
        names = self.names
        for cell, code in zip(self.cells, codes, strict=True):
            value = cell.versions[int(code)]
            if cell.kind == NAMES:
                names = value
            elif cell.kind == SIZE:
                sizes[cell.file] = value
            else:
                start = cell.index * self.granule
                room = contents[cell.file]
                if len(room) < start + len(value):
                    room.extend(bytes(start + len(value) - len(room)))
                room[start : start + len(value)] = value
        return {name: _fit(contents[number], sizes[number]) for name, number in sorted(names.items())}


def _fit(content: bytearray, size: int) -> bytes:
    return bytes(content[:size]) + bytes(max(0, size - len(content)))


@dataclass
class _File:
    """A file while a trace is replayed."""

    content: bytearray
    sizes: list[int]
    size_low: int = 0
    #: ends of the space that reads as zeros until it is written
    unwritten: list[tuple[int, int]] = field(default_factory=list)
    granules: dict[int, list[bytes]] = field(default_factory=dict)
    low: dict[int, int] = field(default_factory=dict)
    #: granules written to since the last force
    dirty: set[int] = field(default_factory=set)


class Timeline:
    """A trace replayed operation by operation, remembering versions per cell."""

    def __init__(self, trace: Trace, granule: int) -> None:
        self.trace = trace
        self.granule = granule
        self.at = 0
        self._files: list[_File] = []
        names = {}
        for name in sorted(trace.base):
            names[name] = self._new_file(trace.base[name])
        self._names: list[dict[str, int]] = [names]
        self._names_low = 0
        #: what each operation on names does to single names
        self._bindings: list[tuple[Binding, ...]] = []
        #: operation index -> [(cell key, level)], for operations that changed something
        self._reach: dict[int, list[tuple[tuple[str, int, int], int]]] = {}

    def _new_file(self, content: bytes) -> int:
        self._files.append(_File(bytearray(content), [len(content)]))
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
            number = self._new_file(b"")
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
        if off > len(file.content):
            file.content.extend(bytes(off - len(file.content)))
        file.content[off : off + len(data)] = data
        self._changed(index, number, before)

    def _truncate(self, index: int, number: int, size: int) -> None:
        file = self._files[number]
        before = self._granules_before(file, min(size, len(file.content)), max(size, len(file.content)))
        if size < len(file.content):
            del file.content[size:]
        else:
            file.content.extend(bytes(size - len(file.content)))
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
        piece = bytes(file.content[granule * self.granule : (granule + 1) * self.granule])
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

    def group(self, *, settled: bool = False, lying: bool = False) -> Group:
        """Return the cells in flight now.

        With `settled`, everything issued is on disk; with `lying`, nothing of the
        trace need be, forced or not.
        """
        if settled:
            return self._settled()
        cells: list[Cell] = []
        keys: dict[tuple[str, int, int], tuple[int, int]] = {}
        forced: list[int] = []

        def add(key: tuple[str, int, int], versions: list[Any], durable: int) -> None:
            low = 0 if lying else durable
            if low < len(versions) - 1:
                keys[key] = (len(cells), low)
                span = tuple(versions[low:])
                cells.append(Cell(*key, span, tuple(range(len(span)))))
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
            Cell(DATA, number, granule, (file.granules[granule][-1],), (0,))
            for number, file in enumerate(self._files)
            for granule in sorted(file.dirty)
            if (DATA, number, granule) not in keys
        ]
        return self._freeze(tuple(cells), tuple(idle), keys, sizes, names, tuple(forced))

    def _settled(self) -> Group:
        contents = tuple(bytes(file.content) for file in self._files)
        sizes = tuple(file.sizes[-1] for file in self._files)
        return Group(self.trace, self.at, self.granule, (), contents, sizes, self._names[-1], {}, ((),))

    def loose_names(self) -> tuple[Mapping[str, int], ...]:
        """Return what names may be left when each binding in flight persists for itself, or not.

        Left out is what some number of whole operations leaves. Beyond
        ``LOOSE`` bindings only one of them is missing, or only one is there.
        """
        steps = [step for entry in self._bindings[self._names_low :] for step in entry]
        if len(steps) <= LOOSE:
            chosen = [
                [at for at in range(len(steps)) if mask >> at & 1] for mask in range(1, 2 ** len(steps))
            ]
        else:
            every = list(range(len(steps)))
            chosen = [[at] for at in every] + [[at for at in every if at != gone] for gone in every]
        out: list[Mapping[str, int]] = []
        for kept in chosen:
            names = dict(self._names[self._names_low])
            for at in kept:
                name, number = steps[at]
                names.pop(name, None)
                if number is not None:
                    names[name] = number
            if names not in self._names[self._names_low :] and names not in out:
                out.append(names)
        return tuple(out)

    def _is_fresh(self, cell: Cell) -> bool:
        """Tell whether the block of `cell` is new to its file and nobody cleared it."""
        if cell.kind != DATA:
            return False
        file = self._files[cell.file]
        start = cell.index * self.granule
        cleared = any(off <= start and start + self.granule <= end for off, end in file.unwritten)
        return start >= file.sizes[file.size_low] and not cleared

    def _freeze(
        self,
        cells: tuple[Cell, ...],
        idle: tuple[Cell, ...],
        keys: dict[tuple[str, int, int], tuple[int, int]],
        sizes: list[int],
        names: dict[str, int],
        forced: tuple[int, ...],
    ) -> Group:
        contents = [bytearray(file.content) for file in self._files]
        for cell in cells:
            if cell.kind == DATA:
                start = cell.index * self.granule
                room = contents[cell.file]
                if len(room) < start + self.granule:
                    room.extend(bytes(start + self.granule - len(room)))
                room[start : start + self.granule] = cell.versions[0]
        reach: dict[int, tuple[tuple[int, int], ...]] = {}
        levels = [0] * len(cells)
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
        return Group(
            trace=self.trace,
            crash_index=self.at,
            granule=self.granule,
            cells=cells,
            contents=tuple(bytes(content) for content in contents),
            sizes=tuple(sizes),
            names=names,
            reach=reach,
            kills=_honest(kills, partly),
            fresh=tuple(self._is_fresh(cell) for cell in cells),
            forced=forced,
            idle=idle,
        )


def _honest(kills: list[tuple[int, ...]], forced: bool) -> tuple[tuple[int, ...], ...]:
    """Return the states that a kill leaves; after a partial force only the last one is sure."""
    return (kills[-1],) if forced else tuple(kills)
