"""Lost sectors: the files were written, but some of their sectors never reached the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built
from journalspec_corpus.jboss_journal.author import fill_of
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.layout import SEEDS, VERSIONED

LOST = Family(
    "lost-sectors",
    "R",
    "sector-hole",
    "two files of four sectors, a transaction over both, another one in doubt",
    breaks=(
        "JBM-WRT-007",
        "JBM-WRT-008",
        "JBM-RDR-014",
        "JBM-RDR-017",
        "JBM-RCV-008",
        "JBM-RCV-012",
        "JBM-RCV-025",
        "JBM-CHK-002",
        "JBM-CHK-005",
    ),
    flags=("LostSector",),
)
STALE = LOST.but(
    group="lost-sectors-old",
    category="stale-same",
    breaks=("JBM-RDR-003", "JBM-RDR-020", "JBM-WRT-007", "JBM-RCV-012", "JBM-RCV-008"),
    flags=("LostSector", "StaleBytes"),
)
SLOTS = LOST.but(
    group="slots",
    base="one record in each sector, as with an alignment of a sector",
    obeys=("JBM-HDR-014", "JBM-WRT-004", "JBM-RDR-001", "JBM-RDR-014"),
    breaks=("JBM-RDR-014", "JBM-WRT-007"),
)
BATCH = SLOTS.but(
    group="batch-hole",
    base="records that were flushed together",
    obeys=("JBM-RDR-014",),
    breaks=("JBM-WRT-007", "JBM-RDR-014"),
)
SECTOR = 512
#: (file, sector), each lost alone and some of them together.
ALONE = [(file, index) for file in (1, 2) for index in range(4)]
TOGETHER = [
    ((1, 1), (1, 3)),
    ((1, 1), (2, 1)),
    ((1, 1), (2, 3)),
    ((1, 3), (2, 2)),
    ((2, 1), (2, 2)),
    ((2, 2), (2, 3)),
]


def sectors() -> Iterator[Case]:
    """Yield every family of lost sectors."""
    for edition in ("seed", "seed+hash", "v2"):
        built = _two_files(edition)
        everything = [*[(place,) for place in ALONE], *TOGETHER]
        for lost in (
            everything
            if edition == "v2"
            else everything[:8:3]
            if edition == "seed+hash"
            else everything[:8:2]
        ):
            yield _lost(edition, built, lost, "00")
        if edition != "seed+hash":
            for place in ALONE[1:2]:
                yield _lost(edition, built, (place,), "4a" if edition == "v2" else "ff")
            for place in ALONE[::2] if edition == "v2" else ALONE[1:2]:
                yield _old(edition, built, place)
    yield from _slots()
    yield from _batch()


def _two_files(edition: str) -> Built:
    extra = "" if edition in SEEDS else " extra=78*20"
    first = [f"r{n} ADD id={n} body={0x60 + n:02x}*{149 + n}" for n in range(1, 7)]
    first += [
        "t1 ADD_TX tx=100 id=20 body=54*168",
        "t2 ADD_TX tx=100 id=21 body=55*168",
        "u UPDATE id=1 body=77*200",
    ]
    second = ["t3 ADD_TX tx=100 id=22 body=56*300", "d DELETE id=2", "c COMMIT tx=100"]
    second += [f"r{n} ADD id={n} body={0x60 + n:02x}*{140 + n}" for n in range(7, 13)]
    second += ["t4 ADD_TX tx=101 id=30 body=70*40", f"p PREPARE tx=101{extra}"]
    return journal(edition, first, second, size=4 * SECTOR)


def _word(lost: Sequence[tuple[int, int]]) -> str:
    return "-".join(f"{file}.{index}".replace(".", "s") for file, index in lost)


def _hit(built: Built, files: dict[str, bytearray]) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the labels of the records that are as written, and the places of those that are not."""
    whole, torn = [], []
    for label in built.records:
        spot = built.labels[label]
        now, then = files[spot.file][spot.off : spot.end], built.files[spot.file][spot.off : spot.end]
        if now == then:
            whole.append(label)
        elif now[:5] == then[:5]:  # type and file id
            torn.append((spot.file, spot.off))
    return whole, torn


def _lost(edition: str, built: Built, lost: Sequence[tuple[int, int]], fill: str) -> Case:
    files = built.copy().files
    for number, index in lost:
        data = files[built.labels[f"f{number}"].file]
        data[index * SECTOR : (index + 1) * SECTOR] = bytes.fromhex(fill) * SECTOR
    whole, torn = _hit(built, files)
    headless = [built.labels[f"f{number}"].file for number, index in lost if index == 0]
    notes: list[str] = []
    unusable: list[tuple[str, str]] = []
    refused = None
    if headless:
        # Without its header a file has another id: zero, or none at all where there is a version.
        whole = [label for label in whole if built.labels[label].file not in headless]
        torn = [place for place in torn if place[0] not in headless]
        if edition in VERSIONED:
            unusable, refused = [(name, "bad-version") for name in headless], ("header", "bad-version")
            notes = ["invalid-file"]
        else:
            notes = ["stale"]
    return case(
        LOST,
        edition,
        f"{'zero' if fill == '00' else 'fill-' + fill}-{_word(lost)}",
        f"Sectors {', '.join(f'{index} of file {number}' for number, index in lost)} never reached the disk",
        built,
        files,
        Seen(whole, torn, notes=notes, unusable=unusable, refused=refused),
        how=f"sectors {lost} filled with {fill}",
    )


def _old(edition: str, built: Built, place: tuple[int, int]) -> Case:
    """The sector holds records of an earlier life, wherever they begin and end."""
    number, index = place
    files = built.copy().files
    old = journal(
        edition, [f"o{n} ADD id={900 + n} body=2e*13 stamp=0x77" for n in range(55)], size=4 * SECTOR
    )
    data = files[built.labels[f"f{number}"].file]
    start, end = index * SECTOR, (index + 1) * SECTOR
    keep = built.labels[f"f{number}.header"].length if index == 0 else 0
    data[start + keep : end] = old.files[old.labels["f1"].file][start + keep : end]
    whole, torn = _hit(built, files)
    return case(
        STALE,
        edition,
        _word([place]),
        f"Sector {index} of file {number} holds what was there before, records of an earlier life",
        built,
        files,
        Seen(whole, torn, notes=["stale"]),
        how=f"sector {index} of file {number} from a file of records with the stamp 0x77",
    )


def _slots() -> Iterator[Case]:
    for edition, align in (("seed", 512), ("v1", 512), ("v2", 512), ("v2e", 4096), ("s2", 512), ("s1", 4096)):
        records = ["a ADD id=1", "x ADD_TX id=2", "c COMMIT", "b UPDATE id=1"]
        built = journal(edition, records, size=6 * align, align=align)
        for lost in (None, 1, 2, 3):
            if lost is not None and edition in ("s2", "s1", "v1") and lost != 2:  # the middle one is enough
                continue
            files = built.copy().files
            if lost is not None:
                data = files[built.labels["f1"].file]
                data[lost * align : (lost + 1) * align] = bytes.fromhex(fill_of(edition)) * align
            whole, torn = _hit(built, files)
            yield case(
                SLOTS.but(flags=()) if lost is None else SLOTS,
                edition,
                f"of-{align}-{'none' if lost is None else lost}-lost",
                f"Records in slots of {align} bytes"
                + ("" if lost is None else f", slot {lost} never written"),
                built,
                files,
                Seen(whole, torn),
                how="as described" if lost is None else f"slot {lost} filled",
            )


def _batch() -> Iterator[Case]:
    """Of three records that were written together the middle one is not there."""
    for edition in ("seed", "seed+hash", "s1", "s2", "v2"):
        for name, records in {
            "adds": ["a ADD id=1", "b ADD id=2", "c ADD id=3"],
            "transaction": ["a ADD_TX id=1", "b ADD_TX id=2", "c COMMIT"],
            "two-transactions": ["a ADD_TX tx=8 id=1", "b ADD_TX id=2", "c COMMIT tx=8", "e COMMIT"],
        }.items():
            built = journal(edition, records)
            files = built.copy().files
            spot = built.labels["b"]
            files[spot.file][spot.off : spot.end] = bytes.fromhex(fill_of(edition)) * spot.length
            yield case(
                BATCH,
                edition,
                name,
                f"Of a batch ({name}) the second record is missing",
                built,
                files,
                Seen([label for label in built.records if label != "b"]),
                how="the second record filled",
            )
