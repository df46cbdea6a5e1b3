"""Reading a state without building it, and knowing afterwards which cells were looked at.

Two states of a group that agree on every cell a deterministic reader looked at
get the same answer. So each answer is computed once and given to all states
that cannot differ: the reader runs once per *answer path*, not once per state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, NAMES, SIZE, Codes, Group


class View:
    """The files of one state of a group, read lazily; `seen` collects the cells that mattered."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._granule = group.granule
        self._data = {(cell.file, cell.index): at for at, cell in enumerate(group.cells) if cell.kind == DATA}
        self._size = {cell.file: at for at, cell in enumerate(group.cells) if cell.kind == SIZE}
        self._names = next((at for at, cell in enumerate(group.cells) if cell.kind == NAMES), None)
        self._codes: list[int] = []
        self.seen: set[int] = set()

    def turn_to(self, codes: list[int]) -> None:
        """Show the state `codes`, nothing seen yet."""
        self._codes = codes
        self.seen = set()

    def _look(self, at: int) -> Any:
        self.seen.add(at)
        return self._group.cells[at].versions[self._codes[at]]

    def names(self) -> dict[str, int]:
        """Return the files' numbers by name."""
        return dict(self._group.names if self._names is None else self._look(self._names))

    def size(self, number: int) -> int:
        """Return the length of file `number` in bytes."""
        at = self._size.get(number)
        return self._group.sizes[number] if at is None else int(self._look(at))

    def read(self, number: int, off: int, length: int) -> bytes:
        """Return `length` bytes at `off` of file `number`; the caller keeps inside its size."""
        step = self._granule
        first, last = off // step, (off + length - 1) // step
        hits = [granule for granule in range(first, last + 1) if (number, granule) in self._data]
        content = self._group.contents[number][off : off + length]
        if not hits:
            return content.ljust(length, b"\0")
        out = bytearray(content.ljust(length, b"\0"))
        for granule in hits:
            piece = self._look(self._data[number, granule])
            start = granule * step
            a, b = max(off, start), min(off + length, start + step)
            out[a - off : b - off] = piece[a - start : b - start]
        return bytes(out)


def answers(group: Group, codes: Codes, reader: Callable[[View], Any]) -> tuple[list[Any], npt.NDArray[np.int32]]:
    """Return the distinct answers of `reader` and, for each row of `codes`, the index of its own.

    `reader` must be deterministic and look at the state through the view only.
    """
    view = View(group)
    found: list[Any] = []
    which = np.full(len(codes), -1, np.int32)
    left = np.arange(len(codes))
    while len(left):
        row = codes[left[0]]
        view.turn_to(row.tolist())
        found.append(reader(view))
        seen = sorted(view.seen)
        same = (codes[np.ix_(left, seen)] == row[seen]).all(axis=1)
        which[left[same]] = len(found) - 1
        left = left[~same]
    return found, which
