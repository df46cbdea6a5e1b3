"""Bytes of records as authors describe them, sound or not, with a name for every field.

Written from the specification's tables, so that the corpus does not depend on
any implementation. Any field can be given another value than the right one; the
checksum is then that of the record as described (the liar's checksum is right),
unless it is given too.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: javax.transaction.Status
STATUSES = {
    "ACTIVE": 0,
    "MARKED_ROLLBACK": 1,
    "PREPARED": 2,
    "COMMITTED": 3,
    "ROLLEDBACK": 4,
    "UNKNOWN": 5,
    "NO_TRANSACTION": 6,
    "PREPARING": 7,
    "COMMITTING": 8,
    "ROLLING_BACK": 9,
}
TYPES = {number: name for name, number in STATUSES.items()}
FORMAT_ID = "42746e78"
END_RECORD = "786e7442"
FIRST_TIME = 1_700_000_000_000
HIGHEST_ASCII = 0x7F


@dataclass(frozen=True, slots=True)
class Part:
    """One field: its name within the record, and its bytes."""

    name: str
    data: bytes


def gtrid(text: str) -> bytes:
    """Return a gtrid: hex, ``xx*N`` for N equal bytes, or ``gN`` for the N-th transaction of "srv1"."""
    if text.startswith("g") and text[1:].isdigit():
        return b"srv1" + bytes.fromhex("0000019200000000") + int(text[1:]).to_bytes(4, "big")
    head, star, count = text.partition("*")
    return bytes.fromhex(head) * (int(count) if star else 1)


def names_of(record: Mapping[str, Any]) -> list[bytes]:
    """Return the stored names: ``names_hex``, or ``names`` (ASCII; ``"q*300"`` repeats)."""
    if "names_hex" in record:
        return [bytes.fromhex(text) for text in record["names_hex"]]
    return [name_bytes(text) for text in record.get("names", ())]


def name_bytes(text: str) -> bytes:
    """Return the bytes of a name; ``x*N`` stands for x repeated N times."""
    head, star, count = text.rpartition("*")
    return (head * int(count) if star and count.isdigit() else text).encode("ascii")


def integer(value: int, width: int) -> bytes:
    """Return `value` big-endian in `width` bytes, two's complement."""
    return (value % (1 << (8 * width))).to_bytes(width, "big")


def status_of(record: Mapping[str, Any]) -> int:
    """Return the number of a record's status, given by name or by number."""
    value = record["type"]
    return value if isinstance(value, int) else STATUSES[value]


def disk_parts(record: Mapping[str, Any], header_length: int) -> list[Part]:
    """Return the fields of a disk (or seed) record in stored order."""
    identity, names = gtrid(record["gtrid"]), names_of(record)
    extension = bytes.fromhex(record.get("extension", ""))
    length = 29 + len(extension) + len(identity) + sum(2 + len(name) for name in names)
    parts = [
        Part("status", integer(status_of(record), 4)),
        Part("record_length", integer(record.get("record_length", length), 4)),
        Part("header_length", integer(record.get("header_length", header_length + len(extension)), 4)),
        Part("time", integer(record.get("time", FIRST_TIME), 8)),
        Part("sequence_number", integer(record.get("seq", 1), 4)),
        Part("crc32", b""),
        *([Part("extension", extension)] if extension else []),
        Part("gtrid_length", integer(record.get("gtrid_length", len(identity)), 1)),
        Part("gtrid", identity),
        Part("names_count", integer(record.get("names_count", len(names)), 4)),
        *_name_parts(names, record),
        Part("end_record", bytes.fromhex(record.get("end_record", END_RECORD))),
    ]
    crc = record.get("crc32", disk_checksum(parts, record))
    return [Part("crc32", integer(crc, 4)) if part.name == "crc32" else part for part in parts]


def _name_parts(names: list[bytes], record: Mapping[str, Any]) -> Iterator[Part]:
    given = record.get("name_lengths", {})
    for index, name in enumerate(names, start=1):
        yield Part(f"name{index}.length", integer(given.get(str(index), len(name)), 2))
        yield Part(f"name{index}.text", name)


def disk_checksum(parts: list[Part], record: Mapping[str, Any]) -> int:
    """Return the checksum of the specification over `parts`.

    ``checksum_names = "stored"`` in the record takes the names as they are
    stored instead of as a sorted set with '?' for what is not ASCII: a wrong
    checksum that naive writers produce.
    """
    by_name = {part.name: part.data for part in parts}
    names = names_of(record)
    if record.get("checksum_names") != "stored":
        names = sorted(
            {bytes(byte if byte <= HIGHEST_ASCII else ord("?") for byte in name) for name in names}
        )
    covered = [
        by_name[name] for name in ("status", "record_length", "header_length", "time", "sequence_number")
    ]
    covered += [by_name.get("extension", b""), by_name["gtrid"], integer(len(names), 4)]
    for name in names:
        covered += [integer(len(name), 2), name]
    covered.append(by_name["end_record"])
    return zlib.crc32(b"".join(covered))


def disk_fields(parts: list[Part], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of a sound disk record (without its place)."""
    value = {part.name: part.data for part in parts}
    status = status_of(record)
    names = names_of(record)
    fields: dict[str, Any] = {
        "type": TYPES.get(status, "OTHER"),
        "status": status,
        "record_length": _signed(value["record_length"]),
        "header_length": _signed(value["header_length"]),
        "time": _signed(value["time"]),
        "sequence_number": _signed(value["sequence_number"]),
        "crc32": int.from_bytes(value["crc32"], "big"),
        "gtrid": value["gtrid"].hex(),
        "names": [name.decode("ascii", "replace") for name in names],
    }
    if any(not 0x20 <= byte < HIGHEST_ASCII for name in names for byte in name):  # a space
        fields["names_raw"] = [name.hex() for name in names]
    return fields


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)
