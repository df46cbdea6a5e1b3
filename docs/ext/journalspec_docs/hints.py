"""What a link to a requirement says when one points at it: once for all pages, in a script that asks for it.

On each of ten thousand links the same words were a fiftieth of the site.
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

#: Letters of a hint: a sentence is enough to know what is meant.
LONGEST = 120
PATH = "_static/hints.js"


def hints() -> dict[str, str]:
    """Return anchor -> level and text of every requirement."""
    return {
        requirement_id(item.id): shorten(f"{item.level}: {item.text}", LONGEST, placeholder="…")
        for format_id in format_ids()
        for item in requirements(format_id)
    }


def write(app: Sphinx, problem: Exception | None) -> None:
    """Write the script, which hands all of them to journalspec.js; a page from a file may load no JSON."""
    if problem is None and isinstance(app.builder, StandaloneHTMLBuilder):
        text = json.dumps(hints(), ensure_ascii=False, separators=(",", ":"))
        Path(app.outdir, PATH).write_text(f"journalspecHints({text});\n", encoding="utf-8")
