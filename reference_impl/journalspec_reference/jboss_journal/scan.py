"""Looking for records: every offset is a candidate until a record is accepted (JBM-RDR).

Candidates are found by their type and the file's own id, which a regular
expression finds at the speed of memory. A rejected candidate costs constant
time and the search resumes one byte behind its start, so that the whole scan
is linear in the file's length whatever the bytes say. Where rejected candidates
crowd, whole windows of them are looked at together (:mod:`.fast`), if NumPy is
there to do it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

from journalspec_reference.jboss_journal.codec import Fault, Hash, JournalRecord, decode_record
from journalspec_reference.jboss_journal.dialect import Dialect
from journalspec_reference.jboss_journal.digest import PrefixDigest, direct

#: So many rejected candidates within STRETCH bytes are a crowd.
CROWD, STRETCH = 256, 1 << 16


@cache
def _pattern(codes: tuple[int, ...], stamp: int | None) -> re.Pattern[bytes]:
    types = b"[" + b"".join(b"\\x%02x" % code for code in codes) + b"]"
    return re.compile(types + (b"" if stamp is None else re.escape(stamp.to_bytes(4, "big"))), re.DOTALL)


@cache
def _fast() -> ModuleType | None:
    """Return the module for crowds; without NumPy there is none, and they take their time."""
    try:
        from journalspec_reference.jboss_journal import fast  # noqa: PLC0415  # NumPy is optional
    except ImportError:
        return None
    return fast


class _Search:
    """One search through ``view[at:limit]``, as an iterator of records and rejected candidates."""

    def __init__(
        self,
        view: memoryview,
        dialect: Dialect,
        stamp: int | None,
        digest: Hash,
        wanted: Callable[[JournalRecord], bool] | None = None,
    ) -> None:
        self._view = view
        self._dialect = dialect
        self._stamp = stamp
        self._digest = digest
        self._wanted = wanted
        self._pattern = _pattern(tuple(sorted(dialect.kinds)), stamp)
        self._at = self._limit = self._covered = 0

    def between(self, start: int, limit: int) -> Iterator[JournalRecord | Fault]:
        """Yield what is found at offsets from `start`, looking no further than `limit`."""
        self._at, self._limit, self._covered = start, limit, 0
        rejected, since = 0, start
        while (match := self._pattern.search(self._view, self._at, limit)) is not None:
            item = self._take(match.start())
            if item is not None:
                yield item
            if isinstance(item, JournalRecord):
                continue
            rejected += 1
            if rejected >= CROWD:
                if self._at - since <= STRETCH:
                    yield from self._crowd()
                rejected, since = 0, self._at

    def _take(self, off: int) -> JournalRecord | Fault | None:
        """Decide on the candidate at `off` and move on; None if it is not worth a word."""
        item = decode_record(self._view, off, self._limit, self._dialect, self._digest)
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
        finder = fast.Finder(self._view, self._dialect, self._stamp, self._limit)
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
    view = memoryview(data)[:limit]
    digest: Hash = PrefixDigest(view) if dialect.hashed else direct
    yield from _Search(view, dialect, dialect.stamp(file_id), digest).between(dialect.header_size, limit)


def stale(
    data: Any, file_id: int, dialect: Dialect, gaps: Iterable[tuple[int, int]]
) -> Iterator[JournalRecord]:
    """Yield the records of earlier lives of a file within `gaps`: healthy but for their file id.

    A forensic extra: four bytes of check size are all that vouches for them.
    """
    view = memoryview(data)
    own = dialect.stamp(file_id).to_bytes(4, "big")
    yield from _of_any_file(view, dialect, gaps, lambda item: view[item.off + 1 : item.off + 5] != own)


def healthy(data: Any, dialect: Dialect) -> Iterator[JournalRecord]:
    """Yield the healthy records of a file whose header cannot be used, whatever file id they carry.

    A forensic extra, as :func:`stale` is.
    """
    yield from _of_any_file(memoryview(data), dialect, [(0, len(data))])


def _of_any_file(
    view: memoryview,
    dialect: Dialect,
    gaps: Iterable[tuple[int, int]],
    wanted: Callable[[JournalRecord], bool] | None = None,
) -> Iterator[JournalRecord]:
    digest: Hash = PrefixDigest(view) if dialect.hashed else direct
    search = _Search(view, dialect, None, digest, wanted)
    for start, end in gaps:
        for item in search.between(start, end):
            if isinstance(item, JournalRecord):
                yield item
