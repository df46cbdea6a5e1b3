"""Crash states see faults of recovery, and where the reference itself fails it is known why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from journalspec.formats import format_ids
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.case_builder import Kind, known_failures
from journalspec_corpus.crash.expected import REFUSALS
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.trace import writer_of
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.pipeline.run import Rows, SeenIds, judged_rows

#: Each so many-th workload of the core tier is looked at: no divisor of how often the tables repeat.
EVERY = {
    "bitronix_tlog": 61,
    "jboss_journal": 127,
    "kahadb_journal": 53,
    "derby_log": 61,
    "swiftmq_store": 131,
}
#: Faults that many states show, whichever are looked at: the checksum, or what stands for one, first.
PLAIN = {
    "bitronix_tlog": ("skip-checksum", "last-record-excluded", "older-file-wins", "strict-skips"),
    "jboss_journal": ("skip-check-size", "any-file-id", "scan-one-late", "hash-over-itself"),
    "kahadb_journal": ("checksum-unchecked", "at-once", "acknowledgements-forgotten", "strict-believes"),
    "derby_log": ("prepare-is-a-word", "inserted-is-deleted", "uncovered-is-damage", "short-data-length"),
    "swiftmq_store": ("half-a-record", "older-generations", "delete-of-one", "deleted-entries"),
}


def judged(adapter: CrashFormat, every: int) -> Iterator[Rows]:
    for work in list(adapter.workloads("core"))[3::every]:
        yield from judged_rows(adapter.build(work), adapter, PRESETS, 1, SeenIds())


@pytest.mark.parametrize("format_id", format_ids())
def test_the_reference_fails_where_it_is_known_to_and_nowhere_else(format_id: str) -> None:
    adapter, known = crash_format(format_id), known_failures(format_id)
    found: set[Kind] = set()
    states = 0
    for rows in judged(adapter, EVERY[format_id]):
        states += len(rows.case_ids)
        writer, stratum = writer_of(rows.states.point.trace), rows.states.stratum
        for number, reader in enumerate(adapter.readers):
            for row in range(len(rows.case_ids) if reader in adapter.policies else 0):
                verdict = rows.verdict(number, row)
                if VERDICTS[verdict]:
                    category = rows.category_names[rows.category[row]]
                    found.add(Kind(writer, stratum, category, adapter.policies[reader], verdict))
    assert states > 1000
    assert len(found) > 3
    assert sorted(map(str, found - known.keys())) == []
    assert all(len(why) > 40 for why in known.values())


@pytest.mark.parametrize("format_id", format_ids())
def test_a_reference_without_its_checks_fails(format_id: str) -> None:
    adapter = crash_format(format_id)
    unseen = {name: adapter.mutant_reader(name) for name in PLAIN[format_id]}
    strict = next(iter(adapter.policies))
    for rows in judged(adapter, EVERY[format_id]):
        for row in range(0, len(rows.case_ids), 11):
            files = rows.states.point.materialise(rows.states.codes[row])
            for name, reader in list(unseen.items()):
                answer = reader(files, rows.states.point.trace.edition)
                refusal = REFUSALS[rows.refusal[row]]
                verdict = judge(answer, rows.expected, refusal, holes_allowed=strict in adapter.salvaging)
                if VERDICTS[verdict] and verdict != rows.verdict(0, row):
                    del unseen[name]
        if not unseen:
            break
    assert [*unseen] == []
