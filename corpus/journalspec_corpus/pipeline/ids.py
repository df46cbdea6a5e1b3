"""Case ids for whole groups at once: pages are named once, rows are put together from them."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, Cell, Codes, Group
from journalspec_corpus.crash.digest import ID_BYTES, PAGE, content_id, file_head, page_id

Bytes = npt.NDArray[np.uint8]


def content_ids(group: Group, codes: Codes) -> list[bytes]:
    """Return the content id of every row, equal to :func:`.digest.content_id` of its files."""
    if not group.names or any(cell.kind != DATA for cell in group.cells):
        return [content_id(group.materialise(row)) for row in codes]
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
            out += page_id(content[at : at + PAGE])
    return bytes(out), slots


def _page_table(group: Group, cell: Cell, part: int) -> Bytes:
    """Return the id of one page of a cell for each of its versions, shape (versions, ID_BYTES)."""
    inside = part * PAGE
    room = group.sizes[cell.file] - cell.index * group.granule - inside
    end = inside + min(PAGE, room)
    blake = hashlib.blake2b
    ids = b"".join([blake(version[inside:end], digest_size=ID_BYTES).digest() for version in cell.versions])
    return np.frombuffer(ids, np.uint8).reshape(-1, ID_BYTES)


def case_ids(contents: list[bytes], promised: bytes) -> list[bytes]:
    """Return the case id of every content id under one promise."""
    blake = hashlib.blake2b
    return [blake(content + promised, digest_size=ID_BYTES).digest() for content in contents]
