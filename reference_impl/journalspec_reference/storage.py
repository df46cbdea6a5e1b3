"""The storage of a writer. It is a directory, memory, or any object with the same methods.

The operations are those of the crash model: changes of files, and two calls (sync, sync_dir) that make
changes durable. A recording layer over any of these yields a write trace.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol


class Storage(Protocol):
    """The file operations that a journal writer needs. Names are relative, offsets in bytes."""

    def names(self) -> list[str]:
        """Return the names of all files, sorted."""

    def size(self, name: str) -> int:
        """Return the length of `name` in bytes; raises FileNotFoundError."""

    def read(self, name: str, off: int, length: int) -> bytes:
        """Return up to `length` bytes at `off`; fewer at the end of the file."""

    def create(self, name: str) -> None:
        """Create an empty file; raises FileExistsError."""

    def write(self, name: str, off: int, data: bytes) -> None:
        """Write `data` at `off`, extending the file if needed."""

    def truncate(self, name: str, size: int) -> None:
        """Truncate or extend (with zeros) `name` to `size` bytes."""

    def sync(self, name: str) -> None:
        """Make the content of `name` durable."""

    def sync_dir(self) -> None:
        """Make created, renamed and removed names durable."""

    def rename(self, old: str, new: str) -> None:
        """Rename a file; an existing file `new` is replaced."""

    def unlink(self, name: str) -> None:
        """Remove `name`."""


#: Writers fill a new file with writes of this many bytes.
FILL_BLOCK = 4096


def fill(storage: Storage, name: str, start: int, end: int, byte: bytes = b"\0") -> None:
    """Write `byte` from `start` to `end` of a file, block by block."""
    for at in range(start, end, FILL_BLOCK):
        storage.write(name, at, byte * min(FILL_BLOCK, end - at))


def whole(storage: Storage, name: str) -> bytes:
    """Return the content of a file."""
    return storage.read(name, 0, storage.size(name))


class DirectoryStorage:
    """A real directory. The caller is responsible for symbolic links that lead out of it.

    A name with a ``/`` means a file in a subdirectory; the first file there creates the subdirectory.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        #: The root and its subdirectories. Searching for these at each sync_dir would take quadratic time in
        #: the number of files.
        self._directories = {root, *filter(Path.is_dir, root.glob("*"))}

    def names(self) -> list[str]:
        """Return the names of the regular files in the directory and in its subdirectories."""
        paths = [path for pattern in ("*", "*/*") for path in self.root.glob(pattern)]
        return sorted(path.relative_to(self.root).as_posix() for path in paths if path.is_file())

    def size(self, name: str) -> int:
        """Return the length of `name` in bytes."""
        return (self.root / name).stat().st_size

    def read(self, name: str, off: int, length: int) -> bytes:
        """Return up to `length` bytes at `off`."""
        with (self.root / name).open("rb") as stream:
            stream.seek(off)
            return stream.read(length)

    def create(self, name: str) -> None:
        """Create an empty file."""
        path = self.root / name
        if path.parent not in self._directories:
            path.parent.mkdir(exist_ok=True)
            self._directories.add(path.parent)
        path.touch(exist_ok=False)

    def write(self, name: str, off: int, data: bytes) -> None:
        """Write `data` at `off` in one call."""
        with (self.root / name).open("r+b", buffering=0) as stream:
            stream.seek(off)
            stream.write(data)

    def truncate(self, name: str, size: int) -> None:
        """Truncate or extend `name`."""
        os.truncate(self.root / name, size)

    def sync(self, name: str) -> None:
        """Call fsync on `name`."""
        with (self.root / name).open("r+b") as stream:
            os.fsync(stream.fileno())

    def sync_dir(self) -> None:
        """Call fsync on the directory and its subdirectories, if the system supports that."""
        if not hasattr(os, "O_DIRECTORY"):
            return
        for directory in sorted(self._directories, reverse=True):  # The root is synced last.
            handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def rename(self, old: str, new: str) -> None:
        """Rename a file; an existing file is replaced."""
        (self.root / old).replace(self.root / new)

    def unlink(self, name: str) -> None:
        """Remove the file."""
        (self.root / name).unlink()


class MemoryStorage:
    """Files in memory; `files` may be read (and copied) at any time."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files: dict[str, bytearray] = {name: bytearray(data) for name, data in (files or {}).items()}

    def _file(self, name: str) -> bytearray:
        try:
            return self.files[name]
        except KeyError:
            raise FileNotFoundError(name) from None

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted(self.files)

    def size(self, name: str) -> int:
        """Return the length of `name` in bytes."""
        return len(self._file(name))

    def read(self, name: str, off: int, length: int) -> bytes:
        """Return up to `length` bytes at `off`."""
        return bytes(self._file(name)[off : off + length])

    def create(self, name: str) -> None:
        """Create an empty file."""
        if name in self.files:
            raise FileExistsError(name)
        self.files[name] = bytearray()

    def write(self, name: str, off: int, data: bytes) -> None:
        """Write `data` at `off`; a gap is filled with zeros."""
        content = self._file(name)
        if off > len(content):
            content.extend(bytes(off - len(content)))
        content[off : off + len(data)] = data

    def truncate(self, name: str, size: int) -> None:
        """Truncate or extend `name`."""
        content = self._file(name)
        if size < len(content):
            del content[size:]
        else:
            content.extend(bytes(size - len(content)))

    def sync(self, name: str) -> None:
        """Check that `name` exists; memory needs no fsync."""
        self._file(name)

    def sync_dir(self) -> None:
        """Do nothing: memory needs no fsync of names."""

    def rename(self, old: str, new: str) -> None:
        """Rename a file; an existing file is replaced."""
        self._file(old)
        self.files[new] = self.files.pop(old)

    def unlink(self, name: str) -> None:
        """Remove the file."""
        self._file(name)
        del self.files[name]
