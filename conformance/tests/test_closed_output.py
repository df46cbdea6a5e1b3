"""A command whose output is closed ends with status 141, as on a closed pipe, and prints nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from journalspec_corpus.load import find_case
from judged import PROGRAM

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs file descriptors that are passed on")

CASE = "btm.clean.two-phase"
#: One command for each way in which commands print; {place} contains a journal and a report.
COMMANDS = [
    "--help",
    "--version",
    f"list --select {CASE}",
    f"run --impl reference --select {CASE}",
    "inspect --json {place}/journal",
    "matrix {place}/report.jsonl",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("place")
    find_case(CASE).materialize(tmp_path / "journal")
    command = f"run --impl reference --select {CASE} --report {tmp_path}/report.jsonl"
    subprocess.run([*PROGRAM, *command.split()], check=True, capture_output=True)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_with_closed_output_ends_with_141(command: str, place: Path) -> None:
    words = shlex.join([*PROGRAM, *command.format(place=place).split()])
    done = subprocess.run(["/bin/bash", "-c", f"{words} >&-"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("command", ["list --format derby_log", "--help"])
def test_a_command_on_a_closed_pipe_ends_with_141(command: str, place: Path) -> None:
    words = shlex.join([*PROGRAM, *command.format(place=place).split()])
    line = f"(sleep 0.2; {words}) | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("streams", ["<&- >&- 2>&-"])
def test_all_streams_may_be_closed(streams: str) -> None:
    command = f"{shlex.join(PROGRAM)} formats {streams}"
    assert subprocess.run(["/bin/bash", "-c", command], check=False).returncode == 141


def test_usage_error_with_closed_output_still_ends_with_2() -> None:
    command = f"{shlex.join(PROGRAM)} bogus >&-"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "No such command" in done.stderr
