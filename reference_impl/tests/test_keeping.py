"""The reasons why files are needed: the state changes if a needed file is removed, and stays the same if a
free one is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from journalspec.jboss_journal import LAYOUT
from journalspec.observation import CLEAN, Observation, jsonable
from journalspec_corpus.case import Case
from journalspec_corpus.draws import drawn_cases
from journalspec_reference import load
from journalspec_reference.keeping import held_for_others, keeping

#: A holder is an item because of which a file is needed. If a file with a holder of these kinds is missing,
#: recovery has another result.
TELLING = {
    "jboss_journal": {"records", "deletes", "prepared"},
    # One of two acknowledgements of a message is enough, although the product keeps the files of both.
    "kahadb_journal": {"messages", "prepared", "subscription"},
}
#: Members of the state that these holders may change.
STATE = {"jboss_journal": ("live", "prepared"), "kahadb_journal": ("destinations", "in_doubt")}


def recovered(case: Case, files: Mapping[str, Any]) -> Observation:
    return load(case.format).recover(files, edition=case.edition, policy="salvage", params=case.params)


def state(case: Case, files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the live and the prepared items in a drawn journal."""
    seen = recovered(case, files).state or {}
    found: dict[str, Any] = {name: jsonable(seen.get(name, [])) for name in STATE[case.format]}
    # No file is needed for the name of a destination without messages and subscriptions.
    return {
        name: [each for each in items if each.get("messages", 1) or each.get("subscriptions")]
        for name, items in found.items()
    }


@pytest.mark.parametrize("format_id", sorted(TELLING))
def test_removing_a_needed_file_changes_the_state_and_removing_a_free_one_does_not(format_id: str) -> None:
    free = telling = same = 0
    for case in drawn_cases(format_id, 3, range(600)):
        files = case.files()
        found = keeping(format_id, files, case.edition, case.params)
        assert found is not None
        if found.doubt or recovered(case, files).verdict != CLEAN:
            continue
        before = state(case, files)
        freed = {name for name in found.lengths if not found.of(name)}
        assert state(case, {name: data for name, data in files.items() if name not in freed}) == before, (
            case.id
        )
        free += len(freed)
        for name in found.lengths:
            if TELLING[format_id] & {holder.kind for holder in found.of(name)}:
                rest = {other: data for other, data in files.items() if other != name}
                telling += 1
                same += state(case, rest) == before
    assert free > 20
    # A random journal may contain the same message twice.
    assert same <= telling // 20
    assert telling > 60


def test_deletes_and_ends_in_the_current_file_have_no_effect_yet() -> None:
    """Artemis' reclaimer examines only files before the current file, because a start continues to fill the
    current file.
    """

    def file(number: int, *records: tuple[str, Mapping[str, int]]) -> bytes:
        header = LAYOUT.build("header", "v2", format_version=2, file_id=number)
        stamp = {"file_id": number}
        body = (LAYOUT.build("record", "v2", kind, **stamp, **fields) for kind, fields in records)
        return (header + b"".join(body)).ljust(1024, b"\0")

    files = {
        "a-1.amq": file(1, ("ADD", {"id": 1}), ("UPDATE", {"id": 1})),
        "a-2.amq": file(2, ("ADD_TX", {"tx": 9, "id": 2}), ("ADD", {"id": 3})),
        "a-3.amq": file(3, ("ADD_TX", {"tx": 8, "id": 4}), ("DELETE", {"id": 3})),
        "a-4.amq": file(4, ("DELETE", {"id": 1}), ("ROLLBACK", {"tx": 9})),
        "a-5.amq": file(5),
    }
    held = {
        "a-1.amq": ["late-deletes"],
        "a-2.amq": ["late-ends"],
        "a-3.amq": ["open", "deletes"],
        "a-4.amq": ["current", "deletes", "ends"],
        "a-5.amq": [],
    }
    assert kinds(files) == held
    # With this record, a-5.amq is the current file, and all files before it are examined. A start would end
    # the open transaction in a-3.amq.
    files["a-5.amq"] = file(5, ("ADD", {"id": 5}))
    counted = kinds(files)
    assert [name for name, held_by in counted.items() if not held_by] == ["a-1.amq", "a-2.amq", "a-4.amq"]
    assert (counted["a-3.amq"], counted["a-5.amq"]) == (["open"], ["current", "records"])


def kinds(files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Return, for each file of an Artemis journal, what prevents its deletion."""
    found = keeping("jboss_journal", files, "v2", {})
    assert found is not None
    assert not found.doubt
    return {name: [holder.kind for holder in found.of(name)] for name in found.lengths}


def test_chain_of_files_is_followed_to_its_end() -> None:
    needs = {"b": ["a"], "c": ["b"], "d": ["x"], "e": ["c", "d"]}
    assert held_for_others("abcde", {"a"}, needs) == {"b", "c", "e"}
    assert held_for_others("abcde", {"d"}, needs) == {"e"}
    assert held_for_others("abcde", {"e"}, needs) == set()
