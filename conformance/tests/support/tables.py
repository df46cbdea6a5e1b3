"""Tables that tests use row by row: ``data/*.toml``, or ``data/*.txt`` if TOML cannot express the data."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"


def table(name: str) -> dict[str, Any]:
    """Return a table by its name."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def literals(test: str) -> dict[str, list[Any]]:
    """Return the tables of a file beside a test by name; each line after ``== name`` is a Python literal."""
    place, found = Path(test), dict[str, list[Any]]()
    rows: list[Any] = []
    path = place.parent / "data" / f"{place.stem.removeprefix('test_')}.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            rows = found[line[3:]] = []
        elif line and not line.startswith("#"):
            rows.append(ast.literal_eval(line))
    return found
