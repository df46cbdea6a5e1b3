"""Writes and reads the tools' own files, and makes text safe for people.

Files are written atomically. An unfinished file has a name that cannot be guessed or mistaken for the result.
If the system allows files without a name, the unfinished file has no name. In that case, a killed process
leaves no file. After an fsync, the finished file replaces the old one. The functions read only regular files,
never beyond a bound. They read compressed files as a stream.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import shutil
import stat
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, Protocol, overload

GZIP_MAGIC = b"\x1f\x8b"
#: The suffix of the name of an unfinished file, on systems where every file needs a name.
PARTIAL = ".partial"
#: The default limit for a file that is read completely, decompressed (bytes).
MAX_BYTES = 1 << 30
_CHUNK = 1 << 16
_DESCRIPTOR = re.compile(r"/dev/std(?P<name>out|err)|(?:/dev|/proc/self)/fd/(?P<number>\d{1,9})")


def no_room(error: OSError) -> bool:
    """Return whether an error means that a disk is full, or that a file exceeds a size limit."""
    return error.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


class Readable(Protocol):
    """A source of bytes that is read sequentially."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`. Return no bytes at the end."""


class Unfit(OSError):
    """A file that cannot be used: not regular, damaged, or too large. `strerror` is the reason."""

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(errno.EINVAL, why, str(path))


def shown(text: str) -> str:
    """Return `text` with control characters, line breaks, and bytes that are not UTF-8 escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@overload
def replacing(path: Path, mode: Literal["w"] = "w") -> AbstractContextManager[IO[str]]: ...
@overload
def replacing(path: Path, mode: Literal["wb"]) -> AbstractContextManager[IO[bytes]]: ...
def replacing(path: Path, mode: str = "w") -> AbstractContextManager[IO[Any]]:
    """Yield a stream (text is UTF-8) whose content becomes `path` when the block ends.

    After an exception, for example because the disk is full, `path` is unchanged and nothing else remains. If
    `path` is a symbolic link, its target is replaced. A pipe or a device, such as ``/dev/stdout``, is written
    directly. Raises OSError for `path`.
    """
    return _replacing(path, mode)


def replace_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8) atomically, see :func:`replacing`."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically, see :func:`replacing`."""
    with replacing(path, "wb") as stream:
        stream.write(data)


@contextmanager
def _replacing(path: Path, mode: str) -> Iterator[IO[Any]]:
    target = Path(os.path.realpath(path))
    number = _open_already(path)
    rights = _rights(target) if number is None else None
    if rights is None:
        try:
            handle = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
            with _stream(handle, mode) as stream:
                yield stream
        except OSError as error:
            raise (_about(error, path) if error.filename is None else error) from None
        return
    try:
        handle, name = _unnamed(target)
    except OSError as error:
        raise _about(error, path) from None
    try:
        with _stream(handle, mode) as stream:
            yield stream
            stream.flush()
            if hasattr(os, "fchmod"):  # Windows has this function since Python 3.13, but with little effect.
                os.fchmod(handle, rights)
            os.fsync(handle)
            name = name or _named(handle, target)
        name.replace(target)
        force_names(target.parent)
    except OSError as error:
        _remove(name)
        raise (_about(error, path) if error.filename in {None, str(name)} else error) from None
    except BaseException:
        _remove(name)
        raise


def refuse_filled(path: Path) -> None:
    """Raise FileExistsError if `path` exists and is not an empty directory."""
    if os.path.lexists(path) and (not path.is_dir() or any(path.iterdir())):
        raise FileExistsError(errno.EEXIST, "exists: choose an empty or new directory", str(path))


@contextmanager
def making(path: Path) -> Iterator[Path]:
    """Yield a new directory, which becomes `path` with its content when the block ends.

    After an exception, no part of the directory remains. Raises FileExistsError if `path` exists and is not
    an empty directory, and OSError that names `path`. An existing empty directory is kept (a process may be
    in it, or it may be a mount point), and gets the entries one by one.
    """
    refuse_filled(path)
    target = Path(os.path.realpath(path))
    there = target.is_dir()
    name = target / _partial(target).name if there else _partial(target)
    moved: list[Path] = []
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        name.mkdir()
        yield name
        for found in (*name.rglob("*"), name):
            force_names(found) if found.is_dir() else force(found)
        if there:
            for entry in sorted(name.iterdir()):
                moved.append(target / entry.name)
                entry.rename(moved[-1])
            name.rmdir()
        else:
            name.rename(target)
        force_names(target if there else target.parent)
    except BaseException as error:
        for place in (*moved, name):
            if place.is_dir():
                shutil.rmtree(place, ignore_errors=True)
            else:
                _remove(place)
        if isinstance(error, OSError) and str(error.filename or name).startswith(str(name)):
            raise _about(error, path) from None
        raise


def _open_already(path: Path) -> int | None:
    """Return the descriptor of this process to which `path` (such as ``/dev/stdout``) refers, else None.

    Such a path leads to a pipe, or to a file that a shell opened. It must be written, not replaced.
    """
    match = _DESCRIPTOR.fullmatch(str(path))
    return None if match is None else int(match["number"] or ("out", "err").index(match["name"]) + 1)


def _rights(target: Path) -> int | None:
    """Return the access rights for a file to be written at `target`, or None if no file is there yet."""
    try:
        found = target.stat().st_mode
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask
    if stat.S_ISDIR(found):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def _unnamed(target: Path) -> tuple[int, Path | None]:
    """Open a new file in the directory of `target`. The file has no name if the system supports that."""
    with suppress(OSError, AttributeError):
        return os.open(target.parent, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o600), None
    name = _partial(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(name, flags, 0o600), name


def _named(handle: int, target: Path) -> Path:
    """Give an unnamed file a name, so that it can be renamed."""
    name = _partial(target)
    # With a directory's descriptor, Python calls linkat(), which follows the link in /proc to the file
    # itself.
    nowhere = os.open(target.parent, os.O_RDONLY)
    try:
        os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=nowhere, follow_symlinks=True)
    finally:
        os.close(nowhere)
    return name


def _partial(target: Path) -> Path:
    return target.with_name(f".{target.name[:64]}.{secrets.token_hex(8)}{PARTIAL}")


def _stream(handle: int, mode: str) -> IO[Any]:
    if "b" in mode:
        return os.fdopen(handle, mode)
    return os.fdopen(handle, mode, encoding="utf-8", newline="\n")


def _remove(name: Path | None) -> None:
    if name is not None:
        with suppress(OSError):
            name.unlink()


def force(path: Path) -> None:
    """Perform an fsync of a file."""
    with path.open("rb" if os.name == "posix" else "r+b") as stream:
        os.fsync(stream.fileno())


def force_names(directory: Path) -> None:
    """Perform an fsync of a directory's entries, if the system supports that."""
    with suppress(OSError, AttributeError):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _about(error: OSError, path: Path) -> OSError:
    """Return a copy of `error` with `path`, because a temporary name means nothing to a user."""
    return type(error)(error.errno, error.strerror, str(path))


@contextmanager
def as_is(path: Path) -> Iterator[IO[bytes]]:
    """Yield a stream of the bytes of a regular file, without decompression; raises as :func:`reading`."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unfit("not a regular file", path)
    with os.fdopen(handle, "rb") as raw:
        yield raw


@contextmanager
def reading(path: Path, limit: int = MAX_BYTES) -> Iterator[IO[bytes]]:
    """Yield a stream of a regular file's content; a gzip file, detected by its first bytes, is decompressed.

    Reading past `limit` bytes of content raises Unfit, as do damaged gzip data. A pipe, a device or a
    directory raises Unfit at once. Other errors raise OSError that names `path`.
    """
    with as_is(path) as raw:
        packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        with io.BufferedReader(_Bounded(raw, path, limit, packed), _CHUNK) as stream:
            yield stream


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file, see :func:`reading`."""
    with reading(path, limit) as stream:
        return stream.read()


class _Bounded(io.RawIOBase):
    """A stream of the content of `raw`, inflated if `packed`, up to `limit` bytes."""

    def __init__(self, raw: IO[bytes], path: Path, limit: int, packed: bool) -> None:
        super().__init__()
        self._chunks = inflated(raw, path) if packed else iter(lambda: raw.read(_CHUNK), b"")
        self._held = memoryview(b"")
        self._path, self._limit, self._seen = path, limit, 0

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Put the next bytes into `buffer` and return the number of bytes."""
        if not self._held:
            self._held = memoryview(next(self._chunks, b""))
        # If a caller requests more bytes than the bound permits, it first receives the content within the
        # bound.
        left = self._limit - self._seen
        if self._held and not left:
            raise Unfit(f"holds more than {self._limit} bytes", self._path)
        count = min(len(buffer), len(self._held), left)
        self._seen += count
        buffer[:count] = self._held[:count]
        self._held = self._held[count:]
        return count


def inflated(raw: Readable, path: Path) -> Iterator[bytes]:
    """Yield the content of all members of a gzip stream in pieces of bounded size; raises Unfit.

    Zeros after the last member, as on tapes, are not damage.
    """
    engine = zlib.decompressobj(wbits=31)
    pending = b""
    while data := pending or raw.read(_CHUNK):
        try:
            if engine.eof:
                if not data.strip(b"\0"):
                    pending = b""
                    continue
                engine = zlib.decompressobj(wbits=31)
            block = engine.decompress(data, _CHUNK)
        except zlib.error as error:
            raise Unfit(f"not a valid gzip file ({error})", path) from None
        pending = engine.unconsumed_tail or engine.unused_data
        if block:
            yield block
    if not engine.eof:
        raise Unfit("the gzip data end early", path)
