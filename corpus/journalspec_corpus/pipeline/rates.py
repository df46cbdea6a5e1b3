"""Rates of a finished build: its states are enumerated and judged once more, trace by trace.

Rows alone make no rate. A state that several presets or writers reach is in
one row only, under the first of them, and a large crash point has a choice of
its states. So the traces of the plan are recorded again, and every crash point says
which states it has. Cuts of writes that recovery cannot look at are counted although
a build leaves most of them out.

A trace that the strict reader gets wrong before its first write says nothing about
crashes (its files hold what no record of this journal tells from its own): it is
set aside, and so is corruption of what was not recovered before it either.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from journalspec_corpus.crash import rates
from journalspec_corpus.crash.adapter import crash_format
from journalspec_corpus.crash.contents import case_id, content_ids
from journalspec_corpus.crash.expected import expected_at
from journalspec_corpus.crash.pages import promise
from journalspec_corpus.crash.persistence import CORRUPTED, PRESETS, REACHABLE, get_preset
from journalspec_corpus.crash.rates import Rate
from journalspec_corpus.crash.trace import Trace, writer_of
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.local import each_shard
from journalspec_corpus.pipeline.manifest import load
from journalspec_corpus.pipeline.plan import EDITION, Plan
from journalspec_corpus.pipeline.run import Rows, masks, rows_of
from journalspec_corpus.pipeline.store import BuildError

_NAMES = tuple(VERDICTS)


@dataclass
class Totals:
    """What was counted so far. Presets are numbers, and a writer is one of an edition."""

    #: (edition, writer, background, stratum, question, preset) -> states, and those of them that are meant
    asked: Counter[tuple[str, str, str, str, str, int]] = field(default_factory=Counter)
    meant: Counter[tuple[str, str, str, str, str, int]] = field(default_factory=Counter)
    #: background -> traces that go wrong before anything is written, and all states that are set aside
    traces_aside: Counter[str] = field(default_factory=Counter)
    states_aside: Counter[str] = field(default_factory=Counter)
    #: preset -> crash points and states that no rate was made of
    points_left: Counter[int] = field(default_factory=Counter)
    states_left: Counter[int] = field(default_factory=Counter)
    #: (edition, writer, preset) -> reachable states, and the first that breaks I1 to I5
    reachable: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    example: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)
    #: (edition, writer, preset, verdict) -> reachable states that break I1 to I5
    broken: Counter[tuple[str, str, int, str]] = field(default_factory=Counter)

    def add(self, trace: Trace, rows: Rows) -> None:
        """Count the judged states of one crash point."""
        states, verdicts = rows.states, rows.verdicts[0]
        who = (trace.edition, writer_of(trace))
        counted = rates.count(states, verdicts)
        for (question, preset), rate in counted.items():
            key = (*who, trace.background, states.stratum, question, preset)
            self.asked[key] += rate.n
            self.meant[key] += rate.k
        unsafe = np.isin(verdicts, [_NAMES.index(name) for name in rates.UNSAFE])
        made = {preset for _, preset in counted}
        for preset in np.unique(states.preset).tolist():
            own = states.preset == preset
            if states.point.blocks and preset not in made:
                self.points_left[preset] += 1
                self.states_left[preset] += int(own.sum())
            if states.stratum != REACHABLE:
                continue
            self.reachable[*who, preset] += int(own.sum())
            failing = np.flatnonzero(own & unsafe).tolist()
            for row in failing:
                self.broken[*who, preset, rows.verdict(0, row)] += 1
            if failing and (*who, preset) not in self.example:
                self.example[*who, preset] = _example(rows, failing[0])

    def take(self, other: Totals) -> None:
        """Add what was counted behind this."""
        self.example = other.example | self.example
        for entry in fields(self):
            if entry.name != "example":
                getattr(self, entry.name).update(getattr(other, entry.name))


def _example(rows: Rows, row: int) -> dict[str, Any]:
    states = rows.states.take(np.asarray([row]))
    return {
        "workload": states.point.trace.name,
        "preset": PRESETS[states.preset[0]].name,
        "crash_index": states.point.crash_index,
        "mask": masks(states)[0].hex(),
        "tear": int(states.tear[0]),
        "verdict": rows.verdict(0, row),
    }


def measure(out: Path, jobs: int = 1) -> dict[str, Any]:
    """Return the rates of the finished build in `out`, as JSON; raises ManifestError or BuildError.

    The result is the same for any number of processes.
    """
    manifest = load(out)
    if manifest["edition"] != EDITION:
        raise BuildError(
            f"{out}: built by edition {manifest['edition']} of this program, which is {EDITION} now",
            "build it again",
        )
    plan = Plan.from_json(manifest["plan"])
    totals = Totals()
    # Shards as in a build: neighbours share what is recorded once.
    for part in each_shard(partial(_walk, plan), range(plan.shards()), jobs).values():
        totals.take(part)
    return {
        "plan": manifest["plan"],
        "digest": manifest["digest"],
        "reader": crash_format(plan.format).readers[0],
        "questions": {name: {"of": of, "counted": what} for name, (of, what) in rates.QUESTIONS.items()},
        "rates": list(_rates(totals)),
        "set_aside": [
            {"background": background, "traces": totals.traces_aside[background], "states": states}
            for background, states in sorted(totals.states_aside.items())
        ],
        "left_out": [
            {"preset": PRESETS[preset].name, "groups": points, "states": totals.states_left[preset]}
            for preset, points in sorted(totals.points_left.items())
        ],
        "safe": list(_safe(totals)),
    }


def _walk(plan: Plan, number: int) -> Totals:
    """Count shard `number` of the plan."""
    adapter = crash_format(plan.format)
    totals = Totals()
    for work in plan.shard_workloads(number):
        trace = adapter.build(work)
        wrong = None
        right: set[bytes] = set()
        for found in rows_of(
            replace(trace, unread=frozenset()), tuple(map(get_preset, plan.presets)), plan.seed
        ):
            rows, stratum = found.judged(adapter), found.states.stratum
            if wrong is None:
                # The first state of a trace is the one before its first write.
                wrong = rows.verdict(0, 0) in rates.UNSAFE
                totals.traces_aside[trace.background] += wrong
            if stratum == REACHABLE:
                right |= {
                    name for row, name in enumerate(rows.case_ids) if not VERDICTS[rows.verdict(0, row)]
                }
            # What is corrupted has to have been recovered as it should be before that.
            if wrong or (stratum == CORRUPTED and _whole_id(rows) not in right):
                totals.states_aside[trace.background] += len(rows.case_ids)
            else:
                totals.add(trace, rows)
    return totals


def _whole_id(rows: Rows) -> bytes:
    """Return the case id of the state before corruption."""
    states = rows.states
    trace = states.point.trace
    expected = expected_at(trace, states.point.crash_index, states.torn, REACHABLE)
    (content,) = content_ids(states.point, np.zeros_like(states.codes[:1]))
    return case_id(content, promise(trace.format, trace.edition, REACHABLE, expected.keys_to_keep))


def _rates(totals: Totals) -> Iterator[dict[str, Any]]:
    for key, asked in sorted(totals.asked.items()):
        if asked:
            edition, writer, background, stratum, question, preset = key
            rate = Rate(totals.meant[key], asked)
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
    for who in sorted({key[:2] for key in totals.reachable}):
        states = {key[2]: count for key, count in sorted(totals.reachable.items()) if key[:2] == who}
        broken = {key[2:]: count for key, count in sorted(totals.broken.items()) if key[:2] == who}
        unsafe: Counter[int] = Counter()
        for (preset, _), count in broken.items():
            unsafe[preset] += count
        safe, first = rates.weakest_safe(unsafe, states), min(unsafe, default=None)
        fails = None
        if first is not None:
            fails = {
                "preset": PRESETS[first].name,
                "verdicts": {
                    verdict: count for (preset, verdict), count in broken.items() if preset == first
                },
                "example": totals.example[*who, first],
            }
        yield {
            "edition": who[0],
            "writer": who[1],
            "weakest": None if safe is None else PRESETS[safe].name,
            "states": {PRESETS[preset].name: count for preset, count in states.items()},
            "unsafe": {PRESETS[preset].name: count for preset, count in unsafe.items()},
            "fails": fails,
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
