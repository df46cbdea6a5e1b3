"""The missing parts of a store, by the way a router makes it: pages and log always exist together."""

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
#: Directories of a store: where another one is, both files belong there.
_PARTS = ("db", "log", "swap", "durables")


def lacking(answer: Answer) -> Iterator[Missing]:
    """Yield the file of pages or the log, if it is not there or has nothing."""
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
            # The directory of the other file alone may be all that was sent in.
            if parts - {other}:
                yield Missing(code, path, text=_GONE)
            continue
        source = source_of(journal.files[given[path]])
        # An untagged log is cut to nothing at a checkpoint.
        if (source.size or code == "pages") and (source.size < least or zeros(source)):
            yield Missing("emptied-file", given[path], text=text)
