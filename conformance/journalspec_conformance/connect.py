"""``--impl``: from what the user typed to a connection, and the adapters of what does not speak the protocol.

A program answers one JSON object per line. A class is asked by a program of ours, so that one that ends its
process (``os._exit``), hangs, or closes its streams looks like any program; an exception, also
``SystemExit``, costs no new process: it is reported as a crash. A one-shot command is run as
``CMD read FORMAT EDITION DIR``. The harnesses that are shipped are classes that are called in this process.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from shutil import which
from typing import Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import Level
from journalspec_conformance import PROTOCOL, serve
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.connection import DEFAULT_TIMEOUT, Connection, Message, Peer, read_answer
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.harnesses import HarnessEntry, registry
from journalspec_conformance.harnesses.product import command as product_command
from journalspec_conformance.programs import Child, describe_status

MODES = ("persistent", "oneshot")
#: A process that was told bye must be gone after this many seconds.
BYE_SECONDS = 5.0
_PYTHON = "py:"
#: Exit statuses of a one-shot command.
_ANSWER, _REFUSAL, _UNSUPPORTED = 0, 1, 2


class Serving(Child, Peer):
    """A program that speaks the protocol: one process for all questions."""

    numbered = True

    def send(self, message: Message) -> None:
        """Write a request as a line."""
        self.put(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def receive(self, timeout: float, directory: str) -> Message:
        """Return the next line as a reply."""
        return read_answer(self.get(timeout, directory))

    def leave(self) -> None:
        """Wait five seconds."""
        self.put(None)
        with suppress(Breakdown):
            self.status(BYE_SECONDS)


class ServingClass(Serving):
    """The program that asks a class: it says when the class raised, and lives on."""

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
        """Return the traceback of the last crash, or else what was written to standard error."""
        return self._trace or super().errors()


class OneShot(Peer):
    """A command that is run once per question.

    Its exit status 0 is an answer, 1 a refusal, 2 unsupported, else a crash. `level` is what one without
    ``hello`` is taken to report.
    """

    def __init__(self, command: Sequence[str], bounds: Bounds = BOUNDS, level: Level = Level.RECORDS) -> None:
        self._command, self._level, self._bounds = list(command), level, bounds
        self._errors = ""
        self._request: Message = {}

    def send(self, message: Message) -> None:
        """Take a request."""
        self._request = message

    def receive(self, timeout: float, directory: str) -> Message:
        """Run the command; after a Breakdown the next question is asked all the same."""
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
        """Return what ``CMD hello`` prints; without that, reads everything at the level."""
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
            # It may close its output and live on, but not for ever.
            return child.status(until - time.monotonic(), directory), out
        except TimedOut as error:
            error.reason = f"no answer within {timeout:g} s"
            raise
        finally:
            child.end()
            self._errors = child.errors()


class InProcess(Peer):
    """A Python class in this process: ``module:Class``, or anything that makes an object.

    An exception is a crash; no time limit can be enforced. Anybody else's class could end the run in here.
    """

    in_memory = True

    def __init__(self, target: str | Callable[[], Any]) -> None:
        self._guarded = serve.Guarded(serve.load_class(target) if isinstance(target, str) else target)
        self._answers: Iterator[Message] = iter(())
        self._trace = ""

    def send(self, message: Message) -> None:
        """Call the method of the request's name; a step goes on with it."""
        if message["cmd"] not in ("step", "bye"):
            self._trace = ""
            self._answers = self._guarded.answers(message)

    def receive(self, timeout: float, directory: str) -> Message:
        """Return its next answer."""
        try:
            return next(self._answers)
        except Crashed as error:
            self._trace, error.lives = error.stderr, True
            raise

    def unasked(self) -> Breakdown | None:
        """Return what it answers besides."""
        try:
            more = next(self._answers, None)
        except Crashed as error:
            self._trace = error.stderr
            return error
        return None if more is None else Misbehaved(f"it said more than its answer: {more!r:.200}")

    def errors(self) -> str:
        """Return the traceback of the last crash."""
        return self._trace

    def leave(self) -> None:
        """Call ``bye`` if the object is still there."""
        with suppress(Exception):  # nothing is left to fail
            self._guarded.end()

    def end(self) -> None:
        """Abandon the object."""
        self._answers = iter(())


def to(
    what: Any, *, timeout: float = DEFAULT_TIMEOUT, kind: Callable[..., Peer] = Serving, **how: Any
) -> Connection:
    """Return a connection to what `kind` makes a peer of: a command, or a class."""
    return Connection(partial(kind, what, **how), timeout)


one_shot, python_class, in_process = (partial(to, kind=kind) for kind in (OneShot, ServingClass, InProcess))


@dataclass(frozen=True, slots=True)
class Target:
    """An implementation that can be opened, in this process or another (it pickles).

    `text` is what the user typed. `expectations` is the shipped expectation file, and `timeout` what the
    harness asks for in seconds per question, if any.
    """

    text: str
    connect: Callable[..., Connection]
    expectations: Path | None = None
    timeout: float | None = None

    def open(self, timeout: float = DEFAULT_TIMEOUT) -> Connection:
        """Return a connection; `timeout` in seconds per request."""
        return self.connect(timeout=timeout)


def parse_impl(
    text: str, mode: str = "persistent", level: Level | None = None, bounds: Bounds = BOUNDS
) -> Target:
    """Return the target that `text` names: a shipped harness, ``py:module:Class``, or a command line.

    `bounds` are what it may take for one question. Raises Problem if it can be none of them.
    """
    if mode not in MODES:
        raise Problem(f"unknown mode {mode!r}: choose one of {', '.join(MODES)}")
    entry = registry().get(text)
    if entry is not None:
        return _shipped(entry, bounds)
    if text.startswith(_PYTHON):
        if str(Path.cwd()) not in sys.path and "" not in sys.path:
            sys.path.insert(0, str(Path.cwd()))  # as `python -m` does: the user's class lies where he stands
        return Target(text, partial(python_class, text.removeprefix(_PYTHON), bounds=bounds))
    try:
        command = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise Problem(f"--impl {text!r} cannot be split into words: {error}") from None
    choices = f"Shipped harnesses: {', '.join(registry())}. Or give py:module:Class, or a command line that"
    choices += " speaks the protocol."
    if not command:
        raise Problem("--impl is empty", choices)
    if len(command) == 1 and which(command[0]) is None and not Path(command[0]).is_file():
        raise Problem(
            f"--impl {text!r} is neither a shipped harness nor a command that can be found", choices
        )
    if mode == "oneshot":
        observed = Level.RECORDS if level is None else level
        return Target(text, partial(one_shot, command, bounds=bounds, level=observed))
    return Target(text, partial(to, command, bounds=bounds))


def _shipped(entry: HarnessEntry, bounds: Bounds) -> Target:
    expectations = None
    if entry.expectations:
        expectations = Path(str(files("journalspec_conformance"))) / "expectations" / entry.expectations
    if entry.target:
        return Target(entry.name, partial(in_process, entry.target), expectations, entry.timeout)
    try:
        connect = partial(to, product_command(entry.product), bounds=bounds)
    except LookupError as error:
        raise Problem(f"harness {entry.name} is not ready: {error.args[0]}") from None
    return Target(entry.name, connect, expectations, entry.timeout)
