"""The .ksy files of all formats: their form, their references, and the parsers made from them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from journalspec.formats import format_ids, get_format
from journalspec.requirements import requirements

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "specs" / "journalspec"
TOOL = ROOT / "tools" / "kaitai"
STATIC = ROOT / "docs" / "_static"
SCHEMAS = [path for name in format_ids() for path in sorted((SPECS / name).rglob("*.ksy"))]
KEY_ORDER = ["meta", "doc", "doc-ref", "-requirement", "params", "seq", "instances", "types", "enums"]
META_ORDER = ["id", "title", "application", "file-extension", "xref", "license", "ks-version"]
META_ORDER += ["encoding", "endian"]
each_schema = pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)


@cache
def load(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data


def types_of(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield data["meta"]["id"], data
    yield from data.get("types", {}).items()


def fields_of(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, body in types_of(data):
        for field in body.get("seq", ()):
            yield f"{name}.{field['id']}", field


def required(body: dict[str, Any]) -> list[str]:
    found = body.get("-requirement", [])
    return [found] if isinstance(found, str) else found


def in_order(keys: list[str], order: list[str]) -> bool:
    return keys == [key for key in order if key in keys]


@each_schema
def test_schema_has_the_form_of_the_gallery_schemas(path: Path) -> None:
    data = load(path)
    meta = data["meta"]
    assert meta["id"] == path.stem
    assert meta["license"] == "CC0-1.0"
    assert in_order(list(data), KEY_ORDER)
    assert in_order(list(meta), META_ORDER)
    for key in ("title", "endian", "ks-version"):
        assert meta[key]
    assert data.get("doc", "").strip(), "the schema has no doc"
    for name, body in types_of(data):
        assert body.get("doc"), f"{name} has no doc"
    for name, field in fields_of(data):
        assert field.get("doc"), f"{name} has no doc"
        assert re.fullmatch(r"[a-z][a-z0-9_]*", field["id"])


@each_schema
def test_every_field_names_requirements_that_exist(path: Path) -> None:
    known = requirements(path.relative_to(SPECS).parts[0])
    data = load(path)
    # A type of contents states at least its source.
    contents = path.parent.name == "contents"
    for name, body in [*([] if contents else fields_of(data)), *types_of(data)]:
        assert required(body) or (contents and body.get("doc-ref")), f"{name} names no requirement"
        for item in required(body):
            assert item in known, f"{name} names {item}"


@pytest.mark.parametrize("format_id", format_ids())
def test_one_enum_has_one_meaning_in_all_schemas_of_a_format(format_id: str) -> None:
    meanings: dict[str, Any] = {}
    for path in sorted((SPECS / format_id).glob("*.ksy")):
        for name, values in load(path).get("enums", {}).items():
            assert meanings.setdefault(name, values) == values, f"{path.name}: {name}"
    if "status" in meanings:
        names = {entry.get("-observed-as", str(entry["id"]).upper()) for entry in meanings["status"].values()}
        assert names == set(get_format(format_id).record_types) - {"OTHER"}


def node_paths() -> list[Path]:
    given = [Path(entry) for entry in os.environ.get("NODE_PATH", "").split(os.pathsep) if entry]
    return [*given, TOOL / "node_modules"]


@pytest.fixture
def compiler() -> tuple[str, Path]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js (node is not on the PATH)")
    for path in node_paths():
        if (path / "kaitai-struct-compiler").is_dir() and (path / "js-yaml").is_dir():
            return node, path
    pytest.skip("needs the Kaitai compiler: run `npm ci --prefix tools/kaitai`, or set NODE_PATH")


@pytest.mark.node
@pytest.mark.parametrize(
    ("options", "committed"),
    [([], sorted(SPECS.glob("*/_kaitai/*.py"))), (["--browser"], sorted((STATIC / "parsers").iterdir()))],
    ids=["python", "site"],
)
def test_the_committed_parsers_are_those_of_the_schemas(
    options: list[str], committed: list[Path], compiler: tuple[str, Path], tmp_path: Path
) -> None:
    node, packages = compiler
    done = subprocess.run(
        [node, str(TOOL / "generate.mjs"), *options, str(tmp_path)],
        env={**os.environ, "NODE_PATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    root = STATIC / "parsers" if options else SPECS
    fresh = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.*")}
    assert fresh == {path.relative_to(root): path.read_bytes() for path in committed}, (
        "stale: run `node tools/kaitai/generate.mjs`"
    )


def test_lock_file_refers_to_no_registry() -> None:
    assert "resolved" not in (TOOL / "package-lock.json").read_text(encoding="utf-8")


@each_schema
def test_every_value_of_an_enum_is_explained(path: Path) -> None:
    for name, values in load(path).get("enums", {}).items():
        for number, entry in values.items():
            told = entry if isinstance(entry, dict) else {}
            for key in ("id", "doc", "-orig-id"):
                assert told.get(key), f"{name} {number} has no {key}"
