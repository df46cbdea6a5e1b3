"""The observation model of a format. It contains every name that an answer may contain, from ``fields.toml``.

Each format has one such file. It lists the record types and their fields (with types and ranges), and the
fields of headers and of the state. It also lists every role, reason, code, note, parameter and operation. The
site and the runner use this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from journalspec.observation import PHASES

Json = Any  # A JSON value, as in journalspec.observation.

#: The kinds of values. In JSON, an ``int`` is decimal text, and ``bytes`` are lower-case hex.
KINDS = ("int", "bytes", "str", "bool", "list", "object")
#: Name of an integer type -> its minimum and its maximum.
WIDTHS = {f"s{size}": (-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1) for size in (1, 2, 4, 8)} | {
    f"u{size}": (0, (1 << (8 * size)) - 1) for size in (1, 2, 4, 8)
}
OPERATIONS = ("read", "recover", "write")
#: The phase of refusal codes that only a writer uses.
WRITER = "writer"

_IN_PYTHON: dict[str, Any] = {"bool": bool, "list": list, "object": dict}
_INT = re.compile(r"0|-?[1-9][0-9]*")
_HEX = re.compile(r"([0-9a-f]{2})*")


# Fields are compared by identity, because they are looked up often.
@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Represents one named value: of a record, a header, the state, an operation, or a parameter.

    `editions` and `types` (of records) list where the value occurs. If a list is empty, the value occurs
    everywhere. `optional` describes when the value is omitted; if empty, it is never omitted. `low` and
    `high` bound an integer, or the length of bytes. `order` is how a list is sorted. `of` are the members of
    an object, or of each element of a list. `element` is the type of the elements of a list of plain values.
    `unseen` is the reason why no published case shows the value. A table of records has a `body` only if
    bodies are requested.
    """

    name: str
    kind: str
    doc: str
    low: int | None = None
    high: int | None = None
    width: str = ""
    editions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    optional: str = ""
    choices: tuple[str, ...] = ()
    element: str = ""
    order: str = ""
    of: tuple[Field, ...] = ()
    ops: tuple[str, ...] = ()
    default: str = ""
    unseen: str = ""
    body: bool = False

    def problems(self, value: Json, where: str, edition: str) -> Iterator[str]:
        """Yield the faults of the JSON value `value`, which is at the path `where`."""
        yield from self._plain(self.kind, value, where)
        if self.kind == "list" and isinstance(value, list):
            for index, item in enumerate(value):
                inside = f"{where}[{index}]"
                if self.of:
                    yield from members(self.of, item, inside, edition)
                else:
                    yield from self._plain(self.element, item, inside)
        elif self.kind == "object":
            yield from members(self.of, value, where, edition)

    def _plain(self, kind: str, value: Json, where: str) -> Iterator[str]:
        if not isinstance(value, _IN_PYTHON.get(kind, str)):
            yield f"{where}: {value!r} is no {kind}"
        elif kind == "int" and not _INT.fullmatch(value):
            yield f"{where}: {value!r} is not an integer in decimal text"
        elif kind == "bytes" and not _HEX.fullmatch(value):
            yield f"{where}: {value!r} is not lower-case hex"
        elif kind in ("int", "bytes"):
            size = int(value) if kind == "int" else len(value) // 2
            if (self.low is not None and size < self.low) or (self.high is not None and size > self.high):
                yield f"{where}: {size} is not within {self.bounds}"
        elif self.choices and kind == "str" and value not in self.choices:
            yield f"{where}: {value!r} is none of {', '.join(self.choices)}"

    @property
    def bounds(self) -> str:
        """The range as text, ``0..255``. An open end is empty."""
        low, high = ("" if end is None else str(end) for end in (self.low, self.high))
        return low if low == high else f"{low}..{high}"


@dataclass(frozen=True, slots=True)
class Entry:
    """Represents a name, its meaning and its editions. The name is a record type, role, reason, code, note or
    missing thing.

    For codes of refusals:

    - `phase`: the phase in which a reader refuses; `at`: the meaning of the refusal's place.
    - `advice`: the user's first step after such a refusal.

    For notes:

    - `file`, `off` and `text`: the meaning of these parts of the note. If it is empty, a note lacks the part.
    - `loss`: a tool does not report a journal with the note as clean, although recovery continues. With
      `tool`, `read` and `recover` may still report the journal as clean.
    - `absence`: the note means that something is missing. Nobody can know that if a file was unreadable.
    - `neighbour`: the note is proved by files next to the journal. Only implementations with the feature
      ``missing`` read these files. Therefore only they must report such notes.

    For missing things, `names` is the meaning of their names. `count` is the unit that is counted; it is
    empty if there is no number.

    For notes and missing things, `exact` means that a case lists all such codes. An answer with an additional
    code is wrong.

    For reasons, `whole` means that the record is intact, but other bytes exclude it.

    `unseen` is the reason why no published case shows the entry. A missing thing with such a reason is
    reported only by the command line.
    """

    name: str
    doc: str
    editions: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    phase: str = ""
    at: str = ""
    file: str = ""
    off: str = ""
    text: str = ""
    loss: bool = False
    absence: bool = False
    whole: bool = False
    region: str = ""
    names: str = ""
    count: str = ""
    neighbour: bool = False
    tool: bool = False
    exact: bool = False
    unseen: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Represents all tables of one format, each in the order of the file."""

    record_types: Mapping[str, Entry]
    fields: tuple[Field, ...]
    header: tuple[Field, ...]
    roles: Mapping[str, Entry]
    reasons: Mapping[str, Entry]
    codes: Mapping[str, Entry]
    notes: Mapping[str, Entry]
    state: tuple[Field, ...]
    params: tuple[Field, ...]
    operations: Mapping[str, tuple[Entry, tuple[Field, ...]]]
    framing: Mapping[str, str] = field(default_factory=dict)
    #: Maps ``records`` and ``dropped`` to the order of these lists. The runner compares the order.
    lists: Mapping[str, str] = field(default_factory=dict)
    #: The things that an answer may report as missing.
    missing: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of all record fields, each once."""
        return tuple(dict.fromkeys(item.name for item in self.fields))

    @property
    def bodies(self) -> frozenset[str]:
        """The names of record fields that hold users' data."""
        return frozenset(item.name for item in self.fields if item.body)

    @property
    def state_names(self) -> tuple[str, ...]:
        """The keys of the logical state."""
        return tuple(dict.fromkeys(item.name for item in self.state))

    def params_of(self, op: str, edition: str | None = None) -> dict[str, Field]:
        """Return a map from name to parameter, for the parameters that `op` accepts (in `edition`; if None,
        in any edition).
        """
        return {
            item.name: item
            for item in self.params
            if (not item.ops or op in item.ops)
            and (edition is None or not item.editions or edition in item.editions)
        }

    def fields_of(self, record_type: str, edition: str) -> tuple[Field, ...]:
        """Return the fields of a record type in an edition, in order."""
        return tuple(
            item for item in _standing(self.fields, edition) if not item.types or record_type in item.types
        )


def _standing(fields: Iterable[Field], edition: str) -> Iterator[Field]:
    return (item for item in fields if not item.editions or edition in item.editions)


@cache
def _by_name(fields: tuple[Field, ...], edition: str) -> Mapping[str, Field]:
    return {item.name: item for item in _standing(fields, edition)}


def members(fields: Iterable[Field], value: Json, where: str, edition: str) -> Iterator[str]:
    """Yield the unknown, missing and ill-typed members of the JSON object `value`."""
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is not an object"
        return
    known = _by_name(tuple(fields), edition)
    for name, inner in value.items():
        if name in known:
            yield from known[name].problems(inner, f"{where}.{name}", edition)
        else:
            yield f"{where}.{name}: no such field: known are {', '.join(known) or 'none'}"
    for name, item in known.items():
        if name not in value and not item.optional:
            yield f"{where}.{name}: missing"


def parse(data: Mapping[str, Any], editions: Sequence[str]) -> Vocabulary:
    """Return the vocabulary of the tables of a ``fields.toml``; raises ValueError that names the place."""
    known = {
        "record_types",
        "field",
        "header",
        "roles",
        "reasons",
        "codes",
        "notes",
        "missing",
        "state",
        "param",
        "operations",
        "framing",
        "layout",
        "lists",
    }
    _only(data, known, "fields.toml")
    types = _entries(data, "record_types", editions)
    codes = _entries(data, "codes", editions)
    for entry in codes.values():
        if entry.phase not in (*PHASES, WRITER):
            raise ValueError(f"codes.{entry.name}: phase {entry.phase!r} is none of {', '.join(PHASES)}")
    operations = {}
    for name, table in data.get("operations", {}).items():
        inner = {key: value for key, value in table.items() if key != "of"}
        entry = _entry(name, inner, f"operations.{name}", editions)
        operations[name] = (entry, _fields(table.get("of", ()), f"operations.{name}", editions, types))
    return Vocabulary(
        record_types=types,
        fields=_fields(data.get("field", ()), "field", editions, types),
        header=_fields(data.get("header", ()), "header", editions, types),
        roles=_entries(data, "roles", editions),
        reasons=_entries(data, "reasons", editions),
        codes=codes,
        notes=_entries(data, "notes", editions),
        state=_fields(data.get("state", ()), "state", editions, types),
        params=tuple(
            replace(item, optional="the default holds")
            for item in _fields(data.get("param", ()), "param", editions, types)
        ),
        operations=operations,
        framing=dict(data.get("framing", {})),
        lists=dict(data.get("lists", {})),
        missing=_entries(data, "missing", editions),
    )


def _only(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise ValueError(f"{where}: unknown key {unknown[0]!r}: known are {', '.join(sorted(known))}")


def _entries(data: Mapping[str, Any], key: str, editions: Sequence[str]) -> dict[str, Entry]:
    return {name: _entry(name, value, f"{key}.{name}", editions) for name, value in data.get(key, {}).items()}


def _entry(name: str, value: str | Mapping[str, Any], where: str, editions: Sequence[str]) -> Entry:
    if isinstance(value, str):
        return Entry(name, value)
    _only(value, set(Entry.__dataclass_fields__) - {"name"}, where)
    lists = {key: tuple(value[key]) for key in ("editions", "ops") if key in value}
    _choose(lists.get("editions", ()), editions, f"{where}.editions")
    _choose(lists.get("ops", ()), OPERATIONS, f"{where}.ops")
    try:
        return Entry(name, **{**value, **lists})
    except TypeError:
        raise ValueError(f"{where}: 'doc' is missing") from None


def _fields(
    rows: Iterable[Mapping[str, Any]],
    where: str,
    editions: Sequence[str],
    types: Mapping[str, Entry],
    outer: tuple[Field, ...] = (),
) -> tuple[Field, ...]:
    found: list[Field] = []
    for row in rows:
        inside = f"{where}.{row.get('name', '?')}"
        found.append(_field(row, inside, editions, types, (*outer, *found)))
    return tuple(found)


def _field(
    row: Mapping[str, Any],
    where: str,
    editions: Sequence[str],
    types: Mapping[str, Entry],
    outer: tuple[Field, ...],
) -> Field:
    _only(row, {*Field.__dataclass_fields__, "type", "range", "like"} - {"kind", "low", "high"}, where)
    values: dict[str, Any] = {
        key: value for key, value in row.items() if key not in ("type", "range", "like")
    }
    kind = row.get("type", "")
    if kind not in KINDS:
        raise ValueError(f"{where}: type {kind!r} is none of {', '.join(KINDS)}")
    for key in ("editions", "types", "choices", "ops"):
        values[key] = tuple(values.get(key, ()))
    _choose(values["editions"], editions, f"{where}.editions")
    _choose(values["types"], tuple(types), f"{where}.types")
    _choose(values["ops"], OPERATIONS, f"{where}.ops")
    values["of"] = _fields(row.get("of", ()), where, editions, types, outer)
    if "like" in row:
        values["of"] = next((item.of for item in outer if item.name == row["like"]), ())
    if kind == "list" and not values["of"] and values.get("element") not in KINDS[:4]:
        raise ValueError(f"{where}: a list needs 'of', or an element of {', '.join(KINDS[:4])}")
    low, high = _bounds(row, where)
    if kind == "int" and low is None and high is None:
        raise ValueError(f"{where}: an int needs a width of {', '.join(WIDTHS)}, or a range")
    if not values.get("name") or not values.get("doc"):
        raise ValueError(f"{where}: 'name' and 'doc' are needed")
    return Field(kind=kind, low=low, high=high, **values)


def _bounds(row: Mapping[str, Any], where: str) -> tuple[int | None, int | None]:
    width = row.get("width")
    if width is not None and width not in WIDTHS:
        raise ValueError(f"{where}: width {width!r} is none of {', '.join(WIDTHS)}")
    if "range" not in row:
        return WIDTHS[width] if width else (None, None)
    bounds = row["range"]
    if not isinstance(bounds, list) or [type(end) for end in bounds] != [int, int]:
        raise ValueError(f"{where}: the range {bounds!r} is no [lowest, highest] of two integers")
    low, high = bounds
    if low > high:
        raise ValueError(f"{where}: the range [{low}, {high}] is empty")
    return low, high


def _choose(given: Iterable[str], known: Iterable[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise ValueError(f"{where}: {name!r} is none of {', '.join(known)}")
