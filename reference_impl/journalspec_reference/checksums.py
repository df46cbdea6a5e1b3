"""The CRC-32 of byte ranges that overlap.

A scan of hostile bytes may ask for as many overlapping ranges as there are bytes; hashing
each from its start would be quadratic. Checksums of prefixes at fixed steps, and the algebra
of CRCs (the checksum of a range follows from those of two prefixes), make each range cost at
most two partial steps.
"""

from __future__ import annotations

import zlib
from array import array
from functools import cache
from typing import Any

from journalspec_reference.content import Window

_POLYNOMIAL = 0xEDB88320


def direct(data: Any, start: int, end: int) -> int:
    """Return the CRC-32 of ``data[start:end]``."""
    return zlib.crc32(memoryview(data)[start:end])


class Prefixes:
    """CRC-32 of the prefixes of one buffer, kept at every `STEP` bytes: four bytes of memory for each."""

    STEP = 1024

    def __init__(self, data: Any, limit: int | None = None) -> None:
        self._data = Window(data, limit)
        self._base, self._known = 0, array("I", [0])

    def _begin(self, start: int) -> None:
        """Be ready for ranges from `start` on."""
        if not self._base <= start <= self._base + self.STEP * len(self._known):
            # Of what lies between, which may be a hole, nothing is asked: the checksums begin anew.
            self._base, self._known = start // self.STEP * self.STEP, array("I", [0])

    def _prefix(self, at: int) -> int:
        """Return the checksum of the bytes from the base to `at`."""
        index = (at - self._base) // self.STEP
        known = self._known
        while len(known) <= index:
            base = self._base + (len(known) - 1) * self.STEP
            step = self._data.reach(base, base + self.STEP)[base : base + self.STEP]
            known.append(zlib.crc32(step, known[-1]))
        return zlib.crc32(self._data.peek(self._base + index * self.STEP, at), known[index])


class PrefixDigest(Prefixes):
    """CRC-32 of ranges of one buffer, in time independent of their length."""

    def __call__(self, data: Any, start: int, end: int) -> int:
        """Return the CRC-32 of the range; `data` is what was given at construction."""
        if end - start <= self.STEP:
            return zlib.crc32(self._data.reach(start, end)[start:end])
        self._begin(start)
        return self._prefix(end) ^ _shift(self._prefix(start), end - start)


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


def _shift(crc: int, length: int) -> int:
    """Return what `crc` contributes to the checksum `length` bytes later."""
    exponent = 0
    while length:
        if length & 1:
            crc = multiply(crc, power(exponent))
        length >>= 1
        exponent += 1
    return crc
