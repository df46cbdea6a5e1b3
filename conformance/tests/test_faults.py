"""The command that injects faults.

These tests inject some faults; the page shows the results of all faults.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes._faulty import MODES
from fakes.misdeeds import misdeeds
from faults import faults

from journalspec_conformance.result import CLASSES
from judged import has

TOOLS = Path(__file__).resolve().parents[2] / "tools"
DATA = Path(__file__).resolve().parents[2] / "docs/data/faults.json"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="faults are injected into copies of a process"
)

#: A few faults of each kind and mode.
SOME = (
    "nothing", "ends/persistent", "ends/python", "cries_wolf/oneshot", "answers_a_list/persistent",
    "leaves_a_lock/persistent", "prints_nothing/oneshot", "hangs/persistent", "hangs/python",
    "nameless/oneshot", "talks/persistent", "log_before/persistent", "number_of_next/persistent",
    "hangs_half_way/persistent", "hangs_with_child/persistent", "recovers_to_nothing/persistent",
    "report_cut/summary", "expect_tier/run", "full_report/write",
)  # fmt: skip

#: A program that injects one fault three times. Each time, the table has another wrong expectation.
WRONG = """
import sys
from dataclasses import replace
import faults as tool
from faults import Attempt, faults, meet

tool.LEFT = 1.0  # remains that are made here never vanish, so a short wait is enough

def leaves(sandbox):
    return Attempt(["materialize", str(sandbox.scratch / "out"), "--select", sys.argv[1]], 0)

def shouts(sandbox):
    (sandbox.user / "precious").unlink()
    return Attempt(["show", "no.such.case"], 0)

found = {fault.id: fault for fault in faults()}
right = found["ends/persistent"]
for verdict in meet([replace(right, expected="timeout"), replace(right, expected="accepted", stage=leaves),
                     replace(right, expected="refused", stage=shouts)], 3):
    print(verdict.classified, verdict.survived, verdict.clean, verdict.notes)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(TOOLS)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment
    )


def test_injected_faults_have_the_results_of_the_table(tmp_path: Path) -> None:
    only = [word for name in SOME for word in ("--only", name)]
    done = run(str(TOOLS / "faults.py"), "--json", str(tmp_path / "out.json"), *only)
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    expected = len(SOME) + 2  # One fault in three modes.
    assert [data[name] for name in ("injected", "classified", "survived", "clean")] == [expected] * 4


def test_deviating_results_are_detected() -> None:
    done = run("-c", WRONG, "btm.clean.empty/read")
    assert done.returncode == 0, done.stderr
    class_, left, status = done.stdout.splitlines()
    assert class_.startswith("False True True")
    assert left.startswith("True True False")
    assert "out is left in TMPDIR" in left
    assert status.startswith("True False False")
    has(status, "exit status 2 in place of 0", "a file of the user's was changed")
    done = run(str(TOOLS / "faults.py"), "--only", "no-such-fault")
    assert (done.returncode, "no-such-fault" in done.stderr) == (2, True)


def test_tables_expect_only_existing_result_classes() -> None:
    for entry in misdeeds().values():
        assert set(entry.expected) <= set(MODES)
        assert entry.expected
        for name in (entry.then, *entry.expected.values()):
            assert name.partition(" ")[0] in {*CLASSES, "refused"}
    every = [fault.id for fault in faults()]
    assert len(every) == len(set(every))


def test_page_shows_all_existing_faults() -> None:
    """In the page's data each fault was classified, survived, and left no files or processes."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    names = ("kind", "name", "mode", "about", "expected")
    shown = [tuple(item[name] for name in names) for item in data["faults"]]
    anew = "the data is outdated: python tools/faults.py --json docs/data/faults.json"
    assert shown == [tuple(getattr(one, name) for name in names) for one in faults()], anew
    assert data["injected"] == len(data["faults"])
    for name in ("classified", "survived", "clean"):
        assert data[name] == sum(item[name] for item in data["faults"]) == data["injected"]
