"""The shipped expectation files of the products hang together with rules, deviations and the corpus."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from journalspec.deviations import deviations, lint
from journalspec.formats import get_format
from journalspec_conformance.expect import parse_expectations
from journalspec_conformance.known import Rule, explain, rules
from journalspec_conformance.patterns import matches
from journalspec_conformance.products import get_product
from journalspec_conformance.result import Result
from journalspec_corpus.load import PUBLISHED_TIERS, load_cases

NAMES = ("bitronix.toml", "bitronix-3.0.toml")
KNOWN = {item.id for item in deviations("bitronix_tlog")}
CASES = {case.id: case for tier in PUBLISHED_TIERS for case in load_cases("bitronix_tlog", tier)}


def test_every_deviation_names_cases_that_exist() -> None:
    text = get_format("bitronix_tlog").root.joinpath("deviations.toml").read_text(encoding="utf-8")
    assert lint("bitronix_tlog", tomllib.loads(text), set(CASES)) == []


def test_every_rule_leads_to_a_deviation() -> None:
    assert {rule.deviation for rule in rules("bitronix_tlog")} <= KNOWN


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_names_probes_and_a_deviation(name: str) -> None:
    text = files("journalspec_conformance").joinpath("expectations", name).read_text(encoding="utf-8")
    entries = parse_expectations(text, name).entries
    probes = [probe.id for case in CASES.values() for probe in case.probes]
    assert entries
    for entry in entries:
        assert entry.deviation in KNOWN, entry
        assert any(matches(entry.case, probe) for probe in probes), entry


def result(probe: str, fingerprint: str) -> Result:
    return Result(probe, probe.partition("/")[0], "bitronix_tlog", "2.1", "", "fail", fingerprint)


def test_a_failure_that_no_rule_fits_stays_open() -> None:
    odd = result("btm.clean.empty/recover.strict", "records:missing")
    known, unexplained = explain(get_product("bitronix-2.1.4"), {odd.probe: odd}, CASES)
    assert known == {}
    assert unexplained == [odd]


def test_a_rule_fits_only_where_all_its_conditions_do() -> None:
    rule = Rule("BTM-DEV-001", "why", fingerprint="verdict", versions=("2.1.4",), ops=("read",), told=("x",))
    fitting = result("btm.a.b/read", "verdict")
    assert rule.fits("2.1.4", fitting, frozenset({"x"}))
    assert not rule.fits("3.0.0-mk1", fitting, frozenset({"x"}))
    assert not rule.fits("2.1.4", fitting, frozenset({"y"}))
    assert not rule.fits("2.1.4", result("btm.a.b/recover.strict", "verdict"), frozenset({"x"}))
    assert not rule.fits("2.1.4", result("btm.a.b/read", "verdict2"), frozenset({"x"}))
