"""Connections to implementations, with adapters for those that do not speak the protocol themselves.

A program answers one JSON object per line. A class runs in a child process of the runner. There it may end
the process (``os._exit``), hang, or close its streams, like any program. An exception in a class, also
``SystemExit``, is reported as a crash, and the process continues. A one-shot command is run as
``CMD read FORMAT EDITION DIR``. The shipped harnesses are classes that are called in this process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import Level
from journalspec_conformance import PROTOCOL, serve
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.connection import DEFAULT_TIMEOUT, Connection, Message, Peer, read_answer
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.programs import Child
from journalspec_corpus.workers import describe_status

#: A process must end within this many seconds after ``bye``.
BYE_SECONDS = 5.0
#: Exit statuses of a one-shot command.
_ANSWER, _REFUSAL, _UNSUPPORTED = 0, 1, 2


class Serving(Child, Peer):
    """A program that speaks the protocol. One process answers all questions."""

    numbered = True

    def send(self, message: Message) -> None:
        """Write a request as a line."""
        self.put(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def receive(self, timeout: float, directory: str) -> Message:
        """Return the next line as a reply."""
        return read_answer(self.get(timeout, directory))

    def leave(self) -> None:
        """Close the program's input, and wait up to BYE_SECONDS for its end."""
        self.put(None)
        with suppress(Breakdown):
            self.status(BYE_SECONDS)


class ServingClass(Serving):
    """The child process that calls a class.

    An exception of the class is reported, and the process continues.
    """

    def __init__(self, target: str, bounds: Bounds = BOUNDS) -> None:
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        command = [sys.executable, "-m", serve.__name__, serve.CHILD, target]
        super().__init__(command, {**os.environ, "PYTHONPATH": paths}, bounds)
        self._trace = ""

    def receive(self, timeout: float, directory: str) -> Message:
        """Return the next reply; raises Problem if there is no such class."""
        self._trace = ""
        reply = super().receive(timeout, directory)
        if serve.PROBLEM in reply:
            raise Problem(str(reply[serve.PROBLEM]))
        if serve.CRASH in reply:
            self._trace = str(reply[serve.CRASH])
            raise Crashed(str(reply.get("message", "")), self._trace, lives=True)
        return reply

    def errors(self) -> str:
        """Return the traceback of the last crash, or the output on standard error if there was none."""
        return self._trace or super().errors()


class OneShot(Peer):
    """A command that is run once per question.

    Exit status 0 means an answer, 1 a refusal, 2 unsupported, and any other a crash. `level` is the assumed
    level of observation of a command that does not know ``hello``.
    """

    def __init__(self, command: Sequence[str], bounds: Bounds = BOUNDS, level: Level = Level.RECORDS) -> None:
        self._command, self._level, self._bounds = list(command), level, bounds
        self._errors = ""
        self._request: Message = {}

    def send(self, message: Message) -> None:
        """Keep the request; `receive` runs the command."""
        self._request = message

    def receive(self, timeout: float, directory: str) -> Message:
        """Run the command and return its answer. Even after a Breakdown, nothing must be restarted."""
        request = self._request
        if request["cmd"] == "hello":
            return self._hello(timeout)
        if request.get("step"):
            return {"unsupported": {"what": "write", "message": "one-shot commands only read"}}
        arguments = [request["cmd"], request["format"], request["edition"], directory]
        if "policy" in request:
            arguments.append(request["policy"])
        try:
            return self._reply(*self._run(timeout, arguments, request.get("params", {}), directory))
        except Breakdown as error:
            error.stderr, error.lives = self._errors, True
            raise

    def errors(self) -> str:
        """Return the last 64 KiB of standard error of the last run."""
        return self._errors

    def _hello(self, timeout: float) -> Message:
        """Return the output of ``CMD hello``, or a default: it reads all formats at `level`."""
        with suppress(Breakdown):
            status, out = self._run(timeout, ["hello"], {})
            if status == _ANSWER and "formats" in (reply := read_answer(out)):
                return reply
        claims = {"ops": ["read"], "observe": self._level.name.lower(), "features": ["damage"]}
        formats = {name: {"editions": list(get_format(name).editions), **claims} for name in format_ids()}
        return {"protocol": PROTOCOL, "impl": {"name": Path(self._command[0]).name}, "formats": formats}

    def _reply(self, status: int, out: bytes) -> Message:
        if status == _UNSUPPORTED:
            return {"unsupported": {"message": out.decode("utf-8", "replace").strip()[:500]}}
        if status not in (_ANSWER, _REFUSAL):
            raise Crashed(f"the command ended with {describe_status(status)}")
        verdict = (observation := read_answer(out)).get("verdict")
        if (verdict == "refused") != (status == _REFUSAL):
            raise Misbehaved(f"exit status {status} contradicts the verdict {verdict!r:.200}")
        return {"ok": observation}

    def _run(
        self, timeout: float, arguments: list[str], params: Mapping[str, Any], directory: str = ""
    ) -> tuple[int, bytes]:
        until = time.monotonic() + timeout
        environment = {**os.environ, "JOURNALSPEC_PARAMS": json.dumps(params)}
        child = Child([*self._command, *arguments], environment, self._bounds, by_line=False)
        try:
            child.put(None)
            out = child.get(timeout, directory)
            # The command may close its output and continue to run, but not beyond the time limit.
            return child.status(until - time.monotonic(), directory), out
        except TimedOut as error:
            error.reason = f"no answer within {timeout:g} s"
            raise
        finally:
            child.end()
            self._errors = child.errors()


class InProcess(Peer):
    """A Python class in this process: ``module:Class``, or a callable that makes an object.

    An exception counts as a crash; no time limit can be enforced. Only classes of this package run
    here, because a class of a user could end the process of the runner.
    """

    in_memory = True

    def __init__(self, target: str | Callable[[], Any]) -> None:
        self._guarded = serve.Guarded(serve.load_class(target) if isinstance(target, str) else target)
        self._answers: Iterator[Message] = iter(())
        self._trace = ""

    def send(self, message: Message) -> None:
        """Call the method with the request's name; a `step` continues the running call."""
        if message["cmd"] not in ("step", "bye"):
            self._trace = ""
            self._answers = self._guarded.answers(message)

    def receive(self, timeout: float, directory: str) -> Message:
        """Return the next answer of the object."""
        try:
            return next(self._answers)
        except Crashed as error:
            self._trace, error.lives = error.stderr, True
            raise

    def unasked(self) -> Breakdown | None:
        """Return an unexpected additional answer."""
        try:
            more = next(self._answers, None)
        except Crashed as error:
            self._trace = error.stderr
            return error
        return None if more is None else Misbehaved(f"it printed more than its answer: {more!r:.200}")

    def errors(self) -> str:
        """Return the traceback of the last crash."""
        return self._trace

    def leave(self) -> None:
        """Call ``bye`` if the object still exists."""
        with suppress(Exception):  # A failure has no effect at this point.
            self._guarded.end()

    def end(self) -> None:
        """Abandon the object."""
        self._answers = iter(())


def to(
    what: Any, *, timeout: float = DEFAULT_TIMEOUT, kind: Callable[..., Peer] = Serving, **how: Any
) -> Connection:
    """Return a connection to `what`, a command or a class, through a peer of the given `kind`."""
    return Connection(partial(kind, what, **how), timeout)


one_shot, python_class, in_process = (partial(to, kind=kind) for kind in (OneShot, ServingClass, InProcess))
