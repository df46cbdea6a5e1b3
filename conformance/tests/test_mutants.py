"""The gate: the corpus notices every mutant of the reference, and the reference by no case."""

from __future__ import annotations

import pytest

from journalspec.formats import format_ids
from journalspec_conformance.mutation import killers, main, shuffled
from journalspec_corpus import load_cases
from journalspec_corpus.mutants import load_mutants
from journalspec_reference import load

MUTANTS = [mutant for format_id in format_ids() for mutant in load_mutants(format_id)]


@pytest.mark.parametrize("format_id", format_ids())
def test_no_case_notices_the_reference(format_id: str) -> None:
    assert killers(load(format_id), load_cases(format_id)) == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.format}-{mutant.id}")
def test_enough_cases_notice_a_mutant(mutant: object) -> None:
    cases = shuffled(load_cases(mutant.format))  # type: ignore[attr-defined]  # pytest knows no types of parameters
    found = killers(mutant.implementation(), cases, mutant.enough)  # type: ignore[attr-defined]  # as above
    assert len(found) >= mutant.enough, found  # type: ignore[attr-defined]  # as above


def test_an_unknown_format_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nosuch"]) == 2
    assert "nosuch" in capsys.readouterr().err
