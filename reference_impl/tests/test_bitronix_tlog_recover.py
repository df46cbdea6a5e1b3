from __future__ import annotations

import gzip
import json
import struct
import tarfile
from pathlib import Path
from typing import Any

import pytest

from journalspec_reference import load
from journalspec_reference.bitronix_tlog import codec
from journalspec_reference.bitronix_tlog.recover import outcome, unfinished
from journalspec_reference.bitronix_tlog.scan import search

REFERENCE = load("bitronix_tlog")
REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "bitronix_tlog"
real = pytest.mark.real
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the products' files are not beside the checkout")

C, D, R, U = 8, 3, 4, 5


def record(status: int, gtrid: bytes = b"1", *names: str, **more: int) -> codec.LogRecord:
    texts = tuple(name.encode() for name in names)
    return codec.make_record(
        status, gtrid, texts, time=more.get("time", 1), sequence_number=more.get("seq", 1)
    )


def log(*records: codec.LogRecord, timestamp: int = 1, size: int = 2048, **header: int) -> bytes:
    body = b"".join(codec.encode_record(item) for item in records)
    position = header.get("position", 21 + len(body))
    data = codec.encode_header(timestamp, header.get("state", 0), position) + body
    return data + bytes(size - len(data))


def pair(first: bytes, second: bytes | None = None) -> dict[str, bytes]:
    return {"btm1.tlog": first, "btm2.tlog": log(timestamp=0) if second is None else second}


def strict(files: dict[str, bytes]) -> Any:
    return REFERENCE.recover(files, edition="2.1", policy="strict")


def salvage(files: dict[str, bytes]) -> Any:
    return REFERENCE.recover(files, edition="2.1", policy="salvage")


@pytest.mark.parametrize(
    ("records", "left"),
    [
        ([record(C, b"1", "a", "b")], {"1": ["a", "b"]}),
        ([record(C, b"1", "a", "b"), record(D, b"1", "a", "b")], {}),
        ([record(C, b"1", "a", "b"), record(D, b"1", "a")], {"1": ["b"]}),
        ([record(C, b"1", "a", "b"), record(D, b"1", "a", "b", "c")], {}),
        ([record(C, b"1", "a", "b"), record(D, b"1", "x")], {"1": ["a", "b"]}),
        ([record(C, b"1", "a", "b"), record(D, b"1")], {"1": ["a", "b"]}),
        ([record(C, b"1")], {"1": []}),
        ([record(C, b"1"), record(D, b"1", "x")], {}),
        ([record(D, b"1", "a"), record(C, b"1", "a")], {"1": ["a"]}),
        ([record(C, b"1", "a"), record(C, b"1", "b")], {"1": ["b"]}),
        ([record(C, b"1", "a"), record(R, b"1", "a")], {}),
        ([record(C, b"1", "a"), record(U, b"1", "a")], {}),
        ([record(C, b"1", "a"), record(0, b"1"), record(10, b"1", "a")], {"1": ["a"]}),
    ],
)
def test_unfinished_transactions(records: list[codec.LogRecord], left: dict[str, list[str]]) -> None:
    assert {key.decode(): sorted(names) for key, names in unfinished(records).items()} == left


def test_in_doubt_is_what_has_no_decision() -> None:
    records = [
        record(7, b"1", "a"),
        record(2, b"2", "a"),
        record(9, b"3", "b"),
        record(0, b"4"),
        record(2, b"5"),
        record(C, b"5"),
    ]
    found = outcome(records, "f")["in_doubt"]
    assert [(item["gtrid"], item["status"]) for item in found] == [
        (b"1", "PREPARING"),
        (b"2", "PREPARED"),
        (b"3", "ROLLING_BACK"),
    ]


@pytest.mark.parametrize(
    ("ts1", "ts2", "active"),
    [
        (2, 1, "btm1.tlog"),
        (1, 2, "btm2.tlog"),
        (5, 5, "btm2.tlog"),
        (0, -1, "btm1.tlog"),
        (-(2**63), 2**63 - 1, "btm2.tlog"),
    ],
)
def test_election(ts1: int, ts2: int, active: str) -> None:
    files = pair(log(record(C, b"1", "a"), timestamp=ts1), log(record(C, b"2", "a"), timestamp=ts2))
    seen = strict(files)
    assert seen.state["active"] == active
    assert ("ambiguous-election" in [note.code for note in seen.notes]) == (ts1 == ts2)


GOOD = log(record(C, b"1", "a"))


@pytest.mark.parametrize(
    ("files", "phase", "code"),
    [
        ({}, "fileset", "no-files"),
        ({"btm1.tlog": GOOD}, "fileset", "missing-file"),
        ({"1": GOOD, "2": GOOD, "3": GOOD}, "fileset", "too-many-files"),
        (pair(b"", b""), "header", "short-file"),
        (pair(GOOD[:20]), "header", "short-file"),
        (pair(GOOD, log(size=2047)), "fileset", "unequal-lengths"),
        (pair(b"\0" + GOOD[1:]), "header", "bad-format-id"),
        (pair(GOOD, b"\0" + GOOD[1:]), "header", "bad-format-id"),
        (pair(log(position=20)), "header", "bad-position"),
        (pair(log(position=2049)), "header", "bad-position"),
        (pair(log(position=-1)), "header", "bad-position"),
    ],
)
def test_strict_refusals(files: dict[str, bytes], phase: str, code: str) -> None:
    seen = strict(files)
    assert (seen.verdict, seen.phase, seen.code) == ("refused", phase, code)
    assert seen.records == ()
    assert seen.state is None


def test_tail_at_the_end_of_the_file_is_fine() -> None:
    size = 21 + len(codec.encode_record(record(C, b"1", "a")))
    assert strict(pair(log(record(C, b"1", "a"), size=size), log(timestamp=0, size=size))).verdict == "clean"


def test_nothing_behind_the_tail_counts() -> None:
    one = len(codec.encode_record(record(C, b"1", "a")))
    data = log(record(C, b"1", "a"), record(C, b"2", "a"), position=21 + one)
    seen: Any = REFERENCE.read(pair(data), edition="2.1")
    assert [item["gtrid"] for item in seen.state["unfinished"]] == [b"1"]
    assert [(item.at.off, item.fields["gtrid"]) for item in seen.unanchored] == [(21 + one, b"2")]
    assert seen.verdict == "clean"


def test_salvage_skips_a_frame_and_stops_at_anything_else() -> None:
    three = [record(C, bytes([48 + n]), "db1", "jms1") for n in (1, 2, 3)]
    size = len(codec.encode_record(three[0]))
    data = bytearray(log(*three))
    data[21 + size + 15] ^= 1
    seen = salvage(pair(bytes(data)))
    assert seen.verdict == "recovered"
    assert [item["gtrid"] for item in seen.state["unfinished"]] == [b"1", b"3"]
    assert [(d.off, d.length, d.reason) for d in seen.dropped] == [(21 + size, size, "bad-checksum")]
    data[21 + 2 * size - 1] ^= 1
    seen = salvage(pair(bytes(data)))
    assert [item["gtrid"] for item in seen.state["unfinished"]] == [b"1"]
    assert [(d.off, d.length, d.reason) for d in seen.dropped] == [(21 + size, 2 * size, "no-end-marker")]
    refusal = strict(pair(bytes(data)))
    assert (refusal.phase, refusal.code, refusal.at.off) == ("record", "no-end-marker", 21 + size)


def test_the_passive_file_changes_nothing() -> None:
    passive = log(record(D, b"1", "a"), timestamp=0)
    damaged = passive[:21] + b"\xff" * 40 + passive[61:]
    assert strict(pair(GOOD, damaged)).state == strict(pair(GOOD, passive)).state == strict(pair(GOOD)).state
    assert REFERENCE.read(pair(GOOD, damaged), edition="2.1").verdict == "recovered"


def test_records_longer_than_any_buffer() -> None:
    names = [f"{n:05d}" + "q" * 32000 for n in range(40)]
    long = log(record(C, b"1", *names), record(C, b"2", "a"), size=2_000_000)
    seen = strict(pair(long, log(timestamp=0, size=2_000_000)))
    assert [len(item["names"]) for item in seen.state["unfinished"]] == [40, 1]


def test_a_forensic_search_on_crafted_bytes_stays_linear() -> None:
    # Frames that overlap and all point at one end marker: the worst case for a search.
    size, step = 400_000, 40
    data = bytearray(size)
    for at in range(0, size - 100, step):
        data[at + 4 : at + 12] = struct.pack(">ii", size - 8 - at, 28)
        data[at + 28] = 0
        data[at + 29 : at + 33] = struct.pack(">i", 1)
    data[-4:] = b"xntB"
    assert list(search(bytes(data), 0, size)) == []


@real
@needs_real
def test_every_real_file_gives_the_records_that_the_product_wrote() -> None:
    parsed = json.loads((REAL / "parsed.json").read_text())
    for folder in sorted({str(Path(name).parent) for name in parsed}):
        files = {path.name: _content(path) for path in sorted((REAL / folder).iterdir())}
        (found,) = REFERENCE.detect(files)
        seen = REFERENCE.read({name: files[name] for name in found.files}, edition=found.edition)
        for name in files:
            if "not-parseable" in parsed[f"{folder}/{name}"]:
                continue
            mine = [_row(item) for item in seen.records if item.at.file == name]
            assert mine == [_expected_row(row) for row in parsed[f"{folder}/{name}"]["records"]], (
                folder,
                name,
            )


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def _row(item: Any) -> tuple[Any, ...]:
    names = ("status", "record_length", "time", "sequence_number")
    return (
        item.at.off,
        *(item.fields[name] for name in names),
        item.fields["gtrid"].hex(),
        item.fields["names"],
    )


def _expected_row(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in ("offset", "status", "recordLength", "time", "seq", "gtrid", "names"))


#: Recorded inputs on which the product's strict answer is not the spec's, each with the reason.
PERMISSIVE = {
    "A/40_rl_toEndExact": "2.1 does not compare the end of its parse with recordLength",
    "A/64_tail_0": "2.1 takes a tail inside the header for an empty log",
    "A/70_zero_magic_both": "2.1 does not look at the format id",
    "A/74_header_torn_4bytes": "2.1 does not look at the format id",
}


@real
@needs_real
def test_recorded_answers_of_the_product() -> None:
    cases = json.loads((REAL / "outcomes.json").read_text())
    inputs: dict[str, dict[str, bytes]] = {}
    with tarfile.open(REAL / "outcome-inputs.tar.gz") as archive:
        for member in archive.getmembers():
            if member.isfile():
                case, name = member.name.rsplit("/", 1)
                stream = archive.extractfile(member)
                assert stream is not None
                inputs.setdefault(case, {})[name] = stream.read()
    differing = set()
    for case in cases:
        seen = strict(inputs[case["case"]])
        answer = case["btm-2.1.4"]["strict"]
        mine: object = "refused" if seen.state is None else _dangling(seen.state)
        theirs: object = _parse_dangling(answer) if answer.startswith("DANGLING") else "refused"
        if answer.endswith("..."):  # the record of long answers is cut: only that there was one is known
            theirs, mine = "answered", "answered" if seen.state else "refused"
        if mine != theirs:
            differing.add(case["case"])
    assert differing == set(PERMISSIVE)


def _dangling(state: dict[str, Any]) -> set[tuple[int, tuple[str, ...]]]:
    return {(item["gtrid"][-1], tuple(item["names"])) for item in state["unfinished"]}


def _parse_dangling(answer: str) -> set[tuple[int, tuple[str, ...]]]:
    found = set()
    for part in answer[len("DANGLING [") : -1].split("], "):
        if part.strip("]"):
            gtrid, names = part.strip("]").split("[", 1)
            found.add((int(gtrid[1:]), tuple(sorted(name for name in names.split(", ") if name))))
    return found


#: (status, time, sequenceNumber) of the records of a file, and the indexes of those that are noted.
RUNS: list[tuple[str, list[tuple[int, int, int]], list[int]]] = [
    ("one thread overtakes another", [(0, 7, 7), (0, 9, 9), (0, 8, 8), (C, 12, 12), (C, 11, 11)], []),
    ("older than all of the run", [(0, 7, 7), (0, 9, 9), (D, 4, 4)], [2]),
    ("COMMITTING behind the copies", [(C, 7, 7), (0, 9, 9), (C, 3, 3)], [2]),
    ("copies of a swap, in any order", [(C, 7, 7), (C, 3, 3), (C, 5, 5), (0, 4, 4)], []),
    ("a new run after the machine was restarted", [(0, 7, 7), (0, 2, 1), (0, 3, 2)], []),
    ("a new run of BTM 2.1.2", [(0, 7, 7), (0, 2, 0), (0, 3, 1)], []),
]


@pytest.mark.parametrize(("runs", "noted"), [run[1:] for run in RUNS], ids=[run[0] for run in RUNS])
def test_what_is_older_than_all_of_its_run_is_noted(
    runs: list[tuple[int, int, int]], noted: list[int]
) -> None:
    records = [record(kind, b"1", time=time, seq=seq) for kind, time, seq in runs]
    seen = REFERENCE.read(pair(log(*records, timestamp=2)), edition="2.1")
    sizes = [len(codec.encode_record(item)) for item in records]
    suspects = [note.off for note in seen.notes if note.code == "stale-suspect"]
    assert suspects == [21 + sum(sizes[:index]) for index in noted]
