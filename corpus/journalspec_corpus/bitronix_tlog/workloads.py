"""What is done to a disk journal to get its crash states, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from journalspec_corpus.crash import workloads as shared
from journalspec_corpus.crash.workloads import FOREIGN
from journalspec_reference.bitronix_tlog.codec import (
    CRC_AT,
    MIN_RECORD_LENGTH,
    PAYLOAD_AT,
    STATUS_CODES,
    UNCOUNTED,
)

BACKGROUNDS = ("zero", "stale-same", "stale-shifted", "garbage")
#: order of writes -> the edition whose products write so
ORDERS = {"spec": "2.1", "2.1.4": "2.1", "3.0": "3.0"}
#: field -> where it stands in a record: with the record so far below a sector edge, it begins on the edge.
FIELDS = {
    "status": 0,
    "recordLength": 4,
    "headerLength": 8,
    "time": 12,
    "sequenceNumber": 20,
    "crc32": CRC_AT,
    "gtridLength": PAYLOAD_AT,
    "gtrid": PAYLOAD_AT + 1,
}
#: size name -> (gtrid bytes, bytes in names)
SIZES: dict[str, tuple[int, tuple[int, ...]]] = {
    "tiny": (1, ()),
    "typical": (16, (3, 4)),
    "sector": (16, (455,)),
    "three": (16, (3, 1300)),
    "six": (16, (3, 2900)),
}
#: Bytes of a record without gtrid and names.
EMPTY = UNCOUNTED + MIN_RECORD_LENGTH
#: life -> what names are made of. After a crash no byte of a name is what it was: a sector of before is
#: never one of now.
LETTERS = {3: "ijklmnop", 4: "qrstuvwx"}
#: In a shifted earlier life every record is this much longer.
SHIFTED, SHIFT = 2, 3


@dataclass(frozen=True, slots=True)
class Step:
    """One logical operation: a record of `type` for transaction `gtrid` (a small number)."""

    type: str
    gtrid: int
    size: str

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"{self.type.lower()}-{self.gtrid}-{self.size}"

    def operation(self, life: int) -> dict[str, Any]:
        """Return the protocol's ``log`` operation in that life of the files."""
        length, names = SIZES[self.size]
        length += SHIFT if life == SHIFTED else 0
        letters = LETTERS.get(life, "abcdefgh")
        return logged(
            self.type,
            gtrid_bytes(self.gtrid, length, life),
            *(letters[at] * size for at, size in enumerate(names)),
        )


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format. `kind` is append, swap (the last step does not fit), create or close."""

    align: str = "status"


def logged(status: str, gtrid: bytes, *names: str) -> dict[str, Any]:
    """Return a ``log`` operation."""
    return {"op": "log", "type": status, "gtrid": gtrid.hex(), "names": list(names)}


def gtrid_bytes(number: int, length: int, life: int) -> bytes:
    """Return a gtrid of `length` bytes that differs for every transaction and life of a file."""
    return bytes([0x30 + 16 * life + number]) * length


def size_of(op: Mapping[str, Any]) -> int:
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


_SMALL, _LARGE = Step("COMMITTING", 1, "typical"), Step("COMMITTING", 1, "three")
#: What may be done after opening what a crash left.
THEN: dict[str, tuple[Step, ...]] = {
    "same": (),
    "typical": (_SMALL, replace(_SMALL, gtrid=2)),
    "three": (_LARGE, replace(_LARGE, type="COMMITTED")),
    "swap": (_SMALL, replace(_SMALL, gtrid=2)),
    "settle": (_SMALL,),
    "close": (_SMALL, replace(_SMALL, gtrid=2)),
}
#: scope -> what is done after which of the chosen crash states.
CHOICES: dict[str, dict[str, Sequence[int]]] = {
    "core": {"same": (0, 1), "swap": (2,), "settle": (0, 3)},
    "full": {
        "same": (0, 1),
        "typical": (2,),
        "three": (3,),
        "swap": (4, 5),
        "close": (6,),
        "settle": range(12),
    },
}
#: The same for long first lives.
AFTER_LONG = {"typical": (0, 1), "settle": (2, 3), "swap": (4, 5)}


def firsts(scope: str) -> Iterator[Workload]:
    """Yield the workloads of a scope that are gone on from after a crash."""
    full = scope == "full"
    for order in ORDERS:
        yield Workload("create", order, (Step("COMMITTING", 1, "tiny"),))
    aligns = ["status", "crc32", "endRecord"] if full else ["status"]
    for background, align, order in product(BACKGROUNDS if full else BACKGROUNDS[:2], aligns, ORDERS):
        for kind, step in product(("append", "swap"), (_SMALL, _LARGE)):
            yield Workload(kind, order, (step,), align, 1024, "each", background)
        yield Workload("append", order, (_SMALL, replace(_LARGE, gtrid=2)), align, 1024, "end", background)


_BY_BYTES = sorted(SIZES, key=lambda size: size_of(Step("COMMITTING", 1, size).operation(0)))
REDUCTION = shared.Reduction(
    backgrounds=("zero", "stale-same", "stale-shifted", FOREIGN, "garbage"),
    below=lambda size: _BY_BYTES[: _BY_BYTES.index(size)],
    align="status",
    rule="[cap].([abcd])",
    rule_sizes="abcd",
    lives=("open", "close", "typical"),
    fields=lambda workload: _ALL,
)

#: Words of long workloads: what is logged, and the bytes in names; see :meth:`.recording.LongRun.do`.
STATUS = {"c": "COMMITTING", "a": "ACTIVE", "p": "PREPARED", "d": "COMMITTED", "r": "ROLLEDBACK"}
LONG_SIZES: dict[str, tuple[int, ...]] = {"a": (), "b": (3, 4), "c": (455,), "d": (3, 1300)}
#: Statuses with which a transaction has nothing left to be done.
FINISHED = {STATUS_CODES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN")}
