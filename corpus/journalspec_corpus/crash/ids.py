"""Names for states: by content, and by content together with what was promised.

They are permanent: an id never changes.

``content_id`` is blake2b-128 over the files in name order: name, size, and what names
their bytes (:mod:`.pages`). ``case_id`` adds format, edition, stratum and the records
that are owed. Two descriptors with one case id are one case.

A whole crash point is named at once: pages in flight are named once per version, and
rows are put together from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import DATA, SIZE, Codes, CrashPoint
from journalspec_corpus.crash.pages import FAN, ID_BYTES, PAGE, Ids, blake, named


def file_head(name: str, size: int) -> bytes:
    """Return what stands before a file's page ids."""
    raw = name.encode()
    return len(raw).to_bytes(4, "big") + raw + size.to_bytes(8, "big")


def content_id(files: Mapping[str, bytes]) -> bytes:
    """Return the 16-byte id of a directory's content, the plain way."""
    parts = []
    for name in sorted(files):
        content = files[name]
        ids = [blake(content[at : at + PAGE]) for at in range(0, len(content), PAGE)]
        while len(ids) > FAN:
            ids = [blake(b"".join(ids[at : at + FAN])) for at in range(0, len(ids), FAN)]
        parts += [file_head(name, len(content)), *ids]
    return blake(b"".join(parts))


def promise(format_id: str, edition: str, stratum: str, acknowledged: Iterable[str]) -> bytes:
    """Return the part of a case id that does not come from the content."""
    text = "\0".join((format_id, edition, stratum, *sorted(acknowledged)))
    return blake(text.encode())


def case_id(content: bytes, promised: bytes) -> bytes:
    """Return the 16-byte id of a case."""
    return blake(content + promised)


def content_ids(point: CrashPoint, codes: Codes) -> list[bytes]:
    """Return the content id of every row, equal to :func:`content_id` of its files."""
    tables = _Tables(point)
    out = [b""] * len(codes)
    for rows, names, sizes in _same_names(point, codes):
        parts: list[Ids] = []
        for name in sorted(names):
            number, size = names[name], sizes[names[name]]
            parts.append(file_head(name, size))
            parts += point.contents[number].ids(size, tables.moved(number, size, codes[rows]))
        ids = named(parts)
        raw = ids * len(rows) if isinstance(ids, bytes) else ids.tobytes()
        for at, row in enumerate(rows.tolist()):
            out[row] = raw[at * ID_BYTES : (at + 1) * ID_BYTES]
    return out


#: Rows with the same names and sizes, and these: the size of each file by its number.
Layout: TypeAlias = tuple[npt.NDArray[np.int64], Mapping[str, int], Sequence[int]]


def _same_names(point: CrashPoint, codes: Codes) -> Iterator[Layout]:
    """Yield the rows that have the same names and sizes together, with these."""
    at = [number for number, block in enumerate(point.blocks) if block.kind != DATA]
    if not at:
        yield np.arange(len(codes)), point.names, list(point.sizes)
        return
    which: dict[tuple[int, ...], list[int]] = {}
    for row, key in enumerate(map(tuple, codes[:, at].tolist())):
        which.setdefault(key, []).append(row)
    for key, rows in which.items():
        names, sizes = point.names, list(point.sizes)
        for number, code in zip(at, key, strict=True):
            block = point.blocks[number]
            if block.kind == SIZE:
                sizes[block.file] = block.versions[code]
            else:
                names = block.versions[code]
        yield np.asarray(rows), names, sizes


class _Tables:
    """The ids of the pages in flight, one for each version, computed once."""

    def __init__(self, point: CrashPoint) -> None:
        self._point = point
        #: file -> (page, block, where the page begins in it)
        self._pages: dict[int, list[tuple[int, int, int]]] = {}
        self._known: dict[tuple[int, int, int], list[bytes]] = {}
        for number, block in enumerate(point.blocks):
            if block.kind == DATA:
                first = block.index * point.granule // PAGE
                mine = self._pages.setdefault(block.file, [])
                mine += [(first + at, number, at * PAGE) for at in range(point.granule // PAGE)]

    def moved(self, file: int, size: int, codes: Codes) -> dict[int, Ids]:
        """Return the ids of the pages in flight within the first `size` bytes of `file`, in each row."""
        out: dict[int, Ids] = {}
        for page, block, start in self._pages.get(file, ()):
            length = min(PAGE, size - page * PAGE)
            if length <= 0:
                continue
            versions = self._ids(block, start, length)
            if len(codes) == 1:
                out[page] = versions[codes[0, block]]
            else:
                table = np.frombuffer(b"".join(versions), np.uint8).reshape(-1, ID_BYTES)
                out[page] = table[codes[:, block]]
        return out

    def _ids(self, block: int, start: int, length: int) -> list[bytes]:
        known = self._known.get((block, start, length))
        if known is None:
            parts = [version[start : start + length] for version in self._point.blocks[block].versions]
            known = self._known[block, start, length] = [blake(part.ljust(length, b"\0")) for part in parts]
        return known


def case_ids(contents: list[bytes], promised: bytes) -> list[bytes]:
    """Return the case id of every content id under one promise."""
    return [blake(content + promised) for content in contents]
