"""The construct schemas of whole files of this format: they parse clean files, and build any file.

GreedyRange is not used here, because it would end without an error at a damaged record.
"""

from __future__ import annotations

from typing import Any

from construct import Construct, GreedyBytes, Struct, Tell

from journalspec.bitronix_tlog import LAYOUT
from journalspec.elements import Blob, Checked, ConstructCodec, While

#: The offset where the frames of an NIO journal begin, and the first bytes of each frame (BTM-NIO-003,
#: BTM-NIO-005).
FIRST_FRAME = 1024
FRAME_START = LAYOUT.structure("record", "nio").fields[0].constant


def _end_of(stream: Any) -> int:
    return len(stream.getbuffer())


def _at_a_frame(stream: Any, _: Any) -> bool:
    return bytes(stream.getbuffer()[stream.tell() :][: len(FRAME_START)]) == FRAME_START


def file_schema(codec: ConstructCodec, edition: str) -> Construct[Any, Any]:
    """Return the schema of one file of an edition."""
    record = codec.schema("record", edition)
    if edition == "seed":
        # The file consists of records up to its end (BTM-SED-001).
        return Struct("records" / While(lambda stream, _: stream.tell() < _end_of(stream), record))
    header = codec.schema("header", edition)
    if edition == "nio":
        # The bytes after the adjacent frames are not divided into records (BTM-NIO-003, BTM-NIO-010).
        return Struct(
            "header" / header,
            "reserved" / Blob(lambda context: min(_end_of(context._io), FIRST_FRAME) - context._io.tell()),
            "records" / While(_at_a_frame, record),
            "rest" / GreedyBytes,
        )
    # One file of the pair contains the log up to the tail, then remains of an earlier generation
    # (BTM-RDR-001, BTM-RDR-002).
    return Struct(
        "header" / header,
        "records" / While(lambda stream, context: stream.tell() < context.header.position, record),
        "tail" / Checked(Tell, lambda end, context: end == context.header.position, "the header's tail"),
        "stale" / GreedyBytes,
    )


CODEC = ConstructCodec(LAYOUT, file_schema)
