"""A command that is run once per question: ``CMD read FORMAT EDITION DIR``."""

from __future__ import annotations

import json
import os
import subprocess  # implementations are programs; running the user's command is the point
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO, Any

from journalspec.formats import format_ids, get_format
from journalspec.observation import Level
from journalspec_conformance.connection import FormatClaims, Hello, Message
from journalspec_conformance.errors import Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.process import LINE_LIMIT, STDERR_KEPT, describe_status, kill_group

_ANSWER, _REFUSAL, _UNSUPPORTED = 0, 1, 2


class OneShotConnection:
    """The one-shot mode: exit status 0 is an answer, 1 a refusal, 2 unsupported, else a crash.

    `level` is what an implementation without ``hello`` is taken to report.
    """

    in_memory = False

    def __init__(
        self, command: Sequence[str], *, timeout: float = 10.0, level: Level = Level.RECORDS
    ) -> None:
        self.command = list(command)
        self.timeout = timeout
        self.level = level
        self._errors = ""

    def hello(self) -> Hello:
        """Return what ``CMD hello`` prints; without that, reads everything at `level`."""
        try:
            status, out = self._run(["hello"], {})
            reply = json.loads(out) if status == _ANSWER else None
        except (Crashed, TimedOut, Misbehaved, ValueError):
            reply = None
        if isinstance(reply, dict) and "formats" in reply:
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
        status, out = self._run(arguments, request.get("params", {}))
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
            observation = json.loads(out)
        except (ValueError, RecursionError):
            raise Misbehaved(f"the command printed no JSON: {out[:200]!r}", self._errors) from None
        if not isinstance(observation, dict):
            raise Misbehaved(f"the command printed no JSON object: {out[:200]!r}", self._errors)
        if (observation.get("verdict") == "refused") != (status == _REFUSAL):
            raise Misbehaved(
                f"exit status {status} contradicts the verdict {observation.get('verdict')!r}", self._errors
            )
        return observation

    def _run(self, arguments: list[str], params: dict[str, Any]) -> tuple[int, bytes]:
        # Output goes to files: no pipe can fill up, and a grandchild that keeps one open cannot hold us.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = self._spawn(arguments, params, out, errors)
            try:
                status = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                self._errors = _tail(errors)
                raise TimedOut(f"no answer within {self.timeout:g} s", self._errors) from None
            finally:
                kill_group(process)
            self._errors = _tail(errors)
            if out.seek(0, os.SEEK_END) > LINE_LIMIT:
                raise Misbehaved(f"an answer of more than {LINE_LIMIT} bytes", self._errors)
            out.seek(0)
            return status, out.read()

    def _spawn(
        self, arguments: list[str], params: dict[str, Any], out: IO[bytes], errors: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [*self.command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                env={**os.environ, "JOURNALSPEC_PARAMS": json.dumps(params)},
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise Problem(
                f"the implementation cannot be started: {self.command[0]}: {error.strerror or error}"
            ) from None


def _tail(stream: IO[bytes]) -> str:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - STDERR_KEPT))
    return stream.read().decode("utf-8", "replace")
