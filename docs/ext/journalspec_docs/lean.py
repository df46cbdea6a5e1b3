"""What HTML lets one omit is omitted from every page, and what the theme ships for its own developers.

Ends of cells, rows and entries of lists, blanks between elements, one hint that each heading repeats: a
twentieth of the site, and nothing that a browser shows.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

#: Text in which blanks count.
KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
#: Each ends where its parent does or its next sibling begins, with only blanks between (HTML 13.1.2.4).
ENDS = re.compile(r"\s*</(?:td|th|tr|thead|tbody|li|dt|dd)>\s*")
BLANKS = re.compile(r"\s*\n\s*")
#: journalspec.js says it of every such link.
HINT = ' title="Link to this heading"'
#: Who made the page, which its foot says, and the width of a screen, once more.
TWICE = re.compile(r'<!--.*?-->\n?|<meta name="viewport" content="width=device-width, initial-scale=1" />')
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
#: Maps from the theme's small files to its sources, which the site does not have.
SOURCE_MAPS = "*.map"


def lean(page: str) -> str:
    """Return a page without what it needs not have; a second time changes nothing."""
    page = STYLE.sub(lambda style: " ".join(style[0].split()), TWICE.sub("", page))
    parts = KEPT.split(page)
    # The expression has two groups: text, what is kept, its name, text, ...
    texts = [BLANKS.sub("\n", ENDS.sub("", text)).replace(HINT, "") for text in parts[::3]]
    return "".join(text + kept for text, kept in zip(texts, [*parts[1::3], ""], strict=True))


def write(app: Sphinx, problem: Exception | None) -> None:
    """Make every page lean that was built."""
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
