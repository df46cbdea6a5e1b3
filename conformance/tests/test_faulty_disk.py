"""A disk that fails at each write in turn: the tests check the files after each command, and check that the
tool detects losses.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from judged import CASES, PROGRAM, call, fake
from tables import table

TOOL = Path(__file__).parents[2] / "tools" / "faulty_disk.py"

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="needs Linux and a C compiler (cc): the disk is a shim that is preloaded",
)

Break = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def breaking(tmp_path: Path) -> Break:
    """Run the tool on a command in a directory that contains `kept` and further files of a test."""
    (tmp_path / "kept").write_text("written by hand\n")

    def run(command: tuple[str, ...], *options: str) -> subprocess.CompletedProcess[str]:
        every = () if "--sample" in options else ("--every",)
        line = [sys.executable, str(TOOL), *every, *options, "--jobs", "2", "--in", str(tmp_path), *command]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)

    return run


def program(text: str) -> tuple[str, ...]:
    """Return a command that runs `text` and ends with 2 after an OSError, as journalspec's commands do."""
    body = "\n".join(f"    {line}" for line in text.splitlines())
    tail = "except OSError as error:\n    print(error.strerror, file=sys.stderr)\n    sys.exit(2)\n"
    return sys.executable, "-c", f"import os, pathlib, sys\ntry:\n{body}\n{tail}"


@pytest.mark.parametrize(("text", "seen"), table("judging")["faulty_disk"]["lost"])
def test_lost_or_remaining_file_is_detected(breaking: Break, text: str, seen: str) -> None:
    # All later calls must fail, too, because Python writes the buffer of a stream again when it collects the
    # stream.
    done = breaking(program(text), "--lasting")
    assert done.returncode == 1, done.stdout + done.stderr
    assert seen in done.stdout


@pytest.mark.parametrize(("option", "text", "status", "said"), table("judging")["faulty_disk"]["resumed"])
def test_next_run_continues_with_the_files_of_a_failed_command(
    breaking: Break, option: str, text: str, status: int, said: str
) -> None:
    done = breaking(program(text), option)
    assert done.returncode == status, done.stdout + done.stderr
    assert said in done.stdout


def test_command_that_the_tool_cannot_test_is_reported(breaking: Break) -> None:
    for text, said in (
        ("print('hello')", "it writes nothing in the directory"),
        ("raise SystemExit(2)", "undisturbed, it ends with 2"),
    ):
        done = breaking((sys.executable, "-c", text))
        assert done.returncode == 2
        assert said in done.stderr


def test_samples_contain_the_first_and_the_last_failure(tool: ModuleType) -> None:
    assert tool.chosen(3, None, 1) == [1, 2, 3]
    some = tool.chosen(1000, 10, 1)
    assert len(some) == 10
    assert {1, 1000} <= set(some)
    assert some != tool.chosen(1000, 10, 2)


def good(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 badly" in done.stdout


@pytest.mark.parametrize(
    ("name", "options"), [("new", ("--error", "ENOSPC")), ("there", ("--error", "EDQUOT", "--lasting"))]
)
def test_failed_write_leaves_no_partial_directory(
    breaking: Break, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "there").mkdir()
    text = (
        "from journalspec.files import making, replace_text\n"
        f"with making(pathlib.Path({name!r})) as place:\n"
        "    (place / 'sub').mkdir()\n"
        "    replace_text(place / 'file', 'x')"
    )
    good(breaking(program(text), *options))


@pytest.mark.parametrize(
    ("name", "options"), [("kept", ("--error", "ENOSPC")), ("new.gz", ("--error", "EIO", "--lasting"))]
)
def test_failed_write_leaves_no_partial_report(breaking: Break, name: str, options: tuple[str, ...]) -> None:
    command = (*PROGRAM, "run", "--impl", "reference", "--cases", str(CASES), "--report", name)
    good(breaking(command, *options, "--varies", name))


def test_failed_update_leaves_the_old_or_the_complete_new_expectation_file(
    breaking: Break, tmp_path: Path
) -> None:
    text = '# mine\n[[expect]]\ncase = "zzz.**"\noutcome = "fail"\nwhy = "w"\n'
    (tmp_path / "kept").write_text(text)
    run = ("run", "--impl", fake("forgets_records"), "--cases", CASES, "--report", tmp_path / "r.jsonl")
    call(*run, status=1)
    good(breaking((*PROGRAM, "expect", "--update", "kept", "r.jsonl")))
