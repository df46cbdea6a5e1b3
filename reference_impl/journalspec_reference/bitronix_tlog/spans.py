"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.api import Files, Span, field_spans
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
from journalspec_reference.bitronix_tlog.nio import NioRecord, NioScan
from journalspec_reference.bitronix_tlog.nio import scan as scan_nio
from journalspec_reference.bitronix_tlog.scan import search, walk


def disk(files: Files, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of a pair: header, log, and what is stale or fill behind the tail."""
    pair = load_pair(files)
    usable = [file for file in pair if file.problem is None]
    active = elect(usable)[0] if usable else None
    examined = {file.name: file for file in pair}
    for each in map(examined.__getitem__, files):
        file = active if active is not None and each.name == active.name else each
        if file.header is None:
            yield Span(file.name, 0, file.length, "file", "dropped", "short-file")
            continue
        yield from _header(file, fields)
        if file.problem is not None:
            yield Span(file.name, HEADER_SIZE, file.length - HEADER_SIZE, "log", "dropped", file.problem[0])
            continue
        yield from _log(file.name, file.data, file.limit, DISK, fields)
        yield from _behind(file.name, file.data, file.limit, file.length, fields)


def seed(files: Files, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of files that hold records and nothing else."""
    for name, data in files.items():
        yield from _log(name, data, len(data), SEED, fields)


def nio(files: Files, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of NIO journals: header, frames of both laps, and the rest."""
    for name, data in files.items():
        header = frames.decode_header(data)
        if not isinstance(header, frames.NioHeader):
            yield Span(name, 0, len(data), "file", "dropped", header[0])
            continue
        yield from _nio_header(name, data, fields)
        yield from _nio_frames(name, data, scan_nio(data, header), fields)


def _header(file: LogFile, fields: bool) -> Iterator[Span]:
    yield Span(file.name, 0, HEADER_SIZE, "header", "header", file.role)
    if fields:
        spots = LAYOUT.spans("header", "2.1", bytes(file.data[:HEADER_SIZE]))
        yield from field_spans(spots, file.name, 0, "header")


def _log(name: str, data: Any, limit: int, layout: Framing, fields: bool) -> Iterator[Span]:
    index = 0
    for item in walk(data, limit, layout):
        if isinstance(item, Fault):
            yield Span(name, item.off, item.end - item.off, "dropped", "dropped", item.reason)
            continue
        label = STATUS_NAMES.get(item.status, "OTHER")
        edition = "seed" if layout is SEED else "2.1"
        yield from _record(name, data, item, edition if fields else "", (f"record[{index}]", "record", label))
        index += 1


def _record(
    name: str, data: Any, record: LogRecord | NioRecord, edition: str, told: tuple[str, str, str]
) -> Iterator[Span]:
    """Yield a record as (path, kind, value), and its fields if an `edition` is given."""
    yield Span(name, record.off, record.end - record.off, *told)
    if edition:
        spots = LAYOUT.spans("record", edition, bytes(data[record.off : record.end]))
        yield from field_spans(spots, name, record.off, told[0])


def _behind(name: str, data: Any, start: int, end: int, fields: bool) -> Iterator[Span]:
    """Yield what lies behind the tail: whole stale records, and fill between them."""
    at = start
    for index, record in enumerate(search(data, start, end)):
        if record.off > at:
            yield Span(name, at, record.off - at, "unused", "unused")
        label = STATUS_NAMES.get(record.status, "OTHER")
        yield from _record(name, data, record, "2.1" if fields else "", (f"stale[{index}]", "stale", label))
        at = record.end
    if at < end:
        yield Span(name, at, end - at, "unused", "unused")


def _nio_header(name: str, data: Any, fields: bool) -> Iterator[Span]:
    size = min(frames.HEADER_SIZE, len(data))
    yield Span(name, 0, size, "header", "header")
    if fields:
        yield from field_spans(LAYOUT.spans("header", "nio", bytes(data[:size])), name, 0, "header")
    if size > frames.HEADER_USED:
        used = frames.HEADER_USED
        yield Span(name, used, size - used, "header.reserved", "unused")


def _nio_frames(name: str, data: Any, found: NioScan, fields: bool) -> Iterator[Span]:
    at = frames.HEADER_SIZE
    pieces: list[NioRecord | Fault] = [*found.records, *found.faults]
    for index, item in enumerate(sorted(pieces, key=lambda piece: (piece.off, piece.end))):
        if item.off > at:
            yield Span(name, at, item.off - at, "unused", "unused")
        if isinstance(item, Fault):
            yield Span(name, item.off, item.end - item.off, "dropped", "dropped", item.reason)
        else:
            kind = "stale" if item.delimiter != found.header.current else "record"
            told = (f"frame[{index}]", kind, STATUS_NAMES.get(item.status, "OTHER"))
            yield from _record(name, data, item, "nio" if fields else "", told)
        at = max(at, item.end)
    if at < len(data):
        yield Span(name, at, len(data) - at, "unused", "unused")
