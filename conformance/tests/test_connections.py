from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from journalspec.observation import Level
from journalspec_conformance import connect, programs
from journalspec_conformance.connect import in_process
from journalspec_conformance.connection import Hello
from journalspec_conformance.errors import Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.harnesses import registry
from journalspec_conformance.programs import STDERR_KEPT
from journalspec_conformance.running import parse_impl
from programs import HELLO, READ, source
from tables import table

Program = Callable[..., Any]
TABLE = table("judging")["connections"]


def test_one_process_answers_many_questions_in_pieces(program: Program) -> None:
    connection = program(
        """
        for char in json.dumps({"seq": seq, "ok": {"verdict": "clean", "pid": str(os.getpid())}}) + "\\n":
            say(char)
        """
    )
    hello = connection.hello()
    assert (hello.name, hello.formats["f"].observe) == ("tiny", Level.RECORDS)
    assert len({connection.ask(READ)["ok"]["pid"] for _ in range(5)}) == 1


def test_implementation_is_restarted_after_a_breakdown(program: Program, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    connection = program(
        f"""
        if not os.path.exists({str(mark)!r}):
            open({str(mark)!r}, "w").close()
            print("first life", file=sys.stderr, flush=True)
            os._exit(1)
        say(json.dumps({{"seq": seq, "ok": {{"verdict": "clean"}}}}) + "\\n")
        """
    )
    with pytest.raises(Crashed) as caught:
        connection.ask(READ)
    assert caught.value.stderr == "first life\n"
    assert connection.ask(READ) == {"seq": 4, "ok": {"verdict": "clean"}}


def test_only_the_tail_of_a_long_standard_error_is_kept(program: Program) -> None:
    connection = program(
        """
        sys.stderr.write("x" * 1000000 + "the end"); sys.stderr.flush()
        os._exit(9)
        """
    )
    with pytest.raises(Crashed) as caught:
        connection.ask(READ)
    assert len(caught.value.stderr) == STDERR_KEPT
    assert caught.value.stderr.endswith("the end")


def test_unread_request_times_out(program: Program) -> None:
    connection = program("time.sleep(60)", 1.0)
    connection.hello()
    with pytest.raises(TimedOut):
        connection.ask({**READ, "params": {"x": "y" * 1_000_000}})


@pytest.mark.parametrize(("change", "reason"), TABLE["hello"])
def test_invalid_hello_is_refused_with_a_reason(change: dict[str, object], reason: str) -> None:
    with pytest.raises(Misbehaved, match=f"the answer to hello.*{reason}"):
        Hello.from_json({**HELLO, **change})


def test_process_that_ends_by_itself_is_not_killed(tmp_path: Path) -> None:
    mark = tmp_path / "left"
    path = tmp_path / "polite.py"
    path.write_text(source("", f"open({str(mark)!r}, 'w').close()\n"))
    connection = connect.to([sys.executable, "-S", str(path)])
    connection.hello()
    connection.close()
    assert mark.exists()


def test_stepwise_writing_waits_for_the_runner(program: Program, tmp_path: Path) -> None:
    log = tmp_path / "log"
    connection = program(
        f"""
        for number, op in enumerate(request["ops"]):
            open({str(log)!r}, "a").write(op["op"] + " ")
            say(json.dumps({{"seq": seq, "step": str(number), "durable": False}}) + "\\n")
            assert json.loads(sys.stdin.readline())["cmd"] == "step"
        say(json.dumps({{"seq": seq, "ok": {{"files": []}}}}) + "\\n")
        """
    )
    request = {"cmd": "write", "step": True, "ops": [{"op": "a"}, {"op": "b"}, {"op": "c"}]}
    assert [reply.get("step") for reply in connection.steps(request)] == ["0", "1", "2", None]
    log.unlink()
    steps = connection.steps(request)
    next(steps)
    steps.close()
    time.sleep(0.1)
    assert log.read_text() == "a "
    ends = program("say(json.dumps({'seq': seq, 'step': '0', 'durable': True}) + '\\n'); os._exit(1)")
    with pytest.raises(Crashed):
        list(ends.steps(request))
    declines = program("say(json.dumps({'seq': seq, 'unsupported': {}}) + '\\n')")
    assert len(list(islice(declines.steps(request), 2))) == 1


CLEAN = '{"verdict": "clean"}'
NO = '{"verdict": "refused", "phase": "header", "code": "x"}'


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (f"print('{CLEAN}')", {"ok": json.loads(CLEAN)}),
        (f"print('{NO}'); sys.exit(1)", {"ok": json.loads(NO)}),
        ("print('no such edition'); sys.exit(2)", {"unsupported": {"message": "no such edition"}}),
    ],
)
def test_output_of_a_oneshot_command_is_its_answer(program: Program, body: str, answer: object) -> None:
    assert program(body, kind=connect.one_shot).ask(READ) == answer


def test_oneshot_command_receives_question_and_parameters(program: Program) -> None:
    text = """" ".join(sys.argv[1:]) + os.environ["JOURNALSPEC_PARAMS"]"""
    body = f"""print(json.dumps({{"verdict": "clean", "message": {text}}}))"""
    request = {**READ, "cmd": "recover", "policy": "strict", "params": {"a": "b"}}
    seen = program(body, kind=connect.one_shot).ask(request)
    assert seen["ok"]["message"] == 'recover f 1 . strict{"a": "b"}'


def test_oneshot_hello_is_optional(program: Program, tmp_path: Path) -> None:
    silent = program("", kind=connect.one_shot).hello()
    assert silent.formats
    assert all(
        claims.ops == {"read"} and claims.observe is Level.RECORDS for claims in silent.formats.values()
    )
    (tmp_path / "greets.py").write_text(f"import json; print(json.dumps({HELLO!r}))")
    greets = connect.one_shot([sys.executable, "-S", str(tmp_path / "greets.py")])
    assert set(greets.hello().formats) == {"f"}


class Small:
    """An implementation of one imaginary format."""

    def hello(self) -> dict[str, object]:
        return HELLO

    def read(self, request: dict[str, str]) -> dict[str, object]:
        if request["edition"] == "boom":
            raise RuntimeError("bang")
        return {"ok": {"verdict": "clean"}}

    def bye(self) -> None:
        raise ValueError("this text must not be seen")


def test_python_class_is_restarted_after_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "small", sys.modules[__name__])
    connection = in_process("small:Small")
    assert connection.hello().name == "tiny"
    assert not connection.in_memory
    assert connection.ask(READ)["ok"] == {"verdict": "clean"}
    with pytest.raises(Crashed, match="RuntimeError: bang") as caught:
        connection.ask({**READ, "edition": "boom"})
    assert "test_connections.py" in caught.value.stderr
    assert connection.ask(READ)["ok"] == {"verdict": "clean"}
    connection.close()


@pytest.mark.parametrize(("text", "reason"), TABLE["no_impl"])
def test_invalid_impl_option_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        parse_impl(text).connect().hello()


def test_shipped_harnesses_are_found_and_described() -> None:
    assert {"reference", "construct", "kaitai"} <= set(registry())
    assert all(entry.summary for entry in registry().values())


def test_long_answer_is_not_taken_for_extra_output() -> None:
    """The line arrives in pieces. After its end, no further output is pending."""
    line = "import sys; sys.stdin.readline(); print('x' * 300000, flush=True); sys.stdin.readline()"
    asked = programs.Child([sys.executable, "-c", line], None)
    try:
        asked.put(b"go\n")
        assert len(asked.get(20)) == 300000
        assert asked.unasked() is None
    finally:
        asked.end()
