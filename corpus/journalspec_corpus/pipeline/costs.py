"""What a judged state costs: per way to judge and stratum, with the length of files and traces.

All figures are processor time of this process, and of one run: two ways to judge the same
states are compared with each other, not with figures of another machine. Everything is compiled,
and each way has judged something, before anything is measured.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.persistence import PRESETS, Preset
from journalspec_corpus.crash.reading import SWITCH, forget_answers
from journalspec_corpus.crash.second_crash import SecondLife
from journalspec_corpus.crash.switches import ENGINE_SWITCH
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.crash.workloads import DIGITS, POOL, LongWorkload, LongWorkloads
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Shard

#: Ways to judge -> what the environment says then. The last one is what others are compared with.
WAYS: Mapping[str, Mapping[str, str]] = {
    "compiled": {SWITCH: "1", ENGINE_SWITCH: "1"},
    "fast": {SWITCH: "1", ENGINE_SWITCH: "0"},
    "plain": {SWITCH: "0", ENGINE_SWITCH: "0"},
}
#: The ways that are measured stratum by stratum; how a build judges by itself, :data:`USUAL`.
APART, USUAL = ("compiled", "fast"), "fast"
#: So many shards at least are measured of each stratum: one may be unlike the others.
LEAST = 3
#: The order of a preset's writes -> its stratum, where that is not R.
_STRATA = {"lied": "L", "settled": "C"}
STRATA = ("R", "L", "C")
#: Lengths of a file, in bytes, in which the same is done.
SIZES = (4096, 1 << 20, 1 << 25)
#: How many records are written in a short trace, and in two long ones; and how long their files are.
RECORDS = (2, 8, 32)
_ROOM = 1 << 16
#: Traces that are recorded of each kind of workload, so many neighbours at a time as a build has in a shard.
_RECORDED, _NEIGHBOURS = 256, 64
#: Of so many states that are wanted one is judged each way: the plain one takes long.
_EACH_WAY = 10
_WORD = 32


@dataclass(frozen=True, slots=True)
class StateCost:
    """Distinct states, of how many generated ones and traces, and the processor seconds that they took.

    `recording` are the seconds of playing the workloads, `judging` those of everything
    else up to the finished table. Traces without any state of the stratum are left out.
    """

    distinct: int
    generated: int
    traces: int
    recording: float
    judging: float

    def to_json(self) -> dict[str, Any]:
        """Return the figures, and what follows from them; None where nothing was judged."""
        each = self.judging / self.distinct if self.distinct else None
        return {
            **asdict(self),
            "distinct_per_cpu_second": None if each is None else round(1 / max(each, 1e-9)),
            "microseconds_per_state": None if each is None else round(each * 1e6, 2),
            "milliseconds_per_trace": round(1e3 * self.recording / self.traces, 3) if self.traces else None,
            "judging_milliseconds_per_trace": (
                round(1e3 * self.judging / self.traces, 3) if self.traces else None
            ),
        }


def presets_of(stratum: str) -> tuple[Preset, ...]:
    """Return the presets whose states are of a stratum."""
    return tuple(preset for preset in PRESETS if _STRATA.get(preset.order, "R") == stratum)


@contextmanager
def judging(way: str) -> Iterator[None]:
    """Have states judged this way (one of WAYS)."""
    before = {name: os.environ.get(name) for name in WAYS[way]}
    os.environ.update(WAYS[way])
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def cost_of(
    adapter: CrashFormat,
    shards: Iterable[Sequence[Any]],
    presets: tuple[Preset, ...],
    limit: int = 0,
    least: int = 1,
) -> tuple[StateCost, str]:
    """Judge whole shards of workloads, `least` at least, until there are `limit` states (0: all).

    Returns the cost, and a digest of the tables. No answer of before is remembered.
    """
    forget_answers()
    distinct = generated = traces = 0
    recording = judged = 0.0
    digest = hashlib.blake2b(digest_size=16)
    for number, works in enumerate(shards, start=1):
        shard = Shard(adapter, presets, 1)
        for work in works:
            began = time.process_time()
            trace = adapter.build(work)
            built = time.process_time()
            before = shard.tally.generated
            shard.add(trace)
            if shard.tally.generated == before:
                continue  # presets with a share are not for this trace
            traces += 1
            recording += built - began
            judged += time.process_time() - built
        began = time.process_time()
        table = shard.table()
        judged += time.process_time() - began
        digest.update(_bytes_of(table))
        distinct += len(table)
        generated += shard.tally.generated
        if limit and distinct >= limit and number >= least:
            break
    return StateCost(distinct, generated, traces, recording, judged), digest.hexdigest()


def _bytes_of(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return memoryview(sink.getvalue())


def peak_memory() -> int | None:
    """Return the most bytes that this process has held so far; None where the system does not say."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415  # not everywhere

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most) if sys.platform == "darwin" else int(most) << 10


def whole_shards(plan: Plan) -> Iterator[tuple[Any, ...]]:
    """Yield the shards of a tier: the one in the middle, then from all over it, ever more densely.

    Whole ones, whatever `plan.every` says: workloads that go on from one first life lie side by side,
    and what is done once for them is a good part of what they cost.
    """
    whole = Plan(plan.format, plan.tier)
    total = whole.shards()
    places = (int(f"{step:0{_WORD}b}"[::-1], 2) * total >> _WORD for step in range(1, 2 * total))
    for number in dict.fromkeys(places):
        yield whole.shard_workloads(number)


def measured(plan: Plan, states: int) -> dict[str, Any]:
    """Return all figures of a format, about `states` of each stratum of the plan's tier.

    Raises ArithmeticError if two ways did not come to the same tables.
    """
    adapter = crash_format(plan.format)
    found: dict[str, Any] = {"format": plan.format, "plan": Plan(plan.format, plan.tier).to_json()}
    few = [works[:1] for works in islice(whole_shards(plan), 2)]
    # Code is compiled when it is first used, or read if that was done before.
    found["first_use_seconds"] = {}
    for way in WAYS:
        began = time.process_time()
        with judging(way):
            cost_of(adapter, few, PRESETS)
        found["first_use_seconds"][way] = round(time.process_time() - began, 2)
    found["apart"] = {way: {} for way in APART if way in WAYS}
    for stratum in STRATA:
        presets, digests = presets_of(stratum), set()
        for way, costs in found["apart"].items():
            with judging(way):
                cost, digest = cost_of(adapter, whole_shards(plan), presets, states, LEAST)
            costs[stratum] = cost.to_json()
            digests.add(digest)
        if len(digests) > 1:
            raise ArithmeticError(f"{adapter.format}: {', '.join(APART)} do not come to the same tables")
    found["strata"] = found["apart"][USUAL]
    found["peak_memory"] = peak_memory()
    with judging(USUAL):
        found["recording"] = recording(adapter, Plan(plan.format, plan.tier).workloads())
        found["growth"] = growth(adapter)
    shards = list(islice(whole_shards(plan), LEAST))
    found["ways"] = _compared(adapter, shards, max(1, states // _EACH_WAY))
    found["peak_memory_with_large_files"] = peak_memory()
    return found


def recording(adapter: CrashFormat, works: Sequence[Any]) -> dict[str, Any]:
    """Return what it takes to record the trace of a workload and to name it, by kind of workload.

    Neighbours are recorded together, evenly spread over all of `works`; a kind of which there are none is
    left out. Second lives pay for the choice of the first crashes that they begin with.
    """
    kinds: dict[str, list[Any]] = {"first": [], "long": [], "second": []}
    for work in works:
        later = isinstance(work, SecondLife)
        kinds["second" if later else "long" if isinstance(work, LongWorkload) else "first"].append(work)
    found = {}
    for kind, mine in kinds.items():
        if not mine:
            continue
        runs = max(1, min(_RECORDED, len(mine)) // _NEIGHBOURS)
        starts = [number * (len(mine) // runs) for number in range(runs)]
        adapter.build(mine[0])
        count, began = 0, time.process_time()
        for start in starts:
            for work in mine[start : start + _NEIGHBOURS]:
                count += bool(adapter.build(work).id)
        took = time.process_time() - began
        found[kind] = {"traces": count, "milliseconds_per_trace": round(1e3 * took / count, 3)}
    return found


def _compared(adapter: CrashFormat, shards: Sequence[Sequence[Any]], states: int) -> dict[str, Any]:
    """Return what the same states of stratum R cost each way, and how many times as much the plain way is."""
    costs: dict[str, StateCost] = {}
    digests = set()
    for way in WAYS:
        with judging(way):
            costs[way], digest = cost_of(adapter, shards, presets_of("R"), states)
        digests.add(digest)
    if len(digests) > 1:
        raise ArithmeticError(f"{adapter.format}: {', '.join(WAYS)} do not come to the same tables")
    plain = costs[list(WAYS)[-1]].judging
    return {
        way: {**cost.to_json(), "times_as_fast": round(plain / max(cost.judging, 1e-9), 2)}
        for way, cost in costs.items()
    }


def growth(adapter: CrashFormat) -> dict[str, Any]:
    """Return what states of stratum R cost in longer files, and in longer traces.

    Empty if the format has no long workloads.
    """
    long = adapter.long
    if long is None:
        return {}
    words = drawn(long, RECORDS[-1])
    variant = long.table["variants"][0]
    points = {
        "file_bytes": [(size, LongWorkload(variant, size, words[RECORDS[1]])) for size in SIZES],
        "records": [(count, LongWorkload(variant, _ROOM, words[count])) for count in RECORDS],
    }
    found: dict[str, Any] = {}
    for kind, row in points.items():
        found[kind] = [_grown(adapter, kind, value, work) for value, work in row]
    return found


def _grown(adapter: CrashFormat, kind: str, value: int, work: LongWorkload) -> dict[str, Any]:
    cost, _ = cost_of(adapter, [(work,)], presets_of("R"))
    trace: Trace = adapter.build(work)
    return {kind: value, "operations": len(trace.ops), **cost.to_json(), "peak_memory": peak_memory()}


def drawn(long: LongWorkloads, most: int) -> dict[int, str]:
    """Return number of records -> words that write so many; fewer words are the beginning of more.

    Drawn like long workloads, always alike: records of the least size, each forced. Nothing else is
    said, so that the same is done in files of any length.
    """
    choose, table = random.Random(1), long.table
    variant, plain = table["variants"][0], table["plain"]
    forces = [word for word, operations in plain.items() if operations == ["force"]][:1]
    kept = long.model.begin({})
    words: list[str] = []
    out: dict[int, str] = {}
    for count in range(most):
        pools = {**long.pools(kept, DIGITS[count], variant), "size": table["sizes"][:1]}
        possible = [
            pattern
            for pattern in table["patterns"]
            if any(name in pattern for name in table["naming"])
            and all(pools[name] for name in POOL.findall(pattern))
        ]
        pattern = choose.choice(possible)
        said = POOL.sub(lambda name, pools=pools: choose.choice(list(pools[name[1]])), pattern)  # type: ignore[misc]
        for word in [*said.split(), *forces]:
            words.append(word)
            op = {"op": plain[word][-1]} if word in plain else long.meaning(word)
            kept = long.model.after(kept, op, variant)
        out[count + 1] = " ".join(words)
    return out


def described(figures: Mapping[str, Any]) -> str:
    """Return the figures of :func:`measured` as text, one per line."""
    lines = [f"{figures['format']}, {figures['plan']['tier']} tier: processor time of one process"]
    lines += [f"  first used {way}: {spent} s" for way, spent in figures["first_use_seconds"].items()]
    lines += [
        f"  stratum {name}, {way}: {_said(cost)}"
        for name in STRATA
        for way, costs in figures["apart"].items()
        for cost in [costs[name]]
    ]
    lines += [
        f"  recording {kind} lives: {cost['milliseconds_per_trace']} ms each ({cost['traces']} traces)"
        for kind, cost in figures["recording"].items()
    ]
    for kind, label in (("file_bytes", "files of {:,} bytes"), ("records", "{:,} records written")):
        row = figures["growth"].get(kind, [])
        lines += [
            f"  {label.format(cost[kind])} ({cost['operations']} operations): {_said(cost)}"
            f" = {_times(cost, row[0])} x the first"
            for cost in row
        ]
    lines += [
        f"  judged the {way} way (stratum R): {_said(cost)} = {cost['times_as_fast']} x as fast as the last"
        for way, cost in figures["ways"].items()
    ]
    names = ("peak_memory", "peak_memory_with_large_files")
    most = [figures[name] for name in names]
    if None not in most:
        lines.append(f"  peak memory {most[0] >> 20} MiB; with the largest files {most[1] >> 20} MiB")
    return "\n".join(lines)


def _said(cost: Mapping[str, Any]) -> str:
    if not cost["distinct"]:
        return f"no states from {cost['traces']} traces"
    return (
        f"{cost['distinct_per_cpu_second']:,} distinct states/s, {cost['microseconds_per_state']} us each"
        f" ({cost['distinct']:,} of {cost['generated']:,} generated, {cost['traces']} traces,"
        f" {cost['milliseconds_per_trace']} ms to record and"
        f" {cost['judging_milliseconds_per_trace']} ms to judge each)"
    )


def _times(cost: Mapping[str, Any], first: Mapping[str, Any]) -> float:
    return round(float(cost["microseconds_per_state"]) / float(first["microseconds_per_state"]), 2)
