"""Bounds on an implementation's output and time.

An answer that exceeds a bound determines the result of its own question, not of another one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance import connect
from journalspec_conformance.bounds import Bounds
from journalspec_conformance.connection import DIGITS, NESTING, Connection, read_answer
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved
from journalspec_conformance.programs import STDERR_KEPT
from journalspec_conformance.running import parse_impl
from judged import CASES, PROBE, start
from programs import READ, until
from tables import table

LINUX = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc (Linux)")
SMALL = Bounds(answer=1 << 16, stderr=1 << 18, memory=200 << 20, disk=8 << 20)

OpenClass = Callable[..., Connection]
KINDS = {"persistent": connect.to, "oneshot": connect.one_shot}
TABLE = table("programs")
ROWS = [
    pytest.param(mode, body, row, marks=[LINUX] if row.get("linux") else [])
    for row in TABLE["program"]
    for mode in row["in"]
    for body in row["rows"]
]


def ask(connection: Any, directory: Path) -> Breakdown:
    """Ask, and return the Breakdown. The test fails for a TimedOut, because the fault must be detected before
    the time limit.
    """
    directory.mkdir(exist_ok=True)
    with pytest.raises(Breakdown) as caught:
        connection.ask({**READ, "dir": str(directory)})
    return caught.value


@pytest.mark.parametrize("name", ["problem", "crash", "child:problem", "child:crash"])
def test_class_cannot_fake_the_messages_of_its_child_process(name: str, python_class: OpenClass) -> None:
    connection = python_class(f"{{{name!r}: 'said by the class', 'ok': {{}}}}")
    assert connection.ask({"cmd": "read", "format": "bitronix_tlog", "dir": "/nowhere"})["ok"] == {}
    python_class(f"{{{name!r}: 'x', **Reference.hello(self)}}", "hello")


@pytest.mark.parametrize(("mode", "body", "row"), ROWS)
def test_invalid_answer_is_a_breakdown_with_its_reason(
    mode: str, body: str, row: Mapping[str, Any], program: Callable[..., Any], tmp_path: Path
) -> None:
    timeout = 1.0 if row["raises"] == "TimedOut" else 30.0
    found = ask(program(body, timeout, KINDS[mode], bounds=SMALL), tmp_path / "place")
    assert type(found).__name__ == row["raises"], found
    assert row["rows"][body] in found.reason


@pytest.mark.parametrize("mode", KINDS)
def test_long_standard_error_is_not_a_fault(mode: str, program: Callable[..., Any], tmp_path: Path) -> None:
    connection = program("os.write(2, b'x' * 200000); answer()", 30.0, KINDS[mode], bounds=SMALL)
    assert connection.ask({**READ, "dir": str(tmp_path)})["ok"] == {"verdict": "clean"}
    assert len(connection.stderr()) <= STDERR_KEPT


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a":1e400}', "too long"),
        (b'{"a":' + b"1" * (DIGITS + 1) + b"}", f"{DIGITS + 1} digits"),
        (b"[" * 100_000, "nested deeper than 100"),
        (b'{"a":' + b"[" * NESTING + b"]" * NESTING + b"}", "nested deeper than 100"),
        (b'{"a":{"b":1,"b":1}}', "member 'b' occurs twice"),
        (b'{"a":"\\ud800"}', "half of a surrogate pair"),
        (b'{"a":"\xff"}', "no UTF-8"),
        ('{"a":1}'.encode("utf-16"), "no UTF-8"),
        (b'\xef\xbb\xbf{"a":1}', "no JSON"),
        (b'{"a":1}{"a":1}', "no JSON"),
        (b'{"a":Infinity}', "Infinity"),
        (b'{"a":NaN}', "NaN, which is not JSON"),
        (b"null", "not a JSON object"),
        (b"[1]", "not a JSON object"),
        (b"\n", "no JSON"),
    ],
)
def test_invalid_json_answer_is_refused_with_a_reason(text: bytes, reason: str) -> None:
    with pytest.raises(Misbehaved, match=reason):
        read_answer(text)


def test_deep_or_escaped_json_answer_is_accepted() -> None:
    deep = json.dumps({"a": json.loads("[" * (NESTING - 1) + "]" * (NESTING - 1))})
    assert read_answer(deep.encode())["a"]
    assert read_answer(b'{"a":"\\ud83d\\ude00","b":1.5}\r\n') == {"a": "\U0001f600", "b": 1.5}


def engine(tmp_path: Path, second: str, timeout: float = 20.0) -> Engine:
    """Return an engine for an implementation that writes extra output at the second question."""
    path = tmp_path / "talks.py"
    path.write_text(
        textwrap.dedent("""
        import json, os, sys, threading, time
        from journalspec_conformance.harnesses.reference import Reference
        reference, asked = Reference(), 0
        def put(message):
            sys.stdout.write(json.dumps(message) + "\\n"); sys.stdout.flush()
        for line in sys.stdin:
            request = json.loads(line)
            if request["cmd"] == "bye":
                break
            asked += 1
            reply = {"seq": request["seq"], **(
                reference.hello() if request["cmd"] == "hello" else reference.read(request))}
            if asked == 3:
                SECOND
            if asked == 4:
                time.sleep(0.5)
            put(reply)
        """).replace("SECOND", second)
    )
    return Engine(parse_impl(f"{sys.executable} {path}").connect(timeout=timeout), Options())


@pytest.mark.parametrize(
    ("second", "expected", "reason"),
    [
        ("put(reply)", "error", "more than its answer"),
        ("put({**reply, 'seq': reply['seq'] + 1})", "error", "request"),
        ("sys.stdout.write(json.dumps(reply) + '\\n' + 'abc'); reply = ''", "error", "more than its answer"),
        ("threading.Timer(0.2, put, [reply]).start()", "error", "more than its answer"),
        # The answer has the previous number, so the fault is attributed to this question.
        ("reply['seq'] -= 1", "error", "is to request 2, but 3 was asked"),
    ],
)
def test_extra_output_is_attributed_to_its_own_question(
    second: str, expected: str, reason: str, tmp_path: Path
) -> None:
    judging = engine(tmp_path, second, 2.0 if "-=" in second else 20.0)
    reads = [probe for name, probe in PROBE.items() if name.endswith("/read")][:3]
    results = list(judging.run_all(reads))
    judging.close()
    assert [result.result_class for result in results] == ["pass", expected, "pass"]
    assert reason in results[1].reason


#: Classes of the fakes.
FAKE_CLASSES = "py:fakes.references:"
CLASSES = """
import os, sys
from journalspec_conformance.harnesses.reference import Reference
class Odd(Exception):
    def __str__(self): raise ValueError("no")
class Own(BaseException): pass
def forever():
    while True: yield {"step": "0", "durable": True, "ok": {}}
class Fake(Reference):
    def read(self, request): return BODY
"""


@pytest.fixture
def python_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenClass]:
    made: list[Connection] = []

    def make(body: str, method: str = "read") -> Connection:
        """Return a connection to a class with a method of this body, after hello."""
        (tmp_path / "odd_class.py").write_text(
            CLASSES.replace("def read(self, request)", f"def {method}(self, *request)").replace("BODY", body)
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        made.append(connect.python_class("odd_class:Fake", timeout=20.0))
        made[-1].hello()
        return made[-1]

    yield make
    for connection in made:
        connection.close()


@pytest.mark.parametrize("body", TABLE["class"]["error"])
def test_invalid_return_value_of_a_class_is_an_error_with_its_reason(
    python_class: OpenClass, body: str, tmp_path: Path
) -> None:
    connection = python_class(body)
    said = connection.ask({**READ, "dir": str(tmp_path)})["error"]["message"]
    assert TABLE["class"]["error"][body] in said


@pytest.mark.parametrize("body", TABLE["class"]["crash"])
def test_crash_of_a_class_is_reported_with_a_short_reason(
    python_class: OpenClass, body: str, tmp_path: Path
) -> None:
    reason = ask(python_class(body), tmp_path).reason
    assert TABLE["class"]["crash"][body] in reason
    assert len(reason) < 3000


def test_endless_answer_of_a_class_is_misbehaviour(python_class: OpenClass, tmp_path: Path) -> None:
    connection = python_class("forever()")
    connection.ask({**READ, "dir": str(tmp_path)})
    assert until(lambda: isinstance(connection.unasked(), Misbehaved))


def test_class_that_reads_standard_input_gets_no_requests(python_class: OpenClass, tmp_path: Path) -> None:
    connection = python_class("{'ok': {'verdict': sys.stdin.read() + 'nothing'}}")
    assert connection.ask({**READ, "dir": str(tmp_path)})["ok"]["verdict"] == "nothing"


@pytest.mark.parametrize("body", ["None", "[]", "{'formats': None}"])
def test_invalid_hello_of_a_class_is_reported(python_class: OpenClass, body: str) -> None:
    with pytest.raises(Misbehaved, match="the answer to hello"):
        python_class(body, "hello")


@pytest.mark.parametrize(
    ("option", "body", "reason"),
    [
        (
            "--max-disk 1",
            "open(os.environ['TMPDIR'] + '/big', 'wb').write(b'x' * (3 << 20))",
            "more than 1 MiB",
        ),
        ("--max-memory 300", "b'x' * (400 << 20)", "more than 300 MiB of memory"),
    ],
)
def test_options_set_the_bounds_on_disk_and_memory(
    option: str, body: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "takes.py").write_text(CLASSES.replace("BODY", f"({body}, __import__('time').sleep(60))"))
    asked = ("--cases", CASES, "--impl", "py:takes:Fake", "--select", "btm.judge.clean/read")
    done = start("run", "--json", *asked, *option.split(), "--timeout", 50, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (failed,) = json.loads(done.stdout)["failed"]
    assert (failed["class"], reason in failed["reason"]) == ("crash", True), failed


def test_pytest_plugin_reports_a_class_that_ends_its_process() -> None:
    arguments = ["--pyargs", "journalspec_conformance", "-p", "no:cacheprovider", "-q"]
    options = [f"--journalspec-impl={FAKE_CLASSES}ExitsHard", "--journalspec-select=btm.clean.*/read"]
    command = [sys.executable, "-m", "pytest", *arguments, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "4 failed, 10 passed" in done.stdout, "each third question of a new process"


def test_exception_is_reported_with_traceback_and_process_continues(tmp_path: Path) -> None:
    connection = parse_impl(f"{FAKE_CLASSES}Raises").connect(timeout=10.0)
    hello = connection.hello()
    name = next(iter(hello.formats))
    request = {"cmd": "read", "format": name, "edition": "none", "dir": str(tmp_path), "observe": "records"}
    for _ in range(20):
        with pytest.raises(Crashed) as caught:
            connection.ask(request)
        assert "references.py" in caught.value.stderr
        assert caught.value.lives
    connection.close()
