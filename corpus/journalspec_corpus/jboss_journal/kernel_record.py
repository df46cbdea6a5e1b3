"""One record in compiled code: how a candidate is found, checked, and named by its key."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from journalspec_corpus.crash.kernel import (
    Bytes,
    Hashes,
    Ints,
    crc32,
    helper,
    int32,
    int64,
    is_known,
    mix,
    mix_bytes,
    start_hash,
)
from journalspec_corpus.jboss_journal.kernel_rules import (
    ID,
    LENGTH,
    LISTED,
    NAME,
    SIZE,
    TALLY,
    TX,
    USER_TYPE,
    Rules,
)
from journalspec_reference.jboss_journal.codec import CHECK_SIZE, PAIR, PROLOGUE

#: What a candidate may be, and a page hold: a rejected candidate, a record that nobody wrote.
TORN, FOREIGN = 1, 2
RECORD = 0
_PAIR_SIZE = PAIR.size


class Tools(NamedTuple):
    """What a search needs beside the files.

    `known` are the hashes of all keys of the trace, `item` takes that of one record,
    `stamped` the four bytes that the file's records carry behind their type. ``reach[0]``
    is how far a search looked, ``reach[1]`` where the last record found ends.
    """

    rules: Rules
    known: Hashes
    item: Hashes
    reach: Ints
    stamped: Bytes


@helper
def mix_key(
    h: Hashes, name: int, tx: int, ident: int, user_type: Any, data: Bytes, start: int, end: int
) -> None:
    """Set `h` to the hash of a record's key; its body or extra data is ``data[start:end]``."""
    start_hash(h)
    mix(h, name)
    mix(h, tx)
    mix(h, ident)
    mix(h, user_type)
    mix_bytes(h, data, start, end)


@helper
def _field(data: Bytes, at: int, place: int) -> int:
    return int32(data, at + place) if place >= 0 else 0


@helper
def _long(data: Bytes, at: int, place: int) -> int:
    return int64(data, at + place) if place >= 0 else 0


@helper
def _end_of(data: Bytes, at: int, limit: int, form: Ints, reach: Ints) -> int:
    """Return where the candidate at `at` ends, 0 if it cannot be a record; `reach` is how far that looked."""
    fixed = at + form[SIZE] + CHECK_SIZE
    if fixed > limit:
        return 0
    reach[0] = max(reach[0], fixed)
    size, listed = _field(data, at, form[LENGTH]), _field(data, at, form[LISTED])
    end = fixed + size + _PAIR_SIZE * listed
    return 0 if size < 0 or listed < 0 or end > limit else end


@helper
def _accepted(data: Bytes, at: int, end: int, hashed: bool) -> Any:
    stored = int32(data, end - CHECK_SIZE)
    if hashed:
        return np.uint64(stored) & np.uint64(0xFFFFFFFF) == crc32(data, at, end - CHECK_SIZE, 0)
    return stored == end - at


@helper
def candidate(data: Bytes, at: int, limit: int, form: Ints, tools: Tools) -> int:
    """Return what a candidate is, and set `tools` to its key and its end if it is a record."""
    h, reach = tools.item, tools.reach
    end = _end_of(data, at, limit, form, reach)
    if end == 0:
        return TORN
    reach[0] = max(reach[0], end)
    if not _accepted(data, at, end, tools.rules.hashed):
        return TORN
    body = at + form[SIZE]
    size, listed = _field(data, at, form[LENGTH]), _field(data, at, form[LISTED])
    user_type = np.int64(data[at + form[USER_TYPE]]) if form[USER_TYPE] >= 0 else 0
    tx, ident = _long(data, at, form[TX]), _long(data, at, form[ID])
    mix_key(h, form[NAME], tx, ident, user_type, data, body, body + size)
    reach[1] = end
    if not is_known(h, tools.known):
        return FOREIGN
    mix(h, _field(data, at, form[TALLY]))
    mix_bytes(h, data, body + size, body + size + _PAIR_SIZE * listed)
    return RECORD


@helper
def next_candidate(data: Bytes, at: int, edge: int, limit: int, older: int, tools: Tools) -> int:
    """Return the next candidate before `edge`, or `edge`."""
    stamped, sizes = tools.stamped, tools.rules.forms[older, :, SIZE]
    end = min(edge, limit - PROLOGUE + 1) + 4
    sought = stamped[3]
    for last in range(at + 4, end):
        # Of the four, the last byte is the one that says something.
        if data[last] != sought:
            continue
        start = last - 4
        if (
            data[start + 1] == stamped[0]
            and data[start + 2] == stamped[1]
            and data[start + 3] == stamped[2]
            and sizes[data[start]] > 0
        ):
            return start
    return edge
