"""Schemas in the documentation: offsets and sizes of fields, and refusals of schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from journalspec_docs import ksy
from journalspec_docs.ksy import Extent, offset_text

TOY = Path(__file__).with_name("toy.ksy").read_text(encoding="utf-8")


def schema(tmp_path: Path, text: str = TOY) -> ksy.KsySchema:
    path = tmp_path / "toy.ksy"
    path.write_text(text, encoding="utf-8")
    return ksy.load(path)


def test_offsets_are_sums_of_the_earlier_fields(tmp_path: Path) -> None:
    entry = schema(tmp_path).types["entry"]
    rows = [(field.id, field.depth, str(field.offset), str(field.size)) for field in entry.fields]
    assert rows == [
        ("kind", 0, "0", "1"),
        ("len_body", 0, "1", "2"),
        ("body", 0, "3", "len_body - 3"),
        ("flag", 1, "3", "size(flag)"),
        ("text", 1, "3 + size(flag)", "size(text)"),
        ("pairs", 0, "len_body", "48"),
        ("crc", 0, "48 + len_body", "4"),
    ]
    assert str(entry.size) == "52 + len_body"


def test_type_with_one_use_is_shown_inside_the_using_type(tmp_path: Path) -> None:
    root = schema(tmp_path).types["toy"]
    groups = [(field.id, field.depth) for field in root.fields if field.is_group]
    assert groups == [("entry", 0), ("body", 1)]
    assert [str(field.offset) for field in root.fields if field.id == "crc"] == ["52 + len_body"]
    assert str(root.fields[-1].offset) == "56 + len_body"


def test_row_of_a_field_has_its_facts(tmp_path: Path) -> None:
    found = schema(tmp_path)
    fields = {field.id: field for field in found.types["toy"].fields}
    assert (fields["magic"].value, fields["magic"].role) == ("54 4f 59 21", "magic")
    assert fields["magic"].requirements == ("TOY-HDR-001",)
    assert (fields["kind"].type, fields["kind"].enum, fields["kind"].original) == (
        "uint8",
        "kind",
        "entryKind",
    )
    assert (fields["len_body"].allowed, fields["len_body"].role) == ("<= 900 (0x384)", "length")
    assert fields["pairs"].repeat == "4 times"
    assert fields["flag"].condition == "_parent.kind == kind::b"
    assert fields["crc"].role == "check"
    assert [(item.id, item.value) for item in found.types["entry"].instances] == [("total", "len_body + 7")]
    assert [(item.value, item.id, item.original) for item in found.enums["kind"]] == [
        (1, "a", ""),
        (16, "b", "KIND_B"),
    ]
    assert found.types["toy"].doc == "First paragraph, same one.\n\nSecond one."


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("type: body", "type: nobody"), "nobody"),
        (("type: pair\n", "type: entry\n"), "contains itself"),
        (("contents: TOY!", "contents: 7"), "contents"),
        (("  id: toy\n", ""), "id"),
        (("seq:", "seq: ["), "toy.ksy"),
    ],
)
def test_undisplayable_type_is_an_error_with_its_name(
    tmp_path: Path, change: tuple[str, str], complaint: str
) -> None:
    assert change[0] in TOY
    with pytest.raises(ksy.SchemaProblem, match=complaint):
        schema(tmp_path, TOY.replace(*change, 1))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["12"], "12"),
        (["28", "len_record - 24"], "4 + len_record"),
        (["16", "len_header", "len_record - len_header - 8"], "8 + len_record"),
        (["3", "len_a - 9"], "len_a - 6"),
        (["1", "a / 2"], "1 + a / 2"),
        (["1", "(a + b) * 2"], "1 + ((a + b) * 2)"),
        (["0"], "0"),
    ],
)
def test_sums_are_simplified(parts: list[str], text: str) -> None:
    total = Extent()
    for part in parts:
        total = total + Extent.parse(part)
    assert str(total) == text


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("len_record", "length"),
        ("names_count", "length"),
        ("crc32", "check"),
        ("ofs_tail", "pointer"),
        ("end_marker", "magic"),
        ("time", "value"),
    ],
)
def test_role_of_a_field_follows_from_its_name(name: str, role: str) -> None:
    assert ksy.role_of_name(name) == role


def test_known_offset_is_shown_in_hexadecimal_too() -> None:
    assert offset_text(Extent(28)) == "28 (0x1c)"
    assert offset_text(Extent(28, ("a",))) == "28 + a"
