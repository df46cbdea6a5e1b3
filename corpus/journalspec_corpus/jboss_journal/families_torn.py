"""Torn writes: the last record reached the disk up to some byte, over what was there before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built, Range
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.layout import PAIRED

TORN = Family(
    "torn",
    "R",
    "prefix-torn",
    "an ADD, an ADD_TX, and the record that is cut",
    obeys=("JBM-FIL-018",),
    breaks=(
        "JBM-REC-017",
        "JBM-CHK-001",
        "JBM-CHK-002",
        "JBM-CHK-005",
        "JBM-RDR-006",
        "JBM-RDR-010",
        "JBM-RDR-013",
        "JBM-RDR-017",
        "JBM-RDR-018",
        "JBM-RCV-025",
        "JBM-WRT-007",
    ),
    flags=("TornWrite",),
)
OVER = TORN.but(
    group="torn-over-old",
    category="stale-same",
    base="an ADD, and the record that is cut, over seven records of an earlier life",
    obeys=(),
    breaks=(*TORN.breaks, "JBM-RDR-003", "JBM-RDR-020"),
    flags=("TornWrite", "StaleBytes"),
)
AT_END = TORN.but(
    group="cut-at-end",
    base="an ADD, an ADD_TX, and the start of a record as the last bytes of the file",
    breaks=("JBM-RDR-004", "JBM-RDR-006", "JBM-RDR-007", "JBM-RDR-009", "JBM-RDR-017", "JBM-REC-023"),
    flags=("CutFile",),
)
SHORTER = AT_END.but(
    group="cut-file",
    category="truncated",
    obeys=("JBM-FIL-011",),
    breaks=("JBM-RDR-004", "JBM-RDR-006", "JBM-RDR-009", "JBM-RDR-017"),
)
MIDDLE = TORN.but(
    group="torn-middle",
    category="sector-hole",
    base="two ADDs, the first with 60 bytes of body",
    obeys=("JBM-CHK-003",),
    breaks=("JBM-CHK-001", "JBM-CHK-003"),
    flags=("TornWrite", "Undetectable"),
)
CAUGHT = MIDDLE.but(obeys=("JBM-CHK-004",), breaks=("JBM-CHK-005", "JBM-CHK-006"), flags=("TornWrite",))

FIRST = ["a ADD id=1 body=6669727374", "t ADD_TX tx=100 id=9 body=7478"]
LAST = {
    "add": "z ADD id=2 body=7461696c626f6479",
    "update": "z UPDATE id=1 body=7461696c",
    "add-tx": "z ADD_TX tx=100 id=2 body=7461",
    "delete": "z DELETE id=1",
    "delete-tx": "z DELETE_TX tx=100 id=1",
    "delete-tx-body": "z DELETE_TX tx=100 id=1 body=6465",
    "commit": "z COMMIT tx=100",
    "prepare": "z PREPARE tx=100",
    "prepare-extra": "z PREPARE tx=100 extra=786964",
    "rollback": "z ROLLBACK tx=100",
    "event": "z EVENT id=5 body=6576",
}
#: Edition -> record kinds that are cut after every byte (or third), and those cut at a few places.
EVERY = {
    "seed": ("add", "commit"),
    "seed+hash": ("add",),
    "s1": ("prepare-extra",),
    "s2": ("commit",),
    "v1": (),
    "v2": ("add", "prepare-extra"),
    "v2e": ("event",),
}
#: After every byte; what is not here after every third.
STEPS = {
    ("seed", "add"): 1,
    ("seed", "commit"): 2,
    ("s1", "prepare-extra"): 2,
    ("v2", "add"): 1,
    ("v2", "prepare-extra"): 1,
}
SOME = {
    "seed": ("prepare", "delete-tx", "update", "rollback"),
    "seed+hash": ("commit", "delete"),
    "s1": ("delete-tx-body", "commit"),
    "s2": ("prepare-extra",),
    "v1": ("add", "commit", "prepare-extra"),
    "v2": ("commit", "delete-tx-body", "add-tx", "delete"),
    "v2e": ("add",),
}
#: What is lost of a body of 60 bytes: from, to.
TEARS = ((40, 60), (0, 60), (0, 1), (30, 31), (59, 60))
#: Records of the earlier life, each a byte longer than the one before.
BEFORE = [f"o{n} ADD id={50 + n} body={0x41 + n:02x}*{7 + n} stamp=1" for n in range(6)]
BEFORE.append("o6 DELETE id=50 stamp=1")


class Fresh:
    """Tells whether files have not been seen before: neighbouring cuts may leave the same bytes."""

    def __init__(self) -> None:
        self._seen: set[tuple[tuple[str, bytes], ...]] = set()

    def __call__(self, files: dict[str, bytearray]) -> bool:
        """Return whether `files` are new, and remember them."""
        key = tuple(sorted((name, bytes(data)) for name, data in files.items()))
        new = key not in self._seen
        self._seen.add(key)
        return new


def torn() -> Iterator[Case]:
    """Yield every tear of the last record over each kind of background."""
    yield from _over_fill()
    yield from _over_old()
    yield from _at_end()
    yield from _shorter()
    yield from _middle()


def cut(built: Built, spot: Range, kept: int, under: bytes) -> dict[str, bytearray]:
    """Return the files with `under` (bytes at the same offsets) instead of what follows `kept` bytes."""
    files = built.copy().files
    files[spot.file][spot.off + kept : spot.end] = under[spot.off + kept : spot.end]
    return files


def is_candidate(files: dict[str, bytearray], built: Built, spot: Range) -> bool:
    """Tell whether type and file id stand at the record's place, and the whole record does not."""
    now, whole = files[spot.file][spot.off : spot.end], built.files[spot.file][spot.off : spot.end]
    return now[:5] == whole[:5] and now != whole


def _cuts(edition: str) -> Iterable[tuple[str, int]]:
    yield from ((kind, STEPS.get((edition, kind), 3)) for kind in EVERY[edition])
    yield from ((kind, 11) for kind in SOME[edition])


def _over_fill() -> Iterator[Case]:
    for edition in EVERY:
        for kind, step in _cuts(edition):
            built = journal(edition, [*FIRST, LAST[kind]])
            spot, fresh = built.labels["z"], Fresh()
            empty = bytes(journal(edition, FIRST).files[spot.file])
            for kept in range(0, spot.length + 1, step):
                files = cut(built, spot, kept, empty)
                if not fresh(files):
                    continue
                here = is_candidate(files, built, spot)
                whole = bytes(files[spot.file]) == bytes(built.files[spot.file])
                yield case(
                    TORN,
                    edition,
                    f"{kind}-{kept:02d}",
                    f"{kept} of {spot.length} bytes of the last record ({kind}) over fill",
                    built,
                    files,
                    Seen(["a", "t", *(["z"] if whole else [])], [(spot.file, spot.off)] if here else []),
                    how=f"the last record cut after {kept} bytes, fill from there",
                )


def _over_old() -> Iterator[Case]:
    for edition, step in (
        ("seed", 2),
        ("seed+hash", 4),
        ("s1", 9),
        ("s2", 9),
        ("v1", 9),
        ("v2", 2),
        ("v2e", 9),
    ):
        now = [FIRST[0], LAST["add"]]
        built = journal(edition, {"id": 5, "number": 1, "before": BEFORE, "records": now})
        spot, fresh = built.labels["z"], Fresh()
        old = bytes(journal(edition, {"id": 5, "number": 1, "records": BEFORE}).files[spot.file])
        for kept in range(0, spot.length + 1, step):
            files = cut(built, spot, kept, old)
            if not fresh(files):
                continue
            here = is_candidate(files, built, spot)
            whole = bytes(files[spot.file]) == bytes(built.files[spot.file])
            yield case(
                OVER,
                edition,
                f"add-{kept:02d}",
                f"{kept} of {spot.length} bytes of the last record over records of an earlier life",
                built,
                files,
                Seen(
                    ["a", *(["z"] if whole else [])], [(spot.file, spot.off)] if here else [], notes=["stale"]
                ),
                how=f"the last record cut after {kept} bytes, the earlier life from there",
            )


def _at_end() -> Iterator[Case]:
    chosen = {
        "seed": ("commit",),
        "s1": ("prepare-extra",),
        "v2": ("add", "prepare-extra"),
        "v2e": ("event",),
    }
    for edition, kinds in chosen.items():
        for kind in kinds:
            built = journal(edition, [*FIRST, LAST[kind]], fill="00")
            spot = built.labels["z"]
            for kept in sorted({4, 5, 13, 17, 20, spot.length - 4, spot.length - 1}):
                if kept >= spot.length:
                    continue
                files = journal(edition, FIRST, fill="00").files
                image = built.files[spot.file][spot.off : spot.off + kept]
                files[spot.file][-kept:] = image
                off = len(files[spot.file]) - kept
                here = [(spot.file, off)] if kept > 4 else []  # a candidate is a type and a file id
                yield case(
                    AT_END,
                    edition,
                    f"{kind}-{kept:02d}",
                    f"The file ends behind the first {kept} of {spot.length} bytes of a record ({kind})",
                    built,
                    files,
                    Seen(["a", "t"], here),
                    how=f"the first {kept} bytes of the record are the last of the file, zeros before",
                )


def _shorter() -> Iterator[Case]:
    for edition, kinds in (("s2", ("add",)), ("v2", ("add", "commit"))):
        for kind in kinds:
            built = journal(edition, [*FIRST, LAST[kind]])
            spot = built.labels["z"]
            for kept in sorted({0, 4, 5, 14, 17, spot.length - 4, spot.length - 1, spot.length}):
                if kept > spot.length:
                    continue
                files = built.copy().files
                del files[spot.file][spot.off + kept :]
                whole, here = kept == spot.length, 4 < kept < spot.length  # a type and a file id
                yield case(
                    SHORTER.but(obeys=("JBM-FIL-011", "JBM-RDR-023")) if whole else SHORTER,
                    edition,
                    f"{kind}-{kept:02d}",
                    f"The file was cut behind {kept} of {spot.length} bytes of its last record ({kind})",
                    built,
                    files,
                    Seen(["a", "t", *(["z"] if whole else [])], [(spot.file, spot.off)] if here else []),
                    how=f"the file cut {kept} bytes into its last record",
                )


def _middle() -> Iterator[Case]:
    """Both ends of a record arrived, its middle did not: only a hash can tell."""
    for edition in EVERY:
        built = journal(edition, ["a ADD id=1 body=5a*60", "b ADD id=3 body=6363"])
        spot, body = built.labels["a"], built.labels["a.body"]
        for first, last in TEARS if edition in ("seed", "seed+hash", "v2") else TEARS[:2]:
            files = built.copy().files
            files[spot.file][body.off + first : body.off + last] = bytes(last - first)
            hashed = edition == "seed+hash"
            altered = bytes(files[spot.file][body.off : body.end]).hex()
            seen = Seen(["b"], [(spot.file, spot.off)]) if hashed else Seen(["x", "b"])
            yield case(
                CAUGHT if hashed else MIDDLE,
                edition,
                f"{first:02d}-{last:02d}",
                f"Bytes {first} to {last} of a body of 60 never arrived: "
                + (
                    "the hash tells"
                    if hashed
                    else "the check size cannot tell, the altered record is delivered"
                ),
                built,
                files,
                seen if hashed else Seen(seen.records, added={"x": {**built.records["a"], "body": altered}}),
                how=f"bytes {first} to {last} of the body zeroed",
            )


__all__ = ["BEFORE", "FIRST", "LAST", "PAIRED", "Fresh", "cut", "is_candidate", "torn"]
