"""The sources of the pages: files of the project, read once per build.

No name of a format occurs in this module. A missing file is a warning, so that a build with ``-W`` fails.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from journalspec.formats import format_module, get_format
from journalspec.layout import Layout
from journalspec_corpus.case import Case
from journalspec_corpus.flags import Flag, load_flags
from journalspec_corpus.load import AGAIN, PUBLISHED_TIERS, load_cases
from journalspec_docs import ksy
from journalspec_reference.api import Span, load

Thing = TypeVar("Thing")

#: The directory of committed results that would take too long to compute during a build of the site.
DATA = Path(__file__).parents[2] / "data"


#: The tables from which the pages of every format are made.
PAGE_TABLES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("pages.toml").read_text("utf-8"))
#: The checkout, which contains the files that the site offers for download.
ROOT = Path(__file__).parents[3]


def room(format_id: str) -> Path:
    """Return the directory of the checkout that contains the specification of a format."""
    return ROOT / "specs" / "journalspec" / get_format(format_id).id


def plain_readers(format_id: str) -> list[str]:
    """Return the files of a format's plain reader by their paths in the checkout; the shared file is last."""
    corpus = ROOT / "corpus" / "journalspec_corpus"
    found = [*sorted((corpus / format_id).glob("naive*.py")), corpus / "naive.py"]
    return [path.relative_to(ROOT).as_posix() for path in found]


def imports_of(paths: Iterable[str], package: str) -> list[str]:
    """Return the modules of `package` that these files of the checkout import, without the files."""
    found: set[str] = set()
    for node in (node for path in paths for node in ast.parse((ROOT / path).read_text("utf-8")).body):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            found.update(f"{package}.{each.name}" for each in node.names)
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{package}."):
            found.add(str(node.module))
    own = {".".join(Path(path).with_suffix("").parts[1:]) for path in paths}
    return sorted(found - own)


@cache
def schemas(format_id: str) -> Mapping[str, ksy.KsySchema]:
    """Return the Kaitai schemas of a format's files by their ids; raises ksy.SchemaProblem.

    The schemas of its contents are not included, because a type of contents may contain itself, and no
    diagram can show such a type.
    """
    loaded = [ksy.load(path) for path in sorted(room(format_id).glob("*.ksy"))]
    return {schema.id: schema for schema in loaded}


def contents_schema(format_id: str, name: str) -> Path:
    """Return the Kaitai file of a family of contents, by its id."""
    return room(format_id) / "contents" / f"{name}.ksy"


@cache
def _with_contents(format_id: str, name: str) -> Mapping[str, ksy.KsySchema]:
    """Return the schemas of a format, and if `name` is a type of its contents, the schema of this type."""
    path = contents_schema(format_id, name.partition("::")[0])
    return {**schemas(format_id), **({path.stem: ksy.load(path)} if path.is_file() else {})}


def shown_type(format_id: str, name: str) -> tuple[ksy.KsySchema, ksy.Type]:
    """Return the type called `name` (or ``schema::name``) and its schema; raises LookupError.

    For a type of contents, `name` must begin with its schema. Fields have their names in JSON and dumps; if
    the schema has a different name, the text of the field says so.
    """
    known = _with_contents(format_id, name)
    found = {schema.id: schema.types for schema in known.values()}
    owner, kind = _find(format_id, "type", name, found)
    names = {
        item.ksy: item.name
        for edition, structure, layout in structures(format_id)
        if layout.ksy(edition)[0] == owner
        for item in layout.structure(structure, edition).fields
        if item.ksy
    }
    fields = tuple(
        replace(field, id=names[field.id], doc=f"{field.doc} In the schema: `{field.id}`.")
        if field.id in names
        else field
        for field in kind.fields
    )
    return known[owner], replace(kind, fields=fields)


def structures(format_id: str) -> Iterator[tuple[str, str, Layout]]:
    """Yield (edition, structure, table of bytes) of a format's headers and records."""
    layout = getattr(format_module("journalspec", format_id), "LAYOUT", None)
    if layout is not None:
        for edition in get_format(format_id).editions:
            for name in ("header", "record"):
                if layout.has(name, edition):
                    yield edition, name, layout


@cache
def examples(format_id: str) -> Mapping[tuple[str, str], tuple[Case, str, Span]]:
    """Map (schema, type) to a case, its file and the span of one such header or record in it.

    It is the first intact structure in published order, in the first edition that the schema describes.
    """
    wanted = {
        (edition, name): (layout.ksy(edition)[0], layout.structure(name, edition).ksy)
        for edition, name, layout in structures(format_id)
    }
    names = {
        (edition, name): {item.name for item in layout.structure(name, edition).fields}
        for edition, name, layout in structures(format_id)
    }
    found: dict[tuple[str, str], tuple[Case, str, Span]] = {}
    for case in cases(format_id):
        open_keys = [key for key in wanted if key[0] == case.edition and wanted[key] not in found]
        if case.category != "clean" or not open_keys:
            continue
        spans = list(load(format_id).spans(case.files(), edition=case.edition))
        for key in open_keys:
            alike = {each: _fields(each, spans) & names[key] for each in spans if each.kind == key[1]}
            # A span of a page is treated like a record here, although a page is not a record of the log.
            some = [each for each, own in alike.items() if each.length and own]
            span = next((each for each in some if alike[each] == names[key]), next(iter(some), None))
            if span is not None:
                found[wanted[key]] = case, span.file, span
    return found


def _fields(record: Span, spans: Iterable[Span]) -> set[str]:
    """Return the names of the fields of a record among `spans`."""
    own = f"{record.path}."
    return {
        each.path.removeprefix(own)
        for each in spans
        if each.file == record.file and each.path.startswith(own)
    }


def find_enum(format_id: str, name: str) -> tuple[ksy.EnumEntry, ...]:
    """Return the enum called `name` (or ``schema::name``); raises LookupError."""
    found = {schema.id: schema.enums for schema in schemas(format_id).values()}
    return _find(format_id, "enum", name, found)[1]


def _find(
    format_id: str, what: str, name: str, by_schema: Mapping[str, Mapping[str, Thing]]
) -> tuple[str, Thing]:
    """Return (schema id, object) for a name with or without its schema; raises LookupError listing names."""
    every = {
        f"{owner}::{bare}": (owner, thing) for owner, own in by_schema.items() for bare, thing in own.items()
    }
    for full, found in every.items():
        if name in (full, full.rpartition("::")[2]):
            return found
    raise LookupError(
        f"{format_id} has no {what} {name!r} in its schemas; known are {', '.join(every) or 'none'}"
    )


@cache
def roles_of(format_id: str) -> Mapping[str, str]:
    """Map field names to roles, which determine the colours in hexdumps and diagrams.

    For each field, the keys are its id in the schema and the product's name in snake case.
    """
    found: dict[str, str] = {}
    for schema in schemas(format_id).values():
        for kind in schema.types.values():
            for field in kind.fields:
                found.setdefault(field.id, field.role)
                found.setdefault(re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", field.original).lower(), field.role)
    return found


@cache
def cases(format_id: str) -> tuple[Case, ...]:
    """Return all published cases of a format, tier after tier."""
    return tuple(case for tier in PUBLISHED_TIERS for case in load_cases(format_id, tier))


def case_of(format_id: str, wanted: str) -> Case:
    """Return the case with an id; raises LookupError."""
    found = next((case for case in cases(format_id) if case.id == wanted), None)
    if found is None:
        raise LookupError(f"{format_id} has no case {wanted!r}")
    return found


@cache
def cases_by_group(format_id: str) -> Mapping[str, tuple[Case, ...]]:
    """Return a map from groups to cases in published order. A group is the part of an id between its first
    and last dot.

    A case that repeats another case in a different edition is not listed, because it is shown with that case.
    """
    groups: dict[str, list[Case]] = {}
    for case in cases(format_id):
        if case.id not in _firsts(format_id):
            name = case.id.split(".", 1)[1].rpartition(".")[0]
            groups.setdefault(name, []).append(case)
    return {name: tuple(members) for name, members in groups.items()}


@cache
def _firsts(format_id: str) -> Mapping[str, str]:
    """Map the id of each case that repeats another in a different edition to the id of the first one."""
    known = {case.id for case in cases(format_id)}
    told = ((case.id, case.id.removesuffix(AGAIN.format(case.edition))) for case in cases(format_id))
    return {name: first for name, first in told if name != first and first in known}


def repeated(format_id: str) -> Counter[str]:
    """Return the number of cases in each group that repeat another case in a different edition."""
    return Counter(first.split(".", 1)[1].rpartition(".")[0] for first in _firsts(format_id).values())


def told_again(case: Case) -> list[Case]:
    """Return the same case in other editions, in published order."""
    names = [name for name, first in _firsts(case.format).items() if first == case.id]
    return [other for other in cases(case.format) if other.id in names] if names else []


@cache
def covering(format_id: str, requirement: str) -> tuple[list[Case], list[Case]]:
    """Return the cases that obey a requirement, and those that break it."""
    obeyed = [case for case in cases(format_id) if requirement in case.obeys]
    return obeyed, [case for case in cases(format_id) if requirement in case.breaks]


@cache
def proofs(format_id: str) -> Mapping[str, Mapping[str, str]]:
    """Map requirement ids to {mutant, case} or {why}; a test checks that the file is up to date."""
    path = DATA / f"proofs-{format_id}.json"
    found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


@cache
def flags(format_id: str) -> Mapping[str, Flag]:
    """Return the flags that a format's cases may have."""
    return load_flags(format_id)


def captured_root(format_id: str) -> Path:
    """Return the directory of a format's captured files."""
    return ROOT / "corpus" / "captured" / format_id
