"""The page that reads a file in the browser: the available parsers, and names of types and fields.

The parsers are generated from the ``.ksy`` files (``tools/kaitai/generate.mjs``) and lie in
``_static/parsers``; ``_static/try-reader.js`` runs them in a worker, ``_static/try.js`` shows the result. The
format's table of bytes contains information that the parsers lack: the names of types and files, the names of
fields that differ in the ``.ksy``, and the checksums.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from families_ksy import ksy_id, version_number

from journalspec.families import families
from journalspec.formats import format_module, get_format
from journalspec.parsers import codec_of
from journalspec.schemas import described


def parser_table(format_id: str) -> dict[str, Any]:
    """Return a format's data for the page, as JSON: the parser of each edition, and names."""
    layout = format_module("journalspec", format_id).LAYOUT
    editions = {}
    for edition in get_format(format_id).editions:
        name, given = layout.ksy(edition)
        wanted = signature(codec_of(format_id).parser(edition)).parameters
        form = layout.structure("record", edition)
        editions[edition] = {
            "ksy": name,
            "params": [given[item] for item in wanted if item in given],
            "records": layout.whole(edition),
            "type_field": layout.type_field,
            "types": {str(number): kind for kind, number in layout.types(edition).items()},
            "names": {item.ksy: item.name for item in form.fields if item.ksy},
            "inner": layout.inner,
        }
    page = layout.page
    return {
        "id": format_id,
        "title": get_format(format_id).title,
        "default": get_format(format_id).default_edition,
        "named": page.get("names", {}),
        "sums": page.get("sums", []),
        "inner_sums": page.get("inner_sums", []),
        "end": page.get("end"),
        "contents": [_contents(format_id, row) for row in layout.contents],
        "editions": editions,
    }


def _contents(format_id: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data for reading the contents of a field: the parsers and their arguments, newest version
    first.
    """
    name, _, shape = row["of"].partition(".")
    family = families(format_id)[name]
    versions = [[version_number(family, each)] for each in reversed(family.versions)]
    return {
        "ksy": ksy_id(family),
        "type": "" if shape == family.roots[0] else shape,
        "field": row["field"],
        "on": row.get("on", {}),
        "starts": row.get("starts", [""]),
        "given": versions if "version" in family.needs[shape] else [[]],
    }


def parser_tables() -> list[dict[str, Any]]:
    """Return the tables of all formats that have parsers."""
    return [parser_table(name) for name in described()]
