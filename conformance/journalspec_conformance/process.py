"""An implementation that is a program: one process for all questions, or one for each.

A persistent process answers one JSON object per line. A class is asked by a process of ours, so that one that
ends its process (``os._exit``), hangs, or closes its streams looks like any program; an exception,
``SystemExit`` among them, costs no new process: it is reported as a crash. A one-shot command is run as
``CMD read FORMAT EDITION DIR``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import Level
from journalspec_conformance import PROTOCOL, serve
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.child import Child, unasked
from journalspec_conformance.connection import (
    AnswersOnly,
    FormatClaims,
    Hello,
    Message,
    checked,
    read_answer,
)
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.programs import describe_status
from journalspec_conformance.serve import CHILD, CRASH, PROBLEM

#: A process that was told bye must be gone after this many seconds.
BYE_SECONDS = 5.0
#: Exit statuses of a one-shot command.
_ANSWER, _REFUSAL, _UNSUPPORTED = 0, 1, 2


class ProcessConnection:
    """The persistent mode: one process, started when first asked, restarted after a breakdown.

    `timeout` is in seconds per request; the first one, which has to wait for
    the program to start, gets `start_timeout`.
    """

    in_memory = False

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float = 10.0,
        start_timeout: float = 30.0,
        environment: Mapping[str, str] | None = None,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self.command = list(command)
        self._environment = environment
        self.timeout = timeout
        self.start_timeout = max(timeout, start_timeout)
        self._bounds = bounds
        self._child: Child | None = None
        self._seq = 0
        #: The number of the first request of this life.
        self._first = 0
        self._last_errors = ""
        self._late: Breakdown | None = None
        #: Where the last question was about, and whether the one before was about the same.
        self._place: object = None
        self._same = False

    def hello(self) -> Hello:
        """Start the process if needed and return what it declares."""
        self._stop()
        hello = Hello.from_json(self._start())
        more = self.unasked()
        if more is not None:
            raise more
        return hello

    def ask(self, request: Message) -> Message:
        """Send `request`, wait for its answer; raises a Breakdown after which the process is gone."""
        try:
            seq = self._begin(request)
            return checked(self._receive(seq, self.timeout, request), request["cmd"])
        except Breakdown as error:
            raise self._broken(error) from None
        except BaseException:
            self._stop()  # interrupted: who is still thinking would not hear `bye`
            raise

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield one answer per operation, then the final one; closing early kills the process."""
        finished = False
        try:
            seq = self._begin(request)
            while not finished:
                reply = checked(self._receive(seq, self.timeout, request))
                finished = "step" not in reply or "ok" in reply
                yield reply
                if not finished:
                    self._put({"seq": seq, "cmd": "step"})
        except Breakdown as error:
            finished = True
            raise self._broken(error) from None
        finally:
            if not finished:
                self._stop()

    def unasked(self) -> Breakdown | None:
        """Return what the process has done besides its last answer, and if it has, end it."""
        more = self._child.unasked() if self._child is not None else None
        return None if more is None else self._broken(more)

    def late(self) -> Breakdown | None:
        """Return, once, what came after the answer to the question before the last one."""
        late, self._late = self._late, None
        return late

    def stderr(self) -> str:
        """Return the last 64 KiB of standard error, of the process or of the one before."""
        return self._last_errors if self._child is None else self._child.errors()

    def close(self) -> None:
        """Say bye, wait five seconds, then kill."""
        child = self._child
        if child is not None:
            self._send({"cmd": "bye"})
            child.put(None)
            child.end(BYE_SECONDS)
        self._stop()

    def _begin(self, request: Message) -> int:
        """Send `request` to a process that has nothing left to say."""
        more = self.unasked()
        self._same = request.get("dir") == self._place
        self._place = request.get("dir")
        self._blame(more)
        if self._child is None:
            self._start()
        return self._send(request)

    def _blame(self, late: Breakdown | None) -> None:
        """Remember what was done after the last answer, or raise it, if that was about the same files."""
        if late is not None and self._same:
            raise late
        self._late = late

    def _start(self) -> Message:
        self._child = Child(self.command, self._environment, self._bounds)
        try:
            seq = self._first = self._send({"cmd": "hello", "protocol": PROTOCOL})
            return self._receive(seq, self.start_timeout, {})
        except Breakdown as error:
            raise self._broken(error) from None
        except BaseException:
            self._stop()
            raise

    def _send(self, request: Message) -> int:
        self._seq += 1
        self._put({"seq": self._seq, **request})
        return self._seq

    def _put(self, request: Message) -> None:
        if self._child is not None:
            self._child.put(json.dumps(request, separators=(",", ":")).encode() + b"\n")

    def _receive(self, seq: int, timeout: float, request: Message) -> Message:
        if self._child is None:
            raise AssertionError("nothing was asked")
        other: Misbehaved | None = None
        while True:
            try:
                line = self._child.get(timeout, str(request.get("dir", "")))
            except TimedOut:
                if other is None:
                    raise
                # Nothing else came: it was meant for this question, and has the number of another.
                self._late = None
                raise other from None
            reply = read_answer(line)
            number = reply.get("seq")
            if type(number) is int and number == seq:
                return reply
            wrong = Misbehaved(
                f"the answer is to request {number!r:.100}, but {seq} was asked: {line[:200]!r}"
            )
            if other is not None or type(number) is not int or not self._first < number < seq:
                raise wrong
            # It has been answered: whose second answer this is, the next one need not pay for.
            other = wrong
            self._blame(unasked(line))

    def _broken(self, error: Breakdown) -> Breakdown:
        self._stop()
        error.stderr = self._last_errors
        return error

    def _stop(self) -> None:
        """Kill the process and everything it started; keep the tail of its standard error."""
        child, self._child = self._child, None
        if child is not None:
            child.stop()
            self._last_errors = child.errors()


class _Raised(Crashed):
    """The class raised; its process lives on."""


class PythonConnection(ProcessConnection):
    """The class ``module:Class`` in a child process."""

    def __init__(self, target: str, *, timeout: float, bounds: Bounds = BOUNDS) -> None:
        command = [sys.executable, "-m", serve.__name__, CHILD, target]
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        environment = {**os.environ, "PYTHONPATH": paths}
        super().__init__(command, timeout=timeout, environment=environment, bounds=bounds)
        self._trace = ""

    def stderr(self) -> str:
        """Return the traceback of the last crash, or else what was written to standard error."""
        return self._trace or super().stderr()

    def _receive(self, seq: int, timeout: float, request: Message) -> Message:
        self._trace = ""
        reply = super()._receive(seq, timeout, request)
        if PROBLEM in reply and not request:  # hello
            raise Problem(str(reply[PROBLEM]))
        if CRASH in reply:
            self._trace = str(reply[CRASH])
            raise _Raised(str(reply.get("message", "")), self._trace)
        return reply

    def _broken(self, error: Breakdown) -> Breakdown:
        return error if isinstance(error, _Raised) else super()._broken(error)


class OneShotConnection(AnswersOnly):
    """The one-shot mode: exit status 0 is an answer, 1 a refusal, 2 unsupported, else a crash.

    `level` is what an implementation without ``hello`` is taken to report.
    """

    in_memory = False

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float = 10.0,
        level: Level = Level.RECORDS,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self.command = list(command)
        self.timeout = timeout
        self.level = level
        self._bounds = bounds
        self._errors = ""

    def hello(self) -> Hello:
        """Return what ``CMD hello`` prints; without that, reads everything at `level`."""
        reply: Message = {}
        try:
            status, out = self._run(["hello"], {})
            if status == _ANSWER:
                reply = read_answer(out)
        except (Crashed, TimedOut, Misbehaved):
            reply = {}
        if "formats" in reply:
            return Hello.from_json(reply)
        return Hello(
            {"name": Path(self.command[0]).name}, {name: self._default(name) for name in format_ids()}
        )

    def _default(self, format_id: str) -> FormatClaims:
        editions = frozenset(get_format(format_id).editions)
        return FormatClaims(editions, frozenset({"read"}), self.level, features=frozenset({"damage"}))

    def ask(self, request: Message) -> Message:
        """Run the command for one ``read`` or ``recover``."""
        arguments = [request["cmd"], request["format"], request["edition"], request["dir"]]
        if "policy" in request:
            arguments.append(request["policy"])
        status, out = self._run(arguments, request.get("params", {}), request["dir"])
        if status == _UNSUPPORTED:
            return {"unsupported": {"message": out.decode("utf-8", "replace").strip()[:500]}}
        if status not in (_ANSWER, _REFUSAL):
            raise Crashed(f"the command ended with {describe_status(status)}", self._errors)
        return {"ok": self._observation(out, status)}

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """One-shot commands do not write."""
        yield {"unsupported": {"what": "write", "message": "one-shot commands only read"}}

    def stderr(self) -> str:
        """Return the last 64 KiB of standard error of the last run."""
        return self._errors

    def close(self) -> None:
        """Nothing is left running."""

    def _observation(self, out: bytes, status: int) -> dict[str, Any]:
        try:
            observation = read_answer(out)
        except Misbehaved as error:
            error.stderr = self._errors
            raise
        if (observation.get("verdict") == "refused") != (status == _REFUSAL):
            raise Misbehaved(
                f"exit status {status} contradicts the verdict {observation.get('verdict')!r:.200}",
                self._errors,
            )
        return observation

    def _run(self, arguments: list[str], params: dict[str, Any], directory: str = "") -> tuple[int, bytes]:
        until = time.monotonic() + self.timeout
        environment = {**os.environ, "JOURNALSPEC_PARAMS": json.dumps(params)}
        child = Child([*self.command, *arguments], environment, self._bounds, by_line=False)
        try:
            child.put(None)
            out = child.get(self.timeout, directory)
            # It may close its output and live on, but not for ever.
            status = child.wait(until - time.monotonic(), directory)
        except Breakdown as error:
            child.stop()
            error.stderr = self._errors = child.errors()
            if isinstance(error, TimedOut):
                error.reason = f"no answer within {self.timeout:g} s"
            raise
        finally:
            child.stop()
        self._errors = child.errors()
        return status, out
