"""What a published crash case says is owed: sets of records, and what each policy is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from journalspec_corpus.crash.model import CORRUPTED
from journalspec_corpus.crash.oracle import ALLOWED, REQUIRED, Owed
from journalspec_corpus.crash.room import CrashRoom
from journalspec_corpus.crash.trace import Mark, Trace
from journalspec_corpus.pipeline.cases import MAY_LOSE, MUST_REPORT, PLAIN

Sets = dict[str, list[dict[str, Any]]]


class Owing:
    """The sets of one trace's crash points, with records as an observation would list them."""

    def __init__(self, room: CrashRoom, trace: Trace) -> None:
        self._record_json = room.record_json
        written = [op for op in trace.ops if isinstance(op, Mark)]
        marks = {(op.record, op.file, op.off) for op in (*trace.standing, *trace.possible, *written)}
        #: record -> in how many places of the journal it was written
        self._places = Counter(record for record, _, _ in marks)

    def sets(self, debt: Owed) -> Sets:
        """Return must_keep, may_keep and must_drop of `debt`."""
        keys: dict[str, list[str]] = {}
        for key, record in debt.record_of.items():
            keys.setdefault(record, []).append(key)

        def records(ids: Iterable[str]) -> list[dict[str, Any]]:
            return [self._record_json(keys[record]) for record in sorted(ids) if record in keys]

        # What was written in several places (a compaction under way) may come out of each of them.
        known = debt.must_keep | debt.may_keep
        copies = [record for record in known for _ in range(1, self._places[record])]
        return {
            "must_keep": records(debt.must_keep),
            "may_keep": records([*(debt.may_keep - debt.must_keep), *copies]),
            "must_drop": records(debt.must_drop),
        }


def asked(refusal: str, stratum: str, *, salvaging: bool) -> tuple[str, str]:
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
