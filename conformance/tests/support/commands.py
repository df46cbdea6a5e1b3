"""What every command refuses: the rows of ``data/refusals.toml``, and how one of them is tried."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from judged import CASES, call
from tables import table


def refusals(given: str = "files") -> pytest.MarkDecorator:
    """Return what gives a test each refusal that takes `given` for granted, as `refusal`."""
    chosen = [block for block in table("refusals")["refused"] if block.get("given", "files") == given]
    found = [row for block in chosen for row in _rows(block)]
    return pytest.mark.parametrize("refusal", found, ids=lambda row: row[0])


def _rows(block: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Yield (what is typed, the exit status, words of the refusal)."""
    for begin in block["by"]:
        for words, ends in block["says"].items():
            yield from ((f"{begin} {end}".strip(), block.get("status", 2), words) for end in ends)


def refuses(refusal: tuple[str, int, str], place: Path, **names: str) -> None:
    """Try a refusal; `names` are what stands in braces, and nothing below `place` may change."""
    line, status, words = refusal
    names |= {"place": str(place), "cases": str(CASES)}
    names |= {"fakes": f"{sys.executable} -m journalspec_conformance.fakes"}
    before = sorted(place.rglob("*"))
    done = call(*(part.format(**names) for part in shlex.split(line)), columns=200)
    assert done.exit_code == status, done.output
    # A refusal of a command goes to standard error; that a journal is refused is what was asked for.
    assert words.format(**names) in (done.stderr if status == 2 else done.output)
    assert "Traceback" not in done.output
    assert "fault of journalspec" not in done.output
    assert sorted(place.rglob("*")) == before
