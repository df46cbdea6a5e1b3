"""The formats and their schemas: field tables, byte diagrams and enum tables, from the ``.ksy`` files."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from docutils import nodes

from journalspec.formats import Format, format_ids, get_format
from journalspec.requirements import requirements
from journalspec_docs import alternatives, diagram, hexdump, markup, sources
from journalspec_docs.base import Page, table
from journalspec_docs.ksy import Extent, Field, offset_text
from journalspec_reference.api import load

ENDIAN = {"be": "big-endian", "le": "little-endian"}
#: What a field table says of a field beside its text: (in words, attribute).
MEANINGS = (
    ("Value:", "value"),
    ("Allowed:", "allowed"),
    ("Enum:", "enum"),
    ("Repeated:", "repeat"),
    ("Only if", "condition"),
    ("In the product:", "original"),
)


@table("Format", "Id", "In one sentence", "Editions", "Described by")
def format_list(page: Page) -> Iterator[markup.Row]:
    """``{format-list}``: every described format in one table."""
    for name in format_ids():
        item = get_format(name)
        page.depends_on_room(item, "format.toml")
        counts = f"{len(requirements(name))} requirements, {len(sources.cases(name))} cases"
        link = page.inline(f"{{doc}}`{item.title} </formats/{name}/index>`")
        yield link, markup.literal(name), item.summary, ", ".join(item.editions), counts


@table("Edition", "Title", "What distinguishes it", "Written by")
def format_overview(page: Page, format_: Format) -> Iterator[markup.Row]:
    """``{format-overview} FORMAT``: the table of its editions."""
    page.depends_on_room(format_, "format.toml")
    for edition in format_.editions.values():
        name = [markup.literal(edition.id)]
        default = [nodes.Text(" (default)")] if edition.id == format_.default_edition else []
        about = page.inline(edition.doc)
        yield [*name, *default], edition.title, about, markup.literals(edition.products)


def schema_files(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{schema-files} FORMAT``: each ``.ksy`` file to download, and as a folded listing."""
    for schema in sources.schemas(format_.id).values():
        page.depends_on(schema.path)
        relative = os.path.relpath(schema.path, page.env.srcdir)
        yield markup.paragraph(
            *page.inline(f"{{download}}`{schema.path.name} </{relative}>`"), f": {schema.title}."
        )
        # Without colours: they made a third of the page, in a box that few open.
        listing = nodes.literal_block("", schema.path.read_text(encoding="utf-8"), language="text")
        listing["classes"] += ["jspec-listing", "no-search"]
        yield from markup.folded("Read it here", listing)


def schema_types(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{schema-types} FORMAT``: a section with diagram and table for every type of every schema."""
    found = sources.schemas(format_.id)
    if not found:
        raise LookupError(f"{format_.id} has no .ksy file")
    anchored: set[str] = set()
    for schema in found.values():
        part = markup.section(schema.title, f"schema-{schema.id}")
        for kind in schema.types.values():
            if kind.fields:
                part += markup.section(
                    [markup.literal(kind.name)],
                    f"type-{schema.id}-{kind.name}",
                    *(markup.paragraph(*page.inline(text)) for text in kind.doc.split("\n\n") if text),
                    *byte_diagram(page, format_, f"{schema.id}::{kind.name}"),
                    *field_table(page, format_, f"{schema.id}::{kind.name}"),
                    *_example(page, format_, schema.id, kind.name),
                )
                _anchor(part, anchored)
        for name in schema.enums:
            part += markup.section(
                [nodes.Text("enum "), markup.literal(name)],
                f"enum-{schema.id}-{name}",
                *enum_table(page, format_, f"{schema.id}::{name}"),
            )
        yield part


def byte_diagram(page: Page, format_: Format, name: str) -> Iterable[nodes.Node]:
    """``{byte-diagram} FORMAT TYPE``: the fields as a grid of bytes, or all alternatives of them."""
    schema, kind = sources.find_type(format_.id, name)
    kind = sources.shown_type(format_.id, schema, kind)
    page.depends_on(schema.path)
    page.depends_on_room(format_, "fields.toml")
    several = alternatives.of_type(format_.id, schema, kind)
    yield markup.raw(diagram.sides(several) if several else diagram.figure(kind))


def edition_diagrams(page: Page, format_: Format) -> Iterator[nodes.Node]:
    """``{edition-diagrams} FORMAT``: each structure that not all editions have alike, in all its forms."""
    page.depends_on_room(format_, "fields.toml")
    found = alternatives.by_edition(format_.id)
    if not found:
        return
    part = markup.section(
        "Editions side by side",
        "schema-editions",
        markup.paragraph("What not all editions have alike. A dashed box varies in length."),
    )
    for structure, several in found.items():
        part += markup.section(
            [markup.literal(structure)], f"schema-editions-{structure}", markup.raw(diagram.sides(several))
        )
    yield part


def field_table(page: Page, format_: Format, name: str) -> Iterator[nodes.Node]:
    """``{field-table} FORMAT TYPE``: the fields of a type with offsets, sizes and requirements."""
    schema, kind = sources.find_type(format_.id, name)
    kind = sources.shown_type(format_.id, schema, kind)
    page.depends_on(schema.path)
    order = f", {ENDIAN[schema.endian]}" if schema.endian in ENDIAN else ""
    see = [nodes.Text(" See "), *page.refs("req", kind.requirements), nodes.Text(".")]
    yield markup.paragraph(
        "Size in bytes: ",
        markup.literal(str(kind.size)),
        f"{order}. Offsets count from the start.",
        *(see if kind.requirements else []),
    )
    rows = [
        (
            markup.lines(
                [markup.literal(offset_text(field.offset))], [*_size(field.size), nodes.Text(field.type)]
            ),
            [markup.literal(field.id, f"jspec-depth-{min(field.depth, 3)}")],
            markup.lines(_meaning(page, field), page.refs("req", field.requirements, " ")),
        )
        for field in kind.fields
    ]
    yield markup.table(("Offset, size, type", "Name", "Meaning"), rows, "jspec-fields")
    computed = [
        (
            field.type,
            markup.literal(field.id),
            markup.lines(_meaning(page, field), page.refs("req", field.requirements, " ")),
        )
        for field in kind.instances
        if field.doc
    ]
    if computed:
        yield markup.paragraph("Computed, not stored:")
        yield markup.table(("Type", "Name", "Meaning"), computed, "jspec-fields")


def _example(page: Page, format_: Format, schema: str, kind: str) -> Iterator[nodes.Node]:
    """Yield the bytes of one such structure in a clean case, if it is a header or a record."""
    if (schema, kind) not in sources.examples(format_.id):
        return
    page.depends_on_cases(format_)
    case, file, span = sources.examples(format_.id)[schema, kind]
    own = [each for each in load(format_.id).spans(case.files(), edition=case.edition) if each.file == file]
    roles = sources.roles_of(format_.id)
    yield markup.paragraph("For example, in ", page.ref("case", case.id), ":")
    yield markup.raw(hexdump.fields_html(case.files()[file], own, roles, only=span), searched=False)


def _anchor(part: nodes.section, anchored: set[str]) -> None:
    """Give the first field of each name on a page an anchor, for links from dumps."""
    for each in part.findall(nodes.table):
        for row in each.findall(nodes.row) if "jspec-fields" in each["classes"] else ():
            name = next(row[1].findall(nodes.literal), None)
            if name is not None and name.astext() not in anchored:
                anchored.add(name.astext())
                name["ids"] = [f"f-{name.astext()}"]


def _size(size: Extent) -> list[nodes.Node]:
    """Return a size in bytes: a number as text, an expression as code."""
    if size.is_fixed:
        return [nodes.Text(f"{size} byte{'' if size.fixed == 1 else 's'}, ")]
    return [markup.literal(str(size)), nodes.Text(" bytes, ")]


def _meaning(page: Page, field: Field) -> list[nodes.Node]:
    out = page.inline(field.doc)
    for label, name in MEANINGS:
        text = getattr(field, name)
        if text:
            out += [nodes.Text(f"{' ' if out else ''}{label} "), markup.literal(text), nodes.Text(".")]
    return out


@table("Value", "Name", "Meaning", "In the product")
def enum_table(page: Page, format_: Format, name: str) -> Iterator[markup.Row]:
    """``{enum-table} FORMAT ENUM``: the values of an enum."""
    page.depends_on(*(schema.path for schema in sources.schemas(format_.id).values()))
    for entry in sources.find_enum(format_.id, name):
        value = f"{entry.value} (0x{entry.value:02x})" if entry.value >= 0 else str(entry.value)
        original = markup.literal(entry.original) if entry.original else ""
        yield markup.literal(value), markup.literal(entry.id), page.inline(entry.doc), original


#: What a field of a message holds -> in words, its wire type, what it is if missing; all else is a message.
HELD = {
    "s4": ("a signed number of 32 bits", 0, "0"),
    "s8": ("a signed number of 64 bits", 0, "0"),
    "bool": ("true or false", 0, "false"),
    "str": ("a text", 2, "empty"),
    "bytes": ("bytes", 2, "empty"),
}


@table("Message", "Field", "Key byte", "Name", "What it holds", "Told without it")
def message_table(page: Page, format_: Format) -> Iterator[markup.Row]:
    """``{message-table} FORMAT``: the messages of its ``commands.toml``, field by field."""
    page.depends_on_room(format_, "commands.toml", "fields.toml")
    left_out = {
        (kind, item.name) for item in format_.vocabulary.fields if item.optional for kind in item.types
    }
    path = sources.room(format_.id) / "commands.toml"
    for name, fields in tomllib.loads(path.read_text(encoding="utf-8"))["message"].items():
        for row in fields:
            about, wire, missing = HELD.get(row["holds"], (f"the message {row['holds']}", 2, "an empty one"))
            key = markup.literal(f"{row['number'] << 3 | wire:02x}")
            missing = str(row.get("default", missing)).lower()
            if (name, row["name"]) in left_out:
                missing = "not told"
            yield markup.literal(name), str(row["number"]), key, markup.literal(row["name"]), about, missing


#: What a field of an operation is -> in words; all else is an object, or a list.
STORED = {
    "cint": "a compressed int",
    "clong": "a compressed long",
    "utf": "two bytes of length, and modified UTF-8",
}


def _operations(page: Page, format_: Format) -> dict[str, Any]:
    page.depends_on_room(format_, "operations.toml")
    return tomllib.loads((sources.room(format_.id) / "operations.toml").read_text(encoding="utf-8"))


@table("Bit", "Group", "What it says")
def group_table(page: Page, format_: Format) -> Iterator[markup.Row]:
    """``{group-table} FORMAT``: the bits of the groups of its ``operations.toml``."""
    for name, entry in _operations(page, format_)["groups"].items():
        yield markup.literal(f"0x{entry['bit']:03x}"), markup.literal(name), entry["doc"]


@table("Id", "Operation", "Field", "What it holds")
def operation_table(page: Page, format_: Format) -> Iterator[markup.Row]:
    """``{operation-table} FORMAT``: the operations and objects of its ``operations.toml``, field by field."""
    told = _operations(page, format_)
    for entry in (*told["operation"], *told["object"]):
        parts = [row for name in entry.get("begins", ()) for row in told["part"][name]]
        for row in (*parts, *entry["fields"]) or ({"name": "", "type": "nothing"},):
            held = STORED.get(row["type"], row["type"])
            if row["type"] == "bytes":
                held = f"as many bytes as {row['length']} says"
            elif row["type"] == "object":
                held = f"the object {row['of']}" + (", or 0" if row.get("null") else "")
            elif row["type"] == "list":
                each = ", ".join(f"{item['name']} ({item.get('of', item['type'])})" for item in row["of"])
                held = f"as many as {row['count']} says: {each}"
            if "when" in row:
                held += f"; only if {row['when'][0]} is {row['when'][1]}"
            yield str(entry["id"]), markup.literal(entry["name"]), markup.literal(row["name"]), held
