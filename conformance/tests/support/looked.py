"""Directories of files for tests of the web page that reads a user's files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from journalspec_corpus import Case, load_cases

CAPTURED = Path(__file__).resolve().parents[3] / "corpus" / "captured"


class Looked(NamedTuple):
    """A directory, the names of its files, and their edition."""

    directory: Path
    names: tuple[str, ...]
    edition: str

    @property
    def files(self) -> list[Path]:
        return [self.directory / name for name in self.names]


def directories(format_id: str, room: Path) -> Iterator[Looked]:
    """Yield captured directories; if there are none, cases of the smoke tier, written into `room`."""
    found = sorted(path.parent for path in (CAPTURED / format_id).rglob("provenance.toml"))
    for directory in found:
        facts = tomllib.loads((directory / "provenance.toml").read_text(encoding="utf-8"))
        yield Looked(directory, tuple(facts["sha256"]), facts["edition"])
    for case in whole_cases(format_id) if not found else ():
        contents = {name: bytes(data) for name, data in case.files().items()}
        for name, data in contents.items():
            path = room / case.id / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield Looked(room / case.id, tuple(contents), case.edition)


def whole_cases(format_id: str) -> list[Case]:
    """Return the cases that need no parameter, and whose records read as `clean`."""
    return [
        case
        for case in load_cases(format_id)
        if not case.params
        and any(
            each["when"] == {"op": "read"} and each.get("verdict") == "clean" and each.get("records")
            for each in case.expect
        )
    ]
