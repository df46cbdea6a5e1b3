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
    """What was read of one transaction."""

    changes: list[Plain] = field(default_factory=list)
    deletes: list[Plain] = field(default_factory=list)
    counts: Counter[object] = field(default_factory=Counter)
    prepare: Plain | None = None
    #: A PREPARE that did not find what it counts.
    unhealthy: bool = False

    @property
    def in_doubt(self) -> bool:
        """Whether it is in doubt if it has no end (JBM-RCV-018, JBM-RCV-019)."""
        return self.prepare is not None and not self.unhealthy


class _Books:
    def __init__(self, present: Collection[int], in_doubt: bool) -> None:
        self.present = present
        self.in_doubt = in_doubt
        self.delivered: list[Plain] = []
        self.deleted: set[int] = set()
        self.open: dict[int, _Transaction] = {}
        self.discarded: list[dict[str, Any]] = []

    def take(self, file: object, event: Plain) -> None:
        """Take in one record of `file`, in reading order."""
        if event.type in ("ADD", "UPDATE"):
            self.delivered.append(event)
        elif event.type == "DELETE":
            self.deleted.add(event.fields["id"])
        elif event.type != "EVENT":
            self.transactional(event.fields["tx"], file, event)

    def transactional(self, tx: int, file: object, event: Plain) -> None:
        """Take in a record that has a transaction."""
        if event.type == "ROLLBACK":
            self.open.pop(tx, None)
        elif event.type == "COMMIT":
            self.commit(tx, file, event)
        elif event.type == "PREPARE":
            if tx in self.open or self.in_doubt:
                transaction = self.open.setdefault(tx, _Transaction())
                if self.healthy(transaction, file, event):
                    transaction.prepare = event
                else:
                    transaction.unhealthy = True
        else:
            transaction = self.open.setdefault(tx, _Transaction())
            transaction.counts[file] += 1
            (transaction.deletes if event.type == "DELETE_TX" else transaction.changes).append(event)

    def commit(self, tx: int, file: object, event: Plain) -> None:
        """Let a transaction take place if it is complete."""
        transaction = self.open.pop(tx, None)
        if transaction is None:
            return
        if not self.healthy(transaction, file, event):
            self.discarded.append({"tx": tx, "why": "unhealthy-commit"})
            return
        self.delivered += transaction.changes
        self.deleted.update(item.fields["id"] for item in transaction.deletes)

    def healthy(self, transaction: _Transaction, file: object, event: Plain) -> bool:
        """Tell whether a COMMIT or PREPARE finds what it counts (JBM-RCV-008 to JBM-RCV-012)."""
        if "count" in event.fields:
            return bool(event.fields["count"] == transaction.counts[file])
        return all(self.pair_holds(transaction, **pair) for pair in event.fields["pairs"])

    def pair_holds(self, transaction: _Transaction, file_id: int, count: int) -> bool:
        """Tell whether one listed file has its records, or is gone."""
        seen = transaction.counts.get(file_id, 0)
        return seen == count if seen else file_id not in self.present


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

    `present` holds the ids of all data files. `in_doubt`: a PREPARE alone
    makes a transaction. What was given up is ``discarded``, with the reason.
    """
    books = _Books(present, in_doubt)
    for file, event in events:
        books.take(file, event)
    open_ = sorted(books.open.items())
    discarded = books.discarded + [
        {"tx": tx, "why": "unhealthy-prepare" if item.unhealthy else "no-end"}
        for tx, item in open_
        if not item.in_doubt
    ]
    return {
        "live": [live(item) for item in books.delivered if item.fields["id"] not in books.deleted],
        "prepared": [_in_doubt(tx, item) for tx, item in open_ if item.in_doubt],
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


def _in_doubt(tx: int, transaction: _Transaction) -> dict[str, Any]:
    assert transaction.prepare is not None  # the caller looked
    return {
        "tx": tx,
        "extra": transaction.prepare.fields.get("extra", b""),
        "records": [live(item) for item in transaction.changes],
        "deletes": [
            {"id": item.fields["id"], "body": item.fields.get("body", b"")} for item in transaction.deletes
        ],
    }
