"""Adding a format adds files and touches none: done here with a toy, in a copy of the four roots."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SIXTH = Path(__file__).resolve().parent / "sixth_format"
ROOTS = ("specs", "reference_impl", "corpus", "conformance")
COMMAND = "from journalspec_conformance.cli import main; main()"


def contents(house: Path) -> dict[str, bytes]:
    paths = (path for path in house.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(house)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the house with the toy moved in; nothing that was there has changed."""
    house = tmp_path_factory.mktemp("house")
    skip = shutil.ignore_patterns("__pycache__", "tests", "captured", "*.egg-info")
    for root in ROOTS:
        shutil.copytree(REPOSITORY / root, house / root, ignore=skip)
    before = contents(house)
    shutil.copytree(SIXTH, house, dirs_exist_ok=True, ignore=skip)
    stamped = run(house, "-m", "journalspec.requirements", "--stamp", "toy_sixth")
    assert stamped.returncode == 0, stamped.stderr
    published = run(house, "-m", "journalspec_corpus.publish", "toy_sixth")
    assert published.returncode == 0, published.stderr
    after = contents(house)
    assert {name: after[name] for name in before} == before
    assert all("toy_sixth" in name for name in set(after) - set(before))
    return house


def run(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(house / root) for root in ROOTS)
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=house,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def command(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(house, "-c", COMMAND, *arguments)


def test_it_is_listed(house: Path) -> None:
    assert "toy_sixth" in command(house, "formats").stdout


def test_its_cases_run_and_the_reference_passes(house: Path) -> None:
    done = command(house, "run", "--impl", "reference", "--format", "toy_sixth", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    listed = command(house, "list", "--format", "toy_sixth")
    assert "toy.sums.bad" in listed.stdout


def test_a_reader_that_ignores_the_sum_fails(house: Path) -> None:
    code = house / "reference_impl/journalspec_reference/toy_sixth/__init__.py"
    sound = code.read_text(encoding="utf-8")
    try:
        code.write_text(
            sound.replace("elif reduce(xor, text, 0) != data[end - 1]:", "elif False:"), encoding="utf-8"
        )
        done = command(house, "run", "--impl", "reference", "--format", "toy_sixth")
        assert done.returncode == 1, done.stdout + done.stderr
    finally:
        code.write_text(sound, encoding="utf-8")


def test_an_operator_can_look_at_its_files(house: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.toy").write_bytes(b"TOY6\x01aa\x02bc\x00")
    seen = command(house, "inspect", "--json", str(tmp_path))
    assert seen.returncode == 1, seen.stderr
    answer = json.loads(seen.stdout)
    assert (answer["format"], answer["verdict"]) == ("toy_sixth", "recovered")
    assert [record["text"] for record in answer["records"]] == ["a"]
    assert [region["reason"] for region in answer["dropped"]] == ["bad-sum"]
    assert command(house, "recover", str(tmp_path)).returncode == 3
