"""State machines drive the recording writers, crash somewhere, and hold the reference against two oracles."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from itertools import combinations
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

import brute
import long_machine
from brute_expected import Accounts, verdict
from brute_states import BruteState, brute_prefix, brute_subset
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, expected_at
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.recorder import Recorder
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Ack, Mark, Reuse, Trace, writer_of
from journalspec_corpus.crash.verdict import judge
from journalspec_corpus.crash.workloads import (
    LONG_IN_CORE,
    LONG_WORKLOADS,
    LONGER_WORKLOADS,
    LongWorkload,
    long_workloads,
)
from journalspec_reference import load
from long_machine import Drawing, machine_of

FORMATS = ("bitronix_tlog", "jboss_journal", "kahadb_journal", "derby_log", "swiftmq_store")
#: Writers that keep every promise: after an honest crash of theirs, strict recovery loses nothing.
SOUND = ("spec", "seed+hash")
#: Presets that destroy what had been safe are another matter: there everybody loses.
HONEST = tuple(preset for preset in brute.KNOWN if not preset.trash)
#: Where files are not used again, so many make a long journal. Derby's have 100,000 bytes at least; SwiftMQ's
#: only log begins again in its place.
FILES_OF_A_LONG_JOURNAL = {"derby_log": 2, "swiftmq_store": 1}
SEED = 1


def brute_state(trace: Trace, states: States, row: int) -> BruteState:
    """Return the same state as brute force has it."""
    preset, crash = PRESETS[states.preset[row]], states.point.crash_index
    content = tuple(sorted(states.point.materialise(states.codes[row]).items()))
    walk = (
        brute_prefix(trace, preset, crash)
        if preset.order == "prefix"
        else brute_subset(trace, preset, crash, lambda *_: b"")
    )
    return next(state for state in walk if state.content == content)


def examine(adapter: CrashFormat, trace: Trace, states: States, row: int) -> str:
    """Hold the reference against both oracles in one state; returns the verdict on strict recovery."""
    expected = expected_at(trace, states.point.crash_index, states.torn)
    refusal = REFUSALS[Facts(states).refusals[row]]
    mine = Accounts(trace, states.point.crash_index, states.torn).expected(brute_state(trace, states, row))
    assert (expected.must_keep, expected.may_keep) == (mine.must_keep, mine.may_keep)
    assert refusal == mine.refusal
    found = {}
    for reader, policy in adapter.policies.items():
        seen = load(adapter.format).recover(
            states.point.materialise(states.codes[row]), edition=trace.edition, policy=policy
        )
        salvaging = reader in adapter.salvaging
        found[reader] = judge(adapter.answer(seen), expected, refusal, holes_allowed=salvaging)
        assert found[reader] == verdict(adapter.answer(seen), mine, salvaging=salvaging), reader
    return found[next(iter(adapter.policies))]


def first_alike(states: States, row: int) -> int:
    """Return the first row with the files of `row`: the corpus keeps what was said of that one."""
    inside = [states.point.materialise(codes) for codes in states.codes[: row + 1]]
    return inside.index(inside[-1])


class Crashing(Drawing):
    """Does what is drawn, and crashes now and then."""

    seen: ClassVar[Counter[str]] = Counter()

    def begin(self, variant: str, size: int) -> None:
        super().begin(variant, size)
        self.writer = self.source.start(variant, size)
        #: What a new journal begins with.
        self.standing = tuple(self.writer.marks)
        self.writer.begin()

    def say(self, word: str) -> None:
        super().say(word)
        self.writer.do(word)

    @rule(
        back=st.integers(0, 30),
        preset=st.sampled_from(HONEST),
        row=st.integers(0, 4095),
    )
    def crash(self, back: int, preset: Any, row: int) -> None:
        """Crash not long ago, and look at one of the states that this may leave."""
        adapter = crash_format(self.writer.format)
        trace = self.trace(crash_from=max(0, len(self.writer.storage.ops) - back))
        states = next((states for states in crash_states(trace, (preset,), SEED) if len(states)), None)
        if states is not None and brute.is_small(trace):
            said = examine(adapter, trace, states, first_alike(states, row % len(states)))
            self.seen[said] += 1
            assert self.variant not in SOUND or said in ("pass", "acceptable"), (self.words, preset.name)

    def trace(self, crash_from: int) -> Trace:
        tags = {"kind": "long", "order": self.variant}
        name = " ".join(self.words)
        trace: Trace = self.writer.trace(name, tags, standing=self.standing, crash_from=crash_from)
        return trace


@pytest.mark.parametrize("format_id", FORMATS)
def test_the_reference_keeps_what_sound_writers_promised_wherever_they_crash(format_id: str) -> None:
    machine: Any = machine_of(format_id, Crashing)
    machine.seen.clear()
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=60,
            stateful_step_count=14,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert machine.seen["pass"] > 50


@pytest.mark.parametrize("file", long_machine.LENGTHS)
@pytest.mark.parametrize("format_id", FORMATS)
def test_the_lines_are_what_their_first_line_says(format_id: str, file: str) -> None:
    package = f"journalspec_corpus.{format_id}"
    text = files(package).joinpath(file).read_bytes()
    assert len(text) < 400_000
    first = json.loads(text.splitlines()[0])
    works = long_workloads(package, file)
    lines, least, most = long_machine.LENGTHS[file]
    assert first["lines"] == len(works) == lines
    assert first["drawn_by"].startswith((package, "journalspec_corpus.crash.long_machine", "long_machine"))
    assert len({work.name for work in works}) == len(works)
    assert {json.loads(work.line())[2] for work in works} == {work.rules for work in works}
    assert {len(work.rules.split()) >= least for work in works} == {True}
    if file == LONGER_WORKLOADS:
        # Where a pattern has several words a line may end one or two behind the last step.
        assert sum(len(work.rules.split()) for work in works) / lines > (least + most) / 2 - 3


@pytest.mark.parametrize(("file", "count"), [(LONG_WORKLOADS, 15), (LONGER_WORKLOADS, 5)])
@pytest.mark.parametrize("format_id", FORMATS)
def test_the_same_version_of_hypothesis_draws_the_same_again(format_id: str, file: str, count: int) -> None:
    machine = machine_of(format_id)
    assert long_machine.draw(machine, count, file) == long_machine.draw(machine, count, file)
    # Their first line is as it would be written now, but for the machine and the version.
    package = files(f"journalspec_corpus.{format_id}")
    first = json.loads(package.joinpath(file).read_bytes().splitlines()[0])
    now = json.loads(long_machine.first_line(long_machine.LENGTHS[file][0], file))
    told = ("drawn_by", "hypothesis")
    assert {**first, **dict.fromkeys(told)} == {**now, **dict.fromkeys(told)}


@pytest.mark.parametrize("format_id", FORMATS)
def test_long_workloads_are_in_the_tiers_and_reach_what_short_ones_do_not(format_id: str) -> None:
    adapter = crash_format(format_id)
    assert adapter.long is not None
    every = adapter.long.table.get("full", 1)
    added = [*adapter.added("full")]
    inside = {
        scope: [w for w in adapter.workloads(scope) if isinstance(w, LongWorkload) and w not in added]
        for scope in ("smoke", "core", "full")
    }
    assert {scope: len(works) for scope, works in inside.items()} == {
        "smoke": 0,
        "core": 2 * LONG_IN_CORE,
        "full": sum(-(-lines // every) for lines, _, _ in long_machine.LENGTHS.values()),
    }
    traces = [adapter.build(work) for work in (adapter.long.lines + adapter.long.longer)[::40]]
    assert all(trace.crash_from == 0 for trace in traces)
    # A new journal may begin with something of its own: the same for each writer.
    assert len({(writer_of(trace), trace.standing) for trace in traces}) == len({*map(writer_of, traces)})
    assert max(sum(isinstance(op, Ack) for op in trace.ops) for trace in traces) > 4
    # A file comes round again, or, where none ever does, there are more of them.
    reused = Counter(op.file for trace in traces for op in trace.ops if isinstance(op, Reuse))
    most = max(len({mark.file for mark in marks_of(trace)}) for trace in traces)
    assert reused.total() > 10 or most >= FILES_OF_A_LONG_JOURNAL.get(format_id, 5)


#: None of SwiftMQ's is small enough for brute force.
@pytest.mark.parametrize("format_id", [name for name in FORMATS if name != "swiftmq_store"])
def test_both_oracles_agree_on_long_workloads(format_id: str) -> None:
    adapter, report = crash_format(format_id), brute.OracleReport()
    package = f"journalspec_corpus.{format_id}"
    for work in (*long_workloads(package)[7::800], *long_workloads(package, LONGER_WORKLOADS)[7::400]):
        trace = adapter.build(work)
        if brute.is_small(trace):
            brute.Comparison(adapter, trace, brute.KNOWN, report).run()
        if report.rows > 4000:
            break
    assert not report.kinds, "\n".join(report.lines())
    assert report.rows > 1000


def marks_of(trace: Trace) -> list[Mark]:
    return [op for op in trace.ops if isinstance(op, Mark)]


def run_of(format_id: str, variant: str, size: int) -> Recorder:
    long = crash_format(format_id).long
    assert long is not None
    return long.start(variant, size)


def test_what_cannot_be_done_is_left_out() -> None:
    run = run_of("bitronix_tlog", "spec", 600)
    assert [run.do(word) for word in ("c1b", "c2d", "d2", "d1", "f")] == [True, False, False, True, True]
    journal = run_of("jboss_journal", "seed", 1024)
    assert [journal.do(word) for word in ("a1b", "d2", "c1", "u9c", "d1", "a2b-")] == [
        True,
        False,
        False,
        False,
        True,
        True,
    ]
    store = run_of("kahadb_journal", "5.16", 1024)
    assert [store.do(word) for word in ("a1b", "cl2", "a2bl2-", "cl2", "px3", "d1")] == [
        True,
        False,
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(("size", "end"), [("x", 511), ("y", 0), ("z", 1)])
def test_sizes_at_an_edge_end_there(size: str, end: int) -> None:
    for run, add in (
        (run_of("bitronix_tlog", "spec", 3000), "c"),
        (run_of("jboss_journal", "v2", 3000), "a"),
        (run_of("kahadb_journal", "5.16", 3000), "t"),
    ):
        run.do(f"{add}1b")
        run.do(f"{add}2{size}")
        mark = run.marks[-1]
        assert (mark.off + mark.length) % 512 == end


@pytest.mark.parametrize("format_id", FORMATS)
def test_any_two_values_that_meet_in_the_whole_meet_in_the_fraction(format_id: str) -> None:
    long = crash_format(format_id).long
    assert long is not None
    tables = long.tables
    for table in ("scopes", "firsts"):
        whole = [work for work, _ in tables.listed(table, "full")]
        taken = set(tables.fraction(table, "full"))
        of = tables.rows["fractions"]["full"][table]
        core = {work for work, _ in tables.listed(table, "core")}
        assert core & set(whole) <= taken <= set(whole)
        assert (taken < set(whole)) == (of > 1)
        assert len(taken - core) < len(whole) / (of - 0.5)
        axes = ("kind", "writer", "steps", "align", "edge", "force", "background")
        met, meets = (
            {
                (one, getattr(work, one), other, getattr(work, other))
                for work in works
                for one, other in combinations(axes, 2)
            }
            for works in (whole, taken)
        )
        assert met == meets
