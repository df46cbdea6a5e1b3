"""Looking for records: every offset is a candidate until a record is accepted (JBM-RDR).

Candidates are found by their type and the file's own id, which a regular
expression finds at the speed of memory. A rejected candidate costs constant
time and the search resumes one byte behind its start, so that the whole scan
is linear in the file's length whatever the bytes say. Where rejected candidates
crowd, whole windows of them are looked at together (:mod:`.fast`), if NumPy is
there to do it. Of a file on a disk only a part is in memory at a time, and its holes are
passed over: no record begins with a zero.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

from journalspec_reference.checksums import PrefixDigest, direct
from journalspec_reference.content import UNREADABLE, Window, behind_zeros
from journalspec_reference.jboss_journal.codec import (
    CHECK_SIZE,
    MOST_FIXED,
    NOT_LOADED,
    PROLOGUE,
    Dialect,
    Fault,
    Hash,
    JournalRecord,
    check,
    decode_record,
)

#: So many bytes are searched at once.
STRIDE = 4096
#: So many rejected candidates within STRETCH bytes are a crowd.
CROWD, STRETCH = 256, 1 << 16


#: A directory may hold a hundred thousand files, each with an id of its own.
@lru_cache(256)
def _pattern(codes: tuple[int, ...], stamp: int | None) -> re.Pattern[bytes]:
    types = b"[" + bytes(codes) + b"]"
    return re.compile(types + (b"" if stamp is None else re.escape(stamp.to_bytes(4, "big"))), re.DOTALL)


@cache
def _fast() -> ModuleType | None:
    """Return the module for crowds; without NumPy there is none, and they take their time."""
    try:
        from journalspec_reference.jboss_journal import fast  # noqa: PLC0415  # NumPy is optional
    except ImportError:
        return None
    return fast


class Search:
    """Searches through a file, as iterators of records and rejected candidates; `limit` is where it ends.

    Records carry `stamp` (None: any file id). Of those that are not `wanted` nothing is said.
    """

    def __init__(
        self,
        data: Any,
        limit: int,
        dialect: Dialect,
        stamp: int | None = None,
        wanted: Callable[[JournalRecord], bool] | None = None,
    ) -> None:
        self._data = data
        self._window = Window(data, limit)
        self._view = self._window.view
        self._dialect = dialect
        self._stamp = stamp
        self._digest: Hash = PrefixDigest(data, limit) if dialect.hashed else direct
        self._wanted = wanted
        self._pattern = _pattern(tuple(sorted(dialect.kinds)), stamp)
        self._at, self._limit, self._covered = 0, limit, 0

    def between(self, start: int, limit: int) -> Iterator[JournalRecord | Fault]:
        """Yield what is found at offsets from `start`, looking no further than `limit`."""
        self._at, self._limit, self._covered = start, limit, 0
        rejected, since = 0, start
        if start < self._window.start:
            self._view = self._window.reach(start, start)
        while (off := self._candidate()) is not None:
            item = self._take(off)
            if item is not None:
                yield item
            if isinstance(item, JournalRecord):
                continue
            rejected += 1
            if rejected >= CROWD:
                if self._at - since <= STRETCH:
                    yield from self._crowd()
                rejected, since = 0, self._at

    def at(self, off: int) -> JournalRecord | None:
        """Return the record at `off`, hashed by itself; None if there is none."""
        if not 0 <= off < self._limit:
            return None
        self._view = self._window.reach(off, min(off + MOST_FIXED, self._limit))
        if self._view[off] not in self._dialect.kinds:
            return None
        self._digest = direct
        item = self._decide(off)
        return item if isinstance(item, JournalRecord) else None

    def _candidate(self) -> int | None:
        """Return where the next candidate begins, or None; what is searched is loaded on the way."""
        while True:
            begin, ready = self._at, min(self._window.ready, self._limit)
            while self._at < ready:
                stop = min(ready, self._at + STRIDE)
                match = self._pattern.search(self._view, self._at, min(ready, stop + PROLOGUE - 1))
                if match is not None:
                    return match.start()
                # No record begins with a zero, and most of a journal that was set aside is zeros.
                self._at = behind_zeros(self._view, stop, ready)
            if ready >= self._limit:
                return None
            # The last bytes that are loaded may be the beginning of a candidate.
            self._at = self._window.next_data(max(begin, ready - PROLOGUE + 1))
            if self._at >= self._limit:
                return None
            self._view = self._window.reach(self._at, min(self._at + PROLOGUE, self._limit))

    def _decide(self, off: int) -> JournalRecord | Fault:
        """Return what the candidate at `off` is, after loading what has to be looked at for that."""
        window = self._window
        if off + MOST_FIXED > window.ready < self._limit:
            self._view = window.reach(off, min(off + MOST_FIXED, self._limit))
        item = decode_record(self._view, off, self._limit, self._dialect, self._digest)
        if isinstance(item, Fault) and item.reason == NOT_LOADED:
            # A few bytes at its end say whether all of it is worth loading.
            last = window.peek(item.end - CHECK_SIZE, item.end)
            problem = check(last, self._view, off, item.end, self._dialect, self._digest)
            if problem is None:
                self._view = window.reach(off, item.end)
                item = decode_record(self._view, off, self._limit, self._dialect, self._digest)
            else:
                item = problem
        why = window.why(off, item.end or off + MOST_FIXED)
        return Fault(off, UNREADABLE, item.end, why) if why else item

    def _take(self, off: int) -> JournalRecord | Fault | None:
        """Decide on the candidate at `off` and move on; None if it is not worth a word."""
        item = self._decide(off)
        if isinstance(item, Fault):
            self._at = off + 1
            if off < self._covered:
                return None
            self._covered = item.end or self._limit
            return item
        if self._wanted is not None and not self._wanted(item):
            self._at = off + 1
            return None
        self._at, self._covered = item.end, 0
        return item

    def _crowd(self) -> Iterator[JournalRecord | Fault]:
        """Go on in windows while they are crowded."""
        fast = _fast()
        if fast is None:
            return
        finder = fast.Finder(self._data, self._dialect, self._stamp, self._limit)
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


def walk(
    data: Any, file_id: int, dialect: Dialect, end: int | None = None
) -> Iterator[JournalRecord | Fault]:
    """Yield every healthy record of a file, and the candidates that are none, in offset order.

    The bytes of an accepted record are never looked at again; those of a
    rejected one are. Of rejected candidates without a record between them those
    are left out that begin within what an earlier one claims: they belong to the
    same torn region.
    """
    limit = len(data) if end is None else min(end, len(data))
    yield from Search(data, limit, dialect, dialect.stamp(file_id)).between(dialect.header_size, limit)


def stale(
    data: Any, file_id: int, dialect: Dialect, gaps: Iterable[tuple[int, int]]
) -> Iterator[JournalRecord]:
    """Yield the records of earlier lives of a file within `gaps`: healthy but for their file id.

    A forensic extra: four bytes of check size are all that vouches for them.
    """
    own = dialect.stamp(file_id).to_bytes(4, "big")
    yield from _of_any_file(data, dialect, gaps, lambda item: data[item.off + 1 : item.off + 5] != own)


def healthy(data: Any, dialect: Dialect) -> Iterator[JournalRecord]:
    """Yield the healthy records of a file whose header cannot be used, whatever file id they carry.

    A forensic extra, as :func:`stale` is.
    """
    yield from _of_any_file(data, dialect, [(0, len(data))])


def _of_any_file(
    data: Any,
    dialect: Dialect,
    gaps: Iterable[tuple[int, int]],
    wanted: Callable[[JournalRecord], bool] | None = None,
) -> Iterator[JournalRecord]:
    search = Search(data, len(data), dialect, None, wanted)
    for start, end in gaps:
        for item in search.between(start, end):
            if isinstance(item, JournalRecord):
                yield item
