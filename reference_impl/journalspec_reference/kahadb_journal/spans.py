"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec_reference.api import Files, Params, Piece, Span, field_names, file_spans
from journalspec_reference.content import Window
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    DIALECTS,
    MARKER,
    USER,
    Damage,
    Dialect,
    SoundBatch,
)
from journalspec_reference.kahadb_journal.recover import id_of
from journalspec_reference.kahadb_journal.scan import FILE, MARKED, Scan, records


def spans(files: Files, edition: str, _: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of data files: control records, records, damage, end markers, what lies behind them."""
    for name, data in files.items():
        if id_of(name) is None:
            continue
        named = field_names(LAYOUT, edition, data) if fields else None
        yield from file_spans(name, _pieces(data, DIALECTS[edition]), len(data), named)


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
        value = dialect.commands.get(stored.payload[0], "OTHER") if stored.payload else "OTHER"
        yield Piece(stored.off, stored.end, "record" if stored.type == USER else "fill", value)
