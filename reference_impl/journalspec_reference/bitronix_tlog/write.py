"""Writing the disk journal: one active file, a tail pointer, and the swap.

The order of writes and forces is a table. ``spec`` is the order that keeps
every promise (BTM-WRT, BTM-SWP); the others follow the products as traced,
defects included, so that their crash states can be enumerated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from journalspec_reference.api import Params, WriterRefused
from journalspec_reference.bitronix_tlog.clock import Clock
from journalspec_reference.bitronix_tlog.codec import (
    HEADER_SIZE,
    LONG,
    POSITION_AT,
    STATE_AT,
    STATE_CLEAN,
    STATE_UNCLEAN,
    TIMESTAMP_AT,
    Fault,
    LogRecord,
    encode_header,
    encode_record,
    make_record,
)
from journalspec_reference.bitronix_tlog.operations import Operation, dispatch, entry
from journalspec_reference.bitronix_tlog.pair import LogFile, elect, load_pair
from journalspec_reference.bitronix_tlog.recover import strict_refusal
from journalspec_reference.bitronix_tlog.scan import scan, walk
from journalspec_reference.bitronix_tlog.transactions import COMMITTING, unfinished
from journalspec_reference.storage import Storage

DEFAULT_LENGTH = HEADER_SIZE + 2 * 1024 * 1024
FILL_BLOCK = 4096


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


class DiskWriter:
    """A pair of log files open for writing.

    Parameters (all text): `files` ("btm1.tlog,btm2.tlog"), `file_length` in
    bytes (2 MiB + 21), `order` (a key of ORDERS, default spec), `eager` (true:
    every record is visible as soon as it is logged, forced or not), and those
    of :class:`.Clock`. An existing pair keeps its length.
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self._storage = storage
        name = params.get("order", "spec")
        if name not in ORDERS:
            raise ValueError(f"unknown order {name!r}: expected one of {', '.join(ORDERS)}")
        self._order = ORDERS[name]
        if params.get("eager") == "true":
            self._order = replace(self._order, lazy_position=False)
        self._exact_fit = self._order.exact_fit or (edition == "3.0" and name == "spec")
        self._names = params.get("files", "btm1.tlog,btm2.tlog").split(",")
        self._length = int(params.get("file_length", str(DEFAULT_LENGTH)))
        self._clock = Clock(params)
        self._active = self._passive = ""
        self._position = self._written_position = HEADER_SIZE
        self._timestamp = 0
        self._handlers: Mapping[str, Callable[[Operation], dict[str, Any]]] = {
            "open": self._open,
            "log": self._log,
            "force": self._force,
            "close": self._close,
        }

    def apply(self, op: Operation) -> dict[str, Any]:
        """Do one operation: open, log (type, gtrid, names), force or close."""
        if op.get("op") != "open" and not self._active:
            raise ValueError("the journal is not open")
        return dispatch(self._handlers, op)

    def _open(self, op: Operation) -> dict[str, Any]:
        present = set(self._storage.names())
        if not present.intersection(self._names):
            self._create()
        pair = load_pair({name: self._content(name) for name in self._names if name in present})
        if not pair:
            pair = load_pair({name: self._content(name) for name in self._names})
        problem = strict_refusal(pair)
        if problem is not None:
            raise WriterRefused(problem.code or "", problem.message)
        active, _ = elect(pair)
        # Behind a damaged record nothing would be found again (I9): what recovery refuses is not appended to.
        damage = next((item for item in walk(active.data, active.limit) if isinstance(item, Fault)), None)
        if damage is not None:
            raise WriterRefused(damage.reason, f"{active.name}: damaged at {damage.off}: {damage.detail}")
        self._adopt(active, pair)
        self._storage.write(self._active, STATE_AT, bytes([STATE_UNCLEAN]))
        self._storage.sync(self._active)
        return {"durable": True, "file": self._active}

    def _content(self, name: str) -> bytes:
        return self._storage.read(name, 0, self._storage.size(name))

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
            header = encode_header(self._clock.now(), STATE_CLEAN, HEADER_SIZE)
            step = 1 if self._order.header_bytewise else len(header)
            for at in range(0, len(header), step):
                self._storage.write(name, at, header[at : at + step])
            for at in range(HEADER_SIZE, self._length, FILL_BLOCK):
                self._storage.write(name, at, bytes(min(FILL_BLOCK, self._length - at)))
            if self._order.sync_creation:
                self._storage.sync(name)
        if self._order.sync_creation:
            self._storage.sync_dir()

    def _log(self, op: Operation) -> dict[str, Any]:
        status, gtrid, names = entry(op)
        record = self._make(status, gtrid, names)
        size = len(encode_record(record))
        if not self._fits(self._position, size):
            copies = self._dangling()
            needed = sum(len(encode_record(copy)) for copy in copies)
            if not self._fits(HEADER_SIZE + needed, size):
                kept = f"{needed} bytes of unfinished transactions in a file of {self._length}"
                raise WriterRefused("does-not-fit", f"{size} bytes do not fit behind {kept}")
            self._swap(copies)
        at = self._append(self._active, self._position, record)
        self._position = at + size
        if not self._order.lazy_position:
            self._write_position()
        return {"durable": False, "file": self._active, "off": at, "len": size}

    def _make(self, status: int, gtrid: bytes, names: tuple[bytes, ...]) -> LogRecord:
        try:
            return make_record(
                status, gtrid, names, time=self._clock.now(), sequence_number=self._clock.next_sequence()
            )
        except ValueError as error:
            raise WriterRefused("unencodable", str(error)) from None

    def _fits(self, at: int, size: int) -> bool:
        return at + size <= self._length if self._exact_fit else at + size < self._length

    def _append(self, name: str, at: int, record: LogRecord) -> int:
        self._storage.write(name, at, encode_record(record))
        return at

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
        found = scan(self._content(self._active), self._position)
        if found.faults:
            first = found.faults[0]
            raise WriterRefused(first.reason, f"{self._active}: damaged at {first.off}: {first.detail}")
        left = unfinished(found.records)
        copies: dict[bytes, LogRecord] = {}
        for record in found.records:
            if record.status == COMMITTING and record.gtrid in left:
                copies[record.gtrid] = record
        return [self._copy(copies[gtrid], left[gtrid]) for gtrid in copies]

    def _copy(self, record: LogRecord, names: frozenset[str]) -> LogRecord:
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
            at = self._append(target, at, copy) + len(encode_record(copy))
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
