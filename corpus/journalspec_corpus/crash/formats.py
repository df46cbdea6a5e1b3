"""What a format gives to the crash engine: one typed object, ``CRASH``, and how its readers are asked.

It is in the module ``crash`` of a format's package. Nothing of that is imported before it is asked for: a
look at a journal needs no writers.

Of states that look alike to recovery one is read: a format's `look` says what recovery can see of the
files. How far recovery can look at all says :data:`Reach`: what is after that is not worth enumerating.
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

#: Answers that are remembered, some thousand bytes each; the visible content of single files, a hundred bytes
#: each.
ANSWERS, LOOKS = 1 << 13, 1 << 15
#: From the files of a state and the edition to the answers of all readers of a format.
Read = Callable[[Mapping[str, bytes], str], tuple[Answer, ...]]


T = TypeVar("T")


@dataclass
class Remembered:
    """Results that are remembered from one crash point to the next; no result depends on it."""

    answers: dict[tuple[str, Hashable], tuple[Answer, ...]] = field(default_factory=dict)
    looks: dict[tuple[object, ...], object] = field(default_factory=dict)


class StateFiles(Mapping[str, bytes]):
    """The files of one state. Their names and sizes are known; bytes are made on demand."""

    def __init__(self, contents: StateContents, at: int, memory: Remembered) -> None:
        self._point, self._row, self._memory = contents.point, contents.rows[at], memory
        self._files = {file.name: (file, same) for file, same in contents.files[at]}
        self._made: dict[str, bytes] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._made:
            file, _ = self._files[name]
            self._made[name] = self._point.file(file.number, file.size, self._row)
        return self._made[name]

    def size(self, name: str) -> int:
        """Return the size of a file, 0 if it is not there."""
        return self._files[name][0].size if name in self._files else 0

    def same(self, name: str) -> bytes:
        """Return what distinguishes a file with its name from all others that are not equal."""
        return self._files[name][1]

    def once(self, names: tuple[str, ...], find: Callable[..., T], *given: object) -> T:
        """Return ``find(*contents, *given)`` of some files: of equal contents it is worked out once."""
        looks, place = self._memory.looks, (find, *map(self.same, names), *given)
        if place not in looks:
            if len(looks) >= LOOKS:
                looks.clear()
            looks[place] = find(*map(self.__getitem__, names), *given)
        found: T = looks[place]  # type: ignore[assignment]
        return found


#: What recovery can see of the files in an edition: of states for which it is the same one is read.
Look = Callable[[StateFiles, str], Hashable]


def equal_contents(files: StateFiles, edition: str) -> Hashable:
    """Return what distinguishes files from others that are not equal: all of a file can be seen."""
    return tuple([files.same(name) for name in files])


def digest_of(*parts: bytes | int) -> bytes:
    """Return a digest of `parts`, each for itself."""
    raws = [part if isinstance(part, bytes) else b"%d" % part for part in parts]
    return blake(b"".join([b"%d:" % len(raw) + raw for raw in raws]))


def answers(
    contents: StateContents, read: Read, look: Look = equal_contents, memory: Remembered | None = None
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `contents`, the index of its own.

    Of states that look alike one is read. The content of `memory` stays there from one crash point to the
    next.
    """
    memory, edition = memory or Remembered(), contents.point.trace.edition
    number: dict[tuple[Answer, ...], int] = {}
    which, known = [], memory.answers
    for at in range(len(contents.rows)):
        files = StateFiles(contents, at, memory)
        place = edition, look(files, edition)
        found = known.get(place)
        if found is None:
            if len(known) >= ANSWERS:
                known.clear()
            found = known[place] = read(dict(files), edition)
        which.append(number.setdefault(found, len(number)))
    return list(number), np.asarray(which, np.int32)


#: How far recovery can look into each file: to an offset, at most its size. Nothing at or after it changes
#: that offset, or any reader's answer, under whichever policy.
Reach = Callable[[Mapping[str, bytes]], Mapping[str, int]]


def unread_writes(trace: Trace, reach: Reach | None) -> frozenset[int]:
    """Return the writes of `trace` of which recovery can look at no byte, if all before has arrived.

    Such a write begins where nobody looks any more and does not make its file longer. So whatever
    arrives of it, names, sizes and thus ends stay what they were, and so does all before them.
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

#: From the files of a state and the edition to the answer of the reader.
Reader = Callable[[Mapping[str, bytes], str], Answer]


@dataclass(frozen=True)
class StateReader:
    """A reader of crash states: the reference under `policy`.

    With `salvaging` it may leave records out if it says so. `differs` shows from the first reader's answer
    whether this one's may be different.
    """

    policy: str
    salvaging: bool = False
    differs: Callable[[Answer], bool] = lambda first: True


def refuses(first: Answer) -> bool:
    """Return whether the first reader refused: a policy that differs only in refusals differs there."""
    return first.refused is not None


def two_policies(lenient: str) -> tuple[StateReader, StateReader]:
    """Return the readers of two policies that differ in their refusals: ``strict`` and `lenient`."""
    return StateReader("strict"), StateReader(lenient, salvaging=True, differs=refuses)


@dataclass(frozen=True, eq=False)
class CrashFormat:
    """A format, as the crash engine uses it.

    `first_lives(scope)` yields workloads in a fixed order, `record(workload)` plays one of them. `tables`
    say what is done, and how it becomes smaller; what they have ``added`` came later, and comes after all
    others, so that every n-th workload is what it was. `long(variant, size)` returns a recorder for a long
    one, `second` has what is done after a crash.

    `state_readers` read crash states; what `answer(observation)` makes of an observation is judged. The
    first policy among the readers refuses where it may. `obeys` are the requirements of a category of
    states ("" for all others). `record_json(keys)` is a record as an observation lists it, with the fields
    that all its keys agree on. `uncounted` are types of records that represent no operation, and that
    `answer` omits.

    `semantics` says what a record does and what is in effect in a state; without it only records are judged.
    `reach` says how far into its files recovery can look; None if it looks at all of them.
    `implementation()` reads instead of the reference, if there is one: it may see anything.
    `look` is what the reference can see of the files; if it is not given, all of them.
    `memory` holds what is remembered of states that were read.
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
        """Return a format by its tables; `run` plays the long workloads, `own` is all else."""
        first_lives, obeys = tables.workloads, tables.obeys
        return cls(format=run.format, first_lives=first_lives, obeys=obeys, tables=tables, long=run, **own)

    @cached_property
    def readers(self) -> tuple[str, ...]:
        """The policies of the readers, which are their names, in the order of their answers."""
        return tuple(reader.policy for reader in self.state_readers)

    @cached_property
    def salvaging(self) -> frozenset[str]:
        """The names of those that may leave records out if they say so."""
        return frozenset(reader.policy for reader in self.state_readers if reader.salvaging)

    @cached_property
    def read(self) -> Read:
        """All readers at once: one answer for each, in their order; only those that differ are asked."""
        return self._asking(self._implementation, self.state_readers)

    @property
    def _implementation(self) -> Any:
        return self.implementation() if self.implementation else load(self.format)

    @property
    def sees(self) -> Look:
        """The visible content: that of the reference, or for another implementation everything."""
        return equal_contents if self.implementation else self.look

    def salvages(self, policy: str) -> bool:
        """Return whether a policy lets records be omitted; raises LookupError for an unknown one."""
        if policy not in self.readers:
            raise LookupError(f"no policy {policy!r}: choose one of {', '.join(self.readers)}")
        return policy in self.salvaging

    def reader(self, policy: str, implementation: Any = None) -> Reader:
        """Return the reader that asks the reference, or another `implementation`, under `policy`.

        Raises LookupError for an unknown policy.
        """
        self.salvages(policy)
        read = self._asking(implementation or self._implementation, [StateReader(policy)])
        return lambda files, edition: read(files, edition)[0]

    def _asking(self, implementation: Any, readers: Sequence[StateReader]) -> Read:
        """Return what asks `implementation` under the policies of `readers`."""

        def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
            found: list[Answer] = []
            for reader in readers:
                if found and not reader.differs(found[0]):
                    found.append(found[0])
                    continue
                try:
                    observation = implementation.recover(files, edition=edition, policy=reader.policy)
                except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
                    # An implementation that trips over a state has refused it; the reference never does.
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
            # Second lives of one first generation come one after the other: it is recorded once.
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
    """Return what `format_id` gives to the crash engine; raises UnknownFormat if it has nothing."""
    if not has_crash_format(format_id):
        raise UnknownFormat(f"{format_id} has no crash traces yet: its corpus package has no module crash")
    found: CrashFormat = format_module(PACKAGE, format_id, "crash").CRASH
    return found


@dataclass(frozen=True)
class Named:
    """A reader by its name: with whether it may leave records out, and the policy that it is to follow."""

    name: str
    reader: Reader
    salvaging: bool


def named_reader(format_id: str, name: str) -> Named:
    """Return the reader that a user calls `name`; raises LookupError that lists the choices."""
    adapter = crash_format(format_id)
    return Named(name, adapter.reader(name), adapter.salvages(name))
