"""AMQP messages as Artemis 2 stores them: the encoded message, and what the broker puts around it.

The encoded message is that of the AMQP 1.0 specification (part 1, types; part 3, sections). What precedes
and follows it is by Artemis' ``AMQPMessagePersister`` (2), its ``V2`` (3) and ``V3`` (5), and
``AMQPLargeMessagePersister`` (4), whose encoded message is in a file of its own.

No function here raises for what bytes hold. What cannot be decoded is left out, with a reason; the type codes
say how many bytes a value has, so the values after a damaged one are mostly still found.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from uuid import UUID

from journalspec_reference.contents import Value
from journalspec_reference.jboss_journal.contents.core import (
    AMQP,
    AMQP_EXPIRING,
    AMQP_EXTRA,
    AMQP_LARGE,
    ERRORS,
    class_name,
    properties_at,
)

#: The first byte of a stored message: which persister wrote it.
PERSISTERS: Final = frozenset({AMQP, AMQP_EXTRA, AMQP_LARGE, AMQP_EXPIRING})
#: Values nest no deeper than this.
MOST_DEEP = 64
#: So many reasons are given for one message.
MOST_REASONS = 10
#: An array may repeat a value that has no bytes: a message has as many of these as bytes, and this many more.
SPARE = 1000

_HEADER, _DELIVERY, _ANNOTATIONS, _PROPERTIES, _APPLICATION, _DATA, _SEQUENCE, _VALUE, _FOOTER = range(
    0x70, 0x79
)
_NAMES = {
    "amqp:header:list": _HEADER,
    "amqp:delivery-annotations:map": _DELIVERY,
    "amqp:message-annotations:map": _ANNOTATIONS,
    "amqp:properties:list": _PROPERTIES,
    "amqp:application-properties:map": _APPLICATION,
    "amqp:data:binary": _DATA,
    "amqp:amqp-sequence:list": _SEQUENCE,
    "amqp:amqp-value:*": _VALUE,
    "amqp:footer:map": _FOOTER,
}
#: How a section begins: a small ulong or a ulong describes it.
_OPENING = re.compile(rb"\0(?:\x53|\x80\0{7})([\x70-\x78])", re.DOTALL)
_MAPS = {
    _DELIVERY: "deliveryAnnotations.",
    _ANNOTATIONS: "messageAnnotations.",
    _APPLICATION: "",
    _FOOTER: "footer.",
}
_LISTS = {
    _HEADER: ("durable", "priority", "ttl", "first-acquirer", "delivery-count"),
    _PROPERTIES: (
        *("message-id", "user-id", "to", "subject", "reply-to", "correlation-id", "content-type"),
        *("content-encoding", "absolute-expiry-time", "creation-time"),
        *("group-id", "group-sequence", "reply-to-group-id"),
    ),
}
#: What of header and properties has no column: as the broker's own browser names it, in the properties.
_BESIDE = {
    "ttl": "header.ttl",
    "first-acquirer": "header.firstAcquirer",
    "to": "properties.to",
    "content-type": "properties.contentType",
    "content-encoding": "properties.contentEncoding",
    "reply-to-group-id": "properties.replyToGroupId",
}
#: The annotation in which a JMS client gives the kind of its message.
_JMS_KIND = "messageAnnotations.x-opt-jms-msg-type"
_JMS_KINDS = ("plain", "object", "map", "bytes", "stream", "text")
_SERIALISED = "application/x-java-serialized-object"
_TEXTUAL = re.compile(
    r"\s*(?:text/[^;\s]+|application/(?:xml|xml-dtd|json|javascript|(?:[^;\s]*\+)(?:xml|json)))\s*"
    r"(?:;\s*charset\s*=\s*\"?utf-8\"?\s*)?",
    re.IGNORECASE,
)

_Reader: TypeAlias = Callable[[bytes], Value]


class _Damage(Exception):
    """What stands at an offset is not what the type code before it says."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(f"{why} at {at}")


def _number(code: str) -> _Reader:
    layout = struct.Struct(">" + code)

    def read(raw: bytes) -> Value:
        (number,) = layout.unpack(raw)
        return number  # type: ignore[no-any-return]

    return read


def _character(raw: bytes) -> Value:
    return raw.decode("utf-32-be")


#: Values of a fixed length by type code. Decimals stay the bytes that they are.
_FIXED: Final[Mapping[int, _Reader]] = {
    **dict.fromkeys((0x50, 0x52, 0x53), _number("B")),
    **dict.fromkeys((0x51, 0x54, 0x55), _number("b")),
    **{0x56: lambda raw: raw != b"\0", 0x60: _number("H"), 0x61: _number("h"), 0x70: _number("I")},
    **{0x71: _number("i"), 0x72: _number("f"), 0x73: _character, 0x74: bytes},
    **{0x80: _number("Q"), 0x82: _number("d"), 0x84: bytes, 0x94: bytes},
    **dict.fromkeys((0x81, 0x83), _number("q")),
    0x98: lambda raw: str(UUID(bytes=raw)),
}
_EMPTY: Final[Mapping[int, Value]] = {0x40: None, 0x41: True, 0x42: False, 0x43: 0, 0x44: 0}
_NO_LIST, _NO_VALUE = 0x45, 0x40
_LONG = 8
#: The property in which the broker keeps the address that it has given a message.
_ADDRESS = "_AMQ_AD"
#: Bytes of a value of a fixed length, by the upper half of its code.
_LENGTHS = {4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16}
_BINARY, _STRING, _SYMBOL = 0, 1, 3
_LIST, _MAP = 0, 1


@dataclass(slots=True)
class _Encoded:
    """Bytes of AMQP values, and what was wrong with them so far."""

    data: bytes
    reasons: list[str] = field(default_factory=list)
    spare: int = 0

    def __post_init__(self) -> None:
        """Allow as many values without bytes as there are bytes."""
        self.spare = len(self.data) + SPARE

    def odd(self, why: str) -> None:
        """Note a reason, if there are not too many yet."""
        if len(self.reasons) < MOST_REASONS:
            self.reasons.append(why)

    def size(self, at: int, end: int, width: int) -> int:
        """Return the number of `width` bytes at `at`, all of which come before `end`."""
        if at + width > end:
            raise _Damage(at, f"a number of {width} bytes ends after {end}")
        return int.from_bytes(self.data[at : at + width], "big")

    def raw(self, at: int, end: int, size: int) -> bytes:
        """Return `size` bytes at `at`, all of which come before `end`."""
        if size > end - at:
            raise _Damage(at, f"a value of {size} bytes ends after {end}")
        return self.data[at : at + size]

    def value(self, at: int, end: int, depth: int = 0) -> tuple[Value, int]:
        """Return the value at `at`, and where it ends. Raises _Damage."""
        code = self.size(at, end, 1)
        if code:
            return self.of(code, at + 1, end, depth)
        if depth == MOST_DEEP:
            raise _Damage(at, f"values nest deeper than {MOST_DEEP}")
        descriptor, at = self.value(at + 1, end, depth + 1)
        value, at = self.value(at, end, depth + 1)
        return {"descriptor": descriptor, "value": value}, at

    def of(self, code: int, at: int, end: int, depth: int) -> tuple[Value, int]:
        """Return the value of a type code, whose bytes begin at `at`, and where it ends. Raises _Damage."""
        kind, low = code >> 4, code & 15
        if kind in _LENGTHS:
            raw = self.raw(at, end, _LENGTHS[kind])
            return self.fixed(code, raw, at), at + len(raw)
        if kind < 4:
            raise _Damage(at - 1, f"no type has code {code:#04x}")
        width = 1 if kind % 2 == 0 else 4
        size = self.size(at, end, width)
        at += width
        if kind in (0xA, 0xB):
            raw = self.raw(at, end, size)
            return self.variable(low, raw, at), at + size
        if size > end - at:
            raise _Damage(at, f"{size} bytes of values end after {end}")
        if depth == MOST_DEEP:
            raise _Damage(at, f"values nest deeper than {MOST_DEEP}")
        found: list[Value] = []
        count = self.size(at, at + size, width)
        items = self.array if kind in (0xE, 0xF) else self.items
        items(at + width, at + size, count, depth + 1, found)
        if kind in (0xC, 0xD) and low == _MAP:
            return _mapping(found), at + size
        return found, at + size

    def fixed(self, code: int, raw: bytes, at: int) -> Value:
        """Return a value whose length is given by its code; None, with a reason, for one that has none."""
        if not raw:
            if code == _NO_LIST:
                return []
            if code not in _EMPTY:
                self.odd(f"no type has code {code:#04x} at {at - 1}")
            return _EMPTY.get(code)
        read = _FIXED.get(code)
        if read is None:
            self.odd(f"no type has code {code:#04x} at {at - 1}")
            return raw
        try:
            return read(raw)
        except ValueError:
            self.odd(f"no character has the number {raw.hex()} at {at}")
            return raw

    def variable(self, low: int, raw: bytes, at: int) -> Value:
        """Return bytes, a string or a symbol."""
        if low not in (_STRING, _SYMBOL):
            if low != _BINARY:
                self.odd(f"no type of variable length has code {low:x} before {at}")
            return raw
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self.odd(f"a text that is not UTF-8 at {at}")
            return raw.decode("utf-8", "replace")

    def items(self, at: int, end: int, count: int, depth: int, found: list[Value]) -> None:
        """Put `count` values between `at` and `end` into `found`. Raises _Damage after those before it."""
        for _ in range(count):
            value, at = self.value(at, end, depth)
            found.append(value)
        self.ends(at, end)

    def ends(self, at: int, end: int) -> None:
        """Note where values do not end where their size says; the broker's decoder does not look."""
        if at != end:
            self.odd(f"values end at {at}, not at {end}")

    def array(self, at: int, end: int, count: int, depth: int, found: list[Value]) -> None:
        """Put `count` values of one type between `at` and `end` into `found`. Raises _Damage."""
        descriptors: list[Value] = []
        while (code := self.size(at, end, 1)) == 0:
            if len(descriptors) + depth >= MOST_DEEP:
                raise _Damage(at, f"values nest deeper than {MOST_DEEP}")
            descriptor, at = self.value(at + 1, end, depth + len(descriptors))
            descriptors.append(descriptor)
        at += 1
        if code >> 4 == 4:
            if count > self.spare:
                raise _Damage(at, f"{count} values without bytes are too many")
            self.spare -= count
        for _ in range(count):
            value, at = self.of(code, at, end, depth)
            for descriptor in reversed(descriptors):
                value = {"descriptor": descriptor, "value": value}
            found.append(value)
        self.ends(at, end)


def _mapping(items: list[Value]) -> Value:
    """Return what a map holds: names to values, or pairs where keys are not all different texts."""
    pairs = list(zip(items[::2], items[1::2], strict=False))
    named = {key: value for key, value in pairs if isinstance(key, str)}
    if len(named) == len(pairs) and len(items) % 2 == 0:
        return named
    return [*([key, value] for key, value in pairs), *([items[-1:]] if len(items) % 2 else [])]


@dataclass(slots=True)
class _Message:
    """What the sections of one message hold."""

    fields: dict[str, Value] = field(default_factory=dict)
    beside: dict[str, Value] = field(default_factory=dict)
    properties: dict[str, Value] = field(default_factory=dict)
    #: Section of the body, or 0; and its values, one for each of its sections.
    body: int = 0
    bodies: list[Value] = field(default_factory=list)

    def take(self, section: int, found: list[Value]) -> None:
        """Take the values of one section."""
        if section in _LISTS:
            self.fields.update(zip(_LISTS[section], found, strict=False))
        elif section in _MAPS:
            into = self.properties if section == _APPLICATION else self.beside
            for key, value in zip(found[::2], found[1::2], strict=False):
                into[f"{_MAPS[section]}{_text(key)}"] = value
        else:
            self.body = section
            self.bodies += found


def _text(value: Value, *, readable: bool = False) -> str | None:
    """Return a key or an id as text: bytes in hex (`readable`: unless they are UTF-8), all else as it is."""
    if not isinstance(value, bytes):
        return None if value is None else str(value)
    if readable:
        with suppress(UnicodeDecodeError):
            return value.decode("utf-8")
    return value.hex()


def _sections(encoded: _Encoded, at: int, end: int, into: _Message) -> None:
    """Take all sections from `at` to `end`; after a damaged one, go on with what looks like the next."""
    last = 0
    while at < end:
        try:
            section, at = _opening(encoded, at, end)
            # Raised at once, so that damage is gone past no more often than there are kinds of section.
            last = max(last, section)
            at = _section(encoded, section, at, end, into)
        except _Damage as damage:
            encoded.odd(str(damage))
            for opening in _OPENING.finditer(encoded.data, at + 1, end):
                if opening[1][0] > last:
                    at = opening.start()
                    break
            else:
                return


def _opening(encoded: _Encoded, at: int, end: int) -> tuple[int, int]:
    """Return which section begins at `at`, and where its value does. Raises _Damage."""
    if encoded.size(at, end, 1):
        raise _Damage(at, "no section")
    descriptor, after = encoded.value(at + 1, end)
    section = _NAMES.get(descriptor) if isinstance(descriptor, str) else descriptor
    if not isinstance(section, int) or not _HEADER <= section <= _FOOTER:
        raise _Damage(at, "no section")
    return section, after


def _section(encoded: _Encoded, section: int, at: int, end: int, into: _Message) -> int:
    """Take the section whose value is at `at`, and return where it ends. Raises _Damage."""
    if section not in _LISTS and section not in _MAPS:
        value, at = encoded.value(at, end)
        into.take(section, value if section == _SEQUENCE and isinstance(value, list) else [value])
        return at
    code = encoded.size(at, end, 1)
    if code in (_NO_LIST, _NO_VALUE):
        return at + 1
    if code not in ((0xC0, 0xD0) if section in _LISTS else (0xC1, 0xD1)):
        raise _Damage(at, f"section {section:#x} has type {code:#04x}")
    width = 1 if code < 0xD0 else 4
    size = encoded.size(at + 1, end, width)
    at += 1 + width
    stop = min(at + size, end)
    if at + size > end:
        encoded.odd(f"section {section:#x} ends after {end} at {at}")
    found: list[Value] = []
    try:
        encoded.items(at + width, stop, encoded.size(at, stop, width), 1, found)
    except _Damage as damage:
        encoded.odd(str(damage))
    into.take(section, found)
    return stop


def _body(message: _Message) -> dict[str, Value]:
    """Return kind, text, content and data of a message, as the broker and JMS clients take them."""
    content_type = message.fields.get("content-type")
    content_type = content_type if isinstance(content_type, str) else ""
    given = message.beside.get(_JMS_KIND)
    values = message.bodies
    if not message.body or values == [None]:
        known = isinstance(given, int) and 0 <= given < len(_JMS_KINDS)
        kind = _JMS_KINDS[given] if known and isinstance(given, int) else "text" if message.body else "plain"
        return _columns(kind)
    if message.body == _SEQUENCE:
        return _columns("stream", content=values)
    value = values[0]
    if all(isinstance(each, bytes) for each in values):
        data = b"".join(each for each in values if isinstance(each, bytes))
        if content_type == _SERIALISED:
            return _columns("object", data=data) | {"class_name": class_name(data)}
        if message.body == _DATA and _TEXTUAL.fullmatch(content_type):
            with suppress(UnicodeDecodeError):
                return _columns("text", text=data.decode("utf-8"))
        return _columns("bytes", data=data)
    if isinstance(value, str):
        return _columns("text", text=value)
    if isinstance(value, list):
        return _columns("stream", content=value)
    return _columns("map" if isinstance(value, Mapping) else "plain", content=value)


def _columns(
    kind: str, *, text: str | None = None, content: Value = None, data: bytes | None = None
) -> dict[str, Value]:
    return {"kind": kind, "text": text, "content": content, "data": data}


def message(body: bytes, large: bytes | None = None) -> tuple[dict[str, Value], list[str]]:
    """Return the columns that a stored message has, and the reasons for what is missing in them.

    `body` is what a message record (45) or a paged message holds from the number of its persister on, `large`
    what the file of a large message holds: without it that message has no body. A described value is an
    object of `descriptor` and `value`, a map whose keys are not all different texts a list of pairs, and a
    decimal the bytes that it is.
    """
    encoded, found = _Encoded(body), _Message()
    around: dict[str, Value] = {}
    try:
        _stored(encoded, found, around, large)
    except _Damage as damage:
        encoded.odd(str(damage))
    return {**_row(found), **around}, encoded.reasons


def decoded(data: bytes) -> tuple[dict[str, Value], list[str]]:
    """Return what :func:`message` does of the encoded message alone, as it was sent."""
    encoded, found = _Encoded(data), _Message()
    _sections(encoded, 0, len(data), found)
    return _row(found), encoded.reasons


def _stored(encoded: _Encoded, found: _Message, around: dict[str, Value], large: bytes | None) -> None:
    """Take the message, and the columns that the broker has stored around it. Raises _Damage."""
    end = len(encoded.data)
    persister = encoded.size(0, end, 1)
    if persister not in PERSISTERS:
        raise _Damage(0, f"no AMQP message has persister {persister}")
    at = 9
    if persister == AMQP_LARGE:
        around["durable"] = encoded.size(at, end, 1) != 0
        at += 1
    message_format, at = encoded.size(at, end, 8), at + 8
    if message_format:
        found.beside["messageFormat"] = message_format
    if encoded.size(at, end, 1):
        size, at = encoded.size(at + 1, end, 4), at + 5
        around["address"] = encoded.raw(at, end, size).decode("utf-16-le", "replace")
        at += size
    else:
        at += 1
    if persister != AMQP_LARGE:
        size, at = encoded.size(at, end, 4), at + 4
        _sections(encoded, at, min(at + size, end), found)
        at += size
    if persister != AMQP:
        size, at = encoded.size(at, end, 4), at + 4
        if size:
            extra: dict[str, Value] = {}
            try:
                properties_at(encoded.raw(at, end, size), 0, extra)
            except ERRORS as error:
                encoded.odd(f"properties of the broker at {at}: {error}")
            found.beside.update((f"extraProperties.{name}", value) for name, value in extra.items())
            if isinstance(extra.get(_ADDRESS), str):
                around.setdefault("address", extra[_ADDRESS])
        at += size
    if persister == AMQP_LARGE:
        at = _saved(encoded, at, found if large is None else _Message())
    if large is not None:
        file = _Encoded(large, encoded.reasons)
        _sections(file, 0, len(large), found)
    if persister == AMQP_EXPIRING or end - at >= _LONG:
        expiration = int.from_bytes(encoded.raw(at, end, _LONG), "big", signed=True)
        around["expiration"] = expiration if expiration > 0 else None


def _saved(encoded: _Encoded, at: int, found: _Message) -> int:
    """Take the sections that the record of a large message repeats; return where they end. Raises _Damage."""
    end = len(encoded.data)
    for numbers in (2, 3, 1, 2):
        at += 4 * numbers
        if encoded.size(at, end, 1) == _NO_VALUE:
            at += 1
        else:
            section, at = _opening(encoded, at, end)
            at = _section(encoded, section, at, end, found)
    return at


def _row(message: _Message) -> dict[str, Value]:
    get = message.fields.get
    beside = {
        _BESIDE[name]: value
        for name, value in message.fields.items()
        if name in _BESIDE and value is not None
    }
    priority = _whole(get("priority"))
    return {
        "message_id": _text(get("message-id")),
        "address": _text(get("to")),
        "timestamp": _whole(get("creation-time")),
        "expiration": _whole(get("absolute-expiry-time")) or None,
        "priority": 4 if priority is None else min(priority, 9),
        "durable": get("durable") is True,
        "delivery_count": _whole(get("delivery-count")) or 0,
        "scheduled": _whole(message.beside.get("messageAnnotations.x-opt-delivery-time")),
        "correlation_id": _text(get("correlation-id")),
        "reply_to": _text(get("reply-to")),
        "group_id": _text(get("group-id")),
        "group_sequence": _whole(get("group-sequence")),
        "type": _text(get("subject")),
        "user_id": _text(get("user-id"), readable=True),
        "properties": {**message.beside, **beside, **message.properties},
        **_body(message),
    }


def _whole(value: Value) -> int | None:
    """Return a number; None for what is none, as damage may leave it."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
