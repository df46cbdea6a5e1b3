"""Fast decoding of OpenWire objects with the same form as an earlier object.

A few bytes of an object determine where its fields are: flags of optional fields, types, counts and sizes.
All of these except the sizes are the object's shape. In other objects of this shape, many numbers are
unpacked in one step. The texts and bytes are stored between the numbers. The careful decoder in
:mod:`.openwire` handles objects of unknown shape.
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

#: The type whose fields become a mapping within the fields of an object.
INNER = "message_id"
#: Maps the type of a number to its format for the struct module. A size is unpacked without a sign.
_FORMS = {"bool": "?", "u1": "B", "u2": "H", "s1": "b", "s2": "h", "s4": "i", "s8": "q"}
#: A function that decodes a field's bytes. It raises ValueError if the careful decoder has to read the
#: object.
Make: TypeAlias = Callable[[bytes], Any]
#: Maps the type of a field to the number of bytes that are skipped at its start, and the function for the
#: remaining bytes.
Makes: TypeAlias = Mapping[str, tuple[int, Make]]


@dataclass
class _Group:
    """Represents the reported fields of one shape: where their numbers are, and where other values begin and
    end.
    """

    names: Sequence[str]
    slots: dict[str, int] = field(default_factory=dict)
    spans: list[tuple[str, int, int, int, int, Make]] = field(default_factory=list)

    def fields(self, values: Sequence[Any], data: bytes, ends: Sequence[int]) -> dict[str, Any]:
        """Return the fields of an object; raises ValueError if the careful decoder has to read the object."""
        # Copying a mapping with all names takes less time than filling a new one.
        found = self._blank.copy()
        found.update(zip(self.slots, self._numbers(values)))  # noqa: B905  # a check takes longer
        for name, first, skipped, last, more, make in self.spans:
            found[name] = make(data[ends[first] + skipped : ends[last] + more])
        return found

    def complete(self) -> None:
        """Prepare :meth:`fields` after the last field was added."""
        self._blank: dict[str, Any] = dict.fromkeys(self.names)
        # An additional offset, because `itemgetter` returns a tuple only for two or more offsets.
        self._numbers = itemgetter(*self.slots.values(), 0)


class SeenShape:
    """The shape of an object. It consists of parts. Each part ends with a size, and is followed by that many
    bytes.

    `data` is a readable object, beginning with its type; `names` are its fields. Raises KeyError if the type
    of a field is not in `makes`, ContentsError if the object does not fit the table.
    """

    def __init__(self, family: Family, version: int, data: bytes, names: Sequence[str], makes: Makes) -> None:
        self._parts: list[tuple[Callable[[bytes, int], tuple[Any, ...]], int]] = []
        self._groups: list[tuple[str, _Group]] = [("", _Group(names))]
        of_inner = [member.name for member in family.types[INNER].fields]
        groups = dict.fromkeys(("command", *family.types["command"].fields[1].types), self._groups[0][1])
        groups[INNER] = _Group(of_inner)
        ends, decisive = [0], list[int]()
        untold = _Group(())
        # The value at index 0 is for fields without a value.
        form, count = ">", 1

        def see(_: int, shape: Type, member: Member, begin: int, end: int, __: Any) -> None:
            nonlocal form, count
            name, group = member.name, groups.get(shape.name, untold)
            told = name in group.names
            if member.type in ("text", "bytes"):
                # The number before a text is the text's size.
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
                # An absent field consists only of its flag.
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
        """Return the numbers of an object, the ends of its parts, and its end; raises struct.error."""
        values, ends = [None], [at]
        for unpack, size in self._parts:
            values += (found := unpack(data, at))
            at += size + found[-1]
            ends.append(at)
        values += self._rest(data, at)
        return values, ends, at + self._after

    def fields(self, data: bytes, at: int) -> dict[str, Any] | None:
        """Return the fields of the object at `at`, or None if the careful decoder has to read it."""
        try:
            values, ends, end = self._taken(data, at)
            if end != len(data) or self._decisive(values) != self._shape:
                return None
            (_, outer), *inner = self._groups
            found = outer.fields(values, data, ends)
            for name, group in inner:
                found[name] = group.fields(values, data, ends)
        except (struct.error, ValueError):
            return None
        return found
