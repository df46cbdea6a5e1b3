"""Reading a journal and recovering it: the algorithm of the spec's recovery chapter, nothing written."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, starmap
from typing import Any, NamedTuple

from journalspec.observation import (
    CLEAN,
    RECOVERED,
    At,
    Dropped,
    FileMap,
    Missing,
    Note,
    Observation,
    Record,
    note_place,
    record_place,
    refused,
    region_place,
)
from journalspec.reread import COST, Collector, collected, few, files_of, joined, mapped
from journalspec_reference.api import Files, Params
from journalspec_reference.content import UNREADABLE
from journalspec_reference.jboss_journal.codec import (
    COMMIT,
    PREPARE,
    ROLLBACK,
    Dialect,
    Fault,
    JournalRecord,
)
from journalspec_reference.jboss_journal.fileset import (
    DataFile,
    FileSet,
    control_lists,
    gather,
    header_of,
    limit_of,
)
from journalspec_reference.jboss_journal.scan import Search, Stale, is_padding, walk
from journalspec_reference.places import Ids, References, Stored

#: Why a candidate is no record, by number.
REASONS = ("truncated", "bad-size", "bad-check-size", "bad-hash", UNREADABLE)


#: What a record without its ADD means.
UNKNOWN_TEXT = "it is changed or deleted here, and the record that added it is not there"


def record_of(item: JournalRecord, file: DataFile) -> Record:
    """Return `item` under the spec's field names; only the fields that its type has."""
    fields: dict[str, object] = {"file_id": file.file_id}
    for name in item.kind.shown:
        if name == "count":
            fields[name] = item.tally
        elif name == "pairs":
            fields[name] = [{"file_id": listed, "count": count} for listed, count in item.pairs]
        else:
            fields[name] = getattr(item, name)
    return Record(item.kind.name, fields, At(file.name, item.off, item.end - item.off))


def laid_out(file: DataFile, limit: int) -> Iterator[JournalRecord | Dropped]:
    """Yield the records of a file up to `limit`, the regions that torn candidates claim, and the holes.

    A region reaches as far as its candidate says, or to the next record; other
    candidates inside it are not told apart from its content. A hole is what lies before
    a record and belongs to nothing (JBM-RDR-024). All come in offset order.
    """
    at = header = file.dialect.header_size
    if file.headless:
        yield Dropped(file.name, 0, header, "lost-header")
    old = Stale(file.data, file.dialect, limit)
    #: Offset, end and reason of the torn candidates since the last record: there may be very many.
    torn = array("q")
    for item in walk(file.data, file.file_id, file.dialect, limit):
        if isinstance(item, Fault):
            torn.extend((item.off, item.end or limit, REASONS.index(item.reason)))
            continue
        for start, end, reason in batched(chain(torn, (item.off, item.off, 0))):
            if start > at and not is_padding(file.data, at, start, header) and not old.lies(at, start):
                yield Dropped(file.name, at, start - at, "hole")
            at = min(end, item.off)
            if at > start:
                yield Dropped(file.name, start, at - start, REASONS[reason])
        del torn[:]
        yield item
        at = item.end
    for start, end, reason in batched(torn):
        yield Dropped(file.name, start, end - start, REASONS[reason])


def batched(numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers by threes."""
    each = iter(numbers)
    return zip(each, each, each, strict=True)


@dataclass(frozen=True, slots=True)
class _Found:
    """What is found in a file that is read up to `limit`: searched for anew each time."""

    file: DataFile
    limit: int

    def walked(self) -> Iterator[JournalRecord | Fault]:
        return walk(self.file.data, self.file.file_id, self.file.dialect, self.limit)

    def records(self) -> Iterator[Record]:
        return (record_of(item, self.file) for item in self.walked() if isinstance(item, JournalRecord))

    def regions(self) -> Iterator[Dropped]:
        return (item for item in laid_out(self.file, self.limit) if isinstance(item, Dropped))

    def earlier(self, items: Iterable[JournalRecord | Fault]) -> Iterator[JournalRecord]:
        """Yield the records of earlier lives of the file, which stand between those among `items`."""
        old = Stale(self.file.data, self.file.dialect, self.limit)
        for start, end in _gaps(items, self.file.dialect.header_size, self.limit):
            yield from old.between(start, end)

    def beside(self) -> Iterator[Record]:
        return (_as_stamped(item, self.file) for item in self.earlier(self.walked()))

    def healthy(self) -> Iterator[Record]:
        found = Stale(self.file.data, self.file.dialect, self.file.length)
        return (_as_stamped(item, self.file) for item in found.between(0, self.file.length))


def _gaps(items: Iterable[JournalRecord | Fault], at: int, limit: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges from `at` to `limit` without records."""
    for item in items:
        if isinstance(item, JournalRecord):
            if item.off > at:
                yield at, item.off
            at = item.end
    yield at, limit


#: With fewer references than this (numbers, two each) deleted ones are not worth a sweep.
SWEEP_FROM = 1 << 16


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
    #: Of the last unhealthy PREPARE: its place, and how many of the records that it counts are not there.
    lacks: tuple[int, int] = (-1, 0)

    @property
    def in_doubt(self) -> bool:
        """Whether it is in doubt if it has no end."""
        return self.prepared >= 0 and not self.unhealthy_prepare


class Discarded(NamedTuple):
    """A transaction that recovery let go, and why."""

    tx: int
    why: str


class Replay:
    """Applies records in reading order; :meth:`outcome` tells what is left (JBM-RCV).

    What may still matter is kept, as references of 16 bytes: a record's id and its place.
    The records themselves are fetched at the end. `present` are the ids of the files there are.
    """

    def __init__(self, present: Iterable[int], complete: bool = False) -> None:
        self._present = frozenset(present)
        self._records = Stored[JournalRecord]()
        self._turn = 0
        self._delivered = References()
        #: The ids of all records that were added; asked for only where no file has gone (None: not kept).
        self._added = Ids() if complete else None
        self._ended = Ids()
        #: Records that are not there, by id and proof; of transactions id, proof and how many are not.
        self._unknown = References()
        self._lacking = array("q")
        self._sweep_at = SWEEP_FROM
        self._deleted = Ids()
        #: Whether a record deletes, or ends a transaction with nothing: then a file may have been removed.
        self.deletes = False
        self._open: dict[int, Transaction] = {}
        self.dropped: list[Discarded] = []
        #: The ids of files that COMMITs and PREPAREs list which did not find what they count.
        self.disputed: set[int] = set()

    def next_file(self, file: DataFile, limit: int) -> None:
        """Begin another file: two files may have one id, and a single count is about one of them."""
        self._turn += 1
        self._records.next_file(file.name, lambda: Search(file.data, limit, file.dialect).at)

    def apply(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        """Take in one record of the file with header id `file_id`."""
        kind = record.kind
        self.deletes |= kind.name in ("DELETE", "DELETE_TX", "ROLLBACK")
        if self._added is not None and kind.name in ("ADD", "ADD_TX"):
            self._added.add(record.id)
        if kind.name in ("ADD", "UPDATE"):
            self._deliver([(record.id, self._put(record))])
        elif kind.name == "DELETE":
            self._delete([(record.id, self._put(record))])
        elif kind.code == PREPARE:
            self._prepare(record, file_id, dialect)
        elif kind.code == COMMIT:
            self._commit(record, file_id, dialect)
        elif kind.code == ROLLBACK:
            self._open.pop(record.tx, None)
            self._ended.add(record.tx)
        elif kind.tx:
            transaction = self._open.setdefault(record.tx, Transaction())
            transaction.seen[file_id if dialect.pairs else self._turn] += 1
            held = transaction.deletes if kind.name == "DELETE_TX" else transaction.changes
            held.add(record.id, self._put(record))

    def _put(self, record: JournalRecord) -> int:
        """Return the place of a record, doubled; odd for an UPDATE, so that it need not be read for that."""
        return self._records.put(record) << 1 | record.kind.name.startswith("UPDATE")

    def _delete(self, deletes: Iterable[tuple[int, int]]) -> None:
        for ident, place in deletes:
            self._deleted.add(ident)
            if self._added is not None and ident not in self._added:
                self._unknown.add(ident, place)

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
            transaction.lacks = self._lacks(transaction, record, dialect)
            self._dispute(record)

    def _commit(self, record: JournalRecord, file_id: int, dialect: Dialect) -> None:
        transaction = self._open.pop(record.tx, None)
        known = transaction is not None or record.tx in self._ended
        self._ended.add(record.tx)
        if transaction is not None and self._healthy(transaction, record, file_id, dialect):
            self._deliver(transaction.changes)
            self._delete(transaction.deletes)
            return
        if transaction is not None:
            self.dropped.append(Discarded(record.tx, "unhealthy-commit"))
            self._dispute(record)
        if transaction is not None or not known:
            self._lacking.extend((record.tx, *self._lacks(transaction or Transaction(), record, dialect)))

    def _dispute(self, record: JournalRecord) -> None:
        self.disputed.update(file_id for file_id, _ in record.pairs)

    def _lacks(self, transaction: Transaction, record: JournalRecord, dialect: Dialect) -> tuple[int, int]:
        """Return where a COMMIT or PREPARE is, and how many records it counts that its files do not have."""
        pairs = ((listed, count) for listed, count in record.pairs if listed in self._present)
        counted = pairs if dialect.pairs else ((self._turn, record.tally),)
        lacking = sum(max(0, count - transaction.seen.get(listed, 0)) for listed, count in counted)
        return self._records.put(record), lacking

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
                    Discarded(tx, "unhealthy-prepare" if transaction.unhealthy_prepare else "no-end")
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

    def missing(self) -> Sequence[Missing]:
        """Return the records that others change or delete, and transactions whose records are counted."""
        added = Ids()
        added.update(ident for ident, place in self._live() if not place & 1)
        for transaction in self._open.values():
            added.update(ident for ident, place in transaction.changes if not place & 1)
        doubt = (item for item in self._open.values() if item.in_doubt)
        changes = chain(self._live(), *(item.changes for item in doubt))
        known = Ids()
        unknown = References()
        for ident, place in chain(changes, self._unknown):
            gone = ident in self._deleted if place & 1 else self._added is not None and ident in self._added
            if ident not in added and ident not in known and not gone:
                known.add(ident)
                unknown.add(ident, place)
        lacking = array("q", chain.from_iterable(item for item in batched(self._lacking) if item[2]))
        for tx, transaction in self._open.items():
            if transaction.lacks[1]:
                lacking.extend((tx, *transaction.lacks))
        return joined(
            _proof_place,
            few(lambda: starmap(self._unknown_record, unknown), len(unknown), lambda _: 0),
            few(lambda: starmap(self._lacking_records, batched(lacking)), len(lacking) // 3, lambda _: 0),
        )

    def _unknown_record(self, ident: int, place: int) -> Missing:
        return Missing("record", str(ident), *self._records.where(place >> 1), text=UNKNOWN_TEXT)

    def _lacking_records(self, tx: int, place: int, count: int) -> Missing:
        return Missing("transaction", str(tx), *self._records.where(place), count)

    def _told(
        self, references: References, form: Callable[[JournalRecord], dict[str, Any]]
    ) -> Sequence[dict[str, Any]]:
        return few(
            lambda: (form(self._records.get(place >> 1)) for _, place in references),
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


def _proof_place(item: Missing) -> tuple[str, int, int]:
    return item.file, item.off or 0, 0


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


class _Reading:
    """One pass over all files: records, regions, replay; if `forensic`, records of earlier lives too."""

    def __init__(self, found: FileSet, params: Params, forensic: bool) -> None:
        self._records = Collector(record_place)
        self._regions = Collector(region_place)
        self._beside = Collector(record_place)
        usable = [file for file in found.files if file.problem is None]
        self.replay = Replay((file.file_id for file in usable), found.complete)
        for file in usable:
            self._take(_Found(file, limit_of(file, params)), forensic)
        self.records = self._records.done()
        self.dropped = self._regions.done()
        self.beside = self._beside.done()

    def _take(self, found: _Found, forensic: bool) -> None:
        file = found.file
        self.replay.next_file(file, found.limit)
        self._records.begin(file.name, found.records)
        self._regions.begin(file.name, found.regions)
        items = self._seen(found)
        if not forensic:
            for _ in items:
                pass
            return
        self._beside.begin(file.name, found.beside)
        for item in found.earlier(items):
            if self._beside.wants(item.off, item.end - item.off):
                self._beside.keep(_as_stamped(item, file))

    def _seen(self, found: _Found) -> Iterator[JournalRecord]:
        """Yield the records of a file; on the way all is collected, and the state replayed."""
        file = found.file
        for item in laid_out(file, found.limit):
            if isinstance(item, JournalRecord):
                if self._records.wants(item.off, item.end - item.off):
                    self._records.keep(record_of(item, file))
                self.replay.apply(item, file.file_id, file.dialect)
                yield item
            else:
                self._regions.add(item)


def _as_stamped(item: JournalRecord, file: DataFile) -> Record:
    """Return a record with the file id that it bears itself, for where the header does not tell."""
    stamp = int.from_bytes(
        bytes(file.data[item.off + 1 : item.off + 5]), "big", signed=not file.dialect.versions
    )
    return record_of(item, replace(file, file_id=stamp))


def refusal(found: FileSet) -> Observation | None:
    """Return the refusal that the first unusable file is under the strict policy, else None."""
    for file in found.files:
        if file.problem is not None:
            reason, text = file.problem
            # An interrupted creation leaves a short file; from v1 on that is no reason to refuse.
            if reason == "short-file" and file.dialect.versions:
                continue
            phase = "fileset" if reason == "wrong-length" else "header"
            return refused(phase, reason, f"{file.name}: {text}", At(file.name, 0, file.length))
    return None


def recover(dialect: Dialect, files: Files, policy: str, params: Params) -> Observation:
    """Return what recovery delivers."""
    found = gather(files, dialect, params, imply=policy == "salvage")
    if policy == "strict":
        problem = refusal(found)
        if problem is not None:
            return problem
    return _observe(found, params)


def read(dialect: Dialect, files: Files, params: Params) -> Observation:
    """Return every healthy record, every torn region, and the records of earlier lives."""
    found = gather(files, dialect, params)
    if files and not any(file.problem is None for file in found.files):
        problem = refusal(found)
        if problem is not None:
            return problem
        if not found.files and not found.others:
            return refused("fileset", "no-files", "no file has the journal's extension")
    seen = _observe(found, params, forensic=True)
    aside = collected(
        record_place,
        ((file.name, _Found(file, file.length).records) for file in found.others if file.problem is None),
    )
    return replace(
        seen,
        records=joined(record_place, seen.records, aside),
        files=(*seen.files, *(_map_of(file) for file in found.others)),
    )


def _observe(found: FileSet, params: Params, forensic: bool = False) -> Observation:
    reading = _Reading(found, params, forensic)
    state = reading.replay.outcome()
    left_out = [
        Dropped(file.name, 0, file.length, file.problem[0])
        for file in found.files
        if file.problem is not None
    ]
    dropped = joined(region_place, left_out, reading.dropped)
    # The header may be what is wrong: the file id that counts here is the one in the record.
    lost = collected(
        record_place,
        ((file.name, _Found(file, file.length).healthy) for file in found.files if file.problem is not None),
    )
    gaps = () if reading.replay.deletes else found.gaps
    missing = joined(_proof_place, (*found.missing, *gaps), reading.replay.missing())
    return Observation(
        RECOVERED if dropped or missing or _rejected(state) else CLEAN,
        records=reading.records,
        dropped=dropped,
        state=state,
        files=tuple(_map_of(file) for file in found.files),
        notes=joined(
            note_place,
            found.notes,
            mapped(_transaction_note, state["discarded"]),
            [Note("unanchored", name) for name in files_of(record_place, lost)],
            [Note("stale", name) for name in files_of(record_place, reading.beside)],
        ),
        unanchored=joined(record_place, lost, reading.beside),
        missing=missing,
    )


def _rejected(state: dict[str, Any]) -> bool:
    """Tell whether a transaction with an end was dropped: its records were there once."""
    return any(item["why"] != "no-end" for item in state["discarded"])


def _transaction_note(item: dict[str, Any]) -> Note:
    why = str(item["why"])
    return Note({"no-end": "incomplete-transaction"}.get(why, why), text=f"transaction {item['tx']}")


def _map_of(file: DataFile) -> FileMap:
    lists = control_lists(file.data, file.dialect) if file.role == "control" else None
    content: dict[str, object] = {}
    if lists is not None:
        old, new, renames = lists
        pairs = [{"source": source, "target": target} for source, target in renames]
        content = {"old_names": old, "new_names": new, "renames": pairs}
    role = "invalid" if file.problem else file.role
    return FileMap(file.name, file.length, role, header_of(file), content)
