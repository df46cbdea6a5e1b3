"""The workloads for the crash states of a database's log, made from ``workloads.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from journalspec_corpus import workloads as shared
from journalspec_corpus.crash.record import Operation

#: The difference between the keys of one generation of the files and those of the next.
LIFE = 1000
#: The content before every workload: a row that steps may change, and a row that fills the space before the
#: steps.
VICTIM, FILLER = 91, 90
#: The starts of a group's fields: those of its checksum record, and those of the records that it covers.
SUMMED = ((0, "length"), (4, "instant"), (12, "body"), (21, "data_length"), (25, "checksum"), (33, "trailer"))
#: The length of the first record of a group.
LEADING = {True: 37, False: 36}


@dataclass(frozen=True, slots=True)
class Step(shared.NumberedStep):
    """Represents one operation on row `id`, with a value of `size` bytes."""

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation, with the keys and values of that run."""
        if self.op == "checkpoint":
            return {"op": self.op}
        gtrid = {"gtrid": f"{int(self.tx[1:], 36):02x}{life:02x}" if self.tx else "", "bqual": "09"}
        if self.op in ("accept", "reject"):
            return {"op": "decide", **gtrid, "commit": self.op == "accept"}
        tx = {"tx": self.tx} if self.tx else {}
        if self.op not in ("insert", "update", "delete"):
            return {"op": self.op, **tx, **(gtrid if self.op == "start" else {})}
        key = self.id if self.id == VICTIM else self.id + life * LIFE
        row = {"op": self.op, "table": "T", "key": str(key), **tx}
        return row if self.op == "delete" else {**row, "value": value(key, self.size, self.op)}


@cache
def value(key: int, size: int, op: str = "insert") -> str:
    """Return a value with `size` letters after its key. It differs from the value of any other row."""
    start = 37 * key + (11 if op == "update" else 0)
    letters = "".join(chr(0x61 + (start + at * 7 + at // 50) % 26) for at in range(size))
    return f"{key}:{letters}"


def forced(life: int, number: int) -> Operation:
    """Return the operation that causes fsync number n of a run: an insert into the other table."""
    key = 100000 + LIFE * life + number
    return {"op": "insert", "table": "U", "key": str(key), "value": value(key, 4)}


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format. Its `kind` is append, over (the first step fills the file) or create."""

    align: str = "length"

    @property
    def edition(self) -> str:
        """The edition that the writer writes."""
        return str(TABLES.rows["journals"][self.writer]["edition"])

    def fields(self) -> Mapping[str, int]:
        """Return the start of every field of the first group's first record by name, and of the rest."""
        return {name: start for start, name in group_fields(self.edition)}


TABLES = shared.Tables(__package__, Workload, Step)


def group_fields(edition: str) -> tuple[tuple[int, str], ...]:
    """Return (start, name) of the fields of a group. All its records after the first are one field.

    Without checksums, the first record begins a transaction.
    """
    summed = edition != "10.0"
    return (*(SUMMED if summed else record_fields(LEADING[False])), (LEADING[summed], "more"))


def record_fields(length: int) -> tuple[tuple[int, str], ...]:
    """Return (start, name) of the fields of a record of this length in bytes."""
    return ((0, "length"), (4, "instant"), (12, "body"), (length - 4, "trailer"))


def step_of(word: str) -> Step:
    """Return the step that a word of a long workload requests."""
    op, said, tx = TABLES.said(word)
    size = TABLES.rows["long"]["bodies"][said["size"]] if "size" in said else 0
    return Step(op, int(said.get("id", "0"), 36), size, tx)
