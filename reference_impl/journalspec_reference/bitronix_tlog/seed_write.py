"""Writing the seed's edition: records one behind the other in a file of nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from journalspec_reference.api import Params, WriterRefused
from journalspec_reference.bitronix_tlog.clock import Clock
from journalspec_reference.bitronix_tlog.codec import SEED, encode_record, make_record
from journalspec_reference.bitronix_tlog.operations import Operation, dispatch, entry
from journalspec_reference.bitronix_tlog.seed import recover
from journalspec_reference.storage import Storage


class SeedWriter:
    """One growing file. Parameters: `files` ("transactions.log") and those of :class:`.Clock`."""

    def __init__(self, storage: Storage, edition: str, params: Params) -> None:
        self._storage = storage
        self._name = params.get("files", "transactions.log")
        self._clock = Clock(params)
        self._end = -1
        self._handlers: Mapping[str, Callable[[Operation], dict[str, Any]]] = {
            "open": self._open,
            "log": self._log,
            "force": self._force,
            "close": self._close,
        }

    def apply(self, op: Operation) -> dict[str, Any]:
        """Do one operation: open, log, force or close."""
        if op.get("op") != "open" and self._end < 0:
            raise ValueError("the journal is not open")
        return dispatch(self._handlers, op)

    def _open(self, op: Operation) -> dict[str, Any]:
        if self._name not in self._storage.names():
            self._storage.create(self._name)
            self._storage.sync_dir()
        size = self._storage.size(self._name)
        seen = recover({self._name: self._storage.read(self._name, 0, size)}, "strict")
        if seen.code is not None:
            raise WriterRefused(seen.code, seen.message)
        self._end = size
        return {"durable": True, "file": self._name}

    def _log(self, op: Operation) -> dict[str, Any]:
        status, gtrid, names = entry(op)
        try:
            record = make_record(
                status,
                gtrid,
                names,
                time=self._clock.now(),
                sequence_number=self._clock.next_sequence(),
                layout=SEED,
            )
        except ValueError as error:
            raise WriterRefused("unencodable", str(error)) from None
        data = encode_record(record)
        at = self._end
        self._storage.write(self._name, at, data)
        self._end = at + len(data)
        return {"durable": False, "file": self._name, "off": at, "len": len(data)}

    def _force(self, op: Operation) -> dict[str, Any]:
        self._storage.sync(self._name)
        return {"durable": True, "file": self._name}

    def _close(self, op: Operation) -> dict[str, Any]:
        self._force(op)
        self._end = -1
        return {"durable": True}
