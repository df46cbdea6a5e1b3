"""What looks like a record and is none, and what looks like none and is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from journalspec_corpus.case import Case
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.families_stale import image, nested
from journalspec_corpus.jboss_journal.layout import PAIRED, SEEDS, code_of, stamp_of

HEALTHY = Family(
    "nested-healthy",
    "R",
    "clean",
    "a healthy record whose body holds the image of another one",
    obeys=("JBM-RDR-011", "JBM-REC-020"),
    breaks=("JBM-RDR-011", "JBM-REC-020"),
    flags=("ForgedResync",),
)
TORN = HEALTHY.but(
    group="nested-torn",
    stratum="H",
    category="forged",
    base="a torn record whose body holds the image of another one",
    obeys=("JBM-RDR-012",),
    breaks=("JBM-RDR-010", "JBM-RDR-012", "JBM-RDR-017", "JBM-CHK-002", "JBM-CHK-005"),
)
FALSE = HEALTHY.but(
    group="false-header",
    stratum="H",
    category="forged",
    base="the first bytes of a record directly before a genuine one",
    obeys=("JBM-RDR-001",),
    breaks=("JBM-RDR-001", "JBM-RDR-010", "JBM-RDR-013", "JBM-RDR-017", "JBM-SED-008"),
)
TYPE_ONLY = FALSE.but(
    group="false-type",
    base="a type and the file's id directly before a genuine record",
    breaks=("JBM-RDR-002", "JBM-RDR-010", "JBM-RDR-015", "JBM-SED-008"),
)
ANY_BYTE = FALSE.but(
    group="noise",
    category="noise",
    base="bytes between two records",
    obeys=("JBM-FIL-018", "JBM-RDR-014"),
    breaks=("JBM-RDR-002", "JBM-RDR-014"),
    flags=(),
)
AROUND = ["a ADD id=1", "t ADD_TX id=2"]
PREFIX, SUFFIX = "3c3c", "3e3e3e3e3e3e"


def nests() -> Iterator[Case]:
    """Yield every family of records within records."""
    for edition in ("seed", "seed+hash", "s1", "v2"):
        for name, inner in _inner(edition).items():
            yield _healthy(edition, name, inner)
            yield _torn_check(edition, name, inner)
            yield _cut(edition, name, inner)
    yield from _false_headers()
    yield from _false_types()
    yield from _noise()


def _inner(edition: str) -> dict[str, dict[str, Any]]:
    counts = {"pairs": [(5, 1)], "count": 1}
    extra = {} if edition in SEEDS else {"extra": "786964"}
    every: dict[str, dict[str, Any]] = {
        "add": {"kind": "ADD", "id": 99, "body": "7068"},
        "update": {"kind": "UPDATE", "id": 1, "body": "7068"},
        "delete": {"kind": "DELETE", "id": 1},
        "commit": {"kind": "COMMIT", **counts},
        "rollback": {"kind": "ROLLBACK"},
        "prepare": {"kind": "PREPARE", **counts, **extra},
    }
    return every if edition in ("seed", "v2") else {"add": every["add"]}


def _outer(edition: str, inner: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"label": "o", "kind": "ADD", "id": 50, "body": PREFIX + image(inner, edition, 5) + SUFFIX, **more}


def _healthy(edition: str, name: str, inner: dict[str, Any]) -> Case:
    built = journal(
        edition, {"id": 5, "number": 1, "records": [*AROUND, _outer(edition, inner), "b ADD id=3"]}
    )
    return case(
        HEALTHY,
        edition,
        name,
        f"The image of a {inner['kind']} in the body of a healthy record is part of that body",
        built,
        built.files,
        Seen(["a", "t", "o", "b"]),
        how="the image two bytes into the body",
    )


def _torn_check(edition: str, name: str, inner: dict[str, Any]) -> Case:
    described = [*AROUND, _outer(edition, inner, check=1), "b ADD id=3"]
    built = journal(edition, {"id": 5, "number": 1, "records": described})
    spot = built.labels["o"]
    phantom = nested(built, "o", inner, 2, {"edition": edition, "file_id": 5})
    return case(
        TORN,
        edition,
        f"{name}-check",
        f"The image of a {inner['kind']} in the body of a record with wrong last bytes is found",
        built,
        built.files,
        Seen(["a", "t", "x", "b"], [(spot.file, spot.off)], added={"x": phantom}),
        how="the last four bytes of the outer record are 1",
    )


def _cut(edition: str, name: str, inner: dict[str, Any]) -> Case:
    """The outer record ends one byte behind the image, and the next record begins there."""
    built = journal(
        edition, {"id": 5, "number": 1, "records": [*AROUND, _outer(edition, inner), "b ADD id=3"]}
    )
    spot, body, after = built.labels["o"], built.labels["o.body"], built.labels["b"]
    kept = body.off + 2 + len(image(inner, edition, 5)) // 2 + 1 - spot.off
    data = built.copy().files[spot.file]
    filler = data[-1:] * (spot.length - kept)
    data[spot.off :] = data[spot.off : spot.off + kept] + data[after.off :] + filler
    moved = {**built.records["b"], "at": {**built.records["b"]["at"], "off": str(spot.off + kept)}}
    phantom = nested(built, "o", inner, 2, {"edition": edition, "file_id": 5})
    return case(
        TORN,
        edition,
        f"{name}-cut",
        f"The image of a {inner['kind']} in the body of a record that was cut behind it is found",
        built,
        {spot.file: data},
        Seen(["a", "t", "x", "y"], [(spot.file, spot.off)], added={"x": phantom, "y": moved}),
        how="the outer record cut behind the image, the next record from there",
    )


def _false_headers() -> Iterator[Case]:
    for edition, step in (("seed", 2), ("s1", 9), ("seed+hash", 9), ("v2", 2)):
        whole = image({"kind": "ADD", "id": 0xFFFF01, "body": ""}, edition, 5)
        for length in range(1, len(whole) // 2 - 3, step):
            fragment = whole[: 2 * length]
            yield _before_genuine(
                FALSE,
                edition,
                f"bytes-{length:02d}",
                fragment,
                f"The first {length} bytes of a record directly before a genuine one: it is found",
                candidate=length > 4,  # a type and a file id
            )


def _before_genuine(
    family: Family, edition: str, name: str, fragment: str, title: str, *, candidate: bool
) -> Case:
    described = ["a ADD id=1", f"b ADD id=2 body=67656e75696e65 gap={fragment}", "c ADD id=3"]
    built = journal(edition, {"id": 5, "number": 1, "records": described})
    spot = built.labels["b"]
    off = spot.off - len(fragment) // 2
    here = [(spot.file, off)] if candidate else []
    return case(
        family,
        edition,
        name,
        title,
        built,
        built.files,
        Seen(["a", "b", "c"], here),
        how=f"the bytes {fragment} before the second record",
    )


def _false_types() -> Iterator[Case]:
    kinds = ["ADD", "UPDATE", "ADD_TX", "UPDATE_TX", "DELETE", "DELETE_TX", "PREPARE", "COMMIT", "ROLLBACK"]
    for edition in ("seed", "s1", "v2", "v2e"):
        known = {code_of(kind, edition) for kind in kinds} | ({10} if edition == "v2e" else set())
        for code in (9, 10, *range(11, 20), 20, 74, 0x8B):
            if edition in ("s1", "v2e") and code not in (10, 15):
                continue
            fragment = f"{code:02x}{stamp_of(5, edition):08x}"
            yield _before_genuine(
                TYPE_ONLY,
                edition,
                f"type-{code}",
                fragment,
                f"The byte {code} and the file's id directly before a genuine record: it is found",
                candidate=code in known,
            )


def _noise() -> Iterator[Case]:
    """Every kind of fill, types in a row, and a file id without a type: none of it is damage."""
    noises = {
        "j": "4a*37",
        "zero": "00*37",
        "ff": "ff*37",
        "types": "0b*37",
        "all-types": "0a0b0c0d0e0f10111213",
        "file-ids": "00000005*9",
        "negative-types": "8b000000058c00000005",
        "foreign": "0b00000006*5",
    }
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        for name, noise in noises.items():
            if edition not in ("seed", "v2") and name not in ("types", "foreign"):
                continue
            records = ["a ADD id=1", f"b ADD id=2 gap={noise}"]
            built = journal(edition, {"id": 5, "number": 1, "records": records})
            yield case(
                ANY_BYTE,
                edition,
                name,
                f"Noise between two records ({name}): stepped over, and no damage",
                built,
                built.files,
                Seen(["a", "b"]),
                how=f"the bytes {noise} between the records",
            )


__all__ = ["PAIRED", "nests"]
