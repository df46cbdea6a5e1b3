"""A cache of decoded values, bounded by the bytes that it keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

#: A cache stores at most KEPT bytes. For each result, OWN additional bytes are counted.
KEPT, OWN = 1 << 20, 192

T = TypeVar("T")


class ValueCache(dict[bytes, T]):
    """A cache from stored bytes to their decoded values. It saves time because files repeat names and values.

    Bytes up to a length of `longest` are kept, at most `most` bytes in total; each result counts OWN
    additional bytes. `make` computes a missing result. Without `make`, the caller puts the result in.
    """

    def __init__(
        self, make: Callable[[bytes], T] | None = None, longest: int = KEPT, most: int = KEPT
    ) -> None:
        super().__init__()
        self._make, self._longest, self._most = make, min(longest, most - OWN), most
        self._left = most

    def __missing__(self, data: bytes) -> T:
        """Make and cache a new result; raises what `make` raises."""
        if self._make is None:
            raise KeyError(data)
        made = self._make(data)
        self.put(data, made)
        return made

    def put(self, data: bytes, made: T) -> None:
        """Cache the result for bytes that are not cached yet."""
        size = len(data)
        if size <= self._longest:
            self._left -= size + OWN
            if self._left < 0:
                self.clear()  # Values from crafted bytes must not slow down the next journal.
                self._left = self._most - size - OWN
            self[data] = made
