"""What is owed at the crash points of one trace, each worked out once; :mod:`.expected` says what it is.

Only marks, acknowledgements and releases change what is owed. Crash points between which there is none of
them share one :class:`.Expected`, so that whoever works something out of it has to do so once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from journalspec_corpus.crash.effects import Permitted, operations_of
from journalspec_corpus.crash.expected import Expected
from journalspec_corpus.crash.ids import promise
from journalspec_corpus.crash.persistence import REACHABLE
from journalspec_corpus.crash.trace import Ack, Mark, Release, Trace


class _Issued(NamedTuple):
    """What follows from the marks that have been issued alone; members as in :class:`.Expected`."""

    may_keep: frozenset[str]
    must_drop: frozenset[str]
    record_of: Mapping[str, str]
    order: Mapping[str, None]
    possible: frozenset[str]


class Obligations:
    """What is owed at the crash points of `trace`, in any order; quickest from the first on."""

    def __init__(self, trace: Trace) -> None:
        self._operations = operations_of(trace)
        self._kind = trace.format, trace.edition
        self._life = trace.life
        marks = [(index, op) for index, op in trace.annotated if isinstance(op, Mark)]
        self._marked = [index for index, _ in marks]
        self._marks = [mark for _, mark in marks]
        self._acked = [index for index, op in enumerate(trace.ops) if isinstance(op, Ack)]
        self._released = [index for index, op in enumerate(trace.ops) if isinstance(op, Release)]
        none: frozenset[str] = frozenset()
        standing = dict.fromkeys([mark.record for mark in trace.standing])
        self._fine = frozenset(standing) if trace.tags.get("fine") == "yes" else none
        self._stale = frozenset([mark.record for mark in trace.stale])
        self._unsure = frozenset([mark.record for mark in trace.possible])
        # What was acknowledged, and what was released, by the first 0, 1, 2 ... that say so.
        acked = [op.records for op in trace.ops if isinstance(op, Ack)]
        released = [op.records for op in trace.ops if isinstance(op, Release)]
        self._safe = list(accumulate(acked, frozenset.union, initial=frozenset(standing)))
        self._gone = list(accumulate(released, frozenset.union, initial=none))
        before = (*trace.stale, *trace.possible, *trace.standing)
        record_of = {mark.key: mark.record for mark in before}
        self._first = self._last = self._issued(self._unsure.union(standing), record_of, standing)
        #: how many marks :attr:`_last` has
        self._count = 0
        self._known: dict[tuple[int, int, int, str], Expected] = {}
        self._effects: dict[tuple[int, int, int, bool], Permitted] = {}
        self._promises: dict[int, bytes] = {}

    def _issued(
        self, may_keep: frozenset[str], record_of: Mapping[str, str], order: Mapping[str, None]
    ) -> _Issued:
        possible = self._unsure.difference(order) if self._unsure else self._unsure
        return _Issued(may_keep, self._stale - possible, record_of, order, possible)

    def _after(self, count: int) -> _Issued:
        """Return what follows from the first `count` marks."""
        if count < self._count:
            self._last, self._count = self._first, 0
        if count > self._count:
            more, last = self._marks[self._count : count], self._last
            records = [mark.record for mark in more]
            self._last = self._issued(
                last.may_keep.union(records),
                {**last.record_of, **{mark.key: mark.record for mark in more}},
                {**last.order, **dict.fromkeys(records)},
            )
            self._count = count
        return self._last

    def at(self, crash_index: int, torn: int = -1, stratum: str = REACHABLE) -> Expected:
        """Return what :func:`.expected.expected_at` gives; the same object where nothing changed."""
        upto = max(crash_index, torn + 1)
        acked, marked = bisect_left(self._acked, crash_index), bisect_left(self._marked, upto)
        released = bisect_left(self._released, upto)
        place = acked, marked, released, stratum
        found = self._known.get(place)
        if found is None:
            issued, gone = self._after(marked), self._gone[released]
            found = self._known[place] = Expected(
                self._safe[acked] - gone,
                issued.may_keep,
                issued.must_drop,
                issued.record_of,
                tuple(record for record in issued.order if record not in gone),
                issued.possible,
                self._life,
                stratum,
                self._fine,
                self._permitted((acked, marked, released, stratum != REACHABLE), crash_index, upto),
                gone,
            )
        return found

    def _permitted(self, place: tuple[int, int, int, bool], crash_index: int, upto: int) -> Permitted | None:
        """Return what is permitted, worked out once for all strata that are as lenient."""
        if self._operations is None:
            return None
        found = self._effects.get(place)
        if found is None:
            lenient = place[-1]
            found = self._effects[place] = self._operations.permitted(crash_index, upto, lenient=lenient)
        return found

    def promise(self, expected: Expected) -> bytes:
        """Return the part of a case id that all states have of which `expected` is true, one of these."""
        found = self._promises.get(id(expected))
        if found is None:
            found = promise(*self._kind, expected.stratum, expected.keys_to_keep)
            self._promises[id(expected)] = found
        return found
