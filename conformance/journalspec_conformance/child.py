"""One life of an implementation's process: its pipes, and the bounds of what it may take.

Every wait has a deadline, whatever the process does: says nothing, says half a line, stops
reading, closes its output, writes for ever. What it writes, and what memory and scratch space it
takes, is looked at while it is waited for, not when it has ended. Three threads move bytes,
so that this works the same wherever Python runs.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import stat
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from journalspec.kept import Kept
from journalspec.trees import DEPTH, ENTRIES, Folder, TooMuch, TreeEntry, walk
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut

STDERR_KEPT = 64 * 1024
#: Lines that may wait to be looked at: one answers a question, so that the second is one too many.
LINES = 1000
#: Seconds between two looks at what the process takes.
LOOK_SECONDS = 0.1
#: A thread that had a processor for this part of the time has not waited for one.
BUSY = 0.8
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an implementation may take for one question (bytes). What goes beyond ends it.

    The largest answer to a published case has less than a tenth of `answer`; to be read
    as JSON it costs some thirty times its size. `memory` is of all its processes together,
    `disk` what they leave in the directory they were given and in those for temporary files.
    """

    answer: int = 16 * _MIB
    stderr: int = 64 * _MIB
    memory: int = 4096 * _MIB
    disk: int = 2048 * _MIB

    @classmethod
    def of_mib(cls, memory: int, disk: int) -> Bounds:
        """Return bounds with memory and disk as the user gives them."""
        return cls(memory=memory * _MIB, disk=disk * _MIB)


BOUNDS = Bounds()


class Child:
    """A running implementation. `stop` it in any case.

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
            self._kept = Kept(command, environment)
        except (OSError, ValueError) as error:
            raise cannot_start(command, error) from None
        self._command = command
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

    def get(self, timeout: float, directory: str = "", patience: float | None = None) -> bytes:
        """Return what it says next; `directory` is where it works.

        Raises a Breakdown: nothing in `timeout` seconds, or in `patience` seconds if it has worked all that
        time; ended, or beyond its bounds.
        """
        begun = time.monotonic()
        until = begun + timeout
        turns: tuple[float, dict[str, int]] | None = None
        while True:
            left = until - time.monotonic()
            try:
                said = self._lines.get(timeout=max(0.0, min(left, LOOK_SECONDS)))
            except queue.Empty:
                self._look(directory)
                if left > LOOK_SECONDS:
                    turns = turns or (time.monotonic(), self._kept.turns())
                    waited = time.monotonic() - begun
                    if (
                        patience is not None
                        and waited > max(patience, 2 * LOOK_SECONDS)
                        and self._busy(turns)
                    ):
                        raise TimedOut(f"no answer within {patience:g} s of work", busy=True) from None
                    continue
                half = f"; {self._partial} bytes of an unfinished line had come" if self._partial else ""
                raise TimedOut(f"no answer within {timeout:g} s{half}", busy=self._busy(turns)) from None
            if said is None:
                raise self._ended()
            if isinstance(said, Breakdown):
                raise said
            return said

    def _busy(self, since: tuple[float, dict[str, int]] | None) -> bool:
        """Tell whether a thread has worked nearly all the time since another look."""
        if since is None:
            return False
        before, now = since[1], self._kept.turns()
        longest = max((ran - before.get(thread, 0) for thread, ran in now.items()), default=0)
        return longest / 1e9 >= BUSY * (time.monotonic() - since[0])

    def unasked(self) -> Breakdown | None:
        """Return what it has done unasked, as far as it shows: said more, or killed its keeper."""
        self._drain()
        if self._kept.orphaned():
            return Crashed("the process was killed (signal SIGKILL) with the keeper that it was started by")
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
            status = self._kept.wait(min(left, LOOK_SECONDS))
            if status is not None:
                self._check_start()
                return status
            self._look(directory)
        raise TimedOut(f"no answer within {timeout:g} s")

    def end(self, seconds: float) -> None:
        """Wait so long for its end, and no longer."""
        self._kept.wait(seconds)

    def stop(self) -> None:
        """Kill it and everything it started."""
        self._kept.stop()
        self._requests.put(None)
        until = time.monotonic() + 1.0
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        for stream in (self._kept.stdout, self._kept.stderr):
            with contextlib.suppress(OSError):
                stream.close()

    def errors(self) -> str:
        """Return the last 64 KiB of standard error."""
        return bytes(self._errors).decode("utf-8", "replace")

    def _write(self) -> None:
        stream = self._kept.stdin
        with contextlib.suppress(OSError, ValueError):  # a dead reader shows as the end of its output
            while (data := self._requests.get()) is not None:
                stream.write(data)
                stream.flush()
        with contextlib.suppress(OSError):
            stream.close()

    def _read(self) -> None:
        held = bytearray()
        for chunk in _chunks(self._kept.stdout):
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
        for chunk in _chunks(self._kept.stderr):
            self._errors += chunk
            self._come_errors += len(chunk)
            del self._errors[:-STDERR_KEPT]

    def _drain(self) -> None:
        """Let what already is in the pipe come through, where the system can tell."""
        until = time.monotonic() + 1.0
        while os.name == "posix" and self._lines.empty() and time.monotonic() < until:
            with contextlib.suppress(OSError, ValueError):
                if select.select([self._kept.stdout], [], [], 0)[0] and self._threads[1].is_alive():
                    time.sleep(0.0005)  # the reading thread's turn
                    continue
            return

    def _look(self, directory: str) -> None:
        """Raise a Breakdown if it takes more than it may, or has ended without its output's end."""
        if self._come_errors > self._bounds.stderr:
            raise Misbehaved(f"more than {size_of(self._bounds.stderr)} on standard error for one question")
        if self._kept.memory() > self._bounds.memory:
            raise Crashed(f"ended by the runner: it held more than {size_of(self._bounds.memory)} of memory")
        if self._disk(directory) > self._bounds.disk:
            left = size_of(self._bounds.disk)
            raise Crashed(f"ended by the runner: it left more than {left} in its scratch directories")
        if self._kept.wait(0) is not None and self._by_line:
            # Where a keeper can kill what the process has left behind, this is no news.
            self._threads[1].join(LOOK_SECONDS)
            if self._lines.empty():
                raise self._ended()

    def _disk(self, directory: str) -> int:
        places = [path for path in (directory, *self._kept.scratch) if path]
        return self._kept.nameless() + sum(disk_usage(Path(path), self._bounds.disk) for path in places)

    def _ended(self) -> Breakdown:
        half = f", {self._partial} bytes into a line," if self._partial else ""
        status = self._kept.wait(1.0)
        self._check_start()
        if status is None:
            return Crashed(f"the process closed its output{half} before its answer")
        return Crashed(f"the process ended{half} before its answer, with {describe_status(status)}")

    def _check_start(self) -> None:
        if self._kept.failure is not None:
            raise cannot_start(self._command, self._kept.failure)


def unasked(said: bytes) -> Misbehaved:
    """Return the fault of who says more than his answer."""
    return Misbehaved(f"it said more than its answer: {said[:200]!r}")


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what arrives, as it arrives, up to the end of the stream."""
    with contextlib.suppress(OSError, ValueError):
        while chunk := os.read(stream.fileno(), 65536):
            yield chunk


def disk_usage(path: Path, enough: int) -> int:
    """Return the bytes that are allocated below `path`; no more is looked at once `enough` are found.

    What is deeper than is looked at counts as more than enough, but for mere directories in each other.
    """
    found = 0
    with contextlib.suppress(OSError):
        try:
            with Folder.at(path) as folder:
                for entry in walk(folder):
                    if not stat.S_ISDIR(entry.info.st_mode):
                        found += getattr(entry.info, "st_blocks", 0) * 512
                    elif entry.path.count("/") + 1 >= DEPTH and _holds(entry):
                        return enough + 1
                    if found > enough:
                        break
        except TooMuch:
            return enough + 1
    return found


def _holds(entry: TreeEntry) -> bool:
    """Tell whether a deep directory holds anything but one directory in another."""
    with contextlib.suppress(OSError):  # as the walk does with what it may not read
        here = entry.folder.folder(entry.name)
        for _ in range(ENTRIES):
            with here:
                found = list(islice(here.entries(), 2))
                if not found:
                    return False
                if len(found) > 1 or not found[0].is_dir(follow_symlinks=False):
                    return True
                here = here.folder(found[0].name)
        here.close()
        return True
    return False


def size_of(number: int) -> str:
    """Return a number of bytes for people: ``16 MiB``, ``4 GiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number} bytes"


def cannot_start(command: Sequence[str], error: Exception) -> Problem:
    """Return the Problem of a command that is none."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return Problem(
        f"the implementation cannot be started: {command[0]}: {why}",
        "Check --impl: the name of a shipped harness, py:module:Class, or a command line.",
    )


def describe_status(status: int) -> str:
    """Return an exit status for people: ``exit status 3`` or ``signal SIGSEGV``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
