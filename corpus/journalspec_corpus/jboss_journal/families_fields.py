"""One field of one record with another value than was written, every record kind."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from journalspec_corpus.case import Case
from journalspec_corpus.edits import Built
from journalspec_corpus.jboss_journal.bench import Family, Seen, case, journal
from journalspec_corpus.jboss_journal.layout import SEEDS, code_of, integer

CAUGHT = Family(
    "field-caught",
    "C",
    "field-damage",
    "fourteen records of every kind",
    breaks=(
        "JBM-CHK-001",
        "JBM-CHK-002",
        "JBM-CHK-004",
        "JBM-CHK-005",
        "JBM-RDR-009",
        "JBM-RDR-013",
        "JBM-RDR-018",
        "JBM-REC-005",
        "JBM-REC-006",
        "JBM-REC-008",
        "JBM-REC-018",
        "JBM-SED-007",
    ),
    flags=("FieldDamage",),
)
UNSEEN = CAUGHT.but(
    group="field-unseen",
    obeys=("JBM-CHK-003", "JBM-REC-016", "JBM-REC-020", "JBM-REC-022"),
    breaks=("JBM-CHK-001",),
    flags=("FieldDamage", "Undetectable"),
)
FOREIGN = CAUGHT.but(group="field-stamp", breaks=("JBM-REC-002", "JBM-RDR-003", "JBM-REC-024", "JBM-SED-006"))
TYPE = CAUGHT.but(
    group="field-type",
    breaks=(
        "JBM-REC-002",
        "JBM-REC-003",
        "JBM-REC-004",
        "JBM-RDR-002",
        "JBM-RDR-015",
        "JBM-SED-001",
        "JBM-SED-002",
        "JBM-SED-008",
        "JBM-REC-007",
        "JBM-REC-009",
        "JBM-REC-012",
        "JBM-REC-013",
    ),
)
VALUES = CAUGHT.but(
    group="values",
    category="clean",
    base="records with numbers at the ends of their ranges",
    obeys=("JBM-REC-001", "JBM-REC-020", "JBM-REC-022", "JBM-REC-014", "JBM-HDR-003"),
    breaks=("JBM-REC-016", "JBM-REC-022", "JBM-REC-001", "JBM-REC-015", "JBM-RCV-028"),
    flags=(),
)
HASHES = CAUGHT.but(
    group="hash",
    base="a record with a hash between others",
    breaks=("JBM-CHK-004", "JBM-CHK-005", "JBM-RDR-009"),
)
#: Record label -> the fields to alter, with the amount that is added.
ALTERED = {
    "a": (
        "id+1",
        "user_type+1",
        "check_size+1",
        "check_size-4",
        "check_size+256",
        "size+1",
        "size-1",
        "body+1",
    ),
    "u": ("id+1", "user_type+1", "size+1"),
    "t1": ("tx+1", "id+1", "user_type+1", "size-1", "check_size+256"),
    "t2": ("tx-1", "id+1", "check_size+1"),
    "t3": ("tx+1", "id+1", "check_size-1"),
    "c": (
        "tx+1",
        "count+1",
        "count-1",
        "pair1.count+1",
        "pair1.file_id+1",
        "pair1.file_id-1",
        "check_size+1",
    ),
    "p": (
        "tx+1",
        "count+1",
        "pair1.count-1",
        "extra_size+1",
        "extra_size-1",
        "extra+1",
        "check_size-4",
        "check_size+256",
    ),
    "r": ("tx+1", "check_size-4"),
    "d": ("id+1", "check_size-1"),
}
#: Editions of which only some records are altered.
CHOSEN = {"seed+hash": "atc", "s1": ("t3", "p"), "s2": ("c", "p"), "v1": ("p",), "v2e": ()}
#: Record label -> the types that it is turned into.
TURNED = {
    "a": (10, 12, 13, 20, 0x8B),
    "t1": (11, 14),
    "t3": (14, 15, 16, 20),
    "c": (17, 19, 20),
    "p": (18,),
    "r": (18, 15, 16),
    "d": (15, 16, 19, 20),
}


def fields() -> Iterator[Case]:
    """Yield every family of altered fields."""
    yield from _hashes()
    for edition in ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e"):
        built = fourteen(edition)
        yield from _altered(edition, built)
        if edition in ("seed", "s1", "v2"):
            yield from _stamps(edition, built)
            yield from _types(edition, built)
        yield from _values(edition)


def fourteen(edition: str) -> Built:
    """Return a journal of fourteen records: every kind, three transactions with three ends."""
    deleted, extra = ("", "") if edition in SEEDS else (" body=7a7a", " extra=78696439")
    records = [
        "a ADD id=1 user_type=7 body=61616161",
        "b ADD id=2 user_type=7 body=62626262",
        "u UPDATE id=1 user_type=8 body=6363",
        "t1 ADD_TX tx=100 id=3 user_type=5 body=646464",
        "t2 UPDATE_TX tx=100 id=2 user_type=6 body=65",
        f"t3 DELETE_TX tx=100 id=1{deleted}",
        "c COMMIT tx=100",
        "t4 ADD_TX tx=101 id=4 user_type=5 body=6666",
        f"p PREPARE tx=101{extra}",
        "t5 ADD_TX tx=102 id=5 user_type=5 body=67",
        "r ROLLBACK tx=102",
        "g ADD id=6 user_type=7 body=6868",
        "d DELETE id=6",
        "z ADD id=7 user_type=7 body=6c617374",
    ]
    return journal(edition, records)


def _reported(record: Mapping[str, Any], field: str, change: int, edition: str) -> dict[str, Any] | None:
    """Return the record as it reads with `field` altered; None if the alteration shows."""
    if edition == "seed+hash" or field in ("size", "extra_size", "check_size", "num_files"):
        return None
    if field in ("body", "extra"):
        old = bytes.fromhex(record[field])
        return {**record, field: (bytes([old[0] + change]) + old[1:]).hex()}
    if field.startswith("pair1."):
        first, *rest = record["pairs"]
        name = field.removeprefix("pair1.")
        return {**record, "pairs": [{**first, name: first[name] + change}, *rest]}
    return {**record, field: record[field] + change}


def _altered(edition: str, built: Built) -> Iterator[Case]:
    for label, changes in ALTERED.items():
        for change in changes:
            at = max(change.find("+"), change.find("-"))
            field, amount = change[:at], int(change[at:])
            name = "hash" if field == "check_size" and edition == "seed+hash" else field
            if f"{label}.{name}" not in built.labels or label not in CHOSEN.get(edition, ALTERED):
                continue
            yield _one_field(edition, built, label, name, amount)


def _one_field(edition: str, built: Built, label: str, field: str, amount: int) -> Case:
    spot, place = built.labels[label], built.labels[f"{label}.{field}"]
    files = built.copy().files
    data = files[spot.file]
    width = 1 if field in ("body", "extra") else place.length
    value = int.from_bytes(data[place.off : place.off + width], "big") + amount
    data[place.off : place.off + width] = integer(value, width)
    reported = None if field == "hash" else _reported(built.records[label], field, amount, edition)
    stand = [
        name if name != label else "x" for name in built.records if name != label or reported is not None
    ]
    way = "plus" if amount > 0 else "minus"
    return case(
        CAUGHT if reported is None else UNSEEN,
        edition,
        f"{label}-{field.replace('.', '-').replace('_', '-')}-{way}-{abs(amount)}",
        f"Field {field} of the {built.records[label]['type']}, {way} {abs(amount)}: altered "
        + ("and shows" if reported is None else "and nothing can tell"),
        built,
        files,
        Seen(
            stand,
            [] if reported is not None else [(spot.file, spot.off)],
            added={} if reported is None else {"x": reported},
        ),
        how=f"{label}.{field} changed by {amount}",
    )


def _stamps(edition: str, built: Built) -> Iterator[Case]:
    for label in ("a", "c"):
        files = built.copy().files
        place = built.labels[f"{label}.file_id"]
        files[place.file][place.off : place.end] = integer(2, 4)
        hashed = edition == "seed+hash"
        yield case(
            FOREIGN,
            edition,
            label,
            f"A {built.records[label]['type']} has the file id of another file: it is not of this life",
            built,
            files,
            Seen([name for name in built.records if name != label], notes=[] if hashed else ["stale"]),
            how=f"{label}.file_id set to 2",
        )


#: Types of one layout: a record of the one reads as a record of the other.
ALIKE = ({"ADD", "UPDATE", "EVENT"}, {"ADD_TX", "UPDATE_TX"}, {"DELETE", "ROLLBACK"})


def _types(edition: str, built: Built) -> Iterator[Case]:
    kinds = {code_of(kind, edition): kind for kind in _kinds(edition)}
    for label, codes in TURNED.items():
        for code in codes:
            was, now = built.records[label]["type"], kinds.get(code)
            if was == now or (edition in ("s1", "v2e") and code not in (10, 15, 16)):
                continue
            files = built.copy().files
            spot = built.labels[label]
            files[spot.file][spot.off] = code
            same = now is not None and _reads_as(was, now, edition)
            stand = [name if name != label else "x" for name in built.records if name != label or same]
            yield case(
                TYPE,
                edition,
                f"{label}-to-{code}",
                f"The type of a {was} is {code}: " + (f"it reads as a {now}" if same else "it is no record"),
                built,
                files,
                Seen(
                    stand,
                    [(spot.file, spot.off)] if now is not None and not same else [],
                    added={"x": _as_kind(built.records[label], str(now))} if same else {},
                ),
                how=f"{label}.type set to {code}",
            )


def _as_kind(record: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the record as it reads with the type of a `kind` of the same layout."""
    out = {**record, "type": kind}
    if kind == "DELETE":
        out["id"] = out.pop("tx")
    elif kind == "ROLLBACK":
        out["tx"] = out.pop("id")
    return out


def _kinds(edition: str) -> list[str]:
    kinds = ["ADD", "UPDATE", "ADD_TX", "UPDATE_TX", "DELETE", "DELETE_TX", "PREPARE", "COMMIT", "ROLLBACK"]
    return [*kinds, "EVENT"] if edition == "v2e" else kinds


def _reads_as(was: str, now: str, edition: str) -> bool:
    """Tell whether a `was` with the type of a `now` is healthy: same layout, and no hash over the type."""
    if edition == "seed+hash":
        return False
    if {was, now} == {"PREPARE", "COMMIT"}:
        return edition == "seed"
    return any({was, now} <= group for group in ALIKE)


def _hashes() -> Iterator[Case]:
    """Hashes that a near miss of the rule would give; none is the one over all bytes before it."""
    for label, described in {
        "add": "x ADD id=5 body=616263",
        "commit": "x COMMIT tx=8",
        "delete": "x DELETE id=2",
        "prepare": "x PREPARE tx=8",
    }.items():
        before = ["a ADD id=1", "b ADD id=2", "t ADD_TX tx=8 id=3"]
        built = journal("seed+hash", [*before, described, "z ADD id=9"])
        spot, place = built.labels["x"], built.labels["x.hash"]
        covered = bytes(built.files[spot.file][spot.off : place.off])
        right = zlib.crc32(covered)
        for name, value in {
            "check-size": spot.length,
            "little-endian": int.from_bytes(right.to_bytes(4, "big"), "little"),
            "inverted": right ^ 0xFFFFFFFF,
            "without-type": zlib.crc32(covered[1:]),
            "adler": zlib.adler32(covered),
            "zero": 0,
        }.items():
            if label not in ("add", "commit") and name != "check-size":
                continue
            files = built.copy().files
            files[place.file][place.off : place.end] = integer(value, 4)
            yield case(
                HASHES,
                "seed+hash",
                f"{label}-{name}",
                f"A record ({label}) with another value than its CRC-32: {name.replace('-', ' ')}",
                built,
                files,
                Seen([*(name for name in built.records if name != "x")], [(spot.file, spot.off)]),
                how=f"the hash set to {value}",
            )


def _values(edition: str) -> Iterator[Case]:
    edge = 1 << 63
    sets: dict[str, list[str]] = {
        "ids": [f"i{n} ADD id={value} body=61" for n, value in enumerate((0, -1, edge - 1, -edge))],
        "transactions": [
            text
            for n, value in enumerate((0, -1, edge - 1, -edge))
            for text in (f"t{n} ADD_TX tx={value} id={n + 1}", f"c{n} COMMIT tx={value}")
        ],
        "user-types": [
            f"i{n} ADD id={n + 1} user_type={value}" for n, value in enumerate((0, 11, 127, 128, 255))
        ],
    }
    if edition in ("v2", "v2e"):
        sets["compact-counts"] = [
            f"i{n} ADD id={n + 1} compact={value}" for n, value in enumerate((0, 1, 127, -1, -128))
        ]
        sets["compact-counts-tx"] = [
            "x ADD_TX id=1 compact=-1",
            "y UPDATE_TX id=1 compact=5",
            "c COMMIT compact=-7",
        ]
    for name, records in sets.items():
        if edition not in ("seed", "v2", "v2e") and name != "ids":
            continue
        built = journal(edition, records)
        yield case(
            VALUES,
            edition,
            name,
            f"The smallest, the largest and other values of {name.replace('-', ' ')}",
            built,
            built.files,
            Seen(list(built.records)),
            how="as described",
        )
