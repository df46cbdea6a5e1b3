"""The limits of time, memory, disk and output for one question."""

from __future__ import annotations

from dataclasses import dataclass

from journalspec_conformance.errors import Problem

_MIB = 1 << 20
#: Bounds of --timeout in seconds: no implementation replies faster than the lower bound, and a wait beyond
#: the upper one is effectively endless.
SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 0.001, 86_400.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Represents the limits (in bytes) of an implementation for one question. The implementation is killed if
    it exceeds a limit.

    The largest answer to a published case is shorter than a tenth of `answer`. Parsing an answer as JSON
    takes about thirty times its size in memory. `memory` limits the memory of all processes of the
    implementation together. `disk` limits their files in the given directory and in the directories for
    temporary files.
    """

    answer: int = 16 * _MIB
    stderr: int = 64 * _MIB
    memory: int = 4096 * _MIB
    disk: int = 2048 * _MIB

    @classmethod
    def of_mib(cls, memory: int, disk: int) -> Bounds:
        """Return bounds with memory and disk as the user gives them."""
        return cls(memory=memory * _MIB, disk=disk * _MIB)


BOUNDS = Bounds()


def size_of(number: int) -> str:
    """Return a number of bytes in a readable unit: ``16 MiB``, ``4 GiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number} bytes"


def plain_number(text: str) -> float:
    """Parse a number; raises ValueError unless it is written in ASCII without underscores."""
    if not text.isascii() or "_" in text:
        raise ValueError(f"{text!r} is not a plain number")
    return float(text)


def check_timeout(seconds: float) -> None:
    """Raise Problem unless this is a permitted time limit for an answer."""
    if not seconds >= SHORTEST_TIMEOUT:  # This is true for NaN as well.
        raise Problem(
            f"a timeout of {seconds:g} s leaves no time to answer", f"At least {SHORTEST_TIMEOUT:g} s."
        )
    if seconds > LONGEST_TIMEOUT:
        raise Problem(
            f"a timeout of {seconds:g} s is too long: an implementation that hangs would never be detected",
            f"At most {LONGEST_TIMEOUT:g} s (a day).",
        )
