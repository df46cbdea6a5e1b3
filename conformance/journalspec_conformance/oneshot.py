"""A command that is run once per question: ``CMD read FORMAT EDITION DIR``."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import Level
from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.child import Child
from journalspec_conformance.connection import AnswersOnly, FormatClaims, Hello, Message, read_answer
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, TimedOut
from journalspec_conformance.programs import describe_status

_ANSWER, _REFUSAL, _UNSUPPORTED = 0, 1, 2


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
