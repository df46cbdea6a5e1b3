"""Directory trees that others write to: made, looked at and removed without following any link.

An implementation may do anything to its directory, at any moment: leave links, pipes,
thousands of directories in each other, take rights away, put a link where a directory
was. So each step goes from an open directory to one name in it, never along a path, and
a link is an entry like any other. What is mounted there is no part of the tree. Where the
system cannot do that (Windows), paths are used.

Imports nothing but the standard library, so that it can be loaded alone.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

#: Directories in each other that are looked into. A case has a quarter of it at most.
DEPTH = 64
#: Entries of one tree that are looked at.
ENTRIES = 100_000
#: Seconds after which the removal of one tree is given up: somebody may be filling it all the time.
REMOVAL_SECONDS = 60.0
#: Entries of one directory that are removed at a time (all names of a huge one need not be held).
_BATCH = 4096

_BY_HANDLE = (
    {os.open, os.mkdir, os.rmdir, os.unlink, os.rename} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
)
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | _COMMON | getattr(os, "O_DIRECTORY", 0)


class Mounted(OSError):
    """A directory is another file system, or another part of one: it is left alone."""


class Folder:
    """An open directory, and what can be done to the names in it. Close it, or use it in a ``with``.

    A name is one segment. Every method raises OSError; a link where a directory or a
    file was expected is NotADirectoryError or has errno ELOOP.
    """

    __slots__ = ("_handle", "path")

    def __init__(self, path: Path, handle: int | None) -> None:
        self.path = path
        self._handle = handle

    @classmethod
    def at(cls, path: Path, *, follow: bool = False) -> Folder:
        """Open the directory `path`; its last segment is no link, unless `follow`."""
        if not _BY_HANDLE:
            if not follow and (path.is_symlink() or not path.is_dir()):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
            return cls(path, None)
        return cls(path, os.open(path, _DIRECTORY & ~(os.O_NOFOLLOW if follow else 0)))

    def __enter__(self) -> Folder:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of the directory; a second time does no harm."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _name(self, name: str) -> str:
        return name if self._handle is not None else str(self.path / name)

    def _open(self, name: str, flags: int) -> int:
        try:
            return os.open(self._name(name), flags, 0o666, dir_fd=self._handle)
        except OSError as error:
            raise self._about(error, name) from None

    def _about(self, error: OSError, name: str) -> OSError:
        """Return `error` as one about the whole path: a name alone tells nobody where."""
        return type(error)(error.errno, error.strerror, str(self.path / name))

    def folder(self, name: str) -> Folder:
        """Open a directory in this one."""
        if self._handle is None:
            return Folder.at(self.path / name)
        return Folder(self.path / name, self._open(name, _DIRECTORY))

    def make(self, name: str) -> None:
        """Make a directory for the owner alone; raises FileExistsError."""
        try:
            os.mkdir(self._name(name), 0o700, dir_fd=self._handle)
        except OSError as error:
            raise self._about(error, name) from None

    def create(self, name: str) -> IO[bytes]:
        """Return a stream that writes a new file; raises FileExistsError, also for a link."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON
        return os.fdopen(self._open(name, flags), "wb")

    def read(self, name: str) -> IO[bytes]:
        """Return an unbuffered stream that reads a regular file, and never waits for another entry."""
        flags = os.O_RDONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)
        handle = self._open(name, flags)
        stream = os.fdopen(handle, "rb", buffering=0)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            stream.close()
            raise OSError(errno.EINVAL, "not a regular file", str(self.path / name))
        return stream

    def entries(self) -> Iterator[os.DirEntry[str]]:
        """Yield the entries, in no order."""
        with os.scandir(self.path if self._handle is None else self._handle) as found:
            yield from found

    def link(self, name: str) -> str:
        """Return where a symbolic link leads."""
        return os.readlink(self._name(name), dir_fd=self._handle)

    def remove(self, name: str, seconds: float = REMOVAL_SECONDS) -> None:
        """Remove an entry, and all below it however deep, whatever rights it has.

        What a link leads to, or is mounted there, is left alone. Raises FileNotFoundError if there
        is no such entry, Mounted, and OSError if something else could not be removed (all the rest
        is), or is made again and again for `seconds`.
        """
        try:
            os.unlink(self._name(name), dir_fd=self._handle)
        except (IsADirectoryError, PermissionError):  # macOS says the second of a directory
            if self._handle is None:
                shutil.rmtree(self.path / name)
                return
            with self._owned(name) as folder:
                folder._empty(time.monotonic() + seconds)
            os.rmdir(name, dir_fd=self._handle)

    def _owned(self, name: str) -> Folder:
        """Open a directory after taking all rights to it back, if they were given away."""
        try:
            folder = self.folder(name)
        except PermissionError:
            self._take_rights(name)
            folder = self.folder(name)
        try:
            self.check_same_mount(folder)
        except OSError:
            folder.close()
            raise
        if folder._handle is not None and os.fstat(folder._handle).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            with suppress(OSError):  # what follows says more
                os.fchmod(folder._handle, stat.S_IRWXU)
        return folder

    def check_same_mount(self, inner: Folder) -> None:
        """Raise Mounted unless `inner`, a directory in this one, is of the same mount."""
        if self._handle is None or inner._handle is None or _mount(self._handle) == _mount(inner._handle):
            return
        raise Mounted(errno.EXDEV, "something is mounted there, and left alone", str(inner.path))

    def _take_rights(self, name: str) -> None:
        if not hasattr(os, "O_PATH"):
            os.chmod(name, stat.S_IRWXU, dir_fd=self._handle, follow_symlinks=False)
            return
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | _COMMON, dir_fd=self._handle)
        try:
            self.check_same_mount(Folder(self.path / name, handle))
            Path(f"/proc/self/fd/{handle}").chmod(stat.S_IRWXU)
        finally:
            os.close(handle)

    def _empty(self, until: float, into: Folder | None = None) -> None:
        """Remove all entries. What lies deeper is first moved up here: no path, and no stack, gets long.

        With `into`, directories are moved there instead. What cannot go stays; the first reason is raised.
        """
        stuck: dict[str, OSError] = {}
        while batch := list(islice((entry for entry in self.entries() if entry.name not in stuck), _BATCH)):
            for entry in batch:
                if time.monotonic() > until:
                    raise TimeoutError(errno.ETIMEDOUT, "cannot be emptied in time", str(self.path))
                try:
                    self._clear(entry, until, into)
                except FileNotFoundError:
                    continue  # somebody else has removed it
                except TimeoutError:
                    raise
                except OSError as error:
                    stuck[entry.name] = error
        for reason in stuck.values():
            raise reason

    def _clear(self, entry: os.DirEntry[str], until: float, into: Folder | None) -> None:
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=self._handle)
            return
        with self._owned(entry.name) as inner:
            if into is None:
                inner._empty(until, self)
        if into is None:
            os.rmdir(entry.name, dir_fd=self._handle)
        else:
            # To move a directory its own entry for the parent is rewritten, which takes rights to it.
            os.rename(entry.name, secrets.token_hex(8), src_dir_fd=self._handle, dst_dir_fd=into._handle)


def _mount(handle: int) -> tuple[int, bytes]:
    """Return what tells one mount from another: the device, and on Linux the mount's own number."""
    number = b""
    with suppress(OSError):
        info = Path(f"/proc/self/fdinfo/{handle}").read_bytes()
        number = info.partition(b"mnt_id:")[2].split(b"\n")[0].strip()
    return (0 if number else os.fstat(handle).st_dev), number


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """Something that a tree holds: where, the directory it is in (open until the next one), and its lstat."""

    path: str
    folder: Folder
    info: os.stat_result

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]


class TooMuch(OSError):
    """A tree holds more than is looked at."""


def walk(folder: Folder) -> Iterator[TreeEntry]:
    """Yield everything below `folder`, a directory before what it holds, in the order of names.

    A directory that cannot be read, is deeper than DEPTH, or where something is mounted, is
    an entry; what it holds is not looked at. Raises TooMuch beyond ENTRIES entries.
    """
    left = ENTRIES

    def below(inside: Folder, prefix: str, depth: int) -> Iterator[TreeEntry]:
        nonlocal left
        found = sorted(islice(inside.entries(), left + 1), key=lambda entry: entry.name)
        left -= len(found)
        if left < 0:
            raise TooMuch(errno.EFBIG, f"holds more than {ENTRIES} entries", str(folder.path))
        for entry in found:
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone meanwhile, or its directory lets nobody look
            yield TreeEntry(prefix + entry.name, inside, info)
            if stat.S_ISDIR(info.st_mode) and depth < DEPTH:
                try:
                    inner = inside.folder(entry.name)
                except OSError:
                    continue
                with inner, suppress(Mounted):
                    inside.check_same_mount(inner)
                    yield from below(inner, f"{prefix}{entry.name}/", depth + 1)

    return below(folder, "", 1)


def place(root: Folder, files: Iterable[tuple[str, Iterable[bytes | int]]]) -> None:
    """Write new files below `root`, directories included.

    A file is its path (segments joined by ``/``; the caller has checked them) and its content
    in pieces: bytes, or a number of zeros, which become a hole where the system has such.
    Raises FileExistsError for a file that is there already, and other OSErrors, such as for
    a link in place of a directory. No file is left that was not finished.
    """
    for path, pieces in files:
        *directories, name = path.split("/")
        _place(root, directories, name, pieces)


def _place(inside: Folder, directories: list[str], name: str, pieces: Iterable[bytes | int]) -> None:
    if not directories:
        with inside.create(name) as stream:
            try:
                for piece in pieces:
                    if isinstance(piece, int):
                        stream.seek(piece, os.SEEK_CUR)
                    else:
                        stream.write(piece)
                stream.truncate()
            except BaseException:
                inside.remove(name)
                raise
        return
    with suppress(FileExistsError):
        inside.make(directories[0])
    with inside.folder(directories[0]) as inner:
        _place(inner, directories[1:], name, pieces)
