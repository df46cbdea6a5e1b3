"""Crash states have the same results as before, and faults of recovery are detected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from goldens import EVERY, digest, lines_of, sample
from mutants import mutant_reader

from journalspec.formats import format_ids
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.pipeline.shards import JudgedStates

GOLDENS = Path(__file__).with_name("data") / "goldens.json"
#: Faults that any sample of states detects. The first is the fault in the checksum, or its equivalent.
PLAIN = {
    "bitronix_tlog": ("skip-checksum", "last-record-excluded", "older-file-wins", "strict-skips"),
    "jboss_journal": ("skip-check-size", "any-file-id", "scan-one-late", "hash-over-itself"),
    "kahadb_journal": ("checksum-unchecked", "at-once", "acknowledgements-forgotten", "strict-believes"),
    "derby_log": ("prepare-is-a-word", "inserted-is-deleted", "uncovered-is-damage", "short-data-length"),
    "swiftmq_store": ("half-a-record", "older-generations"),
}


@pytest.fixture(scope="module", params=format_ids())
def looked_at(request: pytest.FixtureRequest) -> tuple[str, dict[str, list[JudgedStates]]]:
    return request.param, dict(sample(request.param, EVERY[request.param]))


def test_states_verdicts_and_outcomes_are_unchanged(
    looked_at: tuple[str, dict[str, list[JudgedStates]]],
) -> None:
    """Compare ids, verdicts and permitted answers with a stored file that `tools/goldens.py` prints."""
    format_id, found = looked_at
    adapter = crash_format(format_id)
    now = {name: digest("\n".join(sorted(lines_of(adapter, rows)))) for name, rows in found.items()}
    assert now == json.loads(GOLDENS.read_text(encoding="utf-8"))[format_id]


def test_reference_without_its_checks_fails(looked_at: tuple[str, dict[str, list[JudgedStates]]]) -> None:
    format_id, works = looked_at
    adapter = crash_format(format_id)
    unseen = {name: mutant_reader(format_id, name).reader for name in PLAIN[format_id]}
    strict = adapter.readers[0]
    for rows in (one for of in works.values() for one in of):
        facts = rows.facts
        for row in rows.new[::11]:
            files = facts.point.materialise(facts.states.codes[row])
            for name, reader in list(unseen.items()):
                answer = reader(files, facts.trace.edition)
                refusal = REFUSALS[facts.refusals[row]]
                verdict = judge(answer, facts.expected, refusal, holes_allowed=strict in adapter.salvaging)
                if VERDICTS[verdict] and verdict != rows.verdict(0, row):
                    del unseen[name]
        if not unseen:
            return
    assert [*unseen] == []
