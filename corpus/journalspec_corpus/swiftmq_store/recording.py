"""Records write traces of a store: of its log, its pages, and the effects of a checkpoint on both.

The traces are recorded from the reference writer. A record of the log is valid alone, if it is complete.
START ends a generation. By then the changes of the generation's records are in the pages, so the records are
no longer required.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import pack

from journalspec.observation import Record
from journalspec_corpus.crash.record import Operation, Recorder, begun, json_key
from journalspec_corpus.crash.second_crash import CrashImage
from journalspec_corpus.crash.trace import Mark, Op, Publish, Release, Trace, Write
from journalspec_corpus.swiftmq_store.author import LOG, PAGE
from journalspec_corpus.swiftmq_store.model import QueuedMessages
from journalspec_corpus.swiftmq_store.workloads import TABLES, Step, Workload, meaning
from journalspec_corpus.workloads import LongWorkload
from journalspec_reference.batches import Memory
from journalspec_reference.swiftmq_store.recover import told
from journalspec_reference.swiftmq_store.scan import START, START_SIZE, Log

FORMAT = "swiftmq_store"
#: The log is short, because each state contains all of it. Only with `force_sync`, an acknowledged operation
#: is durable.
PARAMS = {"checkpoint_size": "16384", "force_sync": "true"}
STANDING = ("insert queue=q body=old", "insert queue=q body=x*2500")
#: The starts of a record's fields; all actions are one field.
FIELDS = ((0, "type"), (4, "generation"), (12, "transaction"), (20, "number"), (24, "actions"))
#: An upper bound for the number of pages of a store in these workloads.
MOST = 1 << 16


def records(data: bytes) -> Iterator[Record]:
    """Yield the records of one write to a tagged log, as the reference reads them."""
    log = Log(Memory(pack(">i", START) + data[4:START_SIZE] + data), PAGE, MOST)
    return (record for batch in log.scan() for record in told(log, LOG, batch) if record.type != "START")


class Run(Recorder):
    """One run of the writer, on new files or on a crash image."""

    format = FORMAT
    header_size = START_SIZE
    params = PARAMS
    in_vain = True

    def __init__(self, life: int = 0, image: CrashImage | None = None) -> None:
        super().__init__("13", life, image)
        #: Records of this generation.
        self._young = [mark.record for mark in self.marks]

    def perform(self, op: Operation, *, together: bool) -> None:
        """Do one operation; the writer performs fsyncs by itself."""
        if op["op"] == "open":
            self.open()
        else:
            self.apply(op)

    def forcing(self, number: int) -> None:
        """Return None, because every record is already fsynced."""

    def did(self, item: Op, op: Operation) -> None:
        """Record `item`, and the records in it."""
        in_log = isinstance(item, Write) and item.file == LOG
        if isinstance(item, Write) and in_log and item.off == 0 and len(item.data) == START_SIZE:
            # The deletion comes before the write, because any part of START may arrive.
            self.tell(Release, self._young)
            self._young = []
        self.storage.note(item)
        # A write of zeros only sets the length of the file.
        if isinstance(item, Write) and in_log and item.off >= START_SIZE and any(item.data):
            self._records(item)

    def _records(self, item: Write) -> None:
        names = []
        for record in records(item.data):
            off = item.off + record.at.off - START_SIZE
            name = f"{self.prefix}{record.type}-{record.fields['generation']}-{off}"
            key = json_key(record.type, record.fields)
            self.marked(Mark(name, LOG, off, record.at.length, key, FIELDS))
            names.append(name)
        self._young += names
        self.pending += [(name, 0) for name in names]
        self.tell(Publish, names)
        self.ends[LOG] = item.off + len(item.data)


def brought() -> Run:
    """Return a run on a store with two messages, whose log is still in its first generation."""
    run = Run()
    run.open()
    for step in STANDING:
        run.apply(Step(step).operation(0))
    return run


class LongRun(Run):
    """A run of the writer that is described by words; queue r belongs to transaction t.

    ``i1b``         insert a message of size b into queue q; sizes: ``a`` one character, ``b`` two pages
    ``d1``          remove the message that is the first of queue q by its key
    ``t1b`` ``x1``  insert into and remove from queue r, in the transaction
    ``ct`` ``rt`` ``pt``  commit, roll back, prepare it
    ``yt`` ``zt``   commit and roll back the branch in doubt
    ``s1b``         swap a message out
    ``k`` ``o`` ``n``     a checkpoint; close, and open again; open again without having closed

    All numbers are in base 36.
    """

    model = QueuedMessages()
    plain = TABLES.rows["long"]["plain"]

    def __init__(self, writer: str, length: int) -> None:
        super().__init__()

    def worded(self, word: str) -> Operation:
        """Return the operation of a word; the writer refuses an operation on an absent object."""
        return meaning(word)

    def apply(self, op: Operation) -> None:
        """Do one operation, and report it to the model."""
        super().apply(op)
        self.learn(op)


def resumed(origin: Workload | LongWorkload, life: int, image: CrashImage) -> Run:
    """Return a run of the writer on `image`, not opened yet."""
    return Run(life, image)


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    if work.kind == "create":
        run = Run()
        run.open()
    else:
        run = begun(brought)
        run.begin()
    run.play(work.operations(), together=False)
    return run.trace(work)
