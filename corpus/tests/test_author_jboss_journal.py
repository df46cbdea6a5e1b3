"""The author room of the JBoss journal, its rules of replay, and who confirmed its cases."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from journalspec.jboss_journal.build import build_control_file, build_file, build_record
from journalspec_corpus import load_cases
from journalspec_corpus.jboss_journal.author import build, parsed
from journalspec_corpus.jboss_journal.judged import render, table
from journalspec_corpus.jboss_journal.layout import (
    PAIRED,
    SEEDS,
    body_of,
    claim,
    compacted,
    joined,
    record_parts,
    stamp_of,
)
from journalspec_corpus.jboss_journal.naive import replayed
from journalspec_corpus.publish import collect

FORMAT = "jboss_journal"
EDITIONS = ("seed", "seed+hash", "s1", "s2", "v1", "v2", "v2e")
RECORDS = [
    "x ADD id=1 user_type=7 body=aabb",
    "x UPDATE id=-1 user_type=255 body=",
    "x ADD_TX tx=100 id=3 user_type=5 body=deadbeef",
    "x UPDATE_TX tx=-9 id=9223372036854775807 body=00*20",
    "x DELETE id=2",
    "x DELETE_TX tx=100 id=1",
    "x ROLLBACK tx=102",
]
#: Records as products wrote them: edition, record, file id, bytes.
GOLDEN = [
    ("seed", "x ADD id=1 user_type=7 body=aabb", 1, "0b000000010000000000000001 0000000207aabb00000018"),
    ("seed", "x DELETE id=2", 1, "0f00000001000000000000000200000011"),
    ("seed", "x DELETE_TX tx=100 id=1", 1, "10000000010000000000000064000000000000000100000019"),
    ("seed", "x COMMIT tx=100 pairs=1:3", 1, "120000000100000000000000640000000100000001000000030000001d"),
    ("seed", "x ROLLBACK tx=102", 1, "1300000001000000000000006600000011"),
    (
        "s1",
        "x DELETE_TX tx=101 id=3 body=77",
        1,
        "0f000000010000000000000065 0000000000000003 00000001 77 0000001e",
    ),
    (
        "s1",
        "x PREPARE tx=101 extra=787878 pairs=1:2",
        1,
        "1100000001000000000000006500000003000000017878780000000100000002 00000024",
    ),
    ("v2", "x ADD id=1 user_type=7 body=aabb", 1, "0b0000000100000000000000000100000002 07aabb 00000019"),
    ("v2", "x DELETE_TX tx=100 id=1", 1, "0f00000001000000000000000064000000000000000100000000 0000001e"),
    (
        "v2",
        "x PREPARE tx=101 count=2 extra=787878",
        1,
        "1100000001000000000000000065 00000002 00000003 787878 0000001d",
    ),
    ("v2", "x COMMIT tx=100 count=1", 3, "1200000003000000000000000064 00000001 00000016"),
    ("v2e", "x EVENT id=9 user_type=1 body=4545", 1, "0a0000000100000000000000000900000002 01 4545 00000019"),
]


def made(text: str, edition: str, file_id: int = 1) -> bytes:
    record = parsed(text, "x")
    return joined(record_parts(record, edition, stamp_of(file_id, edition), 1 if edition == "v1" else 2))


@pytest.mark.parametrize(("edition", "text", "file_id", "expected"), GOLDEN)
def test_the_author_room_writes_what_products_wrote(
    edition: str, text: str, file_id: int, expected: str
) -> None:
    assert made(text, edition, file_id) == bytes.fromhex(expected)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("text", RECORDS)
def test_the_author_room_and_the_schema_build_the_same_record(edition: str, text: str) -> None:
    """Two descriptions of the format, written apart, agree on the bytes."""
    record = parsed(text, "x")
    fields: dict[str, Any] = {key: record[key] for key in ("tx", "id") if key in record}
    if "body" in record:
        fields |= {"body": body_of(record), "user_type": record.get("user_type", 1)}
    assert made(text, edition) == build_record(edition, record["kind"], 1, **fields)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_author_room_and_the_schema_build_the_same_endings(edition: str) -> None:
    counts: dict[str, Any] = {"pairs": [(1, 2), (7, 1)]} if edition in PAIRED else {"count": 3}
    text = "tx=9 pairs=1:2,7:1" if edition in PAIRED else "tx=9 count=3"
    assert made(f"x COMMIT {text}", edition) == build_record(edition, "COMMIT", 1, tx=9, **counts)
    extra: dict[str, Any] = {} if edition in SEEDS else {"extra": b"\1\2"}
    suffix = "" if edition in SEEDS else " extra=0102"
    assert made(f"x PREPARE {text}{suffix}", edition) == build_record(
        edition, "PREPARE", 1, tx=9, **counts, **extra
    )


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_author_room_and_the_schema_build_the_same_file(edition: str) -> None:
    base = {
        "files": [{"id": 7, "fill": "2e", "align": 16, "records": ["a ADD id=1 body=61", "d DELETE id=1"]}]
    }
    built = build(base, edition)
    records = [
        build_record(edition, "ADD", 7, id=1, user_type=1, body=b"a"),
        build_record(edition, "DELETE", 7, id=1),
    ]
    [data] = built.content().values()
    assert data == build_file(edition, 7, records, size=1024, fill=0x2E, alignment=16)


def test_the_author_room_and_the_schema_build_the_same_control_file() -> None:
    base = {"files": [{"control": True, "old": ["a-1.x"], "new": ["a-2.x.cmp"], "slack": "0000"}]}
    [data] = build(base, "v2").content().values()
    assert data == build_control_file("v2", ["a-1.x"], ["a-2.x.cmp"], slack=b"\0\0")


@pytest.mark.parametrize("edition", EDITIONS)
def test_labels_cover_every_byte_of_header_and_records_once(edition: str) -> None:
    built = build(
        {"files": [{"id": 1, "records": ["a ADD id=1 body=616263", "c COMMIT", "p PREPARE"]}]}, edition
    )
    leaves = [
        spot
        for name, spot in built.labels.items()
        if name.startswith(("f1.header.", "a.", "c.", "p.")) and name != "f1.header"
    ]
    assert Counter(off for spot in leaves for off in range(spot.off, spot.end)) == Counter(
        range(built.labels["p"].end)
    )


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_claim_is_the_whole_record_or_a_reason(edition: str) -> None:
    data = made("x ADD id=1 body=616263", edition)
    version = 1 if edition == "v1" else 2
    assert claim(data, 0, edition, version) == claim(data + b"\0", 0, edition, version)
    assert (claim(data, 0, edition, version).reason, claim(data, 0, edition, version).end) == ("", len(data))
    assert claim(data[:20], 0, edition, version).reason == "truncated"
    assert claim(data[:-1], 0, edition, version).reason == "bad-size"
    wrong = claim(data[:-1] + b"\xee", 0, edition, version).reason
    assert wrong == ("bad-hash" if edition == "seed+hash" else "bad-check-size")
    assert compacted("v2", 2)
    assert not compacted("v2", 1)


def entry(kind: str, **fields: Any) -> dict[str, Any]:
    at = {"file": "f-1.hq", "off": 0, "len": 1}
    return {"type": kind, "file_id": 1, "user_type": 1, "body": "", "at": at, **fields}


def test_the_outcome_is_that_of_the_specification() -> None:
    """The rules of replay on records written down here, nothing laid out and nothing read."""
    order = [
        entry("ADD", id=1),
        entry("ADD_TX", tx=9, id=2),
        entry("COMMIT", tx=9, count=1),
        entry("DELETE", id=1),
        entry("ADD_TX", tx=9, id=3),
        entry("PREPARE", tx=9, count=2, extra="ab"),
        entry("COMMIT", tx=5, count=0),
    ]
    state = replayed(order, [1], "v2")
    assert [item["id"] for item in state["live"]] == [2]
    assert state["discarded"] == [{"tx": 9, "why": "unhealthy-prepare"}]
    order[5]["count"] = 1
    state = replayed(order, [1], "v2")
    assert [(item["tx"], item["extra"]) for item in state["prepared"]] == [(9, "ab")]
    pairs = entry("COMMIT", tx=9, pairs=[{"file_id": 2, "count": 3}])
    assert replayed([order[1], pairs], [1], "seed")["live"]
    assert replayed([order[1], pairs], [1, 2], "seed")["discarded"] == [{"tx": 9, "why": "unhealthy-commit"}]


def test_every_edition_has_its_share() -> None:
    share = Counter(case.edition for case in load_cases(FORMAT))
    assert set(share) == set(EDITIONS)
    assert min(share.values()) >= 70


def test_products_confirm_by_the_bytes_of_the_input() -> None:
    by = Counter(name for case in load_cases(FORMAT) for name in case.origin.checked_by)
    assert by["hornetq-2.4.9"] >= 200
    assert by["artemis-2.44.0"] >= 200
    assert by["jbm-s0"] >= 200
    assert by["jbm-s1"] >= 100


@pytest.mark.real
def test_who_confirmed_what_is_as_recorded() -> None:
    outcomes = Path(__file__).resolve().parents[2].parent / "shared" / "real" / FORMAT / "outcomes"
    if not (outcomes / "inputs.tar.gz").is_file():
        pytest.skip(f"needs {outcomes}")
    sources = Path(__file__).resolve().parents[1]
    committed = sources / "cases" / FORMAT / "judged.toml"
    assert render(table(outcomes, collect(FORMAT, sources)["smoke"])) == committed.read_text(encoding="utf-8")
