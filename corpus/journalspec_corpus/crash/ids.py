"""Names for states: by content, and by content together with what was promised.

They are permanent: an id never changes.

``content_id`` is blake2b-128 over the files in name order: name, size, and what names
their bytes (:mod:`.pages`). ``case_id`` adds format, edition, stratum and the records
that are owed. Two descriptors with one case id are one case.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from journalspec_corpus.crash.blocks import DATA, Codes, CrashPoint
from journalspec_corpus.crash.pages import PAGE, blake, page_ids, shortened


def file_head(name: str, size: int) -> bytes:
    """Return what stands before a file's page ids."""
    raw = name.encode()
    return len(raw).to_bytes(4, "big") + raw + size.to_bytes(8, "big")


def content_id(files: Mapping[str, bytes]) -> bytes:
    """Return the 16-byte id of a directory's content."""
    parts = []
    for name in sorted(files):
        parts += [file_head(name, len(files[name])), *shortened(page_ids(files[name]))]
    return blake(b"".join(parts))


def case_id(content: bytes, promised: bytes) -> bytes:
    """Return the 16-byte id of a case."""
    return blake(content + promised)


def case_ids(contents: list[bytes], promised: bytes) -> list[bytes]:
    """Return the case id of every content id under one promise."""
    return [blake(content + promised) for content in contents]


class _Moving(NamedTuple):
    """A page that lies in a block: its number, the block's, and which bytes of the block are in it."""

    page: int
    block: int
    start: int
    end: int


#: Most crash points of a trace share their files.
_page_ids = lru_cache(1 << 6)(page_ids)
#: What stands before a file's ids, its page ids with version 0 of every block, and the pages in blocks.
_Parts = list[tuple[bytes, list[bytes], list[_Moving]]]


def content_ids(point: CrashPoint, codes: Codes) -> list[bytes]:
    """Return the content id of every row, equal to :func:`content_id` of its files.

    Pages in flight are named once per version, all others once per choice of names and sizes.
    """
    layouts: dict[tuple[int, ...], _Parts] = {}
    known: dict[tuple[int, int, int, int], bytes] = {}
    out = []
    for row in codes.tolist():
        key = tuple([row[at] for at in point.unlike_data])
        if key not in layouts:
            layouts[key] = _parts(point, row)
        parts = []
        for head, unmoved, moving in layouts[key]:
            ids = unmoved
            if moving:
                ids = unmoved.copy()
                for page, block, start, end in moving:
                    place = block, row[block], start, end
                    if place not in known:
                        version = point.blocks[block].versions[row[block]]
                        known[place] = blake(version[start:end].ljust(end - start, b"\0"))
                    ids[page] = known[place]
            parts += [head, *shortened(ids)]
        out.append(blake(b"".join(parts)))
    return out


def _parts(point: CrashPoint, row: list[int]) -> _Parts:
    names, sizes = point.layout(row)
    out = []
    for name, number in sorted(names.items()):
        size, content = sizes[number], point.contents[number]
        # Pages that are the same whatever comes behind them.
        whole = min(size, len(content)) // PAGE
        rest = content[whole * PAGE : size].ljust(size - whole * PAGE, b"\0")
        moving = [
            _Moving(page, at, start, min(start + PAGE, start + size - page * PAGE))
            for at, block in enumerate(point.blocks)
            if block.kind == DATA and block.file == number
            for start in range(0, point.granule, PAGE)
            for page in [(block.index * point.granule + start) // PAGE]
            if page * PAGE < size
        ]
        out.append((file_head(name, size), [*_page_ids(content)[:whole], *page_ids(rest)], moving))
    return out
