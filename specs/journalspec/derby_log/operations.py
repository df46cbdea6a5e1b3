"""The operations of log records, from the table ``operations.toml``. The table explains its types and keys.

This module also contains facts that follow from the table alone: the bytes of a body, and the fields of a
body in an observation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from operator import itemgetter
from typing import Any

from journalspec import mutf8, reread
from journalspec.layout import Part, integer
from journalspec.numbers import compressed

#: The format id at the start of a body.
LOG_RECORD = 129


@dataclass(frozen=True, slots=True)
class Slot:
    """Represents one field of an operation or object: its name and its type (see ``operations.toml``).

    `of` is the name of an object, or the fields of one list element. If this field contains the length or the
    number of elements of another field, `measures` is the other field.
    """

    name: str
    type: str
    length: str = ""
    count: str = ""
    of: str | tuple[Slot, ...] = ""
    null: bool = False
    when: Sequence[Any] = ()
    measures: str = ""

    def among(self, values: Mapping[str, Any]) -> bool:
        """Return whether the field is present if the fields before it have these values."""
        return not self.when or values.get(self.when[0]) == self.when[1]


@dataclass(frozen=True, slots=True)
class Form:
    """Represents an operation or an object: its format id, its name and its fields, including those of its
    parts.
    """

    id: int
    name: str
    fields: tuple[Slot, ...]
    #: The groups that the record of the operation may have. An object has no groups.
    group: tuple[int, ...] = ()
    #: The first edition that has the operation. If this is empty, all editions have it.
    since: str = ""


@dataclass(frozen=True, slots=True)
class Database:
    """Represents databases of an edition: their level, the newest level that the edition opens, and the table
    of each container.
    """

    level: tuple[int, int]
    newest: tuple[int, int]
    tables: Mapping[int, str]


@cache
def groups() -> Mapping[str, int]:
    """Return the name of a group -> its bit."""
    return {name: entry["bit"] for name, entry in _table()["groups"].items()}


@cache
def part(name: str) -> tuple[Slot, ...]:
    """Return the fields of a part that several bodies or operations share."""
    return _slots(_table()["part"][name])


def tail(group: int) -> tuple[Slot, ...]:
    """Return the bytes after the fields of the operation in a record of this `group` (DRB-REC-021)."""
    if group & groups()["CHECKSUM"]:
        return ()
    return part("undone" if group & groups()["COMPENSATION"] else "data")


@cache
def operations() -> Mapping[int, Form]:
    """Return format id -> operation."""
    return {row["id"]: _form(row) for row in _table()["operation"]}


@cache
def named() -> Mapping[str, Form]:
    """Return the name of an operation -> its description."""
    return {form.name: form for form in operations().values()}


@cache
def objects() -> Mapping[str, Form]:
    """Return the name of an object -> its description."""
    return {row["name"]: _form(row) for row in _table()["object"]}


@cache
def databases() -> Mapping[str, Database]:
    """Return a map from edition to its databases, the oldest edition first. The edition `seed` is
    absent, because its databases have no levels.
    """
    found = {}
    for edition, row in _table()["database"].items():
        level, newest = ((major, minor) for major, minor in (row["level"], row["newest"]))
        found[edition] = Database(level, newest, {number: name for name, number in row["tables"].items()})
    return found


def tables(edition: str) -> Mapping[int, str]:
    """Return a mapping from container to table, for the containers in logs of an edition."""
    known = databases()
    return known.get(edition, [*known.values()][-1]).tables


@cache
def tables_of_all() -> Mapping[int, str]:
    """Return a mapping from container to table for all editions.

    No container belongs to two different tables.
    """
    return {number: name for each in databases().values() for number, name in each.tables.items()}


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("operations.toml").read_text(encoding="utf-8"))


def _form(row: Mapping[str, Any]) -> Form:
    slots = tuple(slot for name in row.get("begins", ()) for slot in part(name)) + _slots(row["fields"])
    return Form(row["id"], row["name"], slots, tuple(row.get("group", ())), row.get("since", ""))


def _slots(rows: list[Mapping[str, Any]]) -> tuple[Slot, ...]:
    measured = {row[key]: row["name"] for row in rows for key in ("length", "count") if key in row}
    # A list contains the fields of its elements; an object refers to its fields by name.
    inner = {row["name"]: {"of": _slots(row["of"])} for row in rows if isinstance(row.get("of"), list)}
    return tuple(
        Slot(**{**row, **inner.get(row["name"], {})}, measures=measured.get(row["name"], "")) for row in rows
    )


def row_of(record_id: int, key: int, value: bytes, *, first: bool = False) -> bytes:
    """Return the data of an INSERT: a row of key and text, either complete or only the first part of a longer
    row.
    """
    start = b"\4" + compressed(record_id) + b"\0" if first else b"\0" + compressed(record_id)
    return start + b"\2" + _column(integer(key, 4)) + _column(text_of(value))


def change_of(record_id: int, value: bytes, before: bytes) -> bytes:
    """Return the data of an UPDATE: the new column with the text `value`, then the old text `before` as
    stored on its page.
    """
    number = compressed(record_id)
    old = b"\0" + number + b"\2\x05\0" + compressed(len(before)) + before
    return b"\4" + number + b"\0\2\x25" + _column(text_of(value)) + old


def text_of(value: bytes) -> bytes:
    """Return the content of a column with a text: the number of bytes, then the bytes."""
    return integer(len(value), 2) + value


def _column(data: bytes) -> bytes:
    return b"\x20" + text_of(data)


def body(values: Mapping[str, Any], *, longest: bool = False) -> list[Part]:
    """Return the fields of a body in stored order. With `longest`, compressed numbers take their longest
    form.

    `values` contains the name of the operation, the group, the transaction number or None, and ``undone`` or
    ``data``. It also contains the fields that are not 0 or empty. To build a damaged body, give a wrong
    ``operation_id``, or a ``rest``: bytes that belong to no field.
    """
    form, number = named()[values["operation"]], values.get("transaction")
    head = {
        "format": LOG_RECORD,
        "group": values["group"],
        "transaction": None if number is None else {"number": number},
        "operation": values.get("operation_id", form.id),
    }
    told = {name: values[name] for name in ("undone", "data") if name in values}
    parts = ((part("head"), head), (form.fields, values), (tail(values["group"]), told))
    out = [stored for slots, of_it in parts for stored in _parts(slots, of_it, "", longest)]
    return [*out, Part("rest", values.get("rest", b""))]


def _parts(slots: Iterable[Slot], values: Mapping[str, Any], before: str, longest: bool) -> Iterator[Part]:
    for slot in slots:
        name, value = before + slot.name, values.get(slot.name)
        if not slot.among(values):
            continue
        if slot.measures and value is None:
            value = len(values.get(slot.measures) or ())
        if isinstance(slot.of, tuple):
            for number, row in enumerate(value or (), start=1):
                yield from _parts(slot.of, row, f"{name}{number}.", longest)
        elif slot.of:
            form = objects()[slot.of]
            yield Part(f"{name}.id", integer(0 if value is None else form.id, 2))
            yield from () if value is None else _parts(form.fields, value, f"{name}.", longest)
        else:
            yield Part(name, _stored(slot.type, value, longest))


def _stored(kind: str, value: Any, longest: bool) -> bytes:
    if kind in ("cint", "clong"):
        return compressed(int(value or 0), wide=kind == "clong", longest=longest)
    if kind == "utf":
        return text_of(mutf8.encode(value or ""))
    return bytes(value or b"") if kind == "bytes" else integer(int(value or 0), int(kind[1:]))


def shown(slots: Iterable[Slot], values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a body as an observation shows them: without lengths and counts, and with objects
    as plain values.
    """
    for slot in slots:
        value = values.get(slot.name)
        if slot.of == "index_undo":
            yield "logical", value is not None
        elif slot.measures or not slot.among(values):
            continue
        elif isinstance(slot.of, tuple):
            yield slot.name, _each(value or (), partial(_plain, slot.of))
        elif not slot.of:
            yield slot.name, 0 if value is None else value
        elif value is not None:
            yield slot.name, _object(slot.of, value)


def _object(name: str, value: Mapping[str, Any]) -> Any:
    if name == "transaction_id":
        return value["number"]
    if name == "log_counter":
        return value["file"] << 32 | value["position"]
    found = dict(shown(objects()[name].fields, value))
    return _each(found["entries"], itemgetter("entry")) if name == "transaction_table" else found


def _plain(slots: tuple[Slot, ...], row: Mapping[str, Any]) -> dict[str, Any]:
    return dict(shown(slots, row))


def _each(rows: Sequence[Any], change: Callable[[Any], Any]) -> Sequence[Any]:
    """Return the list with `change` applied to every element. A long list is converted while a caller reads
    it.
    """
    if not isinstance(rows, reread.Lazy):
        return list(map(change, rows))
    return reread.Lazy([reread.Part("", partial(map, change, rows), len(rows))])
