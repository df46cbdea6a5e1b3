"""What makes bytes a candidate for a record: types, stamps, sizes, and a check at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

#: Bytes of what a record ends with: its length or its checksum.
CHECK_SIZE = 4


class Shape(NamedTuple):
    """How long a record of one type says it is, in bytes.

    `size` is what it has at least, the check at its end aside. `counts` are the places of the
    sizes in it, 4 bytes each, signed and big-endian, and how many bytes one of what they count has.
    """

    code: int
    size: int
    counts: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Signs:
    """What makes a candidate, and what speaks for it.

    It begins with a type, for which there is a shape, and `stamp` (empty: anything); `prologue`
    bytes are that. It ends with the CRC-32 of all before it, if `hashed`, or with its length.
    """

    shapes: tuple[Shape, ...]
    stamp: bytes
    prologue: int
    hashed: bool

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """What finds the next candidate."""
        codes = bytes(sorted(shape.code for shape in self.shapes))
        return re.compile(b"[" + re.escape(codes) + b"]" + re.escape(self.stamp), re.DOTALL)
