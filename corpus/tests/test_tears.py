"""Closed forms of torn-but-accepted records: counted exactly, sampled within three sigma."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tears import BACKGROUNDS, HASHED, Bench, main

EDITIONS = ("seed", "s1", "s2", "v1", "v2", "v2e")
each_background = pytest.mark.parametrize("background", BACKGROUNDS)


@pytest.mark.parametrize(
    ("background", "k", "rate"),
    [
        ("zero", 2, Fraction(0)),
        ("zero", 3, Fraction(1, 7)),
        ("zero", 8, Fraction(63, 255)),
        ("stale", 2, Fraction(1, 3)),
        ("stale", 3, Fraction(3, 7)),
        ("stale", 8, Fraction(127, 255)),
    ],
)
def test_the_formula_gives_the_known_numbers(background: str, k: int, rate: Fraction) -> None:
    assert Bench("v2", k, background).formula() == rate


@each_background
@pytest.mark.parametrize("edition", [*EDITIONS, HASHED])
def test_every_mask_is_accepted_or_not_as_the_formula_says(edition: str, background: str) -> None:
    for k in (2, 3, 4, 5, 6):
        bench = Bench(edition, k, background)
        assert bench.accepts((1 << k) - 1), "a record that is whole is accepted"
        assert bench.enumerated() == bench.formula(), k
        assert bench.formula() > 0 or edition == HASHED or (k, background) == (2, "zero")


@each_background
@pytest.mark.parametrize("k", [3, 12, 40])
def test_samples_are_within_three_sigma(k: int, background: str) -> None:
    bench = Bench("v2", k, background)
    assert bench.within(bench.sampled(600), 600)
    assert not bench.within(600, 600), "a sample that accepts everything is no such sample"


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--editions", "s2", "--samples", "50"]) == 0
    out = capsys.readouterr().out
    assert "counted 1/7 = 14.2857%" in out
    assert "counted 7/15 = 46.6667%" in out
