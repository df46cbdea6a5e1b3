"""The hints that links to requirements show when the mouse is over them, in one script for all pages.

If the hints were attributes of the ten thousand links, they would take a fiftieth of the site.
"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import shorten

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from journalspec.formats import format_ids
from journalspec.requirements import requirements
from journalspec_docs.domain import requirement_id

#: The maximum number of characters of a hint, which is about one sentence.
LONGEST = 120
PATH = "_static/hints.js"


def hints() -> dict[str, str]:
    """Map the anchor of every requirement to its level and text."""
    return {
        requirement_id(item.id): shorten(f"{item.level}: {item.text}", LONGEST, placeholder="…")
        for format_id in format_ids()
        for item in requirements(format_id)
    }


def write(app: Sphinx, problem: Exception | None) -> None:
    """Write the script with all hints. It is not JSON, because a page opened as a file cannot load JSON."""
    if problem is None and isinstance(app.builder, StandaloneHTMLBuilder):
        text = json.dumps(hints(), ensure_ascii=False, separators=(",", ":"))
        Path(app.outdir, PATH).write_text(f"journalspecHints({text});\n", encoding="utf-8")
