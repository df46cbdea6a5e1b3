"""Serves a Python class as an implementation: in this process, or as a separate process.

``python -m journalspec_conformance.serve module:Class``
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from journalspec_conformance.connection import Hello, Message
from journalspec_conformance.errors import Crashed, Misbehaved, Problem

#: The largest number of characters of an exception's message, and of its traceback, in an answer.
MESSAGE, DETAIL = 2000, 64 * 1024
#: The argument with which the runner starts its own child process.
CHILD = "--child"
#: Members that only this child process may send. They are removed from the class's answers.
CRASH, PROBLEM = "child:crash", "child:problem"


def load_class(target: str) -> Callable[[], Any]:
    """Return the class ``module:Class``; raises Problem if the module or the class does not exist."""
    module_name, _, class_name = target.partition(":")
    if not module_name or not class_name:
        raise Problem(f"{target!r} is not a module:Class")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise Problem(f"{module_name} cannot be imported: {error}") from None
    try:
        found: Callable[[], Any] = getattr(module, class_name)
    except AttributeError:
        raise Problem(f"module {module_name} has no {class_name}") from None
    return found


class Guarded:
    """An object that `make` creates for the first request, and again after it raised or was abandoned.

    `caught` are the exceptions that count as its crash.
    """

    def __init__(self, make: Callable[[], Any], caught: type[BaseException] = Exception) -> None:
        self._make = make
        self._caught = caught
        self._object: Any = None

    def answers(self, request: Message) -> Iterator[Message]:
        """Yield the answers to a request. Raises Crashed, with the traceback as its standard error."""
        try:
            if self._object is None:
                self._object = self._make()
            yield from parts(self._object, request)
        except BaseException as error:
            self._object = None
            if isinstance(error, Problem) or not isinstance(error, self._caught):
                raise
            detail = "".join(traceback.format_exception(error))[-DETAIL:]
            raise Crashed(told(error), detail.encode("utf-8", "backslashreplace").decode()) from None

    def end(self) -> None:
        """Call ``bye``, if there is an object with that method."""
        if hasattr(self._object, "bye"):
            self._object.bye()
        self._object = None


def parts(implementation: Any, request: Message) -> Iterator[Message]:
    """Yield the answers of `implementation`; an invalid one becomes an ``error`` with the reason."""
    name = request["cmd"]
    reply = implementation.hello() if name == "hello" else getattr(implementation, name)(request)
    if isinstance(reply, dict):
        yield reply
        return
    if not isinstance(reply, Iterator):
        yield _fault(f"{name}() returned {_kind(reply)}, not a dict")
        return
    finished = False
    for part in reply:
        if not isinstance(part, dict):
            yield _fault(f"{name}() yielded {_kind(part)}, not a dict")
            return
        finished = "step" not in part or "ok" in part
        yield part
    if not finished:
        yield _fault(f"{name}() ended without its final answer")


def serve(implementation: Any, lines: IO[str], out: IO[str]) -> int:
    """Answer the requests in `lines` until ``bye`` or the end; return the exit status."""
    return exchange(partial(answers, implementation), lines.readline, out)


def answers(implementation: Any, request: Message) -> Iterator[Message]:
    """Yield the answers of `implementation`; an exception becomes an ``error``."""
    try:
        yield from parts(implementation, request)
    except Exception as error:  # The process must survive every exception of the implementation.
        yield {"error": {"message": told(error), "detail": traceback.format_exc()[-DETAIL:]}}


def exchange(
    answer: Callable[[Message], Iterator[Message]], readline: Callable[[], str], out: IO[str]
) -> int:
    """For each request, write the results of `answer`, until ``bye`` or the end; return the exit status."""
    for line in iter(readline, ""):
        request = json.loads(line)
        if request["cmd"] == "bye":
            break
        for reply in answer(request):
            say({"seq": request["seq"], **reply}, out)
            if "step" in reply and "ok" not in reply:
                readline()  # The line "step" of the runner, which permits the next operation.
    return 0


def told(error: BaseException) -> str:
    """Return the kind and the text of an exception, as far as they can be printed."""
    try:
        text = str(error)
    except BaseException as failed:  # Any exception of `str` is less important than the original one.
        text = f"(str() of it raises {type(failed).__name__})"
    short = text[:MESSAGE] + f"... ({len(text)} characters)" * (len(text) > MESSAGE)
    return f"{type(error).__name__}: {short}".encode("utf-8", "backslashreplace").decode()


def say(message: Message, out: IO[str]) -> None:
    """Write one line and flush it; if JSON cannot express the message, write an error instead."""
    try:
        line = json.dumps(message, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        fault = _fault(f"the answer cannot be written as JSON: {told(error)}")
        line = json.dumps({"seq": message["seq"], **fault})
    out.write(line + "\n")
    out.flush()


def _fault(message: str) -> Message:
    return {"error": {"message": message}}


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


class ChildClass:
    """A class in a child process of the runner, which reports crashes as members of answers."""

    def __init__(self, guarded: Guarded) -> None:
        self._guarded = guarded
        #: Whether its answer to ``hello`` declares that it accepts files as a mapping.
        self._in_memory = False

    def answers(self, request: Message) -> Iterator[Message]:
        """Yield the answers to a request."""
        hello, directory = request["cmd"] == "hello", request.get("dir", "")
        files = files_in(directory) if self._in_memory and not hello else None
        before = dict(files or {})
        try:
            for part in self._guarded.answers(request if files is None else {**request, "files": files}):
                if hello:
                    with suppress(Misbehaved):
                        self._in_memory = Hello.from_json(part).in_memory
                if files is not None:
                    _put(directory, before, files)
                    before = dict(files)
                yield {name: value for name, value in part.items() if name not in (CRASH, PROBLEM)}
        except Problem as problem:
            yield {PROBLEM: str(problem)} if hello else {CRASH: "", "message": told(problem)}
        except Crashed as crash:
            yield {CRASH: crash.stderr, "message": crash.reason}
        except Exception as error:  # The class may put invalid names or content into the mapping.
            yield {CRASH: "", "message": told(error)}


def files_in(directory: str) -> dict[str, bytes]:
    """Return the content of the files below a directory."""
    root = Path(directory)
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def _put(directory: str, before: dict[str, bytes], now: dict[str, bytes]) -> None:
    """Write the class's changes of its mapping to the directory."""
    root = Path(directory)
    for name in before.keys() - now.keys():
        (root / name).unlink()
    for name, content in now.items():
        if before.get(name) != content:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)


def own_output() -> IO[str]:
    """Return a stream on standard output; redirect all other output there to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _answer_as_child(target: str) -> None:
    out = own_output()
    # Other code reads an empty standard input.
    lines = os.fdopen(os.dup(0), encoding="utf-8")
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 0)

    def make() -> Any:
        return load_class(target)()

    # This includes SystemExit, because every exception is a crash of the implementation.
    guarded = Guarded(make, BaseException)
    try:
        exchange(ChildClass(guarded).answers, lines.readline, out)
    except OSError:
        # Either the class closed a pipe that it does not own, or the runner ended, so nothing can be
        # reported.
        os._exit(1)
    with suppress(Exception):
        guarded.end()


def main(arguments: list[str]) -> int:
    """Serve the class named on the command line over standard input and output."""
    if arguments[:1] == [CHILD]:
        _answer_as_child(*arguments[1:])
        return 0
    if len(arguments) != 1:
        print("usage: python -m journalspec_conformance.serve module:Class", file=sys.stderr)
        return 2
    try:
        implementation = load_class(arguments[0])()
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    return serve(implementation, sys.stdin, sys.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
