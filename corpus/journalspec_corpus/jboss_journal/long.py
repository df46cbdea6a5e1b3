"""Long workloads of the journal: many records and transactions, files that come round again, starts.

A rule is one word:

``a1b`` ``u1b`` ``d1``      add, update, delete record 1, with a body of size b
``A21b`` ``U21b`` ``D21``   the same in transaction 2
``c2`` ``p2`` ``r2``        commit, prepare, roll back transaction 2
``f`` ``n`` ``g`` ``m``     force; go to the next file; take files out of use that nothing needs; compact
``o``                       force, and open again

A word that ends in ``-`` is not forced. Records and transactions are numbered in
base 36. Sizes: ``a`` four bytes, ``b`` forty, ``c`` more than a sector; records of size ``x``, ``y`` and
``z`` end one byte before, at and one byte after a sector's edge.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from journalspec_corpus.crash.adapter import LongWorkload
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.jboss_journal.crash_run import FORMAT, Run, size_of
from journalspec_corpus.jboss_journal.steps import Step
from journalspec_reference.api import WriterRefused

LINES = "long_workloads.jsonl"
SECTOR = 512
OPS = {"a": "add", "u": "update", "d": "delete", "c": "commit", "p": "prepare", "r": "rollback"}
PLAIN = {"f": "force", "n": "next", "g": "reclaim", "m": "compact"}
SIZES = {"a": 4, "b": 40, "c": 600}
#: size -> where the record ends, from a sector's edge
EDGES = {"x": -1, "y": 0, "z": 1}


class LongRun(Run):
    """A run of the writer that is told what to do in rules."""

    def __init__(self, variant: str, size: int) -> None:
        edition, _, order = variant.partition("/")
        super().__init__(edition, size, "00", order or "spec")
        self.apply({"op": "open"})

    def do(self, rule: str) -> bool:
        """Do what a rule says; returns whether it could be done (a record may be too long for the file)."""
        if rule in PLAIN:
            return self._try({"op": PLAIN[rule]})
        if rule == "o":
            self.apply({"op": "force"})
            self.reopen()
            return True
        operation = self._step(rule.removesuffix("-")).operation(0)
        return self._try({**operation, "sync": "false"} if rule.endswith("-") else operation)

    def _try(self, operation: dict[str, str]) -> bool:
        try:
            self.apply(operation)
        except WriterRefused:
            return False
        return True

    def _step(self, rule: str) -> Step:
        op = OPS[rule[0].lower()]
        if rule[0] in "cpr":
            return Step(op, tx=int(rule[1], 36))
        tx = int(rule[1], 36) if rule[0].isupper() else 0
        rest = rule[2:] if tx else rule[1:]
        step = Step(op + "_tx" if tx else op, int(rest[0], 36), 0, tx)
        if op == "delete":
            return step
        if rest[1] in SIZES:
            return Step(step.op, step.id, SIZES[rest[1]], tx)
        shortest = self.position + size_of(step.operation(0), self.dialect)
        edge = -(-(shortest + 1) // SECTOR) * SECTOR + EDGES[rest[1]]
        return Step(step.op, step.id, edge - shortest, tx)


def build(work: LongWorkload) -> Trace:
    """Return the trace of `work`: from a new journal on, with all its crash points."""
    run = LongRun(work.variant, work.size)
    base = {name: bytes(data) for name, data in run.memory.files.items()}
    run.storage.ops.clear()
    for rule in work.rules.split():
        run.do(rule)
    tags = {"kind": "long", "order": work.variant, "rules": str(len(work.rules.split()))}
    return Trace(FORMAT, run.edition, work.name, base, tuple(run.storage.ops), "zero", tags=tags)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the lines again; needs Hypothesis."""
    from journalspec_corpus.crash.long_machine import write_lines  # noqa: PLC0415
    from journalspec_corpus.jboss_journal.long_machine import LongMachine  # noqa: PLC0415

    return write_lines(LongMachine, LINES, arguments)


if __name__ == "__main__":
    sys.exit(main())
