"""What recovery kept, as contents read it: bodies where they are, and prepared transactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Body(NamedTuple):
    """The body of a live record: `data[start:end]`, and where the record is."""

    place: int
    code: int
    id: int
    user_type: int
    data: bytes
    start: int
    end: int


class PreparedTx(NamedTuple):
    """A prepared transaction: its own data, and the places of what it adds, changes and deletes."""

    tx: int
    extra: bytes
    place: int
    changes: Sequence[int]
    deletes: Sequence[int]
