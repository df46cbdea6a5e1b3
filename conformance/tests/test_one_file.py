"""The program in one file: the file from `tools/one_file.py` works with nothing else installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from journalspec.formats import format_ids
from journalspec_corpus.case import write_files
from journalspec_corpus.load import find_case
from judged import call

ROOT = Path(__file__).parents[2]
CAPTURED = ROOT / "corpus" / "captured"
#: Sets of files that products wrote; there is none of SwiftMQ here.
SETS = (
    "bitronix_tlog/bitronix-2.1.4/partial-commit",
    "derby_log/derby-10.1.3.1/changes",
    "jboss_journal/artemis-2.44.0/reuse-stale-tx",
    "kahadb_journal/activemq-5.11.4/in-doubt",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("program") / "journalspec.pyz"
    tool = [sys.executable, str(ROOT / "tools" / "one_file.py"), str(out)]
    subprocess.run(tool, check=True, capture_output=True)
    again = subprocess.run(tool, check=False, capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (2, f"{out} exists: name another file\n")
    return out


def alone(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program without the packages that are installed here."""
    command = [sys.executable, "-I", "-S", str(program), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_single_file_program_answers_for_all_formats_like_the_package(program: Path, tmp_path: Path) -> None:
    for number, name in enumerate(SETS):
        shutil.copytree(CAPTURED / name, tmp_path / str(number))
    store = tmp_path / "store"
    case = find_case("smq.backups.marked-store")
    store.mkdir()
    write_files(store, ((file.path, file.pieces()) for file in case.input.files))
    paths = sorted(tmp_path.iterdir())
    done, installed = alone(program, "check", "--json", *paths), call("check", "--json", *paths)
    assert done.stderr == ""
    assert (done.returncode, done.stdout) == (installed.exit_code, installed.stdout)
    assert {each["format"] for each in json.loads(done.stdout)["journals"]} == set(format_ids())


def test_single_file_program_writes_a_new_store(program: Path, tmp_path: Path) -> None:
    done = alone(program, "recover", CAPTURED / SETS[0], "--to", tmp_path / "new")
    assert (done.returncode, done.stderr) == (0, "")
    assert call("check", tmp_path / "new").exit_code == 0


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        ("query", "pip install 'journalspec[query]'"),
        ("run", "pip install journalspec"),
        ("list", "pip install"),
    ],
)
def test_implementation_reports_the_known_part_of_an_unknown_state(
    program: Path, command: str, typed: str
) -> None:
    done = alone(program, command, "anything")
    assert done.returncode == 2
    assert (
        f"{command} is not in this program, which contains only inspect, recover, export, check,"
        in done.stderr
    )
    assert f"next  {typed}" in done.stderr
