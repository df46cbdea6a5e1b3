"""Reads the map of acknowledgements. It is a Java map, which has its own record. It maps a data file to the
files whose messages are acknowledged in it.

Only this part of Java's serialisation is supported: a HashMap of Integer to HashSet of Integer. No Java
object is created.
"""

from __future__ import annotations

import struct

from journalspec_reference.java_objects import BLOCK, CLASS, END, HANDLES, NULL, OBJECT, REFERENCE, STREAM

_U1, _U2, _I4, _U4 = (struct.Struct(f">{kind}") for kind in "BHiI")
#: Three sizes in bytes: the load factor and threshold of a map, and the bytes of a block before the number of
#: entries, first in a map, then in a set.
_FIELDS, _BEFORE_MAP, _BEFORE_SET = 8, 5, 9


class AckMapError(ValueError):
    """This error means that bytes are not a valid map of acknowledgements. Its text is the reason."""


class _Stream:
    """A reader of a stream of Java's serialisation."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0
        #: The Integers in the order of their handles; None for classes and other objects.
        self._handles: list[int | None] = []

    def number(self, form: struct.Struct) -> int:
        self.at += form.size
        if self.at > len(self._data):
            raise AckMapError("it ends too early")
        return int(form.unpack_from(self._data, self.at - form.size)[0])

    def expect(self, wanted: int, form: struct.Struct = _U1) -> None:
        if (found := self.number(form)) != wanted:
            raise AckMapError(f"token {found} before {self.at} instead of {wanted}")

    def begin(self) -> None:
        """Read the class of an object and its superclasses. The token of the object was read before."""
        while (token := self.number(_U1)) == CLASS:
            self._handles.append(None)
            size = self.number(_U2)
            self.at += size + 9
            for _ in range(self.number(_U2)):
                self.at += 1
                size = self.number(_U2)
                self.at += size
            self.expect(END)
        if token == REFERENCE:
            self.number(_I4)
        elif token != NULL:
            raise AckMapError(f"no class before {self.at}")
        self._handles.append(None)

    def integer(self) -> int:
        """Return the next Integer. It can be a reference to an earlier Integer."""
        if (token := self.number(_U1)) == REFERENCE:
            handle = self.number(_I4) - HANDLES
            found = self._handles[handle] if 0 <= handle < len(self._handles) else None
            if found is None:
                raise AckMapError(f"no earlier number has the handle {handle}")
            return found
        if token != OBJECT:
            raise AckMapError(f"no number before {self.at}")
        self.begin()
        found = self._handles[-1] = self.number(_I4)
        return found

    def entries(self, fields: int, before: int) -> int:
        """Read the beginning of a collection. Return its number of entries."""
        self.expect(OBJECT)
        self.begin()
        self.at += fields
        self.expect(BLOCK)
        self.at += before
        if not 0 <= (count := self.number(_I4)) <= len(self._data) - self.at:
            raise AckMapError(f"a collection of {count} entries")
        return count


def ack_map(data: bytes) -> dict[int, list[int]]:
    """Map each file to the files whose messages are acknowledged in it. Raises AckMapError."""
    stream, out = _Stream(data), {}
    stream.expect(int.from_bytes(STREAM), _U4)
    for _ in range(stream.entries(_FIELDS, _BEFORE_MAP)):
        file = stream.integer()
        out[file] = sorted(stream.integer() for _ in range(stream.entries(0, _BEFORE_SET)))
        stream.expect(END)
    stream.expect(END)
    return out
