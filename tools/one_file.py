"""Makes one file (a zipapp) of `inspect`, `recover` and other commands that need no compiled package.

``python tools/one_file.py journalspec.pyz``; then ``python3 journalspec.pyz inspect PATH`` with any Python
3.11 or later, without an installation. The file is made from the packages of this environment. Published
cases are omitted, so it cannot judge an implementation.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import zipapp
from importlib.metadata import distribution
from pathlib import Path

import journalspec
import journalspec_conformance
import journalspec_corpus
import journalspec_reference

OURS = (journalspec, journalspec_reference, journalspec_corpus, journalspec_conformance)
#: The packages that the commands import; all are in plain Python.
OTHERS = ("click", "construct", "kaitaistruct", "markdown-it-py", "mdurl", "pygments", "rich", "tomlkit")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "published", "*.pyc")
#: Commands that need compiled packages or the published cases.
ELSEWHERE = (
    "ask",
    "cases",
    "corpus",
    "corpus_states",
    "failures",
    "new_harness",
    "products",
    "query",
    "reports",
    "results",
    "run",
)
MAIN = "journalspec_conformance.__main__:main"


def collect(target: Path) -> None:
    """Copy our packages and those that they import into `target`; raises PackageNotFoundError, ValueError."""
    for package in OURS:
        shutil.copytree(Path(str(package.__file__)).parent, target / package.__name__, ignore=LEFT_OUT)
    for name in ELSEWHERE:
        (target / "journalspec_conformance" / "cli" / f"{name}.py").unlink()
    for name in OTHERS:
        for path in distribution(name).files or ():
            if path.suffix in (".so", ".pyd"):
                raise ValueError(f"{name} is not plain Python here: it has {path}")
            if ".." not in path.parts and "__pycache__" not in path.parts:
                place = target / path
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(Path(str(path.locate())), place)


def main() -> int:
    """Write the requested file and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the file to write; it must not exist")
    out: Path = parser.parse_args().out
    if out.exists():
        print(f"{out} exists: name another file", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "journalspec"
        collect(place)
        zipapp.create_archive(place, out, interpreter="/usr/bin/env python3", main=MAIN, compressed=True)
    print(f"{out}: {out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
