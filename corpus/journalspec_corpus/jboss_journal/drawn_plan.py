"""Plans of valid journals: what was written when, the bytes it leaves, what it must yield.

A plan is drawn (by a strategy or by the fuzzer) and laid out by the author
module; nothing reads a journal. What recovery concludes follows from the entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from journalspec_corpus.drawn import DrawnJournal, drawn, written
from journalspec_corpus.jboss_journal.author import build
from journalspec_corpus.jboss_journal.naive import replayed

FORMAT_ID = "jboss_journal"
SEEDS = ("seed", "seed+hash")
#: What a file needs besides its records, generously.
HEADROOM = 64
#: No writer makes smaller files.
LEAST = 1024
LARGEST_RECORD = 160
KINDS = ("ADD", "ADD_TX", "COMMIT", "UPDATE", "DELETE_TX", "PREPARE", "UPDATE_TX", "DELETE", "ROLLBACK")


def kinds_of(edition: str) -> tuple[str, ...]:
    """Return the record types that are drawn."""
    return (*KINDS, "EVENT") if edition == "v2e" else KINDS


@dataclass(frozen=True, slots=True)
class Entry:
    """One record as its writer was asked for it; what its type has no field for is left out."""

    kind: str
    tx: int = 0
    id: int = 0
    user_type: int = 0
    body: bytes = b""
    extra: bytes = b""
    compact: int = 0
    #: Noise in front of the record that is no record type.
    gap: int = 0

    def described(self, label: str, edition: str, stamp: int | None = None) -> dict[str, Any]:
        """Return the entry as the author module takes it."""
        plain_delete = self.kind == "DELETE" or (self.kind == "DELETE_TX" and edition in SEEDS)
        out: dict[str, Any] = {
            "label": label,
            "kind": self.kind,
            "tx": self.tx,
            "id": self.id,
            "user_type": self.user_type,
            "body": "" if plain_delete else self.body.hex(),
            "extra": "" if edition in SEEDS else self.extra.hex(),
            "compact": self.compact,
            "gap": "4a" * self.gap,
        }
        return out if stamp is None else {**out, "stamp": stamp, "pairs": [(stamp, 1)], "count": 1}


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: its id, what it holds, and the id and content of its previous life."""

    file_id: int
    entries: tuple[Entry, ...]
    old_id: int
    previous: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A journal. `slack` is the room that is left in every file, in bytes."""

    edition: str
    files: tuple[FilePlan, ...]
    align: int
    slack: int
    fill: int


def lay_out(plan: Plan) -> DrawnJournal:
    """Return the journal that a conforming writer leaves when it does what `plan` says."""
    size = _size(plan)
    now, then = (
        build({"files": [make(plan, number, size) for number in range(len(plan.files))]}, plan.edition)
        for make in (_file, _before)
    )
    ids = [file.file_id for file in plan.files]
    state = replayed([now.records[label] for label in written(now)], ids, plan.edition)
    return drawn((FORMAT_ID, plan.edition), (now, then), state)


def _size(plan: Plan) -> int:
    """Return a file size, a multiple of the alignment, that every life of every file fits in."""
    most = max((len(file.entries) + len(file.previous) for file in plan.files), default=0)
    needed = HEADROOM + most * (LARGEST_RECORD + plan.align) + plan.align + plan.slack
    return -(-max(needed, LEAST) // plan.align) * plan.align


def _file(plan: Plan, number: int, size: int) -> dict[str, Any]:
    file = plan.files[number]
    entries = [entry.described(f"r{number}.{at}", plan.edition) for at, entry in enumerate(file.entries)]
    return {
        **_frame(plan, number, size),
        "id": file.file_id,
        "before": _old(plan, number),
        "records": entries,
    }


def _old(plan: Plan, number: int) -> list[dict[str, Any]]:
    file = plan.files[number]
    return [
        entry.described(f"old{number}.{at}", plan.edition, file.old_id)
        for at, entry in enumerate(file.previous)
    ]


def _before(plan: Plan, number: int, size: int) -> dict[str, Any]:
    return {**_frame(plan, number, size), "id": plan.files[number].old_id, "records": _old(plan, number)}


def _frame(plan: Plan, number: int, size: int) -> dict[str, Any]:
    return {"number": number + 1, "size": size, "align": plan.align, "fill": f"{plan.fill:02x}"}
