"""Decodes the bodies of records by the table of operations (DRB-REC-021, DRB-REC-111)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from struct import Struct
from typing import Any

from journalspec import mutf8
from journalspec.derby_log.operations import (
    LOG_RECORD,
    Form,
    Slot,
    databases,
    groups,
    objects,
    operations,
    part,
    shown,
)
from journalspec.observation import At, Record
from journalspec.reread import Lazy, Part
from journalspec_reference.batches import Batch
from journalspec_reference.derby_log.codec import BEFORE, BEHIND, BadLog, Instant
from journalspec_reference.value_cache import ValueCache

#: Editions whose record bodies are specified, the oldest first.
EDITIONS = tuple(databases())
BITS = groups()
FIRST, LAST, COMPENSATION = BITS["FIRST"], BITS["LAST"], BITS["COMPENSATION"]
PREPARE, CHECKSUM = BITS["PREPARE"], BITS["CHECKSUM"]
_FIXED = {"u1": Struct(">B"), "u2": Struct(">H"), "s4": Struct(">i"), "s8": Struct(">q")}
#: For each form of a compressed int and of a compressed long: its size in bytes, and the mask for its number.
_NARROW = ((1, 0x3F), (2, 0x3FFF), (4, 0x7FFFFFFF), (4, 0x7FFFFFFF))
_WIDE = tuple(
    (2 * size, (1 << 16 * size - (1 if form > 1 else 2)) - 1) for form, (size, _) in enumerate(_NARROW)
)
#: Lists of up to this many elements are cached in decoded form.
_FEW = 16
#: Bodies up to the first length are cached in decoded form. The cached bodies have at most the second number
#: of stored bytes, and take about 2 MiB.
_MOST, _SHORT = 1 << 18, 128
#: The number of the transaction at the start of a body.
_OWNER = tuple(slot for slot in part("head") if slot.name == "transaction")
#: The first bytes of every body.
BODY_START = LOG_RECORD.to_bytes(2, "big")


@dataclass
class Body:
    """Represents a body: its group, transaction and operation, and the bytes after the operation."""

    group: int
    transaction: int | None
    operation: Form
    fields: Mapping[str, Any]
    #: The record that a compensation record undoes. None for other records.
    undone: Instant | None
    data: bytes
    #: Two facts: the number of bytes after the last field, and whether any number is stored in a longer form
    #: than necessary.
    surplus: int
    long_number: bool

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The fields of a record with this body, in the form of an observation."""
        out: dict[str, Any] = {"group": self.group}
        if self.transaction is not None:
            out["transaction"] = self.transaction
        out |= shown(self.operation.fields, self.fields)
        if self.undone is not None:
            out["undone"] = self.undone.packed
        elif self.data:
            out["data"] = self.data
        return out


#: The role of a record in a replay: a page change, an undo, begin or end of a transaction, creation or
#: removal of a container, or no effect. CLOSELY means that only the decoded body shows the role.
CHANGE, UNDO, BEGIN, END, MAKE, NOTHING, CLOSELY = range(7)
#: A batch of at least this many records is decoded by NumPy, if it is installed.
MANY = 1024


#: A compressed int in its shortest form.
_INT = rb"[\0-\x3f]|\x40[\x40-\xff]|[\x41-\x7f].|\x80\0[\x40-\xff].|\x80[^\0]..|[\x81-\xff]..."
NUMBER = re.compile(_INT, re.DOTALL)
#: Patterns for 1, 2, 4, ... consecutive compressed ints in their shortest form.
_NUMBERS = [re.compile(b"(?:%b){%d}+" % (_INT, 1 << power), re.DOTALL) for power in range(13)]
#: A first byte below this is a complete number in its shortest form.
SHORTEST = 0x40


#: A function that receives path, start, end and value of a field.
Named = Callable[[str, int, int, Any], None]


class BodyReader:
    """Reads `data` from `at` on. Every method raises BadLog if too few bytes are left.

    `named` receives each field, in order.
    """

    def __init__(self, data: bytes, named: Named | None = None, at: int = 0) -> None:
        self.data, self.at, self._named = data, at, named
        #: Whether any number was stored in a longer form than necessary.
        self.long = False

    def fixed(self, kind: str) -> int:
        """Read a number of a fixed width."""
        form, at = _FIXED[kind], self.at
        self.at = end = at + form.size
        if end > len(self.data):
            raise BadLog("the body ends too soon")
        value: int = form.unpack_from(self.data, at)[0]
        return value

    def number(self, *, wide: bool) -> int:
        """Read a compressed int, or (`wide`) a compressed long.

        The first two bits determine the form of the number.
        """
        data, at = self.data, self.at
        form = data[at] >> 6 if at < len(data) else 0
        size, mask = _WIDE[form] if wide else _NARROW[form]
        self.at = end = at + size
        if end > len(data):
            raise BadLog(f"{size} bytes do not fit into the body")
        value = int.from_bytes(data[at:end], "big") & mask
        # The next shorter form has half of the bytes.
        if form and value >> 4 * size - 2 == 0:
            self.long = True
        return value

    def take(self, size: int) -> bytes:
        """Read `size` bytes."""
        if not 0 <= size <= len(self.data) - self.at:
            raise BadLog(f"{size} bytes do not fit into the body")
        self.at += size
        return self.data[self.at - size : self.at]

    def fields(self, slots: tuple[Slot, ...], path: str = "") -> dict[str, Any]:  # noqa: C901, PLR0912, PLR0915  # by type
        """Read the fields of an operation, object or element. `path` precedes the names of the fields."""
        out: dict[str, Any] = {}
        #: A stack of the enclosing structures. For each, it contains the remaining slots, the fields so far,
        #: and the path. The last structure is continued next.
        later: list[tuple[Iterator[Slot], dict[str, Any], str]] = []
        data, last, left = self.data, len(self.data) - 1, iter(slots)
        while True:
            for slot in left:
                if slot.when and not slot.among(out):
                    continue
                at, kind = self.at, slot.type
                value: Any
                # Most fields are small numbers in their shortest form: one byte, or two of a compressed long.
                if at < last and data[at] < SHORTEST and kind == "cint":
                    value, self.at = data[at], at + 1
                elif at < last and data[at] < SHORTEST and kind == "clong":
                    value, self.at = data[at] << 8 | data[at + 1], at + 2
                elif kind in ("cint", "clong"):
                    value = self.number(wide=kind == "clong")
                elif kind in _FIXED:
                    value = self.fixed(kind)
                elif kind == "bytes":
                    value = self.take(out[slot.length])
                elif kind == "utf":
                    value = mutf8.readable(self.take(self.fixed("u2")))
                elif isinstance(slot.of, str):
                    form, ident = objects()[slot.of], self.fixed("u2")
                    if self._named is not None:
                        self._named(f"{path}{slot.name}.id", at, self.at, ident)
                    if not ident and slot.null:
                        out[slot.name] = None
                        continue
                    if ident != form.id:
                        raise BadLog(f"format id {ident} where {form.name} has {form.id}")
                    later.append((left, out, path))
                    inner = out[slot.name] = {}
                    left, out, path = iter(form.fields), inner, f"{path}{slot.name}."
                    break
                elif (count := out[slot.count]) <= _FEW:
                    later.append((left, out, path))
                    rows = out[slot.name] = [{} for _ in range(count)]
                    for number in range(count, 0, -1):
                        later.append((iter(slot.of), rows[number - 1], f"{path}{slot.name}{number}."))
                    left, out, path = later.pop()
                    break
                else:
                    # A decoded object takes many times its stored bytes, so a long list is kept in encoded
                    # form. A pattern skips numbers in their shortest forms. Other elements are decoded to
                    # find their end. Each element takes at least a byte, so a count larger than the remaining
                    # bytes soon raises BadLog.
                    plain = self._named is None and {each.type for each in slot.of} == {"cint"}
                    end = passed(data, at, len(data), count * len(slot.of)) if plain else -1
                    if end < 0:
                        for number in range(1, count + 1):
                            self.fields(slot.of, f"{path}{slot.name}{number}.")
                    self.at = max(self.at, end)
                    elements = partial(_elements, data[at : self.at], slot.of, count)
                    out[slot.name] = Lazy([Part("", elements, count)])
                    continue
                out[slot.name] = value
                if self._named is not None and self.at > at:
                    self._named(path + slot.name, at, self.at, value)
            else:
                if not later:
                    return out
                left, out, path = later.pop()


def _elements(data: bytes, slots: tuple[Slot, ...], count: int) -> Iterator[dict[str, Any]]:
    reader = BodyReader(data)
    return (reader.fields(slots) for _ in range(count))


def passed(data: bytes, at: int, stop: int, count: int) -> int:
    """Return the end of `count` compressed ints from `at` on. Return -1 if one of these ints is longer than
    necessary.

    Return -1 also if the last int ends after `stop`.
    """
    while count > 0:
        power = min(count.bit_length(), len(_NUMBERS)) - 1
        found = _NUMBERS[power].match(data, at, stop)
        if found is None:
            return -1
        at, count = found.end(), count - (1 << power)
    return at


class Forms(dict[int, Form]):
    """Maps format ids to operations, and caches the last bodies decoded by these operations."""

    def __init__(self, forms: Mapping[int, Form]) -> None:
        super().__init__(forms)
        self.recent = ValueCache[Body](longest=_SHORT, most=_MOST)


@cache
def known(edition: str) -> Forms:
    """Return the operations of an edition."""
    late = EDITIONS[EDITIONS.index(edition) + 1 :]
    return Forms({ident: form for ident, form in operations().items() if form.since not in late})


@cache
def _all() -> Forms:
    return Forms(operations())


def decode(data: bytes, forms: Forms | None = None) -> Body:
    """Return the fields of a body. By default, all operations are known. Raises BadLog (DRB-REC-022).

    Callers must not change the result, because two calls with equal bytes can return the same object.
    """
    forms = _all() if forms is None else forms
    # The cache saves time: a recovery decodes some records several times, and recoveries of many crash states
    # of one log decode all records again.
    if (kept := forms.recent.get(data)) is not None:
        return kept
    if not data.startswith(BODY_START):
        raise BadLog(f"a body of format id {BodyReader(data).fixed('u2')}")
    reader = BodyReader(data, at=len(BODY_START))
    group = reader.number(wide=False)
    owner = reader.fields(_OWNER)["transaction"]
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
    body = Body(group, number, forms[ident], fields, undone, more, len(data) - reader.at, reader.long)
    forms.recent.put(data, body)
    return body


def coverage(body: bytes) -> tuple[int, int] | None:
    """Return the number of bytes that a checksum record covers, and the checksum. Return None for any other
    body (DRB-REC-023).

    Such a body has the group bit CHECKSUM and the operation CHECKSUM; other bits do not matter. The result
    for an opaque body is None. Raises BadLog for an unknown algorithm or a negative length.
    """
    # Most bodies need not be decoded, because their group shows that they are not checksum records.
    try:
        size, mask = _NARROW[body[2] >> 6] if len(body) > 2 else (1, 0)
        group = int.from_bytes(body[2 : 2 + size], "big") & mask if len(body) >= 2 + size else 0
        if not (body[:2] == BODY_START and group & CHECKSUM):
            return None
        found = decode(body)
    except BadLog:
        return None
    if found.operation.name != "CHECKSUM":
        return None
    algorithm, length, value = (int(found.fields[name]) for name in ("algorithm", "data_length", "checksum"))
    if algorithm != 1 or length < 0:
        raise BadLog(f"a checksum of algorithm {algorithm} over {length} bytes", "bad-checksum")
    return length, value


def records_of(number: int, name: str, forms: Forms | None, batch: Batch) -> Iterator[Record]:
    """Yield the records of a batch of log file `number`. Without `forms`, their bodies are opaque."""
    for start, end in zip(batch.off, batch.end, strict=True):
        data, off = batch.data[start + BEFORE : end - BEHIND], batch.base + start
        at = At(name, off, end - start)
        out: dict[str, Any] = {"length": len(data), "instant": number << 32 | off}
        if forms is None:
            yield Record("OTHER", {**out, "body": data}, at)
        else:
            body = decode(data, forms)
            yield Record(body.operation.name, out | body.shown, at)
