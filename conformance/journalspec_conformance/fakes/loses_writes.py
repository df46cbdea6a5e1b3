"""Calls every operation durable, and writes all of them at the very end."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from journalspec_conformance.fakes._base import Message
from journalspec_conformance.harnesses.reference import Reference
from journalspec_conformance.serve import serve


class Lazy(Reference):
    """The reference, putting off the work."""

    def hello(self) -> Message:
        """Declare what the reference does, less the list of what was done to the files."""
        message = super().hello()
        for entry in message["formats"].values():
            entry["features"].remove("io-trace")
        return message

    def write(self, request: Message) -> Iterator[Message]:
        """Promise everything, then do it."""
        if request.get("step"):
            for number, _ in enumerate(request["ops"]):
                yield {"step": str(number), "durable": True}
        yield from super().write({**request, "step": False})


if __name__ == "__main__":
    sys.exit(serve(Lazy(), sys.stdin, sys.stdout))
