"""The author room of the JBoss journal, its rules of replay, and who confirmed its cases."""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from journalspec.jboss_journal import LAYOUT
from journalspec.layout import joined
from journalspec_corpus import load_cases
from journalspec_corpus.jboss_journal.author import (
    PAIRED,
    SEEDS,
    body_of,
    build,
    header_parts,
    laid_out_as,
    parsed,
    record_parts,
    stamp_of,
)
from journalspec_corpus.jboss_journal.judged import render, table
from journalspec_corpus.jboss_journal.naive import claim, replayed
from journalspec_corpus.publish import collect
from journalspec_reference.jboss_journal.codec import DIALECTS, JournalRecord, encode_record

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


def by_the_reference(record: dict[str, Any], edition: str, file_id: int = 1) -> bytes:
    """Return the record as the reference writes it, whose codec was written apart."""
    dialect = DIALECTS[edition]
    kind = dialect.kinds[dialect.codes[record["kind"]]]
    told: dict[str, Any] = {key: record[key] for key in ("tx", "id") if key in record}
    if kind.body:
        told |= {"body": body_of(record), "user_type": record.get("user_type", 1)}
    if kind.ends:
        told |= {"pairs": tuple(record["pairs"])} if dialect.pairs else {"tally": record["count"]}
        told |= {"extra": bytes.fromhex(record.get("extra", ""))}
    made = JournalRecord(0, 0, kind, **told)
    return encode_record(made, dialect, stamp_of(file_id, edition), lambda data, a, b: zlib.crc32(data[a:b]))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("text", [*RECORDS, "x COMMIT tx=9 {}", "x PREPARE tx=9 {} {}"])
def test_the_author_room_and_the_reference_build_the_same_record(edition: str, text: str) -> None:
    """Two descriptions of the format, written apart, agree on the bytes."""
    counts = "pairs=1:2,7:1" if edition in PAIRED else "count=3"
    text = text.format(counts, "" if edition in SEEDS else "extra=0102")
    assert made(text, edition) == by_the_reference(parsed(text, "x"), edition)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_author_room_builds_a_whole_file(edition: str) -> None:
    texts = ["a ADD id=1 body=61", "d DELETE id=1"]
    built = build({"files": [{"id": 7, "fill": "2e", "align": 16, "records": texts}]}, edition)
    [data] = built.content().values()
    blocks = [joined(header_parts({"id": 7}, edition)), *(made(text, edition, 7) for text in texts)]
    padded = b"".join(block.ljust(-(-len(block) // 16) * 16, b"\0") for block in blocks)
    assert data == padded.ljust(1024, b".")


def test_the_author_room_builds_a_control_file() -> None:
    base = {"files": [{"control": True, "old": ["a-1.x"], "new": ["a-2.x.cmp"], "slack": "0000"}]}
    [data] = build(base, "v2").content().values()
    lists = {key: [{"name": name}] for key, name in (("old_names", b"a-1.x"), ("new_names", b"a-2.x.cmp"))}
    body = LAYOUT.build("control", "v2", **lists, slack=b"\0\0")
    assert data == joined(header_parts({"id": 0}, "v2")) + LAYOUT.build(
        "record", "v2", "ADD", id=1, body=body
    )


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
    assert [laid_out_as("v2", number) for number in (1, 2)] == ["v1", "v2"]


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
