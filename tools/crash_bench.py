"""For each format, measures how many states per CPU second are enumerated, read, judged and tabulated.

``python tools/crash_bench.py [FORMAT ...] [--tier core] [--every 16]`` processes each n-th shard of the tier
as a build does. Each state is judged once, the table of every shard is written as Parquet into memory, and
nothing is cached from an earlier run. ``--profile`` prints where the time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from dataclasses import dataclass
from io import BytesIO

import pyarrow.parquet as pq

from journalspec.formats import format_ids
from journalspec_corpus.crash.formats import crash_format, has_crash_format
from journalspec_corpus.pipeline.plan import BUILT_TIERS, Plan
from journalspec_corpus.pipeline.shards import Shard, judged_shard


@dataclass
class Measured:
    """The measurement of one format: numbers of traces, states and bytes, and the CPU time."""

    traces: int = 0
    generated: int = 0
    states: int = 0
    parquet: int = 0
    seconds: float = 0.0


def measured(plan: Plan, every: int) -> Measured:
    """Judge each n-th shard of `plan` and write it as Parquet into memory."""
    out = Measured()
    # A build lists the workloads and imports modules only once, so the list and the imports are made before
    # the measurement.
    plan.workloads()
    pq.write_table(Shard(crash_format(plan.format), (), plan.seed).table(), BytesIO())
    started = time.process_time()
    for number in range(0, plan.shards(), every):
        shard = judged_shard(plan, number)
        table, sink = shard.table(), BytesIO()
        pq.write_table(table, sink, compression="zstd", write_statistics=False)
        out.traces += shard.traces
        out.generated += shard.generated
        out.states += len(table)
        out.parquet += len(sink.getvalue())
    out.seconds = time.process_time() - started
    return out


def main() -> None:
    """Measure the requested formats; all if none is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("formats", nargs="*", help="format ids (default: all with crash states)")
    parser.add_argument("--tier", choices=BUILT_TIERS, default="core")
    parser.add_argument("--every", type=int, default=16, help="each n-th shard (default: 16)")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    asked = parser.parse_args()
    for name in asked.formats or [one for one in format_ids() if has_crash_format(one)]:
        crash_format(name)
        profile = cProfile.Profile()
        if asked.profile:
            profile.enable()
        found = measured(Plan(name, asked.tier), asked.every)
        profile.disable()
        again = 1 - found.states / max(found.generated, 1)
        print(
            f"{name:16} {found.generated / found.seconds:9,.0f} states/s  {found.generated:9,} states of "
            f"{found.traces:5,} traces in {found.seconds:7.1f} s  {again:5.1%} equal  "
            f"{found.parquet:,} bytes of Parquet",
            flush=True,
        )
        if asked.profile:
            pstats.Stats(profile).sort_stats("tottime").print_stats(60)


if __name__ == "__main__":
    main()
