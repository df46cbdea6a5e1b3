"""``journalspec corpus reduce``: a state of a build by its id, reduced, in words and as cases."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result

from commands import Row, tried, typed
from journalspec.formats import format_ids
from journalspec_corpus.crash.explain import MARK, losses, picture, settled, story
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.load import Intake
from journalspec_corpus.pipeline.failures import place_of
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.worst import worst_cases
from judged import call, has

READERS = ("strict", "salvage")


@pytest.fixture(scope="module")
def directory(core_build: Callable[[Plan], Path]) -> Path:
    return core_build(Plan("bitronix_tlog", "core", every=173))


def rows(directory: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((directory / "states").glob("*.parquet")):
        yield from pq.read_table(path).to_pylist()


@pytest.fixture(scope="module")
def failing(directory: Path) -> dict[str, Any]:
    """A state in which strict recovery restores a record of an earlier generation, which is not a fault."""
    return next(row for row in rows(directory) if row["verdict_strict"] == "resurrected")


def run(*arguments: object) -> Result:
    return call("corpus", "reduce", *arguments)


def test_the_former_name_of_the_command_still_works_and_is_not_listed() -> None:
    former, now = call("corpus", "shrink", "--help"), call("corpus", "reduce", "--help")
    assert former.exit_code == now.exit_code == 0
    assert former.output.replace("shrink", "reduce") == now.output
    assert "shrink" not in call("corpus", "--help").output
    assert call("corpus", "shrimp", "--help").exit_code == 2


def test_remaining_differences_are_described_in_words(
    directory: Path, failing: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = run(directory, "--case", failing["case_id"].hex(), "--reader", "strict", "--out", out)
    assert done.exit_code == 0, done.output
    assert re.search(r"resurrected \(I\d.*\) by strict", done.output)
    has(done.output, "the crash", f"    {MARK}0000")
    large, small = Intake().file(out / "cases.jsonl")
    assert large.id == f"btm.crash.{failing['case_id'].hex()}"
    assert small.origin.shrunk_from == large.id
    assert {path.name: path.read_bytes() for path in (out / small.id).iterdir()} == small.files()
    call("run", "--impl", "reference", "--cases", out / "cases.jsonl", "--format", "bitronix_tlog", status=0)
    again = run(directory, "--case", failing["case_id"].hex(), "--reader", "strict", "--out", out)
    assert again.exit_code == 2
    assert "exists" in again.output


def test_as_json_and_by_the_published_id(directory: Path, failing: dict[str, Any]) -> None:
    name = f"btm.crash.{failing['case_id'].hex()}"
    done = run(directory, "--case", name, "--json", "--reader", "strict")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["verdict"], told["shrunk_from"]) == ("resurrected", name)
    assert told["minimal"]
    assert told["records"] <= 3
    assert told["deviations"] <= 2
    assert told["descriptor"]["preset"]


def test_an_implementation_can_be_the_reader(directory: Path) -> None:
    row = next(row for row in rows(directory) if VERDICTS[row["verdict_salvage"]])
    done = run(
        directory, "--case", row["case_id"].hex(), "--impl", "reference", "--policy", "salvage", "--json"
    )
    plain = run(directory, "--case", row["case_id"].hex(), "--reader", "salvage", "--json")
    assert done.exit_code == plain.exit_code == 0, done.output + plain.output
    one, other = json.loads(done.stdout), json.loads(plain.stdout)
    assert (one["records"], one["deviations"], one["verdict"]) == (
        other["records"],
        other["deviations"],
        other["verdict"],
    )


@pytest.fixture(scope="module")
def passing(directory: Path) -> str:
    """A state that every reader of the build passes."""
    good = next(row for row in rows(directory) if all(row[f"verdict_{name}"] == "pass" for name in READERS))
    return str(good["case_id"].hex())


def test_a_search_that_was_cut_short_does_not_claim_the_smallest(
    directory: Path, failing: dict[str, Any]
) -> None:
    name = failing["case_id"].hex()
    # An implementation reads files; what answers a whole crash point at once counts no calls.
    done = run(directory, "--case", name, "--impl", "reference", "--policy", "strict", "--budget", 1)
    assert done.exit_code == 0, done.output
    assert "the budget ended" in done.output
    assert "the smallest already" not in done.output


def test_broken_granules_are_where_bytes_differ(directory: Path) -> None:
    """Of a granule with halves of two versions, say, only one is not as it was written."""
    seen = 0
    for row in rows(directory):
        if row["category"] == "sector-trash" and row["preset"] == "fdb-full-corruption" and seen < 40:
            state = place_of(directory, row["case_id"].hex()).state
            for loss in losses(state)[1]:
                if loss.length and not loss.kept and "never" in loss.what:
                    whole = settled(state)[loss.file]
                    here = state.files[loss.file]
                    at = [loss.off, loss.off + loss.length - 1]
                    assert all(place >= len(here) or here[place] != whole[place] for place in at)
                    seen += 1
    assert seen


@typed(given="build")
def test_irreducible_state_is_reported(row: Row, directory: Path, passing: str, tmp_path: Path) -> None:
    tried(row, tmp_path, build=str(directory), state=passing)


@pytest.mark.parametrize("format_id", format_ids())
def test_pictures_mark_what_is_not_as_it_was_written(format_id: str) -> None:
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
                    # A run of one byte is one row, and says where it ends.
                    _, _, end = line.partition(", up to ")
                    assert off < loss.off + loss.length
                    assert (int(end, 16) if end else off + 16) > loss.off
            told = list(story(state))
            assert told[-1] == "the crash"
            assert any(line.startswith("write") for line in told)
