"""The table of fields of every format is compared with its observations and its schemas.

The parsers are generated from the .ksy files. They must read the bytes that the table builds, field by field.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from journals import laid
from journalspec import elements
from journalspec.formats import get_format
from journalspec.layout import Field, Layout, Part, Structure, joined
from journalspec.observation import CLEAN, Observation
from journalspec.schemas import KINDS, Codec, SchemaError, codec, described, reread
from journalspec.vocabulary import WIDTHS

SPECS = Path(__file__).resolve().parents[1] / "journalspec"
FORMATS = described()


def layout_of(format_id: str) -> Layout:
    layout: Layout = import_module(f"journalspec.{format_id}").LAYOUT
    return layout


def codecs(format_id: str) -> list[Codec]:
    return [codec(format_id, kind) for kind in KINDS]


def structures() -> Iterator[Any]:
    """Yield every structure of every format, edition and record type."""
    for format_id in FORMATS:
        layout = layout_of(format_id)
        for edition in get_format(format_id).editions:
            for name in ("header", "record", "control"):
                kinds = layout.types(edition) if layout.by_type(name) else [""]
                for kind in kinds if layout.has(name, edition) else ():
                    label = f"{format_id}-{edition}-{kind or name}"
                    yield pytest.param(format_id, edition, name, kind, id=label)


STRUCTURES = list(structures())
each_structure = pytest.mark.parametrize(("format_id", "edition", "name", "kind"), STRUCTURES)


@cache
def ksy_types(format_id: str, schema: str) -> set[str]:
    """Return the names of the types of a .ksy file, read once."""
    tree = yaml.safe_load((SPECS / format_id / f"{schema}.ksy").read_text(encoding="utf-8"))
    return {*tree["types"]}


def is_in_ksy(format_id: str, edition: str, name: str) -> bool:
    """Return whether an edition's .ksy has the structure. Another .ksy may describe a control file."""
    layout = layout_of(format_id)
    return layout.structure(name, edition).ksy in ksy_types(format_id, layout.ksy(edition)[0])


@pytest.mark.parametrize("format_id", FORMATS)
def test_table_and_observations_agree_on_types_and_widths(format_id: str) -> None:
    layout, words = layout_of(format_id), get_format(format_id).vocabulary
    for edition in get_format(format_id).editions:
        types = layout.types(edition)
        known = {
            name
            for name, entry in words.record_types.items()
            if not entry.editions or edition in entry.editions
        }
        assert known - {"OTHER"} == set(types)
        for name, number in types.items():
            told = words.record_types[name].doc.split(":")[0]
            assert str(number) in re.findall(r"\d+", told), (
                f"record_types.{name} does not begin with {number}:"
            )
        stored = {item.name: item for item in layout.structure("record", edition).fields}
        for entry in words.fields:
            item = stored.get(entry.name)
            here = not entry.editions or edition in entry.editions
            if item is None or not here or not item.is_int or entry.kind != "int":
                continue
            # The file id of a record is reported with the width of the header's file id, which may be longer.
            assert entry.width == item.type or (entry.name == "file_id" and entry.width == "s8"), entry.name


def values_of(form: Structure, rng: random.Random) -> dict[str, Any]:
    """Return random values for the free fields of a structure: all but lengths, checksums, constants."""
    out: dict[str, Any] = {}
    for item in form.fields:
        if item.type == "list":
            out[item.name] = [element(item, rng) for _ in range(rng.randrange(4))]
        elif item.is_int and item.name not in form.measures and not item.counts and not item.check:
            low, high = WIDTHS[item.type]
            # A field with only a lower bound is an offset. Its value is that bound, so that it lies inside
            # the file.
            low, high = low if item.low is None else item.low, item.high or item.low or high
            out[item.name] = rng.choice([low, high, rng.randint(low, high)])
        elif item.size and not item.same:
            out[item.name] = rng.randbytes(item.size)
        elif item.length or item.fills or item.rest:
            out[item.name] = rng.randbytes(rng.choice([least(form, item), 1, 17, 100]))
    return out


def least(form: Structure, item: Field) -> int:
    """Return the least number of bytes of `item`. It is not 0 if a length field with a minimum counts only
    `item`.
    """
    alone = (other.low for other in form.fields if other.counts == (item.name, item.name) and other.low)
    return next(alone, 0)


def element(item: Field, rng: random.Random) -> dict[str, Any]:
    free = [member for member, measured in item.members if not measured]
    return {
        m.name: rng.randint(*WIDTHS[m.type]) if m.is_int else rng.randbytes(rng.randrange(9)) for m in free
    }


@each_structure
def test_built_bytes_are_read_back_by_the_table_and_both_schemas(
    format_id: str, edition: str, name: str, kind: str
) -> None:
    layout = layout_of(format_id)
    form = layout.structure(name, edition, kind)
    for seed in range(3):
        values = values_of(form, random.Random(seed))
        if kind:  # The record type is given, not random.
            values[layout.type_field] = kind
        parts = layout.encode(name, edition, values, kind)
        data = joined(parts)
        spots = list(layout.spans(name, edition, data))
        assert [(spot.name, spot.length) for spot in spots] == [
            (p.name, len(p.data)) for p in parts if p.data
        ]
        assert sum(spot.length for spot in spots) == len(data)
        read = layout.read(name, edition, data)
        if layout.by_type(name):
            end = layout.claimed_end(name, edition, b"??" + data + b"?", 2, len(data) + 3)
            assert end == len(data) + 2
        for each in codecs(format_id) if is_in_ksy(format_id, edition, name) else ():
            seen = each.read(name, edition, b"??" + data, 2, "f")
            assert (seen.off, seen.size) == (2, len(data))
            assert {**dict.fromkeys(form.names, b""), **read} == {
                **dict.fromkeys(form.names, b""),
                **seen.fields,
            }
        for key, value in values.items():
            if not isinstance(value, (list, str)):
                assert read.get(key, b"") == value, key


@each_structure
def test_single_wrong_field_is_the_only_reported_fault(
    format_id: str, edition: str, name: str, kind: str
) -> None:
    """A value that follows from other fields is checked. Any other value is accepted."""
    layout = layout_of(format_id)
    form = layout.structure(name, edition, kind)
    values = values_of(form, random.Random(1)) | ({layout.type_field: kind} if kind else {})
    sound = layout.encode(name, edition, values, kind)
    for item in form.checked:
        wrong: Any = 3 if item.is_int else bytes(item.width)
        parts = layout.encode(name, edition, {**values, item.name: wrong}, kind)
        sums = {check.name for check in form.fields if check.check}
        assert {a.name for a, b in zip(sound, parts, strict=True) if a != b} - sums == {item.name} - sums
        for each in codecs(format_id):
            with pytest.raises(SchemaError) as caught:
                each.read(name, edition, joined(parts), 0, "f")
            assert caught.value.file == "f"


@pytest.mark.parametrize("format_id", FORMATS)
def test_unknown_entries_are_refused(format_id: str) -> None:
    layout, spec = layout_of(format_id), get_format(format_id)
    kind = next(iter(layout.types(spec.default_edition)))
    with pytest.raises(TypeError, match=r"has no no_such_field: there are"):
        layout.encode("record", spec.default_edition, {"no_such_field": 1}, kind)
    with pytest.raises(KeyError):
        layout.structure("no such structure", spec.default_edition)
    with pytest.raises(KeyError, match="NO_SUCH_TYPE"):
        layout.structure("record", spec.default_edition, "NO_SUCH_TYPE")


@pytest.mark.parametrize("format_id", FORMATS)
def test_unknown_editions_and_incomplete_containers_are_refused(format_id: str) -> None:
    for kind in KINDS:
        with pytest.raises(SchemaError, match=r"no schema for edition '4\.0'"):
            reread(format_id, kind, {}, "4.0", Observation(CLEAN))
    file_schema = elements.codec_of(format_id)
    with pytest.raises(SchemaError, match="no schema for edition"):
        file_schema.decode(b"", "4.0")
    with pytest.raises(SchemaError, match="cannot be built"):
        file_schema.build({"header": {}}, get_format(format_id).default_edition)


def test_pieces_are_placed_at_their_offsets() -> None:
    assert laid([b"ab", b"c"], size=6, fill=0x2E) == b"abc..."
    assert laid([b"ab", (6, b"c"), b"d"], fill=0x2E) == b"ab....cd"
    assert laid([b"ab", b"c"], alignment=4) == b"ab\0\0c\0\0\0"
    assert laid([b"AB"], background=b"abcd") == b"ABcd"
    assert laid([b"abcd"], size=3) == b"abc"
    assert joined([Part("a", b"1"), Part("b", b"2")]) == b"12"


class Looked(bytes):
    """Bytes that may be read only a limited number of times, to detect an endless loop."""

    left = 200

    def __getitem__(self, place: Any) -> Any:
        self.left -= 1
        assert self.left, "the parser continues after the last byte"
        return super().__getitem__(place)


@each_structure
def test_parsing_with_a_wrong_count_stops_at_the_last_byte(
    format_id: str, edition: str, name: str, kind: str
) -> None:
    """Every number is the largest possible one. Still, a parser must not continue after the last byte."""
    layout = layout_of(format_id)
    form = layout.structure(name, edition, kind)
    head = b"".join(
        layout.types(edition)[kind].to_bytes(item.width, "big")
        if kind and item.name == layout.type_field
        else (b"\x7f" + b"\xff" * (item.width - 1))
        for item in form.fields
        if item.is_int
    )
    for length in (0, 4, 8, 40):
        spots = list(layout.spans(name, edition, Looked(head + b"\xff" * length)))
        assert sum(spot.length for spot in spots) <= len(head) + length
