from __future__ import annotations

import struct
import zlib

import pytest

from journalspec_reference.bitronix_tlog import codec
from journalspec_reference.bitronix_tlog.codec import DISK, SEED, Fault, LogRecord

# The record of the product's own unit test; its checksum is the product's, not ours.
KNOWN_GTRID = bytes.fromhex("626974726F6E697853657276657249440000011C31FD45510000955B")
KNOWN_NAMES = (b"ActiveMQ", b"com.mysql.jdbc.jdbc2.optional.MysqlXADataSource")
KNOWN_CRC = 0xADB79357
KNOWN = (
    struct.pack(">iiiqiI", 3, 116, 28, 1220609394845, 38266, KNOWN_CRC)
    + bytes([len(KNOWN_GTRID)])
    + KNOWN_GTRID
    + struct.pack(">i", 2)
    + b"".join(struct.pack(">h", len(name)) + name for name in KNOWN_NAMES)
    + b"xntB"
)


def decode(data: bytes) -> LogRecord | Fault:
    return codec.decode_record(data, 0, len(data))


def reason(data: bytes, limit: int | None = None) -> str:
    item = codec.decode_record(data, 0, len(data) if limit is None else limit)
    assert isinstance(item, Fault)
    return item.reason


def resealed(data: bytearray) -> bytes:
    """Return `data` with the checksum of its stored bytes, as a canonical record has it."""
    data[24:28] = zlib.crc32(bytes(data[:24]) + bytes(data[29:])).to_bytes(4, "big")
    return bytes(data)


def test_known_answer() -> None:
    record = decode(KNOWN)
    assert record == LogRecord(0, 3, 116, 28, 1220609394845, 38266, KNOWN_CRC, KNOWN_GTRID, KNOWN_NAMES)
    assert codec.checksum(record) == KNOWN_CRC
    assert codec.encode_record(record) == KNOWN
    assert record.end == len(KNOWN) == 124


def test_any_flipped_bit_is_noticed() -> None:
    for bit in range(len(KNOWN) * 8):
        damaged = bytearray(KNOWN)
        damaged[bit // 8] ^= 1 << bit % 8
        assert isinstance(decode(bytes(damaged)), Fault), f"bit {bit % 8} of byte {bit // 8}"


def test_make_record_agrees_with_the_known_answer() -> None:
    made = codec.make_record(3, KNOWN_GTRID, KNOWN_NAMES, time=1220609394845, sequence_number=38266)
    assert codec.encode_record(made) == KNOWN


@pytest.mark.parametrize("size", range(len(KNOWN)))
def test_every_shorter_limit_is_out_of_bounds(size: int) -> None:
    assert reason(KNOWN, size) == "out-of-bounds"
    assert reason(KNOWN[:size]) == "out-of-bounds"


def test_bytes_behind_do_not_matter() -> None:
    assert codec.decode_record(KNOWN + KNOWN[:50], 0, len(KNOWN) + 50) == decode(KNOWN)


@pytest.mark.parametrize("length", [0, 4, 24, 28, -1, -(2**31)])
def test_impossible_record_length(length: int) -> None:
    assert reason(KNOWN[:4] + struct.pack(">i", length) + KNOWN[8:]) == "bad-length"


@pytest.mark.parametrize("length", [117, 1000, 2**31 - 1])
def test_record_length_beyond_the_tail(length: int) -> None:
    assert reason(KNOWN[:4] + struct.pack(">i", length) + KNOWN[8:]) == "out-of-bounds"


@pytest.mark.parametrize("length", [29, 33, 112, 115])
def test_record_length_that_misses_the_end_marker(length: int) -> None:
    assert reason(KNOWN[:4] + struct.pack(">i", length) + KNOWN[8:]) == "no-end-marker"


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (28, b"\x1b"),
        (28, b"\x1d"),
        (28, b"\x7f"),
        (28, b"\x80"),
        (28, b"\xff"),
        (57, b"\xff\xff\xff\xff"),
        (57, b"\x00\x00\x00\x01"),
        (57, b"\x00\x00\x00\x03"),
        (57, b"\x7f\xff\xff\xff"),
        (61, b"\xff\xff"),
        (61, b"\x7f\xff"),
        (61, b"\x00\x07"),
        (61, b"\x00\x09"),
    ],
)
def test_inner_lengths_that_do_not_add_up(at: int, value: bytes) -> None:
    data = bytearray(KNOWN)
    data[at : at + len(value)] = value
    item = decode(resealed(data))
    assert isinstance(item, Fault)
    assert item.reason == "malformed"
    assert (item.framed, item.end) == (True, len(KNOWN))


def test_header_length_locates_nothing_in_the_products_editions() -> None:
    for value in (0, 16, 33, 2**31 - 1, -1):
        data = bytearray(KNOWN)
        data[8:12] = struct.pack(">i", value)
        record = decode(resealed(data))
        assert isinstance(record, LogRecord)
        assert (record.header_length, record.gtrid) == (value, KNOWN_GTRID)


def test_gtrid_length_is_not_covered_by_the_checksum() -> None:
    longer = bytearray(KNOWN)
    longer[28] ^= 1
    assert zlib.crc32(bytes(longer[:24]) + bytes(longer[29:])) == KNOWN_CRC


def with_names(*names: bytes, count: int | None = None, crc_names: tuple[bytes, ...] | None = None) -> bytes:
    """Return a record whose names stand as given and whose checksum is over `crc_names`."""
    body = b"".join(struct.pack(">h", len(name)) + name for name in names)
    length = 29 + 1 + len(body)
    head = struct.pack(">iiiqi", 8, length, 28, 5, 6)
    covered = names if crc_names is None else crc_names
    tail = struct.pack(">i", len(covered)) + b"".join(struct.pack(">h", len(n)) + n for n in covered)
    crc = zlib.crc32(head + b"g" + tail + b"xntB")
    return head + struct.pack(">I", crc) + b"\x01g" + struct.pack(">i", count or len(names)) + body + b"xntB"


def test_names_in_any_order_verify_against_the_sorted_order_only() -> None:
    assert isinstance(decode(with_names(b"z", b"a", crc_names=(b"a", b"z"))), LogRecord)
    assert reason(with_names(b"z", b"a")) == "bad-checksum"


def test_duplicate_names_collapse_before_the_checksum() -> None:
    assert isinstance(decode(with_names(b"a", b"a", crc_names=(b"a",))), LogRecord)
    assert reason(with_names(b"a", b"a")) == "bad-checksum"


def test_name_bytes_outside_ascii_count_as_question_marks() -> None:
    record = decode(with_names(b"b\xe9se", crc_names=(b"b?se",)))
    assert isinstance(record, LogRecord)
    assert [codec.name_text(name) for name in record.names] == ["b\ufffdse"]
    assert reason(with_names(b"b\xe9se")) == "bad-checksum"


def test_seed_edition_takes_the_payload_from_header_length() -> None:
    plain = codec.encode_record(codec.make_record(8, b"g", (b"a",), time=1, sequence_number=2, layout=SEED))
    assert struct.unpack_from(">i", plain, 8) == (16,)
    assert isinstance(codec.decode_record(plain, 0, len(plain), SEED), LogRecord)
    longer = bytearray(plain[:28] + b"MORE" + plain[28:])
    longer[4:8] = struct.pack(">i", struct.unpack_from(">i", plain, 4)[0] + 4)
    longer[8:12] = struct.pack(">i", 20)
    covered = bytes(longer[:24]) + b"MORE" + bytes(longer[33:])
    longer[24:28] = zlib.crc32(covered).to_bytes(4, "big")
    record = codec.decode_record(bytes(longer), 0, len(longer), SEED)
    assert isinstance(record, LogRecord)
    assert (record.extension, record.gtrid, record.names) == (b"MORE", b"g", (b"a",))
    assert codec.encode_record(record) == bytes(longer)
    assert isinstance(codec.decode_record(bytes(longer), 0, len(longer), DISK), Fault)


@pytest.mark.parametrize("header_length", [15, 0, -1, 10_000, 2**31 - 1, -(2**31)])
def test_seed_edition_refuses_a_payload_outside_the_record(header_length: int) -> None:
    data = bytearray(
        codec.encode_record(codec.make_record(8, b"g", (), time=1, sequence_number=2, layout=SEED))
    )
    data[8:12] = struct.pack(">i", header_length)
    item = codec.decode_record(bytes(data), 0, len(data), SEED)
    assert isinstance(item, Fault)
    assert item.reason == "malformed"


@pytest.mark.parametrize(
    ("gtrid", "names"),
    [
        (b"", ()),
        (b"g" * 128, ()),
        (b"g", (b"",)),
        (b"g", (b"n" * 32768,)),
        (b"g", (b"b\xe9se",)),
        (b"g", (b"tab\t",)),
    ],
)
def test_what_cannot_be_encoded_is_refused(gtrid: bytes, names: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match="is"):
        codec.make_record(8, gtrid, names, time=0, sequence_number=1)


def test_sequence_numbers_wrap_to_a_signed_int() -> None:
    made = codec.make_record(8, b"g", (), time=0, sequence_number=2**31)
    assert made.sequence_number == -(2**31)
    assert isinstance(decode(codec.encode_record(made)), LogRecord)
