"""Walking the batches of one file: sound ones, damage between them, and where the log ends (KHD-SCN).

Every byte is summed at most once and searched at most once: behind a batch whose checksum or
chain is wrong the search goes on at the end that it claims, so the walk is linear whatever the bytes say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from journalspec_reference.content import UNREADABLE, Window, behind_zeros
from journalspec_reference.kahadb_journal.codec import (
    BATCH,
    CONTROL,
    END_MARKER,
    HEAD,
    MARKER,
    MOST,
    OF_NOTHING,
    USER,
    Damage,
    Dialect,
    SoundBatch,
    StoredRecord,
    adler,
    head,
    sums,
)

#: What ends a log: an end marker, zeros, a batch of no bytes, or the end of the file.
MARKED, ZEROS, EMPTY, FILE = "marker", "zeros", "empty-batch", "file"
#: Bytes of a payload that hold the number of its command and the length of its message, at most.
LONGEST_HEAD = 11
#: So many bytes are looked at together.
_PIECE = 1 << 20


class End(NamedTuple):
    """Where the log of a file ends without damage, and by what."""

    off: int
    by: str


@cache
def _pattern(start: bytes) -> re.Pattern[bytes]:
    # No match may begin with a zero: what is looked for begins at the first byte that is none.
    zeros = len(start) - len(start.lstrip(b"\0"))
    return re.compile(re.escape(start[zeros:]) + b"(?<=" + re.escape(start) + b")", re.DOTALL)


class Scan:
    """The batches, damage and end of one file up to `limit`; `checked`: checksums are compared."""

    def __init__(
        self, data: Any, dialect: Dialect, *, checked: bool = True, limit: int | None = None
    ) -> None:
        self._data = data
        self._dialect = dialect
        self._checked = checked
        self._limit = len(data) if limit is None else limit
        self._window = Window(data, limit)

    def walk(self) -> Iterator[SoundBatch | Damage | End]:
        """Yield what stands in the file in order; touching damage is one, with the reason of the first."""
        at, damage = 0, None
        while True:
            item = self.at(at)
            if isinstance(item, Damage):
                damage = damage or item
                at = self.next_control(item.end)
                if at < self._limit:
                    continue
                yield Damage(damage.off, self._limit, damage.reason, damage.detail)
                return
            if damage is not None:
                yield Damage(damage.off, at, damage.reason, damage.detail)
            if isinstance(item, End):
                yield item
                return
            yield item._replace(found=damage is not None)
            at, damage = item.end, None

    def batches(self, start: int) -> Iterator[SoundBatch]:
        """Yield the sound batches from `start` on, wherever they stand."""
        at = self.next_control(start)
        while at < self._limit:
            item = self.at(at)
            if isinstance(item, SoundBatch):
                yield item
            at = self.next_control(item.end if not isinstance(item, End) else at + CONTROL)

    def at(self, at: int) -> SoundBatch | Damage | End:
        """Return what stands at `at`; of damage the end is where to look for the next batch."""
        left = self._limit - at
        data = self._window.peek(at, min(at + CONTROL, self._limit))
        if not left:
            return End(at, FILE)
        if self._dialect.marked and bytes(data[:MARKER]) == END_MARKER:
            return End(at, MARKED)
        if not self._dialect.bare and not data[0] and self._is_zero(at):
            return End(at, ZEROS)
        if left < CONTROL:
            text = f"{left} bytes are left, a control record has {CONTROL}"
            return Damage(at, self._limit, "truncated", text)
        if why := self._window.why(at, at + CONTROL):
            return Damage(at, at + 1, UNREADABLE, why)
        if bytes(data[: len(self._dialect.start)]) != self._dialect.start:
            return Damage(at, at + 1, "bad-header", "it does not begin as a control record does")
        return self._batch(at, *sums(data, 0))

    def _batch(self, at: int, size: int, checksum: int) -> SoundBatch | Damage | End:
        body, end = at + CONTROL, at + CONTROL + size
        if size == 0 and checksum in OF_NOTHING and not self._dialect.bare:
            return End(at, EMPTY)
        if not 0 < size <= MOST:
            return Damage(at, body, "bad-size", f"the batch size is {size}")
        if end > self._limit:
            return Damage(at, body, "out-of-bounds", f"the batch ends at {end}, the file at {self._limit}")
        if self._checked and checksum and checksum != (found := self._sum(body, end)):
            return Damage(at, end, "bad-checksum", f"the Adler-32 is {found:#x}, stored is {checksum:#x}")
        if problem := self._chain(body, end):
            return Damage(at, end, "bad-chain", problem)
        if why := self._window.why(at, end):
            return Damage(at, end, UNREADABLE, why)
        return SoundBatch(at, end, checksum)

    def _sum(self, start: int, end: int) -> int:
        value = 1
        for at in range(start, end, _PIECE):
            stop = min(end, at + _PIECE)
            value = adler(self._window.reach(at, stop)[at:stop], value)
        return value

    def _chain(self, at: int, end: int) -> str:
        """Return what is wrong with the lengths of the records of a batch; empty: nothing (KHD-REC-003)."""
        while at < end:
            if end - at < HEAD:
                return f"{end - at} bytes are left at {at}, and no record is as short"
            length, kind = head(self._window.peek(at, at + HEAD), 0)
            if length < HEAD or kind == BATCH:
                return f"at {at} stands no record: length {length}, type {kind}"
            if at + length > end:
                return f"the record at {at} ends at {at + length}, the batch at {end}"
            at += length
        return ""

    def _is_zero(self, at: int) -> bool:
        """Tell whether there are only zeros from `at` to the end of the file; holes cost nothing."""
        if any(self._window.peek(at, min(at + CONTROL, self._limit))):
            return False
        while (at := self._window.next_data(at)) < self._limit:
            stop = min(at + _PIECE, self._limit)
            view = self._window.reach(at, stop)
            at = behind_zeros(view, at, stop)
            if at < stop and any(view[at : min(at + 4096, stop)]):
                return False
            at = min(at + 4096, stop) if at < stop else stop
        return True

    def next_control(self, start: int) -> int:
        """Return where the next control record begins from `start` on, the end of the file if none does."""
        begin = self._dialect.start
        zeros = len(begin) - len(begin.lstrip(b"\0"))
        found = self._window.find(_pattern(begin), start + zeros, self._limit, len(begin) - zeros, zeros)
        return next(found, self._limit + zeros) - zeros


def records(window: Window, batch: SoundBatch) -> Iterator[StoredRecord]:
    """Yield the records of a sound batch, those of other types as well."""
    at = batch.off + CONTROL
    first: SoundBatch | None = batch
    while at < batch.end:
        length, kind = head(window.peek(at, at + HEAD), 0)
        # What is of an unknown type may be large, and nobody asks for it.
        payload = bytes(window.reach(at, at + length)[at + HEAD : at + length]) if kind == USER else b""
        yield StoredRecord(at, at + length, kind, payload, first)
        at, first = at + length, None


def leftovers(data: Any, dialect: Dialect, start: int, end: int) -> Iterator[StoredRecord]:
    """Yield control records in ``data[start:end]``, and the records behind each up to the first torn one.

    No checksum is asked: what they are a batch of is dropped. Nothing is looked at twice. Of a payload
    only the beginning is given, which says how long it is.
    """
    scan = Scan(data, dialect, limit=end)
    window = Window(data, end)
    at = scan.next_control(start)
    while at + CONTROL <= end:
        yield StoredRecord(at, at + CONTROL, BATCH, b"")
        at += CONTROL
        while at + HEAD <= end:
            length, kind = head(window.peek(at, at + HEAD), 0)
            if kind != USER or not HEAD <= length <= end - at:
                break
            beginning = bytes(window.peek(at + HEAD, min(at + length, at + HEAD + LONGEST_HEAD)))
            yield StoredRecord(at, at + length, kind, beginning)
            at += length
        at = scan.next_control(at)


def record_at(data: Any, off: int) -> StoredRecord | None:
    """Return the record at `off` of a file, None if there is none (KHD-ITR-003)."""
    if off < 0 or len(data) - off < HEAD:
        return None
    length, kind = head(Window(data).peek(off, off + HEAD), 0)
    if length < HEAD or length > len(data) - off:
        return None
    payload = bytes(Window(data).reach(off, off + length)[off + HEAD : off + length])
    return StoredRecord(off, off + length, kind, payload)


def walk_by_length(data: Any, dialect: Dialect) -> Iterator[StoredRecord | Damage | End]:
    """Yield the records of a file that is not scanned: by their lengths alone (KHD-RCV-016)."""
    window, at, limit = Window(data), 0, len(data)
    batch: SoundBatch | None = None
    while at < limit:
        start = window.peek(at, min(at + CONTROL, limit))
        if not dialect.bare and bytes(start[:MARKER]) == END_MARKER:
            yield End(at, MARKED)
            return
        if not dialect.bare and not any(start[:MARKER]):
            yield End(at, ZEROS)
            return
        if len(start) < HEAD:
            yield Damage(at, limit, "bad-record", f"{limit - at} bytes are left, and no record is as short")
            return
        length, kind = head(start, 0)
        if length < HEAD or at + length > limit:
            yield Damage(at, min(limit, at + HEAD), "bad-record", f"length {length}, type {kind}")
            return
        if kind == BATCH and length == CONTROL and len(start) == CONTROL:
            size, checksum = sums(start, 0)
            batch = SoundBatch(at, at + CONTROL + size, checksum)
        else:
            payload = bytes(window.reach(at, at + length)[at + HEAD : at + length])
            yield StoredRecord(at, at + length, kind, payload, batch)
            batch = None
        at += length
    yield End(limit, FILE)
