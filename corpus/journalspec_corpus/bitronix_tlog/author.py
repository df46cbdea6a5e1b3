"""The author module: sound journals from descriptions, with every range named.

A base for the disk editions describes ``file1`` and ``file2``, each with
``timestamp``, ``state``, ``position`` (default: behind the last record) and
``records``; for the editions ``seed`` and ``nio`` it has ``records`` itself. A disk
base with ``records`` has them in file 1, which is active and open, and an empty file 2.
``before`` has records of the previous life, laid first, that show through behind the others.
A record is a table, or a text ``LABEL [TYPE] key=value ...``: ``r7`` alone is a decision on
transaction g7 over db1 and jms1.
Labels: ``f1``, ``f1.header.position``, ``f1.tail`` (empty, at the position),
``r1``, ``r1.gtrid``, ``r1.name2.length`` ...
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from journalspec_corpus.bitronix_tlog.layout import (
    FORMAT_ID,
    Part,
    disk_fields,
    disk_parts,
    gtrid,
    integer,
    name_bytes,
)
from journalspec_corpus.bitronix_tlog.nio_layout import header_parts, nio_fields, nio_parts
from journalspec_corpus.edits import Built, Range

#: From a record's table to its fields in stored order, and what a reader reports of it.
Make = Callable[[Mapping[str, Any]], tuple[list[Part], dict[str, Any]]]
FILE_NAMES = {"f1": "btm1.tlog", "f2": "btm2.tlog"}
NIO_NAME = "nio-btm1.tlog"
SEED_NAME = "seed.log"
#: The fields that a brief expectation lists.
BRIEF = ("type", "gtrid", "at")
DISK_HEADER, SEED_HEADER = 28, 16
FIRST_RECORD, NIO_RECORD = 21, 1024
#: What the checksum leaves out: the crc32 field and the gtridLength byte behind it.
CRC_AT, CRC_RESUMES_AT = 24, 29


NEWER, OLDER, OPEN = 1000, 500, 255


def described(record: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record's table; the number in the label of a text is that of its transaction."""
    if not isinstance(record, str):
        return record
    label, *rest = record.split()
    number = label.lstrip("abcdefghijklmnopqrstuvwxyz")
    out: dict[str, Any] = {"id": label, "type": "COMMITTING", "gtrid": f"g{number}", "names": ["db1", "jms1"]}
    out["seq"] = int(number)
    for item in rest:
        key, sign, value = item.partition("=")
        if not sign:
            out["type"] = item
        elif key == "names":
            out[key] = value.split(",") if value else []
        else:
            out[key] = value if key == "gtrid" else int(value)
    return out


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the journal that `base` describes, written as `edition` prescribes."""
    if edition == "nio":
        return _build_nio(base)
    built = Built({})
    if edition == "seed":
        _build_file(built, "f1", SEED_NAME, base, [], SEED_HEADER)
        return built
    if "records" in base:
        first = {"timestamp": NEWER, "state": OPEN, **base}
        base = {"size": base["size"], "file1": first, "file2": {"timestamp": OLDER}}
    for label, name in FILE_NAMES.items():
        file = base.get("file" + label[1:], {})
        _build_file(built, label, name, {"size": base["size"], **file}, _header(file), DISK_HEADER)
        tail = file.get("position", built.labels[f"{label}.log"].end)
        start = built.labels[f"{label}.header.position"]
        built.put(start, integer(tail, 8))
        built.labels[f"{label}.tail"] = Range(name, tail, 0)
    return built


def _header(file: Mapping[str, Any]) -> list[Part]:
    return [
        Part("header.format_id", bytes.fromhex(FORMAT_ID)),
        Part("header.timestamp", integer(file.get("timestamp", 0), 8)),
        Part("header.state", integer(file.get("state", 0), 1)),
        Part("header.position", integer(FIRST_RECORD, 8)),
    ]


def _build_file(
    built: Built, label: str, name: str, file: Mapping[str, Any], header: list[Part], header_length: int
) -> None:
    def make(record: Mapping[str, Any]) -> tuple[list[Part], dict[str, Any]]:
        parts = disk_parts(record, header_length)
        return parts, disk_fields(parts, record)

    data = bytearray()
    built.labels[f"{label}.header"] = built.lay(name, label, header, data)
    _build_log(built, label, name, data, file, make)


def _build_nio(base: Mapping[str, Any]) -> Built:
    def make(record: Mapping[str, Any]) -> tuple[list[Part], dict[str, Any]]:
        parts = nio_parts(record)
        return parts, nio_fields(parts, record)

    built = Built({})
    data = bytearray()
    built.lay(NIO_NAME, "f1", header_parts(base), data)
    _build_log(built, "f1", NIO_NAME, data, base, make)
    return built


def _build_log(
    built: Built, label: str, name: str, header: bytearray, file: Mapping[str, Any], make: Make
) -> None:
    """Lay the records behind the header, over those of the previous life, and finish the file."""
    background = header[:]
    _lay_records(built, f"{label}old", name, background, file.get("before", ()), make)
    data = header[:]
    _lay_records(built, f"{label}r", name, data, file.get("records", ()), make)
    built.labels[f"{label}.log"] = Range(name, len(header), len(data) - len(header))
    data += background[len(data) :]
    size = len(data) if file.get("size") is None else file["size"]
    built.finish(name, label, data, size, bytes.fromhex(file.get("fill", "00")))


def _lay_records(
    built: Built, prefix: str, name: str, data: bytearray, records: Sequence[Any], make: Make
) -> None:
    for index, record in enumerate(map(described, records), start=1):
        data += bytes.fromhex(record.get("gap", ""))
        own = record.get("id", f"{prefix}{index}")
        parts, fields = make(record)
        built.records[own] = {**fields, "at": built.lay(name, own, parts, data).to_json()}


def seal(built: Built, label: str) -> None:
    """Make the checksum fit the bytes that now stand at record `label`.

    For disk records with ASCII names in ascending order, and for nio payloads.
    """
    spot = built.range(label)
    data = built.files[spot.file]
    if f"{label}.payload_length" in built.labels:
        first, last = built.range(f"{label}.tag").off, built.range(f"{label}.closing").off
        built.put(built.range(f"{label}.crc32"), integer(zlib.crc32(data[first:last]), 4))
        return
    covered = bytes(data[spot.off : spot.off + CRC_AT] + data[spot.off + CRC_RESUMES_AT : spot.end])
    built.put(built.range(f"{label}.crc32"), integer(zlib.crc32(covered), 4))


def expand(value: Any) -> Any:
    """Return an authored state or record with ``gN`` gtrids and ``x*N`` names written out."""
    if isinstance(value, Mapping):
        return {key: _expand_member(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item) for item in value]
    return value


def _expand_member(key: str, item: Any) -> Any:
    if key == "gtrid":
        return gtrid(item).hex()
    if key == "names":
        return [name_bytes(name).decode("ascii") if name.isascii() else name for name in item]
    if key == "active":
        return FILE_NAMES.get(item, item)
    return expand(item)
