"""The rows of a journal as Arrow record batches, for Spark and the questions at the command line.

A row is a record (``kind`` is ``record``) or a region without records (``dropped``, with its ``reason``). The
columns are those of :data:`COMMON` and the typed ones of the format, by the spec's names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from journalspec.files import shown
from journalspec.observation import REFUSED, Observation, Record, jsonable
from journalspec_reference.answers import UNREAD, ask
from journalspec_reference.arrow import array
from journalspec_reference.batches import Batch, Stretch
from journalspec_reference.content import UNREADABLE, Content, Ranges
from journalspec_reference.filesets import Journal
from journalspec_reference.predicates import Predicate

#: Columns of every row, and their Arrow types.
COMMON = {
    **dict.fromkeys(("journal", "format", "edition", "file"), "string"),
    **dict.fromkeys(("off", "len"), "int64"),
    **dict.fromkeys(("kind", "role", "type", "reason"), "string"),
}


def kept_of(batch: pa.RecordBatch, predicates: Iterable[Predicate]) -> pa.RecordBatch | None:
    """Return those rows of a batch that meet the conditions. Return None if no row meets them."""
    for each in predicates:
        batch = batch.filter(each.mask(batch.column(each.column)))
    return batch if batch.num_rows else None


class RowBatches:
    """Rows of one journal, with the columns `kinds`. `damaged` describes the first dropped region."""

    def __init__(self, path: str, journal: Journal, kinds: Mapping[str, pa.DataType]) -> None:
        self.journal, self._kinds = journal, kinds
        self.same = {"journal": shown(path), "format": journal.format, "edition": journal.edition}
        self._schema = pa.schema(list(kinds.items()))
        self.damaged = ""

    def of_stretch(self, stretch: Stretch) -> Iterator[pa.RecordBatch]:
        """Yield the records of a stretch, and the regions without records."""
        told = Ranges()
        for batch in stretch.scan():
            if len(batch):
                yield self.of_records(stretch, batch)
            if batch.damage:
                regions = ((stretch.file, at, end - at, why) for at, end, why in batch.damage)
                yield self.of_regions(regions, {stretch.file: stretch.role})
                for at, end, why in batch.damage:
                    if why == UNREADABLE:
                        told.add(at, end)
        yield from self._of_gaps(stretch.file, told, {stretch.file: stretch.role})

    def _of_gaps(self, file: str, told: Ranges, roles: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
        """Yield the unreadable parts of a file, without the ranges that were already reported (`told`)."""
        content = self.journal.files.get(file)
        if isinstance(content, Content) and (bad := content.finish()):
            left = [part for start, end, _ in bad for part in told.left(start, end)]
            if left:
                yield self.of_regions(((file, low, high - low, UNREADABLE) for low, high in left), roles)

    def of_rest(self, parts: Sequence[Stretch]) -> Iterator[pa.RecordBatch]:
        """Yield the unreadable bytes outside `parts`.

        Without `parts`, the journal may have been refused: then yield all its files.
        """
        if not parts and (seen := ask(self.journal).observation).verdict == REFUSED:
            yield self.of_refused(seen)
        for file in self.journal.files.keys() - {part.file for part in parts}:
            yield from self._of_gaps(file, Ranges(), {})
        if unread := self.journal.unread:
            roles = {each.name: "unread" for each in unread}
            yield self.of_regions(((each.name, 0, each.length, UNREAD) for each in unread), roles)

    def of_refused(self, seen: Observation) -> pa.RecordBatch:
        """Return all files of a refused journal as regions."""
        files = self.journal.files.items()
        return self.of_regions((name, 0, len(data), seen.code or REFUSED) for name, data in files)

    def of_regions(
        self, regions: Iterable[tuple[str, int, int, str]], roles: Mapping[str, str] = {}
    ) -> pa.RecordBatch:
        """Return regions, as (file, offset, length, reason). `roles` contains the roles of their files."""
        rows = [
            {
                **{**self.same, "kind": "dropped", "role": roles.get(file) or None, "reason": why},
                **{"file": shown(file), "off": off, "len": length},
            }
            for file, off, length, why in regions
        ]
        if rows and not self.damaged:
            self.damaged = f"{rows[0]['file']}: {rows[0]['reason']} at {rows[0]['off']}"
        return self.of_dicts(rows)

    def of_dicts(self, rows: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
        """Return rows that are given as dicts of column names to values."""
        kept = [{name: value for name, value in row.items() if name in self._kinds} for row in rows]
        return pa.RecordBatch.from_pylist(kept, schema=self._schema)

    def of_records(self, stretch: Stretch, batch: Batch) -> pa.RecordBatch:
        """Return the records of a batch of a stretch."""
        off, end = np.frombuffer(batch.off, np.int64), np.frombuffer(batch.end, np.int64)
        same = {**self.same, "file": shown(stretch.file), "kind": "record", "role": stretch.role or None}
        own = self._kinds.keys() - COMMON.keys() | ({"type"} & self._kinds.keys())
        typed = stretch.columns(batch) if own - {"fields"} and stretch.columns is not None else {}
        out = []
        for name, kind in self._kinds.items():
            if name in same:
                # Most batches have about the same length, so a longer array is used again.
                out.append(_repeated(same[name], kind, 1 << len(off).bit_length()).slice(0, len(off)))
            elif name == "off":
                out.append(pa.array(off + batch.base))
            elif name == "len":
                out.append(pa.array(end - off))
            elif name == "fields":
                told = [[*texts_of(record).items()] for record in stretch.tell(batch)]
                out.append(pa.array(told, kind))
            elif name in typed:
                out.append(array(typed[name], kind, batch.data))
            else:
                out.append(pa.nulls(len(off), kind))
        return pa.RecordBatch.from_arrays(out, schema=self._schema)


@lru_cache(16)
def _repeated(value: str | None, kind: pa.DataType, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), count)


def texts_of(record: Record) -> dict[str, str | None]:
    """Return the fields of a record as texts that are safe on the terminal where ``show()`` prints them."""
    out: dict[str, str | None] = {}
    for name, value in record.fields.items():
        plain = jsonable(value)
        text = plain if isinstance(plain, str) else json.dumps(plain)
        out[name] = None if plain is None else shown(text)
    return out
