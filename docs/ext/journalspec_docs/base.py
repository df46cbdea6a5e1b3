"""What all directives of this extension share: a directive is a function that returns nodes.

Its first parameter is the :class:`Page` that it stands on, the others are the directive's
arguments; those with a default may be left out. One called ``format_`` gets the format of that id.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from journalspec.formats import Format, get_format
from journalspec_docs import domain, markup, sources

Build = Callable[..., Iterable[nodes.Node]]
Option = Callable[[str], object]


class Page(SphinxDirective):
    """The page that a directive stands on: links from it, text in its language, what it depends on."""

    has_content = False
    content_of: ClassVar[Build]
    takes_format: ClassVar[bool]

    def run(self) -> list[nodes.Node]:
        """Build the nodes; a LookupError or ValueError is reported where the directive stands."""
        arguments: list[object] = list(self.arguments)
        try:
            if self.takes_format:
                arguments[0] = get_format(self.arguments[0])
            return list(type(self).content_of(self, *arguments))
        except (LookupError, ValueError) as error:
            raise self.error(f"{self.name}: {error}") from error

    def note(self, kind: str, name: str, anchor: str, hint: str) -> None:
        """Record that this page describes `name` at `anchor`."""
        domain.domain_of(self.env).note(kind, name, anchor, hint)

    def depends_on(self, *paths: Path) -> None:
        """Read this page again when one of `paths` changes."""
        for path in paths:
            self.env.note_dependency(str(path))

    def depends_on_cases(self, format_: Format) -> None:
        """Read this page again when the published cases of a format change."""
        self.depends_on(*sources.case_files(format_.id))

    def depends_on_room(self, format_: Format, *names: str) -> None:
        """Read this page again when files of a format's specification change."""
        self.depends_on(*(sources.room(format_.id) / name for name in names))

    def ref(self, kind: str, name: str, text: str | None = None) -> nodes.Node:
        """Return a link to a requirement, case, flag, rule or deviation."""
        link = domain.xref(kind, name, self.env.docname, text)
        link.source, link.line = self.get_source_info()
        return link

    def refs(self, kind: str, names: Iterable[str], separator: str = ", ") -> list[nodes.Node]:
        """Return links with `separator` between them."""
        return markup.joined([self.ref(kind, name) for name in names], separator)

    def inline(self, text: str) -> list[nodes.Node]:
        """Return `text` parsed as inline markup of the page's language."""
        return list(self.parse_inline(text, lineno=self.lineno)[0])

    def block(self, text: str) -> list[nodes.Node]:
        """Return `text` parsed as paragraphs of the page's language."""
        return list(self.parse_text_to_nodes(text))


def table(
    *heads: str, classes: str = ""
) -> Callable[[Callable[..., Iterable[Sequence[markup.Cell]]]], Build]:
    """Make what a directive shows of a function that yields the rows of one table with these heads."""

    def decorate(rows_of: Callable[..., Iterable[Sequence[markup.Cell]]]) -> Build:
        @wraps(rows_of)
        def content_of(*arguments: Any) -> Iterator[nodes.Node]:
            yield markup.table(heads, rows_of(*arguments), *classes.split())

        return content_of

    return decorate


def directive(content_of: Build, options: Mapping[str, Option]) -> type[Page]:
    """Return the directive that shows what `content_of` returns."""
    _, *parameters = inspect.signature(content_of).parameters.values()
    optional = sum(item.default is not item.empty for item in parameters)
    members = {
        "content_of": staticmethod(content_of),
        "takes_format": bool(parameters) and parameters[0].name == "format_",
        "required_arguments": len(parameters) - optional,
        "optional_arguments": optional,
        "option_spec": dict(options),
    }
    return type("Directive", (Page,), members)
