"""The language of ``contents/FAMILY.toml``, which describes the bytes of contents, and a naive decoder for
this language.

A family (``openwire``, ``core``, ``page`` ...) is a set of types. A type consists of fields in stored order:

- ``type``: a form of :mod:`journalspec.numbers`, ``bytes``, ``text``, ``none`` (no bytes) or a type of the
  family. Bytes and texts have a ``size``. If a type has a size, its fields must take exactly that many bytes.
- ``on`` and ``cases``: the value of another field chooses the type; ``otherwise`` is for all other values.
- ``count``: the field is a list. The count or size ``rest`` means: up to the end of the enclosing type with a
  size, or of the data.
- Sizes and counts are a number, a field, or a field ``+ - * /`` a number or field. Below 0 means absent.
- ``when = ["field", alternative, ...]``: the condition for its presence. An alternative is a number, true,
  false, ``"!0"`` (not 0), ``"&8"`` (one of these bits is set), ``"<9"``, ``">=9"`` or ``"9..12"``.
- ``since`` and ``until``: the first and last version with the field. ``left``: only if bytes are left.
- ``const``: the only valid value (of bytes, as hex digits); ``low`` and ``high``: its bounds.

``outer.field`` is a field of the nearest enclosing structure that has one of that name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple

from journalspec import mutf8
from journalspec.formats import get_format
from journalspec.numbers import NUMBERS

#: The maximum depth of nested types.
MOST_DEPTH = 64
#: Encoding of texts -> its name for users.
ENCODINGS: Mapping[str, str] = {
    "utf8": "UTF-8",
    "mutf8": "modified UTF-8",
    "utf16le": "UTF-16, the low byte first",
    "utf16be": "UTF-16, the high byte first",
    "latin1": "ISO 8859-1",
}
_PYTHON = {"utf16le": "utf-16-le", "utf16be": "utf-16-be"}
_EXPRESSION = re.compile(r"(-?\d+|[a-z][\w.]*)(?: ([-+*/]) (\d+|[a-z][\w.]*))?")
_ALTERNATIVE = re.compile(r"(!|&|<|>=)(-?\w+)|(-?\w+)\.\.(-?\w+)")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
#: Two sets: names that YAML or a language of the generated parsers reserves, and number forms that Kaitai has
#: as types.
TABLE: Mapping[str, Any] = tomllib.loads(
    files("journalspec").joinpath("families.toml").read_text(encoding="utf-8")
)
_TAKEN = frozenset(TABLE["taken"].split())
_REAL = NUMBERS["f8"]


class ContentsError(ValueError):
    """Bytes do not fit their table; `off` is the offset of the fault."""

    def __init__(self, reason: str, off: int) -> None:
        super().__init__(f"{reason}, at byte {off}")
        self.off = off


def text_of(data: bytes, encoding: str) -> str:
    """Return the text of `data`; bytes that are invalid in the encoding become U+FFFD."""
    if encoding == "mutf8":
        return mutf8.readable(data)
    return data.decode(_PYTHON.get(encoding, encoding), "replace")


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a type; the module's docstring explains the keys."""

    name: str
    type: str = ""
    doc: str = ""
    requirement: tuple[str, ...] = ()
    size: str = ""
    count: str = ""
    encoding: str = ""
    on: str = ""
    cases: Mapping[int, str] = field(default_factory=dict)
    otherwise: str = ""
    when: tuple[Any, ...] = ()
    since: str = ""
    until: str = ""
    left: bool = False
    const: int | str | None = None
    low: int | None = None
    high: int | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """The possible types of the field."""
        return tuple(dict.fromkeys(filter(None, (self.type, *self.cases.values(), self.otherwise))))

    def kind(self, value_of: Callable[[str], int]) -> str:
        """Return the type that the field has for these values of other fields. Return an empty text if they
        select no type.
        """
        return self.cases.get(value_of(self.on), self.otherwise) if self.on else self.type

    @property
    def references(self) -> tuple[str, ...]:
        """The other fields that determine this field's presence, type and length."""
        found = [self.on, *self.when[:1]]
        for text in filter(None, (self.size, self.count)):
            found += [part for part in terms(text) if isinstance(part, str) and part not in "+-*/"]
        return tuple(dict.fromkeys(name for name in found if name and name != "rest"))

    def refuses(self, value: Any) -> bool:
        """Return whether the table forbids the value `value`."""
        if isinstance(self.const, str):
            return bool(value != bytes.fromhex(self.const))
        wrong = self.const is not None and value != self.const
        low, high = self.low is not None and value < self.low, self.high is not None and value > self.high
        return bool(wrong or low or high)


@dataclass(frozen=True, slots=True)
class Shape:
    """Represents one type of a family, with its fields in stored order."""

    name: str
    doc: str
    fields: tuple[Member, ...]
    source: str = ""
    requirement: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Family:
    """Represents the types of a family by name.

    A type in `roots` can be decoded without an enclosing type.
    """

    format_id: str
    name: str
    title: str
    source: str
    versions: tuple[str, ...]
    roots: tuple[str, ...]
    types: Mapping[str, Shape]
    doc: str = ""
    requirement: tuple[str, ...] = ()

    def has(self, member: Member, version: str) -> bool:
        """Return whether a version has a field."""
        at = self.versions.index
        return (not member.since or at(version) >= at(member.since)) and (
            not member.until or at(version) <= at(member.until)
        )

    @cached_property
    def needs(self) -> Mapping[str, tuple[str, ...]]:
        """Return, for each type, the names that it uses from enclosing structures: fields and ``version``."""
        found: dict[str, set[str]] = {name: set() for name in self.types}
        before = -1
        while before < (before := sum(map(len, found.values()))):
            for name, shape in self.types.items():
                own = {member.name for member in shape.fields}
                for member in shape.fields:
                    outer = (each for each in member.references if each.startswith("outer."))
                    found[name] |= {each.removeprefix("outer.") for each in outer}
                    found[name] |= {"version"} if member.since or member.until else set()
                    for inner in member.types:
                        found[name] |= found.get(inner, set()) - own
        return {name: tuple(sorted(wanted)) for name, wanted in found.items()}


@cache
def terms(text: str) -> tuple[int | str, ...]:
    """Return the terms of a size or count: one term, or two terms with the operator between them."""
    found = _EXPRESSION.fullmatch(text)
    if found is None:
        raise ValueError(f"no size: {text}")
    parts = [part for part in found.groups() if part]
    return tuple(int(part) if part.lstrip("-").isdigit() else part for part in parts)


def evaluate(text: str, value_of: Callable[[str], int]) -> int:
    """Return a size or count; `value_of` returns the value of a field."""
    first, *more = terms(text)
    left = int(value_of(first) if isinstance(first, str) else first)
    if not more:
        return left
    sign, second = more
    right = int(value_of(second) if isinstance(second, str) else second)
    if sign == "/":
        return left // right if right else -1
    return left + right if sign == "+" else left - right if sign == "-" else left * right


@cache
def alternative(wanted: Any) -> tuple[str, int, int]:
    """Return an alternative of ``when`` as three values: its sign (``=`` for a plain number, ``..`` for a
    range), and two numbers.
    """
    if isinstance(wanted, int):
        # Some products write true as the byte ff.
        return "!" if wanted is True else "=", 0 if wanted is True else int(wanted), 0
    found = _ALTERNATIVE.fullmatch(str(wanted))
    if found is None:
        raise ValueError(f"no alternative: {wanted}")
    sign, number, low, high = found.groups()
    return (sign, int(number, 0), 0) if sign else ("..", int(low, 0), int(high, 0))


def holds(wanted: Sequence[Any], value: int) -> bool:
    """Return whether `value` is one of the alternatives."""
    for sign, low, high in map(alternative, wanted):
        if (
            (sign == "=" and value == low)
            or (sign == "!" and value != low)
            or (sign == "&" and value & low != 0)
            or (sign == "<" and value < low)
            or (sign == ">=" and value >= low)
            or (sign == ".." and low <= value <= high)
        ):
            return True
    return False


def values_of(scopes: Sequence[Mapping[str, Any]]) -> Callable[[str], int]:
    """Return a function that maps a field's name to its value in the last of `scopes`, or in an earlier scope
    after ``outer``.

    The function raises KeyError if the field is absent.
    """

    def value_of(name: str) -> int:
        plain = name.removeprefix("outer.")
        for scope in reversed(scopes[:-1] if plain != name else scopes[-1:]):
            if scope.get(plain) is not None:
                return int(scope[plain])
        raise KeyError(name)

    return value_of


def asked(member: Member, value_of: Callable[[str], int]) -> bool:
    """Return whether the condition ``when`` is true. `value_of` raises KeyError for an absent field."""
    try:
        return not member.when or holds(member.when[1:], value_of(member.when[0]))
    except KeyError:
        return False


@cache
def families(format_id: str) -> Mapping[str, Family]:
    """Return the families of a format's contents by name; raises ValueError for an invalid table."""
    room = get_format(format_id).root.joinpath("contents")
    paths = sorted(room.iterdir(), key=lambda path: path.name) if room.is_dir() else ()
    names = {path.name.removesuffix(".toml"): path for path in paths if path.name.endswith(".toml")}
    return {
        name: load(format_id, name, path.read_text(encoding="utf-8"))
        for name, path in names.items()
        if name != "tables"
    }


def load(format_id: str, name: str, text: str) -> Family:
    """Return the family that a table describes. For an invalid table, it raises ValueError that names the
    type and the field.
    """
    where = f"{format_id}/contents/{name}.toml"
    try:
        data = tomllib.loads(text)
        rows, about = data.pop("type"), {key: _frozen(value) for key, value in data.items()}
        about["roots"] = about.pop("root")
        types = {row["name"]: _shape(row) for row in rows}
        family = Family(format_id, name, versions=about.pop("versions", ("",)), types=types, **about)
        if len(types) < len(rows):
            raise ValueError("duplicate type")
        for shape in types.values():
            for problem in _problems(family, shape):
                raise ValueError(problem)
        for root in family.roots:
            if wanted := {*family.needs[root]} - {"version"} if root in types else {"a type"}:
                raise ValueError(f"{root} is a root, but needs {', '.join(sorted(wanted))}")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error
    return family


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _shape(row: Mapping[str, Any]) -> Shape:
    known = {each.name for each in fields(Member)}
    members = []
    for item in row["fields"]:
        if unknown := sorted(set(item) - known):
            raise ValueError(f"{row['name']}.{item.get('name')}: no such key: {unknown[0]}")
        keys = {key: _frozen(value) for key, value in item.items()}
        keys["cases"] = {int(key, 0): value for key, value in item.get("cases", {}).items()}
        keys |= {key: str(keys[key]) for key in ("size", "count", "since", "until") if key in keys}
        members.append(Member(**keys))
    rest = {key: _frozen(value) for key, value in row.items() if key != "fields"}
    return Shape(fields=tuple(members), **rest)


def _problems(family: Family, shape: Shape) -> Iterator[str]:
    """Yield the faults in the definition of a type."""
    if not _NAME.fullmatch(shape.name) or shape.name in {*NUMBERS, *_TAKEN, "bytes", "text", "none"}:
        yield f"{shape.name}: not a valid name for a type"
    before: dict[str, Member] = {}
    for member in shape.fields:
        where = f"{shape.name}.{member.name}"
        if not _NAME.fullmatch(member.name) or member.name in {*before, *_TAKEN}:
            yield f"{where}: not a valid name for a field, or a duplicate"
        yield from (f"{where}: {problem}" for problem in _wrong(family, member))
        asked = [name for name in member.references if not name.startswith("outer.")]
        asked += [name for kind in member.types for name in family.needs.get(kind, ()) if name in before]
        for name in asked:
            found = before.get(name)
            if found is None or found.count or NUMBERS.get(found.type, _REAL).real:
                yield f"{where}: {name} is not an earlier number field"
            elif found.left or (
                name not in member.when[:1] and not conditions(found, before) <= conditions(member, before)
            ):
                yield f"{where}: {name} may be missing: make both a type, or repeat its conditions here"
        before[member.name] = member


def conditions(member: Member, before: Mapping[str, Member]) -> set[Any]:
    """Return the conditions for the presence of a field; `before` are the earlier fields of its type."""
    found = {("when", member.when), ("since", member.since), ("until", member.until)}
    inner = conditions(before[member.when[0]], before) if member.when and member.when[0] in before else set()
    return {each for each in found if each[1]} | inner


def _wrong(family: Family, member: Member) -> Iterator[str]:
    for kind in member.types:
        if kind not in {*NUMBERS, "bytes", "text", "none", *family.types}:
            yield f"no type {kind}"
        if (kind in ("bytes", "text") and not member.size) or (member.type in NUMBERS and member.size):
            yield f"{kind} with a size, or without one"
        if kind == "text" and member.encoding not in ENCODINGS:
            yield f"no encoding {member.encoding!r}"
    if bool(member.type) == bool(member.on) or bool(member.on) != bool(member.cases):
        yield "either a type, or `on` and `cases`"
    if member.on and (member.count or member.size or "text" in member.types):
        yield "no list, no text and nothing with a size may be chosen: make it a type"
    if isinstance(member.const, str) and member.type != "bytes":
        yield "only bytes have digits as their constant"
    for version in filter(None, (member.since, member.until)):
        if version not in family.versions:
            yield f"no version {version}"
    for wanted in member.when[1:]:
        alternative(wanted)


#: A function that is called for each present field with its type, the field, its start, its end, and its
#: value. Nested fields come before the enclosing field. `depth` is the number of enclosing types.
See = Callable[[int, Shape, Member, int, int, Any], None]


def decode(
    family: Family, name: str, data: bytes, version: str = "", see: See | None = None
) -> dict[str, Any]:
    """Return the fields of `data`, decoded as a type, by name: numbers, text, bytes, mappings and lists.

    Absent fields are omitted. The default `version` is the last one. Raises ContentsError for bytes that do
    not fit the table, or that are too few or too many. The function takes time and memory linear in the
    number of bytes.
    """
    reader = _Reader(family, data, version or family.versions[-1], see)
    found, at = reader.shape(family.types[name], 0, len(data), ())
    if at < len(data):
        raise ContentsError(f"{len(data) - at} bytes after {name}", at)
    return found


class Leaf(NamedTuple):
    """Represents a field without nested fields: its dotted path, its start and end offset, and its value."""

    path: str
    start: int
    end: int
    value: Any


def leaves(family: Family, name: str, data: bytes, version: str = "") -> list[Leaf]:
    """Return the fields without nested fields, in stored order; raises like :func:`decode`.

    Elements of a list have the list's name, without a number.
    """
    found: list[Leaf] = []
    #: Maps the depth of a type to the number of leaves at the end of its last complete field.
    marks = [0] * (MOST_DEPTH + 1)

    def see(depth: int, _: Shape, member: Member, start: int, end: int, value: Any) -> None:
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict):
            for at in range(max(marks[: depth + 1]), len(found)):
                found[at] = found[at]._replace(path=f"{member.name}.{found[at].path}")
        elif end > start:
            found.append(Leaf(member.name, start, end, value))
        marks[depth] = len(found)

    decode(family, name, data, version, see)
    return found


class _Reader:
    """The state of one run of the naive decoder, which reads the bytes once, from left to right."""

    def __init__(self, family: Family, data: bytes, version: str, see: See | None) -> None:
        self.family = family
        self.data = data
        self.version = version
        self.see = see
        # Elements may be empty. Without this limit, a count could create any number of elements from a few
        # bytes.
        self.elements = len(data) + 1

    def shape(
        self, shape: Shape, at: int, end: int, outer: tuple[dict[str, Any], ...]
    ) -> tuple[dict[str, Any], int]:
        """Return the fields of a type at `at`, and the offset after the type."""
        if len(outer) >= MOST_DEPTH:
            raise ContentsError(f"types nest deeper than {MOST_DEPTH}", at)
        found: dict[str, Any] = {}
        scopes = (*outer, found)
        for member in shape.fields:
            here, value = at, None
            try:
                kind, size, number = self.form(member, at, end, scopes)
                if kind and not member.count:
                    value, at = self.value(member, kind, at, end, size, scopes)
                elif kind:
                    value = rows = list[Any]()
                    while at < end if number is None else len(rows) < number:
                        self.elements -= 1
                        if self.elements < 0:
                            raise ContentsError(f"{member.name}: more elements than bytes", at)
                        row, at = self.value(member, kind, at, end, size, scopes)
                        rows.append(row)
            except (IndexError, KeyError) as error:
                raise ContentsError(
                    f"{shape.name}.{member.name}: the bytes end, or {error} is missing", here
                ) from error
            if value is not None:
                found[member.name] = value
                if self.see is not None:
                    self.see(len(outer), shape, member, here, at, value)
        return found, at

    def form(
        self, member: Member, at: int, end: int, scopes: tuple[dict[str, Any], ...]
    ) -> tuple[str, int | None, int | None]:
        """Return the type, size and count of a field at `at`. The type is empty if the field is absent."""
        value_of = values_of(scopes)
        there = self.family.has(member, self.version) and not (member.left and at >= end)
        if not there or not asked(member, value_of):
            return "", None, None
        kind = member.kind(value_of)
        if not kind:
            raise ContentsError(f"{member.name}: no type has the number {value_of(member.on)}", at)
        size = None if member.size in ("", "rest") else evaluate(member.size, value_of)
        number = None if member.count in ("", "rest") else evaluate(member.count, value_of)
        return "" if (size or 0) < 0 or (number or 0) < 0 else kind, size, number

    def value(
        self,
        member: Member,
        kind: str,
        at: int,
        end: int,
        size: int | None,
        scopes: tuple[dict[str, Any], ...],
    ) -> tuple[Any, int]:
        """Return one value of the type `kind`, and the offset after the value.

        Without a `size`, the value extends at most to `end`.
        """
        stop = end if size is None else at + size
        if stop > end:
            raise ContentsError(f"{member.name}: {size} bytes wanted, {end - at} are left", at)
        value: Any = None
        after = at
        if kind in self.family.types:
            value, after = self.shape(self.family.types[kind], at, stop, scopes)
        elif kind in NUMBERS:
            value, after = NUMBERS[kind].read(self.data, at)
        elif kind != "none":
            value, after = self.data[at:stop], stop
            value = text_of(value, member.encoding) if kind == "text" else value
        if after > stop:
            raise IndexError("its size")
        if size is not None and after < stop:
            raise ContentsError(f"{member.name}: {stop - after} bytes after its end", after)
        if value is not None and member.refuses(value):
            raise ContentsError(f"{member.name}: {value!r} is not a value of it", at)
        return value, after
