"""Crowds of candidates: windows give what a search from candidate to candidate gives, and cost little."""

from __future__ import annotations

import struct
import tempfile
import time
import tracemalloc
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec.observation import Dropped
from journalspec_reference import content
from journalspec_reference.checksums import direct
from journalspec_reference.jboss_journal import scan
from journalspec_reference.jboss_journal.codec import (
    DIALECTS,
    Dialect,
    Fault,
    JournalRecord,
    decode_record,
    encode_record,
)
from journalspec_reference.jboss_journal.fileset import DataFile
from journalspec_reference.jboss_journal.recover import laid_out

np = pytest.importorskip("numpy", reason="NumPy is missing: pip install 'journalspec[spark]'")
fast = pytest.importorskip("journalspec_reference.jboss_journal.fast")
RangeDigest = pytest.importorskip("journalspec_reference.jboss_journal.fast").RangeDigest

FILE_ID = 0x0B0C0B0B
Item = JournalRecord | Fault


def every_candidate(
    data: bytes, start: int, limit: int, dialect: Dialect, own: bytes | None
) -> Iterator[Item]:
    """Decide on one offset after another: slow, and nothing to get wrong."""
    at = start
    while at < limit:
        at += 1
        if data[at - 1] not in dialect.kinds or (own is not None and data[at : min(at + 4, limit)] != own):
            continue
        item = decode_record(data, at - 1, limit, dialect, direct)
        yield item
        if isinstance(item, JournalRecord):
            at = item.end


def own_stamp(dialect: Dialect) -> bytes:
    return dialect.stamp(FILE_ID).to_bytes(4, "big")


def plain(data: bytes, dialect: Dialect) -> list[Item]:
    return list(every_candidate(data, dialect.header_size, len(data), dialect, own_stamp(dialect)))


def regions(data: bytes, dialect: Dialect, items: list[Item]) -> list[Dropped]:
    found = laid_out(DataFile("a-1.amq", data, dialect), items, len(data))
    return [item for item in found if isinstance(item, Dropped)]


def agree(data: bytes, dialect: Dialect) -> list[Item]:
    slow, quick = plain(data, dialect), list(scan.walk(data, FILE_ID, dialect))
    assert [item for item in quick if isinstance(item, JournalRecord)] == [
        item for item in slow if isinstance(item, JournalRecord)
    ]
    assert set(quick) <= set(slow)
    assert regions(data, dialect, quick) == regions(data, dialect, slow)
    return quick


@st.composite
def crowded(draw: st.DrawFn) -> tuple[Dialect, bytes]:
    """Draw bytes of which most are candidates: types, stamps, sizes near right, whole records, cut ones."""
    dialect = DIALECTS[draw(st.sampled_from(sorted(DIALECTS)))]
    stamp = own_stamp(dialect)
    code = st.sampled_from(sorted(dialect.kinds))
    small = st.integers(-2, 40) | st.sampled_from([0x7FFFFFFF, -0x80000000, 0x0B0C0B0B])

    def record(kind_code: int, size: int, tx: int) -> bytes:
        kind = dialect.kinds[kind_code]
        pairs = tuple((FILE_ID, at) for at in range(size % 4)) if dialect.pairs and kind.ends else ()
        body = b"\x0b\x0c" * (size % 30) if kind.body else b""
        extra = stamp if kind.name == "PREPARE" and dialect.prepare_extra else b""
        return encode_record(
            JournalRecord(0, 0, kind, tx=tx, body=body, extra=extra, pairs=pairs),
            dialect,
            dialect.stamp(FILE_ID),
            direct,
        )

    whole = st.builds(record, code, st.integers(0, 60), st.integers(-9, 9))
    piece = st.one_of(
        whole,
        st.builds(lambda data, cut: data[: max(1, len(data) - cut)], whole, st.integers(1, 12)),
        st.builds(
            lambda c, sizes: bytes([c]) + stamp + b"".join(struct.pack(">i", size) for size in sizes),
            code,
            st.lists(small, max_size=7),
        ),
        st.builds(lambda c, times: (bytes([c]) + stamp) * times, code, st.integers(1, 9)),
        st.builds(lambda times: b"\x0b" * times, st.integers(1, 40)),
        st.binary(max_size=12),
    )
    body = b"".join(draw(st.lists(piece, max_size=40)))
    return dialect, bytes(dialect.header_size) + body


@pytest.fixture
def easily_crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make few candidates a crowd and windows short, so that small inputs have many borders."""
    monkeypatch.setattr(scan, "CROWD", 2)
    monkeypatch.setattr(fast, "WINDOW", 37)


@pytest.mark.usefixtures("easily_crowded")
class TestSmallWindows:
    """With small windows, windows and single steps take turns all the time."""

    @settings(max_examples=150, deadline=None)
    @given(crowded())
    def test_walk_gives_the_records_and_regions_of_single_steps(self, drawn: tuple[Dialect, bytes]) -> None:
        dialect, data = drawn
        agree(data, dialect)

    @settings(max_examples=50, deadline=None)
    @given(crowded(), st.sampled_from([16, 64]), st.sampled_from([0, 1 << 20]))
    def test_a_file_of_which_little_is_in_memory_gives_the_same(
        self, drawn: tuple[Dialect, bytes], chunk: int, fits: int
    ) -> None:
        """Records that reach beyond what is loaded are decided one by one, or the file is loaded whole."""
        dialect, data = drawn
        with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile(buffering=0) as stream:
            for name, size in (("CHUNK", chunk), ("AHEAD", 2 * chunk), ("SMALL", 4)):
                patch.setattr(content, name, size)
            patch.setattr(fast, "FURTHER", chunk)
            patch.setattr(fast, "BUDGET", fits)
            stream.write(data)
            lazy = content.Content(content.PartOfFile(stream, 0, len(data)))
            quick = list(scan.walk(lazy, FILE_ID, dialect))
            assert [item for item in quick if isinstance(item, JournalRecord)] == [
                item for item in plain(data, dialect) if isinstance(item, JournalRecord)
            ]
            assert regions(data, dialect, quick) == regions(data, dialect, plain(data, dialect))
            whole = [(0, len(data))]
            other = FILE_ID + 1
            assert list(scan.stale(lazy, other, dialect, whole)) == list(
                scan.stale(data, other, dialect, whole)
            )

    @settings(max_examples=60, deadline=None)
    @given(crowded(), st.integers(0, 200), st.integers(0, 400))
    def test_records_of_earlier_lives_are_the_same(
        self, drawn: tuple[Dialect, bytes], start: int, length: int
    ) -> None:
        dialect, data = drawn
        start = min(start, len(data))
        limit = min(start + length, len(data))
        other = FILE_ID + 1
        found = list(scan.stale(data, other, dialect, [(start, limit)]))
        own = dialect.stamp(other).to_bytes(4, "big")
        expected = []
        for item in every_candidate(data, start, limit, dialect, None):
            if isinstance(item, JournalRecord):
                assert data[item.off + 1 : item.off + 5] != own
                expected.append(item)
        assert found == expected

    @settings(max_examples=60, deadline=None)
    @given(crowded(), st.integers(0, 300))
    def test_nothing_is_read_behind_the_given_end(self, drawn: tuple[Dialect, bytes], end: int) -> None:
        dialect, data = drawn
        limited = list(scan.walk(data, FILE_ID, dialect, end))
        assert limited == list(scan.walk(data[:end], FILE_ID, dialect))


@pytest.mark.parametrize("edition", sorted(DIALECTS))
def test_a_filter_passes_every_record_and_little_else(edition: str) -> None:
    dialect = DIALECTS[edition]
    stamp = dialect.stamp(FILE_ID)
    records = b"".join(
        encode_record(JournalRecord(0, 0, kind, tx=3), dialect, stamp, direct)
        for kind in dialect.kinds.values()
    )
    fakes = b"".join(bytes([code]) + stamp.to_bytes(4, "big") + b"\xff" * 40 for code in dialect.kinds)
    data = records + fakes + records
    window = fast.Finder(data, dialect, stamp, len(data)).window(0)
    slow = every_candidate(data, 0, len(data), dialect, own_stamp(dialect))
    starts = [item.off for item in slow if isinstance(item, JournalRecord)]
    assert set(starts) <= set(window.hopeful.tolist())
    assert len(window.all) == 3 * len(dialect.kinds)
    assert window.hopeful.tolist() == starts


@settings(max_examples=80, deadline=None)
@given(st.data(), st.binary(min_size=1, max_size=3000), st.booleans())
def test_checksums_of_many_ranges_are_those_of_each(
    draw: st.DataObject, data: bytes, scattered: bool
) -> None:
    digest = RangeDigest(data)
    ends = draw.draw(st.lists(st.tuples(st.integers(0, len(data)), st.integers(0, len(data))), max_size=20))
    pairs = [(min(pair), max(pair)) for pair in ends] * (1 if scattered else 40)
    starts = np.asarray([start for start, _ in pairs], np.int64)
    found = digest.ranges(starts, np.asarray([end for _, end in pairs], np.int64))
    assert found.tolist() == [zlib.crc32(data[start:end]) for start, end in pairs]


def test_checksums_of_long_ranges() -> None:
    data = bytes(at * at % 251 for at in range(1 << 16)) * 5
    starts = np.arange(0, 60_000, 7, dtype=np.int64)
    for ends in (starts + 200_000, np.minimum(starts * 5 + 9, len(data))):
        found = RangeDigest(data).ranges(starts, ends)
        assert found[::97].tolist() == [
            zlib.crc32(data[start:end]) for start, end in zip(starts[::97], ends[::97], strict=True)
        ]


ADVERSARIAL = {
    "one-type": b"\x0b",
    "two-types": b"\x0b\x0d",
    "near": b"\x0b\x0b\x0b\x0b\x0b" + bytes(10) + b"\x0b",
}


@pytest.mark.parametrize("name", ADVERSARIAL)
@pytest.mark.parametrize("edition", ["seed", "seed+hash", "v2"])
def test_large_hostile_input_agrees(edition: str, name: str) -> None:
    dialect = DIALECTS[edition]
    pattern = ADVERSARIAL[name]
    data = bytes(dialect.header_size) + (pattern * (40_000 // len(pattern)))
    data += encode_record(
        JournalRecord(0, 0, dialect.kinds[19], tx=5), dialect, dialect.stamp(FILE_ID), direct
    )
    agree(data, dialect)
    # Also with the id that makes every byte a candidate.
    every = int.from_bytes((pattern * 4)[:4], "big")
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


def test_without_numpy_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = DIALECTS["seed"]
    data = bytes(4) + b"\x0b" * 3000 + struct.pack(">i", 7) * 9
    every = 0x0B0B0B0B
    quick = list(scan.walk(data, every, dialect))
    monkeypatch.setattr(scan, "_fast", lambda: None)
    assert list(scan.walk(data, every, dialect)) == quick
