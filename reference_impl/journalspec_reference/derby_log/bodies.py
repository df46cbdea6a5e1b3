"""What the bodies of records hold, by the table of operations (DRB-REC-021, DRB-REC-111)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from struct import Struct
from typing import Any, NamedTuple

from journalspec import mutf8
from journalspec.derby_log.operations import LOG_RECORD, Form, Slot, databases, groups, objects, operations
from journalspec.reread import Lazy, Part
from journalspec_reference.derby_log.codec import BadLog, Instant

#: Those whose bodies are known, the oldest first.
EDITIONS = tuple(databases())
BITS = groups()
FIRST, LAST, COMPENSATION = BITS["FIRST"], BITS["LAST"], BITS["COMPENSATION"]
PREPARE, CHECKSUM = BITS["PREPARE"], BITS["CHECKSUM"]
_FIXED = {"u1": Struct(">B"), "u2": Struct(">H"), "s4": Struct(">i"), "s8": Struct(">q")}
#: Lists of up to so many elements are kept as they are decoded.
_FEW = 16
#: What a body begins with.
BODY_START = LOG_RECORD.to_bytes(2, "big")


class Body(NamedTuple):
    """A body: its group, transaction and operation, and what follows the operation."""

    group: int
    transaction: int | None
    operation: Form
    fields: Mapping[str, Any]
    #: Of a compensation record: which record it undoes.
    undone: Instant | None
    data: bytes
    #: How many bytes no field takes, and whether a number has a longer form than it needs.
    surplus: int
    long_number: bool


class Summed(NamedTuple):
    """What a checksum record says of the `length` bytes behind it."""

    length: int
    value: int


class BodyReader:
    """Bytes that are read from `at` on; every method raises BadLog where there are too few."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at
        #: Whether a number had a longer form than it needs.
        self.long = False

    def fixed(self, kind: str) -> int:
        """Read a number of a fixed width."""
        form = _FIXED[kind]
        if self.at + form.size > len(self.data):
            raise BadLog("the body ends too soon")
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)

    def number(self, *, wide: bool) -> int:
        """Read a compressed int, or (`wide`) a compressed long: its first two bits are its form."""
        form = self.data[self.at] >> 6 if self.at < len(self.data) else 0
        data = self.take((1, 2, 4, 4)[form] << wide)
        value = int.from_bytes(data, "big") & (1 << 8 * len(data) - (1 if form > 1 else 2)) - 1
        # The next shorter form has half of the bytes.
        self.long = self.long or (form > 0 and value >> 4 * len(data) - 2 == 0)
        return value

    def take(self, size: int) -> bytes:
        """Read `size` bytes."""
        if not 0 <= size <= len(self.data) - self.at:
            raise BadLog(f"{size} bytes do not fit into the body")
        self.at += size
        return self.data[self.at - size : self.at]

    def object(self, form: Form, *, null: bool) -> dict[str, Any] | None:
        """Read an object, or (`null`) that there is none."""
        ident = self.fixed("u2")
        if not ident and null:
            return None
        if ident != form.id:
            raise BadLog(f"format id {ident} where {form.name} has {form.id}")
        return self.fields(form.fields)

    def fields(self, slots: tuple[Slot, ...]) -> dict[str, Any]:
        """Read the fields of an operation, of an object or of an element."""
        out: dict[str, Any] = {}
        for slot in slots:
            if slot.among(out):
                out[slot.name] = self._field(slot, out)
        return out

    def element(self, slots: tuple[Slot, ...], number: int) -> dict[str, Any]:
        """Read the element of a list that has this number."""
        return self.fields(slots)

    def _field(self, slot: Slot, known: Mapping[str, Any]) -> Any:
        kind = slot.type
        if kind in ("cint", "clong"):
            return self.number(wide=kind == "clong")
        if kind in _FIXED:
            return self.fixed(kind)
        if kind == "bytes":
            return self.take(known[slot.length])
        if kind == "utf":
            return mutf8.readable(self.take(self.fixed("u2")))
        if isinstance(slot.of, str):
            return self.object(objects()[slot.of], null=slot.null)
        # Each element takes a byte: more of them than bytes are left end soon. An object costs many times
        # its bytes: of a long list the bytes are kept, and decoded for whoever goes through it.
        start, count, rows = self.at, known[slot.count], []
        for number in range(count):
            row = self.element(slot.of, number)
            if count <= _FEW:
                rows.append(row)
        if count <= _FEW:
            return rows
        return Lazy([Part("", partial(_elements, self.data[start : self.at], slot.of, count), count)])


def _elements(data: bytes, slots: tuple[Slot, ...], count: int) -> Iterator[dict[str, Any]]:
    reader = BodyReader(data)
    return (reader.element(slots, number) for number in range(count))


@cache
def known(edition: str) -> Mapping[int, Form]:
    """Return the operations that an edition has."""
    late = EDITIONS[EDITIONS.index(edition) + 1 :]
    return {ident: form for ident, form in operations().items() if form.since not in late}


def decode(data: bytes, forms: Mapping[int, Form]) -> Body:
    """Decode a body; raises BadLog (DRB-REC-022)."""
    reader = BodyReader(data)
    if (ident := reader.fixed("u2")) != LOG_RECORD:
        raise BadLog(f"a body of format id {ident}")
    group = reader.number(wide=False)
    owner = reader.object(objects()["transaction_id"], null=True)
    ident = reader.fixed("u2")
    if ident not in forms:
        raise BadLog(f"no operation has the format id {ident}")
    fields = reader.fields(forms[ident].fields)
    undone, more = None, b""
    if group & COMPENSATION and not group & CHECKSUM:
        undone = Instant.unpack(reader.fixed("s8"))
    elif not group & CHECKSUM:
        more = reader.take(reader.fixed("s4"))
    number = None if owner is None else int(owner["number"])
    return Body(group, number, forms[ident], fields, undone, more, len(data) - reader.at, reader.long)


def coverage(body: bytes) -> Summed | None:
    """Return what a checksum record says, whatever else its group has (DRB-REC-023); None for others.

    Opaque bodies are others. Raises BadLog if it is of another algorithm, or of fewer than no bytes.
    """
    # Of every record only so much is decoded as tells whether it is one.
    try:
        if not (body[:2] == BODY_START and BodyReader(body, 2).number(wide=False) & CHECKSUM):
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
