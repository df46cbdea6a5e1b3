"""The whole smoke tier with the harnesses that need nothing but this distribution."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.report import count, load_report
from journalspec_conformance.selection import cases_of, probes_of

MakeEngine = Callable[..., Engine]
LiveReport = Callable[[str, str], Path]
#: The part of the time of all questions that one may take.
MOST = 0.2
#: Calls of functions that a question of the reference may take, on average. Seconds depend on the machine.
MOST_CALLS = 1_060


def test_the_reference_is_right_and_no_question_takes_long(
    make_engine: MakeEngine, live_report: LiveReport
) -> None:
    assert make_engine("reference").connection.in_memory
    report = load_report(live_report("reference", "smoke"))
    red = [f"{r.probe}: {r.reason}" for r in report.results if r.result_class not in ("pass", "allowed")]
    assert red == []
    assert {r.probe for r in report.results} == {probe.id for probe in probes_of(cases_of("smoke"))}
    slowest = max(report.results, key=lambda result: result.seconds or 0)
    assert (slowest.seconds or 0) < MOST * sum(result.seconds or 0 for result in report.results), (
        slowest.probe
    )


def test_a_question_takes_few_calls(make_engine: MakeEngine) -> None:
    """Of every tenth question, asked once before: what is imported or kept does not count."""
    engine, probes, calls = make_engine("reference"), probes_of(cases_of("smoke"))[::10], 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    list(engine.run_all(probes))
    sys.setprofile(counted)
    try:
        list(engine.run_all(probes))
    finally:
        sys.setprofile(before)
    assert calls < MOST_CALLS * len(probes)


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
