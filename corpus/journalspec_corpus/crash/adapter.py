"""What a format gives to the crash engine: one typed object, ``CRASH``.

The package of a format has a function ``crash_format`` that imports and returns it: whoever
inspects a format does not load writers and tables.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec.formats import UnknownFormat, format_ids, format_module
from journalspec_corpus.crash import second_crash
from journalspec_corpus.crash.blocks import Codes, CrashPoint
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.workloads import LongWorkload, LongWorkloads, Reduction, SecondLives, Workload
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load

PACKAGE = "journalspec_corpus"

#: From the files of a state and the edition to what the reader says about them.
Reader = Callable[[Mapping[str, bytes], str], Answer]
#: The same for all readers of a format at once.
Read = Callable[[Mapping[str, bytes], str], tuple[Answer, ...]]
#: Two numbers per row: rows with the same ones get the same answers. None if the kernel cannot say.
Signatures = Callable[[CrashPoint, Codes], "npt.NDArray[np.uint64] | None"]


@dataclass(frozen=True, slots=True)
class Excuse:
    """What a format itself does not keep: a member that is None goes for all.

    `lost` are beginnings of record ids: it covers a loss of no others.
    """

    invariant: str
    kind: str
    reason: str
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
    lost: tuple[str, ...] | None = None


@dataclass(frozen=True)
class CrashFormat:
    """A format, as the engine uses it.

    `first_lives(scope)` yields workloads in a fixed order, `record(workload)` records one; `step`
    and `workload` are the types that they are made of. `long`, `second` and `reduction` are
    for long workloads, for second lives and for smaller workloads.

    The reference reads crash states, under the recovery policies in `policies` (reader's name ->
    policy; the first one refuses where it may), and so do mutants of it (id -> policy).
    Readers in `salvaging` may leave records out if they say so. `answer(observation)` is
    what an implementation's observation amounts to, `record_json(keys)` a record as an
    observation lists it, with the fields that all its keys agree on. `kernel` loads the
    format's compiled :data:`Signatures`.

    `kinds` gives the category that a run with such a tag ``kind`` is all about, `obeys` the
    requirements that a category of states is about ("" for all others).
    `excuses` is what the format itself does not keep, `beside` are files that may lie beside a
    journal.
    """

    format: str
    first_lives: Callable[[str], Iterator[Any]]
    record: Callable[[Any], Trace]
    policies: Mapping[str, str]
    salvaging: tuple[str, ...]
    answer: Callable[[Any], Answer]
    record_json: Callable[[list[str]], dict[str, Any]]
    obeys: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, str] = field(default_factory=dict)
    mutants: Mapping[str, str] = field(default_factory=dict)
    step: Callable[..., Any] = Workload
    workload: Callable[..., Any] = Workload
    long: LongWorkloads | None = None
    second: SecondLives | None = None
    reduction: Reduction | None = None
    kernel: Callable[[], Signatures] | None = None
    excuses: tuple[Excuse, ...] = ()
    beside: tuple[str, ...] = ()
    #: Gives the implementation that reads; the format's reference if nothing is said.
    implementation: Callable[[], Any] | None = None
    #: The first life that was recorded last: second lives of one come one after the other.
    _latest: dict[Any, Trace] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def readers(self) -> tuple[str, ...]:
        """The names of the readers, in order."""
        return (*self.policies, *self.mutants)

    @cached_property
    def read(self) -> Read:
        """All readers at once: one answer per name in `readers`."""
        reference = self.implementation() if self.implementation else load(self.format)
        readers = [self.reader(reference, policy) for policy in self.policies.values()]
        readers += [self.mutant_reader(name, policy) for name, policy in self.mutants.items()]

        def read(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
            return tuple(reader(files, edition) for reader in readers)

        return read

    def reader(self, implementation: Any, policy: str) -> Reader:
        """Return what reads with `implementation` under `policy`."""

        def read(files: Mapping[str, bytes], edition: str) -> Answer:
            try:
                observation = implementation.recover(files, edition=edition, policy=policy)
            except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
                # A mutant that trips over a state has refused it; the reference never does.
                return Answer((), f"exception:{type(error).__name__}")
            return self.answer(observation)

        return read

    def mutant_reader(self, mutant_id: str, policy: str) -> Reader:
        """Return a mutant of the reference under `policy`; raises LookupError if there is none of that id."""
        known = {mutant.id: mutant for mutant in load_mutants(self.format)}
        if mutant_id not in known:
            raise LookupError(f"no mutant {mutant_id!r}: {', '.join(known)}")
        try:
            return self.reader(known[mutant_id].implementation(), policy)
        except MutantError as error:
            raise LookupError(str(error)) from None

    @cached_property
    def signatures(self) -> Signatures | None:
        """The format's kernel; None if it has none, or there is no Numba."""
        try:
            return self.kernel() if self.kernel else None
        except ModuleNotFoundError as error:
            if error.name != "numba":
                raise
            return None

    def workloads(self, scope: str) -> Iterator[Any]:
        """Yield the workloads of a scope in a fixed order: first lives, long ones, second lives."""
        yield from self.first_lives(scope)
        drawn = self.long.lines if self.long else ()
        if self.long:
            yield from self.long.of_scope(scope)
        if self.second:
            yield from self.second.lives(scope, drawn)

    def build(self, work: Any) -> Trace:
        """Return the trace of a workload."""
        if isinstance(work, LongWorkload):
            assert self.long is not None  # nobody else makes them
            return self.long.build(work)
        if not isinstance(work, SecondLife):
            trace = self.record(work)
            return replace(trace, during=self.kinds.get(trace.tags.get("kind", ""), ""))
        assert self.second is not None  # nobody else makes them
        if work.first not in self._latest:
            first = self.build(work.first)
            self._latest.clear()
            self._latest[work.first] = first
        return second_crash.build(work, self.second, self._latest[work.first])


def has_crash_format(format_id: str) -> bool:
    """Tell whether `format_id` has crash states; raises UnknownFormat if it is not described."""
    try:
        return hasattr(format_module(PACKAGE, format_id), "crash_format")
    except UnknownFormat:
        if format_id not in format_ids():
            raise
        return False


def crash_format(format_id: str) -> CrashFormat:
    """Return what `format_id` gives to the crash engine; raises UnknownFormat if it gives nothing."""
    if not has_crash_format(format_id):
        raise UnknownFormat(f"{format_id} has no crash states yet: its corpus package has no crash_format()")
    found: CrashFormat = format_module(PACKAGE, format_id).crash_format()
    return found
