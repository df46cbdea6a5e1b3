"""Global transaction ids: the parts of Bitronix's ids, and the spellings that products and databases use."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from struct import Struct, error
from typing import NamedTuple

#: In milliseconds since 1970, this is March 1973. A larger value is a wall-clock time, a smaller one is a
#: machine's uptime.
FIRST_WALL_CLOCK = 10**11
#: The part of a Bitronix gtrid after the id of the server: a time, and a counter.
_TAIL = Struct(">qI")
#: The characters allowed in the id of a server.
_VISIBLE = bytes(range(0x21, 0x7F))
#: At most this many interpretations of a spelling without leading zeros are tried.
MOST_READINGS = 4096


class Uid(NamedTuple):
    """Represents a gtrid of Bitronix: the id of the server, a time in milliseconds, and the counter of the
    process.

    The time is wall-clock time, or (BTM 2.1.3 and 2.1.4) the time since the machine was started.
    """

    server: str
    time: int
    sequence: int

    @property
    def started(self) -> int | None:
        """Return the time in milliseconds since 1970. Return None if it is the uptime of a machine."""
        return wall_clock(self.time)

    def __str__(self) -> str:
        """Return the gtrid as ``server/milliseconds/counter``."""
        return f"{self.server}/{self.time}/{self.sequence}"


def wall_clock(time: int | None) -> int | None:
    """Return a time of Bitronix if it is wall-clock time, else None."""
    return time if time is not None and time >= FIRST_WALL_CLOCK else None


def uid(gtrid: bytes) -> Uid | None:
    """Return the parts of a gtrid of Bitronix. Return None for another form."""
    server = gtrid[: -_TAIL.size]
    if not server or server.translate(None, _VISIBLE):
        return None
    return Uid(server.decode("ascii"), *_TAIL.unpack(gtrid[-_TAIL.size :]))


def gtrid_text(gtrid: bytes) -> str:
    """Return a gtrid as ``server/milliseconds/counter``, or as hex if Bitronix did not make it."""
    return str(uid(gtrid) or gtrid.hex())


def gtrid_in_full(gtrid: bytes) -> str:
    """Return a gtrid as readable text, with its start time and its bytes."""
    known, begun = uid(gtrid), ""
    if known is None:
        return gtrid.hex()
    if known.started is not None:
        with suppress(ValueError, OverflowError, OSError):  # The year is out of range.
            begun = f"begun {datetime.fromtimestamp(known.started // 1000, UTC):%Y-%m-%d %H:%M:%S} UTC, "
    return f"{known} ({begun}gtrid {gtrid.hex()})"


def xid_text(format_id: int, gtrid: bytes, bqual: bytes) -> str:
    """Return an XA id as one text: its format, and in hexadecimal its global id and branch."""
    return f"{format_id}:{gtrid.hex()}:{bqual.hex()}"


#: The text before the gtrid in an XA id, as ActiveMQ, Bitronix, MySQL, :func:`xid_text` and Oracle spell it.
_WITHIN = re.compile(r"(?:XID:\[-?\d+,globalId=|[\w ]*XID \[|X'|-?\d+:|-?\d+\.)([0-9a-f]+)", re.IGNORECASE)
#: Two patterns: the name of a prepared transaction as PostgreSQL's driver writes it, and the parts of a
#: Bitronix gtrid.
_POSTGRES, _UID = re.compile(r"-?\d+_([\w+/]+=*)_"), re.compile(r"(.+)/(-?\d+)/(\d+)")
#: Patterns of a byte that Java prints as a hexadecimal int, with and without leading zeros. A negative byte
#: begins with ffffff.
_PADDED = re.compile("(?:ffffff(?=[89a-f]))?([0-9a-f]{2})")
_BARE = [re.compile(form) for form in ("ffffff([89a-f][0-9a-f])", "([1-7][0-9a-f])", "([0-9a-f])")]


def spelled(text: str) -> tuple[bytes, ...]:
    """Return the gtrids that a text can mean, the likeliest first. The result is empty if the text is not a
    spelling of a gtrid.

    Spellings are hexadecimal digits, ``server/milliseconds/counter``, complete XA ids, and bytes that Java
    prints as ints: ``ffffff9b`` is 9b.
    """
    text = text.strip()
    if found := _UID.fullmatch(text):
        try:
            return (found[1].encode("ascii") + _TAIL.pack(int(found[2]), int(found[3])),)
        except (UnicodeEncodeError, error):
            return ()
    if found := _POSTGRES.match(text):
        try:
            return (b64decode(found[1]),)
        except Error:
            return ()
    within = _WITHIN.match(text)
    digits = (within[1] if within else text.removeprefix("0x")).lower()
    readings = [bytes.fromhex(digits)] if re.fullmatch("([0-9a-f]{2})+", digits) else []
    if re.fullmatch(f"(?:{_PADDED.pattern})+", digits):
        readings.append(bytes.fromhex("".join(_PADDED.findall(digits))))
    readings += islice(_bare(digits), MOST_READINGS)
    return tuple(dict.fromkeys(readings))


def _bare(digits: str) -> Iterator[bytes]:
    """Yield the gtrids of Bitronix that Java prints as `digits` without leading zeros."""
    server = 0
    while re.match("[2-7][0-9a-f]", digits[server:]):
        server += 2
        yield from (bytes.fromhex(digits[:server]) + tail for tail in _tails(digits, server, _TAIL.size))


def _tails(digits: str, at: int, number: int) -> Iterator[bytes]:
    """Yield each possible interpretation of the digits from `at` on as `number` bytes."""
    left = len(digits) - at
    if not number and not left:
        yield b""
    if number <= left <= 8 * number:
        for found in filter(None, (form.match(digits, at) for form in _BARE)):
            byte = bytes.fromhex(found[1].zfill(2))
            yield from (byte + rest for rest in _tails(digits, found.end(), number - 1))
