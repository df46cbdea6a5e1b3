"""A Python class that ends the interpreter ends its own: every probe has a result."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import Result

from journalspec_conformance.connect import parse_impl
from journalspec_conformance.errors import Crashed
from journalspec_conformance.pychild import PythonConnection
from judged import CASES, call

CLASSES = "py:fakes.references:"


def run(name: str, *arguments: str) -> Result:
    return call("run", "--cases", CASES, "--impl", CLASSES + name, *arguments)


@pytest.mark.parametrize(
    ("name", "result_class", "reason"),
    [
        ("ExitsHard", "crash", "exit status 0"),
        ("Hangs", "timeout", "no answer within 1 s"),
    ],
)
def test_what_ends_a_class_is_the_result_of_one_probe(name: str, result_class: str, reason: str) -> None:
    done = run(name, "--json", "--timeout", "1")
    assert done.exit_code == 1, done.output
    data = json.loads(done.stdout)
    assert data["judged"] == data["probes"] == 10
    assert data["counts"] == {"pass": 9, result_class: 1}
    assert reason in data["failed"][0]["reason"]
    assert ("no answer within 1 s" in done.stderr) == (name == "Hangs"), "who waits is told"


def test_pytest_sees_it_too() -> None:
    arguments = ["--pyargs", "journalspec_conformance", "-p", "no:cacheprovider", "-q"]
    options = [f"--journalspec-impl={CLASSES}ExitsHard", "--journalspec-select=btm.clean.*/read"]
    command = [sys.executable, "-m", "pytest", *arguments, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "4 failed, 10 passed" in done.stdout, "each third question of a new process"


def test_a_crash_costs_no_process_and_leaves_its_traceback(tmp_path: Path) -> None:
    connection = parse_impl(f"{CLASSES}Raises").open(10.0)
    assert isinstance(connection, PythonConnection)
    hello = connection.hello()
    name = next(iter(hello.formats))
    request = {"cmd": "read", "format": name, "edition": "none", "dir": str(tmp_path), "observe": "records"}
    started = time.monotonic()
    for _ in range(20):
        with pytest.raises(Crashed) as caught:
            connection.ask(request)
        assert "references.py" in caught.value.stderr
    assert time.monotonic() - started < 10
    connection.close()
