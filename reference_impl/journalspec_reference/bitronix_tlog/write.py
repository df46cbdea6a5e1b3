"""Writing: the disk journal with its tail pointer and swap, the seed's bare records, the NIO laps.

The order of writes and forces of the disk journal is a table. ``spec`` is the order that
keeps every promise (BTM-WRT, BTM-SWP); the others follow the products as traced,
defects included, so that their crash states can be enumerated.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from journalspec_reference.api import Operation, Params, WriterRefused, order_of, perform
from journalspec_reference.batches import Batch, Memory
from journalspec_reference.bitronix_tlog import nio
from journalspec_reference.bitronix_tlog.codec import (
    DISK,
    HEADER_SIZE,
    LONG,
    MAX_NAME,
    POSITION_AT,
    SEED,
    STATE_AT,
    STATE_CLEAN,
    STATE_UNCLEAN,
    STATUS_CODES,
    TIMESTAMP_AT,
    Framing,
    LogRecord,
    encode_header,
    encode_record,
    make_record,
)
from journalspec_reference.bitronix_tlog.fileset import LogFile, elect, load_pair
from journalspec_reference.bitronix_tlog.recover import COMMITTING, Replay, recover_seed, strict_refusal
from journalspec_reference.bitronix_tlog.scan import records, scan
from journalspec_reference.storage import Storage, fill, whole

DEFAULT_LENGTH = HEADER_SIZE + 2 * 1024 * 1024
NIO_LENGTH = 6 * 1024 * 1024
NIO_FILL = b"\x20"
NO_TRANSACTION = STATUS_CODES["NO_TRANSACTION"]


@dataclass(frozen=True, slots=True)
class Order:
    """When what is written and forced.

    `lazy_position` keeps the new tail in memory until a force has made the
    records durable. `swap_timestamp` is the rule for the new active file's
    timestamp: greater than both, the clock, or (a defect of 2.1.3 and 2.1.4)
    the file position. `exact_fit` lets a record end at the end of the file.
    """

    lazy_position: bool = False
    sync_creation: bool = False
    force_old_before_swap: bool = False
    force_before_timestamp: bool = False
    swap_timestamp: str = "clock"
    mark_swapped: bool = False
    keep_copies: bool = True
    exact_fit: bool = False
    header_bytewise: bool = True
    force_before_close: bool = False


ORDERS = {
    "spec": Order(
        lazy_position=True,
        sync_creation=True,
        force_old_before_swap=True,
        force_before_timestamp=True,
        swap_timestamp="greater",
        mark_swapped=True,
        header_bytewise=False,
        force_before_close=True,
    ),
    "2.1.4": Order(swap_timestamp="position"),
    "3.0": Order(force_old_before_swap=True, keep_copies=False, exact_fit=True),
}


class Clock:
    """Milliseconds and sequence numbers for one writer (BTM-WRT).

    Parameters: `clock` (first value in ms; the system's time if absent),
    `clock_step` (ms added per reading, default 1), `sequence` (first number,
    default 1).
    """

    def __init__(self, params: Params) -> None:
        self._fixed = "clock" in params
        self._now = int(params.get("clock", "0"))
        self._step = int(params.get("clock_step", "1"))
        self._sequence = int(params.get("sequence", "1"))

    def now(self) -> int:
        """Return the time in ms; with a fixed clock each reading is one step later."""
        if not self._fixed:
            return time.time_ns() // 1_000_000
        value = self._now
        self._now += self._step
        return value

    def next_sequence(self) -> int:
        """Return the next sequence number, unbounded; the codec wraps it to 32 bits."""
        value = self._sequence
        self._sequence += 1
        return value


def entry(op: Operation) -> tuple[int, bytes, tuple[bytes, ...]]:
    """Return (status, gtrid, names) of a ``log`` operation.

    ``type`` is the spec's name, or ``status`` a number for any other value;
    ``gtrid`` is hex; ``names`` is a list of text. Raises ValueError on a
    malformed operation and WriterRefused (unencodable) on a name that is not ASCII.
    """
    kind = op.get("type", "OTHER")
    if kind in STATUS_CODES:
        status = STATUS_CODES[kind]
    elif "status" in op:
        status = int(op["status"])
    else:
        raise ValueError(f"unknown record type {kind!r} and no status")
    gtrid = bytes.fromhex(op["gtrid"])
    try:
        names = tuple(str(name).encode("ascii") for name in op.get("names", ()))
    except UnicodeEncodeError as error:
        raise WriterRefused("unencodable", f"a unique name is not ASCII: {error.object!r}") from None
    return status, gtrid, names


class _Writer:
    """What the writers of all editions share: operations by name, and one file that is written to."""

    def __init__(self, storage: Storage, params: Params, name: str) -> None:
        self._storage = storage
        self._name = params.get("files", name)
        self._clock = Clock(params)
        #: The file that is written to; empty unless the journal is open.
        self._active = ""
        self._position = 0
        self._handlers: Mapping[str, Callable[[Operation], dict[str, Any]]] = {
            "open": self._open,
            "log": self._log,
            "force": self._force,
            "close": self._close,
        }

    def apply(self, op: Operation) -> dict[str, Any]:
        """Do one operation: open, log (type, gtrid, names), force or close."""
        return perform(self._handlers, op, bool(self._active))

    def _open(self, op: Operation) -> dict[str, Any]:
        raise NotImplementedError

    def _log(self, op: Operation) -> dict[str, Any]:
        raise NotImplementedError

    def _make(self, status: int, gtrid: bytes, names: tuple[bytes, ...], layout: Framing = DISK) -> LogRecord:
        now, number = self._clock.now(), self._clock.next_sequence()
        try:
            return make_record(status, gtrid, names, time=now, sequence_number=number, layout=layout)
        except ValueError as error:
            raise WriterRefused("unencodable", str(error)) from None

    def _append(self, data: bytes) -> dict[str, Any]:
        """Write a record at the position and move it on."""
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
    every record is visible as soon as it is logged, forced or not), and those
    of :class:`.Clock`. An existing pair keeps its length.
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        super().__init__(storage, params, "btm1.tlog,btm2.tlog")
        self._order = order_of(ORDERS, params)
        if params.get("eager") == "true":
            self._order = replace(self._order, lazy_position=False)
        self._exact_fit = self._order.exact_fit or (
            edition == "3.0" and params.get("order", "spec") == "spec"
        )
        self._names = self._name.split(",")
        self._length = int(params.get("file_length", str(DEFAULT_LENGTH)))
        self._passive = ""
        self._position = self._written_position = HEADER_SIZE
        self._timestamp = 0
        #: The timestamp of the file that was created last.
        self._created: int | None = None

    def _open(self, op: Operation) -> dict[str, Any]:
        present = set(self._storage.names())
        if not present.intersection(self._names):
            self._create()
        pair = load_pair({name: whole(self._storage, name) for name in self._names if name in present})
        if not pair:
            pair = load_pair({name: whole(self._storage, name) for name in self._names})
        problem = strict_refusal(pair)
        if problem is not None:
            raise WriterRefused(problem.code or "", problem.message)
        active, _ = elect(pair)
        # Behind a damaged record nothing would be found again (I9): what recovery refuses is not appended to.
        self._sound(active.name, active.data, active.limit)
        self._adopt(active, pair)
        self._storage.write(self._active, STATE_AT, bytes([STATE_UNCLEAN]))
        self._storage.sync(self._active)
        return {"durable": True, "file": self._active}

    @staticmethod
    def _sound(name: str, data: bytes, limit: int) -> list[Batch]:
        """Return the records of a log; raises WriterRefused at the first damage."""
        batches = list(scan(Memory(data), HEADER_SIZE, limit))
        for batch in batches:
            for start, _, reason in batch.damage:
                raise WriterRefused(reason, f"{name}: damaged at {start}: {batch.more['why']}")
        return batches

    def _adopt(self, active: LogFile, pair: list[LogFile]) -> None:
        assert active.header is not None  # strict_refusal let it pass
        self._active = active.name
        self._passive = next(file.name for file in pair if file.name != active.name)
        self._length = max(file.length for file in pair)
        self._position = self._written_position = active.header.position
        self._timestamp = max(file.header.timestamp for file in pair if file.header is not None)

    def _create(self) -> None:
        """Build both files, the second first, so that the first is newer and active (BTM-FIL)."""
        if self._length < HEADER_SIZE:
            raise WriterRefused(
                "does-not-fit", f"file_length {self._length} is below the header's {HEADER_SIZE}"
            )
        for name in reversed(self._names):
            self._storage.create(name)
            header = encode_header(self._creation_timestamp(), STATE_CLEAN, HEADER_SIZE)
            step = 1 if self._order.header_bytewise else len(header)
            for at in range(0, len(header), step):
                self._storage.write(name, at, header[at : at + step])
            fill(self._storage, name, HEADER_SIZE, self._length)
            if self._order.sync_creation:
                self._storage.sync(name)
        if self._order.sync_creation:
            self._storage.sync_dir()

    def _creation_timestamp(self) -> int:
        now = self._clock.now()
        if self._order.swap_timestamp == "greater" and self._created is not None:
            now = max(now, self._created + 1)
        self._created = now
        return now

    def _log(self, op: Operation) -> dict[str, Any]:
        data = encode_record(self._make(*entry(op)))
        size = len(data)
        if not self._fits(self._position, size):
            copies = self._dangling()
            needed = sum(len(encode_record(copy)) for copy in copies)
            if not self._fits(HEADER_SIZE + needed, size):
                kept = f"{needed} bytes of unfinished transactions in a file of {self._length}"
                raise WriterRefused("does-not-fit", f"{size} bytes do not fit behind {kept}")
            self._swap(copies)
        done = self._append(data)
        if not self._order.lazy_position:
            self._write_position()
        return done

    def _fits(self, at: int, size: int) -> bool:
        return at + size <= self._length if self._exact_fit else at + size < self._length

    def _write_position(self) -> None:
        self._storage.write(self._active, POSITION_AT, LONG.pack(self._position))
        self._written_position = self._position

    def _force(self, op: Operation) -> dict[str, Any]:
        """Make every logged record and a tail that covers it durable (BTM-WRT)."""
        self._storage.sync(self._active)
        if self._position != self._written_position:
            self._write_position()
            self._storage.sync(self._active)
        return {"durable": True, "file": self._active}

    def _dangling(self) -> list[LogRecord]:
        """Return the unfinished transactions on disk, those of earlier runs included (BTM-SWP)."""
        batches = self._sound(self._active, whole(self._storage, self._active), self._position)
        state = Replay()
        for batch in batches:
            state.take(batch)
        copies: dict[bytes, LogRecord] = {}
        for record in chain.from_iterable(map(records, batches)):
            if record.status == COMMITTING and record.gtrid in state.left:
                copies[record.gtrid] = record
        return [self._copy(copies[gtrid], state.left[gtrid]) for gtrid in copies]

    def _copy(self, record: LogRecord, names: Set[str]) -> LogRecord:
        if self._order.keep_copies and len(names) == len(set(record.names)):
            return record
        return self._make(COMMITTING, record.gtrid, tuple(name.encode("ascii", "replace") for name in names))

    def _swap(self, copies: list[LogRecord]) -> None:
        """Make the passive file active, carrying the unfinished transactions over."""
        order, target = self._order, self._passive
        if order.force_old_before_swap:
            self._force({})
        self._storage.write(target, POSITION_AT, LONG.pack(HEADER_SIZE))
        at = HEADER_SIZE
        for copy in copies:
            data = encode_record(copy)
            self._storage.write(target, at, data)
            at += len(data)
            if not order.lazy_position:
                self._storage.write(target, POSITION_AT, LONG.pack(at))
        if order.force_before_timestamp:
            self._storage.sync(target)
            self._storage.write(target, POSITION_AT, LONG.pack(at))
            self._storage.sync(target)
        self._storage.write(target, TIMESTAMP_AT, LONG.pack(self._swap_timestamp(at)))
        if order.mark_swapped:
            self._storage.write(target, STATE_AT, bytes([STATE_UNCLEAN]))
        self._storage.sync(target)
        self._active, self._passive = target, self._active
        self._position = self._written_position = at

    def _swap_timestamp(self, position: int) -> int:
        if self._order.swap_timestamp == "position":
            return position
        now = self._clock.now()
        if self._order.swap_timestamp == "greater":
            now = max(now, self._timestamp + 1)
        self._timestamp = max(now, self._timestamp)
        return now

    def _close(self, op: Operation) -> dict[str, Any]:
        """Force everything, then mark both files clean (BTM-WRT-011)."""
        if self._order.force_before_close:
            self._force({})
        for name in self._names:
            self._storage.write(name, STATE_AT, bytes([STATE_CLEAN]))
            self._storage.sync(name)
        self._active = ""
        return {"durable": True}


class SeedWriter(_Writer):
    """One growing file of records. Parameters: `files` ("transactions.log") and those of :class:`.Clock`."""

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        super().__init__(storage, params, "transactions.log")

    def _open(self, op: Operation) -> dict[str, Any]:
        if self._name not in self._storage.names():
            self._storage.create(self._name)
            self._storage.sync_dir()
        data = whole(self._storage, self._name)
        seen = recover_seed({self._name: data}, "strict", {})
        if seen.code is not None:
            raise WriterRefused(seen.code, seen.message)
        self._active, self._position = self._name, len(data)
        return {"durable": True, "file": self._name}

    def _log(self, op: Operation) -> dict[str, Any]:
        return self._append(encode_record(self._make(*entry(op), SEED)))


class NioWriter(_Writer):
    """One file. Parameters: `files` ("nio-btm1.tlog"), `file_length`, `seed` (text that the
    delimiters are drawn from), and those of :class:`.Clock`.
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        super().__init__(storage, params, "nio-btm1.tlog")
        self._length = int(params.get("file_length", str(NIO_LENGTH)))
        self._seed = params.get("seed", "journalspec")
        self._laps = 0
        self._header = nio.NioHeader(b"", b"")
        self._tracked: dict[bytes, nio.NioRecord] = {}

    def _delimiter(self) -> bytes:
        """Return the next lap's delimiter; drawn from the seed so that runs repeat.

        A later run draws the same ones again: what the header has is passed over, for it would not be new.
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
            for record in nio.records(batch):
                self._track(record)
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

    def _track(self, record: nio.NioRecord) -> None:
        """Remember what a lap change has to carry over: the last word on each open transaction."""
        if record.status not in nio.FINISHED:
            if record.status == NO_TRANSACTION:
                self._tracked.pop(record.gtrid, None)
            else:
                self._tracked[record.gtrid] = record
            return
        before = self._tracked.pop(record.gtrid, None)
        if before is None:
            return
        ended = set(record.names)
        left = tuple(name for name in before.names if name not in ended)
        if left:
            freed = sum(2 + len(name) for name in before.names) - sum(2 + len(name) for name in left)
            self._tracked[record.gtrid] = before._replace(names=left, padding=before.padding + freed)

    def _log(self, op: Operation) -> dict[str, Any]:
        record = self._make_frame(*entry(op))
        frame = nio.encode_frame(record)
        if self._position + len(frame) > self._length:
            self._next_lap(len(frame))
            record = record._replace(delimiter=self._header.current)
            frame = nio.encode_frame(record)
        self._track(record)
        return self._append(frame)

    def _make_frame(self, status: int, gtrid: bytes, names: tuple[bytes, ...]) -> nio.NioRecord:
        length = nio.MIN_PAYLOAD + len(gtrid) + sum(2 + len(name) for name in names)
        too_long = any(len(name) > MAX_NAME for name in names)
        if len(gtrid) > nio.MAX_GTRID or too_long or length > nio.MAX_PAYLOAD:
            raise WriterRefused(
                "unencodable", f"gtrid or names are too long for a payload of {nio.MAX_PAYLOAD} bytes"
            )
        now, sequence = self._clock.now(), self._clock.next_sequence()
        return nio.NioRecord(
            0, 0, status, length, now, sequence, False, 0, self._header.current, gtrid, names
        )

    def _next_lap(self, size: int) -> None:
        """Fill the rest, change the delimiters, write the open transactions again (BTM-NIO)."""
        copies = [record._replace(rolled_over=True) for record in self._tracked.values()]
        needed = sum(len(nio.encode_frame(copy)) for copy in copies)
        if nio.HEADER_SIZE + needed + size > self._length:
            text = f"{size} bytes do not fit behind {needed} bytes of open transactions in {self._length}"
            raise WriterRefused("does-not-fit", text)
        fill(self._storage, self._name, self._position, self._length, NIO_FILL)
        self._header = nio.NioHeader(self._header.current, self._delimiter())
        self._storage.write(self._name, 0, nio.encode_header(self._header))
        self._position = nio.HEADER_SIZE
        for copy in copies:
            frame = nio.encode_frame(copy._replace(delimiter=self._header.current))
            self._storage.write(self._name, self._position, frame)
            self._position += len(frame)


#: Edition -> its writer, called with storage, edition and parameters.
WRITERS: Mapping[str, Callable[[Storage, str, Params], _Writer]] = {
    "seed": SeedWriter,
    "2.1": DiskWriter,
    "3.0": DiskWriter,
    "nio": NioWriter,
}
