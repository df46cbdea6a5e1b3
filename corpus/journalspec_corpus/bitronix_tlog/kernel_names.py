"""The names of a record in compiled code: how they are read, ordered and checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from journalspec_corpus.crash.kernel import Bytes, Ints, crc32, helper, int32
from journalspec_reference.bitronix_tlog.codec import CRC_AT, CRC_RESUMES_AT, END_RECORD, MAX_NAME

#: A record with more names than this goes into the signature byte by byte: the plain reader decides.
MOST_NAMES = 16
#: A byte of a name that is not ASCII, as all of them are read.
OTHER = 0x80


@helper
def spell(data: Bytes, at: Any, end: int, text: Bytes, places: Ints) -> Any:
    """Write the names between `at` and `end` to `text`, with commas between them.

    Returns how many there are, -1 if their form is wrong. ``places[i]`` is where
    name i begins in `text`; the one after the last is where it would go on.
    """
    count = int32(data, at)
    at += 4
    if count < 0 or count > (end - at) // 2:
        return -1
    to: Any = 0
    for index in range(count):
        if at + 2 > end:
            return -1
        size = np.int64(data[at]) << 8 | np.int64(data[at + 1])
        at += 2
        if size > MAX_NAME or at + size > end:
            return -1
        if index <= MOST_NAMES:
            places[index] = to
        for inside in range(size):
            text[to + inside] = min(data[at + inside], OTHER)
        to += size
        text[to] = 0x2C
        to += 1
        at += size
    if count <= MOST_NAMES:
        places[count] = to
    return count if at == end else -1


@helper
def _compare(text: Bytes, places: Ints, one: int, two: int) -> Any:
    """Return the order of two spelt names: negative, 0 or positive."""
    a, b = places[one], places[two]
    n, m = places[one + 1] - 1 - a, places[two + 1] - 1 - b
    for index in range(min(n, m)):
        if text[a + index] != text[b + index]:
            return np.int64(text[a + index]) - np.int64(text[b + index])
    return n - m


@helper
def is_plain(text: Bytes, places: Ints, count: int) -> Any:
    """Tell whether the names are ASCII, ascending and without repetitions: stored as they are checked."""
    worst = np.uint8(0)
    for index in range(places[count]):
        worst |= text[index]
    ascending = worst < OTHER
    for index in range(1, count):
        ascending &= _compare(text, places, index - 1, index) < 0
    return ascending


@helper
def sorted_checksum(data: Bytes, off: int, names_at: int, text: Bytes, places: Ints, count: int) -> Any:
    """Return the checksum over the names as a sorted set of text, whatever their stored order."""
    order = np.arange(count)
    for index in range(1, count):
        place = index
        while place and _compare(text, places, order[place - 1], order[place]) > 0:
            order[place - 1], order[place] = order[place], order[place - 1]
            place -= 1
    kept = 0
    for index in range(count):
        if index == 0 or _compare(text, places, order[index - 1], order[index]) != 0:
            kept += 1
    buffer = np.zeros(places[count] + 2 * count + 8, np.uint8)
    to = _put(buffer, 0, kept, 4)
    for index in range(count):
        if index and _compare(text, places, order[index - 1], order[index]) == 0:
            continue
        start, end = places[order[index]], places[order[index] + 1] - 1
        to = _put(buffer, to, end - start, 2)
        for at in range(start, end):
            buffer[to] = 0x3F if text[at] == OTHER else text[at]
            to += 1
    to = _put(buffer, to, END_RECORD, 4)
    crc = crc32(data, off, off + CRC_AT, 0)
    crc = crc32(data, off + CRC_RESUMES_AT, names_at, crc)
    return crc32(buffer, 0, to, crc)


@helper
def _put(buffer: Bytes, at: int, value: Any, width: int) -> int:
    for index in range(width):
        buffer[at + index] = (value >> (8 * (width - 1 - index))) & 0xFF
    return at + width
