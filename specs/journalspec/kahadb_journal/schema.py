"""The construct schemas of whole files of this format: they parse clean files, and build any file.

GreedyRange is not used here, because it would end without an error at a damaged record.
"""

from __future__ import annotations

from typing import Any

from construct import Construct, GreedyBytes, Struct, Tell

from journalspec.elements import Checked, ConstructCodec, While, ahead
from journalspec.kahadb_journal import LAYOUT, checksum


def file_schema(codec: ConstructCodec, edition: str) -> Construct[Any, Any]:
    """Return the schema of one file: batches, and the bytes after them (KHD-SCN-001, KHD-END-005)."""
    form = LAYOUT.structure("header", edition)
    # The length of a control record is known before any of its other fields.
    start = LAYOUT.build("header", edition)[: form.off("batch_size")]

    empty = [bytes(form.size - len(start) - 1) + last for last in (b"\0", b"\1")]

    def more(stream: Any, _: Any) -> bool:
        """Return whether a batch follows. Zero bytes in place of a batch end the log (KHD-END-009)."""
        data = ahead(stream, form.size)
        if edition == "seed":
            return bool(data)
        return data.startswith(start) and data[len(start) :] not in empty

    def fits(end: int, context: Any) -> bool:
        """Return whether the checksum matches the records, or is absent (KHD-BAT-006, KHD-BAT-007)."""
        stored = context.header.checksum
        covered = context._io.getbuffer()[context.header.end : end]
        return not stored or bool(stored == checksum(covered))

    def inside(stream: Any, context: Any) -> bool:
        return bool(stream.tell() < context.header.end + context.header.batch_size)

    def known(stream: Any, context: Any) -> bool:
        return inside(stream, context._) and ahead(stream, 5)[4:] in (b"", b"\1", b"\2")

    def unknown(stream: Any, context: Any) -> bool:
        return inside(stream, context._) and not known(stream, context)

    # Records of unknown types can lie between the others (KHD-REC-004).
    runs = Struct(
        "records" / While(known, codec.schema("record", edition)),
        "unknown" / While(unknown, codec.schema("unknown", edition)),
    )
    batch = Struct(
        "header" / codec.schema("header", edition),
        "runs" / While(inside, runs),
        "end"
        / Checked(
            Tell, lambda end, context: end == context.header.end + context.header.batch_size, "the end"
        ),
        "sum" / Checked(Tell, fits, "where a batch with that checksum ends"),
    )
    return Struct("batches" / While(more, batch), "rest" / GreedyBytes)


CODEC = ConstructCodec(LAYOUT, file_schema)
