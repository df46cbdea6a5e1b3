"""The state that a message store must recover: messages of destinations, and transactions in doubt.

An operation is one payload that a writer has to append. Its meaning comes from the naive parser of commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec.kahadb_journal.commands import KINDS
from journalspec_corpus.kahadb_journal.protobuf import NoCommand, command

#: (kind, name) of a destination.
Name = tuple[str, str]


@dataclass(frozen=True)
class Place:
    """Represents one destination:

    (id, priority, message) in order of effect, and pending ids of each subscription.
    """

    messages: tuple[tuple[str, int, bytes], ...] = ()
    unacked: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Kept:
    """Represents the model's state: destinations, commands of open transactions, and of prepared ones."""

    places: Mapping[Name, Place]
    open: Mapping[tuple[Any, ...], tuple[Any, ...]]
    prepared: Mapping[tuple[Any, ...], tuple[Any, ...]]
    payloads: tuple[bytes, ...] = ()


def name_of(fields: Mapping[str, Any]) -> Name:
    """Return the destination of a command."""
    found = fields.get("destination", {})
    kind = found.get("kind", 0)
    return (KINDS[kind] if kind in range(len(KINDS)) else KINDS[0]), found.get("name", "")


def tx_of(fields: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Return the transaction of a command, or None if it has none."""
    if "transaction" not in fields:
        return None
    found = fields["transaction"]
    if "local" not in found and "xa" in found:
        xa = found["xa"]
        return ("XA", xa.get("format_id", 0), xa.get("gtrid", b""), xa.get("bqual", b""))
    local = found.get("local", {})
    return ("LOCAL", local.get("connection", ""), local.get("number", 0))


class Messages:
    """Messages of queues and topics, and transactions (KHD-RCV-001 to KHD-RCV-011, KHD-TXN)."""

    def begin(self, state: Mapping[str, Any]) -> Kept:
        """Return the messages of a state."""
        places = {}
        for entry in state.get("destinations", ()):
            rows = tuple(
                (each["id"], int(each["priority"]), _raw(each["message"])) for each in entry["messages"]
            )
            unacked = tuple((each["key"], tuple(each["pending"])) for each in entry["subscriptions"])
            places[entry["kind"], entry["name"]] = Place(rows, unacked)
        prepared = {}
        for entry in state.get("in_doubt", ()):
            tx = ("XA", int(entry["format_id"]), _raw(entry["gtrid"]), _raw(entry["bqual"]))
            prepared[tx] = tuple((each["type"], {"told": each}) for each in entry["commands"])
        return Kept(places, {}, prepared, tuple(map(_raw, state.get("payloads", ()))))

    def after(self, kept: Kept, op: Mapping[str, Any], edition: str) -> Kept:
        """Return the state after one operation: a payload, or a ``command`` that is already parsed."""
        if op["op"] == "command":
            return self.taken(kept, op["type"], op["fields"])
        if op["op"] != "append":
            return kept
        raw = bytes.fromhex(op["payload"])
        if edition == "seed":
            return replace(kept, payloads=(*kept.payloads, raw))
        try:
            number, fields, _ = command(raw, edition)
        except NoCommand:
            return kept
        return self.taken(kept, LAYOUT.type_name(edition, number), fields)

    def taken(self, kept: Kept, name: str, fields: Mapping[str, Any]) -> Kept:
        """Return the state after command `name`."""
        tx = tx_of(fields)
        if name in ("ADD_MESSAGE", "REMOVE_MESSAGE"):
            if tx is None:
                return _done(kept, name, fields)
            return replace(kept, open={**kept.open, tx: (*kept.open.get(tx, ()), (name, fields))})
        if name == "UPDATE_MESSAGE":
            return _done(kept, name, fields.get("add", {}))
        if name in ("PREPARE", "COMMIT", "ROLLBACK"):
            return _ended(kept, name, tx or ("LOCAL", "", 0))
        if name == "REMOVE_DESTINATION":
            return replace(
                kept, places={key: at for key, at in kept.places.items() if key != name_of(fields)}
            )
        if name == "SUBSCRIPTION":
            return _subscribed(kept, fields)
        return kept

    def shown(self, kept: Kept) -> dict[str, Any]:
        """Return the required report of recovery."""
        if kept.payloads:
            return {"payloads": list(kept.payloads)}
        doubtful = sorted((tx, commands) for tx, commands in kept.prepared.items() if tx[0] == "XA")
        return {
            "destinations": [
                {
                    "kind": kind,
                    "name": name,
                    "messages": [
                        {"id": ident, "priority": priority, "message": message}
                        for ident, priority, message in ordered(kept.places[kind, name])
                    ],
                    "subscriptions": [
                        {
                            "key": key,
                            "pending": [row[0] for row in ordered(kept.places[kind, name]) if row[0] in ids],
                        }
                        for key, ids in sorted(kept.places[kind, name].unacked)
                    ],
                }
                for kind, name in sorted(kept.places)
            ],
            "in_doubt": [
                {
                    "format_id": tx[1],
                    "gtrid": tx[2],
                    "bqual": tx[3],
                    "commands": [_told(name, fields) for name, fields in commands],
                }
                for tx, commands in doubtful
            ],
        }


def _raw(value: Any) -> bytes:
    return bytes.fromhex(value) if isinstance(value, str) else bytes(value)


def _told(name: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    if "told" in fields:
        told: Mapping[str, Any] = fields["told"]
        return told
    kind, destination = name_of(fields)
    return {"type": name, "kind": kind, "name": destination, "id": fields.get("message_id", "")}


def ordered(place: Place) -> list[tuple[str, int, bytes]]:
    """Return messages in delivery order: first priorities above the default, then the default, then below it
    (KHD-RCV-005).
    """
    return sorted(place.messages, key=lambda row: (row[1] < 4) - (row[1] > 4))  # The default priority.


def _ended(kept: Kept, name: str, tx: tuple[Any, ...]) -> Kept:
    if name == "PREPARE":
        if tx not in kept.open:
            return kept
        rest = {key: value for key, value in kept.open.items() if key != tx}
        return replace(kept, open=rest, prepared={**kept.prepared, tx: kept.open[tx]})
    if tx in kept.open:
        changes = kept.open[tx]
        kept = replace(kept, open={key: value for key, value in kept.open.items() if key != tx})
    elif tx in kept.prepared:
        changes = kept.prepared[tx]
        kept = replace(kept, prepared={key: value for key, value in kept.prepared.items() if key != tx})
    else:
        return kept
    for command_name, fields in changes if name == "COMMIT" else ():
        kept = _done(kept, command_name, fields)
    return kept


def _done(kept: Kept, name: str, fields: Mapping[str, Any]) -> Kept:
    """Return the state after a change to the messages of one destination."""
    key, ident = name_of(fields), fields.get("message_id", "")
    place = kept.places.get(key, Place())
    ids = [row[0] for row in place.messages]
    if name == "REMOVE_MESSAGE":
        place = _removed(place, ident, fields.get("subscription_key")) if ident in ids else place
        return replace(kept, places={**kept.places, key: place})
    priority = fields.get("priority", 4) if fields.get("priority_supported") else 4
    row = (ident, priority, bytes(fields.get("message", b"")))
    if ident in ids:
        if name == "UPDATE_MESSAGE":
            place = replace(
                place, messages=tuple(row if known[0] == ident else known for known in place.messages)
            )
    elif "TOPIC" not in key[0] or place.unacked:
        unacked = tuple((sub, (*pending, ident)) for sub, pending in place.unacked)
        place = Place((*place.messages, row), unacked)
    return replace(kept, places={**kept.places, key: place})


def _removed(place: Place, ident: str, subscription: str | None) -> Place:
    if subscription is None:
        unacked = tuple((sub, tuple(each for each in ids if each != ident)) for sub, ids in place.unacked)
        return Place(tuple(row for row in place.messages if row[0] != ident), unacked)
    if ident not in dict(place.unacked).get(subscription, ()):
        return place
    unacked = tuple(
        (sub, tuple(each for each in ids if sub != subscription or each != ident))
        for sub, ids in place.unacked
    )
    wanted = any(ident in ids for _, ids in unacked)
    rows = place.messages if wanted else tuple(row for row in place.messages if row[0] != ident)
    return Place(rows, unacked)


def _subscribed(kept: Kept, fields: Mapping[str, Any]) -> Kept:
    key, sub = name_of(fields), fields.get("subscription_key", "")
    place = kept.places.get(key, Place())
    unacked = dict(place.unacked)
    if "subscription_info" in fields:
        ids = tuple(row[0] for row in place.messages) if fields.get("retroactive") else ()
        unacked[sub] = tuple(dict.fromkeys((*unacked.get(sub, ()), *ids)))
        return replace(kept, places={**kept.places, key: replace(place, unacked=tuple(unacked.items()))})
    ended = unacked.pop(sub, ())
    if not unacked:
        return replace(kept, places={other: at for other, at in kept.places.items() if other != key})
    wanted = {ident for ids in unacked.values() for ident in ids}
    rows = tuple(row for row in place.messages if row[0] not in ended or row[0] in wanted)
    return replace(kept, places={**kept.places, key: Place(rows, tuple(unacked.items()))})
