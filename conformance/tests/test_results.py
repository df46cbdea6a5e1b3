"""``journalspec results``: the reports of runs are stored, listed, and compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from journalspec_conformance import history
from journalspec_conformance.report import load_report, make_header, open_report, write_report
from journalspec_conformance.result import Result
from judged import call

ONE = Result("x.a/read", "x.a", "x", "1", "one", "pass")
TWO = Result("x.b/read", "x.b", "x", "1", "two", "fail", "verdict", "expected clean")
THREE = Result("x.c/read", "x.c", "x", "1", "three", "unsupported")
CRASHED, ALLOWED = (
    replace(ONE, result_class="crash", reason="signal SIGSEGV"),
    replace(TWO, result_class="allowed"),
)
RUNS = {"old": (ONE, TWO, THREE), "new": (CRASHED, ALLOWED)}
NAMES = ["my-reader-0001.jsonl.gz", "my-reader-0002.jsonl.gz"]


@pytest.fixture
def reports(tmp_path: Path) -> dict[str, Path]:
    made = {}
    for name, results in RUNS.items():
        made[name] = tmp_path / f"{name}.jsonl"
        with open_report(made[name]) as stream:
            write_report(stream, make_header({"name": "My Reader", "version": name}, "./x", "smoke"), results)
    return made


def test_runs_are_numbered_and_a_report_is_added_only_once(reports: dict[str, Path], tmp_path: Path) -> None:
    there = tmp_path / "results"
    for name in RUNS:
        call("results", "add", reports[name], "--in", there, status=0)
    assert sorted(path.name for path in there.iterdir()) == NAMES
    assert load_report(there / "my-reader-0001.jsonl.gz").results == RUNS["old"]
    assert "already exists" in call("results", "add", reports["old"], "--in", there, status=2).output
    reports["new"].write_bytes(reports["new"].read_bytes()[:-20])
    call("results", "add", reports["new"], "--in", there, status=2)
    assert len(list(there.iterdir())) == 2


def test_history_counts_changes_since_the_previous_run(reports: dict[str, Path], tmp_path: Path) -> None:
    for name in RUNS:
        call("results", "add", reports[name], "--in", tmp_path / "results", status=0)
    told = call("results", "history", "--in", tmp_path / "results", "my-reader", status=0).output.splitlines()
    assert [line.split()[0] for line in told[1:]] == NAMES
    assert told[1].split()[-2:] == ["1/2", "+1"]
    assert told[2].split()[-3:] == ["1/2", "1", "1"]
    nobody = call("results", "history", "--in", tmp_path / "results", "nobody", status=2)
    assert "my-reader" in nobody.output
    runs = history.runs(tmp_path / "results")
    assert [run.report.name for run in history.newest(runs)] == ["My Reader old", "My Reader new"]
    reports["old"].rename(tmp_path / "results" / "by-hand.jsonl")
    told = call("results", "history", "--in", tmp_path / "results", status=0).output.splitlines()
    assert told[-1].startswith("not counted: by-hand.jsonl (")


def test_differences_are_reported_probe_by_probe(reports: dict[str, Path]) -> None:
    done = call("results", "diff", reports["old"], reports["new"], status=1)
    assert done.output.splitlines()[:3] == [
        "worse  x.a/read: pass -> crash: signal SIGSEGV",
        "better x.b/read: fail -> allowed",
        "1 better, 1 worse, 0 changed otherwise, 0 new, 1 gone",
    ]
    call("results", "diff", reports["old"], reports["old"], status=0)
