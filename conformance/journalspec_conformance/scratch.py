"""A fresh place for every question. It is a directory on disk, or a mapping in memory.

An implementation can change a directory on disk as soon as it knows its name. So the runner follows no link
in it, opens only regular files, and gives each directory an unpredictable name.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os.path import samestat
from pathlib import Path
from typing import IO, NamedTuple, Self

from journalspec_conformance.errors import Misbehaved
from journalspec_conformance.programs import drop_scratch, make_scratch, remove, walk
from journalspec_corpus import Case, InputFile
from journalspec_corpus.case import write_files
from journalspec_corpus.form import MAX_BYTES

#: The number of bytes that are compared at a time.
_PIECE = 1 << 20
#: The system's errors if a disk or the table of open files is full, or a quota or limit of file sizes is
#: reached.
_FULL = {getattr(errno, name, 0) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE")} - {0}
_READING = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
_FILE = "a file"
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFREG: _FILE,
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}

Files = Mapping[str, bytes]


class _Seen(NamedTuple):
    """The compared properties of an entry. Times are not compared, because reading changes some of them."""

    kind: str
    rights: int = 0
    owner: tuple[int, int] = (0, 0)
    size: int = 0

    @classmethod
    def of(cls, info: os.stat_result) -> Self:
        """Return the compared properties, without the size of a directory, which the file system chooses."""
        kind = _KINDS.get(stat.S_IFMT(info.st_mode), "a device")
        owner, size = (info.st_uid, info.st_gid), info.st_size if kind == _FILE else 0
        return cls(kind, stat.S_IMODE(info.st_mode), owner, size)


Look = Mapping[str, _Seen]


class CaseDirectory:
    """The files of one request. `request_members` go into the request."""

    def __init__(
        self, original: tuple[InputFile, ...], memory: Files | None, directory: Path | None = None
    ) -> None:
        """Describe a place that contains `original`, in `memory` or in `directory`, one of which is None."""
        self._original, self._before = original, memory
        self._memory = None if memory is None else dict(memory)
        #: The directory; None in memory.
        self.directory = directory
        self._info = None if directory is None else directory.lstat()
        self._look = self._entries()

    def request_members(self) -> dict[str, object]:
        """Return ``dir``, and in memory mode ``files``: a mutable mapping that *is* the directory."""
        if self._memory is not None:
            return {"dir": "", "files": self._memory}
        return {"dir": str(self.directory)}

    def files(self) -> dict[str, bytes]:
        """Return the current regular files: path below the directory -> content.

        Raises Misbehaved if they have more bytes than any case may have.
        """
        found = {}
        for name, size in self._sizes().items():
            with self._open(name) as stream:
                found[name] = stream.read(size)
        return found

    def digests(self) -> Files:
        """Return the digests of the readable regular files, for a comparison with later digests."""
        found = {}
        for name in self._sizes():
            with suppress(OSError), self._open(name) as stream:
                found[name] = hashlib.file_digest(stream, "sha256").digest()
        return found

    def change(self) -> str | None:
        """Return the difference from the original (entries, kinds, permissions, content), or None."""
        if self._memory is not None and self._memory == self._before:
            return None
        changed = self._other_place() or _other_entries(self._look, self._entries())
        for file in self._original if changed is None else ():
            with self._open(file.path) as stream:
                changed = _other_content(file, stream)
            if changed is not None:
                break
        return changed

    def _other_place(self) -> str | None:
        """Return the change of the directory itself, or None."""
        if self.directory is None or self._info is None:
            return None
        try:
            info = self.directory.lstat()
        except OSError:
            return "the directory itself was removed"
        if not samestat(info, self._info):
            return "the directory itself is another one"
        return None if info.st_mode == self._info.st_mode else "the directory itself has other permissions"

    def _entries(self) -> dict[str, _Seen]:
        """Return the properties of all entries, by the path below the directory."""
        if self.directory is None:
            return {name: _Seen(_FILE, size=len(data)) for name, data in (self._memory or {}).items()}
        return {name: _Seen.of(info) for name, info in walk(self.directory)}

    def _sizes(self) -> dict[str, int]:
        """Return the sizes of the regular files; raises Misbehaved if the total is larger than in any
        case.
        """
        sizes = {name: seen.size for name, seen in sorted(self._entries().items()) if seen.kind == _FILE}
        if sum(sizes.values()) > MAX_BYTES:
            raise Misbehaved(f"its directory has files of more than {MAX_BYTES} bytes")
        return sizes

    def _open(self, name: str) -> io.BufferedReader | io.BytesIO:
        """Open a regular file; raises OSError. It never blocks on other entries, such as pipes."""
        if self.directory is None:
            return io.BytesIO((self._memory or {})[name])
        stream = os.fdopen(os.open(self.directory / name, os.O_RDONLY | _READING), "rb")
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            stream.close()
            raise OSError(errno.EINVAL, "not a regular file", str(self.directory / name))
        return stream


def _other_entries(before: Look, now: Look) -> str | None:
    """Return the first entry that is new, missing, or changed, in the order of names."""
    path = min((name for name in before.keys() | now.keys() if before.get(name) != now.get(name)), default="")
    was, is_ = before.get(path), now.get(path)
    if is_ is None:
        return None if was is None else f"{path} is gone"
    if was is None:
        return f"{path} is new" if is_.kind == _FILE else f"{path} is new, {is_.kind}"
    if was.kind != is_.kind:
        return f"{path} was {was.kind} and is {is_.kind}"
    if was.rights != is_.rights:
        return f"{path} had the rights {was.rights:o} and has {is_.rights:o}"
    if was.owner != is_.owner:
        return f"{path} has another owner"
    return f"{path} had {was.size} bytes and has {is_.size}"


def _other_content(original: InputFile, stream: IO[bytes]) -> str | None:
    """Return where a file differs from its original of equal length; both are read in pieces."""
    off = 0
    for piece in original.pieces():
        left = piece if isinstance(piece, int) else len(piece)
        while left:
            before = bytes(min(left, _PIECE)) if isinstance(piece, int) else piece
            after = stream.read(len(before))
            if before != after:
                for at, (old, new) in enumerate(zip(before, after, strict=False), start=off):
                    if old != new:
                        return f"{original.path}, offset {at}: {old:02x} became {new:02x}"
                # The length of the file changed during the comparison.
                return f"{original.path} had {original.size} bytes and has {off + len(after)}"
            off += len(before)
            left -= len(before)
    return None


class Workspace:
    """Creates and deletes the directories of journals. In memory mode, it caches the last content."""

    def __init__(self, in_memory: bool) -> None:
        """Create a scratch directory unless everything stays `in_memory`."""
        #: The scratch directory; None in memory.
        self.root = None if in_memory else make_scratch()
        self._last: tuple[tuple[InputFile, ...], Files] = ((), {})

    @contextmanager
    def place(self, case: Case) -> Iterator[CaseDirectory]:
        """Provide a fresh place with the input of `case`; the place is deleted afterwards.

        Raises OSError; the message says that the full disk or table is on the runner's machine.
        """
        files = case.input.files
        if self.root is None:
            if self._last[0] is not files:
                self._last = files, {file.path: file.content() for file in files}
            yield CaseDirectory(files, self._last[1])
            return
        with _ours():
            # Another process has removed or replaced the directory.
            if self.root.is_symlink() or not self.root.is_dir():
                drop_scratch(self.root)
                self.root = make_scratch()
            directory = self.root / secrets.token_hex(16)
            directory.mkdir(0o700)
        try:
            with _ours():
                write_files(directory, ((file.path, file.pieces()) for file in files))
            yield CaseDirectory(files, None, directory)
        finally:
            remove(directory)

    def close(self) -> None:
        """Remove the scratch directory."""
        if self.root is not None:
            drop_scratch(self.root)
            self.root = None


@contextmanager
def _ours() -> Iterator[None]:
    """Raise Problem if the runner's machine lacks a resource, so that the probe does not count as failed."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        why = f"the runner's scratch directory cannot hold the case: {error.strerror}"
        raise OSError(error.errno, why, error.filename) from None
