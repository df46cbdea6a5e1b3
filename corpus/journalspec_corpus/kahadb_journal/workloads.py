"""The workloads for the crash states of a KahaDB journal, made from ``workloads.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from journalspec.kahadb_journal import LAYOUT
from journalspec_corpus import workloads as shared
from journalspec_corpus.crash.record import Operation, Places
from journalspec_corpus.kahadb_journal.author import payload
from journalspec_reference.kahadb_journal.codec import DIALECTS

#: The difference between the numbers of messages and transactions in one generation of the files and those in
#: the next.
LIFE = 1000
#: The content before every workload: a message in the queue, a message that is pending for the subscription,
#: and a filler.
VICTIM, OWED, FILLER = 91, 92, 90
#: The number of bytes by which every body in a shifted earlier generation is longer.
SHIFTED, SHIFT = 2, 3


@dataclass(frozen=True, slots=True)
class Step(shared.NumberedStep):
    """Represents one command on message `id`, with `size` bytes of body, and on subscription `sub`."""

    sub: int = 0

    def operation(self, life: int) -> Operation:
        """Return the protocol's ``append`` operation, with the ids and bodies of that run."""
        # Runs after a crash use the same starting content; an earlier generation has its own.
        number = self.id if self.id in (VICTIM, OWED) and life not in (1, SHIFTED) else self.id + life * LIFE
        size = self.size + (SHIFT if life == SHIFTED and self.size else 0)
        tx = self.tx and TABLES.rows["transactions"][self.tx[0]].format(
            life=life, number=int(self.tx[1:], 36)
        )
        body = _body(self.id + len(self.op), life, size).hex()
        text = TABLES.rows["commands"][self.op].format(id=number, body=body, tx=tx, life=life, sub=self.sub)
        return {"op": "append", "payload": payload(text).hex()}


def _body(seed: int, life: int, size: int) -> bytes:
    """Return bytes without zeros that no other record contains, and that differ in every sector."""
    start = 37 * seed + 101 * life
    return bytes(0x30 + (start + at * 7 + at // 50) % 97 for at in range(size))


@dataclass(frozen=True, slots=True)
class Workload(shared.SmallWorkload):
    """A workload of this format.

    `kind` is append, over, past or create. Over: the last step does not fit any more and is written to the
    next file. Past: the last step begins in the file and ends after the file's maximum. `force` may also be
    ``flush``: each step is a batch, and one fsync at the end covers all batches.
    """

    align: str = "length"

    @property
    def edition(self) -> str:
        """The edition that is written."""
        return str(TABLES.rows["journals"][self.writer]["edition"])

    def fields(self) -> Mapping[str, int]:
        """Return the start of every field of the first step's batch, by name, and of the end marker.

        The result is empty, and the workload is omitted, if the end marker is zeros but the background is
        not: zeros mark the end only if no other bytes follow.
        """
        if self.background != "zero" and not DIALECTS[self.edition].marked:
            return {}
        places, length = batch_fields([size_of(self.steps[0].operation(0))], self.edition)
        return {**{name: start for start, name in places}, "end_marker": length}


TABLES = shared.Tables(__package__, Workload, Step)
#: The length of a control record.
CONTROL = max(LAYOUT.structure("header", "5.16").places({})[1].values())
#: The offsets of a record's fields, named as in traces; the other records of its batch count as one field.
_NAMES = {"length": "record_length", "type": "record_type"}
_FIELDS: dict[str, tuple[tuple[int, str], ...]] = {}


def size_of(op: Mapping[str, Any]) -> int:
    """Return the number of bytes that the record of an ``append`` operation takes on disk."""
    return int(5 + len(op["payload"]) // 2)


def batch_fields(sizes: list[int], edition: str) -> Places:
    """Return (start, name) of the fields of a batch whose records have these sizes, and its length in bytes.

    All records but the first are one field, ``more``.
    """
    known = _FIELDS.get(edition)
    if known is None:
        header = LAYOUT.structure("header", edition).places({})[0]
        record = LAYOUT.structure("record", edition, "TRACE").places({"frame": b"", "payload": b""})[0]
        named = [(at, name) for name, at in header.items()]
        named += [(CONTROL + at, _NAMES.get(name, name)) for name, at in record.items()]
        known = _FIELDS[edition] = tuple(named)
    end = CONTROL + sizes[0]
    fields = tuple((at, name) for at, name in known if at < end)
    more = ((end, "more"),) if len(sizes) > 1 else ()
    return (*fields, *more), CONTROL + sum(sizes)


def step_of(word: str) -> tuple[Step, str]:
    """Return the step that a word of a long workload requests, and the letter for the size of its body."""
    op, said, tx = TABLES.said(word)
    size = said.pop("size", "")
    numbers = {name: int(digit, 36) for name, digit in said.items()}
    tx = tx.removesuffix("-")
    bodies = TABLES.rows["long"]["bodies"]
    return Step(op, size=bodies.get(size, bodies["a"]) if size else 0, tx=tx, **numbers), size
