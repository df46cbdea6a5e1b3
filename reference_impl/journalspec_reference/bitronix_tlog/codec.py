"""Bytes to records and back, for the disk editions and the seed's reading of them.

Nothing here reads a file or decides what a journal means; :mod:`.scan` walks,
:mod:`.recover` concludes. All integers are big-endian (BTM-REC).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

from journalspec.bitronix_tlog import LAYOUT

_HEADER, _RECORD = (LAYOUT.structure(name, "2.1") for name in ("header", "record"))
#: "Btnx", which is also Bitronix's XA format id (BTM-HDR).
FORMAT_ID = int.from_bytes(_HEADER.fields[0].constant, "big")
#: "xntB": the format id backwards (BTM-REC).
END_RECORD = int.from_bytes(_RECORD.fields[-1].constant, "big")
FILE_HEADER = struct.Struct(_HEADER.packed().format.replace("4s", "I"))  # the format id as a number
HEADER_SIZE = _HEADER.size
#: Offsets in the file header of the fields that a writer rewrites one by one.
TIMESTAMP_AT, STATE_AT, POSITION_AT = map(_HEADER.off, ("timestamp", "state", "position"))
STATE_CLEAN, STATE_UNCLEAN = 0, 0xFF

FIXED = _RECORD.packed("status", "gtrid_length")
INT = struct.Struct(">i")
LONG = struct.Struct(">q")
SHORT = struct.Struct(">H")
#: The bytes before recordLength starts to count: itself and the status.
UNCOUNTED = _RECORD.off("header_length")
#: recordLength of a record without gtrid and names; no valid one is smaller.
MIN_RECORD_LENGTH = _RECORD.size - UNCOUNTED
MAX_GTRID = 127
MAX_NAME = 0x7FFF
#: A record that reaches beyond what is loaded of the file, and is not decided yet.
NOT_LOADED = "not-loaded"
NO_END_MARKER = "no-end-marker"
#: The CRC leaves out the crc32 field and the gtridLength byte behind it.
CRC_AT, CRC_RESUMES_AT = map(_RECORD.off, ("crc32", "gtrid"))

STATUS_CODES = dict(LAYOUT.types("2.1"))
STATUS_NAMES = {status: name for name, status in STATUS_CODES.items()}


@dataclass(frozen=True, slots=True)
class Framing:
    """What the editions disagree on.

    `header_length` is the constant a writer stores. `counted_from` is the
    offset from which a stored headerLength locates the payload; None if readers
    must not use it (the products: the payload is always at 28).
    """

    log_start: int
    header_length: int
    counted_from: int | None = None


DISK = Framing(log_start=HEADER_SIZE, header_length=28)
#: The seed counts "the remainder of the header" (16) and describes no file header.
SEED = Framing(log_start=0, header_length=16, counted_from=12)
PAYLOAD_AT = _RECORD.off("gtrid_length")


class FileHeader(NamedTuple):
    """The 21 bytes at the start of a log file (disk editions)."""

    format_id: int
    timestamp: int
    state: int
    position: int


class LogRecord(NamedTuple):
    """One valid record; `names` as stored, `extension` is the seed's longer header."""

    off: int
    status: int
    record_length: int
    header_length: int
    time: int
    sequence_number: int
    crc32: int
    gtrid: bytes
    names: tuple[bytes, ...]
    extension: bytes = b""

    @property
    def end(self) -> int:
        """Where the next record starts."""
        return self.off + UNCOUNTED + self.record_length


class Fault(NamedTuple):
    """Why no valid record starts at `off`; a framed one is known to end at `end`."""

    off: int
    reason: str
    framed: bool
    end: int
    detail: str


def decode_header(data: Any) -> FileHeader:
    """Return the file header of `data`, which holds at least 21 bytes; checks nothing."""
    return FileHeader(*FILE_HEADER.unpack(data[:HEADER_SIZE]))


def encode_header(timestamp: int, state: int, position: int) -> bytes:
    """Return the 21 bytes of a file header."""
    return FILE_HEADER.pack(FORMAT_ID, timestamp, state, position)


def decode_record(data: Any, off: int, limit: int, layout: Framing = DISK) -> LogRecord | Fault:
    """Return the record of `data` at `off`, or the Fault that says why there is none.

    Never reads at or beyond `limit`, never raises, and takes time and memory
    linear in the record's length. The checks come in the spec's order: framing,
    then form, then checksum (BTM-RDR). `data` may end before `limit`, but not
    within the first 8 bytes: a record that goes on there is the fault NOT_LOADED.
    """
    if off + UNCOUNTED > limit:
        return Fault(off, "out-of-bounds", False, limit, f"{limit - off} bytes left before the tail")
    (length,) = INT.unpack_from(data, off + 4)
    end = off + UNCOUNTED + length
    if length < MIN_RECORD_LENGTH:
        return Fault(off, "bad-length", False, limit, f"recordLength {length} is below {MIN_RECORD_LENGTH}")
    if end > limit:
        return Fault(
            off, "out-of-bounds", False, limit, f"recordLength {length} reaches beyond the tail at {limit}"
        )
    if end > len(data):
        return Fault(off, NOT_LOADED, True, end, "")
    return no_end_marker(data[end - 4 : end], off, limit) or _decode_framed(data, off, end, layout)


def no_end_marker(last: Any, off: int, limit: int) -> Fault | None:
    """Return what is wrong with a record whose frame ends with the bytes `last`; None: they are right."""
    (marker,) = INT.unpack(last)
    if marker != END_RECORD:
        return Fault(
            off, NO_END_MARKER, False, limit, f"0x{marker & 0xFFFFFFFF:08x} where the end marker belongs"
        )
    return None


def _decode_framed(data: Any, off: int, end: int, layout: Framing) -> LogRecord | Fault:
    status, length, header_length, time, sequence, crc, gtrid_length = FIXED.unpack_from(data, off)
    at = off + PAYLOAD_AT
    extension = b""
    if layout.counted_from is not None:
        at = off + layout.counted_from + header_length
        if at < off + PAYLOAD_AT or at + 9 > end:
            return Fault(
                off,
                "malformed",
                True,
                end,
                f"headerLength {header_length} puts the payload outside the record",
            )
        extension = bytes(data[off + PAYLOAD_AT : at])
        gtrid_length = data[at]
    names_at = at + 1 + gtrid_length
    if gtrid_length > MAX_GTRID or names_at + 8 > end:
        return Fault(off, "malformed", True, end, f"gtridLength {gtrid_length}")
    names = _decode_names(data, names_at, end - 4)
    if isinstance(names, str):
        return Fault(off, "malformed", True, end, names)
    gtrid = bytes(data[at + 1 : names_at])
    record = LogRecord(off, status, length, header_length, time, sequence, crc, gtrid, names, extension)
    expected = (
        stored_checksum(data, record) if in_canonical_order(names) and not extension else checksum(record)
    )
    if crc != expected:
        return Fault(off, "bad-checksum", True, end, f"stored 0x{crc:08x}, computed 0x{expected:08x}")
    return record


def _decode_names(data: Any, at: int, end: int) -> tuple[bytes, ...] | str:
    """Return the names between their count at `at` and `end`, or what is wrong with them."""
    (count,) = INT.unpack_from(data, at)
    at += 4
    # Two bytes of length a name: a count that cannot fit costs nothing to refuse.
    if count < 0 or count > (end - at) // 2:
        return f"names count {count} does not fit"
    names = []
    for _ in range(count):
        if at + 2 > end:
            return f"names end at {at}, beyond the payload"
        (size,) = SHORT.unpack_from(data, at)
        at += 2
        if size > MAX_NAME or at + size > end:
            return f"name length {size} at {at - 2}"
        names.append(bytes(data[at : at + size]))
        at += size
    if at != end:
        return f"names end at {at}, the payload at {end}"
    return tuple(names)


def name_text(name: bytes) -> str:
    """Return a name as readers see it: US-ASCII, anything else as U+FFFD (BTM-CRC)."""
    return name.decode("ascii", "replace")


def in_canonical_order(names: tuple[bytes, ...]) -> bool:
    """Tell whether `names` are ASCII, ascending and without duplicates.

    Then the checksum input is the stored image itself, less five bytes.
    """
    last = None
    for name in names:
        if not name.isascii() or (last is not None and name <= last):
            return False
        last = name
    return True


def stored_checksum(data: Any, record: LogRecord) -> int:
    """Return the CRC-32 of a canonical record straight from its stored bytes."""
    head = zlib.crc32(data[record.off : record.off + CRC_AT])
    return zlib.crc32(data[record.off + CRC_RESUMES_AT : record.end], head)


def checksum(record: LogRecord) -> int:
    """Return the CRC-32 of `record` from its decoded fields, as the products do.

    The names go in as a sorted set of text, whatever their stored order, and
    come out as US-ASCII with '?' for what is not (BTM-CRC). The crc32 field and
    the gtridLength byte are not covered.
    """
    texts = sorted({name_text(name) for name in record.names})
    parts = [
        struct.pack(
            ">iiiqi",
            record.status,
            record.record_length,
            record.header_length,
            record.time,
            record.sequence_number,
        ),
        record.extension,
        record.gtrid,
        INT.pack(len(texts)),
    ]
    for text in texts:
        parts += [SHORT.pack(len(text)), text.encode("ascii", "replace")]
    parts.append(INT.pack(END_RECORD))
    return zlib.crc32(b"".join(parts))


def make_record(  # these are the record's own fields, no more
    status: int,
    gtrid: bytes,
    names: tuple[bytes, ...],
    *,
    time: int,
    sequence_number: int,
    layout: Framing = DISK,
) -> LogRecord:
    """Return a new record with its lengths and checksum filled in, not yet placed (off 0).

    Names are sorted and stripped of duplicates (BTM-WRT). Raises ValueError if
    the gtrid is not 1 to 127 bytes or a name is not 1 to 32767 printable ASCII.
    """
    if not 1 <= len(gtrid) <= MAX_GTRID:
        raise ValueError(f"a gtrid is 1 to {MAX_GTRID} bytes, this one has {len(gtrid)}")
    for name in names:
        if not 1 <= len(name) <= MAX_NAME:
            raise ValueError(f"a unique name is 1 to {MAX_NAME} bytes, this one has {len(name)}")
        if not (name.isascii() and name.decode("ascii").isprintable()):
            raise ValueError(f"a unique name is printable ASCII, this one is {name!r}")
    kept = tuple(sorted(set(names)))
    length = MIN_RECORD_LENGTH + len(gtrid) + sum(2 + len(name) for name in kept)
    # The sequence number is a Java int: it wraps and may be negative (BTM-WRT).
    wrapped = (sequence_number + 2**31) % 2**32 - 2**31
    bare = LogRecord(0, status, length, layout.header_length, time, wrapped, 0, gtrid, kept)
    return bare._replace(crc32=checksum(bare))


def encode_record(record: LogRecord) -> bytes:
    """Return the stored bytes of `record`, fields as they are."""
    parts = [
        FIXED.pack(
            record.status,
            record.record_length,
            record.header_length,
            record.time,
            record.sequence_number,
            record.crc32,
            len(record.gtrid),
        )[:PAYLOAD_AT],
        record.extension,
        bytes([len(record.gtrid)]),
        record.gtrid,
        INT.pack(len(record.names)),
    ]
    for name in record.names:
        parts += [SHORT.pack(len(name)), name]
    parts.append(INT.pack(END_RECORD))
    return b"".join(parts)
