"""The fuzzer's own conscience: inputs repeat, and each kind of misbehaviour is found."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import fuzzing
import pytest
from fuzzing import Readers, Tally, TooLong, Unsound, judge

from journalspec.formats import UnknownFormat, format_ids
from journalspec.observation import Dropped, Observation
from journalspec_corpus.mutations import Source

FORMAT = format_ids()[0]


class Fake:
    """Readers that do one thing wrong."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def run(self, files: Mapping[str, bytes], edition: str) -> str:
        self.act()
        return "fine"


def judged(act: Callable[[], object], *, measure: bool = False) -> Tally:
    tally = Tally()
    judge(cast("Readers", Fake(act)), Source(FORMAT, 1)[3], tally, measure)
    return tally


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


@pytest.mark.parametrize("format_id", format_ids())
def test_the_readers_stand_some_inputs(format_id: str) -> None:
    source, readers, tally = Source(format_id, 1), Readers(format_id), Tally()
    readers.warm_up(source)
    for number in range(120):
        judge(readers, source[number], tally, number % 40 == 0)
    assert [find.problem for find in tally.finds] == []
    assert (tally.inputs, tally.measured) == (120, 3)
    assert len(tally.outcomes) > 3, "the inputs are all alike"


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert judged(lambda: None).finds == []
    assert judged(lambda: None, measure=True).finds == []


def test_an_exception_is_a_find() -> None:
    (find,) = judged(lambda: dict[str, int]()["missing"]).finds
    assert find.number == 3
    assert "KeyError" in find.problem


def test_a_recursion_without_end_is_a_find() -> None:
    def deeper() -> Any:
        return deeper()

    (find,) = judged(deeper).finds
    assert "RecursionError" in find.problem


def test_a_hang_is_a_find(monkeypatch: pytest.MonkeyPatch) -> None:

    def on_alarm(*_: object) -> None:
        raise TooLong

    monkeypatch.setattr(fuzzing, "SECONDS", 0.05)
    before = signal.signal(signal.SIGALRM, on_alarm)
    try:
        (find,) = judged(lambda: time.sleep(30)).finds
    finally:
        signal.signal(signal.SIGALRM, before)
    assert "no answer within 0.05 s" in find.problem


def test_a_large_allocation_is_a_find() -> None:
    (find,) = judged(lambda: bytearray(64 << 20), measure=True).finds
    assert "allocated at once" in find.problem


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
        fuzzing._sound(Observation("recovered", dropped=dropped), {"f": bytes(10)})
