"""Behaviour of the Bitronix reference that no corpus case tests: crafted bytes, suspicious records."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disks import Disk
from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import REFUSED, Note, Record
from journalspec_corpus import load_cases
from journalspec_corpus.bitronix_tlog import naive
from journalspec_reference import load
from journalspec_reference.batches import STRETCH, Batch, Memory
from journalspec_reference.bitronix_tlog import nio
from journalspec_reference.bitronix_tlog.codec import CRC_AT, DISK, HEADER_SIZE, SEED, encode, encode_header
from journalspec_reference.bitronix_tlog.fileset import in_order
from journalspec_reference.bitronix_tlog.scan import scan, search, told
from journalspec_reference.content import SECTOR, Content
from journalspec_reference.xids import gtrid_text
from tables import literals

ROWS = literals(__file__)


def test_forensic_search_on_crafted_bytes_takes_linear_time() -> None:
    # Overlapping frames that all refer to one end marker: the worst case for a search.
    size, step = 400_000, 40
    data = bytearray(size)
    for at in range(0, size - 100, step):
        data[at + 4 : at + 12] = struct.pack(">ii", size - 8 - at, 28)
        data[at + 28] = 0
        data[at + 29 : at + 33] = struct.pack(">i", 1)
    data[-4:] = b"xntB"
    assert list(search(Memory(data), 0, size)) == []


def found(batches: Iterable[Batch]) -> list[tuple[int, int, str]]:
    """Return a sorted list of (start, end, reason): records have no reason, damaged parts have one."""
    rows: list[tuple[int, int, str]] = []
    for batch in batches:
        rows += [
            (batch.base + at, batch.base + end, "") for at, end in zip(batch.off, batch.end, strict=True)
        ]
        rows += batch.damage
    return sorted(rows)


def record_of(**fields: Any) -> bytes:
    """Return a record with these fields, whose lengths and checksums are right."""
    return LAYOUT.build("record", "2.1", **{"header_length": DISK.header_length, **fields})


def with_a_wrong_checksum(record: bytes) -> bytes:
    return record[:CRC_AT] + bytes([record[CRC_AT] ^ 1]) + record[CRC_AT + 1 :]


def test_search_finds_a_record_inside_a_candidate_only_if_that_fails() -> None:
    inner = encode(8, b"1", (), 1, 1)
    # The name contains a complete record, which no writer would store.
    whole = record_of(status=8, time=2, sequence_number=2, gtrid=b"2", names=[inner])
    broken = with_a_wrong_checksum(whole)
    assert found(search(Memory(whole), 0, len(whole))) == [(0, len(whole), "")]
    start = broken.index(inner)
    assert found(search(Memory(broken), 0, len(broken))) == [(start, start + len(inner), "")]


def test_numbers_in_names_may_be_of_any_script() -> None:
    arabic_ten, arabic_nine = "btm\u0661\u0660.tlog", "btm\u0669.tlog"
    assert in_order([arabic_ten, arabic_nine]) == [arabic_nine, arabic_ten]
    assert in_order([arabic_nine, "btm10.tlog"]) == [arabic_nine, "btm10.tlog"]
    # A superscript two is not a decimal digit.
    assert in_order(["btm\u00b2.tlog", "btm3.tlog"]) == ["btm3.tlog", "btm\u00b2.tlog"]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("btm2.tlog.gz", "btm1.tlog.gz"),
        ("d1/a.tlog", ""),
        ("x3.tlog", ""),
        ("btm3.part1", ""),
        ("btm\u0661.tlog", ""),
    ],
)
def test_missing_file_has_a_name_only_if_the_other_file_shows_it(name: str, other: str) -> None:
    """A case cannot express that a note has no file (BTM-FIL-018)."""
    reference, given = load("bitronix_tlog"), {name: encode_header(1, 0, 21)}
    for seen in (
        reference.read(given, edition="2.1"),
        reference.recover(given, edition="2.1", policy="salvage"),
    ):
        assert [note.file for note in seen.notes if note.code == "missing-file"] == [other]
    (noted,) = (note for note in naive.read(given, "2.1")["noted"] if note["code"] == "missing-file")
    assert noted.get("file", "") == other


@pytest.mark.parametrize("tier", ["smoke", "captured"])
def test_no_case_requires_a_read_to_report_records_outside_the_log(tier: str) -> None:
    """A reader may list records outside the log or omit them (BTM-RDR-013)."""
    for case in load_cases("bitronix_tlog", tier):
        readings = [entry for entry in case.expect if entry["when"]["op"] == "read"]
        free = [
            entry.get("verdict") == REFUSED
            or not (entry.get("unanchored") or "unanchored" in entry.get("notes", ()))
            for entry in readings
        ]
        assert any(free) or not readings, case.id


@pytest.mark.parametrize("question", ["read", "recover.strict", "recover.salvage"])
def test_record_after_the_tail_has_a_note_only_in_a_reading(question: str) -> None:
    """Both readers agree: recovery lists such a record without a note (BTM-RDR-013, BTM-RCV-033)."""
    (case,) = (each for each in load_cases("bitronix_tlog") if each.id == "btm.swap.unanchored-reported")
    reference, files = load("bitronix_tlog"), case.files()
    op, _, policy = question.partition(".")
    if op == "read":
        seen, by_name = reference.read(files, edition=case.edition), naive.read(files, case.edition)
    else:
        seen = reference.recover(files, edition=case.edition, policy=policy)
        by_name = naive.recover(files, case.edition, policy)
    places = [(record.at.file, record.at.off) for record in seen.unanchored]
    assert places
    for notes in (
        [(note.file, note.off) for note in seen.notes if note.code == "unanchored"],
        [(note["file"], int(note["off"])) for note in by_name["noted"] if note["code"] == "unanchored"],
    ):
        assert notes == (places if op == "read" else [])


def test_journals_of_a_directory_are_sorted_best_first() -> None:
    by_name = dict.fromkeys(("a1.tlog", "a2.tlog"), b"")
    by_content = dict.fromkeys(("b1.tlog", "b2.tlog"), encode_header(0, 0, 21))
    found = load("bitronix_tlog").detect({**by_name, **by_content})
    assert [item.files for item in found] == [("b1.tlog", "b2.tlog"), ("a1.tlog", "a2.tlog")]


@pytest.mark.parametrize(("gtrid", "text"), ROWS["gtrids_are_shown_as_the_product_makes_them"])
def test_gtrids_are_shown_as_the_product_spells_them(gtrid: bytes, text: str) -> None:
    assert gtrid_text(gtrid) == text


def bad(data: bytes, start: int, end: int) -> Content:
    """Return a file whose sectors from `start` to `end` cannot be read."""
    return Content(Disk(data, frozenset(range(start // SECTOR, end // SECTOR))))


def test_bad_sector_loses_only_its_own_records() -> None:
    """The log has three records of 32 KiB.

    A scan can skip a partly unreadable record if it has read the length.
    """
    record = encode(8, b"g" * 16, (b"a" * 16_000, b"b" * 16_711), 1, 1)
    size = len(record)
    assert size == 8 * SECTOR
    # The records begin eight bytes before a sector: their lengths are the last bytes of the sector before.
    starts = [SECTOR - 8 + size * number for number in range(3)]
    tail = starts[-1] + size
    filler = encode(0, b"g", (b"x" * (SECTOR - 69),), 1, 0)
    assert HEADER_SIZE + len(filler) == starts[0]
    data = (encode_header(2, 0, tail) + filler + record * 3).ljust(1 << 20, b"\0")
    for number in range(1, 25):
        start, end = number * SECTOR, (number + 1) * SECTOR
        seen = found(scan(bad(data, start, end), HEADER_SIZE, tail))
        lost = (number - 1) // 8  # The record in which the sector begins.
        kept = [(HEADER_SIZE, starts[0], ""), *((at, at + size, "") for at in starts)]
        kept[lost + 1] = (starts[lost], starts[lost] + size, "unreadable")
        if end - 8 in starts:  # The sector also contains the length of the next record.
            kept[lost + 2 :] = [(end - 8, end, "unreadable"), (end, tail, "unreached")]
        assert seen == kept


def test_readable_wrong_end_marker_contradicts_the_length() -> None:
    record = encode(8, b"g" * 16, (b"a" * 16_000, b"b" * 16_711), 1, 1)
    tail = HEADER_SIZE + len(record)
    data = (encode_header(2, 0, tail) + record[:-1] + b"?").ljust(1 << 20, b"\0")
    (fault,) = found(scan(bad(data, SECTOR, 2 * SECTOR), HEADER_SIZE, tail))
    assert fault == (HEADER_SIZE, tail, "no-end-marker")


#: Names in the records of a drawn log: some are sound, others cause notes.
NAMES = [(), (b"a",), (b"a", b"b"), (b"b", b"a"), (b"a", b"a"), (b"caf\xe9",), (b"n" * 300,)]


def drawn(chance: random.Random, *, frames: bool) -> bytes:
    """Return a log of a few records, or a file of a few frames; parts of the log or file may be damaged."""
    parts = []
    delimiters = b"p" * 16, b"c" * 16
    for number in range(chance.randrange(30)):
        names, gtrid = chance.choice(NAMES), b"g%d" % chance.randrange(9)
        if frames:
            own = {"delimiter": chance.choice([*delimiters * 9, b"x" * 16]), "status": 8, "time": 1}
            own |= {"record_length": 40, "padding": bytes(chance.choice([0, 0, 7]))}
            form = "nio"
        else:
            form, own = "2.1", {"status": chance.choice([0, 2, 3, 8, 99])}
            own |= {"time": chance.choice([number] * 5 + [-9])}
            own |= {"header_length": chance.choice([28] * 9 + [16])}
        parts.append(LAYOUT.build("record", form, **own, sequence_number=number, gtrid=gtrid, names=names))
    data = bytearray(b"".join(parts))
    for _ in range(chance.randrange(4)):
        if not data:
            break
        at, size = chance.randrange(len(data)), chance.choice([1, 4, 60])
        move = chance.randrange(len(data))
        data[at : at + size] = chance.choice(
            [bytes(size), chance.randbytes(size), data[move : move + size], b""]
        )
    if frames:
        head = nio.encode_header(nio.NioHeader(*delimiters)).ljust(nio.HEADER_SIZE, b"\0")
        return head + bytes(data)
    return bytes(data)


def said(
    batches: Iterable[Batch], tell: Any
) -> tuple[list[Record], list[tuple[int, int, str]], list[Note], str]:
    """Return four values: the records, the damage, the notes, and the text about the first damaged part."""
    kept = list(batches)
    damage = [region for batch in kept for region in batch.damage]
    notes = [note for batch in kept for note in batch.notes]
    why = next((batch.more["why"] for batch in kept if batch.damage), "")
    return [record for batch in kept for record in tell("x", batch)], damage, notes, why


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from([64, 100, 4096]), st.booleans())
def test_any_read_size_gives_the_same_result(seed: int, stretch: int, frames: bool) -> None:
    """Records longer than one read, and damage across the end of a read, do not change the result."""
    data = drawn(random.Random(seed), frames=frames)
    if frames:
        header = nio.decode_header(data)
        assert isinstance(header, nio.NioHeader)
        inserts = {nio.insert_of(Memory(data), header, stretch=size) for size in (stretch, STRETCH)}
        assert len(inserts) == 1
        walk = partial(nio.scan, Memory(data), header, inserts.pop(), file="x")
        assert said(walk(stretch=stretch), nio.told) == said(walk(), nio.told)
        return
    for framing in (DISK, SEED):
        walk = partial(scan, Memory(data), 0, len(data), framing, file="x")
        assert said(walk(stretch=stretch), told) == said(walk(), told)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from([64, 4096, 10_000]))
def test_any_read_size_gives_the_same_result_with_bad_sectors(seed: int, stretch: int) -> None:
    chance = random.Random(seed)
    sizes = [chance.choice([1, 30, 900, 20_000]) for _ in range(40)]
    data = b"".join(encode(8, b"g", (b"n" * size,), 1, 1) for size in sizes)
    start = chance.randrange(len(data) // SECTOR) * SECTOR
    end = start + chance.choice([1, 2]) * SECTOR
    whole = said(scan(bad(data, start, end), 0, len(data)), told)
    assert said(scan(bad(data, start, end), 0, len(data), stretch=stretch), told) == whole


def test_batch_ends_if_too_many_records_have_damage_or_notes() -> None:
    """Every record has its own damage or note; no batch contains the messages about all records."""
    fields = {"status": 8, "time": 1, "sequence_number": 1, "gtrid": b"g"}
    broken = with_a_wrong_checksum(record_of(**fields)) * 9000
    noted = record_of(**fields, header_length=16) * 9000
    for data in (broken, noted):
        batches = list(scan(Memory(data), 0, len(data)))
        assert max(len(batch.damage) + len(batch.notes) for batch in batches) == 4096
        assert sum(len(batch.damage) + len(batch.notes) for batch in batches) == 9000
        assert sum(1 for batch in batches for _ in told("", batch)) in (0, 9000)
