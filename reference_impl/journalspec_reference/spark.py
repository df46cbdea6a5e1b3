"""Journals as DataFrames: ``spark.read.format("journalspec").load("path or glob")``.

Call :func:`register` once per session. Each journal is one partition; a row is
one record, one region that holds none (``kind`` is ``dropped``), or a valid record
outside the log that does not count (``unanchored``; if it stands in what was given
up, ``reason`` says ``given-up``: what counts may then not be all). Columns that
differ between formats stand in the map ``fields``, by the spec's names and in
the observation's JSON form: integers as decimal text, bytes as hex, lists as JSON.

Options: ``format`` and ``edition`` (found out if not given). Paths are read where
the workers run: on a cluster they must lie on storage that all of them see.
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

from journalspec.formats import UnknownFormat
from journalspec.observation import REFUSED, Observation, Record, jsonable
from journalspec_reference.api import load as load_implementation
from journalspec_reference.filesets import FilesetError, Journal, below, find_journals
from journalspec_reference.filesets import load as load_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "journalspec"
SCHEMA = (
    "journal string, format string, edition string, file string, off bigint, len bigint, kind string, "
    "role string, type string, reason string, fields map<string,string>"
)
_ARROW = pa.schema(
    [
        ("journal", pa.string()),
        ("format", pa.string()),
        ("edition", pa.string()),
        ("file", pa.string()),
        ("off", pa.int64()),
        ("len", pa.int64()),
        ("kind", pa.string()),
        ("role", pa.string()),
        ("type", pa.string()),
        ("reason", pa.string()),
        ("fields", pa.map_(pa.string(), pa.string())),
    ]
)
BATCH_ROWS = 8192
#: How many directories below a given one are searched for journals.
MOST_BELOW = 100_000


class JournalError(ValueError):
    """A path that cannot be read as journals: what, why, and what to do."""


@dataclass
class JournalPartition(InputPartition):
    """One journal: the path that leads to it and which of the journals there it is."""

    path: str
    files: tuple[str, ...]
    format: str
    edition: str


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
            nested = below(path, at_most=MOST_BELOW) if path.is_dir() else []
            if not nested:
                raise JournalError(f"{error}" + (f" ({error.hint})" if error.hint else "")) from None
        return [entry for directory in nested for entry in self._here(directory)]

    def _here(self, path: Path) -> list[JournalPartition]:
        journals = find_journals(load_files(path), self._format, self._edition)
        return [
            JournalPartition(str(path), tuple(journal.files), journal.format, journal.edition)
            for journal in journals
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one journal as Arrow batches."""
        assert isinstance(partition, JournalPartition)  # made by `partitions`
        loaded = load_files(Path(partition.path))
        files = {name: loaded.files[name] for name in partition.files}
        observed = load_implementation(partition.format).read(files, edition=partition.edition)
        journal = Journal(partition.format, partition.edition, files)
        rows = list(_rows(partition.path, journal, observed))
        for start in range(0, len(rows), BATCH_ROWS):
            yield pa.RecordBatch.from_pylist(rows[start : start + BATCH_ROWS], schema=_ARROW)


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
    """Yield records, finds outside the log and dropped regions by place; a refusal drops every file."""
    roles = {entry.file: entry.role for entry in observed.files}
    head = {"journal": path, "format": journal.format, "edition": journal.edition}
    order = {name: number for number, name in enumerate(journal.files)}
    lost = {(record.at.file, record.at.off) for record in observed.given_up}
    found: list[tuple[Record, str, str | None]] = [(record, "record", None) for record in observed.records]
    found += [
        (record, "unanchored", "given-up" if (record.at.file, record.at.off) in lost else None)
        for record in observed.unanchored
    ]
    rows = [
        {
            **head,
            "file": record.at.file,
            "off": record.at.off,
            "len": record.at.length,
            "kind": kind,
            "role": roles.get(record.at.file),
            "type": record.type,
            "reason": reason,
            "fields": [(name, _text(value)) for name, value in record.fields.items()],
        }
        for record, kind, reason in found
    ]
    regions = [(region.file, region.off, region.length, region.reason) for region in observed.dropped]
    if observed.verdict == REFUSED and not regions:
        regions = [
            (name, 0, len(content), observed.code or "refused") for name, content in journal.files.items()
        ]
    rows += [
        {
            **head,
            "file": file,
            "off": off,
            "len": length,
            "kind": "dropped",
            "role": roles.get(file),
            "type": None,
            "reason": reason,
            "fields": None,
        }
        for file, off, length, reason in regions
    ]
    yield from sorted(
        rows, key=lambda row: (order.get(str(row["file"]), len(order)), row["off"], row["kind"])
    )


def _text(value: object) -> str | None:
    """Return a field's value as one text."""
    plain = jsonable(value)
    return plain if plain is None or isinstance(plain, str) else json.dumps(plain)
