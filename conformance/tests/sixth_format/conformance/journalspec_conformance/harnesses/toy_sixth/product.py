"""Represents a foreign product, which does not know the reference or the protocol."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


class Spoilt(Exception):
    """This error means that a stored note differs from the written one."""


class Notes:
    """Notes in one file of `directory`."""

    NAME = "notes.toy"

    def __init__(self, directory: Path) -> None:
        self._path = directory / self.NAME

    def open(self) -> None:
        """Make the file if it does not exist."""
        if not self._path.exists():
            self._append(b"TOY6")

    def note(self, text: str) -> None:
        """Append a note and wait until it is on disk."""
        raw = text.encode("latin-1")
        self._append(bytes([len(raw)]) + raw + bytes([self._sum(raw)]))

    def read(self) -> Iterator[str]:
        """Yield all notes; raises Spoilt."""
        data = self._path.read_bytes()[4:]
        while data:
            size = data[0]
            raw, last = data[1 : size + 1], data[size + 1 : size + 2]
            if not last:
                raise Spoilt("the file ends inside a note")
            if self._sum(raw) != last[0]:
                raise Spoilt("a note has a wrong sum")
            yield raw.decode("latin-1")
            data = data[size + 2 :]

    def stop(self) -> None:
        """Do nothing: the file is not held open."""

    def _append(self, data: bytes) -> None:
        with self._path.open("ab") as stream:
            stream.write(data)
            os.fsync(stream.fileno())

    @staticmethod
    def _sum(raw: bytes) -> int:
        total = 0
        for byte in raw:
            total ^= byte
        return total
