"""Crash states by brute force, for traces that are small enough, with the origin of every byte.

This is a second oracle for the possible states after a crash. It follows the definition and shares no code
with the enumeration that builds the corpus:

1. every operation is taken apart into *micro-operations*: one for each granule
   that it touches, one for a change of size, one for a change of names;
2. the preset defines the order between them: two micro-operations on the same granule, the same size or the
   names are always ordered (there is one page of each), and an fsync puts everything that it covers before
   all later micro-operations;
3. a state keeps a downward-closed set of the issued operations, including those that
   an fsync made durable. *All* such sets
   are enumerated, one by one;
4. with prefix order, all operations before the crash are kept. Of the next write, any front part that ends at
   a boundary of a granule is kept.

Bytes have their origin (:data:`BASE`, :data:`HOLE`, :data:`GARBAGE` or the index of a write).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from journalspec_corpus.crash.trace import (
    Create,
    Mark,
    Preset,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
)

#: Origins of bytes that no write of the trace put there: the file's earlier content, a hole, garbage.
BASE, HOLE, GARBAGE = -1, -2, -3
_WIDTH = 2

#: The object of a micro-operation: ("page", file, granule), ("size", file, 0) or ("names", 0, 0).
Target = tuple[str, int, int]
NAMES: Target = ("names", 0, 0)
#: Crash point, file and granule -> garbage for one granule; the caller chooses the seed.
Garbage = Callable[[int, int, int], bytes]


def origin(who: int, length: int) -> bytes:
    """Return the origins of `length` bytes that were all written by `who`."""
    return who.to_bytes(_WIDTH, "little", signed=True) * length


@dataclass(frozen=True, slots=True)
class Body:
    """Represents the content of a file and the origin of every byte. Each origin takes two bytes."""

    data: bytes = b""
    who: bytes = b""

    def cut(self, start: int, end: int) -> Body:
        """Return the part from `start` to `end`."""
        return Body(self.data[start:end], self.who[start * _WIDTH : end * _WIDTH])

    def sized(self, size: int) -> Body:
        """Return the body with exactly `size` bytes; new bytes are a hole."""
        if size <= len(self.data):
            return self.cut(0, size)
        new = size - len(self.data)
        return Body(self.data + bytes(new), self.who + origin(HOLE, new))

    def put(self, off: int, piece: Body) -> Body:
        """Return the body with `piece` at `off`, extended if necessary."""
        whole = self.sized(max(len(self.data), off + len(piece.data)))
        end = off + len(piece.data)
        front, back = whole.cut(0, off), whole.cut(end, len(whole.data))
        return Body(front.data + piece.data + back.data, front.who + piece.who + back.who)


@dataclass(frozen=True, slots=True)
class Micro:
    """The smallest unit of change: it is either on disk or not. Operation `op` sets `target` to `value`.

    `after` are the micro-operations that must be on disk before it.
    """

    op: int
    target: Target
    value: Body | int | tuple[tuple[str, int], ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BruteState:
    """One state: its origin, and the files by name with their numbers.

    `torn` is the unfinished operation, `kept` the micro-operations on disk (for a torn write: its number of
    bytes), `trash` the granule of garbage.
    """

    preset: str
    crash: int
    torn: int
    kept: tuple[int, ...]
    files: Mapping[str, Body]
    numbers: Mapping[str, int]
    trash: Target | None = None

    @property
    def content(self) -> tuple[tuple[str, bytes], ...]:
        """The bytes without their origins, for comparison."""
        return tuple(sorted((name, body.data) for name, body in self.files.items()))


@dataclass
class Machine:
    """A simulation of a trace: the files as the program sees them, and all micro-operations so far."""

    trace: Trace
    granule: int
    bodies: list[Body] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    micros: list[Micro] = field(default_factory=list)
    #: Micro-operations that an fsync has made durable.
    forced: set[int] = field(default_factory=set)
    #: Maps a write to the number of its file.
    file_of: dict[int, int] = field(default_factory=dict)
    #: The index of the last fsync of any file.
    forced_at: int = -1
    at: int = 0

    def __post_init__(self) -> None:
        for name in sorted(self.trace.base):
            data = self.trace.base[name]
            self.names[name] = len(self.bodies)
            self.bodies.append(Body(data, origin(BASE, len(data))))
        self.first = tuple(self.bodies)
        self.first_names = dict(self.names)

    def run(self, upto: int) -> None:
        """Run the operations before `upto`."""
        while self.at < upto:
            self._do(self.at)
            self.at += 1

    def memory(self) -> BruteState:
        """Return the files that remain if the process is killed now."""
        files = {name: self.bodies[number] for name, number in self.names.items()}
        return BruteState("", self.at, -1, (), files, dict(self.names))

    def _do(self, index: int) -> None:
        op = self.trace.ops[index]
        match op:
            case Create(name):
                self.bodies.append(Body())
                self._rename(index, {**self.names, name: len(self.bodies) - 1})
            case Rename(old, new):
                left = {name: number for name, number in self.names.items() if name != old}
                self._rename(index, {**left, new: self.names[old]})
            case Unlink(name):
                self._rename(index, {left: number for left, number in self.names.items() if left != name})
            case Write(name, off, data):
                number = self.file_of[index] = self.names[name]
                self._change(
                    index, number, self.bodies[number].put(off, Body(data, origin(index, len(data))))
                )
            case Truncate(name, size):
                self._change(index, self.names[name], self.bodies[self.names[name]].sized(size))
            case Sync(name):
                number = self.names[name]
                self.forced_at = index
                self._force({("page", number), ("size", number)})
            case SyncDir():
                self.forced_at = index
                self._force({NAMES[:2]})
            case _:
                pass

    def _rename(self, index: int, names: dict[str, int]) -> None:
        self.names = names
        self._add(index, NAMES, tuple(sorted(names.items())))

    def _change(self, index: int, number: int, new: Body) -> None:
        old, self.bodies[number] = self.bodies[number], new
        for granule in range(-(-max(len(old.data), len(new.data)) // self.granule)):
            span = granule * self.granule, (granule + 1) * self.granule
            before, after = old.cut(*span), new.cut(*span)
            # A write beyond the end of a file leaves a hole before it. The hole exists as soon as the size
            # does.
            if before != after and before.sized(len(after.data)) != after:
                self._add(index, ("page", number, granule), after)
        if len(new.data) != len(old.data):
            self._add(index, ("size", number, 0), len(new.data))

    def _add(self, index: int, target: Target, value: Body | int | tuple[tuple[str, int], ...]) -> None:
        before = tuple(at for at, micro in enumerate(self.micros) if micro.target == target)
        self.micros.append(Micro(index, target, value, before))

    def _force(self, covered: set[tuple[str, int]]) -> None:
        self.forced.update(at for at, micro in enumerate(self.micros) if micro.target[:2] in covered)

    def ideals(self) -> Iterator[tuple[int, ...]]:
        """Yield every downward-closed set of micro-operations that contains all fsynced ones."""
        yield from self._ideals(0, ())

    def _ideals(self, at: int, kept: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if at == len(self.micros):
            yield kept
            return
        if at not in self.forced:
            yield from self._ideals(at + 1, kept)
        if set(self.micros[at].after).issubset(kept):
            yield from self._ideals(at + 1, (*kept, at))

    def allows(self, kept: Sequence[int], preset: Preset) -> bool:
        """Return whether the file system of `preset` permits exactly `kept` on disk.

        If names and sizes are journaled, they persist in order across all files, and each fsync makes all
        earlier changes of them durable. A size may have to wait for the new pages below it (``data-first``)
        or for those that were written with it (``own-data-first``).
        """
        there = set(kept)
        if preset.metadata == "journaled":
            booked = [at for at, micro in enumerate(self.micros) if micro.target[0] != "page"]
            arrived = [at in there for at in booked]
            if sorted(arrived, reverse=True) != arrived:
                return False
            if not all(at in there for at in booked if self.micros[at].op < self.forced_at):
                return False
        if preset.append not in ("data-first", "own-data-first"):
            return True
        latest = {self.micros[at].target: at for at in kept if self.micros[at].target[0] == "size"}
        return all(
            at in self.forced or self._below(at, own=preset.append == "own-data-first") <= there
            for at in latest.values()
        )

    def _below(self, size: int, *, own: bool) -> set[int]:
        """Return the micro-operations on new pages that must be on disk before the size `size`."""
        op, (_, number, _) = self.micros[size].op, self.micros[size].target
        durable = [at for at in self.forced if self.micros[at].target == ("size", number, 0)]
        before = len(self.first[number].data) if number < len(self.first) else 0
        if durable:
            value = self.micros[max(durable)].value
            assert isinstance(value, int)
            before = value
        out = set()
        for at, micro in enumerate(self.micros):
            kind, of, granule = micro.target
            start = granule * self.granule
            if (kind, of) != ("page", number) or start < before or at in self.forced:
                continue
            if micro.op == op or (micro.op < op and not own):
                out.add(at)
        return out

    def count(self, most: int) -> int:
        """Return the number of states to enumerate, or a number above `most` once that is exceeded."""
        chains: dict[Target, int] = {}
        for at, micro in enumerate(self.micros):
            if at not in self.forced:
                chains[micro.target] = chains.get(micro.target, 1) + 1
        product = 1
        for length in chains.values():
            product *= length
            if product > most:
                break
        return product

    def disk(self, kept: Sequence[int]) -> tuple[dict[str, Body], dict[str, int]]:
        """Return the files, and their numbers, if exactly `kept` is on disk."""
        latest: dict[Target, object] = {self.micros[at].target: self.micros[at].value for at in kept}
        names = latest.get(NAMES, tuple(self.first_names.items()))
        assert isinstance(names, tuple)
        pages: dict[int, dict[int, Body]] = {}
        for (kind, number, granule), value in latest.items():
            if kind == "page":
                assert isinstance(value, Body)
                pages.setdefault(number, {})[granule] = value
        files = {}
        for name, number in names:
            body = self.first[number] if number < len(self.first) else Body()
            size = latest.get(("size", number, 0), len(body.data))
            assert isinstance(size, int)
            body = body.sized(size)
            for granule, page in pages.get(number, {}).items():
                room = size - granule * self.granule
                if room > 0:
                    body = body.put(granule * self.granule, page.sized(min(self.granule, room)))
            files[name] = body
        return files, dict(names)


def brute_prefix(trace: Trace, preset: Preset, crash: int) -> Iterator[BruteState]:
    """Yield the states in which everything before `crash` arrived, and the first bytes of the write at
    `crash`.
    """
    machine = Machine(trace, 1 << 40)
    machine.run(crash)
    rest = machine.memory()
    op = trace.ops[crash] if crash < len(trace.ops) else None
    if not isinstance(op, Write):
        yield replace(rest, preset=preset.name)
        return
    for length in range(len(op.data) + 1):
        body = rest.files[op.file]
        # If all bytes arrived but the new size did not, the bytes are visible up to the old end.
        ends = preset.append == "whole" and op.off + length == len(body.data)
        if 0 < length < len(op.data) and (op.off + length) % preset.granule and not ends:
            continue
        piece = Body(op.data[:length], origin(crash, length))
        torn = body.put(op.off, piece) if length else body
        if preset.append == "whole" and length < len(op.data):
            # The file grows only when the complete write has arrived.
            torn = torn.sized(len(body.data))
        files = {**rest.files, op.file: torn}
        yield BruteState(preset.name, crash, crash, (length,), files, rest.numbers)


#: The numbers of docs/crash-model.md: writes of up to SHORT bytes are torn at every byte, longer ones within
#: NEAR bytes of their ends. In a trace with more than MANY writes, only the LAST ones are torn in this way.
SHORT, NEAR, MANY, LAST = 600, 96, 8, 3
SECTOR = 512


def cuts(trace: Trace, index: int, files: Mapping[str, bytes], ends: Mapping[str, int]) -> frozenset[int]:
    """Return the numbers of bytes after which write `index` is torn if single bytes persist.

    `files` are the files before the write; recovery reads each of them up to `ends`.
    """
    op = trace.ops[index]
    assert isinstance(op, Write)
    length = len(op.data)
    every = range(length + 1)
    sectors = {cut for cut in every if (op.off + cut) % SECTOR in (SECTOR - 1, 0, 1)}
    grown = {cut for cut in every if 0 < cut < length and op.off + cut == len(files[op.file])}
    unread = op.off >= ends[op.file] and op.off + length <= len(files[op.file])
    writes = [at for at, other in enumerate(trace.ops) if isinstance(other, Write) and at >= trace.crash_from]
    early = len(writes) > MANY and sum(at > index for at in writes) >= LAST
    if not early and not unread:
        near = {cut for cut in every if cut <= NEAR or cut >= length - NEAR}
        return frozenset(every if length <= SHORT else near | sectors | grown)
    edges = {0, length}
    for note in trace.ops[index + 1 :]:
        if isinstance(note, Write):
            break
        if isinstance(note, Mark):
            edges |= {note.off + start - op.off for start, _ in note.fields}
    return frozenset(sectors | grown | {cut for cut in every if {cut - 1, cut, cut + 1} & edges})


def brute_subset(trace: Trace, preset: Preset, crash: int, garbage: Garbage) -> Iterator[BruteState]:
    """Yield the state of every downward-closed set; if permitted, each also with a page of garbage."""
    machine = Machine(trace, preset.granule)
    machine.run(crash)
    for kept in machine.ideals():
        if not machine.allows(kept, preset):
            continue
        files, numbers = machine.disk(kept)
        if not preset.trash:
            yield BruteState(preset.name, crash, -1, kept, files, numbers)
            continue
        loose = {micro.target for at, micro in enumerate(machine.micros) if at not in machine.forced}
        for target in sorted(loose):
            if target[0] == "page":
                # The version of a page does not matter if garbage replaces the page, so one set per such page
                # is enough.
                if any(machine.micros[at].target == target and at not in machine.forced for at in kept):
                    continue
                trashed = _trashed(files, numbers, target, preset.granule, garbage(crash, *target[1:]))
                yield BruteState(preset.name, crash, -1, kept, trashed, numbers, target)


def _trashed(
    files: Mapping[str, Body], numbers: Mapping[str, int], target: Target, granule: int, noise: bytes
) -> dict[str, Body]:
    out = dict(files)
    for name, number in numbers.items():
        start = target[2] * granule
        if number == target[1] and len(files[name].data) > start:
            piece = noise[: len(files[name].data) - start]
            out[name] = files[name].put(start, Body(piece, origin(GARBAGE, len(piece))))
    return out


def choices(machine: Machine, kept: Sequence[int]) -> dict[Target, int]:
    """For each target, return the number of micro-operations without an fsync that are kept."""
    out = {micro.target: 0 for at, micro in enumerate(machine.micros) if at not in machine.forced}
    for at in kept:
        if at not in machine.forced:
            out[machine.micros[at].target] += 1
    return out
