"""What is done to a journal to get its crash states: short sequences, every alignment and background."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

BACKGROUNDS = ("zero", "stale-same", "stale-shifted", "garbage")
#: Blocks of another journal: the disk set them aside without clearing them.
FOREIGN = "stale-foreign"
#: order of writes -> the edition whose products write so
ORDERS = {"spec": "2.1", "2.1.4": "2.1", "3.0": "3.0"}
#: Distance of a record's start below a sector edge: that field then begins on the edge.
FIELDS = {
    "status": 0,
    "recordLength": 4,
    "headerLength": 8,
    "time": 12,
    "sequenceNumber": 20,
    "crc32": 24,
    "gtridLength": 28,
    "gtrid": 29,
}
#: size name -> (gtrid bytes, bytes in names)
SIZES = {
    "tiny": (1, ()),
    "typical": (16, (3, 4)),
    "sector": (16, (455,)),
    "three": (16, (3, 1300)),
    "six": (16, (3, 2900)),
}
#: Bytes of a record without gtrid and names.
EMPTY = 37


@dataclass(frozen=True, slots=True)
class Step:
    """One logical operation: a record of `type` for transaction `gtrid` (a small number)."""

    type: str
    gtrid: int
    size: str


@dataclass(frozen=True, slots=True)
class Workload:
    """What one trace is made from; a pure function of these members.

    `align` names the field of the first record that begins on a sector edge,
    `edge` is that edge in bytes. `force` is ``each`` or ``end``. `kind` is
    append, swap (the last step does not fit any more), create or close.
    """

    kind: str
    order: str
    steps: tuple[Step, ...]
    align: str = "status"
    edge: int = 1024
    force: str = "each"
    background: str = "zero"

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        steps = "+".join(f"{step.type.lower()}-{step.gtrid}-{step.size}" for step in self.steps)
        return f"{self.kind}/{self.order}/{steps}/{self.align}@{self.edge}/{self.force}/{self.background}"

    @property
    def writer(self) -> str:
        """Who writes: the order of writes."""
        return self.order


def gtrid_bytes(number: int, length: int, life: int) -> bytes:
    """Return a gtrid of `length` bytes that differs for every transaction and life of a file."""
    return bytes([0x30 + 16 * life + number]) * length


def operation(step: Step, life: int) -> dict[str, Any]:
    """Return the protocol's ``log`` operation of `step`."""
    length, names = SIZES[step.size]
    # After a crash no byte of a name is what it was: a sector of before is never one of now.
    letters = {3: "ijklmnop", 4: "qrstuvwx"}.get(life, "abcdefgh")
    # In a shifted earlier life every record is three bytes longer.
    length += 3 if life == 2 else 0
    return {
        "op": "log",
        "type": step.type,
        "gtrid": gtrid_bytes(step.gtrid, length, life).hex(),
        "names": [letters[at] * size for at, size in enumerate(names)],
    }


def size_of(op: dict[str, Any]) -> int:
    """Return the bytes that a ``log`` operation takes on disk."""
    return EMPTY + len(op["gtrid"]) // 2 + sum(2 + len(name) for name in op["names"])


_ALL = (*FIELDS, "endRecord")
#: scope -> for each number of steps: fields on an edge, sizes, edges
SCOPES: dict[str, dict[int, tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]]] = {
    "smoke": {1: (("status", "crc32"), ("typical",), (1024,))},
    "core": {
        1: (_ALL, tuple(SIZES), (1024,)),
        2: (("status", "time", "crc32", "gtrid", "endRecord"), ("typical", "three"), (1024,)),
    },
    "full": {
        1: (_ALL, tuple(SIZES), (1024, 4096)),
        2: (_ALL, tuple(SIZES), (1024,)),
        3: (("status", "crc32", "endRecord"), ("typical", "three", "six"), (1024,)),
    },
}


def workloads(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope, in a fixed order: ``smoke`` < ``core`` < ``full``.

    Orders of writes vary fastest: what two of them have in common then falls
    into one shard. Raises KeyError for an unknown scope.
    """
    yield from (Workload("create", order, (Step("COMMITTING", 1, "tiny"),)) for order in ORDERS)
    for count, (aligns, sizes, edges) in SCOPES[scope].items():
        for background, align, edge in product(BACKGROUNDS, aligns, edges):
            for steps, force in _sequences(count, sizes):
                kinds = ["append", "swap"] if force == "each" else ["append"]
                for kind, order in product(kinds + ["close"] * (count == 1), ORDERS):
                    yield Workload(kind, order, steps, align, edge, force, background)
    aligns, sizes, _ = SCOPES[scope][1]
    if scope != "smoke":
        for align, (steps, force), order in product(aligns, _sequences(1, sizes), ORDERS):
            yield Workload("append", order, steps, align, 1024, force, FOREIGN)


def _sequences(count: int, sizes: tuple[str, ...]) -> Iterator[tuple[tuple[Step, ...], str]]:
    """Yield all step sequences of `count` steps with every way to force them."""
    for chosen in product(sizes, repeat=count):
        for finish in (False, True) if count > 1 else (False,):
            steps = [Step("COMMITTING", number, size) for number, size in enumerate(chosen, start=1)]
            if finish and chosen[0] != chosen[-1]:
                continue
            if finish:
                # The last step confirms the first instead of deciding another one.
                steps[-1] = Step("COMMITTED", 1, chosen[0])
            for force in ("each", "end") if count > 1 else ("each",):
                yield tuple(steps), force
