"""Python classes that misbehave as only a class can: each does one thing to the interpreter."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from journalspec_conformance.harnesses.reference import Reference

Message = dict[str, Any]


class _Fake(Reference):
    """The reference, which at its third question does what `happens` does."""

    _asked = 0

    def read(self, request: Message) -> Message:
        """Answer, or not."""
        type(self)._asked += 1
        if type(self)._asked == 3:
            self.happens()
        return super().read(request)

    def happens(self) -> None:
        """Nothing is wrong."""


class Right(_Fake):
    """Nothing wrong, in a class of somebody else's."""


class Exits(_Fake):
    """Ends as programs end."""

    def happens(self) -> None:
        """Leave."""
        sys.exit(0)


class ExitsHard(_Fake):
    """Ends the process without a word."""

    def happens(self) -> None:
        """Leave at once."""
        os._exit(0)


class Interrupts(_Fake):
    """Raises what Ctrl-C raises."""

    def happens(self) -> None:
        """Interrupt."""
        raise KeyboardInterrupt


class Raises(_Fake):
    """Raises an ordinary exception."""

    def happens(self) -> None:
        """Raise."""
        raise RuntimeError("this was not foreseen")


class Hangs(_Fake):
    """Never comes back."""

    def happens(self) -> None:
        """Wait."""
        time.sleep(3600)


class Prints(_Fake):
    """Writes to standard output, where the answers of programs go."""

    def happens(self) -> None:
        """Print."""
        print("third question")


class ExitsInHello(_Fake):
    """Ends before it has said what it is."""

    def hello(self) -> Message:
        """Leave at once."""
        os._exit(0)


class SaysUnsupported(_Fake):
    """Declares everything, and recovers nothing."""

    def recover(self, request: Message) -> Message:
        """Decline."""
        return {"unsupported": {"what": "recover", "message": "not today"}}
