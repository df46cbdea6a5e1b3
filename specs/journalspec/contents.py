"""The tables of a format's contents. They show the recovered data in the user's terms.

A format defines them in ``contents/tables.toml``. The contents never change which records recovery keeps.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from journalspec.formats import get_format

#: The possible types of a column. A time is a number of milliseconds since 1970, UTC.
KINDS = frozenset({"int", "str", "bytes", "bool", "float", "time", "object", "list"})


@dataclass(frozen=True, slots=True)
class Column:
    """Represents one column of a table.

    A `body` column contains data of the user, so redaction hides it completely. The texts of a `plain` column
    are not data of the user, so redaction shows them.
    """

    name: str
    kind: str
    doc: str
    body: bool = False
    plain: bool = False


@dataclass(frozen=True)
class Table:
    """Represents one table: its columns in order, its purpose, and the word for one of its rows."""

    name: str
    noun: str
    doc: str
    columns: tuple[Column, ...]

    @cached_property
    def empty(self) -> Mapping[str, None]:
        """A row in which every column is None."""
        return dict.fromkeys(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class Described:
    """Represents the content of a format's ``contents/tables.toml``: the tables by name, and the meaning of
    each remark's code.

    `damages` contains the remarks on damage in the files next to the journal.
    """

    tables: Mapping[str, Table]
    remarks: Mapping[str, str]
    damages: frozenset[str] = frozenset()


@cache
def described(format_id: str) -> Described | None:
    """Return the tables of a format's contents. Return None if the format has no contents.

    Raises UnknownFormat for an unknown format, ValueError for an invalid table.
    """
    path = get_format(format_id).root.joinpath("contents", "tables.toml")
    if not path.is_file():
        return None
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    tables = {}
    for entry in data["table"]:
        columns = tuple(Column(**each) for each in entry["columns"])
        names = [each.name for each in columns]
        wrong = sorted({each.kind for each in columns} - KINDS)
        if wrong or len({*names}) < len(names):
            what = f"no such kind: {wrong[0]}" if wrong else "duplicate column"
            raise ValueError(f"{format_id}/contents/tables.toml: {entry['name']}: {what}")
        tables[entry["name"]] = Table(entry["name"], entry["noun"], entry["doc"], columns)
    remarks, damages = data.get("remarks", {}), frozenset(data.get("damages", ()))
    if unknown := sorted(damages - remarks.keys()):
        raise ValueError(f"{format_id}/contents/tables.toml: no such remark: {unknown[0]}")
    return Described(tables, remarks, damages)


@cache
def contents_of(format_id: str) -> Described:
    """Return the tables of a format that has contents; raises LookupError if it has none."""
    found = described(format_id)
    if found is None:
        raise LookupError(f"{format_id} has no contents/tables.toml")
    return found
