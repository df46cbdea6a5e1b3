"""A small Sphinx extension: it generates every part of the site that can be generated.

Tables, diagrams and pages come from the files that the code itself uses (schemas, requirements, cases,
reports), so that the site cannot contradict them.
"""

from __future__ import annotations

import gc
from functools import cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from journalspec_docs import addresses, domain, generate, hints, lean, markup, parts

#: The thresholds of Python's search for reference cycles. A page is a tree of ten thousand nodes with
#: references to their parents. Python searched all these nodes again and again, which took a fifth of a
#: build.
COLLECTED = (10_000, 20, 50)


class Search(SearchEnglish):
    """The search of Sphinx with a cache of stems. Without the cache, stemming took a twentieth of a build."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stems = cache(super().stem)

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return self._stems(word)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the domain, the roles, the directives and the page generator."""
    gc.set_threshold(*COLLECTED)
    app.add_domain(domain.JournalspecDomain)
    app.add_search_language(Search)
    for kind in domain.KINDS:
        app.add_role(kind, domain.ReferenceRole(kind))
    for name in parts.names():
        app.add_directive(name, parts.Part)
    app.connect("builder-inited", generate.write)
    app.connect("build-finished", lean.write)
    app.connect("build-finished", hints.write)
    app.connect("build-finished", addresses.write)
    navigation = generate.Navigation()
    app.connect("env-updated", navigation.collect)
    app.connect("html-page-context", navigation.place, priority=100)
    app.set_translator("html", markup.Translator)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
