"""Sequences that are read again instead of stored, so that memory does not grow with the size of a journal.

If a first pass finds many items, they are only counted. The resulting sequence reads the files again on each
iteration, and detects a difference from the first pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Any, Generic, TypeVar, overload

S = TypeVar("S")
T = TypeVar("T")
#: A function from an item to its file, offset and length.
Place = Callable[[T], tuple[str, int, int]]

#: The maximum memory for a journal's records, in bytes. A record counts as its length in the file plus COST.
KEEP = 8 << 20
#: Approximate memory of an item in addition to its stored bytes.
COST = 1 << 10


class Changed(Exception):
    """This error means that a file had different content when it was read again.

    Earlier results are invalid.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name or 'the journal'} changed while it was read")
        self.name = name


@dataclass(slots=True)
class Part(Generic[T]):
    """The `count` items of file `name`. Each call of `again` reads and yields them once more.

    Parts of the same file with equal `key` have the same items; for a part without a key (None), it is
    unknown whether the items are the same.
    """

    name: str
    again: Callable[[], Iterable[T]]
    count: int
    key: object = None

    def same(self, other: Part[T]) -> bool:
        """Return whether both parts are known to have the same items."""
        mine = self.name, self.count, self.key
        return self.key is not None and mine == (other.name, other.count, other.key)


_count: Callable[[Part[Any]], int] = attrgetter("count")


class Lazy(Sequence[T]):
    """The items of several parts, one after the other, not stored in memory.

    An iteration takes a pass over the files; an access by index takes a pass up to the item. Raises
    :class:`Changed` if a part yields different items than at first. If `parts` is a function, it is called at
    the first access. If the call fails, the next access calls it again. `codes` maps the numbers of record
    types to their counts, if known. `brief` yields each item's name in a summary and its size (bytes),
    without making the item.
    """

    def __init__(
        self,
        parts: Sequence[Part[T]] | Callable[[], Iterable[Part[T]]],
        codes: Mapping[int, int] | None = None,
        brief: Callable[[], Iterable[tuple[object, int]]] | None = None,
    ) -> None:
        self._given, self.codes, self.brief = parts, codes, brief

    @cached_property
    def parts(self) -> tuple[Part[T], ...]:
        """The parts, in order."""
        given = self._given
        return tuple(given() if callable(given) else given)

    @cached_property
    def _length(self) -> int:
        return sum(map(_count, self.parts))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(map(_walk, self.parts))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                return tuple(self)[index]
            return tuple(islice(self, start, stop, step))
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return next(islice(self, at, None))

    def __eq__(self, other: object) -> bool:
        """Compare item by item up to the first difference. Parts that are known to be equal are skipped."""
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        if isinstance(other, Lazy) and [*map(_count, self.parts)] == [*map(_count, other.parts)]:
            pairs = zip(self.parts, other.parts, strict=True)
            left = [pair for pair in pairs if not pair[0].same(pair[1])]
            return all(
                mine == theirs
                for one, two in left
                for mine, theirs in zip(_walk(one), _walk(two), strict=True)
            )
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # unhashable, as a list: its items may be of any type


class Deferred(Sequence[T]):
    """A sequence of known length whose items are created at the first access.

    `codes` is a function that returns the same map as `codes` of Lazy. It is called late, because few callers
    need the map.
    """

    __slots__ = ("_codes", "_items", "_length", "_make")

    def __init__(
        self,
        length: int,
        make: Callable[[], Iterable[T]],
        codes: Callable[[], Mapping[int, int] | None] | None = None,
    ) -> None:
        self._length, self._make, self._codes = length, make, codes
        self._items: tuple[T, ...] | None = None

    @property
    def codes(self) -> Mapping[int, int] | None:
        """A map from the numbers of record types to their counts, or None if the counts are unknown."""
        return self._codes() if self._codes is not None else None

    def _all(self) -> tuple[T, ...]:
        if self._items is None:
            self._items = tuple(self._make())
        return self._items

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        """Compare item by item."""
        if not isinstance(other, Sequence) or isinstance(other, str | Lazy):
            return NotImplemented
        if len(self) != len(other):
            return False
        return self._all() == (other._all() if isinstance(other, Deferred) else tuple(other))

    __hash__ = None  # type: ignore[assignment]  # unhashable, as a list

    def __repr__(self) -> str:
        return repr(self._all())


class Unstored(Iterable[T]):
    """Items that are created anew for each iteration, and whose number is unknown before the first one."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[T]:
        return iter(self._make())


def _walk(part: Part[T]) -> Iterator[T]:
    count = 0
    for item in part.again():
        count += 1
        yield item
    if count != part.count:
        raise Changed(part.name)


def mapped(function: Callable[[S], T], sequence: Sequence[S]) -> Sequence[T]:
    """Return a sequence of ``function(item)`` for each item. If items are created on access, so are the
    results.

    Otherwise, the result is a list, because a state contains it and a state consists of JSON values.
    """
    # Exact types are compared, because a test for an abstract class takes longer than all the rest.
    if type(sequence) is Lazy:
        return Lazy(
            [Part(part.name, partial(map, function, Lazy([part])), part.count) for part in sequence.parts]
        )
    if type(sequence) is Deferred:
        return Deferred(len(sequence), partial(map, function, sequence))
    return list(map(function, sequence))


def files_of(place: Place[T], sequence: Sequence[T]) -> list[str]:
    """Return the names of the files that contain items of `sequence`, in the order of the first item of each
    file.
    """
    if isinstance(sequence, Lazy):
        return list(dict.fromkeys(part.name for part in sequence.parts))
    return list(dict.fromkeys(place(item)[0] for item in sequence))


def few(
    again: Callable[[], Iterable[T]],
    count: int,
    size: Callable[[T], int],
    brief: Callable[[], Iterable[tuple[object, int]]] | None = None,
) -> Sequence[T]:
    """Return the `count` items that `again` yields. The result is a list if they are few. Otherwise, each
    access reads the items again.

    `size` is the memory of an item in addition to :data:`COST` (bytes); `brief` is as in :class:`Lazy`.
    """
    left = KEEP - count * COST
    kept: list[T] = []
    for item in again() if count and left >= 0 else ():
        left -= size(item)
        if left < 0:
            break
        kept.append(item)
    return kept if left >= 0 else Lazy([Part("", again, count)], brief=brief)


#: The types of sequences whose items are not yet in memory.
_MADE = {Lazy, Deferred}


def joined(place: Place[T], *sequences: Sequence[T]) -> Sequence[T]:
    """Return the concatenated sequences.

    The result is a tuple, unless the items of one of the sequences are not yet in memory.
    """
    # Exact types are compared, because a test for an abstract class takes longer than the rest of this
    # function.
    if len(sequences) == 1 and type(sequences[0]) is not list:
        return sequences[0]
    filled = [*filter(len, sequences)]
    if not filled:
        return ()
    if len(filled) == 1 and type(filled[0]) is not list:
        return filled[0]
    if _MADE.isdisjoint(map(type, filled)):
        return tuple(chain.from_iterable(filled))
    if not any(isinstance(sequence, Lazy) for sequence in filled):
        counts = partial(_counts, filled)
        return Deferred(sum(map(len, filled)), lambda: chain.from_iterable(filled), counts)
    return Lazy([part for sequence in filled for part in parts_of(place, sequence)], _counts(filled))


def _counts(sequences: Iterable[Sequence[T]]) -> Mapping[int, int] | None:
    """Return the counts of the record types in all sequences. Return None if the counts of one sequence are
    unknown.
    """
    counts = Counter[int]()
    for sequence in sequences:
        codes = getattr(sequence, "codes", None)
        if codes is None:
            return None
        counts.update(codes)
    return counts


def parts_of(place: Place[T], sequence: Sequence[T]) -> Iterator[Part[T]]:
    """Yield the parts of a sequence: one for each run of items of the same file."""
    if isinstance(sequence, Lazy):
        yield from sequence.parts
        return
    for name, group in groupby(sequence, key=lambda item: place(item)[0]):
        items = tuple(group)
        yield Part(name, items.__iter__, len(items))


def by_file(place: Place[T], sequence: Sequence[T]) -> Callable[[str], Sequence[T]]:
    """Return a function from a file to its items, in order.

    The items are grouped once for all files, or read again.
    """
    if isinstance(sequence, Lazy):
        parts: dict[str, list[Part[T]]] = {}
        for part in sequence.parts:
            parts.setdefault(part.name, []).append(part)
        return lambda name: Lazy(parts.get(name, ()))
    found: dict[str, list[T]] = {}
    for item in sequence:
        found.setdefault(place(item)[0], []).append(item)
    return lambda name: found.get(name, ())


#: The possible forms of a list in an answer.
LISTS = (list, tuple, Lazy, Deferred)
