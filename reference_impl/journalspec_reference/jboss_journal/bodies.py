"""The result of recovery for contents: places of bodies, and prepared transactions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from struct import Struct
from typing import NamedTuple, Protocol

from journalspec.reread import Changed
from journalspec_reference.batches import Source
from journalspec_reference.jboss_journal.codec import CHECK_SIZE, DIALECTS, INT
from journalspec_reference.jboss_journal.fileset import DataFile
from journalspec_reference.jboss_journal.scan import NEED

#: Number of bits of the offset in a place; the bits above it number the file.
OFFSET_BITS = 40
#: A record of any type has its user type and the size of its body before this offset (bytes).
BRIEF = 1 + max(
    kind.places.get("user_type", 0) for dialect in DIALECTS.values() for kind in dialect.kinds.values()
)
#: At most this many records are read together.
_TOGETHER = 1 << 9
#: The id, the size and the type of a body, which are stored directly before it.
BODY_HEAD = Struct(">qiB")
#: Lengths of the first and of the longest read when adjacent live records are read again (bytes).
AGAIN_FROM, AGAIN_MOST = 1 << 12, 1 << 20


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


class BodyColumns(NamedTuple):
    """Live records that lie close together.

    `heads` are id, size of the body and user type. `data` are the bytes that were read for all of them,
    `starts` the offsets in `data` at which their bodies begin.
    """

    data: bytes
    places: Sequence[int]
    codes: Sequence[int]
    heads: Sequence[tuple[int, int, int]]
    starts: Sequence[int]


def columns_of(item: Body) -> BodyColumns:
    """Return the columns of one record."""
    head = item.id, item.end - item.start, item.user_type
    return BodyColumns(item.data, (item.place,), (item.code,), (head,), (item.start,))


class Kept(Protocol):
    """The result of recovery: live records and prepared transactions."""

    def live(self) -> Iterator[Body]:
        """Yield the live records in the order in which recovery delivers them."""

    def live_columns(self) -> Iterator[BodyColumns]:
        """Yield the records of :meth:`live`, many at a time."""

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return the prepared transactions by their ids."""

    def bodies(self, places: Iterable[int]) -> Iterator[Body]:
        """Yield the records at `places`, which hold bodies."""

    def columns(self, places: Iterable[int]) -> Iterator[BodyColumns]:
        """Yield the records of :meth:`bodies`, many at a time."""

    def deleted(self, places: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the id and the body of each DELETE_TX at `places`."""

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of the record at a place."""


class Placed(Kept, Protocol):
    """The result of recovery, with the ids and places of live records without reading the records."""

    def live_places(self) -> Iterator[tuple[int, int]]:
        """Yield the id and the place of each live record, in the order of :meth:`live`."""


class LiveOf:
    """Only the live records with some ids, without transactions; other records are not read."""

    def __init__(self, kept: Placed, idents: Container[int]) -> None:
        self._kept, self._idents = kept, idents
        self.bodies, self.columns = kept.bodies, kept.columns
        self.deleted, self.where = kept.deleted, kept.where

    def _places(self) -> Iterator[int]:
        return (place for ident, place in self._kept.live_places() if ident in self._idents)

    def live(self) -> Iterator[Body]:
        """Yield the live records."""
        return self.bodies(self._places())

    def live_columns(self) -> Iterator[BodyColumns]:
        """Yield the live records."""
        return self.columns(self._places())

    def in_doubt_transactions(self) -> Sequence[PreparedTx]:
        """Return no transaction."""
        return ()


class PreparedTx(NamedTuple):
    """A prepared transaction: its data, and the places of the records that it adds, changes and deletes."""

    tx: int
    extra: bytes
    place: int
    changes: Sequence[int]
    deletes: Sequence[int]


class StoredBodies:
    """Reads the bodies of records again, by their places."""

    #: File, its bytes, its end, and the start of a part of it; a file can be too long for the offsets of one
    #: part.
    _places: list[tuple[DataFile, Source, int, int]]

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of the record at a place."""
        file, _, _, begin = self._places[place >> OFFSET_BITS]
        return file.name, begin + (place & (1 << OFFSET_BITS) - 1)

    def bodies(self, places: Iterable[int]) -> Iterator[Body]:
        """Yield the records at `places`, which have bodies; raises Changed if one is no longer there.

        Adjacent records are read together. In any order of places, at most a few KiB for each record and
        twice its length are read.
        """
        # `tuple.__new__` takes half the time of the constructor of a NamedTuple.
        made, mask, body = tuple.__new__, (1 << OFFSET_BITS) - 1, Body
        part, data, base, used, top, shapes, limit = -1, b"", 0, 0, 0, {}, 0
        for place in places:
            if place >> OFFSET_BITS != part:
                part = place >> OFFSET_BITS
                file, source, limit, begin = self._places[part]
                shapes = {
                    code: Struct(f">{kind.places['id']}xqiB")
                    for code, kind in file.dialect.kinds.items()
                    if "user_type" in kind.places and kind.id
                }
                data, base, used, top = b"", 0, 0, 0
            off = begin + (place & mask)
            at = off - base
            if at < 0 or at + NEED > top:
                data = source.read(off, min(limit - off, AGAIN_FROM + min(2 * used, AGAIN_MOST)))
                base, at, used, top = off, 0, 0, len(data)
            shape = shapes.get(data[at]) if at < top else None
            if shape is None or at + shape.size + CHECK_SIZE > top:
                raise Changed(file.name)
            ident, size, kind = shape.unpack_from(data, at)
            start = at + shape.size
            length = shape.size + size + CHECK_SIZE
            if size < 0 or off + length > limit:
                raise Changed(file.name)
            if start + size > top:
                data = source.read(off, length + AGAIN_FROM + min(2 * used, AGAIN_MOST))
                start, base, at, used, top = start - at, off, 0, 0, len(data)
                if start + size > top:
                    raise Changed(file.name)
            used += length
            yield made(body, (place, data[at], ident, kind, data, start, start + size))

    def columns(self, places: Iterable[int]) -> Iterator[BodyColumns]:
        """Yield the records of :meth:`bodies`, many at a time if they are close together."""
        each = iter(places)
        while some := list(islice(each, _TOGETHER)):
            while some:
                # The records in the same part of a file as the first one.
                begin = some[0] >> OFFSET_BITS << OFFSET_BITS
                beyond = begin + (1 << OFFSET_BITS)
                there = begin <= min(some) and max(some) < beyond
                odd = (at for at, place in enumerate(some) if not begin <= place < beyond)
                count = len(some) if there else next(odd)
                found = self._columns(some[:count])
                if found is not None:
                    yield found
                else:
                    yield from map(columns_of, self.bodies(some[:count]))
                del some[:count]

    def _columns(self, places: Sequence[int]) -> BodyColumns | None:
        """Return records of one file; None if they are too far apart to be read together."""
        first, last = min(places), max(places)
        file, source, limit, begin = self._places[first >> OFFSET_BITS]
        off, length = begin + (first & (1 << OFFSET_BITS) - 1), last - first + AGAIN_FROM
        if length > min(len(places) * AGAIN_FROM, 2 * AGAIN_MOST):
            return None
        data = source.read(off, min(length, limit - off))
        body_at = {
            code: kind.places["id"] + BODY_HEAD.size
            for code, kind in file.dialect.kinds.items()
            if "user_type" in kind.places and kind.id
        }
        offs = [place - first for place in places]
        if max(offs) >= len(data):
            return None
        codes = bytes(map(data.__getitem__, offs))
        if codes.translate(None, bytes(body_at)):
            return None
        starts = [at + body_at[code] for at, code in zip(offs, codes, strict=True)]
        if max(starts) > len(data):
            return None
        head, before = BODY_HEAD.unpack_from, BODY_HEAD.size
        heads = [head(data, start - before) for start in starts]
        # Records that are incomplete in `data`, or were changed, are read one by one.
        ends = [start + size for start, (_, size, _) in zip(starts, heads, strict=True)]
        if max(ends) + CHECK_SIZE > len(data) or min(map(itemgetter(1), heads)) < 0:
            return None
        return BodyColumns(data, places, codes, heads, starts)

    def brief(self, places: Iterable[int]) -> Iterator[tuple[object, int]]:
        """Yield the user type of the record at each place and the size of its body."""
        for place in places:
            file, source, _, begin = self._places[place >> OFFSET_BITS + 1]
            head = source.read(begin + (place >> 1 & (1 << OFFSET_BITS) - 1), BRIEF)
            kind = file.dialect.kinds.get(head[0]) if head else None
            at = kind.places.get("user_type", BRIEF) if kind is not None else BRIEF
            if kind is None or at >= len(head):
                raise Changed(file.name)
            yield head[at], INT.unpack_from(head, kind.places["body_size"])[0]
