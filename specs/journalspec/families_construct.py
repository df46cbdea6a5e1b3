"""Families of contents as construct's structures: they parse strictly, and build what they parsed.

Texts are bytes there, as stored, and what is not there is None; :func:`plain` makes of that, or of what a
generated Kaitai parser found, what the naive decoder gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from io import BytesIO
from typing import Any

from construct import (
    Construct,
    ConstructError,
    Error,
    GreedyBytes,
    LazyBound,
    Pass,
    StreamError,
    Struct,
    Subconstruct,
    Switch,
    ValidationError,
)
from construct.core import evaluate as given
from construct.core import stream_write

from journalspec.elements import Blob, Checked, Counted, While, ahead
from journalspec.families import ContentsError, Family, Member, evaluate, holds, text_of
from journalspec.families_ksy import PACKED
from journalspec.numbers import NUMBERS, Number


class Stored(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """A number in one of the forms that tables know; a compressed one is built in its shortest form."""

    def __init__(self, number: Number) -> None:
        super().__init__()
        self.number = number

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        try:
            value, size = self.number.read(ahead(stream, 10), 0)
        except IndexError as error:
            raise StreamError(str(error), path=path) from None
        stream.read(size)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        data = self.number.write(obj)
        stream_write(stream, data, len(data), path)
        return obj


class There(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """`subcon` if `test` says so, else None; None is built as nothing."""

    def __init__(self, test: Callable[[Any], bool], subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.test = test

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        return self.subcon._parsereport(stream, context, path) if self.test(context) else None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return obj if obj is None else self.subcon._build(obj, stream, context, path)


class Area(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """`subcon` in so many bytes, which it has to fill; built however long it is."""

    def __init__(self, size: Callable[[Any], int], subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.area = Blob(size)

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        inner = BytesIO(self.area._parsereport(stream, context, path))
        found = self.subcon._parsereport(inner, context, path)
        if rest := len(inner.read()):
            raise ValidationError(f"{rest} bytes behind it", path=path)
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.subcon._build(obj, stream, context, path)


def parse(family: Family, name: str, data: bytes, version: str = "") -> Any:
    """Return a type as a construct container; raises ContentsError."""
    stream = BytesIO(data)
    try:
        found = schema(family, name, version or family.versions[-1]).parse_stream(stream)
    except (ConstructError, RecursionError) as error:
        raise ContentsError(str(error), stream.tell()) from error
    if stream.tell() < len(data):
        raise ContentsError(f"more bytes than {name} has", stream.tell())
    return found


@cache
def schema(family: Family, name: str, version: str) -> Construct[Any, Any]:
    """Return the construct of a type in a version."""
    members = [each for each in family.types[name].fields if family.has(each, version)]
    return Struct(*(each.name / _element(family, each, version) for each in members))


def _value_of(context: Any) -> Callable[[str], int]:
    """Return what gives the value of a field that a table refers to; it raises KeyError if that is not there."""

    def value_of(name: str) -> int:
        plain, scope = name.removeprefix("outer."), context
        if plain != name:
            scope = context["_"]
            while plain not in scope or scope[plain] is None:
                scope = scope["_"]
        if scope.get(plain) is None:
            raise KeyError(name)
        return int(scope[plain])

    return value_of


def _element(family: Family, member: Member, version: str) -> Construct[Any, Any]:
    def measured(context: Any) -> int:
        return evaluate(member.size, _value_of(context))

    def counted(context: Any) -> int:
        return evaluate(member.count, _value_of(context))

    def there(context: Any) -> bool:
        if member.left and not ahead(given(context._io, context), 1):
            return False
        try:
            wanted = not member.when or holds(member.when[1:], _value_of(context)(member.when[0]))
        except KeyError:
            return False
        return wanted and all(of(context) >= 0 for of in limits)

    def one(kind: str) -> Construct[Any, Any]:
        if kind in family.types:
            return LazyBound(lambda: schema(family, kind, version))
        if kind in NUMBERS:
            return Stored(NUMBERS["u1" if kind == "bool" else kind])
        if kind == "none":
            return Pass
        return GreedyBytes if member.size == "rest" or member.on else Blob(measured)

    limits = [
        of for text, of in ((member.size, measured), (member.count, counted)) if text not in ("", "rest")
    ]
    if member.on:
        cases = {number: one(kind) for number, kind in member.cases.items()}
        default = one(member.otherwise) if member.otherwise else Error
        found: Construct[Any, Any] = Switch(lambda context: _value_of(context)(member.on), cases, default)
    else:
        found = one(member.type)
    if member.const is not None or member.low is not None or member.high is not None:
        found = Checked(found, lambda value, _: not member.refuses(value), "a value of it")
    if measured in limits and (member.on or member.type in family.types):
        found = Area(measured, found)
    if member.count == "rest":
        found = While(lambda stream, _: bool(ahead(stream, 1)), found)
    elif member.count:
        found = Counted(counted, found)
    return There(there, found) if limits or member.when or member.left else found


def plain(
    family: Family, name: str, tree: Any, version: str, outer: tuple[Mapping[str, Any], ...] = ()
) -> dict[str, Any]:
    """Return what :func:`~journalspec.families.decode` gives, of a type as construct or Kaitai has it."""
    found: dict[str, Any] = {}
    scopes = ({"_": None}, *outer, found)

    def value_of(reference: str) -> int:
        wanted = reference.removeprefix("outer.")
        inner = scopes[:-1] if wanted != reference else scopes[-1:]
        return int(next(scope[wanted] for scope in reversed(inner) if wanted in scope))

    def value(member: Member, raw: Any) -> Any:
        kind = member.cases.get(value_of(member.on), member.otherwise) if member.on else member.type
        if kind in family.types:
            return plain(family, kind, raw, version, scopes[1:])
        raw = getattr(raw, "value", raw) if member.on else raw
        if kind in PACKED and not isinstance(raw, int):
            return raw.high << 32 | raw.low if kind == "clong" else raw.amount
        if kind == "bool":
            return bool(raw)
        return text_of(bytes(raw), member.encoding) if kind == "text" else raw

    for member in family.types[name].fields:
        raw = tree.get(member.name) if isinstance(tree, Mapping) else getattr(tree, member.name, None)
        nothing = (
            member.on and member.cases.get(value_of(member.on), member.otherwise) == "none"
            if raw is not None
            else True
        )
        if not nothing:
            found[member.name] = [value(member, each) for each in raw] if member.count else value(member, raw)
    return found
