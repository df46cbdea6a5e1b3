"""Where the pages get their content: the project's own files, read once per build.

Nothing here knows a format by name. What is missing is a warning, so that a
build with ``-W`` fails on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from journalspec.deviations import Deviation
from journalspec.deviations import deviations as load_deviations
from journalspec.formats import format_ids, get_format
from journalspec.requirements import RequirementSet, requirements
from journalspec_corpus.case import Case
from journalspec_corpus.flags import Flag, load_flags
from journalspec_corpus.load import PUBLISHED_TIERS, load_cases
from journalspec_docs import ksy

__all__ = [
    "captured_root",
    "cases",
    "cases_by_group",
    "deviations",
    "flags",
    "format_ids",
    "get_format",
    "group_of",
    "proof_file",
    "proofs",
    "requirements_of",
    "roles_of",
    "schemas",
    "spec_path",
]


def room(format_id: str) -> Path:
    """Return the directory that holds the specification of a format."""
    return Path(str(get_format(format_id).root))


def spec_path(format_id: str) -> Path:
    """Return the path of the prose specification, which may not exist."""
    return room(format_id) / "spec.md"


def requirements_of(format_id: str) -> RequirementSet:
    """Return the requirements of a format."""
    return requirements(format_id)


@cache
def schemas(format_id: str) -> Mapping[str, ksy.Schema]:
    """Return the Kaitai schemas of a format by their ids; raises ksy.SchemaProblem."""
    loaded = [ksy.load(path) for path in sorted(room(format_id).glob("*.ksy"))]
    return {schema.id: schema for schema in loaded}


def find_type(format_id: str, name: str) -> tuple[ksy.Schema, ksy.Type]:
    """Return the type called `name` (or ``schema::name``); raises LookupError that lists what there is."""
    wanted, _, bare = name.rpartition("::")
    found = [
        (schema, schema.types[bare])
        for schema in schemas(format_id).values()
        if bare in schema.types and wanted in ("", schema.id)
    ]
    if found:
        return found[0]
    known = ", ".join(
        f"{schema.id}::{kind}" for schema in schemas(format_id).values() for kind in schema.types
    )
    raise LookupError(f"{format_id} has no type {name!r} in its schemas; known are {known or 'none'}")


def find_enum(format_id: str, name: str) -> tuple[ksy.EnumEntry, ...]:
    """Return the enum called `name` (or ``schema::name``); raises LookupError."""
    wanted, _, bare = name.rpartition("::")
    for schema in schemas(format_id).values():
        if bare in schema.enums and wanted in ("", schema.id):
            return schema.enums[bare]
    known = ", ".join(name for schema in schemas(format_id).values() for name in schema.enums)
    raise LookupError(f"{format_id} has no enum {name!r} in its schemas; known are {known or 'none'}")


@cache
def roles_of(format_id: str) -> Mapping[str, str]:
    """Return field name -> role, which colours hexdumps as it does diagrams.

    A field goes by its id in the schema and by the product's name in snake case.
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


def case_files(format_id: str) -> list[Path]:
    """Return the files that the published cases and their flags come from."""
    root = Path(str(resources.files("journalspec_corpus")))
    found = [root / "published" / format_id / f"{tier}.jsonl" for tier in PUBLISHED_TIERS]
    found += [root / "flags.toml", root / format_id / "flags.toml"]
    return [path for path in found if path.is_file()]


def group_of(case: Case) -> str:
    """Return the group of a case: what stands between the first and the last dot of its id."""
    return case.id.split(".", 1)[1].rpartition(".")[0]


def cases_by_group(format_id: str) -> Mapping[str, tuple[Case, ...]]:
    """Return the cases in published order under their groups."""
    groups: dict[str, list[Case]] = {}
    for case in cases(format_id):
        groups.setdefault(group_of(case), []).append(case)
    return {name: tuple(members) for name, members in groups.items()}


@cache
def covering(format_id: str) -> Mapping[str, tuple[tuple[Case, ...], tuple[Case, ...]]]:
    """Return requirement id -> (cases that obey it, cases that break it)."""
    found: dict[str, tuple[list[Case], list[Case]]] = {}
    for case in cases(format_id):
        for name in case.obeys:
            found.setdefault(name, ([], []))[0].append(case)
        for name in case.breaks:
            found.setdefault(name, ([], []))[1].append(case)
    return {name: (tuple(obeys), tuple(breaks)) for name, (obeys, breaks) in found.items()}


def proof_file(format_id: str) -> Path:
    """Return where the proofs of a format stand: the mutant and the case that show a must to be tested."""
    return Path(__file__).parents[2] / "data" / f"proofs-{format_id}.json"


@cache
def proofs(format_id: str) -> Mapping[str, Mapping[str, str]]:
    """Return requirement id -> {mutant, case} or {why}; a test keeps the file as the gate finds it."""
    path = proof_file(format_id)
    found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def flags(format_id: str | None) -> Mapping[str, Flag]:
    """Return the flags that a format's cases may carry."""
    return load_flags(format_id)


def deviations(format_id: str) -> tuple[Deviation, ...]:
    """Return what products of a format do differently; raises ValueError if the file is faulty."""
    return load_deviations(format_id)


def captured_root(format_id: str) -> Path:
    """Return the directory of a format's captured files."""
    return Path(__file__).parents[3] / "corpus" / "captured" / format_id


@cache
def protocol_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the protocol's JSON Schemas by file name."""
    root = resources.files("journalspec_conformance").joinpath("protocol")
    found = sorted(
        (item for item in root.iterdir() if item.name.endswith(".json")), key=lambda item: item.name
    )
    return {item.name: json.loads(item.read_text(encoding="utf-8")) for item in found}
