"""``--ndjson``: the answer of ``--json``, line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_ids
from journalspec_corpus import Case
from journalspec_corpus.load import find_case, load_cases
from judged import call


@pytest.mark.parametrize("command", ["inspect", "recover"])
@pytest.mark.parametrize("format_id", format_ids())
def test_lines_contain_the_members_of_the_json_object(tmp_path: Path, command: str, format_id: str) -> None:
    """The test covers every hundredth case that is read without parameters."""
    compared = 0
    for case in load_cases(format_id)[::100]:
        if case.input.files and not case.params and case.write is None:
            compared += lines_are_the_object(case, tmp_path / case.id, command)
    assert compared, "no case was read"


def lines_are_the_object(case: Case, place: Path, command: str) -> bool:
    """Compare the outputs of --json and --ndjson; return whether there was a journal."""
    place.mkdir()
    case.materialize(place)
    asked = (command, place, "--format", case.format, "--edition", case.edition)
    done, plain = call(*asked, "--ndjson"), call(*asked, "--json")
    assert done.exit_code == plain.exit_code, case.id
    if plain.exit_code == 2:  # There is no journal.
        return False
    found: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    whole = json.loads(plain.stdout)
    journals = whole.get("journals", [whole])
    left_out = [each["left_out"] for each in found if "left_out" in each]
    assert left_out == ([whole["left_out"]] if "left_out" in whole else [])
    for journal in journals:
        head = found.pop(0)["journal"]
        assert (head["format"], head["edition"]) == (journal["format"], journal["edition"])
        records = []
        while "record" in found[0]:
            records.append(found.pop(0)["record"])
        # A refusal has no records in JSON, but lines were written before the refusal was known.
        if journal["verdict"] != "refused":
            assert records == journal.pop("records"), case.id
        answer = found.pop(0)["answer"]
        rest = {key: value for key, value in journal.items() if key not in ("records", "left_out")}
        assert answer == rest, case.id
    return True


def test_levels_omit_members_of_higher_levels(tmp_path: Path) -> None:
    find_case("btm.clean.two-phase").materialize(tmp_path)

    def lines(command: str, level: str) -> list[dict[str, Any]]:
        return [*map(json.loads, call(command, tmp_path, "--ndjson", "--level", level).stdout.splitlines())]

    for command in ("inspect", "recover"):
        assert [[*each] for each in lines(command, "verdict")] == [["journal"], ["answer"]]
        first, *rest, _ = ([*each] for each in lines(command, "records"))
        assert (first, {*map(str, rest)}) == (["journal"], {"['record']"})
    answer = lines("recover", "state")[-1]["answer"]
    assert (answer["verdict"], "state" in answer, "files" in answer) == ("clean", True, False)
