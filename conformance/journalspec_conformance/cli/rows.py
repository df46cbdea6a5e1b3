"""Finds the requested rows of journals: column by column if Arrow is installed, otherwise record by record.

Both methods find the same rows, and neither keeps a row in memory after examining it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.util import find_spec
from itertools import compress, islice
from typing import TYPE_CHECKING, Any

from journalspec.files import shown
from journalspec.formats import get_format
from journalspec.observation import RECOVERED, REFUSED, Record
from journalspec.reread import Changed
from journalspec.vocabulary import Field
from journalspec_conformance.cli.contents import (
    COLUMNS,
    END_OF_TIME,
    FIRST_MOMENT,
    MESSAGES,
    Holdings,
    as_text,
    lines_of,
)
from journalspec_conformance.cli.journal_view import STATUSES, Part, answer_of
from journalspec_conformance.cli.ndjson import line_of
from journalspec_conformance.cli.places import NothingKept, Stores, UsageProblem
from journalspec_conformance.cli.selection import COMMON, ColumnSet, Question, columns_of, record_columns
from journalspec_reference.answers import Answer, ask, stretches
from journalspec_reference.batches import Batch, Stretch
from journalspec_reference.contents import with_state
from journalspec_reference.predicates import Predicate, text_of, texts

if TYPE_CHECKING:
    import pyarrow as pa

#: The noun for a row that is a record, and the number of rows in a batch of a table.
RECORD, BATCH_ROWS = "record", 8192
#: Values of several rows by the name of their column.
Columns = Mapping[str, Sequence[Any]]


def has_arrow() -> bool:
    """Return whether rows can be found column by column, because NumPy and Arrow are installed."""
    return find_spec("numpy") is not None and find_spec("pyarrow") is not None


@dataclass(frozen=True)
class Chunk:
    """Represents a batch of rows: their number, and their values as columns, as JSON, or for Arrow."""

    count: int
    columns: Callable[[], Columns]
    lines: Callable[[], Iterable[str]]
    arrow: pa.RecordBatch | None = None

    def counted(self, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
        """Return the number of rows for each combination of values; lists are compared as texts."""
        if self.arrow is None:
            columns = self.columns()
            plain = [
                [text_of(each) if isinstance(each, list) else each for each in columns[name]]
                for name in names
            ]
            return Counter(zip(*plain, strict=True))
        import pyarrow as pa  # noqa: PLC0415  # an optional package

        arrays = [self.arrow.column(name) for name in names]
        arrays = [texts(each) if pa.types.is_list(each.type) else each for each in arrays]
        keys = [str(number) for number in range(len(arrays))]
        found = pa.table(arrays, names=keys).group_by(keys).aggregate([([], "count_all")]).to_pydict()
        counts = found.pop("count_all")
        total: Counter[tuple[Any, ...]] = Counter()
        # PyArrow 15 returns several groups of absent values, because it compares the bytes in their slots.
        # These groups are added up.
        for values, count in zip(zip(*found.values(), strict=True), counts, strict=True):
            total[values] += count
        return total


@dataclass(eq=False)
class Matches(Part):
    """The rows of one journal for which `predicates` hold, in the files that match one of `files`.

    After all chunks have been read, `matched` is the number of these rows.
    """

    predicates: Sequence[Predicate] = ()
    files: Sequence[str] = ()
    noun: str = RECORD
    #: The policy of the recovery that found these contents. None means strict recovery. If strict recovery
    #: refuses the journal, all readable rows are shown.
    policy: str | None = None
    matched: int = field(default=0, init=False)

    @property
    def columns(self) -> Mapping[str, Field]:
        """The columns of the rows."""
        return columns_of(self.description)

    @cached_property
    def recovered(self) -> Answer:
        """The answer of recovery. It always has a state, because lists and contents need the state."""
        return with_state(self.answer) if self.policy is None else ask(self.answer.journal, self.policy)

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """The lists of the recovered state, redacted with --redact."""
        return self.redactor.observation(self.recovered.observation).state or {}

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows with the columns `names`; raises Changed if the files have changed."""
        journal, seen, self.matched = self.answer.journal, 0, 0
        if self.answer.observation.verdict == REFUSED:
            return
        for part in filter(self.asks_for, stretches(journal)):
            for batch in part.scan():
                seen += len(batch)
                if len(batch) and (chunk := self.chunk(part, batch, names)).count:
                    self.matched += chunk.count
                    yield chunk
        if not (self.files or journal.unread) and seen != len(self.answer.observation.records):
            raise Changed("")

    def asks_for(self, part: Stretch) -> bool:
        """Return whether rows of a file are requested."""
        return not self.files or any(fnmatchcase(part.file, each) for each in self.files)

    def chunk(self, part: Stretch, batch: Batch, names: Sequence[str]) -> Chunk:
        """Return the requested rows of a batch."""
        by_columns = has_arrow() and part.columns is not None
        return self._by_columns(part, batch, names) if by_columns else self._by_records(part, batch, names)

    def schema(self, names: Sequence[str]) -> pa.Schema:
        """Return the Arrow types of columns; redacted bytes are text."""
        import pyarrow as pa  # noqa: PLC0415  # an optional package

        kinds = self._kinds
        if self.redactor.hides:
            as_text = {pa.binary(): pa.string(), pa.list_(pa.binary()): pa.list_(pa.string())}
            kinds = {name: as_text.get(kind, kind) for name, kind in kinds.items()}
        return pa.schema([(name, kinds[name]) for name in names])

    def record_batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows as record batches of :meth:`schema`, for a query.

        A time outside the calendar, such as the largest number for "never", becomes null, because DuckDB
        fails on it.
        """
        import pyarrow as pa  # noqa: PLC0415  # an optional package

        times = [name for name in names if self.columns[name].kind == "time"]
        for chunk in self.chunks(names):
            if chunk.arrow is not None and not self.redactor.hides:
                yield chunk.arrow.select(names)
                continue
            columns = dict(chunk.columns())
            for name in times:
                columns[name] = [
                    each if each is not None and FIRST_MOMENT <= each < END_OF_TIME else None
                    for each in columns[name]
                ]
            yield pa.record_batch(columns, self.schema(names))

    @cached_property
    def _kinds(self) -> dict[str, pa.DataType]:
        """Return the Arrow types of all columns."""
        from journalspec_reference.arrow import columns_of as typed  # noqa: PLC0415  # needs an optional package
        from journalspec_reference.arrow import type_of  # noqa: PLC0415  # needs an optional package

        known = {"journal": "string", "file": "string", "off": "int64", "len": "int64"} | {
            **typed(self.description.id)
        }
        return {name: type_of(known[name]) for name in self.columns}

    def _by_columns(self, part: Stretch, batch: Batch, names: Sequence[str]) -> Chunk:
        """Return the rows of a batch by evaluating the conditions on its columns."""
        import numpy as np  # noqa: PLC0415  # an optional package
        import pyarrow as pa  # noqa: PLC0415  # an optional package

        from journalspec_reference import tables  # noqa: PLC0415  # needs an optional package

        # A record batch without any column would have no rows, so the column `off` is always read.
        wanted = {*names, *(each.column for each in self.predicates), "off"}
        kinds = {name: kind for name, kind in self._kinds.items() if name in wanted}
        whole = tables.RowBatches(self.path, self.answer.journal, kinds).of_records(part, batch)
        numbers = pa.array(np.arange(len(batch)))
        numbered = pa.RecordBatch.from_arrays([*whole.columns, numbers], [*whole.schema.names, ""])
        kept = tables.kept_of(numbered, self.predicates)
        if kept is None:
            return Chunk(0, dict, tuple)

        def lines() -> Iterator[str]:
            chosen = bytearray(len(batch))
            for number in kept.column("").to_pylist():
                chosen[number] = True
            return map(self._line, compress(part.tell(batch), chosen))

        return Chunk(kept.num_rows, lambda: self._redacted(kept.select(names).to_pydict()), lines, kept)

    def _by_records(self, part: Stretch, batch: Batch, names: Sequence[str]) -> Chunk:
        """Return the rows of a batch by examining its records one by one."""
        pairs = ((record, _row(record, self.path)) for record in part.tell(batch))
        found = [
            pair for pair in pairs if all(each.holds(pair[1].get(each.column)) for each in self.predicates)
        ]
        return Chunk(
            len(found),
            lambda: self._redacted({name: [row.get(name) for _, row in found] for name in names}),
            lambda: (self._line(record) for record, _ in found),
        )

    def _line(self, record: Record) -> str:
        return line_of(self.redactor.record(record))

    def _redacted(self, columns: Columns) -> Columns:
        if not self.redactor.hides:
            return columns
        return {name: [self.shown_value(name, each) for each in found] for name, found in columns.items()}

    def shown_value(self, name: str, value: Any) -> Any:
        """Return a value of a column, redacted with --redact."""
        if name in COMMON or self.columns[name].choices:
            return value
        return self.redactor.text(value, name)


@dataclass
class ContentsRows(Matches):
    """The rows of a table other than records: of contents, of lost regions, or of a list of the state.

    `known` are its columns, `entries` returns its rows as they are stored; `tell` converts a row for display.
    """

    table: str = ""
    known: Mapping[str, Field] = field(default_factory=dict)
    entries: Callable[[], Iterable[Mapping[str, Any]]] = tuple
    tell: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    #: Maps the names of queues to their form for display, including queues without a row.
    queues: Callable[[], Mapping[str, str]] = dict
    #: Returns lines about faults that were found while reading the rows: damaged pages, unreadable bodies.
    remarks: Callable[[], Iterable[str]] = tuple

    @property
    def columns(self) -> Mapping[str, Field]:
        """The columns of the rows."""
        return {"journal": columns_of(self.description)["journal"], **self.known}

    def stored(self) -> Iterator[Mapping[str, Any]]:
        """Yield the requested rows as they are stored."""
        if not self.predicates and not self.files:
            yield from self.entries()
            return
        for row in self.entries():
            if all(each.holds(_compared(row.get(each.column))) for each in self.predicates) and (
                not self.files or any(fnmatchcase(str(row.get("file")), each) for each in self.files)
            ):
                yield row

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows with the columns `names`."""
        self.matched = 0
        rows = map(self.tell, self.stored())
        path = shown(self.path)
        while some := [{"journal": path, **row} for row in islice(rows, BATCH_ROWS)]:
            self.matched += len(some)
            yield Chunk(
                len(some),
                lambda some=some: {name: [as_text(row[name]) for row in some] for name in names},  # type: ignore[misc]  # it is bound here
                lambda some=some: (f'{{"row":{line}}}\n' for line in lines_of(some)),  # type: ignore[misc]  # it is bound here
            )

    @cached_property
    def _kinds(self) -> dict[str, pa.DataType]:
        """Return the Arrow types of all columns; nested values are JSON."""
        import pyarrow as pa  # noqa: PLC0415  # an optional package

        kinds = {"int": pa.int64(), "bytes": pa.binary(), "bool": pa.bool_(), "float": pa.float64()}
        kinds["time"] = pa.timestamp("ms", tz="UTC")
        return {name: kinds.get(each.kind, pa.string()) for name, each in self.columns.items()}

    def shown_value(self, name: str, value: Any) -> Any:
        """Return a value of a column unchanged, because the rows are redacted already."""
        return value


def _compared(value: Any) -> Any:
    """Return the value that a condition tests: the JSON of a nested value, such as message properties."""
    return as_text(value) if isinstance(value, Mapping) else value


def _row(record: Record, path: str) -> dict[str, Any]:
    """Return a record as a row: the value of each column."""
    at = record.at
    row: dict[str, Any] = {"journal": shown(path), "file": shown(at.file), "off": at.off, "len": at.length}
    row["type"] = record.type
    for name, value in record.fields.items():
        if isinstance(value, Mapping):
            row |= {f"{name}_{inner}": _plain(each) for inner, each in value.items()}
        else:
            row[name] = _plain(value)
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    return shown(value) if isinstance(value, str) else value


def ask_rows(found: Stores, selection: Question, policy: str | None = None) -> tuple[list[Matches], int]:
    """Return the rows to look for in each journal, and the exit status of the worst verdict.

    Raises UsageProblem if the journals are of several formats, or the question does not fit their format, and
    NothingKept if recovery under the `policy` refuses one.
    """
    formats = sorted({each.format for each in found.journals})
    if len(formats) != 1:
        raise UsageProblem(
            f"rows need journals of one format, but these journals have several: {', '.join(formats)}",
            "give --format, or the path of one of them",
        )
    description = get_format(formats[0])
    out: list[Matches] = []
    status = STATUSES[RECOVERED] if found.unlisted else 0
    for place, journal in found.pairs:
        # If the edition is unknown, the suggested commands do not contain --redact.
        answer = answer_of(replace(place.asked, redact=False), "inspect", journal, None)
        out.append(Matches(place, answer, files=selection.files, policy=policy))
        verdicts = [answer.observation.verdict]
        if policy is not None:
            seen = out[-1].redactor.observation(out[-1].recovered.observation)
            if seen.verdict == REFUSED:
                why = f"--policy {policy} refuses it: {seen.phase}/{seen.code}: {seen.message}"
                raise NothingKept(shown(why), "another policy may keep some data")
            verdicts.append(seen.verdict)
        status = max(status, *(STATUSES[verdict] for verdict in verdicts))
    if selection.of_contents(description):
        tables = [each for one in with_contents(out) if (each := _of_contents(one, selection)) is not None]
        if tables:
            return tables, status
        if selection.contents is not None:
            what = f"{shown(out[0].path)} has no known table of contents"
            raise UsageProblem(what, "--contents records")
    columns = record_columns(description)
    predicates = selection.predicates(columns)
    selection.counted(columns)
    return [replace(each, predicates=predicates) for each in out], status


def with_contents(sources: Sequence[Matches]) -> list[Matches]:
    """Return the journals whose contents are rows, without any journal that only supplements another one.

    For example, the contents of a broker's message journal already include the queues from its bindings.
    """
    main, *others = sources[0].description.parts or [""]
    roots = [(one, one.answer.journal.root) for one in sources]
    homes = {root.parent for _, root in roots if root is not None and fnmatchcase(root.name, main)}
    return [
        one
        for one, root in roots
        if root is None
        or root.parent not in homes
        or not any(fnmatchcase(root.name, each) for each in others)
    ]


def table_of(contents: Holdings, table: str, source: Matches) -> ContentsRows:
    """Return the rows of a table of the contents of a journal."""
    return ContentsRows(
        source.place,
        source.answer,
        noun=contents.noun(table),
        table=table,
        known=contents.columns(table),
        entries=lambda: contents.rows(table),
        tell=contents.shown(table),
        queues=contents.queues,
        remarks=contents.remarks,
    )


def contents_tables(source: Matches) -> dict[str, ContentsRows]:
    """Return all tables of the contents of a journal; none if its format reports none."""
    contents = source.contents
    names = contents.names if contents is not None else ()
    return {name: table_of(contents, name, source) for name in names if contents is not None}


def _of_contents(source: Matches, selection: Question) -> Matches | None:
    """Return the rows of the requested table of contents, or None if the journal reports no contents."""
    contents = source.contents
    if contents is None:
        return None
    wanted = selection.contents or next(iter(selection.table), MESSAGES)
    names = [name for name in contents.contents.tables if name.upper().split(".")[-1] == wanted.upper()]
    if wanted in contents.contents.tables:
        names = [wanted]
    if len(names) != 1 or len(selection.table) > 1:
        names = [name for name in names if name in contents.names]
        known = names or get_close_matches(wanted, contents.names, cutoff=0)
        hint = f"{'there are' if names else 'the nearest names:'} {', '.join(map(shown, known))}"
        what = "several tables" if len(names) > 1 else "no table"
        raise UsageProblem(f"{shown(source.path)} has {what} {shown(wanted)!r}", hint)
    (table,) = names
    found = table_of(contents, table, source)
    columns = ColumnSet(shown(table), contents.stored_columns(table), COLUMNS)
    selection.counted(columns)
    # The value of --table selects the table; it is not a condition on rows.
    found.predicates = replace(selection, table=()).predicates(columns)
    found.files = selection.files
    return found
