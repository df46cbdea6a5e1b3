"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from heapq import merge
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.api import Files, Piece, Span, field_names, file_spans
from journalspec_reference.batches import Batch, source_of
from journalspec_reference.bitronix_tlog import nio as frames
from journalspec_reference.bitronix_tlog.codec import DISK, HEADER_SIZE, SEED, Framing
from journalspec_reference.bitronix_tlog.fileset import LogFile, elect, load_pair
from journalspec_reference.bitronix_tlog.scan import TYPES, scan, search


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
    yield from _whole(file.data, DISK, file.limit, file.length)


def _whole(data: Any, layout: Framing, start: int, end: int) -> Iterator[Piece]:
    return _pieces(search(source_of(data), start, end, layout), "stale")


def _log(data: Any, limit: int, layout: Framing) -> Iterator[Piece]:
    return _pieces(scan(source_of(data), layout.log_start, limit, layout), "record")


def _pieces(batches: Iterable[Batch], kind: str, series: str = "") -> Iterator[Piece]:
    """Yield records, which are of a `kind`, and damage by offset."""
    for batch in batches:
        rows = zip(batch.off, batch.end, batch.code, strict=True)
        said = ((batch.base + at, batch.base + end, kind, TYPES[code]) for at, end, code in rows)
        lost = ((start, end, "dropped", reason) for start, end, reason in batch.damage)
        for start, end, what, value in merge(said, lost):
            yield Piece(start, end, what, value, series=series)


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
    source = source_of(data)
    for batch in frames.scan(source, header, frames.insert_of(source, header)):
        yield from _pieces([batch], "record" if batch.more["current"] else "stale", "frame")
