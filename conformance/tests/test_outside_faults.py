"""Three faults that were seeded into an external reader: each format's smoke tier detects them.

One reader invents names, one lists records that are not part of the state, and one guesses the edition from
the bytes. Each is the reference with one change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import pytest
from mutants import ENOUGH
from mutation import killers

from journalspec.formats import format_ids
from journalspec.observation import CLEAN, Observation
from journalspec_corpus import Case, load_cases
from journalspec_reference import load

Change = Callable[..., Observation]
Files = Mapping[str, bytes]

#: Editions of jboss_journal with equal headers: the bytes cannot distinguish them, so the user must state the
#: edition. Two neighbouring editions in this list read some files without a fault, but with different
#: results.
ALIKE = (("seed", "s2", "s1"), ("v1", "v2", "v2e"), ("v1", "v2e"))


class Faulty:
    """The reference with a change.

    `change` takes the reference, the operation, the files and the options, and returns the answer.
    """

    def __init__(self, format_id: str, change: Change) -> None:
        self.right = load(format_id)
        self.change = change

    def __getattr__(self, name: str) -> Any:
        """Return the reference's attribute."""
        return getattr(self.right, name)

    def read(self, files: Files, **asked: Any) -> Observation:
        return self.change(self.right, "read", files, asked)

    def recover(self, files: Files, **asked: Any) -> Observation:
        return self.change(self.right, "recover", files, asked)


def answer(right: Any, op: str, files: Files, asked: dict[str, Any]) -> Observation:
    seen: Observation = getattr(right, op)(files, **asked)
    return seen


def lists_everything(right: Any, op: str, files: Files, asked: dict[str, Any]) -> Observation:
    """Recovery lists all records that a reading lists."""
    seen = answer(right, op, files, asked)
    if op == "read" or seen.phase is not None:
        return seen
    asked = {name: value for name, value in asked.items() if name != "policy"}
    return replace(seen, records=right.read(files, **asked).records)


def made_up(item: Mapping[str, Any]) -> dict[str, Any]:
    """Replace all names in `fields` by x; everything else is right."""
    names = item.get("names")
    return {**item, "names": ["x"] * len(names)} if isinstance(names, list) else {**item}


def invents_names(right: Any, op: str, files: Files, asked: dict[str, Any]) -> Observation:
    seen = answer(right, op, files, asked)
    records = (replace(record, fields=made_up(record.fields)) for record in seen.records)
    return replace(seen, records=tuple(records))


def invents_names_in_state(right: Any, op: str, files: Files, asked: dict[str, Any]) -> Observation:
    seen = answer(right, op, files, asked)
    if seen.state is None:
        return seen
    left: Any = seen.state["unfinished"]
    return replace(seen, state={**seen.state, "unfinished": [made_up(item) for item in left]})


def first_clean(*editions: str) -> Change:
    """Use the first of `editions` that reads the files without a fault, or the first one if none does."""

    def change(right: Any, op: str, files: Files, asked: dict[str, Any]) -> Observation:
        seen = [answer(right, op, files, {**asked, "edition": edition}) for edition in editions]
        return next((each for each in seen if each.verdict == CLEAN), seen[0])

    return change


def cases_of(format_id: str, *editions: str) -> list[Case]:
    return [case for case in load_cases(format_id) if not editions or case.edition in editions]


@pytest.mark.parametrize("format_id", format_ids())
def test_recovery_that_lists_deleted_records_is_detected(format_id: str) -> None:
    if not any(map(lists_less, cases_of(format_id))):
        pytest.skip("in this format, recovery lists every record that a reading lists")
    assert len(killers(Faulty(format_id, lists_everything), cases_of(format_id), ENOUGH)) >= ENOUGH


def lists_less(case: Case) -> bool:
    """Return whether a case expects a recovery to list fewer records than a reading."""
    told = {entry["when"]["op"]: len(entry["records"]) for entry in case.expect if "records" in entry}
    return told.get("recover", 0) < told.get("read", 0) and "recover" in told


@pytest.mark.parametrize("edition", ["s1", "s2", "v1", "v2", "v2e", "seed"])
def test_recovery_that_lists_deleted_records_is_detected_in_every_edition(edition: str) -> None:
    assert killers(Faulty("jboss_journal", lists_everything), cases_of("jboss_journal", edition), 1)


@pytest.mark.parametrize("change", [invents_names, invents_names_in_state])
@pytest.mark.parametrize("edition", ["seed", "2.1", "3.0", "nio"])
def test_invented_names_are_detected(change: Change, edition: str) -> None:
    assert killers(Faulty("bitronix_tlog", change), cases_of("bitronix_tlog", edition), 1)


@pytest.mark.parametrize(("taken", "asked"), [pair for chain in ALIKE for pair in permutations(chain, 2)])
def test_answer_for_another_edition_is_detected(taken: str, asked: str) -> None:
    found = killers(Faulty("jboss_journal", first_clean(taken)), cases_of("jboss_journal", asked), ENOUGH)
    assert len(found) >= ENOUGH


@pytest.mark.parametrize(
    ("taken", "asked"), [pair for chain in ALIKE for near in pairwise(chain) for pair in (near, near[::-1])]
)
def test_guessing_the_edition_by_its_verdict_is_detected(taken: str, asked: str) -> None:
    # Only the second edition can be mistaken for the first. A case must detect the mistake in questions about
    # the second edition.
    assert killers(Faulty("jboss_journal", first_clean(taken, asked)), cases_of("jboss_journal", asked), 1)
