"""The schemas of formats: the data of ``.ksy`` files for diagrams, field tables and enum tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.formats import Format
from journalspec_docs import alternatives, diagram, hexdump, sources
from journalspec_reference.api import load

ENDIAN = {"be": "big-endian", "le": "little-endian"}
#: The facts about a field in a table, in addition to its text: (label, attribute).
MEANINGS = (
    ("Value:", "value"),
    ("Allowed:", "allowed"),
    ("Enum:", "enum"),
    ("Repeated:", "repeat"),
    ("Only if", "condition"),
    ("In the product:", "original"),
)


def drawn(format_id: str, name: str) -> str:
    """Return the fields of a type as a grid of bytes. If the type has alternatives, return a grid of each."""
    schema, kind = sources.shown_type(format_id, name)
    several = alternatives.of_type(format_id, schema, kind)
    return diagram.sides(several) if several else diagram.figure(kind)


def example_dump(format_id: str, schema: str, kind: str) -> str:
    """Return the bytes of one structure of this type from a clean case."""
    case, file, span = sources.examples(format_id)[schema, kind]
    own = [each for each in load(format_id).spans(case.files(), edition=case.edition) if each.file == file]
    return hexdump.fields_html(case.files()[file], own, sources.roles_of(format_id), only=span)


#: Maps the type of a message's field to description, wire type, default; all other types are messages.
HELD = {
    "s4": ("a signed number of 32 bits", 0, "0"),
    "s8": ("a signed number of 64 bits", 0, "0"),
    "bool": ("true or false", 0, "false"),
    "str": ("a text", 2, "empty"),
    "bytes": ("bytes", 2, "empty"),
}


def message_fields(format_: Format) -> Iterator[tuple[str, int, str, str, str, str]]:
    """Yield the cells of the row for each field of the messages of ``commands.toml``."""
    left_out = {
        (kind, item.name) for item in format_.vocabulary.fields if item.optional for kind in item.types
    }
    for name, fields in _table(format_, "commands")["message"].items():
        for row in fields:
            about, wire, missing = HELD.get(row["holds"], (f"the message {row['holds']}", 2, "an empty one"))
            missing = str(row.get("default", missing)).lower()
            if (name, row["name"]) in left_out:
                missing = "not told"
            yield name, row["number"], f"{row['number'] << 3 | wire:02x}", row["name"], about, missing


#: Maps the type of an operation's field to its description; all other types are objects or lists.
STORED = {
    "cint": "a compressed int",
    "clong": "a compressed long",
    "utf": "two bytes of length, and modified UTF-8",
}


def _table(format_: Format, name: str) -> Mapping[str, Any]:
    return tomllib.loads((sources.room(format_.id) / f"{name}.toml").read_text(encoding="utf-8"))


def operations_of(format_: Format) -> Mapping[str, Any]:
    """Return the table ``operations.toml`` of a format."""
    return _table(format_, "operations")


def _element(item: Mapping[str, Any]) -> str:
    return f"the object {item['of']}" if "of" in item else str(item["type"])


def operation_fields(format_: Format) -> Iterator[tuple[int, str, str, str]]:
    """Yield the cells of the row for each field of the operations and objects of ``operations.toml``."""
    told = operations_of(format_)
    for entry in (*told["operation"], *told["object"]):
        parts = [row for name in entry.get("begins", ()) for row in told["part"][name]]
        for row in (*parts, *entry["fields"]) or ({"name": "", "type": "nothing"},):
            held = STORED.get(row["type"], row["type"])
            if row["type"] == "bytes":
                held = f"as many bytes as {row['length']} says"
            elif row["type"] == "object":
                held = f"the object {row['of']}" + (", or 0" if row.get("null") else " (not 0)")
            elif row["type"] == "list":
                each = ", ".join(f"{item['name']} ({_element(item)})" for item in row["of"])
                held = f"as many as {row['count']} says: {each}"
            if "when" in row:
                held += f"; only if {row['when'][0]} is {row['when'][1]}"
            yield entry["id"], entry["name"], row["name"], held
