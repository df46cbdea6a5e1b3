"""Measured rates: how often what a crash left is taken for what it is not, with intervals.

Three questions are asked of the states of one crash point, each with a denominator of its own
(:data:`QUESTIONS`). A state counts once. Rates are only made of crash points whose space of states a preset
was enumerated in *whole*: every mask, or every cut, exactly once. Crash points that are too large for that
hold a choice of masks with few deviations beside samples; no weight makes one rate of both, so they are
left out, and how many that were is said.

Rows of a finished build alone make no rate. A state that several presets or writers reach is in one row
only, under the first of them, and a large crash point has a choice of its states. So the traces of the plan
are recorded again, enumerated and judged, and every crash point says which states it has. Cuts of writes
that recovery cannot look at are counted although a build leaves most of them out.

A trace that the strict reader gets wrong before its first write says nothing about crashes (its files hold
what no record of this journal tells from its own): it is set aside, and so is corruption of what was not
recovered before it either.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from journalspec_corpus.crash.corruption import EVERY_BIT, Places
from journalspec_corpus.crash.disk import States, case_id, content_ids
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.oracle import expected_at, promised
from journalspec_corpus.crash.states import EXHAUSTIVE, Mask, admitted, allowed_cuts, as_write, subsets
from journalspec_corpus.crash.trace import (
    CORRUPTED,
    PRESETS,
    REACHABLE,
    Trace,
    get_preset,
    writer_of,
)
from journalspec_corpus.crash.verdict import VERDICTS
from journalspec_corpus.pipeline.local import each_shard
from journalspec_corpus.pipeline.manifest import load
from journalspec_corpus.pipeline.plan import EDITION, Plan
from journalspec_corpus.pipeline.run import Rows, masks, rows_of
from journalspec_corpus.pipeline.store import BuildError

#: Two-sided 95 per cent of the normal distribution.
Z95 = 1.959963984540054
TORN, RESURRECTION = "undetected-torn", "resurrection"
ROT, ROT_HEADER = "undetected-rot", "undetected-rot-header"
#: question -> its denominator, and what is counted of it
QUESTIONS: Mapping[str, tuple[str, str]] = {
    TORN: (
        "states in which the write of at least one record has arrived in part",
        "those in which the strict reader takes in a record that nobody wrote (torn-accepted), "
        "or says nothing where a report is owed (silent)",
    ),
    RESURRECTION: (
        "states of traces over an earlier life of the file in which at least one write has not arrived "
        "as a whole",
        "those in which the strict reader brings a record of the earlier life back (resurrected)",
    ),
    ROT: (
        f"single bits of records of at most {EVERY_BIT} bytes, every bit of each, flipped when all "
        "was durable",
        "those after which the strict reader neither refuses nor reports, and what it recovers "
        "is not what was there",
    ),
    ROT_HEADER: (
        "single bits of file headers (up to the first record, or 64 bytes), every bit of each, flipped "
        "when all was durable",
        "those after which the strict reader neither refuses nor reports, and what it recovers "
        "is not what was there",
    ),
}
_TORN_FAILURES = ("torn-accepted", "silent")
#: Whoever refuses has noticed something.
_ROT_FAILURES = tuple(name for name, broken in VERDICTS.items() if broken and name != "refused")
_FIRST_FIVE = frozenset({"I1", "I2", "I3", "I4", "I5"})
#: Verdicts that break one of I1 to I5: what keeps a format from being safe under a preset.
UNSAFE = frozenset(name for name, broken in VERDICTS.items() if _FIRST_FIVE & set(broken))
_NAMES = tuple(VERDICTS)
Verdicts = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Rate:
    """`k` of `n`, and the interval that goes with it."""

    k: int
    n: int

    @property
    def rate(self) -> float:
        """k / n, 0 if n is 0."""
        return self.k / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at 95 per cent; for 0 of n it ends at 3 / n, for 0 of 0 it is everything."""
        if not self.n:
            return 0.0, 1.0
        if not self.k:
            return 0.0, min(1.0, 3 / self.n)
        return wilson(self.k, self.n)


def wilson(k: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval for `k` of `n` (n at least 1), without correction for continuity."""
    rate = k / n
    middle = rate + z * z / (2 * n)
    spread = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    under = 1 + z * z / n
    return max(0.0, (middle - spread) / under), min(1.0, (middle + spread) / under)


def torn(facts: Facts) -> Mask:
    """Return the rows in which the write of a record has arrived in part."""
    out = ~facts.all
    for index in {index for index, _ in facts.issued}:
        out |= facts.touched(index) & ~facts.arrived(index)
    return out


def missing(facts: Facts) -> Mask:
    """Return the rows in which an operation in flight has not arrived as a whole."""
    out = ~facts.all
    for index in facts.point.reach:
        out |= ~facts.arrived(index)
    return out


def whole(states: States) -> dict[int, Mask]:
    """Return preset -> the rows that it leaves, for each preset of which they are all there, once each.

    Under a subset preset these are all combinations of versions that it admits,
    under a prefix preset all cuts of one write where it may be cut. Presets that
    make up content (garbage, other files' blocks) have no such space.
    """
    if states.stratum != REACHABLE or not len(states) or not states.point.blocks:
        return {}
    return _cuts(states) if states.torn >= 0 else _combinations(states)


def _combinations(states: States) -> dict[int, Mask]:
    levels = [np.asarray(block.levels) for block in states.point.blocks]
    dims = tuple(int((level >= 0).sum()) for level in levels)
    if prod(dims) > EXHAUSTIVE:
        return {}
    written = np.ones(len(states), bool)
    for at, level in enumerate(levels):
        written &= level[states.codes[:, at]] >= 0
    every = subsets(dims)
    found = {}
    for number, preset in enumerate(PRESETS):
        if preset.order == "subset" and preset.granule == states.point.granule and preset.plain:
            rows = written & admitted(states.point, states.codes, preset)
            if rows.any() and int(rows.sum()) == int(admitted(states.point, every, preset).sum()):
                found[number] = rows
    return found


def _cuts(states: States) -> dict[int, Mask]:
    op = as_write(states.point.trace.ops[states.torn])
    if op is None:
        return {}
    size = states.point.sizes[states.point.names[op.file]]
    found = {}
    for number, preset in enumerate(PRESETS):
        if preset.order == "prefix":
            may = np.flatnonzero(allowed_cuts(op, preset, size))
            rows = np.isin(states.tear, may)
            if int(rows.sum()) == len(may):
                found[number] = rows
    return found


Key = tuple[str, int]


def count(states: States, verdicts: Verdicts) -> dict[Key, Rate]:
    """Return (question, preset) -> how many of the states of a crash point are what it asks for.

    `verdicts` holds the strict reader's verdict of each state, as an index into
    :data:`VERDICTS`. A crash point that was not enumerated whole gives nothing.
    """
    if states.stratum == CORRUPTED:
        return _rotten(states, verdicts)
    out: dict[Key, Rate] = {}
    spaces = whole(states)
    if not spaces:
        return out
    facts = Facts(states)
    halves, lost = torn(facts), missing(facts)
    for preset, rows in spaces.items():
        out[TORN, preset] = _of(rows & halves, verdicts, _TORN_FAILURES)
        if states.point.trace.stale:
            out[RESURRECTION, preset] = _of(rows & lost, verdicts, ("resurrected",))
    return out


def _rotten(states: States, verdicts: Verdicts) -> dict[Key, Rate]:
    """Count single bits: those of headers, and those of records of which every bit was flipped."""
    if not any(text.startswith("bit:") for text in states.rot):
        return {}
    places = Places(states.point)
    short = [span for span in places.records if span[2] - span[1] <= EVERY_BIT]
    # A byte of both is one of the header.
    kinds = {
        (f"bit:{name}", str(at)): question
        for question, spans in ((ROT, short), (ROT_HEADER, places.headers))
        for name, start, end in spans
        for at in range(start, end)
    }
    asked = [kinds.get((text.rsplit(":", 2)[0], text.rsplit(":", 2)[-2]), "") for text in states.rot]
    out = {}
    for question in (ROT, ROT_HEADER):
        rows = np.asarray([kind == question for kind in asked], bool)
        for preset in sorted(set(states.preset[rows].tolist())):
            out[question, preset] = _of(rows & (states.preset == preset), verdicts, _ROT_FAILURES)
    return out


def _of(rows: Mask, verdicts: Verdicts, wanted: tuple[str, ...]) -> Rate:
    chosen = verdicts[rows]
    return Rate(int(np.isin(chosen, [_NAMES.index(name) for name in wanted]).sum()), len(chosen))


def weakest_safe(failing: Mapping[int, int], looked_at: Mapping[int, int]) -> int | None:
    """Return the weakest preset under which nothing fails, nor under a stronger one; None if there is none.

    `failing` and `looked_at` are numbers of states by the strongest preset that
    reaches them. Only presets of which there are states say anything.
    """
    safe = None
    for preset in range(len(PRESETS)):
        if failing.get(preset, 0):
            return safe
        if looked_at.get(preset, 0):
            safe = preset
    return safe


@dataclass
class Totals:
    """What was counted so far. Presets are numbers, and a writer is one of an edition.

    `counts` have the name of what is counted before what it is counted for: ``asked`` and ``meant`` for
    (edition, writer, background, stratum, question, preset). ``points left`` and ``states left``, of which
    no rate was made, for (preset,). ``traces aside`` and ``states aside`` for (background,). Reachable
    states are ``reached`` for (edition, writer, preset), and those that break I1 to I5 ``broken`` for the
    same and the verdict. `example` is the first of these.
    """

    counts: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    example: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)

    def of(self, name: str) -> dict[tuple[Any, ...], int]:
        """Return the counts of this name, sorted by what they are for."""
        return dict(sorted((key[1:], count) for key, count in self.counts.items() if key[0] == name))

    def add(self, trace: Trace, rows: Rows) -> None:
        """Count the judged states of one crash point."""
        states, verdicts, counts = rows.states, rows.verdicts[0], self.counts
        who = (trace.edition, writer_of(trace))
        counted = count(states, verdicts)
        for (question, preset), rate in counted.items():
            key = (*who, trace.background, states.stratum, question, preset)
            counts["asked", *key] += rate.n
            counts["meant", *key] += rate.k
        unsafe = np.isin(verdicts, [_NAMES.index(name) for name in UNSAFE])
        made = {preset for _, preset in counted}
        for preset in np.unique(states.preset).tolist():
            own = states.preset == preset
            if states.point.blocks and preset not in made:
                counts["points left", preset] += 1
                counts["states left", preset] += int(own.sum())
            if states.stratum == REACHABLE:
                counts["reached", *who, preset] += int(own.sum())
                for row in np.flatnonzero(own & unsafe).tolist():
                    counts["broken", *who, preset, rows.verdict(0, row)] += 1
                    if (*who, preset) not in self.example:
                        self.example[*who, preset] = _example(rows, row)

    def take(self, other: Totals) -> None:
        """Add what was counted after this."""
        self.counts.update(other.counts)
        self.example = other.example | self.example


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
        "questions": {name: {"of": of, "counted": what} for name, (of, what) in QUESTIONS.items()},
        "rates": list(_rates(totals)),
        "set_aside": [
            {"background": name, "traces": totals.counts["traces aside", name], "states": states}
            for (name,), states in totals.of("states aside").items()
        ],
        "left_out": [
            {"preset": PRESETS[at].name, "groups": points, "states": totals.counts["states left", at]}
            for (at,), points in totals.of("points left").items()
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
                wrong = rows.verdict(0, 0) in UNSAFE
                totals.counts["traces aside", trace.background] += wrong
            if stratum == REACHABLE:
                right |= {
                    name for row, name in enumerate(rows.case_ids) if not VERDICTS[rows.verdict(0, row)]
                }
            # What is corrupted has to have been recovered as it should be before that.
            if wrong or (stratum == CORRUPTED and _whole_id(rows) not in right):
                totals.counts["states aside", trace.background] += len(rows.case_ids)
            else:
                totals.add(trace, rows)
    return totals


def _whole_id(rows: Rows) -> bytes:
    """Return the case id of the state before corruption."""
    states = rows.states
    trace = states.point.trace
    expected = expected_at(trace, states.point.crash_index, states.torn, REACHABLE)
    (content,) = content_ids(states.point, np.zeros_like(states.codes[:1]))
    return case_id(content, promised(trace, expected))


def _rates(totals: Totals) -> Iterator[dict[str, Any]]:
    members = ("edition", "writer", "background", "stratum", "question", "preset")
    for key, asked in totals.of("asked").items():
        if asked:
            said, rate = dict(zip(members, key, strict=True)), Rate(totals.counts["meant", *key], asked)
            question, preset = said.pop("question"), PRESETS[said.pop("preset")].name
            interval = [round(end, 6) for end in rate.interval]
            of = {"k": rate.k, "n": rate.n, "rate": round(rate.rate, 6), "interval": interval}
            yield {**said, "preset": preset, "question": question, **of}


def _safe(totals: Totals) -> Iterator[dict[str, Any]]:
    reached, broken = totals.of("reached"), totals.of("broken")
    for who in dict.fromkeys(key[:2] for key in reached):
        states = {key[2]: count for key, count in reached.items() if key[:2] == who}
        unsafe: Counter[int] = Counter()
        for key, count in broken.items():
            if key[:2] == who:
                unsafe[key[2]] += count
        safe, first = weakest_safe(unsafe, states), min(unsafe, default=None)
        fails = None
        if first is not None:
            verdicts = {key[3]: count for key, count in broken.items() if key[:3] == (*who, first)}
            example = totals.example[*who, first]
            fails = {"preset": PRESETS[first].name, "verdicts": verdicts, "example": example}
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
