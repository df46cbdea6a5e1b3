"""Classes that store ids of records in little memory: as a set, with a number for each id, or with a position
for each id.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress

#: The bit mask of a block that is full, and how many masks a set stores before it looks for such blocks.
FULL, MOST_MASKS = (1 << 256) - 1, 1 << 10


class Ids:
    """A set of ids. Each block of 256 ids is stored as one number of about 200 bytes.

    The numbers of blocks whose ids are all in the set are again a set of this kind. Therefore the dense ids
    of a long journal take little memory.
    """

    __slots__ = ("_full", "_masks", "_most")

    def __init__(self) -> None:
        #: A map from the number of a block to a bit mask of its ids in the set.
        self._masks: dict[int, int] = {}
        self._full: Ids | None = None
        self._most = MOST_MASKS

    def add(self, ident: int) -> None:
        """Add an id."""
        masks, block = self._masks, ident >> 8
        masks[block] = masks.get(block, 0) | 1 << (ident & 0xFF)
        if len(masks) > self._most:
            self._merge()

    def update(self, idents: Iterable[int]) -> None:
        """Add several ids."""
        masks, get = self._masks, self._masks.get
        for ident in idents:
            block = ident >> 8
            masks[block] = get(block, 0) | 1 << (ident & 0xFF)
        if len(masks) > self._most:
            self._merge()

    def _merge(self) -> None:
        """Store the numbers of full blocks in their own set, without their masks."""
        if full := [block for block, mask in self._masks.items() if mask == FULL]:
            self._full = self._full or Ids()
            self._full.update(full)
            for block in full:
                del self._masks[block]
        self._most = max(MOST_MASKS, 2 * len(self._masks))

    def __bool__(self) -> bool:
        return bool(self._masks or self._full)

    def __contains__(self, ident: int) -> bool:
        if self._masks.get(ident >> 8, 0) >> (ident & 0xFF) & 1:
            return True
        return self._full is not None and ident >> 8 in self._full


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
