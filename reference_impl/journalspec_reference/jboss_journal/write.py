"""Writes the journal (JBM-WRT, JBM-CMP). Files are used in turn and then reused. No record spans two files.

ORDERS lists the orders of writes and fsyncs. ``spec`` is the safe order. The others are those of the traced
products, with their defects. With them, the crash states of these products can be enumerated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from journalspec import mutf8
from journalspec.jboss_journal import LAYOUT
from journalspec_reference.api import Operation, Params, WriterRefused, order_of, perform
from journalspec_reference.jboss_journal import codec, fileset
from journalspec_reference.jboss_journal.codec import DIALECTS, Dialect, JournalRecord
from journalspec_reference.jboss_journal.fileset import CONTROL, DataFile, FileSet
from journalspec_reference.jboss_journal.recover import Replay, stretch_of
from journalspec_reference.storage import Storage, fill, whole

SMALLEST_FILE = 1024
#: Maps an operation to its record type. Operations that are absent here concern files, not records.
RECORD_OPS = {name.lower(): name for name in LAYOUT.types("v2e")}
#: Operations on files.
FILE_OPS = ("force", "next", "reclaim", "compact", "close")
MAX_COMPACT_COUNT = 127
CONTROL_ID = 1


@dataclass(frozen=True, slots=True)
class Order:
    """Represents the order of writes and fsyncs.

    With `force_fill`, a new file gets an fsync before its header is written. With `force_left`, a file gets
    an fsync before the first record is written to the next file. With `force_names`, the directory gets an
    fsync after files were created, renamed or removed. With `force_open`, a start ends with an fsync.
    `staged_control` writes the control file under another name and renames it when it is complete. `output`
    is the file that a compaction creates: ``staged`` is a filled file with the suffix `.cmp`, ``bare`` is an
    empty file with that suffix, ``renamed`` is a normal data file that gets the suffix later. With
    `whole_output`, one write contains the header, the records, and zeros up to the end of this file.
    """

    force_fill: bool = False
    force_left: bool = True
    force_names: bool = False
    force_open: bool = False
    staged_control: bool = False
    output: str = "staged"
    whole_output: bool = True


ORDERS = {
    "spec": Order(force_names=True, force_open=True, staged_control=True, whole_output=False),
    "hornetq": Order(force_fill=True, force_left=False, output="bare"),
    "artemis": Order(force_fill=True, output="renamed"),
}


@dataclass(slots=True, eq=False)
class Usage:
    """Represents one data file: its id, its name, the number of its positives, and its negatives, counted by
    the file to which they refer.
    """

    file_id: int
    name: str
    positives: int = 0
    negatives: Counter[Usage] = field(default_factory=Counter)


@dataclass(slots=True)
class Pending:
    """Represents a transaction without an end: its records with their files, and its PREPARE."""

    records: list[tuple[Usage, JournalRecord]] = field(default_factory=list)
    tokens: set[Usage] = field(default_factory=set)
    prepare: JournalRecord | None = None

    def counts(self) -> Counter[Usage]:
        """Return the number of records of this transaction in each file, in the order of first use."""
        return Counter(usage for usage, _ in self.records)


class Ledger:
    """Represents live records and pending transactions, and the files that contain them. It determines which
    files can be reused.

    A positive is a record, or one token for each pending transaction with records in the file. A negative
    cancels a positive. A file may be used again if two rules hold (JBM-WRT). First, every positive in it is
    cancelled by a negative in this or a later file. Second, every earlier file to which negatives in this
    file refer may also be used again. Because of the second rule, a DELETE is kept as long as the file with
    the record that it deletes.
    """

    def __init__(self) -> None:
        #: The records that recovery would deliver, each with its file, in the order of delivery.
        self.live: dict[int, tuple[Usage, JournalRecord]] = {}
        #: Maps a record id to the keys in `live` of its ADD and UPDATEs.
        self.holders: dict[int, list[int]] = {}
        self._next = 0
        self.pending: dict[int, Pending] = {}

    def take(self, usage: Usage, record: JournalRecord) -> None:
        """Add the next record. It is in the file `usage`."""
        kind = record.kind
        if kind.code in (codec.COMMIT, codec.ROLLBACK):
            self._end(usage, record)
        elif kind.tx:
            self._touch(usage, record)
        elif kind.name == "DELETE":
            self._delete(usage, record.id)
        elif kind.code in (codec.ADD, codec.UPDATE):
            self._put(usage, record)

    def _put(self, usage: Usage, record: JournalRecord) -> None:
        usage.positives += 1
        self.live[self._next] = (usage, record)
        self.holders.setdefault(record.id, []).append(self._next)
        self._next += 1

    def _delete(self, usage: Usage, ident: int) -> None:
        for key in self.holders.pop(ident, ()):
            holder, _ = self.live.pop(key)
            usage.negatives[holder] += 1

    def _touch(self, usage: Usage, record: JournalRecord) -> None:
        """Add a record of a pending transaction. Its file is kept until the transaction ends."""
        pending = self.pending.setdefault(record.tx, Pending())
        if record.kind.code == codec.PREPARE:
            pending.prepare = record
        else:
            pending.records.append((usage, record))
        if usage not in pending.tokens:
            pending.tokens.add(usage)
            usage.positives += 1

    def _end(self, usage: Usage, record: JournalRecord) -> None:
        """Apply the COMMIT or ROLLBACK of a transaction. It is in the file `usage`."""
        pending = self.pending.pop(record.tx, Pending())
        for holder in pending.tokens:
            usage.negatives[holder] += 1
        if record.kind.code == codec.ROLLBACK:
            return
        for holder, change in pending.records:
            if change.kind.name != "DELETE_TX":
                self._put(holder, change)
        # The negative is counted in the file of the DELETE_TX, because without that record the commit deletes
        # nothing.
        for holder, change in pending.records:
            if change.kind.name == "DELETE_TX":
                self._delete(holder, change.id)

    @staticmethod
    def reusable(files: list[Usage]) -> list[Usage]:
        """Return the files that can be used again. `files` are in the order of their ids."""
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


class JournalWriter:
    """A journal open for writing.

    Parameters (all text): `prefix` ("activemq-data"), `extension` ("amq"),
    `file_size` in bytes (10 MiB), `min_files` (2), `alignment` (1), `fill` (hex
    byte, "00"), `user_version` (0), `auto_reclaim` ("true"), `sync` ("true"),
    `order` (a key of ORDERS, default spec).
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self.storage, self.params = storage, params
        self.dialect: Dialect = DIALECTS[edition]
        self.order = order_of(ORDERS, params)
        self.prefix = params.get("prefix", "activemq-data")
        self.extension = params.get("extension", "amq")
        self.file_size = int(params.get("file_size", str(10 * 1024 * 1024)))
        self._min_files = int(params.get("min_files", "2"))
        self._alignment = int(params.get("alignment", "1"))
        self._fill = bytes.fromhex(params.get("fill", "00"))
        self._user_version = int(params.get("user_version", "0"))
        self._auto_reclaim = params.get("auto_reclaim", "true") == "true"
        self._sync = params.get("sync", "true") == "true"
        if self.file_size < SMALLEST_FILE or self.file_size % self._alignment:
            raise ValueError(
                f"file_size is at least {SMALLEST_FILE} and a multiple of the alignment {self._alignment}"
            )
        self.ledger = Ledger()
        self.counter = self._position = 0
        #: Ids that no new file may get, because a COMMIT or PREPARE lists them.
        self.listed: set[int] = set()
        #: Full files in order, the current file, and free files.
        self.data_files: list[Usage] = []
        self.current: Usage | None = None
        self.free: list[Usage] = []
        self._handlers: dict[str, Callable[[Operation], dict[str, Any]]] = {
            "open": self._open,
            **dict.fromkeys(RECORD_OPS, self._record),
            **dict.fromkeys(FILE_OPS, self._step),
        }

    @property
    def active(self) -> Usage:
        """The current file. The journal must be open."""
        assert self.current is not None  # `apply` has checked that the journal is open.
        return self.current

    @property
    def first_offset(self) -> int:
        """The offset of the first record of a file. It is the end of the header's block."""
        return self.aligned(self.dialect.header_size)

    def aligned(self, offset: int) -> int:
        """Return `offset` rounded up to the alignment."""
        return -(-offset // self._alignment) * self._alignment

    def apply(self, op: Operation) -> dict[str, Any]:
        """Perform one operation: open, a key of RECORD_OPS, force, next, reclaim, compact or close."""
        return perform(self._handlers, op, self.current is not None)

    def _open(self, op: Operation) -> dict[str, Any]:
        unfinished = self._load()
        while len(self.data_files) + len(self.free) + 1 < self._min_files:
            file_id = self.next_id()
            self.free.append(Usage(file_id, self.create_file(file_id)))
        for tx in unfinished:
            self._append(JournalRecord(0, 0, self.dialect.kinds[codec.ROLLBACK], tx=tx))
        if self.order.force_open or unfinished:
            self.force()
        return {"durable": True, "file": self.active.name}

    def _load(self) -> list[int]:
        """Load the journal from the storage. Return the transactions that must be rolled back.

        An interrupted compaction is finished, and leftovers are removed. Raises WriterRefused if strict
        recovery refuses the journal.
        """
        contents = {name: whole(self.storage, name) for name in self.storage.names()}
        found = fileset.gather(contents, self.dialect, {"extension": self.extension, **self.params})
        problem = fileset.refusal(found)
        if problem is not None:
            raise WriterRefused(problem.code or "", problem.message)
        self._settle(found)
        self.ledger, self.listed = Ledger(), set()
        replay = Replay(file.file_id for file in found.usable)
        # An unusable file keeps its name, so that a new file does not replace it (JBM-FIL-007).
        names = (found.renamed.get(file.name, file.name) for file in found.files)
        self.counter = max(map(_number, names), default=0)
        ends: dict[Usage, int] = {}
        for file in found.usable:
            usage = Usage(file.file_id, found.renamed.get(file.name, file.name))
            ends[usage] = self._replay_file(file, usage, replay)
            self.counter = max(self.counter, file.file_id)
        used = []
        self.free = []
        for usage, end in ends.items():
            # If a listed file were removed, the counts in an inconsistent COMMIT or PREPARE would match by
            # accident (JBM-RCV-027).
            if usage.file_id in replay.disputed:
                # No negative cancels this positive. Therefore the file is kept until this run ends.
                usage.positives += 1
                used.append(usage)
            else:
                (used if end > self.dialect.header_size else self.free).append(usage)
        self.data_files = used[:-1]
        if used:
            # Continue after the last record of the last used file.
            self.current = used[-1]
            self._position = max(self.aligned(ends[used[-1]]), self.first_offset)
        else:
            self._take_file()
        # In editions with pairs, the files that an inconsistent PREPARE lists are kept instead (JBM-RCV-027).
        return [
            tx
            for tx, pending in self.ledger.pending.items()
            if pending.prepare is None or not (self.dialect.pairs or replay.in_doubt(tx))
        ]

    def _settle(self, found: FileSet) -> None:
        """Finish the compaction that a control file describes.

        Then remove the control file and all leftovers of this journal.
        """
        storage = self.storage
        for name in found.removed:
            storage.unlink(name)
        if CONTROL in storage.names():
            self.names_changed()
        for source, target in found.renamed.items():
            storage.rename(source, target)
        if CONTROL in storage.names():
            self.names_changed()
            storage.unlink(CONTROL)
        # An unfinished control file is also a leftover. It is removed, because the next compaction needs its
        # name.
        for name in storage.names():
            if fileset.is_leftover(name, self.extension):
                storage.unlink(name)
        self.names_changed()

    def _replay_file(self, file: DataFile, usage: Usage, replay: Replay) -> int:
        """Replay the records of one file. Return the end of the last record."""
        end, dialect = file.dialect.header_size, file.dialect
        replay.next_file(file)
        for batch in stretch_of(file).scan():
            dropped = len(replay.dropped)
            replay.take(batch)
            rejected = {replay.where(item.place)[1] for item in replay.dropped[dropped:]}
            for off in batch.off:
                item = codec.decode_record(batch.data, off, dialect, batch.base)
                end = item.end
                self.listed.update(file_id for file_id, _ in item.pairs)
                if item.off in rejected:
                    # The files of a rejected transaction are kept, because they prove that the transaction
                    # was incomplete.
                    self.ledger.pending.pop(item.tx, None)
                elif (
                    item.kind.code != codec.PREPARE or item.tx in self.ledger.pending or dialect.prepare_extra
                ):
                    # In the seed a PREPARE without any record before it has no effect (JBM-SED-005).
                    self.ledger.take(usage, item)
        return end

    def next_id(self) -> int:
        """Return the next file id: greater than every id in use, and not in `listed` (JBM-FIL-008)."""
        self.counter += 1
        while self.counter in self.listed:
            self.counter += 1
        return self.counter

    def create_file(self, file_id: int, suffix: str = "", header_id: int | None = None) -> str:
        """Fill a new file, write its header, make it durable, and then rename it to its name.

        The number in the name is `file_id`. The header contains `header_id` if that is given, else `file_id`.
        """
        if suffix and self.order.output == "renamed":
            plain = self.create_file(file_id, header_id=header_id)
            self.storage.sync(plain)
            self.storage.rename(plain, plain + suffix)
            return plain + suffix
        name = f"{self.prefix}-{file_id}.{self.extension}{suffix}"
        temporary = name + ".tmp"
        try:
            self.storage.create(temporary)
        except FileExistsError:  # A compaction was interrupted.
            self.storage.unlink(temporary)
            self.storage.create(temporary)
        if not (suffix and self.order.output == "bare"):
            fill(self.storage, temporary, 0, self.file_size, self._fill)
            if self.order.force_fill:
                self.storage.sync(temporary)
            self.stamp(temporary, file_id if header_id is None else header_id)
        self.storage.rename(temporary, name)
        self.names_changed()
        return name

    def names_changed(self) -> None:
        """Perform an fsync of the directory, if the order of writes includes it."""
        if self.order.force_names:
            self.storage.sync_dir()

    def header(self, file_id: int) -> bytes:
        """Return the header of a file, padded up to its first record."""
        if self.dialect.versions:
            header = codec.LONG_HEADER.pack(self.dialect.versions[-1], self._user_version, file_id)
        else:
            header = codec.INT.pack(file_id)
        return header.ljust(self.first_offset, b"\0")

    def stamp(self, name: str, file_id: int) -> None:
        """Write the header of a new or reused file and make it durable before any record (JBM-WRT)."""
        self.storage.write(name, 0, self.header(file_id))
        self.storage.sync(name)

    def _take_file(self) -> None:
        """Make a free or a new file the current file. Its id is greater than all earlier ids."""
        newest = max((usage.file_id for usage in self.data_files), default=0)
        if self.free:
            usage = self.free.pop(0)
            if usage.file_id <= newest:
                usage = self._fresh(usage.name)
        else:
            file_id = self.next_id()
            usage = Usage(file_id, self.create_file(file_id))
        self.current, self._position = usage, self.first_offset

    def _fresh(self, name: str) -> Usage:
        """Give a free file a new id. From then on, its old records are stale."""
        usage = Usage(self.next_id(), name)
        self.stamp(name, usage.file_id)
        return usage

    def roll(self) -> None:
        """Continue in the next file.

        If the order of writes requires it, the current file is made durable first.
        """
        if self.order.force_left:
            self.force()
        self.data_files.append(self.active)
        if self._auto_reclaim:
            self.reclaim()
        self._take_file()

    def _record(self, op: Operation) -> dict[str, Any]:
        name = str(op["op"])
        kind = self.dialect.kinds.get(self.dialect.codes.get(RECORD_OPS[name], -1))
        if kind is None:
            raise WriterRefused("unencodable", f"edition {self.dialect.name} has no {RECORD_OPS[name]}")
        record = JournalRecord(
            0,
            0,
            kind,
            tx=int(op.get("tx", "0")),
            id=int(op.get("id", "0")),
            user_type=int(op.get("user_type", "0")) & 0xFF,
            body=bytes.fromhex(op.get("body", "")),
            extra=bytes.fromhex(op.get("extra", "")),
        )
        self._refuse(record)
        off, size = self._append(record)
        wanted = str(op.get("sync", "true" if self._sync and (not kind.tx or not kind.id) else "false"))
        if wanted == "true":
            self.force()
        return {"durable": wanted == "true", "file": self.active.name, "off": off, "len": size}

    def _refuse(self, record: JournalRecord) -> None:
        """Raise WriterRefused for operations that cannot be written, before any byte has changed."""
        kind, ledger = record.kind, self.ledger
        if record.body and not kind.body:
            raise WriterRefused("unencodable", f"a {kind.name} of edition {self.dialect.name} has no body")
        if record.extra and not self.dialect.prepare_extra:
            raise WriterRefused("unencodable", f"a PREPARE of edition {self.dialect.name} has no extra data")
        if kind.name in ("UPDATE", "DELETE") and record.id not in ledger.holders:
            raise WriterRefused("unknown-record", f"no record {record.id}")
        may_be_empty = kind.name == "PREPARE" and self.dialect.prepare_extra
        if not kind.id and record.tx not in ledger.pending and not may_be_empty:
            raise WriterRefused("unknown-transaction", f"no transaction {record.tx}")

    def _append(self, record: JournalRecord) -> tuple[int, int]:
        """Write one record into the current file. If the record does not fit, write it into the next file
        (JBM-WRT).
        """
        data = self.encoded(record, self.ledger, self.active)
        room = self.file_size - self.first_offset
        if len(data) > room:
            raise WriterRefused("does-not-fit", f"a record of {len(data)} bytes; a file takes {room}")
        if self._position + len(data) > self.file_size:
            self.roll()
            # The counts and the stamp depend on the file, so the record is encoded again.
            data = self.encoded(record, self.ledger, self.active)
        off = self._position
        padded = data.ljust(self.aligned(len(data)), b"\0")
        self.storage.write(self.active.name, off, padded)
        self._position = off + len(padded)
        self.ledger.take(self.active, record)
        return off, len(data)

    def encoded(self, record: JournalRecord, ledger: Ledger, usage: Usage) -> bytes:
        """Return the bytes of `record` in the file `usage`; a COMMIT or PREPARE gets its counts."""
        if record.kind.ends:
            counts = ledger.pending.get(record.tx, Pending()).counts()
            pairs = tuple(sorted((holder.file_id, count) for holder, count in counts.items()))
            record = record._replace(pairs=pairs, tally=counts[usage])
        return codec.encode_record(record, self.dialect, self.dialect.stamp(usage.file_id))

    def force(self) -> None:
        """Make the current file durable.

        If the order includes it, :meth:`roll` performs an fsync of earlier files.
        """
        self.storage.sync(self.active.name)

    def reclaim(self) -> None:
        """Move every data file that can be used again to the end of the free list."""
        everything = [*self.data_files, *([] if self.active in self.data_files else [self.active])]
        for usage in Ledger.reusable(everything):
            if usage in self.data_files and usage is not self.active:
                self.data_files.remove(usage)
                self.free.append(self._fresh(usage.name))

    def close(self) -> None:
        """Perform an fsync of the current file, if the order includes it.

        Afterwards no operation but `open` is possible.
        """
        if self.order.force_left:
            self.force()
        self.current = None

    def _step(self, op: Operation) -> dict[str, Any]:
        """Perform an operation on files."""
        steps: dict[str, tuple[Callable[[], None], bool]] = {
            "force": (self.force, True),
            "next": (self.roll, self.order.force_left),
            "reclaim": (self.reclaim, False),
            "compact": (partial(compact, self), True),
            "close": (self.close, self.order.force_left),
        }
        step, durable = steps[op["op"]]
        step()
        return {"durable": durable} | ({"file": self.active.name} if step == self.force else {})


def compact(writer: JournalWriter) -> None:
    """Copy the live records of all full files into new files, which then replace the full ones.

    The journal consists of the old files until the control file is durable, and of the new files afterwards.
    Records are copied in the order of delivery. Records of finished transactions become plain records;
    rejected transactions are not copied (JBM-CMP). Raises ValueError in editions without compaction. Raises
    WriterRefused if the live records need more files than before; in that case, the only change is the step
    to the next file.
    """
    if not writer.dialect.control_file:
        raise ValueError(f"edition {writer.dialect.name} has no compaction")
    writer.roll()
    old = list(writer.data_files)
    if not old:
        return
    full, ledger = _packed(writer, _surviving(writer), old[0].file_id)
    if any(usage.file_id >= writer.active.file_id for usage, _ in full):
        raise WriterRefused("does-not-fit", "the live records need more files than they came from")
    for usage, data in full:
        usage.name = writer.create_file(writer.next_id(), ".cmp", header_id=usage.file_id)
        if writer.order.whole_output:
            whole = (writer.header(usage.file_id) + data).ljust(writer.file_size, b"\0")
            writer.storage.write(usage.name, 0, whole)
        else:
            writer.storage.write(usage.name, writer.first_offset, data)
        writer.storage.sync(usage.name)
    _switch(writer, old, [usage for usage, _ in full])
    writer.ledger = ledger


def _surviving(writer: JournalWriter) -> Iterator[JournalRecord]:
    """Yield the records that a compaction copies."""
    kinds, codes = writer.dialect.kinds, writer.dialect.codes
    for _, record in writer.ledger.live.values():
        plain = kinds[codes["UPDATE" if record.kind.name.startswith("UPDATE") else "ADD"]]
        count = min(record.compact_count + 1, MAX_COMPACT_COUNT)
        yield record._replace(kind=plain, tx=0, compact_count=count)
    for pending in writer.ledger.pending.values():
        # Only records that add or change a record have a count of compactions (JBM-CMP-014).
        for _, record in pending.records:
            yield record._replace(compact_count=0) if record.kind.name == "DELETE_TX" else record
        if pending.prepare is not None:
            yield pending.prepare._replace(compact_count=0)


def _packed(
    writer: JournalWriter, records: Iterable[JournalRecord], first_id: int
) -> tuple[list[tuple[Usage, bytes]], Ledger]:
    """Return two values: files packed with `records`, each with the bytes after its header, and the ledger of
    these files.

    The ids of the files start at `first_id`. The files have no names yet.
    """
    ledger, usage, data = Ledger(), Usage(first_id, ""), bytearray()
    full: list[tuple[Usage, bytes]] = []
    for record in records:
        piece = writer.encoded(record, ledger, usage)
        if data and len(data) + len(piece) > writer.file_size - writer.first_offset:
            full.append((usage, bytes(data)))
            usage, data = Usage(usage.file_id + 1, ""), bytearray()
            piece = writer.encoded(record, ledger, usage)
        data += piece.ljust(writer.aligned(len(piece)), b"\0")
        ledger.take(usage, record)
    return [*full, (usage, bytes(data))] if data else full, ledger


def _switch(writer: JournalWriter, old: list[Usage], new: list[Usage]) -> None:
    """Replace the old files with the new ones. Each step is durable before the next one (JBM-CMP-010)."""
    storage = writer.storage
    _write_control(writer, [usage.name for usage in old], [usage.name for usage in new])
    for usage in old:
        storage.unlink(usage.name)
    writer.names_changed()
    for usage in new:
        final = usage.name.removesuffix(".cmp")
        storage.rename(usage.name, final)
        usage.name = final
    writer.names_changed()
    # A name in the control file may be used again only after the control file was deleted.
    storage.unlink(CONTROL)
    writer.names_changed()
    writer.data_files = new


def _write_control(writer: JournalWriter, old: list[str], new: list[str]) -> None:
    dialect, storage = writer.dialect, writer.storage
    lists = {"old_names": old, "new_names": new}
    rows = {title: [{"name": mutf8.encode(name)} for name in names] for title, names in lists.items()}
    body = LAYOUT.build("control", dialect.name, **rows)
    record = JournalRecord(0, 0, dialect.kinds[dialect.codes["ADD"]], id=CONTROL_ID, body=body)
    temporary = CONTROL + ".tmp" if writer.order.staged_control else CONTROL
    storage.create(temporary)
    writer.stamp(temporary, dialect.control_id)
    data = codec.encode_record(record, dialect, dialect.stamp(dialect.control_id))
    storage.write(temporary, writer.first_offset, data)
    storage.sync(temporary)
    if writer.order.staged_control:
        storage.rename(temporary, CONTROL)
    writer.names_changed()


def _number(name: str) -> int:
    """Return the number in a file's name, because no new file may have the same number (JBM-FIL-007)."""
    match = fileset.NAME.match(name)
    return int(match["number"]) if match else 0
