"""Which file is still needed by what: the bookkeeping behind reuse (JBM-WRT).

A file may be used again iff every positive in it (a record, or one token for
each pending transaction that touched it) is matched by a negative in this or a
later file, and every earlier file that its own negatives point at may be used
again too. The second half is why a delete outlives what it deletes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from journalspec_reference.jboss_journal.codec import JournalRecord


@dataclass(slots=True, eq=False)
class Usage:
    """One data file: its id, its name, its positives, and its negatives by the file they cancel in."""

    file_id: int
    name: str
    positives: int = 0
    negatives: Counter[Usage] = field(default_factory=Counter)


@dataclass(slots=True)
class Pending:
    """A transaction without an end: its records with the files they are in, and its prepare."""

    records: list[tuple[Usage, JournalRecord]] = field(default_factory=list)
    tokens: dict[Usage, None] = field(default_factory=dict)
    prepare: JournalRecord | None = None

    def counts(self) -> dict[Usage, int]:
        """Return file -> number of records of this transaction in it, in the order of first use."""
        return dict(Counter(usage for usage, _ in self.records))


class Ledger:
    """Live records and pending transactions, and the files that hold them."""

    def __init__(self) -> None:
        #: Every record that would be delivered, with its file, in the order of delivery.
        self.live: dict[int, tuple[Usage, JournalRecord]] = {}
        #: Record id -> keys in `live` of its add and updates.
        self.holders: dict[int, list[int]] = {}
        self._next = 0
        self.pending: dict[int, Pending] = {}

    def put(self, usage: Usage, record: JournalRecord) -> None:
        """Note an add or update that counts from now on."""
        usage.positives += 1
        self.live[self._next] = (usage, record)
        self.holders.setdefault(record.id, []).append(self._next)
        self._next += 1

    def delete(self, usage: Usage, ident: int) -> None:
        """Note in `usage` a delete that cancels every record of `ident`."""
        for key in self.holders.pop(ident, ()):
            holder, _ = self.live.pop(key)
            usage.negatives[holder] += 1

    def touch(self, usage: Usage, record: JournalRecord) -> None:
        """Note a record of a pending transaction."""
        pending = self.pending.setdefault(record.tx, Pending())
        pending.records.append((usage, record))
        self._token(pending, usage)

    def prepare(self, usage: Usage, record: JournalRecord) -> None:
        """Note a PREPARE; its file is held until the transaction ends."""
        pending = self.pending.setdefault(record.tx, Pending())
        pending.prepare = record
        self._token(pending, usage)

    @staticmethod
    def _token(pending: Pending, usage: Usage) -> None:
        if usage not in pending.tokens:
            pending.tokens[usage] = None
            usage.positives += 1

    def commit(self, usage: Usage, tx: int) -> None:
        """Note in `usage` that the transaction took place."""
        pending = self._end(usage, tx)
        for holder, record in pending.records:
            if record.kind.name != "DELETE_TX":
                self.put(holder, record)
        # The negative stands where the DELETE_TX is: without that record the commit deletes nothing.
        for holder, record in pending.records:
            if record.kind.name == "DELETE_TX":
                self.delete(holder, record.id)

    def rollback(self, usage: Usage, tx: int) -> None:
        """Note in `usage` that the transaction did not take place."""
        self._end(usage, tx)

    def _end(self, usage: Usage, tx: int) -> Pending:
        pending = self.pending.pop(tx, Pending())
        for holder in pending.tokens:
            usage.negatives[holder] += 1
        return pending

    @staticmethod
    def reusable(files: list[Usage]) -> list[Usage]:
        """Return those of `files` (in order of their ids) that nothing needs any more."""
        cancelled: Counter[Usage] = Counter()
        for usage in files:
            cancelled.update(usage.negatives)
        order = {usage: index for index, usage in enumerate(files)}
        free: set[Usage] = set()
        for index, usage in enumerate(files):
            if usage.positives > cancelled[usage]:
                continue
            earlier = (other for other in usage.negatives if order.get(other, index) < index)
            if all(other in free for other in earlier):
                free.add(usage)
        return [usage for usage in files if usage in free]
