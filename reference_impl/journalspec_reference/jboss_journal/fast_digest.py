"""CRC-32 of many ranges of one buffer at once, by NumPy: :mod:`.digest` for crowds.

The checksum of a range follows from those of two prefixes. Where the ends of
ranges lie close together the prefixes of all offsets there are taken in rows,
one byte of every row per step; where they are scattered, one by one from the
checkpoint before each.
"""

from __future__ import annotations

import zlib
from array import array
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_reference.content import Window
from journalspec_reference.jboss_journal.digest import _multiply, _power

Offsets = npt.NDArray[np.int64]
Checks = npt.NDArray[np.uint32]

#: Bytes between checkpoints, of four bytes each.
STEP = 4096
#: Bytes of a row, and the longest stretch that is taken in rows, at four bytes of memory for each offset.
ROW, STRETCH = 64, 1 << 21
#: A single prefix costs about as much as this many in rows.
SCATTERED = 64
_ALL = 0xFFFFFFFF


class RangeDigest:
    """CRC-32 of ranges of `data`; memory is four bytes for each STEP of it, and the arrays of one call."""

    def __init__(self, data: Any, limit: int | None = None) -> None:
        self._data = Window(data, limit)
        self._base, self._checkpoints = 0, array("I", [0])

    def ranges(self, starts: Offsets, ends: Offsets) -> Checks:
        """Return the checksum of each range; ends are not before starts."""
        if not len(starts):
            return np.zeros(0, np.uint32)
        first = int(starts.min())
        if not self._base <= first <= self._base + STEP * len(self._checkpoints):
            # Of what lies between, which may be a hole, nothing is asked: the checksums begin anew.
            self._base, self._checkpoints = first // STEP * STEP, array("I", [0])
        return self._prefixes(ends) ^ shifted(self._prefixes(starts), ends - starts)

    def _prefixes(self, offsets: Offsets) -> Checks:
        low, high = int(offsets.min()), int(offsets.max())
        if high - low > min(STRETCH, SCATTERED * len(offsets)):
            return np.fromiter((self._prefix(at) for at in offsets.tolist()), np.uint32, len(offsets))
        return self._rows(low, high)[offsets - low]

    def _prefix(self, at: int) -> int:
        """Return the checksum of the bytes from the base to `at`."""
        index = (at - self._base) // STEP
        known = self._checkpoints
        while len(known) <= index:
            base = self._base + (len(known) - 1) * STEP
            step = self._data.reach(base, base + STEP)[base : base + STEP]
            known.append(zlib.crc32(step, known[-1]))
        return zlib.crc32(self._data.peek(self._base + index * STEP, at), known[index])

    def _rows(self, low: int, high: int) -> Checks:
        """Return the checksums of the prefixes of every length from `low` to `high`."""
        count = (high - low) // ROW + 1
        block = np.zeros(count * ROW, np.uint8)
        view = self._data.reach(low, low + count * ROW)
        part = np.frombuffer(view, np.uint8)[low : low + count * ROW]
        block[: len(part)] = part
        heads = array("I", [self._prefix(low)])
        for row in range(1, count):
            start = low + (row - 1) * ROW
            heads.append(zlib.crc32(view[start : start + ROW], heads[-1]))
        columns = block.reshape(count, ROW).T.astype(np.uint32)
        register = np.frombuffer(heads, np.uint32) ^ np.uint32(_ALL)
        out = np.empty((count, ROW), np.uint32)
        table = _byte_table()
        for at in range(ROW):
            out[:, at] = register
            register = table[(register ^ columns[at]) & 0xFF] ^ (register >> 8)
        return out.reshape(-1) ^ np.uint32(_ALL)


def shifted(values: Checks, lengths: Offsets) -> Checks:
    """Return what each checksum contributes to the one `lengths` bytes later."""
    out = values.copy()
    for exponent in range(int(lengths.max()).bit_length()):
        chosen = np.flatnonzero(lengths >> exponent & 1)
        if len(chosen):
            tables, value = _tables(exponent), out[chosen]
            moved = tables[0][value & 0xFF] ^ tables[1][value >> 8 & 0xFF]
            out[chosen] = moved ^ tables[2][value >> 16 & 0xFF] ^ tables[3][value >> 24]
    return out


@cache
def _byte_table() -> Checks:
    """Return the table of the bytewise algorithm."""
    # The checksum of one byte is table[byte ^ 0xFF] ^ 0xFF000000 (register all ones, shifted once).
    single = [zlib.crc32(bytes([byte ^ 0xFF])) ^ 0xFF000000 for byte in range(256)]
    return np.asarray([entry & _ALL for entry in single], np.uint32)


@cache
def _tables(exponent: int) -> Checks:
    """Return, for each byte of a checksum and each value of it, what it becomes 2**exponent bytes later."""
    power = _power(exponent)
    bits = [_multiply(1 << bit, power) for bit in range(32)]
    out = np.zeros((4, 256), np.uint32)
    for place in range(4):
        for bit in range(8):
            # The values below 2**bit are there already; those up to twice that differ from them in one bit.
            half = 1 << bit
            out[place, half : 2 * half] = out[place, :half] ^ np.uint32(bits[8 * place + bit])
    return out
