"""Make a process that speaks the protocol out of a Python class.

``python -m journalspec_conformance.serve module:Class``
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from typing import IO, Any

from journalspec_conformance.errors import Problem
from journalspec_conformance.inprocess import load_class


def serve(implementation: Any, lines: IO[str], out: IO[str]) -> int:
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
    try:
        if request["cmd"] == "hello":
            yield implementation.hello()
            return
        reply = getattr(implementation, request["cmd"])(request)
        if isinstance(reply, dict):
            yield reply
        else:
            yield from reply
    except Exception as error:  # the process must outlive whatever a journal does to it
        yield {"error": {"message": f"{type(error).__name__}: {error}", "detail": traceback.format_exc()}}


def say(message: dict[str, Any], out: IO[str]) -> None:
    """Write one line and flush it."""
    out.write(json.dumps(message, separators=(",", ":")) + "\n")
    out.flush()


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
