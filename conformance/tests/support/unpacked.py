"""Stores for tests: from an archive, or from files that are compressed one by one."""

from __future__ import annotations

import gzip
import shutil
import tarfile
from pathlib import Path


def unpacked(archive: Path, to: Path) -> Path:
    """Unpack an archive; return the directory."""
    with tarfile.open(archive) as packed:
        packed.extractall(to, filter="data")
    return to


def copied(source: Path, to: Path) -> Path:
    """Copy a store whose files may be compressed one by one; return the directory."""
    for path in (path for path in source.rglob("*") if path.is_file()):
        place = to / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gz":
            place.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copy(path, place)
    return to
