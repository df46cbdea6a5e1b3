"""Tests the packages that contain the data of a format.

The tools of each registry accept these packages, and all packages contain the same files.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

import journalspec_corpus
from journalspec import __version__
from journalspec_corpus import load
from judged import call

ROOT = Path(__file__).parents[2]
FORMAT, NAME, MODULE = "bitronix_tlog", "journalspec-bitronix-tlog-data", "journalspec_bitronix_tlog_data"
DATA = {
    "pypi": f"{MODULE}/data",
    "npm": "data",
    "crates": "data",
    "maven": f"src/main/resources/{MODULE}",
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "packages"
    tool = [sys.executable, str(ROOT / "tools" / "data_packages.py"), str(out), "--format", FORMAT]
    subprocess.run(tool, check=True, capture_output=True)
    again = subprocess.run(tool, check=False, capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (2, f"{out} exists: name another directory\n")
    return out


def test_every_package_has_the_same_data(packages: Path) -> None:
    found = []
    for registry, place in DATA.items():
        data = packages / registry / NAME / place
        found.append({path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()})
    assert found[0] == found[1] == found[2] == found[3]
    assert {f"specification/{FORMAT}/spec.md", f"ksy/{FORMAT}/bitronix_tlog.ksy", "index.json"} <= found[0]
    assert {f"names/{FORMAT}.json", "schemas/case.schema.json", "schemas/observation.schema.json"} <= found[0]
    listed = json.loads((packages / "npm" / NAME / "data" / "index.json").read_text(encoding="utf-8"))
    assert {entry["id"] for entry in listed} == {
        case.id for tier in ("smoke", "captured") for case in load.load_cases(FORMAT, tier)
    }


def test_packages_have_the_version_of_the_corpus(packages: Path) -> None:
    pypi = tomllib.loads((packages / "pypi" / NAME / "pyproject.toml").read_text(encoding="utf-8"))
    crate = tomllib.loads((packages / "crates" / NAME / "Cargo.toml").read_text(encoding="utf-8"))
    npm = json.loads((packages / "npm" / NAME / "package.json").read_text(encoding="utf-8"))
    pom = (packages / "maven" / NAME / "pom.xml").read_text(encoding="utf-8")
    assert f"<version>{__version__}</version>" in pom
    versions = [pypi["project"]["version"], crate["package"]["version"], npm["version"]]
    assert versions == [__version__] * 3
    assert npm["exports"] == "./index.js"
    cases = tomllib.loads((ROOT / "corpus" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cases["version"], own["optional-dependencies"]["cases"]) == (
        __version__,
        [f"{cases['name']}>={__version__},<0.3"],
    )


def run(place: Path, *command: str) -> str:
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout


def test_python_reads_the_data_package(packages: Path) -> None:
    code = f"import {MODULE} as it; print((it.DATA / 'index.json').is_file())"
    assert run(packages / "pypi" / NAME, sys.executable, "-c", code) == "True\n"


@pytest.mark.node
def test_node_reads_the_data_package(packages: Path) -> None:
    node = shutil.which("node") or pytest.skip("needs node")
    code = 'import { data } from "./index.js"; import { existsSync } from "node:fs"; '
    code += 'console.log(existsSync(data + "index.json"));'
    assert run(packages / "npm" / NAME, node, "--input-type=module", "-e", code) == "true\n"


@pytest.mark.toolchain
def test_cargo_accepts_the_crate(packages: Path) -> None:
    cargo = shutil.which("cargo") or pytest.skip("needs cargo")
    run(packages / "crates" / NAME, cargo, "check", "--offline", "--quiet")


def test_program_without_the_cases_inspects_journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load.find_case("btm.clean.two-phase").materialize(tmp_path / "log")
    monkeypatch.setattr(journalspec_corpus, "__path__", [str(tmp_path / "no-cases")])
    load._tier.cache_clear()
    try:
        call("inspect", tmp_path / "log", status=0)
        judged = call("run", "--impl", "reference", "--format", FORMAT)
    finally:
        load._tier.cache_clear()
    assert judged.exit_code == 2
    assert "pip install 'journalspec[cases]'" in judged.output


def test_the_program_is_installed_without_the_cases() -> None:
    """The test needs journalspec installed from a wheel, as in the main test environment."""
    try:
        files = distribution("journalspec").files or []
    except PackageNotFoundError:
        pytest.skip("not installed")
    if not any(path.match("journalspec_corpus/load.py") for path in files):
        pytest.skip("an editable installation")
    assert [str(path) for path in files if "published" in path.parts] == []
