"""Bytes of the experimental NIO journal as authors describe them (edition ``nio``)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from journalspec_corpus.bitronix_tlog.layout import (
    FIRST_TIME,
    TYPES,
    Part,
    gtrid,
    integer,
    names_of,
    status_of,
)

_RULE = "-" * 80
#: The 406 bytes that every such file begins with.
BANNER = "\r\n".join(
    (
        "BTM-NTJ-[Version 1.0]",
        "",
        "--------- Bitronix Transaction Manager :: Nio Transaction Journal File ---------",
        "",
        "    This is a delimiter based rolling binary file format belonging to BTM.",
        "    The purpose of this file is to persist JTA transaction states for ",
        "    providing crash recovery on broken commits and rollbacks.",
        "",
        _RULE,
        "",
        "",
    )
).encode("ascii")
CLOSING = b"\r\n\r\n"
HEADER_SIZE = 1024
TAGS = ("0-ACT:", "1-MRB:", "2-PRE:", "3-CTD:", "4-RBA:", "5-UKN:", "6-NTX:", "7-PRI:", "8-COM:", "9-ROL:")
DELIMITERS = {
    "previous": bytes.fromhex("0f1e2d3c4b5a49788796a5b4c3d2e1f0"),
    "current": bytes.fromhex("7caacd01d8284033ad442a57b2f827a4"),
    "foreign": bytes.fromhex("11223344556647788899aabbccddeeff"),
}


def delimiter(name: str) -> bytes:
    """Return a delimiter by name, or from hex."""
    return DELIMITERS[name] if name in DELIMITERS else bytes.fromhex(name)


def header_parts(base: Mapping[str, Any]) -> list[Part]:
    """Return the fields of the file header, up to the first record."""
    used = [
        Part("header.banner", BANNER),
        Part("header.previous", delimiter(base.get("previous", "previous"))),
        Part("header.current", delimiter(base.get("current", "current"))),
        Part("header.closing", CLOSING),
    ]
    rest = HEADER_SIZE - sum(len(part.data) for part in used)
    return [*used, Part("header.rest", bytes(rest))]


def nio_parts(record: Mapping[str, Any]) -> list[Part]:
    """Return the fields of one framed record in stored order."""
    identity, names, status = gtrid(record["gtrid"]), names_of(record), status_of(record)
    tag = record.get("tag", TAGS[status] if 0 <= status < len(TAGS) else "<unkn>")
    padding = bytes(record.get("padding", 0))
    length = 34 + len(identity) + sum(2 + len(name) for name in names) + len(padding)
    payload = [
        Part("tag", tag.encode("ascii")),
        Part("status", integer(status, 4)),
        Part("record_length", integer(record.get("record_length", length), 4)),
        Part("time", integer(record.get("time", FIRST_TIME), 8)),
        Part("sequence_number", integer(record.get("seq", 1), 8)),
        Part("rolled_over", integer(int(record.get("rolled_over", False)), 1)),
        Part("gtrid_length", integer(record.get("gtrid_length", len(identity)), 1)),
        Part("gtrid", identity),
        Part("names_count", integer(record.get("names_count", len(names)), 2)),
    ]
    for index, name in enumerate(names, start=1):
        payload += [Part(f"name{index}.length", integer(len(name), 2)), Part(f"name{index}.text", name)]
    if padding:
        payload.append(Part("padding", padding))
    around = delimiter(record.get("delimiter", "current"))
    crc = record.get("crc32", zlib.crc32(b"".join(part.data for part in payload)))
    return [
        Part("opening", b"\r\nLR["),
        Part("delimiter", around),
        Part("payload_length", integer(record.get("payload_length", length), 4)),
        Part("crc32", integer(crc, 4)),
        Part("separator", b"]["),
        *payload,
        Part("closing", b"]-"),
        Part("delimiter_again", delimiter(record.get("delimiter_again", around.hex()))),
    ]


def nio_fields(parts: list[Part], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of a sound record (without its place)."""
    value = {part.name: part.data for part in parts}
    return {
        "type": TYPES.get(status_of(record), "OTHER"),
        "status": status_of(record),
        "record_length": int.from_bytes(value["record_length"], "big"),
        "time": int.from_bytes(value["time"], "big", signed=True),
        "sequence_number": int.from_bytes(value["sequence_number"], "big", signed=True),
        "rolled_over": bool(record.get("rolled_over", False)),
        "gtrid": value["gtrid"].hex(),
        "names": [name.decode("latin-1") for name in names_of(record)],
        "crc32": int.from_bytes(value["crc32"], "big"),
        "delimiter": value["delimiter"].hex(),
    }
