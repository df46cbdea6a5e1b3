"""The inputs of `../shared/field`: situations that people reported, each with the right answer."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

FIELD = Path(__file__).resolve().parents[4] / "shared" / "field"


def unpacked(name: str, scratch: Path) -> Path:
    """Return a directory with a copy of a field input; skip the test if the input is missing.

    If the input is one archive, it is unpacked. If the archive contains exactly one directory, this directory
    is returned.
    """
    source = FIELD / name
    if not source.is_dir():
        pytest.skip(f"needs the field inputs beside the checkout: {name}")
    target = scratch / source.name
    target.mkdir()
    for path in sorted(source.rglob("*")):
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                archive.extractall(target, filter="data")
        elif path.is_file():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    inside = list(target.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else target
