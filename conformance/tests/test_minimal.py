"""Few cases see every mutant: the greedy choice."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from journalspec_conformance import minimal
from journalspec_conformance.minimal import greedy


def often_enough(taken: list[str], noticed: Mapping[str, frozenset[str]], enough: int) -> bool:
    mutants = frozenset().union(*noticed.values())
    have = {name: sum(name in noticed[case] for case in taken) for name in mutants}
    there = {name: sum(name in found for found in noticed.values()) for name in mutants}
    return all(have[name] >= min(enough, there[name]) for name in mutants)


def test_every_mutant_is_noticed_as_often_as_wanted_or_as_it_can_be() -> None:
    noticed = {
        "wide": frozenset("abcd"),
        "front": frozenset("ab"),
        "back": frozenset("cd"),
        "rare": frozenset("e"),
        "none": frozenset(),
        "again": frozenset("abcd"),
    }
    assert greedy(noticed, 1) == ["wide", "rare"]
    assert greedy(noticed, 2) == ["wide", "again", "rare"]
    assert often_enough(greedy(noticed, 3), noticed, 3)
    assert len(greedy(noticed, 3)) == 5
    assert greedy({}) == []


def test_the_command_prints_sizes_and_cases(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimal, "load_mutants", lambda _: [])
    monkeypatch.setattr(minimal, "of_smoke_cases", lambda _: {"one": frozenset("a"), "two": frozenset("b")})
    monkeypatch.setattr(minimal, "of_crash_states", lambda *_: {"both": frozenset("ab")})
    assert minimal.main(["any", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "any: smoke: 2 of 2 see 2 of 0 mutants"
    assert lines[-4].startswith("any: smoke and crash: 3 of 3")
    assert lines[-3] == "  both"


def test_an_unknown_format_is_usage() -> None:
    assert minimal.main(["no_such"]) == 2
