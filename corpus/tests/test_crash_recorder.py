"""Recorders with the same initial journal are copies of one recorder; each copy continues independently."""

from __future__ import annotations

import pytest

from journalspec_corpus.bitronix_tlog import recording as disk
from journalspec_corpus.crash import record
from journalspec_corpus.crash.formats import crash_format

#: Number of workloads of a format that are listed in two scopes of the core tier.
TWICE = {"kahadb_journal": 6, "derby_log": 5}


def test_copies_equal_the_original_and_share_no_mutable_state() -> None:
    how = ("spec", 0, 4096, 600)
    made = disk._brought(*how)
    copies = [record.begun(disk._brought, *how) for _ in range(4)]
    for copy in copies:
        assert copy.storage.files == made.storage.files
        assert (copy.storage.ops, copy.marks, copy.ends) == (made.storage.ops, made.marks, made.ends)
        copy.apply({"op": "log", "type": "COMMITTING", "gtrid": "41" * 16, "names": ["a"]})
        # Only this recorder continued: its files, its trace and its writer.
        assert copy.storage.files != made.storage.files
        assert len(copy.marks) == len(made.marks) + 1
    assert copies[0].storage.ops == copies[2].storage.ops == copies[3].storage.ops


@pytest.mark.parametrize(
    "format_id", ["bitronix_tlog", "jboss_journal", "kahadb_journal", "derby_log", "swiftmq_store"]
)
def test_traces_have_unique_names_and_do_not_depend_on_the_start_of_their_recorders(format_id: str) -> None:
    adapter = crash_format(format_id)
    for scope in ("smoke", "core"):
        every = list(adapter.workloads(scope))
        twice = len(every) - len({work.name for work in every})
        assert twice == (TWICE.get(format_id, 0) if scope == "core" else 0)
    works = every[:240:9]
    ids = []
    for _ in range(3):
        ids.append([adapter.build(work).id for work in works])
    record._begun.clear()
    assert ids[0] == ids[1] == ids[2] == [adapter.build(work).id for work in works]
