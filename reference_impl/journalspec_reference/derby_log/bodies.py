"""What the bodies of records hold, by the table of operations (DRB-REC-021, DRB-REC-111)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from struct import Struct
from typing import Any, NamedTuple

from journalspec.derby_log.operations import Form, Slot, groups, objects, operations
from journalspec_reference.derby_log.codec import BadLog, Instant, compressed

BITS = groups()
FIRST, LAST, COMPENSATION = BITS["FIRST"], BITS["LAST"], BITS["COMPENSATION"]
PREPARE, CHECKSUM = BITS["PREPARE"], BITS["CHECKSUM"]
_LOG_RECORD = 129
_FIXED = {"u1": Struct(">B"), "u2": Struct(">H"), "s4": Struct(">i"), "s8": Struct(">q")}
#: What the next shorter form of a compressed number holds, by its size: int, long (in two bytes).
_LIMITS = ({2: 1 << 6, 4: 1 << 14}, {2: 1 << 14, 4: 1 << 30})
_ID, _LENGTH, _INSTANT = Struct(">H"), Struct(">i"), Struct(">q")


class Body(NamedTuple):
    """A body: its group, transaction and operation, and what follows the operation."""

    group: int
    transaction: int | None
    operation: Form
    fields: Mapping[str, Any]
    #: Of a compensation record: which record it undoes.
    undone: Instant | None
    #: Where its data begin, in the body, and where they end.
    data: tuple[int, int]
    #: How many bytes no field takes, and whether a number has a longer form than it needs.
    surplus: int
    long_number: bool


class Summed(NamedTuple):
    """What a checksum record says of the `length` bytes behind it."""

    length: int
    value: int


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.long = data, 0, False

    def fixed(self, form: Struct) -> int:
        if self.at + form.size > len(self.data):
            raise BadLog("the body ends too soon")
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)

    def number(self, *, wide: bool) -> int:
        begin = self.at
        value, self.at = compressed(self.data, begin, wide=wide)
        size = self.at - begin >> wide
        self.long = self.long or (size > 1 and value < _LIMITS[wide][size])
        return value

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.data) - self.at:
            raise BadLog(f"{size} bytes do not fit into the body")
        self.at += size
        return self.data[self.at - size : self.at]

    def object(self, form: Form, *, null: bool) -> dict[str, Any] | None:
        ident = self.fixed(_ID)
        if not ident and null:
            return None
        if ident != form.id:
            raise BadLog(f"format id {ident} where {form.name} has {form.id}")
        return self.fields(form.fields)

    def fields(self, slots: tuple[Slot, ...]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for slot in slots:
            if slot.when is None or out[slot.when[0]] == slot.when[1]:
                out[slot.name] = self._field(slot, out)
        return out

    def _field(self, slot: Slot, known: Mapping[str, Any]) -> Any:
        kind = slot.type
        if kind in ("cint", "clong"):
            return self.number(wide=kind == "clong")
        if kind in _FIXED:
            return self.fixed(_FIXED[kind])
        if kind == "bytes":
            return self.take(known[slot.length])
        if kind == "utf":
            return modified_utf8(self.take(self.fixed(_FIXED["u2"])))
        if isinstance(slot.of, str):
            return self.object(objects()[slot.of], null=slot.null)
        # Each element takes a byte: more of them than bytes are left end soon.
        return list(self._elements(known[slot.count], slot.of))

    def _elements(self, count: int, slots: tuple[Slot, ...]) -> Iterator[dict[str, Any]]:
        for _ in range(count):
            yield self.fields(slots)


def modified_utf8(data: bytes) -> str:
    """Return the text that Java's modified UTF-8 holds; what is none is replaced."""
    try:
        text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
    # What lies beyond the first plane is stored as two surrogates.
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")


def utf(text: str) -> bytes:
    """Return a text in Java's modified UTF-8."""
    if text and max(text) > "\uffff":
        pairs = text.encode("utf-16-be", "surrogatepass")
        text = "".join(chr(int.from_bytes(pairs[at : at + 2], "big")) for at in range(0, len(pairs), 2))
    return text.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def shortest(value: int, *, wide: bool) -> bytes:
    """Return the shortest form of a compressed int, or (`wide`) a compressed long (DRB-ENC-002)."""
    for short, kind, tag in ((1, 0, 2), (2, 1, 2), (4, 2, 1)):
        size = short << wide
        if 0 <= value < 1 << size * 8 - tag:
            return (kind << size * 8 - 2 | value).to_bytes(size, "big")
    raise ValueError(f"{value} has no compressed form")


@cache
def known(edition: str, order: tuple[str, ...]) -> Mapping[int, Form]:
    """Return the operations that an edition has; `order` is that of the editions."""
    late = order[order.index(edition) + 1 :]
    return {ident: form for ident, form in operations().items() if form.since not in late}


def decode(data: bytes, forms: Mapping[int, Form]) -> Body:
    """Decode a body; raises BadLog (DRB-REC-022)."""
    reader = _Reader(data)
    if (ident := reader.fixed(_ID)) != _LOG_RECORD:
        raise BadLog(f"a body of format id {ident}")
    group = reader.number(wide=False)
    owner = reader.object(objects()["transaction_id"], null=True)
    ident = reader.fixed(_ID)
    if ident not in forms:
        raise BadLog(f"no operation has the format id {ident}")
    fields = reader.fields(forms[ident].fields)
    undone, begin = None, reader.at
    if group & CHECKSUM:
        pass
    elif group & COMPENSATION:
        undone = Instant.unpack(reader.fixed(_INSTANT))
        begin = reader.at
    else:
        size = reader.fixed(_LENGTH)
        begin = reader.at
        reader.take(size)
    number = None if owner is None else int(owner["number"])
    return Body(
        group, number, forms[ident], fields, undone, (begin, reader.at), len(data) - reader.at, reader.long
    )


def coverage(body: bytes) -> Summed | None:
    """Return what a checksum record says, whatever else its group has (DRB-REC-023); None for others.

    Opaque bodies are others. Raises BadLog if it is of another algorithm, or of fewer than no bytes.
    """
    # Of every record only so much is decoded as tells whether it is one.
    try:
        if not (body[:2] == _ID.pack(_LOG_RECORD) and compressed(body, 2, wide=False)[0] & CHECKSUM):
            return None
        found = decode(body, operations())
    except BadLog:
        return None
    if found.operation.name != "CHECKSUM":
        return None
    algorithm, length, value = (int(found.fields[name]) for name in ("algorithm", "data_length", "checksum"))
    if algorithm != 1 or length < 0:
        raise BadLog(f"a checksum of algorithm {algorithm} over {length} bytes", "bad-checksum")
    return Summed(length, value)


def encode(
    group: int, transaction: int | None, form: Form, fields: Mapping[str, Any], tail: bytes = b""
) -> bytes:
    """Return a body; `tail` are its data, or, of a compensation record, the instant that it undoes."""
    owner = None if transaction is None else {"number": transaction}
    start = _ID.pack(_LOG_RECORD) + shortest(group, wide=False) + _object("transaction_id", owner)
    start += _ID.pack(form.id) + b"".join(
        _encoded(slot, fields) for slot in form.fields if _has(slot, fields)
    )
    if group & (CHECKSUM | COMPENSATION):
        return start + tail
    return start + _LENGTH.pack(len(tail)) + tail


def _has(slot: Slot, fields: Mapping[str, Any]) -> bool:
    return slot.when is None or fields[slot.when[0]] == slot.when[1]


def _object(name: str, fields: Mapping[str, Any] | None) -> bytes:
    if fields is None:
        return _ID.pack(0)
    form = objects()[name]
    return _ID.pack(form.id) + b"".join(_encoded(slot, fields) for slot in form.fields)


def _encoded(slot: Slot, fields: Mapping[str, Any]) -> bytes:
    value = fields.get(slot.name)
    if slot.type in ("cint", "clong"):
        return shortest(int(value or 0), wide=slot.type == "clong")
    if slot.type in _FIXED:
        return _FIXED[slot.type].pack(value)
    if slot.type == "bytes":
        return bytes(value or b"")
    if slot.type == "utf":
        text = utf(str(value))
        return _FIXED["u2"].pack(len(text)) + text
    if isinstance(slot.of, str):
        return _object(slot.of, value)
    return b"".join(_encoded(part, item) for item in value or () for part in slot.of)
