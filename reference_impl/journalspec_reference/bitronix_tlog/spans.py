"""Named byte ranges of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from heapq import merge
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.api import Files, Params, Piece, Span, field_names, file_spans
from journalspec_reference.batches import Batch, source_of
from journalspec_reference.bitronix_tlog import nio
from journalspec_reference.bitronix_tlog.codec import HEADER_SIZE
from journalspec_reference.bitronix_tlog.fileset import DISK_EDITIONS, LogFile, load_pair
from journalspec_reference.bitronix_tlog.recover import log_of, seed_file
from journalspec_reference.bitronix_tlog.scan import TYPES, search


def spans(files: Files, edition: str, _: Params, fields: bool) -> Iterator[Span]:
    """Yield the spans of files: header, log or generations, and stale or fill bytes after them."""
    is_disk = edition in DISK_EDITIONS
    logs = {file.name: file for file in load_pair(files)} if is_disk else {}
    for name, data in files.items():
        named, inside = field_names(LAYOUT, edition, data) if fields else None, None
        if edition == "nio":
            pieces = _nio(data)
        else:
            file = logs[name] if is_disk else seed_file(name, data)
            pieces, inside = _log(file), partial(_stale, file)
        yield from file_spans(name, pieces, len(data), named, inside)


def _log(file: LogFile) -> Iterator[Piece]:
    start, within = 0, "file"
    if file.header is not None:
        start, within = HEADER_SIZE, "log"
        yield Piece(0, start, "header", file.role)
    if file.problem is not None:
        yield Piece(start, file.length, "dropped", file.problem[0], within)
        return
    yield from _pieces(log_of(file).scan(), "record")
    yield from _stale(file, file.limit, file.length)


def _stale(file: LogFile, start: int, end: int) -> Iterator[Piece]:
    return _pieces(search(source_of(file.data), start, end, file.framing), "stale")


def _nio(data: Any) -> Iterator[Piece]:
    header = nio.decode_header(data)
    if not isinstance(header, nio.NioHeader):
        yield Piece(0, len(data), "dropped", header[0], "file")
        return
    size = min(nio.HEADER_SIZE, len(data))
    yield Piece(0, size, "header")
    if size > nio.HEADER_USED:
        yield Piece(nio.HEADER_USED, size, "unused", path="header.reserved")
    source = source_of(data)
    for batch in nio.scan(source, header, nio.insert_of(source, header)):
        yield from _pieces([batch], "record" if batch.more["current"] else "stale", "frame")


def _pieces(batches: Iterable[Batch], kind: str, series: str = "") -> Iterator[Piece]:
    """Yield records as pieces of `kind`, and damage, in the order of offsets."""
    for batch in batches:
        rows = zip(batch.off, batch.end, batch.code, strict=True)
        valid = ((batch.base + at, batch.base + end, kind, TYPES[code]) for at, end, code in rows)
        lost = ((start, end, "dropped", reason) for start, end, reason in batch.damage)
        yield from (Piece(*piece, series=series) for piece in merge(valid, lost))
