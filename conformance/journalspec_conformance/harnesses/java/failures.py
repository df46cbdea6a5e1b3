"""What a Java product throws, and the form that a refusal made of it has."""

from __future__ import annotations

from dataclasses import dataclass


class Thrown(Exception):
    """The product threw: `name` is the Java class, `text` its message.

    `methods` are the names of the methods that it came out of, innermost first,
    `cause` is the Java class of what caused it, if anything did.
    """

    def __init__(self, name: str, text: str, methods: tuple[str, ...] = (), cause: str = "") -> None:
        """Keep all; the exception's own text is ``name: text``."""
        super().__init__(f"{name}: {text}" if text else name)
        self.name = name
        self.text = text
        self.methods = methods
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal's phase and code."""

    phase: str
    code: str


def unnamed(thrown: Thrown) -> str:
    """Return the code of an exception that says nothing the specification has a code for.

    It keeps the class name (``exception:NAME``), which is nobody's code: such an
    answer never counts as the right refusal by accident. A plain Exception says
    less than its cause.
    """
    name = thrown.cause if thrown.cause and thrown.name == "java.lang.Exception" else thrown.name
    return f"exception:{name.rpartition('.')[2]}"
