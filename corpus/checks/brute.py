"""Compares the engine's crash states with those of a brute-force oracle.

A trace is small enough if no crash point has more than MOST downward-closed sets. For every such trace this
builds all states by brute force (:mod:`brute_states`), and derives the required outcome of each state from
the origin of its bytes (:mod:`brute_expected`). It reports these differences:

unreachable   the engine yields a state that brute force does not reach
missing       brute force reaches a state that the engine does not yield
extra         a write is torn at a byte at which the page on the crash model does not tear it
preset        the engine does not attribute a state to the strongest preset that reaches it
required      the records that must be kept, may be kept or must not reappear differ
refusal       only one of the two permits that a reader refuses
verdict       the verdicts on one of the format's readers differ, either on the records that it lists or on
              their effects (:mod:`brute_effects`; any verdict on the effects of a wrong state is accepted)

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from brute_effects import BrutePermitted, TooMany, issued
from brute_expected import Accounts, BruteExpected, Content, Past, other_expected, other_verdict, verdict
from brute_states import BruteState, Machine, brute_prefix, brute_subset, choices, cuts
from journalspec_corpus.crash.disk import TRASHED, States
from journalspec_corpus.crash.facts import Facts
from journalspec_corpus.crash.formats import CrashFormat, StateReader, answers
from journalspec_corpus.crash.oracle import ORDER, REFUSALS, expected_at
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
from journalspec_corpus.crash.verdict import Answer, judge

#: A trace is not small if it has a crash point with more sets than this.
MOST = 4096
SEED = 1
#: The presets that brute force can enumerate; others are not compared.
KNOWN = tuple(
    preset
    for preset in PRESETS
    if preset.stratum == REACHABLE
    and preset.fresh == "zero"
    and preset.metadata != "any"
    and not preset.broken
)
#: Presets of the other classes: their states are checked, not enumerated.
OTHERS = tuple(preset for preset in PRESETS if preset.stratum != REACHABLE)
#: At most this many differences of a kind are shown.
SHOWN = 5

#: Two states are one case if their bytes and their requirements are equal.
Key = tuple[Content, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: its kind, the trace and state in which it occurs, and the results of both oracles."""

    kind: str
    trace: str
    where: str
    engine: str
    brute: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.trace} {self.where}: engine {self.engine}, brute force {self.brute}"


@dataclass
class OracleReport:
    """The result of a comparison: the number of compared values, and the differences."""

    traces: int = 0
    rows: int = 0
    others: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    shown: list[Difference] = field(default_factory=list)

    def differ(self, found: Difference) -> None:
        """Record a difference."""
        self.kinds[found.kind] += 1
        if self.kinds[found.kind] <= SHOWN:
            self.shown.append(found)

    def lines(self) -> Iterator[str]:
        """Yield the report as text."""
        yield f"disagreements {self.kinds.total()}" + "".join(
            f", {name} {count}" for name, count in self.kinds.items()
        )
        yield from (f"  {found}" for found in self.shown)


def points(trace: Trace, *, all_promises: bool) -> list[int]:
    """Return the crash points of subset presets: before each fsync and acknowledgement, and the end.

    Writes in flight at a point between two of these points are also in flight at the later point. With
    `all_promises`, the points before deletions are included. Deletions change nothing on disk, but afterwards
    fewer records are required.
    """
    kinds = (Sync, SyncDir, Ack, Release) if all_promises else (Sync, SyncDir, Ack)
    inner = [index for index, op in enumerate(trace.ops) if isinstance(op, kinds)]
    return [index for index in (*inner, len(trace.ops)) if index >= trace.crash_from]


def is_small(trace: Trace, most: int = MOST) -> bool:
    """Return whether no crash point has too many downward-closed sets to enumerate."""
    for granule in sorted({preset.granule for preset in KNOWN if preset.order == "subset"}):
        machine = Machine(trace, granule)
        for point in points(trace, all_promises=False):
            machine.run(point)
            if machine.count(most) > most:
                return False
    return True


class Comparison:
    """One trace, checked by both oracles."""

    def __init__(
        self, adapter: CrashFormat, trace: Trace, presets: Sequence[Preset], report: OracleReport
    ) -> None:
        self.adapter = adapter
        self._permitted: dict[tuple[int, int, bool, bool], BrutePermitted | None] = {}
        self.trace = trace
        self.presets = tuple(presets)
        self.report = report
        self.points = list(crash_states(trace, self.presets, SEED))
        self._ledgers: dict[tuple[int, int], Accounts] = {}
        self._states: dict[tuple[str, int], dict[Content, BruteState]] = {}
        self._torn_at: dict[int, frozenset[int]] = {}
        self._noise = self._garbage()

    def _explained(self, answer: Answer, crash: int, torn: int, *, lost: bool, loose: bool) -> bool:
        """Return whether some permitted set of operations leads to the state in `answer`."""
        place, semantics = (crash, torn, lost, loose), self.adapter.semantics
        if semantics is None or answer.state is None:
            return True
        if place not in self._permitted:
            ops = issued(semantics, self.trace, crash, torn)
            try:
                self._permitted[place] = BrutePermitted(semantics, self.trace, ops, lost, loose)
            except TooMany:
                self._permitted[place] = None
        permitted = self._permitted[place]
        return permitted is None or permitted.explains(answer.state, answer.keys, answer.aside)

    def _compared(self, where: str, said: str, think: str, *, explained: bool) -> None:
        """Compare the verdicts: a fault of records comes first, then a fault of effects."""
        fitting = ORDER if think == "pass" and not explained else (think,)
        self.report.verdicts[said if said in fitting else "/".join(fitting)] += 1
        if said not in fitting:
            self._differ("verdict", where, said, "/".join(fitting))

    def run(self) -> None:
        """Compare states, required outcomes and verdicts."""
        self.report.traces += 1
        mine, wanted = self._brute()
        theirs: dict[Key, int] = {}
        for states in self.points:
            self._group(states, theirs)
        self._others()
        for key in wanted - theirs.keys():
            self._differ(
                "missing", f"{PRESETS[mine[key]].name} required {sorted(key[1])}", "no state", "a state"
            )
        for key in mine.keys() & theirs.keys():
            if mine[key] != theirs[key]:
                names = (PRESETS[theirs[key]].name, PRESETS[mine[key]].name)
                self._differ("preset", f"owed {sorted(key[1])}", *names)

    def _differ(self, kind: str, where: str, engine: object, brute: object) -> None:
        self.report.differ(Difference(kind, self.trace.name, where, str(engine), str(brute)))

    def _garbage(self) -> dict[tuple[int, int, int], bytes]:
        """Return the garbage bytes of the engine: all values are permitted, so this check uses the same."""
        found = {}
        for states in self.points:
            point = states.point
            for block in point.blocks:
                if TRASHED in block.levels:
                    garbage = block.versions[block.levels.index(TRASHED)]
                    found[point.crash_index, block.file, block.index] = garbage
        return found

    def _ledger(self, crash: int, torn: int) -> Accounts:
        if (crash, torn) not in self._ledgers:
            self._ledgers[crash, torn] = Accounts(self.trace, crash, torn)
        return self._ledgers[crash, torn]

    def _brute(self) -> tuple[dict[Key, int], set[Key]]:
        """Return all cases, each with its strongest preset, and the cases that the engine must yield."""
        found: dict[Key, int] = {}
        wanted: set[Key] = set()
        for preset in self.presets:
            for crash in self._crashes(preset):
                ledger = self._ledger(crash, -1)
                owing = ledger.told - ledger.released
                for state, needed in self._walk(preset, crash):
                    self._states.setdefault((preset.name, crash), {}).setdefault(state.content, state)
                    key = state.content, owing
                    found.setdefault(key, rank(preset.name))
                    if needed:
                        wanted.add(key)
        return found, wanted

    def _crashes(self, preset: Preset) -> Iterable[int]:
        if preset.order == "prefix":
            return range(self.trace.crash_from, len(self.trace.ops) + 1)
        return points(self.trace, all_promises=True)

    def _walk(self, preset: Preset, crash: int) -> Iterator[tuple[BruteState, bool]]:
        """Yield each state, and whether an enumeration with samples must contain it."""
        if preset.order == "prefix":
            for state in brute_prefix(self.trace, preset, crash):
                yield state, preset.granule > 1 or self._worth(state)
            return
        machine = Machine(self.trace, preset.granule)
        machine.run(crash)
        noise = self._noise
        for state in brute_subset(
            self.trace, preset, crash, lambda *place: noise.get(place, b"?" * preset.granule)
        ):
            yield state, state.trash is None or self._few(machine, state)

    def _worth(self, state: BruteState) -> bool:
        """Return whether a torn write, if there is one, is cut at a byte that is always checked."""
        if state.torn < 0:
            return True
        (length,) = state.kept
        return length in self._cuts(state.torn)

    def _cuts(self, index: int) -> frozenset[int]:
        """Return the numbers of bytes after which write `index` is torn."""
        if index not in self._torn_at:
            machine = Machine(self.trace, 1 << 40)
            machine.run(index)
            files = dict(machine.memory().content)
            reach = self.adapter.reach
            ends = reach(files) if reach else {name: len(data) for name, data in files.items()}
            self._torn_at[index] = cuts(self.trace, index, files, ends)
        return self._torn_at[index]

    @staticmethod
    def _few(machine: Machine, state: BruteState) -> bool:
        """Return whether everything or nothing arrived, apart from garbage and at most one exception."""
        loose = [target for target in choices(machine, ()) if target != state.trash]
        full = choices(machine, range(len(machine.micros)))
        kept = choices(machine, state.kept)
        lost = sum(kept[target] != full[target] for target in loose)
        there = sum(kept[target] != 0 for target in loose)
        return min(lost, there) <= 1

    def _group(self, states: States, theirs: dict[Key, int]) -> None:
        """Compare the engine's states of one crash point."""
        point, torn = states.point, states.torn
        expected = expected_at(self.trace, point.crash_index, torn)
        ledger = self._ledger(point.crash_index, torn)
        facts = Facts(states)
        refusals = facts.refusals
        found, which = answers(facts.contents, self.adapter.read)
        known: dict[Content, BruteExpected] = {}
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
            tear = int(states.tear[row])
            if torn >= 0 and isinstance(self.trace.ops[torn], Write) and tear not in self._cuts(torn):
                # A boundary of a granule is always among the cuts.
                self._differ("extra", where, "a state", "no cut there")
            if content not in known:
                known[content] = ledger.expected(state)
                self._required(expected, known[content], where)
            mine = known[content]
            refusal = REFUSALS[refusals[row]]
            if not first:
                # This case is a repetition. The corpus contains the first one, with its texts.
                continue
            if refusal != mine.refusal:
                self._differ("refusal", where, refusal, mine.refusal)
            for reader, answer in zip(self.adapter.readers, found[which[row]], strict=True):
                salvaging = reader in self.adapter.salvaging
                said = judge(answer, expected, refusal, holes_allowed=salvaging)
                think = verdict(answer, mine, salvaging=salvaging)
                explained = self._explained(answer, point.crash_index, torn, lost=False, loose=salvaging)
                self._compared(f"{where} {reader}", said, think, explained=explained)

    def _others(self) -> None:
        """Compare the states of the other classes that the engine yields for this trace."""
        pasts: dict[int, Past] = {}
        for states in crash_states(self.trace, OTHERS, SEED):
            point = states.point
            past = pasts.setdefault(point.crash_index, Past(self.trace, point.crash_index))
            expected = expected_at(self.trace, point.crash_index, states.torn, states.stratum)
            facts = Facts(states)
            refusals = facts.refusals
            found, which = answers(facts.contents, self.adapter.read)
            for row, codes in enumerate(states.codes):
                self.report.others += 1
                preset = PRESETS[states.preset[row]].name
                label = states.rot[row] if states.rot else ""
                where = f"{preset} at {point.crash_index} {codes.tolist()} {label}"
                ledger = self._ledger(point.crash_index, -1)
                mine = other_expected(ledger, past, point.materialise(codes), preset, label)
                if mine is None:
                    self._differ("unreachable", where, "a state", "no state")
                    continue
                if REFUSALS[refusals[row]] != mine.refusal:
                    self._differ("refusal", where, REFUSALS[refusals[row]], mine.refusal)
                for reader, answer in zip(self.adapter.readers, found[which[row]], strict=True):
                    salvaging = reader in self.adapter.salvaging
                    said = judge(answer, expected, REFUSALS[refusals[row]], holes_allowed=salvaging)
                    think = other_verdict(answer, mine, states.stratum, salvaging=salvaging)
                    explained = self._explained(answer, point.crash_index, -1, lost=True, loose=salvaging)
                    self._compared(f"{where} {reader}", said, think, explained=explained)

    def _required(self, expected: object, mine: BruteExpected, where: str) -> None:
        for name in ("must_keep", "may_keep", "must_drop", "possible"):
            said, think = getattr(expected, name), getattr(mine, name)
            if said != think:
                self._differ("required", f"{where} {name}", sorted(said - think), sorted(think - said))
        said, think = getattr(expected, "record_of"), mine.names  # noqa: B009
        if dict(said) != dict(think):
            more = {key for key in think if key not in said}
            self._differ("required", f"{where} keys", sorted(said.keys() - think.keys()), sorted(more))


def compare(adapter: CrashFormat, scope: str, every: int = 1, start: int = 0) -> OracleReport:
    """Compare every `every`-th workload of a scope."""
    report = OracleReport()
    for work in islice(adapter.workloads(scope), start, None, every):
        trace = adapter.build(work)
        if is_small(trace):
            Comparison(adapter, trace, KNOWN, report).run()
    return report


def compare_trace(trace: Trace, reader: Callable[[Mapping[str, bytes]], Answer]) -> OracleReport:
    """Compare one trace of any format. Only `reader` reads it, and this reader may omit records."""
    unused: Any = None

    class Reads:
        def recover(self, files: Mapping[str, bytes], **_: str) -> Answer:
            return reader(files)

    adapter = CrashFormat(
        format=trace.format,
        first_lives=unused,
        record=unused,
        state_readers=(StateReader("strict", salvaging=True),),
        obeys={},
        implementation=Reads,
        answer=lambda said: said,
        record_json=unused,
    )
    report = OracleReport()
    Comparison(adapter, trace, KNOWN, report).run()
    return report
