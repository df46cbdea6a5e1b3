"""Reading commands: a small parser of Protocol Buffers as the product has it.

Unknown fields are skipped, the last value counts, messages within messages are merged,
nothing is required (KHD-CMD-002 to KHD-CMD-008).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.kahadb_journal.commands import BITS, SIZED, VARINT, messages

_FIXED = {1: 8, 5: 4}
_LONGEST = 10


class CommandError(ValueError):
    """The payload is no command; the text says why (KHD-CMD-002, KHD-CMD-004)."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the unsigned varint at `at` and where it ends; raises CommandError."""
    value = 0
    for index in range(_LONGEST):
        if at + index >= len(data):
            raise CommandError(f"a varint at {at} does not end")
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & (1 << 64) - 1, at + index + 1
    raise CommandError(f"a varint at {at} has more than {_LONGEST} bytes")


def frame(payload: bytes) -> tuple[int, bytes, int]:
    """Return the number of a command, its message, and how many bytes follow; raises CommandError."""
    if not payload:
        raise CommandError("the payload is empty")
    size, at = varint(payload, 1)
    if at > 6 or size > 0x7FFFFFFF:
        raise CommandError("the length of the message is no 31-bit number")
    if size > len(payload) - at:
        raise CommandError(f"the message has {size} bytes and {len(payload) - at} are there")
    return payload[0], payload[at : at + size], len(payload) - at - size


def _pieces(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Yield number, wire type and value (an integer, or bytes) of the fields of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3 & 0x1FFFFFFF, key & 7
        if not number:
            raise CommandError("a field has the number 0")
        if wire == VARINT:
            value, at = varint(data, at)
            yield number, wire, value
            continue
        if wire == SIZED:
            size, at = varint(data, at)
        elif wire in _FIXED:
            size = _FIXED[wire]
        else:
            raise CommandError(f"field {number} has the wire type {wire}")
        if size > len(data) - at:
            raise CommandError(f"field {number} reaches beyond its message")
        yield number, wire, data[at : at + size]
        at += size


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def parse(name: str, data: bytes, known: Mapping[str, Any] = {}) -> dict[str, Any]:
    """Return the fields of message `name` that `data` holds, over those `known`; raises CommandError."""
    table = messages()[name]
    numbers = {number for number, _ in table}
    out: dict[str, Any] = dict(known)
    for number, wire, value in _pieces(data):
        slot = table.get((number, wire))
        if slot is None:
            if number in numbers:
                raise CommandError(f"field {number} has the wire type {wire}")
            continue
        if slot.holds in BITS:
            amount = _signed(value, BITS[slot.holds])
            out[slot.name] = bool(amount) if slot.holds == "bool" else amount
        elif slot.holds == "bytes":
            out[slot.name] = value
        elif slot.holds == "str":
            out[slot.name] = value.decode("utf-8", "replace")
        else:
            out[slot.name] = parse(slot.holds, value, out.get(slot.name, {}))
    return out
