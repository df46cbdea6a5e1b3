"""Lengths and times of the messages in many records at once. Needs NumPy, which is imported here only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_reference.batches import Batch
from journalspec_reference.kahadb_journal.codec import Dialect
from journalspec_reference.kahadb_journal.columns import Gathered, Ints
from journalspec_reference.kahadb_journal.contents import openwire
from journalspec_reference.kahadb_journal.records import FIRST

#: The commands that store a message as a field of their own.
_ADD = "ADD_MESSAGE"


class _Heads:
    """Places in several messages, which move over one field of each; `odd` are unusual messages."""

    def __init__(self, data: bytes, at: Ints, odd: npt.NDArray[np.bool_]) -> None:
        self._view = np.frombuffer(data, np.uint8)
        self.at, self.odd = at, odd

    def byte(self, ahead: int = 0) -> Ints:
        """Return the bytes at the places, or after them."""
        return self._view.take(self.at + ahead, mode="clip").astype(np.int64)

    def text(self, has: Any = True) -> None:
        """Move over a text or null."""
        size = np.where(self.byte() > 0, 3 + (self.byte(1) << 8 | self.byte(2)), 1)
        self.at = self.at + np.where(has, size, 0)

    def object(
        self, kinds: list[int], before: int = 0, after: int = 0, has: Any = True
    ) -> npt.NDArray[np.bool_]:
        """Move over an object with a text, or null; return which of the messages have it."""
        there: npt.NDArray[np.bool_] = (self.byte() > 0) & has
        self.odd |= there & ~np.isin(self.byte(1), kinds)
        self.at = self.at + np.where(there, 2 + before, np.where(has, 1, 0))
        self.text(there)
        self.at = self.at + np.where(there, after, 0)
        return there

    def transaction(self) -> None:
        """Move over a local transaction or null."""
        there = self.byte() > 0
        self.odd |= there & (self.byte(1) != openwire.LOCAL)
        self.at = self.at + np.where(there, 10, 1)
        self.object([openwire.CONNECTION], has=there)


def times(batch: Batch, dialect: Dialect, version: int) -> list[int | None]:
    """Return the time of each record's message from its first bytes, as :func:`.openwire.head_time` does.

    None: the record is to be read alone.
    """
    found, off, end = (
        Gathered(batch, dialect, ()),
        np.frombuffer(batch.off, np.int64),
        np.frombuffer(batch.end, np.int64),
    )
    start, _, has = found.field("message")
    adds = [number for number, name in dialect.commands.items() if name == _ADD]
    heads = _Heads(batch.data, start + openwire.BEFORE_PRODUCER, ~has | ~np.isin(found.code, adds))
    destinations, producers = [*openwire.DESTINATIONS], [openwire.PRODUCER]
    heads.object(producers, after=16)
    heads.object(destinations)
    heads.transaction()
    heads.object(destinations)
    heads.odd |= (heads.byte() != 1) | (heads.byte(1) != openwire.MESSAGE_ID)
    heads.at = heads.at + 2
    if version >= 10:
        heads.text()
    heads.object(producers, after=16)
    heads.at = heads.at + 16
    heads.transaction()
    heads.text()
    heads.at = heads.at + 4
    heads.text()
    heads.at = heads.at + openwire.BEFORE_REPLY_TO
    heads.object(destinations)
    heads.odd |= heads.at + 8 > np.minimum(np.minimum(end, off + FIRST), len(batch.data))
    time = np.zeros(len(off), np.int64)
    for ahead in range(8):
        time = time << 8 | heads.byte(ahead)
    return [None if odd else value for odd, value in zip(heads.odd.tolist(), time.tolist(), strict=True)]
