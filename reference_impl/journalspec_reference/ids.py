"""Sets of ids, in little memory."""

from __future__ import annotations

from collections.abc import Iterable


class Ids:
    """A set of ids: 256 neighbours share one number, so that an id costs half a byte, alone some 200."""

    __slots__ = ("_masks",)

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}

    def add(self, ident: int) -> None:
        """Put in an id."""
        self._masks[ident >> 8] = self._masks.get(ident >> 8, 0) | 1 << (ident & 0xFF)

    def update(self, idents: Iterable[int]) -> None:
        """Put in several ids."""
        for ident in idents:
            self.add(ident)

    @property
    def masks(self) -> dict[int, int]:
        """Block of 256 ids -> which of them are in the set, a bit for each."""
        return self._masks

    def __contains__(self, ident: int) -> bool:
        return bool(self._masks.get(ident >> 8, 0) >> (ident & 0xFF) & 1)
