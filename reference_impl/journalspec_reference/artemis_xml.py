"""Messages as the XML that ``artemis data exp`` writes and ``artemis data imp`` reads.

The input consists of rows of the tables ``messages`` and ``queues``. Two formats have tables with the
expected columns: JBoss and KahaDB. :func:`losses` lists the data that the file cannot hold, before it is
written.

A row can have three further keys. ``body`` is the body as Core stores it. ``types`` maps the name of a
property to a type in PROPERTY. ``content_types`` maps the entries of a map to types; for a stream, it is a
list of types.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from struct import Struct, error
from typing import NamedTuple

from journalspec import mutf8
from journalspec_reference.contents import Row, Value
from journalspec_reference.newstore import LossItem

#: Maps the code of a loss to its meaning, for the items of :func:`losses`.
LOSSES = {
    "xml-new-id": "the importer gives each message a new id and a new JMSMessageID",
    "xml-delivery-count": "the file has no count of deliveries, so that it begins at 0",
    "xml-durable": "the importer makes each message durable",
    "xml-character": "XML 1.0 has no such character; U+FFFD is written for it",
    "xml-char-property": "a property of type char becomes a text of one character",
    "xml-value": "a property, or an entry of a map, is a list, a map or too large a number; it is left out",
    "xml-converted": "it is not a message of Core: only JMS headers, properties and body are kept",
    "xml-body": "the body is missing or cannot be decoded: the file has an empty body, or its bytes",
    "xml-duplicate-id": "an earlier message has the same duplicate id; it is left out, or the broker would "
    "reject this one",
    "xml-queue": "its queue is not in the bindings, so the message is omitted",
    "xml-null-text": "a text that reads _AMQ_NULL is taken for no text",
}  # fmt: skip
#: The types of properties, and the tags of values in Core's own maps and streams.
PROPERTY = {
    "boolean": 2, "byte": 3, "bytes": 4, "short": 5, "integer": 6, "long": 7, "float": 8, "double": 9,
    "string": 10, "char": 11,
}  # fmt: skip
_FIXED = {
    "boolean": Struct(">?"), "byte": Struct(">b"), "short": Struct(">h"), "integer": Struct(">i"),
    "long": Struct(">q"), "float": Struct(">f"), "double": Struct(">d"),
}  # fmt: skip
#: Maps the kind of a row to the type of a message. Any other kind becomes the default type.
TYPES = {"text": "text", "bytes": "bytes", "map": "map", "stream": "stream", "object": "object"}
NULL_TEXT = "_AMQ_NULL"
DUPLICATE, SCHEDULED = "_AMQ_DUPL_ID", "_AMQ_SCHED_DELIVERY"
#: Columns that Core stores as properties, with their types.
HEADERS = {
    "correlation_id": ("JMSCorrelationID", "string"),
    "reply_to": ("JMSReplyTo", "string"),
    "type": ("JMSType", "string"),
    "group_id": ("_AMQ_GROUP_ID", "string"),
    "group_sequence": ("_AMQ_GROUP_SEQUENCE", "integer"),
    "user_id": ("JMSXUserID", "string"),
    "scheduled": (SCHEDULED, "long"),
}
#: Properties that describe how the broker stored the body. They are not written.
STORED = ("_AMQ_LARGE_SIZE", "_HQ_LARGE_SIZE", "_AMQ_LARGE_COMPRESSED", "_HQ_LARGE_COMPRESSED")
#: Prefixes that HornetQ and Artemis 1 put before the names of addresses. When Artemis 2 imports an old
#: export, it removes these prefixes.
OLD_QUEUE, OLD_TOPIC = "jms.queue.", "jms.topic."
OLD_PREFIX, PREFIX = "_HQ_", "_AMQ_"
#: Number of bytes in one piece of a large body.
PIECE = 3 << 16
_INT, _CHAR = Struct(">i"), Struct(">H")
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {ord(each): f"&#{ord(each)};" for each in '\t\n\r"&<>'}


class _Unfit(ValueError):
    """This error means that no type of the file can represent a value."""


class _Property(NamedTuple):
    name: str
    kind: str
    value: str


class _Sent(NamedTuple):
    """Represents one message of the file.

    `queues` are the queues that contain it; `lost` contains codes of LOSSES.
    """

    row: Row
    queues: list[str]
    kind: str
    body: bytes
    properties: list[_Property]
    lost: dict[str, None]


def write(rows: Iterable[Row], queues: Iterable[Row]) -> Iterator[bytes]:
    """Yield the file in pieces: queues with their addresses, then the messages in the order of `rows`.

    Adjacent rows of the same message become one message in several queues. A row of `queues` has
    ``queue`` and, if known, ``address``, ``filter``, ``routing`` (anycast, multicast) and ``id``. A message
    whose queue is not among these rows is omitted.
    """
    bound = {str(row["queue"]): row for row in queues}
    yield b"<?xml version='1.0' encoding='UTF-8'?>\n<activemq-journal>\n"
    yield from _bindings(bound)
    yield b"   <messages>\n"
    for sent in _messages(rows, bound):
        if sent.queues:
            yield from _message(sent)
    yield b"   </messages>\n</activemq-journal>\n"


def losses(rows: Iterable[Row], queues: Iterable[Row]) -> Iterator[LossItem]:
    """Yield the losses of :func:`write` for the same rows: one item per message and code.

    The changed id of a message counts as a loss, so each message is listed at least once.
    """
    for sent in _messages(rows, {str(row["queue"]): row for row in queues}):
        row, off = sent.row, sent.row.get("off")
        file, off = str(row.get("file") or ""), off if isinstance(off, int) else None
        for code in sent.lost:
            ident, queue = str(row.get("id")), str(row.get("queue"))
            yield LossItem("message", code, LOSSES[code], ident, queue, file, off)


def modern(name: str) -> str:
    """Return the name of an address or queue in Artemis 2."""
    return name.removeprefix(OLD_QUEUE).removeprefix(OLD_TOPIC)


def _routing(row: Row) -> str:
    """Return the stored routing type of a queue. If none is stored, return the one that its name and address
    imply.
    """
    stored, address, name = row.get("routing"), str(row.get("address") or ""), str(row["queue"])
    if isinstance(stored, str):
        return stored.upper()
    return "ANYCAST" if address.startswith(OLD_QUEUE) or address in ("", name) else "MULTICAST"


def _bindings(bound: Mapping[str, Row]) -> Iterator[bytes]:
    addresses: dict[str, dict[str, None]] = {}
    lines = ["   <bindings>\n"]
    for name, row in bound.items():
        address = modern(str(row.get("address") or name))
        addresses.setdefault(address, {})[_routing(row)] = None
    for number, (address, kinds) in enumerate(addresses.items(), 1):
        lines.append(
            f'      <address-binding routing-types="{",".join(kinds)}" name={_quoted(address)}'
            f' id="{number}"/>\n'
        )
    for number, (name, row) in enumerate(bound.items(), len(addresses) + 1):
        address = modern(str(row.get("address") or name))
        lines.append(
            f"      <queue-binding address={_quoted(address)}"
            f" filter-string={_quoted(str(row.get('filter') or ''))} name={_quoted(modern(name))}"
            f' id="{number}" routing-type="{_routing(row)}"/>\n'
        )
    yield "".join([*lines, "   </bindings>\n"]).encode()


def _messages(rows: Iterable[Row], bound: Mapping[str, Row]) -> Iterator[_Sent]:
    """Yield the messages. Adjacent rows of one message in several queues of an address are combined.

    A row whose queue is unknown becomes a message in no queue.
    """
    seen: set[int] = set()
    sent: _Sent | None = None
    for row in rows:
        queue = bound.get(str(row.get("queue")))
        if queue is None:
            yield _Sent(row, [], "", b"", [], {"xml-queue": None})
            continue
        name, address = modern(str(row["queue"])), str(queue.get("address") or row["queue"])
        if sent is not None and row.get("id") is not None and _alike(sent.row, row, bound):
            sent.queues.append(name)
            continue
        if sent is not None:
            yield sent
        sent = _sent(row, name, address, seen)
    if sent is not None:
        yield sent


def _alike(one: Row, other: Row, bound: Mapping[str, Row]) -> bool:
    """Return whether two rows are the same message in two queues."""
    same = all(one.get(name) == other.get(name) for name in ("id", "file", "off", "scheduled"))
    first, second = (bound[str(row["queue"])].get("address") for row in (one, other))
    return same and first == second and one["queue"] != other["queue"]


def _sent(row: Row, queue: str, address: str, seen: set[int]) -> _Sent:
    """Return one message. `seen` contains the duplicate ids so far, by address."""
    lost = {"xml-new-id": None}
    lost |= {"xml-delivery-count": None} if row.get("delivery_count") else {}
    lost |= {"xml-durable": None} if row.get("durable") is False else {}
    lost |= {"xml-converted": None} if row.get("protocol") not in ("core", None) else {}
    types, core = _entries(row.get("types")), row.get("protocol") in ("core", None)
    properties: list[_Property] = []
    values = {name: (types.get(name), value) for name, value in _entries(row.get("properties")).items()}
    for column, (name, usual) in HEADERS.items():
        kept = core and column != "scheduled"
        if row.get(column) is not None and not kept and name.replace(PREFIX, OLD_PREFIX, 1) not in values:
            values.setdefault(name, (usual, row[column]))
    for name, (own, value) in values.items():
        if name in STORED:
            continue
        called = PREFIX + name.removeprefix(OLD_PREFIX) if name.startswith(OLD_PREFIX) else name
        if called == DUPLICATE:
            # The broker rejects a second message with the same duplicate id at one address.
            key = hash((address, str(value)))
            if key in seen:
                lost["xml-duplicate-id"] = None
                continue
            seen.add(key)
        try:
            properties.append(_property(called, own, value, lost))
        except _Unfit:
            lost["xml-value"] = None
    kind = TYPES.get(str(row.get("kind")), "default")
    return _Sent(row, [queue], kind, _body(row, kind, lost), properties, lost)


def _entries(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, Mapping) else {}


def type_of(value: Value) -> str:
    """Return the type of a property for a value of unknown type."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise _Unfit
        return "integer" if -(1 << 31) <= value < 1 << 31 else "long"
    if isinstance(value, float):
        return "double"
    if value is None or isinstance(value, str):
        return "string"
    if isinstance(value, bytes):
        return "bytes"
    raise _Unfit


def _property(name: str, kind: object, value: Value, lost: dict[str, None]) -> _Property:
    if value is None:
        return _Property(_text(name, lost), "simple-string", NULL_TEXT)
    called = str(kind) if kind in PROPERTY else type_of(value)
    if called == "char":
        lost["xml-char-property"] = None
    if called in ("char", "string"):
        if value == NULL_TEXT:
            lost["xml-null-text"] = None
        return _Property(_text(name, lost), "simple-string", _text(str(value), lost))
    if isinstance(value, bytes):
        shown = urlsafe_b64encode(value).decode()
    elif isinstance(value, float):
        shown = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))
    else:
        shown = str(value).lower() if called == "boolean" else str(value)
    return _Property(_text(name, lost), called, shown)


def _text(value: str, lost: dict[str, None]) -> str:
    fit, count = _UNFIT.subn("\ufffd", value)
    if count:
        lost["xml-character"] = None
    return fit


def _body(row: Row, kind: str, lost: dict[str, None]) -> bytes:
    """Return the body in Core's encoding."""
    stored, text, content, data = (row.get(name) for name in ("body", "text", "content", "data"))
    if isinstance(stored, bytes):
        return stored
    if "body" in row:
        lost["xml-body"] = None
    types = row.get("content_types")
    try:
        if kind == "text":
            return _optional(text if isinstance(text, str) else None)
        if kind == "map" and isinstance(content, Mapping):
            return _map(content, _entries(types), lost)
        if kind == "stream" and isinstance(content, (list, tuple)):
            kinds = types if isinstance(types, list) else [None] * len(content)
            values = zip(content, kinds, strict=True)
            return b"".join(_value(value, known, _stream_text) for value, known in values)
    except (_Unfit, ValueError, OverflowError):
        lost["xml-body"] = None
        return b"\0" if kind == "map" else b""
    plain = data if isinstance(data, bytes) else b""
    if kind == "object":
        return _INT.pack(len(plain)) + plain
    if not isinstance(data, bytes) and (kind != "default" or content is not None or text is not None):
        lost["xml-body"] = None
    return plain


def _map(content: Mapping[str, Value], types: Mapping[str, object], lost: dict[str, None]) -> bytes:
    entries = []
    for name, value in content.items():
        try:
            entries.append(_simple(name) + _value(value, types.get(name), _simple))
        except (_Unfit, ValueError):
            lost["xml-value"] = None
    return b"\x01" + _INT.pack(len(entries)) + b"".join(entries) if entries else b"\0"


def _value(value: Value, kind: object, text: Callable[[str], bytes]) -> bytes:
    """Return a value with its tag. `text` encodes a text."""
    if value is None:
        return b"\0"
    kind = str(kind) if kind in PROPERTY else type_of(value)
    tag = bytes([PROPERTY[kind]])
    if kind == "string":
        return tag + text(str(value))
    if isinstance(value, bytes):
        return tag + _INT.pack(len(value)) + value
    try:
        return tag + (_CHAR.pack(ord(str(value))) if kind == "char" else _FIXED[kind].pack(value))
    except (error, KeyError, TypeError, OverflowError):
        # In a damaged message, the type of a value can differ from `kind`.
        raise _Unfit from None


def _simple(text: str) -> bytes:
    units = text.encode("utf-16-le", "surrogatepass")
    return _INT.pack(len(units)) + units


def _optional(text: str | None) -> bytes:
    return b"\0" if text is None else b"\x01" + _simple(text)


def _stream_text(text: str) -> bytes:
    """Return a stream's text in stored form. The form depends on the number of characters."""
    units = text.encode("utf-16-be", "surrogatepass")
    count = len(units) // 2
    if count < 9:
        return b"\x01" + _INT.pack(count) + units
    stored = mutf8.encode(text)
    if count < 0xFFF:
        return b"\x01" + _INT.pack(count) + _CHAR.pack(len(stored)) + stored
    return b"\x01" + _INT.pack(count) + _simple(text)


def _message(sent: _Sent) -> Iterator[bytes]:
    row = sent.row
    numbers = " ".join(
        f'{name}="{value if isinstance(value, int) else usual}"'
        for name, value, usual in (
            ("id", row.get("id"), 0),
            ("priority", row.get("priority"), 4),
            ("expiration", row.get("expiration"), 0),
            ("timestamp", row.get("timestamp"), 0),
        )
    )
    named = row.get("message_id")
    own = f" user-id={_quoted(str(named).removeprefix('ID:'))}" if named is not None else ""
    lines = [f'      <message {numbers} type="{sent.kind}"{own}>\n         <properties>\n']
    lines += (
        f'            <property name={_quoted(each.name)} value={_quoted(each.value)} type="{each.kind}"/>\n'
        for each in sent.properties
    )
    lines.append("         </properties>\n         <queues>\n")
    lines += (f"            <queue name={_quoted(name)}/>\n" for name in sent.queues)
    lines.append("         </queues>\n")
    large = ' isLarge="true"' if row.get("large") else ""
    lines.append(f"         <body{large}>\n")
    yield "".join(lines).encode()
    # The importer decodes a piece when it reaches the white space after the piece.
    for off in range(0, len(sent.body), PIECE):
        piece = urlsafe_b64encode(sent.body[off : off + PIECE])
        yield b"            <![CDATA[" + piece + b"]]>\n"
    yield b"         </body>\n      </message>\n"


def _quoted(text: str) -> str:
    text = _UNFIT.sub("\ufffd", text).translate(_ESCAPES)
    # The file may be written to a terminal, and some characters of XML control a terminal.
    if not text.isprintable():
        text = "".join(char if char.isprintable() else f"&#{ord(char)};" for char in text)
    return f'"{text}"'
