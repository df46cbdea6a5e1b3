"""The content of a bindings journal: queues, addresses, settings, and the counter of ids.

There are few such records. Therefore they are decoded with the tables of ``bindings.toml``, which is slower.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from journalspec.families import ContentsError, decode, families
from journalspec_reference.contents import Value
from journalspec_reference.jboss_journal.bodies import Body

FORMAT, FAMILY = "jboss_journal", "bindings"
QUEUE, QUEUE_STATUS, COUNTER, ADDRESS, ADDRESS_STATUS = 21, 22, 24, 44, 46
#: Maps a user type to the name of a setting, its type in the table, and the fields that identify its object.
SETTINGS = {
    20: ("grouping", "grouping", "group"),
    25: ("address setting", "setting", "addresses"),
    26: ("security", "security", "addresses"),
    27: ("divert", "divert", "name"),
    47: ("user", "user", "name"),
    48: ("roles", "role", "user"),
    50: ("key-value", "key_value", "map"),
    51: ("connector", "connector", "name"),
    52: ("address setting", "setting_json", "addresses"),
}
#: Maps the number of a routing type to its name.
ROUTING = {0: "multicast", 1: "anycast"}
PAUSED = 0
#: Fields that are not shown: secrets, and bytes whose meaning is unknown.
HIDDEN = ("more", "password")


@dataclass(slots=True)
class Queue:
    """Represents one queue. `options` contains the fields of the record that only later versions write."""

    id: int
    name: str
    address: str
    filter: str | None
    options: dict[str, Value]
    paused: bool = False

    @property
    def routing(self) -> str | None:
        """Whether each message goes to one queue of the address (anycast) or to all.

        None means that this is not stored.
        """
        kind = self.options.get("routing_type")
        return ROUTING.get(kind, str(kind)) if isinstance(kind, int) else None


@dataclass
class Bindings:
    """Represents the complete content of a bindings journal.

    Each of `remarks` is a code, key, record and reason.
    """

    queues: dict[int, Queue] = field(default_factory=dict)
    addresses: dict[int, dict[str, Value]] = field(default_factory=dict)
    settings: list[dict[str, Value]] = field(default_factory=list)
    #: New ids continue after this value. It is in the last record of the counter of ids.
    counter: int | None = None
    remarks: list[tuple[str, str, Body, str]] = field(default_factory=list)


def bindings_of(live: Iterable[Body]) -> Bindings:
    """Return the content of the live records of a bindings journal."""
    found, names, late = Bindings(), dict[str, int](), list[Body]()
    for item in live:
        if item.user_type in (QUEUE_STATUS, ADDRESS_STATUS):
            # A status record can precede the record of its queue.
            data = item.stored
            late.append(item._replace(data=data, start=0, end=len(data)))
            continue
        _try(found, item)
        queue = found.queues.get(item.id) if item.user_type == QUEUE else None
        if queue is not None and names.setdefault(queue.name, item.id) != item.id:
            found.remarks.append(("same-name", queue.name, item, f"queues {names[queue.name]} and {item.id}"))
    for item in late:
        _try(found, item)
    return found


def _try(found: Bindings, item: Body) -> None:
    try:
        _take(found, item)
    except ContentsError as error:
        found.remarks.append(("undecodable", str(item.id), item, str(error)))


def _take(found: Bindings, item: Body) -> None:
    """Add a record. Raises ContentsError."""
    kind, ident = item.user_type, item.id
    if kind == QUEUE:
        row = _row("queue", item)
        name, address, condition = row.pop("name"), row.pop("address"), row.pop("filter")
        found.queues[ident] = Queue(ident, name, address, condition, row)
    elif kind == ADDRESS:
        row = _row("address", item)
        found.addresses[ident] = {
            "address": row["name"],
            "id": ident,
            "routing": [
                ROUTING.get(each["kind"], str(each["kind"])) for each in row.get("routing_types", ())
            ],
            "auto_created": row["auto_created"],
            "internal": row.get("internal"),
            "paused": False,
        }
    elif kind == COUNTER:
        found.counter = _row("id_counter", item)["ident"]
    elif kind in (QUEUE_STATUS, ADDRESS_STATUS):
        row = _row("status", item)
        if kind == QUEUE_STATUS and row["of"] in found.queues:
            found.queues[row["of"]].paused = row["status"] == PAUSED
        elif kind == ADDRESS_STATUS and row["of"] in found.addresses:
            found.addresses[row["of"]]["paused"] = row["status"] == PAUSED
        else:
            found.remarks.append(("unknown-status", str(row["of"]), item, ""))
    else:
        found.settings.append(_setting(item))


def _setting(item: Body) -> dict[str, Value]:
    called, shape, key = SETTINGS.get(item.user_type, (f"record type {item.user_type}", "", ""))
    row = _row(shape, item) if shape else {"bytes": item.stored}
    name = row.pop(key, None) or ""
    return {"kind": called, "name": name, "values": row, "id": item.id, "user_type": item.user_type}


def _row(shape: str, item: Body) -> dict[str, Any]:
    """Return the fields of a record, with texts as str. Raises ContentsError."""
    found = decode(families(FORMAT)[FAMILY], shape, item.stored)
    return {name: _plain(value) for name, value in found.items() if name not in HIDDEN}


def _plain(value: Any) -> Any:
    """Return a value in which each structure with a single text is replaced by that text, or by None."""
    if isinstance(value, Mapping):
        if "present" in value:
            return _plain(value["string"]) if "string" in value else None
        for name in ("value", "units", "utf", "wide"):
            if name in value and ("size" in value or "length" in value):
                return _plain(value[name])
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value
