"""The construct schemas of whole files of this format: they parse clean files, and build any file.

GreedyRange is not used here, because it would end without an error at a damaged record. If bytes with a
record type and the right file id are not a record, the schema reports a fault. In a clean file, only bytes of
an earlier generation can be such a candidate (JBM-RDR-025, JBM-RDR-026). A reader can recognise these bytes;
a schema cannot.
"""

from __future__ import annotations

from typing import Any

from construct import Construct, GreedyBytes, Struct, Switch

from journalspec.elements import Blob, ConstructCodec, While
from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import next_candidate


def file_schema(codec: ConstructCodec, edition: str) -> Construct[Any, Any]:
    """Return the schema of one file: the header, then for each record the bytes before it and the record,
    then the remaining bytes (JBM-RDR-014).
    """

    def laid(context: Any) -> str:
        return LAYOUT.behind(edition, context._.header)

    def record_from(stream: Any, header: Any) -> int | None:
        laid_out = LAYOUT.behind(edition, header)
        return next_candidate(stream.getbuffer(), stream.tell(), laid_out, header.file_id)

    def more(stream: Any, context: Any) -> bool:
        return record_from(stream, context.header) is not None

    def gap(context: Any) -> int:
        return (record_from(context._io, context._.header) or 0) - int(context._io.tell())

    records = {each: codec.schema("record", each) for each in LAYOUT.laid_as(edition)}
    piece = Struct("gap" / Blob(gap), "record" / Switch(laid, records))
    header = codec.schema("header", edition)
    return Struct("header" / header, "pieces" / While(more, piece), "rest" / GreedyBytes)


CODEC = ConstructCodec(LAYOUT, file_schema)
