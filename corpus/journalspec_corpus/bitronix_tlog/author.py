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

The order of the fields is that of the specification's table. Any field can be given
another value than the right one; the checksum is then that of the record as described
(the liar's checksum is right), unless it is given too.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from journalspec.bitronix_tlog import LAYOUT, checksum
from journalspec.layout import Part, integer, joined
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
#: javax.transaction.Status
STATUSES = dict(LAYOUT.types("2.1"))
TYPES = {number: name for name, number in STATUSES.items()}
FORMAT_ID = "42746e78"
FIRST_TIME = 1_700_000_000_000
HIGHEST_ASCII = 0x7F
DELIMITERS = {
    "previous": bytes.fromhex("0f1e2d3c4b5a49788796a5b4c3d2e1f0"),
    "current": bytes.fromhex("7caacd01d8284033ad442a57b2f827a4"),
    "foreign": bytes.fromhex("11223344556647788899aabbccddeeff"),
}
#: What a description gives as it is; `seq` and `type` are authors' words for two of them.
_NUMBERS = ("record_length", "header_length", "payload_length", "gtrid_length", "names_count", "crc32")
#: Field of the table -> its label, where authors call it something else.
_LABELS = {
    "frame_start": "opening",
    "trailer": "closing",
    "trailer_delimiter": "delimiter_again",
    "previous_delimiter": "previous",
    "current_delimiter": "current",
}


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


def delimiter(name: str) -> bytes:
    """Return a delimiter by name, or from hex."""
    return DELIMITERS[name] if name in DELIMITERS else bytes.fromhex(name)


def status_of(record: Mapping[str, Any]) -> int:
    """Return the number of a record's status, given by name or by number."""
    value = record["type"]
    return value if isinstance(value, int) else STATUSES[value]


def disk_parts(record: Mapping[str, Any], header_length: int) -> list[Part]:
    """Return the fields of a disk (or seed) record in stored order.

    ``checksum_names = "stored"`` takes the names as they are stored instead of as a
    sorted set with '?' for what is not ASCII: a wrong checksum that naive writers produce.
    """
    # The seed's edition has all that a liar's record of the others may have.
    values = _values(record, "seed")
    values |= {key: bytes.fromhex(record[key]) for key in ("extension", "end_record") if key in record}
    values.setdefault("header_length", header_length + len(values.get("extension", b"")))
    if "crc32" not in values and record.get("checksum_names") == "stored":
        stored = {part.name: part.data for part in LAYOUT.encode("record", "seed", values)}
        values["crc32"] = checksum(stored, values, names_of(record))
    return _labelled(LAYOUT.encode("record", "seed", values))


def nio_parts(record: Mapping[str, Any]) -> list[Part]:
    """Return the fields of one framed record of the nio journal in stored order."""
    values = _values({**record, "name_lengths": {}}, "nio") | {
        "rolled_over": int(record.get("rolled_over", False))
    }
    values |= {
        "padding": bytes(record.get("padding", 0)),
        "delimiter": delimiter(record.get("delimiter", "current")),
    }
    if "tag" in record:
        values["tag"] = record["tag"].encode("ascii")
    if "delimiter_again" in record:
        values["trailer_delimiter"] = delimiter(record["delimiter_again"])
    return _labelled(LAYOUT.encode("record", "nio", values))


def header_parts(base: Mapping[str, Any]) -> list[Part]:
    """Return the fields of a nio journal's header, up to the first record."""
    around = {f"{name}_delimiter": delimiter(base.get(name, name)) for name in ("previous", "current")}
    used = _labelled(LAYOUT.encode("header", "nio", around), "header.")
    # The header ends as a frame does not: with the separator that authors call its closing.
    used[-1] = Part("header.closing", used[-1].data)
    return [*used, Part("header.rest", bytes(NIO_RECORD - len(joined(used))))]


def _values(record: Mapping[str, Any], edition: str) -> dict[str, Any]:
    """Return the fields of a record as the table calls them, those that the edition has."""
    known = LAYOUT.structure("record", edition).names
    given = record.get("name_lengths", {})
    lengths = {int(index) - 1: {"length": value} for index, value in given.items()}
    names = [{"name": name, **lengths.get(index, {})} for index, name in enumerate(names_of(record))]
    return {
        "status": status_of(record),
        "time": record.get("time", FIRST_TIME),
        "sequence_number": record.get("seq", 1),
        "gtrid": gtrid(record["gtrid"]),
        "names": names,
        **{name: record[name] for name in _NUMBERS if name in record and name in known},
    }


def _labelled(parts: list[Part], before: str = "") -> list[Part]:
    return [Part(before + _label(part.name), part.data) for part in parts]


def _label(path: str) -> str:
    """Return an author's label: ``name1.text`` for ``name[0]``."""
    if not path.startswith("name["):
        return _LABELS.get(path, path)
    index, _, member = path.removeprefix("name[").partition("]")
    return f"name{int(index) + 1}{member or '.text'}"


def disk_fields(parts: list[Part], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of a sound disk record (without its place)."""
    names = names_of(record)
    fields = _told(
        parts, record, "record_length", "header_length", "time", "sequence_number", "crc32", "gtrid"
    )
    fields["names"] = [name.decode("ascii", "replace") for name in names]
    if any(not 0x20 <= byte < HIGHEST_ASCII for name in names for byte in name):  # a space
        fields["names_raw"] = [name.hex() for name in names]
    return fields


def nio_fields(parts: list[Part], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of a sound record of the nio journal (without its place)."""
    return {
        **_told(parts, record, "record_length", "time", "sequence_number"),
        "rolled_over": bool(record.get("rolled_over", False)),
        **_told(parts, record, "gtrid"),
        "names": [name.decode("latin-1") for name in names_of(record)],
        **_told(parts, record, "crc32", "delimiter"),
    }


def _told(parts: list[Part], record: Mapping[str, Any], *wanted: str) -> dict[str, Any]:
    """Return the record's type and number, and the `wanted` fields as stored, in this order."""
    value = {part.name: part.data for part in parts}
    status = status_of(record)
    out: dict[str, Any] = {"type": TYPES.get(status, "OTHER"), "status": status}
    for name in wanted:
        if name in ("gtrid", "delimiter"):
            out[name] = value[name].hex()
        else:
            out[name] = int.from_bytes(value[name], "big", signed=name != "crc32")
    return out


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
    built = Built({})
    if edition == "nio":
        _build_file(built, "f1", NIO_NAME, base, header_parts(base), _nio)
        return built
    if edition == "seed":
        _build_file(built, "f1", SEED_NAME, base, [], _disk(SEED_HEADER))
        return built
    if "records" in base:
        first = {"timestamp": NEWER, "state": OPEN, **base}
        base = {"size": base["size"], "file1": first, "file2": {"timestamp": OLDER}}
    for label, name in FILE_NAMES.items():
        file = base.get("file" + label[1:], {})
        _build_file(built, label, name, {"size": base["size"], **file}, _header(file), _disk(DISK_HEADER))
        tail = file.get("position", built.labels[f"{label}.log"].end)
        start = built.labels[f"{label}.header.position"]
        built.put(start, integer(tail, 8))
        built.labels[f"{label}.tail"] = Range(name, tail, 0)
    return built


def _header(file: Mapping[str, Any]) -> list[Part]:
    values = {"timestamp": file.get("timestamp", 0), "state": file.get("state", 0)}
    return [Part(f"header.{part.name}", part.data) for part in LAYOUT.encode("header", "2.1", values)]


def _disk(header_length: int) -> Make:
    def make(record: Mapping[str, Any]) -> tuple[list[Part], dict[str, Any]]:
        parts = disk_parts(record, header_length)
        return parts, disk_fields(parts, record)

    return make


def _nio(record: Mapping[str, Any]) -> tuple[list[Part], dict[str, Any]]:
    parts = nio_parts(record)
    return parts, nio_fields(parts, record)


def _build_file(  # a file's two names, its description, and what its edition makes of that
    built: Built, label: str, name: str, file: Mapping[str, Any], header: list[Part], make: Make
) -> None:
    """Lay the records behind the header, over those of the previous life, and finish the file."""
    data = bytearray()
    built.labels[f"{label}.header"] = built.lay(name, label, header, data)
    background = data[:]
    _lay_records(built, f"{label}old", name, background, file.get("before", ()), make)
    start = len(data)
    _lay_records(built, f"{label}r", name, data, file.get("records", ()), make)
    built.labels[f"{label}.log"] = Range(name, start, len(data) - start)
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
