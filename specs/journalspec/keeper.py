"""The keeper: a small program that starts another one, and leaves nothing of it behind.

Run by :mod:`.kept` as ``python -I -S keeper.py WATCH STATUS COUNT SCRATCH... [COMMAND...]``, in a session
of its own. WATCH is a pipe that only the runner can write to: when it ends, be it that the
runner was killed, every process that the command has started is killed, and the directories
are removed. The same happens when the command itself ends. On Linux its orphans become the
keeper's children, so that neither a session of their own nor a double fork hides them.

Through WATCH come directories to look after (``+PATH``) or no longer (``-PATH``), each ended by
a NUL. SCRATCH, COUNT times, is the beginning of paths that are the command's own; the first of
them is made here. A path that is not absolute, or whose last segment is no name that nobody
can guess, is refused: whatever else has gone wrong, no others' files go. STATUS gets lines:
``failed ERRNO`` if there is no such command, ``ended STATUS`` (as of waitpid).

Imports little: it starts once per question to a one-shot command.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: How the names of scratch directories begin.
PREFIX = "journalspec-"
#: What somebody makes anew while it is removed is removed again, for so many seconds.
SECONDS = 4.0
AGAIN = 0.3
#: Signals that end a program and can be ignored: who kills the keeper politely is not heard.
IGNORED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGTSTP")
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main(arguments: list[str]) -> int:
    """Keep until the command or the runner ends."""
    watch, status, count = map(int, arguments[:3])
    scratch, command = arguments[3 : 3 + count], arguments[3 + count :]
    if not all(map(is_own, scratch)):
        raise ValueError("not a scratch directory's name")
    for handle in (watch, status):
        os.set_inheritable(handle, False)
    ignored = [getattr(signal, name) for name in IGNORED if hasattr(signal, name)]
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    wake = _wake_on_child()
    child = 0
    if command:
        with suppress(OSError):
            os.mkdir(scratch[0], 0o700)
        child = _start(command, status, ignored)
    _let_go_of_streams()
    paths = _wait(watch, wake, status, child)
    _kill_all(child)
    _remove({path for path in paths if is_own(path)}, scratch)
    return 0


def is_own(path: str) -> bool:
    """Tell whether a path is one of ours: absolute, its last segment with a name that nobody can guess."""
    name = path.rpartition("/")[2]
    return path.startswith("/") and name.startswith(PREFIX) and is_token(name[len(PREFIX) :])


def is_token(text: str) -> bool:
    """Tell whether a text is what names are made of: groups of 16 hexadecimal digits, joined by ``-``."""
    return all(len(group) == 16 and not group.strip("0123456789abcdef") for group in text.split("-"))


def _wake_on_child() -> int:
    """Return a pipe that can be read when a child has ended."""
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read


def _start(command: list[str], status: int, ignored: list[signal.Signals]) -> int:
    control = _prctl()
    control(_PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        # Should the keeper itself be killed: what it has started goes with it.
        control(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        for number in (*ignored, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        _modest()
        os.execvp(command[0], command)  # noqa: S606 - to run the user's command is the point
    except OSError as error:
        os.write(status, b"failed %d\n" % (error.errno or 0))
    finally:
        os._exit(127)


def _prctl() -> Callable[..., int]:
    """Return a function of Linux's C library, elsewhere one that does nothing."""
    if not sys.platform.startswith("linux"):
        return lambda *_: 0
    import ctypes  # noqa: PLC0415 - where it is needed

    control: Callable[..., int] = ctypes.CDLL(None).prctl
    return control


def _modest() -> None:
    """Leave no core file, and be the first to go if memory runs out."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - POSIX only

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("800")


def _let_go_of_streams() -> None:
    """Hold no pipe of the command open: the runner waits for their ends."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _wait(watch: int, wake: int, status: int, child: int) -> set[str]:
    """Return, once the runner or the command has ended, the directories to be removed."""
    paths: set[str] = set()
    held = b""
    while True:
        ready = select.select([watch, wake], [], [])[0]
        if wake in ready:
            with suppress(BlockingIOError):
                os.read(wake, 4096)
            if child and _reaped(child, status):
                return paths
        if watch in ready:
            data = os.read(watch, 65536)
            if not data:
                return paths
            *told, held = (held + data).split(b"\0")
            for line in told:
                (paths.add if line[:1] == b"+" else paths.discard)(os.fsdecode(line[1:]))


def _reaped(child: int, status: int) -> bool:
    """Bury the dead; tell whether the command is among them, and say how it ended."""
    ended = False
    with suppress(ChildProcessError):
        while True:
            pid, how = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            if pid == child:
                ended = True
                with suppress(OSError):
                    os.write(status, b"ended %d\n" % how)
    return ended


def _kill_all(child: int) -> None:
    """Kill every descendant, and those that they make meanwhile, until there is none."""
    until = time.monotonic() + SECONDS
    while child and time.monotonic() < until:
        if not sys.platform.startswith("linux"):
            with suppress(OSError):
                os.killpg(child, signal.SIGKILL)
        for pid in family(os.getpid()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def family(ancestor: int) -> list[int]:
    """Return all processes below `ancestor`, as far as the system tells (Linux), parents first."""
    children: dict[int, list[int]] = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:
                    children.setdefault(int(stat.read().rpartition(b")")[2].split()[1]), []).append(int(name))
    found, at = [ancestor], 0
    while at < len(found):
        found += children.get(found[at], ())
        at += 1
    return found[1:]


def _remove(paths: set[str], starts: list[str]) -> None:
    """Remove directories, and everything whose name begins as the command's own names do."""
    until = time.monotonic() + SECONDS
    for_ever: set[str] = set()
    while time.monotonic() < until:
        left = [path for path in paths if os.path.lexists(path)]
        for start in starts:
            directory, _, name = start.rpartition("/")
            with suppress(OSError):
                left += [
                    f"{directory}/{entry}" for entry in os.listdir(directory or "/") if entry.startswith(name)
                ]
        left = [path for path in left if path not in for_ever]
        for_ever.update(path for path in left if not _remove_one(path))
        if not paths and not left:
            return
        if not left:
            # Another keeper may still be about to end who writes there.
            time.sleep(AGAIN)
            if not any(map(os.path.lexists, paths)):
                return


def _remove_one(path: str) -> bool:
    """Remove a directory as far as it goes; False if it is of no use to try again."""
    with suppress(OSError):
        os.rmdir(path)  # mostly it is empty, and what comes below takes longer to import
        return True
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    from pathlib import Path  # noqa: PLC0415 - see above

    import trees  # type: ignore[import-not-found]  # noqa: PLC0415 - the file beside this one, loaded alone

    try:
        with trees.Folder.at(Path(path).parent, follow=True) as parent:
            parent.remove(Path(path).name, SECONDS)
    except trees.Mounted:
        return False
    except OSError:
        pass
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
