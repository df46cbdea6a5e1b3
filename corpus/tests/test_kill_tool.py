"""Builds killed at random moments, and that the tool which does it sees what is left."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "kill.py"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").is_file(), reason="finds processes by their environment in /proc"
)


def test_a_killed_build_leaves_nothing_and_ends_the_same(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    what = tool.COMMANDS["build-local"]
    small = tuple("997" if word == "397" else word for word in what.arguments)
    monkeypatch.setitem(tool.COMMANDS, "build-local", tool.What(small, what.result))
    status = tool.main(["--count", "2", "--seed", "5", "--what", "build-local"])
    said = capsys.readouterr().out
    assert status == 0, said
    assert "0 faults" in said
    assert sum(int(line.split()[2]) for line in said.splitlines() if "SIG" in line) >= 1


#: Starts a process in a session of its own and leaves a file, and gives another result each time.
LEAVES = """
import os, pathlib, subprocess, sys, time
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
sleep = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
pathlib.Path(os.environ["TMPDIR"], "scratch").write_text("left")
subprocess.Popen(sleep, start_new_session=True, **quiet)
pathlib.Path(sys.argv[1]).write_text(f'{{"at": {time.time()}}}')
time.sleep(0.2)
"""


def test_what_is_left_and_what_differs_is_told(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JOURNALSPEC_THIS_TEST", "leaves")
    monkeypatch.setattr(tool, "GRACE", 0.1)
    monkeypatch.setattr(tool, "MAIN", (sys.executable, "-c", LEAVES))
    monkeypatch.setitem(tool.COMMANDS, "run", tool.What(("OUT",), tool._report))
    assert tool.main(["--count", "1", "--seed", "1", "--what", "run"]) == 1
    said = capsys.readouterr().out
    assert "is left: " in said
    assert "time.sleep(60)" in said
    assert "scratch is left" in said
    assert "report not the same" in said
    # It has ended what it found.
    assert tool.marked("JOURNALSPEC_THIS_TEST", "leaves") == {}
