"""AMQP messages as Artemis 2 stores them: the encoded message, and the broker's data around it.

An encoded message consists of sections (part 3 of the specification of AMQP 1.0). A persister of the broker
writes the data around it: ``AMQPMessagePersister`` (number 2), its ``V2`` (3) and ``V3`` (5), or
``AMQPLargeMessagePersister`` (4). The last one stores the encoded message in a separate file. Columns contain
the values that the broker's browser shows, except for bodies. The browser shows only the first of several
body sections, and treats a value that is not a text, list or map as bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from journalspec_reference.contents import Value
from journalspec_reference.java_objects import class_name
from journalspec_reference.jboss_journal.contents import core
from journalspec_reference.jboss_journal.contents.amqp_types import NO_LIST, NULL, Damage, Encoded

HEADER, DELIVERY, ANNOTATIONS, PROPERTIES, APPLICATION, DATA, SEQUENCE, VALUE, FOOTER = range(0x70, 0x79)
#: The symbolic names of the sections above, in the same order.
_NAMES = (
    *("amqp:header:list", "amqp:delivery-annotations:map", "amqp:message-annotations:map"),
    *("amqp:properties:list", "amqp:application-properties:map", "amqp:data:binary"),
    *("amqp:amqp-sequence:list", "amqp:amqp-value:*", "amqp:footer:map"),
)
#: The first bytes of a section. A small ulong or a ulong describes the section.
_OPENING = re.compile(rb"\0(?:\x53|\x80\0{7})([\x70-\x78])", re.DOTALL)
#: Sections that are maps, with the prefix of their keys.
_MAPS = {
    DELIVERY: "deliveryAnnotations.",
    ANNOTATIONS: "messageAnnotations.",
    APPLICATION: "",
    FOOTER: "footer.",
}
#: Sections that are lists, with the names of their fields.
_LISTS = {
    HEADER: ("durable", "priority", "ttl", "first-acquirer", "delivery-count"),
    PROPERTIES: (
        *("message-id", "user-id", "to", "subject", "reply-to", "correlation-id", "content-type"),
        *("content-encoding", "absolute-expiry-time", "creation-time", "group-id", "group-sequence"),
        "reply-to-group-id",
    ),
}
#: Fields without a column, with the property names under which they are stored.
_BESIDE = {
    "ttl": "header.ttl",
    "first-acquirer": "header.firstAcquirer",
    "to": "properties.to",
    "content-type": "properties.contentType",
    "content-encoding": "properties.contentEncoding",
    "reply-to-group-id": "properties.replyToGroupId",
}
#: The property in which the broker stores the address that it assigned to a message.
_ADDRESS = "_AMQ_AD"
#: The annotation in which a JMS client stores the number of the message's kind.
_JMS_KIND = "messageAnnotations.x-opt-jms-msg-type"
_JMS_KINDS: Mapping[int | None, str] = {0: "plain", 1: "object", 2: "map", 3: "bytes", 4: "stream", 5: "text"}
#: Maps the type code of a body that is a single value to its kind. Values of other types have no kind.
_KINDS = {
    **dict.fromkeys((0xA0, 0xB0), "bytes"),
    **dict.fromkeys((0xA1, 0xB1), "text"),
    **dict.fromkeys((NO_LIST, 0xC0, 0xD0), "stream"),
    **dict.fromkeys((0xC1, 0xD1), "map"),
}
_DUE = "messageAnnotations.x-opt-delivery-time"
_BEYOND = 1 << 63
_SERIALISED = "application/x-java-serialized-object"
_TEXTUAL = re.compile(
    r"\s*(?:text/[^;\s]+|application/(?:xml|xml-dtd|json|javascript|[^;\s]*\+(?:xml|json)))\s*"
    r"(?:;\s*charset\s*=\s*\"?utf-8\"?\s*)?",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Message:
    """Represents the content of the sections of one message: fields, values without a column, properties, and
    the body.

    `body` is the section of the body, `code` the type of the body's value. `lost` means that the sections end
    too early.
    """

    fields: dict[str, Value] = field(default_factory=dict)
    beside: dict[str, Value] = field(default_factory=dict)
    properties: dict[str, Value] = field(default_factory=dict)
    body: int = 0
    code: int = 0
    lost: bool = True
    values: list[Value] = field(default_factory=list)

    def take(self, section: int, found: list[Value]) -> None:
        """Store the values of one section."""
        if section in _LISTS:
            self.fields.update(zip(_LISTS[section], found, strict=False))
        elif section in _MAPS:
            into = self.properties if section == APPLICATION else self.beside
            for key, value in zip(found[::2], found[1::2], strict=False):
                into[f"{_MAPS[section]}{as_text(key)}"] = value
        else:
            self.body = section
            self.values += found


def message(body: bytes, large: bytes | None = None) -> tuple[dict[str, Value], list[str]]:
    """Return the columns of a stored message, and the reasons for missing values in them.

    `body` is the content of a message record (45) or a paged message, from the number of its persister on.
    `large` is the content of a large message's file. Without it, the kind and the body of that message are
    unknown. If no body can be found in the bytes, all the bytes become its `data`.
    """
    encoded, found = Encoded(body), _Message()
    around: dict[str, Value] = {}
    if large is not None:
        _sections(Encoded(large, encoded.reasons), 0, len(large), found)
    try:
        _stored(encoded, found, _Message() if large is not None else found, around)
    except Damage as damage:
        encoded.odd(str(damage))
    row = _row(found) | around
    if found.lost:
        row |= {"kind": "unknown", "data": (body if large is None else large) if encoded.reasons else None}
    return row, encoded.reasons


def _stored(encoded: Encoded, found: _Message, repeated: _Message, around: dict[str, Value]) -> None:
    """Decode the message, and put into `around` the columns that the broker stores next to it.

    Raises Damage.
    """
    end = len(encoded.data)
    persister = encoded.size(0, end, 1)
    if persister not in core.OF_AMQP:
        raise Damage(0, f"no AMQP message has persister {persister}")
    at = 9
    if persister == core.AMQP_LARGE:
        around["durable"] = encoded.size(at, end, 1) != 0
        at += 1
    message_format, given = encoded.size(at, end, 8), encoded.size(at + 8, end, 1)
    at += 9
    if message_format:
        found.beside["messageFormat"] = message_format
    if given:
        size = encoded.size(at, end, 4)
        around["address"] = encoded.raw(at + 4, end, size).decode("utf-16-le", "replace")
        at += 4 + size
    if persister != core.AMQP_LARGE:
        size, at = encoded.size(at, end, 4), at + 4
        _sections(encoded, at, min(at + size, end), found)
        at += size
    if persister != core.AMQP:
        size, at = encoded.size(at, end, 4), at + 4
        _extra(encoded, at, encoded.raw(at, end, size), found, around)
        at += size
    if persister == core.AMQP_LARGE:
        at = _repeated(encoded, at, repeated)
    # Older versions omit the address for a large message.
    if persister == core.AMQP_EXPIRING or (persister == core.AMQP_LARGE and at < end):
        around["expiration"] = encoded.size(at, end, 8) or None


def _extra(encoded: Encoded, at: int, data: bytes, found: _Message, around: dict[str, Value]) -> None:
    """Store the properties that the broker added; one of them is the address."""
    extra: dict[str, Value] = {}
    if data:
        try:
            core.properties_at(data, 0, extra)
        except core.ERRORS as error:
            encoded.odd(f"properties of the broker at {at}: {error}")
    found.beside.update((f"extraProperties.{name}", value) for name, value in extra.items())
    if isinstance(extra.get(_ADDRESS), str):
        around.setdefault("address", extra[_ADDRESS])


def _repeated(encoded: Encoded, at: int, into: _Message) -> int:
    """Decode the sections that the record of a large message repeats. Return the offset after them."""
    end = len(encoded.data)
    for numbers in (2, 3, 1, 2):
        at += 4 * numbers
        if encoded.size(at, end, 1) == NULL:
            at += 1
        else:
            section, at = _opening(encoded, at, end)
            at = _section(encoded, section, at, end, into)
    return at


def _sections(encoded: Encoded, at: int, end: int, into: _Message) -> None:
    """Decode the sections from `at` to `end`.

    After a damaged section, continue at the next bytes that look like a section.
    """
    last = 0
    while at < end:
        try:
            section, at = _opening(encoded, at, end)
            # `last` is raised before the section is decoded. Therefore damage is skipped at most once for
            # each kind of section.
            last = max(last, section)
            at = _section(encoded, section, at, end, into)
        except Damage as damage:
            encoded.odd(str(damage))
            later = (each for each in _OPENING.finditer(encoded.data, at + 1, end) if each[1][0] > last)
            opening = next(later, None)
            if opening is None:
                return
            at = opening.start()
    into.lost = False


def _opening(encoded: Encoded, at: int, end: int) -> tuple[int, int]:
    """Return the code of the section at `at`, and the offset of its value. Raises Damage."""
    if encoded.size(at, end, 1):
        raise Damage(at, "no section")
    descriptor, after = encoded.value(at + 1, end)
    section = HEADER + _NAMES.index(descriptor) if descriptor in _NAMES else descriptor
    if not isinstance(section, int) or not HEADER <= section <= FOOTER:
        raise Damage(at, "no section")
    return section, after


def _section(encoded: Encoded, section: int, at: int, end: int, into: _Message) -> int:
    """Decode and store the section whose value is at `at`. Return the offset after it. Raises Damage."""
    if section not in _LISTS and section not in _MAPS:
        into.code = encoded.size(at, end, 1)
        value, at = encoded.value(at, end)
        into.take(section, value if section == SEQUENCE and isinstance(value, list) else [value])
        return at
    code = encoded.size(at, end, 1)
    if code in (NO_LIST, NULL):
        return at + 1
    if code not in ((0xC0, 0xD0) if section in _LISTS else (0xC1, 0xD1)):
        raise Damage(at, f"section {section:#x} has type {code:#04x}")
    width = 1 if code < 0xD0 else 4
    size, at = encoded.size(at + 1, end, width), at + 1 + width
    stop = min(at + size, end)
    found: list[Value] = []
    try:
        encoded.items(at + width, stop, encoded.size(at, stop, width), 1, found)
    except Damage as damage:
        encoded.odd(str(damage))
    into.take(section, found)
    if stop < at + size:
        raise Damage(at, f"section {section:#x} ends after {end}")
    return stop


def _row(message: _Message) -> dict[str, Value]:
    get = message.fields.get
    named = {_BESIDE[name]: value for name, value in message.fields.items() if name in _BESIDE}
    beside = {name: value for name, value in named.items() if value is not None}
    priority = whole(get("priority"))
    return {
        "message_id": as_text(get("message-id")),
        "address": as_text(get("to")),
        "protocol": "amqp",
        "timestamp": whole(get("creation-time")),
        "expiration": whole(get("absolute-expiry-time")) or None,
        # The broker has only ten priorities.
        "priority": 4 if priority is None else min(priority, 9),
        "durable": get("durable") is True,
        "scheduled": whole(message.beside.get(_DUE)),
        "correlation_id": as_text(get("correlation-id")),
        "reply_to": as_text(get("reply-to")),
        "group_id": as_text(get("group-id")),
        "group_sequence": whole(get("group-sequence")),
        "type": as_text(get("subject")),
        "user_id": as_text(get("user-id"), readable=True),
        "properties": {**message.beside, **beside, **message.properties},
        **_body(message),
    }


def as_text(value: Value, *, readable: bool = False) -> str | None:
    """Return a key or an id as text. Bytes become hex (with `readable`, valid UTF-8 becomes text)."""
    if not isinstance(value, bytes):
        return None if value is None else str(value)
    if readable:
        with suppress(UnicodeDecodeError):
            return value.decode("utf-8")
    return value.hex()


def whole(value: Value) -> int | None:
    """Return a number that fits into a column (64 bits). Return None for the value of a damaged message."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -_BEYOND <= value < _BEYOND else None


def _body(message: _Message) -> dict[str, Value]:
    """Return kind, text, content, data and class of the body, as the broker and JMS clients interpret it."""
    values, content_type = message.values, str(message.fields.get("content-type"))
    row: dict[str, Value] = {"kind": "plain", "text": None, "content": None, "data": None, "class_name": None}
    if not message.body or values == [None]:
        given = whole(message.beside.get(_JMS_KIND))
        return row | {"kind": _JMS_KINDS.get(given, "text" if message.body else "plain")}
    if message.body == SEQUENCE:
        return row | {"kind": "stream", "content": values}
    kind = "bytes" if message.body == DATA else _KINDS.get(message.code, "plain")
    if kind == "bytes":
        data = b"".join(each for each in values if isinstance(each, bytes))
        return row | _data(data, content_type, message.body)
    return row | {"kind": kind, "text" if kind == "text" else "content": values[-1]}


def _data(data: bytes, content_type: str, section: int) -> dict[str, Value]:
    """Return the columns of a body of bytes."""
    if content_type == _SERIALISED:
        return {"kind": "object", "data": data, "class_name": class_name(data)}
    if section == DATA and _TEXTUAL.fullmatch(content_type):
        with suppress(UnicodeDecodeError):
            return {"kind": "text", "text": data.decode("utf-8")}
    return {"kind": "bytes", "data": data}
