"""Cases from strangers at the command line: nothing outside is written, nothing is green unseen."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from journalspec_corpus.case import write_files
from judged import CASES, call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@pytest.fixture
def clean() -> dict[str, Any]:
    """The published form of the case btm.judge.clean."""
    lines = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    found: dict[str, Any] = next(line for line in lines if line["id"] == "btm.judge.clean")
    return found


def written(path: Path, *cases: dict[str, Any], more: str = "") -> Path:
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases) + more, encoding="utf-8")
    return path


def with_path(case: dict[str, Any], path: str) -> dict[str, Any]:
    first, *others = case["input"]["files"]
    return {**case, "id": "btm.judge.odd", "input": {"files": [{**first, "path": path}, *others]}}


def names(directory: Path) -> list[str]:
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*"))


CLEAN = ["btm.judge.clean", "btm.judge.clean.json", "btm.judge.clean/btm1.tlog", "btm.judge.clean/btm2.tlog"]


@pytest.mark.parametrize("where", ["../../escaped", "../escaped", "{outside}/escaped", "a/../../../escaped"])
def test_materialize_writes_nothing_outside(where: str, clean: dict[str, Any], tmp_path: Path) -> None:
    name = where.format(outside=tmp_path)
    cases = written(tmp_path / "c.jsonl", {**clean, "id": name}, with_path(clean, name), clean)
    done = call("materialize", tmp_path / "a/b/out", "--cases", cases, status=1)
    assert done.stderr.count("quarantined, and not written") == 2
    assert names(tmp_path / "a/b/out") == CLEAN
    assert names(tmp_path)[:4] == ["a", "a/b", "a/b/out", "a/b/out/btm.judge.clean"]
    assert not [path for path in names(tmp_path) if "escaped" in path]


@pytest.mark.parametrize("link", ["btm.judge.clean", "btm.judge.clean.json"])
def test_materialize_follows_no_link(link: str, clean: dict[str, Any], tmp_path: Path) -> None:
    outside, out = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    out.mkdir()
    (out / link).symlink_to(outside / "new" if link.endswith(".json") else outside)
    done = call("materialize", out, "--cases", written(tmp_path / "c.jsonl", clean), status=2)
    assert f"{out / link} is there already, and nothing is overwritten" in done.stderr
    assert names(outside) == []


def test_materialize_writes_where_the_user_says(clean: dict[str, Any], tmp_path: Path) -> None:
    """His own link is his own business. Existing files are kept, even for a case without files."""
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    cases = written(tmp_path / "c.jsonl", clean, {**clean, "id": "btm.judge.empty", "input": {"files": []}})
    assert call("materialize", tmp_path / "out", "--cases", cases).exit_code == 0
    assert names(tmp_path / "real") == sorted([*CLEAN, "btm.judge.empty", "btm.judge.empty.json"])
    only = ("--cases", cases, "--select", "btm.judge.empty")
    assert "nothing is overwritten" in call("materialize", tmp_path / "out", *only).stderr
    (tmp_path / "file").touch()
    done = call("materialize", tmp_path / "file", "--cases", cases)
    assert (done.exit_code, "Traceback" in done.stderr) == (2, False)


@pytest.fixture
def mixed(clean: dict[str, Any], tmp_path: Path) -> Path:
    """One good case among three invalid ones."""
    odd = {**clean, "level": "Must", "id": "btm.judge.odd"}
    return written(tmp_path / "mixed.jsonl", odd, clean, clean, more='{"id": "\x1b[2J')


def test_a_run_asks_the_good_and_is_red_for_others(
    mixed: Path, tmp_path: Path, clean: dict[str, Any]
) -> None:
    report = tmp_path / "report.jsonl"
    done = call("run", "--impl", "reference", "--cases", mixed, "--report", report, status=1)
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()[1:-1]]
    found = {line["probe"]: line["class"] for line in lines}
    assert found == {
        "btm.judge.odd": "quarantined",
        **{probe: "pass" for probe in found if probe.startswith("btm.judge.clean/")},
        f"{mixed}:3": "quarantined",
        f"{mixed}:4": "quarantined",
    }
    assert sum(name == "pass" for name in found.values()) == len({str(e["when"]) for e in clean["expect"]})
    assert "mixed.jsonl, line 1: btm.judge.odd: level: 'Must' is none of must" in lines[0]["reason"]
    assert "\x1b" not in done.output
    for style in ("text", "markdown", "junit"):
        assert "quarantined" in call("summary", report, "--format", style, status=1).output


def test_details_json_and_jobs_know_quarantined_cases(mixed: Path) -> None:
    asked = ("run", "--impl", "reference", "--cases", mixed)
    done = call(*asked, "--details")
    assert (done.exit_code, "quarantined: btm.judge.odd" in done.output) == (1, True)
    done = call(*asked, "--json", "--jobs", 2)
    assert (done.exit_code, json.loads(done.stdout)["counts"]["quarantined"]) == (1, 3)
    done = call(*asked, "--format", "bitronix_tlog", "--select", "btm.judge.clean")
    assert done.exit_code == 0, "who names the good ones asks about nothing else"


def test_quarantined_cases_are_listed_and_not_shown(mixed: Path) -> None:
    listed = call("list", "--cases", mixed, "--json", status=0)
    titles = {line["probe"]: line["title"] for line in map(json.loads, listed.stdout.splitlines())}
    assert titles["btm.judge.odd"].endswith("level: 'Must' is none of must, should, may")
    assert "no JSON" in titles[f"{mixed}:4"]
    shown = call("show", "--cases", mixed, "btm.judge.odd")
    assert (shown.exit_code, "is quarantined: " in shown.stderr) == (2, True)


@pytest.mark.parametrize("there", [False, True])
def test_a_refused_materialize_leaves_nothing(
    there: bool, clean: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first case can be written; of the second one something is there, or the disk is full."""
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
    cases = written(tmp_path / "c.jsonl", clean, {**clean, "id": "btm.judge.other"})
    before = names(tmp_path)
    assert "btm.judge.other" in call("materialize", out, "--cases", cases, status=2).stderr
    assert names(tmp_path) == before
