"""Derby's log: the bytes around records, by hand and in what real Derby wrote."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

import pytest

from journalspec_reference.derby_log import codec
from journalspec_reference.derby_log.codec import BadLog, Control, Instant, Summed

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
    assert codec.coverage(found.body) == Summed(473, 0xDA10C0A2)


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
    assert codec.compressed(data, 0, wide=wide) == (value, len(data))
    with pytest.raises(BadLog):
        codec.compressed(data[:-1], 0, wide=wide)


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
        covers = codec.coverage(record.body)
        if covers and zlib.crc32(data[record.end : record.end + covers.length]) == covers.value:
            sound.append(off)
        off = record.end
    assert found == [place for place in listed if place[0] != torn]
    assert sound == verdicts
    assert damaged == torn
