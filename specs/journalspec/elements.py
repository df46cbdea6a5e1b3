"""The construct schemas. They express a format's table of fields as construct's structures and their parts.

The schemas parse strictly and build any bytes, because code that generates damaged files must build bytes
that a parser refuses. Construct's own validators also refuse when building.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from io import SEEK_END, BytesIO
from typing import Any

from construct import (
    Adapter,
    Bytes,
    Construct,
    ConstructError,
    GreedyBytes,
    Int8sb,
    Int8ub,
    Int16sb,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    Int64ub,
    ListContainer,
    StreamError,
    Struct,
    Subconstruct,
    Tell,
    ValidationError,
)
from construct.core import evaluate, stream_read, stream_write

from journalspec.formats import get_format
from journalspec.layout import Field, Layout, Structure
from journalspec.schemas import Plain, SchemaError

Test = Callable[[Any, Any], bool]
_INTEGERS: dict[str, Construct[Any, Any]] = {
    "s1": Int8sb,
    "u1": Int8ub,
    "s2": Int16sb,
    "u2": Int16ub,
    "s4": Int32sb,
    "u4": Int32ub,
    "s8": Int64sb,
    "u8": Int64ub,
}


class Checked(Adapter):  # type: ignore[type-arg]  # generic in its stubs only
    """A field that is tested when it is parsed, and written unchanged when it is built."""

    def __init__(self, subcon: Construct[Any, Any], test: Test, wanted: str) -> None:
        super().__init__(subcon)
        self.test = test
        self.wanted = wanted

    def _decode(self, obj: Any, context: Any, path: str) -> Any:
        if not self.test(obj, context):
            raise ValidationError(f"{obj!r} is not {self.wanted}", path=path)
        return obj

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        # Return the values that were built, not the requested values, because later fields are computed from
        # the built ones.
        return self.subcon._build(obj, stream, context, path)


class Blob(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents bytes whose length is known when they are parsed. They can be built with any length."""

    def __init__(self, length: Any) -> None:
        super().__init__()
        self.length = length

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        length = evaluate(self.length, context)
        if length < 0:
            raise StreamError(f"{length} bytes", path=path)
        here = stream.tell()
        left = stream.seek(0, SEEK_END) - here
        stream.seek(here)
        # The length is checked before the read. Otherwise, an absurd length would copy all bytes up to the
        # end of the file.
        if length > left:
            raise StreamError(f"{length} bytes wanted, {left} are left", path=path)
        data: bytes = stream_read(stream, length, path)
        return data

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        data = bytes(obj)
        stream_write(stream, data, len(data), path)
        return data


class Roomed(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents `subcon` if enough bytes are left for it, else None. For None, nothing is built."""

    def __init__(self, room: Any, subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.room = room

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        fits = evaluate(self.room, context) >= self.subcon.sizeof()
        return self.subcon._parsereport(stream, context, path) if fits else None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return obj if obj is None else self.subcon._build(obj, stream, context, path)


class Counted(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents `count` times `subcon`, or nothing if `count` is negative.

    Any number of elements can be built.
    """

    def __init__(self, count: Any, subcon: Construct[Any, Any]) -> None:
        super().__init__(subcon)
        self.count = count

    def _parse(self, stream: Any, context: Any, path: str) -> ListContainer[Any]:
        found: ListContainer[Any] = ListContainer()
        # Each element takes bytes from the stream, so even an absurd count ends at the end of the stream.
        for number in range(evaluate(self.count, context)):
            found.append(self.subcon._parsereport(stream, context, f"{path} -> {number}"))
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for number, item in enumerate(obj):
            self.subcon._build(item, stream, context, f"{path} -> {number}")
        return obj


def ahead(stream: Any, size: int) -> bytes:
    """Return the next `size` bytes of a stream, or fewer at its end, without consuming them."""
    here = stream.tell()
    data: bytes = stream.read(size)
    stream.seek(here)
    return data


class While(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """Represents `subcon`, repeated while the condition `more` is true.

    An error in an element is raised, not hidden.
    """

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


class Sound(Subconstruct):  # type: ignore[type-arg]  # generic in its stubs only
    """A structure of a table. A parse checks the lengths, end marks and checksums of the structure."""

    def __init__(self, layout: Layout, name: str, edition: str, kind: str = "") -> None:
        super().__init__(struct_of(layout.structure(name, edition, kind)))
        self.layout = layout
        self.name_of = name
        self.edition = edition

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        found = self.subcon._parsereport(stream, context, path)
        stream.seek(found.off)
        data = stream.read(found.end - found.off)
        if problem := self.layout.problem(self.name_of, self.edition, values_of(found), data):
            raise ValidationError(problem, path=path)
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.subcon._build(obj, stream, context, path)


class ByType(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """A record that begins with the number of its type. The fields after the number depend on the type."""

    def __init__(self, schemas: Mapping[int, Construct[Any, Any]], field: str) -> None:
        super().__init__()
        self.schemas = schemas
        self.field = field

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        here = stream.tell()
        first = stream.read(1)
        stream.seek(here)
        number = first[0] if first else -1
        if number not in self.schemas:
            raise ConstructError(f"{number} is not a record type", path=path)
        return self.schemas[number]._parsereport(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.schemas[obj[self.field]]._build(obj, stream, context, path)


def struct_of(form: Structure) -> Construct[Any, Any]:
    """Return the construct of a structure in the table, between ``off`` and ``end``."""
    parts: list[Construct[Any, Any]] = ["off" / Tell]
    for item in form.fields:
        if item.name in form.counted:
            parts.append(f"{form.counted[item.name]}_from" / Tell)
        parts.append(item.name / _element(item))
    return Struct(*parts, "end" / Tell)


def _element(item: Field) -> Construct[Any, Any]:
    """Return the construct of one field, with those tests that need only this field."""

    def room(context: Any) -> Any:
        return context[item.fills] - (context._io.tell() - context[f"{item.fills}_from"])

    if item.is_int:
        number = _INTEGERS[item.type]
        if item.fills:
            return Roomed(room, number)
        if item.low is None and item.high is None:
            return number
        low = item.low if item.low is not None else 0
        high = item.high if item.high is not None else 1 << 64
        return Checked(number, lambda value, _: low <= value <= high, f"from {low} to {high}")
    if item.text:
        constant = item.constant
        return Checked(Bytes(len(constant)), lambda found, _: found == constant, f"{item.text!r}")
    if item.size:
        return Bytes(item.size)
    if item.type == "list":
        return Counted(
            lambda context: context[item.count], Struct(*(each.name / _element(each) for each in item.of))
        )
    if item.fills:
        return Blob(room)
    return GreedyBytes if item.rest else Blob(lambda context: context[item.length])


def values_of(found: Any) -> dict[str, Any]:
    """Return the fields of a parsed structure as plain values, without its offsets."""
    out: dict[str, Any] = {}
    for name, value in found.items():
        if name in ("_io", "off", "end") or name.endswith("_from"):
            continue
        rows = isinstance(value, list)
        out[name] = [{key: row[key] for key in row if key != "_io"} for row in value] if rows else value
    return out


class ConstructCodec:
    """The structures of a format's table, parsed by construct (:class:`journalspec.schemas.Codec`).

    `files` returns the construct of one clean file in an edition. ``decode`` and ``build`` are exact inverses
    for one file; they return and accept construct's containers.
    """

    def __init__(self, layout: Layout, files: Callable[[ConstructCodec, str], Construct[Any, Any]]) -> None:
        self._layout = layout
        self._files = files
        self._known: dict[tuple[str, str], Construct[Any, Any]] = {}

    def schema(self, name: str, edition: str) -> Construct[Any, Any]:
        """Return the construct of a structure; raises KeyError if the edition has no such structure."""
        key = (name, edition)
        if key not in self._known:
            layout = self._layout
            if layout.by_type(name):
                numbers = layout.types(edition).items()
                schemas = {number: Sound(layout, name, edition, kind) for kind, number in numbers}
                self._known[key] = ByType(schemas, layout.type_field)
            else:
                self._known[key] = Sound(layout, name, edition)
        return self._known[key]

    def read(self, name: str, edition: str, data: bytes, off: int, file: str) -> Plain:
        """Return the structure at `off` of `data`; raises SchemaError unless it is sound."""
        stream = BytesIO(data)
        stream.seek(off)
        found = parsed(self.schema(name, edition), stream, file)
        return Plain.of(self._layout, edition, values_of(found), found.off, found.end)

    def _file(self, edition: str) -> Construct[Any, Any]:
        if edition not in get_format(self._layout.format_id).editions:
            raise SchemaError(f"no schema for edition {edition!r}")
        return self._files(self, edition)

    def decode(self, data: bytes, edition: str, file: str = "") -> Any:
        """Return one clean file as a construct container; raises SchemaError."""
        return parsed(self._file(edition), BytesIO(data), file)

    def build(self, container: Any, edition: str) -> bytes:
        """Return the bytes of one file: the inverse of :meth:`decode`; raises SchemaError."""
        try:
            data: bytes = self._file(edition).build(container)
        except (ConstructError, KeyError) as error:
            raise SchemaError(f"cannot be built: {error}") from error
        return data


def codec_of(format_id: str) -> ConstructCodec:
    """Return the construct schemas of a format, from its module ``schema``."""
    codec: ConstructCodec = import_module(f"journalspec.{format_id}.schema").CODEC
    return codec


def parsed(schema: Construct[Any, Any], stream: BytesIO, file: str) -> Any:
    """Parse `stream` by `schema`; errors of construct become SchemaError."""
    try:
        return schema.parse_stream(stream)
    except ConstructError as error:
        raise SchemaError(_reason(error), file, stream.tell()) from error


def _reason(error: ConstructError) -> str:
    """Return construct's message.

    It begins with the name of the field: ``record_length: 7 is not from 29 ...``.
    """
    text = str(error).rsplit("\n", 1)[-1]
    field = (error.path or "").rpartition(" -> ")[2]
    return f"{field}: {text}" if field else text
