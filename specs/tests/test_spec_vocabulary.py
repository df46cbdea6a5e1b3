"""A wrong ``fields.toml`` is reported with its place, and each name is defined in one place."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from journalspec import formats
from journalspec.vocabulary import parse

EDITIONS = ("a", "b")
FIELD = '[[field]]\nname = "id"\ntype = "int"\nwidth = "s8"\ndoc = "An id."\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[fields]\nx = "y"', "fields.toml: unknown key 'fields'"),
        (FIELD + 'unit = "m"', "field.id: unknown key 'unit'"),
        (FIELD + 'editions = ["c"]', "field.id.editions: 'c' is none of a, b"),
        (FIELD + 'types = ["ADD"]', "field.id.types: 'ADD' is none of "),
        (FIELD.replace("int", "number"), "field.id: type 'number' is none of int, bytes"),
        (FIELD.replace('width = "s8"', ""), "field.id: an int needs a width"),
        (FIELD.replace("s8", "s3"), "field.id: width 's3' is none of s1, s2"),
        (FIELD + "range = [2, 1]", "field.id: the range [2, 1] is empty"),
        (FIELD + 'range = "1..2"', "field.id: the range '1..2' is no [lowest, highest]"),
        (FIELD + "range = [1]", "field.id: the range [1] is no [lowest, highest]"),
        (FIELD.replace("An id.", ""), "field.id: 'name' and 'doc' are needed"),
        ('[[state]]\nname = "live"\ntype = "list"\ndoc = "All."', "state.live: a list needs 'of'"),
        ('[codes]\nx = { phase = "early", doc = "d" }', "codes.x: phase 'early' is none of fileset"),
        ("[notes]\nx = { off = '4' }", "notes.x: 'doc' is missing"),
        ("[notes]\nx = { doc = 'd', ops = ['look'] }", "notes.x.ops: 'look' is none of read, recover, write"),
    ],
)
def test_faults_of_a_table_are_reported(text: str, said: str) -> None:
    with pytest.raises(ValueError, match="^" + said.replace("[", r"\[").replace("]", r"\]")):
        parse(tomllib.loads(text), EDITIONS)


def test_element_may_have_the_form_of_another_list() -> None:
    number = '{ name = "id", type = "int", width = "s8", doc = "An id." }'
    nested = '{ name = "records", type = "list", like = "live", doc = "Which." }'
    live, held = ("live", number), ("held", nested)
    lists = [f'name = "{name}"\ntype = "list"\ndoc = "All."\nof = [{of}]' for name, of in (live, held)]
    text = "".join(f"[[state]]\n{each}\n" for each in lists)
    table = parse(tomllib.loads(text), EDITIONS)
    (inner,) = table.state[1].of
    assert inner.of == table.state[0].of


def test_table_in_the_wrong_file_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "_IN_FIELDS", frozenset({"policies"}))
    formats.get_format.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"format\.toml: \[policies\] belongs into the fields\.toml"):
            formats.get_format(formats.format_ids()[0])
    finally:
        monkeypatch.undo()
        formats.get_format.cache_clear()


def fields_of(kind: dict[str, Any]) -> Iterator[str]:
    """Yield the ids of all stored fields and parameters of a schema's type, and of the types within it."""
    yield from (item["id"] for item in (*kind.get("seq", ()), *kind.get("params", ())))
    for inner in kind.get("types", {}).values():
        yield from fields_of(inner)


@pytest.mark.parametrize("format_id", formats.format_ids())
def test_schemas_and_observations_use_one_name_for_one_field(format_id: str) -> None:
    """Every field of a schema is either observed or belongs to the frame of a record.

    Every observed name is a field of a schema, an optional name, or a flag.
    """
    table, stored = formats.get_format(format_id).vocabulary, set[str]()
    for path in sorted(Path(str(formats.get_format(format_id).root)).glob("*.ksy")):
        stored |= {*fields_of(yaml.safe_load(path.read_text(encoding="utf-8")))}
    told = [*table.fields, *table.header]
    observed = {item.name for item in told} | {part.name for item in table.fields for part in item.of}
    assert stored - observed - set(table.framing) == set()
    assert observed & set(table.framing) == set()
    assert {item.name for item in told if not item.optional and item.kind != "bool"} - stored == set()
