"""The link targets of pages: requirements, cases, flags, deviations, messages, and words of answers.

The targets form a small Sphinx domain. Therefore Sphinx warns of a link to a missing target as of any other
broken reference (under ``-W``, this is an error).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain, ObjType
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

#: The maximum number of characters of a link's hint.
HINT = 80
KINDS = ("req", "case", "flag", "deviation", "group", "rule", "captured", "message", "word", "report")


class LinkTarget(NamedTuple):
    """The place where an object is described; `hint` is shown when the mouse is over a link."""

    docname: str
    node_id: str
    hint: str


class JournalspecDomain(Domain):
    """Objects of this site: ``jspec:req``, ``jspec:case``, ..."""

    name = "jspec"
    label = "journalspec"
    object_types: ClassVar[dict[str, ObjType]] = {kind: ObjType(kind, kind) for kind in KINDS}
    initial_data: ClassVar[dict[str, Any]] = {"objects": {}}
    data_version = 1

    @property
    def objects(self) -> dict[tuple[str, str], LinkTarget]:
        """All known objects by kind and name."""
        found: dict[tuple[str, str], LinkTarget] = self.data["objects"]
        return found

    def note(self, kind: str, name: str, node_id: str, hint: str = "") -> None:
        """Record that the current page describes `name`. If another page also describes it, this causes a
        warning.
        """
        known = self.objects.get((kind, name))
        docname = self.env.docname
        if known is not None and known.docname != docname:
            logger.warning("%s %s is described twice: also in %s", kind, name, known.docname)
        self.objects[kind, name] = LinkTarget(docname, node_id, " ".join(hint.split()))

    def clear_doc(self, docname: str) -> None:
        """Forget the objects that `docname` described."""
        for key in [key for key, target in self.objects.items() if target.docname == docname]:
            del self.objects[key]

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        """Merge the objects that a parallel reading process found."""
        wanted = set(docnames)
        for key, target in otherdata["objects"].items():
            if target.docname in wanted:
                self.objects[key] = target

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> nodes.reference | None:
        """Return the link, or None, which Sphinx reports as a missing target."""
        found = self.objects.get((typ, target))
        if found is None:
            return None
        # The hints of requirements are in one script for all pages, see hints.py.
        hint = "" if typ == "req" else shorten(found.hint, HINT, placeholder="…")
        return make_refnode(builder, fromdocname, found.docname, found.node_id, contnode, hint or None)

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """List all objects for the search index and intersphinx."""
        for (kind, name), target in sorted(self.objects.items()):
            # The priority in the search. The page that defines an object comes before pages that mention it.
            first = ("req", "deviation", "message", "word")
            shown = name.rpartition(":")[2] if kind == "word" else name
            yield name, shown, kind, target.docname, target.node_id, int(kind not in first)
        # Sphinx does not list the terms of a glossary in the search.
        for (kind, name), (docname, anchor) in sorted(self.env.domains.standard_domain.objects.items()):
            if kind == "term":
                yield name, name, "word", docname, anchor, 0


def domain_of(env: BuildEnvironment) -> JournalspecDomain:
    """Return this project's domain of a build."""
    domain = env.get_domain("jspec")
    assert isinstance(domain, JournalspecDomain)
    return domain


def requirement_id(name: str) -> str:
    """Return the anchor of a requirement."""
    return f"req-{name.lower()}"


def link_html(href: str, name: str) -> str:
    """Return a link as short HTML, because pages have thousands of links.

    A test checks that each target exists.
    """
    return f"<a href={href}>{escape(name)}</a>"


class ReferenceRole(SphinxRole):
    """``{req}`BTM-RCV-003```, or several names with commas between them; a name may be ``TEXT <NAME>``."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return one link per name."""
        out: list[nodes.Node] = []
        for name in self.text.split(","):
            if out:
                out.append(nodes.Text(", "))
            shown, _, target = name.strip().removesuffix(">").rpartition(" <")
            link = addnodes.pending_xref(
                "",
                nodes.literal(shown or target, shown or target, classes=["jspec-ref"]),
                refdomain="jspec",
                reftype=self.kind,
                reftarget=target,
                refdoc=self.env.docname,
                refwarn=True,
                refexplicit=False,
            )
            link.source, link.line = self.get_source_info()
            out.append(link)
        return out, []
