"""The worked examples of every specification are built byte for byte, and have their stated results."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from journals import laid
from journalspec.formats import format_ids, format_module, get_format
from journalspec.layout import Layout
from journalspec.schemas import KINDS, codec, described

EXAMPLES: list[dict[str, Any]] = [
    example
    for table in sorted((Path(__file__).parent / "data").glob("*examples.toml"))
    for example in tomllib.loads(table.read_text(encoding="utf-8"))["example"]
    if example["format"] in format_ids()
]
each_example = pytest.mark.parametrize(
    "example", EXAMPLES, ids=[f"{each['edition']}-{each.get('name', 'hex')}" for each in EXAMPLES]
)


def dumps(format_id: str) -> dict[str, bytes]:
    """Return name -> bytes for the hexdumps without gaps that a format's prose names as examples."""
    prose = get_format(format_id).root.joinpath("spec.md").read_text(encoding="utf-8")
    found = {}
    for name, block in re.findall(r":name: (\S+-example-\S+)\n\n(.*?)```", prose, re.DOTALL):
        rows = [re.match(r"([0-9a-f]{4})  ((?:[0-9a-f]{2}(?: |$))+)", line) for line in block.splitlines()]
        assert all(rows), name
        pieces = [(int(row[1], 16), bytes.fromhex(row[2])) for row in rows if row]
        found[name] = b"".join(data for _, data in pieces)
        ends = [pieces[0][0] + sum(len(data) for _, data in pieces[:index]) for index in range(len(pieces))]
        assert ends == [at for at, _ in pieces], name
    return found


def built(layout: Layout, edition: str, piece: Mapping[str, Any]) -> bytes:
    """Return the bytes of one piece: the structure with this name and these values."""
    ((name, values),) = piece.items()
    kind = values[layout.type_field] if layout.by_type(name) else ""
    items = {item.name: item for item in layout.structure(name, edition, kind).fields}

    def value(name: str, given: Any) -> Any:
        if isinstance(given, dict):
            return built(layout, edition, given)
        if isinstance(given, str) and name != layout.type_field:
            return bytes.fromhex(given)
        if isinstance(given, list) and all(isinstance(row, str) for row in given):
            (text,) = (member.name for member in items[name].of if not member.width)
            return [{text: row.encode("ascii")} for row in given]
        return given

    return layout.build(name, edition, kind, **{name: value(name, given) for name, given in values.items()})


def whole(example: Mapping[str, Any], pieces: Sequence[Mapping[str, Any]]) -> bytes:
    layout, edition = format_module("journalspec", example["format"]).LAYOUT, example["edition"]
    before = b"".join(built(layout, edition, piece) for piece in example.get("over", ()))
    return laid([built(layout, edition, piece) for piece in pieces], background=before)


def bytes_of(example: Mapping[str, Any]) -> bytes:
    return bytes.fromhex(example["hex"]) if "hex" in example else dumps(example["format"])[example["name"]]


@each_example
def test_example_is_built_byte_for_byte_and_read_back(example: dict[str, Any]) -> None:
    data, layout = bytes_of(example), format_module("journalspec", example["format"]).LAYOUT
    if "name" in example:
        assert dumps(example["format"])[example["name"]] == data
    if "pieces" not in example:
        return
    assert whole(example, example["pieces"]) == data
    for kind in KINDS:
        at = 0
        for piece in example["pieces"]:
            ((name, values),) = piece.items()
            found = codec(example["format"], kind).read(name, example["edition"], data, at, "")
            plain = {key: given for key, given in values.items() if isinstance(given, int)}
            assert plain.items() <= dict(found.fields).items()
            told = values.get(layout.type_field, "")
            assert found.type == (
                told if isinstance(told, str) else layout.type_name(example["edition"], told)
            )
            at += found.size


def part_of(small: Any, large: Any) -> bool:
    """Return whether `large` contains `small`: members of objects are compared, and elements of lists one by
    one.
    """
    if isinstance(small, dict):
        return all(name in large and part_of(value, large[name]) for name, value in small.items())
    if isinstance(small, list):
        return len(small) == len(large) and all(map(part_of, small, large))
    return bool(small == large)


@pytest.mark.parametrize("example", [each for each in EXAMPLES if "state" in each])
def test_example_has_the_result_in_the_prose(example: dict[str, Any]) -> None:
    reference = pytest.importorskip("journalspec_reference").load(example["format"])
    files = {
        name: whole({**example, "over": ()}, pieces) for name, pieces in example.get("beside", {}).items()
    }
    answer = reference.read(
        {**files, example["file"]: bytes_of(example)}, edition=example["edition"]
    ).to_json()
    assert part_of(example["state"], answer["state"])
    assert part_of(example.get("unanchored", []), answer.get("unanchored", []))


@pytest.mark.parametrize("format_id", described())
def test_every_example_in_the_prose_is_tested(format_id: str) -> None:
    assert set(dumps(format_id)) == {
        each["name"] for each in EXAMPLES if each["format"] == format_id and "name" in each
    }
