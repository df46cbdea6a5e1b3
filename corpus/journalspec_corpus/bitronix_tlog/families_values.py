"""Values at and beyond the edges of their fields, in records that are otherwise sound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_corpus.bitronix_tlog.author import seal
from journalspec_corpus.bitronix_tlog.bench import (
    FIRST,
    FORMAT,
    Family,
    case,
    decisions,
    first,
    pair,
    record,
    second,
)
from journalspec_corpus.bitronix_tlog.families_pointer import journal
from journalspec_corpus.bitronix_tlog.plan import broken, whole
from journalspec_corpus.case import Case, Origin
from journalspec_corpus.edits import Built
from journalspec_corpus.making import make_case

SIZE = 1024

TOO_LONG = Family(
    "too-long",
    "H",
    "hostile-length",
    "a sound record whose one length is beyond its range",
    breaks=("BTM-WRT-001", "BTM-RDR-005", "BTM-RCV-008"),
    flags=("HostileLength",),
)
HEADER_LENGTH = TOO_LONG.but(
    group="header-length",
    breaks=("BTM-REC-006", "BTM-REC-007", "BTM-REC-008"),
    obeys=("BTM-CRC-006",),
)
NUMBERS = TOO_LONG.but(group="numbers", category="clean", breaks=("BTM-REC-027",), flags=())
NO_NAMES = TOO_LONG.but(
    group="negative-count",
    category="count-bomb",
    breaks=("BTM-REC-024", "BTM-RDR-005", "BTM-RDR-007"),
)
STATE = TOO_LONG.but(
    group="state",
    stratum="C",
    category="header-damage",
    breaks=("BTM-HDR-006", "BTM-HDR-007", "BTM-HDR-008"),
    flags=("HeaderDamage",),
)
REPEATED = TOO_LONG.but(group="repeated", stratum="R", category="clean", breaks=("BTM-RDR-008",), flags=())


def values() -> Iterator[Case]:
    """Yield every family of edge values."""
    yield from _too_long()
    yield from _header_lengths()
    yield from _numbers()
    yield from _repeated()
    yield from _negative_counts()
    yield from _states()


def _too_long() -> Iterator[Case]:
    """A gtrid or a name that a signed length reads as negative, though everything adds up."""
    for length in (128, 129, 200, 255):
        long = record(2, gtrid=f"ab*{length}")
        yield _malformed(
            f"gtrid-of-{length}", f"A gtrid of {length} bytes", long, ("BTM-REC-011", "BTM-REC-014")
        )
    for length in (32768, 40000, 65535):
        long = record(2, "ACTIVE", names=[f"q*{length}"])
        yield _malformed(
            f"name-of-{length}", f"A name of {length} bytes", long, ("BTM-REC-015", "BTM-REC-016")
        )


def _malformed(name: str, what: str, long: dict[str, Any], breaks: tuple[str, ...]) -> Case:
    built = pair([record(1), long, record(3)], 70_000 if "name" in name else SIZE)
    size = len(built.files[FIRST])
    pieces = (*whole(built, "r1"), broken(built, "r2", "malformed"), *whole(built, "r3"))
    return case(
        TOO_LONG.but(breaks=(*TOO_LONG.breaks, *breaks)),
        name,
        f"{what} in a record whose lengths add up and whose checksum fits: malformed all the same",
        built.files,
        first(size, pieces),
        second(size),
        how="as described",
    )


def _header_lengths() -> Iterator[Case]:
    """A headerLength that is not 28, under a checksum that covers it."""
    for value in (0, 16, 27, 29, 33, (1 << 31) - 1, -1):
        built = pair([record(1), record(2, header_length=value), record(3)], SIZE)
        word = f"minus-{-value}" if value < 0 else f"of-{value}"
        yield case(
            HEADER_LENGTH,
            word,
            f"The second record has a headerLength of {value} and a checksum that fits it",
            built.files,
            first(SIZE, whole(built, "r1", "r2", "r3")),
            second(SIZE),
            how="as described",
            notes=("header-length",),
        )


def _numbers() -> Iterator[Case]:
    """Times and sequence numbers at the ends of their ranges, one case each."""
    times, sequences = (-1, -(1 << 63), (1 << 63) - 1, 0), (-1, -(1 << 31), (1 << 31) - 1, 0)
    for field, chosen in (("time", times), ("seq", sequences)):
        for value in chosen:
            word = f"{field}-minus-{-value}" if value < 0 else f"{field}-{value}"
            more: dict[str, Any] = {field: value}
            built = pair([record(1), record(2, **more)], SIZE)
            yield _in_full(NUMBERS, word, f"A record with a {field} of {value}", built)


def _repeated() -> Iterator[Case]:
    """Records that are equal to others byte for byte."""
    once = decisions(2)
    again = [{**entry, "id": f"again{index}"} for index, entry in enumerate(once, start=1)]
    yield _in_full(
        REPEATED,
        "next-to-each-other",
        "The same record twice, one behind the other",
        pair([once[0], again[0]], SIZE),
    )
    yield _in_full(
        REPEATED, "whole-log", "The same two records twice over", pair([*once, *again], SIZE), ("r1", "r2")
    )


def _negative_counts() -> Iterator[Case]:
    """A record without names whose count is negative: nothing is left over, and yet it is no count."""
    for value in (-1, -2, -32768, -(1 << 31)):
        built = pair([record(1), record(2, names=[], names_count=value), record(3)], SIZE)
        damaged = built.copy()
        seal(damaged, "r2")
        yield case(
            NO_NAMES,
            f"minus-{-value}",
            f"A record without names claims {value} of them, under a checksum over that number",
            damaged.files,
            first(SIZE, (*whole(built, "r1"), broken(built, "r2", "malformed"), *whole(built, "r3"))),
            second(SIZE),
            how="as described",
        )


def _states() -> Iterator[Case]:
    """State bytes that no writer leaves."""
    for value in (1, 2, 127, 128, 254):
        built = journal()
        built.put(built.labels["f1.header.state"], bytes([value]))
        size = len(built.files[FIRST])
        yield case(
            STATE,
            f"of-{value}",
            f"The active file's state byte is {value}: reported, and of no influence",
            built.files,
            first(size, whole(built, *built.records)),
            second(size),
            how="as described",
            notes=("bad-state",),
        )


def _in_full(family: Family, name: str, title: str, built: Built, decided: tuple[str, ...] = ()) -> Case:
    """Return a clean case that compares every field of every record.

    `decided` names one record of each transaction; by default every record
    decides a transaction of its own, or all the same one.
    """
    records = list(built.records.values())
    left = {
        built.records[label]["gtrid"]: built.records[label]["names"] for label in decided or built.records
    }
    state = {
        "active": FIRST,
        "unfinished": [{"gtrid": gtrid, "names": left[gtrid]} for gtrid in sorted(left)],
        "in_doubt": [],
    }
    answer = {"verdict": "clean", "records": records, "dropped": [], "state": state}
    questions = (
        {"op": "read"},
        {"op": "recover", "policy": "strict"},
        {"op": "recover", "policy": "salvage"},
    )
    return make_case(
        f"btm.{family.group}.{name}",
        title=title,
        format_id=FORMAT,
        edition=family.edition,
        stratum=family.stratum,
        category=family.category,
        breaks=family.breaks,
        origin=Origin("family", "one or two records", "as described", family.checked_by),
        files=built.content(),
        expect=[{"when": when, **answer} for when in questions],
    )
