"""The author module: it builds valid journals from descriptions, and names every range in them.

A base (the description of a journal) for the disk editions describes ``file1`` and ``file2``, each with
``timestamp``, ``state``, ``position`` (default: after the last record) and ``records``. For the editions
``seed`` and ``nio``, the base itself contains ``records``. In a disk base with ``records``, they are in file
1, which is active and open; file 2 is empty. ``before`` contains records of the previous generation. They are
written first and remain visible after the end of ``records``. A record is a table, or a text ``LABEL [TYPE]
key=value ...``: ``r7`` alone means a decision on transaction g7 over db1 and jms1. Labels: ``f1``,
``f1.header.position``, ``f1.tail`` (empty, at the position), ``r1``, ``r1.gtrid``, ``r1.name2.length`` ...

The order of the fields is that of the specification's table. Any field can be given a wrong value. The
checksum is computed over the described bytes, and therefore valid, unless it is also given.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from journalspec.bitronix_tlog import LAYOUT, checksum
from journalspec.layout import Part, integer, joined
from journalspec_corpus import author
from journalspec_corpus.author import hex_bytes, labelled, lay_file, stored, words
from journalspec_corpus.edits import Built, Range

FILE_NAMES = {"f1": "btm1.tlog", "f2": "btm2.tlog"}
NIO_NAME = "nio-btm1.tlog"
SEED_NAME = "seed.log"
#: The fields that a brief expectation lists.
BRIEF = ("type", "gtrid", "at")
DISK_HEADER, NIO_RECORD = 28, 1024
NEWER, OLDER, OPEN = 1000, 500, 255
FIRST_TIME = 1_700_000_000_000
#: The parts that the checksum does not cover: the crc32 field and the gtridLength byte after it.
CRC_AT, CRC_RESUMES_AT = 24, 29
DELIMITERS = {
    "previous": bytes.fromhex("0f1e2d3c4b5a49788796a5b4c3d2e1f0"),
    "current": bytes.fromhex("7caacd01d8284033ad442a57b2f827a4"),
    "foreign": bytes.fromhex("11223344556647788899aabbccddeeff"),
}
#: The keys of a description whose values are used unchanged; authors use `seq` and `type` for two fields.
_NUMBERS = ("record_length", "header_length", "payload_length", "gtrid_length", "names_count", "crc32")
#: Maps a field of the table to its label, if authors use another word.
_LABELS = {
    "frame_start": "opening",
    "trailer": "closing",
    "trailer_delimiter": "delimiter_again",
    "previous_delimiter": "previous",
    "current_delimiter": "current",
}


def gtrid(text: str) -> bytes:
    """Return a gtrid from hex, ``xx*N`` for N equal bytes, or ``gN`` for the N-th transaction of "srv1"."""
    if text.startswith("g") and text[1:].isdigit():
        return b"srv1" + bytes.fromhex("0000019200000000") + int(text[1:]).to_bytes(4, "big")
    return hex_bytes(text)


def names_of(record: Mapping[str, Any]) -> list[bytes]:
    """Return the stored names: ``names_hex``, or ``names`` (ASCII; ``"q*300"`` repeats)."""
    if "names_hex" in record:
        return [bytes.fromhex(text) for text in record["names_hex"]]
    return [name_bytes(text) for text in record.get("names", ())]


def name_bytes(text: str) -> bytes:
    """Return the bytes of a name; ``x*N`` means x repeated N times."""
    head, star, count = text.rpartition("*")
    return (head * int(count) if star and count.isdigit() else text).encode("ascii")


def delimiter(name: str) -> bytes:
    """Return a delimiter that is given by its name or in hex."""
    return DELIMITERS[name] if name in DELIMITERS else bytes.fromhex(name)


#: The functions for fields that a description gives as text or as a flag: edition of the table -> name of the
#: field -> function. The function converts the given text or flag into the field's value.
_READ: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "nio": {
        "rolled_over": int,
        "padding": bytes,
        "delimiter": delimiter,
        "trailer_delimiter": delimiter,
        "tag": str.encode,
    },
    "seed": {"extension": bytes.fromhex, "end_record": bytes.fromhex},
}


def laid_out_as(edition: str) -> str:
    """Return the edition whose table builds records.

    Except for nio itself, this is the seed, because the seed's table has every field.
    """
    return edition if edition == "nio" else "seed"


def record_values(record: Mapping[str, Any], edition: str) -> dict[str, Any]:
    """Return the fields of a record under the names of the table.

    ``checksum_names = "stored"`` computes the checksum over the names as they are stored. The right checksum
    covers a sorted set of names with '?' for each character that is not ASCII; naive writers compute it
    wrongly.
    """
    laid = laid_out_as(edition)
    known = LAYOUT.structure("record", laid).names
    lengths = {int(index): {"length": value} for index, value in record.get("name_lengths", {}).items()}
    names = [{"name": name, **lengths.get(at, {})} for at, name in enumerate(names_of(record), start=1)]
    values = {
        "status": record["type"],
        "time": record.get("time", FIRST_TIME),
        "sequence_number": record.get("seq", 1),
        "gtrid": gtrid(record["gtrid"]),
        "names": names,
        **{name: record[name] for name in _NUMBERS if name in record and name in known},
    }
    for name, read in _READ[laid].items():
        if (word := _LABELS.get(name, name)) in record:
            values[name] = read(record[word])
    if edition == "nio":
        values.setdefault("delimiter", DELIMITERS["current"])
    elif edition != "seed":
        values.setdefault("header_length", DISK_HEADER + len(values.get("extension", b"")))
    if "crc32" not in values and record.get("checksum_names") == "stored":
        values["crc32"] = checksum(dict(LAYOUT.encode("record", laid, values)), values, names_of(record))
    return values


def record_bytes(record: Mapping[str, Any], edition: str) -> bytes:
    """Return the bytes of a record that is described by a table."""
    return LAYOUT.build("record", laid_out_as(edition), **record_values(record, edition))


def header_parts(base: Mapping[str, Any]) -> list[Part]:
    """Return the fields of a nio journal's header, up to the first record."""
    around = {f"{name}_delimiter": delimiter(base.get(name, name)) for name in ("previous", "current")}
    # Unlike a frame, the header ends with a separator, which authors call its closing.
    used = labelled(LAYOUT.encode("header", "nio", around), {**_LABELS, "separator": "closing"}, "header.")
    return [*used, Part("header.rest", bytes(NIO_RECORD - len(joined(used))))]


def reported(values: Mapping[str, Any], edition: str) -> dict[str, Any]:
    """Return a reader's report of a record with these values (without its position)."""
    names = [row["name"] for row in values["names"]]
    charset = "latin-1" if edition == "nio" else "ascii"
    told = {**values, "names": [name.decode(charset, "replace") for name in names]}
    if edition != "nio" and not all(re.fullmatch(rb"[\x20-\x7e]*", name) for name in names):
        told["names_raw"] = names
    if edition != "seed" or not told.get("extension"):
        told.pop("extension", None)
    out = author.reported(LAYOUT, edition, LAYOUT.type_name("2.1", values["status"]) or "OTHER", told)
    if edition == "nio":  # The cases of this edition were first published in this form.
        out |= {name: out.pop(name) for name in ("crc32", "delimiter")}
    return out


def parsed(record: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of a record. In a text, the number in the label is the number of the transaction."""
    if not isinstance(record, str):
        return {**record, "label": record["id"]} if "id" in record else record
    label, types, given = words(record)
    number = label.lstrip("abcdefghijklmnopqrstuvwxyz")
    out: dict[str, Any] = {
        "label": label,
        "type": types[-1] if types else "COMMITTING",
        "gtrid": f"g{number}",
        "names": ["db1", "jms1"],
        "seq": int(number),
    }
    for key, value in given.items():
        if key == "names":
            out[key] = value.split(",") if value else []
        else:
            out[key] = value if key == "gtrid" else int(value)
    return out


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the journal that `base` describes, in the form of `edition`."""
    built = Built({})

    def lay(label: str, name: str, file: Mapping[str, Any], header: list[Part]) -> None:
        lives = {key: [parsed(record) for record in file.get(key, ())] for key in ("before", "records")}
        fill = bytes.fromhex(file.get("fill", "00"))
        lay_file(built, label, name, {**file, **lives}, header=header, make=make, fill=fill)

    def make(record: Mapping[str, Any]) -> tuple[list[Part], dict[str, Any]]:
        values, laid = record_values(record, edition), laid_out_as(edition)
        parts = LAYOUT.encode("record", laid, values)
        return labelled(parts, _LABELS), reported(stored(LAYOUT, laid, parts, values), edition)

    if edition == "nio":
        lay("f1", NIO_NAME, base, header_parts(base))
        return built
    if edition == "seed":
        lay("f1", SEED_NAME, base, [])
        return built
    if "records" in base:
        first = {"timestamp": NEWER, "state": OPEN, **base}
        base = {"size": base["size"], "file1": first, "file2": {"timestamp": OLDER}}
    for label, name in FILE_NAMES.items():
        file = base.get("file" + label[1:], {})
        header = {key: file.get(key, 0) for key in ("timestamp", "state")}
        parts = labelled(LAYOUT.encode("header", edition, header), {}, "header.")
        lay(label, name, {"size": base["size"], **file}, parts)
        tail = file.get("position", built.labels[f"{label}.log"].end)
        built.put(built.labels[f"{label}.header.position"], integer(tail, 8))
        built.labels[f"{label}.tail"] = Range(name, tail, 0)
    return built


def seal(built: Built, label: str) -> None:
    """Recompute the checksum over the present bytes of record `label`.

    For disk records with ASCII names in ascending order, and for nio payloads.
    """
    spot = built.range(label)
    data = built.files[spot.file]
    if f"{label}.payload_length" in built.labels:
        first, last = built.range(f"{label}.tag").off, built.range(f"{label}.closing").off
        covered = data[first:last]
    else:
        covered = data[spot.off : spot.off + CRC_AT] + data[spot.off + CRC_RESUMES_AT : spot.end]
    built.put(built.range(f"{label}.crc32"), integer(zlib.crc32(covered), 4))


def expand(value: Any) -> Any:
    """Return an authored state or record in which ``gN`` gtrids and ``x*N`` names are written out."""
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
