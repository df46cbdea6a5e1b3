"""Bytes of records as authors describe them, sound or not, with a name for every field.

The order of the fields is that of the specification's table; this is the authors'
language on top of it. Any field can be given another value than the right one; the
checksum is then that of the record as described (the liar's checksum is right),
unless it is given too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journalspec.bitronix_tlog import LAYOUT, checksum
from journalspec.layout import Part, integer, joined

__all__ = ["Part", "integer", "joined"]

#: javax.transaction.Status
STATUSES = dict(LAYOUT.types("2.1"))
TYPES = {number: name for name, number in STATUSES.items()}
FORMAT_ID = "42746e78"
FIRST_TIME = 1_700_000_000_000
HIGHEST_ASCII = 0x7F
HEADER_SIZE = 1024
#: The headerLength of the seed's edition, by which :func:`disk_parts` knows it.
SEED_HEADER = 16
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
    edition = "seed" if header_length == SEED_HEADER else "2.1"
    values = _values(record)
    values |= {key: bytes.fromhex(record[key]) for key in ("extension", "end_record") if key in record}
    if "crc32" not in values and record.get("checksum_names") == "stored":
        values["crc32"] = checksum(LAYOUT.encode("record", edition, values), names_of(record))
    return _labelled(LAYOUT.encode("record", edition, values))


def nio_parts(record: Mapping[str, Any]) -> list[Part]:
    """Return the fields of one framed record of the nio journal in stored order."""
    values = _values(record) | {"rolled_over": int(record.get("rolled_over", False))}
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
    return [*used, Part("header.rest", bytes(HEADER_SIZE - len(joined(used))))]


def _values(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record as the table calls them."""
    given = record.get("name_lengths", {})
    lengths = {int(index) - 1: {"length": value} for index, value in given.items()}
    names = [{"name": name, **lengths.get(index, {})} for index, name in enumerate(names_of(record))]
    return {
        "status": status_of(record),
        "time": record.get("time", FIRST_TIME),
        "sequence_number": record.get("seq", 1),
        "gtrid": gtrid(record["gtrid"]),
        "names": names,
        **{name: record[name] for name in _NUMBERS if name in record},
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
