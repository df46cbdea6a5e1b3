"""The author module: it builds valid journals from descriptions, and names every range in them.

A base has ``files``, each with ``id`` (the file id) and ``records``. Optional keys are ``name``, ``version``,
``user_version``, ``size`` (1024), ``fill`` and ``align``, which have defaults. ``before`` contains records of
an earlier generation, laid first: bytes that later records do not cover remain. A record is a table, or a
text ``LABEL KIND key=value ...``. COMMIT and PREPARE count the records before them unless their counts are
given. A file with ``control = true`` is a control file. Labels: ``f1`` (by position), ``f1.header.file_id``,
``a``, ``a.size``, ``a.pair1.count`` ...

The order of the fields is that of the specification's table. Any field can be given a wrong value. The last
four bytes are computed from the described record, and therefore valid, unless they are also given.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT
from journalspec.jboss_journal.plain import CONTROL, control_id, laid_out_as, stamp_of, versioned
from journalspec.layout import Part, integer
from journalspec_corpus.author import hex_bytes, labelled, lay_file, reported, stored, words
from journalspec_corpus.edits import Built

#: The fields that a brief expectation lists.
BRIEF = ("type", "at")
SIZE = 1024
TX = ("ADD_TX", "UPDATE_TX", "DELETE_TX")
CHECK = 4
_TEXTS = ("body", "extra", "gap")
#: Maps a field of the table to authors' word for it in a record, or in a label.
_WORDS = {
    "compact_count": "compact",
    "body_size": "size",
    "check_size": "check",
    "hash": "check",
    "file_id": "stamp",
}
_LABELS = {"body_size": "size"}
#: The default fields of a record.
_USUAL = {"tx": 9, "user_type": 1}
#: The number of records of each transaction in each file, so far.
Counts = dict[int, Counter[int]]


def header_parts(file: Mapping[str, Any], edition: str) -> list[Part]:
    """Return the fields of a file's header: ``id``, and with a version ``version`` and ``user_version``."""
    given = {"file_id": "id", "format_version": "version", "user_version": "user_version"}
    names = LAYOUT.structure("header", edition).names
    values = {name: file[word] for name, word in given.items() if name in names and word in file}
    return labelled(LAYOUT.encode("header", edition, values), {}, "header.")


def layout_kind(kind: str, edition: str) -> str:
    """Return the record type with the fields of `kind`: in an edition without EVENT, it looks like ADD."""
    return kind if kind in LAYOUT.types(edition) else "ADD"


def record_values(record: Mapping[str, Any], edition: str) -> dict[str, Any]:
    """Return the fields of a record under the names in the table of `edition`.

    ``stamp`` is the file id of the record.
    """
    kind = record["kind"]
    # The number of EVENT comes from the newest edition, even in editions without EVENT.
    values: dict[str, Any] = {"type": LAYOUT.types(edition).get(kind, LAYOUT.types("v2e")[kind])}
    for name in LAYOUT.structure("record", edition, layout_kind(kind, edition)).names:
        word = _WORDS.get(name, name)
        if name == "body":
            values[name] = body_of(record)
        elif name == "extra":
            values[name] = hex_bytes(record.get("extra", ""))
        elif name == "pairs":
            values[name] = [{"file_id": listed, "count": count} for listed, count in record["pairs"]]
        elif word in record or name in _USUAL:
            values[name] = record.get(word, _USUAL.get(name))
    return values


def record_bytes(record: Mapping[str, Any], edition: str) -> bytes:
    """Return the bytes of a record that is described by a table."""
    return LAYOUT.build(
        "record", edition, layout_kind(record["kind"], edition), **record_values(record, edition)
    )


def body_of(record: Mapping[str, Any]) -> bytes:
    """Return the body: from ``body`` in hex, or from a letter for the record id."""
    if "body" in record:
        return hex_bytes(record["body"])
    return b"" if record["kind"] == "DELETE_TX" else bytes([0x60 + record["id"] % 26])


def name_of(number: int, edition: str) -> str:
    """Return the name of data file `number` as the products of the edition call it."""
    return f"activemq-data-{number}.amq" if versioned(edition) else f"jbm-data-{number}.jbm"


def parsed(record: Any) -> dict[str, Any]:
    """Return a record's table; a text is LABEL KIND key=value ..., with pairs as 1:2,2:1."""
    if not isinstance(record, str):
        return dict(record)
    label, (kind,), given = words(record)
    out: dict[str, Any] = {"label": label, "kind": kind}
    for key, value in given.items():
        if key == "pairs":
            out[key] = [tuple(int(n) for n in pair.split(":")) for pair in value.split(",") if pair]
        else:
            out[key] = value if key in _TEXTS else int(value, 0)
    return out


def _counted(record: dict[str, Any], file_id: int, counts: Counts) -> dict[str, Any]:
    """Return the record with its counts; PREPARE and COMMIT are given the right counts."""
    seen = counts.setdefault(record.get("tx", _USUAL["tx"]), Counter())
    if record["kind"] in TX:
        seen[file_id] += 1
    right = {"pairs": sorted(seen.items()), "count": seen[file_id]}
    if record["kind"] in ("COMMIT", "ROLLBACK"):
        seen.clear()
    return {**right, **record} if record["kind"] in ("PREPARE", "COMMIT") else record


def build(base: Mapping[str, Any], edition: str) -> Built:
    """Return the journal that `base` describes, in the form of `edition`."""
    built = Built({})
    counts: Counts = {}
    for number, described in enumerate(base.get("files", ()), start=1):
        if described.get("control"):
            _build_file(built, f"f{number}", CONTROL, _control(described, edition), (edition, edition), {})
            continue
        file = {"id": number, "size": SIZE, **base.get("each", {}), **described}
        name = file.get("name") or name_of(file.get("number", file["id"]), edition)
        laid = laid_out_as(edition, file.get("version", 0))
        _build_file(built, f"f{number}", name, file, (edition, laid), counts)
    return built


# `editions`: the edition of the journal, and the edition of the layout of the file's records.
def _build_file(
    built: Built, label: str, name: str, file: Mapping[str, Any], editions: tuple[str, str], counts: Counts
) -> None:
    edition, laid = editions
    # Counts of the previous generation are ignored.
    lives = {
        key: [_counted(parsed(record), file["id"], own) for record in file.get(key, ())]
        for key, own in (("before", {}), ("records", counts))
    }
    stamp = stamp_of(edition, file["id"])

    def make(record: Mapping[str, Any]) -> tuple[list[Part], Mapping[str, Any]]:
        kind = layout_kind(record["kind"], laid)
        values = record_values({"stamp": stamp, **record}, laid)
        parts = LAYOUT.encode("record", laid, values, kind)
        told = {**stored(LAYOUT, laid, parts, values, kind), "file_id": record.get("stamp", file["id"])}
        return labelled(parts, _LABELS), reported(LAYOUT, edition, record["kind"], told)

    # The usual fill is zeros in the newest files, and 'J' in the older files.
    fill = hex_bytes(file.get("fill", "00" if edition in ("v2", "v2e") else "4a"))
    header = header_parts(file, edition)
    lay_file(built, label, name, {**file, **lives}, header=header, make=make, fill=fill)


def _control(file: Mapping[str, Any], edition: str) -> dict[str, Any]:
    """Describe a control file like any other file, with its lists in the body of one record."""
    own = {"label": "ctr", "kind": "ADD", "id": 1, "user_type": 0, "body": control_body(file).hex()}
    own |= {key: file[key] for key in ("body", "gap") if key in file}
    records = [*file.get("first", ()), own, *file.get("then", ())]
    return {"id": control_id(edition), **file, "records": records}


def control_body(file: Mapping[str, Any]) -> bytes:
    """Return the three lists of a control file; ``olds``, ``news`` and ``moves`` give wrong counts."""
    counts = {"num_old": "olds", "num_new": "news", "num_renames": "moves"}
    values: dict[str, Any] = {name: file[word] for name, word in counts.items() if word in file}
    for which in ("old", "new"):
        values[f"{which}_names"] = [{"name": mutf8.encode(name)} for name in file.get(which, ())]
    values["renames"] = [
        {"source.name": mutf8.encode(source), "target.name": mutf8.encode(target)}
        for source, target in file.get("renames", ())
    ]
    return LAYOUT.build("control", "v2", **values, slack=hex_bytes(file.get("slack", "")))


def seal(built: Built, label: str) -> None:
    """Recompute the last four bytes of record `label` from its present bytes."""
    spot = built.range(label)
    data = built.files[spot.file]
    if f"{label}.hash" in built.labels:
        built.put(built.range(f"{label}.hash"), integer(zlib.crc32(data[spot.off : spot.end - CHECK]), CHECK))
    else:
        built.put(built.range(f"{label}.check_size"), integer(spot.length, CHECK))
