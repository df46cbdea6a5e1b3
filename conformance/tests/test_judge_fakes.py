"""The result for each fake, probe by probe, is exactly the one that its fault requires."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fakes.references import CLAIMS, HOOKS, SERVED

from journalspec_conformance.engine import Engine, Options
from journalspec_corpus import Probe
from judged import PROBE, fake, has
from tables import table

CLEAN_READ = "btm.judge.clean/read"
WRITE = "btm.judge.write/write"

VERDICTS = table("fakes")

#: Fakes that are never asked a question: see commands.toml.
REFUSED = {"typo_policy", "typo_field", "typo_level"}

MakeEngine = Callable[..., Engine]


def outcomes(engine: Engine, probes: dict[str, Probe], names: list[str]) -> dict[str, str]:
    results = [engine.run(probes[name]) for name in names]
    return {r.probe: " ".join(part for part in (r.result_class, r.fingerprint) if part) for r in results}


@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_fake_has_the_result_classes_of_the_table(name: str, make_engine: MakeEngine) -> None:
    assert outcomes(make_engine(fake(name)), PROBE, list(VERDICTS[name])) == VERDICTS[name]


def test_validation_finds_faults_that_comparison_does_not_report(make_engine: MakeEngine) -> None:
    result = make_engine(fake("bad_schema"), Options(validate=True)).run(PROBE[CLEAN_READ])
    assert result.result_class == "error"
    has(result.reason, "records", "'string'")


def test_crash_keeps_the_tail_of_standard_error_and_the_run_continues(make_engine: MakeEngine) -> None:
    engine = make_engine(fake("crasher"))
    first = engine.run(PROBE[CLEAN_READ])
    assert first.stderr.strip() == "about to die"
    assert "exit status 77" in first.reason
    assert engine.run(PROBE[WRITE]).result_class == "pass"


def test_every_fake_has_expected_results() -> None:
    assert {*HOOKS, *CLAIMS, *SERVED} == {*VERDICTS, *REFUSED}
