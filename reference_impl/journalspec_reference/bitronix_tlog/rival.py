"""What the file that is not active proves: that it is newer, or that decisions were not carried over.

A swap copies every decision that is still open to the new file (BTM-SWP). A decision that one file
leaves open and the active one does not know was therefore lost, whichever of the two is newer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from journalspec.observation import Missing
from journalspec_reference.bitronix_tlog.codec import LONG, STATUS_CODES, STATUS_NAMES, LogRecord

COMMITTING = STATUS_CODES["COMMITTING"]
#: What a BTM gtrid has after the id of its server: milliseconds (8 bytes) and a counter (4 bytes).
UID_TAIL = 12
#: So many transactions are spelt out in a sentence.
MOST_TOLD = 8
DOOMED = "; BTM elects {active} and rolls back every branch that is still prepared"


def uid_text(gtrid: bytes) -> str:
    """Return a gtrid as people know it, ``server/milliseconds/counter``, or as hex if it is no BTM gtrid."""
    server, rest = gtrid[:-UID_TAIL], gtrid[-UID_TAIL:]
    if not server or not all(0x21 <= byte < 0x7F for byte in server):
        return gtrid.hex()
    (time,), counter = LONG.unpack(rest[:8]), int.from_bytes(rest[8:], "big")
    return f"{server.decode('ascii')}/{time}/{counter}"


def not_carried_over(
    records: Iterable[LogRecord],
    left: Mapping[bytes, Set[str]],
    known: Collection[bytes],
    passive: str,
    active: str,
) -> Iterator[Missing]:
    """Yield the decisions that the passive file leaves open and the active one does not know.

    `records` are those of the passive file, `left` what is unfinished in it. A decision without names has
    no branch.
    """
    lost = {gtrid for gtrid, names in left.items() if names and gtrid not in known}
    if not lost:
        return
    places = {record.gtrid: record.off for record in records if record.status == COMMITTING}
    for gtrid in sorted(lost):
        text = f"{uid_text(gtrid)} is to be committed on {', '.join(sorted(left[gtrid]))}"
        text += DOOMED.format(active=active)
        yield Missing("decision", gtrid.hex(), passive, places[gtrid], text=text)


def newer(
    records: Iterable[LogRecord], copied: Collection[bytes], newest: int | None, passive: str, active: str
) -> Iterator[Missing]:
    """Yield what the passive file holds that is newer than all of the active one; nothing if it is not newer.

    `copied` are the transactions that are open in the active file: their decisions at the start of the
    passive one may be the copies of a swap that did not end. `newest` is the largest time in the active file.
    """
    first, count, begun = -1, 0, False
    last: dict[bytes, int] = {}
    for record in records:
        begun = begun or record.status != COMMITTING or record.gtrid not in copied
        if begun and (newest is None or record.time > newest):
            first, count = first if count else record.off, count + 1
            last[record.gtrid] = record.status
    if count:
        told = [f"{uid_text(gtrid)} {STATUS_NAMES.get(status, 'OTHER')}" for gtrid, status in last.items()]
        more = f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
        text = (
            f"it ends with {', '.join(told[-MOST_TOLD:])}{more}{DOOMED.format(active=active)} (BTM-DEV-001)"
        )
        yield Missing("newer-records", passive, passive, first, count, text)
