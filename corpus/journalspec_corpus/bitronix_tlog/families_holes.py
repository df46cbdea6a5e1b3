"""Holes of every size between records, and files that are full to the last byte."""

from __future__ import annotations

from collections.abc import Iterator

from journalspec_corpus.bitronix_tlog.bench import (
    FIRST,
    Family,
    case,
    decisions,
    first,
    former,
    pair,
    record,
    second,
)
from journalspec_corpus.bitronix_tlog.plan import Piece, broken, unframed, whole
from journalspec_corpus.case import Case
from journalspec_corpus.edits import Range

SIZE = 2048

HOLE = Family(
    "hole-between",
    "R",
    "sector-hole",
    "two decisions with a hole between them",
    breaks=("BTM-WRT-004", "BTM-RDR-001", "BTM-RDR-006", "BTM-REC-005", "BTM-RCV-008"),
    flags=("LostSector", "ForgedResync"),
)
FULL = HOLE.but(
    group="full-file",
    stratum="C",
    category="header-damage",
    base="31 decisions that fill the file",
    obeys=("BTM-HDR-011",),
    breaks=(),
    flags=(),
)
LAGGING = HOLE.but(
    group="damaged-before-stale",
    stratum="C",
    category="stale-same",
    base="three decisions, the previous life behind the tail",
    breaks=("BTM-REC-014", "BTM-RDR-002", "BTM-RDR-005", "BTM-RDR-014"),
    flags=("FieldDamage", "StaleBytes"),
)


def holes() -> Iterator[Case]:
    """Yield every family of this module."""
    yield from _between()
    yield from _full()
    yield from _lagging()
    yield _straddling()


def _between() -> Iterator[Case]:
    """Zeros between two records: their length is 0, or the next record's status, so there is no frame."""
    built = pair([record(1), record(3)], SIZE)
    gap, tail = built.labels["r1"].end, built.labels["f1.tail"].off
    data = bytes(built.files[FIRST])
    for width in (1, 4, 8, 12, 24, 36, 48, 58, 60, 64, 72, 120, 512):
        holed = bytearray((data[:gap] + bytes(width) + data[gap:])[:SIZE])
        holed[13:21] = (tail + width).to_bytes(8, "big")
        lost = unframed(Range(FIRST, gap, 0), tail + width, _reason(width))
        yield case(
            HOLE,
            f"of-{width:03d}",
            f"{width} bytes of zeros between two records",
            {**built.files, FIRST: holed},
            first(SIZE, (*whole(built, "r1"), lost)),
            second(SIZE),
            how=f"{width} zeros inserted at {gap}, tail moved",
        )


def _reason(width: int) -> str:
    """Return why no record stands at the hole: status and recordLength 00000008 00000038 slid by `width`.

    One byte of hole puts 08 into the highest byte of the length: far beyond the
    tail. Four put the status there, and from eight on it is zero.
    """
    return "out-of-bounds" if width == 1 else "bad-length"


def _full() -> Iterator[Case]:
    """A log that ends where the file does, and tails beyond it."""
    built = pair(decisions(31), 2005)
    for beyond in (0, 1, 64, 20000):
        changed = built.copy()
        changed.put(changed.labels["f1.header.position"], (2005 + beyond).to_bytes(8, "big"))
        problem = "bad-position" if beyond else ""
        breaks = ("BTM-HDR-009", "BTM-HDR-010", "BTM-HDR-011", "BTM-RDR-010")
        yield case(
            FULL.but(obeys=(), breaks=breaks, flags=("HeaderDamage",)) if beyond else FULL,
            f"plus-{beyond}",
            f"31 records fill the file; the tail is {beyond} bytes beyond its end",
            changed.files,
            first(2005, () if beyond else whole(built, *built.records), problem),
            second(2005),
            how=f"position 2005 changed to {2005 + beyond}",
        )


def _lagging() -> Iterator[Case]:
    """A damaged gtridLength: a reader that loses count over it reads on beyond the tail."""
    built, old = pair(decisions(3), SIZE), pair(former(8), SIZE)
    tail = built.labels["f1.tail"].off
    for value in (15, 17, 127, 200):
        changed = built.copy()
        changed.files[FIRST][tail:] = old.files[FIRST][tail:]
        changed.put(changed.labels["r2.gtrid_length"], bytes([value]))
        yield case(
            LAGGING,
            f"gtrid-length-{value}",
            f"gtridLength of the second record is {value}; behind the tail stand valid old records",
            changed.files,
            first(SIZE, (*whole(built, "r1"), broken(built, "r2", "malformed"), *whole(built, "r3"))),
            second(SIZE),
            how=f"gtridLength of r2 changed to {value}, previous life from {tail} on",
        )


def _straddling() -> Case:
    """Eight records; the last one crosses the first sector boundary, and what is behind it was lost."""
    built = pair(decisions(8), SIZE)
    changed = built.copy()
    changed.put(Range(FIRST, 512, 0), bytes(SIZE - 512))
    pieces: tuple[Piece, ...] = (
        *whole(built, *list(built.records)[:7]),
        unframed(built.labels["r8"], built.labels["f1.tail"].off, "no-end-marker"),
    )
    return case(
        HOLE.but(breaks=("BTM-WRT-003", "BTM-REC-010", "BTM-RDR-006"), flags=("LostSector", "TornWrite")),
        "straddling-512",
        "The eighth record crosses the first sector boundary, and only its first part was written",
        changed.files,
        first(SIZE, pieces),
        second(SIZE),
        how="zeros from offset 512 on",
    )
