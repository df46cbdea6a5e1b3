"""What a format's front page says: editions, vocabulary, schemas to download."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec.formats import Format, format_ids, get_format
from journalspec_docs import markup, sources
from journalspec_docs.base import FormatDirective


class FormatList(SphinxDirective):
    """``{format-list}``: every described format in one table."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = []
        for name in format_ids():
            item = get_format(name)
            self.env.note_dependency(str(sources.room(name) / "format.toml"))
            counts = f"{len(sources.requirements_of(name))} requirements, {len(sources.cases(name))} cases"
            link = _doc_link(self, f"/formats/{name}/index", item.title)
            rows.append((link, markup.literal(name), item.summary, ", ".join(item.editions), counts))
        return [markup.table(("Format", "Id", "In one sentence", "Editions", "Described by"), rows)]


def _doc_link(directive: SphinxDirective, docname: str, text: str) -> list[nodes.Node]:
    """Return a link to another page as the ``doc`` role would make it."""
    return list(directive.parse_inline(f"{{doc}}`{text} <{docname}>`")[0])


class FormatOverview(FormatDirective):
    """``{format-overview} FORMAT``: its editions and where to look for what."""

    def build(self, format_: Format) -> Iterator[nodes.Node]:
        """Return the table of editions."""
        self.depends_on_room(format_, "format.toml")
        rows = [
            (
                markup.literal(edition.id)
                if edition.id != format_.default_edition
                else [markup.literal(edition.id), nodes.Text(" (default)")],
                edition.title,
                self.inline(edition.doc),
                markup.joined([markup.literal(name) for name in edition.products]),
            )
            for edition in format_.editions.values()
        ]
        yield markup.table(("Edition", "Title", "What distinguishes it", "Written by"), rows)


class SchemaFiles(FormatDirective):
    """``{schema-files} FORMAT``: the ``.ksy`` files to read and to download."""

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return one folded listing per file, with a link to the file itself."""
        out: list[nodes.Node] = []
        for schema in sources.schemas(format_.id).values():
            self.depends_on(schema.path)
            listing = nodes.literal_block("", schema.path.read_text(encoding="utf-8"), language="yaml")
            listing["classes"].append("jspec-listing")
            relative = f"/{_relative(schema.path, self.env.srcdir)}"
            link = self.inline(f"{{download}}`{schema.path.name} <{relative}>`")
            out.append(markup.paragraph(*link, f": {schema.title}."))
            out += [markup.raw("<details class='jspec-details'><summary>Read it here</summary>"), listing]
            out.append(markup.raw("</details>"))
        return out


def _relative(path: object, srcdir: object) -> str:
    return os.path.relpath(str(path), str(srcdir))
