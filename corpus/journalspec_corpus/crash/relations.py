"""Checks that need no expected values: what one state says about another, or about itself.

I6 (recovering twice is recovering once), I10 (the same bytes, the same answer), I11
(more of the writes never means fewer of the records) and I12 (a refusal changes
nothing). Each is a function that yields violations; the command runs them over a
scope (:mod:`.metamorphic`). Where a format itself breaks one, its ``resume`` module
says so in `EXCUSES`, with a reason.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.again import Again, Life, second_trace
from journalspec_corpus.crash.again_remains import Remains, describe, leave
from journalspec_corpus.crash.cells import Codes
from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.judge import VERDICTS, Answer, judge
from journalspec_corpus.crash.model import get_preset
from journalspec_corpus.crash.oracle import REFUSALS, Facts, owed
from journalspec_corpus.crash.room import CrashRoom
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Mark, RecordingStorage, Trace
from journalspec_corpus.crash.view import View, answers
from journalspec_reference.api import WriterRefused
from journalspec_reference.storage import DirectoryStorage, MemoryStorage

#: A reader of whole files: (files, edition) -> answer.
Reader = Callable[[Mapping[str, bytes], str], Answer]
#: What a crash inside opening may lose or tear.
INSIDE = ("prefix-byte", "epoch-subset-512")
#: Any time but now, in seconds.
_LONG_AGO = 86_400


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken relation: in which state, seen by whom, and what was seen.

    `other` is the second state, where two are compared. `kind` tells apart what an
    excuse may name. `count` is how many pairs of states showed the same.
    """

    invariant: str
    kind: str
    workload: str
    state: Descriptor
    text: str
    reader: str = ""
    other: Descriptor | None = None
    count: int = 1
    #: What was in effect and is no more (I11).
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Excuse:
    """What a format itself does not keep: a member that is None goes for all.

    `lost` are beginnings of record ids: it covers a loss of no others.
    """

    invariant: str
    kind: str
    reason: str
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
    lost: tuple[str, ...] | None = None

    def covers(self, found: Violation, trace: Trace) -> bool:
        """Tell whether `found`, seen on `trace`, is what this is about."""
        return (
            (self.invariant, self.kind) == (found.invariant, found.kind)
            and (self.readers is None or found.reader in self.readers)
            and (self.writers is None or trace.tags.get("order", "") in self.writers)
            and (self.lost is None or all(record.startswith(self.lost) for record in found.lost))
        )


class Opening(Protocol):
    """A writer's run on what a crash left, not opened yet."""

    storage: RecordingStorage

    def open(self) -> None:
        """Open the journal; raises WriterRefused."""


class Resume(Protocol):
    """What these checks need of a format's ``resume`` module.

    `BESIDE` are names of files that may lie beside a journal and mean nothing.
    """

    RELEASED_IS_GONE: bool
    EXCUSES: tuple[Excuse, ...]
    BESIDE: tuple[str, ...]

    def begin(self, origin: Any, life: int, remains: Remains) -> Opening:
        """Return a run on `remains`, not opened yet."""

    def live(self, origin: Any, life: int, remains: Remains, then: str) -> Life:
        """Open `remains` and do what `then` says; "open" is nothing more."""


@dataclass(frozen=True)
class Subject:
    """The states of one group, and everything that the checks of them need."""

    room: CrashRoom
    resume: Resume
    work: Any
    states: States

    @property
    def trace(self) -> Trace:
        """The trace that the states are of."""
        return self.states.group.trace

    def files(self, row: int) -> dict[str, bytes]:
        """Return the files of one state."""
        return self.states.group.materialise(self.states.codes[row])

    def violation(self, invariant: str, kind: str, row: int, text: str, reader: str = "") -> Violation:
        """Return a violation seen in one state."""
        return Violation(invariant, kind, self.work.name, describe(self.states, row), text, reader)

    def remains(self, row: int) -> Remains | None:
        """Return what the state holds, None if something owed is gone from it already."""
        return leave(self.states, row, gone=self.resume.RELEASED_IS_GONE)

    @property
    def lives(self) -> tuple[Any, int]:
        """The workload that the first life was, and the number of the next life."""
        if isinstance(self.work, Again):
            return self.work.origin, self.work.life + 1
        return self.work, 2


def pure(subject: Subject, rows: Iterable[int], reader: Reader, name: str) -> Iterator[Violation]:
    """I6, I12: reading changes no file, and reading again says the same."""
    for row in rows:
        files = subject.files(row)
        given = copy.copy(files)
        first = reader(given, subject.trace.edition)
        if given != files:
            kind = "refusal-writes" if first.refused is not None else "reading-writes"
            invariant = "I12" if first.refused is not None else "I6"
            yield subject.violation(invariant, kind, row, "reading changed the files", name)
        elif reader(given, subject.trace.edition) != first:
            yield subject.violation("I10", "repeated", row, "the same files gave another answer", name)


def reopened(subject: Subject, rows: Iterable[int], reader: Reader, name: str) -> Iterator[Violation]:
    """I6: after opening, and after a crash at any point of it, recovery gives what it gave before."""
    origin, life = subject.lives
    for row in rows:
        remains = subject.remains(row)
        before = reader(subject.files(row), subject.trace.edition)
        if remains is None or before.refused is not None:
            continue
        opened = subject.resume.live(origin, life, remains, "open")
        trace = second_trace("opening", remains, opened, Again(subject.work, row, "open"))
        after = reader(_after(trace), trace.edition)
        own = {op.key for op in trace.ops if isinstance(op, Mark)}
        gone, new = set(before.keys) - set(after.keys), set(after.keys) - set(before.keys) - own
        if after.refused is not None:
            yield subject.violation("I6", "refused-after", row, f"{after.refused} after opening", name)
        elif gone or new:
            text = f"opening took away {sorted(gone)} and brought {sorted(new)}"
            yield subject.violation("I6", "changed", row, text, name)
        yield from _crashes_inside(subject, row, trace, before, name)


def _after(trace: Trace) -> dict[str, bytes]:
    """Return the files when all of `trace` has been done."""
    last = list(crash_states(trace, (get_preset("prefix-sector-4096"),), 0))[-1]
    return last.group.materialise(last.codes[-1])


def _crashes_inside(
    subject: Subject, row: int, trace: Trace, before: Answer, name: str
) -> Iterator[Violation]:
    number = subject.room.readers.index(name)
    salvaging = name in subject.room.salvaging
    first = owed(subject.trace, subject.states.group.crash_index, subject.states.torn)
    if VERDICTS[judge(before, first, "allowed", holes_allowed=salvaging)]:
        return  # What was wrong before recovery is not its doing.
    for states in crash_states(trace, tuple(map(get_preset, INSIDE)), 0):
        debt = owed(trace, states.group.crash_index, states.torn)
        found, which = answers(states.group, states.codes, subject.room.read)
        refusals = Facts(states).refusals
        for at, given in enumerate(found):
            for refusal in np.unique(refusals[which == at]).tolist():
                verdict = judge(given[number], debt, REFUSALS[refusal], holes_allowed=salvaging)
                if VERDICTS[verdict]:
                    inside = int(np.flatnonzero((which == at) & (refusals == refusal))[0])
                    text = f"{verdict} after a crash inside opening"
                    seen = subject.violation("I6", "crash-inside", row, text, name)
                    yield replace(seen, other=describe(states, inside))


def untouched(subject: Subject, rows: Iterable[int], reader: Reader) -> Iterator[Violation]:
    """I12: opening what strict recovery refuses is refused too, and then nothing has been written.

    A directory without any file is no journal yet: opening creates one.
    """
    origin, life = subject.lives
    for row in rows:
        files = subject.files(row)
        refused = reader(files, subject.trace.edition).refused
        if refused is None or not files:
            continue
        remains = subject.remains(row)
        if remains is None:
            remains = _bare(subject, row)
        run = subject.resume.begin(origin, life, remains)
        try:
            run.open()
        except WriterRefused:
            if run.storage.ops:
                yield subject.violation("I12", "refusal-writes", row, f"wrote {run.storage.ops[0]}")
        else:
            yield subject.violation(
                "I12", "opened", row, f"the writer opens what recovery refuses: {refused}"
            )


def _bare(subject: Subject, row: int) -> Remains:
    """Return a state with nothing said of its records."""
    state = describe(subject.states, row)
    return Remains(subject.trace, state, subject.files(row), (), (), (), (), "", "")


def deterministic(subject: Subject, rows: Iterable[int], reader: Reader, name: str) -> Iterator[Violation]:
    """I10: neither the order nor the times of files matter, nor what else lies in the directory."""
    for row in rows:
        files = subject.files(row)
        first = reader(files, subject.trace.edition)
        turned = dict(reversed(list(files.items())))
        if reader(turned, subject.trace.edition) != first:
            yield subject.violation("I10", "listing", row, "the order of listing changes the answer", name)
        beside = dict.fromkeys(subject.resume.BESIDE, b"no journal") | files
        if reader(beside, subject.trace.edition) != first:
            yield subject.violation("I10", "beside", row, "another file changes the answer", name)
        remains = subject.remains(row)
        if remains is not None and _opened(subject, remains, None) != _opened(subject, remains, turned):
            yield subject.violation("I10", "opening", row, "opening does something else in a directory", name)


def _opened(subject: Subject, remains: Remains, listed: Mapping[str, bytes] | None) -> Any:
    """Return what opening does: in memory or, with `listed`, in a directory filled in that order."""
    origin, life = subject.lives
    run = subject.resume.begin(origin, life, remains)
    with TemporaryDirectory() as place:
        if listed is None:
            run.storage.inner = MemoryStorage(dict(remains.files))
        else:
            run.storage.inner = DirectoryStorage(Path(place))
            _fill(Path(place), dict.fromkeys(subject.resume.BESIDE, b"no journal") | dict(listed))
        try:
            run.open()
        except WriterRefused as refused:
            return refused.code
    return run.storage.ops


def _fill(place: Path, files: Mapping[str, bytes]) -> None:
    for number, (name, data) in enumerate(files.items(), start=1):
        (place / name).write_bytes(data)
        os.utime(place / name, (number * _LONG_AGO, number * _LONG_AGO))


def monotone(subject: Subject, read: Callable[[View], tuple[Answer, ...]]) -> Iterator[Violation]:
    """I11: with one more of the writes in flight on disk, no record is gone that was in effect.

    For each policy, every pair of states of the group that differ in one cell, by one
    version. Where a group is enumerated whole this says it for all pairs. What nobody
    wrote, or an earlier life did, may vanish.
    """
    states = subject.states
    lower, upper = neighbours(states.codes)
    if not len(lower):
        return
    found, which = answers(states.group, states.codes, read)
    debt = owed(subject.trace, states.group.crash_index)
    counted = debt.may_keep - debt.must_drop - subject.trace.released(states.group.crash_index)
    for name in subject.room.policies:
        given = [every[subject.room.readers.index(name)] for every in found]
        effects = [{debt.record_of.get(key, "") for key in answer.keys} & counted for answer in given]
        pairs, first, counts = np.unique(
            np.stack([which[lower], which[upper]], axis=1), axis=0, return_index=True, return_counts=True
        )
        for (low, high), at, count in zip(pairs.tolist(), first.tolist(), counts.tolist(), strict=True):
            if given[low].refused is not None:
                continue
            refused = given[high].refused is not None
            gone = effects[low] - effects[high]
            if refused or gone:
                text = f"refused: {given[high].refused}" if refused else f"lost {sorted(gone)}"
                seen = subject.violation("I11", "refused" if refused else "fewer", int(lower[at]), text, name)
                other = describe(states, int(upper[at]))
                yield replace(seen, other=other, count=count, lost=() if refused else tuple(sorted(gone)))


def neighbours(codes: Codes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the pairs of rows that differ in one column, by one: numbers of the lower and the upper."""
    count, width = codes.shape
    none = np.zeros(0, np.int64)
    if count < 2 or not width:
        return none, none
    # One number per row; that two rows share one would be found below, where they are compared.
    weights = np.arange(1, width + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
    weights *= weights
    numbers = (codes.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    order = np.argsort(numbers, kind="stable")
    lowers, uppers = [], []
    for column in range(width):
        above = np.flatnonzero(codes[:, column] > 0)
        sought = numbers[above] - weights[column]
        at = np.minimum(np.searchsorted(numbers, sought, sorter=order), count - 1)
        below = order[at]
        expected = codes[above].copy()
        expected[:, column] -= 1
        same = (codes[below] == expected).all(axis=1)
        lowers.append(below[same])
        uppers.append(above[same])
    return np.concatenate(lowers), np.concatenate(uppers)
