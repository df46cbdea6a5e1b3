"""The bytes of a format: which fields a structure has, in order, from ``[layout]`` of its ``fields.toml``.

Builders, schemas, hexdumps and labels of damage all read this one table. A
structure (``header``, ``record`` ...) is a list of fields; what holds in some
editions or record types only says which. The keys of a field:

- ``type``: ``s1 u1 s2 u2 s4 u4 s8 u8`` (big-endian), ``bytes`` or ``list``.
- Bytes have a ``size``, a constant ``text``, a ``length`` (the field that holds
  it), they are the ``rest``, or end where what the field ``fills`` counts ends.
- A list has as many elements as the field ``count`` says (none if negative), each
  of the fields ``of``. The path of a member is ``each[0].member``, or ``each[0]``
  if it bears the name of the element itself.
- ``counts``: the value is the length of the fields from the first to the second
  (``all``: of the structure); ``any``: but readers do not look at it.
- ``check``: a checksum, ``crc32`` of the fields that it ``covers`` (``before``: all
  before it), or a rule that the format gives under that name.
- ``same``: the value of another field. ``column``: that column of the record type.
- ``default`` (0 or nothing), ``low`` and ``high`` of a sound value, ``optional``
  (there is no part where it is empty), ``show`` (how people see the value).
"""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

#: How many bytes of a long value people are shown.
HEAD = 16


class Part(NamedTuple):
    """One field: its path within the structure, and its bytes."""

    name: str
    data: bytes


#: A checksum that is more than a CRC of what is stored, from the parts of the structure.
Rule = Callable[[Sequence[Part]], int]


class Spot(NamedTuple):
    """One field of bytes that were read: its path, where it stands, and its value as people see it."""

    name: str
    off: int
    length: int
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field of a structure; the module's docstring says what the keys mean."""

    name: str
    type: str
    size: int = 0
    text: str = ""
    length: str = ""
    rest: bool = False
    fills: str = ""
    count: str = ""
    each: str = ""
    of: tuple[Field, ...] = ()
    counts: tuple[str, ...] = ()
    any: bool = False
    check: str = ""
    covers: tuple[str, ...] = ()
    same: str = ""
    column: str = ""
    default: int | str = 0
    low: int | None = None
    high: int | None = None
    optional: bool = False
    show: str = "plain"
    ksy: str = ""
    editions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    #: Whether it is an integer, and a signed one.
    is_int: bool = field(init=False)
    signed: bool = field(init=False)
    #: The bytes that it always has; 0: it depends.
    width: int = field(init=False)

    def __post_init__(self) -> None:
        is_int = self.type[1:].isdigit()
        object.__setattr__(self, "is_int", is_int)
        object.__setattr__(self, "signed", self.type[0] == "s")
        object.__setattr__(self, "width", int(self.type[1:]) if is_int else self.size or len(self.text))

    @property
    def constant(self) -> bytes:
        """The bytes that it always has; empty: it varies."""
        return self.text.encode("ascii")

    def integer(self, data: bytes) -> int:
        """Return the integer that `data` stores."""
        return int.from_bytes(data, "big", signed=self.signed)

    def path(self, index: int, member: str) -> str:
        """Return the path of a member of element `index` of this list."""
        return f"{self.each}[{index}]" + ("" if member == self.each else f".{member}")

    def shown(self, value: Any) -> str:
        """Return `value` (an integer or bytes) as people see it."""
        if not self.show:
            return ""
        if self.is_int:
            if self.show == "plain":
                return str(value)
            if self.show == "bool":
                return str(value == 1).lower()
            if self.show in ("0x", "unsigned"):
                value %= 1 << (8 * self.width)
            return f"0x{value:08x}" if self.show == "0x" else str(value)
        if self.show == "line":
            return self.text.partition("\r\n")[0]
        if self.text and self.show == "plain":
            return self.text.replace("\r", "CR ").replace("\n", "LF ").strip()
        data = bytes(value)
        if self.show in ("ascii", "latin-1"):
            return data.decode(self.show, "replace")
        return ("0x" if self.show == "0x" else "") + (data[:HEAD] if self.show == "head" else data).hex()


def integer(value: int, width: int) -> bytes:
    """Return `value` big-endian in `width` bytes, two's complement."""
    return (value % (1 << (8 * width))).to_bytes(width, "big")


@dataclass(frozen=True)
class Structure:
    """The fields of one structure in one edition (and of one record type), in stored order."""

    name: str
    ksy: str
    fields: tuple[Field, ...]
    #: Name of the field that holds a length or count -> the field that has it.
    measures: Mapping[str, Field]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(item.name for item in self.fields)

    @cached_property
    def checks(self) -> frozenset[str]:
        """The names of the fields whose value follows from the others in sound bytes."""
        return frozenset(
            item.name
            for item in self.fields
            if item.check or item.same or (item.counts and not item.any and item.name not in self.measures)
        )

    @cached_property
    def counted(self) -> Mapping[str, str]:
        """Name of a field -> the field that counts from there on, if another one fills what it counts."""
        return {
            item.counts[0]: item.name for item in self.fields if item.counts and item.name in self.measures
        }

    @property
    def size(self) -> int:
        """The bytes that it has at least, all that varies being empty."""
        return sum(item.width for item in self.fields)


class Layout:
    """The structures of one format, read when they are first asked for.

    `rules` are the checksums that the table calls by a name of the format's own.
    """

    def __init__(self, format_id: str, rules: Mapping[str, Rule] | None = None) -> None:
        self.format_id = format_id
        self._rules = rules or {}
        self.structure = cache(self._structure)
        self.types = cache(self._types)
        self._names = cache(lambda edition: {code: name for name, code in self._types(edition).items()})

    @cached_property
    def _table(self) -> Mapping[str, Any]:
        text = files("journalspec").joinpath(self.format_id, "fields.toml").read_text(encoding="utf-8")
        table: Mapping[str, Any] = tomllib.loads(text)["layout"]
        return table

    @cached_property
    def _rows(self) -> tuple[tuple[Mapping[str, Any], tuple[Field, ...]], ...]:
        return tuple((row, tuple(map(_field, row["fields"]))) for row in self._table["structure"])

    @cached_property
    def type_field(self) -> str:
        """The field that holds a record's type."""
        return str(self._table["type_field"])

    def _types(self, edition: str) -> Mapping[str, int]:
        return {row["name"]: row["number"] for row in self._table["types"] if _holds(row, edition)}

    def type_name(self, edition: str, number: int) -> str:
        """Return the name of a record type; empty: there is none with this number."""
        return self._names(edition).get(number, "")

    def column(self, name: str) -> Mapping[int, str]:
        """Return record type number -> what the table says of it under `name`."""
        return {row["number"]: row[name] for row in self._table["types"] if name in row}

    def _structure(self, name: str, edition: str, kind: str = "") -> Structure:
        """Return a structure of an edition, for the record type `kind`; raises KeyError if there is none."""
        if kind and kind not in self.types(edition):
            raise KeyError(f"{edition} has no {kind}")
        for row, known in self._rows:
            if row["name"] == name and _holds(row, edition):
                own = tuple(
                    item
                    for item in known
                    if (not item.editions or edition in item.editions)
                    and (not kind or not item.types or kind in item.types)
                )
                measured = {item.length or item.count or item.fills: item for item in own}
                return Structure(name, row["ksy"], own, measured)
        raise KeyError(f"{edition} has no {name}")

    def encode(self, name: str, edition: str, values: Mapping[str, Any], kind: str = "") -> list[Part]:
        """Return the parts of a structure in stored order.

        `values` gives any field by its name: an integer (stored modulo its width),
        bytes, or of a list a sequence of mappings or of values of the element itself.
        A record's type may be given by name. What is left out is computed: lengths,
        counts, and last of all checksums, over the fields as they then stand. Raises
        KeyError for an edition, structure or type that there is not, TypeError for a
        field that the structure does not have.
        """
        form = self.structure(name, edition, kind)
        unknown = sorted(set(values) - set(form.names))
        if unknown:
            raise TypeError(
                f"a {kind or name} of {edition} has no {', '.join(unknown)}: "
                f"there are {', '.join(form.names)}"
            )
        return _Encoding(self, form, edition, self._typed(edition, values, kind)).parts()

    def _typed(self, edition: str, values: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
        given = values.get(self.type_field, kind)
        return (
            {**values, self.type_field: self.types(edition)[given]}
            if given and isinstance(given, str)
            else values
        )

    def checksum(self, rule: str, parts: Sequence[Part]) -> int:
        """Return the checksum of the format's own `rule` over the parts of a structure."""
        return self._rules[rule](parts)

    def read(self, name: str, edition: str, data: bytes, kind: str = "") -> dict[str, Any]:
        """Return the values of a sound structure that `data` begins with, lists as lists of mappings."""
        out: dict[str, Any] = {}
        for item, path, raw in self._walk(name, edition, data, kind):
            value = item.integer(raw) if item.is_int else raw
            head, bracket, rest = path.partition("[")
            if not bracket:
                out[path] = value
            else:
                index, _, member = rest.partition("]")
                rows = out.setdefault(head, [])
                if int(index) == len(rows):
                    rows.append({})
                rows[-1][member.removeprefix(".") or head] = value
        return out

    def spans(self, name: str, edition: str, data: bytes) -> Iterator[Spot]:
        """Yield the fields of a sound structure that `data` begins with, but those without a byte."""
        at = 0
        for item, path, raw in self._walk(name, edition, data):
            if length := len(raw):
                value: Any = item.integer(raw) if item.is_int else raw
                text = item.shown(value)
                if path == self.type_field:
                    text += " " + (self.type_name(edition, value) or "OTHER")
                yield Spot(path, at, length, text)
                at += length

    def _walk(
        self, name: str, edition: str, data: bytes, kind: str = ""
    ) -> Iterator[tuple[Field, str, bytes]]:
        """Yield field, path and bytes, as far as a sound structure has them."""
        if not kind and self._first == (name, self.type_field):
            kind = self.type_name(edition, data[0])
        form = self.structure(name, edition, kind)
        numbers: dict[str, int] = {}
        #: Where the fields begin that a field counts which another one fills.
        starts: dict[str, int] = {}
        at = 0
        for item in form.fields:
            if item.name in form.counted:
                starts[form.counted[item.name]] = at
            if item.type == "list":
                for index in range(numbers[item.count]):
                    for member in item.of:
                        end = at + (member.width or numbers[member.length])
                        raw = data[at:end]
                        if member.is_int:
                            numbers[member.name] = member.integer(raw)
                        yield member, item.path(index, member.name), raw
                        at = end
                continue
            if item.width:
                end = at + item.width
            elif item.fills:
                end = starts[item.fills] + numbers[item.fills]
            else:
                end = len(data) if item.rest else at + numbers[item.length]
            raw = data[at:end]
            if item.name in form.measures:
                numbers[item.name] = item.integer(raw)
            yield item, item.name, raw
            at = end

    @cached_property
    def _first(self) -> tuple[str, str]:
        """The structure whose fields depend on its type, which it then begins with."""
        return next(
            ((row["name"], known[0].name) for row, known in self._rows if any(item.types for item in known)),
            ("", ""),
        )


def _holds(row: Mapping[str, Any], edition: str) -> bool:
    return "editions" not in row or edition in row["editions"]


_KEYS = frozenset(item.name for item in fields(Field) if item.init)
_TUPLES = ("editions", "types")


def _field(row: Mapping[str, Any]) -> Field:
    """Return the field of a row of the table; raises ValueError for a key or reference that is none."""
    if unknown := sorted(set(row) - _KEYS):
        raise ValueError(f"layout: {row.get('name')}: unknown key {unknown[0]!r}")
    own = {**row, **{key: tuple(row[key]) for key in _TUPLES if key in row}}
    for key in ("counts", "covers"):
        if key in row:
            own[key] = (row[key],) if isinstance(row[key], str) else tuple(row[key])
    return Field(**{**own, "of": tuple(map(_field, row.get("of", ())))})


class _Encoding:
    """One structure while it is put together."""

    def __init__(self, layout: Layout, form: Structure, edition: str, values: Mapping[str, Any]) -> None:
        self._layout = layout
        self._form = form
        self._values = dict(values)
        self._parts: list[Part] = []
        #: Name of a field -> the index of its first part, and that behind its last.
        self._places: dict[str, tuple[int, int]] = {}

    def parts(self) -> list[Part]:
        """Return the parts; lengths over several fields come last but for checksums."""
        for item in self._form.fields:
            start = len(self._parts)
            self._put(item)
            self._places[item.name] = (start, len(self._parts))
        pending = [item for item in self._form.fields if item.name not in self._values]
        for item in (item for item in pending if item.counts):
            first, last = self._range(item, item.counts)
            self._settle(item, sum(len(part.data) for part in self._parts[first:last]))
        for item in (item for item in pending if item.check):
            if item.check == "crc32":
                first, last = self._range(item, item.covers)
                value = zlib.crc32(b"".join(part.data for part in self._parts[first:last]))
            else:
                value = self._layout.checksum(item.check, self._parts)
            self._settle(item, value)
        return self._parts

    def _put(self, item: Field) -> None:
        if item.type == "list":
            for index, row in enumerate(self._values.get(item.name, ())):
                self._parts += [Part(item.path(index, part.name), part.data) for part in self._row(item, row)]
            return
        if item.counts or item.check:
            data = integer(self._values.get(item.name, 0), item.width)
        elif item.is_int:
            data = integer(self._values.setdefault(item.name, self._number(item)), item.width)
        else:
            data = self._values.setdefault(item.name, self._bytes(item))
        if data or not item.optional:
            self._parts.append(Part(item.name, data))

    def _number(self, item: Field) -> int:
        measured = self._form.measures.get(item.name)
        return int(item.default) if measured is None else len(self._values.get(measured.name, b""))

    def _bytes(self, item: Field) -> bytes:
        if item.same:
            return bytes(self._values[item.same])
        if item.column:
            number = int(self._values.get(self._layout.type_field, 0))
            return self._layout.column(item.column).get(number, str(item.default)).encode("ascii")
        return item.constant or bytes(item.width)

    @staticmethod
    def _row(item: Field, row: Any) -> list[Part]:
        """Return the parts of one element, given as a mapping or as the value of the element itself."""
        given = dict(row) if isinstance(row, Mapping) else {item.each: row}
        parts = []
        for member in item.of:
            measured = next((known.name for known in item.of if known.length == member.name), "")
            if member.is_int:
                value = given.get(member.name, len(given.get(measured, b"")) if measured else 0)
                parts.append(Part(member.name, integer(value, member.width)))
            else:
                parts.append(Part(member.name, given[member.name]))
        return parts

    def _range(self, item: Field, ends: Sequence[str]) -> tuple[int, int]:
        """Return the first part that `ends` names and the index behind the last."""
        if ends == ("all",):
            return 0, len(self._parts)
        if ends == ("before",):
            return 0, self._places[item.name][0]
        return self._places[ends[0]][0], self._places[ends[1]][1]

    def _settle(self, item: Field, value: int) -> None:
        index, _ = self._places[item.name]
        self._parts[index] = Part(item.name, integer(value, item.width))


def joined(parts: Sequence[Part]) -> bytes:
    """Return the bytes of all parts."""
    return b"".join(part.data for part in parts)
