"""The numbers of this format that more than one schema needs."""

from __future__ import annotations

from dataclasses import dataclass

#: ASCII "Btnx" (BTM-HDR-003).
FORMAT_ID = b"Btnx"
#: The format id backwards (BTM-REC-009).
END_RECORD = b"xntB"
FILE_HEADER_SIZE = 21
#: status and recordLength themselves are not counted by recordLength.
UNCOUNTED = 8
MIN_RECORD_LENGTH = 29
MAX_GTRID = 127
MAX_NAME = 32767

#: javax.transaction.Status (BTM-REC-023).
STATUS = {
    0: "ACTIVE",
    1: "MARKED_ROLLBACK",
    2: "PREPARED",
    3: "COMMITTED",
    4: "ROLLEDBACK",
    5: "UNKNOWN",
    6: "NO_TRANSACTION",
    7: "PREPARING",
    8: "COMMITTING",
    9: "ROLLING_BACK",
}
COMMITTING = 8
#: Statuses that take names off an unfinished transaction (BTM-RCV-010).
FINISHING = frozenset({3, 4, 5})
#: The nio journal's UNKNOWN takes none (BTM-NIO-013).
NIO_FINISHING = frozenset({3, 4})
#: Last words that leave a transaction in doubt (BTM-RCV-014).
UNDECIDED = frozenset({2, 7, 9})

#: The nio journal's banner, compared byte for byte (BTM-NIO-003).
NIO_BANNER = (
    b"BTM-NTJ-[Version 1.0]\r\n\r\n"
    b"--------- Bitronix Transaction Manager :: Nio Transaction Journal File ---------\r\n\r\n"
    b"    This is a delimiter based rolling binary file format belonging to BTM.\r\n"
    b"    The purpose of this file is to persist JTA transaction states for \r\n"
    b"    providing crash recovery on broken commits and rollbacks.\r\n\r\n" + b"-" * 80 + b"\r\n\r\n"
)
NIO_HEADER_END = b"\r\n\r\n"
NIO_HEADER_USED = 442
NIO_FIRST_FRAME = 1024
NIO_FRAME_START = b"\r\nLR["
NIO_MAX_PAYLOAD = 65536
#: What a payload begins with, for human eyes (BTM-NIO-011).
NIO_TAGS = {
    0: b"0-ACT:",
    1: b"1-MRB:",
    2: b"2-PRE:",
    3: b"3-CTD:",
    4: b"4-RBA:",
    5: b"5-UKN:",
    6: b"6-NTX:",
    7: b"7-PRI:",
    8: b"8-COM:",
    9: b"9-ROL:",
}
NIO_UNKNOWN_TAG = b"<unkn>"


@dataclass(frozen=True, slots=True)
class DiskEdition:
    """What the editions with bare records differ in; `log_start` is where records begin."""

    log_start: int
    header_length: int


RULES = {
    "seed": DiskEdition(0, 16),
    "2.1": DiskEdition(FILE_HEADER_SIZE, 28),
    "3.0": DiskEdition(FILE_HEADER_SIZE, 28),
}
