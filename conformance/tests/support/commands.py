"""Outputs of every command: the rows of ``data/commands.toml``, and how to test a row."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from journals import CAPTURED
from judged import CASES, FAKES, STRANGE, call, harmless
from tables import table

#: The command, the exit status, words of the output, and words that are not in it.
Row = tuple[str, int, str, list[str]]


def typed(given: str = "files") -> pytest.MarkDecorator:
    """Return a decorator that runs the test once for each `row` that needs the files `given`."""
    chosen = [block for block in table("commands")["typed"] if block.get("given", "files") == given]
    found = [row for block in chosen for row in _rows(block)]
    return pytest.mark.parametrize("row", found, ids=lambda row: row[0])


def _rows(block: Mapping[str, Any]) -> Iterator[Row]:
    for begin in block["by"]:
        for words, ends in block["says"].items():
            for end in ends:
                yield f"{begin} {end}".strip(), block.get("status", 2), words, block.get("absent", [])


def tried(row: Row, place: Path, **names: str) -> None:
    """Test a row. `names` replace the words in braces. The test fails if a file below `place` changes."""
    line, status, words, absent = row
    names |= {"place": str(place), "cases": str(CASES), "captured": str(CAPTURED)}
    names |= {"fakes": f"{sys.executable} {FAKES}"}
    names |= {"strange": STRANGE, "strange_line": STRANGE.replace("\n", "")}
    before = sorted(place.rglob("*"))
    done = call(*(part.format(**names) for part in shlex.split(line)), columns=200)
    assert done.exit_code == status, done.output
    # A command writes its own refusal to standard error, but a journal's refusal is the requested result.
    said = done.stderr if status == 2 else done.output
    assert words.format(**names) in " ".join(harmless(said).split())
    assert status != 0 or done.stderr == ""
    for never in ("Traceback", "fault of journalspec", *absent):
        assert never not in done.output
    assert sorted(place.rglob("*")) == before
