"""Archives and standard input as paths. They are unpacked into a temporary directory, up to a size limit."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import stat
import struct
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from journalspec.files import GZIP_MAGIC, shown
from journalspec.formats import format_ids, get_format
from journalspec_reference.answers import ask
from journalspec_reference.api import load
from journalspec_reference.filesets import FilesetError, Journal
from journalspec_reference.newstore import locked

#: The endings of the names of archives.
ENDINGS = (".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz", ".zip")
#: Prefixes of the directories into which archives are unpacked: one before the directory is locked, one
#: after.
NEW, UNPACKED = "journalspec-", "journalspec-unpacked-"
#: The largest number of entries of an archive. An archive with more entries cannot be a store.
MOST_ENTRIES = 100_000
#: The deepest nesting of an entry, and the longest component of its path (bytes). File systems have the same
#: limit for a component.
MOST_DEEP, LONGEST_NAME = 64, 255
#: Bytes that are copied at a time, and the longest header. Some versions of Python need time quadratic in the
#: length of a header.
PIECE = 1 << 14
#: This many bytes of standard input are read to detect its type.
BEGIN = 1 << 20
_OPENERS: Mapping[bytes, Callable[..., Any]] = {
    GZIP_MAGIC: gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
#: The exceptions of Python's modules for broken archives, including undecodable names and numbers out of
#: range.
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    ValueError,
)


def is_archive(path: Path) -> bool:
    """Return whether a path is a file whose name ends like that of an archive."""
    return path.name.lower().endswith(ENDINGS) and path.is_file()


@contextmanager
def place_to_unpack() -> Iterator[Path]:
    """Provide a temporary directory for unpacked archives, after removing the directories of killed runs."""
    for left in Path(tempfile.gettempdir()).glob(f"{UNPACKED}*"):
        with suppress(OSError), locked(left) as alone:  # This fails if another process has locked it.
            if alone:
                shutil.rmtree(left)
    new = Path(tempfile.mkdtemp(prefix=NEW))
    with locked(new):
        # Other processes remove unlocked directories with the prefix UNPACKED: so the directory receives that
        # name only after it is locked.
        into = new.rename(new.with_name(f"{UNPACKED}{new.name.removeprefix(NEW)}"))
        try:
            yield into
        finally:
            shutil.rmtree(into, ignore_errors=True)


class _Bounded:
    """A stream that refuses to be read beyond the size that an archive with its headers may have."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._most = stream, most

    def read(self, size: int) -> bytes:
        # Only headers are read in one piece; a longer header would have to be kept in memory.
        if size > PIECE:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        self._check(self._stream.tell() + size)
        found: bytes = self._stream.read(size)
        return found

    def seek(self, at: int) -> int:
        self._check(at)
        return int(self._stream.seek(at))

    def tell(self) -> int:
        return int(self._stream.tell())

    def _check(self, end: int) -> None:
        # Headers and padding are counted here, but not in the limit for the content of the entries, so allow
        # more bytes.
        if end > 2 * self._most + (64 << 20):
            raise _too_much(self._most)


def _too_much(limit: int) -> FilesetError:
    return FilesetError(
        f"it unpacks to more than {limit >> 20:,} MiB; nothing of it was read",
        "unpack it yourself and give the path of the result, or allow more: --unpack-limit MIB",
    )


def unpack(path: Path, into: Path, limit: int) -> None:
    """Unpack the archive at `path`; raises FilesetError if it is broken or unsafe.

    All its entries together may contain at most `limit` bytes. Links, devices, absolute names, names with
    ``..`` and two entries with the same name are refused.
    """
    left = limit
    with _told_if_broken():
        for number, (name, entry) in enumerate(_entries(path, limit)):
            if number == MOST_ENTRIES:
                raise FilesetError(f"it has more than {MOST_ENTRIES:,} entries; the archive was not read")
            target = into.joinpath(*_checked(name))
            if entry is None:
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as written, entry:
                while data := entry.read(PIECE):
                    left -= len(data)
                    if left < 0:
                        raise _too_much(limit)
                    written.write(data)


@contextmanager
def _told_if_broken() -> Iterator[None]:
    """Turn the exceptions for broken archives into a FilesetError."""
    try:
        yield
    except _BROKEN as error:
        raise FilesetError(f"the archive is broken: {error}", "look for another copy of it") from None
    except FileExistsError as error:
        raise FilesetError(
            f"two entries have the name {Path(error.filename).name!r}; nothing was read"
        ) from None


def _entries(path: Path, limit: int) -> Iterator[tuple[str, IO[bytes] | None]]:
    """Yield the name and the content of each entry, None for a directory; raises FilesetError for links."""
    if _is_zip(path):
        with zipfile.ZipFile(path) as packed:
            for info in packed.infolist():
                mode = info.external_attr >> 16
                if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise _no_file(info.filename)
                yield info.filename, None if info.is_dir() else packed.open(info)
        return
    with _opened(path) as stream:
        bounded = cast(IO[bytes], _Bounded(stream, limit))
        archive = tarfile.open(fileobj=bounded, mode="r:")  # noqa: SIM115  # it opens no file of its own
        for member in archive:
            if not (member.isreg() or member.isdir()):
                raise _no_file(member.name)
            yield member.name, archive.extractfile(member)


def _no_file(name: str) -> FilesetError:
    text = f"its entry {shown(name)!r} is a link or a device, not allowed here; the archive was not read"
    return FilesetError(text, "unpack it yourself, check its content, and give the path of the result")


def _checked(name: str) -> tuple[str, ...]:
    """Return the parts of an entry's name; raises FilesetError for one that leads out of the archive."""
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or any(each in name for each in "\\:\0") or not name:
        text = f"its entry {shown(name)!r} has a path outside the archive; the archive was not read"
        raise FilesetError(text, "such an archive may be an attack: do not unpack it")
    if len(parts) > MOST_DEEP or any(len(os.fsencode(part)) > LONGEST_NAME for part in parts):
        raise FilesetError(
            f"its entry {shown(name[:LONGEST_NAME])!r}... has too long a name; the archive was not read"
        )
    return tuple(part for part in parts if part != ".")


def from_standard_input(into: Path, limit: int, format_id: str | None) -> None:
    """Write standard input into a directory: an unpacked archive, or the one file of a journal.

    Raises FilesetError if the input is too large, or is neither an archive nor a file of a journal.
    """
    path, left = into / "standard-input", limit
    with path.open("xb") as written:
        while data := sys.stdin.buffer.read(PIECE):
            left -= len(data)
            if left < 0:
                raise _too_much(limit)
            written.write(data)
    with path.open("rb") as begin:
        head = begin.read(6)
    if _is_zip(path) or _is_tar(path):
        unpack(path, into, limit)
        path.unlink()
        return
    packed = ".gz" if head.startswith(GZIP_MAGIC) else ""
    opener = gzip.open if packed else open
    with _told_if_broken(), opener(path, "rb") as stream:
        begins = stream.read(BEGIN)
    name = get_format(format_id).alone if format_id else max(_named(begins), default=(0, ""))[1]
    if not name:
        known = ", ".join(each for each in format_ids() if get_format(each).alone)
        raise FilesetError(
            f"standard input is neither an archive nor a journal of one file ({known})",
            "give the path of the directory; or name the format with --format",
        )
    path.rename(into / (name + packed))


def _named(begins: bytes) -> Iterator[tuple[int, str]]:
    """For each format that recognises this content, yield the number of records and the file's name."""
    for each in format_ids():
        alone = get_format(each).alone
        for claim in load(each).detect({alone: begins}) if alone else ():
            journal = Journal(
                each, claim.edition, {alone: begins}, editions=claim.editions, params=claim.params
            )
            with suppress(FilesetError):
                if count := len(ask(journal).observation.records):
                    yield count, alone


def _is_zip(path: Path) -> bool:
    """Return whether a file begins as a zip archive.

    The end of the file is not checked, because any file may have an archive appended.
    """
    with path.open("rb") as begin:
        return begin.read(2) == b"PK" and zipfile.is_zipfile(path)


def _is_tar(path: Path) -> bool:
    """Return whether a file begins as a tar archive, compressed or not; only its beginning is read."""
    try:
        with _opened(path) as stream:
            tarfile.TarInfo.frombuf(stream.read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
    except _BROKEN:
        return False
    return True


def _opened(path: Path) -> Any:
    """Return a stream of the decompressed content of a file."""
    with path.open("rb") as begin:
        head = begin.read(6)
    opener = next((each for magic, each in _OPENERS.items() if head.startswith(magic)), open)
    return opener(path, "rb")
