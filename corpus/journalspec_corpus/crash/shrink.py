"""From a failing crash state to the smallest one that fails in the same way.

Greedy, to a fixed point, in this order: fewer records, fewer deviations, a
stronger preset, then what the format's room calls smaller (an empty background,
shorter payload, the plain alignment). What stays is the verdict, and with it the
invariant that is broken, whether what is wrong is in effect or only listed, the
stratum, the writer and what the run is about.

A changed workload has other states. Its states are looked through, least deviations
and most alike first, for one with the same verdict. Readers that answer a whole
group at once are asked about all of them; others about the first ``NARROW`` of each
candidate, and about all of them (as far as the budget reaches) only when nothing
smaller was found that way. Memory is linear in the states of one workload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from journalspec_corpus.crash.classes import CATEGORIES
from journalspec_corpus.crash.judge import VERDICTS, Answer, judge
from journalspec_corpus.crash.oracle import REFUSALS, Owed
from journalspec_corpus.crash.room import CrashRoom
from journalspec_corpus.crash.shrink_lives import crashes_before, smaller_of
from journalspec_corpus.crash.shrink_readers import GroupReader
from journalspec_corpus.crash.shrink_states import Reader, Situation, State, find, situations, wrong
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Trace
from journalspec_reference.api import WriterRefused

#: Reader calls on one candidate workload before the next one is tried.
NARROW = 96
#: Reader calls in all, if nobody says otherwise.
BUDGET = 20_000
#: The one verdict that nothing is to be shrunk from; a refusal that is allowed may be worth it.
NO_FAILURE = "pass"
#: Tags of a trace that say in what a workload became plainer.
_TOLD = ("align", "then", "force")
Progress = Callable[[int, str], None]
#: Whether an answer, given what is owed, is still the failure that is meant.
Keep = Callable[[Answer, Owed], bool]


class NotFailing(ValueError):
    """The state to start from does not fail as was said; the message says what the reader answered."""


@dataclass(frozen=True, slots=True)
class Step:
    """One reduction that was taken: what became smaller, and what was reached by it."""

    how: str
    workload: str
    descriptor: Descriptor


@dataclass(frozen=True)
class Shrunk:
    """The smallest failing state that was found.

    `records` and `deviations` are its size; `steps` the reductions that were taken,
    `tried` the calls of the reader on files; what it says of whole groups is not counted.
    `minimal` is false if the budget ended before every smaller candidate had been
    looked at. `state` knows the rest; `start` is the case id that it was shrunk from. In a second
    life, `earlier` are the deviations of the crash that it began with.
    """

    workload: Any
    descriptor: Descriptor
    files: Mapping[str, bytes]
    records: int
    deviations: int
    steps: tuple[Step, ...]
    tried: int
    verdict: str
    answer: Answer
    minimal: bool
    state: State
    start: str
    earlier: int

    @property
    def breaks(self) -> tuple[str, ...]:
        """The invariants that are broken."""
        return VERDICTS[self.verdict]


def shrink(  # noqa: PLR0913  # what is shrunk and how; all but five are keyword-only
    room: CrashRoom,
    workload: Any,
    descriptor: Descriptor,
    reader: Reader,
    verdict: str,
    *,
    salvaging: bool,
    budget: int = BUDGET,
    keep: Keep = lambda answer, debt: True,
    progress: Progress = lambda tried, what: None,
) -> Shrunk:
    """Return the smallest state on which `reader` gets `verdict`, starting from the given one.

    `keep` may ask for more than the verdict. `progress` is called with the reader
    calls so far and a line about what was reached.
    Raises NotFailing if the start does not get `verdict`, and NoSuchState if it is
    none of the workload's.
    """
    state = find(room.build(workload), descriptor)
    search = _Search(room, reader, verdict, salvaging, descriptor.seed, state.situation.states.stratum)
    search.limit = budget
    given = search.verdict_of(state)
    if given != verdict:
        raise NotFailing(f"the reader gets {given!r} in this state, not {verdict!r}")
    if verdict == NO_FAILURE:
        raise NotFailing(f"the reader gets {given!r} in this state, which is no failure")
    search.in_effect = bool(wrong(search.answer(state), state.situation.debt))
    search.keep = keep
    start, steps = state.case_id, []
    done = minimal = False
    while not done:
        try:
            smaller = search.step(workload, state)
        except _SpentError:
            break
        if smaller is None:
            done = minimal = True
            continue
        steps.append(Step(how(state, smaller[1]), smaller[1].trace.name, smaller[1].descriptor(search.seed)))
        workload, state = smaller
        progress(search.tried, f"{steps[-1].how}: {state.trace.name}")
    answer = search.answer(state)
    return Shrunk(
        workload,
        state.descriptor(search.seed),
        state.files,
        state.records(answer),
        state.deviations,
        tuple(steps),
        search.tried,
        verdict,
        answer,
        minimal,
        state,
        start,
        sum(before.deviations for before in crashes_before(room, workload)),
    )


def how(before: State, after: State) -> str:
    """Return in words what became smaller between two states."""
    old, new = before.trace, after.trace
    if old.id == new.id:
        return "stronger preset" if after.deviations == before.deviations else "fewer deviations"
    if len(new.marks) < len(old.marks):
        return "fewer records"
    if new.background != old.background:
        return f"background {new.background}"
    if _payload(new) < _payload(old):
        return "shorter records"
    for name in _TOLD:
        if old.tags.get(name) != new.tags.get(name):
            return f"{name} {new.tags[name]}"
    return "plainer workload"


def _payload(trace: Trace) -> int:
    return sum(mark.length for marks in trace.marks.values() for mark in marks)


class _SpentError(Exception):
    """The budget is used up."""


class _Search:
    """Looking for a failure among the states of one workload after the other."""

    def __init__(  # what every question has in common
        self, room: CrashRoom, reader: Reader, verdict: str, salvaging: bool, seed: int, stratum: str
    ) -> None:
        self.room = room
        self.reader = reader
        self.verdict = verdict
        self.salvaging = salvaging
        self.seed = seed
        self.stratum = stratum
        self.tried = 0
        self.limit = BUDGET
        #: Whether what should not be there is in effect, and not only listed: that stays as well.
        self.in_effect = False
        self.keep: Keep = lambda answer, debt: True
        self._answers: dict[tuple[str, bytes], Answer] = {}
        self._smaller = smaller_of(room.format)
        #: Workloads that were reached: a walk among equals would not end.
        self._reached: set[str] = set()

    def step(self, workload: Any, state: State) -> tuple[Any, State] | None:
        """Return a smaller workload and its failing state, or a smaller state of this one, or None."""
        self._reached.add(workload.name)
        candidates = list(self._candidates(workload))
        fewer = [entry for entry in candidates if len(entry[1].marks) < len(state.trace.marks)]
        others = [entry for entry in candidates if len(entry[1].marks) >= len(state.trace.marks)]
        for width in (NARROW, None):
            for group in (fewer, None, others):
                for work, trace in [(workload, state.trace)] if group is None else group:
                    found = self._first(trace, state, width, better=group is None)
                    if found is not None:
                        return work, found
            if isinstance(self.reader, GroupReader):
                break
        return None

    def _candidates(self, workload: Any) -> Iterator[tuple[Any, Trace]]:
        if self._smaller is None:
            return
        for work in self._smaller(workload):
            if work.name in self._reached:
                continue
            try:
                yield work, self.room.build(work)
            except (ValueError, WriterRefused):
                # What is left of the steps is nothing that can be done.
                continue

    def _first(self, trace: Trace, like: State, width: int | None, *, better: bool) -> State | None:
        """Return the first failing state of `trace` that is no larger than `like` (or `better`: smaller)."""
        found = list(situations(trace, like.rank, self.seed, self.stratum))
        order = _ordered(found, like, better=better)
        if isinstance(self.reader, GroupReader):
            return self._first_of_all(found, order, like, self.reader)
        stop = self.limit if width is None else min(self.limit, self.tried + width)
        for number, row in order:
            state = State(found[number], row)
            if self.tried >= stop and (trace.edition, state.content_id) not in self._answers:
                if self.tried >= self.limit:
                    raise _SpentError
                return None
            if self._is_one(state, like):
                return state
        return None

    def _is_one(self, state: State, like: State) -> bool:
        """Tell whether `state` fails as it should, and takes no more records than `like`."""
        answer = self.answer(state)
        if self.verdict_of(state) != self.verdict:
            return False
        if not self._alike(answer, state.situation.debt):
            return False
        return state.records(answer) <= like.records(self.answer(like))

    def _alike(self, answer: Answer, debt: Owed) -> bool:
        return bool(wrong(answer, debt)) == self.in_effect and self.keep(answer, debt)

    def _first_of_all(
        self, found: list[Situation], order: list[tuple[int, int]], like: State, reader: GroupReader
    ) -> State | None:
        if self.tried >= self.limit:
            raise _SpentError
        hits = [self._fails(situation, reader) for situation in found]
        for number, row in order:
            # What the quick way says of a group is asked again of the files.
            if hits[number][row]:
                state = State(found[number], row)
                if self._is_one(state, like):
                    return state
        return None

    def _fails(self, situation: Situation, reader: GroupReader) -> Any:
        answers, which = reader.answers(situation.states)
        refusals = situation.facts.refusals
        table = np.zeros((len(answers), len(REFUSALS)), bool)
        for entry in np.unique(which.astype(np.int64) * len(REFUSALS) + refusals).tolist():
            at, kind = divmod(entry, len(REFUSALS))
            given = judge(answers[at], situation.debt, REFUSALS[kind], holes_allowed=self.salvaging)
            # Of records that nobody wrote, the quick way says only that there are some.
            table[at, kind] = given == self.verdict
        return table[which, refusals]

    def answer(self, state: State) -> Answer:
        """Return the reader's answer on `state`; equal content is read once."""
        key = state.trace.edition, state.content_id
        if key not in self._answers:
            self.tried += 1
            self._answers[key] = self.reader(state.files, state.trace.edition)
        return self._answers[key]

    def verdict_of(self, state: State) -> str:
        """Return what the reader gets in `state`."""
        return state.verdict(self.answer(state), salvaging=self.salvaging)


def _ordered(found: list[Situation], like: State, *, better: bool) -> list[tuple[int, int]]:
    """Return (situation, row) of all states no larger than `like`, in the order to look at them.

    With `better` only those with fewer deviations, or as many and a stronger preset.
    """
    columns: list[list[Any]] = [[], [], [], [], []]
    for number, situation in enumerate(found):
        weight, rank = situation.deviations, situation.states.preset.astype(np.int32)
        rows = weight <= like.deviations
        if better:
            rows &= (weight < like.deviations) | (rank < like.rank)
        at = np.flatnonzero(rows)
        if len(at):
            for column, values in zip(
                columns, (weight, _unlike(situation, like), rank, np.full(len(rows), number)), strict=False
            ):
                column.append(values[at])
            columns[4].append(at)
    if not columns[4]:
        return []
    weight, unlike, rank, owner, row = (np.concatenate(column) for column in columns)
    keys = (rank, unlike) if better else (unlike, rank)
    order = np.lexsort((row, owner, keys[1], keys[0], weight))
    return list(zip(owner[order].tolist(), row[order].tolist(), strict=True))


def _unlike(situation: Situation, like: State) -> Any:
    """Return for each state how many of category, refusal and field it does not share with `like`."""
    category, refusal, field = like.kind
    column, names = situation.fields
    other = (situation.categories != CATEGORIES.index(category)).astype(np.int32)
    other += situation.facts.refusals != REFUSALS.index(refusal)
    other += column != names.index(field) if field in names else 1
    return other
