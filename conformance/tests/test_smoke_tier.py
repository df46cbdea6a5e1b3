"""The whole smoke tier with the harnesses that need nothing but this distribution."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from journalspec.formats import format_ids
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.report import count
from journalspec_conformance.selection import cases_of, probes_of

MakeEngine = Callable[..., Engine]
#: Seconds of processor time that the reference may take for the tier of a format, on average.
BUDGET = 2.5


def test_the_reference_is_right_and_quick(make_engine: MakeEngine) -> None:
    probes = probes_of(cases_of("smoke"))
    engine = make_engine("reference")
    assert engine.connection.in_memory
    started = time.process_time()
    results = list(engine.run_all(probes))
    spent = time.process_time() - started
    assert [f"{r.probe}: {r.reason}" for r in results if r.result_class not in ("pass", "allowed")] == []
    assert len(results) == len(probes)
    assert spent < BUDGET * len(format_ids())


@pytest.mark.parametrize("harness", ["construct", "kaitai"])
def test_schemas_agree_on_every_undamaged_journal(harness: str, make_engine: MakeEngine) -> None:
    probes = probes_of(cases_of("smoke"))
    results = list(make_engine(harness).run_all(probes))
    results += make_engine(harness, Options(validate=True)).run_all(probes[::25])
    assert [f"{r.probe}: {r.reason}" for r in results if r.red] == []
    undamaged = {p.id for p in probes if p.op == "read" and "damage" not in p.case.needs}
    judged = {r.probe for r in results if r.result_class != "unsupported"}
    assert judged == undamaged
    assert count(results)["pass"] > len(undamaged) * 0.9
