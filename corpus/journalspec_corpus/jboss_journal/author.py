"""The author room: sound journals from descriptions, with every range named.

A base has ``files``, each with ``id`` (the file id), ``records`` and, where
they are not the usual ones, ``name``, ``version``, ``user_version``, ``size``
(1024), ``fill``, ``align``, and ``before``: records of an earlier life, laid
first and shining through behind those of this one. A record is a table, or a
text ``LABEL KIND key=value ...``. COMMIT and PREPARE count what stands before
them unless they say otherwise. A file with ``control = true`` is a control file.
Labels: ``f1`` (by position), ``f1.header.file_id``, ``a``, ``a.size``,
``a.pair1.count`` ...
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from journalspec import mutf8
from journalspec_corpus.edits import Built, EditError, Range
from journalspec_corpus.jboss_journal.layout import (
    CHECK,
    ENDINGS,
    TX,
    VERSIONED,
    Part,
    control_id,
    header_parts,
    hex_bytes,
    integer,
    record_fields,
    record_parts,
    stamp_of,
)

#: The fields that a brief expectation lists.
BRIEF = ("type", "at")
CONTROL = "journal-rename-control.ctr"
SIZE = 1024
_TEXTS = ("body", "extra", "gap")


def name_of(number: int, edition: str) -> str:
    """Return the name of data file `number` as the products of the edition call it."""
    return f"activemq-data-{number}.amq" if edition in VERSIONED else f"jbm-data-{number}.jbm"


def fill_of(edition: str) -> str:
    """Return the usual fill: zeros for the newest files, 'J' for the older ones."""
    return "00" if edition in ("v2", "v2e") else "4a"


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
    header = _lay(built, name, label, header_parts(file, edition), data)
    built.labels[f"{label}.header"] = header
    if "before" in file:
        _lay_records(built, name, {**file, "records": file["before"]}, edition, version, data, _Counts())
        background, data = data, data[: header.length]
    else:
        background = bytearray()
    _lay_records(built, name, file, edition, version, data, counts)
    data += background[len(data) :]
    _finish(built, label, name, data, file, edition)


def _lay_records(
    built: Built,
    name: str,
    file: Mapping[str, Any],
    edition: str,
    version: int,
    data: bytearray,
    counts: _Counts,
) -> None:
    align, fill = file.get("align", 1), hex_bytes(file.get("fill", fill_of(edition)))
    _pad(data, align)
    for index, described in enumerate(file.get("records", ()), start=1):
        record = counts.take(parsed(described, f"{name}r{index}"), file["id"])
        data += hex_bytes(record.get("gap", ""))
        data += fill * (record.get("to", len(data)) - len(data))
        start = len(data)
        parts = record_parts(record, edition, stamp_of(file["id"], edition), version)
        at = _lay(built, name, record["label"], parts, data)
        if len(data) != start + at.length:
            raise EditError(f"{record['label']} is not where it should be")
        fields = record_fields(record, edition, file["id"], version)
        built.records[record["label"]] = {**fields, "at": at.to_json()}
        _pad(data, align)


def _pad(data: bytearray, align: int) -> None:
    data += bytes(-len(data) % align)


def _lay(built: Built, name: str, label: str, parts: list[Part], data: bytearray) -> Range:
    """Append `parts` to `data`, name each of them, and return the whole range."""
    start = len(data)
    for part in parts:
        built.labels[f"{label}.{part.name}"] = Range(name, len(data), len(part.data))
        data += part.data
    whole = Range(name, start, len(data) - start)
    built.labels[label] = whole
    return whole


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
    built.labels[f"{label}.header"] = _lay(
        built, CONTROL, label, header_parts({"id": own_id, **file}, edition), data
    )
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
    _finish(built, label, CONTROL, data, {"size": len(data), **file}, edition)


def _finish(
    built: Built, label: str, name: str, data: bytearray, file: Mapping[str, Any], edition: str
) -> None:
    """Fill up to the file's size and name the file."""
    size = file.get("size", SIZE)
    if size < len(data):
        raise EditError(f"{name}: the records take {len(data)} bytes, the file has {size}")
    data += hex_bytes(file.get("fill", fill_of(edition))) * (size - len(data))
    built.files[name] = data
    built.labels[label] = Range(name, 0, size)


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
