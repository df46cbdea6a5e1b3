"""Field tables, byte diagrams and enum tables, all from the ``.ksy`` files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docutils import nodes

from journalspec.formats import Format
from journalspec_docs import diagram, markup, sources
from journalspec_docs.base import FormatDirective
from journalspec_docs.ksy import Field, Schema
from journalspec_docs.layout import offset_text

ENDIAN = {"be": "big-endian", "le": "little-endian"}
COLUMNS = ("Offset", "Size", "Type", "Name", "Meaning", "Requirements")


class FieldTable(FormatDirective):
    """``{field-table} FORMAT TYPE``: the fields of a type with offsets, sizes and requirements."""

    required_arguments = 2

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return a caption line and the table."""
        schema, kind = sources.find_type(format_.id, self.arguments[1])
        self.depends_on(schema.path)
        yield self._caption(schema, str(kind.size), kind.requirements)
        yield markup.table(COLUMNS, [self._row(field) for field in kind.fields], "jspec-fields")
        computed = [field for field in kind.instances if field.doc]
        if computed:
            yield markup.paragraph("Computed, not stored:")
            yield markup.table(("Name", "Type", "Meaning", "Requirements"), map(self._computed, computed))

    def _caption(self, schema: Schema, size: str, requirements: tuple[str, ...]) -> nodes.Node:
        order = f", {ENDIAN[schema.endian]}" if schema.endian in ENDIAN else ""
        parts: list[str | nodes.Node] = [
            "Size in bytes: ",
            markup.literal(size),
            f"{order}. Offsets count from the start.",
        ]
        if requirements:
            parts += [" See ", *self.refs("req", requirements), "."]
        return markup.paragraph(*parts)

    def _row(self, field: Field) -> tuple[markup.Cell, ...]:
        return (
            markup.literal(offset_text(field.offset), *(["jspec-nowrap"] if field.offset.is_fixed else [])),
            markup.literal(str(field.size)),
            field.type,
            [markup.literal(field.id, f"jspec-depth-{min(field.depth, 3)}")],
            self._meaning(field),
            self.refs("req", field.requirements, " "),
        )

    def _meaning(self, field: Field) -> list[nodes.Node]:
        out = self.inline(field.doc)
        for label, text in (
            ("Value:", field.value),
            ("Allowed:", field.allowed),
            ("Enum:", field.enum),
            ("Repeated:", field.repeat),
            ("Only if", field.condition),
            ("In the product:", field.original),
        ):
            if text:
                out += [nodes.Text(f"{' ' if out else ''}{label} "), markup.literal(text), nodes.Text(".")]
        return out

    def _computed(self, field: Field) -> tuple[markup.Cell, ...]:
        return (
            markup.literal(field.id),
            field.type,
            self._meaning(field),
            self.refs("req", field.requirements, " "),
        )


class ByteDiagram(FormatDirective):
    """``{byte-diagram} FORMAT TYPE``: the fields as a grid, 16 bytes per row."""

    required_arguments = 2

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the inline SVG."""
        schema, kind = sources.find_type(format_.id, self.arguments[1])
        self.depends_on(schema.path)
        ident = f"diagram-{self.env.new_serialno('jspec-diagram')}"
        yield markup.raw(diagram.svg(kind, ident))


class EnumTable(FormatDirective):
    """``{enum-table} FORMAT ENUM``: the values of an enum."""

    required_arguments = 2

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the table."""
        self.depends_on(*(schema.path for schema in sources.schemas(format_.id).values()))
        entries = sources.find_enum(format_.id, self.arguments[1])
        rows = [
            (
                markup.literal(
                    f"{entry.value} (0x{entry.value:02x})" if entry.value >= 0 else str(entry.value)
                ),
                markup.literal(entry.id),
                self.inline(entry.doc),
                markup.literal(entry.original) if entry.original else "",
            )
            for entry in entries
        ]
        yield markup.table(("Value", "Name", "Meaning", "In the product"), rows)


class TypeTables(FormatDirective):
    """``{schema-types} FORMAT``: a section with diagram and table for every type of every schema."""

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return one section per schema."""
        found = sources.schemas(format_.id)
        if not found:
            raise LookupError(f"{format_.id} has no .ksy file")
        for schema in found.values():
            self.depends_on(schema.path)
            part = markup.section(schema.title, f"schema-{schema.id}")
            for kind in schema.types.values():
                if kind.fields:
                    part += self._type(format_, schema, kind.name)
            for name in schema.enums:
                part += self._enum(format_, schema, name)
            yield part

    def _type(self, format_: Format, schema: Schema, name: str) -> nodes.section:
        kind = schema.types[name]
        part = markup.section([markup.literal(name)], f"type-{schema.id}-{name}")
        part += [markup.paragraph(*self.inline(text)) for text in kind.doc.split("\n\n") if text]
        for cls in (ByteDiagram, FieldTable):
            part += self._nested(cls, format_, f"{schema.id}::{name}")
        return part

    def _enum(self, format_: Format, schema: Schema, name: str) -> nodes.section:
        part = markup.section([nodes.Text("enum "), markup.literal(name)], f"enum-{schema.id}-{name}")
        part += self._nested(EnumTable, format_, f"{schema.id}::{name}")
        return part

    def _nested(self, cls: type[FormatDirective], format_: Format, name: str) -> list[nodes.Node]:
        inner = cls(
            self.name,
            [format_.id, name],
            {},
            self.content,
            self.lineno,
            self.content_offset,
            self.block_text,
            self.state,
            self.state_machine,
        )
        return list(inner.build(format_))
