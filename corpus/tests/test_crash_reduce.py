"""Reduction: the result fails like the given state, is a state of its trace, and cannot be reduced in one
step.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from mutants import mutant_reader

from journalspec_corpus.bitronix_tlog.workloads import Step as Log
from journalspec_corpus.bitronix_tlog.workloads import Workload as Logged
from journalspec_corpus.crash.facts import State, find
from journalspec_corpus.crash.formats import CrashFormat, Named, crash_format, named_reader
from journalspec_corpus.crash.reduce import (
    NotFailing,
    Reduced,
    crashes_before,
    reduce_state,
    situations,
    smaller,
    wrong,
)
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.states import Descriptor, NoSuchState
from journalspec_corpus.crash.trace import PRESETS, rank
from journalspec_corpus.crash.verdict import VERDICTS, Answer
from journalspec_corpus.jboss_journal.workloads import Step as Op
from journalspec_corpus.jboss_journal.workloads import Workload as Journaled
from journalspec_corpus.workloads import LongWorkload
from journalspec_reference.api import WriterRefused

FORMATS = ("bitronix_tlog", "jboss_journal")
SEED = 1
#: The number of states of each group that are checked to find a failing one.
SAMPLE = 40


def logged(order: str, kind: str = "append", background: str = "stale-same", force: str = "each") -> Logged:
    steps = (Log("COMMITTING", 1, "three"), Log("COMMITTING", 2, "sector"))
    return Logged(kind, order, steps, "crc32", 1024, force, background)


def journaled(edition: str, *steps: Op, background: str = "stale-same", force: str = "each") -> Journaled:
    return Journaled("append", edition, steps, "id", 1024, force, background)


ADD3 = (Op("add", 1, 600), Op("add", 2, 1400))
DELETE = (Op("add", 1, 600), Op("delete", 91))
COMMIT = (Op("add_tx", 1, 600, 1), Op("add_tx", 2, 600, 1), Op("commit", tx=1))
PREPARE = (Op("update_tx", 91, 600, 1), Op("add_tx", 2, 600, 1), Op("prepare", tx=1))
#: Format, reader, verdict, and a workload in which the reader fails. The failures are faults of mutants and
#: losses that the formats themselves cannot prevent.
KNOWN: list[tuple[str, str, str, Any]] = [
    ("bitronix_tlog", "strict", "resurrected", logged("2.1.4")),
    ("bitronix_tlog", "strict", "resurrected", logged("3.0", "swap")),
    ("bitronix_tlog", "strict", "lost", logged("2.1.4", "swap")),
    ("bitronix_tlog", "mutant:skip-checksum", "torn-accepted", logged("3.0", force="end")),
    ("bitronix_tlog", "mutant:last-record-excluded", "refused", logged("spec")),
    ("bitronix_tlog", "mutant:checksum-covers-gtrid-length", "refused", logged("2.1.4", force="end")),
    ("bitronix_tlog", "mutant:timestamp-of-32-bits", "lost", logged("spec", "swap", "garbage")),
    ("bitronix_tlog", "mutant:older-file-wins", "lost", logged("3.0", background="garbage")),
    ("bitronix_tlog", "mutant:strict-cuts-short", "lost", logged("spec")),
    ("jboss_journal", "strict", "torn-accepted", journaled("v2", *ADD3, force="end")),
    ("jboss_journal", "salvage", "torn-accepted", journaled("seed", *COMMIT)),
    ("jboss_journal", "mutant:deletes-of-the-seed", "lost", journaled("seed+hash", *DELETE)),
    ("jboss_journal", "mutant:any-file-id", "resurrected", journaled("v2", *COMMIT)),
    ("jboss_journal", "mutant:scan-behind-a-block", "lost", journaled("v2e", *ADD3, force="end")),
    ("jboss_journal", "mutant:hash-over-itself", "lost", journaled("seed+hash", *PREPARE)),
]
IDS = [f"{name.split('_')[0]}-{reader}-{verdict}-{work.kind}" for name, reader, verdict, work in KNOWN]


def failing(adapter: CrashFormat, work: Any, named: Named, verdict: str) -> State:
    """Return a failing state that is far from the smallest: of the sampled states, the one with the most
    deviations.
    """
    found: list[State] = []
    for situation in situations(adapter.build(work), len(PRESETS) - 1, SEED, "R"):
        weight = situation.deviations
        sample = np.unique(np.linspace(0, len(weight) - 1, min(len(weight), SAMPLE)).astype(int)).tolist()
        for row in sample:
            state = State(situation, row)
            answer = named.reader(state.files, state.trace.edition)
            if state.verdict(answer, salvaging=named.salvaging) == verdict:
                found.append(state)
    assert found, f"{work.name} does not fail"
    return max(found, key=lambda state: (state.deviations, state.rank))


def reduced(
    adapter: CrashFormat, work: Any, start: Descriptor, named: Named, verdict: str, **more: Any
) -> Reduced:
    """Return the reduction of the state `start`, in which the reader `named` fails with `verdict`."""
    return reduce_state(adapter, work, start, named, verdict, **more)


def reader_of(format_id: str, name: str) -> Named:
    """Return a reader of the format, or a mutant of the reference."""
    mutant = name.removeprefix("mutant:")
    return named_reader(format_id, name) if mutant == name else mutant_reader(format_id, mutant)


def first_lives(adapter: CrashFormat, scope: str) -> list[Any]:
    return [work for work in adapter.workloads(scope) if hasattr(work, "steps")]


def verdict_again(adapter: CrashFormat, named: Named, work: Any, descriptor: Descriptor) -> str:
    """Judge a state again, from its descriptor."""
    state = find(adapter.build(work), descriptor)
    return state.verdict(named.reader(state.files, state.trace.edition), salvaging=named.salvaging)


@pytest.mark.parametrize(("format_id", "reader", "verdict", "work"), KNOWN, ids=IDS)
def test_reduced_state_fails_in_the_same_way_and_no_neighbour_is_smaller(
    format_id: str, reader: str, verdict: str, work: Any
) -> None:
    adapter, named = crash_format(format_id), reader_of(format_id, reader)
    start = failing(adapter, work, named, verdict)
    given = start.descriptor(SEED)
    out = reduced(adapter, work, given, named, verdict, budget=10**6)
    # The reduced state still fails in the same way.
    assert find(adapter.build(out.workload), out.descriptor).files == dict(out.state.files)
    assert verdict_again(adapter, named, out.workload, out.descriptor) == out.verdict == verdict
    assert out.breaks == VERDICTS[out.verdict] != ()
    assert out.start == start.case_id
    assert out.minimal
    # The reduced state is no larger, and within the target.
    assert out.state.deviations <= min(start.deviations, 2)
    assert out.records <= min(start.records(named.reader(start.files, start.trace.edition)), 3)
    assert rank(out.descriptor.preset) <= start.rank
    assert bool(out.steps) == (out.descriptor != given)
    if out.steps:
        assert (out.steps[-1].workload, out.steps[-1].descriptor) == (out.workload.name, out.descriptor)
    # The writer and the kind of run are the same.
    kept = [
        (trace.edition, trace.tags["kind"], trace.tags["order"]) for trace in (start.trace, out.state.trace)
    ]
    assert kept[0] == kept[1]
    # After any further step of reduction the reader no longer fails. All states of all smaller workloads (of
    # limited size) are read.
    read: dict[bytes, Answer] = {}
    looked_at = 0
    in_effect = bool(wrong(out.answer, out.state.situation.expected))
    for smaller_work in [*smaller(adapter, out.workload), out.workload]:
        own = smaller_work == out.workload
        for state in no_larger(adapter, smaller_work, out):
            if own and (state.deviations, state.rank) >= (out.state.deviations, rank(out.descriptor.preset)):
                continue
            key = state.content_id
            if key not in read:
                read[key] = named.reader(state.files, state.trace.edition)
            looked_at += 1
            fails = state.verdict(read[key], salvaging=named.salvaging) == out.verdict
            alike = bool(wrong(read[key], state.situation.expected)) == in_effect
            assert not (fails and alike) or state.records(read[key]) > out.records, state.trace.name
    assert looked_at or (out.state.deviations == 0 and not list(smaller(adapter, out.workload)))
    # A second reduction changes nothing.
    again = reduced(adapter, out.workload, out.descriptor, named, out.verdict, budget=10**6)
    assert (again.workload, again.descriptor, again.steps) == (out.workload, out.descriptor, ())


def no_larger(adapter: CrashFormat, work: Any, out: Reduced) -> Iterator[State]:
    try:
        trace = adapter.build(work)
    except (ValueError, WriterRefused):
        return
    for situation in situations(trace, rank(out.descriptor.preset), SEED, "R"):
        for row in np.flatnonzero(situation.deviations <= out.state.deviations).tolist():
            yield State(situation, row)


def test_budget_is_observed_and_reported() -> None:
    adapter, work = crash_format("bitronix_tlog"), logged("2.1.4")
    named = mutant_reader("bitronix_tlog", "skip-checksum")
    start = failing(adapter, work, named, "resurrected")
    said: list[int] = []
    told = {"budget": 40, "progress": lambda tried, what: said.append(tried)}
    out = reduced(adapter, work, start.descriptor(SEED), named, "resurrected", **told)
    assert not out.minimal
    assert out.tried <= 40
    assert said == sorted(said)
    assert verdict_again(adapter, named, out.workload, out.descriptor) == "resurrected"


@pytest.mark.parametrize("in_effect", [True, False])
def test_wrong_records_in_effect_are_distinguished_from_listed_ones(in_effect: bool) -> None:
    """An unwritten record is a failure whether it is listed or in effect.

    A reduction keeps the kind of the given failure.
    """
    adapter, work = crash_format("bitronix_tlog"), logged("2.1.4")
    start = failing(adapter, work, named_reader("bitronix_tlog", "strict"), "resurrected")

    def reader(files: Any, edition: str) -> Answer:
        counts = in_effect == (files == start.files)
        return Answer(("nobody",) if counts else (), None, aside=() if counts else ("nobody",))

    given = start.descriptor(SEED)
    out = reduce_state(adapter, work, given, Named("", reader, False), "torn-accepted", budget=300)
    assert out.tried > 50
    assert (out.descriptor, out.steps) == (given, ())


def test_passing_state_is_not_reduced() -> None:
    adapter, work = crash_format("bitronix_tlog"), logged("2.1.4")
    trace = adapter.build(work)
    good = Descriptor(trace.id, "prefix-sector-4096", len(trace.ops), b"", 0, trace.background, SEED)
    reader = named_reader("bitronix_tlog", "strict")
    for verdict in ("lost", "pass"):
        with pytest.raises(NotFailing, match="'pass'"):
            reduce_state(adapter, work, good, reader, verdict)
    wrong = Descriptor(trace.id, "epoch-subset-512", len(trace.ops), bytes(40), 0, trace.background, SEED)
    with pytest.raises(NoSuchState):
        reduce_state(adapter, work, wrong, reader, "lost")


LATER = [
    (
        "bitronix_tlog",
        "append-lost",
        SecondLife(Logged("swap", "2.1.4", (Log("COMMITTING", 1, "typical"),)), 0, "settle"),
    ),
    ("bitronix_tlog", "lost", LongWorkload("2.1.4", 1500, "p1z f p2x f p3a p4b a5b a6c p7b a8y f")),
    ("jboss_journal", "lost", LongWorkload("seed", 1536, "A11c p1 A22b p2 f c1 c2 f A33a")),
]


@pytest.mark.parametrize(("format_id", "verdict", "work"), LATER)
def test_second_runs_and_long_workloads_are_reduced(format_id: str, verdict: str, work: Any) -> None:
    adapter, named = crash_format(format_id), named_reader(format_id, "strict")
    start = failing(adapter, work, named, verdict)
    out = reduced(adapter, work, start.descriptor(SEED), named, verdict)
    assert out.minimal
    assert verdict_again(adapter, named, out.workload, out.descriptor) == verdict
    assert type(out.workload) is type(work)
    assert out.steps
    assert out.records <= 3
    assert out.state.deviations <= 2
    before = crashes_before(adapter, out.workload)
    assert len(before) == isinstance(work, SecondLife)
    assert out.earlier == sum(state.deviations for state in before)
    if before:
        assert before[0].files == out.state.trace.base
    if isinstance(out.workload, LongWorkload):
        assert len(out.workload.rules.split()) <= 4
    again = reduced(adapter, out.workload, out.descriptor, named, verdict)
    assert (again.workload, again.descriptor, again.steps) == (out.workload, out.descriptor, ())


@pytest.mark.parametrize("format_id", FORMATS)
def test_start_states_of_later_runs_are_found_again(format_id: str) -> None:
    """The test checks a sample of such workloads. Some begin with a cut that the first generation lacks."""
    adapter = crash_format(format_id)
    lives = [work for work in adapter.workloads("core") if isinstance(work, SecondLife)][::31]
    assert len(lives) > 5
    for work in lives:
        states = crashes_before(adapter, work)
        assert dict(states[-1].files) == dict(adapter.build(work).base), work.name


def test_reduction_shortens_one_run_or_one_step_at_a_time() -> None:
    small: Any = partial(smaller, crash_format("bitronix_tlog"))
    first = Logged("append", "spec", (Log("COMMITTING", 1, "tiny"),), background="stale-same")
    twice = SecondLife(SecondLife(first, 3, "open"), 2, "typical")
    found: list[Any] = list(small(twice))
    assert found[0] == SecondLife(first, 2, "typical")
    assert [work.then for work in found[1:3]] == ["open", "close"]
    assert all(isinstance(work, SecondLife) for work in found)
    assert next(small(SecondLife(first, 1, "open"))) == SecondLife(next(small(first)), 1, "open")
    rules = [work.rules for work in small(LongWorkload("spec", 1500, "c1c f d1"))]
    assert rules[:2] == ["c1c", "c1c f"]
    assert {"f d1", "c1c d1", "c1a f d1", "c1b f d1"} <= set(rules)
    assert len(set(rules)) == len(rules)
    other: Any = partial(smaller, crash_format("jboss_journal"))
    rules = [work.rules for work in other(LongWorkload("v2", 1536, "A21b- a1 u1z"))]
    assert "A21a- a1 u1z" in rules
    assert not any("u1a" in text for text in rules)


@pytest.mark.parametrize("stratum", ["L", "C"])
@pytest.mark.parametrize("format_id", FORMATS)
def test_lying_devices_and_corruption_are_reduced_within_their_class(format_id: str, stratum: str) -> None:
    adapter, named = crash_format(format_id), named_reader(format_id, "strict")
    kinds: dict[str, tuple[Any, State]] = {}
    for work in first_lives(adapter, "core")[4::61]:
        for situation in situations(adapter.build(work), len(PRESETS) - 1, SEED, stratum):
            for row in range(0, len(situation.states), 3):
                state = State(situation, row)
                verdict = state.verdict(
                    named.reader(state.files, state.trace.edition), salvaging=named.salvaging
                )
                if VERDICTS[verdict]:
                    kinds.setdefault(verdict, (work, state))
        if kinds:
            break
    assert kinds
    for verdict, (work, state) in kinds.items():
        assert PRESETS[state.rank].stratum == stratum
        out = reduced(adapter, work, state.descriptor(SEED), named, verdict, budget=10**6)
        assert out.state.situation.states.stratum == stratum
        assert find(adapter.build(out.workload), out.descriptor).files == out.state.files
        assert out.state.deviations <= state.deviations
        assert out.minimal
        assert bool(out.descriptor.rot) == (stratum == "C")


@pytest.mark.parametrize("name", ["bitrot-burst", "bitrot-zero-sector"])
def test_kinds_of_corruption_have_equal_rank(name: str) -> None:
    trace = crash_format("bitronix_tlog").build(logged("2.1.4"))
    found = situations(trace, rank(name), SEED, "C")
    assert {PRESETS[at].name for situation in found for at in situation.states.preset} == {name}


def test_readers_are_found_by_name() -> None:
    with pytest.raises(LookupError, match="choose one of strict, salvage"):
        named_reader("bitronix_tlog", "nobody")
    with pytest.raises(LookupError, match="no policy 'hopeful'"):
        crash_format("bitronix_tlog").reader("hopeful")
    assert named_reader("bitronix_tlog", "salvage").salvaging
    assert not named_reader("bitronix_tlog", "strict").salvaging
    files = {"btm1.tlog": b"", "btm2.tlog": b""}
    fast, whole = named_reader("bitronix_tlog", "salvage"), named_reader("bitronix_tlog", "strict")
    assert fast.reader(files, "2.1") == whole.reader(files, "2.1") == Answer((), "short-file")
