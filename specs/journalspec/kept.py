"""Programs and directories of which nothing is left when this process ends, however it ends.

A program runs below a keeper (:mod:`.keeper`), and a directory for scratch files is known
to one. Both hold the end of a pipe whose other end nobody but this process has: it needs no
chance to clean up, and SIGKILL gives it none. Where there are no such pipes between
programs (Windows), a program is started directly, and its end is what the system makes of it.
"""

from __future__ import annotations

import os
import secrets
import select
import signal
import stat
import subprocess  # to start programs is the point
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from journalspec.files import shown
from journalspec.keeper import PREFIX, family, is_token
from journalspec.trees import Folder

#: In the environment of a program below a keeper: what its directories' names have to carry.
TOKEN = "JOURNALSPEC_KEPT"  # noqa: S105 - a name, and nothing secret
#: Seconds that a keeper has to end after it was told so.
STOP_SECONDS = 6.0
_MEMORY = Path("/dev/shm")  # noqa: S108 - directories with names nobody can guess are made in it
_KEEPER = Path(__file__).with_name("keeper.py")
_POSIX = os.name == "posix"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class _Watch:
    """A keeper, and the pipe that it watches."""

    def __init__(
        self,
        scratch: Sequence[str] = (),
        command: Sequence[str] = (),
        *,
        piped: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        watch, self._write = os.pipe()
        self._status, status = os.pipe()
        stream = subprocess.PIPE if piped else subprocess.DEVNULL
        keeper = [
            sys.executable,
            "-I",
            "-S",
            str(_KEEPER),
            str(watch),
            str(status),
            str(len(scratch)),
            *scratch,
        ]
        try:
            self.process = subprocess.Popen(
                [*keeper, *command],
                stdin=stream,
                stdout=stream,
                stderr=stream,
                env=environment,
                pass_fds=(watch, status),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._write)
            os.close(self._status)
            raise
        finally:
            os.close(watch)
            os.close(status)
        self._told = b""
        self._lock = threading.Lock()

    def tell(self, sign: str, path: Path) -> None:
        """Say that a directory is to be looked after (``+``) or no longer (``-``)."""
        with self._lock, suppress(OSError):  # a keeper that somebody has killed keeps nothing
            os.write(self._write, sign.encode() + os.fsencode(path) + b"\0")

    def status(self, timeout: float) -> list[bytes] | None:
        """Return what the keeper has said about its command, None if it says nothing in time."""
        until = time.monotonic() + timeout
        while not self._told.endswith(b"\n"):
            if not select.select([self._status], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            data = os.read(self._status, 4096)
            if not data:
                break
            self._told += data
        return self._told.split()

    def stop(self) -> None:
        """Let the keeper do its last work, and wait for its end."""
        if self._write < 0:
            return
        os.close(self._write)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(STOP_SECONDS)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._status)
        self._write = -1


class Kept:
    """A running program with pipes to its three streams. `stop` ends it and all that it has started.

    It finds a directory for temporary files of its own in ``TMPDIR``, which goes with it.
    Raises OSError if it cannot be started; `failure` says what was found out later.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._token = _own_name()
        given = dict(os.environ if environment is None else environment)
        self._watch: _Watch | None = None
        self._ended: int | None = None
        self._stopped = False
        #: What kept the program from starting, if anything did.
        self.failure: OSError | None = None
        if _POSIX and sys.executable:
            #: Where the program's own scratch files are: counted with what it leaves in its directory.
            self.scratch = [str(place / f"{PREFIX}{self._token}") for place in _places()]
            given |= {TOKEN: self._token, "TMPDIR": self.scratch[0]}
            self._watch = _Watch(self.scratch, command, piped=True, environment=given)
            self._process = self._watch.process
        else:
            self.scratch = []
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=given)
        self.stdin, self.stdout, self.stderr = map(
            _there, (self._process.stdin, self._process.stdout, self._process.stderr)
        )

    def wait(self, timeout: float) -> int | None:
        """Return how the program ended, negative for a signal, None if it has not after `timeout` seconds.

        A program whose keeper was killed ends with it, by the same signal.
        """
        if self._ended is None:
            self._ended = self._wait(timeout)
        return self._ended

    def _wait(self, timeout: float) -> int | None:
        if self._watch is None:
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(timeout)
            return None
        told = self._watch.status(timeout)
        if told is None:
            return None
        if told[:1] == [b"failed"]:
            self.failure = OSError(int(told[1]), os.strerror(int(told[1])))
            return 127
        if told[:1] == [b"ended"]:
            return os.waitstatus_to_exitcode(int(told[1]))
        self._sweep()
        return self._process.wait()

    def orphaned(self) -> bool:
        """Tell whether somebody has killed the keeper: the program goes with it."""
        if self._watch is None:
            return False
        if self._watch.process.poll():
            return True
        with suppress(OSError, ValueError, IndexError):
            # On a busy machine it takes a while to die; that it will has been settled by then (Linux).
            told = Path(f"/proc/{self._process.pid}/status").read_bytes()
            pending = int(told.partition(b"SigPnd:")[2].split()[0], 16)
            return bool(pending >> (signal.SIGKILL - 1) & 1)
        return False

    def stop(self) -> None:
        """Kill the program and all that it has started; a second time does no harm."""
        if self._watch is None:
            self._process.kill()
            self._process.wait()
            return
        self._watch.stop()
        if self._watch.process.returncode:
            self._sweep()
        if not self._stopped:
            for place in filter(os.path.lexists, self.scratch):
                _say_left(Path(place), "something in it is busy")
        self._stopped = True

    def memory(self) -> int:
        """Return how many bytes of memory the program and its descendants hold; 0 where nobody can tell."""
        own, shared = 0, 0
        for pid in family(self._process.pid):
            with suppress(OSError, ValueError, IndexError):
                fields = Path(f"/proc/{pid}/statm").read_bytes().split()
                own += int(fields[1]) - int(fields[2])
                shared = max(shared, int(fields[2]))  # most of it is the same for all
        return (own + shared) * _PAGE

    def turns(self) -> dict[str, int]:
        """Return for how many nanoseconds each thread of the program and its descendants has had a processor.

        That is nothing where nobody can tell (Linux can).
        """
        found = {}
        for pid in family(self._process.pid):
            with suppress(OSError):
                for thread in Path(f"/proc/{pid}/task").iterdir():
                    with suppress(OSError, ValueError):
                        found[thread.name] = int((thread / "schedstat").read_bytes().split()[0])
        return found

    def nameless(self) -> int:
        """Return the bytes of files without a name (removed ones, memfd) that its processes hold open."""
        found: dict[tuple[int, int], int] = {}
        for pid in family(self._process.pid):
            with suppress(OSError):
                for handle in Path(f"/proc/{pid}/fd").iterdir():
                    with suppress(OSError):
                        info = handle.stat()
                        if stat.S_ISREG(info.st_mode) and not info.st_nlink:
                            found[info.st_dev, info.st_ino] = info.st_blocks * 512
        return sum(found.values())

    def _sweep(self) -> None:
        """Do the work of a keeper that was killed: what carries the token is ended and removed."""
        mark = f"{TOKEN}={self._token}".encode()
        for _ in range(3):
            for entry in Path("/proc").glob("[0-9]*/environ"):
                with suppress(OSError):
                    if mark in entry.read_bytes().split(b"\0"):
                        os.kill(int(entry.parent.name), signal.SIGKILL)
        for place in self.scratch:
            _remove_all(Path(place))


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("the program was started without this pipe")
    return stream


def _places() -> list[Path]:
    """Return where scratch files are made: on disk, and in memory if the system has such a place."""
    return [Path(tempfile.gettempdir()).absolute(), *([_MEMORY] if os.access(_MEMORY, os.W_OK) else [])]


def _own_name() -> str:
    """Return a name that nobody can guess; below a keeper it begins as that one looks for."""
    above = _above()
    return f"{above}-{secrets.token_hex(8)}" if above else secrets.token_hex(8)


def _above() -> str:
    """Return the token of the keeper that this process is below, empty if there is none."""
    token = os.environ.get(TOKEN, "")
    return token if is_token(token) else ""


def _remove_all(start: Path) -> None:
    with suppress(OSError), Folder.at(start.parent, follow=True) as parent:
        for entry in list(parent.entries()):
            if entry.name.startswith(start.name):
                with suppress(OSError):
                    parent.remove(entry.name)


_guard: tuple[int, _Watch] | None = None
_guarding = threading.Lock()


def look_after(path: Path) -> None:
    """Let the directory `path` go when this process ends, however it ends. It need not be there yet."""
    _tell("+", path)


def forget(path: Path) -> None:
    """Do not look after `path` any longer."""
    _tell("-", path)


def _tell(sign: str, path: Path) -> None:
    """Tell this process's keeper of directories, which is started for the first of them."""
    global _guard  # noqa: PLW0603 - one for all directories of a process
    if not _POSIX or not sys.executable:
        return
    with _guarding:
        if _guard is None or _guard[0] != os.getpid():
            _guard = os.getpid(), _Watch()
        _guard[1].tell(sign, path)


def make_scratch(*, memory: bool = False) -> Path:
    """Return a new directory for scratch files, with a name that nobody can guess.

    It goes when this process ends; `drop_scratch` removes it before. In `memory`
    if the system has such a place. Raises OSError.
    """
    path = _places()[-1 if memory else 0] / f"{PREFIX}{_own_name()}"
    if not _above():  # below a keeper the name tells whose it is
        look_after(path)  # before it is there: no moment is left to be killed in
    path.mkdir(0o700)
    return path


def drop_scratch(path: Path) -> None:
    """Remove a directory that `make_scratch` has made, whatever is in it; never raises.

    If something cannot be removed, that is said on standard error.
    """
    try:
        with Folder.at(path.parent, follow=True) as parent:
            parent.remove(path.name)
    except OSError as error:
        if os.path.lexists(path):
            _say_left(path, error.strerror or str(error))
    if not _above() and not os.path.lexists(path):
        forget(path)


def _say_left(path: Path, why: str) -> None:
    """Say on standard error, in one line, that a scratch directory is still there."""
    with suppress(OSError, ValueError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"{shown(str(path))}: cannot be removed: {why}. Look at what is in it.\n")


@contextmanager
def scratch(*, memory: bool = False) -> Iterator[Path]:
    """Give a directory for scratch files, see :func:`make_scratch`, and remove it afterwards."""
    path = make_scratch(memory=memory)
    try:
        yield path
    finally:
        drop_scratch(path)


def end_with_parent() -> None:
    """Let this process of a pool end when the one that has started it does, whatever it is doing.

    Ctrl-C is for the parent alone: it decides what becomes of its workers.
    """
    import multiprocessing  # noqa: PLC0415 - only workers need it, and they have it already

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)  # nothing else ends a thread that is in the middle of a question

    threading.Thread(target=wait, daemon=True).start()
