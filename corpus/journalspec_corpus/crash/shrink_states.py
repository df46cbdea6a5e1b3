"""One state among those of its trace: found by its descriptor, weighed, judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.classes import CATEGORIES, categories, fields
from journalspec_corpus.crash.digest import case_id, content_id, promise
from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.judge import Answer, judge
from journalspec_corpus.crash.model import CORRUPTED, PRESETS, get_preset
from journalspec_corpus.crash.oracle import REFUSALS, Facts, Owed, owed
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Mark, Trace

#: From the files of a state and the edition to what the reader says about them.
Reader = Callable[[Mapping[str, bytes], str], Answer]
Counts = npt.NDArray[np.int32]


class NoSuchState(LookupError):
    """No enumerated state of the trace has this descriptor."""


def deviations(states: States) -> Counts:
    """Return for each state how many cells are not as if everything had arrived.

    Or, if those are fewer, as if nothing had: shape (states,). A torn write counts
    as one, and so does what was corrupted.
    """
    if states.rot:
        return np.asarray([bool(text) for text in states.rot], np.int32)
    if states.torn >= 0:
        whole = (states.tear == 0) | (states.tear == states.tear.max(initial=0))
        return np.asarray(~whole, np.int32)
    # Versions that nobody wrote stand behind the last one that somebody did.
    arrived = [max(at for at, level in enumerate(cell.levels) if level >= 0) for cell in states.group.cells]
    lost = (states.codes != np.asarray(arrived, np.uint16)).sum(axis=1)
    kept = (states.codes != 0).sum(axis=1)
    return np.asarray(np.minimum(lost, kept), np.int32)


def wrong(answer: Answer, debt: Owed) -> list[str]:
    """Return the keys of records that `answer` has in effect and that nobody is to have."""
    found = []
    for key in answer.keys:
        record = debt.record_of.get(key)
        if record is None or record in debt.must_drop:
            found.append(key)
    return found


@dataclass(frozen=True)
class Situation:
    """The states of one group and what is true of them, each worked out when it is asked for."""

    trace: Trace
    states: States

    @cached_property
    def debt(self) -> Owed:
        """What recovery owes in all of them."""
        return owed(self.trace, self.states.group.crash_index, self.states.torn, self.states.stratum)

    @cached_property
    def facts(self) -> Facts:
        """What is true of each of them."""
        return Facts(self.states)

    @cached_property
    def deviations(self) -> Counts:
        """How far each of them is from a crash that tore nothing."""
        return deviations(self.states)

    @cached_property
    def categories(self) -> npt.NDArray[np.uint8]:
        """The category of each of them."""
        return categories(self.facts)

    @cached_property
    def fields(self) -> tuple[npt.NDArray[np.uint8], list[str]]:
        """The field in which each of them tears, and the fields' names."""
        return fields(self.facts)


@dataclass(frozen=True)
class State:
    """State number `row` of a situation."""

    situation: Situation
    row: int

    @property
    def trace(self) -> Trace:
        """The trace that it is a state of."""
        return self.situation.trace

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Its files."""
        states = self.situation.states
        return states.group.materialise(states.codes[self.row])

    @property
    def deviations(self) -> int:
        """How many granules, sizes or names are not as they should be."""
        return int(self.situation.deviations[self.row])

    @property
    def rank(self) -> int:
        """The number of its preset: smaller means stronger guarantees."""
        return int(self.situation.states.preset[self.row])

    @property
    def refusal(self) -> str:
        """Whether refusing it is allowed, required or forbidden."""
        return REFUSALS[int(self.situation.facts.refusals[self.row])]

    @property
    def category(self) -> str:
        """What kind of crash it is."""
        return CATEGORIES[int(self.situation.categories[self.row])]

    @property
    def field(self) -> str:
        """The field in which the first damaged record tears, "" for none."""
        column, names = self.situation.fields
        return names[int(column[self.row])]

    @property
    def kind(self) -> tuple[str, str, str]:
        """What makes two failing states alike: category, refusal, field."""
        return self.category, self.refusal, self.field

    @cached_property
    def content_id(self) -> bytes:
        """The id of its files' content."""
        return content_id(self.files)

    @cached_property
    def case_id(self) -> str:
        """The hex digits that the pipeline names this case by."""
        debt = self.situation.debt
        keys = [key for key, record in debt.record_of.items() if record in debt.must_keep]
        promised = promise(self.trace.format, self.trace.edition, self.situation.states.stratum, keys)
        return case_id(self.content_id, promised).hex()

    def descriptor(self, seed: int) -> Descriptor:
        """Return what :func:`.states.state_of` rebuilds it from."""
        states = self.situation.states
        rot = states.rot[self.row] if states.rot else ""
        bare = states.torn >= 0 or bool(rot)
        return Descriptor(
            trace=self.trace.id,
            preset=PRESETS[self.rank].name,
            crash_index=states.group.crash_index,
            mask=b"" if bare else states.codes[self.row].astype(np.uint8).tobytes(),
            tear=int(states.tear[self.row]),
            background=self.trace.background,
            seed=seed,
            rot=rot,
        )

    def verdict(self, answer: Answer, *, salvaging: bool) -> str:
        """Return what `answer` is worth in this state."""
        return judge(answer, self.situation.debt, self.refusal, holes_allowed=salvaging)

    def records(self, answer: Answer) -> int:
        """Return how many records the failure takes.

        Those issued in the trace's own life, and of those that stood before it
        the ones that `answer` should have listed and did not.
        """
        upto = max(self.situation.states.group.crash_index, self.situation.states.torn + 1)
        issued = {op.record for op in self.trace.ops[: upto + 1] if isinstance(op, Mark)}
        debt = self.situation.debt
        given = {debt.record_of.get(key) for key in answer.keys}
        missing = debt.must_keep - given if answer.refused is None else frozenset()
        return len(issued | {mark.record for mark in self.trace.standing if mark.record in missing})


def situations(trace: Trace, rank: int, seed: int, stratum: str) -> Iterator[Situation]:
    """Yield the states of `trace` in `stratum`, under presets no weaker than number `rank`.

    Presets that a build applies to some traces only are applied to this one. Kinds
    of corruption are not stronger or weaker: it stays the same kind.
    """
    presets = tuple(preset for preset in PRESETS[: rank + 1] if preset.stratum == stratum)
    if stratum == CORRUPTED:
        presets = presets[-1:]
    for states in crash_states(trace, presets, seed, everywhere=True):
        yield Situation(trace, states)


def find(trace: Trace, descriptor: Descriptor) -> State:
    """Return the state of `trace` that `descriptor` names; raises NoSuchState."""
    if descriptor.trace != trace.id:
        raise NoSuchState(f"the descriptor is of trace {descriptor.trace}, not {trace.id}")
    for states in crash_states(trace, (get_preset(descriptor.preset),), descriptor.seed, everywhere=True):
        if states.group.crash_index != descriptor.crash_index:
            continue
        situation = Situation(trace, states)
        for row in np.flatnonzero(states.tear == descriptor.tear).tolist():
            state = State(situation, row)
            if state.descriptor(descriptor.seed) == descriptor:
                return state
    raise NoSuchState(f"{trace.name} has no state {descriptor.preset} at operation {descriptor.crash_index}")
