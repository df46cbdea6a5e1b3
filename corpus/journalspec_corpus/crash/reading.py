"""Reading crash states: by the reference and its mutants, and fast where a kernel says which are alike.

A format may have a kernel: two numbers per row of a crash point, such that rows with the
same ones get the same answer from every reader of the format, in whichever crash point
they are (see :func:`alike` for what "the same" means). One of them is read by the readers,
on its files. Where there is no kernel, or no Numba, a format may say what the files of a state are
parsed to: of those with the same one is read. Otherwise, and with ``JOURNALSPEC_KERNEL=0`` in
the environment, all are. Nothing that comes out of a build depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.adapter import CrashFormat, Read, Reader, Signatures, crash_format
from journalspec_corpus.crash.blocks import Codes, CrashPoint, States
from journalspec_corpus.crash.switches import KERNEL_SWITCH
from journalspec_corpus.crash.trace import Mark, Trace
from journalspec_corpus.crash.verdict import Answer

#: Turns the kernels off if it is "0".
SWITCH = KERNEL_SWITCH
#: Answers that are remembered by signature, some hundred bytes each.
REMEMBERED = 1 << 16
#: The same by what states are parsed to, some ten thousand bytes each.
PARSED = 1 << 11
_HASH_BYTES = 16


def reading_of(adapter: CrashFormat) -> Reading:
    """Return how the readers of `adapter` read states: with the format's kernel, if that speaks for them."""
    return Reading(adapter.read, None) if os.environ.get(SWITCH) == "0" else _remembering(adapter)


@cache
def _remembering(adapter: CrashFormat) -> Reading:
    # A kernel knows what the reference and its mutants tell apart, and no others.
    if adapter.implementation is not None:
        return Reading(adapter.read, None)
    return Reading(reading_once(adapter), kernel_of(adapter))


def reading_once(adapter: CrashFormat) -> Read:
    """Return what reads states that the format parses alike only once; all readers if it does not say."""
    parsed, read = adapter.parsed, adapter.read
    if parsed is None:
        return read
    known: dict[Hashable, tuple[Answer, ...]] = {}

    def once(files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        place = parsed(files, edition)
        if place is None:
            return read(files, edition)
        answer = known.get(place)
        if answer is None:
            if len(known) >= PARSED:
                known.clear()
            answer = known[place] = read(files, edition)
        return answer

    return once


def forget_answers() -> None:
    """Remember no answers of before: who measures begins anew."""
    _remembering.cache_clear()


def kernel_of(adapter: CrashFormat) -> Signatures | None:
    """Return the format's kernel; None if it has none, or there is no compiler."""
    try:
        return adapter.kernel() if adapter.kernel is not None else None
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        return None


def answers(
    point: CrashPoint, codes: Codes, read: Read
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `codes`, the index of its own."""
    number: dict[tuple[Answer, ...], int] = {}
    edition = point.trace.edition
    which = [number.setdefault(read(point.materialise(row), edition), len(number)) for row in codes]
    return list(number), np.asarray(which, np.int32)


class Reading:
    """How a format's states are read. Remembers answers by signature, from crash point to crash point.

    Give `signatures` to use another kernel than the format's own.
    """

    def __init__(self, read: Read, signatures: Signatures | None) -> None:
        self._read = read
        self._signatures = signatures
        self._known: dict[bytes, tuple[Answer, ...]] = {}

    def prepare(self, point: CrashPoint, codes: Codes) -> None:
        """Have the kernel compiled, if there is one; what it says of `point` is not looked at."""
        if self._signatures is not None:
            self._signatures(point, codes[:0])

    def signatures(self, point: CrashPoint, codes: Codes) -> list[bytes] | None:
        """Return the signature of each row of `codes`, 16 bytes; None if the readers have to look."""
        signed = None if self._signatures is None else self._signatures(point, codes)
        if signed is None:
            return None
        raw = signed.tobytes()
        return [raw[at : at + _HASH_BYTES] for at in range(0, len(raw), _HASH_BYTES)]

    def answers(
        self, point: CrashPoint, codes: Codes
    ) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
        """Return some answers and, for each row of `codes`, the index of its own (or one that is alike)."""
        return self.answered(point, codes, self.signatures(point, codes))

    def answered(
        self, point: CrashPoint, codes: Codes, names: list[bytes] | None
    ) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
        """Do as :meth:`answers` does, given the signatures `names` of the rows."""
        if names is None:
            return answers(point, codes, self._read)
        rows = {name: row for row, name in reversed([*enumerate(names)])}
        edition = point.trace.edition
        found = [
            self.answer(name, partial(point.materialise, codes[row]), edition) for name, row in rows.items()
        ]
        number = {name: at for at, name in enumerate(rows)}
        return found, np.asarray([number[name] for name in names], np.int32)

    def answer(
        self, name: bytes, files: Callable[[], Mapping[str, bytes]], edition: str
    ) -> tuple[Answer, ...]:
        """Return the answer to states of signature `name`; if it is new, `files` has one of them to read."""
        known = self._known.get(name)
        if known is None:
            if len(self._known) > REMEMBERED:
                self._known.clear()
            known = self._known[name] = self._read(files(), edition)
        return known


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


MUTANT = "mutant:"


@runtime_checkable
class PointReader(Protocol):
    """A reader that can also answer all states of a crash point at once."""

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""


@dataclass(frozen=True)
class FastReader:
    """Reader number `number` of a format; `whole` reads the files of one state."""

    adapter: CrashFormat
    number: int
    whole: Reader

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""
        return self.whole(files, edition)

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""
        found, which = reading_of(self.adapter).answers(states.point, states.codes)
        return [given[self.number] for given in found], which


def reference_reader(format_id: str, policy: str) -> Reader:
    """Return the reference implementation under `policy`; raises LookupError for an unknown one."""
    adapter = crash_format(format_id)
    whole = adapter.reader(policy)
    name = next(name for name, known in adapter.policies.items() if known == policy)
    return FastReader(adapter, adapter.readers.index(name), whole)


def mutant_reader(format_id: str, mutant_id: str, policy: str) -> Reader:
    """Return a mutant of the reference under `policy`; raises LookupError if there is none of that id."""
    return crash_format(format_id).mutant_reader(mutant_id, policy)


@dataclass(frozen=True)
class Named:
    """A reader by its name: with whether it may leave records out, and the policy that it is to follow."""

    name: str
    reader: Reader
    salvaging: bool
    policy: str


def named_reader(format_id: str, name: str) -> Named:
    """Return the reader that a user calls `name`; raises LookupError that lists the choices.

    A reader of the adapter (``strict``), or a mutant with the policy that it runs
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
    whole = (
        adapter.reader(adapter.policies[name]) if name in adapter.policies else adapter.mutant_reader(name)
    )
    reader = FastReader(adapter, adapter.readers.index(name), whole)
    return Named(name, reader, name in adapter.salvaging, adapter.policies.get(name, first))


def _salvages(adapter: CrashFormat, policy: str) -> bool:
    """Tell whether the reader of `policy` may leave records out."""
    return any(name in adapter.salvaging for name, known in adapter.policies.items() if known == policy)
