"""Classes that store ids of records in little memory: as a set, with a number for each id, or with a position
for each id.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress


class Ids:
    """A set of ids. Each block of 256 ids is stored as one number. If the ids are dense, an id takes half a
    byte; a single id in its block takes 200 bytes.
    """

    __slots__ = ("_masks",)

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}

    def add(self, ident: int) -> None:
        """Add an id."""
        self._masks[ident >> 8] = self._masks.get(ident >> 8, 0) | 1 << (ident & 0xFF)

    def update(self, idents: Iterable[int]) -> None:
        """Add several ids."""
        masks, get = self._masks, self._masks.get
        for ident in idents:
            block = ident >> 8
            masks[block] = get(block, 0) | 1 << (ident & 0xFF)

    @property
    def masks(self) -> dict[int, int]:
        """A map from the number of a block of 256 ids to a bit mask of the ids in the set."""
        return self._masks

    def __contains__(self, ident: int) -> bool:
        return bool(self._masks.get(ident >> 8, 0) >> (ident & 0xFF) & 1)


class IdNumbers(Mapping[int, int]):
    """A map from ids to numbers. An id above all earlier ids takes 16 bytes, any other id about 150 bytes.

    Iteration yields the ids in the order in which they were added.
    """

    __slots__ = ("_ids", "_late", "_numbers", "_turns")

    def __init__(self) -> None:
        self._ids, self._numbers = array("q"), array("q")
        #: Ids that did not ascend, and the number of ascending ids before each of them (`_turns`).
        self._late: dict[int, int] = {}
        self._turns = array("q")

    def put(self, ident: int, number: int) -> int | None:
        """Add an id, or replace the number of a known id. Return the old number, or None."""
        ids, known = self._ids, None
        if not ids or ident > ids[-1]:
            ids.append(ident)
            self._numbers.append(number)
            return None
        at = bisect_left(ids, ident)
        if ids[at] == ident:
            known, self._numbers[at] = self._numbers[at], number
        else:
            if (known := self._late.get(ident)) is None:
                self._turns.append(len(ids))
            self._late[ident] = number
        return known

    def __getitem__(self, ident: int) -> int:
        at = bisect_left(self._ids, ident)
        if at < len(self._ids) and self._ids[at] == ident:
            return self._numbers[at]
        return self._late[ident]

    def __iter__(self) -> Iterator[int]:
        done = 0
        for turn, ident in zip(self._turns, self._late, strict=True):
            yield from self._ids[done:turn]
            yield ident
            done = turn
        yield from self._ids[done:]

    def __len__(self) -> int:
        return len(self._ids) + len(self._late)


class IdPlaces:
    """The ids of records and their positions, in order. A record takes 16 bytes."""

    __slots__ = ("ids", "places")

    def __init__(self) -> None:
        self.ids, self.places = array("q"), array("q")

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.ids, self.places, strict=True)

    def __len__(self) -> int:
        return len(self.ids)

    def append(self, row: tuple[int, int]) -> None:
        """Add a record."""
        self.ids.append(row[0])
        self.places.append(row[1])

    def extend(self, rows: IdPlaces) -> None:
        """Add several records."""
        self.ids.extend(rows.ids)
        self.places.extend(rows.places)

    def keep(self, live: bytearray) -> None:
        """Keep the records that have a 1 in `live`."""
        if 0 in live:
            self.ids = array("q", compress(self.ids, live))
            self.places = array("q", compress(self.places, live))

    def clear(self) -> None:
        """Remove all records."""
        del self.ids[:], self.places[:]


#: An empty instance, which several callers share. No caller adds records to it.
NO_PLACES = IdPlaces()
