"""Where the next record may start: a small loop that no schema language has (JBM-RDR-001 to JBM-RDR-003)."""

from __future__ import annotations

import re
import struct
from functools import cache
from typing import Any

from journalspec.jboss_journal.constants import ENDING, TRANSACTIONAL, TYPES_WITH_ENTRY, WITH_ID, Layout

_INT = struct.Struct(">i")
_PAIR = 8
_CHECK = 4


@cache
def _pattern(types: bytes, stamp: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[" + re.escape(types) + b"]" + re.escape(stamp), re.DOTALL)


def next_candidate(data: Any, at: int, file_id: int, layout: Layout, end: int | None = None) -> int | None:
    """Return the first offset from `at` on with a record type and the stamp of file `file_id`, or None.

    `data` is bytes-like; a candidate's first five bytes lie before `end`.
    """
    pattern = _pattern(bytes(sorted(layout.codes.values())), layout.stamp(file_id).to_bytes(4, "big"))
    match = pattern.search(data, at, len(data) if end is None else end)
    return match.start() if match else None


def next_of_any_file(data: Any, at: int, layout: Layout, end: int) -> int | None:
    """Return the first offset from `at` on, before `end`, with a record type, whatever file it is of."""
    match = _pattern(bytes(sorted(layout.codes.values())), b"").search(data, at, end)
    return match.start() if match else None


def may_end(data: Any, off: int, layout: Layout, end: int) -> bool:
    """Tell whether a record at `off` could end where its own sizes say, at most at `end`.

    The schemas read a body before they come to the check size. Where most
    candidates are none, asking first keeps a search linear (JBM-RDR-021); with the
    calculated hash only the bounds can be asked for.
    """
    kind = next(name for name, code in layout.codes.items() if code == data[off])
    at = off + 5 + layout.compact_count + 8 * (kind in TRANSACTIONAL) + 8 * (kind in WITH_ID)
    parts, fixed = _variable(kind, layout)
    if at + fixed + _CHECK > end:
        return False
    length = fixed + _CHECK + at - off
    for place, unit in parts:
        (size,) = _INT.unpack_from(data, at + place)
        if size < 0:
            return False
        length += unit * size
    if off + length > end:
        return False
    return layout.hashed or _INT.unpack_from(data, off + length - _CHECK) == (length,)


def _variable(kind: str, layout: Layout) -> tuple[list[tuple[int, int]], int]:
    """Return where sizes stand behind the ids, with the unit that each counts, and the fixed bytes there."""
    if kind in TYPES_WITH_ENTRY:
        return [(0, 1)], 5
    if kind == "DELETE_TX" and layout.delete_body:
        return [(0, 1)], 4
    has_extra = kind == "PREPARE" and layout.extra
    if kind in ENDING and layout.pairs:
        return ([(0, 1), (4, _PAIR)], 8) if has_extra else ([(0, _PAIR)], 4)
    if kind in ENDING:
        return ([(4, 1)], 8) if has_extra else ([], 4)
    return [], 0
