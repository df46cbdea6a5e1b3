"""What the toy gives to the crash engine: notes of some lengths, each promised when it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_corpus.crash.adapter import CrashFormat, StateReader
from journalspec_corpus.crash.recorder import Operation, Recorder
from journalspec_corpus.crash.trace import Mark, Op, Trace, Write
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.workloads import SmallWorkload
from journalspec_reference import load

NAME, FORMAT = "notes.toy", "toy_sixth"


@dataclass(frozen=True)
class Note:
    """One note of `size` bytes."""

    size: int

    @property
    def name(self) -> str:
        """A readable name, unique among steps."""
        return f"note{self.size}"

    def operation(self, life: int) -> Operation:
        """Return the protocol's operation."""
        return {"op": "note", "text": chr(ord("a") + life) * self.size}


class Run(Recorder):
    """One run of the writer on a journal without records."""

    format = FORMAT
    header_size = 4

    def open(self) -> None:
        """Start a writer on the files that are there."""
        self.writer = load(FORMAT).writer(self.storage, edition=self.edition)
        self.apply({"op": "open"})

    def did(self, item: Op, op: Operation) -> None:
        """Note what was done, and behind a written note what it is."""
        self.storage.note(item)
        if isinstance(item, Write) and op["op"] == "note":
            fields = ((0, "len_text"), (1, "text"), (len(item.data) - 1, "exclusive_or"))
            record = f"n{len(self.marks)}"
            self.marks.append(Mark(record, NAME, item.off, len(item.data), op["text"], fields))
            self.storage.note(self.marks[-1])

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """Return the record that is safe now."""
        return [self.marks[-1].record] if op["op"] == "note" and durable else []

    def perform(self, op: Operation, *, together: bool) -> None:
        """Write a note; none waits for others."""
        self.apply(op)


def workloads(scope: str) -> Iterator[SmallWorkload]:
    """Yield two notes, the second one within a sector and over an edge of one."""
    for second in (30,) if scope == "smoke" else (30, 200, 255):
        yield SmallWorkload("notes", "1", (Note(255), Note(200), Note(second)))


def record(work: SmallWorkload) -> Trace:
    """Return the trace of a workload, from an empty journal on."""
    run = Run(work.writer)
    run.open()
    run.begin()
    run.play(work.operations(), together=False)
    return run.trace(work.name, {"kind": work.kind})


def answer(observation: Observation) -> Answer:
    """Return what an observation amounts to."""
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    texts = tuple(str(seen.fields["text"]) for seen in observation.records)
    return Answer(texts, None, observation.verdict != CLEAN)


CRASH = CrashFormat(
    format=FORMAT,
    first_lives=workloads,
    record=record,
    state_readers=(StateReader("strict", "strict"), StateReader("salvage", "salvage", salvaging=True)),
    answer=answer,
    record_json=lambda keys: {"text": keys[0]},
    obeys={"": ("TOY-REC-001",)},
)
