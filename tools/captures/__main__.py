"""Captured files of a format, made by its products: see the package's text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Python runs the folder, but its modules import each other as members of the package.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from captures import capture_of
from journalspec.formats import format_ids


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python tools/captures",
        description="Make captured directories: OUT/<product>/<scenario>/ for every scenario chosen.",
    )
    parser.add_argument("format", choices=format_ids(), help="the format whose products are asked")
    parser.add_argument("out", type=Path, help="directory for <product>/<scenario>/")
    parser.add_argument("--product", action="append", help="default: all of the format")
    parser.add_argument("--select", default="*", help="glob over scenario names")
    parser.add_argument("--again", action="store_true", help="only describe existing captures again")
    options = parser.parse_args()
    made = capture_of(options.format)
    for name in {*(options.product or ())} - {*made.products()}:
        parser.error(f"--product {name}: {options.format} has {', '.join(made.products()) or 'none'}")
    return made.capture(options.product, options.select, options.out, again=options.again)


if __name__ == "__main__":
    sys.exit(main())
