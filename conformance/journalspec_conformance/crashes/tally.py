"""Counting verdicts by stratum, kind of failure and preset, with a representative; and writing them down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from journalspec.files import replacing
from journalspec_conformance.crashes.choose import Choice, Chosen
from journalspec_conformance.crashes.verdicts import BREAKS, LIED, Judged, Kind
from journalspec_corpus.crash.persistence import rank
from journalspec_corpus.crash.second_crash import SecondLife

#: What a run leaves in a directory.
VERDICTS, FAILURES, SUMMARY = "verdicts.parquet", "failures.jsonl", "summary.json"
SHRUNK = "shrunk.jsonl"
_NUMBERS = ("crash_index", "tear", "seed")


@dataclass
class Failing:
    """All failures of one kind: per preset how many, and the first state of the strongest preset."""

    kind: Kind
    presets: Counter[str] = field(default_factory=Counter)
    #: id of a limit of the format -> how many of them it makes
    limits: Counter[str] = field(default_factory=Counter)
    first: Chosen | None = None
    judged: Judged | None = None

    def add(self, chosen: Chosen, judged: Judged) -> None:
        """Count one failure; keep it if it says more than the one kept so far."""
        preset = chosen.descriptor.preset
        self.presets[preset] += 1
        if judged.limit:
            self.limits[judged.limit] += 1
        if (
            self.first is None
            or self.judged is None
            or _first(chosen, judged) < _first(self.first, self.judged)
        ):
            self.first, self.judged = chosen, judged

    @property
    def states(self) -> int:
        """How many states failed so."""
        return sum(self.presets.values())

    @property
    def counted(self) -> int:
        """How many of them count against the implementation: where a force was a lie, none does."""
        return 0 if self.kind.stratum == LIED else self.states - self.limits.total()

    @property
    def strongest(self) -> str:
        """The preset with the strongest guarantees under which it happens."""
        return min(self.presets, key=rank)

    def to_json(self) -> dict[str, Any]:
        """Return the kind, its counts, and its representative."""
        assert self.first is not None  # there is no empty kind
        assert self.judged is not None
        return {
            "kind": str(self.kind),
            "verdict": self.kind.verdict,
            "breaks": list(BREAKS[self.kind.verdict]),
            "strongest_preset": self.strongest,
            "states": {name: self.presets[name] for name in sorted(self.presets, key=rank)},
            "limits": dict(sorted(self.limits.items())),
            "counted": self.counted,
            "representative": representative(self.first, self.judged),
        }


def _first(chosen: Chosen, judged: Judged) -> tuple[bool, tuple[int, int, int, bytes]]:
    """Order failures: what counts against the implementation comes before what the format cannot promise."""
    return bool(judged.limit), _size(chosen)


def _size(chosen: Chosen) -> tuple[int, int, int, bytes]:
    """Order states: strongest preset, first lives, least that arrived, smallest id."""
    descriptor = chosen.descriptor
    second = isinstance(chosen.workload, SecondLife)
    return rank(descriptor.preset), second, sum(map(bool, descriptor.mask)), chosen.case_id


def descriptor_json(chosen: Chosen) -> dict[str, Any]:
    """Return everything that the state is a function of, and its class."""
    descriptor = chosen.descriptor
    return {
        "case_id": chosen.case_id.hex(),
        "workload": chosen.workload.name,
        "trace": descriptor.trace,
        "edition": chosen.edition,
        "preset": descriptor.preset,
        "crash_index": descriptor.crash_index,
        "mask": descriptor.mask.hex(),
        "tear": descriptor.tear,
        "rot": descriptor.rot,
        "seed": descriptor.seed,
        **chosen.kind._asdict(),
        "refusal": chosen.refusal,
    }


def representative(chosen: Chosen, judged: Judged) -> dict[str, Any]:
    """Return one state with its verdict and what parted from what was owed."""
    return {
        "verdict": judged.verdict.name,
        "policy": judged.policy,
        **descriptor_json(chosen),
        "answer": judged.verdict.to_json(),
    }


class RunTally:
    """What a run has come to. Feed it with :meth:`add`, in order."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self.asked = 0
        self.judged_states: set[int] = set()
        #: (policy, verdict, stratum) -> how many
        self.verdicts: Counter[tuple[str, str, str]] = Counter()
        self.kinds: dict[Kind, Failing] = {}
        #: (policy, verdict) and class -> the failures of that class
        self._classes: dict[tuple[str, str, Any], Failing] = {}
        self.retried = 0
        #: how often a limit of time ran out
        self.hangs = 0

    def add(self, judged: Judged) -> None:
        """Count one verdict."""
        chosen = self._choice.states[judged.at]
        name = judged.verdict.name
        self.asked += 1
        self.judged_states.add(judged.at)
        self.verdicts[judged.policy, name, chosen.kind.stratum] += 1
        self.retried += judged.verdict.tries > 1
        self.hangs += (name == "hang") + (judged.verdict.tries > 1)
        if judged.verdict.failed:
            kind = Kind(chosen.kind.writer, judged.policy, chosen.kind.stratum, name, chosen.kind.category)
            self.kinds.setdefault(kind, Failing(kind)).add(chosen, judged)
            place = (judged.policy, name, chosen.kind)
            self._classes.setdefault(place, Failing(kind)).add(chosen, judged)

    def failing(self) -> list[Failing]:
        """Return the kinds of failure, sorted."""
        return [self.kinds[kind] for kind in sorted(self.kinds, key=str)]

    def representatives(self) -> Iterable[dict[str, Any]]:
        """Yield one failure per policy, verdict and class, with how many there were."""
        for place in sorted(self._classes):
            failing = self._classes[place]
            assert failing.first is not None  # there is no empty class
            assert failing.judged is not None
            yield {**representative(failing.first, failing.judged), "states": failing.states}

    def summary(self) -> dict[str, Any]:
        """Return all counts as JSON."""
        strata: dict[str, dict[str, Counter[str]]] = {}
        for (policy, verdict, stratum), count in sorted(self.verdicts.items()):
            strata.setdefault(stratum, {}).setdefault(policy, Counter())[verdict] += count
        return {
            "states": len(self.judged_states),
            "answers": self.asked,
            "not_asked": len(self._choice.states) - len(self.judged_states),
            "left_out": self._left_out(),
            "distinct": self._choice.distinct,
            "generated": self._choice.generated,
            "traces": self._choice.traces,
            "classes": self._choice.classes,
            "retried": self.retried,
            "hangs": self.hangs,
            "verdicts": {
                stratum: {policy: dict(of) for policy, of in by.items()} for stratum, by in strata.items()
            },
            "invariants": self._invariants(),
            "failures": [failing.to_json() for failing in self.failing()],
        }

    def _left_out(self) -> dict[str, int]:
        """Return by policy how many states were not asked about: `not_asked` are those left out under all."""
        asked: Counter[str] = Counter()
        for (policy, _, _), count in self.verdicts.items():
            asked[policy] += count
        return {policy: len(self._choice.states) - count for policy, count in sorted(asked.items())}

    def _invariants(self) -> Mapping[str, dict[str, int]]:
        """Return per stratum how many answers broke each invariant."""
        out: dict[str, Counter[str]] = {}
        for (_, verdict, stratum), count in self.verdicts.items():
            for invariant in BREAKS[verdict]:
                out.setdefault(stratum, Counter())[invariant] += count
        return {
            stratum: dict(sorted(found.items(), key=lambda entry: int(entry[0][1:])))
            for stratum, found in sorted(out.items())
        }


def write_verdicts(out: Path, choice: Choice, judged: Sequence[Judged]) -> None:
    """Write one row per state and policy: descriptor, class, verdict, and what was missing or wrong."""
    rows = []
    for entry in judged:
        verdict = entry.verdict
        rows.append(
            {
                **descriptor_json(choice.states[entry.at]),
                "policy": entry.policy,
                "verdict": verdict.name,
                "refused": verdict.refused,
                "missing": " ".join(verdict.missing),
                "wrong": " ".join(verdict.wrong),
                "effect": verdict.effect,
                "told": verdict.told,
                "tries": verdict.tries,
            }
        )
    names = list(rows[0]) if rows else []
    columns = {
        name: pa.array(
            [row[name] for row in rows],
            pa.int64() if name in (*_NUMBERS, "tries") else pa.dictionary(pa.int32(), pa.string()),
        )
        for name in names
    }
    with replacing(out / VERDICTS, "wb") as stream:
        pq.write_table(pa.table(columns), stream, compression="zstd")


def write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    with replacing(path) as stream:
        for entry in entries:
            stream.write(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) + "\n")
