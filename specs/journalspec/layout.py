"""The layout of the bytes of a format.

The table ``[layout]`` of ``fields.toml`` lists the fields of each structure in order.

Builders, schemas, hexdumps and labels of damage all read this one table. A structure (``header``, ``record``
...) is a list of fields. If an entry is only for certain editions or record types, it lists them. The keys of
a field:

- ``type``: ``s1 u1 s2 u2 s4 u4 s8 u8`` (big-endian), ``bytes`` or ``list``.
- The length of bytes is given by a ``size``, by a constant ``text``, by the value of the field ``length``, or
  by ``rest`` (all remaining bytes). With ``fills``, the bytes extend to the end of the range whose length
  that other field contains.
- A list has the number of elements in the field ``count`` (none if negative), each with the fields ``of``.
  The path of a member is ``each[0].member``, or ``each[0]`` if it has the name of the element itself.
- ``counts``: the value is the length of the fields from the first to the second (``all``: of the structure).
  With ``any``, readers ignore the value.
- ``check``: the value is a checksum. It is either ``crc32`` of the fields that it ``covers`` (``before``: all
  fields before it), or computed by a rule that the format defines under that name.
- ``same``: the value equals that of another field. ``column``: the value is that column of the record type.
- ``default`` (0 or empty); ``low`` and ``high``, the bounds of a valid value; ``show``, its form for people.
- ``optional``: an empty part has no bytes. An integer is None if the range that it ``fills`` has no room for
  it.
"""

from __future__ import annotations

import struct
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

_LETTERS = {"s1": "b", "u1": "B", "s2": "h", "u2": "H", "s4": "i", "u4": "I", "s8": "q", "u8": "Q"}
#: The number of bytes of a long value that are shown.
HEAD = 16


class Part(NamedTuple):
    """Represents one field: its path within the structure, and its bytes."""

    name: str
    data: bytes


#: A checksum other than a CRC of the stored bytes: (bytes by field, values by field) -> number.
Rule = Callable[[Mapping[str, bytes], Mapping[str, Any]], int]


class Spot(NamedTuple):
    """Represents one field in bytes that were read: its path, its offset and length, and its value as text
    for people.
    """

    name: str
    off: int
    length: int
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field of a structure; the module's docstring explains the keys."""

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
    #: Whether the field is an integer, and whether it is signed.
    is_int: bool = field(init=False)
    signed: bool = field(init=False)
    #: The length of the field in bytes, or 0 if the length varies.
    width: int = field(init=False)
    #: For a list: each field of its elements, with the field whose length that field contains, if any.
    members: tuple[tuple[Field, str], ...] = field(init=False)

    def __post_init__(self) -> None:
        is_int = self.type[1:].isdigit()
        object.__setattr__(self, "is_int", is_int)
        object.__setattr__(self, "signed", self.type[0] == "s")
        object.__setattr__(self, "width", int(self.type[1:]) if is_int else self.size or len(self.text))
        measured = {member.length: member.name for member in self.of if member.length}
        members = tuple((member, measured.get(member.name, "")) for member in self.of)
        object.__setattr__(self, "members", members)

    @property
    def letter(self) -> str:
        """The letter of the field's type in the module ``struct``."""
        return _LETTERS[self.type] if self.is_int else f"{self.width}s"

    @property
    def constant(self) -> bytes:
        """The constant content of the field. It is empty if the content varies."""
        return self.text.encode("ascii")

    def absent(self, values: Mapping[str, Any]) -> bool:
        """Return whether `values` show that this field is absent."""
        return self.optional and values.get(self.name, 0) is None

    def integer(self, data: bytes) -> int:
        """Return the integer that `data` stores."""
        return int.from_bytes(data, "big", signed=self.signed)

    def path(self, index: int, member: str) -> str:
        """Return the path of a member of element `index` of this list."""
        return f"{self.each}[{index}]" + ("" if member == self.each else f".{member}")

    def shown(self, value: Any) -> str:
        """Return `value` (an integer or bytes) as text for people."""
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
    """Represents the fields of one structure in one edition (and of one record type), in stored order."""

    name: str
    ksy: str
    fields: tuple[Field, ...]
    #: Maps the name of a field that contains a length or count to the field that it measures.
    measures: Mapping[str, Field]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(item.name for item in self.fields)

    @cached_property
    def checked(self) -> tuple[Field, ...]:
        """The fields whose values follow from other fields in valid bytes."""
        return tuple(
            item
            for item in self.fields
            if item.check or item.same or (item.counts and not item.any and item.name not in self.measures)
        )

    def range(self, item: Field, ends: Sequence[str]) -> tuple[str, str]:
        """Return the names of the first and the last field that `item` counts or covers."""
        if ends == ("all",):
            return self.names[0], self.names[-1]
        if ends == ("before",):
            return self.names[0], self.names[self.names.index(item.name) - 1]
        return ends[0], ends[1]

    def places(self, values: Mapping[str, Any]) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Return start and end of each field if the fields of variable length have these values."""
        starts: dict[str, int] = {}
        ends: dict[str, int] = {}
        at = 0
        for item in self.fields:
            starts[item.name] = at
            if item.width:
                at += 0 if item.absent(values) else item.width
            elif item.type == "list":
                fixed = sum(member.width for member in item.of)
                varying = [member.name for member in item.of if not member.width]
                at += sum(fixed + sum(len(row[name]) for name in varying) for row in values[item.name])
            else:
                at += len(values.get(item.name, b""))
            ends[item.name] = at
        return starts, ends

    @cached_property
    def counted(self) -> Mapping[str, str]:
        """A map from the first field of each range that ends with a ``fills`` field to the field with the
        length of the range.
        """
        return {
            item.counts[0]: item.name for item in self.fields if item.counts and item.name in self.measures
        }

    def off(self, name: str) -> int:
        """Return the offset of a field if all earlier fields of variable length are empty."""
        return sum(item.width for item in self.fields[: self.names.index(name)])

    def packed(self, first: str = "", last: str = "") -> struct.Struct:
        """Return the struct of the fields from `first` to `last`, or of all fields. Their lengths must be
        fixed.
        """
        start = self.names.index(first) if first else 0
        end = self.names.index(last) if last else len(self.names) - 1
        return struct.Struct(">" + "".join(item.letter for item in self.fields[start : end + 1]))

    @property
    def size(self) -> int:
        """The structure's minimum length in bytes, with all fields of variable length empty."""
        return sum(item.width for item in self.fields)


class Layout:
    """The structures of one format, read on first use.

    `rules` are the checksum functions of the format, by the names in the table.
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
    def structure_names(self) -> tuple[str, ...]:
        """The names of all structures, in the order of the table."""
        return tuple(dict.fromkeys(row["name"] for row, _ in self._rows))

    @cached_property
    def inner(self) -> Mapping[str, Any]:
        """The table about the field of a record whose bytes a separate .ksy describes: the `field`, that
        `ksy`, and its `names`. It is empty if there is no such field.

        The described bytes begin at the field `from`. Names are shown `without` some parts; some fields are
        `hidden`.
        """
        found: Mapping[str, Any] = self._table.get("inner", {})
        return found

    @cached_property
    def contents(self) -> Sequence[Mapping[str, Any]]:
        """Rows that assign a type to the bytes of a field. `of` is ``family.type``. `on` are the values of
        other fields for which the row applies.
        """
        found: Sequence[Mapping[str, Any]] = self._table.get("contents", ())
        return found

    def held(self, field: str, data: bytes, values: Mapping[str, int] = {}) -> tuple[str, str] | None:
        """Return family and type of a field's content, given other fields' `values`, or None."""
        for row in self.contents:
            if row["field"] != field or not row.get("on", {}).items() <= values.items():
                continue
            if any(data.startswith(bytes.fromhex(each)) for each in row.get("starts", [""])):
                family, _, shape = row["of"].partition(".")
                return family, shape
        return None

    @cached_property
    def page(self) -> Mapping[str, Any]:
        """Data for the web page that reads a file in a browser. Readers do not use this data."""
        found: Mapping[str, Any] = self._table.get("page", {})
        return found

    @cached_property
    def type_field(self) -> str:
        """The field that contains a record's type."""
        return str(self._table["type_field"])

    def _types(self, edition: str) -> Mapping[str, int]:
        return {row["name"]: row["number"] for row in self._table["types"] if _holds(row, edition)}

    def ksy(self, edition: str) -> tuple[str, Mapping[str, Any]]:
        """Return the name of an edition's .ksy, and the arguments for its types."""
        row = dict(self._table["ksy"][edition])
        return str(row.pop("file")), row

    def behind(self, edition: str, header: Mapping[str, Any]) -> str:
        """Return the edition whose tables apply to the records of a file with this header."""
        for row in self._table.get("behind", ()):
            if edition in row["editions"] and header.get(row["field"]) == row["value"]:
                return str(row["edition"])
        return edition

    def laid_as(self, edition: str) -> tuple[str, ...]:
        """Return the editions whose tables can apply to an edition's records, its own edition first."""
        rows = self._table.get("behind", ())
        return (edition, *(str(row["edition"]) for row in rows if edition in row["editions"]))

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The structures with which a record can begin: those in `heads` of the table, or only `record`."""
        return tuple(self._table.get("heads", ("record",)))

    def whole(self, edition: str) -> tuple[str, ...]:
        """The types of a ``.ksy`` for complete records.

        The structures in `heads` may describe only the beginnings of records.
        """
        return tuple(self._table.get("whole", (self.structure("record", edition).ksy,)))

    def has(self, name: str, edition: str) -> bool:
        """Return whether an edition has the structure `name`."""
        return any(row["name"] == name and _holds(row, edition) for row, _ in self._rows)

    def type_name(self, edition: str, number: int) -> str:
        """Return the name of a record type. Return an empty text if no type has this number."""
        return self._names(edition).get(number, "")

    def by_type(self, name: str) -> bool:
        """Return whether a structure's fields depend on the record type. If so, the first field is the record
        type.
        """
        return name == self._by_type

    def kind_at(self, name: str, edition: str, data: Any) -> str:
        """Return the record type of the structure at the start of `data`, or "" if all types have the same
        fields.
        """
        return self.type_name(edition, data[0]) if name == self._by_type and len(data) else ""

    def column(self, name: str) -> Mapping[int, str]:
        """Return a map from the number of a record type to the table's entry for it under `name`."""
        return {row["number"]: row[name] for row in self._table["types"] if name in row}

    def _structure(self, name: str, edition: str, kind: str = "") -> Structure:
        """Return a structure of an edition for the record type `kind`; raises KeyError if there is none."""
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

        `values` has fields by name: an integer (stored modulo its width), bytes, or for a list a sequence of
        mappings or of plain element values. A record's type may be given by name. Omitted fields are
        computed: first lengths and counts, then checksums over the resulting fields. Raises KeyError for an
        unknown edition, structure or type, TypeError for a field that the structure does not have.
        """
        form = self.structure(name, edition, kind)
        unknown = sorted(set(values) - set(form.names))
        if unknown:
            raise TypeError(
                f"a {kind or name} of {edition} has no {', '.join(unknown)}: "
                f"there are {', '.join(form.names)}"
            )
        return _Encoding(self, form, edition, self._typed(edition, values, kind)).parts()

    def build(self, name: str, edition: str, kind: str = "", /, **values: Any) -> bytes:
        """Return the bytes of a structure; raises as :meth:`encode` does."""
        return joined(self.encode(name, edition, values, kind))

    def _typed(self, edition: str, values: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
        given = values.get(self.type_field, kind)
        return (
            {**values, self.type_field: self.types(edition)[given]}
            if given and isinstance(given, str)
            else values
        )

    def checksum(self, rule: str, stored: Mapping[str, bytes], values: Mapping[str, Any]) -> int:
        """Return the checksum of a structure's bytes and values by the format's own `rule`."""
        return self._rules[rule](stored, values)

    def problem(self, name: str, edition: str, values: Mapping[str, Any], data: bytes) -> str:
        """Return the fault of values that were read from `data`. Return an empty text if there is no fault.

        The function checks lengths, and fields whose values follow from other fields.
        """
        kind = self.kind_at(name, edition, data)
        if self.by_type(name) and not kind:
            return f"{data[:1].hex()} is not a record type"
        form = self.structure(name, edition, kind)
        starts, ends = form.places(values)
        if ends[form.names[-1]] != len(data):
            return f"its lengths do not add up to {len(data)}"
        for item in form.checked:
            if item.counts:
                first, last = form.range(item, item.counts)
                wanted: Any = ends[last] - starts[first]
            elif item.same:
                wanted = values[item.same]
            elif item.check == "crc32":
                first, last = form.range(item, item.covers)
                wanted = zlib.crc32(data[starts[first] : ends[last]])
            else:
                stored = {field: data[starts[field] : ends[field]] for field in form.names}
                wanted = self.checksum(item.check, stored, values)
            if values[item.name] != wanted:
                return f"{item.name} is {item.shown(values[item.name])}, not {item.shown(wanted)}"
        return ""

    def read(self, name: str, edition: str, data: bytes, kind: str = "") -> dict[str, Any]:
        """Return the values of the valid structure at the start of `data`, lists as lists of mappings."""
        form = self.structure(name, edition, kind or self.kind_at(name, edition, data))
        lists = {item.each: item.name for item in form.fields if item.each}
        out: dict[str, Any] = {item: [] for item in lists.values()}
        for item, path, raw in _walk(form, data):
            value: Any = item.integer(raw) if item.is_int else raw
            if item.is_int and item.optional and not raw:
                value = None
            head, bracket, rest = path.partition("[")
            if not bracket:
                out[path] = value
                continue
            rows = out[lists[head]]
            if int(rest.partition("]")[0]) == len(rows):
                rows.append({})
            rows[-1][item.name] = value
        return out

    def spans(self, name: str, edition: str, data: bytes) -> Iterator[Spot]:
        """Yield the fields of the valid structure at the start of `data`, without empty fields."""
        at, form = 0, self.structure(name, edition, self.kind_at(name, edition, data))
        for item, path, raw in _walk(form, data):
            if length := len(raw):
                value: Any = item.integer(raw) if item.is_int else raw
                text = item.shown(value)
                if path == self.type_field:
                    text += " " + (self.type_name(edition, value) or "OTHER")
                yield Spot(path, at, length, text)
                at += length

    @cached_property
    def _by_type(self) -> str:
        return next((row["name"] for row, known in self._rows if any(item.types for item in known)), "")

    def claimed_end(self, name: str, edition: str, data: Any, off: int, end: int) -> int:
        """Return the end of the structure at `off` according to its own length fields, valid or not.

        The result is 0 if the fixed part reaches beyond `end`, and -1 if a length is negative. Only the fixed
        part is read, so that a search over many candidates takes linear time. This requires that all lengths
        are in the fixed part, before the variable parts.
        """
        form = self.structure(name, edition, self.kind_at(name, edition, data[off : off + 1]))
        stop = off + form.size
        if stop > end:
            return 0
        at = off
        for item in form.fields:
            if measured := form.measures.get(item.name):
                value = item.integer(data[at : at + item.width])
                if value < 0:
                    return -1
                stop += value * (sum(member.width for member in measured.of) or 1)
            at += item.width
        return stop


def _walk(form: Structure, data: bytes) -> Iterator[tuple[Field, str, bytes]]:
    """Yield (field, path, bytes) of a valid structure in time that is linear in the length of `data`."""
    numbers: dict[str, int] = {}
    #: Maps the length field of each range that ends with a ``fills`` field to the start of the range.
    starts: dict[str, int] = {}
    at = 0
    for item in form.fields:
        if item.name in form.counted:
            starts[form.counted[item.name]] = at
        if item.type == "list":
            for index in range(numbers[item.count]):
                # Counts and lengths are not trusted. The loop over elements stops at the end of the
                # bytes.
                if at >= len(data):
                    break
                for member in item.of:
                    end = at + (member.width or max(0, numbers[member.length]))
                    raw = data[at:end]
                    if member.is_int:
                        numbers[member.name] = member.integer(raw)
                    yield member, item.path(index, member.name), raw
                    at = end
            continue
        if item.width:
            end = at + item.width
            if item.fills:
                end = min(end, starts[item.fills] + numbers[item.fills])
        elif item.fills:
            end = starts[item.fills] + numbers[item.fills]
        else:
            end = len(data) if item.rest else at + numbers[item.length]
        raw = data[at:end]
        if item.name in form.measures:
            numbers[item.name] = item.integer(raw)
        yield item, item.name, raw
        at = end


def _holds(row: Mapping[str, Any], edition: str) -> bool:
    return "editions" not in row or edition in row["editions"]


_KEYS = frozenset(item.name for item in fields(Field) if item.init)
_TUPLES = ("editions", "types")


def _field(row: Mapping[str, Any]) -> Field:
    """Return the field of a row of the table; raises ValueError for an unknown key or reference."""
    if unknown := sorted(set(row) - _KEYS):
        raise ValueError(f"layout: {row.get('name')}: unknown key {unknown[0]!r}")
    own = {**row, **{key: tuple(row[key]) for key in _TUPLES if key in row}}
    for key in ("counts", "covers"):
        if key in row:
            own[key] = (row[key],) if isinstance(row[key], str) else tuple(row[key])
    return Field(**{**own, "of": tuple(map(_field, row.get("of", ())))})


class _Encoding:
    """A structure under construction."""

    def __init__(self, layout: Layout, form: Structure, edition: str, values: Mapping[str, Any]) -> None:
        self._layout = layout
        self._form = form
        self._values = dict(values)
        self._parts: list[Part] = []
        #: Name of a field -> index of its first part, and the index after its last part.
        self._places: dict[str, tuple[int, int]] = {}

    def parts(self) -> list[Part]:
        """Return the parts. Lengths over several fields are computed after all other fields, and checksums
        after the lengths.
        """
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
                stored = {part.name: part.data for part in self._parts}
                value = self._layout.checksum(item.check, stored, self._values)
            self._settle(item, value)
        return self._parts

    def _put(self, item: Field) -> None:
        if item.type == "list":
            given = self._values.get(item.name, ())
            rows = [row if isinstance(row, Mapping) else {item.each: row} for row in given]
            self._values[item.name] = rows
            for index, row in enumerate(rows):
                self._put_row(item, index, row)
            return
        if item.absent(self._values):
            data = b""
        elif item.counts or item.check:
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

    def _put_row(self, item: Field, index: int, row: Mapping[str, Any]) -> None:
        """Add the parts of one element of a list."""
        for member, measured in item.members:
            if member.is_int:
                value = row[member.name] if member.name in row else len(row[measured]) if measured else 0
                data = integer(value, member.width)
            else:
                data = row[member.name]
            self._parts.append(Part(item.path(index, member.name), data))

    def _range(self, item: Field, ends: Sequence[str]) -> tuple[int, int]:
        """Return the index of the first part of the fields `ends`, and the index after the last one."""
        first, last = self._form.range(item, ends)
        return self._places[first][0], self._places[last][1]

    def _settle(self, item: Field, value: int) -> None:
        index, _ = self._places[item.name]
        self._parts[index] = Part(item.name, integer(value, item.width))


def joined(parts: Sequence[Part]) -> bytes:
    """Return the bytes of all parts, joined."""
    return b"".join(part.data for part in parts)
