"""Case ids for whole groups at once: pages are named once, rows are put together from them."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, NAMES, SIZE, Cell, Codes, Group
from journalspec_corpus.crash.digest import ID_BYTES, PAGE, file_head, page_id

Bytes = npt.NDArray[np.uint8]


def content_ids(group: Group, codes: Codes) -> list[bytes]:
    """Return the content id of every row, equal to :func:`.digest.content_id` of its files."""
    if not group.names or any(cell.kind != DATA for cell in group.cells):
        one_by_one = _Rows(group)
        return [one_by_one.content_id(row) for row in codes.tolist()]
    template, slots = _template(group)
    rows = np.tile(np.frombuffer(template, np.uint8), (len(codes), 1))
    for at, cell in enumerate(group.cells):
        for part in range(group.granule // PAGE):
            slot = slots.get((cell.file, cell.index * group.granule // PAGE + part))
            if slot is not None:
                table = _page_table(group, cell, part)
                rows[:, slot : slot + ID_BYTES] = table[codes[:, at]]
    blake = hashlib.blake2b
    width = len(template)
    raw = rows.tobytes()
    return [blake(raw[at : at + width], digest_size=ID_BYTES).digest() for at in range(0, len(raw), width)]


def _template(group: Group) -> tuple[bytes, dict[tuple[int, int], int]]:
    """Return the preimage of version 0's content id, and where each page's id stands in it."""
    out = bytearray()
    slots = {}
    for name in sorted(group.names):
        number = group.names[name]
        size = group.sizes[number]
        content = group.contents[number][:size].ljust(size, b"\0")
        out += file_head(name, size)
        for page, at in enumerate(range(0, size, PAGE)):
            slots[number, page] = len(out)
            out += _settled_id(content[at : at + PAGE])
    return bytes(out), slots


@lru_cache(maxsize=8192)
def _settled_id(page: bytes) -> bytes:
    """Return the id of a page that is not in flight: it is so in many groups."""
    return page_id(page)


def _page_table(group: Group, cell: Cell, part: int) -> Bytes:
    """Return the id of one page of a cell for each of its versions, shape (versions, ID_BYTES)."""
    inside = part * PAGE
    room = group.sizes[cell.file] - cell.index * group.granule - inside
    end = inside + min(PAGE, room)
    blake = hashlib.blake2b
    ids = b"".join([blake(version[inside:end], digest_size=ID_BYTES).digest() for version in cell.versions])
    return np.frombuffer(ids, np.uint8).reshape(-1, ID_BYTES)


class _Rows:
    """Content ids of single rows: for groups in which sizes or names differ from row to row."""

    def __init__(self, group: Group) -> None:
        self._group = group
        #: file -> its pages' ids as far as its content goes in version 0, and (page, cell, part) in flight
        self._whole: dict[int, bytearray] = {}
        self._moving: dict[int, list[tuple[int, int, int]]] = {}
        self._known: dict[tuple[int, int, int, int], bytes] = {}
        parts = group.granule // PAGE
        for at, cell in enumerate(group.cells):
            if cell.kind == DATA:
                mine = self._moving.setdefault(cell.file, [])
                mine += [(cell.index * parts + part, at, part) for part in range(parts)]

    def content_id(self, codes: list[int]) -> bytes:
        """Return the content id of the row `codes`."""
        names, sizes = self._group.names, list(self._group.sizes)
        for cell, code in zip(self._group.cells, codes, strict=True):
            if cell.kind == SIZE:
                sizes[cell.file] = cell.versions[code]
            elif cell.kind == NAMES:
                names = cell.versions[code]
        out = bytearray()
        for name in sorted(names):
            out += file_head(name, sizes[names[name]])
            out += self._pages(names[name], sizes[names[name]], codes)
        return hashlib.blake2b(out, digest_size=ID_BYTES).digest()

    def _pages(self, number: int, size: int, codes: list[int]) -> bytearray:
        """Return the ids of all pages of a file, the last of which may be short."""
        full, rest = divmod(size, PAGE)
        ids = self._settled(number, full)[: full * ID_BYTES]
        last = (-1, 0)
        for page, at, part in self._moving.get(number, ()):
            if page < full:
                ids[page * ID_BYTES : (page + 1) * ID_BYTES] = self._moved(at, codes[at], part, PAGE)
            elif page == full:
                last = (at, part)
        if rest:
            at, part = last
            ids += self._still(number, full, rest) if at < 0 else self._moved(at, codes[at], part, rest)
        return ids

    def _settled(self, number: int, pages: int) -> bytearray:
        """Return the ids of at least `pages` pages of a file in version 0, zeros behind its end."""
        ids = self._whole.setdefault(number, bytearray())
        for page in range(len(ids) // ID_BYTES, pages):
            ids += self._still(number, page, PAGE)
        return ids

    def _still(self, number: int, page: int, length: int) -> bytes:
        content = self._group.contents[number][page * PAGE : page * PAGE + length]
        return page_id(content.ljust(length, b"\0"))

    def _moved(self, at: int, code: int, part: int, length: int) -> bytes:
        """Return the id of the first `length` bytes of one page of a cell."""
        key = (at, code, part, length)
        known = self._known.get(key)
        if known is None:
            piece = self._group.cells[at].versions[code][part * PAGE : part * PAGE + length]
            known = self._known[key] = page_id(piece.ljust(length, b"\0"))
        return known


def case_ids(contents: list[bytes], promised: bytes) -> list[bytes]:
    """Return the case id of every content id under one promise."""
    blake = hashlib.blake2b
    return [blake(content + promised, digest_size=ID_BYTES).digest() for content in contents]
