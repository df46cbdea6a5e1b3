"""Asks one probe after another, and grades the answers.

Anything that is not an answer becomes a result of its probe; the run continues.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace

from journalspec.formats import UnknownFormat, get_format
from journalspec.observation import REFUSED, Level
from journalspec_conformance.answers import check_observation
from journalspec_conformance.asking import Asking, Options, recovered
from journalspec_conformance.compare import Claims, closest
from journalspec_conformance.connection import Connection, Message
from journalspec_conformance.errors import Breakdown, Problem
from journalspec_conformance.expect import Expectations
from journalspec_conformance.result import Outcome, OwnWriting, Result, carried, failed
from journalspec_conformance.scratch import CaseDirectory
from journalspec_conformance.wording import spelled
from journalspec_corpus import Case, Probe

__all__ = ["BREAKDOWN_LIMIT", "Engine", "Options", "fault_of"]

#: After this many consecutive crashes, timeouts or invalid answers, the remaining probes of a run are
#: skipped.
BREAKDOWN_LIMIT = 25


class Engine(Asking):
    """Runs probes over one connection. Close it when done."""

    def __init__(
        self, connection: Connection, options: Options, expectations: Expectations | None = None
    ) -> None:
        """Ask `connection` for its declaration; raises the same exceptions as :class:`Asking`."""
        super().__init__(connection, options)
        self.expectations = expectations or Expectations()
        self._breakdowns = 0

    def run_all(self, probes: Iterable[Probe]) -> Generator[Result]:
        """Yield one result per probe, in order. Each result is held back until the answer to the next
        question has arrived.

        An implementation may write additional output after its answer. This fails the answered probe, not the
        next probe, even if the output is detected only with the next question.
        """
        #: The result of the last question, and the results of later probes that were skipped.
        held: list[Result] = []
        for probe in probes:
            questions = self.questions
            result = self.run(probe)
            if self.questions > questions:
                yield from _blamed(held, self.connection.late())
                held = [result]
            elif held:
                held.append(result)
            else:
                yield result
        if held:
            yield from _blamed(held, self.connection.unasked())

    def run(self, probe: Probe) -> Result:
        """Ask one probe and return its result."""
        started = time.perf_counter()
        self.exchanges = []
        try:
            outcome = self._outcome(probe)
        except Problem:
            raise
        # A fault in the runner affects one probe. The other probes are still asked.
        except Exception as error:
            outcome = failed(error)
        result = self._result(probe, outcome)
        result = self.expectations.apply(result)
        if result.result_class == "known":
            # An expected breakdown does not count towards the limit of consecutive breakdowns.
            self.forgive()
        enforced = {"should": self.options.enforce_should, "may": self.options.enforce_may}
        if result.result_class == "fail" and not enforced.get(probe.case.level, True):
            result = result.judged("allowed", f"a {probe.case.level} is not followed: {result.reason}")
        return replace(result, seconds=round(time.perf_counter() - started, 3))

    def forgive(self) -> None:
        """Reset the number of consecutive breakdowns, so that the next probe is asked in any case."""
        self._breakdowns = 0

    def _outcome(self, probe: Probe) -> Outcome:
        fault = fault_of(probe.case)
        if fault is not None:
            return Outcome("quarantined", reason=fault)
        missing = self.unsupported(probe)
        if missing is not None:
            return Outcome("unsupported", reason=missing)
        if self._breakdowns >= BREAKDOWN_LIMIT:
            return Outcome("unasked", reason=f"not asked: no valid answer {BREAKDOWN_LIMIT} times in a row")
        try:
            outcome = self._judge(probe)
            more = self.connection.unasked()
            if more is not None:
                raise more
        except Breakdown as error:
            self._breakdowns += 1
            return Outcome(error.result_class, reason=error.reason, stderr=error.stderr)
        self._breakdowns = 0
        return outcome

    def _judge(self, probe: Probe) -> Outcome:
        if probe.op == "write" and isinstance(probe.case, OwnWriting):
            return probe.case.written(self, probe)
        if probe.op == "write":
            # Only checks of writing use the reference. So tests of readers do not import it.
            from journalspec_conformance.writing import judge_write  # noqa: PLC0415 - see above

            return judge_write(self, probe)
        with self.workspace.place(probe.case) as place:
            reply = self.ask(self.request(probe, place))
            settled = self.settled(probe, reply)
            if settled is not None:
                return settled
            outcome = self.compare(probe, reply["ok"], self.claims(probe))
            if outcome.result_class == "fail":
                return outcome
            return self._after(probe, place, reply["ok"]) or outcome

    def _after(self, probe: Probe, place: CaseDirectory, first: Message) -> Outcome | None:
        """Check side effects: did the question change the files, and is recovery repeatable?

        Neither ``read`` nor a recovery that is declared pure may change a file. Any other recovery may change
        its copy, but must recover the same state from the changed copy.
        """
        change = place.change()
        pure = "pure" in self.format_claims(probe).features
        if change is not None and (pure or probe.op == "read"):
            why = "is declared pure" if pure else "must not change anything"
            return Outcome("fail", "modified", f"{probe.op} {why}, but {change}")
        if pure or probe.op == "read":
            return None
        lost = None if change is None else self._lost(probe, place.files(), first)
        if lost is not None:
            return Outcome("fail", "lost", f"{probe.op} has changed its copy, and {lost}")
        before = place.digests()
        reply = self.ask(self.request(probe, place))
        if "ok" not in reply:
            fault: str | None = f"did not answer: {spelled(reply)}"
        else:
            check_observation(reply["ok"])
            parts = _parts(first, reply["ok"], self.claims(probe))
            fault = None if parts is None else f"reports another {parts}"
        if fault is None:
            changed = min((name for name, _ in before.items() ^ place.digests().items()), default=None)
            fault = None if changed is None else f"changed the files again: {changed}"
        return None if fault is None else Outcome("fail", "not-idempotent", f"the second recovery {fault}")

    def _lost(self, probe: Probe, files: Mapping[str, bytes], said: Message) -> str | None:
        """Return the loss in the `files` after a recovery, compared with its answer `said`, or None.

        The reference recovers the files under the same policy. Only states are compared, because a recovery
        may remove records from the files.
        """
        case = probe.case
        if case.input.files and not files:
            return "the journal is gone"
        if said["verdict"] == REFUSED:
            return None
        policy = probe.policy or "strict"
        original = recovered(case, case.files(), policy)
        if "refused" in original:
            policy = get_format(case.format).keeps_most
            original = recovered(case, case.files(), policy)
        left = recovered(case, files, policy)
        if "refused" in left:
            return None if "refused" in original else f"it cannot be read: {left['refused']}"
        index, _ = closest(probe.expect, said, self.claims(probe))
        wanted = {**probe.expect[index].get("state", {}), **(said.get("state") or {})}
        for key, value in wanted.items():
            if isinstance(value, list) and isinstance(left.get(key), list):
                gone = _counted(value) - _counted(left[key])
                if gone:
                    return f"{key} in its directory lacks a part of its own answer: {next(iter(gone)):.200}"
        return None

    def _result(self, probe: Probe, outcome: Outcome) -> Result:
        case, failed_so = probe.case, outcome.result_class == "fail"
        answers = (reply["ok"] for _, reply in self.exchanges if "ok" in reply)
        return Result(
            probe=probe.id,
            case=case.id,
            format=case.format,
            edition=case.edition,
            title=case.title,
            result_class=outcome.result_class,
            fingerprint=carried(outcome.fingerprint),
            reason=carried(outcome.reason),
            choice=outcome.choice,
            level=case.level,
            stratum=case.stratum,
            requirements=case.requirements,
            difference=carried(outcome.difference.to_json()) if outcome.difference else None,
            answer=carried(next(answers, None)) if failed_so else None,
            stderr=carried(outcome.stderr or (self.connection.stderr() if failed_so else "")),
        )


def _blamed(held: list[Result], late: Breakdown | None) -> list[Result]:
    """Return `held`. If a fault followed the answer (`late`), the first result becomes that fault."""
    if late is None:
        return held
    return [result.judged(late.result_class, carried(late.reason)) for result in held[:1]] + held[1:]


def _counted(entries: Iterable[object]) -> Counter[str]:
    return Counter(json.dumps(entry, sort_keys=True) for entry in entries)


def _parts(first: Message, again: Message, claims: Claims) -> str | None:
    """Return the member in which two recoveries of the same journal differ, or None."""
    if (first.get("verdict") == REFUSED) != (again.get("verdict") == REFUSED):
        return "verdict"
    if claims.level >= Level.STATE and (first.get("state") or again.get("state")):
        return "state" if first.get("state") != again.get("state") else None
    one, other = ([{**record, "at": None} for record in each.get("records") or ()] for each in (first, again))
    return "list of records" if one != other else None


def fault_of(case: Case) -> str | None:
    """Return why `case` cannot be asked (a fault of the corpus, not of the implementation)."""
    if case.fault:
        return case.fault
    try:
        editions = get_format(case.format).editions
    except UnknownFormat as error:
        return str(error)
    if case.edition not in editions:
        return f"{case.format} has no edition {case.edition!r}"
    for entry in case.expect:
        if not {"verdict", "allowed"} & entry.keys():
            return "an expectation has neither verdict nor allowed: it could never fail"
        if entry["when"]["op"] == "write" and case.write is None:
            return "a write is expected, but there is nothing to write"
    return None
