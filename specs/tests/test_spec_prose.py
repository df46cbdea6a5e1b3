"""The prose of all formats cites existing requirements, has every area in its list, and has all sections."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from journalspec.formats import format_ids, get_format
from journalspec.requirements import requirements

SPECS = Path(__file__).resolve().parents[1] / "journalspec"
WITH_PROSE = [format_id for format_id in format_ids() if (SPECS / format_id / "spec.md").is_file()]
each_format = pytest.mark.parametrize("format_id", WITH_PROSE)
#: The chapters that every specification has, in this order; each heading begins with these words.
CHAPTERS = [
    "Scope and products",
    "Glossary",
    "File set and life cycle",
    "Primitive encodings",
    "Record catalogue",
    "Integrity",
    "Ordering and transactions",
    "Recovery",
    "Limits",
    "Compatibility",
    "The seed document and its errata",
    "Worked examples",
]


def prose(format_id: str) -> str:
    return (SPECS / format_id / "spec.md").read_text(encoding="utf-8")


@each_format
def test_chapters_are_in_order(format_id: str) -> None:
    headings = re.findall(r"^## (.+)$", prose(format_id), re.MULTILINE)
    places = [
        next((at for at, heading in enumerate(headings) if heading.startswith(chapter)), None)
        for chapter in CHAPTERS
    ]
    missing = [chapter for chapter, place in zip(CHAPTERS, places, strict=True) if place is None]
    assert not missing, f"spec.md has no chapters ## {', ## '.join(missing)}"
    assert places == sorted(places, key=lambda place: place or 0)


@each_format
def test_every_area_is_listed_once(format_id: str) -> None:
    listed = re.findall(
        rf"^```\{{requirement-list\}} {format_id} ([A-Z]{{3}})$", prose(format_id), re.MULTILINE
    )
    assert sorted(listed) == sorted(requirements(format_id).areas)


@each_format
def test_requirements_are_cited_by_a_role(format_id: str) -> None:
    """The build of the site, in which warnings are errors, checks that requirements exist and that links
    work.
    """
    assert "{req}`" in prose(format_id), "cite requirements where the prose says what they demand: {req}`ID`"
    bare = re.findall(rf"(?<![`\w]){get_format(format_id).prefix}-[A-Z]{{3}}-\d{{3}}", prose(format_id))
    assert not bare, "cite requirements with the role {req}"


@each_format
def test_codes_notes_and_reasons_in_the_prose_exist_in_the_format(format_id: str) -> None:
    spec = get_format(format_id)
    text = prose(format_id)
    pairs = re.findall(r"`(fileset|header|record|checksum)`/`([a-z-]+)`", text)
    assert pairs, "name refusals by phase and code: `header`/`bad-magic`"
    for phase, code in pairs:
        assert spec.codes[code].startswith(f"{phase}: "), code
    reasons = re.findall(r"^\| \d \|.*\| `([a-z-]+)` \|", text, re.MULTILINE)
    for reason in reasons:
        assert reason in spec.reasons
    for note in re.findall(r"notes? `([a-z-]+)`", text):
        assert note in spec.notes


@each_format
def test_decisions_cite_existing_passages(format_id: str) -> None:
    headings = re.findall(r"^##+ (.+)$", prose(format_id), re.MULTILINE)
    known = requirements(format_id)
    for item in known:
        if item.source["kind"] != "decision":
            continue
        for passage in item.source["passages"]:
            word, _, other = passage.partition(" of ")
            if word == "Why":
                assert known[other or item.id].why, f"{item.id}: {passage}: that requirement has no `why`"
            else:
                assert any(heading.startswith(passage.partition(": ")[0]) for heading in headings), (
                    f"{item.id}: {passage!r} is no heading of spec.md (HEADING, Why, or Why of ID)"
                )
