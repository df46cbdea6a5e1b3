"""Tests the tier of random journals: a seed always gives the same bytes, the reference passes, failures are
reduced.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result as Done

from journalspec.formats import format_ids
from journalspec_conformance.expect import parse_expectations, update
from journalspec_conformance.report import load_report
from journalspec_conformance.result import Result
from journalspec_corpus.draws import Choices, drawn_case, drawn_cases, reduced
from journalspec_corpus.load import find_case
from judged import call, fake, flat

ENTRY = '[[expect]]\ncase = "{}"\noutcome = "fail"\nfingerprint = "{}"\nwhy = "known"\n'


@pytest.mark.parametrize("format_id", format_ids())
def test_random_journal_depends_only_on_format_seed_and_number(format_id: str) -> None:
    first = list(drawn_cases(format_id, 5, range(6)))
    assert [case.to_json() for case in drawn_cases(format_id, 5, range(6))] == [c.to_json() for c in first]
    assert drawn_case(first[4].id) == first[4] == find_case(first[4].id)
    assert next(drawn_cases(format_id, 6, [4])).input != first[4].input


def test_random_choices_are_the_same_in_every_version_of_python() -> None:
    def made(rng: Choices) -> list[object]:
        return [
            rng.randrange(1000),
            rng.choice("abcdefgh"),
            rng.sample(range(100), 3),
            rng.randbytes(4).hex(),
        ]

    rng = Choices("bitronix_tlog/1/2")
    assert made(rng) == made(Choices("", rng.made))
    assert Choices("", ()).sample(range(10), 2) == [0, 1]


def run(impl: str, format_id: str, *arguments: object, status: int) -> Done:
    chosen = ("--tier", "drawn", "--format", format_id, *arguments)
    return call("run", "--impl", impl, *chosen, status=status)


def test_reference_passes_on_random_journals() -> None:
    assert "draws: seed 3" in run("reference", "kahadb_journal", "--seed", 3, status=0).output


def test_failure_is_reduced_and_can_be_repeated(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    forgets, format_id = fake("forgets_records"), "bitronix_tlog"
    done = run(forgets, format_id, "--count", 12, "--report", report, "-x", status=1)
    seed = re.search(r"draws: seed (\d+)", done.output)
    assert seed is not None
    assert load_report(report).header["options"]["seed"] == seed[1]
    found = re.search(r"--tier drawn --select '?(\S+?)'? --details", done.output)
    assert found is not None
    assert "reduced" in done.output
    assert found[1] in flat(run(forgets, format_id, "--select", found[1], status=1))


def test_report_has_the_answer_to_the_reduced_journal(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    draws = ("--seed", 3, "--count", 12, "--keep", kept)
    run(fake("forgets_records"), "kahadb_journal", *draws, status=1)
    folders = list(kept.iterdir())
    assert folders
    for folder in folders:
        answer = json.loads((folder / "answer.json").read_text())
        lengths = {path.name: path.stat().st_size for path in (folder / "journal").iterdir()}
        assert {file["file"]: int(file["len"]) for file in answer["files"]}.items() <= lengths.items()


def test_reduced_journal_still_fails() -> None:
    case = next(case for case in drawn_cases("bitronix_tlog", 1, range(50)) if "sound" in case.title)
    smaller = reduced(case, lambda other: any(file.size for file in other.input.files))
    assert 0 < sum(file.size for file in smaller.input.files) <= sum(file.size for file in case.input.files)
    assert smaller.id == case.id


def test_expectation_covers_all_random_journals_by_fingerprint() -> None:
    """Entries that refer to a draw or lack a fingerprint are tested in data/expectations.toml."""
    text = ENTRY.format("btm.drawn.**/read", "records:missing") + ENTRY.format("btm.drawn.**/read", "notes")
    known = parse_expectations(text, "x").bind([], "drawn")
    id_ = "btm.drawn.s4.n9"
    failed = Result(f"{id_}/read", id_, "bitronix_tlog", "2.1", "t", "fail", "notes", "r")
    assert known.apply(failed).result_class == "known"
    passed = failed.judged("pass", "")
    assert known.apply(passed) == passed
    assert known.apply(replace(failed, fingerprint="verdict")).red
    done = update("", [failed, replace(failed, fingerprint="verdict"), passed])
    assert done.added == ("btm.drawn.**/read", "btm.drawn.**/read")
    assert done.text.count("btm.drawn.**/read") == 2
