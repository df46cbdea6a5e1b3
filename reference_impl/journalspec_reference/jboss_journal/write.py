"""Writing the journal: files used in turn and again, records that never span them (JBM-WRT, JBM-CMP).

The order of writes and forces is a table. ``spec`` is the order that keeps every
promise; the others follow the products as traced, defects included, so that their
crash states can be enumerated.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from journalspec import mutf8
from journalspec_reference.api import Operation, Params, WriterRefused, perform
from journalspec_reference.checksums import direct
from journalspec_reference.jboss_journal.codec import (
    DIALECTS,
    INT,
    LONG_HEADER,
    Dialect,
    JournalRecord,
    encode_record,
)
from journalspec_reference.jboss_journal.fileset import CONTROL
from journalspec_reference.jboss_journal.ledger import Ledger, Loaded, Pending, Usage, load
from journalspec_reference.storage import Storage

FILL_BLOCK = 4096
SMALLEST_FILE = 1024
#: Record type by operation; what is not here is about files, not records.
RECORD_OPS = {
    "add": "ADD",
    "update": "UPDATE",
    "delete": "DELETE",
    "add_tx": "ADD_TX",
    "update_tx": "UPDATE_TX",
    "delete_tx": "DELETE_TX",
    "prepare": "PREPARE",
    "commit": "COMMIT",
    "rollback": "ROLLBACK",
    "event": "EVENT",
}
MAX_COMPACT_COUNT = 127
CONTROL_ID = 1


@dataclass(frozen=True, slots=True)
class Order:
    """When what is written and forced.

    `force_fill` forces a new file once before it has its header. `force_left`
    forces a file before the first record goes into the next one. `force_names`
    forces the directory after files were created, renamed or removed.
    `force_open` ends a start with a force. `staged_control` writes the control
    file under another name and renames it when it is complete. `output` is how a
    compaction comes by a file: ``staged`` under the name that it will have,
    ``bare`` so and still empty, ``renamed`` from a data file made as always.
    `whole_output` then writes header, records and zeros to its end at once.
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


class JournalWriter:
    """A journal open for writing.

    Parameters (all text): `prefix` ("activemq-data"), `extension` ("amq"),
    `file_size` in bytes (10 MiB), `min_files` (2), `alignment` (1), `fill` (hex
    byte, "00"), `user_version` (0), `auto_reclaim` ("true"), `sync` ("true"),
    `order` (a key of ORDERS, default spec).
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self.storage = storage
        self.dialect: Dialect = DIALECTS[edition]
        self.params = params
        order = params.get("order", "spec")
        if order not in ORDERS:
            raise ValueError(f"unknown order {order!r}: expected one of {', '.join(ORDERS)}")
        self.order = ORDERS[order]
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
        self.counter = 0
        #: Ids that no file may get, because a COMMIT or PREPARE lists them.
        self.listed: set[int] = set()
        #: Full files in order, the one that is written to, and those that wait to be used.
        self.data_files: list[Usage] = []
        self.current: Usage | None = None
        self.free: list[Usage] = []
        self._position = 0
        self._handlers: dict[str, Callable[[Operation], dict[str, Any]]] = {
            "open": lambda _: self._open(),
            **dict.fromkeys(RECORD_OPS, self._record),
            "force": lambda _: self._force(),
            "next": lambda _: self._next(),
            "reclaim": lambda _: self._reclaim(),
            "compact": lambda _: self._compact(),
            "close": lambda _: self._close(),
        }

    @property
    def first_offset(self) -> int:
        """Where the first record of a file goes: behind the header's block."""
        return self.aligned(self.dialect.header_size)

    def aligned(self, offset: int) -> int:
        """Return `offset` rounded up to the alignment."""
        return -(-offset // self._alignment) * self._alignment

    def apply(self, op: Operation) -> dict[str, Any]:
        """Do one operation: open, a key of RECORD_OPS, force, next, reclaim, compact or close."""
        return perform(self._handlers, op, self.current is not None)

    def _open(self) -> dict[str, Any]:
        loaded = load(
            self.storage, self.dialect, {"extension": self.extension, **self.params}, self.order.force_names
        )
        self._adopt(loaded)
        while len(self.data_files) + len(self.free) + 1 < self._min_files:
            file_id = self.next_id()
            self.free.append(Usage(file_id, self.create_file(file_id)))
        assert self.current is not None  # _adopt chose one
        for tx in loaded.unfinished:
            self._append(JournalRecord(0, 0, self.dialect.kinds[19], tx=tx))
            self.ledger.rollback(self.current, tx)
        if self.order.force_open or loaded.unfinished:
            self.storage.sync(self.current.name)
        return {"durable": True, "file": self.current.name}

    def _adopt(self, loaded: Loaded) -> None:
        self.ledger, self.counter, self.listed = loaded.ledger, loaded.counter, loaded.listed
        used = [
            usage
            for usage in loaded.files
            if loaded.ends[usage] > self.dialect.header_size or usage in loaded.pinned
        ]
        self.free = [usage for usage in loaded.files if usage not in used]
        self.data_files = used[:-1]
        if used:
            self.current = used[-1]
            self._position = max(self.aligned(loaded.ends[used[-1]]), self.first_offset)
        else:
            self._take_file()

    def next_id(self) -> int:
        """Return the next file id: greater than every one in use, and none that is listed (JBM-FIL-008)."""
        self.counter += 1
        while self.counter in self.listed:
            self.counter += 1
        return self.counter

    def create_file(self, file_id: int, suffix: str = "", header_id: int | None = None) -> str:
        """Fill a new file, give it its header, make it durable, then give it its name.

        The name's number is `file_id`; so is the header's, unless `header_id` differs.
        """
        if suffix and self.order.output == "renamed":
            plain = self.create_file(file_id, header_id=header_id)
            self.storage.sync(plain)
            self.storage.rename(plain, plain + suffix)
            return plain + suffix
        name = f"{self.prefix}-{file_id}.{self.extension}{suffix}"
        temporary = name + ".tmp"
        if temporary in self.storage.names():
            self.storage.unlink(temporary)
        self.storage.create(temporary)
        if not (suffix and self.order.output == "bare"):
            self._prepare(temporary, file_id if header_id is None else header_id)
        self.storage.rename(temporary, name)
        self.names_changed()
        return name

    def _prepare(self, name: str, header_id: int) -> None:
        for at in range(0, self.file_size, FILL_BLOCK):
            self.storage.write(name, at, self._fill * min(FILL_BLOCK, self.file_size - at))
        if self.order.force_fill:
            self.storage.sync(name)
        self.stamp(name, header_id)

    def names_changed(self) -> None:
        """Make names durable, in orders that do."""
        if self.order.force_names:
            self.storage.sync_dir()

    def header(self, file_id: int) -> bytes:
        """Return the header of a file, up to where its first record goes."""
        if self.dialect.versions:
            header = LONG_HEADER.pack(self.dialect.versions[-1], self._user_version, file_id)
        else:
            header = INT.pack(file_id)
        return header.ljust(self.first_offset, b"\0")

    def stamp(self, name: str, file_id: int) -> None:
        """Write the header of a new or reused file and make it durable before any record (JBM-WRT)."""
        self.storage.write(name, 0, self.header(file_id))
        self.storage.sync(name)

    def _take_file(self) -> None:
        """Make a free or a new file the current one; its id is greater than those of all before it."""
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
        """Give a file that nothing needs a new id: from then on its old records are stale."""
        usage = Usage(self.next_id(), name)
        self.stamp(name, usage.file_id)
        return usage

    def roll(self) -> None:
        """Leave the current file, durable as it is, for the next one."""
        assert self.current is not None  # apply saw to it
        if self.order.force_left:
            self.storage.sync(self.current.name)
        self.data_files.append(self.current)
        if self._auto_reclaim:
            self._reclaim()
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
        assert self.current is not None  # _append left one
        self.ledger.take(self.current, record)
        wanted = str(op.get("sync", "true" if self._sync and (not kind.tx or not kind.id) else "false"))
        if wanted == "true":
            self._force()
        return {"durable": wanted == "true", "file": self.current.name, "off": off, "len": size}

    def _refuse(self, record: JournalRecord) -> None:
        """Raise for what cannot be written, before a byte has changed."""
        kind, ledger = record.kind, self.ledger
        if record.body and not kind.body:
            raise WriterRefused("unencodable", f"a {kind.name} of edition {self.dialect.name} has no body")
        if record.extra and not self.dialect.prepare_extra:
            raise WriterRefused("unencodable", f"a PREPARE of edition {self.dialect.name} has no extra data")
        if kind.name in ("UPDATE", "DELETE") and record.id not in ledger.holders:
            raise WriterRefused("unknown-record", f"no record {record.id}")
        if kind.tx and not kind.id and record.tx not in ledger.pending and not self._may_be_empty(record):
            raise WriterRefused("unknown-transaction", f"no transaction {record.tx}")

    def _may_be_empty(self, record: JournalRecord) -> bool:
        return record.kind.name == "PREPARE" and self.dialect.prepare_extra

    def _append(self, record: JournalRecord) -> tuple[int, int]:
        """Write one record into the current file or, if it does not fit, the next (JBM-WRT)."""
        data = self._encode(record)
        room = self.file_size - self.first_offset
        if len(data) > room:
            raise WriterRefused("does-not-fit", f"a record of {len(data)} bytes; a file takes {room}")
        if self._position + len(data) > self.file_size:
            self.roll()
            # The counts and the stamp are those of the file that the record is in.
            data = self._encode(record)
        assert self.current is not None  # apply saw to it
        off = self._position
        padded = data.ljust(self.aligned(len(data)), b"\0")
        self.storage.write(self.current.name, off, padded)
        self._position = off + len(padded)
        return off, len(data)

    def _encode(self, record: JournalRecord) -> bytes:
        assert self.current is not None  # apply saw to it
        if record.kind.ends:
            counts = self.ledger.pending.get(record.tx, Pending()).counts()
            pairs = tuple(sorted((usage.file_id, count) for usage, count in counts.items()))
            record = record._replace(pairs=pairs, tally=counts.get(self.current, 0))
        return encode_record(record, self.dialect, self.dialect.stamp(self.current.file_id), direct)

    def _force(self) -> dict[str, Any]:
        """Make the current file durable; the ones before it were when they were left."""
        assert self.current is not None  # apply saw to it
        self.storage.sync(self.current.name)
        return {"durable": True, "file": self.current.name}

    def _next(self) -> dict[str, Any]:
        self.roll()
        return {"durable": True}

    def _reclaim(self) -> dict[str, Any]:
        """Put every data file that nothing needs any more at the end of the free list."""
        assert self.current is not None  # apply saw to it
        everything = [*self.data_files, *([] if self.current in self.data_files else [self.current])]
        for usage in Ledger.reusable(everything):
            if usage in self.data_files and usage is not self.current:
                self.data_files.remove(usage)
                self.free.append(self._fresh(usage.name))
        return {"durable": False}

    def _compact(self) -> dict[str, Any]:
        compact(self)
        return {"durable": True}

    def _close(self) -> dict[str, Any]:
        if self.order.force_left:
            self._force()
        self.current = None
        return {"durable": self.order.force_left}


def compact(writer: JournalWriter) -> None:
    """Copy the live records of all full files into new ones and let these take their place.

    Until the control file is durable the old files count, from then on the new
    ones; recovery needs nothing else. Records come out in the order of delivery,
    those of finished transactions as plain ones; rejected transactions do not
    come out at all (JBM-CMP). Raises ValueError in editions without compaction, and
    WriterRefused if what lives needs more files than it came from; then the current
    file has been left, and nothing else has been done.
    """
    if not writer.dialect.control_file:
        raise ValueError(f"edition {writer.dialect.name} has no compaction")
    writer.roll()
    old = list(writer.data_files)
    if not old:
        return
    output = _Output(writer, old[0].file_id)
    for _, record in writer.ledger.live.values():
        output.add(_older(record, writer.dialect))
    for pending in writer.ledger.pending.values():
        for _, record in pending.records:
            output.add(record)
        if pending.prepare is not None:
            output.add(pending.prepare)
    output.write()
    _switch(writer, old, output)


def _older(record: JournalRecord, dialect: Dialect) -> JournalRecord:
    plain = dialect.kinds[dialect.codes["UPDATE" if record.kind.name.startswith("UPDATE") else "ADD"]]
    return record._replace(kind=plain, tx=0, compact_count=min(record.compact_count + 1, MAX_COMPACT_COUNT))


class _Output:
    """The new files: records are packed into as few as possible, ids follow the first old one's."""

    def __init__(self, writer: JournalWriter, first_id: int) -> None:
        self._writer = writer
        self._file = Usage(first_id, "")
        self._data = bytearray()
        self._full: list[tuple[Usage, bytes]] = []
        self.files: list[Usage] = []
        self.ledger = Ledger()

    def add(self, record: JournalRecord) -> None:
        """Put one record into the current output file, or the next."""
        writer = self._writer
        data = self._encode(record)
        if len(self._data) + len(data) > writer.file_size - writer.first_offset:
            self._next()
            data = self._encode(record)
        self._data += data.ljust(writer.aligned(len(data)), b"\0")
        self.ledger.take(self._file, record)

    def _encode(self, record: JournalRecord) -> bytes:
        if record.kind.ends:
            pending = self.ledger.pending.get(record.tx, Pending())
            record = record._replace(tally=pending.counts().get(self._file, 0))
        dialect = self._writer.dialect
        return encode_record(record, dialect, dialect.stamp(self._file.file_id), direct)

    def _next(self) -> None:
        """Take the current output file for full; the next gets the next id."""
        if self._data:
            self._full.append((self._file, bytes(self._data)))
            self._file, self._data = Usage(self._file.file_id + 1, ""), bytearray()

    def write(self) -> None:
        """Write all output files, durable, under their .cmp names; raises WriterRefused before the first."""
        self._next()
        writer = self._writer
        assert writer.current is not None  # the writer is open
        if any(usage.file_id >= writer.current.file_id for usage, _ in self._full):
            raise WriterRefused("does-not-fit", "the live records need more files than they came from")
        for usage, data in self._full:
            usage.name = writer.create_file(writer.next_id(), ".cmp", header_id=usage.file_id)
            if writer.order.whole_output:
                whole = (writer.header(usage.file_id) + data).ljust(writer.file_size, b"\0")
                writer.storage.write(usage.name, 0, whole)
            else:
                writer.storage.write(usage.name, writer.first_offset, data)
            writer.storage.sync(usage.name)
            self.files.append(usage)


def _switch(writer: JournalWriter, old: list[Usage], output: _Output) -> None:
    """Make the new files the journal's, in the order that a crash at any point survives."""
    storage = writer.storage
    _write_control(writer, [usage.name for usage in old], [usage.name for usage in output.files])
    for usage in old:
        storage.unlink(usage.name)
    for usage in output.files:
        final = usage.name.removesuffix(".cmp")
        storage.rename(usage.name, final)
        usage.name = final
    writer.names_changed()
    # Only when the control file is gone may a name that it lists be used again.
    storage.unlink(CONTROL)
    writer.names_changed()
    writer.data_files, writer.ledger = output.files, output.ledger


def _write_control(writer: JournalWriter, old: list[str], new: list[str]) -> None:
    dialect, storage = writer.dialect, writer.storage
    body = b"".join(_name_list(names) for names in (old, new, []))
    record = JournalRecord(0, 0, dialect.kinds[dialect.codes["ADD"]], id=CONTROL_ID, body=body)
    temporary = CONTROL + ".tmp" if writer.order.staged_control else CONTROL
    storage.create(temporary)
    writer.stamp(temporary, dialect.control_id)
    data = encode_record(record, dialect, dialect.stamp(dialect.control_id), direct)
    storage.write(temporary, writer.first_offset, data)
    storage.sync(temporary)
    if writer.order.staged_control:
        storage.rename(temporary, CONTROL)
    writer.names_changed()


def _name_list(names: list[str]) -> bytes:
    parts = [INT.pack(len(names))]
    for name in names:
        text = mutf8.encode(name)
        parts += [struct.pack(">H", len(text)), text]
    return b"".join(parts)
