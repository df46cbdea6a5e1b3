"""The workloads for the crash states of a journal, made from ``workloads.toml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from journalspec.jboss_journal import LAYOUT
from journalspec_corpus import workloads as shared
from journalspec_corpus.crash.record import Operation
from journalspec_reference.jboss_journal.write import RECORD_OPS

#: The difference between ids and transactions of an earlier generation and those of the run.
LIFE = 1000
#: The content before every workload: a record to delete or update, and a record that fills the space up to
#: the start.
VICTIM, FILLER = 91, 90


@dataclass(frozen=True, slots=True)
class Step:
    """Represents one operation on record `id` or transaction `tx`, with `size` bytes of body (PREPARE: extra
    data).
    """

    op: str
    id: int = 0
    size: int = 0
    tx: int = 0

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"{self.op}-{self.id or self.tx}" + (f"-{self.size}" if self.size else "")

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation with the ids and bodies of run `life`."""
        out: Operation = {"op": self.op}
        if self.tx:
            out["tx"] = str(self.tx + life * LIFE)
        if self.id:
            out["id"] = str(self.id + life * LIFE)
        if self.op.startswith(("add", "update")):
            out["user_type"] = str(1 + life)
            out["body"] = _body(self, life).hex()
        if self.op == "prepare" and self.size:
            out["extra"] = _body(self, life).hex()
        return out


def _body(step: Step, life: int) -> bytes:
    """Return bytes without zeros that no other record contains, and that differ in every sector."""
    seed = 37 * step.id + 101 * life + (61 if step.op.startswith("update") else 0)
    return _bytes_of(seed, -(-step.size // _TOGETHER) * _TOGETHER)[: step.size]


#: Bodies are generated in multiples of this length and cut: a shorter body is the beginning of a longer one.
_TOGETHER = 4096


@lru_cache(maxsize=1024)
def _bytes_of(seed: int, size: int) -> bytes:
    return bytes(0x30 + (seed + at * 7 + at // 50) % 97 for at in range(size))


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format.

    `kind` is append, over, reclaim, compact, reopen (a start that rolls back open transactions) or create.
    Over: the last step does not fit any more and is written to the next file. Reclaim is like over, and a
    file also goes out of use.
    """

    align: str = "type"

    @property
    def edition(self) -> str:
        """The edition that is written."""
        return edition_and_order(self.writer)[0]

    def fields(self) -> Mapping[str, int]:
        """Return the start of every field of the first step's record, by name."""
        return {name: start for start, name in _starts(self.steps[0].operation(0), self.edition)[0]}


TABLES = shared.Tables(__package__, Workload, Step)
#: The fields of each record, named as in traces.
RECORDS = TABLES.fields_of(LAYOUT)
TINY, TYPICAL, LONG, *_ = TABLES.rows["sizes"].values()


def edition_and_order(writer: str) -> tuple[str, str]:
    """Return the edition and order of writes in a writer's name; the default is the specification's order."""
    edition, _, order = writer.partition("/")
    return edition, order or "spec"


def _starts(op: Mapping[str, Any], edition: str) -> tuple[tuple[tuple[int, str], ...], int]:
    """Return the result of :meth:`.RecordFields.starts`; a COMMIT or PREPARE lists one file."""
    values: dict[str, Any] = {name: bytes.fromhex(op.get(name, "")) for name in ("body", "extra")}
    values["pairs"] = [{}]
    return RECORDS.starts(edition, RECORD_OPS[op["op"]], values)


def size_of(op: Mapping[str, Any], edition: str) -> int:
    """Return the number of bytes of a record operation (COMMIT and PREPARE list one file)."""
    return _starts(op, edition)[1]


def choices(first: Workload, scope: str) -> Mapping[str, Sequence[int]]:
    """Map each second run's name to the numbers of the crash states of `first` after which it is done."""
    if [first.steps] == TABLES.sequences(["crowd"]):
        alone: Mapping[str, Sequence[int]] = TABLES.rows["crowd_choices"][scope]
        return alone
    # Without a transaction, opening rolls nothing back and writes almost nothing.
    quiet = first.kind in ("append", "reclaim") and not any(step.tx for step in first.steps)
    return {then: at for then, at in TABLES.choices[scope].items() if not (quiet and then == "open")}


def step_of(word: str) -> Step:
    """Return the step that a word of a long workload requests, with an empty body."""
    op = TABLES.rows["long"]["operations"][word[0].lower()]
    if word[0] in "cpr":
        return Step(op, tx=int(word[1], 36))
    tx = int(word[1], 36) if word[0].isupper() else 0
    return Step(op + "_tx" if tx else op, int(word[2 if tx else 1], 36), 0, tx)
