"""The expectation files of the products agree with the rules, the deviations and the corpus."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from known import KnownRule, explain, main, rules

from journalspec.deviations import deviations, lint
from journalspec.formats import get_format
from journalspec_conformance.expect import parse_expectations
from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import get_product
from journalspec_conformance.report import make_header, write_report
from journalspec_conformance.result import Result
from journalspec_conformance.selection import matches
from journalspec_corpus import Case
from journalspec_corpus.load import PUBLISHED_TIERS, load_cases

#: Maps an expectation file to its format, which is also the folder of the harness.
NAMES = {
    entry.expectations: get_product(entry.product).harness
    for entry in registry().values()
    if entry.expectations and entry.product
}
FORMATS = sorted(set(NAMES.values()))
KNOWN = {name: {item.id for item in deviations(name)} for name in FORMATS}


@cache
def published(format_id: str) -> dict[str, Case]:
    """Return the published cases of a format by their ids."""
    return {case.id: case for tier in PUBLISHED_TIERS for case in load_cases(format_id, tier)}


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_deviation_lists_existing_cases_and_every_rule_an_existing_deviation(format_id: str) -> None:
    text = get_format(format_id).root.joinpath("deviations.toml").read_text(encoding="utf-8")
    assert lint(format_id, tomllib.loads(text), set(published(format_id))) == []
    assert {rule.deviation for rule in rules(format_id)} <= KNOWN[format_id]


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_has_existing_probes_and_a_deviation(name: str) -> None:
    format_id = NAMES[name]
    text = files("journalspec_conformance").joinpath("expectations", name).read_text(encoding="utf-8")
    entries = parse_expectations(text, name).entries
    probes = [probe.id for case in published(format_id).values() for probe in case.probes]
    assert entries
    for entry in entries:
        assert entry.deviation in KNOWN[format_id], entry
        assert any(matches(entry.case, probe) for probe in probes), entry


def result(probe: str, fingerprint: str) -> Result:
    return Result(probe, probe.partition("/")[0], "bitronix_tlog", "2.1", "", "fail", fingerprint)


def test_incomplete_report_writes_no_expectations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, out = tmp_path / "r.jsonl", tmp_path / "out.toml"
    with report.open("w") as stream:
        write_report(stream, make_header({"name": "x"}, "x", "smoke"), [])
    report.write_text(report.read_text().splitlines(keepends=True)[0])
    out.write_text("by hand")
    assert main([str(report), "--product", "bitronix-2.1.4", "--out", str(out)]) == 2
    assert "the footer is missing" in capsys.readouterr().err
    assert out.read_text() == "by hand"


def test_failure_that_no_rule_matches_stays_unexplained() -> None:
    odd = result("btm.clean.empty/recover.strict", "records:missing")
    found = explain(get_product("bitronix-2.1.4"), {odd.probe: odd}, published("bitronix_tlog"))
    assert found == ({}, [odd])


def test_rule_matches_only_if_all_its_conditions_do() -> None:
    rule = KnownRule(
        "BTM-DEV-001", "why", fingerprint="verdict", versions=("2.1.4",), ops=("read",), told=("x",)
    )
    fitting, x = result("btm.a.b/read", "verdict"), frozenset({"x"})
    assert rule.fits("2.1.4", fitting, x)
    assert not rule.fits("3.0.0-mk1", fitting, x)
    assert not rule.fits("2.1.4", fitting, frozenset({"y"}))
    assert not rule.fits("2.1.4", result("btm.a.b/recover.strict", "verdict"), x)
    assert not rule.fits("2.1.4", result("btm.a.b/read", "verdict2"), x)
    silent = replace(rule, says='verdict: expected "(recovered|refused)", got "clean"')
    told = replace(fitting, reason='verdict: expected "refused", got "clean" (and more)')
    assert silent.fits("2.1.4", told, x)
    assert not silent.fits("2.1.4", replace(told, reason='verdict: expected "clean", got "refused"'), x)


def test_random_result_is_listed_even_if_the_probe_passed() -> None:
    case = "jbm.fileset.same-id-twice-v2"
    lucky = Result(f"{case}/read", case, "jboss_journal", "v2", "", "pass")
    asked = (get_product("hornetq-2.4.9"), {lucky.probe: lucky}, published("jboss_journal"))
    known, unexplained = explain(*asked)
    assert ([fact.outcome for fact in known.values()], unexplained) == (["flaky"], [])
