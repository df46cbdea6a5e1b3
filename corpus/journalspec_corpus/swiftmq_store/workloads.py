"""The workloads for the crash states of a store, made from ``workloads.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from journalspec_corpus import workloads as shared
from journalspec_corpus.crash.record import Operation
from journalspec_corpus.swiftmq_store.author import operation
from journalspec_corpus.workloads import DIGITS


@dataclass(frozen=True, slots=True)
class Step:
    """Represents one operation as the table writes it: its name in the protocol, and its members."""

    text: str
    size: int = 0

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return self.text.replace(" ", "-")

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation, with bodies and branches of run `life`."""
        branch = f" gtrid={life + 1:02x} bqual=09"
        more = {"prepare": f"{branch} format_id=1", "decide": branch}.get(self.text.split()[0], "")
        return operation(self.text.replace("body=", f"message={DIGITS[life - 1] * bool(life)}") + more)


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """Steps as the table writes them; `kind` is their topic. The position of records cannot be chosen."""

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"{self.kind}/{'+'.join(step.name for step in self.steps)}"

    def fields(self) -> Mapping[str, int]:
        """Return no field, because no record can be aligned."""
        return {"": 0}


def combined(moves: int, every: int) -> Iterator[tuple[Step, ...]]:
    """Yield sequences of different `moves`, but only every n-th of all orders."""
    rows = TABLES.rows["moves"].values()
    for number, chosen in enumerate(permutations(rows, moves)):
        if number % every == 0:
            yield tuple(Step(text) for move in chosen for text in move)


TABLES = shared.Tables(__package__, Workload, Step, combined)


def meaning(word: str) -> Operation:
    """Return the operation that a word of a long workload requests."""
    pattern, said, _ = TABLES.said(word)
    if "key" in said:
        said["key"] = str(DIGITS.index(said["key"]))
    if "size" in said:
        said["body"] = f"{said['new']}*{TABLES.rows['long']['bodies'][said['size']]}"
    return Step(pattern.format(**said)).operation(0)
