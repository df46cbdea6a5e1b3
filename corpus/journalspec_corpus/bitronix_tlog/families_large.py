"""Large and numerous: records beyond any fixed buffer, and counts that cost nothing to write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_corpus.bitronix_tlog.bench import FIRST, Family, case, first, pair, record, second
from journalspec_corpus.bitronix_tlog.plan import broken, unframed, whole
from journalspec_corpus.case import Case
from journalspec_corpus.edits import Range

#: recordLength of a record with a 16-byte gtrid and one empty name.
ONE_NAME = 29 + 16 + 2
LONGEST_NAME = 32767

LARGE = Family(
    "large-record",
    "R",
    "clean",
    "one large record and a decision behind it",
    obeys=("BTM-RDR-001", "BTM-REC-015"),
    breaks=("BTM-REC-028",),
    flags=("LargeRecord",),
)
LARGE_TORN = LARGE.but(
    group="large-record-damaged",
    category="prefix-torn",
    obeys=(),
    breaks=("BTM-REC-009", "BTM-RDR-006", "BTM-CRC-007", "BTM-RDR-007"),
    flags=("LargeRecord", "FieldDamage"),
)


def large() -> Iterator[Case]:
    """Yield records around the buffer sizes that products use, and some much larger ones."""
    for length in (8183, 8184, 8185, 8192, 8193, 16384, ONE_NAME + LONGEST_NAME):
        big = record(1, "ACTIVE", names=[f"q*{length - ONE_NAME}"])
        yield _sound(f"of-{length}", f"A record with a recordLength of {length} and one behind it", big)
        if length in (8184, 8185, 8193):
            yield _sound(
                f"of-{length}-last",
                f"A record with a recordLength of {length} is the last one",
                big,
                last=True,
            )
    names = [f"{index:02d}" + "q" * (LONGEST_NAME - 2) for index in range(32)]
    yield _sound(
        "of-a-megabyte",
        "A record of one megabyte: 32 names of the greatest length",
        record(1, "ACTIVE", names=names),
    )
    many = record(1, "ACTIVE", names=[f"{index:03x}" for index in range(1000)])
    yield _sound("of-1000-names", "A record with 1000 names", many)
    yield _empty_names()
    yield from _damaged()


def _sound(name: str, title: str, big: dict[str, Any], *, last: bool = False) -> Case:
    behind = record(2)
    built = pair([behind, big] if last else [big, behind], 64 + _room(big))
    size = len(built.files[FIRST])
    return case(
        LARGE,
        name,
        title,
        built.files,
        first(size, whole(built, *built.records)),
        second(size),
        how="as described",
    )


def _room(big: dict[str, Any]) -> int:
    """Return a file length with room for `big` and a little more."""
    built = pair([big], 2_000_000)
    return built.labels["f1.tail"].off + 64


def _empty_names() -> Case:
    """20,000 names of no bytes are one name for the checksum, and 40,000 bytes of zeros on disk."""
    big = record(1, "ACTIVE", names=[""] * 20000)
    built = pair([big, record(2)], 64 + _room(big))
    size = len(built.files[FIRST])
    return case(
        LARGE.but(
            stratum="H", category="count-bomb", obeys=("BTM-CRC-004", "BTM-RDR-007"), breaks=("BTM-REC-017",)
        ),
        "of-20000-empty-names",
        "A record with 20,000 names of no bytes each: one name for the checksum",
        built.files,
        first(size, whole(built, "r1", "r2")),
        second(size),
        how="as described",
    )


def _damaged() -> Iterator[Case]:
    big = record(1, "ACTIVE", names=["q*20000"])
    built = pair([big, record(2)], 64 + _room(big))
    size, tail = len(built.files[FIRST]), built.labels["f1.tail"].off
    flipped = built.copy()
    flipped.files[FIRST][12000] ^= 1
    yield case(
        LARGE_TORN,
        "one-bit",
        "One bit inside a name of 20,000 bytes is wrong",
        flipped.files,
        first(size, (broken(built, "r1", "bad-checksum"), *whole(built, "r2"))),
        second(size),
        how="byte 12000 of file 1 xor 01",
    )
    torn = built.copy()
    torn.put(Range(FIRST, 8192, 0), bytes(size - 8192))
    yield case(
        LARGE_TORN.but(breaks=("BTM-REC-009", "BTM-REC-010", "BTM-RDR-006")),
        "torn-at-8192",
        "A record of 20,000 bytes of which only the first two pages were written",
        torn.files,
        first(size, (unframed(built.labels["r1"], tail, "no-end-marker"),)),
        second(size),
        how="zeros from offset 8192 on",
    )
