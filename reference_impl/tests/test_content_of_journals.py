"""Journals read through their content: the same answers as from bytes, none that a disk's faults invent."""

from __future__ import annotations

import errno
import gzip
import json
import mmap
import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from journalspec.formats import format_ids
from journalspec.observation import Record
from journalspec_corpus.load import load_cases
from journalspec_reference import content as content_module
from journalspec_reference import load
from journalspec_reference import places as places_module
from journalspec_reference.answers import ask
from journalspec_reference.bitronix_tlog.codec import DISK, encode_header, encode_record, make_record
from journalspec_reference.bitronix_tlog.scan import _candidates
from journalspec_reference.content import SECTOR, SHORTER, Budget, Content, Descriptors, FileSource, Window
from journalspec_reference.filesets import find_journals
from journalspec_reference.filesets import load as load_files
from journalspec_reference.hexdump import plain, uniform


class Memory:
    """A file in memory that is read like one on a disk."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def read_into(self, off: int, target: memoryview) -> int:
        piece = self.data[off : off + len(target)]
        target[: len(piece)] = piece
        return len(piece)

    def next_data(self, off: int) -> int:
        rest = self.data[off : off + 512]
        while rest and not rest.strip(b"\0"):
            off += len(rest)
            rest = self.data[off : off + 512]
        return off

    def changed(self) -> bool:
        return False


@contextmanager
def chunks(size: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("CHUNK", size), ("AHEAD", 2 * size), ("SMALL", 8), ("HEAD", 20)):
            patch.setattr(content_module, name, value)
        yield


@pytest.mark.parametrize(("size", "limit"), [(16, 1 << 30), (4096, 8192)])
@pytest.mark.parametrize("format_id", format_ids())
def test_answers_are_the_same_however_little_is_in_memory(format_id: str, size: int, limit: int) -> None:
    implementation = load(format_id)
    compared = 0
    with chunks(size):
        for number, case in enumerate(load_cases(format_id, "smoke")):
            if case.write is not None or number % 3:
                continue
            plain: dict[str, Any] = case.files()
            budget = Budget(limit)
            lazy = {name: Content(Memory(bytes(data)), budget) for name, data in plain.items()}
            options: dict[str, Any] = {"edition": case.edition, "params": case.params}
            assert implementation.read(lazy, **options) == implementation.read(plain, **options), case.id
            salvaged = implementation.recover(lazy, policy="salvage", **options)
            assert salvaged == implementation.recover(plain, policy="salvage", **options), case.id
            assert list(implementation.spans(lazy, **options)) == list(
                implementation.spans(plain, **options)
            ), case.id
            assert implementation.detect(lazy) == implementation.detect(plain), case.id
            compared += 1
    assert compared > 100


def write_queue(directory: Path, files: int, bodies: Iterator[int] | range) -> None:
    """Write data files of format version 2 with one ADD for each length in `bodies`, and some fill."""
    for number in range(1, files + 1):
        out = bytearray(struct.pack(">iiq", 2, 0, number))
        for size in bodies:
            head = b"\x0b" + struct.pack(">ibqiB", number, 0, 1000 * number + size, size, 0)
            out += head + b"m" * size + struct.pack(">i", len(head) + size + 4)
        (directory / f"data-{number}.amq").write_bytes(
            bytes(out).ljust(len(out) // SECTOR * SECTOR + SECTOR, b"\0")
        )


def write_pair(directory: Path, sizes: range) -> None:
    """Write a pair of logs with one record for each length of a name in `sizes`."""
    for number in (1, 2):
        records = b"".join(
            encode_record(make_record(8, b"g%d" % size, (b"n" * size,), time=5, sequence_number=size))
            for size in sizes
        )
        out = encode_header(number, 0, 21 + len(records)) + records
        (directory / f"btm{number}.tlog").write_bytes(out.ljust(len(out) // SECTOR * SECTOR + SECTOR, b"\0"))


class Faults:
    """What happens when a file is read: a sector fails, or it is cut at the first look behind an offset."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
        self.path, self.inode = path, path.stat().st_ino
        self.sector = -1
        self.cut: tuple[int, int] | None = None
        self.real = content_module._read_into
        self.delivered = 0
        monkeypatch.setattr(content_module, "_read_into", self.read)

    def read(self, handle: int, off: int, target: memoryview) -> int:
        if os.fstat(handle).st_ino == self.inode:
            if (
                self.sector >= 0
                and off < (self.sector + 1) * SECTOR
                and off + len(target) > self.sector * SECTOR
            ):
                if off >= self.sector * SECTOR:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                target = target[: self.sector * SECTOR - off]
            if self.cut is not None and off >= self.cut[0]:
                os.truncate(self.path, self.cut[1])
        count = self.real(handle, off, target)
        self.delivered += count
        return count


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


@pytest.mark.parametrize("sector", [*range(8), -1])
@pytest.mark.parametrize("name", JOURNALS)
def test_a_bad_sector_is_a_dropped_region_and_never_a_record(
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
    if sector:  # without its header a file's records are of no account
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
def test_a_file_cut_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    write, edition, file = JOURNALS[name]
    write(tmp_path)
    sound = ask(one(tmp_path, edition)).observation
    with chunks(SECTOR):
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
def test_ten_gigabytes_of_nothing_are_not_read(
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
    began = time.process_time()
    seen = ask(one(tmp_path, edition)).observation
    assert seen.verdict == "clean"
    assert places(seen.records) == places(sound.records)
    assert faults.delivered < 32 << 20
    # Searched byte by byte these would take half a minute; what is asked is that nothing is.
    assert time.process_time() - began < 10
    journal = one(tmp_path, edition)
    data = journal.files[file]
    unused = [
        span
        for span in load(journal.format).spans(journal.files, edition=edition)
        if span.file == file and span.kind == "unused"
    ]
    assert uniform(data, unused[-1].off, unused[-1].length) is None
    assert uniform(data, 1 << 30, 6 << 30) == 0
    assert sum(1 for _ in plain(data, unused, file)) < 2000
    assert faults.delivered < 64 << 20


def test_a_directory_of_many_files_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_queue(tmp_path, 400, range(3, 40, 9))
    opened = []
    real = os.open

    def counted(path: Any, *more: Any, **options: Any) -> int:
        opened.append(path)
        return real(path, *more, **options)

    monkeypatch.setattr(os, "open", counted)
    seen = ask(one(tmp_path, "v2"), "strict").observation
    assert (seen.verdict, len(seen.records)) == ("clean", 400 * len(range(3, 40, 9)))
    assert len(opened) <= 402


@pytest.mark.parametrize("packed", [False, True])
def test_more_files_than_a_process_may_open(tmp_path: Path, packed: bool) -> None:
    """Mapped or not, 300 files with 64 descriptors gave `clean` with a part of the records."""
    write_queue(tmp_path, 300, range(1, 3))
    for path in list(tmp_path.iterdir()):
        os.truncate(path, 300 << 10)
        if packed:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 1))
            path.unlink()
    pytest.importorskip("resource")
    limited = (
        "import resource, sys; from journalspec_conformance.cli import main;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); main(sys.argv[1:])"
    )
    asked = [sys.executable, "-c", limited, "inspect", "--json", "--edition", "v2", str(tmp_path)]
    done = subprocess.run(asked, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    seen = json.loads(done.stdout)
    assert (seen["verdict"], len(seen["records"])) == ("clean", 600)


def test_a_length_across_a_border_is_found_though_what_precedes_it_was_given_back() -> None:
    """Zeros in place of its first bytes would hide it, where they are none."""
    layout = replace(DISK, header_length=0x01020304)
    size = mmap.PAGESIZE
    for shift in range(1, 13):
        with chunks(size):
            off = 4 * size - shift
            data = (b"\x55" * (off + 8) + struct.pack(">i", layout.header_length)).ljust(8 * size, b"\x55")
            lazy = Content(Memory(data), Budget(size))
            assert list(_candidates(Window(lazy), 0, len(data), layout)) == [off]


def test_records_beyond_a_tebibyte_are_not_mistaken_for_others(tmp_path: Path) -> None:
    def put(number: int, *places: tuple[int, int]) -> None:
        path = tmp_path / f"data-{number}.amq"
        path.write_bytes(struct.pack(">iiq", 2, 0, number))
        with path.open("r+b") as stream:
            for off, identity in places:
                body = (
                    b"\x0b" + struct.pack(">ibqiB", number, 0, identity, 4, 0) + struct.pack(">i", identity)
                )
                stream.seek(off)
                stream.write(body + struct.pack(">i", len(body) + 4))
        os.truncate(path, max(path.stat().st_size, 4096))

    try:
        put(1, (16, 1), ((1 << 40) + 16, 2), ((1 << 40) + 60, 3))
        os.truncate(tmp_path / "data-1.amq", (1 << 40) + (1 << 20))
    except OSError as error:
        pytest.skip(f"the file system has no such files: {error.strerror}")
    if Content(FileSource(str(tmp_path / "data-1.amq"), Descriptors())).next_data(1 << 20) == 1 << 20:
        pytest.skip("the file system does not tell where holes are")
    put(2, (16, 4), (60, 5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places_module, "REMEMBERED", 0)
        seen = ask(one(tmp_path, "v2"), "strict").observation
    assert seen.verdict == "clean"
    state: Any = seen.state
    live = [(int(item["id"]), bytes(item["body"])) for item in state["live"]]
    assert sorted(live) == [(number, struct.pack(">i", number)) for number in range(1, 6)]
