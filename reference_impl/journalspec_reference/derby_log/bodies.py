"""What the bodies of records hold, by the table of operations (DRB-REC-021, DRB-REC-111)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from struct import Struct
from typing import Any, NamedTuple

from journalspec.derby_log.operations import LOG_RECORD, Form, Slot, databases, groups, objects, operations
from journalspec_reference.derby_log.codec import BadLog, Instant, compressed

#: Those whose bodies are known, the oldest first.
EDITIONS = tuple(databases())
BITS = groups()
FIRST, LAST, COMPENSATION = BITS["FIRST"], BITS["LAST"], BITS["COMPENSATION"]
PREPARE, CHECKSUM = BITS["PREPARE"], BITS["CHECKSUM"]
_FIXED = {"u1": Struct(">B"), "u2": Struct(">H"), "s4": Struct(">i"), "s8": Struct(">q")}
#: What the next shorter form of a compressed number holds, by its size: int, long (in two bytes).
_LIMITS = ({2: 1 << 6, 4: 1 << 14}, {2: 1 << 14, 4: 1 << 30})
#: Longer bodies are not remembered (bytes).
SHORT = 1 << 10
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
            if slot.among(out):
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


@cache
def known(edition: str) -> Mapping[int, Form]:
    """Return the operations that an edition has."""
    late = EDITIONS[EDITIONS.index(edition) + 1 :]
    return {ident: form for ident, form in operations().items() if form.since not in late}


def decode(data: bytes, forms: Mapping[int, Form]) -> Body:
    """Decode a body; raises BadLog (DRB-REC-022)."""
    reader = _Reader(data)
    if (ident := reader.fixed(_ID)) != LOG_RECORD:
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


@lru_cache(1 << 11)
def _remembered(data: bytes, edition: str) -> Body:
    return decode(data, known(edition))


def body_of(data: bytes, edition: str) -> Body:
    """Decode a body by the operations of an edition; raises BadLog.

    Short ones are remembered, for many files hold the same ones: nobody may change what is returned.
    """
    return _remembered(data, edition) if len(data) <= SHORT else decode(data, known(edition))


def coverage(body: bytes) -> Summed | None:
    """Return what a checksum record says, whatever else its group has (DRB-REC-023); None for others.

    Opaque bodies are others. Raises BadLog if it is of another algorithm, or of fewer than no bytes.
    """
    # Of every record only so much is decoded as tells whether it is one.
    try:
        if not (body[:2] == _ID.pack(LOG_RECORD) and compressed(body, 2, wide=False)[0] & CHECKSUM):
            return None
        found = body_of(body, EDITIONS[-1])
    except BadLog:
        return None
    if found.operation.name != "CHECKSUM":
        return None
    algorithm, length, value = (int(found.fields[name]) for name in ("algorithm", "data_length", "checksum"))
    if algorithm != 1 or length < 0:
        raise BadLog(f"a checksum of algorithm {algorithm} over {length} bytes", "bad-checksum")
    return Summed(length, value)
