"""Long workloads: the files that list them, the states that they reach, the effects of their steps, and both
oracles.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from itertools import combinations

import pytest

import brute
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.record import Recorder
from journalspec_corpus.crash.trace import Ack, Mark, Reuse, Trace, writer_of
from journalspec_corpus.workloads import (
    LONG_IN_CORE,
    LONG_WORKLOADS,
    LONGER_WORKLOADS,
    LongWorkload,
    long_workloads,
)

#: File -> the number of its lines, and the least and the largest number of steps (words) in a line.
LENGTHS = {LONG_WORKLOADS: (2000, 4, 12), LONGER_WORKLOADS: (400, 13, 24)}
FORMATS = ("bitronix_tlog", "jboss_journal", "kahadb_journal", "derby_log", "swiftmq_store")
#: The number of files of a long journal in formats that do not reuse files. Derby's files have at least
#: 100,000 bytes; SwiftMQ overwrites its only log.
FILES_OF_A_LONG_JOURNAL = {"derby_log": 2, "swiftmq_store": 1}


@pytest.mark.parametrize("file", LENGTHS)
@pytest.mark.parametrize("format_id", FORMATS)
def test_long_workload_files_have_the_documented_number_of_lines(format_id: str, file: str) -> None:
    package = f"journalspec_corpus.{format_id}"
    text = files(package).joinpath(file).read_bytes()
    assert len(text) < 400_000
    first = json.loads(text.splitlines()[0])
    works = long_workloads(package, file)
    lines, least, most = LENGTHS[file]
    assert first["lines"] == len(works) == lines
    assert len({work.name for work in works}) == len(works)
    assert {len(work.rules.split()) >= least for work in works} == {True}
    if file == LONGER_WORKLOADS:
        # If a pattern has several words, a line can end one or two words after the last step.
        assert sum(len(work.rules.split()) for work in works) / lines > (least + most) / 2 - 3


@pytest.mark.parametrize("format_id", FORMATS)
def test_long_workloads_are_in_the_tiers_and_reach_states_that_short_ones_do_not(format_id: str) -> None:
    adapter = crash_format(format_id)
    assert adapter.tables is not None
    every = adapter.tables.rows["long"].get("full", 1)
    added = [*adapter.tables.added("full")]
    inside = {
        scope: [w for w in adapter.workloads(scope) if isinstance(w, LongWorkload) and w not in added]
        for scope in ("smoke", "core", "full")
    }
    assert {scope: len(works) for scope, works in inside.items()} == {
        "smoke": 0,
        "core": 2 * LONG_IN_CORE,
        "full": sum(-(-lines // every) for lines, _, _ in LENGTHS.values()),
    }
    traces = [adapter.build(work) for work in (adapter.tables.lines + adapter.tables.longer)[::40]]
    assert all(trace.crash_from == 0 for trace in traces)
    # The initial bytes of a new journal depend only on the writer.
    assert len({(writer_of(trace), trace.standing) for trace in traces}) == len({*map(writer_of, traces)})
    assert max(sum(isinstance(op, Ack) for op in trace.ops) for trace in traces) > 4
    # Files are reused, or several files exist.
    reused = Counter(op.file for trace in traces for op in trace.ops if isinstance(op, Reuse))
    most = max(len({mark.file for mark in marks_of(trace)}) for trace in traces)
    assert reused.total() > 10 or most >= FILES_OF_A_LONG_JOURNAL.get(format_id, 5)


#: SwiftMQ is excluded: none of its workloads is small enough for brute force. For the other formats,
#: test_crash_brute samples only short workloads.
@pytest.mark.parametrize("format_id", [name for name in FORMATS if name != "swiftmq_store"])
def test_both_oracles_agree_on_long_workloads(format_id: str) -> None:
    adapter, report = crash_format(format_id), brute.OracleReport()
    package = f"journalspec_corpus.{format_id}"
    for work in (*long_workloads(package)[7::800], *long_workloads(package, LONGER_WORKLOADS)[7::400]):
        trace = adapter.build(work)
        if brute.is_small(trace):
            brute.Comparison(adapter, trace, brute.KNOWN, report).run()
        if report.rows > 1000:
            break
    assert not report.kinds, "\n".join(report.lines())
    assert report.rows > 1000


def marks_of(trace: Trace) -> list[Mark]:
    return [op for op in trace.ops if isinstance(op, Mark)]


def run_of(format_id: str, variant: str, size: int) -> Recorder:
    long = crash_format(format_id).long
    assert long is not None
    run = long(variant, size)
    run.open()
    return run


@pytest.mark.parametrize(
    ("format_id", "variant", "size", "done", "omitted"),
    [
        ("bitronix_tlog", "spec", 600, "c1b d1 f", "c2d d2"),
        ("jboss_journal", "seed", 1024, "a1b d1 a2b-", "d2 c1 u9c"),
        ("kahadb_journal", "5.16", 1024, "a1b a2bl2- cl2 d1", "cl2 px3"),
    ],
)
def test_impossible_steps_are_omitted(
    format_id: str, variant: str, size: int, done: str, omitted: str
) -> None:
    first, *others = done.split()
    run = run_of(format_id, variant, size)
    assert run.do(first)
    assert [run.do(word) for word in omitted.split()] == [False] * len(omitted.split())
    assert [run.do(word) for word in others] == [True] * len(others)


@pytest.mark.parametrize(("size", "end"), [("x", 511), ("y", 0), ("z", 1)])
def test_records_sized_for_a_sector_boundary_end_there(size: str, end: int) -> None:
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
def test_sampled_workloads_combine_every_pair_of_values_of_the_full_scope(format_id: str) -> None:
    tables = crash_format(format_id).tables
    assert tables is not None
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
