"""Converts results of the parsers of contents, construct's and Kaitai's, to the form of the naive decoder."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

from construct import ConstructError
from families_ksy import PACKED

from journalspec.families import ContentsError, Family, Member, text_of, values_of
from journalspec.families_construct import schema


def parse(family: Family, name: str, data: bytes, version: str = "") -> Any:
    """Return a type as a construct container; raises ContentsError."""
    stream = BytesIO(data)
    try:
        found = schema(family, name, version or family.versions[-1]).parse_stream(
            stream, elements=[len(data) + 1]
        )
    except (ConstructError, RecursionError) as error:
        raise ContentsError(str(error), stream.tell()) from error
    if stream.tell() < len(data):
        raise ContentsError(f"more bytes than {name} has", stream.tell())
    return found


def plain(
    family: Family, name: str, tree: Any, version: str, outer: tuple[Mapping[str, Any], ...] = ()
) -> dict[str, Any]:
    """Return the result of :func:`~journalspec.families.decode` from a type parsed by construct or Kaitai."""
    found: dict[str, Any] = {}
    scopes = (*outer, found)

    def value(member: Member, kind: str, raw: Any) -> Any:
        if kind in family.types:
            return plain(family, kind, raw, version, scopes)
        raw = getattr(raw, "held", raw) if member.on else raw
        if kind in PACKED and not isinstance(raw, int):
            return raw.high << 32 | raw.low if kind == "clong" else raw.amount
        if kind == "bool":
            return bool(raw)
        return text_of(bytes(raw), member.encoding) if kind == "text" else raw

    for member in family.types[name].fields:
        raw = tree.get(member.name) if isinstance(tree, Mapping) else getattr(tree, member.name, None)
        kind = "none" if raw is None else member.kind(values_of(scopes))
        if member.count and raw is not None:
            found[member.name] = [None if kind == "none" else value(member, kind, each) for each in raw]
        elif kind != "none":
            found[member.name] = value(member, kind, raw)
    return found
