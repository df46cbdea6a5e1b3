"""Writes the pages that exist once per format, before Sphinx looks for its sources.

Each page consists of a few lines of MyST that call directives. A new format gets the same pages without a
change of this module. A file is written only if its text changed, so that Sphinx does not read an unchanged
page again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from journalspec.formats import Format, format_ids, get_format
from journalspec.requirements import requirements
from journalspec_docs import captured_pages, case_pages, sources

logger = logging.getLogger(__name__)
FOLDER = "formats"


def area_id(format_id: str, area: str) -> str:
    """Return the anchor of an area on the page of all requirements."""
    return nodes.make_id(f"{format_id}-area-{area}")


@dataclass(frozen=True, slots=True)
class FormatPage:
    """One page of a format, from ``pages.toml``; that file explains the members."""

    name: str
    short: str
    about: str
    lead: str = ""
    directives: tuple[str, ...] = ()


PAGES = tuple(FormatPage(**entry) for entry in sources.PAGE_TABLES["page"])


def pages(srcdir: Path) -> Iterator[tuple[str, str]]:
    """Yield (path below the source directory, text) of every generated page."""
    formats = [get_format(name) for name in format_ids()]
    toctree = _toctree([f"{item.id}/index" for item in formats])
    yield f"{FOLDER}/index.md", _page("The formats", "```{format-list}\n```", toctree)
    for item in formats:
        for name, text in format_pages(item, srcdir):
            yield f"{FOLDER}/{item.id}/{name}.md", text


def format_pages(item: Format, srcdir: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the pages of one format."""
    contents = "\n".join(f"- [{page.short}]({page.name}.md): {page.about}" for page in PAGES)
    toctree = _toctree([f"{page.short} <{page.name}>" for page in PAGES])
    order = sources.PAGE_TABLES["order"]["text"]
    overview = _directive("format-overview", item.id)
    yield "index", _page(item.title, item.summary, overview, order, contents, toctree)
    for page in PAGES:
        parts = [page.lead] if page.lead else []
        parts += [_directive(name, item.id) for name in page.directives]
        if page.name == "requirements":
            parts += _areas(item)
        if page.name == "cases/index":
            parts += _case_contents(item)
        if page.name == "captured" and (bases := captured_pages.captured_bases(item.id)):
            parts.append(_toctree([f"captured/{base}" for base in bases]))
        text = _page(f"{page.short}: {item.title}", *parts)
        yield page.name, _specification(item, srcdir) if page.name == "spec" else text
    yield from _case_pages(item)
    for base in captured_pages.captured_bases(item.id):
        text = _page(f"Captured from {base}: {item.title}", _directive("captured-list", f"{item.id} {base}"))
        yield f"captured/{base}", text


def _specification(item: Format, srcdir: Path) -> str:
    path = sources.room(item.id) / "spec.md"
    if not path.is_file():
        logger.warning("%s has no spec.md", item.id)
        return _page("Specification", "This specification is not written yet.")
    relative = Path(os.path.relpath(path, srcdir / FOLDER / item.id)).as_posix()
    # The first line of the file is its title, which is also the title of the format's first page.
    return _page(f"Specification: {item.title}", f"```{{include}} {relative}\n:start-line: 1\n```")


def _areas(item: Format) -> Iterator[str]:
    for area, title in requirements(item.id).areas.items():
        lead = f"({area_id(item.id, area)})=\n## {title} ({area})"
        yield f"{lead}\n\n{_directive('requirement-entries', f'{item.id} {area}')}"


def _case_groups(item: Format) -> Iterator[tuple[str, str, list[tuple[str, int, str]]]]:
    """Yield (name, title, groups) of every page of cases. A group is (name, number of the part, title)."""
    groups = sources.cases_by_group(item.id)
    for parts in case_pages.packed(groups):
        told = []
        for group, number in parts:
            total = len(case_pages.pages(groups[group]))
            told.append((group, number, f"{group} ({number} of {total})" if total > 1 else group))
        first, number, title = told[0]
        name = first if number == 1 else f"{first}-{number}"
        yield name, title if len(told) == 1 else f"{title} to {told[-1][2]}", told


def _case_contents(item: Format) -> Iterator[str]:
    yield _toctree(f"{title} <{name}>" for name, title, _ in _case_groups(item))
    about = (
        "A flag states a special property of a case, and the loss of a user if a reader mishandles the case."
    )
    yield f"## Flags\n\n{about}\n\n{_directive('flag-list', item.id)}"


def _case_pages(item: Format) -> Iterator[tuple[str, str]]:
    for name, title, groups in _case_groups(item):
        parts = [
            f"## {heading}\n\n" + _directive("case-group", f"{item.id} {group} {number}")
            for group, number, heading in groups
        ]
        yield f"cases/{name}", _page(f"Cases: {title}: {item.title}", *parts)


def _page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def _directive(name: str, arguments: str) -> str:
    return f"```{{{name}}} {arguments}\n```"


def _toctree(entries: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", ":titlesonly:", "", *entries, "```"])


def write(app: Sphinx) -> None:
    """Bring the generated pages below the source directory up to date."""
    srcdir = Path(app.srcdir)
    wanted = dict(pages(srcdir))
    for name, text in wanted.items():
        path = srcdir / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        # Unlike files for users, pages are written without fsync, because there are thousands of them and
        # they can be generated again.
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    for path in sorted((srcdir / FOLDER).rglob("*.md")):
        if path.relative_to(srcdir).as_posix() not in wanted:
            path.unlink()


class Navigation:
    """The menu with the tree of pages on every page, made only from their titles.

    The theme needs only titles. But for every page, Sphinx first copies the headings of all pages and then
    discards them, which took a quarter of a build.
    """

    def __init__(self) -> None:
        self.titles: dict[str, nodes.bullet_list] = {}

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Store only the title of each page and the trees of pages below it, without the other headings."""
        for name, toc in env.tocs.items():
            kept = toc.deepcopy()
            for entry in kept:
                if isinstance(entry, nodes.Element) and len(entry) > 1:
                    below = entry[1]
                    trees = list(entry.findall(addnodes.toctree))
                    entry.remove(below)
                    # Pages of cases are not in the menu: the list of groups links to them.
                    if trees and not name.endswith("/cases/index"):
                        entry.append(nodes.bullet_list("", *trees))
            self.titles[name] = kept

    def place(
        self, app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
    ) -> None:
        """Provide the theme with the tree made from the titles."""
        whole = context["toctree"]

        def toctree(**options: Any) -> str:
            full = app.env.tocs
            if options.get("titles_only"):
                app.env.tocs = self.titles
                # Show only the branch that contains the page, because all branches on every page took a
                # twentieth of the site.
                options["collapse"] = True
            try:
                return str(whole(**options))
            finally:
                app.env.tocs = full

        context["toctree"] = toctree
