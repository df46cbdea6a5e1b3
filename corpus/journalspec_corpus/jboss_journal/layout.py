"""Bytes of headers and records as authors describe them, sound or not, with a name for every field.

The order of the fields is that of the specification's table; this is the authors'
language on top of it. Any field can be given another value than the right one; the
last four bytes are then those of the record as described (the liar's check size
is right), unless they are given too.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec.layout import Part, integer, joined

__all__ = ["Part", "integer", "joined"]

FORMAT_ID = "jboss_journal"
#: Editions of the document itself: no bodies of deletes, no extra data.
SEEDS = ("seed", "seed+hash")
_EDITIONS = (*SEEDS, "s1", "s2", "v1", "v2", "v2e")


def _having(structure: str, field: str) -> tuple[str, ...]:
    return tuple(edition for edition in _EDITIONS if field in LAYOUT.structure(structure, edition).names)


#: Editions whose COMMIT and PREPARE list (file id, count) pairs.
PAIRED = _having("record", "pairs")
#: Editions with a header of 16 bytes.
VERSIONED = _having("header", "format_version")
#: Editions with a compact count in files of format version 2.
COUNTED = _having("record", "compact_count")
CODES = dict(sorted(LAYOUT.types("v2e").items(), key=lambda row: row[1]))
BODIED = ("ADD", "UPDATE", "ADD_TX", "UPDATE_TX", "EVENT")
TX = ("ADD_TX", "UPDATE_TX", "DELETE_TX")
ENDINGS = ("PREPARE", "COMMIT")
CHECK = 4
#: Field of the table -> authors' word for it in a record, or in a label.
_WORDS = {"compact_count": "compact", "body_size": "size", "check_size": "check", "hash": "check"}
_LABELS = {"body_size": "size"}
#: What a record has that does not say otherwise.
_USUAL = {"tx": 9, "user_type": 1}


def hex_bytes(text: str) -> bytes:
    """Return the bytes of ``hex`` or of ``hex*N``, N times over."""
    head, star, count = text.partition("*")
    return bytes.fromhex(head) * (int(count) if star else 1)


def code_of(kind: str, edition: str) -> int:
    """Return the number of a record type; an EVENT's is the newest edition's, where there is none."""
    return LAYOUT.types(edition).get(kind, CODES[kind])


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
    given = {
        "file_id": file["id"],
        "format_version": file.get("version"),
        "user_version": file.get("user_version"),
    }
    names = LAYOUT.structure("header", edition).names
    values = {name: value for name, value in given.items() if name in names and value is not None}
    return [Part(f"header.{part.name}", part.data) for part in LAYOUT.encode("header", edition, values)]


def compacted(edition: str, version: int) -> bool:
    """Tell whether records carry a compact count."""
    return edition in COUNTED and version != 1


def laid_out_as(edition: str, version: int) -> str:
    """Return the edition whose table the records of a file follow."""
    return "v1" if edition in COUNTED and version == 1 else edition


def record_parts(record: Mapping[str, Any], edition: str, stamp: int, version: int = 2) -> list[Part]:
    """Return the fields of a record in stored order, the check size or hash last."""
    kind, laid = record["kind"], laid_out_as(edition, version)
    values: dict[str, Any] = {"type": code_of(kind, edition), "file_id": record.get("stamp", stamp)}
    # An EVENT in an edition that has none looks like an ADD but for its number.
    kind = kind if kind in LAYOUT.types(laid) else "ADD"
    for name in LAYOUT.structure("record", laid, kind).names:
        word = _WORDS.get(name, name)
        if name == "body":
            values[name] = body_of(record)
        elif name == "extra":
            values[name] = hex_bytes(record.get("extra", ""))
        elif name == "pairs":
            values[name] = [{"file_id": listed, "count": count} for listed, count in record["pairs"]]
        elif name != "file_id" and (word in record or name in _USUAL):
            values[name] = record.get(word, _USUAL.get(name))
    return [Part(_label(part.name), part.data) for part in LAYOUT.encode("record", laid, values, kind)]


def _label(path: str) -> str:
    """Return an author's label: ``pair1.count`` for ``pair[0].count``."""
    if not path.startswith("pair["):
        return _LABELS.get(path, path)
    index, _, member = path.removeprefix("pair[").partition("]")
    return f"pair{int(index) + 1}{member}"


def body_of(record: Mapping[str, Any]) -> bytes:
    """Return the body: ``body`` in hex, or the letter that stands for the record id."""
    if "body" in record:
        return hex_bytes(record["body"])
    return b"" if record["kind"] == "DELETE_TX" else bytes([0x60 + record["id"] % 26])


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
    laid = laid_out_as(edition, version)
    form = LAYOUT.structure("record", laid, LAYOUT.type_name(laid, data[off]))
    if off + form.size > len(data):
        return Claim("truncated", len(data))
    at, end = off, off + form.size
    for field in form.fields:
        if measured := form.measures.get(field.name):
            value = field.integer(data[at : at + field.width])
            if value < 0:
                return Claim("bad-size", len(data))
            end += value * (sum(member.width for member in measured.of) or 1)
        at += field.width
    if end > len(data):
        return Claim("bad-size", len(data))
    stored = int.from_bytes(data[end - CHECK : end], "big")
    if edition == "seed+hash":
        return Claim("" if stored == zlib.crc32(data[off : end - CHECK]) else "bad-hash", end)
    return Claim("" if stored == end - off else "bad-check-size", end)
