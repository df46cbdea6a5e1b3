"""The page on cases says how answers are compared; each of its sentences is tried here."""

from __future__ import annotations

import copy
from importlib.resources import files
from typing import Any

import pytest

from journalspec.observation import Level
from journalspec_conformance.compare import Claims, compare

PAGE = files("journalspec_corpus").joinpath("CASES.md").read_text(encoding="utf-8")
ANSWER: dict[str, Any] = {
    "verdict": "recovered",
    "records": [
        {"type": "A", "id": "1", "body": "00", "at": {"file": "f", "off": "0", "len": "4"}},
        {"type": "A", "id": "2", "body": "01", "at": {"file": "f", "off": "4", "len": "4"}},
    ],
    "state": {"live": [{"id": "1"}, {"id": "2"}], "other": []},
    "dropped": [{"file": "f", "off": "8", "len": "2", "reason": "torn"}],
    "files": [{"file": "f", "len": "10", "role": "data", "header": {"id": "7"}}],
    "notes": [{"code": "odd", "text": "x"}, {"code": "even"}],
    "unanchored": [{"type": "A", "id": "9", "at": {"file": "f", "off": "20", "len": "4"}}],
}
EXPECTED = {**ANSWER, "notes": ["even"]}
REFUSAL = {
    "verdict": "refused",
    "phase": "record",
    "code": "torn",
    "message": "m",
    "at": {"file": "f", "off": "8"},
}


def changed(source: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return `source` with another value at a path; None takes the member out."""
    out = copy.deepcopy(source)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    inner: Any = out
    for step in steps:
        inner = inner[step]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return out


@pytest.mark.parametrize(
    ("level", "path", "value"),
    [
        ("verdict", "verdict", "clean"),
        ("records", "records.0.id", "9"),
        ("records", "records.0.id", 1),
        ("records", "records.1", None),
        ("records", "records", [ANSWER["records"][1], ANSWER["records"][0]]),
        ("records", "records.0.at.file", "g"),
        ("state", "state.live", [{"id": "2"}, {"id": "1"}]),
        ("state", "state.live.0.more", "1"),
        ("state", "state.other", None),
        ("layout", "records.0.at.off", "1"),
        ("layout", "dropped.0.reason", "bad"),
        ("layout", "dropped", []),
        ("layout", "files.0.header.id", "8"),
        ("layout", "files", []),
        ("layout", "notes.1", None),
        ("layout", "unanchored", []),
        ("layout", "unanchored.0.id", "8"),
    ],
)
def test_a_difference_counts_from_its_level_on(level: str, path: str, value: Any) -> None:
    observed = changed(ANSWER, path, value)
    for other in Level:
        differs = compare(EXPECTED, observed, Claims(other)) is not None
        assert differs is (other >= Level.parse(level)), other.name


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("records.0.more", "1"),
        ("state.more", []),
        ("files", [{"file": "g", "len": "1"}, *ANSWER["files"]]),
        ("files.0.header.more", "1"),
        ("notes", [{"code": "more"}, {"code": "even", "off": "3"}]),
        ("message", "said"),
    ],
)
def test_what_is_not_listed_may_be_anything(path: str, value: Any) -> None:
    assert compare(EXPECTED, changed(ANSWER, path, value), Claims()) is None


@pytest.mark.parametrize(
    ("level", "path", "value"),
    [("verdict", "phase", "header"), ("verdict", "code", "bad"), ("layout", "at.off", "9")],
)
def test_a_refusal_is_compared_by_phase_and_code_and_its_place_at_layout(
    level: str, path: str, value: str
) -> None:
    for other in Level:
        differs = compare(REFUSAL, changed(REFUSAL, path, value), Claims(other)) is not None
        assert differs is (other >= Level.parse(level))
    assert compare(REFUSAL, changed(REFUSAL, "message", "other"), Claims()) is None


@pytest.mark.parametrize(
    ("ids", "verdict", "fits"),
    [
        (["1"], "recovered", True),
        (["2", "1"], "recovered", True),
        (["2"], "recovered", False),
        (["1", "3"], "recovered", False),
        (["1", "4"], "recovered", False),
        (["1"], "clean", False),
    ],
)
def test_where_a_crash_leaves_it_open_records_are_sets(ids: list[str], verdict: str, fits: bool) -> None:
    sets = {
        name: [{"id": number}] for name, number in (("must_keep", "1"), ("may_keep", "2"), ("must_drop", "3"))
    }
    expected = {"verdict": "recovered", "allowed": {**sets, "refusal": "forbidden", "must_report": True}}
    observed = {"verdict": verdict, "records": [{"type": "A", "id": number} for number in ids]}
    assert (compare(expected, observed, Claims()) is None) is fits
    assert compare(expected, REFUSAL, Claims()) is not None
    expected["allowed"] = {**sets, "refusal": "required"}
    assert compare(expected, REFUSAL, Claims()) is None
    assert compare(expected, observed, Claims()) is not None


def test_what_is_declared_limits_what_is_compared() -> None:
    observed = changed(changed(ANSWER, "records.0.body", "ff"), "state.other", None)
    assert compare(EXPECTED, observed, Claims()) is not None
    claims = Claims(fields=frozenset({"id"}), state=frozenset({"live"}))
    assert compare(EXPECTED, observed, claims) is None
    assert compare(EXPECTED, changed(observed, "records.0.type", "B"), claims) is not None
    assert compare(EXPECTED, changed(ANSWER, "verdict", "clean"), Claims(silent=True)) is None


def test_the_page_names_every_level_and_every_member() -> None:
    assert all(f"| `{level.name.lower()}` |" in PAGE for level in Level)
    for member in ("must_keep", "may_keep", "must_drop", "must_report", "refusal", "fill", "kill_after"):
        assert f"`{member}`" in PAGE
