"""Measured rates: how often what a crash left is taken for what it is not, with intervals.

Three questions are asked of the states of one crash point, each with a denominator of
its own (:data:`QUESTIONS`). A state counts once. Rates are only made of crash points
whose space of states a preset was enumerated in *whole*: every mask, or every
cut, exactly once. Crash points that are too large for that hold a choice of masks with
few deviations beside samples; no weight makes one rate of both, so they are left
out, and how many that were is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.corruption import EVERY_BIT, Places
from journalspec_corpus.crash.facts import Facts, Rows
from journalspec_corpus.crash.losses import EXHAUSTIVE, admitted, allowed_cuts, as_write, subsets
from journalspec_corpus.crash.persistence import CORRUPTED, PRESETS, REACHABLE
from journalspec_corpus.crash.verdict import VERDICTS

#: Two-sided 95 per cent of the normal distribution.
Z95 = 1.959963984540054
TORN, RESURRECTION = "undetected-torn", "resurrection"
ROT, ROT_HEADER = "undetected-rot", "undetected-rot-header"
#: question -> its denominator, and what is counted of it
QUESTIONS: Mapping[str, tuple[str, str]] = {
    TORN: (
        "states in which the write of at least one record has arrived in part",
        "those in which the strict reader takes in a record that nobody wrote (torn-accepted), "
        "or says nothing where a report is owed (silent)",
    ),
    RESURRECTION: (
        "states of traces over an earlier life of the file in which at least one write has not arrived "
        "as a whole",
        "those in which the strict reader brings a record of the earlier life back (resurrected)",
    ),
    ROT: (
        f"single bits of records of at most {EVERY_BIT} bytes, every bit of each, flipped when all "
        "was durable",
        "those after which the strict reader neither refuses nor reports, and what it recovers "
        "is not what was there",
    ),
    ROT_HEADER: (
        "single bits of file headers (up to the first record, or 64 bytes), every bit of each, flipped "
        "when all was durable",
        "those after which the strict reader neither refuses nor reports, and what it recovers "
        "is not what was there",
    ),
}
_TORN_FAILURES = ("torn-accepted", "silent")
#: Whoever refuses has noticed something.
_ROT_FAILURES = tuple(name for name, broken in VERDICTS.items() if broken and name != "refused")
_FIRST_FIVE = frozenset({"I1", "I2", "I3", "I4", "I5"})
#: Verdicts that break one of I1 to I5: what keeps a format from being safe under a preset.
UNSAFE = frozenset(name for name, broken in VERDICTS.items() if _FIRST_FIVE & set(broken))
Verdicts = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Rate:
    """`k` of `n`, and the interval that goes with it."""

    k: int
    n: int

    @property
    def rate(self) -> float:
        """k / n, 0 if n is 0."""
        return self.k / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at 95 per cent; for 0 of n it ends at 3 / n, for 0 of 0 it is everything."""
        if not self.n:
            return 0.0, 1.0
        if not self.k:
            return 0.0, min(1.0, 3 / self.n)
        return wilson(self.k, self.n)

    def __add__(self, other: Rate) -> Rate:
        """Return both together."""
        return Rate(self.k + other.k, self.n + other.n)


def wilson(k: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval for `k` of `n` (n at least 1), without correction for continuity."""
    rate = k / n
    middle = rate + z * z / (2 * n)
    spread = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    under = 1 + z * z / n
    return max(0.0, (middle - spread) / under), min(1.0, (middle + spread) / under)


def torn(facts: Facts) -> Rows:
    """Return the rows in which the write of a record has arrived in part."""
    out = ~facts.all
    for index in {index for index, _ in facts.issued}:
        out |= facts.touched(index) & ~facts.arrived(index)
    return out


def missing(facts: Facts) -> Rows:
    """Return the rows in which an operation in flight has not arrived as a whole."""
    out = ~facts.all
    for index in facts.point.reach:
        out |= ~facts.arrived(index)
    return out


def whole(states: States) -> dict[int, Rows]:
    """Return preset -> the rows that it leaves, for each preset of which they are all there, once each.

    Under a subset preset these are all combinations of versions that it admits,
    under a prefix preset all cuts of one write where it may be cut. Presets that
    make up content (garbage, other files' blocks) have no such space.
    """
    if states.stratum != REACHABLE or not len(states) or not states.point.blocks:
        return {}
    return _cuts(states) if states.torn >= 0 else _combinations(states)


def _combinations(states: States) -> dict[int, Rows]:
    levels = [np.asarray(block.levels) for block in states.point.blocks]
    dims = tuple(int((level >= 0).sum()) for level in levels)
    if prod(dims) > EXHAUSTIVE:
        return {}
    written = np.ones(len(states), bool)
    for at, level in enumerate(levels):
        written &= level[states.codes[:, at]] >= 0
    every = subsets(dims)
    found = {}
    for number, preset in enumerate(PRESETS):
        if preset.order == "subset" and preset.granule == states.point.granule and preset.plain:
            rows = written & admitted(states.point, states.codes, preset)
            if rows.any() and int(rows.sum()) == int(admitted(states.point, every, preset).sum()):
                found[number] = rows
    return found


def _cuts(states: States) -> dict[int, Rows]:
    op = as_write(states.point.trace.ops[states.torn])
    if op is None:
        return {}
    size = states.point.sizes[states.point.names[op.file]]
    found = {}
    for number, preset in enumerate(PRESETS):
        if preset.order == "prefix":
            may = np.flatnonzero(allowed_cuts(op, preset, size))
            rows = np.isin(states.tear, may)
            if int(rows.sum()) == len(may):
                found[number] = rows
    return found


Key = tuple[str, int]


def count(states: States, verdicts: Verdicts) -> dict[Key, Rate]:
    """Return (question, preset) -> how many of the states of a crash point are what it asks for.

    `verdicts` holds the strict reader's verdict of each state, as an index into
    :data:`VERDICTS`. A crash point that was not enumerated whole gives nothing.
    """
    if states.stratum == CORRUPTED:
        return _rotten(states, verdicts)
    out: dict[Key, Rate] = {}
    spaces = whole(states)
    if not spaces:
        return out
    facts = Facts(states)
    halves, lost = torn(facts), missing(facts)
    for preset, rows in spaces.items():
        out[TORN, preset] = _of(rows & halves, verdicts, _TORN_FAILURES)
        if states.point.trace.stale:
            out[RESURRECTION, preset] = _of(rows & lost, verdicts, ("resurrected",))
    return out


def _rotten(states: States, verdicts: Verdicts) -> dict[Key, Rate]:
    """Count single bits: those of headers, and those of records of which every bit was flipped."""
    if not any(text.startswith("bit:") for text in states.rot):
        return {}
    places = Places(states.point)
    headers = {(name, at) for name, start, end in places.headers for at in range(start, end)}
    spans = [span for span in places.records if span[2] - span[1] <= EVERY_BIT]
    inside = {(name, at) for name, start, end in spans for at in range(start, end)}
    kinds = [_place(text, headers, inside) for text in states.rot]
    out = {}
    for question in (ROT, ROT_HEADER):
        rows = np.asarray([kind == question for kind in kinds], bool)
        for preset in sorted(set(states.preset[rows].tolist())):
            out[question, preset] = _of(rows & (states.preset == preset), verdicts, _ROT_FAILURES)
    return out


def _place(text: str, headers: set[tuple[str, int]], inside: set[tuple[str, int]]) -> str:
    kind, _, rest = text.partition(":")
    if kind != "bit":
        return ""
    name, off, _ = rest.rsplit(":", 2)
    if (name, int(off)) in headers:
        return ROT_HEADER
    return ROT if (name, int(off)) in inside else ""


def _of(rows: Rows, verdicts: Verdicts, wanted: tuple[str, ...]) -> Rate:
    names = list(VERDICTS)
    chosen = verdicts[rows]
    hits = np.isin(chosen, [names.index(name) for name in wanted])
    return Rate(int(hits.sum()), len(chosen))


def weakest_safe(failing: Mapping[int, int], looked_at: Mapping[int, int]) -> int | None:
    """Return the weakest preset under which nothing fails, nor under a stronger one; None if there is none.

    `failing` and `looked_at` are numbers of states by the strongest preset that
    reaches them. Only presets of which there are states say anything.
    """
    safe = None
    for preset in range(len(PRESETS)):
        if failing.get(preset, 0):
            return safe
        if looked_at.get(preset, 0):
            safe = preset
    return safe
