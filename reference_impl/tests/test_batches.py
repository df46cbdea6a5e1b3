"""Sequences of batches are kept in memory or scanned again; files may change between two scans."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from journalspec import reread
from journalspec.observation import At, Dropped, Note, Record
from journalspec.reread import Changed, Lazy
from journalspec_reference import batches
from journalspec_reference.batches import Batch, Found, Memory, Stretch, zeros_end
from journalspec_reference.value_cache import OWN, ValueCache


def batch(base: int, *places: tuple[int, int]) -> Batch:
    made = Batch(base, bytes(100))
    for at, end in places:
        made.off.append(at)
        made.end.append(end)
        made.code.append(at)
    made.damage.append((base + 90, base + 95, "torn"))
    made.notes.append(Note("odd", "a", base))
    return made


def told(found: Batch) -> Iterator[Record]:
    for at, end in zip(found.off, found.end, strict=True):
        yield Record("ADD", {}, At("a", found.base + at, end - at))


def walked(*scans: list[Batch]) -> Found:
    found, turns = Found(), iter(scans)
    stretch = Stretch("a", lambda: next(turns), told)
    for each in found.begin(stretch):
        found.take(each)
    return found


@pytest.mark.parametrize("keep", [reread.KEEP, 150, 0])
def test_listed_records_equal_the_scanned_ones(monkeypatch: pytest.MonkeyPatch, keep: int) -> None:
    kept = keep == reread.KEEP
    monkeypatch.setattr(reread, "KEEP", keep)
    scan = [batch(0, (1, 5), (5, 9)), batch(100), batch(200, (0, 7))]
    found = walked(*[scan] * 9)
    assert isinstance(found.records(), Lazy) != kept
    for _ in range(2):
        places = [(each.at.off, each.at.length) for each in found.records()]
        assert places == [(1, 4), (5, 4), (200, 7)]
        assert list(found.dropped()) == [Dropped("a", at, 5, "torn") for at in (90, 190, 290)]
        assert [note.off for note in found.notes()] == [0, 100, 200]
    assert (len(found.records()), {*found.codes()}, sum(found.codes().values())) == (3, {0, 1, 5}, 3)


@pytest.mark.parametrize("most", [1, 3])
def test_few_regions_and_notes_are_kept_and_many_are_scanned_again(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(reread, "KEEP", 0)
    monkeypatch.setattr(batches, "MOST_ODD", most)
    scan = [batch(0, (1, 5)), batch(100), batch(200)]
    found = walked(*[scan] * 3)
    assert isinstance(found.dropped(), tuple) == isinstance(found.notes(), tuple) == (most == 3)
    assert [region.off for region in found.dropped()] == [90, 190, 290]
    assert [note.off for note in found.notes()] == [0, 100, 200]


def test_cache_has_a_bound() -> None:
    made: list[bytes] = []

    def make(data: bytes) -> bytes:
        made.append(data)
        return data.upper()

    cache = ValueCache(make, longest=3, most=2 * (OWN + 3))
    assert [cache[data] for data in (b"abc", b"abc", b"long", b"long", b"de")] == [
        *(b"ABC", b"ABC", b"LONG", b"LONG", b"DE")
    ]
    assert made == [b"abc", b"long", b"long", b"de"]
    assert cache[b"fg"] == b"FG"
    assert [*cache] == [b"fg"]
    # Bytes that are longer than the bound are not cached, so they remove no other bytes from the cache.
    large = ValueCache(make, most=OWN + 3)
    assert (large[b"abc"], large[bytes(4)], [*large]) == (b"ABC", bytes(4), [b"abc"])


@pytest.mark.parametrize(
    "then", [[batch(0, (1, 5))], [batch(0, (1, 6), (6, 9))], [batch(0, (1, 5), (5, 9)), batch(9, (0, 1))]]
)
def test_file_with_other_content_at_the_second_read_is_detected(
    monkeypatch: pytest.MonkeyPatch, then: list[Batch]
) -> None:
    monkeypatch.setattr(reread, "KEEP", 0)
    first = [batch(0, (1, 5), (5, 9))]
    found = walked(first, then, first)
    with pytest.raises(Changed, match="a changed while it was read"):
        list(found.records())
    assert len(list(found.records())) == 2


@pytest.mark.parametrize("zeros", [0, 1, 255, 256, 4096, 70_000, 1 << 17])
def test_only_zeros_are_skipped(zeros: int) -> None:
    data = struct.pack(f"{zeros}x3s", b"xyz") + bytes(300)
    at = zeros_end(data, 0, len(data))
    assert zeros - 256 < at <= zeros
    assert zeros_end(data, zeros, len(data)) == zeros
    assert zeros_end(data, 0, zeros // 2) <= zeros // 2


def test_bytes_in_memory_are_a_source() -> None:
    source = Memory(memoryview(b"abcdef"))
    assert (source.size, source.read(2, 3), source.read(5, 9), source.next_data(3)) == (6, b"cde", b"f", 3)
    assert source.gap(0, 6) is None
