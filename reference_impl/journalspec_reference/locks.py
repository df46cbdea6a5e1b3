"""Which files of a journal another process has locked: the journal is in use, and a copy is better read."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

#: What `F_GETLK` takes and gives: type, from where, start, length (0: to the end), process.
_FLOCK = struct.Struct("hhqqi")
#: Represents the journal's own files among the names of lock files.
OWN = "*"


def held(root: Path, lock_files: Iterable[str], own: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, owner of the lock) for the lock files in or above `root`; `*` means `own` files.

    Nothing is locked, and no lock is awaited. Yields nothing where the system cannot say.
    """
    for name in lock_files:
        for file in own if name == OWN else (name,):
            for place in (root / file, root.parent / file):
                if who := _holder(place):
                    yield file, who


def _holder(path: Path) -> str:
    """Return the process that has locked any byte of a file; empty if there is none or it is unknown."""
    try:
        import fcntl  # noqa: PLC0415  # not on every system
    except ImportError:
        return ""
    with suppress(OSError, ValueError):
        # Never waits, as opening a pipe would.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, process = _FLOCK.unpack(fcntl.fcntl(handle, fcntl.F_GETLK, asked))
        finally:
            os.close(handle)
        if kind != fcntl.F_UNLCK:
            # A process on another machine, or in another container, has no number here.
            return f"process {process}" if process > 0 else "another process"
    return ""
