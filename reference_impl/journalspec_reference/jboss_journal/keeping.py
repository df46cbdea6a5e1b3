"""Finds the reasons why data files are not reused (the rule of reclaiming, JBM-FIL).

A file is free if each ADD and UPDATE in it was deleted, and each transaction with records in it has ended. In
addition, no earlier file may be kept whose records are deleted, or whose transactions are ended, in this
file. The current file is never free, because the broker's reclaimer examines only the files before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from struct import Struct

from journalspec_reference.api import Files, Params
from journalspec_reference.batches import Batch
from journalspec_reference.ids import Ids
from journalspec_reference.jboss_journal import codec
from journalspec_reference.jboss_journal.codec import DIALECTS, Dialect
from journalspec_reference.jboss_journal.fileset import DataFile, gather
from journalspec_reference.jboss_journal.recover import stretch_of
from journalspec_reference.keeping import Holder, Keeping, held_for_others

_LONG = Struct(">q")
#: The number of bits for the offset and for the size in a record's position. A position is a single number,
#: which takes a third of the memory of a tuple.
_OFF, _SIZE = 48, 32
#: Most records have fewer positions than this.
_FEW = 6


def _place(turn: int, off: int, size: int) -> int:
    """Return the position of a record, which encodes the turn of its file, its offset and size (bytes)."""
    return (turn << _OFF | off) << _SIZE | size


def _turn(place: int) -> int:
    return place >> _OFF + _SIZE


@dataclass(slots=True)
class _Changes:
    """Represents the records of a transaction so far.

    `added` has (id, user type, place) of each record; `deleted` has the id, and how many files precede this.
    """

    added: list[tuple[int, int, int]] = field(default_factory=list)
    deleted: list[tuple[int, int]] = field(default_factory=list)
    files: set[int] = field(default_factory=set)
    #: The file and the offset of the transaction's PREPARE.
    prepared: tuple[int, int] | None = None


class _Ledger:
    """Represents the records that keep files from being reused, file by file."""

    def __init__(self) -> None:
        #: Maps the id of a record to the user type of its ADD, then the positions of its ADD and UPDATEs.
        self.live: dict[int, tuple[int, ...] | list[int]] = {}
        self.open: dict[int, _Changes] = {}
        #: Later records do not make a deleted record live again (JBM-RCV-003).
        self._deleted = Ids()
        #: Whether a record was added after its deletion, which no product writes.
        self.again = False
        #: The files that contain records.
        self.used: set[int] = set()
        #: The names of files with a damaged part.
        self.damaged: dict[str, None] = {}
        #: Maps (file, other file) to the number of records and transactions of the other file that are
        #: deleted or ended in the file.
        self.deletes: Counter[tuple[int, int]] = Counter()
        self.ends: Counter[tuple[int, int]] = Counter()

    def take(self, turn: int, dialect: Dialect, batch: Batch) -> None:
        """Add the records of a range of a file."""
        if batch.off:
            self.used.add(turn)
        data, base, number = batch.data, batch.base, _LONG.unpack_from
        id_at, tx_at, type_at = dialect.id_at, dialect.tx_at, dialect.type_at
        delete = dialect.codes["DELETE"]
        for at, end, code in zip(batch.off, batch.end, batch.code, strict=True):
            if code in tx_at:
                (tx,) = number(data, at + tx_at[code])
                if code in (codec.COMMIT, codec.ROLLBACK):
                    self._end(tx, turn, kept=code == codec.COMMIT)
                    continue
                if code == codec.PREPARE and tx not in self.open and not dialect.prepare_extra:
                    continue  # JBM-SED-005
                changes = self.open.setdefault(tx, _Changes())
                changes.files.add(turn)
                if code == codec.PREPARE:
                    changes.prepared = turn, base + at
                    continue
                (ident,) = number(data, at + id_at[code])
                if code in (codec.ADD_TX, codec.UPDATE_TX):
                    changes.added.append((ident, data[at + type_at[code]], _place(turn, base + at, end - at)))
                else:
                    changes.deleted.append((ident, turn))
            elif code in (codec.ADD, codec.UPDATE):
                (ident,) = number(data, at + id_at[code])
                self._add(ident, data[at + type_at[code]], _place(turn, base + at, end - at))
            elif code == delete:
                self._delete(number(data, at + id_at[code])[0], turn)

    def _add(self, ident: int, kind: int, place: int) -> None:
        if ident in self._deleted:
            self.again = True
            return
        known = self.live.get(ident, (kind,))
        if isinstance(known, list):
            known.append(place)
        else:
            # A tuple takes less memory, but appending to a list takes constant time.
            self.live[ident] = (*known, place) if len(known) < _FEW else [*known, place]

    def _delete(self, ident: int, turn: int) -> None:
        self._deleted.add(ident)
        _, *places = self.live.pop(ident, (0,))
        self.deletes.update((turn, there) for there in set(map(_turn, places)) if there != turn)

    def _end(self, tx: int, turn: int, *, kept: bool) -> None:
        changes = self.open.pop(tx, None)
        if changes is None:
            return
        for added in changes.added if kept else ():
            self._add(*added)
        for ident, there in changes.deleted if kept else ():
            self._delete(ident, there)
        self.ends.update((turn, there) for there in changes.files if there != turn)


def kept(files: Files, edition: str, params: Params) -> Keeping:
    """Return the reasons to keep each data file, as for a broker that has just started."""
    found = gather(files, DIALECTS[edition], params, imply=True)
    usable = found.usable
    ledger = _Ledger()
    for turn, file in enumerate(usable):
        for batch in stretch_of(file).scan():
            ledger.take(turn, file.dialect, batch)
            if batch.damage:
                ledger.damaged[file.name] = None
    holders = _holders(ledger, usable)
    names = [file.name for file in usable]
    needs: dict[str, list[str]] = defaultdict(list)
    for turn, there in (*ledger.deletes, *ledger.ends):
        needs[names[turn]].append(names[there])
    waiting = held_for_others(names, {holder.file for holder in holders}, needs)
    staying = waiting | {holder.file for holder in holders}
    for counts, kind in ((ledger.deletes, "deletes"), (ledger.ends, "ends")):
        for (turn, there), count in sorted(counts.items()):
            if there < turn and names[there] in staying:
                holders.append(Holder(names[turn], kind, names[there], count, below=names[there]))
    lost = [*ledger.damaged, *(file.name for file in found.files if file.problem is not None)]
    doubt = f"{', '.join(lost)}: damaged, and its content is unknown" if lost else ""
    if ledger.again:
        doubt = "a record comes after the DELETE of its id, which no product writes"
    return Keeping({file.name: file.length for file in usable}, tuple(holders), doubt)


def _holders(ledger: _Ledger, usable: Sequence[DataFile]) -> list[Holder]:
    """Return direct reasons to keep files: the current file and its deletes, live records, transactions."""
    out = [*_late(ledger, usable)]
    groups: dict[tuple[int, int], list[int]] = {}
    for kind, *places in ledger.live.values():
        for place in places:
            off, size = place >> _SIZE & (1 << _OFF) - 1, place & (1 << _SIZE) - 1
            group = groups.setdefault((_turn(place), kind), [0, 0, off])
            group[:] = group[0] + 1, group[1] + size, min(group[2], off)
    for (turn, kind), (count, size, first) in sorted(
        groups.items(), key=lambda item: (item[0][0], -item[1][0])
    ):
        out.append(Holder(usable[turn].name, "records", str(kind), count, size, first))
    for tx, changes in sorted(ledger.open.items()):
        if changes.prepared is None:
            # A start of the broker writes its ROLLBACK into the current file.
            out += [Holder(usable[turn].name, "open", str(tx)) for turn in sorted(changes.files)]
            continue
        for turn in sorted(changes.files):
            first = changes.prepared[1] if changes.prepared[0] == turn else -1
            count = sum(_turn(place) == turn for _, _, place in changes.added)
            out.append(Holder(usable[turn].name, "prepared", str(tx), count, first=first))
    return out


def _late(ledger: _Ledger, usable: Sequence[DataFile]) -> Iterator[Holder]:
    """Yield the current file, and the files whose records it deletes or whose transactions it ends."""
    if not ledger.used:
        return
    current = max(ledger.used)
    name = usable[current].name
    yield Holder(name, "current")
    for counts, kind in ((ledger.deletes, "late-deletes"), (ledger.ends, "late-ends")):
        for (turn, there), count in sorted(counts.items()):
            if turn == current:
                yield Holder(usable[there].name, kind, name, count)
