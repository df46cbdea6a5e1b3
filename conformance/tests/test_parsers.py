"""The parsers that Kaitai Struct generates: for every language they are generated, for six they are compiled,
and for four they are run on captured files, where they find what the committed Python parsers find.

A driver (``parsers/main.*``) reads lines ``path TAB schema TAB class TAB parameter TAB instances`` and prints
a line for each: all fields by name, without those that are zero, empty or absent, which languages do not
tell apart. What is longer than 64 bytes is told by its length and its ends.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from kaitaistruct import KaitaiStream, KaitaiStruct, KaitaiStructError

from journalspec.formats import format_ids
from journalspec_conformance.products import Jar, ProductError, jar_problem
from journalspec_conformance.products.fetch import choose_fetcher
from journalspec_corpus import load_cases
from tables import table

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "kaitai"
DRIVERS = Path(__file__).parent / "parsers"
SPECS = ROOT / "specs" / "journalspec"
SCHEMAS = [path for name in format_ids() for path in sorted((SPECS / name).glob("*.ksy"))]
RUNTIME = Jar(
    group="io.kaitai",
    artifact="kaitai-struct-runtime",
    version="0.11",
    sha256="d5644ffff9395584af18872fa8b094adad7312fcc8ecff05478b7da5c6794a55",
    role="library",
    licence="MIT",
)
#: Files looked at for each schema; more say nothing new and cost time.
ENOUGH = 40
LARGEST = 1 << 20


@dataclass(frozen=True)
class Sample:
    """A file that a schema describes: where it is, how to parse it, and what the Python parser finds."""

    path: Path
    schema: str
    kind: str
    parameter: str
    instances: str
    tree: KaitaiStruct

    @property
    def line(self) -> str:
        return "\t".join((str(self.path), self.schema, self.kind, self.parameter, self.instances))


def run(command: list[str], cwd: Path, stdin: str = "", **env: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-6000:]}"
    return done.stdout


def needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program}, which is not on the PATH")
    return found


def modules() -> Path:
    given = [Path(entry) for entry in os.environ.get("NODE_PATH", "").split(os.pathsep) if entry]
    for path in (*given, TOOL / "node_modules"):
        if all((path / name).is_dir() for name in ("kaitai-struct-compiler", "js-yaml", "kaitai-struct")):
            return path
    pytest.skip("needs the Kaitai compiler: run `npm ci --prefix tools/kaitai`, or set NODE_PATH")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every language's package, as the archives hold it."""
    node, out = needs("node"), tmp_path_factory.mktemp("packages")
    said = run([node, str(TOOL / "generate.mjs"), "--packages", str(out)], ROOT, NODE_PATH=str(modules()))
    assert f"{len(SCHEMAS) * len(list(out.iterdir()))} schemas compiled" in said
    return out


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def schema_of(format_id: str, edition: str) -> tuple[str, str]:
    """Return the schema of an edition, and the value of its parameter as text (empty: it has none)."""
    schema, given = importlib.import_module(f"journalspec.{format_id}").LAYOUT.ksy(edition)
    wanted = [item["id"] for item in types_of(schema)[0].get("params", ())]
    return schema, "".join(str(given[name]).lower() for name in wanted)


def arguments_of(parameter: str) -> tuple[Any, ...]:
    return () if parameter == "" else (json.loads(parameter),)


@cache
def types_of(schema: str) -> tuple[dict[str, Any], ...]:
    (path,) = (path for path in SCHEMAS if path.stem == schema)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return (data, *data.get("types", {}).values())


@cache
def names_of(schema: str, key: str) -> tuple[str, ...]:
    return tuple(name for body in types_of(schema) for name in body.get(key, ()))


@cache
def enums_of(schema: str) -> frozenset[str]:
    fields = (field for body in types_of(schema) for field in body.get("seq", ()))
    return frozenset(field["id"] for field in fields if "enum" in field)


@cache
def octets_of(schema: str) -> frozenset[str]:
    """Return the fields that are lists of single bytes: to Go they are bytes."""
    fields = (field for body in types_of(schema) for field in body.get("seq", ()))
    return frozenset(field["id"] for field in fields if field.get("type") == "u1" and "repeat" in field)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    """Captured files; for editions of which there are none, files of the smoke tier."""
    folder = tmp_path_factory.mktemp("samples")
    found: dict[tuple[str, str], list[Sample]] = {}
    for case in (*load_cases(tier="captured"), *load_cases()):
        schema, parameter = schema_of(case.format, case.edition)
        mine = found.setdefault((schema, parameter), [])
        if len(mine) >= ENOUGH or (
            case.tier != "captured" and any("captured" in sample.path.name for sample in mine)
        ):
            continue
        instances = ",".join(name.replace("_", "") for name in names_of(schema, "instances"))
        parser = getattr(
            importlib.import_module(f"journalspec.{case.format}._kaitai.{schema}"), camel(schema)
        )
        for data in case.files().values():
            content = bytes(data)
            if len(mine) >= ENOUGH or len(content) > LARGEST:
                continue
            try:
                arguments = arguments_of(parameter)
                tree = parser(*arguments, KaitaiStream(BytesIO(content)))
            except (KaitaiStructError, EOFError, UnicodeDecodeError):
                continue  # damaged, or another kind of file: not what a schema describes
            target = folder / f"{case.tier}-{schema}-{parameter}-{len(mine)}"
            target.write_bytes(content)
            mine.append(Sample(target, schema, camel(schema), parameter, instances, tree))
    return [sample for several in (*found.values(), parts(folder)) for sample in several]


#: Schemas of parts of records: format, a case with every kind of them, its file, what is around a part.
PARTS = {
    "kahadb_command": ("kahadb_journal", "khd.every-command.in-5.16", "db-1.log", 5, 0),
    "derby_body": ("derby_log", "drb.operations.every", "log1.dat", 12, 4),
}
#: Schemas of what may lie on several pages: format, and the group of cases whose source has it whole, in hex.
PIECES = {"swiftmq_message": ("swiftmq_store", "messages")}


def parts(folder: Path) -> Iterator[Sample]:
    """Yield each payload, body and message once: their schemas are not those of files."""
    for schema, (format_id, name, file, before, behind) in PARTS.items():
        (case,) = (case for case in load_cases(format_id) if case.id == name)
        (expected,) = (entry for entry in case.expect if entry["when"] == {"op": "read"})
        data = bytes(case.files()[file])
        places = [(int(each["at"]["off"]), int(each["at"]["len"])) for each in expected["records"]]
        contents = [data[off + before : off + size - behind] for off, size in places]
        yield from samples_of(schema, format_id, contents, folder)
    for schema, (format_id, group) in PIECES.items():
        source = (ROOT / "corpus" / "cases" / format_id / f"{group}.toml").read_text(encoding="utf-8")
        texts = dict.fromkeys(re.findall(r"hex:([0-9a-f]{60,})", source))
        yield from samples_of(schema, format_id, map(bytes.fromhex, texts), folder)


def samples_of(schema: str, format_id: str, contents: Iterable[bytes], folder: Path) -> Iterator[Sample]:
    parser = getattr(importlib.import_module(f"journalspec.{format_id}._kaitai.{schema}"), camel(schema))
    instances = ",".join(name.replace("_", "") for name in names_of(schema, "instances"))
    for number, content in enumerate(contents):
        target = folder / f"{schema}-{number}"
        target.write_bytes(content)
        tree = parser(KaitaiStream(BytesIO(content)))
        yield Sample(target, schema, camel(schema), "", instances, tree)


def raw(data: bytes) -> str:
    if len(data) <= 64:
        return f"x{data.hex()}" if data else ""
    return f"x{len(data)}:{data[:16].hex()}:{data[-16:].hex()}"


def dump(value: Any, language: str, schema: str, name: str = "") -> str:
    """Return what a driver of `language` is to print for `value`."""
    if isinstance(value, KaitaiStruct):
        parts = {
            key.replace("_", ""): dump(item, language, schema, key)
            for key, item in vars(value).items()
            if not key.startswith("_")
        }
        return "{" + " ".join(sorted(f"{key}={text}" for key, text in parts.items() if text)) + "}"
    if language == "go" and name in octets_of(schema):
        return raw(bytes(value))
    if isinstance(value, list):
        return f"[{','.join(dump(item, language, schema, name) for item in value)}]" if value else ""
    if isinstance(value, bytes):
        return raw(value)
    if isinstance(value, str):
        return raw(value.encode("utf-8"))
    if language == "java" and name in enums_of(schema) and not isinstance(value, IntEnum):
        return ""  # an enum of Java cannot hold a number that the schema does not name
    number = int(float(value)) if language == "javascript" else int(value)
    return str(number) if number else ""


def compare(samples: list[Sample], language: str, printed: str) -> None:
    lines = printed.splitlines()
    assert len(lines) == len(samples)
    for sample, line in zip(samples, lines, strict=True):
        wanted = dump(sample.tree, language, sample.schema)
        assert line == wanted, f"{sample.path.name}: {language} and Python differ"


def stdin_of(samples: list[Sample]) -> str:
    return "".join(f"{sample.line}\n" for sample in samples)


def test_there_are_samples_of_every_schema(samples: list[Sample]) -> None:
    assert {sample.schema for sample in samples} == {path.stem for path in SCHEMAS}
    assert all(
        len(dump(sample.tree, "python", sample.schema)) > 20
        for sample in samples
        if sample.path.stat().st_size > 60
    )


@pytest.mark.node
def test_python(packages: Path, samples: list[Sample]) -> None:
    sys.path.insert(0, str(packages / "python"))
    try:
        for sample in samples:
            parser = getattr(importlib.import_module(sample.schema), sample.kind)
            arguments = arguments_of(sample.parameter)
            tree = parser(*arguments, KaitaiStream(BytesIO(sample.path.read_bytes())))
            assert dump(tree, "python", sample.schema) == dump(sample.tree, "python", sample.schema)
    finally:
        sys.path.pop(0)


@pytest.mark.node
def test_javascript(packages: Path, samples: list[Sample]) -> None:
    command = [needs("node"), str(DRIVERS / "main.mjs"), str(packages / "javascript"), str(modules())]
    compare(samples, "javascript", run(command, packages, stdin_of(samples)))


@pytest.mark.node
@pytest.mark.toolchain
def test_go(packages: Path, samples: list[Sample]) -> None:
    go, module = needs("go"), packages / "go"
    command = module / "dump"
    command.mkdir()
    shutil.copy(DRIVERS / "main.go", command)
    (command / "parsers.go").write_text(go_parsers(samples), encoding="utf-8")
    run([go, "build", "./..."], module)
    compare(samples, "go", run([go, "run", "./dump"], module, stdin_of(samples)))


def go_parsers(samples: list[Sample]) -> str:
    """Return the Go source of a map from schema to a function that parses; Go loads no class by name."""
    kinds = sorted({(sample.schema, sample.kind, in_go(sample.parameter)) for sample in samples})
    imports = "".join(f'\t"journalspec/parsers/{schema}"\n' for schema, _, _ in kinds)
    entries = "".join(
        f'\t"{schema}": func(io *kaitai.Stream, parameter string) (any, error) {{\n'
        f"\t\ttree := {schema}.New{kind}({argument})\n"
        f"\t\treturn tree, tree.Read(io, nil, tree)\n\t}},\n"
        for schema, kind, argument in kinds
    )
    runtime = '\t"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"\n'
    body = f"var parsers = map[string]func(*kaitai.Stream, string) (any, error){{\n{entries}}}\n"
    return f"package main\n\nimport (\n{runtime}{imports})\n\n{body}"


def in_go(parameter: str) -> str:
    """Return what a parser is given for a parameter; a number is the same for all files."""
    return 'parameter == "true"' if parameter in ("true", "false") else parameter


@pytest.mark.node
@pytest.mark.java
def test_java(packages: Path, samples: list[Sample], tmp_path: Path) -> None:
    javac, java = needs("javac"), needs("java")
    try:
        choose_fetcher().fetch(RUNTIME, tmp_path)
    except ProductError as error:
        pytest.skip(f"needs Kaitai's runtime for Java: {error}")
    assert jar_problem(RUNTIME, tmp_path) is None
    path = f"{tmp_path / RUNTIME.filename}{os.pathsep}{tmp_path}"
    sources = [str(source) for source in (packages / "java").rglob("*.java")]
    run([javac, "-cp", path, "-d", str(tmp_path), *sources, str(DRIVERS / "Main.java")], packages)
    compare(samples, "java", run([java, "-cp", path, "Main"], packages, stdin_of(samples)))


@pytest.mark.node
@pytest.mark.toolchain
def test_rust(packages: Path, tmp_path: Path) -> None:
    rustc, common = needs("rustc"), ["--edition", "2021", "--crate-type", "lib", "--out-dir", str(tmp_path)]
    run([rustc, *common, "--crate-name", "kaitai", str(TOOL / "standins" / "rust" / "kaitai.rs")], tmp_path)
    library = f"kaitai={tmp_path / 'libkaitai.rlib'}"
    source = str(packages / "rust" / "src" / "lib.rs")
    run([rustc, *common, "--emit", "metadata", "--extern", library, "-A", "warnings", source], tmp_path)


@pytest.mark.node
@pytest.mark.toolchain
def test_cpp_stl(packages: Path) -> None:
    compiler, folder = needs("g++"), packages / "cpp_stl"
    sources = sorted(str(source) for source in folder.glob("*.cpp"))
    assert len(sources) == len(SCHEMAS)
    run([compiler, "-std=c++98", "-fsyntax-only", "-I", str(TOOL / "standins" / "cpp_stl"), *sources], folder)


REFUSED = table("refused_by_compilers")["refused"]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_a_schema_has_no_expression_that_some_language_refuses(path: Path) -> None:
    text = re.sub(r"(?m)^ *doc: .*$", "", path.read_text(encoding="utf-8"))
    for entry in REFUSED:
        found = re.search(entry["pattern"], text, re.MULTILINE)
        assert found is None, f"{path.name}: {found[0].strip()!r}: {entry['advice']}"


@pytest.mark.parametrize("entry", REFUSED, ids=lambda entry: entry["advice"])
def test_the_lint_sees_what_once_did_not_compile(entry: dict[str, Any]) -> None:
    for bad in entry["examples"]:
        assert re.search(entry["pattern"], bad, re.MULTILINE)


@pytest.mark.node
def test_the_archives_are_made_by_one_command_and_always_the_same(packages: Path, tmp_path: Path) -> None:
    env, written = {"NODE_PATH": str(modules())}, []
    for turn in ("first", "second"):
        out = tmp_path / turn
        run([sys.executable, str(TOOL / "archives.py"), str(out)], ROOT, **env)
        written.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {f"journalspec-parsers-{path.name}.tar.gz" for path in packages.iterdir()}
    with tarfile.open(tmp_path / "first" / "journalspec-parsers-go.tar.gz") as archive:
        names = {name.removeprefix("journalspec-parsers-go/") for name in archive.getnames()}
    assert {"README.md", "LICENSE.txt", "go.mod", "hornetq_journal/hornetq_journal.go"} <= names
    assert {f"ksy/{path.name}" for path in SCHEMAS} <= names
