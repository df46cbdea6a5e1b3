"""What is owed in one state that was built by brute force, from who wrote each of its bytes.

A second opinion, written from the definitions of the invariants and not from
the oracle: state by state, record by record, byte by byte.

A record *stands whole* if every byte of its place comes from the write that put
it there, or has the value that this write would have given it (nobody can tell
such bytes apart). It *counts* if a write that makes it count stands whole in the
same sense. Who wants a record that counts and does not stand whole has to be told
(nobody wants what was released), unless a whole record of the time before stands in its place:
then the state looks as if nothing had ever happened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from journalspec_corpus.crash.brute_states import BASE, BruteState, Machine, origin
from journalspec_corpus.crash.judge import Answer
from journalspec_corpus.crash.trace import SECOND_LIFE, Ack, Mark, Publish, Release, Trace, Write

Content = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes that some write (or the time before the trace) put at `off` of file `number`."""

    number: int
    off: int
    data: bytes
    who: int

    def whole(self, state: BruteState) -> bool:
        """Tell whether the bytes are all there in `state`, under whatever name."""
        return any(number == self.number and self._in(state, name) for name, number in state.numbers.items())

    def _in(self, state: BruteState, name: str) -> bool:
        found = state.files[name].cut(self.off, self.off + len(self.data))
        if found.who == origin(self.who, len(self.data)):
            # Provenance says so; bytes that say otherwise would be a fault of this module.
            assert found.data == self.data
            return True
        return found.data == self.data


@dataclass(frozen=True)
class BruteDebt:
    """What may be said of one state.

    `must_keep`, `may_keep` and `must_drop` are records, `names` maps what a
    reader may call a record to its name. `refusal` is allowed, required or
    forbidden. `sequences` are the records of each life of each file in the order in which
    they were written: who reads up to some point has a front part of one of them,
    give or take `possible` ones. `whole` are the records that stand whole.
    """

    must_keep: frozenset[str]
    may_keep: frozenset[str]
    must_drop: frozenset[str]
    names: Mapping[str, str]
    refusal: str
    sequences: tuple[tuple[str, ...], ...]
    possible: frozenset[str]
    whole: frozenset[str]
    #: records of an earlier life that a recovery had still found
    found_before: frozenset[str] = frozenset()


@dataclass
class Ledger:
    """A trace up to a crash, as its annotations tell it: who wrote which record where, who was told what."""

    trace: Trace
    crash: int
    torn: int = -1
    #: records of this run: (name, place)
    written: list[tuple[str, Place]] = field(default_factory=list)
    #: places of records from before the trace
    old: list[tuple[str, Place]] = field(default_factory=list)
    #: record -> the writes that make it count
    counts: dict[str, list[Place]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._last = max(self.crash - 1, self.torn)
        machine = Machine(self.trace, 1 << 40)
        machine.run(self._last + 1)
        self._number = dict(machine.first_names)
        self._file_of = machine.file_of
        for mark in (*self.trace.standing, *self.trace.stale, *self.trace.possible):
            data = self.trace.base[mark.file][mark.off : mark.off + mark.length]
            self.old.append((mark.record, Place(self._number[mark.file], mark.off, data, BASE)))
        for index, note in self._notes():
            write = self.trace.ops[index]
            assert isinstance(write, Write)
            if isinstance(note, Mark):
                start = note.off - write.off
                data = write.data[start : start + note.length]
                self.written.append((note.record, Place(self._file_of[index], note.off, data, index)))
            else:
                place = Place(self._file_of[index], write.off, write.data, index)
                for record in note.records:
                    self.counts.setdefault(record, []).append(place)
        self.kills = self._kills()

    def _notes(self) -> Iterable[tuple[int, Mark | Publish]]:
        """Yield the annotations of all writes that had been issued, each with its write."""
        last = -1
        for index, op in enumerate(self.trace.ops):
            if isinstance(op, Write):
                last = index
            elif isinstance(op, (Mark, Publish)) and 0 <= last <= self._last:
                yield last, op

    def _kills(self) -> frozenset[Content]:
        """Return what a process leaves that is killed between two operations up to the crash."""
        machine = Machine(self.trace, 1 << 40)
        found = {machine.memory().content}
        for upto in range(self._last + 2):
            machine.run(upto)
            found.add(machine.memory().content)
        return frozenset(found)

    @property
    def told(self) -> frozenset[str]:
        """Records that somebody was told are safe."""
        acked = {name for op in self.trace.ops[: self.crash] if isinstance(op, Ack) for name in op.records}
        return frozenset(acked | {mark.record for mark in self.trace.standing})

    @property
    def released(self) -> frozenset[str]:
        """Records that nobody wants back."""
        ops = self.trace.ops[: self.crash]
        return frozenset(name for op in ops if isinstance(op, Release) for name in op.records)

    def debt(self, state: BruteState) -> BruteDebt:
        """Return what is owed in `state`."""
        trace = self.trace
        own = {mark.record for mark in trace.standing} | {name for name, _ in self.written}
        possible = {mark.record for mark in trace.possible} - own
        marks = (*trace.stale, *trace.possible, *trace.standing)
        keys = {mark.key: mark.record for mark in marks}
        keys |= {note.key: note.record for _, note in self._notes() if isinstance(note, Mark)}
        standing = {name for name, place in (*self.old, *self.written) if place.whole(state)}
        return BruteDebt(
            must_keep=self.told - self.released,
            may_keep=frozenset(own | possible),
            must_drop=frozenset(mark.record for mark in trace.stale) - possible,
            names=keys,
            refusal=self._refusal(state),
            # What was possible before is written over, or written again elsewhere and still there.
            sequences=(
                *self._sequences(trace.standing),
                *self._sequences((*trace.standing, *(mark for mark in trace.possible if mark.length))),
            ),
            possible=frozenset(possible),
            whole=frozenset(standing),
            found_before=frozenset(self._found_before()),
        )

    def _found_before(self) -> Iterable[str]:
        """Yield what the first recovery still had, if this is a life after a crash and all was fine then."""
        if self.trace.life > 1 and self.trace.tags.get("fine") == "yes":
            yield from (mark.record for mark in self.trace.standing)

    def _refusal(self, state: BruteState) -> str:
        set_up = bool(self.trace.base) or bool(self.told)
        if set_up and state.trash is None and state.content in self.kills:
            return "forbidden"
        return "required" if any(self._damaged(state, name) for name in self.counts) else "allowed"

    def _damaged(self, state: BruteState, record: str) -> bool:
        places = [place for name, place in self.written if name == record]
        if not places or record in self.released:
            return False
        if not any(place.whole(state) for place in self.counts[record]):
            return False
        if any(place.whole(state) for name, place in (*self.old, *self.written) if name == record):
            return False
        spots = {(place.number, place.off) for place in places}
        unknown = {mark.record for mark in self.trace.possible}
        # What an earlier crash tore is known only as it was left: whether it is whole again, nobody can say.
        return not any(
            (old.number, old.off) in spots and (name in unknown or old.whole(state)) for name, old in self.old
        )

    def _sequences(self, before: Iterable[Mark]) -> tuple[tuple[str, ...], ...]:
        """Return for each life of each file what was written to it, front to back, on top of `before`."""
        files: dict[int, list[list[str]]] = {}
        ends: dict[int, int] = {}
        kept = {mark.record for mark in before}
        old = [(name, place) for name, place in self.old if name in kept]
        for name, place in (*sorted(old, key=lambda item: item[1].off), *self.written):
            lives = files.setdefault(place.number, [])
            if place.off <= ends.get(place.number, place.off):
                lives.append([])
            lives[-1].append(name)
            ends[place.number] = place.off
        return tuple(tuple(life) for lives in files.values() for life in lives)


def verdict(answer: Answer, debt: BruteDebt, *, salvaging: bool) -> str:
    """Return what is wrong with `answer` in the words of the judge, ``pass`` if nothing is."""
    if answer.refused is not None:
        return "refused" if debt.refusal == "forbidden" else "acceptable"
    named = [debt.names.get(key) for key in (*answer.keys, *answer.aside)]
    if None in named:
        return "torn-accepted"
    if not debt.must_drop.isdisjoint(named):
        return "resurrected"
    found = [debt.names[key] for key in answer.keys]
    missing = debt.must_keep.difference(found)
    if any(record.startswith(SECOND_LIFE) for record in missing):
        return "append-lost"
    if missing:
        return "lost" if missing.isdisjoint(debt.found_before) else "non-idempotent"
    if not salvaging and not _front(found, debt):
        return "hole"
    if debt.refusal == "required" and not answer.reported:
        return "silent"
    return "pass"


def _front(found: Sequence[str], debt: BruteDebt) -> bool:
    """Tell whether `found` is all that one file held up to some point."""
    sure = _sure(found, debt)
    return not sure or any(sure == _sure(sequence, debt)[: len(sure)] for sequence in debt.sequences)


def _sure(records: Sequence[str], debt: BruteDebt) -> list[str]:
    return [record for record in records if record not in debt.possible]


def mixture(state: BruteState, places: Collection[Place]) -> str:
    """Return where the bytes of `places` come from, for people who look into a disagreement."""
    out = []
    for place in places:
        for name, number in state.numbers.items():
            if number == place.number:
                raw = state.files[name].cut(place.off, place.off + len(place.data)).who
                pairs = (raw[at : at + 2] for at in range(0, len(raw), 2))
                origins = dict.fromkeys(int.from_bytes(pair, "little", signed=True) for pair in pairs)
                out.append(f"{name}@{place.off}+{len(place.data)} from {list(origins)}")
    return "; ".join(out)
