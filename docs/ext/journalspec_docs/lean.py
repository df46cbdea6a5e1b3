"""Removes parts that a browser does not need from every page, and from the files of the theme.

It removes the end tags of cells, rows and list entries, blanks between elements, quotes around simple values,
a class that no style uses, and hints that a page repeats. These parts are a tenth of the site. A browser
shows the same page without them.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

#: Elements in which blanks are significant.
KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
#: Optional end tags: each element ends where its parent ends or its next sibling begins, with only blanks
#: between (HTML 13.1.2.4).
ENDS = re.compile(r"\s*</(?:td|th|tr|thead|tbody|li|dt|dd)>\s*")
#: A paragraph ends where a block begins or its parent ends, unless the parent is a link.
PARAGRAPH = re.compile(r"</p>\s*(?=</?(?:p|div|dl|ul|ol|table|section|details|figure|h[1-6]|pre)\b)")
BLANKS = re.compile(r"\s*\n\s*")
#: A value that needs no quotes (HTML 13.1.2.3). A value that ends in "/" keeps them, because of "/>".
QUOTED = re.compile(r'(?<==)"([^\s"\'=<>`]*[^\s"\'=<>`/])"(?=[\s>])')
TAG = re.compile(r"<[a-z][^<>]*>")
#: The class of each link within the site; no style of the theme or of this project uses `internal`.
INTERNAL = ' class="reference internal"'
#: The hint of links to headings: journalspec.js adds it to all of them.
HINT = ' title="Link to this heading"'
#: A link with a hint. Only the first of several links to the same target keeps it: journalspec.js copies it.
HINTED = re.compile(r'(<a class=jspec-ref href=(\S+)) title=(?:"[^"]*"|[^\s">]+)')
#: Three parts: the generator's comment, which the footer repeats; a second viewport; and parameters of the
#: search that no script reads.
TWICE = re.compile(
    r'<!--.*?-->\n?|<meta name="viewport" content="width=device-width, initial-scale=1" />'
    r'|<input type="hidden" name="(?:check_keywords|area)" value="\w+">\n?'
)
#: The type of a style sheet, and the namespace of SVG within HTML, are the defaults. No form sends the
#: checkboxes of the navigation, so they need only an id, no name. `jspec-facts` has all styles that its lists
#: need, without those of `field-list`. No style uses `no-search`, and the
#: search index is made from the texts, not from the pages.
DEFAULTS = re.compile(
    r' type="text/css"| xmlns="http://www\.w3\.org/2000/svg"| name="toctree-checkbox-\d+"'
    r'| class="no-search"'
    r"|(?<=jspec-facts) field-list(?= simple)"
)
#: Source maps of the theme's minified files; the site does not contain the sources.
SOURCE_MAPS = "*.map"


def lean(page: str) -> str:
    """Return a page without its unneeded parts; a second call changes nothing."""
    parts = KEPT.split(TWICE.sub("", page))
    # The expression has two groups. Therefore the parts are: text, element to keep, name of the element,
    # text, ...
    texts = [
        _tags(BLANKS.sub("\n", PARAGRAPH.sub("\n", ENDS.sub("", text))).replace(HINT, ""))
        for text in parts[::3]
    ]
    kept = [
        _tags(part) if name == "pre" else part for part, name in zip(parts[1::3], parts[2::3], strict=True)
    ]
    return _hinted_once("".join(text + part for text, part in zip(texts, [*kept, ""], strict=True)))


def _hinted_once(page: str) -> str:
    """Return a page in which no two links to the same target have a hint."""
    hinted: set[str] = set()

    def once(link: re.Match[str]) -> str:
        first = link[2] not in hinted
        hinted.add(link[2])
        return link[0] if first else link[1]

    return HINTED.sub(once, page)


def _tags(text: str) -> str:
    """Return a text without the unneeded quotes in its tags."""
    text = text.replace(INTERNAL, " class=reference")
    return TAG.sub(lambda tag: QUOTED.sub(r"\1", DEFAULTS.sub("", tag[0])), text)


def write(app: Sphinx, problem: Exception | None) -> None:
    """Apply :func:`lean` to every built page."""
    if problem is not None or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    root = Path(app.outdir)
    for name in app.env.found_docs:
        path = root / f"{name}.html"
        text = path.read_text(encoding="utf-8")
        if (small := lean(text)) != text:
            path.write_text(small, encoding="utf-8")
    for path in (root / "_static").rglob(SOURCE_MAPS):
        path.unlink()
