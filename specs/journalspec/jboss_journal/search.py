"""Where the next record may start: a small loop that no schema language has (JBM-RDR-001 to JBM-RDR-003)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from journalspec.jboss_journal.constants import Layout


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
