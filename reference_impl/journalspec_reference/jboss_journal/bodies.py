"""The result of recovery in the form that contents need: positions of bodies, and prepared transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol


class Body(NamedTuple):
    """Represents the body of a live record, `data[start:end]`, and the position of the record."""

    place: int
    code: int
    id: int
    user_type: int
    data: bytes
    start: int
    end: int

    @property
    def stored(self) -> bytes:
        """The bytes of the body."""
        return self.data[self.start : self.end]


class BodyColumns(NamedTuple):
    """Represents live records that lie close together.

    Each of `heads` is a record's id, body size and user type. `data` are the bytes that were read for all
    records, `starts` the offsets in `data` at which the bodies begin.
    """

    data: bytes
    places: Sequence[int]
    codes: Sequence[int]
    heads: Sequence[tuple[int, int, int]]
    starts: Sequence[int]


class Kept(Protocol):
    """Represents the result of recovery: live records and prepared transactions."""

    def live(self) -> Iterator[Body]:
        """Yield the live records in the order in which recovery delivers them."""

    def live_columns(self) -> Iterator[BodyColumns]:
        """Yield the records of :meth:`live` in batches."""

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return the prepared transactions by their ids."""

    def bodies(self, places: Iterable[int]) -> Iterator[Body]:
        """Yield the records at `places` that have bodies."""

    def columns(self, places: Iterable[int]) -> Iterator[BodyColumns]:
        """Yield the records of :meth:`bodies` in batches."""

    def deleted(self, places: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the id and the body of each DELETE_TX at `places`."""

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of the record at a position."""

    def live_places(self) -> Iterable[tuple[int, int]]:
        """Return the id and the position of each live record, in the order of :meth:`live`.

        Only after a choice to commit a prepared transaction are records read: those of that transaction.
        """


class ChosenRecords:
    """Represents a part of a result of recovery: the live records with the given ids and positions, and
    `doubts`.
    """

    def __init__(
        self, kept: Kept, rows: Callable[[], Iterable[tuple[int, int]]], doubts: Sequence[PreparedTx] = ()
    ) -> None:
        self.live_places, self._doubts = rows, doubts
        self.bodies, self.columns = kept.bodies, kept.columns
        self.deleted, self.where = kept.deleted, kept.where

    def live(self) -> Iterator[Body]:
        """Yield the live records."""
        return self.bodies(place for _, place in self.live_places())

    def live_columns(self) -> Iterator[BodyColumns]:
        """Yield the live records."""
        return self.columns(place for _, place in self.live_places())

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return the prepared transactions."""
        return self._doubts


class PreparedTx(NamedTuple):
    """Represents a prepared transaction: its data, and the positions of the records that it adds, changes and
    deletes.
    """

    tx: int
    extra: bytes
    place: int
    changes: Sequence[int]
    deletes: Sequence[int]
