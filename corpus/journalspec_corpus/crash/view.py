"""Reading a state without building it, and knowing afterwards which bytes in flight were looked at.

Two states of a group that show a deterministic reader the same bytes get the
same answer. So each answer is computed once and given to all states that cannot
differ: the reader runs once per *answer path*, not once per state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import DATA, NAMES, SIZE, Codes, Group

#: One look at a cell: (its number, from, to); from is -1 for the value as a whole.
Look = tuple[int, int, int]
_PACK_LIMIT = 1 << 62


class View:
    """The files of one state of a group, read lazily; `seen` collects the looks that mattered."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._granule = group.granule
        self._data = {(cell.file, cell.index): at for at, cell in enumerate(group.cells) if cell.kind == DATA}
        self._size = {cell.file: at for at, cell in enumerate(group.cells) if cell.kind == SIZE}
        self._names = next((at for at, cell in enumerate(group.cells) if cell.kind == NAMES), None)
        self._codes: list[int] = []
        self._memo: dict[Hashable, dict[tuple[Look, ...], dict[tuple[int, ...], tuple[Any]]]] = {}
        self._kinds: dict[Look, list[int]] = {}
        self.seen: set[Look] = set()

    def turn_to(self, codes: list[int]) -> None:
        """Show the state `codes`, nothing seen yet."""
        self._codes = codes
        self.seen = set()

    def kinds(self, look: Look) -> list[int]:
        """Return for each version of a cell which of the distinct values it shows to `look`."""
        known = self._kinds.get(look)
        if known is None:
            at, start, end = look
            versions = self._group.cells[at].versions
            if start < 0:
                known = list(range(len(versions)))
            else:
                values: dict[bytes, int] = {}
                known = [values.setdefault(version[start:end], len(values)) for version in versions]
            self._kinds[look] = known
        return known

    def _look(self, at: int, start: int = -1, end: int = -1) -> Any:
        look = (at, start, end)
        # A part that is the same in all versions tells no two states apart.
        if self.kinds(look)[-1] or max(self._kinds[look]):
            self.seen.add(look)
        value = self._group.cells[at].versions[self._codes[at]]
        return value if start < 0 else value[start:end]

    def cached(self, key: Hashable, compute: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``compute(self, *arguments)``, once per bytes in flight that it looks at.

        `key` stands for the computation and its arguments. What does not touch a
        cell in flight (the unchanged prefix of a log) is computed once per group.
        """
        variants = self._memo.setdefault(key, {})
        for looks, values in variants.items():
            hit = values.get(self._shown(looks))
            if hit is not None:
                self.seen.update(looks)
                return hit[0]
        outer, self.seen = self.seen, set()
        value = compute(self, *arguments)
        looks = tuple(sorted(self.seen))
        variants.setdefault(looks, {})[self._shown(looks)] = (value,)
        self.seen |= outer
        return value

    def _shown(self, looks: tuple[Look, ...]) -> tuple[int, ...]:
        codes, kinds = self._codes, self._kinds
        return tuple([kinds[look][codes[look[0]]] for look in looks])

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
        content = self._group.contents[number][off : off + length]
        if len(content) < length:
            content = content.ljust(length, b"\0")
        out = None
        for granule in range(off // step, (off + length - 1) // step + 1):
            at = self._data.get((number, granule))
            if at is None:
                continue
            start = granule * step
            a, b = max(off, start), min(off + length, start + step)
            piece = self._look(at, a - start, b - start)
            if out is None:
                out = bytearray(content)
            out[a - off : b - off] = piece
        return content if out is None else bytes(out)


def answers(
    group: Group, codes: Codes, reader: Callable[[View], Any]
) -> tuple[list[Any], npt.NDArray[np.int32]]:
    """Return the distinct answers of `reader` and, for each row of `codes`, the index of its own.

    `reader` must be deterministic and look at the state through the view only.
    """
    view = View(group)
    found: list[Any] = []
    which = np.full(len(codes), -1, np.int32)
    left = np.arange(len(codes))
    keys: dict[tuple[Look, ...], npt.NDArray[np.int64]] = {}
    while len(left):
        first = left[0]
        view.turn_to(codes[first].tolist())
        found.append(reader(view))
        seen = tuple(sorted(view.seen))
        key = keys.get(seen)
        if key is None:
            key = keys[seen] = _packed(view, codes, seen)
        same = key[left] == key[first]
        which[left[same]] = len(found) - 1
        left = left[~same]
    return found, which


def _packed(view: View, codes: Codes, looks: tuple[Look, ...]) -> npt.NDArray[np.int64]:
    """Return one number per row that tells what `looks` show apart, and nothing else."""
    out = np.zeros(len(codes), np.int64)
    room = 1
    for look in looks:
        kinds = np.asarray(view.kinds(look), np.int64)
        size = int(kinds.max()) + 1
        room *= size
        if room > _PACK_LIMIT:
            # Number the combinations that occur, which are no more than the rows.
            _, out = np.unique(out, return_inverse=True)
            room = len(codes) * size
        out = out * size + kinds[codes[:, look[0]]]
    return out
