"""The metamorphic checks over a scope: which states they look at, what is excused, and the command.

::

    python -m journalspec_corpus.crash.metamorphic --format F --scope core --every 5

prints one line per invariant, and every violation that no excuse of the format
covers. Exits with 1 if there is one or, in a whole scope, if an excuse covers nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from journalspec_corpus.crash.enumerate import crash_states
from journalspec_corpus.crash.model import get_preset
from journalspec_corpus.crash.relations import (
    Excuse,
    Reader,
    Subject,
    Violation,
    deterministic,
    monotone,
    pure,
    reopened,
    untouched,
)
from journalspec_corpus.crash.room import CrashRoom, crash_room, resume_of
from journalspec_reference import load

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
            for excuse in subject.resume.EXCUSES:
                if excuse.covers(violation, subject.trace):
                    self.excused[excuse.invariant, excuse.reason] += violation.count
                    self.used.add(excuse)
                    break
            else:
                self.found.append(violation)


def reference_reader(room: CrashRoom, name: str) -> Reader:
    """Return reader `name` of `room` as the reference does it on whole files."""
    reference = load(room.format)
    return lambda files, edition: room.answer(
        reference.recover(files, edition=edition, policy=room.policies[name])
    )


def relate(
    room: CrashRoom, resume: Any, works: Sequence[Any], report: Report, *, opening: bool = True
) -> None:
    """Check every invariant on the states of `works`; without `opening`, leave out what opens journals."""
    name = room.readers[0]
    reader = reference_reader(room, name)
    for work in works:
        trace = room.build(work)
        at = 0
        for states in crash_states(trace, tuple(map(get_preset, LOOKED_AT)), SEED):
            subject = Subject(room, resume, work, states)
            rows = range(-at % STRIDE, len(states), STRIDE)
            at += len(states)
            report.states += len(rows)
            report.take(pure(subject, rows, reader, name), subject)
            if opening:
                report.take(reopened(subject, rows, reader, name), subject)
                report.take(untouched(subject, rows, reader), subject)
                report.take(deterministic(subject, rows, reader, name), subject)
        for states in crash_states(trace, tuple(map(get_preset, WHOLE)), SEED):
            subject = Subject(room, resume, work, states)
            report.pairs += len(states)
            report.take(monotone(subject, room.read), subject)


def chosen(room: CrashRoom, scope: str, every: int) -> list[Any]:
    """Return each `every`-th workload of a scope."""
    return list(room.workloads(scope))[::every]


def fingerprint(room: CrashRoom, works: Sequence[Any]) -> str:
    """Return a digest of traces and of the reference's answers: if processes differ, I10 is broken."""
    digest = hashlib.sha256()
    reader = reference_reader(room, room.readers[0])
    for work in works:
        trace = room.build(work)
        digest.update(trace.id.encode())
        for states in crash_states(trace, (get_preset(LOOKED_AT[0]),), SEED):
            for codes in states.codes[:: 10 * STRIDE]:
                digest.update(repr(reader(states.group.materialise(codes), trace.edition)).encode())
    return digest.hexdigest()


def elsewhere(format_id: str, scope: str, every: int, hash_seed: str) -> str:
    """Return the fingerprint as a new process with another seed of hashes has it."""
    command = [sys.executable, "-m", "journalspec_corpus.crash.metamorphic", "--fingerprint"]
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
    room, resume = crash_room(options.format), resume_of(options.format)
    if resume is None:
        print(f"{options.format} has no second lives: its room has no module resume", file=sys.stderr)
        return 2
    works = chosen(room, options.scope, options.every)
    if options.fingerprint:
        print(fingerprint(room, works))
        return 0
    report = Report()
    relate(room, resume, works, report)
    here = fingerprint(room, works[::10])
    same = {elsewhere(options.format, options.scope, 10 * options.every, seed) for seed in ("1", "2")} == {
        here
    }
    return _print(report, resume.EXCUSES if options.every == 1 else (), same, len(works))


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
