"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from journalspec.jboss_journal import LAYOUT
from journalspec.layout import Spot
from journalspec_reference.api import Files, Params, Span, field_spans
from journalspec_reference.jboss_journal.codec import ADD, Dialect, JournalRecord
from journalspec_reference.jboss_journal.fileset import DataFile, control_fields, gather, limit_of
from journalspec_reference.jboss_journal.recover import laid_out
from journalspec_reference.jboss_journal.scan import stale, walk


def spans(files: Files, dialect: Dialect, params: Params, fields: bool = True) -> Iterator[Span]:
    """Yield header, records, torn regions, records of earlier lives and what lies between, file by file.

    Control files, leftovers and superseded files are among them; what is in them is named as well.
    """
    found = gather(files, dialect, params)
    known = {file.name: file for file in (*found.files, *found.others)}
    for file in (known[name] for name in files if name in known):
        if file.problem is not None:
            yield Span(file.name, 0, file.length, "file", "dropped", file.problem[0])
            continue
        yield from _header(file, fields)
        yield from _content(file, limit_of(file, params), fields)


def _header(file: DataFile, fields: bool) -> Iterator[Span]:
    size = min(file.dialect.header_size, file.length)
    data = bytes(file.data[:size])
    whole = size == file.dialect.header_size
    file_id = f"file {LAYOUT.read('header', file.dialect.name, data)['file_id']}" if whole else "file"
    yield Span(file.name, 0, size, "header", "header", file_id)
    if fields and whole:
        yield from field_spans(LAYOUT.spans("header", file.dialect.name, data), file.name, 0, "header")


def _content(file: DataFile, limit: int, fields: bool) -> Iterator[Span]:
    old = _Old(file, fields)
    at = file.dialect.header_size
    index = 0
    for item in laid_out(file, walk(file.data, file.file_id, file.dialect, limit), limit):
        if item.off > at:
            yield from old.between(at, item.off, item.off)
        if isinstance(item, JournalRecord):
            yield from _record(file, item, f"record[{index}]", "record", fields)
            index += 1
        else:
            yield Span(file.name, item.off, item.length, "dropped", "dropped", item.reason)
        at = item.end
    yield from old.between(at, limit, file.length)


class _Old:
    """The records of earlier lives of a file, numbered over all that lies between its pieces."""

    def __init__(self, file: DataFile, fields: bool) -> None:
        self._file = file
        self._fields = fields
        self._index = 0

    def between(self, start: int, limit: int, end: int) -> Iterator[Span]:
        """Yield what stands from `start` on: such records up to `limit`, and what is unused up to `end`."""
        file, at = self._file, start
        for item in stale(file.data, file.file_id, file.dialect, [(start, limit)]) if start < limit else ():
            if item.off > at:
                yield Span(file.name, at, item.off - at, "unused", "unused")
            yield from _record(file, item, f"stale[{self._index}]", "stale", self._fields)
            self._index += 1
            at = item.end
        if at < end:
            yield Span(file.name, at, end - at, "unused", "unused")


def _record(file: DataFile, item: JournalRecord, path: str, kind: str, fields: bool) -> Iterator[Span]:
    yield Span(file.name, item.off, item.end - item.off, path, kind, item.kind.name)
    if fields:
        yield from _fields(file, item, path)


def _fields(file: DataFile, item: JournalRecord, path: str) -> Iterator[Span]:
    spots = LAYOUT.spans("record", file.dialect.name, bytes(file.data[item.off : item.end]))
    if file.role == "control" and item.kind.code == ADD and (lists := control_fields(item.body)):
        spots = _instead_of_body(spots, lists)
    yield from field_spans(spots, file.name, item.off, path)


def _instead_of_body(spots: Iterable[Spot], lists: list[tuple[str, int, str]]) -> Iterator[Spot]:
    """Yield the fields of a control file's record with what its body lists."""
    for spot in spots:
        if spot.name != "body":
            yield spot
            continue
        at = spot.off
        for name, size, value in lists:
            if size:
                yield Spot(name, at, size, value)
            at += size
