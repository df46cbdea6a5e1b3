"""What recovery kept, as contents read it: bodies where they are, and prepared transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


class Kept(Protocol):
    """What recovery kept: live records, and transactions that are prepared."""

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


class PreparedTx(NamedTuple):
    """A prepared transaction: its own data, and the places of what it adds, changes and deletes."""

    tx: int
    extra: bytes
    place: int
    changes: Sequence[int]
    deletes: Sequence[int]
