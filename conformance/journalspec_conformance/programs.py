"""Starts programs and creates temporary directories, and removes both completely.

A program runs in a session of its own, with its own directory for temporary files. Its environment contains
an identifying text (the mark), which its child processes inherit. `end` kills its process tree and every
process with that mark. The same happens at the end of this process. If this process is killed by SIGKILL, the
program receives the parent-death signal (on Linux). In that case its detached child processes and the
directories remain.

A :class:`Child` is such a program that answers requests. Every wait for it has a deadline, and its resources
are limited.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import secrets
import selectors
import shutil
import signal
import stat
import subprocess  # Starting programs is the purpose of this module.
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Self

import psutil

from journalspec.files import shown
from journalspec_conformance.bounds import BOUNDS, Bounds, size_of
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem, TimedOut, said_more
from journalspec_corpus.workers import describe_status

#: The prefix of the names of directories for temporary files.
PREFIX = "journalspec-"
#: Environment variables of a program: its mark, and its directory in memory for temporary files.
MARK, MEMORY = "JOURNALSPEC_MARK", "JOURNALSPEC_MEMORY"
#: The seconds for killing processes, including processes that are started meanwhile.
KILL_SECONDS = 4.0
#: The limits of the check of a directory: its depth (no case has more than a quarter of this), and the number
#: of its entries.
DEPTH, ENTRIES = 64, 100_000
#: The bytes at the end of standard error that are kept.
STDERR_KEPT = 64 * 1024
#: Seconds between two measurements of a program's memory.
LOOK_SECONDS = 0.1
_SHM = Path("/dev/shm")  # noqa: S108 - directories with unpredictable names are created in it
_PR_SET_PDEATHSIG = 1


class Enclosure:
    """Processes with one mark and two directories for their temporary files, on disk and in memory.

    A process that is started with `environment` belongs to it. Call `end` afterwards, or use it in a
    ``with``.
    """

    def __init__(self) -> None:
        self._mark = os.environ.get(MARK, "") + secrets.token_hex(8)
        self.directories: list[Path] = []
        _open.append(self)
        for memory in (False, True):
            self.directories.append(make_scratch(memory=memory))
        disk, shared = map(str, self.directories)
        self.environment = {MARK: self._mark, "TMPDIR": disk, MEMORY: shared}

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.end()

    def processes(self) -> list[psutil.Process]:
        """Return the processes with the mark, if the system shows their environment."""
        found = []
        begun = psutil.Process().create_time()  # This quick test avoids reading environments.
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.create_time() >= begun and process.environ().get(MARK, "").startswith(self._mark):
                    found.append(process)
        return found

    def kill(self) -> None:
        """Kill the processes, and any that they start meanwhile, until none is left."""
        until = time.monotonic() + KILL_SECONDS
        while (found := self.processes()) and time.monotonic() < until:
            for process in found:
                with suppress(psutil.Error):
                    process.kill()
            time.sleep(0.002)

    def end(self) -> None:
        """Kill the processes and remove the directories; a second call has no effect."""
        if self in _open:
            self.kill()
            for directory in self.directories:
                drop_scratch(directory)
            _open.remove(self)


def completed(command: Sequence[str], seconds: float, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program to its end with the input `given`, and return its output; no child process remains.

    Raises OSError, and subprocess.TimeoutExpired.
    """
    with Enclosure() as inside:
        return subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            env={**os.environ, **inside.environment},
        )


class Program(Enclosure):
    """A running program with pipes to its three streams. Raises OSError if it cannot be started."""

    _process: subprocess.Popen[bytes] | None = None

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        super().__init__()
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env={**(os.environ if environment is None else environment), **self.environment},
                start_new_session=True,
                preexec_fn=_at_its_start(),  # noqa: PLW1509 - the function acquires no lock
            )
        except BaseException:
            self.end()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.stdin, self.stdout, self.stderr = self._process.stdin, self._process.stdout, self._process.stderr

    def wait(self, timeout: float) -> int | None:
        """Return the exit status, negative for a signal; None if the program runs after `timeout` seconds.

        When the program has ended, the processes of its group are killed at once.
        """
        if self._process is None:
            return None
        if self._process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout)
                # The group has ended, or the system is Windows, which has none.
                with suppress(OSError, AttributeError):
                    os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.returncode

    def tree(self) -> list[psutil.Process]:
        """Return the program and its descendants, or nothing if it has ended."""
        with suppress(psutil.Error):
            if self._process is not None and self.wait(0) is None:
                root = psutil.Process(self._process.pid)
                return [root, *root.children(recursive=True)]
        return []

    def processes(self) -> list[psutil.Process]:
        """Return the processes of its tree and those with its mark."""
        return list(dict.fromkeys([*self.tree(), *super().processes()]))

    def memory(self) -> int:
        """Return the memory of its process tree in bytes; shared memory is counted once."""
        own, shared = 0, 0
        for process in self.tree():
            with suppress(psutil.Error):
                info = process.memory_info()
                common: int = getattr(info, "shared", 0)
                own += info.rss - common
                shared = max(shared, common)
        return own + shared


def _at_its_start() -> Callable[[], None] | None:
    """Return the function that a new process calls before it becomes the program (Linux).

    Because of this function, the program is killed when this process ends, writes no core file, and is the
    first to be killed if memory runs out.
    """
    if not sys.platform.startswith("linux"):
        return None
    import resource  # noqa: PLC0415 - POSIX only

    control, parent = ctypes.CDLL(None).prctl, os.getpid()
    # The system treats the thread as the parent. So do not set the signal in a thread that may end before
    # this process.
    mortal = threading.current_thread() is threading.main_thread()

    def start() -> None:
        if mortal:
            control(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):
            handle = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
            os.write(handle, b"800")
            os.close(handle)

    return start


class Child(Program):
    """A program that answers requests; call `end` in any case. Raises Problem if it cannot be started.

    A wait for the program ends in time, even if it writes nothing, writes half a line, stops reading, closes
    its output, or writes forever. Its output and resources are checked during the wait, not only after its
    end. With `by_line`, each line of output is an answer; otherwise all output is one answer.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        bounds: Bounds = BOUNDS,
        *,
        by_line: bool = True,
    ) -> None:
        try:
            super().__init__(command, environment)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise Problem(
                f"the implementation cannot be started: {command[0]}: {why}",
                "Check --impl: the name of a shipped harness, py:module:Class, or a command line.",
            ) from None
        self._bounds, self._by_line = bounds, by_line
        #: Its pending input, its unread output and standard error, and the bytes of standard error since the
        #: question.
        self._given, self._held, self._errors, self._new_errors = bytearray(), bytearray(), bytearray(), 0
        self._last = False
        self._selector = selectors.DefaultSelector()
        for stream in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(stream.fileno(), False)
        for stream in (self.stdout, self.stderr):
            self._selector.register(stream, selectors.EVENT_READ)
        self._looked = time.monotonic()

    def put(self, request: bytes | None) -> None:
        """Send a line; None ends its input."""
        self._new_errors, self._looked = 0, time.monotonic()
        self._given += request or b""
        self._last |= request is None
        if not self.stdin.closed and self.stdin not in self._selector.get_map():
            self._selector.register(self.stdin, selectors.EVENT_WRITE)
        self._move(0)

    def get(self, timeout: float, directory: str = "") -> bytes:
        """Return its next answer; `directory` is the directory of the question.

        Raises a Breakdown if there is none in `timeout` seconds, it has ended, or it exceeds its bounds.
        """
        until = time.monotonic() + timeout
        while (said := self._said()) is None:
            if self.stdout not in self._selector.get_map():
                raise self._ended()
            if time.monotonic() >= until:
                half = f"; {len(self._held)} bytes of an unfinished line had come" if self._held else ""
                raise TimedOut(f"no answer within {timeout:g} s{half}")
            self._wait(until, directory)
        return said

    def unasked(self) -> Breakdown | None:
        """Return the fault of unrequested output. The next question detects the end of the program."""
        self._move(0)
        if not self._held:
            return None
        line, end, _ = self._held.partition(b"\n")
        return said_more(bytes(line) if end else b"%d bytes of a line" % len(line))

    def status(self, timeout: float, directory: str = "") -> int:
        """Return its exit status, negative for a signal; raises the same exceptions as `get`."""
        until = time.monotonic() + timeout
        while (status := self.wait(0)) is None:
            if time.monotonic() >= until:
                raise TimedOut(f"no answer within {timeout:g} s")
            self._wait(min(until, time.monotonic() + 0.01), directory)
        return status

    def end(self) -> None:
        """Kill it and everything it started."""
        super().end()
        if self._process is not None and not self.stdout.closed:
            until = time.monotonic() + 1.0
            while self._move(0) and time.monotonic() < until:
                pass  # The pipes are read to their end, because no child process can write more.
            self._selector.close()
            for stream in (self.stdin, self.stdout, self.stderr):
                with suppress(OSError):
                    stream.close()

    def errors(self) -> str:
        """Return the last 64 KiB of standard error."""
        if not self.stdout.closed:
            self._move(0)
        return bytes(self._errors).decode("utf-8", "replace")

    def _move(self, seconds: float) -> bool:
        """Move bytes from and to its streams, after waiting for one. Return whether any stream was ready."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if key.fileobj is self.stdin:
                self._give()
                continue
            with suppress(OSError):
                if chunk := os.read(key.fd, 65536):
                    self._take(chunk, key.fileobj is self.stderr)
                    continue
            self._selector.unregister(key.fileobj)
        return bool(ready)

    def _give(self) -> None:
        try:
            del self._given[: os.write(self.stdin.fileno(), self._given[:65536])]
        except OSError:  # If a program has ended, the end of its output shows this.
            self._given.clear()
        if not self._given:
            self._selector.unregister(self.stdin)
            if self._last:
                self.stdin.close()

    def _take(self, chunk: bytes, error: bool) -> None:
        if error:
            self._errors += chunk
            self._new_errors += len(chunk)
            del self._errors[:-STDERR_KEPT]
        else:
            self._held += chunk

    def _said(self) -> bytes | None:
        """Return the next line, or all output after its end; None if it is not complete yet."""
        end = self._held.find(b"\n") if self._by_line else -1
        if (len(self._held) if end < 0 else end) > self._bounds.answer:
            raise Misbehaved(f"an answer of more than {size_of(self._bounds.answer)}")
        if not self._by_line:
            return None if self.stdout in self._selector.get_map() else bytes(self._held)
        if end < 0:
            return None
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def _wait(self, until: float, directory: str) -> None:
        """Wait for output, and check the resources every LOOK_SECONDS."""
        self._move(max(0.0, min(until, self._looked + LOOK_SECONDS) - time.monotonic()))
        if time.monotonic() >= self._looked + LOOK_SECONDS:
            self._look(directory)
            self._looked = time.monotonic()

    def _look(self, directory: str) -> None:
        """Raise a Breakdown if the program exceeds its bounds, or has ended and its output is still open."""
        bounds = self._bounds
        if self._new_errors > bounds.stderr:
            raise Misbehaved(f"more than {size_of(bounds.stderr)} on standard error for one question")
        if self.wait(0) is not None:
            # Child processes may keep the output open, or answer in the program's place.
            self.kill()
            self._move(LOOK_SECONDS)
            if self._by_line and b"\n" not in self._held:
                raise self._ended()
        if self.memory() > bounds.memory:
            raise Crashed(f"ended by the runner: it used more than {size_of(bounds.memory)} of memory")
        places = [*self.directories, *([Path(directory)] if directory else [])]
        if sum(disk_usage(path, bounds.disk) for path in places) > bounds.disk:
            left = size_of(bounds.disk)
            raise Crashed(f"ended by the runner: it left more than {left} in its scratch directories")

    def _ended(self) -> Breakdown:
        half = f", {len(self._held)} bytes into a line," if self._held else ""
        status = self.wait(1.0)
        if status is None:
            return Crashed(f"the process closed its output{half} before its answer")
        return Crashed(f"the process ended{half} before its answer, with {describe_status(status)}")


#: The enclosures of processes that still run, and the directories for temporary files that still exist.
_open: list[Enclosure] = []
_made: set[Path] = set()


def make_scratch(within: Path | None = None, *, memory: bool = False) -> Path:
    """Return a new directory for temporary files, with an unpredictable name.

    It is removed when this process ends, or earlier by `drop_scratch`. It is in `within`, or with `memory` in
    a file system in memory, if there is one. Raises OSError.
    """
    place = within or Path(tempfile.gettempdir())
    if memory:
        place = Path(os.environ.get(MEMORY) or (_SHM if os.access(_SHM, os.W_OK) else place))
    path = place.absolute() / f"{PREFIX}{secrets.token_hex(8)}"
    # The directory is registered before it exists, so that an interruption does not leave it.
    _made.add(path)
    path.mkdir(0o700)
    return path


def drop_scratch(path: Path) -> None:
    """Remove a directory that `make_scratch` has created; print a warning if that fails."""
    why = remove(path)
    if why:
        with suppress(OSError, ValueError, AttributeError):  # Standard error may be closed.
            sys.stderr.write(f"{shown(str(path))}: cannot be removed: {why}. Check its content.\n")
    _made.discard(path)


@contextmanager
def scratch(*, memory: bool = False) -> Iterator[Path]:
    """Provide a directory for temporary files, see :func:`make_scratch`, and remove it afterwards."""
    path = make_scratch(memory=memory)
    try:
        yield path
    finally:
        drop_scratch(path)


@atexit.register
def end_all() -> None:
    """End every program that was started, and remove every directory that was created here."""
    for enclosure in list(_open):
        enclosure.end()
    for path in list(_made):
        drop_scratch(path)


def remove(path: Path) -> str:
    """Remove a directory with its content; if that fails, return the reason.

    The targets of links stay. If a file system is mounted in the directory, everything stays.
    """
    if path.is_symlink():
        path.unlink()
    if not os.path.lexists(path):
        return ""
    if _is_mounted_in(path):
        return "something is mounted there"
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):
        # Permissions were removed, or the directory is nested deeper than Python can remove.
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            with suppress(OSError):
                subprocess.run([*command, "--", path], capture_output=True, check=False)
    return "something in it is busy" if os.path.lexists(path) else ""


def _is_mounted_in(path: Path) -> bool:
    with suppress(OSError, psutil.Error):
        start = os.path.realpath(path) + os.sep
        return any(f"{of.mountpoint}{os.sep}".startswith(start) for of in psutil.disk_partitions(all=True))
    return False


def walk(top: Path) -> Iterator[tuple[str, os.stat_result]]:
    """For all entries, yield the path below `top` and the lstat; each directory precedes its content.

    No link is followed. Directories that are unreadable, or deeper than DEPTH, are not listed. Raises
    Misbehaved if there are more than ENTRIES.
    """
    left, waiting = ENTRIES, [""]
    while waiting:
        prefix = waiting.pop()
        found: list[os.DirEntry[str]] = []
        with suppress(OSError):
            if stat.S_ISDIR(os.lstat(top / prefix).st_mode):
                with os.scandir(top / prefix) as entries:
                    found = list(islice(entries, left + 1))
        left -= len(found)
        if left < 0:
            raise Misbehaved(f"its directory has more than {ENTRIES} entries")
        for entry in found:
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # The entry was removed meanwhile.
            yield prefix + entry.name, info
            if stat.S_ISDIR(info.st_mode) and prefix.count("/") + 1 < DEPTH:
                waiting.append(f"{prefix}{entry.name}/")


def disk_usage(path: Path, enough: int) -> int:
    """Return the bytes that are allocated below `path`; the search stops at `enough` bytes."""
    found = 0
    try:
        for _, info in walk(path):
            if not stat.S_ISDIR(info.st_mode):
                found += getattr(info, "st_blocks", 0) * 512
            if found > enough:
                break
    except Misbehaved:
        return enough + 1
    return found
