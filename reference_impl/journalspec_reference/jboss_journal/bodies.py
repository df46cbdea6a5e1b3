"""What recovery kept, as contents read it: bodies where they are, and prepared transactions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol


class Body(NamedTuple):
    """The body of a live record: `data[start:end]`, and where the record is."""

    place: int
    code: int
    id: int
    user_type: int
    data: bytes
    start: int
    end: int

    @property
    def stored(self) -> bytes:
        """The body itself."""
        return self.data[self.start : self.end]


class Kept(Protocol):
    """The result of recovery: live records and prepared transactions."""

    def live(self) -> Iterator[Body]:
        """Yield the live records in the order in which recovery delivers them."""

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return the prepared transactions by their ids."""

    def bodies(self, places: Iterable[int]) -> Iterator[Body]:
        """Yield the records at `places`, which hold bodies."""

    def deleted(self, places: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the id and the body of each DELETE_TX at `places`."""

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of the record at a place."""


class Placed(Kept, Protocol):
    """What recovery kept, with the ids and places of live records, which are not read for that."""

    def live_places(self) -> Iterator[tuple[int, int]]:
        """Yield the id and the place of each live record, in the order of :meth:`live`."""


class LiveOf:
    """The live records with some ids alone, and no transactions: the rest is not read."""

    def __init__(self, kept: Placed, idents: Container[int]) -> None:
        self._kept, self._idents = kept, idents
        self.bodies, self.deleted, self.where = kept.bodies, kept.deleted, kept.where

    def live(self) -> Iterator[Body]:
        """Yield the live records."""
        return self._kept.bodies(place for ident, place in self._kept.live_places() if ident in self._idents)

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return none."""
        return ()


class PreparedTx(NamedTuple):
    """A prepared transaction: its data, and the places of the records that it adds, changes and deletes."""

    tx: int
    extra: bytes
    place: int
    changes: Sequence[int]
    deletes: Sequence[int]
