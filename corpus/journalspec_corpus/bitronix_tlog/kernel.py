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

from journalspec.bitronix_tlog import LAYOUT
from journalspec_corpus.crash.blocks import CrashPoint
from journalspec_corpus.crash.compiled import (
    Bytes,
    Hashes,
    Ints,
    copied,
    crc32,
    entry,
    hash_of,
    helper,
    int32,
    int64,
    is_known,
    mix,
    mix_bytes,
    stamp,
    start_hash,
    uint32,
)
from journalspec_corpus.crash.kernel import (
    BOUND,
    SIZE_NOW,
    START,
    Flat,
    Kernel,
    Points,
    Signed,
    refreshed,
    signer,
    walker,
)
from journalspec_reference.bitronix_tlog.codec import (
    END_RECORD,
    FORMAT_ID,
    MAX_GTRID,
    MAX_NAME,
    MIN_RECORD_LENGTH,
    LogRecord,
    encode_record,
)

#: Where fields stand: in the header, and in a record without gtrid and names.
_HEADER = LAYOUT.structure("header", "2.1")
_HEADER_SIZE = _HEADER.size
_TIMESTAMP, _POSITION = (_HEADER.places({})[0][name] for name in ("timestamp", "position"))
_STARTS, _ENDS = LAYOUT.structure("record", "2.1").places({"names": []})
_LENGTH, _TIME, _CRC = (_STARTS[name] for name in ("record_length", "time", "crc32"))
_COUNTED, _GTRID_LENGTH, _GTRID = (_ENDS[name] for name in ("record_length", "crc32", "gtrid_length"))
#: Problems of a file, and what a step of the walk may come to.
_NONE, _SHORT, _BAD_FORMAT, _BAD_POSITION = range(4)
_RECORD, _OUT_OF_BOUNDS, _BAD_LENGTH, _NO_MARKER, _MALFORMED, _BAD_CHECKSUM, _FOREIGN, _RAW = range(10, 18)
_PAIR = 2
#: A record with more names than this goes into the signature byte by byte: the plain reader decides.
_MOST_NAMES = 16
#: From here on a byte is not ASCII; and what stands for it where the checksum is taken.
_OTHER, _REPLACED = 0x80, 0x3F


def _order(point: CrashPoint, names: Mapping[str, int]) -> Ints | None:
    """Return the numbers of the pair by name; None for more files than that."""
    return np.asarray([names[name] for name in sorted(names)], np.int64) if len(names) <= _PAIR else None


def _hash_of_key(text: str) -> Hashes | None:
    """Return the hash of a record's key; None if it has names that are not ASCII, which no writer makes."""
    status, time, sequence, crc, gtrid, names = text.split(":", 5)
    if not names.isascii():
        return None
    listed = tuple(names.encode().split(b",")) if names else ()
    numbers = (int(status), 0, 0, int(time), int(sequence), int(crc))
    data = encode_record(LogRecord(0, *numbers, bytes.fromhex(gtrid), listed))
    # The two lengths are not in the key.
    return hash_of((), data[:_LENGTH], data[_TIME:])


class Tools(NamedTuple):
    """What a walk needs beside the files.

    `known` are the hashes of all keys of the trace; `key` takes the hash of one record's, `places`
    its names, `seen` what :func:`.walker` wants to know.
    """

    known: Hashes
    key: Hashes
    places: Ints
    seen: Ints


@helper
def _names(data: Bytes, at: Any, end: int, places: Ints) -> Any:
    """Set `places` to where the first names between `at` and `end` stand; return how many there are.

    -1 if their form is wrong.
    """
    count = int32(data, at)
    at += 4
    if count < 0 or count > (end - at) // 2:
        return -1
    for index in range(count):
        if at + 2 > end:
            return -1
        size = _size(data, at)
        if size > MAX_NAME or at + 2 + size > end:
            return -1
        places[min(index, _MOST_NAMES)] = at
        at += 2 + size
    return count if at == end else -1


@helper
def _size(data: Bytes, at: Any) -> Any:
    return np.int64(data[at]) << 8 | np.int64(data[at + 1])


@helper
def _compare(data: Bytes, one: Any, two: Any) -> Any:
    """Return the order of the names at two places: negative, 0 or positive; what is not ASCII is all one."""
    n, m = _size(data, one), _size(data, two)
    for index in range(2, 2 + min(n, m)):
        a, b = min(data[one + index], _OTHER), min(data[two + index], _OTHER)
        if a != b:
            return np.int64(a) - np.int64(b)
    return n - m


@helper
def _checksum(data: Bytes, off: int, names_at: int, end: int, places: Ints) -> Any:
    """Return the checksum of a record: over its names as a sorted set, whatever their stored order."""
    checked = np.zeros(end - names_at, np.uint8)
    to, last = 4, -1
    for _ in places:
        least = -1
        for at in places:
            behind = last < 0 or _compare(data, last, at) < 0
            if behind and (least < 0 or _compare(data, at, least) < 0):
                least = at
        if least < 0:
            break
        size = _size(data, least)
        copied(checked, to, data, least, 2)
        for index in range(2, 2 + size):
            byte = data[least + index]
            checked[to + index] = byte if byte < _OTHER else _REPLACED
        checked[3] += 1
        to, last = to + 2 + size, least
    copied(checked, to, data, end - 4, 4)
    crc = crc32(data, off, off + _CRC, 0)
    return crc32(checked, 0, to + 4, crc32(data, off + _GTRID, names_at, crc))


@helper
def _examine(flat: Flat, file: int) -> int:
    """Return what is wrong with a file's header."""
    size, at = flat.files[file, SIZE_NOW], flat.files[file, START]
    if size < _HEADER_SIZE:
        return _SHORT
    if int32(flat.scratch, at) != FORMAT_ID:
        return _BAD_FORMAT
    if not _HEADER_SIZE <= int64(flat.scratch, at + _POSITION) <= size:
        return _BAD_POSITION
    return _NONE


@helper
def _framed(data: Bytes, off: int, end: int, tools: Tools, total: Hashes) -> None:
    """Take what the framed bytes ``data[off:end]`` are into `total`."""
    names_at, count, key = off + _GTRID + data[off + _GTRID_LENGTH], -1, tools.key
    if data[off + _GTRID_LENGTH] <= MAX_GTRID and names_at + 8 <= end:
        count = _names(data, names_at, end - 4, tools.places)
    if count < 0:
        mix(total, _MALFORMED)
        return
    if count > _MOST_NAMES:
        mix(total, _RAW)
        mix_bytes(total, data, off, end)
        return
    start_hash(key)
    mix_bytes(key, data, off, off + _LENGTH)
    mix_bytes(key, data, off + _TIME, end)
    what = _RECORD
    if uint32(data, off + _CRC) != _checksum(data, off, names_at, end, tools.places[:count]):
        what = _BAD_CHECKSUM if is_known(key, tools.known) else _FOREIGN
    mix(total, what)
    if what != _FOREIGN:
        mix(total, key[0])
        mix(total, key[1])


@helper
def _frame(data: Bytes, at: int, limit: int) -> tuple[int, int]:
    """Return (_NONE, end) of a well-framed record, or the reason why it is none; places are in `data`."""
    if at + _COUNTED > limit:
        return _OUT_OF_BOUNDS, limit
    length = int32(data, at + _LENGTH)
    if length < MIN_RECORD_LENGTH:
        return _BAD_LENGTH, limit
    end = at + _COUNTED + length
    if end > limit:
        return _OUT_OF_BOUNDS, limit
    if int32(data, end - 4) != END_RECORD:
        return _NO_MARKER, limit
    return _NONE, end


@helper
def _step(data: Bytes, at: int, edge: int, limit: int, tools: Tools, total: Hashes) -> int:
    """Take the record at `at` into `total`, or the reason why the log ends here; see `walker`."""
    reason, end = _frame(data, at, limit)
    if reason == _NONE:
        _framed(data, at, end, tools, total)
    else:
        mix(total, reason)
        tools.seen[BOUND] = 1
    return end


_walk = walker(_step)


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
def _timestamp(flat: Flat, file: int) -> Any:
    return int64(flat.scratch, flat.files[file, START] + _TIMESTAMP)


@helper
def _recover(flat: Flat, order: Ints, tools: Tools, h: Hashes) -> None:
    """Set `h` to the signature of the state that `flat` shows."""
    problems = flat.notes[:, 0]
    start_hash(h)
    mix(h, len(order))
    for file in order:
        if refreshed(flat, file):
            problems[file] = _examine(flat, file)
        # Which problem of the pair comes first is for the reader to say.
        mix(h, problems[file])
        mix(h, flat.files[file, SIZE_NOW] == flat.files[order[0], SIZE_NOW])
    active = _elected(flat, order, problems)
    if active >= 0:
        limit = int64(flat.scratch, flat.files[order[active], START] + _POSITION)
        _walk(flat, order[active], _HEADER_SIZE, limit, limit, 0, tools, h)


@helper
def _look(flat: Flat, order: Ints, ends: Ints) -> None:
    """Set how far recovery looks into each file: to the tail of the one that it elects, at most."""
    for file in order:
        ends[file] = min(_HEADER_SIZE, flat.files[file, SIZE_NOW])
    active = _elected(flat, order, flat.notes[:, 0])
    if active >= 0:
        ends[order[active]] = int64(flat.scratch, flat.files[order[active], START] + _POSITION)


_sign = signer(_recover, _look)


def _compiled(version: str) -> Any:
    """Return the entry function; `version` is in it only to be a part of its name on disk."""

    @entry
    def run(flat: Flat, points: Points, known: Hashes) -> Signed:
        version  # noqa: B018  # see crash.compiled
        places, seen = np.zeros(_MOST_NAMES + 1, np.int64), np.zeros(3, np.int64)
        signed: Signed = _sign(flat, points, Tools(known, np.zeros(2, np.uint64), places, seen))
        return signed

    return run


signatures = Kernel(_compiled(stamp(globals())), _order, _hash_of_key)
