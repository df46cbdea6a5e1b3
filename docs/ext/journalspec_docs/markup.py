"""Short ways to say docutils trees: tables, badges, sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

Cell = str | nodes.Node | Sequence[nodes.Node]
Row = tuple[Cell, ...]


def cell_nodes(content: Cell) -> list[nodes.Node]:
    """Return what stands in a table cell as block-level nodes."""
    if isinstance(content, str):
        return [nodes.paragraph(content, content)] if content else []
    found = [content] if isinstance(content, nodes.Node) else list(content)
    if found and not isinstance(found[0], nodes.Inline | nodes.Text):
        return found
    return [nodes.paragraph("", "", *found)] if found else []


def table(headers: Sequence[str], rows: Iterable[Sequence[Cell]], *classes: str) -> nodes.Node:
    """Return a table in a scrolling box, with columns as wide as their content.

    The first column of a matrix heads its rows.
    """
    body = nodes.table(classes=["jspec-table", "colwidths-auto", *classes])
    group = nodes.tgroup(cols=len(headers))
    stubs = [1 if "jspec-matrix" in classes and not at else 0 for at in range(len(headers))]
    group += [nodes.colspec(colwidth=1, stub=stub) for stub in stubs]
    head = nodes.thead()
    head += _row(headers)
    content = nodes.tbody()
    content += [_row(row) for row in rows]
    group += [head, content]
    body += group
    return body


def _row(cells: Sequence[Cell]) -> nodes.row:
    row = nodes.row()
    for content in cells:
        entry = nodes.entry()
        entry += cell_nodes(content)
        row += entry
    return row


def section(title: str | Sequence[nodes.Node], node_id: str, *body: nodes.Node) -> nodes.section:
    """Return a section that can be linked to as `node_id`."""
    heading = nodes.title(title, title) if isinstance(title, str) else nodes.title("", "", *title)
    part = nodes.section(ids=[node_id])
    part += heading
    part += list(body)
    return part


def literal(text: str, *classes: str) -> nodes.literal:
    """Return inline code."""
    return nodes.literal(text, text, classes=list(classes))


def literals(names: Iterable[str], separator: str = ", ") -> list[nodes.Node]:
    """Return names as inline code, with text between them."""
    return joined([literal(name) for name in names], separator)


def code_text(text: str) -> list[nodes.Node]:
    """Return text in which only backticks are markup, as in help texts and summaries."""
    out: list[nodes.Node] = []
    for number, part in enumerate(text.split("`")):
        if part:
            out.append(literal(part) if number % 2 else nodes.Text(part))
    return out


def badge(text: str, kind: str) -> nodes.inline:
    """Return a small label, coloured by `kind`."""
    return nodes.inline(text, text, classes=["jspec-badge", f"jspec-badge-{kind}"])


def badge_html(text: str) -> str:
    """Return a small label of its own kind, as HTML."""
    return f'<span class="jspec-badge jspec-badge-{text}">{escape(text)}</span>'


def paragraph(*parts: str | nodes.Node) -> nodes.paragraph:
    """Return a paragraph of text and inline nodes."""
    return nodes.paragraph("", "", *(nodes.Text(part) if isinstance(part, str) else part for part in parts))


def joined(parts: Iterable[nodes.Node], separator: str = ", ") -> list[nodes.Node]:
    """Return `parts` with text between them."""
    out: list[nodes.Node] = []
    for part in parts:
        if out:
            out.append(nodes.Text(separator))
        out.append(part)
    return out


def lines(*parts: Sequence[nodes.Node]) -> list[nodes.Node]:
    """Return what stands below each other in one cell; what is empty takes no line."""
    return [nodes.line("", "", *part) for part in parts if part]


def bullets(items: Iterable[Sequence[nodes.Node]]) -> nodes.bullet_list:
    """Return a tight list; each item is inline or block nodes."""
    out = nodes.bullet_list()
    for item in items:
        entry = nodes.list_item()
        entry += cell_nodes(item)
        out += entry
    return out


def fields(pairs: Iterable[tuple[str, Cell]]) -> nodes.Node:
    """Return a two-column list of facts, without the empty ones."""
    out = nodes.field_list(classes=["jspec-facts"])
    for name, content in pairs:
        body = cell_nodes(content)
        if body:
            out += nodes.field("", nodes.field_name(name, name), nodes.field_body("", *body))
    return out


def code_html(text: str) -> str:
    """Return text in which only backticks are markup, as HTML."""
    parts = [escape(part) for part in text.split("`")]
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def raw(html: str, *, searched: bool = True) -> nodes.raw:
    """Return HTML as it is; if not `searched`, in a box whose words stay out of the search index."""
    return nodes.raw("", html, format="html", classes=[] if searched else ["no-search"])


def folded(summary: str, *body: nodes.Node) -> list[nodes.Node]:
    """Return `body` in a folding box."""
    head = f'<details class="jspec-details"><summary>{escape(summary)}</summary>'
    return [raw(head), *body, raw("</details>")]


def details(summary: str, html: str, *, is_open: bool = False) -> str:
    """Return a folding box; `html` is taken as it is, `summary` is escaped."""
    state = " open" if is_open else ""
    return f'<details class="jspec-details"{state}><summary>{escape(summary)}</summary>{html}</details>'


def _is_whole_cell(node: nodes.Element) -> bool:
    return isinstance(node.parent, nodes.entry) and len(node.parent) == 1 and not node["classes"]


def _is_whole_field(node: nodes.Element) -> bool:
    return isinstance(node.parent, nodes.field_body) and len(node.parent) == 1 and not node["classes"]


class Translator(HTML5Translator):
    """Inline code as one element, no paragraph around all of a cell, no classes that no style sheet asks for.

    Pages have thousands of each: written as they come they made up a tenth of the site.
    """

    def visit_paragraph(self, node: nodes.paragraph) -> None:
        """Begin a paragraph, unless it is all of a cell."""
        if not _is_whole_cell(node) and not _is_whole_field(node):
            super().visit_paragraph(node)

    def depart_paragraph(self, node: nodes.paragraph) -> None:
        """End what was begun."""
        if not _is_whole_cell(node) and not _is_whole_field(node):
            super().depart_paragraph(node)

    def visit_row(self, node: nodes.Element) -> None:
        """Begin a row; that it is odd or even is the style sheet's business."""
        self.body.append("<tr>")
        node.column = 0  # type: ignore[attr-defined]  # cells count themselves

    def visit_entry(self, node: nodes.Element) -> None:
        """Begin a cell; those of heads say of what."""
        row = node.parent
        is_head = isinstance(row.parent, nodes.thead)
        is_stub = bool(row.parent.parent.stubs[row.column])  # type: ignore[union-attr]  # as above
        row.column += 1  # type: ignore[union-attr]
        spans = {"rowspan": "morerows", "colspan": "morecols"}
        told = "".join(f' {name}="{node[more] + 1}"' for name, more in spans.items() if more in node)
        scope = ' scope="col"' if is_head else ' scope="row"' if is_stub else ""
        self.body.append(f"<{'th' if scope else 'td'}{scope}{told}>")

    def depart_entry(self, node: nodes.Element) -> None:
        """End a cell as its parent does: see lean.py."""

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
        """Begin a link; those to requirements, cases and the like are as short as can be."""
        first = node.children[0] if len(node.children) == 1 else None
        if not isinstance(first, nodes.literal) or "jspec-ref" not in first["classes"]:
            super().visit_reference(node)
            return
        href = node.get("refuri") or f"#{node['refid']}"
        title = f' title="{self.attval(node["reftitle"])}"' if node.get("reftitle") else ""
        self.body.append(f'<a class="jspec-ref" href="{self.attval(href)}"{title}>{first.astext()}</a>')
        raise nodes.SkipNode

    def visit_literal(self, node: nodes.Element) -> None:
        """Write the element and leave its content out; code with colours is as Sphinx has it."""
        if node.get("language") or "kbd" in node["classes"]:
            super().visit_literal(node)
            return
        classes = f' class="{" ".join(node["classes"])}"' if node["classes"] else ""
        ident = f' id="{node["ids"][0]}"' if node["ids"] else ""
        self.body.append(f"<code{ident}{classes}>{self.encode(node.astext())}</code>")
        raise nodes.SkipNode
