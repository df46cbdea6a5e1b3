"""Bytes of headers and records as authors describe them, sound or not, with a name for every field.

Written from the specification's tables, so that the corpus does not depend on
any implementation. Any field can be given another value than the right one; the
last four bytes are then those of the record as described (the liar's check size
is right), unless they are given too.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FORMAT_ID = "jboss_journal"
#: Editions whose COMMIT and PREPARE list (file id, count) pairs.
PAIRED = ("seed", "seed+hash", "s1")
#: Editions of the document itself: no bodies of deletes, no extra data.
SEEDS = ("seed", "seed+hash")
#: Editions with a header of 16 bytes.
VERSIONED = ("v1", "v2", "v2e")
#: Editions with a compact count in files of format version 2.
COUNTED = ("v2", "v2e")
CODES = {
    "EVENT": 10,
    "ADD": 11,
    "UPDATE": 12,
    "ADD_TX": 13,
    "UPDATE_TX": 14,
    "DELETE_TX": 15,
    "DELETE": 16,
    "PREPARE": 17,
    "COMMIT": 18,
    "ROLLBACK": 19,
}
#: The document's own numbers where they differ.
SEED_CODES = {"DELETE": 15, "DELETE_TX": 16}
BODIED = ("ADD", "UPDATE", "ADD_TX", "UPDATE_TX", "EVENT")
TX = ("ADD_TX", "UPDATE_TX", "DELETE_TX")
ENDINGS = ("PREPARE", "COMMIT")
CHECK = 4


@dataclass(frozen=True, slots=True)
class Part:
    """One field: its name within the record, and its bytes."""

    name: str
    data: bytes


def integer(value: int, width: int) -> bytes:
    """Return `value` big-endian in `width` bytes, two's complement."""
    return (value % (1 << (8 * width))).to_bytes(width, "big")


def hex_bytes(text: str) -> bytes:
    """Return the bytes of ``hex`` or of ``hex*N``, N times over."""
    head, star, count = text.partition("*")
    return bytes.fromhex(head) * (int(count) if star else 1)


def code_of(kind: str, edition: str) -> int:
    """Return the number of a record type."""
    return SEED_CODES.get(kind, CODES[kind]) if edition in SEEDS else CODES[kind]


def stamp_of(file_id: int, edition: str) -> int:
    """Return the file id as the records of that file carry it."""
    return file_id & (0x7FFFFFFF if edition in VERSIONED else 0xFFFFFFFF)


def control_id(edition: str) -> int:
    """Return the file id of a control file and of its record."""
    return -1 if edition == "s2" else 0


def java_text(text: str) -> bytes:
    """Return `text` in Java's modified UTF-8: U+0000 in two bytes, each half of a surrogate pair in three."""
    out = bytearray()
    units = text.encode("utf-16-be")
    for at in range(0, len(units), 2):
        unit = int.from_bytes(units[at : at + 2], "big")
        if 0 < unit < 0x80:
            out.append(unit)
        elif unit < 0x800:
            out += bytes([0xC0 | unit >> 6, 0x80 | unit & 0x3F])
        else:
            out += bytes([0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F])
    return bytes(out)


def header_parts(file: Mapping[str, Any], edition: str) -> list[Part]:
    """Return the fields of a file's header: ``id``, and with a version ``version`` and ``user_version``."""
    if edition not in VERSIONED:
        return [Part("header.file_id", integer(file["id"], 4))]
    version = file.get("version", 1 if edition == "v1" else 2)
    return [
        Part("header.format_version", integer(version, 4)),
        Part("header.user_version", integer(file.get("user_version", 0), 4)),
        Part("header.file_id", integer(file["id"], 8)),
    ]


def compacted(edition: str, version: int) -> bool:
    """Tell whether records carry a compact count."""
    return edition in COUNTED and version != 1


def record_parts(record: Mapping[str, Any], edition: str, stamp: int, version: int = 2) -> list[Part]:
    """Return the fields of a record in stored order, the check size or hash last."""
    code = record.get("type", code_of(record["kind"], edition))
    parts = [Part("type", integer(code, 1)), Part("file_id", integer(record.get("stamp", stamp), 4))]
    if compacted(edition, version):
        parts.append(Part("compact_count", integer(record.get("compact", 0), 1)))
    parts += _ids(record)
    parts += _ending(record, edition) if record["kind"] in ENDINGS else _body(record, edition)
    length = sum(len(part.data) for part in parts) + CHECK
    if edition == "seed+hash":
        value = record.get("check", zlib.crc32(b"".join(part.data for part in parts)))
        return [*parts, Part("hash", integer(value, CHECK))]
    return [*parts, Part("check_size", integer(record.get("check", length), CHECK))]


def _ids(record: Mapping[str, Any]) -> Iterator[Part]:
    kind = record["kind"]
    if kind in (*TX, *ENDINGS, "ROLLBACK"):
        yield Part("tx", integer(record.get("tx", 9), 8))
    if kind not in (*ENDINGS, "ROLLBACK"):
        yield Part("id", integer(record["id"], 8))


def body_of(record: Mapping[str, Any]) -> bytes:
    """Return the body: ``body`` in hex, or the letter that stands for the record id."""
    if "body" in record:
        return hex_bytes(record["body"])
    return b"" if record["kind"] == "DELETE_TX" else bytes([0x60 + record["id"] % 26])


def _body(record: Mapping[str, Any], edition: str) -> Iterator[Part]:
    kind = record["kind"]
    if kind not in BODIED and (kind != "DELETE_TX" or edition in SEEDS):
        return
    body = body_of(record)
    yield Part("size", integer(record.get("size", len(body)), 4))
    if kind in BODIED:
        yield Part("user_type", integer(record.get("user_type", 1), 1))
    yield Part("body", body)


def _ending(record: Mapping[str, Any], edition: str) -> list[Part]:
    extra = hex_bytes(record.get("extra", ""))
    size = Part("extra_size", integer(record.get("extra_size", len(extra)), 4))
    has_extra = record["kind"] == "PREPARE" and edition not in SEEDS
    if edition not in PAIRED:
        count = Part("count", integer(record["count"], 4))
        return [count, size, Part("extra", extra)] if has_extra else [count]
    pairs = record["pairs"]
    out = [size] if has_extra else []
    out.append(Part("num_files", integer(record.get("num_files", len(pairs)), 4)))
    out += [Part("extra", extra)] if has_extra else []
    for index, (file_id, count_in_file) in enumerate(pairs, start=1):
        out.append(Part(f"pair{index}.file_id", integer(file_id, 4)))
        out.append(Part(f"pair{index}.count", integer(count_in_file, 4)))
    return out


def joined(parts: list[Part]) -> bytes:
    """Return the bytes of all parts."""
    return b"".join(part.data for part in parts)


def record_fields(record: Mapping[str, Any], edition: str, file_id: int, version: int = 2) -> dict[str, Any]:
    """Return what a reader reports of a sound record (without its place)."""
    kind = record["kind"]
    out: dict[str, Any] = {"type": kind, "file_id": record.get("stamp", file_id)}
    if compacted(edition, version):
        out["compact_count"] = record.get("compact", 0)
    if kind in (*TX, *ENDINGS, "ROLLBACK"):
        out["tx"] = record.get("tx", 9)
    if kind not in (*ENDINGS, "ROLLBACK"):
        out["id"] = record["id"]
    if kind in BODIED:
        out["user_type"] = record.get("user_type", 1) & 0xFF
    if kind in BODIED or (kind == "DELETE_TX" and edition not in SEEDS):
        out["body"] = body_of(record).hex()
    if kind in ENDINGS:
        if edition in PAIRED:
            out["pairs"] = [{"file_id": listed, "count": count} for listed, count in record["pairs"]]
        else:
            out["count"] = record["count"]
        if kind == "PREPARE" and edition not in SEEDS:
            out["extra"] = hex_bytes(record.get("extra", "")).hex()
    return out


@dataclass(frozen=True, slots=True)
class Claim:
    """What the bytes at a candidate's place say: where it would end, or why it is no record."""

    reason: str
    end: int


def claim(data: bytes, off: int, edition: str, version: int = 2) -> Claim:
    """Judge one candidate with the right type and file id by the specification's order of checks.

    `reason` is "" for a healthy one. `end` is where the candidate says that it
    ends, or the end of the data where it says nothing of use.
    """
    kinds = {code_of(kind, edition): kind for kind in CODES}
    kind = kinds[data[off]]
    form = record_parts(_EMPTY | {"kind": kind}, edition, 0, version)
    fixed = [part for part in form if part.name not in ("body", "extra", "check_size", "hash")]
    room = sum(len(part.data) for part in fixed)
    if off + room + CHECK > len(data):
        return Claim("truncated", len(data))
    at, sizes = off, 0
    for part in fixed:
        width = len(part.data)
        if part.name in ("size", "extra_size", "num_files"):
            value = int.from_bytes(data[at : at + width], "big", signed=True)
            if value < 0:
                return Claim("bad-size", len(data))
            sizes += value * (8 if part.name == "num_files" else 1)
        at += width
    end = off + room + sizes + CHECK
    if end > len(data):
        return Claim("bad-size", len(data))
    stored = int.from_bytes(data[end - CHECK : end], "big")
    if edition == "seed+hash":
        return Claim("" if stored == zlib.crc32(data[off : end - CHECK]) else "bad-hash", end)
    return Claim("" if stored == end - off else "bad-check-size", end)


_EMPTY: dict[str, Any] = {"id": 0, "tx": 0, "body": "", "pairs": [], "count": 0}
