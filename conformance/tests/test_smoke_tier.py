"""The whole smoke tier, run with the harnesses that need nothing but this distribution."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.report import count, load_report
from journalspec_conformance.selection import cases_of, probes_of
from journalspec_corpus import Probe

MakeEngine = Callable[..., Engine]
LiveReport = Callable[[str, str], Path]
#: Bounds on the function calls per question to the reference: on average, and for a single question.
MOST_CALLS, MOST_OF_ONE = 1_060, 200_000


def calls(engine: Engine, probes: Sequence[Probe]) -> int:
    """Return the number of calls for these questions, without the imports and caches of a first run."""
    found = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal found
        found += event == "call"

    before = sys.getprofile()
    list(engine.run_all(probes))
    sys.setprofile(counted)
    try:
        list(engine.run_all(probes))
    finally:
        sys.setprofile(before)
    return found


def test_reference_passes_and_no_question_takes_long(
    make_engine: MakeEngine, live_report: LiveReport
) -> None:
    engine, probes = make_engine("reference"), {probe.id: probe for probe in probes_of(cases_of("smoke"))}
    assert engine.connection.in_memory
    report = load_report(live_report("reference", "smoke"))
    red = [f"{r.probe}: {r.reason}" for r in report.results if r.result_class not in ("pass", "allowed")]
    assert red == []
    assert {r.probe for r in report.results} == {*probes}
    # The reference also satisfies each `should`.
    allowed = [probes[r.probe] for r in report.results if r.result_class == "allowed"]
    strict = make_engine("reference", Options(enforce_should=True))
    assert [f"{r.probe}: {r.reason}" for r in strict.run_all(allowed) if r.red] == []
    # The calls of the slowest questions are counted, which may differ from run to run.
    for result in sorted(report.results, key=lambda result: result.seconds or 0)[-4:]:
        assert calls(engine, [probes[result.probe]]) < MOST_OF_ONE, result.probe
    assert calls(engine, [*probes.values()][::10]) < MOST_CALLS * len(probes) / 10


@pytest.mark.parametrize("harness", ["construct", "kaitai"])
def test_schemas_agree_on_every_undamaged_journal(
    harness: str, make_engine: MakeEngine, live_report: LiveReport
) -> None:
    probes = probes_of(cases_of("smoke"))
    results = list(load_report(live_report(harness, "smoke")).results)
    results += make_engine(harness, Options(validate=True)).run_all(probes[::25])
    assert [f"{r.probe}: {r.reason}" for r in results if r.red] == []
    undamaged = {p.id for p in probes if p.op == "read" and "damage" not in p.case.needs}
    judged = {r.probe for r in results if r.result_class != "unsupported"}
    assert judged == undamaged
    assert count(results)["pass"] > len(undamaged) * 0.9
