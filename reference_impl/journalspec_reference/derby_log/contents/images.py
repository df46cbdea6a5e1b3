"""Changed pages: those in use as objects, all others packed, for a row costs many times its bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from journalspec.numbers import compressed
from journalspec_reference.derby_log.heap import HeapPage, HeapRow, Pointer, image
from journalspec_reference.derby_log.store import Place

#: This many pages are kept as objects.
_MOST = 64
#: Bytes of a row besides its values.
_ROW = 16


def packed(ident: int, row: HeapRow) -> bytes:
    """Return a row as it could be on a page, an image of a row."""
    out = [bytes([row.deleted | (2 if row.rest else 0) | 4]), compressed(ident)]
    if row.rest is not None:
        out += [compressed(row.rest[0], wide=True), compressed(row.rest[1])]
    out += [compressed(row.first), compressed(len(row.values))]
    for value in row.values:
        if value is None or value is ...:
            out.append(b"\1" if value is None else b"\5")
        else:
            out += [b"\2" if isinstance(value, Pointer) else b"\0", compressed(len(value)), value]
    return b"".join(out)


class Images:
    """Changed pages by container and number; a page that was got is not kept while others are."""

    def __init__(self) -> None:
        self._live: OrderedDict[Place, HeapPage] = OrderedDict()
        #: The rows of the others, in the order of their slots, and the page without them.
        self._packed: dict[Place, tuple[bytes, HeapPage]] = {}

    def __iter__(self) -> Iterator[Place]:
        yield from list(self._live)
        yield from list(self._packed)

    def read(self, place: Place) -> HeapPage | None:
        """Return a page that is not to be changed; None if there is no changed one."""
        if place not in self._packed:
            return self._live.get(place)
        rows, bare = self._packed[place]
        page = HeapPage(bare.version, next=bare.next, overflow=bare.overflow, valid=bare.valid)
        at = 0
        while at < len(rows):
            ident, row, at = image(rows, at)
            page.put(len(page.rows), ident, row)
        return page

    def get(self, place: Place) -> HeapPage | None:
        """Return a page that is to be changed; None if it is not changed yet."""
        if place in self._live:
            self._live.move_to_end(place)
        elif (page := self.read(place)) is not None:
            del self._packed[place]
            self.put(place, page)
        return self._live.get(place)

    def put(self, place: Place, page: HeapPage) -> None:
        """Keep a page."""
        self._live[place] = page
        if len(self._live) > _MOST:
            other, last = self._live.popitem(last=False)
            rows = b"".join(packed(ident, last.rows[ident]) for ident in last.slots)
            bare = HeapPage(last.version, next=last.next, overflow=last.overflow, valid=last.valid)
            self._packed[other] = rows, bare

    def drop(self, place: Place) -> None:
        """Keep a page no longer."""
        self._live.pop(place, None)
        self._packed.pop(place, None)

    def size(self, container: int) -> int:
        """Return the approximate number of bytes of rows on the changed pages of a container."""
        live = (page for place, page in self._live.items() if place[0] == container)
        rows = sum(row.room + _ROW for page in live for row in page.rows.values())
        return rows + sum(len(rows) for place, (rows, _) in self._packed.items() if place[0] == container)
