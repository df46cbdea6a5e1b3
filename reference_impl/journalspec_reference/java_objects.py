"""Reads Java's serialised objects in journals. No object is ever created.

Only the name of an object's class is read.
"""

from __future__ import annotations

from journalspec import mutf8

#: The first bytes of a stream, and the first byte of each kind of element in a stream.
STREAM = b"\xac\xed\0\x05"
NULL, REFERENCE, CLASS, OBJECT, STRING, ARRAY, CLASS_ITSELF, BLOCK, END = range(0x70, 0x79)
LONG_STRING, ENUM = 0x7C, 0x7E
#: The elements that begin with the description of a class.
NAMED = (OBJECT, ARRAY, ENUM)
#: The first handle of a stream. Each class, object and string gets the next handle.
HANDLES = 0x7E0000
_KNOWN = {**dict.fromkeys((STRING, LONG_STRING), "java.lang.String"), CLASS_ITSELF: "java.lang.Class"}


def class_name(data: bytes) -> str | None:
    """Return the class of a serialised object from its stream's first bytes.

    Return None if they do not contain it.
    """
    kind, described = data[4:5], data[5:6]
    if not kind or not data.startswith(STREAM):
        return None
    if kind[0] not in NAMED or described != bytes((CLASS,)):
        return _KNOWN.get(kind[0])
    name = data[8 : 8 + int.from_bytes(data[6:8], "big")]
    return mutf8.readable(name) if len(data) >= 8 and len(name) == int.from_bytes(data[6:8], "big") else None
