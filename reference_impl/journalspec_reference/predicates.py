"""Conditions on one column each, for queries at the command line and Spark's filters.

A condition is evaluated on a complete Arrow array (:meth:`Predicate.mask`), or on single values if Arrow is
not installed (:meth:`Predicate.holds`), with the same outcome.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

#: Maps an operator to the comparison of plain values, and to the name of Arrow's function.
COMPARED: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "=": (operator.eq, "equal"),
    "<>": (operator.ne, "not_equal"),
    "<": (operator.lt, "less"),
    "<=": (operator.le, "less_equal"),
    ">": (operator.gt, "greater"),
    ">=": (operator.ge, "greater_equal"),
}
IN, LIKE, PRESENT = "in", "like", "is not null"


def text_of(value: Any) -> str:
    """Return a value as a text: bytes as hex, a list as its elements separated by commas, None as ""."""
    # Most values are texts or integers, and there can be millions.
    if value.__class__ is str:
        return value
    if value.__class__ is int:
        return str(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes | bytearray | memoryview):
        return value.hex()
    return value if isinstance(value, str) else _listed(value)


def _listed(value: Any) -> str:
    return ",".join(map(text_of, value)) if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True, slots=True)
class Predicate:
    """Represents the condition `column` `op` `value`. The value is a tuple for ``in``, and a pattern for
    ``like``.

    No condition is true for an absent value. ``like`` compares bytes and lists as text.
    """

    column: str
    op: str
    value: Any = None

    def holds(self, value: Any) -> bool:
        """Return whether the condition is true for a single value."""
        if value is None or self.op == PRESENT:
            return value is not None
        if self.op == LIKE:
            return _pattern(self.value).fullmatch(text_of(value)) is not None
        if isinstance(value, list | tuple):
            value = text_of(value)
        return value in self.value if self.op == IN else COMPARED[self.op][0](value, self.value)

    def mask(self, column: pa.Array) -> pa.Array:
        """Return an array with the truth of the condition for each value of an Arrow array, or null for an
        absent value.
        """
        import pyarrow as pa  # noqa: PLC0415  # part of an extra
        import pyarrow.compute as pc  # noqa: PLC0415

        if self.op == PRESENT:
            return pc.is_valid(column)
        if pa.types.is_list(column.type) or (self.op == LIKE and not pa.types.is_string(column.type)):
            column = texts(column)
        if self.op == LIKE:
            return pc.match_like(column, self.value)
        # Numbers are not converted to the column's type, because a number outside its range is simply larger
        # or smaller.
        kind = None if pa.types.is_integer(column.type) else column.type
        if self.op == IN:
            values = pa.array(self.value, kind)
            return pc.and_(pc.is_valid(column), pc.is_in(column.cast(values.type), values))
        return getattr(pc, COMPARED[self.op][1])(column, pa.scalar(self.value, kind))


def texts(column: pa.Array) -> pa.Array:
    """Return the values of an array as texts; absent values stay null."""
    import pyarrow as pa  # noqa: PLC0415  # part of an extra

    return pa.array([None if each is None else text_of(each) for each in column.to_pylist()], pa.string())


@cache
def _pattern(like: str) -> re.Pattern[str]:
    r"""Return the regular expression of a ``like``.

    ``%`` stands for any text, ``_`` for a letter, ``\`` for an escape.
    """
    parts = re.findall(r"\\.|.", like, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL)
