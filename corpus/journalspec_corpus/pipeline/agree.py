"""The fast path held against the reference implementation, state by state.

A build answers millions of states by kernels. Here every state of a
tier is answered twice: that way, and by the reference implementation's own
recovery on the files themselves. All answers of all recovery policies are
compared. Files are built and recovered once for each distinct content.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
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
    nobody wrote.
    """

    states: int = 0
    contents: int = 0
    compared: int = 0
    loosely: int = 0
    wrong: int = 0
    fast_seconds: float = 0.0
    reference_seconds: float = 0.0
    described: tuple[ReaderDisagreement, ...] = ()

    def __add__(self, other: Agreement) -> Agreement:
        mine, theirs = asdict(self), asdict(other)
        sums = {name: mine[name] + theirs[name] for name in mine if name != "described"}
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
            "fast_per_cpu_second": round(self.fast_rate),
            "reference_per_cpu_second": round(self.reference_rate),
            "ratio": round(self.fast_rate / max(self.reference_rate, 1e-9), 1),
            "described": [asdict(entry) for entry in self.described],
        }


def agree(plan: Plan, jobs: int = 1, progress: Progress = lambda done, total: None) -> Agreement:
    """Compare every state of `plan`, in `jobs` processes; `progress` is told (shards done, all)."""
    return sum(each_shard(plan, partial(agree_shard, plan), jobs, progress), Agreement())


def agree_shard(plan: Plan, number: int, reading: Reading | None = None) -> Agreement:
    """Compare the states of one shard; give `reading` to compare another fast path than the format's."""
    adapter = crash_format(plan.format)
    presets = tuple(get_preset(name) for name in plan.presets)
    comparison = _Comparison(adapter, reading or reading_of(adapter))
    for work in plan.shard_workloads(number):
        comparison.add(adapter.build(work), presets, plan.seed)
    return comparison.result


class _Comparison:
    """The comparison of some traces so far."""

    def __init__(self, adapter: CrashFormat, reading: Reading) -> None:
        self.result = Agreement()
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
        found, which = self._reading.answers(point, states.codes)
        fast_seconds = time.process_time() - began
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

    def _recovered(self, states: States, row: int, edition: str) -> tuple[Answer, ...]:
        """Return the reference's answers on the files of one row."""
        files = states.point.materialise(states.codes[row])
        return tuple(
            self._room.answer(self._implementation.recover(files, edition=edition, policy=policy))
            for _, policy in self._policies
        )


def _describe(states: States, row: int, seed: int, told: tuple[str, Answer, Answer]) -> ReaderDisagreement:
    descriptor = descriptor_of(states, row, seed)
    where = {**asdict(descriptor), "mask": descriptor.mask.hex()}
    reader, fast, reference = told
    return ReaderDisagreement(states.point.trace.name, where, reader, _text(fast), _text(reference))


def _text(answer: Answer) -> str:
    """Return an answer for people, long keys cut."""
    if answer.refused is not None:
        return f"refused: {answer.refused}"
    keys, aside = ([_cut(key) for key in some] for some in (answer.keys, answer.aside))
    return f"keys {keys}, aside {aside}, {'damage reported' if answer.reported else 'nothing reported'}"


def _cut(key: str, length: int = 60) -> str:
    return key if len(key) <= length else f"{key[:length]}... ({len(key)} characters)"
