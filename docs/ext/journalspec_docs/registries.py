"""Tables of what the code registers: result classes, harnesses, products."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_conformance.classes import CLASSES
from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import get_product, product_ids
from journalspec_docs import markup

#: What the columns of the data source mean; a column without a meaning fails the build.
COLUMNS = {
    "journal": "the path of the journal",
    "format": "format id",
    "edition": "edition that it was read as",
    "file": "name of the file within the journal",
    "off": "offset of the record or region, in bytes",
    "len": "its length, in bytes",
    "kind": "record or dropped",
    "role": "role of the file: do its records count?",
    "type": "type of the record",
    "reason": "why the region was dropped",
    "fields": "the record's fields by the specification's names",
}


class ResultClasses(SphinxDirective):
    """``{result-classes}``: every class a result may have."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            ([markup.badge(item.name, item.name)], "red" if item.red else "", item.meaning)
            for item in CLASSES.values()
        ]
        return [markup.table(("Class", "Run fails", "Meaning"), rows)]


class HarnessList(SphinxDirective):
    """``{harness-list}``: the harnesses that ship."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            (
                markup.literal(item.name),
                markup.code_text(item.summary),
                "in-process" if item.target else "process",
                markup.literal(item.expectations) if item.expectations else "",
            )
            for item in registry().values()
        ]
        return [markup.table(("Name", "What it is", "Runs", "Known failures in"), rows)]


class ProductList(SphinxDirective):
    """``{product-list}``: the published products, each artefact with its hash."""

    def run(self) -> list[nodes.Node]:
        """Return one section per product."""
        out: list[nodes.Node] = []
        for name in product_ids():
            item = get_product(name)
            facts = markup.fields(
                [
                    ("Source", [nodes.reference("", item.source, refuri=item.source)]),
                    ("Licence", item.licence),
                    ("Formats", ", ".join(item.formats)),
                    ("Edition", item.edition),
                    ("Java", f"{item.java} or newer"),
                ]
            )
            rows = [
                (markup.literal(jar.coordinates), jar.role, markup.literal(jar.sha256)) for jar in item.jars
            ]
            jars = markup.table(("Artefact", "For", "SHA-256"), rows, "jspec-hashes")
            out.append(markup.section(item.title, f"product-{nodes.make_id(name)}", facts, jars))
        return out


class SparkColumns(SphinxDirective):
    """``{spark-columns}``: the columns of the data source."""

    def run(self) -> list[nodes.Node]:
        """Return the table; the data source is only imported here, since it needs an extra."""
        from journalspec_reference.spark import SCHEMA  # noqa: PLC0415 - pyspark is slow to import

        columns = [
            column.strip().partition(" ") for column in SCHEMA.replace(",string>", ";string>").split(",")
        ]
        rows: list[markup.Row] = [
            (markup.literal(name), kind.replace(";", ","), COLUMNS[name]) for name, _, kind in columns
        ]
        return [markup.table(("Column", "Type", "Meaning"), rows)]
