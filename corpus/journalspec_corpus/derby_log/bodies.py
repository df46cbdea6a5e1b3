"""What the naive reader knows of the bodies of log records, by its own table ``bodies.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from journalspec_corpus import naive
from journalspec_corpus.naive import Invalid


def _operations() -> dict[int, tuple[str, list[list[str]]]]:
    """Return format id -> name, and the kind and name of each field."""
    told = tomllib.loads(files(__package__).joinpath("bodies.toml").read_text(encoding="utf-8"))
    texts = {name: entry["fields"].format(**told["begins"]) for name, entry in told["operations"].items()}
    fields = {name: [item.split(":") for item in text.split()] for name, text in texts.items()}
    return {entry["id"]: (name, fields[name]) for name, entry in told["operations"].items()}


OPERATIONS = _operations()
WIDTHS = {"b": 1, "w": 4, "q": 8}


class Taker(naive.Taker):
    """Bytes that are taken from the front; `long`: a compressed number took more of them than it has to."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.long = False

    def compressed(self, sizes: tuple[int, int, int]) -> int:
        """Take a compressed number: its first two bits say how many bytes it has."""
        first = self.take(1)[0]
        form = min(first >> 6, 2)
        high = bytes([first & (0x7F if form == 2 else 0x3F)])
        value = int.from_bytes(high + self.take(sizes[form] - 1), "big")
        self.long |= form > 0 and value >> (8 * sizes[form - 1] - 2) == 0
        return value

    def cint(self) -> int:
        """Take a compressed int."""
        return self.compressed((1, 2, 4))

    def clong(self) -> int:
        """Take a compressed long."""
        return self.compressed((2, 4, 8))

    def thing(self, wanted: int) -> bool:
        """Take the format id of an object: `wanted`, or 0 for none."""
        found = int.from_bytes(self.take(2), "big")
        if found not in (wanted, 0):
            raise Invalid("malformed")
        return found != 0

    def xa(self) -> dict[str, Any] | None:
        """Take the XA id of a branch, if there is one."""
        if not self.thing(328):
            return None
        form = self.number(4)
        gtrid = self.take(self.take(1)[0])
        return {"format_id": form, "gtrid": gtrid, "bqual": self.take(self.take(1)[0])}

    def instant(self) -> int | None:
        """Take an instant that is an object."""
        return self.clong() << 32 | self.clong() if self.thing(130) else None


def body(data: bytes) -> dict[str, Any]:
    """Return what a body says; ``surplus`` are bytes behind it. Raises Invalid."""
    taker = Taker(data)
    if taker.take(2) != b"\x00\x81":
        raise Invalid("malformed")
    out: dict[str, Any] = {"group": taker.cint()}
    if taker.thing(147):
        out["transaction"] = taker.clong()
    number = int.from_bytes(taker.take(2), "big")
    if number not in OPERATIONS:
        raise Invalid("malformed")
    name, fields = OPERATIONS[number]
    out = {"type": name, **out}
    for kind, field in fields:
        value = _field(taker, kind, out)
        if value is not None:
            out[field] = value
    if not out["group"] & 0x800:
        if out["group"] & 4:
            out["undone"] = taker.number(8)
        elif text := taker.take(taker.number(4)):
            out["data"] = text
    return {**out, "surplus": len(data) - taker.at, "long": taker.long}


def _field(taker: Taker, kind: str, known: dict[str, Any]) -> Any:
    if kind in WIDTHS:
        return taker.number(WIDTHS[kind], signed=kind != "b")
    if kind in ("i", "l"):
        return taker.cint() if kind == "i" else taker.clong()
    if kind == "xa":
        return taker.xa()
    if kind == "undo":
        return taker.thing(95)
    if kind == "text":
        return taker.take(int.from_bytes(taker.take(2), "big")).decode(errors="replace")
    if kind == "purged":
        return [{"record_id": taker.cint()} for _ in range(taker.cint())]
    if kind == "copied":
        count, known["slot"] = taker.cint(), taker.cint()
        return [{"record_id": taker.cint(), "reserved": taker.cint()} for _ in range(count)]
    if kind == "created":
        return taker.take(taker.number(4)) if known["action"] == 1 else None
    return _table(taker) if known["has_table"] == 1 else None


def _table(taker: Taker) -> list[dict[str, Any]] | None:
    if not taker.thing(262):
        return None
    out = []
    for _ in range(taker.cint()):
        if not taker.thing(261):
            continue
        row = {"transaction": taker.clong() if taker.thing(147) else None, "global_id": taker.xa()}
        row |= {"first": taker.instant(), "last": taker.instant(), "status": taker.number(4)}
        out.append({key: value for key, value in row.items() if value is not None})
    return out


def rows(data: bytes) -> list[tuple[int, dict[int, bytes]]]:
    """Return the rows in optional data: record id, and number of a column -> what it holds."""
    taker, out = Taker(data), []
    while taker.at < len(data):
        status, number = taker.take(1)[0], taker.cint()
        first = taker.cint() if status & 4 else 0
        columns = {}
        for index in range(first, first + taker.cint()):
            how = taker.take(1)[0]
            if how & 5 != 5:
                columns[index] = taker.take(taker.number(2) if how & 0x20 else taker.cint())
        out.append((number, columns))
    return out
