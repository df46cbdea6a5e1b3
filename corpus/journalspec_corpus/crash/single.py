"""One state, judged on its own: a workload's name and a descriptor in, a verdict out.

For statements about single states, which have to be checked long after a build.
The state is looked up among those that the engine enumerates (so that nothing
is claimed of a state that no preset reaches), built the plain way, and read by
the reference as whole files, without a view.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.judge import judge
from journalspec_corpus.crash.model import PRESETS, get_preset
from journalspec_corpus.crash.oracle import REFUSALS, Facts, owed
from journalspec_corpus.crash.room import CrashRoom, crash_room
from journalspec_corpus.crash.states import Descriptor, state_of
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.view import View
from journalspec_reference import load

#: Where a workload is looked for by its name, small scopes first.
SCOPES = ("smoke", "core", "full")


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one state: its files, its stratum, what was owed of a refusal, and the verdict."""

    files: Mapping[str, bytes]
    stratum: str
    refusal: str
    verdict: str


def workload_named(room: CrashRoom, name: str) -> Any:
    """Return the workload called `name`; raises LookupError if no scope has it."""
    for scope in SCOPES:
        work = _named(room.format, scope).get(name)
        if work is not None:
            return work
    raise LookupError(f"{room.format} has no workload {name!r} in {', '.join(SCOPES)}")


@lru_cache(maxsize=16)
def _named(format_id: str, scope: str) -> Mapping[str, Any]:
    return {work.name: work for work in crash_room(format_id).workloads(scope)}


def row_of(trace: Trace, descriptor: Descriptor) -> States:
    """Return the one enumerated state that `descriptor` names; raises LookupError if there is none.

    A mask may leave out cells with one version only: there is nothing to say about them.
    """
    preset = get_preset(descriptor.preset)
    rank = PRESETS.index(preset)
    for states in crash_states(trace, (preset,), descriptor.seed, everywhere=True):
        if states.group.crash_index != descriptor.crash_index:
            continue
        wanted = (states.preset == rank) & (states.tear == descriptor.tear)
        if descriptor.rot or states.rot:
            wanted &= np.asarray([text == descriptor.rot for text in states.rot or [""] * len(states)], bool)
        elif states.torn < 0:
            wanted &= _masked(states, descriptor.mask)
        found = np.flatnonzero(wanted)
        if len(found):
            return states.take(found[:1])
    raise LookupError(f"{trace.name}: no state of {descriptor.preset} is {descriptor}")


def _masked(states: States, mask: bytes) -> npt.NDArray[np.bool_]:
    """Return the rows with `mask`, given for all cells or for those that have a choice."""
    codes, given = states.codes, np.frombuffer(mask, np.uint8)
    if len(given) != codes.shape[1]:
        codes = codes[:, [at for at, size in enumerate(states.group.dims) if size > 1]]
    if len(given) != codes.shape[1]:
        return np.zeros(len(codes), bool)
    return np.asarray((codes == given).all(axis=1))


def judge_state(room: CrashRoom, trace: Trace, descriptor: Descriptor, reader: str) -> Judged:
    """Judge `reader` (a name in `room.readers`) on one state of `trace`.

    A reader that is a recovery policy is the reference on whole files; a mutant
    is read through the view. Raises LookupError for a state that is not
    enumerated, and ValueError if the two ways to build it do not agree.
    """
    states = row_of(trace, descriptor)
    if states.torn < 0 and not states.rot:
        descriptor = replace(descriptor, mask=states.codes[0].astype(np.uint8).tobytes())
    files = state_of(trace, descriptor)
    if states.group.materialise(states.codes[0]) != files:
        raise ValueError(f"{trace.name}: {descriptor} gives other files in the enumeration")
    if reader in room.policies:
        observed = load(room.format).recover(files, edition=trace.edition, policy=room.policies[reader])
        answer = room.answer(observed)
    else:
        view = View(states.group)
        view.turn_to(states.codes[0].tolist())
        answer = room.read(view)[room.readers.index(reader)]
    debt = owed(trace, states.group.crash_index, states.torn, states.stratum)
    refusal = REFUSALS[int(Facts(states).refusals[0])]
    verdict = judge(answer, debt, refusal, holes_allowed=reader in room.salvaging)
    return Judged(files, states.stratum, refusal, verdict)
