"""Measures the size of the built site: ``python tools/site_weight.py SITE``; exit code 1 if too large.

Pages that only redirect (a permanent or an old address) have a few hundred bytes. They are counted separately
from pages for reading, but their bytes are included.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

#: The bytes of all files, and the number of pages for reading.
SITE_BYTES, PAGES = 25_000_000, 220
#: Bytes and nodes (elements and texts) of one page.
PAGE_BYTES, PAGE_NODES = 500_000, 20_000

#: The number of kinds of files and of pages that are listed, the heaviest first.
MOST = 8

#: The beginning of every page that only redirects.
SENDS_ON = "<meta http-equiv=refresh"
#: "<" and ">" are escaped in attributes, so that each "<" before a letter begins a tag.
NODE = re.compile(r"<[A-Za-z]|>[^<]*[^<\s]")


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML file."""

    name: str
    size: int
    nodes: int
    sends_on: bool

    def is_too_heavy(self) -> bool:
        """Return whether the page is too heavy for a reader."""
        return self.size > PAGE_BYTES or self.nodes > PAGE_NODES


@dataclass(frozen=True, slots=True)
class Site:
    """A site: its bytes by the ending of the file, and its pages, the heaviest first."""

    endings: dict[str, int]
    pages: list[Page]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(self.endings.values())

    @property
    def read(self) -> list[Page]:
        """The pages for reading, without those that only redirect."""
        return [page for page in self.pages if not page.sends_on]

    def problems(self) -> list[str]:
        """Return a sentence for each exceeded bound."""
        found = []
        if self.size > SITE_BYTES:
            found.append(f"the site has {self.size:,} bytes; {SITE_BYTES:,} are allowed")
        if len(self.read) > PAGES:
            found.append(f"the site has {len(self.read)} pages; {PAGES} are allowed")
        found += [
            f"{page.name} has {page.size:,} bytes and {page.nodes:,} nodes; "
            f"{PAGE_BYTES:,} and {PAGE_NODES:,} are allowed"
            for page in self.pages
            if page.is_too_heavy()
        ]
        return found


def weigh(root: Path) -> Site:
    """Weigh the files below `root`."""
    endings: Counter[str] = Counter()
    pages = []
    for path in (path for path in root.rglob("*") if path.is_file()):
        size = path.stat().st_size
        endings[path.suffix or path.name] += size
        if path.suffix == ".html":
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root).as_posix()
            pages.append(Page(name, size, len(NODE.findall(text)), SENDS_ON in text[:400]))
    pages.sort(key=lambda page: (-page.size, page.name))
    return Site(dict(endings.most_common()), pages)


def main() -> int:
    """Print the number of bytes of a site, and the exceeded limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    options = parser.parse_args()
    site = weigh(options.site)
    if not site.pages:
        parser.error(f"no page below {options.site}")
    print(f"{site.size:>12,} bytes, {len(site.read)} pages, {len(site.pages) - len(site.read)} redirects")
    for ending, size in list(site.endings.items())[:MOST]:
        print(f"{size:>12,} {ending}")
    for page in site.pages[:MOST]:
        print(f"{page.size:>12,} {page.nodes:>7,} nodes  {page.name}")
    problems = site.problems()
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
