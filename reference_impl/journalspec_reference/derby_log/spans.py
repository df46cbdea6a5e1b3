"""Naming the bytes of control files and log files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, takewhile

from journalspec.derby_log import LAYOUT
from journalspec.layout import Spot
from journalspec_reference.api import Files, Piece, Span, field_names, file_spans
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import EDITIONS, decode, known
from journalspec_reference.derby_log.codec import HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.recover import SEED, body_at, garbage
from journalspec_reference.derby_log.scan import CONTROLS, End, Log, LogFile, Scan, choose, gather, search

_LENGTH = 4


def spans(files: Files, edition: str, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of control files and log files: headers, records, the end, what lies behind it."""
    logs = {file.name: file for file in gather(files).values()}
    start = _start(files, edition)
    for name, data in files.items():
        if name in CONTROLS:
            whole = len(data) == codec.CONTROL
            piece = Piece(0, len(data), "header" if whole else "dropped", "" if whole else "bad-control")
            named = partial(_control, edition, bytes(data[: codec.CONTROL])) if fields else None
            yield from file_spans(name, [piece], len(data), named)
        elif name in logs:
            parts = field_names(LAYOUT, edition, data) if fields else None
            file = logs[name]
            pieces = _pieces(file, edition, start.position if start.number == file.number else HEADER)
            yield from file_spans(name, pieces, len(data), parts, partial(_whole, file, edition))


def _control(edition: str, data: bytes, _: Piece) -> Iterator[Spot]:
    return LAYOUT.spans("control", edition, data)


def _start(files: Files, edition: str) -> Instant:
    """Return where the log is read from by its last checkpoint; nowhere if that says nothing."""
    with suppress(BadLog, Refusal):
        control = choose(files).control if edition != SEED else None
        if control and control.checkpoint:
            log = Log(gather(files), summed=False, linked=False)
            body = body_at(log, edition, control.checkpoint)
            if body.operation.name == "CHECKPOINT":
                return Instant.unpack(body.fields["undo_from"])
    return Instant(0, HEADER)


def _pieces(file: LogFile, edition: str, start: int) -> Iterator[Piece]:
    """Yield what a file holds; if it makes no sense up to `start`, it is read from there all the same."""
    if file.length < HEADER:
        yield Piece(0, file.length, "dropped", "bad-header")
        return
    yield Piece(0, HEADER, "header")
    summed = edition not in (SEED, EDITIONS[0])
    scan = Scan(file.data, file.number, summed=summed)
    before = takewhile(lambda item: item.off < start, scan.walk())
    for item in chain(before, scan.walk(start)):
        if not isinstance(item, End):
            yield Piece(item.off, item.end, "record", _name(item.body, edition))
        elif item.off < start:
            yield Piece(item.off, min(start, file.length), "dropped", item.reason or "truncated")
        elif item.reason:
            yield Piece(item.off, file.length, "dropped", item.reason)
        elif item.marked:
            yield Piece(item.off, item.off + _LENGTH, "fill", "end", "end")
            if item.off + _LENGTH < file.length:
                rest = "unused" if garbage(file.data, item.off + _LENGTH) is None else "stale bytes"
                yield Piece(item.off + _LENGTH, file.length, "unused", rest, "rest")


def _whole(file: LogFile, edition: str, start: int, end: int) -> Iterator[Piece]:
    for item in search(file.data, file.number, start, end):
        yield Piece(item.off, item.end, "record", _name(item.body, edition))


def _name(body: bytes, edition: str) -> str:
    if edition == SEED:
        return "OTHER"
    try:
        return decode(body, known(edition)).operation.name
    except BadLog:
        return "OTHER"
