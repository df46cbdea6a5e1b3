"""The page of design rules: every verdict of a rule has a sign."""

from __future__ import annotations

from journalspec.formats import format_ids
from journalspec_corpus.design_rules import findings, rules
from journalspec_docs import rule_pages


def test_every_verdict_of_every_format_has_a_sign() -> None:
    assert rule_pages.judged_formats() == [name for name in format_ids() if findings(name)]
    for name in rule_pages.judged_formats():
        for items in findings(name).values():
            assert all(item.verdict in rule_pages.SIGNS for item in items)
    assert {rule.severity for rule in rules().values()} <= set(rule_pages.SEVERITIES)
