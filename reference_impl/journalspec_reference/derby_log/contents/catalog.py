"""The tables of a database according to its own catalogue: schemas, tables, columns and their containers.

The catalogue is read after redo and undo, like any other table. Without a catalogue, each heap is treated as
a table. A heap contains the types of its columns, but not their names.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from journalspec_reference.derby_log.contents.booted import Booted
from journalspec_reference.derby_log.contents.values import BY_FORMAT, Typed, described, integer, text
from journalspec_reference.derby_log.fileset import AT_LEAST
from journalspec_reference.derby_log.heap import Value

#: The names of the catalogue's heaps in ``service.properties``.
_HEAPS = ("Systables", "Syscolumns", "Sysschemas", "Sysconglomerates")
_CONTAINER = re.compile("[0-9]{1,15}")
#: The largest number of columns of a Derby table.
_MOST_COLUMNS = 1012
#: Errors that values raise if they do not fit their type.
ODD = (IndexError, ValueError, TypeError, struct.error)
_KINDS = {"T": "user", "S": "system"}
_NOT_AN_INDEX = b"\0"


@dataclass(frozen=True, slots=True)
class SqlTable:
    """Represents a table: its container, and its columns in order, by name.

    `kind` is user, system or unnamed.
    """

    schema: str
    name: str
    kind: str
    container: int
    columns: tuple[tuple[str, Typed], ...]

    @property
    def title(self) -> str:
        """The name of the table, qualified by its schema."""
        return f"{self.schema}.{self.name}"


def _container(name: str, properties: Mapping[str, str]) -> int:
    """Return the container number in a property. If the property is absent, return the number that Derby
    always uses.
    """
    given = properties.get(name, "")
    return int(given if _CONTAINER.fullmatch(given) else str(AT_LEAST[name]))


def catalogue(state: Booted, properties: Mapping[str, str]) -> tuple[dict[str, SqlTable], Mapping[int, str]]:
    """Return the tables of a database by title, and Derby's other containers with their purpose.

    The tables include user tables and system tables. If the catalogue is incomplete, the tables also include
    the heaps without a name. The other containers are indexes and the container of the database's properties.
    """

    def read(name: str, count: int) -> Iterator[list[Value]]:
        for _, values in state.rows(_container(f"{name}Identifier", properties)):
            # A row lacks fields for columns that were added later.
            yield (values + [None] * (count - len(values)))[:count]

    schemas: dict[str, str] = {}
    for ident, name in read("Sysschemas", 2):
        with suppress(*ODD):
            schemas[text(ident)] = text(name)
    columns: dict[str, dict[int, tuple[str, Typed]]] = {}
    for table, name, place, typed in read("Syscolumns", 4):
        with suppress(*ODD):
            column = text(name), described(typed)
            columns.setdefault(text(table), {})[integer(place)] = column
    stored = _container("derby.storage.propertiesId", properties)
    others = {stored: "the properties of the database"}
    heaps: dict[str, int] = {}
    for _, table, number, name, index in read("Sysconglomerates", 5):
        with suppress(*ODD):
            owner, container, title = text(table), integer(number, 8), text(name)
            if index != _NOT_AN_INDEX:
                others[container] = f"index {title}"
            else:
                heaps[owner] = container
    found: dict[str, SqlTable] = {}
    for values in read("Systables", 4):
        with suppress(*ODD):
            ident, name, kind, schema = map(text, values)
            if kind in _KINDS and ident in heaps:
                own = columns.get(ident, {})
                listed = tuple(own[place] for place in sorted(own)[:_MOST_COLUMNS])
                entry = SqlTable(schemas.get(schema, schema), name, _KINDS[kind], heaps[ident], listed)
                found[entry.title] = entry
    named = {entry.container for entry in found.values()}
    whole = {_container(f"{name}Identifier", properties) for name in _HEAPS} <= named
    unnamed = [by_heap(state, each) for each in state.heaps() if not whole and each not in named]
    bare = {entry.title: entry for entry in unnamed if entry is not None}
    return {**dict(sorted(found.items())), **bare}, others


def by_heap(state: Booted, container: int) -> SqlTable | None:
    """Return a table made from the description in the first row of its heap. Return None if there is no such
    row.
    """
    found = state.described(container)
    if found is None:
        return None
    types = (Typed(BY_FORMAT.get(form, 0), f"format {form}") for form in found[1])
    columns = tuple((f"COLUMN{number}", column) for number, column in enumerate(types, start=1))
    return SqlTable("?", f"c{container:x}", "unnamed", container, columns)
