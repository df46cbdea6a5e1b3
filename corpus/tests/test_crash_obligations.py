"""Sets of operations and tables of verdicts, against what defines them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from journalspec_corpus.crash.disk import StateContents
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import answers, crash_format
from journalspec_corpus.crash.oracle import REFUSALS, Issued, Operations, expected_at, operations_of
from journalspec_corpus.crash.trace import PRESETS, Ack, Release, Trace
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import rows_of

FORMATS = ("bitronix_tlog", "jboss_journal")
SEED = 1


def traces(format_id: str, tier: str = "core", every: int = 61) -> list[Trace]:
    return list(map(crash_format(format_id).build, Plan(format_id, tier, every=every).workloads()))


def plainly(operations: Operations, trace: Trace, upto: int) -> tuple[int, int, list[tuple[int, int]]]:
    """Return what is acknowledged, issued and superseded by the first `upto`, one by one."""

    def last(record: str, before: int) -> int:
        named: list[Issued] = [one for one in operations.issued if one.record == record and one.at < before]
        return named[-1].bit if named else 0

    def issued_by(before: int) -> int:
        return sum(one.bit for one in operations.issued if one.at < before)

    done = sum({last(record, 0) for record in trace.done})
    safe = done
    for mark in trace.standing:
        safe |= operations.bits[mark.key]
    issued = issued_by(upto)
    superseded = [(done, issued_by(0))] if done else []
    for at, op in enumerate(trace.ops[:upto]):
        if isinstance(op, Ack | Release):
            named = 0
            for record in op.records:
                named |= last(record, at)
            if isinstance(op, Ack):
                safe |= named
            else:
                known = issued_by(at)
                following = issued & ~known
                superseded.append((named, known))
                # Only what takes back something that was released is the reason of the release.
                more = known | following & -following
                due, found = (operations.effects(operations.state(chosen)) for chosen in (known, more))
                made = {effect for one in operations.issued if one.bit & named for effect in one.action.makes}
                superseded += [(named, more)] if made & set(due - found) else []
    return safe, issued, list(dict.fromkeys(superseded))


@pytest.mark.parametrize(
    ("format_id", "takes_back"),
    # A swap releases the records that it has copied or not carried over; a DELETE those that it deletes.
    [("bitronix_tlog", False), ("jboss_journal", True)],
)
def test_sets_of_operations_are_those_that_a_walk_from_the_front_gives(
    format_id: str, takes_back: bool
) -> None:
    releases = taken_back = 0
    for trace in [*traces(format_id), *traces(format_id, "full", 601)]:
        operations = operations_of(trace)
        assert operations is not None
        for upto in range(len(trace.ops) + 1):
            safe, issued, superseded = plainly(operations, trace, upto)
            assert operations.acknowledged(upto) == safe
            assert operations.before(upto) == issued
            assert operations.superseded(upto) == superseded
            releases += bool(superseded)
            taken_back += len(superseded) > len({named for named, _ in superseded})
    assert releases > 100
    assert taken_back < releases
    assert (taken_back > 0) == takes_back


@pytest.mark.parametrize("format_id", FORMATS)
def test_verdicts_are_those_of_single_answers(format_id: str) -> None:
    adapter = crash_format(format_id)
    seen = set()
    for trace in traces(format_id, every=331)[:15]:
        for judged in rows_of(trace, PRESETS, SEED):
            states = judged.states
            expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
            found, which = answers(StateContents(states.point, states.codes), adapter.read)
            refusals, table = Facts(states).refusals, judged.judged(adapter).verdicts
            kinds, rows = np.unique(which * len(REFUSALS) + refusals, return_index=True)
            for kind, row in zip(kinds.tolist(), rows.tolist(), strict=True):
                given, refusal = found[kind // len(REFUSALS)], REFUSALS[kind % len(REFUSALS)]
                for reader, answer, column in zip(adapter.readers, given, table, strict=True):
                    holes = reader in adapter.salvaging
                    verdict = judge(answer, expected, refusal, holes_allowed=holes)
                    assert tuple(VERDICTS)[column[row]] == verdict
                    seen.add(verdict)
    assert len(seen) > 4
