"""The interface of a format to the crash engine. It consists of one typed object (``CRASH``), and functions
that call the format's readers.

``CRASH`` is in the module ``crash`` of a format's package. That module is imported only on request, because a
command that only reads a journal needs no writers.

If several states have the same visible content, only one of them is read: a format's `look` returns the
content that recovery can see. :data:`Reach` returns the offset in each file up to which recovery reads: bytes
after it need no enumeration.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from journalspec.formats import UnknownFormat, format_ids, format_module
from journalspec_corpus.crash.disk import SECTOR, StateContents, Timeline
from journalspec_corpus.crash.oracle import Semantics
from journalspec_corpus.crash.record import Recorder
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import (
    Trace,
    Workload,
    Write,
    blake,
)
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.workloads import Continuations, LongWorkload, Tables, play
from journalspec_reference import load

#: The number of cached answers (a few thousand bytes each), and of cached results for single files (100 bytes
#: each).
ANSWERS, LOOKS = 1 << 13, 1 << 15
#: A function from the files of a state and the edition to the answers of all readers of a format.
Read = Callable[[Mapping[str, bytes], str], tuple[Answer, ...]]


T = TypeVar("T")


@dataclass
class Remembered:
    """Results that are cached from one crash point to the next; the cache changes no result."""

    answers: dict[tuple[str, Hashable], tuple[Answer, ...]] = field(default_factory=dict)
    looks: dict[tuple[object, ...], object] = field(default_factory=dict)


class StateFiles(Mapping[str, bytes]):
    """The files of one state. Their names and sizes are known; bytes are computed on demand."""

    def __init__(self, contents: StateContents, at: int, memory: Remembered) -> None:
        self._contents, self._row, self._memory = contents, contents.rows[at], memory
        self._files = {file.name: (file, same) for file, same in contents.files[at]}
        self._made: dict[str, bytes] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._made:
            file, _ = self._files[name]
            self._made[name] = self._contents.point.file(file.number, file.size, self._row)
        return self._made[name]

    def size(self, name: str) -> int:
        """Return the size of a file, or 0 if it does not exist."""
        return self._files[name][0].size if name in self._files else 0

    def same(self, name: str) -> bytes:
        """Return bytes that are equal for two files only if their names and contents are equal."""
        return self._files[name][1]

    def settled(self, name: str) -> bytes:
        """Return the first bytes of a file, which are the same in all states of the crash point."""
        return self._contents.settled(self._files[name][0].number)

    def once(self, names: tuple[str, ...], find: Callable[..., T], *given: object) -> T:
        """Return ``find(*contents, *given)`` for the files `names`; computed once for equal contents."""
        return self.kept((find, *map(self.same, names), *given), names, find, *given)

    def kept(
        self, place: tuple[object, ...], names: tuple[str, ...], find: Callable[..., T], *given: object
    ) -> T:
        """Return ``find(*contents, *given)`` for the files `names`; computed once for equal `place`."""
        looks = self._memory.looks
        if place not in looks:
            if len(looks) >= LOOKS:
                looks.clear()
            looks[place] = find(*map(self.__getitem__, names), *given)
        found: T = looks[place]  # type: ignore[assignment]
        return found


#: A function from the files and the edition to the content that recovery can see. Of several states with
#: equal visible content, only one is read.
Look = Callable[[StateFiles, str], Hashable]


def equal_contents(files: StateFiles, edition: str) -> Hashable:
    """Return a value that is equal only for equal files.

    It is the `look` for a reader that may see every byte.
    """
    return tuple([files.same(name) for name in files])


def digest_of(*parts: bytes | int) -> bytes:
    """Return a digest of `parts`. The digest also depends on the boundaries between the parts."""
    raws = [part if isinstance(part, bytes) else b"%d" % part for part in parts]
    return blake(b"".join([b"%d:" % len(raw) + raw for raw in raws]))


def answers(
    contents: StateContents, read: Read, look: Look = equal_contents, memory: Remembered | None = None
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `contents`, the index of its answer.

    Of several states with equal visible content, only one is read. `memory` is the cache, kept from one crash
    point to the next.
    """
    memory, edition = memory or Remembered(), contents.point.trace.edition
    number: dict[tuple[Answer, ...], int] = {}
    #: Maps the id of an answer's object to the answer's number, because hashing the answer itself takes long.
    numbers: dict[int, int] = {}
    which, known, held = [], memory.answers, []
    for at in range(len(contents.rows)):
        files = StateFiles(contents, at, memory)
        place = edition, look(files, edition)
        found = known.get(place)
        if found is None:
            if len(known) >= ANSWERS:
                known.clear()
            found = known[place] = read(dict(files), edition)
        at_hand = numbers.get(id(found))
        if at_hand is None:
            # The object is kept, so that no other object gets its id.
            held.append(found)
            at_hand = numbers[id(found)] = number.setdefault(found, len(number))
        which.append(at_hand)
    return list(number), np.asarray(which, np.int32)


#: A function from the files to the offset in each file up to which recovery reads. The offset is at most the
#: size of the file. Bytes at or after the offset change neither the offset nor any reader's answer, under any
#: policy.
Reach = Callable[[Mapping[str, bytes]], Mapping[str, int]]


def unread_writes(trace: Trace, reach: Reach | None) -> frozenset[int]:
    """Return the writes of `trace` of which recovery reads no byte if all earlier writes have arrived.

    Such a write begins at or after the offset up to which recovery reads, and does not make its file longer.
    So names, sizes, and all bytes that recovery reads are the same, whichever part of it arrives.
    """
    out, line = set(), Timeline(trace, SECTOR)
    for index, op in enumerate(trace.ops if reach else ()):
        if isinstance(op, Write) and reach:
            files = line.memory()
            if reach(files)[op.file] <= op.off <= len(files[op.file]) - len(op.data):
                out.add(index)
        line.step(op)
    return frozenset(out)


PACKAGE = "journalspec_corpus"

#: A function from the files of a state and the edition to the answer of the reader.
Reader = Callable[[Mapping[str, bytes], str], Answer]


@dataclass(frozen=True)
class StateReader:
    """A reader of crash states: the reference under `policy`.

    With `salvaging` it may omit records if it reports the omission. `differs` receives the first reader's
    answer, and returns whether this reader's answer may be different.
    """

    policy: str
    salvaging: bool = False
    differs: Callable[[Answer], bool] = lambda first: True


def refuses(first: Answer) -> bool:
    """Return whether the first reader refused: only then a more lenient policy may answer differently."""
    return first.refused is not None


def two_policies(lenient: str) -> tuple[StateReader, StateReader]:
    """Return the readers of two policies that differ in their refusals: ``strict`` and `lenient`."""
    return StateReader("strict"), StateReader(lenient, salvaging=True, differs=refuses)


@dataclass(frozen=True, eq=False)
class CrashFormat:
    """The interface of a format to the crash engine.

    `first_lives(scope)` yields workloads in a fixed order, `record(workload)` plays one of them. `tables`
    contains the operations of workloads, and the ways to make a workload smaller. Workloads of the table
    ``added`` are newer and come after all others, so that the numbers of the others stay the same.
    `long(variant, size)` returns a recorder for a long workload, `second` contains the runs after a crash.

    `state_readers` read crash states; `answer(observation)` converts an observation to the answer that gets a
    verdict. The first policy among the readers is the strictest. `obeys` maps a category of states to its
    requirements ("" for all others). `record_json(keys)` is a record as an observation lists it, with the
    fields that have the same value in all keys. `uncounted` are types of records that represent no operation,
    and that `answer` omits.

    `semantics` defines the effect of a record and the effects in a state; without it only records are
    compared. `reach` returns the offsets up to which recovery reads files; None if it reads them completely.
    `implementation()`, if given, replaces the reference as reader, and may read any byte. `look` returns the
    content that the reference can see; by default, all bytes. `memory` is the cache of answers.
    """

    format: str
    first_lives: Callable[[str], Iterator[Any]]
    record: Callable[[Any], Trace]
    state_readers: tuple[StateReader, ...]
    obeys: Mapping[str, tuple[str, ...]]
    answer: Callable[[Any], Answer]
    record_json: Callable[[list[str]], dict[str, Any]]
    uncounted: tuple[str, ...] = ()
    semantics: Semantics | None = None
    tables: Tables | None = None
    long: Callable[[str, int], Recorder] | None = None
    second: Continuations | None = None
    reach: Reach | None = None
    implementation: Callable[[], Any] | None = None
    look: Look = equal_contents
    memory: Remembered = field(default_factory=Remembered, init=False, repr=False)
    _latest: dict[Workload, Trace] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def by_tables(cls, tables: Tables, run: type[Recorder], **own: Any) -> CrashFormat:
        """Return a format with these tables; `run` executes long workloads, `own` are the other members."""
        first_lives, obeys = tables.workloads, tables.obeys
        return cls(format=run.format, first_lives=first_lives, obeys=obeys, tables=tables, long=run, **own)

    @cached_property
    def readers(self) -> tuple[str, ...]:
        """The policies of the readers, in the order of their answers; a reader is named after its policy."""
        return tuple(reader.policy for reader in self.state_readers)

    @cached_property
    def salvaging(self) -> frozenset[str]:
        """The names of the readers that may omit records if they report it."""
        return frozenset(reader.policy for reader in self.state_readers if reader.salvaging)

    @cached_property
    def read(self) -> Read:
        """A function that calls all readers: it returns one answer each, in order.

        A reader whose answer cannot differ is not called.
        """
        return self._asking(self._implementation, self.state_readers)

    @property
    def _implementation(self) -> Any:
        return self.implementation() if self.implementation else load(self.format)

    @property
    def sees(self) -> Look:
        """The `look` to use: the reference's, or every byte for another implementation."""
        return equal_contents if self.implementation else self.look

    def salvages(self, policy: str) -> bool:
        """Return whether a policy permits omitted records; raises LookupError for an unknown policy."""
        if policy not in self.readers:
            raise LookupError(f"no policy {policy!r}: choose one of {', '.join(self.readers)}")
        return policy in self.salvaging

    def reader(self, policy: str, implementation: Any = None) -> Reader:
        """Return a reader that calls the reference, or another `implementation`, under `policy`.

        Raises LookupError for an unknown policy.
        """
        self.salvages(policy)
        read = self._asking(implementation or self._implementation, [StateReader(policy)])
        return lambda files, edition: read(files, edition)[0]

    def _asking(self, implementation: Any, readers: Sequence[StateReader]) -> Read:
        """Return a function that calls `implementation` under the policies of `readers`."""

        def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
            found: list[Answer] = []
            for reader in readers:
                if found and not reader.differs(found[0]):
                    found.append(found[0])
                    continue
                try:
                    observation = implementation.recover(files, edition=edition, policy=reader.policy)
                except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
                    # An implementation that raises one of these errors has refused the state; the reference
                    # never raises them.
                    found.append(Answer((), f"exception:{type(error).__name__}"))
                else:
                    found.append(self.answer(observation))
            return tuple(found)

        return read

    def workloads(self, scope: str) -> Iterator[Workload]:
        """Yield all workloads of a scope in a fixed order: first runs, long, second runs, added."""
        yield from self.first_lives(scope)
        if self.tables is not None:
            yield from self.tables.long(scope)
        if self.second is not None:
            yield from self.second.lives(scope)
        if self.tables is not None:
            yield from self.tables.added(scope)

    def build(self, work: Workload) -> Trace:
        """Return the trace of `work`, whatever kind of workload it is; raises ValueError or WriterRefused."""
        if isinstance(work, SecondLife) and self.second is not None:
            # The second runs of one first run are adjacent in the order of workloads, so the first run is
            # recorded only once.
            if work.first not in self._latest:
                first = self.build(work.first)
                self._latest.clear()
                self._latest[work.first] = first
            trace = self.second.build(work, self._latest[work.first])
        elif isinstance(work, LongWorkload) and self.long is not None:
            trace = play(self.long(work.variant, work.size), work)
        else:
            trace = self.record(work)
        unread = unread_writes(trace, self.reach)
        kinds: Mapping[str, str] = self.tables.rows.get("kinds", {}) if self.tables else {}
        during = kinds.get(trace.tags.get("kind", ""), "")
        return replace(trace, unread=unread, during=during) if unread or during else trace


def has_crash_format(format_id: str) -> bool:
    """Return whether `format_id` has crash states; raises UnknownFormat if it is not described."""
    try:
        return find_spec(f"{format_module(PACKAGE, format_id).__name__}.crash") is not None
    except UnknownFormat:
        if format_id not in format_ids():
            raise
        return False


def crash_format(format_id: str) -> CrashFormat:
    """Return the object ``CRASH`` of `format_id`; raises UnknownFormat if it has none."""
    if not has_crash_format(format_id):
        raise UnknownFormat(f"{format_id} has no crash traces yet: its corpus package has no module crash")
    found: CrashFormat = format_module(PACKAGE, format_id, "crash").CRASH
    return found


@dataclass(frozen=True)
class Named:
    """Represents a reader with its name, and whether it may omit records."""

    name: str
    reader: Reader
    salvaging: bool


def named_reader(format_id: str, name: str) -> Named:
    """Return the reader with the user's name `name`; raises LookupError that lists the choices."""
    adapter = crash_format(format_id)
    return Named(name, adapter.reader(name), adapter.salvages(name))
