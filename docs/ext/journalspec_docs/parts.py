"""Generated parts of pages: the output of a template is parsed as if it were part of the page.

``{preset-table}`` on a page is the template ``parts/preset-table.md``: MyST text with Jinja, which can use
the names in :mod:`~journalspec_docs.content` and the filters and functions of this module. A heading begins
with `below`, which means one level below the surrounding section. It may end with ``(#anchor)``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from html import escape
from pathlib import Path
from textwrap import indent
from typing import Any, TypeVar

from docutils import nodes
from docutils.statemachine import StringList
from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError, pass_context
from jinja2.runtime import Context
from sphinx.util.docutils import SphinxDirective

from journalspec.formats import format_ids
from journalspec_docs import domain
from journalspec_docs.content import FUNCTIONS, TABLES, files

FOLDER = Path(__file__).with_name("parts")
Key = TypeVar("Key")
Thing = TypeVar("Thing")
ANCHOR = re.compile(r" \(#([^)]+)\)$")


class Part(SphinxDirective):
    """The directive of every template: parses the template's output at its place in the page."""

    optional_arguments = 3

    def run(self) -> list[nodes.Node]:
        """Parse the output; a LookupError or ValueError is reported with the directive's place."""
        level = self.state.memo.section_level
        section = _open_section(self.state.document, level)
        before = len(section)
        formats = frozenset(self.arguments).intersection(format_ids())
        noted: Any = self.env.temp_data.setdefault("journalspec", set())
        # Record the dependencies once per page, because dozens of parts are made from the same thousand
        # files.
        for path in files(formats) if formats not in noted else ():
            self.env.note_dependency(path)
        noted.add(formats)
        try:
            text = TEMPLATES.get_template(f"{self.name}.md").render(
                arguments=self.arguments, below="#" * (level + 1), domain=domain.domain_of(self.env)
            )
        except (LookupError, ValueError, UndefinedError) as error:
            raise self.error(f"{self.name}: {error}") from error
        self.state.nested_parse(StringList(text.split("\n")), self.content_offset, section, match_titles=True)
        for node in section[before:]:
            _polish(node)
        return []


def names() -> list[str]:
    """Return the names of all directives. Each template is a directive, except for shared parts
    (``_NAME.md``).
    """
    return sorted(path.stem for path in FOLDER.glob("[!_]*.md"))


def _open_section(document: nodes.document, level: int) -> nodes.Element:
    """Return the section of a level that is being read."""
    found: nodes.Element = document
    for _ in range(level):
        found = [node for node in found if isinstance(node, nodes.section)][-1]
    return found


def _polish(part: nodes.Node) -> None:
    """Set anchors and classes in a template's output; the first column of a matrix becomes row headings."""
    for section in part.findall(nodes.section):
        last = next(section.findall(nodes.title))[-1]
        if isinstance(last, nodes.Text) and (found := ANCHOR.search(last)):
            last.parent.replace(last, nodes.Text(last.removesuffix(found[0])))
            section["ids"] = [found[1]]
    for table in part.findall(nodes.table):
        table["classes"].append("jspec-table")
        if "jspec-matrix" in table["classes"]:
            next(table.findall(nodes.colspec))["stub"] = 1
    for facts in part.findall(nodes.field_list):
        facts["classes"] = ["jspec-facts"]


def text(value: object) -> str:
    """Return `value` as text in which nothing is markup."""
    return re.sub(r"([\\`*_\[\]<>{}&~])", r"\\\1", str(value))


def code(value: object, name: str = "") -> str:
    """Return `value` as inline code, with a class if one is given."""
    shown = " ".join(str(value).split())
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    blank = " " if "`" in shown else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}" + (f"{{.{name}}}" if name else "")


def codes(names: Iterable[object], separator: str = ", ") -> str:
    """Return names as inline code, with text between them."""
    return separator.join(map(code, names))


def code_text(value: str) -> str:
    """Return text in which only backticks are markup, as in help texts and summaries."""
    parts = enumerate(" ".join(value.split()).split("`"))
    return "".join(code(part) if number % 2 else text(part) for number, part in parts if part)


def badge(name: str, kind: str = "") -> str:
    """Return a small label with the text `name`; `kind`, by default the name, determines the colour."""
    return f"[{text(name)}]{{.jspec-badge .jspec-badge-{kind or name}}}"


def ref(name: str, kind: str, shown: str = "") -> str:
    """Return a link to a requirement, case, flag, rule or deviation."""
    return f"{{{kind}}}`{shown} <{name}>`" if shown else f"{{{kind}}}`{name}`"


def refs(names: Iterable[str], kind: str, separator: str = ", ") -> str:
    """Return links with `separator` between them."""
    return separator.join(ref(name, kind) for name in names)


def lines(*parts: str) -> str:
    """Return the lines of a cell; empty lines are omitted."""
    return "<br>".join(filter(None, parts))


def row(*cells: object) -> str:
    """Return a row of a table; a list becomes one cell per entry."""
    every = (each for cell in cells for each in (cell if isinstance(cell, list) else [cell]))
    shown = (" ".join(str(cell).split()).replace("|", r"\|") for cell in every)
    return f"| {' | '.join(shown)} |"


def head(*names: object, classes: str = "") -> str:
    """Return the first lines of a table."""
    titles = row(*names)
    rule = re.sub(r"[^|]+", " --- ", titles)
    return f"{{.{classes}}}\n{titles}\n{rule}" if classes else f"{titles}\n{rule}"


def facts(*pairs: tuple[str, str]) -> str:
    """Return named facts, without the empty ones; a fact is text on one line, or bullets."""
    told = []
    for name, value in pairs:
        if value.strip().startswith("- "):
            told.append(f":{name}:\n{indent(value.strip(), '  ')}")
        elif value.strip():
            told.append(f":{name}: {' '.join(value.split())}")
    return "\n".join(told)


def bullets(items: Iterable[str]) -> str:
    """Return a tight list."""
    return "\n".join(f"- {item}" for item in items)


def look_up(key: Key, mapping: Mapping[Key, Thing]) -> Thing:
    """Return the value of `key` in `mapping`, for use with ``map``."""
    return mapping[key]


def raw(html: str, searched: bool = False) -> str:
    """Return HTML unchanged. If not `searched`, put it in a box that the search index ignores."""
    out = "" if searched else ":class: no-search\n"
    return f"`````{{raw}} html\n{out}\n{html}\n`````"


def listing(content: str) -> str:
    """Return a block of plain text."""
    return f"`````{{code-block}} text\n\n{content}\n`````"


def folded(content: str, summary: str) -> str:
    """Return `content` in a folding box."""
    return f"<details><summary>{escape(summary)}</summary>\n\n{content}\n\n</details>"


@pass_context
def note(context: Context, kind: str, name: str, anchor: str, hint: str) -> str:
    """Record that this page describes `name` at `anchor`."""
    context["domain"].note(kind, name, anchor, hint)
    return ""


def sha256(content: bytes) -> str:
    """Return the SHA-256 of `content` in hex."""
    return hashlib.sha256(content).hexdigest()


TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER),
    extensions=["jinja2.ext.do"],
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
    autoescape=False,  # noqa: S701 - the templates write MyST text, not HTML
)
FILTERS = (badge, bullets, code, code_text, codes, folded, listing, look_up, raw, ref, refs, sha256)
TEMPLATES.filters |= FUNCTIONS | {each.__name__: each for each in FILTERS}
TEMPLATES.filters |= {"t": text, "anchor": nodes.make_id}
TEMPLATES.filters["json_line"] = partial(json.dumps, separators=(",", ":"))
TEMPLATES.globals |= FUNCTIONS | TABLES | {each.__name__: each for each in (facts, head, lines, note, row)}
