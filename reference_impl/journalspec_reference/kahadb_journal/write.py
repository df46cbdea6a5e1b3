"""Writes batches, end markers and preallocated files, and switches to the next file (KHD-WRT, KHD-PRE).

Records without `sync` wait in the current batch. The batch is written at a record with `sync`, ``flush`` or
``close``, or when it is full. In this way, a single thread writes the same bytes in the same order as the
product, which has two threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from journalspec.kahadb_journal import LAYOUT, checksum
from journalspec_reference.api import Operation, Params, WriterRefused, perform
from journalspec_reference.batches import source_of
from journalspec_reference.kahadb_journal.codec import (
    CONTROL,
    DIALECTS,
    END_MARKER,
    HEAD,
    MARKER,
    MOST,
    USER,
)
from journalspec_reference.kahadb_journal.fileset import id_of
from journalspec_reference.kahadb_journal.scan import scan
from journalspec_reference.newstore import NewFile, pieces
from journalspec_reference.storage import Storage, fill, whole

MAX_FILE, MAX_BATCH = 33554432, 4194304
#: The size of a block in chunked preallocation. Each block begins with an end marker.
CHUNK = 1048576
#: Up to 5.11, a file is extended to its maximum length minus this number, but at least to this number
#: (KHD-PRE-003).
SPARE = 524288
TEMPLATE = "db-log.template"
#: Maps an edition to the default way of preallocation.
STRATEGIES = {"seed": "none", "5.3": "none", "5.12": "zeros"}
#: The bytes after each batch (KHD-END-001 to KHD-END-003).
MARKERS = {"seed": b"", "5.3": b"", "5.12": bytes(MARKER)}

#: The maximum size in bytes of a batch of copied records, unless a single record is larger. Batches are small
#: because damage makes a complete batch doubtful.
_BATCH = 1 << 16


def batches(records: Iterable[bytes], edition: str) -> Iterator[bytes]:
    """Yield batches of records, each with its control record."""
    waiting: list[bytes] = []
    size = 0
    for record in records:
        if waiting and size + len(record) > _BATCH:
            body = b"".join(waiting)
            yield control(body, edition) + body
            waiting, size = [], 0
        waiting.append(record)
        size += len(record)
    if waiting:
        body = b"".join(waiting)
        yield control(body, edition) + body


def control(body: bytes, edition: str, *, summed: bool = True) -> bytes:
    """Return the control record of a batch with this body."""
    total = checksum(body) if summed else 0
    return bytes(LAYOUT.build("header", edition, batch_size=len(body), checksum=total))


def data_files(records: Iterable[bytes], edition: str) -> Iterator[NewFile]:
    """Yield data files of ActiveMQ's default length. Each file must be read to its end before the next one is
    requested.

    If there are no records, yield one file without a batch.
    """
    found = batches(records, edition)
    batch: bytes | None = next(found, b"")

    def parts() -> Iterator[bytes]:
        nonlocal batch
        end = 0
        while batch is not None and (not end or end + len(batch) < MAX_FILE):
            end += len(batch)
            yield from pieces(batch)
            batch = next(found, None)
        yield MARKERS.get(edition, END_MARKER)

    number = 0
    while batch is not None:
        number += 1
        here = parts()
        yield NewFile(f"db-{number}.log", here)
        for _ in here:  # Skip the part of the file that the caller did not read.
            pass


class JournalWriter:
    """A journal open for writing, under the parameters of ``fields.toml``."""

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self._storage = storage
        self._edition = edition
        self._max_file = int(params.get("max_file_length", str(MAX_FILE)))
        self._max_batch = int(params.get("max_batch_length", str(MAX_BATCH)))
        self._checksums = params.get("checksums", "true") == "true"
        self._strategy = params.get("preallocation", STRATEGIES.get(edition, "sparse"))
        self._marker = MARKERS.get(edition, END_MARKER)
        self._newest = 0
        self._name = ""
        self._end = 0
        self._waiting: list[bytes] = []
        self._size = 0

    def apply(self, op: Operation) -> dict[str, Any]:
        """Perform ``open``, ``append`` (``payload``, ``sync``), ``flush`` or ``close``."""
        handlers = {"open": self._open, "append": self._append, "flush": self._flush, "close": self._close}
        return perform(handlers, op, bool(self._name))

    def _open(self, _: Operation) -> dict[str, Any]:
        """Find the end of the log in the last file (KHD-WRT-005)."""
        numbers = sorted(number for name in self._storage.names() if (number := id_of(name)) is not None)
        self._newest = numbers[-1] if numbers else 0
        linked = [number for number in numbers if self._storage.size(f"db-{number}.log")]
        if not linked:
            self._next_file()
            return {"durable": True}
        self._name = f"db-{linked[-1]}.log"
        for batch in scan(source_of(whole(self._storage, self._name)), DIALECTS[self._edition]):
            if batch.damage:
                # Damage usually extends to the end of the file. In that case, it begins at the end of the
                # last intact batch.
                self._end = batch.damage[-1][0]
            if "end" in batch.more:
                self._end = batch.more["end"][0]
        return {"durable": True}

    def _append(self, op: Operation) -> dict[str, Any]:
        payload = bytes.fromhex(op.get("payload", ""))
        if HEAD + len(payload) > MOST:
            raise WriterRefused(
                "unencodable", f"a record has at most {MOST} bytes, this one {HEAD + len(payload)}"
            )
        record = (HEAD + len(payload)).to_bytes(4, "big") + bytes([USER]) + payload
        if self._waiting and not self._joins(len(record)):
            self._write(force=False)
        # KHD-PRE-004
        if not self._waiting and self._end + len(record) >= self._max_file:
            if self._edition == "5.3":
                self._storage.truncate(self._name, self._end)
            self._next_file()
        self._waiting.append(record)
        self._size += len(record)
        if op.get("sync"):
            self._write(force=True)
        return {"durable": bool(op.get("sync"))}

    def _joins(self, size: int) -> bool:
        """Return whether a record of `size` bytes joins the waiting batch (KHD-PRE-005)."""
        batch = CONTROL + self._size
        return batch + size < self._max_batch and self._end + batch + size <= self._max_file

    def _next_file(self) -> None:
        self._newest += 1
        self._name, self._end = f"db-{self._newest}.log", 0
        self._storage.create(self._name)
        self._set_aside()
        self._storage.sync_dir()

    def _set_aside(self) -> None:
        """Preallocate a new file to its full length (KHD-PRE-001, KHD-PRE-002)."""
        name, length = self._name, self._max_file
        if self._edition == "5.3":
            self._storage.truncate(name, max(SPARE, length - SPARE))
        if self._strategy == "none":
            return
        if self._edition == "5.12" or length < 2 * MARKER:
            fill(self._storage, name, 0, length)
        elif self._strategy == "sparse":
            self._storage.write(name, 0, END_MARKER)
            self._storage.write(name, length - MARKER, END_MARKER)
        elif self._strategy == "chunked":
            for start in range(0, length, CHUNK):
                self._storage.write(name, start, END_MARKER.ljust(CHUNK, b"\0")[: length - start])
        else:
            if self._strategy == "template":
                with suppress(FileExistsError):
                    self._storage.create(TEMPLATE)
                    self._storage.write(TEMPLATE, 0, END_MARKER.ljust(length, b"\0"))
                    self._storage.sync(TEMPLATE)
            self._storage.write(name, 0, END_MARKER.ljust(length, b"\0"))
        self._storage.sync(name)

    def _write(self, *, force: bool) -> None:
        """Write the waiting batch. In the seed, write it piece by piece (KHD-WRT-004, KHD-SED-006)."""
        data = b"".join(self._waiting)
        start = control(data, self._edition, summed=self._checksums)
        if self._edition == "seed":
            at = self._end
            blank = start[: CONTROL - 12] + bytes(12)
            for piece in (blank, *self._waiting):
                self._storage.write(self._name, at, piece)
                at += len(piece)
            self._storage.write(self._name, self._end + len(blank) - 12, start[len(blank) - 12 :])
        else:
            self._storage.write(self._name, self._end, start + data + self._marker)
        if force:
            self._storage.sync(self._name)
        self._end += len(start) + len(data)
        self._waiting, self._size = [], 0

    def _flush(self, _: Operation) -> dict[str, Any]:
        if self._waiting:
            self._write(force=False)
        return {"durable": False}

    def _close(self, op: Operation) -> dict[str, Any]:
        self._flush(op)
        self._storage.sync(self._name)
        self._name = ""
        return {"durable": True}
