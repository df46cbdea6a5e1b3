"""Decodes values of AMQP 1.0 (part 1 of its specification). The first byte of a value is its type, which
determines the length.

If a value cannot be decoded but its length is known, a reason is noted and the value stays bytes. If its
length is unknown, Damage is raised. Time and memory are linear in the number of bytes, because the depth of
nesting and the number of values without bytes are bounded.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from uuid import UUID

from journalspec_reference.contents import Value

#: The greatest depth of nested values.
MOST_DEEP = 64
#: The greatest number of values in a message. In memory, each value takes many times its stored size.
MOST_VALUES = 1 << 19
#: At most this many reasons for undecoded values are kept.
MOST_REASONS = 10
#: An array can repeat values that take no bytes, or descriptors. The number of such repetitions is at most
#: the number of bytes plus this number.
SPARE = 1000
#: Codes of null and of an empty list.
NULL, NO_LIST = 0x40, 0x45

_Reader: TypeAlias = Callable[[bytes], Value]


def _number(code: str) -> _Reader:
    layout = struct.Struct(">" + code)

    def read(raw: bytes) -> Value:
        value: int | float = layout.unpack(raw)[0]
        return value

    return read


#: Values of a fixed length, by type code. The code 0x56 is a boolean, 0x73 a character, 0x98 a UUID.
_FIXED: Final[Mapping[int, _Reader]] = {
    **dict.fromkeys((0x50, 0x52, 0x53), _number("B")),
    **dict.fromkeys((0x51, 0x54, 0x55), _number("b")),
    **{0x60: _number("H"), 0x61: _number("h"), 0x70: _number("I"), 0x71: _number("i"), 0x72: _number("f")},
    **{0x80: _number("Q"), 0x81: _number("q"), 0x82: _number("d"), 0x83: _number("q")},
    0x56: lambda raw: raw != b"\0",
    0x73: lambda raw: raw.decode("utf-32-be"),
    0x98: lambda raw: str(UUID(bytes=raw)),
    # Decimals are left as bytes.
    **dict.fromkeys((0x74, 0x84, 0x94), bytes),
}
#: Maps a type code to a value that has no bytes. An empty list is not among them, because it could not be
#: shared.
_EMPTY: Final[Mapping[int, Value]] = {NULL: None, 0x41: True, 0x42: False, 0x43: 0, 0x44: 0, NO_LIST: ()}
#: The number of bytes of a value of a fixed length, by the upper half of its code.
_LENGTHS: Final = {4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16}
#: The type of a value of variable length, by the upper half of its code. If the upper half is odd, the size
#: is stored in four bytes.
_VARIABLE, _COMPOUND, _ARRAY = (0xA, 0xB), (0xC, 0xD), (0xE, 0xF)
_BINARY, _TEXTS, _MAP = 0, (1, 3), 1


class Damage(Exception):
    """This error means that the bytes at an offset do not fit the type code before them."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(f"{why} at {at}")


@dataclass(slots=True)
class Encoded:
    """Represents bytes that contain AMQP values, and the faults found so far.

    Offsets are counted from the first byte.
    """

    data: bytes
    reasons: list[str] = field(default_factory=list)
    _spare: int = 0
    _values: int = 0

    def __post_init__(self) -> None:
        """Allow as many values without bytes as there are bytes."""
        self._spare = len(self.data) + SPARE

    def odd(self, why: str) -> None:
        """Note a reason, unless the maximum number of reasons is reached."""
        if len(self.reasons) < MOST_REASONS:
            self.reasons.append(why)

    def size(self, at: int, end: int, width: int) -> int:
        """Return the number of `width` bytes at `at`. Raises Damage if it extends beyond `end`."""
        if at + width > end:
            raise Damage(at, f"a number of {width} bytes ends after {end}")
        return int.from_bytes(self.data[at : at + width], "big")

    def raw(self, at: int, end: int, size: int) -> bytes:
        """Return `size` bytes at `at`. Raises Damage if they extend beyond `end`."""
        if size > end - at:
            raise Damage(at, f"a value of {size} bytes ends after {end}")
        return self.data[at : at + size]

    def value(self, at: int, end: int, depth: int = 0) -> tuple[Value, int]:
        """Return the value at `at`, and the offset after it. Raises Damage.

        A described value becomes an object of `descriptor` and `value`. A map becomes a list of pairs unless
        its keys are distinct texts. A decimal stays bytes.
        """
        code = self.size(at, end, 1)
        if code:
            return self._of(code, at + 1, end, depth)
        self._check(at, depth)
        descriptor, at = self.value(at + 1, end, depth + 1)
        value, at = self.value(at, end, depth + 1)
        return {"descriptor": descriptor, "value": value}, at

    def items(self, at: int, end: int, count: int, depth: int, found: list[Value]) -> None:
        """Put `count` values from `at` to `end` into `found`.

        On Damage, `found` contains the earlier values.
        """
        for _ in range(count):
            value, at = self.value(at, end, depth)
            found.append(value)
        self._ends(at, end)

    def _of(self, code: int, at: int, end: int, depth: int) -> tuple[Value, int]:
        """Return the value of a type code, whose bytes begin at `at`, and the offset after the value."""
        kind, low = code >> 4, code & 15
        self._values += 1
        if self._values > MOST_VALUES:
            raise Damage(at, f"there are more than {MOST_VALUES} values")
        if kind in _LENGTHS:
            raw = self.raw(at, end, _LENGTHS[kind])
            return self._fixed(code, raw, at), at + len(raw)
        if kind < 4:
            raise Damage(at - 1, f"no type has code {code:#04x}")
        width = 4 if kind % 2 else 1
        size = self.size(at, end, width)
        at += width
        raw = self.raw(at, end, size) if kind in _VARIABLE else b""
        if kind in _VARIABLE:
            return self._variable(low, raw, at), at + size
        if size > end - at:
            raise Damage(at, f"{size} bytes of values end after {end}")
        self._check(at, depth)
        found: list[Value] = []
        count = self.size(at, at + size, width)
        items = self._array if kind in _ARRAY else self.items
        items(at + width, at + size, count, depth + 1, found)
        return _mapping(found) if kind in _COMPOUND and low == _MAP else found, at + size

    def _fixed(self, code: int, raw: bytes, at: int) -> Value:
        if code in _EMPTY:
            return [] if code == NO_LIST else _EMPTY[code]
        try:
            if code in _FIXED:
                return _FIXED[code](raw)
            self.odd(f"no type has code {code:#04x} at {at - 1}")
        except ValueError:
            self.odd(f"no character has the number {raw.hex()} at {at}")
        return raw

    def _variable(self, low: int, raw: bytes, at: int) -> Value:
        if low not in _TEXTS:
            if low != _BINARY:
                self.odd(f"no type of bytes has a code that ends in {low:x} (before {at})")
            return raw
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self.odd(f"a text that is not UTF-8 at {at}")
            return raw.decode("utf-8", "replace")

    def _array(self, at: int, end: int, count: int, depth: int, found: list[Value]) -> None:
        """Put `count` values of one type from `at` to `end` into `found`."""
        descriptors: list[Value] = []
        while (code := self.size(at, end, 1)) == 0:
            self._check(at, depth + len(descriptors))
            descriptor, at = self.value(at + 1, end, depth + len(descriptors))
            descriptors.append(descriptor)
        at += 1
        # An unknown code can also be that of a value without bytes.
        self._spare -= count * (len(descriptors) + (code >> 4 == 4))
        if self._spare < 0:
            raise Damage(at, f"{count} values that have no bytes are too many")
        for _ in range(count):
            value, at = self._of(code, at, end, depth)
            for descriptor in reversed(descriptors):
                value = {"descriptor": descriptor, "value": value}
            found.append(value)
        self._ends(at, end)

    def _check(self, at: int, depth: int) -> None:
        if depth >= MOST_DEEP:
            raise Damage(at, f"values nest deeper than {MOST_DEEP}")

    def _ends(self, at: int, end: int) -> None:
        """Add a note on values that do not end where their size states.

        The broker's decoder does not check the size.
        """
        if at != end:
            self.odd(f"values end at {at}, not at {end}")


def _mapping(items: list[Value]) -> Value:
    """Return the content of a map: names to values, or a list of pairs unless the keys are distinct texts."""
    pairs = [items[at : at + 2] for at in range(0, len(items), 2)]
    named = {pair[0]: pair[1] for pair in pairs if isinstance(pair[0], str) and len(pair) > 1}
    return named if len(named) == len(pairs) else pairs
