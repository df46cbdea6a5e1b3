"""Files that were used before: what of the earlier life is left, and where it may mislead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.layout import (
    PAIRED,
    VERSIONED,
    integer,
    joined,
    record_fields,
    record_parts,
    stamp_of,
)

STALE = Family(
    "stale",
    "R",
    "stale-shifted",
    "a file with id 5, and records of earlier lives",
    obeys=("JBM-WRT-009", "JBM-WRT-017"),
    breaks=("JBM-RDR-003", "JBM-RDR-014", "JBM-RDR-019", "JBM-RDR-020", "JBM-REC-024"),
    flags=("StaleBytes",),
)
OVERLAP = STALE.but(
    group="stale-overlap", base="one new record over the start of eight old ones", category="stale-shifted"
)
EMBEDDED = STALE.but(
    group="stale-embedded",
    stratum="H",
    category="forged",
    base="a record of an earlier life whose body holds the image of one of this life",
    obeys=(),
    breaks=("JBM-RDR-003", "JBM-RDR-010", "JBM-RDR-012"),
    flags=("StaleBytes", "ForgedResync"),
)
HEADER = STALE.but(
    group="stale-header",
    category="stale-header",
    base="a reused file whose header says something else than its records",
    obeys=(),
    breaks=("JBM-WRT-009", "JBM-RDR-003", "JBM-REC-024"),
    flags=("StaleBytes", "HeaderNotUpdated"),
)
WRAP = STALE.but(
    group="stale-wrap",
    category="stale-same",
    base="file ids that agree in their low 31 bits",
    obeys=("JBM-HDR-015", "JBM-HDR-016", "JBM-HDR-017"),
    breaks=("JBM-HDR-017", "JBM-HDR-016"),
    flags=("StaleBytes", "Wrap31"),
)
EDITIONS = ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e")
NEW = ["a ADD id=1 body=6e657731", "b ADD id=2 body=6e657732", "t ADD_TX id=40 body=6f70656e"]


def stale() -> Iterator[Case]:
    """Yield every family of earlier lives."""
    yield from _behind()
    yield from _overlap()
    yield from _embedded()
    yield from _headers()
    yield from _wrap()


def _ending(edition: str, file_id: int) -> str:
    return f"pairs={file_id}:1" if edition in PAIRED else "count=1"


def _old_lives(edition: str) -> dict[str, list[str]]:
    """Return names of old contents; the stamp is that of the earlier life."""
    one = _ending(edition, 3)
    return {
        "adds": ["o ADD id=71 body=6f6c6431 stamp=3", "q ADD id=72 body=6f6c6432 stamp=3"],
        "update-of-live": ["o UPDATE id=1 body=6f6c64 stamp=3"],
        "delete-of-live": ["o DELETE id=1 stamp=3"],
        "commit-of-open": [f"o COMMIT {one} stamp=3"],
        "rollback-of-open": ["o ROLLBACK stamp=3"],
        "prepare-of-open": [f"o PREPARE {one} stamp=3"],
        "tx": ["o ADD_TX tx=8 id=80 body=6f6c647478 stamp=3", f"q COMMIT tx=8 {one} stamp=3"],
        "three-lives": [
            "o ADD id=71 body=6c332d31 stamp=4",
            "q ADD id=72 body=6c322d31 stamp=3",
            "r ADD id=73 body=6c312d31 stamp=1",
        ],
        "higher-id": ["o ADD id=71 body=68696768 stamp=9"],
        "zero-id": ["o ADD id=71 body=7a65726f stamp=0"],
        "neg-id": ["o ADD id=71 body=6e6567 stamp=-5"],
        "swapped-id": ["o ADD id=71 body=73776170 stamp=0x05000000"],
    }


def _behind() -> Iterator[Case]:
    for edition in EDITIONS:
        for name, old in _old_lives(edition).items():
            if edition not in ("seed", "v2") and name not in ("tx", "delete-of-live"):
                continue
            for place, behind in (("behind", ()), ("between", (f"e COMMIT {_ending(edition, 5)}",))):
                if behind and edition not in ("seed", "v2"):
                    continue
                built = journal(edition, {"id": 5, "number": 1, "records": [*NEW, *old, *behind]})
                yield case(
                    STALE,
                    edition,
                    f"{place}-{name}",
                    f"Records of an earlier life {place} those of this one: {name.replace('-', ' ')}",
                    built,
                    built.files,
                    Seen(["a", "b", "t", *(["e"] if behind else [])], notes=["stale"]),
                    how="records with the stamp of another file id",
                )


def _overlap() -> Iterator[Case]:
    for edition, step in (("seed", 8), ("seed+hash", 24), ("v2", 8)):
        old = [f"o{n} ADD id={70 + n} body={0x41 + n:02x}*{3 + 5 * n} stamp=3" for n in range(8)]
        for size in range(0, 60, step):
            new = f"a ADD id=1 body=6e*{size}" if size else "a ADD id=1 body="
            built = journal(edition, {"id": 5, "number": 1, "before": old, "records": [new]})
            yield case(
                OVERLAP,
                edition,
                f"body-{size:02d}",
                f"A new record with a body of {size} bytes over the start of eight old ones",
                built,
                built.files,
                Seen(["a"], notes=["stale"]),
                how="the old records laid first",
            )


def image(record: dict[str, Any], edition: str, file_id: int) -> str:
    """Return the bytes of a record of file `file_id` in hex, to be put into a body."""
    version = 1 if edition == "v1" else 2
    return joined(record_parts(record, edition, stamp_of(file_id, edition), version)).hex()


def nested(
    built: Built, outer: str, inner: dict[str, Any], skip: int, fields: dict[str, Any]
) -> dict[str, Any]:
    """Return what is reported of the record whose image begins `skip` bytes into the body of `outer`."""
    body = built.labels[f"{outer}.body"]
    length = len(bytes.fromhex(image(inner, fields["edition"], fields["file_id"])))

    reported = record_fields(inner, fields["edition"], fields["file_id"])
    return {**reported, "at": {"file": body.file, "off": str(body.off + skip), "len": str(length)}}


def _embedded() -> Iterator[Case]:
    for edition in ("seed", "seed+hash", "v2"):
        for skip in (0, 1, 4):
            inner = {"kind": "ADD", "id": 99, "body": "7068"}
            yield _within(edition, f"add-at-{skip}", inner, skip)
        yield _within(edition, "delete", {"kind": "DELETE", "id": 1}, 1)


def _within(edition: str, name: str, inner: dict[str, Any], skip: int) -> Case:
    body = "71" * skip + image(inner, edition, 5) + "717171"
    records = ["a ADD id=1 body=6e", f"o ADD id=71 body={body} stamp=3"]
    built = journal(edition, {"id": 5, "number": 1, "records": records})
    phantom = nested(built, "o", inner, skip, {"edition": edition, "file_id": 5})
    return case(
        EMBEDDED,
        edition,
        name,
        f"A record of an earlier life holds the image of one of this one: a {inner['kind']} is found",
        built,
        built.files,
        Seen(["a", "x"], added={"x": phantom}),
        how=f"the image {skip} bytes into the body",
    )


def _headers() -> Iterator[Case]:
    for edition in EDITIONS:
        new = ["t ADD_TX tx=100 id=21 body=6e6577 stamp=9", f"c COMMIT tx=100 {_ending(edition, 9)} stamp=9"]
        old = ["o ADD_TX tx=90 id=11 body=6f6c64 stamp=3", f"q COMMIT tx=90 {_ending(edition, 3)} stamp=3"]
        kept = journal(edition, {"id": 3, "number": 1, "records": [*new, *old]})
        yield case(
            HEADER,
            edition,
            "not-updated",
            "Header id 3, records of id 9: they are lost, an old one is back",
            kept,
            kept.files,
            Seen(["o", "q"], notes=["stale"]),
            how="header id 3, a transaction of id 9, then one of id 3",
        )
        ahead = journal(edition, {"id": 9, "number": 1, "records": old})
        yield case(
            HEADER,
            edition,
            "ahead",
            "The header was rewritten to id 9, no record of it is there yet: nothing is delivered",
            ahead,
            ahead.files,
            Seen([], notes=["stale"]),
            how="header id 9, a transaction of id 3",
        )


def _wrap() -> Iterator[Case]:
    for edition in EDITIONS:
        wide = edition in VERSIONED
        for name, file_id, stamp in (
            ("bit-31", 0x80000005 if wide else -0x7FFFFFFB, 5),
            ("bit-32", (1 << 32) + 5 if wide else 5, 5),
            ("high-long", (1 << 62) + 5 if wide else 6, 5),
            ("low-30", 0x40000005, 5),
            ("negative", -1, 0x7FFFFFFF),
        ):
            built = journal(edition, {"id": file_id, "number": 1, "records": [f"o ADD id=1 stamp={stamp}"]})
            same = stamp_of(file_id, edition) == stamp
            if edition not in ("seed", "v2") and name != "bit-31":
                continue
            data = built.labels["f1.header.file_id"]
            assert integer(file_id, data.length) == bytes(built.files[data.file][data.off : data.end])
            yield case(
                WRAP,
                edition,
                name,
                f"File id {file_id}, records with stamp {stamp}: "
                + ("they cannot be told from its own" if same else "those of another life"),
                built,
                built.files,
                Seen(["o"] if same else [], notes=[] if same else ["stale"]),
                how="as described",
            )
