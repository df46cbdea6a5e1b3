"""All states of a trace that are looked at, strongest preset first."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_corpus.crash.combos import EXHAUSTIVE, SAMPLES, subsets
from journalspec_corpus.crash.epochs import subset_states
from journalspec_corpus.crash.extras import garbage_bytes
from journalspec_corpus.crash.lies import lied_states
from journalspec_corpus.crash.model import Preset
from journalspec_corpus.crash.rot import rotten_states
from journalspec_corpus.crash.stateset import States
from journalspec_corpus.crash.tearing import EVERY_BYTE, FRONT, prefix_states
from journalspec_corpus.crash.trace import Trace

__all__ = [
    "EVERY_BYTE",
    "EXHAUSTIVE",
    "FRONT",
    "SAMPLES",
    "States",
    "crash_states",
    "garbage_bytes",
    "subsets",
]


def crash_states(
    trace: Trace, presets: tuple[Preset, ...], seed: int, *, everywhere: bool = False
) -> Iterator[States]:
    """Yield the states of `trace` under `presets` in a fixed order, one stratum after the other.

    With `everywhere`, presets with a share are applied to this trace even if it is not chosen for them.

    A state that a stronger preset already reaches at the same crash point is
    left out where that is cheap to see; the rest falls to the de-duplication by id.
    """
    yield from prefix_states(trace, presets)
    covered = any(preset.order == "prefix" for preset in presets)
    yield from subset_states(trace, presets, seed, covered)
    yield from lied_states(trace, presets, everywhere=everywhere)
    yield from rotten_states(trace, presets, seed, everywhere=everywhere)
