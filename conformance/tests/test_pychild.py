"""A Python class that ends the interpreter ends its own: every probe has a result."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from journalspec_conformance.cli import cli
from journalspec_conformance.connect import parse_impl
from journalspec_conformance.errors import Crashed
from journalspec_conformance.pychild import PythonConnection

CLASSES = "py:journalspec_conformance.fakes.references:"
Run = Callable[..., Result]


@pytest.fixture
def run(cases_file: Path) -> Run:
    def call(name: str, *arguments: str) -> Result:
        options = ("run", "--cases", str(cases_file), "--impl", CLASSES + name, *arguments)
        return CliRunner().invoke(cli, options)

    return call


@pytest.mark.parametrize(
    ("name", "result_class", "reason"),
    [
        ("Exits", "crash", "SystemExit: 0"),
        ("ExitsHard", "crash", "exit status 0"),
        ("Interrupts", "crash", "KeyboardInterrupt"),
        ("Raises", "crash", "RuntimeError: this was not foreseen"),
        ("Hangs", "timeout", "no answer within 1 s"),
    ],
)
def test_what_ends_a_class_is_the_result_of_one_probe(
    name: str, result_class: str, reason: str, run: Run
) -> None:
    done = run(name, "--json", "--timeout", "1")
    assert done.exit_code == 1, done.output
    data = json.loads(done.stdout)
    assert data["judged"] == data["probes"] == 10
    assert data["counts"] == {"pass": 9, result_class: 1}
    assert reason in data["failed"][0]["reason"]
    assert ("no answer within 1 s" in done.stderr) == (name == "Hangs"), "who waits is told"


@pytest.mark.parametrize("name", ["Right", "Prints"])
def test_all_else_is_as_in_a_process(name: str, run: Run) -> None:
    done = run(name, "--validate")
    assert done.exit_code == 0, done.output
    assert "as expected: 10 judged, 0 not" in done.stdout


def test_who_ends_in_hello_is_not_judged(run: Run) -> None:
    done = run("ExitsInHello")
    assert done.exit_code == 2
    assert "did not introduce itself" in done.stderr


def test_pytest_sees_it_too() -> None:
    arguments = ["--pyargs", "journalspec_conformance", "-p", "no:cacheprovider", "-q"]
    options = [f"--journalspec-impl={CLASSES}ExitsHard", "--journalspec-select=btm.clean.*/read"]
    command = [sys.executable, "-m", "pytest", *arguments, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "4 failed, 10 passed" in done.stdout, "each third question of a new process"


def test_the_judge_of_crash_states_sees_it_too() -> None:
    options = ("--format", "bitronix_tlog", "--tier", "smoke", "--count", "20", "--jobs", "1", "--json")
    done = CliRunner().invoke(cli, ["corpus", "judge", "--impl", f"{CLASSES}SaysUnsupported", *options])
    assert done.exit_code == 2
    assert "nothing was judged" in done.stderr


def test_what_is_declared_and_then_declined_is_red(run: Run) -> None:
    done = run("SaysUnsupported", "--json", "--select", "**/recover.*")
    assert done.exit_code == 1
    (group,) = json.loads(done.stdout)["groups"]
    assert group["fingerprint"] == "unsupported"
    assert "not today" in group["reason"]


def test_too_little_judged_is_no_success(run: Run) -> None:
    assert run("Right", "--min-judged", "10").exit_code == 0
    done = run("Right", "--min-judged", "11")
    assert done.exit_code == 2
    assert "10 of 10 probes were judged, and at least 11 are asked for" in done.stderr


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
