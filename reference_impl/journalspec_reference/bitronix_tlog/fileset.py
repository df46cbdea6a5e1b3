"""The files of a log: which they are, what is wrong with them, which one of a pair is active."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from journalspec_reference.api import Files, natural_key
from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    FORMAT_ID,
    HEADER_SIZE,
    FileHeader,
    Framing,
    decode_header,
)

PAIR = 2


class LogFile(NamedTuple):
    """One file of records. `problem` is (reason, sentence) if it cannot be used (BTM-HDR).

    `limit` is one past the last byte of its log: the tail of a usable file.
    """

    name: str
    data: Any
    header: FileHeader | None = None
    problem: tuple[str, str] | None = None
    role: str = "invalid"
    limit: int = 0
    layout: Framing = DISK

    @property
    def length(self) -> int:
        """The file's length in bytes."""
        return len(self.data)


def in_order(names: Iterable[str]) -> list[str]:
    """Return `names` as file 1, file 2, ...: natural order of their names, directories last (BTM-FIL)."""
    return sorted(sorted(names), key=lambda name: natural_key(name.rpartition("/")[2]))


def sibling(name: str) -> str:
    """Return the likely name of the missing other file, for messages only."""
    swap = {"1": "2", "2": "1"}
    match = None
    for match in re.finditer(r"\d", name):  # the last digit outside a suffix decides
        if match.end() == len(name) or name[match.end()] in "._-":
            break
    if match is None or match.group() not in swap:
        return f"the other part of {name}"
    return name[: match.start()] + swap[match.group()] + name[match.end() :]


def examine(name: str, data: Any) -> LogFile:
    """Return the file with its header, or with the first problem that makes it unusable."""
    length = len(data)
    if length < HEADER_SIZE:
        return LogFile(
            name, data, None, ("short-file", f"{length} bytes, the header alone has {HEADER_SIZE}")
        )
    header = decode_header(data)
    problem = None
    if header.format_id != FORMAT_ID:
        problem = ("bad-format-id", f"begins with 0x{header.format_id:08x}, not 0x{FORMAT_ID:08x}")
    elif not HEADER_SIZE <= header.position <= length:
        problem = ("bad-position", f"tail {header.position} is not within {HEADER_SIZE}..{length}")
    return LogFile(name, data, header, problem, "invalid" if problem else "passive", header.position)


def elect(candidates: list[LogFile]) -> tuple[LogFile, bool]:
    """Return the active file and whether the choice was ambiguous (BTM-RCV).

    The larger signed timestamp wins; on a tie the later file of the list.
    `candidates` is not empty and holds usable files only.
    """
    best = candidates[0]
    tie = False
    for other in candidates[1:]:
        mine, theirs = _timestamp(best), _timestamp(other)
        tie = mine == theirs
        if theirs >= mine:
            best = other
    return best._replace(role="active"), tie


def _timestamp(file: LogFile) -> int:
    assert file.header is not None  # only usable files come here
    return file.header.timestamp


def load_pair(files: Files) -> list[LogFile]:
    """Return the examined files in their order, at most as many as were given."""
    return [examine(name, files[name]) for name in in_order(files)]
