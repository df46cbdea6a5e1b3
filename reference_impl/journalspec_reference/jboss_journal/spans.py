"""Names for every byte range of the files, for maps and annotated hexdumps."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_reference.api import Files, Params, Span
from journalspec_reference.jboss_journal.codec import ADD, Dialect, JournalRecord
from journalspec_reference.jboss_journal.fileset import DataFile, control_fields, gather, header_of, limit_of
from journalspec_reference.jboss_journal.recover import laid_out
from journalspec_reference.jboss_journal.scan import stale, walk


def spans(files: Files, dialect: Dialect, params: Params, fields: bool = True) -> Iterator[Span]:
    """Yield header, records, torn regions, records of earlier lives and what lies between, file by file.

    Control files, leftovers and superseded files are among them; what is in them is named as well.
    """
    found = gather(files, dialect, params)
    known = {file.name: file for file in (*found.files, *found.others)}
    for file in (known[name] for name in files if name in known):
        if file.problem is not None:
            yield Span(file.name, 0, file.length, "file", "dropped", file.problem[0])
            continue
        yield from _header(file, fields)
        yield from _content(file, limit_of(file, params), fields)


def _header(file: DataFile, fields: bool) -> Iterator[Span]:
    found = header_of(file)
    size = min(file.dialect.header_size, file.length)
    yield Span(file.name, 0, size, "header", "header", f"file {found.get('file_id', '')}".rstrip())
    at = 0
    for name, value in found.items() if fields else ():
        width = 4 if name.endswith("version") or not file.dialect.versions else 8
        yield Span(file.name, at, width, f"header.{name}", "field", str(value))
        at += width


def _content(file: DataFile, limit: int, fields: bool) -> Iterator[Span]:
    old = _Old(file, fields)
    at = file.dialect.header_size
    index = 0
    for item in laid_out(file, walk(file.data, file.file_id, file.dialect, limit), limit):
        if item.off > at:
            yield from old.between(at, item.off, item.off)
        if isinstance(item, JournalRecord):
            yield from _record(file, item, f"record[{index}]", "record", fields)
            index += 1
        else:
            yield Span(file.name, item.off, item.length, "dropped", "dropped", item.reason)
        at = item.end
    yield from old.between(at, limit, file.length)


class _Old:
    """The records of earlier lives of a file, numbered over all that lies between its pieces."""

    def __init__(self, file: DataFile, fields: bool) -> None:
        self._file = file
        self._fields = fields
        self._index = 0

    def between(self, start: int, limit: int, end: int) -> Iterator[Span]:
        """Yield what stands from `start` on: such records up to `limit`, and what is unused up to `end`."""
        file, at = self._file, start
        for item in stale(file.data, file.file_id, file.dialect, [(start, limit)]) if start < limit else ():
            if item.off > at:
                yield Span(file.name, at, item.off - at, "unused", "unused")
            yield from _record(file, item, f"stale[{self._index}]", "stale", self._fields)
            self._index += 1
            at = item.end
        if at < end:
            yield Span(file.name, at, end - at, "unused", "unused")


def _record(file: DataFile, item: JournalRecord, path: str, kind: str, fields: bool) -> Iterator[Span]:
    yield Span(file.name, item.off, item.end - item.off, path, kind, item.kind.name)
    if fields:
        yield from _fields(file, item, path)


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
