"""A Python class in this process, asked by plain calls: for the harnesses that are shipped.

Anybody else's class runs in a child (:mod:`.process`): in here it could end the run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, suppress
from typing import Any

from journalspec_conformance.connection import AnswersOnly, Hello, Message, checked
from journalspec_conformance.errors import Crashed
from journalspec_conformance.serve import Guarded, load_class


class InProcessConnection(AnswersOnly):
    """The in-process mode. An exception is a crash; no time limit can be enforced."""

    def __init__(self, target: str | Callable[[], Any]) -> None:
        """Ask what `target` makes: ``module:Class``, or anything that can be called."""
        self._guarded = Guarded(load_class(target) if isinstance(target, str) else target)
        self._trace = ""
        self.in_memory = False

    def hello(self) -> Hello:
        """Make the object if needed and return what it declares."""
        *_, reply = self._answers({"cmd": "hello"})
        claims = Hello.from_json(reply)
        self.in_memory = claims.in_memory
        return claims

    def ask(self, request: Message) -> Message:
        """Call the method of the request's name."""
        *_, reply = self._answers(request)
        return checked(reply, request["cmd"])

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield the stepwise answers; closing early abandons the object."""
        with closing(self._answers(request)) as replies:
            for reply in replies:
                yield checked(reply)

    def _answers(self, request: Message) -> Generator[Message, None, None]:
        self._trace = ""
        try:
            yield from self._guarded.answers(request)
        except Crashed as error:
            self._trace = error.stderr
            raise

    def stderr(self) -> str:
        """Return the traceback of the last crash."""
        return self._trace

    def close(self) -> None:
        """Call ``bye`` if the object is still there."""
        with suppress(Exception):  # nothing is left to fail
            self._guarded.end()
