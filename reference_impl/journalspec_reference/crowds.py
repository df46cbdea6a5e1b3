"""Many candidates, and the checksums of many ranges, at once by NumPy: for input that is made of candidates.

A rejected candidate costs plain Python some microseconds, which hostile bytes can
make of every byte. Here a window of offsets is looked at together: what cannot
be a record is known from type, stamp, sizes and the check at its end, all of them
loads and comparisons of whole arrays. The rest is for the codec to decide. Memory is
that of a window, whatever the file's length.

The checksum of a range follows from those of two prefixes. Where the ends of
ranges lie close together the prefixes of all offsets there are taken in rows,
one byte of every row per step; where they are scattered, one by one from the
checkpoint before each.
"""

from __future__ import annotations

import zlib
from array import array
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from journalspec_reference.checksums import Prefixes, multiply, power
from journalspec_reference.content import BUDGET, Window
from journalspec_reference.signs import Shape, Signs

Offsets = npt.NDArray[np.int64]
Checks = npt.NDArray[np.uint32]

#: Sizes, and what a record ends with.
CHECK = np.dtype(">i4")
#: Bytes of a row, and the longest stretch that is taken in rows, at four bytes of memory for each offset.
ROW, STRETCH = 64, 1 << 21
#: A single prefix costs about as much as this many in rows.
SCATTERED = 64
_ALL = 0xFFFFFFFF
#: Offsets that are looked at together: some 8 bytes of memory each for a few arrays.
WINDOW = 1 << 17
#: How far behind a window ends of records are looked for together, in files that do not fit into memory.
FURTHER = 4 << 20


class RangeDigest(Prefixes):
    """CRC-32 of ranges of `data`; memory is that of the prefixes, and the arrays of one call."""

    STEP = 4096

    def ranges(self, starts: Offsets, ends: Offsets) -> Checks:
        """Return the checksum of each range; ends are not before starts."""
        if not len(starts):
            return np.zeros(0, np.uint32)
        self._begin(int(starts.min()))
        return self._prefixes(ends) ^ shifted(self._prefixes(starts), ends - starts)

    def _prefixes(self, offsets: Offsets) -> Checks:
        low, high = int(offsets.min()), int(offsets.max())
        if high - low > min(STRETCH, SCATTERED * len(offsets)):
            return np.fromiter((self._prefix(at) for at in offsets.tolist()), np.uint32, len(offsets))
        return self._rows(low, high)[offsets - low]

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
    moved = power(exponent)
    bits = [multiply(1 << bit, moved) for bit in range(32)]
    out = np.zeros((4, 256), np.uint32)
    for place in range(4):
        for bit in range(8):
            # The values below 2**bit are there already; those up to twice that differ from them in one bit.
            half = 1 << bit
            out[place, half : 2 * half] = out[place, :half] ^ np.uint32(bits[8 * place + bit])
    return out


class Candidates(NamedTuple):
    """The candidates of one window, as ascending offsets in the file.

    `hopeful` are those that are records unless a record before them holds them:
    sizes in range, check size or hash right. `end` is where the window ends.
    """

    all: Offsets
    hopeful: Offsets
    end: int


class Finder:
    """Finds candidates in one file, by their `signs`.

    Nothing at or beyond `limit` is read; a candidate's own prologue ends before it. What reaches
    beyond the part of the file that is loaded is hopeful.
    """

    def __init__(self, data: Any, signs: Signs, limit: int) -> None:
        self._window = Window(data, limit)
        self._view: memoryview | None = None
        self._limit = limit
        self._digest = RangeDigest(data, limit) if signs.hashed else None
        self._signs = signs
        #: What has to be loaded behind a window: the longest record whose sizes are all 0.
        self._longest = max(shape.size for shape in signs.shapes) + CHECK.itemsize
        self._is_type = np.zeros(256, np.bool_)
        self._is_type[[shape.code for shape in signs.shapes]] = True

    def window(self, start: int) -> Candidates:
        """Return the candidates of the window that begins at `start`; at the buffer's end it is empty."""
        end = max(start, min(start + WINDOW, self._limit - self._signs.prologue + 1))
        whole = self._limit <= BUDGET
        view = self._window.reach(
            0 if whole else start, self._limit if whole else end + self._longest + FURTHER
        )
        if view is not self._view:
            self._view, self._bytes = view, np.frombuffer(view, np.uint8)
            # Every offset as the start of an integer: a view, not a copy.
            self._ints: npt.NDArray[Any] = np.ndarray((max(0, len(view) - 3),), CHECK, view, 0, (1,))
        found = self._found(start, end)
        types = self._bytes[found]
        hopeful = [self._hopeful(found[types == shape.code], shape) for shape in self._signs.shapes]
        return Candidates(found, np.sort(np.concatenate(hopeful)), end)

    def _found(self, start: int, end: int) -> Offsets:
        if not self._signs.stamp:
            return np.flatnonzero(self._is_type[self._bytes[start:end]]) + start
        equal = np.ones(end - start, np.bool_)
        for at, byte in enumerate(self._signs.stamp, start=1):
            equal &= self._bytes[start + at : end + at] == byte
        found = np.flatnonzero(equal) + start
        return found[self._is_type[self._bytes[found]]]

    def _hopeful(self, found: Offsets, shape: Shape) -> Offsets:
        """Return those of `found`, all of one type, that the arrays cannot rule out."""
        least = shape.size + CHECK.itemsize
        found = found[found + least <= self._limit]
        stop = found + least
        for at, unit in shape.counts:
            count = self._ints[found + at].astype(np.int64)
            # The sum of two sizes and an offset stays far below 2**63.
            stop += count * unit
            right = count >= 0
            found, stop = found[right], stop[right]
        right = stop <= self._limit
        found, stop = found[right], stop[right]
        there = stop <= len(self._bytes)
        beyond, found, stop = found[~there], found[there], stop[there]
        check: Offsets = self._ints[stop - CHECK.itemsize].astype(np.int64)
        wanted = stop - found
        if self._digest is not None:
            wanted = self._digest.ranges(found, stop - CHECK.itemsize).astype(np.int64)
            check &= _ALL
        return np.concatenate([found[check == wanted], beyond])
