"""Tests missing parts that only a sweep or another writer reveals. data/situations.toml tests the other
missing parts.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from journals import CAPTURED
from journalspec_reference.answers import Answer, ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.jboss_journal.codec import ADD
from journalspec_reference.jboss_journal.contents.bindings import QUEUE
from journalspec_reference.jboss_journal.contents.store import replay_of
from journalspec_reference.jboss_journal.packing import NewRecord, packing_of
from judged import call, flat
from situations import store

#: The type of a DELETE, in all editions.
DELETE = 16
ARTEMIS = CAPTURED / "jboss_journal/artemis-2.44.0/rollover"
KAHADB = CAPTURED / "kahadb_journal/activemq-6.1.7/rollover"


def rewritten(records: Sequence[NewRecord], answer: Answer, place: Path) -> None:
    """Replace the files of a journal by files with these records."""
    for path in answer.journal.files:
        (place / path).unlink()
    for file in packing_of(answer).files(records):
        (place / file.name).write_bytes(b"".join(file.parts))


def test_queue_that_was_deleted_while_messages_arrived_is_not_missing(tmp_path: Path) -> None:
    """The bodies of the messages are not reported as missing either.

    Artemis 2.6 leaves such stores and starts on them.
    """
    broker = store("hornetq_contents", tmp_path)
    (bindings,) = map(ask, find_journals(load(broker / "bindings")), ["strict"])
    live = [*replay_of(bindings).live()]
    kept = [NewRecord(ADD, item.id, item.user_type, item.stored) for item in live]
    queues = [item.id for item in live if item.user_type == QUEUE]
    rewritten([*kept, *(NewRecord(DELETE, ident, 0, b"") for ident in queues)], bindings, broker / "bindings")
    for file in (broker / "large-messages").iterdir():
        file.unlink()
    (journal,) = find_journals(load(broker / "journal"))
    assert ask(journal).observation.missing == ()
    rewritten([record for record in kept if record.id not in queues], bindings, broker / "bindings")
    (journal,) = find_journals(load(broker / "journal"))
    assert {entry.code for entry in ask(journal).observation.missing} == {"queue"}


def ends_of(source: Path, name: str) -> list[int]:
    """Return the ends of the records of a file."""
    (journal,) = find_journals(load(source))
    places = [record.at for record in ask(journal).observation.records if record.at.file == name]
    return [at.off + at.length for at in places]


def test_file_truncated_after_a_record_is_not_clean(tmp_path: Path) -> None:
    """A cut within a record is detected, because the record extends beyond the end of the file.

    A cut after a record is detected by the lengths of the other files.
    """
    place, name = tmp_path / "store", "activemq-data-2.amq"
    shutil.copytree(ARTEMIS, place)
    whole, ends = (place / name).read_bytes(), ends_of(ARTEMIS, name)
    for cut in sorted({16, *range(512, len(whole), 2048), *ends} - {len(whole)}):
        (place / name).write_bytes(whole[:cut])
        # Bytes beyond the last record were never used, so their loss is not damage.
        assert call("check", place).exit_code == (1 if cut <= max(ends) else 0), cut
    # If two files have the same length, this length is taken as the configured file size.
    (place / name).write_bytes(whole[: max(ends)])
    os.truncate(place / "activemq-data-1.amq", max(ends_of(ARTEMIS, "activemq-data-1.amq")))
    assert call("check", place).exit_code == 0


def test_file_truncated_between_two_batches_lacks_its_end_marker(tmp_path: Path) -> None:
    place, name = tmp_path / "store", "db-2.log"
    shutil.copytree(KAHADB, place)
    whole = (place / name).read_bytes()
    for cut in ends_of(KAHADB, name):
        (place / name).write_bytes(whole[:cut])
        out = call("check", place, status=1)
        assert "the end of a data file is cut off: db-2.log" in flat(out), cut
