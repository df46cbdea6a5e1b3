"""Serialised messages in the form that a consumer receives: headers, properties, bodies.

Java objects are not deserialised: only the name of their class is read. If a part cannot be decoded, this
becomes a problem of the message. The parts before it are kept.
"""

from __future__ import annotations

from journalspec import mutf8
from journalspec_reference.contents import Problem, Value
from journalspec_reference.java_objects import class_name
from journalspec_reference.swiftmq_store.codec import (
    BLOB,
    FIXED,
    PRIMITIVES,
    TEXT,
    BadStore,
    Cursor,
    blob_place,
    optional,
)

#: At most this many problems of a message's strings are reported.
MOST_PROBLEMS = 100
#: The kinds of messages, by their numbers.
KINDS = ("plain", "bytes", "map", "object", "stream", "text")
#: The parts after the fixed part, in the order in which they are stored (SMQ-MSG-103).
_OPTIONAL = (
    *("message_id", "user_id", "client_id", "correlation_id", "type", "reply_to", "address"),
    *("properties", "source_router", "router", "router_queue"),
)
#: The row of a message of which no part can be read.
_NOTHING: dict[str, Value] = dict.fromkeys(
    ("expiration", "priority", "timestamp", "delivery_count", "durable", "redelivered", *_OPTIONAL,
     "text", "content", "data", "class_name"),
)  # fmt: skip
#: Two codes: the stored form of a null string among properties, and the type id of a character.
_NULL, _CHARACTER = b"\xc0\x80", 5


def decode(data: bytes) -> tuple[dict[str, Value], list[Problem]]:
    """Decode a message's bytes into columns and problems. This takes linear time."""
    row, problems = {**_NOTHING, "kind": "unknown"}, list[Problem]()
    # `begin` is the offset of the part that is read next: the fixed part, an optional part or the body.
    cursor, begin = Cursor(data), 0
    try:
        kind, expiration, row["priority"], timestamp, *rest = FIXED.unpack_from(data, cursor.room(FIXED.size))
        row["delivery_count"], mode, row["redelivered"] = rest
        row |= {"expiration": expiration or None, "timestamp": timestamp or None, "durable": mode == 2}
        begin = cursor.off
        for name, value in zip(_OPTIONAL, optional(cursor), strict=True):
            begin = begin + 1 if value is None else value[1]
            if name == "properties" and value is not None:
                row[name] = _values(Cursor(data, *value), "bad-properties", problems)
            elif value is not None:
                row[name] = _text(data[slice(*value)], name, problems)
        if not 0 <= kind < len(KINDS):
            raise BadStore(f"a message of kind {kind}")
        row["kind"] = KINDS[kind]
        _body(cursor, KINDS[kind], row, problems)
    except BadStore as bad:
        problems.append(("bad-message", str(bad)))
        row["data"] = data[begin:]
    return row, problems


def _body(cursor: Cursor, kind: str, row: dict[str, Value], problems: list[Problem]) -> None:
    if kind == "bytes":
        row["data"] = cursor.blob()
    elif kind == "stream":
        row["content"] = [
            _primitive(cursor, f"value {number}", problems) for number in range(cursor.count(5))
        ]
    elif kind == "plain" or not (there := cursor.number(1)) or (kind == "object" and there != 1):
        return
    elif kind == "map":
        row["content"] = _values(Cursor(cursor.data, *blob_place(cursor)), "bad-map", problems)
    elif kind == "object":
        row["data"] = data = cursor.blob()
        row["class_name"] = class_name(data)
    else:
        # The strings are joined first, because a character beyond U+FFFF can begin in one string and end in
        # the next.
        joined = bytearray()
        for _ in range(cursor.count(2)):
            joined += cursor.utf()
        row["text"] = _text(bytes(joined), "text", problems)


def _values(cursor: Cursor, code: str, problems: list[Problem]) -> dict[str, Value]:
    """Read names and values of properties, or of a map. For a repeated name, the last value is kept."""
    values: dict[str, Value] = {}
    try:
        if (number := cursor.number(4, signed=True)) < 0:
            raise BadStore(f"{number} values")
        # The bytes can end before the stated number of values.
        for at in range(number):
            name = _text(cursor.utf(), f"name {at}", problems)
            values[name] = _primitive(cursor, name, problems)
    except BadStore as bad:
        problems.append((code, str(bad)))
    return values


def _primitive(cursor: Cursor, name: str, problems: list[Problem]) -> Value:
    kind = cursor.number(4, signed=True)
    if kind == BLOB:
        return cursor.blob()
    if kind == TEXT:
        stored = cursor.utf()
        return None if stored in (_NULL, b"\0") else _text(stored, name, problems)
    if kind not in PRIMITIVES:
        raise BadStore(f"a primitive of kind {kind}")
    form = PRIMITIVES[kind]
    value: bool | int | float = form.unpack_from(cursor.data, cursor.room(form.size))[0]
    return _text(mutf8.encode(chr(int(value))), name, problems) if kind == _CHARACTER else value


def _text(stored: bytes, name: str, problems: list[Problem]) -> str:
    """Return a string; invalid modified UTF-8 and unpaired surrogates are replaced and noted as a problem."""
    try:
        return mutf8.decode(stored)
    except UnicodeDecodeError:
        if len(problems) < MOST_PROBLEMS:
            problems.append(("bad-text", f"{name} is not modified UTF-8 of whole characters"))
        return mutf8.readable(stored)
