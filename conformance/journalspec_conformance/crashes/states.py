"""Crash states as cases, from a sample or a build. The oracle of the crash model grades the answers.

A state is computed from a recorded trace, so neither a build nor another reader is needed. The required
outcome follows from the writes, fsyncs and acknowledgements before the crash. The choice of states depends
only on the seed (for a build: on the ids), never on a reader's answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from journalspec.observation import At, Observation, Record
from journalspec_conformance.compare import Claims
from journalspec_conformance.connection import Message
from journalspec_conformance.errors import Misbehaved, Problem
from journalspec_conformance.result import Outcome
from journalspec_corpus.case import Case
from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.explain import case_of
from journalspec_corpus.crash.facts import Facts, State, find
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.oracle import Expected, in_words
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.states import Descriptor, crash_states, descriptor_of
from journalspec_corpus.crash.trace import CORRUPTED, LYING, PRESETS, REACHABLE, Trace, writer_of
from journalspec_corpus.crash.verdict import (
    CATEGORIES,
    MEANINGS,
    VERDICTS,
    Answer,
    first_that_covers,
    limits,
    wrong_effect,
)
from journalspec_corpus.pipeline.failures import plan_of
from journalspec_corpus.pipeline.manifest import ManifestError, part_files
from journalspec_corpus.pipeline.plan import Plan
from journalspec_reference import load

TIER = "crash"
#: The number of states that a sample takes from each trace; more if there are too few traces. Additional
#: traces reveal more failures than additional states of the same trace.
PER_TRACE = 4
#: One in this many traces of a sample is about corruption: bytes that changed after they were durable.
CORRUPTED_EVERY = 8
#: The number of cached traces. States are ordered by class, not by trace, and replaying a trace takes longer
#: than one question.
TRACES = 2048
#: The number of cached states. A cache is useful because there are several questions about each state.
STATES = 64
_NOWHERE = At("", 0, 0)
_SHOWN = 160


class Class(NamedTuple):
    """Represents the class of a crash state.

    `field` is the field in which a record is torn, empty if none is.
    """

    stratum: str
    category: str
    background: str
    field: str
    writer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashCase(Case):
    """Represents a crash state as a case, made from `workload` and `descriptor`.

    The case grades the answers itself.
    """

    workload: Any
    descriptor: Descriptor

    @property
    def adapter(self) -> CrashFormat:
        """The format's adapter for the crash engine."""
        return crash_format(self.format)

    @property
    def state(self) -> State:
        """The state: its files, and the required outcome of a reader."""
        return _state(self.format, self.workload, self.descriptor)

    @property
    def required(self) -> Expected:
        """The required outcome of recovery."""
        return self.state.situation.expected

    def outcome(self, policy: str, observed: Message, claims: Claims) -> Outcome:
        """Return the outcome of an observation under `policy`; its fingerprint is ``verdict/category``."""
        answer = answer_of(self.adapter, observed, listed=claims.records)
        verdict = self.verdict(policy, answer)
        if verdict == "acceptable":
            return Outcome("allowed", choice="it refused, which is allowed")
        if not VERDICTS[verdict]:
            return Outcome("pass")
        fingerprint, why = f"{verdict}/{self.category}", self.reason(verdict, answer)
        kind = policy, self.stratum, verdict, self.category, self.descriptor.preset
        limit = first_that_covers(limits(self.format), writer_of(self.state.trace), *kind)
        if limit is not None:
            # A limit of the format applies to kinds of states. It excuses a failure only if the reference,
            # which follows the specification, fails in the same way on the same state.
            seen = load(self.format).recover(self.files(), edition=self.edition, policy=policy)
            right = replace(self.adapter.answer(seen), unlisted=answer.unlisted)
            if self.verdict(policy, right) == verdict:
                why += f"; no reader of this format can prevent it: {limit.why}"
                return Outcome("allowed", fingerprint, why, choice=limit.id)
        return Outcome("fail", fingerprint, why)

    def verdict(self, policy: str, answer: Answer) -> str:
        """Return the verdict of the crash model on `answer`."""
        holes = self.adapter.salvages(policy)
        return self.state.verdict(answer, salvaging=holes)

    def reason(self, verdict: str, answer: Answer) -> str:
        """Return a description of the fault in `answer`."""
        parted = parting(answer, self.required)
        words = [MEANINGS[verdict]]
        words += [f"missing: {_listed(parted['missing'])}"] if parted["missing"] else []
        words += [f"must not be recovered: {_listed(parted['wrong'])}"] if parted["wrong"] else []
        words += [parted["effect"]] if parted["effect"] else []
        words += [f"refused: {answer.refused}"] if answer.refused is not None else []
        return "; ".join(words)


def parting(answer: Answer, required: Expected) -> dict[str, Any]:
    """Return how an answer differs from the required outcome, by names of records.

    `came` contains the listed records, `missing` the required records that are not listed, and `wrong` the
    records that must not be listed (for records that were never written, their keys). `effect` describes the
    state's fault.
    """
    records = [required.record_of.get(key) for key in answer.keys]
    came = tuple(dict.fromkeys(record for record in records if record is not None))
    unknown = [key for key in (*answer.keys, *answer.aside) if key not in required.record_of]
    old = [record for record in came if record in required.must_drop]
    effect = wrong_effect(answer, required)
    unseen = answer.refused is not None or answer.unlisted
    return {
        "came": came,
        "missing": () if unseen else tuple(sorted(required.must_keep.difference(came))),
        "wrong": (*old, *(key if len(key) <= _SHOWN else key[: _SHOWN - 3] + "..." for key in unknown)),
        "effect": "" if effect is None else in_words(effect),
    }


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def answer_of(adapter: CrashFormat, observed: Mapping[str, Any], *, listed: bool = True) -> Answer:
    """Convert an observation from JSON to the form that the oracle compares; raises Misbehaved.

    `listed` is false for an implementation that reports the state without records.
    """
    records = tuple(
        Record(
            str(entry.get("type", "")),
            {name: value for name, value in entry.items() if name not in ("type", "at")},
            _NOWHERE,
        )
        for entry in observed.get("records") or ()
    )
    seen = Observation(
        observed["verdict"],
        records,
        state=observed.get("state"),
        phase=observed.get("phase"),
        code=observed.get("code"),
    )
    try:
        answer = adapter.answer(seen)
    except (KeyError, TypeError, ValueError) as error:
        raise Misbehaved(f"the observation lacks the fields that distinguish records: {error!r}") from None
    return replace(answer, unlisted=not listed)


@lru_cache(maxsize=TRACES)
def _trace(format_id: str, workload: Any) -> Trace:
    return crash_format(format_id).build(workload)


@lru_cache(maxsize=STATES)
def _state(format_id: str, workload: Any, descriptor: Descriptor) -> State:
    return find(_trace(format_id, workload), descriptor)


def as_crash_case(format_id: str, workload: Any, descriptor: Descriptor) -> CrashCase:
    """Return the case of a state of a workload."""
    adapter = crash_format(format_id)
    case = case_of(adapter, _state(format_id, workload, descriptor), beyond=False, tier=TIER)
    if case.stratum == LYING:
        # In these states, no format can prevent a loss. Only `corpus build` includes them.
        case = replace(case, level="may")
    members = {item.name: getattr(case, item.name) for item in fields(Case)}
    return CrashCase(**members, workload=workload, descriptor=descriptor)


def sampled(
    format_id: str, seed: int, count: int, editions: Collection[str], tier: str = "core"
) -> list[CrashCase]:
    """Return at most `count` random states, from workloads of a tier that are in one of `editions`.

    The seed determines the order of the traces. Each trace contributes a few states, first those of the
    classes that are rarest so far.
    """
    workloads = sorted(Plan(format_id, tier).workloads(), key=lambda work: _draw(seed, work.name.encode()))
    taken: dict[bytes, tuple[Any, Descriptor]] = {}
    seen: Counter[Class] = Counter()
    each = max(PER_TRACE, -(-count // len(workloads)))
    traces = ((workload, _trace(format_id, workload)) for workload in workloads)
    asked = ((workload, trace) for workload, trace in traces if trace.edition in editions)
    for number, (workload, trace) in enumerate(asked, start=1):
        if len(taken) >= count:
            break
        stratum = CORRUPTED if number % CORRUPTED_EVERY == 0 else REACHABLE
        places = _places(trace, stratum, seed)
        # Ids are computed only for states of the needed classes, because computing ids takes most of the
        # time.
        drawn: dict[Class, list[tuple[bytes, States, int]]] = {}
        for _ in range(min(each, count - len(taken))):
            if not places:
                break
            kind = min(places, key=lambda kind: (seen[kind], kind))
            if kind not in drawn:
                drawn[kind] = _in_drawn_order(places[kind], seed)
            case_id, states, row = drawn[kind].pop()
            if not drawn[kind]:
                del places[kind]
            if case_id not in taken:
                seen[kind] += 1
                taken[case_id] = workload, descriptor_of(states, row, seed)
    # States of a run after a crash are last: the first failure of a kind is reduced, and these states cannot
    # be reduced.
    chosen = sorted(taken.values(), key=lambda found: isinstance(found[0], SecondLife))
    return [as_crash_case(format_id, *found) for found in chosen]


def _draw(seed: int, name: bytes) -> bytes:
    return blake2b(name, digest_size=16, key=b"%d" % seed).digest()


def _places(trace: Trace, stratum: str, seed: int) -> dict[Class, list[tuple[States, list[int]]]]:
    """Map each class to the positions of its states: the states of a crash point, and their rows."""
    writer, presets = writer_of(trace), tuple(preset for preset in PRESETS if preset.stratum == stratum)
    found: dict[Class, list[tuple[States, list[int]]]] = {}
    for states in crash_states(trace, presets, seed, everywhere=stratum == CORRUPTED):
        facts = Facts(states)
        rows: dict[tuple[int, str], list[int]] = {}
        for row, key in enumerate(zip(facts.categories.tolist(), facts.fields.tolist(), strict=True)):
            rows.setdefault(key, []).append(row)
        for (category, field), at in rows.items():
            kind = Class(stratum, CATEGORIES[category], trace.background, field, writer)
            found.setdefault(kind, []).append((states, at))
    return found


def _in_drawn_order(places: list[tuple[States, list[int]]], seed: int) -> list[tuple[bytes, States, int]]:
    """Return each state with its id and its row, in reverse order: the last element is selected first."""
    several = (states.take(np.asarray(at, np.int64)) for states, at in places)
    found = [(name, states, row) for states in several for row, name in enumerate(Facts(states).case_ids)]
    return sorted(found, key=lambda state: _draw(seed, state[0]), reverse=True)


def built(directory: Path, count: int, editions: Mapping[str, Collection[str]]) -> list[CrashCase]:
    """Return `count` states (0: all) of the build in `directory`, equally many of each class.

    Their edition is one of `editions` for the format. From each class, the states with the smallest ids are
    taken; as ids are hashes, the choice is random. Raises Problem if there is no build.
    """
    try:
        plan = plan_of(directory)
    except ManifestError as error:
        raise Problem(str(error), "`journalspec corpus build` makes one.") from None
    members = [item.name for item in fields(Descriptor)]
    wanted = dict.fromkeys(["case_id", *Class._fields, *members, "workload", "edition"])
    table = pa.concat_tables(pq.read_table(path, columns=[*wanted]) for path in part_files(directory))
    table = table.filter(
        pc.is_in(table["edition"].cast(pa.string()), pa.array(sorted(editions.get(plan.format, ()))))
    )
    kinds = table.select(["case_id", *Class._fields]).cast(
        pa.schema([("case_id", pa.binary()), *((name, pa.string()) for name in Class._fields)])
    )
    order = pc.sort_indices(kinds, [(name, "ascending") for name in (*Class._fields, "case_id")])
    sizes = kinds.group_by([*Class._fields]).aggregate([([], "count_all")])
    sizes = sizes.sort_by([(name, "ascending") for name in Class._fields])["count_all"].to_pylist()
    starts = np.cumsum([0, *sizes]).tolist()
    shares = zip(starts, _shares(sizes, count or sum(sizes)), strict=False)
    rows = [at for start, share in shares for at in range(start, start + share)]
    workloads = {workload.name: workload for workload in plan.workloads()}
    return [
        as_crash_case(
            plan.format, workloads[row["workload"]], Descriptor(**{name: row[name] for name in members})
        )
        for row in table.take(order.take(pa.array(rows, pa.int64()))).to_pylist()
    ]


def _shares(sizes: Sequence[int], count: int) -> list[int]:
    """Return how many states to take from groups of these sizes.

    The numbers are as equal as possible, `count` in total.
    """
    shares = [0] * len(sizes)
    left = min(count, sum(sizes))
    while left:
        open_ones = [at for at, size in enumerate(sizes) if shares[at] < size]
        each = max(1, left // len(open_ones))
        for at in open_ones[:left]:
            given = min(each, sizes[at] - shares[at], left)
            shares[at] += given
            left -= given
    return shares
