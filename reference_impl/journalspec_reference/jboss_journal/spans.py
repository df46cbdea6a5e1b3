"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_reference.api import Files, Params, Span
from journalspec_reference.jboss_journal.codec import JournalRecord
from journalspec_reference.jboss_journal.dialect import ADD, Dialect
from journalspec_reference.jboss_journal.fileset import DataFile, control_fields, gather, header_of, limit_of
from journalspec_reference.jboss_journal.recover import torn_regions
from journalspec_reference.jboss_journal.scan import stale, walk


def spans(files: Files, dialect: Dialect, params: Params) -> Iterator[Span]:
    """Yield header, records, torn regions, records of earlier lives and what lies between, file by file.

    Control files, leftovers and superseded files come last; what is in them is named as well.
    """
    found = gather(files, dialect, params)
    for file in (*found.files, *found.others):
        if file.problem is not None:
            yield Span(file.name, 0, file.length, "file", "dropped", file.problem[0])
            continue
        yield from _header(file)
        yield from _content(file, limit_of(file, params))


def _header(file: DataFile) -> Iterator[Span]:
    fields = header_of(file)
    size = min(file.dialect.header_size, file.length)
    yield Span(file.name, 0, size, "header", "header", f"file {fields.get('file_id', '')}".rstrip())
    at = 0
    for name, value in fields.items():
        width = 4 if name.endswith("version") or not file.dialect.versions else 8
        yield Span(file.name, at, width, f"header.{name}", "field", str(value))
        at += width


def _content(file: DataFile, limit: int) -> Iterator[Span]:
    items = list(walk(file.data, file.file_id, file.dialect, limit))
    records = [item for item in items if isinstance(item, JournalRecord)]
    pieces: list[tuple[int, int, str, JournalRecord | str]] = [
        (item.off, item.end, f"record[{index}]", item) for index, item in enumerate(records)
    ]
    pieces += [
        (region.off, region.off + region.length, "dropped", region.reason)
        for region in torn_regions(file, items, limit)
    ]
    pieces.sort(key=lambda piece: piece[:2])
    gaps = list(_gaps([(start, end) for start, end, _, _ in pieces], file.dialect.header_size, limit))
    old = list(stale(file.data, file.file_id, file.dialect, gaps))
    pieces += [(item.off, item.end, f"stale[{index}]", item) for index, item in enumerate(old)]
    pieces.sort(key=lambda piece: piece[:2])
    for start, end in _gaps(
        [(start, end) for start, end, _, _ in pieces], file.dialect.header_size, file.length
    ):
        pieces.append((start, end, "unused", ""))
    for start, end, path, what in sorted(pieces, key=lambda piece: piece[:2]):
        if isinstance(what, JournalRecord):
            kind = "stale" if path.startswith("stale") else "record"
            yield Span(file.name, start, end - start, path, kind, what.kind.name)
            yield from _fields(file, what, path)
        else:
            yield Span(file.name, start, end - start, path, path, what)


def _gaps(pieces: list[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for first, last in pieces:
        if first > at:
            yield at, first
        at = max(at, last)
    if at < end:
        yield at, end


def _fields(file: DataFile, item: JournalRecord, path: str) -> Iterator[Span]:
    kind, dialect = item.kind, file.dialect
    stamp = int.from_bytes(bytes(file.data[item.off + 1 : item.off + 5]), "big")
    rows: list[tuple[str, int, str]] = [("type", 1, f"{kind.code} {kind.name}"), ("file_id", 4, str(stamp))]
    if dialect.compact:
        rows.append(("compact_count", 1, str(item.compact_count)))
    if kind.tx:
        rows.append(("tx", 8, str(item.tx)))
    if kind.id:
        rows.append(("id", 8, str(item.id)))
    if kind.body:
        rows.append(("body_size", 4, str(len(item.body))))
        if kind.body == "user":
            rows.append(("user_type", 1, str(item.user_type)))
        lists = control_fields(item.body) if file.role == "control" and kind.code == ADD else None
        rows += lists or [("body", len(item.body), item.body[:16].hex())]
    if kind.ends:
        rows += _ending(item, dialect)
    rows.append(
        ("hash" if dialect.hashed else "check_size", 4, "" if dialect.hashed else str(item.end - item.off))
    )
    at = item.off
    for name, size, value in rows:
        if size:
            yield Span(file.name, at, size, f"{path}.{name}", "field", value)
        at += size


def _ending(item: JournalRecord, dialect: Dialect) -> list[tuple[str, int, str]]:
    has_extra = item.kind.name == "PREPARE" and dialect.prepare_extra
    size = [("extra_size", 4, str(len(item.extra)))] if has_extra else []
    extra = [("extra", len(item.extra), item.extra[:16].hex())] if has_extra else []
    if not dialect.pairs:
        return [("count", 4, str(item.tally)), *size, *extra]
    rows = [*size, ("num_files", 4, str(len(item.pairs))), *extra]
    for index, (file_id, count) in enumerate(item.pairs):
        rows.append((f"pair[{index}].file_id", 4, str(file_id)))
        rows.append((f"pair[{index}].count", 4, str(count)))
    return rows
