"""How the naive reader takes the bodies of log records apart, by the specification's table of operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from journalspec.derby_log.operations import HEAD, LOG_RECORD, Slot, objects, operations, shown
from journalspec_corpus import naive
from journalspec_corpus.naive import Invalid

WIDTHS = {"u1": 1, "u2": 2, "s4": 4, "s8": 8}
#: The bytes of a compressed number, by its first two bits.
SIZES = {"cint": (1, 2, 4), "clong": (2, 4, 8)}


class BodyTaker(naive.Taker):
    """Bytes that are taken from the front; `long`: a compressed number took more of them than it has to."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.long = False

    def value(self, kind: str) -> int:
        """Take a number of the type `kind`."""
        if kind in WIDTHS:
            return self.number(WIDTHS[kind], signed=kind.startswith("s"))
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
            return self.value(slot.type)
        if slot.type == "bytes":
            return self.take(known[slot.length])
        if slot.type == "utf":
            return self.take(self.value("u2")).decode(errors="replace")
        if isinstance(slot.of, tuple):
            return [self.fields(slot.of) for _ in range(known[slot.count])]
        form, found = objects()[slot.of], self.value("u2")
        if found != form.id and (found or not slot.null):
            raise Invalid("malformed")
        return self.fields(form.fields) if found else None


def body(data: bytes) -> dict[str, Any]:
    """Return what a body says; ``surplus`` are bytes behind it. Raises Invalid."""
    taker = BodyTaker(data)
    head = taker.fields(HEAD)
    form = operations().get(head["operation"])
    if head["format"] != LOG_RECORD or form is None:
        raise Invalid("malformed")
    out = {
        "type": form.name,
        **dict(shown(HEAD[1:3], head)),
        **dict(shown(form.fields, taker.fields(form.fields))),
    }
    if not head["group"] & 0x800:
        if head["group"] & 4:
            out["undone"] = taker.value("s8")
        elif text := taker.take(taker.value("s4")):
            out["data"] = text
    return {**out, "surplus": len(data) - taker.at, "long": taker.long}


def rows(data: bytes) -> list[tuple[int, dict[int, bytes]]]:
    """Return the rows in optional data: record id, and number of a column -> what it holds."""
    taker, out = BodyTaker(data), []
    while taker.at < len(data):
        status, number = taker.take(1)[0], taker.value("cint")
        first = taker.value("cint") if status & 4 else 0
        columns = {}
        for index in range(first, first + taker.value("cint")):
            how = taker.take(1)[0]
            if how & 5 != 5:
                columns[index] = taker.take(taker.value("u2" if how & 0x20 else "cint"))
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
