"""Flip single bits of what was built, and see whether `journalspec corpus verify` sees each.

    python tools/flip.py --count 500 --seed 1 [DIR ...]

DIR is a build, or a folder of published tiers; without it, a small core build of each
format is made, and the tiers that come with the package are taken too. All is copied
first: DIR is only read. Every file has the same share of the flips, however small it is,
and of a gzip or Parquet file every second one hits the first or last 64 bytes, where its
own format is. Nothing is remembered between two flips: each time all files are read again.

Every flip is a function of seed and number: `--only N` repeats one.
Exit status: 0 every flip was seen; 1 one was not, or verify fell over it; 2 usage.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from journalspec.formats import format_ids
from journalspec_conformance.cli._tables import show_table
from journalspec_corpus.crash.adapter import has_crash_format
from journalspec_corpus.load import published_folder
from journalspec_corpus.pipeline.build import Builder, build
from journalspec_corpus.pipeline.manifest import ManifestError
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.published import publish_core
from journalspec_corpus.pipeline.verify import verify
from journalspec_corpus.shipped import holds_tiers, verify_tiers

#: Each so many-th workload makes a build of some thousand states in a second.
EVERY = 997
#: How many bytes at both ends of a compressed file are hit more often.
EDGE = 64
PACKED = (".gz", ".parquet")


@dataclass
class Row:
    """What was done to one file."""

    flips: int = 0
    seen: int = 0
    raised: int = 0


@dataclass(frozen=True)
class Artefact:
    """A file of a copied directory, and how it is told in the table."""

    directory: Path
    path: Path

    @property
    def name(self) -> str:
        """Return directory and file."""
        return f"{self.directory.name}/{self.path.relative_to(self.directory).as_posix()}"


def artefacts(directories: list[Path]) -> list[Artefact]:
    """Return every file of `directories` that is not empty."""
    found = [Artefact(root, path) for root in directories for path in sorted(root.rglob("*"))]
    return [one for one in found if one.path.is_file() and one.path.stat().st_size]


def small(base: Path) -> Iterator[Path]:
    """Yield a small build of each format that has crash states, and its published tiers."""
    for format_id in format_ids():
        folder = published_folder(format_id)
        if folder is not None:
            yield folder
        if has_crash_format(format_id):
            plan, out = Plan(format_id, "core", every=EVERY), base / f"{format_id}-core"
            publish_core(plan, out, build(plan, out, Builder("local")))
            yield out


def place(draw: random.Random, one: Artefact) -> int:
    """Return the offset of the byte to hit."""
    size = one.path.stat().st_size
    if one.path.suffix in PACKED and size > 2 * EDGE and draw.random() < 1 / 2:
        edge = draw.randrange(2 * EDGE)
        return edge if edge < EDGE else size - 2 * EDGE + edge
    return draw.randrange(size)


def seen(directory: Path) -> bool:
    """Tell whether verify finds something wrong."""
    try:
        return bool((verify_tiers if holds_tiers(directory) else verify)(directory).problems)
    except ManifestError:
        return True


def flip(path: Path, offset: int, bit: int) -> None:
    """Flip one bit of a file in place."""
    with path.open("r+b") as stream:
        stream.seek(offset)
        value = stream.read(1)[0]
        stream.seek(offset)
        stream.write(bytes((value ^ 1 << bit,)))


def trial(seed: int, number: int, among: list[Artefact], rows: dict[str, Row]) -> str:
    """Make flip `number`, look, and undo it; return what was wrong, nothing if it was seen."""
    draw = random.Random(f"{seed}/{number}")
    one = among[draw.randrange(len(among))]
    offset, bit = place(draw, one), draw.randrange(8)
    row = rows.setdefault(one.name, Row())
    row.flips += 1
    flip(one.path, offset, bit)
    try:
        if seen(one.directory):
            row.seen += 1
            return ""
        return f"flip {number}: {one.name}, offset {offset}, bit {bit}: not seen"
    except Exception:  # verify may say anything, but has to say it
        row.raised += 1
        return f"flip {number}: {one.name}, offset {offset}, bit {bit}: {traceback.format_exc()}"
    finally:
        flip(one.path, offset, bit)


def summed(rows: dict[str, Row], among: list[Artefact]) -> list[list[str]]:
    """Return the lines of the table, one per file, and a sum."""
    sizes = {one.name: one.path.stat().st_size for one in among}
    lines = [[name, str(sizes[name]), str(row.flips), str(row.seen)] for name, row in sorted(rows.items())]
    flips, total = sum(row.flips for row in rows.values()), sum(row.seen for row in rows.values())
    return [*lines, ["all", str(sum(sizes.values())), str(flips), str(total)]]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=500, help="how many flips (default: 500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this flip only")
    options = parser.parse_args(arguments)
    if options.count < 1:
        parser.error("--count must be 1 or more")
    if missing := [str(path) for path in options.directories if not path.is_dir()]:
        parser.error(f"no directory: {', '.join(missing)}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="flip-") as name:
        base = Path(name)
        (base / "made").mkdir()
        sources = options.directories or list(small(base / "made"))
        copies = [base / f"{number}-{source.resolve().name}" for number, source in enumerate(sources)]
        for source, copy in zip(sources, copies, strict=True):
            shutil.copytree(source, copy)
            if seen(copy):
                print(f"error: {source} is not sound before anything is flipped", file=sys.stderr)
                return 2
        among, rows, faults = artefacts(copies), dict[str, Row](), 0
        for number in range(options.count) if options.only is None else (options.only,):
            fault = trial(options.seed, number, among, rows)
            if fault:
                faults += 1
                print(fault, flush=True)
        show_table(("file", "bytes", "flips", "seen"), summed(rows, among))
    print(f"{time.monotonic() - started:.0f} s, {faults} not seen")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
