"""Write traces of a store: its log, its pages, and what a checkpoint does to both.

The traces are recorded from the reference writer. A record of the log counts alone, once it is whole. With
START a generation ends: what its records did is in the pages by then, and nothing is owed of them any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from struct import unpack_from
from typing import Any

from journalspec.observation import jsonable
from journalspec_corpus.crash.recorder import Operation, Recorder, begun
from journalspec_corpus.crash.trace import Mark, Op, Publish, Release, Trace, Write
from journalspec_corpus.swiftmq_store.author import LOG
from journalspec_corpus.swiftmq_store.workloads import Workload, operation
from journalspec_reference import load

FORMAT = "swiftmq_store"
#: The log is short: a state has all of it. `force_sync` is what makes acknowledgements mean something.
PARAMS = {"checkpoint_size": "16384", "force_sync": "true"}
STANDING = ("insert queue=q body=old", "insert queue=q body=x*2500")
TYPES = {2: "COMMIT", 3: "ABORT"}
#: Where the fields of a record begin; all actions are one.
FIELDS = ((0, "type"), (4, "generation"), (12, "transaction"), (20, "number"), (24, "actions"))
START, HEAD = 12, 24


def key_of(kind: str, fields: Mapping[str, Any]) -> str:
    """Return what a reader calls a record: JSON of all that it says."""
    return json.dumps({"type": kind, **jsonable_of(fields)}, sort_keys=True, separators=(",", ":"))


def jsonable_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields under the JSON rules of observations."""
    return {name: jsonable(value) for name, value in fields.items()}


def record_json(keys: list[str]) -> dict[str, Any]:
    """Return a record as an observation lists it; one record has one key."""
    found: dict[str, Any] = json.loads(keys[0])
    return found


def records(data: bytes) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    """Yield place, length, type and fields of the records in what was written to a tagged log at once."""
    off = 0
    while off < len(data):
        kind, generation, transaction, number = unpack_from(">iqqi", data, off)
        at, actions = off + HEAD, []
        for _ in range(number):
            action, at = _action(data, at)
            actions.append(action)
        fields = {"generation": generation, "transaction": transaction, "actions": actions}
        yield off, at - off, TYPES[kind], fields
        off = at


def _action(data: bytes, at: int) -> tuple[dict[str, Any], int]:
    def image() -> bytes:
        nonlocal at
        (length,) = unpack_from(">i", data, at)
        at += 4 + length
        return data[at - length : at]

    kind, page = unpack_from(">ii", data, at)
    at += 8
    if kind == 1:
        return {"action": "INSERT", "page": page}, at
    if kind == 3:  # as the table of bytes has it
        return {"action": "DELETE", "page": page, "before": image()}, at
    off, told = unpack_from(">iB", data, at)
    at += 5
    out: dict[str, Any] = {"action": "PORTION", "page": page, "offset": off}
    if told:
        out["before"] = image()
    return {**out, "after": image()}, at


class Run(Recorder):
    """One run of the writer."""

    format = FORMAT
    header_size = START

    def __init__(self) -> None:
        super().__init__("13")
        #: Records of this generation, and those that are not promised yet.
        self._young: list[str] = []
        self._waiting: list[str] = []

    def open(self) -> None:
        """Start a writer on the files that are there."""
        self.writer = load(FORMAT).writer(self.storage, edition=self.edition, params=PARAMS)
        self.apply({"op": "open"})

    def perform(self, op: Operation, *, together: bool) -> None:
        """Do one operation: the writer forces by itself."""
        if op["op"] == "open":
            self.open()
        else:
            self.apply(op)

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """A record is forced as soon as it is written."""
        if not durable:
            return ()
        safe, self._waiting = self._waiting, []
        return safe

    def did(self, item: Op, op: Operation) -> None:
        """Note `item`, and the records in it."""
        in_log = isinstance(item, Write) and item.file == LOG
        if isinstance(item, Write) and in_log and item.off == 0 and len(item.data) == START:
            # Before it is written: any part of it may arrive.
            self.tell(Release, self._young)
            self._young = []
        self.storage.note(item)
        # Zeros give the file its length.
        if isinstance(item, Write) and in_log and item.off >= START and any(item.data):
            self._records(item)

    def _records(self, item: Write) -> None:
        names = []
        for off, length, kind, fields in records(item.data):
            name = f"{kind}-{fields['generation']}-{item.off + off}"
            self.marked(Mark(name, LOG, item.off + off, length, key_of(kind, fields), FIELDS))
            names.append(name)
        self._young += names
        self._waiting += names
        self.tell(Publish, names)
        self.ends[LOG] = item.off + len(item.data)


def brought() -> Run:
    """Return a run on a store with two messages, all of which is in the first generation of its log."""
    run = Run()
    run.open()
    for step in STANDING:
        run.apply(operation(step))
    return run


def build(work: Workload) -> Trace:
    """Return the trace of `work`."""
    tags = {"kind": work.kind, "order": "13", "steps": "+".join(work.steps)}
    if work.kind == "create":
        run = Run()
        run.open()
        standing: list[Mark] = []
    else:
        run = begun(brought)
        standing = list(run.marks)
        run.begin()
    run.play(work.operations(), together=False)
    return run.trace(work.name, tags, standing=standing)
