"""This test follows CONTRIBUTING literally: its section on formats adds a toy format to a copy of the
checkout.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from judged import has

REPOSITORY = Path(__file__).resolve().parents[2]
TOY = "conformance/tests/sixth_format"
ROOTS = ("specs", "reference_impl", "corpus", "conformance")
#: Maps a typed command to the module that runs it in this environment, with the copy's packages.
MODULES = {
    "journalspec": ["-m", "journalspec_conformance"],
    "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider"],
    "ruff": ["-m", "ruff"],
    "sphinx-build": ["-m", "sphinx"],
    "python": [],
}
#: Only pages of the toy are built, because the others take minutes.
OTHERS = "exclude_patterns=[!f]*,formats/*_tlog,formats/*_journal,formats/*_log,formats/*_store"
ITS_PAGES = ("-D", "master_doc=formats/index", "-D", OTHERS)


def section() -> str:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.partition("\n## A format\n")[2].partition("\n## ")[0]


def steps() -> list[list[str]]:
    """Return the commands of the section as lists of words, without trailing remarks."""
    (block,) = re.findall(r"^```sh\n(.*?)^```$", section(), re.MULTILINE | re.DOTALL)
    return [line.partition("#")[0].split() for line in block.splitlines()]


def contents(place: Path) -> dict[str, bytes]:
    paths = (path for path in place.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(place)): path.read_bytes() for path in paths}


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    roots = os.pathsep.join(str(place / root) for root in (*ROOTS, "docs/ext"))
    given = {**os.environ, "PYTHONPATH": roots, "COLUMNS": "200"}
    command = [sys.executable, *MODULES[words[0]], *words[1:]] if words[0] in MODULES else words
    return subprocess.run(
        command, cwd=place, env=given, capture_output=True, encoding="utf-8", timeout=300, check=False
    )


def step(place: Path, begins: str, *more: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the section's command that equals or begins with these words; its exit status must be `status`."""
    found = [words for words in steps() if " ".join(words).startswith(begins)]
    (words,) = [words for words in found if " ".join(words) == begins] or found
    done = run(place, *words, *more)
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the checkout with the toy's files added; no other file has changed."""
    place = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns(
        "__pycache__", "tests", "captured", "*.egg-info", "_build", "formats", "node_modules", "stores"
    )
    for root in (*ROOTS, "docs", "tools"):
        shutil.copytree(REPOSITORY / root, place / root, ignore=skip)
    shutil.copy(REPOSITORY / "pyproject.toml", place)
    shutil.copytree(REPOSITORY / TOY, place / TOY)
    before = contents(place)
    step(place, "cp")
    step(place, "python -m journalspec.requirements")
    step(place, "python tools/captures")
    step(place, "python tools/publish.py")
    after = contents(place)
    assert {name: after[name] for name in before} == before
    assert all("toy_sixth" in name for name in set(after) - set(before))
    return place


def test_section_lists_every_file_with_its_lines_and_every_step_runs() -> None:
    rows = re.findall(r"^\| `(.+?)` \| (\d+) \|", section(), re.MULTILINE)
    found = contents(REPOSITORY / TOY)
    assert {name.replace("<format>", "toy_sixth"): int(lines) for name, lines in rows} == {
        name: text.count(b"\n") for name, text in found.items()
    }
    taken = (
        "cp",
        "python",
        "journalspec formats",
        "journalspec run",
        "journalspec corpus",
        "pytest",
        "sphinx-build",
    )
    assert [words for words in steps() if not " ".join(words).startswith(taken)] == []


def test_code_of_the_format_satisfies_the_rules_of_the_project(copy: Path) -> None:
    """The rules at the new place of these files are stricter than those for tests."""
    pytest.importorskip("ruff", reason="ruff is missing: install journalspec[test]")
    code = [str(path) for root in ROOTS for path in (copy / root).glob("**/toy_sixth/*.py")]
    assert len(code) > 5
    checked = run(copy, "ruff", "check", "--no-cache", *code)
    assert checked.returncode == 0, checked.stdout


def test_format_is_listed_and_tested(copy: Path) -> None:
    """The format's cases, the reference, and its product's harness; pytest has an item for each probe."""
    has(step(copy, "journalspec formats").stdout, "toy_sixth", "the toy's product")
    assert "as expected" in step(copy, "journalspec run --impl reference --format toy_sixth").stdout
    assert "as expected: 4 judged" in step(copy, "journalspec run --impl toy_sixth", "--validate").stdout
    assert "4 passed" in step(copy, "pytest").stdout


def test_product_of_the_format_wrote_files_that_the_reference_reads(copy: Path) -> None:
    """The expectations are the product's answers, with which the format's model agrees."""
    place = copy / "corpus/captured/toy_sixth/toy_sixth-1/notes"
    assert (place / "notes.toy").read_bytes() == b"TOY6\x03one\x64\x03two\x6c\x09the third\x3a"
    told = tomllib.loads((place / "provenance.toml").read_text(encoding="utf-8"))
    assert [session["end"] for session in told["session"]] == ["killed", "killed"]
    assert told["sha256"] == {"notes.toy": hashlib.sha256((place / "notes.toy").read_bytes()).hexdigest()}
    said = step(copy, "journalspec run --impl reference --format toy_sixth --tier captured").stdout
    assert "as expected: 6 judged" in said
    before = contents(place)
    step(copy, "python tools/captures", "--again")
    assert contents(place) == before


def test_crashes_of_the_writer_are_tested(copy: Path) -> None:
    """Strict recovery loses nothing.

    The toy has two weaknesses. Its sum of one byte does not detect every torn note. Strict recovery refuses
    the state after a kill between the two parts of a note.
    """
    pytest.importorskip("pyarrow", reason="PyArrow is missing: install journalspec[corpus]")
    crash = "journalspec run --impl reference --format toy_sixth --tier crash"
    done = json.loads(step(copy, crash, "--jobs", "1", "--json", status=1).stdout)
    strict = [probe["fingerprint"] for probe in done["failed"] if "strict" in probe["probe"]]
    assert {fingerprint.partition("/")[0] for fingerprint in strict} == {"torn-accepted", "refused"}
    assert done["counts"]["pass"] > 50
    assert done["counts"]["allowed"] > 50


def test_pages_of_the_format_are_built(copy: Path) -> None:
    pytest.importorskip("sphinx", reason="Sphinx is missing: install journalspec[docs]")
    # The build uses two processes, because a page in one process must refer to a page that the other has
    # read.
    said = step(copy, "sphinx-build", *ITS_PAGES, "-j", "2").stderr
    # References to pages that are not built here are not faults.
    absent = re.compile("unknown (source )?document", re.IGNORECASE)
    faults = [line for line in said.splitlines() if "toy_sixth" in line and not absent.search(line)]
    assert faults == []
    site = copy / "site/formats/toy_sixth"
    assert "TOY-REC-001" in (site / "requirements.html").read_text(encoding="utf-8")
    assert any("toy.sums.bad" in page.read_text(encoding="utf-8") for page in (site / "cases").glob("*.html"))
    assert "exclusive or" in (site / "spec.html").read_text(encoding="utf-8")


def test_reader_that_ignores_the_sum_fails(copy: Path) -> None:
    code = copy / "reference_impl/journalspec_reference/toy_sixth/__init__.py"
    sound = code.read_text(encoding="utf-8")
    broken = sound.replace("elif reduce(xor, text, 0) != data[end - 1]:", "elif False:")
    assert broken != sound
    try:
        code.write_text(broken, encoding="utf-8")
        done = run(copy, "journalspec", "run", "--impl", "reference", "--format", "toy_sixth")
        assert done.returncode == 1, done.stdout + done.stderr
    finally:
        code.write_text(sound, encoding="utf-8")


def test_inspect_reads_files_of_the_format(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.toy").write_bytes(b"TOY6\x01aa\x02bc\x00")
    seen = run(copy, "journalspec", "inspect", "--json", str(tmp_path))
    assert seen.returncode == 1, seen.stderr
    answer = json.loads(seen.stdout)
    assert (answer["format"], answer["verdict"]) == ("toy_sixth", "recovered")
    assert [record["text"] for record in answer["records"]] == ["a"]
    assert [region["reason"] for region in answer["dropped"]] == ["bad-sum"]
    assert run(copy, "journalspec", "recover", str(tmp_path)).returncode == 3


def test_draft_format_is_described_only_on_request(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = copy / "specs/journalspec/toy_sixth/format.toml"
    described = table.read_text(encoding="utf-8")
    try:
        table.write_text(f"draft = true\n{described}", encoding="utf-8")
        cases = ["journalspec", "list", "--format", "toy_sixth"]
        assert "no format 'toy_sixth'" in run(copy, *cases).stderr
        monkeypatch.setenv("JOURNALSPEC_DRAFTS", "another,toy_sixth")
        assert "toy.sums.bad" in run(copy, *cases).stdout
    finally:
        table.write_text(described, encoding="utf-8")
