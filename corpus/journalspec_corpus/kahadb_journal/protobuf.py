"""The naive parser of commands, which follows the table of commands byte by byte."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec.kahadb_journal.commands import messages

_MOST = 0x7FFFFFFF


class NoCommand(Exception):  # These exceptions are not errors, but possible results of a check.
    """This exception means that the payload is not a command."""


def command(payload: bytes, edition: str) -> tuple[int, Mapping[str, Any], int]:
    """Return the number and fields of a command, and how many bytes follow it; raises NoCommand."""
    if not payload or payload[0] not in LAYOUT.types(edition).values():
        raise NoCommand
    size, at = _number(payload, 1)
    if at > 1 + 5 or size > _MOST or at + size > len(payload):
        raise NoCommand
    name = LAYOUT.type_name(edition, payload[0])
    return payload[0], _message(name, payload[at : at + size]), len(payload) - at - size


def _number(data: bytes, at: int) -> tuple[int, int]:
    bits = ""
    for count in range(10):
        if at + count >= len(data):
            raise NoCommand
        bits = f"{data[at + count] & 127:07b}" + bits
        if data[at + count] < 128:  # The highest bit means that another byte follows.
            return int(bits, 2) % (1 << 64), at + count + 1
    raise NoCommand


def _message(name: str, data: bytes, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    known = messages()[name]
    out: dict[str, Any] = dict(before or {})
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        number, wire = (key >> 3) & 0x1FFFFFFF, key & 7
        if number == 0 or wire not in (0, 1, 2, 5):
            raise NoCommand
        if wire == 0:
            value, at = _number(data, at)
            raw = b""
        else:
            size = {1: 8, 5: 4}.get(wire, 0)
            if wire == 2:  # The length precedes the content.
                size, at = _number(data, at)
            if at + size > len(data):
                raise NoCommand
            value, raw, at = 0, data[at : at + size], at + size
        if (number, wire) in known:
            slot = known[number, wire]
            out[slot.name] = _held(slot.holds, value, raw, out.get(slot.name))
        elif any(number == other for other, _ in known):
            raise NoCommand
    return out


def _held(holds: str, value: int, raw: bytes, before: Any) -> Any:
    if holds == "bool":
        return value % (1 << 32) != 0
    if holds in ("s4", "s8"):
        width = 1 << (32 if holds == "s4" else 64)
        value %= width
        return value - width if value >= width // 2 else value
    if holds == "bytes":
        return raw
    if holds == "str":
        return raw.decode("utf-8", "replace")
    return _message(holds, raw, before)
