"""Reads and recovers a journal with the algorithm of the spec's recovery chapter. It writes nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, starmap
from operator import itemgetter
from struct import Struct
from typing import Any, NamedTuple, TypeVar

from journalspec import observation, reread
from journalspec.observation import At, Missing, Note, Observation, Record
from journalspec.reread import COST, Changed, Deferred, few, joined, mapped
from journalspec_reference import batches
from journalspec_reference.api import Files, Params
from journalspec_reference.batches import Batch, Found, Source, Stretch, source_of
from journalspec_reference.ids import NO_PLACES, IdPlaces, Ids
from journalspec_reference.jboss_journal import codec, fileset
from journalspec_reference.jboss_journal.bodies import Body, BodyColumns, PreparedTx
from journalspec_reference.jboss_journal.codec import DIALECTS, INT, Dialect, JournalRecord, decode_record
from journalspec_reference.jboss_journal.fileset import DataFile, FileSet
from journalspec_reference.jboss_journal.scan import bodies_at, earlier, first_found, scan

S = TypeVar("S")
T = TypeVar("T")
LONG = Struct(">q")
#: The counts of a COMMIT or PREPARE: pairs of file (its id or turn) and number of records.
Pairs = Sequence[tuple[int, int]]
#: The number of bits of the offset in a record's position. The bits above it are the number of the file.
OFFSET_BITS = 40
#: At most this many records are read together.
_TOGETHER = 1 << 9
#: Lengths of the first and of the longest read when adjacent live records are read again (bytes).
AGAIN_FROM, AGAIN_MOST = 1 << 12, 1 << 20
#: The text about a record whose ADD is missing.
UNKNOWN_TEXT = "it is changed or deleted here, and the record that added it is not there"
#: If fewer records than this are kept, removing the deleted records is not worth the time.
SWEEP_FROM = 1 << 14
#: The ADD of a changed record is first looked for among this many records before the change.
_SOON = 1 << 12
#: The id of a transaction is the first part of a row about it.
_FIRST = itemgetter(0)
#: The types of records that take effect immediately and have the same form.
_PLAIN = bytes((codec.ADD, codec.UPDATE))


def _told(file: DataFile, batch: Batch, *, as_stamped: bool = False) -> Iterator[Record]:
    """Yield the records of a batch.

    With `as_stamped`, the file id comes from each record, not from the header.
    """
    for off in batch.off:
        item = decode_record(batch.data, off, file.dialect, batch.base)
        file_id = codec.stamp_at(batch.data, off, file.dialect) if as_stamped else file.file_id
        fields = {"file_id": file_id, **codec.fields_of(item)}
        yield Record(item.kind.name, fields, At(file.name, item.off, item.end - item.off))


def stretch_of(file: DataFile, source: Source | None = None, *, quiet: bool = False) -> Stretch:
    """Return the log of a file, whose bytes are `source`; with `quiet`, it contains only the records."""
    source = source_of(file.data) if source is None else source
    dialect, header, limit = file.dialect, file.dialect.header_size, file.limit
    log = partial(scan, source, dialect, dialect.stamp(file.file_id), header, limit)
    if quiet:
        log = partial(log, quiet=True)
    gone = [batches.damaged(0, header, "lost-header")] if file.headless else []  # JBM-RCV-036
    begin = (lambda: chain(gone, log())) if gone else log
    return Stretch(file.name, begin, partial(_told, file), partial(_columns, file), file.role)


def _columns(file: DataFile, batch: Batch) -> Mapping[str, Any]:
    return batches.late_columns(__package__, file.dialect, file.file_id)(batch)


class Transaction:
    """Represents the part of a transaction that has been read so far.

    - `changes` and `deletes`: id and place of each record;
    - `seen`: maps a file to the number of its records. The key is the file's id in editions whose COMMIT
      lists pairs of file id and count. In other editions, it is the file's place in the order of reading;
    - `prepared`: the place of the last healthy PREPARE, -1 if there is none;
    - `lacks`: the place of the last unhealthy PREPARE, and how many of its counted records are missing.
    """

    __slots__ = ("changes", "deletes", "lacks", "prepared", "seen", "unhealthy_prepare")

    def __init__(self) -> None:
        # Most transactions delete nothing, and arrays take memory even if they are empty.
        self.changes, self.deletes = IdPlaces(), NO_PLACES
        self.seen: dict[int, int] = {}
        self.prepared, self.unhealthy_prepare, self.lacks = -1, False, (-1, 0)

    @property
    def in_doubt(self) -> bool:
        """Whether the transaction is in doubt if it has no end."""
        return self.prepared >= 0 and not self.unhealthy_prepare


class Discarded(NamedTuple):
    """A transaction that recovery discarded, the reason, and the position of its COMMIT (-1: none)."""

    tx: int
    why: str
    place: int = -1


class ReplayedState(dict[str, Any]):
    """The logical state, and the replay from which contents read the records again."""

    __slots__ = ("replay",)
    replay: Replay


class Replay:
    """Applies records in reading order; :meth:`outcome` returns the result (JBM-RCV).

    The id and the position of each record that can still be live are kept. The position is doubled, plus 1
    for an UPDATE, so that the record need not be read for its type. The records themselves are read again at
    the end. `present` are the ids of the existing files.
    """

    def __init__(self, present: Iterable[int], complete: bool = False) -> None:
        self._present = frozenset(present)
        #: For each part of a file: the file, its bytes, and the start of the part. A long file has several
        #: parts, because the offset in a position has few bits.
        self._places: list[tuple[DataFile, Source, int]] = []
        self._size = self._turn = 0
        #: If the journal is small, its batches, each with the position of its first byte.
        self._kept: list[tuple[int, Batch]] = []
        self._delivered = IdPlaces()
        #: If no file is missing, the ids of the records that discarded transactions add (None: not kept).
        self._given_up = Ids() if complete else None
        self._ended = Ids()
        #: Deletes since the last sweep, and the first delete of each record that no delivered record added.
        self._deletes = IdPlaces()
        self._unknown: dict[int, int] = {}
        #: Whether there was an UPDATE or UPDATE_TX: only those can change a record that is missing.
        self._changes = False
        #: For each transaction that lacks records: its id, the place of the record that shows this, and the
        #: number of missing records.
        self._lacking: list[tuple[int, int, int]] = []
        #: The size at which a sweep is due, the number of records after the last sweep, and the highest id
        #: deleted until then.
        self._sweep_at, self._swept, self._highest = SWEEP_FROM, 0, -1 << 63
        self._deleted = Ids()
        #: Whether there was a DELETE, DELETE_TX or ROLLBACK: only then can a product have removed a file.
        self.deletes = False
        self._open: dict[int, Transaction] = {}
        self.dropped: list[Discarded] = []
        #: The ids of files that unhealthy COMMITs and PREPAREs list.
        self.disputed: set[int] = set()

    def next_file(self, file: DataFile) -> Source:
        """Start another file, which gets the next turn; return its bytes.

        Single counts are kept by turn, not by id, because two files can have the same id.
        """
        self._turn += 1
        self._size += file.limit
        if self._size > reread.KEEP:
            self._kept.clear()
        source = source_of(file.data)
        self._places.append((file, source, 0))
        return source

    def take(self, batch: Batch) -> None:
        """Apply the records of a batch in order."""
        file, source, begin = self._places[-1]
        if batch.base - begin >> OFFSET_BITS - 1:
            begin = batch.base
            self._places.append((file, source, begin))
        here = (len(self._places) - 1 << OFFSET_BITS) + batch.base - begin
        if self._size <= reread.KEEP:
            self._kept.append((here, batch))
        self._changes = self._changes or codec.UPDATE in batch.code or codec.UPDATE_TX in batch.code
        if batch.code.translate(None, _PLAIN):
            self._apply(batch, file, here)
        else:
            # Almost all batches have only these types. `_apply` has the same effect, but takes longer.
            number, id_at, twice = LONG.unpack_from, file.dialect.id_at[codec.ADD], here << 1
            each = zip(batch.off, batch.code, strict=True)
            self._delivered.ids.fromlist([number(batch.data, at + id_at)[0] for at in batch.off])
            self._delivered.places.fromlist([twice + at + at + (code == codec.UPDATE) for at, code in each])
        if len(self._delivered.ids) + len(self._deletes.ids) >= self._sweep_at:
            # A deleted record stays deleted, so it is removed from memory. At most twice the live records are
            # kept.
            self._sweep()
            self._sweep_at = max(SWEEP_FROM, 2 * len(self._delivered.ids))

    def _apply(self, batch: Batch, file: DataFile, here: int) -> None:
        """Apply records of any types; `here` is the place of the first byte of the batch."""
        data, dialect, number = batch.data, file.dialect, LONG.unpack_from
        id_at, tx_at = dialect.id_at, dialect.tx_at
        delete, delete_tx = dialect.codes["DELETE"], dialect.codes["DELETE_TX"]
        holder = file.file_id if dialect.pairs else self._turn
        deliver, deliver_at = self._delivered.ids.append, self._delivered.places.append
        delete_id, delete_at, transactions = self._deletes.ids.append, self._deletes.places.append, self._open
        for at, code in zip(batch.off, batch.code, strict=True):
            if code in _PLAIN:
                # An EVENT has no effect on the state (JBM-RDR-016).
                (ident,) = number(data, at + id_at[code])
                deliver(ident)
                deliver_at(here + at << 1 | (code == codec.UPDATE))
            elif code in tx_at:
                (tx,) = number(data, at + tx_at[code])
                if code < codec.PREPARE:
                    transaction = transactions.get(tx)
                    if transaction is None:
                        transaction = transactions[tx] = Transaction()
                    # Every record of a transaction counts, whatever its type (JBM-RCV-013).
                    transaction.seen[holder] = transaction.seen.get(holder, 0) + 1
                    rows = transaction.changes
                    if code == delete_tx:
                        self.deletes = True
                        rows = transaction.deletes = transaction.deletes or IdPlaces()
                    (ident,) = number(data, at + id_at[code])
                    rows.ids.append(ident)
                    rows.places.append(here + at << 1 | (code == codec.UPDATE_TX))
                elif code == codec.ROLLBACK:
                    self.deletes = True
                    self._give_up(transactions.pop(tx, None))  # JBM-RCV-016
                    self._ended.add(tx)
                else:
                    if dialect.pairs:
                        counts: Pairs = decode_record(data, at, dialect).pairs
                    else:
                        (tally,) = INT.unpack_from(data, at + dialect.kinds[code].places["count"])
                        counts = ((self._turn, tally),)
                    count = self._commit if code == codec.COMMIT else self._prepare
                    count(tx, here + at, counts, dialect)
            elif code == delete:
                self.deletes = True
                (ident,) = number(data, at + id_at[code])
                delete_id(ident)
                delete_at(here + at << 1)

    def _give_up(self, transaction: Transaction | None) -> None:
        """Remember the ids of records that a discarded transaction adds. These records are not delivered."""
        if transaction is not None and self._given_up is not None:
            self._given_up.update([ident for ident, place in transaction.changes if not place & 1])

    def has_deleted(self, ident: int) -> bool:
        """Return whether a DELETE of this record took effect."""
        self._sweep()
        return ident in self._deleted

    def _sweep(self) -> None:
        """Remove deleted records, and later ones with their ids (JBM-RCV-003, JBM-RCV-004)."""
        delivered, deletes, unknown = self._delivered, self._deletes, self._unknown
        if deletes.ids or (self.deletes and len(delivered.ids) > self._swept):
            gone, deleted, swept, top = {*deletes.ids}, self._deleted, self._swept, self._highest
            # Ids ascend, so an id above all deleted ids needs no look-up. Records that remained after the
            # last sweep need no look-up either.
            live, added = bytearray(b"\1") * len(delivered.ids), Ids()
            for at, ident in enumerate(delivered.ids):
                if ident in gone or (at >= swept and ident <= top and ident in deleted):
                    live[at] = 0
                    if self._given_up is not None and not delivered.places[at] & 1:
                        added.add(ident)
                        unknown.pop(ident, None)
            delivered.keep(live)
            if self._given_up is not None:
                for ident, place in deletes:
                    # If a record was deleted earlier, it is known already whether it was added.
                    if ident not in added and ident not in deleted:
                        unknown.setdefault(ident, place)
            if gone:
                deleted.update(gone)
                latest = max(gone)
                self._highest = max(top, latest)
                deletes.clear()
            self._swept = len(delivered.ids)

    def _prepare(self, tx: int, place: int, counts: Pairs, dialect: Dialect) -> None:
        # The seed has no prepare data: a PREPARE of an unknown transaction is ignored (JBM-SED-005).
        if tx not in self._open and not dialect.prepare_extra:
            return
        transaction = self._open.get(tx) or self._open.setdefault(tx, Transaction())
        if self._healthy(transaction, counts, pairs=dialect.pairs):
            transaction.prepared = place
        else:
            # A later PREPARE does not repair this, but a COMMIT can (JBM-RCV-019, JBM-RCV-020).
            transaction.unhealthy_prepare = True
            transaction.lacks = place, self._lacking_of(transaction, counts, pairs=dialect.pairs)
            self.disputed.update(dict(counts) if dialect.pairs else ())

    def _commit(self, tx: int, place: int, counts: Pairs, dialect: Dialect) -> None:
        transaction = self._open.pop(tx, None)
        known = transaction is not None or tx in self._ended
        self._ended.add(tx)
        if transaction is not None and self._healthy(transaction, counts, pairs=dialect.pairs):
            # Its records are delivered at the place of the COMMIT, in the order in which they were written
            # (JBM-RCV-005).
            self._delivered.extend(transaction.changes)
            self._deletes.extend(transaction.deletes)
            return
        self._give_up(transaction)
        if transaction is not None:
            self.dropped.append(Discarded(tx, "unhealthy-commit", place))
            self.disputed.update(dict(counts) if dialect.pairs else ())
        if transaction is not None or not known:
            lacks = self._lacking_of(transaction or Transaction(), counts, pairs=dialect.pairs)
            if lacks:
                self._lacking.append((tx, place, lacks))

    def _lacking_of(self, transaction: Transaction, counts: Pairs, *, pairs: bool) -> int:
        """Return how many of the records counted by a COMMIT or PREPARE are missing from existing files."""
        seen, present = transaction.seen, self._present
        return sum(
            max(0, count - seen.get(listed, 0)) for listed, count in counts if not pairs or listed in present
        )

    def _healthy(self, transaction: Transaction, counts: Pairs, *, pairs: bool) -> bool:
        """Return whether the record's counts match the records that were read before it (JBM-RCV-007).

        With pairs, the count of a listed file with records of the transaction must match; a listed file
        without such records must not exist (JBM-RCV-008, JBM-RCV-009). A single count applies to the record's
        own file.
        """
        if not pairs:
            ((turn, tally),) = counts
            return tally == transaction.seen.get(turn, 0)  # JBM-RCV-012
        for listed, count in counts:
            found = transaction.seen.get(listed, 0)
            if found != count if found else listed in self._present:
                return False
        return True

    def in_doubt(self, tx: int) -> bool:
        """Return whether `tx` is in doubt so far.

        It must have at least one PREPARE, and all its PREPAREs must be healthy.
        """
        transaction = self._open.get(tx)
        return transaction is not None and transaction.in_doubt

    def outcome(self) -> ReplayedState:
        """Return the logical state; transactions that are still open are discarded or in doubt.

        The sequences read records on access; long sequences read them anew at each access.
        """
        self._sweep()
        dropped, prepared = self.dropped[:], []
        for tx, transaction in self._open.items():
            if transaction.in_doubt:
                prepared.append((tx, transaction))
            else:
                why = "unhealthy-prepare" if transaction.unhealthy_prepare else "no-end"
                dropped.append(Discarded(tx, why))
        dropped.sort(key=_FIRST)
        prepared.sort(key=_FIRST)
        state = ReplayedState(
            live=self._listed(self._shown, _live, self._delivered.places, _body_size, self._brief),
            prepared=self._listed(map, self._in_doubt, prepared, _doubt_size),
            discarded=self._listed(map, _discarded, dropped, lambda _: 0),
        )
        state.replay = self
        return state

    def _brief(self) -> Iterator[tuple[object, int]]:
        """Yield the user type and the size of each live record."""
        return ((kind, size) for batch in self.live_columns() for _, size, kind in batch.heads)

    @property
    def rejected(self) -> bool:
        """Whether a discarded transaction has a COMMIT or PREPARE. In that case, records were lost."""
        return bool(self.dropped) or any(item.unhealthy_prepare for item in self._open.values())

    def live(self) -> Iterator[Body]:
        """Yield the live records in the order of delivery; raises Changed like :meth:`bodies`."""
        return self.bodies(place >> 1 for place in self._delivered.places)

    def live_columns(self) -> Iterator[BodyColumns]:
        """Yield the records of :meth:`live`, many at a time."""
        return self.columns(place >> 1 for place in self._delivered.places)

    def live_places(self) -> Iterator[tuple[int, int]]:
        """Yield the id and the place of each live record, in the order of :meth:`live`."""
        return ((ident, place >> 1) for ident, place in self._delivered)

    def in_doubt_transactions(self) -> list[PreparedTx]:
        """Return the prepared transactions by their ids."""
        return [
            PreparedTx(
                tx,
                self._record(item.prepared).extra,
                item.prepared,
                [place >> 1 for place in item.changes.places],
                [place >> 1 for place in item.deletes.places],
            )
            for tx, item in sorted(self._open.items())
            if item.in_doubt
        ]

    def deleted(self, places: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the id and the body of each DELETE_TX at `places`; raises Changed like :meth:`bodies`."""
        return ((record.id, record.body) for record in map(self._record, places))

    def missing(self) -> Sequence[Missing]:
        """Return missing records that other records change or delete, and transactions that lack records.

        Call :meth:`outcome` first. A record is missing if it is not deleted, and neither a delivered record
        nor an open transaction has added it (JBM-RCV-031).
        """
        unknown: dict[int, int] = {}
        lacking = self._lacking[:]
        for tx, item in self._open.items():
            if item.lacks[1]:
                lacking.append((tx, *item.lacks))
        if self._changes:
            doubts = (item.changes for item in self._open.values() if item.in_doubt)
            doubt = (row for row in chain.from_iterable(doubts) if row[1] & 1)
            # Almost all changes follow the ADD of their record within a few records, so this fast test comes
            # first.
            for ident, place in chain(_soon_unknown(self._delivered), doubt):
                if ident not in unknown and ident not in self._deleted:
                    unknown[ident] = place
        for ident, place in self._unknown.items():
            # Artemis writes a DELETE of record 0 for an address that it has not stored.
            if ident != 0 and self._given_up is not None and ident not in self._given_up:
                unknown.setdefault(ident, place)
        if unknown:
            held = chain.from_iterable(item.changes for item in self._open.values())
            for ident, place in chain(self._delivered, held):
                if not place & 1 and ident in unknown:
                    del unknown[ident]
        if not unknown and not lacking:
            return ()
        return joined(
            observation.missing_place,
            few(lambda: starmap(self._unknown_record, unknown.items()), len(unknown), lambda _: 0),
            few(lambda: starmap(self._lacking_records, lacking), len(lacking), lambda _: 0),
        )

    def _unknown_record(self, ident: int, place: int) -> Missing:
        return Missing("record", str(ident), *self.where(place >> 1), text=UNKNOWN_TEXT)

    def _lacking_records(self, tx: int, place: int, count: int) -> Missing:
        return Missing("transaction", str(tx), *self.where(place), count)

    def _record(self, place: int) -> JournalRecord:
        """Return the record at a place; raises Changed if it is read again and is no longer there."""
        file, source, _ = self._places[place >> OFFSET_BITS]
        if self._kept:
            here, batch = self._kept[bisect_right(self._kept, place, key=_FIRST) - 1]
            return decode_record(batch.data, place - here, file.dialect, batch.base)
        _, off = self.where(place)
        stamp = file.dialect.stamp(file.file_id)
        found = first_found(source, file.dialect, stamp, off, file.limit, 1)
        if found is None or found.base + found.off[0] != off:
            raise Changed(file.name)
        return decode_record(found.data, found.off[0], file.dialect, found.base)

    def where(self, place: int) -> tuple[str, int]:
        """Return the file and the offset of the record at a place."""
        file, _, begin = self._places[place >> OFFSET_BITS]
        return file.name, begin + (place & (1 << OFFSET_BITS) - 1)

    def bodies(self, places: Iterable[int]) -> Iterator[Body]:
        """Return the records of :meth:`columns` one by one."""
        return chain.from_iterable(map(_one_by_one, self.columns(places)))

    def columns(self, places: Iterable[int]) -> Iterator[BodyColumns]:
        """Yield the records at `places`, which have bodies; raises Changed if one is no longer there.

        Records that are close together are read together, in one batch. For any order of places, at most
        three times the length of each record plus a few KiB are read.
        """
        each, used = iter(places), 0
        while some := list(islice(each, _TOGETHER)):
            groups = [some]
            while groups:
                group = groups.pop(0)
                first, length = min(group), max(group) - min(group) + AGAIN_FROM
                file, source, begin = self._places[first >> OFFSET_BITS]
                limit = file.limit
                off, found, end = begin + (first & (1 << OFFSET_BITS) - 1), None, 0
                # Twice the length of the last read is enough for adjacent records of that size. Positions in
                # different files are far apart as numbers, so they are never read together.
                if length <= min(len(group) * AGAIN_FROM + 2 * used, 2 * AGAIN_MOST):
                    data = source.read(off, min(length, limit - off))
                    found, end = bodies_at(file.dialect, data, group)
                    if found is not None and len(data) < end <= limit - off:
                        rest = source.read(off + len(data), end - len(data))
                        found = found._replace(data=data + rest)
                if found is not None and end <= len(found.data):
                    used = sum(map(itemgetter(1), found.heads))
                    yield found
                elif len(group) > 1:
                    half = len(group) // 2
                    groups[:0] = group[:half], group[half:]
                else:
                    raise Changed(file.name)

    def _listed(
        self,
        make: Callable[[Any, Sequence[S]], Iterable[T]],
        form: Callable[..., T],
        items: Sequence[S],
        size: Callable[[T], int],
        brief: Callable[[], Iterable[tuple[object, int]]] | None = None,
    ) -> Sequence[T]:
        """Return the results of `make`, made on access; in a large journal, `size` decides which are kept."""
        if not items:
            return []
        count, made = len(items), partial(make, form, items)
        small = self._size + COST * count <= reread.KEEP
        return Deferred(count, made) if small else few(made, count, size, brief)

    def _shown(
        self, form: Callable[[JournalRecord], dict[str, Any]], places: Iterable[int]
    ) -> Iterator[dict[str, Any]]:
        return map(form, map(self._record, (place >> 1 for place in places)))

    def _in_doubt(self, row: tuple[int, Transaction]) -> Mapping[str, Any]:
        tx, transaction = row
        return {
            "tx": tx,
            "extra": self._record(transaction.prepared).extra,
            "records": self._listed(self._shown, _live, transaction.changes.places, _body_size),
            "deletes": self._listed(self._shown, _delete, transaction.deletes.places, _body_size),
        }


def _one_by_one(batch: BodyColumns) -> Iterator[Body]:
    """Yield the records of a batch."""
    # `tuple.__new__` takes half the time of the constructor of a NamedTuple.
    made, body = tuple.__new__, Body
    data, places, codes, heads, starts = batch
    for place, code, (ident, size, kind), start in zip(places, codes, heads, starts, strict=True):
        yield made(body, (place, code, ident, kind, data, start, start + size))


def _soon_unknown(delivered: IdPlaces) -> list[tuple[int, int]]:
    """Return (id, place) of each change whose record was not added shortly before."""
    found: list[tuple[int, int]] = []
    for at in range(0, len(delivered.ids), _SOON):
        own = slice(at, at + _SOON)
        rows = zip(delivered.ids[own], delivered.places[own], strict=True)
        if changes := [row for row in rows if row[1] & 1]:
            near = slice(max(0, at - _SOON), at + _SOON)
            rows = zip(delivered.ids[near], delivered.places[near], strict=True)
            added = {ident for ident, place in rows if not place & 1}
            found += [row for row in changes if row[0] not in added]
    return found


def _body_size(item: Mapping[str, Any]) -> int:
    return len(item["body"])


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


def _doubt_size(item: Mapping[str, Any]) -> int:
    return COST * (len(item["records"]) + len(item["deletes"]))


def _discarded(item: Discarded) -> dict[str, Any]:
    return {"tx": item.tx, "why": item.why}


def recover(files: Files, edition: str, policy: str, params: Params) -> Observation:
    """Return the result of recovery.

    Without a policy, return every healthy record, every torn region, and the records of earlier generations.
    """
    found = fileset.gather(files, DIALECTS[edition], params, imply=policy == "salvage")
    problem, forensic = _refused(found, files, policy), not policy
    if problem is not None:
        return problem
    seen, beside, usable = Found(), Found(), found.usable
    notes: list[Note] = []
    for file in found.files:
        if file.problem is not None:
            _rows(seen, _left_out(file))
            # The header can be the wrong part, so the file id in the record is used here (JBM-RCV-030).
            if _rows(beside, _of_other_lives(file)):
                notes.append(Note("unanchored", file.name))
    replay = Replay(map(fileset.FILE_ID, usable), found.complete)
    counts = []
    for file in usable:
        counts.append(0)
        for batch in seen.begin(stretch_of(file, replay.next_file(file))):
            seen.take(batch)
            replay.take(batch)
            counts[-1] += len(batch.off)
    if forensic:
        for file in usable:
            if _rows(beside, _of_other_lives(file)):
                notes.append(Note("stale", file.name))
        for stretch in _aside(found):
            _rows(seen, stretch)
    state, dropped = replay.outcome(), seen.dropped()
    gaps = () if replay.deletes else fileset.lost_from(found)
    changed = () if all(counts) else fileset.changed_headers(usable, counts)
    missing: Sequence[Missing] = (*found.missing, *gaps, *changed)
    if lacking := replay.missing():
        missing = joined(observation.missing_place, missing, lacking)
    mapped_files = (*found.files, *found.others) if forensic else found.files
    return Observation(
        observation.RECOVERED if dropped or missing or replay.rejected else observation.CLEAN,
        records=seen.records(),
        dropped=dropped,
        state=state,
        files=Deferred(len(mapped_files), partial(map, fileset.map_of, mapped_files)),
        notes=joined(
            observation.note_place, found.notes, mapped(_transaction_note, state["discarded"]), notes
        ),
        unanchored=beside.records(),
        missing=missing,
    )


def _refused(found: FileSet, files: Files, policy: str) -> Observation | None:
    """Return the refusal of strict recovery; without a policy, refuse only if no file is usable.

    A reader reads every usable file (JBM-FIL-014, JBM-FIL-015, JBM-FIL-016).
    """
    if policy == "strict":
        return fileset.refusal(found)
    if policy or not files or found.usable:
        return None
    problem = fileset.refusal(found)
    if problem is None and not found.files and not found.others:
        return observation.refused("fileset", "no-files", "no file has the journal's extension")
    return problem


def plan(files: Files, edition: str, params: Params) -> Sequence[Stretch]:
    """Return the stretches from which reading reports records, in the same order."""
    found = fileset.gather(files, DIALECTS[edition], params)
    if _refused(found, files, ""):
        return []
    gone = (_left_out(file) for file in found.files if file.problem is not None)
    return [*gone, *map(stretch_of, found.usable), *_aside(found)]


def _aside(found: FileSet) -> Iterator[Stretch]:
    """Yield the files that are not part of the journal, which are read after it (JBM-RDR-022)."""
    return (stretch_of(file, quiet=True) for file in found.others if file.problem is None)


def _rows(found: Found, stretch: Stretch) -> int:
    """Count all batches of a stretch; return the number of its records."""
    count = 0
    for batch in found.begin(stretch):
        found.take(batch)
        count += len(batch.off)
    return count


def _left_out(file: DataFile) -> Stretch:
    """Return the log of an unusable file: one region, with the reason (JBM-RCV-024)."""
    return batches.lost(file.name, 0, file.length, file.problem[0] if file.problem else "", "invalid")


def _of_other_lives(file: DataFile) -> Stretch:
    """Return records with any file id between a file's own (JBM-RDR-019), or in an unusable file."""
    source, dialect = source_of(file.data), file.dialect
    log = stretch_of(file, source, quiet=True)

    def scanned() -> Iterator[Batch]:
        if file.problem is not None:
            return scan(source, dialect, None, 0, file.length)
        return earlier(source, dialect, log.scan(), dialect.header_size, file.limit)

    return Stretch(file.name, scanned, lambda batch: _told(file, batch, as_stamped=True))


def _transaction_note(item: dict[str, Any]) -> Note:
    why = str(item["why"])
    return Note({"no-end": "incomplete-transaction"}.get(why, why), text=f"transaction {item['tx']}")
