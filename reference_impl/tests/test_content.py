"""The content of a file takes bounded memory and reports errors as ranges. Unreadable bytes never become
zeros.

Journals that are read through such contents have the same answers as journals in memory, and a disk's faults
never lead to invented records.
"""

from __future__ import annotations

import errno
import gc
import os
import random
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disks import Disk
from journalspec.files import Unfit
from journalspec.formats import format_ids, get_format
from journalspec.observation import Record
from journalspec_corpus.load import load_cases
from journalspec_reference import content as content_module
from journalspec_reference import load
from journalspec_reference.answers import ask
from journalspec_reference.bitronix_tlog.codec import encode, encode_header
from journalspec_reference.content import (
    MOST_IN_FILE,
    MOST_IN_READ,
    MOST_MOVED,
    MOST_OPEN,
    SECTOR,
    SHORTER,
    Blocks,
    Content,
    Descriptors,
    FileSource,
    PartOfFile,
    Ranges,
)
from journalspec_reference.filesets import find_journals
from journalspec_reference.filesets import load as load_files
from work import work

EIO = os.strerror(errno.EIO)
CHUNK = 1 << 20


@cache
def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def ranges(content: Content) -> list[tuple[int, int, str]]:
    return [(bad.start, bad.end, bad.why) for bad in content.unreadable]


@pytest.mark.parametrize("size", [0, 1, 100, SECTOR, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 77])
def test_slices_equal_those_of_the_bytes(size: int) -> None:
    data = noise(size)
    content = Content(Disk(data))
    assert len(content) == size
    places = random.Random(1)
    for _ in range(200):
        start, end = places.randint(0, size), places.randint(0, size)
        assert content[start:end] == data[start:end]
        assert content[-start:] == data[-start:]
    assert bytes(content) == data
    assert content[: size + 5 : 7] == data[::7]
    assert [content[at] for at in range(min(size, 5))] == list(data[:5])
    with pytest.raises(IndexError, match=f"offset {size} in a file of {size} bytes"):
        content[size]


@contextmanager
def blocks(size: int = 1 << 14, small: int = 1 << 10, head: int = 64) -> Iterator[int]:
    """Make blocks small, so that files have many of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("BLOCK", size), ("SMALL", small), ("HEAD", head)):
            patch.setattr(content_module, name, value)
        yield size


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_read_returns_the_bytes_of_the_file_for_any_cached_blocks(data: st.DataObject) -> None:
    """Three files share memory for three blocks."""
    with blocks() as size:
        files = [noise(9 * size + 9), noise(size + 5), noise(700)]
        shared = Blocks(3 * size)
        contents = [(file, Content(Disk(file), shared)) for file in files]
        for _ in range(20):
            file, content = data.draw(st.sampled_from(contents))
            borders = list(range(size - 4, len(file), size)) or [0]
            start = data.draw(st.integers(0, len(file) - 1) | st.sampled_from(borders))
            length = data.draw(st.integers(0, 40) | st.integers(0, 2 * size))
            assert content.read(start, length) == file[start : start + length]


@given(st.data())
def test_ranges_contain_what_was_added_in_any_order(data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # With the usual number, only thousands of ranges would be inserted late.
        patch.setattr(content_module, "MOST_MOVED", data.draw(st.sampled_from((1, 2, 4, 1 << 12))))
        found, wanted = Ranges(), set[int]()
        for start, size in data.draw(st.lists(st.tuples(st.integers(0, 150), st.integers(1, 12)))):
            found.add(start, start + size)
            wanted |= {*range(start, start + size)}
            low = data.draw(st.integers(0, 150))
            if not low % 3:
                left = [at for part in found.left(low, low + 9) for at in range(*part)]
                assert left == [at for at in range(low, low + 9) if at not in wanted]
                assert found.hold(low, low + 9) == (not left)
        parts = [*found]
        assert [at for part in parts for at in range(*part)] == sorted(wanted)
        assert all(one[1] < other[0] for one, other in pairwise(parts))


def test_ranges_in_falling_order_are_inserted_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    settled, settle = list[Ranges](), Ranges._settle

    def counted(of: Ranges) -> None:
        settled.append(of)
        settle(of)

    monkeypatch.setattr(Ranges, "_settle", counted)
    found, number = Ranges(), 5 * MOST_MOVED
    for start in range(2 * number, 0, -2):
        found.add(start, start + 1)
    assert len(settled) == 3, "the first ranges are inserted at once, and the last ones when they are needed"
    assert [*found] == [(start, start + 1) for start in range(2, 2 * number + 2, 2)]


def test_unread_bytes_between_many_reads_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_module, "MOST_MOVED", 4)
    disk = Disk(noise(80 * SECTOR))
    content = Content(disk)
    for at in [*range(78, 0, -4), *range(0, 80, 4)]:
        content.peek(at * SECTOR, (at + 1) * SECTOR)
    read = disk.delivered
    disk.bad = frozenset({2, 3, 79})
    assert ranges(content) == []
    content.finish()
    assert ranges(content) == [(3 * SECTOR, 4 * SECTOR, EIO), (79 * SECTOR, 80 * SECTOR, EIO)]
    assert content.lost == []
    assert disk.delivered == read + 38 * SECTOR


def test_number_of_cached_blocks_has_a_bound() -> None:
    disks = [Disk(noise(CHUNK // 32 + number)) for number in range(100)]
    shared = Blocks(CHUNK)
    contents = [Content(disk, shared) for disk in disks]
    for _ in range(2):
        for content, disk in zip(contents, disks, strict=True):
            assert content.read(5, 5) == disk.data[5:10]
    assert [disk.calls for disk in disks] == [2] * 100
    for content, disk in zip(contents[-20:], disks[-20:], strict=True):
        assert content.read(100, 5) == disk.data[100:105]
    assert [disk.calls for disk in disks[-20:]] == [2] * 20


def test_bad_sector_is_an_unreadable_range_and_other_bytes_are_read() -> None:
    data = noise(3 * CHUNK)
    disk = Disk(data, bad=frozenset({3, 4, 300}))
    content = Content(disk)
    assert content[: 3 * SECTOR] == data[: 3 * SECTOR]
    assert content[5 * SECTOR : 300 * SECTOR] == data[5 * SECTOR : 300 * SECTOR]
    assert content[301 * SECTOR :] == data[301 * SECTOR :]
    # Only requested bytes are read.
    assert ranges(content) == []
    assert len(bytes(content)) == len(data)
    assert ranges(content) == [(3 * SECTOR, 5 * SECTOR, EIO), (300 * SECTOR, 301 * SECTOR, EIO)]
    for start, end in ((5 * SECTOR - 1, 5 * SECTOR), (2 * SECTOR, 3 * SECTOR + 1)):
        gap = content.gap(start, end)
        assert gap is not None
        assert gap.why == EIO
    assert content.gap(0, 3 * SECTOR) is content.gap(5 * SECTOR, 300 * SECTOR) is None
    # Sectors that are known to be bad are not read again, because a disk takes seconds for each.
    before = disk.errors
    assert content.read(4 * SECTOR, 8) == bytes(8)
    assert disk.errors == before


def test_disk_with_many_bad_sectors_is_not_read_sector_by_sector() -> None:
    disk = Disk(noise(40 * CHUNK), bad=frozenset(range(10, 40 * CHUNK // SECTOR - 5)))
    content = Content(disk)
    assert content[:100] == disk.data[:100]
    content.finish()
    assert disk.errors <= MOST_IN_FILE + 2 * 40
    assert ranges(content)[0] == (10 * SECTOR, ranges(content)[0][1], EIO)
    assert ranges(Content(Disk(noise(SECTOR), bad=frozenset({0})))) == []
    one = Content(Disk(noise(2 * CHUNK), bad=frozenset(range(0, 256, 2))))
    one.finish()
    assert sum(end - start for start, end, _ in ranges(one)) >= MOST_IN_READ * SECTOR
    assert one[CHUNK : 2 * CHUNK] == noise(2 * CHUNK)[CHUNK:]


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EMFILE, errno.EACCES, errno.ENOENT])
def test_read_error_outside_of_a_sector_belongs_to_the_file(number: int) -> None:
    disk = Disk(noise(4 * CHUNK), bad=frozenset(range(256, 10_000)))
    disk.number = number
    content = Content(disk)
    assert content.finish() == [(CHUNK, 4 * CHUNK, os.strerror(number))]
    assert disk.errors == 3


def test_file_that_becomes_shorter_is_reported() -> None:
    data = noise(4 * CHUNK)
    disk = Disk(data)
    content = Content(disk)
    assert content[:5000] == data[:5000]
    disk.cut = 2 * CHUNK + 100
    assert content[2 * CHUNK : 2 * CHUNK + 200] == data[2 * CHUNK : 2 * CHUNK + 100] + bytes(100)
    assert ranges(content) == [(2 * CHUNK + 100, 4 * CHUNK, SHORTER)]
    assert content.finish() == content.unreadable
    disk.cut = 10
    assert len(content) == 4 * CHUNK
    other = Content(disk)
    assert other.finish() == [(10, 4 * CHUNK, SHORTER)]


def test_holes_are_neither_read_nor_searched() -> None:
    data = bytearray(24 * CHUNK)
    data[20 * CHUNK + 5] = 7
    disk = Disk(bytes(data))
    content = Content(disk)
    content.finish()
    assert disk.calls == 1
    assert content.next_data(0) == 20 * CHUNK
    assert content.next_data(21 * CHUNK) == len(data)
    assert bytes(content) == bytes(data)


def test_truncated_part_of_a_sparse_file_is_not_a_hole(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(b"x" * SECTOR)
    os.truncate(path, 40 * CHUNK)
    content = Content(FileSource(str(path), Descriptors()))
    os.truncate(path, 20 * CHUNK)
    assert content.finish() == [(20 * CHUNK, 40 * CHUNK, SHORTER)]


def test_replaced_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes([1]) * (2 * CHUNK))
    handles = Descriptors(1)
    content = Content(FileSource(str(path), handles))
    assert not content.changed()
    (tmp_path / "b").write_bytes(bytes([2]) * (2 * CHUNK))
    (tmp_path / "b").replace(path)
    FileSource(str(tmp_path / "a"), Descriptors())
    (tmp_path / "c").touch()
    handles.handle(str(tmp_path / "c"))
    assert content[CHUNK : CHUNK + 5000] == bytes(5000)
    (bad,) = content.finish()
    assert (bad.start, bad.end) == (0, 2 * CHUNK)
    assert "another file has taken its place" in bad.why
    assert content.changed()


def test_overwritten_file_with_its_old_time_is_reported_as_changed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(9))
    content = Content(FileSource(str(path), Descriptors()))
    was = path.stat()
    path.write_bytes(b"x" * 9)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert path.stat().st_mtime_ns == was.st_mtime_ns
    assert content.changed()


def limits(monkeypatch: pytest.MonkeyPatch, most: int) -> Callable[[], int]:
    """Let opening fail if `most` files are open; return a function that counts the open files."""
    opened: set[int] = set()
    real_open, real_close = os.open, os.close

    def limited(path: str, *more: int) -> int:
        if len(opened) >= most:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), path)
        handle = real_open(path, *more)
        opened.add(handle)
        return handle

    def closed(handle: int) -> None:
        opened.discard(handle)
        real_close(handle)

    monkeypatch.setattr(os, "open", limited)
    monkeypatch.setattr(os, "close", closed)
    return lambda: len(opened)


@pytest.mark.parametrize("most", [1, 3, 100])
def test_few_files_are_open_at_one_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for number in range(50):
        (tmp_path / str(number)).write_bytes(noise(CHUNK + number))
    count = limits(monkeypatch, most)
    handles = Descriptors()
    contents = [Content(FileSource(str(tmp_path / str(number)), handles)) for number in range(50)]
    for number in (*range(50), 3, 49):
        assert bytes(contents[number]) == noise(CHUNK + number)
        assert count() <= min(most, MOST_OPEN)
    del contents, handles
    gc.collect()
    assert count() == 0


def test_non_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unfit, match="not a regular file"):
        FileSource(str(tmp_path / "pipe"), Descriptors())


def test_part_of_a_file_is_read_like_a_file(tmp_path: Path) -> None:
    path = tmp_path / "whole"
    path.write_bytes(noise(3 * SECTOR))
    with path.open("rb") as stream:
        content = Content(PartOfFile(stream, SECTOR, SECTOR + 5))
        assert bytes(content) == noise(3 * SECTOR)[SECTOR : 2 * SECTOR + 5]
        assert (len(content), content.next_data(7), content.changed()) == (SECTOR + 5, 7, False)
        assert content.finish() == []


def test_bytes_that_can_be_read_only_once_are_reported() -> None:
    with blocks() as size:
        disk = Disk(noise(3 * size))
        content = Content(disk)
        content.read(0, 2 * size)
        disk.bad = frozenset({1, 2 * size // SECTOR})
        content.read(0, size)
        assert content.lost == [(SECTOR, 2 * SECTOR, EIO)]
        # The second bad sector was never read, so its bytes are not reported as lost.
        content.finish()
        assert content.lost == [(SECTOR, 2 * SECTOR, EIO)]
        assert len(content.unreadable) == 2


@pytest.mark.parametrize(("size", "limit", "every"), [(16, 1 << 30, 30), (4096, 8192, 20)])
@pytest.mark.parametrize("format_id", format_ids())
def test_answers_do_not_depend_on_the_amount_of_memory(
    format_id: str, size: int, limit: int, every: int
) -> None:
    implementation = load(format_id)
    compared = 0
    policy = get_format(format_id).keeps_most
    with blocks(size, 8, 20):
        for case in [case for case in load_cases(format_id, "smoke") if case.write is None][::every]:
            plain: dict[str, Any] = case.files()
            if sum(map(len, plain.values())) > size << 12:
                # Megabytes in chunks of a few bytes would take minutes. The test with larger chunks reads
                # these inputs.
                continue
            shared = Blocks(limit)
            lazy = {name: Content(Disk(bytes(data)), shared) for name, data in plain.items()}
            options: dict[str, Any] = {"edition": case.edition, "params": case.params}
            assert implementation.read(lazy, **options) == implementation.read(plain, **options), case.id
            recovered = implementation.recover(lazy, policy=policy, **options)
            assert recovered == implementation.recover(plain, policy=policy, **options), case.id
            assert list(implementation.spans(lazy, **options)) == list(
                implementation.spans(plain, **options)
            ), case.id
            assert implementation.detect(lazy) == implementation.detect(plain), case.id
            compared += 1
    assert compared > 8


def write_queue(directory: Path, files: int, bodies: Iterator[int] | range) -> None:
    """Write data files of format version 2 with an ADD for each length in `bodies`, followed by fill."""
    for number in range(1, files + 1):
        out = bytearray(struct.pack(">iiq", 2, 0, number))
        for size in bodies:
            head = b"\x0b" + struct.pack(">ibqiB", number, 0, 1000 * number + size, size, 0)
            out += head + b"m" * size + struct.pack(">i", len(head) + size + 4)
        (directory / f"data-{number}.amq").write_bytes(
            bytes(out).ljust(len(out) // SECTOR * SECTOR + SECTOR, b"\0")
        )


def write_pair(directory: Path, sizes: range) -> None:
    """Write a pair of logs with one record for each length in `sizes`, which are lengths of names."""
    for number in (1, 2):
        records = b"".join(encode(8, b"g%d" % size, (b"n" * size,), 5, size) for size in sizes)
        out = encode_header(number, 0, 21 + len(records)) + records
        (directory / f"btm{number}.tlog").write_bytes(out.ljust(len(out) // SECTOR * SECTOR + SECTOR, b"\0"))


class Faults:
    """Faults of a file: a sector fails, or the file is cut at the first read beyond an offset."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
        self.path, self.inode = path, path.stat().st_ino
        self.sector = -1
        self.cut: tuple[int, int] | None = None
        self.real = content_module._read
        self.delivered = 0
        monkeypatch.setattr(content_module, "_read", self.read)

    def read(self, handle: int, size: int, off: int) -> bytes:
        if os.fstat(handle).st_ino == self.inode:
            if self.sector >= 0 and off < (self.sector + 1) * SECTOR and off + size > self.sector * SECTOR:
                if off >= self.sector * SECTOR:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                size = self.sector * SECTOR - off
            if self.cut is not None:
                size = min(size, SECTOR)
                if off >= self.cut[0]:
                    os.truncate(self.path, self.cut[1])
        data = self.real(handle, size, off)
        self.delivered += len(data)
        return data


def one(directory: Path, edition: str) -> Any:
    (journal,) = find_journals(load_files(directory), edition=edition)
    return journal


def places(records: Iterable[Record]) -> set[tuple[str, int, int]]:
    return {(record.at.file, record.at.off, record.at.off + record.at.length) for record in records}


def overlapping(
    found: set[tuple[str, int, int]], name: str, start: int, end: int
) -> set[tuple[str, int, int]]:
    return {place for place in found if place[0] == name and place[1] < end and start < place[2]}


JOURNALS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "queue": (lambda path: write_queue(path, 2, range(3, 6000, 517)), "v2", "data-1.amq"),
    "pair": (lambda path: write_pair(path, range(100, 5000, 517)), "2.1", "btm2.tlog"),
}


@pytest.mark.parametrize("sector", [0, 1, 5, -1])
@pytest.mark.parametrize("name", JOURNALS)
def test_bad_sector_is_a_dropped_region_and_never_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sector: int
) -> None:
    write, edition, file = JOURNALS[name]
    write(tmp_path)
    sound = ask(one(tmp_path, edition)).observation
    assert sound.verdict == "clean"
    faults = Faults(monkeypatch, tmp_path / file)
    faults.sector = sector % ((tmp_path / file).stat().st_size // SECTOR)
    start, end = faults.sector * SECTOR, (faults.sector + 1) * SECTOR
    seen = ask(one(tmp_path, edition)).observation
    assert seen.verdict == "recovered"
    lost = overlapping(places(sound.records), file, start, end)
    told = places((*seen.records, *seen.unanchored))
    assert not overlapping(told, file, start, end)
    if sector:  # Without its header, the records of the file are not found.
        assert places(sound.records) - lost <= told
    covered = [item for item in seen.dropped if item.file == file and item.reason == "unreadable"]
    assert set(range(start, end)) <= {
        at for item in covered for at in range(item.off, item.off + item.length)
    }
    assert sum(item.length for item in covered) <= end - start + sum(high - low for _, low, high in lost)
    (note,) = (note for note in seen.notes if note.code == "unreadable")
    assert (note.file, note.off, note.text) == (file, start, os.strerror(errno.EIO))
    strict = ask(one(tmp_path, edition), "strict").observation
    assert (strict.verdict, strict.phase, strict.code) == ("refused", "fileset", "unreadable-file")
    assert f"{file} at {start}: {os.strerror(errno.EIO)}" in strict.message
    salvage = ask(one(tmp_path, edition), "salvage").observation
    assert salvage.verdict == "recovered"
    assert "unreadable" in [item.reason for item in salvage.dropped]


@pytest.mark.parametrize("name", JOURNALS)
def test_file_truncated_during_the_read_has_no_records_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write, edition, file = JOURNALS[name]
    write(tmp_path)
    sound = ask(one(tmp_path, edition)).observation
    with blocks(SECTOR, 8, 20):
        faults = Faults(monkeypatch, tmp_path / file)
        faults.cut = (3 * SECTOR, 2 * SECTOR)
        size = (tmp_path / file).stat().st_size
        seen = ask(one(tmp_path, edition)).observation
    assert seen.verdict == "recovered"
    told = places((*seen.records, *seen.unanchored))
    assert not overlapping(told, file, 3 * SECTOR, size)
    assert places(sound.records) - overlapping(places(sound.records), file, 3 * SECTOR, size) <= told
    gone = [item for item in seen.dropped if item.reason == "unreadable"]
    assert max(item.off + item.length for item in gone) == size
    assert {note.code: note.text for note in seen.notes if note.file == file}["unreadable"] == SHORTER
    assert "changed-while-read" in [note.code for note in seen.notes]


@pytest.mark.parametrize("name", JOURNALS)
def test_ten_gigabytes_of_holes_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write, edition, file = JOURNALS[name]
    write(tmp_path)
    sound = ask(one(tmp_path, edition)).observation
    for path in tmp_path.iterdir():
        os.truncate(path, 10 << 30)
    with (tmp_path / file).open("r+b") as stream:
        stream.seek(7 << 30)
        stream.write(b"\0\1" * 4096)
    faults = Faults(monkeypatch, tmp_path / file)
    seen = ask(one(tmp_path, edition)).observation
    assert seen.verdict == "clean"
    assert places(seen.records) == places(sound.records)
    assert faults.delivered < 32 << 20
    assert work(lambda: ask(one(tmp_path, edition)))[0] < 50_000
