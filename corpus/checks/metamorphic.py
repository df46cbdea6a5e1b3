"""Checks that need no expected values: what one state says about another, or about itself.

I6 (recovering twice is recovering once), I10 (the same bytes, the same answer), I11
(more of the writes never means fewer of the records) and I12 (a refusal changes
nothing). Each is a function that yields violations. Where a format itself breaks one,
its adapter says so in `second.excuses`, with a reason.

::

    python corpus/checks/metamorphic.py --format F --scope core --every 5

prints one line per invariant, and every violation that no excuse of the format
covers. Exits with 1 if there is one or, in a whole scope, if an excuse covers nothing.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.adapter import CrashFormat, Read, crash_format
from journalspec_corpus.crash.blocks import Codes, States
from journalspec_corpus.crash.expected import REFUSALS, expected_at
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.crash.reading import answers
from journalspec_corpus.crash.second_crash import (
    CrashImage,
    Excuse,
    SecondLife,
    SecondLives,
    crash_image,
    descriptor_of,
    second_trace,
)
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import Mark, Trace
from journalspec_corpus.crash.verdict import VERDICTS, Answer, judge
from journalspec_reference import load
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


def covers(excuse: Excuse, found: Violation, trace: Trace) -> bool:
    """Tell whether `found`, seen on `trace`, is what `excuse` is about."""
    return (
        (excuse.invariant, excuse.kind) == (found.invariant, found.kind)
        and (excuse.readers is None or found.reader in excuse.readers)
        and (excuse.writers is None or trace.tags.get("order", "") in excuse.writers)
        and (excuse.lost is None or all(record.startswith(excuse.lost) for record in found.lost))
    )


@dataclass(frozen=True)
class Subject:
    """The states of one crash point, and everything that the checks of them need."""

    adapter: CrashFormat
    resume: SecondLives
    work: Any
    states: States

    @property
    def trace(self) -> Trace:
        """The trace that the states are of."""
        return self.states.point.trace

    def files(self, row: int) -> dict[str, bytes]:
        """Return the files of one state."""
        return self.states.point.materialise(self.states.codes[row])

    def violation(self, invariant: str, kind: str, row: int, text: str, reader: str = "") -> Violation:
        """Return a violation seen in one state."""
        return Violation(invariant, kind, self.work.name, descriptor_of(self.states, row), text, reader)

    def image(self, row: int) -> CrashImage | None:
        """Return what the state holds, None if something owed is gone from it already."""
        return crash_image(self.states, row, gone=self.resume.released_is_gone)

    @property
    def lives(self) -> tuple[Any, int]:
        """The workload that the first life was, and the number of the next life."""
        if isinstance(self.work, SecondLife):
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
        image = subject.image(row)
        before = reader(subject.files(row), subject.trace.edition)
        if image is None or before.refused is not None:
            continue
        opened = subject.resume.live(origin, life, image, "open")
        trace = second_trace("opening", image, opened, SecondLife(subject.work, row, "open"))
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
    return last.point.materialise(last.codes[-1])


def _crashes_inside(
    subject: Subject, row: int, trace: Trace, before: Answer, name: str
) -> Iterator[Violation]:
    number = subject.adapter.readers.index(name)
    salvaging = name in subject.adapter.salvaging
    first = expected_at(subject.trace, subject.states.point.crash_index, subject.states.torn)
    if VERDICTS[judge(before, first, "allowed", holes_allowed=salvaging)]:
        return  # What was wrong before recovery is not its doing.
    for states in crash_states(trace, tuple(map(get_preset, INSIDE)), 0):
        expected = expected_at(trace, states.point.crash_index, states.torn)
        found, which = answers(states.point, states.codes, subject.adapter.read)
        refusals = Facts(states).refusals
        for at, given in enumerate(found):
            for refusal in np.unique(refusals[which == at]).tolist():
                verdict = judge(given[number], expected, REFUSALS[refusal], holes_allowed=salvaging)
                if VERDICTS[verdict]:
                    inside = int(np.flatnonzero((which == at) & (refusals == refusal))[0])
                    text = f"{verdict} after a crash inside opening"
                    seen = subject.violation("I6", "crash-inside", row, text, name)
                    yield replace(seen, other=descriptor_of(states, inside))


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
        image = subject.image(row)
        if image is None:
            image = _bare(subject, row)
        run = subject.resume.begin(origin, life, image)
        try:
            run.open()
        except WriterRefused:
            if run.storage.ops:
                yield subject.violation("I12", "refusal-writes", row, f"wrote {run.storage.ops[0]}")
        else:
            yield subject.violation(
                "I12", "opened", row, f"the writer opens what recovery refuses: {refused}"
            )


def _bare(subject: Subject, row: int) -> CrashImage:
    """Return a state with nothing said of its records."""
    state = descriptor_of(subject.states, row)
    return CrashImage(subject.trace, state, subject.files(row), (), (), (), (), "", "")


def deterministic(subject: Subject, rows: Iterable[int], reader: Reader, name: str) -> Iterator[Violation]:
    """I10: neither the order nor the times of files matter, nor what else lies in the directory."""
    for row in rows:
        files = subject.files(row)
        first = reader(files, subject.trace.edition)
        turned = dict(reversed(list(files.items())))
        if reader(turned, subject.trace.edition) != first:
            yield subject.violation("I10", "listing", row, "the order of listing changes the answer", name)
        beside = dict.fromkeys(subject.resume.beside, b"no journal") | files
        if reader(beside, subject.trace.edition) != first:
            yield subject.violation("I10", "beside", row, "another file changes the answer", name)
        image = subject.image(row)
        if image is not None and _opened(subject, image, None) != _opened(subject, image, turned):
            yield subject.violation("I10", "opening", row, "opening does something else in a directory", name)


def _opened(subject: Subject, image: CrashImage, listed: Mapping[str, bytes] | None) -> Any:
    """Return what opening does: in memory or, with `listed`, in a directory filled in that order."""
    origin, life = subject.lives
    run = subject.resume.begin(origin, life, image)
    with TemporaryDirectory() as place:
        if listed is None:
            run.storage.inner = MemoryStorage(dict(image.files))
        else:
            run.storage.inner = DirectoryStorage(Path(place))
            _fill(Path(place), dict.fromkeys(subject.resume.beside, b"no journal") | dict(listed))
        try:
            run.open()
        except WriterRefused as refused:
            return refused.code
    return run.storage.ops


def _fill(place: Path, files: Mapping[str, bytes]) -> None:
    for number, (name, data) in enumerate(files.items(), start=1):
        (place / name).write_bytes(data)
        os.utime(place / name, (number * _LONG_AGO, number * _LONG_AGO))


def monotone(subject: Subject, read: Read) -> Iterator[Violation]:
    """I11: with one more of the writes in flight on disk, no record is gone that was in effect.

    For each policy, every pair of states of the crash point that differ in one block, by one
    version. Where a crash point is enumerated whole this says it for all pairs. What nobody
    wrote, or an earlier life did, may vanish.
    """
    states = subject.states
    lower, upper = neighbours(states.codes)
    if not len(lower):
        return
    found, which = answers(states.point, states.codes, read)
    expected = expected_at(subject.trace, states.point.crash_index)
    counted = expected.may_keep - expected.must_drop - subject.trace.released(states.point.crash_index)
    for name in subject.adapter.policies:
        given = [every[subject.adapter.readers.index(name)] for every in found]
        effects = [{expected.record_of.get(key, "") for key in answer.keys} & counted for answer in given]
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
                other = descriptor_of(states, int(upper[at]))
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


INVARIANTS = ("I6", "I10", "I11", "I12")
#: Of these presets' states every STRIDE-th is opened, read twice, turned around.
LOOKED_AT = ("prefix-byte", "epoch-subset-512", "sector-trash-512")
STRIDE = 61
#: Whole writes, there or not: what monotonicity speaks of.
WHOLE = ("epoch-subset-4096", "epoch-subset-512")
SEED = 1
#: How many violations of a kind are printed.
_SHOWN = 3


@dataclass
class Report:
    """What was looked at and found. `excused` counts by reason; `used` are the excuses that covered it."""

    states: int = 0
    pairs: int = 0
    found: list[Violation] = field(default_factory=list)
    excused: Counter[tuple[str, str]] = field(default_factory=Counter)
    used: set[Excuse] = field(default_factory=set)

    def take(self, violations: Iterator[Violation], subject: Subject) -> None:
        """Sort `violations` into what the format excuses and what nothing does."""
        for violation in violations:
            for excuse in subject.resume.excuses:
                if covers(excuse, violation, subject.trace):
                    self.excused[excuse.invariant, excuse.reason] += violation.count
                    self.used.add(excuse)
                    break
            else:
                self.found.append(violation)


def reference_reader(adapter: CrashFormat, name: str) -> Reader:
    """Return reader `name` of `adapter` as the reference does it on whole files."""
    reference = load(adapter.format)
    return lambda files, edition: adapter.answer(
        reference.recover(files, edition=edition, policy=adapter.policies[name])
    )


def relate(
    adapter: CrashFormat, resume: Any, works: Sequence[Any], report: Report, *, opening: bool = True
) -> None:
    """Check every invariant on the states of `works`; without `opening`, leave out what opens journals."""
    name = adapter.readers[0]
    reader = reference_reader(adapter, name)
    for work in works:
        trace = adapter.build(work)
        at = 0
        for states in crash_states(trace, tuple(map(get_preset, LOOKED_AT)), SEED):
            subject = Subject(adapter, resume, work, states)
            rows = range(-at % STRIDE, len(states), STRIDE)
            at += len(states)
            report.states += len(rows)
            report.take(pure(subject, rows, reader, name), subject)
            if opening:
                report.take(reopened(subject, rows, reader, name), subject)
                report.take(untouched(subject, rows, reader), subject)
                report.take(deterministic(subject, rows, reader, name), subject)
        for states in crash_states(trace, tuple(map(get_preset, WHOLE)), SEED):
            subject = Subject(adapter, resume, work, states)
            report.pairs += len(states)
            report.take(monotone(subject, adapter.read), subject)


def chosen(adapter: CrashFormat, scope: str, every: int) -> list[Any]:
    """Return each `every`-th workload of a scope."""
    return list(adapter.workloads(scope))[::every]


def fingerprint(adapter: CrashFormat, works: Sequence[Any]) -> str:
    """Return a digest of traces and of the reference's answers: if processes differ, I10 is broken."""
    digest = hashlib.sha256()
    reader = reference_reader(adapter, adapter.readers[0])
    for work in works:
        trace = adapter.build(work)
        digest.update(trace.id.encode())
        for states in crash_states(trace, (get_preset(LOOKED_AT[0]),), SEED):
            for codes in states.codes[:: 10 * STRIDE]:
                digest.update(repr(reader(states.point.materialise(codes), trace.edition)).encode())
    return digest.hexdigest()


def elsewhere(format_id: str, scope: str, every: int, hash_seed: str) -> str:
    """Return the fingerprint as a new process with another seed of hashes has it."""
    command = [sys.executable, __file__, "--fingerprint"]
    command += ["--format", format_id, "--scope", scope, "--every", str(every)]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Check I6, I10, I11 and I12 on crash states.")
    parser.add_argument("--format", required=True)
    parser.add_argument("--scope", default="core")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--fingerprint", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    adapter = crash_format(options.format)
    resume = adapter.second
    if resume is None:
        parser.error(f"{options.format} has no second lives")
    if resume is None:
        print(f"{options.format} has no second lives", file=sys.stderr)
        return 2
    works = chosen(adapter, options.scope, options.every)
    if options.fingerprint:
        print(fingerprint(adapter, works))
        return 0
    report = Report()
    relate(adapter, resume, works, report)
    here = fingerprint(adapter, works[::10])
    same = {elsewhere(options.format, options.scope, 10 * options.every, seed) for seed in ("1", "2")} == {
        here
    }
    return _print(report, resume.excuses if options.every == 1 else (), same, len(works))


def _print(report: Report, excuses: Sequence[Excuse], same: bool, works: int) -> int:
    print(
        f"{works} workloads, {report.states} states looked at, {report.pairs} states compared with neighbours"
    )
    for invariant in INVARIANTS:
        found = [violation for violation in report.found if violation.invariant == invariant]
        excused = sum(count for (of, _), count in report.excused.items() if of == invariant)
        print(f"{invariant}: {sum(seen.count for seen in found)} violations, {excused} excused")
        kinds: Counter[str] = Counter()
        for seen in found:
            kinds[seen.kind] += 1
            if kinds[seen.kind] <= _SHOWN:
                print(f"  {seen.kind} {seen.reader}: {seen.text}\n    {seen.workload}")
                print(f"    {seen.state}\n    {seen.other}")
    for (invariant, reason), count in sorted(report.excused.items()):
        print(f"  excused {invariant} ({count}): {reason}")
    unused = [excuse for excuse in excuses if excuse not in report.used]
    for excuse in unused:
        print(f"  covers nothing: {excuse.invariant} {excuse.kind}: {excuse.reason}")
    if not same:
        print("I10: another process gives other traces or answers")
    return 0 if same and not report.found and not unused else 1


if __name__ == "__main__":
    sys.exit(main())
