"""Finding what a format's own room gives to the crash engine."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from journalspec.formats import UnknownFormat, format_ids, format_module
from journalspec.observation import Observation
from journalspec_corpus.crash import again, long
from journalspec_corpus.crash.judge import Answer
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.view import View

PACKAGE = "journalspec_corpus"


@dataclass(frozen=True)
class CrashRoom:
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


def has_crash_room(format_id: str) -> bool:
    """Tell whether `format_id` has traces; raises UnknownFormat if it is not described."""
    try:
        _module(format_id, "traces")
    except UnknownFormat:
        if format_id not in format_ids():
            raise
        return False
    return True


def crash_room(format_id: str) -> CrashRoom:
    """Return the crash room of `format_id`; raises UnknownFormat if it has none."""
    traces = _module(format_id, "traces")
    reader = _module(format_id, "crash_reader")
    resume = resume_of(format_id)
    first_lives = long.extended(traces, _optional(format_id, "long"))
    workloads, build = again.extended(first_lives, resume)
    return CrashRoom(
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
    room = format_module(PACKAGE, format_id).__name__
    full = f"{room}.{name}"
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise
        raise UnknownFormat(f"{format_id} has no crash traces yet: {full} is missing") from None
