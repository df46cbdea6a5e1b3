"""Decodes Core messages, as HornetQ 2.2 to 2.4 and Artemis 1 and 2 store them.

Numbers are big-endian, strings are UTF-16 with the low byte first. The layouts are those of ``core.toml``.
For bytes that cannot be decoded, :class:`Undecodable` is raised. If the other fields of a message are valid,
its `problem` describes the bytes instead.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from journalspec import mutf8
from journalspec_reference.contents import MOST_ENCODED, MOST_KNOWN, Value, inflated
from journalspec_reference.java_objects import class_name
from journalspec_reference.value_cache import ValueCache

INT, LONG, SHORT, CHAR = Struct(">i"), Struct(">q"), Struct(">h"), Struct(">H")
#: The fields type, durable, expiration, timestamp, priority, and whether properties follow.
HEADERS = Struct(">bBqqbB")
#: The offset of the timestamp in these fields.
_STAMP_AT = 10
UUID_SIZE = 16
#: The highest priority.
HIGHEST = 9
#: Types of user records that hold messages.
LARGE, OLD, PROTOCOL = 30, 31, 45
#: The first fields of a record of type 45, or of an entry of a page.
CORE, AMQP, AMQP_EXTRA, AMQP_LARGE, AMQP_EXPIRING = 1, 2, 3, 4, 5
OF_AMQP = (AMQP, AMQP_EXTRA, AMQP_LARGE, AMQP_EXPIRING)
_LARGE_AMQP = bytes([AMQP_LARGE])
#: The end of the body is stored before the body. The stored end also counts a packet header, which a journal
#: does not contain. The older form stores a second end.
BODY_AT, OLD_BODY_AT = 13, 17
#: The names of the message types.
KINDS = {0: "plain", 2: "object", 3: "text", 4: "bytes", 5: "map", 6: "stream"}
PLAIN, OBJECT, TEXT, BYTES, MAP, STREAM = 0, 2, 3, 4, 5, 6
#: The maximum number of bytes of a compressed body after inflation, and of the file of a large message that
#: is loaded.
MOST_BODY = 64 << 20
#: At most this many values in a body or in the properties of a message. In memory, each value takes many
#: times its stored size.
MOST_VALUES = 1 << 19
_TOO_MANY = f"there are more than {MOST_VALUES} values"
#: Values of fixed size, by their tags.
FIXED = {3: Struct(">b"), 5: SHORT, 6: INT, 7: LONG, 8: Struct(">f"), 9: Struct(">d")}
NULL, BOOL, DATA, STRING, CHARACTER = 0, 2, 4, 10, 11
#: Maps the tag of such a value, or of a boolean, to the number of bytes of tag and value.
_SIZES = {BOOL: 2, **{tag: 1 + form.size for tag, form in FIXED.items()}}
#: The decoder function for texts. It is stored, because the search for a codec by name takes longer than
#: decoding a short text.
text_of = codecs.utf_16_le_decode
#: The errors that decoding can raise for invalid bytes.
ERRORS = (struct.error, ValueError, IndexError)


class Undecodable(ValueError):
    """This error means that bytes are not a valid encoding of the expected value."""


@dataclass(slots=True)
class Message:
    """Represents one message without its queue. Times are in milliseconds. An `expiration` of 0 means that
    the message never expires.

    `body` has the stored bytes, inflated if they were compressed. `problem` is the reason why a part of the
    message could not be decoded.
    """

    id: int = 0
    address: str | None = None
    user_id: bytes | None = None
    type: int = 0
    durable: bool = False
    expiration: int = 0
    timestamp: int = 0
    priority: int = 4
    properties: dict[str, Value] = field(default_factory=dict)
    body: bytes = b""
    protocol: str = "core"
    large: bool = False
    #: Whether no client has written a body. In that case, the bytes at the offset of the body are left over
    #: from another message.
    blank: bool = False
    problem: str = ""
    #: Maps the name of a property to the tag of its value. None means that the tags are not kept.
    tags: dict[str, int] | None = None


class BodyParts(NamedTuple):
    """Represents a body decoded by the kind of its message. `data` contains bytes that have no other
    representation.

    `plain` is the complete uncompressed body, or None if it cannot be inflated.
    """

    text: str | None = None
    content: Value = None
    data: bytes | None = None
    class_name: str | None = None
    compressed: bool = False
    problem: str = ""
    plain: bytes | None = None


def taken(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    """Return `size` bytes from an offset on, and the offset after them."""
    if size < 0 or at + size > len(data):
        raise Undecodable(f"a length of {size} before {at}, and {len(data) - at} bytes follow")
    return data[at : at + size], at + size


def data_at(data: bytes, at: int) -> tuple[bytes, int]:
    """Return length-prefixed bytes, and the offset after them."""
    return taken(data, at + 4, INT.unpack_from(data, at)[0])


def text_at(data: bytes, at: int) -> tuple[str, int]:
    """Return a SimpleString, and the offset after it."""
    value, at = data_at(data, at)
    return text_of(value, "replace", True)[0], at


def text_bytes(text: str) -> bytes:
    """Return a SimpleString."""
    units = text.encode("utf-16-le", "surrogatepass")
    return INT.pack(len(units)) + units


def optional_text(data: bytes, at: int) -> tuple[str | None, int]:
    """Return the SimpleString after a flag, and the offset after it.

    The SimpleString is None if the flag means null.
    """
    if not data[at]:
        return None, at + 1
    # The text is decoded here, because each message has several such texts, and a call of :func:`text_at`
    # would take longer.
    (size,) = INT.unpack_from(data, at + 1)
    start, at = at + 5, at + 5 + size
    if size < 0 or at > len(data):
        raise Undecodable(f"a length of {size} at {start - 4}, and {len(data) - start} bytes follow")
    return text_of(data[start:at], "replace", True)[0], at


def long_text(data: bytes, at: int) -> tuple[str, int]:
    """Return a String, whose form depends on its number of characters, and the offset after it."""
    (count,) = INT.unpack_from(data, at)
    if count < 9:
        value, end = taken(data, at + 4, 2 * count)
        return value.decode("utf-16-be", "replace"), end
    if count < 0xFFF:
        value, end = taken(data, at + 6, CHAR.unpack_from(data, at + 4)[0])
        return mutf8.readable(value), end
    return text_at(data, at + 4)


def optional_long_text(data: bytes, at: int) -> tuple[str | None, int]:
    """Return the String after a flag, and the offset after it.

    The String is None if the flag means null.
    """
    return long_text(data, at + 1) if data[at] else (None, at + 1)


#: Two maps from stored bytes: to the name of a property, and to all properties of a message. Many messages
#: have equal names or properties.
_names = ValueCache(lambda name: text_of(name, "replace", True)[0], MOST_ENCODED)
_known: dict[bytes, dict[str, Value]] = {}


def properties_at(data: bytes, at: int, found: dict[str, Value], tags: dict[str, int] | None = None) -> int:
    """Put typed properties into `found`, and return the offset after them.

    After an error, `found` still contains the earlier properties.
    """
    at += 1
    if not data[at - 1]:
        return at
    int_at, names, fixed = INT.unpack_from, _names, FIXED
    (count,) = int_at(data, at)
    at += 4
    if not 0 <= count <= MOST_VALUES:
        raise Undecodable(_TOO_MANY if count > 0 else f"{count} properties")
    for _ in range(count):
        (size,) = int_at(data, at)
        start, at = at + 4, at + 4 + size
        if size < 0 or at >= len(data):
            raise Undecodable(f"a property's name of {size} bytes at {start - 4}")
        name, tag = names[data[start:at]], data[at]
        if tags is not None:
            tags[name] = tag
        if tag == STRING:
            (size,) = int_at(data, at + 1)
            start, at = at + 5, at + 5 + size
            if size < 0 or at > len(data):
                raise Undecodable(f"a text of {size} bytes at {start - 4}")
            found[name], _ = text_of(data[start:at], "replace", True)
        elif tag in fixed:
            (found[name],) = fixed[tag].unpack_from(data, at + 1)
            at += 1 + fixed[tag].size
        else:
            found[name], at = _odd_value(data, at)
    return at


def _odd_value(
    data: bytes, at: int, text: Callable[[bytes, int], tuple[str | None, int]] = text_at
) -> tuple[Value, int]:
    """Return the value after a tag, and the offset after the value.

    `text` is the function that reads a string.
    """
    tag = data[at]
    at += 1
    if tag in FIXED:
        return FIXED[tag].unpack_from(data, at)[0], at + FIXED[tag].size
    if tag == NULL:
        return None, at
    if tag == BOOL:
        # Some versions write true as 0xff.
        return data[at] != 0, at + 1
    if tag == DATA:
        return data_at(data, at)
    if tag == STRING:
        return text(data, at)
    if tag == CHARACTER:
        (unit,) = CHAR.unpack_from(data, at)
        # Half of a surrogate pair is not a character.
        return "\ufffd" if 0xD800 <= unit < 0xE000 else chr(unit), at + 2
    raise Undecodable(f"no value has the tag {tag} (at {at - 1})")


def headers_at(data: bytes, at: int, message: Message) -> int:
    """Put the fields that all messages have besides the body into `message`. Return the offset after them."""
    (message.id,) = LONG.unpack_from(data, at)
    message.address, at = optional_text(data, at + 8)
    at += 1
    # In this flag, brokers treat only 1 as "present". In other flags, any byte but 0 means "present".
    if data[at - 1] == 1:
        message.user_id = data[at : at + UUID_SIZE]
        at += UUID_SIZE
    kind, durable, message.expiration, message.timestamp, message.priority, _ = HEADERS.unpack_from(data, at)
    message.type, message.durable = kind, durable != 0
    at += HEADERS.size - 1
    encoded = data[at:] if message.tags is None and len(data) - at < MOST_ENCODED else b""
    if encoded in _known:
        message.properties, end = _known[encoded].copy(), len(data)
    else:
        end = properties_at(data, at, message.properties, message.tags)
        if encoded and end == len(data) and len(_known) < MOST_KNOWN:
            _known[encoded] = message.properties.copy()
    if not 0 <= message.priority <= HIGHEST:
        raise Undecodable(f"a priority of {message.priority}")
    return end


def is_large(user_type: int, data: bytes, start: int) -> bool:
    """Return whether the message at `start` in a record's body stores the message body in a file."""
    return user_type == LARGE or (user_type == PROTOCOL and data[start : start + 1] == _LARGE_AMQP)


def id_at(user_type: int, data: bytes) -> int:
    """Return the offset, in a record's body, of the id that a broker uses as the message id."""
    if user_type == LARGE:
        return 0
    return 1 if user_type == PROTOCOL else int(INT.unpack_from(data)[0]) - OLD_BODY_AT + 8


def message_of(kind: int, data: bytes, *, tagged: bool = False) -> Message:
    """Return the message in `data`, of user type `kind`. Its `problem` describes undecodable parts.

    For an AMQP message, only the id is decoded, and `body` is all of `data`. The body of a message of type
    LARGE is in a file. With `tagged`, the tags of the properties of a Core message are kept.
    """
    message, ident = Message(large=kind == LARGE, tags={} if tagged else None), None
    stored, address, at = data, None, 0
    try:
        if kind == PROTOCOL:
            persister, (ident,) = data[0], LONG.unpack_from(data, 1)
            if persister in OF_AMQP:
                return Message(ident, protocol="amqp", large=persister == AMQP_LARGE, body=data)
            if persister != CORE:
                raise Undecodable(f"no protocol has the number {persister}")
            address, at = optional_text(data, 9)
            stored, _ = data_at(data, at)
        if kind != LARGE:
            # The stored end of the body is counted from here. The older form stores a second end after the
            # body.
            body_at, ends = (OLD_BODY_AT, 2 * INT.size) if kind == OLD else (BODY_AT, INT.size)
            size = INT.unpack_from(stored, 0)[0] - body_at
            at = ends + size
            if size < 0 or at > len(stored):
                raise Undecodable(f"a body of {size} bytes, and {len(stored) - ends} follow")
            message.body = stored[INT.size : INT.size + size]
    except ERRORS as error:
        return Message(protocol="", body=data, problem=str(error) or "it is cut")
    try:
        headers_at(stored, at, message)
    except ERRORS as error:
        # Header fields that were decoded before the error are kept.
        message.problem = str(error)
    if ident is not None:
        message.blank = len(message.body) == 4 and message.type == PLAIN
        # The id and the address in the message's own bytes can be left over from an earlier message.
        message.id = ident
        message.address = address if address is not None else message.address
    return message


def glance(kind: int, data: bytes, start: int, end: int, *, judge: bool = True) -> tuple[int, bool]:
    """Return the time of the message in a record's body (0: none), and whether it certainly has no problem.

    The message is not decoded for this. False means that :func:`message_of` may find a problem. With `judge`,
    the priority and the properties of a message with a protocol are also checked, although Artemis 2 does not
    decode them when it starts. The time of a message of another protocol is in its own sections, which are
    not read.
    """
    int_at, at, stop, stamp, sound = INT.unpack_from, start, end, 0, True
    try:
        if kind == PROTOCOL:
            if data[at] != CORE:
                return 0, data[at] in OF_AMQP and end - at >= 1 + LONG.size
            at += 1 + LONG.size
            if data[at]:
                (size,) = int_at(data, at + 1)
                sound &= size >= 0
                at += INT.size + size
            (size,) = int_at(data, at + 1)
            at += 1 + INT.size
            stop = at + size
            sound &= size >= 0 and stop <= end
        if kind != LARGE:
            body_at, ends = (OLD_BODY_AT, 2 * INT.size) if kind == OLD else (BODY_AT, INT.size)
            size = int_at(data, at)[0] - body_at
            at += ends + size
            sound &= size >= 0 and at <= stop
        at += LONG.size
        if data[at]:
            (size,) = int_at(data, at + 1)
            sound &= size >= 0
            at += INT.size + size
        at += 2 + UUID_SIZE if data[at + 1] == 1 else 2
        (stamp,) = LONG.unpack_from(data, at + _STAMP_AT)
        if sound and kind == PROTOCOL and not judge:
            sound = at + HEADERS.size <= stop
        elif sound:
            _, _, _, _, priority, given = HEADERS.unpack_from(data, at)
            at += HEADERS.size
            sound = 0 <= priority <= HIGHEST and (_past_properties(data, at) if given else at) <= stop
    except ERRORS:
        sound = False
    return stamp, sound


def _past_properties(data: bytes, at: int) -> int:
    """Return the offset after properties of the usual types.

    `at` is the offset of their count. Raises one of ERRORS.
    """
    int_at, sizes = INT.unpack_from, _SIZES
    (count,) = int_at(data, at)
    at += 4
    if not 0 <= count <= MOST_VALUES:
        raise Undecodable(_TOO_MANY)
    for _ in range(count):
        (size,) = int_at(data, at)
        at += 4 + size
        if size < 0:
            raise Undecodable
        tag = data[at]
        if tag == STRING:
            (size,) = int_at(data, at + 1)
            at += 5 + size
            if size < 0:
                raise Undecodable
        else:
            at += sizes.get(tag, len(data))
    return at


def is_compressed(properties: Mapping[str, Value]) -> bool:
    """Return whether the body of a message with these properties is compressed."""
    return properties.get("_AMQ_LARGE_COMPRESSED", properties.get("_HQ_LARGE_COMPRESSED")) is True


def body_of(message: Message) -> BodyParts:
    """Return the body of a Core message by its type."""
    data, kind, compressed, problem = message.body, message.type, is_compressed(message.properties), ""
    if compressed:
        try:
            data = inflated(data, MOST_BODY)
        except (ValueError, OverflowError) as error:
            return BodyParts(data=data, compressed=True, problem=str(error))
    try:
        if kind == TEXT:
            # An empty body also means a null text.
            text = optional_text(data, 0)[0] if data else None
            return BodyParts(text, compressed=compressed, plain=data)
        if kind == MAP:
            content: dict[str, Value] = {}
            if data:
                properties_at(data, 0, content)
            return BodyParts(content=content, compressed=compressed, plain=data)
        if kind == STREAM:
            return BodyParts(content=elements(data), compressed=compressed, plain=data)
        if kind == OBJECT:
            value = data_at(data, 0)[0] if data else b""
            return BodyParts(None, None, value, class_name(value), compressed, "", data)
    except ERRORS as error:
        problem = str(error)
    return BodyParts(None, None, None if message.blank else data, None, compressed, problem, data)


def elements(data: bytes) -> list[Value]:
    """Return the values of a stream message. Raises Undecodable."""
    found: list[Value] = []
    at = 0
    while at < len(data):
        if len(found) == MOST_VALUES:
            raise Undecodable(_TOO_MANY)
        value, at = _odd_value(data, at, optional_long_text)
        found.append(value)
    return found


def uuid_text(data: bytes) -> str:
    """Return a UUID as brokers print it."""
    digits = data.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
