"""The operations of log records: the table ``operations.toml``, which says what its types and keys mean."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of an operation or object: its name and what it holds (see ``operations.toml``).

    `of` names the object that it is, or is the fields of one element of a list.
    """

    name: str
    type: str
    length: str = ""
    count: str = ""
    of: str | tuple[Slot, ...] = ""
    null: bool = False
    when: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """An operation or an object: its format id, its name and its fields, those of its parts included."""

    id: int
    name: str
    doc: str
    fields: tuple[Slot, ...]
    #: The groups that its record may have; of an object none.
    group: tuple[int, ...] = ()
    #: The first edition that has it; empty: all of them.
    since: str = ""
    seen: bool = True


@cache
def groups() -> Mapping[str, int]:
    """Return the name of a group -> its bit."""
    return {name: entry["bit"] for name, entry in _table()["groups"].items()}


@cache
def operations() -> Mapping[int, Form]:
    """Return format id -> operation."""
    parts = {name: _slots(rows) for name, rows in _table()["part"].items()}
    return {row["id"]: _form(row, parts) for row in _table()["operation"]}


@cache
def objects() -> Mapping[str, Form]:
    """Return the name of an object -> what it is."""
    return {row["name"]: _form(row, {}) for row in _table()["object"]}


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("operations.toml").read_text(encoding="utf-8"))


def _form(row: Mapping[str, Any], parts: Mapping[str, tuple[Slot, ...]]) -> Form:
    slots = tuple(slot for name in row.get("begins", ()) for slot in parts[name]) + _slots(row["fields"])
    rest = {key: row[key] for key in ("since", "seen") if key in row}
    return Form(row["id"], row["name"], row["doc"], slots, tuple(row.get("group", ())), **rest)


def _slots(rows: list[Mapping[str, Any]]) -> tuple[Slot, ...]:
    return tuple(Slot(**{key: _value(key, value) for key, value in row.items()}) for row in rows)


def _value(key: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value) if key == "when" else _slots(value)
    return value
