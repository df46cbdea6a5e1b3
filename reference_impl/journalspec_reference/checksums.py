"""The CRC-32 of byte ranges that overlap.

Hostile bytes may make a scan request as many overlapping ranges as there are bytes; hashing each from its
start would be quadratic. Checksums of prefixes at fixed steps, and the algebra of CRCs (the checksum of a
range follows from those of two prefixes), make each range cost at most two partial steps.
"""

from __future__ import annotations

import zlib
from array import array
from functools import cache

from journalspec_reference.batches import Source

_POLYNOMIAL = 0xEDB88320
#: Bytes that are summed at a time, and between two prefixes whose sums are kept.
PIECE, STEP = 1 << 20, 1 << 10


class Sums:
    """The CRC-32 of ranges of a file. Those that follow each other are summed in one go.

    If a range begins before the end of one that was summed, its sum follows from those of two prefixes (the
    algebra of CRCs). Otherwise as many overlapping ranges as there are bytes would be summed in full.
    """

    def __init__(self, source: Source) -> None:
        #: The offset up to which the source is summed, by this object or by a caller who has the bytes.
        self._source, self.summed = source, 0
        self._base, self._prefixes = 0, array("I", [0])

    def __call__(self, start: int, end: int) -> int:
        """Return the sum of a range."""
        if start < self.summed and end - start > STEP:
            if not self._base <= start <= self._base + STEP * len(self._prefixes):
                # Bytes in between are not read: they may be a hole.
                self._base, self._prefixes = start // STEP * STEP, array("I", [0])
            moved, length = self._prefix(start), end - start
            for exponent in range(length.bit_length()):
                if length >> exponent & 1:
                    moved = multiply(moved, power(exponent))
            return self._prefix(end) ^ moved
        self.summed, value = max(end, self.summed), 0
        for at in range(start, end, PIECE):
            value = zlib.crc32(self._source.read(at, min(PIECE, end - at)), value)
        return value

    def _prefix(self, at: int) -> int:
        """Return the sum of the bytes from the base to `at`; four bytes of memory for each step are kept."""
        known, (index, more) = self._prefixes, divmod(at - self._base, STEP)
        while len(known) <= index:
            data = self._source.read(self._base + (len(known) - 1) * STEP, PIECE)
            for step in range(0, max(len(data) - STEP + 1, 1), STEP):
                known.append(zlib.crc32(data[step : step + STEP], known[-1]))
        return zlib.crc32(self._source.read(at - more, more), known[index])


def multiply(left: int, right: int) -> int:
    """Return the product of two polynomials modulo the CRC's, bit-reflected."""
    product = 0
    for bit in range(31, -1, -1):
        if left >> bit & 1:
            product ^= right
        right = right >> 1 ^ (_POLYNOMIAL if right & 1 else 0)
    return product


@cache
def power(exponent: int) -> int:
    """Return x to the power of 8 * 2**exponent modulo the polynomial."""
    if exponent == 0:
        return 0x00800000  # x**8, bit-reflected
    return multiply(power(exponent - 1), power(exponent - 1))
