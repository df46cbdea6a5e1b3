"""Which file is still needed by what: the bookkeeping behind reuse (JBM-WRT), from the first start on.

A file may be used again iff every positive in it (a record, or one token for
each pending transaction that touched it) is matched by a negative in this or a
later file, and every earlier file that its own negatives point at may be used
again too. The second half is why a delete outlives what it deletes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from journalspec_reference.api import Params, WriterRefused
from journalspec_reference.jboss_journal.codec import COMMIT, PREPARE, ROLLBACK, Dialect, Fault, JournalRecord
from journalspec_reference.jboss_journal.fileset import CONTROL, LEFTOVERS, NAME, DataFile, FileSet, gather
from journalspec_reference.jboss_journal.recover import refusal
from journalspec_reference.jboss_journal.replay import Replay
from journalspec_reference.jboss_journal.scan import walk
from journalspec_reference.storage import Storage


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

    def take(self, usage: Usage, record: JournalRecord) -> None:
        """Note the next record, which is in the file `usage`."""
        kind = record.kind
        if kind.name in ("ADD", "UPDATE"):
            self.put(usage, record)
        elif kind.name == "DELETE":
            self.delete(usage, record.id)
        elif kind.code == PREPARE:
            self.prepare(usage, record)
        elif kind.code == COMMIT:
            self.commit(usage, record.tx)
        elif kind.code == ROLLBACK:
            self.rollback(usage, record.tx)
        elif kind.tx:
            self.touch(usage, record)

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


@dataclass(slots=True)
class Loaded:
    """Data files in order, where the last record of each ends, and who needs them."""

    ledger: Ledger
    files: list[Usage] = field(default_factory=list)
    ends: dict[Usage, int] = field(default_factory=dict)
    counter: int = 0
    #: Ids in the lists of COMMITs and PREPAREs. That of a file that is gone must not come back (JBM-FIL-008).
    listed: set[int] = field(default_factory=set)
    #: Files that stay although they may hold no record.
    pinned: set[Usage] = field(default_factory=set)
    #: Transactions without an end; the writer rolls them back.
    unfinished: tuple[int, ...] = ()


def load(storage: Storage, dialect: Dialect, params: Params, force_names: bool = True) -> Loaded:
    """Read the journal on `storage`, finish an interrupted compaction, clear leftovers.

    `force_names` says whether the directory is forced when names have changed.
    Raises WriterRefused if strict recovery refuses the journal.
    """
    contents = {name: storage.read(name, 0, storage.size(name)) for name in storage.names()}
    found = gather(contents, dialect, params)
    problem = refusal(found)
    if problem is not None:
        raise WriterRefused(problem.code or "", problem.message)
    _settle(storage, found, params["extension"], force_names)
    loaded = Loaded(Ledger())
    usable = [file for file in found.files if file.problem is None]
    replay = Replay(file.file_id for file in usable)
    # A file that is left out has a name all the same: a new one must not take it away (JBM-FIL-007).
    names = (found.renamed.get(file.name, file.name) for file in found.files)
    loaded.counter = max(map(_number, names), default=0)
    for file in usable:
        usage = Usage(file.file_id, found.renamed.get(file.name, file.name))
        loaded.files.append(usage)
        loaded.ends[usage] = _replay_file(file, usage, loaded, replay)
        loaded.counter = max(loaded.counter, file.file_id)
    # Gone, a file that an unhealthy COMMIT or PREPARE lists would make it healthy (JBM-RCV-027).
    for usage in loaded.files:
        if usage.file_id in replay.disputed:
            # Nothing cancels this positive: the file stays for as long as this run lasts.
            usage.positives += 1
            loaded.pinned.add(usage)
    # With pairs, the files that an unhealthy PREPARE lists stay instead (JBM-RCV-027).
    loaded.unfinished = tuple(
        tx
        for tx, pending in loaded.ledger.pending.items()
        if pending.prepare is None or not (dialect.pairs or replay.in_doubt(tx))
    )
    return loaded


def _number(name: str) -> int:
    """Return the number in a file's name, which no new file may have (JBM-FIL-007)."""
    match = NAME.match(name)
    return int(match["number"]) if match else 0


def _settle(storage: Storage, found: FileSet, extension: str, force_names: bool) -> None:
    """Do what a control file asks for, then remove it and all leftovers of this journal."""
    for name in found.removed:
        storage.unlink(name)
    for source, target in found.renamed.items():
        storage.rename(source, target)
    if CONTROL in storage.names():
        if force_names:
            storage.sync_dir()
        storage.unlink(CONTROL)
    # A control file that was not finished is one of them: the next compaction needs its name.
    leftovers = (*(f".{extension}{suffix}" for suffix in LEFTOVERS), CONTROL + LEFTOVERS[0])
    for name in storage.names():
        if name.endswith(leftovers):
            storage.unlink(name)
    if force_names:
        storage.sync_dir()


def _replay_file(file: DataFile, usage: Usage, loaded: Loaded, replay: Replay) -> int:
    ledger, end = loaded.ledger, file.dialect.header_size
    replay.next_file()
    for item in walk(file.data, file.file_id, file.dialect):
        if isinstance(item, Fault):
            continue
        dropped = len(replay.dropped)
        replay.apply(item, file.file_id, file.dialect)
        end = item.end
        kind = item.kind
        loaded.listed.update(file_id for file_id, _ in item.pairs)
        if kind.code == COMMIT and len(replay.dropped) > dropped:
            # The files of a rejected transaction stay: they prove that it was incomplete.
            ledger.pending.pop(item.tx, None)
        elif kind.code != PREPARE or item.tx in ledger.pending or file.dialect.prepare_extra:
            # In the seed a PREPARE of which nothing was read before it has no effect (JBM-SED-005).
            ledger.take(usage, item)
    return end
