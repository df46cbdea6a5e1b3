"""Recovery of the disk journal in compiled code, to see which states get the same answer.

It repeats the decisions of the reference on whole files: headers, the
election, the walk up to the tail, every check of a record, its checksum. What
goes into a signature is all that the readers tell apart: the problem of the
pair, and for each step of the walk the record's key or the reason why there is
none. Of a record with a bad checksum only the mutant shows a key; keys that no
record of the trace has are one and the same there, for all of them are judged
alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from journalspec_corpus.crash.blocks import Codes, CrashPoint
from journalspec_corpus.crash.kernel import (
    ENTRY,
    FIRST_PAGE,
    LIMIT,
    NEXT,
    REACH,
    SIZE_NOW,
    STALE,
    START,
    WHOLE,
    Bytes,
    Flat,
    Hashes,
    Ints,
    Known,
    Memory,
    by_names,
    crc32,
    entry,
    flatten,
    forget,
    helper,
    int32,
    int64,
    is_known,
    mix,
    mix_bytes,
    stamp,
    start_hash,
    turn,
)
from journalspec_corpus.crash.pages import PAGE
from journalspec_reference.bitronix_tlog import codec
from journalspec_reference.bitronix_tlog.codec import (
    CRC_AT,
    CRC_RESUMES_AT,
    END_RECORD,
    FORMAT_ID,
    HEADER_SIZE,
    MAX_GTRID,
    MAX_NAME,
    MIN_RECORD_LENGTH,
    PAYLOAD_AT,
    POSITION_AT,
    TIMESTAMP_AT,
    UNCOUNTED,
)

#: Problems of a pair and of a file, and what a step of the walk may come to.
_NONE, _MISSING, _SHORT, _UNEQUAL, _BAD_FORMAT, _BAD_POSITION = range(6)
_RECORD, _OUT_OF_BOUNDS, _BAD_LENGTH, _NO_MARKER, _MALFORMED, _BAD_CHECKSUM, _FOREIGN, _RAW = range(10, 18)
_PAIR = 2
#: A record with more names than this goes into the signature byte by byte: the plain reader decides.
_MOST_NAMES = 16
#: A byte of a name that is not ASCII, as all of them are read.
_OTHER = 0x80


def signatures(point: CrashPoint, codes: Codes) -> Hashes | None:
    """Return two numbers per row; rows with the same ones get the same answer from every reader."""
    flat = flatten(point)
    if flat is None:
        return None
    out = np.zeros((len(codes), 2), np.uint64)
    known = _KNOWN.of(point.trace)
    for rows, part, names in by_names(point, codes):
        if len(names) > _PAIR:
            return None
        out[rows] = _run(flat, part, _order(names), known)
    return out


def _order(names: Mapping[str, int]) -> Ints:
    return np.asarray([names[name] for name in sorted(names)], np.int64)


def hash_of_key(text: str) -> tuple[int, int] | None:
    """Return the hash of a record's key; None if it has names that are not ASCII, which no writer makes."""
    status, time, sequence, crc, gtrid, names = text.split(":", 5)
    if not names.isascii():
        return None
    payload = np.frombuffer(bytes.fromhex(gtrid) + b"\0", np.uint8)
    joined = np.frombuffer(names.encode() + b"\0", np.uint8)
    h = _hash_key(int(status), int(time), int(sequence), int(crc), payload[:-1], joined[:-1])
    return int(h[0]), int(h[1])


_KNOWN = Known(hash_of_key)


class Tools(NamedTuple):
    """What a walk needs beside the files.

    `known` are the hashes of all keys of the trace, `text` and `places` take the
    names of one record, `item` what one step came to.
    """

    known: Hashes
    text: Bytes
    places: Ints
    item: Hashes


@helper
def _spell(data: Bytes, at: Any, end: int, text: Bytes, places: Ints) -> Any:
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
        if index <= _MOST_NAMES:
            places[index] = to
        for inside in range(size):
            text[to + inside] = min(data[at + inside], _OTHER)
        to += size
        text[to] = 0x2C
        to += 1
        at += size
    if count <= _MOST_NAMES:
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
def _is_plain(text: Bytes, places: Ints, count: int) -> Any:
    """Tell whether the names are ASCII, ascending and without repetitions: stored as they are checked."""
    worst = np.uint8(0)
    for index in range(places[count]):
        worst |= text[index]
    ascending = worst < _OTHER
    for index in range(1, count):
        ascending &= _compare(text, places, index - 1, index) < 0
    return ascending


@helper
def _sorted_checksum(data: Bytes, off: int, names_at: int, text: Bytes, places: Ints, count: int) -> Any:
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
            buffer[to] = 0x3F if text[at] == _OTHER else text[at]
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


@helper
def _mix_head(
    h: Hashes, status: int, time: int, sequence: int, crc: Any, data: Bytes, start: int, end: int
) -> None:
    start_hash(h)
    mix(h, status)
    mix(h, time)
    mix(h, sequence)
    mix(h, crc)
    mix_bytes(h, data, start, end)


@helper
def _examine(flat: Flat, file: int) -> int:
    """Return what is wrong with a file's header."""
    size, at = flat.files[file, SIZE_NOW], flat.files[file, START]
    if size < HEADER_SIZE:
        return _SHORT
    if int32(flat.scratch, at) != FORMAT_ID:
        return _BAD_FORMAT
    if not HEADER_SIZE <= int64(flat.scratch, at + POSITION_AT) <= size:
        return _BAD_POSITION
    return _NONE


@helper
def _problem(flat: Flat, order: Ints, one: int, two: int) -> int:
    """Return what is wrong with the pair."""
    if len(order) < _PAIR:
        return _MISSING
    if _SHORT in (one, two):
        return _SHORT
    if flat.files[order[0], SIZE_NOW] != flat.files[order[1], SIZE_NOW]:
        return _UNEQUAL
    if _BAD_FORMAT in (one, two):
        return _BAD_FORMAT
    return _BAD_POSITION if _BAD_POSITION in (one, two) else _NONE


@helper
def _timestamp(flat: Flat, file: int) -> Any:
    return int64(flat.scratch, flat.files[file, START] + TIMESTAMP_AT)


@helper
def _framed(data: Bytes, off: int, end: int, tools: Tools) -> None:
    """Set ``tools.item`` to what the framed bytes ``data[off:end]`` are."""
    h, text, places = tools.item, tools.text, tools.places
    names_at = off + PAYLOAD_AT + 1 + data[off + PAYLOAD_AT]
    count = -1
    if data[off + PAYLOAD_AT] <= MAX_GTRID and names_at + 8 <= end:
        count = _spell(data, names_at, end - 4, text, places)
    if count < 0:
        start_hash(h)
        mix(h, _MALFORMED)
        return
    if count > _MOST_NAMES:
        start_hash(h)
        mix(h, _RAW)
        mix_bytes(h, data, off, end)
        return
    stored = np.uint64(int32(data, off + CRC_AT)) & np.uint64(0xFFFFFFFF)
    if _is_plain(text, places, count):
        expected = crc32(data, off + CRC_RESUMES_AT, end, crc32(data, off, off + CRC_AT, 0))
    else:
        expected = _sorted_checksum(data, off, names_at, text, places, count)
    status, time, sequence = int32(data, off), int64(data, off + 12), int32(data, off + 20)
    _mix_head(h, status, time, sequence, np.int64(stored), data, off + PAYLOAD_AT + 1, names_at)
    mix_bytes(h, text, 0, max(0, places[count] - 1))
    if stored == expected:
        mix(h, _RECORD)
    elif is_known(h, tools.known):
        mix(h, _BAD_CHECKSUM)
    else:
        start_hash(h)
        mix(h, _FOREIGN)


@helper
def _frame(data: Bytes, at: int, limit: int) -> tuple[int, int]:
    """Return (_NONE, end) of a well-framed record, or the reason why it is none; places are in `data`."""
    if at + UNCOUNTED > limit:
        return _OUT_OF_BOUNDS, limit
    length = int32(data, at + 4)
    if length < MIN_RECORD_LENGTH:
        return _BAD_LENGTH, limit
    end = at + UNCOUNTED + length
    if end > limit:
        return _OUT_OF_BOUNDS, limit
    if int32(data, end - 4) != END_RECORD:
        return _NO_MARKER, limit
    return _NONE, end


@helper
def _read_page(flat: Flat, pages: Memory, page: int, base: int, at: int, limit: int, tools: Tools) -> None:
    """Walk from `at` to the end of its page, or of the log, and remember what was found.

    `base` is where the file begins.
    """
    total, item = pages.hash[page], tools.item
    start_hash(total)
    whole, reach, edge = 1, at, (at // PAGE + 1) * PAGE
    pages.numbers[page, ENTRY], pages.numbers[page, LIMIT] = at, limit
    while at < min(edge, limit):
        reason, end = _frame(flat.scratch, base + at, base + limit)
        if reason != _NONE:
            mix(total, reason)
            # Whatever made it so: it looked no further than the tail.
            reach, at, whole = limit, limit, 0
            break
        _framed(flat.scratch, base + at, end, tools)
        mix(total, item[0])
        mix(total, item[1])
        at = reach = end - base
    pages.numbers[page, WHOLE] = whole if at >= edge else 0
    pages.numbers[page, REACH], pages.numbers[page, NEXT] = reach, at


@helper
def _walk(flat: Flat, pages: Memory, file: int, tools: Tools, h: Hashes) -> None:
    """Take what the walk through `file` finds into `h`."""
    numbers, base = pages.numbers, flat.files[file, START]
    first = flat.files[file, FIRST_PAGE]
    limit = int64(flat.scratch, base + POSITION_AT)
    at = HEADER_SIZE
    while at < limit:
        page = first + at // PAGE
        fits = numbers[page, LIMIT] == limit or (numbers[page, WHOLE] == 1 and numbers[page, NEXT] <= limit)
        if numbers[page, ENTRY] != at or not fits:
            _read_page(flat, pages, page, base, at, limit, tools)
        mix(h, pages.hash[page, 0])
        mix(h, pages.hash[page, 1])
        at = numbers[page, NEXT]


@helper
def _elected(flat: Flat, order: Ints, problems: Ints) -> Any:
    """Return which of the pair is active, -1 if neither can be used."""
    usable: Any = -1
    for index in range(len(order)):
        if problems[order[index]] == _NONE:
            usable = index if usable < 0 else _PAIR
    if usable < _PAIR:
        return usable
    return 0 if _timestamp(flat, order[0]) > _timestamp(flat, order[1]) else 1


@helper
def _recover(flat: Flat, pages: Memory, order: Ints, problems: Ints, tools: Tools, h: Hashes) -> None:
    """Set `h` to the signature of the state that `flat` shows."""
    for file in order:
        if flat.files[file, STALE]:
            problems[file] = _examine(flat, file)
            forget(flat, pages, file)
    start_hash(h)
    one = problems[order[0]] if len(order) > 0 else _MISSING
    two = problems[order[1]] if len(order) > 1 else _MISSING
    mix(h, _problem(flat, order, one, two))
    mix(h, len(order))
    active = _elected(flat, order, problems)
    if active >= 0:
        mix(h, _RECORD)
        _walk(flat, pages, order[active], tools, h)


def _compiled(version: str) -> tuple[Any, Any]:
    """Return the entry functions; `version` is in them only to be a part of their names on disk."""

    @entry
    def key(status: int, time: int, sequence: int, crc: int, gtrid: Bytes, names: Bytes) -> Hashes:
        version  # noqa: B018  # see crash.kernel
        h = np.zeros(2, np.uint64)
        _mix_head(h, status, time, sequence, crc, gtrid, 0, len(gtrid))
        mix_bytes(h, names, 0, len(names))
        return h

    @entry
    def run(flat: Flat, codes: Codes, order: Ints, known: Hashes) -> Hashes:
        version  # noqa: B018  # see crash.kernel
        tools = Tools(known, flat.text, np.zeros(_MOST_NAMES + 2, np.int64), np.zeros(2, np.uint64))
        out = np.zeros((len(codes), 2), np.uint64)
        problems = flat.notes[:, 0]
        for row in range(len(codes)):
            if turn(flat, codes, row) or row == 0:
                _recover(flat, flat.pages, order, problems, tools, out[row])
            else:
                out[row, 0], out[row, 1] = out[row - 1, 0], out[row - 1, 1]
        return out

    return key, run


_hash_key, _run = _compiled(stamp(__file__, codec))
