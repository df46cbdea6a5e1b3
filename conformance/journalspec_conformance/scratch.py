"""A fresh place for every question: a directory on disk, or a mapping in memory.

What stands in a directory on disk is up to the implementation from the moment it knows
the name. So the runner goes by open directories, never by paths, follows no link, opens
nothing but regular files, and gives each place a name that nobody can guess.
"""

from __future__ import annotations

import errno
import hashlib
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from os.path import samestat
from pathlib import Path
from typing import IO

from journalspec.kept import drop_scratch, make_scratch
from journalspec.trees import Folder, TooMuch, TreeEntry, place, walk
from journalspec_conformance.errors import Misbehaved
from journalspec_corpus import Case, InputFile
from journalspec_corpus.form import MAX_BYTES

#: Bytes that are compared at a time.
_PIECE = 1 << 20
#: Bytes of a look at a place that are kept; of what is beyond only a digest is, and a change shows no bytes.
_KEPT = 1 << 24
#: What the system says when a disk, a quota, a limit of file sizes or the table of open files is full.
_FULL = frozenset(
    getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE") if hasattr(errno, name)
)

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class _Seen:
    """An entry as lstat shows it: its kind, rights and owner, and where it leads or which device it is."""

    kind: int
    rights: int
    owner: tuple[int, int]
    size: int
    leads: str = ""


#: What a look finds: path below the place -> entry. Times do not count: looking changes some of them.
Look = Mapping[str, _Seen]


class CaseDirectory:
    """The files of one request. `request_members` go into the request."""

    def __init__(self, original: tuple[InputFile, ...], memory: Files | None, folder: Folder | None) -> None:
        """Describe a place that holds `original`, in `memory` or in `folder`, one of which is None."""
        self._original = {file.path: file for file in original}
        self._before_in_memory = memory
        self._memory: dict[str, bytes] | None = None if memory is None else dict(memory)
        self._folder = folder
        if folder is not None:
            self._look, self._info = _look(folder), folder.path.lstat()

    @property
    def directory(self) -> Path | None:
        """Where it is, None in memory."""
        return None if self._folder is None else self._folder.path

    def request_members(self) -> dict[str, object]:
        """Return ``dir``, and in memory mode ``files``: a mutable mapping that *is* the directory."""
        if self._memory is not None:
            return {"dir": "", "files": self._memory}
        return {"dir": str(self.directory)}

    def files(self) -> dict[str, bytes]:
        """Return the regular files that are there now: path below the directory -> content.

        Raises Misbehaved if there is more than any case may hold.
        """
        if self._memory is not None:
            return {name: bytes(data) for name, data in self._memory.items()}
        found: dict[str, bytes] = {}
        with _bounded():
            for entry in _regular(self._there):
                with entry.folder.read(entry.name) as stream:
                    found[entry.path] = _exactly(stream, entry.info.st_size)
        return found

    def change(self) -> str | None:
        """Return what differs from the original, None if nothing: entries, kinds, rights, content."""
        if self._memory is not None:
            before = self._before_in_memory or {}
            return None if self._memory == before else _first_difference(before, self.files())
        with _bounded():
            changed = self._other_place() or _other_entries(self._look, _look(self._there))
            if changed is not None:
                return changed
            for entry in walk(self._there):
                if entry.path in self._original:
                    with entry.folder.read(entry.name) as stream:
                        changed = _other_content(self._original[entry.path], stream)
                    if changed is not None:
                        return changed
        return None

    def _other_place(self) -> str | None:
        """Return what became of the directory itself."""
        try:
            info = self._there.path.lstat()
        except OSError:
            return "the directory itself is gone"
        if not samestat(info, self._info):
            return "the directory itself is another one"
        if info.st_mode != self._info.st_mode:
            return "the directory itself has other rights"
        return None

    def contents(self) -> Files:
        """Return what the regular files hold now, to be compared with later: beyond some bytes, digests."""
        if self._memory is not None:
            return self.files()
        with _bounded():
            return dict(_contents(self._there))

    def change_since(self, before: Files) -> str | None:
        """Return in which file the contents differ from `before`, None if in none."""
        return _first_difference(before, self.contents())

    @property
    def _there(self) -> Folder:
        if self._folder is None:
            raise AssertionError("a place is in memory or has a directory")
        return self._folder


@contextmanager
def _bounded() -> Iterator[None]:
    try:
        yield
    except TooMuch as error:
        raise Misbehaved(f"its directory {error.strerror}") from None


@contextmanager
def _ours() -> Iterator[None]:
    """Say what the runner's own machine has run out of, lest it pass for somebody's failure."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        why = f"the runner's scratch directory cannot hold the case: {error.strerror}"
        raise OSError(error.errno, why, error.filename) from None


def _look(folder: Folder) -> dict[str, _Seen]:
    return {entry.path: _seen(entry) for entry in walk(folder)}


def _seen(entry: TreeEntry) -> _Seen:
    info = entry.info
    leads = ""
    if stat.S_ISLNK(info.st_mode):
        with suppress(OSError):
            leads = entry.folder.link(entry.name)
    elif stat.S_ISBLK(info.st_mode) or stat.S_ISCHR(info.st_mode):
        leads = str(info.st_rdev)
    # The size of a directory is the file system's business.
    size = info.st_size if stat.S_ISREG(info.st_mode) else 0
    owner = (info.st_uid, info.st_gid)
    return _Seen(stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), owner, size, leads)


_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFREG: "a file",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a block device",
    stat.S_IFCHR: "a character device",
}


def _kind(seen: _Seen) -> str:
    return _KINDS.get(seen.kind, "of an unknown kind")


def _other_entries(before: Look, now: Look) -> str | None:
    """Return the first entry that is new, gone, or another one than it was, in the order of names."""
    for path in sorted(before.keys() | now.keys()):
        was, is_ = before.get(path), now.get(path)
        if was is None and is_ is not None:
            return f"{path} is new" + ("" if is_.kind == stat.S_IFREG else f", {_kind(is_)}")
        if is_ is None or was is None:
            return f"{path} is gone"
        if was != is_:
            return _other(path, was, is_)
    return None


def _other(path: str, was: _Seen, is_: _Seen) -> str:
    if was.kind != is_.kind:
        return f"{path} was {_kind(was)} and is {_kind(is_)}"
    if was.leads != is_.leads:
        return f"{path} led to {was.leads!r:.100} and leads to {is_.leads!r:.100}"
    if was.rights != is_.rights:
        return f"{path} had the rights {was.rights:o} and has {is_.rights:o}"
    if was.owner != is_.owner:
        return f"{path} has another owner"
    return f"{path} had {was.size} bytes and has {is_.size}"


def _other_content(original: InputFile, stream: IO[bytes]) -> str | None:
    """Return where a file of the original's length parts from it; neither is held in memory."""
    off = 0
    for piece in original.pieces():
        count = piece if isinstance(piece, int) else len(piece)
        for begin in range(0, count, _PIECE):
            wanted = min(_PIECE, count - begin)
            before = bytes(wanted) if isinstance(piece, int) else piece[begin : begin + wanted]
            after = _exactly(stream, wanted)
            if before != after:
                return _first_change(original.path, before, after, off)
            off += wanted
    return None


def _exactly(stream: IO[bytes], count: int) -> bytes:
    """Return the next `count` bytes, fewer only at the end."""
    parts = []
    while count and (part := stream.read(min(count, _PIECE))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _regular(folder: Folder) -> Iterator[TreeEntry]:
    """Yield the regular files; raises Misbehaved if they are bigger in all than those of any case."""
    left = MAX_BYTES
    for entry in walk(folder):
        if stat.S_ISREG(entry.info.st_mode):
            left -= entry.info.st_size
            if left < 0:
                raise Misbehaved(f"its directory holds files of more than {MAX_BYTES} bytes")
            yield entry


def _contents(folder: Folder) -> Iterator[tuple[str, bytes]]:
    """Yield all contents; a digest where they are too big in all, nothing of what may not be read."""
    left = _KEPT
    for entry in _regular(folder):
        size = entry.info.st_size
        left -= size
        try:
            with entry.folder.read(entry.name) as stream:
                yield entry.path, _exactly(stream, size) if left >= 0 else _digest(stream, size)
        except OSError:
            continue


def _digest(stream: IO[bytes], size: int) -> bytes:
    total = hashlib.sha256(str(size).encode())
    while piece := _exactly(stream, min(size, _PIECE)):
        total.update(piece)
        size -= len(piece)
    return total.digest()


def _first_difference(before: Files, now: Files) -> str | None:
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            return f"{name} is gone"
        if name not in before:
            return f"{name} is new"
        if now[name] != before[name]:
            return _first_change(name, before[name], now[name])
    return None


def _first_change(name: str, before: bytes, after: bytes, start: int = 0) -> str:
    if len(before) != len(after):
        return f"{name} had {start + len(before)} bytes and has {start + len(after)}"
    off = next(index for index, (left, right) in enumerate(zip(before, after, strict=True)) if left != right)
    return f"{name}, offset {start + off}: {before[off]:02x} became {after[off]:02x}"


class Workspace:
    """Where places come from; removes what it made. In memory the last content is kept at hand."""

    def __init__(self, in_memory: bool) -> None:
        """Make a scratch directory unless everything stays `in_memory`."""
        self._in_memory = in_memory
        self._root = None if in_memory else Folder.at(make_scratch())
        self._last: tuple[tuple[InputFile, ...], Files] = ((), {})

    @property
    def root(self) -> Path | None:
        """The scratch directory, None in memory."""
        return None if self._root is None else self._root.path

    @contextmanager
    def place(self, case: Case) -> Iterator[CaseDirectory]:
        """Give a fresh place that holds the input of `case`; it is gone afterwards.

        Raises OSError, which says of a disk or table that is full that it is the runner's.
        """
        files = case.input.files
        if self._in_memory:
            if self._last[0] is not files:
                self._last = files, {file.path: file.content() for file in files}
            yield CaseDirectory(files, self._last[1], None)
            return
        with ExitStack() as stack:
            with _ours():
                root, name = self._new_place()
                stack.callback(_remove, root, name)
                folder = stack.enter_context(root.folder(name))
                place(folder, ((file.path, file.pieces()) for file in files))
            yield CaseDirectory(files, None, folder)

    def close(self) -> None:
        """Remove the scratch directory."""
        if self._root is not None:
            self._root.close()
            drop_scratch(self._root.path)
            self._root = None

    def _new_place(self) -> tuple[Folder, str]:
        """Make a directory of a name that is not guessed; the root anew if somebody has removed it."""
        root = self._root
        if root is None:
            raise AssertionError("closed")
        name = secrets.token_hex(16)
        try:
            root.make(name)
        except FileNotFoundError:
            root.close()
            drop_scratch(root.path)
            root = self._root = Folder.at(make_scratch())
            root.make(name)
        return root, name


def _remove(folder: Folder, name: str) -> None:
    with suppress(OSError):
        folder.remove(name)
