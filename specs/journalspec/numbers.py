"""The stored forms of numbers. Each form has a name in tables, a reader and a writer.

The forms ``u1 s1 u2 s2 u4 s4 u8 s8 f4 f8`` are big-endian; with ``le`` appended, they are little-endian.
``bool`` is a byte, and any byte except 0 is true. ``cint`` and ``clong`` are compressed numbers, ``varint``
is the encoding of Protocol Buffers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: (Number of bits, number of bytes) for each form of a compressed int, then for each form of a compressed
#: long.
_FORMS = (((6, 1), (14, 2), (31, 4)), ((14, 2), (30, 4), (63, 8)))
_MOST_GROUPS = 10


@dataclass(frozen=True, slots=True)
class Number:
    """Represents one form: its range, and `read`.

    `read` returns a value and the offset after it, or raises IndexError.
    """

    low: int
    high: int
    read: Callable[[bytes, int], tuple[int | float, int]]
    write: Callable[[int | float], bytes]
    real: bool = False


def compressed(value: int, *, wide: bool = False, longest: bool = False) -> bytes:
    """Return a compressed int (a long if `wide`) in its shortest form, or (`longest`) its longest form."""
    for mark, (bits, size) in enumerate(_FORMS[wide]):
        if value >> bits == 0 and (mark == 2 or not longest):
            return (mark << (8 * size - 2) | value).to_bytes(size, "big")
    raise ValueError(f"{value} has no compressed form")


def varint(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest group first; a negative number is stored as 64
    bits.
    """
    value, out = value % (1 << 64), bytearray()
    while value >= 1 << 7:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for number in range(_MOST_GROUPS):
        value |= (data[at + number] & 127) << 7 * number
        if data[at + number] < 1 << 7:
            value %= 1 << 64
            return value - (value >> 63 << 64), at + number + 1
    raise IndexError(f"a number of more than {_MOST_GROUPS} bytes")


def _packed(*, wide: bool) -> Number:
    forms = _FORMS[wide]

    def read(data: bytes, at: int) -> tuple[int, int]:
        # The first bit marks the longest form. The first two bits mark each of the other forms.
        bits, size = forms[min(data[at] >> 6, 2)]
        if at + size > len(data):
            raise IndexError("the bytes end")
        return int.from_bytes(data[at : at + size], "big") & (1 << bits) - 1, at + size

    return Number(0, (1 << forms[2][0]) - 1, read, lambda value: compressed(int(value), wide=wide))


def _fixed(letter: str, order: str = ">") -> Number:
    form, real = struct.Struct(order + letter), letter in "fd"

    def read(data: bytes, at: int) -> tuple[int | float, int]:
        if at + form.size > len(data):
            raise IndexError("the bytes end")
        return form.unpack_from(data, at)[0], at + form.size

    signed = letter.islower() and not real
    bits = 1 if letter == "?" else 8 * form.size - signed
    return Number(-(1 << bits) if signed else 0, (1 << bits) - 1, read, form.pack, real)


_LETTERS = {"s1": "b", "u1": "B", "s2": "h", "u2": "H", "s4": "i", "u4": "I", "s8": "q", "u8": "Q"}
_LETTERS |= {"f4": "f", "f8": "d"}
NUMBERS: Mapping[str, Number] = {
    **{name: _fixed(letter) for name, letter in _LETTERS.items()},
    **{f"{name}le": _fixed(letter, "<") for name, letter in _LETTERS.items() if name[1] != "1"},
    "bool": _fixed("?"),
    "cint": _packed(wide=False),
    "clong": _packed(wide=True),
    "varint": Number(-(1 << 63), (1 << 63) - 1, _read_varint, lambda value: varint(int(value))),
}
