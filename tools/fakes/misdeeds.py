"""One misdeed in three modes: every question is answered correctly, except for a fault at ``recover``.

    persistent   python tools/fakes NAME
    oneshot      the same command, called with the question as arguments
    python       py:fakes.misdeeds:NAME

The right answers come from the file that RIGHT names. They are not computed here, so that a process starts
quickly. NAME is a key of the result of :func:`misdeeds`. When the misdeed begins, it makes the file that
REACHED names. A test can then kill a process at that moment.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fakes._faulty import REACHED, RIGHT, Message, Misdeed, Turn, key_of


@cache
def misdeeds() -> Mapping[str, Misdeed]:
    """Return all misdeeds by name, in the order of the tables."""
    return {entry.name: entry for table in _tables() for entry in table}


def _tables() -> Iterator[tuple[Misdeed, ...]]:
    """Yield the tables one by one, so that a misdeed of the first table does not import the second."""
    from fakes import _sayings  # noqa: PLC0415 - may not be needed

    yield _sayings.TABLE
    from fakes import _deeds  # noqa: PLC0415 - may not be needed

    yield _deeds.TABLE


class Faulty:
    """Returns the right answers, except for one misdeed."""

    misdeed: Misdeed
    mode = "python"

    def __init__(self) -> None:
        self._right = json.loads(Path(os.environ[RIGHT]).read_text(encoding="utf-8"))

    def hello(self) -> Any:
        """Answer hello."""
        greeting = self._right["hello"]
        return greeting if self.misdeed.greets is None else self.misdeed.greets(greeting)

    def read(self, request: Message) -> Message:
        """Return the right answer."""
        right: Message = self._right["answers"][key_of(request)]
        return right

    def recover(self, request: Message) -> Any:
        """Commit the misdeed."""
        return self.turn(request).value

    def turn(self, request: Message) -> Turn:
        """Commit the misdeed, and return its result."""
        turn = Turn(request, self.read(request), self.mode)
        if REACHED in os.environ:
            Path(os.environ[REACHED]).touch()
        if self.misdeed.does is None:
            turn.say()
        else:
            self.misdeed.does(turn)
        return turn


def __getattr__(name: str) -> type[Faulty]:
    """Return the class that commits the misdeed `name`."""
    if name.startswith("_"):
        raise AttributeError(name)  # the import system calls this before the tables can be loaded
    found = next((entry for table in _tables() for entry in table if entry.name == name), None)
    if found is None:
        raise AttributeError(name)
    return type(name, (Faulty,), {"misdeed": found})
