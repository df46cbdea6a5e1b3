"""The generated Kaitai parsers of this format, put to the observation model.

A ``.ksy`` describes one undamaged file. What it cannot say is done here on top:
the pair, the checksums, the election, and the search for the older lap of the
nio journal.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from journalspec.bitronix_tlog._kaitai.bitronix_nio_journal import BitronixNioJournal
from journalspec.bitronix_tlog._kaitai.bitronix_tlog import BitronixTlog
from journalspec.bitronix_tlog._kaitai.bitronix_tlog_seed import BitronixTlogSeed
from journalspec.bitronix_tlog.constants import NIO_FIRST_FRAME, RULES
from journalspec.bitronix_tlog.plain import PlainFile, PlainRecord, observe, only_file, pair_of
from journalspec.bitronix_tlog.plain_nio import PlainFrame, PlainNio, observe_nio
from journalspec.observation import Observation
from journalspec.schemas import SchemaError

#: The editions that this module parses.
EDITIONS = ("seed", "2.1", "3.0", "nio")
#: Edition -> its schema, and the value of the schema's parameter if it has one.
SCHEMAS = {
    "seed": ("bitronix_tlog_seed", ""),
    "2.1": ("bitronix_tlog", ""),
    "3.0": ("bitronix_tlog", ""),
    "nio": ("bitronix_nio_journal", ""),
}


def parse(files: Mapping[str, bytes], edition: str, params: Mapping[str, str] | None = None) -> Observation:
    """Return the observation of a clean file set at level layout; raises SchemaError.

    `files` maps names to whole contents; no parameter of this format has a part
    in reading (BTM-RDR-016 says what clean means).
    """
    if edition == "nio":
        return _parse_nio(files)
    if edition == "seed":
        name = only_file(files)
        return observe([_seed_file(name, bytes(files[name]))], edition)
    if edition not in RULES:
        raise SchemaError(f"no schema for edition {edition!r}: there are {', '.join(EDITIONS)}")
    return observe([_disk_file(name, bytes(files[name])) for name in pair_of(files)], edition)


def _parsed(kind: Callable[[KaitaiStream], Any], data: bytes, file: str, off: int = 0) -> Any:
    """Return what a generated parser makes of ``data[off:]``; its complaints become SchemaError."""
    stream = KaitaiStream(BytesIO(data))
    stream.seek(off)
    try:
        return kind(stream)
    except (KaitaiStructError, EOFError) as error:
        raise SchemaError(str(error), file, stream.pos()) from error


def _disk_file(name: str, data: bytes) -> PlainFile:
    tree = _parsed(BitronixTlog, data, name)
    header = {
        "timestamp": tree.header.timestamp,
        "state": int(tree.header.state),
        "position": tree.header.position,
    }
    return PlainFile(name, len(data), _records(tree.log.records, RULES["2.1"].log_start), header)


def _seed_file(name: str, data: bytes) -> PlainFile:
    return PlainFile(name, len(data), _records(_parsed(BitronixTlogSeed, data, name).records, 0))


def _records(records: list[Any], off: int) -> tuple[PlainRecord, ...]:
    found = []
    for record in records:
        found.append(_record(record, off))
        off += record.len_total
    return tuple(found)


def _record(record: Any, off: int) -> PlainRecord:
    return PlainRecord(
        off=off,
        size=record.len_total,
        status=int(record.status),
        record_length=record.record_length,
        header_length=record.header_length,
        time=record.time,
        sequence_number=record.sequence_number,
        crc32=record.crc32,
        gtrid=record.payload.gtrid,
        names=tuple(name.name for name in record.payload.names),
        extension=getattr(record, "extension", b""),
    )


def _parse_nio(files: Mapping[str, bytes]) -> Observation:
    name = only_file(files)
    data = bytes(files[name])
    tree = _parsed(BitronixNioJournal, data, name)
    frames = []
    off = NIO_FIRST_FRAME
    for slot in tree.slots[:-1]:
        frames.append(_frame(slot.frame, name, off))
        off += frames[-1].size
    header = tree.header

    def frame_at(where: int) -> PlainFrame:
        return _frame(_parsed(BitronixNioJournal.Frame, data, name, where), name, where)

    whole = PlainNio(name, data, header.previous_delimiter, header.current_delimiter, tuple(frames))
    return observe_nio(whole, frame_at)


def _frame(frame: Any, file: str, off: int) -> PlainFrame:
    payload = frame.payload
    # The generated parser keeps the bytes that it cut out for the payload.
    computed = zlib.crc32(frame._raw_payload)
    if computed != frame.crc32:
        raise SchemaError(f"crc32 is 0x{frame.crc32:08x}, the payload gives 0x{computed:08x}", file, off)
    return PlainFrame(
        off=off,
        size=frame.payload_length + 49,
        delimiter=frame.delimiter,
        crc32=frame.crc32,
        status=int(payload.status),
        record_length=payload.record_length,
        time=payload.time,
        sequence_number=payload.sequence_number,
        rolled_over=payload.rolled_over,
        gtrid=payload.gtrid,
        names=tuple(name.name for name in payload.names),
        padding=len(payload.padding),
    )
