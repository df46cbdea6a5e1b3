"""Decodes OpenWire as KahaDB stores it: with loose marshalling, a size before each object, and no cache of
values (versions 1 to 12).

Damaged data is read up to the damage. A flag must be 0 or 1, and most places permit only one type. If an
object cannot be decoded as stored, it is decoded again with invalid flags and types corrected by these rules.
A remark reports the correction.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from journalspec import mutf8
from journalspec.families import ContentsError, families
from journalspec_reference.contents import MOST_ENCODED, MOST_KNOWN, Problem, inflated
from journalspec_reference.java_objects import class_name
from journalspec_reference.kahadb_journal.codec import FORMAT
from journalspec_reference.kahadb_journal.contents.shapes import Make, Makes, SeenShape
from journalspec_reference.value_cache import ValueCache

#: Fields of an object by name. Nested objects are tuples, destinations are texts.
Fields: TypeAlias = dict[str, Any]
#: One version for each distinct layout, the most frequent version first.
VERSIONS = (11, 6, 10, 9, 2, 1)
#: Maps the type of a message to its kind.
KINDS = {23: "plain", 24: "bytes", 25: "map", 26: "object", 27: "stream", 28: "text", 29: "blob"}
NULL, ACK, SUBSCRIPTION = 0, 22, 55
DESTINATIONS = {100: "queue", 101: "topic", 102: "temp-queue", 103: "temp-topic"}
_MESSAGE_ID, _LOCAL, _XA = range(110, 113)
_CONNECTION, _SESSION, _CONSUMER, _PRODUCER, _BROKER = range(120, 125)
ACKS = ("delivered", "poison", "standard", "redelivered", "individual", "unmatched", "expired")
#: Three limits: the size of a body that is decompressed; the depth of nested maps, lists and objects; the
#: number of values in a body.
INFLATED, DEPTH, VALUES = 64 << 20, 50, 1 << 19
_TOO_MANY = f"there are more than {VALUES} values"

_INT, _LONGS = struct.Struct(">i").unpack_from, struct.Struct(">qq").unpack_from
_CHARACTER, _STRING, _BYTES, _MAP, _LIST, _LONG_STRING = 3, 9, 10, 11, 12, 13


class OpenWireError(ValueError):
    """This error means that bytes are not an object of this type. Its text is the reason."""


_Reader: TypeAlias = Callable[["Bytes"], Any]


def _number(kind: str) -> _Reader:
    """Return a function that reads the next number of a format."""
    form = struct.Struct(">" + kind)
    size, unpack = form.size, form.unpack_from

    def read(data: Bytes) -> Any:
        data.at += size
        return unpack(data.data, data.at - size)[0]

    return read


_U2, _I1, _I2, _I4, _I8 = map(_number, "Hbhiq")
#: Maps the tag of a value to the function that reads the value.
_NUMBERS = {1: _number("?"), 2: _I1, 4: _I2, 5: _I4, 6: _I8, 7: _number("d"), 8: _number("f")}


class Bytes:
    """Reads the bytes of one object in order.

    IndexError and struct.error mean that the bytes end too early.
    """

    __slots__ = ("at", "data", "depth", "odd", "presumes", "values", "version")

    def __init__(self, data: bytes, at: int = 0, version: int = 0, *, presumes: bool = False) -> None:
        self.data, self.at, self.version = data, at, version
        #: Whether to read an invalid flag as 0, and an impossible type as the only possible type.
        self.presumes = presumes
        #: Remarks on accepted values that the product would refuse.
        self.odd: list[Problem] = []
        #: Two counters: the values read so far, and the objects that enclose the current one.
        self.values = self.depth = 0

    def byte(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def flag(self) -> bool:
        """Return whether the next byte is not 0."""
        self.at += 1
        value = self.data[self.at - 1]
        if value > 1 and self.presumes:
            self.odd.append(("damaged", f"a flag at {self.at - 1} is {value}"))
            return False
        return value != 0

    def take(self, size: int) -> bytes:
        """Return the next bytes; raises OpenWireError if there are fewer."""
        start, self.at = self.at, self.at + size
        if not 0 <= size <= len(self.data) - start:
            raise OpenWireError(f"{size} bytes at {start} reach beyond the object")
        return self.data[start : self.at]

    def text(self, size: int) -> str:
        """Return the next bytes as a text; raises OpenWireError if there are fewer."""
        raw = self.take(size)
        if raw.isascii():
            return raw.decode("ascii")
        try:
            return mutf8.decode(raw)
        except UnicodeDecodeError:
            self.odd.append(("bad-text", f"the text at {self.at - size} is not modified UTF-8"))
            return mutf8.readable(raw)

    def string(self) -> str | None:
        """Return a text that may be null."""
        return self.text(_U2(self)) if self.flag() else None

    def sequence(self) -> bytes | None:
        """Return bytes that may be null."""
        return self.take(_I4(self)) if self.flag() else None

    def kind(self, *known: int) -> int:
        """Return the next type; raises OpenWireError if it is not in `known`."""
        self.at += 1
        found = self.data[self.at - 1]
        if found not in known:
            if not self.presumes:
                raise OpenWireError(f"type {found} at {self.at - 1}")
            self.odd.append(("damaged", f"the type at {self.at - 1} is {found}"))
            return known[0]
        return found

    def destination(self) -> str:
        """Return a destination as a text, such as `queue://NAME`."""
        kind = self.kind(*DESTINATIONS)
        return f"{DESTINATIONS[kind]}://{self.string() or ''}"

    def longs(self) -> tuple[int, ...]:
        """Return the next two numbers of 8 bytes."""
        self.at += 16
        return _LONGS(self.data, self.at - 16)

    def client(self, kind: int) -> tuple[str | int | None, ...]:
        """Return a producer (connection, value, session) or a consumer (connection, session, value)."""
        self.kind(kind)
        return self.string(), *self.longs()

    def message_id(self) -> Fields:
        """Return the id of a message."""
        self.kind(_MESSAGE_ID)
        view = self.string() if self.version >= 10 else None
        producer = self.client(_PRODUCER) if self.flag() else None
        sequence, broker = self.longs()
        return {"view": view, "producer": producer, "sequence": sequence, "broker_sequence": broker}

    def transaction(self) -> tuple[Any, ...]:
        """Return a transaction: `_LOCAL`, connection and number, or `XA` and its three parts."""
        if self.kind(_LOCAL, _XA) == _XA:
            form = _I4(self)
            return "XA", form, self.sequence() or b"", self.sequence() or b""
        number = _I8(self)
        if not self.flag():
            return "LOCAL", None, number
        self.kind(_CONNECTION)
        return "LOCAL", self.string(), number

    def brokers(self) -> list[str | None]:
        """Return a list of brokers."""
        count = _I2(self)
        if not 0 <= count <= len(self.data) - self.at:
            raise OpenWireError(f"a list of {count} brokers")
        out: list[str | None] = []
        for _ in range(count):
            there = self.flag()
            if there:
                self.kind(_BROKER)
            out.append(self.string() if there else None)
        return out

    def command(self) -> Fields:
        """Return an object within another one; raises OpenWireError."""
        self.depth += 1
        if self.depth > DEPTH:
            raise OpenWireError(f"objects nest more than {DEPTH} times")
        found = Fields()
        for field, optional, read in _members(self, found):
            found[field] = None if optional and not self.flag() else read(self)
        self.depth -= 1
        return found

    def value(self, depth: int = 0) -> Any:
        """Return a value of a property, map or stream; raises OpenWireError."""
        self.values += 1
        if self.values > VALUES:
            raise OpenWireError(_TOO_MANY)
        tag = self.byte()
        if (found := _NUMBERS.get(tag)) is not None:
            return found(self)
        if tag == _STRING:
            return self.text(_U2(self))
        if tag == 0:
            return None
        if tag == _CHARACTER:
            unit = _U2(self)
            return "\ufffd" if 0xD800 <= unit < 0xE000 else chr(unit)
        if tag == _BYTES:
            return self.take(_I4(self))
        if tag == _LONG_STRING:
            size = _I4(self)
            return self.text(size) if size >= 0 else None
        if tag not in (_MAP, _LIST) or depth == DEPTH:
            raise OpenWireError(f"{'too deep' if tag in (_MAP, _LIST) else f'tag {tag}'} at {self.at - 1}")
        if tag == _MAP:
            inside: dict[str, Any] = {}
            return inside if self.entries(inside, depth + 1) else None
        count = _I4(self)
        if count > len(self.data) - self.at:
            raise OpenWireError(f"a list of {count} values")
        return [self.value(depth + 1) for _ in range(count)]

    def entries(self, into: dict[str, Any], depth: int = 0) -> bool:
        """Fill a map. Return False if it is absent. Raises OpenWireError."""
        count = _I4(self)
        if count * 3 > len(self.data) - self.at:
            raise OpenWireError(f"a map of {count} entries")
        for _ in range(count):
            name = self.text(_U2(self))
            into[name] = self.value(depth)
        return bool(count >= 0)


#: Maps the type of a field in the table to the function that reads it.
_FIELDS: Mapping[str, _Reader] = {
    "bool": Bytes.flag,
    "s1": _I1,
    "s4": _I4,
    "s8": _I8,
    "text_or_null": Bytes.string,
    "bytes_or_null": Bytes.sequence,
}
#: The same for the types of fields that begin with a flag, which states whether the value is present.
_OPTIONAL: Mapping[str, _Reader] = {
    "destination": Bytes.destination,
    "transaction": Bytes.transaction,
    "message_id_or_null": Bytes.message_id,
    "producer_or_null": partial(Bytes.client, kind=_PRODUCER),
    "consumer_or_null": partial(Bytes.client, kind=_CONSUMER),
    "brokers": Bytes.brokers,
    "throwable": lambda data: (data.string(), data.string()),
    "command": Bytes.command,
}


@cache
def _layout(name: str, version: int) -> Sequence[tuple[str, bool, _Reader]]:
    """Return the fields of a type in a version, each with the function that reads it, and whether it begins
    with a flag of :data:`_OPTIONAL`.
    """
    family, found = families(FORMAT)["openwire"], list[tuple[str, bool, _Reader]]()
    readers = {**_FIELDS, **_OPTIONAL}
    members = family.types[name].fields
    flags = {member.when[0] for member in members if member.when}
    for member in members:
        if member.type in family.types and member.type not in readers:
            found += _layout(member.type, version)
        elif family.has(member, str(version)) and member.name not in flags:
            found.append((member.name, member.type in _OPTIONAL, readers[member.type]))
    return found


@cache
def _types() -> Mapping[int, str]:
    """Return a map from the number of a type to its entry in the table."""
    return families(FORMAT)["openwire"].types["command"].fields[1].cases


def _members(data: Bytes, out: Fields) -> Sequence[tuple[str, bool, _Reader]]:
    """Read the type of an object into `out`, and return its fields as :func:`_layout` does.

    Raises OpenWireError.
    """
    kind = out["kind"] = data.byte()
    name = _types().get(kind, "message" if data.presumes and not data.depth else None)
    if name is None:
        raise OpenWireError(f"type {kind} at {data.at - 1}")
    return _layout(name, data.version) if kind != NULL else ()


#: The errors of reading damaged bytes.
_ERRORS = OpenWireError, IndexError, struct.error


def _text_of(error: Exception) -> str:
    """Return the text of an error of reading."""
    return str(error) if isinstance(error, OpenWireError) else "the bytes end within a field"


#: Maps (version, type) of objects to their known shapes, the most recent shape first.
_shapes: dict[tuple[int, ...], Sequence[SeenShape]] = {}
#: The first number is the maximum number of shapes per type. If a type has that many, only one in _SELDOM
#: unknown objects replaces the oldest shape.
_SHAPES, _SELDOM = 8, 128
_unlike = count(1)


def _learn(data: bytes, version: int, fields: Fields, known: Sequence[SeenShape]) -> None:
    """Remember the shape of an object, but only if reading by this shape results in the same fields."""
    if len(known) < _SHAPES or next(_unlike) % _SELDOM == 0:
        with suppress(KeyError, ContentsError, ValueError):
            shape = SeenShape(families(FORMAT)["openwire"], version, data[4:], [*fields], _makes(version))
            if shape.fields(data, 4) == fields:
                _shapes[version, data[4]] = [shape, *known[: _SHAPES - 1]]


@cache
def _makes(version: int) -> Makes:
    """Return a map from non-numeric field type to the function that decodes its bytes."""

    def made(read: _Reader) -> Make:
        def make(data: bytes) -> Any:
            taken = Bytes(data, 0, version)
            found = read(taken) if taken.flag() else None
            if taken.odd or taken.at != len(data):
                raise OpenWireError("it is not usual")
            return found

        return ValueCache(make, MOST_ENCODED).__getitem__

    plain: dict[str, tuple[int, Make]] = {"text_or_null": (3, mutf8.decode), "bytes_or_null": (5, bytes)}
    within = ("destination", "transaction", "producer_or_null", "consumer_or_null", "brokers", "throwable")
    return plain | {name: (0, made(_OPTIONAL[name])) for name in within}


class Decoded(NamedTuple):
    """Represents a decoded object: its fields, the version used for reading, an error, and remarks."""

    fields: Fields
    version: int
    wrong: str = ""
    odd: tuple[Problem, ...] = ()


def fields_of(data: bytes, version: int, *, presumes: bool = False) -> Decoded:
    """Return the fields of an object up to the first error. `data` begins with the size."""
    of_kind = version, *data[4:5]
    known = _shapes.get(of_kind, ())
    for shape in () if presumes else known:
        if (fields := shape.fields(data, 4)) is not None:
            if shape is not known[0]:
                _shapes[of_kind] = [shape, *(each for each in known if each is not shape)]
            return Decoded(fields, version)
    taken, out, wrong = Bytes(data, 4, version, presumes=presumes), Fields(), ""
    try:
        # The fields are added one by one, so that those before an error are returned.
        for field, optional, read in _members(taken, out):
            out[field] = None if optional and not taken.flag() else read(taken)
    except _ERRORS as error:
        wrong = _text_of(error)
    if not wrong and taken.at < len(data):
        wrong = f"{len(data) - taken.at} bytes follow its last field"
    if not wrong and not taken.odd and not presumes and out["kind"] != NULL:
        _learn(data, version, out, known)
    return Decoded(out, version, wrong, tuple(taken.odd))


def read(data: bytes, version: int) -> Decoded:
    """Decode an object with the version of its store, or with another version that fits.

    If no version fits, invalid flags and types are replaced with the likely ones. If that also fails, only
    the fields before the damage are returned.
    """
    first = fields_of(data, version)
    if not first.wrong:
        return first
    tried = [version, *(other for other in VERSIONS if other != version)]
    for presumes in (False, True):
        for other in tried if presumes or first.fields.get("kind") in _types() else ():
            least = _least(data[4:5], other)
            if presumes and len(data) != least and b"\1" not in data[5:least]:
                continue  # Skip the version, because each optional value would be absent.
            found = fields_of(data, other, presumes=presumes)
            if not found.wrong:
                return found
    return first._replace(odd=())


@cache
def _least(kind: bytes, version: int) -> int:
    """Return the length of an object of this type in which all optional values are absent."""
    objects = (bytes(4) + kind + bytes(more) for more in count())
    return next(len(each) for each in objects if not fields_of(each, version, presumes=True).wrong)


def to_time(version: int, data: bytes, at: int, marks: list[int]) -> int:
    """Return the offset of the time in a message that begins with its size at `at`. Return 0 if an earlier
    field is unusual.

    The offsets of all bytes on which the result depends are added to `marks`. Raises OpenWireError, and
    IndexError if the bytes end too early.
    """
    at = _past(data, at + _BEFORE_PRODUCER, _PRODUCERS, 16, marks)
    at = _past(data, at, DESTINATIONS, 0, marks)
    at = _past_transaction(data, at, marks)
    at = _past(data, at, DESTINATIONS, 0, marks)
    marks += at, at + 1
    if data[at] != 1 or data[at + 1] != _MESSAGE_ID:
        return 0
    at = _past_text(data, at + 2, marks) if version >= 10 else at + 2
    at = _past(data, at, _PRODUCERS, 16, marks) + 16
    at = _past_text(data, _past_transaction(data, at, marks), marks) + 4
    at = _past_text(data, at, marks) + _BEFORE_REPLY_TO
    return _past(data, at, DESTINATIONS, 0, marks)


#: Two numbers of bytes: of size, type, command number and a flag; and of a flag, expiration and priority.
_BEFORE_PRODUCER, _BEFORE_REPLY_TO = 10, 10
_PRODUCERS = (_PRODUCER,)


def _past_text(data: bytes, at: int, marks: list[int]) -> int:
    """Return the end of a text or null."""
    marks += range(at, at + 3 if data[at] else at + 1)
    return at + 3 + (data[at + 1] << 8 | data[at + 2]) if data[at] else at + 1


def _past(data: bytes, at: int, kinds: Container[int], tail: int, marks: list[int]) -> int:
    """Return the end of an object or null: a text and `tail` bytes; raises OpenWireError."""
    marks += range(at, at + 2 if data[at] else at + 1)
    if not data[at]:
        return at + 1
    if data[at + 1] not in kinds:
        raise OpenWireError(f"type {data[at + 1]} at {at + 1}")
    return _past_text(data, at + 2, marks) + tail


def _past_transaction(data: bytes, at: int, marks: list[int]) -> int:
    """Return the end of an absent or local transaction; raises OpenWireError for any other transaction."""
    if not data[at]:
        marks.append(at)
        return at + 1
    marks += at, at + 1
    if data[at + 1] != _LOCAL:
        raise OpenWireError(f"type {data[at + 1]} at {at + 1}")
    return _past(data, at + 10, (_CONNECTION,), 0, marks)


def fitting(data: bytes) -> Iterator[int]:
    """Yield the versions that can read an object."""
    return (version for version in VERSIONS if not fields_of(data, version).wrong)


def message_id_text(found: Mapping[str, Any] | None) -> str | None:
    """Return the JMS name of a message."""
    if found is None or found["view"] is found["producer"] is None:
        return None
    if (view := found["view"]) is not None:
        return view if view.startswith("ID:") else f"ID:{view}"
    connection, value, session = found["producer"]
    return f"{_named(connection)}:{session}:{value}:{found['sequence']}"


def _named(connection: str | None) -> str:
    """Return the name of a connection as ActiveMQ shows it."""
    return "null" if connection is None else connection


def transaction_text(found: tuple[Any, ...] | None) -> str | None:
    """Return a transaction as ActiveMQ shows it, with two digits for each byte of an XID."""
    if found is None:
        return None
    if found[0] == "XA":
        _, form, gtrid, bqual = found
        return f"XID:[{form},globalId={gtrid.hex()},branchId={bqual.hex()}]"
    return f"TX:{_named(found[1])}:{found[2]}"


def _inflated(content: bytes, *, sized: bool) -> bytes:
    """Return a decompressed body. `sized` means that the body's length precedes it. Raises like
    :func:`inflated`.
    """
    if not sized:
        return inflated(content, INFLATED)
    if len(content) < 4:
        raise OpenWireError("its length is not there")
    (size,) = _INT(content, 0)
    if not 0 <= size <= INFLATED:
        raise OverflowError(f"it would have {size} bytes")
    return inflated(content[4:], size, exactly=True)


def body(fields: Mapping[str, Any], out: dict[str, Any]) -> list[Problem]:
    """Add the body of a message to its fields: text, content, data, class_name.

    Return (code, text) of each remark. A body that is not decoded becomes the field `data`.
    """
    kind, content = KINDS.get(fields["kind"], "unknown"), fields.get("content")
    if kind == "blob":
        out["content"] = {name: fields.get(name) for name in ("url", "mime_type", "deleted_by_broker")}
    if content is None:
        out["content"] = {"map": {}, "stream": []}.get(kind, out["content"])
        return []
    out["data"] = content
    if fields["compressed"]:
        try:
            content = out["data"] = _inflated(content, sized=kind == "bytes")
        except (ValueError, OverflowError) as why:
            return [("too-large" if isinstance(why, OverflowError) else "bad-body", str(why))]
    if kind == "object":
        out["class_name"] = class_name(content)
    if kind not in READERS:
        return []
    taken = Bytes(content)
    try:
        READERS[kind](taken, out)
    except _ERRORS as error:
        wrong = _text_of(error)
        return [("too-large" if wrong == _TOO_MANY else "bad-body", wrong)]
    out["data"] = None
    return taken.odd


def _text(data: Bytes, out: dict[str, Any]) -> None:
    size = _I4(data)
    out["text"] = data.text(size) if size >= 0 else None


def _map(data: Bytes, out: dict[str, Any]) -> None:
    out["content"] = {}
    data.entries(out["content"])


def _stream(data: Bytes, out: dict[str, Any]) -> None:
    out["content"] = []
    while data.at < len(data.data):
        out["content"].append(data.value())


#: Maps the kind of a message to the function that reads the values of its body.
READERS: Mapping[str, Callable[[Bytes, dict[str, Any]], None]] = {
    "text": _text,
    "map": _map,
    "stream": _stream,
}


#: A cache of properties by their bytes, because many messages have the same properties.
_known: dict[bytes, dict[str, Any]] = {}


def properties(stored: bytes | None) -> tuple[dict[str, Any], str, list[Problem]]:
    """Return the properties of a message, their error (empty if there is none), and remarks."""
    stored = stored or bytes(4)
    if (known := _known.get(stored)) is not None:
        return known.copy(), "", []
    found: dict[str, Any] = {}
    taken = Bytes(stored)
    try:
        taken.entries(found)
    except _ERRORS as error:
        return found, _text_of(error), taken.odd
    if not taken.odd and len(stored) <= MOST_ENCODED:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[stored] = found.copy()
    return found, "", taken.odd
