"""Asking about thousands of states: the work in pieces, the pieces over processes, the answers in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby
from typing import Any

from journalspec_conformance.connect import Target
from journalspec_conformance.connection import FormatClaims, Hello
from journalspec_conformance.crashes.asking import TIMEOUT, Asker
from journalspec_conformance.crashes.choose import Choice, Chosen, Selection, choose
from journalspec_conformance.crashes.resume import FoundSoFar
from journalspec_conformance.crashes.shrinking import Smallest, smallest
from journalspec_conformance.crashes.tally import Failing
from journalspec_conformance.crashes.verdicts import Judged, Verdict, verdict_on
from journalspec_conformance.errors import Problem
from journalspec_conformance.running import Workers
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.expected import Expected, expected_at
from journalspec_corpus.crash.ids import case_id, content_id
from journalspec_corpus.crash.states import state_of
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import first_that_covers, judge, limits
from journalspec_corpus.pipeline.run import promised
from journalspec_reference import load

#: States of one class that are handed over at a time.
PIECE = 64
#: Parts of the choice for each process: some take longer than others.
PARTS = 4
#: After so many states of a piece that got no answer, the rest of it is not asked about. The first
#: one is asked about again, from a new process; the others are alike, and every one costs seconds.
HANGS = 3
#: Traces that a worker keeps. States of one class are of as many traces as there are, in no order, and to
#: play a trace again takes longer than to ask about a state of it. A core tier has some thousand.
TRACES = 2048


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that a worker needs to know; it pickles."""

    target: Target
    format: str
    policies: tuple[str, ...]
    timeout: float = TIMEOUT
    #: Hold against an implementation also what the format itself cannot promise.
    no_limits: bool = False


@dataclass(frozen=True, slots=True)
class StateBatch:
    """States of one class, with the place of the first one in the choice."""

    start: int
    states: tuple[Chosen, ...]


def claims_of(hello: Hello, format_id: str) -> FormatClaims:
    """Return what an implementation declares about a format; raises Problem if it does not recover it."""
    declared = hello.formats.get(format_id)
    if declared is None or "recover" not in declared.ops:
        able = [name for name, entry in hello.formats.items() if "recover" in entry.ops]
        raise Problem(
            f"{hello.name} does not recover {format_id}",
            f"It recovers {', '.join(able)}." if able else "It declares no operation `recover`.",
        )
    return declared


def policies_of(declared: FormatClaims, adapter: CrashFormat, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the policies to ask under, in the room's order; raises Problem if there is none."""
    able = [policy for policy in adapter.policies.values() if policy in declared.policies]
    unknown = [policy for policy in wanted if policy not in able]
    if unknown or not able:
        raise Problem(
            f"policy {', '.join(unknown) or 'none'} cannot be judged",
            f"Both sides know {', '.join(able) or 'none'}.",
        )
    return tuple(policy for policy in able if not wanted or policy in wanted)


class JudgingWorkers(Workers["_Worker"]):
    """Processes that choose and judge; with one job, this process."""

    def __init__(self, job: Job, jobs: int) -> None:
        super().__init__(partial(_Worker, job), jobs)

    def choose(self, selection: Selection) -> Choice:
        """Return what `selection` stands for."""
        return choose(selection, self.map, 1 if self._jobs == 1 else self._jobs * PARTS)

    def judge(
        self,
        choice: Choice,
        progress: Callable[[int], None] = lambda done: None,
        found: FoundSoFar | None = None,
    ) -> Generator[Judged, None, None]:
        """Yield one verdict per state and policy, state by state in the order of `choice`.

        States that are not asked about (see HANGS, and :meth:`_Worker.judge`) are left out. `progress` is
        called with the number of states done. What was `found` before is not asked
        again; what is new is added to it. Raises Problem if a worker dies.
        Closing it leaves out the rest.
        """
        known = [
            (piece, found.of(piece.start, piece.states) if found else None)
            for piece in _pieces(choice.states)
        ]
        done, last = 0, time.monotonic()
        with closing(self.each(_Worker.judge, [piece for piece, judged in known if judged is None])) as new:
            for piece, before in known:
                judged = next(new) if before is None else before
                if before is None and found is not None:
                    now = time.monotonic()
                    found.add(piece.start, piece.states, judged, now - last)
                    last = now
                yield from judged
                done += len(piece.states)
                progress(done)

    def smallest(self, failing: Sequence[Failing], budget: int) -> list[Smallest | None]:
        """Return for each kind of failure the smallest one that is found with `budget` questions."""
        # The longest take as long as all others: one at a time is handed out.
        return list(self.each(_Worker.smallest, [(entry, budget) for entry in failing]))


def _pieces(states: Sequence[Chosen]) -> Iterator[StateBatch]:
    for _, group in groupby(enumerate(states), lambda entry: entry[1].kind):
        members = list(group)
        for at in range(0, len(members), PIECE):
            part = members[at : at + PIECE]
            yield StateBatch(part[0][0], tuple(state for _, state in part))


@lru_cache(maxsize=TRACES)
def _trace(format_id: str, workload: Any) -> Trace:
    return crash_format(format_id).build(workload)


class _Worker:
    """One implementation and everything to judge it by."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._room = crash_format(job.format)
        self._limits = limits(job.format)
        self._specified = load(job.format)
        #: The state that was made last: it is asked about under each policy.
        self._made: tuple[Chosen, tuple[Trace, Expected, dict[str, bytes]]] | None = None
        self._asker = Asker(job.target, job.format, self._room.answer, job.timeout)
        self._salvaging = {
            policy: reader in self._room.salvaging for reader, policy in self._room.policies.items()
        }

    def judge(self, piece: StateBatch) -> list[Judged]:
        """Return the verdicts on the states of `piece`, policy by policy until it works without an end."""
        out: list[Judged] = []
        hangs = dict.fromkeys(self._job.policies, 0)
        for number, chosen in enumerate(piece.states):
            endless = False
            for policy in self._job.policies:
                # What loops reads the files, and every policy does: the next one would cost a process more.
                if endless or hangs[policy] >= HANGS:
                    continue
                verdict = self._verdict(chosen, policy, twice=not hangs[policy])
                hangs[policy] += verdict.name in ("hang", "crash")
                endless |= verdict.endless
                limit = self._limit(chosen, policy, verdict)
                out.append(Judged(piece.start + number, policy, verdict, limit))
        return out

    def _limit(self, chosen: Chosen, policy: str, verdict: Verdict) -> str:
        """Return the id of the limit of the format that makes this failure, "" if none does.

        A limit covers kinds of states; which of them it is that cannot be told apart, only
        reading them as the specification says shows. Who fails otherwise there fails himself.
        """
        if self._job.no_limits or not verdict.failed:
            return ""
        kind = chosen.kind
        values = (kind.writer, policy, kind.stratum, verdict.name, kind.category, chosen.descriptor.preset)
        limit = first_that_covers(self._limits, *values)
        return limit.id if limit is not None and self._as_specified(chosen, policy) == verdict.name else ""

    def _as_specified(self, chosen: Chosen, policy: str) -> str:
        """Return the verdict on what the specification makes of a state."""
        trace, expected, files = self._put(chosen)
        seen = self._specified.recover(files, edition=trace.edition, policy=policy)
        answer = replace(self._room.answer(seen), unlisted=self._asker.unlisted)
        return judge(answer, expected, chosen.refusal, holes_allowed=self._salvaging[policy])

    def _put(self, chosen: Chosen) -> tuple[Trace, Expected, dict[str, bytes]]:
        """Return the trace of a state, what it owes, and its files; that it is the one chosen is checked."""
        if self._made is not None and self._made[0] is chosen:
            return self._made[1]
        trace = _trace(self._job.format, chosen.workload)
        expected = expected_at(trace, chosen.descriptor.crash_index, chosen.torn, chosen.kind.stratum)
        files = dict(state_of(trace, chosen.descriptor))
        if case_id(content_id(files), promised(trace, expected)) != chosen.case_id:
            raise AssertionError(f"{chosen.descriptor} does not give the state that it was chosen as")
        self._made = chosen, (trace, expected, files)
        return self._made[1]

    def _verdict(self, chosen: Chosen, policy: str, *, twice: bool) -> Verdict:
        _, expected, files = self._put(chosen)
        reply = self._asker.ask(files, chosen.edition, policy, twice=twice)
        return verdict_on(reply, expected, chosen.refusal, holes_allowed=self._salvaging[policy])

    def smallest(self, wanted: tuple[Failing, int]) -> Smallest | None:
        """Return the smallest failure of a kind that is found with so many questions."""
        failing, budget = wanted
        return smallest(self._job.format, failing, self._asker, budget)

    def close(self) -> None:
        """Let go of the implementation."""
        self._asker.close()
