"""What an implementation may say and take for one question: what goes beyond is that question's result."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from journalspec_conformance.bounds import Bounds
from journalspec_conformance.child import STDERR_KEPT
from journalspec_conformance.connect import parse_impl
from journalspec_conformance.connection import DIGITS, NESTING, read_answer
from journalspec_conformance.engine import Engine, Options
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved
from journalspec_conformance.oneshot import OneShotConnection
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.pychild import PythonConnection
from judged import CASES, PROBE, start
from programs import READ, until

LINUX = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc (Linux)")
SMALL = Bounds(answer=1 << 16, stderr=1 << 18, memory=200 << 20, disk=8 << 20)

Open = Callable[[str], Any]
OpenClass = Callable[..., PythonConnection]
KINDS = {"persistent": ProcessConnection, "oneshot": OneShotConnection}


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest, program: Callable[..., Any]) -> Open:
    return lambda body: program(body, 30.0, KINDS[request.param], bounds=SMALL)


def ask(connection: Any, directory: Path) -> Breakdown:
    """Return what came of asking: no answer. It takes less than the time limit, or it were a TimedOut."""
    directory.mkdir(exist_ok=True)
    with pytest.raises(Breakdown) as caught:
        connection.ask({**READ, "dir": str(directory)})
    return caught.value


@pytest.mark.parametrize("name", ["problem", "crash", "child:problem", "child:crash"])
def test_what_a_child_says_of_itself_its_class_cannot_say(name: str, python_class: OpenClass) -> None:
    connection = python_class(f"{{{name!r}: 'said by the class', 'ok': {{}}}}")
    connection.hello()
    assert connection.ask({"cmd": "read", "format": "bitronix_tlog", "dir": "/nowhere"})["ok"] == {}
    connection = python_class(f"{{{name!r}: 'x', **Reference.hello(self)}}", "hello")
    assert connection.hello().name


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        ("while True: put(b'x' * 4096)", Misbehaved, "more than 64 KiB"),
        ("while True: put(b'{}' + bytes([10]) )", Misbehaved, ""),
        ("answer(b'\"a\":\"' + b'x' * 100000 + b'\",')", Misbehaved, "more than 64 KiB"),
        pytest.param(
            "while True: os.write(2, b'x' * 4096)", Misbehaved, "256 KiB on standard error", marks=LINUX
        ),
        pytest.param("x = b'x' * (300 << 20); time.sleep(60)", Crashed, "200 MiB of memory", marks=LINUX),
        pytest.param(
            """
            subprocess.Popen([sys.executable, "-S", "-c",
                "x = b'x' * (300 << 20); import time; time.sleep(60)"], start_new_session=True)
            time.sleep(60)
            """,
            Crashed,
            "200 MiB of memory",
            marks=LINUX,
        ),
        (
            "open(os.path.join(request['dir'], 'f'), 'wb').write(b'x' * (20 << 20)); time.sleep(60)",
            Crashed,
            "8 MiB in its scratch",
        ),
        (
            "open(os.path.join(os.environ['TMPDIR'], 'f'), 'wb').write(b'x' * (20 << 20)); time.sleep(60)",
            Crashed,
            "8 MiB in its scratch",
        ),
        ("subprocess.Popen(['sleep', '60'], start_new_session=True); os._exit(7)", Crashed, "exit status 7"),
    ],
)
def test_beyond_a_bound(opened: Open, body: str, kind: type[Breakdown], reason: str, tmp_path: Path) -> None:
    found = ask(opened(body), tmp_path / "place")
    assert type(found) is kind, found
    assert reason in found.reason


@LINUX
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("x = b'x' * (300 << 20); time.sleep(60)", "200 MiB of memory"),
        ("while True: os.write(2, b'x' * 4096)", "256 KiB on standard error"),
        (
            "open(os.path.join(os.environ['TMPDIR'], 'f'), 'wb').write(b'x' * (20 << 20)); time.sleep(60)",
            "8 MiB in its scratch",
        ),
    ],
)
@pytest.mark.parametrize("opened", ["oneshot"], indirect=True)
def test_who_has_answered_and_lives_on_is_bounded_too(
    opened: Open, body: str, reason: str, tmp_path: Path
) -> None:
    found = ask(opened("answer(); os.close(1)\n" + body), tmp_path / "place")
    assert reason in found.reason


def test_much_on_standard_error_is_no_fault(opened: Open, tmp_path: Path) -> None:
    connection = opened("os.write(2, b'x' * 200000); answer()")
    assert connection.ask({**READ, "dir": str(tmp_path)})["ok"] == {"verdict": "clean"}
    assert len(connection.stderr()) <= STDERR_KEPT


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a":1e400}', "nobody can hold"),
        (b'{"a":' + b"1" * (DIGITS + 1) + b"}", f"{DIGITS + 1} digits"),
        (b"[" * 100_000, "deep in each other"),
        (b'{"a":' + b"[" * NESTING + b"]" * NESTING + b"}", "deep in each other"),
        (b'{"a":{"b":1,"b":1}}', "two members 'b'"),
        (b'{"a":"\\ud800"}', "lone surrogate"),
        (b'{"a":"\xff"}', "no UTF-8"),
        ('{"a":1}'.encode("utf-16"), "no UTF-8"),
        (b'\xef\xbb\xbf{"a":1}', "no JSON"),
        (b'{"a":1}{"a":1}', "no JSON"),
        (b'{"a":Infinity}', "Infinity"),
        (b'{"a":NaN}', "NaN, which is no JSON"),
        (b"null", "no JSON object"),
        (b"[1]", "no JSON object"),
        (b"\n", "no JSON"),
    ],
)
def test_json_that_is_no_answer_is_named(text: bytes, reason: str) -> None:
    with pytest.raises(Misbehaved, match=reason):
        read_answer(text)


def test_json_that_is_an_answer() -> None:
    deep = json.dumps({"a": json.loads("[" * (NESTING - 1) + "]" * (NESTING - 1))})
    assert read_answer(deep.encode())["a"]
    assert read_answer(b'{"a":"\\ud83d\\ude00","b":1.5}\r\n') == {"a": "\U0001f600", "b": 1.5}


def engine(tmp_path: Path, second: str, timeout: float = 20.0) -> Engine:
    """Return an engine that asks the reference, which at its second question says more than its answer."""
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
    return Engine(parse_impl(f"{sys.executable} {path}").open(timeout), Options())


@pytest.mark.parametrize(
    ("second", "expected", "reason"),
    [
        ("put(reply)", "error", "more than its answer"),
        ("put({**reply, 'seq': reply['seq'] + 1})", "error", "request"),
        ("sys.stdout.write(json.dumps(reply) + '\\n' + 'abc'); reply = ''", "error", "more than its answer"),
        ("threading.Timer(0.2, put, [reply]).start()", "error", "more than its answer"),
        # The number of the answer before: nobody else's fault.
        ("reply['seq'] -= 1", "error", "is to request 2, but 3 was asked"),
    ],
)
def test_who_does_more_than_answer_pays_himself(
    second: str, expected: str, reason: str, tmp_path: Path
) -> None:
    judging = engine(tmp_path, second, 2.0 if "-=" in second else 20.0)
    reads = [probe for name, probe in PROBE.items() if name.endswith("/read")][:3]
    results = list(judging.run_all(reads))
    judging.close()
    assert [result.result_class for result in results] == ["pass", expected, "pass"]
    assert reason in results[1].reason


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
    made: list[PythonConnection] = []

    def make(body: str, method: str = "read") -> PythonConnection:
        (tmp_path / "odd_class.py").write_text(
            CLASSES.replace("def read(self, request)", f"def {method}(self, *request)").replace("BODY", body)
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        made.append(PythonConnection("odd_class:Fake", timeout=20.0))
        return made[-1]

    yield make
    for connection in made:
        connection.close()


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        ("[{'ok': {}}]", "error", "read() returned an object of type list, not a dict"),
        ("None", "error", "read() returned None, not a dict"),
        ("7", "error", "type int"),
        ("{'ok': {'verdict': {1, 2}}}", "error", "cannot be written as JSON: TypeError"),
        ("{'ok': {'verdict': float('nan')}}", "error", "cannot be written as JSON: ValueError"),
        ("iter([])", "error", "ended without its final answer"),
        ("iter([3])", "error", "yielded an object of type int"),
        ("(_ for _ in ()).throw(Odd())", Crashed, "Odd: (str() of it raises ValueError)"),
        ("(_ for _ in ()).throw(Own('mine'))", Crashed, "Own: mine"),
        ("(_ for _ in ()).throw(Exception('x' * 10_000_000))", Crashed, "(10000000 characters)"),
        ("(_ for _ in ()).throw(Exception('\\udcff'))", Crashed, "Exception: \\udcff"),
        ("(_ for _ in ()).throw(GeneratorExit())", Crashed, "GeneratorExit"),
        ("(_ for _ in ()).throw(KeyboardInterrupt())", Crashed, "KeyboardInterrupt"),
        ("(_ for _ in ()).throw(RuntimeError('not foreseen'))", Crashed, "RuntimeError: not foreseen"),
        ("sys.exit(0)", Crashed, "SystemExit: 0"),
        ("os.closerange(0, 100)", Crashed, "before its answer"),
    ],
)
def test_a_class_that_gives_no_answer(
    python_class: OpenClass, body: str, kind: type[Breakdown] | str, reason: str, tmp_path: Path
) -> None:
    connection = python_class(body)
    connection.hello()
    request = {**READ, "dir": str(tmp_path)}
    if isinstance(kind, str):
        assert reason in connection.ask(request)[kind]["message"]
    else:
        with pytest.raises(kind) as caught:
            connection.ask(request)
        assert reason in caught.value.reason
        assert len(caught.value.reason) < 3000


def test_a_class_that_never_ends_its_answer(python_class: OpenClass, tmp_path: Path) -> None:
    connection = python_class("forever()")
    connection.hello()
    connection.ask({**READ, "dir": str(tmp_path)})
    assert until(lambda: isinstance(connection.unasked(), Misbehaved))


def test_a_class_that_reads_the_requests_itself(python_class: OpenClass, tmp_path: Path) -> None:
    connection = python_class("{'ok': {'verdict': sys.stdin.read() + 'nothing'}}")
    connection.hello()
    assert connection.ask({**READ, "dir": str(tmp_path)})["ok"]["verdict"] == "nothing"


@pytest.mark.parametrize("body", ["None", "[]", "{'formats': None}"])
def test_hello_that_is_none(python_class: OpenClass, body: str) -> None:
    with pytest.raises(Misbehaved, match="the answer to hello"):
        python_class(body, "hello").hello()


def test_bounds_are_options(tmp_path: Path) -> None:
    (tmp_path / "eats.py").write_text(
        CLASSES.replace("BODY", "(b'x' * (400 << 20), __import__('time').sleep(60))")
    )
    asked = ("--cases", CASES, "--impl", "py:eats:Fake", "--select", "btm.judge.clean/read")
    bounds = ("--max-memory", 300, "--timeout", 50)
    done = start("run", "--json", *asked, *bounds, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (failed,) = json.loads(done.stdout)["failed"]
    assert failed["class"] == "crash"
    assert "more than 300 MiB of memory" in failed["reason"]
