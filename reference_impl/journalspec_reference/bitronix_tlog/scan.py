"""Walking a log: valid records in order, faults where there is none, and no guesses.

A fault inside a known frame is stepped over; any other ends the walk, because
nothing says where the next record would start (BTM-RDR). Searching what the
walk left out is a forensic extra with its own function and its own bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    INT,
    UNCOUNTED,
    Fault,
    Layout,
    LogRecord,
    decode_record,
)

#: The forensic search may look at each byte of its region this often on average.
SEARCH_BUDGET = 8


class Scan(NamedTuple):
    """What a walk found: valid records and faults, each in file order."""

    records: list[LogRecord]
    faults: list[Fault]


def walk(data: Any, limit: int, layout: Layout = DISK) -> Iterator[LogRecord | Fault]:
    """Yield the records of `data` from the layout's log start to `limit`, and the faults between.

    Each step moves forward by at least the framed length, so that the whole
    walk is linear in `limit` whatever the bytes say.
    """
    at = layout.log_start
    while at < limit:
        item = decode_record(data, at, limit, layout)
        yield item
        if isinstance(item, Fault) and not item.framed:
            return
        at = item.end


def scan(data: Any, limit: int, layout: Layout = DISK) -> Scan:
    """Return all of :func:`walk`, sorted out."""
    found = Scan([], [])
    for item in walk(data, limit, layout):
        if isinstance(item, Fault):
            found.faults.append(item)
        else:
            found.records.append(item)
    return found


def search(data: Any, start: int, end: int, layout: Layout = DISK) -> Iterator[LogRecord]:
    """Yield the valid records that stand anywhere in ``data[start:end]``, not overlapping.

    Candidates are found by the constant headerLength. The work on candidates
    that come to nothing is bounded by SEARCH_BUDGET times the region; beyond
    that the search stops, so that crafted bytes cannot make it quadratic.
    """
    budget = SEARCH_BUDGET * max(0, end - start)
    view = memoryview(data)[:end]
    at = start
    constant = INT.pack(layout.header_length)
    # The last byte is looked for and what precedes it is checked: over zeros, of which files are
    # full, that is six times as fast as looking for three zeros first.
    candidates = re.compile(re.escape(constant[-1:]) + b"(?<=" + re.escape(constant) + b")", re.DOTALL)
    # From `start` on: a journal may have as many regions as records, each searched by itself.
    for match in candidates.finditer(view, start):
        off = match.end() - len(constant) - UNCOUNTED
        if off < at:
            continue
        item = decode_record(view, off, end, layout)
        if isinstance(item, LogRecord):
            yield item
            at = item.end
            continue
        if item.framed:
            budget -= item.end - off
            if budget < 0:
                return
