"""Objects that are like an earlier one: the same parts are there, and of the same types.

The table says where the fields of an object are, by a few of its bytes: flags of what may be absent, types,
counts and sizes. All of these but the sizes are its shape. Of other objects with this shape many numbers are
taken at once, and what is no number lies between them. One that differs in the shape is not read here.
"""

from __future__ import annotations

import struct
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeAlias

from journalspec.families import Family, Member, decode
from journalspec.families import Shape as Type

#: So many values of one kind of field are known, up to this many bytes long.
MOST_VALUES, MOST_VALUE = 1 << 10, 1 << 9
#: The type whose fields are a mapping in those of an object.
INNER = "message_id"
#: Types of numbers -> how the struct module takes them. A size is taken without a sign.
_FORMS = {"bool": "?", "u1": "B", "u2": "H", "s1": "b", "s2": "h", "s4": "i", "s8": "q"}
#: Returns the value of a field that has these bytes; a ValueError: it needs a closer look.
Make: TypeAlias = Callable[[bytes], Any]
#: Type of a field -> how many of its first bytes are left out, and what makes its value of the others.
Makes: TypeAlias = Mapping[str, tuple[int, Make]]


class Known(dict[bytes, Any]):
    """The values of a kind of field by their bytes: most objects have those of an earlier one."""

    def __init__(self, make: Make) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, data: bytes) -> Any:
        """Return a value that is not known; raises ValueError if it needs a closer look."""
        found = self._make(data)
        if len(self) >= MOST_VALUES:
            self.clear()
        if len(data) <= MOST_VALUE:
            self[data] = found
        return found


@dataclass
class _Group:
    """Fields that are told together: the places of numbers, and where the others begin and end."""

    names: Sequence[str]
    slots: dict[str, int] = field(default_factory=dict)
    spans: list[tuple[str, int, int, int, int, Make]] = field(default_factory=list)

    def fields(self, values: Sequence[Any], data: bytes, ends: Sequence[int]) -> dict[str, Any]:
        """Return the fields of an object; raises ValueError if one needs a closer look."""
        # To copy what most fields are takes less time than to fill a new mapping.
        found = self._blank.copy()
        found.update(zip(self.slots, self._numbers(values)))  # noqa: B905  # a check takes longer
        for name, first, skipped, last, more, make in self.spans:
            found[name] = make(data[ends[first] + skipped : ends[last] + more])
        return found

    def complete(self) -> None:
        """Get ready: there are no more fields."""
        self._blank: dict[str, Any] = dict.fromkeys(self.names)
        # One more, so that there are at least two: of one alone it gives no tuple.
        self._numbers = itemgetter(*self.slots.values(), 0)


class SeenShape:
    """The shape of an object: parts of numbers that end with a size, each with so many bytes after it.

    `data` is an object that can be read, from its type on, and `names` are its fields. Raises KeyError if it
    has a field of a type that `makes` does not have, ContentsError if it does not fit the table.
    """

    def __init__(self, family: Family, version: int, data: bytes, names: Sequence[str], makes: Makes) -> None:
        self._parts: list[tuple[Callable[[bytes, int], tuple[Any, ...]], int]] = []
        self._groups: list[tuple[str, _Group]] = [("", _Group(names))]
        of_inner = [member.name for member in family.types[INNER].fields]
        groups = dict.fromkeys(("command", *family.types["command"].fields[1].types), self._groups[0][1])
        groups[INNER] = _Group(of_inner)
        ends, decisive = [0], list[int]()
        untold = _Group(())
        # The first value is that of fields without one.
        form, count = ">", 1

        def see(_: int, shape: Type, member: Member, begin: int, end: int, __: Any) -> None:
            nonlocal form, count
            name, group = member.name, groups.get(shape.name, untold)
            told = name in group.names
            if member.type in ("text", "bytes"):
                # The number before it is its size.
                decisive.pop()
                size = struct.Struct(form[:-1] + form[-1].upper())
                self._parts.append((size.unpack_from, size.size))
                ends.append(end)
                form = ">"
            elif kind := _FORMS.get(member.type):
                decides = any(name in other.references for other in shape.fields)
                decides = decides or member.const is not None
                if told:
                    group.slots[name] = count
                if decides:
                    decisive.append(count)
                form += "B" if decides and kind == "?" else kind if told or decides else f"{end - begin}x"
                count += told or decides
            elif told and member.type != f"{INNER}_or_null":
                skipped, make = makes[member.type]
                first, last = bisect(ends, begin) - 1, bisect(ends, end) - 1
                # Of what is absent there is the flag alone.
                if end - begin > 1:
                    begin, end = begin - ends[first] + skipped, end - ends[last]
                    group.spans.append((name, first, begin, last, end, make))
            elif told and end - begin > 1:
                self._groups.append((name, groups[INNER]))
                groups[INNER] = _Group(of_inner)

        decode(family, "command", data, str(version), see)
        rest = struct.Struct(form)
        self._rest, self._after = rest.unpack_from, rest.size
        for _, group in self._groups:
            group.complete()
        self._decisive = itemgetter(*decisive)
        self._shape = self._decisive(self._taken(data, 0)[0])

    def _taken(self, data: bytes, at: int) -> tuple[list[Any], list[int], int]:
        """Return the numbers of an object, where its parts end, and its end; raises struct.error."""
        values, ends = [None], [at]
        for unpack, size in self._parts:
            values += (found := unpack(data, at))
            at += size + found[-1]
            ends.append(at)
        values += self._rest(data, at)
        return values, ends, at + self._after

    def fields(self, data: bytes, at: int) -> dict[str, Any] | None:
        """Return the fields of an object from `at` on; None: it has another shape, or needs a closer look."""
        try:
            values, ends, end = self._taken(data, at)
            if end != len(data) or self._decisive(values) != self._shape:
                return None
            found: dict[str, Any] = {}
            for name, group in self._groups:
                if name:
                    found[name] = group.fields(values, data, ends)
                else:
                    found = group.fields(values, data, ends)
        except (struct.error, ValueError):
            return None
        return found
