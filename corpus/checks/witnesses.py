"""What a format knows of its traces for the gate on annotations, without its recorder.

:class:`Witness` is one for each trace; :class:`GroupWitness` is that of a format whose records stand or fall
with a group. Which promises writers break is the table ``annotations.toml``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from journalspec.layout import Layout
from journalspec.observation import jsonable
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import (
    Create,
    Op,
    Preallocate,
    Rename,
    Sync,
    SyncDir,
    Trace,
    Truncate,
    Unlink,
    Write,
    writer_of,
)
from journalspec_corpus.crash.workloads import LongWorkload, SmallWorkload, Tables


@cache
def promises() -> tuple[Mapping[str, Any], ...]:
    """Return the table of promises that writers break, in the order of the file."""
    text = Path(__file__).with_name("annotations.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["broken"])


def breaks(trace: Trace, what: str) -> bool:
    """Tell whether the writer of `trace` breaks the promise `what`, as the product does that it models."""
    return any(
        row["format"] == trace.format and row["promise"] == what and writer_of(trace) in row["writers"]
        for row in promises()
    )


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


def json_key(said: Mapping[str, Any]) -> str:
    """Return the key of a record that is JSON of what it says."""
    return json.dumps(jsonable(said), sort_keys=True, separators=(",", ":"))


def difference(before: Set[Any], after: Set[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return what of a state comes and what goes, in order."""
    return tuple(sorted(after - before)), tuple(sorted(before - after))


class Witness:
    """What a format knows of its traces without its recorder; one for each trace.

    It is shown the operations on files in order. Sub-classes say what differs; `reader` is the naive reader,
    `tables` what workloads are made from.
    """

    reader: Any
    tables: Tables
    #: The names of the files in which a restart looks for records (None: any), and the numbers of what steps
    #: are about that a second life may not do once more.
    files: re.Pattern[str] | None = None
    once: frozenset[int] = frozenset()
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
        return self.files is None or self.files.fullmatch(file) is not None

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
        return not self.once or step.id not in self.once

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
