"""A crash state as a case in the published form: what it was made from, its files, and what is owed in it.

In some states nobody gives what is owed: the order of writes, the device or the format
lost it. The format's limits tell of which kinds they are (:mod:`.verdict`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from journalspec.formats import get_format
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.crash.adapter import CrashFormat
from journalspec_corpus.crash.expected import ALLOWED, REQUIRED, Expected
from journalspec_corpus.crash.persistence import CORRUPTED, PRESETS
from journalspec_corpus.crash.reduction import Reduced, State
from journalspec_corpus.crash.trace import Mark, Trace, writer_of
from journalspec_corpus.crash.verdict import VERDICTS, limits
from journalspec_corpus.making import make_case

#: A case in which not even a reader that follows the specification gives what is owed carries this flag.
BEYOND = "BeyondReaders"


def published_id(format_id: str, case_id: str) -> str:
    """Return the id under which the pipeline publishes the state with these 32 hex digits."""
    return f"{get_format(format_id).prefix.lower()}.crash.{case_id}"


def as_case(adapter: CrashFormat, shrunk: Reduced, *, tier: str = "core") -> Case:
    """Return the reduced state as a case that names the larger state which it comes from."""
    larger = published_id(adapter.format, shrunk.start)
    same = shrunk.state.case_id == shrunk.start
    return case_of(adapter, shrunk.state, tier=tier, shrunk_from="" if same else larger)


def case_of(  # noqa: PLR0913  # a case has many members; all but two are keyword-only
    adapter: CrashFormat,
    state: State,
    *,
    beyond: bool | None = None,
    tier: str = "core",
    name: str = "",
    title: str = "",
    base: str = "",
    shrunk_from: str = "",
    obeys: Iterable[str] = (),
    flags: Iterable[str] = (),
) -> Case:
    """Return `state` as a case: under every policy of the adapter, what the oracle says is owed.

    `name`, `title` and `base` are made up from the state if they are not given, `obeys`
    is what the adapter says of its category. A case that is `beyond` all readers (if nothing is said: if
    a limit of the format may make it fail) demands nothing (level ``may``) and is flagged
    :data:`BEYOND`. No reader is asked.
    """
    trace, point = state.trace, state.situation.states.point
    if beyond is None:
        beyond = _may_be_beyond(adapter, state)
    preset = PRESETS[state.rank].name
    return make_case(
        name or published_id(adapter.format, state.case_id),
        title=title or f"{state.category} after operation {point.crash_index} of {trace.name} ({preset})",
        format_id=trace.format,
        edition=trace.edition,
        stratum=state.situation.states.stratum,
        category=state.category,
        origin=Origin("trace", base or trace.id, preset, ("model",), shrunk_from),
        files=state.files,
        expect=expectations(adapter, state),
        level="may" if beyond else "must",
        tier=tier,
        obeys=tuple(obeys) or adapter.obeys.get(state.category, adapter.obeys[""]),
        flags=tuple(dict.fromkeys((*flags, BEYOND) if beyond else flags)),
    )


def expectations(adapter: CrashFormat, state: State) -> list[dict[str, Any]]:
    """Return for each policy of the adapter the permitted outcomes, as the pipeline publishes them."""
    sets = ExpectedSets(adapter, state.trace).sets(state.situation.expected)
    return permitted_by_policy(adapter, sets, state.refusal, state.situation.states.stratum)


def permitted_by_policy(
    adapter: CrashFormat, sets: Mapping[str, Any], refusal: str, stratum: str
) -> list[dict[str, Any]]:
    """Return for each policy of the adapter the permitted outcomes where `sets` are owed.

    `refusal` is what the oracle says of the state. Who may leave records out reports the damage that others
    must refuse. After corruption nothing is lost, or it is reported.
    """
    out: list[dict[str, Any]] = []
    every = sets["must_keep"] + sets["may_keep"]
    for policy in adapter.readers:
        when = {"op": "recover", "policy": policy}
        reports = refusal == REQUIRED and adapter.salvages(policy)
        allowed = {**sets, "refusal": ALLOWED if reports else refusal}
        loses = stratum == CORRUPTED and (reports or refusal != REQUIRED)
        if loses:
            # A write that landed elsewhere, or a doubled file, leaves a record in two places.
            allowed["may_keep"] = sets["may_keep"] + every
        elif reports:
            allowed["must_report"] = True
        verdict = "refused" if allowed["refusal"] == REQUIRED else "clean"
        out.append({"when": when, "verdict": verdict, "allowed": allowed})
        if loses:
            lost = {**allowed, "must_keep": [], "may_keep": every + every, "must_report": True}
            out.append({"when": when, "verdict": "recovered", "allowed": lost})
    return out


class ExpectedSets:
    """The sets of one trace's crash points, with records as an observation would list them."""

    def __init__(self, adapter: CrashFormat, trace: Trace) -> None:
        self._record_json = adapter.record_json
        self._uncounted = adapter.uncounted
        written = [op for op in trace.ops if isinstance(op, Mark)]
        marks = {(op.record, op.alternative[:2]) for op in (*trace.standing, *trace.possible, *written)}
        #: record -> how many times it was written, at another place or in other parts
        self._copies = Counter(record for record, _ in marks)

    def sets(self, expected: Expected) -> dict[str, list[Any]]:
        """Return must_keep, may_keep and must_drop of `expected`, and permitted states if they are few."""
        keys: dict[str, list[str]] = {}
        for key, record in expected.record_of.items():
            keys.setdefault(record, []).append(key)

        def records(ids: Iterable[str]) -> list[dict[str, Any]]:
            return [self._record_json(keys[record]) for record in sorted(ids) if record in keys]

        # What was written in several places (a compaction under way) may come out of each of them.
        known = expected.must_keep | expected.may_keep
        copies = [record for record in known for _ in range(1, self._copies[record])]
        states = [] if expected.effects is None else expected.effects.states()
        return {
            "must_keep": records(expected.must_keep),
            "may_keep": records([*(expected.may_keep - expected.must_keep), *copies]),
            "must_drop": records(expected.must_drop),
            **({"states": list(map(dict, states))} if states else {}),
            **({"uncounted": list(self._uncounted)} if self._uncounted else {}),
        }


def _may_be_beyond(adapter: CrashFormat, state: State) -> bool:
    """Tell whether a reader that does everything right may fail: a force lied, or a limit says so."""
    stratum, preset = state.situation.states.stratum, PRESETS[state.rank].name
    return stratum == "L" or any(
        limit.covers(writer_of(state.trace), policy, stratum, verdict, state.category, preset)
        for limit in limits(adapter.format)
        for policy in adapter.readers
        for verdict in VERDICTS
    )
