"""Crash states of the JBoss journal: the fast reader is the reference, and what the format cannot see."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import SAMPLES
from journalspec_corpus.crash.persistence import PRESETS, Preset, get_preset
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Ack, Mark, Release, Reuse, Sync, Write
from journalspec_corpus.crash.verdict import VERDICTS, Answer
from journalspec_corpus.crash.view import View, answers
from journalspec_corpus.jboss_journal import crash_reader, traces
from journalspec_corpus.jboss_journal.crash import CRASH
from journalspec_corpus.jboss_journal.traces import Step, Workload
from journalspec_corpus.mutants import load_mutants
from journalspec_corpus.pipeline.run import Tally, judged_rows
from journalspec_reference import load

FORMAT = "jboss_journal"
REFERENCE = load(FORMAT)
SUBSET = get_preset("epoch-subset-512")
#: Sectors that are written as a whole or not at all, in whatever order.
HONEST = tuple(
    preset
    for preset in PRESETS
    if preset.stratum == "R" and preset.granule > 1 and not preset.trash and preset.metadata != "any"
)
MUTANT = "counts-not-compared"


@pytest.fixture(scope="module")
def adapter() -> CrashFormat:
    return crash_format(FORMAT)


@dataclass(frozen=True)
class State:
    """A state of the smoke scope: its files and edition, what the fast readers said, where it comes from."""

    files: dict[str, bytes]
    edition: str
    answers: dict[str, Answer]
    where: str


@pytest.fixture(scope="module")
def smoke_states() -> list[State]:
    """Every third state of the smoke scope."""
    out = []
    for work in traces.workloads("smoke"):
        for states in crash_states(traces.build(work), PRESETS, 1):
            found, which = answers(states.point, states.codes, crash_reader.read)
            for row in range(0, len(states.codes), 3):
                files = states.point.materialise(states.codes[row])
                given = dict(zip(CRASH.readers, found[which[row]], strict=True))
                where = f"{work.name} at {states.point.crash_index}, {states.codes[row].tolist()}"
                out.append(State(files, work.edition, given, where))
    return out


def test_fast_answers_are_those_of_the_reference(smoke_states: list[State]) -> None:
    assert len(smoke_states) > 4000
    for state in smoke_states:
        for reader, policy in CRASH.policies.items():
            slow = REFERENCE.recover(state.files, edition=state.edition, policy=policy)
            assert state.answers[reader] == crash_reader.answer(slow), (reader, state.where)


def test_the_fast_mutant_is_the_mutated_reference(smoke_states: list[State]) -> None:
    (mutant,) = (mutant for mutant in load_mutants(FORMAT) if mutant.id == MUTANT)
    implementation = mutant.implementation()
    told_apart = 0
    for state in smoke_states:
        slow = crash_reader.answer(
            implementation.recover(state.files, edition=state.edition, policy="strict")
        )
        assert state.answers[MUTANT] == slow, state.where
        told_apart += slow != state.answers["strict"]
    assert told_apart >= 3


def test_traces_are_repeatable_and_named_once() -> None:
    for scope in ("smoke", "core"):
        works = list(traces.workloads(scope))
        assert len({work.name for work in works}) == len(works)
    for work in list(traces.workloads("core"))[::97]:
        first, second = traces.build(work), traces.build(work)
        assert first.id == second.id
        assert first.ops == second.ops


@pytest.mark.parametrize("edition", sorted(traces.EXTENSIONS))
def test_the_chosen_field_begins_on_a_sector_edge(edition: str) -> None:
    for align in ("type", "file_id", "id", "length", "user_type", "body", "check"):
        trace = traces.build(Workload("append", edition, (Step("add", 1, 40),), align))
        (mark,) = trace.marks["ADD-1"]
        long = traces.build(Workload("append", edition, (Step("add", 1, 4200),), align)).marks["ADD-1"][0]
        assert (long.off + {name: start for start, name in long.fields}[align]) % traces.SECTOR == 0
        assert (mark.off + {name: start for start, name in mark.fields}[align]) % traces.SECTOR == 0
        write = next(op for op in trace.ops if isinstance(op, Write))
        assert len(write.data) == mark.length
        # The fields end where the writer's record ends.
        assert mark.fields[-1] == (mark.length - 4, "check")


def test_stale_records_are_those_of_the_files_earlier_lives() -> None:
    for background in ("stale-same", "stale-shifted"):
        steps = (Step("add_tx", 1, 40, 1), Step("commit", tx=1))
        trace = traces.build(Workload("append", "v2", steps, background=background))
        observed = REFERENCE.read(trace.base, edition="v2")
        places = {(record.at.file, record.at.off, record.at.length) for record in observed.unanchored}
        assert {(mark.file, mark.off, mark.length) for mark in trace.stale} == places != set()
        live = {(record.at.file, record.at.off, record.at.length) for record in observed.records}
        assert live == {(mark.file, mark.off, mark.length) for mark in trace.standing}
        (new,) = trace.marks["ADD-1"]
        same = any((mark.off, mark.length) == (new.off, new.length) for mark in trace.stale)
        assert same == (background == "stale-same")


def test_blocks_of_another_file_hold_records_that_its_id_gives_away() -> None:
    trace = traces.build(Workload("append", "v2", (Step("add", 1, 40),), background="stale-foreign"))
    observed = REFERENCE.read(trace.base, edition="v2")
    found = {(record.at.file, record.at.off, record.at.length) for record in observed.records}
    standing = {(mark.file, mark.off, mark.length) for mark in trace.standing}
    assert found == standing
    foreign = {(mark.file, mark.off) for mark in trace.stale}
    (file,) = {file for file, _ in foreign}
    start = min(off for _, off in foreign) - min(off for _, off, _ in standing)
    assert start % traces.SECTOR == 0
    # The other file's header stands where the block begins; all its records carry the id that it has.
    header = trace.base[file][start : start + 16]
    assert header[:8] == trace.base[file][:8]
    assert header[8:] != trace.base[file][8:16]
    for mark in trace.stale:
        assert trace.base[file][mark.off + 1 : mark.off + 5] == header[12:]


def test_a_reclaimed_file_is_stamped_before_its_first_record_and_keeps_the_delete() -> None:
    trace = traces.build(Workload("reclaim", "v2", (Step("add", 1, 40), Step("add", 2, 40))))
    reuse = next(at for at, op in enumerate(trace.ops) if isinstance(op, Reuse))
    stamp, sync = trace.ops[reuse + 1 : reuse + 3]
    assert isinstance(stamp, Write)
    assert stamp.off == 0
    assert sync == Sync(stamp.file)
    (second,) = trace.marks["ADD-2"]
    assert second.file == stamp.file
    released = {record for op in trace.ops if isinstance(op, Release) for record in op.records}
    # What the delete is about has lain in the file that was reused; the delete itself stays owed.
    assert "ADD-80" in released
    assert "DELETE-80" not in released


def test_a_compaction_owes_what_lives_and_nothing_else() -> None:
    trace = traces.build(Workload("compact", "v2", (Step("add", 1, 40),)))
    owed = set(trace.acknowledged(len(trace.ops))) - trace.released(len(trace.ops))
    assert owed == {"ADD-80", "ADD-82", "ADD-84", "ADD-85", "ADD-90", "ADD-91", "PREPARE-6"} - {"ADD-80"}
    copies = [op for op in trace.ops if isinstance(op, Mark)]
    assert {mark.record for mark in copies} == {"ADD-82", "ADD-84", "ADD-85", "ADD-90", "ADD-91", "PREPARE-6"}
    assert all(mark.file.endswith(".cmp") for mark in copies)


def tabulate(
    adapter: CrashFormat, presets: tuple[Preset, ...], reader: str = "strict"
) -> dict[str, Counter[str]]:
    """Count the verdicts on `reader` by writer over the smoke scope."""
    out: dict[str, Counter[str]] = {}
    for work in adapter.workloads("smoke"):
        trace = adapter.build(work)
        for rows in judged_rows(trace, adapter, presets, 1, Tally()):
            at = adapter.readers.index(reader)
            names = [rows.verdict(at, row) for row in range(len(rows.case_ids))]
            out.setdefault(trace.tags["order"], Counter()).update(names)
    return out


def test_whole_sectors_lose_nothing_and_the_hash_sees_what_the_check_size_does_not(
    adapter: CrashFormat,
) -> None:
    verdicts = tabulate(adapter, HONEST)
    # HornetQ leaves a file without forcing it (JBM-DEV-015): what a transaction wrote there may be lost.
    assert verdicts["v2/hornetq"].pop("lost") > 0
    for writer, counts in verdicts.items():
        assert counts["lost"] == counts["refused"] == 0, writer
        assert counts["resurrected"] == 0, writer
    # The check size is blind to the middle of a body: undetectable by design, and counted.
    assert verdicts["seed"]["torn-accepted"] >= 5
    assert verdicts["v2"]["torn-accepted"] >= 5
    assert verdicts["seed+hash"]["torn-accepted"] == 0


def test_a_new_head_before_an_old_tail_brings_the_old_record_back(adapter: CrashFormat) -> None:
    work = Workload("append", "v2", (Step("add", 1, 40),), background="stale-same")
    found: Counter[int] = Counter()
    for rows in judged_rows(adapter.build(work), adapter, (get_preset("prefix-byte"),), 1, Tally()):
        for row in range(len(rows.case_ids)):
            if rows.verdict(0, row) == "resurrected":
                found[int(rows.states.tear[row])] += 1
    # Type and file id are new, everything behind them is the old record.
    assert found == {5: 1}


def test_the_mutant_is_told_from_the_reference(adapter: CrashFormat) -> None:
    steps = (*(Step("add_tx", number, 600, 1) for number in (1, 2, 3)), Step("commit", tx=1))
    seen: dict[str, Counter[str]] = {"strict": Counter(), MUTANT: Counter()}
    for rows in judged_rows(adapter.build(Workload("append", "v2", steps)), adapter, HONEST, 1, Tally()):
        for reader, counts in seen.items():
            at = adapter.readers.index(reader)
            counts.update(rows.verdict(at, row) for row in range(len(rows.case_ids)))
    # A COMMIT without any of its records has no effect and is not reported (JBM-RCV-015).
    assert 0 < seen["strict"]["silent"] <= 4
    assert seen[MUTANT]["silent"] >= seen["strict"]["silent"] + 3
    assert set(seen[MUTANT]) <= set(VERDICTS)


def sectors(count: int, background: str) -> Workload:
    """Return the workload that writes one record over `count` sectors: from head to check."""
    return Workload("append", "v2", (Step("add", 1, 512 * (count - 1) + 100),), background=background)


def accepted(adapter: CrashFormat, work: Workload) -> tuple[int, int]:
    """Return how many states of the record's write are torn, and how many of these are accepted."""
    trace = adapter.build(work)
    index = next(at for at, op in enumerate(trace.ops) if isinstance(op, Write))
    torn = taken = 0
    for states in crash_states(trace, (SUBSET,), 1):
        if states.point.crash_index != index + 3:
            continue
        # Exhaustive where all patterns can be listed, otherwise the uniform samples alone.
        rows = states.codes if len(states.codes) < SAMPLES else states.codes[-SAMPLES:]
        found, which = answers(states.point, rows, adapter.read)
        complete = (rows == 1).all(axis=1)
        known = {mark.key for mark in (*trace.standing, *trace.stale, *trace.marks["ADD-1"])}
        foreign = np.asarray([not set(entry[0].keys) <= known for entry in found])
        assert not foreign[which[complete]].any()
        torn += int((~complete).sum())
        taken += int(foreign[which].sum())
    return torn, taken


@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_the_rate_of_torn_but_accepted_records_is_the_closed_form(adapter: CrashFormat, count: int) -> None:
    # Of the 2^k - 1 torn patterns of k sectors those are accepted that keep the first and the last (nothing
    # before) or the first alone (the same record of an earlier life before), and lose some other one.
    patterns = 2**count - 1
    assert accepted(adapter, sectors(count, "zero")) == (patterns, max(0, 2 ** (count - 2) - 1))
    assert accepted(adapter, sectors(count, "stale-same")) == (patterns, 2 ** (count - 1) - 1)


@pytest.mark.parametrize(("background", "limit"), [("zero", 0.25), ("stale-same", 0.5)])
def test_sampled_patterns_have_the_same_rate_within_three_sigma(
    adapter: CrashFormat, background: str, limit: float
) -> None:
    count = 14
    torn, taken = accepted(adapter, sectors(count, background))
    rate = (2**count * limit - 1) / (2**count - 1)
    assert torn > 3000
    assert abs(taken - torn * rate) <= 3 * math.sqrt(torn * rate * (1 - rate))


def test_sectors_in_order_never_tear_a_record_on_zeros(adapter: CrashFormat) -> None:
    counts: Counter[str] = Counter()
    for name in ("prefix-sector-512", "prefix-sector-4096"):
        trace = adapter.build(sectors(4, "zero"))
        for rows in judged_rows(trace, adapter, (get_preset(name),), 1, Tally()):
            counts.update(rows.verdict(0, row) for row in range(len(rows.case_ids)))
    assert counts["torn-accepted"] == 0
    assert counts["pass"] > 4


def test_a_view_finds_what_a_search_in_the_file_finds(adapter: CrashFormat) -> None:
    sought = rb"[\x0b\x0c\x30-\x38]\x00[\x00-\x7f]"
    for background in ("stale-same", "garbage"):
        trace = adapter.build(
            Workload("append", "v2", (Step("add", 1, 1400),), "body", background=background)
        )
        for states in crash_states(trace, (SUBSET,), 1):
            view = View(states.point)
            for row in range(0, len(states.codes), 3):
                view.turn_to(states.codes[row].tolist())
                files = states.point.materialise(states.codes[row])
                for name, number in view.names().items():
                    limit = len(files[name])
                    for start, end in ((0, limit), (500, 530), (1020, limit - 1), (limit - 2, limit)):
                        match = re.compile(sought, re.DOTALL).search(files[name], start)
                        wanted = match.start() if match is not None and match.start() < end else -1
                        assert view.find(number, sought, 3, (start, end), limit) == wanted


def test_a_published_record_lists_what_its_keys_share() -> None:
    plain = "ADD:0:5:1:abcd:"
    member = "ADD_TX:9:5:1:abcd:"
    assert crash_reader.record_json([plain]) == {"type": "ADD", "id": "5", "user_type": "1", "body": "abcd"}
    assert crash_reader.record_json([plain, member]) == {"id": "5", "user_type": "1", "body": "abcd"}
    assert crash_reader.record_json(["COMMIT:9:0:0::"]) == {"type": "COMMIT", "tx": "9"}


def test_acknowledged_are_commits_with_all_their_records_and_nothing_before() -> None:
    steps = (Step("add_tx", 1, 40, 1), Step("add_tx", 2, 40, 1), Step("commit", tx=1))
    trace = traces.build(Workload("append", "seed", steps))
    acknowledged = [op.records for op in trace.ops if isinstance(op, Ack)]
    assert acknowledged == [("ADD-1", "ADD-2", "COMMIT-1")]
    last = max(at for at, op in enumerate(trace.ops) if isinstance(op, Sync))
    assert isinstance(trace.ops[last + 1], Ack)
