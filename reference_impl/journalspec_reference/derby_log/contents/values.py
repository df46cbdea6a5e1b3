"""Decodes a field's bytes by the SQL type of its column.

A decoder raises ValueError, IndexError or struct.error for bytes that are invalid for its type. Java objects
are never created: the name of an object's class is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from struct import Struct
from typing import NamedTuple

from journalspec import mutf8
from journalspec_reference import java_objects

Decoded = bool | int | float | str | bytes | None
_S4, _F4, _F8 = Struct(">i"), Struct(">f"), Struct(">d")
_U4, _TIMESTAMP = Struct(">I"), Struct(">III")
#: The stored values of a null DATE and of a null TIME.
_NO_DAY, _NO_CLOCK = 0, 0xFFFFFFFF
_MOST_NANOS = 999_999_999
#: The first day of the Gregorian calendar, 15 October 1582, in days since March of the Julian year 0.
_REFORM_YEAR, _REFORM = 1582, 578_043
#: Two byte strings: the end of a text whose length was unknown when it was written, and the header of a CLOB
#: since 10.5.
_END, _CLOB = b"\xe0\0\0", 0xF0
_CLOB_HEADER = 5
#: The format ids at the start of a field with a Java type: a text, an object, a type.
_TEXT, _OBJECT, _TYPE = 1, 2, 14
_NUMERIC, _USER = 198, 264


class SqlType(NamedTuple):
    """Represents a type: its column type in the contents, its decoder, and the format id of its fields."""

    kind: str
    decode: Callable[[bytes], Decoded]
    format: int


def integer(data: bytes, size: int = 4) -> int:
    """Return a number of `size` bytes (DRB-CNT-109). Raises ValueError."""
    if len(data) != size:
        raise ValueError(f"a number of {len(data)} bytes")
    return int.from_bytes(data, "big", signed=True)


def text(data: bytes) -> str:
    """Return a CHAR, a VARCHAR or a LONG VARCHAR. Raises IndexError, ValueError."""
    size = data[0] << 8 | data[1]
    if size > len(data) - 2:
        raise ValueError("a text is cut short")
    if size:
        return mutf8.readable(data[2 : 2 + size])
    return _unmeasured(data, 2)


def _unmeasured(data: bytes, start: int) -> str:
    end = data.find(_END, start)
    return mutf8.readable(data[start : end if end >= 0 else len(data)])


def _clob(data: bytes) -> str:
    if len(data) >= _CLOB_HEADER and data[2] == _CLOB:
        return _unmeasured(data, _CLOB_HEADER)
    return text(data)


def _decimal(data: bytes) -> str:
    scale, size = data[0], data[1]
    if len(data) < 2 + size:
        raise ValueError("a number is cut short")
    value = int.from_bytes(data[2 : 2 + size], "big", signed=True)
    digits = str(abs(value)).rjust(scale + 1, "0")
    digits = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{digits}" if value < 0 else digits


def _binary(data: bytes) -> bytes:
    first = data[0]
    if first == 0xC0:
        size, start = _S4.unpack_from(data, 1)[0], 5
    elif first == 0xA0:
        size, start = data[1] << 8 | data[2], 3
    elif first & 0x80:
        size, start = first & 0x1F, 1
    else:
        size, start = (_S4.unpack_from(data)[0] + 7) // 8, 4
    if size > len(data) - start:
        raise ValueError("a value is cut short")
    # No length is stored, because the length was unknown when the value was written.
    return data[start : start + size] if size > 0 else data[start:]


def _day(packed: int) -> str:
    return f"{packed >> 16:04}-{packed >> 8 & 0xFF:02}-{packed & 0xFF:02}"


def _clock(packed: int) -> str:
    # The upper byte of the hour is ignored.
    return f"{packed >> 16 & 0xFF:02}:{packed >> 8 & 0xFF:02}:{packed & 0xFF:02}"


def _date(data: bytes) -> str | None:
    packed = _U4.unpack_from(data)[0]
    return None if packed == _NO_DAY else _day(packed)


def _time(data: bytes) -> str | None:
    packed = _U4.unpack_from(data)[0]
    return None if packed == _NO_CLOCK else _clock(packed)


def _timestamp(data: bytes) -> str | None:
    day, clock, nanos = _TIMESTAMP.unpack_from(data)
    if day == _NO_DAY:
        return None
    if nanos > _MOST_NANOS:
        raise ValueError(f"{nanos} nanoseconds")
    fraction = f"{nanos:09}".rstrip("0") or "0"
    day, clock = _normal(day, clock)
    return f"{_day(day)} {_clock(clock)}.{fraction}"


def _normal(day: int, clock: int) -> tuple[int, int]:
    """Return a day and a time as a lenient Java calendar normalizes them."""
    more, seconds = divmod((clock >> 16 & 0xFF) * 3600 + (clock >> 8 & 0xFF) * 60 + (clock & 0xFF), 86_400)
    # In this calculation, years begin in March, so that the leap day is the last day of a year.
    years, month = divmod((day >> 8 & 0xFF) + 9, 12)
    year = (day >> 16) + years - 1
    days = year * 1461 // 4 + (153 * month + 2) // 5 + (day & 0xFF) - 1 + more
    gregorian = days - year // 100 + year // 400 + 2
    # Java compares the year before it adds the excess months to it.
    if day >> 16 >= _REFORM_YEAR and gregorian >= _REFORM:
        days = gregorian
    if days >= _REFORM:
        century = (4 * (days - 2) + 3) // 146_097
        days += century - century // 4 - 2
    year = (4 * days + 3) // 1461
    days -= year * 1461 // 4
    month = (5 * days + 2) // 153
    days -= (153 * month + 2) // 5
    year += month > 9
    # The era is not part of the result.
    year = year if year > 0 else 1 - year
    clock = seconds // 3600 << 16 | seconds // 60 % 60 << 8 | seconds % 60
    return year << 16 | (month + 2) % 12 + 1 << 8 | days + 1, clock


def utf(data: bytes, at: int) -> tuple[str, int]:
    """Return a text that follows its two-byte length, and the offset after the text.

    Raises ValueError, IndexError.
    """
    end = at + 2 + (data[at] << 8 | data[at + 1])
    if end > len(data):
        raise ValueError("a text is cut short")
    return mutf8.readable(data[at + 2 : end]), end


def _object(data: bytes) -> str:
    """Return the content of a field with a Java type as text: a text, a type, or the class of an object."""
    form = data[0] << 8 | data[1]
    if form == _TEXT:
        return utf(data, 2)[0]
    if form == _TYPE:
        return described(data).words
    if form != _OBJECT or data[2:6] != java_objects.STREAM:
        return f"an object of format {form}"
    if data[6] in java_objects.NAMED and data[7] == java_objects.CLASS:
        return utf(data, 8)[0]
    return "java.lang.String" if data[6] == java_objects.STRING else "an object"


def _xml(data: bytes) -> str:
    return text(data[2:])


#: Maps a type id to the type. In a heap, each type has a field format of its own.
TYPES: Mapping[int, SqlType] = {
    16: SqlType("bool", lambda data: data[0] != 0, 77),
    17: SqlType("str", text, 78),
    18: SqlType("float", lambda data: float(_F8.unpack(data)[0]), 79),
    19: SqlType("int", integer, 80),
    20: SqlType("float", lambda data: float(_F4.unpack(data)[0]), 81),
    22: SqlType("int", partial(integer, size=2), 83),
    23: SqlType("int", partial(integer, size=8), 84),
    25: SqlType("str", text, 85),
    28: SqlType("bytes", _binary, 87),
    30: SqlType("bytes", _binary, 88),
    32: SqlType("str", _date, 298),
    33: SqlType("str", _time, 299),
    34: SqlType("str", _timestamp, 31),
    196: SqlType("int", partial(integer, size=1), 199),
    _NUMERIC: SqlType("str", _decimal, 200),
    231: SqlType("str", text, 235),
    233: SqlType("bytes", _binary, 234),
    _USER: SqlType("str", _object, 266),
    442: SqlType("bytes", _binary, 443),
    446: SqlType("str", _clob, 447),
    457: SqlType("str", _xml, 458),
}
#: Maps a field format to the id of the type.
BY_FORMAT = {known.format: ident for ident, known in TYPES.items()}
#: An unknown type. Its values stay bytes.
UNKNOWN = SqlType("bytes", bytes, 0)
_SIZED = {17, 25, 28, 30, 442, 446}


class Typed(NamedTuple):
    """Represents the declared type of a column: the type's id and name, and its numbers such as length."""

    type: int
    name: str
    precision: int = 0
    scale: int = 0
    nullable: bool = True
    width: int = 0

    @property
    def words(self) -> str:
        """The type in SQL notation."""
        out = self.name
        if self.type == _NUMERIC:
            out += f"({self.precision},{self.scale})"
        elif self.type in _SIZED:
            out = out.replace("()", f"({self.width})") if "()" in out else f"{out}({self.width})"
        return out if self.nullable else f"{out} NOT NULL"


def described(data: bytes) -> Typed:
    """Return the type that a COLUMNDATATYPE describes. Raises ValueError, IndexError, struct.error."""
    at = 2 if data[0] << 8 | data[1] == _TYPE else 0
    ident = data[at] << 8 | data[at + 1]
    name, at = utf(data, at + 2 + (ident == _NUMERIC))
    if ident == _USER:
        if name.startswith('"'):
            own, at = utf(data, at)
            name = f'{name}."{own}"'
        at = utf(data, at)[1]
    precision, scale, null, width = Struct(">ii?i").unpack_from(data, at)
    return Typed(ident, name, precision, scale, null, width)
