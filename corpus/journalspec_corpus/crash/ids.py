"""Names for states: by content, and by content together with what was promised.

``content_id`` is blake2b-128 over the files in name order: name, size and the
blake2b-128 of each 512-byte page (the smallest granule of the model). ``case_id``
adds format, edition, stratum and the records that are owed. Two descriptors with
one case id are one case. For all states of a crash point at once, pages are named once
and rows put together from them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, Block, Codes, CrashPoint

PAGE = 512
ID_BYTES = 16


def blake(data: bytes) -> bytes:
    """Return the 16-byte blake2b of `data`."""
    return hashlib.blake2b(data, digest_size=ID_BYTES).digest()


def page_id(page: bytes) -> bytes:
    """Return the id of one page (its last one may be short)."""
    return blake(page)


def file_head(name: str, size: int) -> bytes:
    """Return what stands before a file's page ids."""
    raw = name.encode()
    return len(raw).to_bytes(4, "big") + raw + size.to_bytes(8, "big")


def content_id(files: Mapping[str, bytes]) -> bytes:
    """Return the 16-byte id of a directory's content."""
    parts = []
    for name in sorted(files):
        content = files[name]
        parts.append(file_head(name, len(content)))
        parts += [page_id(content[at : at + PAGE]) for at in range(0, len(content), PAGE)]
    return blake(b"".join(parts))


def promise(format_id: str, edition: str, stratum: str, acknowledged: Iterable[str]) -> bytes:
    """Return the part of a case id that does not come from the content."""
    text = "\0".join((format_id, edition, stratum, *sorted(acknowledged)))
    return blake(text.encode())


def case_id(content: bytes, promised: bytes) -> bytes:
    """Return the 16-byte id of a case."""
    return blake(content + promised)


Bytes = npt.NDArray[np.uint8]


def content_ids(point: CrashPoint, codes: Codes) -> list[bytes]:
    """Return the content id of every row, equal to :func:`content_id` of its files."""
    if not point.names or any(block.kind != DATA for block in point.blocks):
        one_by_one = _Rows(point)
        return [one_by_one.content_id(row) for row in codes.tolist()]
    template, slots = _template(point)
    rows = np.tile(np.frombuffer(template, np.uint8), (len(codes), 1))
    for at, block in enumerate(point.blocks):
        for part in range(point.granule // PAGE):
            slot = slots.get((block.file, block.index * point.granule // PAGE + part))
            if slot is not None:
                table = _page_table(point, block, part)
                rows[:, slot : slot + ID_BYTES] = table[codes[:, at]]
    blake = hashlib.blake2b
    width = len(template)
    raw = rows.tobytes()
    return [blake(raw[at : at + width], digest_size=ID_BYTES).digest() for at in range(0, len(raw), width)]


def _template(point: CrashPoint) -> tuple[bytes, dict[tuple[int, int], int]]:
    """Return the preimage of version 0's content id, and where each page's id stands in it."""
    out = bytearray()
    slots = {}
    for name in sorted(point.names):
        number = point.names[name]
        size = point.sizes[number]
        content = point.contents[number][:size].ljust(size, b"\0")
        out += file_head(name, size)
        for page, at in enumerate(range(0, size, PAGE)):
            slots[number, page] = len(out)
            out += _settled_id(content[at : at + PAGE])
    return bytes(out), slots


@lru_cache(maxsize=8192)
def _settled_id(page: bytes) -> bytes:
    """Return the id of a page that is not in flight: it is so in many crash points."""
    return page_id(page)


def _page_table(point: CrashPoint, block: Block, part: int) -> Bytes:
    """Return the id of one page of a block for each of its versions, shape (versions, ID_BYTES)."""
    inside = part * PAGE
    room = point.sizes[block.file] - block.index * point.granule - inside
    end = inside + min(PAGE, room)
    blake = hashlib.blake2b
    ids = b"".join([blake(version[inside:end], digest_size=ID_BYTES).digest() for version in block.versions])
    return np.frombuffer(ids, np.uint8).reshape(-1, ID_BYTES)


class _Rows:
    """Content ids of single rows: for crash points in which sizes or names differ from row to row."""

    def __init__(self, point: CrashPoint) -> None:
        self._group = point
        #: file -> its pages' ids as far as its content goes in version 0, and (page, block, part) in flight
        self._whole: dict[int, bytearray] = {}
        self._moving: dict[int, list[tuple[int, int, int]]] = {}
        self._known: dict[tuple[int, int, int, int], bytes] = {}
        parts = point.granule // PAGE
        for at, block in enumerate(point.blocks):
            if block.kind == DATA:
                mine = self._moving.setdefault(block.file, [])
                mine += [(block.index * parts + part, at, part) for part in range(parts)]

    def content_id(self, codes: list[int]) -> bytes:
        """Return the content id of the row `codes`."""
        names, sizes = self._group.names, list(self._group.sizes)
        for block, code in zip(self._group.blocks, codes, strict=True):
            if block.kind == SIZE:
                sizes[block.file] = block.versions[code]
            elif block.kind == NAMES:
                names = block.versions[code]
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
        """Return the id of the first `length` bytes of one page of a block."""
        key = (at, code, part, length)
        known = self._known.get(key)
        if known is None:
            piece = self._group.blocks[at].versions[code][part * PAGE : part * PAGE + length]
            known = self._known[key] = page_id(piece.ljust(length, b"\0"))
        return known


def case_ids(contents: list[bytes], promised: bytes) -> list[bytes]:
    """Return the case id of every content id under one promise."""
    blake = hashlib.blake2b
    return [blake(content + promised, digest_size=ID_BYTES).digest() for content in contents]
