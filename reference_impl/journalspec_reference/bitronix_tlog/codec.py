"""Converts bytes to records and back, for the disk editions and the seed's reading of them.

The format's table defines the offset and the width of each field. All integers are big-endian (BTM-REC-002).
No function here reads a file or decides the meaning of a journal. :mod:`.scan` finds and checks records;
:mod:`.recover` computes the recovered state.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import pairwise
from operator import methodcaller
from typing import NamedTuple

from journalspec.bitronix_tlog import LAYOUT
from journalspec_reference.value_cache import ValueCache

_HEADER, _RECORD = (LAYOUT.structure(name, "2.1") for name in ("header", "record"))
#: "Btnx" (BTM-HDR-003), and the same four letters reversed (BTM-REC-009).
FORMAT_ID, END_RECORD = _HEADER.fields[0].constant, _RECORD.fields[-1].constant
#: The first bytes of an NIO journal.
BANNER = LAYOUT.structure("header", "nio").fields[0].constant
FILE_HEADER, HEADER_SIZE = _HEADER.packed(), _HEADER.size
HEADER_NAMES = _HEADER.names
#: Offsets of the fields in the file header that a writer rewrites one by one.
TIMESTAMP_AT, STATE_AT, POSITION_AT = map(_HEADER.off, ("timestamp", "state", "position"))
STATE_CLEAN, STATE_UNCLEAN = 0, 0xFF

FIXED = _RECORD.packed("status", "gtrid_length")
INT, LONG, SHORT = map(struct.Struct, (">i", ">q", ">H"))
#: The bytes that recordLength does not count: the status and recordLength itself.
UNCOUNTED = _RECORD.off("header_length")
#: The recordLength of a record without gtrid and names. No valid record has a smaller recordLength.
MIN_RECORD_LENGTH = _RECORD.size - UNCOUNTED
#: Java reads both lengths as signed numbers, so values from 128 and 32768 on become negative (BTM-REC-014).
MAX_GTRID, MAX_NAME = 127, 0x7FFF
TIME_AT, PAYLOAD_AT = map(_RECORD.off, ("time", "gtrid_length"))
#: The CRC omits the crc32 field and the gtridLength byte after it (BTM-CRC-003).
CRC_AT, CRC_RESUMES_AT = map(_RECORD.off, ("crc32", "gtrid"))

STATUS_CODES = dict(LAYOUT.types("2.1"))
STATUS_NAMES = {status: name for name, status in STATUS_CODES.items()}


class Framing(NamedTuple):
    """Represents the differences between the editions.

    `header_length` is the constant a writer stores. `counted_from` is the offset from which a stored
    headerLength locates the payload; None if readers must not use it (the products: the payload is always
    at 28).
    """

    log_start: int
    header_length: int
    counted_from: int | None = None


DISK = Framing(log_start=HEADER_SIZE, header_length=28)
#: In the seed, headerLength is the length of "the remainder of the header" (16). There is no file header.
SEED = Framing(log_start=0, header_length=16, counted_from=12)


def encode_header(timestamp: int, state: int, position: int) -> bytes:
    """Return the 21 bytes of a file header."""
    return FILE_HEADER.pack(FORMAT_ID, timestamp, state, position)


def split_names(block: bytes, at: int = 0) -> tuple[bytes, ...] | str:
    """Return the names in a stored list, or the fault of the list. The list contains a count, then length and
    bytes of each name.

    `at` is the list's offset in the file. The time is linear in the length of the list, even if the count is
    wrong.
    """
    end, here = len(block), INT.size
    (count,) = INT.unpack_from(block)
    # Each name has a two-byte length, so a count that cannot fit into the list is refused immediately
    # (BTM-REC-024).
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


#: Returns a name as readers decode it. Bytes outside US-ASCII become U+FFFD (BTM-REC-020).
name_text: Callable[[bytes], str] = methodcaller("decode", "ascii", "replace")


def is_printable(name: bytes) -> bool:
    """Return whether every byte of a name is printable ASCII.

    Only such names are interoperable (BTM-REC-021).
    """
    return name.isascii() and name.decode("ascii").isprintable()


class Names:
    """Represents a decoded list of names. Records that store the same bytes share one object.

    `stored` are the names in stored order, None if the list is malformed; `texts` is the set that recovery
    compares (BTM-REC-020). `summed` are the bytes that the checksum covers, `notes` are codes of notes on the
    list. A `plain` list is well-formed and without a note, and the checksum covers its stored bytes.
    """

    __slots__ = ("notes", "plain", "stored", "summed", "texts")

    def __init__(self, block: bytes) -> None:
        found = split_names(block)
        names = () if isinstance(found, str) else found
        self.stored = None if isinstance(found, str) else names
        self.texts = frozenset(map(name_text, names))
        self.notes: tuple[str, ...] = ()
        if not is_printable(b"".join(names)):
            self.notes += ("name-not-recoverable",)  # BTM-REC-021
        if any(name <= last for last, name in pairwise(names)):
            self.notes += ("names-unsorted",)  # BTM-REC-019
        # For ascending and printable names, the checksum covers the stored bytes.
        self.plain = self.stored is not None and not self.notes
        self.summed = block
        if not self.plain:
            # Products compute the checksum from a sorted set of texts, whatever is stored (BTM-CRC-004). They
            # convert the texts to US-ASCII with '?' for other characters (BTM-CRC-005).
            covered = [text.encode("ascii", "replace") for text in sorted(self.texts)]
            self.summed = INT.pack(len(covered)) + b"".join(SHORT.pack(len(name)) + name for name in covered)


#: Maps a stored list, or a plain list followed by the end marker, to the decoded names. The names depend only
#: on the bytes, so all scans share the results.
NAMES = ValueCache(Names)
PLAIN_NAMES: ValueCache[Names] = ValueCache(lambda block: NAMES[block[: -len(END_RECORD)]])


def encode(
    status: int, gtrid: bytes, names: tuple[bytes, ...], time: int, number: int, framing: Framing = DISK
) -> bytes:
    """Return the stored bytes of a new record. Names are sorted, and each name is stored once (BTM-REC-017).

    Raises ValueError if the gtrid is not 1 to 127 bytes or a name is not 1 to 32767 printable ASCII.
    """
    if not 1 <= len(gtrid) <= MAX_GTRID:
        raise ValueError(f"a gtrid is 1 to {MAX_GTRID} bytes, this one has {len(gtrid)}")
    for name in names:
        if not 1 <= len(name) <= MAX_NAME:
            raise ValueError(f"a unique name is 1 to {MAX_NAME} bytes, this one has {len(name)}")
        if not is_printable(name):
            raise ValueError(f"a unique name is printable ASCII, this one is {name!r}")
    # A Java int overflows without an error and may become negative (BTM-REC-026).
    fields = {"status": status, "time": time, "sequence_number": (number + 2**31) % 2**32 - 2**31}
    fields["header_length"] = framing.header_length
    return LAYOUT.build("record", "2.1", **fields, gtrid=gtrid, names=sorted(set(names)))
