"""Walking a log: valid records in order, faults where there is none, and no guesses.

A fault inside a known frame is stepped over; any other ends the walk, because
nothing says where the next record would start (BTM-RDR). Searching what the
walk left out is a forensic extra with its own function and its own bound. Of a file
on a disk only a part is in memory at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    INT,
    NO_END_MARKER,
    NOT_LOADED,
    UNCOUNTED,
    Fault,
    Framing,
    LogRecord,
    decode_record,
    no_end_marker,
)
from journalspec_reference.content import UNREADABLE, Window

#: Why a region holds no record that was read, and lies after one of which even the length could not be.
UNREACHED = "unreached"
#: The forensic search may look at each byte of its region this often on average.
SEARCH_BUDGET = 8


def walk(data: Any, limit: int, layout: Framing = DISK) -> Iterator[LogRecord | Fault]:
    """Yield the records of `data` from the layout's log start to `limit`, and the faults between.

    Each step moves forward by at least the framed length, so that the whole
    walk is linear in `limit` whatever the bytes say.
    """
    window = Window(data, limit)
    at = layout.log_start
    while at < limit:
        item = decode(window, at, limit, layout)
        yield item
        at = item.end
        if isinstance(item, Fault) and not item.framed:
            break
    if at < limit:
        yield Fault(at, UNREACHED, False, limit, "the record before could not be read, nor where it ends")


def decode(window: Window, off: int, limit: int, layout: Framing = DISK) -> LogRecord | Fault:
    """Return the record at `off`, or why there is none, after loading what has to be looked at for that."""
    item = decode_record(window.reach(off, min(off + UNCOUNTED, limit)), off, limit, layout)
    if isinstance(item, Fault) and item.reason == NOT_LOADED:
        # The end marker says whether all of it is worth loading.
        problem = no_end_marker(window.peek(item.end - INT.size, item.end), off, limit)
        item = problem or decode_record(window.reach(off, item.end), off, limit, layout)
    start = off + UNCOUNTED
    if start > limit:
        return item
    if gap := window.gap(start - INT.size, start):
        # Its length is among what could not be read, and so nothing says where the next record begins.
        return Fault(off, UNREADABLE, False, min(gap.end, limit), gap.why)
    first, end = off, item.end
    if isinstance(item, Fault) and not item.framed:
        if item.reason != NO_END_MARKER:
            return item
        (length,) = INT.unpack_from(window.reach(off, start), start - INT.size)
        # An end marker that was read and is another one contradicts the length, whatever else was not read.
        first, end = start + length - INT.size, start + length
    gap = window.gap(first, end)
    return Fault(off, UNREADABLE, True, end, gap.why) if gap else item


def search(data: Any, start: int, end: int, layout: Framing = DISK) -> Iterator[LogRecord]:
    """Yield the valid records that stand anywhere in ``data[start:end]``, not overlapping.

    Candidates are found by the constant headerLength. The work on candidates
    that come to nothing is bounded by SEARCH_BUDGET times the region; beyond
    that the search stops, so that crafted bytes cannot make it quadratic.
    """
    end = min(end, len(data))
    budget = SEARCH_BUDGET * max(0, end - start)
    window = Window(data, end)
    at = start
    # From `start` on: a journal may have as many regions as records, each searched by itself.
    for off in _candidates(window, start, end, layout):
        if off < at:
            continue
        item = decode(window, off, end, layout)
        if isinstance(item, LogRecord):
            yield item
            at = item.end
            continue
        if item.framed:
            budget -= item.end - off
            if budget < 0:
                return


def _candidates(window: Window, start: int, end: int, layout: Framing) -> Iterator[int]:
    """Yield where records may begin whose headerLength stands between `start` and `end`."""
    pattern, before = _sign(layout.header_length)
    return (at - before for at in window.find(pattern, start, end, 1, before))


@lru_cache(8)
def _sign(header_length: int) -> tuple[re.Pattern[bytes], int]:
    """Return what finds a header length, and how far behind a record's start its last byte stands."""
    constant = INT.pack(header_length)
    # The last byte is looked for and what precedes it is checked: no zeros and no hole hold that
    # byte; what precedes it may lie in one.
    pattern = re.compile(re.escape(constant[-1:]) + b"(?<=" + re.escape(constant) + b")", re.DOTALL)
    return pattern, len(constant) - 1 + UNCOUNTED
