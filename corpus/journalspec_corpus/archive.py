"""Writes the published cases as an archive that needs no Python: real files, JSON, and a README about both.

The same cases lead to the same ``.tar`` everywhere: members are sorted, and contain neither time nor owner.
The bytes of a compressed archive also depend on the version of zlib.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

from journalspec import __version__
from journalspec.formats import get_format
from journalspec_corpus import asked
from journalspec_corpus.case import Case

#: Maps the suffix of an archive's name to whether the archive is compressed.
SUFFIXES = {".tar": False, ".tar.gz": True, ".tgz": True}

_README = """\
# journalspec corpus {version}

{count} cases ({tiers}) as directories. Nothing here needs journalspec, or Python. CC0-1.0.
A case that repeats another in a different edition is counted, too.

    index.json                        one entry per case: id, format, edition, tier, directory, files
    cases/FORMAT/ID/case.json         the case: questions and permitted answers
    cases/FORMAT/ID/files/            its journal, as real files; work on a copy
    names/FORMAT.json                 every name that an answer may carry, with types and ranges; `contents`
                                      lists the tables, columns and remarks of the level `contents`
    schemas/*.schema.json             JSON Schemas of cases and answers
    specification/FORMAT/             the specification, and its numbered requirements
    ksy/FORMAT/                       Kaitai Struct schemas, from which parsers in many languages are made
    parsers/python/FORMAT/            those parsers in Python

To write a reader, read in this order:

1. `specification/FORMAT/spec.md`, with `requirements.toml` beside it: the format, and all requirements
2. `names/FORMAT.json`: the names in your answers
3. only for the level `contents`: the member `contents` of that file, and the schemas in `ksy/FORMAT/`
4. `schemas/`: the form of answers as JSON
5. the rules of the comparison below

The site has the same pages in the same order.

Then loop over `index.json`. For each `when` in the `expect` of the case: copy `files/`, let your
implementation read the copy, and compare.

## What the questions ask

Each table counts the questions by the highest level that one of their expectations lists. `write` counts the
questions to writers.
"""


def compressed(path: Path) -> bool:
    """Return whether an archive of this name is compressed; raises ValueError with the known endings."""
    for suffix, packed in SUFFIXES.items():
        if path.name.endswith(suffix):
            return packed
    raise ValueError(f"{path.name}: an archive's name ends in {', '.join(SUFFIXES)}")


def write_archive(path: Path, cases: Sequence[Case], schemas: Mapping[str, Mapping[str, Any]]) -> None:
    """Write `cases` to `path`, with `schemas` (file name -> JSON Schema of answers) next to the schema of
    cases.

    Raises ValueError for a name with another suffix, CaseError for a case whose id or paths cannot be file
    names, FileExistsError if `path` exists, and OSError if `path` cannot be written. After an error no file
    is left.
    """
    packed = compressed(path)
    with path.open("xb") as stream:
        try:
            if packed:
                with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=stream, mtime=0) as inner:
                    _write(inner, cases, schemas)
            else:
                _write(stream, cases, schemas)
        except BaseException:
            path.unlink()
            raise


def _write(
    stream: gzip.GzipFile | IO[bytes], cases: Sequence[Case], schemas: Mapping[str, Mapping[str, Any]]
) -> None:
    root = f"journalspec-corpus-{__version__}"
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members(cases, schemas):
            entry = tarfile.TarInfo(f"{root}/{name}".rstrip("/"))
            entry.mode = 0o644
            if name.endswith("/"):
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def members(cases: Sequence[Case], schemas: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield (name below the archive's root, content) of every member; a directory ends in a slash."""
    package = files("journalspec_corpus")
    ordered = sorted(cases, key=lambda case: (case.format, case.id))
    tiers = ", ".join(sorted({case.tier for case in cases}))
    form = package.joinpath("CASES.md").read_text(encoding="utf-8")
    readme = _README.format(version=__version__, count=len(ordered), tiers=tiers) + _questions(ordered)
    yield "README.md", f"{readme}\n{form}".replace("\n# ", "\n## ").encode()
    yield "index.json", _json([_entry(case) for case in ordered])
    yield "schemas/case.schema.json", package.joinpath("case.schema.json").read_bytes()
    yield from ((f"schemas/{name}", _json(schema)) for name, schema in sorted(schemas.items()))
    for name in dict.fromkeys(case.format for case in ordered):
        table = get_format(name).root.joinpath("fields.toml").read_text(encoding="utf-8")
        names = {key: value for key, value in tomllib.loads(table).items() if key != "layout"}
        tables = get_format(name).root.joinpath("contents", "tables.toml")
        if tables.is_file():
            names["contents"] = tomllib.loads(tables.read_text(encoding="utf-8"))
        yield f"names/{name}.json", _json(names)
        yield from _described(name)
    for case in ordered:
        case.check_names()
        place = _place(case)
        yield f"{place}/case.json", _json(case.to_json())
        yield f"{place}/files/", b""
        yield from ((f"{place}/files/{name}", content) for name, content in sorted(case.files().items()))


#: The folder of a format, the suffix of the files in this folder, and the folder of these files in an
#: archive.
_DESCRIBED = (
    ("", "spec.md", "specification"),
    ("", "requirements.toml", "specification"),
    ("", ".ksy", "ksy"),
    ("contents", ".ksy", "ksy"),
    ("_kaitai", ".py", "parsers/python"),
)


def _described(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that describe a format for people and programs."""
    for folder, ending, place in _DESCRIBED:
        there = get_format(name).root.joinpath(folder)
        if there.is_dir():
            for entry in sorted(there.iterdir(), key=lambda entry: entry.name):
                if entry.name.endswith(ending):
                    yield f"{place}/{name}/{entry.name}", entry.read_bytes()


def _questions(cases: Sequence[Case]) -> str:
    """Return a section about the questions of each format and tier."""
    parts: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        parts.setdefault((case.format, case.tier), []).append(case)
    return "".join(
        f"\n### {format_id}, {tier}\n\n" + "\n".join(asked.in_words(own)) + "\n"
        for (format_id, tier), own in parts.items()
    )


def _place(case: Case) -> str:
    return f"cases/{case.format}/{case.id}"


def _entry(case: Case) -> dict[str, Any]:
    members = {"id": case.id, "format": case.format, "edition": case.edition, "tier": case.tier}
    return members | {"directory": _place(case), "files": sorted(file.path for file in case.input.files)}


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
