"""Crash states see faults of recovery; what they do not see is explained; no reader chooses them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import mutation
from journalspec_corpus.crash import case_builder
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.case_builder import KNOWN_FAILURES, Kind, known_failures
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load
from mutation import (
    ENOUGH,
    RARE,
    SAMPLES,
    Failure,
    MutantRow,
    ShownState,
    choose,
    explained,
    failures,
    pin,
    row_of,
    sample_of,
    tally,
    unlike,
    wrong,
)

FORMATS = ("bitronix_tlog", "jboss_journal", "kahadb_journal", "derby_log", "swiftmq_store")
#: Faults that many states show, whichever are looked at: the checksum, or what stands for one, first.
PLAIN = {
    "bitronix_tlog": ("skip-checksum", "last-record-excluded", "older-file-wins", "strict-skips"),
    "jboss_journal": ("skip-check-size", "any-file-id", "scan-one-late", "hash-over-itself"),
    "kahadb_journal": ("checksum-unchecked", "at-once", "acknowledgements-forgotten", "strict-believes"),
    "derby_log": ("prepare-is-a-word", "inserted-is-deleted", "uncovered-is-damage", "short-data-length"),
    "swiftmq_store": ("half-a-record", "older-generations", "delete-of-one", "deleted-entries"),
}

#: One that fails nearly everywhere.
OFTEN = {
    "bitronix_tlog": "header-padded",
    "jboss_journal": "stamp-little-endian",
    "kahadb_journal": "up-to-a-round-length",
    "derby_log": "another-sum",
    "swiftmq_store": "one-start",
}


@pytest.fixture(scope="module", params=FORMATS)
def looked_at(request: pytest.FixtureRequest) -> tuple[CrashFormat, list[ShownState]]:
    adapter = crash_format(request.param)
    return adapter, choose(adapter, sample_of(request.param, "gate"))


def test_the_reference_fails_where_it_is_known_to_and_nowhere_else(
    looked_at: tuple[CrashFormat, list[ShownState]],
) -> None:
    adapter, states = looked_at
    assert len(states) > 300
    pinned = known_failures(adapter.format, "gate")
    assert pinned.counts
    assert unlike(tally(failures(adapter, load(adapter.format), states)), pinned.counts) == []
    assert all(len(why) > 40 for why in pinned.why.values())


def test_a_reference_without_its_checks_is_noticed_by_the_gate(
    looked_at: tuple[CrashFormat, list[ShownState]],
) -> None:
    adapter, states = looked_at
    pinned = known_failures(adapter.format, "gate").counts
    mutants = {mutant.id: mutant for mutant in load_mutants(adapter.format)}
    for name in PLAIN[adapter.format]:
        implementation = mutants[name].implementation()
        # As the reference itself: the same states, and other failures than those pinned.
        assert unlike(tally(failures(adapter, implementation, states)), pinned), name
        # And as a mutant.
        found = list(failures(adapter, implementation, states))
        assert row_of(name, found, len(states), pinned).killed >= ENOUGH, name


def test_no_reader_has_a_say_in_what_is_looked_at(
    looked_at: tuple[CrashFormat, list[ShownState]], monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter, states = looked_at

    def nobody(*_: object, **__: object) -> Any:
        raise AssertionError("a reader was asked")

    some = replace(SAMPLES["gate"], every=610)
    usual = [state.name for state in choose(adapter, some)]
    monkeypatch.setattr(type(load(adapter.format)), "recover", nobody)
    assert [state.name for state in choose(replace(adapter, answer=nobody), some)] == usual
    assert len({state.name for state in states}) == len(states)


def test_what_is_said_not_to_be_seen_is_not(looked_at: tuple[CrashFormat, list[ShownState]]) -> None:
    adapter, states = looked_at
    reasons = explained(adapter.format)
    assert reasons.keys() <= {mutant.id for mutant in load_mutants(adapter.format)}
    assert all(len(reason.why) > 40 for reason in reasons.values())
    pinned = known_failures(adapter.format, "gate").counts.keys()
    for mutant in load_mutants(adapter.format):
        if mutant.id in reasons and not reasons[mutant.id].rare:
            found = failures(adapter, mutant.implementation(), states[::10])
            assert not [each for each in found if each.kind not in pinned], mutant.id


#: SwiftMQ's workloads do not come in rounds: each of them is there once.
@pytest.mark.parametrize("format_id", [name for name in FORMATS if name != "swiftmq_store"])
def test_of_every_kind_of_small_workload_there_is_one_in_the_whole_sample(format_id: str) -> None:
    """A step that divides the length of a round would leave most kinds out."""
    adapter, sample = crash_format(format_id), sample_of(format_id, "whole")
    small = [(work.kind, work.steps, work.force) for work in adapter.first_lives("core")]
    assert set(small) == set(small[sample.start :: sample.every])


def test_a_mutant_that_raises_is_noticed(looked_at: tuple[CrashFormat, list[ShownState]]) -> None:
    class Broken:
        def recover(self, *_: object, **__: object) -> object:
            raise ZeroDivisionError

    adapter, states = looked_at
    found = list(failures(adapter, Broken(), states))
    assert len(found) == len(states) * len(adapter.policies)
    assert {failure.kind.verdict for failure in found} == {"crash"}
    row = row_of("broken", found, len(states), known_failures(adapter.format, "gate").counts)
    assert row.killed == len(states)
    assert states[0].size == sum(map(len, states[0].files.values()))


def test_who_fails_in_half_of_the_first_states_is_not_asked_about_the_others(
    looked_at: tuple[CrashFormat, list[ShownState]], monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter, states = looked_at
    pinned = known_failures(adapter.format, "gate").counts
    asked: list[int] = []

    def counted(*given: Any) -> list[Failure]:
        asked.append(len(given[2]))
        return list(failures(*given))

    monkeypatch.setattr(mutation, "failures", counted)
    known = {mutant.id: mutant for mutant in load_mutants(adapter.format)}
    one = next(iter(explained(adapter.format)))
    monkeypatch.setattr(mutation, "load_mutants", lambda _: [known[OFTEN[adapter.format]], known[one]])
    often, never = mutation.table(adapter, states, pinned)
    few = len(states[:: mutation.FIRST])
    assert (often.shown, never.shown) == (few, len(states))
    assert 2 * often.killed >= few
    # The reference and both mutants about the first, and one of them about all.
    assert asked == [few, few, few, len(states)]


def test_what_is_pinned_does_not_kill(looked_at: tuple[CrashFormat, list[ShownState]]) -> None:
    _, states = looked_at
    kind = Kind("w", "R", "clean", "strict", "lost")
    found = [Failure(kind, state) for state in states[:5]]
    assert row_of("m", found, 9, {kind: 5}) == MutantRow("m", 0, 9)
    assert row_of("m", found, 9, {kind: 7}).killed == 0
    assert row_of("m", found, 9, {kind: 3}).killed == 2
    other = kind._replace(verdict="silent")
    assert row_of("m", [Failure(other, states[0])], 9, {kind: 5}).first == states[0].name


def test_more_and_fewer_failures_are_both_told() -> None:
    one, two = Kind("w", "R", "clean", "strict", "lost"), Kind("w", "C", "bit", "strict", "silent")
    assert unlike({one: 2}, {one: 2}) == []
    (more,) = unlike({one: 3}, {one: 2})
    assert more == "the reference: 3 times lost by strict after clean (R, w), pinned are 2"
    assert len(unlike({one: 1}, {one: 2, two: 1})) == 2
    assert len(unlike({one: 2, two: 1}, {one: 2})) == 1


@pytest.fixture
def own_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A format's room that holds a copy of its table and nothing else."""
    path = tmp_path / KNOWN_FAILURES
    shutil.copy(str(files("journalspec_corpus.bitronix_tlog") / KNOWN_FAILURES), path)
    for module in (mutation, case_builder):
        monkeypatch.setattr(module, "files", lambda _: tmp_path)
    return path


def test_numbers_are_written_where_the_reasons_are(own_table: Path) -> None:
    usual = own_table.read_text()
    numbers = {name: Counter(known_failures("bitronix_tlog", name).counts) for name in SAMPLES}
    assert pin("bitronix_tlog", numbers) == []
    assert own_table.read_text() == usual
    kind = next(iter(numbers["gate"]))
    new = kind._replace(writer="new")
    numbers["gate"][kind] += 1
    numbers["gate"][new] = 4
    numbers["whole"].clear()
    assert pin("bitronix_tlog", numbers) == [new]
    numbers["gate"].pop(new)
    assert known_failures("bitronix_tlog", "gate").counts == numbers["gate"]
    assert known_failures("bitronix_tlog", "whole").counts == {}


def test_a_format_without_a_table_is_told_all_that_it_needs(own_table: Path) -> None:
    numbers = {name: Counter(known_failures("bitronix_tlog", name).counts) for name in SAMPLES}
    own_table.unlink()
    assert pin("bitronix_tlog", numbers) == sorted({kind for counts in numbers.values() for kind in counts})
    assert not own_table.exists()


def test_a_kind_that_stands_twice_is_refused(own_table: Path) -> None:
    own_table.write_text(own_table.read_text() * 2)
    with pytest.raises(MutantError, match="stands twice"):
        known_failures("bitronix_tlog", "gate")


def test_a_table_is_wrong_if_a_mutant_is_neither_killed_nor_explained_or_both() -> None:
    reason, rare = mutation.Reason("write side", "because"), mutation.Reason(RARE, "because")
    rows = [
        MutantRow("a", 9, 10),
        MutantRow("b", 0, 10),
        MutantRow("c", 2, 10),
        MutantRow("d", 1, 10, "here"),
    ]
    assert wrong(rows, {"b": reason, "c": rare, "d": rare}) == []
    (unexplained,) = wrong(rows[:2], {})
    assert unexplained.startswith("b: killed by 0")
    (both,) = wrong([rows[3]], {"d": reason})
    assert "(here), and said not to be" in both
    # What enough states show is not rare.
    assert wrong(rows[:1], {"a": rare})
    assert wrong(rows[:1], {"z": reason}) == ["z: explained, and no mutant"]


def test_a_reason_is_one_of_a_few(own_table: Path) -> None:
    table = own_table.with_name(mutation.UNSEEN)
    table.write_text('[[unseen]]\nreason = "luck"\nwhy = "so it was"\nmutants = ["m"]\n')
    with pytest.raises(MutantError, match="no reason luck: write side, "):
        explained("bitronix_tlog")
    table.write_text(table.read_text().replace("luck", RARE))
    assert explained("bitronix_tlog") == {"m": mutation.Reason(RARE, "so it was")}


def test_the_table_for_the_pages_has_every_mutant_and_its_reason(tmp_path: Path) -> None:
    reason = mutation.Reason("write side", "because")
    rows = [MutantRow("a", 9, 10), MutantRow("b", 0, 10), MutantRow("c", 2, 3)]
    assert mutation.score(5, rows, {"b": reason}) == {
        "every": 5,
        "states": 10,
        "enough": ENOUGH,
        "mutants": [
            {"mutant": "a", "killed": 9},
            {"mutant": "b", "killed": 0, "reason": "write side"},
            {"mutant": "c", "killed": 2, "of": 3},
        ],
    }


PUBLISHED = sorted((Path(__file__).resolve().parents[2] / "docs/data").glob("crash-mutants-*.json"))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_score_on_the_page_is_of_the_mutants_that_there_are_and_nothing_is_wrong_with_it(
    path: Path,
) -> None:
    name = path.stem.removeprefix("crash-mutants-")
    data = json.loads(path.read_text(encoding="utf-8"))
    shown, reasons = data["mutants"], explained(name)
    assert [item["mutant"] for item in shown] == [mutant.id for mutant in load_mutants(name)]
    rows = [MutantRow(item["mutant"], item["killed"], item.get("of", data["states"])) for item in shown]
    assert data == mutation.score(sample_of(name, "whole").every, rows, reasons)
    assert wrong(rows, reasons) == []


def test_the_command_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutation, "load_mutants", lambda name: load_mutants(name)[:3])
    monkeypatch.setattr(mutation, "explained", lambda _: {})
    assert mutation.main(["--format", "bitronix_tlog", "--sample", "gate"]) == 1
    told = capsys.readouterr()
    assert "3 mutants, " in told.out
    assert "shorter-minimum: killed by 0 states" in told.err
    assert "the reference: " not in told.err
    monkeypatch.setattr(mutation, "load", lambda name: load_mutants(name)[0].implementation())
    assert mutation.main(["--format", "bitronix_tlog", "--sample", "gate"]) == 1
    assert "the reference: " in capsys.readouterr().err
    assert mutation.main(["--format", "no_such"]) == 2
