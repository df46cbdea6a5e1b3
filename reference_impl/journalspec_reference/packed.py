"""Decides how much of a compressed file is decompressed before it is known to belong to a journal."""

from __future__ import annotations

from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from journalspec.files import Unfit, inflated
from journalspec.formats import format_ids, get_format
from journalspec_reference.api import load
from journalspec_reference.content import CompressedStream, RawFile

#: The decompressed size of a file that the user did not request, if it is not known to belong to a journal.
MAX_OTHERS = 64 << 20
#: The decompressed bytes at the start of a file that show whether a format recognises it. A record at the
#: very start may be needed.
BEGIN = 1 << 20
#: A compressed byte may become 1,032 bytes (the limit that zlib documents).
_TIMES = 1032


def is_named(name: str) -> bool:
    """Return whether a format has files with such names. Files of subdirectories were chosen by name."""
    known = {pattern for each in format_ids() for pattern in get_format(each).names} - {"*"}
    return "/" in name or any(fnmatchcase(name, pattern) for pattern in known)


def is_part(name: str) -> bool:
    """Return whether a compressed file has the name of a journal's file in the journal's directory."""
    return name.endswith(".gz") and "/" not in name and is_named(name)


def may_be_journal(name: str, source: RawFile) -> bool:
    """Return whether a format recognises the beginning of a compressed file, or the file is small."""
    if source.size * _TIMES <= MAX_OTHERS:
        return True
    begins = bytearray()
    with suppress(Unfit):
        for block in inflated(CompressedStream(source), Path(name)):
            begins += block
            if len(begins) >= BEGIN:
                break
    names, found = (name, name.removesuffix(".gz")), bytes(begins)
    return any(load(each).detect({one: found}) for each in format_ids() for one in names)
