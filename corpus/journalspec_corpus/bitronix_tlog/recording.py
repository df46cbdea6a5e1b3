"""Records write traces of the disk journal: small workloads at every alignment and background, and long ones.

The traces are recorded from the reference writer, in three orders of writes and fsyncs: the order of the
specification, and two orders traced from products. The model determines which decisions a swap must copy:
those that are still unfinished.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from journalspec_corpus.bitronix_tlog.model import Decisions
from journalspec_corpus.bitronix_tlog.workloads import (
    EDITION,
    EMPTY,
    ORDERS,
    RECORDS,
    TABLES,
    Step,
    Workload,
    gtrid_bytes,
    logged,
    size_of,
)
from journalspec_corpus.crash.record import Keys, Operation, Recorder, begun, missing
from journalspec_corpus.crash.second_crash import CrashImage
from journalspec_corpus.crash.trace import Mark, Op, Publish, Release, Reuse, Trace, Write
from journalspec_reference.bitronix_tlog.codec import (
    HEADER_SIZE,
    POSITION_AT,
    STATE_AT,
    STATUS_CODES,
    TIMESTAMP_AT,
)
from journalspec_reference.bitronix_tlog.scan import record_of

FORMAT = "bitronix_tlog"
FILES = ("btm1.tlog", "btm2.tlog")
#: The key by which a reader identifies a record.
KEYS = Keys(FORMAT, dict.fromkeys(("status", "time", "sequence_number", "crc32", "gtrid", "names")))
#: The length of the files of a journal that is created for a few small records.
CREATED = HEADER_SIZE + 100
#: Maps the number of a generation of the files (`life`) to the writer's first clock value and first sequence
#: number. Generations 1 and 2 belong to a background; runs after a crash have the number 3 or more.
_COUNTERS = {0: (1_000_000, 500), 1: (1000, 1), 2: (1000, 1)}
#: The space between a file's header and the record of the first step, for records that come before that step.
_STANDING = 128
#: The smallest length of the single name in a record that must end at a sector boundary.
_SHORTEST = 8


class Run(Recorder):
    """Represents one run of the writer with `order`, on new files of `length` bytes or on a crash image.

    `ends` are the tails in the headers.
    """

    format = FORMAT
    model = Decisions()
    plain = TABLES.rows["long"]["plain"]
    header_size = HEADER_SIZE

    def __init__(
        self, order: str, life: int = 0, length: int = CREATED, image: CrashImage | None = None
    ) -> None:
        super().__init__(ORDERS[order], life, image)
        self.order, self.length = order, length
        self.active = FILES[0]
        self.ends = dict.fromkeys(FILES, HEADER_SIZE)
        self._ids: dict[tuple[int, str, int], str] = {}
        #: the record id of the latest decision on each transaction
        self._decisions: dict[str, str] = {}
        #: maps each file to the timestamp written in its header so far
        self._stamps: dict[str, int] = {}
        self._released: set[str] = set()
        #: The target file of an unfinished swap, or empty.
        self._swapping = ""
        if image is not None and image.files:
            self._go_on(image.required)

    def _go_on(self, required: Collection[str]) -> None:
        """Find the active file and the tails from the headers, and unfinished decisions from the marks."""
        for name in FILES:
            header = self.storage.files.get(name, b"")[POSITION_AT:HEADER_SIZE]
            self.ends[name] = int.from_bytes(header, "big")
        self._stamped()
        if all(name in self.storage.files for name in FILES):
            self.active = next(name for name in FILES if self._elected(name))
        marks = sorted(self.marks, key=lambda mark: mark.off)
        for mark in marks:
            fields = KEYS.read(mark.key)
            self._ids.setdefault((int(fields["status"]), fields["gtrid"], mark.length), mark.record)
        here = [mark for mark in marks if mark.file == self.active]
        here = [mark for mark in here if mark.off + mark.length <= self.ends[mark.file]]
        # A record is required even if it was acknowledged in a file that is not elected (a defect of 2.1.4).
        found = {mark.record for mark in here}
        for mark in (
            *here,
            *(mark for mark in marks if mark.record in required and mark.record not in found),
        ):
            self._decided(mark)

    def counters(self) -> tuple[int, int]:
        """Return the first reading of the clock, and the first sequence number."""
        return _COUNTERS.get(self.life, (1_000_000 * self.life, 1000 * self.life))

    def open(self) -> None:
        """Start a writer on the existing files."""
        clock, sequence = map(str, self.counters())
        told = {"order": self.order, "file_length": str(self.length)}
        self.params = {**told, "clock": clock, "sequence": sequence}
        super().open()

    def perform(self, op: Operation, *, together: bool) -> None:
        """Log a record, and perform an fsync at once, unless `together` requests one fsync at the end."""
        try:
            self.apply(op)
        finally:
            if not together:
                self.apply({"op": "force"})

    def did(self, item: Op, op: Operation) -> None:
        """Record `item`, the records in it, and the records that it makes live."""
        self.storage.note(item)
        if not isinstance(item, Write):
            return
        logging = op["op"] == "log"
        if not logging:
            self._stamped()
        if op["op"] == "open" and item.off == STATE_AT:
            # The writer continues in the file that it elects. After a swap of 2.1.4, this is the old file.
            self.active = item.file
        if item.off == POSITION_AT and len(item.data) == HEADER_SIZE - POSITION_AT:
            self.ends[item.file] = int.from_bytes(item.data, "big")
            begins = self.ends[item.file] == HEADER_SIZE and self._swapping != item.file
            if logging and begins and item.file != self.active:
                self._swapping = item.file
                self._swap_begins(item)
            # A tail also makes copies live if their file has already been elected (a defect of 2.1.4).
            self._publish(item.file)
        elif logging and item.off == TIMESTAMP_AT:
            self.active, self._swapping = item.file, ""
            self._stamps[item.file] = int.from_bytes(item.data, "big", signed=True)
            self._publish(item.file)
        elif logging and item.off >= HEADER_SIZE and len(item.data) >= EMPTY:
            self._record(item)

    def _record(self, item: Write) -> None:
        written = record_of(item.data)
        if written is None:
            raise ValueError(f"the writer wrote no record: {item.data.hex()}")
        values: Mapping[str, Any] = written.fields
        status, gtrid = values["status"], values["gtrid"]
        names = [{"name": name} for name in values["names"]]
        fields, length = RECORDS.starts(EDITION, "", {"gtrid": gtrid, "names": names})
        # A copy in the other file counts as the same record.
        record = self._ids.setdefault((status, gtrid.hex(), length), f"{self.prefix}r{len(self._ids)}")
        mark = Mark(record, item.file, item.off, length, KEYS.of(values), fields)
        # The bytes of an earlier generation are overwritten here, so no tail makes them live any more.
        self.overwritten(item)
        self.marked(mark)
        if item.file == self.active:
            self.pending.append((record, 0))
            self._decided(mark)

    def _decided(self, mark: Mark) -> None:
        """Report the record of `mark` to the model."""
        fields = KEYS.read(mark.key)
        self.learn({"op": "log", **fields, "names": [name for name in fields["names"].split(",") if name]})
        if int(fields["status"]) == STATUS_CODES["COMMITTING"]:
            self._decisions[fields["gtrid"]] = mark.record

    def _elected(self, file: str) -> bool:
        """Return whether the timestamps written so far make `file` the active one at the next start."""
        mine, other = (
            self._stamps.get(name, 0) for name in (file, *(name for name in FILES if name != file))
        )
        return mine > other or (mine == other and file == FILES[1])

    def _stamped(self) -> None:
        """Read the timestamps of all files, outside of an operation."""
        for name, data in self.storage.files.items():
            self._stamps[name] = int.from_bytes(data[TIMESTAMP_AT:STATE_AT], "big", signed=True)

    def _publish(self, file: str) -> None:
        """Set the live records to those of `file`, or to none if the file would not be elected (a 2.1.4
        defect).
        """
        if self._elected(file):
            below = (mark for mark in self.marks if mark.file == file)
            counting = [mark.record for mark in below if mark.off + mark.length <= self.ends[file]]
            self.tell(Publish, counting)

    def _swap_begins(self, item: Write) -> None:
        """Mark the records that the swap does not copy as deleted: they are unreachable from here on."""
        kept = {self._decisions[gtrid] for gtrid in self.kept}
        over = [mark.record for mark in self.marks if mark.record not in kept]
        # A decision that an earlier swap of 2.1.4 did not copy may have been finished since.
        over += [record for record in self._decisions.values() if record not in kept | self._released]
        self._released.update(over)
        self.tell(Release, over)

    def settle(self, image: CrashImage) -> None:
        """Log the commit of every unfinished transaction, as a recovery manager does, and fsync the log."""
        for gtrid in self.kept:
            self.attempt(logged("COMMITTED", bytes.fromhex(gtrid)))
        self.apply({"op": "force"})

    def continued(self, then: str, ops: list[Operation], image: CrashImage) -> list[Operation]:
        """Return `ops`; for ``swap``, the first record is one byte longer than the file's remaining space."""
        if then == "swap":
            room = max(self.storage.size(name) for name in FILES) - self.ends[self.active]
            ops[0]["names"].append("s" * max(1, room - size_of(ops[0])))
        return ops


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    if work.kind == "create":
        run = Run(work.writer)
        run.open()
        _play(run, work, 0)
        return run.trace(work)
    run = _prepared(work, 0)
    stale = run.lay(work.background, partial(_gone_on, work), FILES)
    run.begin()
    return run.trace(work, stale, crash_from=_play(run, work, 0))


def _play(run: Run, work: Workload, life: int) -> int:
    """Do the steps; return the index in the trace from which crashes are of interest."""
    ops = work.operations(life)
    if work.kind != "close":
        return run.play(ops, together=work.force == "end")
    run.apply(ops[-1])
    last = len(run.storage.ops)
    run.apply({"op": "close"})
    return last


def _prepared(work: Workload, life: int) -> Run:
    """Return a run whose log ends at the start of the first step's record."""
    start, steps = work.start(HEADER_SIZE + _STANDING), sum(map(size_of, work.operations()))
    # For a swap, the file is one byte too short for the last step, even if the writer uses the file's last
    # byte.
    length = start + steps - 1 if work.kind == "swap" else -(-(start + steps + 64) // 4096) * 4096
    return begun(_brought, work.writer, life, length, start)


def _brought(order: str, life: int, length: int, start: int) -> Run:
    """Return a run on new files whose log ends at `start`."""
    run = Run(order, life, length)
    run.open()
    unfinished = Step("COMMITTING", 0, "typical").operation(0)
    unfinished["gtrid"] = gtrid_bytes(15, 16, life).hex()
    room = start - HEADER_SIZE - size_of(unfinished)
    filler = logged("ACTIVE", gtrid_bytes(14, 1, life))
    if room > size_of(filler) + 2:
        filler["names"] = ["p" * (room - size_of(filler) - 2)]
    else:
        filler["gtrid"] = gtrid_bytes(14, room - EMPTY, life).hex()
    run.play([filler, unfinished], together=True)
    return run


def _gone_on(work: Workload, life: int) -> Run:
    """Return an earlier generation with the same layout, which is longer than a run of `work`."""
    earlier = _prepared(work, life)
    _play(earlier, work, life)
    if work.kind == "append":
        more = [Step("COMMITTING", number, "typical").operation(life) for number in (12, 13)]
        earlier.play(more, together=True)
    return earlier


class LongRun(Run):
    """A run of the writer that is described by words.

    ``c1b`` ``a1b`` ``p1b``   log COMMITTING, ACTIVE or PREPARED for transaction 1 with size b
    ``b1b``                   log ROLLING_BACK
    ``d1`` ``r1`` ``u1``      log COMMITTED, ROLLEDBACK or UNKNOWN for it
    ``f``                     fsync
    ``o``                     close, and open again
    ``k``                     fsync, and open again without having closed

    Transactions are numbered in base 36. Sizes: ``a`` has no names, ``b`` two short ones, ``c`` takes most of
    a sector, ``d`` nearly three sectors. Records of size ``x``, ``y`` and ``z`` end one byte before, at and
    one byte after a sector boundary.
    """

    def __init__(self, order: str, length: int) -> None:
        super().__init__(order, length=length)
        self._opened = 0

    def counters(self) -> tuple[int, int]:
        """Continue with a clock and sequence numbers above those of the last writer."""
        self._opened += 1
        return 1_000_000 * self._opened, 1000 * self._opened

    def _swap_begins(self, item: Write) -> None:
        write = self.storage.ops.pop()
        self.storage.note(Reuse(item.file), write)
        super()._swap_begins(item)
        # From here on, old content of the file belongs to an earlier generation, because the tail will pass
        # it again.
        self.marks = [mark for mark in self.marks if mark.file != item.file]

    def worded(self, word: str) -> Operation | None:
        """Return the ``log`` operation of a word.

        Return None if the word finishes a decision that does not exist.
        """
        table = TABLES.rows["long"]
        op = logged(table["types"][word[0]], bytes([0x41 + int(word[1], 36)]) * 16)
        if word[0] in "dru":
            op["names"] = sorted(self.kept.get(op["gtrid"], ()))
            return op if op["gtrid"] in self.kept else None
        lengths = table["names"].get(word[2])
        if lengths is not None:
            op["names"] = [letter * length for letter, length in zip("np", lengths, strict=False)]
            return op
        # The tail on disk may be too low, so the records determine the position of the next record.
        end = self.last_end(self.active) + size_of({**op, "names": ["e" * _SHORTEST]})
        op["names"] = ["e" * (_SHORTEST + missing(end, word[2]))]
        return op


def resumed(origin: Any, life: int, image: CrashImage) -> Run:
    """Return a run, on these files, of the writer that wrote `image`.

    The run is not opened, and `origin` is not used.
    """
    # The values 1 and 2 of `life` are the generations of a background.
    return Run(image.first.tags["order"], life + 1, CREATED, image)
