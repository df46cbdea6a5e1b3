"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec_reference.api import Files, Params, Piece, Span, field_names, file_spans
from journalspec_reference.content import Window
from journalspec_reference.kahadb_journal.codec import (
    BATCH,
    CONTROL,
    DIALECTS,
    HEAD,
    MARKER,
    USER,
    Damage,
    Dialect,
    SoundBatch,
    StoredRecord,
)
from journalspec_reference.kahadb_journal.commands import CommandError, varint
from journalspec_reference.kahadb_journal.recover import id_of
from journalspec_reference.kahadb_journal.scan import FILE, MARKED, Scan, leftovers, records


def spans(files: Files, edition: str, _: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of data files: control records, records, damage, end markers, what lies behind them."""
    for name, data in files.items():
        if id_of(name) is None:
            continue
        named = field_names(LAYOUT, edition, data) if fields else None
        dialect = DIALECTS[edition]
        inside = partial(_whole, data, dialect)
        yield from file_spans(name, _pieces(data, dialect), len(data), named, inside)


def _pieces(data: Any, dialect: Dialect) -> Iterator[Piece]:
    for item in Scan(data, dialect).walk():
        if isinstance(item, Damage):
            yield Piece(item.off, item.end, "dropped", item.reason)
        elif isinstance(item, SoundBatch):
            yield Piece(item.off, item.off + CONTROL, "header", "batch")
            yield from _records(data, item, dialect)
        elif item.by == MARKED:
            yield Piece(item.off, min(item.off + MARKER, len(data)), "fill", "end marker", "end_marker")
        elif item.by != FILE:
            yield Piece(item.off, len(data), "unused", path="rest")


def _records(data: Any, batch: SoundBatch, dialect: Dialect) -> Iterator[Piece]:
    for stored in records(Window(data), batch):
        kind = "record" if stored.type == USER else "fill"
        yield Piece(stored.off, stored.end, kind, _name(stored, dialect))


def _whole(data: Any, dialect: Dialect, start: int, end: int) -> Iterator[Piece]:
    for stored in leftovers(data, dialect, start, end):
        if stored.type == BATCH:
            yield Piece(stored.off, stored.end, "header", "batch")
        elif dialect.bare or _is_command(stored):
            yield Piece(stored.off, stored.end, "record", _name(stored, dialect))


def _name(stored: StoredRecord, dialect: Dialect) -> str:
    return dialect.commands.get(stored.payload[0], "OTHER") if stored.payload else "OTHER"


def _is_command(stored: StoredRecord) -> bool:
    """Tell whether a record is exactly as long as the message in it says."""
    try:
        size, at = varint(stored.payload, 1)
    except CommandError:
        return False
    return stored.end - stored.off == HEAD + at + size
