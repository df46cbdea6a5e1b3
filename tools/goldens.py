"""Print what must stay the same while the crash engine is changed: compare the output before and after.

    python tools/goldens.py FORMAT [--every N] > before.txt

A line for each published tier has its SHA-256 sum. Then each state of every n-th workload of the core tier
has a line, sorted by case id: its case id, refusal, the verdict of each reader, and a digest of the outcomes
that its case would permit. An id that several workloads reach is listed once, as the first of them has it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.expected import REFUSALS, Expected, ExpectedSets, demand_of, permitted
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import SeenIds, ids_of_states, judged_rows

TIERS = ("smoke", "captured", "worst")


def published(format_id: str) -> Iterator[str]:
    """Yield a line for each published tier."""
    folder = files("journalspec_corpus") / "published" / format_id
    for tier in TIERS:
        yield f"{tier}.jsonl {hashlib.sha256((folder / f'{tier}.jsonl').read_bytes()).hexdigest()}"


def states(plan: Plan) -> dict[str, str]:
    """Return case id -> what is said of the state."""
    adapter, seen, found = crash_format(plan.format), SeenIds(), dict[str, str]()
    for work in plan.workloads():
        trace = adapter.build(work)
        sets = ExpectedSets(adapter, trace)
        for rows in judged_rows(trace, adapter, tuple(map(get_preset, plan.presets)), plan.seed, seen):
            outcomes = {kind: _outcomes(adapter, sets, rows.expected, kind) for kind in REFUSALS}
            for row, name in enumerate(ids_of_states(rows.states, rows.expected)):
                refusal = REFUSALS[rows.refusal[row]]
                said = ",".join(rows.verdict(at, row) for at in range(len(adapter.readers)))
                found.setdefault(name.hex(), f"{refusal} {said} {outcomes[refusal]}")
    return found


def _outcomes(adapter: CrashFormat, sets: ExpectedSets, expected: Expected, refusal: str) -> str:
    owed = sets.sets(expected)
    told = list[object]()
    for reader, policy in adapter.policies.items():
        demand = demand_of(refusal, expected.stratum, salvaging=reader in adapter.salvaging)
        told += permitted(owed, policy, *demand)
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the lines of a format."""
    parser = argparse.ArgumentParser(prog="python tools/goldens.py", description=__doc__)
    parser.add_argument("format")
    parser.add_argument("--every", type=int, default=6, help="each n-th workload (default 6)")
    chosen = parser.parse_args(arguments)
    for line in published(chosen.format):
        print(line)
    for name, said in sorted(states(Plan(chosen.format, "core", every=chosen.every)).items()):
        print(name, said)


if __name__ == "__main__":
    main()
