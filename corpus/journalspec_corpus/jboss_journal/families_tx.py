"""Transactions over several files: what is missing, what is counted, and in which order it ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built
from journalspec_corpus.jboss_journal.author import name_of
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.layout import PAIRED, SEEDS

GONE = Family(
    "tx-gone",
    "R",
    "tx-split",
    "a transaction over three files with a live record in each",
    obeys=("JBM-WRT-005", "JBM-WRT-006", "JBM-RCV-005", "JBM-RCV-013"),
    breaks=("JBM-RCV-008", "JBM-RCV-009", "JBM-RCV-012", "JBM-RCV-014", "JBM-RCV-015", "JBM-RCV-022"),
    flags=("GoneFile", "PartialTransaction"),
)
COUNT = Family(
    "tx-count",
    "R",
    "tx-split",
    "a transaction over two files, of which a varying number of records is there",
    breaks=(
        "JBM-RCV-008",
        "JBM-RCV-009",
        "JBM-RCV-010",
        "JBM-RCV-012",
        "JBM-RCV-013",
        "JBM-RCV-014",
        "JBM-WRT-002",
        "JBM-WRT-005",
        "JBM-WRT-006",
        "JBM-WRT-008",
    ),
    flags=("PartialTransaction",),
)
ODD = COUNT.but(
    group="tx-odd-pairs",
    stratum="H",
    category="count-bomb",
    breaks=("JBM-RCV-008", "JBM-RCV-009", "JBM-RCV-010", "JBM-RCV-011", "JBM-WRT-005"),
    obeys=(),
)
LOST = Family(
    "tx-lost-prepare",
    "R",
    "tx-split",
    "a PREPARE whose records did not reach the disk, and what follows it",
    obeys=("JBM-RCV-021", "JBM-RCV-020", "JBM-SED-005"),
    breaks=(
        "JBM-RCV-019",
        "JBM-RCV-021",
        "JBM-RCV-026",
        "JBM-RCV-007",
        "JBM-RCV-014",
        "JBM-RCV-015",
        "JBM-SED-005",
    ),
    flags=("LostPrepare",),
)
ORDER = Family(
    "tx-order",
    "R",
    "tx-split",
    "one file with the records of one transaction in some order",
    obeys=("JBM-RCV-005", "JBM-RCV-016", "JBM-RCV-018"),
    breaks=("JBM-RCV-007", "JBM-RCV-014", "JBM-RCV-015", "JBM-RCV-017", "JBM-RCV-022"),
    flags=("PartialTransaction",),
)


def transactions() -> Iterator[Case]:
    """Yield every family of transactions."""
    yield from _gone()
    yield from _counts()
    yield from _odd_pairs()
    yield from _lost_prepare()
    yield from _orders()


def _extra(edition: str) -> str:
    return "" if edition in SEEDS else " extra=786964"


def _gone() -> Iterator[Case]:
    ends = {"commit": ["e COMMIT"], "prepare": ["p PREPARE"], "prepare-commit": ["p PREPARE", "e COMMIT"]}
    for edition in ("seed", "seed+hash", "s1", "s2", "v2"):
        for ending, last in ends.items():
            if edition not in ("seed", "v2") and ending != "commit":
                continue
            # The seed's PREPARE has no extra data; where there is some, one letter of it.
            with_extra = [
                text + " extra=78" if "PREPARE" in text and edition not in SEEDS else text for text in last
            ]
            built = journal(
                edition,
                ["x ADD_TX id=1", "y ADD_TX id=2", "k1 ADD id=50 body=6b65657031"],
                ["v ADD_TX id=3", "k2 ADD id=51 body=6b65657032"],
                ["w ADD_TX id=4", *with_extra, "k3 ADD id=52 body=6b65657033"],
            )
            for mask in range(8):
                gone = [number for number in (1, 2, 3) if mask >> (number - 1) & 1]
                files = {
                    name: data
                    for name, data in built.files.items()
                    if name not in [name_of(number, edition) for number in gone]
                }
                stand = [label for label, record in built.records.items() if record["at"]["file"] in files]
                yield case(
                    GONE,
                    edition,
                    f"{ending}-{''.join(map(str, gone)) or 'none'}",
                    f"Of the three files of a transaction ({ending} in the third) "
                    + (f"number {', '.join(map(str, gone))} is gone" if gone else "none is gone"),
                    built,
                    files,
                    Seen(stand),
                    how=f"files {gone} removed",
                )


def _two_files(edition: str, found: tuple[int, int], ending: str) -> Built:
    first = [f"x{n} ADD_TX id={n + 1} body=61" for n in range(found[0])]
    second = [f"y{n} ADD_TX id={n + 11} body=62" for n in range(found[1])]
    return journal(edition, first, [*second, ending])


def _counts() -> Iterator[Case]:
    lists = ((), (1,), (2,), (1, 2))
    for edition in PAIRED:
        every = edition == "seed"
        for found in ((0, 1), (1, 0), (1, 1), (2, 1)):
            for listed, count in product(lists, (0, 1, 2)):
                pairs = [(number, count if number == 1 else 1) for number in listed]
                if (1 not in listed and count) or not (every or (count, listed) == (1, (1, 2))):
                    continue
                text = ",".join(f"{number}:{value}" for number, value in pairs)
                yield _counted(edition, found, f"e COMMIT pairs={text}", f"commit-list-{_word(pairs)}")
        for count in (1, 2, 3):
            yield _counted(
                edition,
                (1, 2),
                f"e PREPARE pairs=1:1,2:{count}{_extra(edition)}",
                f"prepare-list-1x1-2x{count}",
            )
    for edition in ("s2", "v1", "v2", "v2e"):
        for found in product((0, 1, 2), (0, 1, 2)) if edition == "v2" else ((1, 1), (0, 1)):
            for count in (0, 1, 2):
                yield _counted(edition, found, f"e COMMIT count={count}", f"commit-{count}")
        for count in (0, 1, 2, 3, -1) if edition == "v2" else (1, 2):
            yield _counted(
                edition,
                (1, 2),
                f"e PREPARE count={count} extra=78",
                f"prepare-{count}".replace("--", "-minus-"),
            )


def _word(pairs: list[tuple[int, int]]) -> str:
    return "-".join(f"{number}x{count}" for number, count in pairs) or "nothing"


def _counted(edition: str, found: tuple[int, int], ending: str, name: str) -> Case:
    built = _two_files(edition, found, ending)
    return case(
        COUNT,
        edition,
        f"{name}-found-{found[0]}-{found[1]}",
        f"{found[0]} records of a transaction in file 1 and {found[1]} in file 2, counted or miscounted",
        built,
        built.files,
        Seen(list(built.records)),
        how="as described",
    )


ODD_PAIRS = {
    "dup-same": ([(1, 2), (1, 2)], "the same file twice with the right number"),
    "dup-bad-last": ([(1, 2), (1, 1)], "the same file twice, the second time with a wrong number"),
    "dup-bad-first": ([(1, 1), (1, 2)], "the same file twice, the first time with a wrong number"),
    "neg-count": ([(1, -2)], "a negative number"),
    "unknown-file": ([(1, 2), (7, 3)], "a file that does not exist besides the right one"),
    "unknown-file-zero": ([(1, 2), (7, 0)], "no record in a file that does not exist"),
    "negative-file": ([(1, 2), (-5, 3)], "a file with a negative id"),
    "only-unknown": ([(7, 3)], "only a file that does not exist"),
    "free-file-listed": ([(1, 2), (2, 0)], "a file that exists and holds nothing"),
    "free-file-one": ([(1, 2), (2, 1)], "a record in a file that exists and holds nothing"),
}


def _odd_pairs() -> Iterator[Case]:
    for edition in PAIRED:
        for name, (pairs, what) in ODD_PAIRS.items():
            for kind in ("COMMIT", "PREPARE"):
                if edition != "seed" and (
                    kind == "PREPARE" or name not in ("dup-bad-last", "neg-count", "only-unknown")
                ):
                    continue
                ending: dict[str, Any] = {"label": "e", "kind": kind, "pairs": pairs}
                built = journal(edition, ["x ADD_TX id=1", "y ADD_TX id=2", ending], [])
                yield case(
                    ODD,
                    edition,
                    f"{kind.lower()}-{name}",
                    f"A {kind} of two records lists {what}",
                    built,
                    built.files,
                    Seen(["x", "y", "e"]),
                    how="as described",
                )


def _lost_prepare() -> Iterator[Case]:
    """The gap is where the records were; the numbers count what is no longer there."""
    one = {True: "pairs=1:1", False: "count=1"}
    none = {True: "pairs=", False: "count=0"}
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        paired, extra = edition in PAIRED, _extra(edition)
        keep = "k ADD id=5 body=6b656570"
        variants = {
            "alone": [f"p PREPARE {one[paired]}{extra} gap=00*34", keep],
            "last": [keep, f"p PREPARE {one[paired]}{extra} gap=00*34"],
            "then-commit": [f"p PREPARE {one[paired]}{extra} gap=00*34", f"e COMMIT {one[paired]}", keep],
            "then-commit-0": [f"p PREPARE {one[paired]}{extra} gap=00*34", f"e COMMIT {none[paired]}", keep],
            "then-rollback": [f"p PREPARE {one[paired]}{extra} gap=00*34", "e ROLLBACK", keep],
            "then-late-record": [
                f"p PREPARE {one[paired]}{extra} gap=00*34",
                "l ADD_TX id=2 body=6c617465",
                f"e COMMIT {one[paired]}",
                keep,
            ],
            "late-record-only": [f"p PREPARE {one[paired]}{extra} gap=00*34", "l ADD_TX id=2", keep],
            "empty": [f"p PREPARE {none[paired]}{extra}", keep],
            "empty-commit": [f"p PREPARE {none[paired]}{extra}", f"e COMMIT {none[paired]}", keep],
            "empty-rollback": [f"p PREPARE {none[paired]}{extra}", "e ROLLBACK", keep],
        }
        for name, records in variants.items():
            if edition in ("seed+hash", "v1", "v2e") and name not in ("alone", "then-commit", "empty"):
                continue
            built = journal(edition, records)
            yield case(
                LOST,
                edition,
                name,
                f"A PREPARE is left of a transaction: {name.replace('-', ' ')}",
                built,
                built.files,
                Seen(list(built.records)),
                how="a gap of zeros where the records were",
            )


#: What the editions get that differ from another one in nothing that matters here.
BRIEFLY = ("commit-first", "prepare", "prepare-rollback", "only-delete", "delete-short")


def _orders() -> Iterator[Case]:
    add, late = "x ADD_TX id=1", "y ADD_TX id=2"
    one = {True: "pairs=1:1", False: "count=1"}
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        n = one[edition in PAIRED]
        variants = {
            "commit": [add, "e COMMIT"],
            "commit-first": [f"e COMMIT {n}", add],
            "commit-between": [add, "e COMMIT", late],
            "commit-twice": [add, "e COMMIT", f"f COMMIT {n}"],
            "commit-rollback": [add, "e COMMIT", "f ROLLBACK"],
            "rollback-commit": [add, "e ROLLBACK", f"f COMMIT {n}"],
            "rollback-short": [add, "e ROLLBACK", late],
            "prepare": [add, "p PREPARE"],
            "prepare-commit": [add, "p PREPARE", "e COMMIT"],
            "prepare-rollback": [add, "p PREPARE", "e ROLLBACK"],
            "prepare-more-commit": [add, "p PREPARE", late, "e COMMIT"],
            "prepare-more-commit-old": [add, "p PREPARE", late, f"e COMMIT {n}"],
            "prepare-more": [add, "p PREPARE", late],
            "prepare-twice": [add, "p PREPARE", "q PREPARE"],
            "commit-again": [add, "e COMMIT", "y ADD_TX id=2", f"f COMMIT {n}"],
            "no-end": [add, late],
            "two-interleaved": [add, "y ADD_TX tx=8 id=2", "e COMMIT tx=8", "f COMMIT"],
            "two-one-open": [add, "y ADD_TX tx=8 id=2", "e COMMIT tx=8"],
            "only-delete": ["k ADD id=1", "d DELETE_TX id=1", "e COMMIT"],
            "delete-short": ["k ADD id=1", "d DELETE_TX id=1", "x ADD_TX id=2", f"e COMMIT {n}"],
        }
        for name, records in variants.items():
            if edition not in ("seed", "v2") and name not in BRIEFLY:
                continue
            built = journal(edition, records)
            yield case(
                ORDER,
                edition,
                name,
                f"One transaction's records in the order: {name.replace('-', ', ')}",
                built,
                built.files,
                Seen(list(built.records)),
                how="as described",
            )
