"""Measures the cost of a task in lines of Python and in bytes.

Unlike seconds, it is the same on every machine.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, SupportsIndex

Task = Callable[[], Any]
#: Linear work has the exponent 1, n log n a little more, quadratic work 2.
LINEAR = 1.2


class Counted(bytes):
    """Bytes that count the bytes copied out of them and of their slices, and the bytes searched."""

    moved = 0

    def __bytes__(self) -> bytes:
        return self

    def __add__(self, other: Any) -> Counted:
        return Counted(super().__add__(other))

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        found = super().__getitem__(place)
        if isinstance(found, int):
            return found
        Counted.moved += len(found)
        return Counted(found)

    def find(self, part: Any, start: Any = 0, end: Any = None) -> int:
        found = super().find(part, start, end)
        start, end, _ = slice(start, end).indices(len(self))
        Counted.moved += (end if found < 0 else found) - start
        return found


def work(task: Task) -> tuple[int, int]:
    """Return two counts: of the lines of Python that a task runs, and of the bytes that it reads from
    `Counted`.
    """
    lines = 0

    def traced(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return traced

    before, Counted.moved = sys.gettrace(), 0
    sys.settrace(traced)
    try:
        task()
    finally:
        sys.settrace(before)
    return lines, Counted.moved


def growth(prepared: Callable[[int], Task], size: int) -> float:
    """Return the exponent by which work grows with its size; constant work is subtracted."""
    prepared(size)()  # A first run, so that imports and filled caches are not measured.
    small, middle, large = (work(prepared(size * times)) for times in (1, 2, 4))
    grown = [(max(b - a, 1), max(c - b, 1)) for a, b, c in zip(small, middle, large, strict=True)]
    return max(math.log2(second / first) for first, second in grown)
