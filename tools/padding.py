"""Measure what a crash state costs in small files, and in the same files with zeros behind.

    python tools/padding.py [--format FORMAT] [--size 1MiB ...] [--count 24]

Takes every so-many-th workload of the core tier, pads the files that it begins with, and judges all
its states in one process: naming them, reading them, the verdicts. All sizes are measured in turn,
round after round, and the quickest round of each counts; what is printed are processor seconds and
their ratios, which do not depend on the machine. Journals that are set aside in one piece make
the ratio matter: it should stay below 1.5.
Exit status: 0 measured; 2 usage.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from journalspec.formats import format_ids
from journalspec_corpus.crash.adapter import CrashFormat, crash_format, has_crash_format
from journalspec_corpus.crash.persistence import PRESETS
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.pipeline.run import SeenIds, judged_rows

ROUNDS = 3
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}


def size_of(text: str) -> int:
    """Return the bytes that ``64KiB`` or ``1MiB`` stands for; raises ValueError for anything else."""
    if text[-3:] in UNITS:
        return int(text[:-3]) * UNITS[text[-3:]]
    return int(text)


def traces_of(adapter: CrashFormat, count: int) -> list[Trace]:
    """Return about `count` traces, spread over the core tier, that begin with files."""
    every = max(1, sum(1 for _ in adapter.workloads("core")) // count)
    chosen = islice(adapter.workloads("core"), every // 2, None, every)
    return [trace for trace in map(adapter.build, chosen) if trace.base]


def padded(trace: Trace, size: int) -> Trace:
    """Return `trace` beginning with files of at least `size` bytes, zeros behind what they hold."""
    return replace(trace, base={name: data.ljust(size, b"\0") for name, data in trace.base.items()})


def cost(adapter: CrashFormat, traces: Sequence[Trace], size: int) -> tuple[float, int]:
    """Return the processor seconds that all states take, and how many distinct ones there are."""
    # Presets that only some traces get would make of other files other states.
    presets = tuple(preset for preset in PRESETS if preset.share == 1)
    # New ones each time: what a trace remembers of itself is part of the cost, how it was padded is not.
    new = [padded(trace, size) for trace in traces]
    states, started = 0, time.process_time()
    for trace in new:
        rows = judged_rows(trace, adapter, presets, 1, SeenIds())
        states += sum(len(group.case_ids) for group in rows)
    return time.process_time() - started, states


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    formats = [name for name in format_ids() if has_crash_format(name)]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--format", action="append", choices=formats, help="default: all")
    parser.add_argument("--size", action="append", type=size_of, help="default: 64KiB and 1MiB")
    parser.add_argument("--count", type=int, default=24, help="about so many workloads (default: 24)")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    sizes = [0, *(options.size or [1 << 16, 1 << 20])]
    for name in options.format or formats:
        adapter = crash_format(name)
        traces = traces_of(adapter, options.count)
        cost(adapter, traces[:1], 0)  # compiles
        best: dict[int, tuple[float, int]] = {}
        for _ in range(options.rounds):
            for size in sizes:
                best[size] = min(best.get(size, (float("inf"), 0)), cost(adapter, traces, size))
        small = best[0][0] / best[0][1]
        for size in sizes:
            seconds, states = best[size]
            each = seconds / states
            print(
                f"{name}: files of {f'{size:,} bytes' if size else 'their own size'}: {states:,} states,"
                f" {each * 1e6:.1f} microseconds each, {each / small:.2f} times as much"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
