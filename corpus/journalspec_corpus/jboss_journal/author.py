"""The author module: sound journals from descriptions, with every range named.

A base has ``files``, each with ``id`` (the file id), ``records`` and, where
they are not the usual ones, ``name``, ``version``, ``user_version``, ``size``
(1024), ``fill``, ``align``, and ``before``: records of an earlier life, laid
first and shining through behind those of this one. A record is a table, or a
text ``LABEL KIND key=value ...``. COMMIT and PREPARE count what stands before
them unless they say otherwise. A file with ``control = true`` is a control file.
Labels: ``f1`` (by position), ``f1.header.file_id``, ``a``, ``a.size``,
``a.pair1.count`` ...

The order of the fields is that of the specification's table. Any field can be given
another value than the right one; the last four bytes are then those of the record
as described (the liar's check size is right), unless they are given too.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT
from journalspec.layout import Part, integer
from journalspec_corpus.edits import Built, EditError

#: The fields that a brief expectation lists.
BRIEF = ("type", "at")
CONTROL = "journal-rename-control.ctr"
SIZE = 1024
_TEXTS = ("body", "extra", "gap")
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
TX = ("ADD_TX", "UPDATE_TX", "DELETE_TX")
ENDINGS = ("PREPARE", "COMMIT")
CHECK = 4
#: Field of the table -> authors' word for it in a record, or in a label.
_WORDS = {"compact_count": "compact", "body_size": "size", "check_size": "check", "hash": "check"}
_LABELS = {"body_size": "size"}
#: What a reader reports of a record, in this order, as far as its type has it.
_REPORTED = ("compact_count", "tx", "id", "user_type", "body", "pairs", "count", "extra")
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


def record_fields(parts: list[Part], record: Mapping[str, Any], file_id: int) -> dict[str, Any]:
    """Return what a reader reports of a sound record (without its place)."""
    stored = {part.name: part.data for part in parts}
    out: dict[str, Any] = {"type": record["kind"], "file_id": record.get("stamp", file_id)}
    for name in _REPORTED:
        if name == "pairs" and "num_files" in stored:
            out[name] = [{"file_id": listed, "count": count} for listed, count in record[name]]
        elif name in ("body", "extra") and name in stored:
            out[name] = stored[name].hex()
        elif name in stored:
            signed = name not in ("compact_count", "user_type")
            out[name] = int.from_bytes(stored[name], "big", signed=signed)
    return out


def name_of(number: int, edition: str) -> str:
    """Return the name of data file `number` as the products of the edition call it."""
    return f"activemq-data-{number}.amq" if edition in VERSIONED else f"jbm-data-{number}.jbm"


def fill_bytes(file: Mapping[str, Any], edition: str) -> bytes:
    """Return the fill of a file; the usual one is zeros for the newest files, 'J' for the older ones."""
    return hex_bytes(file.get("fill", "00" if edition in ("v2", "v2e") else "4a"))


def parsed(record: Any, label: str) -> dict[str, Any]:
    """Return a record's table; a text is LABEL KIND key=value ..., with pairs as 1:2,2:1."""
    if not isinstance(record, str):
        return {"label": label, **record}
    own, kind, *rest = record.split()
    out: dict[str, Any] = {"label": own, "kind": kind}
    for item in rest:
        key, _, value = item.partition("=")
        if key == "pairs":
            out[key] = [tuple(int(n) for n in pair.split(":")) for pair in value.split(",") if pair]
        else:
            out[key] = value if key in _TEXTS else int(value, 0)
    return out


class _Counts:
    """How many records of each transaction stand in each file so far."""

    def __init__(self) -> None:
        self._seen: dict[int, Counter[int]] = {}

    def take(self, record: dict[str, Any], file_id: int) -> dict[str, Any]:
        """Return the record with its counts; PREPARE and COMMIT get those that are right."""
        tx = record.get("tx", 9)
        seen = self._seen.setdefault(tx, Counter())
        if record["kind"] in TX:
            seen[file_id] += 1
        if record["kind"] in ("COMMIT", "ROLLBACK"):
            self._seen.pop(tx)
        if record["kind"] not in ENDINGS:
            return record
        return {"pairs": sorted(seen.items()), "count": seen[file_id], **record}


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the journal that `base` describes, written as `edition` prescribes."""
    built = Built({})
    counts = _Counts()
    for number, file in enumerate(base.get("files", ()), start=1):
        label = f"f{number}"
        if file.get("control"):
            _build_control(built, label, file, edition)
        else:
            _build_file(built, label, {"id": number, **base.get("each", {}), **file}, edition, counts)
    return built


def _build_file(built: Built, label: str, file: Mapping[str, Any], edition: str, counts: _Counts) -> None:
    name = file.get("name") or name_of(file.get("number", file["id"]), edition)
    version = file.get("version", 1 if edition == "v1" else 2)
    data = bytearray()
    header = built.lay(name, label, header_parts(file, edition), data)
    built.labels[f"{label}.header"] = header
    if "before" in file:
        _lay_records(built, name, {**file, "records": file["before"]}, edition, version, data, _Counts())
        background, data = data, data[: header.length]
    else:
        background = bytearray()
    _lay_records(built, name, file, edition, version, data, counts)
    data += background[len(data) :]
    built.finish(name, label, data, file.get("size", SIZE), fill_bytes(file, edition))


def _lay_records(
    built: Built,
    name: str,
    file: Mapping[str, Any],
    edition: str,
    version: int,
    data: bytearray,
    counts: _Counts,
) -> None:
    align, fill = file.get("align", 1), fill_bytes(file, edition)
    _pad(data, align)
    for index, described in enumerate(file.get("records", ()), start=1):
        record = counts.take(parsed(described, f"{name}r{index}"), file["id"])
        data += hex_bytes(record.get("gap", ""))
        data += fill * (record.get("to", len(data)) - len(data))
        parts = record_parts(record, edition, stamp_of(file["id"], edition), version)
        at = built.lay(name, record["label"], parts, data)
        fields = record_fields(parts, record, file["id"])
        built.records[record["label"]] = {**fields, "at": at.to_json()}
        _pad(data, align)


def _pad(data: bytearray, align: int) -> None:
    data += bytes(-len(data) % align)


def control_body(file: Mapping[str, Any]) -> bytes:
    """Return the three lists of a control file; ``olds`` gives the first count another value."""
    renames = [name for pair in file.get("renames", ()) for name in pair]
    out = b""
    for count, names in (
        (file.get("olds", len(file.get("old", ()))), file.get("old", ())),
        (file.get("news", len(file.get("new", ()))), file.get("new", ())),
        (file.get("moves", len(renames) // 2), renames),
    ):
        out += integer(count, 4)
        texts = [mutf8.encode(name) for name in names]
        out += b"".join(integer(len(text), 2) + text for text in texts)
    return out + hex_bytes(file.get("slack", ""))


def _build_control(built: Built, label: str, file: Mapping[str, Any], edition: str) -> None:
    data = bytearray()
    own_id = file.get("id", control_id(edition))
    header = header_parts({"id": own_id, **file}, edition)
    built.labels[f"{label}.header"] = built.lay(CONTROL, label, header, data)
    body = control_body(file).hex() if "body" not in file else file["body"]
    gap = {"gap": file["gap"]} if "gap" in file else {}
    own = {"label": "ctr", "kind": "ADD", "id": 1, "user_type": 0, "body": body, **gap}
    records = [*file.get("first", ()), own, *file.get("then", ())]
    described = {
        "id": own_id,
        "records": records,
        "align": file.get("align", 1),
        "fill": file.get("fill", "00"),
    }
    _lay_records(built, CONTROL, described, edition, 2, data, _Counts())
    built.finish(CONTROL, label, data, file.get("size", len(data)), fill_bytes(file, edition))


def seal(built: Built, label: str) -> None:
    """Make the last four bytes of record `label` fit the bytes that now stand there."""
    spot = built.range(label)
    data = built.files[spot.file]
    if f"{label}.hash" in built.labels:
        built.put(built.range(f"{label}.hash"), integer(zlib.crc32(data[spot.off : spot.end - CHECK]), CHECK))
    else:
        built.put(built.range(f"{label}.check_size"), integer(spot.length, CHECK))


def state(built: Built, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an authored state with labels of records written out."""
    out: dict[str, Any] = {}
    if "live" in value:
        out["live"] = [_live(built, item) for item in value["live"]]
    if "prepared" in value:
        out["prepared"] = [
            {
                "extra": "",
                **entry,
                "records": [_live(built, item) for item in entry.get("records", ())],
                "deletes": [_deleted(built, item) for item in entry.get("deletes", ())],
            }
            for entry in value["prepared"]
        ]
    if "discarded" in value:
        out["discarded"] = value["discarded"]
    return out


def _record(built: Built, label: str) -> dict[str, Any]:
    if label not in built.records:
        raise EditError(f"no record {label!r}: known are {', '.join(built.records)}")
    return built.records[label]


def _live(built: Built, item: Any) -> dict[str, Any]:
    """Return what is delivered of a record: by label, by label with changes, as text, or in full.

    The text is KIND id body [user type [compact count]], with - for an empty body.
    """
    if isinstance(item, str) and " " in item:
        return _live_text(*item.split())
    if isinstance(item, str):
        return live_item(_record(built, item))
    if "record" in item:
        changes = {key: value for key, value in item.items() if key != "record"}
        return {**live_item(_record(built, item["record"])), **changes}
    return {"compact_count": 0, **item}


def _live_text(
    kind: str, number: str, body: str, user_type: str = "1", compact_count: str = "0"
) -> dict[str, Any]:
    return {
        "kind": kind,
        "id": int(number),
        "user_type": int(user_type),
        "body": hex_bytes("" if body == "-" else body).hex(),
        "compact_count": int(compact_count),
    }


def live_item(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the delivered form of a record's fields."""
    return {
        "kind": record["type"].removesuffix("_TX"),
        "id": record["id"],
        "user_type": record["user_type"],
        "body": record["body"],
        "compact_count": record.get("compact_count", 0),
    }


def _deleted(built: Built, item: Any) -> dict[str, Any]:
    if not isinstance(item, str):
        return dict(item)
    record = _record(built, item)
    return {"id": record["id"], "body": record.get("body", "")}


def expand(value: Any) -> Any:
    """Return an authored table as it stands; this format has no abbreviations outside of states."""
    return value
