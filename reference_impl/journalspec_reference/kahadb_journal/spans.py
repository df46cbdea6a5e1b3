"""Named byte ranges of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from journalspec.families import families
from journalspec.kahadb_journal import LAYOUT
from journalspec.layout import Spot
from journalspec_reference.api import Files, Params, Piece, Span, body_fields, field_names, file_spans
from journalspec_reference.batches import Source, source_of
from journalspec_reference.kahadb_journal.codec import (
    BATCH,
    CONTROL,
    DIALECTS,
    FORMAT,
    HEAD,
    MARKER,
    OTHER,
    USER,
    CommandError,
    Dialect,
    blobs,
    ends,
    head,
)
from journalspec_reference.kahadb_journal.contents.openwire import fitting
from journalspec_reference.kahadb_journal.fileset import id_of
from journalspec_reference.kahadb_journal.scan import FILE, MARKED, next_control, scan

#: The maximum number of bytes of a record up to the end of its message's length.
_LONGEST_HEAD = HEAD + 11
#: The number of bytes that the search in dropped bytes reads at a time. It is small, because control records
#: can be at any offset.
_SEARCHED = 4096


def spans(files: Files, edition: str, _: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of data files: control records, records, damage, end markers, bytes after the end."""
    for name, data in files.items():
        if id_of(name) is None:
            continue
        named = partial(_fields, field_names(LAYOUT, edition, data), data, edition) if fields else None
        dialect, source = DIALECTS[edition], source_of(data)
        inside = partial(_whole, source, dialect)
        yield from file_spans(name, _pieces(source, dialect), len(data), named, inside)


def _fields(
    named: Callable[[Piece], Iterable[Spot]], data: Any, edition: str, piece: Piece
) -> Iterator[Spot]:
    """Yield the fields of a part of a file, and those of the OpenWire objects in a command."""
    for spot in named(piece):
        yield spot
        if spot.name != "frame":
            continue
        # A command has one byte before its frame.
        begin = piece.off + spot.off - 1
        payload = bytes(data[begin : piece.end])
        with suppress(CommandError, KeyError):
            for name, start, end in [*blobs(payload, DIALECTS[edition].commands)]:
                data, held = payload[start:end], Spot(name, spot.off - 1 + start, end - start, "")
                if (found := LAYOUT.held(name, data)) and (version := next(fitting(data), None)):
                    family, shape = families(FORMAT)[found[0]], found[1]
                    inner = [*body_fields(held, family, shape, data, str(version))]
                    yield from [held, *inner] if inner else ()


def _pieces(source: Source, dialect: Dialect) -> Iterator[Piece]:
    """Yield the parts of a file in order, one range after the other."""
    at = 0
    for batch in scan(source, dialect):
        base = batch.base
        found: list[tuple[int, int, int | str]] = [
            (base + off, base + end, code)
            for off, end, code in zip(batch.off, batch.end, batch.code, strict=True)
        ]
        found += batch.damage
        ended = (
            [(off, source.size, f"{by}") for off, by in [batch.more["end"]]] if "end" in batch.more else []
        )
        for start, end, what in [*sorted(found, key=lambda item: item[0]), *ended]:
            while at < start:
                # Bytes between two records are control records and records of unknown types.
                length, kind = head(source.read(at, HEAD), 0)
                named = ("header", "batch") if kind == BATCH else ("fill", "OTHER")
                yield Piece(at, at + length, *named)
                at += length
            if isinstance(what, int):
                yield Piece(start, end, "record", dialect.commands.get(what, "OTHER"))
                at = end
            elif not ended or start < ended[0][0]:
                yield Piece(start, end, "dropped", what)
                at = end
            elif what == MARKED:
                yield Piece(start, min(start + MARKER, end), "fill", "end marker", "end_marker")
            elif what != FILE:
                yield Piece(start, end, "unused", path="rest")


def _whole(source: Source, dialect: Dialect, start: int, end: int) -> Iterator[Piece]:
    """Yield control records in a region, and the records after each control record up to the first torn
    record.

    No checksum is compared, because the batch is already dropped. No byte is read twice.
    """
    at = next_control(source, dialect, start, end, _SEARCHED)
    while at + CONTROL <= end:
        yield Piece(at, at + CONTROL, "header", "batch")
        at += CONTROL
        while at + HEAD <= end:
            beginning = source.read(at, _LONGEST_HEAD)
            length, kind = head(beginning, 0)
            if kind != USER or not HEAD <= length <= end - at:
                break
            if dialect.bare or ends(beginning[:length], 0, length):
                number = beginning[HEAD] if length > HEAD else OTHER
                name = dialect.commands.get(number, "OTHER")
                yield Piece(at, at + length, "record", name)
            at += length
        at = next_control(source, dialect, at, end, _SEARCHED)
