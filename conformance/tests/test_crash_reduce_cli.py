"""``journalspec corpus reduce``: finds a state of a build by its id, reduces it, and prints text or cases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from worst import worst_cases

from commands import Row, tried, typed
from journalspec.formats import format_ids
from journalspec_corpus.crash.explain import MARK, losses, picture, settled, story
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.load import Intake
from journalspec_corpus.pipeline.failures import place_of
from journalspec_corpus.pipeline.plan import Plan
from judged import call, has


@pytest.fixture(scope="module")
def directory(core_build: Callable[[Plan], Path]) -> Path:
    return core_build(Plan("bitronix_tlog", "core", every=173))


@pytest.fixture(scope="module")
def rows(directory: Path) -> list[dict[str, Any]]:
    """Return the rows of the build about its states."""
    columns = ["case_id", "category", "preset", "verdict_strict", "verdict_salvage"]
    found = pq.read_table(directory / "states", columns=columns).to_pylist()
    return [{**row, "case_id": row["case_id"].hex()} for row in found]


@pytest.fixture(scope="module")
def failing(rows: list[dict[str, Any]]) -> str:
    """Return the id of a state in which strict recovery restores an old record without any damage."""
    return next(str(row["case_id"]) for row in rows if row["verdict_strict"] == "resurrected")


def run(directory: Path, case: str, *arguments: object) -> Result:
    return call("corpus", "reduce", directory, "--case", case, *arguments, status=0)


def test_former_command_name_works_and_is_not_listed() -> None:
    former, now = call("corpus", "shrink", "--help", status=0), call("corpus", "reduce", "--help", status=0)
    assert former.output.replace("shrink", "reduce") == now.output
    assert "shrink" not in call("corpus", "--help").output
    assert call("corpus", "shrimp", "--help").exit_code == 2


def test_remaining_differences_are_described_in_words(directory: Path, failing: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(directory, failing, "--reader", "strict", "--out", out)
    assert re.search(r"resurrected \(I\d.*\) by strict", done.output)
    has(done.output, "the crash", f"    {MARK}0000")
    large, small = Intake().file(out / "cases.jsonl")
    assert large.id == small.origin.shrunk_from == f"btm.crash.{failing}"
    assert {path.name: path.read_bytes() for path in (out / small.id).iterdir()} == small.files()
    call("run", "--impl", "reference", "--cases", out / "cases.jsonl", "--format", "bitronix_tlog", status=0)
    again = call("corpus", "reduce", directory, "--case", failing, "--out", out, status=2)
    assert "exists" in again.output


def test_state_is_selected_by_its_published_id_and_printed_as_json(directory: Path, failing: str) -> None:
    name = f"btm.crash.{failing}"
    told = json.loads(run(directory, name, "--json", "--reader", "strict").stdout)
    assert (told["verdict"], told["shrunk_from"], told["minimal"]) == ("resurrected", name, True)
    assert told["records"] <= 3
    assert told["deviations"] <= 2
    assert told["descriptor"]["preset"]


def test_implementation_can_be_the_reader(directory: Path, rows: list[dict[str, Any]]) -> None:
    case = next(row["case_id"] for row in rows if VERDICTS[row["verdict_salvage"]])
    by_impl = run(directory, case, "--impl", "reference", "--policy", "salvage", "--json")
    plain = run(directory, case, "--reader", "salvage", "--json")
    one, other = json.loads(by_impl.stdout), json.loads(plain.stdout)
    assert [one[key] == other[key] for key in ("records", "deviations", "verdict")] == [True] * 3


def test_interrupted_search_does_not_report_the_smallest_state(directory: Path, failing: str) -> None:
    # The test uses an implementation, because it reads files. A reader that answers a complete crash point at
    # once uses none of the budget.
    done = run(directory, failing, "--impl", "reference", "--policy", "strict", "--budget", 1)
    assert "the budget is used up" in done.output
    assert "the smallest already" not in done.output


def test_broken_granules_are_those_where_bytes_differ(directory: Path, rows: list[dict[str, Any]]) -> None:
    """If a granule has halves of two versions, only one half can differ from the written bytes."""
    kind = ("sector-trash", "fdb-full-corruption")
    broken = [row["case_id"] for row in rows if (row["category"], row["preset"]) == kind]
    seen = 0
    for case in broken[:25]:
        state = place_of(directory, case).state
        for loss in losses(state)[1]:
            if loss.length and not loss.kept and "never" in loss.what:
                whole, here = settled(state)[loss.file], state.files[loss.file]
                for at in (loss.off, loss.off + loss.length - 1):
                    assert at >= len(here) or here[at] != whole[at]
                seen += 1
    assert seen


@typed(given="build")
def test_irreducible_state_is_reported(
    row: Row, directory: Path, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    passing = next(
        row["case_id"] for row in rows if {row["verdict_strict"], row["verdict_salvage"]} == {"pass"}
    )
    tried(row, tmp_path, build=str(directory), state=passing)


@pytest.mark.parametrize("format_id", format_ids())
def test_pictures_mark_bytes_that_differ_from_the_written_ones(format_id: str) -> None:
    for worst in worst_cases(format_id):
        for form in (worst.full, worst.small):
            state = worst.state(form)
            head, lost = losses(state)
            assert head.endswith((":", "."))
            assert len(lost) == state.deviations
            for loss in lost:
                assert str(loss).startswith(loss.file)
                marked = [line for line in picture(state, loss) if line.startswith(MARK)]
                assert marked
                for line in marked:
                    off = int(line.removeprefix(MARK).split()[0], 16)
                    # A run of equal bytes is one row, which shows its end.
                    _, _, end = line.partition(", up to ")
                    assert off < loss.off + loss.length
                    assert (int(end, 16) if end else off + 16) > loss.off
            told = list(story(state))
            assert told[-1] == "the crash"
            assert any(line.startswith("write") for line in told)
