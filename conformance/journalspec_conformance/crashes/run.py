"""Asking about thousands of states: the work in pieces, the pieces over processes, the answers in order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple

from journalspec_conformance.connect import Target
from journalspec_conformance.connection import FormatClaims, Hello
from journalspec_conformance.crashes.asking import TIMEOUT, Asker, ImplementationReader
from journalspec_conformance.crashes.choose import Choice, Chosen, Selection, choose
from journalspec_conformance.crashes.tally import Failing
from journalspec_conformance.crashes.verdicts import Judged, Kind, verdict_on
from journalspec_conformance.errors import Problem
from journalspec_conformance.running import Workers
from journalspec_corpus.case import Case
from journalspec_corpus.crash.disk import case_id, content_id
from journalspec_corpus.crash.explain import as_case
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.oracle import Expected, expected_at
from journalspec_corpus.crash.reduce import NotFailing, reduce_state
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.states import as_write, state_of
from journalspec_corpus.crash.trace import Trace, get_preset, promise
from journalspec_corpus.crash.verdict import VERDICTS, Answer, Limit, first_that_covers, judge, limits
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


#: The place of the first of these states in the choice, and states of one class.
Piece = tuple[int, tuple[Chosen, ...]]


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
    able = [policy for policy in adapter.readers if policy in declared.policies]
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
    ) -> Generator[Judged, None, None]:
        """Yield one verdict per state and policy, state by state in the order of `choice`.

        States that are not asked about (see HANGS, and :meth:`_Worker.judge`) are left out. `progress` is
        called with the number of states done. Raises Problem if a worker dies.
        Closing it leaves out the rest.
        """
        pieces = list(_pieces(choice.states))
        done = 0
        with closing(self.each(_Worker.judge, pieces)) as found:
            for (_, states), judged in zip(pieces, found, strict=True):
                yield from judged
                done += len(states)
                progress(done)

    def smallest(self, failing: Sequence[Failing], budget: int) -> list[Smallest]:
        """Return for each kind of failure the smallest one that is found with `budget` questions."""
        # The longest take as long as all others: one at a time is handed out.
        wanted = [(entry.kind, entry.first.chosen, budget) for entry in failing]
        return [small for small in self.each(_Worker.smallest, wanted) if small is not None]


def _pieces(states: Sequence[Chosen]) -> Iterator[Piece]:
    for _, group in groupby(enumerate(states), lambda entry: entry[1].kind):
        members = list(group)
        for at in range(0, len(members), PIECE):
            part = members[at : at + PIECE]
            yield part[0][0], tuple(state for _, state in part)


@lru_cache(maxsize=TRACES)
def _trace(format_id: str, workload: Any) -> Trace:
    return crash_format(format_id).build(workload)


class _Worker:
    """One implementation and everything to judge it by."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._room = crash_format(job.format)
        self._limits = () if job.no_limits else limits(job.format)
        self._specified = load(job.format)
        self._asker = Asker(job.target, job.format, self._room.answer, job.timeout)
        self._salvaging = {policy: self._room.salvages(policy) for policy in job.policies}

    def judge(self, piece: Piece) -> list[Judged]:
        """Return the verdicts on the states of `piece`, policy by policy until it works without an end."""
        out: list[Judged] = []
        hangs = dict.fromkeys(self._job.policies, 0)
        for number, chosen in enumerate(piece[1], piece[0]):
            edition, expected, files = self._made(chosen)
            for policy in self._job.policies:
                if hangs[policy] >= HANGS:
                    continue
                reply = self._asker.ask(files, chosen.edition, policy, twice=not hangs[policy])
                holes = self._salvaging[policy]
                verdict = verdict_on(reply, expected, chosen.refusal, holes_allowed=holes)
                limit = ""
                if verdict.failed and (covering := self._covering(chosen, policy, verdict.name)):
                    # A limit covers kinds of states. Which of them it is that cannot be told apart, only
                    # reading them as the specification says shows: who fails otherwise there fails himself.
                    seen = self._specified.recover(files, edition=edition, policy=policy)
                    answer = replace(self._room.answer(seen), unlisted=self._asker.unlisted)
                    if judge(answer, expected, chosen.refusal, holes_allowed=holes) == verdict.name:
                        limit = covering.id
                out.append(Judged(number, policy, verdict, limit))
                hangs[policy] += verdict.name in ("hang", "crash")
                if verdict.endless:
                    # What loops reads the files, as every policy does: the next one would cost a process.
                    break
        return out

    def _covering(self, chosen: Chosen, policy: str, verdict: str) -> Limit | None:
        """Return the limit of the format that may make this failure, if one does."""
        kind, preset = chosen.kind, chosen.descriptor.preset
        values = (kind.writer, policy, kind.stratum, verdict, kind.category, preset)
        return first_that_covers(self._limits, *values)

    def _made(self, chosen: Chosen) -> tuple[str, Expected, dict[str, bytes]]:
        """Return the edition of a state, what it owes, and its files; its id is checked."""
        trace, descriptor = _trace(self._job.format, chosen.workload), chosen.descriptor
        at = descriptor.crash_index
        prefix = get_preset(descriptor.preset).order == "prefix"
        torn = at if prefix and at < len(trace.ops) and as_write(trace.ops[at]) else -1
        expected = expected_at(trace, at, torn, chosen.kind.stratum)
        files = dict(state_of(trace, descriptor))
        promised = promise(trace.format, trace.edition, chosen.kind.stratum, expected.keys_to_keep)
        if case_id(content_id(files), promised) != chosen.case_id:
            raise AssertionError(f"{descriptor} does not give the state that it was chosen as")
        return trace.edition, expected, files

    def smallest(self, wanted: tuple[Kind, Chosen, int]) -> Smallest | None:
        """Return the smallest failure of a kind that is found with so many questions."""
        kind, chosen, budget = wanted
        return smallest(self._job.format, kind, chosen, self._asker, budget)

    def close(self) -> None:
        """Let go of the implementation."""
        self._asker.close()


class Smallest(NamedTuple):
    """A shrunk failure: the state as a case, and as JSON its kind, its size, and what came of it."""

    case: Case
    told: dict[str, Any]


def digest_of(answer: Answer) -> str:
    """Return 16 hex digits that stand for all of an answer but how a refusal is called."""
    parts = (
        ("refused",)
        if answer.refused is not None
        else (*answer.keys, "", *answer.aside, str(answer.reported))
    )
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def smallest(format_id: str, kind: Kind, chosen: Chosen, asker: Asker, budget: int) -> Smallest | None:
    """Return the smallest failure of a kind, None if the kind cannot be shrunk or did not happen again.

    Only what the crash model judges is shrunk: no answer at all is not, nor is what
    a second life left, whose states depend on what was chosen from the first.
    """
    if kind.verdict not in VERDICTS or isinstance(chosen.workload, SecondLife):
        return None
    adapter = crash_format(format_id)
    salvaging = adapter.salvages(kind.policy)
    reader = ImplementationReader(asker, kind.policy)
    if kind.verdict == "refused":
        reader.instead = Answer(())
    try:
        found = reduce_state(
            adapter,
            chosen.workload,
            chosen.descriptor,
            reader,
            kind.verdict,
            salvaging=salvaging,
            budget=budget,
        )
    except NotFailing:
        return None
    state, descriptor, case = found.state, found.descriptor, as_case(adapter, found)
    reply = asker.ask(found.files, state.trace.edition, kind.policy)
    verdict = verdict_on(reply, state.situation.expected, state.refusal, holes_allowed=salvaging)
    told = {
        "kind": str(kind),
        "case": case.id,
        "workload": found.workload.name,
        **asdict(descriptor),
        "mask": descriptor.mask.hex(),
        "records": found.records,
        "deviations": found.deviations,
        # False if the budget ended first.
        "minimal": found.minimal,
        "asked": reader.asked,
        "answer": verdict.to_json(),
        "answer_digest": digest_of(found.answer),
    }
    return Smallest(case, told)
