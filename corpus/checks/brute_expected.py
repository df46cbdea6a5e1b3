"""Derives the expected outcome in one brute-force state from the origin of each of its bytes.

This second oracle follows the definitions of the invariants, not the engine. It decides state by state,
record by record, byte by byte.

A record is *complete* if every byte of its byte range comes from the write of this record, or has the value
that this write gave it (such bytes cannot be distinguished). A record with several byte ranges is complete if
each range is complete. A record that was written more than once is complete if one of its copies is complete.
A record *is live* if a write that makes it live is complete in the same sense. If a record is live and not
complete, its loss must be reported, unless it was deleted. The loss need not be reported if complete records
from before the trace are in its place. Then the state looks as if nothing had been written. Old records must
fit: they follow each other from the beginning of a live record to the end of a live record.

In the other classes, the bytes of a state decide whether it is possible. A lying device leaves the content of
some earlier moment. A failed fsync leaves pages of the trace's past. Each kind of corruption changes a
bounded part of the settled content. A refusal is never a fault in these classes. After corruption no data is
required, but missing data must be reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from brute_states import BASE, HOLE, Body, BruteState, Machine, brute_prefix, origin
from journalspec_corpus.crash.trace import (
    CORRUPTED,
    SECOND_LIFE,
    Ack,
    Mark,
    Part,
    Publish,
    Release,
    Trace,
    Write,
    get_preset,
)
from journalspec_corpus.crash.verdict import Answer

Content = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class WrittenPlace:
    """Bytes at `off` of file `number` that a write put there, or that were there before the trace."""

    number: int
    off: int
    data: bytes
    who: int

    def whole(self, state: BruteState) -> bool:
        """Return whether `state` contains all these bytes, whatever the name of their file."""
        return any(number == self.number and self._in(state, name) for name, number in state.numbers.items())

    def _in(self, state: BruteState, name: str) -> bool:
        found = state.files[name].cut(self.off, self.off + len(self.data))
        if found.who == origin(self.who, len(self.data)):
            # The origins of the bytes decide. If bytes contradict their origins, this module has a fault.
            assert found.data == self.data
            return True
        return found.data == self.data


@dataclass(frozen=True)
class BruteExpected:
    """The permitted answers in one state.

    `must_keep`, `may_keep` and `must_drop` are records; `names` maps a reader's key for a record to the
    record's name. `refusal` is allowed, required or forbidden. `sequences` are the records in the order of
    writing, with and without those that an earlier generation may have left. A reader that stops at some
    point lists a front part of one of them, with or without `possible` and `let_go` records. `whole` are the
    complete records.
    """

    must_keep: frozenset[str]
    may_keep: frozenset[str]
    must_drop: frozenset[str]
    names: Mapping[str, str]
    refusal: str
    sequences: tuple[tuple[str, ...], ...]
    possible: frozenset[str]
    whole: frozenset[str]
    #: Records of an earlier generation that recovery had found before this run.
    found_before: frozenset[str] = frozenset()
    let_go: frozenset[str] = frozenset()


@dataclass
class Writing:
    """One copy of `record`: for each of its byte ranges, the bytes that were written, once or several times.

    A byte range that is written only after the crash has no bytes.
    """

    record: str
    places: dict[tuple[str, int], list[WrittenPlace]] = field(default_factory=dict)

    @property
    def spots(self) -> set[tuple[int, int]]:
        """File number and offset of all byte ranges."""
        return {(place.number, place.off) for places in self.places.values() for place in places}

    def whole(self, state: BruteState) -> bool:
        """Return whether `state` contains the complete copy."""
        return all(any(place.whole(state) for place in places) for places in self.places.values())


@dataclass
class Accounts:
    """The annotations of a trace up to a crash: the writes of each record, and all acknowledgements."""

    trace: Trace
    crash: int
    torn: int = -1
    #: Records of this run, each with its name and its byte range.
    written: list[tuple[str, WrittenPlace]] = field(default_factory=list)
    #: Byte ranges of records from before the trace.
    old: list[tuple[str, WrittenPlace]] = field(default_factory=list)
    #: Every copy of a record: those from before the trace (first), and those of the trace.
    before: list[Writing] = field(default_factory=list)
    here: list[Writing] = field(default_factory=list)
    _times: dict[tuple[str, int], Writing] = field(default_factory=dict)
    #: Maps a record to the writes that make it live.
    counts: dict[str, list[WrittenPlace]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._last = max(self.crash - 1, self.torn)
        machine = Machine(self.trace, 1 << 40)
        machine.run(self._last + 1)
        self._number = dict(machine.first_names)
        self._file_of = machine.file_of
        for mark in (*self.trace.standing, *self.trace.stale, *self.trace.possible):
            data = self.trace.base[mark.file][mark.off : mark.off + mark.length]
            place = WrittenPlace(self._number[mark.file], mark.off, data, BASE)
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
        """Return the files that a process leaves if it is killed between two operations up to the crash."""
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
        """Records that are no longer required."""
        ops = self.trace.ops[: self.crash]
        return frozenset(name for op in ops if isinstance(op, Release) for name in op.records)

    def expected(self, state: BruteState) -> BruteExpected:
        """Return the required outcome in `state`."""
        trace = self.trace
        own = {mark.record for mark in trace.standing} | {name for name, _ in self.written}
        possible = {mark.record for mark in trace.possible} - own
        marks = (*trace.stale, *trace.possible, *trace.standing)
        keys = {mark.key: mark.record for mark in marks}
        keys |= {note.key: note.record for _, note in self._notes() if isinstance(note, Mark)}
        standing = {each.record for each in (*self.before, *self.here) if each.whole(state)}
        return BruteExpected(
            must_keep=self.told - self.released,
            may_keep=frozenset(own | possible),
            must_drop=frozenset(mark.record for mark in trace.stale) - possible,
            names=keys,
            refusal=self._refusal(state),
            # Possible content of the earlier generation may be overwritten. It may also be written again
            # elsewhere, and still exist.
            sequences=(
                self._sequence(trace.standing),
                self._sequence((*trace.standing, *(mark for mark in trace.possible if mark.length))),
            ),
            possible=frozenset(possible),
            whole=frozenset(standing),
            found_before=frozenset(self._found_before()),
            let_go=self.released,
        )

    def _found_before(self) -> Iterable[str]:
        """Yield the records that the recovery before this run had found, if the base of the run was sound."""
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
        if any(each.whole(state) for each in (*self.before, *self.here) if each.record == record):
            return False
        spots = {(place.number, place.off) for place in places}
        unknown = {mark.record for mark in self.trace.possible}
        # If an earlier crash tore parts of a record, the torn bytes are known. It is unknown whether the
        # parts are intact again.
        if any(old.record in unknown and not spots.isdisjoint(old.spots) for old in self.before):
            return False
        return not any(each.record == record and self._looks_whole(state, each, record) for each in self.here)

    def _looks_whole(self, state: BruteState, each: Writing, record: str) -> bool:
        """Return whether each place of a copy is as written, or covered by old records that fit."""
        return all(
            any(
                place.whole(state) or (self._led_to(state, place, record) and self._hidden(state, place))
                for place in places
            )
            for places in each.places.values()
        )

    def _led_to(self, state: BruteState, place: WrittenPlace, record: str) -> bool:
        """Return whether a write after the write of `place` makes `record` live."""
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
        """Yield the byte ranges of complete records that are not live and never were in this run."""
        stale = {mark.record for mark in self.trace.stale}
        for old in self.before:
            if old.record in stale and old.whole(state):
                for places in old.places.values():
                    yield from places

    def _sequence(self, before: Iterable[Mark]) -> tuple[str, ...]:
        """Return the records of `before` by file and offset, then the written records, in their order."""
        kept = {mark.record for mark in before}
        old = [(name, place) for name, place in self.old if name in kept]
        every = (*sorted(old, key=lambda item: (item[1].number, item[1].off)), *self.written)
        return tuple(dict.fromkeys(name for name, _ in every))


def verdict(answer: Answer, expected: BruteExpected, *, salvaging: bool) -> str:
    """Return the verdict on `answer`; ``pass`` if nothing is wrong."""
    if answer.refused is not None:
        return "refused" if expected.refusal == "forbidden" else "acceptable"
    named = [expected.names.get(key) for key in (*answer.keys, *answer.aside)]
    if None in named:
        return "torn-accepted"
    if not expected.must_drop.isdisjoint(named):
        return "resurrected"
    found = [expected.names[key] for key in answer.keys]
    missing = expected.must_keep.difference(found)
    if any(record.startswith(SECOND_LIFE) for record in missing):
        return "append-lost"
    if missing:
        return "lost" if missing.isdisjoint(expected.found_before) else "non-idempotent"
    if not salvaging and not _front(found, expected):
        return "hole"
    if expected.refusal == "required" and not answer.reported:
        return "silent"
    return "pass"


def _front(found: Sequence[str], expected: BruteExpected) -> bool:
    """Return whether `found` contains all records written up to some point, except for optional records.

    A writer that deletes records may write the others again in another order: then only the set is compared.
    """
    sure = _sure(found, expected)
    fronts = [_sure(sequence, expected)[: len(set(sure))] for sequence in expected.sequences]
    return any(sorted(front) == sorted(set(sure)) if expected.let_go else front == sure for front in fronts)


def _sure(records: Sequence[str], expected: BruteExpected) -> list[str]:
    return [record for record in records if record not in expected.possible and record not in expected.let_go]


Files = Mapping[str, bytes]
SECTOR, PAGE = 512, 4096
#: The largest number of bytes that a burst can touch: it has at most 64 bits, and may begin inside a byte.
BURST = 64 // 8 + 1


class Past:
    """All contents that a trace's files ever had, up to a crash point."""

    def __init__(self, trace: Trace, crash: int) -> None:
        machine = Machine(trace, 1 << 40)
        self.memories: list[BruteState] = [machine.memory()]
        for upto in range(1, crash + 1):
            machine.run(upto)
            self.memories.append(machine.memory())
        self.trace, self.crash = trace, crash
        self.settled = {name: body.data for name, body in self.memories[-1].files.items()}

    def number(self, name: str) -> int:
        """Return the number of the file that last had the name `name`; -1 if there was none."""
        return next((state.numbers[name] for state in self.memories[::-1] if name in state.numbers), -1)

    def pieces(self, name: str, start: int, end: int) -> set[bytes]:
        """Return all contents that ``[start, end)`` of any file with the name `name` ever had, and zeros."""
        called = {state.numbers[name] for state in self.memories if name in state.numbers}
        out = {bytes(end - start)}
        for state in self.memories:
            for each, body in state.files.items():
                if state.numbers[each] in called:
                    out.add(body.sized(max(end, len(body.data))).data[start:end])
        return out


def _changes(past: Past, files: Files) -> dict[str, set[int]]:
    """Return the offsets that differ from the settled content, by file; None if names or sizes differ."""
    out = {}
    for name, old in past.settled.items():
        new = files.get(name)
        if new is None or len(new) != len(old):
            return {name: set(range(len(old)))}
        if new != old:
            out[name] = {at for at, (was, now) in enumerate(zip(old, new, strict=True)) if was != now}
    return out


def _bits(past: Past, files: Files, *_: str) -> bool:
    found = [
        (past.settled[name][at], files[name][at])
        for name, spots in _changes(past, files).items()
        for at in spots
    ]
    return sum((was ^ new).bit_count() for was, new in found) in (1, 2)


def _burst(past: Past, files: Files, *_: str) -> bool:
    (spots,) = _changes(past, files).values()
    return max(spots) - min(spots) < BURST


def _cleared(unit: int) -> Callable[..., bool]:
    def check(past: Past, files: Files, name: str, where: str) -> bool:
        start = int(where) * unit
        old = past.settled[name]
        end = start + unit if unit > 1 else len(old)
        new = old[:start] + bytes(len(old[start:end])) + old[end:]
        return files == {**past.settled, name: new}

    return check


def _cut(unit: int) -> Callable[..., bool]:
    def check(past: Past, files: Files, name: str, where: str) -> bool:
        return files == {**past.settled, name: past.settled[name][: int(where) * unit]}

    return check


def _phantom(past: Past, files: Files, name: str, where: str) -> bool:
    start = int(where) * SECTOR
    (changed,) = _changes(past, files)
    piece = files[name][start : start + SECTOR]
    once = past.pieces(name, start, start + len(piece))
    same = files[name][:start] + past.settled[name][start : start + SECTOR] + files[name][start + SECTOR :]
    return changed == name and same == past.settled[name] and piece in once


def _misdirect(past: Past, files: Files, name: str, where: str, other: str, there: str) -> bool:
    start, end = int(where) * SECTOR, int(there) * SECTOR
    meant = past.settled[name][start : start + SECTOR]
    landed = files[other][end : end + SECTOR]
    spots = {(each, at) for each, found in _changes(past, files).items() for at in found}
    within = all(
        (each == name and start <= at < start + SECTOR) or (each == other and end <= at < end + SECTOR)
        for each, at in spots
    )
    left = files[name][start : start + SECTOR]
    old = left in past.pieces(name, start, start + len(left))
    return within and old and meant[: len(landed)] == landed[: len(meant)]


def _exchanged(past: Past, files: Files, *_: str) -> bool:
    """A faulty restore: each file has its complete content of some earlier time."""
    known = {body.data for state in past.memories for body in state.files.values()}
    return files != past.settled and all(content in known for content in files.values())


#: The first word of a label -> a function that receives the rest of the label and checks the files.
KINDS: Mapping[str, Callable[..., bool]] = {
    "bit": _bits,
    "bits": _bits,
    "burst": _burst,
    "zero": _cleared(SECTOR),
    "lse": _cleared(PAGE),
    "clear": _cleared(1),
    # A copy that stops at the first unreadable sector contains the bytes before that sector.
    "eio": _cut(SECTOR),
    "cut": _cut(1),
    "phantom": _phantom,
    "misdirect": _misdirect,
    "missing": _exchanged,
    "doubled": _exchanged,
    "swapped": _exchanged,
    "older": _exchanged,
}


def is_rotten(past: Past, files: Files, label: str) -> bool:
    """Return whether corruption `label` can lead to `files`; raises KeyError for an unknown kind."""
    kind, *rest = label.split(":")
    return bool(KINDS[kind](past, dict(files), *rest))


def lied(past: Past, files: Files, preset: str) -> BruteState | None:
    """Return the state if a lying device can leave `files`, else None."""
    content = tuple(sorted(files.items()))
    if get_preset(preset).force == "fails-clean":
        fits = all(
            data[at : at + SECTOR] in past.pieces(name, at, min(at + SECTOR, len(data)))
            for name, data in files.items()
            for at in range(0, len(data), SECTOR)
        )
        return _bare(past, files, preset) if fits else None
    for upto in range(past.crash + 1):
        for state in brute_prefix(past.trace, get_preset("prefix-sector-512"), upto):
            if state.content == content:
                return replace(state, preset=preset, crash=past.crash, torn=-1)
    return None


def _bare(past: Past, files: Files, preset: str) -> BruteState:
    bodies = {name: Body(data, origin(HOLE, len(data))) for name, data in files.items()}
    numbers = {name: past.number(name) for name in files}
    return BruteState(preset, past.crash, -1, (), bodies, numbers)


def other_expected(
    ledger: Accounts, past: Past, files: Files, preset: str, label: str
) -> BruteExpected | None:
    """Return the required outcome in a state of class L or C; None if the state is impossible."""
    if label:
        if not is_rotten(past, files, label):
            return None
        return replace(ledger.expected(_bare(past, files, preset)), refusal="allowed")
    state = lied(past, files, preset)
    if state is None:
        return None
    expected = ledger.expected(state)
    return replace(expected, refusal="allowed") if expected.refusal == "forbidden" else expected


def other_verdict(answer: Answer, expected: BruteExpected, stratum: str, *, salvaging: bool) -> str:
    """Return the verdict on `answer`; after corruption, records may be missing if the answer reports it."""
    if stratum != CORRUPTED or answer.refused is not None:
        return verdict(answer, expected, salvaging=salvaging)
    found = {expected.names.get(key) for key in answer.keys}
    gone = expected.must_keep - found
    said = verdict(answer, replace(expected, must_keep=expected.must_keep - gone), salvaging=salvaging)
    return "silent" if said == "pass" and gone and not answer.reported else said
