"""Which crash states an implementation is asked about: of every class the same number, always the same ones.

A class is stratum, category, background, torn field and writer. Ids of cases are
hashes, so that the smallest ids of a class are a sample that anyone repeats.
Nothing is chosen by what a reader says: states that nobody recovers are in.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from journalspec_corpus.crash.classes import CATEGORIES, categories, fields
from journalspec_corpus.crash.digest import promise
from journalspec_corpus.crash.enumerate import States, crash_states
from journalspec_corpus.crash.model import PRESETS, get_preset
from journalspec_corpus.crash.oracle import REFUSALS, Facts, Owed, owed
from journalspec_corpus.crash.room import CrashRoom, crash_room
from journalspec_corpus.crash.states import Descriptor
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.pipeline.ids import case_ids, content_ids
from journalspec_corpus.pipeline.plan import Plan


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
    """One state: who it is, how to make it, and what its group owes."""

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


def choose(selection: Selection) -> Choice:
    """Return the states that `selection` stands for. Raises UnknownFormat if the format has no traces."""
    room = crash_room(selection.plan.format)
    seen: set[bytes] = set()
    pools: dict[Class, _Pool] = {}
    generated = traces = 0
    for workload, trace in _traces(selection, room):
        traces += 1
        for states in _states(selection, trace):
            generated += len(states)
            for found in _new(selection, workload, states, seen):
                pools.setdefault(found.kind, _Pool(selection.count)).offer(found)
    taken = _level([pools[kind] for kind in sorted(pools)], selection.count)
    return Choice(tuple(taken), len(seen), generated, len(pools), traces)


def _traces(selection: Selection, room: CrashRoom) -> Iterator[tuple[Any, Trace]]:
    for workload in selection.plan.workloads():
        # A workload that tells its edition need not be built to be passed over.
        edition = getattr(workload, "edition", None)
        if selection.editions and edition is not None and edition not in selection.editions:
            continue
        trace = room.build(workload)
        if selection.editions and trace.edition not in selection.editions:
            continue
        if selection.writers and trace.tags.get("order", "") not in selection.writers:
            continue
        yield workload, trace


def _states(selection: Selection, trace: Trace) -> Iterator[States]:
    presets = tuple(get_preset(name) for name in selection.plan.presets)
    for states in crash_states(trace, presets, selection.plan.seed):
        if len(states) and (not selection.strata or states.stratum in selection.strata):
            yield states


def promised(trace: Trace, debt: Owed) -> bytes:
    """Return what the ids of all cases of one crash point have in common."""
    keys = [key for key, record in debt.record_of.items() if record in debt.must_keep]
    return promise(trace.format, trace.edition, debt.stratum, keys)


def _new(selection: Selection, workload: Any, states: States, seen: set[bytes]) -> Iterator[Chosen]:
    """Yield the states whose ids are not in `seen`, and put them there."""
    trace = states.group.trace
    debt = owed(trace, states.group.crash_index, states.torn, states.stratum)
    names = case_ids(content_ids(states.group, states.codes), promised(trace, debt))
    rows = []
    for row, name in enumerate(names):
        if name not in seen:
            seen.add(name)
            rows.append(row)
    if not rows:
        return
    facts = Facts(states)
    kind, refusal = categories(facts), facts.refusals
    field, field_names = fields(facts)
    for row in rows:
        yield Chosen(
            names[row],
            Class(
                states.stratum,
                CATEGORIES[kind[row]],
                trace.background,
                field_names[field[row]],
                trace.tags.get("order", ""),
            ),
            workload,
            trace.edition,
            descriptor_of(states, row, selection.plan.seed),
            states.torn,
            REFUSALS[refusal[row]],
        )


def descriptor_of(states: States, row: int, seed: int) -> Descriptor:
    """Return the descriptor of one row."""
    rot = states.rot[row] if states.rot else ""
    subset = states.torn < 0 and not rot
    return Descriptor(
        states.group.trace.id,
        PRESETS[states.preset[row]].name,
        states.group.crash_index,
        bytes(states.codes[row].tolist()) if subset else b"",
        int(states.tear[row]),
        states.group.trace.background,
        seed,
        rot,
    )


class _Pool:
    """The states of one class with the smallest ids, at most `most` of them (0: all)."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heap: list[tuple[int, Chosen]] = []

    def offer(self, found: Chosen) -> None:
        """Take `found` in if it is among the smallest."""
        # Ids are distinct, so that two states are never compared.
        entry = (-int.from_bytes(found.case_id, "big"), found)
        if not self._most or len(self._heap) < self._most:
            heapq.heappush(self._heap, entry)
        elif entry[0] > self._heap[0][0]:
            heapq.heapreplace(self._heap, entry)

    def ordered(self) -> list[Chosen]:
        """Return what is held, smallest id first."""
        return [found for _, found in sorted(self._heap, key=lambda entry: -entry[0])]


def _level(pools: list[_Pool], count: int) -> list[Chosen]:
    """Return `count` states, from each pool as many as from the others while it lasts, pool by pool."""
    held = [pool.ordered() for pool in pools]
    if not count:
        return [found for states in held for found in states]
    shares = [0] * len(held)
    left = min(count, sum(map(len, held)))
    while left:
        open_ones = [at for at, states in enumerate(held) if shares[at] < len(states)]
        each = max(1, left // len(open_ones))
        for at in open_ones[:left]:
            given = min(each, len(held[at]) - shares[at], left)
            shares[at] += given
            left -= given
    return [found for at, states in enumerate(held) for found in states[: shares[at]]]
