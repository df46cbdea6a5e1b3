"""Long workloads: sequences of operations that a state machine drew, kept as data.

Small workloads are enumerated, and what needs many steps (a file that comes round
again, a transaction open over three files) is not among them. These sequences
were drawn by a Hypothesis state machine, once; the lines are what counts and not
how they came about, so that building needs no Hypothesis and no luck.

A format takes part with a module ``long`` in its room: ``build(work)`` records a
trace of a line, ``LINES`` is the name of the file with the lines, whose first one
says where they come from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from journalspec_corpus.crash.trace import Trace

#: So many lines, evenly spread, are in the core tier; the full tier has all.
IN_CORE = 6


@dataclass(frozen=True, slots=True)
class LongWorkload:
    """One sequence: the edition or order of writes, the length of a file in bytes, and rules.

    `rules` are words with a blank between them; the format's module says what they mean.
    """

    variant: str
    size: int
    rules: str

    @property
    def name(self) -> str:
        """A readable name, unique among workloads."""
        return f"long/{self.variant}/{self.size}/{self.rules.replace(' ', '+')}"

    def line(self) -> str:
        """Return the workload as one line of JSON, without the end of the line."""
        return json.dumps([self.variant, self.size, self.rules], separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Room:
    """What a format's room gives to the engine, long workloads included."""

    workloads: Callable[[str], Iterator[Any]]
    build: Callable[[Any], Trace]


@cache
def long_workloads(package: str, name: str) -> tuple[LongWorkload, ...]:
    """Return the workloads in the file `name` of `package`; the first line is about the others."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return tuple(LongWorkload(*json.loads(line)) for line in text.splitlines()[1:])


def extended(traces: ModuleType, long: ModuleType | None) -> Room:
    """Return `traces.workloads` and `traces.build` with long workloads; as they are if there are none."""
    if long is None:
        return Room(traces.workloads, traces.build)

    def workloads(scope: str) -> Iterator[Any]:
        yield from traces.workloads(scope)
        yield from _of_scope(long_workloads(traces.__name__.rpartition(".")[0], long.LINES), scope)

    def build(work: Any) -> Trace:
        module = long if isinstance(work, LongWorkload) else traces
        trace: Trace = module.build(work)
        return trace

    return Room(workloads, build)


def _of_scope(lines: tuple[LongWorkload, ...], scope: str) -> tuple[LongWorkload, ...]:
    if scope == "full":
        return lines
    return lines[:: max(1, len(lines) // IN_CORE)][:IN_CORE] if scope == "core" else ()
