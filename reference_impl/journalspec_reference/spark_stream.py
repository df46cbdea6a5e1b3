"""Records that journals gain, as a stream: ``spark.readStream.format("journalspec")``.

An offset says of each file up to where its records were read, and by its first record which life of the file
that was: one that is written anew is read anew. Regions without records are left out: at the end of
a journal that is in use, one may be a record that is still being written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from journalspec_reference.answers import UnknownEdition, settled, stretches
from journalspec_reference.batches import Batch, ReadingRefused, Stretch
from journalspec_reference.filesets import Journal
from journalspec_reference.predicates import Predicate
from journalspec_reference.spark import JournalError, JournalReader, Query
from journalspec_reference.tables import RowBatches, kept_of

#: File -> its first record, as a number, and where the last one ends.
Ends = dict[str, dict[str, int]]


@dataclass
class Gained(InputPartition):
    """What the files at a path have gained: from where to where, and the first record of each."""

    path: str
    files: Mapping[str, tuple[int, int, int]]


class JournalStreamReader(DataSourceStreamReader):
    """Looks through the journals for each batch of the stream; a task reads what is new at one path."""

    def __init__(self, options: Mapping[str, str], names: Sequence[str]) -> None:
        asked = Query(options)
        if asked.journals or asked.every_row or asked.contents is not None:
            raise JournalError("a stream has records: options contents, rows and view are for a query")
        self._options, self._names = options, [*names]
        self._kinds = JournalReader(options, [*dict.fromkeys((*names, "off"))]).kinds

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # the name is Spark's
        """Begin with all that is there."""
        return {}

    def latestOffset(self) -> dict[str, Ends]:  # type: ignore[override]  # noqa: N802  # as Spark 4.1 has it
        """Return up to where each file has records now, by path."""
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
        """Yield the new records; those of a file that was written anew since come with the next batch."""
        assert isinstance(partition, Gained)  # made by `partitions`
        for path, journal in Query({**self._options, "path": partition.path, "paths": ""}).found():
            rows, lives = RowBatches(path, journal, self._kinds), dict[str, int]()
            for part in _parts(journal):
                low, high, first = partition.files.get(part.file, (0, 0, 0))
                between = [Predicate("off", ">=", low), Predicate("off", "<", high)]
                for batch in filter(len, part.scan() if high else ()):
                    if lives.setdefault(part.file, _first(batch)) != first:
                        break
                    if low < batch.base + batch.end[-1] and (
                        kept := kept_of(rows.of_records(part, batch), between)
                    ):
                        yield kept.select(self._names)


def _parts(journal: Journal) -> Iterator[Stretch]:
    """Yield the stretches of a journal; none of one of which too little is there to tell its edition."""
    with suppress(UnknownEdition, ReadingRefused):
        yield from stretches(settled(journal))


def _first(batch: Batch) -> int:
    return crc32(batch.data[batch.off[0] : batch.end[0]])
