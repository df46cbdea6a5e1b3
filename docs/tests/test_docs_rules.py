"""The page of design rules: its rates are of this engine, and every rule has its place on it."""

from __future__ import annotations

import json

import pytest

from journalspec import __version__
from journalspec.formats import format_ids
from journalspec_corpus.crash.formats import has_crash_format
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.design_rules import findings, rules
from journalspec_corpus.pipeline.plan import ENGINE, Plan
from journalspec_corpus.pipeline.rates import QUESTIONS, Rate
from journalspec_docs import rule_pages

FORMATS = [name for name in format_ids() if has_crash_format(name)]


@pytest.mark.parametrize("name", FORMATS)
def test_the_rates_shown_are_of_the_current_engine_and_version(name: str) -> None:
    plan = rule_pages.rates()[name]["plan"]
    assert (plan["engine"], plan["version"]) == (ENGINE, __version__)
    # The whole tier, under all presets that there are.
    assert plan == Plan(name, "core").to_json()


@pytest.mark.parametrize("name", FORMATS)
def test_the_rates_shown_follow_from_their_counts(name: str) -> None:
    result = rule_pages.rates()[name]
    assert set(result["questions"]) == set(QUESTIONS)
    assert {
        question: (entry["of"], entry["counted"]) for question, entry in result["questions"].items()
    } == dict(QUESTIONS)
    presets = {preset.name for preset in PRESETS}
    for entry in result["rates"]:
        rate = Rate(entry["k"], entry["n"])
        assert entry["rate"] == round(rate.rate, 6)
        assert entry["interval"] == [round(end, 6) for end in rate.interval]
        assert entry["preset"] in presets
    assert {line["weakest"] for line in result["safe"]} <= {None, *presets}


def test_every_result_belongs_to_a_format_and_is_there_once() -> None:
    names = [
        json.loads(path.read_text(encoding="utf-8"))["plan"]["format"] for path in rule_pages.rate_files()
    ]
    assert sorted(names) == sorted(FORMATS)
    assert [path.name for path in rule_pages.rate_files()] == [f"rates-{name}.json" for name in sorted(names)]


def test_every_verdict_of_every_format_has_a_sign() -> None:
    assert rule_pages.judged_formats() == [name for name in format_ids() if findings(name)]
    for name in rule_pages.judged_formats():
        for items in findings(name).values():
            assert all(item.verdict in rule_pages.SIGNS for item in items)
    assert {rule.severity for rule in rules().values()} <= set(rule_pages.SEVERITIES)
