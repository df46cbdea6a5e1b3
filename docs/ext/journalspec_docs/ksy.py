"""Read Kaitai Struct schemas for documentation: types, fields, enums, no code.

Only features that the schemas of this project use are supported; any other feature raises a
:class:`SchemaProblem` that names the field, and never leaves a silent gap in a table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

_INTEGER = re.compile(r"([us])([1248])(le|be)?")
_FLOAT = re.compile(r"f([48])(le|be)?")
_SIZEOF = re.compile(r"sizeof<(\w+)>")
#: A constant with more characters than this is shown only in the listing of the schema, not in tables.
LONGEST_VALUE = 32
#: In sums, a size expression with more characters than this is replaced by the name of its field.
LONGEST_SIZE = 40
#: A type without a fixed size that is used in this many fields is not expanded in each of them.
ENCODING = 4
_TEXT = ("str", "strz")
_LINEAR = re.compile(r"[A-Za-z_0-9.]+( [+-] [A-Za-z_0-9.]+)*")


class SchemaProblem(ValueError):
    """The schema contains a feature that the documentation cannot show."""


@dataclass(frozen=True, slots=True)
class Extent:
    """A size or offset that may not be known until a file is read, as ``29 + len_gtrid``.

    It is `fixed` bytes, plus the expressions in `terms`, minus the expressions in `minus` (all in bytes).
    """

    fixed: int = 0
    terms: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()

    @classmethod
    def parse(cls, expression: str) -> Extent:
        """Return the extent of a schema's size expression: ``12``, ``len_a``, ``len_a - 24``, or anything."""
        text = expression.strip()
        if not _LINEAR.fullmatch(text):
            return cls(0, (text,))
        words = text.split(" ")
        total = cls()
        for sign, word in zip(["+", *words[1::2]], words[::2], strict=True):
            if word.isdigit():
                total = total + cls(int(sign + word))
            else:
                total = total + (cls(0, (word,)) if sign == "+" else cls(0, (), (word,)))
        return total

    def __add__(self, other: Extent) -> Extent:
        """Return the sum. The terms keep their order, and a term and its negative cancel."""
        terms = list(self.terms + other.terms)
        minus = []
        for part in self.minus + other.minus:
            if part in terms:
                terms.remove(part)
            else:
                minus.append(part)
        return Extent(self.fixed + other.fixed, tuple(terms), tuple(minus))

    @property
    def is_fixed(self) -> bool:
        """Whether the number of bytes is known from the schema alone."""
        return not self.terms and not self.minus

    def __str__(self) -> str:
        """Return ``29 + len_gtrid``, or ``len_record - 24``; a lone zero stays ``0``."""
        plus = [f"({part})" if re.search(r" [+-] ", part) else part for part in self.terms]
        minus = list(self.minus)
        if self.fixed > 0 or not plus:
            plus.insert(0, str(self.fixed))
        elif self.fixed < 0:
            minus.append(str(-self.fixed))
        return " + ".join(plus) + "".join(f" - {part}" for part in minus)


def offset_text(extent: Extent) -> str:
    """Return an offset in readable form: ``12 (0x0c)``, or an expression."""
    if extent.is_fixed:
        return f"{extent.fixed} (0x{extent.fixed:02x})"
    return str(extent)


@dataclass(frozen=True)
class Field:
    """One attribute of a type, with the data for a row of a field table."""

    id: str
    type: str
    offset: Extent
    size: Extent
    doc: str
    role: str
    requirements: tuple[str, ...] = ()
    enum: str = ""
    value: str = ""
    allowed: str = ""
    condition: str = ""
    repeat: str = ""
    original: str = ""
    #: The depth of the field in expanded types; 0 for a field of the type itself.
    depth: int = 0
    #: Whether the following fields, one level deeper, are the parts of this field.
    is_group: bool = False
    #: The size of the field if its condition holds.
    there: Extent = Extent()
    #: If the type depends on another field: (value of that field, type).
    cases: tuple[tuple[str, str], ...] = ()
    decided_by: str = ""


@dataclass(frozen=True)
class EnumEntry:
    """One value of an enum."""

    value: int
    id: str
    doc: str = ""
    original: str = ""


@dataclass(frozen=True)
class Type:
    """One type: its fields in file order, then its computed fields.

    A field of another type that occurs exactly once is followed by that type's fields, one level deeper.
    """

    name: str
    doc: str
    fields: tuple[Field, ...]
    size: Extent
    instances: tuple[Field, ...] = ()
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True)
class KsySchema:
    """One ``.ksy`` file. `types` maps names to types. Nested types have dotted names; the root has the id of
    the schema.
    """

    id: str
    path: Path
    title: str
    endian: str
    types: Mapping[str, Type]
    enums: Mapping[str, tuple[EnumEntry, ...]] = field(default_factory=dict)


def load(path: Path) -> KsySchema:
    """Read one ``.ksy`` file; raises SchemaProblem that names the file."""
    try:
        # The parser of libyaml takes a tenth of the time, but it may not be installed.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        data = yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506 - both are safe loaders
        return _Reader(data, path).schema()
    except (yaml.YAMLError, KeyError, SchemaProblem) as error:
        raise SchemaProblem(f"{path.name}: {error}") from error


class _Reader:
    def __init__(self, data: dict[str, Any], path: Path) -> None:
        self.data = data
        self.path = path
        self.raw = dict(_flatten(data, data["meta"]["id"]))
        self.done: dict[str, Type] = {}
        self.active: list[str] = []
        uses = (str(item.get("type", "")) for body in self.raw.values() for item in body.get("seq", ()))
        self.uses = Counter(uses)

    def schema(self) -> KsySchema:
        meta = self.data["meta"]
        enums: dict[str, tuple[EnumEntry, ...]] = {}
        for body in self.raw.values():
            for name, values in body.get("enums", {}).items():
                enums[name] = tuple(_enum_entry(value, entry) for value, entry in values.items())
        types = {name: self.type(name) for name in self.raw}
        title = str(meta.get("title", meta["id"]))
        return KsySchema(meta["id"], self.path, title, str(meta.get("endian", "")), types, enums)

    def type(self, name: str) -> Type:
        if name in self.done:
            return self.done[name]
        if name in self.active:
            raise SchemaProblem(f"type {name} contains itself")
        self.active.append(name)
        body = self.raw[name]
        offset = Extent()
        fields: list[Field] = []
        for number, attribute in enumerate(body.get("seq", ())):
            row = self.field(attribute, offset, number)
            inner = self.inner(attribute)
            fields.append(replace(row, is_group=bool(inner)))
            fields += [replace(item, depth=item.depth + 1, offset=offset + item.offset) for item in inner]
            offset = offset + row.size
        instances = tuple(
            self.instance({"id": key, **value}) for key, value in body.get("instances", {}).items()
        )
        self.active.pop()
        doc = "\n\n".join(filter(None, map(_clean, str(body.get("doc", "")).split("\n\n"))))
        self.done[name] = Type(name, doc, tuple(fields), offset, instances, _requirements(body))
        return self.done[name]

    def inner(self, attribute: dict[str, Any]) -> tuple[Field, ...]:
        """Return the fields of this attribute's type, if the attribute occurs exactly once; else none."""
        target = str(attribute.get("type", ""))
        if target not in self.raw or "repeat" in attribute or "if" in attribute:
            return ()
        return () if self.is_encoding(target) else self.type(target).fields

    def is_encoding(self, target: str) -> bool:
        """Return whether a type of variable length is used so often that its fields are shown only in its own
        section.
        """
        return self.uses[target] >= ENCODING and not self.type(target).size.is_fixed

    def field(self, attribute: dict[str, Any], offset: Extent, number: int) -> Field:
        name = str(attribute.get("id", f"(unnamed {number})"))
        return Field(
            id=name,
            type=self.type_name(attribute),
            offset=offset,
            size=self.size(attribute, name),
            doc=_clean(attribute.get("doc", "")),
            role=field_role(attribute, name),
            requirements=_requirements(attribute),
            enum=str(attribute.get("enum", "")),
            value=_fixed_value(attribute),
            allowed=_allowed(attribute),
            condition=str(attribute.get("if", "")),
            repeat=_repeat(attribute),
            original=str(attribute.get("-orig-id", "")),
            there=self.size_there(attribute, name),
            cases=_cases(attribute.get("type")),
            decided_by=str(attribute["type"]["switch-on"]) if isinstance(attribute.get("type"), dict) else "",
        )

    def instance(self, attribute: dict[str, Any]) -> Field:
        """Return an instance as a field: a computed value without bytes, or a structure at its ``pos``."""
        computed = "value" in attribute
        return Field(
            id=str(attribute["id"]),
            type="expression" if computed else self.type_name(attribute),
            offset=Extent.parse(str(attribute.get("pos", 0))),
            size=Extent(),
            doc=_clean(attribute.get("doc", "")),
            role="value",
            requirements=_requirements(attribute),
            enum=str(attribute.get("enum", "")),
            value=str(attribute["value"]) if computed else _fixed_value(attribute),
        )

    def type_name(self, attribute: dict[str, Any]) -> str:
        kind = attribute.get("type")
        if kind is None:
            return "bytes"
        if isinstance(kind, dict):
            return "one of: " + ", ".join(str(case) for case in kind["cases"].values())
        text = str(kind)
        if match := _INTEGER.fullmatch(text):
            sign, width, _ = match.groups()
            return f"{'u' if sign == 'u' else ''}int{int(width) * 8}"
        if match := _FLOAT.fullmatch(text):
            return f"float{int(match[1]) * 8}"
        return "text" if text in _TEXT else self.target(text, str(attribute.get("id", "without id")))

    def size(self, attribute: dict[str, Any], name: str) -> Extent:
        one = self.size_there(attribute, name)
        varies = "if" in attribute and not (one.is_fixed and one.fixed == 0)
        return Extent(0, (f"size({name})",)) if varies else one

    def size_there(self, attribute: dict[str, Any], name: str) -> Extent:
        one = self.element_size(attribute, name)
        repeat = attribute.get("repeat")
        if repeat == "expr" and one.is_fixed:
            count = str(attribute["repeat-expr"])
            one = (
                Extent(one.fixed * int(count)) if count.isdigit() else Extent(0, (f"{one.fixed} * {count}",))
            )
        elif repeat is not None:
            one = Extent(0, (f"size({name})",))
        return one

    def element_size(self, attribute: dict[str, Any], name: str) -> Extent:
        if "contents" in attribute:
            return Extent(len(_contents(attribute["contents"])))
        if "size" in attribute:
            expression = _SIZEOF.sub(self.sizeof, str(attribute["size"]))
            plain = len(expression) <= LONGEST_SIZE and "?" not in expression
            return Extent.parse(expression if plain else f"size({name})")
        if _is_empty(attribute):
            return Extent()
        if attribute.get("size-eos"):
            return Extent(0, (f"size({name})",))
        kind = attribute.get("type")
        if isinstance(kind, dict) or kind in _TEXT or "terminator" in attribute:
            return Extent(0, (f"size({name})",))
        text = str(kind)
        if match := _INTEGER.fullmatch(text):
            return Extent(int(match[2]))
        if match := _FLOAT.fullmatch(text):
            return Extent(int(match[1]))
        target = self.target(text, name)
        return Extent(0, (f"size({name})",)) if self.is_encoding(target) else self.type(target).size

    def sizeof(self, match: re.Match[str]) -> str:
        """Return the number for ``sizeof<type>`` if the size is fixed."""
        size = self.type(match[1]).size if match[1] in self.raw else Extent(0, (match[0],))
        return str(size)

    def target(self, text: str, name: str) -> str:
        """Return the type of the field `name`; raises SchemaProblem."""
        found = re.sub(r"\(.*\)$", "", text).split("::")[-1]
        if found not in self.raw:
            raise SchemaProblem(f"field {name}: type {text} is neither built in nor described in this file")
        return found


def _flatten(body: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield name, body
    for inner, nested in body.get("types", {}).items():
        yield from _flatten(nested, inner)


def _enum_entry(value: object, entry: object) -> EnumEntry:
    number = value if isinstance(value, int) else int(str(value), 0)
    if isinstance(entry, dict):
        original = str(entry.get("-orig-id", ""))
        return EnumEntry(number, str(entry["id"]), _clean(entry.get("doc", "")), original)
    return EnumEntry(number, str(entry))


def _cases(kind: object) -> tuple[tuple[str, str], ...]:
    """Return (value, type) of a field whose type depends on another field; enum values by name."""
    if not isinstance(kind, dict):
        return ()
    return tuple(
        ("else" if str(value) == "_" else str(value).rpartition("::")[2], str(name).split("::")[-1])
        for value, name in kind["cases"].items()
    )


def _requirements(body: Mapping[str, Any]) -> tuple[str, ...]:
    found = body.get("-requirement", body.get("-requirements", ()))
    return (found,) if isinstance(found, str) else tuple(found)


def _clean(text: object) -> str:
    return " ".join(str(text).split())


def _contents(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8")
    if not isinstance(value, list):
        raise SchemaProblem(f"contents is neither text nor a list: {value!r}")
    return b"".join(item.encode("utf-8") if isinstance(item, str) else bytes([item]) for item in value)


def _is_empty(attribute: Mapping[str, Any]) -> bool:
    """Return whether the schema requires this attribute to be empty."""
    valid = attribute.get("valid")
    return isinstance(valid, dict) and valid.get("eq") == "[].as<bytes>"


def _fixed_value(attribute: Mapping[str, Any]) -> str:
    """Return the only value that the schema permits, if there is exactly one and it is short."""
    if "contents" in attribute:
        data = _contents(attribute["contents"])
        return data.hex(" ") if len(data) <= LONGEST_VALUE else ""
    if _is_empty(attribute):
        return "empty"
    valid = attribute.get("valid")
    if isinstance(valid, dict):
        one = "min" in valid and valid["min"] == valid.get("max")
        valid = valid["min"] if one else valid.get("eq")
    return "" if valid is None else _number(valid)


def _allowed(attribute: Mapping[str, Any]) -> str:
    """Return the values that the schema permits, if there are several."""
    valid = attribute.get("valid")
    if not isinstance(valid, dict) or _fixed_value(attribute):
        return ""
    if "any-of" in valid:
        return "one of " + ", ".join(_number(item) for item in valid["any-of"])
    if "expr" in valid:
        return str(valid["expr"])
    if valid.get("in-enum"):
        return "a value of the enum"
    bounds = [
        f"{'>=' if key == 'min' else '<='} {_number(valid[key])}" for key in ("min", "max") if key in valid
    ]
    return " and ".join(bounds)


def _number(value: object) -> str:
    return f"{value} (0x{value:x})" if isinstance(value, int) and value > 255 else str(value)


def _repeat(attribute: Mapping[str, Any]) -> str:
    kind = attribute.get("repeat")
    if kind == "expr":
        return f"{attribute['repeat-expr']} times"
    if kind == "until":
        return f"until {attribute['repeat-until']}"
    return "to the end" if kind == "eos" else ""


def field_role(attribute: Mapping[str, Any], name: str) -> str:
    """Return the role of a field, which determines its colour in a diagram.

    One of magic, type, length, pointer, check, payload, value. A ``-role`` key in the schema decides; without
    it, Kaitai's naming conventions decide.
    """
    if "-role" in attribute:
        return str(attribute["-role"])
    if "contents" in attribute:
        return "magic"
    if "enum" in attribute:
        return "type"
    named = role_of_name(name)
    if named != "value":
        return named
    if "size" in attribute or attribute.get("type") in _TEXT or attribute.get("type") is None:
        return "payload"
    return "value" if _INTEGER.fullmatch(str(attribute.get("type"))) else "payload"


def role_of_name(name: str) -> str:
    """Return the role that follows from a field's name, or ``value``."""
    if name.startswith("magic") or name.endswith("_marker"):
        return "magic"
    words = set(name.split("_"))
    if words & {"len", "num", "size", "length", "count"}:
        return "length"
    if words & {"ofs", "position", "tail", "pointer"}:
        return "pointer"
    if words & {"crc", "crc32", "checksum", "adler32"}:
        return "check"
    return "value"
