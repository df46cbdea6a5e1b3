"""Crash states of the Bitronix log: the fast reader is the reference, and the verdicts are the known ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from journalspec_corpus.bitronix_tlog import crash_reader, traces, workloads
from journalspec_corpus.bitronix_tlog.crash import CRASH
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Ack, Publish, Release, Sync, Write, writer_of
from journalspec_corpus.crash.verdict import VERDICTS, Answer
from journalspec_corpus.crash.view import answers
from journalspec_corpus.mutants import load_mutants
from journalspec_corpus.pipeline.run import Tally, judged_rows
from journalspec_reference import load
from journalspec_reference.bitronix_tlog import codec

FORMAT = "bitronix_tlog"
HONEST = tuple(
    preset
    for preset in PRESETS
    if preset.stratum == "R" and preset.granule > 1 and not preset.trash and preset.metadata != "any"
)
REFERENCE = load(FORMAT)


@pytest.fixture(scope="module")
def adapter() -> CrashFormat:
    return crash_format(FORMAT)


@dataclass(frozen=True)
class State:
    """A distinct state of the smoke scope: its files, what the fast readers said, where it comes from."""

    files: dict[str, bytes]
    answers: dict[str, Answer]
    where: str


@pytest.fixture(scope="module")
def smoke_states() -> list[State]:
    out: dict[tuple[tuple[str, bytes], ...], State] = {}
    for work in workloads.workloads("smoke"):
        for states in crash_states(traces.build(work), PRESETS, 1):
            found, which = answers(states.point, states.codes, crash_reader.read)
            for row, codes in enumerate(states.codes):
                files = states.point.materialise(codes)
                given = dict(zip(CRASH.readers, found[which[row]], strict=True))
                where = f"{work.name} at {states.point.crash_index}, {codes.tolist()}"
                out.setdefault(tuple(files.items()), State(files, given, where))
    return list(out.values())


def test_fast_answers_are_those_of_the_reference_on_every_state_of_a_tier(smoke_states: list[State]) -> None:
    assert len(smoke_states) > 4000
    for state in smoke_states:
        for reader, policy in CRASH.policies.items():
            slow = REFERENCE.recover(state.files, edition="2.1", policy=policy)
            assert state.answers[reader] == crash_reader.answer(slow), (reader, state.where)


def test_the_fast_mutant_is_the_mutated_reference(smoke_states: list[State]) -> None:
    (mutant,) = (mutant for mutant in load_mutants(FORMAT) if mutant.id == "skip-checksum")
    implementation = mutant.implementation()
    told_apart = 0
    for state in smoke_states:
        slow = crash_reader.answer(implementation.recover(state.files, edition="2.1", policy="strict"))
        assert state.answers[mutant.id] == slow, state.where
        told_apart += slow != state.answers["strict"]
    assert told_apart >= 3


def test_traces_are_repeatable_and_named_once() -> None:
    for scope in ("smoke", "core"):
        works = list(workloads.workloads(scope))
        assert len({work.name for work in works}) == len(works)
    for work in list(workloads.workloads("core"))[::97]:
        first, second = traces.build(work), traces.build(work)
        assert first.id == second.id
        assert first.ops == second.ops


def test_the_chosen_field_begins_on_a_sector_edge() -> None:
    for align, back in workloads.FIELDS.items():
        work = workloads.Workload("append", "spec", (workloads.Step("COMMITTING", 1, "typical"),), align)
        (mark,) = next(iter(traces.build(work).marks.values()))
        assert (mark.off + back) % traces.SECTOR == 0
        assert {name: start for start, name in mark.fields}[align] == back


def test_stale_records_are_valid_ones_behind_the_tail() -> None:
    for background in ("stale-same", "stale-shifted"):
        work = workloads.Workload(
            "append", "2.1.4", (workloads.Step("COMMITTING", 1, "typical"),), background=background
        )
        trace = traces.build(work)
        assert trace.stale
        for mark in trace.stale:
            data = trace.base[mark.file]
            found = codec.decode_record(data, mark.off, mark.off + mark.length)
            assert isinstance(found, codec.LogRecord)
        (new,) = next(iter(trace.marks.values()))
        starts = {mark.off for mark in trace.stale if mark.file == new.file}
        assert new.off in starts
        same = any(mark.off == new.off and mark.length == new.length for mark in trace.stale)
        assert same == (background == "stale-same")


def test_a_swap_releases_what_is_finished_and_publishes_with_the_timestamp() -> None:
    work = workloads.Workload("swap", "spec", (workloads.Step("COMMITTING", 1, "typical"),))
    trace = traces.build(work)
    released = [op for op in trace.ops if isinstance(op, Release)]
    assert len(released) == 1
    standing = {mark.record: mark for mark in trace.standing}
    assert all(standing[record].key.startswith("0:") for record in released[0].records)
    timestamp = next(at for at, op in enumerate(trace.ops) if isinstance(op, Write) and op.off == 4)
    published = trace.ops[timestamp + 1]
    assert isinstance(published, Publish)
    assert any(isinstance(op, Sync) for op in trace.ops[:timestamp])
    assert isinstance(trace.ops[-1], Ack)


def test_blocks_of_another_journal_hold_whole_records_at_other_places() -> None:
    step = workloads.Step("COMMITTING", 1, "typical")
    trace = traces.build(workloads.Workload("append", "2.1.4", (step,), background="stale-foreign"))
    assert len(trace.stale) >= 4
    for mark in trace.stale:
        data = trace.base[mark.file][mark.off : mark.off + mark.length]
        assert traces.key_of(data) == mark.key
    own = {mark.key for mark in trace.standing} | {marks[0].key for marks in trace.marks.values()}
    assert own.isdisjoint(mark.key for mark in trace.stale)
    file = trace.stale[0].file
    start = min(mark.off for mark in trace.stale if mark.file == file) - traces.HEADER
    assert start % traces.SECTOR == 0
    assert trace.base[file][start : start + 4] == trace.base[file][:4]


def tabulate(adapter: CrashFormat, wanted: str) -> dict[str, Counter[str]]:
    """Count the reference's strict verdicts by writer over the small scope, under honest presets."""
    out: dict[str, Counter[str]] = {}
    for work in adapter.workloads("smoke"):
        tally = Tally()
        trace = adapter.build(work)
        for rows in judged_rows(trace, adapter, HONEST, 1, tally):
            column = rows.verdicts[adapter.readers.index(wanted)]
            names = [rows.verdict(adapter.readers.index(wanted), row) for row in range(len(column))]
            out.setdefault(writer_of(trace), Counter()).update(names)
    return out


def test_the_spec_order_loses_nothing_and_the_products_orders_do(adapter: CrashFormat) -> None:
    verdicts = tabulate(adapter, "strict")
    assert set(verdicts["spec"]) == {"pass", "acceptable"}
    # A lost record sector under a kept pointer shows the file's previous life (no generation in records),
    assert verdicts["2.1.4"]["resurrected"] > 0
    assert verdicts["3.0"]["resurrected"] > 0
    # and the position written as a timestamp elects the stale file after a swap.
    assert verdicts["2.1.4"]["lost"] > 0
    assert verdicts["3.0"]["lost"] == 0
    for counts in verdicts.values():
        assert counts["torn-accepted"] == counts["hole"] == 0


def test_the_mutant_is_told_from_the_reference(adapter: CrashFormat) -> None:
    verdicts = tabulate(adapter, "skip-checksum")
    assert sum(counts["torn-accepted"] for counts in verdicts.values()) >= 3
    assert set(verdicts["2.1.4"]) <= set(VERDICTS)


def test_a_published_record_lists_what_its_keys_share() -> None:
    first = traces.key(8, 100, 1, 5, "aa", ["x", "y"])
    again = traces.key(8, 200, 2, 6, "aa", ["x", "y"])
    assert crash_reader.record_json([first]) == {
        "status": "8",
        "time": "100",
        "sequence_number": "1",
        "crc32": "5",
        "gtrid": "aa",
        "names": ["x", "y"],
    }
    assert crash_reader.record_json([first, again]) == {"status": "8", "gtrid": "aa", "names": ["x", "y"]}
