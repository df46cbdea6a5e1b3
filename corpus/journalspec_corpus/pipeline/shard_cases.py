"""The cases of one shard: its chosen states found again, packed, and written as lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journalspec.files import replace_text
from journalspec.formats import get_format
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.expected import REFUSALS, Expected, ExpectedSets, demand_of, expected_at
from journalspec_corpus.crash.ids import ID_BYTES
from journalspec_corpus.crash.persistence import PRESETS, get_preset
from journalspec_corpus.crash.trace import Trace
from journalspec_corpus.pipeline.cases import digest_of
from journalspec_corpus.pipeline.packing import Packing
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Rows, Tally, judged_rows
from journalspec_corpus.pipeline.store import WORK

#: Names below ``work/``, by shard: the chosen ids, the cases, and what they share.
ID_FILE = "chosen-{:05d}"
LINES, BASE_LINES, GROUP_LINES = "cases-{:05d}.jsonl", "bases-{:05d}.jsonl", "groups-{:05d}.jsonl"


def write_cases(plan: Plan, out: Path, number: int) -> None:
    """Write the lines of the chosen cases of shard `number`."""
    raw = (out / WORK / ID_FILE.format(number)).read_bytes()
    left = {raw[at : at + ID_BYTES] for at in range(0, len(raw), ID_BYTES)}
    adapter = crash_format(plan.format)
    cases: list[str] = []
    bases: list[str] = []
    groups: list[str] = []
    for work in plan.shard_workloads(number):
        if not left:
            break
        found = _Found(plan, adapter, adapter.build(work), left)
        if found.states:
            names = [f"{number}.{len(groups) + at}" for at in range(len(found.groups))]
            cases += map(_line, found.cases(names))
            bases.append(_line(found.base()))
            groups += map(_line, found.shared(names))
    for name, lines in ((LINES, cases), (BASE_LINES, bases), (GROUP_LINES, groups)):
        replace_text(out / WORK / name.format(number), "".join(lines))


def _line(members: Mapping[str, Any]) -> str:
    return json.dumps(members, separators=(",", ":")) + "\n"


class _AllBut(set[bytes]):
    """Passes for the set of all ids but those still wanted; taking one in crosses it off."""

    def __init__(self, wanted: set[bytes]) -> None:
        super().__init__()
        self._wanted = wanted

    def __contains__(self, name: object) -> bool:
        return name not in self._wanted

    def add(self, name: bytes) -> None:
        """Cross `name` off the wanted ones."""
        self._wanted.discard(name)

    def update(self, *names: Iterable[bytes]) -> None:
        """Cross all `names` off the wanted ones."""
        self._wanted.difference_update(*names)


@dataclass(frozen=True)
class _State:
    """One chosen state: its group's number, its place among the group's rows, and its files."""

    group: int
    rows: Rows
    at: int
    files: dict[str, bytes]


class _Found:
    """The chosen states of one trace."""

    def __init__(self, plan: Plan, adapter: CrashFormat, trace: Trace, left: set[bytes]) -> None:
        self._room = adapter
        self._trace = trace
        self._owing = ExpectedSets(adapter.record_json, trace)
        self.states: list[_State] = []
        #: (operation after which the crash came, what is owed)
        self.groups: list[tuple[int, Expected]] = []
        presets = tuple(get_preset(name) for name in plan.presets)
        for rows in judged_rows(trace, adapter, presets, plan.seed, Tally(_AllBut(left))):
            self._take(rows)
        self._packing = Packing(trace.base, (state.files for state in self.states))

    def _take(self, rows: Rows) -> None:
        group = rows.states.point
        expected = expected_at(self._trace, group.crash_index, rows.states.torn, rows.states.stratum)
        if (group.crash_index, expected) not in self.groups:
            self.groups.append((group.crash_index, expected))
        number = self.groups.index((group.crash_index, expected))
        for at in range(len(rows.case_ids)):
            files = group.materialise(rows.states.codes[at])
            self.states.append(_State(number, rows, at, files))

    def cases(self, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the cases, whose groups are called `names`."""
        prefix = get_format(self._trace.format).prefix.lower()
        for state in self.states:
            rows, at = state.rows, state.at
            layout, puts = self._packing.put(state.files)
            out = {
                "id": f"{prefix}.crash.{rows.case_ids[at].hex()}",
                "group": names[state.group],
                "stratum": rows.states.stratum,
                "category": rows.category_names[rows.category[at]],
                "preset": PRESETS[rows.states.preset[at]].name,
            }
            if rows.states.rot:
                out["rot"] = rows.states.rot[at]
            yield {
                **out,
                "layout": layout,
                "put": puts,
                "digest": digest_of(state.files),
                "expect": list(self._expect(rows, at)),
            }

    def _expect(self, rows: Rows, at: int) -> Iterator[list[str]]:
        """Yield policy, refusal and what else is asked, for each policy there is."""
        refusal = REFUSALS[rows.refusal[at]]
        for reader, policy in self._room.policies.items():
            given, demand = demand_of(refusal, rows.states.stratum, salvaging=reader in self._room.salvaging)
            yield [policy, given, *([demand] if demand else [])]

    def base(self) -> dict[str, Any]:
        """Return the line of the trace; after all cases have been put."""
        trace = self._trace
        return {
            "base": trace.id,
            "name": trace.name,
            "edition": trace.edition,
            **self._packing.to_json(),
        }

    def shared(self, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the line of each crash point."""
        trace = self._trace
        for name, (index, expected) in zip(names, self.groups, strict=True):
            yield {"group": name, "base": trace.id, "after": str(index), "sets": self._owing.sets(expected)}
