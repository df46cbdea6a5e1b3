"""Writes three kinds of journals: the disk journal with tail pointer and swap, the seed's bare records, and
generations of the NIO journal.

Each order of writes and fsyncs of the disk journal has a name. ``spec`` obeys every writer rule (BTM-WRT,
BTM-SWP). The other orders are those of the traced products, with their defects, such as omitted steps. With
them, the crash states of these products can be enumerated.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from journalspec.bitronix_tlog import LAYOUT
from journalspec.observation import Record
from journalspec_reference.api import Operation, Params, WriterRefused, order_of, perform
from journalspec_reference.batches import Memory
from journalspec_reference.bitronix_tlog import codec, nio
from journalspec_reference.bitronix_tlog.codec import DISK, HEADER_SIZE, POSITION_AT, STATE_AT, TIMESTAMP_AT
from journalspec_reference.bitronix_tlog.fileset import LogFile, examine, load_pair, refusal
from journalspec_reference.bitronix_tlog.recover import COMMITTING, Log, recover
from journalspec_reference.storage import Storage, fill, whole

DEFAULT_LENGTH = HEADER_SIZE + 2 * 1024 * 1024
NIO_LENGTH = 6 * 1024 * 1024
NIO_FILL = b"\x20"
NO_TRANSACTION = codec.STATUS_CODES["NO_TRANSACTION"]
CLEAN, UNCLEAN = bytes([codec.STATE_CLEAN]), bytes([codec.STATE_UNCLEAN])
#: The orders of writes, as values of the parameter `order`.
ORDERS = {order: order for order in ("spec", "2.1.4", "3.0")}


class Clock:
    """The clock and the sequence numbers of one writer (BTM-WRT).

    Parameters: `clock` (first value in ms; the system's time if absent),
    `clock_step` (ms added per reading, default 1), `sequence` (first number,
    default 1).
    """

    def __init__(self, params: Params) -> None:
        self._now = int(params["clock"]) if "clock" in params else None
        self._step = int(params.get("clock_step", "1"))
        self._sequence = int(params.get("sequence", "1"))

    def now(self) -> int:
        """Return the time in ms. With a `clock`, each reading is one step later than the previous one."""
        if self._now is None:
            return time.time_ns() // 1_000_000
        self._now += self._step
        return self._now - self._step

    def next_sequence(self) -> int:
        """Return the next sequence number. It is unbounded; the codec reduces it to 32 bits."""
        self._sequence += 1
        return self._sequence - 1


def entry(op: Operation) -> tuple[int, bytes, tuple[bytes, ...]]:
    """Return (status, gtrid, names) of a ``log`` operation.

    In the operation, ``type`` is the spec's name of the status; for any other status, ``status`` is its
    number. ``gtrid`` is hex; ``names`` is a list of texts. Raises ValueError on a malformed operation and
    WriterRefused (unencodable) on a name that is not ASCII.
    """
    kind = op.get("type", "OTHER")
    status = codec.STATUS_CODES.get(kind, op.get("status"))
    if status is None:
        raise ValueError(f"unknown record type {kind!r} and no status")
    number, gtrid = int(status), bytes.fromhex(op["gtrid"])
    try:
        names = tuple(str(name).encode("ascii") for name in op.get("names", ()))
    except UnicodeEncodeError as error:
        raise WriterRefused("unencodable", f"a unique name is not ASCII: {error.object!r}") from None
    return number, gtrid, names


class _Writer:
    """The common part of the writers for all editions.

    It has the operations by name, and one current file.
    """

    framing = DISK

    def __init__(self, storage: Storage, params: Params, name: str) -> None:
        self._storage = storage
        self._name = params.get("files", name)
        self._clock = Clock(params)
        #: The file that the writer writes to. It is empty unless the journal is open.
        self._active = ""
        self._position = 0
        self._handlers = {name: getattr(self, f"_{name}") for name in ("open", "log", "force", "close")}

    def apply(self, op: Operation) -> dict[str, Any]:
        """Perform one operation: open, log (type, gtrid, names), force or close."""
        return perform(self._handlers, op, bool(self._active))

    def _log(self, op: Operation) -> dict[str, Any]:
        return self._append(self._encode(*entry(op)))

    def _encode(self, status: int, gtrid: bytes, names: tuple[bytes, ...]) -> bytes:
        """Return the bytes of a new record. Raises WriterRefused (unencodable)."""
        now, number = self._clock.now(), self._clock.next_sequence()
        try:
            return codec.encode(status, gtrid, names, now, number, self.framing)
        except ValueError as error:
            raise WriterRefused("unencodable", str(error)) from None

    def _append(self, data: bytes) -> dict[str, Any]:
        """Write a record at the position, and advance the position."""
        at = self._position
        self._storage.write(self._active, at, data)
        self._position = at + len(data)
        return {"durable": False, "file": self._active, "off": at, "len": len(data)}

    def _force(self, op: Operation) -> dict[str, Any]:
        self._storage.sync(self._active)
        return {"durable": True, "file": self._active}

    def _close(self, op: Operation) -> dict[str, Any]:
        self._force(op)
        self._active = ""
        return {"durable": True}


class DiskWriter(_Writer):
    """A pair of log files open for writing.

    Parameters (all text): `files` ("btm1.tlog,btm2.tlog"), `file_length` in
    bytes (2 MiB + 21), `order` (a key of ORDERS, default spec), `eager` (true:
    every record is visible as soon as it is logged, even without an fsync), and those
    of :class:`.Clock`. An existing pair keeps its length.
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        super().__init__(storage, params, "btm1.tlog,btm2.tlog")
        self._names = self._name.split(",")
        self._order = order_of(ORDERS, params)
        #: Whether the earlier steps are made durable before each step.
        self._careful = self._order == "spec"
        #: Whether a new tail stays in memory until an fsync has made the records durable. If so, a stored
        #: tail never covers bytes that may not be on the disk (BTM-WRT-006).
        self._lazy = self._careful and params.get("eager") != "true"
        # In 2.1 a record must end before the end of the file; in 3.0 it can end there (BTM-WRT-008, -009).
        self._spare = 0 if self._order == "3.0" or (self._careful and edition == "3.0") else 1
        self._length = int(params.get("file_length", str(DEFAULT_LENGTH)))
        self._passive = ""
        self._position = self._written_position = HEADER_SIZE
        self._timestamp = 0

    def _open(self, op: Operation) -> dict[str, Any]:
        present = [name for name in self._names if name in self._storage.names()]
        if not present:
            self._create()
        pair = load_pair({name: whole(self._storage, name) for name in present or self._names})
        problem = refusal(pair)
        if problem is not None:
            raise WriterRefused(problem.code or "", problem.message)
        active = next(file for file in pair if file.role == "active")
        # No records are appended to a log that recovery refuses, because a reader would not find records
        # after a damaged one (invariant I9).
        self._sound(active)
        self._active = active.name
        self._passive = next(file.name for file in pair if file.name != active.name)
        self._length = max(file.length for file in pair)
        self._position = self._written_position = active.limit
        self._timestamp = max(file.timestamp for file in pair)
        # The state of the header is made durable before the first record. Otherwise, the journal would still
        # be marked as closed (BTM-WRT-010).
        self._storage.write(self._active, STATE_AT, UNCLEAN)
        return super()._force(op)

    @staticmethod
    def _sound(file: LogFile) -> Log:
        """Return the log of a file; raises WriterRefused at the first damage."""
        log = Log(file, strict=True)
        if log.fault is not None:
            start, _, reason, why = log.fault
            raise WriterRefused(reason, f"{file.name}: damaged at {start}: {why}")
        return log

    def _create(self) -> None:
        """Create both files, the second file first. Therefore the first file is newer and active
        (BTM-FIL-013).
        """
        if self._length < HEADER_SIZE:
            text = f"file_length {self._length} is below the header's {HEADER_SIZE}"
            raise WriterRefused("does-not-fit", text)
        newest = -(1 << 63)
        for name in reversed(self._names):
            self._storage.create(name)
            now = self._clock.now()
            newest = max(now, newest + 1) if self._careful else now
            header = codec.encode_header(newest, codec.STATE_CLEAN, HEADER_SIZE)
            step = len(header) if self._careful else 1
            for at in range(0, len(header), step):
                self._storage.write(name, at, header[at : at + step])
            fill(self._storage, name, HEADER_SIZE, self._length)
            if self._careful:
                self._storage.sync(name)
        if self._careful:
            self._storage.sync_dir()

    def _log(self, op: Operation) -> dict[str, Any]:
        data = self._encode(*entry(op))
        room = self._length - self._spare - len(data)
        if self._position > room:
            copies = [*self._dangling()]
            needed = sum(map(len, copies))
            if HEADER_SIZE + needed > room:
                kept = f"{needed} bytes of unfinished transactions in a file of {self._length}"
                raise WriterRefused("does-not-fit", f"{len(data)} bytes do not fit behind {kept}")
            self._swap(copies)
        done = self._append(data)
        if not self._lazy:
            self._write_position()
        return done

    def _write_position(self) -> None:
        self._put(self._active, POSITION_AT, self._position)
        self._written_position = self._position

    def _put(self, name: str, at: int, value: int) -> None:
        self._storage.write(name, at, codec.LONG.pack(value))

    def _force(self, op: Operation) -> dict[str, Any]:
        """Make every logged record and a tail that covers it durable (BTM-WRT-005)."""
        done = super()._force(op)
        if self._position != self._written_position:
            self._write_position()
            self._storage.sync(self._active)
        return done

    def _dangling(self) -> Iterator[bytes]:
        """Yield the decisions that are unfinished on disk, including those of earlier runs (BTM-SWP-002)."""
        data = whole(self._storage, self._active)
        # Use the current position, because the stored tail can be before the last record.
        file = examine(self._active, data)
        file.limit = self._position
        log = self._sound(file)
        left = log.state.left
        decisions: dict[Any, Record] = {}
        for record in log.found.records():
            if record.type == "COMMITTING":
                decisions[record.fields["gtrid"]] = record
        for gtrid in filter(left.__contains__, decisions):
            record = decisions[gtrid]
            fields: Mapping[str, Any] = record.fields
            # BTM 3.0 writes each decision again. Other versions copy a record that still has the same
            # resources.
            if self._order != "3.0" and len(left[gtrid]) == len({*fields.get("names_raw", fields["names"])}):
                yield data[record.at.off : record.at.off + record.at.length]
            else:
                names = tuple(name.encode("ascii", "replace") for name in left[gtrid])
                yield self._encode(COMMITTING, gtrid, names)

    def _swap(self, copies: list[bytes]) -> None:
        """Make the passive file active, and copy the unfinished transactions into it."""
        target, at = self._passive, HEADER_SIZE
        if self._order != "2.1.4":
            self._force({})
        # Reset the tail first, so that it does not cover old records again (BTM-SWP-001).
        self._put(target, POSITION_AT, HEADER_SIZE)
        for data in copies:
            self._storage.write(target, at, data)
            at += len(data)
            if not self._lazy:
                self._put(target, POSITION_AT, at)
        if self._careful:
            # If the timestamp were durable before the copies, a file that lacks decisions could be elected
            # after a crash (BTM-SWP-004).
            self._storage.sync(target)
            self._put(target, POSITION_AT, at)
            self._storage.sync(target)
        # 2.1.3 and 2.1.4 store the file position (BTM-DEV-001).
        stamp = at if self._order == "2.1.4" else self._clock.now()
        if self._careful:
            # The timestamp must be larger than that of the other file, even if the clock has gone back
            # (BTM-SWP-003).
            stamp = self._timestamp = max(stamp, self._timestamp + 1)
        self._put(target, TIMESTAMP_AT, stamp)
        if self._careful:
            self._storage.write(target, STATE_AT, UNCLEAN)  # BTM-SWP-006
        self._storage.sync(target)
        self._active, self._passive = target, self._active
        self._position = self._written_position = at

    def _close(self, op: Operation) -> dict[str, Any]:
        """Perform an fsync of all files, then mark both files clean (BTM-WRT-011)."""
        if self._careful:
            self._force(op)
        for name in self._names:
            self._storage.write(name, STATE_AT, CLEAN)
            self._storage.sync(name)
        self._active = ""
        return {"durable": True}


class SeedWriter(_Writer):
    """Writes one growing file of records.

    Parameters: `files` ("transactions.log") and those of :class:`.Clock`.
    """

    framing = codec.SEED

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        super().__init__(storage, params, "transactions.log")

    def _open(self, op: Operation) -> dict[str, Any]:
        if self._name not in self._storage.names():
            self._storage.create(self._name)
            self._storage.sync_dir()
        data = whole(self._storage, self._name)
        seen = recover({self._name: data}, "seed", "strict", {})
        if seen.code is not None:
            raise WriterRefused(seen.code, seen.message)
        self._active, self._position = self._name, len(data)
        return {"durable": True, "file": self._name}


class NioWriter(_Writer):
    """One file with two generations.

    Parameters: `files` ("nio-btm1.tlog"), `file_length`, `seed` (text from which the delimiters are derived),
    and those of :class:`.Clock`.
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        super().__init__(storage, params, "nio-btm1.tlog")
        self._length = int(params.get("file_length", str(NIO_LENGTH)))
        self._seed = params.get("seed", "journalspec")
        self._laps = 0
        self._header = nio.NioHeader(b"", b"")
        #: Maps a gtrid to the fields of the last frame of this open transaction. `names` are the resources
        #: that have not ended yet.
        self._tracked: dict[bytes, dict[str, Any]] = {}

    def _delimiter(self) -> bytes:
        """Return the next generation's delimiter. It is computed from the seed, so that runs are repeatable.

        A later run computes the same delimiters again. A delimiter that is already in the header is skipped.
        """
        while True:
            self._laps += 1
            text = f"{self._seed}/{self._laps}".encode()
            drawn = hashlib.blake2b(text, digest_size=nio.UUID_SIZE).digest()
            if drawn not in self._header:
                return drawn

    def _open(self, op: Operation) -> dict[str, Any]:
        if self._name not in self._storage.names():
            self._create()
        data = whole(self._storage, self._name)
        header = nio.decode_header(data)
        if not isinstance(header, nio.NioHeader):
            raise WriterRefused(header[0], f"{self._name}: {header[1]}")
        self._header, self._length, self._active = header, len(data), self._name
        self._position = nio.insert_of(Memory(data), header)
        batches = nio.scan(Memory(data), header)
        for batch in sorted(batches, key=lambda batch: bool(batch.more["current"])):
            for record, named in zip(nio.told("", batch), batch.more["names"], strict=True):
                own = {name: value for name, value in record.fields.items() if name != "crc32"}
                self._track({**own, "names": named.stored, "padding": bytes(named.padding)})
        return {"durable": True, "file": self._name}

    def _create(self) -> None:
        if self._length < nio.HEADER_SIZE:
            raise WriterRefused("does-not-fit", f"file_length {self._length} is below {nio.HEADER_SIZE}")
        self._storage.create(self._name)
        self._storage.truncate(self._name, self._length)
        header = nio.NioHeader(self._delimiter(), self._delimiter())
        self._storage.write(self._name, 0, nio.encode_header(header))
        self._storage.sync(self._name)
        self._storage.sync_dir()

    def _track(self, fields: dict[str, Any]) -> None:
        """Remember the records that a wrap-around copies: the last record of each open transaction
        (BTM-NIO-024).
        """
        gtrid, tracked = fields["gtrid"], self._tracked
        if fields["status"] not in nio.FINISHED:
            if fields["status"] == NO_TRANSACTION:
                tracked.pop(gtrid, None)
            else:
                tracked[gtrid] = fields
        elif before := tracked.pop(gtrid, None):
            ended = set(fields["names"])
            if left := tuple(name for name in before["names"] if name not in ended):
                freed = sum(2 + len(name) for name in before["names"] if name in ended)
                tracked[gtrid] = {**before, "names": left, "padding": before["padding"] + bytes(freed)}

    def _log(self, op: Operation) -> dict[str, Any]:
        fields = self._fields(*entry(op))
        size = len(self._frame(fields))
        if self._position + size > self._length:
            self._next_lap(size)
        self._track(fields)
        return self._append(self._frame(fields))

    def _frame(self, fields: dict[str, Any]) -> bytes:
        """Return the bytes of a frame of this generation."""
        return LAYOUT.build("record", "nio", **{**fields, "delimiter": self._header.current})

    def _fields(self, status: int, gtrid: bytes, names: tuple[bytes, ...]) -> dict[str, Any]:
        length = nio.MIN_PAYLOAD + len(gtrid) + sum(2 + len(name) for name in names)
        too_long = any(len(name) > codec.MAX_NAME for name in names)
        if len(gtrid) > nio.MAX_GTRID or too_long or length > nio.MAX_PAYLOAD:
            text = f"gtrid or names are too long for a payload of {nio.MAX_PAYLOAD} bytes"
            raise WriterRefused("unencodable", text)
        numbers = {"status": status, "record_length": length, "time": self._clock.now()}
        numbers["sequence_number"] = self._clock.next_sequence()
        return {**numbers, "gtrid": gtrid, "names": names, "padding": b""}

    def _next_lap(self, size: int) -> None:
        """Fill the remaining bytes of the file, change the delimiters, and write open transactions again
        (BTM-NIO-016, BTM-NIO-021 to 023).
        """
        copies = [{**fields, "rolled_over": True} for fields in self._tracked.values()]
        needed = sum(len(self._frame(copy)) for copy in copies)
        if nio.HEADER_SIZE + needed + size > self._length:
            text = f"{size} bytes do not fit behind {needed} bytes of open transactions in {self._length}"
            raise WriterRefused("does-not-fit", text)
        fill(self._storage, self._name, self._position, self._length, NIO_FILL)
        self._header = nio.NioHeader(self._header.current, self._delimiter())
        self._storage.write(self._name, 0, nio.encode_header(self._header))
        self._position = nio.HEADER_SIZE
        for copy in copies:
            self._append(self._frame(copy))
