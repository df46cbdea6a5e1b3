"""Writes rows of two tables, in groups after a checksum record, in the product's order (DRB-WRT).

The tables are those of the test suite's database, or of the containers next to the log. Pages are only
tracked, never written. Therefore checkpoints do not advance the redo instant, and every log file remains
necessary.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from struct import Struct
from typing import Any

from journalspec import mutf8
from journalspec.derby_log import LAYOUT
from journalspec.derby_log.operations import body as body_of
from journalspec.derby_log.operations import change_of, databases, row_of
from journalspec.layout import joined
from journalspec_reference.api import Operation, Params, WriterRefused, perform
from journalspec_reference.derby_log.bodies import BITS, EDITIONS, Body, decode
from journalspec_reference.derby_log.codec import CONTROL, HEADER, OVERHEAD, Control, Instant, Refusal
from journalspec_reference.derby_log.fileset import CONTROLS, LARGEST, number_of
from journalspec_reference.derby_log.heap import HeapPage, HeapRow
from journalspec_reference.derby_log.recover import LogPass
from journalspec_reference.derby_log.scan import garbage
from journalspec_reference.derby_log.store import INTERNAL, RowPlace, Transaction
from journalspec_reference.storage import Storage, fill, whole

#: The default intervals (bytes) after which a file ends and a checkpoint is taken, with the bounds of both
#: (DRB-WRT-085).
SWITCH, CHECKPOINT_AFTER, LEAST, MOST = 1048576, 10485760, 100000, 134217728
#: The size of one write in bytes. Records that do not fit into it begin the next write.
BUFFER = 32768
CHECKSUM_RECORD = 37
#: Recovery takes no checkpoint at its end if the log after the redo instant is at most this long (bytes).
_SHORT = 1000
LARGEST_FILE = 268435455
#: Maps an edition to the first number above the permitted file numbers, if this limit differs from the usual
#: one (DRB-REC-154).
_NO_NUMBER = {"10.0": 4194303}
_BODY = Struct(">iq")
_RAWSTORE, _LOCK = BITS["RAWSTORE"], BITS["XA_NEEDLOCK"]
_PAGE, _CLR = _RAWSTORE | _LOCK, _RAWSTORE | _LOCK | BITS["COMPENSATION"]
_FIRST = BITS["FIRST"] | _RAWSTORE
#: The fields that a compensation record copies from the record that it undoes.
_SAME = ("segment", "container", "container_version", "page", "record_id")
_NONE = Instant(0, 0)
_STATUS = {"ABORT": 1, "PREPARE": 2, "COMMIT": 4}
#: The first transaction number of a new log. The creation of the database used the smaller numbers
#: (DRB-DEV-019).
_FIRST_NUMBER = 200
#: Four values: the version of a table's first pages in the initial database, the record id of the first row
#: (which describes the table), and the maximum bytes of rows on a page after an update and after an insert.
_BASE_PAGE, _FIRST_ROW, _ROOM, _FILLED = 2, 6, 32000, 24000
_ROWS_PAGE, _PAGE_SIZE, _UNUSED = 117, 32768, 2
#: The number of bytes that a row needs on its page besides its content.
_SLOT = 16


@dataclass
class _Tx:
    """Represents a named transaction. Its first change assigns its number."""

    number: int | None = None
    branch: Mapping[str, Any] | None = None


class LogWriter:
    """Represents a log open for writing, under the parameters of ``fields.toml``."""

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self._storage, self._edition = storage, edition
        self._interval = _within(params, "log_switch_interval", SWITCH)
        self._checkpoint_after = _within(params, "checkpoint_interval", CHECKPOINT_AFTER)
        self._ahead = params.get("file_sync", "false") != "true"
        self._open_ = False
        self._buffer: list[bytes] = []
        self._size = 0
        self._waiting: list[tuple[int, bytes]] = []
        self._since = 0
        self._known: Mapping[int, Transaction] = {}

    def apply(self, op: Operation) -> dict[str, Any]:
        """Perform one operation of the table ``operations`` in ``fields.toml``."""
        handlers = {
            "open": self._open,
            **dict.fromkeys(("insert", "update", "delete"), self._change),
            "start": self._start,
            **dict.fromkeys(("prepare", "commit", "rollback"), self._complete),
            "decide": self._decide,
            "checkpoint": self._on_checkpoint,
            "close": self._close,
        }
        return perform(handlers, op, self._open_)

    # Opening: recovery, and the writes that recovery requires.

    def _open(self, _: Operation) -> dict[str, Any]:
        if self._edition not in EDITIONS:
            raise ValueError("the bodies of this edition are not defined: they cannot be written")
        storage = self._storage
        self._control = Control(None, *databases()[self._edition].level, 0, 0)
        if not any(number_of(name) or name in CONTROLS for name in storage.names()):
            self._create()
        files = {name: whole(storage, name) for name in storage.names()}
        found = LogPass(files, self._edition, "default")
        try:
            for _batch in found.batches():
                pass  # Only the state at the end is needed.
        except Refusal as refusal:
            raise WriterRefused(refusal.code, str(refusal)) from None
        assert found.last is not None
        file, end = found.last.file, found.last.end
        named = found.chosen.control.checkpoint if found.chosen.control else None
        if named is not None and found.redo_from != _NONE and (file.number, end.off) < named:
            # Durable content follows this end. A writer that continued here would destroy it.
            raise WriterRefused(
                "lost-middle", f"the log ends at {end.off} of {file.name}, before its checkpoint"
            )
        self._store = found.store
        self._known = found.store.transactions
        self._store.find = self._find
        self._kept: dict[int, bytes] = {}
        self._control = found.chosen.control or self._control
        self._redo, self._undo = max(found.redo_from, found.start), found.start
        self._number, self._end = file.number, end.off
        self._since = 0
        # Shorten the checksum record first. If the bytes after the end were filled with zeros before that,
        # the intact part of the group would also be lost.
        if found.last_sum is not None and found.last_sum[0] == self._number:
            self._shorten(*found.last_sum[1:])
        if end.reason or garbage(file.source, end.off) is not None:
            fill(storage, file.name, end.off, file.length)
            storage.sync(file.name)
        later = [name for name in storage.names() if (number_of(name) or 0) > self._number]
        for name in later:
            storage.unlink(name)
        if later:
            storage.sync_dir()
        self._txs: dict[str, _Tx] = {}
        self._places: dict[tuple[str, str], list[RowPlace]] = {}
        self._locks: dict[RowPlace, int] = {}
        losers = self._store.losers()
        for number in losers:
            self._undo_all(number)
        self._index()
        self._open_ = True
        in_one_file = self._redo.number == self._undo.number == self._number
        short = in_one_file and self._end < self._redo.position + _SHORT
        if losers or not short or named is None or found.chosen.invalid or found.redo_from == _NONE:
            self._checkpoint()
        return {"durable": True}

    def _shorten(self, off: int, end: int, covers: int) -> None:
        """Rewrite a checksum record so that it covers only the remaining part of its group."""
        if end + covers > self._end:
            data = self._storage.read(self._name, end, self._end - end)
            self._storage.write(self._name, off, self._sum_of(off, data))
            self._storage.sync(self._name)

    def _sum_of(self, at: int, data: bytes) -> bytes:
        said = {"algorithm": 1, "data_length": len(data), "checksum": zlib.crc32(data)}
        return self._record(at, self._body(None, "CHECKSUM", BITS["CHECKSUM"] | _RAWSTORE, **said))

    def _index(self) -> None:
        for place in self._store.places():
            if found := self._store.row(place):
                self._places.setdefault(found[:2], []).append(place)
        for number in self._store.branches():
            for place in self._store.touched(number):
                self._locks[place] = number

    def _create(self) -> None:
        """Create a log on the pages of an initial database. The first record is a checkpoint."""
        self._number, self._end = 0, 0
        self._next_file()
        self._redo = self._undo = Instant(1, HEADER)
        at = HEADER + self._summed
        self._known = {_FIRST_NUMBER: Transaction(Instant(1, at).packed, INTERNAL, None)}
        begin = self._record(at, self._body(_FIRST_NUMBER, "BEGIN", _FIRST, status=INTERNAL))
        self._buffer = [begin, self._record(at + len(begin), self._checkpoint_body(_FIRST_NUMBER))]
        self._flush(turn=False)
        self._write_control(Instant(1, at + len(begin)))

    # Records and groups.

    @staticmethod
    def _body(number: int | None, name: str, group: int, **fields: Any) -> bytes:
        values = {"operation": name, "group": group, "transaction": number, **fields}
        return joined(body_of(values))

    def _log(self, number: int, name: str, group: int, **fields: Any) -> Instant:
        return self._append(self._body(number, name, group, **fields))

    def _record(self, at: int, body: bytes) -> bytes:
        return _BODY.pack(len(body), self._number << 32 | at) + body + len(body).to_bytes(4, "big")

    @property
    def _summed(self) -> int:
        return CHECKSUM_RECORD if self._edition != "10.0" else 0

    def _append(self, body: bytes) -> Instant:
        """Put a record into the buffer. The change of the record takes effect on the pages immediately
        (DRB-CHK-030).
        """
        size = len(body) + OVERHEAD
        if self._end + self._size + size + self._summed + 4 > LARGEST_FILE:
            self._flush()
            self._next_file()
        if self._buffer and self._size + size > BUFFER:
            self._take_out()
        if not self._buffer:
            self._size = self._summed
        at = self._end + self._size
        self._buffer.append(self._record(at, body))
        self._size += size
        instant = Instant(self._number, at)
        told = decode(body)
        if told.transaction is not None:
            self._kept[instant.packed] = body
            self._store.take(instant.packed, told, 0)
        return instant

    def _take_out(self) -> None:
        """End the group in the buffer. After that, the group waits to be written."""
        data = b"".join(self._buffer)
        if self._summed:
            data = self._sum_of(self._end, data) + data
        self._waiting.append((self._end, data))
        self._end += len(data)
        self._buffer, self._size = [], 0

    def _flush(self, *, turn: bool = True) -> None:
        """Write and fsync all groups, one write each.

        With `turn`, also perform a checkpoint or a switch of files that is due.
        """
        if self._buffer:
            self._take_out()
        for at, data in self._waiting:
            self._storage.write(self._name, at, data)
            self._since += len(data)
        if self._waiting:
            self._storage.sync(self._name)
            self._waiting = []
        if turn and self._since > self._checkpoint_after:
            self._checkpoint()
        elif turn and self._end > self._interval:
            self._next_file()

    @property
    def _name(self) -> str:
        return f"log{self._number}.dat"

    def _next_file(self) -> None:
        """Start the next file, then end the previous file, if there is one (DRB-WRT-082, DRB-WRT-115)."""
        storage, end, previous = self._storage, self._end, Instant(self._number, self._end)
        before = self._name if self._number else ""
        if end == HEADER:
            return
        if self._number + 1 >= _NO_NUMBER.get(self._edition, LARGEST + 1):
            raise WriterRefused("no-more-files", f"{self._name} is full, and no file has a higher number")
        self._number += 1
        name = self._name
        # Later files that do not belong to the log were removed when it was opened.
        storage.create(name)
        link = {"number": self._number, "previous": previous.packed}
        storage.write(name, 0, LAYOUT.build("header", self._edition, **link))
        storage.sync(name)
        storage.sync_dir()
        if before:
            storage.write(before, end, bytes(4))
            storage.sync(before)
        if self._ahead:
            fill(storage, name, HEADER, self._interval)
            storage.sync(name)
        self._end = HEADER

    def _find(self, instant: Instant) -> Body:
        body = self._kept.get(instant.packed)
        if body is None:
            name = f"log{instant.number}.dat"
            length = int.from_bytes(self._storage.read(name, instant.position, 4), "big")
            body = self._storage.read(name, instant.position + _BODY.size, length)
        return decode(body)

    # Checkpoints.

    def _checkpoint_body(self, number: int) -> bytes:
        entries = []
        for other, item in self._known.items():
            at = Instant.unpack(item.first)
            own = {"transaction": {"number": other}, "first": {"file": at.number, "position": at.position}}
            status = _STATUS["PREPARE"] if item.prepared else 0
            entries.append({"entry": {**own, "global_id": item.branch, "status": status}})
        where = {"redo_from": self._redo.packed, "undo_from": self._undo.packed}
        return self._body(number, "CHECKPOINT", _RAWSTORE, **where, has_table=1, table={"entries": entries})

    def _checkpoint(self) -> None:
        """Take a checkpoint: its record, then the control files (DRB-WRT-116, DRB-WRT-081)."""
        self._flush(turn=False)
        if self._end > self._interval:
            self._next_file()
        number = self._store.next
        self._log(number, "BEGIN", _FIRST, status=INTERNAL)
        at = self._append(self._checkpoint_body(number))
        self._flush(turn=False)
        self._end_of(number, "COMMIT")
        self._write_control(at)
        self._since = 0

    def _write_control(self, checkpoint: Instant) -> None:
        control = self._control = self._control._replace(checkpoint=checkpoint)
        said = {**control._asdict(), "checkpoint": checkpoint.packed}
        data = LAYOUT.build("control", self._edition, **said)
        for name in CONTROLS:
            with suppress(FileExistsError):
                self._storage.create(name)
                self._storage.sync_dir()
            self._storage.write(name, 0, data)
            if self._storage.size(name) > CONTROL:
                self._storage.truncate(name, CONTROL)
            self._storage.sync(name)

    def _on_checkpoint(self, _: Operation) -> dict[str, Any]:
        self._checkpoint()
        return {"durable": self._quiet()}

    def _close(self, _: Operation) -> dict[str, Any]:
        for name in [name for name, tx in self._txs.items() if tx.number is not None]:
            self._complete({"op": "rollback", "tx": name})
        self._checkpoint()
        self._flush(turn=False)
        self._open_ = False
        return {"durable": True}

    def _quiet(self) -> bool:
        return not any(tx.number is not None for tx in self._txs.values())

    # Transactions.

    def _begun(self, tx: _Tx) -> int:
        """Return the number of a transaction. If the transaction has no BEGIN record yet, write one
        (DRB-WRT-117).
        """
        if tx.number is None:
            tx.number = self._store.next
            self._log(tx.number, "BEGIN", _FIRST, global_id=tx.branch)
        return tx.number

    def _end_of(self, number: int, word: str) -> None:
        known = self._store.transactions[number]
        group = BITS[word] | _RAWSTORE | (0 if word == "PREPARE" else BITS["LAST"])
        kept = known.changes
        self._log(number, "END", group, global_id=known.branch, status=_STATUS[word])
        if word != "PREPARE":
            for instant in kept:
                self._kept.pop(instant, None)
            self._locks = {place: owner for place, owner in self._locks.items() if owner != number}

    def _undo_all(self, number: int) -> None:
        """Write a transaction's compensation records, the last change first, and its end."""
        self._flush()
        for instant in list(self._store.undoable(number)):
            body = self._find(instant)
            fields = body.fields
            same: dict[str, Any] = {name: fields[name] for name in _SAME if name in fields}
            same |= {"undone": instant.packed}
            if "page_version" not in fields:
                if body.operation.name == "CONTAINER":
                    self._log(number, "CONTAINER_UNDO", _CLR & ~_LOCK, **same)
                continue
            if fields.get("undo") is not None:
                raise WriterRefused(
                    "unencodable", "a row of an index may have moved: it cannot be undone here"
                )
            page = self._store.page(fields["container"], fields["page"])
            if page is None:
                raise WriterRefused("unencodable", "the page of a change to be undone is not known")
            name = "LOGICAL_UNDO" if "undo" in fields else "PHYSICAL_UNDO"
            self._log(number, name, _CLR, page_version=page.version, **same)
        self._end_of(number, "ABORT")

    def _start(self, op: Operation) -> dict[str, Any]:
        gtrid, bqual = _ids(op)
        if max(len(gtrid), len(bqual)) > 64:
            raise WriterRefused("unencodable", "an XA id has two parts of at most 64 bytes")
        branch = {"format_id": 1, "gtrid": gtrid, "bqual": bqual}
        self._txs[op["tx"]] = _Tx(branch=branch)
        return {"durable": False}

    def _complete(self, op: Operation) -> dict[str, Any]:
        tx = self._txs.pop(op.get("tx", ""), None)
        if tx is None:
            raise ValueError(f"there is no transaction {op.get('tx')!r}")
        if op["op"] == "rollback":
            if tx.number is not None:
                self._undo_all(tx.number)
            return {"durable": False}
        if tx.number is not None:
            self._end_of(tx.number, op["op"].upper())
            self._flush()
        return {"durable": self._quiet()}

    def _decide(self, op: Operation) -> dict[str, Any]:
        for number in self._store.branches():
            if self._store.transactions[number].ids[:2] == _ids(op):
                if str(op.get("commit", "true")).lower() == "true":
                    self._end_of(number, "COMMIT")
                else:
                    self._undo_all(number)
                self._flush()
                return {"durable": self._quiet()}
        raise ValueError("no prepared branch has this id")

    # Rows.

    def _change(self, op: Operation) -> dict[str, Any]:
        names = {name: container for container, name in self._store.tables.items()}
        if op.get("table") not in names:
            raise ValueError(f"there is no table {op.get('table')!r}")
        container, key, name = names[op["table"]], int(op["key"]), op.get("tx", "")
        value = mutf8.encode(str(op.get("value", "")))
        if not -(1 << 31) <= key < 1 << 31 or len(value) > _FILLED:
            raise WriterRefused("unencodable", f"a key has 31 bits, a value at most {_FILLED} bytes")
        tx = self._txs.setdefault(name, _Tx()) if name else _Tx()
        if op["op"] == "insert":
            self._insert(tx, container, key, value)
        else:
            for place in list(self._places.get((op["table"], str(key)), ())):
                if self._store.row(place) is not None:
                    self._alter(tx, place, key, value if op["op"] == "update" else None)
        if name:
            return {"durable": False}
        if tx.number is not None:
            self._end_of(tx.number, "COMMIT")
            self._flush()
        return {"durable": True}

    def _page(self, container: int, number: int) -> HeapPage:
        """Return a page of a table. It is loaded from the initial database if no newer version is known."""
        store = self._store
        known = store.page(container, number)
        if known is None:
            known = store.add((container, number), HeapPage(_BASE_PAGE))
        if number == 1 and _FIRST_ROW not in known.rows and container not in store.containers:
            # The log has no record of the first row of a table, which takes slot 0.
            known.put(0, _FIRST_ROW, HeapRow([b""]))
        return known

    def _insert(self, tx: _Tx, container: int, key: int, value: bytes) -> None:
        number = max([page for other, page in self._store.pages if other == container], default=0) or 1
        page = self._page(container, number)
        size = len(value) + _SLOT * 2
        if page.slots and _used(page) + size > _FILLED:
            number, page = self._new_page(container, number + 1)
        begun = self._begun(tx)
        # The flags of the first row of a new page state that it continues no other row.
        first = not page.slots
        ident, data = page.next, row_of(page.next, key, value, first=first)
        on = {**_on(container, number, page), "slot": len(page.slots), "record_id": ident}
        self._log(begun, "INSERT", _PAGE, **on, insert_flags=8 if first else 1, data=data)
        place = (container, number, ident)
        self._places.setdefault((self._store.tables[container], str(key)), []).append(place)
        self._locks[place] = begun

    def _new_page(self, container: int, number: int) -> tuple[int, HeapPage]:
        """Allocate a page for a table, in a separate transaction."""
        store = self._store
        begun = self._begun(_Tx())
        page = store.add((container, number), HeapPage(0))
        if (container, 0) not in store.pages:
            found = store.containers.get(container)
            store.add((container, 0), HeapPage((found.version() or 0) if found else _BASE_PAGE))
        made = {"next_record_id": _FIRST_ROW, "page_offset": number * _PAGE_SIZE, "page_format": _ROWS_PAGE}
        self._log(begun, "INIT_PAGE", _PAGE, **made, **_on(container, number, page))
        on = _on(container, 0, store.pages[container, 0])
        self._log(begun, "ALLOC_PAGE", _PAGE, **on, new_page=number, undo_status=_UNUSED)
        self._end_of(begun, "COMMIT")
        return number, page

    def _alter(self, tx: _Tx, place: RowPlace, key: int, value: bytes | None) -> None:
        """Change a row, or (without a value) delete it. A row that becomes too long moves to another page."""
        container, number, ident = place
        begun = self._begun(tx)
        if self._locks.get(place, begun) != begun:
            raise ValueError("another transaction has changed the row")
        self._locks[place] = begun
        page = self._page(container, number)
        row = page.rows[ident]
        on = {**_on(container, number, page), "slot": page.slots.index(ident), "record_id": ident}
        whole_row = row.rest is None and len(row.values) == 2
        if value is None or not whole_row or _used(page) + len(value) > _ROOM:
            self._log(begun, "DELETE", _PAGE, deleted=1, **on)
            if value is not None:
                self._insert(tx, container, key, value)
            return
        self._log(begun, "UPDATE", _PAGE, data=change_of(ident, value, row.values[1]), **on)


def _within(params: Params, name: str, default: int) -> int:
    """Return an interval within its bounds (DRB-WRT-085)."""
    return min(MOST, max(LEAST, int(params.get(name, default))))


def _ids(op: Operation) -> tuple[bytes, bytes]:
    return bytes.fromhex(op["gtrid"]), bytes.fromhex(op.get("bqual", "00"))


def _on(container: int, number: int, page: HeapPage) -> dict[str, Any]:
    return {"segment": 0, "container": container, "page": number, "page_version": page.version}


def _used(page: HeapPage) -> int:
    """Return the approximate number of bytes of a page that rows occupy.

    Undone rows are included, because they can need this space again.
    """
    return sum(_SLOT + row.room for row in page.rows.values())
