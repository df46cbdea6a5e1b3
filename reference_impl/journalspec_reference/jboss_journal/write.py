"""Writing the journal: files used in turn and again, records that never span them (JBM-WRT)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from journalspec_reference.api import Params, WriterRefused
from journalspec_reference.jboss_journal import compact
from journalspec_reference.jboss_journal.codec import INT, LONG_HEADER, JournalRecord, encode_record
from journalspec_reference.jboss_journal.dialect import DIALECTS, Dialect
from journalspec_reference.jboss_journal.digest import direct
from journalspec_reference.jboss_journal.ledger import Ledger, Pending, Usage
from journalspec_reference.jboss_journal.loading import Loaded, load
from journalspec_reference.jboss_journal.orders import get_order
from journalspec_reference.storage import Storage

Operation = Mapping[str, Any]
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
        self.order = get_order(params.get("order", "spec"))
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
        self._file_ops: dict[str, Callable[[], dict[str, Any]]] = {
            "force": self._force,
            "next": self._next,
            "reclaim": self._reclaim,
            "compact": self._compact,
            "close": self._close,
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
        name = str(op.get("op"))
        if name == "open":
            return self._open()
        if self.current is None:
            raise ValueError("the journal is not open")
        if name in RECORD_OPS:
            return self._record(name, op)
        if name in self._file_ops:
            return self._file_ops[name]()
        known = ", ".join(["open", *RECORD_OPS, *self._file_ops])
        raise ValueError(f"unknown operation {name!r}: expected one of {known}")

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

    def _record(self, name: str, op: Operation) -> dict[str, Any]:
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
        self._account(record)
        wanted = str(op.get("sync", "true" if self._sync and (not kind.tx or not kind.id) else "false"))
        if wanted == "true":
            self._force()
        assert self.current is not None  # _append left one
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

    def _account(self, record: JournalRecord) -> None:
        assert self.current is not None  # apply saw to it
        name, ledger, usage = record.kind.name, self.ledger, self.current
        if name in ("ADD", "UPDATE"):
            ledger.put(usage, record)
        elif name == "DELETE":
            ledger.delete(usage, record.id)
        elif name == "PREPARE":
            ledger.prepare(usage, record)
        elif name == "COMMIT":
            ledger.commit(usage, record.tx)
        elif name == "ROLLBACK":
            ledger.rollback(usage, record.tx)
        elif record.kind.tx:
            ledger.touch(usage, record)

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
        compact.run(self)
        return {"durable": True}

    def _close(self) -> dict[str, Any]:
        if self.order.force_left:
            self._force()
        self.current = None
        return {"durable": self.order.force_left}
