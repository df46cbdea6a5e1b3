"""The runner detects every difference: an answer passes only if every listed value is equal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from journalspec.formats import format_ids
from journalspec.observation import Level
from journalspec_conformance.answers import check_observation
from journalspec_conformance.compare import Claims, compare
from journalspec_conformance.errors import Misbehaved
from journalspec_conformance.selection import cases_of
from journalspec_corpus import Probe
from judged import right_answer

#: The test checks each n-th probe of the smoke tier.
STRIDE = 23


@cache
def probes() -> dict[str, list[Probe]]:
    """Return a map from format to probes. A separate test for each probe would cost more than the judging."""
    every = [probe for case in cases_of("smoke") for probe in case.probes if probe.op != "write"]
    found: dict[str, list[Probe]] = {}
    for probe in every[::STRIDE]:
        if len(probe.expect) == 1:
            found.setdefault(probe.case.format, []).append(probe)
    return found


def changed(value: Any) -> Any:
    """Return another value of the same shape."""
    if isinstance(value, str):
        return value + "1"
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, list):
        return value[:-1] if value else ["1"]
    return {**value, next(iter(value), "new"): "changed"}


def wrong_values(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield pairs: a place in `value`, and a value that differs from `value` only there.

    Members of objects in lists are places, too.
    """
    if isinstance(value, dict):
        for name, inner in value.items():
            for at, wrong in wrong_values(inner, f"{where}.{name}"):
                yield at, {**value, name: wrong}
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield where, value[:-1]
        for index, entry in enumerate(value):
            for name in entry:
                wrong = {**entry, name: changed(entry[name])}
                yield f"{where}[{index}].{name}", [*value[:index], wrong, *value[index + 1 :]]
    else:
        yield where, changed(value)


def wrong_answers(answer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield pairs: a place that an expectation lists, and an answer that differs from `answer` only there."""
    for key, value in answer.items():
        # Files and messages are excluded, because expectations list only some of their members. An empty list
        # of notes is excluded, too: it requires nothing.
        if key not in ("files", "message") and not (key == "notes" and not value):
            for where, wrong in wrong_values(value, key):
                yield where, {**answer, key: wrong}


@pytest.mark.parametrize("format_id", format_ids())
def test_change_of_any_listed_member_is_detected(format_id: str) -> None:
    for probe in probes()[format_id]:
        (entry,) = probe.expect
        answer = right_answer(entry)
        claims = Claims(level=Level.CONTENTS if "contents" in entry else Level.LAYOUT)
        assert compare(entry, answer, claims) is None, probe.id
        for where, wrong in wrong_answers(answer):
            try:
                check_observation(wrong)
            except Misbehaved:
                continue
            assert compare(entry, wrong, claims) is not None, (probe.id, where)
        for code in entry.get("unnoted", ()):
            noted = {**answer, "notes": [*answer["notes"], {"code": code}]}
            assert compare(entry, noted, claims) is not None, (probe.id, code)


JUNK: list[Any] = [
    *("x", "7", "", 7, 1.5, None, True),
    *([], {}, ["x"], [["x"]], {"x": "y"}, [{}], [None], [{"at": "x"}], [{"file": []}]),
    *({"x": ["y"]}, {"x": [{}]}, {"x": None}),
]


@pytest.mark.parametrize(
    "member", ["verdict", "phase", "records", "dropped", "state", "contents", "files", "notes", "at"]
)
def test_no_answer_causes_an_internal_error(member: str) -> None:
    at = {"file": "f", "off": "0", "len": "1"}
    entry = {
        "verdict": "clean",
        "records": [{"type": "A", "id": "1", "at": at}],
        "dropped": [{**at, "reason": "r"}],
        "state": {"live": ["1"]},
        "contents": {"x": [{"id": "1"}]},
        "notes": ["odd"],
        "files": [{"file": "f", "len": "2", "header": {"x": "1"}}],
    }
    refusal = {"verdict": "refused", "phase": "header", "code": "x", "at": at}
    sets = {"must_keep": entry["records"], "may_keep": [], "must_drop": [], "refusal": "allowed"}
    allowed = {"allowed": sets}
    claims = Claims(level=Level.CONTENTS)
    for wanted, base in ((entry, entry), (refusal, refusal), (allowed, entry)):
        for junk in JUNK:
            observed = {**right_answer(base), member: junk}
            try:
                check_observation(observed)
            except Misbehaved:
                continue
            compare(wanted, observed, claims)
            records = observed.get("records") or [{}]
            for name in ("type", "at", "id"):
                other = {**observed, "records": [{**records[0], name: junk}]}
                if name != "at" or isinstance(junk, dict):
                    compare(wanted, other, claims)
