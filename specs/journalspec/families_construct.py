"""Families of contents as construct's structures. The structures parse strictly, and build the same bytes
again.

In their results, texts are bytes in stored form, and an absent value is None.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Any

from construct import (
    Construct,
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
from construct.core import stream_write

from journalspec.elements import Blob, Checked, Counted, While, ahead
from journalspec.families import Family, Member, asked, evaluate, values_of
from journalspec.numbers import NUMBERS, Number

#: The pattern of sizes and counts that are neither a number nor a field.
_OPEN = ("", "rest")


class StoredNumber(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents a number in one of the forms of :mod:`.numbers`.

    A compressed number is built in its shortest form.
    """

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
    """Represents `subcon` if `test` holds, else None. For None, nothing is built."""

    def __init__(self, test: Callable[[Any], bool], subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.test = test

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        return self.subcon._parsereport(stream, context, path) if self.test(context) else None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return obj if obj is None else self.subcon._build(obj, stream, context, path)


class Area(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents `subcon` in a given number of bytes.

    A parse must use all of these bytes. A build accepts content of any length.
    """

    def __init__(self, size: Callable[[Any], int], subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.area = Blob(size)

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        inner = BytesIO(self.area._parsereport(stream, context, path))
        found = self.subcon._parsereport(inner, context, path)
        if rest := len(inner.read()):
            raise ValidationError(f"{rest} bytes after its end", path=path)
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.subcon._build(obj, stream, context, path)


class Element(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """An element of a list.

    A parse fails if there are more elements than bytes, because empty elements use no bytes.
    """

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if (left := context._params.get("elements")) is not None:
            left[0] -= 1
            if left[0] < 0:
                raise ValidationError("more elements than bytes", path=path)
        return self.subcon._parsereport(stream, context, path)


@cache
def schema(family: Family, name: str, version: str) -> Construct[Any, Any]:
    """Return the construct of a type in a version."""
    members = [each for each in family.types[name].fields if family.has(each, version)]
    return Struct(*(each.name / _element(family, each, version) for each in members))


def _value_of(context: Any) -> Callable[[str], int]:
    scopes = [context]
    while scopes[-1].get("_") is not None:
        scopes.append(scopes[-1]["_"])
    return values_of(scopes[::-1])


def _value(family: Family, member: Member, kind: str, version: str) -> Construct[Any, Any]:
    """Return the construct of one value of a type. The value extends at most to its size or its end."""
    if kind in family.types:
        return LazyBound(lambda: schema(family, kind, version))
    if kind in NUMBERS:
        return StoredNumber(NUMBERS["u1" if kind == "bool" else kind])
    if kind == "none":
        return Pass
    whole = member.size == "rest" or member.on
    return GreedyBytes if whole else Blob(lambda context: evaluate(member.size, _value_of(context)))


def _element(family: Family, member: Member, version: str) -> Construct[Any, Any]:
    def measured(context: Any) -> int:
        return evaluate(member.size, _value_of(context))

    def counted(context: Any) -> int:
        return evaluate(member.count, _value_of(context))

    def there(context: Any) -> bool:
        if (member.left and not ahead(context._io, 1)) or not asked(member, _value_of(context)):
            return False
        return all(of(context) >= 0 for of in limits)

    limits = [of for text, of in ((member.size, measured), (member.count, counted)) if text not in _OPEN]
    found = _value(family, member, member.type, version) if member.type else None
    if found is None:
        cases = {number: _value(family, member, kind, version) for number, kind in member.cases.items()}
        default = _value(family, member, member.otherwise, version) if member.otherwise else Error
        found = Switch(lambda context: _value_of(context)(member.on), cases, default)
    if (member.const, member.low, member.high) != (None, None, None):
        found = Checked(found, lambda value, _: not member.refuses(value), "a value of it")
    if measured in limits and member.type not in ("bytes", "text"):
        found = Area(measured, found)
    if member.count:
        found, rest = Element(found), member.count == "rest"
        found = While(lambda stream, _: bool(ahead(stream, 1)), found) if rest else Counted(counted, found)
    return There(there, found) if limits or member.when or member.left else found
