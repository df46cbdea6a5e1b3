"""Plans of valid journals: what was written when. The author module lays them out.

A plan is drawn (by a strategy or by the fuzzer); what recovery concludes follows
from its entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from journalspec_corpus.bitronix_tlog.author import FILE_NAMES, NIO_NAME, SEED_NAME, build
from journalspec_corpus.bitronix_tlog.naive import replayed
from journalspec_corpus.drawn import DrawnJournal, drawn, written
from journalspec_corpus.edits import Built


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
    """One file: what it holds now, and what it held in its previous life; its header in a pair."""

    entries: tuple[Entry, ...]
    previous: tuple[Entry, ...]
    timestamp: int = 0
    state: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A journal: a pair of files, or the one file of the editions seed and nio.

    `slack` is the room that is left behind everything, in bytes. The nio journal has `fill`
    there, and `delimiters`: of the lap before, which its file holds as the previous life, and of this one.
    """

    edition: str
    files: tuple[FilePlan, ...]
    slack: int = 0
    fill: int = 0
    delimiters: tuple[bytes, bytes] = (bytes(16), bytes(16))


def lay_out(plan: Plan) -> DrawnJournal:
    """Return the journal that `plan` leaves on disk, and what it must yield."""
    now = _build(plan, None, now=True)
    size = max(len(data) for data in now.files.values()) + plan.slack
    if plan.edition == "seed":
        # Its file ends with the log, so nothing of the previous life shows through.
        then = _build(plan, None, now=False)
        then.files[SEED_NAME] = (then.files[SEED_NAME] + bytes(size))[:size]
    else:
        now, then = (_build(plan, size, now=life) for life in (True, False))
    # The larger timestamp elects, the second file on a tie.
    active = 2 if len(plan.files) > 1 and plan.files[0].timestamp <= plan.files[1].timestamp else 1
    left: list[str] = []
    if plan.edition == "nio":
        # What the lap before has beyond the end of this one still stands.
        end = now.labels["f1.log"].end
        left = [label for label in now.records if label.startswith("old") and now.labels[label].off >= end]
    counting = [label for label in written(now) if label.startswith(f"r{active}.")]
    name = {"seed": SEED_NAME, "nio": NIO_NAME}.get(plan.edition, FILE_NAMES[f"f{active}"])
    # The lap before comes first for recovery, whatever stands first in the file.
    state = replayed([now.records[label] for label in (*left, *counting)], name, plan.edition)
    return drawn(
        ("bitronix_tlog", plan.edition),
        (now, then),
        state,
        recovered=(*counting, *left),
        left=left,
        pointer="header.position",
    )


def _build(plan: Plan, size: int | None, *, now: bool) -> Built:
    """Return the files in this life, or in the previous one."""
    previous, current = (delimiter.hex() for delimiter in plan.delimiters)
    base: dict[str, Any] = {
        "size": size,
        "fill": f"{plan.fill:02x}",
        "previous": previous,
        "current": current,
    }
    for number, file in enumerate(plan.files, start=1):
        old = _described(file.previous, f"old{number}", previous)
        held: dict[str, Any] = {"records": old}
        if now:
            held = {"records": _described(file.entries, f"r{number}", current)}
            held |= {"before": old} if plan.edition != "seed" else {}
        if len(plan.files) == 1:
            base |= held
        else:
            base[f"file{number}"] = {"timestamp": file.timestamp, "state": file.state, **held}
    return build(base, plan.edition)


def _described(entries: Sequence[Entry], label: str, delimiter: str) -> list[dict[str, Any]]:
    return [
        {"id": f"{label}.{at}", **entry.described(), "delimiter": delimiter}
        for at, entry in enumerate(entries)
    ]
