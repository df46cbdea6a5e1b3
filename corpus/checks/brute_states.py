"""Crash states by brute force, for traces that are small enough.

A second opinion on which states a crash may leave. It is thought out from the
definition and shares nothing with the enumeration that the corpus is built by:

1. every operation is taken apart into *micro-operations*: one for each granule
   that it touches, one for a change of size, one for a change of names;
2. the preset says which of them come before which: two on the same granule, the
   same size or the names always do (there is one page of each), a force puts
   what it covers before everything;
3. a state keeps a downward-closed set of the issued operations, with all that were forced. *All* such sets
are walked, one by one;
4. with prefix order, all operations before the crash are kept, and any front
   part of the next write that ends at an edge of a granule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from journalspec_corpus.crash.trace import (
    Create,
    Preset,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
)

#: The object of a micro-operation: ("page", file, granule), ("size", file, 0) or ("names", 0, 0).
Target = tuple[str, int, int]
NAMES: Target = ("names", 0, 0)


def sized(data: bytes, size: int) -> bytes:
    """Return exactly `size` bytes of a file; what is new is zeros."""
    return data[:size].ljust(size, b"\0")


def put(data: bytes, off: int, piece: bytes) -> bytes:
    """Return a file with `piece` at `off`, longer if need be."""
    end = off + len(piece)
    whole = data.ljust(end, b"\0")
    return whole[:off] + piece + whole[end:]


@dataclass(frozen=True, slots=True)
class Micro:
    """One thing that is on disk or not: operation `op` makes `target` to be `value`.

    `after` are the micro-operations without which it cannot be there.
    """

    op: int
    target: Target
    value: bytes | int | tuple[tuple[str, int], ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BruteState:
    """One state: where it comes from, and the files by name with their numbers.

    `torn` is the operation that was under way, `kept` the micro-operations that
    are there (for a torn write: how many bytes of it).
    """

    preset: str
    crash: int
    torn: int
    kept: tuple[int, ...]
    files: Mapping[str, bytes]
    numbers: Mapping[str, int]

    @property
    def content(self) -> tuple[tuple[str, bytes], ...]:
        """The bytes alone, comparable."""
        return tuple(sorted(self.files.items()))


@dataclass
class Machine:
    """A computer that runs a trace: its memory as the program sees it, and all micro-operations so far."""

    trace: Trace
    granule: int
    bodies: list[bytes] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    micros: list[Micro] = field(default_factory=list)
    #: micro-operations that a force has put on disk
    forced: set[int] = field(default_factory=set)
    #: write -> the number of its file
    file_of: dict[int, int] = field(default_factory=dict)
    #: index of the last force of anything
    forced_at: int = -1
    at: int = 0

    def __post_init__(self) -> None:
        for name in sorted(self.trace.base):
            self.names[name] = len(self.bodies)
            self.bodies.append(self.trace.base[name])
        self.first = tuple(self.bodies)
        self.first_names = dict(self.names)

    def run(self, upto: int) -> None:
        """Run the operations before `upto`."""
        while self.at < upto:
            self._do(self.at)
            self.at += 1

    def memory(self) -> BruteState:
        """Return what a process that is killed now leaves."""
        files = {name: self.bodies[number] for name, number in self.names.items()}
        return BruteState("", self.at, -1, (), files, dict(self.names))

    def _do(self, index: int) -> None:
        op = self.trace.ops[index]
        match op:
            case Create(name):
                self.bodies.append(b"")
                self._rename(index, {**self.names, name: len(self.bodies) - 1})
            case Rename(old, new):
                left = {name: number for name, number in self.names.items() if name != old}
                self._rename(index, {**left, new: self.names[old]})
            case Unlink(name):
                self._rename(index, {left: number for left, number in self.names.items() if left != name})
            case Write(name, off, data):
                number = self.file_of[index] = self.names[name]
                self._change(index, number, put(self.bodies[number], off, data))
            case Truncate(name, size):
                self._change(index, self.names[name], sized(self.bodies[self.names[name]], size))
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

    def _change(self, index: int, number: int, new: bytes) -> None:
        old, self.bodies[number] = self.bodies[number], new
        for granule in range(-(-max(len(old), len(new)) // self.granule)):
            span = slice(granule * self.granule, (granule + 1) * self.granule)
            before, after = old[span], new[span]
            # Bytes that a write passes over are not written: the hole exists once the size does.
            if before != after and sized(before, len(after)) != after:
                self._add(index, ("page", number, granule), after)
        if len(new) != len(old):
            self._add(index, ("size", number, 0), len(new))

    def _add(self, index: int, target: Target, value: bytes | int | tuple[tuple[str, int], ...]) -> None:
        before = tuple(at for at, micro in enumerate(self.micros) if micro.target == target)
        self.micros.append(Micro(index, target, value, before))

    def _force(self, covered: set[tuple[str, int]]) -> None:
        self.forced.update(at for at, micro in enumerate(self.micros) if micro.target[:2] in covered)

    def ideals(self) -> Iterator[tuple[int, ...]]:
        """Yield every downward-closed set of micro-operations that holds all forced ones."""
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
        """Return whether a file system as `preset` describes it lets just `kept` be there.

        With a journal for names and sizes these come in order, whatever file they
        are of, and a force of anything takes all of them along. A size may have to
        wait for the new pages below it (``data-first``) or for those that were
        written with it (``own-data-first``).
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
        """Return the micro-operations on new pages that the size `size` waits for."""
        op, (_, number, _) = self.micros[size].op, self.micros[size].target
        durable = [at for at in self.forced if self.micros[at].target == ("size", number, 0)]
        before = len(self.first[number]) if number < len(self.first) else 0
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
        """Return the number of states to walk, or more than `most` as soon as it is clear."""
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

    def disk(self, kept: Sequence[int]) -> tuple[dict[str, bytes], dict[str, int]]:
        """Return the files, and their numbers, if just `kept` is on disk."""
        latest: dict[Target, object] = {self.micros[at].target: self.micros[at].value for at in kept}
        names = latest.get(NAMES, tuple(self.first_names.items()))
        assert isinstance(names, tuple)
        pages: dict[int, dict[int, bytes]] = {}
        for (kind, number, granule), value in latest.items():
            if kind == "page":
                assert isinstance(value, bytes)
                pages.setdefault(number, {})[granule] = value
        files = {}
        for name, number in names:
            body = self.first[number] if number < len(self.first) else b""
            size = latest.get(("size", number, 0), len(body))
            assert isinstance(size, int)
            body = sized(body, size)
            for granule, page in pages.get(number, {}).items():
                room = size - granule * self.granule
                if room > 0:
                    body = put(body, granule * self.granule, sized(page, min(self.granule, room)))
            files[name] = body
        return files, dict(names)


def brute_prefix(trace: Trace, preset: Preset, crash: int) -> Iterator[BruteState]:
    """Yield what is there if everything before `crash` arrived, and of a write at `crash` a front part."""
    machine = Machine(trace, 1 << 40)
    machine.run(crash)
    rest = machine.memory()
    op = trace.ops[crash] if crash < len(trace.ops) else None
    if not isinstance(op, Write):
        yield replace(rest, preset=preset.name)
        return
    for length in range(len(op.data) + 1):
        body = rest.files[op.file]
        # All of it may be there except for the size: then it is visible up to the old end.
        ends = preset.append == "whole" and op.off + length == len(body)
        if 0 < length < len(op.data) and (op.off + length) % preset.granule and not ends:
            continue
        torn = put(body, op.off, op.data[:length]) if length else body
        if preset.append == "whole" and length < len(op.data):
            # The file grows when the whole write is there.
            torn = torn[: len(body)]
        files = {**rest.files, op.file: torn}
        yield BruteState(preset.name, crash, crash, (length,), files, rest.numbers)


def brute_subset(trace: Trace, preset: Preset, crash: int) -> Iterator[BruteState]:
    """Yield what is there for every downward-closed set."""
    machine = Machine(trace, preset.granule)
    machine.run(crash)
    for kept in machine.ideals():
        if machine.allows(kept, preset):
            yield BruteState(preset.name, crash, -1, kept, *machine.disk(kept))
