"""What the log makes of the pages of a file.

For the first pages that it changes, the current bytes are kept; for all others the places of their images in
the log, until a caller asks for the page.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any

from journalspec_reference.batches import Batch, Memory, Source
from journalspec_reference.swiftmq_store.codec import FREE, BadStore, alone
from journalspec_reference.swiftmq_store.scan import (
    ABORT,
    INSERT,
    PORTION,
    Bytes,
    actions,
)

#: A page near the held ones is read together with its neighbours: this many bytes at a time.
#: Pages of an index are farther from each other, with the messages between them that they name.
NEAR, BLOCK = 8, 1 << 16
#: This many bytes of changed pages are kept; the log of a product changes fewer between two checkpoints.
SETTLED = 16 << 20
#: The memory for the place of an image. Once those of a page are longer than the page, it is made.
PLACE = 24
#: The fields of a page's header that an index changes alone: their places and lengths.
_FIELDS, _FIELD = range(1, 17, 4), 4
_NO_IMAGES = array("q")


class ReplayedPages:
    """The pages of a file as the log leaves them; each is made when it is asked for.

    `count` is what the file has, an incomplete last page omitted, or more if the log knows of more.
    """

    def __init__(self, source: Source, page_size: int, log: Source | None = None) -> None:
        self._source = source
        self._log = log or Memory(b"")
        self.page_size = page_size
        self._most = SETTLED // page_size
        self.in_file = self.count = source.size // page_size
        #: Pages that the log has made, as one of zeros or of an image of all of it; True: they are free.
        self._made: dict[int, bool] = {}
        #: For pages, the images that the log puts into them, in order: offset, place in the log and length of
        #: each.
        self._images: dict[int, array[int]] = {}
        #: Instead of that the first pages, and those with too many images, in their current state.
        self._settled: dict[int, bytearray] = {}
        #: For pages, the compared fields as bits, and the file's values of those that differ.
        self._seen: dict[int, int] = {}
        self._unlike: dict[int, dict[int, bytes]] = {}
        #: The pages that were read last, and their bytes; content in memory is read directly.
        in_memory = isinstance(source, Memory)
        self._held = range(self.in_file if in_memory else 0)
        self._block = source.read(0, source.size) if in_memory else b""
        #: The page that was made last: the reader of a message returns to it for every few bytes.
        self._last: tuple[int, bytes] = (-1, b"")

    def _hold(self, number: int) -> int:
        """Have a page of the file among those that are held; return where it begins in their bytes.

        Pages that follow each other are read in one go, others alone.
        """
        if number not in self._held:
            near = self._held.start - NEAR <= number < self._held.stop + NEAR
            some = max(1, BLOCK // self.page_size) if near else 1
            first = number // some * some
            self._held = range(first, min(first + some, self.in_file))
            start, size = first * self.page_size, len(self._held) * self.page_size
            # Blocks are held: all of a small file is read twice. Of a lone page nothing else is.
            self._block = self._source.read(start, size) if near else self._source.peek(start, start + size)
        return (number - self._held.start) * self.page_size

    def alone(self, number: int) -> Any:
        """Return what a page has of a message that has no other one, as most; None: look closely."""
        if not 0 <= number < self.count:
            return None
        if number < self.in_file and not self._changed(number):
            off = self._hold(number)
            return alone(self._block, off, self.page_size)
        return alone(self[number], 0, self.page_size)

    def __getitem__(self, number: int) -> bytes:
        if self._last[0] != number:
            if not 0 <= number < self.count:
                raise BadStore(f"page {number} of {self.count}")
            self._last = number, self._page(number)
        return self._last[1]

    def _page(self, number: int) -> bytes:
        page = self._settled.get(number)
        if page is None:
            if number < self.in_file and not self._changed(number):
                off = self._hold(number)
                return self._block[off : off + self.page_size]
            page = self._base(number)
            each = iter(self._images.get(number, _NO_IMAGES).tolist())
            for off, place, size in zip(each, each, each, strict=True):
                page[off : off + size] = self._log.peek(place, place + size)
            if not self._changed(number):
                return bytes(page)
        # The first byte of an image does not show the state of the page: the log actions do (SMQ-LOG-030).
        page[0] = self._made.get(number, False)
        return bytes(page)

    def _base(self, number: int) -> bytearray:
        """Return what the images of a page are put into."""
        if number in self._made:
            return bytearray(self.page_size)
        if number >= self.in_file:
            # A page that only the log knows of, but says nothing about, is free.
            return bytearray(FREE.ljust(self.page_size, b"\0"))
        off = self._hold(number)
        return bytearray(self._block[off : off + self.page_size])

    def _changed(self, number: int) -> bool:
        return number in self._made or number in self._settled or number in self._images

    def used(self, known: Callable[[int], Any] = lambda number: False) -> Iterator[int]:
        """Yield the pages but 0 that are in use and have something in them, and are not `known`.

        Holes are skipped.
        """
        number, nothing = 1, bytes(self.page_size)
        while number < self.count:
            if known(number):
                number += 1
                continue
            page = self[number]
            if page != nothing:
                if page[0] != 1:
                    yield number
                number += 1
            else:
                number = max(number + 1, self.hole_end(number))

    def hole_end(self, number: int) -> int:
        """Return the first page from this one on that is not all in a hole of the file, or is changed."""
        if number >= self.in_file:
            return number
        off = self._source.next_data(number * self.page_size)
        end = max(number, min(off // self.page_size, self.in_file))
        if end <= number + 1:
            return end
        return min((page for page in self.changed if number <= page < end), default=end)

    def made(self, page: int) -> bool:
        """Return whether the log makes a page."""
        return page in self._made

    @property
    def gone(self) -> list[int]:
        """Return the pages in use after the end of the file that the log changes and has not made."""
        return sorted(page for page in self.changed - self._made.keys() if page >= self.in_file)

    @property
    def changed(self) -> set[int]:
        """Return the pages that the log has changed."""
        return self._made.keys() | self._images.keys() | self._settled.keys()

    @property
    def unlike(self) -> list[int]:
        """Return the pages of which the file has a state that the log did not lead through."""
        return sorted(self._unlike)

    def take(self, batch: Batch) -> None:
        """Do what records say, in their order (SMQ-RCV-028); an ABORT is done, then undone (SMQ-RCV-029)."""
        data, lead, size, made = batch.data, batch.more["lead"], self.page_size, self._made
        # Of pages after these no field is compared.
        top = self.in_file
        self._last = (-1, b"")
        for begin, end, code in zip(batch.off, batch.end, batch.code, strict=True):
            for _, _, kind, page, _, off, before, after in actions(data, begin + lead, end, size):
                if kind != PORTION:
                    self._anew(page, free=after is None and kind != INSERT)
                elif after and off < _FIELDS.stop and page < top and page not in made:
                    self._compare(data, page, off, before, after)
                self._put(batch, page, off, after)
            if code == ABORT:
                # Of many actions only the places are kept.
                done = array("q", (one[0] for one in actions(data, begin + lead, end, size)))
                for at in reversed(done):
                    _, _, kind, _, page, off, before, _ = next(actions(data, at, end, size))
                    if kind != PORTION:
                        self._anew(page, free=before is None)
                    self._put(batch, page, off, before)

    def _anew(self, page: int, *, free: bool) -> None:
        """Make a page of zeros, used or free."""
        if page >= self.count:
            self.count = page + 1
        self._made[page] = free
        self._images.pop(page, None)
        self._unlike.pop(page, None)
        self._settled.pop(page, None)
        if not free and len(self._settled) < self._most:
            self._settled[page] = bytearray(self.page_size)

    def _put(self, batch: Batch, page: int, off: int, image: Bytes | None) -> None:
        """Put bytes of a batch into a page, which is in use then."""
        if image is None:
            return
        at, size = image
        held = self._settled.get(page)
        if held is None:
            if page >= self.count:
                self.count = page + 1
            if self._made.get(page):
                self._made[page] = False
            places = self._images.get(page)
            if places is None and len(self._settled) < self._most:
                held = self._settled[page] = self._base(page)
        if held is not None:
            # It is in use, and counted.
            held[off : off + size] = batch.data[at : at + size]
            return
        if places is None:
            places = self._images[page] = array("q")
        places.extend((off, batch.base + at, size))
        if len(places) > self.page_size // PLACE * 3:
            self._settled[page] = bytearray(self._page(page))
            del self._images[page]

    def _compare(self, data: bytes, page: int, at: int, before: Bytes | None, after: Bytes) -> None:
        """Compare the fields of a page of the file with what the log has of them (SMQ-RCV-111).

        The file may have any state that the log led through, and none that it did not. A page that the log
        makes, and one that is free in the file, are not compared.
        """
        seen, unlike = self._seen.get(page, 0), self._unlike.get(page)
        least = most = after[1]
        if before:
            least, most = min(least, before[1]), max(most, before[1])
            if least == most == _FIELD and not seen >> at & 1 and at % _FIELD == 1:
                # A field alone, for the first time.
                self._seen[page] = seen | 1 << at
                held = self._hold(page)
                stored = self._block[held + at : held + at + _FIELD]
                values = [data[before[0] : sum(before)], data[after[0] : sum(after)]]
                if stored not in values and self._block[held] != FREE[0]:
                    self._unlike.setdefault(page, {})[at] = stored
                return
        if most <= _FIELD and not unlike and seen >> at & 1:
            # A compared field is not read again, unless it differs.
            return
        for off in range(max(_FIELDS[0], at - (at - 1) % _FIELD), min(at + most, _FIELDS.stop), _FIELD):
            known, seen = seen >> off & 1, seen | 1 << off
            if known and unlike and off in unlike:
                shift = max(0, off - at)
                places = [place + shift for place, _ in filter(None, (before, after))]
                values = [data[place : place + _FIELD] for place in places]
                if at > off or at + least < off + _FIELD or unlike[off] in values:
                    del unlike[off]
        self._seen[page] = seen
        if unlike == {}:
            del self._unlike[page]
