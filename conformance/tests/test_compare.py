"""How answers are compared: what counts from which level on, sets, refusals, and what is declared.

The page on cases tells it in words; `CASES.md` names every level and member that is tried here.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest

from journalspec.observation import Level
from journalspec_conformance.compare import Claims, closest, compare
from tables import table
from work import LINEAR, Task, growth

TABLE = table("compare")


def named(value: Any) -> Any:
    """Return a value of the table with the records and regions whose names are in its lists."""
    if isinstance(value, list):
        return [TABLE["names"].get(item, item) if isinstance(item, str) else named(item) for item in value]
    return {key: named(item) for key, item in value.items()} if isinstance(value, dict) else value


def grouped(name: str) -> list[tuple[dict[str, Any], str, str]]:
    """Return what changes an answer, the difference that it makes, and the level that counts it."""
    return [
        (named({**change, **dict.fromkeys(change.get("null", ()))}), expected, level)
        for level, found in TABLE[name].items()
        for expected, changes in found.items()
        for change in changes
    ]


def by_print(name: str) -> list[tuple[Any, str]]:
    return [(named(value), expected) for expected, values in TABLE[name].items() for value in values]


A, B, C, HOLE = (TABLE["names"][name] for name in ("A", "B", "C", "HOLE"))
GOOD: dict[str, Any] = named(TABLE["good"])
REFUSED: dict[str, Any] = TABLE["refused"]


def fingerprint(
    expected: dict[str, Any], observed: dict[str, Any], level: str = "layout", **claims: Any
) -> str:
    found = compare(expected, observed, Claims(Level.parse(level), **claims))
    return "" if found is None else found.fingerprint


WANT = {**GOOD, "notes": ["odd"], "unnoted": ["never"]}


def test_equal() -> None:
    assert fingerprint(WANT, GOOD) == ""
    assert fingerprint(REFUSED, REFUSED) == ""


@pytest.mark.parametrize(("change", "expected", "level"), grouped("difference"))
def test_first_difference_and_the_level_from_which_on_it_counts(
    change: dict[str, Any], expected: str, level: str
) -> None:
    observed = {**GOOD, **change}
    assert fingerprint(WANT, observed) == expected
    for lower in Level:
        wanted = expected if lower >= Level.parse(level) else ""
        assert fingerprint(WANT, observed, lower.name) == wanted


@pytest.mark.parametrize(("change", "expected", "level"), grouped("refusal"))
def test_refused_otherwise(change: dict[str, Any], expected: str, level: str) -> None:
    for each in Level:
        wanted = expected if each >= Level.parse(level) else ""
        assert fingerprint(REFUSED, {**REFUSED, **change}, each.name) == wanted


def test_accepting_what_must_be_refused() -> None:
    assert fingerprint(REFUSED, GOOD) == "verdict"


def test_no_more_notes_than_are_listed_and_no_field_that_is_listed_as_null() -> None:
    want = {"verdict": "recovered", "notes": ["odd"], "unnoted": ["odd"]}
    assert fingerprint(want, {**GOOD, "notes": [{"code": "odd"}, {"code": "more"}]}) == ""
    assert fingerprint(want, {**GOOD, "notes": [{"code": "odd"}] * 2}) == "notes"
    lacking: dict[str, Any] = {"verdict": "recovered", "records": [{**A, "more": None}, B, C]}
    assert fingerprint(lacking, GOOD) == ""
    assert fingerprint(lacking, {**GOOD, "records": [{**A, "more": "1"}, B, C]}) == "records:changed"


def test_a_note_that_is_expected_with_its_place_is_there_with_it() -> None:
    note = {"code": "odd", "file": "f", "off": "7", "text": "2"}
    place = {"code": "odd", "file": "f", "off": "7"}
    want = {"verdict": "recovered", "noted": [place]}
    assert fingerprint(want, {**GOOD, "notes": [{"code": "more"}, note]}) == ""
    for other in ({**note, "off": "8"}, {**note, "file": "g"}, {"code": "odd"}):
        assert fingerprint(want, {**GOOD, "notes": [other]}) == "notes"
    twice = {**want, "noted": [place, place]}
    assert fingerprint(twice, {**GOOD, "notes": [note]}) == "notes"
    assert fingerprint(twice, {**GOOD, "notes": [note, note]}) == ""
    beside = Claims(level=Level.LAYOUT, missing=False, beside=frozenset(["odd"]))
    assert compare(want, {**GOOD, "notes": []}, beside) is None


def test_only_listed_members_and_fields_are_compared() -> None:
    assert fingerprint({"verdict": "recovered"}, GOOD) == ""
    assert fingerprint({"verdict": "recovered", "records": [{"type": "ADD"}, {"id": "2"}, {}]}, GOOD) == ""
    assert fingerprint({"verdict": "recovered", "state": {"last": "9"}}, GOOD) == ""


@pytest.mark.parametrize("change", named(TABLE["unlisted"]["changes"]))
def test_unlisted_members_may_have_any_value(change: dict[str, Any]) -> None:
    assert fingerprint(WANT, {**GOOD, **change}) == ""


def test_undeclared_state_keys_and_fields_are_omitted() -> None:
    observed = {**GOOD, "state": {"last": "9"}, "records": [{"type": r["type"]} for r in (A, B, C)]}
    assert fingerprint(WANT, observed, "state", state=frozenset({"last"}), fields=frozenset()) == ""
    assert (
        fingerprint(WANT, {**observed, "state": {}}, "state", state=frozenset({"last"}), fields=frozenset())
        == "state:last"
    )
    wrong_type = {**observed, "records": [{"type": "ADD"}] * 3}
    assert fingerprint(WANT, wrong_type, "records", fields=frozenset()) == "records:changed"


def test_difference_says_where() -> None:
    found = compare(WANT, {**GOOD, "records": [A, B, {**C, "id": "3"}]}, Claims())
    assert found is not None
    assert (found.where, found.expected, found.observed) == ("records[2].id", "1", "3")
    assert found.at == C["at"]


def sets(refusal: str = "allowed") -> dict[str, Any]:
    return {
        "verdict": "recovered",
        "allowed": {
            "must_keep": [{"id": "1", "type": "ADD"}],
            "may_keep": [{"id": "2"}],
            "must_drop": [{"type": "DEL"}],
            "refusal": refusal,
        },
    }


@pytest.mark.parametrize(("records", "expected"), by_print("kept"))
def test_permitted_sets(records: list[Any], expected: str) -> None:
    assert fingerprint(sets(), {**GOOD, "records": records}) == expected


def test_a_permitted_loss_must_be_reported() -> None:
    want, kept = sets("forbidden"), {"records": [A, B]}
    want["allowed"]["must_report"] = True
    assert fingerprint(want, {"verdict": "recovered", **kept}) == ""
    assert fingerprint(want, {"verdict": "clean", **kept}) == "verdict"
    assert fingerprint(want, {"verdict": "clean", **kept}, silent=True) == ""


def test_a_record_that_must_be_there_is_not_confused_with_one_that_may() -> None:
    want = sets()
    want["allowed"]["may_keep"] = [{"type": "ADD"}]
    assert fingerprint(want, {**GOOD, "records": [A]}) == ""


NO_HOLD, ONE, TWO = (TABLE["permitted"][name] for name in ("NO_HOLD", "ONE", "TWO"))


@pytest.mark.parametrize(("state", "expected"), [*by_print("states"), (None, "state:not-permitted")])
def test_permitted_states(state: Any, expected: str) -> None:
    want = sets()
    want["allowed"]["states"] = [NO_HOLD, ONE, TWO]
    seen = {**GOOD, "records": [A]}
    assert fingerprint(want, {**seen, "state": state}) == expected
    assert fingerprint(want, REFUSED) == ""
    assert fingerprint(sets(), {**seen, "state": state}) == ""


def test_of_permitted_states_only_what_an_implementation_vouches_for_is_compared() -> None:
    want = sets()
    want["allowed"]["states"] = [ONE]
    seen = {**GOOD, "records": [A], "state": {"live": ONE["live"]}}
    assert compare(want, seen, Claims()) is not None
    assert compare(want, seen, Claims(state=frozenset({"live"}))) is None


@pytest.mark.parametrize(("seen", "expected"), by_print("outside"))
def test_records_outside_the_log_are_all_that_are_listed(seen: list[Any], expected: str) -> None:
    want = {"verdict": "clean", "unanchored": [A, B]}
    assert fingerprint(want, {"verdict": "clean", "unanchored": seen}) == expected


@pytest.mark.parametrize(
    ("refusal", "refused", "accepted"),
    [("allowed", "", ""), ("forbidden", "refused:header/short", ""), ("required", "", "verdict")],
)
def test_permitted_refusal(refusal: str, refused: str, accepted: str) -> None:
    assert fingerprint(sets(refusal), REFUSED) == refused
    assert fingerprint(sets(refusal), {**GOOD, "records": [A]}) == accepted


def test_closest_of_several_alternatives() -> None:
    other = {**WANT, "records": [A, B]}
    assert closest([WANT, other], {**GOOD, "records": [A, B]}, Claims()) == (1, None)
    index, found = closest([REFUSED, WANT], {**GOOD, "notes": []}, Claims())
    assert index == 1
    assert found is not None
    assert found.fingerprint == "notes"


class Id(str):
    """One whose comparisons are counted."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_many_records_in_another_order_take_no_square_of_time() -> None:
    def compared(count: int) -> Task:
        many = [{"type": "ADD", "id": Id(number)} for number in range(count)]
        allowed = {"allowed": {"must_keep": many, "may_keep": [], "must_drop": [], "refusal": "forbidden"}}
        answers = ({"verdict": "clean", "records": many}, allowed)
        seen = {"verdict": "clean", "records": many[::-1]}
        return lambda: [fingerprint(answer, seen) for answer in answers]

    assert compared(200)() == ["records:order", ""]
    assert growth(compared, 200) < LINEAR


@pytest.mark.parametrize(("expected", "observed"), [("clean", "recovered"), ("recovered", "clean")])
def test_silent_implementation_has_one_verdict_for_clean_and_recovered(expected: str, observed: str) -> None:
    assert fingerprint({"verdict": expected}, {"verdict": observed}) == "verdict"
    assert fingerprint({"verdict": expected}, {"verdict": observed}, silent=True) == ""
    with_record = {"verdict": expected, "records": [{"type": "ADD"}]}
    assert fingerprint(with_record, {"verdict": observed, "records": []}, silent=True) == "records:missing"


def test_a_refusal_is_another_verdict_even_so() -> None:
    assert fingerprint({"verdict": "refused"}, {"verdict": "clean"}, silent=True) == "verdict"
    assert fingerprint({"verdict": "clean"}, REFUSED, silent=True) == "refused:header/short"


GONE = [{"code": "missing-file", "name": "f-2", "count": "3"}]
#: If something is missing and nothing else is wrong.
LACKING: dict[str, Any] = {"verdict": "recovered", "records": [], "missing": GONE}


def test_missing_items_are_compared_member_by_member_if_declared() -> None:
    told = {**LACKING, "missing": [{**GONE[0], "file": "index", "text": "in words"}]}
    assert fingerprint(LACKING, told) == ""
    assert fingerprint(LACKING, {**told, "missing": [{**GONE[0], "count": "2"}]}) == "missing"
    assert fingerprint(LACKING, {**told, "missing": GONE * 2}) == "missing"
    assert fingerprint(LACKING, {"verdict": "recovered", "records": []}) == "missing"
    assert fingerprint(LACKING, {"verdict": "clean", "records": []}) == "verdict"
    assert fingerprint({"verdict": "clean", "records": [], "missing": []}, LACKING) == "verdict"


def test_without_the_feature_missing_clean_equals_recovered() -> None:
    for verdict in ("clean", "recovered"):
        assert fingerprint(LACKING, {"verdict": verdict, "records": []}, missing=False) == ""
    assert fingerprint(LACKING, REFUSED, missing=False) == "refused:header/short"
    # If bytes are dropped as well, or nothing is missing, clean stays wrong.
    dropped = {**LACKING, "dropped": [HOLE]}
    assert fingerprint(dropped, {"verdict": "clean", "records": []}, missing=False) == "verdict"
    nothing = {"verdict": "recovered", "records": []}
    assert fingerprint(nothing, {"verdict": "clean", "records": []}, missing=False) == "verdict"
    assert fingerprint({"verdict": "refused"}, LACKING, missing=False) == "verdict"


def test_a_wrong_field_is_never_called_another_order() -> None:
    # The first record lists fewer fields than the others: those of each count.
    want = {"verdict": "clean", "records": [{"type": "ADD"}, {"type": "ADD", "id": "2"}, {"type": "DEL"}]}
    for ident, expected in (("7", "records:changed"), ("2", "records:order")):
        records = [{"type": "DEL"}, {"type": "ADD", "id": ident}, {"type": "ADD", "id": "8"}]
        assert fingerprint(want, {"verdict": "clean", "records": records}) == expected


def test_the_page_names_every_level_and_every_member() -> None:
    page = files("journalspec_corpus").joinpath("CASES.md").read_text(encoding="utf-8")
    assert all(f"| `{level.name.lower()}` |" in page for level in Level)
    for member in (
        "must_keep",
        "may_keep",
        "must_drop",
        "must_report",
        "refusal",
        "states",
        "fill",
        "kill_after",
    ):
        assert f"`{member}`" in page


def test_notes_about_what_lies_beside_a_journal_are_asked_of_those_who_look_there() -> None:
    """A reader without the feature `missing` may pass over an index, and then cannot write what it proves."""
    want = {"verdict": "recovered", "notes": ["index-hides", "torn-tail"]}
    seen = {"verdict": "clean", "notes": [{"code": "torn-tail"}]}
    looks = Claims(beside=frozenset({"index-hides"}))
    assert compare(want, seen, replace(looks, missing=False)) is None
    found = compare(want, seen, looks)
    assert found is not None
    assert found.fingerprint == "verdict"
    said = compare(want, {**seen, "verdict": "recovered"}, looks)
    assert said is not None
    assert (said.fingerprint, said.expected) == ("notes", "index-hides")
    other = compare(want, {"verdict": "clean", "notes": []}, replace(looks, missing=False))
    assert other is not None
    assert (other.fingerprint, other.expected) == ("notes", "torn-tail")


def test_contents_are_compared_by_the_tables_and_columns_that_are_expected() -> None:
    want = {"verdict": "clean", "contents": {"messages": [{"queue": "a"}, {"queue": "b"}]}}
    rows = [{"queue": "a", "text": "x"}, {"queue": "b", "text": None}]
    claims = Claims(Level.CONTENTS)
    seen = {"verdict": "clean", "contents": {"messages": rows, "jobs": []}}
    assert compare(want, seen, claims) is None
    other = compare(want, {**seen, "contents": {"messages": rows[::-1]}}, claims)
    assert other is not None
    assert other.fingerprint == "contents:messages"
    for fewer in ({"messages": rows[:1]}, {"messages": [*rows, rows[0]]}, {}):
        found = compare(want, {**seen, "contents": fewer}, claims)
        assert found is not None
        assert found.fingerprint == "contents:messages:number"
    assert compare(want, {"verdict": "clean"}, Claims(Level.STATE)) is None


def test_exact_codes_are_told_only_where_they_are_listed() -> None:
    claims = Claims(exact=frozenset({"odd", "missing-file"}))
    told = {**GOOD, "notes": [{"code": "odd"}, {"code": "other"}]}
    assert compare({"verdict": "recovered"}, told, Claims()) is None
    assert compare({"verdict": "recovered", "notes": ["odd"]}, told, claims) is None
    found = compare({"verdict": "recovered"}, told, claims)
    assert found is not None
    assert found.fingerprint == "notes"
    found = compare({"verdict": "recovered"}, LACKING, claims)
    assert found is not None
    assert found.fingerprint == "missing"
