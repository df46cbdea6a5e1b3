"""What a Java product throws, and the form that a refusal made of it has."""

from __future__ import annotations

from dataclasses import dataclass


class Thrown(Exception):
    """The product threw: `name` is the Java class, `text` its message."""

    def __init__(self, name: str, text: str) -> None:
        """Keep both; the exception's own text is ``name: text``."""
        super().__init__(f"{name}: {text}" if text else name)
        self.name = name
        self.text = text


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal's phase and code."""

    phase: str
    code: str


def unnamed(thrown: Thrown) -> str:
    """Return the code of an exception that says nothing the specification has a code for.

    It keeps the class name (``exception:NAME``), which is nobody's code: such an
    answer never counts as the right refusal by accident.
    """
    return f"exception:{thrown.name.rpartition('.')[2]}"
