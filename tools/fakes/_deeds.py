"""Wrong actions of fakes: on their process and its children, the directory, the interpreter."""

from __future__ import annotations

import os
import signal
import socket
import subprocess  # One of the misdeeds is a child process that outlives its parent.
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakes._faulty import (
    FOREVER,
    PERSISTENT,
    Does,
    Message,
    Turn,
    acts,
    as_text,
    by_mode,
    everywhere,
    misdeeds_of,
)


def first_file(directory: Path) -> Path:
    """Return the first file of a journal."""
    return min(path for path in directory.iterdir() if path.is_file())


def child(*, lives: float, detached: bool, holds: bool) -> None:
    """Start a child that sleeps: `detached` from the session, or one that `holds` the pipes open."""
    where = None if holds else subprocess.DEVNULL
    command = [sys.executable, "-I", "-S", "-c", f"import time; time.sleep({lives})"]
    subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=where, stderr=where, start_new_session=detached
    )


def drips_forever(turn: Turn) -> None:
    """Write a space at intervals."""
    while True:
        turn.write(b" ")
        time.sleep(0.05)


def steers(turn: Turn) -> None:
    """Write control sequences for a terminal to standard error, then end."""
    os.write(2, b"\x1b]0;owned\x07\x1b[2J\xff\n")
    os._exit(5)


def half_then(ends: Callable[[], object]) -> Does:
    """Write half of the answer, then do something else."""

    def does(turn: Turn) -> None:
        line = turn.line()
        turn.write(line[: len(line) // 2])
        ends()

    return does


def stubborn(turn: Turn) -> None:
    """Ignore every signal that can be ignored, and wait."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(FOREVER)


def leaves_it_to_a_child(turn: Turn) -> None:
    """End at once, and let a child write the answer a little later."""
    if os.fork():
        os._exit(0)
    time.sleep(0.3)
    turn.say()
    os._exit(0)


def with_children(then: Callable[[Turn], object], *, lives: float, detached: bool, holds: bool) -> Does:
    """Start a child, then continue."""

    def does(turn: Turn) -> None:
        child(lives=lives, detached=detached, holds=holds)
        then(turn)

    return does


def answers_and_ends(turn: Turn) -> None:
    """Give the right answer, then end."""
    turn.say()
    os._exit(0)


def closes(handle: int) -> Does:
    """Close one of the standard streams, then answer."""

    def does(turn: Turn) -> None:
        os.close(handle)
        turn.say()

    return does


def closes_output_and_lives(turn: Turn) -> None:
    """Close standard output, and wait."""
    os.close(1)
    time.sleep(FOREVER if turn.mode == PERSISTENT else 0)


def raises(error: Callable[[], BaseException]) -> Does:
    """Raise an exception."""

    def does(turn: Turn) -> None:
        raise error()

    return does


def recurses(turn: Turn) -> None:
    """Recurse without end."""
    recurses(turn)


def returns(value: Callable[[Turn], Any]) -> Does:
    """Return something that is not a reply, from a Python class."""

    def does(turn: Turn) -> None:
        turn.value = value(turn)

    return does


def from_a_thread(turn: Turn) -> None:
    """Let a thread write to standard output during the answer."""
    thread = threading.Thread(target=lambda: os.write(1, b"noise\n"))
    thread.start()
    thread.join()
    turn.say()


def prints_itself(turn: Turn) -> None:
    """Print a line to standard output, as in debugging, then answer."""
    print("hello")
    turn.say()


def replaces_output(turn: Turn) -> None:
    """Replace ``sys.stdout`` by None, then answer."""
    sys.stdout = None
    turn.say()


def endless() -> Any:
    """Yield an endless sequence of values that are not answers."""
    while True:
        yield {"step": "0", "durable": True}


def same_but_changed(directory: Path) -> None:
    """Change a byte and restore the file's modification time."""
    path = first_file(directory)
    was = path.stat()
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def empties(directory: Path) -> None:
    """Remove the directory and its content."""
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()


def removes(directory: Path) -> None:
    """Remove all files."""
    for path in directory.iterdir():
        path.unlink()


def not_pure(greeting: Message) -> Message:
    """Declare that recovery changes its directory."""
    formats = {name: {**claims, "features": ["damage"]} for name, claims in greeting["formats"].items()}
    return {**greeting, "formats": formats}


def links_elsewhere(directory: Path) -> None:
    """Replace the directory by a link to the user's own directory."""
    empties(directory)
    directory.symlink_to(Path.cwd())


def links_a_file(directory: Path) -> None:
    """Replace a file by a link to the user's own file."""
    path = first_file(directory)
    path.unlink()
    path.symlink_to(Path.cwd() / "precious")


def deep(directory: Path) -> None:
    """Nest directories until their path is longer than the system allows."""
    here = os.open(directory, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


def huge(directory: Path) -> None:
    """Make a sparse file of 40 GiB."""
    with (directory / "huge").open("wb") as stream:
        stream.truncate(40 << 30)


def listens(directory: Path) -> None:
    """Leave a socket in the directory."""
    held = os.open(".", os.O_RDONLY)
    os.chdir(directory)  # The path of a socket must be short.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    os.fchdir(held)
    os.close(held)


TABLE = misdeeds_of(
    # Processes that end or do not answer.
    everywhere("crash"),
    ("ends", "exits with status 3", lambda turn: os._exit(3)),
    by_mode(persistent="crash", oneshot="error", python="crash"),
    ("ends_politely", "sys.exit(0)", lambda turn: sys.exit(0)),
    as_text("crash"),
    ("ends_half_way", "exits after half an answer", half_then(lambda: os._exit(3))),
    everywhere("crash"),
    ("faults", "a segmentation fault", lambda turn: os.kill(os.getpid(), signal.SIGSEGV)),
    ("aborts", "abort()", lambda turn: os.kill(os.getpid(), signal.SIGABRT)),
    ("killed", "killed from outside", lambda turn: os.kill(os.getpid(), signal.SIGKILL)),
    ("dies_loudly", "exits after terminal control characters on standard error", steers),
    everywhere("timeout", slow=True),
    ("hangs", "never answers", lambda turn: time.sleep(FOREVER)),
    as_text("timeout", slow=True),
    ("hangs_half_way", "half an answer, and no more output", half_then(lambda: time.sleep(FOREVER))),
    ("drips_forever", "writes a space from time to time and no answer", drips_forever),
    everywhere("timeout", slow=True),
    ("stops", "stops itself (SIGSTOP)", lambda turn: os.kill(os.getpid(), signal.SIGSTOP)),
    ("stubborn", "ignores signals and hangs", stubborn),
    ("spins", "computes without end", lambda turn: all(iter(lambda: 1, 0))),
    by_mode(oneshot="pass"),
    ("closes_input", "closes standard input and answers correctly", closes(0)),
    by_mode(persistent="pass", then="crash"),
    ("answers_and_ends", "answers correctly, then exits: noticed at the next question", answers_and_ends),
    as_text("crash", "error"),
    ("closes_output", "closes standard output and continues to run", closes_output_and_lives),
    everywhere("pass"),
    ("closes_errors", "closes standard error and answers correctly", closes(2)),
    # Children.
    everywhere("pass"),
    (
        "child_stays",
        "leaves a child process in its process group",
        with_children(lambda t: t.say(), lives=FOREVER, detached=False, holds=False),
    ),
    (
        "detached_child_stays",
        "leaves a child process in another session",
        with_children(lambda t: t.say(), lives=FOREVER, detached=True, holds=False),
    ),
    everywhere("crash"),
    (
        "child_holds_pipe",
        "exits while a child keeps its output open",
        with_children(lambda t: os._exit(7), lives=FOREVER, detached=False, holds=True),
    ),
    (
        "detached_child_holds_pipe",
        "exits while a child in another session keeps its output open",
        with_children(lambda t: os._exit(7), lives=FOREVER, detached=True, holds=True),
    ),
    everywhere("timeout", slow=True),
    (
        "hangs_with_child",
        "never answers, and its child does not end",
        with_children(lambda t: time.sleep(FOREVER), lives=FOREVER, detached=True, holds=True),
    ),
    as_text("crash", "error"),
    ("leaves_it_to_a_child", "exits, and a child answers later", leaves_it_to_a_child),
    # The directory.
    everywhere("fail modified"),
    ("leaves_a_lock", "leaves an extra file", acts(lambda d: (d / "lock").touch())),
    ("leaves_a_directory", "leaves an extra empty directory", acts(lambda d: (d / "new").mkdir())),
    ("leaves_a_pipe", "leaves an extra FIFO", acts(lambda d: os.mkfifo(d / "fifo"))),
    ("leaves_a_socket", "leaves an extra socket", acts(listens)),
    ("leaves_a_loop", "leaves a link that points to itself", acts(lambda d: (d / "loop").symlink_to("loop"))),
    (
        "leaves_strange_names",
        "leaves a file whose name is not UTF-8 and has terminal control characters",
        acts(lambda d: Path(os.fsdecode(os.fsencode(d) + b"/\x1b[2J\n\xff")).touch()),
    ),
    ("leaves_depths", "leaves directories nested 3,000 deep", acts(deep)),
    ("leaves_much", "leaves a sparse file of 40 GiB", acts(huge)),
    ("appends", "appends to a file", acts(lambda d: first_file(d).write_bytes(b"\0" * 9999))),
    ("changes_in_secret", "changes a byte and restores the file time", acts(same_but_changed)),
    ("locks_a_file", "removes all permissions of a file", acts(lambda d: first_file(d).chmod(0))),
    ("locks_out", "removes all permissions of the directory", acts(lambda d: d.chmod(0))),
    ("deletes_it", "removes the directory", acts(empties)),
    ("links_elsewhere", "replaces the directory by a link to one of the user", acts(links_elsewhere)),
    ("links_a_file", "replaces a file by a link to one of the user", acts(links_a_file)),
    everywhere("fail lost"),
    ("recovers_to_nothing", "declares that it changes files, and removes records", acts(removes), not_pure),
    everywhere("pass"),
    (
        "writes_beside",
        "writes a file next to its directory",
        acts(lambda d: (d.parent / "beside").write_bytes(b"x")),
    ),
    # The interpreter.
    by_mode(python="crash"),
    ("raises", "raises an exception", raises(lambda: RuntimeError("not foreseen"))),
    ("raises_much", "an exception with 16 MiB of text", raises(lambda: RuntimeError("x" * (16 << 20)))),
    (
        "raises_strangely",
        "an exception whose text is not valid Unicode",
        raises(lambda: RuntimeError("\udcff\x1b[2J")),
    ),
    ("interrupts", "raises KeyboardInterrupt", raises(KeyboardInterrupt)),
    ("leaves_generators", "raises GeneratorExit", raises(GeneratorExit)),
    ("recurses", "recurses without end", recurses),
    by_mode(python="error"),
    ("returns_none", "returns None", returns(lambda turn: None)),
    ("returns_bytes", "returns bytes", returns(lambda turn: b"clean")),
    ("returns_a_set", "returns a set, which JSON lacks", returns(lambda turn: {"ok": {"verdict": {1}}})),
    (
        "returns_itself",
        "returns an object that contains itself",
        returns(lambda turn: turn.right.update(ok=turn.right) or turn.right),
    ),
    ("yields_nothing", "a generator that ends without an answer", returns(lambda turn: iter(()))),
    ("yields_forever", "a generator that never ends", returns(lambda turn: endless())),
    by_mode(python="pass"),
    ("prints_itself", "prints to standard output and answers correctly", prints_itself),
    ("thread_prints", "a thread writes to standard output", from_a_thread),
    ("closes_one", "closes file descriptor 1 and answers correctly", closes(1)),
    ("replaces_output", "sets sys.stdout to None and answers correctly", replaces_output),
)
