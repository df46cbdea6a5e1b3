"""Provides a file on a disk with faults: sectors that fail, holes, and an early end of the file."""

from __future__ import annotations

import errno
import os

from journalspec_reference.content import SECTOR


class Disk:
    """A file whose sectors fail, or that is truncated while it is read. Reads are counted."""

    def __init__(self, data: bytes, bad: frozenset[int] = frozenset(), cut: int | None = None) -> None:
        self.data = data
        self.size = len(data)
        self.bad = bad
        self.cut = cut
        self.number = errno.EIO
        self.calls = self.errors = self.delivered = 0

    def read(self, off: int, size: int) -> bytes:
        self.calls += 1
        end = min(off + size, self.size if self.cut is None else self.cut)
        sectors = range(off // SECTOR, -(-end // SECTOR))
        first = next((sector for sector in sectors if sector in self.bad), None)
        if first is not None:
            end = min(end, max(off, first * SECTOR))
            if end == off:
                self.errors += 1
                raise OSError(self.number, os.strerror(self.number))
        self.delivered += max(0, end - off)
        return self.data[off : max(off, end)]

    def next_data(self, off: int) -> int:
        at = off // SECTOR * SECTOR
        while at < self.size and not any(self.data[at : at + SECTOR]):
            at += SECTOR
        return min(max(off, at), self.size)

    def changed(self) -> bool:
        return False
