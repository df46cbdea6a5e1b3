"""Describes a failure in a crash state.

It reduces the failure to few operations, and reports all operations from the first write on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from journalspec_conformance.answers import check_observation
from journalspec_conformance.connection import Message
from journalspec_conformance.crashes.states import CrashCase, answer_of, as_crash_case, parting
from journalspec_conformance.engine import Engine
from journalspec_conformance.errors import Breakdown, Misbehaved
from journalspec_conformance.result import Result
from journalspec_corpus import Case, Probe
from journalspec_corpus.case import Origin
from journalspec_corpus.crash import explain, reduce
from journalspec_corpus.crash.facts import State
from journalspec_corpus.crash.formats import CrashFormat, Named
from journalspec_corpus.crash.reduce import Reduced
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.verdict import MEANINGS, VERDICTS, Answer
from journalspec_corpus.making import make_case

#: The largest number of questions that the reduction of one failure may take.
BUDGET = 300
#: The reduction of a failure ends after this many breakdowns, because each of them may take the whole time
#: limit.
MOST_BREAKDOWNS = 10
#: The answer that is assumed if an implementation gives none while a state is reduced.
_NO_ANSWER = Answer((), "no-answer")


class EngineReader:
    """Adapts an implementation under one policy to the crash engine: it maps files to an answer.

    A missing answer (the implementation ends, or times out) is treated as a refusal, unless the failure to
    reproduce is itself a refusal.
    """

    def __init__(self, engine: Engine, adapter: CrashFormat, policy: str, *, refusing: bool = False) -> None:
        self._engine, self._adapter, self._policy = engine, adapter, policy
        self._instead = Answer(()) if refusing else _NO_ANSWER
        self._breakdowns = 0

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""
        if self._breakdowns >= MOST_BREAKDOWNS:
            return self._instead
        try:
            observed = self.observation(files, edition)
            listed = "no-records" not in self._engine.hello.formats[self._adapter.format].features
            return self._instead if observed is None else answer_of(self._adapter, observed, listed=listed)
        except Breakdown:
            self._breakdowns += 1
            return self._instead

    def observation(self, files: Mapping[str, bytes], edition: str) -> Message | None:
        """Return the observation of `files`, or None if the reply contains none; raises a Breakdown."""
        case = _bare_case(self._adapter.format, edition, files, self._policy)
        with self._engine.workspace.place(case) as place:
            reply = self._engine.ask(self._engine.request(case.probes[0], place))
        if "ok" not in reply:
            return None
        check_observation(reply["ok"])
        observed: Message = reply["ok"]
        return observed


def _bare_case(format_id: str, edition: str, files: Mapping[str, bytes], policy: str) -> Case:
    return make_case(
        "crash.state",
        title="",
        format_id=format_id,
        edition=edition,
        stratum="R",
        category="",
        origin=Origin("trace"),
        files=files,
        expect=[{"when": {"op": "recover", "policy": policy}, "verdict": "clean"}],
    )


def reduced(engine: Engine, probe: Probe, result: Result) -> Probe:
    """Return the probe of the smallest state that fails as `result` did; `probe` if none is smaller."""
    found = smallest(engine, probe, result)
    if found is None:
        return probe
    small = as_crash_case(probe.case.format, found.workload, found.descriptor)
    return next(other for other in small.probes if other.policy == probe.policy)


def smallest(engine: Engine, probe: Probe, result: Result) -> Reduced | None:
    """Return the smallest state that fails as `result` did, found with :data:`BUDGET` questions.

    The result is None if the failure does not recur. Two kinds of failure are not reduced: those without an
    answer, and those after a second crash, whose states depend on the state chosen for the first crash.
    """
    case, verdict = probe.case, _verdict(result)
    if not isinstance(case, CrashCase) or isinstance(case.workload, SecondLife) or not verdict:
        return None
    policy = probe.policy or ""
    reader = EngineReader(engine, case.adapter, policy, refusing=verdict == "refused")
    named = Named(policy, reader, case.adapter.salvages(policy))
    try:
        return reduce.reduce_state(
            case.adapter, case.workload, case.descriptor, named, verdict, budget=BUDGET
        )
    except reduce.NotFailing:
        return None


def _verdict(result: Result) -> str:
    """Return the crash model's verdict on a failure; an empty text for other failures."""
    verdict, _, category = result.fingerprint.partition("/")
    return verdict if category and verdict in VERDICTS else ""


def account(case: Case, result: Result, target: str, repeat: str) -> list[str]:
    """Return the description of a failure: the writes, the disk, the answer, and the required answer."""
    if not isinstance(case, CrashCase):
        return [result.reason]
    state = case.state
    verdict = _verdict(result)
    label = " ".join(filter(None, (result.result_class, result.fingerprint)))
    lines = [
        f"{label}: {result.probe}",
        f"  {case.title}",
        f"  {result.reason}",
        f"disk: {explain.preset_words(state)}",
        f"acknowledged before: {', '.join(mark.record for mark in state.trace.standing) or '-'}",
        *lived(case.adapter, case.workload, state),
        "",
        f"{target} answered ({result.probe.rpartition('/')[2]}):",
        *(f"  {line}" for line in _answered(case, result)),
        "required:",
        *(f"  {line}" for line in required(case)),
    ]
    if verdict:
        breaks = f" (breaks {', '.join(VERDICTS[verdict])})" if VERDICTS[verdict] else ""
        lines.append(f"{verdict}: {MEANINGS[verdict]}{breaks}")
    return [*lines, "repeat:", f"  {repeat}"]


def _answered(case: CrashCase, result: Result) -> Iterator[str]:
    if result.answer is None:
        yield result.reason
        return
    try:
        answer = answer_of(case.adapter, result.answer)
    except Misbehaved as error:
        yield error.reason
        return
    if answer.refused is not None:
        yield f"refused: {answer.refused}"
    else:
        told = parting(answer, case.required)
        yield f"{result.answer.get('verdict')}, with the records {', '.join(told['came']) or '-'}"
        for name, words in (("missing", "missing"), ("wrong", "must not be recovered")):
            if told[name]:
                yield f"{words}: {', '.join(told[name])}"
        if told["effect"]:
            yield told["effect"]
    if result.answer.get("message"):
        yield f"message: {result.answer['message']}"


def required(case: CrashCase) -> Iterator[str]:
    """Yield the lines on the required outcome of a state, by names of records."""
    sets = case.required
    for words, names in (
        ("must be recovered", sets.must_keep),
        ("may be recovered", sets.may_keep - sets.must_keep),
        ("must not be recovered", sets.must_drop),
    ):
        yield f"{words}: {', '.join(sorted(names)) or '-'}"
    yield f"a refusal is {case.state.refusal}"


def lived(adapter: CrashFormat, workload: Any, state: State) -> Iterator[str]:
    """Yield the lines on the operations before `state`, and on the parts of their writes that reached the
    disk.
    """
    yield f"Background (the bytes after the used ones): {state.trace.background}."
    for number, before in enumerate(reduce.crashes_before(adapter, workload), start=1):
        yield f"Run {number}, operations in this order:"
        yield from (*(f"  {line}" for line in explain.story(before)), *explain.arrived(before), "")
    yield "Operations in this order:"
    yield from (*(f"  {line}" for line in explain.story(state)), *explain.arrived(state))
