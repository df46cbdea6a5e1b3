"""What the records of a clean directory amount to (JBM-RCV)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from journalspec.schemas import Plain, SchemaError


@dataclass(slots=True)
class _Transaction:
    """What was read of one transaction."""

    changes: list[Plain] = field(default_factory=list)
    deletes: list[Plain] = field(default_factory=list)
    counts: Counter[int] = field(default_factory=Counter)
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

    def take(self, file_id: int, event: Plain) -> None:
        """Take in one record of the file `file_id`, in reading order."""
        if event.type in ("ADD", "UPDATE"):
            self.delivered.append(event)
        elif event.type == "DELETE":
            self.deleted.add(event.fields["id"])
        elif event.type != "EVENT":
            self.transactional(event.fields["tx"], file_id, event)

    def transactional(self, tx: int, file_id: int, event: Plain) -> None:
        """Take in a record that has a transaction."""
        if event.type == "ROLLBACK":
            self.open.pop(tx, None)
        elif event.type == "COMMIT":
            self.commit(tx, file_id, event)
        elif event.type == "PREPARE":
            if tx in self.open or self.in_doubt:
                transaction = self.open.setdefault(tx, _Transaction())
                if self.healthy(transaction, file_id, event):
                    transaction.prepare = event
                else:
                    transaction.unhealthy = True
        else:
            transaction = self.open.setdefault(tx, _Transaction())
            transaction.counts[file_id] += 1
            (transaction.deletes if event.type == "DELETE_TX" else transaction.changes).append(event)

    def commit(self, tx: int, file_id: int, event: Plain) -> None:
        """Let a transaction take place; raises SchemaError if it is not complete."""
        transaction = self.open.pop(tx, None)
        if transaction is None:
            return
        if not self.healthy(transaction, file_id, event):
            raise SchemaError(f"transaction {tx}: its COMMIT counts other records than there are")
        self.delivered += transaction.changes
        self.deleted.update(item.fields["id"] for item in transaction.deletes)

    def healthy(self, transaction: _Transaction, file_id: int, event: Plain) -> bool:
        """Tell whether a COMMIT or PREPARE finds what it counts (JBM-RCV-008 to JBM-RCV-012)."""
        if "count" in event.fields:
            return bool(event.fields["count"] == transaction.counts[file_id])
        return all(self.pair_holds(transaction, **pair) for pair in event.fields["pairs"])

    def pair_holds(self, transaction: _Transaction, file_id: int, count: int) -> bool:
        """Tell whether one listed file has its records, or is gone."""
        seen = transaction.counts.get(file_id, 0)
        return seen == count if seen else file_id not in self.present


def replay(events: Iterable[tuple[int, Plain]], present: Collection[int], in_doubt: bool) -> dict[str, Any]:
    """Return the state after (file id, record) events; `present` holds the ids of all data files.

    `in_doubt`: a PREPARE alone makes a transaction. Raises SchemaError if a COMMIT, or
    a PREPARE that decides, is unhealthy.
    """
    books = _Books(present, in_doubt)
    for file_id, event in events:
        books.take(file_id, event)
    return {
        "live": [_live(item) for item in books.delivered if item.fields["id"] not in books.deleted],
        "prepared": [_in_doubt(tx, item) for tx, item in sorted(books.open.items()) if item.in_doubt],
        "discarded": [_unfinished(tx, item) for tx, item in sorted(books.open.items()) if not item.in_doubt],
    }


def _unfinished(tx: int, transaction: _Transaction) -> dict[str, Any]:
    if transaction.unhealthy:
        raise SchemaError(f"transaction {tx}: its PREPARE counts other records than there are")
    return {"tx": tx, "why": "no-end"}


def _live(event: Plain) -> dict[str, Any]:
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
        "records": [_live(item) for item in transaction.changes],
        "deletes": [
            {"id": item.fields["id"], "body": item.fields.get("body", b"")} for item in transaction.deletes
        ],
    }
