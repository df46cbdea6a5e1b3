"""What an implementation may take for one question."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an implementation may take for one question (bytes). What goes beyond ends it.

    The largest answer to a published case has less than a tenth of `answer`; to be read
    as JSON it costs some thirty times its size. `memory` is of all its processes together,
    `disk` what they leave in the directory they were given and in those for temporary files.
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
    """Return a number of bytes for people: ``16 MiB``, ``4 GiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number} bytes"
