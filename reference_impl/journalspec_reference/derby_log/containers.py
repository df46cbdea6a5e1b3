"""The containers next to a log, page by page. Each of their faults has Derby's SQLState.

A container is a file of pages of equal size. Its first page contains the *info*, which states the page size
and has a checksum of its own. Pages of encrypted containers are decrypted when read, except for the first
page, which is not encrypted.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from struct import Struct
from typing import Any, Protocol

from journalspec_reference.derby_log.codec import BadLog
from journalspec_reference.derby_log.heap import (
    ALLOCATION_PAGE,
    PAGE_HEADER,
    PAGE_TAIL,
    ROWS_PAGE,
    SLOT,
    VALID,
    HeapRow,
    numbers_of,
    rows_of,
)

#: Offset and size (bytes) of the info of a container on its first page.
INFO, INFO_SIZE = 109, 80
#: Two facts about the info: the layout of its format, status and page size, and the number of bytes that its
#: checksum covers.
_INFO, _SUMMED = Struct(">iii"), 72
_CONTAINER, _REMOVED = 116, 2
#: The layout of the extent, which is stored after the info: the numbers of its first page and of its last
#: possible page, and its number of pages.
_EXTENT = Struct(">8xqqi")
_SMALLEST, _LARGEST = 1024, 32768
#: The offset at which an allocation page stores the number of the next one, and the value if there is no next
#: one.
_NEXT, _NO_PAGE = 60, b"\xff" * 8
#: Two facts about a heap's first row: the bytes at its start, with the container number, and its formats (up
#: to 10.2, from 10.3 on).
_HEAP, _HEAPS = Struct(">Hiqi"), (91, 467)
#: Three facts about an index's first row: the bytes at the start of the column with the container number, the
#: formats, and the position of this column.
_INDEX, _INDEXES, _ABOUT_INDEX = Struct(">Hq"), (388, 470), 6
#: The offset of the map of free pages. The map starts with the number of its bits. The bits follow.
_FREE = 245
_DELETED = 1


class Fault(Exception):
    """Represents a fault of a container or a page: the code and text of a remark, and Derby's SQLState."""

    def __init__(self, code: str, text: str, state: str = "", off: int | None = None) -> None:
        super().__init__(text)
        self.code, self.text, self.state, self.off = code, text, state, off
        #: The offset of the page with the faulty row, or None if the fault is not in a row.
        self.page: int | None = None


class Decrypts(Protocol):
    """An object that decrypts pages."""

    def page(self, data: bytes) -> bytes:
        """Return a decrypted page."""


class Heap:
    """Represents one container.

    `name` is the name of its file; `data` contains its bytes. There are no bytes if only the log refers to
    the container.
    """

    def __init__(
        self, number: int, name: str, data: Any, cipher: Decrypts | None = None, info: bytes = b""
    ) -> None:
        self.number, self.name, self._data, self._cipher = number, name, data, cipher
        #: The fault in the info of the container, if any. If the page size is also unknown, no page can be
        #: read.
        self.fault: Fault | None = None
        start = bytes(data[: INFO + INFO_SIZE + _EXTENT.size])
        info = info or start[INFO : INFO + INFO_SIZE]
        self.size, self._listed, status = 0, 0, 0
        if len(info) < INFO_SIZE:
            text = f"{name} has {len(data)} bytes, too few for the description of a container"
            self.fault = Fault("short-container", text, "XSDG3")
        else:
            form, status, size = _INFO.unpack_from(info)
            self.size = size if _SMALLEST <= size <= _LARGEST else 0
            if form != _CONTAINER:
                self.fault = Fault("unknown-container", f"{name} is of format {form}", "XSDB2", INFO)
            elif zlib.crc32(info[:_SUMMED]) != int.from_bytes(info[_SUMMED:], "big"):
                text = f"the description of {name} has a wrong checksum"
                self.fault = Fault("bad-container", text, "XJ001", INFO)
            elif not self.size:
                self.fault = Fault("bad-container", f"{name} has pages of {size} bytes", "", INFO + 8)
        #: Whether the container was dropped completely, so that only a stub is left.
        self.removed = bool(status & _REMOVED)
        #: The number of pages in the container's file.
        self.count = len(data) // self.size if self.size else 0
        if self.count and len(start) == INFO + INFO_SIZE + _EXTENT.size:
            first, last, pages = _EXTENT.unpack_from(start, INFO + INFO_SIZE)
            self._listed = min(first + pages, last + 1)
        #: Whether all pages are listed on the first page, so that there is no second list.
        self._alone = start[_NEXT : _NEXT + 8] == _NO_PAGE

    @property
    def length(self) -> int:
        """The length of the container's file."""
        return len(self._data)

    def page(self, number: int) -> bytes:
        """Return the bytes of a page whose checksum is right; raises Fault for any other page.

        A page of zeros raises Fault `unknown-page`; a page after the end of the file raises Fault `no-page`.
        """
        off = number * self.size
        where = f"page {number} of {self.name}"
        if number >= self.count:
            raise Fault("no-page", f"{where} is not in the file", "XSDG0", off)
        data = bytes(self._data[off : off + self.size])
        if self._cipher is not None and number:
            data = self._cipher.page(data)
        form = int.from_bytes(data[:2], "big")
        if form not in (ROWS_PAGE, ALLOCATION_PAGE):
            raise Fault("unknown-page", f"{where} is of format {form}", "XSDBB", off)
        summed = data[:-PAGE_TAIL]
        if number == 0:
            # The page's checksum counts the info as zeros, because the info has a checksum of its own.
            summed = summed[:INFO] + bytes(INFO_SIZE) + summed[INFO + INFO_SIZE :]
        if zlib.crc32(summed) != int.from_bytes(data[-PAGE_TAIL:], "big"):
            raise Fault("bad-page", f"{where} has a wrong checksum", "XSDG2", off)
        return data

    def blank(self, number: int) -> bool:
        """Return whether a page is missing from the file, or consists of zeros."""
        off = number * self.size
        return number >= self.count or not any(bytes(self._data[off : off + self.size]))

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The numbers of the pages after the first page, except for pages in holes of the file."""
        return numbers_of(self._data, self.size, self.count)

    def absent(self) -> range:
        """Return the pages that the first page lists but the file lacks."""
        return range(self.count, self._listed)

    def spare(self, number: int) -> bool:
        """Return whether a page was preallocated and never used. The first page's list ends before such a
        page.

        The bytes of such a page were never fsynced, and may be torn.
        """
        return self._alone and number >= self._listed and self.sound

    @cached_property
    def sound(self) -> bool:
        """Whether the first page can be trusted."""
        with suppress(Fault):
            return self.fault is None and bool(self.page(0))
        return False

    def used(self) -> Iterator[int]:
        """Yield the numbers of the pages in use, among the pages that the first page lists."""
        data = bytes(self._data[: self.size])
        bits = int.from_bytes(data[_FREE : _FREE + 4], "big")
        free = data[_FREE + 4 :]
        for at in range(min(self._listed - 1, bits, 8 * len(free))):
            if not free[at >> 3] >> (7 - at % 8) & 1:
                yield at + 1

    def page_of(self, off: int | None) -> int:
        """Return the number of the page at an offset. Return 0 if the size of pages is not known."""
        return (off or 0) // self.size if self.size else 0

    def looked_at(self, changed: Collection[int], highest: int | None) -> Iterator[int]:
        """Yield the numbers of the pages that should be intact, in order.

        `changed` contains the pages that the log changes. `highest` is the last page if the log truncates the
        container.
        """
        used, last = {*self.used()}, 0
        highest = self.count if highest is None else highest
        for page in heapq.merge(self.numbers, sorted(used.union(changed))):
            again, last = page == last, page
            if again or not page or (page > highest and page not in changed):
                continue
            if page in changed or not (self.spare(page) or (page not in used and self.blank(page))):
                yield page

    def check(self) -> Iterator[Fault]:
        """Yield faults that keep Derby from reading the container.

        Such a fault is a bad first page, or a missing page.
        """
        try:
            if self.fault is not None:
                raise self.fault
            self.page(0)
        except Fault as fault:
            yield fault
            return
        if self.absent():
            text = f"{self.name} has {self.count} pages, and its first page lists {self._listed}"
            yield Fault("no-page", text, "XSDG0", self.count * self.size)


def main_page(data: bytes) -> bool:
    """Return whether rows begin on a page. Such a page is in use and is not reserved for parts of rows."""
    form, overflow, status, *_ = PAGE_HEADER.unpack_from(data)
    return bool(form == ROWS_PAGE and status == VALID and not overflow)


def tally(data: bytes, skip: int) -> tuple[int, int]:
    """Return the number and bytes of a page's rows that are not deleted.

    With `skip`, the first slot is omitted.
    """
    size = len(data)
    count = min(PAGE_HEADER.unpack_from(data)[4], size // SLOT.size - 1)
    rows = total = 0
    for offset, length, _ in SLOT.iter_unpack(data[size - PAGE_TAIL - SLOT.size * count : -PAGE_TAIL]):
        if offset < size and not data[offset] & _DELETED:
            rows, total = rows + 1, total + length
    if skip and count:
        offset, length, _ = SLOT.unpack_from(data, size - PAGE_TAIL - SLOT.size)
        if offset < size and not data[offset] & _DELETED:
            rows, total = rows - 1, total - length
    return rows, total


def descriptor(row: HeapRow) -> tuple[int, tuple[int, ...]] | None:
    """Return the facts in the first row of a heap: its container, and the formats of its columns."""
    data = row.values[0] if row.values else None
    if not isinstance(data, bytes) or len(data) < _HEAP.size:
        return None
    form, _, container, count = _HEAP.unpack_from(data)
    if form not in _HEAPS or not 0 <= count <= (len(data) - _HEAP.size) // 2:
        return None
    return container, Struct(f">{count}H").unpack_from(data, _HEAP.size)


def said_container(row: HeapRow) -> int | None:
    """Return the container number in the first row of a heap or index.

    Return None if the row contains none.
    """
    if (found := descriptor(row)) is not None:
        return found[0]
    data = row.values[_ABOUT_INDEX] if len(row.values) > _ABOUT_INDEX else None
    if not isinstance(data, bytes) or len(data) < _INDEX.size:
        return None
    form, container = _INDEX.unpack_from(data)
    return int(container) if form in _INDEXES else None


def stored(data: bytes, where: str, *, parted: bool = False) -> Iterator[tuple[int, int, HeapRow]]:
    """Yield slot, record id and content of each row on a page. Raises Fault at a row that cannot be read."""
    try:
        yield from rows_of(data, parted=parted)
    except BadLog as error:
        raise Fault("bad-row", f"a row of {where}: {error}") from None
