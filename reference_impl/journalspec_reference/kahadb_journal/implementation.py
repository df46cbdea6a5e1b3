"""The rules of each edition of this format, and how its journals are told from other files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from journalspec_reference.api import Detection, Files, Implementation, Params, Rules, Span, late_writer
from journalspec_reference.kahadb_journal import index, recover, spans
from journalspec_reference.kahadb_journal.codec import CONTROL, DIALECTS, END_MARKER, FORMAT, MARKER, sums

#: Editions whose files are alike.
MARKED = tuple(edition for edition, dialect in DIALECTS.items() if dialect.marked)
ZEROS = ("5.3", "5.12")
#: So many batches are passed at most to see what stands behind them.
_LOOKED_AT = 1 << 16


def _rules(edition: str) -> Rules:
    def named(files: Files, params: Params, fields: bool) -> Iterator[Span]:
        return spans.spans(files, edition, params, fields)

    writer = late_writer(__package__, "JournalWriter", edition)
    return Rules(recover.reading(edition), recover.recovery(edition), named, writer)


def detect(files: Files, _: Params) -> list[Detection]:
    """Return the data files among `files` as one journal, with the index beside them."""
    neighbours = tuple(name for name in (index.INDEX, index.REDO) if name in files)
    return [replace(_narrowed(found, files), neighbours=neighbours) for found in _detected(files)]


def _narrowed(found: Detection, files: Files) -> Detection:
    """Leave the editions that the index beside the files admits, if it is one and admits any of them."""
    if index.INDEX not in files or not found.editions:
        return found
    try:
        version = index.Index(files[index.INDEX], files.get(index.REDO)).version
    except index.Unusable:
        return found
    left = tuple(edition for edition in found.editions if edition in index.EDITIONS[version])
    # Those that are left differ in nothing that is in files, and the answer says which releases they are of.
    return replace(found, edition=left[-1], editions=()) if left else found


def _detected(files: Files) -> list[Detection]:
    """Return the data files among `files` as one journal, by name and by how they begin."""
    names = [file.name for file in recover.gather(files)]
    if not names:
        return []
    starts = {name: bytes(files[name][: len(DIALECTS["seed"].start)]) for name in names}
    seeds = [name for name in names if starts[name] == DIALECTS["seed"].start]
    if seeds:
        return [Detection(FORMAT, "seed", tuple(names), 2 + (len(seeds) == len(names)))]
    hits = [
        name
        for name in names
        if starts[name] == DIALECTS["5.16"].start or starts[name][:MARKER] == END_MARKER
    ]
    score = 1 + bool(hits) + (len(hits) == len(names))
    behind = {_behind(files[name]) for name in hits}
    if "zeros" in behind:
        return [Detection(FORMAT, ZEROS[-1], tuple(names), score, ZEROS)]
    # Where nothing follows the last batch, nothing tells what would have.
    editions = (*ZEROS, *MARKED) if behind == {"nothing"} else MARKED
    return [Detection(FORMAT, MARKED[-1], tuple(names), score, editions)]


def _behind(data: Any) -> str:
    """Return what is behind a file's batches: "nothing", "zeros", or "" (a later edition's marker, say)."""
    at = 0
    start = DIALECTS["5.16"].start
    for _ in islice(iter(int, 1), _LOOKED_AT):
        control = bytes(data[at : at + CONTROL])
        if len(control) < CONTROL or control[: len(start)] != start:
            break
        size, _ = sums(control, 0)
        if size <= 0:
            return ""
        at += CONTROL + size
    if at == len(data):
        return "nothing"
    return "zeros" if at < len(data) and not any(bytes(data[at : at + MARKER])) else ""


IMPLEMENTATION = Implementation(FORMAT, {edition: _rules(edition) for edition in DIALECTS}, detect)
