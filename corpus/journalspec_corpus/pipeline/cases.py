"""Published cases: reading those of a core build, and copying whole tiers. Needs nothing that builds them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from journalspec.formats import get_format
from journalspec_corpus.case import Case, CaseError, write_files
from journalspec_corpus.load import Intake

#: The cases of a core build: JSON lines, see :class:`journalspec_corpus.load.Shared`.
CASES = "cases.jsonl.gz"


def read_cases(directory: Path) -> Iterator[Case]:
    """Yield the cases of a core build; raises OSError or CaseError."""
    for case in Intake().file(directory / CASES):
        if case.fault:
            raise CaseError(case.fault)
        yield case


def copy_tier(tier: str, out: Path, formats: Sequence[str]) -> list[dict[str, Any]]:
    """Copy the published cases of `tier` to ``out/<format>/<tier>.jsonl``; return what was copied.

    Each entry has format, file, cases and sha256. Raises UnknownFormat for a
    format that is not described and FileExistsError rather than overwrite; no link in `out` is followed.
    """
    copied = []
    for name in formats:
        get_format(name)
        source = files("journalspec_corpus").joinpath("published", name, f"{tier}.jsonl")
        if not source.is_file():
            continue
        data = source.read_bytes()
        path = f"{name}/{tier}.jsonl"
        out.mkdir(parents=True, exist_ok=True)
        write_files(out, [(path, [data])])
        copied.append(
            {
                "format": name,
                "file": str(out / path),
                "cases": data.count(b"\n"),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        )
    return copied
