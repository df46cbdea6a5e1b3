"""How often a torn record passes for a whole one, by counting and by formula.

A record lies over k sectors, its head in the first and its last four bytes in
the last; each sector is kept or lost on its own. Of the 2**k - 1 ways to lose
at least one, a check size accepts

    over zeros              those that keep both ends: 2**(k-2) - 1
    over an earlier life    those that keep the head (same length, same place,
                            so the old last four bytes fit): 2**(k-1) - 1

and the calculated hash accepts none. ``python -m journalspec_corpus.jboss_journal.tears``
prints what the reference reader accepts beside these numbers. Exit status: 0
if they agree, 1 if not.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt

from journalspec_corpus.edits import Built
from journalspec_corpus.jboss_journal.author import FORMAT_ID, build
from journalspec_reference.api import load

SECTOR = 512
#: Where in its sectors the record begins and ends: behind a header, and before the edge.
LEAST_HEAD, TAIL = 64, 100
BACKGROUNDS = ("zero", "stale")
HASHED = "seed+hash"
#: So many standard deviations a sample may be off.
SIGMAS = 3
ENUMERATED = (2, 3, 4, 5, 6, 7, 8)
SAMPLED, SAMPLES = (3, 4, 8, 16, 24), 1500


@dataclass(frozen=True)
class Bench:
    """A record of `edition` over `k` sectors, and what was in these sectors before."""

    edition: str
    k: int
    background: str

    @cached_property
    def _built(self) -> Built:
        """The whole record, from the last LEAST_HEAD bytes of sector 0 to TAIL bytes of sector k - 1."""
        start = SECTOR - LEAST_HEAD
        fixed = self._journal(f"a ADD id=1 body= to={start}").labels["a"].length
        body = (self.k - 2) * SECTOR + LEAST_HEAD + TAIL - fixed
        return self._journal(f"a ADD id=1 body=5a*{body} to={start}")

    @cached_property
    def _before(self) -> bytes:
        """Zeros, or a record of the same place and length with other content and another file id."""
        spot = self._built.labels["a"]
        if self.background == "zero":
            return bytes(self.k * SECTOR)
        body = self._built.labels["a.body"].length
        return bytes(self._journal(f"a ADD id=2 body=6f*{body} to={spot.off} stamp=3").files[spot.file])

    def _journal(self, record: str) -> Built:
        return build({"files": [{"records": [record], "size": self.k * SECTOR, "id": 5}]}, self.edition)

    def image(self, kept: Sequence[bool]) -> bytes:
        """Return the file with the sectors that are not `kept` as they were before.

        The file's header is durable long since and stays.
        """
        spot = self._built.labels["a"]
        header = self._built.labels["f1.header"].length
        data = bytearray(self._built.files[spot.file])
        for index, new in enumerate(kept):
            if not new:
                start = max(index * SECTOR, header)
                data[start : (index + 1) * SECTOR] = self._before[start : (index + 1) * SECTOR]
        return bytes(data)

    def accepts(self, kept: Sequence[bool]) -> bool:
        """Tell whether the reference reader takes the record for whole."""
        spot = self._built.labels["a"]
        seen = load(FORMAT_ID).read({spot.file: self.image(kept)}, edition=self.edition)
        return any((record.at.off, record.at.length) == (spot.off, spot.length) for record in seen.records)

    def formula(self) -> Fraction:
        """Return the rate of accepted among torn."""
        torn = (1 << self.k) - 1
        if self.edition == HASHED:
            return Fraction(0)
        free = self.k - 2 if self.background == "zero" else self.k - 1
        return Fraction((1 << free) - 1, torn)

    def enumerated(self) -> Fraction:
        """Return the rate over every way to lose at least one sector."""
        masks = range((1 << self.k) - 1)  # the last mask would lose nothing
        accepted = sum(self.accepts([bool(mask >> index & 1) for index in range(self.k)]) for mask in masks)
        return Fraction(accepted, len(masks))

    def sampled(self, count: int, seed: int = 0) -> int:
        """Return how many of `count` ways, drawn evenly, are accepted."""
        rng = random.Random(f"{seed} {self}")  # repeatable, not secret
        accepted = 0
        for _ in range(count):
            mask = rng.randrange((1 << self.k) - 1)
            accepted += self.accepts([bool(mask >> index & 1) for index in range(self.k)])
        return accepted

    def within(self, accepted: int, count: int) -> bool:
        """Tell whether a sample is within SIGMAS standard deviations of the formula."""
        rate = float(self.formula())
        return abs(accepted - rate * count) <= SIGMAS * sqrt(count * rate * (1 - rate))


def rows(editions: Iterable[str], ks: Iterable[int], samples: int, seed: int) -> Iterable[tuple[str, bool]]:
    """Yield a printed line and whether its numbers agree."""
    for edition in editions:
        for background in BACKGROUNDS:
            for k in ks:
                bench = Bench(edition, k, background)
                formula = bench.formula()
                line = f"{edition:10} {background:6} {k:3} {float(formula):8.4%}"
                if k in ENUMERATED:
                    counted = bench.enumerated()
                    yield f"{line}  counted {counted} = {float(counted):.4%}", counted == formula
                if k in SAMPLED:
                    accepted = bench.sampled(samples, seed)
                    yield f"{line}  sampled {accepted} of {samples}", bench.within(accepted, samples)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m journalspec_corpus.jboss_journal.tears", description=__doc__
    )
    parser.add_argument("--editions", default=f"seed,v2,{HASHED}", help="editions, separated by commas")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="masks drawn for each sampled row")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    status = 0
    print("edition    before   k  formula")
    for line, agrees in rows(
        options.editions.split(","), sorted({*ENUMERATED, *SAMPLED}), options.samples, options.seed
    ):
        print(line + ("" if agrees else "  DIFFERS"), flush=True)
        status |= not agrees
    return status


if __name__ == "__main__":
    sys.exit(main())
