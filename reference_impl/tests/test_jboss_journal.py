"""Behaviour of the JBoss journal's reference that no corpus case tests: control files, gaps."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from journalspec.jboss_journal import LAYOUT
from journalspec.schemas import KINDS, reread
from journalspec_reference import load
from journalspec_reference.batches import Batch, source_of
from journalspec_reference.jboss_journal import recover
from journalspec_reference.jboss_journal.codec import DIALECTS
from journalspec_reference.jboss_journal.scan import scan
from work import LINEAR, Counted, Task, growth

REFERENCE = load("jboss_journal")
NAME = "journal-rename-control.ctr"
LISTS = LAYOUT.build(
    "control",
    "v2",
    old_names=[{"name": b"a-1.hq"}],
    new_names=[{"name": b"a-3.hq.cmp"}],
    renames=[{"source.name": b"a-4.bak", "target.name": b"a-4.hq"}],
    slack=bytes(3),
)
#: These values in the header of a control file are unusual. Readers ignore them, and dumps show them
#: unchanged.
CONTROL = LAYOUT.build("header", "v2", format_version=5, user_version=6, file_id=7) + LAYOUT.build(
    "record", "v2", "ADD", id=1, body=LISTS
)


def data_file(number: int) -> bytes:
    record = LAYOUT.build("record", "v2", "ADD", file_id=number, id=number, body=b"x")
    return (LAYOUT.build("header", "v2", format_version=2, file_id=number) + record).ljust(100, b"\0")


FILES = {"a-1.hq": data_file(1), "a-2.hq": data_file(2), "a-3.hq.cmp": data_file(3), NAME: CONTROL}


def told(control: bytes) -> tuple[Any, list[str]]:
    """Return two values: the layout of a control file as `read` reports it, and the notes on the file."""
    seen = REFERENCE.read({**FILES, NAME: control}, edition="v2").to_json()
    (entry,) = (entry for entry in seen["files"] if entry["file"] == NAME)
    return entry, [note["code"] for note in seen["notes"] if note.get("file") == NAME]


def test_header_and_lists_of_a_control_file_are_reported() -> None:
    entry, notes = told(CONTROL)
    assert (entry["role"], notes) == ("control", ["control-applied"])
    assert entry["header"] == {"format_version": "5", "user_version": "6", "file_id": "7"}
    assert entry["content"] == {
        "old_names": ["a-1.hq"],
        "new_names": ["a-3.hq.cmp"],
        "renames": [{"source": "a-4.bak", "target": "a-4.hq"}],
    }
    short, notes = told(CONTROL[:9])
    assert (short["len"], short["header"], notes) == ("9", {}, ["control-discarded"])
    assert "content" not in short


def test_every_byte_of_a_control_file_has_a_label() -> None:
    spans = list(REFERENCE.spans({**FILES, "a-9.hq.tmp": data_file(9)}, edition="v2"))
    fields = [span for span in spans if span.file == NAME and span.kind == "field"]
    values = {span.path.removeprefix("record[0]."): span.value for span in fields}
    for path, value in {
        "header.format_version": "5", "header.user_version": "6", "header.file_id": "7",
        "num_old": "1", "old_names[0].name": "a-1.hq", "num_new": "1", "new_names[0].name": "a-3.hq.cmp",
        "num_renames": "1", "renames[0].source.name": "a-4.bak", "renames[0].target.name": "a-4.hq",
        "slack": "000000", "check_size": str(len(CONTROL) - 16),
    }.items():  # fmt: skip
        assert values[path] == value
    ends = [span.off + span.length for span in fields]
    assert [span.off for span in fields] == [0, *ends[:-1]]
    assert ends[-1] == len(CONTROL)
    # The answer also lists the files that a compaction leaves next to the data files.
    kinds = {(span.file, span.kind) for span in spans}
    assert {("a-1.hq", "record"), ("a-9.hq.tmp", "record"), ("a-3.hq.cmp", "record")} <= kinds


def test_removing_deleted_records_keeps_live_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ordinary journals have too few records to trigger the removal."""
    monkeypatch.setattr(recover, "SWEEP_FROM", 4)
    kinds = ["ADD"] * 6 + ["DELETE"] * 2 + ["ADD", "UPDATE"] * 4
    ids = [1, 2, 3, 4, 5, 6, 2, 5, 7, 1, 8, 2, 9, 7, 10, 5]
    records = [
        LAYOUT.build("record", "v2", kind, file_id=1, id=number)
        for kind, number in zip(kinds, ids, strict=True)
    ]
    files = {"a-1.hq": LAYOUT.build("header", "v2", format_version=2, file_id=1) + b"".join(records)}
    seen: Any = REFERENCE.recover(files, edition="v2")
    assert [item["id"] for item in seen.state["live"]] == [1, 3, 4, 6, 7, 1, 8, 9, 7, 10]


def hurt(rng: random.Random, edition: str) -> bytes:
    """Return a file with all types of records, in which some bytes were flipped, cleared, moved or cut."""
    pieces = [LAYOUT.build("header", edition, file_id=1)]
    for _ in range(rng.randrange(60)):
        name = rng.choice(sorted(DIALECTS[edition].codes))
        body = rng.choice([b"", b"\x0b\0\0\0\1" * 9, bytes(70), rng.randbytes(30), b"x" * 5000])
        values: dict[str, Any] = {"file_id": rng.choice([1, 1, 1, 7]), "id": rng.randint(1, 20)}
        values |= {"tx": rng.randint(1, 3), "body": body, "extra": rng.randbytes(rng.randrange(9))}
        names = LAYOUT.structure("record", edition, name).names
        own = {key: value for key, value in values.items() if key in names}
        pieces.append(LAYOUT.build("record", edition, name, **own))
        pieces.append(rng.choice([b"", b"", b"", bytes(7), bytes(300), b"J" * 5]))
    data = bytearray(b"".join(pieces))
    for _ in range(rng.randrange(5)):
        at, to, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.randint(1, 40)
        kind = rng.choice(["flip", "zeros", "noise", "move", "double", "cut"])
        if kind == "flip":
            data[at] ^= 1 << rng.randrange(8)
        elif kind == "cut":
            del data[max(to, 16) :]
            break
        else:
            part = {"zeros": bytes(size), "noise": rng.randbytes(size)}.get(kind, data[at : at + size])
            data[to : to + (0 if kind == "double" else len(part))] = part
    return bytes(data)


def whole(batches: Iterable[Batch]) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, str]]]:
    """Return the records and the damage of batches, with offsets in the file."""
    rows, damage = [], []
    for batch in batches:
        assert len(batch.off) == len(batch.end) == len(batch.code)
        for off, end, code in zip(batch.off, batch.end, batch.code, strict=True):
            assert batch.data[off] == code
            rows.append((batch.base + off, batch.base + end, code))
        damage += batch.damage
    return rows, damage


@pytest.mark.parametrize("edition", sorted(DIALECTS))
@pytest.mark.parametrize("seed", range(6))
def test_every_read_size_gives_the_same_result(edition: str, seed: int) -> None:
    drawn, dialect = hurt(random.Random(seed), edition), DIALECTS[edition]
    for stamp in (1, None):
        wanted = whole(scan(source_of(drawn), dialect, stamp, dialect.header_size, len(drawn)))
        for stretch in (1, 64, 100, 333, 4096):
            batches = scan(source_of(drawn), dialect, stamp, dialect.header_size, len(drawn), stretch=stretch)
            assert whole(batches) == wanted
    # These parts do not overlap, and they are in order.
    rows, damage = wanted = whole(scan(source_of(drawn), dialect, 1, dialect.header_size, len(drawn)))
    ends = [dialect.header_size]
    for start, end in sorted([*((row[0], row[1]) for row in rows), *((row[0], row[1]) for row in damage)]):
        assert ends[-1] <= start < end <= len(drawn)
        ends.append(end)
    assert damage == sorted(damage)


def test_record_that_a_stretch_cuts_is_found_in_the_next_one() -> None:
    """The compact count begins something that looks like the start of a shorter record."""
    fields = {"file_id": 2, "compact_count": 12, "tx": 8, "id": 1}
    short, long = (LAYOUT.build("record", "v2", "UPDATE_TX", **fields, body=b"a" * size) for size in (1, 40))
    data = (long + short) * 5 + bytes(99)
    for stretch in range(128, 256):
        rows, _ = whole(scan(source_of(data), DIALECTS["v2"], None, 0, len(data), stretch=stretch))
        assert [end - off for off, end, _ in rows] == [len(long), len(short)] * 5, stretch


def test_name_that_ends_in_a_dot_is_no_data_file_without_an_extension() -> None:
    """If no name shows the extension, no file is a data file (JBM-FIL-001)."""
    header = bytes.fromhex("00000002 00000000 00000001 00000000")
    for name in ("journal.", "journal..tmp"):
        answer = REFERENCE.read({name: header.ljust(512, b"\0")}, edition="v2")
        assert answer.verdict == "refused", name
        assert (answer.code, [*answer.files], [*answer.notes]) == ("no-files", [], []), name


def test_name_that_only_ends_like_an_unfinished_control_file_is_not_of_the_journal() -> None:
    files = {"a-1.hq": data_file(1), f"{NAME}.tmp": b"", f"x{NAME}.tmp": b""}
    answer = REFERENCE.read(files, edition="v2")
    assert [(note.code, note.file) for note in answer.notes] == [("leftover", f"{NAME}.tmp")]
    assert [entry.file for entry in answer.files] == ["a-1.hq", f"{NAME}.tmp"]


def test_schemas_read_the_records_of_a_refused_file_by_its_header() -> None:
    files = {
        f"activemq-data-{number}.amq": LAYOUT.build(
            "header", "v2", format_version=1, user_version=user, file_id=number
        )
        + LAYOUT.build("record", "v1", "ADD", file_id=number, id=7, body=b"ab")
        for number, user in ((1, 0), (2, 5))
    }
    seen = REFERENCE.read(files, edition="v2")
    assert (len(seen.records), len(seen.unanchored)) == (1, 1)
    for kind in KINDS:
        assert reread("jboss_journal", kind, files, "v2", seen) == seen


@pytest.mark.parametrize("edition", sorted(DIALECTS))
@pytest.mark.parametrize("seed", range(6))
def test_sweep_of_deleted_records_does_not_change_the_answer(edition: str, seed: int) -> None:
    pytest.importorskip("numpy", reason="NumPy is missing: pip install 'journalspec[spark]'")
    rng = random.Random(seed)
    files = {"activemq-data-1.amq": hurt(rng, edition), "activemq-data-2.amq": hurt(rng, edition)}
    with pytest.MonkeyPatch.context() as patch:
        answers = []
        for size in (1 << 20, 1):
            patch.setattr(recover, "SWEEP_FROM", size)
            answers.append(REFERENCE.recover(files, edition=edition, policy="salvage").to_json())
    assert answers[0] == answers[1]


def journal_of(*files: Sequence[tuple[str, int]]) -> dict[str, bytes]:
    """Return a journal of files whose records have these types and ids."""
    found = {}
    for number, records in enumerate(files, 1):
        header = LAYOUT.build("header", "v2e", format_version=2, user_version=0, file_id=number)
        built = [LAYOUT.build("record", "v2e", kind, file_id=number, id=ident) for kind, ident in records]
        found[f"activemq-data-{number}.amq"] = header + b"".join(built)
    return found


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_record_is_not_missing_if_it_was_added_after_its_delete(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recover, "SWEEP_FROM", size)
    files = journal_of([("ADD", 4), ("DELETE", 5), ("DELETE", 6)], [("ADD", 5), ("DELETE", 5)])
    seen = REFERENCE.recover(files, edition="v2e", policy="salvage")
    assert [entry.name for entry in seen.missing] == ["6"]


def test_sweep_of_many_deleted_records_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    number = 20_000
    files = journal_of([(kind, ident) for kind in ("ADD", "DELETE") for ident in range(number)])
    monkeypatch.setattr("journalspec.reread.KEEP", 0)
    tracemalloc.start()
    try:
        REFERENCE.recover(files, edition="v2e", policy="strict")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The deleted ids are one Python set. The ids of the removed records must not be a second one.
    assert peak < 340 * number


def test_many_regions_end_a_batch() -> None:
    """Torn and lost bytes before a record are reported in several batches, so that memory is bounded."""
    torn = LAYOUT.build("record", "v2", "ADD", file_id=1, id=1)[:-1] + b"\xff"
    record = LAYOUT.build("record", "v2", "ADD", file_id=1, id=2)
    for data in (torn * 9000 + record, torn * 9000):
        found = list(scan(source_of(data), DIALECTS["v2"], 1, 0, len(data)))
        assert all(len(batch.damage) <= 4096 + 1 for batch in found)
        assert sum(len(batch.damage) for batch in found) == 9000


def test_hash_claimed_by_many_candidates_takes_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each candidate claims all following bytes. Only a few bytes are summed again for each candidate."""
    monkeypatch.setattr("journalspec_reference.jboss_journal.scan.SUMMED", 1 << 13)

    def scanned(size: int) -> Task:
        claim = LAYOUT.build("record", "seed+hash", "ADD", file_id=1, id=1)[:18]
        sizes = [(size - at - 22).to_bytes(4, "big") for at in range(0, size - 100, 90)]
        parts = [(claim[:13] + each + claim[17:]).ljust(90, b"x") for each in sizes]
        data = Counted(b"".join(parts).ljust(size, b"x"))
        return lambda: list(filter(len, scan(source_of(data), DIALECTS["seed+hash"], 1, 0, size)))

    assert scanned(1 << 15)() == []
    assert growth(scanned, 1 << 15) < LINEAR
