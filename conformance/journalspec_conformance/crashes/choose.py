"""Which crash states an implementation is asked about: of every class the same number, always the same ones.

A class is stratum, category, background, torn field and writer. Ids of cases are
hashes, so that the smallest ids of a class are a sample that anyone repeats.
Nothing is chosen by what a reader says: states that nobody recovers are in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from journalspec_corpus.crash.formats import crash_format
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import STRATA, Trace, get_preset, writer_of
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Shard
from journalspec_corpus.pipeline.store import first_of_each, ids_of


class Class(NamedTuple):
    """What kind of crash a state is. `field` is empty if no record is torn."""

    stratum: str
    category: str
    background: str
    field: str
    writer: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Which states come into question, and how many are wanted (0: all of them).

    Empty `editions`, `writers` or `strata` mean all.
    """

    plan: Plan
    count: int = 5000
    editions: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """One state: who it is, how to make it, and whether it may be refused."""

    case_id: bytes
    kind: Class
    workload: Any
    edition: str
    descriptor: Descriptor
    refusal: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, class by class and by id within a class, and out of how many.

    `distinct` are the states that came into question, `generated` those before
    duplicates were taken out, `classes` how many classes they are in.
    """

    states: tuple[Chosen, ...]
    distinct: int
    generated: int
    classes: int
    traces: int


class Part(NamedTuple):
    """Some of a selection's workloads, by number, in order."""

    selection: Selection
    numbers: range


#: A table with a row per distinct state of a part, how many states there were, and of how many traces.
Survey = tuple[pa.Table, int, int]
Map = Callable[[Callable[[Part], Survey], Iterable[Part]], Iterable[Survey]]


def choose(selection: Selection, mapped: Map = map, parts: int = 1) -> Choice:
    """Return the states that `selection` stands for. Raises UnknownFormat if the format has no traces.

    `mapped` may do the `parts` of the work elsewhere; what is chosen depends on neither.
    """
    workloads = selection.plan.workloads()
    edges = pairwise(len(workloads) * at // parts for at in range(parts + 1))
    surveys = list(mapped(survey, [Part(selection, range(*edge)) for edge in edges]))
    table = pa.concat_tables([found for found, _, _ in surveys])
    # A state that an earlier part has is not the later part's.
    table = table.filter(pa.array(first_of_each(ids_of(table))))
    classes = list(Class._fields)
    kinds = table.select(["case_id", *classes]).cast(
        pa.schema([("case_id", pa.binary()), *((name, pa.string()) for name in classes)])
    )
    order = pc.sort_indices(kinds, [(name, "ascending") for name in (*classes, "case_id")])
    counted = (
        kinds.group_by(classes)
        .aggregate([([], "count_all")])
        .sort_by([(name, "ascending") for name in classes])
    )
    sizes = counted["count_all"].to_pylist()
    taken = _shares(sizes, selection.count)
    starts = np.cumsum([0, *sizes]).tolist()
    rows = [at for start, share in zip(starts, taken, strict=False) for at in range(start, start + share)]
    by_name = {workload.name: workload for workload in workloads}
    return Choice(
        tuple(
            _chosen(row, by_name) for row in table.take(order.take(pa.array(rows, pa.int64()))).to_pylist()
        ),
        len(table),
        sum(generated for _, generated, _ in surveys),
        len(sizes),
        sum(traces for _, _, traces in surveys),
    )


def survey(part: Part) -> Survey:
    """Return what comes into question of one part."""
    plan, strata = part.selection.plan, part.selection.strata or STRATA
    presets = tuple(map(get_preset, plan.presets))
    shard = Shard(crash_format(plan.format), presets, plan.seed, judged=False, strata=strata)
    for trace in _traces(part):
        shard.add(trace)
    return shard.table(), shard.generated, shard.traces


def _traces(part: Part) -> Iterator[Trace]:
    selection = part.selection
    adapter, workloads = crash_format(selection.plan.format), selection.plan.workloads()
    for workload in workloads[part.numbers.start : part.numbers.stop]:
        # A workload that tells its edition or writer need not be built to be passed over.
        origin = getattr(workload, "origin", workload)
        if not _fits(getattr(origin, "edition", None), selection.editions):
            continue
        if not _fits(getattr(origin, "writer", None), selection.writers):
            continue
        trace = adapter.build(workload)
        if _fits(trace.edition, selection.editions) and _fits(writer_of(trace), selection.writers):
            yield trace


def _fits(value: str | None, wanted: tuple[str, ...]) -> bool:
    return not wanted or value is None or value in wanted


def _chosen(row: dict[str, Any], workloads: dict[str, Any]) -> Chosen:
    return Chosen(
        row["case_id"],
        Class(*(row[name] for name in Class._fields)),
        workloads[row["workload"]],
        row["edition"],
        Descriptor(**{member.name: row[member.name] for member in fields(Descriptor)}),
        row["refusal"],
    )


def _shares(sizes: Sequence[int], count: int) -> list[int]:
    """Return how many of each of so many to take: of each as many as of the others while it lasts."""
    shares = [0] * len(sizes)
    left = min(count or sum(sizes), sum(sizes))
    while left:
        open_ones = [at for at, size in enumerate(sizes) if shares[at] < size]
        each = max(1, left // len(open_ones))
        for at in open_ones[:left]:
            given = min(each, sizes[at] - shares[at], left)
            shares[at] += given
            left -= given
    return shares
