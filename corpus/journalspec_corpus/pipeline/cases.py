"""Reading the cases of a core build. Needs nothing that builds one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from journalspec_corpus.case import Case, CaseError, InputFile

CASES, BASES = "cases.jsonl.gz", "bases.jsonl.gz"


def read_cases(directory: Path) -> Iterator[Case]:
    """Yield the cases of a core build, inputs put together; raises OSError or CaseError."""
    with gzip.open(directory / BASES, "rt", encoding="utf-8") as stream:
        bases = {}
        for line in stream:
            entry = json.loads(line)
            bases[entry["base"]] = {name: bytes.fromhex(text) for name, text in entry["files"].items()}
    with gzip.open(directory / CASES, "rt", encoding="utf-8") as stream:
        for line in stream:
            case = json.loads(line)
            try:
                yield Case.from_json(expanded(case, bases))
            except KeyError as error:
                raise CaseError(f"{case.get('id')}: no base {error.args[0]!r} in {BASES}") from None


def expanded(case: Mapping[str, Any], bases: Mapping[str, Mapping[str, bytes]]) -> dict[str, Any]:
    """Return the published form of a case whose input is given by base and deltas."""
    given = case["input"]
    base = bases[given["base"]]
    files = {
        name: bytearray(base.get(name, b"")[: int(size)].ljust(int(size), b"\0"))
        for name, size in given["files"]
    }
    for name, off, text in given["deltas"]:
        data = bytes.fromhex(text)
        files[name][int(off) : int(off) + len(data)] = data
    return {**case, "input": {"files": [_plain(name, bytes(data)) for name, data in sorted(files.items())]}}


def _plain(name: str, data: bytes) -> dict[str, Any]:
    """Return a file as one extent up to its last byte that is not zero: quick rather than short."""
    content = data.rstrip(b"\0")
    extents = ((0, content),) if content else ()
    return InputFile(name, len(data), 0, extents).to_json()
