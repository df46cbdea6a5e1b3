"""What is owed at a crash point, from the trace alone, and how a published case says so.

No reader is asked. A case names sets of records, and for each policy the outcomes that
are permitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from journalspec_corpus.crash.effects import Permitted, operations_of
from journalspec_corpus.crash.ids import promise
from journalspec_corpus.crash.persistence import CORRUPTED, REACHABLE
from journalspec_corpus.crash.trace import Mark, Trace

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


#: What an entry of `expect` asks beside its refusal: nothing; that something is reported; that
#: nothing is lost, or it is reported.
PLAIN, MUST_REPORT, MAY_LOSE = "", "must-report", "may-lose"


def permitted(
    sets: Mapping[str, Any], policy: str, refusal: str, asked: str = PLAIN
) -> Iterator[dict[str, Any]]:
    """Yield the permitted outcomes under one policy: what `sets` owe, and what else is `asked`."""
    when = {"op": "recover", "policy": policy}
    allowed = {**sets, "refusal": refusal}
    every = sets["must_keep"] + sets["may_keep"]
    if asked == MUST_REPORT:
        allowed["must_report"] = True
    if asked == MAY_LOSE:
        # A write that landed elsewhere, or a doubled file, leaves a record in two places.
        allowed["may_keep"] = sets["may_keep"] + every
    yield {"when": when, "verdict": "refused" if refusal == "required" else "clean", "allowed": allowed}
    if asked == MAY_LOSE:
        lost = {**allowed, "must_keep": [], "may_keep": every + every, "must_report": True}
        yield {"when": when, "verdict": "recovered", "allowed": lost}


Sets = dict[str, list[Any]]


class Telling(Protocol):
    """What a format says of records in observations: see :class:`.adapter.CrashFormat`."""

    @property
    def record_json(self) -> Callable[[list[str]], dict[str, Any]]:
        """A record as an observation lists it, by its keys."""

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Types of records that are not counted."""


class ExpectedSets:
    """The sets of one trace's crash points, with records as an observation would list them."""

    def __init__(self, adapter: Telling, trace: Trace) -> None:
        self._record_json = adapter.record_json
        self._uncounted = adapter.uncounted
        written = [op for op in trace.ops if isinstance(op, Mark)]
        marks = {(op.record, op.alternative[:2]) for op in (*trace.standing, *trace.possible, *written)}
        #: record -> how many times it was written, at another place or in other parts
        self._copies = Counter(record for record, _ in marks)

    def sets(self, expected: Expected) -> Sets:
        """Return must_keep, may_keep and must_drop of `expected`, and permitted states if they are few."""
        keys: dict[str, list[str]] = {}
        for key, record in expected.record_of.items():
            keys.setdefault(record, []).append(key)

        def records(ids: Iterable[str]) -> list[dict[str, Any]]:
            return [self._record_json(keys[record]) for record in sorted(ids) if record in keys]

        # What was written in several places (a compaction under way) may come out of each of them.
        known = expected.must_keep | expected.may_keep
        copies = [record for record in known for _ in range(1, self._copies[record])]
        states = [] if expected.effects is None else expected.effects.states()
        return {
            "must_keep": records(expected.must_keep),
            "may_keep": records([*(expected.may_keep - expected.must_keep), *copies]),
            "must_drop": records(expected.must_drop),
            **({"states": list(map(dict, states))} if states else {}),
            **({"uncounted": list(self._uncounted)} if self._uncounted else {}),
        }


def demand_of(refusal: str, stratum: str, *, salvaging: bool) -> tuple[str, str]:
    """Return which refusal a policy is granted, and what else it is asked (PLAIN, MUST_REPORT, MAY_LOSE).

    `refusal` is what the oracle says of the state: allowed, required or forbidden.
    """
    corrupted = stratum == CORRUPTED
    if refusal != REQUIRED:
        return refusal, MAY_LOSE if corrupted else PLAIN
    if not salvaging:
        return refusal, PLAIN
    # Who may leave records out reports the damage that others must refuse.
    return ALLOWED, MAY_LOSE if corrupted else MUST_REPORT
