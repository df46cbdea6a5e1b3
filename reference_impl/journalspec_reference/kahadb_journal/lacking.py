"""What is missing of a journal by how ActiveMQ makes its files."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec.observation import Missing
from journalspec_reference.answers import Answer
from journalspec_reference.batches import source_of, zeros

_TEXT = (
    "it holds zeros only, and no file has a record. A file that ActiveMQ allocates ahead begins with an end "
    "marker, before 5.15 it has no bytes, and each start of a broker writes a record"
)


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the files that hold zeros alone, if no file holds anything else.

    No release that was captured leaves such a file: neither a new journal nor what is allocated ahead.
    """
    files = answer.journal.files
    if not len(answer.observation.records) and all(zeros(source_of(data)) for data in files.values()):
        yield from (Missing("emptied-file", name, text=_TEXT) for name, data in files.items() if len(data))
