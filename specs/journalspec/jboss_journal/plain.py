"""Simple facts about files and their ids that have no place in the table of fields."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from journalspec.jboss_journal import LAYOUT

#: The fixed name of the file that describes a compaction (JBM-CMP-001).
CONTROL = "journal-rename-control.ctr"
#: The first bytes of a file to which the writer never assigned an id (JBM-HDR-013).
UNFILLED_ID = 0x4A4A4A4A


def has(structure: str, name: str, edition: str) -> bool:
    """Return whether a structure has the field `name` in an edition."""
    return name in LAYOUT.structure(structure, edition).names


def versioned(edition: str) -> bool:
    """Return whether the headers of an edition have a format version (JBM-HDR-001, JBM-HDR-002)."""
    return has("header", "format_version", edition)


def laid_out_as(edition: str, version: int) -> str:
    """Return the edition whose tables apply to the records of a file of format `version` (0 means no
    version).
    """
    return LAYOUT.behind(edition, {"format_version": version})


def stamp_of(edition: str, file_id: int) -> int:
    """Return the unsigned id stored in the records of file `file_id` (JBM-HDR-015, JBM-HDR-016)."""
    return file_id & (0x7FFFFFFF if versioned(edition) else 0xFFFFFFFF)


def control_id(edition: str) -> int:
    """Return the file id in a control file's record (JBM-CMP-002)."""
    return -1 if edition == "s2" else 0


@cache
def _pattern(types: bytes, stamp: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[" + re.escape(types) + b"]" + re.escape(stamp), re.DOTALL)


def next_candidate(
    data: Any, at: int, edition: str, file_id: int | None, end: int | None = None
) -> int | None:
    """Return the first offset from `at` on where a record of file `file_id` may start, or None if there is
    none.

    If `file_id` is None, the record may belong to any file. At such an offset, before `end`, a record type is
    stored, followed by the stamp of the file. No schema language can express such a search (JBM-RDR-001 to
    JBM-RDR-003).
    """
    types = bytes(sorted(LAYOUT.types(edition).values()))
    stamp = b"" if file_id is None else stamp_of(edition, file_id).to_bytes(4, "big")
    match = _pattern(types, stamp).search(data, at, len(data) if end is None else end)
    return match.start() if match else None
