"""The toy format for the crash engine: notes of some lengths, each acknowledged when it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from journalspec.observation import CLEAN, REFUSED, Observation
from journalspec_corpus.crash.formats import CrashFormat, StateReader
from journalspec_corpus.crash.record import Operation, Recorder
from journalspec_corpus.crash.trace import Mark, Op, Part, Trace, Write
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.workloads import SmallWorkload

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
    """One run of the writer on a journal without records; it writes up to `buffer` bytes at once."""

    format = FORMAT
    header_size = 4
    buffer = 512

    def did(self, item: Op, op: Operation) -> None:
        """Record a file operation; for a note, also record the offset of its bytes."""
        if not isinstance(item, Write) or op["op"] != "note":
            self.storage.note(item)
            return
        fields = ((0, "len_text"), (1, "text"), (len(item.data) - 1, "exclusive_or"))
        mark = Mark(f"n{len(self.marks)}", NAME, item.off, len(item.data), op["text"], fields)
        self.marks.append(mark)
        if len(item.data) <= self.buffer:
            self.storage.note(item, mark)
            return
        # A line longer than the buffer is written in two steps; the note is complete after both.
        for start, end in ((0, self.buffer), (self.buffer, len(item.data))):
            inside = tuple((at - start, name) for at, name in fields if start <= at < end)
            part = Part(mark.record, NAME, item.off + start, end - start, mark.key, inside)
            self.storage.note(Write(NAME, part.off, item.data[start:end]), part)

    def promised(self, op: Operation, *, durable: bool) -> Sequence[str]:
        """Return the record that is now durable."""
        return [self.marks[-1].record] if op["op"] == "note" and durable else []

    def perform(self, op: Operation, *, together: bool) -> None:
        """Write a note; writes are not grouped."""
        self.apply(op)


def workloads(scope: str) -> Iterator[SmallWorkload]:
    """Yield workloads of three notes, and one whose second note is written in two parts.

    In the larger scope, the third note ends within its sector, or crosses the end of the sector. Notes are
    distinguished by their texts, so no two notes have the same length.
    """
    for second in (30,) if scope == "smoke" else (30, 201, 254):
        yield SmallWorkload("notes", "1", (Note(255), Note(200), Note(second)))
    yield SmallWorkload("parts", "1", (Note(30), Note(100)))


def record(work: SmallWorkload) -> Trace:
    """Return the trace of a workload, beginning with an empty journal."""
    run = Run(work.writer)
    if work.kind == "parts":
        run.buffer = 60
    run.open()
    run.begin()
    run.play(work.operations(), together=False)
    return run.trace(work)


def answer(observation: Observation) -> Answer:
    """Convert an observation into the answer that the oracle compares."""
    if observation.verdict == REFUSED:
        return Answer((), observation.code)
    texts = tuple(str(seen.fields["text"]) for seen in observation.records)
    return Answer(texts, None, observation.verdict != CLEAN)


CRASH = CrashFormat(
    format=FORMAT,
    first_lives=workloads,
    record=record,
    state_readers=(StateReader("strict"), StateReader("salvage", salvaging=True)),
    answer=answer,
    record_json=lambda keys: {"text": keys[0]},
    obeys={"": ("TOY-REC-001",)},
)
