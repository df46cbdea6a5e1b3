"""How answers are compared: the level of each member, sets, refusals, and declarations.

The page on cases explains the rules; `CASES.md` lists every level and member that is tested here.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from journalspec.observation import Level
from journalspec_conformance.compare import Claims, closest, compare
from tables import table
from work import LINEAR, Task, growth

TABLE = table("compare")


def named(value: Any) -> Any:
    """Return a value of the table, with names in its lists replaced by these records and regions."""
    if isinstance(value, list):
        return [TABLE["names"].get(item, item) if isinstance(item, str) else named(item) for item in value]
    return {key: named(item) for key, item in value.items()} if isinstance(value, dict) else value


def grouped(name: str) -> list[tuple[dict[str, Any], str, str]]:
    """Return changes of an answer, each with its difference and the lowest level at which it is reported."""
    return [
        (named({**change, **dict.fromkeys(change.get("null", ()))}), expected, level)
        for level, found in TABLE[name].items()
        for expected, changes in found.items()
        for change in changes
    ]


def by_print(name: str) -> list[tuple[Any, str]]:
    return [(named(value), expected) for expected, values in TABLE[name].items() for value in values]


A, B, C = (TABLE["names"][name] for name in "ABC")
GOOD: dict[str, Any] = named(TABLE["good"])
REFUSED: dict[str, Any] = TABLE["refused"]
WANT = {**GOOD, "notes": ["odd"], "unnoted": ["never"]}


def fingerprint(
    expected: dict[str, Any], observed: dict[str, Any], level: str = "layout", **claims: Any
) -> str:
    found = compare(expected, observed, Claims(Level.parse(level), **claims))
    return "" if found is None else found.fingerprint


def rules() -> list[Any]:
    """Return the rows of all rules; the id of each row is the name of its rule."""
    return [pytest.param(row, id=name) for name, rows in TABLE["rules"].items() for row in rows]


@pytest.mark.parametrize("row", rules())
def test_answer_has_the_difference_that_the_rule_requires(row: list[Any]) -> None:
    expected, want, seen, *claimed = row
    whole = {"good": WANT, "refused": REFUSED}
    wanted = whole[want] if isinstance(want, str) else named(want)
    if isinstance(seen, str):
        answer = {"good": GOOD, "refused": REFUSED}[seen]
    else:
        answer = {**GOOD, **named(seen["good"])} if "good" in seen else named(seen)
    declared = dict[str, Any](*claimed).items()
    claims: Any = {key: frozenset(value) if isinstance(value, list) else value for key, value in declared}
    assert fingerprint(wanted, answer, **claims) == expected


def test_expected_answer_has_no_difference() -> None:
    assert fingerprint(WANT, GOOD) == ""
    assert fingerprint(REFUSED, REFUSED) == ""


@pytest.mark.parametrize("name", ["difference", "refusal"])
def test_first_difference_is_reported_with_its_lowest_level(name: str) -> None:
    want, good = (WANT, GOOD) if name == "difference" else (REFUSED, REFUSED)
    for change, expected, level in grouped(name):
        for each in Level:
            wanted = expected if each >= Level.parse(level) else ""
            assert fingerprint(want, {**good, **change}, each.name) == wanted, change


@pytest.mark.parametrize("change", named(TABLE["unlisted"]["changes"]))
def test_unlisted_members_may_have_any_value(change: dict[str, Any]) -> None:
    assert fingerprint(WANT, {**GOOD, **change}) == ""


@pytest.mark.parametrize("member", [{}, {"text": None}])
def test_expected_null_matches_null_and_an_absent_member(member: dict[str, Any]) -> None:
    want = {"verdict": "clean", "records": [{"type": "ADD", "text": None}]}
    good = {"verdict": "clean", "records": [{"type": "ADD", **member}]}
    assert fingerprint(want, good) == ""
    assert fingerprint(want, {**good, "records": [{"type": "ADD", "text": ""}]}) == "records:changed"


def test_difference_reports_its_place() -> None:
    found = compare(WANT, {**GOOD, "records": [A, B, {**C, "id": "3"}]}, Claims())
    assert found is not None
    assert (found.where, found.expected, found.observed) == ("records[2].id", "1", "3")
    assert found.at == C["at"]


def sets(refusal: str = "allowed", **more: Any) -> dict[str, Any]:
    must, may, never = [{"id": "1", "type": "ADD"}], [{"id": "2"}], [{"type": "DEL"}]
    allowed = {"must_keep": must, "may_keep": may, "must_drop": never, "refusal": refusal, **more}
    return {"verdict": "recovered", "allowed": allowed}


@pytest.mark.parametrize(("records", "expected"), by_print("kept"))
def test_records_are_compared_with_the_permitted_sets(records: list[Any], expected: str) -> None:
    assert fingerprint(sets(), {**GOOD, "records": records}) == expected


def test_record_of_an_uncounted_type_belongs_to_no_set() -> None:
    seen = {**GOOD, "records": [A, {"type": "SUM", "id": "9"}]}
    assert fingerprint(sets(), seen) == "records:extra"
    assert fingerprint(sets(uncounted=["SUM"]), seen) == ""
    assert fingerprint(sets(uncounted=["SUM"]), {**GOOD, "records": seen["records"][1:]}) == "records:missing"


@pytest.mark.parametrize(("state", "expected"), [*by_print("states"), (None, "state:not-permitted")])
def test_only_a_permitted_state_is_accepted(state: Any, expected: str) -> None:
    want = sets(states=[*TABLE["permitted"].values()])
    seen = {**GOOD, "records": [A], "state": state}
    assert fingerprint(want, seen) == expected
    assert fingerprint(want, REFUSED) == ""
    assert fingerprint(sets(), seen) == ""


@pytest.mark.parametrize(("seen", "expected"), by_print("outside"))
def test_records_outside_the_log_must_be_exactly_those_expected(seen: list[Any], expected: str) -> None:
    want = {"verdict": "clean", "unanchored": [A, B]}
    assert fingerprint(want, {"verdict": "clean", "unanchored": seen}) == expected


@pytest.mark.parametrize(
    ("refusal", "refused", "accepted"),
    [("allowed", "", ""), ("forbidden", "refused:header/short", ""), ("required", "", "verdict")],
)
def test_refusal_is_accepted_only_if_permitted(refusal: str, refused: str, accepted: str) -> None:
    assert fingerprint(sets(refusal), REFUSED) == refused
    assert fingerprint(sets(refusal), {**GOOD, "records": [A]}) == accepted


def test_closest_of_several_alternatives_is_reported() -> None:
    other = {**WANT, "records": [A, B]}
    assert closest([WANT, other], {**GOOD, "records": [A, B]}, Claims()) == (1, None)
    index, found = closest([REFUSED, WANT], {**GOOD, "notes": []}, Claims())
    assert (index, found and found.fingerprint) == (1, "notes")
    # Of alternatives that are equally close, the first one is reported.
    index, found = closest(
        [{**WANT, "records": [A, B]}, {**WANT, "records": [A, C]}], GOOD | {"records": [A]}, Claims()
    )
    assert (index, found and found.expected) == (0, B)


class Id(str):
    """A text whose comparisons are counted."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_comparing_many_records_in_another_order_takes_linear_time() -> None:
    def compared(count: int) -> Task:
        many = [{"type": "ADD", "id": Id(number)} for number in range(count)]
        allowed = {"allowed": {"must_keep": many, "may_keep": [], "must_drop": [], "refusal": "forbidden"}}
        answers = ({"verdict": "clean", "records": many}, allowed)
        seen = {"verdict": "clean", "records": many[::-1]}
        return lambda: [fingerprint(answer, seen) for answer in answers]

    assert compared(200)() == ["records:order", ""]
    assert growth(compared, 200) < LINEAR


def test_page_on_cases_lists_every_level_and_member() -> None:
    page = files("journalspec_corpus").joinpath("CASES.md").read_text(encoding="utf-8")
    assert all(f"| `{level.name.lower()}` |" in page for level in Level)
    members = ("must_keep", "may_keep", "must_drop", "must_report", "refusal", "states", "fill", "kill_after")
    assert [member for member in members if f"`{member}`" not in page] == []
