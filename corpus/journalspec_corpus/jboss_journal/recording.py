"""Records write traces: small workloads at every alignment on new and reused files, and long ones.

The traces are recorded from the reference writer. A transaction's records are acknowledged when it is
committed or prepared. As soon as a delete, a commit or a rollback is requested, the records that it ends are
no longer required. A delete is required as long as the file with the deleted record exists, because without
the delete, the record would reappear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from journalspec_corpus.crash import trace
from journalspec_corpus.crash.record import FOREIGN, SECTOR, Keys, Operation, Recorder, missing
from journalspec_corpus.crash.second_crash import CrashImage
from journalspec_corpus.crash.trace import Mark, Op
from journalspec_corpus.jboss_journal import workloads
from journalspec_corpus.jboss_journal.model import Messages
from journalspec_corpus.jboss_journal.workloads import TABLES, Step, Workload
from journalspec_corpus.workloads import LongWorkload
from journalspec_reference.batches import source_of
from journalspec_reference.jboss_journal.codec import DIALECTS, JournalRecord, decode_record
from journalspec_reference.jboss_journal.fileset import CONTROL
from journalspec_reference.jboss_journal.scan import scan
from journalspec_reference.jboss_journal.write import JournalWriter

FORMAT = "jboss_journal"
#: Maps each edition to the extension of data files.
EXTENSIONS: Mapping[str, str] = TABLES.rows["extensions"]
#: The key by which a reader identifies a record.
KEYS = Keys(FORMAT, {"type": "", "tx": 0, "id": 0, "user_type": 0, "body": "", "extra": ""})
#: Maps each background to the byte that fills new files.
_FILLS = {"J": "4a"}
#: Types of records that end an existing record or a transaction.
_ENDING = ("DELETE", "PREPARE", "COMMIT", "ROLLBACK")
#: The space before the first step: for a header, a delete, the record to be deleted, and an empty filler.
_STANDING = 160
#: The length of data files in which no record has to fit exactly.
_SMALLEST = 1024


def _meaning(kind: str, tx: Any, ident: Any) -> Operation:
    """Return the operation that writes a record with this key, with the members that the model uses."""
    return {"op": kind.lower(), "tx": str(tx), "id": str(ident)}


def _plain(record: str) -> str:
    """Return the id of a record without the prefix of runs after a crash."""
    return record.removeprefix(trace.SECOND_LIFE)


class Run(Recorder):
    """One run of the writer called `writer`, on data files of `size` bytes or on a crash image."""

    format = FORMAT
    model = Messages()
    plain = TABLES.rows["long"]["plain"]
    writer: JournalWriter

    def __init__(
        self,
        writer: str,
        size: int,
        background: str = "zero",
        life: int = 0,
        image: CrashImage | None = None,
    ) -> None:
        edition, order = workloads.edition_and_order(writer)
        super().__init__(edition, life, image)
        self.dialect = DIALECTS[edition]
        self.header_size = self.dialect.header_size
        self.params = {
            "prefix": "j",
            "extension": EXTENSIONS[edition],
            "file_size": str(size),
            "fill": _FILLS.get(background, "00"),
            "order": order,
        }
        self.ends = {name: self.header_size for name in self.storage.files if self._is_data(name)}
        #: Maps a record to the files that still contain it.
        self._places: dict[str, set[str]] = {}
        #: The records that are required, or will be required after the next fsync.
        self._required: set[str] = set() if image is None else image.required
        #: Maps the id of a DELETE to the number of its rollbacks.
        self._rolled_back: Counter[str] = Counter()
        #: Records from before this run, which this run may copy.
        self._inherited = {mark.record for mark in self.marks}
        #: Maps an id to the records that contain its content.
        self._holding: dict[str, list[str]] = {}
        for mark in self.marks:
            self._recall(mark)

    def _recall(self, mark: Mark) -> None:
        """Register a record from before this run by its key."""
        first, _, again = _plain(mark.record).partition(".")
        if again:
            self._rolled_back[first] = max(self._rolled_back[first], int(again) - 1)
        if mark.record not in self._places:
            fields = KEYS.read(mark.key)
            self.learn(_meaning(fields["type"], fields["tx"], fields["id"]))
        self._places.setdefault(mark.record, set()).add(mark.file)
        if mark.file in self.ends:
            self.ends[mark.file] = max(self.ends[mark.file], mark.off + mark.length)

    @property
    def position(self) -> int:
        """The position of the next record."""
        current = self.writer.current
        return self.end_of(current.name) if current else self.header_size

    @property
    def taken_back(self) -> tuple[str, ...]:
        """Records of this generation that are no longer required."""
        return tuple(name for name in self._places if name not in self._required)

    @property
    def unpromised(self) -> set[str]:
        """Records that were written but not acknowledged: those of open transactions."""
        return {name for name, _ in self.pending}

    def perform(self, op: Operation, *, together: bool) -> None:
        """Do `op`, without an fsync if `together` requests one fsync at the end."""
        self.apply({**op, "sync": "false"} if together else op)

    def end_life(self) -> None:
        """Delete all records and reuse the files, so that the old records belong to an earlier generation."""
        self.apply({"op": "next"})
        for tx in sorted(self.kept.open, key=int):
            self.apply({"op": "commit", "tx": tx})
        for ident in sorted(self.kept.live, key=int):
            self.apply({"op": "delete", "id": ident})
        self.apply({"op": "next"})
        # The file that was left last becomes free only at this point.
        self.apply({"op": "reclaim"})
        self._required.clear()
        self.pending.clear()
        self._places.clear()

    def did(self, item: Op, op: Operation) -> None:
        """Record `item`, the records that it ends, and the records that it makes live."""
        if isinstance(item, trace.Rename):
            self._renamed(item)
        elif isinstance(item, trace.Unlink):
            self._let_go({item.file})
        elif isinstance(item, trace.Write):
            self._written(item)
            return
        self.storage.note(item)

    def _decided(self) -> None:
        """Mark records that only old files contain as no longer required: a compaction's control file takes
        effect next.
        """
        self._let_go({name for name in self.ends if not name.endswith(".cmp")})

    def _renamed(self, item: trace.Rename) -> None:
        if item.new == CONTROL:
            self._decided()
        if item.old in self.ends:
            self.ends[item.new] = self.ends.pop(item.old)
        for held in self._places.values():
            if item.old in held:
                held.remove(item.old)
                held.add(item.new)

    def _is_data(self, name: str) -> bool:
        return name.endswith("." + EXTENSIONS[self.edition])

    def _written(self, item: trace.Write) -> None:
        records: list[JournalRecord] = []
        if self._is_data(item.file) and item.off == 0:
            self._let_go({item.file})
            self.storage.note(trace.Reuse(item.file))
            self.ends[item.file] = self.header_size
        elif self._is_data(item.file) or item.file.endswith(".cmp"):
            records = self._parse(item)
        elif item.file == CONTROL and item.off:
            # The control file is written in place. Its record makes the new files take effect.
            self._decided()
        ended = [[] if item.file.endswith(".cmp") else self._take_back(record) for record in records]
        self.storage.note(item)
        for record, members in zip(records, ended, strict=True):
            self._mark(item, record, members)

    def _parse(self, item: trace.Write) -> list[JournalRecord]:
        # If a compaction writes a file in one write, this write begins with the header and ends with zeros.
        out, at = [], 0 if item.off else self.header_size
        for batch in scan(source_of(item.data), self.dialect, None, at, len(item.data)):
            out += [decode_record(batch.data, off, self.dialect, batch.base) for off in batch.off]
        ends = [at, *(record.end for record in out)]
        if [record.off for record in out] != ends[:-1] or item.data[ends[-1] :].strip(b"\0"):
            raise ValueError(f"{item.file}: the writer wrote no record at {item.off + at}")
        return out

    def _called(self, base: str) -> str:
        """Return the id of the record `base`; in an earlier generation, a suffix is appended."""
        base += f".{self._rolled_back[base] + 1}" if base in self._rolled_back else ""
        fresh = base not in self._inherited or base.startswith(("COMMIT", "ROLLBACK"))
        return self.prefix + base if fresh else base

    def _mark(self, item: trace.Write, record: JournalRecord, ended: Sequence[str]) -> None:
        # Copies and records of transactions are named like plain records.
        kind, tx = record.kind, record.tx
        name = self._called(f"{kind.name.removesuffix('_TX')}-{record.id or tx}")
        values = {"body": record.body, "pairs": record.pairs, "extra": record.extra}
        places, length = workloads.RECORDS.starts(self.edition, kind.name, values)
        told = {"type": kind.name, "tx": tx, "id": record.id, "user_type": record.user_type}
        key = KEYS.of({**told, "body": record.body, "extra": record.extra})
        mark = Mark(name, item.file, item.off + record.off, length, key, places)
        self.marked(mark)
        self.ends[item.file] = item.off + record.end
        self._places.setdefault(name, set()).add(item.file)
        if item.file.endswith(".cmp"):
            return
        self._required.add(name)
        if kind.tx and record.id:
            self.pending.append((name, tx))
            return
        self.pending.append((name, 0))
        self.storage.note(trace.Publish((*(ended if kind.ends else ()), name)))
        if kind.ends:
            # The next fsync acknowledges the transaction's records, including records from before this run.
            self.pending = [(entry, 0 if owner == tx else owner) for entry, owner in self.pending]
        if kind.name == "COMMIT":
            known = {entry for entry, _ in self.pending} | self._required
            left = {*self._in_effect()}
            held = [entry for entry in ended if _plain(entry).startswith("DELETE") or entry in left]
            self.pending += [(entry, 0) for entry in held if entry not in known]
            self._required.update(held)

    def _take_back(self, record: JournalRecord) -> list[str]:
        """Mark the records that the next `record` ends as deleted; return those of its transaction."""
        meaning = _meaning(record.kind.name, record.tx, record.id)
        if record.kind.name not in _ENDING:
            # The record ends no other record.
            self.learn(meaning)
            return []
        members = self._members(str(record.tx))
        before = list(self._in_effect())
        self.learn(meaning)
        after = {*self._in_effect()}
        if record.kind.name == "COMMIT":
            # The transaction's deletes stay required; the records that they delete are not.
            after.update(name for name in members if _plain(name).startswith("DELETE"))
        elif record.kind.name == "ROLLBACK":
            self.pending = [entry for entry in self.pending if entry[1] != record.tx]
        self._release([name for name in before if name not in after])
        if record.kind.name == "ROLLBACK":
            # The DELETEs had no effect: the same records may be deleted again, by other DELETEs.
            self._rolled_back.update(_plain(name).partition(".")[0] for name in members if "DELETE" in name)
        return members

    def _members(self, tx: str) -> list[str]:
        """Return the records of an open transaction."""
        done = self.kept.open[tx].done if tx in self.kept.open else ()
        return [self._called(f"{what.removesuffix('_tx').upper()}-{ident}") for what, ident, _ in done]

    def _in_effect(self) -> Iterator[str]:
        """Yield the records that contain the model's content, without records that end something."""
        for tx in self.kept.open:
            yield self._called(f"PREPARE-{tx}")
            yield from self._members(tx)
        for ident in self.kept.live:
            yield from self._holders(ident)

    def _holders(self, ident: str) -> list[str]:
        if ident not in self._holding:
            self._holding[ident] = [self._called(f"{base}-{ident}") for base in ("ADD", "UPDATE")]
        return self._holding[ident]

    def _let_go(self, files: set[str]) -> None:
        """Mark records as deleted that only end something, and are only in `files`, which go out of use."""
        gone = []
        for name, places in self._places.items():
            if not places or not places <= files:
                continue
            kind, _, ident = _plain(name).partition(".")[0].partition("-")
            what = [place for held in self._holders(ident) for place in self._places.get(held, ())]
            if kind in ("COMMIT", "ROLLBACK", "PREPARE") or (kind == "DELETE" and set(what) <= files):
                gone.append(name)
        self._release(gone)
        for held in self._places.values():
            held.difference_update(files)

    def _release(self, names: Sequence[str]) -> None:
        known = [name for name in names if name in self._required]
        self._required.difference_update(known)
        self.tell(trace.Release, known)

    def settle(self, image: CrashImage) -> None:
        """Commit the transactions in doubt whose records are all intact, as a transaction manager does."""
        lost = {KEYS.read(mark.key)["tx"] for mark in image.possible if mark not in image.whole}
        for tx in sorted(self.kept.open, key=int):
            if tx not in lost:
                self.attempt({"op": "commit", "tx": tx})

    def continued(self, then: str, ops: list[Operation], image: CrashImage) -> list[Operation]:
        """Return `ops`, in the next file, after a compaction, or with a delete of the standing record."""
        if then == "over":
            return [{"op": "next"}, *ops]
        if then == "compact" and self.dialect.control_file:
            return [{"op": "compact"}, *ops]
        if then == "delete":
            # Do this only if the record is required and its deletion was never requested.
            known = {mark.record for mark in image.standing}
            ended = known | {mark.record for mark in image.possible}
            if f"ADD-{workloads.VICTIM}" in known and f"DELETE-{workloads.VICTIM}" not in ended:
                return [*ops, Step("delete", workloads.VICTIM).operation(0)]
        return ops


def build(work: Workload) -> trace.Trace:
    """Return the trace of `work`."""
    size = file_size(work)
    if work.kind == "create":
        run = Run(work.writer, size, work.background)
        run.open()
        return run.trace(work)
    before = 0
    if work.background.startswith("stale") and work.background != FOREIGN:
        # The files were used before for the same steps, and everything was then deleted.
        run = _brought(work, size, work.background, 1)
        run.play(work.operations(1), together=False)
        run.end_life()
        before = len(run.marks)
        _lay(run, work.kind, _start(work, 0), 0)
    else:
        run = _brought(work, size, work.background, 0)
    stale = [mark for mark in run.marks[:before] if mark.off >= run.ends[mark.file]]
    if work.background == "garbage":
        run.lay_noise()
    if work.background == FOREIGN:
        stale = _lay_foreign(run, work)
    own = run.marks[before:]
    run.begin(mark for mark in own if mark.record not in run.unpromised)
    possible = [mark for mark in own if mark.record in run.unpromised]
    # A record is not required if a later standing record has ended it.
    run.storage.note(trace.Release(run.taken_back))
    first = max(1, _play(run, work))
    return run.trace(work, stale, possible, first)


def file_size(work: Workload) -> int:
    """Return the length of the data files of `work`."""
    if work.kind in ("create", "reopen"):
        return _SMALLEST
    end = work.start(_STANDING) + sum(workloads.size_of(op, work.edition) for op in work.operations())
    if work.kind in ("over", "reclaim"):
        # The file is one byte too short for the last step.
        return end - 1
    return -(-(end + 64) // SECTOR) * SECTOR


def _brought(work: Workload, size: int, background: str, life: int) -> Run:
    """Return a run on new files with the content that precedes the steps of `work`."""
    run = Run(work.writer, size, background)
    run.open()
    _lay(run, work.kind, _start(work, life), life)
    return run


def _start(work: Workload, life: int) -> int:
    """Return the offset in its file at which the first step of a run begins."""
    if not work.steps:
        return 0
    return work.start(_STANDING) + (3 if life and work.background == "stale-shifted" else 0)


def _lay(run: Run, kind: str, start: int, life: int) -> None:
    """Write the content that precedes the steps, so that the first step begins at `start`."""
    if kind == "reclaim" and life == 0:
        # The record of the first file is deleted in the second file, which becomes the current file.
        run.apply(Step("add", 80, workloads.TYPICAL).operation(life))
        run.apply({"op": "next"})
        run.apply(Step("delete", 80).operation(life))
    run.apply(Step("add", workloads.VICTIM, workloads.TINY).operation(life))
    if kind == "compact":
        run.play(
            [step.operation(life) for step in TABLES.steps(TABLES.rows["steps"]["compacted"])], together=False
        )
        run.apply({"op": "next"})
    if kind == "reopen":
        run.apply(Step("add_tx", 81, workloads.TYPICAL, 7).operation(life))
        return
    filler = Step("add", workloads.FILLER, 0)
    room = start - run.position - workloads.size_of(filler.operation(life), run.edition)
    if room < 0:
        raise ValueError(f"{kind}: the content before the steps takes {-room} bytes too many")
    run.apply(Step("add", workloads.FILLER, room).operation(life))


def _lay_foreign(run: Run, work: Workload) -> list[Mark]:
    """Fill the blocks after the last record from a file with another id; return the records in the blocks."""
    other = Run(work.writer, file_size(work))
    other.open()
    # The other journal's records are in its second file.
    other.apply({"op": "next"})
    _lay(other, work.kind, _start(work, 1), 1)
    other.play(work.operations(1), together=False)
    names = sorted(run.storage.files)
    return run.lay_foreign(other, dict(zip(names, (*names[1:], names[0]), strict=True)))


def _play(run: Run, work: Workload) -> int:
    """Do the operations of `work`; return the index from which a crash is of interest."""
    if work.kind == "compact":
        run.apply({"op": "compact"})
        return 0
    if work.kind == "reopen":
        run.open()
        return 0
    last = run.play(work.operations(), together=work.force == "end")
    # If the steps have one common fsync or transaction, crashes before the last step are of interest too.
    return last if work.settled else 0


class LongRun(Run):
    """A run of the writer that is described by words.

    ``a1b`` ``u1b`` ``d1``      add, update, delete record 1, with a body of size b
    ``A21b`` ``U21b`` ``D21``   the same in transaction 2
    ``c2`` ``p2`` ``r2``        commit, prepare, roll back transaction 2
    ``f`` ``n`` ``g`` ``m``     fsync; go to the next file; take files out of use; compact
    ``o``                       fsync, and open again

    A word that ends in ``-`` gets no fsync. Records and transactions are numbered in base 36. Sizes:
    ``a`` four bytes, ``b`` forty, ``c`` more than a sector; records of size ``x``, ``y`` and ``z`` end
    one byte before, at and one byte after a sector boundary.
    """

    def worded(self, word: str) -> Operation | None:
        """Return the operation of a word."""
        step, size = workloads.step_of(word), word.removesuffix("-")[-1]
        if step.op.startswith(("add", "update")):
            bodies = TABLES.rows["long"]["bodies"]
            end = self.position + workloads.size_of(step.operation(0), self.edition)
            step = replace(step, size=bodies[size] if size in bodies else missing(end, size))
        return {**step.operation(0), "sync": "false"} if word.endswith("-") else step.operation(0)


def resumed(origin: Workload | LongWorkload, life: int, image: CrashImage) -> Run:
    """Return an unopened run of the writer of `origin` on `image`."""
    first = image.first
    size = origin.size if isinstance(origin, LongWorkload) else file_size(origin)
    return Run(first.tags["order"], size, first.background, life, image)
