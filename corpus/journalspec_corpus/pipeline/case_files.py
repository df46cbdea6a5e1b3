"""The cases of one shard: its chosen states found again, packed as pieces, and written as lines.

The states of a trace are put together from few pages in many combinations. A
*piece* is a run of bytes at a place of a file; a page is the base's with some
pieces laid over, in order. Of a piece that a crash cut short, only the length
that arrived is told. Where a page differs from another one of the same place in
a few bytes (one flipped bit), those are a piece of their own on top.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from journalspec.files import replace_bytes, replace_text
from journalspec.formats import get_format
from journalspec_corpus.crash.adapter import CrashFormat, crash_format
from journalspec_corpus.crash.expected import REFUSALS, Expected, ExpectedSets, demand_of, expected_at
from journalspec_corpus.crash.pages import ID_BYTES, PAGE
from journalspec_corpus.crash.persistence import PRESETS, get_preset
from journalspec_corpus.crash.states import crash_states
from journalspec_corpus.crash.trace import Trace, Workload
from journalspec_corpus.pipeline.cases import digest_of
from journalspec_corpus.pipeline.plan import Plan
from journalspec_corpus.pipeline.run import Rows, SeenIds, judged_rows, published_ids, state_ids
from journalspec_corpus.pipeline.store import WORK, BuildError, part_file, state_ids_of

Files: TypeAlias = Mapping[str, bytes]
#: A piece by its number, or [number, how many of its bytes].
Put: TypeAlias = int | list[int]
#: (file, offset, length): pages of one place and length have one base.
_Place: TypeAlias = tuple[str, int, int]
#: What a piece costs beside its bytes, and how many earlier pages are tried before one is written out.
_OVERHEAD, _TRIED = 12, 6


class Packing:
    """The pieces that `inputs`, all of one trace with the files `base`, consist of."""

    def __init__(self, base: Files, inputs: Iterable[Files]) -> None:
        self._base = base
        self._layouts: list[list[list[str]]] = []
        self._pieces: dict[tuple[str, int, bytes], int] = {}
        pages: dict[_Place, dict[bytes, None]] = {}
        for files in inputs:
            for place, page, _ in self._changed(files):
                pages.setdefault(place, {})[page] = None
        self._steps = {place: self._resolved(place, list(found)) for place, found in pages.items()}

    def put(self, files: Files) -> tuple[int, list[Put]]:
        """Return the number of the layout of `files`, and what to lay over the base, in order."""
        layout = [[name, str(len(files[name]))] for name in sorted(files)]
        if layout not in self._layouts:
            self._layouts.append(layout)
        puts = [put for place, page, _ in self._changed(files) for put in self._steps[place][page]]
        return self._layouts.index(layout), puts

    def to_json(self) -> dict[str, Any]:
        """Return base, layouts and pieces as members of a line, once everything has been put."""
        return {
            "files": {name: content.hex() for name, content in sorted(self._base.items())},
            "layouts": self._layouts,
            "pieces": [[name, str(off), data.hex()] for name, off, data in self._pieces],
        }

    def _changed(self, files: Files) -> Iterator[tuple[_Place, bytes, bytes]]:
        """Yield place, content and base of each page that is not the base's."""
        for name in sorted(files):
            content = files[name]
            old = self._base.get(name, b"")[: len(content)].ljust(len(content), b"\0")
            if old == content:
                continue
            for start in range(0, len(content), PAGE):
                page, was = content[start : start + PAGE], old[start : start + PAGE]
                if page != was:
                    yield (name, start, len(page)), page, was

    def _resolved(self, place: _Place, pages: list[bytes]) -> dict[bytes, list[Put]]:
        """Return the pieces of each page, the longest first: a tear is a part of what was to be written."""
        name, start, length = place
        was = self._base.get(name, b"")[start : start + length].ljust(length, b"\0")
        spans = {page: _span(page, was) for page in pages}
        whole: list[bytes] = []  # written out in one piece
        out: dict[bytes, list[Any]] = {}
        for page in _ordered(pages, spans):
            first, last = spans[page]
            torn = next((one for one in whole if _begins(one, spans[one], page, spans[page])), None)
            near = _nearest(page, whole[:_TRIED], last - first)
            if torn is not None:
                out[page] = [[out[torn][0], last - first]]
            elif near is not None:
                rest = [self._number(name, start + a, page[a:b]) for a, b in _runs(page, near)]
                out[page] = [*out[near], *rest]
            else:
                out[page] = [self._number(name, start + first, page[first:last])]
                whole.append(page)
        return out

    def _number(self, name: str, off: int, data: bytes) -> int:
        return self._pieces.setdefault((name, off, data), len(self._pieces))


def _runs(page: bytes, other: bytes) -> list[tuple[int, int]]:
    """Return where two pages of one length differ, near places together."""
    differ = np.flatnonzero(np.frombuffer(page, np.uint8) != np.frombuffer(other, np.uint8))
    if not len(differ):
        return []
    breaks = np.flatnonzero(np.diff(differ) > _OVERHEAD)
    starts = differ[np.concatenate([[0], breaks + 1])]
    ends = differ[np.concatenate([breaks, [len(differ) - 1]])] + 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _span(page: bytes, other: bytes) -> tuple[int, int]:
    """Return from where to where two different pages of one length differ."""
    runs = _runs(page, other)
    return runs[0][0], runs[-1][1]


def _ordered(pages: list[bytes], spans: Mapping[bytes, tuple[int, int]]) -> Iterator[bytes]:
    """Yield the pages that change most bytes first; of those alike, the one that is most like the others."""
    by_end: dict[int, list[bytes]] = {}
    for page in pages:
        by_end.setdefault(spans[page][1], []).append(page)
    for end in sorted(by_end, reverse=True):
        rows = np.stack([np.frombuffer(page, np.uint8) for page in by_end[end]])
        middle = np.sort(rows, axis=0)[len(rows) // 2]
        apart = (rows != middle).sum(axis=1).tolist()
        yield from (page for _, page in sorted(zip(apart, by_end[end], strict=True)))


def _begins(whole: bytes, span: tuple[int, int], page: bytes, part: tuple[int, int]) -> bool:
    """Tell whether what `page` changes is the beginning of what `whole` changes."""
    return span[0] == part[0] and part[1] < span[1] and whole[part[0] : part[1]] == page[part[0] : part[1]]


def _nearest(page: bytes, pages: list[bytes], most: int) -> bytes | None:
    """Return the page that `page` differs least from, None if that takes `most` bytes or more."""
    costs = [(sum(b - a + _OVERHEAD for a, b in _runs(page, other)), other) for other in pages]
    cost, nearest = min(costs, default=(most, b""))
    return nearest if cost < most else None


#: Names below ``work/``, by shard: the ids that all states would have, those of the chosen states, the cases,
#: and what they share.
PUBLISHED_IDS, ID_FILE = "ids-{:05d}", "chosen-{:05d}"
LINES, BASE_LINES, GROUP_LINES = "cases-{:05d}.jsonl", "bases-{:05d}.jsonl", "groups-{:05d}.jsonl"


def write_ids(plan: Plan, out: Path, number: int) -> None:
    """Write the ids under which the states of a finished part would be published, in their order."""
    replace_bytes(out / WORK / PUBLISHED_IDS.format(number), b"".join(ids_of_part(plan, out, number)))


def ids_of_part(plan: Plan, out: Path, number: int) -> list[bytes]:
    """Return the id under which each state of a finished part would be published; raises BuildError.

    They stand in no table: only few states are published.
    """
    wanted = state_ids_of(part_file(out, number))
    found = dict(found_ids(plan, plan.shard_workloads(number), set(wanted)))
    if len(found) < len(wanted):
        raise BuildError(f"{len(wanted) - len(found)} states were not found again", "report this")
    return [found[name] for name in wanted]


def found_ids(plan: Plan, workloads: Iterable[Workload], wanted: Set[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield state id and published id of the states `wanted` that `workloads` lead to, each once."""
    adapter = crash_format(plan.format)
    presets = tuple(get_preset(name) for name in plan.presets)
    left = set(wanted)
    for work in workloads:
        trace = adapter.build(work)
        for states in crash_states(trace, presets, plan.seed):
            expected = expected_at(trace, states.point.crash_index, states.torn, states.stratum)
            rows = {name: row for row, name in enumerate(state_ids(states, expected)) if name in left}
            if rows:
                names = published_ids(states.take(np.asarray(list(rows.values()))), expected)
                yield from zip(rows, names, strict=True)
                left.difference_update(rows)
        if not left:
            return


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
    name: bytes
    files: dict[str, bytes]


class _Found:
    """The chosen states of one trace."""

    def __init__(self, plan: Plan, adapter: CrashFormat, trace: Trace, left: set[bytes]) -> None:
        self._room = adapter
        self._trace = trace
        self._owing = ExpectedSets(adapter, trace)
        self.states: list[_State] = []
        #: (operation after which the crash came, what is owed)
        self.groups: list[tuple[int, Expected]] = []
        presets = tuple(get_preset(name) for name in plan.presets)
        for rows in judged_rows(trace, adapter, presets, plan.seed, SeenIds(_AllBut(left))):
            self._take(rows)
        self._packing = Packing(trace.base, (state.files for state in self.states))

    def _take(self, rows: Rows) -> None:
        group = rows.states.point
        expected = expected_at(self._trace, group.crash_index, rows.states.torn, rows.states.stratum)
        if (group.crash_index, expected) not in self.groups:
            self.groups.append((group.crash_index, expected))
        number = self.groups.index((group.crash_index, expected))
        for at, name in enumerate(published_ids(rows.states, expected)):
            files = group.materialise(rows.states.codes[at])
            self.states.append(_State(number, rows, at, name, files))

    def cases(self, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the cases, whose groups are called `names`."""
        prefix = get_format(self._trace.format).prefix.lower()
        for state in self.states:
            rows, at = state.rows, state.at
            layout, puts = self._packing.put(state.files)
            out = {
                "id": f"{prefix}.crash.{state.name.hex()}",
                "state": rows.state_ids[at].hex(),
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
