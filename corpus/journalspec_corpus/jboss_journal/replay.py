"""What the records of a directory amount to (JBM-RCV)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from journalspec.schemas import Plain, SchemaError

#: A record and its file: by its id or, where a COMMIT counts the records of one file, by anything of its own.
Event = tuple[object, Plain]


@dataclass(slots=True)
class _Transaction:
    """What was read of one transaction: its records in order, and how many are in which file."""

    changes: list[Plain] = field(default_factory=list)
    deletes: list[Plain] = field(default_factory=list)
    counts: Counter[object] = field(default_factory=Counter)
    prepare: Plain | None = None
    #: A PREPARE that did not find what it counts.
    unhealthy: bool = False

    def take(self, file: object, event: Plain, present: Collection[int]) -> None:
        """Take in one of its records, or a PREPARE."""
        if event.type != "PREPARE":
            self.counts[file] += 1
            (self.deletes if event.type == "DELETE_TX" else self.changes).append(event)
        elif self.is_whole(file, event, present):
            self.prepare = event
        else:
            self.unhealthy = True

    def is_whole(self, file: object, ending: Plain, present: Collection[int]) -> bool:
        """Tell whether a COMMIT or PREPARE finds what it counts (JBM-RCV-008 to JBM-RCV-012)."""
        if "count" in ending.fields:
            return bool(ending.fields["count"] == self.counts[file])
        # A listed file has its records, or is gone.
        return all(
            self.counts[row["file_id"]] == row["count"]
            if self.counts[row["file_id"]]
            else row["file_id"] not in present
            for row in ending.fields["pairs"]
        )

    @property
    def in_doubt(self) -> bool:
        """Whether it is in doubt if it has no end (JBM-RCV-018, JBM-RCV-019)."""
        return self.prepare is not None and not self.unhealthy


def replay(events: Iterable[Event], present: Collection[int], in_doubt: bool) -> dict[str, Any]:
    """Return the state after the events of a clean directory (see :func:`outcome`).

    Raises SchemaError if a COMMIT, or a PREPARE that decides, is unhealthy.
    """
    state = outcome(events, present, in_doubt)
    for item in state["discarded"]:
        if item["why"] != "no-end":
            kind = item["why"].removeprefix("unhealthy-").upper()
            raise SchemaError(f"transaction {item['tx']}: its {kind} counts other records than there are")
    return state


def outcome(events: Iterable[Event], present: Collection[int], in_doubt: bool) -> dict[str, Any]:
    """Return the state after `events` in reading order.

    `present` holds the ids of all data files. `in_doubt`: a PREPARE alone makes a
    transaction. What was given up is ``discarded``, with the reason.
    """
    delivered: list[Plain] = []
    deleted: set[int] = set()
    discarded: list[dict[str, Any]] = []
    open_: dict[int, _Transaction] = {}
    for file, event in events:
        tx = event.fields.get("tx", 0)
        if event.type in ("ADD", "UPDATE"):
            delivered.append(event)
        elif event.type == "DELETE":
            deleted.add(event.fields["id"])
        elif event.type in ("ROLLBACK", "COMMIT"):
            part = open_.pop(tx, None)
            if part is None or event.type == "ROLLBACK":
                continue
            if part.is_whole(file, event, present):
                delivered += part.changes
                deleted.update(item.fields["id"] for item in part.deletes)
            else:
                discarded.append({"tx": tx, "why": "unhealthy-commit"})
        elif event.type != "EVENT" and (event.type != "PREPARE" or tx in open_ or in_doubt):
            open_.setdefault(tx, _Transaction()).take(file, event, present)
    for tx, part in open_.items():
        if not part.in_doubt:
            discarded.append({"tx": tx, "why": "unhealthy-prepare" if part.unhealthy else "no-end"})
    return {
        "live": [live(item) for item in delivered if item.fields["id"] not in deleted],
        "prepared": [_in_doubt(tx, part) for tx, part in sorted(open_.items()) if part.in_doubt],
        "discarded": sorted(discarded, key=lambda item: item["tx"]),
    }


def live(event: Plain) -> dict[str, Any]:
    """Return a record as it is delivered."""
    return {
        "kind": event.type.removesuffix("_TX"),
        "id": event.fields["id"],
        "user_type": event.fields["user_type"],
        "body": event.fields["body"],
        "compact_count": event.fields.get("compact_count", 0),
    }


def _in_doubt(tx: int, part: _Transaction) -> dict[str, Any]:
    assert part.prepare is not None  # the caller looked
    deletes = [{"id": item.fields["id"], "body": item.fields.get("body", b"")} for item in part.deletes]
    return {
        "tx": tx,
        "extra": part.prepare.fields.get("extra", b""),
        "records": list(map(live, part.changes)),
        "deletes": deletes,
    }
