"""Which crash states an implementation is asked about: of every class the same number, always the same ones.

A class is stratum, category, background, torn field and writer. Ids of cases are
hashes, so that the smallest ids of a class are a sample that anyone repeats.
Nothing is chosen by what a reader says: states that nobody recovers are in.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.blocks import States
from journalspec_corpus.crash.expected import REFUSALS, expected_at
from journalspec_corpus.crash.facts import Facts, categories, fields
from journalspec_corpus.crash.persistence import get_preset
from journalspec_corpus.crash.states import Descriptor, crash_states
from journalspec_corpus.crash.trace import Trace, writer_of
from journalspec_corpus.crash.verdict import CATEGORIES
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import descriptor_of, ids_of_states

#: Of each class, this fraction of all that is wanted is held at first.
_HELD = 128


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
    #: index of the operation that is cut short, or -1
    torn: int
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


Map = Callable[[Callable[["Part"], "Survey"], Iterable["Part"]], Iterable["Survey"]]


def choose(selection: Selection, mapped: Map = map, parts: int = 1) -> Choice:
    """Return the states that `selection` stands for. Raises UnknownFormat if the format has no traces.

    `mapped` may do the `parts` of the work elsewhere; what is chosen depends on neither.
    """
    total = len(selection.plan.workloads())
    edges = pairwise(total * at // parts for at in range(parts + 1))
    # A fraction of each class is all that is needed as a rule.
    most = selection.count // _HELD + 1 if selection.count else 0
    found = _merged(mapped(survey, [Part(selection, range(*edge), most) for edge in edges]))
    pools = dict(sorted(found.pools.items()))
    shares = _shares([pool.size for pool in pools.values()], selection.count)
    wanted = dict(zip(pools, shares, strict=True))
    lacking = [kind for kind, pool in pools.items() if pool.smallest(wanted[kind]) is None]
    if lacking:
        # Where one part holds what another one has had before: those workloads again, and all of it.
        numbers = sorted(set().union(*(pools[kind].within for kind in lacking)))
        (whole,) = mapped(survey, [Part(selection, numbers, 0)])
        for kind in lacking:
            pools[kind] = whole.pools[kind]
            pools[kind].keep(lambda name, kind=kind: found.ids.get(name) == kind)  # type: ignore[misc]
    taken = [state for kind, pool in pools.items() for state in pool.smallest(wanted[kind]) or ()]
    return Choice(tuple(taken), len(found.ids), found.generated, len(pools), found.traces)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a selection's workloads, by number, in order; of each class `most` states are held (0: all)."""

    selection: Selection
    numbers: Sequence[int]
    most: int


@dataclass
class Survey:
    """What came into question: the smallest ids of each class, all ids with their class, and counts."""

    pools: dict[Class, _Pool] = field(default_factory=dict)
    ids: dict[bytes, Class] = field(default_factory=dict)
    generated: int = 0
    traces: int = 0


def survey(part: Part) -> Survey:
    """Return what is in one part."""
    selection = part.selection
    adapter = crash_format(selection.plan.format)
    out = Survey()
    for number, workload, trace in _traces(part, adapter):
        out.traces += 1
        for states in _states(selection, trace):
            out.generated += len(states)
            for kind in _offer(selection, workload, states, out, part.most):
                out.pools[kind].within.add(number)
    return out


def _merged(surveys: Iterable[Survey]) -> Survey:
    """Return several parts as one: a state that an earlier part has is not the later part's."""
    out = Survey()
    for found in surveys:
        if not out.ids:
            out = found
            continue
        again = found.ids.keys() & out.ids.keys()
        for name, kind in found.ids.items():
            if name not in again:
                out.ids[name] = kind
        for kind, pool in found.pools.items():
            pool.drop(again, sum(found.ids[name] == kind for name in again))
            if kind in out.pools:
                out.pools[kind].join(pool)
            else:
                out.pools[kind] = pool
        out.generated += found.generated
        out.traces += found.traces
    return out


def _traces(part: Part, adapter: CrashFormat) -> Iterator[tuple[int, Any, Trace]]:
    selection = part.selection
    workloads = selection.plan.workloads()
    for number in part.numbers:
        workload = workloads[number]
        # A workload that tells its edition or writer need not be built to be passed over.
        origin = getattr(workload, "origin", workload)
        if not _fits(getattr(origin, "edition", None), selection.editions):
            continue
        if not _fits(getattr(origin, "writer", None), selection.writers):
            continue
        trace = adapter.build(workload)
        if _fits(trace.edition, selection.editions) and _fits(writer_of(trace), selection.writers):
            yield number, workload, trace


def _fits(value: str | None, wanted: tuple[str, ...]) -> bool:
    return not wanted or value is None or value in wanted


def _states(selection: Selection, trace: Trace) -> Iterator[States]:
    presets = tuple(get_preset(name) for name in selection.plan.presets)
    for states in crash_states(trace, presets, selection.plan.seed):
        if len(states) and (not selection.strata or states.stratum in selection.strata):
            yield states


def _offer(selection: Selection, workload: Any, states: States, out: Survey, most: int) -> set[Class]:
    """Put the states whose ids are new into their pools; return the classes that they are of."""
    trace = states.point.trace
    expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
    names = ids_of_states(states, expected)
    rows = [row for row, name in enumerate(names) if name not in out.ids]
    if not rows:
        return set()
    facts = Facts(states)
    category, refusal = categories(facts), facts.refusals
    torn_in, field_names = fields(facts)
    seen: set[Class] = set()
    for row in rows:
        if names[row] in out.ids:
            continue
        field_name = field_names[torn_in[row]]
        kind = Class(
            states.stratum, CATEGORIES[category[row]], trace.background, field_name, writer_of(trace)
        )
        pool = out.pools.get(kind)
        if pool is None:
            pool = out.pools[kind] = _Pool(most)
        seen.add(kind)
        out.ids[names[row]] = kind
        if pool.wants(names[row]):
            descriptor = descriptor_of(states, row, selection.plan.seed)
            refused = REFUSALS[refusal[row]]
            pool.take(Chosen(names[row], kind, workload, trace.edition, descriptor, states.torn, refused))
    return seen


class _Pool:
    """The states of one class with the smallest ids, at most `most` of them (0: all)."""

    def __init__(self, most: int) -> None:
        self._most = most
        #: Negated ids, so that the largest one is on top; they are distinct, and states never compared.
        self._heap: list[tuple[int, Chosen]] = []
        #: How many states there are in the class.
        self.size = 0
        #: Below this id everything is held; 0 means at all ids.
        self._whole_to = 0
        #: The numbers of the workloads that they are of.
        self.within: set[int] = set()

    def wants(self, name: bytes) -> bool:
        """Count a state, and tell whether its id is among the smallest."""
        self.size += 1
        if not self._most or len(self._heap) < self._most:
            return True
        return -int.from_bytes(name, "big") > self._heap[0][0]

    def take(self, found: Chosen) -> None:
        """Take in a state that is wanted."""
        entry = (-int.from_bytes(found.case_id, "big"), found)
        if not self._most or len(self._heap) < self._most:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heapreplace(self._heap, entry)

    def drop(self, names: Collection[bytes], count: int) -> None:
        """Forget the states that are in `names`, `count` of the class."""
        self._settle()
        self.size -= count
        self.keep(lambda name: name not in names)

    def keep(self, wanted: Callable[[bytes], bool]) -> None:
        """Forget the states whose ids are not `wanted`."""
        self._heap = [entry for entry in self._heap if wanted(entry[1].case_id)]

    def join(self, other: _Pool) -> None:
        """Take in what `other`, which has none of these states, holds."""
        self._settle()
        other._settle()
        limits = [limit for limit in (self._whole_to, other._whole_to) if limit]
        self._whole_to = min(limits, default=0)
        self.size += other.size
        self._heap += other._heap
        self.within |= other.within

    def _settle(self) -> None:
        """Remember up to which id everything is held, as long as the heap tells."""
        if self._heap and not self._whole_to and len(self._heap) < self.size:
            self._whole_to = -min(self._heap)[0]

    def smallest(self, count: int) -> list[Chosen] | None:
        """Return the `count` states with the smallest ids, None if not all of those are held."""
        self._settle()
        ordered = sorted(self._heap, key=lambda entry: -entry[0])[:count]
        if len(ordered) < count or (count and self._whole_to and -ordered[-1][0] > self._whole_to):
            return None
        return [found for _, found in ordered]


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
