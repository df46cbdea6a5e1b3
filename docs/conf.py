"""Sphinx configuration.

Build: ``sphinx-build -n -T -W -j auto -d docs/_build/doctrees docs docs/_build/html``. The doctrees, which
speed up the next build, have three times the size of the site and are not part of it.
"""

from __future__ import annotations

import gc
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "ext"), str(HERE.parent / "tools")]
# All pages are in memory at once. A search for reference cycles among them took a sixth of a build.
gc.set_threshold(50_000, 20, 100)

project = "journalspec"
author = "the journalspec contributors"
project_copyright = f"2026, {author}"
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
version = release

extensions = ["myst_parser", "journalspec_docs"]
exclude_patterns = [
    "_build",
    "_templates",
    "ext",
    "tests",
    "examples",
    "harness",
    "reports",
    "transcripts",
    "upstream/*",
    "**/.pytest_cache",
]
nitpicky = True

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"journalspec {release}"
html_static_path = ["_static"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
templates_path = ["_templates"]
html_css_files = ["journalspec.css"]
html_js_files = ["journalspec.js"]
# An index would contain only the terms of the glossary, which has its own page.
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
# The light style of Pygments that has colours dark enough for reading.
pygments_style = "default"
pygments_dark_style = "github-dark"
