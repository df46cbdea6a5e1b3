"""Runs after a crash. In such a run, a writer works on the files that a first crash left, up to a second
crash.

A second run is a workload like any other. The second run starts from a chosen crash state of the first run.
Its operations begin with opening these files, and include the writes of recovery itself. The expectation
comes from the first trace: a record exists if its bytes are in the state, in the file to which they were
written. No reader runs for this.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any

from journalspec.formats import format_text
from journalspec_corpus.crash.facts import Facts, State, find
from journalspec_corpus.crash.oracle import REQUIRED
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import (
    BEFORE,
    PRESETS,
    Create,
    Mark,
    Part,
    Rename,
    Trace,
    Unlink,
    Workload,
    Write,
    get_preset,
)
from journalspec_corpus.crash.verdict import CATEGORIES

#: The seed of garbage in first crash states. It is part of the definition of a second run, not of a build.
SEED = 1


@dataclass(frozen=True)
class CrashImage:
    """Represents the files that one crash of a trace left, and the records whose bytes are intact in these
    files.

    Records in `standing` are required. Records in `possible` were issued, but are not required; they may be
    kept. If they are not intact, their length is 0, because a later write may complete them. Records in
    `stale` must not reappear. `order` lists the standing and possible records in the order of
    issue, `done` the ids of records that had been acknowledged and deleted.
    """

    first: Trace
    descriptor: Descriptor
    files: Mapping[str, bytes]
    standing: tuple[Mark, ...]
    possible: tuple[Mark, ...]
    stale: tuple[Mark, ...]
    #: The intact marks of the standing and possible records.
    whole: tuple[Mark, ...]
    category: str
    field: str
    order: tuple[Mark, ...] = ()
    done: frozenset[str] = frozenset()

    @property
    def required(self) -> set[str]:
        """The records that are required."""
        return {mark.record for mark in self.standing}


def crash_image(state: State, *, gone: bool) -> CrashImage | None:
    """Return the image of crash `state`. Return None if a required record is nowhere intact in this state.

    With `gone`, released records must not reappear after the release is durable.
    """
    trace, states, expected = state.trace, state.situation.states, state.situation.expected
    crash_index, files = states.point.crash_index, state.files
    names, _ = states.point.layout(states.codes[state.row].tolist())
    name_of = {number: name for name, number in names.items()}
    #: every mark, with the name of its file in this state, in the order of issue
    issued: list[Mark] = []
    intact: list[bool] = []
    #: maps (record, alternative) to the offset of each part, and whether the part is intact
    parts: dict[tuple[object, ...], dict[tuple[str, int], bool]] = {}
    for _, op in trace.annotated:
        if isinstance(op, Part):
            parts.setdefault((op.record, op.alternative), {})[op.file, op.off] = False
    for mark, number, data in _written(trace, crash_index, states.torn):
        moved = replace(mark, file=name_of.get(number, mark.file))
        there = number in name_of and files[moved.file][mark.off : mark.off + mark.length] == data
        issued.append(moved)
        intact.append(there)
        if isinstance(mark, Part):
            found = parts.setdefault((mark.record, mark.alternative), {})
            found[mark.file, mark.off] = there or found.get((mark.file, mark.off), False)
    # A record may be in several places. A part counts as intact only if all other parts of its copy are
    # intact.
    whole = [
        mark
        for mark, there in zip(issued, intact, strict=True)
        if there and all(parts.get((mark.record, mark.alternative), {}).values())
    ]
    # A deletion is durable if an acknowledgement follows it.
    last = max((index for index, _ in trace.acks if index < crash_index), default=BEFORE)
    ended = trace.released(last) if gone else frozenset()
    dropped = (expected.must_drop | ended) - expected.must_keep
    standing = tuple(mark for mark in whole if mark.record in expected.must_keep)
    if {mark.record for mark in standing} != expected.must_keep:
        return None
    known = set(whole)
    possible = [
        (at, mark if mark in known else replace(mark, length=0))
        for at, mark in enumerate(issued)
        if mark.record not in expected.must_keep | dropped
    ]
    return CrashImage(
        trace,
        state.descriptor(SEED),
        files,
        standing,
        tuple(mark for _, mark in possible),
        tuple(mark for mark in whole if mark.record in dropped),
        tuple(mark for mark in whole if mark.record not in dropped),
        state.category,
        state.field,
        _in_order(trace, [*((issued.index(mark), mark) for mark in standing), *possible]),
        trace.done.union(trace.acknowledged(crash_index)) - expected.must_keep,
    )


def _in_order(trace: Trace, found: list[tuple[int, Mark]]) -> tuple[Mark, ...]:
    """Return marks in the order of issue. `found` contains each mark with its index in :func:`_written`."""
    base = (*trace.stale, *trace.standing, *trace.possible)
    rank = {mark: number for number, mark in enumerate(trace.before)}
    place = [(rank.get(base[at], -1) if at < len(base) else at + len(rank), mark) for at, mark in found]
    return tuple(mark for _, mark in sorted(place, key=itemgetter(0)))


def _written(trace: Trace, crash_index: int, torn: int) -> Iterator[tuple[Mark, int, bytes]]:
    """Yield every mark with the number of its file and the bytes that were written for the mark."""
    numbers = {name: number for number, name in enumerate(sorted(trace.base))}
    for mark in (*trace.stale, *trace.standing, *trace.possible):
        data = trace.base.get(mark.file, b"")[mark.off : mark.off + mark.length]
        # A record without bytes in the base (length 0) was torn before the trace. Its number is -1, which is
        # not the number of a file.
        yield mark, numbers[mark.file] if data else -1, data
    upto = max(crash_index, torn + 1)
    issued: dict[int, list[Mark]] = {}
    for index, note in trace.annotated:
        if isinstance(note, Mark) and index < upto:
            issued.setdefault(index, []).append(note)
    count = len(numbers)
    for index, op in enumerate(trace.ops[:upto]):
        if isinstance(op, Create):
            numbers[op.file] = count
            count += 1
        elif isinstance(op, Rename):
            numbers[op.new] = numbers.pop(op.old)
        elif isinstance(op, Unlink):
            del numbers[op.file]
        elif isinstance(op, Write):
            for mark in issued.get(index, ()):
                start = mark.off - op.off
                yield mark, numbers[mark.file], op.data[start : start + mark.length]


#: The presets of a first crash, which suffice for every kind of damage. More presets would add states that
#: make no difference to a second run. This list is fixed, so that a new preset changes no second run.
FIRST_CRASH = (
    "prefix-sector-4096",
    "prefix-sector-512",
    "prefix-byte",
    "epoch-subset-4096",
    "epoch-subset-512",
    "sector-trash-512",
)
#: The name of a file in the format's folder. The file lists the crash states of the core tier's first runs
#: from which second runs start.
FIRST_CRASHES = "first_crashes.jsonl"
#: The number of crash states that are kept of a first run; second runs refer to them by number.
CHOICES = 24


@dataclass(frozen=True, slots=True)
class SecondLife:
    """Represents the workload `first`, a crash that leaves chosen state number `choice`, and a second run.

    `then` is the format's name for the operations of the second run. `first` may itself be a second run.
    """

    first: Workload
    choice: int
    then: str

    @property
    def name(self) -> str:
        """A readable name that is unique among workloads."""
        return f"again/{self.choice}/{self.then}/{self.first.name}"

    @property
    def origin(self) -> Workload:
        """The workload of the very first run."""
        return self.first.origin if isinstance(self.first, SecondLife) else self.first

    @property
    def life(self) -> int:
        """The number of this run: 2, or more if `first` is a second run."""
        return self.first.life + 1 if isinstance(self.first, SecondLife) else 2


class ChosenImages:
    """Represents the chosen crash states of one trace. They are the states that `found` yields, created on
    demand.

    With `fine`, it is known that recovery finds everything required in each of them.
    """

    def __init__(self, name: str, found: Iterator[CrashImage], *, fine: bool) -> None:
        self.fine = fine
        self._name, self._found = name, found
        self._drawn: list[CrashImage] = []

    def image(self, number: int) -> CrashImage:
        """Return state `number`, modulo the number of states.

        Raises ValueError if there are no states.
        """
        self._drawn += islice(self._found, max(0, number + 1 - len(self._drawn)))
        if not self._drawn:
            raise ValueError(f"{self._name}: no crash state to continue from")
        return self._drawn[number % len(self._drawn)]

    @property
    def images(self) -> tuple[CrashImage, ...]:
        """All chosen states."""
        self._drawn += self._found
        return tuple(self._drawn)


def choose(first: Trace, *, gone: bool = False) -> ChosenImages:
    """Return representatives of the states of `first`. No reader runs.

    If the format's list of first crashes contains the trace, its listed states are used. Otherwise states are
    divided into classes by category, torn field and order of persistence. One state of each category is taken
    in turn; within a class, the smallest case id comes first.
    """
    known: dict[bool, ChosenImages] = first.derived.setdefault("chosen", {})
    if gone not in known:
        # Second runs may start from every cut of a write, not only from the checked cuts, so that their
        # starts never change.
        whole = replace(first, unread=frozenset())
        listed = first_crashes(first.format).get(first.name)
        if listed is None:
            known[gone] = ChosenImages(first.name, islice(_choose(whole, gone), CHOICES), fine=False)
        else:
            known[gone] = ChosenImages(first.name, _listed(whole, listed, gone), fine=True)
    return known[gone]


@cache
def first_crashes(format_id: str) -> Mapping[str, tuple[tuple[Any, ...], ...]]:
    """Return the format's list of first crashes. Return an empty list if the format has none.

    It maps the name of a workload to its states, each with preset, crash index, mask in hex, and tear. The
    states were chosen by class from those that strict recovery accepted. The list is fixed, so that a change
    of a reader changes no second run.
    """
    entries = map(json.loads, format_text("journalspec_corpus", format_id, FIRST_CRASHES).splitlines())
    return {entry["first"]: tuple(map(tuple, entry["states"])) for entry in entries}


def _listed(first: Trace, listed: Sequence[tuple[Any, ...]], gone: bool) -> Iterator[CrashImage]:
    """Yield the states that the list names; raises ValueError if the trace lacks one of them."""
    found: list[State] = []
    lacking: list[tuple[Any, ...]] = []
    for place in listed:
        preset, index, mask, tear = place
        left = bytes.fromhex(mask), int(tear)
        named = Descriptor(first.id, preset, int(index), *left, first.background, SEED)
        try:
            found.append(find(first, named))
        except LookupError:
            lacking.append(place)
    for place, state in zip(listed, found, strict=False) if not lacking else ():
        image = crash_image(state, gone=gone)
        if image is None:
            # A state in which a required record is nowhere intact cannot be a start.
            lacking.append(place)
            break
        yield image
    if lacking:
        raise ValueError(f"{first.name}: {FIRST_CRASHES} lists unknown states: {sorted(lacking)[:3]}")


def _choose(first: Trace, gone: bool) -> Iterator[CrashImage]:
    """Yield the states from which a recovery may start, in turn from each category and each of its classes.

    States of a class have the same category, torn field and order of persistence.
    """
    seen: set[bytes] = set()
    classes: dict[tuple[str, str, str], list[tuple[bytes, State]]] = {}
    for states in crash_states(first, tuple(map(get_preset, FIRST_CRASH)), SEED):
        facts = Facts(states)
        for row, case in enumerate(facts.case_ids):
            state = State(facts, row)
            if case not in seen and state.refusal != REQUIRED:
                seen.add(case)
                label = state.category, state.field, PRESETS[state.rank].order
                classes.setdefault(label, []).append((case, state))
    queues: dict[str, list[tuple[int, tuple[str, str, str], State]]] = {}
    for label, found in classes.items():
        smallest = sorted(found, key=itemgetter(0))[:CHOICES]
        queues.setdefault(label[0], []).extend((at, label, state) for at, (_, state) in enumerate(smallest))
    lined = [sorted(queues[name], key=itemgetter(0, 1)) for name in CATEGORIES if name in queues]
    for at in range(max(map(len, lined), default=0)):
        for _, _, state in (queue[at] for queue in lined if at < len(queue)):
            image = crash_image(state, gone=gone)
            if image is not None:
                yield image
