"""Crash states of the formats' writers: traces record every action, and verdicts are the expected ones."""

from __future__ import annotations

from typing import Any

import pytest

from journalspec_corpus.bitronix_tlog import recording as disk_recording
from journalspec_corpus.bitronix_tlog.workloads import Step as Log
from journalspec_corpus.bitronix_tlog.workloads import Workload as Logged
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.record import SECTOR
from journalspec_corpus.crash.trace import PRESETS, Ack, Mark, Publish, Release, Reuse, Sync, Trace, Write
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.jboss_journal.workloads import Step, Workload
from journalspec_corpus.pipeline.shards import Shard
from journalspec_corpus.workloads import LongWorkload, Tables
from journalspec_reference import load
from journalspec_reference.bitronix_tlog.codec import HEADER_SIZE, TIMESTAMP_AT
from journalspec_reference.bitronix_tlog.scan import record_of

DISK, TX = "bitronix_tlog", "jboss_journal"
ADD = (Step("add", 1, 40),)
COMMIT = (Log("COMMITTING", 1, "typical"),)


def build(work: Any) -> Trace:
    return crash_format(DISK if isinstance(work, (Logged, LongWorkload)) else TX).build(work)


def listed(**block: Any) -> list[tuple[Any, ...]]:
    tables = Tables("", Workload, Step, lambda sizes: [(Step("add", 1, size),) for size in sizes])
    tables.__dict__["rows"] = {
        "writers": {"core": {"append": ["v2", "seed"], "over": ["seed"]}},
        "sequences": {"listed": [[["add", 1, 4]], [["delete", 91]]], "combined": {"sizes": [4, 8]}},
        "scopes": {"core": [block]},
    }
    works = [*tables.workloads("core")]
    with pytest.raises(KeyError):
        [*tables.workloads("no_such_scope")]
    return [(work.kind, work.writer, work.steps[0].size, work.align, work.force) for work in works]


def test_table_lists_workloads_with_the_members_of_a_row() -> None:
    rows = [{"do": "append", "of": ["combined"]}, {"do": "over", "force": "end", "of": ["combined"]}]
    one, two = ("append", "v2", 4, "type", "each"), ("append", "seed", 4, "type", "each")
    three, four = ("append", "v2", 8, "type", "each"), ("append", "seed", 8, "type", "each")
    over, other = ("over", "seed", 4, "type", "end"), ("over", "seed", 8, "type", "end")
    assert listed(rows=rows) == [one, two, three, four, over, other]
    assert listed(rows=rows, by="steps") == [one, two, over, three, four, other]
    assert listed(rows=rows, by="writer") == [one, three, two, four, over, other]
    # A DELETE has no body.
    aligned = listed(rows=[{"do": "over", "of": ["listed"]}], align=["type", "body"])
    assert [entry[2:4] for entry in aligned] == [(4, "type"), (0, "type"), (4, "body")]


FIELDS = Logged("append", "spec", COMMIT).fields()


@pytest.mark.parametrize("align", FIELDS)
def test_chosen_field_of_a_log_record_begins_at_a_sector_boundary(align: str) -> None:
    (mark,) = next(iter(build(Logged("append", "spec", COMMIT, align)).marks.values()))
    assert (mark.off + FIELDS[align]) % SECTOR == 0
    assert {name: start for start, name in mark.fields}[align] == FIELDS[align]


@pytest.mark.parametrize("align", ["type", "file_id", "id", "length", "user_type", "body", "check"])
def test_chosen_field_of_a_journal_record_begins_at_a_sector_boundary(align: str) -> None:
    for edition, size in (("seed", 40), ("seed+hash", 4200), ("v2", 4200)):
        trace = build(Workload("append", edition, (Step("add", 1, size),), align))
        (mark,) = trace.marks["ADD-1"]
        assert (mark.off + {name: start for start, name in mark.fields}[align]) % SECTOR == 0
        # The fields end where the writer's record ends.
        assert mark.fields[-1] == (mark.length - 4, "check")


@pytest.mark.parametrize("background", ["stale-same", "stale-shifted"])
def test_stale_records_of_a_journal_are_those_of_earlier_generations(background: str) -> None:
    def places(found: Any) -> set[tuple[str, int, int]]:
        return {(place.file, place.off, place.length) for place in found}

    steps = (Step("add_tx", 1, 40, 1), Step("commit", tx=1))
    trace = build(Workload("append", "v2", steps, background=background))
    observed = load(TX).read(trace.base, edition="v2")
    assert places(trace.stale) == places(record.at for record in observed.unanchored) != set()
    assert places(trace.standing) == places(record.at for record in observed.records)
    (new,) = trace.marks["ADD-1"]
    same = any((mark.off, mark.length) == (new.off, new.length) for mark in trace.stale)
    assert same == (background == "stale-same")


@pytest.mark.parametrize("background", ["stale-same", "stale-shifted"])
def test_stale_records_are_valid_ones_after_the_tail(background: str) -> None:
    trace = build(Logged("append", "2.1.4", COMMIT, background=background))
    assert trace.stale
    for mark in trace.stale:
        found = record_of(trace.base[mark.file][mark.off : mark.off + mark.length])
        assert found is not None
    (new,) = next(iter(trace.marks.values()))
    assert new.off in {mark.off for mark in trace.stale if mark.file == new.file}
    same = any(mark.off == new.off and mark.length == new.length for mark in trace.stale)
    assert same == (background == "stale-same")


def test_blocks_of_another_log_contain_complete_records_at_other_offsets() -> None:
    trace = build(Logged("append", "2.1.4", COMMIT, background="stale-foreign"))
    assert len(trace.stale) >= 4
    for mark in trace.stale:
        found = record_of(trace.base[mark.file][mark.off : mark.off + mark.length])
        assert found is not None
        assert disk_recording.KEYS.of(found.fields) == mark.key
    own = {mark.key for mark in trace.standing} | {marks[0].key for marks in trace.marks.values()}
    assert own.isdisjoint(mark.key for mark in trace.stale)
    file = trace.stale[0].file
    start = min(mark.off for mark in trace.stale if mark.file == file) - HEADER_SIZE
    assert start % SECTOR == 0
    assert trace.base[file][start : start + 4] == trace.base[file][:4]


def test_swap_deletes_ended_records_and_publishes_by_the_timestamp() -> None:
    trace = build(Logged("swap", "spec", COMMIT))
    (released,) = [op for op in trace.ops if isinstance(op, Release)]
    standing = {mark.record: mark for mark in trace.standing}
    assert all(standing[record].key.startswith("0:") for record in released.records)
    timestamp = next(at for at, op in enumerate(trace.ops) if isinstance(op, Write) and op.off == 4)
    assert isinstance(trace.ops[timestamp + 1], Publish)
    assert any(isinstance(op, Sync) for op in trace.ops[:timestamp])
    assert isinstance(trace.ops[-1], Ack)


def test_second_of_two_files_with_one_timestamp_is_active() -> None:
    """Version 2.1.4 writes a position in place of a timestamp, so two swaps can write the same value."""
    rules = "a1b a2a c3a p4z a5y p6b p7z c8z c9b paz pbx"
    trace = build(LongWorkload("2.1.4", 1500, rules))
    stamps = {op.file: op.data for op in trace.ops if isinstance(op, Write) and op.off == TIMESTAMP_AT}
    assert stamps["btm1.tlog"] == stamps["btm2.tlog"]
    last = [op.records for op in trace.ops if isinstance(op, Publish)][-1]
    assert last == ("r2", "r7", "r8", "r10")


def test_reclaimed_file_gets_its_id_before_its_first_record_and_keeps_the_delete() -> None:
    trace = build(Workload("reclaim", "v2", (*ADD, Step("add", 2, 40))))
    reuse = next(at for at, op in enumerate(trace.ops) if isinstance(op, Reuse))
    stamp, sync = trace.ops[reuse + 1 : reuse + 3]
    assert isinstance(stamp, Write)
    assert stamp.off == 0
    assert sync == Sync(stamp.file)
    (second,) = trace.marks["ADD-2"]
    assert second.file == stamp.file
    released = {record for op in trace.ops if isinstance(op, Release) for record in op.records}
    # The deleted record was in the reused file, so it is gone; the DELETE itself is still required.
    assert "ADD-80" in released
    assert "DELETE-80" not in released


def test_compaction_must_copy_exactly_the_live_records() -> None:
    trace = build(Workload("compact", "v2", ADD))
    required = set(trace.acknowledged(len(trace.ops))) - trace.released(len(trace.ops))
    assert required == {"ADD-82", "ADD-84", "ADD-85", "ADD-90", "ADD-91", "PREPARE-6"}
    copies = [op for op in trace.ops if isinstance(op, Mark)]
    assert {mark.record for mark in copies} == {"ADD-82", "ADD-84", "ADD-85", "ADD-90", "ADD-91", "PREPARE-6"}
    assert all(mark.file.endswith(".cmp") for mark in copies)


def test_commits_acknowledge_all_their_records_and_no_record_before() -> None:
    steps = (Step("add_tx", 1, 40, 1), Step("add_tx", 2, 40, 1), Step("commit", tx=1))
    trace = build(Workload("append", "seed", steps))
    acknowledged = [op.records for op in trace.ops if isinstance(op, Ack)]
    assert acknowledged == [("ADD-1", "ADD-2", "COMMIT-1")]
    # The COMMIT puts all three into effect.
    assert [op.records for op in trace.ops if isinstance(op, Publish)] == acknowledged
    last = max(at for at, op in enumerate(trace.ops) if isinstance(op, Sync))
    assert isinstance(trace.ops[last + 1], Ack)


#: The failures of each order of writes, on a disk with atomic sectors; the sectors become durable in any
#: order.
FAULTS = [
    # If a pointer is kept and its record is lost, the reader refuses or reads the old bytes, because records
    # have no generation number. After a swap, a position that was written as a timestamp makes recovery elect
    # the stale file.
    (DISK, {"spec": set(), "2.1.4": {"resurrected", "refused", "lost"}, "3.0": {"resurrected", "refused"}}),
    # The check size does not cover the middle of a body; the hash does. HornetQ continues in a new file
    # without an fsync of the old one (JBM-DEV-015): a transaction's records there may be lost.
    (
        TX,
        {
            "seed": {"torn-accepted"},
            "seed+hash": set(),
            "v2": {"torn-accepted"},
            "v2/artemis": {"torn-accepted"},
            "v2/hornetq": {"torn-accepted", "lost", "silent", "half-transaction"},
        },
    ),
]


@pytest.mark.parametrize(("format_id", "faults"), FAULTS)
def test_specified_write_order_loses_nothing_and_orders_of_products_lose_records(
    format_id: str, faults: dict[str, set[str]]
) -> None:
    adapter, found = crash_format(format_id), dict[str, set[str]]()
    presets = [each for each in PRESETS if each.stratum == "R" and each.granule > 1]
    whole = tuple(each for each in presets if not each.trash and each.metadata != "any")
    for work in adapter.first_lives("smoke"):
        for rows in Shard(adapter, whole, 1).judged(adapter.build(work)):
            seen = {rows.verdict(0, row) for row in rows.new}
            found.setdefault(work.writer, set()).update(name for name in seen if VERDICTS[name])
    assert found == faults


_COPIED = {"status": "8", "gtrid": "aa", "names": ["x", "y"]}


@pytest.mark.parametrize(
    ("format_id", "keys", "shared"),
    [
        (DISK, ["8:100:1:5:aa:x,y"], {**_COPIED, "time": "100", "sequence_number": "1", "crc32": "5"}),
        (DISK, ["8:100:1:5:aa:x,y", "8:200:2:6:aa:x,y"], _COPIED),
        (TX, ["ADD:0:5:1:abcd:"], {"type": "ADD", "id": "5", "user_type": "1", "body": "abcd"}),
        (TX, ["ADD:0:5:1:abcd:", "ADD_TX:9:5:1:abcd:"], {"id": "5", "user_type": "1", "body": "abcd"}),
        (TX, ["COMMIT:9:0:0::"], {"type": "COMMIT", "tx": "9"}),
    ],
)
def test_published_record_lists_the_members_that_its_keys_share(
    format_id: str, keys: list[str], shared: dict[str, Any]
) -> None:
    assert crash_format(format_id).record_json(keys) == shared
