"""Second generations: the files after a first crash, the requirements after the second, and wrong writers."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from journalspec_corpus.bitronix_tlog.workloads import Step, Workload
from journalspec_corpus.crash import second_crash
from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.facts import Facts, State, find
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.oracle import expected_at
from journalspec_corpus.crash.second_crash import CHOICES, CrashImage, SecondLife, choose, crash_image
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import (
    SECOND_LIFE,
    Ack,
    Mark,
    Part,
    Preset,
    Publish,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Write,
    get_preset,
)
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.jboss_journal.workloads import LONG, TYPICAL, VICTIM
from journalspec_corpus.jboss_journal.workloads import Step as TxStep
from journalspec_corpus.jboss_journal.workloads import Workload as TxWorkload
from journalspec_corpus.pipeline.shards import Shard
from journalspec_reference import load

DISK, TX = "bitronix_tlog", "jboss_journal"
#: The functions of each format for runs after a crash.
disk_resume: Any = crash_format(DISK).second
tx_resume: Any = crash_format(TX).second
BYTES, SECTORS = get_preset("prefix-byte"), get_preset("epoch-subset-512")
#: Presets of a disk that performs each fsync. A failure with such a preset is a weakness of the format.
HONEST = tuple(
    map(get_preset, ("prefix-sector-4096", "prefix-byte", "epoch-subset-4096", "epoch-subset-512"))
)
ONE = (Step("COMMITTING", 1, "typical"),)


@pytest.fixture(scope="module")
def disk() -> CrashFormat:
    return crash_format(DISK)


@pytest.fixture(scope="module")
def tx() -> CrashFormat:
    return crash_format(TX)


# --- The files after the first crash ---------------------------------------------------------------


def two_records() -> Trace:
    """Return a trace of two records and a pointer to their end; the first is acknowledged before the second
    is written.
    """
    ops = (
        Write("new", 1000, b"A" * 600),
        Mark("a", "new", 1000, 600, "key-a"),
        Sync("new"),
        Rename("new", "log"),
        SyncDir(),
        Ack(("a",)),
        Write("log", 2000, b"B" * 600),
        Mark("b", "log", 2000, 600, "key-b"),
        Write("log", 0, b"\2" * 8),
        Publish(("b",)),
        Sync("log"),
    )
    old, gone = Mark("old", "new", 2000, 700, "key-old"), Mark("gone", "new", 3000, 9, "key-gone")
    return Trace("toy", "1", "toy", {"new": b"s" * 4096}, ops, "stale", (gone,), (old,), crash_from=6)


def last_states(trace: Trace) -> States:
    return list(crash_states(trace, (SECTORS,), 1))[-1]


def image_of(trace: Trace, **versions: int) -> CrashImage:
    """Return the image after the last crash.

    Granule n has the version ``gn``; other granules have the new one.
    """
    states = last_states(trace)
    wanted = np.asarray([size - 1 for size in states.point.dims])
    for at, block in enumerate(states.point.blocks):
        wanted[at] = versions.get(f"g{block.index}", wanted[at])
    (row,) = np.flatnonzero((states.codes == wanted).all(axis=1))
    image = crash_image(State(Facts(states), int(row)), gone=False)
    assert image is not None
    return image


def records(marks: tuple[Mark, ...]) -> list[str]:
    return [mark.record for mark in marks]


def lengths(marks: tuple[Mark, ...]) -> list[tuple[str, int, int]]:
    return [(mark.record, mark.off, mark.length) for mark in marks]


def test_complete_record_is_at_the_current_offset_of_its_file() -> None:
    everything = image_of(two_records())
    # The file was renamed after the record had been written.
    assert [(mark.record, mark.file) for mark in everything.standing] == [("gone", "log"), ("a", "log")]
    assert lengths(everything.possible) == [("b", 2000, 600)]
    assert everything.stale == ()  # Record b overwrites record a.
    nothing = image_of(two_records(), g0=0, g3=0, g4=0, g5=0)
    assert (records(nothing.standing), records(nothing.stale)) == (["gone", "a"], ["old"])
    # It is unknown whether a later write took effect. The name of the record remains known, but its bytes do
    # not.
    assert lengths(nothing.possible) == [("b", 2000, 0)]
    assert records(nothing.whole) == ["gone", "a"]
    # If record b is half written, neither it nor the old record is intact.
    half = image_of(two_records(), g4=0)
    assert (half.stale, lengths(half.possible)) == ((), [("b", 2000, 0)])


def test_record_of_several_parts_is_complete_only_with_all_parts() -> None:
    parts = [Part("a", "log", off, 512, "key-a") for off in (0, 1024)]
    ops = [op for part in parts for op in (Write("log", part.off, b"A" * 512), part)]
    trace = Trace("toy", "1", "toy", {"log": b"s" * 2048}, (*ops, Sync("log")), "stale")
    assert lengths(image_of(trace).possible) == [("a", 0, 512), ("a", 1024, 512)]
    one = image_of(trace, g2=0)
    assert lengths(one.possible) == [("a", 0, 0), ("a", 1024, 0)]
    assert one.whole == ()


def test_second_crash_keeps_the_remains_of_the_first() -> None:
    maybe = Mark("maybe", "new", 3500, 9, "key-maybe")
    image = image_of(replace(two_records(), possible=(maybe,), done=frozenset({"before"})))
    assert (records(image.possible), records(image.order)) == (["maybe", "b"], ["gone", "maybe", "a", "b"])
    assert image.done == {"before"}


def test_state_that_lost_required_records_starts_no_second_run() -> None:
    ops = (*two_records().ops[:6], Write("log", 1000, b"x"), Sync("log"))
    states = last_states(Trace("toy", "1", "toy", {"new": b"s" * 4096}, ops, ""))
    assert crash_image(State(Facts(states), len(states) - 1), gone=False) is None


# --- Required records of the second generation ---------------------------------------------------------


def remains_where(
    adapter: CrashFormat, work: Any, *, whole: set[str], required_now: set[str], gone: bool
) -> CrashImage:
    """Return a crash state of `work` in which exactly the records `whole` are intact and exactly the records
    `required_now` are required.
    """
    for states in crash_states(adapter.build(work), (SECTORS, BYTES), 1):
        expected = expected_at(states.point.trace, states.point.crash_index)
        if expected.must_keep != required_now:
            continue
        facts = Facts(states)
        for row in range(len(states)):
            left = crash_image(State(facts, row), gone=gone)
            if left is not None and set(records(left.whole)) == whole:
                return left
    raise AssertionError(f"{work.name} leaves no such state")


def ended(trace_ops: tuple[Any, ...], left: CrashImage, life: int = 2) -> Any:
    trace = Trace(
        "", "", "", left.files, trace_ops, "", left.standing, left.stale, 0, {}, left.possible, life
    )
    return expected_at(trace, len(trace.ops))


APPEND, SWAP = Workload("append", "spec", ONE), Workload("swap", "spec", ONE)
TX_STEPS = (TxStep("add_tx", 1, LONG, 1), TxStep("add_tx", 2, TYPICAL, 1), TxStep("prepare", tx=1))
PREPARED, ADDED = (TxWorkload("append", "v2", steps) for steps in (TX_STEPS, (TxStep("add", 1, LONG),)))
DELETED = TxWorkload("append", "v2", (TxStep("delete", VICTIM),))
#: The names that the table uses for workloads.
FIRSTS: dict[str, Any] = {"APPEND": APPEND, "SWAP": SWAP, "PREPARED": PREPARED, "ADDED": ADDED}
FIRSTS["DELETED"] = DELETED
TABLE = tomllib.loads((Path(__file__).parent / "data" / "second_lives.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("first", "whole", "required", "then", "kept", "also", "never"), TABLE["required"])
def test_second_run_requires_the_records_of_the_table(
    first: str, whole: str, required: str, then: str, kept: str, also: str, never: str
) -> None:
    """Recovery must find the records in `kept`, may find those in `also`, and must not find `never`."""
    work = FIRSTS[first]
    adapter = crash_format(TX if isinstance(work, TxWorkload) else DISK)
    resume: Any = adapter.second
    gone = resume.released_is_gone
    left = remains_where(adapter, work, whole={*whole.split()}, required_now={*required.split()}, gone=gone)
    life = resume.live(work, 2, left, then)
    # Recovery also completes decided transactions.
    assert then != "settle" or any(isinstance(op, Mark) for op in life.ops[: life.opened])
    expected = ended(life.ops, left)
    assert expected.must_keep == {*kept.split()}
    assert expected.may_keep >= {*kept.split(), *also.split()}
    assert expected.may_keep.isdisjoint(never.split())


def test_appended_record_is_at_the_offset_of_the_lost_one(disk: CrashFormat) -> None:
    left = remains_where(disk, APPEND, whole={"r0", "r1"}, required_now={"r0", "r1"}, gone=True)
    life = disk_resume.live(APPEND, 2, left, "typical")
    assert ended(life.ops, left).order == ("r0", "r1", "b-r2", "b-r3")
    new = next(op for op in life.ops if isinstance(op, Mark))
    lost = next(mark for mark in left.possible if mark.record == "r2")
    assert (new.file, new.off) == (lost.file, lost.off)
    swapped = remains_where(disk, SWAP, whole={"r1", "r2"}, required_now={"r1", "r2"}, gone=True)
    assert records(swapped.stale) == ["r0"]
    assert "r0" in ended(disk_resume.live(SWAP, 2, swapped, "same").ops, swapped).must_drop


def test_interrupted_compaction_is_completed_under_the_new_names(tx: CrashFormat) -> None:
    work = TxWorkload("compact", "v2", (TxStep("add", 1, TYPICAL),))
    trace = tx.build(work)
    control = next(
        at for at, op in enumerate(trace.ops) if isinstance(op, Rename) and op.new.endswith(".ctr")
    )
    states = next(states for states in crash_states(trace, (BYTES,), 1) if states.point.crash_index > control)
    left = crash_image(State(Facts(states), 0), gone=False)
    assert left is not None
    life = tx_resume.live(work, 2, left, "open")
    renamed = {op.old: op.new for op in life.ops if isinstance(op, Rename)}
    assert renamed
    assert all(old.endswith(".cmp") and new == old.removesuffix(".cmp") for old, new in renamed.items())
    assert ended(life.ops, left).must_keep == expected_at(trace, left.descriptor.crash_index).must_keep


# --- Runs after a crash as workloads ----------------------------------------------------------------

STALE_FIRST = Workload("append", "2.1.4", ONE, background="stale-same")


@pytest.mark.parametrize(
    ("format_id", "first", "thens"),
    [
        (DISK, APPEND, ("same", "swap", "settle", "close")),
        (DISK, Workload("create", "3.0", (Step("COMMITTING", 1, "tiny"),)), ("typical",)),
        (TX, PREPARED, ("same", "settle", "compact", "over")),
        (TX, TxWorkload("compact", "v2", (TxStep("add", 1, TYPICAL),)), ("open", "tx")),
    ],
)
def test_base_of_a_second_run_is_a_state_of_the_first(
    format_id: str, first: Any, thens: tuple[str, ...]
) -> None:
    adapter = crash_format(format_id)
    before = adapter.build(first)
    for number, then in enumerate(thens):
        trace = adapter.build(SecondLife(first, number, then))
        image = choose(before, gone=format_id == DISK).images[number]
        assert find(replace(before, unread=frozenset()), image.descriptor).files == dict(trace.base)
        assert trace.life == 2
        own = {op.record for op in trace.ops if isinstance(op, Mark)}
        known = {mark.record for mark in (*trace.standing, *trace.possible)}
        assert all(record.startswith(SECOND_LIFE) for record in own - known)


@pytest.mark.parametrize("is_listed", [True, False])
def test_first_crashes_differ_and_are_of_many_kinds(disk: CrashFormat, is_listed: bool) -> None:
    """The first crashes are those in the format's list. Without a list, a choice by class replaces it."""
    first = disk.build(STALE_FIRST)
    chosen = choose(first if is_listed else unlisted(first), gone=True)
    assert (len(chosen.images), chosen.fine) == (CHOICES, is_listed)
    assert len({(*sorted(left.files.items()), *records(left.standing)) for left in chosen.images}) == CHOICES
    assert {left.category for left in chosen.images} >= {"clean", "prefix-torn", "sector-trash"}


def unlisted(trace: Trace) -> Trace:
    """Return the trace under a name that is in no list of first crashes."""
    return replace(trace, name=f"unlisted/{trace.name}")


def test_no_reader_influences_the_start_states_of_second_runs(
    disk: CrashFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = crash_format(DISK).build(APPEND)
    listed, free = choose(usual, gone=True), choose(unlisted(usual), gone=True)

    def blind(*_: object, **__: object) -> Any:
        raise AssertionError("a reader was asked")

    monkeypatch.setattr(type(load(DISK)), "recover", blind)
    for trace, before in ((usual, listed), (unlisted(usual), free)):
        now = choose(replace(trace), gone=True)
        assert [left.descriptor for left in now.images] == [left.descriptor for left in before.images]


def test_refused_state_starts_no_second_run(disk: CrashFormat) -> None:
    first = unlisted(disk.build(Workload("swap", "spec", ONE)))
    traces = [
        disk_resume.build(SecondLife(Workload("swap", "spec", ONE), number, "typical"), first)
        for number in range(CHOICES)
    ]
    empty = [trace for trace in traces if not trace.ops]
    assert 0 < len(empty) < CHOICES
    for trace in empty:
        assert verdicts_of(disk, trace) == {}
        assert trace.tags["fine"] == "no"
    assert all(verdicts_of(disk, trace) for trace in traces if trace.ops)


def test_list_of_crashes_with_an_unknown_state_is_an_error(
    disk: CrashFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = disk.build(APPEND)
    known = second_crash.first_crashes(DISK)[first.name]
    monkeypatch.setattr(
        second_crash, "first_crashes", lambda _: {first.name: (*known, ("prefix-byte", 999, "", 0))}
    )
    with pytest.raises(ValueError, match=r"lists unknown states: .*999"):
        choose(first, gone=True).image(0)


@pytest.mark.parametrize(("format_id", "resume"), [(DISK, disk_resume), (TX, tx_resume)])
def test_every_first_run_of_the_core_tier_is_listed(format_id: str, resume: Any) -> None:
    firsts = {work.first.name for work in resume.lives("core")}
    listed = second_crash.first_crashes(format_id)
    assert firsts == set(listed)
    assert all(len(set(states)) == len(states) > 0 for states in listed.values())


def test_third_run_is_supported() -> None:
    for adapter, work in ((crash_format(DISK), APPEND), (crash_format(TX), PREPARED)):
        twice = SecondLife(SecondLife(work, 1, "same"), 2, "settle")
        trace = adapter.build(twice)
        assert trace.life == 3
        assert twice.origin == work
        assert trace.name == f"again/2/settle/again/1/same/{work.name}"
        verdicts = verdicts_of(adapter, trace)
        assert sum(verdicts.values()) > 40
        assert not {name for name in verdicts if VERDICTS[name]}


@pytest.mark.parametrize(("resume", "first"), [(disk_resume, APPEND), (tx_resume, PREPARED)])
def test_unknown_continuation_is_refused(resume: Any, first: Any) -> None:
    left = choose(crash_format(DISK).build(APPEND), gone=True).images[0]
    with pytest.raises(ValueError, match="unknown continuation 'party'"):
        resume.live(first, 2, left, "party")


# --- Verdicts on second runs ------------------------------------------------------------------------------


def verdicts_of(adapter: CrashFormat, trace: Trace, presets: tuple[Preset, ...] = HONEST) -> Counter[str]:
    """Count the strict reader's verdicts on the states of `trace` under honest presets."""
    return Counter(
        rows.verdict(0, row) for rows in Shard(adapter, presets, 1).judged(trace) for row in rows.new
    )


@pytest.mark.parametrize(
    ("format_id", "first", "choice", "then", "faults"),
    [
        (DISK, Workload("append", "spec", ONE), 1, "swap", set()),
        (DISK, Workload("swap", "spec", ONE), 1, "typical", set()),
        (DISK, Workload("append", "3.0", ONE), 0, "swap", set()),
        # BTM 2.1.4 writes a position in place of the timestamp of the new active file, so a start still
        # elects the other file.
        (DISK, Workload("append", "2.1.4", ONE), 0, "swap", {"append-lost"}),
        (TX, TxWorkload("append", "seed+hash", TX_STEPS[:1]), 1, "over", set()),
    ],
)
def test_record_appended_after_a_crash_survives_the_next_one_except_in_2_1_4(
    format_id: str, first: Any, choice: int, then: str, faults: set[str]
) -> None:
    adapter = crash_format(format_id)
    found = verdicts_of(adapter, adapter.build(SecondLife(first, choice, then)))
    assert found.total() > 40, found
    assert {name for name in found if VERDICTS[name]} == faults


@pytest.mark.parametrize(("edition", "faults"), [("v2", {"torn-accepted"}), ("seed+hash", set())])
def test_mixed_record_in_a_new_file_on_an_ordered_disk_takes_two_crashes(
    tx: CrashFormat, edition: str, faults: set[str]
) -> None:
    """A reader that checks only lengths detects all damage after one such crash, but not after two
    crashes.
    """
    ordered = (get_preset("prefix-sector-4096"), get_preset("prefix-sector-512"))
    first = TxWorkload("append", edition, (TxStep("add", 1, LONG),))
    assert set(verdicts_of(tx, tx.build(first), ordered)) == {"pass"}
    lives = [tx.build(SecondLife(first, choice, "same")) for choice in range(CHOICES)]
    assert set().union(*(verdicts_of(tx, life, ordered) for life in lives)) == {"pass"} | faults


def test_trace_without_a_start_state_is_reported(disk: CrashFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    # No state has all required records.
    monkeypatch.setattr(second_crash, "crash_image", lambda *_, **__: None)
    first = unlisted(disk.build(APPEND))
    with pytest.raises(ValueError, match="no crash state to continue from"):
        disk_resume.build(SecondLife(APPEND, 0, "typical"), first)


# --- The choice of first crashes, on small traces ---------------------------------------------------


def five_sectors() -> Trace:
    """Return a trace of one record over five sectors, and of a pointer that publishes it."""
    ops = (Write("log", 512, b"a" * 2560), Mark("a", "log", 512, 2560, "a"))
    pointer = (Write("log", 0, b"p" * 512), Publish(("a",)), Sync("log"), Ack(("a",)))
    return Trace("toy", "1", "toy", {"log": bytes(4096)}, (*ops, *pointer), "zero")


def test_second_run_never_begins_where_the_first_recovery_must_refuse() -> None:
    """The pointer refers to a record whose first or last sector is missing."""
    for image in choose(five_sectors()).images:
        log = image.files["log"]
        assert log[:512] != b"p" * 512 or log[512:3072] == b"a" * 2560


def test_states_of_a_class_are_chosen_by_their_case_ids() -> None:
    trace = five_sectors()
    classes: dict[tuple[str, ...], list[str]] = {}
    for image in choose(trace).images:
        label = image.category, image.field, get_preset(image.descriptor.preset).order
        classes.setdefault(label, []).append(find(trace, image.descriptor).case_id)
    assert max(map(len, classes.values())) > 5
    assert all(ids == sorted(ids) for ids in classes.values())


def test_numbers_of_chosen_states_continue_with_the_first_one() -> None:
    images: Any = iter("abc")
    chosen = second_crash.ChosenImages("x", images, fine=False)
    found: list[Any] = [chosen.image(number) for number in (0, 2, 3, 7)]
    assert found == ["a", "c", "a", "b"]
