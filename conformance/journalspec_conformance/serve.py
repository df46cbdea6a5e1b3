"""Make a process that speaks the protocol out of a Python class.

``python -m journalspec_conformance.serve module:Class``
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from typing import IO, Any, Protocol

from journalspec_conformance.errors import Problem
from journalspec_conformance.inprocess import load_class

#: Characters of an exception's message, and of its traceback, that are passed on.
MESSAGE, DETAIL = 2000, 64 * 1024


class Lines(Protocol):
    """Requests, line by line."""

    def __iter__(self) -> Iterator[str]:
        """Yield them up to the end."""

    def readline(self) -> str:
        """Return the next one."""


def serve(implementation: Any, lines: Lines, out: IO[str]) -> int:
    """Answer the requests in `lines` until ``bye`` or the end; return the exit status."""
    for line in lines:
        request = json.loads(line)
        if request["cmd"] == "bye":
            break
        for reply in answers(implementation, request):
            say({"seq": request["seq"], **reply}, out)
            if "step" in reply and "ok" not in reply:
                lines.readline()  # the runner's "step": only now may the next operation be done
    return 0


def answers(implementation: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what `implementation` replies to `request`; an exception becomes an ``error``."""
    name = request["cmd"]
    try:
        yield from parts(
            name, implementation.hello() if name == "hello" else getattr(implementation, name)(request)
        )
    except Exception as error:  # the process must outlive whatever a journal does to it
        yield {"error": {"message": told(error), "detail": traceback.format_exc()[-DETAIL:]}}


def parts(name: str, reply: object) -> Iterator[dict[str, Any]]:
    """Yield the answers that the method `name` returned; what is none becomes an ``error`` that says so."""
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


def told(error: BaseException) -> str:
    """Return the kind of an exception and what it says, as far as it can be said."""
    try:
        text = str(error)
    except BaseException as failed:  # whatever it is, it is not what went wrong first
        text = f"(str() of it raises {type(failed).__name__})"
    short = text[:MESSAGE] + f"... ({len(text)} characters)" * (len(text) > MESSAGE)
    return f"{type(error).__name__}: {short}".encode("utf-8", "backslashreplace").decode()


def say(message: dict[str, Any], out: IO[str]) -> None:
    """Write one line and flush it; what JSON cannot hold is said to be so."""
    try:
        line = json.dumps(message, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        fault = _fault(f"the answer cannot be written as JSON: {told(error)}")
        line = json.dumps({"seq": message["seq"], **fault})
    out.write(line + "\n")
    out.flush()


def _fault(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


def _kind(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"


def main(arguments: list[str]) -> int:
    """Serve the class named on the command line over standard input and output."""
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
