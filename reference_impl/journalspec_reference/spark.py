"""Journals as DataFrames: ``spark.read.format("journalspec").load("path, glob or URI")``.

Call :func:`register` once per session. A row is a record (``kind`` is ``record``) or a region without records
(``dropped``, with its ``reason``; a file that could not be read or used is also such a region). The columns
are those of :data:`COMMON` and the typed columns of the format, by the spec's names. If the journals are of
several formats, the map ``fields`` contains the values instead. Control characters, and bytes that are not
UTF-8, are escaped in texts.

Options:

- ``format`` and ``edition``: detected if not given; ``param.NAME``: a configured parameter of the journal;
- ``fields``: ``true`` for the map ``fields`` instead of typed columns: integers as decimal text, bytes as
  hex, lists as JSON;
- ``bodies``: ``true`` for the bodies of records, too;
- ``rows``: ``all`` adds notes (kind ``note``), and valid records that are not part of the recovered state
  (kind ``unanchored``; ``reason`` is ``given-up`` if they are in a dropped region). It implies ``fields``;
- ``view``: ``journals`` for a row for each journal, with its verdict and its losses;
- ``contents``: the name of a table of the contents, for its rows. Nested values are JSON; a time is in
  milliseconds since 1970;
- ``mode``: ``FAILFAST`` ends the query at damage;
- ``pushdown``: ``false`` makes Spark evaluate all filters itself.

A task reads one long file, or several small ones. The workers read the paths: on a cluster, paths must be
URIs, or lie on storage that all workers share. An explicit ``schema`` prunes columns. The reader evaluates
filters on columns; :func:`register` makes the session setting that this needs.

``readStream`` yields the records that are added to journals. For each file, a stream offset contains the end
of the records read, and a checksum of the first record. A different checksum means a later generation of the
file, which is read from its beginning. Regions without records are omitted: such a region may be a record
that is still being written.
"""

from __future__ import annotations

import glob
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)

from journalspec.contents import Table, described
from journalspec.files import shown
from journalspec.formats import UnknownFormat, get_format
from journalspec.observation import REFUSED, Record
from journalspec_reference.answers import (
    Answer,
    UnknownEdition,
    ask,
    checked_params,
    settled,
    stretches,
)
from journalspec_reference.arrow import columns_of, type_of
from journalspec_reference.batches import Batch, ReadingRefused, Stretch
from journalspec_reference.contents import Contents, contents, nested, with_state
from journalspec_reference.filesets import FilesetError, Journal, Loaded, below, find_journals
from journalspec_reference.filesets import load as load_files
from journalspec_reference.predicates import IN, PRESENT, Predicate
from journalspec_reference.remote import is_remote, load_below
from journalspec_reference.tables import COMMON, RowBatches, kept_of, texts_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

NAME = "journalspec"
#: Maps an Arrow type to that of Spark.
TYPES = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "list<string>": "array<string>",
    "list<binary>": "array<binary>",
}
#: Columns of the view of journals: the verdict, the counts, and the codes of the notes.
JOURNALS = {
    **dict.fromkeys(("journal", "format", "edition", "verdict", "code"), "string"),
    **dict.fromkeys(("files", "bytes", "records", "dropped", "dropped_bytes", "missing"), "int64"),
    "notes": "string",
}
#: Columns of rows of contents in addition to those of their table. The second value maps the kind of a value
#: to its Arrow type, if the type is not a string.
BESIDE = dict.fromkeys(("journal", "format", "edition"), "string")
KINDS = {"int": "int64", "time": "int64", "float": "double", "bool": "bool", "bytes": "binary"}
FIELDS = "fields map<string,string>"
_FIELDS = pa.map_(pa.string(), pa.string())
#: The number of rows in a batch. It is smaller for contents, which can have large bodies.
BATCH_ROWS, CONTENTS_ROWS = 8192, 512
#: One task reads several small files, of up to this many bytes together.
TOGETHER = 32 << 20
#: The prefix of options that are parameters of the format.
PARAM = "param."
#: At most this many directories with journals are read below a given one.
MOST_BELOW = 100_000
#: The session setting that lets a reader evaluate filters.
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
CHANGED = "the files have changed since the query began"
_OPERATORS: dict[type[Filter], str] = {
    EqualTo: "=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
    LessThan: "<",
    LessThanOrEqual: "<=",
    In: IN,
    IsNotNull: PRESENT,
}


class JournalError(ValueError):
    """This error means that the files at a path cannot be read as journals. The text contains the reason and
    the next step.
    """


@dataclass(frozen=True)
class Piece:
    """Some stretches of one journal. The journal is found by its path and the names of its files.

    `numbers` are the positions of the stretches in the journal. If there are no positions, the piece is all
    stretches whose outcomes are not known, and the files that no stretch describes. `outcomes` are those of
    the first stretches, if later ones depend on them. `why` is the reason if the journal cannot be read.
    """

    path: str
    files: tuple[str, ...]
    format: str
    edition: str | None
    params: tuple[tuple[str, str], ...]
    numbers: tuple[int, ...] = ()
    outcomes: tuple[Any, ...] = ()
    why: str = ""


@dataclass
class JournalPartition(InputPartition):
    """The part of a journal that one task reads."""

    pieces: tuple[Piece, ...]


def register(spark: SparkSession) -> None:
    """Register the format ``journalspec`` with `spark`, and let its reader evaluate filters."""
    spark.dataSource.register(JournalSource)
    spark.conf.set(PUSHDOWN, "true")


class JournalSource(DataSource):
    """The data source. Spark creates one object per read."""

    @classmethod
    def name(cls) -> str:
        """Return the name for ``spark.read.format``."""
        return NAME

    def schema(self) -> str:
        """Return the common columns, and those of the format if all journals have the same format."""
        asked = Query(dict(self.options))
        columns = asked.columns()
        quoted = {name: name.replace("`", "``") for name in columns}
        named = ", ".join(f"`{quoted[name]}` {TYPES[kind]}" for name, kind in columns.items())
        return named if asked.settled_columns() else f"{named}, {FIELDS}"

    def reader(self, schema: StructType) -> JournalReader:
        """Return the reader of the columns of `schema`, for the options given."""
        options = dict(self.options)
        kind = FilteringReader if Query(options).pushdown else JournalReader
        return kind(options, schema.fieldNames())

    def streamReader(self, schema: StructType) -> JournalStreamReader:  # noqa: N802  # the name is Spark's
        """Return the reader of a stream, for the options given."""
        return JournalStreamReader(dict(self.options), schema.fieldNames())


class Query:
    """The options of a query; raises JournalError for invalid ones."""

    def __init__(self, options: Mapping[str, str]) -> None:
        given = {name.lower(): value for name, value in options.items()}
        self.format, self.edition = given.get("format"), given.get("edition")
        self.params = tuple(
            sorted(
                (name[len(PARAM) :], value)
                for name, value in options.items()
                if name.lower().startswith(PARAM)
            )
        )
        self.paths = _paths(options)
        self.bodies = self._one_of(given, "bodies", ("false", "true")) == "true"
        self.fields = self._one_of(given, "fields", ("false", "true")) == "true"
        self.every_row = self._one_of(given, "rows", ("records", "all")) == "all"
        self.journals = self._one_of(given, "view", ("records", "journals")) == "journals"
        self.contents = given.get("contents")
        if self.contents is not None and (self.bodies or self.fields or self.every_row or self.journals):
            raise JournalError("option 'contents' goes with none of bodies, fields, rows and view")
        self.pushdown = self._one_of(given, "pushdown", ("true", "false")) == "true"
        self.strict = self._one_of(given, "mode", ("permissive", "failfast")) == "failfast"
        self._found: list[tuple[str, Journal]] | None = None
        self._table: Table | None = None

    @staticmethod
    def _one_of(given: Mapping[str, str], name: str, known: Sequence[str]) -> str:
        value = given.get(name, known[0]).lower()
        if value not in known:
            raise JournalError(f"option {name!r} is {shown(value)!r}: use one of {', '.join(known)}")
        return value

    def typed(self) -> dict[str, str]:
        """Return the typed columns. Return no columns if their values are in `fields`."""
        if self.fields or self.every_row:
            return {}
        formats = {self.format} if self.format else {journal.format for _, journal in self.found()}
        if len(formats) != 1:
            return {}
        (name,) = formats
        with _told():
            known, words = columns_of(name), get_format(name).vocabulary
        left_out = {*COMMON, *(() if self.bodies else words.bodies)}
        return {column: kind for column, kind in known.items() if column not in left_out}

    def columns(self) -> dict[str, str]:
        """Return all columns except `fields`, with their Arrow types."""
        if self.contents is not None:
            own = {
                each.name: KINDS.get(each.kind, "string") for each in self._table_of(self.contents).columns
            }
            # Spark ignores the case of names.
            taken = {name.lower() for name in own}
            return {name: kind for name, kind in BESIDE.items() if name not in taken} | own
        return dict(JOURNALS) if self.journals else {**COMMON, **self.typed()}

    def settled_columns(self) -> bool:
        """Return whether there are only columns, without a map `fields`."""
        return self.journals or self.contents is not None or bool(self.typed())

    def _table_of(self, name: str) -> Table:
        """Return a table of the contents. It is either defined by the format or created by users."""
        if self._table is None:
            formats = {self.format} if self.format else {journal.format for _, journal in self.found()}
            if len(formats) != 1:
                raise JournalError(
                    "contents are of journals of one format, and these are of several: "
                    f"{', '.join(sorted(formats))} (say which with option 'format')"
                )
            with _told():
                about = described(*formats)
            known = dict(about.tables) if about is not None else {}
            for _, journal in () if name in known else self.found():
                with suppress(UnknownEdition):
                    found = _stored(ask(journal))
                    known |= found.tables if found is not None else {}
                if name in known:
                    break
            if name not in known:
                there = ", ".join(map(shown, known)) or "none"
                raise JournalError(f"no table {shown(name)!r} in the contents: there are {there}")
            self._table = known[name]
        return self._table

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the journals, because their files are open only in this process, not where
        a task runs.
        """
        return {**self.__dict__, "_found": None}

    def found(self) -> list[tuple[str, Journal]]:
        """Return the journals at the paths, each with its own path, in the order of the paths."""
        if self._found is None:
            with _told():
                unique = {
                    (path, _names(journal)): (path, journal)
                    for given in self.paths
                    for path, journal in self._journals(given)
                }
            self._found = [unique[key] for key in sorted(unique)]
        return self._found

    def _journals(self, given: str) -> Iterator[tuple[str, Journal]]:
        if is_remote(given):
            for path, loaded in load_below(given):
                # Directories without a journal are also examined, and then skipped.
                with suppress(FilesetError):
                    yield from ((path, journal) for journal in self._of(loaded))
            return
        for match in _matches(given):
            yield from self._at(match)

    def _at(self, path: Path) -> Iterator[tuple[str, Journal]]:
        try:
            here = [(str(path), journal) for journal in self._of(load_files(path))]
        except FilesetError:
            nested = below(path, at_most=MOST_BELOW, every=True) if path.is_dir() else []
            here = [*self._inside(nested)]
            if not here:
                raise
        yield from here

    def _inside(self, directories: Iterable[Path]) -> Iterator[tuple[str, Journal]]:
        """Yield the journals of directories. If a format is given, journals of other formats are skipped."""
        for directory in directories:
            try:
                yield from ((str(directory), journal) for journal in self._of(load_files(directory)))
            except FilesetError:
                if self.format is None:
                    raise

    def _of(self, loaded: Loaded) -> list[Journal]:
        params = dict(self.params)
        journals = find_journals(loaded, self.format, self.edition, params)
        for journal in journals:
            checked_params(get_format(journal.format), params, self.edition)
        return journals


class JournalReader(DataSourceReader):
    """Finds journals when the query is planned, and reads them when it runs."""

    def __init__(self, options: Mapping[str, str], names: Sequence[str] | None = None) -> None:
        self._asked = Query(options)
        known = self._asked.columns()
        if names is None:
            names = [*known] if self._asked.settled_columns() else [*known, "fields"]
        kinds = {"fields": _FIELDS} | {name: type_of(kind) for name, kind in known.items()}
        if unknown := [name for name in names if name not in kinds]:
            raise JournalError(f"no column {unknown[0]!r}: there are {', '.join(kinds)}")
        self.kinds = {name: kinds[name] for name in names}
        self._filters: list[Predicate] = []

    def partitions(self) -> Sequence[JournalPartition]:
        """Return the partitions of the tasks, in order; raises JournalError if there is no journal."""
        out: list[JournalPartition] = []
        pieces: list[Piece] = []
        size = 0
        for path, journal in self._asked.found():
            for piece, length in self._pieces(path, journal):
                if pieces and size + length > TOGETHER:
                    out.append(JournalPartition(tuple(pieces)))
                    pieces, size = [], 0
                if pieces and piece.numbers and replace(pieces[-1], numbers=()) == replace(piece, numbers=()):
                    pieces[-1] = replace(piece, numbers=(*pieces[-1].numbers, *piece.numbers))
                else:
                    pieces.append(piece)
                size += length
        return [*out, JournalPartition(tuple(pieces))] if pieces else out

    def _pieces(self, path: str, journal: Journal) -> Iterator[tuple[Piece, int]]:
        """Yield the pieces of a journal, each with its length in bytes."""
        asked, names = self._asked, _names(journal)
        size = sum(map(len, journal.files.values()))
        if asked.journals or asked.every_row or asked.contents is not None:
            yield Piece(path, names, journal.format, asked.edition, asked.params), size
            return
        try:
            journal = settled(journal)
        except UnknownEdition as error:
            yield Piece(path, names, journal.format, asked.edition, asked.params, why=_sentence(error)), 0
            return
        whole = Piece(path, names, journal.format, journal.edition, asked.params)
        parts = stretches(journal)
        if not isinstance(parts, Sequence):
            # Each stretch depends on the previous one. One long journal is scanned here, so that its tasks do
            # not scan the files before theirs. Of several journals, each is one task. The last file can grow.
            found = _planned(parts, whole) if size > TOGETHER and len(asked.found()) == 1 else []
            while found and found.pop().outcome is None:
                pass
            whole = replace(whole, outcomes=tuple(part.outcome and part.outcome[0] for part in found))
            for number, part in enumerate(found):
                yield replace(whole, numbers=(number,)), len(journal.seen[part.file])
            yield whole, size - sum(len(journal.seen[name]) for name in {part.file for part in found})
            return
        # The last piece is for the files that no stretch describes.
        lengths = [*(len(journal.seen.get(part.file, b"")) for part in parts), 0]
        for number, length in enumerate(lengths):
            yield replace(whole, numbers=(number,)), length

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a task as batches; raises JournalError for damage in mode FAILFAST."""
        assert isinstance(partition, JournalPartition)  # Made by `partitions`.
        last: tuple[str, tuple[str, ...]] | None = None
        for piece in partition.pieces:
            if (piece.path, piece.files) != last:
                last, journal = (piece.path, piece.files), self._again(piece)
            for batch in self._of(piece, journal):
                if kept := kept_of(batch, self._filters):
                    yield kept

    def _again(self, piece: Piece) -> Journal:
        asked = self._asked
        if is_remote(piece.path):
            loaded = next((found for path, found in load_below(piece.path) if path == piece.path), None)
        else:
            loaded = load_files(Path(piece.path))
        found = find_journals(loaded, piece.format, piece.edition, dict(asked.params)) if loaded else []
        for journal in found:
            if _names(journal) == piece.files:
                return journal
        raise JournalError(f"{shown(piece.path)}: {CHANGED}")

    def _of(self, piece: Piece, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a piece."""
        rows = _Rows(piece.path, journal, self.kinds)
        if piece.why:
            if self._asked.strict:
                raise JournalError(piece.why)
            yield rows.of_regions(
                (name, 0, len(data), "unknown-edition") for name, data in journal.files.items()
            )
        elif self._asked.journals:
            yield rows.of_journal()
        elif self._asked.contents is not None:
            yield from self._unless_damaged(piece, rows, rows.of_contents(self._asked.contents))
        elif self._asked.every_row:
            yield from self._unless_damaged(piece, rows, rows.of_answer(ask(journal)))
        else:
            parts = _planned(stretches(settled(journal)), piece)
            for number in piece.numbers or range(len(piece.outcomes), len(parts) + 1):
                found = rows.of_stretch(parts[number]) if number < len(parts) else rows.of_rest(parts)
                yield from self._unless_damaged(piece, rows, found)
                if number < len(piece.outcomes) and len({*(parts[number].outcome or ())}) > 1:
                    raise JournalError(f"{shown(piece.path)}: {CHANGED}")

    def _unless_damaged(
        self, piece: Piece, rows: _Rows, found: Iterable[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """Yield batches; in mode FAILFAST the first damage raises JournalError."""
        for batch in found:
            if self._asked.strict and rows.damaged:
                raise JournalError(f"{shown(piece.path)}: {rows.damaged}")
            yield batch


class FilteringReader(JournalReader):
    """A reader that evaluates filters itself. Spark rejects it if the session setting forbids that."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802  # the name is Spark's
        """Keep the filters on single columns; return the others."""
        for each in filters:
            name = each.attribute[0] if len(each.attribute) == 1 else ""  # type: ignore[attr-defined]
            if name in self.kinds and (op := _OPERATORS.get(type(each))):
                self._filters.append(Predicate(name, op, getattr(each, "value", None)))
            else:
                yield each


#: Maps a file to the checksum of its first record, and the end of its last record.
Ends = dict[str, dict[str, int]]


@dataclass
class Gained(InputPartition):
    """Represents the new records of the files at a path. For each file, it contains their begin, their end,
    and the checksum of the file's first record.
    """

    path: str
    files: Mapping[str, tuple[int, int, int]]


class JournalStreamReader(DataSourceStreamReader):
    """Examines the journals before each batch of the stream. A task reads the new records at one path."""

    def __init__(self, options: Mapping[str, str], names: Sequence[str]) -> None:
        asked = Query(options)
        if asked.journals or asked.every_row or asked.contents is not None:
            raise JournalError("a stream has records: options contents, rows and view are for a query")
        self._options, self._names = options, [*names]
        self._kinds = JournalReader(options, [*dict.fromkeys((*names, "off"))]).kinds

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # the name is Spark's
        """Return the offset before the existing records."""
        return {}

    def latestOffset(self) -> dict[str, Ends]:  # type: ignore[override]  # noqa: N802  # as Spark 4.1 has it
        """Return the present ends of the records of each file, by path."""
        out: dict[str, Ends] = {}
        for path, journal in Query(self._options).found():
            for part in _parts(journal):
                for batch in filter(len, part.scan()):
                    end = out.setdefault(path, {}).setdefault(part.file, {"first": _first(batch), "end": 0})
                    end["end"] = max(end["end"], batch.base + batch.end[-1])
        return out

    def partitions(self, start: dict[str, Ends], end: dict[str, Ends]) -> Sequence[Gained]:
        """Return a task for each path with files that have new records."""
        out = []
        for path, files in end.items():
            gained = {}
            for name, now in files.items():
                was = start.get(path, {}).get(name, {"first": -1, "end": 0})
                low = was["end"] if was["first"] == now["first"] else 0
                if low < now["end"]:
                    gained[name] = low, now["end"], now["first"]
            out += [Gained(path, gained)] if gained else []
        return out

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the new records. Records of a later generation of a file come with the next batch."""
        assert isinstance(partition, Gained)  # Made by `partitions`.
        for path, journal in Query({**self._options, "path": partition.path, "paths": ""}).found():
            rows, firsts = RowBatches(path, journal, self._kinds), dict[str, int]()
            for part in _parts(journal):
                low, high, first = partition.files.get(part.file, (0, 0, 0))
                between = [Predicate("off", ">=", low), Predicate("off", "<", high)]
                for batch in filter(len, part.scan() if high else ()):
                    if firsts.setdefault(part.file, _first(batch)) != first:
                        break
                    if low < batch.base + batch.end[-1] and (
                        kept := kept_of(rows.of_records(part, batch), between)
                    ):
                        yield kept.select(self._names)


class _Rows(RowBatches):
    """Represents rows of one journal, including rows of the views that only Spark has."""

    def of_journal(self) -> pa.RecordBatch:
        """Return the row of the journal itself."""
        journal = self.journal
        files = {"files": len(journal.files), "bytes": sum(map(len, journal.files.values()))}
        try:
            answer = ask(journal)
        except UnknownEdition:
            return self.of_dicts([{**self.same, **files, "verdict": REFUSED, "code": "unknown-edition"}])
        seen = answer.observation
        codes = Counter(note.code for note in seen.notes)
        row = {
            **{
                **self.same,
                "edition": answer.journal.edition,
                **files,
                "verdict": seen.verdict,
                "code": seen.code,
            },
            **{"records": len(seen.records), "dropped": len(seen.dropped), "missing": len(seen.missing)},
            "dropped_bytes": sum(region.length for region in seen.dropped),
            "notes": ", ".join(sorted(codes)) or None,
        }
        return self.of_dicts([row])

    def of_contents(self, table: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a table of the contents. Yield no rows if the journal has no such table.

        The first batch is empty. As soon as it is yielded, `damaged` is known.
        """
        try:
            answer = ask(self.journal)
        except UnknownEdition as error:
            self.damaged = _sentence(error)
            yield self.of_dicts(())
            return
        seen, self.same["edition"] = answer.observation, answer.journal.edition
        first = next(iter(seen.dropped), None)
        if first is not None:
            self.damaged = f"{shown(first.file)}: {first.reason} at {first.off}"
        elif seen.verdict == REFUSED:
            self.damaged = shown(f"{seen.code}: {seen.message}")
        yield self.of_dicts(())
        found = _stored(answer)
        own = found.tables.get(table) if found is not None else None
        if found is None or own is None:
            return
        names = [each.name for each in own.columns if each.name in self._kinds]
        rows = ({**self.same, **{name: _cell(row[name]) for name in names}} for row in found.rows(table))
        while some := list(islice(rows, CONTENTS_ROWS)):
            yield self.of_dicts(some)

    def of_answer(self, answer: Answer) -> Iterator[pa.RecordBatch]:
        """Yield the complete result of reading a journal: regions, records, unanchored records, notes."""
        seen, self.same["edition"] = answer.observation, answer.journal.edition
        lost = {(record.at.file, record.at.off) for record in seen.each_given_up()}
        roles = {entry.file: entry.role for entry in seen.files}

        def told(record: Record, kind: str) -> dict[str, Any]:
            place = {"file": shown(record.at.file), "off": record.at.off, "len": record.at.length}
            reason = "given-up" if (record.at.file, record.at.off) in lost else None
            fields = [*texts_of(record).items()]
            said = {"kind": kind, "role": roles.get(record.at.file), "type": record.type}
            return {**self.same, **place, **said, "reason": reason, "fields": fields}

        def every() -> Iterator[dict[str, Any]]:
            yield from (told(record, "record") for record in seen.records)
            yield from (told(record, "unanchored") for record in seen.unanchored)
            for note in seen.notes:
                place = {"file": shown(note.file) or None, "off": note.off}
                text = [("text", shown(note.text))] if note.text else None
                yield {**self.same, **place, "kind": "note", "reason": note.code, "fields": text}

        regions = ((each.file, each.off, each.length, each.reason) for each in seen.dropped)
        while few := list(islice(regions, BATCH_ROWS)):
            yield self.of_regions(few, roles)
        if seen.verdict == REFUSED and not seen.dropped:
            yield self.of_refused(seen)
        rows = every()
        while some := list(islice(rows, BATCH_ROWS)):
            yield self.of_dicts(some)


def _planned(plan: Iterable[Stretch], piece: Piece) -> list[Stretch]:
    """Return the stretches up to the last one of a piece, without a scan of those whose outcomes are known.

    Return none if reading refuses the journal.
    """
    known, several = piece.outcomes, piece.numbers[-1] + 1 if piece.outcomes and piece.numbers else None
    parts: list[Stretch] = []
    try:
        for part in islice(plan, several):
            if part.outcome is not None and len(parts) < len(known):
                part.outcome.append(known[len(parts)])
            parts.append(part)
    except ReadingRefused:
        parts = []
    if len(parts) < (several or len(known)):
        raise JournalError(f"{shown(piece.path)}: {CHANGED}")
    return parts


def _parts(journal: Journal) -> Iterator[Stretch]:
    """Yield the stretches of a journal. Yield none while it is too short to show its edition."""
    with suppress(UnknownEdition, ReadingRefused):
        yield from stretches(settled(journal))


def _first(batch: Batch) -> int:
    return crc32(batch.data[batch.off[0] : batch.end[0]])


def _stored(answer: Answer) -> Contents | None:
    return contents(with_state(answer))


def _cell(value: Any) -> Any:
    """Return a value of contents for a column: nested values as JSON, texts escaped."""
    if isinstance(value, (Mapping, list, tuple)):
        return shown(json.dumps(nested(value), separators=(",", ":"), ensure_ascii=False))
    return shown(value) if isinstance(value, str) else value


def _names(journal: Journal) -> tuple[str, ...]:
    return (*journal.files, *(entry.name for entry in journal.unread))


def _paths(options: Mapping[str, str]) -> list[str]:
    """Return the paths given to ``load``; several paths arrive as a JSON list."""
    several = options.get("paths")
    if several:
        return [str(path) for path in json.loads(several)]
    if options.get("path"):
        return [options["path"]]
    raise JournalError("no path: give a file, a directory, a glob or a URI to load()")


def _matches(path: str) -> list[Path]:
    """Return the paths that match a path or glob. Raises JournalError if there are none."""
    plain = path.removeprefix("file://")
    if Path(plain).exists():
        return [Path(plain)]
    found = sorted(Path(name) for name in glob.glob(plain, recursive=True))  # noqa: PTH207  # absolute patterns too
    if not found:
        raise JournalError(f"{path!r}: no such file or directory, and no match as a glob; check the spelling")
    return found


@contextmanager
def _told() -> Iterator[None]:
    """Convert errors about a path, a format or an edition to JournalError."""
    try:
        yield
    except FilesetError as error:
        raise JournalError(_sentence(error)) from None
    except UnknownFormat as error:
        raise JournalError(str(error.args[0])) from None


def _sentence(error: FilesetError) -> str:
    return shown(f"{error}" + (f" ({error.hint})" if error.hint else ""))
