"""The construct schemas of this format: they parse clean files, and build any.

``parse`` gives the observation of a clean directory. ``decode`` and ``build`` are exact
inverses on one file and give construct's containers. There is no GreedyRange here: it
would end quietly at a damaged record.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import Any

from construct import Construct, Container, GreedyBytes, ListContainer, Struct

from journalspec.elements import ConstructCodec, built, parsed
from journalspec.jboss_journal import LAYOUT, plain
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

CODEC = ConstructCodec(LAYOUT)
EDITIONS = plain.EDITIONS


class Scattered(Construct):  # type: ignore[type-arg]  # generic in its stubs only
    """Records of the file's present life, each with the bytes before it that are none (JBM-RDR-014).

    A candidate with the right type and file id that is no record is a fault:
    a clean file has none.
    """

    def __init__(self, edition: str) -> None:
        super().__init__()
        self.edition = edition

    def _laid(self, header: Any) -> str:
        return plain.laid_out_as(self.edition, header.get("format_version", 0))

    def _parse(self, stream: Any, context: Any, path: str) -> ListContainer[Any]:
        edition = self._laid(context.header)
        record = CODEC.schema("record", edition)
        found: ListContainer[Any] = ListContainer()
        data = stream.getbuffer()
        while (off := plain.next_candidate(data, stream.tell(), edition, context.header.file_id)) is not None:
            gap = stream.read(off - stream.tell())
            item = record._parsereport(stream, context, f"{path} -> {len(found)}")
            found.append(Container(gap=gap, record=item))
        return found

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        record = CODEC.schema("record", self._laid(context.header))
        for number, piece in enumerate(obj):
            stream.write(piece["gap"])
            record._build(piece["record"], stream, context, f"{path} -> {number}")
        return obj


@cache
def file_schema(edition: str) -> Construct[Any, Any]:
    """Return the schema of one file: header, records and what lies before each, the rest."""
    if edition not in EDITIONS:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(EDITIONS)}")
    return Struct(
        "header" / CODEC.schema("header", edition), "pieces" / Scattered(edition), "rest" / GreedyBytes
    )


def decode(data: bytes, edition: str, file: str = "") -> Any:
    """Return one clean file as a construct container; raises SchemaError."""
    return parsed(file_schema(edition), BytesIO(data), file)


def build(container: Any, edition: str) -> bytes:
    """Return the bytes of one file: the inverse of :func:`decode`; raises SchemaError."""
    return built(file_schema(edition), container)


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean directory; see :func:`.plain.observe`."""
    return plain.observe(files, edition, CODEC, params or {})
