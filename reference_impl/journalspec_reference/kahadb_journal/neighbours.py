"""What the directory of a journal must hold and does not: files, and ends of files.

Lost files are found by the way in which ActiveMQ creates and ends its files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.observation import Missing
from journalspec_reference.answers import Answer, renamed
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.kahadb_journal.codec import DIALECTS, END_MARKER, MARKER
from journalspec_reference.kahadb_journal.fileset import MARKED, ending, gather

_NAME = re.compile(r"db-[0-9]+\.log")
_ZEROS = (
    "it holds zeros only. A file that ActiveMQ 5.15 and later allocate begins with an end marker, earlier "
    "ones allocate none before the first batch, and a start of a broker writes a record"
)
_CUT = "its last batch has no end marker, and an earlier file has: the file was cut after the batch"
_RENAMED = "{} has its name and something after it: no broker reads it"


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the files that hold zeros, were cut between two batches, or have another name."""
    journal = answer.journal
    known = {entry.name for entry in answer.observation.missing}
    files = {file.name: file.data for file in gather(journal.files)}
    for name, other in renamed(journal, _NAME, _begins):
        if name not in known:
            yield Missing("file", name, other, text=_RENAMED.format(other))
    yield from (entry for entry in _of_files(files, answer) if entry.name not in known)


def _begins(head: bytes) -> bool:
    """Return whether a file begins as a data file does."""
    return head.startswith((END_MARKER, DIALECTS["5.16"].start, DIALECTS["seed"].start))


def _of_files(files: Mapping[str, Any], answer: Answer) -> Iterator[Missing]:
    """Yield files that lost content: end markers in earlier files, or a lack of any record, show it.

    No captured release leaves a file of zeros, neither in a new journal nor by preallocation.
    """
    empty, marks, marked = not len(answer.observation.records), answer.journal.edition in MARKED, False
    *_, final = files or [""]
    for name, data in files.items():
        last = bytes(data[max(0, len(data) - MARKER) :])
        if not any(last) and len(data) and (marked or empty) and zeros(source_of(data)):
            yield Missing("emptied-file", name, text=_ZEROS)
        elif marked and any(last) and last != END_MARKER and ending(data) == "nothing":
            yield Missing("end", name, name, len(data), text=_CUT)
        marked = marked or (marks and name != final and (last == END_MARKER or ending(data) == "marker"))
