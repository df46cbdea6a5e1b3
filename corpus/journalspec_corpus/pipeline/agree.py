"""The fast path held against the reference implementation, state by state.

A build answers millions of states by kernels. Here every state of a
tier is answered twice: that way, and by the reference implementation's own
recovery on the files themselves. All answers of all recovery policies are
compared. Files are built and recovered once for each distinct content.

Answers are remembered from one crash point to the next, so that states of several
crash points, traces and editions are compared with each other as well, by all readers
(:mod:`.sightings`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.ids import content_ids
from journalspec_corpus.crash.persistence import Preset, get_preset
from journalspec_corpus.crash.reading import Reading, alike, keys_of, reading_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.verdict import Answer
from journalspec_corpus.pipeline.plan import Plan, Progress, each_shard
from journalspec_corpus.pipeline.run import descriptor_of
from journalspec_corpus.pipeline.sightings import APART, Contradiction, Sighting, Sightings
from journalspec_reference import load

#: So many disagreements are described; all of them are counted.
DESCRIBED = 20


@dataclass(frozen=True, slots=True)
class ReaderDisagreement:
    """One state that is answered in two ways; `where` is its descriptor, as a build's columns have it."""

    workload: str
    where: Mapping[str, Any]
    reader: str
    fast: str
    reference: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """What came of a comparison.

    `states` were answered by the fast path in `fast_seconds`, of which `contents`
    are distinct and were answered by the reference, materialised and recovered once
    per policy, in `reference_seconds` (processor time, both). `loosely` counts the
    answers that are not equal but amount to the same: both hold a record that
    nobody wrote. `across` are the pairs of states of one signature that were both read by
    all readers, by how far apart they are, and `apart` the answers among these that are not alike;
    where a kernel says nothing there are none. `sightings` are what that was found from.
    """

    states: int = 0
    contents: int = 0
    compared: int = 0
    loosely: int = 0
    wrong: int = 0
    fast_seconds: float = 0.0
    reference_seconds: float = 0.0
    described: tuple[ReaderDisagreement, ...] = ()
    across: Mapping[str, int] = field(default_factory=dict)
    apart: int = 0
    sightings: Sightings | None = field(default=None, repr=False, compare=False)

    def __add__(self, other: Agreement) -> Agreement:
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMMED}
        return Agreement(**sums, described=(self.described + other.described)[:DESCRIBED])

    @property
    def fast_rate(self) -> float:
        """States per second of processor time by the fast path."""
        return self.states / max(self.fast_seconds, 1e-9)

    @property
    def reference_rate(self) -> float:
        """Distinct contents per second of processor time by the reference."""
        return self.contents / max(self.reference_seconds, 1e-9)

    def to_json(self) -> dict[str, Any]:
        """Return the figures and the disagreements."""
        return {
            "states": self.states,
            "contents": self.contents,
            "answers_compared": self.compared,
            "not_equal_but_alike": self.loosely,
            "disagreements": self.wrong,
            "pairs_across": {name: self.across.get(name, 0) for name in APART},
            "disagreements_across": self.apart,
            "fast_per_cpu_second": round(self.fast_rate),
            "reference_per_cpu_second": round(self.reference_rate),
            "ratio": round(self.fast_rate / max(self.reference_rate, 1e-9), 1),
            "described": [asdict(entry) for entry in self.described],
        }


#: The figures that are added up.
_SUMMED = ("states", "contents", "compared", "loosely", "wrong", "fast_seconds", "reference_seconds")


def agree(plan: Plan, jobs: int = 1, progress: Progress = lambda done, total: None) -> Agreement:
    """Compare every state of `plan`, in `jobs` processes; `progress` is told (shards done, all)."""
    return together(plan, each_shard(plan, partial(agree_shard, plan), jobs, progress))


def together(plan: Plan, parts: Sequence[Agreement]) -> Agreement:
    """Return what the shards of `plan`, in order, came to, states of different shards compared as well."""
    seen = Sightings()
    for part in parts:
        if part.sightings is not None:
            seen.merge(part.sightings)
    whole = sum(parts, Agreement())
    found = list(seen.contradictions())
    readers = crash_format(plan.format).readers
    told = tuple(_contradicted(entry, readers) for entry in found[:DESCRIBED])
    return replace(
        whole,
        described=(told[: DESCRIBED // 2] + whole.described)[:DESCRIBED] if told else whole.described,
        across=Counter(apart for apart, _, _ in seen.pairs()),
        apart=len(found),
    )


def agree_shard(plan: Plan, number: int, reading: Reading | None = None) -> Agreement:
    """Compare the states of one shard; give `reading` to compare another fast path than the format's."""
    adapter = crash_format(plan.format)
    presets = tuple(get_preset(name) for name in plan.presets)
    comparison = _Comparison(adapter, reading or reading_of(adapter))
    for work in plan.shard_workloads(number):
        comparison.add(adapter.build(work), presets, plan.seed)
    comparison.sightings.thin()
    return replace(comparison.result, sightings=comparison.sightings)


class _Comparison:
    """The comparison of some traces so far."""

    def __init__(self, adapter: CrashFormat, reading: Reading) -> None:
        self.result = Agreement()
        self.sightings = Sightings()
        self._room = adapter
        self._reading = reading
        self._implementation = load(adapter.format)
        #: (edition, content id) -> the reference's answer for each reader that is a policy
        self._known: dict[tuple[str, bytes], tuple[Answer, ...]] = {}
        self._policies = [(adapter.readers.index(name), policy) for name, policy in adapter.policies.items()]

    def add(self, trace: Trace, presets: tuple[Preset, ...], seed: int) -> None:
        """Compare all states of `trace`."""
        keys = keys_of(trace)
        for states in crash_states(trace, presets, seed):
            if not len(states):
                continue
            if not self.result.states:
                # A kernel may have to be compiled first, which says nothing about its speed.
                self._reading.prepare(states.point, states.codes)
            self._group(states, keys, seed)

    def _group(self, states: States, keys: frozenset[str], seed: int) -> None:
        point, edition = states.point, states.point.trace.edition
        began = time.process_time()
        names = self._reading.signatures(point, states.codes)
        found, which = self._reading.answered(point, states.codes, names)
        fast_seconds = time.process_time() - began
        self._sight(states, names or (), keys, seed)
        contents = content_ids(point, states.codes)
        loosely = wrong = new = 0
        described: list[ReaderDisagreement] = []
        reference_seconds = 0.0
        for row, (content, path) in enumerate(zip(contents, which.tolist(), strict=True)):
            slow = self._known.get((edition, content))
            if slow is None:
                began = time.process_time()
                slow = self._known[edition, content] = self._recovered(states, row, edition)
                reference_seconds += time.process_time() - began
                new += 1
            for (reader, _), expected in zip(self._policies, slow, strict=True):
                fast = found[path][reader]
                if fast == expected:
                    continue
                if alike(fast, expected, keys):
                    loosely += 1
                    continue
                wrong += 1
                if len(described) < DESCRIBED:
                    name = self._room.readers[reader]
                    described.append(_describe(states, row, seed, (name, fast, expected)))
        self.result += Agreement(
            states=len(states),
            contents=new,
            compared=len(states) * len(self._policies),
            loosely=loosely,
            wrong=wrong,
            fast_seconds=fast_seconds,
            reference_seconds=reference_seconds,
            described=tuple(described),
        )

    def _sight(self, states: States, names: Sequence[bytes], keys: frozenset[str], seed: int) -> None:
        """Read one state of each signature that is to be compared across crash points."""
        point, trace = states.point, states.point.trace
        here = trace.edition, trace.id, point.crash_index
        for row, name in enumerate(names):
            if self.sightings.wanted(name, *here):
                said = self._room.read(point.materialise(states.codes[row]), trace.edition)
                where = _place(states, row, seed)
                edition, ident, index = here
                self.sightings.add(name, Sighting(edition, ident, trace.name, index, where, said, keys))

    def _recovered(self, states: States, row: int, edition: str) -> tuple[Answer, ...]:
        """Return the reference's answers on the files of one row."""
        files = states.point.materialise(states.codes[row])
        return tuple(
            self._room.answer(self._implementation.recover(files, edition=edition, policy=policy))
            for _, policy in self._policies
        )


def _describe(states: States, row: int, seed: int, told: tuple[str, Answer, Answer]) -> ReaderDisagreement:
    reader, fast, reference = told
    where = _place(states, row, seed)
    return ReaderDisagreement(states.point.trace.name, where, reader, _text(fast), _text(reference))


def _contradicted(found: Contradiction, readers: Sequence[str]) -> ReaderDisagreement:
    first, later, reader = found.first, found.later, found.reader
    taken = f"{_text(first.answers[reader])} (taken over from another {found.apart}: {first.workload})"
    return ReaderDisagreement(
        later.workload, later.where, readers[reader], taken, _text(later.answers[reader])
    )


def _place(states: States, row: int, seed: int) -> dict[str, Any]:
    descriptor = descriptor_of(states, row, seed)
    return {**asdict(descriptor), "mask": descriptor.mask.hex()}


def _text(answer: Answer) -> str:
    """Return an answer for people, long keys cut."""
    if answer.refused is not None:
        return f"refused: {answer.refused}"
    keys, aside = ([_cut(key) for key in some] for some in (answer.keys, answer.aside))
    return f"keys {keys}, aside {aside}, {'damage reported' if answer.reported else 'nothing reported'}"


def _cut(key: str, length: int = 60) -> str:
    return key if len(key) <= length else f"{key[:length]}... ({len(key)} characters)"
