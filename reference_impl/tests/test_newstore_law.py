"""The rules for new stores, tested on cases, random journals and crash states of formats that consist only of
files.

The new store has exactly the items that contents report as live, and is `clean` under `strict`. Databases of
Derby, and brokers' directories next to journals of the JBoss family, have their own tests.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from newstore_trials import damage

from journalspec.formats import get_format
from journalspec.observation import CLEAN
from journalspec_reference.answers import SALVAGE
from journalspec_reference.filesets import Journal, find_journals, load
from journalspec_reference.newstore import CannotRebuild
from new_stores import cases, crashed, drawn, held
from tables import literals

ROWS = literals(__file__)

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured"
#: The least number of journals of each category: an edition, a verdict, a table with rows in the new store,
#: ``empty`` (no such table), or ``nothing`` (no new store can be made).
LEAST = dict(ROWS["LEAST"])
#: Codes of items that a new store reports even without choices: omitted items, or unverified ones.
REPORTED = {
    "bitronix_tlog": {"decision", "may-be-lost", *get_format("bitronix_tlog").vocabulary.reasons},
    "swiftmq_store": {"no-topic"},
    "jboss_journal": {"no-reference", "undecodable"},
    "kahadb_journal": {
        "lost", "not-in-index", "incomplete-transaction", "unverified", "audit", "withheld",
        "salvageable", "out-of-order",
    },
}  # fmt: skip
POLICIES = [("kahadb_journal", "default"), ("kahadb_journal", "unchecked")]
POLICIES += [("swiftmq_store", "default"), ("swiftmq_store", "strict")]


def counted(journal: Journal, policy: str = SALVAGE) -> set[str]:
    """Check the new store of a journal; return the categories of the journal, as in `LEAST`."""
    try:
        found = held(journal, policy)
    except CannotRebuild:
        found = None
    if found is None:
        return {"nothing"}
    store, answer, again = found
    items = {item.code for item in chain(store.left_out(), store.unverified())}
    assert items <= REPORTED[journal.format]
    codes = [{note.code for note in each.observation.notes} for each in (again, answer)]
    # The new store contains no damaged message. A key of a branch that belongs to a damaged message refers to
    # nothing there.
    without = {"branch-key"} if {"bad-message", "held"} <= codes[1] else set()
    assert codes[0] - codes[1] <= {"unchecked", "empty-file"} | without
    tables = {count.table for count in store.carried() if count.rows} or {"empty"}
    return tables | {answer.observation.verdict, journal.edition}


@pytest.mark.parametrize("format_id", LEAST)
def test_new_stores_have_exactly_the_live_records(format_id: str) -> None:
    kinds: Counter[str] = Counter()
    for journal in chain(cases(format_id), drawn(format_id), crashed(format_id)):
        kinds.update(counted(journal))
    few = {name: kinds[name] for name, least in LEAST[format_id].items() if kinds[name] < least}
    assert not few
    assert kinds[CLEAN] > 400
    assert kinds["recovered"] > 700


@pytest.mark.parametrize(("format_id", "policy"), POLICIES)
def test_other_policies_return_the_records_that_they_keep(format_id: str, policy: str) -> None:
    kinds = Counter(kind for journal in cases(format_id) for kind in counted(journal, policy))
    assert kinds["messages"] > 300


@pytest.mark.parametrize(
    ("format_id", "clean", "recovered"),
    [("bitronix_tlog", 100, 100), ("kahadb_journal", 100, 50)],
)
def test_new_stores_of_captured_journals_have_exactly_the_live_records(
    format_id: str, clean: int, recovered: int
) -> None:
    """Each journal is tested unchanged, with one damaged place, and with two."""
    random, kinds = Random(47), Counter[str]()
    for place in sorted(path.parent for path in CAPTURED.glob(f"{format_id}/*/*/expected.json")):
        for journal in find_journals(load(place), format_id):
            files: Any = {name: bytes(data) for name, data in journal.seen.items()}
            for _ in range(3):
                here = Journal(format_id, journal.edition, files, params=journal.params)
                kinds.update(counted(here))
                _, files = damage(format_id, files, random)
    assert kinds[CLEAN] > clean
    assert kinds["recovered"] > recovered
