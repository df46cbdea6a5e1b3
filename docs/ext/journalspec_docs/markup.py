"""Helpers for generated HTML, and short HTML for elements of which pages have thousands."""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator


def badge_html(text: str) -> str:
    """Return a small label whose text is also its kind, as HTML."""
    return f'<span class="jspec-badge jspec-badge-{text}">{escape(text)}</span>'


def code_html(text: str) -> str:
    """Return text in which only backticks are markup, as HTML."""
    parts = [escape(part) for part in text.split("`")]
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def details(summary: str, html: str, *, is_open: bool = False) -> str:
    """Return a folding box; `html` is inserted unchanged, `summary` is escaped."""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{escape(summary)}</summary>{html}</details>"


def _is_whole_cell(node: nodes.Element) -> bool:
    return isinstance(node.parent, nodes.entry) and len(node.parent) == 1 and not node["classes"]


def _is_whole_field(node: nodes.Element) -> bool:
    return isinstance(node.parent, nodes.field_body) and len(node.parent) == 1 and not node["classes"]


class Translator(HTML5Translator):
    """Writes inline code as one element, cells without a paragraph, and no classes without a style.

    Pages contain thousands of these elements. In docutils' usual form, they took a tenth of the site.
    """

    def visit_paragraph(self, node: nodes.paragraph) -> None:
        """Begin a paragraph, unless it is the only content of a cell."""
        if not _is_whole_cell(node) and not _is_whole_field(node):
            super().visit_paragraph(node)

    def depart_paragraph(self, node: nodes.paragraph) -> None:
        """End the paragraph, if one was begun."""
        if not _is_whole_cell(node) and not _is_whole_field(node):
            super().depart_paragraph(node)

    def visit_row(self, node: nodes.Element) -> None:
        """Begin a row without a class for odd and even rows, which the style sheet distinguishes itself."""
        self.body.append("<tr>")
        node.column = 0  # type: ignore[attr-defined]  # `visit_entry` increments it

    def visit_entry(self, node: nodes.Element) -> None:
        """Begin a cell; a head cell states its scope."""
        row = node.parent
        is_head = isinstance(row.parent, nodes.thead)
        is_stub = bool(row.parent.parent.stubs[row.column])  # type: ignore[union-attr]  # as above
        row.column += 1  # type: ignore[union-attr]
        spans = {"rowspan": "morerows", "colspan": "morecols"}
        told = "".join(f' {name}="{node[more] + 1}"' for name, more in spans.items() if more in node)
        scope = ' scope="col"' if is_head else ' scope="row"' if is_stub else ""
        self.body.append(f"<{'th' if scope else 'td'}{scope}{told}>")

    def depart_entry(self, node: nodes.Element) -> None:
        """Write no end tag: see lean.py."""

    def visit_field_name(self, node: nodes.Element) -> None:
        """Begin the name of a fact."""
        self.body.append("<dt>")

    def depart_field_name(self, node: nodes.Element) -> None:
        """End the name of a fact."""
        self.body.append("</dt>")

    def visit_field_body(self, node: nodes.Element) -> None:
        """Begin a fact."""
        self.body.append("<dd>")

    def visit_reference(self, node: nodes.Element) -> None:
        """Begin a link; links to objects of this site, such as requirements and cases, have short HTML."""
        first = node.children[0] if len(node.children) == 1 else None
        if not isinstance(first, nodes.literal) or "jspec-ref" not in first["classes"]:
            super().visit_reference(node)
            return
        href = node.get("refuri") or f"#{node['refid']}"
        title = f' title="{self.attval(node["reftitle"])}"' if node.get("reftitle") else ""
        self.body.append(f'<a class="jspec-ref" href="{self.attval(href)}"{title}>{first.astext()}</a>')
        raise nodes.SkipNode

    def visit_literal(self, node: nodes.Element) -> None:
        """Write the complete element and skip its children. For coloured code, use Sphinx's own method."""
        if node.get("language") or "kbd" in node["classes"]:
            super().visit_literal(node)
            return
        classes = f' class="{" ".join(node["classes"])}"' if node["classes"] else ""
        ident = f' id="{node["ids"][0]}"' if node["ids"] else ""
        self.body.append(f"<code{ident}{classes}>{self.encode(node.astext())}</code>")
        raise nodes.SkipNode
