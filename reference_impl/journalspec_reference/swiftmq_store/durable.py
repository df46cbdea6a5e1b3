"""Durable subscriber files. Such a file is one Java object stream with one map of strings to strings.

Only these types are read. A file with any other class or kind of object is refused.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from struct import pack
from typing import NamedTuple

from journalspec import mutf8
from journalspec_reference.java_objects import (
    BLOCK,
    CLASS,
    END,
    HANDLES,
    LONG_STRING,
    NULL,
    OBJECT,
    REFERENCE,
    STREAM,
    STRING,
)
from journalspec_reference.swiftmq_store.codec import BadStore, Cursor, decoded

SUFFIX = ".durable"
_MAP = b"java.util.HashMap"
#: The serialVersionUID of HashMap; its flags: serialisable, with its own write method.
_VERSION, _FLAGS = 0x0507DAC1C31660D1, 3
#: The handle of the first string: in a stream, the class gets the first handle, the map the second.
_FIRST_STRING = HANDLES + 2
#: The primitive fields of HashMap.
_LOAD_FACTOR = ord("F"), "loadFactor"
_FIELDS = [_LOAD_FACTOR, (ord("I"), "threshold")]
#: The keys that a subscription uses, and the length of the longest of them.
_KEYS, _LONGEST = (b"topicName", b"selector", b"noLocal"), 9
#: The kinds of strings.
_STRINGS = STRING, LONG_STRING
_WIDTHS = {ord(code): width for code, width in zip("BCDFIJSZ", (1, 2, 8, 4, 4, 8, 2, 1), strict=True)}


class Durable(NamedTuple):
    """A durable subscription. A file can lack the topic, although every subscriber needs one.

    `no_local` is None if a damaged file does not show it.
    """

    client: str
    name: str
    topic: str | None
    selector: str | None
    no_local: bool | None


def _expect(cursor: Cursor, what: bytes) -> None:
    if not cursor.data.startswith(what, cursor.off):
        found = cursor.take(len(what))
        raise BadStore(f"{found.hex()} at {cursor.off - len(what)} instead of {what.hex()}")
    cursor.off += len(what)


def _description(cursor: Cursor) -> list[tuple[int, str]]:
    """Read the description of the class. Return its primitive fields, in the order of their values."""
    if cursor.data.startswith(_DESCRIPTION, cursor.off):
        cursor.off += len(_DESCRIPTION)
        return _FIELDS
    _expect(cursor, _CLASS)
    fields = []
    for _ in range(cursor.number(2)):
        code = cursor.number(1)
        if code not in _WIDTHS:
            raise BadStore(f"a field of type {code:#x}")
        fields.append((code, cursor.text(cursor.number(2))))
    _expect(cursor, _DESCRIBED)
    return fields


def _entries(cursor: Cursor, number: int) -> dict[bytes, tuple[int, int] | None]:
    """Skip the entries of the map. Return the place of the value of each key that a subscription uses.

    Keys and values are strings, references to earlier strings, or nulls, whose place is None.
    """
    data, size, at = cursor.data, cursor.end, cursor.off
    # Strings of ASCII bytes are modified UTF-8. The lengths of short strings are ASCII bytes, too.
    ascii_only, places = data[at:].isascii(), array("q")
    entries: dict[bytes, tuple[int, int] | None] = {}
    key: bytes | None = None
    for each in range(2 * number):
        kind = data[at] if at < size else END
        place: tuple[int, int] | None = None
        if kind in _STRINGS:
            start = at + (3 if kind == STRING else 9)
            end = start + int.from_bytes(data[at + 1 : start], signed=kind == LONG_STRING)
            if not (ascii_only and start <= end <= size):
                # One of these calls raises BadStore for a part that does not fit, or is not modified UTF-8.
                cursor.off = at
                cursor.room(1), cursor.room(start - cursor.off), cursor.text(end - start)
            places.append(start)
            places.append(end)
            at, place = end, (start, end)
        elif kind == REFERENCE:
            cursor.off = at + 1
            of = cursor.number(4, signed=True) - _FIRST_STRING
            if not 0 <= of < len(places) // 2:
                raise BadStore(f"a reference to object {of}, which is not a string before it")
            at, place = cursor.off, (places[2 * of], places[2 * of + 1])
        elif kind == NULL:
            at += 1
        else:
            cursor.off = at
            cursor.room(1)
            raise BadStore(f"an object of kind {kind:#x} where a string belongs")
        if each % 2 == 0:
            # A file can refer to one long string many times; no key is that long.
            key = data[place[0] : place[1]] if place and place[1] - place[0] <= _LONGEST else None
        elif key in _KEYS:
            entries[key] = place
    cursor.off = at
    return entries


def _text(of: bytes) -> bytes:
    return len(of).to_bytes(2) + of


#: The first bytes of a file, the bytes around the entries of the map, and the end of the file.
_OBJECT, _BLOCK, _END = STREAM + bytes((OBJECT,)), bytes((BLOCK, 8)), bytes((END,))
#: The last bytes of the description of a class.
_DESCRIBED = _END + bytes((NULL,))
#: The first bytes of the description of the class, and the complete description as the product writes it.
_CLASS = bytes((CLASS,)) + _text(_MAP) + _VERSION.to_bytes(8) + bytes((_FLAGS,))
_NAMES = b"".join(bytes((code,)) + _text(name.encode()) for code, name in _FIELDS)
_DESCRIPTION = _CLASS + len(_FIELDS).to_bytes(2) + _NAMES + _DESCRIBED
#: The first bytes of a file, up to the number of its entries, as the product writes them. Load factor 0.75,
#: threshold 12 and 16 buckets are the values of a map with up to 12 entries.
_HEAD = _OBJECT + _DESCRIPTION + pack(">fi", 0.75, 12) + _BLOCK + pack(">i", 16)


def subscription(topic: str) -> bytes:
    """Return the file of a subscription to a topic without a selector, as the product writes it."""
    entry = b"".join(bytes((STRING,)) + _text(each) for each in (_KEYS[0], mutf8.encode(topic)))
    return _HEAD + (1).to_bytes(4) + entry + _END


def presumed(file: str, data: bytes) -> Durable | None:
    """Return the readable part of a damaged file. Return None if its name is not that of a subscription.

    The product always writes the same bytes before the entries, and each entry is two strings.
    """
    client, dollar, name = file.removesuffix(SUFFIX).partition("$")
    if not dollar or not file.endswith(SUFFIX):
        return None
    cursor, entries = Cursor(data, min(len(_HEAD), len(data))), dict[bytes, str]()
    no_local: bool | None = None
    with suppress(BadStore):
        for _ in range(cursor.count(2)):
            # The type bytes of the strings are not checked.
            cursor.room(1)
            key = cursor.utf()
            cursor.room(1)
            entries[key] = mutf8.readable(cursor.utf())
        # All entries were read, so there is no other key (SMQ-CNT-115).
        no_local = False
    if _KEYS[2] in entries:
        no_local = True
    return Durable(client, name, entries.get(_KEYS[0]), entries.get(_KEYS[1]), no_local)


def durable(file: str, data: bytes) -> Durable:
    """Decode a durable subscriber file by its name and bytes. Bytes after its map are ignored."""
    client, dollar, name = file.removesuffix(SUFFIX).partition("$")
    if not dollar or not file.endswith(SUFFIX):
        raise BadStore("the name of a durable subscriber file has a client, $, a name and .durable")
    cursor = Cursor(data)
    _expect(cursor, _OBJECT)
    load = b"\x3f\x40\0\0"
    for field in _description(cursor):
        value = cursor.room(_WIDTHS[field[0]])
        if field == _LOAD_FACTOR:
            load = data[value : cursor.off]
    # The load factor must be positive and not NaN. Compared as bits, such floats go up to infinity.
    if not 0 < int.from_bytes(load) <= 0x7F800000:
        raise BadStore(f"a load factor of {load.hex()}")
    _expect(cursor, _BLOCK)
    cursor.room(4)  # This is the number of buckets, which no reader needs.
    entries = _entries(cursor, cursor.count(2))
    _expect(cursor, _END)
    topic, selector = [at and decoded(data[at[0] : at[1]]) for at in map(entries.get, _KEYS[:2])]
    return Durable(client, name, topic, selector, _KEYS[2] in entries)
