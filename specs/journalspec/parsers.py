"""The generated Kaitai parsers in the form of :class:`journalspec.schemas.Codec`, one structure at a time.

A ``.ksy`` describes one structure, or a file without bytes between its records. Checks that a ``.ksy`` cannot
express (checksums, searches, several files) are done outside of the generated parsers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from inspect import signature
from io import BytesIO
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStruct, KaitaiStructError

from journalspec.formats import format_module
from journalspec.layout import Field, Layout
from journalspec.schemas import Plain, SchemaError


class KaitaiCodec:
    """The parsers of a format (:class:`journalspec.schemas.Codec`)."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def parser(self, edition: str) -> Any:
        """Return the generated class of whole files; raises KeyError for an edition without one."""
        name, _ = self._layout.ksy(edition)
        module = import_module(f"journalspec.{self._layout.format_id}._kaitai.{name}")
        return getattr(module, _class(name))

    def parser_of(self, name: str, edition: str) -> Any:
        """Return the generated class of the structure `name`."""
        return getattr(self.parser(edition), _class(self._layout.structure(name, edition).ksy))

    def _parsed(self, kind: Any, edition: str, data: bytes, off: int, file: str) -> tuple[Any, int]:
        """Return the result of a generated class for ``data[off:]``, and the offset where parsing stopped."""
        given = {"start": off, **self._layout.ksy(edition)[1]}
        stream = KaitaiStream(BytesIO(data))
        stream.seek(off)
        try:
            return kind(*(given[name] for name in _wanted(kind)), stream), stream.pos()
        except (KaitaiStructError, EOFError, UnicodeDecodeError) as error:
            raise SchemaError(str(error), file, stream.pos()) from error

    def whole(self, data: bytes, edition: str, file: str = "") -> Any:
        """Return the tree into which the generated class alone parses a whole file; raises SchemaError."""
        return self._parsed(self.parser(edition), edition, data, 0, file)[0]

    def read(self, name: str, edition: str, data: bytes, off: int, file: str) -> Plain:
        """Return the structure at `off` of `data`; raises SchemaError unless it is sound."""
        tree, end = self._parsed(self.parser_of(name, edition), edition, data, off, file)
        form = self._layout.structure(name, edition, self._layout.kind_at(name, edition, data[off : off + 1]))
        parts = tuple(_parts(tree))
        values = {item.name: _value(part, item) for item in form.fields if (part := _holder(parts, item))}
        values |= {
            item.name: None
            for item in form.fields
            if item.optional and item.is_int and item.name not in values
        }
        if problem := self._layout.problem(name, edition, values, data[off:end]):
            raise SchemaError(problem, file, off)
        return Plain.of(self._layout, edition, values, off, end)


@cache
def codec_of(format_id: str) -> KaitaiCodec:
    """Return the parsers of a format."""
    return KaitaiCodec(format_module("journalspec", format_id).LAYOUT)


@cache
def _wanted(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a generated class."""
    return tuple(name for name in signature(kind).parameters if not name.startswith("_"))


def _class(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _parts(tree: Any) -> Iterator[Any]:
    """Yield a tree and the trees inside it, except for those in lists."""
    yield tree
    for key, part in vars(tree).items():
        if isinstance(part, KaitaiStruct) and key[0] != "_":
            yield from _parts(part)


def _holder(parts: Iterable[Any], item: Field) -> Any:
    """Return the part of a tree that has a field, or None."""
    name = item.ksy or item.name
    return next((part for part in parts if hasattr(part, name)), None)


def _value(part: Any, item: Field) -> Any:
    value = getattr(part, item.ksy or item.name)
    if item.type == "list":
        return [{member.name: _member(row, member.name) for member in item.of} for row in value]
    if item.is_int:
        return int(value)
    return _bytes(value)


def _member(row: Any, path: str) -> Any:
    """Return a member of a list's element. The path ``source.name`` means the member ``name`` of the part
    ``source``.
    """
    for name in path.split("."):
        row = getattr(row, name)
    return row if isinstance(row, int) else _bytes(row)


def _bytes(value: Any) -> bytes:
    """Return the value as bytes. If the .ksy declares the field as text, each character becomes one byte."""
    return value.encode("latin-1") if isinstance(value, str) else bytes(value)
