"""Tables of what the code registers: result classes, harnesses, products, faults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec_conformance.harnesses import registry
from journalspec_conformance.products import get_product, product_ids
from journalspec_conformance.result import CLASSES
from journalspec_docs import markup

#: Made by `python -m journalspec_conformance.faults --json`.
FAULTS = Path(__file__).parents[2] / "data" / "faults.json"
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


class FaultTable(SphinxDirective):
    """``{fault-table}``: what became of every injected fault, by kind and mode."""

    def run(self) -> list[nodes.Node]:
        """Return the totals, and one section per kind of fault."""
        self.env.note_dependency(str(FAULTS))
        data = json.loads(FAULTS.read_text(encoding="utf-8"))
        totals = ("injected", "classified", "survived", "clean")
        return [
            markup.table(totals, [[str(data[name]) for name in totals]]),
            *(
                self._kind(kind, list(found))
                for kind, found in groupby(data["faults"], lambda item: item["kind"])
            ),
        ]

    def _kind(self, kind: str, found: list[dict[str, Any]]) -> nodes.section:
        modes = list(dict.fromkeys(item["mode"] for item in found))
        rows = []
        for name, members in groupby(found, lambda item: item["name"]):
            seen = {item["mode"]: item for item in members}
            about = next(iter(seen.values()))["about"]
            cells = [_met(seen[mode]) if mode in seen else "" for mode in modes]
            rows.append([markup.literal(name), about, *cells])
        table = markup.table(("Fault", "What happens", *modes), rows)
        return markup.section(f"{kind.capitalize()}s", nodes.make_id(f"fault-{kind}"), table)


def _met(item: dict[str, Any]) -> list[nodes.Node]:
    """Return what was seen, and if that is not as it should be, what."""
    out: list[nodes.Node] = [markup.literal(item["seen"] or "nothing")]
    return out + [nodes.Text(f" {text}") for text in _wrong(item)]


def _wrong(item: dict[str, Any]) -> Iterator[str]:
    if not item["classified"]:
        yield f"(not {item['expected']})"
    yield from (f"({note})" for note in item["notes"])


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
