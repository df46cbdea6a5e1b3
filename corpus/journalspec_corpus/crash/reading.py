"""Reading all rows of a group: a few by the plain reader, the others by what a kernel says of them.

Without a kernel, without Numba, and with ``JOURNALSPEC_KERNEL=0`` in the environment,
the plain reader reads every answer path. Nothing that comes out of a build depends on it.

Readers to shrink with: the reference, the fast readers of a format's room, and mutants.

Those that have a fast way over whole groups answer thousands of states in the time
in which files are read a few times; every other reader is just called.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.adapter import CrashFormat, Kernel, Read, Signatures, crash_format
from journalspec_corpus.crash.blocks import Codes, CrashPoint, States
from journalspec_corpus.crash.trace import Mark, Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.view import Paths, Plain, View
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load

#: Turns the kernels off if it is "0".
SWITCH = "JOURNALSPEC_KERNEL"
#: Answers that are remembered by signature, some hundred bytes each.
REMEMBERED = 1 << 16
_HASH_BYTES = 16


def reading_of(adapter: CrashFormat) -> Reading:
    """Return how the readers of `adapter` read states: with the format's kernel, if that speaks for them."""
    return _plain(adapter) if os.environ.get(SWITCH) == "0" else _remembering(adapter)


@cache
def _remembering(adapter: CrashFormat) -> Reading:
    kernel = kernel_of(adapter)
    if kernel is None or kernel.read is not adapter.read:
        return _plain(adapter)
    return Reading(adapter.read, kernel.signatures, kernel.patience)


def _plain(adapter: CrashFormat) -> Reading:
    return Reading(adapter.read, None)


def kernel_of(adapter: CrashFormat) -> Kernel | None:
    """Return the format's kernel; None if it has none, or there is no compiler."""
    try:
        return adapter.kernel() if adapter.kernel is not None else None
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        return None


class Reading:
    """How a format's states are read. Remembers answers by signature, from group to group.

    `patience` is how many answer paths the plain reader follows in a group before
    the kernel is asked about the rows that are left: it is the quicker one while
    there are few. Give `signatures` to use another kernel than the format's own.
    """

    def __init__(self, read: Read, signatures: Signatures | None, patience: int = 0) -> None:
        self._read = read
        self._signatures = signatures
        self._patience = patience
        self._known: dict[bytes, tuple[Answer, ...]] = {}

    def prepare(self, point: CrashPoint, codes: Codes) -> None:
        """Have the kernel compiled, if there is one; what it says of `point` is not looked at."""
        if self._signatures is not None:
            self._signatures(point, codes[:0])

    def answers(
        self, point: CrashPoint, codes: Codes
    ) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
        """Return some answers and, for each row of `codes`, the index of its own (or one that is alike)."""
        if len(codes) == 1 and self._patience:
            # Nobody else can have the same answer.
            return [self._read(Plain(point, codes[0]))], np.zeros(1, np.int32)
        paths = Paths(point, codes, self._read)
        while paths.left.size and (self._signatures is None or len(paths.found) < self._patience):
            paths.step()
        if self._signatures is not None and paths.left.size:
            signed = self._signatures(point, codes[paths.left])
            if signed is None:
                while paths.left.size:
                    paths.step()
            else:
                self._take(point, codes, paths, signed)
        return paths.found, paths.which

    def _take(self, point: CrashPoint, codes: Codes, paths: Paths, signed: npt.NDArray[np.uint64]) -> None:
        """Give the rows that are left their answers by signature."""
        raw = signed.tobytes()
        names = [raw[at : at + _HASH_BYTES] for at in range(0, len(raw), _HASH_BYTES)]
        number = {name: at for at, name in enumerate(dict.fromkeys(names), start=len(paths.found))}
        paths.which[paths.left] = [number[name] for name in names]
        if len(self._known) > REMEMBERED:
            self._known.clear()
        for name in number:
            answer = self._known.get(name)
            if answer is None:
                row = int(paths.left[names.index(name)])
                answer = self._known[name] = self._read(Plain(point, codes[row]))
            paths.found.append(answer)


def keys_of(trace: Trace) -> frozenset[str]:
    """Return the keys of all records that were written in `trace`, or before it."""
    marks = (*trace.standing, *trace.stale, *trace.possible)
    return frozenset(mark.key for mark in (*marks, *(op for op in trace.ops if isinstance(op, Mark))))


def alike(one: Answer, two: Answer, keys: Collection[str]) -> bool:
    """Tell whether two answers are the same one, as far as any verdict goes.

    They are if they are equal. They are as well if both hold a record that nobody
    wrote (none of `keys`): then it does not matter which one, nor what else they hold.
    """
    return one == two or (_foreign(one, keys) and _foreign(two, keys))


def _foreign(answer: Answer, keys: Collection[str]) -> bool:
    return answer.refused is None and any(key not in keys for key in (*answer.keys, *answer.aside))


#: From the files of a state and the edition to what the reader says about them.
Reader = Callable[[Mapping[str, bytes], str], Answer]
MUTANT = "mutant:"


@runtime_checkable
class PointReader(Protocol):
    """A reader that can also answer all states of a group at once."""

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""


@dataclass(frozen=True)
class FastReader:
    """Reader number `number` of a format's room; on files it is `whole` if that is given."""

    adapter: CrashFormat
    number: int
    whole: Reader | None = None

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""
        if self.whole is not None:
            return self.whole(files, edition)
        view = View(_settled(self.adapter.format, files, edition))
        view.turn_to([])
        return self.adapter.read(view)[self.number]

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""
        found, which = reading_of(self.adapter).answers(states.point, states.codes)
        return [given[self.number] for given in found], which


def _settled(format_id: str, files: Mapping[str, bytes], edition: str) -> CrashPoint:
    """Return a group in which nothing is in flight."""
    names = {name: number for number, name in enumerate(sorted(files))}
    contents = tuple(bytes(files[name]) for name in sorted(files))
    trace = Trace(format_id, edition, "", {}, (), "")
    sizes = tuple(len(content) for content in contents)
    return CrashPoint(trace, 0, 512, (), contents, sizes, names, {}, ())


def reference_reader(format_id: str, policy: str) -> Reader:
    """Return the reference implementation under `policy`; raises LookupError for an unknown one."""
    adapter = crash_format(format_id)
    whole = _implementation(load(format_id), adapter, policy)
    for name, known in adapter.policies.items():
        if known == policy:
            return FastReader(adapter, adapter.readers.index(name), whole)
    raise LookupError(f"no policy {policy!r}: choose one of {', '.join(adapter.policies.values())}")


def mutant_reader(format_id: str, mutant_id: str, policy: str) -> Reader:
    """Return a mutant of the reference under `policy`; raises LookupError if there is none of that id."""
    adapter = crash_format(format_id)
    known = {mutant.id: mutant for mutant in load_mutants(format_id)}
    if mutant_id not in known:
        raise LookupError(f"no mutant {mutant_id!r}: {', '.join(known)}")
    try:
        return _implementation(known[mutant_id].implementation(), adapter, policy)
    except MutantError as error:
        raise LookupError(str(error)) from None


def _implementation(implementation: Any, adapter: CrashFormat, policy: str) -> Reader:
    def read(files: Mapping[str, bytes], edition: str) -> Answer:
        try:
            observation = implementation.recover(files, edition=edition, policy=policy)
        except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
            # A mutant that trips over a state has refused it; the reference never does.
            return Answer((), f"exception:{type(error).__name__}")
        return adapter.answer(observation)

    return read


@dataclass(frozen=True)
class Named:
    """A reader by its name: with whether it may leave records out, and the policy that it is to follow."""

    name: str
    reader: Reader
    salvaging: bool
    policy: str


def named_reader(format_id: str, name: str) -> Named:
    """Return the reader that a user calls `name`; raises LookupError that lists the choices.

    A reader of the room (``strict``), or a mutant with the policy that it runs
    under (``mutant:ID`` for the first policy, ``mutant:ID/POLICY``).
    """
    adapter = crash_format(format_id)
    if name.startswith(MUTANT):
        mutant_id, _, asked = name.removeprefix(MUTANT).partition("/")
        policy = asked or next(iter(adapter.policies.values()))
        if policy not in adapter.policies.values():
            raise LookupError(f"no policy {policy!r}: choose one of {', '.join(adapter.policies.values())}")
        return Named(name, mutant_reader(format_id, mutant_id, policy), _salvages(adapter, policy), policy)
    if name not in adapter.readers:
        choices = ", ".join(adapter.readers)
        raise LookupError(f"no reader {name!r}: choose one of {choices}, or {MUTANT}ID[/POLICY]")
    first = next(iter(adapter.policies.values()))
    if name in adapter.policies:
        reader = reference_reader(format_id, adapter.policies[name])
    else:
        reader = FastReader(adapter, adapter.readers.index(name))
    return Named(name, reader, name in adapter.salvaging, adapter.policies.get(name, first))


def _salvages(adapter: CrashFormat, policy: str) -> bool:
    """Tell whether the reader of `policy` may leave records out."""
    return any(name in adapter.salvaging for name, known in adapter.policies.items() if known == policy)
