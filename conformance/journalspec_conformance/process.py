"""A persistent process that answers one JSON object per line.

Every wait has a deadline, whatever the process does: says nothing, says half a
line, stops reading, closes its output, or talks nonsense. Two threads move
bytes, so that this works the same wherever Python runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess  # implementations are programs; running the user's command is the point
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from journalspec_conformance import PROTOCOL
from journalspec_conformance.connection import Hello, Message, checked
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut

STDERR_KEPT = 64 * 1024
#: An answer longer than this is a fault, not an answer (bytes).
LINE_LIMIT = 64 * 1024 * 1024
#: A process that was told bye must be gone after this many seconds.
BYE_SECONDS = 5.0


@dataclass
class _Running:
    """One life of the process: its pipes, and the threads that serve them."""

    process: subprocess.Popen[bytes]
    lines: queue.Queue[bytes | None] = field(default_factory=queue.Queue)
    requests: queue.Queue[bytes | None] = field(default_factory=queue.Queue)
    errors: bytearray = field(default_factory=bytearray)
    partial: int = 0
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        for work in (self._write, self._read, self._read_errors):
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self.threads.append(thread)

    def _write(self) -> None:
        stream = _pipe(self.process.stdin)
        with contextlib.suppress(OSError, ValueError):  # a dead reader shows as the end of its output
            while (data := self.requests.get()) is not None:
                stream.write(data)
                stream.flush()
        with contextlib.suppress(OSError):
            stream.close()

    def _read(self) -> None:
        held = bytearray()
        for chunk in _chunks(_pipe(self.process.stdout)):
            held += chunk
            if b"\n" in chunk:
                *whole, rest = held.split(b"\n")
                for line in whole:
                    self.lines.put(bytes(line))
                held = bytearray(rest)
            self.partial = len(held)
            if len(held) > LINE_LIMIT:
                break
        self.lines.put(None)

    def _read_errors(self) -> None:
        for chunk in _chunks(_pipe(self.process.stderr)):
            self.errors += chunk
            del self.errors[:-STDERR_KEPT]


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("the process was started without this pipe")
    return stream


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what arrives, as it arrives, up to the end of the stream."""
    with contextlib.suppress(OSError, ValueError):
        while chunk := os.read(stream.fileno(), 65536):
            yield chunk


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
    ) -> None:
        self.command = list(command)
        self._environment = environment
        self.timeout = timeout
        self.start_timeout = max(timeout, start_timeout)
        self._running: _Running | None = None
        self._seq = 0
        self._last_errors = ""

    def hello(self) -> Hello:
        """Start the process if needed and return what it declares."""
        self._stop()
        reply = self._start()
        return Hello.from_json(reply)

    def ask(self, request: Message) -> Message:
        """Send `request`, wait for its answer; raises a Breakdown after which the process is gone."""
        try:
            self._ready()
            seq = self._send(request)
            return checked(self._receive(seq, self.timeout))
        except Breakdown as error:
            raise self._broken(error) from None

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield one answer per operation, then the final one; closing early kills the process."""
        finished = False
        try:
            self._ready()
            seq = self._send(request)
            while not finished:
                reply = checked(self._receive(seq, self.timeout))
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

    def stderr(self) -> str:
        """Return the last 64 KiB of standard error, of the process or of the one before."""
        if self._running is None:
            return self._last_errors
        return bytes(self._running.errors).decode("utf-8", "replace")

    def close(self) -> None:
        """Say bye, wait five seconds, then kill."""
        running = self._running
        if running is not None and running.process.poll() is None:
            self._send({"cmd": "bye"})
            running.requests.put(None)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.process.wait(BYE_SECONDS)
        self._stop()

    def _ready(self) -> None:
        if self._running is None:
            self._start()

    def _start(self) -> Message:
        self._running = running = _Running(_spawn(self.command, self._environment))
        running.start()
        try:
            seq = self._send({"cmd": "hello", "protocol": PROTOCOL})
            return self._receive(seq, self.start_timeout)
        except Breakdown as error:
            raise self._broken(error) from None

    def _send(self, request: Message) -> int:
        self._seq += 1
        self._put({"seq": self._seq, **request})
        return self._seq

    def _put(self, request: Message) -> None:
        if self._running is not None:
            self._running.requests.put(json.dumps(request, separators=(",", ":")).encode() + b"\n")

    def _receive(self, seq: int, timeout: float) -> Message:
        running = self._running
        if running is None:
            raise AssertionError("nothing was asked")
        try:
            line = running.lines.get(timeout=timeout)
        except queue.Empty:
            half = f"; {running.partial} bytes of an unfinished line had come" if running.partial else ""
            raise TimedOut(f"no answer within {timeout:g} s{half}") from None
        if line is None:
            raise self._ended(running)
        return _parse(line, seq)

    def _ended(self, running: _Running) -> Breakdown:
        if running.partial > LINE_LIMIT:
            return Misbehaved(f"an answer of more than {LINE_LIMIT} bytes")
        half = f", {running.partial} bytes into a line," if running.partial else ""
        try:
            status = running.process.wait(1.0)
        except subprocess.TimeoutExpired:
            return Crashed(f"the process closed its output{half} before its answer")
        return Crashed(f"the process ended{half} before its answer, with {describe_status(status)}")

    def _broken(self, error: Breakdown) -> Breakdown:
        self._stop()
        error.stderr = self._last_errors
        return error

    def _stop(self) -> None:
        """Kill the process and everything it started; keep the tail of its standard error."""
        running, self._running = self._running, None
        if running is None:
            return
        kill_group(running.process)
        running.requests.put(None)
        deadline = time.monotonic() + 1.0
        for thread in running.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._last_errors = bytes(running.errors).decode("utf-8", "replace")
        for stream in (running.process.stdout, running.process.stderr):
            with contextlib.suppress(OSError):
                _pipe(stream).close()


def _parse(line: bytes, seq: int) -> Message:
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise Misbehaved(f"standard output carries a line that is no JSON: {line[:200]!r}") from None
    if not isinstance(reply, dict):
        raise Misbehaved(f"standard output carries a line that is no JSON object: {line[:200]!r}")
    if reply.get("seq") != seq:
        raise Misbehaved(
            f"the answer is to request {reply.get('seq')!r}, but {seq} was asked: {line[:200]!r}"
        )
    return reply


def _spawn(command: Sequence[str], environment: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        raise Problem(
            f"the implementation cannot be started: {command[0]}: {error.strerror or error}",
            "Check --impl: the name of a shipped harness, py:module:Class, or a command line.",
        ) from None


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill `process` and, where process groups exist, everything that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(BYE_SECONDS)


def describe_status(status: int) -> str:
    """Return an exit status for people: ``exit status 3`` or ``signal SIGSEGV``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
