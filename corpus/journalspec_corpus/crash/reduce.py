"""Reduces a failing crash state to the smallest one that fails in the same way.

It works greedily, to a fixed point, in this order: fewer records, fewer deviations, a stronger preset, then
the format's own reductions (an empty background, shorter payload, the plain alignment). A reduction keeps the
verdict (and so the broken invariant), the class, the writer and the topic of the run. A wrong record that is
in effect stays in effect, and one that is only listed stays only listed.

A smaller workload has other states. The search looks for a state with the same verdict, beginning with states
that have few deviations and resemble the given one. A reader reads the first ``NARROW`` states of each
candidate. If none of them is a smaller failure, the reader reads all states, as far as the budget permits.
Memory is linear in the states of one workload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from journalspec_corpus.crash.facts import Facts, State, find
from journalspec_corpus.crash.formats import CrashFormat, Named
from journalspec_corpus.crash.oracle import REFUSALS, Expected
from journalspec_corpus.crash.second_crash import CHOICES, SecondLife, choose
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import CORRUPTED, PRESETS, Trace, Workload
from journalspec_corpus.crash.verdict import CATEGORIES, VERDICTS, Answer
from journalspec_corpus.workloads import LongWorkload
from journalspec_reference.api import WriterRefused


def wrong(answer: Answer, expected: Expected) -> list[str]:
    """Return the keys in `answer` of records that must not be in effect, or that were never written."""
    found = []
    for key in answer.keys:
        record = expected.record_of.get(key)
        if record is None or record in expected.must_drop:
            found.append(key)
    return found


def situations(trace: Trace, rank: int, seed: int, stratum: str) -> Iterator[Facts]:
    """Yield the states of `trace` in `stratum`, under presets no weaker than number `rank`.

    Presets that a build applies only to a sample of traces are applied here, too. Kinds of corruption have no
    order: under class C only preset `rank` itself is used.
    """
    presets = tuple(preset for preset in PRESETS[: rank + 1] if preset.stratum == stratum)
    if stratum == CORRUPTED:
        presets = presets[-1:]
    for states in crash_states(trace, presets, seed, everywhere=True):
        yield Facts(states)


def smaller(adapter: CrashFormat, work: Any) -> Iterator[Workload]:
    """Yield workloads that are smaller than `work` in one respect, in the order of attempts."""
    if isinstance(work, SecondLife):
        yield from _smaller_life(adapter, work)
    elif isinstance(work, LongWorkload):
        yield from _smaller_long(adapter, work)
    elif adapter.tables is not None:
        yield from adapter.tables.smaller(work)


def crashes_before(adapter: CrashFormat, workload: Workload) -> list[State]:
    """Return the crash states with which the runs of `workload` began.

    The state of the first crash comes first.
    """
    if not isinstance(workload, SecondLife):
        return []
    # Second runs begin with states from all cuts of a write, not only from those that are checked (see
    # `choose`).
    first = replace(adapter.build(workload.first), unread=frozenset())
    chosen = choose(first, gone=bool(adapter.second and adapter.second.released_is_gone))
    left = chosen.image(workload.choice)
    return [*crashes_before(adapter, workload.first), find(first, left.descriptor)]


def _smaller_life(adapter: CrashFormat, work: SecondLife) -> Iterator[SecondLife]:
    """Yield the second run with one crash fewer, then with fewer operations, then after a smaller first run.

    A smaller first run has other crash states. A run from each of these states is tried, first from the state
    with the same number.
    """
    if isinstance(work.first, SecondLife):
        yield replace(work, first=work.first.first)
    plain = adapter.second.plain if adapter.second else ()
    for then in plain[: plain.index(work.then) if work.then in plain else len(plain)]:
        yield replace(work, then=then)
    for first in smaller(adapter, work.first):
        for choice in dict.fromkeys((work.choice, *range(CHOICES))):
            yield replace(work, first=first, choice=choice)


def _smaller_long(adapter: CrashFormat, work: LongWorkload) -> Iterator[LongWorkload]:
    """Yield the sequence without its end, then without runs of rules (longest first), then with shorter
    rules.
    """
    rules = work.rules.split()
    tried = {tuple(rules), ()}
    for left in (*_cut(rules), *_shorter(adapter, rules)):
        if left not in tried:
            tried.add(left)
            yield replace(work, rules=" ".join(left))


def _cut(rules: list[str]) -> Iterator[tuple[str, ...]]:
    for count in range(1, len(rules)):
        yield tuple(rules[:count])
    size = len(rules) // 2
    while size:
        for at in range(0, len(rules), size):
            yield (*rules[:at], *rules[at + size :])
        size //= 2


def _shorter(adapter: CrashFormat, rules: list[str]) -> Iterator[tuple[str, ...]]:
    for at, rule in enumerate(rules):
        for changed in adapter.tables.shorter(rule) if adapter.tables else ():
            yield (*rules[:at], changed, *rules[at + 1 :])


#: The number of reader calls on one candidate workload before the next candidate is tried.
NARROW = 96
#: The total number of reader calls, by default.
BUDGET = 20_000
#: The only verdict that is never reduced; a permitted refusal (``acceptable``) can be reduced.
NO_FAILURE = "pass"
#: Tags whose new value describes a reduction, in this order.
_TOLD = ("align", "then", "force")
Progress = Callable[[int, str], None]
#: A function that decides whether an answer, given the requirements, still shows the same failure.
Keep = Callable[[Answer, Expected], bool]


class NotFailing(ValueError):
    """This error means that the initial state does not fail as stated.

    The message contains the reader's answer.
    """


@dataclass(frozen=True, slots=True)
class ReductionStep:
    """Represents one accepted reduction: the part that became smaller, and the result."""

    how: str
    workload: str
    descriptor: Descriptor


@dataclass(frozen=True)
class Reduced:
    """Represents the smallest failing state that was found.

    Its size consists of `records` and the deviations of `state`. `steps` lists the accepted reductions;
    `tried` is the number of reader calls. `minimal` is false if the budget ended before every smaller
    candidate had been checked. `start` is the case id of the state that was reduced. For a second run,
    `earlier` is the number of deviations of the earlier crashes.
    """

    workload: Workload
    descriptor: Descriptor
    records: int
    steps: tuple[ReductionStep, ...]
    tried: int
    verdict: str
    answer: Answer
    minimal: bool
    state: State
    start: str
    earlier: int

    @property
    def breaks(self) -> tuple[str, ...]:
        """The invariants that the verdict breaks."""
        return VERDICTS[self.verdict]


def reduce_state(
    adapter: CrashFormat,
    workload: Workload,
    descriptor: Descriptor,
    named: Named,
    verdict: str,
    *,
    budget: int = BUDGET,
    keep: Keep = lambda answer, expected: True,
    progress: Progress = lambda tried, what: None,
) -> Reduced:
    """Return the smallest state on which a reader gets `verdict`, starting from the given one.

    `keep` may require more than the same verdict. `progress` is called with the number of reader calls and a
    line about the latest step. Raises NotFailing if the reader does not get `verdict` on the given
    state, and NoSuchState if the workload has no state that fits `descriptor`.
    """
    state = find(adapter.build(workload), descriptor)
    stratum = state.situation.states.stratum
    search = _Search(adapter, named, verdict, descriptor.seed, stratum, budget, keep)
    given = search.verdict_of(state)
    if given != verdict:
        raise NotFailing(f"the reader gets {given!r} in this state, not {verdict!r}")
    if verdict == NO_FAILURE:
        raise NotFailing(f"the reader gets {given!r} in this state, which is not a failure")
    search.in_effect = bool(wrong(search.answer(state), state.situation.expected))
    start, steps = state.case_id, []
    minimal = False
    with suppress(_SpentError):
        while (smaller := search.step(workload, state)) is not None:
            workload, found = smaller
            steps.append(ReductionStep(how(state, found), found.trace.name, found.descriptor(search.seed)))
            state = found
            progress(search.tried, f"{steps[-1].how}: {state.trace.name}")
        minimal = True
    answer = search.answer(state)
    return Reduced(
        workload,
        state.descriptor(search.seed),
        state.records(answer),
        tuple(steps),
        search.tried,
        verdict,
        answer,
        minimal,
        state,
        start,
        sum(before.deviations for before in crashes_before(adapter, workload)),
    )


def how(before: State, after: State) -> str:
    """Return a description of the part that became smaller between two states."""
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
    """This error means that the budget is used up."""


@dataclass
class _Search:
    """A search for the failure among the states of one workload after another."""

    adapter: CrashFormat
    named: Named
    verdict: str
    seed: int
    stratum: str
    limit: int
    keep: Keep
    tried: int = 0
    #: Whether a wrong record is in effect, and not only listed; this must not change.
    in_effect: bool = False
    _answers: dict[tuple[str, bytes], Answer] = field(default_factory=dict)
    #: The names of the workloads that the search has reached. The search does not return to them, and
    #: therefore ends.
    _reached: set[str] = field(default_factory=set)

    def step(self, workload: Workload, state: State) -> tuple[Workload, State] | None:
        """Return a smaller workload and its failing state, or a smaller state of this workload, or None."""
        self._reached.add(workload.name)
        candidates = list(self._candidates(workload))
        fewer = [entry for entry in candidates if len(entry[1].marks) < len(state.trace.marks)]
        others = [entry for entry in candidates if len(entry[1].marks) >= len(state.trace.marks)]
        for width in (NARROW, None):
            for point in (fewer, None, others):
                for work, trace in [(workload, state.trace)] if point is None else point:
                    found = self._first(trace, state, width, better=point is None)
                    if found is not None:
                        return work, found
        return None

    def _candidates(self, workload: Workload) -> Iterator[tuple[Workload, Trace]]:
        for work in smaller(self.adapter, workload):
            if work.name in self._reached:
                continue
            try:
                yield work, self.adapter.build(work)
            except (ValueError, WriterRefused):
                # The remaining steps of this workload cannot be performed.
                continue

    def _first(self, trace: Trace, like: State, width: int | None, *, better: bool) -> State | None:
        """Return the first failing state of `trace` no larger than `like` (with `better`: a smaller one)."""
        found = list(situations(trace, like.rank, self.seed, self.stratum))
        stop = self.limit if width is None else min(self.limit, self.tried + width)
        for number, row in _ordered(found, like, better=better):
            state = State(found[number], row)
            if self.tried >= stop and (trace.edition, state.content_id) not in self._answers:
                if self.tried >= self.limit:
                    raise _SpentError
                return None
            if self._is_one(state, like):
                return state
        return None

    def _is_one(self, state: State, like: State) -> bool:
        """Return whether `state` shows the same failure and has no more records than `like`."""
        answer = self.answer(state)
        if self.verdict_of(state) != self.verdict:
            return False
        expected = state.situation.expected
        if bool(wrong(answer, expected)) != self.in_effect or not self.keep(answer, expected):
            return False
        return state.records(answer) <= like.records(self.answer(like))

    def answer(self, state: State) -> Answer:
        """Return the reader's answer on `state`. Equal contents are read only once."""
        key = state.trace.edition, state.content_id
        if key not in self._answers:
            self.tried += 1
            self._answers[key] = self.named.reader(state.files, state.trace.edition)
        return self._answers[key]

    def verdict_of(self, state: State) -> str:
        """Return the reader's result in `state`."""
        return state.verdict(self.answer(state), salvaging=self.named.salvaging)


def _ordered(found: list[Facts], like: State, *, better: bool) -> list[tuple[int, int]]:
    """Return (index in `found`, row) of all states no larger than `like`, in the order of attempts.

    With `better`, return only states with fewer deviations, or with as many deviations and a stronger preset.
    """
    ordered: list[tuple[int, int, int, int, int]] = []
    for number, situation in enumerate(found):
        weights, unlike = situation.deviations.tolist(), _unlike(situation, like).tolist()
        columns = zip(weights, situation.states.preset.tolist(), unlike, strict=True)
        for row, (weight, rank, other) in enumerate(columns):
            if better and (weight < like.deviations or (weight == like.deviations and rank < like.rank)):
                ordered.append((weight, rank, other, number, row))
            elif not better and weight <= like.deviations:
                ordered.append((weight, other, rank, number, row))
    return [(number, row) for *_, number, row in sorted(ordered)]


def _unlike(situation: Facts, like: State) -> Any:
    """For each state, return how many of category, refusal and field differ from those of `like`."""
    category, refusal, field = like.kind
    other = (situation.categories != CATEGORIES.index(category)).astype(np.int32)
    other += situation.refusals != REFUSALS.index(refusal)
    return other + (situation.fields != field)
