"""From records to what recovery delivers: transactions, their health, deletes (JBM-RCV).

What may still matter is kept, as references of 16 bytes: a record's id and the place
that whoever holds the records gave it. The records themselves are fetched at the end.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from journalspec.reread import COST, few
from journalspec_reference.jboss_journal.codec import COMMIT, PREPARE, ROLLBACK, Dialect, JournalRecord

#: With fewer references than this (numbers, two each) deleted ones are not worth a sweep.
SWEEP_FROM = 1 << 16


class Records(Protocol):
    """Who holds the records that a replay refers to."""

    def put(self, record: JournalRecord) -> int:
        """Take in a record; return the place by which it is found again."""

    def get(self, place: int) -> JournalRecord:
        """Return the record at `place`."""


class Held:
    """Records in memory, by the order in which they came."""

    def __init__(self) -> None:
        self._records: list[JournalRecord] = []

    def put(self, record: JournalRecord) -> int:
        """Keep the record."""
        self._records.append(record)
        return len(self._records) - 1

    def get(self, place: int) -> JournalRecord:
        """Return a record that was kept."""
        return self._records[place]


class References:
    """Ids and places of records, in order: 16 bytes each."""

    __slots__ = ("_flat",)

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        self._flat = array("q", (number for pair in pairs for number in pair))

    def add(self, ident: int, place: int) -> None:
        """Append one."""
        self._flat.append(ident)
        self._flat.append(place)

    def extend(self, others: Iterable[tuple[int, int]]) -> None:
        """Append several."""
        for ident, place in others:
            self.add(ident, place)

    def __len__(self) -> int:
        return len(self._flat) // 2

    def __iter__(self) -> Iterator[tuple[int, int]]:
        numbers = iter(self._flat)
        return zip(numbers, numbers, strict=True)


class Ids:
    """A set of ids: 256 neighbours share one number, so that an id costs half a byte, alone some 200."""

    __slots__ = ("_masks",)

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}

    def add(self, ident: int) -> None:
        """Put in an id."""
        self._masks[ident >> 8] = self._masks.get(ident >> 8, 0) | 1 << (ident & 0xFF)

    def update(self, idents: Iterable[int]) -> None:
        """Put in several ids."""
        for ident in idents:
            self.add(ident)

    def __contains__(self, ident: int) -> bool:
        return bool(self._masks.get(ident >> 8, 0) >> (ident & 0xFF) & 1)


@dataclass(slots=True)
class Transaction:
    """What has been read of one transaction so far."""

    changes: References = field(default_factory=References)
    deletes: References = field(default_factory=References)
    #: Records of this transaction by file: by its id where pairs name it, else by its turn.
    seen: Counter[int] = field(default_factory=Counter)
    #: Where the last healthy PREPARE is, -1 if there is none.
    prepared: int = -1
    unhealthy_prepare: bool = False

    @property
    def in_doubt(self) -> bool:
        """Whether it is in doubt if it has no end."""
        return self.prepared >= 0 and not self.unhealthy_prepare


@dataclass(frozen=True, slots=True)
class Dropped:
    """A transaction that recovery let go, and why."""

    tx: int
    why: str


class Replay:
    """Applies records in reading order; :meth:`outcome` tells what is left.

    `present` are the ids of the files there are. `records` holds what is referred to;
    without it all records are held in memory.
    """

    def __init__(self, present: Iterable[int], records: Records | None = None) -> None:
        self._present = frozenset(present)
        self._records = Held() if records is None else records
        self._turn = 0
        self._delivered = References()
        self._sweep_at = SWEEP_FROM
        self._deleted = Ids()
        self._open: dict[int, Transaction] = {}
        self.dropped: list[Dropped] = []
        #: The ids of files that COMMITs and PREPAREs list which did not find what they count.
        self.disputed: set[int] = set()

    def next_file(self) -> None:
        """Begin another file: two files may have one id, and a single count is about one of them."""
        self._turn += 1

    def apply(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        """Take in one record of the file with header id `file_id`."""
        kind = record.kind
        if kind.name in ("ADD", "UPDATE"):
            self._deliver([(record.id, self._records.put(record))])
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
            held = transaction.deletes if kind.name == "DELETE_TX" else transaction.changes
            held.add(record.id, self._records.put(record))

    def _deliver(self, changes: Iterable[tuple[int, int]]) -> None:
        self._delivered.extend(changes)
        if len(self._delivered) >= self._sweep_at:
            # Deleted is deleted, whatever comes: what stays is at most twice what is live.
            self._delivered = References(self._live())
            self._sweep_at = max(SWEEP_FROM, 2 * len(self._delivered))

    def _live(self) -> Iterator[tuple[int, int]]:
        return (item for item in self._delivered if item[0] not in self._deleted)

    def _prepare(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        # Without prepare data (the seed) a PREPARE of an unknown transaction is ignored.
        if record.tx not in self._open and not dialect.prepare_extra:
            return
        transaction = self._open.setdefault(record.tx, Transaction())
        if self._healthy(transaction, record, file_id, dialect):
            transaction.prepared = self._records.put(record)
        else:
            transaction.unhealthy_prepare = True
            self._dispute(record)

    def _commit(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        transaction = self._open.pop(record.tx, None)
        if transaction is None:
            return
        if not self._healthy(transaction, record, file_id, dialect):
            self.dropped.append(Dropped(record.tx, "unhealthy-commit"))
            self._dispute(record)
            return
        self._deliver(transaction.changes)
        self._deleted.update(ident for ident, _ in transaction.deletes)

    def _dispute(self, record: JournalRecord) -> None:
        self.disputed.update(file_id for file_id, _ in record.pairs)

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
        """Return the logical state; transactions still open are discarded or in doubt.

        Of many items the sequences fetch each when it is asked for.
        """
        dropped = list(self.dropped)
        prepared = []
        for tx, transaction in self._open.items():
            if not transaction.in_doubt:
                dropped.append(
                    Dropped(tx, "unhealthy-prepare" if transaction.unhealthy_prepare else "no-end")
                )
            else:
                prepared.append((tx, transaction))
        dropped.sort(key=lambda item: item.tx)
        return {
            "live": self._told(References(self._live()), _live),
            "prepared": few(
                lambda: (self._in_doubt(*item) for item in sorted(prepared, key=lambda item: item[0])),
                len(prepared),
                lambda item: COST * (len(item["records"]) + len(item["deletes"])),
            ),
            "discarded": few(
                lambda: ({"tx": item.tx, "why": item.why} for item in dropped), len(dropped), lambda _: 0
            ),
        }

    def _told(
        self, references: References, form: Callable[[JournalRecord], dict[str, Any]]
    ) -> Sequence[dict[str, Any]]:
        return few(
            lambda: (form(self._records.get(place)) for _, place in references),
            len(references),
            lambda item: len(item["body"]),
        )

    def _in_doubt(self, tx: int, transaction: Transaction) -> Mapping[str, Any]:
        return {
            "tx": tx,
            "extra": self._records.get(transaction.prepared).extra,
            "records": self._told(transaction.changes, _live),
            "deletes": self._told(transaction.deletes, _delete),
        }


def _live(record: JournalRecord) -> dict[str, Any]:
    return {
        "kind": "UPDATE" if record.kind.name.startswith("UPDATE") else "ADD",
        "id": record.id,
        "user_type": record.user_type,
        "body": record.body,
        "compact_count": record.compact_count,
    }


def _delete(record: JournalRecord) -> dict[str, Any]:
    return {"id": record.id, "body": record.body}
