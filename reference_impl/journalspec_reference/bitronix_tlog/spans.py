"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.api import Files, Piece, Span, field_names, file_spans
from journalspec_reference.bitronix_tlog import nio as frames
from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    HEADER_SIZE,
    SEED,
    STATUS_NAMES,
    Fault,
    Framing,
    LogRecord,
)
from journalspec_reference.bitronix_tlog.fileset import LogFile, elect, load_pair
from journalspec_reference.bitronix_tlog.nio import NioRecord
from journalspec_reference.bitronix_tlog.scan import search, walk


def disk(files: Files, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of a pair: header, log, and what is stale or fill behind the tail."""
    pair = load_pair(files)
    usable = [file for file in pair if file.problem is None]
    active = elect(usable)[0] if usable else None
    examined = {file.name: file for file in pair}
    for each in map(examined.__getitem__, files):
        file = active if active is not None and each.name == active.name else each
        named = field_names(LAYOUT, "2.1", file.data) if fields else None
        yield from file_spans(file.name, _disk(file), file.length, named, partial(_whole, file.data, DISK))


def _disk(file: LogFile) -> Iterator[Piece]:
    if file.header is None:
        yield Piece(0, file.length, "dropped", "short-file", "file")
        return
    yield Piece(0, HEADER_SIZE, "header", file.role)
    if file.problem is not None:
        yield Piece(HEADER_SIZE, file.length, "dropped", file.problem[0], "log")
        return
    yield from _log(file.data, file.limit, DISK)
    yield from (_piece(record, "stale") for record in search(file.data, file.limit, file.length))


def _whole(data: Any, layout: Framing, start: int, end: int) -> Iterator[Piece]:
    return (_piece(record, "stale") for record in search(data, start, end, layout))


def _log(data: Any, limit: int, layout: Framing) -> Iterator[Piece]:
    return (_piece(item, "record") for item in walk(data, limit, layout))


def _piece(item: LogRecord | NioRecord | Fault, kind: str, series: str = "") -> Piece:
    if isinstance(item, Fault):
        return Piece(item.off, item.end, "dropped", item.reason, series=series)
    return Piece(item.off, item.end, kind, STATUS_NAMES.get(item.status, "OTHER"), series=series)


def seed(files: Files, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of files that hold records and nothing else."""
    for name, data in files.items():
        named = field_names(LAYOUT, "seed", data) if fields else None
        inside = partial(_whole, data, SEED)
        yield from file_spans(name, _log(data, len(data), SEED), len(data), named, inside)


def nio(files: Files, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of NIO journals: header, frames of both laps, and the rest."""
    for name, data in files.items():
        named = field_names(LAYOUT, "nio", data) if fields else None
        yield from file_spans(name, _nio(data), len(data), named)


def _nio(data: Any) -> Iterator[Piece]:
    header = frames.decode_header(data)
    if not isinstance(header, frames.NioHeader):
        yield Piece(0, len(data), "dropped", header[0], "file")
        return
    size, used = min(frames.HEADER_SIZE, len(data)), frames.HEADER_USED
    yield Piece(0, size, "header")
    if size > used:
        yield Piece(used, size, "unused", path="header.reserved")
    found = frames.scan(data, header)
    pieces: list[NioRecord | Fault] = [*found.records, *found.faults]
    for item in sorted(pieces, key=lambda piece: (piece.off, piece.end)):
        earlier = isinstance(item, NioRecord) and item.delimiter != header.current
        yield _piece(item, "stale" if earlier else "record", "frame")
