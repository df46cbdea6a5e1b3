"""Construct building blocks that parse strictly and build anything.

An author of damaged files has to be able to build what a parser must refuse;
construct's own validators refuse in both directions.
"""

from __future__ import annotations

from collections.abc import Callable
from io import SEEK_END
from typing import Any

from construct import Adapter, Construct, ListContainer, StreamError, Subconstruct, ValidationError
from construct.core import evaluate, stream_read, stream_write

Test = Callable[[Any, Any], bool]


class Checked(Adapter):  # type: ignore[type-arg]  # generic in its stubs only
    """A field that is tested when it is parsed, and written as it is when it is built."""

    def __init__(self, subcon: Construct[Any, Any], test: Test, wanted: str) -> None:
        super().__init__(subcon)
        self.test = test
        self.wanted = wanted

    def _decode(self, obj: Any, context: Any, path: str) -> Any:
        if not self.test(obj, context):
            raise ValidationError(f"{obj!r} is not {self.wanted}", path=path)
        return obj

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        # What was built, not what was asked for: fields further on compute with it.
        return self.subcon._build(obj, stream, context, path)


class Blob(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """Bytes whose length is known when they are parsed; built whatever their length."""

    def __init__(self, length: Any) -> None:
        super().__init__()
        self.length = length

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        length = evaluate(self.length, context)
        here = stream.tell()
        left = stream.seek(0, SEEK_END) - here
        stream.seek(here)
        # Reading first and counting then would copy the rest of the file for every mad length in it.
        if length > left:
            raise StreamError(f"{length} bytes wanted, {left} are left", path=path)
        data: bytes = stream_read(stream, length, path)
        return data

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        data = bytes(obj)
        stream_write(stream, data, len(data), path)
        return data


class Nested(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """`subcon` within `length` bytes, all of which it has to use."""

    def __init__(self, length: Any, subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.length = length

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        data = stream_read(stream, evaluate(self.length, context), path)
        return self.subcon.parse(data)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        data = obj if isinstance(obj, bytes) else self.subcon.build(obj)
        stream_write(stream, data, len(data), path)
        return obj


class Counted(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """As many of `subcon` as `count` says, none if it is negative; built however many there are."""

    def __init__(self, count: Any, subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.count = count

    def _parse(self, stream: Any, context: Any, path: str) -> ListContainer[Any]:
        found: ListContainer[Any] = ListContainer()
        # Each one takes bytes from the stream, so that a mad count ends with it.
        for number in range(evaluate(self.count, context)):
            found.append(self.subcon._parsereport(stream, context, f"{path} -> {number}"))
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for number, item in enumerate(obj):
            self.subcon._build(item, stream, context, f"{path} -> {number}")
        return obj


class While(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """`subcon` again and again while `more` holds. A fault inside is a fault: nothing is swallowed."""

    def __init__(self, more: Callable[[Any, Any], bool], subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.more = more

    def _parse(self, stream: Any, context: Any, path: str) -> ListContainer[Any]:
        found: ListContainer[Any] = ListContainer()
        while self.more(stream, context):
            found.append(self.subcon._parsereport(stream, context, f"{path} -> {len(found)}"))
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for number, item in enumerate(obj):
            self.subcon._build(item, stream, context, f"{path} -> {number}")
        return obj
