"""CRC-32 of byte ranges, in memory or in constant time per range after one pass.

Only the edition with the calculated hash needs it. A scan of hostile bytes may
ask for as many overlapping ranges as there are bytes; hashing each from its
start would be quadratic. Checksums of prefixes at fixed steps, and the algebra
of CRCs (the checksum of a range follows from those of two prefixes), make each
range cost at most two partial steps.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

from journalspec_reference.content import Window

#: Bytes between stored prefix checksums: four bytes of memory for each of these.
STEP = 1024
_POLYNOMIAL = 0xEDB88320


def direct(data: Any, start: int, end: int) -> int:
    """Return the CRC-32 of ``data[start:end]``."""
    return zlib.crc32(memoryview(data)[start:end])


class PrefixDigest:
    """CRC-32 of ranges of one buffer, in time independent of their length."""

    def __init__(self, data: Any, limit: int | None = None) -> None:
        self._data = Window(data, limit)
        self._base, self._prefixes = 0, [0]

    def __call__(self, data: Any, start: int, end: int) -> int:
        """Return the CRC-32 of the range; `data` is what was given at construction."""
        if end - start <= STEP:
            return zlib.crc32(self._data.reach(start, end)[start:end])
        if not self._base <= start <= self._base + STEP * len(self._prefixes):
            # Of what lies between, which may be a hole, nothing is asked: the checksums begin anew.
            self._base, self._prefixes = start // STEP * STEP, [0]
        return self._prefix(end) ^ _shift(self._prefix(start), end - start)

    def _prefix(self, at: int) -> int:
        """Return the checksum of the bytes from the base to `at`."""
        index = (at - self._base) // STEP
        while len(self._prefixes) <= index:
            base = self._base + (len(self._prefixes) - 1) * STEP
            step = self._data.reach(base, base + STEP)[base : base + STEP]
            self._prefixes.append(zlib.crc32(step, self._prefixes[-1]))
        return zlib.crc32(self._data.peek(self._base + index * STEP, at), self._prefixes[index])


def _multiply(left: int, right: int) -> int:
    """Return the product of two polynomials modulo the CRC's, bit-reflected."""
    product = 0
    for bit in range(31, -1, -1):
        if left >> bit & 1:
            product ^= right
        right = right >> 1 ^ (_POLYNOMIAL if right & 1 else 0)
    return product


@cache
def _power(exponent: int) -> int:
    """Return x to the power of 8 * 2**exponent modulo the polynomial."""
    if exponent == 0:
        return 0x00800000  # x**8, bit-reflected
    return _multiply(_power(exponent - 1), _power(exponent - 1))


def _shift(crc: int, length: int) -> int:
    """Return what `crc` contributes to the checksum `length` bytes later."""
    exponent = 0
    while length:
        if length & 1:
            crc = _multiply(crc, _power(exponent))
        length >>= 1
        exponent += 1
    return crc
