"""The possible content of a disk at a crash point: the blocks in flight, the versions of these blocks, and
the files of states.

A *block* persists as one unit: a granule of a file, a file's size, or the directory's names. Its *versions*
are its contents in program order; version 0 is the durable one. Writes to one granule pass through one page,
so that a granule on disk is always one of its versions, never a mixture. Versions without a writer come after
a block's own versions, always in the same order: garbage, halves, other files' blocks, names that persist
separately. So the meaning of a code in a descriptor does not depend on the other versions that are
enumerated. A state is one version of each block.

``content_id`` is blake2b-128 over the files in name order: name, size, and the ids of their pages.
``case_id`` adds format, edition, class and the records that must be kept. Both ids are permanent. The cost of
a state depends on the blocks that its row changes. A page in flight is hashed once per version, a file once
per combination of its blocks' versions. Bytes are computed only when a reader requests them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.trace import (
    PAGE,
    PRESETS,
    REACHABLE,
    Ack,
    Create,
    Mark,
    Op,
    Preset,
    Publish,
    Release,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    blake,
    page_ids,
    shortened,
)

#: The size of a sector, the unit in which writes are torn.
SECTOR = 512

#: Only this many acknowledgements at the end of a trace are checked, because earlier ones reveal no new
#: faults.
LAST_ACKS = 3


def stream_of(text: str) -> int:
    """Return a 64-bit hash of `text`, which starts a stream of samples."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def selected(trace: str, share: int) -> bool:
    """Return whether `trace` is in a sample of about one in `share` traces, independent of the seed.

    The sample for 128 is part of the sample for 32.
    """
    return stream_of(f"{trace}/selected") % share == 0


def draws(key: str, number: int, bound: int) -> list[int]:
    """Return `number` integers below `bound`. Each is computed from a hash of `key` and its index."""
    return [stream_of(f"{key}/{at}") % bound for at in range(number)] if bound > 0 else []


def ranks_of(presets: Iterable[Preset], order: str) -> list[int]:
    """Return the positions in PRESETS of those `presets` that have this order, the strongest first."""
    chosen = [*presets]
    return [rank for rank, preset in enumerate(PRESETS) if preset.order == order and preset in chosen]


def acknowledged_points(trace: Trace) -> list[int]:
    """Return the last points of interest just after an acknowledgement.

    If there are none, return the end of the trace.
    """
    points = [at + 1 for at, op in enumerate(trace.ops) if isinstance(op, Ack) and at >= trace.crash_from]
    return points[-LAST_ACKS:] or [len(trace.ops)]


Codes = npt.NDArray[np.uint16]
#: A name and the number of its file. The number None means that the name is removed.
Binding = tuple[str, int | None]
#: Kind, file and index of a block.
_Key = tuple[str, int, int]

#: Block kinds.
DATA, SIZE, NAMES = "data", "size", "names"
#: Levels of versions that were never written to the block. Such a version is garbage (or half of a version),
#: another file's block, or a set of names that no prefix of the operations leaves.
TRASHED, MIXED, FOREIGN = -1, -2, -3
#: The level of a version that corruption made.
ROTTEN = -4
#: The largest number of bindings of names of which all combinations are enumerated.
LOOSE = 6


@dataclass(frozen=True, slots=True)
class Block:
    """Represents a unit that persists as a whole.

    `file` is the number of the file (its inode; names may change), `index` the granule. `versions` are bytes
    (data), int (size) or a mapping name -> file number (names). ``levels[code]`` is the level of version
    `code`: level 0 is durable, each write adds 1, and versions with negative levels were never written. A
    block is `fresh` if it lies after the file's durable size. `forced` is the level that an fsync should have
    made durable, if the device may have ignored fsyncs.
    """

    kind: str
    file: int
    index: int
    versions: tuple[Any, ...]
    levels: tuple[int, ...]
    fresh: bool = False
    forced: int = 0

    @property
    def last(self) -> int:
        """The last version that was written."""
        return max(code for code, level in enumerate(self.levels) if level >= 0)

    def with_more(self, versions: Sequence[object], level: int) -> Block:
        """Return the block with the additional `versions` after its own; all of them have one level."""
        levels = (*self.levels, *(level for _ in versions))
        return replace(self, versions=(*self.versions, *versions), levels=levels)


@dataclass(frozen=True)
class CrashPoint:
    """Represents all blocks in flight at one crash point, and the durable content of everything else.

    `contents` and `sizes` are per file number, `names` maps names to numbers; they contain version 0 of every
    block. ``reach[i]`` lists the (block, level) pairs that must be on disk for operation i of the trace to be
    complete there. An operation without an entry is on disk in every state. `kills` are the levels of all
    blocks after each operation that changed one: the states that a killed process leaves.
    """

    trace: Trace
    crash_index: int
    granule: int
    blocks: tuple[Block, ...]
    contents: tuple[bytes, ...]
    sizes: tuple[int, ...]
    names: Mapping[str, int]
    reach: Mapping[int, Sequence[tuple[int, int]]]
    kills: tuple[tuple[int, ...], ...]

    @property
    def dims(self) -> tuple[int, ...]:
        """The number of versions of each block."""
        return tuple(len(block.versions) for block in self.blocks)

    @cached_property
    def unlike_data(self) -> tuple[int, ...]:
        """The numbers of the blocks that contain sizes or names, not data."""
        return tuple(at for at, block in enumerate(self.blocks) if block.kind != DATA)

    def layout(self, codes: Sequence[int] | bytes) -> tuple[Mapping[str, int], list[int]]:
        """Return names and sizes of the files in the state in which block i has version ``codes[i]``."""
        names, sizes = self.names, list(self.sizes)
        for at in self.unlike_data:
            block = self.blocks[at]
            if block.kind == SIZE:
                sizes[block.file] = block.versions[codes[at]]
            else:
                names = block.versions[codes[at]]
        return names, sizes

    def materialise(self, codes: Codes | bytes) -> dict[str, bytes]:
        """Return the files of the state in which block i has version ``codes[i]``."""
        given: Sequence[int] = codes.tolist() if isinstance(codes, np.ndarray) else codes
        names, sizes = self.layout(given)
        return {name: self.file(number, sizes[number], given) for name, number in sorted(names.items())}

    def file(self, number: int, size: int, codes: Sequence[int]) -> bytes:
        """Return the first `size` bytes of file `number` if block i has version ``codes[i]``."""
        content = self.contents[number][:size].ljust(size, b"\0")
        parts, done = list[bytes](), 0
        for at in self.data_of.get(number, ()):
            if codes[at]:
                block = self.blocks[at]
                start, version = block.index * self.granule, block.versions[codes[at]]
                # A block after the end of the file is truncated below.
                parts += content[done:start], version
                done = start + len(version)
        return b"".join([*parts, content[done:]])[:size] if parts else content

    @cached_property
    def data_of(self) -> dict[int, list[int]]:
        """Maps the number of a file to the numbers of its data blocks, in the order of their offsets."""
        found: dict[int, list[int]] = {}
        for at, block in sorted(enumerate(self.blocks), key=lambda numbered: numbered[1].index):
            if block.kind == DATA:
                found.setdefault(block.file, []).append(at)
        return found


def put(content: bytearray, start: int, data: bytes) -> None:
    """Write `data` into `content` at `start`. A gap before `start` is filled with zeros."""
    content.extend(bytes(max(0, start - len(content))))
    content[start : start + len(data)] = data


#: The block of all names.
_ALL_NAMES: _Key = (NAMES, 0, 0)


class Timeline:
    """Replays a trace operation by operation, and stores the versions of each block."""

    def __init__(self, trace: Trace, granule: int) -> None:
        self.trace = trace
        self.granule = granule
        self.at = 0
        base = sorted(trace.base)
        self._contents = [trace.base[name] for name in base]
        self._versions: dict[_Key, list[Any]] = {_ALL_NAMES: [{name: at for at, name in enumerate(base)}]}
        for number, content in enumerate(self._contents):
            self._versions[SIZE, number, 0] = [len(content)]
        #: maps a block's key to its durable version, if that is not the first one
        self._low: dict[_Key, int] = {}
        #: the blocks that were written since the last fsync of their file
        self._dirty: set[_Key] = set()
        #: the effect of each operation on each name
        self._bindings: list[tuple[Binding, ...]] = []
        #: maps an operation's index to [(block key, level)], if it changed something
        self._reach: dict[int, list[tuple[_Key, int]]] = {}

    def advance(self, upto: int) -> Timeline:
        """Replay the operations before operation `upto`."""
        while self.at < upto:
            self.step(self.trace.ops[self.at])
        return self

    def step(self, op: Op) -> None:
        """Replay `op` as the next operation."""
        names = self._names
        if isinstance(op, Write):
            content, end = self._contents[names[op.file]], op.off + len(op.data)
            new = content[: op.off].ljust(op.off, b"\0") + op.data + content[end:]
            self._change(names[op.file], op.off, end, new)
        elif isinstance(op, Truncate):
            content = self._contents[names[op.file]]
            start, end = sorted((op.size, len(content)))
            self._change(names[op.file], start, end, content[: op.size].ljust(op.size, b"\0"))
        elif isinstance(op, Sync):
            forced = {key for key in self._dirty if key[1] == names[op.file]}
            self._low |= {key: len(self._versions[key]) - 1 for key in forced}
            self._dirty -= forced
        elif isinstance(op, SyncDir):
            self._low[_ALL_NAMES] = len(self._versions[_ALL_NAMES]) - 1
        elif isinstance(op, Create):
            self._versions[SIZE, len(self._contents), 0] = [0]
            self._bind((op.file, len(self._contents)))
            self._contents.append(b"")
        elif isinstance(op, Rename):
            self._bind((op.new, names[op.old]), (op.old, None))
        elif isinstance(op, Unlink):
            self._bind((op.file, None))
        self.at += 1

    @property
    def _names(self) -> Mapping[str, int]:
        """The names of files as the program sees them."""
        names: Mapping[str, int] = self._versions[_ALL_NAMES][-1]
        return names

    def _bind(self, *steps: Binding) -> None:
        self._bindings.append(steps)
        self._next(_ALL_NAMES, bound(self._names, steps))

    def _next(self, key: _Key, version: object) -> None:
        """Add a version to a block."""
        self._versions[key].append(version)
        self._reach.setdefault(self.at, []).append((key, len(self._versions[key]) - 1))

    def _change(self, number: int, start: int, end: int, content: bytes) -> None:
        """Set the content of a file.

        The new content differs from the old content only from `start` to `end`.
        """
        before, step = self._contents[number], self.granule
        self._contents[number] = content
        for granule in range(start // step, -(-end // step) if end > start else 0):
            span, key = slice(granule * step, (granule + 1) * step), (DATA, number, granule)
            versions = self._versions.setdefault(key, [before[span].ljust(step, b"\0")])
            self._dirty.add(key)
            new = content[span].ljust(step, b"\0")
            if new != versions[-1]:
                self._next(key, new)
        if len(content) != self._versions[SIZE, number, 0][-1]:
            self._dirty.add((SIZE, number, 0))
            self._next((SIZE, number, 0), len(content))

    def memory(self) -> dict[str, bytes]:
        """Return the files as the program sees them."""
        return {name: self._contents[number] for name, number in self._names.items()}

    def settled(self) -> CrashPoint:
        """Return the crash point at which everything issued so far is on disk."""
        contents = tuple(self._contents)
        sizes = tuple(map(len, contents))
        return CrashPoint(self.trace, self.at, self.granule, (), contents, sizes, self._names, {}, ((),))

    def point(self, *, lying: bool = False, idle: bool = False) -> CrashPoint:
        """Return the blocks in flight now.

        With `lying`, any write of the trace may be missing on disk, even after an fsync. With `idle`,
        granules to which writes in flight wrote the bytes that were already there are blocks of one version
        each, after the others. Such blocks cannot be lost, but they can be trashed.
        """
        blocks: list[Block] = []
        keys: dict[_Key, tuple[int, int]] = {}
        forced = self._low.get
        for key in sorted(self._versions, key=_in_order):
            versions, durable = self._versions[key], forced(key, 0)
            low = 0 if lying else durable
            if low < len(versions) - 1:
                kind, number, granule = key
                size = (SIZE, number, 0)
                fresh = kind == DATA and granule * self.granule >= self._versions[size][forced(size, 0)]
                keys[key] = (len(blocks), low)
                span = tuple(versions[low:])
                blocks.append(Block(*key, span, tuple(range(len(span))), fresh, durable - low))
        contents = self._with_first(blocks)
        if idle:
            same = sorted(key for key in self._dirty - keys.keys() if key[0] == DATA)
            blocks += [Block(*key, (self._versions[key][-1],), (0,)) for key in same]
        reach = {}
        levels = [0] * len(blocks)
        kills = [tuple(levels)]
        for index, entries in sorted(self._reach.items()):
            moved = [
                (keys[key][0], level - keys[key][1])
                for key, level in entries
                if key in keys and level > keys[key][1]
            ]
            if moved:
                reach[index] = moved
                for at, level in moved:
                    levels[at] = level
                kills.append(tuple(levels))
        # If there was an fsync since the first write in flight, only the last of these states is certain if
        # the process is killed.
        first_lost = min(reach, default=self.at)
        if any(isinstance(op, Sync | SyncDir) for op in self.trace.ops[first_lost : self.at]):
            kills = kills[-1:]
        names, *sizes = (
            self._versions[key][0 if lying else forced(key, 0)]
            for key in (_ALL_NAMES, *((SIZE, number, 0) for number in range(len(contents))))
        )
        head = self.trace, self.at, self.granule, tuple(blocks), contents
        return CrashPoint(*head, tuple(sizes), names, reach, tuple(kills))

    def _with_first(self, blocks: Sequence[Block]) -> tuple[bytes, ...]:
        """Return the contents of all files if every block has version 0."""
        contents: list[bytes | bytearray] = [*self._contents]
        for block in blocks:
            if block.kind == DATA:
                content = contents[block.file]
                if isinstance(content, bytes):
                    content = contents[block.file] = bytearray(content)
                put(content, block.index * self.granule, block.versions[0])
        return tuple(map(bytes, contents))

    def loose_names(self) -> list[Mapping[str, int]]:
        """Return the sets of names that may be left if each binding in flight persists independently.

        Sets that a prefix of complete operations leaves are omitted. With more than ``LOOSE`` bindings, only
        sets with one binding missing, or only one present, are returned.
        """
        low = self._low.get(_ALL_NAMES, 0)
        steps = [step for entry in self._bindings[low:] for step in entry]
        every = range(len(steps))
        if len(steps) <= LOOSE:
            chosen = [[at for at in every if mask >> at & 1] for mask in range(1, 2 ** len(steps))]
        else:
            chosen = [[at] for at in every] + [[at for at in every if at != gone] for gone in every]
        whole: list[Mapping[str, int]] = self._versions[_ALL_NAMES][low:]
        out: list[Mapping[str, int]] = []
        for kept in chosen:
            names = bound(whole[0], [steps[at] for at in kept])
            if names not in whole and names not in out:
                out.append(names)
        return out


def _in_order(key: _Key) -> tuple[bool, int, bool, int]:
    """Sort the blocks: the block of names first, then for each file the size and the granules."""
    kind, number, granule = key
    return kind != NAMES, number, kind == DATA, granule


def bound(names: Mapping[str, int], steps: Sequence[Binding]) -> dict[str, int]:
    """Return `names` as they are after the bindings `steps`."""
    out = dict(names)
    for name, number in steps:
        out.pop(name, None)
        if number is not None:
            out[name] = number
    return out


@dataclass(frozen=True)
class States:
    """States of one crash point: row i consists of version ``codes[i, j]`` of each block j.

    ``preset[i]`` indexes :data:`PRESETS`; ``tear[i]`` is the number of bytes of operation `torn` that arrived
    (0 in subset presets). `stratum` is R (the device performed every fsync), L (it ignored one) or C
    (corruption); ``rot[i]`` describes the corruption; `rot` is an empty tuple if nothing was corrupted.
    """

    point: CrashPoint
    codes: Codes
    preset: npt.NDArray[np.uint8]
    tear: npt.NDArray[np.int32]
    #: the index of the operation that arrived only in part, or -1
    torn: int = -1
    stratum: str = REACHABLE
    rot: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def masks(self) -> list[bytes]:
        """One byte per block for each state of a subset preset; empty for torn and corrupted states."""
        if self.torn >= 0 or self.rot:
            return [b""] * len(self)
        return [row.tobytes() for row in self.codes.astype(np.uint8)]

    def take(self, rows: npt.NDArray[np.int64]) -> States:
        """Return only the states of `rows`."""
        rot = tuple([self.rot[row] for row in rows.tolist()]) if self.rot else ()
        return replace(self, codes=self.codes[rows], preset=self.preset[rows], tear=self.tear[rows], rot=rot)


#: Cached, because most crash points of a trace share their files.
_page_ids = lru_cache(1 << 6)(page_ids)


def file_head(name: str, size: int) -> bytes:
    """Return the bytes that precede a file's page ids in a content id: name and size."""
    raw = name.encode()
    return len(raw).to_bytes(4, "big") + raw + size.to_bytes(8, "big")


def content_id(files: Mapping[str, bytes]) -> bytes:
    """Return the 16-byte id of a directory's content."""
    parts = []
    for name in sorted(files):
        parts += [file_head(name, len(files[name])), *shortened(_page_ids(files[name]))]
    return blake(b"".join(parts))


def case_id(content: bytes, promised: bytes) -> bytes:
    """Return the 16-byte id of a case."""
    return blake(content + promised)


class _Moving(NamedTuple):
    """Represents a page that overlaps a block: the number of the page, and the range of the block's bytes in
    it.
    """

    page: int
    start: int
    end: int


class _NamedFile(NamedTuple):
    """A file of states in which it has the same name and size.

    `ids` are the ids of its pages with version 0 of every block, `moving` its pages by block. `named` maps
    the versions of these blocks to the bytes that stand for the file in a content id.
    """

    name: str
    number: int
    size: int
    head: bytes
    ids: list[bytes]
    moving: dict[int, list[_Moving]]
    named: dict[tuple[int, ...], bytes]


class StateContents:
    """Represents the contents of the states of one crash point. Row i has version ``codes[i, j]`` of each
    block j.

    Contents are computed on first use.
    """

    def __init__(self, point: CrashPoint, codes: Codes) -> None:
        self.point, self.rows = point, codes.tolist()
        self._layouts: dict[tuple[int, ...], list[_NamedFile]] = {}
        self._known: dict[tuple[str, int, int], _NamedFile] = {}
        self._pages: dict[tuple[int, int, _Moving], bytes] = {}
        self._settled: dict[int, bytes] = {}

    @cached_property
    def files(self) -> list[list[tuple[_NamedFile, bytes]]]:
        """The files of each row by name, each with the bytes that represent it in a content id."""
        return [[(file, self._named(file, row)) for file in self._layout(row)] for row in self.rows]

    def settled(self, number: int) -> bytes:
        """Return the first bytes of a file, which all rows share. Each call returns the same object."""
        if number not in self._settled:
            point = self.point
            ends = [point.blocks[at].index * point.granule for at in point.data_of.get(number, ())[:1]]
            ends += [
                min(block.versions) for block in point.blocks if (block.kind, block.file) == (SIZE, number)
            ]
            self._settled[number] = point.contents[number][: min([point.sizes[number], *ends])]
        return self._settled[number]

    @cached_property
    def ids(self) -> list[bytes]:
        """The content id of each row, equal to :func:`content_id` of its files."""
        return [blake(b"".join([name for _, name in files])) for files in self.files]

    def _layout(self, row: list[int]) -> list[_NamedFile]:
        """Return the files of a row; rows with the same names and sizes share them."""
        key = tuple([row[at] for at in self.point.unlike_data])
        if key not in self._layouts:
            names, sizes = self.point.layout(row)
            files = [(name, number, sizes[number]) for name, number in sorted(names.items())]
            for file in files:
                if file not in self._known:
                    self._known[file] = self._file(*file)
            self._layouts[key] = [self._known[file] for file in files]
        return self._layouts[key]

    def _file(self, name: str, number: int, size: int) -> _NamedFile:
        point, content = self.point, self.point.contents[number]
        # The complete pages, whose ids do not depend on the bytes after them.
        whole = min(size, len(content)) // PAGE
        rest = content[whole * PAGE : size].ljust(size - whole * PAGE, b"\0")
        moving: dict[int, list[_Moving]] = {}
        for at in point.data_of.get(number, ()):
            off = point.blocks[at].index * point.granule
            for start in range(0, min(point.granule, size - off), PAGE):
                end = min(start + PAGE, size - off)
                moving.setdefault(at, []).append(_Moving((off + start) // PAGE, start, end))
        ids = [*_page_ids(content)[:whole], *page_ids(rest)]
        return _NamedFile(name, number, size, file_head(name, size), ids, moving, {})

    def _named(self, file: _NamedFile, row: list[int]) -> bytes:
        codes = tuple([row[at] for at in file.moving])
        found = file.named.get(codes)
        if found is None:
            ids = file.ids.copy()
            for block, pages in file.moving.items():
                for place in pages if row[block] else ():
                    key = block, row[block], place
                    ids[place.page] = self._pages.get(key) or self._page(*key)
            found = file.named[codes] = b"".join([file.head, *shortened(ids)])
        return found

    def _page(self, block: int, code: int, place: _Moving) -> bytes:
        version = self.point.blocks[block].versions[code][place.start : place.end]
        made = self._pages[block, code, place] = blake(version.ljust(place.end - place.start, b"\0"))
        return made


def memories(trace: Trace) -> list[bytes]:
    """For each operation, return the content id of the files that remain if the process is killed before the
    operation.
    """
    found: list[bytes] = trace.derived.setdefault("memories", [])
    line = Timeline(trace, 512)
    for upto in range(len(trace.ops) + 1 if not found else 0):
        said = upto and isinstance(trace.ops[upto - 1], (Ack, Mark, Publish, Release))
        found.append(found[-1] if said else content_id(line.advance(upto).memory()))
    return found
