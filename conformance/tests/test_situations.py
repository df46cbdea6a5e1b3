"""Output of commands on stores with missing, damaged or renamed files, one row for each situation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judged import has
from situations import changed, rows, said, store


def stamps(place: Path) -> dict[Path, tuple[int, int]]:
    """Return length and modification time of each file below a directory."""
    return {path: (path.lstat().st_size, path.lstat().st_mtime_ns) for path in [place, *place.rglob("*")]}


@pytest.mark.parametrize(
    ("name", "changes", "row"),
    [
        pytest.param(*row, id=f"{row[0]}: {row[1]}", marks=[pytest.mark.real] if "shared/" in row[0] else [])
        for row in rows()
    ],
)
def test_command_prints_the_texts_that_the_table_lists_for_a_situation(
    name: str, changes: str, row: Mapping[str, Any], tmp_path: Path
) -> None:
    place = store(name, tmp_path)
    changed(place, changes)
    before = stamps(place)
    for asked in row["asked"]:
        status, text = said(asked["command"], place=str(place), new=str(tmp_path / "new"))
        allowed = asked["status"] if isinstance(asked["status"], list) else [asked["status"]]
        assert status in allowed, text
        has(text, *(words.format(place=place) for words in asked.get("there", ())))
        assert [words for words in asked.get("absent", ()) if words in text] == []
    assert stamps(place) == before, "the command changed a file"
