"""Write traces of the disk journal: small workloads at every alignment, on every background.

The traces are recorded from the reference writer in three orders of writes and
forces: the spec's, and those of the products as traced. What a record is called
and when it is promised comes from the operations that were asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from journalspec_corpus.bitronix_tlog.workloads import (
    EMPTY,
    FIELDS,
    FOREIGN,
    ORDERS,
    Step,
    Workload,
    gtrid_bytes,
    operation,
    size_of,
    workloads,
)
from journalspec_corpus.crash.trace import (
    Ack,
    Mark,
    Op,
    Publish,
    RecordingStorage,
    Release,
    Trace,
    Write,
    writes_since,
)
from journalspec_reference import load
from journalspec_reference.bitronix_tlog.codec import STATUS_CODES
from journalspec_reference.storage import MemoryStorage

#: What the crash engine asks a format for: the workloads, and the trace of one.
__all__ = ["FILES", "HEADER", "Run", "build", "fields_of", "key", "key_of", "record_writes", "workloads"]

FORMAT = "bitronix_tlog"
FILES = ("btm1.tlog", "btm2.tlog")
HEADER = 21
#: Length of files of a journal that is created for a few small records.
CREATED = HEADER + 100
TIMESTAMP_AT, STATE_AT, TAIL_AT = 4, 12, 13
SECTOR = 512
_FIXED = struct.Struct(">iiiqiIB")


def key_of(data: bytes) -> str:
    """Return what a reader calls the record `data`, which a writer has just written."""
    status, _, _, time, sequence, crc, length = _FIXED.unpack_from(data)
    names, at = [], 33 + length
    for _ in range(int.from_bytes(data[29 + length : at], "big")):
        size = int.from_bytes(data[at : at + 2], "big")
        names.append(data[at + 2 : at + 2 + size].decode("ascii"))
        at += 2 + size
    return key(status, time, sequence, crc, data[29 : 29 + length].hex(), names)


def key(status: int, time: int, sequence: int, crc: int, gtrid: str, names: list[str]) -> str:
    """Return the key of a record with these fields; names are as read (U+FFFD for non-ASCII)."""
    return f"{status}:{time}:{sequence}:{crc}:{gtrid}:{','.join(names)}"


def fields_of(data: bytes) -> tuple[tuple[int, str], ...]:
    """Return the start of every field of a record, for naming the place of a tear."""
    length = data[28]
    return (
        (0, "status"),
        (4, "recordLength"),
        (8, "headerLength"),
        (12, "time"),
        (20, "sequenceNumber"),
        (24, "crc32"),
        (28, "gtridLength"),
        (29, "gtrid"),
        (29 + length, "names"),
        (len(data) - 4, "endRecord"),
    )


#: life -> the writer's first reading of the clock, and its first sequence number.
_COUNTERS = {0: ("1000000", "500"), 1: ("1000", "1"), 2: ("1000", "1")}
_FINISHED = {STATUS_CODES[name] for name in ("COMMITTED", "ROLLEDBACK", "UNKNOWN")}


class Run:
    """One run of the writer, with the annotations made as it goes.

    It begins with no files, or goes on with `files` in which the records `known`
    stand whole; the ids of new records then begin with `prefix`. Lives 1 and 2 are
    those of a background, from 3 on come those after a crash.
    """

    def __init__(
        self,
        work: Workload,
        life: int,
        files: Mapping[str, bytes] | None = None,
        known: Sequence[Mark] = (),
        prefix: str = "",
    ) -> None:
        self.work = work
        self.life = life
        self.prefix = prefix
        self.memory = MemoryStorage(dict(files or {}))
        self.storage = RecordingStorage(self.memory)
        self.active = FILES[0]
        self.tails = dict.fromkeys(FILES, HEADER)
        self.ids: dict[tuple[str, ...], str] = {}
        self.marks: list[Mark] = list(known)
        self.pending: list[str] = []
        #: record id of the COMMITTING record of each unfinished transaction
        self.dangling: dict[str, str] = {}
        self.last_step_at = 0
        self.writer: Any = None
        if files:
            self._go_on()

    def _go_on(self) -> None:
        """Take from the files which one is active and where they end, from the marks what is unfinished."""
        for name in FILES:
            header = self.memory.files.get(name, b"")[TAIL_AT : TAIL_AT + 8]
            self.tails[name] = int.from_bytes(header, "big")
        if all(name in self.memory.files for name in FILES):
            self.active = next(name for name in FILES if self._elected(name))
        for mark in sorted(self.marks, key=lambda mark: mark.off):
            status, _, _, _, gtrid, _ = mark.key.split(":", 5)
            self.ids.setdefault(_identity(int(status), gtrid, mark.length), mark.record)
            if mark.file == self.active and mark.off + mark.length <= self.tails[mark.file]:
                self._decided(int(status), gtrid, mark.record)

    def open(self, length: int = CREATED) -> None:
        """Start the writer; files that are not there yet get `length` bytes."""
        clock, sequence = _COUNTERS.get(self.life, (str(1_000_000 * self.life), str(1000 * self.life)))
        params = {
            "order": self.work.order,
            "file_length": str(length),
            "clock": clock,
            "sequence": sequence,
        }
        self.writer = load(FORMAT).writer(self.storage, edition=ORDERS[self.work.order], params=params)
        self.apply({"op": "open"})

    def apply(self, op: dict[str, Any]) -> None:
        """Do one operation and annotate what it did."""
        before = len(self.storage.ops)
        self.writer.apply(op)
        done = self.storage.ops[before:]
        del self.storage.ops[before:]
        for item in done:
            self.storage.ops.append(item)
            if isinstance(item, Write):
                self._annotate(item, op)
        if op["op"] in ("force", "close") and self.pending:
            self.storage.note(Ack(tuple(self.pending)))
            self.pending.clear()

    def _annotate(self, item: Write, op: dict[str, Any]) -> None:
        if item.off >= HEADER and len(item.data) >= EMPTY and op["op"] == "log":
            self._record(item, op)
        elif item.off == TAIL_AT and len(item.data) == 8:
            self.tails[item.file] = int.from_bytes(item.data, "big")
            if item.file == self.active:
                self._publish(item.file)
            elif op["op"] == "log" and self.tails[item.file] == HEADER:
                self._swap_begins()
        elif item.off == TIMESTAMP_AT and op["op"] == "log":
            self.active = item.file
            self._publish(item.file)

    def _record(self, item: Write, op: dict[str, Any]) -> None:
        gtrid = item.data[29 : 29 + item.data[28]].hex()
        copy = item.file != self.active
        identity = _identity(item.data[3], gtrid, len(item.data))
        record = self.ids.setdefault(identity, f"{self.prefix}r{len(self.ids)}")
        mark = Mark(record, item.file, item.off, len(item.data), key_of(item.data), fields_of(item.data))
        self.storage.note(mark)
        self.marks.append(mark)
        if not copy:
            self.pending.append(record)
            self._decided(item.data[3], gtrid, record)

    def _decided(self, status: int, gtrid: str, record: str) -> None:
        """Note what `record` says of its transaction: it is still to be finished, or it is finished."""
        if status == STATUS_CODES["COMMITTING"]:
            self.dangling[gtrid] = record
        elif status in _FINISHED:
            self.dangling.pop(gtrid, None)

    def _elected(self, file: str) -> bool:
        """Tell whether the timestamps written so far make `file` the active one at the next start."""
        mine, other = (
            int.from_bytes(self.memory.files[name][TIMESTAMP_AT:STATE_AT], "big", signed=True)
            for name in (file, *(name for name in FILES if name != file))
        )
        return mine > other or (mine == other and file == FILES[1])

    def _publish(self, file: str) -> None:
        """Note what counts from here on: nothing in a file that would not be elected (a defect of 2.1.4)."""
        if not self._elected(file):
            return
        ids = [
            mark.record
            for mark in self.marks
            if mark.file == file and mark.off + mark.length <= self.tails[file]
        ]
        if ids:
            self.storage.note(Publish(tuple(dict.fromkeys(ids))))

    def _swap_begins(self) -> None:
        kept = set(self.dangling.values())
        gone = [mark.record for mark in self.marks if mark.record not in kept]
        if gone:
            self.storage.note(Release(tuple(dict.fromkeys(gone))))

    def play(self) -> None:
        """Do the steps, forcing as the workload says."""
        for number, step in enumerate(self.work.steps, start=1):
            last = number == len(self.work.steps)
            if last:
                self.last_step_at = len(self.storage.ops)
            self.apply(operation(step, self.life))
            if last and self.work.kind == "close":
                self.last_step_at = len(self.storage.ops)
                self.apply({"op": "close"})
            elif self.work.force == "each" or last:
                self.apply({"op": "force"})


def _identity(status: int, gtrid: str, length: int) -> tuple[str, ...]:
    """Return what a record and its copies have in common."""
    return str(status), gtrid, str(length)


def _lengths(work: Workload) -> tuple[int, int]:
    """Return where the first step's record starts, and the length of both files."""
    steps = [size_of(operation(step, 0)) for step in work.steps]
    back = steps[0] - 4 if work.align == "endRecord" else FIELDS[work.align]
    start = work.edge - back
    while start < HEADER + 128:
        start += SECTOR
    if work.kind == "swap":
        # One byte too short for the last step, also for writers that use the last byte.
        return start, start + sum(steps) - 1
    return start, -(-(start + sum(steps) + 64) // 4096) * 4096


def _prepare(work: Workload, life: int) -> Run:
    """Return a run whose log ends where the first step's record is to start."""
    run = Run(work, life)
    start, length = _lengths(work)
    if work.kind == "create":
        return run
    run.open(length)
    unfinished = operation(Step("COMMITTING", 0, "typical"), 0)
    unfinished["gtrid"] = gtrid_bytes(15, 16, life).hex()
    room = start - HEADER - size_of(unfinished)
    filler = {"op": "log", "type": "ACTIVE", "gtrid": gtrid_bytes(14, 1, life).hex(), "names": []}
    if room > size_of(filler) + 2:
        filler["names"] = ["p" * (room - size_of(filler) - 2)]
    else:
        filler["gtrid"] = gtrid_bytes(14, room - EMPTY, life).hex()
    run.apply(filler)
    run.apply(unfinished)
    run.apply({"op": "force"})
    return run


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    run = _prepare(work, 0)
    stale: tuple[Mark, ...] = ()
    if work.kind == "create":
        base: dict[str, bytes] = {}
        standing: tuple[Mark, ...] = ()
        run.open()
    else:
        stale = _lay_background(run, work)
        base = {name: bytes(data) for name, data in run.memory.files.items()}
        standing = tuple(run.marks)
        run.storage.ops.clear()
    run.play()
    ops: tuple[Op, ...] = tuple(run.storage.ops)
    tags = {"kind": work.kind, "order": work.order, "align": work.align, "force": work.force}
    tags["sizes"] = ",".join(step.size for step in work.steps)
    first = 0 if work.kind == "create" else run.last_step_at
    return Trace(
        FORMAT, ORDERS[work.order], work.name, base, ops, work.background, standing, stale, first, tags
    )


def _lay_background(run: Run, work: Workload) -> tuple[Mark, ...]:
    """Put the workload's background behind the tail of both files; return the stale records in it."""
    if work.background == "zero":
        return ()
    if work.background == "garbage":
        for number, name in enumerate(FILES):
            content = run.memory.files[name]
            content[run.tails[name] :] = _noise(len(content) - run.tails[name], number)
        return ()
    if work.background == FOREIGN:
        return _lay_foreign(run, work)
    life = 1 if work.background == "stale-same" else 2
    earlier = _prepare(replace(work, background="zero"), life)
    before = len(earlier.marks)
    # The earlier life went on in the same layout, and further than this run will.
    earlier.play()
    _play_on(earlier)
    for name in FILES:
        content, old = run.memory.files[name], earlier.memory.files[name]
        content[run.tails[name] :] = old[run.tails[name] :]
    return tuple(
        replace(mark, record=f"stale-{number}")
        for number, mark in enumerate(earlier.marks[before:])
        if mark.off >= run.tails[mark.file]
    )


def _lay_foreign(run: Run, work: Workload) -> tuple[Mark, ...]:
    """Let every block behind the tail be one of another journal, header first; return its records."""
    other = _prepare(replace(work, background="zero"), 1)
    other.play()
    _play_on(other)
    found = []
    for name in FILES:
        content, old = run.memory.files[name], other.memory.files[name]
        start = -(-run.tails[name] // SECTOR) * SECTOR
        content[start:] = old[: len(content) - start]
        moved = (replace(mark, off=mark.off + start) for mark in other.marks if mark.file == name)
        found += [mark for mark in moved if mark.off + mark.length <= len(content)]
    return tuple(replace(mark, record=f"stale-{number}") for number, mark in enumerate(found))


def _play_on(run: Run) -> None:
    """Log two more small records if they fit without a swap."""
    if run.work.kind != "append":
        return
    for number in (12, 13):
        run.apply(operation(Step("COMMITTING", number, "typical"), run.life))
    run.apply({"op": "force"})


@lru_cache(maxsize=256)
def _noise(length: int, number: int) -> bytes:
    """Return `length` bytes that look like nothing, the same ones every time."""
    state = 0x9E3779B9 + number
    out = bytearray()
    while len(out) < length:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out += (state >> 32).to_bytes(4, "big")
    return bytes(out[:length])


def record_writes(trace: Trace) -> list[Write]:
    """Return the writes of a trace that put records down."""
    return [op for op in writes_since(trace.ops, 0) if op.off >= HEADER]
