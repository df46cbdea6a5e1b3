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
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from journalspec.formats import UnknownFormat
from journalspec.layout import Layout
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import (
    Ack,
    Create,
    Mark,
    Op,
    Preallocate,
    Publish,
    Release,
    Rename,
    Reuse,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Workload,
    Write,
    writer_of,
)
from journalspec_corpus.crash.workloads import LongWorkload, SmallWorkload, Tables

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


@dataclass(frozen=True, slots=True)
class Found:
    """A whole record that was decoded at a place: `key` as a reader reports it, `what` it says.

    `what` is equal for a record and its copies. `values` are the bytes of its fields, by the names that
    marks give them. `wants` is what an operation that asks for it says, in the format's terms.
    """

    file: str
    off: int
    length: int
    key: str
    what: tuple[Any, ...]
    wants: tuple[Any, ...] = ()
    values: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    @property
    def place(self) -> tuple[str, int, int]:
        """File, offset and length in bytes."""
        return self.file, self.off, self.length


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a workload: what it asks for (nothing: it only forces, or opens), and what it promises.

    A call that `may` be refused need not have written anything. `opens`: recovery may write first.
    """

    wants: tuple[Any, ...] = ()
    durable: bool = True
    may: bool = False
    opens: bool = False


class Disk:
    """The files of a trace as programs see them, and what forces have made durable of them."""

    def __init__(self, base: Mapping[str, bytes]) -> None:
        self.files = {name: bytearray(data) for name, data in base.items()}
        self.numbers = {name: number for number, name in enumerate(sorted(base))}
        self._forced = {self.numbers[name]: bytes(data) for name, data in base.items()}
        self._named = dict(self.numbers)
        self._count = len(base)

    def apply(self, op: Op) -> None:
        """Do one operation on files; raises TypeError for one that is none."""
        match op:
            case Create(file):
                self.files[file] = bytearray()
                self.numbers[file] = self._count
                self._count += 1
            case Write(file, off, data):
                self._put(file, off, data)
            case Preallocate(file, off, length):
                self._put(file, off, op.data if op.data is not None else b"")
                self.files[file].extend(bytes(max(0, off + length - len(self.files[file]))))
            case Truncate(file, size):
                content = self.files[file]
                content[:] = content[:size].ljust(size, b"\0")
            case Rename(old, new):
                self.files[new] = self.files.pop(old)
                self.numbers[new] = self.numbers.pop(old)
            case Unlink(file):
                del self.files[file], self.numbers[file]
            case Sync(file):
                self._forced[self.numbers[file]] = bytes(self.files[file])
            case SyncDir():
                self._named = dict(self.numbers)
            case _:
                raise TypeError(f"no operation on files: {op!r}")

    def _put(self, file: str, off: int, data: bytes) -> None:
        content = self.files[file]
        content.extend(bytes(max(0, off - len(content))))
        content[off : off + len(data)] = data

    def seen(self) -> dict[str, bytes]:
        """Return the files as programs see them."""
        return {name: bytes(data) for name, data in self.files.items()}

    def durable(self, *, names: bool) -> dict[str, bytes]:
        """Return what is durable by forces alone; names count at once unless they too have to be forced."""
        held = self._named if names else self.numbers
        return {name: self._forced.get(number, b"") for name, number in held.items()}


def cut(layout: Layout, edition: str, raw: bytes, labels: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes of a record's fields by name; `labels` are names in marks, "" for none of its own."""
    form = layout.structure("record", edition, layout.kind_at("record", edition, raw))
    lists = {item.each: item.name for item in form.fields if item.each}
    out: dict[str, bytes] = {}
    last = ""
    for spot in layout.spans("record", edition, raw):
        name, bracket, _ = spot.name.partition("[")
        name = lists[name] if bracket else name
        last = labels.get(name, name) or last
        out[last] = out.get(last, b"") + raw[spot.off : spot.off + spot.length]
    return out


class Witness:
    """What a format knows of its traces without its recorder; one for each trace.

    It is shown the operations on files in order. Sub-classes say what differs; `reader` is the naive reader,
    `tables` what workloads are made from.
    """

    reader: Any
    tables: Tables
    #: Whether what is not forced may still be in memory when the trace ends.
    buffers = False

    def __init__(self, trace: Trace, edition: str) -> None:
        self.trace, self.edition = trace, edition

    # Bytes

    def record(self, file: str, data: bytes, at: int, off: int) -> Found | None:
        """Return the whole record at `at` of `data`, which stands at `off` of `file`, None: there is none."""
        raise NotImplementedError

    def starts(self, op: Write) -> int | None:
        """Return where in a write its first record begins, None if it has none."""
        raise NotImplementedError

    def candidates(self, file: str, data: bytes) -> Iterator[int]:
        """Yield where in a file a record may be, of whatever life."""
        raise NotImplementedError

    def counts(self, file: str) -> bool:
        """Tell whether a restart looks for records in a file of this name."""
        return True

    def decoded(self, op: Write) -> list[Found]:
        """Return the records of which a write consists, [] if it holds something else."""
        out: list[Found] = []
        at = self.starts(op)
        while at is not None and (found := self.record(op.file, op.data, at, op.off + at)) is not None:
            out.append(found)
            at += found.length
        return out

    def whole(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return every whole record at any offset, of whatever life."""
        places = ((file, data, at) for file, data in files.items() for at in self.candidates(file, data))
        return [found for file, data, at in places if (found := self.record(file, data, at, at)) is not None]

    def counting(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records that a restart finds, in the order of recovery."""
        return self.read({file: data for file, data in files.items() if self.counts(file)})

    def read(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records that the naive reader finds, whatever the names of the files."""
        told = self.recovered(files)
        places = [(entry["at"]["file"], entry["at"]["off"]) for entry in told.get("records", ())]
        found = (self.record(file, files[file], off, off) for file, off in places)
        return [record for record in found if record is not None]

    def recovered(self, files: Mapping[str, bytes]) -> Mapping[str, Any]:
        """Return what the naive reader salvages."""
        told: Mapping[str, Any] = self.reader.recover(files, self.edition, "salvage")
        return told

    # Calls

    def calls(self, work: Any) -> Iterator[Call]:
        """Yield what is asked of the writer, in order."""
        if isinstance(work, LongWorkload):
            for word in work.rules.split():
                yield from self.word(word)
        elif isinstance(work, SmallWorkload):
            yield from self.small(work)
        elif isinstance(work, SecondLife) and self.trace.ops:
            before = getattr(work.origin, "steps", ()) if work.then == "same" else ()
            again = [step for step in before if self.repeats(step)]
            steps = again or self.tables.then[work.then if work.then in self.tables.then else "same"]
            yield from self.again(work, () if work.then == "open" else steps or self.tables.then["typical"])

    def small(self, work: Any) -> Iterator[Call]:
        """Yield the calls of a small workload."""
        raise NotImplementedError

    def word(self, word: str) -> Iterator[Call]:
        """Yield the calls of a word of a long one: what each operation asks for that it stands for."""
        plain = self.tables.rows["long"]["plain"]
        for op in [{"op": name} for name in plain[word]] if word in plain else [self.meaning(word)]:
            yield from self.asks(op)

    def meaning(self, word: str) -> Mapping[str, Any]:
        """Return the operation of a word that is not plain."""
        raise NotImplementedError

    def asks(self, op: Mapping[str, Any]) -> Iterator[Call]:
        """Yield the calls of one operation, record by record."""
        raise NotImplementedError

    def does(self, steps: Sequence[Any], life: int) -> Iterator[Call]:
        """Yield the calls of steps in a life of the files."""
        for step in steps:
            yield from self.asks(step.operation(life))

    def again(self, work: SecondLife, steps: Sequence[Any]) -> Iterator[Call]:
        """Yield the calls of a second life, which does `steps`."""
        raise NotImplementedError

    def repeats(self, step: Any) -> bool:
        """Tell whether a second life may do a step of the first one."""
        return True

    @property
    def together(self) -> bool:
        """Whether steps are forced once, at the end."""
        return self.trace.tags.get("force") == "end"

    def recovers(self, found: Found) -> bool:
        """Tell whether opening may write this record unasked."""
        return False

    def unwritten(self, call: Call) -> None:
        """Take note that a call that may have written nothing has not."""

    def promised(self, written: Sequence[Found], before: Sequence[Found]) -> set[tuple[Any, ...]]:
        """Return what (of both) a durable call promises: written in this run, or unpromised `before`."""
        return {found.what for found in written}

    # What a trace comes to

    def copies(self, op: Write) -> bool:
        """Tell whether the write puts copies where nobody looks yet; most writers write nothing twice."""
        return False

    def did(self, op: Op, found: Sequence[Found], disk: Disk) -> None:
        """Take in one operation on files that was done, with the records that it wrote.

        As long as nothing but the bytes decides what counts, that is nothing.
        """

    def published(self, found: Sequence[Found]) -> tuple[set[tuple[Any, ...]], ...]:
        """Return what may be published with the write that was taken in last, in one way or another.

        Where nothing else is said a record makes itself count.
        """
        return ({each.what for each in found},)

    def behind(self, op: Op) -> bool:
        """Tell whether what `op` takes back is released behind it, and not before."""
        return False

    def state(self, without: set[tuple[Any, ...]]) -> object:
        """Return what recovery has to find by now, if nothing is lost but what is `without`.

        Where what is taken away stays readable nothing may be let go.
        """
        return sorted(without)

    def owes(self, what: tuple[Any, ...]) -> bool:
        """Tell whether a record may be owed by now: what was promised is, unless something ends that."""
        return True

    def unkept(self, what: tuple[Any, ...], disk: Disk) -> str:
        """Return the promise that is broken if a record is not durable by now; empty: none can be."""
        return ""

    def begins(self, op: Op, disk: Disk) -> bool | None:
        """Tell whether `op`, about to be done, begins a new life of its file; None: it need not be noted."""
        return False


class GroupWitness(Witness):
    """What a format knows whose records stand or fall, and have their place, with a group written at once.

    Where `sign` stands `before` bytes behind the beginning of a group, it may be one. What is done ends with
    an operation that is durable: a `force`.
    """

    sign: re.Pattern[bytes]
    before: int
    #: Whether a reader may find records of a group that is not whole any more.
    torn = False

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, trace.edition)
        self.forces = 0

    def group(self, file: str, data: bytes, at: int) -> list[tuple[int, Found]]:
        """Return the records of a whole group at `at` of a file, each with where it begins; else nothing."""
        raise NotImplementedError

    def force(self, life: int) -> Iterator[Call]:
        """Yield the calls of a force; `forces` counts them."""
        raise NotImplementedError

    def settles(self, standing: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the operations that commit what is in doubt after the records `standing`."""
        raise NotImplementedError

    def decoded(self, op: Write) -> list[Found]:
        """Return the records of the groups of which a write consists."""
        # What stands before them is not looked at.
        data, at, out = bytes(op.off) + op.data, op.off, list[Found]()
        while self.counts(op.file) and (group := self.group(op.file, data, at)):
            out += [found for _, found in group]
            at += out[-1].length
        return out

    def _everywhere(self, files: Mapping[str, bytes]) -> Iterator[tuple[tuple[str, int], Found]]:
        """Yield the records of every whole group at any offset, with file and offset of each."""
        for file in sorted(filter(self.counts, files)):
            for match in self.sign.finditer(files[file], self.before):
                for off, found in self.group(file, files[file], match.start() - self.before):
                    yield (file, off), found

    def whole(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records of every whole group at any offset, of whatever life."""
        return [found for _, found in self._everywhere(files)]

    def read(self, files: Mapping[str, bytes]) -> list[Found]:
        """Return the records that the naive reader finds, as whole groups hold them."""
        known = dict(self._everywhere(files))
        told = self.recovered(files).get("records", ())
        places = [(record["at"]["file"], record["at"]["off"]) for record in told]
        return [known[place] for place in places if place in known or not self.torn]

    def small(self, work: Any) -> Iterator[Call]:
        """Do each step, with a force behind them all if they are not forced one by one."""
        yield from self.does(work.steps, 0)
        if self.trace.tags.get("force") != "each":
            yield from self.force(0)

    def again(self, work: SecondLife, steps: Sequence[Any]) -> Iterator[Call]:
        """Open, commit what is owed and in doubt if that is asked for, do the steps, and force."""
        yield from self.asks({"op": "open"})
        standing = [json.loads(mark.key) for mark in self.trace.standing]
        for op in self.settles(standing) if work.then == "settle" else ():
            yield from self.asks(op)
        # Lives 1 and 2 are those of a background.
        yield from self.does(steps, work.life + 1)
        yield from self.force(work.life + 1)


@cache
def promises() -> tuple[Mapping[str, Any], ...]:
    """Return the table of promises that writers break, in the order of the file."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["broken"])


def breaks(trace: Trace, what: str) -> bool:
    """Tell whether the writer of `trace` breaks the promise `what`, as the product does that it models."""
    return any(
        row["format"] == trace.format and row["promise"] == what and writer_of(trace) in row["writers"]
        for row in promises()
    )


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
