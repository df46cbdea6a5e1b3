"""The gate on trace annotations: what stands beside the writes of a trace follows from something else.

An oracle believes what a recorder notes: marks, acknowledgements, releases, publishes,
reuses, and what stands in the base. Here each of them is derived a second time: from the
operations that the workload asks for, from a naive model, from the bytes of the trace's
writes as the naive reader decodes them, and from the forces. Nothing of a recorder is used.

What a law needs to know of a format is a :class:`Witness`, in the module ``annotations_<format>``.
A writer that models a product may break a promise; ``annotations.toml`` says which, with
the requirement that it breaks and the deviation that shows it on the product.

``python corpus/checks/annotations.py --format F`` goes through the core workloads and
prints every violation. Exit status: 0 if there are none, 1 otherwise, 2 usage.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from journalspec.formats import UnknownFormat
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.trace import (
    Ack,
    Mark,
    Op,
    Publish,
    Release,
    Reuse,
    Trace,
    Workload,
    Write,
)
from witnesses import Call, Disk, Found, Witness, breaks

#: So many violations of a law are shown, and so many characters of what they are about.
SHOWN, LONGEST = 5, 300
#: What is noted beside the operations on files.
NOTES = (Ack, Mark, Publish, Release, Reuse)
#: The laws, in the order in which they are looked at.
LAWS = {
    "standing": "what the base is said to hold is what stands in it",
    "mark": "the marks behind a write are the records that the naive reader decodes from its bytes",
    "fields": "the fields of a mark are those of the record, in order, each where its bytes are",
    "same": "one name, one record: a copy says what the first one said",
    "asked": "the records that are written are those that were asked for, in that order",
    "promise": "a call that returns as durable acknowledges what it promises, once, before the next call",
    "durable": "what is acknowledged can be read from what forces alone have made durable",
    "published": "what counts from a write on is published with it, and nothing else is",
    "released": "what is released could vanish without a difference to the state",
    "owed": "what is owed is part of the state, or still in a file",
    "reused": "a file begins a new life with the write that says so",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One law that a trace breaks at one of its operations (-1: at its base)."""

    trace: str
    at: int
    law: str
    expected: object
    found: object

    def __str__(self) -> str:
        expected, found = (f"{str(side)[:LONGEST]}" for side in (self.expected, self.found))
        return f"{self.law}: {self.trace} op {self.at}: expected {expected}, found {found}"


def witness_of(trace: Trace) -> Witness:
    """Return what is known of a trace's format; raises LookupError if there is no such module."""
    try:
        module = importlib.import_module(f"annotations_{trace.format}")
    except ModuleNotFoundError as error:
        raise LookupError(f"no laws for {trace.format}: {error}") from None
    witness: Witness = module.Witness(trace)
    return witness


class Gate:
    """One trace, gone through once."""

    def __init__(self, work: Workload, trace: Trace) -> None:
        self.trace = trace
        self.work = work
        self.witness = witness_of(trace)
        self.disk = Disk(trace.base)
        self.found: list[Violation] = []
        #: name -> what it says; and back, as far as nobody else has said so
        self.says: dict[str, tuple[Any, ...]] = {}
        self.names: dict[tuple[Any, ...], str] = {}
        #: New records with their names, and acknowledgements, in order.
        self.events: list[tuple[int, Found | Ack]] = []
        self.owed: set[str] = set()
        self.released: set[str] = set()
        #: Releases that came since the last operation on files.
        self.fresh = False

    def differ(self, at: int, law: str, expected: object, found: object) -> None:
        """Note a violation."""
        self.found.append(Violation(self.trace.name, at, law, expected, found))

    def run(self) -> list[Violation]:
        """Return every violation of the trace."""
        self._base()
        ops = self.trace.ops
        at = 0
        while at < len(ops):
            at = self._step(at)
        self._settled(len(ops))
        self._promises()
        return self.found

    def _step(self, at: int) -> int:
        """Look at one operation on files with the notes behind it, or at one note; return the next index."""
        op = self.trace.ops[at]
        if isinstance(op, NOTES):
            self._note(at, op)
            return at + 1
        self._reuse(at, op)
        records = self.witness.decoded(op) if isinstance(op, Write) else []
        copies = isinstance(op, Write) and self.witness.copies(op)
        self.disk.apply(op)
        self.witness.did(op, records, self.disk)
        about = at + 1
        marks: list[Mark] = []
        published: set[str] = set()
        while about < len(self.trace.ops) and isinstance(note := self.trace.ops[about], (Mark, Publish)):
            if isinstance(note, Mark):
                marks.append(note)
            else:
                published.update(note.records)
            about += 1
        self._marked(at, records, marks, copies=copies)
        self._published(at, records, published)
        following = self.trace.ops[about] if about < len(self.trace.ops) else None
        if not (isinstance(following, Release) and self.witness.behind(op)):
            self._settled(at)
        return about

    def _note(self, at: int, op: Op) -> None:
        if isinstance(op, Ack):
            self.events.append((at, op))
            self._durable(at, op)
            self.owed.update(op.records)
        elif isinstance(op, Release):
            self.released.update(op.records)
            self.fresh = self.fresh or bool(op.records)
        elif isinstance(op, (Mark, Publish)):
            self.differ(at, "mark", "a write before it", op)

    def _base(self) -> None:
        """Hold what stands in the base against a reading of it."""
        trace, whole = self.trace, self.witness.whole(self.trace.base)
        counting = self.witness.counting(trace.base)
        # Records that were written together may share a place.
        there = {(found.place, found.key): found for found in (*whole, *counting)}
        places = {place for place, _ in there}
        known = [(mark, mark.length > 0) for mark in (*trace.standing, *trace.possible, *trace.stale)]
        for mark, is_whole in known:
            found = there.get(((mark.file, mark.off, mark.length), mark.key))
            if is_whole and found is None:
                self.differ(-1, "standing", f"{mark.key[:60]} at {mark.off} of {mark.file}", found)
        for mark in (*trace.standing, *trace.possible):
            found = there.get(((mark.file, mark.off, mark.length), mark.key))
            if found is not None:
                self._named(-1, mark.record, found)
        own = {(mark.file, mark.off, mark.length) for mark in (*trace.standing, *trace.possible)}
        stale = {(mark.file, mark.off, mark.length) for mark in trace.stale}
        counted = {found.place for found in counting}
        if trace.life == 1:
            if own != counted:
                self.differ(-1, "standing", sorted(counted - own), sorted(own - counted))
            if stale != places - counted:
                missed = sorted(places - counted - stale)
                self.differ(-1, "standing", f"stale {missed}", sorted(stale - (places - counted)))
        self.owed = {mark.record for mark in trace.standing}

    def _named(self, at: int, name: str, found: Found) -> None:
        """Hold a name against what the record says."""
        said = self.says.setdefault(name, found.what)
        if said != found.what:
            self.differ(at, "same", f"{name} is {said}", found.what)
        self.names[found.what] = name

    def _marked(self, at: int, records: Sequence[Found], marks: Sequence[Mark], *, copies: bool) -> None:
        wanted = [(found.place, found.key) for found in records]
        given = [((mark.file, mark.off, mark.length), mark.key) for mark in marks]
        if wanted != given:
            self.differ(at, "mark", wanted, given)
            return
        for mark, found in zip(marks, records, strict=True):
            fields = _unfitting(mark, found)
            if fields:
                self.differ(at, "fields", fields[0], fields[1])
            if not copies:
                self.events.append((at, found))
            elif self.names.get(found.what, mark.record) != mark.record:
                self.differ(at, "same", self.names[found.what], mark.record)
            self._named(at, mark.record, found)

    def _published(self, at: int, records: Sequence[Found], published: set[str]) -> None:
        ways = self.witness.published(records)
        # What a crash brought back into the base has no name.
        named = [sorted(self.names[what] for what in counts if what in self.names) for counts in ways]
        if sorted(published) not in named:
            self.differ(at, "published", named[0], sorted(published))

    def _reuse(self, at: int, op: Op) -> None:
        before = self.trace.ops[at - 1] if at else None
        noted = isinstance(before, Reuse)
        begins = self.witness.begins(op, self.disk)
        if noted and not (begins is not False and isinstance(op, Write) and before == Reuse(op.file)):
            self.differ(at, "reused", "a write that begins a new life", op)
        if begins and not noted:
            self.differ(at, "reused", f"Reuse before {op}"[:100], before)

    def _settled(self, at: int) -> None:
        """Hold what was released and what is owed against the state."""
        gone = {self.says[name] for name in self.released if name in self.says}
        if self.fresh:
            self.fresh = False
            full, less = self.witness.state(set()), self.witness.state(gone)
            if full != less:
                self.differ(at, "released", full, less)
        late = sorted(
            name
            for name in self.owed - self.released
            if name in self.says and not self.witness.owes(self.says[name])
        )
        if late:
            self.differ(at, "owed", "released by now", late)

    def _durable(self, at: int, op: Ack) -> None:
        """Hold an acknowledgement against what forces have made durable, as far as it is owed."""
        durable = self.disk.durable(names=not breaks(self.trace, "names"))
        there = {found.what for found in self.witness.counting(durable)}
        lost = [
            name
            for name in op.records
            if name not in self.released and self.says.get(name) not in there and not self._excused(name)
        ]
        if lost:
            self.differ(at, "durable", lost, "not in what is durable")

    def _excused(self, name: str) -> bool:
        """Tell whether a record is not durable because the product that is modelled breaks a promise."""
        broken = self.witness.unkept(self.says[name], self.disk) if name in self.says else ""
        return bool(broken) and breaks(self.trace, broken)

    def _promises(self) -> None:
        """Hold acknowledgements and new records against the calls of the workload."""
        walk = Calls(self)
        if all(map(walk.take, self.witness.calls(self.work))):
            walk.end()


class Calls:
    """The calls of a workload in order, held against the records and acknowledgements of its trace."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self.witness = gate, gate.witness
        self.left = gate.events[::-1]
        self.written: list[Found] = []
        self.acked = {mark.record for mark in gate.trace.standing}
        self.before = [
            Found(mark.file, mark.off, mark.length, mark.key, gate.says[mark.record])
            for mark in gate.trace.possible
            if mark.record in gate.says
        ]

    @property
    def next(self) -> Found | Ack | None:
        """The next record or acknowledgement."""
        return self.left[-1][1] if self.left else None

    @property
    def where(self) -> int:
        """The index of its operation."""
        return self.left[-1][0] if self.left else len(self.gate.trace.ops)

    def take(self, call: Call) -> bool:
        """Take in one call; returns whether the next one can be told from what is left."""
        while call.opens and isinstance(self.next, Found) and self.witness.recovers(self.next):
            self._write(self.next)
        while call.wants and not call.may and isinstance(self.next, Ack):
            self.gate.differ(self.where, "promise", "nothing by now", self.next)
            self.left.pop()
        if call.wants:
            found = self.next
            if isinstance(found, Found) and found.wants[: len(call.wants)] == call.wants:
                self._write(found)
            elif call.may or (found is None and not call.durable and self.witness.buffers):
                self.witness.unwritten(call)
                return True
            else:
                self.gate.differ(self.where, "asked", call.wants, found)
                return False
        if call.durable:
            self._acknowledge(call)
        return True

    def _write(self, found: Found) -> None:
        self.written.append(found)
        self.left.pop()

    def _acknowledge(self, call: Call) -> None:
        """Hold what comes next against what is promised by now and was not acknowledged yet."""
        promised = self.witness.promised(self.written, self.before)
        due = {self.gate.names[what] for what in promised} - self.acked
        told = self.next
        if not due or (call.may and not call.wants and not isinstance(told, Ack)):
            return
        self.acked |= due
        if not isinstance(told, Ack) or sorted(told.records) != sorted(due):
            self.gate.differ(self.where, "promise", sorted(due), told)
        if isinstance(told, Ack):
            self.left.pop()

    def end(self) -> None:
        """Nothing is left behind the last call."""
        for where, event in self.left[::-1]:
            law = "promise" if isinstance(event, Ack) else "asked"
            self.gate.differ(where, law, "nothing more", event)


def _unfitting(mark: Mark, found: Found) -> tuple[object, object] | None:
    """Return what the fields of a mark should be and what they are, None if they fit.

    A mark has no values; names and places say which bytes are which field. Two fields of one length that
    are exchanged lie end to end as well: names count in their order.
    """
    at, due = 0, []
    for name, value in found.values.items():
        if value:
            due.append((at, name))
        at += len(value)
    if at != mark.length:
        return f"fields up to {mark.length}", at
    given = list(mark.fields)
    return None if given == due else (due, given)


def violations(work: Workload, trace: Trace) -> list[Violation]:
    """Return the laws that a trace of `work` breaks; raises LookupError if its format has no laws."""
    return Gate(work, trace).run()


def checked(
    adapter: CrashFormat, scope: str, every: int = 1, start: int = 0
) -> Iterator[tuple[Trace, list[Violation]]]:
    """Yield every `every`-th trace of a scope with the laws that it breaks."""
    for work in islice(adapter.workloads(scope), start, None, every):
        trace = adapter.build(work)
        yield trace, violations(work, trace)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check and print; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python corpus/checks/annotations.py", description=__doc__)
    parser.add_argument("--format", required=True)
    parser.add_argument("--scope", default="core", help="smoke, core or full (default: %(default)s)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th workload")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="begin with the N-th workload")
    options = parser.parse_args(arguments)
    traces, notes, broken = 0, Counter[str](), Counter[str]()
    try:
        for trace, found in checked(
            crash_format(options.format), options.scope, options.every, options.start
        ):
            traces += 1
            notes.update(type(op).__name__ for op in trace.ops if isinstance(op, NOTES))
            for violation in found:
                broken[violation.law] += 1
                if broken[violation.law] <= SHOWN:
                    print(violation)
    except (UnknownFormat, LookupError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    told = ", ".join(f"{count} {name}" for name, count in sorted(notes.items()))
    print(f"{traces} traces with {told}")
    for law, text in LAWS.items():
        print(f"{broken[law]:6} {law:10} {text}")
    return int(bool(broken))


if __name__ == "__main__":
    # What a format's module imports is the module of this name, not the program.
    sys.exit(importlib.import_module("annotations").main())
