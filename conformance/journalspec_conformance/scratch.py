"""A fresh place for every question: a directory on disk, or a mapping in memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from journalspec.kept import drop_scratch, make_scratch
from journalspec_corpus import Case

Files = Mapping[str, bytes]


class Place:
    """The files of one request. `request_members` go into the request."""

    def __init__(self, original: Files, directory: Path | None) -> None:
        """Describe a place that holds `original`, in memory if there is no `directory`."""
        self.original = original
        self.directory = directory
        self._memory: dict[str, bytes] | None = dict(original) if directory is None else None

    def request_members(self) -> dict[str, object]:
        """Return ``dir``, and in memory mode ``files``: a mutable mapping that *is* the directory."""
        if self._memory is not None:
            return {"dir": "", "files": self._memory}
        return {"dir": str(self.directory)}

    def files(self) -> dict[str, bytes]:
        """Return what is there now: path below the directory -> content."""
        if self._memory is not None:
            return {name: bytes(data) for name, data in self._memory.items()}
        if self.directory is None:
            raise AssertionError("a place is in memory or has a directory")
        found = sorted(path for path in self.directory.rglob("*") if path.is_file())
        return {path.relative_to(self.directory).as_posix(): path.read_bytes() for path in found}

    def change(self, before: Files | None = None) -> str | None:
        """Return what differs from `before` (default: the original), None if nothing."""
        reference = self.original if before is None else before
        if self._memory is not None and self._memory == reference:
            return None
        now = self.files()
        for name in sorted(reference.keys() | now.keys()):
            if name not in now:
                return f"{name} is gone"
            if name not in reference:
                return f"{name} is new"
            if now[name] != reference[name]:
                return _first_change(name, reference[name], now[name])
        return None


def _first_change(name: str, before: bytes, after: bytes) -> str:
    if len(before) != len(after):
        return f"{name} had {len(before)} bytes and has {len(after)}"
    off = next(index for index, (left, right) in enumerate(zip(before, after, strict=True)) if left != right)
    return f"{name}, offset {off}: {before[off]:02x} became {after[off]:02x}"


class Workspace:
    """Where places come from; removes what it made. The content of the last case is kept at hand."""

    def __init__(self, in_memory: bool) -> None:
        """Make a scratch directory unless everything stays `in_memory`."""
        self._root = None if in_memory else make_scratch()
        self._count = 0
        self._case: Case | None = None
        self._files: dict[str, bytes] = {}

    @contextmanager
    def place(self, case: Case) -> Iterator[Place]:
        """Yield a fresh place that holds the input of `case`; it is gone afterwards."""
        if self._case is not case:
            self._case, self._files = case, case.files()
        if self._root is None:
            yield Place(self._files, None)
            return
        self._count += 1
        directory = self._root / str(self._count)
        case.materialize(directory)
        try:
            yield Place(self._files, directory)
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def close(self) -> None:
        """Remove the scratch directory."""
        if self._root is not None:
            drop_scratch(self._root)
