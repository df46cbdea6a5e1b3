"""From records to what recovery delivers: transactions, their health, deletes (JBM-RCV)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from journalspec_reference.jboss_journal.codec import JournalRecord
from journalspec_reference.jboss_journal.dialect import COMMIT, PREPARE, ROLLBACK, Dialect


@dataclass(slots=True)
class Transaction:
    """What has been read of one transaction so far."""

    changes: list[JournalRecord] = field(default_factory=list)
    deletes: list[JournalRecord] = field(default_factory=list)
    #: Records of this transaction by file: by its id where pairs name it, else by its turn.
    seen: Counter[int] = field(default_factory=Counter)
    prepared: JournalRecord | None = None
    unhealthy_prepare: bool = False

    @property
    def in_doubt(self) -> bool:
        """Whether it is in doubt if it has no end."""
        return self.prepared is not None and not self.unhealthy_prepare


@dataclass(frozen=True, slots=True)
class Dropped:
    """A transaction that recovery let go: why, and the record that showed it, if one did."""

    tx: int
    why: str
    at: tuple[int, int] | None = None


class Replay:
    """Applies records in reading order; :meth:`outcome` tells what is left."""

    def __init__(self, present: Iterable[int]) -> None:
        self._present = frozenset(present)
        self._turn = 0
        self._delivered: list[JournalRecord] = []
        self._deleted: set[int] = set()
        self._open: dict[int, Transaction] = {}
        self.dropped: list[Dropped] = []
        #: COMMITs and PREPAREs that did not find what they count.
        self.unhealthy: list[JournalRecord] = []

    def next_file(self) -> None:
        """Begin another file: two files may have one id, and a single count is about one of them."""
        self._turn += 1

    def apply(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        """Take in one record of the file with header id `file_id`."""
        kind = record.kind
        if kind.name in ("ADD", "UPDATE"):
            self._delivered.append(record)
        elif kind.name == "DELETE":
            self._deleted.add(record.id)
        elif kind.code == PREPARE:
            self._prepare(record, file_id, dialect)
        elif kind.code == COMMIT:
            self._commit(record, file_id, dialect)
        elif kind.code == ROLLBACK:
            self._open.pop(record.tx, None)
        elif kind.tx:
            transaction = self._open.setdefault(record.tx, Transaction())
            transaction.seen[file_id if dialect.pairs else self._turn] += 1
            (transaction.deletes if kind.name == "DELETE_TX" else transaction.changes).append(record)

    def _prepare(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        # Without prepare data (the seed) a PREPARE of an unknown transaction is ignored.
        if record.tx not in self._open and not dialect.prepare_extra:
            return
        transaction = self._open.setdefault(record.tx, Transaction())
        if self._healthy(transaction, record, file_id, dialect):
            transaction.prepared = record
        else:
            transaction.unhealthy_prepare = True
            self.unhealthy.append(record)

    def _commit(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        transaction = self._open.pop(record.tx, None)
        if transaction is None:
            return
        if not self._healthy(transaction, record, file_id, dialect):
            self.dropped.append(Dropped(record.tx, "unhealthy-commit", (file_id, record.off)))
            self.unhealthy.append(record)
            return
        self._delivered += transaction.changes
        self._deleted.update(item.id for item in transaction.deletes)

    def _healthy(
        self, transaction: Transaction, record: JournalRecord, file_id: int, dialect: Dialect
    ) -> bool:
        """Compare the record's counts with what was read before it.

        With pairs: a listed file that holds records must match; one that holds
        none is fine only if it is gone. With one count: that of its own file.
        """
        if not dialect.pairs:
            return record.tally == transaction.seen[self._turn]
        for listed, count in record.pairs:
            found = transaction.seen.get(listed, 0)
            if found != count if found else listed in self._present:
                return False
        return True

    def in_doubt(self, tx: int) -> bool:
        """Tell whether `tx` is in doubt so far: it has PREPAREs and all of them found what they count."""
        transaction = self._open.get(tx)
        return transaction is not None and transaction.in_doubt

    def outcome(self) -> dict[str, Any]:
        """Return the logical state; transactions still open are discarded or in doubt."""
        dropped = list(self.dropped)
        prepared = []
        for tx, transaction in self._open.items():
            if not transaction.in_doubt:
                dropped.append(
                    Dropped(tx, "unhealthy-prepare" if transaction.unhealthy_prepare else "no-end")
                )
            else:
                prepared.append(_in_doubt(tx, transaction))
        return {
            "live": [_live(item) for item in self._delivered if item.id not in self._deleted],
            "prepared": sorted(prepared, key=lambda item: item["tx"]),
            "discarded": [{"tx": item.tx, "why": item.why} for item in sorted(dropped, key=lambda d: d.tx)],
        }


def _live(record: JournalRecord) -> dict[str, Any]:
    return {
        "kind": "UPDATE" if record.kind.name.startswith("UPDATE") else "ADD",
        "id": record.id,
        "user_type": record.user_type,
        "body": record.body,
        "compact_count": record.compact_count,
    }


def _in_doubt(tx: int, transaction: Transaction) -> dict[str, Any]:
    assert transaction.prepared is not None  # the caller looked
    return {
        "tx": tx,
        "extra": transaction.prepared.extra,
        "records": [_live(item) for item in transaction.changes],
        "deletes": [{"id": item.id, "body": item.body} for item in transaction.deletes],
    }
