"""Looking for records that may begin at any byte: every offset is a candidate until a record is accepted.

Candidates are found by what they begin with, which a regular expression finds at the speed of
memory. Where rejected ones crowd, whole windows of them are looked at together (:mod:`.crowds`),
if NumPy is there to do it. Of a file on a disk only a part is in memory at a time, and its holes
are passed over: no record begins with a zero. What becomes of a candidate is for the format to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, Generic, TypeVar

from journalspec_reference.content import Window, behind_zeros
from journalspec_reference.signs import Signs

#: So many bytes are searched at once.
STRIDE = 4096
#: So many rejected candidates within STRETCH bytes are a crowd.
CROWD, STRETCH = 256, 1 << 16


@cache
def _crowds() -> ModuleType | None:
    """Return the module for crowds; without NumPy there is none, and they take their time."""
    try:
        from journalspec_reference import crowds  # noqa: PLC0415  # NumPy is optional
    except ImportError:
        return None
    return crowds


T = TypeVar("T")


class Searching(Generic[T]):
    """Searches through a file; `limit` is where it ends. A format says in :meth:`_take` what it found.

    From `_at` on nothing has been looked at; of candidates before `_covered` that are no records
    nothing is to be told. `_view` shows what is loaded of the file.
    """

    def __init__(self, data: Any, limit: int, signs: Signs) -> None:
        self._data = data
        self._signs = signs
        self._window = Window(data, limit)
        self._view = self._window.view
        self._at, self._limit, self._covered = 0, limit, 0

    def _take(self, off: int) -> T | None:
        """Decide on the candidate at `off` and move on, by one byte if it is no record; None: no word."""
        raise NotImplementedError

    def between(self, start: int, limit: int) -> Iterator[T]:
        """Yield what is found at offsets from `start`, looking no further than `limit`."""
        self._at, self._limit, self._covered = start, min(limit, self._window.limit), 0
        rejected, since = 0, start
        if start < self._window.start:
            self._view = self._window.reach(start, start)
        while (off := self._candidate()) is not None:
            item = self._take(off)
            if item is not None:
                yield item
            if self._at > off + 1:
                continue
            rejected += 1
            if rejected >= CROWD:
                if self._at - since <= STRETCH:
                    yield from self._crowd()
                rejected, since = 0, self._at

    def _candidate(self) -> int | None:
        """Return where the next candidate begins, or None; what is searched is loaded on the way."""
        pattern, prologue = self._signs.pattern, self._signs.prologue
        while True:
            begin, ready = self._at, min(self._window.ready, self._limit)
            while self._at < ready:
                stop = min(ready, self._at + STRIDE)
                match = pattern.search(self._view, self._at, min(ready, stop + prologue - 1))
                if match is not None:
                    return match.start()
                # No record begins with a zero, and most of a journal that was set aside is zeros.
                self._at = behind_zeros(self._view, stop, ready)
            if ready >= self._limit:
                return None
            # The last bytes that are loaded may be the beginning of a candidate.
            self._at = self._window.next_data(max(begin, ready - prologue + 1))
            if self._at >= self._limit:
                return None
            self._view = self._window.reach(self._at, min(self._at + prologue, self._limit))

    def _crowd(self) -> Iterator[T]:
        """Go on in windows while they are crowded."""
        crowds = _crowds()
        if crowds is None:
            return
        finder = crowds.Finder(self._data, self._signs, self._limit)
        crowded = True
        while crowded:
            window = finder.window(self._at)
            crowded = len(window.all) - len(window.hopeful) >= CROWD
            while (off := self._next(window)) < window.end:
                item = self._take(off)
                if item is not None:
                    yield item
            self._at = max(self._at, window.end)

    def _next(self, window: Any) -> int:
        """Return the next candidate that may be a record or is to be told of, or where the window ends."""
        found = window.end
        for offsets, start in ((window.hopeful, self._at), (window.all, max(self._at, self._covered))):
            index = offsets.searchsorted(start)
            if index < len(offsets):
                found = min(found, int(offsets[index]))
        return int(found)
