"""Expensive input files for readers: a module for each format, with a function ``hostile``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec


def hostile(format_id: str, edition: str, size: int) -> Mapping[str, Mapping[str, bytes]]:
    """For each name, return expensive files of about `size` bytes. A format without a module has no names."""
    if find_spec(f"{__name__}.{format_id}") is None:
        return {}
    found: Mapping[str, Mapping[str, bytes]] = import_module(f"{__name__}.{format_id}").hostile(edition, size)
    return found


def repeated(piece: bytes, size: int) -> bytes:
    """Return `piece` as often as it fits into `size` bytes, but at least once."""
    return piece * max(1, size // len(piece))
