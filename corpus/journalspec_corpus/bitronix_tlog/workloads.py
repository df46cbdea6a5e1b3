"""The workloads for the crash states of a disk journal, made from ``workloads.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec_corpus import workloads as shared
from journalspec_corpus.crash.record import Operation

EDITION = "2.1"
#: Maps the number of a generation of the files (`life`) to the characters of names. Runs after a crash use
#: different characters, so that an old sector never equals a new one.
LETTERS = {3: "ijklmnop", 4: "qrstuvwx"}
#: The number of bytes by which every record of a shifted earlier generation is longer.
SHIFTED, SHIFT = 2, 3


@dataclass(frozen=True, slots=True)
class Step:
    """Represents one logical operation: a record of `type` for transaction `gtrid` (a small number)."""

    type: str
    gtrid: int
    size: str

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"{self.type.lower()}-{self.gtrid}-{self.size}"

    def operation(self, life: int) -> Operation:
        """Return the protocol's ``log`` operation for run `life` on the files."""
        length, *names = TABLES.rows["sizes"][self.size]
        length += SHIFT if life == SHIFTED else 0
        letters = LETTERS.get(life, "abcdefgh")
        return logged(
            self.type,
            gtrid_bytes(self.gtrid, length, life),
            *(letters[at] * size for at, size in enumerate(names)),
        )


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format.

    Its `kind` is append, swap (the last step does not fit into the file), create or close.
    """

    align: str = "status"

    @property
    def tags(self) -> dict[str, str]:
        """The tags of its trace, with the sizes of its steps."""
        told = {"kind": self.kind, "order": self.writer, "align": self.align, "force": self.force}
        return {**told, "sizes": ",".join(step.size for step in self.steps)}

    def fields(self) -> Mapping[str, int]:
        """Return the start of every field of the first step's record, by name."""
        return {name: start for start, name in _starts(self.steps[0].operation(0))[0]}


def _combined(count: int, sizes: Sequence[str]) -> Iterator[tuple[Step, ...]]:
    """Yield `count` decisions of all sizes.

    If all sizes are equal, also yield them with the last one finishing the first.
    """
    for chosen in product(sizes, repeat=count):
        steps = tuple(Step("COMMITTING", number, size) for number, size in enumerate(chosen, start=1))
        yield steps
        if count > 1 and chosen[0] == chosen[-1]:
            yield (*steps[:-1], Step("COMMITTED", 1, chosen[0]))


TABLES = shared.Tables(__package__, Workload, Step, _combined)
#: The offsets of a record's fields, named as in traces; they are the same for all recorded editions.
RECORDS = TABLES.fields_of(LAYOUT)
#: Maps each order of writes to the edition of the products that write in this order.
ORDERS: Mapping[str, str] = TABLES.rows["orders"]


def logged(status: str, gtrid: bytes, *names: str) -> Operation:
    """Return a ``log`` operation."""
    return {"op": "log", "type": status, "gtrid": gtrid.hex(), "names": list(names)}


def gtrid_bytes(number: int, length: int, life: int) -> bytes:
    """Return a gtrid of `length` bytes that differs for every transaction and generation of a file."""
    return bytes([0x30 + 16 * life + number]) * length


def _starts(op: Mapping[str, Any]) -> tuple[tuple[tuple[int, str], ...], int]:
    names = [{"name": name} for name in op["names"]]
    return RECORDS.starts(EDITION, "", {"gtrid": bytes.fromhex(op["gtrid"]), "names": names})


def size_of(op: Mapping[str, Any]) -> int:
    """Return the number of bytes that a ``log`` operation takes on disk."""
    return _starts(op)[1]


#: The bytes of a record without its gtrid and names.
EMPTY = size_of(logged("", b""))
