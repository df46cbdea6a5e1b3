"""Sizes and counts that lie: negative, huge, off by one, also with a check size that fits the lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_corpus.case import Case
from journalspec_corpus.edits import Range
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.layout import PAIRED, SEEDS, integer

BODY = Family(
    "body-size",
    "H",
    "hostile-length",
    "three ADDs, the size field of the second altered",
    breaks=(
        "JBM-RDR-005",
        "JBM-RDR-006",
        "JBM-RDR-009",
        "JBM-RDR-013",
        "JBM-RDR-021",
        "JBM-CHK-002",
        "JBM-CHK-005",
    ),
    flags=("HostileLength",),
)
EXTRA = BODY.but(
    group="extra-size",
    base="a PREPARE with a lying extra size between an ADD_TX and an ADD",
    breaks=("JBM-RDR-008", "JBM-RDR-006", "JBM-RDR-021", "JBM-REC-011", "JBM-REC-013"),
)
FILES = BODY.but(
    group="file-count",
    category="count-bomb",
    base="a COMMIT or PREPARE with a lying number of files between an ADD_TX and an ADD",
    breaks=("JBM-RDR-007", "JBM-RDR-021", "JBM-REC-010", "JBM-SED-003", "JBM-SED-004"),
)
EDGE = BODY.but(
    group="size-to-end",
    category="clean",
    base="a record that reaches to the end of its file or beyond",
    obeys=("JBM-RDR-023", "JBM-WRT-001"),
    breaks=("JBM-RDR-006", "JBM-RDR-023"),
)
EMPTY = BODY.but(
    group="size-zero",
    category="clean",
    base="records with empty bodies",
    obeys=("JBM-REC-021", "JBM-REC-005", "JBM-REC-006", "JBM-REC-008"),
    breaks=("JBM-REC-021",),
    flags=(),
)
SIZES = (
    -1,
    -4,
    -8,
    -22,
    -23,
    -26,
    -27,
    -100,
    -(1 << 31),
    (1 << 31) - 1,
    0x7FFFFF00,
    1 << 30,
    1024,
    1023,
    5,
    3,
)
COUNTS = (
    -1,
    -2,
    -1000,
    -(1 << 31),
    -(1 << 29),
    (1 << 29) - 1,
    1 << 29,
    (1 << 29) + 1,
    1 << 30,
    (1 << 31) - 1,
    1 << 28,
    0,
    2,
    100,
    125,
    200,
)


def sizes() -> Iterator[Case]:
    """Yield every family of lying sizes."""
    yield from _bodies()
    yield from _extras()
    yield from _file_counts()
    yield from _to_end()
    yield from _empty()


def _word(value: int) -> str:
    return f"minus-{-value}" if value < 0 else str(value)


def _lie(
    family: Family,
    edition: str,
    name: str,
    title: str,
    records: list[Any],
    target: str,
    value: int,
    naive: int,
) -> Case:
    """Return the case of one size field; `naive` is the length that it makes a careless reader see, or 0."""
    built = journal(edition, records)
    field, spot = built.labels[target], built.labels["b"]
    files = built.copy().files
    files[spot.file][field.off : field.end] = integer(value, 4)
    if naive:
        at = spot.off + naive - 4
        files[spot.file][at : at + 4] = integer(naive, 4)
    first = [label for label in built.records if label not in ("b", "c")]
    return case(
        family,
        edition,
        name,
        title,
        built,
        files,
        Seen([*first, "c"], [(spot.file, spot.off)]),
        how=f"{target} set to {value}" + (f", {naive} where a careless reader looks for it" if naive else ""),
    )


def _bodies() -> Iterator[Case]:
    records = ["a ADD id=1", "b ADD id=2 body=62626262", "c ADD id=3"]
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        fixed = 23 if edition in ("v2", "v2e") else 22
        for value in SIZES:
            if edition not in ("seed", "v2") and value not in (-1, (1 << 31) - 1):
                continue
            yield _lie(
                BODY,
                edition,
                f"add-{_word(value)}",
                f"The size of a body of 4 bytes says {value}",
                records,
                "b.size",
                value,
                0,
            )
        for value in (-9, -10, -12, -13):
            if edition in ("seed", "v2"):  # the fitting length then stands in the record id
                yield _lie(
                    BODY,
                    edition,
                    f"add-{_word(value)}-fitting",
                    f"A size of {value}, and the length that would fit it where a careless reader looks",
                    records,
                    "b.size",
                    value,
                    fixed + value,
                )


def _extras() -> Iterator[Case]:
    for edition in ("s1", "s2", "v1", "v2", "v2e"):
        fixed = 26 if edition in ("v2", "v2e") else 25
        records = ["a ADD_TX id=1", "b PREPARE extra=786964", "c ADD id=3"]
        for value in (-1, -8, -16, -100, -(1 << 31), (1 << 31) - 1, 0x7FFFFF00, 1024, 1000, 0, 1, 2):
            if edition != "v2" and value not in (-8, (1 << 31) - 1):
                continue
            yield _lie(
                EXTRA,
                edition,
                f"prepare-{_word(value)}",
                f"The size of 3 bytes of extra data says {value}",
                records,
                "b.extra_size",
                value,
                0,
            )
        if edition == "s1":
            continue  # its number of files stands between the size and the end
        for value in (-8, -9, -12, -13, -16) if edition == "v2" else (-8,):
            yield _lie(
                EXTRA,
                edition,
                f"prepare-{_word(value)}-fitting",
                f"An extra size of {value}, and the length that would fit it where a careless reader looks",
                ["a ADD_TX id=1", "b PREPARE extra=00*4", "c ADD id=3"],
                "b.extra_size",
                value,
                fixed + value,
            )


def _file_counts() -> Iterator[Case]:
    for edition in PAIRED:
        for kind in ("COMMIT", "PREPARE"):
            extra = " extra=786964" if kind == "PREPARE" and edition not in SEEDS else ""
            for value in COUNTS:
                if (edition != "seed" or kind == "PREPARE") and value not in (-1, (1 << 29) + 1):
                    continue
                yield _lie(
                    FILES,
                    edition,
                    f"{kind.lower()}-{_word(value)}",
                    f"The number of files of a {kind} that lists one says {value}",
                    ["a ADD_TX id=1", f"b {kind}{extra}", "c ADD id=3"],
                    "b.num_files",
                    value,
                    0,
                )
        # 21 bytes and 8 times the number, counted in 32 bits.
        for value, naive in ((-1, 13), (1 << 29, 21), (1 << 30, 21)):
            yield _lie(
                FILES,
                edition,
                f"commit-{_word(value)}-fitting",
                f"{value} files, and the length that 32 bits make of it where a careless reader looks",
                ["a ADD_TX id=1", "b COMMIT pairs=", "c ADD id=3 gap=00*40"],
                "b.num_files",
                value,
                naive,
            )


def _to_end() -> Iterator[Case]:
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        header = len(journal(edition, []).files) and journal(edition, []).labels["f1.header"].length
        fixed = 23 if edition in ("v2", "v2e") else 22
        room = 1024 - header - fixed
        built = journal(edition, [f"a ADD id=1 body=7a*{room}"])
        yield case(
            EDGE,
            edition,
            "exactly",
            "A record ends with the last byte of its file",
            built,
            built.files,
            Seen(["a"]),
            how="a body as long as the file allows",
        )
        for more in (1, 2) if edition in ("seed", "v2") else (1,):
            files = built.copy().files
            place: Range = built.labels["a.size"]
            files[place.file][place.off : place.end] = integer(room + more, 4)
            yield case(
                EDGE,
                edition,
                f"beyond-{more}",
                f"A record claims to end {more} behind the last byte of its file",
                built,
                files,
                Seen([], [(place.file, header)]),
                how=f"the size {more} too large",
            )


def _empty() -> Iterator[Case]:
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        extra = "" if edition in SEEDS else " extra="
        records = [
            "a ADD id=1 body=",
            "b UPDATE id=1 body=",
            "x ADD_TX id=2 body=",
            "y UPDATE_TX id=1 body=",
            "z DELETE_TX id=7",
            f"p PREPARE{extra}",
            "e COMMIT",
        ]
        built = journal(edition, records)
        yield case(
            EMPTY,
            edition,
            "every-kind",
            "Records of every kind with empty bodies",
            built,
            built.files,
            Seen(list(built.records)),
            how="as described",
        )
