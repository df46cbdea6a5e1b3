"""Naming the bytes of control files and log files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from journalspec.derby_log import LAYOUT
from journalspec.layout import Spot
from journalspec_reference.api import Files, Piece, Span, field_names, file_spans
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import EDITIONS, decode, known
from journalspec_reference.derby_log.codec import HEADER, BadLog
from journalspec_reference.derby_log.recover import SEED, garbage
from journalspec_reference.derby_log.scan import CONTROLS, End, LogFile, Scan, gather

_LENGTH = 4


def spans(files: Files, edition: str, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of control files and log files: headers, records, the end, what lies behind it."""
    logs = {file.name: file for file in gather(files).values()}
    for name, data in files.items():
        if name in CONTROLS:
            whole = len(data) == codec.CONTROL
            piece = Piece(0, len(data), "header" if whole else "dropped", "" if whole else "bad-control")
            named = partial(_control, edition, bytes(data[: codec.CONTROL])) if fields else None
            yield from file_spans(name, [piece], len(data), named)
        elif name in logs:
            parts = field_names(LAYOUT, edition, data) if fields else None
            yield from file_spans(name, _pieces(logs[name], edition), len(data), parts)


def _control(edition: str, data: bytes, _: Piece) -> Iterator[Spot]:
    return LAYOUT.spans("control", edition, data)


def _pieces(file: LogFile, edition: str) -> Iterator[Piece]:
    if file.length < HEADER:
        yield Piece(0, file.length, "dropped", "bad-header")
        return
    yield Piece(0, HEADER, "header")
    summed = edition not in (SEED, EDITIONS[0])
    for item in Scan(file.data, file.number, summed=summed).walk():
        if not isinstance(item, End):
            yield Piece(item.off, item.end, "record", _name(item.body, edition))
        elif item.reason:
            yield Piece(item.off, file.length, "dropped", item.reason)
        elif item.marked:
            yield Piece(item.off, item.off + _LENGTH, "fill", "end", "end")
            if item.off + _LENGTH < file.length:
                rest = "unused" if garbage(file.data, item.off + _LENGTH) is None else "stale bytes"
                yield Piece(item.off + _LENGTH, file.length, "unused", rest, "rest")


def _name(body: bytes, edition: str) -> str:
    if edition == SEED:
        return "OTHER"
    try:
        return decode(body, known(edition)).operation.name
    except BadLog:
        return "OTHER"
