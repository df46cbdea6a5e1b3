"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from heapq import merge
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.api import Files, Params, Piece, Span, field_names, file_spans
from journalspec_reference.batches import Batch, source_of
from journalspec_reference.bitronix_tlog import nio
from journalspec_reference.bitronix_tlog.codec import DISK, HEADER_SIZE, SEED, Framing
from journalspec_reference.bitronix_tlog.fileset import LogFile, load_pair
from journalspec_reference.bitronix_tlog.scan import TYPES, scan, search


def spans(files: Files, edition: str, _: Params, fields: bool) -> Iterator[Span]:
    """Yield the spans of files: header, log or laps, and stale or fill bytes after them."""
    framing = {"seed": SEED, "nio": None}.get(edition, DISK)
    examined = {file.name: file for file in load_pair(files)} if framing is DISK else {}
    for name, data in files.items():
        if framing is None:
            pieces = _nio(data)
        else:
            pieces = _disk(examined[name]) if examined else _log(data, len(data), framing)
        named = field_names(LAYOUT, edition, data) if fields else None
        inside = partial(_stale, data, framing) if framing else None
        yield from file_spans(name, pieces, len(data), named, inside)


def _disk(file: LogFile) -> Iterator[Piece]:
    if file.header is None:
        yield Piece(0, file.length, "dropped", "short-file", "file")
        return
    yield Piece(0, HEADER_SIZE, "header", file.role)
    if file.problem is not None:
        yield Piece(HEADER_SIZE, file.length, "dropped", file.problem[0], "log")
        return
    yield from _log(file.data, file.limit, DISK)
    yield from _stale(file.data, DISK, file.limit, file.length)


def _log(data: Any, limit: int, framing: Framing) -> Iterator[Piece]:
    return _pieces(scan(source_of(data), framing.log_start, limit, framing), "record")


def _stale(data: Any, framing: Framing, start: int, end: int) -> Iterator[Piece]:
    return _pieces(search(source_of(data), start, end, framing), "stale")


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
    """Yield records, as pieces of `kind`, and damage, in the order of offsets."""
    for batch in batches:
        rows = zip(batch.off, batch.end, batch.code, strict=True)
        valid = ((batch.base + at, batch.base + end, kind, TYPES[code]) for at, end, code in rows)
        lost = ((start, end, "dropped", reason) for start, end, reason in batch.damage)
        yield from (Piece(*piece, series=series) for piece in merge(valid, lost))
