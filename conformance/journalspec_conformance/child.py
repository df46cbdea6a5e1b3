"""One life of an implementation's process: its pipes, and the bounds of what it may take.

Every wait has a deadline, whatever the process does: says nothing, says half a line, stops
reading, closes its output, writes for ever. What it writes, and what memory and scratch space it
takes, is looked at while it is waited for, not when it has ended. Three threads move bytes,
so that this works the same wherever Python runs.
"""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from journalspec_conformance.bounds import BOUNDS, Bounds, size_of
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut
from journalspec_conformance.programs import Program, describe_status, disk_usage

STDERR_KEPT = 64 * 1024
#: Lines that may wait to be looked at: one answers a question, so that the second is one too many.
LINES = 1000
#: Seconds between two looks at what the process takes.
LOOK_SECONDS = 0.1


class Child:
    """A running implementation. `stop` it in any case. Raises Problem if it cannot be started.

    `by_line`: its output is lines, else one answer that ends with the output.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None,
        bounds: Bounds = BOUNDS,
        *,
        by_line: bool = True,
    ) -> None:
        try:
            self._program = Program(command, environment)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise Problem(
                f"the implementation cannot be started: {command[0]}: {why}",
                "Check --impl: the name of a shipped harness, py:module:Class, or a command line.",
            ) from None
        self._bounds = bounds
        self._by_line = by_line
        self._lines: queue.Queue[bytes | Breakdown | None] = queue.Queue()
        self._requests: queue.Queue[bytes | None] = queue.Queue()
        self._errors = bytearray()
        #: Bytes that have come since the last question, on each of the two streams.
        self._come = self._come_errors = 0
        self._partial = 0
        work = (self._write, self._read, self._read_errors)
        self._threads = [threading.Thread(target=part, daemon=True) for part in work]
        for thread in self._threads:
            thread.start()

    def put(self, request: bytes | None) -> None:
        """Send a line; None ends its input."""
        self._come = self._come_errors = 0
        self._requests.put(request)

    def get(self, timeout: float, directory: str = "") -> bytes:
        """Return what it says next; `directory` is where it works.

        Raises a Breakdown: nothing in `timeout` seconds; ended, or beyond its bounds.
        """
        begun = time.monotonic()
        while True:
            left = begun + timeout - time.monotonic()
            try:
                said = self._lines.get(timeout=max(0.0, min(left, LOOK_SECONDS)))
            except queue.Empty:
                self._look(directory)
            else:
                if said is None:
                    raise self._ended()
                if isinstance(said, Breakdown):
                    raise said
                return said
            if left <= LOOK_SECONDS:
                half = f"; {self._partial} bytes of an unfinished line had come" if self._partial else ""
                raise TimedOut(f"no answer within {timeout:g} s{half}")

    def unasked(self) -> Breakdown | None:
        """Return what it has said unasked."""
        self._drain()
        try:
            said = self._lines.get_nowait()
        except queue.Empty:
            if not self._partial:
                return None
            said = b"%d bytes of a line" % self._partial
        if said is None:  # it has ended: seen if there is another question
            self._lines.put(None)
            return None
        return unasked(said) if isinstance(said, bytes) else said

    def wait(self, timeout: float, directory: str = "") -> int:
        """Return its exit status, negative for a signal; raises as `get` does."""
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            status = self._program.wait(min(left, LOOK_SECONDS))
            if status is not None:
                return status
            self._look(directory)
        raise TimedOut(f"no answer within {timeout:g} s")

    def end(self, seconds: float) -> None:
        """Wait so long for its end, and no longer."""
        self._program.wait(seconds)

    def stop(self) -> None:
        """Kill it and everything it started."""
        self._program.end()
        self._requests.put(None)
        until = time.monotonic() + 1.0
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        for stream in (self._program.stdout, self._program.stderr):
            with suppress(OSError):
                stream.close()

    def errors(self) -> str:
        """Return the last 64 KiB of standard error."""
        return bytes(self._errors).decode("utf-8", "replace")

    def _write(self) -> None:
        stream = self._program.stdin
        with suppress(OSError, ValueError):  # a dead reader shows as the end of its output
            while (data := self._requests.get()) is not None:
                stream.write(data)
                stream.flush()
        with suppress(OSError):
            stream.close()

    def _read(self) -> None:
        held = bytearray()
        for chunk in _chunks(self._program.stdout):
            held += chunk
            self._come += len(chunk)
            if self._come > self._bounds.answer:
                self._lines.put(Misbehaved(f"an answer of more than {size_of(self._bounds.answer)}"))
                return
            if self._by_line and b"\n" in chunk:
                *whole, rest = held.split(b"\n")
                # Whoever gets the line looks at once whether more was said.
                self._partial = len(rest)
                for line in whole[:LINES]:
                    self._lines.put(bytes(line))
                held = bytearray(rest)
                if self._lines.qsize() > LINES:
                    return  # the first of them is the fault, and it is seen
            self._partial = len(held)
        if not self._by_line:
            self._partial = 0
            self._lines.put(bytes(held))
        self._lines.put(None)

    def _read_errors(self) -> None:
        for chunk in _chunks(self._program.stderr):
            self._errors += chunk
            self._come_errors += len(chunk)
            del self._errors[:-STDERR_KEPT]

    def _drain(self) -> None:
        """Let what already is in the pipe come through, where the system can tell."""
        until = time.monotonic() + 1.0
        while os.name == "posix" and self._lines.empty() and time.monotonic() < until:
            with suppress(OSError, ValueError):
                if select.select([self._program.stdout], [], [], 0)[0] and self._threads[1].is_alive():
                    time.sleep(0.0005)  # the reading thread's turn
                    continue
            return

    def _look(self, directory: str) -> None:
        """Raise a Breakdown if it takes more than it may, or has ended without its output's end."""
        bounds = self._bounds
        if self._come_errors > bounds.stderr:
            raise Misbehaved(f"more than {size_of(bounds.stderr)} on standard error for one question")
        if self._program.wait(0) is not None:
            # What it has started may hold its output open, or answer in its place.
            self._program.kill()
            self._threads[1].join(LOOK_SECONDS)
            if self._by_line and self._lines.empty():
                raise self._ended()
        if self._program.memory() > bounds.memory:
            raise Crashed(f"ended by the runner: it held more than {size_of(bounds.memory)} of memory")
        places = [*self._program.directories, *([Path(directory)] if directory else [])]
        if sum(disk_usage(path, bounds.disk) for path in places) > bounds.disk:
            left = size_of(bounds.disk)
            raise Crashed(f"ended by the runner: it left more than {left} in its scratch directories")

    def _ended(self) -> Breakdown:
        half = f", {self._partial} bytes into a line," if self._partial else ""
        status = self._program.wait(1.0)
        if status is None:
            return Crashed(f"the process closed its output{half} before its answer")
        return Crashed(f"the process ended{half} before its answer, with {describe_status(status)}")


def unasked(said: bytes) -> Misbehaved:
    """Return the fault of who says more than his answer."""
    return Misbehaved(f"it said more than its answer: {said[:200]!r}")


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what arrives, as it arrives, up to the end of the stream."""
    with suppress(OSError, ValueError):
        while chunk := os.read(stream.fileno(), 65536):
            yield chunk
