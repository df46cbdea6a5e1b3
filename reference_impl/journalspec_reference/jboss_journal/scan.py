"""What a candidate is, wherever the search finds one (JBM-RDR).

It is found by its type and the file's own id. A rejected one costs constant time and
the search resumes one byte behind its start, so that the whole scan is linear in the
file's length whatever the bytes say.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from journalspec_reference.checksums import PrefixDigest, direct
from journalspec_reference.content import UNREADABLE
from journalspec_reference.jboss_journal.codec import (
    MOST_FIXED,
    NOT_LOADED,
    Dialect,
    Fault,
    Hash,
    JournalRecord,
    check,
    decode_record,
)
from journalspec_reference.search import Searching
from journalspec_reference.signs import CHECK_SIZE

#: The blocks of the kernel's asynchronous I/O: a sector, and the block size of common file systems (bytes).
BLOCKS = (512, 4096)
#: What a new file is filled with.
FILLS = (b"\0", b"J")
#: What the header may have to itself: the configured size of a block.
HEADER_BLOCKS = tuple(1 << bits for bits in range(9, 17))

#: A directory may hold a hundred thousand files, each with an id of its own.
_signs = lru_cache(256)(Dialect.signs)


class Search(Searching[JournalRecord | Fault]):
    """Searches through a file, as iterators of records and rejected candidates; `limit` is where it ends.

    Records carry `stamp` (None: any file id).
    """

    def __init__(
        self,
        data: Any,
        limit: int,
        dialect: Dialect,
        stamp: int | None = None,
    ) -> None:
        super().__init__(data, limit, _signs(dialect, stamp))
        self._dialect = dialect
        self._digest: Hash = PrefixDigest(data, limit) if dialect.hashed else direct

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
            self._view = self._view if problem else window.reach(off, item.end)
            item = problem or decode_record(self._view, off, self._limit, self._dialect, self._digest)
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
        self._at, self._covered = item.end, 0
        return item


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


class Stale:
    """The records of earlier lives of a file, where it has none of its own: of whatever file id.

    A forensic extra: four bytes of check size are all that vouches for them.
    """

    def __init__(self, data: Any, dialect: Dialect, limit: int) -> None:
        self._search = Search(data, limit, dialect)

    def between(self, start: int, end: int) -> Iterator[JournalRecord]:
        """Yield those that begin from `start` to `end`."""
        return (item for item in self._search.between(start, end) if isinstance(item, JournalRecord))

    def lies(self, start: int, end: int) -> bool:
        """Tell whether one of them is between `start` and `end`: no write of this life has arrived there."""
        return next(self.between(start, end), None) is not None


def is_padding(data: Any, at: int, off: int, header: int) -> bool:
    """Tell whether the bytes between `at` and a record at `off` are what aligned writes leave (JBM-WRT-004).

    That is zeros, or fill where the journal was not aligned before. The header's block may have
    any usual size; after it, blocks are those of a disk or a file system.
    """
    blocks = (off,) if at == header and off in HEADER_BLOCKS else BLOCKS
    aligned = any(off % block == 0 and off - at < block for block in blocks)
    return aligned and any(bytes(data[at:off]).count(fill) == off - at for fill in FILLS)


def implied_id(data: Any, dialect: Dialect) -> int | None:
    """Return the file id that the first sound record carries; None if there is no such record.

    A file is overwritten from its beginning, so that the first records are those of its last life.
    """
    first = next(Stale(data, dialect, len(data)).between(dialect.header_size, len(data)), None)
    if first is None:
        return None
    return int.from_bytes(bytes(data[first.off + 1 : first.off + 5]), "big", signed=not dialect.versions)
