"""Journals in object stores and distributed file systems. The files are read through ``pyarrow.fs``.

The module writes nothing to these systems. A path is a URI that ``pyarrow.fs.FileSystem.from_uri`` accepts:
``s3://``, ``gs://``, ``abfss://``, ``hdfs://``; Hadoop's ``s3a://`` means ``s3://``.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from posixpath import dirname
from typing import Any

from pyarrow import ArrowException, fs

from journalspec_reference.content import RawFile
from journalspec_reference.filesets import FilesetError, Loaded, loaded_elsewhere, patterns


def is_remote(path: str) -> bool:
    """Return whether a path is a URI of a file system other than this machine's."""
    scheme, found, _ = path.partition("://")
    return bool(found) and scheme != "file"


class RemoteFile(RawFile):
    """A file of another file system. Its holes are unknown."""

    __slots__ = ("_info", "_stream", "_where", "size")

    def __init__(self, where: fs.FileSystem, info: fs.FileInfo) -> None:
        self._where, self._info = where, info
        self.size = int(info.size)
        self._stream: Any = None

    def read(self, off: int, size: int) -> bytes:
        """Return up to `size` bytes from `off` on; raises OSError."""
        if self._stream is None:
            self._stream = self._where.open_input_file(self._info.path)
        return bytes(self._stream.read_at(max(0, min(size, self.size - off)), off))

    def changed(self) -> bool:
        """Return whether the length of the file, or the time of its last change, has changed."""
        (now,) = self._where.get_file_info([self._info.path])
        return (now.size, now.mtime_ns) != (self._info.size, self._info.mtime_ns)


def load_below(uri: str) -> Iterator[tuple[str, Loaded]]:
    """Yield each directory with files at or below a URI, and its files; raises FilesetError.

    The files of a directory include those that some formats have in its subdirectories.
    """
    plain = "s3" + uri.removeprefix("s3a") if uri.startswith("s3a://") else uri
    bare, _, query = plain.partition("?")
    try:
        where, inner = fs.FileSystem.from_uri(plain)
        found = where.get_file_info(fs.FileSelector(inner, recursive=True, allow_not_found=False))
    except (OSError, ArrowException) as error:
        text = str(error).splitlines()[0]
        raise FilesetError(
            f"cannot list {uri!r}: {text}", "check the spelling, and what you may read"
        ) from None
    root = inner.rstrip("/")
    files: dict[str, list[fs.FileInfo]] = {}
    for info in sorted(found, key=lambda info: info.path):
        if info.is_file:
            files.setdefault(dirname(info.path), []).append(info)
    inside = [(place, pattern) for place, pattern in patterns() if not place.startswith("..")]
    for directory in sorted({*files, *map(dirname, files)}):
        if not f"{directory}/".startswith(f"{root}/"):
            continue
        disks: dict[str, RawFile] = {
            info.base_name: RemoteFile(where, info) for info in files.get(directory, ())
        }
        for place, pattern in inside:
            for info in files.get(f"{directory}/{place}", ()):
                if fnmatchcase(info.base_name, pattern):
                    disks[f"{place}/{info.base_name}"] = RemoteFile(where, info)
        below = directory[len(root) :]
        yield bare.rstrip("/") + below + (f"?{query}" if query else ""), loaded_elsewhere(directory, disks)
