"""A name that the format does not define is refused in a declaration, and makes an answer fail."""

from __future__ import annotations

from typing import Any

import pytest

from journalspec.formats import format_ids
from journalspec_conformance.answers import FEATURES, NOT_READ, check_claims, stranger_in
from journalspec_conformance.connection import Hello
from journalspec_conformance.errors import Problem
from journalspec_corpus.load import load_cases
from tables import table

FORMAT = "bitronix_tlog"
TABLE = table("words")
GOOD: dict[str, Any] = {
    "editions": ["2.1"],
    "ops": ["read", "recover"],
    "observe": "records",
    "policies": ["strict"],
    "features": ["damage"],
    "fields": ["gtrid", "names"],
    "state": ["unfinished"],
}


def hello(format_id: str = FORMAT, /, **members: Any) -> Hello:
    claims = {**GOOD, **members}
    return Hello.from_json({"protocol": 1, "impl": {"name": "x"}, "formats": {format_id: claims}})


def test_names_of_the_format_may_be_declared() -> None:
    check_claims(hello())
    check_claims(hello(policies=["strict", "x-mine"], fields=["x-speed", "gtrid"]))
    check_claims(hello("x-home-made"))


@pytest.mark.parametrize("member", TABLE["declared"])
def test_typo_is_refused_with_a_suggestion(member: str) -> None:
    value, suggestion = TABLE["declared"][member]
    with pytest.raises(Problem) as caught:
        check_claims(hello(FORMAT, **{member: [*GOOD[member], value]}))
    said = str(caught.value)
    assert f"formats.{FORMAT}.{member}: unknown name {value!r}. Did you mean {suggestion!r}?" in said
    assert "Correct the declaration of the implementation." in said


def test_typo_in_the_name_of_a_member_or_format_is_refused_too() -> None:
    with pytest.raises(Problem, match=r"unknown name 'feilds'. Did you mean 'fields'"):
        check_claims(hello(feilds=["gtrid"]))
    with pytest.raises(Problem, match=r"formats: unknown name 'bitronix_tlogs'. Did you mean"):
        check_claims(hello("bitronix_tlogs"))


@pytest.mark.parametrize("features", [["silent"], ["damage", "silent"], [], ["pure"]])
def test_declarations_that_leave_nothing_to_compare_are_refused(features: list[str]) -> None:
    with pytest.raises(Problem, match="leaves nothing to compare"):
        check_claims(hello(observe="verdict", features=features))


ANSWER = {"verdict": "clean", "records": [{"type": "COMMITTING", "gtrid": "0a"}]}


@pytest.mark.parametrize("row", TABLE["answered"], ids=lambda row: row["kind"])
def test_unknown_name_in_an_answer_is_reported(row: dict[str, Any]) -> None:
    found = stranger_in({**ANSWER, **row["answer"]}, FORMAT)
    assert found is not None
    assert found[0] == row["kind"]
    assert row["text"] in found[1]


@pytest.mark.parametrize("format_id", format_ids())
def test_unreadable_bytes_may_be_dropped_in_every_format(format_id: str) -> None:
    dropped = [{"file": "f", "off": "0", "len": "1", "reason": reason} for reason in NOT_READ]
    assert stranger_in({"verdict": "recovered", "dropped": dropped}, format_id) is None


def test_implementation_may_use_its_own_x_names() -> None:
    own = {
        "records": [{"type": "x-audit", "x-speed": "1"}],
        "notes": [{"code": "x-slow"}],
        "state": {"x-t": 1},
    }
    assert stranger_in({**ANSWER, **own}, FORMAT) is None
    assert stranger_in({"verdict": "refused", "code": "exception:IOException"}, FORMAT) is None
    assert stranger_in({"verdict": "refused", "phase": None, "code": None}, FORMAT) is None


def test_all_features_that_cases_need_are_known() -> None:
    assert {need for case in load_cases() for need in case.needs} <= {*FEATURES, "read", "recover", "write"}
