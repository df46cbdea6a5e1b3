"""Named byte ranges of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from journalspec import mutf8
from journalspec.families import families
from journalspec.jboss_journal import LAYOUT
from journalspec.layout import HEAD, Spot
from journalspec_reference import api
from journalspec_reference.api import Files, Inside, Params, Piece, Span
from journalspec_reference.batches import source_of
from journalspec_reference.jboss_journal.codec import DIALECTS, Dialect
from journalspec_reference.jboss_journal.fileset import FORMAT, DataFile, control_names, gather
from journalspec_reference.jboss_journal.recover import stretch_of
from journalspec_reference.jboss_journal.scan import scan


def spans(files: Files, edition: str, params: Params, fields: bool = True) -> Iterator[Span]:
    """Yield header, records, torn regions, records of earlier generations and other bytes, file by file.

    The files include control files, leftovers and superseded files.
    """
    found = gather(files, DIALECTS[edition], params)
    known = {file.name: file for file in (*found.files, *found.others)}
    for file in (known[name] for name in files if name in known):
        # Without an intact header, the file id of the file's own records is unknown.
        earlier = _earlier(file, file.length if file.problem else file.limit)
        named = _namer(file) if fields else None
        yield from api.file_spans(file.name, _pieces(file, earlier), file.length, named, earlier)


def _pieces(file: DataFile, earlier: Inside) -> Iterator[Piece]:
    if file.problem is not None:
        yield Piece(0, file.length, "dropped", file.problem[0], "file")
        return
    at, header = min(file.dialect.header_size, file.length), file.header
    if not file.headless:
        yield Piece(0, at, "header", f"file {header['file_id']}" if header else "file")
    kinds = file.dialect.kinds
    for batch in stretch_of(file).scan():
        found = [Piece(start, end, "dropped", reason) for start, end, reason in batch.damage]
        for off, end, code in zip(batch.off, batch.end, batch.code, strict=True):
            found.append(Piece(batch.base + off, batch.base + end, "record", kinds[code].name))
        # Regions and records are each in order, and no region of a later batch precedes a record of this
        # batch.
        for piece in sorted(found) if batch.damage else found:
            yield from earlier(at, piece.off)
            yield piece
            at = piece.end
    yield from earlier(at, file.limit)


def _earlier(file: DataFile, limit: int) -> Inside:
    """Return a function that yields the records of earlier generations of a file between two offsets."""
    source, kinds = source_of(file.data), file.dialect.kinds

    def between(start: int, end: int) -> Iterator[Piece]:
        for batch in scan(source, file.dialect, None, start, min(end, limit)) if start < end else ():
            for off, stop, code in zip(batch.off, batch.end, batch.code, strict=True):
                yield Piece(batch.base + off, batch.base + stop, "stale", kinds[code].name)

    return between


def _namer(file: DataFile) -> Callable[[Piece], Iterator[Spot]]:
    """Return a function that names the fields in a file, and the lists in the record of a control file."""
    named = api.field_names(LAYOUT, file.dialect.name, file.data)

    def spots(piece: Piece) -> Iterator[Spot]:
        if piece.kind == "header" and piece.end < file.dialect.header_size:
            return
        lists = file.role == "control" and piece.value == "ADD"
        user_type = -1
        for spot in named(piece):
            if spot.name == "user_type":
                user_type = int(spot.value)
            if spot.name != "body":
                yield spot
                continue
            body = piece.off + spot.off
            data = bytes(file.data[body : body + spot.length])
            listed = lists and control_names(data) is not None
            yield from _lists(spot, data, file.dialect) if listed else _body(spot, data, user_type)

    return spots


def _lists(body: Spot, data: bytes, dialect: Dialect) -> Iterator[Spot]:
    for name, off, length, value in LAYOUT.spans("control", dialect.name, data):
        if name.endswith("name"):
            value = mutf8.decode(data[off : off + length])  # noqa: PLW2901  # the text instead of the bytes
        yield Spot(name, body.off + off, length, value[: 2 * HEAD] if name == "slack" else value)


def _body(spot: Spot, data: bytes, user_type: int) -> Iterator[Spot]:
    """Yield the body of a record, and its fields if it has contents."""
    yield spot
    if found := LAYOUT.held("body", data, {"user_type": user_type}):
        family, shape = found
        yield from api.body_fields(spot, families(FORMAT)[family], shape, data)
