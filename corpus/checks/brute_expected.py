"""The expected outcome in one state that was built by brute force, from its bytes.

A second opinion, written from the definitions of the invariants and not from the engine: state by state,
record by record, byte by byte.

A record *is whole* if every byte of its place comes from the write that put it there, or has the value that
this write would have given it (such bytes cannot be distinguished). One that is in several places at once
is whole if that holds of each of them, one that was written more than once if it holds of one time. It
*counts* if a write that makes it count is whole in the same sense. The loss of a record that counts and is
not whole must be reported (unless it was released), except if whole records of the time before are in its
place: then the state looks as if nothing had ever happened. They must fit: from where a record that counts
begins, one after the other, up to where a record that counts ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from brute_states import BruteState, Machine
from journalspec_corpus.crash.trace import Ack, Mark, Part, Publish, Release, Trace, Write

Content = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class WrittenPlace:
    """Bytes that write `who` (-1: the time before the trace) put at `off` of file `number`."""

    number: int
    off: int
    data: bytes
    who: int

    def whole(self, state: BruteState) -> bool:
        """Return whether the bytes are all there in `state`, under whatever name."""
        end = self.off + len(self.data)
        return any(
            number == self.number and state.files[name][self.off : end] == self.data
            for name, number in state.numbers.items()
        )


@dataclass(frozen=True)
class BruteDebt:
    """What is required in one state.

    `must_keep`, `may_keep`, `must_drop` and `possible` are records, `record_of` maps what a reader may call a
    record to its name. `refusal` is allowed, required or forbidden. `whole` are the records that are whole.
    """

    must_keep: frozenset[str]
    may_keep: frozenset[str]
    must_drop: frozenset[str]
    record_of: Mapping[str, str]
    refusal: str
    possible: frozenset[str]
    whole: frozenset[str]


@dataclass
class Writing:
    """One writing of `record`: for each place that it needs, the bytes that were put there each time.

    A place that is written only after the crash has none.
    """

    record: str
    places: dict[tuple[str, int], list[WrittenPlace]] = field(default_factory=dict)

    @property
    def spots(self) -> set[tuple[int, int]]:
        """File number and offset of all places."""
        return {(place.number, place.off) for places in self.places.values() for place in places}

    def whole(self, state: BruteState) -> bool:
        """Return whether all of it is in `state`."""
        return all(any(place.whole(state) for place in places) for places in self.places.values())


@dataclass
class Accounts:
    """A trace up to a crash, from its annotations: who wrote which record where, and all acknowledgements."""

    trace: Trace
    crash: int
    torn: int = -1
    #: records of this run: (name, place)
    written: list[tuple[str, WrittenPlace]] = field(default_factory=list)
    #: places of records from before the trace
    old: list[tuple[str, WrittenPlace]] = field(default_factory=list)
    #: every time that a record was written, before the trace (first) and in it
    before: list[Writing] = field(default_factory=list)
    here: list[Writing] = field(default_factory=list)
    _times: dict[tuple[str, int], Writing] = field(default_factory=dict)
    #: record -> the writes that make it count
    counts: dict[str, list[WrittenPlace]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._last = max(self.crash - 1, self.torn)
        machine = Machine(self.trace, 1 << 40)
        machine.run(self._last + 1)
        self._number = dict(machine.first_names)
        self._file_of = machine.file_of
        for mark in (*self.trace.standing, *self.trace.stale, *self.trace.possible):
            data = self.trace.base[mark.file][mark.off : mark.off + mark.length]
            place = WrittenPlace(self._number[mark.file], mark.off, data, -1)
            self.old.append((mark.record, place))
            self._enter(self.before, mark, [place])
        for index, note in self._notes():
            write = self.trace.ops[index]
            assert isinstance(write, Write)
            if isinstance(note, Mark):
                start = note.off - write.off
                data = write.data[start : start + note.length]
                place = WrittenPlace(self._file_of[index], note.off, data, index)
                self.written.append((note.record, place))
                self._enter(self.here, note, [place])
            else:
                place = WrittenPlace(self._file_of[index], write.off, write.data, index)
                for record in note.records:
                    self.counts.setdefault(record, []).append(place)
        for op in self.trace.ops:
            if isinstance(op, Part):
                self._enter(self.here, op, [])
        self.kills = self._kills()

    def _enter(self, where: list[Writing], mark: Mark, places: list[WrittenPlace]) -> None:
        known = self._times.get((mark.record, mark.copy)) if isinstance(mark, Part) else None
        if known is None:
            known = Writing(mark.record)
            where.append(known)
        if isinstance(mark, Part):
            self._times[mark.record, mark.copy] = known
        known.places.setdefault((mark.file, mark.off), []).extend(places)

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
        """Records that were acknowledged as safe."""
        acked = {name for op in self.trace.ops[: self.crash] if isinstance(op, Ack) for name in op.records}
        return frozenset(acked | {mark.record for mark in self.trace.standing})

    @property
    def released(self) -> frozenset[str]:
        """Records that are not required any more."""
        ops = self.trace.ops[: self.crash]
        return frozenset(name for op in ops if isinstance(op, Release) for name in op.records)

    def expected(self, state: BruteState) -> BruteDebt:
        """Return what is required in `state`."""
        trace = self.trace
        own = {mark.record for mark in trace.standing} | {name for name, _ in self.written}
        possible = {mark.record for mark in trace.possible} - own
        marks = (*trace.stale, *trace.possible, *trace.standing)
        keys = {mark.key: mark.record for mark in marks}
        keys |= {note.key: note.record for _, note in self._notes() if isinstance(note, Mark)}
        standing = {each.record for each in (*self.before, *self.here) if each.whole(state)}
        return BruteDebt(
            must_keep=self.told - self.released,
            may_keep=frozenset(own | possible),
            must_drop=frozenset(mark.record for mark in trace.stale) - possible,
            record_of=keys,
            refusal=self._refusal(state),
            possible=frozenset(possible),
            whole=frozenset(standing),
        )

    def _refusal(self, state: BruteState) -> str:
        set_up = bool(self.trace.base) or bool(self.told)
        if set_up and state.content in self.kills:
            return "forbidden"
        return "required" if any(self._damaged(state, name) for name in self.counts) else "allowed"

    def _damaged(self, state: BruteState, record: str) -> bool:
        places = [place for name, place in self.written if name == record]
        if not places or record in self.released:
            return False
        if not any(place.whole(state) for place in self.counts[record]):
            return False
        if any(each.whole(state) for each in (*self.before, *self.here) if each.record == record):
            return False
        spots = {(place.number, place.off) for place in places}
        unknown = {mark.record for mark in self.trace.possible}
        # Parts torn by an earlier crash are known only in their state then: whether they are intact again is
        # unknown.
        if any(old.record in unknown and not spots.isdisjoint(old.spots) for old in self.before):
            return False
        return not any(each.record == record and self._looks_whole(state, each, record) for each in self.here)

    def _looks_whole(self, state: BruteState, each: Writing, record: str) -> bool:
        """Return whether each place of a writing is as written, or covered by old records that fit."""
        return all(
            any(
                place.whole(state) or (self._led_to(state, place, record) and self._hidden(state, place))
                for place in places
            )
            for places in each.places.values()
        )

    def _led_to(self, state: BruteState, place: WrittenPlace, record: str) -> bool:
        """Return whether something says so that `record` counts and was written when `place` had been."""
        return any(sign.who >= place.who and sign.whole(state) for sign in self.counts[record])

    def _hidden(self, state: BruteState, place: WrittenPlace) -> bool:
        counting = [
            other
            for name, other in self.written
            if other.number == place.number and any(sign.whole(state) for sign in self.counts.get(name, ()))
        ]
        ends = {other.off + len(other.data) for other in counting}
        steps = [
            (old.off, old.off + len(old.data))
            for old in self._old_and_whole(state)
            if old.number == place.number
        ]
        for begin in {other.off for other in counting if other.off <= place.off}:
            reached = {begin}
            for start, end in sorted(steps):
                if start in reached:
                    reached.add(end)
            if any(end >= place.off + len(place.data) for end in (reached - {begin}) & ends):
                return True
        return False

    def _old_and_whole(self, state: BruteState) -> Iterable[WrittenPlace]:
        """Yield the places of whole records that do not count and never did in this life."""
        stale = {mark.record for mark in self.trace.stale}
        for old in self.before:
            if old.record in stale and old.whole(state):
                for places in old.places.values():
                    yield from places
