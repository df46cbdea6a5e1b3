"""The author room and the families of the Bitronix log."""

from __future__ import annotations

from collections import Counter

import pytest

from journalspec.bitronix_tlog.build import build_file, build_record
from journalspec_corpus import load_cases
from journalspec_corpus.bitronix_tlog.author import build
from journalspec_corpus.bitronix_tlog.layout import (
    disk_parts,
    gtrid,
    header_parts,
    joined,
    names_of,
    status_of,
)

FORMAT = "bitronix_tlog"
RECORDS = [
    {"type": "COMMITTING", "gtrid": "g1", "names": ["db1", "jms1"], "seq": 7, "time": -3},
    {"type": "ACTIVE", "gtrid": "ab*127", "names": [], "seq": -1},
    {"type": 77, "gtrid": "", "names": ["q*300"], "seq": 1},
    {"type": "COMMITTED", "gtrid": "g2", "names": ["jms1", "db1", "db1"], "seq": 1},
    {"type": "COMMITTED", "gtrid": "g2", "names_hex": ["62e97365"], "seq": 1},
    {"type": "COMMITTED", "gtrid": "g2", "names": ["db1"], "header_length": 5, "seq": 1},
]


@pytest.mark.parametrize("edition", ["2.1", "seed"])
@pytest.mark.parametrize("record", RECORDS)
def test_the_author_room_and_the_schema_build_the_same_bytes(edition: str, record: dict[str, object]) -> None:
    """Two descriptions of the format, written apart, agree on the bytes and on the checksum."""
    mine = b"".join(part.data for part in disk_parts(record, 28 if edition == "2.1" else 16))
    more = {"header_length": record["header_length"]} if "header_length" in record else {}
    theirs = build_record(
        edition,
        status_of(record),
        gtrid(str(record["gtrid"])),
        names_of(record),
        time=int(str(record.get("time", 1_700_000_000_000))),
        sequence_number=int(str(record["seq"])),
        **more,
    )
    assert mine == theirs


def test_the_author_room_and_the_schema_build_the_same_file() -> None:
    built = build({"size": 512, "file1": {"timestamp": 9, "state": 255, "records": RECORDS[:1]}}, "2.1")
    spot = built.labels["f1r1"]
    record = bytes(built.files["btm1.tlog"][spot.off : spot.end])
    assert bytes(built.files["btm1.tlog"]) == build_file("2.1", [record], timestamp=9, state=255, size=512)


def test_labels_cover_every_byte_of_a_file_once() -> None:
    built = build({"size": 300, "file1": {"records": [{"id": "r1", **RECORDS[0]}]}}, "2.1")
    leaves = [
        spot
        for name, spot in built.labels.items()
        if spot.file == "btm1.tlog" and name.startswith(("f1.header.", "r1."))
    ]
    covered = Counter(off for spot in leaves for off in range(spot.off, spot.end))
    assert covered == Counter(range(built.labels["r1"].end))


def test_the_nio_banner_has_its_length() -> None:
    parts = header_parts({})
    assert len(parts[0].data) == 406
    assert len(joined(parts)) == 1024


@pytest.mark.parametrize(
    ("group", "least"),
    [
        ("torn-over-zeros", 30),
        ("torn-over-same-size", 20),
        ("torn-over-other-size", 35),
        ("torn-beyond-tail", 7),
        ("tail-ahead-over-zeros", 64),
        ("tail-behind", 64),
        ("tail-ahead-over-stale", 19),
        ("tail-value", 30),
        ("cut-both", 20),
        ("cut-first", 20),
        ("field", 128),
        ("known-answer-bit", 124),
        ("header-byte", 42),
        ("lost-sectors-zero", 22),
        ("lost-sectors-stale", 22),
        ("large-record", 10),
        ("hole-between", 10),
        ("full-file", 4),
    ],
)
def test_the_families_are_all_there(group: str, least: int) -> None:
    found = [case for case in load_cases(FORMAT) if case.id.startswith(f"btm.{group}.")]
    assert len(found) >= least


def test_no_two_smoke_cases_ask_the_same_of_the_same_bytes() -> None:
    """Equal inputs in one edition appear only where the writing differs or the point is another."""
    seen = Counter(
        (case.edition, tuple(sorted(case.files().items())))
        for case in load_cases(FORMAT)
        if case.write is None
    )
    repeated = sum(count - 1 for count in seen.values())
    assert repeated <= len(seen) // 20
