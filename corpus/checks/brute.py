"""Two oracles, one answer: the engine's crash states held against brute force.

For every trace that is small enough (no crash point with more than MOST
downward-closed sets) this builds all states the slow way
(:mod:`brute_states`), decides what each of them owes from who wrote its bytes
(:mod:`brute_expected`), and compares:

unreachable   a state that the engine yields and that cannot be, by brute force
missing       a state that can be and that the engine does not yield
preset        a state that is put down to another preset than the strongest that reaches it
owed          what must be kept, may be kept or must not reappear differs
refusal       whether a reader may refuse differs

Presets that this does not play (garbage, space of other files, lying devices, corruption) have their
states listed by hand in test_crash_model.py. So have the verdicts that follow from a debt; what may be
decided on has its examples in test_crash_effects.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from brute_expected import Accounts, BruteDebt, Content
from brute_states import BruteState, Machine, brute_prefix, brute_subset
from journalspec_corpus.crash.disk import States
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import CrashFormat
from journalspec_corpus.crash.oracle import REFUSALS, Expected, expected_at
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import (
    PRESETS,
    REACHABLE,
    Ack,
    Preset,
    Release,
    Sync,
    SyncDir,
    Trace,
    Write,
    rank,
)

#: A crash point with more sets than this is not small.
MOST = 4096
SEED = 1
#: The presets that brute force knows how to play; others are not compared.
KNOWN = tuple(
    preset
    for preset in PRESETS
    if preset.stratum == REACHABLE
    and preset.fresh == "zero"
    and preset.metadata != "any"
    and not preset.broken
    and not preset.trash
)
#: This many disagreements are shown.
SHOWN = 20

#: Two states are one case if their bytes and their requirements are the same.
Key = tuple[Content, frozenset[str]]


@dataclass
class OracleReport:
    """What was compared, how often each kind of disagreement was met, and the first ones in words."""

    traces: int = 0
    rows: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)


def points(trace: Trace, *, all_promises: bool) -> list[int]:
    """Return the crash points of subset presets: before each force and acknowledgement, and the end.

    Operations in flight in between are in flight there as well. With `all_promises`,
    also before what releases records: nothing changes on disk, but less is required.
    """
    kinds = (Sync, SyncDir, Ack, Release) if all_promises else (Sync, SyncDir, Ack)
    inner = [index for index, op in enumerate(trace.ops) if isinstance(op, kinds)]
    return [index for index in (*inner, len(trace.ops)) if index >= trace.crash_from]


def is_small(trace: Trace) -> bool:
    """Return whether all downward-closed sets of all crash points can be walked."""
    for granule in sorted({preset.granule for preset in KNOWN if preset.order == "subset"}):
        machine = Machine(trace, granule)
        for point in points(trace, all_promises=False):
            machine.run(point)
            if machine.count(MOST) > MOST:
                return False
    return True


class Comparison:
    """One trace, checked both ways."""

    def __init__(self, trace: Trace, report: OracleReport) -> None:
        self.trace, self.report = trace, report
        self._ledgers: dict[tuple[int, int], Accounts] = {}
        self._states: dict[tuple[str, int], dict[Content, BruteState]] = {}

    def run(self) -> None:
        """Compare states, debts and refusals."""
        self.report.traces += 1
        mine, wanted = self._brute()
        theirs: dict[Key, int] = {}
        for states in crash_states(self.trace, KNOWN, SEED):
            self._group(states, theirs)
        for key in wanted - theirs.keys():
            self._differ("missing", f"{PRESETS[mine[key]].name} owed {sorted(key[1])}", "no state", "a state")
        for key in mine.keys() & theirs.keys():
            if mine[key] != theirs[key]:
                names = (PRESETS[theirs[key]].name, PRESETS[mine[key]].name)
                self._differ("preset", f"owed {sorted(key[1])}", *names)

    def _differ(self, kind: str, where: str, engine: object, brute: object) -> None:
        self.report.kinds[kind] += 1
        if len(self.report.shown) < SHOWN:
            said = f"engine {engine}, brute force {brute}"
            self.report.shown.append(f"{kind}: {self.trace.name} {where}: {said}")

    def _ledger(self, crash: int, torn: int) -> Accounts:
        if (crash, torn) not in self._ledgers:
            self._ledgers[crash, torn] = Accounts(self.trace, crash, torn)
        return self._ledgers[crash, torn]

    def _brute(self) -> tuple[dict[Key, int], set[Key]]:
        """Return all cases with the strongest preset of each, and those that the engine must have."""
        found: dict[Key, int] = {}
        wanted: set[Key] = set()
        for preset in KNOWN:
            for crash in self._crashes(preset):
                ledger = self._ledger(crash, -1)
                owing = ledger.told - ledger.released
                for state in self._walk(preset, crash):
                    self._states.setdefault((preset.name, crash), {}).setdefault(state.content, state)
                    key = state.content, owing
                    found.setdefault(key, rank(preset.name))
                    if preset.granule > 1 or self._is_between_writes(state):
                        wanted.add(key)
        return found, wanted

    def _crashes(self, preset: Preset) -> Iterable[int]:
        if preset.order == "prefix":
            return range(self.trace.crash_from, len(self.trace.ops) + 1)
        return points(self.trace, all_promises=True)

    def _walk(self, preset: Preset, crash: int) -> Iterator[BruteState]:
        if preset.order == "prefix":
            yield from brute_prefix(self.trace, preset, crash)
        else:
            yield from brute_subset(self.trace, preset, crash)

    def _is_between_writes(self, state: BruteState) -> bool:
        """Return whether no write is torn: of the bytes at which one can be, the engine takes some."""
        if state.torn < 0:
            return True
        op = self.trace.ops[state.torn]
        return isinstance(op, Write) and state.kept[0] in (0, len(op.data))

    def _group(self, states: States, theirs: dict[Key, int]) -> None:
        """Compare what one crash point yields."""
        point, torn = states.point, states.torn
        expected = expected_at(self.trace, point.crash_index, torn)
        ledger = self._ledger(point.crash_index, torn)
        refusals = Facts(states).refusals
        known: dict[Content, BruteDebt] = {}
        for row, codes in enumerate(states.codes):
            self.report.rows += 1
            preset = PRESETS[states.preset[row]]
            content: Content = tuple(sorted(point.materialise(codes).items()))
            key = content, frozenset(expected.must_keep)
            first = key not in theirs
            theirs[key] = min(theirs.get(key, len(PRESETS)), rank(preset.name))
            where = f"{preset.name} at {point.crash_index} {codes.tolist()} tear {int(states.tear[row])}"
            state = self._states.get((preset.name, point.crash_index), {}).get(content)
            if state is None:
                self._differ("unreachable", where, "a state", "no state")
                continue
            if content not in known:
                known[content] = ledger.expected(state)
                self._owed(expected, known[content], where)
            mine, refusal = known[content], REFUSALS[refusals[row]]
            self.report.refusals[refusal] += 1
            # The same case once more is not looked at: the corpus keeps the first, and its texts.
            if first and refusal != mine.refusal:
                self._differ("refusal", where, refusal, mine.refusal)

    def _owed(self, expected: Expected, mine: BruteDebt, where: str) -> None:
        for name in ("must_keep", "may_keep", "must_drop", "possible", "record_of"):
            said, think = getattr(expected, name), getattr(mine, name)
            if said != think:
                self._differ("owed", f"{where} {name}", said, think)


def compare(traces: Iterable[Trace]) -> OracleReport:
    """Compare the traces that are small enough."""
    report = OracleReport()
    for trace in filter(is_small, traces):
        Comparison(trace, report).run()
    return report


def some_of(adapter: CrashFormat, scope: str, every: int, start: int = 0) -> Iterator[Trace]:
    """Yield the trace of every `every`-th workload of a scope."""
    yield from map(adapter.build, islice(adapter.workloads(scope), start, None, every))
