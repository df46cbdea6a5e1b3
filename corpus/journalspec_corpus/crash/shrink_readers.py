"""Readers to shrink with: the reference, the fast readers of a format's room, and mutants.

Those that have a fast way over whole groups answer thousands of states in the time
in which files are read a few times; every other reader is just called.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.cells import Group
from journalspec_corpus.crash.enumerate import States
from journalspec_corpus.crash.judge import Answer
from journalspec_corpus.crash.reading import reading_of
from journalspec_corpus.crash.room import CrashRoom, crash_room
from journalspec_corpus.crash.shrink_states import Reader
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.view import View
from journalspec_corpus.mutants import MutantError, load_mutants
from journalspec_reference import load

MUTANT = "mutant:"


@runtime_checkable
class GroupReader(Protocol):
    """A reader that can also answer all states of a group at once."""

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""


@dataclass(frozen=True)
class FastReader:
    """Reader number `number` of a format's room; on files it is `whole` if that is given."""

    room: CrashRoom
    number: int
    whole: Reader | None = None

    def __call__(self, files: Mapping[str, bytes], edition: str) -> Answer:
        """Return the answer on `files`."""
        if self.whole is not None:
            return self.whole(files, edition)
        view = View(_settled(self.room.format, files, edition))
        view.turn_to([])
        return self.room.read(view)[self.number]

    def answers(self, states: States) -> tuple[list[Answer], npt.NDArray[np.int32]]:
        """Return the distinct answers, and for each state the index of its own."""
        found, which = reading_of(self.room.format, self.room.read).answers(states.group, states.codes)
        return [given[self.number] for given in found], which


def _settled(format_id: str, files: Mapping[str, bytes], edition: str) -> Group:
    """Return a group in which nothing is in flight."""
    names = {name: number for number, name in enumerate(sorted(files))}
    contents = tuple(bytes(files[name]) for name in sorted(files))
    trace = Trace(format_id, edition, "", {}, (), "")
    sizes = tuple(len(content) for content in contents)
    return Group(trace, 0, 512, (), contents, sizes, names, {}, ())


def reference_reader(format_id: str, policy: str) -> Reader:
    """Return the reference implementation under `policy`; raises LookupError for an unknown one."""
    room = crash_room(format_id)
    whole = _implementation(load(format_id), room, policy)
    for name, known in room.policies.items():
        if known == policy:
            return FastReader(room, room.readers.index(name), whole)
    raise LookupError(f"no policy {policy!r}: choose one of {', '.join(room.policies.values())}")


def mutant_reader(format_id: str, mutant_id: str, policy: str) -> Reader:
    """Return a mutant of the reference under `policy`; raises LookupError if there is none of that id."""
    room = crash_room(format_id)
    known = {mutant.id: mutant for mutant in load_mutants(format_id)}
    if mutant_id not in known:
        raise LookupError(f"no mutant {mutant_id!r}: {', '.join(known)}")
    try:
        return _implementation(known[mutant_id].implementation(), room, policy)
    except MutantError as error:
        raise LookupError(str(error)) from None


def _implementation(implementation: Any, room: CrashRoom, policy: str) -> Reader:
    def read(files: Mapping[str, bytes], edition: str) -> Answer:
        try:
            observation = implementation.recover(files, edition=edition, policy=policy)
        except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
            # A mutant that trips over a state has refused it; the reference never does.
            return Answer((), f"exception:{type(error).__name__}")
        return room.answer(observation)

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
    room = crash_room(format_id)
    if name.startswith(MUTANT):
        mutant_id, _, asked = name.removeprefix(MUTANT).partition("/")
        policy = asked or next(iter(room.policies.values()))
        if policy not in room.policies.values():
            raise LookupError(f"no policy {policy!r}: choose one of {', '.join(room.policies.values())}")
        return Named(name, mutant_reader(format_id, mutant_id, policy), _salvages(room, policy), policy)
    if name not in room.readers:
        choices = ", ".join(room.readers)
        raise LookupError(f"no reader {name!r}: choose one of {choices}, or {MUTANT}ID[/POLICY]")
    first = next(iter(room.policies.values()))
    if name in room.policies:
        reader = reference_reader(format_id, room.policies[name])
    else:
        reader = FastReader(room, room.readers.index(name))
    return Named(name, reader, name in room.salvaging, room.policies.get(name, first))


def _salvages(room: CrashRoom, policy: str) -> bool:
    """Tell whether the reader of `policy` may leave records out."""
    return any(name in room.salvaging for name, known in room.policies.items() if known == policy)
