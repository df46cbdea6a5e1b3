"""Prints digests of the judged crash states, so that every change of them is noticed.

    python tools/goldens.py [FORMAT ...] [--every N] [--states]

For each n-th workload of the core tier this prints a digest of all its states: their case ids, permitted
refusals, the verdict on each reader, the outcomes that a case would permit, their category, and the field in
which a record is torn. With --states it prints these values for each state, to find the differences.
`corpus/tests/data/goldens.json` contains the output for a sample, and a test compares both. Whoever changes
that file must explain the change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence

from journalspec.formats import format_ids
from journalspec_corpus.crash.explain import ExpectedSets, permitted_by_policy
from journalspec_corpus.crash.formats import CrashFormat, crash_format
from journalspec_corpus.crash.oracle import REFUSALS
from journalspec_corpus.crash.trace import PRESETS
from journalspec_corpus.crash.verdict import CATEGORIES
from journalspec_corpus.pipeline.shards import JudgedStates, Shard

#: Every n-th workload of a format is in the sample. No such n divides the period with which a table of
#: workloads repeats.
EVERY = {
    "bitronix_tlog": 61,
    "jboss_journal": 127,
    "kahadb_journal": 53,
    "derby_log": 61,
    "swiftmq_store": 131,
}
SEED, DIGITS = 1, 16


def sample(format_id: str, every: int) -> Iterator[tuple[str, list[JudgedStates]]]:
    """Yield the name and the judged states of each workload in the sample."""
    adapter = crash_format(format_id)
    for work in list(adapter.workloads("core"))[3::every]:
        yield work.name, list(Shard(adapter, PRESETS, SEED).judged(adapter.build(work)))


def lines_of(adapter: CrashFormat, found: Sequence[JudgedStates]) -> Iterator[str]:
    """Yield the results of the states of one workload, one line each."""
    for one in found:
        facts = one.facts
        sets = ExpectedSets(adapter, facts.trace).sets(facts.expected)
        outcomes = {
            kind: digest(
                json.dumps(permitted_by_policy(adapter, sets, kind, facts.expected.stratum), sort_keys=True)
            )
            for kind in REFUSALS
        }
        for row in one.new:
            refusal = REFUSALS[facts.refusals[row]]
            said = ",".join(one.verdict(at, row) for at in range(len(adapter.readers)))
            kind = f"{CATEGORIES[facts.categories[row]]} {facts.fields[row]}"
            yield f"{facts.case_ids[row].hex()} {refusal} {said} {outcomes[refusal]} {kind}"


def digest(text: str) -> str:
    """Return the first digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the requested digests or states."""
    parser = argparse.ArgumentParser(prog="python tools/goldens.py", description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="formats (default: all)")
    parser.add_argument(
        "--every", type=int, default=0, metavar="N", help="each n-th workload (default: as in the test)"
    )
    parser.add_argument("--states", action="store_true", help="print each state, sorted by case id")
    chosen = parser.parse_args(arguments)
    out: dict[str, dict[str, str]] = {}
    for format_id in chosen.formats or format_ids():
        adapter = crash_format(format_id)
        for name, found in sample(format_id, chosen.every or EVERY[format_id]):
            lines = sorted(lines_of(adapter, found))
            if chosen.states:
                print("\n".join(lines))
            out.setdefault(format_id, {})[name] = digest("\n".join(lines))
    if not chosen.states:
        print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
