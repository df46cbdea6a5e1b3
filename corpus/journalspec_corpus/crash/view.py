"""Reading a state without building it, and knowing afterwards which bytes in flight were looked at.

Two states of a group that show a deterministic reader the same bytes get the
same answer. So each answer is computed once and given to all states that cannot
differ: the reader runs once per *answer path*, not once per state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.blocks import DATA, NAMES, SIZE, Codes, CrashPoint

#: One look at a cell: (its number, from, to, what for); from is -1 for the value as a whole.
#: The last is empty for the bytes themselves, otherwise the expression whose first match is all that is seen.
Look = tuple[int, int, int, bytes]
_PACK_LIMIT = 1 << 62


class View:
    """The files of one state of a group, read lazily; `seen` collects the looks that mattered.

    `stretch` is how many bytes a reader does well to read at once, and to remember together.
    """

    stretch = 512

    def __init__(self, point: CrashPoint) -> None:
        self._group = point
        self._granule = point.granule
        self._data = {
            (block.file, block.index): at for at, block in enumerate(point.blocks) if block.kind == DATA
        }
        self._size = {block.file: at for at, block in enumerate(point.blocks) if block.kind == SIZE}
        self._names = next((at for at, block in enumerate(point.blocks) if block.kind == NAMES), None)
        self._codes: list[int] = []
        self._memo: dict[Hashable, dict[tuple[Look, ...], dict[tuple[int, ...], tuple[Any]]]] = {}
        self._kinds: dict[Look, list[int]] = {}
        self.seen: set[Look] = set()

    @property
    def edition(self) -> str:
        """The edition that the trace was written in."""
        return self._group.trace.edition

    def turn_to(self, codes: list[int]) -> None:
        """Show the state `codes`, nothing seen yet."""
        self._codes = codes
        self.seen = set()

    def kinds(self, look: Look) -> list[int]:
        """Return for each version of a cell which of the distinct values it shows to `look`."""
        known = self._kinds.get(look)
        if known is None:
            at, start, end, sought = look
            versions = self._group.blocks[at].versions
            if start < 0:
                known = list(range(len(versions)))
            else:
                values: dict[Any, int] = {}
                shown = (version[start:end] for version in versions)
                known = [
                    values.setdefault(_first(sought, part) if sought else part, len(values)) for part in shown
                ]
            self._kinds[look] = known
        return known

    def _look(self, at: int, start: int = -1, end: int = -1, sought: bytes = b"") -> Any:
        look = (at, start, end, sought)
        # A part that is the same in all versions tells no two states apart.
        if self.kinds(look)[-1] or max(self._kinds[look]):
            self.seen.add(look)
        value = self._group.blocks[at].versions[self._codes[at]]
        if start < 0:
            return value
        return _first(sought, value[start:end]) if sought else value[start:end]

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

    def find(self, number: int, sought: bytes, width: int, span: tuple[int, int], limit: int) -> int:
        """Return the first offset in ``range(*span)`` where `sought` matches, -1 if there is none.

        `sought` is a regular expression that always matches `width` bytes; none at
        or beyond `limit` are read. States in which different bytes give the same
        answer are not told apart, but for the few bytes beside a granule's edge.
        """
        step = self._granule
        at, end = span
        while at < end:
            start = at - at % step
            edge = min(start + step, end, limit)
            block = self._data.get((number, start // step))
            if block is None:
                hit = _first(sought, self.read(number, at, edge - at))
            else:
                hit = self._look(block, at - start, edge - start, sought)
            if hit >= 0:
                return at + int(hit)
            # What begins before the edge and ends behind it.
            border = max(at, edge - width + 1)
            hit = _first(sought, self.read(number, border, min(edge + width - 1, limit) - border))
            if hit >= 0 and border + hit < edge:
                return border + hit
            at = edge
        return -1


class Plain(View):
    """The files of one state put together: quicker to read if only a few states of a group are read."""

    stretch = 1 << 62

    def __init__(self, point: CrashPoint, codes: Codes) -> None:
        files = point.materialise(codes)
        self._group = point
        self._numbers = dict(point.names)
        for block, code in zip(point.blocks, codes.tolist(), strict=True):
            if block.kind == NAMES:
                self._numbers = dict(block.versions[code])
        self._content = {self._numbers[name]: content for name, content in files.items()}

    def cached(self, key: Hashable, compute: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``compute(self, *arguments)``."""
        return compute(self, *arguments)

    def names(self) -> dict[str, int]:
        """Return the files' numbers by name."""
        return self._numbers

    def size(self, number: int) -> int:
        """Return the length of file `number` in bytes."""
        return len(self._content[number])

    def read(self, number: int, off: int, length: int) -> bytes:
        """Return `length` bytes at `off` of file `number`; the caller keeps inside its size."""
        return self._content[number][off : off + length]

    def find(self, number: int, sought: bytes, width: int, span: tuple[int, int], limit: int) -> int:
        """Return the first offset in ``range(*span)`` where `sought` matches, -1 if there is none."""
        match = _compiled(sought).search(
            self._content[number], span[0], min(span[1] + width - 1, limit, len(self._content[number]))
        )
        return -1 if match is None else match.start()


@cache
def _compiled(sought: bytes) -> re.Pattern[bytes]:
    return re.compile(sought, re.DOTALL)


def _first(sought: bytes, part: bytes) -> int:
    """Return where the first match is, -1 for none."""
    match = _compiled(sought).search(part)
    return -1 if match is None else match.start()


def answers(
    point: CrashPoint, codes: Codes, reader: Callable[[View], Any]
) -> tuple[list[Any], npt.NDArray[np.int32]]:
    """Return the distinct answers of `reader` and, for each row of `codes`, the index of its own.

    `reader` must be deterministic and look at the state through the view only.
    """
    paths = Paths(point, codes, reader)
    while paths.left.size:
        paths.step()
    return paths.found, paths.which


class Paths:
    """The answer paths of one group so far: `found` holds their answers, `which` the path of each row.

    Rows in `left` have none yet; theirs is -1.
    """

    def __init__(self, point: CrashPoint, codes: Codes, reader: Callable[[View], Any]) -> None:
        self.found: list[Any] = []
        self.which = np.full(len(codes), -1, np.int32)
        self.left = np.arange(len(codes))
        self._codes = codes
        self._reader = reader
        self._group = point
        self._view: View | None = None
        self._keys: dict[tuple[Look, ...], npt.NDArray[np.int64]] = {}

    def step(self) -> None:
        """Read the first row that is left, and give its answer to all that show the reader the same."""
        view = self._view = self._view or View(self._group)
        first = int(self.left[0])
        view.turn_to(self._codes[first].tolist())
        self.found.append(self._reader(view))
        seen = tuple(sorted(view.seen))
        key = self._keys.get(seen)
        if key is None:
            key = self._keys[seen] = _packed(view, self._codes, seen)
        same = key[self.left] == key[first]
        self.which[self.left[same]] = len(self.found) - 1
        self.left = self.left[~same]


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
