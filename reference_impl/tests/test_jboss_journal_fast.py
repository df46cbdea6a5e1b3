"""Crowds of candidates: windows give what a search from candidate to candidate gives, and cost little."""

from __future__ import annotations

import struct
import tempfile
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec_reference import content
from journalspec_reference.checksums import direct
from journalspec_reference.jboss_journal import scan
from journalspec_reference.jboss_journal.codec import (
    DIALECTS,
    Dialect,
    Fault,
    JournalRecord,
    encode_record,
)

np = pytest.importorskip("numpy", reason="NumPy is missing: pip install 'journalspec[spark]'")
fast = pytest.importorskip("journalspec_reference.jboss_journal.fast")

FILE_ID = 0x0B0C0B0B
Item = JournalRecord | Fault


def in_both_ways(search: Callable[[], Iterator[Item]]) -> list[Item]:
    """Return what `search` finds; in windows it is what single steps find."""
    quick = list(search())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_fast", lambda: None)
        assert list(search()) == quick
    return quick


def encoded(dialect: Dialect, code: int, **fields: Any) -> bytes:
    record = JournalRecord(0, 0, dialect.kinds[code])._replace(**fields)
    return encode_record(record, dialect, dialect.stamp(FILE_ID), direct)


@st.composite
def crowded(draw: st.DrawFn) -> tuple[Dialect, bytes]:
    """Draw bytes of which most are candidates: types, stamps, sizes near right, whole records, cut ones."""
    dialect = DIALECTS[draw(st.sampled_from(sorted(DIALECTS)))]
    stamp = dialect.stamp(FILE_ID).to_bytes(4, "big")
    sizes = st.lists(st.integers(-2, 40) | st.sampled_from([0x7FFFFFFF, -0x80000000, FILE_ID]), max_size=7)
    pieces = []
    for code in draw(st.lists(st.sampled_from(sorted(dialect.kinds)), max_size=40)):
        kind, number = dialect.kinds[code], draw(st.integers(0, 60))
        record = encoded(
            dialect,
            code,
            tx=number - 9,
            body=b"\x0b\x0c" * (number % 30) if kind.body else b"",
            extra=stamp if kind.name == "PREPARE" and dialect.prepare_extra else b"",
            pairs=tuple((FILE_ID, at) for at in range(number % 4)) if dialect.pairs and kind.ends else (),
        )
        other = struct.pack(">b", code) + stamp
        lying = other + b"".join(struct.pack(">i", size) for size in draw(sizes))
        choices = [record, record[: -1 - number % 12], other * (number % 9), lying, b"\x0b" * number]
        pieces.append(draw(st.sampled_from(choices) | st.binary(max_size=12)))
    return dialect, bytes(dialect.header_size) + b"".join(pieces)


@pytest.fixture
def easily_crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make few candidates a crowd and windows short, so that windows and single steps take turns."""
    monkeypatch.setattr(scan, "CROWD", 2)
    monkeypatch.setattr(fast, "WINDOW", 37)


@pytest.mark.usefixtures("easily_crowded")
@settings(max_examples=200, deadline=None)
@given(crowded(), st.integers(0, 300), st.integers(0, 400), st.sampled_from([16, 64]), st.booleans())
def test_windows_find_what_single_steps_find(
    drawn: tuple[Dialect, bytes], start: int, length: int, chunk: int, fits: bool
) -> None:
    """Records, rejected candidates, records of earlier lives; also where little of the file is in memory."""
    dialect, data = drawn
    items = in_both_ways(lambda: scan.walk(data, FILE_ID, dialect))
    gap = [(min(start, len(data)), min(start + length, len(data)))]
    older = in_both_ways(lambda: scan.stale(data, FILE_ID + 1, dialect, gap))
    assert list(scan.walk(data, FILE_ID, dialect, start)) == list(scan.walk(data[:start], FILE_ID, dialect))
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile(buffering=0) as stream:
        for name, size in (("CHUNK", chunk), ("AHEAD", 2 * chunk), ("SMALL", 4)):
            patch.setattr(content, name, size)
        patch.setattr(fast, "FURTHER", chunk)
        patch.setattr(fast, "BUDGET", fits << 20)
        stream.write(data)
        lazy = content.Content(content.PartOfFile(stream, 0, len(data)))
        assert list(scan.walk(lazy, FILE_ID, dialect)) == items
        assert list(scan.stale(lazy, FILE_ID + 1, dialect, gap)) == older


@pytest.mark.parametrize("edition", sorted(DIALECTS))
def test_a_filter_passes_every_record_and_nothing_else(edition: str) -> None:
    dialect = DIALECTS[edition]
    records = [encoded(dialect, code, tx=3) for code in dialect.kinds]
    fakes = [record[:5] + b"\xff" * 40 for record in records]
    data = b"".join(records + fakes + records)
    window = fast.Finder(data, dialect, dialect.stamp(FILE_ID), len(data)).window(0)
    starts = np.cumsum([0, *map(len, records + fakes + records)])
    assert window.all.tolist() == starts[:-1].tolist()
    assert window.hopeful.tolist() == [*starts[: len(records)], *starts[-1 - len(records) : -1]]


@pytest.mark.parametrize(("count", "step"), [(9000, 7), (9000, 1), (3, 20_000)])
def test_checksums_of_many_ranges_are_those_of_each(count: int, step: int) -> None:
    data = bytes(at * at % 251 for at in range(1 << 16)) * 5
    starts = np.arange(count, dtype=np.int64) * step
    for ends in (starts, starts + 63, starts + 200_000, np.minimum(starts * 5 + 9, len(data))):
        found = fast.RangeDigest(data).ranges(starts, ends)
        ranges = zip(starts[::97], ends[::97], strict=True)
        assert found[::97].tolist() == [zlib.crc32(data[start:end]) for start, end in ranges]


@pytest.mark.parametrize("pattern", [b"\x0b", b"\x0b\x0d", b"\x0b" * 5 + bytes(10) + b"\x0b"])
@pytest.mark.parametrize("edition", ["seed", "seed+hash", "v2"])
def test_large_hostile_input_agrees(edition: str, pattern: bytes) -> None:
    dialect = DIALECTS[edition]
    data = bytes(dialect.header_size) + pattern * (20_000 // len(pattern)) + encoded(dialect, 19, tx=5)
    in_both_ways(lambda: scan.walk(data, FILE_ID, dialect))
    # Also with the id that makes every byte a candidate.
    every = int.from_bytes((pattern * 4)[:4], "big")
    in_both_ways(lambda: scan.walk(data, every, dialect))
    candidates = fast.Finder(data, dialect, dialect.stamp(every), len(data)).window(0)
    assert len(candidates.all) > len(data) // (len(pattern) + 3)


def test_a_hostile_file_takes_linear_time_and_the_memory_of_a_window() -> None:
    dialect, every = DIALECTS["v2"], 0x0B0B0B0B
    spent = []
    for mib in (1, 4):
        data = b"\x0b" * (mib << 20)
        tracemalloc.start()
        began = time.process_time()
        items = list(scan.walk(data, every, dialect))
        spent.append(time.process_time() - began)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40 * fast.WINDOW * 8
        assert len(items) == 1
    # Four times the bytes; single steps would take some 12 s for these.
    assert spent[1] < 8 * spent[0] + 0.2
    assert spent[1] < 4
