"""Rates of a finished build: its states are enumerated again, its verdicts are looked up by case id.

Rows alone make no rate. A state that several presets or writers reach stands in
one row only, under the first of them, and a large crash point has a choice of
its states. So the traces of the plan are recorded again, every crash point says
which states it has, and each state's verdict is the one in the row of its id (or, where
this trace may owe something else than the row's, judged again): a state that has no
row means that build and code do not belong together. Cuts of writes that recovery cannot
look at are counted although a build leaves most of them out: they are judged here.

A trace that the strict reader gets wrong before its first write says nothing about
crashes (its files hold what no record of this journal tells from its own): it is
set aside, and so is corruption of what was not recovered before it either.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec_corpus.crash import rates
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, expected_at
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.persistence import CORRUPTED, PRESETS, REACHABLE, get_preset
from journalspec_corpus.crash.rates import Checked, Rate, self_check
from journalspec_corpus.crash.reading import reading_of
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Trace, writer_of
from journalspec_corpus.crash.verdict import VERDICTS, judge
from journalspec_corpus.pipeline.manifest import load
from journalspec_corpus.pipeline.plan import Plan, each_shard
from journalspec_corpus.pipeline.run import descriptor_of, ids_of_states
from journalspec_corpus.pipeline.store import BuildError, id_pairs, ids_of, part_files

_NAMES = tuple(VERDICTS)
_FAILING = np.asarray([bool(broken) for broken in VERDICTS.values()])


class BuiltVerdicts:
    """The strict reader's verdict of every state of a build, by state id."""

    def __init__(self, out: Path, reader: str) -> None:
        ids, verdicts = [np.zeros((0, 2), np.uint64)], [np.zeros(0, np.uint8)]
        for path in part_files(out):
            table = pq.read_table(path, columns=["case_id", f"verdict_{reader}"])
            ids.append(ids_of(table["case_id"]))
            texts = pc.cast(table[f"verdict_{reader}"], pa.string())
            numbers = pc.index_in(texts, pa.array(_NAMES))
            verdicts.append(numbers.to_numpy().astype(np.uint8))
        pairs = np.concatenate(ids)
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        self._ids, self._verdicts = pairs[order], np.concatenate(verdicts)[order]
        if (self._ids[1:, 0] == self._ids[:-1, 0]).any():
            raise BuildError(f"{out}: two states share half of their ids", "report this")

    def verdicts(
        self, names: list[bytes], *, some: bool = False
    ) -> tuple[rates.Verdicts, npt.NDArray[np.bool_]]:
        """Return the verdict of each case as an index into the verdicts' names, and which are there.

        Raises BuildError unless all are, or `some` are enough.
        """
        at, there = self._find(names)
        if not some and not there.all():
            raise BuildError(
                "the build lacks states that its plan has now",
                "it was made by another version of this program: build it again",
            )
        return np.where(there, self._verdicts[at], 0).astype(np.uint8), there

    def verdict(self, name: bytes) -> str:
        """Return the verdict of one case, empty if the build does not have it."""
        at, there = self._find([name])
        return _NAMES[int(self._verdicts[at[0]])] if there[0] else ""

    def _find(self, names: list[bytes]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        wanted = id_pairs(b"".join(names))
        at = np.searchsorted(self._ids[:, 0], wanted[:, 0])
        at[at == len(self._ids)] = 0
        if not len(self._ids):
            return at, np.zeros(len(names), bool)
        return at, np.asarray((self._ids[at] == wanted).all(axis=1))


Who = tuple[str, str]


@dataclass
class Totals:
    """What was counted so far."""

    #: (edition, writer, background, stratum, question, preset) -> rate
    measured: dict[tuple[str, str, str, str, str, int], Rate] = field(default_factory=dict)
    #: background -> traces that go wrong before anything is written, and their states
    set_aside: dict[str, Counter[str]] = field(default_factory=dict)
    #: preset -> (crash points, states) that no rate was made of
    left_out: dict[int, Counter[str]] = field(default_factory=dict)
    #: (edition, writer) -> preset -> number of states, and of those that break I1 to I5
    states: dict[Who, Counter[int]] = field(default_factory=dict)
    unsafe: dict[Who, Counter[int]] = field(default_factory=dict)
    #: (edition, writer, preset) -> verdict -> number, and the first such state
    broken: dict[tuple[str, str, int], Counter[str]] = field(default_factory=dict)
    example: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)

    def add(self, trace: Trace, states: States, verdicts: rates.Verdicts) -> None:
        """Count the states of one crash point."""
        who = (trace.edition, writer_of(trace))
        counted = rates.count(states, verdicts)
        for (question, preset), rate in counted.items():
            key = (*who, trace.background, states.stratum, question, preset)
            self.measured[key] = self.measured.get(key, Rate(0, 0)) + rate
        presets = {int(number) for number in states.preset} if states.point.blocks else set()
        for preset in sorted(presets - {preset for _, preset in counted}):
            counter = self.left_out.setdefault(preset, Counter())
            counter.update(groups=1, states=int((states.preset == preset).sum()))
        if states.stratum == REACHABLE:
            self._safety(who, states, verdicts)

    def take(self, other: Totals) -> None:
        """Add what was counted behind this."""
        for key, rate in other.measured.items():
            self.measured[key] = self.measured.get(key, Rate(0, 0)) + rate
        for background, counter in other.set_aside.items():
            self.set_aside.setdefault(background, Counter()).update(counter)
        for preset, points in other.left_out.items():
            self.left_out.setdefault(preset, Counter()).update(points)
        for mine, theirs in ((self.states, other.states), (self.unsafe, other.unsafe)):
            for who, numbers in theirs.items():
                mine.setdefault(who, Counter()).update(numbers)
        for where, verdicts in other.broken.items():
            self.broken.setdefault(where, Counter()).update(verdicts)
            self.example.setdefault(where, other.example[where])

    def _safety(self, who: Who, states: States, verdicts: rates.Verdicts) -> None:
        bad = np.isin(verdicts, [_NAMES.index(name) for name in rates.UNSAFE])
        for preset in sorted({int(number) for number in states.preset}):
            rows = states.preset == preset
            self.states.setdefault(who, Counter())[preset] += int(rows.sum())
            failing = np.flatnonzero(rows & bad)
            if not len(failing):
                continue
            self.unsafe.setdefault(who, Counter())[preset] += len(failing)
            names = Counter(_NAMES[number] for number in verdicts[failing].tolist())
            self.broken.setdefault((*who, preset), Counter()).update(names)
            first = int(failing[0])
            example = _example(states, first, _NAMES[int(verdicts[first])])
            self.example.setdefault((*who, preset), example)


def _example(states: States, row: int, verdict: str) -> dict[str, Any]:
    trace, descriptor = states.point.trace, descriptor_of(states, row, seed=0)
    return {
        "workload": trace.name,
        "preset": descriptor.preset,
        "crash_index": descriptor.crash_index,
        "mask": descriptor.mask.hex(),
        "tear": descriptor.tear,
        "verdict": verdict,
    }


def measure(out: Path, jobs: int = 1) -> dict[str, Any]:
    """Return the rates of the finished build in `out`, as JSON; raises ManifestError or BuildError.

    The result is the same for any number of processes.
    """
    manifest = load(out)
    plan = Plan.from_json(manifest["plan"])
    reader = crash_format(plan.format).readers[0]
    totals = _totals(plan, out, reader, jobs)
    return {
        "plan": manifest["plan"],
        "digest": manifest["digest"],
        "reader": reader,
        "questions": {name: {"of": of, "counted": what} for name, (of, what) in rates.QUESTIONS.items()},
        "rates": list(_rates(totals)),
        "set_aside": [
            {"background": background, "traces": counter["traces"], "states": counter["states"]}
            for background, counter in sorted(totals.set_aside.items())
            if counter["states"]
        ],
        "left_out": [
            {"preset": PRESETS[preset].name, **counter} for preset, counter in sorted(totals.left_out.items())
        ],
        "safe": list(_safe(totals)),
        "self_check": [_checked(item) for item in self_check(plan.seed)],
    }


def _totals(plan: Plan, out: Path, reader: str, jobs: int) -> Totals:
    _known.cache_clear()
    totals = Totals()
    # Shards as in a build: neighbours share what is recorded once.
    for part in each_shard(plan, partial(_walk, plan, out, reader), jobs):
        totals.take(part)
    return totals


@lru_cache(maxsize=1)
def _known(out: Path, reader: str) -> BuiltVerdicts:
    """Return the verdicts of a build, read once per process."""
    return BuiltVerdicts(out, reader)


def _walk(plan: Plan, out: Path, reader: str, number: int) -> Totals:
    """Count shard `number` of the plan."""
    known = _known(out, reader)
    adapter = crash_format(plan.format)
    presets = tuple(get_preset(name) for name in plan.presets)
    totals = Totals()
    for work in plan.shard_workloads(number):
        trace = adapter.build(work)
        wrong = None
        for states in crash_states(replace(trace, unread=frozenset()), presets, plan.seed):
            if not len(states):
                continue
            verdicts = verdicts_of(trace, states, known, adapter)
            if wrong is None:
                # The first state of a trace is the one before its first write.
                wrong = _NAMES[int(verdicts[0])] in rates.UNSAFE
                totals.set_aside.setdefault(trace.background, Counter())["traces"] += wrong
            if wrong or not _is_sound(trace, states, known):
                totals.set_aside[trace.background]["states"] += len(states)
            else:
                totals.add(trace, states, verdicts)
    return totals


def verdicts_of(trace: Trace, states: States, known: BuiltVerdicts, adapter: CrashFormat) -> rates.Verdicts:
    """Return the verdict of every state, looked up, and judged again where this trace may owe something else.

    One row stands for all traces that leave a state. A record of an earlier life
    in one of them may have just been issued in another. Of a write that recovery cannot
    look at most cuts have no row: they are judged as well.
    """
    names = _names(trace, states, states.stratum)
    verdicts, there = known.verdicts(names, some=states.torn in trace.unread)
    expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
    again = np.arange(len(states)) if expected.must_drop else np.flatnonzero(_FAILING[verdicts] | ~there)
    if not len(again):
        return verdicts
    chosen = states.take(again)
    found, which = reading_of(adapter).answers(chosen.point, chosen.codes)
    holes = adapter.readers[0] in adapter.salvaging
    pairs = which.astype(np.int64) * len(REFUSALS) + Facts(chosen).refusals
    table = {
        pair: _NAMES.index(judge(found[at][0], expected, REFUSALS[refusal], holes_allowed=holes))
        for pair in np.unique(pairs).tolist()
        for at, refusal in [divmod(pair, len(REFUSALS))]
    }
    out = verdicts.copy()
    out[again] = [table[pair] for pair in pairs.tolist()]
    return out


def _is_sound(trace: Trace, states: States, known: BuiltVerdicts) -> bool:
    """Tell whether what is corrupted here had been recovered as it should be before that."""
    if states.stratum != CORRUPTED:
        return True
    (name,) = _names(trace, replace(states, codes=np.zeros_like(states.codes[:1])), REACHABLE)
    before = known.verdict(name)
    return before in VERDICTS and not VERDICTS[before]


def _names(trace: Trace, states: States, stratum: str) -> list[bytes]:
    """Return the id of every state."""
    return ids_of_states(states, expected_at(trace, states.point.crash_index, states.torn, stratum))


def _rates(totals: Totals) -> Iterator[dict[str, Any]]:
    for key, rate in sorted(totals.measured.items()):
        if rate.n:
            edition, writer, background, stratum, question, preset = key
            low, high = rate.interval
            yield {
                "edition": edition,
                "writer": writer,
                "background": background,
                "stratum": stratum,
                "preset": PRESETS[preset].name,
                "question": question,
                "k": rate.k,
                "n": rate.n,
                "rate": round(rate.rate, 6),
                "interval": [round(low, 6), round(high, 6)],
            }


def _safe(totals: Totals) -> Iterator[dict[str, Any]]:
    for who in sorted(totals.states):
        failing, looked_at = totals.unsafe.get(who, Counter()), totals.states[who]
        safe = rates.weakest_safe(failing, looked_at)
        first = min(failing, default=None)
        line: dict[str, Any] = {
            "edition": who[0],
            "writer": who[1],
            "weakest": None if safe is None else PRESETS[safe].name,
            "states": {PRESETS[preset].name: count for preset, count in sorted(looked_at.items())},
            "unsafe": {PRESETS[preset].name: count for preset, count in sorted(failing.items())},
            "fails": None,
        }
        if first is not None:
            verdicts = dict(sorted(totals.broken[*who, first].items()))
            line["fails"] = {
                "preset": PRESETS[first].name,
                "verdicts": verdicts,
                "example": totals.example[*who, first],
            }
        yield line


def _checked(item: Checked) -> dict[str, Any]:
    return {
        "background": item.background,
        "sectors": item.sectors,
        "how": item.how,
        "formula": round(float(item.formula), 6),
        "k": item.k,
        "n": item.n,
        "agrees": item.agrees,
    }


def as_text(result: dict[str, Any]) -> str:
    """Return a result as the JSON text that is committed: one line per rate."""
    head = {name: value for name, value in result.items() if not isinstance(value, list)}
    parts = [f'"{name}": {json.dumps(value)}' for name, value in head.items()]
    for name, value in result.items():
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(entry) for entry in value)
            parts.append(f'"{name}": [\n  {lines}\n]' if value else f'"{name}": []')
    return "{" + ",\n".join(parts) + "}\n"
