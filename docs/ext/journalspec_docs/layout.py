"""Sizes and offsets that may not be known until a file is read.

An :class:`Extent` is a constant number of bytes plus named parts, so that the
offset of a field behind a variable one prints as ``29 + len_gtrid``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINEAR = re.compile(r"[A-Za-z_0-9.]+( [+-] [A-Za-z_0-9.]+)*")


@dataclass(frozen=True, slots=True)
class Extent:
    """`fixed` bytes, plus the parts named in `terms`, less those in `minus` (expressions, in bytes)."""

    fixed: int = 0
    terms: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()

    @classmethod
    def parse(cls, expression: str) -> Extent:
        """Return the extent of a schema's size expression: ``12``, ``len_a``, ``len_a - 24``, or anything."""
        text = expression.strip()
        if not _LINEAR.fullmatch(text):
            return cls(0, (text,))
        words = text.split(" ")
        total = cls()
        for sign, word in zip(["+", *words[1::2]], words[::2], strict=True):
            if word.isdigit():
                total = total + cls(int(sign + word))
            else:
                total = total + (cls(0, (word,)) if sign == "+" else cls(0, (), (word,)))
        return total

    def __add__(self, other: Extent) -> Extent:
        """Return the sum; the terms keep their order, and what is added and taken away vanishes."""
        terms = list(self.terms + other.terms)
        minus = []
        for part in self.minus + other.minus:
            if part in terms:
                terms.remove(part)
            else:
                minus.append(part)
        return Extent(self.fixed + other.fixed, tuple(terms), tuple(minus))

    @property
    def is_fixed(self) -> bool:
        """Whether the number of bytes is known from the schema alone."""
        return not self.terms and not self.minus

    def __str__(self) -> str:
        """Return ``29 + len_gtrid``, or ``len_record - 24``; a lone zero stays ``0``."""
        plus = [f"({part})" if re.search(r" [+-] ", part) else part for part in self.terms]
        minus = list(self.minus)
        if self.fixed > 0 or not plus:
            plus.insert(0, str(self.fixed))
        elif self.fixed < 0:
            minus.append(str(-self.fixed))
        return " + ".join(plus) + "".join(f" - {part}" for part in minus)


def offset_text(extent: Extent) -> str:
    """Return an offset for people: ``12 (0x0c)``, or an expression."""
    if extent.is_fixed:
        return f"{extent.fixed} (0x{extent.fixed:02x})"
    return str(extent)
