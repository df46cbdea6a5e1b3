"""Records write traces of the KahaDB journal: batches with and without an fsync, on new files and over torn
tails.

The traces are recorded from the reference writer. A batch is kept or lost as a whole, so the place of a
record is the place of its batch. An fsync acknowledges all records of its file, and with a COMMIT or PREPARE
the commands of its transaction in all files. Other records in a file that the writer left without an fsync
are never acknowledged. No record is ever deleted from the journal: removed messages stay readable.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from journalspec.observation import jsonable
from journalspec_corpus.crash.record import EDGES, SECTOR, Operation, TabledRecorder, begun, json_key
from journalspec_corpus.crash.second_crash import CrashImage
from journalspec_corpus.crash.trace import Mark, Op, Publish, Trace, Write
from journalspec_corpus.kahadb_journal.author import payload
from journalspec_corpus.kahadb_journal.model import Messages
from journalspec_corpus.kahadb_journal.workloads import (
    CONTROL,
    FILLER,
    OWED,
    TABLES,
    VICTIM,
    Step,
    Workload,
    batch_fields,
    size_of,
    step_of,
)
from journalspec_corpus.workloads import LongWorkload
from journalspec_reference.batches import Memory
from journalspec_reference.kahadb_journal.codec import DIALECTS, sums
from journalspec_reference.kahadb_journal.fileset import id_of
from journalspec_reference.kahadb_journal.records import told
from journalspec_reference.kahadb_journal.scan import scan

FORMAT = "kahadb_journal"
#: Fields that contain the position of a record, not its content.
_PLACED = frozenset(["length", "batch_size", "checksum"])
#: The space before the first step (for the initial content) and after the last step (for fsyncs).
_STANDING, _ROOM = 300, 256
#: Length of the files of a journal that is created.
CREATED = 1024
#: Commands that end a transaction.
ENDING = ("PREPARE", "COMMIT", "ROLLBACK")


def key_of(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the name of a record: JSON of all its fields."""
    return json_key(kind, {name: value for name, value in fields.items() if name not in _PLACED})


def tx_name(fields: Mapping[str, Any]) -> str:
    """Return the transaction of a record as a text, which is empty if there is none."""
    return json.dumps(jsonable(fields["transaction"]), sort_keys=True) if "transaction" in fields else ""


class Run(TabledRecorder):
    """One run of the writer called `writer`, on data files of `length` bytes or on a crash image."""

    format = FORMAT
    model = Messages()
    journals = TABLES.rows["journals"]
    plain = TABLES.rows["long"]["plain"]
    header_size = 0

    def __init__(self, writer: str, length: int, life: int = 0, image: CrashImage | None = None) -> None:
        self.defaults = {"max_file_length": str(length)}
        super().__init__(writer, life, image)
        self.dialect = DIALECTS[self.edition]
        #: Whether each step without an fsync is a separate batch.
        self.flushing = False
        #: Records that wait for an fsync: name, file, type, transaction.
        self._waiting: list[tuple[str, str, str, str]] = []
        #: The number of uses of each name. A removal can be repeated if the transaction of an earlier removal
        #: had no effect.
        self._named: Counter[str] = Counter()

    def forcing(self, number: int) -> Operation:
        """Return an append of a TRACE record with an fsync, as the product does periodically."""
        text = payload(f"r0 TRACE text=f{self.life}.{number}")
        return {"op": "append", "payload": text.hex(), "sync": True}

    def perform(self, op: Operation, *, together: bool) -> None:
        """Append, and fsync at once unless `together` requests one fsync at the end."""
        self.apply(op if together or self.flushing else {**op, "sync": True})
        if self.flushing:
            self.apply({"op": "flush"})

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """Return the records that are safe after `op`.

        An fsync covers one file, and acknowledges all records in it (KHD-WRT-002, KHD-WRT-009).
        """
        if not durable:
            return ()
        here = [entry for entry in self._waiting if entry[1] == self.file]
        whole = {tx for *_, kind, tx in here if kind in ("PREPARE", "COMMIT")}
        safe = [entry for entry in self._waiting if entry in here or entry[3] in whole]
        self._waiting = [entry for entry in self._waiting if entry not in safe]
        return [record for record, *_ in safe]

    def did(self, item: Op, op: Operation) -> None:
        """Record `item`, and the records of its batch."""
        self.storage.note(item)
        if not (isinstance(item, Write) and id_of(item.file) is not None):
            return
        if len(item.data) >= CONTROL and item.data.startswith(self.dialect.start):
            self._batch(item)

    def _batch(self, item: Write) -> None:
        size, _ = sums(item.data, 0)
        (batch,) = scan(Memory(item.data[: CONTROL + size]), self.dialect)
        lengths = [stop - start for start, stop in zip(batch.off, batch.end, strict=True)]
        fields, length = batch_fields(lengths, self.edition)
        end = item.off + len(item.data)
        self.overwritten(item)
        self.file, self.ends[item.file] = item.file, end
        for record in told(batch, item.file, self.dialect):
            name = self.prefix + _name(record.type, record.fields)
            self._named[name] += 1
            if self._named[name] > 1:
                name += f".{self._named[name]}"
            self.marked(Mark(name, item.file, item.off, length, key_of(record.type, record.fields), fields))
            self._waiting.append((name, item.file, record.type, tx_name(record.fields)))
        # The write of a batch makes the batch live. A reader reaches it only through the bytes before it.
        self.tell(Publish, [name for name, *_ in self._waiting[-len(batch) :]])

    @property
    def position(self) -> int:
        """The position of the next batch, which replaces the end marker."""
        return self.last_end(self.file)

    def settle(self, image: CrashImage) -> None:
        """Commit the acknowledged transactions in doubt, as a transaction manager does."""
        told_of = [(mark, json.loads(mark.key)) for mark in image.standing]
        ended = {tx_name(said) for _, said in told_of if said["type"] in ("COMMIT", "ROLLBACK")}
        for _, said in told_of:
            tx = said.get("transaction", {})
            if said["type"] == "PREPARE" and tx["kind"] == "XA" and tx_name(said) not in ended:
                text = f"r0 COMMIT xa={tx['format_id']}:{tx['gtrid']}:{tx['bqual']}"
                self.apply({"op": "append", "payload": payload(text).hex(), "sync": True})


def _name(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the id of a record: its type, and its message, subscription or transaction."""
    parts = [
        kind,
        *(str(fields[name]) for name in ("message_id", "subscription_key", "text") if name in fields),
    ]
    if "subscription_info" in fields:
        parts.append("begins")
    if kind in ENDING:
        tx = fields["transaction"]
        parts += [str(jsonable(tx[name])) for name in ("kind", "connection", "number", "gtrid") if name in tx]
    return "-".join(parts)


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    if work.kind == "create":
        run = Run(work.writer, CREATED)
        run.open()
        _play(run, work, 0)
        return run.trace(work)
    run = _brought(work, 0)
    stale = run.lay(work.background, partial(_gone_on, work), [run.file])
    run.begin()
    first = _play(run, work, 0)
    return run.trace(work, stale, crash_from=first if work.settled else 0)


def _play(run: Run, work: Workload, life: int) -> int:
    run.flushing = work.force == "flush"
    return run.play(work.operations(life), together=work.force != "each")


def file_length(work: Workload) -> int:
    """Return the maximum length of the data files of `work`."""
    if work.kind == "create":
        return CREATED
    sizes = [size_of(op) for op in work.operations()]
    start = work.start(_STANDING)
    if work.force == "end":
        last = start + CONTROL + sum(sizes)
        return last - 1 if work.kind == "over" else -(-(last + _ROOM) // 512) * 512
    before = start + sum(CONTROL + size for size in sizes[:-1])
    if work.kind == "over":
        return before + sizes[-1]
    if work.kind == "past":
        return before + sizes[-1] + 1
    return -(-(before + CONTROL + sizes[-1] + _ROOM) // 512) * 512


def _brought(work: Workload, life: int) -> Run:
    """Return a run on new files in which the next batch begins at the first step's start."""
    return begun(_laid, work.writer, file_length(work), work.start(_STANDING), life)


def _laid(writer: str, length: int, start: int, life: int) -> Run:
    run = Run(writer, length, life)
    run.open()
    # An earlier generation of the journal began with the same messages.
    before = [Step("add", VICTIM, 4), Step("standing", FILLER), Step("publish", OWED, 4)]
    run.play([step.operation(0) for step in before], together=False)
    run.apply({**_filler(start - run.position), "sync": True})
    return run


def _filler(length: int) -> Operation:
    """Return a message whose batch has `length` bytes; raises ValueError if there is none."""
    for number in (FILLER, FILLER * 10, FILLER * 100):

        def filler(size: int, number: int = number) -> Operation:
            return Step("filler", number, size).operation(0)

        sizes = range(max(0, length - 96), length)
        # A longer body makes a longer batch.
        at = bisect_left(sizes, length - CONTROL, key=lambda size: size_of(filler(size)))
        if at < len(sizes) and CONTROL + size_of(filler(sizes[at])) == length:
            return filler(sizes[at])
    raise ValueError(f"no batch has {length} bytes")


def _gone_on(work: Workload, life: int) -> Run:
    """Return an earlier generation with the same layout, which is longer than a run of `work`."""
    earlier = _brought(work, 0)
    earlier.life = life
    _play(earlier, work, life)
    if work.kind == "append":
        more = [Step("add", number, 40).operation(life) for number in (12, 13)]
        earlier.play(more, together=False)
    return earlier


class LongRun(Run):
    """A run of the writer that is described by words.

    ``a1b`` ``t1b`` ``u1b``   send message 1 to the queue, to the topic, update it, with a body of size b
    ``d1`` ``k12``            remove message 1 from the queue, from the topic for subscription 2
    ``s2`` ``e2``             begin and end subscription 2
    ``cl3`` ``px3`` ``rx3``   commit, prepare, roll back transaction 3: l is a local one, x an XA one
    ``f`` ``w``               fsync; write the waiting records as a batch
    ``o`` ``n``               close, and open again; fsync, and open again without having closed

    The name of a transaction follows each operation in it (``a1bl3``). A word that ends in ``-`` gets no
    fsync, and waits in a batch. All numbers are in base 36. Sizes: ``a`` four bytes, ``b`` forty, ``c`` more
    than a sector; with ``x``, ``y`` and ``z`` the batch that the record begins ends one byte before, at and
    one byte after a sector boundary.
    """

    def __init__(self, writer: str, length: int) -> None:
        super().__init__(writer, length)
        self._steps: list[Step] = []

    def worded(self, word: str) -> Operation | None:
        """Return the operation of a word, None if it ends a transaction that was not begun."""
        step, size = step_of(word)
        if not TABLES.playable([*self._steps, step]):
            return None
        if size in EDGES:
            step = self._to_edge(step, EDGES[size])
        self._steps.append(step)
        return {**step.operation(0), "sync": not word.endswith("-")}

    def _to_edge(self, step: Step, edge: int) -> Step:
        """Return the step with the smallest larger body such that its batch ends at the wanted offset."""
        start = self.position + CONTROL - edge
        # A longer body may lengthen the fields that contain lengths, so a second pass may be needed.
        while over := (start + size_of(step.operation(0))) % SECTOR:
            step = replace(step, size=step.size + SECTOR - over)
        return step


def resumed(origin: Workload | LongWorkload, life: int, image: CrashImage) -> Run:
    """Return an unopened run of the writer of `origin` on `image`."""
    first = image.first
    size = origin.size if isinstance(origin, LongWorkload) else file_length(origin)
    # The values 1 and 2 of `life` are the generations of a background.
    run = Run(first.tags["order"], size, life + 1, image)
    run.flushing = first.tags.get("force") == "flush"
    return run
