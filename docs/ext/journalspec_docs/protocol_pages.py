"""The protocol's messages, from their JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_docs import markup, sources

Schema = Mapping[str, Any]


class ProtocolMessages(SphinxDirective):
    """``{protocol-messages}``: a section per schema with its members and the schema itself."""

    #: The schema whose section a reference within a schema leads to.
    home = "common"

    def run(self) -> list[nodes.Node]:
        """Return the sections in the order of the file names."""
        found = sources.protocol_schemas()
        if not found:
            raise self.error(f"{self.name}: no schemas are shipped")
        return [self._section(name.partition(".")[0], schema) for name, schema in found.items()]

    def _section(self, name: str, schema: Schema) -> nodes.section:
        title = str(schema.get("title", ""))
        part = markup.section([markup.literal(name)], f"schema-{name}")
        if title:
            part += markup.paragraph(title[:1].upper() + title[1:] + ".")
        if "description" in schema:
            part += markup.paragraph(str(schema["description"]))
        definitions = schema.get("$defs", {})
        rows = list(members(schema))
        if rows:
            part += markup.table(("Member", "Type", "", "Meaning"), [self._row(*row) for row in rows])
        if definitions:
            part += markup.table(
                ("Definition", "Type", "Meaning"),
                [
                    (markup.literal(path), self._kind(value), str(value.get("description", "")))
                    for path, value in _defined(definitions)
                ],
            )
        text = json.dumps(schema, indent=1)
        part += markup.raw("<details class='jspec-details'><summary>JSON Schema</summary>")
        part += nodes.literal_block(text, text, language="json")
        part += markup.raw("</details>")
        return part

    def _row(self, path: str, schema: Schema, required: bool) -> tuple[markup.Cell, ...]:
        need = "required" if required else "optional"
        return markup.literal(path), self._kind(schema), need, str(schema.get("description", ""))

    def _kind(self, schema: Schema) -> list[nodes.Node]:
        if "$ref" in schema:
            target = str(schema["$ref"])
            name = target.rpartition(":")[2].partition("#")[0] or self.home
            label = target.rpartition("/")[2] if "#" in target else name
            return [nodes.reference("", "", markup.literal(label), refid=f"schema-{name}")]
        return [nodes.Text(kind_text(schema))]


class CaseSchema(ProtocolMessages):
    """``{case-schema}``: the members of a published case, and the schema itself."""

    home = "case"

    def run(self) -> list[nodes.Node]:
        """Return the one section."""
        return [self._section(self.home, sources.case_schema())]


def _defined(definitions: Schema) -> Iterator[tuple[str, Schema]]:
    for name, definition in definitions.items():
        yield name, definition
        for path, inner, _ in members(definition, f"{name}."):
            yield path, inner


def members(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """Yield (path, schema, required) for every member, the nested ones behind their parent."""
    for alternative in ("oneOf", "anyOf", "allOf"):
        for choice in schema.get(alternative, ()):
            yield from members(choice, prefix)
    required = set(schema.get("required", ()))
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, inner, name in required
        yield from members(inner, f"{path}.")
        if isinstance(inner.get("items"), dict):
            yield from members(inner["items"], f"{path}[].")
        if isinstance(inner.get("additionalProperties"), dict):
            yield from members(inner["additionalProperties"], f"{path}.*.")


def kind_text(schema: Schema) -> str:
    """Return the type of a member in a few words."""
    if "const" in schema:
        return f"always {json.dumps(schema['const'])}"
    if "enum" in schema:
        return "one of " + ", ".join(str(item) for item in schema["enum"])
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        items = schema.get("items", {})
        inner = kind_text(items) if isinstance(items, dict) else ""
        return f"array of {inner}" if inner else "array"
    for alternative in ("oneOf", "anyOf"):
        if alternative in schema:
            return " or ".join(filter(None, (kind_text(choice) for choice in schema[alternative])))
    return str(kind)
