"""Names for states: by content, and by content together with what was promised.

There are two kinds. The millions go by *fingerprints* (:mod:`.fingerprints`), which cost what
differs from one state to the next: :func:`content_words`, :func:`state_words`. Published
cases, and whatever is chosen to be one, go by *ids*, which are permanent:

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

from journalspec_corpus.crash import fingerprints
from journalspec_corpus.crash.blocks import DATA, SIZE, Codes, CrashPoint
from journalspec_corpus.crash.fingerprints import Pair, Words
from journalspec_corpus.crash.pages import FAN, ID_BYTES, PAGE, Ids, Node, Pages, blake, named, zeros


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


def content_words(point: CrashPoint, codes: Codes, layouts: Iterable[Layout] | None = None) -> Words:
    """Return the fingerprint of the content of every row, shape (rows, 2): that of its files.

    With `layouts` files end where these say; rows that are in none get zeros.
    """
    groups = list(_same_names(point, codes) if layouts is None else layouts)
    sums = _Sums(point, codes, groups)
    out = np.zeros((len(codes), 2), np.uint64)
    # Files that are alike in all rows are named at once; of the others all rows of all groups together.
    moved: list[tuple[Words, Pair, int]] = []
    where: list[npt.NDArray[np.int64]] = []
    for rows, names, sizes in groups:
        alike = []
        for name, number in names.items():
            size = sizes[number]
            if sums.moving(number, size):
                moved.append((sums.pages(number, size, codes[rows]), fingerprints.words_of(name), size))
                where.append(rows)
            else:
                alike.append(fingerprints.file_term(name, size, sum_of(point.contents[number], size)))
        out[rows] = np.asarray(fingerprints.added(alike), np.uint64)
    if moved:
        counts = [len(rows) for rows in where]
        named = np.repeat(np.asarray([name for _, name, _ in moved], np.uint64), counts, axis=0)
        long = np.repeat(np.asarray([size for *_, size in moved], np.uint64), counts)
        terms = fingerprints.file_terms(named, long, np.concatenate([pages for pages, *_ in moved]))
        at = 0
        for rows in where:
            out[rows] += terms[at : at + len(rows)]
            at += len(rows)
    return out


def state_words(point: CrashPoint, codes: Codes, promised: Pair) -> tuple[Words, Words]:
    """Return the fingerprints of the states under one promise, and those of their contents."""
    contents = content_words(point, codes)
    return fingerprints.states_of(contents, promised), contents


class _Sums:
    """What the blocks in flight add to the sums of their files: a pair for each version that occurs."""

    def __init__(self, point: CrashPoint, codes: Codes, layouts: Sequence[Layout]) -> None:
        self._point = point
        blocks: dict[int, list[int]] = {}
        for number, block in enumerate(point.blocks):
            if block.kind == DATA:
                blocks.setdefault(block.file, []).append(number)
        #: (file, size) -> its blocks, and how many bytes each has within that size
        self._columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
        #: block and bytes -> for each version whether it occurs, later its place in the table
        occurs: dict[tuple[int, int], npt.NDArray[np.bool_]] = {}
        self._places: dict[tuple[int, int], npt.NDArray[np.int64]] = {}
        for rows, names, sizes in layouts:
            for file in names.values():
                if file not in blocks:
                    continue
                size = sizes[file]
                if (file, size) not in self._columns:
                    self._columns[file, size] = list(self._within(blocks[file], size))
                for place in self._columns[file, size]:
                    if place not in occurs:
                        # The content holds version 0 of every block.
                        occurs[place] = np.arange(len(point.blocks[place[0]].versions)) == 0
                    occurs[place][codes[rows, place[0]]] = True
        asked: list[tuple[int, bytes]] = []
        for (number, length), flags in occurs.items():
            block, used = point.blocks[number], np.flatnonzero(flags)
            places = self._places[number, length] = np.zeros(len(flags), np.int64)
            places[used] = len(asked) + np.arange(len(used))
            first = block.index * point.granule // PAGE
            asked += [(first, block.versions[at][:length]) for at in used.tolist()]
        self._table = np.asarray(sums_at(asked), np.uint64).reshape(-1, 2)

    def _within(self, numbers: Iterable[int], size: int) -> Iterator[tuple[int, int]]:
        granule = self._point.granule
        for number in numbers:
            length = min(granule, size - self._point.blocks[number].index * granule)
            if length > 0:
                yield number, length

    def moving(self, file: int, size: int) -> bool:
        """Tell whether blocks of `file` are in flight within its first `size` bytes."""
        return bool(self._columns.get((file, size)))

    def pages(self, file: int, size: int, codes: Codes) -> Words:
        """Return the sum of the pages of the first `size` bytes of `file` in each row, shape (rows, 2)."""
        mine = self._columns[file, size]
        rest = np.asarray(sum_of(self._point.contents[file], size), np.uint64)
        rest = rest - self._table[[self._places[each][0] for each in mine]].sum(axis=0)
        where = np.stack([self._places[each][codes[:, each[0]]] for each in mine])
        return np.asarray(rest + self._table[where].sum(axis=0))


def sum_of(content: Pages, size: int) -> Pair:
    """Return the sum of the pages of a file's first `size` bytes.

    What a node of the tree adds is kept with it: only what is new since is looked at.
    """
    if size in content.summed:
        return content.summed[size]
    count = size // PAGE
    parts = list(content.stretches(count))
    new: dict[int, Node] = {}
    for part in parts:
        _new_pages(*part, new)
    if new:
        pairs = fingerprints.page_pairs([node.data for node in new.values()], [*new]).tolist()
        for (number, node), (a, b) in zip(new.items(), pairs, strict=True):
            node.summed = number, (a, b)
    end = sums_at([(count, content[count * PAGE : size])]) if size % PAGE else []
    found = content.summed[size] = fingerprints.added((*(_sum(*part) for part in parts), *end))
    return found


def _new_pages(node: Node, level: int, first: int, found: dict[int, Node]) -> None:
    """Put the pages below `node` of which nothing is kept, and that are not zeros, into `found`."""
    if node is zeros(level) or (node.summed is not None and node.summed[0] == first):
        return
    if not level:
        found[first] = node
    for at, child in enumerate(node.children):
        _new_pages(child, level - 1, first + at * FAN ** (level - 1), found)


def _sum(node: Node, level: int, first: int) -> Pair:
    """Return what the pages below `node` add; the sums of pages are kept already."""
    if node is zeros(level):
        return 0, 0
    if node.summed is None or node.summed[0] != first:
        step = FAN ** (level - 1)
        sums = (_sum(child, level - 1, first + at * step) for at, child in enumerate(node.children))
        node.summed = first, fingerprints.added(sums)
    return node.summed[1]


#: (first page, bytes) -> what they add to the sum of a file: crash points have most versions in common
_known: dict[tuple[int, bytes], Pair] = {}
#: So many of them are kept.
_KEPT = 1 << 14


def sums_at(stretches: Sequence[tuple[int, bytes]]) -> list[Pair]:
    """Return what stretches (number of the first page, bytes) add to the sums of their files."""
    new = [each for each in dict.fromkeys(stretches) if each not in _known]
    if new:
        if len(_known) + len(new) > _KEPT:
            _known.clear()
            new = list(dict.fromkeys(stretches))
        pages, numbers, owners = [], [], []
        for owner, (first, data) in enumerate(new):
            for at in range(0, len(data), PAGE):
                pages.append(data[at : at + PAGE])
                numbers.append(first + at // PAGE)
                owners.append(owner)
        sums = np.zeros((len(new), 2), np.uint64)
        np.add.at(sums, owners, fingerprints.page_pairs(pages, numbers))
        _known.update(zip(new, ((a, b) for a, b in sums.tolist()), strict=True))
    return [_known[each] for each in stretches]
