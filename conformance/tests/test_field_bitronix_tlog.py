"""Bitronix files of situations that people met, and stores that are in several places."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from field import FIELD, unpacked
from journalspec_reference.answers import ask
from journalspec_reference.filesets import find_journals, load
from judged import call


def command(*arguments: str, status: int) -> str:
    """Run a command that has to end with `status`, and return what it printed."""
    result = call(*arguments)
    assert result.exit_code == status, result.output
    return result.output


#: node1/5000/1 and node1/6000/2
COMMITTED, DECIDED = "6e6f646531000000000000138800000001", "6e6f646531000000000000177000000002"


@pytest.mark.real
@pytest.mark.parametrize("policy", [None, "strict", "salvage"])
def test_a_swap_that_left_an_uptime(policy: str | None, tmp_path: Path) -> None:
    (journal,) = find_journals(load(unpacked("b1-swap-uptime", tmp_path)))
    seen = ask(journal, policy).observation
    assert seen.verdict == "recovered"
    newer, decision = seen.missing
    assert (newer.code, newer.name, newer.off, newer.count) == ("newer-records", "btm2.tlog", 21, 7)
    assert "node1/5000/1 COMMITTED" in newer.text
    assert "BTM elects btm1.tlog" in newer.text
    assert (decision.code, decision.name, decision.off) == ("decision", DECIDED, 445)
    assert "node1/6000/2 is to be committed on jdbc/main, jms/out" in decision.text
    assert "rolls back" in decision.text
    assert ("position-as-timestamp", "btm2.tlog") in [(note.code, note.file) for note in seen.notes]
    assert seen.state is not None
    assert seen.state["active"] == "btm1.tlog"
    (doubt,) = cast(Sequence[dict[str, Any]], seen.state["in_doubt"])
    assert doubt["gtrid"].hex() == COMMITTED


@pytest.mark.real
@pytest.mark.parametrize("below", [False, True])
def test_the_same_pair_in_two_directories(below: bool, tmp_path: Path) -> None:
    source = unpacked("b1-swap-uptime", tmp_path)
    root = tmp_path / "root"
    paths = []
    for number in (1, 2):
        path = root / f"part{number}" / f"btm{number}.tlog"
        path.parent.mkdir(parents=True)
        (source / path.name).rename(path)
        paths.append(str(path))
    told = json.loads(command("recover", "--json", *([str(root)] if below else paths), status=1))
    assert [gone["code"] for gone in told["missing"]] == ["newer-records", "decision"]


@pytest.mark.real
def test_stores_below_one_directory_are_read_in_one_go(tmp_path: Path) -> None:
    if not FIELD.is_dir():
        pytest.skip("needs the field inputs beside the checkout")
    root = tmp_path / "all"
    for name in ("b1-swap-uptime", "kahadb-small"):
        root.mkdir(exist_ok=True)
        unpacked(name, tmp_path).rename(root / name)
    told = json.loads(command("inspect", "--json", str(root), status=1))
    assert {(entry["format"], entry["path"]) for entry in told["journals"]} == {
        ("bitronix_tlog", str(root / "b1-swap-uptime")),
        ("kahadb_journal", str(root / "kahadb-small")),
    }


@pytest.mark.real
def test_half_of_a_pair_is_advised_to_look_for_the_other_half(tmp_path: Path) -> None:
    source = unpacked("b1-swap-uptime", tmp_path)
    (source / "btm2.tlog").unlink()
    told = command("recover", str(source), status=3)
    assert "logPart1Filename and logPart2Filename" in " ".join(told.split())
