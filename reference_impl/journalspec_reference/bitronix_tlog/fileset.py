"""The files of a log: which they are, what is wrong with them, which one of a pair is active."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from journalspec.observation import At, Observation, refused
from journalspec_reference.api import Files, natural_key
from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    FILE_HEADER,
    FORMAT_ID,
    HEADER_SIZE,
    FileHeader,
    Framing,
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
    framing: Framing = DISK

    @property
    def length(self) -> int:
        """The file's length in bytes."""
        return len(self.data)

    @property
    def timestamp(self) -> int:
        """What elects the active file; -1 without a header."""
        return self.header.timestamp if self.header else -1


def in_order(names: Iterable[str]) -> list[str]:
    """Return `names` as file 1, file 2, ...: natural order of their names, directories last (BTM-FIL-016)."""
    return sorted(sorted(names), key=lambda name: natural_key(name.rpartition("/")[2]))


def sibling(name: str) -> str:
    """Return the likely name of the missing other file, for messages only."""
    return _numbered(name) or f"the other part of {name}"


def other_of(name: str) -> str:
    """Return a name for the other file: the likely one, or one that differs by a digit."""
    path = PurePosixPath(name)
    return _numbered(name) or path.with_stem(f"{path.stem}2").as_posix()


def _numbered(name: str) -> str:
    # The last digit counts, but one before a suffix comes first.
    digit = re.search(r"\d(?=[._-]|\Z)", name) or re.search(r"\d(?!.*\d)", name, re.DOTALL)
    if digit is None or digit[0] not in "12":
        return ""
    return f"{name[: digit.start()]}{3 - int(digit[0])}{name[digit.end() :]}"


def examine(name: str, data: Any) -> LogFile:
    """Return the file with its header, or with the first problem that makes it unusable."""
    length, problem = len(data), None
    if length < HEADER_SIZE:
        return LogFile(
            name, data, None, ("short-file", f"{length} bytes, the header alone has {HEADER_SIZE}")
        )
    header = FileHeader._make(FILE_HEADER.unpack(data[:HEADER_SIZE]))
    if header.format_id != FORMAT_ID:
        problem = "bad-format-id", f"begins with 0x{header.format_id.hex()}, not 0x{FORMAT_ID.hex()}"
    elif not HEADER_SIZE <= header.position <= length:
        problem = "bad-position", f"tail {header.position} is not within {HEADER_SIZE}..{length}"
    return LogFile(name, data, header, problem, "invalid" if problem else "passive", header.position)


def load_pair(files: Files) -> list[LogFile]:
    """Return the examined files in their order; of those that can be used one is active."""
    pair = [examine(name, files[name]) for name in in_order(files)]
    usable = [file for file in pair if file.problem is None]
    # The larger timestamp (BTM-RCV-002), on a tie the later file (BTM-RCV-003).
    active = max(reversed(usable), key=lambda file: file.timestamp, default=None)
    return [file._replace(role="active") if file is active else file for file in pair]


def refusal(pair: list[LogFile]) -> Observation | None:
    """Return the first reason for strict recovery not to look at the records, else None (BTM-RCV-001)."""
    names = ", ".join(file.name for file in pair)
    if not pair:
        return refused("fileset", "no-files", "there is no log file")
    if len(pair) > PAIR:
        return refused("fileset", "too-many-files", f"a journal is a pair, these are {len(pair)}: {names}")
    if len(pair) < PAIR:
        return refused("fileset", "missing-file", f"{sibling(names)} is missing beside {names}")
    first, second = pair
    for reason in ("short-file", "unequal-lengths", "bad-format-id", "bad-position"):
        if reason == "unequal-lengths" and first.length != second.length:
            text = f"{first.name} has {first.length} bytes, {second.name} has {second.length}"
            return refused("fileset", reason, text)
        for file in pair:
            if file.problem is not None and file.problem[0] == reason:
                text = f"{file.name}: {file.problem[1]}"
                return refused("header", reason, text, At(file.name, 0, file.length))
    return None
