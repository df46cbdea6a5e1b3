"""Crowds of candidates: windows find what single steps and the plainest search find, and cost little."""

from __future__ import annotations

import struct
import tempfile
import time
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journalspec_reference import content, search
from journalspec_reference.search import Searching
from journalspec_reference.signs import CHECK_SIZE, Shape, Signs

np = pytest.importorskip("numpy", reason="NumPy is missing: pip install 'journalspec[spark]'")
crowds = pytest.importorskip("journalspec_reference.crowds")

STAMP = b"\x0b\x0c\x0b\x0b"
#: Types without sizes, with one and with two of them.
SHAPES = (Shape(0x0B, 5, ()), Shape(0x0C, 10, ((6, 1),)), Shape(0x0D, 13, ((5, 1), (9, 8))))
#: Where something is, and where it ends; 0: a candidate that is no record.
Item = tuple[int, int]


def signs(stamp: bytes = STAMP, *, hashed: bool = False) -> Signs:
    return Signs(SHAPES, stamp, 5, hashed)


def claimed(shape: Shape, counts: Iterable[int]) -> int:
    """Return the length of a record of this shape, its check aside, that holds so many of what it counts."""
    return shape.size + sum(count * unit for count, (_, unit) in zip(counts, shape.counts, strict=True))


def check(data: bytes, *, hashed: bool) -> bytes:
    return (zlib.crc32(data) if hashed else len(data) + CHECK_SIZE).to_bytes(4, "big")


def record(shape: Shape, *counts: int, hashed: bool = False) -> bytes:
    """Return a record; what it holds looks like candidates."""
    head = bytearray((bytes([shape.code]) + STAMP).ljust(shape.size, b"\0"))
    for (at, _), count in zip(shape.counts, counts, strict=True):
        struct.pack_into(">i", head, at, count)
    whole = bytes(head).ljust(claimed(shape, counts), b"\x0b")
    return whole + check(whole, hashed=hashed)


def end_of(data: bytes, off: int, limit: int, sought: Signs) -> int:
    """Return where the record at `off` ends; 0: there is none."""
    (shape,) = (shape for shape in sought.shapes if shape.code == data[off])
    if off + shape.size + CHECK_SIZE > limit:
        return 0
    counts = [struct.unpack_from(">i", data, off + at)[0] for at, _ in shape.counts]
    end = off + claimed(shape, counts) + CHECK_SIZE
    if min(counts, default=0) < 0 or end > limit:
        return 0
    whole = data[off : end - CHECK_SIZE]
    return end if data[end - CHECK_SIZE : end] == check(whole, hashed=sought.hashed) else 0


class Search(Searching[Item]):
    """Takes every candidate; of those that are no records, the first since the last record."""

    def __init__(self, data: Any, sought: Signs) -> None:
        super().__init__(data, len(data), sought)
        self._plain = bytes(data)

    def _take(self, off: int) -> Item | None:
        end = end_of(self._plain, off, self._limit, self._signs)
        self._at = end or off + 1
        told = end or off >= self._covered
        self._covered = 0 if end else self._limit
        return (off, end) if told else None


def plainly(data: bytes, start: int, limit: int, sought: Signs) -> Iterator[Item]:
    """Yield what :class:`Search` does, by looking at every offset."""
    at, quiet = start, False
    signed = 1 + len(sought.stamp)
    while at + signed <= limit:
        candidate = data[at] in (shape.code for shape in SHAPES) and data.startswith(sought.stamp, at + 1)
        end = end_of(data, at, limit, sought) if candidate else 0
        if end or (candidate and not quiet):
            yield at, end
            quiet = not end
        at = end or at + 1


def in_both_ways(data: Any, start: int, limit: int, sought: Signs) -> list[Item]:
    """Return what a search finds; in windows it is what single steps find."""
    quick = list(Search(data, sought).between(start, limit))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_crowds", lambda: None)
        assert list(Search(data, sought).between(start, limit)) == quick
    return quick


@st.composite
def crowded(draw: st.DrawFn, *, hashed: bool) -> bytes:
    """Draw bytes of which most are candidates: types, stamps, sizes near right, whole records, cut ones."""
    sizes = st.lists(st.integers(-2, 40) | st.sampled_from([0x7FFFFFFF, -0x80000000]), max_size=7)
    pieces = []
    for shape in draw(st.lists(st.sampled_from(SHAPES), max_size=40)):
        number = draw(st.integers(0, 60))
        whole = record(shape, *(number % 7 for _ in shape.counts), hashed=hashed)
        other = whole[:5]
        lying = other + b"".join(struct.pack(">i", size) for size in draw(sizes))
        choices = [whole, whole[: -1 - number % 12], other * (number % 9), lying, b"\x0b" * number]
        pieces.append(draw(st.sampled_from(choices) | st.binary(max_size=12)))
    return b"".join(pieces)


@settings(max_examples=200, deadline=None)
@given(
    st.data(),
    st.booleans(),
    st.sampled_from([STAMP, b""]),
    st.integers(0, 300),
    st.integers(0, 400),
    st.sampled_from([16, 64]),
)
def test_windows_find_what_single_steps_find(
    data: st.DataObject, hashed: bool, stamp: bytes, start: int, length: int, chunk: int
) -> None:
    """Also between two offsets, and where little of the file is in memory."""
    drawn, sought = data.draw(crowded(hashed=hashed)), signs(stamp, hashed=hashed)
    start, limit = min(start, len(drawn)), min(start + length, len(drawn))
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile(buffering=0) as stream:
        # Few candidates are a crowd and windows short, so that windows and single steps take turns.
        for module, name, size in (
            (search, "CROWD", 2), (crowds, "WINDOW", 37), (crowds, "FURTHER", chunk),
            (crowds, "BUDGET", data.draw(st.booleans()) << 20),
            (content, "CHUNK", chunk), (content, "AHEAD", 2 * chunk), (content, "SMALL", 4),
        ):  # fmt: skip
            patch.setattr(module, name, size)
        stream.write(drawn)
        for begin, end in ((0, len(drawn)), (start, limit)):
            expected = list(plainly(drawn, begin, end, sought))
            assert in_both_ways(drawn, begin, end, sought) == expected
            lazy = content.Content(content.PartOfFile(stream, 0, len(drawn)))
            assert in_both_ways(lazy, begin, end, sought) == expected


@pytest.mark.parametrize(("count", "step"), [(9000, 7), (9000, 1), (3, 20_000)])
def test_checksums_of_many_ranges_are_those_of_each(count: int, step: int) -> None:
    data = bytes(at * at % 251 for at in range(1 << 16)) * 5
    starts = np.arange(count, dtype=np.int64) * step
    for ends in (starts, starts + 63, starts + 200_000, np.minimum(starts * 5 + 9, len(data))):
        found = crowds.RangeDigest(data).ranges(starts, ends)
        ranges = zip(starts[::97], ends[::97], strict=True)
        assert found[::97].tolist() == [zlib.crc32(data[start:end]) for start, end in ranges]


@pytest.mark.parametrize("hashed", [False, True])
def test_a_hostile_file_takes_linear_time_and_the_memory_of_a_window(hashed: bool) -> None:
    spent = []
    for mib in (1, 4):
        sought, data = signs(b"\x0b" * 4, hashed=hashed), b"\x0b" * (mib << 20)
        tracemalloc.start()
        began = time.process_time()
        items = list(Search(data, sought).between(0, len(data)))
        spent.append(time.process_time() - began)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 40 * crowds.WINDOW * 8 + len(data)
        assert len(items) == 1
    # Four times the bytes; single steps would take some 12 s for these.
    assert spent[1] < 8 * spent[0] + 0.2
    assert spent[1] < 4
