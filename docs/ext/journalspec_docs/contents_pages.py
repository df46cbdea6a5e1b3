"""The contents of a format: the tables of bytes in ``contents/FAMILY.toml``, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from journalspec.families import Family, Member, alternative
from journalspec_docs import observation_pages, sources

#: Maps the name of a special encoding of numbers in the tables to its description.
FORMS = {
    "bool": "a byte: true if it is not 0",
    "cint": "a number of variable length: the bits 00 and 6 more, 01 and 14 more, or 1 and 31 more",
    "clong": "a number of variable length: the bits 00 and 14 more, 01 and 30 more, or 1 and 63 more",
    "varint": (
        "a signed number of 64 bits in groups of 7, the lowest first; "
        "every byte but the last has its first bit set"
    ),
}


def family_schema(family: Family) -> Path:
    """Return the Kaitai file of a family."""
    return sources.contents_schema(family.format_id, f"{family.format_id}_{family.name}")


def forms_of(families: Iterable[Family]) -> dict[str, str]:
    """Return the encodings of numbers in these families that need an explanation."""
    used = {
        kind
        for family in families
        for shape in family.types.values()
        for member in shape.fields
        for kind in member.types
    }
    return {name: words for name, words in FORMS.items() if name in used}


def cases_of(member: Member) -> Iterator[tuple[str, str]]:
    """Yield (values of another field, type that these values select)."""
    for kind in dict.fromkeys(member.cases.values()):
        yield ", ".join(str(number) for number, each in member.cases.items() if each == kind), kind
    if member.otherwise:
        yield "all others", member.otherwise


def conditions_of(member: Member) -> Iterator[tuple[str, str]]:
    """Yield the facts about a field as pairs: words, and the value or condition that the words describe."""
    if member.when:
        name, *wanted = member.when
        yield "Only if", f"{name} {' or '.join(map(_alternative, wanted))}"
    if member.left:
        yield "Only if bytes remain", ""
    for words, value in (
        ("Since version", member.since),
        ("Up to version", member.until),
        ("Always", member.const),
        ("At least", member.low),
        ("At most", member.high),
    ):
        if value not in (None, ""):
            yield words, str(value)


def example(format_id: str) -> tuple[str, str]:
    """Return (case, JSON): the first row of a table, and a remark about the table; the shortest of all."""
    found = []
    for case in sources.cases(format_id):
        for contents in (entry["contents"] for entry in case.expect if "contents" in entry):
            for remark in contents.get("remarks", ()):
                if rows := contents.get(remark["table"]):
                    shown = {remark["table"]: rows[:1], "remarks": [remark]}
                    found.append((json.dumps(shown, ensure_ascii=False), case.id))
    text, name = min(found, key=lambda item: (len(item[0]), item[1]))
    return name, observation_pages.dumps({"contents": json.loads(text)})


def _alternative(wanted: object) -> str:
    sign, low, high = alternative(wanted)
    return {"=": f"= {low}", "!": f"<> {low}", "&": f"& {low} <> 0", "..": f"= {low} to {high}"}.get(
        sign, f"{sign} {low}"
    )
