"""Tables and schemas are tested on files of products, which readers from outside this project decoded."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_module
from journalspec.layout import Layout
from journalspec.observation import CLEAN, Observation
from journalspec.schemas import KINDS, reread

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real"
TABLE = tomllib.loads((Path(__file__).parent / "data" / "real_files.toml").read_text(encoding="utf-8"))

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not REAL.is_dir(), reason="needs real/ in ../shared beside the checkout"),
]


def journals() -> Iterator[Any]:
    """Yield format, edition and files for every directory that a product wrote, and for every single file."""
    for format_id, known in TABLE.items():
        for product, edition in known["editions"].items():
            for path in sorted((REAL / format_id / known["folder"] / product).glob("*")):
                files = sorted(path.iterdir()) if path.is_dir() else [path]
                yield pytest.param(format_id, edition, files, id=f"{format_id}-{product}-{path.stem}")


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def layout_of(format_id: str) -> Layout:
    layout: Layout = format_module("journalspec", format_id).LAYOUT
    return layout


def parsed(format_id: str) -> dict[str, Any]:
    """Return a map from path to the other reader's result about the file: a list of records, or members of a
    file.
    """

    def flat(node: Any, path: str) -> Iterator[tuple[str, Any]]:
        if isinstance(node, list) or "length" in node:
            yield path.removesuffix(".gz"), node
        else:
            for name in node:
                yield from flat(node[name], f"{path}/{name}" if path else name)

    path = REAL / format_id / TABLE[format_id]["parsed"]
    return dict(flat(json.loads(path.read_text(encoding="utf-8")), ""))


def assert_the_same(value: Any, other: Any) -> None:
    """Compare a value with the other reader's value. There, bytes are hex or only counted, and a byte can be
    a signed number.
    """
    if isinstance(value, bytes):
        assert {"len": len(value)} == other if isinstance(other, dict) else value.hex() == other
    elif isinstance(value, list) and all(isinstance(row, str) for row in value):
        assert len(value) == len(other)  # The readers decode bytes outside ASCII differently.
    elif isinstance(value, list):
        assert [list(row.values()) for row in value] == other
    elif isinstance(other, int):
        assert (value - other) % 256 == 0 if other < 0 else value == other
    else:
        assert value == other


def assert_built_again(
    layout: Layout, edition: str, data: bytes, values: Mapping[str, Any], kind: str
) -> None:
    """Build a record from its free fields only. Lengths and checksums follow from these, byte for byte."""
    form = layout.structure("record", edition, kind)
    free = {
        item.name: values[item.name]
        for item in form.fields
        if item.name in values and not (item.counts or item.check or item.name in form.measures)
    }
    assert layout.build("record", edition, kind, **free) == data


@pytest.mark.parametrize(("format_id", "edition", "paths"), list(journals()))
def test_table_and_both_schemas_agree_with_an_independent_reader(
    format_id: str, edition: str, paths: list[Path]
) -> None:
    reference = pytest.importorskip("journalspec_reference").load(format_id)
    files = {path.name.removesuffix(".gz"): content(path) for path in paths}
    seen: Observation = reference.read(files, edition=edition)
    for kind in KINDS:
        assert reread(format_id, kind, files, edition, seen).to_json() == seen.to_json()
    layout, known = layout_of(format_id), TABLE[format_id]
    headers = {entry.file: entry.header for entry in seen.files}
    for record in seen.records:
        data = files[record.at.file][record.at.off : record.at.off + record.at.length]
        laid = layout.behind(edition, headers[record.at.file])
        kind = layout.kind_at("record", laid, data)
        assert_built_again(layout, laid, data, layout.read("record", laid, data), kind)
    place = f"{paths[0].parent.parent.name}/{paths[0].parent.name}"
    others = parsed(format_id)
    for name in files:
        mine = [record for record in seen.records if record.at.file == name]
        if name in known.get("types", {}):
            assert [record.type for record in mine] == known["types"][name]
        found = others.get(f"{place}/{name}")
        if found is None or "not-parseable" in found or place in known.get("damaged", ()):
            # The other reader failed, or this project's reader does not report the journal as clean.
            continue
        # The other readers do not report missing files or records.
        assert (
            seen.verdict == CLEAN
            or seen.missing
            or any("not-parseable" in others[f"{place}/{each}"] for each in files)
        )
        if isinstance(found, dict):
            header = next(entry.header for entry in seen.files if entry.file == name)
            assert {ours: found[theirs] for theirs, ours in known["header"].items()}.items() <= header.items()
            found = found["records"]
        assert [record.at.off for record in mine] == [other["offset"] for other in found]
        for record, other in zip(mine, found, strict=True):
            told = {"type": record.type, **record.fields}
            for theirs, ours in known["names"].items():
                if theirs in other:
                    assert_the_same(told.get(ours, b""), other[theirs])
