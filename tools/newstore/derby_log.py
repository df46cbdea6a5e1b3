"""What trials of new Derby databases damage, and compare: the rows of all tables, but for where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec_reference.answers import Answer
from journalspec_reference.contents import as_json, contents, with_state

_DATA = Path(__file__).resolve().parents[2] / "reference_impl" / "tests" / "data"


def stores() -> Iterator[Path]:
    """Yield databases with rows of each type."""
    yield _DATA / "derby_contents.tar.gz"


def live(answer: Answer) -> Any:
    """Return the rows of all tables."""
    found = contents(with_state(answer))
    rows = as_json(found) if found is not None else {}
    rows.pop("remarks", None)
    return rows


def exported(place: Path) -> bool:
    """Return whether there is only a script that makes the tables."""
    return [path.name for path in place.iterdir()] == ["rows.sql"]
