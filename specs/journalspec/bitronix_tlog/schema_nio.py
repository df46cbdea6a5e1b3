"""The construct schema of the nio journal: header, frames without a gap, and the rest."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from construct import (
    Bytes,
    ConstructError,
    Default,
    GreedyBytes,
    Int8ub,
    Int16sb,
    Int32sb,
    Int32ub,
    Int64sb,
    Struct,
    Tell,
    len_,
    this,
)

from journalspec.bitronix_tlog.constants import (
    NIO_BANNER,
    NIO_FIRST_FRAME,
    NIO_FRAME_START,
    NIO_HEADER_END,
    NIO_HEADER_USED,
    NIO_MAX_PAYLOAD,
    NIO_TAGS,
    NIO_UNKNOWN_TAG,
)
from journalspec.bitronix_tlog.plain import only_file
from journalspec.bitronix_tlog.plain_nio import PlainFrame, PlainNio, observe_nio
from journalspec.bitronix_tlog.schema import NAME, STATUS_FIELD, decode
from journalspec.elements import Blob, Checked, Counted, Nested, While
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

UUID_SIZE = 16


def _literal(text: bytes) -> Checked:
    return Checked(Default(Bytes(len(text)), text), lambda found, _: found == text, f"{text!r}")


def _tag(context: Any) -> bytes:
    status = int(STATUS_FIELD.parse(STATUS_FIELD.build(context.status)))
    return NIO_TAGS.get(status, NIO_UNKNOWN_TAG)


def _first_length(context: Any) -> int:
    return 34 + len(context.gtrid) + sum(2 + len(name["value"]) for name in context.names)


#: BTM-NIO-007
PAYLOAD = Struct(
    "tag" / Default(Bytes(6), _tag),
    "status" / STATUS_FIELD,
    "record_length" / Default(Int32sb, _first_length),
    "time" / Default(Int64sb, 0),
    "sequence_number" / Default(Int64sb, 1),
    "rolled_over" / Default(Int8ub, 0),
    "gtrid_length" / Default(Int8ub, len_(this.gtrid)),
    "gtrid" / Blob(this.gtrid_length),
    "names_count" / Default(Int16sb, len_(this.names)),
    "names" / Counted(this.names_count, NAME),
    "padding" / Default(GreedyBytes, b""),
)

#: BTM-NIO-005
FRAME = Struct(
    "off" / Tell,
    "magic" / _literal(NIO_FRAME_START),
    "delimiter" / Bytes(UUID_SIZE),
    "payload_length"
    / Checked(
        Default(Int32ub, lambda context: len(PAYLOAD.build(context.payload))),
        lambda n, _: n <= NIO_MAX_PAYLOAD,
        f"at most {NIO_MAX_PAYLOAD}",
    ),
    "crc32" / Default(Int32ub, lambda context: zlib.crc32(PAYLOAD.build(context.payload))),
    "separator" / _literal(b"]["),
    "payload" / Nested(this.payload_length, PAYLOAD),
    "end_mark" / _literal(b"]-"),
    "delimiter_again"
    / Checked(
        Default(Bytes(UUID_SIZE), this.delimiter),
        lambda found, context: found == context.delimiter,
        "the delimiter",
    ),
    "end" / Tell,
)

#: BTM-NIO-003
HEADER = Struct(
    "banner" / _literal(NIO_BANNER),
    "previous_delimiter" / Bytes(UUID_SIZE),
    "current_delimiter" / Bytes(UUID_SIZE),
    "separator" / _literal(NIO_HEADER_END),
)


def _room_for_reserved(context: Any) -> int:
    here = context._io.tell()
    end = context._io.seek(0, 2)
    context._io.seek(here)
    return min(int(end), NIO_FIRST_FRAME) - NIO_HEADER_USED


def _at_a_frame(stream: Any, _: Any) -> bool:
    here = stream.tell()
    start = stream.read(len(NIO_FRAME_START))
    stream.seek(here)
    return bool(start == NIO_FRAME_START)


#: The whole file; what is behind the frames without a gap is left as bytes (BTM-NIO-010).
NIO_FILE = Struct(
    "header" / HEADER,
    "reserved" / Default(Blob(_room_for_reserved), bytes(NIO_FIRST_FRAME - NIO_HEADER_USED)),
    "frames" / While(_at_a_frame, FRAME),
    "rest" / Default(GreedyBytes, b""),
)


def _plain_frame(frame: Any, file: str) -> PlainFrame:
    payload = frame.payload
    computed = zlib.crc32(PAYLOAD.build(payload))
    if computed != frame.crc32:
        text = f"crc32 is 0x{frame.crc32:08x}, the payload gives 0x{computed:08x}"
        raise SchemaError(text, file, frame.off)
    return PlainFrame(
        off=frame.off,
        size=frame.end - frame.off,
        delimiter=frame.delimiter,
        crc32=frame.crc32,
        status=int(payload.status),
        record_length=payload.record_length,
        time=payload.time,
        sequence_number=payload.sequence_number,
        rolled_over=payload.rolled_over,
        gtrid=payload.gtrid,
        names=tuple(name.value.decode("latin-1") for name in payload.names),
        padding=len(payload.padding),
    )


def parse_nio(files: Mapping[str, bytes]) -> Observation:
    """Return the observation of a clean nio journal; raises SchemaError."""
    name = only_file(files)
    data = bytes(files[name])
    tree = decode(data, "nio", name)

    def frame_at(off: int) -> PlainFrame:
        stream = BytesIO(data)
        stream.seek(off)
        try:
            return _plain_frame(FRAME.parse_stream(stream), name)
        except ConstructError as error:
            raise SchemaError(f"no valid frame: {error}".replace("\n", " "), name, off) from error

    frames = tuple(_plain_frame(frame, name) for frame in tree.frames)
    header = tree.header
    return observe_nio(
        PlainNio(name, data, header.previous_delimiter, header.current_delimiter, frames), frame_at
    )
