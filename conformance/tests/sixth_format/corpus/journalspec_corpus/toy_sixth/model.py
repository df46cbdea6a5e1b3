"""What the toy's operations mean: a note that was written is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Texts:
    """The texts of all notes, in order."""

    def begin(self, state: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the texts of a state."""
        return tuple(state.get("texts", ()))

    def after(self, kept: tuple[str, ...], op: Mapping[str, Any], edition: str) -> tuple[str, ...]:
        """Return what there is after one operation."""
        return (*kept, op["text"]) if op["op"] == "note" else kept

    def shown(self, kept: tuple[str, ...]) -> dict[str, Any]:
        """Return what recovery must report."""
        return {"texts": list(kept)}
