"""Writing the NIO journal: frames in a circle of one lap, with a new delimiter each lap."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from journalspec_reference.api import Params, WriterRefused
from journalspec_reference.bitronix_tlog.clock import Clock
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES
from journalspec_reference.bitronix_tlog.nio import FINISHED, scan
from journalspec_reference.bitronix_tlog.nio_codec import (
    HEADER_SIZE,
    MAX_PAYLOAD,
    MIN_PAYLOAD,
    UUID_SIZE,
    NioHeader,
    NioRecord,
    decode_header,
    encode_frame,
    encode_header,
)
from journalspec_reference.bitronix_tlog.operations import Operation, dispatch, entry
from journalspec_reference.storage import Storage

DEFAULT_LENGTH = 6 * 1024 * 1024
FILL = b"\x20"
FILL_BLOCK = 4096
MAX_GTRID, MAX_NAME, MAX_NAMES = 127, 0x7FFF, 0x7FFF
#: Statuses after which nothing of a transaction has to survive a lap change.
OVER = FINISHED | {STATUS_CODES["NO_TRANSACTION"]}


class NioWriter:
    """One file. Parameters: `files` ("nio-btm1.tlog"), `file_length`, `seed` (text that the
    delimiters are drawn from), and those of :class:`.Clock`.
    """

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self._storage = storage
        self._name = params.get("files", "nio-btm1.tlog")
        self._length = int(params.get("file_length", str(DEFAULT_LENGTH)))
        self._seed = params.get("seed", "journalspec")
        self._clock = Clock(params)
        self._laps = 0
        self._header = NioHeader(b"", b"")
        self._insert = -1
        self._tracked: dict[bytes, NioRecord] = {}
        self._handlers: Mapping[str, Callable[[Operation], dict[str, Any]]] = {
            "open": self._open,
            "log": self._log,
            "force": self._force,
            "close": self._close,
        }

    def apply(self, op: Operation) -> dict[str, Any]:
        """Do one operation: open, log, force or close."""
        if op.get("op") != "open" and self._insert < 0:
            raise ValueError("the journal is not open")
        return dispatch(self._handlers, op)

    def _delimiter(self) -> bytes:
        """Return the next lap's delimiter; drawn from the seed so that runs repeat."""
        self._laps += 1
        return hashlib.blake2b(f"{self._seed}/{self._laps}".encode(), digest_size=UUID_SIZE).digest()

    def _open(self, op: Operation) -> dict[str, Any]:
        if self._name not in self._storage.names():
            self._create()
        size = self._storage.size(self._name)
        data = self._storage.read(self._name, 0, size)
        header = decode_header(data)
        if not isinstance(header, NioHeader):
            raise WriterRefused(header[0], f"{self._name}: {header[1]}")
        found = scan(data, header)
        self._header, self._insert, self._length = header, found.insert, size
        for record in sorted(found.records, key=lambda item: item.delimiter == header.current):
            self._track(record)
        return {"durable": True, "file": self._name}

    def _create(self) -> None:
        if self._length < HEADER_SIZE:
            raise WriterRefused("does-not-fit", f"file_length {self._length} is below {HEADER_SIZE}")
        self._storage.create(self._name)
        self._storage.truncate(self._name, self._length)
        header = NioHeader(self._delimiter(), self._delimiter())
        self._storage.write(self._name, 0, encode_header(header))
        self._storage.sync(self._name)
        self._storage.sync_dir()

    def _track(self, record: NioRecord) -> None:
        """Remember what a lap change has to carry over: the last word on each open transaction."""
        if record.status not in FINISHED:
            if record.status in OVER:
                self._tracked.pop(record.gtrid, None)
            else:
                self._tracked[record.gtrid] = record
            return
        before = self._tracked.pop(record.gtrid, None)
        if before is None:
            return
        left = tuple(name for name in before.names if name not in record.names)
        if left:
            freed = sum(2 + len(name) for name in before.names) - sum(2 + len(name) for name in left)
            self._tracked[record.gtrid] = before._replace(names=left, padding=before.padding + freed)

    def _log(self, op: Operation) -> dict[str, Any]:
        record = self._make(*entry(op))
        frame = encode_frame(record)
        if self._insert + len(frame) > self._length:
            self._next_lap(len(frame))
            record = record._replace(delimiter=self._header.current)
            frame = encode_frame(record)
        at = self._insert
        self._storage.write(self._name, at, frame)
        self._insert = at + len(frame)
        self._track(record)
        return {"durable": False, "file": self._name, "off": at, "len": len(frame)}

    def _make(self, status: int, gtrid: bytes, names: tuple[bytes, ...]) -> NioRecord:
        length = MIN_PAYLOAD + len(gtrid) + sum(2 + len(name) for name in names)
        too_long = any(len(name) > MAX_NAME for name in names)
        if len(gtrid) > MAX_GTRID or len(names) > MAX_NAMES or too_long or length > MAX_PAYLOAD:
            raise WriterRefused(
                "unencodable", f"gtrid or names are too long for a payload of {MAX_PAYLOAD} bytes"
            )
        now, sequence = self._clock.now(), self._clock.next_sequence()
        return NioRecord(0, 0, self._header.current, 0, status, length, now, sequence, False, gtrid, names)

    def _next_lap(self, size: int) -> None:
        """Fill the rest, change the delimiters, write the open transactions again (BTM-NIO)."""
        copies = [record._replace(rolled_over=True) for record in self._tracked.values()]
        needed = sum(len(encode_frame(copy)) for copy in copies)
        if HEADER_SIZE + needed + size > self._length:
            text = f"{size} bytes do not fit behind {needed} bytes of open transactions in {self._length}"
            raise WriterRefused("does-not-fit", text)
        for at in range(self._insert, self._length, FILL_BLOCK):
            self._storage.write(self._name, at, FILL * min(FILL_BLOCK, self._length - at))
        self._header = NioHeader(self._header.current, self._delimiter())
        self._storage.write(self._name, 0, encode_header(self._header))
        self._insert = HEADER_SIZE
        for copy in copies:
            frame = encode_frame(copy._replace(delimiter=self._header.current))
            self._storage.write(self._name, self._insert, frame)
            self._insert += len(frame)

    def _force(self, op: Operation) -> dict[str, Any]:
        self._storage.sync(self._name)
        return {"durable": True, "file": self._name}

    def _close(self, op: Operation) -> dict[str, Any]:
        self._force(op)
        self._insert = -1
        return {"durable": True}
