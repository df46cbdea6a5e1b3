"""The meaning of the toy's operations: a written note is part of the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Texts:
    """The texts of all notes, in order."""

    def begin(self, state: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the texts of a state."""
        return tuple(state.get("texts", ()))

    def after(self, kept: tuple[str, ...], op: Mapping[str, Any], edition: str) -> tuple[str, ...]:
        """Return the state after one operation."""
        return (*kept, op["text"]) if op["op"] == "note" else kept

    def shown(self, kept: tuple[str, ...]) -> dict[str, Any]:
        """Return the observation that recovery must return."""
        return {"texts": list(kept)}
