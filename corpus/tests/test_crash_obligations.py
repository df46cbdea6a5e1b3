"""What is worked out once for many crash points, against what defines it at each of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.effects import Issued, Operations, Permitted, operations_of
from journalspec_corpus.crash.expected import REFUSALS, Expected, expected_at
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.ids import promise
from journalspec_corpus.crash.obligations import Obligations
from journalspec_corpus.crash.persistence import PRESETS, STRATA
from journalspec_corpus.crash.reading import answers
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Ack, Mark, Release, Trace
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import _verdicts

FORMATS = ("bitronix_tlog", "jboss_journal")
SEED = 1


def traces(format_id: str, tier: str = "core", every: int = 61) -> list[Trace]:
    return list(map(crash_format(format_id).build, Plan(format_id, tier, every=every).workloads()))


def places(trace: Trace) -> list[tuple[int, int]]:
    """Return every crash point of `trace`: (crash index, operation under way or -1)."""
    count = len(trace.ops)
    return [(at, -1) for at in range(count + 1)] + [(at, at) for at in range(count)]


def bits_of(permitted: Permitted | None) -> tuple[object, ...]:
    assert permitted is not None
    sets = permitted.acknowledged, permitted.issued, permitted.copied
    return (*sets, tuple(permitted.superseded), permitted.lenient)


def same(one: Expected, two: Expected) -> bool:
    order = list(one.record_of.items()) == list(two.record_of.items())
    return one == two and order and bits_of(one.effects) == bits_of(two.effects)


@pytest.mark.parametrize("format_id", FORMATS)
def test_what_is_owed_is_what_defines_it_at_every_operation(format_id: str) -> None:
    seen = shared = 0
    for trace in traces(format_id):
        owed, distinct = Obligations(trace), set()
        for stratum in STRATA:
            for place in places(trace):
                found, wanted = owed.at(*place, stratum), expected_at(trace, *place, stratum)
                assert same(found, wanted), (trace.name, stratum, place)
                keys = [key for key, record in wanted.record_of.items() if record in wanted.must_keep]
                promised = promise(trace.format, trace.edition, stratum, keys)
                assert owed.promise(found) == promised
                distinct.add(id(found))
                seen += 1
        # In any order, and from the last to the first as well.
        backwards = Obligations(trace)
        assert all(same(backwards.at(*place), owed.at(*place)) for place in reversed(places(trace)))
        shared += len(distinct)
    assert seen > 2000
    assert shared < seen // 2


def test_what_changes_what_is_owed_is_noticed() -> None:
    marks = [Mark(name, "f", 4 * at, 4, f"key-{name}") for at, name in enumerate("abc")]
    trace = next(trace for trace in traces("bitronix_tlog") if trace.marks)
    first, second, third = marks
    notes = (first, Ack(("a",)), second, Release(("a",)), third, Release(()), Ack(("b",)))
    base = replace(trace, base={}, standing=(), stale=(), possible=(), order=(), done=frozenset(), ops=notes)
    for toy in (base, replace(base, possible=(second,), stale=(third,), standing=(first,))):
        try:
            operations_of(toy)
        except (KeyError, ValueError):
            toy.derived["operations"] = None
        owed = Obligations(toy)
        for place in places(toy):
            assert owed.at(*place) == expected_at(toy, *place)
        assert owed.at(1).order != ()
        assert "a" in owed.at(3).order
        assert "a" not in owed.at(4).order
        assert owed.at(4).released == {"a"}


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
    # A swap releases what it has copied or left behind; a DELETE what it deletes.
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
    for trace in traces(format_id, every=331)[:5]:
        for states in crash_states(trace, PRESETS, SEED):
            expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
            found, which = answers(states.point, states.codes, adapter.read)
            refusals = Facts(states).refusals
            table = _verdicts(found, which, refusals, expected, adapter)
            kinds, rows = np.unique(which * len(REFUSALS) + refusals, return_index=True)
            for kind, row in zip(kinds.tolist(), rows.tolist(), strict=True):
                given, refusal = found[kind // len(REFUSALS)], REFUSALS[kind % len(REFUSALS)]
                for reader, answer, column in zip(adapter.readers, given, table, strict=True):
                    holes = reader in adapter.salvaging
                    verdict = judge(answer, expected, refusal, holes_allowed=holes)
                    assert tuple(VERDICTS)[column[row]] == verdict
                    seen.add(verdict)
    assert len(seen) > 4
