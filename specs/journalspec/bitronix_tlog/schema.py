"""The construct schemas of this format: they parse clean files, and build any.

``parse`` gives the observation of a clean file set. ``decode`` and ``build`` are exact
inverses on one file and give construct's containers. There is no GreedyRange here: it
would end quietly at a damaged record.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import SEEK_END, BytesIO
from typing import Any

from construct import Construct, GreedyBytes, Struct, Tell

from journalspec.bitronix_tlog import LAYOUT, plain
from journalspec.elements import Blob, Checked, ConstructCodec, While, built, parsed
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

CODEC = ConstructCodec(LAYOUT)
EDITIONS = plain.EDITIONS


def _end_of(stream: Any) -> int:
    here = stream.tell()
    end = int(stream.seek(0, SEEK_END))
    stream.seek(here)
    return end


def _at_a_frame(stream: Any, _: Any) -> bool:
    here = stream.tell()
    start = stream.read(len(plain.FRAME_START))
    stream.seek(here)
    return bool(start == plain.FRAME_START)


#: One file of the pair: the log up to the tail, then what an earlier life left (BTM-RDR-001, BTM-RDR-002).
DISK_FILE = Struct(
    "header" / CODEC.schema("header", "2.1"),
    "records"
    / While(lambda stream, context: stream.tell() < context.header.position, CODEC.schema("record", "2.1")),
    "tail"
    / Checked(Tell, lambda end, context: end == context.header.position, "the tail that the header names"),
    "stale" / GreedyBytes,
)
#: A file of the seed's edition: records to its end (BTM-SED-001).
SEED_FILE = Struct(
    "records" / While(lambda stream, _: stream.tell() < _end_of(stream), CODEC.schema("record", "seed"))
)
#: The nio journal; what is behind the frames without a gap is left as bytes (BTM-NIO-003, BTM-NIO-010).
NIO_FILE = Struct(
    "header" / CODEC.schema("header", "nio"),
    "reserved" / Blob(lambda context: min(_end_of(context._io), plain.FIRST_FRAME) - context._io.tell()),
    "frames" / While(_at_a_frame, CODEC.schema("record", "nio")),
    "rest" / GreedyBytes,
)
FILES = {"seed": SEED_FILE, "2.1": DISK_FILE, "3.0": DISK_FILE, "nio": NIO_FILE}


def _file(edition: str) -> Construct[Any, Any]:
    if edition not in FILES:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(FILES)}")
    return FILES[edition]


def decode(data: bytes, edition: str, file: str = "") -> Any:
    """Return one clean file as a construct container; raises SchemaError."""
    return parsed(_file(edition), BytesIO(data), file)


def build(container: Any, edition: str) -> bytes:
    """Return the bytes of one file: the inverse of :func:`decode`; raises SchemaError."""
    return built(_file(edition), container)


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean file set at level layout; raises SchemaError.

    `files` maps names to whole contents; no parameter of this format has a part in reading.
    """
    return plain.observe(files, edition, CODEC)
