"""Naming the bytes of control files and log files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from journalspec.layout import Spot
from journalspec_reference.api import Files, Params, Piece, Span, file_spans
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import decode, known
from journalspec_reference.derby_log.codec import HEADER, BadLog
from journalspec_reference.derby_log.recover import EDITIONS, SEED, garbage
from journalspec_reference.derby_log.scan import CONTROLS, End, LogFile, Scan, gather

_LENGTH, _INSTANT = 4, 8
_CONTROL_FIELDS = (
    ("format_id", 4),
    ("obsolete_version", 4),
    ("checkpoint", 8),
    ("major", 4),
    ("minor", 4),
    ("build", 4),
    ("flags", 1),
    ("spare", 11),
    ("checksum", 8),
)
_SEED_FIELDS = (*_CONTROL_FIELDS[:3], ("jbms_version", 4), ("checkpoint_interval", 4), ("spare", 24))
_HEADER_FIELDS = (("format_id", 4), ("obsolete_version", 4), ("number", 8), ("previous", 8))


def spans(files: Files, edition: str, _: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of control files and log files: headers, records, the end, what lies behind it."""
    logs = {file.name: file for file in gather(files).values()}
    for name, data in files.items():
        if name in CONTROLS:
            whole = len(data) == codec.CONTROL
            piece = Piece(0, len(data), "header" if whole else "dropped", "" if whole else "bad-control")
            control = _SEED_FIELDS if edition == SEED else _CONTROL_FIELDS
            named = partial(_fixed, bytes(data[: codec.CONTROL]), control) if fields else None
            yield from file_spans(name, [piece], len(data), named)
        elif name in logs:
            named = partial(_fields, logs[name]) if fields else None
            yield from file_spans(name, _pieces(logs[name], edition), len(data), named)


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
        return decode(body, known(edition, EDITIONS)).operation.name
    except BadLog:
        return "OTHER"


def _fixed(data: bytes, names: tuple[tuple[str, int], ...], _: Piece) -> Iterator[Spot]:
    at = 0
    for name, size in names:
        value = data[at : at + size]
        yield Spot(
            name, at, size, value.hex() if name == "spare" else str(int.from_bytes(value, "big", signed=True))
        )
        at += size


def _fields(file: LogFile, piece: Piece) -> Iterator[Spot]:
    data = bytes(file.data[piece.off : piece.end])
    if piece.kind == "header":
        yield from _fixed(data, _HEADER_FIELDS, piece)
        return
    length = str(len(data) - codec.OVERHEAD)
    yield Spot("length", 0, _LENGTH, length)
    yield Spot("instant", _LENGTH, _INSTANT, str(int.from_bytes(data[4:12], "big")))
    yield Spot("body", 12, len(data) - codec.OVERHEAD, "")
    yield Spot("length_again", len(data) - _LENGTH, _LENGTH, length)
