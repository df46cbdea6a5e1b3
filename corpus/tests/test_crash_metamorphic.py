"""The metamorphic checks: they find nothing on the reference, and every reader or writer that deserves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from journalspec_corpus.bitronix_tlog.workloads import Step, Workload
from journalspec_corpus.crash.adapter import CrashFormat, Read, crash_format
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.crash.second_crash import Excuse, SecondLife
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.jboss_journal.workloads import Step as TxStep
from journalspec_corpus.jboss_journal.workloads import Workload as TxWorkload
from journalspec_reference.bitronix_tlog.write import DiskWriter
from metamorphic import (
    Reader,
    Report,
    Subject,
    Violation,
    chosen,
    covers,
    deterministic,
    elsewhere,
    fingerprint,
    main,
    monotone,
    neighbours,
    pure,
    reference_reader,
    relate,
    reopened,
    untouched,
)

DISK, TX = "bitronix_tlog", "jboss_journal"
APPEND = Workload("append", "spec", (Step("COMMITTING", 1, "typical"),))
PRODUCT = Workload("append", "2.1.4", (Step("COMMITTING", 1, "three"),))
LARGE = (Step("COMMITTING", 1, "three"), Step("COMMITTING", 2, "typical"))
LONG_ONES = (TxStep("add_tx", 1, 1400, 1), TxStep("add_tx", 2, 1400, 1), TxStep("commit", tx=1))
#: format -> so many of its core workloads are skipped between two that are looked at.
EVERY = {DISK: 311, TX: 211}


@pytest.fixture(scope="module")
def adapter() -> CrashFormat:
    return crash_format(DISK)


def subjects(adapter: CrashFormat, work: Any, preset: str = "epoch-subset-512") -> Iterator[Subject]:
    resume: Any = adapter.second
    for states in crash_states(adapter.build(work), (get_preset(preset),), 1):
        yield Subject(adapter, resume, work, states)


def found(
    check: Callable[..., Iterator[Violation]], adapter: CrashFormat, work: Any, *arguments: Any
) -> set[tuple[str, str]]:
    """Return the (invariant, kind) pairs that `check` finds on every third state of `work`."""
    return {
        (seen.invariant, seen.kind)
        for subject in subjects(adapter, work)
        for seen in check(subject, range(0, len(subject.states), 3), *arguments)
    }


# --- The reference ---------------------------------------------------------------------------------


@pytest.mark.parametrize("format_id", [DISK, TX])
def test_the_reference_keeps_them_on_part_of_the_core_scope(format_id: str) -> None:
    report = Report()
    adapter = crash_format(format_id)
    relate(adapter, crash_format(format_id).second, chosen(adapter, "core", EVERY[format_id]), report)
    assert report.found == []
    assert report.states > 20
    assert report.pairs > 200


@pytest.mark.parametrize(
    ("format_id", "works"),
    [
        (DISK, [PRODUCT, Workload("swap", "3.0", LARGE, "gtrid", background="garbage")]),
        (TX, [TxWorkload("append", "v2", LONG_ONES)]),
    ],
)
def test_every_excuse_of_a_format_is_needed(format_id: str, works: list[Any]) -> None:
    """On few workloads: an excuse that covers nothing would hide something one day."""
    adapter, resume = crash_format(format_id), crash_format(format_id).second
    assert resume is not None
    report = Report()
    relate(adapter, resume, works, report, opening=False)
    assert report.used == set(resume.excuses)
    assert report.found == []
    assert sum(report.excused.values()) > 0


def test_second_lives_are_looked_at_as_well(adapter: CrashFormat) -> None:
    report = Report()
    relate(
        adapter,
        crash_format(DISK).second,
        [SecondLife(APPEND, 1, "same"), SecondLife(APPEND, 2, "swap")],
        report,
    )
    assert report.found == []
    assert report.states > 5


def test_the_command_says_what_it_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--format", DISK, "--every", "1013"]) == 0
    printed = capsys.readouterr().out
    assert "states looked at" in printed
    for invariant in ("I6", "I10", "I11", "I12"):
        assert f"{invariant}: 0 violations" in printed


def test_another_process_with_other_hashes_says_the_same(adapter: CrashFormat) -> None:
    here = fingerprint(adapter, chosen(adapter, "core", 1013))
    assert {elsewhere(DISK, "core", 1013, seed) for seed in ("1", "77")} == {here}


# --- Readers that break them -----------------------------------------------------------------------


def sound(adapter: CrashFormat) -> Reader:
    return reference_reader(adapter, "strict")


def test_a_reader_that_cuts_what_it_reads_is_caught(adapter: CrashFormat) -> None:
    def cutting(files: Mapping[str, bytes], edition: str) -> Answer:
        answer = sound(adapter)(files, edition)
        files["btm1.tlog"] = files["btm1.tlog"][:-1]  # type: ignore[index]
        return answer

    assert found(pure, adapter, APPEND, sound(adapter), "strict") == set()
    assert found(pure, adapter, APPEND, cutting, "strict") == {("I6", "reading-writes")}
    # One that writes although it refuses breaks another promise as well.
    assert found(pure, adapter, PRODUCT, cutting, "strict") == {
        ("I6", "reading-writes"),
        ("I12", "refusal-writes"),
    }


def test_a_reader_that_says_something_else_each_time_is_caught(adapter: CrashFormat) -> None:
    calls: list[int] = []

    def moody(files: Mapping[str, bytes], edition: str) -> Answer:
        calls.append(1)
        answer = sound(adapter)(files, edition)
        return answer if len(calls) % 2 else Answer((), "not today")

    assert found(pure, adapter, APPEND, moody, "strict") == {("I10", "repeated")}


def test_a_reader_that_takes_files_as_they_come_is_caught(adapter: CrashFormat) -> None:
    def first_come(files: Mapping[str, bytes], edition: str) -> Answer:
        return Answer((next(iter(files)), *sound(adapter)(files, edition).keys))

    assert found(deterministic, adapter, APPEND, sound(adapter), "strict") == set()
    assert found(deterministic, adapter, APPEND, first_come, "strict") == {("I10", "listing")}


def test_a_reader_that_counts_all_files_is_caught() -> None:
    adapter = crash_format(TX)
    work = TxWorkload("append", "v2", (TxStep("add", 1, 40),))

    def counting(files: Mapping[str, bytes], edition: str) -> Answer:
        return Answer((str(len(files)), *reference_reader(adapter, "strict")(files, edition).keys))

    assert found(deterministic, adapter, work, reference_reader(adapter, "strict"), "strict") == set()
    assert found(deterministic, adapter, work, counting, "strict") == {("I10", "beside")}


def test_a_reader_that_gives_up_where_more_arrived_is_caught(adapter: CrashFormat) -> None:
    def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        # As soon as a third record is there, the first is taken to be old.
        return tuple(
            replace(given, keys=given.keys[1:]) if len(given.keys) > 2 else given
            for given in adapter.read(files, edition)
        )

    def kinds(look: Read) -> set[str]:
        return {seen.kind for subject in subjects(adapter, APPEND) for seen in monotone(subject, look)}

    assert kinds(adapter.read) == set()
    assert kinds(read) == {"fewer"}


# --- Writers that break them -----------------------------------------------------------------------


def test_an_opening_that_loses_a_record_is_caught(
    adapter: CrashFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(reopened, adapter, APPEND, sound(adapter), "strict") == set()
    adopt = DiskWriter._adopt

    def forgetful(self: DiskWriter, *arguments: Any) -> None:
        adopt(self, *arguments)
        self._position = 21
        self._write_position()

    monkeypatch.setattr(DiskWriter, "_adopt", forgetful)
    kinds = {kind for _, kind in found_after(adapter, monkeypatch, forgetful)}
    assert kinds == {"changed", "crash-inside"}


def found_after(
    adapter: CrashFormat, monkeypatch: pytest.MonkeyPatch, adopt: Callable[..., None]
) -> set[tuple[str, str]]:
    """Return what `reopened` finds if only the writer that opens crash states has `adopt`."""
    monkeypatch.undo()
    every = list(subjects(adapter, APPEND))
    monkeypatch.setattr(DiskWriter, "_adopt", adopt)
    return {
        (seen.invariant, seen.kind)
        for subject in every
        for seen in reopened(subject, range(len(subject.states)), sound(adapter), "strict")
    }


def test_an_opening_with_a_weak_moment_is_caught(
    adapter: CrashFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt = DiskWriter._adopt

    def weak(self: DiskWriter, *arguments: Any) -> None:
        adopt(self, *arguments)
        header = self._storage.read(self._active, 0, 21)
        self._storage.write(self._active, 0, bytes(21))
        self._storage.write(self._active, 0, header)

    assert found_after(adapter, monkeypatch, weak) == {("I6", "crash-inside")}


def test_a_refusal_that_writes_is_caught(adapter: CrashFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(subjects(adapter, PRODUCT))

    def kinds() -> set[tuple[str, str]]:
        return {
            (seen.invariant, seen.kind)
            for subject in every
            for seen in untouched(subject, range(len(subject.states)), sound(adapter))
        }

    assert kinds() == set()
    opened = DiskWriter._open

    def marking(self: DiskWriter, op: Any) -> Any:
        self._storage.write("btm1.tlog", 12, b"\xff")
        return opened(self, op)

    monkeypatch.setattr(DiskWriter, "_open", marking)
    assert kinds() == {("I12", "refusal-writes")}
    # One that does not look at the records opens what recovery refuses.
    monkeypatch.setattr(DiskWriter, "_open", opened)
    monkeypatch.setattr("journalspec_reference.bitronix_tlog.write.walk", lambda *_: iter(()))
    assert kinds() == {("I12", "opened")}


# --- Pairs and excuses -----------------------------------------------------------------------------


def test_neighbours_are_all_pairs_one_version_apart() -> None:
    everything = np.asarray(list(product(range(3), range(2), range(4))), np.uint16)
    for codes in (everything, everything[::2], everything[:1], everything[:, :0]):
        rows = codes.tolist()
        expected = {
            (low, high)
            for (low, a), (high, b) in product(enumerate(rows), repeat=2)
            if sorted(y - x for x, y in zip(a, b, strict=True)) == [0] * (len(a) - 1) + [1]
        }
        lower, upper = neighbours(codes)
        assert set(zip(lower.tolist(), upper.tolist(), strict=True)) == expected


def test_an_excuse_covers_what_it_names_and_nothing_else(adapter: CrashFormat) -> None:
    (subject, *_) = subjects(adapter, PRODUCT)
    seen = subject.violation("I11", "fewer", 0, "", "strict")
    loss = replace(seen, lost=("COMMIT-1",))
    said = partial(covers, trace=subject.trace)
    assert said(Excuse("I11", "fewer", "so it is"), seen)
    assert not said(Excuse("I11", "refused", "so it is"), seen)
    assert not said(Excuse("I6", "fewer", "so it is"), seen)
    assert not said(Excuse("I11", "fewer", "so it is", readers=("salvage",)), seen)
    assert not said(Excuse("I11", "fewer", "so it is", writers=("3.0",)), seen)
    assert said(Excuse("I11", "fewer", "so it is", lost=("COMMIT-",)), loss)
    assert not said(Excuse("I11", "fewer", "so it is", lost=("ROLLBACK-",)), loss)
