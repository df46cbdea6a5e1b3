"""What the schemas make of every case: they take what the reference calls clean, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from journalspec.formats import format_ids, get_format
from journalspec.observation import CLEAN, Observation
from journalspec.schemas import KINDS, SchemaError, schema
from journalspec_corpus import Case, load_cases
from journalspec_reference import load


def read_cases() -> Iterator[Any]:
    for format_id in format_ids():
        if not all(find_spec(f"journalspec.{format_id}.{module}") for module in KINDS.values()):
            continue
        cases = [case for case in load_cases(format_id) if case.write is None]
        yield pytest.param(format_id, cases, id=format_id)


def told(seen: Observation, format_id: str) -> dict[str, Any]:
    """Return what the two have to agree on; a schema searches nothing outside the log and misses no file."""
    known = get_format(format_id).vocabulary.notes
    unseen = {code for code, entry in known.items() if entry.loss or code == "unanchored"}
    return {
        "records": tuple(seen.records),
        "state": seen.state,
        "files": {
            entry.file: entry.header for entry in seen.files if entry.role not in ("control", "invalid")
        },
        "notes": [(note.code, note.file, note.off) for note in seen.notes if note.code not in unseen],
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("format_id", "cases"), list(read_cases()))
def test_a_schema_takes_what_is_clean_and_nothing_else(format_id: str, cases: list[Case], kind: str) -> None:
    reference = load(format_id)
    taken = 0
    for case in cases:
        files = case.files()
        wanted = reference.read(files, edition=case.edition, params=case.params)
        if wanted.verdict != CLEAN:
            with pytest.raises(SchemaError):
                schema(format_id, kind).parse(files, case.edition, case.params)
            continue
        seen = schema(format_id, kind).parse(files, case.edition, case.params)
        assert told(seen, format_id) == told(wanted, format_id), case.id
        taken += 1
    assert 0 < taken < len(cases)
