"""A Python class in a process of its own: what it does to the interpreter, it does to itself.

The runner sees a class that ends its process (``os._exit``), hangs, or closes its
streams as it sees any program. An exception, ``SystemExit`` among them, costs no new
process: the child reports it as a crash and makes a new object.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from journalspec_conformance.bounds import BOUNDS, Bounds
from journalspec_conformance.connection import Hello, Message
from journalspec_conformance.errors import Breakdown, Crashed, Misbehaved, Problem
from journalspec_conformance.process import ProcessConnection
from journalspec_conformance.serve import Guarded, exchange, load_class, told

#: Members that only a child of ours gives; it takes them out of what the class answers.
_CRASH, _PROBLEM = "child:crash", "child:problem"


class _Raised(Crashed):
    """The class raised; its process lives on."""


class PythonConnection(ProcessConnection):
    """The class ``module:Class`` in a child process."""

    def __init__(self, target: str, *, timeout: float, bounds: Bounds = BOUNDS) -> None:
        command = [sys.executable, "-m", __name__, target]
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        environment = {**os.environ, "PYTHONPATH": paths}
        super().__init__(command, timeout=timeout, environment=environment, bounds=bounds)
        self._trace = ""

    def hello(self) -> Hello:
        """Start the child if needed and return what the class declares; Problem if there is no such class."""
        return super().hello()

    def stderr(self) -> str:
        """Return the traceback of the last crash, or else what was written to standard error."""
        return self._trace or super().stderr()

    def _receive(self, seq: int, timeout: float, request: Message) -> Message:
        self._trace = ""
        reply = super()._receive(seq, timeout, request)
        if _PROBLEM in reply and not request:  # hello
            raise Problem(str(reply[_PROBLEM]))
        if _CRASH in reply:
            self._trace = str(reply[_CRASH])
            raise _Raised(str(reply.get("message", "")), self._trace)
        return reply

    def _broken(self, error: Breakdown) -> Breakdown:
        return error if isinstance(error, _Raised) else super()._broken(error)


class _Child:
    """The class as its child process asks it."""

    def __init__(self, target: str) -> None:
        def make() -> Any:
            return load_class(target)()

        # SystemExit and all: whatever it raises is its crash.
        self.guarded = Guarded(make, BaseException)
        self._in_memory = False

    def answers(self, request: Message) -> Iterator[Message]:
        """Yield what the class answers, that it crashed, or that there is no such class."""
        hello = request["cmd"] == "hello"
        files = _files(request["dir"]) if self._in_memory and not hello else None
        asked = request if files is None else {**request, "files": files}
        before = dict(files or {})
        try:
            for part in self.guarded.answers(asked):
                if hello:
                    with suppress(Misbehaved):
                        self._in_memory = Hello.from_json(part).in_memory
                if files is not None:
                    _put(request["dir"], before, files)
                    before = dict(files)
                yield {name: value for name, value in part.items() if name not in (_CRASH, _PROBLEM)}
        except Problem as problem:
            yield {_PROBLEM: str(problem)}
        except Crashed as crash:
            yield {_CRASH: crash.stderr, "message": crash.reason}
        except Exception as error:  # the mapping that stands for the directory holds what no file can
            yield {_CRASH: "", "message": told(error)}


def _files(directory: str) -> dict[str, bytes]:
    root = Path(directory)
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def _put(directory: str, before: dict[str, bytes], now: dict[str, bytes]) -> None:
    """Make the directory hold what the class has made of its mapping."""
    root = Path(directory)
    for name in before.keys() - now.keys():
        (root / name).unlink()
    for name, content in now.items():
        if before.get(name) != content:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)


def _own_output() -> IO[str]:
    """Return a stream on standard output, which from now on goes to standard error for everybody else."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _own_input() -> IO[str]:
    """Return a stream of the requests; who else reads standard input finds it empty."""
    lines = os.fdopen(os.dup(0), encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return lines


if __name__ == "__main__":
    requests, stream = _own_input(), _own_output()
    child = _Child(sys.argv[1])
    try:
        exchange(child.answers, requests, stream)
    except OSError:
        # The class has closed what is not its own, or the runner has gone: nobody is left to be told.
        os._exit(1)
    with suppress(Exception):
        child.guarded.end()

__all__ = ["PythonConnection"]
