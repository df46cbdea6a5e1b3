"""What all directives of this extension share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from journalspec.formats import Format, get_format
from journalspec_docs import domain, markup, sources


class FormatDirective(SphinxDirective):
    """A directive whose first argument is a format id (more arguments as declared).

    Subclasses write :meth:`build`; a LookupError or ValueError in it is
    reported at the directive's place in the source.
    """

    required_arguments = 1
    has_content = False
    #: Whether the content has to be made again when cases change.
    uses_cases: ClassVar[bool] = False
    option_spec: ClassVar[dict[str, Callable[[str], object]] | None] = {}

    def run(self) -> list[nodes.Node]:
        """Build the nodes, or report what is wrong where the directive stands."""
        try:
            format_ = get_format(self.arguments[0])
            if self.uses_cases:
                self.depends_on(*sources.case_files(format_.id))
            return list(self.build(format_))
        except (LookupError, ValueError) as error:
            raise self.error(f"{self.name}: {error}") from error

    def build(self, format_: Format) -> Iterable[nodes.Node]:
        """Return the content of the directive."""
        raise NotImplementedError

    @property
    def jspec(self) -> domain.JournalspecDomain:
        """The domain that new anchors are noted in."""
        return domain.domain_of(self.env)

    def depends_on(self, *paths: Path) -> None:
        """Read this page again when one of `paths` changes."""
        for path in paths:
            self.env.note_dependency(str(path))

    def depends_on_room(self, format_: Format, *names: str) -> None:
        """Read this page again when files of the specification's room change."""
        self.depends_on(*(sources.room(format_.id) / name for name in names))

    def ref(self, kind: str, name: str, text: str | None = None) -> nodes.Node:
        """Return a link to a requirement, case, flag or deviation."""
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


flag = directives.flag
