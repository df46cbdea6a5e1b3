"""The lint finds each kind of fault, and finds no fault in the published files."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lint import lint

from journalspec.formats import format_ids
from journalspec.requirements import requirements
from journalspec_corpus import Case, Input, InputFile, load_cases
from journalspec_corpus.flags import load_flags
from journalspec_corpus.load import PUBLISHED_TIERS, find_case

FORMAT = "bitronix_tlog"


def everything(format_id: str) -> list[Case]:
    return [case for tier in PUBLISHED_TIERS for case in load_cases(format_id, tier)]


@pytest.mark.parametrize("format_id", format_ids())
def test_published_corpus_has_no_fault(format_id: str) -> None:
    assert lint(format_id, everything(format_id)) == []


@pytest.mark.parametrize("format_id", format_ids())
def test_flags_refer_to_existing_requirements(format_id: str) -> None:
    known = {item.id for item in requirements(format_id)}
    for flag in load_flags(format_id).values():
        assert set(flag.requirements) <= known, flag.name
        assert flag.effect.endswith(".")


def faults_of(case: Case) -> list[str]:
    return [fault for fault in lint(FORMAT, [case]) if fault.startswith(case.id)]


def with_expect(case: Case, **changes: Any) -> Case:
    return replace(case, expect=({**case.expect[0], **changes}, *case.expect[1:]))


SOUND = "btm.clean.two-phase"
TABLE = tomllib.loads((Path(__file__).parent / "data" / "lint.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("base", "changes", "complaint"),
    [
        *TABLE["case"],
        (SOUND, {"input": Input((InputFile("a", 1), InputFile("A", 1)))}, "are one name to some systems"),
        (SOUND, {"input": Input((InputFile("a", 1 << 30),))}, "bytes in all"),
    ],
)
def test_fault_of_a_case_is_detected(base: str, changes: dict[str, Any], complaint: str) -> None:
    # In a case, lists are stored as tuples.
    made: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()
    }
    assert any(complaint in fault for fault in lint(FORMAT, [replace(find_case(base), **made)]))


@pytest.mark.parametrize(("base", "changes", "complaint"), TABLE["expectation"])
def test_fault_of_an_expectation_is_detected(base: str, changes: dict[str, Any], complaint: str) -> None:
    assert any(complaint in fault for fault in faults_of(with_expect(find_case(base), **changes)))


@pytest.mark.parametrize("names", [(), ("reference",)])
def test_implementation_under_test_confirms_no_case(names: tuple[str, ...]) -> None:
    case = find_case(SOUND)
    lonely = replace(case, origin=replace(case.origin, checked_by=names))
    assert any("nobody but" in fault for fault in faults_of(lonely))


def test_duplicate_id_is_a_fault() -> None:
    case = find_case(SOUND)
    assert any("occurs 2 times" in fault for fault in lint(FORMAT, [case, case]))


def test_kill_signal_must_follow_the_last_operation() -> None:
    case = find_case("btm.write.killed-after-3")
    assert case.write is not None
    early = replace(case, write={**case.write, "kill_after": "1"})
    assert any("kill_after is not the last operation" in fault for fault in faults_of(early))


def test_requirement_without_cases_is_a_fault() -> None:
    faults = lint(FORMAT, [find_case("btm.known-answer-bit.crc32-024")])
    assert "BTM-CRC-008: no case obeys it" in faults
    assert "BTM-CRC-008: no case breaks it" not in faults
