"""Records write traces of Derby's log: small workloads at every alignment, and long ones.

The traces are recorded from the reference writer. A group is one write. It is valid as a whole, because its
first record has the checksum of the others; in an edition without checksums, each record is valid alone. An
fsync covers the whole log. No record is ever removed from the log: deleted rows stay readable in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from journalspec_corpus.crash.record import Operation, TabledRecorder, begun, json_key
from journalspec_corpus.crash.second_crash import CrashImage
from journalspec_corpus.crash.trace import Mark, Op, Publish, Trace, Write
from journalspec_corpus.derby_log.model import TableRows
from journalspec_corpus.derby_log.naive import HEADER, Log
from journalspec_corpus.derby_log.workloads import (
    FILLER,
    TABLES,
    VICTIM,
    Step,
    Workload,
    forced,
    group_fields,
    record_fields,
    step_of,
)
from journalspec_corpus.workloads import LongWorkload

FORMAT = "derby_log"
#: The fields of a record that are part of its key, if the record has them.
_TOLD = (
    *("type", "instant", "transaction", "group", "status", "global_id"),
    *("container", "page", "page_version", "record_id", "data"),
)
#: A checksum record does not represent an operation.
SUM = "CHECKSUM"
#: The status of a transaction in doubt.
PREPARED = 2
#: Space before the first step, for the starting content; the log switch interval; the offset at which the
#: first step of an ``over`` run begins.
_STANDING, _INTERVAL, _NEAR = 600, 100000, 99500
#: The length of values in the rows that fill most of a file.
_LARGE = 23000
#: Operations that perform an fsync of the log. Outside a transaction, all other operations also perform one.
_FORCING = frozenset(["open", "commit", "prepare", "decide", "checkpoint", "close"])


def key_of(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the name of a record: the JSON of its fields and its position."""
    if "global_id" in fields:
        return json_key(kind, {name: value for name in _TOLD if (value := fields.get(name)) is not None})
    return _plain_key(kind, *map(fields.get, _TOLD))


#: The states of a trace share most records.
@lru_cache(1 << 12)
def _plain_key(kind: str, *values: Any) -> str:
    return json_key(
        kind, {name: value for name, value in zip(_TOLD, values, strict=True) if value is not None}
    )


class Run(TabledRecorder):
    """One run of the writer called `writer`, on new files or on a crash image."""

    format = FORMAT
    model = TableRows()
    plain = TABLES.rows["long"]["plain"]
    journals = TABLES.rows["journals"]
    defaults = {"log_switch_interval": str(_INTERVAL)}  # noqa: RUF012 - never changed
    header_size = HEADER

    def forcing(self, number: int) -> Operation:
        """Return an insert of a row into the other table, which causes an fsync of the log."""
        return forced(self.life, number)

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """Return the records that are safe after `op`.

        The end of a transaction fsyncs the log, with the records of all other transactions (DRB-WRT-080).
        """
        if op["op"] not in _FORCING and "tx" in op:
            return ()
        safe, self.pending = self.pending, []
        return [record for record, _ in safe]

    def did(self, item: Op, op: Operation) -> None:
        """Record `item`, and the records of its group."""
        self.storage.note(item)
        if isinstance(item, Write) and item.file.endswith(".dat") and item.off >= HEADER:
            self._group(item)

    def _group(self, item: Write) -> None:
        number = int(item.file[3:-4])
        # Earlier content is ignored.
        log = Log({number: bytes(item.off) + item.data}, self.edition)
        found = [said for said in log.run(number, item.off)[0] if said["type"] != SUM]
        if not found:
            return
        self.overwritten(item)
        self.file, self.ends[item.file] = item.file, item.off + len(item.data)
        for said in found:
            file, position = divmod(said["instant"], 1 << 32)
            name = f"{self.prefix}{said['type']}-{said.get('transaction', 0)}-{file}.{position}"
            place, fields = (item.off, len(item.data)), group_fields(self.edition)
            if self.edition == "10.0":
                place = said["at"]["off"], said["at"]["len"]
                fields = record_fields(place[1])
            self.marked(Mark(name, item.file, *place, key_of(said["type"], said), fields))
            self.pending.append((name, 0))
        self.tell(Publish, [name for name, _ in self.pending[-len(found) :]])

    @property
    def position(self) -> int:
        """The offset of the next group."""
        return self.end_of(self.file)

    def settle(self, image: CrashImage) -> None:
        """Commit the acknowledged transactions in doubt, as a transaction manager does."""
        ends = {said["transaction"]: said for said in _ends(image.standing)}
        # A rollback is not fsynced, so its record may be lost.
        arrived = {said["transaction"] for said in _ends(set(image.possible).intersection(image.whole))}
        for number, said in reversed(ends.items()):
            if int(said["status"]) == PREPARED and number not in arrived:
                ids = {name: said["global_id"][name] for name in ("gtrid", "bqual")}
                self.apply({"op": "decide", **ids, "commit": True})


def _ends(marks: Iterable[Mark]) -> Iterator[dict[str, Any]]:
    """Yield the fields of the transaction ends among `marks`."""
    return (said for mark in marks if (said := json.loads(mark.key))["type"] == "END")


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    over = work.kind == "over"
    if work.kind == "create":
        run = _created(work.writer)
    else:
        run = begun(_laid, work.writer, work.start(_NEAR if over else _STANDING), over)
        run.begin()
    first = run.play(work.operations(), together=work.force != "each")
    return run.trace(work, crash_from=first if work.settled else 0)


def _created(writer: str) -> Run:
    run = Run(writer)
    run.open()
    run.apply(Step("insert", VICTIM, 4).operation(0))
    return run


def _laid(writer: str, start: int, over: bool) -> Run:
    """Return a run on a new database in which the next group begins at `start`."""
    least = 40
    while True:
        run = _created(writer)
        if over:
            # Rows that fill most of the file.
            for number in range(60, 63):
                run.apply(Step("insert", number, _LARGE).operation(0))
            run.apply(Step("insert", 63, _LARGE // 2).operation(0))
        run.apply({**Step("insert", FILLER, least).operation(0), "table": "U"})
        if run.position == start:
            return run
        least += start - run.position
        if least < 0:
            raise ValueError(f"no group begins at {start}")


class LongRun(Run):
    """A run of the writer that is described by words.

    ``i1b`` ``u1b`` ``d1``    insert, update, delete row 1, with a value of size b
    ``sx2``                   begin XA transaction 2; a local one begins with its first operation (``i1bl1``)
    ``cl1`` ``rl1`` ``px2``   commit, roll back, prepare a transaction
    ``yx2`` ``zx2``           commit and roll back a prepared one
    ``k`` ``o`` ``n``         a checkpoint; close, and open again; open again without having closed

    All numbers are in base 36. Sizes: ``a`` means four letters, ``b`` forty, ``c`` more than a sector, ``d``
    a value so long that five of them fill a file.
    """

    def __init__(self, writer: str, length: int) -> None:
        super().__init__(writer)
        self._steps: list[Step] = []

    def worded(self, word: str) -> Operation | None:
        """Return the operation of a word, or None if its object does not exist."""
        step = step_of(word)
        if not TABLES.playable([*self._steps, step]):
            return None
        self._steps.append(step)
        return step.operation(0)


def resumed(origin: Workload | LongWorkload, life: int, image: CrashImage) -> Run:
    """Return an unopened run of the writer of `origin` on `image`."""
    # The values 1 and 2 of `life` are the generations of a background.
    return Run(image.first.tags["order"], life + 1, image)
