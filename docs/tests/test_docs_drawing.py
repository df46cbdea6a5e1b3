"""Byte diagrams and hexdumps: no byte is lost or repeated, and all text is escaped."""

from __future__ import annotations

import random
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from journalspec.formats import format_ids, format_module, get_format
from journalspec_docs import alternatives, diagram, hexdump, ksy, sources
from journalspec_reference.api import Span


def types(format_id: str) -> list[tuple[ksy.KsySchema, ksy.Type]]:
    """Return the types of a format that have fields.

    One test covers all, because separate tests would cost more.
    """
    schemas = sources.schemas(format_id).values()
    found = [(schema, kind) for schema in schemas for kind in schema.types.values() if kind.fields]
    assert found, f"{format_id} has no type with fields"
    return found


def leaves(kind: ksy.Type) -> list[ksy.Field]:
    return [field for field in kind.fields if not field.is_group and str(field.size) != "0"]


@pytest.mark.parametrize("grid", [diagram.WIDE, diagram.SIDE], ids=["wide", "side"])
@pytest.mark.parametrize("format_id", format_ids())
def test_every_byte_of_every_field_is_drawn_once(format_id: str, grid: diagram.Grid) -> None:
    """A diagram is also well-formed XML, and describes its content in words."""
    for schema, kind in types(format_id):
        drawn: dict[str, int] = {}
        for row in diagram.rows(kind, grid):
            columns = [
                column for piece in row.pieces for column in range(piece.column, piece.column + piece.cells)
            ]
            assert columns == list(range(len(columns))), (schema.id, kind.name)
            assert len(columns) <= grid.per_row, (schema.id, kind.name)
            for piece in row.pieces:
                number = 0 if row.strip else piece.cells
                drawn[piece.field.id] = drawn.get(piece.field.id, 0) + number
        wanted: dict[str, int] = {}
        for field in leaves(kind):
            shown = field.size.is_fixed and field.size.fixed <= diagram.LONGEST
            wanted[field.id] = wanted.get(field.id, 0) + (field.size.fixed if shown else 0)
        assert drawn == wanted, (schema.id, kind.name)
        figure = ET.fromstring(diagram.figure(kind))  # noqa: S314 - our own output
        image = next(figure.iter("svg"))
        assert image.get("role") == "img", (schema.id, kind.name)
        words = image.get("aria-label") or ""
        assert all(f"{field.id} " in words for field in leaves(kind)), (schema.id, kind.name)


def test_field_names_that_do_not_fit_are_in_the_legend(tmp_path: Path) -> None:
    path = tmp_path / "t.ksy"
    path.write_text(
        "meta: {id: t}\nseq: [{id: a_long_name_here, type: u1}, {id: b, type: u1}]", encoding="utf-8"
    )
    text = diagram.figure(ksy.load(path).types["t"])
    assert "<li><b>1</b> <code>a_long_name_here</code></li>" in text


@pytest.mark.parametrize("format_id", format_ids())
def test_drawn_alternatives_match_the_table_of_bytes(format_id: str) -> None:
    """Exactly the forms that a builder knows are drawn, each with its editions and its record type."""
    layout = format_module("journalspec", format_id).LAYOUT
    for structure, several in alternatives.by_edition(format_id).items():
        drawn = {tuple(field.id for field in kind.fields) for kind in several}
        stored = set()
        for edition in get_format(format_id).editions:
            if not layout.has(structure, edition):
                continue
            for kind in layout.types(edition) if layout.by_type(structure) else [""]:
                names = layout.structure(structure, edition, kind).names
                assert names in drawn, f"{structure} {edition} {kind}"
                stored.add(names)
        shorter = [form for form in drawn - stored if not any(set(form) < set(names) for names in stored)]
        assert shorter == []


def test_alternatives_of_a_schema_follow_its_conditions(tmp_path: Path) -> None:
    path = tmp_path / "t.ksy"
    path.write_text(
        """
meta: {id: t}
seq:
  - {id: kind, type: u1}
  - {id: what, type: {switch-on: kind, cases: {1: short, 2: long}}}
types:
  short: {seq: [{id: number, type: u1}, {id: more, type: u1, if: number > 3}]}
  long: {seq: [{id: first, type: u4, if: number == 1}, {id: second, type: u8, if: number == 2}]}
""",
        encoding="utf-8",
    )
    schema = ksy.load(path)

    def told(name: str) -> list[tuple[str, list[tuple[str, str]]]]:
        kinds = alternatives.of_type("bitronix_tlog", schema, schema.types[name])
        return [(kind.name, [(field.id, str(field.size)) for field in kind.fields]) for kind in kinds]

    assert told("short") == [
        ("unless number > 3", [("number", "1")]),
        ("number > 3", [("number", "1"), ("more", "1")]),
    ]
    assert told("long")[:2] == [("number == 1", [("first", "4")]), ("number == 2", [("second", "8")])]
    assert [name for name, _ in told("t")] == ["kind 1", "kind 2"]


def test_segments_cover_a_file_without_overlap() -> None:
    source = random.Random(7)
    for _ in range(300):
        length = source.randrange(0, 60)
        spans = [
            Span("f", source.randrange(-3, 60), source.randrange(0, 30), f"s{number}", "field")
            for number in range(source.randrange(8))
        ]
        owners: list[str | None] = [None] * length
        for span in spans:
            for place in range(max(span.off, 0), min(span.off + span.length, length)):
                owners[place] = span.path
        found = hexdump.flatten(spans, length)
        assert [place for part in found for place in range(part.start, part.end)] == list(range(length))
        assert [
            part.span.path if part.span else None for part in found for _ in range(part.start, part.end)
        ] == owners


def bytes_of(html: str) -> bytes:
    """Return the bytes that a dump in the style `fields` shows, folds unfolded."""
    out = b""
    for line in html.splitlines():
        match = re.search(r"<i>[0-9a-f]{8}</i>\t<b class=.>([^<]*)</b>", line)
        if match is None:
            continue
        fold = re.fullmatch(r"([0-9a-f]{2}) \.\.\. \((\d+) bytes\)", match[1])
        out += bytes.fromhex(fold[1]) * int(fold[2]) if fold else bytes.fromhex(match[1])
    return out


def test_dump_shows_every_byte() -> None:
    content = bytes(range(40)) + bytes(200) + b"tail"
    spans = [
        Span("f", 0, 40, "record[0]", "record", "<A>"),
        Span("f", 0, 4, "record[0].len_x", "field", "1 & 2"),
        Span("f", 4, 20, "record[0].name", "field", '"quoted"'),
        Span("f", 240, 4, "dropped", "dropped", "torn"),
    ]
    html = hexdump.fields_html(content, spans, {"name": "payload"})
    assert bytes_of(html) == content
    assert "record[0] · &lt;A&gt; · 40 bytes at 0" in html
    assert "1 &amp; 2" in html
    assert "<b class=l>00 01 02 03</b>" in html
    assert "<b class=y>" in html
    assert "<b class=d>74 61 69 6c</b>\t\ttail" in html
    assert "00 ... (200 bytes)" in html


def test_grid_shows_the_requested_range_and_shortens_repeats() -> None:
    content = bytes(16) * 5 + bytes(range(16)) + b"<&>"
    spans = [Span("f", 80, 16, "record[0].gtrid", "field", "x")]
    html = hexdump.grid_html(content, spans, {})
    lines = unescape(re.sub(r"<[^>]+>", "", html)).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["00000000", "*", "00000050", "00000060"]
    assert lines[-1].endswith("<&>")
    only = unescape(re.sub(r"<[^>]+>", "", hexdump.grid_html(content, spans, {}, 84, 90)))
    assert only.split() == ["00000050", "04", "05", "06", "07", "08", "09", "......"]


def test_very_long_dump_shows_the_number_of_missing_bytes() -> None:
    content = bytes(range(256)) * 4
    spans = [Span("f", at, 4, f"record[{at // 4}].id", "field", "") for at in range(0, len(content), 4)]
    html = hexdump.fields_html(content, spans, {})
    assert html.count("\n") == hexdump.MAX_LINES
    assert f"{len(spans) - hexdump.MAX_LINES} more lines" in html


def test_long_field_shows_its_first_and_last_bytes() -> None:
    content = bytes(range(200))
    html = hexdump.fields_html(content, [Span("f", 0, 200, "record[0].body", "field", "b")], {})
    whole, per_line = range(200), hexdump.FIELD_WIDTH
    shown = [*whole[: hexdump.HEAD * per_line], *whole[-per_line:]]
    assert [*bytes_of(html)] == shown
    assert f"{200 - len(shown)} more bytes" in html
