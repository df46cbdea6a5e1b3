"""The inputs of one trace as pieces: what differs from its base, each piece written down once.

The states of a trace are put together from few pages in many combinations. A
*piece* is a run of bytes at a place of a file; a page is the base's with some
pieces laid over, in order. Of a piece that a crash cut short, only the length
that arrived is told. Where a page differs from another one of the same place in
a few bytes (one flipped bit), those are a piece of their own on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from journalspec_corpus.crash.ids import PAGE

Files: TypeAlias = Mapping[str, bytes]
#: A piece by its number, or [number, how many of its bytes].
Put: TypeAlias = int | list[int]
#: (file, offset, length): pages of one place and length have one base.
_Place: TypeAlias = tuple[str, int, int]
#: What a piece costs beside its bytes, and how many earlier pages are tried before one is written out.
_OVERHEAD, _TRIED = 12, 6


class Packing:
    """The pieces that `inputs`, all of one trace with the files `base`, consist of."""

    def __init__(self, base: Files, inputs: Iterable[Files]) -> None:
        self._base = base
        self._layouts: list[list[list[str]]] = []
        self._pieces: dict[tuple[str, int, bytes], int] = {}
        pages: dict[_Place, dict[bytes, None]] = {}
        for files in inputs:
            for place, page, _ in self._changed(files):
                pages.setdefault(place, {})[page] = None
        self._steps = {place: self._resolved(place, list(found)) for place, found in pages.items()}

    def put(self, files: Files) -> tuple[int, list[Put]]:
        """Return the number of the layout of `files`, and what to lay over the base, in order."""
        layout = [[name, str(len(files[name]))] for name in sorted(files)]
        if layout not in self._layouts:
            self._layouts.append(layout)
        puts = [put for place, page, _ in self._changed(files) for put in self._steps[place][page]]
        return self._layouts.index(layout), puts

    def to_json(self) -> dict[str, Any]:
        """Return base, layouts and pieces as members of a line, once everything has been put."""
        return {
            "files": {name: content.hex() for name, content in sorted(self._base.items())},
            "layouts": self._layouts,
            "pieces": [[name, str(off), data.hex()] for name, off, data in self._pieces],
        }

    def _changed(self, files: Files) -> Iterator[tuple[_Place, bytes, bytes]]:
        """Yield place, content and base of each page that is not the base's."""
        for name in sorted(files):
            content = files[name]
            old = self._base.get(name, b"")[: len(content)].ljust(len(content), b"\0")
            if old == content:
                continue
            for start in range(0, len(content), PAGE):
                page, was = content[start : start + PAGE], old[start : start + PAGE]
                if page != was:
                    yield (name, start, len(page)), page, was

    def _resolved(self, place: _Place, pages: list[bytes]) -> dict[bytes, list[Put]]:
        """Return the pieces of each page, the longest first: a tear is a part of what was to be written."""
        name, start, length = place
        was = self._base.get(name, b"")[start : start + length].ljust(length, b"\0")
        spans = {page: _span(page, was) for page in pages}
        whole: list[bytes] = []  # written out in one piece
        out: dict[bytes, list[Any]] = {}
        for page in _ordered(pages, spans):
            first, last = spans[page]
            torn = next((one for one in whole if _begins(one, spans[one], page, spans[page])), None)
            near = _nearest(page, whole[:_TRIED], last - first)
            if torn is not None:
                out[page] = [[out[torn][0], last - first]]
            elif near is not None:
                rest = [self._number(name, start + a, page[a:b]) for a, b in _runs(page, near)]
                out[page] = [*out[near], *rest]
            else:
                out[page] = [self._number(name, start + first, page[first:last])]
                whole.append(page)
        return out

    def _number(self, name: str, off: int, data: bytes) -> int:
        return self._pieces.setdefault((name, off, data), len(self._pieces))


def _runs(page: bytes, other: bytes) -> list[tuple[int, int]]:
    """Return where two pages of one length differ, near places together."""
    differ = np.flatnonzero(np.frombuffer(page, np.uint8) != np.frombuffer(other, np.uint8))
    if not len(differ):
        return []
    breaks = np.flatnonzero(np.diff(differ) > _OVERHEAD)
    starts = differ[np.concatenate([[0], breaks + 1])]
    ends = differ[np.concatenate([breaks, [len(differ) - 1]])] + 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _span(page: bytes, other: bytes) -> tuple[int, int]:
    """Return from where to where two different pages of one length differ."""
    runs = _runs(page, other)
    return runs[0][0], runs[-1][1]


def _ordered(pages: list[bytes], spans: Mapping[bytes, tuple[int, int]]) -> Iterator[bytes]:
    """Yield the pages that change most bytes first; of those alike, the one that is most like the others."""
    by_end: dict[int, list[bytes]] = {}
    for page in pages:
        by_end.setdefault(spans[page][1], []).append(page)
    for end in sorted(by_end, reverse=True):
        rows = np.stack([np.frombuffer(page, np.uint8) for page in by_end[end]])
        middle = np.sort(rows, axis=0)[len(rows) // 2]
        apart = (rows != middle).sum(axis=1).tolist()
        yield from (page for _, page in sorted(zip(apart, by_end[end], strict=True)))


def _begins(whole: bytes, span: tuple[int, int], page: bytes, part: tuple[int, int]) -> bool:
    """Tell whether what `page` changes is the beginning of what `whole` changes."""
    return span[0] == part[0] and part[1] < span[1] and whole[part[0] : part[1]] == page[part[0] : part[1]]


def _nearest(page: bytes, pages: list[bytes], most: int) -> bytes | None:
    """Return the page that `page` differs least from, None if that takes `most` bytes or more."""
    costs = [(sum(b - a + _OVERHEAD for a, b in _runs(page, other)), other) for other in pages]
    cost, nearest = min(costs, default=(most, b""))
    return nearest if cost < most else None
