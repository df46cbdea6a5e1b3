"""Long workloads of the disk journal: many transactions, swaps, starts after a clean end and after none.

A rule is one word:

``c1b`` ``a1b`` ``p1b``   log COMMITTING, ACTIVE or PREPARED for transaction 1 with size b
``d1`` ``r1``             log COMMITTED or ROLLEDBACK for it
``f``                     force
``o``                     close, and open again
``k``                     force, and open again without having closed

Transactions are numbered in base 36. Sizes: ``a`` no names, ``b`` two short ones, ``c`` most of a
sector, ``d`` nearly three; ``x``, ``y`` and ``z`` end one byte before, at and one byte after a sector's edge.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from journalspec_corpus.bitronix_tlog.traces import FORMAT, HEADER, Run
from journalspec_corpus.bitronix_tlog.workloads import ORDERS, Workload, size_of
from journalspec_corpus.crash.adapter import LongWorkload
from journalspec_corpus.crash.trace import Reuse, Trace, Write
from journalspec_reference import load
from journalspec_reference.api import WriterRefused

LINES = "long_workloads.jsonl"
SECTOR = 512
STATUS = {"c": "COMMITTING", "a": "ACTIVE", "p": "PREPARED", "d": "COMMITTED", "r": "ROLLEDBACK"}
SIZES: dict[str, tuple[int, ...]] = {"a": (), "b": (3, 4), "c": (455,), "d": (3, 1300)}
#: size -> where the record ends, from a sector's edge
EDGES = {"x": -1, "y": 0, "z": 1}
#: Bytes in the one name of a record that ends at an edge, at least.
SHORTEST = 8


class LongRun(Run):
    """A run of the writer that is told what to do in rules."""

    def __init__(self, order: str, size: int) -> None:
        super().__init__(Workload("append", order, ()), 0)
        self._size = size
        self._opened = 0
        self._names: dict[str, list[str]] = {}
        self.open()

    def open(self, length: int = 0) -> None:
        """Start a writer; its clock and its numbers go on from where the last one can have come to."""
        self._opened += 1
        params = {
            "order": self.work.order,
            "file_length": str(length or self._size),
            "clock": str(1_000_000 * self._opened),
            "sequence": str(1000 * self._opened),
        }
        self.writer = load(FORMAT).writer(self.storage, edition=ORDERS[self.work.order], params=params)
        self.apply({"op": "open"})

    def _swap_begins(self) -> None:
        write = self.storage.ops.pop()
        assert isinstance(write, Write)
        self.storage.note(Reuse(write.file), write)
        super()._swap_begins()
        # What the file held is of an earlier life now: the pointer will pass over these places again.
        self.marks = [mark for mark in self.marks if mark.file != write.file]

    def do(self, rule: str) -> bool:
        """Do what a rule says; returns whether it could be done (a record may be too long for the file)."""
        if rule in ("o", "k"):
            self.apply({"op": "close" if rule == "o" else "force"})
            self.open()
        elif rule == "f":
            self.apply({"op": "force"})
        else:
            return self._log(rule)
        return True

    def _log(self, rule: str) -> bool:
        what, number = rule[0], int(rule[1], 36)
        op: dict[str, Any] = {"op": "log", "type": STATUS[what], "gtrid": (bytes([0x41 + number]) * 16).hex()}
        op["names"] = []
        if what in "dr":
            # What did not fit was never decided.
            if rule[1] not in self._names:
                return False
            op["names"] = self._names[rule[1]]
        elif rule[2] in SIZES:
            op["names"] = [letter * size for letter, size in zip("np", SIZES[rule[2]], strict=False)]
        else:
            # The tail that is on disk may be behind: the records say where the next one goes.
            ends = [mark.off + mark.length for mark in self.marks if mark.file == self.active]
            shortest = max(ends, default=HEADER) + size_of({**op, "names": ["e" * SHORTEST]})
            edge = -(-(shortest + 1) // SECTOR) * SECTOR + EDGES[rule[2]]
            op["names"] = ["e" * (edge - shortest + SHORTEST)]
        before = len(self.storage.ops)
        try:
            self.apply(op)
        except WriterRefused:
            if self.storage.ops[before:]:
                raise
            return False
        self._names[rule[1]] = list(op["names"])
        return True


def build(work: LongWorkload) -> Trace:
    """Return the trace of `work`: from a new journal on, with all its crash points."""
    run = LongRun(work.variant, work.size)
    base = {name: bytes(data) for name, data in run.memory.files.items()}
    run.storage.ops.clear()
    for rule in work.rules.split():
        run.do(rule)
    tags = {"kind": "long", "order": work.variant, "rules": str(len(work.rules.split()))}
    edition = ORDERS[work.variant]
    return Trace(FORMAT, edition, work.name, base, tuple(run.storage.ops), "zero", tags=tags)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the lines again; needs Hypothesis."""
    from journalspec_corpus.bitronix_tlog.long_machine import LongMachine  # noqa: PLC0415
    from journalspec_corpus.crash.long_machine import write_lines  # noqa: PLC0415

    return write_lines(LongMachine, LINES, arguments)


if __name__ == "__main__":
    sys.exit(main())
