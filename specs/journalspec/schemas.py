"""What the declarative schemas of all formats have in common: how they fail, where they are.

A format's room may hold two schema modules: ``schema`` (construct, parses and
builds) and ``kaitai`` (the generated Kaitai parsers). Both offer
``parse(files, edition, params) -> Observation`` for clean file sets and raise
:class:`SchemaError` for anything else: schemas judge no damage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

from journalspec.formats import UnknownFormat, format_module
from journalspec.layout import Layout
from journalspec.observation import Observation

#: Kind of schema -> the module of a format's room that holds it.
KINDS = {"construct": "schema", "kaitai": "kaitai"}


class SchemaError(ValueError):
    """These files do not fit the schema: where, and why in the text.

    `off` counts from the start of `file`; both are empty if the set of files
    itself is at fault.
    """

    def __init__(self, message: str, file: str = "", off: int | None = None) -> None:
        where = f"{file}: " if file else ""
        if off is not None:
            where += f"at {off}: "
        super().__init__(where + message)
        self.message = message
        self.file = file
        self.off = off


@dataclass(frozen=True, slots=True)
class Plain:
    """One structure as a schema read it: `size` bytes at `off`, its type by the spec's name, its fields.

    `fields` are those of the format's table, a list as a list of mappings. A
    structure that is no record has no type.
    """

    off: int
    size: int
    type: str
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, layout: Layout, edition: str, values: Mapping[str, Any], off: int, end: int) -> Plain:
        """Return the structure with these fields; its type is OTHER where the number has no name."""
        number = values.get(layout.type_field)
        kind = "" if number is None else layout.type_name(edition, number) or "OTHER"
        return cls(off, end - off, kind, values)

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.off + self.size


class Codec(Protocol):
    """What the schemas of one kind do for a format: read one structure where it stands."""

    def read(self, name: str, edition: str, data: bytes, off: int, file: str) -> Plain:
        """Return the structure `name` at `off` of `data`; raises SchemaError unless it is sound."""


class Schema(Protocol):
    """A schema module of a format."""

    def parse(
        self, files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None
    ) -> Observation:
        """Return the observation of a clean file set at level layout; raises SchemaError.

        `params` are the format's parameters that a reader needs, as text.
        """


def schema(format_id: str, kind: str) -> Schema:
    """Return the schema module of `format_id`; raises UnknownFormat if it has none of that kind."""
    try:
        name = KINDS[kind]
    except KeyError:
        raise UnknownFormat(f"no kind of schema is called {kind!r}: known are {', '.join(KINDS)}") from None
    room = format_module("journalspec", format_id)
    if find_spec(f"{room.__name__}.{name}") is None:
        raise UnknownFormat(f"{format_id} has no {kind} schema")
    return cast("Schema", import_module(f"{room.__name__}.{name}"))
