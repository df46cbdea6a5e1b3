"""Tables that tests try row by row: data of theirs, in ``data/*.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


def table(name: str) -> dict[str, Any]:
    """Return a table by its name."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
