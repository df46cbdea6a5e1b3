"""Listening to what the products log: the only place where they speak of dropped transactions.

All write to java.util.logging in the end. Message numbers are the same in all
behind different letters (HQ, AMQ); before HornetQ 2.4 there are none, and the
texts are known instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from journalspec_conformance.harnesses.java.jvm import Java, java_classes

#: A transaction's PREPARE was not healthy; its COMMIT was not; it has no end.
PREPARE_INCOMPLETE, COMMIT_INCOMPLETE, UNCOMMITTED = 142013, 142014, 142015
_UNNUMBERED = (
    (re.compile(r"Prepared transaction -?\d+ wasn't considered completed"), PREPARE_INCOMPLETE),
    (re.compile(r"Transaction -?\d+ is missing elements"), COMMIT_INCOMPLETE),
    (re.compile(r"Uncommitted transaction with id -?\d+ found"), UNCOMMITTED),
)
_NUMBER = re.compile(r"(?:HQ|AMQ)(\d{6})")
_ONE_ID = re.compile(r"(?<![\w.])-?\d+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One message: its number (0 if it has none) and its text."""

    number: int
    text: str

    @property
    def transaction(self) -> int:
        """The transaction that the message is about; only for messages about one."""
        numbered = _NUMBER.search(self.text) is not None
        return int(_ONE_ID.findall(self.text.partition(":")[2] if numbered else self.text)[0])


class Log:
    """Takes in everything that the JVM logs at INFO or above; nothing of it is printed."""

    def __init__(self) -> None:
        """Start listening."""
        jpype = java_classes()
        self.entries: list[Entry] = []
        root = jpype.JClass("java.util.logging.LogManager").getLogManager().getLogger("")
        self._filter = jpype.JProxy("java.util.logging.Filter", inst=self)
        for handler in root.getHandlers():
            handler.setFilter(self._filter)

    def isLoggable(self, record: Java) -> bool:  # noqa: N802 - the interface's name
        """Keep `record`; answer that it need not be printed."""
        text = str(record.getMessage())
        parameters = record.getParameters()
        for index, value in enumerate(parameters if parameters is not None else ()):
            text = text.replace(f"{{{index}}}", str(value))
        self.entries.append(Entry(_number_of(text), text))
        return False

    def take(self) -> list[Entry]:
        """Return what was logged since the last call."""
        taken, self.entries = self.entries, []
        return taken


def _number_of(text: str) -> int:
    """Return the number of a message, also where the product gives it none; 0 if it is not known."""
    number = _NUMBER.search(text)
    if number:
        return int(number[1])
    return next((known for pattern, known in _UNNUMBERED if pattern.match(text)), 0)
