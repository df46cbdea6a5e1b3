"""Permanent addresses, such as ``/r/BTM-RCV-003``, for each requirement, case, deviation and removed page.

Each address is a file of a few hundred bytes that redirects the reader, because the host serves only files. A
single page with a script for all ids would not work in browsers without scripts, nor in link checkers.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from posixpath import dirname, join, relpath

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from journalspec.formats import format_ids
from journalspec_docs import domain, generate, sources

#: The maximum number of cases on a page at the time when each group of cases had its own pages.
CASES_OF_BEFORE = 60
#: The kinds of objects with an address of their own, because their ids are permanent.
KINDS = ("req", "case", "deviation")
FOLDER = "r"
#: Maps a removed page to the page that now contains its content.
MOVED = dict.fromkeys(("fast-path", "crash-engine", "second-lives"), "crash-model")
#: Maps each removed page of flags to the new page. The anchors have the same names on the new page.
MOVED |= {f"{generate.FOLDER}/{name}/cases/flags": "index" for name in format_ids()}


def group_pages() -> Iterator[tuple[str, str, str]]:
    """Yield (page, kind, name) of the removed pages, each of which contained a group or a part of it."""
    for format_id in format_ids():
        for group, cases in sources.cases_by_group(format_id).items():
            parts = range(1, -(-len(cases) // CASES_OF_BEFORE) + 1)
            for number in parts:
                page = group if number == 1 else f"{group}-{number}"
                yield f"{generate.FOLDER}/{format_id}/cases/{page}.html", "group", f"{format_id}/{group}"


def write(app: Sphinx, problem: Exception | None) -> None:
    """Write a redirecting file for each address at which there is no page."""
    if problem is not None or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    found = domain.domain_of(app.env).objects
    wanted = [(f"{FOLDER}/{name}/index.html", kind, name) for kind, name in found if kind in KINDS]
    for page, kind, name in (*wanted, *group_pages()):
        path = Path(app.outdir, page)
        if (kind, name) not in found or page.removesuffix(".html") in app.env.found_docs:
            continue
        target = found[kind, name]
        url = relpath(app.builder.get_target_uri(target.docname), dirname(page))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sends_on(url, target.node_id, had_anchors=kind == "group"), encoding="utf-8")
    for old, new in MOVED.items():
        # If only some pages are built, the target may not exist.
        if join(dirname(old), new) not in app.env.found_docs:
            continue
        to = sends_on(f"{new}.html", "", had_anchors="/" in old)
        Path(app.outdir, f"{old}.html").write_text(to, encoding="utf-8")


def sends_on(url: str, anchor: str, *, had_anchors: bool) -> str:
    """Return a page that redirects to `anchor` of `url`.

    If the removed page `had_anchors`, the redirect keeps the anchor that the browser requested.
    """
    to = escape(f"{url}#{anchor}" if anchor else url)
    # Thousands of these pages have the same short title. Only a removed page needs the script, which passes
    # the requested anchor on.
    script = f'<script>location.hash&&location.replace("{escape(url)}"+location.hash)</script>'
    return (
        f'<!doctype html><meta http-equiv=refresh content="0;url={to}">'
        f"<title>Moved</title>{script if had_anchors else ''}"
    )
