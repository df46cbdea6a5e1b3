"""The construct schemas of whole files of this format: they parse clean ones, and build any.

There is no GreedyRange here: it would end quietly at a damaged record.
"""

from __future__ import annotations

import re
from typing import Any

from construct import Construct, GreedyBytes, Struct, Switch

from journalspec.elements import Blob, ConstructCodec, While
from journalspec.jboss_journal import LAYOUT


def _record_from(stream: Any, header: Any, edition: str) -> int | None:
    """Return where the next record of a file's present life may start, or None (JBM-RDR-001 to JBM-RDR-003).

    That is a record type, and the file's id as records carry it (JBM-HDR-015, JBM-HDR-016). A
    candidate that is no record is a fault: a clean file has none.
    """
    types = bytes(LAYOUT.types(LAYOUT.behind(edition, header)).values())
    mask = 0x7FFFFFFF if "format_version" in header else 0xFFFFFFFF
    stamp = (header.file_id & mask).to_bytes(4, "big")
    pattern = re.compile(b"[" + re.escape(types) + b"]" + re.escape(stamp), re.DOTALL)
    match = pattern.search(stream.getbuffer(), stream.tell())
    return match.start() if match else None


def file_schema(codec: ConstructCodec, edition: str) -> Construct[Any, Any]:
    """Return the schema of one file: header, records and what lies before each, the rest (JBM-RDR-014)."""

    def laid(context: Any) -> str:
        return LAYOUT.behind(edition, context._.header)

    def more(stream: Any, context: Any) -> bool:
        return _record_from(stream, context.header, edition) is not None

    def gap(context: Any) -> int:
        return (_record_from(context._io, context._.header, edition) or 0) - int(context._io.tell())

    records = {each: codec.schema("record", each) for each in LAYOUT.laid_as(edition)}
    piece = Struct("gap" / Blob(gap), "record" / Switch(laid, records))
    return Struct(
        "header" / codec.schema("header", edition), "pieces" / While(more, piece), "rest" / GreedyBytes
    )


CODEC = ConstructCodec(LAYOUT, file_schema)
