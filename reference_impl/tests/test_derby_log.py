"""Derby's log: files that Derby wrote, the cost of hostile bytes, the result of a second recovery."""

from __future__ import annotations

import json
import random
import struct
import tracemalloc
import zlib
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from journalspec.derby_log.operations import body
from journalspec.layout import joined
from journalspec.observation import Observation
from journalspec.reread import Lazy
from journalspec_reference.batches import Memory, source_of
from journalspec_reference.content import Unreadable
from journalspec_reference.derby_log import IMPLEMENTATION, codec, store
from journalspec_reference.derby_log import scan as scanning
from journalspec_reference.derby_log.bodies import decode
from journalspec_reference.derby_log.fileset import gather
from journalspec_reference.derby_log.recover import LogPass, recover
from journalspec_reference.derby_log.scan import End, scan
from journalspec_reference.derby_log.write import LogWriter
from journalspec_reference.storage import MemoryStorage
from work import LINEAR, Counted, growth, work

Files = dict[str, bytes]
CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "derby_log"
DIRECTORIES = sorted(path.parent for path in CAPTURED.glob("*/*/expected.json"))


def contents(directory: Path) -> Files:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix in (".dat", ".ctrl")}


@pytest.mark.parametrize("directory", DIRECTORIES[::3], ids=lambda path: "/".join(path.parts[-2:]))
def test_captured_bodies_are_rebuilt_byte_for_byte(directory: Path) -> None:
    """The rebuilt record has the same bytes; hexdumps label each field with its name in that record."""
    files = contents(directory)
    named: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for span in IMPLEMENTATION.spans(files, edition="10.16"):
        path, _, name = span.path.partition("].")
        if span.kind == "field" and path.startswith("record["):
            named.setdefault((span.file, int(path[len("record[") :])), []).append((name, span.length))
    for file in gather(files).values():
        (batch,) = scan(file.source, file.number)
        for number, (start, end) in enumerate(zip(batch.off, batch.end, strict=True)):
            stored = batch.data[start + 12 : end - 4]
            told = decode(stored)
            head = {"operation": told.operation.name, "group": told.group, "transaction": told.transaction}
            undone = {} if told.undone is None else {"undone": told.undone.packed}
            parts = body({**head, **told.fields, "data": told.data, **undone})
            assert joined(parts) == stored
            names = [(each.name, len(each.data)) for each in parts if each.data]
            assert named[file.name, number] == [("length", 4), ("instant", 8), *names, ("length_again", 4)]


def test_overlapping_checksums_take_no_more_time_than_the_file() -> None:
    """Each checksum record covers all checksum records after it, and every sum is right."""

    def made(count: int) -> Counted:
        tail = b""
        for index in range(count - 1, -1, -1):
            instant = struct.pack(">q", 1 << 32 | codec.HEADER + 37 * index)
            body = struct.pack(">HHHHBiq", 0x81, 0x4900, 0, 453, 1, len(tail), zlib.crc32(tail))
            tail = b"\0\0\0\x15" + instant + body + b"\0\0\0\x15" + tail
        return Counted(struct.pack(">iiqq", 128, 9, 1, 0) + tail)

    data = made(3000)
    found = list(scan(source_of(data), 1))
    assert sum(map(len, found)) == 3000
    assert found[-1].more["end"] == End(len(data))
    assert growth(lambda count: partial(list, scan(source_of(made(count)), 1)), 300) < LINEAR
    # The first checksum covers all records, so a change of the last byte makes it wrong.
    assert next(scan(source_of(data[:-1] + b"\x16"), 1)).more["end"] == End(24, "bad-checksum")


def found_in(files: Files, policy: str = "default") -> Observation:
    return recover(files, "10.16", policy, {})


LIFE = CAPTURED / "derby-10.16.1.1" / "three"


def keys(answer: Observation) -> list[int]:
    assert answer.state is not None, answer.message
    return sorted(int(row["key"]) for row in answer.state["rows"])  # type: ignore[attr-defined]


def test_hostile_lengths_are_compared_before_any_read() -> None:
    """A checksum record that claims 2 GiB, or the rest of the file, is checked only once."""
    head, size = struct.pack(">iiqq", 128, 9, 1, 0), 1 << 22
    for length in (2**31 - 1, -(2**31), -16, size):
        claim = struct.pack(">iq", length, 1 << 32 | 24)
        files: Files = {"log1.dat": Counted(head + claim + bytes(size))}
        assert found_in(files).verdict == "recovered"
        lines, moved = work(partial(found_in, files))
        assert lines < 2000
        assert moved < 3 * size


def logged(*records: dict[str, Any]) -> Files:
    """Return a log of these records of one transaction.

    The transaction changes page 1 of T and has no end.
    """
    data, version = struct.pack(">iiqq", 128, 9, 1, 0), 0
    for values in ({"operation": "BEGIN", "group": 0x101}, *records):
        page = {"container": 1168, "page": 1, "page_version": version} if "group" not in values else {}
        version += len(values.get("rows", "1")) if page else 0
        text = joined(body({"group": 0x180, "transaction": 1, **page, **values}))
        data += struct.pack(">iq", len(text), 1 << 32 | len(data)) + text + struct.pack(">i", len(text))
    return {"log1.dat": data}


COMMITTED = {"operation": "END", "group": 0x112, "status": 4}


def inserted(ident: int, data: bytes) -> dict[str, Any]:
    return {"operation": "INSERT", "record_id": ident, "slot": 0, "insert_flags": 1, "data": data}


def test_row_part_shared_by_two_rows_is_reported_once() -> None:
    """The first parts of two rows refer to the same second part. If each row reported that part, its bytes
    would be repeated for every row.
    """
    key = b"\0\4\0\0\0"
    rest = inserted(9, b"\4\x09\1\1\0\4\0\2vv")
    heads = [
        inserted(ident, bytes([2, ident]) + b"\x40\0\0\1\x09\1" + key + bytes([ident])) for ident in (7, 8)
    ]
    answer = found_in(logged(rest, heads[0], COMMITTED)).to_json()
    assert answer["state"]["rows"] == [{"table": "T", "key": "7", "value": "vv"}]
    both = found_in(logged(rest, *heads, COMMITTED)).to_json()
    assert both["state"] == answer["state"]


def test_only_the_first_elements_of_a_long_list_are_labelled() -> None:
    """A label takes more memory than its field, so bytes after the first thousand fields have one label."""
    purge = {"operation": "PURGE", "slot": 0, "rows": [{"record_id": 7}] * 2000}
    found = [
        span
        for span in IMPLEMENTATION.spans(logged(purge), edition="10.16")
        if span.path.startswith("record[1].")
    ]
    assert found[-3].path.endswith(".rows989.record_id")
    assert [span.path for span in found[-2:]] == ["record[1].body", "record[1].length_again"]
    assert all(one.off + one.length == other.off for one, other in pairwise(found))
    # Decoded completely, the record would be hundreds of times as large as its bytes.
    rows = decode(joined(body({**purge, "group": 0x180, "transaction": 1}))).fields["rows"]
    assert isinstance(rows, Lazy)
    assert rows == purge["rows"]


def live(files: Files, *ops: dict[str, Any]) -> Files:
    storage = MemoryStorage(files)
    writer = LogWriter(storage, "10.16", {"file_sync": "true"})
    for op in ({"op": "open"}, *ops):
        writer.apply(op)
    return {name: bytes(data) for name, data in storage.files.items()}


def row(key: int, value: str = "v") -> dict[str, Any]:
    return {"op": "insert", "table": "T", "key": str(key), "value": value}


def test_records_discarded_by_one_recovery_stay_discarded() -> None:
    """The group of row 2 is lost and that of row 3 is intact.

    The log of the next run can end right before row 3.
    """
    files = contents(LIFE)
    data = files["log1.dat"]
    (batch,) = scan(source_of(data), 1)
    first, second = [batch.off[row] + batch.base for row, _ in batch.more["sums"]][-2:]
    hole = {**files, "log1.dat": data[:first] + bytes(second - first) + data[second:]}
    for size in range(1, 60, 3):
        after = live(hole, row(9, "x" * size))
        answer = found_in(after, "strict")
        assert (keys(answer), answer.verdict) == ([1, 9], "clean")


@pytest.mark.parametrize("name", ["transactions", "open-checkpoint"])
def test_recovery_gives_the_same_result_after_any_interruption(name: str) -> None:
    """Recovery is stopped after each of its writes. The next recovery returns the rows that the product
    reports.

    The other captured logs have nothing to roll back, or only cases that these two logs also contain.
    """
    directory = CAPTURED / "derby-10.16.1.1" / name
    expected = json.loads((directory / "expected.json").read_text())["expect"][-1]["state"]
    steps: list[Files] = []

    class Kept(MemoryStorage):
        def write(self, name: str, off: int, data: bytes) -> None:
            for end in {len(data) // 3, len(data)}:
                super().write(name, off, data[:end])
                steps.append({name: bytes(data) for name, data in self.files.items()})

    LogWriter(Kept(contents(directory)), "10.16", {"file_sync": "true"}).apply({"op": "open"})
    assert len(steps) > 2
    for files in steps:
        assert found_in(files).to_json()["state"] == expected


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a log file with a few changes; its checksums are sometimes corrected afterwards."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, size = rng.randrange(24, len(out)), rng.choice((1, 2, 8, 64, 512))
        done = rng.randrange(5)
        if done == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif done == 1:
            out[at : at + size] = bytes(len(out[at : at + size]))
        elif done == 2:
            out[at : at + size] = rng.randbytes(len(out[at : at + size]))
        elif done == 3:
            del out[max(at, 25) :]
        else:
            out[at:at] = out[at : at + size]
        if rng.random() < 0.5:
            for batch in scan(source_of(bytes(out)), 1, summed=False):
                for start, end in zip(batch.off, batch.end, strict=True):
                    if batch.data.startswith(b"\0\x81\x49\0\0\0\x01\xc5\x01", start + 12):
                        (covers,) = struct.unpack_from(">i", batch.data, start + 21)
                        value = zlib.crc32(batch.data[end : end + max(0, covers)])
                        struct.pack_into(">q", out, start + 25, value)
        if len(out) < 64:
            break
    return bytes(out)


class Worn(Memory):
    """Bytes with ranges that cannot be read. A range is known after the first attempt to read it."""

    def __init__(self, data: bytes, ranges: list[tuple[int, int]]) -> None:
        super().__init__(data)
        self._ranges, self._known = ranges, list[Unreadable]()

    @property
    def unreadable(self) -> list[Unreadable]:  # type: ignore[override]  # memory has an empty constant
        return self._known

    def read(self, off: int, size: int) -> bytes:
        out = bytearray(super().read(off, size))
        for start, end in self._ranges:
            low, high = max(start, off), min(end, off + len(out))
            if low < high:
                out[low - off : high - off] = bytes(high - low)
                self._known[:] = sorted({*self._known, Unreadable(start, end, "EIO")})
        return bytes(out)

    def gap(self, start: int, end: int) -> Any:
        return next((each for each in self._known if each.start < end and start < each.end), None)


def found(data: Any, **how: Any) -> list[Any]:
    """Return the result of a scan without the boundaries between batches."""
    rows: list[Any] = []
    for batch in scan(data if isinstance(data, Memory) else source_of(data), 1, **how):
        rows += [(batch.base + off, batch.base + end) for off, end in zip(batch.off, batch.end, strict=True)]
        rows += [("sum", batch.base + batch.off[row], covers) for row, covers in batch.more["sums"]]
        rows += [batch.more["end"]] if "end" in batch.more else []
    return sorted(rows, key=str)


LIVES = [contents(path) for path in DIRECTORIES if "10.16" in str(path) and (path / "log1.dat").is_file()]


@pytest.mark.parametrize("seed", range(10))
def test_every_read_size_gives_the_same_result(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the size of one read, nor a check of records by NumPy, nor reading of bodies changes a scan or
    an answer.
    """
    rng = random.Random(seed)
    files = dict(rng.choice(LIVES))
    files["log1.dat"] = data = damaged(files["log1.dat"], rng)
    whole = found(data)
    for many in (1, 1 << 30):
        monkeypatch.setattr(scanning, "MANY", many)
        for stretch in (64, 100, 4096, 1 << 20):
            assert found(data, stretch=stretch) == whole
    answers = [found_in(files, policy).to_json() for policy in ("", "default", "strict")]
    for stretch, many, rows in ((64, 1, 1 << 14), (100, 1 << 30, 7), (1 << 20, 1, 40)):
        monkeypatch.setattr(scan, "__kwdefaults__", {**(scan.__kwdefaults__ or {}), "stretch": stretch})
        monkeypatch.setattr(store, "MANY", many)
        monkeypatch.setattr(scanning, "MANY", many)
        monkeypatch.setattr(scanning, "MOST_ROWS", rows)
        assert [found_in(files, policy).to_json() for policy in ("", "default", "strict")] == answers


@pytest.mark.parametrize("seed", range(10))
def test_unreadable_bytes_give_the_same_result_for_every_read_size(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checksum can cover bytes that turn out to be unreadable after NumPy has checked other records."""
    rng, results = random.Random(seed), []
    data = rng.choice(LIVES)["log1.dat"]
    starts = [rng.randrange(24, len(data)) for _ in range(2)]
    ranges = [(start, start + rng.choice((1, 10, 512))) for start in starts]
    for many in (1, 1 << 30):
        monkeypatch.setattr(scanning, "MANY", many)
        results += [found(Worn(data, ranges), stretch=stretch) for stretch in (100, 700, 3000, 1 << 20)]
    assert all(each == results[0] for each in results)


def test_simple_changes_are_redone_in_bulk_for_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test has transactions with and without an end, pages out of order, and a row of a table."""
    rng, versions = random.Random(5), dict.fromkeys(range(6), 3)
    for _ in range(15):
        records: list[dict[str, Any]] = []
        open_: list[int] = []
        for _ in range(300):
            number = rng.choice([*open_, 0])
            if not number:
                open_.append(number := 100 + len(records))
                records.append({"operation": "BEGIN", "group": 0x101, "transaction": number})
            elif rng.random() < 0.2:
                open_.remove(number)
                group = 0x112 if rng.random() < 0.9 else 0x140
                records.append({"operation": "END", "group": group, "transaction": number, "status": 4})
            else:
                page = rng.randrange(6)
                version = versions[page] + (rng.random() < 0.005) - (rng.random() < 0.02)
                versions[page] = max(versions[page], version + 1)
                container = 1168 if page == 0 else 300 + page
                on = {"container": container, "page": page, "page_version": version, "slot": 0}
                row = {"record_id": number, "data": b"\0\x06\2\0\4\0\0\0\1\0\3\0\1a"}
                records.append({"operation": "INSERT", "group": 0x180, "transaction": number, **on, **row})
        data = struct.pack(">iiqq", 128, 9, 1, 0)
        for values in records:
            text = joined(body(values))
            data += struct.pack(">iq", len(text), 1 << 32 | len(data)) + text + struct.pack(">i", len(text))
        answers = []
        for many in (1 << 30, 1):
            monkeypatch.setattr(store, "MANY", many)
            found = LogPass({"log1.dat": data}, "10.16", "")
            assert sum(len(batch) for _, batch, _ in found.batches()) == len(records)
            seen = [found_in({"log1.dat": data}, policy).to_json() for policy in ("", "default")]
            answers.append((seen, found.store.transactions, found.store.pages, found.store.next))
        assert answers[0] == answers[1]


def test_names_of_a_large_directory_are_not_kept_in_memory() -> None:
    """Facts derived from file names are cached only for small directories, so that a service that reads many
    directories needs little memory.
    """
    tracemalloc.start()
    try:
        kept = []
        for each in range(6):
            files = dict.fromkeys((f"log{each}x{number}.dat" for number in range(20_000)), b"")
            IMPLEMENTATION.detect(files)
            assert recover(files, "10.16", "", {}).code == "no-files"
            del files
            kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert kept[-1] - kept[0] < 1 << 20
