"""Bodies of KahaDB: OpenWire objects and their parts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from stores import unpacked

from bodies import DATA, SHARED, Decoder, Fields
from journalspec_reference.answers import SALVAGE, ask
from journalspec_reference.filesets import find_journals, load
from journalspec_reference.kahadb_journal.contents import openwire

FAMILY = "openwire"
#: Kinds of messages by the type of their bodies.
_KINDS = {"value_stream": 27, "long_text": 28}
#: Fields of a message that make up its body, and names under which the decoded body is shown.
_OF_BODY = {"kind", "content", "properties", "url", "mime_type", "deleted_by_broker"}
_SHOWN = ("text", "content", "data", "class_name")
#: Record fields that contain a marshalled object.
_HOLD = ("message", "ack", "subscription_info", "job")


def stored() -> Iterator[tuple[str, str, str, bytes]]:
    """Yield objects that ActiveMQ's marshallers wrote in each version, and the objects in stores."""
    made = tomllib.loads((DATA / "openwire.toml").read_text(encoding="utf-8"))["object"]
    objects = [(str(each["version"]), bytes.fromhex(each["hex"])) for each in made]
    for store in sorted((SHARED / "kahadb_journal").glob("*")):
        root = unpacked(store, "**/*")
        for place in sorted({path.parent for path in root.rglob("db-*.log")}):
            (journal,) = find_journals(load(place), "kahadb_journal")
            for record in ask(journal, SALVAGE).observation.records:
                for data in (record.fields.get(name) for name in _HOLD):
                    if isinstance(data, bytes) and data:
                        objects.append((str(next(openwire.fitting(data), None)), data))
    for version, data in objects:
        yield FAMILY, "stored", version, data
        fields = openwire.read(data, int(version)).fields
        if fields.get("properties"):
            yield FAMILY, "value_map", version, fields["properties"]
        root_of = {25: "value_map", **{kind: root for root, kind in _KINDS.items()}}.get(fields["kind"])
        if root_of and fields["content"] and not fields["compressed"]:
            yield FAMILY, root_of, version, fields["content"]


def _object(data: bytes, version: str) -> tuple[Fields, str]:
    found = openwire.read(data, int(version))
    with suppress(ValueError, IndexError):
        openwire.to_time(int(version), data, 0, [])
    openwire.message_id_text(found.fields.get("message_id"))
    openwire.transaction_text(found.fields.get("transaction"))
    row: dict[str, Any] = {"content": None, "data": found.fields.get("content")}
    wrong = [found.wrong, *(text for _, text in found.odd)]
    if "compressed" in found.fields:
        wrong += [text for _, text in openwire.body(found.fields, row)]
    values, why, odd = openwire.properties(found.fields.get("properties"))
    body = [found.fields.get(name) for name in _OF_BODY - {"content", "properties"}]
    body += [row.get(name) for name in _SHOWN]
    rest = {name: value for name, value in found.fields.items() if name not in _OF_BODY}
    wrong += [why, *(text for _, text in odd)]
    return {**rest, "properties": values, "body": body}, "; ".join(filter(None, wrong))


def _map(data: bytes, _: str) -> tuple[Fields, str]:
    values, why, odd = openwire.properties(data)
    return values, "; ".join(filter(None, (why, *(text for _, text in odd))))


def _body(kind: int) -> Decoder:
    def read(data: bytes, _: str) -> tuple[Fields, str]:
        row: dict[str, Any] = {"content": None}
        problems = openwire.body({"kind": kind, "content": data, "compressed": False}, row)
        values = row["content"]
        return dict(enumerate(values)) if isinstance(values, list) else row, "; ".join(
            text for _, text in problems
        )

    return read


DECODERS: Mapping[tuple[str, str], Decoder] = {
    (FAMILY, "stored"): _object,
    (FAMILY, "value_map"): _map,
    **{(FAMILY, root): _body(kind) for root, kind in _KINDS.items()},
}
