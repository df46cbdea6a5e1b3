"""What is owed at a crash point, from the trace alone. No reader is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from journalspec_corpus.crash.effects import Permitted, operations_of
from journalspec_corpus.crash.pages import promise
from journalspec_corpus.crash.persistence import REACHABLE
from journalspec_corpus.crash.trace import Trace

ALLOWED, REQUIRED, FORBIDDEN = "allowed", "required", "forbidden"
REFUSALS = (ALLOWED, REQUIRED, FORBIDDEN)


@dataclass(frozen=True)
class Expected:
    """What all states of one crash point have in common.

    `must_keep` are acknowledged records whose effect nothing took back,
    `may_keep` those that had at least been issued, `must_drop` records of an
    earlier life. `record_of` maps a reader's key to the record's name; a key that
    is not in it belongs to nothing that was ever written. `order` is the order in
    which the records of the log were issued, those aside that were `released`: these and records in
    `possible` may come anywhere, or not at all. `life` is the
    trace's. In `stratum` C nothing can be demanded back, only told. `fine` are
    records that a recovery before this life had still found. `effects` says which logical
    states are permitted; None if the format says nothing of them.
    """

    must_keep: frozenset[str]
    may_keep: frozenset[str]
    must_drop: frozenset[str]
    record_of: Mapping[str, str]
    order: tuple[str, ...]
    possible: frozenset[str] = frozenset()
    life: int = 1
    stratum: str = "R"
    fine: frozenset[str] = frozenset()
    effects: Permitted | None = field(default=None, compare=False, repr=False)
    released: frozenset[str] = frozenset()

    @property
    def keys_to_keep(self) -> list[str]:
        """The keys of the records that every reader must keep: what a case id is made of beside the bytes."""
        return [key for key, record in self.record_of.items() if record in self.must_keep]


class Obligations:
    """What is owed at the crash points of `trace`: one object where nothing changes it in between.

    Only marks, acknowledgements and releases do. A trace of a second life says with the tag ``fine`` = "yes"
    that recovery had found everything acknowledged in its base.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[tuple[int, int, int, str, bool], Expected] = {}

    def at(
        self, crash_index: int, torn: int = -1, stratum: str = REACHABLE, *, effects: bool = True
    ) -> Expected:
        """Return what is owed after ``ops[:crash_index]``; `torn` is an operation under way, if any.

        Without `effects` nothing is said of the states that are permitted.
        """
        trace, upto = self._trace, max(crash_index, torn + 1)
        # A record that is being written has been issued: its annotation follows its write, or others.
        issued = [mark for _, mark in trace.issued(upto)]
        acked = sum(index < crash_index for index, _ in trace.acks)
        let_go = sum(index < upto for index, _ in trace.releases)
        place = len(issued), acked, let_go, stratum, effects
        if place in self._known:
            return self._known[place]
        released = trace.released(upto)
        own = (*trace.standing, *issued)
        possible = frozenset(mark.record for mark in trace.possible) - {mark.record for mark in own}
        operations = operations_of(trace) if effects else None
        permitted = (
            operations.permitted(crash_index, upto, lenient=stratum != REACHABLE) if operations else None
        )
        found = self._known[place] = Expected(
            must_keep=frozenset(trace.acknowledged(crash_index)) - released,
            may_keep=frozenset(mark.record for mark in own) | possible,
            must_drop=frozenset(mark.record for mark in trace.stale) - possible,
            record_of={mark.key: mark.record for mark in (*trace.stale, *trace.possible, *own)},
            order=tuple(dict.fromkeys(mark.record for mark in own if mark.record not in released)),
            released=released,
            possible=possible,
            life=trace.life,
            stratum=stratum,
            fine=frozenset(mark.record for mark in trace.standing if trace.tags.get("fine") == "yes"),
            effects=permitted,
        )
        return found

    def promise(self, expected: Expected) -> bytes:
        """Return the part of a case id that all states have of which `expected` is true, one of these."""
        trace = self._trace
        return promise(trace.format, trace.edition, expected.stratum, expected.keys_to_keep)


def expected_at(
    trace: Trace, crash_index: int, torn: int = -1, stratum: str = REACHABLE, *, effects: bool = True
) -> Expected:
    """Return what :meth:`Obligations.at` does."""
    owed = trace.derived.setdefault("obligations", Obligations(trace))
    found: Expected = owed.at(crash_index, torn, stratum, effects=effects)
    return found
