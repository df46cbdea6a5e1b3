"""Makes packages of each format's data for PyPI, npm, crates.io and Maven: directories ready to build.

``python tools/data_packages.py OUT [--format F] [--parsers DIR]``. Each package contains the output of
`journalspec corpus archive`: cases as real files, their answers, names, JSON Schemas, the specification, and
Kaitai schemas. DIR contains the parsers that ``tools/kaitai/archives.py`` made; with it, each package
includes the parsers for its language. The version of a package is that of the corpus.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from journalspec import __version__
from journalspec.formats import format_ids, get_format
from journalspec_conformance.protocol import schemas
from journalspec_corpus.archive import members
from journalspec_corpus.load import load_cases

TIERS = ("smoke", "captured")
ANSWERS = ("common", "observation", "refused")
PYPI = """\
[build-system]
requires = ["hatchling>=1.24"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = "{about}"
requires-python = ">=3.8"
license = "CC0-1.0"

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""
MODULE = '''\
"""{about}"""

from pathlib import Path

#: The directory of the data; README.md in it says what is there.
DATA = Path(__file__).parent / "data"
'''
CRATE = """\
[package]
name = "{name}"
version = "{version}"
edition = "2021"
description = "{about}"
license = "CC0-1.0"
include = ["src/**", "data/**"]
"""
RUST = """\
//! {about}

/// The directory of the data, in the sources of this package; README.md in it says what is there.
pub const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.github.journalspec</groupId>
  <artifactId>{name}</artifactId>
  <version>{version}</version>
  <description>{about}</description>
  <licenses><license><name>CC0-1.0</name></license></licenses>
</project>
"""
NPM = """\
import {{ fileURLToPath }} from "node:url";
/** {about} */
export const data = fileURLToPath(new URL("data/", import.meta.url));
"""
#: Registry -> the language of its parsers, the directory for the data, and the other files.
LAYOUTS = {
    "pypi": ("python", "{module}/data", {"pyproject.toml": PYPI, "{module}/__init__.py": MODULE}),
    "npm": ("javascript", "data", {"index.js": NPM}),
    "crates": ("rust", "data", {"Cargo.toml": CRATE, "src/lib.rs": RUST}),
    "maven": ("java", "src/main/resources/{module}", {"pom.xml": POM}),
}


def data(format_id: str) -> list[tuple[str, bytes]]:
    """Return the files that every package of a format contains; directories are omitted."""
    cases = [case for tier in TIERS for case in load_cases(format_id, tier)]
    answers = {f"{name}.schema.json": schemas()[name] for name in ANSWERS}
    return [(name, content) for name, content in members(cases, answers) if not name.endswith("/")]


def parsers(place: Path, language: str) -> Iterator[tuple[str, bytes]]:
    """Yield the parsers of a language; raises OSError if there is no archive of them."""
    with tarfile.open(place / f"journalspec-parsers-{language}.tar.gz") as packed:
        for entry in packed:
            stream = packed.extractfile(entry)
            if stream is not None:
                yield f"parsers/{language}/{entry.name.partition('/')[2]}", stream.read()


def write(out: Path, format_id: str, made: Path | None) -> Iterator[Path]:
    """Write the packages of a format below `out` and yield their directories."""
    values = {
        "name": f"journalspec-{format_id.replace('_', '-')}-data",
        "module": f"journalspec_{format_id}_data",
        "version": __version__,
        "about": f"{get_format(format_id).title}: specification, cases with expected answers, schemas",
    }
    shared = data(format_id)
    package: dict[str, object] = {
        "name": values["name"],
        "version": __version__,
        "description": values["about"],
    }
    package |= {
        "license": "CC0-1.0",
        "type": "module",
        "exports": "./index.js",
        "files": ["index.js", "data"],
    }
    for registry, (language, place, texts) in LAYOUTS.items():
        root = out / registry / values["name"]
        wanted = [(name.format(**values), text.format(**values).encode()) for name, text in texts.items()]
        if registry == "npm":
            wanted.append(("package.json", (json.dumps(package, indent=2) + "\n").encode()))
        inner = [*shared, *(parsers(made, language) if made else ())]
        wanted += [(f"{place.format(**values)}/{name}", content) for name, content in inner]
        for name, content in wanted:
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield root


def main() -> int:
    """Write the requested packages and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="a new directory")
    parser.add_argument("--format", choices=format_ids(), help="this format only")
    parser.add_argument("--parsers", type=Path, help="the directory that tools/kaitai/archives.py wrote")
    given = parser.parse_args()
    if given.out.exists():
        print(f"{given.out} exists: name another directory", file=sys.stderr)
        return 2
    for format_id in [given.format] if given.format else format_ids():
        for place in write(given.out, format_id, given.parsers):
            files = [path for path in place.rglob("*") if path.is_file()]
            print(f"{place}: {len(files):,} files, {sum(path.stat().st_size for path in files):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
