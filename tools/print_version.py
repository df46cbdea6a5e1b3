"""Puts the pages of one format onto one page, for printing or for reading in one place.

``python tools/print_version.py SITE FORMAT OUT.html``; SITE is the built site. Links between these pages stay
on the page; other links lead to the site.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

#: The pages, in the order for reading.
PAGES = ("index", "spec", "requirements", "observation", "schemas", "contents", "deviations", "rules")
ARTICLE = re.compile(r"<article\b[^>]*>(.*)</article>", re.DOTALL)
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
LINK = re.compile(r'(<a\b[^>]*?\bhref=)("?)([^"\s>]*)\2')
ID = re.compile(r'(<[A-Za-z][^>]*?\sid=)("?)([^"\s>]+)\2')
STYLES = ("_static/pygments.css", "_static/styles/furo.css", "_static/journalspec.css")
PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>{styles}
body {{ display: block; max-width: 60em; margin: auto; padding: 1em; }}
details > * {{ display: block; }} article + article {{ break-before: page; }}</style></head>
<body>
{articles}
</body></html>
"""


def joined(site: Path, format_id: str) -> str:
    """Return the combined page; raises OSError or ValueError if the site lacks a page or a part of one."""
    folder = site / "formats" / format_id
    articles, title = [], ""
    for name in PAGES:
        text = (folder / f"{name}.html").read_text(encoding="utf-8")
        found, told = ARTICLE.search(text), TITLE.search(text)
        if found is None or told is None:
            raise ValueError(f"{folder / name}.html is no page of the site")
        title = title or told[1]
        articles.append(f'<article id="{name}">{_here(found[1], name)}</article>')
    styles = "".join((site / path).read_text(encoding="utf-8") for path in STYLES)
    return PAGE.format(title=title, styles=styles, articles="\n".join(articles))


def _here(text: str, name: str) -> str:
    """Return the article of a page. Its anchors and links get the name of the page as a prefix."""

    def link(found: re.Match[str]) -> str:
        path, _, anchor = found[3].partition("#")
        page = path.removesuffix(".html") or name
        if ":" not in path and page in PAGES:
            target = f"#{page}-{anchor}" if anchor else f"#{page}"
            return f'{found[1]}"{target}"'
        return found[0]

    return LINK.sub(link, ID.sub(lambda found: f'{found[1]}"{name}-{found[3]}"', text))


def main() -> int:
    """Write the page and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("format")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    try:
        given.out.write_text(joined(given.site, given.format), encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{given.out}: {given.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
