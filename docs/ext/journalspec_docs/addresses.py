"""Addresses that stay: ``/r/BTM-RCV-003`` for each requirement, case and deviation, and the addresses of
earlier pages.

Each is a file of a few hundred bytes that sends the reader on, for a host that has nothing but files. One
page with a script that knows every id would be of no use to a reader without scripts, nor to a link checker.
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

#: The most cases on a page when each group had pages of its own: no group had more of them.
CASES_OF_BEFORE = 60
#: The kinds with an address of their own: their ids are permanent.
KINDS = ("req", "case", "deviation")
FOLDER = "r"
#: Removed pages, and the pages that have their content now.
MOVED = dict.fromkeys(("fast-path", "crash-engine", "second-lives"), "crash-model")
#: Likewise, within the directory of a format's cases: each old anchor has the same name there.
MOVED |= {f"{generate.FOLDER}/{name}/cases/flags": "index" for name in format_ids()}


def group_pages() -> Iterator[tuple[str, str, str]]:
    """Yield (page, kind, name) where a group, or a part of one, had a page before several shared one."""
    for format_id in format_ids():
        for group, cases in sources.cases_by_group(format_id).items():
            parts = range(1, -(-len(cases) // CASES_OF_BEFORE) + 1)
            for number in parts:
                page = group if number == 1 else f"{group}-{number}"
                yield f"{generate.FOLDER}/{format_id}/cases/{page}.html", "group", f"{format_id}/{group}"


def write(app: Sphinx, problem: Exception | None) -> None:
    """Write every address that no page has."""
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
        path.write_text(sends_on(url, target.node_id, name, had_anchors=kind == "group"), encoding="utf-8")
    for old, new in MOVED.items():
        # Where only some of the pages are made, others have nothing to lead to.
        if join(dirname(old), new) not in app.env.found_docs:
            continue
        to = sends_on(f"{new}.html", "", new, had_anchors="/" in old)
        Path(app.outdir, f"{old}.html").write_text(to, encoding="utf-8")


def sends_on(url: str, anchor: str, name: str, *, had_anchors: bool) -> str:
    """Return a page that leads to `anchor` of `url`; if it `had_anchors`, to the one that it is asked for."""
    to = escape(f"{url}#{anchor}" if anchor else url)
    # Only an earlier page had anchors.
    script = f'<script>location.hash&&location.replace("{escape(url)}"+location.hash)</script>'
    return (
        f'<!doctype html><meta http-equiv="refresh" content="0; url={to}">'
        f"<title>{escape(name)}</title>{script if had_anchors else ''}"
    )
