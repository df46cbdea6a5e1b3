"""Reading commands: a small parser of Protocol Buffers as the product has it.

Unknown fields are skipped, the last value counts, messages within messages are merged,
nothing is required (KHD-CMD-002 to KHD-CMD-008).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from journalspec.kahadb_journal.commands import BITS, SIZED, VARINT, Slot, messages

_FIXED = {1: 8, 5: 4}
_LONGEST = 10
#: Messages within messages up to so many bytes are remembered, so many at a time: a journal repeats few.
_REMEMBERED, _MOST_REMEMBERED = 256, 4096
_known: dict[tuple[str, bytes], Mapping[str, Any]] = {}


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


def command(payload: bytes, names: Mapping[int, str]) -> tuple[str, dict[str, Any], int]:
    """Return the name of a command, its fields, and how many bytes follow; raises CommandError."""
    number, message, surplus = frame(payload)
    if number not in names:
        raise CommandError(f"no command has the number {number}")  # KHD-CMD-009
    return names[number], parse(names[number], message), surplus


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


@cache
def _fields(name: str) -> tuple[dict[int, Slot], frozenset[int]]:
    """Return key -> field of a message, and the numbers of its fields."""
    table = messages()[name]
    return {number << 3 | wire: slot for (number, wire), slot in table.items()}, frozenset(
        number for number, _ in table
    )


def parse(name: str, data: bytes, known: Mapping[str, Any] = {}) -> dict[str, Any]:  # noqa: C901, PLR0912
    """Return the fields of message `name` that `data` holds, over those `known`; raises CommandError."""
    slots, numbers = _fields(name)
    out: dict[str, Any] = dict(known)
    at, end = 0, len(data)
    while at < end:
        key, slot = data[at], slots.get(data[at])
        at += 1
        if slot is None:
            # Not a field, or a key of more than one byte.
            if key > 0x7F:
                key, at = varint(data, at - 1)
            if not key >> 3 & 0x1FFFFFFF:
                raise CommandError("a field has the number 0")
            slot = slots.get(key & 0xFFFFFFFF)
        wire = key & 7
        if wire not in _FIXED:
            if wire not in (VARINT, SIZED):
                raise CommandError(f"field {key >> 3 & 0x1FFFFFFF} has the wire type {wire}")
            value = data[at] if at < end else 0x80
            at += 1
            if value > 0x7F:
                value, at = varint(data, at - 1)
        if wire != VARINT:
            size = _FIXED.get(wire, value)
            if size > end - at:
                raise CommandError(f"field {key >> 3 & 0x1FFFFFFF} reaches beyond its message")
            at += size
        if slot is None:
            if key >> 3 & 0x1FFFFFFF in numbers:
                raise CommandError(f"field {key >> 3 & 0x1FFFFFFF} has the wire type {wire}")
            continue
        holds = slot.holds
        if wire == VARINT:
            amount = _signed(value, BITS[holds])
            out[slot.name] = bool(amount) if holds == "bool" else amount
        elif holds == "bytes":
            out[slot.name] = data[at - size : at]
        elif holds == "str":
            out[slot.name] = data[at - size : at].decode("utf-8", "replace")
        elif slot.name in out:
            out[slot.name] = parse(holds, data[at - size : at], out[slot.name])
        else:
            out[slot.name] = _within(holds, data[at - size : at])
    return out


def _within(name: str, data: bytes) -> Mapping[str, Any]:
    """Return what :func:`parse` does, of what was parsed before the same object; raises CommandError."""
    found = _known.get((name, data))
    if found is None:
        found = parse(name, data)
        if len(data) <= _REMEMBERED:
            if len(_known) >= _MOST_REMEMBERED:
                _known.clear()  # a journal of crafted names must not slow down the next one
            _known[name, data] = found
    return found
