"""Ask one probe after the other, and judge the answers.

The engine knows no format: a probe brings its question and the permitted
answers, the connection what the implementation claims. Anything that is not an
answer becomes a result of that probe; the run goes on.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from journalspec.formats import UnknownFormat, get_format
from journalspec.observation import REFUSED, Level, jsonable
from journalspec_conformance.answers import check_claims, check_observation, stranger_in
from journalspec_conformance.compare import Claims, closest
from journalspec_conformance.connection import Connection, FormatClaims, Hello, Message
from journalspec_conformance.errors import Breakdown, Misbehaved, Problem
from journalspec_conformance.expect import Expectations
from journalspec_conformance.protocol import first_fault, schema_of_reply, schema_of_request
from journalspec_conformance.result import Outcome, OwnOracle, OwnWriting, Result, carried, failed, settle
from journalspec_conformance.scratch import CaseDirectory, Workspace
from journalspec_conformance.wording import sentence, spelled
from journalspec_corpus import Case, Probe
from journalspec_corpus.drawn import lenient
from journalspec_reference import load

#: After so many breakdowns in a row the rest of a run is not asked any more.
BREAKDOWN_LIMIT = 25

#: Needs that are operations are judged probe by probe, not case by case.
_OPERATIONS = frozenset({"read", "recover", "write"})


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: see the command line's options of the same names. `timeout` in seconds.

    `enforce_may` is for mutants, where every difference counts: an implementation does not fail on a *may*.
    """

    level: Level = Level.CONTENTS
    timeout: float = 10.0
    validate: bool = False
    enforce_should: bool = False
    enforce_may: bool = False


class Engine:
    """Runs probes over one connection. Close it when done."""

    def __init__(
        self, connection: Connection, options: Options, expectations: Expectations | None = None
    ) -> None:
        """Ask `connection` what it can do.

        Raises a Breakdown if it does not even say that, and Problem if it says so in words
        that the format does not have.
        """
        self.connection = connection
        self.options = options
        self.expectations = expectations or Expectations.none()
        self.hello: Hello = connection.hello()
        if self.hello.message:
            self.validate("reply-hello", {"seq": 0, **self.hello.message})
        check_claims(self.hello)
        self.workspace = Workspace(connection.in_memory)
        #: The requests of the last probe, each with the reply to it.
        self.exchanges: list[tuple[Message, Message]] = []
        self._breakdowns = 0
        self._questions = 0

    def run_all(self, probes: Iterable[Probe]) -> Iterator[Result]:
        """Yield one result per probe, in order: each once the next one that was asked is there.

        An implementation may say more than its answer, and late. The probe that got the answer
        pays for that, not the one that was being asked meanwhile, nor one that never was.
        """
        #: The last one that was asked, and those after it that were not.
        held: list[Result] = []
        for probe in probes:
            questions = self._questions
            result = self.run(probe)
            if self._questions > questions:
                yield from _blamed(held, self.connection.late())
                held = [result]
            elif held:
                held.append(result)
            else:
                yield result
        if held:
            yield from _blamed(held, self.connection.unasked())

    def run(self, probe: Probe) -> Result:
        """Ask one probe and return what became of it."""
        started = time.perf_counter()
        self.exchanges = []
        try:
            outcome = self._outcome(probe)
        except Problem:
            raise
        except Exception as error:  # whatever one probe does to the runner, the others are asked
            outcome = failed(error)
        result = self._result(probe, outcome)
        result = self.expectations.apply(result)
        if result.result_class == "known":
            # A breakdown that was expected says nothing of the questions behind it.
            self.forgive()
        enforced = {"should": self.options.enforce_should, "may": self.options.enforce_may}
        if result.result_class == "fail" and not enforced.get(probe.case.level, True):
            result = result.judged("allowed", f"a {probe.case.level} is not followed: {result.reason}")
        return replace(result, seconds=round(time.perf_counter() - started, 3))

    def forgive(self) -> None:
        """Begin to count breakdowns anew, so that the next probe is asked whatever came before."""
        self._breakdowns = 0

    def close(self) -> None:
        """Say bye and clean up."""
        self.connection.close()
        self.workspace.close()

    def _outcome(self, probe: Probe) -> Outcome:
        fault = fault_of(probe.case)
        if fault is not None:
            return Outcome("quarantined", reason=fault)
        missing = self.unsupported(probe)
        if missing is not None:
            return Outcome("unsupported", reason=missing)
        if self._breakdowns >= BREAKDOWN_LIMIT:
            return Outcome("unasked", reason=f"not asked: it broke down {BREAKDOWN_LIMIT} times in a row")
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
            # Writing needs the reference as a judge; readers should not pay for its import.
            from journalspec_conformance.writing import judge_write  # noqa: PLC0415 - see above

            return judge_write(self, probe)
        with self.workspace.place(probe.case) as place:
            reply = self.ask(self.request(probe, place))
            settled = settle(reply, self.connection, probe)
            if settled is not None:
                return settled
            outcome = self.compare(probe, reply["ok"], self.claims(probe))
            if outcome.result_class == "fail":
                return outcome
            return self._after(probe, place, reply["ok"]) or outcome

    def _after(self, probe: Probe, place: CaseDirectory, first: Message) -> Outcome | None:
        """Judge what the answer cannot show: did asking change anything, is recovery repeatable?

        A reading leaves everything as it is. So does a recovery that is declared pure; another one may change
        its copy, and leaves what it has answered in it.
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
        again = reply.get("ok")
        if again is None:
            return Outcome("fail", "not-idempotent", f"the second recovery did not answer: {spelled(reply)}")
        check_observation(again)
        parts = _parts(first, again, self.claims(probe))
        if parts is not None:
            return Outcome("fail", "not-idempotent", f"the second recovery reports another {parts}")
        after = place.digests()
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        if changed:
            text = f"the second recovery changed the files again: {changed[0]}"
            return Outcome("fail", "not-idempotent", text)
        return None

    def _lost(self, probe: Probe, files: Mapping[str, bytes], said: Message) -> str | None:
        """Return what the `files` that a recovery leaves have lost of what it `said`, None if nothing.

        The reference reads them under the same policy. What is compared is the state: a recovery may leave
        fewer records.
        """
        case, recover = probe.case, load(probe.case.format).recover
        edition, params = case.edition, case.params
        if case.input.files and not files:
            return "the journal is gone"
        if said["verdict"] == REFUSED:
            return None
        policy = probe.policy or "strict"
        original = recover(case.files(), edition=edition, policy=policy, params=params)
        if original.verdict == REFUSED:
            policy = lenient(case.format)
            original = recover(case.files(), edition=edition, policy=policy, params=params)
        left = recover(files, edition=edition, policy=policy, params=params)
        if left.verdict == REFUSED:
            return None if original.verdict == REFUSED else f"it cannot be read: {left.phase}/{left.code}"
        index, _ = closest(probe.expect, said, self.claims(probe))
        wanted = {**probe.expect[index].get("state", {}), **(said.get("state") or {})}
        found = jsonable(left.state or {})
        for key, value in wanted.items():
            if isinstance(value, list) and isinstance(found.get(key), list):
                gone = _counted(value) - _counted(found[key])
                if gone:
                    return f"it does not hold of {key} what was answered: {next(iter(gone)):.200}"
        return None

    def ask(self, request: Message) -> Message:
        """Send `request` and return the reply, both validated if the user asked for it."""
        self.validate(schema_of_request(request), {"seq": 0, **request})
        reply = self.connection.ask(request)
        self.exchanges.append((request, reply))
        self.validate(schema_of_reply(request["cmd"], reply), {"seq": 0, **reply})
        return reply

    def validate(self, schema: str, message: Message) -> None:
        """Raise Misbehaved if validation is on and `message` does not fit `schema`."""
        if not self.options.validate:
            return
        fault = first_fault(schema, {key: value for key, value in message.items() if key != "files"})
        if fault is not None:
            raise Misbehaved(f"not in the protocol: {fault}", self.connection.stderr())

    def request(self, probe: Probe, place: CaseDirectory, op: str | None = None) -> Message:
        """Return the request for `probe` on `place` (without what is expected)."""
        self._questions += 1
        request: Message = {
            "cmd": op or probe.op,
            "format": probe.case.format,
            "edition": probe.case.edition,
            **place.request_members(),
            "params": dict(probe.case.params),
        }
        if request["cmd"] != "write":
            request["observe"] = self.claims(probe).level.name.lower()
        if request["cmd"] == "recover":
            request["policy"] = probe.policy or "strict"
        return request

    def compare(self, probe: Probe, observed: Message, claims: Claims) -> Outcome:
        """Return pass, allowed or fail for `observed`."""
        check_observation(observed)
        stranger = stranger_in(observed, probe.case.format)
        if stranger is not None:
            return Outcome("fail", f"vocabulary:{stranger.kind}", stranger.text)
        if isinstance(probe.case, OwnOracle):
            return probe.case.outcome(probe.policy or "", observed, claims)
        index, difference = closest(probe.expect, observed, claims)
        if difference is not None:
            return Outcome("fail", difference.fingerprint, sentence(difference), difference=difference)
        if len(probe.expect) == 1:
            return Outcome("pass")
        return Outcome("allowed", choice=f"{index + 1} of {len(probe.expect)}")

    def format_claims(self, probe: Probe) -> FormatClaims:
        """Return what the implementation declares for the probe's format; raises KeyError."""
        return self.hello.formats[probe.case.format]

    def claims(self, probe: Probe) -> Claims:
        """Return what is compared: the lower of the declared level and the one asked for.

        Contents are asked for only where they are expected: no other level needs them.
        """
        declared = self.format_claims(probe)
        features = declared.features
        return Claims(
            min(
                declared.observe, self.options.level, Level.CONTENTS if _of_contents(probe) else Level.LAYOUT
            ),
            declared.state,
            declared.fields,
            silent="silent" in features,
            records="no-records" not in features,
            missing="missing" in features,
            beside=_beside(probe.case.format),
        )

    def unsupported(self, probe: Probe) -> str | None:
        """Return what the implementation does not declare but `probe` needs, None if nothing."""
        case = probe.case
        declared = self.hello.formats.get(case.format)
        if declared is None:
            return f"format {case.format}"
        if case.edition not in declared.editions:
            return f"edition {case.edition}"
        if probe.op not in declared.ops:
            return f"operation {probe.op}"
        if probe.policy is not None and probe.policy not in declared.policies:
            return f"policy {probe.policy}"
        if _of_contents(probe) and declared.observe < Level.CONTENTS:
            return f"level {Level.CONTENTS.name.lower()}"
        lacking = sorted(set(case.needs) - _OPERATIONS - declared.features)
        return f"feature {', '.join(lacking)}" if lacking else None

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


@cache
def _beside(format_id: str) -> frozenset[str]:
    """Return the codes of notes that what lies beside a journal proves."""
    notes = get_format(format_id).vocabulary.notes
    return frozenset(name for name, note in notes.items() if note.neighbour)


def _of_contents(probe: Probe) -> bool:
    """Tell whether a probe is about contents: who does not report them is not asked."""
    return any("contents" in entry for entry in probe.expect)


def _blamed(held: list[Result], late: Breakdown | None) -> list[Result]:
    """Return `held`, the first as what it comes to if its answer was not the last that was done."""
    if late is None:
        return held
    return [result.judged(late.result_class, carried(late.reason)) for result in held[:1]] + held[1:]


def _counted(entries: Iterable[object]) -> Counter[str]:
    return Counter(json.dumps(entry, sort_keys=True) for entry in entries)


def _parts(first: Message, again: Message, claims: Claims) -> str | None:
    """Return the member in which two recoveries of the same journal differ, None if in none."""
    if (first.get("verdict") == REFUSED) != (again.get("verdict") == REFUSED):
        return "verdict"
    if claims.level >= Level.STATE and (first.get("state") or again.get("state")):
        return "state" if first.get("state") != again.get("state") else None
    strip = [
        [{k: v for k, v in r.items() if k != "at"} for r in o.get("records") or ()] for o in (first, again)
    ]
    return "list of records" if strip[0] != strip[1] else None


def fault_of(case: Case) -> str | None:
    """Return why `case` cannot be asked (a fault of the corpus, not of anybody under test)."""
    if case.fault:
        return case.fault
    try:
        editions = get_format(case.format).editions
    except UnknownFormat as error:
        return str(error)
    if case.edition not in editions:
        return f"{case.format} has no edition {case.edition!r}"
    for entry in case.expect:
        if not any(key in entry for key in ("verdict", "allowed")):
            return "an expectation says neither verdict nor allowed: it could not fail"
        if entry["when"]["op"] == "write" and case.write is None:
            return "a write is expected, but there is nothing to write"
    return None
