"""How many lines were written by hand, per format and package: ``python -m tools.size [--json] [CHECKOUT]``.

Counted are the Python and Java files that git knows or would add. A file is a format's if its
path names the format: its id, the first word of that, or the prefix of its requirements; all
others are shared. Generated files carry a mark in their first lines or lie in ``_kaitai``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ENDINGS = frozenset({".py", ".java"})
GENERATED = re.compile(r"generated (file|by|from)\b", re.IGNORECASE)
SHARED = "shared"
SOURCE, TESTS = "source", "tests"
#: Lines per (format or SHARED, top folder, SOURCE or TESTS).
Sizes = Counter[tuple[str, str, str]]


def formats(checkout: Path) -> dict[str, frozenset[str]]:
    """Return the words by which a path names each format."""
    named = {}
    for path in sorted(checkout.glob("specs/journalspec/*/format.toml")):
        prefix = tomllib.loads(path.read_text(encoding="utf-8"))["prefix"]
        name = path.parent.name
        named[name] = frozenset({name, name.split("_")[0], prefix.lower()})
    return named


def written_files(checkout: Path) -> Iterator[PurePosixPath]:
    """Yield the hand-written files, relative to the checkout; raises CalledProcessError outside of git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=checkout, capture_output=True, check=True).stdout.decode()
    for name in sorted(set(filter(None, listed.split("\0")))):
        path = PurePosixPath(name)
        if path.suffix in ENDINGS and "_kaitai" not in path.parts and (checkout / path).is_file():
            with (checkout / path).open(encoding="utf-8") as stream:
                head = [
                    line for line, _ in zip(stream, range(3), strict=False) if line.startswith(("#", "//"))
                ]
            if not GENERATED.search("".join(head)):
                yield path


def owner(path: PurePosixPath, named: dict[str, frozenset[str]]) -> str:
    """Return the format that `path` names, or SHARED."""
    words = {word for part in path.parts for word in (part, *PurePosixPath(part).stem.split("_"))}
    return next((name for name, of_it in named.items() if of_it & words), SHARED)


def sizes(checkout: Path) -> Sizes:
    """Count the lines of a checkout."""
    named = formats(checkout)
    counted: Sizes = Counter()
    for path in written_files(checkout):
        top = path.parts[0] if len(path.parts) > 1 else "."
        kind = TESTS if TESTS in path.parts or path.name == "conftest.py" else SOURCE
        with (checkout / path).open("rb") as stream:
            counted[owner(path, named), top, kind] += sum(1 for _ in stream)
    return counted


def table(counted: Sizes) -> str:
    """Return the counts as text: a row per format, two columns per package, totals at both ends."""
    owners = [*sorted({key[0] for key in counted} - {SHARED}), SHARED]
    tops = sorted({key[1] for key in counted})
    kinds = [
        (top, kind) for top in tops for kind in (SOURCE, TESTS) if any(k[1:] == (top, kind) for k in counted)
    ]
    head = ["", *(f"{top} {kind}" if kind == TESTS else top for top, kind in kinds), "source", "tests", "all"]
    rows = []
    for label, of_it in [*((owner, {owner}) for owner in owners), ("total", set(owners))]:
        counts = [sum(counted[one, *kind] for one in of_it) for kind in kinds]
        by_kind = [
            sum(n for n, kind in zip(counts, kinds, strict=True) if kind[1] == k) for k in (SOURCE, TESTS)
        ]
        rows.append([label, *(f"{count:,}" for count in (*counts, *by_kind, sum(counts)))])
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) if not at else text.rjust(width) for at, (text, width) in enumerate(row))
        for row in (list(zip(line, widths, strict=True)) for line in (head, *rows))
    )


def as_json(counted: Sizes) -> str:
    """Return the counts as JSON: format, then package, then kind."""
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for (name, top, kind), lines in sorted(counted.items()):
        nested.setdefault(name, {}).setdefault(top, {})[kind] = lines
    return json.dumps(nested, indent=1)


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--json", action="store_true", help="nested objects in place of the table")
    chosen = parser.parse_args(arguments)
    counted = sizes(chosen.checkout)
    print(as_json(counted) if chosen.json else table(counted))


if __name__ == "__main__":
    main()
