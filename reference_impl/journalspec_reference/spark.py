"""Journals as DataFrames: ``spark.read.format("journalspec").load("path or glob")``.

Call :func:`register` once per session. Each journal is one partition; a row is
one record, one region that holds none (``kind`` is ``dropped``; a file that could
not be read is one), a valid record outside the log that does not count
(``unanchored``; if it stands in what was given up, ``reason`` says ``given-up``:
what counts may then not be all), or a remark (``note``: its code in ``reason``, its
text in ``fields``). Columns that differ between formats stand in the map ``fields``,
by the spec's names and in the observation's JSON form: integers as decimal text,
bytes as hex, lists as JSON. Text that could steer a terminal, or is not
UTF-8, is escaped, as ``bad\\udcff``.

Options: ``format`` and ``edition`` (found out if not given; the note
``edition-assumed`` says so, and an edition that cannot be told is an error), and
``param.NAME`` for what the journal was configured with. Paths are read where the
workers run: on a cluster they must lie on storage that all of them see.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from journalspec.files import shown
from journalspec.formats import UnknownFormat, get_format
from journalspec.observation import REFUSED, Observation, Record, jsonable
from journalspec_reference.answers import ask, checked_params
from journalspec_reference.filesets import FilesetError, Journal, below, find_journals
from journalspec_reference.filesets import load as load_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "journalspec"
#: Column -> its types for Spark and for Arrow.
COLUMNS = {
    **dict.fromkeys(("journal", "format", "edition", "file"), ("string", pa.string())),
    **dict.fromkeys(("off", "len"), ("bigint", pa.int64())),
    **dict.fromkeys(("kind", "role", "type", "reason"), ("string", pa.string())),
    "fields": ("map<string,string>", pa.map_(pa.string(), pa.string())),
}
SCHEMA = ", ".join(f"{name} {spark}" for name, (spark, _) in COLUMNS.items())
_ARROW = pa.schema([(name, arrow) for name, (_, arrow) in COLUMNS.items()])
BATCH_ROWS = 8192
#: What the names of options begin with that are parameters of the format.
PARAM = "param."
#: How many directories below a given one are searched for journals.
MOST_BELOW = 100_000


class JournalError(ValueError):
    """A path that cannot be read as journals: what, why, and what to do."""


@dataclass
class JournalPartition(InputPartition):
    """One journal: the path that leads to it, which of the journals there it is, and what was said of it."""

    path: str
    files: tuple[str, ...]
    format: str
    #: As the options say; None: to be found out where the files are read.
    edition: str | None
    params: tuple[tuple[str, str], ...] = ()


def register(spark: SparkSession) -> None:
    """Make the format ``journalspec`` known to `spark`."""
    spark.dataSource.register(JournalSource)


class JournalSource(DataSource):
    """The data source; Spark makes one per read."""

    @classmethod
    def name(cls) -> str:
        """Return the name for ``spark.read.format``."""
        return NAME

    def schema(self) -> str:
        """Return the columns, the same ones for every format."""
        return SCHEMA

    def reader(self, schema: Any) -> JournalReader:
        """Return the reader for the options given."""
        return JournalReader(dict(self.options))


class JournalReader(DataSourceReader):
    """Finds journals when the query is planned, reads them when it runs."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._format = options.get("format")
        self._edition = options.get("edition")
        self._params = {
            name.removeprefix(PARAM): value for name, value in options.items() if name.startswith(PARAM)
        }
        self._paths = _paths(options)

    def partitions(self) -> Sequence[JournalPartition]:
        """Return one partition per journal, sorted by path; raises JournalError if there is none."""
        found: list[JournalPartition] = []
        for path in self._paths:
            for match in _matches(path):
                found += self._at(match)
        unique = {(entry.path, entry.files): entry for entry in found}
        return [unique[key] for key in sorted(unique)]

    def _at(self, path: Path) -> list[JournalPartition]:
        try:
            return self._here(path)
        except UnknownFormat as error:
            raise JournalError(str(error.args[0])) from None
        except FilesetError as error:
            nested = self._below(path) if path.is_dir() else []
            if not nested:
                raise JournalError(shown(f"{error}" + (f" ({error.hint})" if error.hint else ""))) from None
        return [entry for directory in nested for entry in self._here(directory)]

    @staticmethod
    def _below(path: Path) -> list[Path]:
        try:
            return below(path, at_most=MOST_BELOW, every=True)
        except FilesetError as error:
            raise JournalError(shown(f"{error} ({error.hint})")) from None

    def _here(self, path: Path) -> list[JournalPartition]:
        journals = find_journals(load_files(path), self._format, self._edition, self._params)
        for journal in journals:
            checked_params(get_format(journal.format), self._params, self._edition)
        params = tuple(sorted(self._params.items()))
        return [
            JournalPartition(str(path), _names(journal), journal.format, self._edition, params)
            for journal in journals
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one journal as batches; raises JournalError if its edition cannot be told."""
        assert isinstance(partition, JournalPartition)  # made by `partitions`
        try:
            found = find_journals(
                load_files(Path(partition.path)), partition.format, partition.edition, dict(partition.params)
            )
            (journal,) = (item for item in found if _names(item) == partition.files)
            answer = ask(journal)
        except FilesetError as error:
            raise JournalError(f"{shown(f'{partition.path}: {error}')}\n{shown(error.hint)}") from None
        except ValueError:
            raise JournalError(
                f"{shown(partition.path)}: the files have changed since the query began"
            ) from None
        rows = list(_rows(partition.path, answer.journal, answer.observation))
        for start in range(0, len(rows), BATCH_ROWS):
            yield pa.RecordBatch.from_pylist(rows[start : start + BATCH_ROWS], schema=_ARROW)


def _names(journal: Journal) -> tuple[str, ...]:
    return (*journal.files, *(entry.name for entry in journal.unread))


def _paths(options: Mapping[str, str]) -> list[str]:
    """Return the paths that ``load`` was given; several come as a JSON list."""
    several = options.get("paths")
    if several:
        return [str(path) for path in json.loads(several)]
    if options.get("path"):
        return [options["path"]]
    raise JournalError("no path: give a file, a directory or a glob to load()")


def _matches(path: str) -> list[Path]:
    """Return what a path or glob stands for; raises JournalError if that is nothing."""
    plain = path.removeprefix("file://")
    if "://" in plain:
        raise JournalError(f"{path!r}: only local files can be read; mount or copy them first")
    if Path(plain).exists():
        return [Path(plain)]
    found = sorted(Path(name) for name in glob.glob(plain, recursive=True))  # noqa: PTH207  # absolute patterns too
    if not found:
        raise JournalError(f"{path!r}: no such file or directory, and no match as a glob; check the spelling")
    return found


def _rows(path: str, journal: Journal, observed: Observation) -> Iterator[dict[str, Any]]:
    """Yield records, dropped regions, finds outside the log and notes by place."""
    roles = {entry.file: entry.role for entry in observed.files}
    head = (shown(path), journal.format, journal.edition)
    order = {shown(name): number for number, name in enumerate(journal.files)}
    lost = {(record.at.file, record.at.off) for record in observed.given_up}

    def row(kind: str, file: str, off: int | None, length: int | None, *rest: Any) -> dict[str, Any]:
        """Return a row; the `rest` is type, reason and fields."""
        values = (*head, shown(file) or None, off, length, kind, roles.get(file), *rest)
        return dict(zip(COLUMNS, values, strict=True))

    def of_record(kind: str, record: Record, reason: str | None) -> dict[str, Any]:
        at, fields = record.at, [(name, _text(value)) for name, value in record.fields.items()]
        return row(kind, at.file, at.off, at.length, record.type, reason, fields)

    rows = [of_record("record", record, None) for record in observed.records]
    rows += [
        of_record("unanchored", record, "given-up" if (record.at.file, record.at.off) in lost else None)
        for record in observed.unanchored
    ]
    regions = [(region.file, region.off, region.length, region.reason) for region in observed.dropped]
    if observed.verdict == REFUSED and not regions:
        regions = [
            (name, 0, len(content), observed.code or "refused") for name, content in journal.files.items()
        ]
    rows += [row("dropped", file, off, length, None, reason, None) for file, off, length, reason in regions]
    rows += [
        row(
            "note",
            note.file,
            note.off,
            None,
            None,
            note.code,
            [("text", shown(note.text))] if note.text else None,
        )
        for note in observed.notes
    ]
    yield from sorted(
        rows, key=lambda row: (order.get(str(row["file"]), len(order)), row["off"] or 0, row["kind"])
    )


def _text(value: object) -> str | None:
    """Return a field's value as one text that is safe on the terminal where ``show()`` prints it."""
    plain = jsonable(value)
    if plain is None:
        return None
    return shown(plain) if isinstance(plain, str) else json.dumps(plain)
