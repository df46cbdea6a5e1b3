"""Feed damaged journals to the readers, by the million, and look for three things.

    python tools/fuzz.py --format FORMAT --count 1000000 --seed 1 --jobs 2

A reader must not raise anything but its documented error, must not take longer
than a bound, and must not allocate more than a small multiple of its input.
Readers are the reference (detect, read, recover under every policy) and the
declarative schemas (construct, kaitai); and what the reference finds, the schemas
must read the same.

Every input is a function of format, seed and number: `--only N` repeats one.
A find ends with exit status 1; its files and its number are saved under --out.
Exit status: 0 nothing found; 1 something found; 2 usage.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzzing import (
    AT_LEAST,
    HOSTILE_SIZES,
    Cost,
    Find,
    Readers,
    Tally,
    TooLong,
    found,
    hostile,
    judge,
)

from journalspec.files import replace_bytes, replace_text
from journalspec.formats import UnknownFormat, format_ids
from journalspec_corpus.mutations import Source

#: Nothing answers: the alarm did not reach the code, so the parent ends the worker.
STUCK_AFTER = 60.0
#: One input in so many is run under tracemalloc, which is slow.
MEASURE_EVERY = 100
#: A worker may not grow by more than this; beyond it, MemoryError is a find.
GROWTH = 2 << 30
CHUNK = 500


#: Worker -> when it last moved on, and to which input.
Clocks = dict[int, tuple[float, int]]


def _on_alarm(*_: object) -> None:
    raise TooLong


def _prepare(readers: Readers, source: Source) -> None:
    """Set this process's bounds, once everything that is loaded lazily is loaded."""
    readers.warm_up(source)
    signal.signal(signal.SIGALRM, _on_alarm)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + GROWTH
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def work(options: argparse.Namespace, worker: int, here: Any, results: Any) -> None:
    """Judge every chunk that is this worker's, and put the tally; `here` shows the number in hand."""
    source, readers, tally = Source(options.format, options.seed), Readers(options.format), Tally()
    _prepare(readers, source)
    for start in range(options.first + worker * CHUNK, options.first + options.count, options.jobs * CHUNK):
        for number in range(start, min(start + CHUNK, options.first + options.count)):
            here[worker] = number
            judge(readers, source[number], tally, number % MEASURE_EVERY == 0)
            if len(tally.finds) >= options.finds:
                results.put(tally)
                return
    results.put(tally)


def run_workers(options: argparse.Namespace) -> Tally:
    """Run the jobs, watch that each moves on, and return the sum."""
    context = mp.get_context("fork")
    here = context.Array("q", [-1] * options.jobs)
    results = context.Queue()
    workers = [
        context.Process(target=work, args=(options, number, here, results), daemon=True)
        for number in range(options.jobs)
    ]
    for process in workers:
        process.start()
    total, waiting = Tally(), set(range(options.jobs))
    moved = {number: (time.monotonic(), -1) for number in waiting}
    done = 0
    while done < options.jobs:
        try:
            total.add(results.get(timeout=2))
            done += 1
        except Exception:  # queue.Empty: nothing to add, look at the clocks
            done += _look_after(options, workers, here, moved, total)
        _show_progress(options, here)
    return total


def _look_after(
    options: argparse.Namespace,
    workers: list[Any],
    here: Any,
    moved: dict[int, tuple[float, int]],
    total: Tally,
) -> int:
    """End workers that are stuck or gone; return how many."""
    ended = 0
    for number, (since, last) in list(moved.items()):
        process, now = workers[number], time.monotonic()
        if here[number] != last:
            moved[number] = (now, here[number])
        elif process.exitcode not in (None, 0) or (process.is_alive() and now - since > STUCK_AFTER):
            why = (
                "the process died" if process.exitcode else f"no answer for {STUCK_AFTER} s, beyond the alarm"
            )
            process.kill()
            found(total, Source(options.format, options.seed)[last], "process", why)
            del moved[number]
            ended += 1
    return ended


def _show_progress(options: argparse.Namespace, here: Any) -> None:
    if sys.stderr.isatty():
        share = min(max(0, number - options.first) for number in here) / max(1, options.count)
        sys.stderr.write(f"\r{share:6.1%}")
        sys.stderr.flush()


def save(options: argparse.Namespace, find: Find) -> Path:
    """Write the find's files and what is known about it; return the directory."""
    place: Path = options.out / f"{options.format}-{options.seed}-{find.number}"
    place.mkdir(parents=True, exist_ok=True)
    for name, content in find.files.items():
        replace_bytes(place / name, content)
    said = {"format": options.format, "seed": options.seed, "number": find.number, "edition": find.edition}
    said |= {"kind": find.kind, "where": find.reader, "problem": find.problem}
    replace_text(place / "find.json", json.dumps(said, indent=1) + "\n")
    return place


def report(options: argparse.Namespace, tally: Tally, seconds: float) -> None:
    """Print counts, speed and the worst of everything."""
    print(f"{options.format} seed {options.seed}: inputs {options.first}..{options.first + options.count}")
    print(
        f"{tally.inputs} inputs, {tally.bytes} bytes, {seconds:.0f} s, {tally.inputs / seconds:.0f} a second"
    )
    print("made by: " + ", ".join(f"{kind} {count}" for kind, count in tally.kinds.most_common()))
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"  {count:>9}  {outcome}")
    print(f"worst time {tally.slowest[0] * 1000:.1f} ms (input {tally.slowest[1]})")
    times, peak, number = tally.largest
    print(
        f"worst memory {times:.1f} times the input beyond {AT_LEAST >> 10} KiB"
        f" (input {number}, {peak} bytes; {tally.measured} inputs measured)"
    )


def report_cost(cost: Cost) -> None:
    """Print what the inputs that are made to cost much did cost."""
    sizes = " and ".join(f"{size >> 10}" for size in HOSTILE_SIZES)
    print(f"{cost.who}, inputs of {sizes} KiB that are made to cost much:")
    print(f"  slowest {cost.slowest[0] * 1e6:.2f} s/MB ({cost.slowest[1]})")
    print(f"  largest {cost.largest[0]:.1f} times the input ({cost.largest[1]})", flush=True)


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options; exits with 2 if they make no sense."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog="exit status: 0 nothing found, 1 something found, 2 usage",
    )
    positive = _at_least(1)
    parser.add_argument("--format", required=True, help=f"one of {', '.join(format_ids())}")
    parser.add_argument("--count", type=_at_least(0), default=100_000, help="how many inputs (%(default)s)")
    parser.add_argument("--first", type=_at_least(0), default=0, help="the number of the first input")
    parser.add_argument("--seed", type=int, default=1, help="which million (%(default)s)")
    parser.add_argument("--jobs", type=positive, default=1, help="processes (%(default)s)")
    parser.add_argument("--only", type=_at_least(0), help="run this one input, in this process")
    parser.add_argument("--finds", type=positive, default=20, help="a process stops after so many")
    parser.add_argument("--no-hostile", action="store_true", help="leave out the inputs made to cost much")
    parser.add_argument("--out", type=Path, default=Path("fuzz-finds"), help="where finds go (%(default)s)")
    options = parser.parse_args(arguments)
    if options.only is not None:
        options.first, options.count, options.jobs, options.no_hostile = options.only, 1, 1, True
    try:
        Source(options.format, options.seed)
    except UnknownFormat as error:
        parser.error(str(error))
    return options


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is below {least}")
        return value

    return number


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return the exit status."""
    options = parse_options(arguments)
    costs = [] if options.no_hostile else list(hostile(options.format))
    for cost in costs:
        report_cost(cost)
    start = time.monotonic()
    tally = run_workers(options)
    report(options, tally, time.monotonic() - start)
    problems = [problem for cost in costs for problem in cost.problems]
    for problem in problems:
        print(f"FIND {problem}")
    for find in tally.finds:
        where = f"input {find.number} ({find.kind}) edition {find.edition} {find.reader}"
        print(f"FIND {where}: saved in {save(options, find)}")
        print("  " + find.problem.strip().splitlines()[-1])
    return 1 if problems or tally.finds else 0


if __name__ == "__main__":
    sys.exit(main())
