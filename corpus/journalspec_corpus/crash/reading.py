"""Reading crash states, by the reference and its mutants: equal contents are read once.

A format may also say what the files of a state are parsed to: of the states with the same, one is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.adapter import CrashFormat, Read, Reader, crash_format
from journalspec_corpus.crash.blocks import Codes, CrashPoint, States
from journalspec_corpus.crash.verdict import Answer

#: Answers that are remembered by content, some thousand bytes each.
REMEMBERED = 1 << 13
#: The same by what states are parsed to, some ten thousand bytes each.
PARSED = 1 << 11


@cache
def reading_of(adapter: CrashFormat) -> Reading:
    """Return how the readers of `adapter` read states; what it remembers serves all crash points."""
    # What is parsed says what the reference and its mutants tell apart, and nobody else.
    return Reading(adapter.read if adapter.implementation else reading_once(adapter))


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


def answers(
    point: CrashPoint, codes: Codes, read: Read
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `codes`, the index of its own."""
    number: dict[tuple[Answer, ...], int] = {}
    edition = point.trace.edition
    which = [number.setdefault(read(point.materialise(row), edition), len(number)) for row in codes]
    return list(number), np.asarray(which, np.int32)


class Reading:
    """How a format's states are read. Remembers answers by edition and content."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[tuple[str, bytes], tuple[Answer, ...]] = {}

    def answers(
        self, point: CrashPoint, codes: Codes, contents: Sequence[bytes] = ()
    ) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
        """Return the distinct answers and, for each row of `codes`, the index of its own.

        `contents` are the content ids of the rows; without them all rows are read.
        """
        if not contents:
            return answers(point, codes, self._read)
        number: dict[tuple[Answer, ...], int] = {}
        edition, which = point.trace.edition, []
        for row, content in zip(codes, contents, strict=True):
            found = self._known.get((edition, content))
            if found is None:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                found = self._known[edition, content] = self._read(point.materialise(row), edition)
            which.append(number.setdefault(found, len(number)))
        return list(number), np.asarray(which, np.int32)


MUTANT = "mutant:"


@runtime_checkable
class PointReader(Protocol):
    """A reader that can also answer all states of a crash point at once."""

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""


@dataclass(frozen=True)
class FormatReader:
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
    return FormatReader(adapter, adapter.readers.index(name), whole)


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
    reader = FormatReader(adapter, adapter.readers.index(name), whole)
    return Named(name, reader, name in adapter.salvaging, adapter.policies.get(name, first))


def _salvages(adapter: CrashFormat, policy: str) -> bool:
    """Tell whether the reader of `policy` may leave records out."""
    return any(name in adapter.salvaging for name, known in adapter.policies.items() if known == policy)
