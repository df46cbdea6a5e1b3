"""Torn writes: the last record reached the disk up to some byte, over what was there before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_corpus.bitronix_tlog.bench import (
    FIRST,
    SECOND,
    Family,
    Fresh,
    case,
    decisions,
    first,
    former,
    pair,
    record,
    second,
)
from journalspec_corpus.bitronix_tlog.plan import FilePlan, Piece, broken, unframed, whole
from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built, Range

SIZE = 512
#: Offsets inside a record from which the recordLength, or the whole record, is new.
LENGTH_KNOWN, STATUS_KNOWN = 8, 4

TORN = Family(
    "torn-over-zeros",
    "R",
    "prefix-torn",
    "three decisions of 64 bytes",
    breaks=("BTM-WRT-003", "BTM-WRT-006", "BTM-REC-009", "BTM-RDR-006", "BTM-RCV-005"),
    flags=("TornWrite", "PointerAhead"),
)
TORN_SAME = TORN.but(
    group="torn-over-same-size",
    category="stale-same",
    breaks=("BTM-WRT-003", "BTM-WRT-006", "BTM-CRC-007", "BTM-RDR-005", "BTM-RCV-008"),
    flags=("TornWrite", "StaleBytes", "PointerAhead"),
)
TORN_OTHER = TORN.but(
    group="torn-over-other-size",
    category="stale-shifted",
    breaks=("BTM-WRT-003", "BTM-WRT-006", "BTM-RDR-003", "BTM-RDR-006", "BTM-RCV-008"),
    flags=("TornWrite", "StaleBytes", "PointerAhead"),
)
UNCOVERED = TORN.but(
    group="torn-beyond-tail",
    obeys=("BTM-WRT-002", "BTM-WRT-003", "BTM-WRT-004"),
    breaks=("BTM-RDR-002", "BTM-RDR-014"),
    flags=("TornWrite", "PointerBehind"),
)


def torn() -> Iterator[Case]:
    """Yield every tear of the last record over each kind of background."""
    yield from _over_zeros()
    yield from _over_same_size()
    yield from _over_other_size()
    yield from _beyond_tail()


def _unlike(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records with gtrids and names of which hardly a byte is as in this life's."""
    return [
        {**entry, "gtrid": f"{0xC0 + index:02x}*16", "names": ["abc", "xyz9"] if entry["names"] else []}
        for index, entry in enumerate(records)
    ]


def _tear(new: Built, under: bytes, kept: int) -> dict[str, bytes]:
    """Return the files with only `kept` bytes of r3 written over the background `under`."""
    edge = new.labels["r3"].off + kept
    end = new.labels["r3"].end
    data = bytes(new.files[FIRST])
    return {FIRST: data[:edge] + under[edge:end] + data[end:], SECOND: bytes(new.files[SECOND])}


def _title(kept: int, what: str) -> str:
    return f"{kept} of 64 bytes of the last record written, {what}, the tail already covers it"


def _over_zeros() -> Iterator[Case]:
    """Over zeros the length is 0 until its last byte is there, then the end marker is not."""
    new, fresh = pair(decisions(3), SIZE), Fresh()
    spot, tail = new.labels["r3"], new.labels["f1.tail"].off
    for kept in range(64):
        files = _tear(new, bytes(SIZE), kept)
        if not fresh(files):
            continue
        reason = "bad-length" if kept < LENGTH_KNOWN else "no-end-marker"
        lost = unframed(spot, tail, reason)
        yield case(
            TORN,
            f"byte-{kept:02d}",
            _title(kept, "zeros behind"),
            files,
            first(SIZE, (*whole(new, "r1", "r2"), lost)),
            second(SIZE),
            how=f"r3 cut after {kept} bytes, zeros from there",
        )


def _over_same_size() -> Iterator[Case]:
    """Over an old record of the same size the frame is right: old, new, or neither."""
    new, old, fresh = pair(decisions(3), SIZE), pair(_unlike(former(3)), SIZE), Fresh()
    spot = new.labels["r3"]
    images = {bytes(built.files[FIRST][spot.off : spot.end]): built for built in (old, new)}
    for kept in range(65):
        files = _tear(new, bytes(old.files[FIRST]), kept)
        if not fresh(files):
            continue
        owner = images.get(files[FIRST][spot.off : spot.end])
        last = broken(new, "r3", "bad-checksum") if owner is None else Piece(spot, owner.records["r3"])
        family = TORN_SAME if owner is None else _undetectable(owner is old)
        yield case(
            family,
            f"byte-{kept:02d}",
            _title(kept, "an old record of the same size behind"),
            files,
            first(SIZE, (*whole(new, "r1", "r2"), last)),
            second(SIZE),
            how=f"r3 cut after {kept} bytes, the previous life's third record from there",
        )


def _undetectable(ghost: bool) -> Family:
    """Return the family of tears that left a whole record: the old one (a ghost) or the new one."""
    if not ghost:
        return TORN_SAME.but(breaks=(), obeys=("BTM-WRT-003", "BTM-CRC-007"), flags=("StaleBytes",))
    return TORN_SAME.but(
        breaks=("BTM-WRT-003", "BTM-RDR-012"),
        flags=("TornWrite", "StaleBytes", "PointerAhead", "Undetectable"),
    )


def _over_other_size() -> Iterator[Case]:
    """Over old records of 53 bytes: an old one, one with a new status, or a frame without its end."""
    new = pair(decisions(3), SIZE)
    small = [record(number, "ACTIVE", names=[], seq=100 + number) for number in (3, 4, 5)]
    old, fresh = pair([*former(2), *_unlike(small)], SIZE), Fresh()
    spot, tail, ghost = new.labels["r3"], new.labels["f1.tail"].off, old.labels["r3"]
    rest = unframed(Range(FIRST, ghost.end, 0), tail, "out-of-bounds")
    for kept in range(64):
        files = _tear(new, bytes(old.files[FIRST]), kept)
        if not fresh(files):
            continue
        if kept < STATUS_KNOWN:
            pieces: tuple[Piece, ...] = (Piece(ghost, old.records["r3"]), rest)
        elif kept < LENGTH_KNOWN:
            pieces = (Piece(ghost, None, "bad-checksum"), rest)
        else:
            pieces = (unframed(spot, tail, "no-end-marker"),)
        yield case(
            TORN_OTHER,
            f"byte-{kept:02d}",
            _title(kept, "old records of 53 bytes behind"),
            files,
            first(SIZE, (*whole(new, "r1", "r2"), *pieces)),
            second(SIZE),
            how=f"r3 cut after {kept} bytes, the previous life's 53-byte records from there",
        )


def _beyond_tail() -> Iterator[Case]:
    """The tail does not cover the record yet: however much of it is there, it does not count."""
    new, fresh = pair(decisions(3), SIZE, position=149), Fresh()
    for kept in (1, 7, 8, 28, 60, 63, 64):
        files = _tear(new, bytes(SIZE), kept)
        if fresh(files):
            yield case(
                UNCOVERED,
                f"byte-{kept:02d}",
                f"{kept} of 64 bytes of a record written, the tail not yet moved",
                files,
                FilePlan(FIRST, 1000, SIZE, whole(new, "r1", "r2")),
                second(SIZE),
                how=f"r3 cut after {kept} bytes, zeros from there, tail at its start",
            )
