"""The content of a recovered journal in terms of users: messages of queues, rows of tables, transactions.

A format implements this in its ``contents``; the tables are those of ``contents/tables.toml``. Decoding never
changes which records recovery keeps. If bytes cannot be decoded, their row only gets a remark.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from journalspec.contents import Table, contents_of
from journalspec.formats import UnknownFormat, get_format
from journalspec.observation import Dropped, jsonable
from journalspec.reread import LISTS
from journalspec_reference.answers import Answer, ask
from journalspec_reference.api import Implementation, load
from journalspec_reference.filesets import Journal

#: A value of a row. Values of the kinds `object` and `list` contain other values.
Value: TypeAlias = bool | int | float | str | bytes | Mapping[str, "Value"] | Sequence["Value"] | None
#: One row of a table: every column has a value, perhaps None.
Row: TypeAlias = Mapping[str, Value]
#: A fault in a part of a row: a code in ``[remarks]``, and the reason.
Problem: TypeAlias = tuple[str, str]
#: The maximum number of values in a cache, and the maximum size of a cached value in bytes.
MOST_KNOWN, MOST_ENCODED = 1 << 10, 1 << 9
#: At most this many remarks with the same code are kept. Further remarks are only counted.
MOST_REMARKS = 1000


@dataclass(frozen=True, slots=True)
class Remark:
    """Represents a remark on one row (or, without a table and key, on the store).

    `code` is a code of ``[remarks]``. `text` contains the reason in words, and the reaction of the product if
    it is known.
    """

    table: str
    key: str
    file: str
    off: int | None
    code: str
    text: str


@dataclass(slots=True)
class Count:
    """Represents the totals of a queue or table: rows, stored bytes, and the oldest and newest time (ms,
    UTC).
    """

    table: str
    name: str
    rows: int = 0
    bytes: int = 0
    oldest: int | None = None
    newest: int | None = None

    def add(self, size: int, time: int | None) -> None:
        """Count a row of `size` bytes. Its time is in milliseconds (UTC), or None if it has no time."""
        self.rows += 1
        self.bytes += size
        if time is not None:
            self.oldest = time if self.oldest is None or time < self.oldest else self.oldest
            self.newest = time if self.newest is None or time > self.newest else self.newest


@dataclass
class Remarks:
    """Represents the remarks so far: the first ones of each code, and the number of each code."""

    kept: list[Remark] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, remark: Remark) -> None:
        """Add a remark."""
        self.counts[remark.code] += 1
        if self.counts[remark.code] <= MOST_REMARKS:
            self.kept.append(remark)


class Contents:
    """The contents of one journal, arranged in the tables of its format.

    The method ``_name`` yields the rows of table `name`; a table without a method has no rows. A column for
    which a row has no value is None.
    """

    def __init__(self, format_id: str, remarks: Remarks | None = None) -> None:
        #: All tables; those of ``tables.toml`` come first.
        self.tables: Mapping[str, Table] = contents_of(format_id).tables
        self._told = remarks or Remarks()

    @property
    def remarks(self) -> Remarks:
        """The remarks on the rows that were read so far."""
        return self._told

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table. Each call starts again, and no row is kept. Raises KeyError."""
        return map(partial(filled, self.tables[table].empty), getattr(self, f"_{table}", tuple)())

    def counts(self) -> Iterable[Count]:
        """Count the items of each queue or table, and decode as little as possible."""
        return ()

    def near(self, regions: Sequence[Dropped]) -> Iterable[Row]:
        """Yield the rows of the messages next to regions, and perhaps of other messages."""
        return self.rows("messages")

    def judge(self) -> frozenset[str]:
        """Add a remark on each item that keeps the product from starting, and return the codes of these
        remarks.

        As few items as possible are decoded.
        """
        return frozenset()


def filled(empty: Mapping[str, None], row: Row) -> Row:
    """Return a new row with a value for each column, in order; None for a column that `row` lacks.

    `empty` is the row :attr:`.Table.empty` of the table.
    """
    # Merging two dicts takes a third of the time needed to look up each value.
    found: Row = {**empty, **row}
    return {name: found[name] for name in empty} if len(found) > len(empty) else found


def inflated(data: bytes, most: int, *, exactly: bool = False) -> bytes:
    """Return the content of a zlib stream, at most `most` bytes. With `exactly`, return its first `most`
    bytes, even if there are more.

    Raises OverflowError if there is more content, ValueError if the stream is damaged or truncated.
    """
    stream = zlib.decompressobj()
    try:
        # For zlib, 0 means no limit.
        found = stream.decompress(data, max(most, 1) if exactly else most + 1)
    except zlib.error as error:
        raise ValueError(f"it cannot be inflated: {error}") from None
    if len(found) > most and not exactly:
        raise OverflowError(f"inflated, it has more than {most} bytes")
    if len(found) < most if exactly else not stream.eof:
        raise ValueError("its compressed bytes end too early")
    return found[:most]


def with_state(answer: Answer) -> Answer:
    """Return `answer` if it contains a state. Otherwise return the answer under the policy that keeps most
    records.
    """
    if answer.observation.state is not None:
        return answer
    return ask(*keeping_most(answer))


def keeping_most(answer: Answer) -> tuple[Journal, str]:
    """Return the journal of `answer` and the policy that keeps most records, for :func:`.ask`."""
    return replace(answer.journal, editions=()), get_format(answer.journal.format).keeps_most


def nested(value: Any, as_text: tuple[type, ...] = (float,)) -> Any:
    """Return a value for JSON: integers as decimal strings, bytes in hex, types `as_text` as texts."""
    # Exact types are tested first, because testing for a Mapping takes longer than all other tests.
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): nested(each, as_text) for key, each in value.items()}
    if isinstance(value, LISTS):
        return [nested(each, as_text) for each in value]
    return str(value) if isinstance(value, as_text) else jsonable(value)


def contents(answer: Answer, room: Implementation | None = None) -> Contents | None:
    """Return the contents of a recovered journal. Return None if its format has no contents.

    `answer` is an answer of recovery. ``contents`` is optional: an implementation can be any object with the
    protocol's methods.
    """
    try:
        tell = getattr(room or load(answer.journal.format), "contents", None)
    except UnknownFormat:
        return None
    found: Contents | None = tell(answer) if tell else None
    return found


def as_json(found: Contents) -> dict[str, list[Any]]:
    """Return all rows of all tables in the form of level ``contents``, with the remarks.

    Integers and times become decimal strings, bytes become hex digits, other numbers become texts.
    """
    rows = {name: [nested(row) for row in found.rows(name)] for name in found.tables}
    odd = ({"table": each.table, "key": each.key, "code": each.code} for each in found.remarks.kept)
    return {**rows, "remarks": sorted(odd, key=lambda each: tuple(each.values()))}
