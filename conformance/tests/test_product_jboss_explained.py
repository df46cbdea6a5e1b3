"""On every recorded input the specification's outcome is known, and each other outcome has its deviation."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from journalspec.deviations import deviations
from journalspec_conformance.harnesses import jboss_journal
from journalspec_conformance.harnesses.jboss_journal.recorded import (
    EDITIONS,
    FORMAT,
    Difference,
    Outcome,
    Recorded,
    differences,
    explanations,
    recorded_inputs,
    specified,
    table,
)

OUTCOMES = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "jboss_journal" / "outcomes"


@pytest.fixture(scope="module")
def inputs() -> list[Recorded]:
    if not OUTCOMES.is_dir():
        pytest.skip(f"real files are missing: {OUTCOMES}")
    return list(recorded_inputs(OUTCOMES))


@pytest.fixture(scope="module")
def compared(inputs: list[Recorded]) -> tuple[list[Difference], Counter[str]]:
    counts: Counter[str] = Counter()
    return list(differences(inputs, counts)), counts


@pytest.mark.real
def test_all_recorded_inputs_are_there(inputs: list[Recorded]) -> None:
    assert len({recorded.name for recorded in inputs}) == 2210


@pytest.mark.real
def test_no_difference_is_unexplained_and_none_has_two_reasons(
    compared: tuple[list[Difference], Counter[str]],
) -> None:
    found, counts = compared
    assert [item for item in found if len(item.deviations) != 1] == []
    assert set(counts) == set(EDITIONS)
    assert 0 < len(found) < sum(counts.values()) / 10


@pytest.mark.real
def test_every_entry_explains_something(inputs: list[Recorded]) -> None:
    used = set()
    for recorded in inputs:
        for name, first in recorded.outcomes.items():
            wanted = specified(recorded, EDITIONS[name])
            loads = ((1, first), (2, recorded.second.get(name, first)))
            used |= {
                entry
                for entry in explanations()
                for load, outcome in loads
                if not wanted.same(outcome) and entry.accounts_for(name, recorded.name, load, outcome)
            }
    assert set(explanations()) - used == set()


@pytest.mark.real
def test_the_table_is_the_published_one(compared: tuple[list[Difference], Counter[str]]) -> None:
    published = files(jboss_journal).joinpath("recorded.md").read_text(encoding="utf-8")
    assert published == table(*compared)


def test_every_explanation_names_a_deviation_that_is_listed() -> None:
    listed = {entry.id for entry in deviations(FORMAT)}
    assert {entry.deviation for entry in explanations()} - listed == set()


def test_a_deviation_that_nobody_explains_shows_up_in_the_table() -> None:
    found = [Difference("jbm-s0", "x", 1, Outcome(), Outcome("a: b (c)"), ())]
    assert "| unexplained | 1 |" in table(found, {"jbm-s0": 3})
