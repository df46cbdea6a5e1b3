"""Counting verdicts by stratum, kind of failure and preset, with a representative; and writing them down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from journalspec.files import replacing
from journalspec_conformance.crashes.choose import Choice, Chosen, Class
from journalspec_conformance.crashes.verdicts import BREAKS, LIED, Judged, Kind
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.trace import rank

#: What a run leaves in a directory.
VERDICTS, FAILURES, SUMMARY = "verdicts.parquet", "failures.jsonl", "summary.json"
SHRUNK = "shrunk.jsonl"
_NUMBERS = ("crash_index", "tear", "seed", "tries")
_LABEL = pa.dictionary(pa.int32(), pa.string())
Group = TypeVar("Group", Kind, tuple[str, str, Class])


class Failure(NamedTuple):
    """A state, and the verdict on what came of it."""

    chosen: Chosen
    judged: Judged

    def says(self) -> tuple[bool, int, bool, int, bytes]:
        """Order failures: what counts first, then the strongest preset, first lives, least that arrived."""
        descriptor = self.chosen.descriptor
        second = isinstance(self.chosen.workload, SecondLife)
        arrived = sum(map(bool, descriptor.mask))
        return bool(self.judged.limit), rank(descriptor.preset), second, arrived, self.chosen.case_id

    def to_json(self) -> dict[str, Any]:
        """Return the state with its verdict and what parted from what was owed."""
        verdict = self.judged.verdict
        told = {"verdict": verdict.name, "policy": self.judged.policy}
        return {**told, **descriptor_json(self.chosen), "answer": verdict.to_json()}


@dataclass
class Failing:
    """All failures of one kind."""

    kind: Kind
    all: list[Failure]

    @property
    def first(self) -> Failure:
        """The one that says most."""
        return min(self.all, key=Failure.says)

    @property
    def limits(self) -> Counter[str]:
        """By id of a limit of the format, how many of them it makes."""
        return Counter(judged.limit for _, judged in self.all if judged.limit)

    @property
    def counted(self) -> int:
        """How many of them count against the implementation: where a force was a lie, none does."""
        return 0 if self.kind.stratum == LIED else len(self.all) - self.limits.total()

    def to_json(self) -> dict[str, Any]:
        """Return the kind, its counts, and its representative."""
        presets = Counter(chosen.descriptor.preset for chosen, _ in self.all)
        ordered = sorted(presets, key=rank)
        return {
            "kind": str(self.kind),
            "verdict": self.kind.verdict,
            "breaks": list(BREAKS[self.kind.verdict]),
            "strongest_preset": ordered[0],
            "states": {name: presets[name] for name in ordered},
            "limits": dict(sorted(self.limits.items())),
            "counted": self.counted,
            "representative": self.first.to_json(),
        }


def descriptor_json(chosen: Chosen) -> dict[str, Any]:
    """Return everything that the state is a function of, and its class."""
    return {
        "case_id": chosen.case_id.hex(),
        "workload": chosen.workload.name,
        "edition": chosen.edition,
        **asdict(chosen.descriptor),
        "mask": chosen.descriptor.mask.hex(),
        **chosen.kind._asdict(),
        "refusal": chosen.refusal,
    }


def failing(choice: Choice, judged: Iterable[Judged]) -> list[Failing]:
    """Return the kinds of failure, sorted."""
    kinds = _grouped(choice, judged, _kind)
    return [Failing(kind, kinds[kind]) for kind in sorted(kinds, key=str)]


def _kind(failure: Failure) -> Kind:
    chosen, judged = failure
    return Kind(
        chosen.kind.writer, judged.policy, chosen.kind.stratum, judged.verdict.name, chosen.kind.category
    )


def representatives(choice: Choice, judged: Iterable[Judged]) -> Iterable[dict[str, Any]]:
    """Yield one failure per policy, verdict and class, with how many there were."""
    classes = _grouped(
        choice, judged, lambda one: (one.judged.policy, one.judged.verdict.name, one.chosen.kind)
    )
    for _, found in sorted(classes.items(), key=lambda entry: entry[0]):
        yield {**min(found, key=Failure.says).to_json(), "states": len(found)}


def _grouped(
    choice: Choice, judged: Iterable[Judged], key: Callable[[Failure], Group]
) -> dict[Group, list[Failure]]:
    out: dict[Group, list[Failure]] = {}
    for entry in judged:
        if entry.verdict.failed:
            failure = Failure(choice.states[entry.at], entry)
            out.setdefault(key(failure), []).append(failure)
    return out


def summary(choice: Choice, judged: Sequence[Judged]) -> dict[str, Any]:
    """Return all counts as JSON."""
    verdicts: dict[str, dict[str, Counter[str]]] = {}
    invariants: dict[str, Counter[str]] = {}
    for policy, name, stratum in sorted(
        (entry.policy, entry.verdict.name, choice.states[entry.at].kind.stratum) for entry in judged
    ):
        verdicts.setdefault(stratum, {}).setdefault(policy, Counter())[name] += 1
        if BREAKS[name]:
            invariants.setdefault(stratum, Counter()).update(BREAKS[name])
    asked = Counter(entry.policy for entry in judged)
    states = len({entry.at for entry in judged})
    retried = sum(entry.verdict.tries > 1 for entry in judged)
    return {
        "states": states,
        "answers": len(judged),
        # Those that were left out under all policies, and by policy.
        "not_asked": len(choice.states) - states,
        "left_out": {policy: len(choice.states) - count for policy, count in sorted(asked.items())},
        "distinct": choice.distinct,
        "generated": choice.generated,
        "traces": choice.traces,
        "classes": choice.classes,
        "retried": retried,
        # How often a limit of time ran out.
        "hangs": retried + sum(entry.verdict.name == "hang" for entry in judged),
        "verdicts": {
            stratum: {policy: dict(of) for policy, of in by.items()} for stratum, by in verdicts.items()
        },
        "invariants": {
            stratum: dict(sorted(found.items(), key=lambda entry: int(entry[0][1:])))
            for stratum, found in sorted(invariants.items())
        },
        "failures": [entry.to_json() for entry in failing(choice, judged)],
    }


def write_verdicts(out: Path, choice: Choice, judged: Sequence[Judged]) -> None:
    """Write one row per state and policy: descriptor, class, verdict, and what was missing or wrong."""
    rows: list[dict[str, Any]] = [
        {
            **descriptor_json(choice.states[entry.at]),
            "policy": entry.policy,
            "verdict": entry.verdict.name,
            "refused": entry.verdict.refused,
            "missing": " ".join(entry.verdict.missing),
            "wrong": " ".join(entry.verdict.wrong),
            "effect": entry.verdict.effect,
            "told": entry.verdict.told,
            "tries": entry.verdict.tries,
        }
        for entry in judged
    ]
    columns = pa.schema([(name, pa.int64() if name in _NUMBERS else _LABEL) for name in rows[0]])
    with replacing(out / VERDICTS, "wb") as stream:
        pq.write_table(pa.Table.from_pylist(rows, columns), stream, compression="zstd")


def write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    with replacing(path) as stream:
        for entry in entries:
            stream.write(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) + "\n")
