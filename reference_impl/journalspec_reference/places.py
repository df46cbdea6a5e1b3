"""What a replay keeps of records: ids and places, not bytes, so that memory goes by what is live."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from journalspec.observation import (
    CLEAN,
    RECOVERED,
    Dropped,
    FileMap,
    Missing,
    Note,
    Observation,
    note_place,
    record_place,
    region_place,
)
from journalspec.reread import Changed, Collector, joined

#: Bits of a place that are the offset; the others number the file.
_OFFSET_BITS = 40
#: Of so many files records are looked up at a time: changes of a transaction may stand in several.
LOOKUPS = 4
#: So many records, none longer than this (bytes), are not decoded again.
REMEMBERED, MOST_REMEMBERED = 256, 4096
#: Records are kept up to so many times the size of the files, and these bytes: they may be tiny.
KEPT, KEPT_OF_ANY = 32, 1 << 16


class Findings:
    """What a pass over files of `size` bytes finds: records, those beside the log, regions and notes."""

    def __init__(self, size: int) -> None:
        most = KEPT * size + KEPT_OF_ANY
        self.records, self.beside = Collector(record_place, most), Collector(record_place, most)
        self.dropped, self.notes = Collector(region_place), Collector(note_place)

    def walked(self, file: str, walk: Callable[[], Iterator[Any]], told: type[Any]) -> Iterator[Any]:
        """Yield what `walk` gives of a file, having taken in the notes, the regions and the records in it.

        What is of the type `told` has a record. What is not kept is found again by another such walk.
        """

        def again(kind: type[Any]) -> Callable[[], Iterator[Any]]:
            return lambda: (item for item in walk() if isinstance(item, kind))

        self.records.begin(file, lambda: (item.record for item in again(told)()))
        self.dropped.begin(file, again(Dropped))
        self.notes.begin(file, again(Note))
        for item in walk():
            if isinstance(item, told):
                self.records.add(item.record)
            elif isinstance(item, Note):
                self.notes.add(item)
            elif isinstance(item, Dropped):
                self.dropped.add(item)
            yield item

    def observation(
        self,
        state: Mapping[str, object],
        files: Iterable[FileMap],
        *,
        lossy: bool,
        before: Sequence[Note] = (),
        after: Sequence[Note] = (),
        missing: Sequence[Missing] = (),
    ) -> Observation:
        """Return the answer, clean unless a region is dropped, something is missing or the rest is `lossy`.

        Notes of the whole stand `before` those of files and `after` them.
        """
        dropped = self.dropped.done()
        return Observation(
            RECOVERED if lossy or len(dropped) or len(missing) else CLEAN,
            records=self.records.done(),
            dropped=dropped,
            state=state,
            files=tuple(files),
            notes=joined(note_place, before, self.notes.done(), after),
            unanchored=self.beside.done(),
            missing=missing,
        )


class Placed(Protocol):
    """A record that stands between two offsets of a file."""

    @property
    def off(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where it ends."""


R = TypeVar("R", bound=Placed)
#: Returns the record at an offset of a file, None if there is none.
Lookup = Callable[[int], "R | None"]


class Stored(Generic[R]):
    """The records of files, by place: a stretch of a file and an offset in it. The first few are kept."""

    def __init__(self) -> None:
        #: File, its lookup, and where the stretch begins: a sparse file may be longer than a place can tell.
        self._stretches: list[tuple[str, Callable[[], Lookup[R]], int]] = []
        self._remembered: dict[int, R] = {}
        self._lookups: OrderedDict[int, Lookup[R]] = OrderedDict()

    def next_file(self, name: str, lookup: Callable[[], Lookup[R]]) -> None:
        """Say that the records that come now are in file `name`; `lookup` makes what finds one again."""
        self._stretches.append((name, lookup, 0))

    def put(self, record: R) -> int:
        """Return the place by which a record is found again."""
        name, lookup, begin = self._stretches[-1]
        if record.off - begin >> _OFFSET_BITS:
            begin = record.off
            self._stretches.append((name, lookup, begin))
        place = len(self._stretches) - 1 << _OFFSET_BITS | record.off - begin
        if len(self._remembered) < REMEMBERED and record.end - record.off <= MOST_REMEMBERED:
            self._remembered[place] = record
        return place

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of the record at `place`."""
        name, _, begin = self._stretches[place >> _OFFSET_BITS]
        return name, begin + (place & (1 << _OFFSET_BITS) - 1)

    def get(self, place: int) -> R:
        """Return the record at `place`; raises Changed if there is none any more."""
        if place in self._remembered:
            return self._remembered[place]
        number = place >> _OFFSET_BITS
        name, lookup, begin = self._stretches[number]
        if number not in self._lookups:
            if len(self._lookups) >= LOOKUPS:
                self._lookups.popitem(last=False)
            self._lookups[number] = lookup()
        found = self._lookups[number](begin + (place & (1 << _OFFSET_BITS) - 1))
        if found is None:
            raise Changed(name)
        return found


class References:
    """Ids and places of records, in order: 16 bytes each."""

    __slots__ = ("_flat",)

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        self._flat = array("q", (number for pair in pairs for number in pair))

    def add(self, ident: int, place: int) -> None:
        """Append one."""
        self._flat.append(ident)
        self._flat.append(place)

    def extend(self, others: Iterable[tuple[int, int]]) -> None:
        """Append several."""
        for ident, place in others:
            self.add(ident, place)

    def __len__(self) -> int:
        return len(self._flat) // 2

    def __iter__(self) -> Iterator[tuple[int, int]]:
        numbers = iter(self._flat)
        return zip(numbers, numbers, strict=True)


class Ids:
    """A set of ids: 256 neighbours share one number, so that an id costs half a byte, alone some 200."""

    __slots__ = ("_masks",)

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}

    def add(self, ident: int) -> None:
        """Put in an id."""
        self._masks[ident >> 8] = self._masks.get(ident >> 8, 0) | 1 << (ident & 0xFF)

    def update(self, idents: Iterable[int]) -> None:
        """Put in several ids."""
        for ident in idents:
            self.add(ident)

    def __contains__(self, ident: int) -> bool:
        return bool(self._masks.get(ident >> 8, 0) >> (ident & 0xFF) & 1)
