"""Rows of TOML tables, as the members of frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def members(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a row: lists as tuples, and texts without blanks around them."""
    return {name: _frozen(value) for name, value in row.items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip()
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
