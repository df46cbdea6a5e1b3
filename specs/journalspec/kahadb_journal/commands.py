"""The payload of a record.

This module loads the table ``commands.toml``, which describes the messages of commands. Its functions build
such messages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

VARINT, SIZED = 0, 2
#: Maps the type of a varint to its number of bits.
BITS = {"s4": 32, "s8": 64, "bool": 32}
#: The numbers of the kinds of destinations.
KINDS = ("QUEUE", "TOPIC", "TEMP_QUEUE", "TEMP_TOPIC")


@dataclass(frozen=True, slots=True)
class Slot:
    """Represents one field of a message: its number, its name, and its type (see ``commands.toml``)."""

    number: int
    name: str
    holds: str
    default: Any = None

    @property
    def wire(self) -> int:
        """The wire type with which the field is stored."""
        return VARINT if self.holds in BITS else SIZED


@cache
def messages() -> Mapping[str, Mapping[tuple[int, int], Slot]]:
    """Return a mapping from message to its fields: (number, wire type) -> field."""
    text = files(__package__).joinpath("commands.toml").read_text(encoding="utf-8")
    out: dict[str, Mapping[tuple[int, int], Slot]] = {}
    for name, rows in tomllib.loads(text)["message"].items():
        slots = [Slot(**row) for row in rows]
        out[name] = {(slot.number, slot.wire): slot for slot in slots}
    return out


def build(name: str, values: Mapping[str, Any]) -> bytes:
    """Return the bytes of message `name`: the fields in `values`, in the order of the table."""
    out = bytearray()
    for slot in messages()[name].values():
        if slot.name not in values or values[slot.name] is None:
            continue
        value = values[slot.name]
        out += as_varint(slot.number << 3 | slot.wire)
        if slot.holds in BITS:
            out += as_varint(int(value))
            continue
        if slot.holds == "str":
            value = value.encode("utf-8")
        elif slot.holds != "bytes":
            value = build(slot.holds, value)
        out += as_varint(len(value)) + value
    return bytes(out)


def framed(number: int, message: bytes) -> bytes:
    """Return the payload of a command with this number (KHD-CMD-001)."""
    return bytes([number]) + as_varint(len(message)) + message


def as_varint(value: int) -> bytes:
    """Return a number as a varint. A negative number takes ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
