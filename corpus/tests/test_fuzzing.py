"""The fuzzer's own conscience: inputs repeat, and each kind of misbehaviour is found."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import cast

import fuzz
import pytest
from fuzz import Readers, Source, Unsound, judge

from journalspec.formats import UnknownFormat, format_ids
from journalspec.observation import Dropped, Observation

FORMAT = format_ids()[0]


class Fake:
    """Readers that do one thing wrong."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def run(self, files: Mapping[str, bytes], edition: str) -> str:
        self.act()
        return "fine"


def deeper() -> object:
    return deeper()


def endless() -> None:
    while True:
        pass


def test_an_input_is_a_function_of_seed_and_number() -> None:
    one, two = Source(FORMAT, 7), Source(FORMAT, 7)
    forwards = [one[number] for number in range(120)]
    backwards = [two[number] for number in reversed(range(120))]
    assert forwards == backwards[::-1]
    assert len({str(item.files) for item in forwards}) > 90
    assert Source(FORMAT, 8)[3].files != one[3].files


def test_a_format_without_mutations_is_refused() -> None:
    with pytest.raises(UnknownFormat):
        Source("nonsense", 1)


def test_the_readers_stand_a_few_hundred_inputs() -> None:
    source, readers = Source(FORMAT, 1), Readers(FORMAT)
    judged = [judge(readers, source[number], measure=number % 40 == 39) for number in range(400)]
    assert [problem for _, problem in judged if problem] == []
    assert len({outcome for outcome, _ in judged}) > 8, "the inputs are all alike"


def test_the_readers_stand_what_is_made_to_cost_much() -> None:
    """All in time; memory, which is slow to measure, of each fourth."""
    source, readers = Source(FORMAT, 1), Readers(FORMAT)
    inputs = list(fuzz.costly(source))
    assert len(inputs) > 40
    found = [judge(readers, item, measure=number % 4 == 3) for number, item in enumerate(inputs)]
    assert [problem for _, problem in found if problem] == []


@pytest.mark.parametrize(
    ("act", "seen"),
    [
        (lambda: None, ""),
        (lambda: dict[str, int]()["missing"], "KeyError"),
        (deeper, "RecursionError"),
        (endless, "no answer within 0.05 s"),
        (lambda: bytearray(64 << 20), "allocated at once"),
    ],
)
def test_misbehaviour_is_a_find(
    act: Callable[[], object], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    before = signal.signal(signal.SIGPROF, fuzz.raise_too_long)
    try:
        _, problem = judge(cast("Readers", Fake(act)), Source(FORMAT, 1)[3], measure=True)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert seen in problem
    assert bool(seen) == bool(problem)


@pytest.mark.parametrize(
    "dropped",
    [
        (Dropped("f", 0, 11, "x"),),
        (Dropped("f", 0, 5, "x"), Dropped("f", 4, 2, "x")),
        (Dropped("f", 3, -1, "x"),),
    ],
)
def test_an_observation_that_cannot_be_true_is_a_find(dropped: tuple[Dropped, ...]) -> None:
    with pytest.raises(Unsound):
        fuzz.sound(Observation("recovered", dropped=dropped), {"f": bytes(10)})
