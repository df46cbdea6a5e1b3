"""What the directory of a store must hold and does not: its pages, or its log.

A router always creates pages and log together, so if one is absent, it is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from journalspec.observation import Missing
from journalspec_reference.answers import Answer
from journalspec_reference.batches import source_of, zeros
from journalspec_reference.swiftmq_store.fileset import DEFAULT_SIZE, named
from journalspec_reference.swiftmq_store.store import LOG, PAGES

_GONE = "other parts of the store are here, and this one is not"
_EMPTY = "it holds zeros only, or nothing: a router fills it with free pages when it makes it"
_ZEROS = "it holds zeros only: a log that has a length begins with START"
#: The directories of a store: if one of them exists, pages and log should exist, too.
_PARTS = ("db", "log", "swap", "durables")


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the file of pages and the log, if they are missing or empty."""
    journal = answer.journal
    given = named(journal.files)
    known = {entry.code for entry in answer.observation.missing}
    if given.get(PAGES, "/").count("/") == 0 or not given.keys() & {PAGES, LOG}:
        return  # a backup has no log; other files alone are a part of a store
    root = journal.root
    parts = {part for part in _PARTS if root is not None and (root / part).is_dir()}
    for code, path, other, text, least in (
        ("pages", PAGES, "log", _EMPTY, int(journal.params.get("page_size", DEFAULT_SIZE))),
        ("log", LOG, "db", _ZEROS, 1),
    ):
        if code in known:
            continue
        if path not in given:
            # If only the directory of the other file exists, a user may have copied nothing else.
            if parts - {other}:
                yield Missing(code, path, text=_GONE)
            continue
        source = source_of(journal.files[given[path]])
        # A checkpoint truncates an untagged log to 0 bytes.
        if (source.size or code == "pages") and (source.size < least or zeros(source)):
            yield Missing("emptied-file", given[path], text=text)
