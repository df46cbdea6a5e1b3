"""What the questions ask is counted from the cases."""

from __future__ import annotations

from dataclasses import replace

from journalspec.formats import format_ids
from journalspec_corpus import asked
from journalspec_corpus.load import load_cases


def test_every_question_is_counted_once_at_its_highest_level() -> None:
    for format_id in format_ids():
        cases = load_cases(format_id)
        assert asked.per_level(cases).total() == sum(len(case.probes) for case in cases)
    case = next(case for case in load_cases("bitronix_tlog") if len(case.probes) == 1)
    when = {"op": "recover", "policy": "strict"}
    for member, level in {
        "verdict": "verdict",
        "records": "records",
        "allowed": "records",
        "state": "state",
        "noted": "layout",
        "contents": "contents",
    }.items():
        entry = {"when": when, "verdict": "clean", "records": [], member: {}}
        wanted = {level if level != "verdict" else "records": 1}
        assert asked.per_level([replace(case, expect=(entry,))]) == wanted
    permitted = {"when": when, "allowed": {"states": [{}]}}
    assert asked.per_level([replace(case, expect=(permitted,))]) == {"state": 1}
    other = replace(case, expect=({"when": {"op": "write"}, "records": []},))
    assert asked.per_level([other]) == {"write": 1}


def test_columns_are_those_that_expectations_list() -> None:
    case = load_cases("bitronix_tlog")[0]
    when = {"op": "recover", "policy": "strict"}
    rows = [{"status": "ACTIVE"}, {"id": "1"}]
    entry = {"when": when, "contents": {"OWN.TABLE": [{"A": "1"}], "transactions": rows, "remarks": []}}
    changed = replace(case, expect=(entry,))
    assert asked.columns_in_use([changed]) == {"transactions": ["id", "status"], "OWN.TABLE": []}
    lines = list(asked.in_words([changed]))
    assert lines[-2:] == ["- `transactions`: `id, status`", "- tables of the user: `OWN.TABLE`"]
    assert list(asked.in_words([]))[-1] == "| Questions | 0 | 0 | 0 | 0 | 0 | 0 |"
