from __future__ import annotations

import copy
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from journalspec.deviations import deviations, lint, main
from journalspec.formats import format_ids, get_format
from journalspec.requirements import requirements

#: Any format is suitable, because the lint is the same for all.
FORMAT = format_ids()[0]
P = get_format(FORMAT).prefix
MISTAKES = tomllib.loads(
    (Path(__file__).parent / "data" / "mistakes.toml").read_text(encoding="utf-8").replace("PREFIX", P)
)

GOOD: dict[str, Any] = {
    "deviation": [
        {
            "id": f"{P}-DEV-001",
            "product": "org.example:product",
            "since": "2.1.3",
            "until": "2.1.4",
            "kind": "errata",
            "requirements": [requirements(FORMAT).items[0].id],
            "title": "The tail is stored as the timestamp",
            "text": "After a swap ...",
            "example": {"hex": "00 00 00 95", "where": "a.log, offset 4"},
            "cases": ["x.swap.position-as-timestamp"],
            "cost": "Decisions are lost.",
            "change": "Write the clock.",
            "observed": {"how": "captured files", "on": "2.1.4, Java 17"},
        }
    ]
}


@pytest.mark.parametrize("format_id", format_ids())
def test_every_format_has_deviations_without_fault(format_id: str) -> None:
    found = deviations(format_id)
    assert len({item.id for item in found}) == len(found)


def test_valid_data_has_no_fault() -> None:
    assert lint(FORMAT, GOOD) == []
    assert lint(FORMAT, GOOD, {"x.swap.position-as-timestamp"}) == []


@pytest.mark.parametrize(("members", "complaint", "without"), MISTAKES["deviations"])
def test_lint_reports_wrong_members(members: dict[str, Any], complaint: str, without: list[str]) -> None:
    data = copy.deepcopy(GOOD)
    data["deviation"][0] |= members
    for name in without:
        del data["deviation"][0][name]
    assert any(complaint in fault for fault in lint(FORMAT, data))


def test_reason_replaces_a_case_only_if_no_product_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    data = copy.deepcopy(GOOD)
    data["deviation"][0] |= {"cases": [], "show": [{"none": "why"}]}
    assert any("lists no case" in fault for fault in lint(FORMAT, data))
    without = replace(get_format(FORMAT), uncaptured="why")
    monkeypatch.setattr("journalspec.deviations.get_format", lambda _: without)
    assert lint(FORMAT, data) == []
    del data["deviation"][0]["show"]
    assert any("lists no case" in fault for fault in lint(FORMAT, data))


CASE_SHOW = {"products": ["p"], "case": "x.swap.one", "op": "read", "fails": "verdict"}
STEP_SHOW = {
    "products": ["p"],
    "demands": "nothing",
    "edition": "1",
    "steps": [{"cmd": "recover", "policy": "strict"}],
    "seen": [{"file": "a.log", "off": 12, "hex": "ff"}],
}
TRACE_SHOW = {"products": ["p"], "demands": "x", "start": "x.swap.one", "trace": [], "order": "^sync"}
PROGRAM_SHOW = {"products": ["p"], "demands": "x", "program": "m"}


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        # These entries have no fault.
        (CASE_SHOW, ""),
        (STEP_SHOW, ""),
        (TRACE_SHOW, ""),
        ({"none": "why"}, ""),
        (PROGRAM_SHOW, ""),
        ({}, "exactly one of"),
        ({**CASE_SHOW, "none": "why"}, "exactly one of"),
        ({**CASE_SHOW, "products": []}, "there is no products"),
        ({**CASE_SHOW, "fails": ""}, "there is no fails"),
        ({**CASE_SHOW, "order": "x"}, "'order' is none of its members"),
        ({**CASE_SHOW, "case": "Swap"}, "not have the form of a case id"),
        ({**STEP_SHOW, "demands": ""}, "there is no demands"),
        ({**STEP_SHOW, "seen": []}, "there is no seen"),
        ({**STEP_SHOW, "seen": [{"file": "x"}]}, "not have the members of a check"),
        ({**STEP_SHOW, "steps": [{"cmd": "recovr"}]}, "cmd 'recovr' is none of"),
        ({**STEP_SHOW, "steps": [{"cmd": "read", "polcy": "x"}]}, "'polcy' is none of read's members"),
        ({**STEP_SHOW, "start": "x.swap.one"}, "either a case to start from or an edition"),
        ({**TRACE_SHOW, "order": ""}, "it cannot fail"),
        ({**TRACE_SHOW, "order": "("}, "not a regular expression"),
    ],
)
def test_lint_reports_checks_that_could_not_fail(table: dict[str, Any], complaint: str) -> None:
    data = copy.deepcopy(GOOD)
    data["deviation"][0]["show"] = [table]
    assert any(complaint in fault for fault in lint(FORMAT, data)) == bool(complaint)
    # Steps, a trace or a program can prove a deviation without a case.
    data["deviation"][0]["cases"] = []
    assert (lint(FORMAT, data) == []) == (table in (STEP_SHOW, TRACE_SHOW, PROGRAM_SHOW))


def test_if_one_deviation_has_a_show_table_all_must_have_one() -> None:
    data = copy.deepcopy(GOOD)
    second = copy.deepcopy(data["deviation"][0]) | {"id": f"{P}-DEV-002"}
    data["deviation"][0]["show"] = [{"none": "why"}]
    data["deviation"].append(second)
    assert lint(FORMAT, data) == [
        f"{P}-DEV-002: it cannot be shown: add a [[deviation.show]], at least with `none`"
    ]


def test_lint_reports_duplicate_ids_unknown_members_and_unknown_cases() -> None:
    data = copy.deepcopy(GOOD)
    data["deviation"].append(data["deviation"][0])
    data["deviations"] = []
    faults = lint(FORMAT, data, set())
    assert f"{P}-DEV-001: the id is used twice" in faults
    assert f"{P}-DEV-001: there is no case x.swap.position-as-timestamp" in faults
    assert "'deviations' is not a member of this file" in faults


def test_main_prints_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    assert f"{FORMAT}: " in capsys.readouterr().out
