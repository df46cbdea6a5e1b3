"""The page of a format: scores and changes of runs count only its own probes, and each verdict on a rule has
a sign.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from design_rules import findings, rules

from journalspec.formats import format_ids
from journalspec_conformance import history
from journalspec_conformance.report import make_header, open_report, write_report
from journalspec_conformance.result import Result
from journalspec_docs import matrix, rule_pages


def test_page_of_a_format_counts_the_changes_of_its_own_probes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for x, y in (("fail", "pass"), ("pass", "fail")):
        results = [
            Result(f"{name}.a/read", f"{name}.a", name, "1", "one", kind)
            for name, kind in (("x", x), ("y", y))
        ]
        with open_report(tmp_path / "report.jsonl") as stream:
            write_report(stream, make_header({"name": "it"}, "./x", "smoke"), results)
        history.add(tmp_path / "report.jsonl", tmp_path / "results")
    monkeypatch.setattr(matrix, "committed_runs", lambda: history.runs(tmp_path / "results"))
    counts = {
        name: [changed and len(changed.worse) for *_, changed in matrix.history_of(name)] for name in "xy"
    }
    assert counts == {"x": [None, 0], "y": [None, 1]}
    assert [score for _, score, _ in matrix.history_of("y")] == ["1/1", "0/1"]


def test_every_verdict_of_every_format_has_a_sign() -> None:
    assert rule_pages.judged_formats() == [name for name in format_ids() if findings(name)]
    for name in rule_pages.judged_formats():
        for items in findings(name).values():
            assert all(item.verdict in rule_pages.SIGNS for item in items)
    assert {rule.severity for rule in rules().values()} <= set(rule_pages.SEVERITIES)
