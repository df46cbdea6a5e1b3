"""Bytes to records and back, for the disk editions and the seed's reading of them.

Nothing here reads a file or decides what a journal means; :mod:`.scan` finds and checks
records, :mod:`.recover` concludes. All integers are big-endian (BTM-REC-002).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from journalspec.bitronix_tlog import LAYOUT

_HEADER, _RECORD = (LAYOUT.structure(name, "2.1") for name in ("header", "record"))
#: "Btnx", which is also Bitronix's XA format id (BTM-HDR).
FORMAT_ID = int.from_bytes(_HEADER.fields[0].constant, "big")
#: "xntB": the format id backwards (BTM-REC-009).
END_RECORD = _RECORD.fields[-1].constant
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
T = TypeVar("T")
#: So many lists of names, of so many bytes at most, are kept as what they mean: 1 MiB in all.
KEPT, KEPT_SIZE = 4096, 256
PAYLOAD_AT, GTRID_AT = map(_RECORD.off, ("gtrid_length", "gtrid"))
#: The CRC leaves out the crc32 field and the gtridLength byte behind it (BTM-CRC-003).
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


def decode_header(data: Any) -> FileHeader:
    """Return the file header of `data`, which holds at least 21 bytes; checks nothing."""
    return FileHeader(*FILE_HEADER.unpack(data[:HEADER_SIZE]))


def encode_header(timestamp: int, state: int, position: int) -> bytes:
    """Return the 21 bytes of a file header."""
    return FILE_HEADER.pack(FORMAT_ID, timestamp, state, position)


def split_names(block: bytes, at: int = 0) -> tuple[bytes, ...] | str:
    """Return the names of a stored list (count, then length and bytes of each), or what is wrong with it.

    `at` is where it stands in its file. Takes time linear in its length, whatever the count says.
    """
    end = len(block)
    (count,) = INT.unpack_from(block)
    here = INT.size
    # Two bytes of length a name: a count that cannot fit costs nothing to refuse (BTM-REC-024).
    if count < 0 or count > (end - here) // 2:
        return f"names count {count} does not fit"
    names = []
    for _ in range(count):
        if here + 2 > end:
            return f"names end at {at + here}, beyond the payload"
        (size,) = SHORT.unpack_from(block, here)
        here += 2
        if size > MAX_NAME or here + size > end:  # BTM-REC-016
            return f"name length {size} at {at + here - 2}"
        names.append(block[here : here + size])
        here += size
    if here != end:  # BTM-REC-004
        return f"names end at {at + here}, the payload at {at + end}"
    return tuple(names)


def name_text(name: bytes) -> str:
    """Return a name as readers see it: US-ASCII, anything else as U+FFFD (BTM-CRC)."""
    return name.decode("ascii", "replace")


def is_printable(name: bytes) -> bool:
    """Tell whether every byte of a name is printable ASCII, the only interoperable kind (BTM-REC-021)."""
    return name.isascii() and name.decode("ascii").isprintable()


def summed_names(names: tuple[bytes, ...]) -> bytes:
    """Return what the checksum covers of `names`, whatever their stored order (BTM-CRC-004, BTM-CRC-005).

    They are a sorted set of text, and come out as US-ASCII with '?' for what is not.
    """
    texts = sorted({name_text(name) for name in names})
    parts = [INT.pack(len(texts))]
    for text in texts:
        parts += [SHORT.pack(len(text)), text.encode("ascii", "replace")]
    return b"".join(parts)


class Names:
    """What a stored list of names means. Records that store the same bytes share one.

    `stored` are the names in stored order, None if the list is malformed; `texts` is the set that recovery
    compares (BTM-REC-020). `summed` is what the checksum covers, `notes` are codes of notes on the list.
    A `plain` list is well-formed, without a note, and covered as it is stored.
    """

    __slots__ = ("notes", "plain", "stored", "summed", "texts")

    def __init__(self, block: bytes) -> None:
        found = split_names(block) if len(block) >= INT.size else "no room for their count"
        names = () if isinstance(found, str) else found
        self.stored = None if isinstance(found, str) else names
        self.texts = frozenset(map(name_text, names))
        self.notes: tuple[str, ...] = ()
        if not is_printable(b"".join(names)):
            self.notes += ("name-not-recoverable",)  # BTM-REC-021
        if any(name <= last for last, name in pairwise(names)):
            self.notes += ("names-unsorted",)  # BTM-REC-019
        # What is ascending and printable is stored as it is covered.
        self.plain = self.stored is not None and not self.notes
        self.summed = block if self.plain else summed_names(names)


#: What lists of names mean depends on nothing but their bytes: all scans share what they found.
KNOWN_NAMES: dict[bytes, Names] = {}


def remembered(known: dict[bytes, T], block: bytes, make: Callable[[bytes], T]) -> T:
    """Return what stored names mean: what is `known` of them, or what is made. A log repeats few lists."""
    names = known.get(block)
    if names is None:
        names = make(block)
        keep(known, block, names)
    return names


def keep(known: dict[bytes, T], block: bytes, names: T) -> None:
    """Keep what stored names mean, if they are short."""
    if len(block) <= KEPT_SIZE:
        if len(known) >= KEPT:
            known.clear()  # crafted lists must not make the next journal slow
        known[block] = names


def checksum(record: LogRecord) -> int:
    """Return the CRC-32 of `record` from its decoded fields, as the products do.

    The crc32 field and the gtridLength byte are not covered (BTM-CRC-003).
    """
    head = FIXED.pack(*record[1:6], 0, 0)[:CRC_AT]
    covered = head + record.extension + record.gtrid + summed_names(record.names) + END_RECORD
    return zlib.crc32(covered)


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
    own = record._asdict()
    del own["off"]
    # Without an extension the seed's records are laid out as all others are.
    return LAYOUT.build("record", "seed", **{**own, "names": [{"name": name} for name in record.names]})
