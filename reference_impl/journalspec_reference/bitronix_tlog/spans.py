"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_reference.api import Files, Span
from journalspec_reference.bitronix_tlog import nio as frames
from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    HEADER_SIZE,
    SEED,
    STATUS_NAMES,
    Fault,
    Layout,
    LogRecord,
    name_text,
)
from journalspec_reference.bitronix_tlog.fileset import LogFile, elect, load_pair
from journalspec_reference.bitronix_tlog.nio import NioScan
from journalspec_reference.bitronix_tlog.nio import scan as scan_nio
from journalspec_reference.bitronix_tlog.scan import search, walk

#: field, offset and length of the fixed part of a record
FIXED_FIELDS = (
    ("status", 0, 4),
    ("record_length", 4, 4),
    ("header_length", 8, 4),
    ("time", 12, 8),
    ("sequence_number", 20, 4),
    ("crc32", 24, 4),
)
HEADER_FIELDS = (("format_id", 0, 4), ("timestamp", 4, 8), ("state", 12, 1), ("position", 13, 8))


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
        yield from _nio_header(name, header, len(data), fields)
        yield from _nio_frames(name, data, scan_nio(data, header), fields)


def _header(file: LogFile, fields: bool) -> Iterator[Span]:
    assert file.header is not None  # the caller looked
    yield Span(file.name, 0, HEADER_SIZE, "header", "header", file.role)
    values = (f"0x{file.header.format_id & 0xFFFFFFFF:08x}", *(str(value) for value in file.header[1:]))
    for (field, off, size), value in zip(HEADER_FIELDS, values, strict=True) if fields else ():
        yield Span(file.name, off, size, f"header.{field}", "field", value)


def _log(name: str, data: Any, limit: int, layout: Layout, fields: bool) -> Iterator[Span]:
    index = 0
    for item in walk(data, limit, layout):
        if isinstance(item, Fault):
            yield Span(name, item.off, item.end - item.off, "dropped", "dropped", item.reason)
            continue
        yield from _record(name, item, f"record[{index}]", "record", fields)
        index += 1


def _record(name: str, record: LogRecord, path: str, kind: str, fields: bool) -> Iterator[Span]:
    label = STATUS_NAMES.get(record.status, "OTHER")
    yield Span(name, record.off, record.end - record.off, path, kind, label)
    if not fields:
        return
    values = {**record._asdict(), "status": f"{record.status} {label}", "crc32": f"0x{record.crc32:08x}"}
    for field, off, size in FIXED_FIELDS:
        yield Span(name, record.off + off, size, f"{path}.{field}", "field", str(values[field]))
    at = record.off + 28
    if record.extension:
        yield Span(name, at, len(record.extension), f"{path}.extension", "field", record.extension.hex())
        at += len(record.extension)
    yield Span(name, at, 1, f"{path}.gtrid_length", "field", str(len(record.gtrid)))
    if record.gtrid:
        yield Span(name, at + 1, len(record.gtrid), f"{path}.gtrid", "field", record.gtrid.hex())
    at += 1 + len(record.gtrid)
    yield Span(name, at, 4, f"{path}.names_count", "field", str(len(record.names)))
    at += 4
    for index, text in enumerate(record.names):
        yield Span(name, at, 2, f"{path}.name[{index}].length", "field", str(len(text)))
        if text:
            yield Span(name, at + 2, len(text), f"{path}.name[{index}]", "field", name_text(text))
        at += 2 + len(text)
    yield Span(name, at, 4, f"{path}.end_record", "field", "xntB")


def _behind(name: str, data: Any, start: int, end: int, fields: bool) -> Iterator[Span]:
    """Yield what lies behind the tail: whole stale records, and fill between them."""
    at = start
    for index, record in enumerate(search(data, start, end)):
        if record.off > at:
            yield Span(name, at, record.off - at, "unused", "unused")
        yield from _record(name, record, f"stale[{index}]", "stale", fields)
        at = record.end
    if at < end:
        yield Span(name, at, end - at, "unused", "unused")


def _nio_header(name: str, header: frames.NioHeader, size: int, fields: bool) -> Iterator[Span]:
    start = frames.PREVIOUS_AT
    yield Span(name, 0, min(frames.HEADER_SIZE, size), "header", "header")
    if fields:
        yield Span(name, 0, start, "header.banner", "field", frames.BANNER[:21].decode("ascii"))
        yield Span(name, start, 16, "header.previous_delimiter", "field", header.previous.hex())
        yield Span(name, start + 16, 16, "header.current_delimiter", "field", header.current.hex())
        yield Span(name, start + 32, 4, "header.separator", "field", "CR LF CR LF")
    reserved = min(frames.HEADER_SIZE, size) - frames.HEADER_USED
    if reserved > 0:
        yield Span(name, frames.HEADER_USED, reserved, "header.reserved", "unused")


def _nio_frames(name: str, data: Any, found: NioScan, fields: bool) -> Iterator[Span]:
    pieces: list[tuple[int, int, frames.NioRecord | Fault]] = [
        *((record.off, record.end, record) for record in found.records),
        *((fault.off, fault.end, fault) for fault in found.faults),
    ]
    at = frames.HEADER_SIZE
    for index, (start, end, item) in enumerate(sorted(pieces, key=lambda piece: piece[:2])):
        if start > at:
            yield Span(name, at, start - at, "unused", "unused")
        if isinstance(item, Fault):
            yield Span(name, start, end - start, "dropped", "dropped", item.reason)
        else:
            stale = item.delimiter != found.header.current
            path = f"frame[{index}]"
            yield Span(name, start, end - start, path, "stale" if stale else "record", item.type)
            if fields:
                yield from _nio_fields(name, item, path)
        at = max(at, end)
    if at < len(data):
        yield Span(name, at, len(data) - at, "unused", "unused")


def _nio_fields(name: str, item: frames.NioRecord, path: str) -> Iterator[Span]:
    for field, off, length, value in _nio_rows(item):
        if length:
            yield Span(name, item.off + off, length, f"{path}.{field}", "field", value)


def _nio_rows(item: frames.NioRecord) -> Iterator[tuple[str, int, int, str]]:
    """Yield field, offset in the frame, length and value; one at a time, for there may be many names."""
    names_at = 62 + len(item.gtrid) + 1
    size = item.end - item.off
    yield from (
        ("frame_start", 0, 5, "CR LF LR["),
        ("delimiter", 5, 16, item.delimiter.hex()),
        ("payload_length", 21, 4, str(size - 49)),
        ("crc32", 25, 4, f"0x{item.crc32:08x}"),
        ("separator", 29, 2, "]["),
        ("tag", 31, 6, ""),
        ("status", 37, 4, f"{item.status} {item.type}"),
        ("record_length", 41, 4, str(item.record_length)),
        ("time", 45, 8, str(item.time)),
        ("sequence_number", 53, 8, str(item.sequence_number)),
        ("rolled_over", 61, 1, str(item.rolled_over).lower()),
        ("gtrid_length", 62, 1, str(len(item.gtrid))),
        ("gtrid", 63, len(item.gtrid), item.gtrid.hex()),
        ("names_count", names_at, 2, str(len(item.names))),
    )
    at = names_at + 2
    for index, text in enumerate(item.names):
        yield f"name[{index}].length", at, 2, str(len(text))
        yield f"name[{index}]", at + 2, len(text), text.decode("latin-1")
        at += 2 + len(text)
    yield "padding", at, item.padding, ""
    yield "trailer", size - 18, 2, "]-"
    yield "trailer_delimiter", size - 16, 16, item.delimiter.hex()
