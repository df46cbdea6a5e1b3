"""What a bindings journal holds: queues, addresses, settings, and the counter of ids.

The layouts are those of ``bindings.toml``. New versions append fields, so that bytes may be left, or missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from struct import Struct

from journalspec_reference.contents import Value
from journalspec_reference.jboss_journal.contents.core import (
    ERRORS,
    INT,
    LONG,
    SHORT,
    long_text,
    optional_long_text,
    optional_text,
    text_at,
)
from journalspec_reference.jboss_journal.recover import Body

GROUPING, QUEUE, QUEUE_STATUS, COUNTER, SETTING, SECURITY, DIVERT = 20, 21, 22, 24, 25, 26, 27
ADDRESS, ADDRESS_STATUS, USER, ROLE, KEY_VALUE, CONNECTOR, SETTING_JSON = 44, 46, 47, 48, 50, 51, 52
#: Who sends to a queue, by the number of its routing type.
ROUTING = {0: "multicast", 1: "anycast", 3: "pass"}
#: What a status of a queue or address means.
PAUSED = 0
ROLES = (
    "send", "consume", "create_durable", "delete_durable", "create_non_durable", "delete_non_durable", "manage",
    "browse", "create_address", "delete_address", "view", "edit",
)  # fmt: skip

Reader = Callable[[bytes, int], tuple[Value, int]]


def _number(form: Struct) -> Reader:
    def read(data: bytes, at: int) -> tuple[Value, int]:
        return form.unpack_from(data, at)[0], at + form.size

    return read


def _bool(data: bytes, at: int) -> tuple[Value, int]:
    return data[at] != 0, at + 1


_byte, _int, _long = _number(Struct(">b")), _number(INT), _number(LONG)
#: What follows name, address and filter of a queue, in the order in which versions have added it.
TAIL: tuple[tuple[str, Reader], ...] = (
    ("metadata", optional_text),
    ("auto_created", _bool),
    ("max_consumers", _int),
    ("purge_on_no_consumers", _bool),
    ("routing_type", _byte),
    ("exclusive", _bool),
    ("last_value", _bool),
    ("configuration_managed", _bool),
    ("consumers_before_dispatch", _int),
    ("delay_before_dispatch", _long),
    ("last_value_key", optional_text),
    ("non_destructive", _bool),
    ("group_rebalance", _bool),
    ("group_buckets", _int),
    ("auto_delete", _bool),
    ("auto_delete_delay", _long),
    ("auto_delete_message_count", _long),
    ("group_first_key", optional_text),
    ("ring_size", _long),
    ("enabled", _bool),
    ("group_rebalance_pause_dispatch", _bool),
    ("internal", _bool),
)


@dataclass(slots=True)
class Queue:
    """One queue. `options` are the fields that versions have added, as far as they are there."""

    id: int
    name: str
    address: str
    filter: str | None
    options: dict[str, Value]
    paused: bool = False

    @property
    def routing(self) -> str | None:
        """Whether each message goes to one queue of the address or to all; None: not stored."""
        kind = self.options.get("routing_type")
        return ROUTING.get(kind, str(kind)) if isinstance(kind, int) else None


@dataclass
class Bindings:
    """All that a bindings journal holds. `problems` are records that cannot be decoded, and why."""

    queues: dict[int, Queue] = field(default_factory=dict)
    addresses: dict[int, dict[str, Value]] = field(default_factory=dict)
    settings: list[dict[str, Value]] = field(default_factory=list)
    counter: int | None = None
    problems: list[tuple[Body, str]] = field(default_factory=list)
    #: A queue with a name that another one has, or a status of what is not there.
    remarks: list[tuple[str, str, Body]] = field(default_factory=list)


def bindings_of(live: Iterable[Body]) -> Bindings:
    """Return what live records of a bindings journal say."""
    found = Bindings()
    status: list[tuple[Body, bytes]] = []
    names: dict[str, int] = {}
    for item in live:
        data = item.data[item.start : item.end]
        try:
            if item.user_type == QUEUE:
                queue = queue_of(item.id, data)
                found.queues[item.id] = queue
                if names.setdefault(queue.name, item.id) != item.id:
                    found.remarks.append(("same-name", queue.name, item))
            elif item.user_type == ADDRESS:
                found.addresses[item.id] = address_of(item.id, data)
            elif item.user_type == COUNTER:
                (found.counter,) = LONG.unpack_from(data, 0)
            elif item.user_type in (QUEUE_STATUS, ADDRESS_STATUS):
                status.append((item, data))
            else:
                found.settings.append(setting_of(item, data))
        except ERRORS as error:
            found.problems.append((item, str(error)))
    for item, data in status:
        try:
            (ident,), (state,) = LONG.unpack_from(data, 0), SHORT.unpack_from(data, 8)
        except ERRORS as error:
            found.problems.append((item, str(error)))
            continue
        if item.user_type == QUEUE_STATUS and ident in found.queues:
            found.queues[ident].paused = state == PAUSED
        elif item.user_type == ADDRESS_STATUS and ident in found.addresses:
            found.addresses[ident]["paused"] = state == PAUSED
        else:
            found.remarks.append(("unknown-status", str(ident), item))
    return found


def queue_of(ident: int, data: bytes) -> Queue:
    """Return the queue of a record of type 21, which is its id; raises one of ERRORS."""
    name, at = text_at(data, 0)
    address, at = text_at(data, at)
    condition, at = optional_text(data, at)
    options: dict[str, Value] = {}
    for option, read in TAIL:
        if at >= len(data):
            break
        options[option], at = read(data, at)
    return Queue(ident, name, address, condition, options)


def address_of(ident: int, data: bytes) -> dict[str, Value]:
    """Return the address of a record of type 44; raises one of ERRORS."""
    name, at = text_at(data, 0)
    (count,) = INT.unpack_from(data, at)
    at += 4
    if not 0 <= count <= len(data) - at:
        raise ValueError(f"{count} routing types at {at - 4}")
    kinds: list[Value] = [ROUTING.get(kind, str(kind)) for kind in data[at : at + count]]
    at += count
    out: dict[str, Value] = {"address": name, "id": ident, "routing": kinds, "auto_created": data[at] != 0}
    return {**out, "internal": data[at + 1] != 0 if at + 1 < len(data) else None, "paused": False}


def setting_of(item: Body, data: bytes) -> dict[str, Value]:
    """Return a setting: its kind, what it is of, and its values; raises one of ERRORS."""
    read = _SETTINGS.get(item.user_type)
    kind, key, values = (f"record type {item.user_type}", "", {"bytes": data}) if read is None else read(data)
    return {"kind": kind, "name": key, "values": values, "id": item.id, "user_type": item.user_type}


Setting = tuple[str, str, dict[str, Value]]


def _security(data: bytes) -> Setting:
    match, at = text_at(data, 0)
    values: dict[str, Value] = {}
    for role in ROLES:
        if at >= len(data):
            break
        values[role], at = optional_text(data, at)
    return "security", match, values


def _grouping(data: bytes) -> Setting:
    group, at = text_at(data, 0)
    return "grouping", group, {"cluster": text_at(data, at)[0]}


def _binary(data: bytes) -> Setting:
    match, at = text_at(data, 0)
    return "address setting", match, {"bytes": data[at:]}


def _json(data: bytes) -> Setting:
    match, at = text_at(data, 0)
    return "address setting", match, {"json": text_at(data, at)[0]}


def _divert(data: bytes) -> Setting:
    values: dict[str, Value] = {}
    name, at = optional_long_text(data, 0)
    for part in ("address", "forwarding_address", "routing_name"):
        values[part], at = optional_long_text(data, at)
    values["exclusive"], at = _bool(data, at)
    values["filter"], at = optional_long_text(data, at)
    values["routing_type"] = ROUTING.get(data[at], str(data[at]))
    if at + 1 < len(data):
        values["transformer"], at = optional_long_text(data, at + 1)
        if values["transformer"] is not None:
            values["transformer_properties"] = dict(_pairs(data, at))
    return "divert", name or "", values


def _pairs(data: bytes, at: int) -> Iterator[tuple[str, Value]]:
    (count,) = INT.unpack_from(data, at)
    at += 4
    for _ in range(count):
        key, at = optional_long_text(data, at)
        value, at = optional_long_text(data, at)
        yield key or "", value


def _user(data: bytes) -> Setting:
    # The hash of the password is nobody's business.
    return "user", long_text(data, 0)[0], {}


def _role(data: bytes) -> Setting:
    user, at = long_text(data, 0)
    (count,) = INT.unpack_from(data, at)
    at += 4
    roles: list[Value] = []
    for _ in range(count):
        role, at = long_text(data, at)
        roles.append(role)
    return "roles", user, {"roles": roles}


def _key_value(data: bytes) -> Setting:
    name, at = long_text(data, 0)
    key, at = long_text(data, at)
    return "key-value", name, {"key": key, "value": long_text(data, at)[0]}


def _connector(data: bytes) -> Setting:
    name, at = long_text(data, 0)
    return "connector", name, {"url": long_text(data, at)[0]}


_SETTINGS: dict[int, Callable[[bytes], Setting]] = {
    GROUPING: _grouping,
    SETTING: _binary,
    SETTING_JSON: _json,
    SECURITY: _security,
    DIVERT: _divert,
    USER: _user,
    ROLE: _role,
    KEY_VALUE: _key_value,
    CONNECTOR: _connector,
}
