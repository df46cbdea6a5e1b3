"""Plans of valid journals: what was written when. The author module lays them out.

A plan is drawn (by a strategy or by the fuzzer); what recovery concludes follows
from its entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from journalspec_corpus.bitronix_tlog.author import (
    FILE_NAMES,
    NIO_NAME,
    SEED_NAME,
    build,
)
from journalspec_corpus.bitronix_tlog.naive import BYTES, replayed
from journalspec_corpus.drawn import DrawnJournal, fields_of, record_of, typed
from journalspec_corpus.edits import Built

FORMAT = "bitronix_tlog"


@dataclass(frozen=True, slots=True)
class Entry:
    """One record as its writer was asked for it; `padding` and `rolled_over` are the nio edition's."""

    status: int
    gtrid: bytes
    names: tuple[bytes, ...]
    time: int
    seq: int
    rolled_over: bool = False
    padding: int = 0

    def described(self) -> dict[str, Any]:
        """Return the entry as the author module takes it."""
        return {
            "type": self.status,
            "gtrid": self.gtrid.hex(),
            "names_hex": [name.hex() for name in self.names],
            "time": self.time,
            "seq": self.seq,
            "rolled_over": self.rolled_over,
            "padding": self.padding,
        }


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file of a pair: what it holds now, and what it held in its previous life."""

    entries: tuple[Entry, ...]
    previous: tuple[Entry, ...]
    timestamp: int
    state: int


@dataclass(frozen=True, slots=True)
class PairPlan:
    """A disk journal. `slack` is the room that is left behind everything, in bytes."""

    edition: str
    files: tuple[FilePlan, FilePlan]
    slack: int


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """A log of the seed edition: records and nothing else."""

    entries: tuple[Entry, ...]
    previous: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class NioPlan:
    """A nio journal: this lap's entries over what is left of the lap before."""

    current: tuple[Entry, ...]
    previous: tuple[Entry, ...]
    delimiters: tuple[bytes, bytes]
    slack: int
    fill: int


Plan = PairPlan | SeedPlan | NioPlan


def lay_out(plan: Plan) -> DrawnJournal:
    """Return the journal that `plan` leaves on disk, and what it must yield."""
    if isinstance(plan, PairPlan):
        return _lay_out_pair(plan)
    return _lay_out_seed(plan) if isinstance(plan, SeedPlan) else _lay_out_nio(plan)


def _described(entries: Sequence[Entry], label: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"{label}.{at}", **entry.described(), **more} for at, entry in enumerate(entries)]


def _lay_out_pair(plan: PairPlan) -> DrawnJournal:
    def base(size: int | None, *, life: bool) -> dict[str, Any]:
        out: dict[str, Any] = {"size": size}
        for number, file in enumerate(plan.files, start=1):
            old = _described(file.previous, f"old{number}")
            now = {"before": old, "records": _described(file.entries, f"r{number}")}
            header = {"timestamp": file.timestamp, "state": file.state}
            out[f"file{number}"] = {**header, **(now if life else {"records": old})}
        return out

    needed = build(base(None, life=True), plan.edition)
    size = max(len(data) for data in needed.files.values()) + plan.slack
    now, then = (build(base(size, life=life), plan.edition) for life in (True, False))
    # The larger timestamp elects, the second file on a tie.
    active = 1 if plan.files[0].timestamp > plan.files[1].timestamp else 2
    return _journal(plan, plan.edition, now, then, f"r{active}.", FILE_NAMES[f"f{active}"])


def _lay_out_seed(plan: SeedPlan) -> DrawnJournal:
    now = build({"records": _described(plan.entries, "r1")}, "seed")
    then = build({"records": _described(plan.previous, "r1")}, "seed")
    size = len(now.files[SEED_NAME])
    then.files[SEED_NAME] = (then.files[SEED_NAME] + bytes(size))[:size]
    return _journal(plan, "seed", now, then, "r1.", SEED_NAME)


def _lay_out_nio(plan: NioPlan) -> DrawnJournal:
    previous, current = (delimiter.hex() for delimiter in plan.delimiters)
    old = _described(plan.previous, "old", delimiter=previous)
    base: dict[str, Any] = {"previous": previous, "current": current, "fill": f"{plan.fill:02x}"}
    life = {"before": old, "records": _described(plan.current, "r1", delimiter=current)}
    size = len(build({**base, **life}, "nio").files[NIO_NAME]) + plan.slack
    now = build({**base, **life, "size": size}, "nio")
    then = build({**base, "records": old, "size": size}, "nio")
    # What the lap before has beyond the end of this one still stands.
    end = now.labels["f1.log"].end
    left = [label for label in now.records if label.startswith("old") and now.labels[label].off >= end]
    return _journal(plan, "nio", now, then, "r1.", NIO_NAME, left)


def _journal(  # a plan, both lives laid out, and what of them counts
    plan: Plan, edition: str, now: Built, then: Built, active: str, name: str, left: Sequence[str] = ()
) -> DrawnJournal:
    """Return the journal of which the records of file `active`, and those `left` of a lap, count."""
    labels = [label for label in now.records if not label.startswith("old")]
    counting = [label for label in labels if label.startswith(active)]
    # The lap before comes first for recovery, whatever stands first in the file.
    state = replayed([now.records[label] for label in (*left, *counting)], name, edition)
    fields = fields_of(now, labels)
    records = {label: record_of(now.records[label], BYTES) for label in (*labels, *left)}
    return DrawnJournal(
        FORMAT,
        edition,
        now.content(),
        records=tuple(records.values()),
        recovered=tuple(records[label] for label in (*counting, *left)),
        state=typed(state, BYTES),
        before=then.content(),
        fields=fields,
        pointers=tuple(field for field in fields if field.name.endswith("header.position")),
        plan=plan,
    )
