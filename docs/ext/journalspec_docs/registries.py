"""Tables of what the code registers: result classes, crash presets, harnesses, products."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_conformance.classes import CLASSES
from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import get_product, product_ids
from journalspec_corpus.crash.model import PRESETS
from journalspec_docs import markup


class ResultClasses(SphinxDirective):
    """``{result-classes}``: every class a result may have."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            ([markup.badge(item.name, item.name)], "red" if item.red else "", item.meaning)
            for item in CLASSES.values()
        ]
        return [markup.table(("Class", "Run fails", "Meaning"), rows)]


class PresetTable(SphinxDirective):
    """``{preset-table}``: the persistence presets, strongest first."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            (
                markup.literal(item.name),
                str(item.granule),
                item.order + (", one granule may be garbage" if item.trash else ""),
                item.imitates,
                item.assumes,
            )
            for item in PRESETS
        ]
        return [markup.table(("Preset", "Granule (bytes)", "Order", "Imitates", "Takes for granted"), rows)]


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
