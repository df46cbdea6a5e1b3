"""States of several crash points that a kernel takes for the same, read one by one.

A build takes an answer over wherever a signature occurs again: in another crash point, in another
trace, in another edition. Here some states of each signature are kept on purpose, so many kinds of
"another" as there are, and each is read by all readers on its own files.

Only the signatures that are smallest as bytes are kept. They are hashes, so that this is a fair
sample, and it is the same one however the work was divided (a bottom-k sample).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec_corpus.crash.reading import alike
from journalspec_corpus.crash.verdict import Answer

#: So many signatures are kept.
KEPT = 8192
#: How far apart two states of one signature are, nearest first.
POINT, TRACE, EDITION = "crash point", "trace", "edition"
APART = (POINT, TRACE, EDITION)


@dataclass(frozen=True, slots=True)
class Sighting:
    """One state of a signature: where it is, and the answers of all readers on its files.

    `keys` are those of all records of its trace, `where` is its descriptor, as a build's columns have it.
    """

    edition: str
    trace: str
    workload: str
    crash_index: int
    where: Mapping[str, Any]
    answers: tuple[Answer, ...]
    keys: frozenset[str]

    def apart(self, other: Sighting) -> str:
        """Return how far apart the two are, one of :data:`APART`; empty within one crash point."""
        return self.apart_from(other.edition, other.trace, other.crash_index)

    def apart_from(self, edition: str, trace: str, crash_index: int) -> str:
        """Return how far this is from a crash point."""
        if self.edition != edition:
            return EDITION
        if self.trace != trace:
            return TRACE
        return POINT if self.crash_index != crash_index else ""


def _kind(first: Sighting, edition: str, trace: str, crash_index: int) -> str:
    """Return what is kept once beside `first`: how far a crash point is from it, and in which edition."""
    apart = first.apart_from(edition, trace, crash_index)
    return f"{apart} {edition}" if apart == EDITION else apart


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two states of one signature on which reader number `reader` gives answers that are not alike."""

    apart: str
    first: Sighting
    later: Sighting
    reader: int


@dataclass
class Sightings:
    """Of each signature the first state, and for each of :data:`APART` the first that is so far away.

    Of other editions it is the first of each: some of them mean the same, and share signatures rightly.
    """

    kept: int = KEPT
    #: signature -> how far from the first ("" for itself), with the edition if that is another -> the state
    found: dict[bytes, dict[str, Sighting]] = field(default_factory=dict)
    _limit: bytes | None = None

    def wanted(self, signature: bytes, edition: str, trace: str, crash_index: int) -> bool:
        """Tell whether a state of this signature in that crash point is to be added."""
        known = self.found.get(signature)
        if known is None:
            return self._limit is None or signature <= self._limit
        return _kind(known[""], edition, trace, crash_index) not in known

    def add(self, signature: bytes, seen: Sighting) -> None:
        """Take note of a state."""
        known = self.found.setdefault(signature, {})
        kind = _kind(known[""], seen.edition, seen.trace, seen.crash_index) if known else ""
        known.setdefault(kind, seen)
        if len(self.found) > 2 * self.kept:
            self.thin()

    def thin(self) -> None:
        """Forget all but the smallest signatures."""
        if len(self.found) > self.kept:
            names = sorted(self.found)[: self.kept]
            self._limit = names[-1]
            self.found = {name: self.found[name] for name in names}

    def merge(self, later: Sightings) -> None:
        """Take over what was found in a later part of the work."""
        for signature, known in later.found.items():
            for seen in known.values():
                if self.wanted(signature, seen.edition, seen.trace, seen.crash_index):
                    self.add(signature, seen)
        self.thin()

    def pairs(self) -> Iterator[tuple[str, Sighting, Sighting]]:
        """Yield how far apart they are, the first state of a signature and another one."""
        for known in self.found.values():
            for apart in APART:
                for kind in sorted(known):
                    if kind and known[""].apart(known[kind]) == apart:
                        yield apart, known[""], known[kind]

    def contradictions(self) -> Iterator[Contradiction]:
        """Yield every pair and reader whose answers are not alike, in whichever order they are asked."""
        for apart, first, later in self.pairs():
            for reader, (one, two) in enumerate(zip(first.answers, later.answers, strict=True)):
                if not (alike(one, two, first.keys) and alike(one, two, later.keys)):
                    yield Contradiction(apart, first, later, reader)
