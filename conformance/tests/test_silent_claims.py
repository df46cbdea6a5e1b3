"""An implementation that does not tell what it skips is not asked to tell clean from recovered."""

from __future__ import annotations

import pytest

from journalspec_conformance.compare import Claims, compare

SILENT, TALKING = Claims(silent=True), Claims()


@pytest.mark.parametrize(("expected", "observed"), [("clean", "recovered"), ("recovered", "clean")])
def test_both_are_one_verdict(expected: str, observed: str) -> None:
    assert compare({"verdict": expected}, {"verdict": observed}, SILENT) is None
    talking = compare({"verdict": expected}, {"verdict": observed}, TALKING)
    assert talking is not None
    assert talking.fingerprint == "verdict"


def test_a_refusal_is_still_another_verdict() -> None:
    answered = compare({"verdict": "refused"}, {"verdict": "clean"}, SILENT)
    refused = {"verdict": "refused", "phase": "header", "code": "x"}
    turned_down = compare({"verdict": "clean"}, refused, SILENT)
    assert answered is not None
    assert answered.fingerprint == "verdict"
    assert turned_down is not None
    assert turned_down.fingerprint == "refused:header/x"


def test_records_are_still_compared() -> None:
    found = compare(
        {"verdict": "recovered", "records": [{"type": "ADD"}]}, {"verdict": "clean", "records": []}, SILENT
    )
    assert found is not None
    assert found.fingerprint == "records:missing"
