"""The generator checked against arithmetic: a length-only rule on states of the engine, and in closed form.

A record lies over k granules, its head in the first, its length in the last four
bytes; each granule is there or not. Of the 2**k - 1 ways to lose something, a
rule that looks at head and length alone accepts

    over zeros              those that keep both ends: 2**(k-2) - 1
    over an earlier life    those that keep the head (an old record of the same
                            length, in the same place): 2**(k-1) - 1

Small k are enumerated by the engine and have to agree exactly. For large k it adds
samples to the states with at most two deviations; these samples are held against
the same count among masks with more than two deviations, within SIGMAS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt

import numpy as np

from journalspec_corpus.crash.cells import Codes
from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.model import get_preset
from journalspec_corpus.crash.oracle import Rows
from journalspec_corpus.crash.trace import Mark, Sync, Trace, Write

PRESET = "epoch-subset-512"
BACKGROUNDS = ("zero", "stale-same")
ENUMERATED, SAMPLED = (2, 3, 4, 8, 12), (16, 20, 24)
SIGMAS = 3
FILE = "toy"
HEAD, TAIL = 16, 4


@dataclass(frozen=True, slots=True)
class Checked:
    """One comparison: `k` of `n` torn states were accepted, and `formula` says what was to be expected."""

    background: str
    sectors: int
    how: str
    formula: Fraction
    k: int
    n: int

    @property
    def agrees(self) -> bool:
        """Whether an enumeration is equal to the formula, or a sample within SIGMAS of it."""
        if self.how == "enumerated":
            return Fraction(self.k, self.n) == self.formula
        rate = float(self.formula)
        return abs(self.k - rate * self.n) <= SIGMAS * sqrt(self.n * rate * (1 - rate))


def self_check(seed: int) -> Iterator[Checked]:
    """Yield every comparison."""
    for background in BACKGROUNDS:
        for sectors in ENUMERATED:
            yield _checked(background, sectors, seed, "enumerated")
        for sectors in SAMPLED:
            yield _checked(background, sectors, seed, "sampled")


def toy(sectors: int, background: str) -> Trace:
    """Return the trace that writes one record over `sectors` granules, with a force behind it."""
    size = sectors * get_preset(PRESET).granule
    new, old = _record(size, 1), _record(size, 2)
    base = old if background == "stale-same" else bytes(size)
    mark = Mark("r1", FILE, 0, size, "r1")
    stale = (Mark("old", FILE, 0, size, "old"),) if background == "stale-same" else ()
    ops = (Write(FILE, 0, new), mark, Sync(FILE))
    return Trace("toy", "toy", f"toy/{sectors}/{background}", {FILE: base}, ops, background, stale=stale)


def _record(size: int, life: int) -> bytes:
    """Return head, body and length; two lives differ in every granule and not in the length."""
    body = bytes(0x40 + (life * 61 + at + at // 256) % 97 for at in range(size - HEAD - TAIL))
    return _head(life) + body + size.to_bytes(TAIL, "big")


def _head(life: int) -> bytes:
    return b"RECORD".ljust(HEAD - 1, b".") + bytes([life])


def accepts(content: bytes) -> bool:
    """Tell whether head and length are those of the record that was written."""
    return content.startswith(_head(1)) and content.endswith(len(content).to_bytes(TAIL, "big"))


def _checked(background: str, sectors: int, seed: int, how: str) -> Checked:
    (states,) = _full(crash_states(toy(sectors, background), (get_preset(PRESET),), seed), sectors)
    rows = ~_whole(states.codes)
    if how == "sampled":
        lost = (states.codes == 0).sum(axis=1)
        rows &= (lost > 2) & (lost < sectors - 2)
    taken = np.flatnonzero(rows).tolist()
    accepted = sum(accepts(states.group.materialise(states.codes[row])[FILE]) for row in taken)
    formula = _formula(background, sectors) if how == "enumerated" else _formula_of_many(background, sectors)
    return Checked(background, sectors, how, formula, accepted, len(taken))


def _full(found: Iterator[States], sectors: int) -> list[States]:
    """Return the states with the whole record in flight, the first time that it is."""
    return [states for states in found if len(states.group.cells) == sectors][:1]


def _whole(codes: Codes) -> Rows:
    return np.asarray((codes == 1).all(axis=1))


def _formula(background: str, sectors: int) -> Fraction:
    free = sectors - 2 if background == "zero" else sectors - 1
    return Fraction(2**free - 1, 2**sectors - 1)


def _formula_of_many(background: str, sectors: int) -> Fraction:
    """Return the rate among masks that lose more than two granules and keep more than two."""
    free = sectors - 2 if background == "zero" else sectors - 1
    span = range(3, sectors - 2)
    return Fraction(sum(comb(free, lost) for lost in span), sum(comb(sectors, lost) for lost in span))
