"""How the naive reader takes the bodies of log records apart, by the specification's table of operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from journalspec.derby_log.operations import HEAD, LOG_RECORD, Slot, objects, operations, shown

WIDTHS = {"u1": 1, "u2": 2, "s4": 4, "s8": 8}
#: The bytes of a compressed number, by its first two bits.
SIZES = {"cint": (1, 2, 4), "clong": (2, 4, 8)}


class NoBody(Exception):  # no error: what a check finds
    """The bytes are no body of a record."""


class Taker:
    """Bytes that are taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.long = data, 0, False

    def take(self, size: int) -> bytes:
        """Take `size` bytes; raises NoBody if there are fewer."""
        if size < 0 or self.at + size > len(self.data):
            raise NoBody
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> int:
        """Take a number of the type `kind`."""
        if kind in WIDTHS:
            return int.from_bytes(self.take(WIDTHS[kind]), "big", signed=kind.startswith("s"))
        sizes, first = SIZES[kind], self.take(1)[0]
        form = min(first >> 6, 2)
        high = bytes([first & (0x7F if form == 2 else 0x3F)])
        value = int.from_bytes(high + self.take(sizes[form] - 1), "big")
        self.long |= form > 0 and value >> (8 * sizes[form - 1] - 2) == 0
        return value

    def fields(self, slots: Iterable[Slot]) -> dict[str, Any]:
        """Take the fields of an operation or an object."""
        out: dict[str, Any] = {}
        for slot in slots:
            if slot.among(out):
                out[slot.name] = self._field(slot, out)
        return out

    def _field(self, slot: Slot, known: dict[str, Any]) -> Any:
        if slot.type in WIDTHS or slot.type in SIZES:
            return self.number(slot.type)
        if slot.type == "bytes":
            return self.take(known[slot.length])
        if slot.type == "utf":
            return self.take(self.number("u2")).decode(errors="replace")
        if isinstance(slot.of, tuple):
            return [self.fields(slot.of) for _ in range(known[slot.count])]
        form, found = objects()[slot.of], self.number("u2")
        if found != form.id and (found or not slot.null):
            raise NoBody
        return self.fields(form.fields) if found else None


def body(data: bytes) -> dict[str, Any]:
    """Return what a body says; ``surplus`` are bytes behind it. Raises NoBody."""
    taker = Taker(data)
    head = taker.fields(HEAD)
    form = operations().get(head["operation"])
    if head["format"] != LOG_RECORD or form is None:
        raise NoBody
    out = {
        "type": form.name,
        **dict(shown(HEAD[1:3], head)),
        **dict(shown(form.fields, taker.fields(form.fields))),
    }
    if not head["group"] & 0x800:
        if head["group"] & 4:
            out["undone"] = taker.number("s8")
        elif text := taker.take(taker.number("s4")):
            out["data"] = text
    return {**out, "surplus": len(data) - taker.at, "long": taker.long}


def rows(data: bytes) -> list[tuple[int, dict[int, bytes]]]:
    """Return the rows in optional data: record id, and number of a column -> what it holds."""
    taker, out = Taker(data), []
    while taker.at < len(data):
        status, number = taker.take(1)[0], taker.number("cint")
        first = taker.number("cint") if status & 4 else 0
        columns = {}
        for index in range(first, first + taker.number("cint")):
            how = taker.take(1)[0]
            if how & 5 != 5:
                columns[index] = taker.take(taker.number("u2" if how & 0x20 else "cint"))
        out.append((number, columns))
    return out


def columns_in(said: Mapping[str, Any]) -> dict[int, bytes]:
    """Return what the row in a record's data holds, by the numbers of its columns."""
    data = said.get("data", b"")
    found = rows(bytes.fromhex(data) if isinstance(data, str) else data)
    return found[0][1] if found else {}


def key_in(columns: Mapping[int, bytes]) -> str:
    """Return the key in the columns of a row of the tables."""
    return str(int.from_bytes(columns[0], "big", signed=True))


def value_in(columns: Mapping[int, bytes]) -> str:
    """Return the value in them, empty if it is not there."""
    return columns.get(1, b"")[2:].decode(errors="replace")
