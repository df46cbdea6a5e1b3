"""``write``: the protocol's operations through the product's journal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from journalspec_conformance.harnesses.bitronix_tlog import failures
from journalspec_conformance.harnesses.bitronix_tlog.driver import (
    PAIR,
    Journal,
    first_sequence_number,
    header_timestamp,
    next_sequence_number,
    pair_of,
)
from journalspec_conformance.harnesses.bitronix_tlog.observe import status_names
from journalspec_conformance.harnesses.java.failures import Thrown

_HEADER_LENGTH = 21
_MEBIBYTE = 1 << 20
_HEX = re.compile(r"([0-9a-f]{2})*")
Answer = dict[str, Any]


class CannotDo(Exception):
    """The product has no way to do what is asked: an ``unsupported`` answer."""


class Session:
    """One ``write`` request: a journal in `directory` and the operations done on it."""

    def __init__(self, directory: Path, params: dict[str, Any]) -> None:
        """Take the request's parameters; nothing is touched yet."""
        self.directory = directory
        self.file_length = int(params["file_length"]) if "file_length" in params else None
        self.filtered = params.get("filter_status") == "true"
        self.journal: Journal | None = None

    def apply(self, op: dict[str, Any]) -> bool:
        """Do one operation and return whether everything up to here is durable; raises Thrown."""
        match op["op"]:
            case "open":
                return self._open()
            case "log":
                gtrid, names, status = _log_arguments(op)
                self._opened().log(status, gtrid, names)
                return False
            case "force":
                self._opened().force()
                return True
            case "close":
                self._opened().close()
                return True
        raise CannotDo(f"operation {op['op']!r}: the product opens, logs, forces and closes")

    def _opened(self) -> Journal:
        if self.journal is None:
            raise CannotDo("an operation before `open`: the product has no journal then")
        return self.journal

    def _open(self) -> bool:
        if self.file_length is not None and not any(self.directory.iterdir()):
            make_pair(self.directory, self.file_length)
        self.journal = Journal(self.directory, megabytes=1, filtered=self.filtered)
        self.journal.open()
        return True

    def active(self) -> str | None:
        """Return the file that the product is working on, if a journal is open."""
        return None if self.journal is None else self.journal.active()

    def abandon(self) -> None:
        """Let go of the files without writing to them."""
        if self.journal is not None:
            self.journal.abandon()
            self.journal = None


def make_pair(directory: Path, length: int) -> None:
    """Let the product make an empty pair, then cut both files to `length` bytes.

    The product makes files of 21 bytes plus whole MiB only, and takes whatever
    length it finds when it opens them again.
    """
    megabytes = max(1, -(-(length - _HEADER_LENGTH) // _MEBIBYTE))
    if length < _HEADER_LENGTH:
        raise CannotDo(f"file_length {length}: the product's files have at least {_HEADER_LENGTH} bytes")
    journal = Journal(directory, megabytes=megabytes)
    journal.open()
    journal.close()
    for name in PAIR:
        os.truncate(directory / name, length)


def _log_arguments(op: dict[str, Any]) -> tuple[bytes, list[str], int]:
    numbers = {name: number for number, name in status_names().items()}
    status = numbers.get(op["type"])
    if status is None and "status" in op:
        status = int(op["status"])
    if status is None:
        raise CannotDo(f"record type {op['type']!r} without a status number")
    if not _HEX.fullmatch(op["gtrid"]):
        raise CannotDo(f"gtrid {op['gtrid']!r} is no lower-case hex")
    return bytes.fromhex(op["gtrid"]), list(op["names"]), status


def unsupported(directory: Path, params: dict[str, Any], order: str) -> str | None:
    """Return what of `params` the product cannot be made to do, or None.

    Its clock is the machine's. One that starts later than the files at hand and
    runs forward is as good as that; one that stands still or has gone back
    cannot be arranged.
    """
    if int(params.get("clock_step", "1")) <= 0:
        return "param:clock_step"
    if "clock" in params and int(params["clock"]) < newest_timestamp(directory):
        return "param:clock"
    if params.get("order", order) != order:
        return f"param:order={params['order']}"
    return None


def newest_timestamp(directory: Path) -> int:
    """Return the larger timestamp of the files that have a whole header, 0 without any."""
    paths = [directory / name for name in pair_of(directory)]
    whole = [path for path in paths if path.is_file() and path.stat().st_size >= _HEADER_LENGTH]
    return max((header_timestamp(path) for path in whole), default=0)


def write(directory: Path, params: dict[str, Any], ops: list[dict[str, Any]]) -> Iterator[Answer]:
    """Do `ops` and yield one stepwise answer for each, then the final one.

    An operation that the product refuses gets ``refused`` in its answer; what
    it has left on disk then is what the runner wants to see.
    """
    session = Session(directory, params)
    next_sequence_number(int(params.get("sequence", first_sequence_number())))
    refusals: list[Answer] = []
    durable: list[str] = []
    try:
        for number, op in enumerate(ops):
            step: Answer = {"step": str(number), "durable": False}
            try:
                step["durable"] = session.apply(op)
            except Thrown as thrown:
                refusal = failures.of_open(thrown) if op["op"] == "open" else failures.of_write(thrown)
                step["refused"] = {"code": refusal.code, "message": str(thrown)}
                refusals.append({"op": step["step"], **step["refused"]})
            if step["durable"]:
                durable.append(step["step"])
            active = session.active()
            yield step if active is None else {**step, "active": active}
    finally:
        session.abandon()
    files = [name for name in pair_of(directory) if (directory / name).exists()]
    yield {"ok": {"files": files, "refusals": refusals, "durable": durable}}
