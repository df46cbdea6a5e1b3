"""Shared by all misdeeds: their descriptions, the question at which they happen, and the ways to answer."""

from __future__ import annotations

import copy
import json
import os
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

#: Environment variables: a file of right answers (see :func:`key_of`); a file to make when the misdeed
#: begins.
RIGHT, REACHED = "JOURNALSPEC_FAULTS_RIGHT", "JOURNALSPEC_FAULTS_REACHED"
#: The command of the question at which a misdeed happens.
TRIGGER = "recover"

#: The modes of communication with an implementation.
PERSISTENT, ONESHOT, PYTHON = MODES = ("persistent", "oneshot", "python")
#: Seconds: longer than any runner waits.
FOREVER = 600.0

Message = dict[str, Any]
Does = Callable[["Turn"], object]


class Misdeed(NamedTuple):
    """One misdeed, and the results that a runner must report.

    `does` is the action at the question, `greets` changes the answer to hello. `expected` is, for each
    possible mode, the required class of the question (and perhaps the fingerprint), or ``refused`` if the
    implementation is not asked at all. `then` is the class of the next question. `slow` means that there is
    no answer, so a short time limit is enough.
    """

    name: str
    about: str
    does: Does | None
    expected: Mapping[str, str]
    greets: Callable[[Message], Any] | None = None
    then: str = "pass"
    slow: bool = False


class Due(NamedTuple):
    """The required results of the misdeeds that follow in a table; its members are those of Misdeed."""

    expected: Mapping[str, str]
    then: str = "pass"
    slow: bool = False


def misdeeds_of(*lines: Due | tuple[Any, ...]) -> tuple[Misdeed, ...]:
    """Return the misdeeds of a table; a line is (name, about, does[, greets]), or a Due that applies to the
    lines after it.
    """
    found = []
    due = Due({})
    for line in lines:
        if isinstance(line, Due):
            due = line
            continue
        name, about, does, *greets = line
        found.append(
            Misdeed(name, about, does, due.expected, greets[0] if greets else None, due.then, due.slow)
        )
    return tuple(found)


def by_mode(*, then: str = "pass", slow: bool = False, **results: str) -> Due:
    """Expect a result in each of the given modes."""
    return Due(results, then, slow)


def everywhere(result: str, *, slow: bool = False) -> Due:
    """Expect the same result in each mode."""
    return Due(dict.fromkeys(MODES, result), slow=slow)


def as_text(result: str, oneshot: str = "", *, slow: bool = False) -> Due:
    """Expect `result` in the modes whose answers are text."""
    return by_mode(persistent=result, oneshot=oneshot or result, slow=slow)


def key_of(request: Message) -> str:
    """Return a key of a question: the operation, the policy, and the content of the files."""
    found = 0
    for path in sorted(Path(request["dir"]).iterdir()):
        found = zlib.crc32(path.name.encode() + b"\0" + path.read_bytes(), found)
    return f"{request['cmd']} {request.get('policy', '')} {found:08x}"


class Turn:
    """The question at which the misdeed happens, the right answer to it, and the ways to send an answer."""

    def __init__(self, request: Message, right: Message, mode: str) -> None:
        self.request = request
        self.right = copy.deepcopy(right)
        self.mode = mode
        self.value: Any = None
        self.status = 0

    @property
    def directory(self) -> Path:
        """The directory of the journal."""
        return Path(self.request["dir"])

    def line(self, reply: Any = None) -> bytes:
        """Return `reply` (None: the right one) as bytes: a line of the protocol, or a command's output."""
        given = self.right if reply is None else reply
        if self.mode == "oneshot":
            given = given.get("ok", given) if isinstance(given, dict) else given
        elif isinstance(given, dict):
            given = {"seq": self.request["seq"], **given}
        return json.dumps(given).encode() + b"\n"

    def say(self, reply: Any = None) -> None:
        """Answer with `reply` (None: the right one) in the form that the mode requires."""
        if self.mode == "python":
            self.value = self.right if reply is None else reply
            return
        if self.mode == "oneshot" and isinstance(reply, dict) and "ok" not in reply:
            self.status = 2 if "unsupported" in reply else 3
        self.write(self.line(reply))

    def write(self, data: bytes) -> None:
        """Write `data` unchanged to standard output."""
        while data:
            data = data[os.write(1, data) :]


def acts(deed: Callable[[Path], object]) -> Does:
    """Do something to the directory, then return the right answer."""

    def does(turn: Turn) -> None:
        deed(turn.directory)
        turn.say()

    return does
