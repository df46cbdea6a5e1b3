"""Tables that describe contents of records: wrong tables are refused, and all readers of a table agree."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from families_draw import draw
from families_ksy import ksy, ksy_id, version_number
from kaitaistruct import KaitaiStream

from family_trees import parse, plain
from journalspec.families import ContentsError, Family, decode, families, load
from journalspec.families_construct import schema
from journalspec.formats import format_ids

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "kaitai"
DATA = Path(__file__).parent / "data"
MISTAKES = tomllib.loads((DATA / "mistakes.toml").read_text(encoding="utf-8"))
#: A list whose elements have no bytes.
EMPTY = MISTAKES["empty"]
FAMILY = load("bitronix_tlog", "test", (DATA / "contents_family.toml").read_text("utf-8"))
ALL = [FAMILY, *(each for name in format_ids() for each in families(name).values())]
COMPILE = """
import { createRequire } from "node:module"; import { readFileSync, writeFileSync } from "node:fs";
const require = createRequire(import.meta.url);
const compiler = require("kaitai-struct-compiler"), yaml = require("js-yaml");
const made = await compiler.compile("python", yaml.load(readFileSync(process.argv[2], "utf8")), {}, false);
for (const [path, text] of Object.entries(made)) writeFileSync(process.argv[3] + "/" + path, text);
"""


@cache
def drawn(family: Family, number: int) -> list[tuple[str, str, bytes]]:
    """Return `number` random values (root, version, bytes) of types of a family. Every run generates the same
    values.
    """
    random = Random(46)
    pairs = [(root, version) for root in family.roots for version in family.versions]
    return [(*pairs[at % len(pairs)], draw(family, *pairs[at % len(pairs)], random)) for at in range(number)]


each_family = pytest.mark.parametrize("family", ALL, ids=ksy_id)


@each_family
def test_construct_agrees_with_the_naive_decoder_and_builds_the_same_bytes(family: Family) -> None:
    # With fewer random values, six fields of the families never occur.
    for root, version, data in drawn(family, 500):
        wanted, found = decode(family, root, data, version), parse(family, root, data, version)
        assert plain(family, root, found, version) == wanted
        assert schema(family, root, version).build(found) == data


@pytest.mark.parametrize("family", ALL[1:], ids=ksy_id)
def test_schema_is_up_to_date_with_its_table(family: Family) -> None:
    path = ROOT / "specs" / "journalspec" / family.format_id / "contents" / f"{ksy_id(family)}.ksy"
    assert path.read_text("utf-8") == ksy(family), "stale: run `python tools/contents_schemas.py`"


@each_family
def test_damaged_bytes_are_read_alike_or_end_with_an_error(family: Family) -> None:
    random, refused = Random(47), 0
    for root, version, data in drawn(family, 150):
        spoilt = bytearray(data[: random.randint(0, len(data))] if random.random() < 0.3 else data)
        if spoilt:
            spoilt[random.randrange(len(spoilt))] = random.choice((0, 1, 127, 128, 255))
        try:
            wanted = decode(family, root, bytes(spoilt), version)
        except ContentsError:
            with pytest.raises(ContentsError):
                parse(family, root, bytes(spoilt), version)
            refused += 1
        else:
            found = plain(family, root, parse(family, root, bytes(spoilt), version), version)
            assert repr(found) == repr(wanted)  # A NaN is never equal to itself.
    assert refused


def test_recursive_types_and_empty_elements_end() -> None:
    deep = b"JS\2" + b"\0" * 15 + (b"\1\0\0\4") * 100
    with pytest.raises(ContentsError, match="types nest deeper than 64"):
        decode(FAMILY, "message", deep, "1")
    many = load("bitronix_tlog", "test", EMPTY)
    with pytest.raises(ContentsError, match="more elements than bytes"):
        decode(many, "list", b"\x7f\xff\xff\xff")


@pytest.mark.parametrize(("old", "new", "reason"), MISTAKES["families"])
def test_wrong_table_is_refused_with_its_type_and_field(old: str, new: str, reason: str) -> None:
    text = EMPTY.replace(old, new)
    assert text != EMPTY
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        load("bitronix_tlog", "test", text)
    assert str(caught.value).startswith("bitronix_tlog/contents/test.toml: ")


def test_random_contents_have_every_field_of_every_type() -> None:
    seen: set[str] = set()

    def look(name: str, value: dict[str, Any]) -> None:
        for member in FAMILY.types[name].fields:
            if member.name in value:
                seen.add(f"{name}.{member.name}")
                for kind in member.types:
                    for each in value[member.name] if member.count else [value[member.name]]:
                        if kind in FAMILY.types and isinstance(each, dict):
                            look(kind, each)

    for root, version, data in drawn(FAMILY, 250):
        look(root, decode(FAMILY, root, data, version))
    assert seen == {f"{name}.{each.name}" for name, shape in FAMILY.types.items() for each in shape.fields}


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the parser that Kaitai generates for the family of these tests."""
    node, out = shutil.which("node"), tmp_path_factory.mktemp("parser")
    given = [Path(entry) for entry in os.environ.get("NODE_PATH", "").split(os.pathsep) if entry]
    paths = [path for path in (*given, TOOL / "node_modules") if (path / "kaitai-struct-compiler").is_dir()]
    if node is None or not paths:
        pytest.skip("needs the Kaitai compiler: run `npm ci --prefix tools/kaitai`, or set NODE_PATH")
    (out / "compile.mjs").write_text(COMPILE, encoding="utf-8")
    (out / "family.ksy").write_text(ksy(FAMILY), encoding="utf-8")
    command = [node, str(out / "compile.mjs"), str(out / "family.ksy"), str(out)]
    done = subprocess.run(
        command, env={**os.environ, "NODE_PATH": str(paths[0])}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(out))
    try:
        return importlib.import_module(ksy_id(FAMILY))
    finally:
        sys.path.remove(str(out))


@pytest.mark.node
def test_generated_parser_agrees_with_the_naive_decoder(parser: Any) -> None:
    for root, version, data in drawn(FAMILY, 250):
        assert plain(FAMILY, root, kaitai(parser, FAMILY, root, data, version), version) == decode(
            FAMILY, root, data, version
        )


def kaitai(module: Any, family: Family, root: str, data: bytes, version: str) -> Any:
    """Return the tree that a generated parser returns for a root of a family."""

    def camel(name: str) -> str:
        return "".join(part.capitalize() for part in name.split("_"))

    kind = getattr(module, camel(ksy_id(family)))
    if root != family.roots[0]:
        kind = getattr(kind, camel(root))
    arguments = [version_number(family, version)] if family.needs[root] else []
    return kind(*arguments, KaitaiStream(BytesIO(data)))
