"""Compressed files: decompressed also, up to a bound, so that they are read like any other."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from journalspec.files import Unfit, inflated
from journalspec_reference.content import SECTOR, PartOfFile, RawFile


class _Packed:
    """A compressed file, to be read from its beginning."""

    def __init__(self, source: RawFile) -> None:
        self._source, self._at = source, 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""
        data = self._source.read(self._at, size)
        self._at += len(data)
        return data


class Spool:
    """One file without a name for all that is decompressed; blocks of zeros become holes in it."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._end = 0
        self._stream: Any = None

    def inflate(self, source: RawFile, path: Path) -> PartOfFile:
        """Return the decompressed `source`; raises Unfit if that is too large or damaged."""
        if self._stream is None:
            # Unbuffered: it is read by descriptor.
            self._stream = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # lives as long as its parts
        base, size = self._end, 0
        # What a file that failed has left after is not part of the next one.
        self._stream.truncate(base)
        for block in inflated(_Packed(source), path):
            size += len(block)
            if size > self._left:
                text = f"decompresses to more than {self._left} bytes"
                raise Unfit(f"{text}; decompress it and give the path of the result", path)
            if block.count(0) != len(block):
                self._write(base + size - len(block), block)
        self._left -= size
        # Holes begin and end where the file system has blocks.
        self._end = base + -(-size // SECTOR) * SECTOR
        self._stream.truncate(self._end)
        return PartOfFile(self._stream, base, size)

    def _write(self, off: int, block: bytes) -> None:
        self._stream.seek(off)
        data = memoryview(block)
        try:
            while data:
                data = data[self._stream.write(data) :]
        except OSError as error:
            where = tempfile.gettempdir()
            raise OSError(error.errno, f"cannot be decompressed into {where}: {error.strerror}") from None
