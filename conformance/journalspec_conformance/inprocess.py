"""A Python class in this process, asked by plain calls: for the harnesses that are shipped.

Anybody else's class runs in a child (:mod:`.pychild`): in here it could end the run.
"""

from __future__ import annotations

import importlib
import inspect
import traceback
from collections.abc import Callable, Generator, Iterator
from typing import Any

from journalspec_conformance.connection import AnswersOnly, Hello, Message, checked
from journalspec_conformance.errors import Crashed, Misbehaved, Problem


def load_class(target: str) -> Callable[[], Any]:
    """Return the class ``module:Class``; raises Problem that says what is not there."""
    module_name, _, class_name = target.partition(":")
    if not module_name or not class_name:
        raise Problem(f"{target!r} is no module:Class")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise Problem(f"{module_name} cannot be imported: {error}") from None
    try:
        found: Callable[[], Any] = getattr(module, class_name)
    except AttributeError:
        raise Problem(f"module {module_name} has no {class_name}") from None
    return found


class InProcessConnection(AnswersOnly):
    """The in-process mode. An exception is a crash; no time limit can be enforced."""

    def __init__(self, target: str | Callable[[], Any]) -> None:
        """Ask what `target` makes: ``module:Class``, or anything that can be called."""
        self._make = load_class(target) if isinstance(target, str) else target
        self._object: Any = None
        self._trace = ""
        self.in_memory = False

    def hello(self) -> Hello:
        """Make the object if needed and return what it declares."""
        claims = Hello.from_json(self._call("hello"))
        features = [entry.features for entry in claims.formats.values()]
        self.in_memory = bool(features) and all("memory" in names for names in features)
        return claims

    def ask(self, request: Message) -> Message:
        """Call the method of the request's name."""
        reply = self._call(request["cmd"], request)
        if inspect.isgenerator(reply):
            try:
                *_, reply = reply
            except Exception as error:
                raise self._crashed(error) from None
        return checked(reply)

    def steps(self, request: Message) -> Generator[Message, None, None]:
        """Yield the stepwise answers; closing early abandons the object."""
        replies = self._call(request["cmd"], request)
        if not isinstance(replies, Iterator):
            raise Misbehaved("a stepwise write must return an iterator of answers")
        finished = False
        try:
            while not finished:
                reply = checked(self._next(replies))
                finished = "ok" in reply or "step" not in reply
                yield reply
        finally:
            if not finished:
                self._object = None

    def stderr(self) -> str:
        """Return the traceback of the last crash."""
        return self._trace

    def close(self) -> None:
        """Call ``bye`` if the object is still there."""
        if self._object is not None and hasattr(self._object, "bye"):
            try:
                self._object.bye()
            except Exception as error:  # nothing is left to fail, but it should not pass unseen
                self._trace = "".join(traceback.format_exception(error))
        self._object = None

    def _next(self, replies: Iterator[Any]) -> Any:
        try:
            return next(replies)
        except StopIteration:
            raise Misbehaved("a stepwise write ended without its final answer") from None
        except Exception as error:
            raise self._crashed(error) from None

    def _call(self, name: str, *args: Any) -> Any:
        self._trace = ""
        try:
            if self._object is None:
                self._object = self._make()
            return getattr(self._object, name)(*args)
        except Exception as error:
            raise self._crashed(error) from None

    def _crashed(self, error: Exception) -> Crashed:
        self._object = None
        self._trace = "".join(traceback.format_exception(error))
        return Crashed(f"{type(error).__name__}: {error}", self._trace)
