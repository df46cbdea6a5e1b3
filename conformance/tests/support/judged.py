"""Code that tests of the runner share: four cases, fakes, the command line, and a connection that follows a
script.
"""

from __future__ import annotations

import copy
import inspect
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from journalspec_conformance.cli import cli
from journalspec_conformance.connection import Connection, Hello, Peer, checked
from journalspec_conformance.selection import cases_of, probes_of

CASES = Path(__file__).parents[1] / "data" / "cases.jsonl"
#: Four cases, by the last part of their id: clean, second-missing, checksum-in-passive, write.
CASE = {case.id.rpartition(".")[2]: case for case in cases_of("", files=[CASES])}
PROBE = {probe.id: probe for probe in probes_of(list(CASE.values()))}
#: A name that sets a title, clears the screen, breaks the line, and is not UTF-8.
STRANGE = os.fsdecode(b"x\x1b]0;owned\x07\x1b[2J\n\xff")
#: The program that runs one of the fakes as a process.
FAKES = Path(__file__).resolve().parents[3] / "tools" / "fakes"
#: The command as a process.
PROGRAM = (sys.executable, "-m", "journalspec_conformance")

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # Before click 8.2, both streams were mixed.
    CliRunner.__init__.__defaults__ = ("utf-8", None, False, False)


def fake(name: str) -> str:
    """Return the command line of a fake."""
    return f"{sys.executable} {FAKES} {name}"


def call(*arguments: object, columns: int = 80, status: int | None = None) -> Result:
    """Run `journalspec` in this process; it must end with `status`, if that is given."""
    runner = CliRunner(env={"COLUMNS": str(columns), "TERM": "dumb"})
    done = runner.invoke(cli, [str(each) for each in arguments])
    assert status in (None, done.exit_code), done.output
    return done


def has(text: Container[str], *words: str) -> None:
    """Assert that all of the words are in the output."""
    assert [each for each in words if each not in text] == [], text


def in_full(*arguments: object, columns: int = 80, status: int | None = None) -> Result:
    """Run a command. `inspect` and `recover` get the option ``--all``, unless another option chooses the form
    of the answer.
    """
    forms = {"--all", "--json", "--ndjson", "--hex", "--level", "--help"}
    shown = forms & {str(each) for each in arguments} or arguments[0] not in ("inspect", "recover")
    return call(*arguments, *(() if shown else ("--all",)), columns=columns, status=status)


def harmless(text: str) -> str:
    """Return a text after checks that it has no control characters besides line feeds."""
    assert all(char.isprintable() or char == "\n" for char in text)
    return text


def flat(result: Result) -> str:
    """Return the output on one line, with one space between words."""
    return " ".join(result.stdout.split())


def start(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `journalspec` in a separate process."""
    command = [*PROGRAM, *map(str, arguments)]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(command, text=True, check=False, **given)


def right_answer(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an observation with exactly the values that an expectation lists."""
    unsaid = ("when", "unnoted", "noted")
    answer = {key: copy.deepcopy(value) for key, value in entry.items() if key not in unsaid}
    notes = [dict(note) for note in entry.get("noted", ())]
    others = Counter(entry.get("notes", ())) - Counter(note["code"] for note in notes)
    return answer | {"notes": [*notes, *({"code": code} for code in others.elements())]}


class Scripted(Connection):
    """A connection that answers with `reply`, or with its result; `claims` are members of hello."""

    def __init__(
        self,
        reply: dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]],
        *,
        in_memory: bool = True,
        **claims: Any,
    ) -> None:
        super().__init__(Peer)
        self.reply = reply
        self.in_memory = in_memory
        self.requests: list[dict[str, Any]] = []
        self.claims = {
            "editions": ["2.1"],
            "ops": ["read", "recover", "write"],
            "observe": "layout",
            "policies": ["strict", "salvage"],
            "features": ["damage", "pure"],
            **claims,
        }

    def hello(self) -> Hello:
        formats = {"bitronix_tlog": self.claims}
        return Hello.from_json({"protocol": 1, "impl": {"name": "s"}, "formats": formats})

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        return checked(self.reply(request) if callable(self.reply) else self.reply, request["cmd"])

    def steps(self, request: dict[str, Any]) -> Any:
        raise AssertionError("no stepwise writing here")

    def stderr(self) -> str:
        return "tail"
