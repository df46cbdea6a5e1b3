"""How often a torn record passes for a whole one, by counting and by formula.

A record lies over k sectors, its head in the first and its last four bytes in
the last; each sector is kept or lost on its own. Of the 2**k - 1 ways to lose
at least one, a check size accepts

    over zeros              those that keep both ends: 2**(k-2) - 1
    over an earlier life    those that keep the head (same length, same place,
                            so the old last four bytes fit): 2**(k-1) - 1

and the calculated hash accepts none. ``python corpus/checks/tears.py`` prints
what the reference reader accepts beside these numbers. Exit status: 0 if they
agree, 1 if not.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import sqrt

from journalspec_corpus.jboss_journal.author import build
from journalspec_reference.api import load

FORMAT, SECTOR = "jboss_journal", 512
#: Where in its sectors the record begins and ends: behind a header, and before the edge.
LEAST_HEAD, TAIL = 64, 100
BACKGROUNDS = ("zero", "stale")
HASHED = "seed+hash"
#: So many standard deviations a sample may be off.
SIGMAS = 3
ENUMERATED = (2, 3, 4, 5, 6, 7, 8)
SAMPLED, SAMPLES = (3, 4, 8, 16, 24), 1500


class Bench:
    """A record of `edition` over `k` sectors, and what was in these sectors before."""

    def __init__(self, edition: str, k: int, background: str) -> None:
        self.edition, self.k, self.background = edition, k, background
        start = SECTOR - LEAST_HEAD
        _, fixed, _ = self._journal(f"a ADD id=1 body= to={start}")
        body = (k - 2) * SECTOR + LEAST_HEAD + TAIL - fixed
        self._off, self._length, self._new = self._journal(f"a ADD id=1 body=5a*{body} to={start}")
        if background == "zero":
            self._old = bytes(len(self._new))
        else:
            # Of the same place and length, with other content and another file id.
            _, _, self._old = self._journal(f"a ADD id=2 body=6f*{body} to={start} stamp=3")

    def _journal(self, record: str) -> tuple[int, int, bytes]:
        """Return where the record is, its length, and the file; its header is durable long since."""
        built = build({"files": [{"records": [record], "size": self.k * SECTOR, "id": 5}]}, self.edition)
        (self._name,) = built.files
        self._header = built.labels["f1.header"].length
        spot = built.labels["a"]
        return spot.off, spot.length, bytes(built.files[self._name])

    def accepts(self, mask: int) -> bool:
        """Tell whether the reference takes the record for whole; bit i of `mask`: sector i is kept."""
        data = bytearray(self._new)
        for index in range(self.k):
            if not mask >> index & 1:
                lost = slice(max(index * SECTOR, self._header), (index + 1) * SECTOR)
                data[lost] = self._old[lost]
        seen = load(FORMAT).read({self._name: bytes(data)}, edition=self.edition)
        return any((item.at.off, item.at.length) == (self._off, self._length) for item in seen.records)

    def formula(self) -> Fraction:
        """Return the rate of accepted among torn."""
        free = 0 if self.edition == HASHED else self.k - (2 if self.background == "zero" else 1)
        return Fraction((1 << free) - 1, (1 << self.k) - 1)

    def enumerated(self) -> Fraction:
        """Return the rate over every way to lose at least one sector."""
        torn = (1 << self.k) - 1  # the mask of all sectors would lose nothing
        return Fraction(sum(map(self.accepts, range(torn))), torn)

    def sampled(self, count: int, seed: int = 0) -> int:
        """Return how many of `count` ways, drawn evenly, are accepted."""
        bench = f"Bench(edition={self.edition!r}, k={self.k}, background={self.background!r})"
        rng = random.Random(f"{seed} {bench}")  # repeatable, not secret
        return sum(self.accepts(rng.randrange((1 << self.k) - 1)) for _ in range(count))

    def within(self, accepted: int, count: int) -> bool:
        """Tell whether a sample is within SIGMAS standard deviations of the formula."""
        rate = float(self.formula())
        return abs(accepted - rate * count) <= SIGMAS * sqrt(count * rate * (1 - rate))


def rows(editions: Iterable[str], samples: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Yield a printed line and whether its numbers agree."""
    for edition in editions:
        for background in BACKGROUNDS:
            for k in sorted({*ENUMERATED, *SAMPLED}):
                bench = Bench(edition, k, background)
                line = f"{edition:10} {background:6} {k:3} {float(bench.formula()):8.4%}"
                if k in ENUMERATED:
                    counted = bench.enumerated()
                    yield f"{line}  counted {counted} = {float(counted):.4%}", counted == bench.formula()
                if k in SAMPLED:
                    accepted = bench.sampled(samples, seed)
                    yield f"{line}  sampled {accepted} of {samples}", bench.within(accepted, samples)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python corpus/checks/tears.py", description=__doc__)
    parser.add_argument("--editions", default=f"seed,v2,{HASHED}", help="editions, separated by commas")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="masks drawn for each sampled row")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    status = 0
    print("edition    before   k  formula")
    for line, agrees in rows(options.editions.split(","), options.samples, options.seed):
        print(line + ("" if agrees else "  DIFFERS"), flush=True)
        status |= not agrees
    return status


if __name__ == "__main__":
    sys.exit(main())
