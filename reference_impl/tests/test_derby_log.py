"""Derby's log: the bytes around records, by hand and in what real Derby wrote."""

from __future__ import annotations

import gzip
import json
import re
import struct
import time
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from journalspec import mutf8
from journalspec.derby_log.operations import body, operations, row_of
from journalspec.layout import joined
from journalspec.observation import Observation
from journalspec.reread import Lazy
from journalspec_reference.api import WriterRefused
from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.bodies import BodyReader, Summed, coverage, decode
from journalspec_reference.derby_log.codec import BadLog, Control, Instant
from journalspec_reference.derby_log.implementation import IMPLEMENTATION
from journalspec_reference.derby_log.recover import LogPass
from journalspec_reference.derby_log.scan import End, LogFile, Scan, gather
from journalspec_reference.derby_log.store import image
from journalspec_reference.derby_log.write import LogWriter
from journalspec_reference.storage import MemoryStorage

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "real" / "derby_log"
#: A control file of Derby 10.16.
CONTROL = bytes.fromhex(
    "00000080 00000009 00000001 00009db9 0000000a 00000010 001d01f6 00 000000"
    "0000000000000000 000000009227d2ea"
)
CHECKSUM = bytes.fromhex(
    "00000015 000000010000ac0d 0081 4900 0000 01c5 01 000001d9 00000000da10c0a2 00000015"
)
#: The record that was cut by hand at 16816 (the README beside the files); the dump lists it all the same.
TORN = {"torn-before-10.16": 16789}
real = pytest.mark.skipif(
    not REAL.is_dir(), reason="real files are missing beside the checkout (../shared/real)"
)


def test_control_file() -> None:
    assert codec.control(CONTROL) == Control(Instant(1, 40377), 10, 16, 1901046, 0)


@pytest.mark.parametrize("off", range(48))
def test_every_byte_of_a_control_file_counts(off: int) -> None:
    data = bytearray(CONTROL)
    data[off] ^= 1
    with pytest.raises(BadLog):
        codec.control(bytes(data))


def test_checksum_record() -> None:
    off = 0xAC0D
    found = codec.record(bytes(off) + CHECKSUM, off, 1)
    assert found is not None
    assert found.end == off + 37
    assert coverage(found.body) == Summed(473, 0xDA10C0A2)


@pytest.mark.parametrize("off", [*range(12), *range(33, 37)])
def test_every_byte_of_a_wrapper_counts(off: int) -> None:
    data = bytearray(0xAC0D) + CHECKSUM
    data[0xAC0D + off] ^= 0x80
    with pytest.raises(BadLog):
        codec.record(bytes(data), 0xAC0D, 1)


@pytest.mark.parametrize(
    ("written", "wide", "value"),
    [
        ("3f", False, 63),
        ("4040", False, 64),
        ("7fff", False, 16383),
        ("80004000", False, 16384),
        ("ffffffff", False, 2**31 - 1),
        ("0000", True, 0),
        ("3fff", True, 16383),
        ("40004000", True, 16384),
        ("8000000040000000", True, 2**30),
        ("ffffffffffffffff", True, 2**63 - 1),
    ],
)
def test_compressed_numbers(written: str, wide: bool, value: int) -> None:
    data = bytes.fromhex(written)
    reader = BodyReader(data)
    assert (reader.number(wide=wide), reader.at) == (value, len(data))
    with pytest.raises(BadLog):
        BodyReader(data[:-1]).number(wide=wide)


@real
@pytest.mark.real
@pytest.mark.parametrize(
    "path", sorted(REAL.glob("*/log[1-9]*.dat")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_real_files_hold_the_records_that_their_dumps_list(path: Path) -> None:
    data, number = path.read_bytes(), int(path.stem[3:])
    dump = gzip.decompress((path.parent / "dump.txt.gz").read_bytes()).decode()
    part = dump.split(f"{path.name} size {len(data)} ", 1)[1].split("\nlog", 1)[0]
    listed = [(int(off), int(length)) for off, length in re.findall(r"(?m)^ +(\d+) len=(\d+) ", part)]
    verdicts = [int(off) for off in re.findall(r"(?m)^ +(\d+) .* CRC_OK ", part)]
    codec.header(data, number)
    off, found, sound = codec.HEADER, [], []
    damaged, torn = None, TORN.get(path.parent.name)
    while True:
        try:
            record = codec.record(data, off, number)
        except BadLog:
            damaged = off
            break
        if record is None:
            break
        found.append((off, len(record.body)))
        covers = coverage(record.body)
        if covers and zlib.crc32(data[record.end : record.end + covers.length]) == covers.value:
            sound.append(off)
        off = record.end
    assert found == [place for place in listed if place[0] != torn]
    assert sound == verdicts
    assert damaged == torn


@pytest.mark.parametrize("form", ["4000", "403b", "80000040", "800037fb"])
def test_longer_forms_of_numbers_are_read_and_told(form: str) -> None:
    """In place of a group without COMPENSATION; in a transaction's number the forms are twice as long."""
    value = int.from_bytes(bytes.fromhex(form), "big") & (0x3FFF if len(form) == 4 else 0x7FFFFFFF)
    long = bytes.fromhex(f"0081 {form} 0000 0066 0000 04 00000000")
    short = decode(joined(body({"operation": "END", "group": value, "status": 4})), operations())
    assert decode(long, operations()) == short._replace(long_number=True, data=ANY)
    wide = bytes.fromhex("0081 4112 0093 40000001 0066 0000 04 00000000")
    assert (decode(wide, operations()).transaction, decode(wide, operations()).long_number) == (1, True)


def test_texts_are_those_of_java() -> None:
    for text, form in (("a\0", "61c080"), ("\xfc\u20ac", "c3bce282ac"), ("\U0001f600", "eda0bdedb880")):
        assert mutf8.encode(text) == bytes.fromhex(form)
        assert mutf8.readable(bytes.fromhex(form)) == text
    for wrong in (b"\xff", b"\xed", b"\xe2\x82", b"\xff\xed"):
        assert set(mutf8.readable(wrong)) == {"\ufffd"}


# The walk over files.

CAPTURED = Path(__file__).resolve().parents[2] / "corpus" / "captured" / "derby_log"
DIRECTORIES = sorted(path.parent for path in CAPTURED.glob("*/*/expected.json"))
each_directory = pytest.mark.parametrize("directory", DIRECTORIES, ids=lambda path: "/".join(path.parts[-2:]))


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix in (".dat", ".ctrl")}


def before(files: Mapping[int, LogFile], end: Instant) -> Iterator[tuple[str, int, int]]:
    """Yield the places of the records before `end`, the last one first, by their trailing lengths."""
    while end.number in files:
        file, at = files[end.number], end.position
        while at > codec.HEADER:
            off = at - int.from_bytes(file.data[at - 4 : at], "big") - codec.OVERHEAD
            yield file.name, off, at
            at = off
        end = file.previous()


@each_directory
def test_both_ways_through_a_captured_log_see_the_same_records(directory: Path) -> None:
    passed = LogPass(contents(directory), "10.16", "")
    answer = passed.observation()
    forward = [(record.at.file, record.at.off, record.at.off + record.at.length) for record in answer.records]
    assert passed.last is not None
    last = Instant(passed.last.file.number, passed.last.end.off)
    backward = [*before(passed.log.files, last)]
    assert len(passed.log.files) == 1 + sum(a[0] != b[0] for a, b in pairwise(forward))
    assert forward == backward[::-1]
    assert not {"surplus", "long-number"} & {*codes(answer)}


@each_directory
def test_captured_bodies_are_built_as_the_product_has_built_them(directory: Path) -> None:
    """The same bytes, and in hexdumps each under the name that it is built under."""
    files = contents(directory)
    named: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for span in IMPLEMENTATION.spans(files, edition="10.16"):
        path, _, name = span.path.partition("].")
        if span.kind == "field" and path.startswith("record["):
            named.setdefault((span.file, int(path[len("record[") :])), []).append((name, span.length))
    for file in gather(files).values():
        records = [item for item in Scan(file.data, file.number).walk() if not isinstance(item, End)]
        for number, item in enumerate(records):
            told = decode(item.body, operations())
            head = {"operation": told.operation.name, "group": told.group}
            undone = {} if told.undone is None else {"undone": told.undone.packed}
            tail = {"transaction": told.transaction, "data": told.data, **undone}
            parts = body({**head, **told.fields, **tail})
            assert joined(parts) == item.body
            if told.operation.name in ("INSERT", "UPDATE"):
                # Rows of all tables, of the system's too, end where the data do.
                reader = BodyReader(told.data)
                for _ in range(1 + (told.operation.name == "UPDATE")):
                    image(reader)
                assert reader.at == len(told.data)
            names = [(each.name, len(each.data)) for each in parts if each.data]
            assert named[file.name, number] == [("length", 4), ("instant", 8), *names, ("length_again", 4)]


def test_sums_that_overlap_cost_no_more_than_the_file() -> None:
    """Each checksum record covers all the others behind it, and every sum is right."""
    count, tail = 3000, b""
    for index in range(count - 1, -1, -1):
        instant = struct.pack(">q", 1 << 32 | codec.HEADER + 37 * index)
        body = struct.pack(">HHHHBiq", 0x81, 0x4900, 0, 453, 1, len(tail), zlib.crc32(tail))
        tail = b"\0\0\0\x15" + instant + body + b"\0\0\0\x15" + tail
    data = struct.pack(">iiqq", 128, 9, 1, 0) + tail
    begin = time.process_time()
    found = list(Scan(data, 1).walk())
    assert len(found) == count + 1
    assert found[-1] == End(len(data))
    assert time.process_time() - begin < 5
    # Every one of them is compared: a byte at the end takes the first.
    assert next(Scan(data[:-1] + b"\x16", 1).walk()) == End(24, "bad-checksum")


# Recovery.

POLICIES = ("", "default", "strict")


def found_in(files: dict[str, bytes], edition: str, policy: str = "default") -> Observation:
    return LogPass(files, edition, policy).observation()


def state_of(directory: Path) -> Any:
    """Return what the product found in a captured log."""
    return json.loads((directory / "expected.json").read_text())["expect"][-1]["state"]


def codes(answer: Observation) -> list[str]:
    return [note.code for note in answer.notes]


@each_directory
def test_a_captured_log_leaves_what_the_product_found(directory: Path) -> None:
    """What stands in ``expected.json`` is the product's answer, and what was asked of it in SQL."""
    edition = tomllib.loads((directory / "provenance.toml").read_text())["edition"]
    expected = state_of(directory)
    for policy in POLICIES:
        answer = found_in(contents(directory), edition, policy)
        assert answer.verdict == "clean", answer.message
        assert answer.to_json()["state"] == expected
        assert {*codes(answer)} <= {"rolled-back"}


WORDS = {
    **{"BeginXact": "BEGIN", "EndXact": "END", "InitPage": "INIT_PAGE", "AllocPage": "ALLOC_PAGE"},
    **{"CopyRows": "COPY_ROWS", "UpdateField": "UPDATE_FIELD", "LogicalUndo": "LOGICAL_UNDO"},
    **{"PhysicalUndo": "PHYSICAL_UNDO"},
}


@real
@pytest.mark.real
@pytest.mark.parametrize(
    "directory", sorted(path.parent for path in REAL.glob("*/dump.txt.gz")), ids=lambda path: path.name
)
def test_real_logs_hold_what_another_reader_has_listed(directory: Path) -> None:
    dump = gzip.decompress((directory / "dump.txt.gz").read_bytes()).decode()
    # What is not there is that of the directory before; all of the second file is lost to its first group.
    before = contents(REAL / "xaorphan-0-before") if "orphan" in directory.name else {}
    files = before | contents(directory)
    dump = dump.split("log2.dat size")[0] if before else dump
    if "encrypted" in directory.name:
        answer = found_in(files, "10.16", "")
        assert (codes(answer), {record.type for record in answer.records}) == (["encrypted"], {"OTHER"})
        return
    listed = re.findall(
        r"(?m)^ +(\d+) len=(\d+) +tx=(\w+) +grp=(0x\w+)\[\S* (\w+) {.*?}(?: opt=(\d+))?", dump
    )
    records = [*(answer := found_in(files, "10.16", "")).records, *answer.unanchored]
    torn = min((region.off for region in answer.dropped if "torn" in directory.name), default=None)
    found = [
        (
            str(record.at.off),
            str(record.fields["length"]),
            str(record.fields.get("transaction")),
            hex(record.fields["group"]),  # type: ignore[arg-type]
            record.type,
            len(record.fields.get("data", b"")),  # type: ignore[arg-type]
        )
        for record in records
    ]
    wanted = [
        (off, length, tx, group, WORDS.get(word, word.upper()), int(data or 0))
        for off, length, tx, group, word, data in listed
        if torn is None or int(off) < torn
    ]
    assert found == wanted


# Damage. What is expected stands in the requirements, and follows from where a group begins and ends.

LIFE = CAPTURED / "derby-10.16.1.1" / "three"
SWITCHED = CAPTURED / "derby-10.16.1.1" / "switched"
Files = dict[str, bytes]


def groups(data: bytes, number: int) -> list[int]:
    """Where the checksum records of a file are."""
    found = Scan(data, number).walk()
    return [item.off for item in found if not isinstance(item, End) and item.covers is not None]


def keys(answer: Observation) -> list[int]:
    assert answer.state is not None, answer.message
    return sorted(int(row["key"]) for row in answer.state["rows"])  # type: ignore[attr-defined]


def torn(files: Files, name: str, start: int, end: int | None = None, fill: bytes = b"\0") -> Files:
    data = files[name]
    end = len(data) if end is None else end
    return {**files, name: data[:start] + fill * (end - start) + data[end:]}


def test_of_the_last_group_all_counts_or_nothing() -> None:
    """Cut at each byte, or zeros from there on: three rows are there only if all of the group is."""
    files = contents(LIFE)
    data, last = files["log1.dat"], groups(files["log1.dat"], 1)[-1]
    for at in range(last, len(data)):
        cut = found_in({**files, "log1.dat": data[:at]}, "10.16")
        assert (keys(cut), cut.verdict) == ([1, 2], "clean" if at == last else "recovered")
        zeros = found_in(torn(files, "log1.dat", at), "10.16")
        whole = any(data[at:])
        assert (keys(zeros), zeros.verdict == "clean") == ([1, 2] if whole else [1, 2, 3], at < last + 4)
    assert keys(found_in(files, "10.16")) == [1, 2, 3]


def test_what_stands_behind_a_lost_beginning_is_told() -> None:
    files = contents(LIFE)
    last = groups(files["log1.dat"], 1)[-1]
    answer = found_in(torn(files, "log1.dat", last, last + 64), "10.16")
    assert (keys(answer), codes(answer), answer.verdict) == ([1, 2], ["beyond-end"], "recovered")
    first = next(at for at in range(last + 64, len(files["log1.dat"])) if files["log1.dat"][at])
    assert [(region.off, region.reason) for region in answer.dropped] == [(first, "beyond-end")]


def damages() -> dict[str, tuple[Files, str, str, str]]:
    """Name -> files, what they give under `default` (a note, or a code), under `strict`, and a reason."""
    files, long = contents(LIFE), contents(SWITCHED)
    data = files["log1.dat"]
    last, control = groups(data, 1)[-1], files["log.ctrl"]
    none = {name: part for name, part in files.items() if name.endswith(".dat")}
    linked = long["log2.dat"][:23] + bytes([long["log2.dat"][23] ^ 1]) + long["log2.dat"][24:]
    here = groups(long["log2.dat"], 2)[4]
    flipped = long["log2.dat"][: here + 60] + b"\x7f" + long["log2.dat"][here + 61 :]

    def put(off: int, new: bytes) -> Files:
        return {**files, "log1.dat": data[: last + off] + new + data[last + off + len(new) :]}

    return {
        "no control file": (none, "no-control", "no-control", ""),
        "its mirror": ({**none, "logmirror.ctrl": control}, "mirror-used", "mirror-used", ""),
        "a short one": ({**files, "log.ctrl": control[:16]}, "mirror-used", "mirror-used", "bad-control"),
        "zeros": ({**files, "log.ctrl": bytes(48)}, "mirror-used", "mirror-used", "bad-control"),
        "a long one": (
            {**files, "log.ctrl": control + bytes(8)},
            "mirror-used",
            "mirror-used",
            "bad-control",
        ),
        "no log file": ({"log.ctrl": control}, "missing-file", "missing-file", ""),
        "a negative length": (put(0, b"\xff" * 4), "", "", "bad-length"),
        "a large length": (put(0, b"\x7f" * 4), "", "", "out-of-bounds"),
        "another instant": (put(11, bytes([data[last + 11] + 1])), "", "", "bad-instant"),
        "another trailer": (put(36, b"\x16"), "", "", "bad-trailer"),
        "another algorithm": (put(20, b"\2"), "", "", "bad-checksum"),
        "a large sum": (put(21, b"\x7f\xff\xff\xff"), "", "", "bad-checksum"),
        "a negative sum": (put(21, b"\xff" * 4), "", "", "bad-checksum"),
        "two bytes more": ({**files, "log1.dat": data + b"\0\0"}, "", "", "truncated"),
        "half a file": (
            {**files, "log1.dat": data + bytes(64), "log2.dat": bytes(20)},
            "half-file",
            "half-file",
            "",
        ),
        "one missing": ({k: v for k, v in long.items() if k != "log2.dat"}, "lost-middle", "lost-middle", ""),
        "another link": ({**long, "log2.dat": linked}, "unlinked-file", "lost-middle", "unlinked"),
        "another file": ({**long, "log2.dat": long["log3.dat"]}, "bad-header", "bad-header", ""),
        "a bit in the middle": ({**long, "log2.dat": flipped}, "lost-middle", "lost-middle", "bad-checksum"),
        "the first file": (
            {k: v for k, v in long.items() if k != "log1.dat"},
            "missing-file",
            "missing-file",
            "",
        ),
    }


@pytest.mark.parametrize("name", damages())
def test_damage_is_told_in_the_words_of_the_requirements(name: str) -> None:
    files, lenient, strict, reason = damages()[name]
    for policy, wanted in (("default", lenient), ("strict", strict)):
        answer = found_in(files, "10.16", policy)
        assert not wanted or wanted == answer.code or wanted in codes(answer), answer
        if answer.verdict != "refused":
            assert not reason or reason in {region.reason for region in answer.dropped}, answer.dropped
    found_in(files, "10.16", "")


def test_hostile_lengths_are_compared_before_anything_is_read() -> None:
    """A file of 64 MiB that claims 2 GiB again and again is looked at once."""
    head = struct.pack(">iiqq", 128, 9, 1, 0)
    claims = {
        length: struct.pack(">iq", length, 1 << 32 | 24) for length in (2**31 - 1, -(2**31), -16, 1 << 26)
    }
    for claim in claims.values():
        begin = time.process_time()
        answer = found_in({"log1.dat": head + claim + bytes(1 << 26)}, "10.16")
        assert answer.verdict == "recovered"
        assert time.process_time() - begin < 3


def logged(*records: dict[str, Any]) -> Files:
    """Return a log of these records of one transaction that changes page 1 of T, which nobody ended."""
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


def test_what_cannot_be_undone_is_refused_where_it_stands() -> None:
    purge = {"operation": "PURGE", "slot": 0, "rows": [{"record_id": 7}]}
    files = logged(inserted(7, row_of(7, 1, b"one")), purge)
    answer = found_in(files, "10.16")
    last = list(found_in(logged(*[inserted(7, row_of(7, 1, b"one"))], purge, COMMITTED), "10.16").records)[-2]
    assert (answer.code, answer.at) == ("bad-body", last.at)


def test_a_part_of_a_row_is_told_once() -> None:
    """Two heads go on in one rest: without a bound many of them would tell a long rest as often."""
    key = b"\0\4\0\0\0"
    rest = inserted(9, b"\4\x09\1\1\0\4\0\2vv")
    heads = [
        inserted(ident, bytes([2, ident]) + b"\x40\0\0\1\x09\1" + key + bytes([ident])) for ident in (7, 8)
    ]
    answer = found_in(logged(rest, heads[0], COMMITTED), "10.16").to_json()
    assert answer["state"]["rows"] == [{"table": "T", "key": "7", "value": "vv"}]
    both = found_in(logged(rest, *heads, COMMITTED), "10.16").to_json()
    assert both["state"] == answer["state"]


def test_a_long_list_is_decoded_for_whoever_goes_through_it() -> None:
    """Each byte of it would be an object of its own, hundreds of times as large."""
    values = {"operation": "PURGE", "group": 0x180, "transaction": 1, "rows": [{"record_id": 7}] * 1000}
    rows = decode(joined(body(values)), operations()).fields["rows"]
    assert isinstance(rows, Lazy)
    assert rows == [{"record_id": 7}] * 1000


def test_of_a_long_list_the_first_elements_are_named() -> None:
    """A name costs many times what it names: what is behind a thousand fields is one."""
    purge = {"operation": "PURGE", "slot": 0, "rows": [{"record_id": 7}] * 2000}
    found = [
        span
        for span in IMPLEMENTATION.spans(logged(purge), edition="10.16")
        if span.path.startswith("record[1].")
    ]
    assert found[-3].path.endswith(".rows989.record_id")
    assert [span.path for span in found[-2:]] == ["record[1].body", "record[1].length_again"]
    assert all(one.off + one.length == other.off for one, other in pairwise(found))


# Writing.


def live(files: Files, ops: list[dict[str, Any]], edition: str = "10.16", **params: str) -> Files:
    storage = MemoryStorage(files)
    writer = LogWriter(storage, edition, {"file_sync": "true", **params})
    for op in [{"op": "open"}, *ops]:
        writer.apply(op)
    return {name: bytes(data) for name, data in storage.files.items()}


def row(key: int, value: str = "v", tx: str = "") -> dict[str, Any]:
    return {"op": "insert", "table": "T", "key": str(key), "value": value, "tx": tx}


def test_what_one_recovery_has_discarded_does_not_come_back() -> None:
    """The groups of rows 2 and 3: the first one is lost, the second whole where the log may end again."""
    files = contents(LIFE)
    first, second = groups(files["log1.dat"], 1)[-2:]
    hole = torn(files, "log1.dat", first, second)
    for size in range(1, 60):
        after = live(hole, [row(9, "x" * size)])
        answer = found_in(after, "10.16", "strict")
        assert (keys(answer), answer.verdict) == ([1, 9], "clean")


@real
@pytest.mark.real
def test_rows_are_not_lost_to_a_checksum_record_whose_group_was() -> None:
    """The first group of a file is torn behind its checksum record, which the product keeps."""
    files = {
        name: (REAL / "xaorphan-0-before" / name).read_bytes()
        for name in ("log1.dat", "log2.dat", "log.ctrl")
    }
    before = keys(found_in(files, "10.16"))
    once = live(files, [row(9001), row(9002)])
    twice = live(once, [row(9003)])
    answer = found_in(twice, "10.16", "strict")
    assert (keys(answer), answer.verdict) == ([*before, 9001, 9002, 9003], "clean")


@pytest.mark.parametrize(
    "directory",
    [path for path in DIRECTORIES if path.name in ("transactions", "open-checkpoint")],
    ids=lambda path: "/".join(path.parts[-2:]),
)
def test_recovery_is_the_same_after_it_was_cut_short_anywhere(directory: Path) -> None:
    """Each write of the recovery of a log is the last one; the next recovery leaves the same rows.

    In the logs of other directories there is nothing to roll back, or no more than in these.
    """
    edition = tomllib.loads((directory / "provenance.toml").read_text())["edition"]
    expected = state_of(directory)
    steps: list[Files] = []

    class Kept(MemoryStorage):
        def write(self, name: str, off: int, data: bytes) -> None:
            for end in {len(data) // 3, len(data)}:
                super().write(name, off, data[:end])
                steps.append({name: bytes(data) for name, data in self.files.items()})

    LogWriter(Kept(contents(directory)), edition, {"file_sync": "true"}).apply({"op": "open"})
    assert len(steps) > 2
    for files in steps:
        answer = found_in(files, edition)
        assert answer.state is not None, answer.message
        assert answer.to_json()["state"] == expected


def test_what_is_not_whole_is_refused() -> None:
    with pytest.raises(WriterRefused) as caught:
        live({}, [row(1, "x" * 70000)])
    assert caught.value.code == "unencodable"
    with pytest.raises(ValueError, match="no transaction 'a'"):
        live({}, [{"op": "commit", "tx": "a"}])
    with pytest.raises(WriterRefused) as caught:
        live({"log.ctrl": contents(LIFE)["log.ctrl"]}, [])
    assert caught.value.code == "missing-file"
