"""Cases from unknown authors: a command writes no file outside its directory, and no unread case passes."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.report import load_report
from journalspec_corpus.case import write_files
from judged import CASES, call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


#: The published form of the case btm.judge.clean.
LINES = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
GOOD: dict[str, Any] = next(line for line in LINES if line["id"] == "btm.judge.clean")
ODD = {**GOOD, "id": "btm.judge.odd"}


def written(path: Path, *cases: dict[str, Any], more: str = "") -> Path:
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases) + more, encoding="utf-8")
    return path


def names(directory: Path) -> list[str]:
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*"))


CLEAN = ["btm.judge.clean", "btm.judge.clean.json", "btm.judge.clean/btm1.tlog", "btm.judge.clean/btm2.tlog"]


@pytest.mark.parametrize("where", ["../../escaped", "../escaped", "{outside}/escaped", "a/../../../escaped"])
def test_materialize_writes_nothing_outside(where: str, tmp_path: Path) -> None:
    name = where.format(outside=tmp_path)
    first, *others = GOOD["input"]["files"]
    with_path = {**ODD, "input": {"files": [{**first, "path": name}, *others]}}
    cases = written(tmp_path / "c.jsonl", {**GOOD, "id": name}, with_path, GOOD)
    done = call("materialize", tmp_path / "a/b/out", "--cases", cases, status=1)
    assert done.stderr.count("quarantined, and not written") == 2
    assert names(tmp_path / "a/b/out") == CLEAN
    assert names(tmp_path) == ["a", "a/b", "a/b/out", *(f"a/b/out/{path}" for path in CLEAN), "c.jsonl"]


@pytest.mark.parametrize("link", ["btm.judge.clean", "btm.judge.clean.json"])
def test_materialize_does_not_follow_links_inside(link: str, tmp_path: Path) -> None:
    outside, out = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    out.mkdir()
    (out / link).symlink_to(outside / "new" if link.endswith(".json") else outside)
    done = call("materialize", out, "--cases", written(tmp_path / "c.jsonl", GOOD), status=2)
    assert f"{out / link} already exists, and nothing is overwritten" in done.stderr
    assert names(outside) == []


def test_materialize_writes_to_the_directory_of_the_user(tmp_path: Path) -> None:
    """A link that the user made is followed. Existing files are kept, even for a case without files."""
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    cases = written(tmp_path / "c.jsonl", GOOD, {**GOOD, "id": "btm.judge.empty", "input": {"files": []}})
    call("materialize", tmp_path / "out", "--cases", cases, status=0)
    assert names(tmp_path / "real") == sorted([*CLEAN, "btm.judge.empty", "btm.judge.empty.json"])
    only = ("--cases", cases, "--select", "btm.judge.empty")
    assert "nothing is overwritten" in call("materialize", tmp_path / "out", *only).stderr
    assert "Traceback" not in call("materialize", cases, "--cases", cases, status=2).stderr


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """One good case among three invalid ones."""
    return written(tmp_path / "mixed.jsonl", {**ODD, "level": "Must"}, GOOD, GOOD, more='{"id": "\x1b[2J')


def test_run_asks_valid_cases_and_ends_with_an_error_because_of_invalid_ones(
    mixed: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.jsonl"
    asked = ("run", "--impl", "reference", "--cases", mixed)
    done = call(*asked, "--report", report, "--details", status=1)
    found = {result.probe: result for result in load_report(report).results}
    good = [name for name, result in found.items() if result.result_class == "pass"]
    assert len(good) == len({str(entry["when"]) for entry in GOOD["expect"]})
    assert all(name.startswith("btm.judge.clean/") for name in good)
    others = {name for name in found if name not in good}
    assert others == {"btm.judge.odd", f"{mixed}:3", f"{mixed}:4"}
    assert {found[name].result_class for name in others} == {"quarantined"}
    reason = "mixed.jsonl, line 1: btm.judge.odd: level: 'Must' is none of must"
    assert reason in found["btm.judge.odd"].reason
    assert "quarantined: btm.judge.odd" in done.output
    assert "\x1b" not in done.output
    for style in ("text", "markdown", "junit"):
        assert "quarantined" in call("summary", report, "--format", style, status=1).output
    done = call(*asked, "--json", "--jobs", 2, status=1)
    assert json.loads(done.stdout)["counts"]["quarantined"] == 3
    # If a selection contains only valid cases, no other case is asked.
    call(*asked, "--format", "bitronix_tlog", "--select", "btm.judge.clean", status=0)


def test_quarantined_cases_are_listed_and_not_shown(mixed: Path) -> None:
    listed = call("list", "--cases", mixed, "--json", status=0)
    titles = {line["probe"]: line["title"] for line in map(json.loads, listed.stdout.splitlines())}
    assert titles["btm.judge.odd"].endswith("level: 'Must' is none of must, should, may")
    assert "no JSON" in titles[f"{mixed}:4"]
    assert "is quarantined: " in call("show", "--cases", mixed, "btm.judge.odd", status=2).stderr


@pytest.mark.parametrize("there", [False, True])
def test_refused_materialize_leaves_no_files(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first case can be written; for the second one a file already exists, or the disk is full."""
    out = tmp_path / "a/out"
    if there:
        (out / "btm.judge.other").mkdir(parents=True)
        (out / "btm.judge.other/own").touch()
    else:

        def full(root: Path, files: Iterable[tuple[str, Any]]) -> None:
            (name, _), *_ = given = list(files)
            if name == "btm.judge.other.json":
                raise OSError(errno.ENOSPC, "No space left on device", name)
            write_files(root, given)

        monkeypatch.setattr("journalspec_conformance.cli.cases.write_files", full)
    cases = written(tmp_path / "c.jsonl", GOOD, {**GOOD, "id": "btm.judge.other"})
    before = names(tmp_path)
    assert "btm.judge.other" in call("materialize", out, "--cases", cases, status=2).stderr
    assert names(tmp_path) == before
