"""Closed forms of torn-but-accepted records come out of the engine's own states, on recorded traces."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt

import numpy as np
import numpy.typing as npt
import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.blocks import EXHAUSTIVE, States
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.crash.reading import answers
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.jboss_journal.recording import build
from journalspec_corpus.jboss_journal.tears import Bench
from journalspec_corpus.jboss_journal.workloads import Step, Workload

SECTOR, SIGMAS, SEED = 512, 3, 1
#: background of a workload -> that of a bench
BACKGROUNDS = {"zero": "zero", "stale-same": "stale"}
TAIL = 100
Rows = npt.NDArray[np.bool_]


def over(k: int, edition: str, background: str) -> States:
    """Return all states of a record that begins on a sector's edge and ends in the k-th sector from there."""
    empty = Workload("append", edition, (Step("add", 1, 0),), background=background)
    (mark,) = next(iter(build(empty).marks.values()))
    body = (k - 1) * SECTOR + TAIL - mark.length
    trace = build(Workload("append", edition, (Step("add", 1, body),), background=background))
    ((mark,),) = trace.marks.values()
    assert mark.off % SECTOR == 0
    assert mark.length == (k - 1) * SECTOR + TAIL
    (states,) = (
        states
        for states in crash_states(trace, (get_preset("epoch-subset-512"),), SEED)
        if sum(size == 2 for size in states.point.dims) == k
    )
    return states


def accepted(states: States) -> Rows:
    """Return the rows in which strict recovery lists a record with the new one's id."""
    adapter = crash_format("jboss_journal")
    found, which = answers(states.point, states.codes, adapter.read)
    lists = [any(key.startswith("ADD:0:1:") for key in (*each[0].keys, *each[0].aside)) for each in found]
    return np.asarray(lists, bool)[which]


def kept(states: States) -> Rows:
    """Return for each row which of the record's sectors arrived."""
    return np.asarray(states.codes[:, [size == 2 for size in states.point.dims]] == 1)


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("edition", ["seed", "v2", "seed+hash"])
def test_small_records_are_torn_in_every_way_and_accepted_as_often_as_the_formula_says(
    edition: str, background: str
) -> None:
    for k in (2, 3, 4, 6, 8) if edition == "v2" else (2, 3, 5):
        states = over(k, edition, background)
        torn = ~kept(states).all(axis=1)
        assert len(states) == 1 << k
        rate = Fraction(int(accepted(states)[torn].sum()), int(torn.sum()))
        assert rate == Bench(edition, k, BACKGROUNDS[background]).formula()
        assert accepted(states)[~torn].all()


def sampled(k: int, background: str) -> tuple[Rows, Rows]:
    """Return which sectors arrived in samples (three lost and three kept at least), and who is accepted."""
    states = over(k, "v2", background)
    mask = kept(states)
    count = mask.sum(axis=1)
    drawn = (count > 2) & (count < k - 2)
    return mask[drawn], accepted(states)[drawn]


@pytest.mark.parametrize("k", [16, 20])
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_large_records_are_sampled_and_accepted_as_often_as_the_formula_says(k: int, background: str) -> None:
    mask, taken = sampled(k, background)
    n = len(mask)
    assert EXHAUSTIVE * 0.9 < n <= EXHAUSTIVE
    free = k - 2 if background == "zero" else k - 1
    # Of the masks with three lost and three kept at least, those that keep the head (and the check).
    inner = range(3, k - 2)
    rate = sum(comb(free, lost) for lost in inner) / sum(comb(k, lost) for lost in inner)
    assert abs(taken.sum() - n * rate) <= SIGMAS * sqrt(n * rate * (1 - rate))
    # Close to the rate over all masks, which is what the closed form is about.
    assert abs(rate - float(Bench("v2", k, BACKGROUNDS[background]).formula())) < 0.01


@pytest.mark.parametrize("k", [16, 20])
def test_masks_are_drawn_evenly(k: int) -> None:
    """Chi-square of how often each sector arrived, and of how many did."""
    mask, _ = sampled(k, "zero")
    n = len(mask)
    ones = mask.sum(axis=0)
    assert ((ones - n / 2) ** 2 / (n / 4)).sum() < k + SIGMAS * sqrt(2 * k)
    inner = range(3, k - 2)
    weights = np.asarray([comb(k, count) for count in inner], float)
    expected = n * weights / weights.sum()
    observed = np.bincount(mask.sum(axis=1), minlength=k)[inner.start : inner.stop]
    often = expected >= 5
    degrees = int(often.sum())
    spread = ((observed - expected) ** 2 / expected)[often].sum()
    assert spread < degrees + SIGMAS * sqrt(2 * degrees)
    assert len(np.unique(mask, axis=0)) == n
