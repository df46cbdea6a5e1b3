"""The parsers that Kaitai Struct generates must read every captured file, in each supported language.

The tests of the corpus compare the committed Python parsers with the reference, file by file. The parsers of
every other language must read the same fields as the Python parsers, and refuse the same files.

A driver (``parsers/main.*``) reads lines ``path TAB schema TAB class TAB parameter TAB instances`` and prints
a line for each. The line contains all fields by name, without zero, empty or absent ones, which some
languages cannot distinguish. Numbers are printed without their fraction. A value longer than 64 bytes is
printed as its length, beginning and end; a refusal begins with `error`.
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
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

import pytest
import yaml
from bodies import Body, real_bodies
from families_draw import draw
from families_ksy import ksy_id, version_number
from kaitaistruct import KaitaiStream, KaitaiStruct, KaitaiStructError

from family_trees import plain
from journalspec.families import Family, decode, families, leaves
from journalspec.formats import format_ids
from journalspec_corpus import load_cases
from journalspec_reference import load
from tables import table

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "kaitai"
DRIVERS = Path(__file__).parent / "parsers"
SPECS = ROOT / "specs" / "journalspec"
SCHEMAS = [path for name in format_ids() for path in sorted((SPECS / name).rglob("*.ksy"))]
#: The number of smoke-tier files that are checked for a schema without captured files; more files reveal no
#: further faults.
ENOUGH = 40
#: The number of contents that are drawn for each version of a type. For more contents of each family, and for
#: all contents that products wrote: JOURNALSPEC_BODIES=10000 pytest conformance/tests/test_parsers.py
DRAWN = 6
ASKED = int(os.environ.get("JOURNALSPEC_BODIES", "0"))
#: Complete files that match a type within a schema.
KINDS = {"log.ctrl": "control_file", "logmirror.ctrl": "control_file"}
REFUSALS = (KaitaiStructError, EOFError, UnicodeDecodeError)


@dataclass(frozen=True)
class Sample:
    """A file: its path, its parser, and the result of the Python parser (None: it refuses the file)."""

    path: Path
    schema: str
    kind: str
    parameter: str
    instances: str
    tree: KaitaiStruct | None

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
        timeout=3000 if ASKED else 300,
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
    """Every language's archive, unpacked as a user unpacks it."""
    needs("node")
    made, out = tmp_path_factory.mktemp("archives"), tmp_path_factory.mktemp("packages")
    run([sys.executable, str(TOOL / "archives.py"), str(made)], ROOT, NODE_PATH=str(modules()))
    for path in made.iterdir():
        with tarfile.open(path) as archive:
            assert {entry.mtime for entry in archive.getmembers()} == {0}
            archive.extractall(made, filter="data")
        name = path.name.removesuffix(".tar.gz")
        (made / name).rename(out / name.removeprefix("journalspec-parsers-"))
    return out


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def schema_of(format_id: str, edition: str) -> tuple[str, str]:
    """Return two values: the schema of an edition, and the value of the schema's parameter as text (empty: it
    has none).
    """
    schema, given = importlib.import_module(f"journalspec.{format_id}").LAYOUT.ksy(edition)
    wanted = [item["id"] for item in types_of(schema)[0].get("params", ())]
    return schema, "".join(str(given[name]).lower() for name in wanted)


def parser_of(format_id: str, schema: str, kind: str) -> Any:
    found = importlib.import_module(f"journalspec.{format_id}._kaitai.{schema}")
    for name in kind.split("."):
        found = getattr(found, name)
    return found


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
    """Return the fields that are lists of single bytes: to Go and Rust they are bytes."""
    fields = (field for body in types_of(schema) for field in body.get("seq", ()))
    return frozenset(field["id"] for field in fields if field.get("type") == "u1" and "repeat" in field)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    """Every captured file of a journal; for editions without any, files of the smoke tier."""
    folder = tmp_path_factory.mktemp("samples")
    found: dict[tuple[str, str], dict[bytes, Sample]] = {}
    for case in load_cases(tier="captured"):
        seen = load(case.format).read(case.files(), edition=case.edition, params=case.params)
        for entry in seen.files:
            schema, parameter = schema_of(case.format, case.edition)
            mine = found.setdefault((schema, parameter), {})
            data = bytes(case.files()[entry.file])
            if data not in mine:
                part = KINDS.get(PurePosixPath(entry.file).name, "")
                target = folder / f"captured-{schema}-{parameter}-{len(mine)}"
                mine[data] = sample_of(case.format, schema, target, data, parameter if not part else "", part)
    captured = set(found)
    for case in load_cases():
        schema, parameter = schema_of(case.format, case.edition)
        mine = found.setdefault((schema, parameter), {})
        if (schema, parameter) in captured:
            continue
        for data in map(bytes, case.files().values()):
            if len(mine) < ENOUGH and data not in mine:
                target = folder / f"smoke-{schema}-{parameter}-{len(mine)}"
                sample = sample_of(case.format, schema, target, data, parameter)
                if sample.tree is not None:  # The file is damaged, or of another kind.
                    mine[data] = sample
    return [sample for several in found.values() for sample in several.values()] + [
        *parts(folder),
        *bodies(folder),
    ]


def sample_of(
    format_id: str, schema: str, target: Path, data: bytes, parameter: str = "", part: str = ""
) -> Sample:
    kind = f"{camel(schema)}.{camel(part)}" if part else camel(schema)
    instances = ",".join(name.replace("_", "") for name in names_of(schema, "instances"))
    target.write_bytes(data)
    try:
        stream = KaitaiStream(BytesIO(data))
        tree = parser_of(format_id, schema, kind)(*arguments_of(parameter), stream)
    except REFUSALS:
        tree = None
    return Sample(target, schema, kind, parameter, instances, tree)


#: Schemas for parts of records: format, a case with every kind of part, the case's file, and the bytes around
#: a part.
PARTS = {
    "kahadb_command": ("kahadb_journal", "khd.every-command.in-5.16", "db-1.log", 5, 0),
    "derby_body": ("derby_log", "drb.operations.every", "log1.dat", 12, 4),
}
#: Schemas of structures that may be stored on several pages: the format, and the group of cases whose source
#: contains the structures completely, in hex.
PIECES = {"swiftmq_store_message": ("swiftmq_store", "messages")}


def parts(folder: Path) -> Iterator[Sample]:
    """Yield each payload, body and message once; their schemas do not describe files."""
    for schema, (format_id, name, file, before, behind) in PARTS.items():
        (case,) = (case for case in load_cases(format_id) if case.id == name)
        (expected,) = (entry for entry in case.expect if entry["when"] == {"op": "read"})
        data = bytes(case.files()[file])
        places = [(int(each["at"]["off"]), int(each["at"]["len"])) for each in expected["records"]]
        contents = [data[off + before : off + size - behind] for off, size in places]
        found = list(samples_of(schema, format_id, contents, folder))
        assert all(sample.tree is not None for sample in found)
        yield from found
    for schema, (format_id, group) in PIECES.items():
        source = (ROOT / "corpus" / "cases" / format_id / f"{group}.toml").read_text(encoding="utf-8")
        texts = dict.fromkeys(re.findall(r"hex:([0-9a-f]{60,})", source))
        found = list(samples_of(schema, format_id, map(bytes.fromhex, texts), folder))
        sound = [sample for sample in found if sample.tree is not None]
        assert len(sound) > len(found) // 2  # The other files are damaged deliberately.
        yield from sound


def bodies_of(family: Family) -> Iterator[Body]:
    """Yield drawn contents of each root type and, if JOURNALSPEC_BODIES is set, products' contents."""
    random, kinds = Random(46), [(root, version) for root in family.roots for version in family.versions]
    for root, version in kinds * max(DRAWN, -(-ASKED // len(kinds))):
        yield Body(family, root, version, draw(family, root, version, random), real=False)
    if ASKED:
        yield from real_bodies(family.format_id, family.name)


def body_sample(folder: Path, number: int, body: Body) -> Sample:
    family, schema = body.family, ksy_id(body.family)
    part = "" if body.root == family.roots[0] else body.root
    parameter = str(version_number(family, body.version)) if family.needs[body.root] else ""
    target = folder / f"{schema}-{body.root}-{number}"
    return sample_of(family.format_id, schema, target, body.data, parameter, part)


def bodies(folder: Path) -> Iterator[Sample]:
    """Yield bodies; assert that the Python parser and the family's table read each body alike."""
    for family in (each for format_id in format_ids() for each in families(format_id).values()):
        for number, body in enumerate(bodies_of(family)):
            sample = body_sample(folder, number, body)
            wanted = decode(family, body.root, body.data, body.version)
            assert repr(plain(family, body.root, sample.tree, body.version)) == repr(wanted)
            if is_printed_alike(body):
                yield sample


def is_printed_alike(body: Body) -> bool:
    """Return whether all drivers print the real numbers alike, because none is NaN or huge."""
    found = leaves(body.family, body.root, body.data, body.version)
    values = (
        each for leaf in found for each in (leaf.value if isinstance(leaf.value, list) else [leaf.value])
    )
    return all(abs(value) < 1 << 53 for value in values if isinstance(value, float))


def samples_of(schema: str, format_id: str, contents: Iterable[bytes], folder: Path) -> Iterator[Sample]:
    for number, content in enumerate(contents):
        yield sample_of(format_id, schema, folder / f"{schema}-{number}", content)


def raw(data: bytes) -> str:
    if len(data) <= 64:
        return f"x{data.hex()}" if data else ""
    return f"x{len(data)}:{data[:16].hex()}:{data[-16:].hex()}"


def dump(value: Any, language: str, schema: str, name: str = "") -> str:
    """Return the text that a driver of `language` must print for `value`."""
    if isinstance(value, KaitaiStruct):
        parts = {
            key.replace("_", ""): dump(item, language, schema, key)
            for key, item in vars(value).items()
            # In these languages instances look like fields; their names distinguish them.
            if not key.startswith("_")
            and not (language in ("java", "rust") and key in names_of(schema, "instances"))
        }
        return "{" + " ".join(sorted(f"{key}={text}" for key, text in parts.items() if text)) + "}"
    if isinstance(value, list) and are_octets(value, language, schema, name):
        return raw(bytes(value))
    if isinstance(value, list):
        return f"[{','.join(dump(item, language, schema, name) for item in value)}]" if value else ""
    if isinstance(value, bytes):
        return raw(value)
    if isinstance(value, str):
        return raw(value.encode("utf-8"))
    if language == "java" and name in enums_of(schema) and not isinstance(value, IntEnum):
        return ""  # An enum of Java cannot contain a number that the schema does not define.
    if language == "rust" and isinstance(value, IntEnum):
        return camel(value.name)
    number = rounded(int(value)) if language == "javascript" else int(value)
    if language == "java" and isinstance(value, int) and number >= 1 << 63:
        number -= 1 << 64  # Java has no unsigned long.
    before = "~" if isinstance(value, float) and number != value else ""
    return f"{before}{number}" if value else ""


def are_octets(value: list[Any], language: str, schema: str, name: str) -> bool:
    """Return whether a language reads a list as bytes; Rust's driver sees numbers without their types."""
    if language == "rust":
        return all(isinstance(each, int) and 0 <= each < 256 for each in value)
    return language == "go" and name in octets_of(schema)


def rounded(number: int) -> int:
    """Return a number as JavaScript's runtime computes it: the runtime rounds, and its operator `^` gives
    unsigned numbers here.
    """
    if number < -(1 << 31):
        # The number is too large by 2^32 if the lower half is below 2^31.
        number += 0 if number & 1 << 31 else 1 << 32
        number = -int(float(-number - 1)) - 1
    return int(float(number))


def compare(samples: list[Sample], language: str, printed: str) -> None:
    lines = printed.splitlines()
    assert len(lines) == len(samples)
    for sample, line in zip(samples, lines, strict=True):
        if sample.tree is None:
            assert line.startswith("error "), f"{sample.path.name}: {language} does not see the damage"
        else:
            wanted = dump(sample.tree, language, sample.schema)
            assert line == wanted, f"{sample.path.name}: {language} and Python differ"


def stdin_of(samples: list[Sample]) -> str:
    return "".join(f"{sample.line}\n" for sample in samples)


def test_every_schema_has_samples(samples: list[Sample]) -> None:
    assert {sample.schema for sample in samples} == {path.stem for path in SCHEMAS}
    assert {sample.kind for sample in samples} >= {"DerbyLog", "DerbyLog.ControlFile"}


def test_no_instance_depends_on_the_position_of_the_stream() -> None:
    """Instances are computed late, when the stream is at another position (in Rust, at the start)."""
    for path in SCHEMAS:
        for body in types_of(path.stem):
            assert "_io.pos" not in json.dumps(body.get("instances", {})), path.name


@pytest.mark.node
def test_generated_python_parsers_equal_the_committed_ones(packages: Path) -> None:
    committed = {path.name: path.read_bytes() for path in SPECS.glob("*/_kaitai/*.py")}
    generated = {path.name: path.read_bytes() for path in (packages / "python").glob("*.py")}
    assert generated.items() <= committed.items()
    assert len(generated) == len(SCHEMAS)


@pytest.mark.node
def test_javascript_parsers_read_the_same_fields_as_python(packages: Path, samples: list[Sample]) -> None:
    command = [needs("node"), str(DRIVERS / "main.mjs"), str(packages / "javascript"), str(modules())]
    compare(samples, "javascript", run(command, packages, stdin_of(samples)))


@pytest.mark.node
@pytest.mark.toolchain
def test_go_parsers_read_the_same_fields_as_python(packages: Path, samples: list[Sample]) -> None:
    go, module = needs("go"), packages / "go"
    command = module / "dump"
    command.mkdir()
    shutil.copy(DRIVERS / "main.go", command)
    (command / "parsers.go").write_text(go_parsers(samples), encoding="utf-8")
    compare(samples, "go", run([go, "run", "-trimpath", "./dump"], module, stdin_of(samples)))


def kinds_of(samples: list[Sample]) -> list[tuple[str, str, str]]:
    """Return each (schema, class, parameter) once; Go and Rust write the parameter as this project does."""
    return sorted({(sample.schema, sample.kind, sample.parameter) for sample in samples})


def go_parsers(samples: list[Sample]) -> str:
    """Return the Go source of a map from class to a function that parses; Go loads no class by name."""
    kinds = kinds_of(samples)
    imports = "".join(f'\t"journalspec/parsers/{schema}"\n' for schema in sorted({kind[0] for kind in kinds}))
    roots = {
        kind: f"{schema}.New{camel(schema)}({'0' if types_of(schema)[0].get('params') else ''})"
        for schema, kind, _ in kinds
        if "." in kind
    }
    entries = "".join(
        f'\t"{kind} {argument}": func(io *kaitai.Stream) (any, error) {{\n'
        f"\t\ttree := {schema}.New{kind.replace('.', '_')}({argument})\n"
        f"\t\treturn tree, tree.Read(io, nil, {roots.get(kind, 'tree')})\n\t}},\n"
        for schema, kind, argument in kinds
    )
    runtime = '\t"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"\n'
    body = f"var parsers = map[string]func(*kaitai.Stream) (any, error){{\n{entries}}}\n"
    return f"package main\n\nimport (\n{runtime}{imports})\n\n{body}"


#: Both programs run briefly: optimising compilation is not worth its time.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.mark.node
@pytest.mark.java
def test_java_parsers_read_the_same_fields_as_python(packages: Path, samples: list[Sample]) -> None:
    """The parsers are built as a user builds the unpacked archive, with Maven."""
    maven, java, module = needs("mvn"), needs("java"), packages / "java"
    shutil.copy(DRIVERS / "Main.java", module / "src" / "main" / "java")
    goals = ["compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath"]
    given = f"{os.environ.get('MAVEN_OPTS', '')} {QUICK}"
    run([maven, "--batch-mode", "--quiet", *goals], module, MAVEN_OPTS=given)
    path = f"target/classes{os.pathsep}{(module / 'classpath').read_text(encoding='utf-8')}"
    compare(samples, "java", run([java, *QUICK.split(), "-cp", path, "Main"], module, stdin_of(samples)))


#: A program of one run needs neither code for link-time optimisation nor code for unwinding a panic.
RUST_QUICK = ["-C", "embed-bitcode=no", "-C", "panic=abort"]


@pytest.mark.node
@pytest.mark.toolchain
def test_rust_parsers_read_the_same_fields_as_python(
    packages: Path, samples: list[Sample], tmp_path: Path
) -> None:
    """The parsers are built with a substitute for the runtime, which no package registry contains."""
    rustc, common = needs("rustc"), ["--edition", "2021", "--out-dir", str(tmp_path), *RUST_QUICK]
    for name, source in (
        ("kaitai", TOOL / "standins" / "rust" / "kaitai.rs"),
        ("journalspec_parsers", packages / "rust" / "src" / "lib.rs"),
    ):
        known = ["-L", str(tmp_path), "-A", "warnings", "--crate-type", "lib", "--crate-name", name]
        run([rustc, *common, *known, str(source)], tmp_path)
    shutil.copy(DRIVERS / "main.rs", tmp_path)
    (tmp_path / "parsers.rs").write_text(rust_parsers(samples), encoding="utf-8")
    externs = ["--extern", "kaitai", "--extern", "journalspec_parsers"]
    run([rustc, *common, "-L", str(tmp_path), *externs, "main.rs"], tmp_path)
    compare(samples, "rust", run([str(tmp_path / "main")], tmp_path, stdin_of(samples)))


def rust_parsers(samples: list[Sample]) -> str:
    """Return the Rust source of a function that selects a class by name and parses with it."""
    cases = "".join(
        f'        "{kind} {argument}" => '
        f"read::<{schema}::{kind.replace('.', '_')}, {schema}::{camel(schema)}>"
        f"(data, &|tree| {{ {f'tree.set_params({argument});' if argument else ''} Ok(()) }}),\n"
        for schema, kind, argument in kinds_of(samples)
    )
    return (
        "use journalspec_parsers::*;\nuse kaitai::*;\n\n"
        "fn parse(kind: &str, data: Vec<u8>) -> KResult<String> {\n"
        f'    match kind {{\n{cases}        _ => panic!("{{kind}}"),\n    }}\n}}\n'
    )


REFUSED = table("refused_by_compilers")["refused"]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_no_schema_has_an_expression_that_some_language_refuses(path: Path) -> None:
    text = re.sub(r"(?m)^ *doc: .*$", "", path.read_text(encoding="utf-8"))
    for entry in REFUSED:
        found = re.search(entry["pattern"], text, re.MULTILINE)
        assert found is None, f"{path.name}: {found[0].strip()!r}: {entry['advice']}"


@pytest.mark.parametrize("entry", REFUSED, ids=lambda entry: entry["advice"])
def test_lint_detects_expressions_that_once_did_not_compile(entry: dict[str, Any]) -> None:
    for bad in entry["examples"]:
        assert re.search(entry["pattern"], bad, re.MULTILINE)


@pytest.mark.node
def test_archive_has_the_licence_and_the_schemas(packages: Path) -> None:
    languages = {path.name for path in packages.iterdir()}
    assert languages >= {"go", "java", "javascript", "python", "rust"}
    for name in languages:
        members = {path.relative_to(packages / name).as_posix() for path in (packages / name).rglob("*")}
        assert {"README.md", "LICENSE.txt", *(f"ksy/{path.name}" for path in SCHEMAS)} <= members
