"""What is done to a store to get its crash states: what is made of ``workloads.toml``."""

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
    """One operation, as the table has it: the protocol's, and its members."""

    text: str
    size: int = 0

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return self.text.replace(" ", "-")

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation; bodies and branches are those of that run."""
        branch = f" gtrid={life + 1:02x} bqual=09"
        more = {"prepare": f"{branch} format_id=1", "decide": branch}.get(self.text.split()[0], "")
        return operation(self.text.replace("body=", f"message={DIGITS[life - 1] * bool(life)}") + more)


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """Steps, as the table has them; `kind` is their topic. Records lie at their given offsets."""

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"{self.kind}/{'+'.join(step.name for step in self.steps)}"

    def fields(self) -> Mapping[str, int]:
        """Return the fact that nothing is aligned."""
        return {"": 0}


def combined(moves: int, every: int) -> Iterator[tuple[Step, ...]]:
    """Yield what so many different `moves`, one after the other, come to; of all orders every so many-th."""
    rows = TABLES.rows["moves"].values()
    for number, chosen in enumerate(permutations(rows, moves)):
        if number % every == 0:
            yield tuple(Step(text) for move in chosen for text in move)


TABLES = shared.Tables(__package__, Workload, Step, combined)


def meaning(word: str) -> Operation:
    """Return the operation that a word of a long workload asks for."""
    pattern, said, _ = TABLES.said(word)
    if "key" in said:
        said["key"] = str(DIGITS.index(said["key"]))
    if "size" in said:
        said["body"] = f"{said['new']}*{TABLES.rows['long']['bodies'][said['size']]}"
    return Step(pattern.format(**said)).operation(0)
