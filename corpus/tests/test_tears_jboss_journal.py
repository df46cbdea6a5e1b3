"""Closed forms of torn-but-accepted records: counted exactly, sampled within three sigma."""

from __future__ import annotations

from fractions import Fraction

import pytest

from journalspec_corpus.jboss_journal.tears import BACKGROUNDS, HASHED, Bench, main

EDITIONS = ("seed", "s1", "s2", "v1", "v2", "v2e")


@pytest.mark.parametrize(
    ("background", "k", "rate"),
    [
        ("zero", 2, Fraction(0)),
        ("zero", 3, Fraction(1, 7)),
        ("zero", 4, Fraction(3, 15)),
        ("zero", 8, Fraction(63, 255)),
        ("stale", 2, Fraction(1, 3)),
        ("stale", 3, Fraction(3, 7)),
        ("stale", 4, Fraction(7, 15)),
        ("stale", 8, Fraction(127, 255)),
    ],
)
def test_the_formula_gives_the_known_numbers(background: str, k: int, rate: Fraction) -> None:
    assert Bench("v2", k, background).formula() == rate


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_mask_is_accepted_or_not_as_the_formula_says(edition: str, background: str) -> None:
    for k in (2, 3, 4, 5, 6):
        bench = Bench(edition, k, background)
        assert bench.enumerated() == bench.formula(), k


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_the_hash_lets_no_torn_record_pass(background: str) -> None:
    for k in (2, 3, 5, 7):
        assert Bench(HASHED, k, background).enumerated() == 0


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("k", [3, 12, 40])
def test_samples_are_within_three_sigma(k: int, background: str) -> None:
    bench = Bench("v2", k, background)
    assert bench.within(bench.sampled(600), 600)
    assert not bench.within(600, 600), "a sample that accepts everything is no such sample"


@pytest.mark.parametrize("edition", [*EDITIONS, HASHED])
def test_a_record_that_is_whole_is_accepted(edition: str) -> None:
    for background in BACKGROUNDS:
        assert Bench(edition, 4, background).accepts([True] * 4)


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--editions", "s2", "--samples", "50"]) == 0
    out = capsys.readouterr().out
    assert "counted 1/7 = 14.2857%" in out
    assert "counted 7/15 = 46.6667%" in out
