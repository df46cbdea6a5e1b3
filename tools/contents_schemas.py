"""Writes the Kaitai schemas of contents from their tables: ``python tools/contents_schemas.py [--check]``.

For each ``contents/FAMILY.toml`` of a format, it writes ``FORMAT_FAMILY.ksy`` next to it. With ``--check``
nothing is written: stale schemas are listed, and the exit status is 1. Then `node tools/kaitai/generate.mjs`
makes the Python parsers.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from families_ksy import ksy, ksy_id

from journalspec.families import families
from journalspec.formats import format_ids

SPECS = Path(__file__).resolve().parents[1] / "specs" / "journalspec"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="list the outdated schemas, and write nothing")
    check = parser.parse_args().check
    stale = []
    for format_id in format_ids():
        for family in families(format_id).values():
            path = SPECS / format_id / "contents" / f"{ksy_id(family)}.ksy"
            text = ksy(family)
            if path.is_file() and path.read_text(encoding="utf-8") == text:
                continue
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'stale' if check else 'written'}: {', '.join(stale)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
