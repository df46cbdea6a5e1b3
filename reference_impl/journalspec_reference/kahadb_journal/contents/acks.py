"""Which files' messages the acknowledgements of each data file are of: a Java map in a record of its own.

Of Java's serialisation only this much is read: a HashMap of Integer to HashSet of Integer. No object is made.
"""

from __future__ import annotations

import struct

_STREAM, _NULL, _REFERENCE, _CLASS, _OBJECT, _BLOCK, _END = 0xACED0005, 0x70, 0x71, 0x72, 0x73, 0x77, 0x78
_FIRST_HANDLE = 0x7E0000
_U1, _U2, _I4, _U4 = (struct.Struct(f">{kind}") for kind in "BHiI")
_MAP, _SET, _INTEGER, _NUMBER = (
    "java.util.HashMap",
    "java.util.HashSet",
    "java.lang.Integer",
    "java.lang.Number",
)
_CLASSES = frozenset({_MAP, _SET, _INTEGER, _NUMBER})
#: Bytes of the fields of a HashMap, its load factor and threshold; a HashSet has none.
_MAP_FIELDS = 8


class AckMapError(ValueError):
    """The bytes are no such map; the text says why."""


class _Stream:
    """A stream of Java's serialisation, from the front."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        #: Classes and objects in the order of their handles.
        self._handles: list[str | int | None] = []

    def number(self, form: struct.Struct) -> int:
        try:
            (found,) = form.unpack_from(self._data, self._at)
        except struct.error:
            raise AckMapError("it ends too early") from None
        self._at += form.size
        return int(found)

    def expect(self, wanted: int) -> None:
        if (found := self.number(_U1)) != wanted:
            raise AckMapError(f"token {found} at {self._at - 1} instead of {wanted}")

    def skip(self, size: int) -> None:
        self._at += size

    def _text(self) -> str:
        size = self.number(_U2)
        self.skip(size)
        return self._data[self._at - size : self._at].decode("utf-8", "replace")

    def _handle(self) -> str | int | None:
        at = self.number(_I4) - _FIRST_HANDLE
        if not 0 <= at < len(self._handles):
            raise AckMapError(f"no object has the handle {at}")
        return self._handles[at]

    def _class(self, *, above: bool = False) -> str:
        """Return the class of an object: described here, or before. `above`: it is a superclass."""
        token = self.number(_U1)
        if token == _REFERENCE and isinstance(found := self._handle(), str):
            return found
        name = self._text() if token == _CLASS else ""
        if name not in _CLASSES:
            raise AckMapError(f"class {name!r} at {self._at}")
        self._handles.append(name)
        self.skip(9)
        for _ in range(self.number(_U2)):
            self.skip(1)
            self._text()
        self.expect(_END)
        if name == _INTEGER and not above:
            self._class(above=True)
        else:
            self.expect(_NULL)
        return name

    def begin(self, wanted: str) -> int | None:
        """Begin an object of a class; return its number if it was there before."""
        token = self.number(_U1)
        if token == _REFERENCE and wanted == _INTEGER and isinstance(found := self._handle(), int):
            return found
        if token != _OBJECT or (name := self._class()) != wanted:
            raise AckMapError(f"no {wanted} at {self._at}")
        self._handles.append(None)
        # What a collection holds follows in a block.
        if name == _MAP:
            self.skip(_MAP_FIELDS)
        return None

    def integer(self) -> int:
        """Return an Integer."""
        found = self.begin(_INTEGER)
        if found is None:
            found = self._handles[-1] = self.number(_I4)
        return found

    def entries(self, wanted: str, before: int) -> int:
        """Begin a collection; return how many entries it has, which follow `before` bytes of a block."""
        self.begin(wanted)
        self.expect(_BLOCK)
        self.skip(1 + before)
        count = self.number(_I4)
        if not 0 <= count <= len(self._data) - self._at:
            raise AckMapError(f"a {wanted} of {count} entries")
        return count


def ack_map(data: bytes) -> dict[int, list[int]]:
    """Return file -> files whose messages are acknowledged in it; raises AckMapError."""
    stream = _Stream(data)
    if stream.number(_U4) != _STREAM:
        raise AckMapError("it is no Java object")
    out = {}
    for _ in range(stream.entries(_MAP, 4)):
        file = stream.integer()
        out[file] = sorted(stream.integer() for _ in range(stream.entries(_SET, 8)))
        stream.expect(_END)
    stream.expect(_END)
    return out
