"""Names the bytes of control files and log files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import part, tail
from journalspec.layout import HEAD, Spot
from journalspec_reference.api import Files, Params, Piece, Span, field_names, file_spans
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import EDITIONS, BodyReader, decode, known
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, HEADER, BadLog, Instant, Refusal
from journalspec_reference.derby_log.fileset import CONTROLS, Log, LogFile, body_at, choose, gather
from journalspec_reference.derby_log.recover import SEED
from journalspec_reference.derby_log.scan import End, garbage, search

#: At most this many fields of a body get names; the remaining fields become a single field. The reason is
#: that a name takes many times the memory of its value.
_NAMED = 1000


def spans(files: Files, edition: str, _: Params, fields: bool = True) -> Iterator[Span]:
    """Yield the spans of control files and log files: headers, records, the end, and the bytes after it."""
    logs = {file.name: file for file in gather(files).values()}
    start = _start(files, edition)
    for name, data in files.items():
        if name in CONTROLS:
            whole = len(data) == codec.CONTROL
            piece = Piece(0, len(data), "header" if whole else "dropped", "" if whole else "bad-control")
            named = partial(_control, edition, bytes(data[: codec.CONTROL])) if fields else None
            yield from file_spans(name, [piece], len(data), named)
        elif name in logs:
            parts = partial(_fields, edition, data) if fields else None
            file = logs[name]
            pieces = _pieces(file, edition, start.position if start.number == file.number else HEADER)
            yield from file_spans(name, pieces, len(data), parts, partial(_whole, file, edition))


def _control(edition: str, data: bytes, _: Piece) -> Iterator[Spot]:
    return LAYOUT.spans("control", edition, data)


def _fields(edition: str, data: bytes, piece: Piece) -> Iterator[Spot]:
    """Yield the fields of a header or record. A decodable body is split into its fields."""
    for spot in field_names(LAYOUT, edition, data)(piece):
        if spot.name != "body" or edition == SEED:
            yield spot
            continue
        off, end = piece.off + spot.off, 0
        body = bytes(data[off : off + spot.length])
        try:
            found = _named(body, edition)
        except (BadLog, KeyError):
            yield spot
            continue
        for path, start, stop, value in found:
            told = value[:HEAD].hex() if isinstance(value, bytes) else str(value)
            yield Spot(path, spot.off + start, stop - start, told)
            end = stop
        if end < spot.length:
            yield Spot("body", spot.off + end, spot.length - end, body[end : end + HEAD].hex())


def _named(body: bytes, edition: str) -> list[tuple[str, int, int, Any]]:
    """Return path, start, end and value of the first fields of a body. Raises BadLog, KeyError."""
    found: list[tuple[str, int, int, Any]] = []

    def keep(*field: Any) -> None:
        if len(found) < _NAMED:
            found.append(field)

    reader = BodyReader(body, keep)
    head = reader.fields(part("head"))
    reader.fields(known(edition)[head["operation"]].fields)
    reader.fields(tail(head["group"]))
    if reader.at < len(body):
        keep("rest", reader.at, len(body), body[reader.at :])
    return found


def _start(files: Files, edition: str) -> Instant:
    """Return the undo start of the last checkpoint.

    Return the start of the log if the checkpoint is unusable.
    """
    with suppress(BadLog, Refusal):
        control = choose(files).control if edition != SEED else None
        if control and control.checkpoint:
            log = Log(gather(files), summed=False, linked=False)
            body = body_at(log, edition, control.checkpoint)
            if body.operation.name == "CHECKPOINT":
                undo = Instant.unpack(body.fields["undo_from"])
                if undo.number in log.files and undo.position <= log.files[undo.number].length:
                    return undo
    return Instant(0, HEADER)


def _pieces(file: LogFile, edition: str, start: int) -> Iterator[Piece]:
    """Yield the content of a file.

    The file is read from `start` on even if its records end before `start`.
    """
    if file.length < HEADER:
        yield Piece(0, file.length, "dropped", "bad-header")
        return
    yield Piece(0, HEADER, "header")
    log = Log({}, summed=edition not in (SEED, EDITIONS[0]), linked=False)
    for begin, until in ((HEADER, start), (start, None)) if start > HEADER else ((start, None),):
        for batch in log.scan(file, begin, until):
            for off, stop in zip(batch.off, batch.end, strict=True):
                name = _name(batch.data[off + BEFORE : stop - BEHIND], edition)
                yield Piece(batch.base + off, batch.base + stop, "record", name)
            end = batch.more.get("end")
            if end is not None and (until is None or end.off < until):
                yield from _behind(file, end, start)


def _behind(file: LogFile, end: End, start: int) -> Iterator[Piece]:
    """Yield the bytes after the end of the records.

    If that end is before `start`, yield the bytes up to `start`.
    """
    if end.off < start:
        yield Piece(end.off, min(start, file.length), "dropped", end.reason or "truncated")
    elif end.reason:
        used = garbage(file.source, end.off)
        behind = used[1] if used else file.length
        yield Piece(end.off, behind, "dropped", end.reason)
        yield Piece(behind, file.length, "unused", "unused", "rest")
    elif end.marked:
        behind = end.off + BEHIND
        yield Piece(end.off, behind, "fill", "end", "end")
        if behind < file.length:
            rest = "unused" if garbage(file.source, behind) is None else "stale bytes"
            yield Piece(behind, file.length, "unused", rest, "rest")


def _whole(file: LogFile, edition: str, start: int, end: int) -> Iterator[Piece]:
    for off, stop in search(file.source, file.number, start, end):
        body = file.source.read(off + BEFORE, stop - off - BEFORE - BEHIND)
        yield Piece(off, stop, "record", _name(body, edition))


def _name(body: bytes, edition: str) -> str:
    if edition == SEED:
        return "OTHER"
    try:
        return decode(body, known(edition)).operation.name
    except BadLog:
        return "OTHER"
