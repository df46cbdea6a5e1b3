"""One logical operation of a workload, and what it asks of a writer in each life of the files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

#: Ids and transactions of an earlier life are this much larger.
LIFE = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on record `id` (body of `size` bytes) or transaction `tx`."""

    op: str
    id: int = 0
    size: int = 0
    tx: int = 0

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"{self.op}-{self.id or self.tx}" + (f"-{self.size}" if self.size else "")

    def operation(self, life: int) -> dict[str, Any]:
        """Return the protocol's operation, with the ids and the bodies of that life."""
        out: dict[str, Any] = {"op": self.op}
        if self.tx:
            out["tx"] = str(self.tx + life * LIFE)
        if self.id:
            out["id"] = str(self.id + life * LIFE)
        if self.op.startswith(("add", "update")):
            out["user_type"] = str(1 + life)
            out["body"] = _body(self, life).hex()
        return out


@lru_cache(maxsize=4096)
def _body(step: Step, life: int) -> bytes:
    """Return bytes that no other record has, without zeros, and different in every sector."""
    seed = 37 * step.id + 101 * life + (61 if step.op.startswith("update") else 0)
    return bytes(0x30 + (seed + at * 7 + at // 50) % 97 for at in range(step.size))
