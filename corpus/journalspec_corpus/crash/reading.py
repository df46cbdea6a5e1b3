"""Reading crash states by the reference: equal contents are read once.

A format may also say what the files of a state are parsed to: of the states with the same, one is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

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
    return Reading(adapter)


def answers(
    point: CrashPoint, codes: Codes, read: Read
) -> tuple[list[tuple[Answer, ...]], npt.NDArray[np.int32]]:
    """Return the distinct answers of `read` and, for each row of `codes`, the index of its own."""
    number: dict[tuple[Answer, ...], int] = {}
    edition = point.trace.edition
    which = [number.setdefault(read(point.materialise(row), edition), len(number)) for row in codes]
    return list(number), np.asarray(which, np.int32)


class Reading:
    """How a format's states are read. Remembers answers by edition and content, and by what is parsed."""

    def __init__(self, adapter: CrashFormat) -> None:
        self._adapter = adapter
        self._known: dict[tuple[str, bytes], tuple[Answer, ...]] = {}
        self._parsed: dict[Hashable, tuple[Answer, ...]] = {}

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
            place = edition, content
            if place not in self._known:
                _keep(self._known, place, self._read(point.materialise(row), edition), REMEMBERED)
            which.append(number.setdefault(self._known[place], len(number)))
        return list(number), np.asarray(which, np.int32)

    def _read(self, files: Mapping[str, bytes], edition: str) -> tuple[Answer, ...]:
        """Read files; of those that the format parses alike only the first."""
        adapter = self._adapter
        # What is parsed says what the reference tells apart, and nobody else.
        parsed = adapter.parsed(files, edition) if adapter.parsed and not adapter.implementation else None
        if parsed is None:
            return adapter.read(files, edition)
        if parsed not in self._parsed:
            _keep(self._parsed, parsed, adapter.read(files, edition), PARSED)
        return self._parsed[parsed]


K = TypeVar("K")
V = TypeVar("V")


def _keep(known: dict[K, V], key: K, value: V, most: int) -> None:
    """Remember `value` among at most so many others."""
    if len(known) >= most:
        known.clear()
    known[key] = value


@dataclass(frozen=True)
class FormatReader:
    """Reader number `number` of a format: it can also answer all states of a crash point at once.

    `whole` reads the files of one state.
    """

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


@dataclass(frozen=True)
class Named:
    """A reader by its name: with whether it may leave records out, and the policy that it is to follow."""

    name: str
    reader: Reader
    salvaging: bool


def named_reader(format_id: str, name: str) -> Named:
    """Return the reader that a user calls `name`; raises LookupError that lists the choices."""
    adapter = crash_format(format_id)
    if name not in adapter.readers:
        raise LookupError(f"no reader {name!r}: choose one of {', '.join(adapter.readers)}")
    reader = FormatReader(adapter, adapter.readers.index(name), adapter.reader(name))
    return Named(name, reader, adapter.salvages(name))
