"""Long workloads: sequences of operations that a state machine drew, kept as data.

Small workloads are enumerated, and what needs many steps (a file that comes round
again, a transaction open over three files) is not among them. These sequences
were drawn by a Hypothesis state machine, once; the lines are what counts and not
how they came about, so that building needs no Hypothesis and no luck.

A format takes part with a module ``long`` in its room: ``build(work)`` records a
trace of a line, ``LINES`` is the name of the file with the lines, whose first one
says where they come from.

Finding what a format's own room gives to the crash engine.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from journalspec.formats import UnknownFormat, format_ids, format_module
from journalspec.observation import Observation
from journalspec_corpus.crash.second_crash import (
    with_second_lives,
)
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.crash.view import View

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


def _with_long(traces: ModuleType, long: ModuleType | None) -> Room:
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


PACKAGE = "journalspec_corpus"


@dataclass(frozen=True)
class CrashFormat:
    """A format's ``traces`` and ``crash_reader`` modules, as the engine uses them.

    `workloads(scope)` yields workloads in a fixed order, `build(workload)` records
    one (a format with a ``resume`` module has second lives among them). `read(view)`
    returns one answer per name in `readers`, from the state that the view shows;
    `answer(observation)` gives the same for an implementation that read whole files.
    Readers in `salvaging` may leave records out if they say so;
    `policies` gives the recovery policy of each reader that is no mutant (the first
    one refuses where it may), `obeys` the requirements that a category of states is
    about ("" for all others). `record_json(keys)` is a record as an observation lists
    it, with the fields that all its keys agree on.
    """

    format: str
    workloads: Callable[[str], Iterator[Any]]
    build: Callable[[Any], Trace]
    readers: tuple[str, ...]
    salvaging: tuple[str, ...]
    policies: Mapping[str, str]
    obeys: Mapping[str, tuple[str, ...]]
    read: Callable[[View], tuple[Answer, ...]]
    answer: Callable[[Observation], Answer]
    record_json: Callable[[list[str]], dict[str, Any]]


def has_crash_format(format_id: str) -> bool:
    """Tell whether `format_id` has traces; raises UnknownFormat if it is not described."""
    try:
        _module(format_id, "traces")
    except UnknownFormat:
        if format_id not in format_ids():
            raise
        return False
    return True


def crash_format(format_id: str) -> CrashFormat:
    """Return the crash room of `format_id`; raises UnknownFormat if it has none."""
    traces = _module(format_id, "traces")
    reader = _module(format_id, "crash_reader")
    resume = resume_of(format_id)
    first_lives = _with_long(traces, _optional(format_id, "long"))
    workloads, build = with_second_lives(first_lives, resume)
    return CrashFormat(
        format=format_id,
        workloads=workloads,
        build=build,
        readers=tuple(reader.READERS),
        salvaging=tuple(reader.SALVAGING),
        policies=dict(reader.POLICIES),
        obeys=dict(reader.OBEYS),
        read=reader.read,
        answer=reader.answer,
        record_json=reader.record_json,
    )


def resume_of(format_id: str) -> ModuleType | None:
    """Return the format's ``resume`` module, None if it has no second lives."""
    return _optional(format_id, "resume")


def _optional(format_id: str, name: str) -> ModuleType | None:
    """Return a module of the format's room that it need not have, None if it has none."""
    try:
        return _module(format_id, name)
    except UnknownFormat:
        return None


def _module(format_id: str, name: str) -> ModuleType:
    adapter = format_module(PACKAGE, format_id).__name__
    full = f"{adapter}.{name}"
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise
        raise UnknownFormat(f"{format_id} has no crash traces yet: {full} is missing") from None


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
